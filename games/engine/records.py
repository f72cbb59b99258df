"""The portable match record: its schema, reading and writing, and the checker.

A record is one JSON document, complete enough that anyone can replay and referee the match
without this program. Reading is strict about types and silent about unknown keys.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final, Literal, get_args

import msgspec

from core.refusals import Refusal
from games.engine import draws as derived
from games.engine import play
from games.engine.capabilities import may_supply
from games.engine.clocks import to_ms
from games.engine.course import MatchCourse
from games.engine.decisions import Draw, Event, Outcome
from games.engine.draws import METHOD, Draws, Nonce
from games.engine.registry import Registry
from games.engine.ruleset import HeldItem
from games.engine.table import AnyRuleset, Entry, Header, Table

FORMAT: Literal["deathmatch-record/1"] = "deathmatch-record/1"
MEDIA_TYPE = "application/vnd.deathmatch-record+json"
SUFFIX = ".dmr.json"

DrawnHow = Literal["verified", "supplied", "agreed", "unverifiable"]
DRAWN: Final[tuple[DrawnHow, ...]] = get_args(DrawnHow)

SeatNumber = Literal[0, 1]
Reading = Annotated[float, msgspec.Meta(ge=0)]
LARGEST_READING = 10.0**9  # seconds; larger ones are over every limit all the same


def _says(description: str) -> msgspec.Meta:
    """What the published schema says of a field."""
    return msgspec.Meta(description=description)


class RecordItem(msgspec.Struct, frozen=True):
    """One use of an item, held by a seat for this match."""

    seat: SeatNumber
    item: Annotated[str, _says("The id of an item of the ruleset and variant.")]


class RecordMove(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One entry: a player's submission or timeout, an outcome of chance, or an organiser's act.
    Either `move` or `timeout` is there, and `timeout` only for a player's seat."""

    seat: Literal[0, 1, "chance", "organiser"]
    move: (
        Annotated[str, _says("What was submitted, drawn or done, in the ruleset's notation.")]
        | msgspec.UnsetType
    ) = msgspec.UNSET
    timeout: (
        Annotated[Literal[True], _says("The open decision of this seat ran out.")]
        | msgspec.UnsetType
    ) = msgspec.UNSET
    t: (
        Annotated[
            Reading,
            _says(
                "What the clock of the decision showed, in seconds to the millisecond, pauses left "
                "out. Absent means 0 for a submission, and nothing stated for a timeout."
            ),
        ]
        | msgspec.UnsetType
    ) = msgspec.UNSET
    by: Annotated[str, _says("Which organiser.")] = ""
    why: Annotated[str, _says("The organiser's reason.")] = ""

    def __post_init__(self) -> None:
        if (self.move is msgspec.UNSET) == (self.timeout is msgspec.UNSET):
            raise ValueError("an entry has either a move or a timeout")
        if self.timeout is not msgspec.UNSET and self.seat not in (0, 1):
            raise ValueError("only a player's decision can time out")


class RecordNonce(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one seat's program gave towards the draws. Without a nonce 32 zero bytes count."""

    commitment: Annotated[
        str, _says("What its nonce hashes to, as it was known before the nonce was opened.")
    ] = ""
    nonce: Annotated[str, _says("The nonce: 32 bytes as 64 hexadecimal digits.")] = ""


class RecordDraws(msgspec.Struct, frozen=True, kw_only=True):
    """What all draws of the match were derived from."""

    method: Annotated[Literal["hmac-sha256/1"], _says("How; docs/record.md describes it.")]
    seed: Annotated[str, _says("The server's seed: 32 bytes as 64 hexadecimal digits.")]
    commitment: Annotated[
        str, _says("What the seed hashes to, as it was published before the first decision.")
    ]
    nonces: Annotated[tuple[RecordNonce, RecordNonce], _says("By seat.")]


class RecordResult(msgspec.Struct, frozen=True, kw_only=True):
    """How the match ended, as the record states it. The checker compares it with the replay."""

    winner: Annotated[SeatNumber | None, _says("Null where the match was voided.")]
    reason: str
    scores: (
        Annotated[tuple[int, int], _says("What the ruleset counts, by seat.")] | msgspec.UnsetType
    ) = msgspec.UNSET


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A whole match, complete enough to be replayed and refereed anywhere. Keys that are not
    described here are ignored, except among the options."""

    format: Literal["deathmatch-record/1"]
    ruleset: str
    variant: str
    seats: Annotated[tuple[str, str], _says("The players' names as shown, seat 0 first.")]
    moves: Annotated[tuple[RecordMove, ...], _says("Everything that happened, in order.")]
    options: Annotated[
        dict[str, Any], _says("What differs from the ruleset's defaults; times in seconds.")
    ] = {}
    advantage: (
        Annotated[SeatNumber, _says("Who has the advantage. Absent: the first entry is the lot.")]
        | msgspec.UnsetType
    ) = msgspec.UNSET
    items: tuple[RecordItem, ...] = ()
    result: RecordResult | msgspec.UnsetType = msgspec.UNSET
    draws: RecordDraws | msgspec.UnsetType = msgspec.UNSET


class Malformed(Exception):
    """A document that is not a record; the message says where."""


class Reckoned(msgspec.Struct, frozen=True):
    """The state of a replay after one entry: the entry as the record has it, what happened, and
    the table."""

    index: int
    entry: Entry
    text: str  # as canonical notation has it
    events: tuple[Event, ...]
    table: Table


class CannotStand(Exception):
    """The first entry of a record that cannot stand."""

    def __init__(self, index: int, refusal: Refusal) -> None:
        super().__init__(refusal.sentence)
        self.index = index
        self.refusal = refusal


# -- reading -------------------------------------------------------------------------------------

_DECODER = msgspec.json.Decoder(Record)


def read(data: bytes) -> Record:
    """A record from its JSON text in UTF-8. Raises Malformed."""
    try:
        # Decoded here, since the parser looks at no text inside the keys that it skips.
        return _DECODER.decode(data.decode())
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise Malformed(str(error) or type(error).__name__) from error


def header_of(registry: Registry, record: Record) -> tuple[AnyRuleset, Header]:
    """The ruleset of a record and its header with typed options.

    Raises Malformed for a ruleset, variant, option, item or reason that does not exist.
    """
    stated = record.result
    if stated is not msgspec.UNSET and stated.reason not in registry.reasons:
        raise Malformed(f"result: no match ends with {stated.reason!r}")
    try:
        ruleset = registry.get(record.ruleset)
        ruleset.variant(record.variant)
        for held in record.items:
            ruleset.item(held.item, record.variant)
    except Refusal as refusal:
        raise Malformed(refusal.sentence) from refusal
    try:
        options = msgspec.convert(record.options, ruleset.options_type)
    except msgspec.ValidationError as error:
        raise Malformed(f"options: {error}") from error
    return ruleset, Header(
        ruleset=record.ruleset,
        variant=record.variant,
        options=options,
        advantage=None if record.advantage is msgspec.UNSET else record.advantage,
        items=tuple([HeldItem(held.seat, held.item) for held in record.items]),
    )


def entry_of(move: RecordMove) -> Entry:
    """The table's entry for one entry of a record."""
    return Entry(
        actor=move.seat,
        text="" if move.move is msgspec.UNSET else move.move,
        timeout=move.timeout is not msgspec.UNSET,
        reading_ms=None if move.t is msgspec.UNSET else to_ms(min(move.t, LARGEST_READING)),
        by=move.by,
        why=move.why,
    )


def replay(ruleset: AnyRuleset, header: Header, entries: Sequence[Entry]) -> Iterator[Reckoned]:
    """Fold the entries, one step each. Raises CannotStand at the first that cannot, and Refusal
    ``setup.*`` where the match cannot even be opened."""
    course = MatchCourse(ruleset, header)
    for index, entry in enumerate(entries):
        try:
            step = course.add(entry)
        except Refusal as refusal:
            raise CannotStand(index, refusal) from refusal
        yield Reckoned(index, entry, step.text, step.events, step.table)


# -- writing -------------------------------------------------------------------------------------


def write(
    ruleset: AnyRuleset,
    header: Header,
    *,
    seats: tuple[str, str],
    entries: Sequence[Entry],
    result: Outcome | None,
    draws: Draws | None = None,
) -> bytes:
    """A record as JSON text; ``header.advantage`` None where the first entry is the lot. ``draws``
    only where the match is over: they tell what is to come."""
    record = Record(
        format=FORMAT,
        ruleset=ruleset.id,
        variant=header.variant,
        options=changed_options(header.options),
        seats=seats,
        advantage=msgspec.UNSET if header.advantage is None else _seat(header.advantage),
        items=tuple([RecordItem(_seat(held.seat), held.item) for held in header.items]),
        moves=tuple([_move_of(entry) for entry in entries]),
        result=msgspec.UNSET if result is None else _result_of(result),
        draws=msgspec.UNSET if draws is None else _draws_of(draws),
    )
    return msgspec.json.encode(record)


def changed_options(options: Any) -> dict[str, Any]:
    """The options that differ from the ruleset's defaults, as plain JSON values; whole numbers of
    seconds as integers."""
    defaults = msgspec.to_builtins(type(options)())
    changed = {
        key: value for key, value in msgspec.to_builtins(options).items() if value != defaults[key]
    }
    return {key: _plain_number(value) for key, value in changed.items()}


def _plain_number(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _seat(seat: int) -> SeatNumber:
    return 1 if seat else 0


def _move_of(entry: Entry) -> RecordMove:
    reading = entry.reading_ms
    return RecordMove(
        seat=entry.actor,
        move=msgspec.UNSET if entry.timeout else entry.text,
        timeout=True if entry.timeout else msgspec.UNSET,
        t=msgspec.UNSET if reading is None else _plain_number(reading / 1000),
        by=entry.by,
        why=entry.why,
    )


def _draws_of(draws: Draws) -> RecordDraws:
    one, two = draws.nonces
    return RecordDraws(
        method=METHOD,
        seed=draws.seed,
        commitment=draws.commitment,
        nonces=(RecordNonce(one.commitment, one.nonce), RecordNonce(two.commitment, two.nonce)),
    )


def _result_of(result: Outcome) -> RecordResult:
    return msgspec.convert(
        {"winner": result.winner, "reason": result.reason, "scores": result.scores}, RecordResult
    )


# -- checking ------------------------------------------------------------------------------------


class Drawn(msgspec.Struct, frozen=True, omit_defaults=True):
    """What there is to say of one outcome of chance: its entry, the label of its draw, what came
    of it, and what would have had to where that is wrong."""

    at: int
    label: str
    move: str
    state: DrawnHow | Literal["wrong"]
    by: str = ""
    wanted: str = ""


class _Looks(msgspec.Struct):
    """What a replay has come by, for those who ask for it."""

    steps: list[dict[str, Any]] | None
    drawn: list[Drawn] = []


def check(
    registry: Registry, data: bytes, *, steps: bool = False, draws: bool = False
) -> dict[str, Any]:
    """What the checker says of one document, whatever it holds; never raises.

    ``{"ok": true, "finished", "winner", "reason", "scores", "draws"}`` or ``{"ok": false, "at",
    "error"}``; with ``steps`` also one object a replayed entry, and with ``draws`` a list
    ``drawn``, a `Drawn` for each outcome of chance, the first wrong one included. ``draws`` are
    numbers of outcomes of chance: ``verified``, ``supplied`` by an organiser and ``agreed`` on
    beforehand, neither of which was drawn, and ``unverifiable``, of a record that holds no seed.
    """
    looks = _Looks([] if steps else None)
    verdict = _verdict(registry, data, looks)
    if looks.steps is not None:
        verdict["steps"] = looks.steps
    if draws:
        verdict["drawn"] = msgspec.to_builtins(looks.drawn)
    return verdict


def _verdict(registry: Registry, data: bytes, looks: _Looks) -> dict[str, Any]:
    try:
        record = read(data)
        ruleset, header = header_of(registry, record)
        table = play.opened(ruleset, header)
        draws = draws_of(record)
    except Malformed as malformed:
        return {"ok": False, "at": None, "error": str(malformed)}
    except Refusal as refusal:
        return {"ok": False, "at": None, "error": f"{refusal.code}: {refusal.sentence}"}
    try:
        for reckoned in replay(ruleset, header, [entry_of(move) for move in record.moves]):
            if reckoned.entry.actor == "chance":
                _judge(looks.drawn, *_drawn(ruleset, table, reckoned, draws))
            table = reckoned.table
            if looks.steps is not None:
                looks.steps.append(_step_of(ruleset, reckoned))
    except CannotStand as error:
        return {
            "ok": False,
            "at": error.index,
            "error": f"{error.refusal.code}: {error.refusal.sentence}",
        }
    disagreement = _disagreement(ruleset, table, record.result)
    if disagreement:
        return {"ok": False, "at": None, "error": disagreement}
    result = table.result
    return {
        "ok": True,
        "finished": result is not None,
        "winner": None if result is None else result.winner,
        "reason": None if result is None else result.reason,
        "scores": list(_scores(ruleset, table)),
        "draws": {how: sum(1 for each in looks.drawn if each.state == how) for how in DRAWN},
    }


def draws_of(record: Record) -> Draws | None:
    """What the draws of a record are derived from, or None. Raises Malformed where it contradicts
    itself."""
    stated = record.draws
    if stated is msgspec.UNSET:
        return None
    one, two = (Nonce(each.commitment, each.nonce) for each in stated.nonces)
    draws = Draws(stated.seed, (one, two))
    for fault in derived.faults(draws):
        raise Malformed(fault)
    if draws.commitment != stated.commitment:
        raise Malformed("draws: the seed is not what was committed to.")
    return draws


def _drawn(
    ruleset: AnyRuleset, before: Table, reckoned: Reckoned, draws: Draws | None
) -> tuple[Drawn, Refusal | None]:
    """What there is to say of an outcome, and what is to be said against it."""
    entry = reckoned.entry
    draw = play.LOT if before.advantage is None else ruleset.parse_chance(entry.text).draw
    label = play.draw_label(ruleset, before, draw)
    said = Drawn(reckoned.index, label, entry.text, "unverifiable", entry.by)
    if entry.text != reckoned.text:
        refusal = Refusal("draws.spelling", f"This is written “{reckoned.text}”, and only so.")
        return msgspec.structs.replace(said, state="wrong", wanted=reckoned.text), refusal
    if entry.by:
        against = _against_supplier(ruleset, before, draw, entry.by)
        return msgspec.structs.replace(said, state="wrong" if against else "supplied"), against
    if draw != play.LOT and ruleset.is_agreed(before.state, draw):
        return msgspec.structs.replace(said, state="agreed"), None
    if draws is None:
        return said, None
    wanted = play.drawn(ruleset, before, draw, draws.numbers(label))
    if entry.text != wanted:
        refusal = Refusal("draws.other", f"The seed and the nonces give “{wanted}” here.")
        return msgspec.structs.replace(said, state="wrong", wanted=wanted), refusal
    return msgspec.structs.replace(said, state="verified"), None


def _judge(judged: list[Drawn], drawn: Drawn, against: Refusal | None) -> None:
    """Put an outcome to the others. Raises CannotStand where something is to be said against it."""
    judged.append(drawn)
    if against is not None:
        raise CannotStand(drawn.at, against)


def _against_supplier(ruleset: AnyRuleset, before: Table, draw: Draw, by: str) -> Refusal | None:
    """Why nobody of that name can have supplied the outcome of a draw."""
    if not may_supply(ruleset, before.header.variant, draw.kind):
        return Refusal("draws.not-supplied", "No organiser can supply this: it is drawn.")
    # Something to read: a letter, a figure or a sign.
    if not any(unicodedata.category(each)[0] in "LNPS" for each in by):
        return Refusal("draws.nobody", "What was supplied has the name of who supplied it.")
    return None


def _scores(ruleset: AnyRuleset, table: Table) -> tuple[int, int]:
    if table.result is not None:
        return table.result.scores
    return (0, 0) if table.state is None else ruleset.scores(table.state)


def _step_of(ruleset: AnyRuleset, reckoned: Reckoned) -> dict[str, Any]:
    table = reckoned.table
    return {
        "scores": list(_scores(ruleset, table)),
        "to_move": [seat for seat in (0, 1) if table.open[seat] is not None],
        "reserve": [_plain_number(ms / 1000) for ms in table.reserve_ms],
        **ruleset.step_notes(reckoned.events),
    }


def _disagreement(
    ruleset: AnyRuleset, table: Table, stated: RecordResult | msgspec.UnsetType
) -> str:
    """What is wrong with the stated result, or an empty string."""
    if stated is msgspec.UNSET:
        return ""
    found = table.result
    if found is None:
        return "The record states a result, but the match is not over."
    if stated.winner != found.winner:
        return f"The record states winner {stated.winner}; the replay gives {found.winner}."
    if stated.reason != found.reason:
        return f"The record states reason {stated.reason}; the replay gives {found.reason}."
    if stated.scores is not msgspec.UNSET and stated.scores != found.scores:
        return (
            f"The record states scores {list(stated.scores)}; "
            f"the replay gives {list(found.scores)}."
        )
    return ""
