"""How what was written down of a season reads without somebody who has their account deleted.

Only what is about them changes: an event of theirs, of one of their death matches, or which
mentions them (`tournaments.events.payloads`); and in its data only what stands for a name or a
sentence. Of what was sent, which lists everybody, the sentence of an event that is not theirs
stays as it is.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any, Final

import msgspec
from django.db.models import Q

from accounts.leaving.names import Names, texts_changed
from accounts.leaving.parts import Leaver
from accounts.models import AuditEntry
from accounts.names.validators import FORMER_NAME
from core.discord.text import escaped
from games.models import MatchPlayer
from tournaments.events.kinds import KINDS
from tournaments.events.references import Entity, described, mentioned
from tournaments.models import (
    Contestant,
    DeathMatch,
    Gift,
    ItemEvent,
    Round,
    Season,
    SeasonEvent,
    SeasonOrganiser,
)

#: What sentences of the site are made of, besides names (months and days of the week, too).
_COMMON: Final = frozenset(
    """
    a after again against all an and anew announced any are as at away back balance bank be been
    before begin begins best both brings bye called change changes choose chooses chosen comes
    complete contestant contestants corrected corrections cup death decided decides draw each
    eliminated elimination ec dmo enrolled enters episode everybody final first fixed for from game
    games get gets give given gives goes had has have help helps home hours how if immune immunity
    in is it item items last late league leaves leg leave left loses lost made main match matches
    meet meets minute minutes missing more moved name named new next no nobody not now of off on
    once one only open opened organiser organisers out over own owns place play played player
    players plays point points put random reason reopened result results round rounds ruling run
    runs score scores season second seconds secret seed series side so standings start started
    starts stays swiss take taken takes that the them then there they third time to together token
    tokens two unit up used uses utc void vs wager wagered was were which whose will win winner wins
    with withdraws without won
    january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday
    """.split()  # noqa: SIM905  (two hundred lines of one word each would hide the rest)
)
_SENTENCES: Final = ("why", "note", "words")
#: Whom the name beside them belongs to.
_WHOSE: Final = ("contestant", "winner", "ec")
_OF_MESSAGES: Final = ("content", "title", "description")


class Former:
    """Somebody, as far as one season knows them."""

    def __init__(self, leaver: Leaver, season_id: int) -> None:
        user, self._leaver = leaver.user, leaver
        contestants = Contestant.objects.filter(season=season_id)
        self.own = set(contestants.filter(user=user).values_list("pk", flat=True))
        self.gifts = set(
            Gift.objects.filter(season=season_id)
            .filter(Q(giver__in=self.own) | Q(receiver__in=self.own))
            .values_list("pk", flat=True)
        )
        self.matches = set(
            MatchPlayer.objects.filter(user=user, match__leg__isnull=False)
            .values_list("match", flat=True)
        )  # fmt: skip
        met = DeathMatch.objects.filter(round__season=season_id).filter(
            Q(home__in=self.own) | Q(away__in=self.own)
        )
        self.met: dict[int, int | None] = dict(met.values_list("pk", "home"))
        self._rounds = set(met.values_list("round", flat=True))
        self.runs = self._has_run(season_id)
        # Others who are called so, or in whose name theirs is; and what else has a name.
        others = set(contestants.exclude(pk__in=self.own).values_list("name", flat=True))
        self._alike = {each for each in others if leaver.names.are(each)}
        self._kept = {
            *(f"match {number}" for number in range(1, 16)),
            FORMER_NAME,
            "and is the EC",
            *others - self._alike,
            *Round.objects.filter(season=season_id).values_list("name", flat=True),
            *Season.objects.filter(pk=season_id).values_list("name", flat=True),
        }
        self.names = leaver.names.within(kept=self._kept, common=_COMMON)

    def _has_run(self, season_id: int) -> bool:
        """Whether decisions in their name are theirs."""
        user = self._leaver.user
        crew = SeasonOrganiser.objects.filter(season=season_id)
        if any(self._leaver.names.are(each.user.shown_name)
               for each in crew.exclude(user=user).select_related("user")):  # fmt: skip
            return False
        return (
            crew.filter(user=user).exists()
            or Season.objects.filter(pk=season_id, created_by=user).exists()
            or AuditEntry.objects.filter(who=user, target_type__startswith="tournaments.").exists()
        )

    # -- events ----------------------------------------------------------------------------------

    def is_in(self, event: SeasonEvent) -> bool:
        """Whether an event is about them, and may say so."""
        if event.contestant_id in self.own or event.death_match_id in self.met:
            return True
        if event.kind.startswith("round."):
            # That of a final says who meets; no other names anybody in its sentence.
            return bool(event.data.get("final")) and event.round_id in self._rounds
        if event.kind.startswith("organiser."):
            return self.runs and self._leaver.names.are(event.data.get("name"))
        kind = KINDS.get(event.kind)
        if kind is None:
            return False
        payload = described(kind.payload)
        return not (
            self.own.isdisjoint(mentioned(event.data, payload, Entity.CONTESTANT))
            and self.gifts.isdisjoint(mentioned(event.data, payload, Entity.ITEM))
        )

    def words(self, event: SeasonEvent) -> str:
        """The event's sentence."""
        return self.names.out_of(event.words)[:500] if self.is_in(event) else event.words

    def line(self, line: ItemEvent) -> str:
        """What is told of an item that was theirs, or helped in one of their death matches."""
        return self.names.out_of(line.words)[:500]

    def data(self, event: SeasonEvent) -> dict[str, Any]:
        """The event's data."""
        data = dict(event.data)
        if self.is_in(event):
            data = texts_changed(data, _SENTENCES, self.names.out_of)
        self._rename(data, event)
        if self.runs and self._leaver.names.are(data.get("by")):
            data["by"] = FORMER_NAME
        return data

    def _rename(self, data: dict[str, Any], event: SeasonEvent) -> None:
        if isinstance(data.get("standings"), list):
            data["standings"] = [dict(row) for row in data["standings"]]
            for row in data["standings"]:
                self._rename_one(row)
        if not self.is_in(event) or event.kind.startswith("round."):
            return
        self._rename_one(data)
        names = data.get("names")
        if not isinstance(names, list):
            return
        ours = [at for at, name in enumerate(names) if self._leaver.names.are(name)]
        if len(ours) > 1:
            # Both are called so: they stand in their order.
            is_home = self.met.get(event.death_match_id or 0, 0) in self.own
            ours = [0] if is_home else [1]
        data["names"] = [FORMER_NAME if at in ours else name for at, name in enumerate(names)]

    def _rename_one(self, data: dict[str, Any]) -> None:
        whose = next((data[key] for key in _WHOSE if data.get(key) is not None), None)
        if self._leaver.names.are(data.get("name")) and (whose is None or whose in self.own):
            data["name"] = FORMER_NAME

    # -- what was sent ---------------------------------------------------------------------------

    def message(self, body: str, event: SeasonEvent | None, match_id: int | None) -> str:
        """A message for Discord, as it is kept."""
        message, is_theirs = _decoded(body), event is None or self.is_in(event)
        if event is None and match_id is not None:
            is_theirs = match_id in self.matches
            if not is_theirs:
                return body
        # A list that has two who are called so does not say which of them is meant.
        if message is None or (self._alike and not is_theirs):
            return body
        changed = texts_changed(message, _OF_MESSAGES, self._as_sent(event).out_of)
        return body if changed == message else _encoded(changed)

    def _as_sent(self, event: SeasonEvent | None) -> Names:
        """As names read in Discord, whose signs are escaped."""
        names, kept = self._leaver.names, {*self._kept, *map(escaped, self._kept)}
        if event is not None and not self.is_in(event):
            kept.add(escaped(event.words))
        if event is not None and not (self.runs and names.are(event.data.get("by"))):
            kept.add(f"Decided by {escaped(str(event.data.get('by')))}")
        spelt = {one for name in {*names.all, names.username} for one in (name, escaped(name))}
        return Names(names.username, spelt, becomes=names.becomes, kept=kept, common=_COMMON)

    def payload(self, body: str, event: SeasonEvent | None, match_id: int | None) -> str:
        """What programs are told, as it is kept (`tournaments.webhooks.payloads.body_of`)."""
        told = _decoded(body)
        if told is None:
            return body
        if event is not None:
            told["data"] = self.data(event)
            if self.is_in(event):
                told["words"] = self.names.out_of(str(told.get("words", "")))
        elif match_id in self.matches:
            told["words"] = self.names.out_of(str(told.get("words", "")))
        sides = (told.get("death_match") or {}).get("sides") or ()
        for each in (*sides, told.get("contestant")):
            if each and each.get("id") in self.own:
                each["name"] = FORMER_NAME
        match = told.get("match")
        if match and match_id in self.matches:
            match["seats"] = self._seats(match_id, match["seats"])
        return body if told == _decoded(body) else _encoded(told)

    def _seats(self, match_id: int | None, names: Collection[str]) -> list[str]:
        seats = MatchPlayer.objects.filter(match=match_id, user=self._leaver.user)
        own = set(seats.values_list("seat", flat=True))
        return [FORMER_NAME if seat in own else name for seat, name in enumerate(names)]


def _decoded(body: str) -> Any:
    """What was kept; None where nothing could be put together then."""
    try:
        return json.loads(body)
    except ValueError:
        return None


def _encoded(data: Any) -> str:
    return msgspec.json.encode(data).decode()
