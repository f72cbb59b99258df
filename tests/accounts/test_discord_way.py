"""In Discord: direct messages of the bot, to whoever has linked an account there."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings as configured
from django.db import connection
from django.test import Client
from redis.exceptions import ConnectionError as RedisConnectionError

from accounts.announcing import discord, kinds, taking
from accounts.announcing.delivering import deliveries_sweep
from accounts.announcing.discord import WRITTEN, direct_send, direct_test
from accounts.announcing.kinds import Way, When
from accounts.announcing.services import Told, announce, choices_of, choices_set, would_hear
from accounts.announcing.taking import PutOff
from accounts.announcing.tasks import discord as discord_task
from accounts.discord.services import discord_link, discord_unlink
from accounts.jobs import DISCORD
from accounts.models import AnnouncementDelivery, DiscordLink, User
from accounts.moderation.merging import user_merge
from accounts.services import guest_create, user_close
from core.clock import now_utc
from core.discord import client, limits
from core.discord.marks import NONCE_GOOD_FOR
from core.jobs.models import SetAside
from core.refusals import Refusal
from tests.accounts.conftest import PASSWORD
from tests.discord.conftest import application, fake  # noqa: F401
from tests.discord.support import labels, plain
from tests.discord.test_client import nothing_counted  # noqa: F401
from tests.games.support import committing, refused, user_named
from tests.posts.support import addresses, unhurried
from tests.support.workers import Workers
from tournaments.discord.fake.held import Guild, Message
from tournaments.discord.fake.server import FakeDiscord, Handler

URGENT = "episode.choice"
TURN = "match.turn"
SETTINGS = "/accounts/settings/announcements/"
ADA, OTHER = "500000000000000001", "500000000000000002"
TROUBLE = "none of our messages through"


class Bot:
    """A site with a bot, and the server that it is in."""

    def __init__(self, there: FakeDiscord, workers: Workers) -> None:
        self.there, self.workers = there, workers
        self.server: Guild = there.guild(members={ADA: set(), OTHER: set()})

    def tell(self, user: User, key: str = "a", kind: str = URGENT, **more: Any) -> None:
        """Somebody is told something, with a worker that is never late."""
        given = {"subject": "Choose", "words": "You are the EC.", "path": "/seasons/one/", **more}
        with committing():
            announce([Told(user, kind, key, **given)])

    def told(self, person: str = ADA) -> list[Message]:
        """What they were written."""
        return self.there.told_directly(person)


@pytest.fixture
def bot(
    application: FakeDiscord,  # noqa: F811
    workers: Workers,
    monkeypatch: pytest.MonkeyPatch,
) -> Bot:
    unhurried(application, monkeypatch)
    monkeypatch.setattr(client, "_sleep", lambda _seconds: None)
    workers.at_once[DISCORD] = discord_task
    return Bot(application, workers)


@pytest.fixture
def ada(db: None) -> User:
    user = user_named("ada", display_name="Ada")
    user.set_password(PASSWORD)
    user.save()
    return user


@pytest.fixture
def linked(ada: User) -> User:
    """Ada, who has linked an account in Discord."""
    return link(ada)


def link(user: User, person: str = ADA) -> User:
    discord_link(acting_user=user, discord_id=person, discord_name="ada.d")
    return user


def delivery(**about: Any) -> AnnouncementDelivery:
    return AnnouncementDelivery.objects.get(way="discord", **about)


def outcomes() -> set[tuple[str, str]]:
    rows = AnnouncementDelivery.objects.filter(way="discord")
    return {*rows.values_list("outcome", "fault")}


def page_of(user: User) -> str:
    own = Client()
    own.force_login(user)
    return own.get(SETTINGS).content.decode()


def answering(status: int, code: int, **more: str) -> Callable[[Handler], None]:
    """Have Discord answer this instead."""

    def answer(handler: Handler) -> None:
        body = json.dumps({"code": code, "message": "No.", **more}).encode()
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def does_it_and_says_nothing(handler: Handler) -> None:
    """Discord does what it is asked, and the answer is lost."""
    there = handler.server.fake
    there.answer(there.requests[-1])


# -- what arrives --------------------------------------------------------------------------------


def test_what_is_told_arrives_as_it_reads_everywhere(linked: User, bot: Bot) -> None:
    bot.tell(
        linked,
        subject="*Autumn*: choose",
        words="@everyone <@1> [here](https://evil.example)\n1. one\n# two",
    )
    (message,) = bot.told()
    said = message.body["content"]
    assert plain(said) == (
        "***Autumn*: choose**\n@everyone <@1> [here](https://evil.example)\n1. one\n# two"
    )
    assert message.body["allowed_mentions"] == {"parse": []}
    assert "\\@everyone \\<@1>" in said
    assert "://" not in said
    origin = configured.GAUNTLET_ORIGIN
    first, second = addresses(message)
    assert first == f"{origin}/seasons/one/"
    assert second.partition("#")[0] == f"{origin}{SETTINGS}"
    assert labels(message) == ["Open", "Choose what you are told"]
    assert outcomes() == {("sent", "")}


def test_what_is_long_is_shortened_to_what_discord_takes(linked: User, bot: Bot) -> None:
    bot.tell(linked, subject="*" * 250, words="_" * 2000)
    (message,) = bot.told()
    assert len(message.body["content"]) <= 2000
    assert plain(message.body["content"]).startswith(f"**{'*' * 250}**\n{'_' * 700}")
    assert message.body["content"].endswith("\\_…")


def test_one_channel_is_opened_and_kept(linked: User, bot: Bot) -> None:
    bot.tell(linked)
    bot.tell(linked, "b")
    assert len(bot.told()) == 2
    asked = [request.path for request in bot.there.requests]
    assert len([path for path in asked if path.endswith("/users/@me/channels")]) == 1
    (channel,) = (each for each in bot.there.channels.values() if each.recipient)
    assert DiscordLink.objects.get().channel == channel.id


def test_nobody_waits_for_discord_with_a_transaction_open(
    linked: User, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_ = []
    for name in ("direct_open", "message_post"):
        whole = getattr(client, name)

        def asked(*given: Any, whole: Any = whole, **more: Any) -> Any:
            open_.append(len(connection.savepoint_ids))
            return whole(*given, **more)

        monkeypatch.setattr(client, name, asked)
    bot.workers.at_once.clear()
    bot.tell(linked)
    before = len(connection.savepoint_ids)
    discord_task(delivery().pk)
    assert open_ == [before, before]


# -- to whom -------------------------------------------------------------------------------------


def test_by_default_it_is_as_on_devices_but_for_turns() -> None:
    """A turn is told there to whoever asks for it."""
    differ = {
        kind.key
        for kind in kinds.known().values()
        if kind.default(Way.DISCORD) is not kind.default(Way.PUSH)
    }
    assert differ == {TURN}
    assert kinds.kind_of(TURN).default(Way.DISCORD) is When.OFF
    assert kinds.CHOICES[Way.DISCORD] == (When.NOW, When.OFF)


def test_nothing_is_kept_to_be_sent_where_there_is_nobody_to_write_to(
    ada: User, bot: Bot, settings: Any
) -> None:
    """Not linked, nor with a bot."""
    bot.tell(ada)
    settings.GAUNTLET_DISCORD_BOT_TOKEN = ""
    bot.tell(link(ada), "b")
    assert outcomes() == set()
    assert bot.workers.of(DISCORD) == []
    assert bot.there.requests == []


def test_nothing_is_written_to_whoever_has_chosen_not_to(linked: User, bot: Bot) -> None:
    choices_set(acting_user=linked, chosen={(URGENT, Way.DISCORD): When.OFF})
    bot.tell(linked)
    bot.tell(linked, "news", "season.news")
    bot.tell(linked, "turn", TURN)
    assert outcomes() == set()
    choices_set(acting_user=linked, chosen={(TURN, Way.DISCORD): When.NOW})
    bot.tell(linked, "turn 2", TURN)
    assert len(bot.told()) == 1


def test_a_turn_is_heard_of_by_whoever_wants_it_there_alone(ada: User, bot: Bot) -> None:
    turn = kinds.kind_of(TURN)
    choices_set(acting_user=ada, chosen={(TURN, Way.DISCORD): When.NOW})
    assert would_hear(turn, [ada.pk]) == set()
    link(ada)
    assert would_hear(turn, [ada.pk]) == {ada.pk}


def test_nobody_is_written_to_who_has_no_account(linked: User, bot: Bot) -> None:
    bot.workers.at_once.clear()
    bot.tell(linked)
    root = User.objects.create_superuser("root")
    user_close(acting_user=root, user=linked, reason="Gone.")
    assert direct_send(delivery_id=delivery().pk)
    assert outcomes() == {("unreached", "There is nobody in Discord to write to.")}
    linked.refresh_from_db()
    bot.tell(linked, "b")
    bot.tell(guest_create(), "c")
    assert AnnouncementDelivery.objects.filter(way="discord").count() == 1
    assert bot.there.requests == []


def test_unlinking_ends_it_and_linking_begins_it_anew(linked: User, bot: Bot) -> None:
    bot.tell(linked)
    bot.workers.at_once.clear()
    bot.tell(linked, "waits")
    discord_unlink(acting_user=linked)
    assert direct_send(delivery_id=delivery(outcome="waiting").pk)
    bot.tell(linked, "between")
    assert not AnnouncementDelivery.objects.filter(
        way="discord", announcement__key="between"
    ).exists()
    bot.workers.at_once[DISCORD] = discord_task
    link(linked, OTHER)
    bot.tell(linked, "after")
    assert (len(bot.told()), len(bot.told(OTHER))) == (1, 1)


def test_of_merged_accounts_only_the_kept_one_is_written_to(
    ada: User, bot: Bot, mona: User
) -> None:
    duplicate = link(user_named("twice"), OTHER)
    link(ada)
    bot.workers.at_once.clear()
    bot.tell(duplicate)
    with committing():
        user_merge(acting_user=mona, keep=ada, duplicate=duplicate, reason="The same.")
    bot.workers.at_once[DISCORD] = discord_task
    discord_task(delivery().pk)
    duplicate.refresh_from_db()
    bot.tell(duplicate, "b")
    assert (len(bot.told()), len(bot.told(OTHER))) == (1, 0)
    assert DiscordLink.objects.get().user == ada


# -- once ----------------------------------------------------------------------------------------


def put_off(pk: int) -> None:
    with pytest.raises(PutOff):
        direct_send(delivery_id=pk)


@pytest.fixture
def impatient(settings: Any) -> None:
    settings.GAUNTLET_DISCORD_BOT_STAGE_SECONDS = 0.3
    settings.GAUNTLET_DISCORD_BOT_TOTAL_SECONDS = 0.6


def test_what_is_sent_twice_stands_there_once(linked: User, bot: Bot, impatient: None) -> None:
    """Its answer was lost: Discord knows the nonce, and later it is looked for."""
    bot.tell(linked, "before")
    bot.workers.at_once.clear()
    bot.tell(linked, words="Once.")
    pk = delivery(outcome="waiting").pk
    bot.there.instead = [does_it_and_says_nothing] * 9
    put_off(pk)
    bot.there.instead = []
    put_off_at = now_utc() - NONCE_GOOD_FOR
    posted = len(bot.there.requests)
    assert len(bot.told()) == 2
    assert direct_send(delivery_id=pk)
    assert bot.there.requests[posted].method == "POST"
    AnnouncementDelivery.objects.filter(pk=pk).update(
        outcome="waiting", settled_at=None, taken_at=None, at=put_off_at
    )
    bot.there.skip(600)
    posted = len(bot.there.requests)
    assert direct_send(delivery_id=pk)
    assert {request.method for request in bot.there.requests[posted:]} == {"GET"}
    assert len(bot.told()) == 2
    assert not direct_send(delivery_id=pk)


def test_what_is_late_and_does_not_stand_there_is_written(linked: User, bot: Bot) -> None:
    bot.tell(linked, "before")
    bot.workers.at_once.clear()
    bot.tell(linked)
    AnnouncementDelivery.objects.filter(outcome="waiting").update(
        at=now_utc() - timedelta(minutes=5)
    )
    assert direct_send(delivery_id=delivery(outcome="waiting").pk)
    assert len(bot.told()) == 2


def test_where_the_bot_may_not_look_it_is_not_written_a_second_time(linked: User, bot: Bot) -> None:
    bot.tell(linked, "before")
    bot.workers.at_once.clear()
    bot.tell(linked)
    AnnouncementDelivery.objects.filter(outcome="waiting").update(
        at=now_utc() - timedelta(minutes=5)
    )
    (channel,) = (each for each in bot.there.channels.values() if each.recipient)
    channel.may.discard("history")
    assert direct_send(delivery_id=delivery(outcome="waiting").pk)
    assert outcomes() == {("sent", ""), ("unreached", "Discord did not take it: 403 50013.")}
    assert len(bot.told()) == 1


def test_what_somebody_is_at_is_left_to_them_unless_they_were_killed(
    linked: User, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot.workers.at_once.clear()
    bot.tell(linked)
    row = delivery()
    AnnouncementDelivery.objects.update(taken_at=now_utc())
    assert not direct_send(delivery_id=row.pk)
    AnnouncementDelivery.objects.update(taken_at=now_utc() - timedelta(minutes=4))
    # While as many threads as may be wait for Discord, it is asked for again soon.
    monkeypatch.setattr(discord.SENDERS, "busy", configured.GAUNTLET_DISCORD_DIRECT_SENDERS)
    discord_task(row.pk)
    assert bot.workers.handed[-1][1:] == ((row.pk,), taking.BUSY_PAUSE_S)
    assert bot.told() == []
    monkeypatch.setattr(discord.SENDERS, "busy", 0)
    discord_task(row.pk)
    assert len(bot.told()) == 1
    assert discord.SENDERS.busy == 0


# -- what passes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "instead",
    [
        500,
        503,
        429,
        answering(401, 0),  # an operator mends it
        answering(400, client.OPENING_TOO_FAST),
        does_it_and_says_nothing,
    ],
)
def test_what_passes_is_tried_again(linked: User, bot: Bot, impatient: None, instead: Any) -> None:
    bot.there.instead = [instead] * 9
    bot.tell(linked)
    assert SetAside.objects.get().job == WRITTEN
    assert outcomes() == {("waiting", "")}
    bot.there.instead = []
    AnnouncementDelivery.objects.update(at=now_utc() - timedelta(minutes=1))
    deliveries_sweep()  # set aside: not yet
    assert outcomes() == {("waiting", "")}
    SetAside.objects.update(next_at=now_utc())
    deliveries_sweep()
    deliveries_sweep()
    assert outcomes() == {("sent", "")}
    assert len(bot.told()) == 1
    assert not SetAside.objects.exists()
    assert TROUBLE not in page_of(linked)


def test_a_broker_that_is_away_costs_the_time_until_the_sweep(linked: User, bot: Bot) -> None:
    bot.workers.fault = ConnectionError()
    bot.tell(linked)
    bot.workers.fault = None
    deliveries_sweep()
    assert bot.told() == []  # somebody may still have it in hand
    AnnouncementDelivery.objects.update(at=now_utc() - timedelta(minutes=1))
    deliveries_sweep()
    assert len(bot.told()) == 1


def test_where_what_counts_is_away_it_is_written_all_the_same(
    linked: User, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> None:
        raise RedisConnectionError

    monkeypatch.setattr(limits, "_client", away)
    bot.tell(linked)
    assert len(bot.told()) == 1


@pytest.mark.parametrize(
    ("kind", "worth"),
    [
        (URGENT, timedelta(hours=1)),
        ("death-match.terms", timedelta(days=1)),
        ("season.news", timedelta(days=3)),
        (TURN, timedelta(minutes=10)),
    ],
)
def test_it_is_tried_for_as_long_as_it_is_worth_something(
    linked: User, bot: Bot, kind: str, worth: timedelta
) -> None:
    choices_set(acting_user=linked, chosen={(kind, Way.DISCORD): When.NOW})
    bot.workers.at_once.clear()
    bot.tell(linked, kind=kind)
    pk = delivery().pk
    bot.there.instead = [500] * 99
    AnnouncementDelivery.objects.update(at=now_utc() - worth + timedelta(minutes=1))
    put_off(pk)
    AnnouncementDelivery.objects.update(at=now_utc() - worth)
    asked = len(bot.there.requests)
    assert direct_send(delivery_id=pk)
    assert outcomes() == {("unreached", "It could not be written in time.")}
    assert len(bot.there.requests) == asked


# -- what does not -------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [client.TAKES_NO_MESSAGES, client.SHARES_NO_SERVER])
def test_whoever_takes_no_messages_is_told_what_to_do_until_one_gets_through(
    linked: User, bot: Bot, code: int
) -> None:
    assert TROUBLE not in page_of(linked)
    if code == client.TAKES_NO_MESSAGES:
        bot.there.closed.add(ADA)
    else:
        del bot.server.members[ADA]
    bot.tell(linked)
    assert outcomes() == {("unreached", f"Discord did not take it: 403 {code}.")}
    assert not SetAside.objects.exists()
    since = DiscordLink.objects.get().shut_since
    assert since is not None
    page = page_of(linked)
    assert TROUBLE in page
    assert "allow direct messages" in page
    assert "a server that our bot is in" in page
    bot.tell(linked, "b")
    assert DiscordLink.objects.get().shut_since == since
    bot.there.closed.clear()
    bot.server.members[ADA] = set()
    bot.tell(linked, "c")
    assert len(bot.told()) == 1
    assert TROUBLE not in page_of(linked)


@pytest.mark.parametrize(("status", "code"), [(403, 50001), (404, 0), (400, 50035), (404, 10013)])
def test_what_discord_will_never_take_is_given_up(
    linked: User, bot: Bot, status: int, code: int
) -> None:
    bot.there.instead = [answering(status, code)]
    bot.tell(linked)
    assert outcomes() == {("unreached", f"Discord did not take it: {status} {code}.")}
    assert not SetAside.objects.exists()
    assert TROUBLE not in page_of(linked)
    bot.tell(linked, "b")
    assert len(bot.told()) == 1


def test_a_channel_that_is_gone_is_opened_anew(linked: User, bot: Bot) -> None:
    bot.tell(linked)
    (channel,) = (each for each in bot.there.channels.values() if each.recipient)
    bot.there.delete(channel)
    bot.tell(linked, "b")
    assert bot.told() == []
    SetAside.objects.update(next_at=now_utc())
    AnnouncementDelivery.objects.update(at=now_utc() - timedelta(minutes=1))
    deliveries_sweep()
    assert len(bot.told()) == 1


def test_one_that_is_gone_as_soon_as_it_was_opened_is_not_opened_for_ever(
    linked: User, bot: Bot
) -> None:
    bot.there.instead = [answering(200, 0, id="7")]
    bot.tell(linked)
    assert outcomes() == {("unreached", "Discord did not take it: 404 10003.")}


# -- the page ------------------------------------------------------------------------------------


def test_the_page_asks_about_it_only_whom_the_bot_can_write_to(
    ada: User, bot: Bot, settings: Any
) -> None:
    assert f"{URGENT}-discord" not in page_of(ada)
    assert "link your account there" in page_of(ada)
    link(ada)
    page = page_of(ada)
    assert page.count('-discord" id=') == len(kinds.known())
    assert '<th scope="col">In Discord</th>' in page
    assert "<strong>ada.d</strong>" in page
    assert "link your account there" not in page
    settings.GAUNTLET_DISCORD_BOT_TOKEN = ""
    page = page_of(ada)
    for gone in ("-discord", "In Discord", "ada.d", "our bot"):
        assert gone not in page


def test_the_page_saves_it_and_leaves_alone_what_it_does_not_ask(ada: User, bot: Bot) -> None:
    own = Client()
    own.force_login(ada)
    every = {
        f"{kind.key}-{way}": kind.default(way).value
        for kind in kinds.known().values()
        for way in Way
    }
    changed = {**every, f"{URGENT}-discord": "off"}
    assert own.post(SETTINGS, changed).status_code == 302
    assert choices_of(ada) == {}
    link(ada)
    assert own.post(SETTINGS, changed).status_code == 302
    assert choices_of(ada) == {(URGENT, Way.DISCORD): When.OFF}
    assert own.post(SETTINGS, {**every, f"{URGENT}-discord": "digest"}).status_code == 422
    discord_unlink(acting_user=ada)
    assert own.post(SETTINGS, every).status_code == 302
    assert choices_of(ada) == {(URGENT, Way.DISCORD): When.OFF}


def test_the_pages_about_discord_say_what_is_sent(linked: User, bot: Bot) -> None:
    own = Client()
    own.force_login(linked)
    about = own.get("/accounts/discord/").content.decode()
    assert "What we send you there" in about
    assert "These are direct messages" in about
    assert SETTINGS in about
    assert SETTINGS in own.get("/accounts/settings/discord/").content.decode()


# -- a test --------------------------------------------------------------------------------------

TEST = "/accounts/settings/announcements/discord/test/"


def pressed(user: User) -> str:
    """What the page says to whoever has pressed the button."""
    own = Client()
    own.force_login(user)
    return own.post(TEST, follow=True).content.decode()


def rested(user: User) -> None:
    """They had their last test sent long enough ago."""
    DiscordLink.objects.filter(user=user).update(tested_at=now_utc() - discord.TEST_EVERY)


def test_a_test_is_written_at_once_and_the_page_says_so(linked: User, bot: Bot) -> None:
    bot.workers.at_once.clear()
    assert f'action="{TEST}"' in page_of(linked)
    assert "Discord has taken the test" in pressed(linked)
    (message,) = bot.told()
    assert plain(message.body["content"]) == (
        "**A test from Gauntlet**\nAnnouncements reach you here."
    )
    origin = configured.GAUNTLET_ORIGIN
    assert addresses(message) == [f"{origin}/accounts/announcements/", f"{origin}{SETTINGS}"]
    # It is none of what they are told.
    assert not linked.announcements.exists()
    assert not AnnouncementDelivery.objects.exists()
    rested(linked)
    assert "Discord has taken the test" in pressed(linked)
    assert len(bot.told()) == 2
    assert len([each for each in bot.there.channels.values() if each.recipient]) == 1


def test_where_none_gets_through_the_answer_says_what_to_do(linked: User, bot: Bot) -> None:
    bot.there.closed.add(ADA)
    page = pressed(linked)
    assert "Discord did not let the test through to you." in page
    assert TROUBLE in page
    assert "allow direct messages" in page
    bot.there.closed.clear()
    rested(linked)
    page = pressed(linked)
    assert "Discord has taken the test" in page
    assert TROUBLE not in page


def test_a_channel_that_is_gone_is_opened_anew_for_a_test(linked: User, bot: Bot) -> None:
    DiscordLink.objects.update(channel="999999999999999999")
    assert "Discord has taken the test" in pressed(linked)
    assert len(bot.told()) == 1


@pytest.mark.parametrize(
    ("status", "code", "refusal"),
    [
        (401, 0, "direct.not-now"),
        (403, 50007, "direct.shut"),
        (403, 50278, "direct.shut"),
        (403, 40003, "direct.not-now"),
        (400, 50035, "direct.not-taken"),
        (500, 0, "direct.not-now"),
    ],
)
def test_what_discord_answers_to_a_test_is_said(
    linked: User, bot: Bot, impatient: None, status: int, code: int, refusal: str
) -> None:
    bot.there.instead = [answering(status, code)] * 9
    with pytest.raises(Refusal) as raised:
        direct_test(acting_user=linked)
    assert raised.value.code == refusal
    assert bot.told() == []
    assert (DiscordLink.objects.get().shut_since is not None) == (refusal == "direct.shut")


def test_a_test_is_refused_where_nobody_can_be_written_to(
    ada: User, bot: Bot, settings: Any
) -> None:
    assert TEST not in page_of(ada)
    refused("direct.not-linked", direct_test, acting_user=ada)
    assert "No Discord account is linked" in pressed(ada)
    link(ada)
    settings.GAUNTLET_DISCORD_BOT_TOKEN = ""
    assert TEST not in page_of(ada)
    refused("direct.off", direct_test, acting_user=ada)
    assert bot.there.requests == []


def test_tests_are_bounded(linked: User, bot: Bot, settings: Any) -> None:
    direct_test(acting_user=linked)
    refused("direct.too-often", direct_test, acting_user=linked)
    almost = now_utc() - discord.TEST_EVERY + timedelta(seconds=10)
    DiscordLink.objects.update(tested_at=almost)
    refused("direct.too-often", direct_test, acting_user=linked)
    assert len(bot.told()) == 1
    # Who waits for Discord keeps no thread from the others, and loses no turn by that.
    rested(linked)
    settings.GAUNTLET_DISCORD_DIRECT_SENDERS = 0
    refused("direct.not-now", direct_test, acting_user=linked)
    settings.GAUNTLET_DISCORD_DIRECT_SENDERS = 1
    direct_test(acting_user=linked)
    assert len(bot.told()) == 2


def test_nobody_waits_for_a_test_with_a_transaction_open(
    linked: User, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_: list[int] = []
    whole = client.message_post

    def asked(*given: Any, **more: Any) -> Any:
        open_.append(len(connection.savepoint_ids))
        return whole(*given, **more)

    monkeypatch.setattr(client, "message_post", asked)
    before = len(connection.savepoint_ids)
    pressed(linked)
    assert open_ == [before]


def test_a_test_is_asked_for_by_whoever_is_signed_in_and_by_a_button(
    linked: User, bot: Bot
) -> None:
    own = Client()
    assert own.post(TEST)["Location"].startswith("/accounts/login/")
    own.force_login(linked)
    assert own.get(TEST).status_code == 405
    assert bot.told() == []
