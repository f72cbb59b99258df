"""What Discord tells of, and what it may be answered, in its own terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Final

import msgspec
from django.contrib.auth.models import AnonymousUser
from django.utils.functional import cached_property

from accounts import roles
from accounts.discord.services import linked_user
from accounts.models import User
from core.discord.text import cut
from core.refusals import Refusal
from tournaments.discord import people

# Only whoever gave the command sees the answer.
EPHEMERAL: Final = 1 << 6
#: For how many seconds an interaction's token is good.
TOKEN_S: Final = 15 * 60
# Discord's limits, in characters and pieces.
CONTENT_MOST: Final = 2000
DESCRIPTION_MOST: Final = 4096
CHOICE_MOST: Final = 100
CHOICES_MOST: Final = 25
LABEL_MOST: Final = 80
OPTION_MOST: Final = 100


# What is said of a fault of the site's own, where an answer was promised.
FAILED: Final = "Something went wrong on the site. Please try again."


class Kind(IntEnum):
    """What somebody did."""

    PING = 1
    COMMAND = 2
    COMPONENT = 3
    TYPING = 4


class Callback(IntEnum):
    """How it is answered."""

    PONG = 1
    MESSAGE = 4
    LATER = 5
    LATER_UPDATE = 6
    UPDATE = 7
    CHOICES = 8


class DiscordUser(msgspec.Struct, frozen=True):
    """Somebody in Discord."""

    id: str
    username: str = ""
    global_name: str | None = None


class _Member(msgspec.Struct, frozen=True):
    user: DiscordUser


class _Option(msgspec.Struct, frozen=True):
    name: str
    value: str | int | float | bool | None = None
    focused: bool = False


class _Data(msgspec.Struct, frozen=True):
    name: str = ""
    options: list[_Option] = []
    custom_id: str = ""
    values: list[str] = []


class _Message(msgspec.Struct, frozen=True):
    components: list[dict[str, Any]] = []


def _is(component: Mapping[str, Any], custom_id: str) -> bool:
    return bool(component.get("custom_id") == custom_id)


class Interaction(msgspec.Struct, frozen=True):
    """What Discord tells of; what is not needed of it is left out. ``message``: that below which a
    button was pressed."""

    id: str
    type: int
    application_id: str = ""
    token: str = ""
    data: _Data = _Data()
    member: _Member | None = None
    user: DiscordUser | None = None
    guild_id: str = ""
    message: _Message | None = None

    @property
    def rows_left(self) -> list[dict[str, Any]] | None:
        """The rows below the message without the button that was pressed; None where it is not
        among them."""
        before = [] if self.message is None else self.message.components
        pressed = self.data.custom_id
        after = [
            {**row, "components": [each for each in row["components"] if not _is(each, pressed)]}
            for row in before
            if "components" in row
        ]
        left = [row for row in after if row["components"]]
        return None if left == before else left

    @property
    def who(self) -> DiscordUser:
        """Who did it: in a guild, or alone with the bot."""
        if self.member is not None:
            return self.member.user
        return self.user or DiscordUser("")


decoder: Final = msgspec.json.Decoder(Interaction)


@dataclass(frozen=True)
class Asked:
    """What somebody asks for by a command, a button or a menu. ``at``: the instant (ms) at which
    it came; ``came``: the reading of then (`core.instants`), where the server says so."""

    id: str
    person: DiscordUser
    at: int
    options: Mapping[str, Any] = field(default_factory=dict)
    focused: str = ""
    values: Sequence[str] = ()
    came: int | None = None

    @classmethod
    def of(cls, interaction: Interaction, *, at: int, came: int | None = None) -> Asked:
        """What an interaction asks for."""
        options = interaction.data.options
        return cls(
            id=interaction.id,
            person=interaction.who,
            at=at,
            options={each.name: each.value for each in options if each.value is not None},
            focused=next((each.name for each in options if each.focused), ""),
            values=interaction.data.values,
            came=came,
        )

    @cached_property
    def linked(self) -> User | None:
        """Their account here; None where none is linked, and where they may not use it."""
        return linked_user(self.person.id)

    def explained(self, refusal: Refusal) -> Refusal:
        """A refusal as it is told to them: see `accounts.roles.explained`."""
        asked = (vars(self).get(each) for each in ("user", "linked"))
        named = {"slug": self.text("season")}
        known = (user for user in asked if user is not None)
        return next((roles.explained(refusal, user, named) for user in known), refusal)

    @property
    def reader(self) -> User | AnonymousUser:
        """Who they are to whatever can be read."""
        return self.linked or AnonymousUser()

    @cached_property
    def user(self) -> User:
        """Their account, to do something with. Raises Refusal as `people.account_of` does."""
        return people.account_of(self.person.id)

    def text(self, name: str) -> str:
        """An option that is a text; empty where it was not given."""
        return str(self.options.get(name, ""))

    def number(self, name: str) -> int | None:
        """An option that is a number; None where there is none."""
        text = self.text(name)
        return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


Component = dict[str, Any]


@dataclass(frozen=True)
class Later:
    """What of an answer a worker makes: the ``board`` of a match, or its ``record``, as ``user``
    sees it; None: as anybody does."""

    what: str
    match_id: int
    user: User | None


@dataclass(frozen=True)
class Reply:
    """An answer. It is for the eyes of whoever asked, unless it is ``public``; ``update``: it takes
    the place of the message whose button was pressed; ``rows_left``: it goes beside it, of which
    only those rows stay, since the button has done its part. ``awaited`` gives the answer where
    something has to be waited for, for longer than Discord does."""

    content: str = ""
    embeds: Sequence[Mapping[str, Any]] = ()
    rows: Sequence[Sequence[Component]] = ()
    public: bool = False
    update: bool = False
    rows_left: Sequence[Component] | None = None
    later: Later | None = None
    awaited: Callable[[], Reply] | None = None

    @property
    def message(self) -> dict[str, Any]:
        """The message, in which nobody is mentioned."""
        return {
            "content": cut(self.content, CONTENT_MOST),
            "embeds": list(self.embeds),
            "components": [{"type": 1, "components": list(row)} for row in self.rows if row],
            "allowed_mentions": {"parse": []},
        }

    @property
    def answer(self) -> dict[str, Any]:
        """The answer, at once."""
        message = self.message
        if self.update:
            return {"type": Callback.UPDATE, "data": message}
        flags = 0 if self.public else EPHEMERAL
        return {"type": Callback.MESSAGE, "data": {**message, "flags": flags}}

    @property
    def promise(self) -> dict[str, Any]:
        """The answer while a worker makes it."""
        if self.update:
            return {"type": Callback.LATER_UPDATE}
        return {"type": Callback.LATER, "data": {"flags": 0 if self.public else EPHEMERAL}}


def choices_answer(choices: Sequence[tuple[str, str | int]]) -> dict[str, Any]:
    """What is offered to somebody who types; what Discord would not take is left out. Of those
    that are called alike each says its value."""
    fitting: dict[str, str | int] = {}
    for name, value in choices:
        shown = name[:CHOICE_MOST]
        if shown in fitting:
            own = f" ({value})"
            shown = name[: CHOICE_MOST - len(own)] + own
        if shown and len(str(value)) <= CHOICE_MOST:
            fitting[shown] = value
    offered = [{"name": name, "value": value} for name, value in fitting.items()]
    return {"type": Callback.CHOICES, "data": {"choices": offered[:CHOICES_MOST]}}


# -- buttons and menus ---------------------------------------------------------------------------


def link(label: str, address: str) -> Component:
    """A button that opens a page."""
    return {"type": 2, "style": 5, "label": label[:LABEL_MOST], "url": address}


def button(label: str, custom_id: str, *, primary: bool = True) -> Component:
    """A button that does something."""
    style = 1 if primary else 2
    return {"type": 2, "style": style, "label": label[:LABEL_MOST], "custom_id": custom_id}


def menu(custom_id: str, placeholder: str, options: Sequence[tuple[str, str, str]]) -> Component:
    """A menu from which one thing is chosen; of each its label, its value and a line about it."""
    shown = [
        {
            "label": label[:OPTION_MOST],
            "value": value,
            **({"description": about[:OPTION_MOST]} if about else {}),
        }
        for label, value, about in options[:CHOICES_MOST]
    ]
    return {"type": 3, "custom_id": custom_id, "placeholder": placeholder, "options": shown}
