"""Ready-made reasons, and acts that are done before there is one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from accounts.models import AuditEntry, User
from core.text import one_line
from games.engine import records
from games.engine.acts import NO_REASON, REASON, lacks_a_reason, parse_act
from games.models import Match, MatchEntry
from games.reading.records import record_bytes
from games.reading.selectors import lacking_a_reason
from games.reasons import READY, WHY_MAX
from games.rulesets import REGISTRY
from games.services.turns import Ack
from tests.games.support import SECOND, Play, placing, refused

AT_THE_DESK = {
    "pause": "pause", "resume": "resume", "reserve": "reserve 0 +60", "extend": "extend 0 60",
    "reason": "reason", "rule valid": "rule valid", "rule invalid": "rule invalid",
    "take back": "take back", "winner": "winner 0", "void": "void",
}  # fmt: skip


# -- ready-made ----------------------------------------------------------------------------------


@pytest.mark.parametrize("act", READY)
def test_a_ready_made_reason_is_a_reason(act: str) -> None:
    reasons = READY[act]
    assert 2 <= len(reasons) <= 5
    assert len(set(reasons)) == len(reasons)
    for reason in reasons:
        assert one_line(reason) == reason
        assert reason.endswith(".")
        assert 5 < len(reason) <= 60 < WHY_MAX  # a button on a phone
        assert reason != NO_REASON


def test_every_act_at_a_desk_has_some() -> None:
    assert set(AT_THE_DESK) < set(READY)
    for act, text in AT_THE_DESK.items():
        assert parse_act(text).kind == act


# -- later ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["pause", "extend 0 45", "reserve 1 +60"])
def test_what_costs_a_player_time_is_done_first_and_explained_then(
    play: Play, orla: User, text: str
) -> None:
    placing(play)
    play.organise(orla, text, 10 * SECOND, why="  ", client_id="a")
    assert _reasons(play) == [(text, NO_REASON)]
    before = play.held.live
    play.organise(orla, "reason", 11 * SECOND, why="Ben lost his connection.", client_id="b")
    assert _reasons(play)[1:] == [(REASON, "Ben lost his connection.")]
    # Nothing but the log has changed: no clock, no decision, no pause.
    after = play.held.live
    assert after.table == before.table
    assert after.watches == before.watches
    audit = AuditEntry.objects.filter(action="match.organise").latest("pk")
    assert audit.data == {"act": "reason", "why": "Ben lost his connection."}
    # Once.
    refused(
        "organiser.why-given", play.organise,
        user=orla, text="reason", at=12 * SECOND, why="Again.",
    )  # fmt: skip


@pytest.mark.parametrize("text", ["extend 0 45", "reserve 1 +60"])
def test_where_no_clock_runs_there_is_time_to_think_of_one(
    play: Play, orla: User, text: str
) -> None:
    placing(play)
    play.organise(orla, "pause", 10 * SECOND, why="A break.", client_id="a")
    refused("organiser.why-missing", play.organise, user=orla, text=text, at=11 * SECOND, why="")
    play.organise(orla, "resume", 12 * SECOND, why="Back.", client_id="b")
    play.organise(orla, text, 13 * SECOND, why="", client_id="c")
    assert _reasons(play)[-1] == (text, NO_REASON)


def test_what_is_sent_again_needs_no_reason_then(play: Play, orla: User) -> None:
    placing(play)
    first = play.organise(orla, "pause", 10 * SECOND, why="", client_id="a")
    assert isinstance(first, Ack)
    assert play.organise(orla, "pause", 11 * SECOND, why="", client_id="a") == first._replace(
        resent=True
    )


NEEDS_ONE = [text for act, text in AT_THE_DESK.items() if act not in ("pause", "extend", "reserve")]


@pytest.mark.parametrize("text", [*NEEDS_ONE, "reserve 0 -60"])
@pytest.mark.parametrize("why", [NO_REASON, "no reason  GIVEN yet."])
def test_that_there_is_none_yet_is_no_reason(play: Play, orla: User, text: str, why: str) -> None:
    placing(play)
    play.organise(orla, "reserve 1 +60", 10 * SECOND, why=why, client_id="a")
    assert _reasons(play) == [("reserve 1 +60", NO_REASON)]
    refused("organiser.why-missing", play.organise, user=orla, text=text, at=11 * SECOND, why=why)


def test_which_matches_wait_for_one(play: Play, orla: User) -> None:
    placing(play)
    waiting = Match.objects.running().filter(lacking_a_reason())
    for number, (text, why, waits) in enumerate((
        ("reserve 0 +60", "A slow click.", False),
        ("reserve 0 +60", "", True),
        ("pause", "A break.", True),
        ("reason", "Another.", False),
        ("resume", "Back.", False),
        ("extend 0 5", "", True),
        ("take back" , "Agreed.", True),
        ("void", "Agreed.", False),
    )):  # fmt: skip
        if text == "take back":
            play.move(0, "D4 90", 20 * SECOND)
        play.organise(orla, text, (10 + 2 * number) * SECOND, why=why, client_id=str(number))
        assert waiting.exists() is waits, text
        assert lacks_a_reason(_reasons(play)) is (waits or text == "void")
    refused("match.over", play.organise, user=orla, text="reason", at=40 * SECOND, why="Too late.")


def test_a_reason_that_was_given_at_once_is_not_given_again(play: Play, orla: User) -> None:
    placing(play)
    play.organise(orla, "pause", 10 * SECOND, why="A break.", client_id="a")
    refused(
        "organiser.why-given", play.organise, user=orla, text="reason", at=11 * SECOND, why="Yes."
    )


def test_it_outlives_a_take_back_and_is_read_from_the_record(play: Play, orla: User) -> None:
    placing(play)
    play.move(0, "D4 90", 10 * SECOND)
    play.organise(orla, "reserve 0 +60", 11 * SECOND, why="", client_id="a")
    play.organise(orla, "reason", 12 * SECOND, why="A slow click.", client_id="b")
    play.organise(orla, "take back", 13 * SECOND, why="Agreed.", client_id="c")
    assert play.held.live.table.reserve_ms == (180_000, 120_000)
    play.move(0, "concede", 14 * SECOND)
    data = record_bytes(play.match)
    assert b"A slow click." in data
    assert records.check(REGISTRY, data)["ok"]


@pytest.mark.parametrize(
    ("done", "lacks"),
    [
        ([], False),
        ([("pause", "A break.")], False),
        ([("pause", NO_REASON)], True),
        ([("pause", NO_REASON), ("resume", "Back.")], True),
        ([("pause", NO_REASON), ("reason", "A break.")], False),
        ([("pause", NO_REASON), ("reason", "A break."), ("extend 0 5", NO_REASON)], True),
        ([("pause", NO_REASON), ("extend 0 5", NO_REASON), ("reason", "Both.")], False),
    ],
)
def test_what_waits_for_a_reason(done: Sequence[tuple[str, str]], lacks: bool) -> None:
    assert lacks_a_reason(done) is lacks


def _reasons(play: Play) -> list[tuple[str, str]]:
    rows = MatchEntry.objects.filter(match=play.pk, actor="organiser").order_by("seq")
    return list(rows.values_list("text", "why"))
