"""Episodes and death matches: what is refused, and what becomes of results that do not stand."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from accounts.models import User
from core.jobs.models import SetAside
from games.engine.errors import EngineFault
from games.ratings.models import RatingRuling
from tests.tournaments.support import (
    GAME,
    START,
    WARS,
    account,
    after,
    begun,
    chosen,
    conceded,
    enrolled,
    episode_now,
    fresh,
    kinds,
    leg_of,
    placings,
    played,
    refused,
    ruled,
    running,
    who,
)
from tournaments.formats.base import Follows, Walkover
from tournaments.formats.elimination.choice import choice_expire, choosable, dmo_choose
from tournaments.formats.elimination.episodes import episode_open, episode_skip
from tournaments.formats.elimination.final import final_open
from tournaments.formats.elimination.main_match import Placing, in_main_match, placements_record
from tournaments.invariants import faults_of
from tournaments.models import Contestant, DeathMatch, Episode, Leg, Season
from tournaments.services.contestants.departures import contestant_return, contestant_withdraw
from tournaments.services.contestants.enrolment import contestant_enrol
from tournaments.services.legs import leg_start, rules_set
from tournaments.services.results.corrections import (
    death_match_correct,
    death_match_reopen,
    death_match_void,
    leg_void,
    round_reopen,
)
from tournaments.services.results.decisions import follow
from tournaments.services.results.rulings import death_match_declare, death_match_walkover
from tournaments.services.results.settlement import leg_settle
from tournaments.services.rounds import round_close_by_hand
from tournaments.services.scheduling.sweep import legs_sweep
from tournaments.services.seasons import season_archive, season_cancel, season_list
from tournaments.services.starts import season_start

WHY: dict[str, Any] = {"why": "because"}


def placed(orla: User, season: Season, last: int, **more: Any) -> Episode:
    return placements_record(
        acting_user=orla,
        episode=episode_now(season),
        placements=placings(season, last, **more),
        at=START,
    )


# -- episodes ------------------------------------------------------------------------------------


def test_the_main_match_leaves_an_ec(orla: User) -> None:
    season = running(orla, 4)
    episode = placed(orla, season, 3, immune=(1,))
    assert (episode.status, episode.ec) == ("choosing", who(season, 3))
    assert episode.choose_by == START + timedelta(hours=24)
    # Whoever is immune is passed over.
    episode = placements_record(
        acting_user=orla, episode=episode, at=START,
        placements=placings(season, 4, immune=[4]),
    )  # fmt: skip
    assert episode.ec == who(season, 3)
    words = season.events.filter(kind="episode.placed").latest("pk").words
    assert words.startswith("Player 3 comes last of those who are not immune in ")
    # Recording again, while nobody has been chosen, replaces it.
    episode = placed(orla, season, 2)
    assert episode.ec == who(season, 2)
    assert episode.placements.count() == 4


def test_placements_that_do_not_fit(orla: User, cleo: User) -> None:
    season = running(orla, 4)
    episode = episode_now(season)
    right = placings(season, 4)
    one, _two, _three, four = right

    def refuse(code: str, placements: list[Placing], **given: Any) -> None:
        arguments: dict[str, Any] = {
            "acting_user": orla,
            "episode": episode,
            "placements": placements,
            **given,
        }
        refused(code, placements_record, **arguments)

    refuse("season.not-organiser", right, acting_user=cleo)
    refuse("placements.missing", right[:3])
    refuse("placements.twice", [*right, one])
    refuse("placements.place", [one._replace(place=0), *right[1:]])
    refuse("placements.tie", [each._replace(place=2) for each in right])
    refuse("placements.ec-not-last", right, ec=one.contestant)
    immune = four._replace(immune=True)
    refuse("placements.ec-immune", [*right[:3], immune], ec=four.contestant)
    refuse(
        "placements.nobody-left",
        [*(each._replace(immune=True) for each in right[:3]), four],
    )
    refuse("episode.main-match.too-long", right, main_match="x" * 121)
    refuse("episode.notes.too-long", right, notes="x" * 4001)
    contestant_withdraw(acting_user=orla, contestant=who(season, 1), why="ill", at=START)
    refuse("placements.stranger", right)


def test_a_tie_is_broken_by_the_organiser(orla: User) -> None:
    season = running(orla, 4)
    tied = [each._replace(place=min(each.place, 3)) for each in placings(season, 4)]
    episode = placements_record(
        acting_user=orla, episode=episode_now(season), placements=tied, ec=who(season, 3),
        at=START,
    )  # fmt: skip
    assert episode.ec == who(season, 3)


def test_whom_the_ec_may_choose(orla: User, cleo: User) -> None:
    season = running(orla, 5)
    refused(
        "choice.closed", dmo_choose, acting_user=orla, episode=episode_now(season),
        contestant=who(season, 1),
    )  # fmt: skip
    contestant_withdraw(acting_user=orla, contestant=who(season, 5), why="ill", at=START)
    episode = placed(orla, season, 4, immune=(1,))
    ec = account(season, 4)

    def refuse(code: str, number: int, user: User | None = ec, at: Any = START) -> None:
        refused(
            code, dmo_choose, acting_user=user, episode=episode, contestant=who(season, number),
            at=at,
        )  # fmt: skip

    refuse("choice.not-yours", 2, cleo)
    refuse("choice.not-yours", 3, account(season, 2))
    for number in (1, 4, 5):
        refuse("choice.not-allowed", number)
    refuse("choice.too-late", 2, at=after(hours=24, seconds=1))
    death_match = dmo_choose(
        acting_user=ec, episode=episode, contestant=who(season, 2), at=after(hours=24)
    )
    assert (death_match.home, death_match.away) == (who(season, 4), who(season, 2))
    refuse("choice.closed", 3)
    played(orla, death_match, winner=0)
    refuse("choice.closed", 3, orla)
    refused("episode.placed", placements_record, acting_user=orla, episode=episode, placements=[])


def test_a_late_entry_is_no_part_of_the_episode_that_is_on(orla: User, cleo: User) -> None:
    season = running(orla, 4)
    late = contestant_enrol(acting_user=orla, season=season, user=cleo, at=START)
    right = placings(season, 4)
    assert late not in [each.contestant for each in right]
    refused(
        "placements.stranger", placements_record, acting_user=orla, episode=episode_now(season),
        placements=[*right, Placing(late, 5)],
    )  # fmt: skip
    episode = placements_record(
        acting_user=orla, episode=episode_now(season), placements=right, at=START
    )
    assert choosable(episode) == [who(season, number) for number in (1, 2, 3)]
    refused("choice.not-allowed", dmo_choose, acting_user=orla, episode=episode, contestant=late)
    played(
        orla, dmo_choose(acting_user=orla, episode=episode, contestant=who(season, 2), at=START), 1
    )
    episode = episode_open(acting_user=orla, season=season, at=START)
    assert late in list(in_main_match(episode))


def test_an_organiser_names_the_dmo_but_not_themselves(orla: User) -> None:
    season = enrolled(orla, 3)
    own = contestant_enrol(acting_user=orla, season=season, user=orla, at=START)
    season_start(acting_user=orla, season=season, at=START)
    episode = placed(orla, season, 3)
    refused("choice.own", dmo_choose, acting_user=orla, episode=episode, contestant=own)
    death_match = dmo_choose(
        acting_user=orla, episode=episode, contestant=who(season, 1), at=after(days=9)
    )
    assert death_match.round.episode.chosen_by == orla


def test_an_organiser_who_is_the_ec_does_not_get_out_of_it(orla: User) -> None:
    season = enrolled(orla, 3)
    contestant_enrol(acting_user=orla, season=season, user=orla, at=START)
    season_start(acting_user=orla, season=season, at=START)
    right = placings(season, 4)
    last = next(each for each in right if each.contestant.user_id == orla.pk)
    right = [*(each for each in right if each is not last), last._replace(place=5)]
    episode = placements_record(
        acting_user=orla, episode=episode_now(season), placements=right, at=START
    )
    refused("death-match.own", episode_skip, acting_user=orla, episode=episode, **WHY)
    refused(
        "death-match.own", placements_record, acting_user=orla, episode=episode,
        placements=placings(season, 3),
    )  # fmt: skip


def test_organisers_are_told_once_that_nobody_was_chosen(orla: User) -> None:
    season = running(orla, 4)
    episode = placed(orla, season, 4)
    assert not choice_expire(episode=episode, at=after(hours=24))
    assert choice_expire(episode=episode, at=after(hours=25))
    assert not choice_expire(episode=episode, at=after(hours=26))
    assert kinds(season)[-1] == "ruling"


def test_they_are_not_told_while_they_could_do_nothing_about_it(orla: User) -> None:
    season = running(orla, 4)
    episode = placed(orla, season, 4)
    season_archive(acting_user=orla, season=season, at=START)
    assert legs_sweep(at=after(hours=25)).by_format == 0
    assert not choice_expire(episode=episode, at=after(hours=25))
    season_list(acting_user=orla, season=season, at=after(hours=26))
    assert legs_sweep(at=after(hours=27)).by_format == 1


def test_an_episode_is_not_closed_before_it_is_over(orla: User) -> None:
    season = running(orla, 4)
    first = season.rounds.get()
    refused("round.episode-open", round_close_by_hand, acting_user=orla, round=first)
    placed(orla, season, 4)
    refused("round.episode-open", round_close_by_hand, acting_user=orla, round=first)


def test_opening_and_skipping(orla: User, cleo: User) -> None:
    season = running(orla, 4)
    episode = episode_now(season)
    refused("round.not-closed", episode_open, acting_user=orla, season=season)
    refused("season.not-organiser", episode_skip, acting_user=cleo, episode=episode, **WHY)
    refused("why.missing", episode_skip, acting_user=orla, episode=episode, why="")
    episode_skip(acting_user=orla, episode=episode, why="a draw", at=START)
    refused("lifecycle.step", episode_skip, acting_user=orla, episode=episode, **WHY)
    refused("season.not-organiser", episode_open, acting_user=cleo, season=season)
    refused("round.name.too-long", episode_open, acting_user=orla, season=season, name="x" * 81)
    assert episode_open(acting_user=orla, season=season, at=START).round.name == "Episode 2"
    chosen(orla, season, ec=1, dmo=2)
    refused(
        "episode.death-match", episode_skip, acting_user=orla, episode=episode_now(season), **WHY
    )


def test_the_database_knows_ways_and_numbers(orla: User) -> None:
    row = chosen(orla, running(orla, 4), ec=4, dmo=3)
    leg = leg_of(row)
    meeting = DeathMatch.objects.filter(pk=row.pk)
    played_once = Leg.objects.filter(pk=leg.pk)
    won: dict[str, Any] = {"status": "decided", "winner": row.home, "decided_at": START}
    over: dict[str, Any] = {"status": "finished", "winner_seat": 0, "finished_at": START}
    for rows, name, changed in (
        (meeting, "death_match_how_known", {**won, "how": "luck"}),
        (meeting, "death_match_number_from_1", {"number": 0}),
        (meeting, "death_match_best_of_odd", {"best_of": 2}),
        (played_once, "leg_how_known", {**over, "how": "luck"}),
        (played_once, "leg_numbers_from_1", {"number": 0}),
        (played_once, "leg_numbers_from_1", {"attempt": 0}),
    ):
        with pytest.raises(IntegrityError, match=name), transaction.atomic():
            rows.update(**changed)


def test_a_finalist_does_not_say_how_the_final_is_played(orla: User) -> None:
    season = enrolled(orla, 2)
    contestant_enrol(acting_user=orla, season=season, user=orla, at=START)
    season_start(acting_user=orla, season=season, at=START)
    contestant_withdraw(acting_user=orla, contestant=who(season, 2), why="ill", at=START)
    for given in ({"games": [WARS]}, {"best_of": 1}):
        refused("death-match.own", final_open, acting_user=orla, season=season, **given)
    assert final_open(acting_user=orla, season=season, best_of=3, at=START).best_of == 3


def test_the_final_is_for_two(orla: User) -> None:
    season = running(orla, 3)
    refused("round.not-closed", final_open, acting_user=orla, season=season)
    episode_skip(acting_user=orla, episode=episode_now(season), why="a draw", at=START)
    refused("final.two", final_open, acting_user=orla, season=season)
    played(orla, chosen(orla, season, ec=1, dmo=2), winner=0)
    refused("episode.too-few", episode_open, acting_user=orla, season=season)

    def refuse(code: str, **given: Any) -> None:
        refused(code, final_open, acting_user=orla, season=season, **given)

    refuse("best-of.odd", best_of=2)
    refuse("best-of.odd", best_of=17)
    refuse("final.games", best_of=1, games=[GAME, WARS])
    refuse("season.repertoire", games=[{}])
    refuse("round.name.missing", name=" ")
    final = final_open(acting_user=orla, season=season, at=START)
    assert (final.best_of, final.legs.count(), final.round.is_final) == (3, 3, True)
    refuse("round.not-closed")


# -- what is played ------------------------------------------------------------------------------


def test_rules_are_set_before_it_begins(orla: User, cleo: User) -> None:
    season = running(orla, 4, repertoire=[])
    death_match = chosen(orla, season, ec=1, dmo=2)
    leg = leg_of(death_match)
    assert leg.ruleset == ""
    refused("leg.rules-missing", leg_start, acting_user=orla, leg=leg)
    right: dict[str, Any] = {
        "death_match": death_match,
        "ruleset": "tetronogo",
        "variant": "standard",
    }

    def refuse(code: str, **given: Any) -> None:
        refused(code, rules_set, **{"acting_user": orla, **right, **given})

    refuse("rules.not-allowed", acting_user=cleo)
    refuse("rules.not-allowed", acting_user=account(season, 1))
    refuse("setup.ruleset", ruleset="chess")
    refuse("setup.variant", variant="x")
    refuse("setup.options", options={"colour": 1})
    refuse("setup.supply", prepared={"x": "y"})
    refuse("leg.none", leg_number=2)
    rules_set(acting_user=orla, **right, options={"turn_time": 5}, at=START)
    leg = begun(orla, death_match)
    assert leg.match is not None
    assert leg.match.options == {"turn_time": 5}
    refuse("leg.begun")


def test_the_lower_seed_chooses_once_from_the_repertoire(orla: User) -> None:
    season = running(orla, 4, ruleset_choice="lower-seed", repertoire=[GAME, WARS])
    death_match = chosen(orla, season, ec=1, dmo=2)
    assert leg_of(death_match).ruleset == ""
    higher, lower = account(season, 1), account(season, 2)

    def refuse(code: str, user: User | None, ruleset: str, variant: str, **given: Any) -> None:
        refused(
            code, rules_set, acting_user=user, death_match=death_match, ruleset=ruleset,
            variant=variant, **given,
        )  # fmt: skip

    refuse("rules.not-allowed", higher, "tetronogo", "standard")
    refuse("rules.not-in-repertoire", lower, "peg-domain", "gauntlet")
    refuse("rules.not-in-repertoire", lower, "tetronogo", "standard", options={"turn_time": 1})
    assert lower is not None
    rules_set(
        acting_user=lower, death_match=death_match, ruleset=WARS["ruleset"],
        variant=WARS["variant"], at=START,
    )  # fmt: skip
    refuse("rules.chosen", lower, "tetronogo", "standard")


def test_what_the_lower_seed_chooses_is_played_as_the_season_lists_it(orla: User) -> None:
    quick = {**GAME, "options": {"turn_time": 7}}
    season = running(orla, 4, ruleset_choice="lower-seed", repertoire=[quick, WARS])
    death_match = chosen(orla, season, ec=1, dmo=2)
    lower = account(season, 2)
    rules_set(
        acting_user=lower, death_match=death_match, ruleset="tetronogo", variant="standard",
        at=START,
    )  # fmt: skip
    assert leg_of(death_match).options == {"turn_time": 7}


def test_nobody_is_asked_to_choose_from_one_game(orla: User) -> None:
    season = running(orla, 4, ruleset_choice="lower-seed", repertoire=[GAME])
    assert leg_of(chosen(orla, season, ec=1, dmo=2)).ruleset == "tetronogo"


# -- playing -------------------------------------------------------------------------------------


def test_legs_begin_in_order_and_once(orla: User, cleo: User) -> None:
    season = running(orla, 3)
    played(orla, chosen(orla, season, ec=1, dmo=2), winner=0)
    final = final_open(acting_user=orla, season=season, best_of=3, at=START)
    first = leg_of(final)
    refused("season.not-organiser", leg_start, acting_user=cleo, leg=first)
    refused("leg.order", leg_start, acting_user=orla, leg=leg_of(final, 2))
    first = begun(orla, final)
    refused("leg.not-planned", leg_start, acting_user=orla, leg=first)
    refused("leg.order", leg_start, acting_user=orla, leg=leg_of(final, 2))
    conceded(first, winner=0)
    assert kinds(season)[-1] == "death-match.leg"
    season_archive(acting_user=orla, season=season, at=START)
    refused("season.archived", leg_start, acting_user=orla, leg=leg_of(final, 2))


def test_players_without_an_account_cannot_begin(orla: User) -> None:
    season = running(orla, 4)
    death_match = chosen(orla, season, ec=1, dmo=2)
    season.contestants.filter(name="Player 1").update(user=None)
    refused("leg.no-account", leg_start, acting_user=orla, leg=leg_of(death_match))


def test_a_result_is_taken_over_once(orla: User) -> None:
    season = running(orla, 4)
    leg = begun(orla, chosen(orla, season, ec=1, dmo=2))
    assert leg.match is not None
    assert not leg_settle(match_id=leg.match.pk)
    conceded(leg, winner=1)
    before = kinds(season)
    assert not leg_settle(match_id=leg.match.pk)
    assert not leg_settle(match_id=10**9)
    assert kinds(season) == before
    assert before.count("death-match.decided") == 1


def test_what_the_desk_decides_is_a_ruling(orla: User) -> None:
    season = running(orla, 4)
    leg = begun(orla, chosen(orla, season, ec=1, dmo=2))
    ruled(orla, leg, "winner 1")
    assert (leg_of(leg.death_match).how, fresh(leg.death_match).how) == ("ruling", "ruling")
    assert who(season, 1).status == "eliminated"


def test_what_the_desk_declares_void_is_played_again(orla: User) -> None:
    season = running(orla, 4)
    leg = begun(orla, chosen(orla, season, ec=1, dmo=2))
    ruled(orla, leg, "void")
    again = leg_of(leg.death_match)
    assert (again.attempt, again.status, again.advantage) == (2, "planned", 1)
    assert fresh(leg.death_match).status == "planned"
    assert kinds(season)[-1] == "death-match.void"
    assert played(orla, leg.death_match, winner=0).winner == who(season, 1)
    assert faults_of(season) == []


# -- ruling --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "how"), [(death_match_declare, "ruling"), (death_match_walkover, "walkover")]
)
def test_ruling_who_has_won(orla: User, oscar: User, call: Any, how: str) -> None:
    season = running(orla, 4)
    death_match = chosen(orla, season, ec=1, dmo=2)
    right: dict[str, Any] = {
        "acting_user": orla,
        "death_match": death_match,
        "winner": who(season, 2),
        **WHY,
    }
    refused("season.not-organiser", call, **{**right, "acting_user": oscar})
    refused("season.not-organiser", call, **{**right, "acting_user": account(season, 2)})
    refused("why.missing", call, **{**right, "why": "\n"})
    refused("death-match.winner", call, **{**right, "winner": who(season, 3)})
    leg = begun(orla, death_match)
    call(**right, at=after(minutes=1))
    leg.refresh_from_db()
    assert leg.match is not None
    leg.match.refresh_from_db()
    assert (leg.status, leg.winner_seat, leg.match.winner) == ("finished", 1, 1)
    death_match = fresh(death_match)
    assert (death_match.winner, death_match.how, death_match.why) == (
        who(season, 2), how, "because",
    )  # fmt: skip
    assert who(season, 1).status == "eliminated"
    refused("death-match.settled", call, **right)
    assert faults_of(season) == []


def test_nobody_rules_on_their_own(orla: User) -> None:
    season = enrolled(orla, 3)
    own = contestant_enrol(acting_user=orla, season=season, user=orla, at=START)
    season_start(acting_user=orla, season=season, at=START)
    episode = placed(orla, season, 3)
    death_match = dmo_choose(
        acting_user=account(season, 3), episode=episode, contestant=own, at=START
    )
    leg = leg_of(death_match)
    for call in (death_match_declare, death_match_walkover, death_match_correct):
        refused(
            "death-match.own", call, acting_user=orla, death_match=death_match, winner=own, **WHY
        )
    for undo in (death_match_void, death_match_reopen):
        refused("death-match.own", undo, acting_user=orla, death_match=death_match, **WHY)
    refused("death-match.own", leg_void, acting_user=orla, leg=leg, **WHY)
    refused("death-match.own", leg_start, acting_user=orla, leg=leg)
    refused(
        "death-match.own", rules_set, acting_user=orla, death_match=death_match,
        ruleset="tetronogo", variant="standard",
    )  # fmt: skip


def test_a_format_gives_away_nothing_that_is_being_played(orla: User) -> None:
    """Nobody would end the match; whoever leaves has lost it before their format is asked."""
    season = running(orla, 4)
    meeting = chosen(orla, season, ec=4, dmo=1)
    begun(orla, meeting)
    home = who(season, 4)
    given = Follows(walkovers=(Walkover(meeting, home, "Gone."),))
    with pytest.raises(EngineFault, match="being played"):
        follow(given, season=season, at=START)
    assert fresh(meeting).winner is None
    leg = leg_of(meeting)
    assert (leg.status, leg.match is not None and leg.match.is_over) == ("running", False)
    # What is decided is left as it is.
    conceded(leg, winner=1)
    follow(given, season=season, at=START)
    assert fresh(meeting).winner == who(season, 1)


# -- results that do not stand -------------------------------------------------------------------


def test_a_finished_match_is_declared_void_and_everything_taken_back(orla: User) -> None:
    season = running(orla, 4)
    death_match = chosen(orla, season, ec=1, dmo=2)
    refused("leg.nothing-played", leg_void, acting_user=orla, leg=leg_of(death_match), **WHY)
    played(orla, death_match, winner=0)
    leg = leg_of(death_match)
    refused("why.missing", leg_void, acting_user=orla, leg=leg, why="")
    again = leg_void(acting_user=orla, leg=leg, why="cheating", at=after(hours=1))
    assert (again.attempt, again.status) == (2, "planned")
    assert (who(season, 2).status, who(season, 2).place) == ("active", None)
    assert (fresh(death_match).status, fresh(death_match).winner) == ("planned", None)
    assert (episode_now(season).status, episode_now(season).round.status) == (
        "death-match", "reopened",
    )  # fmt: skip
    assert RatingRuling.objects.get(match=leg.match).winner is None
    played(orla, death_match, winner=1)
    assert (who(season, 1).status, episode_now(season).round.status) == ("eliminated", "closed")
    assert faults_of(season) == []


def test_a_running_match_is_declared_void(orla: User) -> None:
    season = running(orla, 4)
    leg = begun(orla, chosen(orla, season, ec=1, dmo=2))
    leg_void(acting_user=orla, leg=leg, why="lost connection", at=after(minutes=1))
    assert leg.match is not None
    leg.match.refresh_from_db()
    assert (leg.match.status, leg.match.winner) == ("finished", None)
    assert fresh(leg.death_match).status == "planned"
    assert faults_of(season) == []


def test_a_result_is_corrected(orla: User) -> None:
    season = running(orla, 4)
    death_match = chosen(orla, season, ec=1, dmo=2)
    right: dict[str, Any] = {
        "acting_user": orla,
        "death_match": death_match,
        "winner": who(season, 2),
        **WHY,
    }
    refused("death-match.undecided", death_match_correct, **right)
    played(orla, death_match, winner=0)
    refused("death-match.same-winner", death_match_correct, **{**right, "winner": who(season, 1)})
    refused("death-match.winner", death_match_correct, **{**right, "winner": who(season, 3)})
    death_match_correct(**right, at=after(hours=1))
    assert (who(season, 1).status, who(season, 1).place) == ("eliminated", 4)
    assert (who(season, 2).status, who(season, 2).place) == ("active", None)
    death_match = fresh(death_match)
    assert (death_match.winner, death_match.how) == (who(season, 2), "ruling")
    assert RatingRuling.objects.get(match=leg_of(death_match).match).winner == 1
    assert episode_now(season).round.status == "closed"
    wanted = ["contestant.restored", "death-match.corrected", "contestant.eliminated"]
    assert [kind for kind in kinds(season) if kind in wanted][-3:] == wanted
    assert faults_of(season) == []


def test_results_are_frozen_once_the_next_round_has_begun(orla: User, cleo: User) -> None:
    season = running(orla, 5)
    death_match = chosen(orla, season, ec=1, dmo=2)
    played(orla, death_match, winner=0)
    episode_open(acting_user=orla, season=season, at=START)
    right: dict[str, Any] = {"acting_user": orla, "death_match": death_match, **WHY}
    refused("round.frozen", death_match_correct, **right, winner=who(season, 2))
    refused("round.frozen", leg_void, acting_user=orla, leg=leg_of(death_match), **WHY)
    refused("round.frozen", death_match_void, **right)
    first = season.rounds.get(number=1)
    refused("season.not-organiser", round_reopen, acting_user=cleo, round=first, **WHY)
    refused("why.missing", round_reopen, acting_user=orla, round=first, why="")
    refused("lifecycle.step", round_close_by_hand, acting_user=orla, round=first)
    round_reopen(acting_user=orla, round=first, why="an appeal", at=START)
    refused("lifecycle.step", round_reopen, acting_user=orla, round=first, **WHY)
    death_match_correct(**right, winner=who(season, 2), at=START)
    first.refresh_from_db()
    assert first.status == "closed"
    assert who(season, 1).status == "eliminated"
    assert faults_of(season) == []


def test_whoever_has_played_on_cannot_lose_in_hindsight(orla: User) -> None:
    season = running(orla, 5)
    death_match = chosen(orla, season, ec=1, dmo=2)
    played(orla, death_match, winner=0)
    later = chosen(orla, season, ec=1, dmo=3)
    round_reopen(acting_user=orla, round=season.rounds.get(number=1), why="an appeal", at=START)
    right: dict[str, Any] = {
        "acting_user": orla,
        "death_match": death_match,
        "winner": who(season, 2),
        **WHY,
    }
    refused("correct.played-on", death_match_correct, **right)
    death_match_void(acting_user=orla, death_match=later, why="first things first", at=START)
    # Now the same person is the EC of the later episode, and chooses again.
    refused("correct.played-on", death_match_correct, **right)
    episode_skip(acting_user=orla, episode=episode_now(season), why="an appeal", at=START)
    death_match_correct(**right, at=START)
    assert faults_of(season) == []


def test_a_corrected_final_gives_another_winner(orla: User) -> None:
    season = running(orla, 3)
    death_match = chosen(orla, season, ec=1, dmo=2)
    played(orla, death_match, winner=0)
    final = final_open(acting_user=orla, season=season, best_of=1, at=START)
    round_reopen(acting_user=orla, round=season.rounds.get(number=1), why="an appeal", at=START)
    refused(
        "correct.played-on", death_match_correct, acting_user=orla, death_match=death_match,
        winner=who(season, 2), **WHY,
    )  # fmt: skip
    round_close_by_hand(acting_user=orla, round=season.rounds.get(number=1), at=START)
    played(orla, final, winner=0)
    season = Season.objects.get(pk=season.pk)
    assert (season.status, season.winner) == ("finished", who(season, 1))
    death_match_correct(
        acting_user=orla, death_match=final, winner=who(season, 3), why="an appeal",
        at=after(days=1),
    )  # fmt: skip
    season = Season.objects.get(pk=season.pk)
    assert (season.status, season.winner) == ("finished", who(season, 3))
    assert [who(season, number).place for number in (1, 2, 3)] == [2, 3, 1]
    assert "season.reopened" in kinds(season)
    assert faults_of(season) == []


def test_a_mistaken_walkover_is_played_after_all(orla: User) -> None:
    season = running(orla, 4)
    death_match = chosen(orla, season, ec=1, dmo=2)
    right: dict[str, Any] = {"acting_user": orla, "death_match": death_match, **WHY}
    refused("death-match.undecided", death_match_reopen, **right)
    death_match_walkover(**right, winner=who(season, 1), at=START)
    death_match_reopen(**right, at=START)
    assert (fresh(death_match).status, who(season, 2).status) == ("planned", "active")
    assert (leg_of(death_match).attempt, leg_of(death_match).status) == (2, "planned")
    played(orla, death_match, winner=1)
    refused("death-match.played-out", death_match_reopen, **right)
    assert faults_of(season) == []


def test_a_death_match_is_called_off_and_the_ec_chooses_again(orla: User) -> None:
    season = running(orla, 4)
    death_match = chosen(orla, season, ec=1, dmo=2)
    begun(orla, death_match)
    death_match_void(acting_user=orla, death_match=death_match, why="wrong name", at=after(hours=1))
    episode = episode_now(season)
    assert (episode.status, episode.dmo) == ("choosing", None)
    assert episode.choose_by == after(hours=25)
    refused("lifecycle.step", death_match_void, acting_user=orla, death_match=death_match, **WHY)
    again = dmo_choose(
        acting_user=account(season, 1), episode=episode, contestant=who(season, 3), at=START
    )
    assert (again.number, again.away) == (2, who(season, 3))
    played(orla, again, winner=0)
    assert faults_of(season) == []


def test_a_final_that_is_called_off_is_opened_anew(orla: User) -> None:
    season = running(orla, 3)
    played(orla, chosen(orla, season, ec=1, dmo=2), winner=0)
    final = final_open(acting_user=orla, season=season, best_of=1, at=START)
    death_match_void(acting_user=orla, death_match=final, why="storm", at=START)
    again = final_open(acting_user=orla, season=season, best_of=1, at=START)
    played(orla, again, winner=0)
    assert Season.objects.get(pk=season.pk).status == "finished"
    assert faults_of(season) == []


def test_a_leg_of_several_is_declared_void(orla: User) -> None:
    """After 2:0 the second match is void: it stands 1:0, and two more may be played."""
    season = running(orla, 3)
    played(orla, chosen(orla, season, ec=1, dmo=2), winner=0)
    final = final_open(acting_user=orla, season=season, best_of=3, at=START)
    played(orla, final, winner=0)
    played(orla, final, winner=0)
    leg_void(acting_user=orla, leg=leg_of(final, 2), why="an appeal", at=START)
    final = fresh(final)
    assert (final.status, final.home_score, final.away_score) == ("running", 1, 0)
    assert [(leg.number, leg.attempt) for leg in final.legs.exclude(status="void")] == [
        (1, 1), (2, 2), (3, 2),
    ]  # fmt: skip
    played(orla, final, winner=1)
    final = played(orla, final, winner=0)
    assert (final.home_score, final.away_score, final.winner) == (2, 1, who(season, 1))
    assert faults_of(season) == []
    assert DeathMatch.objects.filter(round__season=season).count() == 2


# -- an earlier episode that is played again -----------------------------------------------------


def reopened(orla: User, season: Season) -> DeathMatch:
    """Player 1 beat Player 2 in episode 1, which is void while episode 2 is open."""
    death_match = chosen(orla, season, ec=1, dmo=2)
    played(orla, death_match, winner=0)
    episode_open(acting_user=orla, season=season, at=START)
    round_reopen(acting_user=orla, round=season.rounds.get(number=1), **WHY, at=START)
    leg_void(acting_user=orla, leg=leg_of(death_match), **WHY, at=START)
    return fresh(death_match)


def test_nobody_is_in_two_death_matches(orla: User) -> None:
    season = running(orla, 5)
    replay = reopened(orla, season)
    for ec in (1, 2):
        refused(
            "placements.ec-playing", placements_record, acting_user=orla,
            episode=episode_now(season), placements=placings(season, ec), at=START,
        )  # fmt: skip
    episode = placed(orla, season, 3)
    assert choosable(episode) == [who(season, 4), who(season, 5)]
    for dmo in (1, 2):
        refused(
            "choice.not-allowed", dmo_choose, acting_user=account(season, 3), episode=episode,
            contestant=who(season, dmo), at=START,
        )  # fmt: skip
    played(orla, replay, winner=1)
    assert choosable(episode) == [who(season, 2), who(season, 4), who(season, 5)]
    dmo_choose(acting_user=account(season, 3), episode=episode, contestant=who(season, 2), at=START)
    assert faults_of(season) == []


def test_whoever_chooses_anew_is_not_chosen_elsewhere(orla: User) -> None:
    season = running(orla, 5)
    replay = reopened(orla, season)
    death_match_void(acting_user=orla, death_match=replay, **WHY, at=START)
    refused(
        "placements.ec-playing", placements_record, acting_user=orla,
        episode=episode_now(season), placements=placings(season, 1), at=START,
    )  # fmt: skip
    assert who(season, 1) not in choosable(placed(orla, season, 3))


def test_a_loser_who_came_back_and_played_on(orla: User) -> None:
    season = running(orla, 5)
    first = chosen(orla, season, ec=1, dmo=2)
    contestant_withdraw(acting_user=orla, contestant=who(season, 2), **WHY, at=START)
    contestant_return(acting_user=orla, contestant=who(season, 2), **WHY, at=START)
    later = chosen(orla, season, ec=2, dmo=3)
    round_reopen(acting_user=orla, round=season.rounds.get(number=1), **WHY, at=START)
    refused("correct.played-on", death_match_reopen, acting_user=orla, death_match=first, **WHY)
    death_match_void(acting_user=orla, death_match=later, **WHY, at=START)
    refused("correct.played-on", death_match_reopen, acting_user=orla, death_match=first, **WHY)


def out(season: Season, number: int) -> None:
    """Take somebody out behind the services' backs."""
    Contestant.objects.filter(pk=who(season, number).pk).update(status="eliminated", left_at=START)


def test_nothing_begins_without_both(orla: User) -> None:
    season = running(orla, 4)
    death_match = chosen(orla, season, ec=1, dmo=2)
    out(season, 2)
    refused("death-match.side-left", leg_start, acting_user=orla, leg=leg_of(death_match))


@pytest.fixture
def stuck(orla: User) -> DeathMatch:
    """A death match that Player 2 has won on the board, who is out of the season by then."""
    season = running(orla, 4)
    leg = begun(orla, chosen(orla, season, ec=1, dmo=2))
    out(season, 2)
    conceded(leg, winner=1)
    assert legs_sweep(at=after(minutes=5)).settled == 0
    assert leg_of(leg.death_match).status == "running"
    return fresh(leg.death_match)


def test_what_cannot_be_taken_over_is_called_off(orla: User, stuck: DeathMatch) -> None:
    season, leg = stuck.round.season, leg_of(stuck)
    refused("death-match.side-left", leg_void, acting_user=orla, leg=leg, **WHY)
    death_match_void(acting_user=orla, death_match=stuck, **WHY, at=after(hours=1))
    assert RatingRuling.objects.get(match=leg.match).winner is None
    assert (fresh(stuck).status, episode_now(season).status) == ("void", "choosing")
    season_cancel(acting_user=orla, season=season, **WHY)


def test_what_cannot_be_taken_over_is_ruled(orla: User, stuck: DeathMatch) -> None:
    season = stuck.round.season
    refused(
        "death-match.winner-left", death_match_declare, acting_user=orla, death_match=stuck,
        winner=who(season, 2), **WHY,
    )  # fmt: skip
    leg = leg_of(stuck)
    death_match_declare(
        acting_user=orla, death_match=stuck, winner=who(season, 1), **WHY, at=after(hours=1)
    )
    assert (fresh(stuck).winner, leg_of(stuck).how) == (who(season, 1), "ruling")
    assert RatingRuling.objects.get(match=leg.match).winner == 0
    assert legs_sweep(at=after(hours=2)).settled == 0
    assert faults_of(season) == []


def test_what_could_not_be_taken_over_is_played_again(orla: User, stuck: DeathMatch) -> None:
    season = stuck.round.season
    Contestant.objects.filter(pk=who(season, 2).pk).update(status="active", left_at=None)
    # Its result counts now, and is on its way.
    refused("leg.just-ended", leg_void, acting_user=orla, leg=leg_of(stuck), **WHY)
    SetAside.objects.all().delete()  # what failed is tried again after a while, by the real clock
    assert legs_sweep(at=after(hours=1)).settled == 1
    assert fresh(stuck).winner == who(season, 2)
    assert faults_of(season) == []


def test_an_ec_who_is_out_does_not_choose_again(orla: User) -> None:
    season = running(orla, 4)
    death_match = chosen(orla, season, ec=1, dmo=2)
    out(season, 1)
    death_match_void(acting_user=orla, death_match=death_match, **WHY, at=START)
    assert (episode_now(season).status, episode_now(season).round.status) == ("skipped", "closed")
