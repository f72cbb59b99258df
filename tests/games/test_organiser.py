"""The organiser's desk: every act, who may do it, and what players and the log learn of it."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import AuditEntry, User
from accounts.roles import Role
from accounts.services import role_revoke
from games.models import MatchEntry
from games.reading.readers import reader_of
from games.services.turns import Ack
from tests.games.support import (
    SECOND,
    T0,
    Play,
    Wire,
    group,
    nothing_changes,
    placing,
    record_holds,
    refused,
    started,
)


def log_of(play: Play, user: User | None = None) -> list[dict[str, Any]]:
    log: list[dict[str, Any]] = reader_of(play.pk, user).sync["log"]
    return log


def test_an_act_is_an_entry_an_audit_row_and_told_to_everybody(
    play: Play, orla: User, wire: Wire
) -> None:
    ack = play.organise(
        orla, " Reserve 0 +60 ", 5 * SECOND, why=" a\x00slow\nclick ", client_id="a"
    )
    assert ack == Ack("a", play.pk, play.versions[2], T0 + 5 * SECOND)
    entry = MatchEntry.objects.get(match=play.pk)
    assert (entry.actor, entry.text, entry.by, entry.by_name, entry.why) == (
        "organiser", "reserve 0 +60", orla, "Orla", "a slow click",
    )  # fmt: skip
    audit = AuditEntry.objects.get(action="match.organise")
    assert (audit.who, audit.target_id) == (orla, str(play.pk))
    assert audit.data == {"act": "reserve 0 +60", "why": "a slow click"}
    steps = wire.frames("step")
    assert [to for to, _ in steps] == [group(play.pk, who) for who in (0, 1, "room")]
    for _, frame in steps:
        (item,) = frame["events"]
        assert item["actor"] == "organiser"
        data = item["events"][0]["data"]
        assert data == {"act": "reserve 0 +60", "by": "Orla", "why": "a slow click"}
        assert frame["view"]["reserve_ms"] == [180_000, 120_000]


def test_sent_again_it_happens_once(play: Play, orla: User) -> None:
    first = play.organise(orla, "reserve 0 +60", 5 * SECOND, client_id="a")
    assert isinstance(first, Ack)
    with nothing_changes():
        again = play.organise(orla, "reserve 0 +60", 6 * SECOND, client_id="a")
    assert again == first._replace(resent=True)
    play.act(orla, "pause", 7 * SECOND)
    refused("id.reused", play.organise, user=orla, text="pause", at=8 * SECOND, client_id="a")


def test_refusals(play: Play, orla: User, ada: User, cleo: User, root: User) -> None:
    def act(code: str, text: str, user: User = orla, **more: Any) -> None:
        refused(code, play.organise, user=user, text=text, at=5 * SECOND, **more)

    act("organiser.not-allowed", "pause", ada)
    act("organiser.not-allowed", "pause", cleo)
    for text in ("resume", "reserve 0 -60", "reserve 0 +0", "take back", "winner 0", "void"):
        act("organiser.why-missing", text, why="  \x00 ")
    act("organiser.why-missing", "reason", why=" ")
    act("organiser.why-given", "reason")
    act("organiser.why-too-long", "pause", why="x" * 501)
    act("frame.malformed", "pause", client_id="an id")
    for text in ("", "stop", "reserve 2 +5", "reserve 0 5", "extend 0 -5", "winner 2", "pause\x00"):
        act("notation.organiser" if text.isprintable() and text else "notation.unreadable", text)
    act("organiser.nothing-to-take-back", "take back")
    act("organiser.not-allowed", "take back 0")
    act("organiser.nothing-to-rule", "rule valid")
    act("organiser.not-paused", "resume")
    play.act(orla, "pause", 6 * SECOND)
    act("organiser.paused", "pause")
    play.act(orla, "resume", 7 * SECOND)
    placing(play)
    act("organiser.no-decision", "extend 1 10")
    play.move(0, "concede", 8 * SECOND)
    for text in ("pause", "void", "winner 0", "take back"):
        act("match.over", text)


def test_an_organiser_cannot_touch_a_match_of_their_own(orla: User, ben: User) -> None:
    play = started((orla, ben))
    refused("organiser.not-allowed", play.organise, user=orla, text="winner 0", at=1 * SECOND)


def test_a_role_taken_away_is_gone_at_once(play: Play, orla: User, root: User) -> None:
    """A socket holds the user it was opened with, and with it the roles of then."""
    play.act(orla, "pause", 1 * SECOND)
    role_revoke(acting_user=root, user=User.objects.get(pk=orla.pk), role=Role.ORGANISER)
    refused("organiser.not-allowed", play.organise, user=orla, text="resume", at=2 * SECOND)


def test_an_extension_moves_the_deadline_and_nothing_else(play: Play, orla: User) -> None:
    placing(play)
    play.act(orla, "extend 0 45", 10 * SECOND)
    assert play.match.deadline_at == T0 + (3 + 60 + 45 + 120) * SECOND
    assert play.held.live.table.reserve_ms == (120_000, 120_000)
    play.move(0, "D4 90", (3 + 60 + 45) * SECOND)
    assert play.held.live.table.reserve_ms == (120_000, 120_000)


def test_a_reserve_does_not_go_below_nothing(play: Play, orla: User) -> None:
    play.act(orla, "reserve 1 -999", 1 * SECOND)
    assert play.held.live.table.reserve_ms == (120_000, 0)


def test_a_take_back_undoes_the_last_submission_and_what_followed(
    play: Play, orla: User, wire: Wire
) -> None:
    placing(play)
    play.move(0, "D4 90", 10 * SECOND)
    play.act(orla, "reserve 0 +60", 11 * SECOND)
    wire.frames()
    play.act(orla, "take back", 12 * SECOND)
    assert play.decision(0) == "1.place.1"
    assert play.decision(1) is None
    # Nobody gains or loses thinking time by a mistake.
    assert play.reading(0, 12 * SECOND) == 7 * SECOND
    assert play.held.live.table.reserve_ms == (180_000, 120_000)
    for _, frame in wire.frames("step"):
        assert frame["resync"]
        assert frame["view"]["game"]["placed"] == []
    # Whoever still looks at the position before it is told so.
    refused("version.stale", play.submit, seat=0, text="D4 0", at=13 * SECOND, version=4)
    marked = [(item["events"][0]["kind"], item["taken_back"]) for item in log_of(play)]
    assert marked == [
        ("pick", False), ("starter", False), ("place", True), ("organiser", False),
        ("organiser", False),
    ]  # fmt: skip
    # It all stays in the record, which still holds.
    play.move(0, "D4 0", 14 * SECOND)
    play.move(1, "concede", 15 * SECOND)
    record = record_holds(play.match)
    assert [move["move"] for move in record["moves"]] == [
        "pick T", "pick L", "first", "D4 90", "reserve 0 +60", "take back", "D4 0", "concede",
    ]  # fmt: skip


def test_a_secret_choice_goes_with_what_everybody_knows_of_and_never_alone(
    play: Play, orla: User
) -> None:
    play.move(0, "pick T", 1 * SECOND)
    refused("organiser.nothing-to-take-back", play.organise, user=orla, text="take back",
            at=2 * SECOND)  # fmt: skip
    play.move(1, "pick L", 3 * SECOND)
    play.act(orla, "take back", 4 * SECOND)
    play.move(1, "pick S", 5 * SECOND)
    assert play.held.live.table.state.frame.pieces == ("T", "S")


def test_several_take_backs_go_further_and_further(play: Play, orla: User) -> None:
    placing(play)
    for at, text in enumerate(("D4 90", None, None, None, None), start=10):
        if text:
            play.move(0, text, at * SECOND)
        else:
            play.act(orla, "take back", at * SECOND)
    assert play.decision(0) == "1.pick.0"
    assert play.decision(1) == "1.pick.1"
    refused("organiser.nothing-to-take-back", play.organise, user=orla, text="take back",
            at=20 * SECOND)  # fmt: skip
    assert [item["taken_back"] for item in log_of(play)] == [True] * 3 + [False] * 4


@pytest.mark.parametrize(("text", "winner"), [("winner 0", 0), ("winner 1", 1), ("void", None)])
def test_an_organiser_ends_a_match(play: Play, orla: User, text: str, winner: int | None) -> None:
    placing(play)
    play.act(orla, text, 10 * SECOND)
    match = play.match
    assert (match.winner, match.reason, match.is_over) == (winner, "ruling", True)
    assert (match.wake_at, match.deadline_at) == (None, None)
    record_holds(match)


def test_a_paused_match_can_be_ended(play: Play, orla: User) -> None:
    play.act(orla, "pause", 1 * SECOND)
    play.act(orla, "void", 2 * SECOND)
    assert not play.match.paused
    record_holds(play.match)


def test_an_act_after_a_deadline_finds_the_timeout_done(play: Play, orla: User) -> None:
    placing(play)
    play.act(orla, "reserve 0 +60", 3 * SECOND + 180 * SECOND + 1)
    assert [entry[0] for entry in play.entries[-2:]] == ["0", "organiser"]
    assert play.entries[-2][2]
