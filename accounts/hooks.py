"""What the rest of the site may hang on to an account. Receivers run after commit; one that
fails is logged and does not disturb the change."""

from django.dispatch import Signal

# Sent with `user_id`. The account cannot sign in any more.
account_closed = Signal()
