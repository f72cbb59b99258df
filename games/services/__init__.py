"""Everything that changes matches. Each service is one transaction: the change, what accounts for
it, and an event that goes out after commit. Pages, sockets, tasks, the admin site and the API only
call these."""
