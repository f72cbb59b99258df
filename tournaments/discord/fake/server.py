"""Discord's HTTP interface: one application's bot in some guilds, with channels and threads."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from core.clock import now_ms
from tournaments.discord.fake import schemas
from tournaments.discord.fake.held import (
    HAS_THREAD,
    INVALID_BODY,
    INVALID_RECIPIENT,
    INVALID_TOKEN,
    MISSING_ACCESS,
    NO_PERMISSION,
    NOT_THEIR_MESSAGE,
    SHARES_NO_SERVER,
    TAKES_NO_MESSAGES,
    THREAD_ARCHIVED,
    UNKNOWN_CHANNEL,
    UNKNOWN_GUILD,
    UNKNOWN_MEMBER,
    UNKNOWN_MESSAGE,
    UNKNOWN_ROLE,
    UNKNOWN_WEBHOOK,
    Channel,
    Failed,
    Guild,
    Message,
    Request,
    Token,
)
from tournaments.discord.fake.limits import Limits
from tournaments.discord.fake.routes import route_of
from tournaments.discord.fake.schemas import Invalid

BASE: Final = "/api/v10"
#: Of the application that is played here.
APPLICATION: Final = "100000000000000001"
BOT_TOKEN: Final = "the.token-of.this-bot"  # noqa: S105 - of nobody
TOKEN_SECONDS: Final = 15 * 60
ANSWER_SECONDS: Final = 3.0
#: For how long a nonce is known: "the past few minutes".
NONCE_SECONDS: Final = 180.0
#: When Discord's numbers begin to count, in ms since 1970.
EPOCH_MS: Final = 1_420_070_400_000
#: What stands behind each thing that a bot may do in a channel, as bits.
MAY: Final = {
    "send": 1 << 11 | 1 << 14, "files": 1 << 15, "history": 1 << 16, "threads": 1 << 35 | 1 << 38,
    "manage": 1 << 34,
}  # fmt: skip
VIEW_AND_SEND: Final = 1 << 10 | 1 << 11
MANAGE_ROLES: Final = 1 << 28
MANAGE_WEBHOOKS: Final = 1 << 29


def now_s() -> float:
    """What time it is, in seconds since 1970."""
    return now_ms() / 1000


class FakeDiscord:
    """The service. Tests look at what it holds, and at `requests`; `skip` lets time pass."""

    def __init__(self) -> None:
        self.port = 0
        self.application = self.bot = APPLICATION
        self.bot_token = BOT_TOKEN
        self.skipped = 0.0
        self.limits = Limits(self.now)
        self.guilds: dict[str, Guild] = {}
        self.channels: dict[str, Channel] = {}
        self.messages: dict[str, Message] = {}
        self.tokens: dict[str, Token] = {}
        #: Who takes no direct messages.
        self.closed: set[str] = set()
        self.commands: dict[str, list[dict[str, Any]]] = {}  # by guild; "" everywhere
        self.requests: list[Request] = []
        #: What is to be answered instead, first come first served: a status, or what to do.
        self.instead: list[int | Callable[[Handler], None]] = []
        self.ending = threading.Event()
        self.lock = threading.RLock()
        #: What time the numbers of things tell, in seconds since 1970.
        self.clock: Callable[[], float] = now_s
        # None is given twice, by another such Discord either.
        self._ids = itertools.count(time.monotonic_ns() // 1000 % 2**20)

    # -- for tests -------------------------------------------------------------------------------

    @property
    def api(self) -> str:
        """The address that clients are told."""
        return f"http://127.0.0.1:{self.port}{BASE}"

    def now(self) -> float:
        """Seconds, on a clock that tests can put forward."""
        return time.monotonic() + self.skipped

    def skip(self, seconds: float) -> None:
        """Let so much time pass."""
        self.skipped += seconds

    def new_id(self) -> str:
        """A snowflake that nothing has yet."""
        return str((int(1000 * self.clock()) - EPOCH_MS << 22) + next(self._ids))

    def guild(self, *, members: Mapping[str, set[str]] | None = None) -> Guild:
        """A new guild."""
        made = Guild(self.new_id(), members=dict(members or {}), bot_role=self.new_id())
        self.guilds[made.id] = made
        return made

    def channel(self, guild: Guild, name: str = "matches") -> Channel:
        """A new channel of a guild."""
        made = Channel(self.new_id(), guild.id, name)
        self.channels[made.id] = made
        return made

    def delete(self, channel: Channel) -> None:
        """Somebody deletes a channel or a thread, and with it what was said there."""
        del self.channels[channel.id]
        for message in [each for each in self.messages.values() if each.channel == channel.id]:
            del self.messages[message.id]

    def said_in(self, channel: Channel) -> list[Message]:
        """The messages of a channel, in order."""
        return [each for each in self.messages.values() if each.channel == channel.id]

    def told_directly(self, person: str) -> list[Message]:
        """What the bot has written to somebody alone, in order."""
        own = (each for each in self.channels.values() if each.recipient == person)
        return [message for channel in own for message in self.said_in(channel)]

    # -- answering -------------------------------------------------------------------------------

    def answer(self, request: Request) -> tuple[int, Any, dict[str, str]]:
        """Status, JSON and headers of the answer to a request."""
        path = urlsplit(request.path).path
        if not path.startswith(BASE + "/"):
            return 404, {"message": "404: Not Found", "code": 0}, {}
        found = route_of(request.method, path.removeprefix(BASE))
        if found is None:
            return 404, {"message": "404: Not Found", "code": 0}, {}
        route, arguments = found
        by_token = route.startswith("webhook")
        standing = self.limits.take(
            route, "/".join(arguments[: 2 if by_token else 1]), counts=not by_token
        )
        if standing.wait:
            body = {
                "message": "You are being rate limited.",
                "retry_after": round(standing.wait, 3),
                "global": standing.everything,
            }
            return 429, body, standing.headers
        try:
            self._must_be_ours(request, by_token=by_token)
            with self.lock:
                status, body = getattr(self, f"_{route}")(request, *arguments)
        except Failed as failed:
            return failed.status, failed.body, standing.headers
        except Invalid as invalid:
            body = {"code": INVALID_BODY, "message": "Invalid Form Body", "errors": invalid.faults}
            return 400, body, standing.headers
        except ValueError:
            return 400, {"code": 50109, "message": "The request body is no valid JSON."}, {}
        return status, body, standing.headers

    def _must_be_ours(self, request: Request, *, by_token: bool) -> None:
        if not request.headers.get("user-agent", "").startswith("DiscordBot ("):
            raise Failed(403, 40333)
        if not by_token and request.headers.get("authorization") != f"Bot {self.bot_token}":
            raise Failed(401, 0)

    # -- commands --------------------------------------------------------------------------------

    def _commands_put(self, request: Request, application: str, guild: str = "") -> Any:
        self._must_be_application(application, guild)
        said, _ = request.parts
        schemas.commands_check(said)
        before = {each["name"]: each["id"] for each in self.commands.get(guild, [])}
        self.commands[guild] = [
            {
                **each,
                "id": before.get(each["name"]) or self.new_id(),
                "application_id": application,
            }
            for each in said
        ]
        return 200, self.commands[guild]

    def _commands_get(self, _request: Request, application: str, guild: str = "") -> Any:
        self._must_be_application(application, guild)
        return 200, self.commands.get(guild, [])

    _guild_commands_put = _commands_put
    _guild_commands_get = _commands_get

    def _must_be_application(self, application: str, guild: str) -> None:
        if application != self.application:
            raise Failed(403, 20012)
        if guild and guild not in self.guilds:
            raise Failed(403, 50001)

    # -- messages and threads --------------------------------------------------------------------

    def _message_post(self, request: Request, channel_id: str) -> Any:
        channel = self._channel(channel_id, "send")
        said, files = request.parts
        schemas.message_check(said, files=_sizes(files))
        if channel.recipient:
            self._must_reach(channel.recipient)
        if files and "files" not in channel.may:
            raise Failed(403, NO_PERMISSION)
        if channel.archived:
            if channel.locked:
                raise Failed(400, THREAD_ARCHIVED)
            channel.archived = False
        if said.get("enforce_nonce"):
            for each in self.said_in(channel):
                known = self.now() - each.posted_at < NONCE_SECONDS
                if known and each.body.get("nonce") == said.get("nonce"):
                    return 200, each.shown
        message = self._new_message(channel_id, said, files)
        self.messages[message.id] = message
        return 200, message.shown

    def _must_reach(self, person: str) -> None:
        if not any(person in guild.members for guild in self.guilds.values()):
            raise Failed(403, SHARES_NO_SERVER)
        if person in self.closed:
            raise Failed(403, TAKES_NO_MESSAGES)

    def _direct_post(self, request: Request) -> Any:
        """Whoever it is, there is one such channel, from when it is first asked for."""
        said, _ = request.parts
        schemas.direct_check(said)
        person = said["recipient_id"]
        if person == self.bot:
            raise Failed(400, INVALID_RECIPIENT)
        for each in self.channels.values():
            if each.recipient == person:
                return 200, _channel_shown(each)
        may = {"send", "files", "history"}
        made = Channel(self.new_id(), "", "", may=may, type=1, recipient=person)
        self.channels[made.id] = made
        return 200, _channel_shown(made)

    def _message_patch(self, request: Request, channel_id: str, message_id: str) -> Any:
        channel = self._channel(channel_id)
        message = self._message(channel_id, message_id)
        if message.author != self.bot:
            raise Failed(403, NOT_THEIR_MESSAGE)
        if channel.archived:
            raise Failed(400, THREAD_ARCHIVED)
        return 200, self._edited(message, request).shown

    def _messages_get(self, request: Request, channel_id: str) -> Any:
        """Those after a number, of which there need be no message; the latest first, as Discord
        has it."""
        channel = self._channel(channel_id, "history")
        asked = parse_qs(urlsplit(request.path).query)
        after, most = int(asked["after"][0]), int(asked.get("limit", ["50"])[0])
        if not 1 <= most <= 100:
            raise Invalid({"limit": "must be between 1 and 100"})
        later = [each for each in self.said_in(channel) if int(each.id) > after]
        found = sorted(later, key=lambda each: int(each.id))[:most]
        return 200, [each.shown for each in reversed(found)]

    def _message_get(self, _request: Request, channel_id: str, message_id: str) -> Any:
        self._channel(channel_id)
        return 200, self._message(channel_id, message_id).shown

    def _message_delete(self, _request: Request, channel_id: str, message_id: str) -> Any:
        self._channel(channel_id)
        del self.messages[self._message(channel_id, message_id).id]
        return 204, None

    def _thread_of_message(self, request: Request, channel_id: str, message_id: str) -> Any:
        self._message(channel_id, message_id)
        if message_id in self.channels:
            raise Failed(400, HAS_THREAD)
        return self._begin_thread(request, channel_id, message_id)

    def _thread_post(self, request: Request, channel_id: str) -> Any:
        return self._begin_thread(request, channel_id, self.new_id())

    def _begin_thread(self, request: Request, channel_id: str, own_id: str) -> Any:
        parent = self._channel(channel_id, "threads")
        said, _ = request.parts
        schemas.thread_check(said)
        thread = Channel(own_id, parent.guild, said["name"], parent=parent.id)
        self.channels[thread.id] = thread
        return 201, _channel_shown(thread)

    def _channel_patch(self, request: Request, channel_id: str) -> Any:
        channel = self._channel(channel_id, "manage")
        said, _ = request.parts
        schemas.thread_check(said)
        channel.name = said.get("name", channel.name)
        channel.archived = said.get("archived", channel.archived)
        channel.locked = said.get("locked", channel.locked)
        return 200, _channel_shown(channel)

    def _channel_get(self, _request: Request, channel_id: str) -> Any:
        return 200, _channel_shown(self._channel(channel_id))

    def _channel_delete(self, _request: Request, channel_id: str) -> Any:
        channel = self._channel(channel_id, "manage")
        self.delete(channel)
        return 200, _channel_shown(channel)

    def _channel(self, channel_id: str, needs: str = "") -> Channel:
        found = self.channels.get(channel_id)
        if found is None:
            raise Failed(404, UNKNOWN_CHANNEL)
        if found.hidden:
            raise Failed(403, MISSING_ACCESS)
        if needs and needs not in found.may:
            raise Failed(403, NO_PERMISSION)
        return found

    def _message(self, channel_id: str, message_id: str) -> Message:
        found = self.messages.get(message_id)
        if found is None or found.channel != channel_id:
            raise Failed(404, UNKNOWN_MESSAGE)
        return found

    def _new_message(self, channel_id: str, said: Any, files: dict[str, bytes]) -> Message:
        return Message(
            self.new_id(), channel_id, self.bot, dict(said), files, [dict(said)], self.now()
        )

    def _edited(self, message: Message, request: Request) -> Message:
        said, files = request.parts
        # Once attachments are named at all, what is not named goes, of what comes along, too, which
        # is named by its place among the files.
        kept, named = message.files, {}
        if "attachments" in (said or {}):
            named = {str(each.get("id")): each for each in said["attachments"]}
            known = {str(each["id"]) for each in message.shown["attachments"]}
            kept = {
                each["filename"]: message.files[each["filename"]]
                for each in message.shown["attachments"]
                if each["id"] in named
            }
            files = {n: c for place, (n, c) in enumerate(files.items()) if str(place) in named}
            for place in named.keys() - known - {str(place) for place in range(len(files))}:
                raise Invalid({"attachments": f"there is no {place}"})
        schemas.message_check(said, files=_sizes({**kept, **files}), edit=True)
        message.body = {**message.body, **said}
        message.files = {**kept, **files}
        message.versions.append(dict(message.body))
        return message

    # -- who and what there is -------------------------------------------------------------------

    def _me_get(self, _request: Request) -> Any:
        return 200, {"id": self.bot, "username": "gauntlet", "bot": True}

    def _guild_get(self, _request: Request, guild_id: str) -> Any:
        guild = self._guild(guild_id)
        everybody = {
            "id": guild.id, "name": "@everyone", "position": 0, "managed": False,
            "permissions": str(guild.permissions.get(guild.id, VIEW_AND_SEND)),
        }  # fmt: skip
        own = {
            "id": guild.bot_role, "name": "Gauntlet", "position": guild.bot_position,
            "managed": True,
            "permissions": str(MANAGE_ROLES if guild.may_manage_roles else 0),
        }  # fmt: skip
        roles = [
            {
                "id": role, "name": name, "position": position, "managed": False,
                "permissions": str(guild.permissions.get(role, 0)),
            }
            for position, (role, name) in enumerate(guild.roles.items(), start=1)
        ]  # fmt: skip
        shown = {"id": guild.id, "name": guild.name, "owner_id": guild.owner or "1"}
        return 200, {**shown, "roles": [everybody, *roles, own]}

    def _member_get(self, _request: Request, guild_id: str, user: str) -> Any:
        guild = self._guild(guild_id)
        if user == self.bot:
            return 200, {"user": {"id": user, "bot": True}, "roles": [guild.bot_role]}
        if user not in guild.members:
            raise Failed(404, UNKNOWN_MEMBER)
        return 200, {"user": {"id": user}, "roles": sorted(guild.members[user])}

    def _guild(self, guild_id: str) -> Guild:
        if guild_id not in self.guilds:
            raise Failed(404, UNKNOWN_GUILD)
        return self.guilds[guild_id]

    # -- roles -----------------------------------------------------------------------------------

    def _role_put(self, _request: Request, guild_id: str, user: str, role: str) -> Any:
        self._member(guild_id, user, role).add(role)
        return 204, None

    def _role_delete(self, _request: Request, guild_id: str, user: str, role: str) -> Any:
        self._member(guild_id, user, role).discard(role)
        return 204, None

    def _member(self, guild_id: str, user: str, role: str) -> set[str]:
        guild = self.guilds.get(guild_id)
        if guild is None:
            raise Failed(404, UNKNOWN_GUILD)
        if user not in guild.members:
            raise Failed(404, UNKNOWN_MEMBER)
        if role not in guild.roles:
            raise Failed(404, UNKNOWN_ROLE)
        if not guild.may_manage_roles:
            raise Failed(403, NO_PERMISSION)
        return guild.members[user]

    # -- answers to interactions, by their token -------------------------------------------------

    def _webhook_post(self, request: Request, application: str, token: str) -> Any:
        found = self._token(application, token)
        said, files = request.parts
        schemas.follow_up_check(said, files=_sizes(files))
        if found.original is None:
            # What comes first takes the place of what was promised, and is seen by the same.
            said = {**said, "flags": schemas.EPHEMERAL if found.ephemeral else 0}
        message = self._new_message(found.channel, said, files)
        if found.original is None:
            found.original = message
        else:
            found.follow_ups.append(message)
        return 200, message.shown

    def _webhook_message_patch(
        self, request: Request, application: str, token: str, message_id: str
    ) -> Any:
        found = self._token(application, token)
        if message_id == "@original" and found.original is None:
            flags = schemas.EPHEMERAL if found.ephemeral else 0
            made = self._new_message(found.channel, {"flags": flags}, {})
            # It is there once it is whole: others look meanwhile, and what is refused is not.
            found.original = self._edited(made, request)
            return 200, made.shown
        return 200, self._edited(self._of_token(found, message_id), request).shown

    def _webhook_message_get(
        self, _request: Request, application: str, token: str, message_id: str
    ) -> Any:
        return 200, self._of_token(self._token(application, token), message_id).shown

    def _token(self, application: str, token: str) -> Token:
        found = self.tokens.get(token)
        if application != self.application or found is None:
            raise Failed(404, UNKNOWN_WEBHOOK)
        if found.over or not found.answered:
            raise Failed(404, UNKNOWN_WEBHOOK)
        if self.now() - found.made_at > TOKEN_SECONDS:
            raise Failed(401, INVALID_TOKEN)
        return found

    def _of_token(self, found: Token, message_id: str) -> Message:
        every = [*([found.original] if found.original else []), *found.follow_ups]
        for each in every:
            if message_id == each.id or (message_id == "@original" and each is found.original):
                return each
        raise Failed(404, UNKNOWN_MESSAGE)


def _sizes(files: Mapping[str, bytes]) -> dict[str, int]:
    return {name: len(content) for name, content in files.items()}


def _channel_shown(channel: Channel) -> dict[str, Any]:
    if channel.recipient:
        return {"id": channel.id, "type": 1, "recipients": [{"id": channel.recipient}]}
    allowed = sum(bits for name, bits in MAY.items() if name in channel.may)
    denied = sum(bits for name, bits in MAY.items() if name not in channel.may)
    own = {"id": APPLICATION, "type": 1, "allow": str(allowed), "deny": str(denied)}
    shown: dict[str, Any] = {
        "id": channel.id, "guild_id": channel.guild, "name": channel.name, "type": channel.type,
        "permission_overwrites": [own],
    }  # fmt: skip
    if channel.parent:
        meta = {"archived": channel.archived, "locked": channel.locked}
        shown |= {"type": 11, "parent_id": channel.parent, "thread_metadata": meta}
    return shown


# -- the server ----------------------------------------------------------------------------------


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server: Server

    def _serve(self) -> None:
        fake = self.server.fake
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.command, self.path, headers, body)
        fake.requests.append(request)
        instead = fake.instead.pop(0) if fake.instead else None
        if callable(instead):
            self.close_connection = True
            instead(self)
            return
        answer = self.answered(request) if instead is None else (instead, b"", {})
        request.status, content, more = answer
        self.send_response(request.status)
        for name, value in {"Content-Type": "application/json", **more}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve  # noqa: N815

    def answered(self, request: Request) -> tuple[int, bytes, dict[str, str]]:
        """Status, body and headers of the answer to a request."""
        status, said, more = self.server.fake.answer(request)
        return status, b"" if said is None else json.dumps(said).encode(), more

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    """Answers for a fake."""

    daemon_threads = True

    def __init__(self, fake: FakeDiscord, port: int, handler: type[Handler] = Handler) -> None:
        super().__init__(("127.0.0.1", port), handler)
        self.fake = fake
        fake.port = self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Callers that hang up are what some tests are about."""


@contextmanager
def serving(server: Server) -> Iterator[FakeDiscord]:
    """Have a server answer, for as long as the context lasts."""
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server.fake
    finally:
        server.fake.ending.set()
        server.shutdown()
        server.server_close()


@contextmanager
def discord(port: int = 0) -> Iterator[FakeDiscord]:
    """A Discord of one's own, for as long as the context lasts."""
    with serving(Server(FakeDiscord(), port)) as fake:
        yield fake
