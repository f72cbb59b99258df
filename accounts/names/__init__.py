"""What people may be called.

- `confusables`: what a name looks like, and whether it would pass for somebody else's; pure
- `validators`: what may be a username, a display name and the name of a time zone
- `impostors`: whom of those who are here a name could be taken for; asks the database
"""
