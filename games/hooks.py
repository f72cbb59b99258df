"""What the rest of the site may hang on to a match. Receivers run after commit; one that fails is
logged and does not disturb the match."""

from django.dispatch import Signal

# Sent with `match_id`. The match has a result; a void one too.
match_ended = Signal()
