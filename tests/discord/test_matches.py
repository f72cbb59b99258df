"""Matches by commands: looking at one, moving in it, being there, its times and its record."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import User
from core.clock import now_ms
from core.refusals import Refusal
from games import store
from games.engine import live
from games.engine.decisions import ROOM
from games.engine.views import match_view
from games.intake import INTAKE, StillComingError
from games.models import MatchPlayer
from games.reading.records import record_bytes
from games.services import turns
from tests.discord.support import Guild, Press, description, labels, plain, said
from tests.games.support import SECOND, T0, Play, nothing_changes, placing, started
from tournaments.discord import answering
from tournaments.discord.commands import matches
from tournaments.discord.fake.people import Person
from tournaments.discord.fake.schemas import LATER, MESSAGE
from tournaments.discord.interactions import Asked, DiscordUser

pytestmark = pytest.mark.django_db

SetClock = Callable[[int], None]


@pytest.fixture
def play(ada: User, ben: User, guild: Guild, set_clock: SetClock) -> Play:
    """A Tetronogo match whose clocks begin now."""
    set_clock(0)
    return started((ada, ben))


def turn_seconds(play: Play) -> int:
    """How long the decision that is open first may take."""
    (decision, *_) = match_view(play.held.ruleset, play.held.live, ROOM, at=T0)["decisions"]
    return int(decision["clock"]["turn_ms"] // 1000)


# -- looking -------------------------------------------------------------------------------------


def test_anybody_is_shown_what_the_room_sees(guild: Guild, play: Play) -> None:
    play.move(0, "pick T", 0)
    answer = guild.eve.command("match", match=play.pk)
    assert answer.body == {"type": LATER, "data": {"flags": 0}}
    message = guild.finished(answer)
    (embed,) = message.body["embeds"]
    assert embed["title"] == "Ada vs Ben"
    assert embed["url"].endswith(f"/matches/{play.pk}/")
    assert message.files["board.png"].startswith(b"\x89PNG")
    # Whether she has chosen, and what, is nobody's business.
    words = description(message)
    assert "Ada: " in words.replace("**", "")
    assert "pick T" not in words
    assert "Yours is in" not in words
    assert f"<t:{T0 // 1000 + turn_seconds(play)}:R>" in words


def test_a_player_is_shown_their_own_view_alone(guild: Guild, play: Play) -> None:
    play.move(0, "pick T", 0)
    answer = guild.ada.command("match")
    assert answer.body == {"type": LATER, "data": {"flags": 64}}
    message = guild.finished(answer)
    assert message.body["flags"] == 64
    assert "Yours is in: pick T." in description(message)
    assert "Nobody else is shown this" in message.body["embeds"][0]["footer"]["text"]
    opponent = guild.finished(guild.ben.command("match", match=play.pk))
    assert "pick T" not in description(opponent)


def test_a_player_who_asks_has_a_way_to_the_board(guild: Guild, play: Play) -> None:
    message = guild.finished(guild.ada.command("match"))
    (row,) = message.body["components"]
    assert [each["label"] for each in row["components"]] == ["Open the board"]
    assert row["components"][0]["url"].endswith(f"/matches/{play.pk}/")


def test_what_somebody_did_is_for_their_eyes_whoever_sits_there_by_then(
    guild: Guild, play: Play
) -> None:
    nobody = Asked(id="1", person=DiscordUser(guild.eve.id), at=T0)
    assert matches.board_reply(play.match, nobody).public
    assert not matches.board_reply(play.match, nobody, "Submitted: pick T").public


def test_there_is_no_such_match(guild: Guild) -> None:
    for number in (999_999, 10**18 - 1):
        assert said(guild.ada.command("match", match=number)) == "There is no such match."
    assert said(guild.ada.command("match")) == "You are in no match at the moment."


def test_which_of_several(guild: Guild, play: Play, ada: User, ben: User) -> None:
    other = started((ada, ben))
    assert "Say which one" in said(guild.ada.command("match"))
    assert guild.ada.command("match", match=other.pk).body["type"] == LATER


def test_names_are_shown_as_they_are(
    guild: Guild, ada: User, ben: User, set_clock: SetClock
) -> None:
    set_clock(0)
    ben.display_name = "@everyone **x**"
    ben.save(update_fields=["display_name"])
    play = started((ada, ben))
    message = guild.finished(guild.eve.command("match", match=play.pk))
    title = message.body["embeds"][0]["title"]
    assert plain(title) == "Ada vs @everyone **x**"
    assert r"\@everyone" in title
    assert message.body["allowed_mentions"] == {"parse": []}


def test_a_match_that_spectators_see_late_is_late_here(
    guild: Guild, ada: User, ben: User, set_clock: SetClock
) -> None:
    set_clock(0)
    play = started((ada, ben), late_s=60)
    placing(play)
    set_clock(4 * SECOND)
    public = guild.finished(guild.eve.command("match", match=play.pk))
    own = guild.finished(guild.ada.command("match", match=play.pk))
    assert description(public) != description(own)
    assert "first" not in description(public)


# -- moving --------------------------------------------------------------------------------------


def test_a_move_is_submitted_in_private(guild: Guild, play: Play) -> None:
    answer = guild.ada.command("move", text="pick T")
    assert answer.body == {"type": LATER, "data": {"flags": 64}}
    assert play.entries == [("0", "pick T", False)]
    message = guild.finished(answer)
    assert plain(message.body["content"]) == "Submitted: pick T"
    assert "Yours is in: pick T." in description(message)
    guild.ben.command("pick", text=" Pick l ")
    assert play.entries[1] == ("1", "pick L", False)


def test_a_refusal_is_the_pages(guild: Guild, play: Play) -> None:
    for text in ("nonsense", "pick Z9", "place a1", ""):
        refusal = play.submit(0, text, 0)
        assert isinstance(refusal, Refusal)
        with nothing_changes():
            answer = guild.ada.command("move", text=text)
        assert answer.body["type"] == MESSAGE
        assert said(answer) == refusal.sentence
        assert answer.is_private


def test_it_is_judged_as_of_when_it_came(guild: Guild, play: Play, set_clock: SetClock) -> None:
    placing(play)
    move = play.random_move(0, random.Random(1).random)
    set_clock(10_000 * SECOND)
    answer = guild.ada.command("move", text=move)
    assert said(answer) == live.too_late().sentence
    assert answer.is_private
    assert ("0", move, False) not in play.entries


def test_what_has_to_be_waited_for_is_answered_later(
    guild: Guild, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Discord waits for three seconds, and what came before a move may take longer."""
    aside: list[Callable[[], None]] = []
    monkeypatch.setattr(answering, "_aside", lambda _threads, call: aside.append(call))
    submit = turns.match_submit

    def held_up(**given: Any) -> Any:
        if not store.may_wait():
            raise StillComingError
        return submit(**given)

    monkeypatch.setattr(matches, "match_submit", held_up)
    for text, words in (("pick T", "Submitted: pick T"), ("nonsense", None)):
        answer = guild.ada.command("move", text=text)
        assert answer.body == {"type": LATER, "data": {"flags": 64}}
        assert INTAKE.has(play.pk, until=now_ms() + 10**6)
        (wait,) = aside
        aside.clear()
        wait()
        # What waits for Discord by now holds nobody up.
        assert not INTAKE.has(play.pk, until=now_ms() + 10**6)
        (tell,) = aside
        aside.clear()
        tell()
        said_later = plain(answer.original.body["content"])
        assert said_later == (words or said_later)
        assert answer.original.body["flags"] == 64
    assert play.entries == [("0", "pick T", False)]
    refusal = play.submit(0, "nonsense", 0)
    assert isinstance(refusal, Refusal)
    assert said_later == refusal.sentence


def test_whoever_types_much_can_still_move(guild: Guild, play: Play) -> None:
    guild.settings.GAUNTLET_DISCORD_PER_MINUTE = 3
    typed = [guild.ada.typing("move", "text", text="").choices for _ in range(8)]
    assert typed[0]
    assert typed[-1] == []
    moved = guild.finished(guild.ada.command("move", text="pick T"))
    assert plain(moved.body["content"]) == "Submitted: pick T"


def test_others_do_not_move(guild: Guild, play: Play, cleo: User) -> None:
    watcher = guild.joined("Cleo", cleo)
    for command in ("move", "pick"):
        with nothing_changes():
            answer = watcher.command(command, text="pick T", match=play.pk)
        assert said(answer) == "Only the two players can submit."


def test_pick_is_for_what_is_picked_in_secret(guild: Guild, play: Play) -> None:
    placing(play)
    move = play.random_move(0, random.Random(1).random)
    with nothing_changes():
        answer = guild.ada.command("pick", text=move)
    assert said(answer) == "Nothing is picked in secret just now. Use /move for a move."
    nothing = said(guild.ben.command("pick", text=move))
    assert nothing == "There is nothing for you to decide right now."


def test_what_nobody_asks_for_is_refused_as_on_the_page(guild: Guild, play: Play) -> None:
    placing(play)
    move = play.random_move(0, random.Random(1).random)
    refusal = play.submit(1, move, 4 * SECOND)
    assert isinstance(refusal, Refusal)
    for command in ("pick", "move"):
        with nothing_changes():
            answer = guild.ben.command(command, text=move)
        assert said(answer) == refusal.sentence


def test_legal_moves_are_offered(guild: Guild, play: Play) -> None:
    offered = [each["value"] for each in guild.ada.typing("move", "text", text="").choices]
    held = play.held
    slot = held.live.table.open[0]
    assert slot is not None
    moves = held.ruleset.legal(held.live.table.state, slot.decision)
    assert offered == [held.ruleset.print(move) for move in moves][:25]
    few = [each["value"] for each in guild.ada.typing("pick", "text", text="PICK t").choices]
    assert few == ["pick T"]


def test_no_more_are_offered_than_discord_takes(guild: Guild, play: Play) -> None:
    placing(play)
    held = play.held
    slot = held.live.table.open[0]
    assert slot is not None
    assert len(list(held.ruleset.legal(held.live.table.state, slot.decision))) > 25
    assert len(guild.ada.typing("move", "text", text="").choices) == 25
    wanted = held.ruleset.print(list(held.ruleset.legal(held.live.table.state, slot.decision))[-1])
    (only, *_) = guild.ada.typing("move", "text", text=wanted).choices
    assert only["value"] == wanted
    assert guild.ben.typing("move", "text", text="").choices == []  # it is not his turn


def test_each_is_offered_what_is_theirs_now(guild: Guild, play: Play, cleo: User) -> None:
    def offered(person: Person) -> list[str]:
        choices = person.typing("move", "text", text="", match=play.pk).choices
        return [each["value"] for each in choices]

    at_first = offered(guild.ada)
    assert offered(guild.joined("Cleo", cleo)) == []
    placing(play)
    assert offered(guild.ada) != at_first
    assert offered(guild.ben) == []
    # Whoever takes the seat over has nothing of who sat there before.
    MatchPlayer.objects.filter(match=play.pk, seat=0).update(user=cleo)
    assert offered(guild.joined("Cleo", cleo))
    assert offered(guild.ada) == []


def test_nobody_else_is_offered_any(guild: Guild, play: Play, cleo: User) -> None:
    watcher = guild.joined("Cleo", cleo)
    assert watcher.typing("move", "text", text="", match=play.pk).choices == []
    assert guild.eve.typing("move", "text", text="", match=play.pk).choices == []


def test_ones_own_matches_are_offered(guild: Guild, play: Play) -> None:
    (own,) = guild.ada.typing("move", "match", match="", text="x").choices
    assert own["value"] == play.pk
    assert own["name"].startswith(f"{play.pk}: Ada vs Ben (")
    assert guild.eve.typing("move", "match", match="", text="x").choices == []
    (live,) = guild.eve.typing("match", "match", match="ada").choices
    assert live["value"] == play.pk
    assert guild.eve.typing("match", "match", match="zoe").choices == []


# -- being there ---------------------------------------------------------------------------------


def test_being_ready(guild: Guild, ada: User, ben: User, set_clock: SetClock) -> None:
    set_clock(0)
    play = started((ada, ben), waits=True)
    shown = guild.finished(guild.eve.command("match", match=play.pk))
    assert re.search(r"They have until <t:(\d+):t> \(<t:\1:R>\)\.", description(shown))
    ids = [each.get("custom_id") for each in shown.body["components"][0]["components"]]
    assert ids == [f"ready:{play.pk}", None]
    first = guild.finished(guild.ada.command("ready"))
    assert plain(first.body["content"]) == "You are ready. It begins once both of you are."
    second = guild.finished(guild.ben.press(f"ready:{play.pk}"))
    assert second.body["content"] == "The match is on."
    assert play.held.live.has_begun


def test_being_ready_at_a_slow_pace(
    guild: Guild, ada: User, ben: User, set_clock: SetClock
) -> None:
    """Where having looked in is not all that is waited for."""
    set_clock(0)
    play = started((ada, ben), waits=True, options={"turn_time": 86_400})
    shown = guild.finished(guild.eve.command("match", match=play.pk))
    told = description(shown)
    assert "begins once both players have looked in and their numbers are open, by" in told
    first = guild.finished(guild.ada.command("ready"))
    assert plain(first.body["content"]) == (
        "You have looked in. It begins once both of you have and your numbers are open: the "
        "browser that has added one opens it."
    )
    second = guild.finished(guild.ben.press(f"ready:{play.pk}"))
    assert second.body["content"] == "The match is on."


def test_a_button_goes_once_nobody_can_press_it(
    guild: Guild, ada: User, ben: User, cleo: User, old_buttons: Press
) -> None:
    """From answers of long ago, too, whoever presses it: they are told why, alone."""
    play = started((ada, ben), waits=True, at=now_ms())
    watcher = guild.joined("Cleo", cleo)
    ready = f"ready:{play.pk}"
    answers = [guild.finished(guild.eve.command("match", match=play.pk)) for _ in range(4)]
    assert labels(answers[0]) == ["I'm ready", "Open the board"]
    # While it waits, it stays, whoever presses it.
    assert said(watcher.press(ready, answers[0])) == "Only the two players can say that."
    assert guild.ada.press(ready, answers[0]).body["type"] == LATER
    assert guild.ben.press(ready, answers[0]).body["type"] == LATER
    assert labels(answers[0]) == ["I'm ready", "Open the board"]
    assert play.held.live.has_begun
    board = ["Open the board"]
    assert old_buttons(guild.ada, ready, answers[0]) == (board, "The match is on.")
    sentence = "Only the two players can say that."
    assert old_buttons(watcher, ready, answers[1]) == (board, sentence)
    play.submit(0, "concede", now_ms() - T0 + 1)
    assert old_buttons(guild.ben, ready, answers[2]) == (board, "The match is over.")
    labels_left, words = old_buttons(guild.eve, ready, answers[3])
    assert labels_left == board
    assert "Use /link first." in words
    # It is gone: whoever still sees it is answered as ever.
    assert said(guild.ben.press(ready, answers[2])) == "The match is over."


def test_of_several_matches_it_is_said_which(guild: Guild, ada: User, ben: User) -> None:
    plays = [started((ada, ben), waits=True, at=now_ms()) for _ in range(2)]
    with nothing_changes():
        answer = guild.ada.command("ready")
    assert said(answer) == "You are in several matches. Say which one in the field “match”."
    named = guild.finished(guild.ada.command("ready", match=plays[1].pk))
    assert plain(named.body["content"]) == "You are ready. It begins once both of you are."


def test_only_players_are_ready(guild: Guild, ada: User, ben: User, cleo: User) -> None:
    play = started((ada, ben), waits=True, at=now_ms())
    watcher = guild.joined("Cleo", cleo)
    assert said(watcher.press(f"ready:{play.pk}")) == "Only the two players can say that."
    assert said(watcher.command("ready")) == "No match waits for you to be ready."
    assert "Use /link first." in said(guild.eve.press(f"ready:{play.pk}"))


# -- times and records ---------------------------------------------------------------------------


def test_what_is_left_of_the_reserve(guild: Guild, play: Play) -> None:
    answer = guild.eve.command("reserve", match=play.pk)
    assert "Reserve of Ada: " in said(answer)
    assert "Reserve of Ben: " in said(answer)
    assert answer.is_private


def test_what_is_spent_of_it_is_told(guild: Guild, play: Play, set_clock: SetClock) -> None:
    placing(play)
    set_clock(3 * SECOND + 1000 * (turn_seconds(play) + 50))
    words = said(guild.eve.command("reserve", match=play.pk))
    assert "Reserve of Ada: 1 min 10 s" in words
    assert "Reserve of Ben: 2 min" in words
    shown = description(guild.finished(guild.eve.command("match", match=play.pk)))
    assert "On the reserve, which ends <t:" in shown


def test_a_record(guild: Guild, play: Play, set_clock: SetClock) -> None:
    early = guild.eve.command("record", match=play.pk)
    assert said(early) == "There is a record once the match is over."
    play.to_the_end(random.Random(5).random, 0)
    (offered,) = guild.ada.typing("record", "match", match="").choices
    assert offered["value"] == play.pk
    answer = guild.eve.command("record", match=play.pk)
    assert answer.body == {"type": LATER, "data": {"flags": 0}}
    message = guild.finished(answer)
    (name,) = message.files
    assert name == f"match-{play.pk}.dmr.json"
    assert message.files[name] == record_bytes(play.match)
    assert said(guild.ada.command("reserve", match=play.pk)) == "The match is over."
