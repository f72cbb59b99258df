"""What people may be called.

- `words`: those of whoever runs the site
- `letters`: what single letters look like; pure, as all but `impostors`
- `confusables`: what a name looks like, and whether it would pass for somebody else's
- `validators`: what may be a username, a display name and the name of a time zone
- `impostors`: whom of those who are here a name could be taken for; asks the database
"""
