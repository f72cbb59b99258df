"""Asking Discord: typed calls, each with an end, and none more often than Discord allows.

What is secret (the bot's token, an interaction's) is in no log and in no error: both name the
route alone.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import httpx
import structlog
from django.conf import settings

from core import metrics
from core.bounded import Transport
from core.discord import limits
from core.discord.limits import Turn

log = structlog.get_logger("gauntlet.discord")


_ASKED: Final = metrics.counter(
    "discord_requests", "Requests to Discord, by what came of them.", ("outcome",)
)

# Codes of Discord's.
UNKNOWN_CHANNEL: Final = 10003
UNKNOWN_MEMBER: Final = 10007
UNKNOWN_MESSAGE: Final = 10008
UNKNOWN_ROLE: Final = 10011
UNKNOWN_WEBHOOK: Final = 10015
OPENING_TOO_FAST: Final = 40003
# Somebody takes no messages of the bot's; or is in no server with it.
TAKES_NO_MESSAGES: Final = 50007
SHARES_NO_SERVER: Final = 50278
THREAD_ARCHIVED: Final = 50083
THREAD_LOCKED: Final = 160005
HAS_THREAD: Final = 160004
# When Discord's numbers begin to count.
_EPOCH_MS: Final = 1_420_070_400_000
# An answer of more is none of Discord's.
_ANSWER_BYTES: Final = 1024 * 1024
_AGAIN_S: Final = (0.5, 2.0, 5.0)
_sleep = time.sleep
# What can be done twice without being done twice.
_IDEMPOTENT: Final = frozenset({"GET", "PUT", "PATCH", "DELETE"})


class DiscordError(Exception):
    """Discord did not do it. ``status`` is None where no answer came; ``code`` is Discord's own, 0
    where it gave none. ``permanent``: it would not the next time either."""

    def __init__(self, what: str, *, status: int | None = None, code: int = 0) -> None:
        super().__init__(what)
        self.status = status
        self.code = code

    @property
    def permanent(self) -> bool:
        """Whether it is no use to try again."""
        return self.status is not None and 400 <= self.status < 500 and self.status != 429


class File(NamedTuple):
    """A file that goes with a message."""

    name: str
    content: bytes
    media_type: str


class _Call(NamedTuple):
    method: str
    route: str
    arguments: tuple[str, ...]
    said: Any
    files: Sequence[File]
    by_token: bool
    # Whether it is done once, however often it is asked for.
    once: bool = False
    # What is asked besides, behind the address.
    asks: str = ""

    @property
    def path(self) -> str:
        path = self.route.format(*(quote(each, safe="@") for each in self.arguments))
        return f"{path}?{self.asks}" if self.asks else path

    @property
    def turn(self) -> Turn:
        # What a webhook's requests are counted by is the webhook with its token.
        major = self.arguments[: 2 if self.by_token else 1]
        return Turn.of(f"{self.method} {self.route}", *major, counts=not self.by_token)


# -- calls ---------------------------------------------------------------------------------------


def commands_put(commands: Sequence[Mapping[str, Any]], *, guild: str = "") -> list[Any]:
    """Make these the application's commands, in one guild or everywhere, and no others; returns
    them as Discord has them. Raises DiscordError."""
    return _commands_ask("PUT", list(commands), guild)


def commands_get(*, guild: str = "") -> list[Any]:
    """The application's commands, in one guild or everywhere. Raises DiscordError."""
    return _commands_ask("GET", None, guild)


def _commands_ask(method: str, said: list[Any] | None, guild: str) -> list[Any]:
    route = "/applications/{}/guilds/{}/commands" if guild else "/applications/{}/commands"
    arguments = (settings.GAUNTLET_DISCORD_CLIENT_ID, *([guild] if guild else []))
    found: list[Any] = _ask(_Call(method, route, arguments, said, (), False))
    return found


def interaction_finish(
    token: str, message: Mapping[str, Any], *, files: Sequence[File] = ()
) -> None:
    """Put the message where an interaction's answer was promised. Raises DiscordError, also where
    the token has expired, which it does after fifteen minutes."""
    application = settings.GAUNTLET_DISCORD_CLIENT_ID
    route, arguments = "/webhooks/{}/{}/messages/{}", (application, token, "@original")
    _ask(_Call("PATCH", route, arguments, {**message, **_attached(files)}, files, True))


def interaction_follow_up(token: str, message: Mapping[str, Any]) -> None:
    """Say something more after an interaction's answer; with the flag for it, to one person alone.
    Raises DiscordError."""
    application = settings.GAUNTLET_DISCORD_CLIENT_ID
    _ask(_Call("POST", "/webhooks/{}/{}", (application, token), dict(message), (), True))


def message_post(
    channel: str, message: Mapping[str, Any], *, nonce: str, files: Sequence[File] = ()
) -> str:
    """Post a message in a channel or a thread; returns its id. ``nonce``: up to 25 characters, the
    same however often the same message is posted, so that it stands there once. Raises
    DiscordError."""
    said = {**message, "nonce": nonce, "enforce_nonce": True}
    call = _Call("POST", "/channels/{}/messages", (channel,), said, files, False, once=True)
    return str(_ask(call)["id"])


def message_edit(
    channel: str, message_id: str, message: Mapping[str, Any], *, files: Sequence[File] = ()
) -> None:
    """Put something else where a message stands, and these files in place of its own. Raises
    DiscordError."""
    said = {**message, **_attached(files)}
    arguments = (channel, message_id)
    _ask(_Call("PATCH", "/channels/{}/messages/{}", arguments, said, files, False))


def _attached(files: Sequence[File]) -> dict[str, Any]:
    """What an edited message has attached: these, and none that it had. Discord keeps and takes
    only what is named."""
    return {"attachments": [{"id": n, "filename": each.name} for n, each in enumerate(files)]}


def message_delete(channel: str, message_id: str) -> None:
    """Take a message away. Raises DiscordError."""
    arguments = (channel, message_id)
    _ask(_Call("DELETE", "/channels/{}/messages/{}", arguments, None, (), False))


def direct_open(person: str) -> str:
    """The number of the channel in which the bot and one person are alone, which is there from now
    on. Raises DiscordError."""
    said = {"recipient_id": person}
    return str(
        _ask(_Call("POST", "/users/{}/channels", ("@me",), said, (), False, once=True))["id"]
    )


def thread_begin(channel: str, message_id: str, name: str) -> str:
    """Begin a thread at a message, which has one at most; returns its id, which is the message's.
    Raises DiscordError."""
    said = {"name": name, "auto_archive_duration": 1440}
    route = "/channels/{}/messages/{}/threads"
    try:
        _ask(_Call("POST", route, (channel, message_id), said, (), False, once=True))
    except DiscordError as error:
        if error.code != HAS_THREAD:
            raise
    return message_id


def thread_close(thread: str) -> None:
    """Put a thread into Discord's archive; whoever writes there takes it out again. Raises
    DiscordError."""
    _ask(_Call("PATCH", "/channels/{}", (thread,), {"archived": True}, (), False))


def thread_open(thread: str) -> None:
    """Take a thread out of Discord's archive. Raises DiscordError."""
    _ask(_Call("PATCH", "/channels/{}", (thread,), {"archived": False}, (), False))


def number_at(moment_ms: int) -> str:
    """The least number that Discord gives to what is made at a moment (ms since 1970)."""
    return str(max(0, moment_ms - _EPOCH_MS) << 22)


def messages_after(channel: str, message_id: str) -> list[Any]:
    """The messages of a channel or a thread that are later than a number of Discord's, whether or
    not there is such a message: the first hundred of them. Raises DiscordError."""
    call = _Call(
        "GET",
        "/channels/{}/messages",
        (channel,),
        None,
        (),
        False,
        asks=f"after={message_id}&limit=100",
    )
    found: list[Any] = _ask(call)
    return found


def role_give(guild: str, member: str, role: str) -> None:
    """Give a member of a server a role. Raises DiscordError."""
    route = "/guilds/{}/members/{}/roles/{}"
    _ask(_Call("PUT", route, (guild, member, role), None, (), False))


def role_take(guild: str, member: str, role: str) -> None:
    """Take a role from a member of a server. Raises DiscordError."""
    route = "/guilds/{}/members/{}/roles/{}"
    _ask(_Call("DELETE", route, (guild, member, role), None, (), False))


# -- looking -------------------------------------------------------------------------------------


def bot_get() -> dict[str, Any]:
    """Who the bot is. Raises DiscordError."""
    return _found("/users/{}", "@me")


def channel_get(channel: str) -> dict[str, Any]:
    """A channel that the bot sees. Raises DiscordError."""
    return _found("/channels/{}", channel)


def guild_get(guild: str) -> dict[str, Any]:
    """A server that the bot is in, with its roles. Raises DiscordError."""
    return _found("/guilds/{}", guild)


def member_get(guild: str, member: str) -> dict[str, Any]:
    """A member of a server. Raises DiscordError."""
    return _found("/guilds/{}/members/{}", guild, member)


def _found(route: str, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = _ask(_Call("GET", route, arguments, None, (), False))
    return found


# -- asking --------------------------------------------------------------------------------------


def _ask(call: _Call) -> Any:
    until = time.monotonic() + settings.GAUNTLET_DISCORD_BOT_TOTAL_SECONDS
    again = iter(_AGAIN_S)
    while True:
        _take_turn(call, until)
        try:
            return _once(call, until)
        except DiscordError as error:
            pause = next(again, None)
            if pause is None or not _worth_it(call, error):
                raise
            if isinstance(error, _TooOften):
                pause = error.after
            log.info("discord.again", route=call.turn.route, status=error.status, code=error.code)
            _rest(pause, until, error)


def _worth_it(call: _Call, error: DiscordError) -> bool:
    if isinstance(error, _TooOften):
        return True
    if error.code == UNKNOWN_WEBHOOK and call.by_token:
        # Discord may not have read yet what it was promised.
        return True
    if error.permanent:
        return False
    return call.once or call.method in _IDEMPOTENT


class _TooOften(DiscordError):
    def __init__(self, what: str, after: float) -> None:
        super().__init__(what, status=429)
        self.after = after


def _take_turn(call: _Call, until: float) -> None:
    while wait := limits.wait_of(call.turn):
        _rest(wait, until, DiscordError(f"no turn for {call.turn.route}", status=429))


def _rest(seconds: float, until: float, error: DiscordError) -> None:
    """Wait, unless there is no time for it. Raises the error then."""
    if time.monotonic() + seconds >= until:
        raise error
    _sleep(seconds)


def _once(call: _Call, until: float) -> Any:
    headers = {"User-Agent": f"DiscordBot ({settings.GAUNTLET_ORIGIN}, 1)"}
    if not call.by_token:
        headers["Authorization"] = f"Bot {settings.GAUNTLET_DISCORD_BOT_TOKEN}"
    began = time.monotonic()
    try:
        with (
            httpx.Client(
                transport=Transport(until),
                timeout=settings.GAUNTLET_DISCORD_BOT_STAGE_SECONDS,
                follow_redirects=False,
            ) as http,
            http.stream(
                call.method,
                settings.GAUNTLET_DISCORD_API + call.path,
                headers=headers,
                **_body_of(call),
            ) as response,
        ):
            status, answered = response.status_code, response.headers
            content = _read(response)
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        _ASKED.labels("silent").inc()
        # Its words may name the address, and with that a token.
        raise DiscordError(f"{call.turn.route}: {type(error).__name__}") from None
    log.info(
        "discord.asked",
        route=call.turn.route,
        status=status,
        ms=round(1000 * (time.monotonic() - began)),
    )
    said = _json(content)
    if 200 <= status < 300:
        _ASKED.labels("taken").inc()
        limits.note(call.turn, answered)
        return said
    told = _told(said)
    _ASKED.labels("too often" if status == 429 else "refused").inc()
    if status == 429:
        after = _number(told.get("retry_after") or answered.get("retry-after"))
        everything = told.get("global") is True
        limits.refused(call.turn, answered, after=after, everything=everything)
        raise _TooOften(f"{call.turn.route}: 429", after)
    limits.note(call.turn, answered)
    code = told.get("code")
    raise DiscordError(
        f"{call.turn.route}: {status} {code}",
        status=status,
        code=code if isinstance(code, int) else 0,
    )


def _body_of(call: _Call) -> dict[str, Any]:
    if not call.files:
        return {} if call.said is None else {"json": call.said}
    parts: dict[str, tuple[str | None, bytes, str]] = {
        "payload_json": (None, json.dumps(call.said).encode(), "application/json")
    }
    for number, file in enumerate(call.files):
        parts[f"files[{number}]"] = file
    return {"files": parts}


def _read(response: httpx.Response) -> bytes:
    read = b""
    for piece in response.iter_bytes():
        read += piece
        if len(read) > _ANSWER_BYTES:
            raise httpx.ReadError("too long")
    return read


def _json(content: bytes) -> Any:
    try:
        return json.loads(content) if content else {}
    except ValueError:
        return {}


def _told(said: Any) -> Mapping[str, Any]:
    """What an answer tells that says no: whatever stands between here and Discord may have given
    it."""
    return said if isinstance(said, dict) else {}


def _number(value: Any) -> float:
    try:
        return max(0.05, float(value))
    except (TypeError, ValueError):
        return 1.0
