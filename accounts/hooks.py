"""What the rest of the site may hang on to an account. Receivers run after commit; one that
fails is logged and does not disturb the change."""

from django.dispatch import Signal

# Sent with `user_id`. The account cannot sign in any more.
account_closed = Signal()

# Sent with `user_id`. A closed account is open again.
account_reopened = Signal()

# Sent with `user_id`, the kept account's. What another account had is its own from now on.
account_merged = Signal()

# Sent with `user_id`. The account cannot sign in for the time being; whatever it has open has lost
# its rights, and nobody may begin anything new with it.
account_suspended = Signal()

# Sent with `user_id`. A role was given or taken: what was opened before holds the old rights.
rights_changed = Signal()

# Sent with `blocker_id` and `blocked_id`. One person does not want to play the other any more.
person_blocked = Signal()

# Sent with `guest_id` and `user_id`. Whoever played without an account in a browser has signed in
# to one there: what they have played is the account's from now on.
guest_joined = Signal()

# Sent with `announcement_ids` and `heard`. People were told something that they had not been told
# before; `heard`: a page of theirs says so already.
announced = Signal()

# Sent with `user_id`. A mute was laid or lifted: what the account has open says otherwise.
writing_changed = Signal()

# Sent with `user_id` and `discord_id`. A Discord account is somebody's from now on, or no more.
discord_linked = Signal()
discord_unlinked = Signal()
