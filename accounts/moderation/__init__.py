"""Keeping order among people: what `docs/moderation.md` tells moderators of.

- `standing`: who is muted or suspended as things stand; everything that asks does so there
- `sanctions`: services that warn, mute and suspend, and lift
- `several`: the same for several at once
- `appeals`: services by which whoever is under a sanction has it looked at again
- `reports`: what may be reported, and services that file, claim and answer reports
- `merging`: two accounts of one person made one
- `actions` and `appeal_actions`: what moderators can do, in tables, and `forms`: what they fill in
  for it

Only these, and what is about sanctions, know others of these. Who is a moderator is a role
(`accounts.roles`).
"""
