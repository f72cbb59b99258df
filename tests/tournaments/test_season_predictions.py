"""Those who only watch a season say who wins: who may, until when, where it stands, what it
counts, and what others are told of it."""

from __future__ import annotations

from decimal import Decimal
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from accounts.moderation.merging import user_merge
from core.refusals import allowed
from games.models import Prediction
from games.services.predictions import prediction_make
from tests.games.support import T0, user_named
from tests.pages.support import words
from tests.tournaments.support import (
    account,
    after,
    begun,
    chosen,
    conceded,
    enrolled,
    episode_now,
    fresh,
    leg_of,
    organiser_joins,
    organiser_named,
    placings,
    played,
    refused,
    running,
    who,
)
from tournaments.formats.elimination.episodes import episode_skip
from tournaments.formats.elimination.main_match import placements_record
from tournaments.formats.elimination.scores import Line as ScoreLine
from tournaments.formats.elimination.scores import Table, scores_save
from tournaments.models import DeathMatch, Season, SeasonPrediction
from tournaments.reading.predictions import (
    Asked,
    Predictions,
    best_of,
    predictions_of,
    table_of,
)
from tournaments.reading.sheet import Sheet
from tournaments.scoring import Column
from tournaments.services.contestants.departures import contestant_replace, contestant_withdraw
from tournaments.services.contestants.enrolment import contestant_enrol
from tournaments.services.predictions import (
    death_match_predict,
    must_be_open_for_winner,
    winner_predict,
)
from tournaments.services.results.conclusion import season_end
from tournaments.services.results.corrections import (
    death_match_correct,
    death_match_reopen,
    death_match_void,
    leg_void,
)
from tournaments.services.results.rulings import death_match_declare, death_match_walkover
from tournaments.services.seasons import season_archive, season_cancel, season_update
from tournaments.services.starts import season_start


@pytest.fixture
def cleo(db: None) -> User:
    return user_named("cleo", display_name="Cleo")


@pytest.fixture
def mona(db: None) -> User:
    return user_named("mona", display_name="Mona")


def say(user: User, season: Season, number: int) -> None:
    """Name a contestant, by number, as the season's winner."""
    winner_predict(acting_user=user, season=season, contestant=who(season, number), at=T0)


def name(user: User, row: DeathMatch, seat: int) -> None:
    """Name a side of a death match as its winner."""
    side = (row.home, row.away)[seat]
    assert side is not None
    death_match_predict(acting_user=user, death_match=row, contestant=side, at=T0)


def winner_is_open(season: Season) -> bool:
    """Whether the season's winner can be predicted."""
    return allowed(must_be_open_for_winner, season)


def table(season: Season) -> list[tuple[int, str, int, int, int]]:
    """Rank, who, points, right, of."""
    rows = table_of(Sheet(Season.objects.get(pk=season.pk)))
    people = User.objects.in_bulk([each.tally.user for each in rows])
    return [
        (each.rank, people[each.tally.user].username, each.tally.points, each.tally.right,
         each.tally.of)
        for each in rows
    ]  # fmt: skip


def told(season: Season, user: User | None) -> Predictions:
    return predictions_of(Sheet(Season.objects.get(pk=season.pk)), user)


def of(season: Season, user: User | None, row: DeathMatch) -> Asked:
    found = predictions_of(Sheet(Season.objects.get(pk=season.pk)), user)
    every = (*found.death_matches, *found.decided)
    return next(each for each in every if each.row is not None and each.row.pk == row.pk)


def swiss(orla: User, count: int = 4, **settings: Any) -> tuple[Season, list[DeathMatch]]:
    options = {"format_options": {"rounds": 1}, **settings}
    season = running(orla, count, "swiss", **options)
    rows = DeathMatch.objects.filter(round__season=season).order_by("number")
    return season, list(rows.select_related("round__season", "home__user", "away__user"))


# -- who may -------------------------------------------------------------------------------------


def test_whoever_only_watches_predicts_and_thinks_better_of_it(orla: User, cleo: User) -> None:
    season = enrolled(orla, 4)
    say(cleo, season, 1)
    say(cleo, season, 2)
    row = SeasonPrediction.objects.get()
    assert (row.user, row.contestant, row.death_match, row.at) == (cleo, who(season, 2), None, T0)


def test_who_plays_or_runs_the_season_does_not(orla: User, cleo: User) -> None:
    season, (row, _) = swiss(orla)
    other = user_named("oscar")
    root = User.objects.get(username="root")
    for user, code in (
        (orla, "prediction.organiser"),
        (root, "prediction.organiser"),
        (account(season, 1), "prediction.player"),
        (account(season, 4), "prediction.player"),
    ):
        calls: Any = {"acting_user": user, "contestant": row.home}
        refused(code, winner_predict, season=season, **calls)
        refused(code, death_match_predict, death_match=row, **calls)
        refusal = told(season, user).refusal
        assert refusal is not None
        assert refusal.code == code
    assert told(season, other).refusal is None
    assert told(season, None).refusal is None


def test_nobody_predicts_where_the_organisers_have_none(orla: User, cleo: User) -> None:
    season, (row, _) = swiss(orla, predictions=False)
    calls: Any = {"acting_user": cleo, "contestant": row.home}
    refused("prediction.off", winner_predict, season=season, **calls)
    refused("prediction.off", death_match_predict, death_match=row, **calls)
    assert Client().get(f"/seasons/{season.slug}/predictions/").status_code == 404
    assert "/predictions/" not in Client().get(f"/seasons/{season.slug}/").content.decode()
    season_update(acting_user=orla, season=season, changes={"predictions": True})
    assert Client().get(f"/seasons/{season.slug}/predictions/").status_code == 200
    name(cleo, row, 0)


def test_whom_one_names(orla: User, cleo: User) -> None:
    season = running(orla, 4)
    contestant_withdraw(
        acting_user=account(season, 4), contestant=who(season, 4), at=after(minutes=1)
    )
    refused(
        "prediction.left", winner_predict, acting_user=cleo, season=season,
        contestant=who(season, 4),
    )  # fmt: skip
    row = chosen(orla, season, ec=1, dmo=2)
    refused(
        "prediction.contestant", death_match_predict, acting_user=cleo, death_match=row,
        contestant=who(season, 3),
    )  # fmt: skip


def test_the_database_keeps_one_of_each(orla: User, cleo: User) -> None:
    season, (row, _) = swiss(orla)
    name(cleo, row, 0)
    say(cleo, season, 1)
    for about in (row, None):
        with pytest.raises(IntegrityError), transaction.atomic():
            SeasonPrediction.objects.create(
                season=season, user=cleo, contestant=who(season, 1), death_match=about, at=0
            )


# -- until when ----------------------------------------------------------------------------------


def test_the_winner_closes_when_the_first_main_match_is_recorded(orla: User, cleo: User) -> None:
    season = running(orla, 4)
    say(cleo, season, 1)
    episode = placements_record(
        acting_user=orla, episode=episode_now(season), placements=placings(season, 3), at=after()
    )
    assert episode.status == "choosing"
    refused(
        "prediction.closed", winner_predict, acting_user=cleo, season=season,
        contestant=who(season, 2),
    )  # fmt: skip
    assert not told(season, cleo).winner.open


def test_the_winner_closes_when_nobody_leaves_in_the_first_episode(orla: User, cleo: User) -> None:
    season = running(orla, 4)
    episode_skip(acting_user=orla, episode=episode_now(season), why="rain", at=after())
    assert not winner_is_open(season)


def test_the_winner_is_closed_while_scores_are_on_show(orla: User, cleo: User) -> None:
    season = running(orla, 4)
    lines = [ScoreLine(who(season, each), [Decimal(9 - each)]) for each in (1, 2, 3, 4)]

    def draft(seen: int, *, shown: bool) -> None:
        made = Table(columns=[Column(name="Points")], lines=lines, shown=shown)
        scores_save(acting_user=orla, episode=episode_now(season), table=made, seen=seen)

    draft(0, shown=False)
    say(cleo, season, 2)
    draft(1, shown=True)
    refused(
        "prediction.closed", winner_predict, acting_user=cleo, season=season,
        contestant=who(season, 1),
    )  # fmt: skip
    client = Client()
    client.force_login(cleo)
    page = words(client.get(f"/seasons/{season.slug}/predictions/"))
    assert "any more: scores of a main match are on show." in page
    draft(2, shown=False)
    assert winner_is_open(season)


def test_the_page_says_why_it_is_closed(orla: User, cleo: User) -> None:
    season, (row, _other) = swiss(orla)
    address = f"/seasons/{season.slug}/predictions/"
    client = Client()
    client.force_login(cleo)
    assert "Closed." not in words(client.get(address))
    conceded(begun(orla, row), 0)
    page = words(client.get(address))
    assert "any more: a death match has begun, or is decided." in page
    season_cancel(acting_user=orla, season=season, why="rain", at=after(hours=1))
    assert "Closed. This season is over." in words(client.get(address))
    assert "under way" not in words(client.get(address))
    season_archive(acting_user=orla, season=season, at=after(hours=2))
    assert "Closed. This season is in the archive." in words(client.get(address))


@pytest.mark.parametrize("ends", [season_cancel, season_archive, None])
def test_what_is_over_promises_nothing_more_to_predict(orla: User, ends: Any) -> None:
    season, rows = swiss(orla)
    address = f"/seasons/{season.slug}/predictions/"
    for row in rows:
        conceded(begun(orla, row), 0)
    page = words(Client().get(address))
    assert ("There is one to predict as soon as" in page, "None just now" in page) == (True, True)
    if ends is None:
        season_end(acting_user=orla, season=season, winner=rows[0].home, at=after(hours=1))
        assert Season.objects.get(pk=season.pk).status == "finished"
    else:
        why = {"why": "rain"} if ends is season_cancel else {}
        ends(acting_user=orla, season=season, at=after(hours=1), **why)
    page = words(Client().get(address))
    assert ("as soon as" in page, "None just now" in page) == (False, False)
    assert "There is none to predict any more." in page


def test_who_is_refused_in_the_season_and_not_at_the_match_counts_there_alone(
    orla: User, cleo: User, mona: User
) -> None:
    season, (row, _other) = swiss(orla)
    for said_early in (cleo, mona):
        name(said_early, row, 0)
    leg = begun(orla, row)
    match = leg.match_id
    assert match is not None
    playing = next(
        each for each in (account(season, n) for n in (1, 2, 3, 4))
        if each.pk not in (row.home and row.home.user_id, row.away and row.away.user_id)
    )  # fmt: skip
    prediction_make(acting_user=playing, match_id=match, seat=0, at=T0)
    User.objects.filter(pk=mona.pk).update(is_active=False)
    assert [each.number for each in of(season, cleo, row).shares or ()] == [1, 0]
    said = "What you predict here does not count in the season"
    # They are not led to where they would be refused.
    link = f'<a href="/matches/{match}/">predict at the match'
    readers: list[tuple[User | None, bool]] = [(cleo, True), (playing, False), (None, True)]
    for user, counts in readers:
        client = Client()
        if user is not None:
            client.force_login(user)
        assert (said in words(client.get(f"/matches/{match}/"))) is not counts
        page = client.get(f"/seasons/{season.slug}/predictions/").content.decode()
        assert (link in page) is counts
    assert row.home is not None
    assert row.home.user is not None
    client = Client()
    client.force_login(row.home.user)
    assert said not in words(client.get(f"/matches/{match}/")), "they say nothing there"


def test_the_winner_closes_with_the_first_death_match_that_begins(orla: User, cleo: User) -> None:
    season, (row, _other, bye) = swiss(orla, 5)
    assert bye.how == "bye"
    assert winner_is_open(season), "a bye is not played"
    begun(orla, row)
    assert not winner_is_open(season)


def test_the_winner_closes_with_the_first_that_is_decided_without_play(orla: User) -> None:
    season, (row, _) = swiss(orla)
    assert row.home is not None
    death_match_walkover(acting_user=orla, death_match=row, winner=row.home, why="away", at=after())
    assert not winner_is_open(season)


def test_nothing_is_open_in_the_archive_nor_when_it_is_over(orla: User, cleo: User) -> None:
    season, (row, _other) = swiss(orla)
    season_archive(acting_user=orla, season=season, at=after())
    calls: Any = {"acting_user": cleo, "contestant": row.home}
    refused("prediction.closed", winner_predict, season=season, **calls)
    refused("prediction.closed", death_match_predict, death_match=row, **calls)
    assert not told(season, cleo).winner.open
    assert not any(each.open for each in told(season, cleo).death_matches)


def test_a_death_match_that_waits_for_a_side_cannot_be_predicted(orla: User, cleo: User) -> None:
    season = running(orla, 4, "single-elimination")
    final = DeathMatch.objects.get(round__season=season, status="waiting", home=None)
    refused(
        "prediction.sides", death_match_predict, acting_user=cleo, death_match=final,
        contestant=who(season, 1),
    )  # fmt: skip
    assert final not in [each.row for each in told(season, cleo).death_matches]


def test_several_matches_close_when_the_first_begins(orla: User, cleo: User) -> None:
    season = running(orla, 2, "single-elimination", format_options={"best_of": 3})
    row = DeathMatch.objects.select_related("home", "away").get(round__season=season)
    assert row.best_of == 3
    name(cleo, row, 0)
    begun(orla, row)
    refused(
        "prediction.closed", death_match_predict, acting_user=cleo, death_match=row,
        contestant=row.away,
    )  # fmt: skip
    assert not Prediction.objects.exists(), "who wins the first of three is something else"
    assert SeasonPrediction.objects.get().contestant == row.home


# -- one truth -----------------------------------------------------------------------------------


def test_what_is_said_of_a_death_match_stands_at_its_match_once_it_begins(
    orla: User, cleo: User, mona: User
) -> None:
    season, (row, _) = swiss(orla)
    name(cleo, row, 0)
    leg = begun(orla, row)
    assert not SeasonPrediction.objects.exists()
    assert Prediction.objects.get().match_id == leg.match_id
    page = of(season, cleo, row)
    assert (page.yours, page.match, page.open) == (row.home, leg.match_id, False)
    # And said there, or here, it is one.
    assert leg.match_id is not None
    prediction_make(acting_user=cleo, match_id=leg.match_id, seat=1, at=T0)
    assert of(season, cleo, row).yours == row.away
    name(cleo, row, 0)
    name(mona, row, 1)
    assert dict(Prediction.objects.values_list("user__username", "seat")) == {"cleo": 0, "mona": 1}
    conceded(leg, 0)
    assert table(season) == [(1, "cleo", 1, 1, 1), (2, "mona", 0, 0, 1)]


def test_what_is_said_goes_along_when_a_match_is_played_again(
    orla: User, cleo: User, mona: User
) -> None:
    season, (row, _) = swiss(orla)
    name(cleo, row, 0)
    name(mona, row, 0)
    leg = begun(orla, row)
    leg_void(acting_user=orla, leg=leg, why="rain", at=after(minutes=2))
    row = fresh(row)
    assert of(season, cleo, row).yours == row.home, "nobody is asked twice"
    assert of(season, cleo, row).open
    name(mona, row, 1)  # thinks better of it in between
    assert [each.number for each in of(season, cleo, row).shares or ()] == [1, 1]
    again = begun(orla, row, at=after(minutes=5))
    assert not SeasonPrediction.objects.exists()
    said = Prediction.objects.filter(match=again.match_id).values_list("user__username", "seat")
    assert dict(said) == {"cleo": 0, "mona": 1}
    conceded(again, 0, after(minutes=9))
    assert table(season) == [(1, "cleo", 1, 1, 1), (2, "mona", 0, 0, 1)]


def test_who_has_become_an_organiser_hands_nothing_over(orla: User, cleo: User, mona: User) -> None:
    season, (row, _other) = swiss(orla)
    for user in (cleo, mona):
        name(user, row, 0)
    otto = organiser_named("otto")
    name(otto, row, 0)
    organiser_joins(acting_user=orla, season=season, user=otto)
    played(orla, row, winner=0)
    assert {each[1] for each in table(season)} == {"cleo", "mona"}
    assert not Prediction.objects.filter(user=otto).exists()


# -- what it counts ------------------------------------------------------------------------------


def finished(orla: User, cleo: User, mona: User) -> tuple[Season, list[DeathMatch]]:
    """A season of two matches: Cleo knew one and the winner, Mona both matches."""
    season, rows = swiss(orla)
    home = rows[0].home
    assert home is not None
    winner_predict(acting_user=cleo, season=season, contestant=home)
    name(cleo, rows[0], 0)
    name(cleo, rows[1], 1)
    name(mona, rows[0], 0)
    name(mona, rows[1], 0)
    for row in rows:
        played(orla, row, winner=0)
    season.refresh_from_db()
    if season.status == "running":
        season_end(acting_user=orla, season=season, winner=home)
    season.refresh_from_db()
    assert (season.status, season.winner) == ("finished", home)
    return season, rows


def test_a_point_for_a_death_match_and_three_for_the_winner(
    orla: User, cleo: User, mona: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    season, _ = finished(orla, cleo, mona)
    assert table(season) == [(1, "cleo", 4, 1, 2), (2, "mona", 2, 2, 2)]
    best = best_of(Sheet(season))
    assert [each.user for each in best] == [cleo]
    # Whoever looks next does not have the table counted anew, until something changes.
    with monkeypatch.context() as patch:
        patch.setattr("tournaments.reading.predictions.table_of", pytest.fail)
        assert [each.user for each in best_of(Sheet(season))] == [cleo]
    page = words(Client().get(f"/seasons/{season.slug}/"))
    assert "Knew best who would win: Cleo , with 4 points." in page


def test_who_knew_best_is_as_the_results_stand(orla: User, cleo: User, mona: User) -> None:
    season, rows = finished(orla, cleo, mona)
    assert [each.user for each in best_of(Sheet(season))] == [cleo]
    row = fresh(rows[0])
    assert row.away is not None
    death_match_correct(
        acting_user=orla, death_match=row, winner=row.away, why="wrong", at=after(hours=4)
    )
    season.refresh_from_db()
    if season.status == "running":
        assert best_of(Sheet(season)) == []
        season_end(acting_user=orla, season=season, winner=row.away)
        season.refresh_from_db()
    # Of both matches Mona knows one now, and Cleo none.
    assert [each.user for each in best_of(Sheet(season))] == [mona]


def test_a_corrected_result_counts_as_it_stands(orla: User, cleo: User, mona: User) -> None:
    season, (row, _other) = swiss(orla)
    name(cleo, row, 0)
    name(mona, row, 1)
    row = played(orla, row, winner=0)
    assert table(season) == [(1, "cleo", 1, 1, 1), (2, "mona", 0, 0, 1)]
    assert row.away is not None
    death_match_correct(acting_user=orla, death_match=row, winner=row.away, why="wrong", at=after())
    assert table(season) == [(1, "mona", 1, 1, 1), (2, "cleo", 0, 0, 1)]
    death_match_void(acting_user=orla, death_match=fresh(row), why="wrong two", at=after())
    assert table(season) == []


def test_a_void_match_takes_its_points_back(orla: User, cleo: User) -> None:
    season, (row, _other) = swiss(orla)
    name(cleo, row, 0)
    played(orla, row, winner=0)
    assert table(season) == [(1, "cleo", 1, 1, 1)]
    leg_void(acting_user=orla, leg=leg_of(row), why="rain", at=after(minutes=5))
    assert table(season) == []
    # Declared without being played again: what was said of it stands.
    row = fresh(row)
    assert row.home is not None
    death_match_declare(acting_user=orla, death_match=row, winner=row.home, why="so", at=after())
    assert table(season) == [(1, "cleo", 1, 1, 1)]


def test_said_anew_after_a_void_match_counts_once(orla: User, cleo: User) -> None:
    season, (row, _) = swiss(orla)
    name(cleo, row, 0)
    leg_void(acting_user=orla, leg=begun(orla, row), why="rain", at=after(minutes=1))
    row = fresh(row)
    name(cleo, row, 1)
    assert row.away is not None
    death_match_declare(acting_user=orla, death_match=row, winner=row.away, why="so", at=after())
    assert table(season) == [(1, "cleo", 1, 1, 1)]
    assert [each.number for each in of(season, None, row).shares or ()] == [0, 1]


@pytest.mark.parametrize("before", [True, False], ids=["unplayed", "while it is on"])
def test_a_walkover_counts_for_nobody(orla: User, cleo: User, before: bool) -> None:
    season, (row, _) = swiss(orla)
    name(cleo, row, 0)
    if not before:
        begun(orla, row)
    row = fresh(row)
    assert row.home is not None
    death_match_walkover(acting_user=orla, death_match=row, winner=row.home, why="away", at=after())
    assert table(season) == []
    assert of(season, cleo, row).right is None
    if before:
        death_match_reopen(acting_user=orla, death_match=fresh(row), why="came", at=after())
        played(orla, fresh(row), winner=0, at=after(minutes=3))
        assert table(season) == [(1, "cleo", 1, 1, 1)]


@pytest.mark.parametrize("begins", [True, False])
def test_whoever_takes_a_place_over_stands_for_who_was_named(
    orla: User, cleo: User, mona: User, begins: bool
) -> None:
    season, (row, other) = swiss(orla)
    old = row.home
    assert old is not None
    winner_predict(acting_user=cleo, season=season, contestant=old)
    name(cleo, row, 0)
    heir = user_named("heir", display_name="Heir")
    new = contestant_replace(
        acting_user=orla, contestant=old, user=heir, why="ill", at=after(minutes=1)
    )
    row = fresh(row)
    assert row.home == new
    found = told(season, cleo)
    assert found.winner.yours == new
    assert of(season, cleo, row).yours == new
    if begins:
        played(orla, row, winner=0, at=after(minutes=2))
    else:
        death_match_declare(acting_user=orla, death_match=row, winner=new, why="so", at=after())
    assert table(season) == [(1, "cleo", 1, 1, 1)]
    played(orla, other, winner=1, at=after(minutes=4))
    season.refresh_from_db()
    if season.status == "running":
        season_end(acting_user=orla, season=season, winner=new)
    season.refresh_from_db()
    assert season.winner == new
    assert table(season) == [(1, "cleo", 4, 1, 1)]


def test_a_season_that_is_called_off_has_no_best(orla: User, cleo: User) -> None:
    season, (row, other) = swiss(orla)
    say(cleo, season, 1)
    name(cleo, row, 0)
    name(cleo, other, 0)
    played(orla, row, winner=0)
    season_cancel(acting_user=orla, season=season, why="rain", at=after(hours=1))
    season.refresh_from_db()
    assert table(season) == [(1, "cleo", 1, 1, 1)]
    assert best_of(Sheet(season)) == []
    assert "Knew best" not in Client().get(f"/seasons/{season.slug}/").content.decode()


def test_whoever_plays_or_runs_it_since_or_is_gone_is_in_no_table(
    orla: User, cleo: User, mona: User
) -> None:
    season = enrolled(orla, 3, "swiss", format_options={"rounds": 1})
    say(cleo, season, 1)
    contestant_enrol(acting_user=orla, season=season, user=cleo)
    season_start(acting_user=orla, season=season, at=after())
    rows = list(DeathMatch.objects.filter(round__season=season).select_related("home", "away"))
    others = [user_named(f"seer{n}") for n in range(3)]
    for user in (mona, *others):
        for row in rows:
            name(user, row, 0)
    for row in rows:
        played(orla, row, winner=0)
    assert {each[1] for each in table(season)} == {"mona", "seer0", "seer1", "seer2"}
    User.objects.filter(pk=mona.pk).update(is_active=False)
    User.objects.filter(pk=others[0].pk).update(is_superuser=True)
    assert {each[1] for each in table(season)} == {"seer1", "seer2"}


def test_a_merge_keeps_one_of_each(orla: User, cleo: User, mona: User) -> None:
    season, (row, other) = swiss(orla)
    for user, number, seat in ((cleo, 1, 0), (mona, 2, 1)):
        say(user, season, number)
        name(user, row, seat)
    name(mona, other, 1)
    root = User.objects.get(username="root")
    user_merge(acting_user=root, keep=cleo, duplicate=mona, reason="one person")
    said = SeasonPrediction.objects.values_list("user", "death_match", "contestant")
    assert set(said) == {
        (cleo.pk, None, who(season, 1).pk),
        (cleo.pk, row.pk, row.home_id),
        (cleo.pk, other.pk, other.away_id),
    }


def test_a_season_that_was_over_has_no_predictions(orla: User, cleo: User, mona: User) -> None:
    """Whose matches were predicted on other terms: nobody had said that a table would tell."""
    over, _rows = finished(orla, cleo, mona)
    on, _ = swiss(orla)
    migration = import_module("tournaments.migrations.0029_predictions")
    migration.none_where_it_is_over(apps, connection.schema_editor())
    assert not Season.objects.get(pk=over.pk).predictions
    assert Season.objects.get(pk=on.pk).predictions


# -- what others are told ------------------------------------------------------------------------


def shares(asked: Asked) -> dict[str, int] | None:
    if asked.shares is None:
        return None
    return {each.contestant.name: each.number for each in asked.shares}


def test_shares_are_told_after_ones_own_or_when_it_is_closed(
    orla: User, cleo: User, mona: User
) -> None:
    season, (row, other) = swiss(orla)
    say(cleo, season, 1)
    name(cleo, row, 0)
    playing = account(season, 4)
    for reader in (mona, None, orla, playing):
        assert told(season, reader).winner.shares is None
        assert of(season, reader, row).shares is None
    assert shares(told(season, cleo).winner) == {"Player 1": 1}
    assert sum((shares(of(season, cleo, row)) or {}).values()) == 1
    say(mona, season, 2)
    assert shares(told(season, mona).winner) == {"Player 1": 1, "Player 2": 1}
    leg = begun(orla, row)
    for reader in (None, orla):
        assert shares(told(season, reader).winner) == {"Player 1": 1, "Player 2": 1}
    # Who plays is told at the end.
    assert told(season, playing).winner.shares is None
    assert of(season, playing, row).shares is None
    conceded(leg, 0)
    assert sum((shares(of(season, playing, row)) or {}).values()) == 1
    assert told(season, playing).winner.shares is None
    played(orla, other, winner=0)
    season.refresh_from_db()
    if season.status == "running":
        home = fresh(row).winner
        season_end(acting_user=orla, season=season, winner=home)
    assert shares(told(season, playing).winner) == {"Player 1": 1, "Player 2": 1}


def test_nobody_is_told_whose_it_is(orla: User, cleo: User, mona: User) -> None:
    season, (row, _) = swiss(orla)
    say(cleo, season, 1)
    name(cleo, row, 0)
    name(mona, row, 1)
    for user in (None, mona, orla, account(season, 1)):
        client = Client()
        if user is not None:
            client.force_login(user)
        for address in (
            f"/seasons/{season.slug}/predictions/",
            f"/api/v1/seasons/{season.slug}/predictions/",
            row.get_absolute_url(),
            f"/seasons/{season.slug}/history/",
        ):
            answer = client.get(address)
            assert answer.status_code == 200
            assert b"cleo" not in answer.content.lower(), address


def test_a_draft_tells_nothing(orla: User, cleo: User) -> None:
    season = enrolled(orla, 3, "swiss")
    say(cleo, season, 1)
    Season.objects.filter(pk=season.pk).update(visibility="draft")
    for address in ("/seasons/{}/predictions/", "/api/v1/seasons/{}/predictions/"):
        client = Client()
        assert client.get(address.format(season.slug)).status_code == 404
        client.force_login(cleo)
        assert client.get(address.format(season.slug)).status_code == 404


# -- pages and the API ---------------------------------------------------------------------------


def test_the_page_predicts_without_a_script(orla: User, cleo: User) -> None:
    season, (row, _) = swiss(orla)
    client = Client()
    base = f"/seasons/{season.slug}/"
    assert "Sign in" in words(client.get(f"{base}predictions/"))
    client.force_login(cleo)
    page = client.get(f"{base}predictions/")
    assert "no stakes, no currency" in words(page)
    answer = client.post(f"{base}predictions/winner/", {"contestant": who(season, 2).pk})
    assert (answer.status_code, answer["Location"]) == (302, f"{base}predictions/")
    client.post(f"{base}matches/{row.pk}/predict/", {"contestant": row.away_id})
    said = SeasonPrediction.objects.values_list("death_match", "contestant")
    assert set(said) == {(None, who(season, 2).pk), (row.pk, row.away_id)}
    text = words(client.get(f"{base}predictions/"))
    assert "You have named Player 2" in text
    assert client.post(f"{base}matches/{row.pk}/predict/", {"contestant": "x"}).status_code == 422
    begun(orla, row)
    assert client.post(f"{base}predictions/winner/", {"contestant": 1}).status_code == 422
    page = client.get(f"{base}predictions/")
    assert "It has begun: predict at the match" in words(page)
    match = client.get(f"/matches/{leg_of(row).match_id}/")
    assert f"{base}predictions/" in match.content.decode()


def test_the_api_reads_and_writes(orla: User, cleo: User) -> None:
    season, (row, other) = swiss(orla)
    address = f"/api/v1/seasons/{season.slug}/predictions/"
    client = Client()
    nobody = client.get(address).json()
    assert (nobody["may"], nobody["table"], nobody["winner"]["open"]) == (False, [], True)
    assert nobody["own"] is None
    client.force_login(cleo)

    def put(**body: Any) -> Any:
        return client.put(address, body, content_type="application/json")

    told_ = put(contestant=who(season, 1).pk).json()
    assert told_["winner"]["yours"]["name"] == "Player 1"
    told_ = put(contestant=row.away_id, death_match=row.pk).json()
    found = next(each for each in told_["death_matches"] if each["death_match"] == row.pk)
    assert found["yours"]["id"] == row.away_id
    assert [each["count"] for each in found["shares"]] == [0, 1]
    wrong = put(contestant=other.home_id, death_match=row.pk)
    assert (wrong.status_code, wrong.json()["code"]) == (400, "prediction.contestant")
    played(orla, row, winner=1)
    closed = put(contestant=row.home_id, death_match=row.pk)
    assert (closed.status_code, closed.json()["code"]) == (409, "prediction.closed")
    (line,) = client.get(address).json()["table"]
    assert line == {
        "rank": 1, "shared": False, "username": "cleo", "name": "Cleo", "points": 1, "right": 1,
        "of": 1, "winner": None,
    }  # fmt: skip
    assert client.get(address).json()["own"] == line
    client.force_login(account(season, 1))
    assert put(contestant=row.home_id).json()["code"] == "prediction.player"


def test_of_many_the_api_tells_the_best_and_ones_own(
    orla: User, cleo: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.api.predictions.TABLE_MOST", 2)
    season, (row, _other) = swiss(orla)
    for n in range(3):
        name(user_named(f"seer{n}"), row, 0)
    name(cleo, row, 1)
    played(orla, row, winner=0)
    client = Client()
    client.force_login(cleo)
    told_ = client.get(f"/api/v1/seasons/{season.slug}/predictions/").json()
    assert [each["username"] for each in told_["table"]] == ["seer0", "seer1"]
    assert (told_["own"]["username"], told_["own"]["rank"]) == ("cleo", 4)


def test_queries_do_not_depend_on_how_many_predict(orla: User) -> None:
    season, rows = swiss(orla, 8)
    counts = []
    for number in (3, 20):
        for n in range(number):
            user = user_named(f"seer{number}x{n}")
            for each in rows[1:]:
                name(user, each, n % 2)
        if number == 3:
            played(orla, rows[0], winner=0)
        client = Client()
        address = f"/seasons/{season.slug}/predictions/?page=1"
        client.get(address)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 22
