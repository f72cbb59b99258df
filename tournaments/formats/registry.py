"""The formats a season can have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from core.refusals import Refusal
from games.engine.options import Limits, limits_of, options_read
from tournaments.formats.elimination.options import EliminationOptions
from tournaments.formats.ladder.options import LadderOptions
from tournaments.formats.options import Caution, FormatOptions
from tournaments.formats.round_robin import options as round_robin
from tournaments.formats.single_elimination import options as single_elimination
from tournaments.formats.swiss import options as swiss

Check = Callable[[Any, int], Iterator[Caution]]


class Format(msgspec.Struct, frozen=True):
    """One format. ``least`` contestants are needed; ``cautions`` looks at a field's size."""

    key: str
    name: str
    summary: str
    options_type: type[FormatOptions]
    least: int
    cautions: Check


def _nothing(_options: FormatOptions, _players: int) -> Iterator[Caution]:
    return iter(())


FORMATS: dict[str, Format] = {
    made.key: made
    for made in (
        Format(
            "elimination",
            "Elimination season",
            "Episodes: who comes last meets an opponent of their choice, and the loser is out.",
            EliminationOptions,
            least=3,
            cautions=_nothing,
        ),
        Format(
            "single-elimination",
            "Single elimination",
            "A bracket: who loses is out, the last one wins.",
            single_elimination.SingleEliminationOptions,
            least=2,
            cautions=single_elimination.cautions,
        ),
        Format(
            "round-robin",
            "Round robin",
            "Everybody meets everybody.",
            round_robin.RoundRobinOptions,
            least=2,
            cautions=round_robin.cautions,
        ),
        Format(
            "swiss",
            "Swiss",
            "A fixed number of rounds; equals meet, and nobody meets twice.",
            swiss.SwissOptions,
            least=2,
            cautions=swiss.cautions,
        ),
        Format(
            "ladder",
            "Ladder",
            "Challenge somebody above; beat them and take their rung.",
            LadderOptions,
            least=2,
            cautions=_nothing,
        ),
    )
}


def format_of(key: str) -> Format:
    """The format of that key. Raises Refusal ``format.unknown``."""
    try:
        return FORMATS[key]
    except KeyError:
        raise Refusal("format.unknown", f"There is no format {key!r}.") from None


def options_of(key: str, given: Mapping[str, Any]) -> FormatOptions:
    """The format's options with ``given`` in place of the defaults.

    Raises Refusal ``format.unknown``, or OptionsRefused ``format.options`` for every unknown key,
    wrong type and value out of range.
    """
    kind = format_of(key).options_type
    return options_read(kind, given, "format.options", kind.odd)


def option_limits(key: str) -> dict[str, Limits]:
    """What each option of a format may be. Raises Refusal ``format.unknown``."""
    kind = format_of(key).options_type
    return limits_of(kind, kind.odd)


def cautions_of(key: str, given: Mapping[str, Any], players: int) -> tuple[Caution, ...]:
    """What an organiser should know before a season of so many players starts.

    Raises Refusal ``format.*`` as :func:`options_of` does, and ``pairing.too-few``.
    """
    kind = format_of(key)
    options = options_of(key, given)
    if players < kind.least:
        raise Refusal("pairing.too-few", f"{kind.name} needs at least {kind.least} players.")
    return tuple(kind.cautions(options, players))
