"""Matches at a live pace begin when both players are there; open challenges go with their owner."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings
from django.core import mail
from django.test import Client

from accounts.models import User
from accounts.tokens.services import token_create
from games import presence, store
from games.engine.ruleset import HeldItem
from games.engine.views import match_view
from games.models import Challenge, Match
from games.rulesets import REGISTRY
from games.services.announcing import missed_end_announce
from games.services.arrivals import match_attend, match_ready
from games.services.challenges import challenge_accept, challenge_create, challenges_abandon
from games.services.outage import beat_record, match_give_back
from games.services.turns import Ack, match_organise
from games.services.waking import match_wake
from tests.games.support import (
    SECOND,
    T0,
    Play,
    Wire,
    committing,
    nothing_changes,
    record_holds,
    refused,
    started,
)

pytestmark = pytest.mark.usefixtures("letters_go_out")

WAIT = 180 * SECOND
NOBODY, ADA_ONLY, BOTH = (False, False), (True, False), (True, True)


@pytest.fixture
def waiting(ada: User, ben: User) -> Play:
    return started((ada, ben), waits=True)


def reachable(*users: User) -> None:
    """Give them an address that mail can be sent to."""
    for user in users:
        address = f"{user.username}@x.example"
        EmailAddress.objects.create(user=user, email=address, verified=True, primary=True)


def missed_told(match: Match) -> int:
    """How many are told for the first time that it ended without them."""
    with committing():
        return missed_end_announce(match=match)


def shown(play: Play, audience: Any = "room") -> dict[str, Any]:
    held = play.held
    return match_view(held.ruleset, held.live, audience, at=T0)


def attend(play: Play, there: tuple[bool, bool], at: int) -> bool:
    with committing():
        return match_attend(match_id=play.pk, there=there, at=at)


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Who looks at every match, as the services find out."""
    found = {"seats": NOBODY}
    monkeypatch.setattr(presence, "seats_there", lambda _match_id: found["seats"])
    monkeypatch.setattr(presence, "seats_seen", lambda _match_id, since: found["seats"])
    return found


# -- without a socket ----------------------------------------------------------------------------


def look(user: User | None, play: Play, **headers: str) -> Any:
    client = Client(headers=headers)
    if user is not None:
        client.force_login(user)
    with committing():
        return client.get(f"/api/v1/matches/{play.pk}/?here=true")


def test_whose_page_can_only_ask_is_there_by_asking(
    waiting: Play, ada: User, ben: User, cleo: User
) -> None:
    for user, there in ((None, None), (cleo, None), (ada, [True, False])):
        answer = look(user, waiting).json()
        assert answer.get("presence", {}).get("seats") == there
        assert answer["view"]["phase"] == "waiting"
    # The other's arrival changes the answer, the version or not.
    tag = look(ada, waiting)["ETag"]
    assert look(ben, waiting).json()["view"]["phase"] == "on"
    assert look(ada, waiting, If_None_Match=tag).status_code == 200
    assert look(ada, waiting).json()["presence"] == {"seats": [True, True], "spectators": 0}


def test_a_token_that_only_reads_is_nobody_there(waiting: Play, ada: User) -> None:
    for scopes, status in ((("read",), 403), (("read", "play"), 200)):
        _row, text = token_create(
            acting_user=ada, name=f"{len(scopes)}", scopes=scopes, lasts=timedelta(hours=1)
        )
        assert look(None, waiting, Authorization=f"Bearer {text}").status_code == status
        assert presence.seats_there(waiting.pk) == (status == 200, False)


def test_items_and_the_advantage_that_they_give_are_sealed_until_it_begins(
    ada: User, ben: User, cleo: User
) -> None:
    held = (HeldItem(1, "additional-peg"),)
    play = started(
        (ada, ben), "peg-domain", variant="final", items=held, advantage=None, waits=True
    )
    for user in (None, cleo):
        assert look(user, play).json()["header"]["items"] == []
    assert (play.match.items, play.match.advantage) == ([], None)
    assert attend(play, BOTH, T0 + 50 * SECOND) is True
    match = play.match
    assert (match.items, match.advantage) == ([{"item": "additional-peg", "seat": 1}], 1)
    assert shown(play)["advantage"] == 1
    play.move(0, "concede", 60 * SECOND)
    assert record_holds(play.match)["items"]


def test_what_never_began_has_no_items_in_its_record(ada: User, ben: User) -> None:
    held = (HeldItem(1, "additional-peg"),)
    play = started(
        (ada, ben), "peg-domain", variant="final", items=held, advantage=None, waits=True
    )
    with committing():
        match_wake(match_id=play.pk, at=T0 + WAIT + 60 * SECOND)
    assert (play.match.status, play.match.items, play.held.live.has_begun) == (
        "finished", [], False,
    )  # fmt: skip
    assert not record_holds(play.match).get("items")


# -- beginning -----------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", [each.id for each in REGISTRY])
def test_nothing_is_drawn_shown_or_timed_before_both_are_there(
    ruleset: str, ada: User, ben: User
) -> None:
    play = started((ada, ben), ruleset, waits=True, advantage=None)
    match = play.match
    assert (match.status, match.seq, match.deadline_at) == ("running", 0, None)
    assert (match.waits_until, match.wake_at) == (T0 + WAIT, T0 + WAIT + 1)
    for audience in (0, 1, "room"):
        view = shown(play, audience)
        assert (view["phase"], view["game"], view["decisions"]) == ("waiting", None, [])
        assert view["waiting"] == {"until": T0 + WAIT, "ready": [False, False]}
    for text in ("concede", "pick T", "ready"):
        answer = play.submit(0, text, SECOND, version=1)
        assert answer.code == "match.waiting"  # type: ignore[union-attr]
    for there in (NOBODY, ADA_ONLY, (False, True)):
        with nothing_changes():
            assert attend(play, there, T0 + SECOND) is False
    assert attend(play, BOTH, T0 + 50 * SECOND) is True
    match = play.match
    assert match.waits_until is None
    assert match.deadline_at is not None
    assert match.deadline_at > T0 + 50 * SECOND  # from there on
    assert shown(play)["phase"] == "on"
    with nothing_changes():
        assert attend(play, BOTH, T0 + 51 * SECOND) is True


@pytest.mark.parametrize("address", ["/", "/watch/"])
def test_a_list_says_that_it_waits_for_its_players(waiting: Play, address: str) -> None:
    shown = Client().get(address).content.decode()
    assert "waits for its players" in shown
    assert "tag--live" not in shown
    attend(waiting, BOTH, T0 + SECOND)
    shown = Client().get(address).content.decode()
    assert "waits for its players" not in shown
    assert "tag--live" in shown


def test_the_clocks_show_zero_at_the_beginning_and_the_record_knows_no_waiting(
    waiting: Play, wire: Wire
) -> None:
    attend(waiting, BOTH, T0 + 100 * SECOND)
    steps = {frame["version"] for _, frame in wire.frames("step")}
    assert steps == {2, 3}  # what the log says of the draws, and the beginning
    waiting.move(0, "pick T", 110 * SECOND)
    waiting.move(1, "pick L", 111 * SECOND)
    waiting.move(0, "concede", 112 * SECOND)
    moves = record_holds(waiting.match)["moves"]
    assert [move["seat"] for move in moves] == [0, 1, 0]
    assert moves[0]["t"] == 10.0


def test_a_program_may_say_that_it_is_there(waiting: Play, ada: User, ben: User, here: Any) -> None:
    def ready(user: User, seat: int, there: tuple[bool, bool] = NOBODY) -> bool:
        with committing():
            return match_ready(
                match_id=waiting.pk, acting_user=user, seat=seat, there=there, at=T0 + SECOND
            )

    assert ready(ada, 0) is False
    assert shown(waiting)["waiting"]["ready"] == [True, False]
    with nothing_changes():
        assert ready(ada, 0) is False
    # Its word stands while the other one comes.
    assert attend(waiting, (False, True), T0 + 2 * SECOND) is True
    with nothing_changes():
        assert ready(ben, 1) is True
    waiting.move(0, "concede", 3 * SECOND)
    refused(
        "match.over", match_ready,
        match_id=waiting.pk, acting_user=ben, seat=1, there=NOBODY, at=T0,
    )  # fmt: skip


# -- not beginning -------------------------------------------------------------------------------


@pytest.mark.parametrize("advantage", [0, None])
def test_it_is_void_when_they_are_not_there_in_time(
    advantage: int | None, ada: User, ben: User, here: Any
) -> None:
    play = started((ada, ben), "domain", waits=True, advantage=advantage)
    reachable(ada, ben)
    here["seats"] = ADA_ONLY
    with nothing_changes():
        match_wake(match_id=play.pk, at=T0 + WAIT)
    with committing():
        match_wake(match_id=play.pk, at=T0 + WAIT + 1)
    match = play.match
    assert (match.status, match.winner, match.reason) == ("finished", None, "ruling")
    assert match.waits_until == T0 + WAIT
    texts = [text for _, text, _ in play.entries]
    assert [text.split()[0] for text in texts] == (["void"] if advantage == 0 else ["lot", "void"])
    record = record_holds(match)  # no pool was shown
    assert "Ben was not there within 3 min." in str(record["moves"][-1])
    # Everybody is told what is true, wherever it stands.
    why = "void: not both players were there in time"
    for address in ("/", "/watch/", f"/matches/{match.pk}/", f"/matches/{match.pk}/replay/"):
        shown = unescape(Client().get(address).content.decode())
        assert why in shown, address
        assert "organiser's ruling" not in shown, address
    # Whoever was not there is told, on the front page and by mail.
    missed = {p.name: p.missed_end for p in match.players.all()}
    assert missed == {"Ada": False, "Ben": True}
    assert missed_told(match) == 0  # which is done
    (sent,) = mail.outbox
    assert sent.to == ["ben@x.example"]
    assert "not both players were there in time" in sent.body


def test_both_may_come_at_the_last_moment(waiting: Play, here: Any) -> None:
    here["seats"] = BOTH
    with committing():
        match_wake(match_id=waiting.pk, at=T0 + WAIT + 1)
    assert shown(waiting)["phase"] == "on"


def test_an_outage_makes_the_waiting_longer(waiting: Play, here: Any) -> None:
    down = T0 + WAIT - 20 * SECOND
    back = T0 + WAIT + 30 * SECOND
    beat_record(at=down)
    with nothing_changes():
        match_wake(match_id=waiting.pk, at=T0 + WAIT + SECOND)
    beat_record(at=back)
    with committing():
        match_give_back(match_id=waiting.pk, at=back)
    least = back + settings.GAUNTLET_OUTAGE_GRACE_MS
    assert waiting.match.waits_until == max(T0 + WAIT + back - down, least)


def test_an_organiser_can_declare_it_void_and_nothing_else(waiting: Play, orla: User) -> None:
    def organise(text: str) -> Any:
        with committing():
            return match_organise(
                match_id=waiting.pk, acting_user=orla, client_id=text[:3].strip(),
                text=text, why="Because.", at=T0 + SECOND,
            )  # fmt: skip

    for text in ("pause", "reserve 0 +60", "extend 0 60", "take back", "rule valid", "winner 1"):
        refused("match.waiting", organise, text=text)
    assert isinstance(organise("void"), Ack)
    assert record_holds(waiting.match)["result"]["winner"] is None


# -- who missed an end ---------------------------------------------------------------------------


@pytest.mark.parametrize("away", [0, 1])
def test_a_loser_by_time_who_was_away_is_told(ada: User, ben: User, here: Any, away: int) -> None:
    """On the front page, in the lobby and by mail: as whoever it was, not as somebody else."""
    play = started((ada, ben))
    reachable(ada, ben)
    here["seats"] = (away != 0, away != 1)
    play.move(0, "pick T", SECOND)
    play.move(1, "pick L", 2 * SECOND)
    while not play.match.is_over:
        with committing():
            match_wake(match_id=play.pk, at=(play.match.wake_at or 0) + SECOND)
    match = play.match
    loser = 1 - (match.winner or 0)
    told = {p.seat: p.missed_end for p in match.players.all()}
    assert told == {seat: seat == loser == away for seat in (0, 1)}
    if loser == away:
        person = (ada, ben)[away]
        sentence = "You lost to two bouts in a row."
        client = Client()
        client.force_login(person)
        for address in ("/", "/lobby/"):
            shown = client.get(address).content.decode()
            assert f"ended while you were away. {sentence}" in shown
        assert missed_told(match) == 0  # which is done
        assert f"{sentence} You were not there" in mail.outbox[-1].body
        client.get(f"/matches/{play.pk}/")
        assert "ended while you were away" not in client.get("/").content.decode()


# -- challenges ----------------------------------------------------------------------------------


def offer(user: User, **options: Any) -> Challenge:
    with committing():
        return challenge_create(
            acting_user=user, ruleset_id="tetronogo", variant="standard", options=options
        )


def test_accepted_at_a_live_pace_it_waits_for_both_and_by_correspondence_in_turns(
    ada: User, ben: User
) -> None:
    for turn, in_turns in ((60, False), (3599, False), (3600, True), (86_400, True)):
        with committing():
            match = challenge_accept(acting_user=ben, challenge=offer(ada, turn_time=turn))
        assert match.waits_until is not None
        waiting = store.read(match.pk).live.waiting
        assert waiting is not None
        assert (waiting.is_in_turns, waiting.certain) == (in_turns, in_turns)


def test_open_challenges_at_a_live_pace_end_when_their_owner_has_left(
    ada: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[set[int], int]] = []

    def away_of(ids: Any, *, for_s: int) -> set[int]:
        asked.append((set(ids), for_s))
        return {ada.pk}

    monkeypatch.setattr(presence, "away_of", away_of)
    live, slow, other = offer(ada), offer(ada, turn_time=86_400), offer(ben)
    soon = datetime.now(UTC) + timedelta(seconds=60)
    with nothing_changes():
        assert challenges_abandon(now=soon) == 0
    later = soon + timedelta(seconds=settings.GAUNTLET_AWAY_SECONDS)
    with committing():
        assert challenges_abandon(now=later) == 1
    assert asked[-1] == ({ada.pk, ben.pk}, settings.GAUNTLET_AWAY_SECONDS)
    status = {each.pk: each.status for each in Challenge.objects.all()}
    assert status == {live.pk: "expired", slow.pk: "open", other.pk: "open"}


def test_who_was_seen_is_not_away(ada: User, set_clock: Callable[[int], None]) -> None:
    set_clock(0)
    people = [ada.pk, 10**9]
    presence.forget_since()
    presence.seen_now(ada.pk)
    set_clock(60 * SECOND)
    # Nobody has been watched for long enough to say.
    assert presence.away_of(people, for_s=120) == set()
    set_clock(121 * SECOND)
    presence.seen_now(ada.pk)
    assert presence.away_of(people, for_s=120) == {10**9}
    set_clock(242 * SECOND)
    assert presence.away_of(people, for_s=120) == set(people)
    presence.forget_since()  # the site itself was away
    assert presence.away_of(people, for_s=120) == set()
