"""What a season's document holds: every field once, with its type and limits and, where it is not
simply the column of its name, what it is instead (see `fields`).

By these structs a season is written and read, and they are the format's JSON Schema and the list
of its fields (`schema`). How an event's data is described stands with the kinds of events
(`tournaments.events`).
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final, Literal, cast

import msgspec

from tournaments.documents.fields import (
    LATER,
    ROWS,
    SETTING,
    Part,
    derived,
    holds,
    mention,
    one_of,
    own,
    place,
    written,
)
from tournaments.events.kinds import KINDS
from tournaments.events.payloads import Items
from tournaments.events.references import Entity, Numbers, described, exchanged
from tournaments.formats.registry import FORMATS
from tournaments.models import Contestant, LedgerEntry, Season, SeasonEvent
from tournaments.scoring import COLUMN_NAME_MAX, COLUMNS_MAX, NUMBER_PATTERN

FORMAT: Final = "gauntlet-season/1"

Small = Annotated[int, msgspec.Meta(ge=0, le=32_767)]
Number = Annotated[int, msgspec.Meta(ge=1, le=32_767)]
Score = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Words = Annotated[str, msgspec.Meta(max_length=500)]
Moment = Annotated[datetime, msgspec.Meta(tz=True)]
SeatNumber = Literal[0, 1]
FormatKey = Annotated[str, one_of(lambda: FORMATS)]
EventKind = Annotated[
    str,
    msgspec.Meta(min_length=1, max_length=40),
    one_of(lambda: KINDS, words="one of the kinds of `events[].data`"),
]
ContestantNumber = Annotated[int, mention(Entity.CONTESTANT)]


class GameDoc(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something to be played."""

    ruleset: Annotated[str, msgspec.Meta(max_length=40)]
    variant: Annotated[str, msgspec.Meta(max_length=40)]
    options: dict[str, Any] = msgspec.field(default_factory=dict)


def _uid_of(season: Season, _numbers: Numbers) -> str:
    return str(season.uid)


class SeasonDoc(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is said of the season itself."""

    uid: Annotated[str, derived(_uid_of)]
    slug: Annotated[str, msgspec.Meta(pattern=r"^[-a-z0-9_]{1,60}$")]
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=80), SETTING]
    summary: Annotated[str, msgspec.Meta(max_length=2000), SETTING] = ""
    format: FormatKey
    format_options: Annotated[dict[str, Any], SETTING] = msgspec.field(default_factory=dict)
    visibility: Annotated[Literal["draft", "listed", "archived"], LATER]
    status: Annotated[Literal["enrolling", "running", "finished", "cancelled"], LATER]
    open_enrolment: Annotated[bool, SETTING]
    by_application: Annotated[bool, SETTING] = False
    places: Annotated[Annotated[int, msgspec.Meta(ge=2, le=32_767)] | None, SETTING] = None
    repertoire: Annotated[tuple[GameDoc, ...], SETTING] = ()
    ruleset_choice: Annotated[Literal["fixed", "rotating", "lower-seed"], SETTING]
    pace: Annotated[str, msgspec.Meta(max_length=20), SETTING]
    tie_breaks: Annotated[tuple[str, ...], SETTING] = ()
    no_show_minutes: Annotated[Small, SETTING]
    no_show_rule: Annotated[Literal["forfeit", "organiser"], SETTING]
    late_s: Annotated[Small, SETTING] = 0
    times_by: Annotated[Literal["organisers", "open", "move"], SETTING] = "open"
    play_within_days: Annotated[Small, SETTING] | None = None
    predictions: Annotated[bool, SETTING] = True
    secret_gifts: Annotated[Literal["never", "choice", "always"], SETTING] = "never"  # noqa: S105
    trade: Annotated[dict[str, Any], SETTING] = msgspec.field(default_factory=dict)
    winner: Annotated[ContestantNumber, LATER] | None
    created_at: Moment
    started_at: Annotated[Moment | None, LATER]
    finished_at: Annotated[Moment | None, LATER]


def _username_of(contestant: Contestant, _numbers: Numbers) -> str:
    return contestant.user.username if contestant.user else ""


class ContestantDoc(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Somebody in the season; ``username`` is empty for nobody's account."""

    id: Annotated[int, own(Entity.CONTESTANT)]
    username: Annotated[str, msgspec.Meta(max_length=20), derived(_username_of)] = ""
    name: Name
    seed: Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)] | None
    status: Literal["enrolled", "active", "eliminated", "withdrawn", "replaced"]
    since_round: Number
    place: Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)] | None
    replaces: Annotated[ContestantNumber, LATER] | None
    enrolled_at: Moment
    left_at: Moment | None


class PlacementDoc(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A place in a main match."""

    contestant: ContestantNumber
    place: Number
    immune: bool


class ColumnDoc(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A column of a table of scores. ``decides``: in which turn it breaks ties; 0: it does not."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=COLUMN_NAME_MAX)]
    counts: bool
    decides: Annotated[int, msgspec.Meta(ge=0, le=COLUMNS_MAX)]
    low: bool
    wins: bool


Cell = Annotated[str, msgspec.Meta(max_length=20, pattern=NUMBER_PATTERN)]


class ScoreRowDoc(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What somebody has in each column: decimals as texts, empty where there is nothing. ``among``:
    where they come among those who are equal."""

    contestant: ContestantNumber
    cells: Annotated[tuple[Cell, ...], msgspec.Meta(max_length=COLUMNS_MAX)]
    note: Annotated[str, msgspec.Meta(max_length=200)]
    among: Number | None


class ScoresDoc(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The scores of a main match; ``recorded_at``: when the placement was recorded by them, null of
    a draft."""

    name: Annotated[str, msgspec.Meta(max_length=120)]
    about: Annotated[str, msgspec.Meta(max_length=500)]
    notes: Annotated[str, msgspec.Meta(max_length=4000)]
    columns: Annotated[tuple[ColumnDoc, ...], msgspec.Meta(min_length=1, max_length=COLUMNS_MAX)]
    low: bool
    share: bool
    winner_immune: bool
    shown: bool
    recorded_at: Moment | None
    rows: Annotated[tuple[ScoreRowDoc, ...], ROWS]


class EpisodeDoc(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an elimination season's round is about."""

    status: Literal["main-match", "choosing", "death-match", "done", "skipped"]
    main_match: Annotated[str, msgspec.Meta(max_length=120)]
    notes: Annotated[str, msgspec.Meta(max_length=4000)]
    ec: ContestantNumber | None
    dmo: ContestantNumber | None
    choose_by: Moment | None
    expiry_told_for: Moment | None
    death_match_at: Moment | None = None
    chosen_at: Moment | None
    placements: Annotated[tuple[PlacementDoc, ...], ROWS]
    scores: Annotated[ScoresDoc | None, ROWS] = None


class LegDoc(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One match of a death match, or an attempt at it. ``record`` is the number of the match, whose
    record is the file ``records/<number>.dmr.json``."""

    number: Number
    attempt: Number
    status: Literal["planned", "finished", "void"]
    ruleset: Annotated[str, msgspec.Meta(max_length=40)]
    variant: Annotated[str, msgspec.Meta(max_length=40)]
    options: dict[str, Any]
    advantage: SeatNumber | None
    scheduled_at: Moment | None
    no_show_at: Moment | None
    items: Annotated[dict[str, Any] | None, holds(Items)]
    record: Annotated[int, mention(Entity.MATCH, column="match")] | None
    winner_seat: SeatNumber | None
    how: Literal["", "played", "walkover", "bye", "ruling"]
    started_at: Moment | None
    finished_at: Moment | None


class DeathMatchDoc(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two contestants meet; ``home`` is seat 0."""

    number: Number
    key: Annotated[str, msgspec.Meta(max_length=20)]
    home: ContestantNumber | None
    away: ContestantNumber | None
    best_of: Number
    status: Literal["waiting", "planned", "running", "decided", "void"]
    winner: ContestantNumber | None
    how: Literal["", "played", "walkover", "bye", "ruling"]
    home_score: Score
    away_score: Score
    why: Words
    decided_at: Moment | None
    legs: Annotated[tuple[LegDoc, ...], ROWS]


class RoundDoc(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A stage of the season."""

    number: Number
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
    is_final: bool
    status: Literal["open", "closed", "reopened"]
    ruleset: Annotated[str, msgspec.Meta(max_length=40)]
    variant: Annotated[str, msgspec.Meta(max_length=40)]
    options: dict[str, Any]
    opened_at: Moment
    closed_at: Moment | None
    episode: Annotated[EpisodeDoc | None, ROWS]
    death_matches: Annotated[tuple[DeathMatchDoc, ...], ROWS]


class Where(Part, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What something is about: a round; with ``match`` one of its death matches; with ``leg`` and
    ``attempt`` one of its legs."""

    round: Number
    match: Number | None = None
    leg: Number | None = None
    attempt: Number | None = None


class ItemEventDoc(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of an item's history."""

    kind: Literal[
        "given",
        "taken-back",
        "brought",
        "copied",
        "blocked",
        "acted",
        "no-effect",
        "spent",
        "returned",
        "expired",
    ]
    leg: Annotated[Where, place(Entity.LEG)] | None
    other: Annotated[int, mention(Entity.ITEM)] | None
    words: Words
    at: Moment


class GiftDoc(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An item that somebody was given, with its history."""

    id: Annotated[int, own(Entity.ITEM)]
    item: Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
    ruleset: Annotated[str, msgspec.Meta(max_length=40)]
    giver: ContestantNumber | None
    receiver: ContestantNumber
    death_match: Annotated[Where, place(Entity.DEATH_MATCH)] | None
    leg_number: Number | None
    note: Annotated[str, msgspec.Meta(max_length=300)]
    secret: bool = False
    revealed_at: Moment | None = None
    status: Literal["held", "spent", "taken-back", "expired"]
    given_at: Moment
    history: Annotated[tuple[ItemEventDoc, ...], ROWS]


def _entry_where_of(entry: LedgerEntry, numbers: Numbers) -> Where | None:
    """The death match that it is about, or the round."""
    if entry.death_match_id is not None:
        return cast("Where", numbers[Entity.DEATH_MATCH][entry.death_match_id])
    if entry.round_id is not None:
        return cast("Where", numbers[Entity.ROUND][entry.round_id])
    return None


class EntryDoc(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An entry of the ledger: so much goes from one to another; null is the bank. ``reverses`` is
    the entry that it takes back."""

    id: Annotated[int, own(Entity.ENTRY)]
    kind: Literal[
        "start", "won", "given", "stake", "steal", "spent", "passed", "lapse", "correction"
    ]
    unit: Literal["currency", "token"]
    amount: Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]
    payer: ContestantNumber | None
    payee: ContestantNumber | None
    secret: bool
    why: Words
    where: Annotated[Where | None, derived(_entry_where_of)]
    reverses: Annotated[int, mention(Entity.ENTRY)] | None
    at: Moment


def _data_of(event: SeasonEvent, numbers: Numbers) -> dict[str, Any]:
    data: dict[str, Any] = exchanged(event.data, described(KINDS[event.kind].payload), numbers)
    return data


def _where_of(event: SeasonEvent, numbers: Numbers) -> Where | None:
    """The narrowest of what it is about."""
    for entity, pk in (
        (Entity.LEG, event.leg_id),
        (Entity.DEATH_MATCH, event.death_match_id),
        (Entity.ROUND, event.round_id),
    ):
        if pk is not None:
            found: Where = numbers[entity][pk]
            return found
    return None


class EventDoc(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One event of the season. Numbers in ``data`` are the document's."""

    kind: EventKind
    words: Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
    data: Annotated[dict[str, Any], derived(_data_of)]
    where: Annotated[Where | None, derived(_where_of)]
    contestant: ContestantNumber | None
    at: Moment


def _format_of(_season: Season, _numbers: Numbers) -> str:
    return FORMAT


def _season_of(season: Season, numbers: Numbers) -> dict[str, Any]:
    return written(season, SeasonDoc, numbers)


class Document(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole season."""

    format: Annotated[Literal["gauntlet-season/1"], derived(_format_of)]
    season: Annotated[SeasonDoc, derived(_season_of)]
    contestants: Annotated[tuple[ContestantDoc, ...], ROWS]
    rounds: Annotated[tuple[RoundDoc, ...], ROWS]
    gifts: Annotated[tuple[GiftDoc, ...], ROWS]
    ledger: Annotated[tuple[EntryDoc, ...], ROWS] = ()
    events: Annotated[tuple[EventDoc, ...], ROWS]
