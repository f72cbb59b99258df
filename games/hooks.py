"""What the rest of the site may hang on to a match. Receivers run after commit. One that fails is
logged and does not disturb the others; of what runs in the thread of a turn, none waits for a row:
it enqueues."""

from django.dispatch import Signal

# Sent with `match_id`. The match has a result; a void one too. Sent by a worker, and again where a
# receiver failed or the worker was killed: receivers find out what is done already.
match_ended = Signal()

# Sent with `match_id` and `at` (ms since 1970). A match that waited for its players has begun.
match_begun = Signal()

# Only of matches with the mark `followed`. Sent with `match_id` and `version`, the room's after the
# turn: what the room was not told of (a sealed choice) is no turn to anybody. Of the turn that ends
# a match it is sent by a worker, like `match_ended`.
match_turned = Signal()

# Only of matches with the mark `followed`. An announcement that time is running out; sent with
# `match_id`, `seat` (None: both), `kind` and `left_ms` as the protocol's `reminder` has them, and
# `at`, the moment (ms since 1970) from which that is left.
match_reminded = Signal()
