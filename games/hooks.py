"""What the rest of the site may hang on to a match. Receivers run after commit in the thread of
the turn: they enqueue, and wait for no row. One that fails is logged and does not disturb it."""

from django.dispatch import Signal

# Sent with `match_id`. The match has a result; a void one too.
match_ended = Signal()

# Sent with `match_id` and `at` (ms since 1970). A match that waited for its players has begun.
match_begun = Signal()

# Only of matches with the mark `followed`. Sent with `match_id` and `version`, the room's after the
# turn: what the room was not told of (a sealed choice) is no turn to anybody.
match_turned = Signal()

# Only of matches with the mark `followed`. An announcement that time is running out; sent with
# `match_id`, `seat` (None: both), `kind` and `left_ms` as the protocol's `reminder` has them, and
# `at`, the moment (ms since 1970) from which that is left.
match_reminded = Signal()
