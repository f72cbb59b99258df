"""A season once more: its settings, its people, and who may."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from accounts.models import AuditEntry, User
from accounts.moderation.sanctions import user_suspend
from accounts.roles import Role
from accounts.services import role_revoke
from tests.games.support import user_named
from tests.pages.support import words
from tests.tournaments.support import (
    GAME,
    START,
    WARS,
    account,
    chosen,
    enrolled,
    played,
    refused,
    running,
    who,
)
from tournaments.models import Contestant, Season
from tournaments.services import seasons
from tournaments.services.cloning import Bringing, next_name, season_clone
from tournaments.services.contestants.departures import contestant_replace, contestant_withdraw
from tournaments.services.contestants.enrolment import contestant_enrol
from tournaments.services.seasons import (
    season_archive,
    season_cancel,
    season_create,
    season_list,
    settings_of,
)

OTHER: dict[str, Any] = {
    "summary": "On Thursdays.",
    "open_enrolment": True,
    "by_application": True,
    "places": 9,
    "times_by": "move",
    "play_within_days": 5,
    "predictions": False,
    "secret_gifts": "choice",
    "trade": {"tokens": True},
    "repertoire": [GAME, WARS],
    "ruleset_choice": "lower-seed",
    "pace": "slow",
    "tie_breaks": ["points", "wins"],
    "no_show_minutes": 7,
    "no_show_rule": "forfeit",
    "late_s": 60,
    "format_options": {"rounds": 3},
}


def people(season: Season) -> list[tuple[str, int | None]]:
    rows = season.contestants.order_by("seed", "pk").select_related("user")
    return [(each.name, each.seed) for each in rows]


def test_every_setting_is_that_of_the_other_season(orla: User) -> None:
    default = season_create(acting_user=orla, name="Plain", format="swiss")
    season = season_create(acting_user=orla, name="Autumn", format="swiss", settings=OTHER)
    assert {k: v for k, v in settings_of(season).items() if v == settings_of(default)[k]} == {}
    made = season_clone(acting_user=orla, season=season, name="Winter", at=START)
    assert settings_of(made) == settings_of(season)
    assert (made.name, made.slug, made.format) == ("Winter", "winter", "swiss")
    assert (made.visibility, made.status, made.started_at) == ("draft", "enrolling", None)
    assert [each.user for each in made.organisers.all()] == [orla]
    assert made.uid != season.uid
    assert not made.contestants.exists()
    entry = AuditEntry.objects.get(action="season.clone")
    assert (entry.target_id, entry.data["from"]) == (str(made.pk), season.pk)


def test_a_setting_that_can_be_made_is_cloned() -> None:
    """Settings are columns; what another season takes over is each that `season_update` takes."""
    assert set(settings_of(Season())) == (set(seasons._CHECKS) - {"name"}) | {"format_options"}


@pytest.mark.parametrize(
    ("bringing", "expected"),
    [
        (Bringing.NOBODY, []),
        (Bringing.UNSEEDED, [("Player 1", None), ("Player 2", None), ("Player 3", None)]),
        (Bringing.PLACED, [("Player 2", 1), ("Player 1", 2), ("Player 3", 3)]),
    ],
)
def test_who_comes_along(orla: User, bringing: str, expected: list[Any]) -> None:
    season = running(orla, 3)
    # 3 is out, 2 wins the final.
    row = played(orla, chosen(orla, season, ec=2, dmo=3), winner=0)
    assert row.winner == who(season, 2)
    Contestant.objects.filter(pk=who(season, 2).pk).update(place=1)
    Contestant.objects.filter(pk=who(season, 1).pk).update(place=2)
    made = season_clone(acting_user=orla, season=season, name="Next", bringing=bringing, at=START)
    assert sorted(people(made)) == sorted(expected)
    assert set(made.contestants.values_list("status", flat=True)) <= {"enrolled"}


def test_whoever_has_no_place_comes_after_by_seed(orla: User) -> None:
    season = enrolled(orla, 3, "swiss")
    made = season_clone(
        acting_user=orla, season=season, name="Next", bringing=Bringing.PLACED, at=START
    )
    assert people(made) == [("Player 1", 1), ("Player 2", 2), ("Player 3", 3)]


def test_who_came_late_has_a_place_in_the_clone(orla: User) -> None:
    season = running(orla, 2, "swiss", places=2)
    late = user_named("eve", display_name="Eve")
    contestant_enrol(acting_user=orla, season=season, user=late, at=START)
    bringing = Bringing.UNSEEDED
    made = season_clone(acting_user=orla, season=season, name="Next", bringing=bringing, at=START)
    assert (len(people(made)), made.places) == (3, 3)
    empty = season_clone(acting_user=orla, season=season, name="After", at=START)
    assert empty.places == 2


def test_who_has_left_or_cannot_enter_stays_behind(orla: User) -> None:
    season = running(orla, 6, "swiss")
    root = User.objects.get(username="root")
    contestant_withdraw(acting_user=orla, contestant=who(season, 1), why="Gone.", at=START)
    contestant_replace(
        acting_user=orla, contestant=who(season, 2), user=user_named("eve", display_name="Eve"),
        why="Ill.", at=START,
    )  # fmt: skip
    three, four = account(season, 3), account(season, 4)
    user_suspend(acting_user=root, user=three, reason="Enough.", until=None)
    User.objects.filter(pk=four.pk).update(is_active=False)
    Contestant.objects.filter(pk=who(season, 5).pk).update(user=None)
    made = season_clone(
        acting_user=orla, season=season, name="Next", bringing=Bringing.PLACED, at=START
    )
    assert {name for name, _ in people(made)} == {"Eve", "Player 6"}


def test_a_name_that_is_somebody_elses_by_now_is_left_behind(orla: User) -> None:
    season = enrolled(orla, 1, "swiss")
    Contestant.objects.filter(season=season).update(name="Zed")
    user_named("zed", display_name="Zed")
    made = season_clone(
        acting_user=orla, season=season, name="Next", bringing=Bringing.UNSEEDED, at=START
    )
    assert people(made) == [("Player 1", None)]


def test_a_season_that_is_over_or_in_the_archive_is_cloned_too(orla: User) -> None:
    season = season_cancel(acting_user=orla, season=enrolled(orla, 2), why="No time.", at=START)
    season_archive(acting_user=orla, season=season, at=START)
    before = people(season)
    made = season_clone(
        acting_user=orla, season=season, name="Next", bringing=Bringing.UNSEEDED, at=START
    )
    assert len(people(made)) == 2
    season.refresh_from_db()
    assert (season.visibility, season.status, people(season)) == ("archived", "cancelled", before)


def test_what_is_refused(orla: User, oscar: User, cleo: User) -> None:
    season = enrolled(orla, 2, "swiss")

    def no(code: str, **how: Any) -> None:
        given = {"acting_user": orla, "season": season, "name": "Next", "at": START}
        refused(code, season_clone, **given | how)

    no("season.not-organiser", acting_user=oscar)
    no("season.not-organiser", acting_user=cleo)
    no("clone.people", bringing="everybody")
    no("clone.same-name", name=" autumn ")
    no("season.name.missing", name=" ")
    no("season.name.too-long", name="n" * 81)
    role_revoke(acting_user=User.objects.get(username="root"), user=orla, role=Role.ORGANISER)
    no("season.not-organiser", acting_user=User.objects.get(pk=orla.pk))


def test_all_of_it_or_nothing(orla: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings that are refused by now (a game that is there no more) leave no half of a draft."""
    season = enrolled(orla, 2, "swiss")
    Season.objects.filter(pk=season.pk).update(repertoire=[{**GAME, "ruleset": "gone"}])
    season.refresh_from_db()
    refused(
        "setup.ruleset", season_clone,
        acting_user=orla, season=season, name="Next", bringing=Bringing.UNSEEDED,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "after"),
    [
        ("Autumn", "Autumn 2"),
        ("Autumn 2", "Autumn 3"),
        ("Cup 9", "Cup 10"),
        ("2026", "2026 2"),
        ("n" * 80, "n" * 78 + " 2"),
    ],
)
def test_what_the_next_season_may_be_called(name: str, after: str) -> None:
    assert next_name(name) == after


def test_the_page(orla: User, client: Client) -> None:
    season = season_list(
        acting_user=orla,
        season=season_create(acting_user=orla, name="Spring", format="swiss", at=START),
        at=START,
    )
    client.force_login(orla)
    address = f"/seasons/{season.slug}/desk/steps/clone/"
    assert address in client.get(f"/seasons/{season.slug}/desk/").text
    page = client.get(address)
    assert 'value="Spring 2"' in page.text
    again = client.post(address, {"name": "Spring", "bringing": "nobody"})
    assert "a name of its own" in words(again)
    answer = client.post(address, {"name": "Summer", "bringing": "placed"}, follow=True)
    assert answer.redirect_chain[-1][0] == "/seasons/summer/desk/"
    assert "Summer is a draft that only you see; nobody is enrolled." in words(answer)
