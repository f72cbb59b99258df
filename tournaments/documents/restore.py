"""Seasons in: all of a document's rows, or nothing."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import datetime
from itertools import count
from typing import Any

import msgspec
from django.db import DataError, IntegrityError, transaction

from accounts.models import User
from accounts.services import audit_record, users_lock
from core.refusals import Forbidden, Refusal, allowed
from games.models import Match
from games.services.matches import record_import
from tournaments import audience
from tournaments.documents import archive
from tournaments.documents.bounds import must_be_storable
from tournaments.documents.checks import (
    must_be_described,
    must_be_items,
    must_be_playable,
    must_be_scores,
    must_end,
    must_fit_its_state,
    must_pass,
)
from tournaments.documents.fields import KnownRows, fields_of
from tournaments.documents.holding import must_hold
from tournaments.documents.parts import (
    DeathMatchDoc,
    Document,
    EntryDoc,
    EpisodeDoc,
    EventDoc,
    GiftDoc,
    LegDoc,
    RoundDoc,
    ScoresDoc,
    SeasonDoc,
    Where,
)
from tournaments.events.kinds import KINDS
from tournaments.events.references import Entity, described, exchanged
from tournaments.formats.numbering import NumberedRound, wrong
from tournaments.formats.registry import format_of
from tournaments.items import catalogue
from tournaments.lifecycle import LegStatus, SeasonStatus, Visibility
from tournaments.models import (
    Contestant,
    DeathMatch,
    Episode,
    Gift,
    ItemEvent,
    LedgerEntry,
    Leg,
    Placement,
    Round,
    ScoreRow,
    ScoreTable,
    Season,
    SeasonEvent,
    SeasonOrganiser,
)
from tournaments.rights import Role
from tournaments.services import seasons
from tournaments.services.contestants.names import Names
from tournaments.services.contestants.seeds import SEED_MAX
from tournaments.services.deathmatches import BEST_OF_MAX


@transaction.atomic
def season_import(
    *,
    acting_user: User,
    data: bytes,
    match_accounts: bool = False,
    beside: bool = False,
    at: datetime | None = None,
) -> Season:
    """Restore a season from its zip, or from its document alone where no match was played.

    ``acting_user`` becomes its organiser. ``match_accounts``: contestants become those of the
    accounts here that have their usernames; otherwise they are names, as they are where there is no
    such account, or where it could not be enrolled under that name (`names.Names`). ``beside``: if
    this very season is here already it stays as it is, and a copy of it is made, which has an
    identity of its own and says in its name that it is one. All of it or nothing.

    Raises Refusal, which says where, ``document.not-allowed``, ``document.too-large``,
    ``document.malformed``, ``document.wrong`` (parts that contradict one another),
    ``document.record-missing``, ``document.exists`` (this very season is here already, and
    ``beside`` was not asked for), ``record.*``, ``format.*``, ``setup.*``, ``standings.*``, and,
    for settings that no season can have, as `seasons.season_update` does.
    """
    acting_user = users_lock([acting_user])[acting_user.pk]
    must_be_allowed_to_import(acting_user)
    text, files = archive.unpacked(data)
    document = _read(text)
    must_be_storable(document)
    try:
        # What the checks below have not found, the database's constraints do.
        with transaction.atomic():
            season = _Restoring(
                acting_user, document, files, match_accounts=match_accounts, beside=beside
            ).run()
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
        data={
            "uid": document.season.uid,
            "matched": match_accounts,
            "copy": str(season.uid) != document.season.uid,
        },
    )
    return season


def must_be_allowed_to_import(acting_user: User) -> None:
    """Raises Refusal ``document.not-allowed``."""
    if not audience.may_create_season(acting_user):
        raise Forbidden("document.not-allowed", "Only organisers may import seasons.")


def _read(text: bytes) -> Document:
    try:
        document = msgspec.json.decode(text, type=Document)
        nul = "\\u0000" in text.decode() or b"\x00" in text
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise Refusal("document.malformed", f"This is not a season's document: {error}.") from None
    if nul:
        raise Refusal("document.malformed", "A season's document has no NUL characters.")
    return document


def _copy_name(name: str) -> str:
    """What a copy of a season of that name is called."""
    for number in count(1):
        mark = " (copy)" if number == 1 else f" (copy {number})"
        called = f"{name[: seasons.NAME_MAX - len(mark)].rstrip()}{mark}"
        if not Season.objects.filter(name=called).exists():
            return called
    raise AssertionError("numbers have no end")


def _bearer(name: str, user: User | None, bearable: Names) -> User | None:
    """The account that a name is linked to: none, where it would pass for somebody else's."""
    if user is None or not allowed(bearable.of, name, user):
        return None
    return user


class _Restoring:
    """One import: the rows of a document, from the outside in."""

    def __init__(
        self,
        acting_user: User,
        document: Document,
        files: Mapping[str, bytes],
        *,
        match_accounts: bool,
        beside: bool,
    ) -> None:
        self.user = acting_user
        self.document = document
        self.files = files
        self.match_accounts = match_accounts
        self.beside = beside
        self.known = KnownRows()
        self.with_items: list[tuple[Leg, LegDoc, Where, str]] = []

    def run(self) -> Season:
        """Restore everything."""
        self.season = self._create_season()
        self._create_contestants()
        for index, each in enumerate(self.document.rounds):
            self._create_round(each, f"rounds[{index}]")
        for index, gift in enumerate(self.document.gifts):
            self._gift(gift, f"gifts[{index}]")
        for index, gift in enumerate(self.document.gifts):
            self._history(gift, f"gifts[{index}]")
        self._items()
        for index, entry in enumerate(self.document.ledger):
            self._entry(entry, f"ledger[{index}]")
        self._create_events()
        self.known.finish(self.season, self.document.season, "season")
        self._must_be_numbered()
        must_hold(self.season)
        return self.season

    # -- the season ------------------------------------------------------------------------------

    def _create_season(self) -> Season:
        doc = self.document.season
        must_pass("season.format", lambda: format_of(doc.format))
        settings = {
            field.name: self._setting(doc, field.name)
            for field in fields_of(SeasonDoc)
            if field.is_setting
        }
        try:
            uid = Season._meta.get_field("uid").to_python(doc.uid)
        except Exception as error:
            raise wrong("season.uid", "this is no UUID") from error
        is_here = Season.objects.filter(uid=uid).exists()
        if is_here and not self.beside:
            raise Refusal(
                "document.exists",
                "This season is on this site already. It can be imported beside it, as a copy.",
            )
        must_fit_its_state(doc)
        columns = self.known.columns(doc, "season")
        if is_here:
            uid, settings["name"] = uuid.uuid4(), _copy_name(doc.name)
            columns["slug"] = seasons.free_slug(settings["name"])
        elif Season.objects.filter(slug=doc.slug).exists():
            columns["slug"] = seasons.free_slug(doc.name)
        season = Season.objects.create(
            uid=uid,
            visibility=Visibility.LISTED,
            created_by=self.user,
            **columns,
            **settings,
        )
        SeasonOrganiser.objects.create(season=season, user=self.user, role=Role.OWNER)
        return season

    def _setting(self, doc: SeasonDoc, field: str) -> Any:
        """A setting, as an organiser could have made it."""
        value = msgspec.to_builtins(getattr(doc, field))
        found: dict[str, Any] = {}
        must_pass(
            f"season.{field}",
            lambda: found.update(seasons.settings_validate(doc.format, {field: value})),
        )
        return found[field]

    def _must_be_numbered(self) -> None:
        """Rounds and death matches are numbered and named as the format does it: what comes next is
        found by counting them."""
        rounds = [
            NumberedRound(each.number, tuple((row.number, row.key) for row in each.death_matches))
            for each in self.document.rounds
        ]
        numbers = sorted(each.number for each in rounds)
        if numbers != list(range(1, len(numbers) + 1)):
            raise wrong("rounds", "rounds are numbered from 1 without gaps")
        if numbers and self.season.status == SeasonStatus.ENROLLING:
            raise wrong("rounds", "a season that has not begun has no rounds")
        if numbers or self.season.status in (SeasonStatus.RUNNING, SeasonStatus.FINISHED):
            format_of(self.season.format).must_number(season=self.season, rounds=rounds)

    # -- contestants -----------------------------------------------------------------------------

    def _create_contestants(self) -> None:
        docs = self.document.contestants
        names = [each.username for each in docs if each.username]
        users = (
            {user.username: user for user in User.objects.filter(username__in=names)}
            if self.match_accounts
            else {}
        )
        if len(docs) > SEED_MAX:
            raise wrong("contestants", f"a season has at most {SEED_MAX} of them")
        bearable = Names(
            (each.name, users[each.username]) for each in docs if each.username in users
        )
        for index, doc in enumerate(docs):
            where = f"contestants[{index}]"
            self._must_be_free(Entity.CONTESTANT, doc.id, where)
            made = Contestant.objects.create(
                season=self.season,
                user=_bearer(doc.name, users.get(doc.username), bearable),
                **self.known.columns(doc, where),
            )
            self.known.add(Entity.CONTESTANT, doc.id, made)
        for index, doc in enumerate(docs):
            if doc.replaces is not None:
                made = self.known.row(Entity.CONTESTANT, doc.id, "contestants")
                self.known.finish(made, doc, f"contestants[{index}]")
        must_end(docs)

    def _must_be_free(self, entity: Entity, number: int, where: str, key: Any = None) -> None:
        key = number if key is None else key
        self.known.must_be_free(entity, key, where, f"the number {number} is taken")

    # -- rounds ----------------------------------------------------------------------------------

    def _create_round(self, doc: RoundDoc, where: str) -> None:
        here = Where(round=doc.number)
        self._must_be_free(Entity.ROUND, doc.number, where, here)
        must_be_playable(doc, where)
        played = Round.objects.create(season=self.season, **self.known.columns(doc, where))
        self.known.add(Entity.ROUND, here, played)
        if doc.episode is not None:
            self._create_episode(played, doc.episode, f"{where}.episode")
        for index, each in enumerate(doc.death_matches):
            self._create_death_match(played, each, f"{where}.death_matches[{index}]")

    def _create_episode(self, played: Round, doc: EpisodeDoc, where: str) -> None:
        episode = Episode.objects.create(round=played, **self.known.columns(doc, where))
        Placement.objects.bulk_create(
            Placement(episode=episode, **self.known.columns(each, f"{where}.placements[{index}]"))
            for index, each in enumerate(doc.placements)
        )
        if doc.scores is not None:
            self._create_scores(episode, doc.scores, f"{where}.scores")

    def _create_scores(self, episode: Episode, doc: ScoresDoc, where: str) -> None:
        columns = {**self.known.columns(doc, where), "columns": msgspec.to_builtins(doc.columns)}
        must_be_scores(doc, where)
        table = ScoreTable.objects.create(episode=episode, **columns)
        ScoreRow.objects.bulk_create(
            ScoreRow(table=table, **self.known.columns(each, f"{where}.rows[{index}]"))
            for index, each in enumerate(doc.rows)
        )

    def _create_death_match(self, played: Round, doc: DeathMatchDoc, where: str) -> None:
        here = Where(round=played.number, match=doc.number)
        self._must_be_free(Entity.DEATH_MATCH, doc.number, where, here)
        if doc.best_of % 2 == 0 or doc.best_of > BEST_OF_MAX:
            raise wrong(f"{where}.best_of", f"an odd number, from 1 to {BEST_OF_MAX}")
        meeting = DeathMatch.objects.create(round=played, **self.known.columns(doc, where))
        self.known.add(Entity.DEATH_MATCH, here, meeting)
        for index, each in enumerate(doc.legs):
            self._create_leg(meeting, each, here, f"{where}.legs[{index}]")

    def _create_leg(self, meeting: DeathMatch, doc: LegDoc, at: Where, where: str) -> None:
        here = msgspec.structs.replace(at, leg=doc.number, attempt=doc.attempt)
        self.known.must_be_free(Entity.LEG, here, where, "there is another with these numbers")
        if doc.number > meeting.best_of:
            raise wrong(where, f"there are at most {meeting.best_of} matches here")
        if LegStatus(doc.status) is LegStatus.PLANNED and doc.record is not None:
            raise wrong(where, "what is still to be played has no record")
        must_be_playable(doc, where)
        if doc.record is not None:
            self.known.add(Entity.MATCH, doc.record, self._import_record(doc, doc.record, where))
        made = Leg.objects.create(death_match=meeting, **self.known.columns(doc, where))
        self.known.add(Entity.LEG, here, made)
        if doc.items is not None:
            self.with_items.append((made, doc, here, where))

    def _import_record(self, doc: LegDoc, number: int, where: str) -> Match:
        name = archive.record_name(number)
        if name not in self.files:
            raise Refusal("document.record-missing", f"At {where}: there is no {name}.")
        self.known.must_be_free(Entity.MATCH, number, where, f"{name} belongs to another match")
        try:
            match = record_import(acting_user=self.user, data=self.files[name])
        except Refusal as refusal:
            raise refusal.reworded(f"In {name}: {refusal.sentence}") from refusal
        if (match.ruleset, match.variant) != (doc.ruleset, doc.variant):
            raise wrong(where, f"{name} is of another game")
        if doc.how == "played" and match.winner != doc.winner_seat:
            raise wrong(where, f"{name} has another winner")
        return match

    # -- items -----------------------------------------------------------------------------------

    def _gift(self, doc: GiftDoc, where: str) -> None:
        self._must_be_free(Entity.ITEM, doc.id, where)
        must_pass(where, lambda: catalogue.item_of(doc.item, doc.ruleset))
        columns = self.known.columns(doc, where)
        made = Gift.objects.create(season=self.season, given_by=self.user, **columns)
        self.known.add(Entity.ITEM, doc.id, made)

    def _history(self, doc: GiftDoc, where: str) -> None:
        gift = self.known.row(Entity.ITEM, doc.id, where)
        for index, each in enumerate(doc.history):
            columns = self.known.columns(each, f"{where}.history[{index}]")
            ItemEvent.objects.create(gift=gift, **columns)

    def _items(self) -> None:
        """What legs keep of their items, which mentions them."""
        for leg, doc, here, where in self.with_items:
            must_be_items(doc.items or {}, here)
            self.known.finish(leg, doc, where)

    # -- the ledger ------------------------------------------------------------------------------

    def _entry(self, doc: EntryDoc, where: str) -> None:
        self._must_be_free(Entity.ENTRY, doc.id, where)
        about = self._about(doc.where, f"{where}.where")
        if "leg" in about:
            raise wrong(f"{where}.where", "an entry is about a death match or a round")
        columns = self.known.columns(doc, where)
        made = LedgerEntry.objects.create(season=self.season, **about, **columns)
        self.known.add(Entity.ENTRY, doc.id, made)

    # -- events ----------------------------------------------------------------------------------

    def _create_events(self) -> None:
        SeasonEvent.objects.bulk_create(
            self._event(doc, f"events[{index}]") for index, doc in enumerate(self.document.events)
        )

    def _event(self, doc: EventDoc, where: str) -> SeasonEvent:
        if doc.kind not in KINDS:
            raise wrong(f"{where}.kind", "there is no such kind of event")
        payload = KINDS[doc.kind].payload
        must_be_described(doc.data, payload, f"{where}.data")
        return SeasonEvent(
            season=self.season,
            data=exchanged(doc.data, described(payload), self.known.ids),
            **self._about(doc.where, f"{where}.where"),
            **self.known.columns(doc, where),
        )

    def _about(self, here: Where | None, where: str) -> dict[str, Any]:
        """The leg that this names, its death match and their round, as far as it does."""
        if here is None:
            return {}
        found = {}
        if here.leg is not None:
            found["leg"] = self.known.row(Entity.LEG, here, where)
        if here.match is not None:
            meeting = Where(round=here.round, match=here.match)
            found["death_match"] = self.known.row(Entity.DEATH_MATCH, meeting, where)
        found["round"] = self.known.row(Entity.ROUND, Where(round=here.round), where)
        return found
