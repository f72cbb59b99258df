"""What the rest of the site may hang on to a season. Receivers run after commit; one that fails is
logged and does not disturb the season."""

from django.dispatch import Signal

# Sent with `event_id` and `kind`, of a `SeasonEvent` that is on disk.
season_happened = Signal()
