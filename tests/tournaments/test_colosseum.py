"""Single elimination, round robin, Swiss and ladder through the services. The largest seasons at
random are played in a whole run only."""

from __future__ import annotations

import itertools
import random
import threading
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import Model

from accounts.models import AuditEntry, User
from core.refusals import Refusal
from tests.games.support import user_named
from tests.support import depth
from tests.tournaments.support import (
    GAME,
    WARS,
    after,
    begun,
    enrolled,
    fresh,
    kinds,
    leg_of,
    played,
    refused,
    running,
    who,
)
from tournaments.actions.seasons import CONCLUDE
from tournaments.actions.subjects import AtSeason
from tournaments.formats import registry
from tournaments.formats.ladder.format import ladder_challenge
from tournaments.formats.round_robin.format import RoundRobinCourse
from tournaments.invariants import faults_of
from tournaments.lifecycle import ContestantStatus, DeathMatchStatus, How
from tournaments.models import Contestant, DeathMatch, Round, Season
from tournaments.reading.sheet import Sheet
from tournaments.services.contestants.departures import (
    contestant_replace,
    contestant_return,
    contestant_withdraw,
)
from tournaments.services.contestants.enrolment import contestant_enrol
from tournaments.services.deathmatches import death_match_create
from tournaments.services.legs import rules_set
from tournaments.services.preflight import preflight
from tournaments.services.results.conclusion import season_conclude
from tournaments.services.results.corrections import (
    death_match_correct,
    death_match_reopen,
    death_match_void,
    leg_void,
    round_reopen,
)
from tournaments.services.results.rulings import death_match_declare, death_match_walkover
from tournaments.services.rounds import ManualPairing, round_close_by_hand, round_next, round_pair
from tournaments.services.starts import season_start

BRACKET = "single-elimination"
ROBIN = "round-robin"
SWISS = "swiss"
LADDER = "ladder"


def course_of(season: Season) -> Any:
    """What only some formats have is there in those that are asked for it."""
    return registry.course_of(season)


_minutes = itertools.count(1)


def now() -> datetime:
    """A new instant, later than all before."""
    return after(minutes=next(_minutes))


def anew(season: Season) -> Season:
    return Season.objects.select_related("winner").get(pk=season.pk)


def rows_in(season: Season, number: int) -> list[DeathMatch]:
    found = DeathMatch.objects.filter(round__season=season, round__number=number)
    return list(
        found.select_related("round__season", "home__user", "away__user", "winner").order_by(
            "number"
        )
    )


def pairs_in(season: Season, number: int) -> list[tuple[int | None, int | None]]:
    """Who meets whom, by seeds; None where nobody is known."""
    return [
        (row.home.seed if row.home else None, row.away.seed if row.away else None)
        for row in rows_in(season, number)
    ]


def homes_win(organiser: User, season: Season, number: int) -> None:
    """Decide the open death matches of a round for whoever has seat 0."""
    for row in rows_in(season, number):
        if row.status == DeathMatchStatus.PLANNED:
            assert row.home is not None
            won_by(organiser, row, row.home.seed or 0)


def met_in(season: Season, number: int) -> list[set[int | None]]:
    """Who meets, whatever the seats."""
    return [set(pair) for pair in pairs_in(season, number)]


def won_by(organiser: User, row: DeathMatch, seed: int) -> DeathMatch:
    """Have the side with that seed win, at an organiser's word."""
    row = fresh(row)
    winner = next(side for side in (row.home, row.away) if side is not None and side.seed == seed)
    return death_match_declare(
        acting_user=organiser, death_match=row, winner=winner, why="because", at=now()
    )


def settle(organiser: User, season: Season, number: int, *winners: int) -> None:
    """Decide the open death matches of a round, in order, by their winners' seeds."""
    rows = [row for row in rows_in(season, number) if row.status == DeathMatchStatus.PLANNED]
    for row, seed in zip(rows, winners, strict=True):
        won_by(organiser, row, seed)


def corrected(organiser: User, row: DeathMatch, seed: int) -> DeathMatch:
    row = fresh(row)
    winner = next(side for side in (row.home, row.away) if side is not None and side.seed == seed)
    return death_match_correct(
        acting_user=organiser, death_match=row, winner=winner, why="a mistake", at=now()
    )


def leaves(season: Season, number: int) -> Contestant:
    contestant = who(season, number)
    return contestant_withdraw(acting_user=contestant.user, contestant=contestant, at=now())


def places(season: Season) -> dict[str, int | None]:
    return dict(season.contestants.exclude(status="replaced").values_list("name", "place"))


# -- single elimination ----------------------------------------------------------------------------


def test_a_bracket_from_start_to_winner(orla: User) -> None:
    season = running(orla, 8, BRACKET, format_options={"third_place": True})
    assert [each.name for each in season.rounds.all()] == ["Quarter-finals", "Semi-finals", "Final"]
    assert [each.is_final for each in season.rounds.all()] == [False, False, True]
    assert pairs_in(season, 1) == [(1, 8), (4, 5), (2, 7), (3, 6)]
    assert pairs_in(season, 2) == [(None, None), (None, None)]
    assert pairs_in(season, 3) == [(None, None), (None, None)]

    # One side is known as soon as its match is decided, by a match that is really played.
    played(orla, rows_in(season, 1)[0], winner=1, at=now())
    assert pairs_in(season, 2) == [(8, None), (None, None)]
    assert rows_in(season, 2)[0].status == DeathMatchStatus.WAITING
    out = who(season, 1)
    assert (out.status, out.place) == ("eliminated", 5)

    won_by(orla, rows_in(season, 1)[1], 4)
    assert pairs_in(season, 2) == [(8, 4), (None, None)]
    assert rows_in(season, 2)[0].status == DeathMatchStatus.PLANNED
    settle(orla, season, 1, 2, 3)
    assert pairs_in(season, 2) == [(8, 4), (2, 3)]

    settle(orla, season, 2, 8, 3)
    assert pairs_in(season, 3) == [(8, 3), (4, 2)], "the final, and the match for third place"
    assert who(season, 4).status == "active", "the losers of the semi-finals play on"
    settle(orla, season, 3, 3, 2)
    season = anew(season)
    assert (season.status, season.winner) == ("finished", who(season, 3))
    assert places(season) == {
        "Player 3": 1, "Player 8": 2, "Player 2": 3, "Player 4": 4,
        "Player 1": 5, "Player 5": 5, "Player 6": 5, "Player 7": 5,
    }  # fmt: skip
    assert {each.status for each in season.rounds.all()} == {"closed"}
    told = Counter(kinds(season))
    assert told["contestant.eliminated"] == 7
    assert told["death-match.paired"] == told["death-match.decided"] == 8
    assert told["round.opened"] == told["round.closed"] == 3


def test_byes_go_to_the_best_seeds_and_are_not_announced_twice(orla: User) -> None:
    season = running(orla, 5, BRACKET)
    assert pairs_in(season, 1) == [(1, None), (4, 5), (2, None), (3, None)]
    byes = [row for row in rows_in(season, 1) if row.how == How.BYE]
    assert [(row.status, row.winner) for row in byes] == [
        ("decided", who(season, 1)),
        ("decided", who(season, 2)),
        ("decided", who(season, 3)),
    ]
    assert pairs_in(season, 2) == [(1, None), (2, 3)], "two byes meet at once"
    assert season.rounds.get(number=1).status == "open"
    refused(
        "death-match.bye",
        death_match_reopen,
        acting_user=orla,
        death_match=byes[0],
        why="a mistake",
        at=now(),
    )


def test_a_series_in_a_bracket(orla: User) -> None:
    season = running(orla, 2, BRACKET, format_options={"best_of": 3})
    (final,) = rows_in(season, 1)
    assert final.round.name == "Final"
    assert final.legs.count() == 3
    played(orla, final, winner=0, at=now())
    played(orla, final, winner=1, at=now())
    final = played(orla, final, winner=0, at=now())
    assert (final.home_score, final.away_score) == (2, 1)
    assert anew(season).winner == who(season, 1)


def test_a_result_is_corrected_before_anything_rests_on_it(orla: User) -> None:
    season = running(orla, 4, BRACKET)
    settle(orla, season, 1, 1, 2)
    assert pairs_in(season, 2) == [(1, 2)]
    first = corrected(orla, rows_in(season, 1)[0], 4)
    assert (first.winner, first.how) == (who(season, 4), "ruling")
    assert pairs_in(season, 2) == [(4, 2)]
    assert (who(season, 1).status, who(season, 1).place) == ("eliminated", 3)
    assert (who(season, 4).status, who(season, 4).place) == ("active", None)
    assert kinds(season).count("contestant.restored") == 1


def test_a_result_is_frozen_once_the_next_has_been_played(orla: User) -> None:
    season = running(orla, 4, BRACKET)
    settle(orla, season, 1, 1, 2)
    (final,) = rows_in(season, 2)
    played(orla, final, winner=0, at=now())
    semi = rows_in(season, 1)[0]
    assert semi.round.status == "closed"
    assert anew(season).winner == who(season, 1)
    correct: dict[str, Any] = {"acting_user": orla, "why": "a mistake", "at": now()}
    refused(
        "round.frozen",
        death_match_correct,
        death_match=semi,
        winner=who(season, 4),
        **correct,
    )
    round_reopen(round=semi.round, **correct)
    corrected(orla, semi, 4)
    # The final was played on the old result: it is void, and to be played again.
    season = anew(season)
    assert (season.status, season.winner) == ("running", None)
    assert pairs_in(season, 2) == [(4, 2)]
    (final,) = rows_in(season, 2)
    assert final.status == DeathMatchStatus.PLANNED
    assert sorted(final.legs.values_list("attempt", "status")) == [(1, "void"), (2, "planned")]
    assert semi.round.death_matches.count() == 2
    assert Round.objects.get(pk=semi.round_id).status == "closed", "it is complete again"
    played(orla, final, winner=0, at=now())
    assert anew(season).winner == who(season, 4)
    assert places(season) == {"Player 4": 1, "Player 2": 2, "Player 1": 3, "Player 3": 3}


def test_a_correction_reaches_through_all_rounds_that_are_reopened(orla: User) -> None:
    season = running(orla, 8, BRACKET, format_options={"third_place": True})
    settle(orla, season, 1, 1, 4, 2, 3)
    settle(orla, season, 2, 1, 2)
    settle(orla, season, 3, 1, 4)
    assert anew(season).status == "finished"
    quarter = rows_in(season, 1)[0]
    how: dict[str, Any] = {"acting_user": orla, "why": "a mistake", "at": now()}
    round_reopen(round=season.rounds.get(number=1), **how)
    refused(
        "round.frozen",
        death_match_correct,
        death_match=quarter,
        winner=who(season, 8),
        **how,
    )
    round_reopen(round=season.rounds.get(number=2), **how)
    corrected(orla, quarter, 8)
    assert pairs_in(season, 2) == [(8, 4), (2, 3)]
    assert rows_in(season, 2)[1].winner == who(season, 2), "the other half stands"
    assert pairs_in(season, 3) == [(None, 2), (None, 3)]
    assert who(season, 4).status == "active"
    assert (who(season, 1).status, who(season, 1).place) == ("eliminated", 5)
    settle(orla, season, 2, 4)
    settle(orla, season, 3, 4, 3)
    assert anew(season).winner == who(season, 4)


def test_a_match_that_is_being_played_stands_in_the_way_of_a_correction(orla: User) -> None:
    season = running(orla, 4, BRACKET)
    settle(orla, season, 1, 1, 2)
    begun(orla, rows_in(season, 2)[0], at=now())
    refused(
        "round.frozen",
        death_match_correct,
        acting_user=orla,
        death_match=rows_in(season, 1)[0],
        winner=who(season, 4),
        why="a mistake",
        at=now(),
    )


def test_a_void_match_in_a_bracket_is_played_again(orla: User) -> None:
    season = running(orla, 4, BRACKET)
    semi = played(orla, rows_in(season, 1)[0], winner=0, at=now())
    assert pairs_in(season, 2) == [(1, None)]
    leg_void(acting_user=orla, leg=leg_of(semi), why="power cut", at=now())
    assert pairs_in(season, 2) == [(None, None)]
    assert who(season, 4).status == "active"
    played(orla, fresh(semi), winner=1, at=now())
    assert pairs_in(season, 2) == [(4, None)]
    refused(
        "bracket.void",
        death_match_void,
        acting_user=orla,
        death_match=rows_in(season, 1)[1],
        why="nobody came",
        at=now(),
    )


def test_who_leaves_a_bracket_loses_what_is_open_and_what_comes(orla: User) -> None:
    season = running(orla, 8, BRACKET)
    # In the middle of a match: the other goes on.
    leg = begun(orla, rows_in(season, 1)[0], at=now())
    leaves(season, 8)
    first = rows_in(season, 1)[0]
    assert (first.how, first.winner) == ("walkover", who(season, 1))
    assert leg_of(first).pk == leg.pk
    # Between two matches, with the next opponent not known yet.
    won_by(orla, rows_in(season, 1)[1], 4)
    settle(orla, season, 1, 2, 3)
    settle(orla, season, 2, 1, 3)
    leaves(season, 3)
    final = rows_in(season, 3)[0]
    assert (final.how, final.winner) == ("walkover", who(season, 1))
    season = anew(season)
    assert (season.status, season.winner) == ("finished", who(season, 1))
    assert (who(season, 3).status, who(season, 3).place) == ("withdrawn", 2)
    assert (who(season, 8).status, who(season, 8).place) == ("withdrawn", 5)
    assert faults_of(season) == []


def test_who_leaves_before_the_opponent_is_known(orla: User) -> None:
    season = running(orla, 4, BRACKET)
    won_by(orla, rows_in(season, 1)[0], 1)
    leaves(season, 1)
    assert pairs_in(season, 2) == [(1, None)]
    won_by(orla, rows_in(season, 1)[1], 3)
    final = rows_in(season, 2)[0]
    assert (final.how, final.winner, final.why) == (
        "walkover", who(season, 3), "Player 1 has withdrawn.",
    )  # fmt: skip
    assert anew(season).winner == who(season, 3)
    assert faults_of(season) == []


def test_what_is_wrong_with_a_bracket_is_found(orla: User) -> None:
    season = running(orla, 6, BRACKET, format_options={"third_place": True})
    settle(orla, season, 1, 4, 3)
    settle(orla, season, 2, 1, 2)
    first, second = rows_in(season, 3)  # 1 against 2, and for third place 4 against 3
    final, semi = season.rounds.get(number=3), season.rounds.get(number=2)

    def found(change: Model, **values: Any) -> list[str]:
        """The faults of the season while a row of it says something else."""
        with transaction.atomic():
            type(change)._default_manager.filter(pk=change.pk).update(**values)
            faults = faults_of(season)
            transaction.set_rollback(True)
        return faults

    def seed(number: int) -> Contestant:
        return who(season, number)

    assert faults_of(season) == []
    # Twice in one round, and nobody in the other's place.
    twice = found(second, home=seed(1))
    assert f"{seed(1).pk} meets two in {final}" in twice
    assert f"{seed(1)} has no part in {final}, and plays in it" in twice
    assert f"{seed(4)} is not paired in {final}" in twice
    # Losers play on for third place only, and not those of earlier rounds.
    assert set(found(first, away=seed(3))) >= {
        f"{seed(3)} has no part in {final}, and plays in it",
        f"{seed(2)} is not paired in {final}",
    }
    assert f"{seed(6)} has no part in {final}, and plays in it" in found(second, away=seed(6))
    gone = found(rows_in(season, 2)[0], home=seed(5), winner=seed(5))
    assert f"{seed(1)} is not paired in {semi}" in gone
    assert f"{seed(5)} has no part in {semi}, and plays in it" in gone
    # Out for good, at a place of their own.
    assert found(seed(5), status="active") == [f"{seed(5)} has lost and is still in"]
    assert found(seed(5), place=3) == [f"{seed(5)} has place 3, not 5"]
    settle(orla, season, 3, 2, 3)
    assert (anew(season).status, faults_of(season)) == ("finished", [])
    assert found(seed(4), place=3) == [f"{seed(4)} has place 3, not 4"]
    assert found(seed(4), place=None) == [f"{seed(4)} has place None, not 4"]


def test_where_everybody_leaves_organisers_decide(orla: User) -> None:
    season = running(orla, 3, ROBIN)
    for number in (1, 2, 3):
        leaves(season, number)
    for _ in (2, 3):
        round_pair(acting_user=orla, season=season, at=now())
    assert [each.death_matches.count() for each in season.rounds.order_by("number")] == [2, 0, 0]
    refused("season.not-concluded", season_conclude, acting_user=orla, season=season, at=now())
    assert anew(season).status == "running"


def test_other_formats_have_steps_of_their_own(orla: User) -> None:
    season = running(orla, 4, "elimination")
    refused("round.not-paired", round_pair, acting_user=orla, season=season, at=now())
    refused("season.not-concluded", season_conclude, acting_user=orla, season=season, at=now())
    ladder = running_again(orla, 3, LADDER)
    refused("round.not-paired", round_pair, acting_user=orla, season=ladder, at=now())


def test_only_organisers_pair_and_conclude(orla: User, oscar: User) -> None:
    season = running(orla, 2, SWISS, format_options={"rounds": 1})
    for user in (oscar, who(season, 1).user):
        for service in (round_pair, season_conclude):
            refused("season.not-organiser", service, acting_user=user, season=season, at=now())


def running_again(organiser: User, count: int, kind: str, **settings: Any) -> Season:
    """A second season with the same players."""
    from tournaments.services.seasons import season_create, season_list

    season = season_create(
        acting_user=organiser,
        name="Winter",
        format=kind,
        settings={"repertoire": [GAME], **settings},
        at=now(),
    )
    season_list(acting_user=organiser, season=season, at=now())
    for number in range(1, count + 1):
        user = User.objects.get(username=f"player{number}")
        contestant_enrol(acting_user=organiser, season=season, user=user, seed=number, at=now())
    return season_start(acting_user=organiser, season=season, at=now())


def test_a_replacement_takes_the_place_in_a_bracket(orla: User) -> None:
    season = running(orla, 4, BRACKET)
    settle(orla, season, 1, 1, 2)
    new = contestant_replace(
        acting_user=orla,
        contestant=who(season, 1),
        user=user_named("nina", display_name="Nina"),
        why="ill",
        at=now(),
    )
    final = rows_in(season, 2)[0]
    assert (final.home, final.away) == (new, who(season, 2))
    assert rows_in(season, 1)[0].winner == who(season, 1), "what was decided stays the other's"
    won_by(orla, final, 1)
    season = anew(season)
    assert season.winner == new
    assert places(season)["Nina"] == 1
    # A correction of what the other had won brings the place back to its holder.
    round_reopen(acting_user=orla, round=season.rounds.get(number=1), why="a mistake", at=now())
    corrected(orla, rows_in(season, 1)[0], 4)
    assert pairs_in(season, 2) == [(4, 2)]
    assert Contestant.objects.get(pk=new.pk).status == "eliminated"
    assert faults_of(season) == []


def test_what_a_bracket_refuses(orla: User, cleo: User) -> None:
    season = running(orla, 4, BRACKET)
    refused("round.not-paired", round_pair, acting_user=orla, season=season, at=now())
    refused("entry.closed", contestant_enrol, acting_user=orla, season=season, user=cleo, at=now())
    refused(
        "ladder.no-ladder",
        ladder_challenge,
        acting_user=who(season, 2).user,
        season=season,
        defender=who(season, 1),
        at=now(),
    )
    refused("season.not-concluded", season_conclude, acting_user=orla, season=season, at=now())


# -- round robin -----------------------------------------------------------------------------------


def test_a_round_robin_from_start_to_winner(orla: User) -> None:
    season = running(orla, 4, ROBIN)
    assert pairs_in(season, 1) == [(1, 4), (2, 3)]
    both = refused("round.open-matches", round_pair, acting_user=orla, season=season, at=now())
    assert both.sentence == "Round 1 is not complete: 2 of its death matches are not decided."
    won_by(orla, rows_in(season, 1)[0], 1)
    one = refused("round.open-matches", round_pair, acting_user=orla, season=season, at=now())
    assert one.sentence == "Round 1 is not complete: 1 of its death matches is not decided."
    settle(orla, season, 1, 2)
    told = season.events.get(kind="round.closed").data["standings"]
    assert [(row["rank"], row["name"], row["points"]) for row in told] == [
        (1, "Player 1", 1), (1, "Player 2", 1), (3, "Player 3", 0), (3, "Player 4", 0),
    ]  # fmt: skip
    second = round_pair(acting_user=orla, season=season, at=now())
    assert (second.number, second.name) == (2, "Round 2")
    assert AuditEntry.objects.filter(action="round.pair").count() == 1
    assert pairs_in(season, 2) == [(4, 2), (3, 1)]
    settle(orla, season, 2, 2, 1)
    round_pair(acting_user=orla, season=season, at=now())
    settle(orla, season, 3, 3, 1)
    # 1 has three wins, 2 two, 3 one, 4 none.
    season = anew(season)
    assert (season.status, season.winner) == ("finished", who(season, 1))
    assert places(season) == {"Player 1": 1, "Player 2": 2, "Player 3": 3, "Player 4": 4}
    table = course_of(season).table
    assert table.row(who(season, 2).pk).why == (
        "Behind Player 1 on points, 2 to 3. Ahead of Player 3 on points, 2 to 1."
    )
    refused("season.not-running", round_pair, acting_user=orla, season=season, at=now())


def test_a_tie_at_the_top_that_nothing_breaks_is_for_the_organisers(
    orla: User, oscar: User
) -> None:
    season = running(orla, 3, ROBIN, tie_breaks=["points", "direct"])
    # A circle: 1 beats 2, 2 beats 3, 3 beats 1; each rests once, which is worth nothing.
    for number in (1, 2, 3):
        for row, meeting in zip(rows_in(season, number), met_in(season, number), strict=True):
            if row.how != How.BYE:
                won_by(orla, row, 3 if meeting == {1, 3} else 2 if meeting == {2, 3} else 1)
        if number < 3:
            round_pair(acting_user=orla, season=season, at=now())
    assert anew(season).status == "running"
    table = course_of(season).table
    assert [(row.rank, row.values[0]) for row in table.rows] == [(1, 1), (1, 1), (1, 1)]
    refused("round.none-left", round_pair, acting_user=orla, season=season, at=now())
    refused("season.tied", season_conclude, acting_user=orla, season=season, at=now())
    (tied,) = preflight(season, "finish", orla)
    assert (tied.code, tied.stops) == ("season.tied", False)
    assert CONCLUDE.offered(AtSeason(orla, Sheet(anew(season))))
    season.contestants.filter(name="Player 2").update(user=orla)
    warned = preflight(season, "finish", orla)
    assert [(each.code, each.stops) for each in warned] == [
        ("season.own", True),
        ("season.tied", False),
    ]
    assert [each.code for each in preflight(season, "finish", oscar)] == ["season.tied"]
    stopped = CONCLUDE.refusal(AtSeason(orla, Sheet(anew(season))))
    assert stopped is not None
    assert stopped.code == "season.own"
    refused(
        "season.own", season_conclude, acting_user=orla, season=season, winner=who(season, 2),
        at=now(),
    )  # fmt: skip
    season.contestants.filter(name="Player 2").update(user=None)
    done = season_conclude(acting_user=orla, season=season, winner=who(season, 2), at=now())
    assert done.winner == who(season, 2)


def test_only_somebody_who_stands_first_can_be_named_the_winner(orla: User) -> None:
    season = running(orla, 3, LADDER)
    refused(
        "season.not-first",
        season_conclude,
        acting_user=orla,
        season=season,
        winner=who(season, 2),
        at=now(),
    )


def test_who_leaves_a_round_robin_early_leaves_no_trace(orla: User) -> None:
    season = running(orla, 5, ROBIN)
    homes_win(orla, season, 1)
    beaten = next(row for row in rows_in(season, 1) if row.how != How.BYE)
    assert beaten.winner is not None
    assert beaten.away is not None
    round_pair(acting_user=orla, season=season, at=now())
    gone = beaten.away
    contestant_withdraw(acting_user=orla, contestant=gone, why="moved away", at=now())
    course = RoundRobinCourse.of(season)
    assert course.robin.out == {gone.pk}
    assert beaten.pk in course.annulled
    assert gone.pk not in [row.player for row in course.table.rows]
    assert course.table.row(beaten.winner.pk).values[0] == 0, "the win against them is annulled"
    # From now on whoever would have met them rests.
    for number in (2, 3, 4, 5):
        for row in rows_in(season, number):
            assert row.status != "planned" or gone.pk not in (row.home_id, row.away_id)
        homes_win(orla, season, number)
        if number < 5:
            round_pair(acting_user=orla, season=season, at=now())
    assert sum(row.values[0] or 0 for row in course_of(season).table.rows) == 6
    assert season.contestants.get(pk=gone.pk).place is None


def test_who_leaves_a_round_robin_late_gives_walkovers(orla: User) -> None:
    season = running(orla, 4, ROBIN)
    settle(orla, season, 1, 1, 2)
    round_pair(acting_user=orla, season=season, at=now())
    settle(orla, season, 2, 2, 1)
    leaves(season, 4)  # two of three finished
    round_pair(acting_user=orla, season=season, at=now())
    last = {row.how: row for row in rows_in(season, 3)}
    assert last["walkover"].winner == who(season, 3)
    won_by(orla, last[""], 1)
    season = anew(season)
    assert season.winner == who(season, 1)
    assert places(season) == {"Player 1": 1, "Player 2": 2, "Player 3": 3, "Player 4": 4}


def test_a_second_leg(orla: User) -> None:
    season = running(orla, 3, ROBIN, format_options={"legs": 2})
    assert course_of(season).rounds == 6


def test_nobody_enters_a_round_robin_late_but_somebody_can_be_replaced(
    orla: User, cleo: User
) -> None:
    season = running(orla, 4, ROBIN)
    refused("entry.closed", contestant_enrol, acting_user=orla, season=season, user=cleo, at=now())
    settle(orla, season, 1, 1, 2)
    new = contestant_replace(
        acting_user=orla, contestant=who(season, 1), user=cleo, why="ill", at=now()
    )
    round_pair(acting_user=orla, season=season, at=now())
    assert pairs_in(season, 2) == [(4, 2), (3, 1)]
    assert rows_in(season, 2)[1].away == new
    assert course_of(season).table.row(new.pk).values[0] == 1, "with the points of the place"


# -- Swiss -----------------------------------------------------------------------------------------


def test_a_swiss_season_from_start_to_winner(orla: User, cleo: User) -> None:
    season = running(orla, 6, SWISS, format_options={"rounds": 3})
    assert pairs_in(season, 1) == [(1, 4), (2, 5), (3, 6)]
    settle(orla, season, 1, 1, 2, 3)
    late = contestant_enrol(acting_user=orla, season=season, user=cleo, at=now())
    assert late.since_round == 2
    round_pair(acting_user=orla, season=season, at=now())
    second = pairs_in(season, 2)
    assert second[-1] == (7, None), "the late entry stands last, and has the bye"
    homes_win(orla, season, 2)
    round_pair(acting_user=orla, season=season, at=now())
    refused(
        "entry.too-late",
        contestant_enrol,
        acting_user=orla,
        season=season,
        user=user_named("dora"),
        at=now(),
    )
    homes_win(orla, season, 3)
    season = anew(season)
    table = course_of(season).table
    assert sum(row.values[0] for row in table.rows) == 3 + 4 + 4
    if season.status == "running":
        first = [row.player for row in table.rows if row.rank == 1]
        assert len(first) > 1
    else:
        assert season.winner is not None
        assert season.winner.pk == table.rows[0].player


def test_a_swiss_round_freezes_the_one_before(orla: User) -> None:
    season = running(orla, 4, SWISS, format_options={"rounds": 3})
    settle(orla, season, 1, 1, 2)
    corrected(orla, rows_in(season, 1)[0], 3)  # nothing rests on it yet
    assert season.rounds.get().status == "closed"
    round_pair(acting_user=orla, season=season, at=now())
    assert met_in(season, 2) == [{2, 3}, {1, 4}]
    first = rows_in(season, 1)[0]
    how: dict[str, Any] = {"acting_user": orla, "why": "a mistake", "at": now()}
    refused("round.frozen", death_match_correct, death_match=first, winner=who(season, 1), **how)
    round_reopen(round=first.round, **how)
    corrected(orla, first, 1)
    # What was paired stays paired; the points are the right ones again.
    assert met_in(season, 2) == [{2, 3}, {1, 4}]
    assert course_of(season).table.row(who(season, 1).pk).values[0] == 1
    assert season.rounds.get(number=1).status == "closed"


def test_a_swiss_round_without_a_way_is_refused_and_can_be_forced(orla: User) -> None:
    season = running(orla, 2, SWISS, format_options={"rounds": 2})
    settle(orla, season, 1, 1)
    refused("pairing.rematch", round_pair, acting_user=orla, season=season, at=now())
    round_pair(acting_user=orla, season=season, lenient=True, at=now())
    assert pairs_in(season, 2) == [(2, 1)]
    played(orla, rows_in(season, 2)[0], winner=1, at=now())
    assert anew(season).winner == who(season, 1)


def test_the_last_result_corrected_takes_the_season_s_end_back(orla: User) -> None:
    season = running(orla, 2, SWISS, format_options={"rounds": 1})
    final = played(orla, rows_in(season, 1)[0], winner=0, at=now())
    assert places(anew(season)) == {"Player 1": 1, "Player 2": 2}
    corrected(orla, final, 2)
    season = anew(season)
    assert (season.status, season.winner) == ("finished", who(season, 2))
    assert places(season) == {"Player 1": 2, "Player 2": 1}
    assert kinds(season).count("season.reopened") == 1


def test_an_earlier_result_corrected_after_the_end_gives_another_winner(orla: User) -> None:
    season = running(orla, 4, SWISS, format_options={"rounds": 2})
    settle(orla, season, 1, 1, 2)
    round_pair(acting_user=orla, season=season, at=now())
    homes_win(orla, season, 2)
    before = anew(season).winner
    assert before is not None
    first = next(row for row in rows_in(season, 1) if before in (row.home, row.away))
    other = first.away if first.home == before else first.home
    assert other is not None
    round_reopen(acting_user=orla, round=first.round, why="a mistake", at=now())
    corrected(orla, first, other.seed or 0)
    season = anew(season)
    assert season.status == "finished"
    assert season.winner != before
    assert faults_of(season) == []


def test_who_comes_back_into_a_swiss_season_plays_from_the_next_round(orla: User) -> None:
    season = running(orla, 6, SWISS, format_options={"rounds": 4})
    leaves(season, 6)
    homes_win(orla, season, 1)
    round_pair(acting_user=orla, season=season, at=now())
    homes_win(orla, season, 2)
    back = contestant_return(acting_user=orla, contestant=who(season, 6), why="well", at=now())
    assert back.since_round == 3
    round_pair(acting_user=orla, season=season, at=now())
    assert any(6 in meeting for meeting in met_in(season, 3))
    assert faults_of(season) == []


def test_who_takes_over_from_somebody_who_had_left_plays_from_the_next_round(
    orla: User, cleo: User
) -> None:
    season = running(orla, 5, SWISS, format_options={"rounds": 3})
    leaves(season, 5)
    homes_win(orla, season, 1)
    round_pair(acting_user=orla, season=season, at=now())
    heir = contestant_replace(
        acting_user=orla, contestant=who(season, 5), user=cleo, why="ill", at=now()
    )
    assert faults_of(season) == []
    homes_win(orla, season, 2)
    round_pair(acting_user=orla, season=season, at=now())
    assert heir.seed in {seed for pair in pairs_in(season, 3) for seed in pair}
    assert faults_of(season) == []


def test_by_hand_an_heir_has_met_whom_their_place_has_met(orla: User, cleo: User) -> None:
    season = running(orla, 5, SWISS, format_options={"rounds": 3})
    first, second = (row for row in rows_in(season, 1) if row.how != How.BYE)
    homes_win(orla, season, 1)
    rested = next(row.home for row in rows_in(season, 1) if row.how == How.BYE)

    def heir_of(contestant: Any, user: User) -> Contestant:
        return contestant_replace(
            acting_user=orla, contestant=contestant, user=user, why="ill", at=now()
        )

    heir, resting = heir_of(first.home, cleo), heir_of(rested, user_named("dora"))

    def by_hand(*pairs: tuple[Any, Any]) -> dict[str, Any]:
        return {
            "acting_user": orla, "season": season, "at": now(),
            "pairings": [ManualPairing(*pair) for pair in pairs],
        }  # fmt: skip

    rematch = by_hand((heir, first.away), (second.home, resting))
    refused("pairing.rematch", round_next, **rematch)
    refused("pairing.bye", round_next, **by_hand((heir, second.home), (first.away, second.away)))
    round_next(**by_hand((heir, second.home), (first.away, resting)))
    assert faults_of(season) == []


@pytest.mark.parametrize("staying", [0, 1])
def test_by_hand_a_round_is_for_two_at_least(orla: User, staying: int) -> None:
    season = running(orla, 2, SWISS, format_options={"rounds": 2})
    homes_win(orla, season, 1)
    for number in range(1, 3 - staying):
        leaves(season, number)
    refused("pairing.too-few", round_next, acting_user=orla, season=season, pairings=[], at=now())


def test_a_ladder_that_has_not_begun_has_no_challenges(orla: User) -> None:
    season = enrolled(orla, 3, LADDER)
    refused("pairing.needed", round_next, acting_user=orla, season=season, pairings=[])


def test_a_no_show_is_a_walkover(orla: User) -> None:
    season = running(orla, 4, SWISS, format_options={"rounds": 2})
    row = rows_in(season, 1)[0]
    assert row.home is not None
    death_match_walkover(
        acting_user=orla, death_match=row, winner=row.home, why="not there", at=now()
    )
    table = course_of(season).table
    line = table.row(row.home.pk)
    # A point, but no win at the table.
    order = [metric.key for metric in table.metrics]
    assert (line.values[order.index("points")], line.values[order.index("wins")]) == (1, 0)


def test_who_has_left_is_not_paired_and_a_void_match_counts_for_nothing(orla: User) -> None:
    season = running(orla, 5, SWISS, format_options={"rounds": 3})
    first, second = rows_in(season, 1)[:2]
    death_match_void(acting_user=orla, death_match=first, why="power cut", at=now())
    won_by(orla, second, 2)
    leaves(season, 5)
    round_pair(acting_user=orla, season=season, at=now())
    assert 5 not in {side for pair in pairs_in(season, 2) for side in pair}
    assert course_of(season).table.row(who(season, 1).pk).values[0] == 0


# -- ladder ----------------------------------------------------------------------------------------


def ladder_now(season: Season) -> list[int | None]:
    course = course_of(season)
    return [course.holders[rung.player].seed for rung in course.rungs]


def test_a_ladder_from_start_to_winner(orla: User, cleo: User) -> None:
    season = running(orla, 4, LADDER, format_options={"challenge_reach": 2})
    challenge: dict[str, Any] = {"season": season}
    third = who(season, 3)
    assert third.user is not None
    made = ladder_challenge(acting_user=third.user, defender=who(season, 1), at=now(), **challenge)
    assert (made.home, made.away) == (third, who(season, 1))
    for code, challenger, defender in (
        ("ladder.busy", 3, 2),
        ("ladder.busy", 2, 1),
        ("ladder.out-of-reach", 4, 1),
        ("ladder.self", 4, 4),
        ("ladder.not-above", 2, 4),
    ):
        refused(
            code,
            ladder_challenge,
            acting_user=who(season, challenger).user,
            defender=who(season, defender),
            at=now(),
            **challenge,
        )
    refused(
        "ladder.not-in",
        ladder_challenge,
        acting_user=cleo,
        defender=who(season, 1),
        at=now(),
        **challenge,
    )
    refused(
        "season.not-organiser",
        ladder_challenge,
        acting_user=cleo,
        challenger=who(season, 4),
        defender=who(season, 2),
        at=now(),
        **challenge,
    )
    played(orla, made, winner=0, at=now())
    assert ladder_now(season) == [3, 1, 2, 4]
    # The same two may meet again; an organiser may enter a challenge for somebody.
    again = ladder_challenge(
        acting_user=orla, challenger=who(season, 1), defender=third, at=now(), **challenge
    )
    won_by(orla, again, 3)
    assert ladder_now(season) == [3, 1, 2, 4]
    late = contestant_enrol(acting_user=orla, season=season, user=cleo, at=now())
    assert course_of(season).rungs[-1].player == late.pk
    corrected(orla, made, 1)
    assert ladder_now(season) == [1, 2, 3, 4, 5]
    leaves(season, 2)
    assert ladder_now(season) == [1, 3, 4, 5]
    last = ladder_challenge(acting_user=cleo, defender=who(season, 4), at=now(), **challenge)
    refused("season.not-concluded", season_conclude, acting_user=orla, season=season, at=now())
    won_by(orla, last, 5)
    refused("round.ladder", round_close_by_hand, acting_user=orla, round=made.round)
    done = season_conclude(acting_user=orla, season=season, at=now())
    assert done.winner == who(season, 1)
    assert places(season) == {
        "Player 1": 1, "Player 2": None, "Player 3": 2, "Cleo": 3, "Player 4": 4,
    }  # fmt: skip


# -- what is played --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choice", "expected"),
    [("fixed", ["tetronogo", "tetronogo"]), ("rotating", ["tetronogo", "domino-wars"])],
)
def test_rulesets_by_round(orla: User, choice: str, expected: list[str]) -> None:
    season = running(orla, 4, SWISS, repertoire=[GAME, WARS], ruleset_choice=choice)
    settle(orla, season, 1, 1, 2)
    round_pair(acting_user=orla, season=season, at=now())
    assert [each.ruleset for each in season.rounds.all()] == expected
    assert leg_of(rows_in(season, 2)[0]).ruleset == expected[1]


def test_the_lower_seed_chooses(orla: User) -> None:
    season = running(orla, 4, SWISS, repertoire=[GAME, WARS], ruleset_choice="lower-seed")
    row = rows_in(season, 1)[0]
    assert (row.round.ruleset, leg_of(row).ruleset) == ("", "")
    higher, lower = who(season, 1).user, who(season, 3).user
    choose: dict[str, Any] = {
        "death_match": row, "ruleset": "domino-wars", "variant": "standard", "at": now(),
    }  # fmt: skip
    refused("rules.not-allowed", rules_set, acting_user=higher, **choose)
    assert lower is not None
    rules_set(acting_user=lower, **choose)
    assert leg_of(row).ruleset == "domino-wars"


def test_preflight_tells_of_the_format_s_cautions(orla: User) -> None:
    season = enrolled(orla, 5, SWISS, format_options={"rounds": 8})
    assert "format.rematches" in [warned.code for warned in preflight(season, "start")]
    few = enrolled_again(orla)
    refused("pairing.too-few", season_start, acting_user=orla, season=few, at=now())


def enrolled_again(organiser: User) -> Season:
    from tournaments.services.seasons import season_create, season_list

    season = season_create(acting_user=organiser, name="Empty", format=SWISS, at=now())
    return season_list(acting_user=organiser, season=season, at=now())


# -- once, and only once ---------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_two_organisers_pair_at_the_same_moment() -> None:
    from tests.tournaments.support import organiser_named

    orla = organiser_named("orla")
    season = running(orla, 8, SWISS, format_options={"rounds": 3})
    settle(orla, season, 1, 1, 2, 3, 4)
    gate = threading.Barrier(3)
    answers: list[str] = []

    def pair() -> None:
        try:
            gate.wait()
            round_pair(acting_user=orla, season=season)
            answers.append("paired")
        except Refusal as refusal:
            answers.append(refusal.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=pair) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == ["paired", "round.open-matches", "round.open-matches"]
    assert season.rounds.count() == 2
    assert DeathMatch.objects.filter(round__season=season).count() == 8


def test_the_database_is_the_second_net(orla: User) -> None:
    season = running(orla, 4, SWISS)
    first = season.rounds.get()
    with pytest.raises(IntegrityError), transaction.atomic():
        death_match_create(
            round=first, home=who(season, 1), away=who(season, 4), number=9, at=now()
        )
    with pytest.raises(IntegrityError), transaction.atomic():
        Round.objects.create(season=season, number=1, name="Round 1 again")


# -- whole seasons at random -----------------------------------------------------------------------


def shuffled_settle(organiser: User, rows: list[DeathMatch], source: random.Random) -> None:
    source.shuffle(rows)
    for stale in rows:
        row = fresh(stale)
        if row.status != DeathMatchStatus.PLANNED or row.home is None or row.away is None:
            continue
        won_by(organiser, row, source.choice((row.home.seed, row.away.seed)) or 0)


def everybody_once(season: Season) -> None:
    """Nobody is in two death matches of a round, both sides taken together."""
    for each in season.rounds.all():
        if each.is_final:
            continue
        sides = Counter(
            side
            for row in each.death_matches.exclude(status="void")
            for side in (row.home_id, row.away_id)
            if side is not None
        )
        assert set(sides.values()) <= {1}, each


def maybe_leave(organiser: User, season: Season, source: random.Random) -> None:
    active = list(season.contestants.filter(status="active").order_by("pk"))
    if len(active) > 3 and source.random() < 0.4:
        contestant = source.choice(active)
        contestant_withdraw(acting_user=organiser, contestant=contestant, why="at random", at=now())


def maybe_correct(organiser: User, season: Season, source: random.Random) -> None:
    """Correct something; where it is frozen, that is refused and nothing changes."""
    decided = DeathMatch.objects.filter(
        round__season=season, status="decided", away__isnull=False
    ).select_related("round", "home", "away", "winner")
    if not decided or source.random() < 0.5:
        return
    row = source.choice(list(decided.order_by("pk")))
    loser = row.away if row.winner == row.home else row.home
    assert loser is not None
    correct: dict[str, Any] = {
        "acting_user": organiser, "death_match": row, "winner": loser, "why": "at random",
        "at": now(),
    }  # fmt: skip
    later = season.rounds.filter(number__gt=row.round.number)
    # In a bracket what somebody has played on; not what merely stands in a round that is complete.
    frozen = bool(_fed_by(season, int(row.key))) if season.format == BRACKET else later.exists()
    if frozen:
        refused("round.frozen", death_match_correct, **correct)
        if row.round.status == "closed" and source.random() < 0.5:
            corrected_after_reopening(organiser, season, correct)
    else:
        death_match_correct(**correct)


def corrected_after_reopening(organiser: User, season: Season, correct: dict[str, Any]) -> None:
    """Reopen the round and all that rest on it, and correct the result."""
    first = correct["death_match"].round.number
    for each in season.rounds.filter(number__gte=first, status="closed"):
        round_reopen(acting_user=organiser, round=each, why="at random", at=now())
    death_match_correct(**correct)


def _fed_by(season: Season, match_id: int) -> list[int]:
    """The death matches that the winner or loser of one goes on to."""
    fed = [
        str(match.id)
        for match in course_of(season).bracket.bracket.matches
        if any(source.kind != "seed" and source.of == match_id for source in match.sources)
    ]
    found = DeathMatch.objects.filter(round__season=season, key__in=fed, status="decided")
    return list(found.values_list("pk", flat=True))


@pytest.mark.parametrize(
    ("count", "seed"), [*([(13, 1), (16, 2)] if depth.whole else []), (9, 3), (7, 4)]
)
def test_random_brackets(orla: User, count: int, seed: int) -> None:
    source = random.Random(seed)
    season = running(orla, count, BRACKET, format_options={"third_place": bool(seed % 2)})
    while anew(season).status == "running":
        rows = [
            row
            for number in range(1, season.rounds.count() + 1)
            for row in rows_in(season, number)
            if row.status == DeathMatchStatus.PLANNED
        ]
        assert rows, "a bracket never gets stuck"
        shuffled_settle(orla, source.sample(rows, source.randint(1, len(rows))), source)
        maybe_leave(orla, season, source)
        maybe_correct(orla, season, source)
        progress = course_of(season).bracket
        assert progress.stale == ()
        lost = [each.loser for each in progress.matches if each.loser is not None]
        if not seed % 2:
            assert max(Counter(lost).values(), default=1) == 1
            eliminated = season.contestants.filter(status="eliminated")
            assert {each.pk for each in eliminated} <= set(lost), "who is out has lost"
        everybody_once(season)
        assert faults_of(season) == []
    season = anew(season)
    assert Counter(season.contestants.values_list("status", flat=True))["active"] == 1
    assert season.winner is not None
    assert season.winner.status == ContestantStatus.ACTIVE
    assert sorted(places(season).values(), key=lambda each: each or 0)[:2] == [1, 2]
    assert None not in places(season).values()
    # Rows and the bracket worked out anew from nothing but results say the same.
    rows_by = {int(row.key): row for row in DeathMatch.objects.filter(round__season=season)}
    for standing in course_of(season).bracket.matches:
        row = rows_by[standing.match.id]
        assert (standing.home, standing.away, standing.winner) == (
            row.home_id, row.away_id, row.winner_id,
        )  # fmt: skip


@pytest.mark.parametrize(("count", "seed"), [(12, 1), (9, 2), *([(15, 3)] if depth.whole else [])])
def test_random_swiss_seasons(orla: User, count: int, seed: int) -> None:
    source = random.Random(seed)
    season = running(orla, count, SWISS, format_options={"rounds": 5})
    newcomers: Iterator[int] = itertools.count(1)
    while True:
        number = season.rounds.count()
        present = {
            each.pk for each in season.contestants.filter(status="active", since_round__lte=number)
        }
        paired = {
            side
            for row in rows_in(season, number)
            for side in (row.home_id, row.away_id)
            if side is not None
        }
        assert paired == present, "everybody is in each round"
        maybe_leave(orla, season, source)
        shuffled_settle(orla, rows_in(season, number), source)
        if anew(season).status != "running" or number == 5:
            break
        if source.random() < 0.4:
            user = user_named(f"late{next(newcomers)}")
            contestant_enrol(acting_user=orla, season=season, user=user, at=now())
        maybe_correct(orla, season, source)
        round_pair(acting_user=orla, season=season, at=now())
        everybody_once(season)
    rows = DeathMatch.objects.filter(round__season=season)
    met = Counter(frozenset((row.home_id, row.away_id)) for row in rows if row.away_id)
    assert set(met.values()) == {1}, "nobody meets twice"
    byes = Counter(row.home_id for row in rows if row.how == How.BYE)
    assert set(byes.values()) <= {1}, "nobody rests twice"
    table = course_of(season).table
    assert sum(row.values[0] for row in table.rows) == rows.filter(status="decided").count()
    season = anew(season)
    first = [
        row.player
        for row in table.rows
        if row.rank == 1 and season.contestants.get(pk=row.player).status == "active"
    ]
    if len(first) == 1:
        assert season.winner_id == first[0]


@pytest.mark.parametrize(
    ("count", "legs", "seed"), [(6, 1, 1), (5, 2, 2), *([(7, 1, 3)] if depth.whole else [])]
)
def test_random_round_robins(orla: User, count: int, legs: int, seed: int) -> None:
    source = random.Random(seed)
    season = running(orla, count, ROBIN, format_options={"legs": legs})
    rounds = course_of(season).rounds
    for number in range(1, rounds + 1):
        maybe_leave(orla, season, source)
        shuffled_settle(orla, rows_in(season, number), source)
        everybody_once(season)
        if number < rounds:
            maybe_correct(orla, season, source)
            round_pair(acting_user=orla, season=season, at=now())
    course = RoundRobinCourse.of(season)
    rows = DeathMatch.objects.filter(round__season=season, away__isnull=False)
    met = Counter(frozenset((row.home_id, row.away_id)) for row in rows)
    assert max(met.values()) <= legs
    stayed = [each.pk for each in season.contestants.all() if each.pk not in course.robin.out]
    for pair in itertools.combinations(stayed, 2):
        assert met[frozenset(pair)] == legs or not {*pair}.isdisjoint(course.withdrawn)
    counting = rows.filter(status="decided").exclude(pk__in=course.annulled).count()
    assert sum(row.values[0] for row in course.table.rows) >= counting  # type: ignore[misc]
    assert course.robin.open == ()
