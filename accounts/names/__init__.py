"""What people may be called.

- `confusables`: what a name looks like, and whether it would pass for somebody else's; pure
- `validators`: what may be a username, a display name and the name of a time zone

Whose names there are already is known to the services (`accounts.services.Impostors`).
"""
