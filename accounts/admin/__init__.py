"""People in the admin site, and what moderators keep of them.

Actions go through services; the audit log can only be read. `search` says what a search of it for a
person finds, and is where other apps say what of theirs is about somebody.
"""

from accounts.admin import (  # noqa: F401  (each registers its own)
    appeals,
    audit,
    keys,
    merges,
    people,
    reports,
    sanctions,
    site,
)
