"""What organisers do about the channel in which the bot tells of their season."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from accounts.discord.services import discord_unlink
from accounts.models import AuditEntry, User
from core.refusals import Refusal
from tests.games.support import Play, committing, nothing_changes
from tests.posts.support import Told, content, drafted
from tournaments.discord.fake.server import MANAGE_ROLES, MANAGE_WEBHOOKS
from tournaments.models import DiscordChannel, DiscordPlace, DiscordPost, DiscordRole
from tournaments.posts import services
from tournaments.posts.kinds import KINDS, MATCHES, NEWS, ROUNDS

pytestmark = pytest.mark.django_db

TABLES = (DiscordChannel, DiscordPlace, DiscordPost, DiscordRole, AuditEntry)


def refused(code: str, call: Callable[..., Any], /, **arguments: Any) -> Refusal:
    """The refusal that ``call`` raises: this code, a sentence, and nothing has changed."""
    with nothing_changes(TABLES), pytest.raises(Refusal) as caught:
        call(**arguments)
    assert caught.value.code == code, caught.value.sentence
    assert caught.value.sentence.endswith((".", "?", "!"))
    return caught.value


def connecting(told: Told, **more: Any) -> Callable[..., Any]:
    """What connects the channel."""
    arguments: dict[str, Any] = {
        "acting_user": told.stage.orla,
        "season": told.stage.season,
        "channel_id": told.here.id,
        "kinds": list(KINDS),
        **more,
    }
    return partial(services.channel_connect, **arguments)


# -- connecting ----------------------------------------------------------------------------------


def test_a_channel_is_connected(told: Told) -> None:
    channel = told.connect(mentions=True, roles=told.roles)
    assert (channel.channel_id, channel.guild_id) == (told.here.id, told.server.id)
    assert str(channel) == "#matches in The community"
    assert channel.lacks == []
    assert channel.kinds == list(KINDS)
    entry = AuditEntry.objects.get(action="discord_channel.connect")
    assert entry.who == told.stage.orla
    assert entry.data["channel"] == told.here.id
    assert entry.data["contestant_role"] == told.plays
    # What is going on is told at once.
    assert set(DiscordPost.objects.values_list("kind", flat=True)) == {"round", "thread"}


def test_only_organisers_connect(told: Told, cleo: User) -> None:
    refused("posts.not-allowed", connecting(told, acting_user=cleo))


def test_nothing_is_offered_without_a_bot(told: Told, settings: Any) -> None:
    settings.GAUNTLET_DISCORD_BOT_TOKEN = ""
    refused("posts.not-offered", connecting(told))


def test_there_is_one_channel_for_a_season(told: Told) -> None:
    told.connect()
    refused("posts.connected-already", connecting(told))


@pytest.mark.parametrize("number", ["", "#matches", "1" * 21, "12 34", "\N{FULLWIDTH DIGIT ONE}"])
def test_a_channel_has_a_number(told: Told, number: str) -> None:
    refused("posts.channel", connecting(told, channel_id=number))


def test_what_is_told_is_known(told: Told) -> None:
    refused("posts.kinds", connecting(told, kinds=[]))
    refused("posts.kinds", connecting(told, kinds=["gossip"]))


def test_who_connects_has_linked_an_account(told: Told) -> None:
    told.stage.orla.set_password("two-enter-one-goes")
    told.stage.orla.save()
    discord_unlink(acting_user=told.stage.orla)
    refused("posts.not-linked", connecting(told))


def test_who_connects_may_manage_webhooks_there(told: Told) -> None:
    """Else anybody's channel would do, in any server with the bot."""
    told.server.permissions[told.manages] = MANAGE_ROLES
    refused("posts.not-yours", connecting(told))
    del told.server.members[told.orla.id]
    refused("posts.not-yours", connecting(told))


def test_the_bot_sees_the_channel(told: Told) -> None:
    refused("posts.no-channel", connecting(told, channel_id="123456789"))
    told.here.hidden = True
    refused("posts.no-channel", connecting(told))


def test_it_is_a_channel_for_text(told: Told) -> None:
    told.here.type = 2
    refused("posts.no-text", connecting(told))


def test_the_bot_may_write_there(told: Told) -> None:
    told.here.may.discard("send")
    refused("posts.may-not-write", connecting(told))


def test_what_the_bot_may_not_do_besides_is_said(told: Told) -> None:
    told.here.may -= {"threads", "files"}
    told.server.may_manage_roles = False
    channel = told.connect(roles=told.roles)
    assert channel.lacks == ["files", "threads", "roles"]


def test_a_discord_that_does_not_answer(told: Told, impatient: None) -> None:
    told.fake.instead = [503] * 9
    refused("posts.away", connecting(told))


# -- roles ---------------------------------------------------------------------------------------


def test_roles_are_numbers_and_different(told: Told) -> None:
    refused("posts.role", connecting(told, roles={"contestant_role": "Contestant"}))
    alike = {"contestant_role": told.plays, "eliminated_role": told.plays}
    refused("posts.roles-alike", connecting(told, roles=alike))


def test_roles_are_there(told: Told) -> None:
    refused("posts.no-role", connecting(told, roles={"contestant_role": "99"}))


def test_nobody_has_the_bot_promote_whom_they_could_not(told: Told) -> None:
    high = told.fake.new_id()
    told.server.roles[high] = "Owner's friend"
    refused("posts.role-not-yours", connecting(told, roles={"contestant_role": high}))
    told.server.permissions[told.manages] = MANAGE_WEBHOOKS
    refused("posts.role-not-yours", connecting(told, roles=told.roles))


def test_nor_by_a_change(told: Told) -> None:
    channel = told.connect(roles=told.roles)
    high = told.fake.new_id()
    told.server.roles[high] = "Owner's friend"
    change = partial(
        services.channel_update, acting_user=told.stage.orla, channel=channel,
        roles={"eliminated_role": high},
    )  # fmt: skip
    refused("posts.role-not-yours", change)


# -- changing ------------------------------------------------------------------------------------


def test_a_channel_is_changed(told: Told) -> None:
    channel = told.connect(NEWS)
    assert not DiscordPost.objects.exists()
    with committing():
        changed = services.channel_update(
            acting_user=told.stage.orla, channel=channel, kinds=[ROUNDS, NEWS], mentions=True
        )
    assert (changed.kinds, changed.mentions) == ([ROUNDS, NEWS], True)
    # What it is to say from now on, and is going on, is said.
    assert DiscordPost.objects.get().kind == "round"
    entry = AuditEntry.objects.get(action="discord_channel.update")
    assert entry.data["kinds"] == [ROUNDS, NEWS]


def test_what_stays_as_it_was_leaves_no_trace(told: Told) -> None:
    channel = told.connect(NEWS)
    services.channel_update(acting_user=told.stage.orla, channel=channel, kinds=[NEWS])
    assert not AuditEntry.objects.filter(action="discord_channel.update").exists()


def test_others_change_nothing(told: Told, cleo: User) -> None:
    channel = told.connect()
    for call in (
        services.channel_update, services.channel_check, services.channel_test,
        services.channel_disconnect, partial(services.channel_switch, active=False),
    ):  # fmt: skip
        refused("posts.not-allowed", call, acting_user=cleo, channel=channel)


def test_what_is_gone_cannot_be_changed(told: Told) -> None:
    channel = told.connect()
    with committing():
        services.channel_disconnect(acting_user=told.stage.orla, channel=channel)
    assert AuditEntry.objects.filter(action="discord_channel.disconnect").exists()
    assert not DiscordPost.objects.exists()
    for call in (services.channel_update, services.channel_test, services.channel_disconnect):
        refused("posts.none", call, acting_user=told.stage.orla, channel=channel)


def followed(play: Play) -> bool:
    """Whether turns of a match are told of."""
    return play.match.followed


def test_a_match_is_followed_while_somebody_listens(told: Told) -> None:
    play = told.stage.play()
    assert not followed(play)
    channel = told.connect()
    assert followed(play)
    with committing():
        services.channel_update(acting_user=told.stage.orla, channel=channel, kinds=[NEWS])
    assert not followed(play)
    with committing():
        services.channel_update(acting_user=told.stage.orla, channel=channel, kinds=[MATCHES])
        services.channel_disconnect(acting_user=told.stage.orla, channel=channel)
    assert not followed(play)


# -- switching -----------------------------------------------------------------------------------


def test_off_and_on_again(told: Told) -> None:
    channel = told.connect(NEWS, ROUNDS)
    with committing():
        services.channel_switch(acting_user=told.stage.orla, channel=channel, active=False)
    assert DiscordPost.objects.get().status == "abandoned"
    refused(
        "posts.switched", services.channel_switch,
        acting_user=told.stage.orla, channel=channel, active=False,
    )  # fmt: skip
    told.stage.event("season.reopened", "It goes on.")
    assert DiscordPost.objects.filter(kind="event").count() == 0
    with committing():
        services.channel_switch(acting_user=told.stage.orla, channel=channel, active=True)
    assert told.say() == 1
    assert len(told.in_channel()) == 1


def test_on_only_where_the_bot_may_write(told: Told) -> None:
    channel = told.connect(NEWS)
    with committing():
        services.channel_switch(acting_user=told.stage.orla, channel=channel, active=False)
    told.here.may.discard("send")
    refused(
        "posts.may-not-write", services.channel_switch,
        acting_user=told.stage.orla, channel=channel, active=True,
    )  # fmt: skip


def test_it_is_asked_again_what_the_bot_may(told: Told) -> None:
    channel = told.connect()
    told.here.may.discard("files")
    told.here.name = "arena"
    checked = services.channel_check(acting_user=told.stage.orla, channel=channel)
    assert (checked.lacks, checked.name) == (["files"], "arena")
    told.fake.delete(told.here)
    refused(
        "posts.no-channel", services.channel_check, acting_user=told.stage.orla, channel=channel
    )


def test_a_test_is_said_even_of_a_draft(told: Told) -> None:
    channel = told.connect(NEWS)
    drafted(told)
    with committing():
        services.channel_test(acting_user=told.stage.orla, channel=channel)
    refused("posts.test-pending", services.channel_test, acting_user=told.stage.orla,
            channel=channel)  # fmt: skip
    told.say()
    (message,) = told.in_channel()
    assert content(message).startswith("This is a test.")
    services.channel_test(acting_user=told.stage.orla, channel=channel)
