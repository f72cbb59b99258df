"""Playing matches through the services, at instants that the test chooses."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import ANY

import msgspec
import redis
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import connection
from django.db.models import Model
from django.test import TestCase

from accounts.models import AuditEntry, User
from core import chance
from core.refusals import Refusal
from games import store
from games.engine import records
from games.engine.chance import RandomSource
from games.models import (
    Challenge,
    ChatMessage,
    Match,
    MatchDraws,
    MatchEntry,
    MatchPlayer,
    MatchReferee,
    Preparation,
    SavedMove,
)
from games.reading.records import record_bytes
from games.rulesets import REGISTRY
from games.services.matches import match_start
from games.services.turns import Ack, match_organise, match_submit
from games.services.waking import match_wake
from games.store import Held

# Far from now, so that nothing is ever near enough for a worker to be told.
T0 = 2_000_000_000_000
SECOND = 1000

# Every game that there is: ruleset and variant.
GAMES = [(ruleset.id, variant.id) for ruleset in REGISTRY for variant in ruleset.variants]

TABLES = (
    Match, MatchDraws, MatchPlayer, MatchReferee, MatchEntry, Challenge, ChatMessage, SavedMove,
    Preparation, AuditEntry,
)  # fmt: skip


def digests(models: Sequence[type[Model]]) -> dict[str, int]:
    """By model, a digest of all of its rows: one statement, and no object of any row."""
    parts = [
        f'(SELECT coalesce(sum(hashtextextended(t::text, 0)), 0) FROM "{model._meta.db_table}" t)'  # noqa: S608
        for model in models
    ]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(parts)}")
        found = cursor.fetchone()
    return {model.__name__: digest for model, digest in zip(models, found, strict=True)}


@contextmanager
def nothing_changes(models: Sequence[type[Model]] = TABLES) -> Iterator[None]:
    """Fail where the body changed a row, and say of which model."""
    before = digests(models)
    yield
    assert digests(models) == before


@contextmanager
def committing() -> Iterator[None]:
    """Run what waits for a commit, also in tests that roll back in the end."""
    with TestCase.captureOnCommitCallbacks(execute=True):
        yield


def refused(code: str, call: Callable[..., Any], /, **arguments: Any) -> Refusal:
    """The refusal that ``call`` answers or raises: this code, a sentence, and no row changed."""
    with nothing_changes():
        try:
            answer = call(**arguments)
        except Refusal as refusal:
            answer = refusal
    assert isinstance(answer, Refusal), answer
    assert answer.code == code
    assert answer.sentence.endswith((".", "?", "!"))
    return answer


def user_named(name: str, **more: Any) -> User:
    """Somebody who can sign in."""
    return User.objects.create_user(name, **more)


class Play:
    """A match, and short words for what people do to it. Instants are ms after `T0`."""

    def __init__(
        self, match: Match, players: tuple[User, User], random: RandomSource = chance.system
    ) -> None:
        self.pk = match.pk
        self.players = players
        self.random = random
        self.ids = (f"id-{number}" for number in itertools.count(1))

    @property
    def match(self) -> Match:
        return Match.objects.prefetch_related("players__user").get(pk=self.pk)

    @property
    def held(self) -> Held:
        return store.read(self.pk)

    @property
    def versions(self) -> tuple[int, int, int]:
        return self.held.readers.versions

    @property
    def entries(self) -> list[tuple[str, str, bool]]:
        """Actor, text, timeout: in order."""
        found = MatchEntry.objects.filter(match=self.pk).order_by("seq")
        return list(found.values_list("actor", "text", "timeout"))

    def submit(
        self, seat: int, text: str, at: int, *, client_id: str = "", version: int | None = None
    ) -> Ack | Refusal:
        """What a client is answered."""
        with committing():
            try:
                return match_submit(
                    match_id=self.pk,
                    seat=seat,
                    acting_user=self.players[seat],
                    client_id=client_id or next(self.ids),
                    text=text,
                    version=self.versions[seat] if version is None else version,
                    at=T0 + at,
                    random=self.random,
                )
            except Refusal as refusal:
                return refusal

    def move(self, seat: int, text: str, at: int) -> Ack:
        """Submit what must be accepted."""
        answer = self.submit(seat, text, at)
        assert isinstance(answer, Ack), answer
        return answer

    def wake(self, at: int) -> None:
        with committing():
            match_wake(match_id=self.pk, at=T0 + at, random=self.random)

    def organise(
        self, user: User, text: str, at: int, *, why: str = "because", client_id: str = ""
    ) -> Ack | Refusal:
        """As `submit`."""
        with committing():
            try:
                return match_organise(
                    match_id=self.pk,
                    acting_user=user,
                    client_id=client_id or next(self.ids),
                    text=text,
                    why=why,
                    at=T0 + at,
                    random=self.random,
                )
            except Refusal as refusal:
                return refusal

    def act(self, user: User, text: str, at: int) -> Ack:
        """An organiser's act that must be accepted."""
        answer = self.organise(user, text, at)
        assert isinstance(answer, Ack), answer
        return answer

    def decision(self, seat: int) -> str | None:
        """The id of the decision that is open to this seat."""
        slot = self.held.live.table.open[seat]
        return None if slot is None else slot.decision.id

    def reading(self, seat: int, at: int) -> int:
        """What the clock of this seat shows."""
        watch = self.held.live.watches[seat]
        assert watch is not None
        return watch.reading(T0 + at)

    def random_move(self, seat: int, random: Callable[[], float]) -> str:
        """A legal move for the open decision of this seat."""
        held = self.held
        slot = held.live.table.open[seat]
        assert slot is not None
        state = held.live.table.state
        return held.ruleset.print(held.ruleset.sample(state, slot.decision, random))

    def to_the_end(self, random: Callable[[], float], at: int) -> int:
        """Play random moves, one a second; returns when it was over."""
        while not self.match.is_over:
            at += SECOND
            table = self.held.live.table
            # An answer that may still be changed leaves its decision open: once is enough.
            waiting = [s for s in (0, 1) if table.open[s] is not None and not table.holds_back(s)]
            seat = waiting[0]
            self.move(seat, self.random_move(seat, random), at)
        return at


def started(
    players: tuple[User, User],
    ruleset: str = "tetronogo",
    *,
    random: RandomSource = chance.system,
    **more: Any,
) -> Play:
    """A match that begins at `T0`; the first variant, and seat 0 at an advantage, unless told
    otherwise. All that chance decides in it is drawn from ``random``."""
    variant = REGISTRY.get(ruleset).variants[0].id
    arguments = {"variant": variant, "advantage": 0, "at": T0, **more}
    with committing():
        match = match_start(
            acting_user=players[0],
            players=players,
            ruleset_id=ruleset,
            random=random,
            **arguments,
        )
    return Play(match, players, random)


def placing(play: Play) -> Play:
    """A Tetronogo match brought to seat 0's first placement, T against L, opened at 3 s."""
    play.move(0, "pick T", 1 * SECOND)
    play.move(1, "pick L", 2 * SECOND)
    play.move(0, "first", 3 * SECOND)
    return play


def record_holds(match: Match) -> Mapping[str, Any]:
    """The record of a finished match, after the checker has agreed with every bit of it."""
    data = record_bytes(match)
    verdict = records.check(REGISTRY, data)
    if MatchDraws.objects.filter(match=match).exists():
        assert verdict["draws"]["unverifiable"] == 0
    assert verdict == {
        "ok": True,
        "finished": True,
        "winner": match.winner,
        "reason": match.reason,
        "scores": match.scores,
        "draws": ANY,
    }
    record: dict[str, Any] = msgspec.json.decode(data)
    return record


class Wire:
    """Listens to all channel groups of this site on the real Valkey."""

    def __init__(self) -> None:
        self.client = redis.Redis.from_url(settings.GAUNTLET_REDIS_ADDRESS)
        self.pubsub = self.client.pubsub()
        self.prefix = f"{settings.REDIS_PREFIX}__group__"
        self.pubsub.psubscribe(f"{self.prefix}*")
        self.pubsub.get_message(timeout=30)

    def texts(self) -> list[tuple[str, str]]:
        """Group and text of everything since the last call, in order."""
        layer = get_channel_layer()
        self.client.publish(f"{self.prefix}end", b"")
        heard: list[tuple[str, str]] = []
        while True:
            message = self.pubsub.get_message(timeout=30)
            assert message is not None, "the end never came"
            group = message["channel"].decode().removeprefix(self.prefix)
            if group == "end":
                return heard
            heard.append((group, layer.deserialize(message["data"])["text"]))

    def frames(self, kind: str = "") -> list[tuple[str, dict[str, Any]]]:
        """Group and frame of everything since the last call, or of one type."""
        found = [(group, json.loads(text)) for group, text in self.texts()]
        return [each for each in found if not kind or each[1]["type"] == kind]

    def close(self) -> None:
        self.pubsub.close()
        self.client.close()


def group(match_id: int, audience: int | str) -> str:
    """The channel group of an audience, as the protocol's readers have it."""
    return f"match.{match_id}.{audience}"
