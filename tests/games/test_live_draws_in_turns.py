"""What players add to the draws of a match at an hour a turn or more, whom nobody makes be there
together: it waits until both have looked in, and for no longer than it says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import unescape
from random import Random
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from accounts.announcing.tasks import push
from accounts.jobs import PUSH
from accounts.models import User
from games import store
from games.jobs import TELL_TURN
from games.models import MatchDraws
from games.options import pace
from games.reading.checking import match_check
from games.reading.selectors import matches_to_move
from games.rulesets import REGISTRY
from games.services.announcing import ANY_TURN, turn_announce
from games.services.arrivals import match_attend, match_ready, nonce_commit, nonce_open
from games.services.challenges import challenge_accept, challenge_create
from games.services.outage import beat_record, match_give_back
from games.services.turns import Ack, match_organise
from tests.accounts.test_push import switched_on
from tests.games.support import (
    SECOND,
    T0,
    Play,
    Wire,
    committing,
    nothing_changes,
    refused,
    started,
)
from tests.games.test_live_draws import (
    ALONE,
    BOTH,
    COMMITMENTS,
    NOBODY,
    NONCES,
    SOUND,
    attend,
    commit,
    conceded,
    drawn,
    opens,
    said,
    view_of,
    wake,
)
from tests.support.push_service import Browser, pushing
from tests.support.workers import Workers

HOUR = 3600 * SECOND
WAIT = settings.GAUNTLET_GATHER_SLOW_MS
HALF = WAIT // 2
ADA, BEN = (True, False), (False, True)
ADDED = "added a number to what is drawn"
NONE_ADDED = "added no number to what is drawn"
CONSTANT = "did not open their number in time: a constant stands for it"


def slow(players: tuple[User, User], pace_id: str = "daily", **more: Any) -> Play:
    chosen = next(each for each in pace.PACES if each.id == pace_id)
    options = pace.options_at(REGISTRY.get("domain"), chosen)
    return started(players, "domain", options=options, **{"waits": True, "advantage": None, **more})


@pytest.fixture
def waiting(ada: User, ben: User) -> Play:
    return slow((ada, ben))


def comes(play: Play, seat: int, at: int, *, adds: bool = True) -> bool:
    """A player's page comes, as its socket does: first what it commits to, then that they are
    there. Whether the match has begun."""
    if adds:
        commit(play, seat, at=at)
    return attend(play, at=at, there=(seat == 0, seat == 1))


def is_on(play: Play) -> bool:
    return bool(view_of(play)["phase"] == "on")


def awaited(play: Play) -> list[int]:
    """The seats for which it waits, as its players' lists have it."""
    return [seat for seat, user in enumerate(play.players) if play.pk in matches_to_move(user)]


# -- beginning -----------------------------------------------------------------------------------


def test_they_come_one_after_the_other_and_each_opens_when_they_are_there(waiting: Play) -> None:
    assert view_of(waiting)["waiting"] == {
        "until": T0 + WAIT,
        "ready": [False, False],
        "certain": True,
        "gathers_until": T0 + HALF,
    }
    assert awaited(waiting) == [0, 1]
    assert comes(waiting, 0, HOUR) is False
    assert view_of(waiting)["waiting"]["ready"] == [True, False]
    assert awaited(waiting) == [1]
    refused(
        "draws.early", nonce_open, match_id=waiting.pk, acting_user=waiting.players[0], seat=0,
        nonce=NONCES[0], at=T0 + 2 * HOUR,
    )  # fmt: skip
    # Hours later the other one comes, opens at once, and leaves.
    assert comes(waiting, 1, 3 * HOUR) is False
    assert view_of(waiting)["waiting"]["opens_until"] == T0 + WAIT
    opens(waiting, 1, at=3 * HOUR + SECOND)
    assert (is_on(waiting), drawn(waiting), waiting.match.deadline_at) == (False, [], None)
    assert awaited(waiting) == [0]
    # The first one looks in once more.
    assert attend(waiting, at=5 * HOUR, there=ADA) is False
    opens(waiting, 0, at=5 * HOUR)
    assert is_on(waiting)
    assert said(waiting) == [(0, ADDED), (1, ADDED), (None, SOUND)]
    deadline = waiting.match.deadline_at
    assert deadline is not None
    assert deadline > T0 + 5 * HOUR  # no clock ran before
    assert match_check(waiting.pk).faults == ()
    found = conceded(waiting, at=6 * HOUR)
    assert [each["nonce"] for each in found["nonces"]] == [*NONCES]
    assert match_check(waiting.pk).faults == ()


def test_both_are_there_and_it_begins_at_once(waiting: Play) -> None:
    for seat in (0, 1):
        commit(waiting, seat, at=HOUR)
    assert attend(waiting, at=HOUR, there=BOTH) is False
    for seat in (0, 1):
        opens(waiting, seat, at=HOUR + SECOND)
    assert is_on(waiting)


@pytest.mark.parametrize("first", [0, 1])
def test_two_who_bring_nothing_need_not_be_there_together(waiting: Play, first: int) -> None:
    """As programs and pages without scripts do: nobody is held up by them."""
    assert comes(waiting, first, HOUR, adds=False) is False
    with nothing_changes():
        assert comes(waiting, first, HOUR + SECOND, adds=False) is False
    assert comes(waiting, 1 - first, 2 * HOUR, adds=False) is True
    assert said(waiting) == [(None, ALONE)]
    assert conceded(waiting, at=3 * HOUR)["nonces"] == [{}, {}]


def test_a_program_that_says_that_it_is_there_has_been_there(waiting: Play) -> None:
    def ready(seat: int, at: int, **more: Any) -> bool:
        user = waiting.players[seat]
        with committing():
            return match_ready(
                match_id=waiting.pk, acting_user=user, seat=seat, there=NOBODY, at=T0 + at, **more
            )

    assert ready(1, HOUR) is False
    assert awaited(waiting) == [0]
    assert ready(0, 2 * HOUR, commitment=COMMITMENTS[0]) is False
    assert "opens_until" in view_of(waiting)["waiting"]
    assert ready(0, 2 * HOUR, nonce=NONCES[0]) is True
    assert said(waiting) == [(0, ADDED), (1, NONE_ADDED), (None, SOUND)]


def test_one_who_adds_nothing_leaves_the_other_to_open_theirs(waiting: Play) -> None:
    """With what they have by then: as long as they are not there they may commit anew."""
    commit(waiting, 0, "ff" * 32, at=HOUR)
    attend(waiting, at=HOUR, there=ADA)
    assert comes(waiting, 1, 2 * HOUR, adds=False) is False
    assert "opens_until" not in view_of(waiting)["waiting"]
    assert awaited(waiting) == [0]
    assert comes(waiting, 0, 3 * HOUR) is False  # by another device
    opens(waiting, 0, at=3 * HOUR)
    assert said(waiting) == [(0, ADDED), (1, NONE_ADDED), (None, SOUND)]


def test_nobody_commits_once_numbers_are_opened(waiting: Play) -> None:
    comes(waiting, 0, HOUR)
    comes(waiting, 1, 2 * HOUR)
    for seat in (0, 1):
        refused(
            "draws.late", nonce_commit, match_id=waiting.pk, acting_user=waiting.players[seat],
            seat=seat, commitment="ff" * 32, at=T0 + 3 * HOUR,
        )  # fmt: skip
    opens(waiting, 0, at=3 * HOUR)
    opens(waiting, 1, at=3 * HOUR)
    assert is_on(waiting)


# -- who does not come -----------------------------------------------------------------------------


def test_it_begins_when_its_time_is_over_though_nobody_has_come(waiting: Play) -> None:
    assert waiting.match.wake_at == T0 + HALF + 1
    wake(waiting, HALF + 1)
    assert (waiting.match.wake_at, is_on(waiting)) == (T0 + WAIT + 1, False)
    with nothing_changes():
        wake(waiting, WAIT)
    wake(waiting, WAIT + 1)
    assert is_on(waiting)
    assert waiting.match.waits_until is None
    assert said(waiting) == [(None, ALONE)]
    assert match_check(waiting.pk).faults == ()


def test_one_look_is_enough_after_both_instants(waiting: Play) -> None:
    """The sweep finds what no worker did."""
    comes(waiting, 0, HOUR)
    wake(waiting, WAIT + HOUR)
    assert (
        view_of(waiting)["waiting"]["opens_until"] == T0 + WAIT + HOUR + settings.GAUNTLET_NONCE_MS
    )
    wake(waiting, WAIT + 2 * HOUR)
    assert is_on(waiting)
    assert said(waiting)[0] == (0, CONSTANT)


def clocks(play: Play) -> list[int]:
    """Of the seats whose clocks run."""
    return [each["seat"] for each in view_of(play)["decisions"] if each["running"]]


def test_who_stays_away_keeps_no_number_shut(waiting: Play) -> None:
    """From half of the time on it is opened by whoever comes, and they are waited for still: no
    clock of theirs runs before they have looked in, and then the match begins at once."""
    comes(waiting, 1, HOUR)
    wake(waiting, HALF + 1)
    assert view_of(waiting)["waiting"]["opens_until"] == T0 + WAIT
    assert awaited(waiting) == [0, 1]
    refused(
        "draws.late", nonce_commit, match_id=waiting.pk, acting_user=waiting.players[0], seat=0,
        commitment=COMMITMENTS[0], at=T0 + HALF + 2,
    )  # fmt: skip
    opens(waiting, 1, at=HALF + HOUR)
    assert (is_on(waiting), clocks(waiting), awaited(waiting)) == (False, [], [0])
    with nothing_changes():
        wake(waiting, HALF + 2 * HOUR)
    assert attend(waiting, at=HALF + 3 * HOUR, there=ADA) is True
    assert said(waiting) == [(0, NONE_ADDED), (1, ADDED), (None, SOUND)]
    deadline = waiting.match.deadline_at
    assert deadline is not None
    assert deadline >= T0 + HALF + 3 * HOUR + 86_400 * SECOND  # a whole turn


@pytest.mark.parametrize("comes_after_all", [True, False])
@pytest.mark.parametrize("first", [0, 1])
def test_who_comes_first_in_the_second_half_opens_at_once(
    waiting: Play, first: int, comes_after_all: bool
) -> None:
    """And waits for the other then, who begins it by coming, until the time is over."""
    wake(waiting, HALF + 1)
    assert comes(waiting, first, HALF + HOUR) is False
    opens(waiting, first, at=HALF + HOUR)
    assert (is_on(waiting), awaited(waiting)) == (False, [1 - first])
    if comes_after_all:
        assert comes(waiting, 1 - first, WAIT - HOUR, adds=False) is True
    else:
        wake(waiting, WAIT + settings.GAUNTLET_SETTLE_MS + 1)
        assert is_on(waiting)
    told = [(first, ADDED), (1 - first, NONE_ADDED)]
    assert said(waiting) == [*sorted(told), (None, SOUND)]


def test_who_opens_by_program_alone_has_looked_in(waiting: Play) -> None:
    """Though they never said that they were there."""
    commit(waiting, 0, at=HOUR)
    wake(waiting, HALF + 1)
    opens(waiting, 0, at=HALF + HOUR)
    assert view_of(waiting)["waiting"]["ready"] == [True, False]
    assert comes(waiting, 1, HALF + 2 * HOUR, adds=False) is True


@pytest.mark.parametrize("opened", [(), (0,), (1,)])
def test_a_constant_stands_for_what_is_not_opened_in_time(
    waiting: Play, opened: tuple[int, ...]
) -> None:
    comes(waiting, 0, HOUR)
    comes(waiting, 1, 2 * HOUR)
    for seat in opened:
        opens(waiting, seat, at=3 * HOUR)
    wake(waiting, HALF + 1)
    assert not is_on(waiting)
    with nothing_changes():
        wake(waiting, WAIT)
    wake(waiting, WAIT + settings.GAUNTLET_SETTLE_MS + 1)
    assert is_on(waiting)
    assert said(waiting) == [
        *[(seat, ADDED if seat in opened else CONSTANT) for seat in (0, 1)],
        (None, SOUND if opened else ALONE),
    ]
    nonces = conceded(waiting, at=WAIT + HOUR)["nonces"]
    assert ["nonce" in each for each in nonces] == [seat in opened for seat in (0, 1)]


def test_an_outage_makes_every_wait_longer(waiting: Play) -> None:
    down, back = T0 + HALF - HOUR, T0 + HALF + HOUR
    beat_record(at=down)
    beat_record(at=back)
    with committing():
        match_give_back(match_id=waiting.pk, at=back)
    told = view_of(waiting)["waiting"]
    assert (told["gathers_until"], told["until"]) == (T0 + HALF + 2 * HOUR, T0 + WAIT + 2 * HOUR)
    assert waiting.match.wake_at == told["gathers_until"] + 1
    # No clock runs that anything could be said of.
    text = "The service was away for 7200 s. The match waits so much longer for what it waits for."
    assert said(waiting) == [(None, text)]
    assert comes(waiting, 0, HALF + HOUR) is False
    assert "opens_until" not in view_of(waiting)["waiting"]


def test_who_comes_first_after_an_outage_is_late_for_nothing(waiting: Play) -> None:
    """Before anybody has given back what it took."""
    beat_record(at=T0 + HALF - HOUR)
    beat_record(at=T0 + HALF + HOUR)
    assert comes(waiting, 0, HALF + HOUR + SECOND) is False
    told = view_of(waiting)["waiting"]
    assert "opens_until" not in told
    assert told["gathers_until"] == T0 + HALF + 2 * HOUR


def test_a_number_is_opened_after_an_outage_at_the_end_of_the_wait(waiting: Play) -> None:
    comes(waiting, 0, HOUR)
    comes(waiting, 1, 2 * HOUR)
    opens(waiting, 1, at=2 * HOUR)
    beat_record(at=T0 + WAIT - HOUR)
    beat_record(at=T0 + WAIT + HOUR)
    opens(waiting, 0, at=WAIT + HOUR + SECOND)
    assert is_on(waiting)


def test_an_organiser_can_declare_it_void(waiting: Play, orla: User) -> None:
    with committing():
        done = match_organise(
            match_id=waiting.pk, acting_user=orla, client_id="v", text="void", why="Because.",
            at=T0 + HOUR,
        )  # fmt: skip
    assert isinstance(done, Ack)
    assert match_attend(match_id=waiting.pk, there=BOTH, at=T0 + 2 * HOUR) is True
    assert waiting.match.is_over


# -- what waits so ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("turn", "waited_s"), [
    (3600, 3600), (2 * 3600, 7200), (86_400, 12 * 3600), (7 * 86_400, 12 * 3600),
])  # fmt: skip
def test_it_waits_no_longer_than_a_turn(ada: User, ben: User, turn: int, waited_s: int) -> None:
    play = started((ada, ben), options={"turn_time": turn}, waits=True)
    waiting = view_of(play)["waiting"]
    assert waiting["until"] == T0 + waited_s * 1000
    assert waiting["gathers_until"] == T0 + waited_s * 500


@pytest.mark.parametrize("why", ["off", "no seed", "told not to"])
def test_what_begins_at_once(ada: User, ben: User, settings: Any, why: str) -> None:
    if why == "off":
        settings.GAUNTLET_GATHER_SLOW_MS = 0
    more: dict[str, Any] = {"random": Random(3).random} if why == "no seed" else {}
    play = slow((ada, ben), waits=why != "told not to", **more)
    assert play.match.waits_until is None
    assert is_on(play)
    assert said(play) == ([] if why == "no seed" else [(None, ALONE)])


def test_a_challenge_that_is_accepted_waits_so(ada: User, ben: User) -> None:
    with committing():
        challenge = challenge_create(
            acting_user=ada, ruleset_id="domain", variant="standard",
            options={"turn_time": 86_400},
        )  # fmt: skip
        match = challenge_accept(acting_user=ben, challenge=challenge)
    assert store.read(match.pk).live.waiting is not None
    assert match.waits_until is not None


# -- what people are told --------------------------------------------------------------------------


@pytest.fixture
def device(ben: User) -> Iterator[Browser]:
    """Ben's."""
    with pushing() as service:
        browser = service.browser()
        switched_on(ben, browser)
        yield browser


def test_each_is_told_to_look_in_and_once_more_to_open_a_number(
    waiting: Play, device: Browser, workers: Workers
) -> None:
    workers.at_once.update({PUSH: push})

    def told() -> bool:
        with committing():
            return turn_announce(match_id=waiting.pk, seat=1, since=ANY_TURN)

    assert told() is True
    assert told() is False
    assert device.messages[-1].told["subject"] == "Your match against Ada waits for you to look in"
    words = device.messages[-1].told["words"]
    assert "once you have both looked in, and once more where your browser has a number" in words
    comes(waiting, 1, HOUR)
    assert told() is False  # it does not wait for him
    comes(waiting, 0, 2 * HOUR)
    opens(waiting, 0, at=2 * HOUR)
    assert [each[1] for each in workers.of(TELL_TURN)][-1] == 1
    assert told() is True
    assert told() is False
    assert device.messages[-1].told["subject"] == "Your match against Ada waits for your number"
    words = device.messages[-1].told["words"]
    assert "once more with the same browser, on any page of the site" in words
    assert "say on the match's page that it is to begin without" in words
    assert len(device.messages) == 2


def test_pages_and_lists_say_what_it_waits_for(waiting: Play, ada: User, ben: User) -> None:
    room = Client()
    for address in ("/", "/watch/"):
        shown = unescape(room.get(address).content.decode())
        assert "begins when both have looked in and their numbers are open" in shown, address
        assert "begins when both are there" not in shown, address
    page = unescape(room.get(f"/matches/{waiting.pk}/").content.decode())
    assert "once both players have looked in and their numbers are open" in page
    own = Client()
    own.force_login(ada)
    comes(waiting, 0, HOUR)
    assert "begins when both have looked in" in own.get("/").content.decode()
    answer = own.get(f"/api/v1/matches/{waiting.pk}/").json()
    assert answer["view"]["waiting"]["gathers_until"] == T0 + HALF


def test_what_is_refused_meanwhile_says_what_it_waits_for(waiting: Play, orla: User) -> None:
    begins = "The match begins once both players have looked in and their numbers are open."
    answer: Any = waiting.submit(0, "concede", HOUR, version=1)
    assert (answer.code, answer.sentence) == ("match.waiting", begins)
    found = refused(
        "match.waiting", match_organise, match_id=waiting.pk, acting_user=orla, client_id="p",
        text="pause", why="Because.", at=T0 + HOUR,
    )  # fmt: skip
    assert found.sentence.startswith(begins)
    comes(waiting, 0, HOUR)
    comes(waiting, 1, HOUR)  # both have, and it waits still
    answer = waiting.submit(0, "concede", 2 * HOUR, version=waiting.held.readers.versions[0])
    assert (answer.code, answer.sentence) == ("match.waiting", begins)


def test_a_notice_says_that_they_need_not_be_there_together(
    ada: User, ben: User, wire: Wire
) -> None:
    slow((ada, ben))
    frames = [frame for _, frame in wire.frames("match.started")]
    assert frames
    assert {(each["begun"], each.get("in_turns")) for each in frames} == {(False, True)}
    started((ada, ben), waits=True)
    frames = [frame for _, frame in wire.frames("match.started")]
    assert {(each["begun"], each.get("in_turns")) for each in frames} == {(False, None)}


def test_no_number_leaves_the_server_while_it_waits(waiting: Play, wire: Wire, ada: User) -> None:
    comes(waiting, 0, HOUR)
    comes(waiting, 1, 2 * HOUR)
    opens(waiting, 1, at=2 * HOUR)
    secrets = {MatchDraws.objects.get(match=waiting.pk).seed, *NONCES}
    texts = [json.dumps([frame for _, frame in wire.frames()])]
    for user in (None, *waiting.players):
        client = Client()
        if user is not None:
            client.force_login(user)
        texts += [
            client.get(path).content.decode()
            for path in (f"/matches/{waiting.pk}/", f"/api/v1/matches/{waiting.pk}/", "/")
        ]
    assert [each for each in secrets for text in texts if each in text] == []
