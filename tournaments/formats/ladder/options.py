"""What organisers of a ladder choose. Pure."""

from __future__ import annotations

from typing import Annotated

import msgspec

from tournaments.formats.options import FormatOptions


class LadderOptions(FormatOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A challenge goes to somebody at most ``challenge_reach`` rungs above."""

    challenge_reach: Annotated[
        int, msgspec.Meta(ge=1, le=1000, title="Rungs that a challenge reaches up")
    ] = 2
