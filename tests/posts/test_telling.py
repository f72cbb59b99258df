"""What the bot says of a season: where, how it reads, and how often."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client

from accounts.models import User
from games.models import Match
from games.rulesets import REGISTRY
from tests.discord.support import labels, plain
from tests.games.support import T0, Play, committing
from tests.posts.support import Told, addresses, content, description, drafted
from tests.tournaments.support import (
    GAME,
    START,
    WARS,
    after,
    begun,
    chosen,
    conceded,
    fresh,
    leg_of,
    running,
    who,
)
from tests.tournaments.test_waiting_legs import called
from tests.webhooks.test_turns import next_wake
from tournaments.models import DeathMatch, DiscordChannel, DiscordPost, Season, Webhook
from tournaments.posts import outbox, words
from tournaments.posts.kinds import (
    CHOICES,
    CLOCKS,
    ITEMS,
    KINDS,
    MATCHES,
    PEOPLE,
    RESULTS,
    ROUNDS,
    THREADS,
    TOLD,
)
from tournaments.posts.services import channel_connect
from tournaments.services.items.gifts import item_give
from tournaments.services.results import corrections, rulings
from tournaments.services.scheduling.appointments import leg_schedule
from tournaments.webhooks.kinds import TURN
from tournaments.webhooks.models import Delivery

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def clock(set_clock: Callable[[int], None]) -> None:
    set_clock(0)


def moved(play: Play) -> Play:
    """A match brought to its first placement, as spectators are told of it turn by turn."""
    play.move(0, "pick T", 1000)
    play.move(1, "pick L", 2000)
    play.move(0, "first", 3000)
    return play


def test_kinds_are_those_of_the_table() -> None:
    assert set(TOLD.values()) <= set(KINDS)


# -- threads -------------------------------------------------------------------------------------


def test_a_death_match_has_a_thread(told: Told) -> None:
    told.connect(THREADS)
    told.say()
    (head,) = told.in_channel()
    assert content(head).splitlines()[0] == "**Ada vs Ben**"
    assert "Tetronogo" in content(head)
    assert told.thread.name == "Round 1: Ada vs Ben"
    assert told.thread.parent == told.here.id
    assert told.thread.id == head.id
    assert told.in_thread() == []


def test_it_is_begun_once_it_is_known_who_meets(told: Told) -> None:
    DeathMatch.objects.filter(pk=told.stage.death_match.pk).update(away=None, status="waiting")
    told.connect(THREADS)
    assert told.say() == 0
    DeathMatch.objects.filter(pk=told.stage.death_match.pk).update(
        away=told.stage.away, status="planned"
    )
    told.stage.event(
        "death-match.paired", "Ada meets Ben.", death_match=fresh(told.stage.death_match)
    )
    told.say()
    assert told.thread.name == "Round 1: Ada vs Ben"


def test_its_name_fits(told: Told) -> None:
    told.stage.round.name = "R" * 80
    told.stage.round.save()
    told.stage.home.name = "A" * 40
    told.stage.home.save()
    told.connect(THREADS)
    told.say()
    assert len(told.thread.name) == 100
    assert told.thread.name.endswith("…")


def test_its_head_says_when_and_how_it_ended(told: Told) -> None:
    told.connect(THREADS)
    with committing():
        leg_schedule(
            acting_user=told.stage.orla, leg=leg_of(told.stage.death_match),
            scheduled_at=START + timedelta(hours=1), at=START,
        )  # fmt: skip
    told.say()
    (head,) = told.in_channel()
    instant = T0 // 1000 + 3600
    assert f"<t:{instant}:F>, <t:{instant}:R>" in content(head)
    assert labels(head) == ["I'm ready", "Open the death match"]
    leg = begun(told.stage.orla, told.stage.death_match)
    told.say()
    assert "It is on." in content(head)
    assert labels(head) == ["Open the death match"]
    conceded(leg, winner=0)
    told.say()
    assert "**Ada** won by concession." in content(head)
    assert told.in_channel() == [head]


def test_it_is_put_away_once_it_is_over_and_all_is_said(told: Told) -> None:
    told.connect(THREADS, MATCHES, RESULTS)
    leg = begun(told.stage.orla, told.stage.death_match)
    told.say()
    assert not told.is_put_away()
    conceded(leg, winner=0)
    told.say()
    assert told.is_put_away()
    match, result = told.in_thread()
    assert "**Ada** won by concession." in description(match)
    assert content(result) == "**Ada wins against Ben** by concession."
    assert told.say() == 0


def test_a_correction_takes_it_out_again(told: Told) -> None:
    told.connect()
    conceded(begun(told.stage.orla, told.stage.death_match), winner=0)
    told.say()
    assert told.is_put_away()
    with committing():
        corrections.death_match_correct(
            acting_user=told.stage.orla, death_match=fresh(told.stage.death_match),
            winner=told.stage.away, why="It was the other one.", at=START + timedelta(hours=2),
        )  # fmt: skip
    told.say()
    assert told.is_put_away()  # again, once that was said
    assert "is corrected: Ben has won" in content(told.in_thread()[-1])
    assert "**Ben** won by a ruling" in content(told.shown("thread"))


def test_a_match_that_was_corrected_since_says_so(told: Told) -> None:
    told.connect(MATCHES)
    conceded(begun(told.stage.orla, told.stage.death_match), winner=0)
    told.say()
    assert "**Ada** won by" in description(told.shown("match"))
    with committing():
        corrections.death_match_correct(
            acting_user=told.stage.orla, death_match=fresh(told.stage.death_match),
            winner=told.stage.away, why="It was the other one.", at=START + timedelta(hours=2),
        )  # fmt: skip
    told.say()
    ruled = description(told.shown("match")).splitlines()
    assert ruled[-1] == "By a ruling **Ben** has won the death match."
    with committing():
        corrections.death_match_void(
            acting_user=told.stage.orla, death_match=fresh(told.stage.death_match),
            why="It was nobody.", at=START + timedelta(hours=3),
        )  # fmt: skip
    told.say()
    void = description(told.shown("match")).splitlines()
    assert void[-1] == "Void since: it does not count."
    assert len(told.in_channel()) == 1


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        (rulings.death_match_declare, "By a ruling **Ada** has won the death match."),
        (rulings.death_match_walkover, "**Ada** has won the death match without playing."),
    ],
)
@pytest.mark.parametrize("void_first", [False, True], ids=["at-once", "void-first"])
def test_a_void_match_says_to_whom_the_death_match_was_given(
    told: Told, rule: Callable[..., Any], line: str, void_first: bool
) -> None:
    """While it waited for its players, or after it had been declared void: by bot and webhook."""
    told.connect(MATCHES, RESULTS)
    Webhook.objects.create(
        season=told.stage.season, name="talk", url="https://discord.com/api/webhooks/1/x",
        flavour="discord", kinds=[TURN], created_by=told.stage.orla,
    )  # fmt: skip
    row = told.stage.death_match
    leg = called(told.stage.orla, row)
    told.say()
    if void_first:
        with committing():
            corrections.leg_void(
                acting_user=told.stage.orla, leg=leg, why="because", at=after(minutes=1)
            )
        told.say()
        assert description(told.shown("match")) == "The match is void, by an organiser's ruling."
    with committing():
        rule(
            acting_user=told.stage.orla, death_match=fresh(row), winner=row.home, why="because",
            at=after(minutes=2),
        )  # fmt: skip
    told.say()
    said = description(told.shown("match")).splitlines()
    assert said == ["The match is void, by an organiser's ruling.", line]
    # So do commands that show it.
    assert leg.match_id is not None
    for command in ("match", "record"):
        asked = told.guild.eve.command(command, match=leg.match_id)
        assert description(told.guild.finished(asked)).splitlines() == said
    assert "Ada" in content(told.in_channel()[-1])
    turn = json.loads(Delivery.objects.filter(kind=TURN).order_by("pk").reverse()[0].body)
    assert plain(turn["content"]) == said[0]
    below = plain(turn["embeds"][0].get("description", "")).splitlines()
    # A webhook tells of its moment, and of nothing that came later.
    assert (line in below) is not void_first


# -- matches -------------------------------------------------------------------------------------


def test_a_match_has_one_message_which_is_edited(told: Told, chance: Callable[[], float]) -> None:
    told.connect(MATCHES)
    play = told.stage.play()
    told.say()
    (message,) = told.in_channel()
    assert message.body["embeds"][0]["title"] == "Ada vs Ben"
    assert labels(message) == ["Open the board"]
    moved(play)
    told.say()
    assert told.in_channel() == [message]
    before = message.files["board.png"]
    assert before.startswith(b"\x89PNG\r\n")
    assert "Ada: " in description(message)
    play.move(0, play.random_move(0, chance), 4000)
    told.say()
    assert told.in_channel() == [message]
    assert message.files["board.png"] != before


def test_it_says_until_when_and_what_is_left(told: Told, set_clock: Callable[[int], None]) -> None:
    told.connect(MATCHES)
    moved(told.stage.play())
    set_clock(3000)
    told.say()
    said = description(told.shown("match"))
    ends = T0 // 1000 + 3 + 60
    assert f"The turn ends <t:{ends}:R>." in said
    assert "Reserve: Ada 2 min · Ben 2 min" in said


def test_turns_that_come_fast_are_one_edit(told: Told, chance: Callable[[], float]) -> None:
    told.connect(MATCHES)
    play = told.stage.play()
    told.say()
    asked = len(told.fake.requests)
    moved(play)
    for at in range(4, 10):
        seat = 0 if play.decision(0) else 1
        play.move(seat, play.random_move(seat, chance), 1000 * at)
    place_id = told.post("match").place_id
    told.stage.at += timedelta(seconds=5)
    assert told.drain(place_id) == 1
    assert len(told.fake.requests) == asked + 1
    assert told.post("match").version == play.versions[2]


def test_a_message_is_not_edited_again_at_once(told: Told, chance: Callable[[], float]) -> None:
    told.connect(MATCHES)
    play = told.stage.play()
    told.say()
    moved(play)
    place_id = told.post("match").place_id
    told.stage.at += timedelta(seconds=5)
    assert told.drain(place_id) == 1
    play.move(0, play.random_move(0, chance), 4000)
    assert told.drain(place_id) == 0
    # A worker comes back for it by itself.
    assert [each.countdown for each in told.stage.workers.handed if each.countdown][-1] < 2
    told.stage.at += timedelta(seconds=2)
    assert told.drain(place_id) == 1


def test_where_nothing_has_changed_nothing_is_edited(told: Told) -> None:
    told.connect(MATCHES)
    play = told.stage.play()
    told.say()
    outbox.turn_write(match_id=play.pk)
    asked = len(told.fake.requests)
    told.say()
    assert len(told.fake.requests) == asked
    assert told.post("match").status == "done"


def test_a_turn_that_no_worker_was_told_of_is_caught_up_with(told: Told) -> None:
    told.connect(MATCHES)
    play = told.stage.play()
    told.say()
    told.stage.workers.at_once.clear()
    moved(play)
    assert told.say() == 0
    with committing():
        outbox.matches_catch_up()
    told.say()
    assert told.post("match").version == play.versions[2]
    with committing():
        outbox.matches_catch_up()
    assert told.say() == 0


def test_a_match_that_is_over_leads_to_its_replay(told: Told) -> None:
    told.connect(MATCHES)
    conceded(begun(told.stage.orla, told.stage.death_match), winner=1)
    told.say()
    message = told.shown("match")
    assert labels(message) == ["Open the replay"]
    assert description(message).splitlines()[0] == "**Ben** won by concession."
    assert told.post("match").is_final


@pytest.mark.parametrize(
    ("ruleset", "variant"), [(each.id, one.id) for each in REGISTRY for one in each.variants]
)
def test_a_score_that_tells_nothing_is_told_nowhere(told: Told, ruleset: str, variant: str) -> None:
    """In the match's message, the result, the head, and on the page of the death match."""
    told.connect(THREADS, MATCHES, RESULTS)
    told.stage.leg.ruleset, told.stage.leg.variant = ruleset, variant
    told.stage.leg.save()
    conceded(begun(told.stage.orla, told.stage.death_match), winner=1)
    told.say()
    assert description(told.shown("match")).splitlines()[0] == "**Ben** won by concession."
    assert content(told.in_thread()[-1]) == "**Ben wins against Ada** by concession."
    assert "**Ben** won by concession." in content(told.shown("thread"))
    page = Client().get(told.stage.death_match.get_absolute_url()).content.decode()
    assert "duel__name" in page
    assert "duel__score" not in page
    results = Client().get(f"/seasons/{told.stage.season.slug}/results/").content.decode()
    assert "Ben" in results
    assert "versus__score" not in results


def test_of_several_matches_each_has_a_message(told: Told) -> None:
    told.stage.death_match.best_of = 3
    told.stage.death_match.save()
    for number in (2, 3):
        told.stage.leg.pk, told.stage.leg.number = None, number
        told.stage.leg.save()
    told.connect(THREADS, MATCHES, RESULTS)
    for number in (1, 2):
        conceded(begun(told.stage.orla, told.stage.death_match, number), winner=0)
    told.say()
    footers = [
        message.body["embeds"][0]["footer"]["text"]
        for message in told.in_thread()
        if message.body["embeds"] and "footer" in message.body["embeds"][0]
    ]
    assert footers == ["Match 1 of at most 3", "Match 2 of at most 3"]
    said = [content(message) for message in told.in_thread()]
    # The last one has decided it: both are told in one message.
    results = [each for each in said if " wins " in each]
    assert results == [
        "**Ada wins match 1** by concession.\n**Ada** 1 : 0 **Ben**",
        "**Ada wins against Ben** by 2 matches to 0.\nThe last one was won by concession.",
    ]


def test_without_leave_to_attach_files_there_is_no_picture(told: Told) -> None:
    told.here.may.discard("files")
    told.connect(MATCHES)
    moved(told.stage.play())
    told.say()
    message = told.shown("match")
    assert message.files == {}
    assert "image" not in message.body["embeds"][0]


# -- reminders -----------------------------------------------------------------------------------


def reminded(told: Told, play: Play, times: int = 1) -> list[str]:
    """What the thread is told while time passes."""
    for _ in range(times):
        play.wake(next_wake(play))
    told.say()
    return [content(message) for message in told.in_thread()]


def test_nobody_is_mentioned_who_has_not_chosen_it(
    told: Told, set_clock: Callable[[int], None]
) -> None:
    told.connect(THREADS, CLOCKS, mentions=True)
    told.want_mentions(told.stage.ben)
    told.stage.leg.scheduled_at = START + timedelta(minutes=15)
    told.stage.leg.save()
    remind_soon(told)
    play = told.stage.play()
    set_clock(next_wake(play))
    play.wake(next_wake(play))
    told.say()
    ben = f"<@{told.guild.ben.id}>"
    soon, clock = told.in_thread()
    for message in (soon, clock):
        assert message.body["allowed_mentions"] == {"parse": [], "users": [told.guild.ben.id]}
        assert told.guild.ada.id not in content(message)
        assert "Ben" not in content(message)
    assert content(soon).startswith(f"Ada vs {ben} begins in 15 min. It starts <t:")
    assert content(clock).startswith(f"Ada and {ben} have 30 s of the turn left. It ends <t:")


def remind_soon(told: Told) -> None:
    """Both players are told that their match begins soon, as it is told in seasons."""
    row = told.stage.death_match
    told.stage.event("death-match.reminder", f"{row} begins in 15 min.", leg=told.stage.leg)


@pytest.mark.parametrize("wanted", [(), ("Ada",), ("Ben",), ("Ada", "Ben")])
@pytest.mark.parametrize("number", [1, 3])
def test_a_reminder_names_everybody_once(
    told: Told, set_clock: Callable[[int], None], wanted: tuple[str, ...], number: int
) -> None:
    """By a mention where they want one, which shows the name; by their name where not."""
    told.connect(THREADS, CLOCKS, mentions=True)
    users = {"Ada": told.stage.ada, "Ben": told.stage.ben}
    if wanted:
        told.want_mentions(*(users[name] for name in wanted))
    told.stage.leg.scheduled_at = START + timedelta(minutes=15)
    told.stage.leg.save()
    DeathMatch.objects.filter(pk=told.stage.death_match.pk).update(best_of=number)
    words = "" if number == 1 else ", match 1 of at most 3,"
    told.stage.event(
        "death-match.reminder", f"Ada vs Ben{words} begins in 15 min.", leg=told.stage.leg
    )
    told.say()
    play = told.stage.play()
    set_clock(next_wake(play))
    play.wake(next_wake(play))  # both are asked
    moved(play)
    set_clock(next_wake(play))
    play.wake(next_wake(play))  # Ada is
    told.say()
    people = {"Ada": told.guild.ada, "Ben": told.guild.ben}
    ada, ben = (f"<@{people[each].id}>" if each in wanted else each for each in people)
    soon, *clocks = (content(each) for each in told.in_thread())
    assert soon.startswith(f"{ada} vs {ben}{words} begins in 15 min. It starts <t:")
    assert clocks[-1].startswith(f"{ada} has 30 s of the turn left. It ends <t:")
    shown = {person.id: name for name, person in people.items()}
    for message in told.in_thread():
        read = re.sub(r"<@(\d+)>", lambda found: shown[found[1]], content(message))
        assert all(read.count(name) <= 1 for name in people), read


def test_reminders_mention_who_is_to_move_where_that_is_wanted(
    told: Told, set_clock: Callable[[int], None]
) -> None:
    told.connect(THREADS, CLOCKS, mentions=True)
    told.want_mentions()
    play = moved(told.stage.play())
    set_clock(next_wake(play))
    (said,) = reminded(told, play)
    assert said.startswith(f"<@{told.guild.ada.id}> has 30 s of the turn left.")
    assert "<t:" in said
    (message,) = told.in_thread()
    assert message.body["allowed_mentions"] == {"parse": [], "users": [told.guild.ada.id]}


def test_else_they_mention_nobody(told: Told, set_clock: Callable[[int], None]) -> None:
    told.connect(THREADS, CLOCKS)
    told.want_mentions()
    play = moved(told.stage.play())
    set_clock(next_wake(play))
    (said,) = reminded(told, play)
    assert said.startswith("Ada has 30 s of the turn left.")
    (message,) = told.in_thread()
    assert message.body["allowed_mentions"] == {"parse": []}


def test_at_30_15_and_5_seconds_and_on_the_reserve(
    told: Told, set_clock: Callable[[int], None]
) -> None:
    told.connect(THREADS, CLOCKS)
    play = moved(told.stage.play())
    said = []
    for _ in range(4):
        at = next_wake(play)
        set_clock(at)
        play.wake(at)
        told.say()
        # The one before is gone.
        (message,) = told.in_thread()
        said.append(content(message).partition(" It ends")[0])
    assert said == [
        "Ada has 30 s of the turn left.",
        "Ada has 15 s of the turn left.",
        "Ada has 5 s of the turn left.",
        "Ada has used up the turn; the reserve of 120 s is running.",
    ]


def played_on(play: Play, chance: Callable[[], float], at: int) -> None:
    """Whoever is to move does."""
    seat = 0 if play.decision(0) else 1
    play.move(seat, play.random_move(seat, chance), at)


def deletions(told: Told) -> int:
    """How often the bot has taken a message away."""
    return sum(each.method == "DELETE" for each in told.fake.requests)


def test_a_reminder_goes_once_the_turn_is_played(
    told: Told, set_clock: Callable[[int], None], chance: Callable[[], float]
) -> None:
    told.connect(THREADS, CLOCKS)
    play = moved(told.stage.play())
    set_clock(next_wake(play))
    assert len(reminded(told, play)) == 1
    played_on(play, chance, 40_000)
    told.say()
    assert told.in_thread() == []
    assert deletions(told) == 1
    # Later turns find nothing more to take away.
    played_on(play, chance, 41_000)
    told.say()
    assert deletions(told) == 1
    assert told.post("clock").status == "done"


def test_one_that_was_not_said_in_time_never_is(
    told: Told, set_clock: Callable[[int], None], chance: Callable[[], float]
) -> None:
    told.connect(CLOCKS)
    play = moved(told.stage.play())
    set_clock(next_wake(play))
    play.wake(next_wake(play))
    played_on(play, chance, 40_000)
    told.say()
    assert told.in_channel() == []
    assert told.post("clock").status == "abandoned"
    assert deletions(told) == 0


def test_one_that_somebody_has_deleted_is_not_missed(
    told: Told, set_clock: Callable[[int], None], chance: Callable[[], float]
) -> None:
    told.connect(CLOCKS)
    play = moved(told.stage.play())
    set_clock(next_wake(play))
    play.wake(next_wake(play))
    told.say()
    told.fake.messages.clear()
    played_on(play, chance, 40_000)
    told.say()
    assert told.in_channel() == []
    assert (told.post("clock").status, told.post("clock").message_id) == ("done", "")


def test_both_are_mentioned_where_both_are_asked(
    told: Told, set_clock: Callable[[int], None]
) -> None:
    told.connect(THREADS, CLOCKS, mentions=True)
    told.want_mentions()
    play = told.stage.play()
    set_clock(next_wake(play))
    (said,) = reminded(told, play)
    both = f"<@{told.guild.ada.id}> and <@{told.guild.ben.id}>"
    assert said.startswith(f"{both} have 30 s")


def test_a_reminder_that_comes_too_late_is_not_said(
    told: Told, set_clock: Callable[[int], None]
) -> None:
    told.connect(CLOCKS)
    play = moved(told.stage.play())
    set_clock(next_wake(play))
    play.wake(next_wake(play))
    told.say(after=timedelta(seconds=31))
    assert told.in_channel() == []
    assert told.post("clock").status == "abandoned"


def test_the_same_reminder_is_said_once(told: Told, set_clock: Callable[[int], None]) -> None:
    told.connect(CLOCKS)
    play = moved(told.stage.play())
    for _ in range(2):
        outbox.clock_write(match_id=play.pk, seat=0, kind="turn", left_ms=30_000, at=T0 + 3000)
    assert DiscordPost.objects.filter(kind="clock").count() == 1


def test_both_are_told_that_it_begins_soon(told: Told) -> None:
    told.connect(THREADS, CLOCKS, mentions=True)
    told.want_mentions()
    told.stage.leg.scheduled_at = START + timedelta(minutes=15)
    told.stage.leg.save()
    remind_soon(told)
    told.say()
    (message,) = told.in_thread()
    assert " begins in 15 min. It starts <t:" in content(message)
    assert labels(message)[0] == "I'm ready"
    both = sorted([told.guild.ada.id, told.guild.ben.id])
    assert message.body["allowed_mentions"] == {"parse": [], "users": both}


def test_of_one_that_has_begun_it_is_not_said(told: Told) -> None:
    told.connect(THREADS, CLOCKS)
    told.stage.leg.scheduled_at = START + timedelta(minutes=15)
    told.stage.leg.save()
    told.stage.event("death-match.reminder", "It begins in 15 min.", leg=told.stage.leg)
    told.say(after=timedelta(minutes=15))
    assert told.in_thread() == []
    assert told.post("event").status == "abandoned"


# -- rounds --------------------------------------------------------------------------------------


@pytest.fixture
def league(told: Told) -> Season:
    """A round robin of four, told of in the channel."""
    with committing():
        season = running(told.stage.orla, 4, "round-robin", repertoire=[GAME])
    Season.objects.filter(pk=season.pk).update(slug="league")
    season.refresh_from_db()
    return season


def told_of(told: Told, season: Season, *kinds: str) -> DiscordChannel:
    with committing():
        return channel_connect(
            acting_user=told.stage.orla, season=season, channel_id=told.here.id, kinds=kinds
        )


def test_a_round_has_one_post(told: Told, league: Season) -> None:
    told_of(told, league, ROUNDS, RESULTS)
    told.say()
    (message,) = told.in_channel()
    assert message.body["embeds"][0]["footer"]["text"] == "Being played"
    pairs = list(DeathMatch.objects.filter(round__season=league, round__number=1))
    assert len(description(message).splitlines()) == len(pairs) == 2
    for number, pair in enumerate(pairs):
        with committing():
            leg_schedule(
                acting_user=told.stage.orla, leg=leg_of(pair),
                scheduled_at=START + timedelta(hours=1), at=START,
            )  # fmt: skip
        at = START + timedelta(hours=1 + number)
        conceded(begun(told.stage.orla, pair, at=at), winner=0, at=at + timedelta(minutes=1))
        told.say()
    first = message
    assert first.body["embeds"][0]["footer"]["text"] == "Complete"
    assert "Standings" in description(first)
    assert "1 pt" in description(first)
    assert "1 Pts" not in description(first)
    # Nothing was told one by one; of each round that has begun there is a post.
    posts = DiscordPost.objects.filter(kind="round")
    assert len(told.in_channel()) == posts.count() == league.rounds.count()


def test_its_post_leads_to_the_threads(told: Told, league: Season) -> None:
    told_of(told, league, ROUNDS, THREADS)
    told.say()
    message = told.shown("round", round__number=1)
    threads = [channel.id for channel in told.fake.channels.values() if channel.parent]
    assert len(threads) == 2
    for thread in threads:
        assert f"<#{thread}>" in message.body["embeds"][0]["description"]


def test_results_are_told_one_by_one_where_no_round_tells_them(told: Told, league: Season) -> None:
    told_of(told, league, RESULTS)
    pair = DeathMatch.objects.filter(round__season=league, round__number=1)[0]
    conceded(begun(told.stage.orla, pair), winner=0)
    told.say()
    (message,) = told.in_channel()
    assert " wins against " in content(message)
    assert message.files["board.png"]


# -- results, people, items ----------------------------------------------------------------------


def test_whoever_is_out_is_out_after_a_match(told: Told) -> None:
    with committing():
        season = running(told.stage.orla, 4)
    told_of(told, season, PEOPLE, CHOICES)
    with committing():
        death_match = chosen(told.stage.orla, season, ec=2, dmo=3)
    conceded(begun(told.stage.orla, death_match), winner=0)
    told.say()
    said = [content(message) for message in told.in_channel()]
    assert any("is the EC" in each for each in said)
    (out,) = (each for each in said if "is eliminated" in each)
    lines = out.splitlines()
    assert lines == [
        "**Player 3 is eliminated, in place 4.**",
        "Player 2 wins against Player 3 by concession.",
        "Still in: Player 1, Player 2, Player 4",
    ]


def test_a_gift_reads_as_the_communitys_own(told: Told) -> None:
    with committing():
        season = running(told.stage.orla, 4, repertoire=[WARS])
    told_of(told, season, ITEMS)
    with committing():
        item_give(
            acting_user=told.stage.orla, season=season, item="tie-advantage",
            ruleset="domino-wars", receiver=who(season, 2), giver=None, note="Well fought.",
            at=START,
        )  # fmt: skip
    told.say()
    (message,) = told.in_channel()
    lines = content(message).splitlines()
    assert lines[0] == "The organisers give **Player 2** an item: **Tie Advantage** (Domino Wars)"
    assert lines[1].endswith(" It can be neither copied nor blocked.")
    assert lines[2:] == ["“Well fought.”"]


def test_a_walkover_says_why(told: Told) -> None:
    told.connect(THREADS, RESULTS)
    with committing():
        rulings.death_match_walkover(
            acting_user=told.stage.orla, death_match=told.stage.death_match,
            winner=told.stage.home, why="Ben left.", at=START + timedelta(minutes=5),
        )  # fmt: skip
    told.say()
    (message,) = told.in_thread()
    assert "without playing: Ben left." in content(message)


def test_names_are_shown_as_they_are(told: Told) -> None:
    told.stage.away.name = "**Ben** @everyone <@1> [x](https://evil.example)"
    told.stage.away.save()
    User.objects.filter(pk=told.stage.ben.pk).update(display_name="**Ben** @everyone")
    told.connect()
    told.stage.event(
        "contestant.eliminated", "**Ben** @everyone is out.", contestant=told.stage.away
    )
    told.say()
    for message in told.in_channel():
        assert message.body["allowed_mentions"]["parse"] == []
        for text in (message.body["content"], str(message.body["embeds"])):
            assert "**Ben**" not in text
            assert "@everyone" not in text.replace("\\@", "")
            assert "://evil" not in text


# -- drafts, links -------------------------------------------------------------------------------


def test_nothing_is_told_of_a_draft(told: Told) -> None:
    told.connect()
    told.stage.event("ruling", "So be it.")
    drafted(told)
    told.say()
    assert told.in_channel() == []
    told.stage.season.refresh_from_db()
    told.stage.event("ruling", "And so.")
    assert DiscordPost.objects.filter(event__words="And so.").count() == 0


def test_every_link_leads_somewhere(told: Told) -> None:
    told.connect()
    leg = begun(told.stage.orla, told.stage.death_match)
    told.say()
    seen = {url for message in told.fake.messages.values() for url in addresses(message)}
    conceded(leg, winner=0)
    told.stage.event("season.reopened", "It goes on.")
    told.stage.event("round.reopened", "It goes on.", round=told.stage.round)
    told.say()
    seen |= {url for message in told.fake.messages.values() for url in addresses(message)}
    assert len(seen) > 5
    anybody = Client()
    for url in seen:
        assert url.startswith("http://localhost:8000/")
        assert anybody.get(urlsplit(url).path).status_code == 200, url


def test_a_fault_of_ours_undoes_nothing(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    """What could not be put into words at its moment is when it is said."""
    told.connect(PEOPLE)

    def fails(*_anything: object) -> None:
        raise RuntimeError("ours")

    with monkeypatch.context() as patch:
        patch.setattr(words, "event_compose", fails)
        told.stage.event("contestant.eliminated", "Ben is out.", contestant=told.stage.away)
    told.say()
    (message,) = told.in_channel()
    assert content(message) == "**Ben is out.**\nStill in: Ada, Ben"
    assert Match.objects.count() == 0
