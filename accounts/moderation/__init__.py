"""Keeping order among people: what `docs/moderation.md` tells moderators of.

- `standing`: who is muted or suspended as things stand; everything that asks does so there
- `sanctions`: services that warn, mute and suspend, and lift
- `reports`: what may be reported, and services that file, claim and answer reports
- `merging`: two accounts of one person made one
- `actions`: what moderators can do, in tables, and `forms`: what they fill in for it

Only these two know others of these. Who is a moderator is a role (`accounts.roles`).
"""
