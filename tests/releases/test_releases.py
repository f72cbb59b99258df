"""What earlier releases have stored is read by this one, and their matches go on.

In a rolling deploy the database holds what the release before has written, and keeps it for as
long as matches last.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec
import pytest
from django.db import connection

from accounts.models import User
from games import store
from games.engine import live as lives
from games.engine.decisions import ALL, EVERYONE
from games.engine.views import match_view
from games.models import Match, MatchEntry, MatchPlayer
from games.reading.checking import match_check
from games.reading.readers import reader_of
from games.services.arrivals import match_attend
from tests.games.support import GAMES, SECOND, T0, Play, committing, record_holds
from tests.releases.keeping import FOLDER

FILES = sorted(FOLDER.glob("*/*.json"))
# A match ends by itself or, since that takes long, is conceded after so many turns; of each game
# one goes on to its own end.
TURNS = 2
# What migrating does with rows that an earlier release has written.
TO_MOVE = import_module("games.migrations.0013_front_door_turns")
every_file = pytest.mark.parametrize(
    "file", FILES, ids=[f"{path.parent.name}/{path.stem}" for path in FILES]
)


class Kept(NamedTuple):
    """A match at one moment."""

    row: dict[str, Any]
    entries: list[dict[str, Any]]


def kept(file: Path) -> list[Kept]:
    return [
        Kept(row, [entry for entry in walk["entries"] if entry["seq"] <= row["seq"]])
        for walk in msgspec.json.decode(file.read_bytes())
        for row in walk["rows"]
    ]


def columns(model: Any, row: dict[str, Any]) -> dict[str, Any]:
    """What of a row this release still has. What it has besides is as the database makes it for
    whatever was there before."""
    known = {field.attname for field in model._meta.concrete_fields}
    return {name: value for name, value in row.items() if name in known - {"id", "match_id"}}


def put(moment: Kept, people: tuple[User, User, User]) -> Play:
    """Have the rows in the database, as the earlier release has written them."""
    match = Match.objects.create(**columns(Match, moment.row))
    players = people[:2]
    MatchPlayer.objects.bulk_create(
        MatchPlayer(match=match, seat=seat, user=user, name=user.shown_name)
        for seat, user in enumerate(players)
    )
    by = {"0": people[0].pk, "1": people[1].pk, "organiser": people[2].pk}
    MatchEntry.objects.bulk_create(
        MatchEntry(match=match, **{**columns(MatchEntry, entry), "by_id": by.get(entry["actor"])})
        for entry in moment.entries
    )
    if "to_move" not in moment.row:
        with connection.cursor() as cursor:
            cursor.execute(TO_MOVE.WAITS_FOR, (match.pk,))
    play = Play(match, players)
    play.ids = (f"after-{number}" for number in count())
    return play


@pytest.fixture
def people(ada: User, ben: User, orla: User) -> tuple[User, User, User]:
    return ada, ben, orla


def moments(file: Path) -> Iterator[tuple[int, Kept]]:
    found = kept(file)
    assert len(found) > 4
    assert {row["status"] for row, _ in found} == {"running", "finished"}
    yield from enumerate(found)


def test_there_is_one_of_every_game() -> None:
    assert {path.stem for path in FILES} >= {f"{ruleset}.{variant}" for ruleset, variant in GAMES}


@every_file
def test_it_is_read_and_shown(file: Path, people: tuple[User, User, User]) -> None:
    for _, moment in moments(file):
        play = put(moment, people)
        assert match_check(play.pk).faults == ()
        held = play.held
        for audience in (*EVERYONE, *((ALL,) if held.is_over else ())):
            assert match_view(held.ruleset, held.live, audience, at=T0)
        for user in (None, *people):
            sync = reader_of(play.pk, user).sync
            assert [each["n"] for each in sync["log"]] == list(range(1, len(sync["log"]) + 1))


@every_file
def test_it_goes_on_to_its_end(file: Path, people: tuple[User, User, User]) -> None:
    to_the_end = False
    for number, moment in moments(file):
        play, random = put(moment, people), Random(number)
        play.random = random.random
        if play.match.is_over:
            continue
        last = max((entry["at"] for entry in moment.entries), default=T0) - T0
        whole = not to_the_end and bool(moment.entries)
        to_the_end = to_the_end or whole
        go_on(play, people[2], random, last, turns=None if whole else TURNS)
        record_holds(play.match)
        assert match_check(play.pk).faults == ()
    assert to_the_end


def go_on(play: Play, organiser: User, random: Random, at: int, *, turns: int | None) -> None:
    """Play until it is over, and have organisers do what it waits for."""
    made = 0
    while not (match := play.match).is_over:
        at += SECOND // 4
        table = play.held.live.table
        if match.waits_until is not None:
            with committing():
                match_attend(match_id=play.pk, there=(True, True), at=T0 + at, random=random.random)
        elif match.paused:
            play.act(organiser, "resume", at)
        elif match.awaits_ruling:
            play.act(organiser, "rule valid", at)
        elif made == turns:
            play.move(0, "concede", at)
        else:
            seats = [s for s in (0, 1) if table.open[s] is not None and not table.holds_back(s)]
            play.move(seats[0], play.random_move(seats[0], random.random), at)
            made += 1


def with_more(value: Any, *, below: frozenset[str]) -> Any:
    """JSON with a key more in every object, but for what stands below some keys."""
    if isinstance(value, list):
        return [with_more(each, below=below) for each in value]
    if isinstance(value, dict):
        return {
            key: each if key in below else with_more(each, below=below)
            for key, each in value.items()
        } | {"of-a-later-release": [1]}
    return value


@every_file
def test_what_a_later_release_adds_is_passed_over(
    file: Path, people: tuple[User, User, User]
) -> None:
    """For as long as a rolling deploy takes, this release reads what the next one writes. That
    holds of all but the states of rulesets, which are strict: docs/operating.md says so."""
    for _, moment in moments(file):
        play = put(moment, people)
        before = play.held
        snapshot = json.dumps(
            with_more(json.loads(play.match.snapshot), below=frozenset({"state"}))
        )
        assert snapshot.count("of-a-later-release") >= 4
        Match.objects.filter(pk=play.pk).update(snapshot=snapshot)
        after = store.read(play.pk)
        assert lives.encode_live(after.ruleset, after.live) == lives.encode_live(
            before.ruleset, before.live
        )
        assert after.readers == before.readers
