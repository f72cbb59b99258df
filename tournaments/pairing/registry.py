"""The formats a season can have, and what each lets its organiser choose.

Options are msgspec structs that refuse unknown keys, wrong types and values out of range, so what
is stored with a season always reads back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, ClassVar

import msgspec

from core.refusals import Refusal
from games.engine.options import Limits, limits_of, options_read

Rounds = Annotated[int, msgspec.Meta(ge=1, le=64)]


class FormatOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every format's options are: a frozen struct with a default for each field. Those that
    ``odd`` names are odd numbers, so that somebody wins most of the matches."""

    odd: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        for name in self.odd:
            if getattr(self, name) % 2 == 0:
                raise ValueError(f"`{name}` is an odd number")


class EliminationOptions(FormatOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Episodes with an elimination candidate each, and a final of the last two.

    ``final_best_of`` matches at most make the final; the candidate has ``choice_hours`` to choose
    an opponent; with ``items`` the eliminated give items for the final.
    """

    odd: ClassVar[frozenset[str]] = frozenset({"final_best_of"})

    final_best_of: Annotated[int, msgspec.Meta(ge=1, le=15)] = 3
    choice_hours: Annotated[float, msgspec.Meta(gt=0, le=24 * 60)] = 24
    items: bool = True


class SingleEliminationOptions(
    FormatOptions, frozen=True, kw_only=True, forbid_unknown_fields=True
):
    """Who loses is out. ``best_of`` games decide each match of the bracket."""

    odd: ClassVar[frozenset[str]] = frozenset({"best_of"})

    third_place: bool = False
    best_of: Annotated[int, msgspec.Meta(ge=1, le=15)] = 1


class RoundRobinOptions(FormatOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everybody meets everybody, in one leg or two."""

    legs: Annotated[int, msgspec.Meta(ge=1, le=2)] = 1


class SwissOptions(FormatOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fixed number of rounds between players with equal points."""

    rounds: Rounds = 5


class LadderOptions(FormatOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A challenge goes to somebody at most ``challenge_reach`` rungs above."""

    challenge_reach: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 2


class Caution(msgspec.Struct, frozen=True):
    """A warning before a season starts; ``code`` is stable, ``sentence`` is for people."""

    code: str
    sentence: str


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


def _bracket_cautions(options: SingleEliminationOptions, players: int) -> Iterator[Caution]:
    byes = (1 << (players - 1).bit_length()) - players if players > 1 else 0
    if byes:
        who = "seed has" if byes == 1 else f"{byes} seeds have"
        yield Caution("format.byes", f"The best {who} a bye in the first round.")
    if options.third_place and players < 4:
        yield Caution("format.third-place", "There is no match for third place below four players.")


def _robin_cautions(options: RoundRobinOptions, players: int) -> Iterator[Caution]:
    rounds = options.legs * (players - 1 + players % 2)
    if players % 2:
        yield Caution("format.byes", "With an odd number of players one rests in each round.")
    if rounds > 20:
        yield Caution("format.long", f"Everybody meeting everybody takes {rounds} rounds.")


def swiss_enough(players: int) -> int:
    """How many rounds leave one player at most with nothing but wins: halvings of the field."""
    return max(players - 1, 1).bit_length()


def _swiss_cautions(options: SwissOptions, players: int) -> Iterator[Caution]:
    meetings = players - 1 + players % 2
    if options.rounds > meetings:
        yield Caution(
            "format.rematches",
            f"{players} players can have {meetings} rounds at most before some meet again.",
        )
    elif 2 * options.rounds > players:
        # While everybody has more than half of the field still to meet, a pairing always exists
        # (Dirac's theorem on perfect matchings); beyond that it depends on the results.
        yield Caution(
            "format.rematches-possible",
            f"With {options.rounds} rounds among {players} players, the last rounds may not be "
            "pairable without two meeting again.",
        )
    if options.rounds < swiss_enough(players):
        yield Caution(
            "format.few-rounds",
            f"With fewer than {swiss_enough(players)} rounds several players may win every match.",
        )


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
            SingleEliminationOptions,
            least=2,
            cautions=_bracket_cautions,
        ),
        Format(
            "round-robin",
            "Round robin",
            "Everybody meets everybody.",
            RoundRobinOptions,
            least=2,
            cautions=_robin_cautions,
        ),
        Format(
            "swiss",
            "Swiss",
            "A fixed number of rounds; equals meet, and nobody meets twice.",
            SwissOptions,
            least=2,
            cautions=_swiss_cautions,
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
