"""Documents of seasons that cannot be: refused, so that no page has to show them."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from tests.tournaments.support import START, after, refused, running
from tests.tournaments.test_documents import elsewhere
from tournaments.documents import restore
from tournaments.documents.export import season_export
from tournaments.documents.restore import season_import
from tournaments.formats.ladder.format import ladder_challenge
from tournaments.models import Leg, Season, SeasonEvent
from tournaments.services.scheduling.appointments import leg_schedule

Document = dict[str, Any]


def _taken_out(season: Season) -> Document:
    found: Document = json.loads(season_export(season=season))
    elsewhere()
    return found


@pytest.fixture
def bracket(orla: User) -> Document:
    """A bracket of five that has begun, out of this site."""
    return _taken_out(running(orla, 5, "single-elimination"))


@pytest.fixture
def swiss(orla: User) -> Document:
    """A Swiss season of four in its first round, one of its matches with a time."""
    season = running(orla, 4, "swiss", format_options={"rounds": 2})
    leg = Leg.objects.filter(death_match__round__season=season).order_by("pk")[0]
    leg_schedule(acting_user=orla, leg=leg, scheduled_at=after(hours=5), at=START)
    return _taken_out(season)


@pytest.fixture
def ladder(orla: User) -> Document:
    """A ladder with one challenge."""
    season = running(orla, 4, "ladder")
    two = list(season.contestants.order_by("seed"))
    ladder_challenge(acting_user=orla, season=season, challenger=two[1], defender=two[0], at=START)
    return _taken_out(season)


def _restored(orla: User, document: Document) -> Season:
    return season_import(acting_user=orla, data=json.dumps(document).encode())


def _all_refused(
    orla: User, document: Document, spoils: list[tuple[str, Callable[[Document], Any]]]
) -> None:
    for where, spoil in spoils:
        spoilt = copy.deepcopy(document)
        spoil(spoilt)
        assert spoilt != document, where
        data = json.dumps(spoilt).encode()
        refusal = refused("document.wrong", season_import, acting_user=orla, data=data)
        assert where in refusal.sentence, (where, refusal.sentence)
    # And the sound one is restored, and its pages are shown.
    season = _restored(orla, document)
    for page in ("", "calendar.ics"):
        answer = Client().get(f"{season.get_absolute_url()}{page}")
        assert answer.status_code == 200, (page, answer.status_code)


def _meeting(document: Document, number: int = 0, of: int = 0) -> Document:
    found: Document = document["rounds"][of]["death_matches"][number]
    return found


def test_a_bracket_is_that_of_the_seeds(orla: User, bracket: Document) -> None:
    bracket["events"] = []  # which speak of the matches that are moved here
    of_the_seeds = "bracket of the seeds"

    def left_some_day(document: Document) -> None:
        first, second = document["contestants"][:2]
        first["status"] = second["status"] = "withdrawn"
        first["left_at"], second["left_at"] = None, document["season"]["started_at"]

    _all_refused(
        orla,
        bracket,
        [
            (of_the_seeds, lambda d: _meeting(d).update(key="first")),
            (of_the_seeds, lambda d: _meeting(d).update(key="")),
            (of_the_seeds, lambda d: _meeting(d).update(key="٣")),
            (of_the_seeds, lambda d: _meeting(d).update(key="01")),
            (of_the_seeds, lambda d: _meeting(d).update(key="99")),
            (of_the_seeds, lambda d: _meeting(d).update(key=_meeting(d, 1)["key"])),
            (of_the_seeds, lambda d: _meeting(d).update(number=30)),
            (of_the_seeds, lambda d: d["rounds"][-1].update(death_matches=[])),
            (of_the_seeds, lambda d: d["rounds"].pop()),
            (of_the_seeds, lambda d: d.update(rounds=[], events=[])),
            (of_the_seeds, lambda d: d["contestants"][0].update(seed=None)),
            ("contradict", left_some_day),
            ("best_of", lambda d: _meeting(d).update(best_of=2)),
            ("best_of", lambda d: _meeting(d).update(best_of=17)),
        ],
    )


def test_a_bracket_needs_two(orla: User, bracket: Document) -> None:
    for each in bracket["contestants"]:
        each["seed"] = None
    data = json.dumps(bracket).encode()
    refused("pairing.too-few", season_import, acting_user=orla, data=data)


def test_a_ladder_counts_its_challenges(orla: User, ladder: Document) -> None:
    ladder["events"] = []  # which speak of the challenge that is moved here

    def twice(document: Document) -> None:
        document["rounds"].append({**document["rounds"][0], "number": 2, "death_matches": []})

    _all_refused(
        orla,
        ladder,
        [
            ("death_matches[0].key", lambda d: _meeting(d).update(key="challenge-2")),
            ("death_matches[0].key", lambda d: _meeting(d).update(key="1")),
            ("without gaps", lambda d: _meeting(d).update(number=2, key="challenge-2")),
            ("one round", twice),
        ],
    )


def test_a_season_of_rounds(orla: User, swiss: Document) -> None:
    def one_another(document: Document) -> None:
        first, second = document["contestants"][:2]
        first["replaces"], second["replaces"] = second["id"], first["id"]

    def gone(document: Document) -> None:
        document["contestants"][0]["status"] = "withdrawn"

    def scheduled(document: Document) -> Document:
        return next(e for e in document["events"] if e["kind"] == "death-match.scheduled")

    _all_refused(
        orla,
        swiss,
        [
            ("death_matches[0].key", lambda d: _meeting(d).update(key="1")),
            ("without gaps", lambda d: (d["rounds"][0].update(number=3), d.update(events=[]))),
            ("not begun", lambda d: d["season"].update(status="enrolling", started_at=None)),
            ("took over from themselves", one_another),
            ("is out and yet to play", gone),
            ("lacks a match", lambda d: _meeting(d, 1).update(legs=[], best_of=1)),
            ("meets two", lambda d: _meeting(d).update(away=_meeting(d, 1)["home"])),
            ("at most 1", lambda d: _meeting(d)["legs"][0].update(number=2)),
            ("has no record", lambda d: _meeting(d)["legs"][0].update(record=1)),
            ("nothing is played", lambda d: d["rounds"][0].update(
                ruleset="", variant="", options={"turn_time": 5}
            )),
            ("events[0].kind", lambda d: d["events"][0].update(kind="season.exploded")),
            ("data.at", lambda d: scheduled(d)["data"].update(at="garbage")),
            ("data.at", lambda d: scheduled(d)["data"].update(at=7)),
            ("data.at", lambda d: scheduled(d)["data"].update(at="2026-01-01T00:00:00")),
            ("data.at", lambda d: scheduled(d)["data"].update(at="9999-12-31T23:59:59-14:00")),
        ],
    )  # fmt: skip


def test_a_round_of_no_game(orla: User, swiss: Document) -> None:
    swiss["rounds"][0].update(ruleset="chess", variant="standard")
    data = json.dumps(swiss).encode()
    refusal = refused("setup.ruleset", season_import, acting_user=orla, data=data)
    assert "rounds[0]" in refusal.sentence


def test_too_many_people(orla: User, swiss: Document, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restore, "SEED_MAX", 3)
    data = json.dumps(swiss).encode()
    refusal = refused("document.wrong", season_import, acting_user=orla, data=data)
    assert "contestants" in refusal.sentence


@pytest.mark.parametrize(
    "at",
    ["garbage", "2026-01-01T00:00:00", 7, ["x"], "0001-01-01T00:00:00+14:00",
     "9999-12-31T23:59:59-14:00", "9999-12-31T23:59:59+00:00"],
)  # fmt: skip
def test_a_calendar_passes_over_times_that_are_none(orla: User, at: Any) -> None:
    """A history may have been restored before such times were refused."""
    season = running(orla, 4, "swiss", format_options={"rounds": 2})
    leg = Leg.objects.filter(death_match__round__season=season).order_by("pk")[0]
    SeasonEvent.objects.create(
        season=season, kind="death-match.scheduled", words="Some day.", data={"at": at},
        death_match=leg.death_match, leg=leg, at=START,
    )  # fmt: skip
    answer = Client().get(f"{season.get_absolute_url()}calendar.ics")
    assert answer.status_code == 200
    assert b"BEGIN:VEVENT" not in answer.content
