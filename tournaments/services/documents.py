"""A whole season as one JSON document (`gauntlet-season/1`) and its matches' records, in a zip; and
back again on another installation.

Nothing in the document depends on the installation: contestants, items and matches have numbers of
their own. Left out is whatever is secret or belongs to the installation: what was declared or
prepared for matches that have not begun, addresses, who entered what, the audit log. The format is
described in docs/season.md, and by `season_schema` as JSON Schema.
"""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
import structlog
from django.conf import settings
from django.db import DataError, IntegrityError, models, transaction

from accounts.models import User
from accounts.services import audit_record, users_lock
from core.refusals import Forbidden, Refusal
from games.engine import records
from games.models import Match
from games.services.matches import record_bytes, record_import
from tournaments import audience, catalogue, invariants, pictures
from tournaments.events import KINDS
from tournaments.formats.numbering import NumberedRound
from tournaments.formats.registry import format_of
from tournaments.lifecycle import (
    LegStatus,
    SeasonStatus,
    Visibility,
)
from tournaments.models import (
    Contestant,
    DeathMatch,
    Episode,
    Format,
    Gift,
    ItemEvent,
    Leg,
    Placement,
    Round,
    Season,
    SeasonEvent,
    SeasonOrganiser,
)
from tournaments.reading import Sheet
from tournaments.services import repertoire, seasons
from tournaments.services.contestants import SEED_MAX
from tournaments.services.deathmatches import BEST_OF_MAX

log = structlog.get_logger("gauntlet.seasons")

FORMAT: Final = "gauntlet-season/1"
DOCUMENT: Final = "season.json"
RECORDS: Final = "records/"
FILES_MAX: Final = 20_000
# In what pieces a zip's members are inflated, in bytes: no more than that is too much at once.
PIECE: Final = 64 * 1024
COMPRESSIONS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# Of an entry in a zip's directory. Each costs memory before any of it can be looked at.
ENTRY_MARK: Final = b"PK\x01\x02"
# What reading a zip raises that is damaged, encrypted or made to mislead.
UNREADABLE: Final = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError,
    RuntimeError, ValueError, OverflowError,
)  # fmt: skip
# Every date of a season lies in these years, also after it was brought to another time zone.
YEARS: Final = range(2000, 2200)
# How deep parts of a document are nested; free data included.
DEPTH_MAX: Final = 32
INTEGER_MAX: Final = 2**63 - 1
T = TypeVar("T")

Id = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
Small = Annotated[int, msgspec.Meta(ge=0, le=32_767)]
Number = Annotated[int, msgspec.Meta(ge=1, le=32_767)]
Score = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Words = Annotated[str, msgspec.Meta(max_length=500)]
Moment = Annotated[datetime, msgspec.Meta(tz=True)]
SeatNumber = Literal[0, 1]


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of the document. Unknown keys are refused: they would be lost."""


class GameDoc(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something to be played."""

    ruleset: Annotated[str, msgspec.Meta(max_length=40)]
    variant: Annotated[str, msgspec.Meta(max_length=40)]
    options: dict[str, Any] = {}


class SeasonDoc(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is said of the season itself."""

    uid: str
    slug: Annotated[str, msgspec.Meta(pattern=r"^[-a-z0-9_]{1,60}$")]
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
    summary: Annotated[str, msgspec.Meta(max_length=2000)] = ""
    format: Literal["elimination", "single-elimination", "round-robin", "swiss", "ladder"]
    format_options: dict[str, Any] = {}
    visibility: Literal["draft", "listed", "archived"]
    status: Literal["enrolling", "running", "finished", "cancelled"]
    open_enrolment: bool
    repertoire: tuple[GameDoc, ...] = ()
    ruleset_choice: Literal["fixed", "rotating", "lower-seed"]
    pace: Annotated[str, msgspec.Meta(max_length=20)]
    tie_breaks: tuple[str, ...] = ()
    no_show_minutes: Small
    no_show_rule: Literal["forfeit", "organiser"]
    winner: Id | None
    created_at: Moment
    started_at: Moment | None
    finished_at: Moment | None


class ContestantDoc(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Somebody in the season; ``username`` is empty for nobody's account."""

    id: Id
    username: Annotated[str, msgspec.Meta(max_length=20)] = ""
    name: Name
    seed: Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)] | None
    status: Literal["enrolled", "active", "eliminated", "withdrawn", "replaced"]
    since_round: Number
    place: Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)] | None
    replaces: Id | None
    enrolled_at: Moment
    left_at: Moment | None


class PlacementDoc(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A place in a main match."""

    contestant: Id
    place: Number
    immune: bool


class EpisodeDoc(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an elimination season's round is about."""

    status: Literal["main-match", "choosing", "death-match", "done", "skipped"]
    main_match: Annotated[str, msgspec.Meta(max_length=120)]
    notes: Annotated[str, msgspec.Meta(max_length=4000)]
    ec: Id | None
    dmo: Id | None
    choose_by: Moment | None
    expiry_told_for: Moment | None
    chosen_at: Moment | None
    placements: tuple[PlacementDoc, ...]


class LegDoc(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
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
    items: dict[str, Any] | None
    record: Id | None
    winner_seat: SeatNumber | None
    how: Literal["", "played", "walkover", "bye", "ruling"]
    started_at: Moment | None
    finished_at: Moment | None


class DeathMatchDoc(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two contestants meet; ``home`` is seat 0."""

    number: Number
    key: Annotated[str, msgspec.Meta(max_length=20)]
    home: Id | None
    away: Id | None
    best_of: Number
    status: Literal["waiting", "planned", "running", "decided", "void"]
    winner: Id | None
    how: Literal["", "played", "walkover", "bye", "ruling"]
    home_score: Score
    away_score: Score
    why: Words
    decided_at: Moment | None
    legs: tuple[LegDoc, ...]


class RoundDoc(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
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
    episode: EpisodeDoc | None
    death_matches: tuple[DeathMatchDoc, ...]


class Where(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What something is about: a round; with ``match`` one of its death matches; with ``leg`` and
    ``attempt`` one of its legs."""

    round: Number
    match: Number | None = None
    leg: Number | None = None
    attempt: Number | None = None


class ItemEventDoc(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
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
    leg: Where | None
    other: Id | None
    words: Words
    at: Moment


class GiftDoc(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An item that somebody was given, with its history."""

    id: Id
    item: Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
    ruleset: Annotated[str, msgspec.Meta(max_length=40)]
    giver: Id | None
    receiver: Id
    death_match: Where | None
    leg_number: Number | None
    note: Annotated[str, msgspec.Meta(max_length=300)]
    status: Literal["held", "spent", "taken-back", "expired"]
    given_at: Moment
    history: tuple[ItemEventDoc, ...]


class EventDoc(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One event of the season. Numbers in ``data`` are the document's."""

    kind: Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
    words: Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
    data: dict[str, Any]
    where: Where | None
    contestant: Id | None
    at: Moment


class Document(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole season."""

    format: Literal["gauntlet-season/1"]
    season: SeasonDoc
    contestants: tuple[ContestantDoc, ...]
    rounds: tuple[RoundDoc, ...]
    gifts: tuple[GiftDoc, ...]
    events: tuple[EventDoc, ...]


def season_schema() -> dict[str, Any]:
    """JSON Schema of the document."""
    schema = msgspec.json.decode(msgspec.json.encode(msgspec.json.schema(Document)))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A season of Gauntlet",
        **schema,
    }


# -- numbers in free data ------------------------------------------------------------------------

# Which keys of an event's data, and of what a leg says of its items, hold ids of what.
_CONTESTANT_KEYS: Final = frozenset({
    "contestant", "winner", "loser", "home", "away", "ec", "dmo", "giver", "receiver", "replaces",
    "immune", "absent",
})  # fmt: skip
_GIFT_KEYS: Final = frozenset({"gift", "gifts", "by", "target"})
_MATCH_KEYS: Final = frozenset({"match"})


class _Ids:
    """How ids become other ids, for each kind of thing. What is not known becomes None."""

    def __init__(
        self,
        contestants: Mapping[int, int],
        gifts: Mapping[int, int],
        matches: Mapping[int, int],
    ) -> None:
        self.tables = (
            (_CONTESTANT_KEYS, contestants),
            (_GIFT_KEYS, gifts),
            (_MATCH_KEYS, matches),
        )

    def of(self, data: Any, key: str = "") -> Any:
        """``data`` with every id in it exchanged."""
        if isinstance(data, Mapping):
            return {name: self.of(value, name) for name, value in data.items()}
        if isinstance(data, list | tuple):
            return [self.of(value, key) for value in data]
        if isinstance(data, int) and not isinstance(data, bool):
            for keys, table in self.tables:
                if key in keys:
                    return table.get(data)
        return data


# -- out -----------------------------------------------------------------------------------------


def season_export(*, season: Season) -> bytes:
    """The document of a season, as JSON text in UTF-8, alike for alike seasons byte for byte.

    Whoever calls it has seen to the right to (`audience.may_manage`). Raises Refusal
    ``document.leg-running`` while a match is being played: its record would tell too much.
    """
    with transaction.atomic():
        season = seasons.season_locked(season.pk, changes=False)
        return msgspec.json.format(msgspec.json.encode(_document_of(season)), indent=1)


def season_records(*, season: Season) -> bytes:
    """The document and the record of every match, as a zip. Refusals as `season_export`."""
    with transaction.atomic():
        season = seasons.season_locked(season.pk, changes=False)
        document = msgspec.json.format(msgspec.json.encode(_document_of(season)), indent=1)
        numbers = _match_numbers(season)
        matches = Match.objects.in_bulk(numbers)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        _added(archive, DOCUMENT, document)
        for pk, number in sorted(numbers.items(), key=lambda pair: pair[1]):
            _added(archive, record_name(number), record_bytes(matches[pk]))
    return out.getvalue()


def record_name(number: int) -> str:
    """Where in the zip the record of a match is."""
    return f"{RECORDS}{number}{records.SUFFIX}"


def _added(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    # With a fixed date, so that the same season gives the same zip.
    info = zipfile.ZipInfo(name, date_time=(2000, 1, 1, 0, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data)


def _legs_in_order(season: Season) -> models.QuerySet[Leg]:
    return Leg.objects.filter(death_match__round__season=season).order_by(
        "death_match__round__number", "death_match__number", "number", "attempt"
    )


def _match_numbers(season: Season) -> dict[int, int]:
    """The number in the document of every match, by its id."""
    pks = _legs_in_order(season).exclude(match=None).values_list("match", flat=True)
    return {pk: number for number, pk in enumerate(pks, start=1) if pk is not None}


def _document_of(season: Season) -> Document:
    if _legs_in_order(season).filter(status=LegStatus.RUNNING).exists():
        raise Refusal(
            "document.leg-running", "A match of this season is being played: wait for its end."
        )
    people = list(season.contestants.select_related("user").order_by("pk"))
    gifts = list(season.gifts.order_by("pk").prefetch_related("history"))
    contestant_ids = {each.pk: number for number, each in enumerate(people, start=1)}
    gift_ids = {each.pk: number for number, each in enumerate(gifts, start=1)}
    matches = _match_numbers(season)
    ids = _Ids(contestant_ids, gift_ids, matches)
    rounds = list(
        season.rounds.order_by("number").prefetch_related(
            models.Prefetch("death_matches", DeathMatch.objects.order_by("number")),
            models.Prefetch("death_matches__legs", Leg.objects.order_by("number", "attempt")),
        )
    )
    episodes = {
        each.round_id: each
        for each in Episode.objects.filter(round__season=season).prefetch_related("placements")
    }
    wheres = _Wheres(rounds)
    return Document(
        format=FORMAT,
        season=_season_doc(season, contestant_ids),
        contestants=tuple(_contestant_doc(each, contestant_ids) for each in people),
        rounds=tuple(
            _round_doc(each, episodes.get(each.pk), contestant_ids, matches, ids) for each in rounds
        ),
        gifts=tuple(_gift_doc(each, contestant_ids, gift_ids, wheres) for each in gifts),
        events=tuple(
            EventDoc(
                kind=each.kind,
                words=each.words,
                data=ids.of(each.data),
                where=wheres.of(each.round_id, each.death_match_id, each.leg_id),
                contestant=contestant_ids.get(each.contestant_id or 0),
                at=_utc(each.at),
            )
            for each in season.events.order_by("pk")
        ),
    )


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


def _utc_or_none(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(UTC)


class _Wheres:
    """Where rounds, death matches and legs are, by their ids."""

    def __init__(self, rounds: list[Round]) -> None:
        self.rounds = {each.pk: Where(round=each.number) for each in rounds}
        self.matches: dict[int, Where] = {}
        self.legs: dict[int, Where] = {}
        for played in rounds:
            for each in played.death_matches.all():
                self.matches[each.pk] = Where(round=played.number, match=each.number)
                for leg in each.legs.all():
                    self.legs[leg.pk] = Where(
                        round=played.number,
                        match=each.number,
                        leg=leg.number,
                        attempt=leg.attempt,
                    )

    def of(self, round_id: int | None, match_id: int | None, leg_id: int | None) -> Where | None:
        """The narrowest of what is given."""
        if leg_id is not None:
            return self.legs[leg_id]
        if match_id is not None:
            return self.matches[match_id]
        return None if round_id is None else self.rounds[round_id]


def _season_doc(season: Season, contestant_ids: Mapping[int, int]) -> SeasonDoc:
    return msgspec.convert(
        {
            "uid": str(season.uid),
            "slug": season.slug,
            "name": season.name,
            "summary": season.summary,
            "format": season.format,
            "format_options": season.format_options,
            "visibility": season.visibility,
            "status": season.status,
            "open_enrolment": season.open_enrolment,
            "repertoire": season.repertoire,
            "ruleset_choice": season.ruleset_choice,
            "pace": season.pace,
            "tie_breaks": season.tie_breaks,
            "no_show_minutes": season.no_show_minutes,
            "no_show_rule": season.no_show_rule,
            "winner": contestant_ids.get(season.winner_id or 0),
            "created_at": _utc(season.created_at),
            "started_at": _utc_or_none(season.started_at),
            "finished_at": _utc_or_none(season.finished_at),
        },
        SeasonDoc,
    )


def _contestant_doc(each: Contestant, ids: Mapping[int, int]) -> ContestantDoc:
    return msgspec.convert(
        {
            "id": ids[each.pk],
            "username": each.user.username if each.user else "",
            "name": each.name,
            "seed": each.seed,
            "status": each.status,
            "since_round": each.since_round,
            "place": each.place,
            "replaces": ids.get(each.replaces_id or 0),
            "enrolled_at": _utc(each.enrolled_at),
            "left_at": _utc_or_none(each.left_at),
        },
        ContestantDoc,
    )


def _round_doc(
    played: Round,
    episode: Episode | None,
    people: Mapping[int, int],
    matches: Mapping[int, int],
    ids: _Ids,
) -> RoundDoc:
    return msgspec.convert(
        {
            "number": played.number,
            "name": played.name,
            "is_final": played.is_final,
            "status": played.status,
            "ruleset": played.ruleset,
            "variant": played.variant,
            "options": played.options,
            "opened_at": _utc(played.opened_at),
            "closed_at": _utc_or_none(played.closed_at),
            "episode": None if episode is None else _episode_doc(episode, people),
            "death_matches": [
                _death_match_doc(each, people, matches, ids) for each in played.death_matches.all()
            ],
        },
        RoundDoc,
    )


def _episode_doc(episode: Episode, people: Mapping[int, int]) -> EpisodeDoc:
    return msgspec.convert(
        {
            "status": episode.status,
            "main_match": episode.main_match,
            "notes": episode.notes,
            "ec": people.get(episode.ec_id or 0),
            "dmo": people.get(episode.dmo_id or 0),
            "choose_by": _utc_or_none(episode.choose_by),
            "expiry_told_for": _utc_or_none(episode.expiry_told_for),
            "chosen_at": _utc_or_none(episode.chosen_at),
            "placements": [
                {
                    "contestant": people[each.contestant_id],
                    "place": each.place,
                    "immune": each.immune,
                }
                for each in sorted(
                    episode.placements.all(), key=lambda each: (each.place, each.contestant_id)
                )
            ],
        },
        EpisodeDoc,
    )


def _death_match_doc(
    each: DeathMatch, people: Mapping[int, int], matches: Mapping[int, int], ids: _Ids
) -> DeathMatchDoc:
    return msgspec.convert(
        {
            "number": each.number,
            "key": each.key,
            "home": people.get(each.home_id or 0),
            "away": people.get(each.away_id or 0),
            "best_of": each.best_of,
            "status": each.status,
            "winner": people.get(each.winner_id or 0),
            "how": each.how,
            "home_score": each.home_score,
            "away_score": each.away_score,
            "why": each.why,
            "decided_at": _utc_or_none(each.decided_at),
            "legs": [
                {
                    "number": leg.number,
                    "attempt": leg.attempt,
                    "status": leg.status,
                    "ruleset": leg.ruleset,
                    "variant": leg.variant,
                    "options": leg.options,
                    "advantage": leg.advantage,
                    "scheduled_at": _utc_or_none(leg.scheduled_at),
                    "no_show_at": _utc_or_none(leg.no_show_at),
                    "items": ids.of(leg.items),
                    "record": matches.get(leg.match_id or 0),
                    "winner_seat": leg.winner_seat,
                    "how": leg.how,
                    "started_at": _utc_or_none(leg.started_at),
                    "finished_at": _utc_or_none(leg.finished_at),
                }
                for leg in each.legs.all()
            ],
        },
        DeathMatchDoc,
    )


def _gift_doc(
    gift: Gift, people: Mapping[int, int], gifts: Mapping[int, int], wheres: _Wheres
) -> GiftDoc:
    return msgspec.convert(
        {
            "id": gifts[gift.pk],
            "item": gift.item,
            "ruleset": gift.ruleset,
            "giver": people.get(gift.giver_id or 0),
            "receiver": people[gift.receiver_id],
            "death_match": wheres.of(None, gift.death_match_id, None),
            "leg_number": gift.leg_number,
            "note": gift.note,
            "status": gift.status,
            "given_at": _utc(gift.given_at),
            "history": [
                {
                    "kind": event.kind,
                    "leg": wheres.of(None, None, event.leg_id),
                    "other": gifts.get(event.other_id or 0),
                    "words": event.words,
                    "at": _utc(event.at),
                }
                for event in sorted(gift.history.all(), key=lambda event: event.pk)
            ],
        },
        GiftDoc,
    )


# -- in ------------------------------------------------------------------------------------------


@transaction.atomic
def season_import(
    *, acting_user: User, data: bytes, match_accounts: bool = False, at: datetime | None = None
) -> Season:
    """Restore a season from its zip, or from its document alone where no match was played.

    ``acting_user`` becomes its organiser. ``match_accounts``: contestants become those of the
    accounts here that have their usernames; otherwise (and where there is none) they are names.
    All of it or nothing. Refusals say where: ``document.not-allowed``, ``document.too-large``,
    ``document.malformed``, ``document.wrong`` (parts that contradict one another),
    ``document.record-missing``, ``document.exists`` (this very season is here already),
    ``record.*``, ``format.*``, ``setup.*``, ``standings.*``, and, for settings that no season can
    have, those of `seasons.season_update`.
    """
    acting_user = users_lock([acting_user])[acting_user.pk]
    if not audience.may_create_season(acting_user):
        raise Forbidden("document.not-allowed", "Only organisers may import seasons.")
    text, files = _unpacked(data)
    try:
        document = msgspec.json.decode(text, type=Document)
        nul = "\\u0000" in text.decode() or b"\x00" in text
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise Refusal("document.malformed", f"This is not a season's document: {error}.") from None
    if nul:
        raise Refusal("document.malformed", "A season's document has no NUL characters.")
    _must_be_storable(document)
    try:
        # What the checks below have not found, the database's constraints do.
        with transaction.atomic():
            season = _Restoring(acting_user, document, files, match_accounts).run()
    except (IntegrityError, DataError) as error:
        name = getattr(getattr(error.__cause__, "diag", None), "constraint_name", None)
        which = f" ({name})" if name else ""
        raise Refusal(
            "document.wrong", f"Parts of this document contradict one another{which}."
        ) from error
    audit_record(
        acting_user=acting_user,
        action="season.import",
        target=season,
        data={"uid": document.season.uid, "matched": match_accounts},
    )
    return season


def _unpacked(data: bytes) -> tuple[bytes, dict[str, bytes]]:
    """The document and the other files of a zip; a file that is no zip is the document."""
    most = settings.GAUNTLET_SEASON_MAX_BYTES
    if len(data) > most:
        raise _too_large()
    if not data.startswith(b"PK"):
        return data, {}
    if data.count(ENTRY_MARK) > FILES_MAX:
        raise _too_large()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            files = _inflated(archive, most)
    except UNREADABLE as error:
        raise Refusal("document.malformed", f"This zip cannot be read: {error}.") from None
    if DOCUMENT not in files:
        raise Refusal("document.malformed", f"There is no {DOCUMENT} in this zip.")
    return files.pop(DOCUMENT), files


def _inflated(archive: zipfile.ZipFile, most: int) -> dict[str, bytes]:
    """The files of a zip, at most so many bytes of all of them together. What a zip says of its
    sizes may be wrong, so that what comes out is counted too."""
    infos = [info for info in archive.infolist() if not info.is_dir()]
    if len(infos) > FILES_MAX or sum(info.file_size for info in infos) > most:
        raise _too_large()
    if len({info.filename for info in infos}) < len(infos):
        raise Refusal("document.malformed", "Two files in this zip have the same name.")
    files: dict[str, bytes] = {}
    for info in infos:
        if info.compress_type not in COMPRESSIONS:
            raise Refusal(
                "document.malformed", f"{info.filename} is compressed by an unknown method."
            )
        whole = bytearray()
        with archive.open(info) as member:
            while piece := member.read(PIECE):
                whole += piece
                most -= len(piece)
                if most < 0:
                    raise _too_large()
        files[info.filename] = bytes(whole)
    return files


def _too_large() -> Refusal:
    return Refusal("document.too-large", "This file is too large for a season.")


def _must_be_storable(value: Any, where: str = "", depth: int = 0) -> None:
    """Refuse what the database would not take, or would not give back: dates far away, whole
    numbers without end, halves of characters, data nested too deeply."""
    if depth > DEPTH_MAX:
        raise Refusal("document.wrong", f"At {where}: this is nested too deeply.")
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            here = f"{where}.{name}" if where else name
            _must_be_storable(getattr(value, name), here, depth + 1)
    elif isinstance(value, Mapping):
        for name, each in value.items():
            _must_be_storable(name, where, depth + 1)
            _must_be_storable(each, f"{where}.{name}", depth + 1)
    elif isinstance(value, list | tuple):
        for index, each in enumerate(value):
            _must_be_storable(each, f"{where}[{index}]", depth + 1)
    elif (fault := _fault_of(value)) is not None:
        raise Refusal("document.wrong", f"At {where}: {fault}.")


def _fault_of(value: Any) -> str | None:
    if isinstance(value, datetime) and not _near(value):
        return f"a season's dates are of the years {YEARS[0]} to {YEARS[-1]}"
    if isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
        return "this is half a character"
    if isinstance(value, int) and abs(value) > INTEGER_MAX:
        return "this number is too large"
    return None


def _near(moment: datetime) -> bool:
    try:
        return moment.astimezone(UTC).year in YEARS
    except OverflowError:
        return False


class _Restoring:
    """One import: the rows of a document, from the outside in."""

    def __init__(
        self,
        acting_user: User,
        document: Document,
        files: Mapping[str, bytes],
        match_accounts: bool,
    ) -> None:
        self.user = acting_user
        self.document = document
        self.files = files
        self.match_accounts = match_accounts
        self.people: dict[int, Contestant] = {}
        self.gifts: dict[int, Gift] = {}
        self.rounds: dict[Where, Round] = {}
        self.meetings: dict[Where, DeathMatch] = {}
        self.legs: dict[Where, Leg] = {}
        self.matches: dict[int, Match] = {}

    def run(self) -> Season:
        """Restore everything."""
        self.season = self._season()
        self._contestants()
        self._gifts_made()
        for index, each in enumerate(self.document.rounds):
            self._round(each, f"rounds[{index}]")
        for index, gift in enumerate(self.document.gifts):
            self._gift_linked(gift, f"gifts[{index}]")
        self._items_translated()
        self._events()
        doc = self.document.season
        if doc.winner is not None:
            self.season.winner = self._person(doc.winner, "season.winner")
        self.season.status = doc.status
        self.season.started_at = doc.started_at
        self.season.finished_at = doc.finished_at
        self.season.visibility = doc.visibility
        self.season.save()
        self._rounds_fit()
        _must_hold(self.season)
        return self.season

    def _wrong(self, where: str, fault: str) -> Refusal:
        return Refusal("document.wrong", f"At {where}: {fault}.")

    def _rounds_fit(self) -> None:
        """Rounds and pairings are numbered and named as the format does it: what comes next is
        found by counting them."""
        numbers = sorted(each.number for each in self.document.rounds)
        if numbers != list(range(1, len(numbers) + 1)):
            raise self._wrong("rounds", "rounds are numbered from 1 without gaps")
        if numbers and self.season.status == SeasonStatus.ENROLLING:
            raise self._wrong("rounds", "a season that has not begun has no rounds")
        if numbers or self.season.status in (SeasonStatus.RUNNING, SeasonStatus.FINISHED):
            rounds = [
                NumberedRound(
                    row.number, tuple((each.number, each.key) for each in row.death_matches)
                )
                for row in self.document.rounds
            ]
            format_of(self.season.format).must_number(season=self.season, rounds=rounds)

    def _person(self, number: int | None, where: str) -> Contestant:
        return self._known(self.people, number, where, "contestant")

    def _person_or_none(self, number: int | None, where: str) -> Contestant | None:
        return None if number is None else self._person(number, where)

    def _known(self, table: Mapping[Any, T], key: Any, where: str, what: str) -> T:
        if key not in table:
            raise Refusal("document.wrong", f"At {where}: there is no such {what}.")
        return table[key]

    def _checked(self, where: str, check: Callable[[], object]) -> None:
        try:
            check()
        except Refusal as refusal:
            raise refusal.reworded(f"At {where}: {refusal.sentence}") from refusal

    def _season(self) -> Season:
        doc = self.document.season
        given = {
            field: self._setting(doc, field)
            for field in (
                "format_options", "name", "summary", "open_enrolment", "repertoire",
                "ruleset_choice", "pace", "tie_breaks", "no_show_minutes", "no_show_rule",
            )
        }  # fmt: skip
        try:
            uid = Season._meta.get_field("uid").to_python(doc.uid)
        except Exception as error:
            raise Refusal("document.wrong", "At season.uid: this is no UUID.") from error
        if Season.objects.filter(uid=uid).exists():
            raise Refusal("document.exists", "This season is on this site already.")
        self._state_fits(doc)
        taken = Season.objects.filter(slug=doc.slug).exists()
        season = Season.objects.create(
            uid=uid,
            slug=seasons.free_slug(doc.name) if taken else doc.slug,
            format=doc.format,
            visibility=Visibility.LISTED,
            created_by=self.user,
            created_at=doc.created_at,
            **given,
        )
        SeasonOrganiser.objects.create(season=season, user=self.user)
        return season

    def _state_fits(self, doc: SeasonDoc) -> None:
        """How far the season is, its times, its winner and who sees it go together."""
        begun, over = doc.started_at is not None, doc.finished_at is not None
        status = SeasonStatus(doc.status)
        if (
            begun != (status in (SeasonStatus.RUNNING, SeasonStatus.FINISHED))
            and status != SeasonStatus.CANCELLED
        ):
            raise self._wrong("season.started_at", "a season that has begun says when, others not")
        if over != (status in (SeasonStatus.FINISHED, SeasonStatus.CANCELLED)):
            raise self._wrong("season.finished_at", "a season that is over says when, others not")
        if Visibility(doc.visibility) is Visibility.DRAFT and begun:
            raise self._wrong("season.visibility", "a season that has begun is no draft any more")
        if doc.winner is not None and status != SeasonStatus.FINISHED:
            raise self._wrong("season.winner", "only a season that is finished has a winner")

    def _setting(self, doc: SeasonDoc, field: str) -> Any:
        """A setting, as an organiser could have made it."""
        value = msgspec.to_builtins(getattr(doc, field))
        found: dict[str, Any] = {}
        self._checked(
            f"season.{field}",
            lambda: found.update(seasons.settings_checked(doc.format, {field: value})),
        )
        return found[field]

    def _contestants(self) -> None:
        names = [each.username for each in self.document.contestants if each.username]
        users = (
            {user.username: user for user in User.objects.filter(username__in=names)}
            if self.match_accounts
            else {}
        )
        if len(self.document.contestants) > SEED_MAX:
            raise self._wrong("contestants", f"a season has at most {SEED_MAX} of them")
        for index, doc in enumerate(self.document.contestants):
            if doc.id in self.people:
                raise Refusal(
                    "document.wrong", f"At contestants[{index}]: the number {doc.id} is taken."
                )
            self.people[doc.id] = Contestant.objects.create(
                season=self.season,
                user=users.get(doc.username),
                name=doc.name,
                seed=doc.seed,
                status=doc.status,
                since_round=doc.since_round,
                place=doc.place,
                enrolled_at=doc.enrolled_at,
                left_at=doc.left_at,
            )
        for index, doc in enumerate(self.document.contestants):
            if doc.replaces is not None:
                contestant = self.people[doc.id]
                contestant.replaces = self._person(doc.replaces, f"contestants[{index}].replaces")
                contestant.save(update_fields=["replaces"])
        self._must_end()

    def _must_end(self) -> None:
        """Nobody took over, in the end, from themselves: places are found by following this."""
        before = {each.id: each.replaces for each in self.document.contestants}
        sound: set[int] = set()
        for number in before:
            way: set[int] = set()
            at: int | None = number
            while at is not None and at not in sound:
                if at in way:
                    raise self._wrong("contestants", "somebody took over from themselves")
                way.add(at)
                at = before[at]
            sound |= way

    def _gifts_made(self) -> None:
        for index, doc in enumerate(self.document.gifts):
            where = f"gifts[{index}]"
            if doc.id in self.gifts:
                raise Refusal("document.wrong", f"At {where}: the number {doc.id} is taken.")
            self._checked(where, lambda doc=doc: catalogue.item_of(doc.item, doc.ruleset))  # type: ignore[misc]
            self.gifts[doc.id] = Gift.objects.create(
                season=self.season,
                item=doc.item,
                ruleset=doc.ruleset,
                giver=self._person_or_none(doc.giver, f"{where}.giver"),
                receiver=self._person(doc.receiver, f"{where}.receiver"),
                note=doc.note,
                status=doc.status,
                given_at=doc.given_at,
                given_by=self.user,
            )

    def _round(self, doc: RoundDoc, where: str) -> None:
        here = Where(round=doc.number)
        if here in self.rounds:
            raise Refusal("document.wrong", f"At {where}: the number {doc.number} is taken.")
        self._game_checked(doc, where)
        played = self.rounds[here] = Round.objects.create(
            season=self.season,
            number=doc.number,
            name=doc.name,
            is_final=doc.is_final,
            status=doc.status,
            ruleset=doc.ruleset,
            variant=doc.variant,
            options=doc.options,
            opened_at=doc.opened_at,
            closed_at=doc.closed_at,
        )
        if doc.episode is not None:
            self._episode(played, doc.episode, f"{where}.episode")
        for index, each in enumerate(doc.death_matches):
            self._death_match(played, each, f"{where}.death_matches[{index}]")

    def _game_checked(self, doc: RoundDoc | LegDoc, where: str) -> None:
        if doc.ruleset:
            game = {"ruleset": doc.ruleset, "variant": doc.variant, "options": doc.options}
            self._checked(where, lambda: repertoire.game_checked(game))
        elif doc.options:
            raise self._wrong(where, "there are options, and nothing is played")

    def _episode(self, played: Round, doc: EpisodeDoc, where: str) -> None:
        episode = Episode.objects.create(
            round=played,
            status=doc.status,
            main_match=doc.main_match,
            notes=doc.notes,
            ec=self._person_or_none(doc.ec, f"{where}.ec"),
            dmo=self._person_or_none(doc.dmo, f"{where}.dmo"),
            choose_by=doc.choose_by,
            expiry_told_for=doc.expiry_told_for,
            chosen_at=doc.chosen_at,
        )
        Placement.objects.bulk_create(
            Placement(
                episode=episode,
                contestant=self._person(each.contestant, f"{where}.placements[{index}]"),
                place=each.place,
                immune=each.immune,
            )
            for index, each in enumerate(doc.placements)
        )

    def _death_match(self, played: Round, doc: DeathMatchDoc, where: str) -> None:
        here = Where(round=played.number, match=doc.number)
        if here in self.meetings:
            raise Refusal("document.wrong", f"At {where}: the number {doc.number} is taken.")
        if doc.best_of % 2 == 0 or doc.best_of > BEST_OF_MAX:
            raise self._wrong(f"{where}.best_of", f"an odd number, from 1 to {BEST_OF_MAX}")
        meeting = self.meetings[here] = DeathMatch.objects.create(
            round=played,
            number=doc.number,
            key=doc.key,
            home=self._person_or_none(doc.home, f"{where}.home"),
            away=self._person_or_none(doc.away, f"{where}.away"),
            best_of=doc.best_of,
            status=doc.status,
            winner=self._person_or_none(doc.winner, f"{where}.winner"),
            how=doc.how,
            home_score=doc.home_score,
            away_score=doc.away_score,
            why=doc.why,
            decided_at=doc.decided_at,
        )
        for index, each in enumerate(doc.legs):
            self._leg(meeting, each, here, f"{where}.legs[{index}]")

    def _leg(self, meeting: DeathMatch, doc: LegDoc, at: Where, where: str) -> None:
        here = msgspec.structs.replace(at, leg=doc.number, attempt=doc.attempt)
        if here in self.legs:
            raise Refusal("document.wrong", f"At {where}: there is another with these numbers.")
        if doc.number > meeting.best_of:
            raise self._wrong(where, f"there are at most {meeting.best_of} matches here")
        if LegStatus(doc.status) is LegStatus.PLANNED and doc.record is not None:
            raise self._wrong(where, "what is still to be played has no record")
        self._game_checked(doc, where)
        match = None if doc.record is None else self._record(doc, doc.record, where)
        self.legs[here] = Leg.objects.create(
            death_match=meeting,
            number=doc.number,
            attempt=doc.attempt,
            status=doc.status,
            ruleset=doc.ruleset,
            variant=doc.variant,
            options=doc.options,
            advantage=doc.advantage,
            scheduled_at=doc.scheduled_at,
            no_show_at=doc.no_show_at,
            items=doc.items,
            match=match,
            winner_seat=doc.winner_seat,
            how=doc.how,
            started_at=doc.started_at,
            finished_at=doc.finished_at,
        )

    def _record(self, doc: LegDoc, number: int, where: str) -> Match:
        name = record_name(number)
        if name not in self.files:
            raise Refusal("document.record-missing", f"At {where}: there is no {name}.")
        if number in self.matches:
            raise Refusal("document.wrong", f"At {where}: {name} belongs to another match.")
        try:
            match = record_import(acting_user=self.user, data=self.files[name])
        except Refusal as refusal:
            raise refusal.reworded(f"In {name}: {refusal.sentence}") from refusal
        if (match.ruleset, match.variant) != (doc.ruleset, doc.variant):
            raise Refusal("document.wrong", f"At {where}: {name} is of another game.")
        if doc.how == "played" and match.winner != doc.winner_seat:
            raise Refusal("document.wrong", f"At {where}: {name} has another winner.")
        self.matches[number] = match
        return match

    def _gift_linked(self, doc: GiftDoc, where: str) -> None:
        gift = self.gifts[doc.id]
        if doc.death_match is not None:
            gift.death_match = self._known(
                self.meetings, doc.death_match, f"{where}.death_match", "death match"
            )
        gift.leg_number = doc.leg_number
        gift.save(update_fields=["death_match", "leg_number"])
        for index, event in enumerate(doc.history):
            at = f"{where}.history[{index}]"
            ItemEvent.objects.create(
                gift=gift,
                kind=event.kind,
                leg=None if event.leg is None else self._known(self.legs, event.leg, at, "match"),
                other=None
                if event.other is None
                else self._known(self.gifts, event.other, at, "item"),
                words=event.words,
                at=event.at,
            )

    def _ids(self) -> _Ids:
        return _Ids(
            {number: each.pk for number, each in self.people.items()},
            {number: each.pk for number, each in self.gifts.items()},
            {number: each.pk for number, each in self.matches.items()},
        )

    def _items_translated(self) -> None:
        ids = self._ids()
        for where, leg in self.legs.items():
            if leg.items is not None:
                _must_be_items(leg.items, where)
                leg.items = ids.of(leg.items)
                leg.save(update_fields=["items"])

    def _events(self) -> None:
        ids = self._ids()
        rows = []
        for index, doc in enumerate(self.document.events):
            at = f"events[{index}]"
            if doc.kind not in KINDS:
                raise self._wrong(f"{at}.kind", "there is no such kind of event")
            if not _is_time_or_none(doc.data.get("at")):
                raise self._wrong(f"{at}.data.at", "this is no time, with its time zone")
            leg = meeting = played = None
            if doc.where is not None:
                here = doc.where
                if here.leg is not None:
                    leg = self._known(self.legs, here, at, "match")
                if here.match is not None:
                    key = Where(round=here.round, match=here.match)
                    meeting = self._known(self.meetings, key, at, "death match")
                played = self._known(self.rounds, Where(round=here.round), at, "round")
            rows.append(
                SeasonEvent(
                    season=self.season,
                    kind=doc.kind,
                    words=doc.words,
                    data=ids.of(doc.data),
                    round=played,
                    death_match=meeting,
                    leg=leg,
                    contestant=self._person_or_none(doc.contestant, at),
                    at=doc.at,
                )
            )
        SeasonEvent.objects.bulk_create(rows)


def _is_time_or_none(stated: Any) -> bool:
    """Whether this is what events say of when something is: nothing, or ISO 8601 with an offset."""
    if stated is None:
        return True
    try:
        moment = datetime.fromisoformat(stated)
    except (TypeError, ValueError):
        return False
    return moment.tzinfo is not None and _near(moment)


def _must_hold(season: Season) -> None:
    """Refuse a season that pages could not show, or in which something is not as it always is.

    Everything that the season's pages derive from its rows is derived once: a contradiction that
    nothing above has found would break them for whoever looks.
    """
    try:
        with transaction.atomic():
            _derived(season)
            faults = invariants.faults_of(season, lenient=True)
    except Exception as error:
        log.exception("import.contradiction", season=season.pk)
        raise Refusal("document.wrong", "Parts of this document contradict one another.") from error
    if faults:
        raise Refusal("document.wrong", f"This season cannot be: {faults[0]}.")


def _derived(season: Season) -> None:
    sheet = Sheet(Season.objects.get(pk=season.pk))
    for part in (
        "by_standing", "by_round", "planned", "decided", "table", "bracket", "ladder",
        "cross_table", "gifts", "live_matches",
    ):  # fmt: skip
        getattr(sheet, part)
    if season.format == Format.ELIMINATION:
        pictures.timeline(sheet)
    pictures.bracket_drawing(sheet)
    pictures.season_picture(sheet)


class _UseDoc(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    gift: Id
    seat: SeatNumber
    item: str
    target: Id | None


class _StepDoc(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    what: str
    gift: Id | None
    by: Id
    words: str


class _ItemsDoc(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    brought: tuple[_UseDoc, ...]
    steps: tuple[_StepDoc, ...]
    held: tuple[tuple[str, ...], tuple[str, ...]]


def _must_be_items(items: Mapping[str, Any], where: Where) -> None:
    try:
        msgspec.convert(items, _ItemsDoc)
    except msgspec.ValidationError as error:
        raise Refusal(
            "document.wrong",
            f"Round {where.round}, death match {where.match}, leg {where.leg}: items: {error}.",
        ) from None
