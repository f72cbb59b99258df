"""What makes a change of the audit log show, and what it says of those who only looked.

- `chain`: what the digest of an entry is, and how a chain is gone over; pure, and described in
  `docs/audit.md` so that a stranger can do the same
- `sealing`: services that put entries into the chain, and look it over
- `looks`: what moderators and administrators have looked at
- `writes`: what administrators have written in forms of the admin site that have no service
- `tasks`: when that is done by itself

An entry is written by `accounts.services.audit_record`, which knows nothing of all this.
"""
