"""Faulty bodies: one rule for every endpoint that takes one, tried on every field of each."""

from __future__ import annotations

import copy
import fnmatch
import itertools
import json
import re
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any, NamedTuple

import msgspec
import pytest
from django.db import transaction
from django.test import Client
from rest_framework import serializers

from accounts.models import User
from accounts.tokens.services import token_create
from core.api.index import schema
from core.api.problems import title_of
from core.clock import now_ms
from games import store
from games.engine.capabilities import supplies_of
from games.engine.decisions import Seat
from games.models import Match
from games.puzzles.models import Puzzle
from games.rulesets import REGISTRY
from games.services.challenges import challenge_create
from games.services.practice import bot_move, house_bot_ensure, practice_start
from games.services.turns import match_submit
from games.thinking import think
from tests.api.schema import Operation, is_as_described, operations
from tests.games.support import Play, committing, started, user_named
from tests.tournaments.support import nothing_changes, running
from tournaments.models import DeathMatch, Season
from tournaments.services.contestants.enrolment import contestant_enrol

pytestmark = pytest.mark.django_db

PROBLEM = "application/problem+json"
TAKING = [op for op in operations() if "requestBody" in op.described]
WRITING = [op for op in operations() if op.writes]
# What stands for a value of a type, and for none of it.
OF_TYPES: dict[str, Any] = {
    "string": "x", "integer": 1, "boolean": True, "array": [], "object": {},
}  # fmt: skip
# Fields that name something: unknown ones, and what the fault is called.
NAMING = {
    **dict.fromkeys(
        ("contestant", "winner", "home", "away", "ec", "receiver", "giver"), "contestant.none"
    ),
    "death_match": "death-match.none",
    "username": "user.none",
    "opponent": "challenge.opponent-none",
    **dict.fromkeys(("first", "second"), "hosted.player-none"),
    "ruleset": "setup.ruleset",
    "variant": "setup.variant",
    "item": "item.unknown",
    "pace": "seek.pace",
    "level": "practice.level",
}
PLAN: dict[str, Any] = {"version": 1, "candidates": [], "shown": 0, "note": ""}
ONE_TOO_LARGE = {"name": "", "items": [{"kind": "move", "text": "x" * 2000, "colour": 0}] * 9}
# Options, and what is wrong with some of them.
OPTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "options": ("setup.options", {"foo": 1, "pick_time": -1, "turn_time": "x", "reserve": None}),
    "format_options": ("format.options", {"nope": 2, "Nope": None}),
}
# What cannot be judged while the field of that name beside it is at fault.
RESTS_ON: dict[str, str | int] = {
    "setup.variant": "ruleset",
    "setup.options": "ruleset",
    "item.unknown": "ruleset",
    "format.options": "format",
    "standings.twice": 0,
}
# Refused by services, too, where no body gets: the bounds of its fields come before.
BOUNDED = {
    "challenge.advantage", "challenge.message-too-long", "challenge.duration",
    "hosted.advantage", "hosted.message-too-long", "hosted.duration", "hosted.items",
    "hosted.start",
    "saved.name-too-long", "season.play-within", "season.repertoire", "season.summary.*",
    "season.tie-breaks", "seed.range", "study.line-too-long", "webhook.kinds", "why.too-long",
    "episode.main-match.too-long",
    "episode.notes.too-long", "item.note.too-long",
}  # fmt: skip
# What needs another season, or somebody who is no organiser (`tests/seasons_api`).
OF_OTHERS = {
    "pairing.needed", "pairing.not-by-hand", "ladder.self", "rules.not-in-repertoire",
    "item.for-which", "item.not-secret",
}  # fmt: skip


class Part(NamedTuple):
    """A field somewhere in a body: the way to it, its schema, and whether it must be there."""

    way: tuple[Any, ...]
    schema: dict[str, Any]
    required: bool

    @property
    def path(self) -> str:
        return ".".join(map(str, self.way))

    @property
    def types(self) -> set[str]:
        told = self.schema.get("type", "object")
        return {told} if isinstance(told, str) else set(told)


def plain(told: dict[str, Any]) -> dict[str, Any]:
    """A schema with its references followed."""
    for each in (*told.get("allOf", ()), *told.get("oneOf", ())):
        told = {**told, **plain(each)} if each.get("type") != "null" else told
    if "$ref" in told:
        found = schema()["components"]["schemas"][told["$ref"].rpartition("/")[2]]
        return {**plain(found), **{key: value for key, value in told.items() if key != "$ref"}}
    return told


def body_schema(operation: Operation) -> dict[str, Any]:
    return plain(operation.described["requestBody"]["content"]["application/json"]["schema"])


def good(told: dict[str, Any], known: dict[str, Any], name: str = "") -> Any:
    """A value that the schema allows, with things in it that there are."""
    told = plain(told)
    if name in known:
        return known[name]
    if "enum" in told:
        return next(value for value in told["enum"] if value not in (None, ""))
    kinds = told.get("type", "object")
    kind = kinds if isinstance(kinds, str) else kinds[0]
    if kind == "array":
        return [good(told["items"], known)]
    if kind == "object":
        return {key: good(value, known, key) for key, value in told.get("properties", {}).items()}
    if told.get("format") == "date-time":
        return "2030-01-01T18:00:00+01:00"
    return told.get("minimum", 1) if kind == "integer" else OF_TYPES[kind]


def parts(told: dict[str, Any], value: Any, way: tuple[Any, ...] = ()) -> Iterator[Part]:
    """Every field that a good body has, nested ones too."""
    told = plain(told)
    if isinstance(value, list):
        for number, each in enumerate(value):
            yield Part((*way, number), plain(told["items"]), False)
            yield from parts(told["items"], each, (*way, number))
    elif isinstance(value, dict):
        for key, each in told.get("properties", {}).items():
            if key in value:
                yield Part((*way, key), plain(each), key in told.get("required", ()))
                yield from parts(each, value[key], (*way, key))


GONE = object()


def changed(body: Any, way: tuple[Any, ...], value: Any) -> Any:
    """A body with one value in it changed, or taken out."""
    body = copy.deepcopy(body)
    inner = body
    for step in way[:-1]:
        inner = inner[step]
    if value is GONE:
        del inner[way[-1]]
    else:
        inner[way[-1]] = value
    return body


class Fault(NamedTuple):
    """What is wrong at one place of a body, and what that is called (empty: anything)."""

    way: tuple[Any, ...]
    value: Any
    code: str

    @property
    def path(self) -> str:
        return ".".join(map(str, self.way))

    @property
    def rests_on(self) -> tuple[Any, ...]:
        """The way to what must be right for this to be judged; empty: it stands by itself."""
        if self.code not in RESTS_ON:
            return ()
        depth = 2 if self.way[-2:-1] and self.way[-2] in OPTIONS else 1
        return (*self.way[:-depth], RESTS_ON[self.code])

    def is_beside(self, other: Fault) -> bool:
        """Whether both can be in one body: neither is at, or within, the place of the other, nor
        rests on it."""
        if self.way == other.rests_on or other.way == self.rests_on:
            return False
        return any(one != two for one, two in zip(self.way, other.way, strict=False))


def faults_of(part: Part) -> Iterator[Fault]:  # noqa: C901, PLR0912  (a list)
    """All that can be wrong in this part of a body."""
    told, name = part.schema, part.way[-1]
    if part.required:
        yield Fault(part.way, GONE, "field.required")
    if "null" not in part.types and None not in told.get("enum", ()):
        yield Fault(part.way, None, "field.null")
    for kind, value in OF_TYPES.items():
        if kind not in part.types:
            yield Fault(part.way, value, "field.invalid")
    if "maxLength" in told:
        yield Fault(part.way, "x" * (told["maxLength"] + 1), "field.max-length")
    if "minLength" in told:
        yield Fault(part.way, "", "field.blank")
    if "maxItems" in told:
        many = [good(told["items"], {})] * (told["maxItems"] + 1)
        yield Fault(part.way, many, "")
    if "minItems" in told:
        yield Fault(part.way, [], "field.min-length")
    if "maximum" in told:
        yield Fault(part.way, told["maximum"] + 1, "field.max-value")
    if "minimum" in told:
        yield Fault(part.way, told["minimum"] - 1, "field.min-value")
    if "enum" in told:
        yield Fault(part.way, "no-such", "field.invalid-choice")
    if told.get("format") == "date-time":
        for moment in ("2030-01-01T18:00:00", "2030-01-01 18:00", "2030-01-01"):
            yield Fault(part.way, moment, "field.no-offset")
        for moment in ("tomorrow", "2030-02-31T00:00:00Z", "0001-01-01T00:00:00+14:00", ""):
            yield Fault(part.way, moment, "field.invalid")
    if name in NAMING and "enum" not in told:  # else the schema has the names
        unknown: tuple[Any, ...] = (987654321, 0, -(2**70), 2**63)
        for value in unknown if "integer" in part.types else ("no-such", "nö", "no such"):
            yield Fault(part.way, value, NAMING[str(name)])
    if name == "tie_breaks":
        for number, (key, code) in enumerate((("no-such", "unknown"), ("points", "twice"))):
            yield Fault((*part.way, number + 1), key, f"standings.{code}")
    if name in OPTIONS:
        code, wrong = OPTIONS[str(name)]
        for key, value in wrong.items():
            yield Fault((*part.way, key), value, code)
    if "object" in part.types and "properties" in told:
        yield Fault((*part.way, "nonsense"), 1, "field.unknown")


def together(faults: Iterable[Fault]) -> list[list[Fault]]:
    """All of them in few bodies, each in one. Every fault is told of, whatever else is wrong; only
    what may have any name is seen by itself."""
    shared: list[list[Fault]] = []
    alone: list[list[Fault]] = []
    for fault in faults:
        if not fault.code:
            alone.append([fault])
            continue
        for each in shared:
            if all(fault.is_beside(other) for other in each):
                each.append(fault)
                break
        else:
            shared.append([fault])
    return shared + alone


# What Ada, who runs both seasons, may not do, and Ben may: answer her challenge, be ready for a
# match that he plays, predict one that she plays, and give an account without a role to a program.
BENS = {
    "challenge_accept", "challenge_decline", "leg_ready", "become_bot",
    "hosted_match_accept", "hosted_match_decline", "invite_accept", "predict",
    "season_predict", "season_follow",
}  # fmt: skip


def client_of(user: User) -> Client:
    scopes = ("read", "play", "organise", "bot")
    _row, text = token_create(
        acting_user=user, name="test", scopes=scopes, lasts=timedelta(hours=1)
    )
    return Client(headers={"Authorization": f"Bearer {text}"})


def practised(user: User) -> Match:
    """A match of somebody against a bot, in which both have moved."""
    with committing():
        match = practice_start(
            acting_user=user, ruleset_id="domino-black-white", variant="standard", level="novice"
        )
    seat: Seat = 1 if match.bot_seats == 1 else 0
    for number in range(4):
        bot_move(match_id=match.pk)
        held = store.read(match.pk)
        if held.live.table.open[seat] is not None:
            match_submit(
                match_id=match.pk, seat=seat, acting_user=user, client_id=f"own-{number}",
                text=think(held, seat, "novice", seconds=0.0),
                version=held.readers.versions[seat], at=now_ms(),
            )  # fmt: skip
    return match


class Asking:
    """Two who may do everything between them, and what they would send to each address."""

    def __init__(self, world: dict[str, Any], play: Play, user: User) -> None:
        ben = User.objects.get(username="ben")
        self.client, self._bens = client_of(user), client_of(ben)
        offer = challenge_create(
            acting_user=user, opponent=ben, ruleset_id="tetronogo", variant="standard"
        )
        link = challenge_create(
            acting_user=user, ruleset_id="tetronogo", variant="standard", by_link=True
        )
        self._world = {**world, "id": [offer.pk], "token": [link.token]}
        one, two, three = world["contestant_id"]
        self._known = {
            "username": "dora", "opponent": "ben", "first": "ben", "second": "cleo",
            "contestant": three, "winner": two, "home": two,
            "away": one, "ec": three, "receiver": two, "giver": None, "leg_number": None, "leg": 1,
            "death_match": world["death_match_id"][0], "ruleset": "tetronogo",
            "variant": "standard", "options": {}, "item": "copy", "id": "a-1", "text": "pick T",
            "version": 1, "url": "https://93.184.215.14/hook", "format_options": {}, "seed": None,
            "tie_breaks": ["points", "wins", "direct"], "seeds": {str(one): 7}, "draw": False,
        }  # fmt: skip
        User.objects.create(username="dora")

        cleo = User.objects.get(username="cleo")
        self._without_ada, self._without_ben = started((ben, cleo)), started((user, cleo))
        self._swiss = running(user, 4, "swiss")
        self._practice = practised(user)
        home, away, third, fourth = self._swiss.contestants.order_by("pk")
        meeting = DeathMatch.objects.filter(round__season=self._swiss).order_by("pk")[0]
        # By operation, what differs.
        self._special: dict[str, dict[str, Any]] = {
            "challenge_create": {"open_to": "player"},
            "seek_create": {"pace": "normal"},
            "practice_start": {"level": "novice"},
            "puzzle_answer": {
                "text": Puzzle.objects.get(pk=world["puzzle_id"][0]).solution,
            },
            "study_comment": {"line": ""},
            "ready": {"commitment": "c0" * 32, "nonce": "5e" * 32},
            "season_item_give": {"ruleset": ""},
            "plan_save": {"revision": 0, "content": PLAN},
            "hosted_match_create": {
                "ruleset": "peg-domain",
                "variant": "final",
                "items": [],
                "item": "additional-peg",
                "advantage": None,
                "starts_at": None,
            },
            "season_round_open": {
                "home": home.pk,
                "away": away.pk,
                "pairings": [
                    {"home": home.pk, "away": away.pk},
                    {"home": third.pk, "away": fourth.pk},
                ],
            },
            "season_predict": {"contestant": meeting.home_id, "death_match": meeting.pk},
            "episode_placements": {
                "placements": [
                    {"contestant": each, "place": place, "immune": False}
                    for place, each in enumerate((one, two, three), start=1)
                ]
            },
        }

    def body(self, operation: Operation) -> Any:
        return good(body_schema(operation), self.known(operation))

    def known(self, operation: Operation) -> dict[str, Any]:
        return {**self._known, **self._special.get(operation.described["operationId"], {})}

    def send(self, operation: Operation, body: Any, kind: str = "application/json") -> Any:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        address = operation.address(**self._addresses(operation))
        client = self._bens if operation.described["operationId"] in BENS else self.client
        return client.generic(operation.method.upper(), address, data, kind)

    def _addresses(self, operation: Operation) -> dict[str, Any]:
        values = {name: found[0] for name, found in self._world.items()}
        if operation.described["operationId"] in {"season_predict", "season_follow"}:
            # Ben neither plays in it nor runs it.
            values["slug"] = self._swiss.slug
        if operation.described["operationId"] == "season_round_open":
            # Only some formats take pairings by hand.
            values["slug"] = self._swiss.slug
        if operation.described["operationId"] in {"match_rematch", "study_ask", "study_comment"}:
            values["match_id"] = self._world["match_id"][1]  # the one that is over
        if operation.described["operationId"] in {"commentator_name", "match_feature"}:
            values["match_id"] = self._without_ada.pk
        if operation.described["operationId"] == "predict":
            values["match_id"] = self._without_ben.pk
        if operation.described["operationId"] == "take_back":
            values["match_id"] = self._practice.pk
        return values


@pytest.fixture
def asking(world: dict[str, Any], play: Play, ada: User) -> Asking:
    return Asking(world, play, ada)


_described: set[tuple[str, bool]] = set()


def is_fault(answer: Any, operation: Operation, body: Any) -> dict[str, Any]:
    """The answer to a faulty body, as it always is."""
    told = (str(operation), body if len(str(body)) < 2000 else "…", answer.content[:600])
    assert answer.status_code == 400, told
    assert answer["Content-Type"] == PROBLEM, told
    found: dict[str, Any] = json.loads(answer.content)
    assert found["title"] == title_of(found["code"]), told
    assert found["fields"], told
    for faults in found["fields"].values():
        for fault in faults:
            assert set(fault) == {"code", "sentence"}, told
            assert "." in fault["code"], told
            assert fault["sentence"].endswith((".", "?", "!")), told
    codes = {fault["code"] for faults in found["fields"].values() for fault in faults}
    shared = codes.pop() if len(codes) == 1 else ""
    is_ours = shared and not shared.startswith("field.")
    assert found["code"] in ({shared} if is_ours else {"request.invalid", "request.parse-error"})
    # Holding it against the schema is dear: once for each operation and kind of fault.
    kind = (str(operation), bool(is_ours))
    if kind not in _described:
        _described.add(kind)
        is_as_described(operation, answer)
    return found


def test_every_fault_of_every_field(asking: Asking) -> None:
    """Missing, null, mistyped, too long, too short, unknown: always 400, always the field. Faults
    that can be in one body are, and each has to be told of, under its own path."""
    tried = 0
    with nothing_changes():
        for operation in TAKING:
            body = asking.body(operation)
            found_out = parts(body_schema(operation), body)
            for faults in together(fault for part in found_out for fault in faults_of(part)):
                wrong = body
                for fault in faults:
                    wrong = changed(wrong, fault.way, fault.value)
                found = is_fault(asking.send(operation, wrong), operation, wrong)
                told = (str(operation), faults, found["fields"])
                for path, code in ((fault.path, fault.code) for fault in faults):
                    assert path in found["fields"] or not code, (path, told)
                    assert not code or code in {e["code"] for e in found["fields"][path]}, told
                    tried += 1
                # A list that is too long may have many rows at fault besides.
                if faults[0].code:
                    assert set(found["fields"]) == {fault.path for fault in faults}, told
    assert tried > 600


def test_bodies_that_have_no_fault(asking: Asking) -> None:
    """What the others are made of: were it refused for its form, they would show nothing."""
    for operation in TAKING:
        body = asking.body(operation)
        if operation.described["operationId"] == "season_seeds":
            del body["draw"]
        with transaction.atomic():
            answer = asking.send(operation, body)
            transaction.set_rollback(True)
        assert answer.status_code in (200, 201, 403, 409), (str(operation), body, answer.content)


def test_bodies_that_are_wrong_as_a_whole(asking: Asking) -> None:
    """Every address, at things that are there, with what is no JSON, what is no object, and what is
    not said to be JSON; the kinds of the first take turns. `test_schema` asks each address, before
    anything is looked up, for all of them."""
    halves = (b'{"\\ud800": 1}', b'{"a": "\\uDFFF x"}', b'{"a": [{"b": "\\ud83d\\ud83d\\ude00"}]}')
    unread = itertools.cycle((b"{", b"\xff", b"[" * 9000, b'{"a": NaN}', *halves))
    with nothing_changes():
        for operation in WRITING:
            takes = operation in TAKING
            if takes:
                data = next(unread)
                found = is_fault(asking.send(operation, data), operation, data)
                assert found["code"] == "request.parse-error"
            if operation.method == "delete":
                continue
            value: Any
            for value in (None, [], 17, "x", [{}]):
                found = is_fault(asking.send(operation, value), operation, value)
                assert set(found["fields"]) == {"non_field_errors"}, (str(operation), value)
                assert found["sentence"].endswith("."), (str(operation), value)
            value = {**(asking.body(operation) if takes else {}), "nonsense": 1}
            found = is_fault(asking.send(operation, value), operation, value)
            assert set(found["fields"]) == {"nonsense"}
            answer = asking.send(operation, b"a=b", "text/plain")
            assert (answer.status_code, answer.json()["code"]) == (
                415, "request.unsupported-media-type",
            )  # fmt: skip


def test_whole_pairs_of_surrogates_are_text(asking: Asking) -> None:
    create = next(op for op in TAKING if op.described["operationId"] == "season_create")
    body = b'{"name": "\\ud83d\\ude00 cup", "format": "swiss"}'
    answer = asking.send(create, body)
    assert answer.status_code == 201, answer.content
    assert answer.json()["name"] == "\U0001f600 cup"


def test_all_rows_are_told(asking: Asking) -> None:
    """Of many things named at once, each that is wrong, with its number."""
    bulk = 0
    with nothing_changes():
        for operation in TAKING:
            for part in parts(body_schema(operation), body := asking.body(operation)):
                rows = part.schema.get("items")
                if part.types != {"array"} or plain(rows or {}).get("type") != "object":
                    continue
                bulk += 1
                (row,) = good(part.schema, asking.known(operation))
                name = next(iter(row))
                wrong = [{name: 1.5}, row, {"nonsense": 1}, 5, {}]
                found = is_fault(
                    asking.send(operation, changed(body, part.way, wrong)), operation, wrong
                )
                told = set(found["fields"])
                assert told >= {
                    f"{part.path}.0.{name}", f"{part.path}.2.nonsense", f"{part.path}.3",
                    f"{part.path}.4.{name}",
                }  # fmt: skip
                assert not {each for each in told if each.startswith(f"{part.path}.1")}, told
                many = [5] * (part.schema["maxItems"] + 1)
                found = is_fault(
                    asking.send(operation, changed(body, part.way, many)), operation, many
                )
                assert set(found["fields"]) > {part.path, f"{part.path}.0", f"{part.path}.9"}
    assert bulk >= 6


def test_what_rows_repeat_is_told_beside_all_else(asking: Asking) -> None:
    """Whoever, or whatever, is named twice is told with everything that is wrong with these rows,
    and with others."""
    by_name = {op.described["operationId"]: op for op in TAKING}
    one, two, three = asking._world["contestant_id"]
    played, when = asking._world["death_match_id"][0], "2030-01-01T18:00:00Z"
    cases: list[tuple[str, dict[str, Any], dict[str, str]]] = [
        (
            "season_enrol",
            {
                "contestants": [
                    {"username": "dora", "seed": 3},
                    {"username": "nobody1", "seed": 3},
                    {"username": "DORA", "seed": "4"},
                    {"username": "dora ", "name": 5},
                    {"username": 7, "seed": 4},
                    9,
                ],
                "nonsense": 1,
            },
            {
                "contestants.0.username": "contestant.repeated",
                "contestants.0.seed": "seed.repeated",
                "contestants.1.username": "user.none",
                "contestants.1.seed": "seed.repeated",
                "contestants.2.username": "contestant.repeated",
                "contestants.2.seed": "field.invalid",
                "contestants.3.username": "contestant.repeated",
                "contestants.3.name": "field.invalid",
                "contestants.4.username": "field.invalid",
                "contestants.5": "field.invalid",
                "nonsense": "field.unknown",
            },
        ),
        (
            "season_seeds",
            {
                "seeds": {
                    str(one): 3,
                    str(two): 3,
                    "987654321": 2,
                    "x": 1,
                    str(three): "4",
                    "987654322": "q",
                }
            },
            {
                f"seeds.{one}": "seed.repeated",
                f"seeds.{two}": "seed.repeated",
                "seeds.987654321": "contestant.none",
                "seeds.x": "contestant.none",
                f"seeds.{three}": "field.invalid",
                "seeds.987654322": "field.invalid contestant.none",
            },
        ),
        (
            "episode_placements",
            {
                "placements": [
                    {"contestant": one, "place": 1},
                    {"contestant": one, "place": 0},
                    {"contestant": 987654321, "place": 2},
                ],
                "ec": -1,
            },
            {
                "placements.0.contestant": "placements.twice",
                "placements.1.contestant": "placements.twice",
                "placements.1.place": "field.min-value",
                "placements.2.contestant": "contestant.none",
                "ec": "contestant.none",
            },
        ),
        (
            "season_round_schedule",
            {
                "times": [
                    {"death_match": played, "scheduled_at": when},
                    {"death_match": played, "scheduled_at": "tomorrow"},
                    {"death_match": 987654321, "scheduled_at": when},
                ]
            },
            {
                "times.0.death_match": "death-match.repeated",
                "times.1.death_match": "death-match.repeated",
                "times.1.scheduled_at": "field.invalid",
                "times.2.death_match": "death-match.none",
            },
        ),
    ]
    with nothing_changes():
        for name, body, expected in cases:
            found = is_fault(asking.send(by_name[name], body), by_name[name], body)
            told = {
                path: " ".join(each["code"] for each in faults)
                for path, faults in found["fields"].items()
            }
            assert told == expected, (name, found)


def test_options_are_told_in_words(asking: Asking) -> None:
    """Each at its own path and in words for people: not in those of a library."""
    offer = next(op for op in TAKING if op.described["operationId"] == "challenge_create")
    wrong: tuple[Any, ...] = ("x", -1, None, [], {}, 10**12, "", 1.5)
    with nothing_changes():
        for ruleset in REGISTRY:
            names = [each.name for each in msgspec.structs.fields(ruleset.options_type)]
            for value in wrong:
                options = dict.fromkeys([*names, "nonsense"], value)
                body = {"ruleset": ruleset.id, "variant": "no-such", "options": options}
                fields = is_fault(asking.send(offer, body), offer, body)["fields"]
                assert fields.pop("variant")[0]["code"] == "setup.variant"
                supplied = {key for each in supplies_of(ruleset) for key in each.options}
                fine = supplied if value is None else set()
                if value == 1.5:
                    assert fields
                else:
                    assert set(fields) == {f"options.{key}" for key in options if key not in fine}
                for (fault,) in fields.values():
                    assert fault["code"] == "setup.options"
                    assert not set("$`_") & set(fault["sentence"]), fault
                    assert not re.search(
                        r"\b(Expected|Object|float|int|str)\b", fault["sentence"]
                    ), fault


def test_whatever_is_a_number_is_bounded_or_names_something() -> None:
    """What has no bounds in the schema would be bounded by the database alone."""
    for operation in TAKING:
        body = good(body_schema(operation), {})
        for part in parts(body_schema(operation), body):
            if "integer" in part.types and part.way[-1] not in NAMING:
                assert {"minimum", "maximum"} <= set(part.schema), (str(operation), part.path)
            if "array" in part.types:
                assert "maxItems" in part.schema, (str(operation), part.path)
            text = "string" in part.types and not {"enum", "format"} & set(part.schema)
            if text:
                assert "maxLength" in part.schema, (str(operation), part.path)


def test_moments_to_filter_by_have_an_offset(asking: Asking) -> None:
    tried = 0
    for operation in operations():
        values = {name: found[0] for name, found in asking._world.items()}
        for parameter in operation.described.get("parameters", []):
            if parameter["in"] != "query" or parameter["schema"].get("format") != "date-time":
                continue
            name = parameter["name"]
            for text, status in (
                ("2026-01-01T00:00:00", 400), ("2026-01-01", 400), ("now", 400),
                ("0001-01-01T00:00:00+14:00", 400), ("2026-01-01T00:00:00Z", 200),
                ("2026-01-01T00:00:00+01:00", 200),
            ):  # fmt: skip
                answer = asking.client.get(operation.address(**values), {name: text})
                assert answer.status_code == status, (str(operation), name, text, answer.content)
                if status == 400:
                    assert set(is_fault(answer, operation, text)["fields"]) == {name}
                tried += 1
    assert tried >= 6 * 6


def test_what_services_refuse_of_a_body_is_told_the_same_way(asking: Asking) -> None:
    by_name = {op.described["operationId"]: op for op in TAKING}
    game = {"ruleset": "tetronogo", "variant": "standard"}
    season = {"name": "New", "format": "swiss"}
    unfit = {**game, "options": {"nonsense": 1}}
    hook = asking.body(by_name["webhook_create"])
    bot = house_bot_ensure(level="club").username
    meeting = DeathMatch.objects.get(pk=asking.known(by_name["season_predict"])["death_match"])
    both = (meeting.home, meeting.away)
    absent = next(each for each in asking._swiss.contestants.all() if each not in both)
    cases: list[tuple[str, dict[str, Any], dict[str, str]]] = [
        ("challenge_create", {**game, "ruleset": "chess"}, {"ruleset": "setup.ruleset"}),
        ("challenge_create", {**game, "variant": "x"}, {"variant": "setup.variant"}),
        ("challenge_create", unfit, {"options.nonsense": "setup.options"}),
        ("challenge_create", {**game, "opponent": "ada"}, {"opponent": "challenge.yourself"}),
        ("challenge_create", {**game, "opponent": bot}, {"opponent": "challenge.house-bot"}),
        ("challenge_create", {**game, "late_s": 7}, {"late_s": "setup.late"}),
        ("season_create", {**season, "late_s": 7}, {"late_s": "setup.late"}),
        (
            "season_predict",
            {"contestant": absent.pk, "death_match": meeting.pk},
            {"contestant": "prediction.contestant"},
        ),
        (
            "season_create",
            {**season, "trade": {"stakes": "wager"}},
            {"trade.stakes": "trade.nothing"},
        ),
        (
            "challenge_create",
            {"ruleset": "chess", "variant": "x", "opponent": "ada"},
            {"ruleset": "setup.ruleset", "opponent": "challenge.yourself"},
        ),
        (
            "season_create",
            {
                **season,
                "repertoire": [{**unfit, "variant": "x"}],
                "tie_breaks": ["x"],
                "format_options": {"rounds": "x", "nope": 2},
            },
            {
                "repertoire.0.variant": "setup.variant",
                "repertoire.0.options.nonsense": "setup.options",
                "tie_breaks.0": "standings.unknown",
                "format_options.rounds": "format.options",
                "format_options.nope": "format.options",
            },
        ),
        ("saved_move_save", {"name": "a", "text": "pick Q"}, {"text": "notation.tetromino"}),
        (
            "plan_save",
            {"revision": 0, "content": {**PLAN, "shown": 1}},
            {"content.shown": "plan.content"},
        ),
        (
            "plan_save",
            {
                "revision": 0,
                "content": {**PLAN, "note": 5, "candidates": [{"name": "a", "items": [{}]}]},
            },
            {"content.note": "plan.content", "content.candidates.0.items.0": "plan.content"},
        ),
        (
            "plan_save",
            {"revision": 0, "content": {**PLAN, "candidates": [ONE_TOO_LARGE] * 4}},
            {"content": "plan.too-large"},
        ),
        ("submit", {"id": "?", "text": "pick T", "version": 1}, {"id": "frame.malformed"}),
        ("webhook_create", {**hook, "url": "https://10.0.0.1/"}, {"url": "webhook.url-internal"}),
        ("webhook_create", {**hook, "url": "no-address"}, {"url": "webhook.url"}),
        (
            "season_create",
            {**season, "repertoire": [{**game, "ruleset": "chess"}, game, unfit]},
            {
                "repertoire.0.ruleset": "setup.ruleset",
                "repertoire.2.options.nonsense": "setup.options",
            },
        ),
        ("season_create", {**season, "tie_breaks": ["x"]}, {"tie_breaks.0": "standings.unknown"}),
        (
            "season_create",
            {**season, "format_options": {"x": 1}},
            {"format_options.x": "format.options"},
        ),
        (
            "season_enrol",
            {"contestants": [{"username": "dora"}, {"username": "eve"}, {"username": "Dora"}]},
            {
                "contestants.0.username": "contestant.repeated",
                "contestants.2.username": "contestant.repeated",
            },
        ),
        ("death_match_update", {**game, "leg": 9}, {"leg": "leg.none"}),
        (
            "death_match_update",
            {"scheduled_at": "2001-01-01T00:00:00Z"},
            {"scheduled_at": "schedule.past"},
        ),
    ]
    cases += _cases_of_play() + _cases_of_seasons(asking)
    User.objects.create(username="eve")
    # Whatever a body may be refused for is tried here, but for what bounds of fields come before.
    tried = {code for _name, _body, expected in cases for code in expected.values()}
    unseen = [code for code in _told_of() if not fnmatch.filter(tried, code)]
    assert set(unseen) == BOUNDED | OF_OTHERS
    with nothing_changes():
        for name, body, expected in cases:
            found = is_fault(asking.send(by_name[name], body), by_name[name], body)
            told = {path: faults[0]["code"] for path, faults in found["fields"].items()}
            assert told == expected, (name, found)
            # It does not wait until all else is right.
            more = {**body, "nonsense": 1}
            found = is_fault(asking.send(by_name[name], more), by_name[name], more)
            told = {path: faults[0]["code"] for path, faults in found["fields"].items()}
            assert told == {**expected, "nonsense": "field.unknown"}, (name, found)


def _cases_of_play() -> list[tuple[str, dict[str, Any], dict[str, str]]]:
    """Of who plays whom."""
    game = {"ruleset": "peg-domain", "variant": "final"}
    hosted = {**game, "first": "ben", "second": "cleo"}
    return [
        ("block", {"username": "Ada"}, {"username": "block.yourself"}),
        ("challenge_create", {**game, "open_to": "player"}, {"open_to": "challenge.open-to"}),
        (
            "challenge_create",
            {**game, "open_to": "anybody", "opponent": "ben"},
            {"open_to": "challenge.open-to"},
        ),
        (
            "challenge_create",
            {**game, "variant": "x", "open_to": "link", "opponent": "ben"},
            {"variant": "setup.variant", "opponent": "challenge.link-names-somebody"},
        ),
        # Who cannot be found is named all the same.
        (
            "challenge_create",
            {**game, "open_to": "player", "opponent": "nobody1"},
            {"opponent": "challenge.opponent-none"},
        ),
        ("practice_start", {**game, "level": "best"}, {"level": "practice.level"}),
        (
            "study_comment",
            {"id": "?", "step": 999, "text": "\u2066"},
            {"id": "frame.malformed", "step": "study.position", "text": "chat.empty"},
        ),
        (
            "study_comment",
            {"id": "?", "step": 0, "line": "x", "text": "\u2066"},
            {"id": "frame.malformed", "line": "study.line", "text": "chat.empty"},
        ),
        ("seek_create", {"pace": "daily"}, {"pace": "seek.pace"}),
        (
            "seek_create",
            {"variant": "final", "pace": "x"},
            {"variant": "setup.variant", "pace": "seek.pace"},
        ),
        ("seek_create", {**game, "ruleset": 5}, {"ruleset": "field.invalid"}),
        (
            "hosted_match_create",
            {
                **hosted,
                "second": "nobody1",
                "items": [
                    {"seat": 0, "item": "no-such"},
                    {"seat": 5, "item": "no-such"},
                    {"seat": 1, "item": 7},
                    8,
                ],
            },
            {
                "second": "hosted.player-none",
                "items.0.item": "setup.item",
                "items.1.item": "setup.item",
                "items.1.seat": "field.max-value",
                "items.2.item": "field.invalid",
                "items.3": "field.invalid",
            },
        ),
        (
            "hosted_match_create",
            {**hosted, "variant": "x", "items": [{"seat": 0, "item": "no-such"}]},
            {"variant": "setup.variant"},
        ),
    ]


def _cases_of_seasons(asking: Asking) -> list[tuple[str, dict[str, Any], dict[str, str]]]:
    one, two, three = asking._world["contestant_id"]
    met, over, far = asking._known["death_match"], "2001-01-01T00:00:00Z", "2090-01-01T00:00:00Z"
    pairs = asking._special["season_round_open"]
    home, away = pairs["home"], pairs["away"]
    played = Season.objects.get(slug=asking._world["slug"][0])
    ada = User.objects.get(username="ada")
    late = contestant_enrol(
        acting_user=ada, season=played, user=User.objects.create(username="late")
    ).pk
    nobody = 987654321
    gift = {"item": "copy", "receiver": two}
    rank = [{"contestant": each, "place": 1} for each in (one, two, three)]
    return [
        (
            "season_create",
            {"name": "New", "format": "swiss", "tie_breaks": ["x", "wins", "wins", 5, "y"]},
            {
                "tie_breaks.0": "standings.unknown",
                "tie_breaks.2": "standings.twice",
                "tie_breaks.3": "field.invalid",
                "tie_breaks.4": "standings.unknown",
            },
        ),
        (
            "season_create",
            {"name": "\x01", "format": "swiss", "summary": "fine"},
            {"name": "season.name.missing"},
        ),
        (
            "season_step",
            {"step": "cancel", "winner": nobody},
            {"why": "why.missing", "winner": "contestant.none"},
        ),
        (
            "season_enrol",
            {"contestants": [{"username": "nobody1"}, {"username": "dora", "name": "\x01"}]},
            {
                "contestants.0.username": "user.none",
                "contestants.1.name": "contestant.name.missing",
            },
        ),
        (
            "season_enrol",
            {
                "contestants": [
                    {"username": "dora", "name": "Moderator"},
                    {"username": "eve", "name": "D\N{CYRILLIC SMALL LETTER O}ra"},
                    {"username": "ben", "name": "Ben\N{ZERO WIDTH SPACE}"},
                ]
            },
            {
                "contestants.0.name": "contestant.name.impersonates",
                "contestants.1.name": "contestant.name.impersonates",
                "contestants.2.name": "contestant.name.characters",
            },
        ),
        (
            "saved_move_save",
            {"name": "\x01", "text": 5},
            {"name": "saved.name-empty", "text": "field.invalid"},
        ),
        (
            "webhook_update",
            {"name": "\x01", "url": "x"},
            {"name": "webhook.name", "url": "webhook.url"},
        ),
        ("contestant_withdraw", {"why": "\x01"}, {"why": "why.missing"}),
        (
            "season_round_open",
            {
                "scheduled_at": over,
                "pairings": [
                    {"home": home, "away": home, "scheduled_at": far},
                    {"home": nobody, "away": away, "scheduled_at": over},
                ],
            },
            {
                "scheduled_at": "schedule.past",
                "pairings.0": "pairing.twice",
                "pairings.0.scheduled_at": "schedule.far",
                "pairings.1.home": "contestant.none",
                "pairings.1.scheduled_at": "schedule.past",
            },
        ),
        (
            "season_round_schedule",
            {
                "times": [
                    {"death_match": met, "scheduled_at": over},
                    {"death_match": nobody, "scheduled_at": far},
                ]
            },
            {
                "times.0.scheduled_at": "schedule.past",
                "times.1.death_match": "death-match.none",
                "times.1.scheduled_at": "schedule.far",
            },
        ),
        ("death_match_update", {"scheduled_at": far}, {"scheduled_at": "schedule.far"}),
        (
            "episode_placements",
            {"placements": [rank[0], {"contestant": late, "place": "x"}]},
            {
                "placements": "placements.missing",
                "placements.1.contestant": "placements.stranger",
                "placements.1.place": "field.invalid",
            },
        ),
        (
            "episode_placements",
            {"placements": [*rank, rank[1]]},
            {
                "placements.1.contestant": "placements.twice",
                "placements.3.contestant": "placements.twice",
            },
        ),
        ("episode_placements", {"placements": rank}, {"ec": "placements.tie"}),
        (
            "episode_placements",
            {"placements": [*rank[:2], {"contestant": three, "place": 2}], "ec": one},
            {"ec": "placements.ec-not-last"},
        ),
        (
            "episode_placements",
            {
                "placements": [*rank[:2], {"contestant": three, "place": 2, "immune": True}],
                "ec": three,
            },
            {"ec": "placements.ec-immune"},
        ),
        (
            "episode_placements",
            {
                "placements": [
                    *({**each, "immune": True} for each in rank[:2]),
                    {"contestant": three, "place": 2},
                ]
            },
            {"placements": "placements.nobody-left"},
        ),
        (
            "death_match_result",
            {"winner": one, "how": "x", "why": "\x01"},
            {"winner": "death-match.winner", "how": "field.invalid-choice", "why": "why.missing"},
        ),
        ("season_item_give", {**gift, "item": "x"}, {"item": "item.unknown"}),
        (
            "season_item_give",
            {**gift, "receiver": one, "death_match": met, "leg_number": 9, "ruleset": "chess"},
            {"receiver": "item.oneself", "leg_number": "item.leg", "ruleset": "setup.ruleset"},
        ),
        (
            "season_item_give",
            {**gift, "giver": two, "leg_number": 1},
            {"receiver": "item.oneself", "leg_number": "item.leg"},
        ),
        ("webhook_update", {"url": "https://a:b@example.org/"}, {"url": "webhook.url-credentials"}),
    ]


def _told_of() -> set[str]:
    """The codes that services may refuse a body with."""
    kinds: list[Any] = [serializers.Serializer]
    for kind in kinds:
        kinds += kind.__subclasses__()
    return {code for kind in kinds for code in getattr(kind, "at_fault", {})}


def test_who_may_not_hears_nothing_of_the_body(asking: Asking) -> None:
    """What is judged by how a season stands is for those who run it."""
    one = asking._world["contestant_id"][0]
    _row, text = token_create(
        acting_user=user_named("stranger"),
        name="t",
        scopes=("organise", "play"),
        lasts=timedelta(hours=1),
    )
    asking.client = Client(headers={"Authorization": f"Bearer {text}"})
    by_name = {op.described["operationId"]: op for op in TAKING}
    bodies: dict[str, dict[str, Any]] = {
        "season_round_open": {"pairings": []},
        "season_round_schedule": {"times": []},
        "episode_placements": {"placements": [{"contestant": one, "place": 1}]},
        "death_match_result": {"winner": one, "how": "ruling", "why": "x"},
        **{
            name: {"nonsense": 1}
            for name in (
                "season_update",
                "season_enrol",
                "season_seeds",
                "contestant_return",
                "contestant_replace",
                "contestant_withdraw",
                "leg_void",
                "season_step",
                "season_item_give",
                "season_item_take_back",
                "episode_choose",
                "death_match_update",
                "submit",
            )
        },
    }
    with nothing_changes():
        for name, body in bodies.items():
            answer = asking.send(by_name[name], body)
            others = {
                "season_item_give": "item.giver",
                "episode_choose": "choice.not-yours", "submit": "seat.none",
            }  # fmt: skip
            expected = (403, others.get(name, "season.not-organiser"))
            assert (answer.status_code, answer.json()["code"]) == expected, (name, answer.content)


def test_conflicts_tell_their_rows_too(asking: Asking) -> None:
    """What another time would allow is 409; of many, each row that stands against it."""
    enrol = next(op for op in TAKING if op.described["operationId"] == "season_enrol")
    body = {"contestants": [{"username": "ada"}, {"username": "dora"}, {"username": "ben"}]}
    with nothing_changes():
        answer = asking.send(enrol, body)
    assert answer.status_code == 409, answer.content
    assert answer.json()["code"] == "contestant.twice"
    assert list(answer.json()["fields"]) == ["contestants.0", "contestants.2"]


def test_a_title_belongs_to_a_code() -> None:
    assert title_of("request.not-found") == "Request: not found"
    assert title_of("season.name.too-long") == "Season name: too long"
