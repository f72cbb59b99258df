"""Whatever a season went through, its document is restored: nothing that can be is refused. Only a
whole run plays each format with both seeds."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from accounts.models import User
from games.models import Match
from tests.support import depth
from tests.tournaments.support import GAME, START, enrolled, fresh, played, running, who
from tests.tournaments.test_documents import elsewhere
from tournaments.documents.export import season_export, season_records
from tournaments.documents.restore import season_import
from tournaments.invariants import faults_of
from tournaments.models import Contestant, DeathMatch, Gift, Leg, Round
from tournaments.services.contestants.departures import contestant_replace
from tournaments.services.results.corrections import death_match_void, round_reopen
from tournaments.services.rounds import round_pair
from tournaments.simulation.plan import Plan
from tournaments.simulation.season import season_simulate


@pytest.mark.parametrize(
    ("kind", "seed"),
    depth.covering(["elimination", "single-elimination", "round-robin", "swiss", "ladder"], [1, 2]),
)
def test_disturbed_seasons(orla: User, kind: str, seed: int) -> None:
    plan = Plan(
        format=kind, contestants=6, seed=seed, start=START, quick=True, best_of=1, drop_outs=2,
        no_shows=1, voids=2, corrections=2, options={"rounds": 3} if kind == "swiss" else {},
        repertoire=(GAME,),
    )  # fmt: skip
    archive = season_records(season=season_simulate(plan=plan, organiser=orla))
    elsewhere()
    restored = season_import(acting_user=orla, data=archive, match_accounts=True)
    assert faults_of(restored) == []
    assert season_records(season=restored) == archive


FILES = sorted((Path(__file__).parent / "files").glob("*.season.zip"))
# Far beyond every number that a document has of its own.
FAR = 70_000_000


def _ids_far_away() -> None:
    """Rows are numbered from very far on, so that no id could be taken for a number."""
    with connection.cursor() as cursor:
        for model in (Contestant, Round, DeathMatch, Leg, Gift, Match):
            name = f"pg_get_serial_sequence('{model._meta.db_table}', 'id')"
            cursor.execute(f"SELECT {name}")
            (sequence,) = cursor.fetchone()
            cursor.execute(f"ALTER SEQUENCE {sequence} RESTART WITH {FAR}")


def _numbers_in(value: Any) -> Iterator[int]:
    if isinstance(value, dict):
        for each in value.values():
            yield from _numbers_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from _numbers_in(each)
    elif isinstance(value, int):
        yield value


@pytest.mark.parametrize(
    "kind", ["elimination", "single-elimination", "round-robin", "swiss", "ladder"]
)
def test_no_id_of_this_site_leaves(orla: User, kind: str) -> None:
    _ids_far_away()
    plan = Plan(
        format=kind, contestants=6, seed=3, start=START, quick=True, best_of=3, drop_outs=1,
        no_shows=1, voids=2, corrections=1, options={"rounds": 3} if kind == "swiss" else {},
        repertoire=(GAME,),
    )  # fmt: skip
    season = season_simulate(plan=plan, organiser=orla)
    assert season.contestants.filter(pk__gte=FAR).count() >= 6
    assert Match.objects.filter(pk__gte=FAR).exists()
    document = json.loads(season_export(season=season))
    assert max(_numbers_in(document)) < FAR


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files_of_before_are_restored(orla: User, path: Path) -> None:
    """As they were exported before mentions were told by their type: all but one key's."""
    with zipfile.ZipFile(path) as archive:
        document = json.loads(archive.read("season.json"))
    season = season_import(acting_user=orla, data=path.read_bytes())
    assert faults_of(season) == []
    for each in document["contestants"]:
        each["username"] = ""
    for each in document["events"]:
        if "not_ready" in each["data"]:
            # These were ids of the site where it was played: nobody, here.
            each["data"]["not_ready"] = [None for _ in each["data"]["not_ready"]]
    # Nobody saw a match late then.
    document["season"]["late_s"] = 0
    # Nobody applied or waited, and only organisers set times.
    document["season"] |= {
        "by_application": False, "places": None, "times_by": "open", "play_within_days": None,
    }  # fmt: skip
    for each in document["rounds"]:
        if each.get("episode"):
            # No main match was a table of scores, and no death match had its time so early.
            each["episode"] |= {"death_match_at": None, "scores": None}
    # Spectators predict unless the organisers say otherwise.
    document["season"]["predictions"] = True
    # Nor were gifts secret.
    document["season"]["secret_gifts"] = "never"
    for each in document["gifts"]:
        each |= {"secret": False, "revealed_at": None}
    # Nor did seasons trade in anything.
    document["season"]["trade"], document["ledger"] = {}, []
    assert json.loads(season_export(season=season)) == document


def test_a_swiss_round_that_could_not_be_paired_without_a_rematch(orla: User) -> None:
    season = running(orla, 2, "swiss", format_options={"rounds": 2})
    for lenient in (False, True):
        if lenient:
            round_pair(acting_user=orla, season=season, lenient=True, at=START)
        played(orla, DeathMatch.objects.get(round__season=season, status="planned"), winner=0)
    archive = season_records(season=season)
    elsewhere()
    restored = season_import(acting_user=orla, data=archive, match_accounts=True)
    assert season_records(season=restored) == archive


def test_what_organisers_put_right_is_restored_too(orla: User) -> None:
    """A death match called off, and a round of a season that is over reopened."""
    season = running(orla, 4, "swiss", format_options={"rounds": 1})
    off, on = DeathMatch.objects.filter(round__season=season).order_by("number")
    death_match_void(acting_user=orla, death_match=off, why="the wrong two", at=START)
    played(orla, on, winner=0)
    assert fresh(on).round.season.status == "finished"
    round_reopen(acting_user=orla, round=season.rounds.get(), why="a mistake", at=START)
    assert faults_of(season) == []
    archive = season_records(season=season)
    elsewhere()
    restored = season_import(acting_user=orla, data=archive, match_accounts=True)
    assert season_records(season=restored) == archive


def test_a_place_that_was_taken_over_after_a_result(orla: User, cleo: User) -> None:
    season = running(orla, 2, "swiss", format_options={"rounds": 2})
    played(orla, DeathMatch.objects.get(round__season=season), winner=0)
    contestant_replace(acting_user=orla, contestant=who(season, 2), user=cleo, why="ill", at=START)
    assert faults_of(season) == []
    archive = season_records(season=season)
    elsewhere()
    restored = season_import(acting_user=orla, data=archive, match_accounts=True)
    assert season_records(season=restored) == archive


def test_a_name_that_is_somebody_elses_is_linked_to_no_account(orla: User) -> None:
    season = enrolled(orla, 3)
    document = json.loads(season_export(season=season))
    for person, name in zip(
        document["contestants"], ("Moderator", "Orla", "Player 3"), strict=True
    ):
        person["name"] = name
    elsewhere()
    restored = season_import(
        acting_user=orla, data=json.dumps(document).encode(), match_accounts=True
    )
    found = {each.name: each.user for each in restored.contestants.select_related("user")}
    assert (found["Moderator"], found["Orla"]) == (None, None)
    assert found["Player 3"] == User.objects.get(username="player3")
