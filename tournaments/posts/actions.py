"""What organisers can do about a season's channel, in tables: see `core.actions`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from django.urls import reverse
from django.utils.functional import cached_property

from accounts.models import User
from core.actions import Action, Actions
from core.refusals import Refusal, refusal_of
from tournaments.models import Season
from tournaments.posts import services
from tournaments.posts.forms import ChangeForm, ConnectForm
from tournaments.posts.models import DiscordChannel


@dataclass(frozen=True)
class AtSeasonsDiscord:
    """Somebody, and a season."""

    user: User
    season: Season


@dataclass(frozen=True)
class AtChannel:
    """Somebody, and the channel of a season."""

    user: User
    channel: DiscordChannel

    def must_manage(self) -> None:
        """Raises Refusal ``posts.not-allowed``; asked once, for all that can be done."""
        if self._refusal is not None:
            raise self._refusal

    @cached_property
    def _refusal(self) -> Refusal | None:
        return refusal_of(services.must_manage, self.channel.season, self.user)


def _for_managers(check: Callable[[DiscordChannel], object]) -> Callable[[AtChannel], None]:
    def ask(subject: AtChannel) -> None:
        subject.must_manage()
        check(subject.channel)

    return ask


def _must_be(*, active: bool) -> Callable[[AtChannel], None]:
    def ask(subject: AtChannel) -> None:
        subject.must_manage()
        services.must_be_switched(subject.channel, active=active)

    return ask


def _connect(subject: AtSeasonsDiscord, form: Any) -> str:
    channel = services.channel_connect(
        acting_user=subject.user, season=subject.season, **form.values()
    )
    return channel.get_absolute_url()


def _disconnect(subject: AtChannel, _form: Any) -> str:
    services.channel_disconnect(acting_user=subject.user, channel=subject.channel)
    return reverse("posts:channel", args=[subject.channel.season.slug])


CONNECT: Final = Action[AtSeasonsDiscord](
    name="connect",
    label="Connect a channel",
    title="Connect a channel in Discord",
    button="Connect the channel",
    done="The channel is connected. Send a test to see it work.",
    follows=[
        "Discord is asked whether the bot may write there, and whether you may have it do so.",
        "What is going on in the season is told at once.",
    ],
    check=lambda s: services.must_be_connectable(s.season, s.user),
    form=lambda s: partial(ConnectForm, season=s.season),
    run=_connect,
)

SEASON: Final = Actions("discord-season", (CONNECT,))

CHANGE: Final = Action[AtChannel](
    name="change",
    label="Change",
    title=lambda s: str(s.channel),
    button="Save",
    done="Saved.",
    check=AtChannel.must_manage,
    form=lambda s: partial(ChangeForm, channel=s.channel),
    run=lambda s, form: services.channel_update(
        acting_user=s.user, channel=s.channel, **form.values()
    ),
)
TEST: Final = Action[AtChannel](
    name="test",
    label="Send a test",
    title=lambda s: f"Test {s.channel}",
    button="Send a test",
    done="The test is on its way; the log shows what comes of it.",
    check=_for_managers(services.must_await_no_test),
    run=lambda s, _form: services.channel_test(acting_user=s.user, channel=s.channel),
    at_once=True,
)
CHECK: Final = Action[AtChannel](
    name="check",
    label="Check again",
    title=lambda s: f"Check {s.channel}",
    button="Check again",
    done="Discord was asked what the bot may do there.",
    check=AtChannel.must_manage,
    run=lambda s, _form: services.channel_check(acting_user=s.user, channel=s.channel),
    at_once=True,
)
SWITCH_ON: Final = Action[AtChannel](
    name="switch-on",
    label="Switch on",
    title=lambda s: f"Switch {s.channel} on",
    button="Switch on",
    done="The bot tells of the season again.",
    check=_must_be(active=False),
    run=lambda s, _form: services.channel_switch(
        acting_user=s.user, channel=s.channel, active=True
    ),
    at_once=True,
)
SWITCH_OFF: Final = Action[AtChannel](
    name="switch-off",
    label="Switch off",
    title=lambda s: f"Switch {s.channel} off",
    button="Switch off",
    done="The bot says nothing more, and takes the roles back that it gave.",
    check=_must_be(active=True),
    run=lambda s, _form: services.channel_switch(
        acting_user=s.user, channel=s.channel, active=False
    ),
    at_once=True,
)
DISCONNECT: Final = Action[AtChannel](
    name="disconnect",
    label="Disconnect",
    title=lambda s: f"Disconnect {s.channel}",
    button="Disconnect the channel",
    done="The channel is disconnected.",
    follows=[
        "What the bot said stays in Discord, and so do roles that it gave.",
        "To have these taken back, switch the channel off first.",
        "Its log here goes.",
    ],
    check=AtChannel.must_manage,
    run=_disconnect,
    danger=True,
)

CHANNEL: Final = Actions(
    "discord-channel", (CHANGE, TEST, CHECK, SWITCH_ON, SWITCH_OFF, DISCONNECT)
)

#: Every table.
TABLES: Final[tuple[Actions[Any], ...]] = (SEASON, CHANNEL)
