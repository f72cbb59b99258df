"""Those who follow a season: who may, what they hear of it, and how little that costs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.announcing import kinds
from accounts.announcing.delivering import digest_send
from accounts.announcing.kinds import Way, When
from accounts.announcing.services import choices_set
from accounts.models import Announcement, AnnouncementDelivery, AuditEntry, User
from accounts.moderation.merging import user_merge
from accounts.moderation.sanctions import user_suspend
from accounts.services import user_close
from core.refusals import Refusal
from tests.games.support import committing, user_named
from tests.support.workers import Workers
from tests.tournaments.support import (
    START,
    WARS,
    account,
    after,
    begun,
    chosen,
    down_to_two,
    enrolled,
    leg_of,
    organiser_named,
    refused,
    running,
    who,
)
from tournaments import notices, tasks
from tournaments.announcements import FOLLOW_ROUND, FOLLOW_SEASON, FOLLOWED_KINDS
from tournaments.formats.elimination.final import final_open
from tournaments.jobs import ANNOUNCE_EVENT
from tournaments.models import EventNotice, Season, SeasonEvent, SeasonFollow
from tournaments.reading.follows import following_of, seasons_followed
from tournaments.services import follows
from tournaments.services.contestants.departures import contestant_return, contestant_withdraw
from tournaments.services.contestants.enrolment import contestant_enrol
from tournaments.services.events import season_event
from tournaments.services.follows import season_follow, season_unfollow
from tournaments.services.results.corrections import (
    death_match_correct,
    death_match_reopen,
    leg_void,
)
from tournaments.services.results.rulings import death_match_declare, death_match_walkover
from tournaments.services.scheduling.appointments import leg_schedule
from tournaments.services.seasons import (
    season_archive,
    season_cancel,
    season_create,
    season_list,
    season_unlist,
)
from tournaments.services.starts import season_start

pytestmark = pytest.mark.django_db

NOON = after(hours=48)


@pytest.fixture(autouse=True)
def at_once(workers: Workers) -> None:
    """Whoever is told something has it by the end of the act."""
    workers.at_once[ANNOUNCE_EVENT] = tasks.announce_event


@pytest.fixture
def season(orla: User) -> Season:
    """Of four, enrolled."""
    return enrolled(orla, 4)


def follow(user: User, season: Season) -> SeasonFollow:
    return season_follow(acting_user=user, season=season, at=START)


def heard(user: User, act: Callable[[], object]) -> list[tuple[str, str]]:
    """What somebody is told by an act: of which kind, in which words."""
    before = set(Announcement.objects.values_list("pk", flat=True))
    with committing():
        act()
    rows = Announcement.objects.filter(user=user).exclude(pk__in=before).order_by("pk")
    return [(row.kind, row.words) for row in rows]


# -- who may -------------------------------------------------------------------------------------


def test_somebody_follows_and_does_so_no_more(cleo: User, season: Season) -> None:
    revision = Season.objects.get(pk=season.pk).revision
    follow(cleo, season)
    assert following_of(season, cleo) == (1, True)
    assert following_of(season, user_named("ben")) == (1, False)
    assert [each.season for each in seasons_followed(cleo)] == [season]
    refused("follow.already", season_follow, acting_user=cleo, season=season)
    season_unfollow(acting_user=cleo, season=season)
    assert following_of(season, cleo) == (0, False)
    refused("follow.none", season_unfollow, acting_user=cleo, season=season)
    # Nobody who looks at the season is to ask for it anew on that account.
    assert Season.objects.get(pk=season.pk).revision == revision
    # That they did something is recorded, and not of which season: others read that.
    rows = AuditEntry.objects.filter(who=cleo).order_by("pk")
    about = rows.values_list("action", "target_type", "target_id", "data")
    assert list(about) == [
        (action, "accounts.user", str(cleo.pk), {})
        for action in ("season.follow", "season.unfollow")
    ]


def test_the_database_has_each_once(cleo: User, season: Season) -> None:
    follow(cleo, season)
    with pytest.raises(IntegrityError), transaction.atomic():
        SeasonFollow.objects.create(season=season, user=cleo)


def test_whoever_is_told_anyway_does_not_follow(orla: User, season: Season) -> None:
    refused("follow.own", season_follow, acting_user=orla, season=season)
    refused("follow.own", season_follow, acting_user=account(season, 1), season=season)
    contestant_withdraw(acting_user=orla, contestant=who(season, 1), why="Moved.", at=START)
    assert follow(account(season, 1), season)


def test_what_is_not_public_or_over_is_not_followed(orla: User, cleo: User, season: Season) -> None:
    draft = season_create(acting_user=orla, name="Secret", format="swiss", settings={}, at=START)
    refused("season.none", season_follow, acting_user=cleo, season=draft)
    root = User.objects.get(username="root")
    refused("season.draft", season_follow, acting_user=root, season=draft)
    season_cancel(acting_user=orla, season=season, why="Nobody came.", at=START)
    refused("follow.over", season_follow, acting_user=cleo, season=season)
    season_archive(acting_user=orla, season=season, at=START)
    refused("season.archived", season_follow, acting_user=cleo, season=season)


def test_nobody_follows_without_end(
    cleo: User, orla: User, season: Season, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follows, "FOLLOWED_MAX", 1)
    follow(cleo, season)
    other = season_create(acting_user=orla, name="Other", format="swiss", settings={}, at=START)
    season_list(acting_user=orla, season=other, at=START)
    refused("follow.many", season_follow, acting_user=cleo, season=other)


# -- what they hear ------------------------------------------------------------------------------


def test_the_course_of_a_season_is_heard(orla: User, cleo: User, season: Season) -> None:
    follow(cleo, season)
    told = heard(cleo, lambda: season_start(acting_user=orla, season=season, at=START))
    # The first episode begins with it: once.
    assert [kind for kind, _words in told] == [FOLLOW_SEASON]
    assert told[0][1].startswith("Autumn: Autumn begins with 4 contestants.")
    assert "Episode 1" in told[0][1]

    meeting = chosen(orla, season, ec=1, dmo=2)
    told = heard(
        cleo,
        lambda: leg_schedule(
            acting_user=orla, leg=leg_of(meeting), scheduled_at=NOON, at=after(minutes=1)
        ),
    )
    assert [kind for kind, _words in told] == ["follow.time"]
    assert "Player 1 vs Player 2" in told[0][1]
    assert "(UTC)" in told[0][1]
    told = heard(cleo, lambda: begun(orla, meeting, at=NOON))
    assert [kind for kind, _words in told] == ["follow.live"]
    ended = NOON + timedelta(hours=1)
    told = heard(cleo, lambda: ruled_for(orla, meeting, 1, ended))
    # Who is out is said with the result, and that the next episode begins by itself.
    assert [kind for kind, _words in told if kind == "follow.result"] == ["follow.result"]
    words = dict(told)["follow.result"]
    assert "Player 1 is given the win against Player 2" in words
    assert "Player 2 is eliminated" in words
    subjects = Announcement.objects.filter(user=cleo, kind="follow.result")
    assert not any("win" in row.subject for row in subjects)


def ruled_for(orla: User, meeting: Any, number: int, at: Any) -> None:
    death_match_declare(
        acting_user=orla,
        death_match=meeting,
        winner=who(meeting.round.season, number),
        why="Power cut.",
        at=at,
    )


def test_whoever_wants_no_news_of_seasons_hears_of_the_first_episode(
    orla: User, cleo: User, season: Season
) -> None:
    follow(cleo, season)
    choices_set(acting_user=cleo, chosen={(FOLLOW_SEASON, Way.MAIL): When.OFF})
    told = heard(cleo, lambda: season_start(acting_user=orla, season=season, at=START))
    assert {kind for kind, _words in told} == {FOLLOW_SEASON, FOLLOW_ROUND}


def test_corrections_and_what_is_void_are_heard(orla: User, cleo: User) -> None:
    season = running(orla, 4)
    meeting = chosen(orla, season, ec=1, dmo=2)
    follow(cleo, season)
    leg = begun(orla, meeting, at=after(minutes=1))
    told = heard(
        cleo, lambda: leg_void(acting_user=orla, leg=leg, why="Power cut.", at=after(minutes=2))
    )
    assert [kind for kind, _words in told] == ["follow.result"]
    assert "void" in told[0][1]
    with committing():
        ruled_for(orla, meeting, 1, after(minutes=3))
    told = heard(
        cleo,
        lambda: death_match_correct(
            acting_user=orla,
            death_match=meeting,
            winner=who(season, 2),
            why="Misread.",
            at=after(minutes=4),
        ),
    )
    (words,) = [words for kind, words in told if kind == "follow.result"]
    assert "is corrected: Player 2 has won" in words
    assert "Player 1 is eliminated" in words


def test_a_departure_is_heard_once_the_season_has_begun(
    orla: User, cleo: User, season: Season
) -> None:
    follow(cleo, season)

    def leave(number: int, **at: Any) -> Callable[[], object]:
        return lambda: contestant_withdraw(
            acting_user=orla, contestant=who(season, number), why="Moved.", at=after(**at)
        )

    assert heard(cleo, leave(4)) == []
    contestant_enrol(acting_user=orla, season=season, user=user_named("player9"), seed=9, at=START)
    season_start(acting_user=orla, season=season, at=after(minutes=1))
    told = heard(cleo, leave(3, minutes=2))
    assert [kind for kind, _words in told] == ["follow.result"]


def test_what_is_taken_back_is_heard_with_who_is_back_in(orla: User, cleo: User) -> None:
    season = running(orla, 4)
    meeting = chosen(orla, season, ec=1, dmo=2)
    follow(cleo, season)
    with committing():
        death_match_walkover(
            acting_user=orla, death_match=meeting, winner=who(season, 1), why="Away.",
            at=after(minutes=1),
        )  # fmt: skip
    told = heard(
        cleo,
        lambda: death_match_reopen(
            acting_user=orla, death_match=meeting, why="They came.", at=after(minutes=2)
        ),
    )
    assert len(told) == 1, told
    ((kind, words),) = told
    assert kind == "follow.result"
    assert "is to be played after all: They came." in words
    assert "Player 2 is back in." in words


def test_who_comes_back_is_heard(orla: User, cleo: User) -> None:
    season = running(orla, 4)
    gone = contestant_withdraw(
        acting_user=orla, contestant=who(season, 4), why="Ill.", at=after(minutes=1)
    )
    follow(cleo, season)
    told = heard(
        cleo,
        lambda: contestant_return(
            acting_user=orla, contestant=gone, why="Well.", at=after(minutes=2)
        ),
    )
    ((kind, words),) = told
    assert kind == "follow.result"
    assert "Player 4 is back in: Well." in words


def test_what_a_departure_decides_is_heard_with_it(orla: User, cleo: User) -> None:
    season = running(orla, 4, "swiss")
    follow(cleo, season)
    told = heard(
        cleo,
        lambda: contestant_withdraw(
            acting_user=orla, contestant=who(season, 1), why="Ill.", at=after(minutes=1)
        ),
    )
    ((kind, words),) = told
    assert kind == "follow.result"
    assert "Player 1 withdraws: Ill." in words
    assert "wins" in words


def test_who_has_not_chosen_is_no_news_of_followers_nor_of_feeds(
    orla: User, cleo: User, client: Client
) -> None:
    season = running(orla, 4)
    follow(cleo, season)
    for code in ({"code": "leg.busy"}, {}):
        told = heard(
            cleo,
            lambda data=code: season_event(  # type: ignore[misc]
                season=season, kind="ruling", words="A hitch.", data=data, at=after(minutes=1)
            ),
        )
        assert told == []
    for address in (f"/seasons/{season.slug}/feed.atom", "/seasons/feed.atom"):
        answer = client.get(address)
        assert answer.status_code == 200
        assert b"A hitch" not in answer.content


def test_the_winner_is_heard_by_whoever_follows_and_once_by_whoever_is_out(
    orla: User, cleo: User
) -> None:
    season = down_to_two(orla)
    out = account(season, 3)
    for user in (cleo, out):
        follow(user, season)
    final = final_open(acting_user=orla, season=season, best_of=1, games=[WARS], at=START)

    def ends() -> None:
        with committing():
            ruled_for(orla, final, 1, after(hours=1))

    before = set(Announcement.objects.values_list("pk", flat=True))
    ends()
    rows = Announcement.objects.exclude(pk__in=before)
    told = {
        user.username: sorted(rows.filter(user=user).values_list("kind", flat=True))
        for user in (cleo, out)
    }
    assert told == {
        "cleo": ["follow.result", "follow.winner"],
        "player3": ["follow.result", "season.news"],  # which had played, and is told so
    }


# -- who does not --------------------------------------------------------------------------------


def test_nobody_hears_as_a_follower_what_they_are_told_otherwise(
    orla: User, cleo: User, season: Season
) -> None:
    """Whoever began to follow, and is in it or runs it by now; who only helps is told nothing else,
    and hears."""
    enters, runs, shut_out = (user_named(name) for name in ("enters", "runs", "shut"))
    season.organisers.create(user=cleo, role="helper", rights=["people"])
    for user in (enters, runs, shut_out, cleo):
        follow(user, season)
    contestant_enrol(acting_user=orla, season=season, user=enters, seed=9, at=START)
    season.organisers.create(user=runs)
    root = User.objects.get(username="root")
    user_suspend(acting_user=root, user=shut_out, reason="Rude", until=None)
    with committing():
        season_start(acting_user=orla, season=season, at=START)
    told = Announcement.objects.filter(kind__in=FOLLOWED_KINDS)
    assert set(told.values_list("user__username", flat=True)) == {"cleo"}


def test_of_a_hidden_season_nobody_hears_and_what_waited_never_goes_out(
    orla: User, cleo: User, season: Season
) -> None:
    follow(cleo, season)
    assert heard(
        cleo,
        lambda: season_cancel(acting_user=orla, season=season, why="A secret.", at=START),
    )
    assert AnnouncementDelivery.objects.filter(announcement__user=cleo, in_digest=True).exists()
    with committing():
        season_unlist(acting_user=orla, season=season, at=after(minutes=1))
    assert not Announcement.objects.filter(user=cleo).exists()
    assert not digest_send(user_id=cleo.pk)
    assert seasons_followed(cleo) == []


def test_whoever_has_unfollowed_a_season_keeps_nothing_of_it_once_it_is_hidden(
    orla: User, cleo: User, season: Season
) -> None:
    follow(cleo, season)
    assert heard(
        cleo,
        lambda: season_cancel(acting_user=orla, season=season, why="A secret.", at=START),
    )
    season_unfollow(acting_user=cleo, season=season)
    with committing():
        season_unlist(acting_user=orla, season=season, at=after(minutes=1))
    assert not Announcement.objects.filter(user=cleo).exists()


def test_an_event_that_no_worker_told_of_is_not_told_of_a_draft(
    orla: User, cleo: User, season: Season, workers: Workers
) -> None:
    follow(cleo, season)
    workers.at_once.clear()
    with committing():
        season_cancel(acting_user=orla, season=season, why="A secret.", at=START)
        season_unlist(acting_user=orla, season=season, at=after(minutes=1))
    for pk in list(EventNotice.objects.values_list("pk", flat=True)):
        notices.event_announce(pk)
    assert not Announcement.objects.filter(user=cleo).exists()


def test_whoever_is_gone_follows_nothing(cleo: User, season: Season) -> None:
    follow(cleo, season)
    with committing():
        user_close(acting_user=User.objects.get(username="root"), user=cleo, reason="Asked for it.")
    assert not SeasonFollow.objects.exists()


def test_accounts_that_are_one_follow_once(orla: User, cleo: User, season: Season) -> None:
    twin = user_named("twin")
    for user in (cleo, twin):
        follow(user, season)
    root = User.objects.get(username="root")
    user_merge(acting_user=root, keep=cleo, duplicate=twin, reason="The same person.")
    assert [each.user for each in SeasonFollow.objects.all()] == [cleo]


# -- what it costs -------------------------------------------------------------------------------


@pytest.mark.parametrize("unmatched", [True, False])
def test_a_feed_of_many_seasons_costs_as_much_as_one_of_few(
    orla: User, client: Client, unmatched: bool
) -> None:
    def asked(count: int) -> int:
        for _ in range(count):
            made = enrolled(orla, 2)
            if unmatched:
                made.contestants.filter(pk=who(made, 1).pk).update(user=None)
        with CaptureQueriesContext(connection) as queries:
            answer = client.get("/seasons/feed.atom")
        assert answer.status_code == 200
        assert ("no account here" in answer.content.decode()) is False
        return len(queries)

    asked(1)  # what is looked up once for a process
    assert asked(2) == asked(6)


def crowd(season: Season, count: int, start: int = 0) -> None:
    people = User.objects.bulk_create(
        User(username=f"fan{number}") for number in range(start, start + count)
    )
    SeasonFollow.objects.bulk_create(SeasonFollow(season=season, user=each) for each in people)


def cost(season: Season, event: SeasonEvent) -> int:
    Announcement.objects.all().delete()
    with CaptureQueriesContext(connection) as asked, committing():
        assert notices.event_announce(event.pk) >= SeasonFollow.objects.count()
    return len(asked)


def test_a_thousand_who_follow_cost_as_much_as_ten(
    orla: User, season: Season, workers: Workers
) -> None:
    workers.at_once.clear()
    season_start(acting_user=orla, season=season, at=START)
    event = season.events.get(kind="season.started")
    crowd(season, 10)
    few = cost(season, event)
    crowd(season, 990, 10)
    assert cost(season, event) == few


def test_who_follows_costs_the_act_itself_nothing(orla: User, workers: Workers) -> None:
    workers.at_once.clear()

    def asked(name: str, count: int) -> int:
        made = season_create(
            acting_user=orla, name=name, format="elimination", settings={}, at=START
        )
        season_list(acting_user=orla, season=made, at=START)
        crowd(made, count, 0 if name == "Alone" else 1)
        with CaptureQueriesContext(connection) as queries, committing():
            season_cancel(acting_user=orla, season=made, why="Nobody came.", at=START)
        return len(queries)

    assert asked("Alone", 0) == asked("Crowded", 100)


def test_whoever_follows_is_told_once_however_often_it_is_tried(
    orla: User, cleo: User, season: Season
) -> None:
    follow(cleo, season)
    with committing():
        season_start(acting_user=orla, season=season, at=START)
    event = season.events.get(kind="season.started")
    assert notices.event_announce(event.pk) == 0
    assert Announcement.objects.filter(user=cleo).count() == 1


def test_by_default_results_come_once_a_day_and_what_is_live_at_once() -> None:
    chosen_ = {
        key: [kinds.kind_of(key).default(way) for way in (Way.MAIL, Way.PUSH, Way.DISCORD)]
        for key in FOLLOWED_KINDS
    }
    live = chosen_.pop("follow.live")
    assert live == [When.OFF, When.NOW, When.NOW]
    assert {tuple(each) for each in chosen_.values()} == {(When.DIGEST, When.OFF, When.OFF)}


def test_a_refusal_of_what_is_not_there_says_so(cleo: User, season: Season) -> None:
    Season.objects.filter(pk=season.pk).update(visibility="draft")
    with pytest.raises(Refusal) as raised:
        follow(cleo, season)
    assert raised.value.code == "season.none"
    assert organiser_named("olga")  # an organiser of others sees no draft either
