"""What organisers of an elimination season choose. Pure."""

from __future__ import annotations

from typing import Annotated, ClassVar

import msgspec

from tournaments.formats.options import FormatOptions


class EliminationOptions(FormatOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Episodes with an elimination candidate each, and a final of the last two.

    ``final_best_of`` matches at most make the final; the candidate has ``choice_hours`` to choose
    an opponent; with ``items`` the eliminated give items for the final.
    """

    odd: ClassVar[frozenset[str]] = frozenset({"final_best_of"})

    final_best_of: Annotated[
        int,
        msgspec.Meta(
            ge=1,
            le=15,
            title="Matches of the final, at most",
            description="An odd number: 3 means best of three.",
        ),
    ] = 3
    choice_hours: Annotated[
        float,
        msgspec.Meta(
            gt=0,
            le=24 * 60,
            title="Hours to choose an opponent",
            description="After that an organiser names the DMO. 0.5 is half an hour.",
        ),
    ] = 24
    items: Annotated[bool, msgspec.Meta(title="Who is out gives items")] = True
