"""When death matches are played. Each of these knows those before it, and none that comes after:

- `appointments`: times that organisers set
- `readiness`: players who say that they are ready
- `reminders`: mail before a death match
- `sweep`: what time asks of seasons, with nobody there
"""
