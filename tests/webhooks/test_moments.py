"""What is told late says what it would have said at once: of every kind of event, to programs, to
Discord and by mail. Only a whole run tells of each kind of event alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from django.core.cache import cache

from accounts.models import Announcement, User
from core.clock import now_utc
from tests.games.support import T0, committing, user_named
from tests.games.test_rulings import confirmed
from tests.support import depth
from tests.support.workers import Workers
from tests.tournaments.support import (
    GAME,
    START,
    chosen,
    enrolled,
    episode_now,
    fresh,
    leg_of,
    played,
    running,
    who,
)
from tests.webhooks.receiver import Receiver, Taken, receiving
from tests.webhooks.support import Stage
from tournaments import notices
from tournaments.formats.elimination.choice import choice_expire, dmo_choose
from tournaments.formats.elimination.final import final_open
from tournaments.jobs import ANNOUNCE_EVENT, WEBHOOK_TURN
from tournaments.models import Contestant, DeathMatch, Round, Season, SeasonEvent
from tournaments.services import legs
from tournaments.services.contestants.departures import contestant_replace, contestant_withdraw
from tournaments.services.items.gifts import item_give
from tournaments.services.items.returns import item_take_back
from tournaments.services.legs import ms
from tournaments.services.results import corrections, rulings
from tournaments.services.rounds import round_next
from tournaments.services.scheduling.appointments import leg_schedule
from tournaments.services.scheduling.sweep import legs_sweep
from tournaments.services.seasons import season_cancel
from tournaments.services.starts import season_start
from tournaments.webhooks import services
from tournaments.webhooks import tasks as tasks_of_webhooks
from tournaments.webhooks.kinds import CHOICES, CLOCK, OF_MATCHES, TURN
from tournaments.webhooks.models import Delivery, Webhook

pytestmark = pytest.mark.django_db

OF_SEASONS = [kind for kind in CHOICES if kind not in OF_MATCHES]
_AT_ONCE = 1 if depth.whole else 6
TOLD_TOGETHER = [
    OF_SEASONS[first : first + _AT_ONCE] for first in range(0, len(OF_SEASONS), _AT_ONCE)
]


@pytest.fixture(autouse=True)
def clock(set_clock: Callable[[int], None]) -> None:
    set_clock(0)


@pytest.fixture
def later() -> Iterator[Receiver]:
    with receiving() as there:
        yield there


class Twins:
    """Two receivers of each flavour: of the one pair everything is taken at once."""

    def __init__(self, stage: Stage, prompt: Receiver, late: Receiver) -> None:
        self.stage = stage
        self.receivers = prompt, late
        self.webhooks: list[tuple[Webhook, Webhook]] = [
            self._made(receiver, str(number)) for number, receiver in enumerate(self.receivers)
        ]

    def _made(self, receiver: Receiver, name: str) -> tuple[Webhook, Webhook]:
        stage = self.stage
        return (
            stage.webhook(receiver.url, name=f"program {name}"),
            stage.webhook(receiver.discord_url, name=f"talk {name}", flavour="discord"),
        )

    def deliver(self, which: int) -> None:
        for webhook in self.webhooks[which]:
            while self.stage.drain(webhook):
                pass

    def must_be_alike(self, count: int) -> None:
        """What was told at once was told late as well, among what came after it."""
        prompt, late = ([_said(taken) for taken in receiver.taken] for receiver in self.receivers)
        assert len(prompt) == count
        assert [said for said in late if said in prompt] == prompt, late


def _said(taken: Taken) -> Any:
    """A delivery without the id that only it has."""
    if "gauntlet-signature" in taken.headers:
        return taken.json | {"id": ""}
    return taken.message, taken.parts.get("files[0]")


@contextmanager
def everything_changes(stage: Stage) -> Iterator[None]:
    """Once it is left, nothing that an event could be asked about is as it was."""
    yield
    Season.objects.filter(pk=stage.season.pk).update(name="Winter", slug="winter")
    stage.round.name, stage.round.status = "The first", "closed"
    stage.round.closed_at = now_utc()
    stage.round.save()
    for contestant in (stage.home, stage.away):
        Contestant.objects.filter(pk=contestant.pk).update(name=f"{contestant.name} the Second")
    DeathMatch.objects.filter(pk=stage.death_match.pk).update(
        status="decided", winner=stage.away, how="played", decided_at=now_utc()
    )


@pytest.mark.parametrize("kinds", TOLD_TOGETHER, ids=" ".join)
def test_an_event_tells_of_its_own_moment(
    stage: Stage, receiver: Receiver, later: Receiver, kinds: list[str]
) -> None:
    stage.season.format = "swiss"
    stage.season.save()
    play = stage.play()
    play.move(0, "pick T", 1000)
    play.move(1, "pick L", 2000)
    twins = Twins(stage, receiver, later)
    about = {
        "round": stage.round,
        "death_match": stage.death_match,
        "leg": stage.leg,
        "contestant": stage.home,
    }
    with everything_changes(stage):
        for kind in kinds:
            words = f"It happens: {kind}."
            stage.event(kind, words, data={"names": ["Ada", "Ben"]}, **about)
        twins.deliver(0)
        play.move(0, "first", 3000)
        play.move(0, "concede", 4000)
    twins.deliver(1)
    twins.must_be_alike(2 * len(kinds))


def test_a_turn_tells_of_its_own_moment(stage: Stage, receiver: Receiver, later: Receiver) -> None:
    twins = Twins(stage, receiver, later)
    play = stage.play()
    with everything_changes(stage):
        play.move(0, "pick T", 1000)
        play.move(1, "pick L", 2000)
        twins.deliver(0)
        with stage.patch.context() as patch:
            # Of the later turns no worker hears, or they would overtake the one that waits.
            patch.setattr(tasks_of_webhooks, "turn_deliveries_write", lambda **_turn: None)
            play.move(0, "first", 3000)
            play.move(0, "concede", 4000)
    twins.deliver(1)
    twins.must_be_alike(4)


def test_of_turns_told_late_the_latest_is_told_with_its_own_board(
    stage: Stage, receiver: Receiver
) -> None:
    """A worker hears of a turn when the next has been played: it tells of that one, once."""
    webhook = stage.webhook(receiver.url, kinds=[TURN])
    play = stage.play()
    announce = stage.workers.at_once.pop(WEBHOOK_TURN)
    play.move(0, "pick T", 1000)
    play.move(1, "pick L", 2000)
    play.move(0, "first", 3000)
    for match_id, version in stage.workers.of(WEBHOOK_TURN):
        announce(match_id, version)
    stage.drain(webhook)
    (taken,) = receiver.taken
    assert taken.json["match"]["version"] == 3


def test_a_clock_tells_of_the_moment_it_was_announced(
    stage: Stage, receiver: Receiver, later: Receiver
) -> None:
    twins = Twins(stage, receiver, later)
    for pair in twins.webhooks:
        for webhook in pair:
            Webhook.objects.filter(pk=webhook.pk).update(kinds=[CLOCK])
    play = stage.play()
    with everything_changes(stage):
        wake_at = play.match.wake_at
        assert wake_at is not None
        play.wake(wake_at - T0)
        twins.deliver(0)
    twins.deliver(1)
    twins.must_be_alike(2)
    before = Delivery.objects.count()
    tasks_of_webhooks.announce_clock(play.pk, 0, "turn", 30_000, ms(now_utc()) - 31_000)
    assert Delivery.objects.count() == before  # it has run out by now


# -- in what order services tell -----------------------------------------------------------------


@pytest.fixture
def channel(orla: User, receiver: Receiver, workers: Workers) -> Callable[..., Any]:
    """A season's messages for Discord, each with the lines below its title; by kind."""

    def listening(season: Season) -> Callable[[], dict[str, list[list[str]]]]:
        with committing():
            services.webhook_create(
                acting_user=orla, season=season, name="talk", url=receiver.discord_url,
                flavour="discord", kinds=OF_SEASONS,
            )  # fmt: skip

        def told() -> dict[str, list[list[str]]]:
            found: dict[str, list[list[str]]] = {}
            for each in Delivery.objects.filter(webhook__season=season).order_by("pk"):
                (embed,) = json.loads(each.body)["embeds"]
                lines = embed.get("description", "").splitlines()
                found.setdefault(each.kind, []).append(lines)
            return found

        return told

    return listening


@pytest.mark.parametrize(
    ("kind", "count"), [("swiss", 5), ("round-robin", 4), ("single-elimination", 4)]
)
def test_a_rounds_pairings_are_there_when_it_is_told_of(
    orla: User, channel: Callable[..., Any], kind: str, count: int
) -> None:
    season = enrolled(orla, count, kind)
    told = channel(season)
    with committing():
        season_start(acting_user=orla, season=season, at=START)
    (pairings,) = told()["round.opened"]
    assert len(pairings) == (count + 1) // 2, pairings


def test_so_are_the_two_of_a_final(orla: User, channel: Callable[..., Any]) -> None:
    season = running(orla, 3)
    with committing():
        played(orla, chosen(orla, season, 3, 2), 1)
    told = channel(season)
    with committing():
        final_open(acting_user=orla, season=season, at=START)
    assert told()["round.opened"] == [["Player 1 vs Player 2"]]


def test_a_complete_round_has_its_own_points_and_not_the_next_ones(
    orla: User, channel: Callable[..., Any]
) -> None:
    """The bye of round 2 is in the table by the time that the round is told of."""
    season = running(orla, 3, "swiss", format_options={"rounds": 2})
    told = channel(season)
    for row in list(season.rounds.get(number=1).death_matches.filter(status="planned")):
        with committing():
            played(orla, row, 0)
    with committing():
        round_next(acting_user=orla, season=season, at=START)
    (lines,) = told()["round.closed"]
    table = lines[lines.index("**Standings**") + 1 :]
    points = sorted(line.split()[-2] for line in table)
    assert points == ["0", "1", "1"], table


# -- mail ----------------------------------------------------------------------------------------


def test_every_letter_tells_of_its_own_moment(  # noqa: PLR0915  (a season, from end to end)
    orla: User, workers: Workers, set_clock: Callable[[int], None]
) -> None:
    """Written at once and once more when all is over: the same words to the same people."""
    prompt: dict[int, list[tuple[str, str, str]]] = {}

    seconds = count(1)

    def tick() -> None:
        """What happens at the same instant is one act."""
        set_clock(1000 * next(seconds))

    def write(event_id: int) -> list[tuple[str, str, str]]:
        Announcement.objects.all().delete()
        with committing():
            notices.event_announce(event_id)
        told = Announcement.objects.values_list("user__username", "subject", "words")
        return sorted(told)

    workers.at_once[ANNOUNCE_EVENT] = lambda event: prompt.update({event: write(event)})
    with committing():
        season = running(orla, 5)
    now = now_utc()
    with committing():
        row = chosen(orla, season, 5, 4, now, timedelta(milliseconds=1))

    def scheduled(*, acting_user: User, death_match: DeathMatch) -> None:
        at = now + timedelta(days=2)
        leg_schedule(acting_user=acting_user, leg=leg_of(death_match), scheduled_at=at)

    def begins(*, acting_user: User, death_match: DeathMatch) -> None:
        legs.leg_start(acting_user=acting_user, leg=leg_of(death_match), waits=False)

    last, first = who(season, 5), who(season, 4)
    for action, more in (
        (legs.rules_set, {"ruleset": GAME["ruleset"], "variant": GAME["variant"]}),
        (scheduled, {}),
        (rulings.death_match_walkover, {"winner": last, "why": "Alone."}),
        (corrections.death_match_correct, {"winner": first, "why": "A slip."}),
        (corrections.death_match_reopen, {"why": "Play it."}),
        (begins, {}),
        (corrections.death_match_void, {"why": "Wrong two."}),
    ):
        tick()
        with committing():
            action(acting_user=orla, death_match=fresh(row), **more)
    episode = episode_now(season)
    assert episode.choose_by is not None
    with committing():
        assert choice_expire(episode=episode, at=episode.choose_by + timedelta(minutes=1))
        again = dmo_choose(
            acting_user=orla, episode=episode_now(season), contestant=who(season, 3),
            at=episode.choose_by + timedelta(minutes=2),
        )  # fmt: skip
        tick()
        leg_schedule(acting_user=orla, leg=leg_of(again), scheduled_at=now + timedelta(days=2))
        heir = user_named("newcomer")
        confirmed(heir)
        tick()
        contestant_replace(acting_user=orla, contestant=who(season, 3), user=heir, why="Ill.")
        legs_sweep(at=now + timedelta(days=2, hours=1))
        tick()
        gift = item_give(
            acting_user=orla, season=season, item="domino-repeat", ruleset="domino-wars",
            receiver=who(season, 1),
        )  # fmt: skip
        tick()
        item_take_back(acting_user=orla, gift=gift, why="A slip.")
        tick()
        contestant_withdraw(acting_user=orla, contestant=who(season, 2), why="Ill.")
        tick()
        season_cancel(acting_user=orla, season=season, why="It rains.")
    # Whatever else is announced goes to those who follow the season.
    lettered = SeasonEvent.objects.filter(pk__in=prompt, kind__in=notices._LETTERS)
    of_kind = dict(lettered.values_list("pk", "kind"))
    # A season that is called off has no winner, and whoever was away when one of several matches
    # ended is told how that ended: of which nothing changes.
    told = set(notices._LETTERS) - {"season.finished", "death-match.leg"}
    assert set(of_kind.values()) == told
    # Of a correction one is told that they are back, the other that they are out.
    assert {kind for event, kind in of_kind.items() if prompt[event]} == told - {
        "death-match.corrected"
    }
    # The season goes on.
    Round.objects.update(name="The first")
    cache.clear()
    late = {event: write(event) for event in prompt}
    # What everybody is told goes to whoever has come since, too.
    (begun,) = [event for event, kind in of_kind.items() if kind == "season.started"]
    late[begun] = [each for each in late[begun] if each[0] != heir.username]
    prompt[begun] = [each for each in prompt[begun] if each in late[begun]]
    assert late == prompt
