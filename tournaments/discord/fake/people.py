"""Those who use Discord: they give commands, press buttons and choose from menus, and Discord tells
the site of it, signed, and holds its answers to what it takes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tournaments.discord.fake import schemas
from tournaments.discord.fake.held import Channel, Message, Token
from tournaments.discord.fake.server import (
    ANSWER_SECONDS,
    APPLICATION,
    BASE,
    BOT_TOKEN,
    FakeDiscord,
    now_s,
)

#: The application's key, the same for all processes of a test.
KEY: Final = Ed25519PrivateKey.from_private_bytes(b"signs what tests play to a site.")

#: Sends a body with these headers to the site; returns the answer's status and body.
Post = Callable[[bytes, Mapping[str, str]], tuple[int, bytes]]


class Application(NamedTuple):
    """What an application knows that others must not; by default what tests know."""

    secret: str = "of the application"  # noqa: S105 - of nobody
    bot_token: str = BOT_TOKEN
    key: Ed25519PrivateKey = KEY

    @property
    def public_key(self) -> str:
        """What a site is told to check signatures with."""
        return self.key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()

    def settings(self, port: int) -> dict[str, str]:
        """What makes a site one whose Discord is played at a port of this machine."""
        return {
            "GAUNTLET_DISCORD_API": f"http://127.0.0.1:{port}{BASE}",
            "GAUNTLET_DISCORD_CLIENT_ID": APPLICATION,
            "GAUNTLET_DISCORD_CLIENT_SECRET": self.secret,
            "GAUNTLET_DISCORD_BOT_TOKEN": self.bot_token,
            "GAUNTLET_DISCORD_PUBLIC_KEY": self.public_key,
        }


TESTS: Final = Application()


class Answer(NamedTuple):
    """What the site answered."""

    status: int
    body: Any
    token: Token | None

    @property
    def data(self) -> Any:
        return self.body.get("data") or {}

    @property
    def content(self) -> str:
        """The words of an answer that came at once."""
        return str(self.data.get("content", ""))

    @property
    def is_private(self) -> bool:
        """Whether nobody else sees the answer."""
        return bool(self.data.get("flags", 0) & schemas.EPHEMERAL)

    @property
    def choices(self) -> list[dict[str, Any]]:
        return list(self.data.get("choices", []))

    @property
    def original(self) -> Message:
        """The message that answers, whether it came at once or later. Raises LookupError where
        nothing has come yet."""
        if self.token is None or self.token.original is None:
            raise LookupError("nothing has come yet")
        return self.token.original


def by_http(url: str) -> Post:
    """Sends to a site that runs."""

    def post(body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
        answer = httpx.post(url, content=body, headers=dict(headers), timeout=30)
        return answer.status_code, answer.content

    return post


class Interactions:
    """Discord's side of a site's interactions endpoint."""

    def __init__(self, fake: FakeDiscord, post: Post, application: Application = TESTS) -> None:
        self.fake = fake
        self.post = post
        #: What time it is for Discord, in seconds since 1970.
        self.clock: Callable[[], float] = now_s
        self.key = application.key
        self.public_key = application.public_key

    def signed(self, body: bytes, *, at: int | None = None) -> dict[str, str]:
        """The headers of a request with that body."""
        stamp = str(int(self.clock()) if at is None else at)
        return {
            "Content-Type": "application/json",
            "User-Agent": "Discord-Interactions/1.0 (+https://discord.com)",
            "X-Signature-Ed25519": self.key.sign(stamp.encode() + body).hex(),
            "X-Signature-Timestamp": stamp,
        }

    def ping(self) -> Answer:
        """Ask whether somebody is there."""
        return self.send({"type": 1}, None)

    def send(
        self, payload: dict[str, Any], channel: Channel | None, pressed: Message | None = None
    ) -> Answer:
        """Tell the site of an interaction: with ``pressed``, of a button or menu of that message.
        Its answer must be one that Discord takes; raises Invalid otherwise."""
        made = {
            "id": self.fake.new_id(), "application_id": self.fake.application, "version": 1,
            "token": f"interaction-{self.fake.new_id()}", **payload,
        }  # fmt: skip
        token = Token(
            made["id"], made["token"], self.fake.now(), "" if channel is None else channel.id
        )
        self.fake.tokens[token.token] = token
        body = json.dumps(made).encode()
        began = time.monotonic()
        status, said = self.post(body, self.signed(body))
        if time.monotonic() - began > ANSWER_SECONDS or status != 200:
            token.over = True
            return Answer(status, _json(said), token)
        answer = _json(said)
        schemas.answer_check(made["type"], answer, option_kind=_focused_kind(made))
        with self.fake.lock:
            self._take(token, answer, pressed, made.get("message"))
        return Answer(status, answer, token)

    def _take(self, token: Token, answer: Any, pressed: Message | None, shown: Any) -> None:
        data = answer.get("data") or {}
        token.ephemeral = bool(data.get("flags", 0) & schemas.EPHEMERAL)
        if pressed is not None and answer["type"] in (schemas.UPDATE, schemas.LATER_UPDATE):
            # The message itself is changed, now or when the site comes by the token.
            pressed.body = {**pressed.body, **data}
            pressed.versions.append(pressed.body)
            token.original = pressed
        elif answer["type"] == schemas.LATER_UPDATE:
            # The button's message stands there meanwhile.
            token.original = Message(shown["id"], token.channel, self.fake.bot, shown)
        elif answer["type"] in (schemas.MESSAGE, schemas.UPDATE):
            token.original = Message(
                self.fake.new_id(), token.channel, self.fake.bot, data, {}, [data]
            )
        # From now on the site may come by the token; before, Discord does not know it.
        token.answered = answer["type"] != schemas.CHOICES


def _focused_kind(payload: Mapping[str, Any]) -> int:
    """The kind of the option that somebody types into."""
    options = payload.get("data", {}).get("options", [])
    kinds = (each["type"] for each in options if each.get("focused"))
    return next(kinds, schemas.STRING)


def _json(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text.decode(errors="replace")


@dataclass
class Person:
    """Somebody in Discord, in a channel of a guild or, without one, alone with the bot."""

    discord: Interactions
    name: str
    channel: Channel | None = None
    id: str = ""

    def __post_init__(self) -> None:
        self.id = self.id or self.discord.fake.new_id()

    def command(self, name: str, **options: Any) -> Answer:
        """Give a command."""
        return self._send({"type": 2, "data": self._data(name, options)})

    def typing(self, name: str, field: str, **options: Any) -> Answer:
        """Type into one field of a command: what is offered there."""
        data = self._data(name, options)
        for option in data["options"]:
            if option["name"] == field:
                option["focused"] = True
                option["value"] = str(option["value"])
        return self._send({"type": 4, "data": data})

    def press(self, custom_id: str, message: Message | None = None) -> Answer:
        """Press a button."""
        return self._component({"component_type": 2, "custom_id": custom_id}, message)

    def choose(self, custom_id: str, *values: str, message: Message | None = None) -> Answer:
        """Choose from a menu."""
        data = {"component_type": 3, "custom_id": custom_id, "values": list(values)}
        return self._component(data, message)

    def _component(self, data: dict[str, Any], message: Message | None) -> Answer:
        shown = {"id": self.discord.fake.new_id(), "flags": 0} if message is None else message.shown
        return self._send({"type": 3, "data": data, "message": shown}, message)

    def _data(self, name: str, options: Mapping[str, Any]) -> dict[str, Any]:
        fake = self.discord.fake
        every = [each for commands in fake.commands.values() for each in commands]
        known = next((each for each in every if each["name"] == name), None)
        kinds = {each["name"]: each["type"] for each in (known or {}).get("options") or []}
        return {
            "id": fake.new_id() if known is None else known["id"],
            "type": 1,
            "name": name,
            "options": [
                {"name": key, "type": kinds.get(key, _kind_of(value)), "value": value}
                for key, value in options.items()
            ],
        }

    def _send(self, payload: dict[str, Any], pressed: Message | None = None) -> Answer:
        user = {
            "id": self.id, "username": self.name.lower(), "global_name": self.name, "avatar": None,
            "discriminator": "0",
        }  # fmt: skip
        if self.channel is None:
            who: dict[str, Any] = {"user": user, "context": 1}
        else:
            member: dict[str, Any] = {"user": user, "roles": [], "permissions": "0", "nick": None}
            who = {
                "member": member, "guild_id": self.channel.guild, "channel_id": self.channel.id,
                "context": 0,
            }  # fmt: skip
        return self.discord.send({**payload, **who, "locale": "en-GB"}, self.channel, pressed)


def _kind_of(value: Any) -> int:
    if isinstance(value, bool):
        return schemas.BOOLEAN
    return schemas.INTEGER if isinstance(value, int) else schemas.STRING
