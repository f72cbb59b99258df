"""Making, changing, beginning and ending seasons; every refusal leaves everything as it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import IntegrityError, InternalError, transaction

from accounts.models import AuditEntry, User
from accounts.services import user_close
from core.refusals import Refusal
from games.engine.capabilities import supplier
from games.engine.errors import EngineFault
from games.rulesets import REGISTRY
from tests.tournaments.support import (
    GAME,
    START,
    after,
    begun,
    chosen,
    enrolled,
    kinds,
    organiser_joins,
    played,
    refused,
    running,
    who,
)
from tournaments import lifecycle
from tournaments.formats.elimination.final import final_open
from tournaments.models import Season, SeasonEvent
from tournaments.services.contestants.departures import contestant_withdraw
from tournaments.services.contestants.enrolment import contestant_enrol
from tournaments.services.guards import season_lock
from tournaments.services.legs import rules_set
from tournaments.services.organisers import organiser_remove
from tournaments.services.preflight import preflight
from tournaments.services.seasons import (
    season_archive,
    season_cancel,
    season_create,
    season_finish,
    season_list,
    season_unlist,
    season_update,
)
from tournaments.services.starts import season_start


def made(orla: User, **settings: Any) -> Season:
    return season_create(
        acting_user=orla, name="Autumn", format="elimination", settings=settings, at=START
    )


def codes(season: Season, step: Any) -> list[str]:
    return [warned.code for warned in preflight(season, step)]


# -- making and changing -------------------------------------------------------------------------


def test_a_draft_is_its_makers(orla: User, oscar: User, cleo: User) -> None:
    season = made(orla)
    assert (season.slug, season.status, season.visibility) == ("autumn", "enrolling", "draft")
    assert [each.user for each in season.organisers.all()] == [orla]
    for user, sees in ((orla, True), (oscar, False), (cleo, False)):
        assert Season.objects.visible_to(user).filter(pk=season.pk).exists() is sees
    assert made(orla).slug == "autumn-2"
    assert AuditEntry.objects.filter(action="season.create", who=orla).count() == 2


@pytest.mark.parametrize(
    ("code", "settings"),
    [
        ("season.unknown-field", {"colour": "red"}),
        ("season.unknown-field", {"status": "running"}),
        ("season.name.missing", {"name": " \n"}),
        ("season.name.too-long", {"name": "x" * 81}),
        ("season.summary.too-long", {"summary": "x" * 2001}),
        ("season.repertoire", {"repertoire": "tetronogo"}),
        ("season.repertoire", {"repertoire": [{"ruleset": "tetronogo"}]}),
        ("season.repertoire", {"repertoire": [{**GAME, "seat": 1}]}),
        ("season.repertoire", {"repertoire": [GAME] * 65}),
        ("setup.ruleset", {"repertoire": [{"ruleset": "chess", "variant": "x"}]}),
        ("setup.variant", {"repertoire": [{**GAME, "variant": "x"}]}),
        ("setup.options", {"repertoire": [{**GAME, "options": {"colour": 1}}]}),
        ("setup.options", {"repertoire": [{**GAME, "options": [1]}]}),
        ("season.choice", {"ruleset_choice": "whim"}),
        ("season.pace", {"pace": "warp"}),
        ("season.tie-breaks", {"tie_breaks": "points"}),
        ("standings.unknown", {"tie_breaks": ["beauty"]}),
        ("standings.twice", {"tie_breaks": ["points", "points"]}),
        ("season.no-show", {"no_show_minutes": -1}),
        ("season.no-show", {"no_show_minutes": 1.5}),
        ("season.no-show", {"no_show_rule": "shrug"}),
        ("format.options", {"format_options": {"rounds": 3}}),
        ("format.options", {"format_options": {"final_best_of": 2}}),
    ],
)
def test_settings_that_do_not_fit(orla: User, code: str, settings: dict[str, Any]) -> None:
    season = made(orla)
    refused(code, season_update, acting_user=orla, season=season, changes=settings)
    if "name" not in settings:
        refused(
            code, season_create, acting_user=orla, name="B", format="elimination", settings=settings
        )


def test_who_may_open_and_change(orla: User, oscar: User, cleo: User) -> None:
    refused("season.not-allowed", season_create, acting_user=cleo, name="A", format="swiss")
    refused("format.unknown", season_create, acting_user=orla, name="A", format="chess")
    season = made(orla)
    for user in (oscar, cleo):
        refused("season.not-organiser", season_update, acting_user=user, season=season, changes={})
        refused("season.not-organiser", season_list, acting_user=user, season=season)
        refused("season.not-organiser", season_start, acting_user=user, season=season)
        refused("season.not-organiser", season_cancel, acting_user=user, season=season, why="x")
        refused("season.not-organiser", organiser_joins, acting_user=user, season=season, user=user)
        refused("season.not-allowed", season_archive, acting_user=user, season=season)


def test_what_can_change_when(orla: User) -> None:
    season = enrolled(orla, 4)
    changes = {"name": "Winter", "format_options": {"choice_hours": 2}, "pace": "daily"}
    season = season_update(acting_user=orla, season=season, changes=changes)
    assert (season.name, season.pace) == ("Winter", "daily")
    entry = AuditEntry.objects.get(action="season.update")
    assert entry.data["pace"] == {"from": "normal", "to": "daily"}
    season_start(acting_user=orla, season=season, at=START)
    refused(
        "season.begun", season_update, acting_user=orla, season=season,
        changes={"format_options": {}},
    )  # fmt: skip
    season_update(acting_user=orla, season=season, changes={"no_show_minutes": 5})
    refused(
        "season.begun", season_update, acting_user=orla, season=season,
        changes={"tie_breaks": ["points"]},
    )  # fmt: skip
    # What is sent along as it was is no change.
    season_update(acting_user=orla, season=season, changes={"tie_breaks": []})
    season_cancel(acting_user=orla, season=season, why="rain", at=START)
    refused("season.over", season_update, acting_user=orla, season=season, changes={"name": "A"})


def test_an_update_that_changes_nothing_is_not_logged(orla: User) -> None:
    season = made(orla)
    season_update(acting_user=orla, season=season, changes={"name": "Autumn"})
    assert not AuditEntry.objects.filter(action="season.update").exists()


# -- organisers ----------------------------------------------------------------------------------


def test_organisers_come_and_go(orla: User, oscar: User, cleo: User) -> None:
    season = made(orla)
    refused("organiser.none", organiser_remove, acting_user=orla, season=season, user=oscar)
    refused("organiser.last", organiser_remove, acting_user=orla, season=season, user=orla)
    for user in (oscar, cleo):
        organiser_joins(acting_user=orla, season=season, user=user)
    refused("organiser.twice", organiser_joins, acting_user=orla, season=season, user=oscar)
    refused("organiser.owner", organiser_remove, acting_user=oscar, season=season, user=orla)
    organiser_remove(acting_user=cleo, season=season, user=oscar)
    refused("season.not-organiser", season_list, acting_user=oscar, season=season)


def test_running_matches_get_their_referees(orla: User, oscar: User) -> None:
    season = running(orla, 4)
    leg = begun(orla, chosen(orla, season, ec=1, dmo=2))
    assert leg.match is not None
    organiser_joins(acting_user=orla, season=season, user=oscar)
    assert {each.user for each in leg.match.referees.all()} == {orla, oscar}
    organiser_remove(acting_user=orla, season=season, user=oscar)
    assert {each.user for each in leg.match.referees.all()} == {orla}


# -- visibility ----------------------------------------------------------------------------------


def test_listed_unlisted_archived(orla: User, oscar: User) -> None:
    season = made(orla)
    refused("lifecycle.step", season_archive, acting_user=orla, season=season)
    refused("lifecycle.step", season_unlist, acting_user=orla, season=season)
    season_list(acting_user=orla, season=season, at=START)
    refused("lifecycle.step", season_list, acting_user=orla, season=season)
    season_unlist(acting_user=orla, season=season, at=START)
    season_list(acting_user=orla, season=season, at=START)
    season_archive(acting_user=orla, season=season, at=START)
    for call in (season_start, season_unlist):
        refused("season.archived", call, acting_user=orla, season=season)
    refused("season.archived", season_update, acting_user=orla, season=season, changes={})
    refused("season.not-allowed", season_list, acting_user=oscar, season=season)
    assert season_list(acting_user=orla, season=season, at=START).visibility == "listed"
    assert kinds(season) == ["season.listed", "season.listed"]


def test_what_has_begun_stays_public(orla: User) -> None:
    season = running(orla, 4)
    refused("season.begun", season_unlist, acting_user=orla, season=season)
    with pytest.raises(IntegrityError, match="season_draft_not_begun"), transaction.atomic():
        Season.objects.filter(pk=season.pk).update(visibility="draft")


# -- beginning -----------------------------------------------------------------------------------


def test_seeds_are_fixed_without_gaps(orla: User) -> None:
    season = enrolled(orla, 5)
    contestant_withdraw(acting_user=orla, contestant=who(season, 2), why="ill", at=START)
    season.contestants.filter(name="Player 4").update(seed=None)
    season_start(acting_user=orla, season=season, at=START)
    assert [who(season, number).seed for number in (1, 2, 3, 4, 5)] == [1, None, 2, 4, 3]
    assert who(season, 1).status == "active"
    assert who(season, 2).status == "withdrawn"


def test_what_stops_a_start(orla: User) -> None:
    season = made(orla)
    assert codes(season, "start")[:2] == ["season.draft", "pairing.too-few"]
    refused("season.draft", season_start, acting_user=orla, season=season)
    season_list(acting_user=orla, season=season, at=START)
    refused("pairing.too-few", season_start, acting_user=orla, season=season)
    season = running(orla, 4)
    refused("season.begun", season_start, acting_user=orla, season=season)


def test_what_an_organiser_is_warned_of(orla: User) -> None:
    season = enrolled(orla, 4, repertoire=[])
    season.contestants.filter(name="Player 4").update(seed=None)
    closed = who(season, 3).user
    assert closed is not None
    user_close(acting_user=User.objects.get(username="root"), user=closed, reason="left")
    assert set(codes(season, "start")) == {
        "preflight.unseeded", "preflight.no-ruleset", "preflight.closed", "preflight.no-mail",
        "preflight.unreached", "preflight.organiser-no-mail",
    }  # fmt: skip
    assert not any(warned.stops for warned in preflight(season, "start"))
    assert all(warned.sentence.endswith(".") for warned in preflight(season, "start"))


def test_that_nobody_could_referee_is_told(orla: User) -> None:
    season = enrolled(orla, 3)
    contestant_enrol(acting_user=orla, season=season, user=orla, at=START)
    assert "preflight.no-referee" in codes(season, "start")


# -- ending --------------------------------------------------------------------------------------


def test_calling_off(orla: User) -> None:
    season = running(orla, 4)
    refused("why.missing", season_cancel, acting_user=orla, season=season, why=" ")
    refused("why.too-long", season_cancel, acting_user=orla, season=season, why="x" * 501)
    begun(orla, chosen(orla, season, ec=1, dmo=2))
    assert "season.leg-running" in codes(season, "cancel")
    refused("season.leg-running", season_cancel, acting_user=orla, season=season, why="rain")
    other = enrolled_again(orla)
    cancelled = season_cancel(acting_user=orla, season=other, why="rain", at=after(days=1))
    assert (cancelled.status, cancelled.finished_at) == ("cancelled", after(days=1))
    refused("lifecycle.step", season_cancel, acting_user=orla, season=other, why="rain")
    refused("lifecycle.step", season_start, acting_user=orla, season=other)


def enrolled_again(orla: User) -> Season:
    season = made(orla)
    return season_list(acting_user=orla, season=season, at=START)


def test_not_finished_before_its_end(orla: User) -> None:
    season = running(orla, 4)
    refused("season.no-winner", season_finish, acting_user=orla, season=season)
    chosen(orla, season, ec=1, dmo=2)
    assert "season.open-matches" in codes(season, "finish")
    refused("season.open-matches", season_finish, acting_user=orla, season=season)
    swiss = enrolled_again(orla)
    refused("lifecycle.step", season_finish, acting_user=orla, season=swiss)


def test_a_seasons_winner_is_still_in(orla: User, cleo: User) -> None:
    season = running(orla, 3, "ladder")
    refused("season.no-winner", season_finish, acting_user=orla, season=season)
    stranger = running_with(orla, cleo)
    refused("season.winner-left", season_finish, acting_user=orla, season=season, winner=stranger)


def running_with(orla: User, user: User) -> Any:
    return contestant_enrol(acting_user=orla, season=enrolled_again(orla), user=user, at=START)


# -- held by the database ------------------------------------------------------------------------


def test_what_happened_cannot_be_rewritten(orla: User) -> None:
    season = running(orla, 4)
    events = SeasonEvent.objects.filter(season=season)
    for act in (lambda: events.update(words="nothing"), events.delete):
        with (
            pytest.raises((InternalError, IntegrityError), match="append-only"),
            transaction.atomic(),
        ):
            act()


@pytest.mark.django_db(transaction=True)
def test_a_season_is_locked_inside_a_transaction_only(orla: User) -> None:
    with pytest.raises(EngineFault):
        season_lock(made(orla).pk)


def test_a_season_that_is_none(orla: User) -> None:
    season = made(orla)
    season.pk = 10**9
    refused("season.none", season_list, acting_user=orla, season=season)


def test_every_state_is_in_the_tables() -> None:
    tables: list[tuple[Any, Any]] = [
        (lifecycle.SEASON, lifecycle.SeasonStatus),
        (lifecycle.CONTESTANT, lifecycle.ContestantStatus),
        (lifecycle.ROUND, lifecycle.RoundStatus),
        (lifecycle.EPISODE, lifecycle.EpisodeStatus),
        (lifecycle.DEATH_MATCH, lifecycle.DeathMatchStatus),
        (lifecycle.LEG, lifecycle.LegStatus),
        (lifecycle.GIFT, lifecycle.GiftStatus),
        (lifecycle.VISIBILITY, lifecycle.Visibility),
    ]
    for steps, states in tables:
        assert set(steps) == set(states)
        for now in states:
            for then in states:
                if then in steps[now]:
                    assert lifecycle.step(steps, now, then, "It") is then
                    continue
                with pytest.raises(Refusal, match=r"^lifecycle\.step"):
                    lifecycle.step(steps, now, then, "It")


def test_what_was_played_stays_public_when_it_is_cancelled(orla: User) -> None:
    season = running(orla, 3)
    season_cancel(acting_user=orla, season=season, why="no players left", at=START)
    refused("season.begun", season_unlist, acting_user=orla, season=season)
    with pytest.raises(IntegrityError, match="season_draft_not_begun"), transaction.atomic():
        Season.objects.filter(pk=season.pk).update(visibility="draft")


def test_one_that_never_began_is_hidden_when_it_is_cancelled(orla: User) -> None:
    season = enrolled(orla, 3)
    season_cancel(acting_user=orla, season=season, why="no players", at=START)
    assert season_unlist(acting_user=orla, season=season).visibility == "draft"


def test_what_organisers_prepare_is_no_option(orla: User) -> None:
    """Options are public at once; a pool is a secret until the match begins."""
    pool = json.loads(supplier(REGISTRY.get("domain")).supply_files("pool")["example"])
    game: dict[str, Any] = {"ruleset": "domain", "variant": "standard", "options": {"pool": pool}}
    season = running(orla, 3)
    refusal = refused(
        "setup.options", season_update, acting_user=orla, season=season,
        changes={"repertoire": [game]},
    )  # fmt: skip
    assert "an organiser may prepare one" in refusal.sentence
    death_match = chosen(orla, season, ec=1, dmo=2)
    refused("setup.options", rules_set, acting_user=orla, death_match=death_match, **game)
    played(orla, death_match, winner=0)
    refused("setup.options", final_open, acting_user=orla, season=season, games=[game], best_of=1)
