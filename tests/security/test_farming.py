"""Results that cannot be farmed: what a second account brings, and what it does not; that
moderators hear of it, with evidence; and that friends who play a lot are left alone."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.leaving.services import user_erase
from accounts.models import Announcement, AuditEntry, Report, User
from accounts.moderation.reports import queue_of, remedies_of, report_resolve
from accounts.moderation.ways import sharing_with, ways_note
from accounts.names.validators import FORMER_NAME, FORMER_PREFIX
from core.clock import now_ms
from games.jobs import RATE
from games.models import Match, PairRuling, RatingRuling
from games.moderation import UNRATE_ALL_WORDS
from games.ratings import pairs, services
from games.ratings.course import TOO_SHORT, match_judge_course
from games.ratings.models import OVERALL, Rating, RatingPoint
from games.ratings.pairs import (
    PAIR,
    pair_key,
    pair_look,
    pair_rate_again,
    pair_unrate,
    pairs_sweep,
)
from games.ratings.rings import ring_rate_again, ring_unrate
from games.ratings.services import match_rate, rating_include, ratings_rebuild, ratings_take_in
from games.ratings.tasks import on_match_ended
from games.ratings.winners import WINNER, winner_look, winners_sweep
from tests.games.conftest import ada, ben, cleo, mona, orla, root
from tests.games.support import T0, committing, refused, started, user_named
from tests.pages.conftest import own_cache
from tests.ratings.support import friendly, is_true, result_row
from tests.seasons_api.conftest import Caller, olga
from tests.seasons_api.test_automation import concede, made
from tests.support.workers import Workers
from tournaments.models import DeathMatch

__all__ = ["ada", "ben", "cleo", "mona", "olga", "orla", "own_cache", "root"]

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_cache")]


def conceded(winner: User, loser: User, *, answers: int = 0) -> Match:
    """A match in which so many decisions were answered before the loser conceded, as a worker
    leaves it."""
    play = started((winner, loser), at=now_ms())
    for _ in range(answers):
        seat = 0 if play.decision(0) else 1
        play.move(seat, play.random_move(seat, play.random), now_ms() - T0)
    play.move(1, "concede", now_ms() - T0)
    on_match_ended(match_id=play.pk)
    return play.match


def listed() -> list[str]:
    """Who stands on the leaderboard of all games, from the top."""
    rows = Client().get("/api/v1/leaderboards/overall/").json()["results"]
    return [row["username"] for row in rows]


# -- what is farmed ------------------------------------------------------------------------------


def test_fifteen_concessions_of_a_second_account_bring_nothing(
    ada: User, ben: User, left_to_workers: Workers
) -> None:
    matches = [conceded(ada, ben) for _ in range(15)]
    assert not Rating.objects.exists()
    assert listed() == []
    for match in matches:
        assert match.unrated.startswith(TOO_SHORT)
    rows = Client().get("/api/v1/matches/?status=finished").json()["results"]
    assert {(row["rated"], row["terms"]) for row in rows} == {(False, matches[0].unrated)}
    assert matches[0].unrated in Client().get(f"/matches/{matches[0].pk}/replay/").content.decode()
    (report,) = Report.objects.all()
    assert (report.reporter, report.target_id) == (None, pair_key(ada.pk, ben.pk))
    assert sorted(report.context["evidence"]) == sorted(match.pk for match in matches)


def test_a_match_counts_from_the_least_course_on(
    ada: User, ben: User, left_to_workers: Workers
) -> None:
    least = conceded(ada, ben, answers=6)
    assert least.unrated == ""
    assert Rating.objects.filter(ladder=OVERALL, games=1).count() == 2
    short = conceded(ada, ben, answers=5)
    assert short.unrated == f"{TOO_SHORT}6 decisions were answered."
    assert Rating.objects.filter(ladder=OVERALL, games=1).count() == 2
    assert AuditEntry.objects.get(action="rating.too-short").data["answers"] == 5
    assert match_judge_course(match_id=short.pk)  # a second look changes nothing
    assert AuditEntry.objects.filter(action="rating.too-short").count() == 1


def test_what_was_taken_back_is_no_answer(
    ada: User, ben: User, orla: User, left_to_workers: Workers
) -> None:
    play = started((ada, ben), at=now_ms())
    for _ in range(6):
        seat = 0 if play.decision(0) else 1
        play.move(seat, play.random_move(seat, play.random), now_ms() - T0)
    play.act(orla, "take back", now_ms() - T0)
    play.move(1, "concede", now_ms() - T0)
    on_match_ended(match_id=play.pk)
    assert play.match.unrated.startswith(TOO_SHORT)


def test_a_second_account_that_plays_on_leads_nobody(
    ada: User, ben: User, cleo: User, settings: Any
) -> None:
    settings.GAUNTLET_RANKED_MATCHES, settings.GAUNTLET_RANKED_OPPONENTS = 5, 3
    others = [user_named(f"other{number}") for number in range(3)]
    for other in others:
        for days in (1, 2):
            friendly(cleo, other, ago=timedelta(days=days))
    for minutes in range(30):
        friendly(ada, ben, ago=timedelta(minutes=minutes))
    ratings_rebuild()
    assert listed() == ["cleo"]
    farmer = Rating.objects.get(ladder=OVERALL, user=ada)
    assert (farmer.games, farmer.opponents) == (30, 1)
    # Thirty of the same pair are worth less than six against three.
    assert farmer.shown < Rating.objects.get(ladder=OVERALL, user=cleo).shown


def test_a_seasons_death_match_counts_as_any_other(olga: Caller, left_to_workers: Workers) -> None:
    slug = made(olga, "round-robin")
    death_match = DeathMatch.objects.filter(round__season__slug=slug, round__number=1).earliest(
        "pk"
    )
    concede(death_match.pk, 1)
    match = Match.objects.finished().get()
    on_match_ended(match_id=match.pk)
    match.refresh_from_db()
    assert match.unrated.startswith(TOO_SHORT)
    assert match.winner == 0  # for the season it is won
    assert not Rating.objects.exists()


# -- weights -------------------------------------------------------------------------------------


def test_the_nth_match_of_a_pair_within_a_month_counts_less(
    ada: User, ben: User, cleo: User
) -> None:
    for days in (70, 35, 20, 5.5, 1):
        match_rate(match_id=friendly(ada, ben, ago=timedelta(days=days)).pk)
    match_rate(match_id=friendly(cleo, ben, ago=timedelta(0)).pk)
    points = RatingPoint.objects.filter(ladder=OVERALL, user=ben).order_by("at")
    # The second is thirty-five days after the first; the third fifteen after the second, and the
    # fourth within thirty of two, the last of two (twenty and five and a half days ago) ...
    weights = [round(point.weight, 6) for point in points]
    assert weights == [1, 1, 0.5, 0.333333, 0.333333, 1]
    is_true(OVERALL)


def test_a_match_that_counts_no_more_gives_the_later_ones_their_weight(
    ada: User, ben: User
) -> None:
    matches = [friendly(ada, ben, ago=timedelta(days=days)) for days in (3, 2, 1)]
    ratings_rebuild()
    services.rating_exclude(match_id=matches[0].pk, acting_user=None, why="a fault")
    ratings_take_in()
    weights = RatingPoint.objects.filter(ladder=OVERALL, user=ada).order_by("at")
    assert [point.weight for point in weights] == [1, 0.5]
    is_true(OVERALL)


# -- friends -------------------------------------------------------------------------------------


def test_two_friends_with_forty_honest_matches_are_left_alone(ada: User, ben: User) -> None:
    for number in range(40):
        pair = (ada, ben) if number % 8 else (ben, ada)
        friendly(*pair, ago=timedelta(hours=12 * number))
    ratings_rebuild()
    assert pair_look(ada.pk, ben.pk) is None
    pairs_sweep(since=timedelta(days=30))
    assert not Report.objects.exists()
    assert Rating.objects.get(ladder=OVERALL, user=ada).games == 40
    assert not Match.objects.exclude(unrated="").exists()


def test_practice_and_casual_matches_are_no_evidence(ada: User, ben: User) -> None:
    for number in range(5):
        friendly(
            ada, ben, ago=timedelta(minutes=number), lasted=0.2, reason="concession",
            unrated="Casual: it counts for no rating.",
        )  # fmt: skip
    assert pair_look(ada.pk, ben.pk) is None


# -- what moderators are told --------------------------------------------------------------------


def share(kind: str, *users: User, what: str = "203.0.113.5") -> None:
    for user in users:
        ways_note(user_id=user.pk, ways=[(kind, what)], on=timezone.now().date())


@pytest.mark.parametrize(
    ("kind", "matches", "found"),
    [
        ("device", 1, True), ("discord", 1, True), ("mail", 1, True),
        ("address", 2, False), ("address", 3, True),
    ],
)  # fmt: skip
def test_a_shared_way_in_is_reported(
    ada: User, ben: User, kind: str, matches: int, found: bool
) -> None:
    share(kind, ada, ben)
    for number in range(matches):
        friendly(ada, ben, ago=timedelta(days=number))
    report = pair_look(ada.pk, ben.pk)
    assert (report is not None) is found
    if report is not None:
        assert "203.0.113.5" not in str(report.context)
        assert any(
            label == "Shared way in" and "on " in text for label, text in report.context["facts"]
        )


def test_lopsided_pairs_are_reported(ada: User, ben: User) -> None:
    for number in range(10):
        friendly(ada, ben, ago=timedelta(hours=number), lasted=2)
    report = pair_look(ada.pk, ben.pk)
    assert report is not None
    assert report.words.startswith("One of them has won 10 of 10 matches")


def quick(ada: User, ben: User, *, ago: float, times: int = 3) -> list[Match]:
    """Concessions as soon as the matches had begun."""
    return [
        friendly(ada, ben, ago=timedelta(minutes=ago + number), lasted=0.2, reason="concession")
        for number in range(times)
    ]


def test_there_is_one_open_report_and_it_grows(ada: User, ben: User) -> None:
    quick(ada, ben, ago=100)
    report = pair_look(ada.pk, ben.pk)
    assert report is not None
    assert pair_look(ben.pk, ada.pk) is None  # nothing new
    pairs_sweep(since=timedelta(days=1))
    more = quick(ada, ben, ago=50, times=1)
    assert pair_look(ada.pk, ben.pk) == report
    report.refresh_from_db()
    assert more[0].pk in report.context["evidence"]
    assert Report.objects.count() == 1
    actions = AuditEntry.objects.order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["report.file", "report.renew"]


def test_a_settled_report_comes_back_with_new_matches_alone(
    ada: User, ben: User, mona: User
) -> None:
    quick(ada, ben, ago=100)
    first = pair_look(ada.pk, ben.pk)
    assert first is not None
    report_resolve(acting_user=mona, report=first, outcome="no-breach")
    assert pair_look(ada.pk, ben.pk) is None
    quick(ada, ben, ago=60, times=2)
    assert pair_look(ada.pk, ben.pk) is None  # two more are not three
    quick(ada, ben, ago=30, times=1)
    second = pair_look(ada.pk, ben.pk)
    assert second is not None
    assert second != first
    assert not set(second.context["evidence"]) & set(first.context["evidence"])


def test_moderators_see_it_where_they_see_reports_and_those_it_is_about_do_not(
    ada: User, ben: User, mona: User, make_moderator: Callable[[User], None]
) -> None:
    quick(ada, ben, ago=10)
    report = pair_look(ada.pk, ben.pk)
    assert report is not None
    make_moderator(ben)
    assert list(queue_of(mona)) == [report]
    assert list(queue_of(ben)) == []
    client = Client()
    client.force_login(mona)
    page = client.get(f"/admin/accounts/report/{report.pk}/change/").content.decode()
    assert "The site itself" in page
    assert "by concession after 12 s" in page
    assert [words for words, _ in remedies_of(report)][-1].startswith("Have their matches")
    assert "Matches" in client.get("/admin/").content.decode()
    assert Report.objects.visible_to(ada).count() == 0


def test_a_moderator_closes_it_and_nobody_gets_mail(
    ada: User, ben: User, mona: User, mailoutbox: list[Any]
) -> None:
    quick(ada, ben, ago=10)
    report = pair_look(ada.pk, ben.pk)
    assert report is not None
    with committing():
        report_resolve(acting_user=mona, report=report, outcome="acted", answer="Done.")
    assert mailoutbox == []


@pytest.fixture
def make_moderator(root: User) -> Callable[[User], None]:
    from accounts.roles import Role
    from accounts.services import role_grant

    return lambda user: role_grant(acting_user=root, user=user, role=Role.MODERATOR)


# -- several accounts together --------------------------------------------------------------------


def beaten(
    winner: User, number: int, *, times: int = 2, lasted: float = 0.5, **more: Any
) -> list[User]:
    """So many accounts that have lost to somebody, each so often: by conceding soon, unless it is
    said otherwise."""
    losers = [user_named(f"second{each}") for each in range(number)]
    given = {"reason": "concession", **more}
    for place, loser in enumerate(losers):
        for each in range(times):
            ago = timedelta(hours=7 * (place * times + each))
            friendly(winner, loser, ago=ago, lasted=lasted, **given)
    return losers


def leave(user: User) -> None:
    """What a deletion makes of an account's row."""
    User.objects.filter(pk=user.pk).update(
        deleted_at=timezone.now(), is_active=False, email="", time_zone="", device_zone="",
        display_name=FORMER_NAME, username=f"{FORMER_PREFIX}{user.pk}",
    )  # fmt: skip


def looked_at() -> list[Report]:
    """What the sweep reports of them."""
    pairs_sweep(since=timedelta(days=30))
    winners_sweep(since=timedelta(days=30))
    return list(Report.objects.order_by("pk"))


@pytest.mark.parametrize("with_winner", [True, False])
@pytest.mark.parametrize("kind", ["address", "device"])
def test_eight_second_accounts_that_concede_twice_each_are_one_report(
    ada: User, ben: User, left_to_workers: Workers, with_winner: bool, kind: str
) -> None:
    """Each after the least course: every match counts, and no pair of them met often."""
    losers = [user_named(f"second{each}") for each in range(8)]
    share(kind, *losers, *([ada] if with_winner else []))
    share("address", ben, what="198.51.100.7")
    matches = [conceded(ada, loser, answers=6) for loser in losers for _time in range(2)]
    assert Rating.objects.get(ladder=OVERALL, user=ada).wins == 16
    assert {match.unrated for match in matches} == {""}
    (report,) = Report.objects.filter(target_type=WINNER)
    assert report.target_id == str(ada.pk)
    assert report.context["evidence"] == sorted(match.pk for match in matches)
    assert report.words.startswith("They have won 16 matches against 8 accounts that share a way")
    facts = dict(report.context["facts"])
    assert all(f"@{loser.username}" in facts["Against"] for loser in losers)
    assert "203.0.113.5" not in str(report.context)
    assert winner_look(ada.pk) is None  # nothing new
    assert Report.objects.filter(target_type=WINNER).count() == 1


@pytest.mark.parametrize(
    ("kind", "number", "times", "lasted", "found"),
    [
        ("address", 2, 2, 0.5, True), ("address", 2, 1, 0.5, False), ("address", 3, 1, 3, True),
        # An honest evening of a school's club behind one address, and of a family's tablet.
        ("address", 8, 2, 25, False), ("device", 2, 3, 25, False),
        # Nobody else has a browser in common with three whom they beat.
        ("device", 5, 1, 25, True), ("mail", 3, 2, 25, True), ("discord", 4, 1, 25, False),
    ],
)  # fmt: skip
def test_what_makes_a_ring(
    ada: User, kind: str, number: int, times: int, lasted: float, found: bool
) -> None:
    share(kind, *beaten(ada, number, times=times, lasted=lasted))
    assert [report.target_type for report in looked_at()] == ([WINNER] if found else [])


def at_home(*users: User) -> None:
    """Have each of them play somebody whom nobody else plays, as those do who are at home here."""
    for user in users:
        other = user_named(f"of-{user.username}")
        for days in (3, 4):
            friendly(user, other, ago=timedelta(days=days), ruleset="domino-black-white")


def test_accounts_that_share_nothing_are_no_ring(ada: User) -> None:
    losers = beaten(ada, 8, lasted=3)
    at_home(*losers)
    for number, loser in enumerate(losers):
        share("address", loser, what=f"203.0.113.{number}")
    assert looked_at() == []


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("answers", [0, 6])
def test_ten_accounts_that_concede_once_each_are_one_report(
    ada: User, left_to_workers: Workers, shared: bool, answers: int
) -> None:
    """Of no two of them more is known than that they met once; whether they count, and whether they
    come in by the same way or by ten."""
    losers = [user_named(f"second{each}") for each in range(10)]
    for number, loser in enumerate(losers):
        share("address", loser, what="203.0.113.5" if shared else f"203.0.113.{number}")
    matches = [conceded(ada, loser, answers=answers) for loser in losers]
    assert {match.unrated == "" for match in matches} == {answers == 6}
    (report,) = Report.objects.all()
    assert (report.target_type, report.target_id) == (WINNER, str(ada.pk))
    assert report.context["evidence"] == sorted(match.pk for match in matches)
    assert (
        "10 matches against 10 accounts that gave them away as soon as they had begun"
        in report.words
    )
    assert ("that share a way in" in report.words) is shared


@pytest.mark.parametrize(
    ("given", "accounts", "honest", "found"),
    [
        (6, 5, 0, True), (5, 5, 0, False), (6, 4, 0, False),
        (6, 5, 6, True), (6, 5, 7, False),
    ],
)  # fmt: skip
def test_how_many_must_be_given_away(
    ada: User, ben: User, given: int, accounts: int, honest: int, found: bool
) -> None:
    losers = [user_named(f"second{each}") for each in range(accounts)]
    at_home(ben, *losers)
    for number in range(given):
        friendly(
            ada, losers[number % accounts], ago=timedelta(days=number), lasted=1.5,
            reason="concession",
        )  # fmt: skip
    for number in range(honest):
        friendly(ada, ben, ago=timedelta(days=number, hours=3))
    assert [report.target_type for report in looked_at()] == ([WINNER] if found else [])


@pytest.mark.parametrize("place", ["their homes", "a club"])
def test_the_strongest_of_a_small_league_is_left_alone(ada: User, place: str) -> None:
    """Twelve of them, everybody twice against everybody within the month, and the strongest wins
    all of hers: most are played out, a third are given up once they are lost, and some of those
    early, since somebody has to go. Whether everybody plays at home or all behind one address."""
    league = [ada, *(user_named(f"member{each}") for each in range(11))]
    for number, member in enumerate(league):
        what = "203.0.113.5" if place == "a club" else f"203.0.113.{number}"
        share("address", member, what=what)
    met = 0
    for better, one in enumerate(league):
        for other in league[better + 1 :]:
            for _time in range(2):
                met += 1
                lasted, reason = (25.0, "total") if met % 3 else (12.0, "concession")
                if met % 15 == 0:
                    lasted = 1.5
                ago = timedelta(hours=5 * met)
                friendly(one, other, ago=ago, lasted=lasted, reason=reason)
    early = Match.objects.filter(players__user=ada, reason="concession").count()
    assert early >= 7
    assert looked_at() == []


# -- losses that are given away, and accounts that are there for nothing else ----------------------


def silenced(winner: User, loser: User, *, answers: int = 6) -> Match:
    """A match in which so many decisions were answered before the loser said nothing any more, as
    a worker leaves it."""
    began = now_ms() - 3_600_000
    play = started((winner, loser), at=began)
    at = began - T0
    for number in range(200):
        if play.match.is_over:
            break
        if number < answers and play.decision(1):
            play.move(1, play.random_move(1, play.random), at)
        elif play.decision(0):
            play.move(0, play.random_move(0, play.random), at)
        else:
            at += 20_000
            play.wake(at)
    match = play.match
    assert (match.winner, match.is_over) == (0, True)
    on_match_ended(match_id=match.pk)
    match.refresh_from_db()
    return match


@pytest.mark.parametrize("how", ["concession", "silence"])
@pytest.mark.parametrize("number", [5, 9])
def test_new_accounts_that_give_away_one_match_each_are_one_report(
    ada: User, left_to_workers: Workers, number: int, how: str
) -> None:
    """From as many addresses; by conceding, or by answering no more."""
    losers = [user_named(f"second{each}") for each in range(number)]
    if how == "silence":
        matches = [silenced(ada, loser) for loser in losers]
    else:
        matches = [conceded(ada, loser, answers=6) for loser in losers]
    assert {match.unrated for match in matches} == {""}
    (report,) = Report.objects.all()
    assert (report.target_type, report.target_id) == (WINNER, str(ada.pk))
    assert report.context["evidence"] == sorted(match.pk for match in matches)
    assert f"{number} matches against {number} accounts that have hardly ever" in report.words
    lines = [line["text"] for line in report.context["lines"]]
    silent = [text for text in lines if "having done nothing after" in text]
    assert len(silent) == (number if how == "silence" else 0)


def test_a_pair_gives_away_by_silence_as_by_concession(
    ada: User, ben: User, left_to_workers: Workers
) -> None:
    matches = [silenced(ada, ben) for _time in range(3)]
    report = Report.objects.get()
    assert (report.target_type, report.context["evidence"]) == (PAIR, [m.pk for m in matches])
    assert report.words == "3 matches were given away as soon as they had begun."


def test_nobody_came_is_nothing_given_away(ada: User, left_to_workers: Workers) -> None:
    """Opponents who never answer anything bring nothing, and say nothing of whom they leave."""
    matches = [silenced(ada, user_named(f"gone{each}"), answers=0) for each in range(9)]
    assert all(match.unrated.startswith(TOO_SHORT) for match in matches)
    assert looked_at() == []


def wins(winner: User, losers: list[User], *, times: int = 1, days: float = 1, **more: Any) -> None:
    for number, loser in enumerate(losers):
        for each in range(times):
            friendly(winner, loser, ago=timedelta(days=days, hours=number + 20 * each), **more)


GIVEN_AT_HALF_TIME: dict[str, Any] = {"lasted": 3.5, "reason": "concession"}


@pytest.mark.parametrize(
    ("accounts", "times", "more", "found"),
    [
        # Given away early: five over three of them, and not over two, or four.
        (5, 1, GIVEN_AT_HALF_TIME, True), (4, 1, GIVEN_AT_HALF_TIME, False),
        (3, 2, GIVEN_AT_HALF_TIME, True), (2, 3, GIVEN_AT_HALF_TIME, False),
        # Played out: somebody who is beaten again and again, and has nobody else.
        (3, 3, {}, True), (9, 2, {}, False), (12, 1, {}, False),
        # Late in the match it is no gift.
        (9, 1, {"lasted": 15, "reason": "concession"}, False),
    ],
)  # fmt: skip
def test_how_many_who_play_nobody_else_are_told_of(
    ada: User, accounts: int, times: int, more: dict[str, Any], found: bool
) -> None:
    losers = [user_named(f"second{each}") for each in range(accounts)]
    wins(ada, losers, times=times, **more)
    assert [report.target_type for report in looked_at()] == ([WINNER] if found else [])


@pytest.mark.parametrize("by", ["each other", "others", "one win", "somebody once"])
def test_whom_they_play_besides(ada: User, ben: User, by: str) -> None:
    """What they give to each other makes no player of them, nor does a single match."""
    losers = [user_named(f"second{each}") for each in range(4)]
    wins(ada, losers, times=5, **GIVEN_AT_HALF_TIME)
    for loser in losers:
        if by == "each other":
            wins(loser, [each for each in losers if each != loser], times=2, **GIVEN_AT_HALF_TIME)
        elif by == "others":
            wins(user_named(f"of-{loser.username}"), [loser], times=2)
        elif by == "somebody once":
            friendly(ben, loser, ago=timedelta(days=2))
        else:
            friendly(loser, ada, ago=timedelta(days=2))
    reported = [report.target_id for report in looked_at() if report.target_type == WINNER]
    assert (str(ada.pk) in reported) is (by in ("each other", "somebody once"))


@pytest.mark.parametrize(("honest", "found"), [(5, True), (6, False)])
def test_who_is_really_played_with_is_left_alone(
    ada: User, ben: User, honest: int, found: bool
) -> None:
    at_home(ben)
    wins(ada, [user_named(f"second{each}") for each in range(5)], **GIVEN_AT_HALF_TIME)
    wins(ada, [ben], times=honest, days=3)
    assert [report.target_type for report in looked_at()] == ([WINNER] if found else [])


def test_a_newcomers_evening_is_left_alone(ada: User) -> None:
    """Six who have never played before, each against each twice; the best of them wins all of
    hers, and every fifth match is given up early. Nobody plays anybody else, ever."""
    newcomers = [ada, *(user_named(f"new{each}") for each in range(5))]
    met = 0
    for better, one in enumerate(newcomers):
        for other in newcomers[better + 1 :]:
            for _time in range(2):
                met += 1
                early = {"lasted": 1.5, "reason": "concession"} if met % 5 == 0 else {"lasted": 12}
                friendly(one, other, ago=timedelta(minutes=20 * met), **early)
    assert looked_at() == []


def test_somebody_strong_whom_beginners_try_once_is_left_alone(ada: User) -> None:
    """A dozen who come, lose a match and never come again: most play it out, a third concede it
    or leave; two of them as soon as it has begun. She is played with by nobody else."""
    for number in range(12):
        more: dict[str, Any] = {"lasted": 12, "reason": "total"}
        if number % 3 == 0:
            more = {"lasted": 1.5 if number % 2 else 9, "reason": "concession"}
        friendly(ada, user_named(f"beginner{number}"), ago=timedelta(hours=30 * number), **more)
    assert looked_at() == []


# -- bots ----------------------------------------------------------------------------------------


def become_bots(*users: User) -> None:
    User.objects.filter(pk__in=[user.pk for user in users]).update(is_bot=True)


@pytest.mark.parametrize("who", ["losers", "winner", "all"])
def test_bots_are_looked_at_as_everybody_is(ada: User, who: str) -> None:
    losers = beaten(ada, 3, lasted=1)
    become_bots(*(losers if who != "winner" else []), *([ada] if who != "losers" else []))
    (report,) = looked_at()
    assert (report.target_type, len(report.context["evidence"])) == (WINNER, 6)


def test_two_bots_are_a_pair(ada: User, ben: User) -> None:
    quick(ada, ben, ago=100)
    become_bots(ada, ben)
    assert [report.target_type for report in looked_at()] == [PAIR]


def test_bots_that_play_each_other_honestly_are_left_alone(ada: User, ben: User) -> None:
    """In seconds, since they are programs, and the better of them always wins; and somebody's bot
    is tried by people who play nobody else, again and again."""
    become_bots(ada, ben)
    wins(ada, [ben], times=30, lasted=0.3, reason="total")
    wins(ada, [user_named(f"trying{each}") for each in range(4)], times=4, lasted=9)
    assert looked_at() == []


def test_of_bots_that_play_without_end_the_latest_matches_are_looked_at(
    ada: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pairs, "LOOKED_AT_MOST", 4)
    become_bots(ada, ben)
    quick(ada, ben, ago=200, times=9)
    latest = quick(ada, ben, ago=10, times=4)
    report = pair_look(ada.pk, ben.pk)
    assert report is not None
    assert report.context["evidence"] == sorted(match.pk for match in latest)


# -- what organisers have ruled -------------------------------------------------------------------


@pytest.mark.parametrize("days", [1, 20])
def test_corrected_results_are_looked_at_as_what_they_are_now(
    ada: User, ben: User, days: int
) -> None:
    """However long ago the match was: the sweep comes upon it when it is ruled on."""
    matches = [
        friendly(ben, ada, ago=timedelta(days=days, minutes=1 + number), lasted=0.2)
        for number in range(2)
    ]
    matches.append(
        result_row((ben, ada), winner=None, finished_at=timezone.now() - timedelta(days=days))
    )
    Match.objects.filter(pk=matches[-1].pk).update(created_at=matches[-1].finished_at)
    for match in matches:
        RatingRuling.objects.create(match=match, winner=1, why="so it was agreed")
    pairs_sweep(since=timedelta(days=2))
    report = Report.objects.get()
    assert report.context["evidence"] == sorted(match.pk for match in matches)
    assert all("@ada won by a ruling" in line["text"] for line in report.context["lines"])


def test_a_winner_by_rulings_is_looked_at(ada: User) -> None:
    losers = [user_named(f"second{each}") for each in range(5)]
    for loser in losers:
        match = friendly(loser, ada, ago=timedelta(days=9), lasted=1, reason="concession")
        RatingRuling.objects.create(match=match, winner=1, why="corrected")
    winners_sweep(since=timedelta(days=2))
    assert [report.target_id for report in Report.objects.all()] == [str(ada.pk)]


def test_what_counts_for_nobody_by_a_ruling_is_no_evidence(ada: User, ben: User) -> None:
    for match in quick(ada, ben, ago=10, times=5):
        RatingRuling.objects.create(match=match, winner=None, why="void")
    assert looked_at() == []


# -- more of rings ---------------------------------------------------------------------------------


def test_a_played_out_match_is_short_only_if_it_was_over_at_once(ada: User) -> None:
    share("address", *beaten(ada, 4, lasted=3, reason="total"))
    assert looked_at() == []


def test_a_ring_of_those_who_left_is_no_ring(ada: User) -> None:
    losers = beaten(ada, 4)
    share("address", *losers, ada)
    for each in losers[1:]:
        leave(each)
    assert looked_at() == []


def test_what_moderators_have_looked_at_comes_back_with_new_matches_alone(
    ada: User, mona: User
) -> None:
    losers = beaten(ada, 3)
    share("address", *losers)
    (first,) = looked_at()
    report_resolve(acting_user=mona, report=first, outcome="no-breach")
    assert winner_look(ada.pk) is None
    for number, loser in enumerate(losers):
        friendly(
            ada, loser, ago=timedelta(minutes=number), lasted=0.5, reason="concession",
        )  # fmt: skip
    second = winner_look(ada.pk)
    assert second is not None
    assert not set(second.context["evidence"]) & set(first.context["evidence"])


def test_who_is_in_a_ring_reads_nothing_of_it_and_others_rule_from_it(
    ada: User, mona: User, make_moderator: Callable[[User], None]
) -> None:
    losers = beaten(ada, 3)
    share("address", *losers)
    (report,) = looked_at()
    for each in (ada, losers[1]):
        make_moderator(each)
        assert list(queue_of(each)) == []
    assert list(queue_of(mona)) == [report]
    client = Client()
    client.force_login(mona)
    page = client.get(f"/admin/accounts/report/{report.pk}/change/").content.decode()
    assert "3 accounts that share a way in" in page
    links = dict(remedies_of(report))
    address = links["Have their matches with @second0 count for nobody…"]
    assert client.get(address).status_code == 200
    with committing():
        given = {"first": "ada", "second": "second0", "why": "Farmed."}
        assert client.post(address, given).status_code == 302
    assert PairRuling.objects.get().report == report
    assert "Have their matches with @second0 count for nobody…" not in dict(remedies_of(report))


# -- those who have left --------------------------------------------------------------------------


def test_who_has_left_is_neither_looked_at_nor_told(ada: User, ben: User, mona: User) -> None:
    matches = quick(ada, ben, ago=10)
    share("device", ada, ben)
    leave(ben)
    assert looked_at() == []
    assert sharing_with(acting_user=mona, user=ada) == {}
    ben.refresh_from_db()
    with committing():
        ruling = pair_unrate(acting_user=mona, first=ada, second=ben, why="Farmed.")
        pair_rate_again(acting_user=mona, ruling=ruling, why="Not so.")
    assert ruling.matches == sorted(match.pk for match in matches)
    told = Announcement.objects.filter(kind="match.rating-ruled")
    assert [each.user for each in told] == [ada, ada]


# -- unrated in one go, and back -----------------------------------------------------------------


def test_all_of_a_pair_are_unrated_in_one_go_and_rated_again(
    ada: User, ben: User, cleo: User, mona: User, workers: Workers
) -> None:
    workers.at_once[RATE] = services.ratings_take_in
    old = friendly(ada, ben, ago=timedelta(days=31))
    theirs = [friendly(ada, ben, ago=timedelta(days=days)) for days in (3, 2)]
    other = friendly(ada, cleo, ago=timedelta(days=1))
    ratings_rebuild()
    before = list(RatingPoint.objects.order_by("ladder", "at", "user").values("mu", "weight"))
    assert set(listed()) == {"ada", "ben", "cleo"}

    with committing():
        ruling = pair_unrate(acting_user=mona, first=ben, second=ada, why=" Both are\none. ")
    assert (ruling.matches, ruling.why) == (sorted(m.pk for m in theirs), "Both are one.")
    counting = RatingPoint.objects.filter(ladder=OVERALL, user=ada).order_by("at")
    assert [point.match_id for point in counting] == [old.pk, other.pk]
    assert len(workers.of(RATE)) == 1
    is_true(OVERALL)
    told = Announcement.objects.filter(kind="match.rating-ruled")
    assert {each.user for each in told} == {ada, ben}
    assert all("Both are one." in each.words for each in told)
    page = Client().get("/u/ada/matches/").content.decode()
    assert page.count("Both are one.") == 2

    refused("rating.of-pair", rating_include, match_id=theirs[0].pk, acting_user=None, why="mine")
    with committing():
        pair_rate_again(acting_user=mona, ruling=ruling, why="Siblings, they showed us.")
    after = list(RatingPoint.objects.order_by("ladder", "at", "user").values("mu", "weight"))
    assert after == before
    assert not RatingRuling.objects.exists()
    assert told.all().count() == 4
    entries = AuditEntry.objects.filter(action__startswith="rating.").order_by("pk")
    actions = list(entries.values_list("action", flat=True))
    assert actions == ["rating.exclude-pair", "rating.include-pair"]
    refused("rating.lifted", pair_rate_again, acting_user=mona, ruling=ruling, why="once more")


def test_a_whole_ring_is_unrated_in_one_go_and_rated_again(
    ada: User, ben: User, mona: User, workers: Workers
) -> None:
    """Twelve of them, from one form: one transaction, one reason, one recomputation, and everybody
    is told once; all but the last are taken back in one go as well."""
    workers.at_once[RATE] = services.ratings_take_in
    losers = beaten(ada, 12, times=1, lasted=1)
    at_home(ben)
    honest = [friendly(ada, ben, ago=timedelta(days=number)) for number in range(3)]
    ratings_rebuild()
    before = list(RatingPoint.objects.order_by("ladder", "at", "user").values("mu", "weight"))
    (report,) = looked_at()
    client = Client()
    client.force_login(mona)
    address = dict(remedies_of(report))[UNRATE_ALL_WORDS]
    page = client.get(address).content.decode()
    assert all(f"(@{loser.username}): 1 match" in page for loser in losers)
    with committing():
        assert client.post(address, {"why": "All one person."}).status_code == 302
    rulings = list(PairRuling.objects.order_by("pk"))
    assert {ruling.second for ruling in rulings} == set(losers)
    assert {(ruling.report, ruling.why, ruling.by) for ruling in rulings} == {
        (report, "All one person.", mona)
    }
    assert len(workers.of(RATE)) == 1
    ours = RatingPoint.objects.filter(ladder=OVERALL, user=ada)
    assert {point.match_id for point in ours} == {match.pk for match in honest}
    is_true(OVERALL)
    told = Announcement.objects.filter(kind="match.rating-ruled")
    assert told.count() == 13
    assert "12 matches of yours with 12 players" in told.get(user=ada).words
    assert address not in dict(remedies_of(report)).values()

    row = f"/admin/games/pairruling/{rulings[3].pk}/rate_again/"
    assert "second11" in client.get(row).content.decode()
    with committing():
        given = {"why": "A club, they showed us.", "together": "on"}
        assert client.post(row, given).status_code == 302
    assert not PairRuling.objects.filter(lifted_at=None).exists()
    assert len(workers.of(RATE)) == 2
    assert told.all().count() == 26
    after = list(RatingPoint.objects.order_by("ladder", "at", "user").values("mu", "weight"))
    assert after == before


def test_some_of_a_ring_are_unrated_and_one_of_them_is_rated_again(ada: User, mona: User) -> None:
    losers = beaten(ada, 4)
    share("address", *losers)
    (report,) = looked_at()
    made = ring_unrate(
        acting_user=mona, report=report, why="Farmed.", accounts=[each.pk for each in losers[:3]]
    )
    assert [ruling.second for ruling in made] == losers[:3]
    client = Client()
    client.force_login(mona)
    assert (
        client.post(
            f"/admin/games/pairruling/{made[0].pk}/rate_again/", {"why": "Not this one."}
        ).status_code
        == 302
    )
    assert [ruling.second for ruling in PairRuling.objects.filter(lifted_at=None)] == [
        losers[2], losers[1],
    ]  # fmt: skip
    assert RatingRuling.objects.count() == 4


def test_what_a_ring_cannot_be_ruled_upon(
    ada: User, ben: User, mona: User, orla: User, make_moderator: Callable[[User], None]
) -> None:
    losers = beaten(ada, 3)
    share("address", *losers)
    friendly(ada, ben, ago=timedelta(days=1))
    (report,) = looked_at()

    def rule(code: str, by: User, **more: Any) -> None:
        refused(code, ring_unrate, acting_user=by, report=report, **{"why": "because", **more})

    make_moderator(losers[0])
    rule("rating.own-pair", losers[0], accounts=[losers[1].pk])
    rule("rating.not-moderator", orla)
    rule("rating.why-missing", mona, why=" ")
    rule("rating.not-of-ring", mona, accounts=[losers[0].pk, ben.pk])
    assert not PairRuling.objects.exists()
    ruling, *_ = ring_unrate(acting_user=mona, report=report, why="because")
    rule("rating.no-matches", mona)
    refused("rating.not-moderator", ring_rate_again, acting_user=orla, ruling=ruling, why="x")
    ring_rate_again(acting_user=mona, ruling=ruling, why="x")
    refused("rating.lifted", ring_rate_again, acting_user=mona, ruling=ruling, why="x")


@pytest.mark.parametrize("kind", ["pair", "old pair", "winner"])
def test_a_report_is_found_from_the_pages_of_those_it_concerns(
    ada: User, ben: User, mona: User, kind: str
) -> None:
    if kind != "winner":
        quick(ada, ben, ago=10)
        people = [ada, ben]
    else:
        people = [ada, *beaten(ada, 3)]
    (report,) = looked_at()
    if kind == "old pair":
        # As it was filed before a report of a pair kept who is in it.
        Report.objects.filter(pk=report.pk).update(
            context={key: told for key, told in report.context.items() if key != "people"}
        )
    client = Client()
    client.force_login(mona)
    for user in (*people, mona):
        page = client.get(f"/admin/accounts/user/{user.pk}/change/").content.decode()
        (address,) = re.findall(r'href="(/admin/accounts/report/[^"]*concerns[^"]*)"', page)
        listed = client.get(html.unescape(address)).content.decode()
        assert (f"/admin/accounts/report/{report.pk}/change/" in listed) is (user != mona)
    assert report.about == (ada if kind == "winner" else None)
    page = client.get(f"/admin/accounts/report/{report.pk}/change/").content.decode()
    assert "The reporter" not in page
    assert "hat the site has found" in page
    assert client.get("/admin/accounts/report/?concerns=x").status_code == 200


def test_what_a_pair_cannot_be_ruled_upon(
    ada: User, ben: User, cleo: User, mona: User, orla: User
) -> None:
    match = friendly(ada, ben, ago=timedelta(days=1))
    foreign = friendly(ada, cleo, ago=timedelta(days=1))
    friendly(mona, ben, ago=timedelta(days=1))

    def rule(code: str, by: User, *pair: User, **more: Any) -> None:
        given = {"why": "because", **more}
        refused(code, pair_unrate, acting_user=by, first=pair[0], second=pair[1], **given)

    for nobody in (ada, orla):
        rule("rating.not-moderator", nobody, ada, ben)
    rule("rating.own-pair", mona, mona, ben)
    rule("rating.one-player", mona, ada, ada)
    rule("rating.why-missing", mona, ada, ben, why="  ")
    rule("rating.why-too-long", mona, ada, ben, why="x" * 501)
    rule("rating.not-of-pair", mona, ada, ben, matches=[match.pk, foreign.pk])
    rule("rating.no-matches", mona, ben, cleo)
    ruling = pair_unrate(acting_user=mona, first=ada, second=ben, why="x", matches=[match.pk])
    rule("rating.no-matches", mona, ada, ben)
    refused("rating.not-moderator", pair_rate_again, acting_user=orla, ruling=ruling, why="x")
    refused("rating.why-missing", pair_rate_again, acting_user=mona, ruling=ruling, why="")


def test_a_moderator_does_it_from_the_report(ada: User, ben: User, mona: User) -> None:
    matches = quick(ada, ben, ago=10)
    report = pair_look(ada.pk, ben.pk)
    assert report is not None
    client = Client()
    client.force_login(mona)
    address = remedies_of(report)[-1][1]
    page = client.get(address).content.decode()
    assert all(f"{match.pk}: " in page for match in matches)
    chosen = [str(match.pk) for match in matches[:2]]
    given = {"first": "ada", "second": "ben", "chosen": chosen, "why": "Farmed."}
    with committing():
        assert client.post(address, given).status_code == 302
    (ruling,) = PairRuling.objects.all()
    assert (ruling.report, sorted(ruling.matches)) == (report, sorted(int(n) for n in chosen))
    row = f"/admin/games/pairruling/{ruling.pk}/"
    assert "Farmed." in client.get(f"{row}change/").content.decode()
    with committing():
        assert client.post(f"{row}rate_again/", {"why": "A mistake."}).status_code == 302
    ruling.refresh_from_db()
    assert ruling.lifted_by == mona


def test_whom_it_is_about_and_organisers_reach_nothing_of_it(
    ada: User, ben: User, mona: User, orla: User, make_moderator: Callable[[User], None]
) -> None:
    friendly(ada, ben, ago=timedelta(days=1))
    ruling = pair_unrate(acting_user=mona, first=ada, second=ben, why="Farmed.")
    make_moderator(ben)
    for user in (ada, ben, orla):
        client = Client()
        client.force_login(user)
        assert client.get(f"/admin/games/pairruling/{ruling.pk}/change/").status_code in (302, 403)
        given = {"first": "ada", "second": "ben", "why": "no"}
        client.post("/admin/games/pairruling/add/", given)
    assert PairRuling.objects.count() == 1
    ruling.refresh_from_db()
    assert ruling.lifted_at is None


@pytest.mark.parametrize("told_of", ["pair", "winner", "beaten"])
def test_what_the_site_has_reported_does_not_name_who_is_gone(
    ada: User, ben: User, told_of: str
) -> None:
    """As evidence it stays."""
    User.objects.filter(pk=ada.pk).update(username="zyxwanda", display_name="Zyxwanda Quill")
    ada.refresh_from_db()
    if told_of == "pair":
        quick(ada, ben, ago=2, times=6)
        pair_look(ada.pk, ben.pk)
    else:
        winner = ada if told_of == "winner" else ben
        losers = [*beaten(winner, 5), *([ada] if told_of == "beaten" else [])]
        quick(winner, losers[-1], ago=2, times=1)
        share("address", *losers)
        winner_look(winner.pk)
    report = Report.objects.get()
    said = f"{report.title} {report.url} {report.context}"
    assert "zyxwanda" in said
    with committing():
        gone = user_erase(user=ada)
    report.refresh_from_db()
    left = f"{report.title} {report.url} {report.context}"
    assert "zyxwanda" not in left.lower()
    plainly = said.replace("Zyxwanda Quill", "Former player").replace("zyxwanda", gone.username)
    assert left == plainly
