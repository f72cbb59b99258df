"""One thing that happens is told once to each: by the announcement that says most."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest

from accounts.announcing.kinds import Way, When
from accounts.announcing.services import choices_set
from accounts.models import Announcement, User
from games import presence
from games import tasks as games_tasks
from games.jobs import FOLLOW_UP, TELL_TURN
from games.models import Match
from games.services.arrivals import match_attend
from games.services.waking import match_wake
from tests.games.support import T0, Play, committing, started, user_named
from tests.games.test_aftermath import to_its_end
from tests.support.workers import Workers
from tests.tournaments.support import (
    START,
    after,
    begun,
    chosen,
    conceded,
    down_to_two,
    episode_now,
    fresh,
    leg_of,
    placings,
    ruled,
    running,
    who,
)
from tests.tournaments.test_waiting_legs import called
from tournaments import tasks
from tournaments.formats.elimination.final import final_open
from tournaments.formats.elimination.main_match import Ahead, placements_record
from tournaments.jobs import ANNOUNCE_EVENT, SETTLE
from tournaments.models import DeathMatch, Leg
from tournaments.services.contestants.departures import contestant_replace, contestant_withdraw
from tournaments.services.results.corrections import (
    death_match_correct,
    death_match_reopen,
    death_match_void,
    leg_void,
)
from tournaments.services.results.rulings import death_match_declare, death_match_walkover
from tournaments.services.scheduling.appointments import leg_schedule
from tournaments.services.scheduling.readiness import leg_confirm
from tournaments.services.scheduling.sweep import legs_sweep

#: What everybody in a season is told besides: that it begins and has a winner.
EVERYBODY = "season.news"
#: What is told of a match while it lasts.
MEANWHILE = "match.turn"
NOON = after(hours=48)
LATER = after(hours=1)

Told = dict[str, list[Announcement]]


@pytest.fixture(autouse=True)
def at_once(workers: Workers) -> None:
    """Whoever is told something has it by the end of the act."""
    workers.at_once.update({
        FOLLOW_UP: games_tasks.follow_up, SETTLE: tasks.settle,
        ANNOUNCE_EVENT: tasks.announce_event,
    })  # fmt: skip


def told_by(act: Callable[[], object]) -> Told:
    """What an act tells, by the readers' names."""
    before = set(Announcement.objects.values_list("pk", flat=True))
    with committing():
        act()
    rows = Announcement.objects.exclude(kind__in=[EVERYBODY, MEANWHILE]).exclude(pk__in=before)
    found: Told = {}
    for row in rows.exclude(kind="organiser.needed").select_related("user").order_by("pk"):
        found.setdefault(row.user.username, []).append(row)
    return found


def once(told: Told) -> dict[str, str]:
    """The words that each was told, once."""
    twice = {
        name: [(row.kind, row.words) for row in rows] for name, rows in told.items() if rows[1:]
    }
    assert twice == {}
    return {name: rows[0].words for name, rows in told.items()}


# -- a match between two ---------------------------------------------------------------------------


def wait_in_vain(match: Match) -> None:
    match_wake(match_id=match.pk, at=(match.waits_until or 0) + 1)


def organiser_ends(text: str) -> Callable[[Play, User], object]:
    return lambda play, orla: play.act(orla, text, 1000)


CASUAL: dict[str, tuple[bool, Callable[[Play, User], object], set[str]]] = {
    "time": (False, lambda play, _orla: to_its_end(play), {"ada"}),
    "both away": (True, lambda play, _orla: wait_in_vain(play.match), {"ada", "ben"}),
    "void": (False, organiser_ends("void"), set()),
    "ruling": (False, organiser_ends("winner 1"), set()),
    "concession": (False, lambda play, _orla: play.move(0, "concede", 1000), set()),
}


@pytest.mark.parametrize("way", list(CASUAL))
def test_how_a_match_ends_is_told_once(orla: User, way: str) -> None:
    waits, end, to = CASUAL[way]
    play = started((user_named("ada"), user_named("ben")), waits=waits)
    assert set(once(told_by(lambda: end(play, orla)))) == to


# -- a death match ---------------------------------------------------------------------------------

#: How a death match goes on in a scene: by whom, and of which leg.
Act = Callable[[User, DeathMatch], object]


def match_of(death_match: DeathMatch) -> Match:
    match = Leg.objects.filter(death_match=death_match, match__isnull=False).latest("pk").match
    assert match is not None
    return match


def time_runs_out(_orla: User, death_match: DeathMatch) -> None:
    for _ in range(50):
        match = match_of(death_match)
        if match.is_over:
            return
        assert match.wake_at is not None
        with committing():
            match_wake(match_id=match.pk, at=match.wake_at + 1000)
    raise AssertionError


def nobody_comes(_orla: User, death_match: DeathMatch) -> None:
    wait_in_vain(match_of(death_match))


def gives_up(_orla: User, death_match: DeathMatch) -> None:
    conceded(leg_of(death_match), winner=0)


def at_the_desk(text: str) -> Act:
    return lambda orla, death_match: ruled(orla, leg_of(death_match), text)


def of_the_season(service: Callable[..., Any], **more: Any) -> Act:
    return lambda orla, death_match: service(
        acting_user=orla, death_match=fresh(death_match), why="because", at=LATER, **more
    )


def to_home(service: Callable[..., Any], at: datetime = LATER) -> Act:
    return lambda orla, row: service(
        acting_user=orla, death_match=fresh(row), winner=row.home, why="because", at=at
    )


def to_away(service: Callable[..., Any]) -> Act:
    return lambda orla, row: service(
        acting_user=orla, death_match=fresh(row), winner=row.away, why="because", at=LATER
    )


def void_leg(orla: User, death_match: DeathMatch) -> None:
    leg_void(acting_user=orla, leg=leg_of(death_match), why="because", at=LATER)


def taken_out(orla: User, death_match: DeathMatch) -> None:
    leaver = fresh(death_match).away
    assert leaver is not None
    contestant_withdraw(acting_user=orla, contestant=leaver, why="ill", at=LATER)


def leaves(_orla: User, death_match: DeathMatch) -> None:
    leaver = fresh(death_match).away
    assert leaver is not None
    contestant_withdraw(acting_user=leaver.user, contestant=leaver, why="ill", at=LATER)


def replaced(orla: User, death_match: DeathMatch) -> None:
    leaver = fresh(death_match).home
    assert leaver is not None
    contestant_replace(
        acting_user=orla, contestant=leaver, user=user_named("newcomer"), why="ill", at=LATER
    )


def one_is_there(_orla: User, death_match: DeathMatch) -> None:
    """Player 1 is ready, and the other's time is over."""
    assert death_match.home is not None
    assert death_match.home.user is not None
    leg = leg_of(death_match)
    leg_confirm(acting_user=death_match.home.user, leg=leg, at=NOON - timedelta(minutes=1))
    legs_sweep(at=NOON + timedelta(hours=2))


def nobody_is_there(_orla: User, _death_match: DeathMatch) -> None:
    legs_sweep(at=NOON + timedelta(hours=2))


def scheduled(orla: User, death_match: DeathMatch) -> None:
    with committing():
        leg_schedule(acting_user=orla, leg=leg_of(death_match), scheduled_at=NOON, at=START)


def beginning(orla: User, death_match: DeathMatch) -> None:
    begun(orla, death_match)


def waiting(orla: User, death_match: DeathMatch) -> None:
    called(orla, death_match)


def by(*acts: Act) -> Act:
    """One after the other, each with what follows it."""

    def all_of_them(orla: User, death_match: DeathMatch) -> None:
        for act in acts:
            with committing():
                act(orla, death_match)

    return all_of_them


FORFEIT = {"no_show_rule": "forfeit"}
lost = by(beginning, gives_up)
given = to_home(death_match_declare, at=START)

#: What goes before, and what then happens.
ACTS: dict[str, tuple[Act, Act]] = {
    "time": (beginning, time_runs_out),
    "concession": (beginning, gives_up),
    "both away": (waiting, nobody_comes),
    "void at the desk": (beginning, at_the_desk("void")),
    "ruled at the desk": (beginning, at_the_desk("winner 0")),
    "void": (beginning, void_leg),
    "void while it waits": (waiting, void_leg),
    "void after it was played": (lost, void_leg),
    "declared": (beginning, to_home(death_match_declare)),
    "declared while it waits": (waiting, to_home(death_match_declare)),
    "a walkover": (by(), to_home(death_match_walkover)),
    "called off": (beginning, of_the_season(death_match_void)),
    "called off once decided": (lost, of_the_season(death_match_void)),
    "taken up again": (given, of_the_season(death_match_reopen)),
    "corrected": (lost, to_away(death_match_correct)),
    "taken out": (beginning, taken_out),
    "taken out while it waits": (waiting, taken_out),
    "leaves": (beginning, leaves),
    "replaced": (scheduled, replaced),
    "one is there": (scheduled, one_is_there),
    "nobody is there": (scheduled, nobody_is_there),
}
FORMATS = ("elimination", "single-elimination", "swiss", "round-robin")
#: Brackets are called off by nobody: somebody must go on from them.
NOT_IN = {("single-elimination", "called off"), ("single-elimination", "called off once decided")}


def a_death_match(orla: User, kind: str) -> DeathMatch:
    """Player 1 against another."""
    season = running(orla, 4, kind, **FORFEIT)
    if kind == "elimination":
        return chosen(orla, season, ec=1, dmo=2)
    mine = DeathMatch.objects.filter(round__season=season, home=who(season, 1), status="planned")
    return fresh(mine.order_by("pk")[0])


def players_of(row: DeathMatch) -> tuple[User, User]:
    assert row.home is not None
    assert row.away is not None
    assert row.home.user is not None
    assert row.away.user is not None
    return row.home.user, row.away.user


def names_of(row: DeathMatch) -> list[str]:
    return [each.username for each in players_of(row)]


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("way", list(ACTS))
def test_what_happens_in_a_season_is_told_once(orla: User, kind: str, way: str) -> None:
    if (kind, way) in NOT_IN:
        return
    row = a_death_match(orla, kind)
    before, act = ACTS[way]
    with committing():
        before(orla, row)
    words = once(told_by(lambda: act(orla, row)))
    if way in {"time", "concession"}:  # of which whoever was there knows
        assert words or way == "concession"
    else:
        assert set(words) >= set(names_of(row))


# -- what it says ----------------------------------------------------------------------------------


def test_who_is_out_by_their_time_while_away_is_told_all_of_it(orla: User) -> None:
    row = a_death_match(orla, "elimination")
    beginning(orla, row)
    told = told_by(lambda: time_runs_out(orla, row))
    (loser,) = once(told)
    (announcement,) = told[loser]
    number = loser.removeprefix("player")
    assert announcement.kind == "contestant.place"
    assert announcement.words.startswith("Autumn: Player 1 and Player 2: Tetronogo")
    assert announcement.words.endswith(
        f"You were not there when it ended. Player {number} is eliminated, in place 4."
    )
    assert announcement.path == f"/matches/{match_of(row).pk}/"


@pytest.mark.parametrize("kind", ["swiss", "round-robin"])
def test_who_stays_in_is_told_that_it_ended_without_them(orla: User, kind: str) -> None:
    row = a_death_match(orla, kind)
    beginning(orla, row)
    told = told_by(lambda: time_runs_out(orla, row))
    ((announcement,),) = told.values()
    assert (announcement.kind, announcement.subject) == (
        "match.missed", "A match of yours ended without you",
    )  # fmt: skip


def test_a_void_that_nobody_saw_is_told_by_the_season(orla: User) -> None:
    row = a_death_match(orla, "elimination")
    waiting(orla, row)
    told = told_by(lambda: nobody_comes(orla, row))
    assert sorted(once(told)) == names_of(row)
    for (each,) in told.values():
        assert each.kind == "death-match.ruling"
        assert "is void and will be played again" in each.words
    # The front page says to each that they were away, as of every match.
    assert match_of(row).players.filter(missed_end=True).count() == 2


def test_the_season_may_be_quicker_than_what_follows_the_end(
    orla: User, left_to_workers: Workers
) -> None:
    """The sweep takes a result over before a worker has marked who was away."""
    left_to_workers.at_once[ANNOUNCE_EVENT] = tasks.announce_event
    row = a_death_match(orla, "swiss")
    beginning(orla, row)
    time_runs_out(orla, row)
    assert match_of(row).aftermath_due
    told = told_by(lambda: legs_sweep(at=after(days=1)))
    assert {each.kind for (each,) in told.values()} == {"match.missed"}
    left_to_workers.at_once[SETTLE] = tasks.settle
    assert told_by(lambda: games_tasks.follow_up(match_of(row).pk)) == {}


def test_whoever_has_seen_the_end_is_not_told(orla: User, monkeypatch: pytest.MonkeyPatch) -> None:
    row = a_death_match(orla, "swiss")
    beginning(orla, row)
    monkeypatch.setattr(presence, "seats_seen", lambda _match_id, since: (True, True))
    assert told_by(lambda: time_runs_out(orla, row)) == {}


SAID: list[tuple[str, str, str, str, list[str]]] = [
    ("declared", "player2", "contestant.place", "you are out", [
        "Player 1 is given the win against Player 2: because. Decided by Orla.",
        "Player 2 is eliminated, in place 4.",
    ]),
    ("declared", "player1", "death-match.ruling", "decided", ["Decided by Orla."]),
    ("one is there", "player2", "contestant.place", "you are out", [
        "Player 2 was not there in time.", "Player 2 is eliminated, in place 4.",
    ]),
    ("taken out", "player2", "contestant.place", "you are out", [
        "Player 2 withdraws: ill.", "Player 1 wins against Player 2 without playing",
    ]),
    ("leaves", "player2", "death-match.ruling", "decided", ["Player 2 has withdrawn."]),
    ("corrected", "player1", "contestant.place", "you are out", [
        "is corrected: Player 2 has won. because. Decided by Orla.",
        "Player 1 is eliminated, in place 4.",
    ]),
    ("corrected", "player2", "contestant.place", "you are back in", [
        "Player 2 is back in. The result of", "is corrected: Player 2 has won.",
    ]),
    ("taken up again", "player2", "contestant.place", "you are back in", [
        "Player 2 is back in.", "is to be played after all: because. Decided by Orla.",
    ]),
    ("called off", "player1", "episode.choice", "choose your opponent", [
        "is void: because. Decided by Orla. You choose your opponent again, until",
    ]),
    ("called off", "player2", "death-match.ruling", "void", ["is void: because."]),
    ("replaced", "newcomer", "contestant.place", "you take over", [
        "takes over from Player 1: ill.", "newcomer meets Player 2. You play Tetronogo", "It is on",
    ]),
    ("replaced", "player2", "death-match.paired", "your death match", ["newcomer meets Player 2."]),
]  # fmt: skip


@pytest.mark.parametrize(("way", "reader", "kind", "about", "words"), SAID)
def test_each_is_told_what_concerns_them_most_with_all_of_it(
    orla: User, way: str, reader: str, kind: str, about: str, words: list[str]
) -> None:
    row = a_death_match(orla, "elimination")
    before, act = ACTS[way]
    with committing():
        before(orla, row)
    (announcement,) = told_by(lambda: act(orla, row))[reader]
    assert announcement.kind == kind
    assert announcement.subject.endswith(f": {about}")
    at = [announcement.words.find(each) for each in words]
    assert at == sorted(at), announcement.words
    assert -1 not in at, announcement.words


def test_whoever_is_recorded_with_their_opponent_is_not_asked_to_choose(orla: User) -> None:
    season = running(orla, 4)
    told = told_by(
        lambda: placements_record(
            acting_user=orla,
            episode=episode_now(season),
            placements=placings(season, 1),
            ahead=Ahead(dmo=who(season, 2)),
            at=LATER,
        )
    )
    once(told)
    for name in ("player1", "player2"):
        assert [each.subject for each in told[name]] == ["Autumn: your death match"]


def test_a_new_ec_is_told_once_what_is_to_be_done(orla: User) -> None:
    season = running(orla, 4)
    row = chosen(orla, season, ec=1, dmo=2)
    with committing():
        death_match_void(acting_user=orla, death_match=row, why="because", at=LATER)
    new, ec = user_named("newcomer"), who(season, 1)
    replace = lambda: contestant_replace(  # noqa: E731
        acting_user=orla, contestant=ec, user=new, why="ill", at=after(hours=2)
    )
    told = told_by(replace)
    once(told)
    (announcement,) = told["newcomer"]
    assert announcement.kind == "episode.choice"
    assert "takes over from Player 1: ill. " in announcement.words
    assert "You choose your opponent for the death match, until" in announcement.words
    assert announcement.path.endswith("/choose/")
    assert [each.subject for each in told["player1"]] == ["Autumn: you are replaced"]


def test_of_several_matches_each_end_is_told_once(orla: User) -> None:
    """Time, a ruling that decides nothing, and one that decides all."""
    season = down_to_two(orla)
    row = final_open(acting_user=orla, season=season, best_of=3, at=START)
    with committing():
        begun(orla, row, 1)
    first = once(told_by(lambda: time_runs_out(orla, row)))
    assert len(first) == 1
    assert "You were not there when it ended." in str(first)
    ahead = leg_of(row, 1).winner_seat
    with committing():
        begun(orla, row, 2)
    last = once(told_by(lambda: ruled(orla, leg_of(row, 2), f"winner {ahead}")))
    assert list(last) == list(first)
    assert "is eliminated, in place 2." in str(last)
    both = once(told_by(lambda: of_the_season(death_match_void)(orla, row)))
    assert sorted(both) == names_of(row)


# -- beginnings ------------------------------------------------------------------------------------


def ready(row: DeathMatch) -> None:
    with committing():
        for user in players_of(row):
            leg_confirm(acting_user=user, leg=leg_of(row), at=START)


@pytest.mark.parametrize("begins", ["ready", "called"])
def test_who_was_told_that_it_has_begun_is_not_told_that_it_is_their_turn(
    orla: User, workers: Workers, begins: str
) -> None:
    """Not of its first decision: of the next they are."""
    row = a_death_match(orla, "elimination")
    for user in players_of(row):
        choices_set(acting_user=user, chosen={(MEANWHILE, Way.MAIL): When.NOW})
    if begins == "ready":
        ready(row)
    else:
        beginning(orla, row)
    waits = workers.of(TELL_TURN)
    assert waits
    for arguments in waits:
        with committing():
            games_tasks.tell_turn(*arguments)
    assert not Announcement.objects.filter(kind=MEANWHILE).exists()
    workers.handed.clear()
    workers.at_once[TELL_TURN] = games_tasks.tell_turn
    play = Play(match_of(row), players_of(row))
    with committing():
        match_attend(match_id=play.pk, there=(True, True), at=T0)
    for number in range(1, 9):
        seat = next(seat for seat in (0, 1) if play.decision(seat) is not None)
        play.move(seat, play.random_move(seat, Random(number).random), number * 1000)
    assert Announcement.objects.filter(kind=MEANWHILE).exists()
