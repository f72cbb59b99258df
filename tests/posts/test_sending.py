"""Saying it: once, in order, whatever becomes of workers, of Discord, and of what stands there."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings

from accounts.models import Announcement, AuditEntry
from core.clock import now_utc
from core.discord import client
from core.discord.client import DiscordError
from core.refusals import Refusal
from tests.games.support import committing
from tests.posts.support import Told, content
from tests.tournaments.support import begun, conceded
from tests.webhooks.test_turns import next_wake
from tournaments.discord.fake.held import UNKNOWN_CHANNEL
from tournaments.discord.fake.limits import USUAL
from tournaments.discord.fake.server import Handler
from tournaments.jobs import DISCORD_GIVEN_UP, DISCORD_SAY
from tournaments.models import DiscordChannel, DiscordPlace, DiscordPost
from tournaments.posts import outbox, sending, services, tasks, trouble
from tournaments.posts.kinds import CLOCKS, MATCHES, NEWS, PEOPLE, RESULTS, ROUNDS, THREADS

pytestmark = pytest.mark.django_db


def hangs_up(handler: Handler) -> None:
    """Discord has read it, and breaks off."""
    handler.connection.close()


def takes_and_hangs_up(handler: Handler) -> None:
    """Discord has done it, and its answer is lost."""
    fake = handler.server.fake
    fake.answer(fake.requests[-1])
    handler.connection.close()


@pytest.fixture
def no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that fails is not made again within itself."""
    monkeypatch.setattr(client, "_AGAIN_S", ())


class Killed(BaseException):
    """What ends a worker."""


def killed_after(told: Told, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Have the worker that says the next thing die once Discord has done it."""
    there = getattr(client, name)

    def dies(*arguments: Any, **more: Any) -> Any:
        there(*arguments, **more)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(client, name, dies)
        with pytest.raises(Killed):
            told.say()


# -- in order, and on being told -----------------------------------------------------------------


def test_workers_are_told_once_it_is_committed(told: Told) -> None:
    told.connect(NEWS)
    told.stage.event("season.reopened", "It goes on.")
    place = DiscordPlace.objects.get(death_match=None)
    assert told.stage.workers.of(DISCORD_SAY) == [(place.pk,)]


def test_what_happens_first_is_said_first(told: Told) -> None:
    told.connect(NEWS)
    for number in range(5):
        told.stage.event("season.reopened", f"Number {number}.")
    told.say()
    assert [content(each) for each in told.in_channel()] == [f"Number {n}." for n in range(5)]


def test_what_is_new_comes_before_what_is_edited(told: Told) -> None:
    """A reminder waits for no board."""
    told.connect(MATCHES, CLOCKS)
    play = told.stage.play()
    told.say()
    play.move(0, "pick T", 1000)
    play.move(1, "pick L", 2000)
    DiscordPost.objects.filter(kind="match").update(next_at=told.stage.at)
    play.wake(next_wake(play))
    place = DiscordPlace.objects.get()
    found = sending.next_due(place_id=place.pk, at=told.stage.at + timedelta(seconds=60))
    assert found is not None
    assert found.kind == "clock"


def test_one_worker_at_a_time_is_at_a_place(told: Told) -> None:
    told.connect(NEWS)
    told.stage.event("season.reopened", "It goes on.")
    place = DiscordPlace.objects.get()
    DiscordPlace.objects.update(busy_until=told.stage.at + timedelta(seconds=30))
    assert told.drain(place.pk) == 0
    assert sending.places_due(at=told.stage.at) == []
    told.stage.at += timedelta(seconds=30)
    assert sending.places_due(at=told.stage.at) == [place.pk]
    assert told.drain(place.pk) == 1


def test_a_worker_keeps_its_place_for_as_long_as_a_message_may_take(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else another one says what is newer, and the older edit comes after it."""
    told.connect(NEWS)
    for number in range(3):
        told.stage.event("season.reopened", f"Number {number}.")
    place = DiscordPlace.objects.get()
    at, busy = now_utc(), []
    post = client.message_post

    def slowly(*arguments: Any, **more: Any) -> str:
        nonlocal at
        row = DiscordPlace.objects.get()
        assert row.busy_until is not None
        busy.append((row.busy_until - at).total_seconds())
        at += timedelta(seconds=4 * settings.GAUNTLET_DISCORD_BOT_TOTAL_SECONDS)
        assert sending.places_due(at=at) == []
        return post(*arguments, **more)

    monkeypatch.setattr(client, "message_post", slowly)
    assert sending.place_drain(place_id=place.pk, now=lambda: at) == 3
    assert busy == [sending.CALLS_MOST * settings.GAUNTLET_DISCORD_BOT_TOTAL_SECONDS] * 3
    assert DiscordPlace.objects.get().busy_until is None


def test_a_worker_that_has_lost_its_place_leaves_it(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    told.connect(NEWS)
    for number in range(3):
        told.stage.event("season.reopened", f"Number {number}.")
    place = DiscordPlace.objects.get()
    other = now_utc() + timedelta(hours=1)
    post = client.message_post

    def stands_still(*arguments: Any, **more: Any) -> str:
        DiscordPlace.objects.update(busy_until=other)  # another one has gone on meanwhile
        return post(*arguments, **more)

    monkeypatch.setattr(client, "message_post", stands_still)
    assert sending.place_drain(place_id=place.pk) == 1
    assert len(told.in_channel()) == 1
    assert DiscordPlace.objects.get().busy_until == other


def test_what_comes_after_a_workers_last_look_is_not_left_to_the_sweep(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is sent for it finds the place taken, and goes."""
    told.connect(NEWS)
    told.stage.event("season.reopened", "It goes on.")
    place = DiscordPlace.objects.get()

    def last_look(place_id: int, _at: Any) -> int:
        told.stage.event("season.reopened", "And on.")
        assert sending.place_drain(place_id=place_id) == 0
        told.stage.workers.handed.clear()
        return 0

    with monkeypatch.context() as patch:
        patch.setattr(sending, "thread_put_away", last_look)
        assert sending.place_drain(place_id=place.pk) == 1
    assert told.stage.workers.of(DISCORD_SAY) == [(place.pk,)]
    told.stage.workers.handed.clear()
    assert told.drain(place.pk) == 1
    assert [content(each) for each in told.in_channel()] == ["It goes on.", "And on."]
    assert told.stage.workers.of(DISCORD_SAY) == []


def test_nobody_is_sent_for_what_has_to_wait(told: Told, no_rest: None) -> None:
    told.connect(NEWS, THREADS, MATCHES)
    told.stage.event("season.reopened", "It goes on.")
    told.stage.play()
    told.fake.instead = [503] * 3
    told.stage.workers.handed.clear()
    for place in DiscordPlace.objects.all():
        told.drain(place.pk)
    # One rests, and of the other there is no thread yet.
    assert [each.countdown for each in told.stage.workers.handed] == []


def test_a_process_waits_for_discord_in_few_places(told: Told) -> None:
    told.connect(NEWS)
    told.stage.event("season.reopened", "It goes on.")
    place = DiscordPlace.objects.get()
    with ExitStack() as stack:
        for _ in range(settings.GAUNTLET_DISCORD_SENDERS):
            assert stack.enter_context(trouble.SENDERS.one())
        assert told.drain(place.pk) == 0
    assert told.drain(place.pk) == 1


# -- once ----------------------------------------------------------------------------------------


def test_a_worker_that_is_killed_posts_nothing_twice(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    told.connect(NEWS)
    told.stage.event("season.reopened", "It goes on.")
    killed_after(told, monkeypatch, "message_post")
    post = told.post("event")
    assert (post.status, post.message_id, post.attempts) == ("waiting", "", 1)
    told.say()  # by its nonce
    (message,) = told.in_channel()
    assert told.post("event").message_id == message.id


def test_nor_once_discord_has_forgotten(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    told.connect(NEWS)
    told.stage.event("season.reopened", "It goes on.")
    killed_after(told, monkeypatch, "message_post")
    told.stage.event("season.reopened", "And on.")
    told.fake.skip(3600)
    told.say(after=timedelta(hours=1))
    assert [content(each) for each in told.in_channel()] == ["It goes on.", "And on."]


def test_a_bot_that_may_not_look_says_it_all_the_same(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then it may come twice, as the channel's page says."""
    told.connect(NEWS)
    told.stage.event("season.reopened", "It goes on.")
    killed_after(told, monkeypatch, "message_post")
    told.here.may.discard("history")
    told.fake.skip(3600)
    told.say(after=timedelta(hours=1))
    assert [content(each) for each in told.in_channel()] == ["It goes on."] * 2
    assert told.post("event").status == "done"


def test_what_was_never_posted_is_not_found(told: Told, no_rest: None) -> None:
    told.connect(NEWS)
    told.stage.event("season.reopened", "It goes on.")
    told.fake.instead = [503]
    told.say()
    assert told.in_channel() == []
    told.fake.skip(3600)
    told.say(after=timedelta(hours=1))
    assert len(told.in_channel()) == 1


def test_an_answer_that_is_lost_posts_nothing_twice(told: Told, no_rest: None) -> None:
    told.connect(NEWS)
    told.stage.event("season.reopened", "It goes on.")
    told.fake.instead = [takes_and_hangs_up]
    told.say()
    told.say(after=timedelta(seconds=30))
    assert len(told.in_channel()) == 1
    assert told.post("event").status == "done"


def test_a_worker_that_is_killed_begins_no_thread_twice(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    told.connect(THREADS)
    killed_after(told, monkeypatch, "thread_begin")
    assert told.place().thread_id == ""
    told.say()
    assert told.place().thread_id == told.post("thread").message_id
    assert len([each for each in told.fake.channels.values() if each.parent]) == 1


def test_what_changes_while_it_is_said_is_said_as_well(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    told.connect(MATCHES)
    play = told.stage.play()
    there = client.message_post

    def meanwhile(*arguments: Any, **more: Any) -> str:
        number = there(*arguments, **more)
        play.move(0, "pick T", 1000)
        play.move(1, "pick L", 2000)
        return number

    with monkeypatch.context() as patch:
        patch.setattr(client, "message_post", meanwhile)
        place = DiscordPlace.objects.get()
        told.drain(place.pk)
    post = told.post("match")
    assert post.status == "waiting"
    assert post.said < post.wanted
    told.say()
    assert told.post("match").version == play.versions[2]


# -- a Discord that is away ----------------------------------------------------------------------


def test_a_discord_that_is_away_costs_time_only(told: Told, no_rest: None) -> None:
    told.connect(NEWS)
    for number in range(3):
        told.stage.event("season.reopened", f"Number {number}.")
    told.fake.instead = [503, hangs_up, 500]
    told.say()
    place = DiscordPlace.objects.get()
    assert place.attempts == 1
    assert sending.places_due(at=told.stage.at) == []
    channel = DiscordChannel.objects.get()
    assert channel.failing_since is not None
    assert channel.fault == "Discord answered 503."
    told.say(after=timedelta(seconds=5))
    assert DiscordChannel.objects.get().fault == "Discord does not answer."
    told.say(after=timedelta(seconds=15))
    told.say(after=timedelta(seconds=45))
    assert [content(each) for each in told.in_channel()] == [f"Number {n}." for n in range(3)]
    mended = DiscordChannel.objects.get()
    assert (mended.failing_since, mended.fault) == (None, "")
    assert DiscordPlace.objects.get().attempts == 0


def test_it_is_tried_again_before_long(told: Told, no_rest: None) -> None:
    told.connect(NEWS)
    told.stage.event("season.reopened", "It goes on.")
    told.fake.instead = [503] * 40
    for _ in range(30):
        told.say(after=trouble.LONGEST_WAIT)
    assert told.post("event").attempts == 30


def test_what_could_not_be_said_for_days_is_given_up(told: Told, no_rest: None) -> None:
    told.connect(NEWS)
    told.stage.event("season.reopened", "It goes on.")
    told.fake.instead = [503] * 9
    told.say()
    told.say(after=timedelta(days=1))
    assert DiscordChannel.objects.get().active
    told.say(after=timedelta(days=1, hours=23, minutes=30))
    channel = DiscordChannel.objects.get()
    assert not channel.active
    assert channel.disabled_why.startswith("Nothing could be said there for three days.")
    assert told.post("event").status == "abandoned"
    assert AuditEntry.objects.filter(action="discord_channel.disable", who=None).exists()
    assert told.stage.workers.of(DISCORD_GIVEN_UP) == [(channel.pk,)]
    for _ in range(2):
        tasks.tell_given_up(channel.pk)
    (told_of,) = Announcement.objects.filter(user=told.stage.orla)
    assert "Discord is switched off" in told_of.subject
    assert told_of.path == channel.get_absolute_url()


def test_rate_limits_are_kept(
    told: Told, monkeypatch: pytest.MonkeyPatch, chance: Callable[[], float]
) -> None:
    """However fast the turns come: nothing is refused, and the last of them stands there."""
    told.fake.limits.rates = {}
    assert USUAL.limit == 5
    waited: list[float] = []
    monkeypatch.setattr(client, "_sleep", waited.append)
    told.connect(MATCHES)
    play = told.stage.play()
    told.say()
    play.move(0, "pick T", 1000)
    play.move(1, "pick L", 2000)
    play.move(0, "first", 3000)
    for turn in range(12):
        seat = 0 if play.decision(0) else 1
        play.move(seat, play.random_move(seat, chance), 4000 + 100 * turn)
        told.pass_by(sending.EDIT_EVERY)
        told.drain(told.post("match").place_id)
    assert {each.status for each in told.fake.requests} == {200}
    assert waited == []
    assert told.post("match").version == play.versions[2]


# -- what somebody deletes -----------------------------------------------------------------------


def test_a_message_that_was_deleted_is_posted_anew(told: Told) -> None:
    told.connect(MATCHES)
    play = told.stage.play()
    told.say()
    first = told.shown("match")
    del told.fake.messages[first.id]
    play.move(0, "pick T", 1000)
    play.move(1, "pick L", 2000)
    told.say()
    second = told.shown("match")
    assert second.id != first.id
    assert told.in_channel() == [second]
    assert told.post("match").lost == 1


def test_a_thread_that_was_deleted_is_made_anew_once(
    told: Told, chance: Callable[[], float]
) -> None:
    told.connect(THREADS, MATCHES)
    play = told.stage.play()
    told.say()
    first = told.thread
    told.fake.delete(first)
    play.move(0, "pick T", 1000)
    play.move(1, "pick L", 2000)
    told.say()
    second = told.thread
    assert second.id != first.id
    assert [each.id for each in told.in_thread()] == [told.post("match").message_id]
    # Twice, and somebody means it.
    told.fake.delete(second)
    play.move(0, "first", 3000)
    told.say()
    place = told.place()
    assert (place.thread_id, place.in_channel, place.lost) == ("", True, 2)
    message = told.shown("match")
    assert message.channel == told.here.id
    play.move(0, play.random_move(0, chance), 4000)
    told.say()
    assert told.shown("match") is message


def test_a_head_that_was_deleted_before_its_thread_was_begun(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    told.connect(THREADS)

    def away(*_anything: Any) -> str:
        raise DiscordError("away")

    with monkeypatch.context() as patch:
        patch.setattr(client, "thread_begin", away)
        told.say()
    del told.fake.messages[told.post("thread").message_id]
    told.say(after=timedelta(minutes=1))
    assert told.thread.name == "Round 1: Ada vs Ben"
    assert len(told.in_channel()) == 1


def test_a_thread_that_somebody_archived_is_taken_out_for_an_edit(told: Told) -> None:
    told.connect(THREADS, MATCHES)
    play = told.stage.play()
    told.say()
    told.thread.archived = True
    play.move(0, "pick T", 1000)
    play.move(1, "pick L", 2000)
    told.say()
    assert not told.thread.archived
    assert told.post("match").version == play.versions[2]


def lock(told: Told) -> None:
    """A moderator closes the thread, and the bot may not open it again."""
    told.thread.archived = told.thread.locked = True
    told.thread.may.discard("manage")


def test_a_thread_that_is_locked_is_no_trouble_of_the_channel(told: Told) -> None:
    """There is another one; and after that the messages stand in the channel."""
    told.connect(NEWS, THREADS, MATCHES)
    play = told.stage.play()
    told.say()
    first = told.thread
    lock(told)
    play.move(0, "pick T", 1000)
    play.move(1, "pick L", 2000)
    told.say()
    second = told.thread
    assert second.id != first.id
    assert [each.id for each in told.in_thread()] == [told.post("match").message_id]
    assert told.post("match").version == play.versions[2]
    lock(told)
    play.move(0, "first", 3000)
    told.say()
    assert told.place().in_channel
    assert told.shown("match").channel == told.here.id
    told.stage.event("season.reopened", "It goes on.")
    told.say(after=timedelta(days=4))
    channel = DiscordChannel.objects.get()
    assert (channel.active, channel.failing_since, channel.fault) == (True, None, "")
    assert content(told.in_channel()[-1]) == "It goes on."


def test_for_an_edit_when_all_is_over_there_is_no_new_thread(told: Told) -> None:
    told.connect(THREADS, MATCHES, RESULTS)
    conceded(begun(told.stage.orla, told.stage.death_match), winner=0)
    told.say()
    there = told.thread
    lock(told)
    said = len(told.in_thread())
    outbox.match_touch(
        DiscordChannel.objects.get(), told.stage.death_match, told.post("match").match_id or 0
    )
    DiscordPost.objects.filter(kind="match").update(body="")
    told.say(after=timedelta(minutes=1))
    assert told.thread is there
    assert len(told.in_thread()) == said
    assert (told.post("match").status, told.post("match").fault) == (
        "abandoned",
        "The thread is locked.",
    )
    assert DiscordChannel.objects.get().failing_since is None


@pytest.mark.parametrize("code", [50001, 50013, client.THREAD_LOCKED])
def test_what_the_bot_may_not_do_in_a_thread_alone(
    told: Told, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    told.connect(THREADS, RESULTS)
    told.say()
    first = told.thread
    post = client.message_post

    def refuses(channel: str, *arguments: Any, **more: Any) -> str:
        if channel == first.id:
            raise DiscordError("no", status=403, code=code)
        return post(channel, *arguments, **more)

    monkeypatch.setattr(client, "message_post", refuses)
    conceded(begun(told.stage.orla, told.stage.death_match), winner=0)
    told.say()
    assert told.thread is not first
    assert len(told.in_thread()) == 1
    assert DiscordChannel.objects.get().failing_since is None


def test_but_a_bot_that_was_thrown_out_is_out_of_all_threads(told: Told) -> None:
    """It is the channel's trouble, and the thread stays what it is."""
    told.connect(THREADS, MATCHES)
    play = told.stage.play()
    told.say()
    there = told.thread
    for each in (told.here, there):
        each.hidden = True
    play.move(0, "pick T", 1000)
    play.move(1, "pick L", 2000)
    told.say()
    channel = DiscordChannel.objects.get()
    assert channel.failing_since is not None
    assert channel.fault == "The bot may not write there."
    told.say(after=timedelta(days=2, hours=23, minutes=30))
    assert not DiscordChannel.objects.get().active
    assert told.place().thread_id == there.id


def test_a_channel_that_was_deleted_is_given_up_at_once(told: Told) -> None:
    told.connect(NEWS, MATCHES)
    play = told.stage.play()
    told.say()
    told.fake.delete(told.here)
    told.stage.event("season.reopened", "It goes on.")
    told.say()
    channel = DiscordChannel.objects.get()
    assert channel.disabled_why == "The channel is there no longer."
    assert not DiscordPost.objects.waiting().exists()
    assert not play.match.followed
    with pytest.raises(Refusal, match=r"posts\.no-channel"), committing():
        services.channel_switch(acting_user=told.stage.orla, channel=channel, active=True)


# -- what the bot may not do ---------------------------------------------------------------------


def test_without_leave_for_threads_all_stands_in_the_channel(told: Told) -> None:
    told.here.may.discard("threads")
    told.connect(THREADS, MATCHES, RESULTS)
    conceded(begun(told.stage.orla, told.stage.death_match), winner=0)
    told.say()
    assert told.place().in_channel
    assert len(told.in_channel()) == 3  # the head, the match, the result


def test_nor_where_the_leave_was_taken_back_meanwhile(told: Told) -> None:
    channel = told.connect(THREADS, MATCHES)
    told.here.may -= {"threads", "files"}
    told.stage.play()
    told.say()
    assert told.place().in_channel
    assert told.shown("match").files == {}
    channel.refresh_from_db()
    assert channel.lacks == ["files", "threads"]
    assert told.shown("match").channel == told.here.id


def test_a_bot_that_may_not_write_waits_for_leave(told: Told) -> None:
    told.connect(NEWS)
    told.here.may.discard("send")
    told.stage.event("season.reopened", "It goes on.")
    told.say()
    assert DiscordChannel.objects.get().fault == "The bot may not write there."
    assert told.post("event").status == "waiting"
    told.here.may.add("send")
    told.say(after=timedelta(minutes=1))
    assert len(told.in_channel()) == 1


def test_what_discord_does_not_take_keeps_nothing_back(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    told.connect(PEOPLE)
    told.stage.event("contestant.eliminated", "Ben is out.", contestant=told.stage.away)
    told.stage.event("contestant.restored", "Ben is back in.", contestant=told.stage.away)
    first = DiscordPost.objects.order_by("pk")[0]
    DiscordPost.objects.filter(pk=first.pk).update(body='{"embeds":[],"components":[],"bad":1}')
    told.say()
    first.refresh_from_db()
    assert (first.status, first.fault) == ("failed", "Discord did not take it: 400 50035")
    assert [content(each) for each in told.in_channel()] == ["Ben is back in."]


def test_nor_does_a_fault_of_ours(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    told.connect(ROUNDS, PEOPLE)

    def fails(*_anything: object) -> None:
        raise RuntimeError("ours")

    with monkeypatch.context() as patch:
        patch.setattr("tournaments.posts.words.round_said", fails)
        told.stage.event("contestant.eliminated", "Ben is out.", contestant=told.stage.away)
        told.say()
    assert told.post("round").status == "failed"
    assert [content(each) for each in told.in_channel()] == ["**Ben is out.**\nStill in: Ada, Ben"]
    # The next time it changes it is said.
    told.stage.event("round.closed", "It is complete.", round=told.stage.round)
    told.say()
    assert told.post("round").status == "done"


def test_codes_are_those_of_the_fake() -> None:
    assert client.UNKNOWN_CHANNEL == UNKNOWN_CHANNEL


# -- clearing up ---------------------------------------------------------------------------------


def test_what_was_said_long_ago_is_forgotten_but_for_what_lives(
    told: Told, set_clock: Callable[[int], None]
) -> None:
    told.connect(NEWS, ROUNDS)
    told.stage.event("season.reopened", "It goes on.")
    told.say()
    DiscordPost.objects.update(created_at=told.stage.at - timedelta(days=40))
    tasks.prune()
    assert DiscordPost.objects.get().kind == "round"


def test_the_sweep_hands_out_what_is_due(told: Told) -> None:
    told.connect(NEWS, roles=told.roles)
    told.stage.event("season.reopened", "It goes on.")
    told.stage.workers.handed.clear()
    tasks.sweep()
    handed = [each.task for each in told.stage.workers.handed]
    assert handed == [DISCORD_SAY, "tournaments.posts.tasks.give_roles"]
