"""What all sockets share: limits, slow readers, one thing at a time, closing with a reason."""

from __future__ import annotations

import asyncio
import random
import time
import uuid
from collections import deque
from collections.abc import Awaitable, Callable
from contextvars import copy_context
from math import ceil
from typing import Any

import structlog
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import InterfaceError, OperationalError
from redis.exceptions import RedisError
from structlog.contextvars import bind_contextvars

from accounts.connections.sockets import Found, Visitor
from accounts.connections.validity import stands_of_socket
from accounts.models import User
from core.api.scopes import Credential, Scope
from core.clock import now_utc
from core.instants import RECEIVED, reading
from core.metrics import HANDSHAKES_REFUSED, REFUSALS
from core.refusals import Forbidden, Refusal
from games import presence
from games.publishing import frames
from games.publishing.publish import MATCH_FRAME, Heard, encode
from games.services.outage import is_awaited
from games.sockets import rooms
from games.sockets.admission import DOOR, Arrival, FullError, GoneError, Rank
from games.sockets.counted import CLOSED, SOCKETS
from games.sockets.executor import in_read_thread
from games.sockets.incoming import (
    ChatHistory,
    Incoming,
    Ping,
    Sync,
    incoming,
)
from games.sockets.limits import BELONGS, Bucket, crowded_frame
from games.sockets.rooms import Room

log = structlog.get_logger("gauntlet.sockets")

# The database or the broker does not answer. It is nobody's mistake and passes.
AWAY = (OperationalError, InterfaceError, RedisError)

BAD_FRAMES_AT_MOST = 20
UNREAD_FRAMES_AT_MOST = 500
UNREAD_BYTES_AT_MOST = 8 * 1024 * 1024
UNSENT_BYTES_AT_MOST = 1024 * 1024  # in this process; the system's own buffers come on top
# A whole match or a whole room's history is worth several ordinary frames.
DEAR = 4
# How often a socket asks whether its sign-in still stands, beside being told; and how old the
# answer may be for what comes and goes, which waits for a newer one otherwise. So nothing waits for
# it, as a rule.
STANDS_EVERY_S = 17.0
STANDS_FOR_S = 22.0
# What those are told who find no room, or no database; clients add some chance of their own.
COME_BACK_S = 5


class Socket(AsyncWebsocketConsumer):
    """An open socket."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.bucket = Bucket(size=40, per_second=20)
        self.bad_frames = 0
        # Frames over the limit that are answered before the socket is closed.
        self.patience = Bucket(size=200, per_second=2)
        self.sent = 0
        self.unread_bytes = 0
        self.confirmed = 0
        self.closed = False
        # One thing at a time: what is told meanwhile waits, and is passed on after it.
        self.turn = asyncio.Lock()
        self.waiting: deque[Heard] = deque()
        self.version = 0  # of what was last sent of a match
        self.reads_as = "arriving"  # for whoever counts
        self.room: Room | None = None
        # By which presence knows it.
        self.name = uuid.uuid4().hex
        # Who it is, and what the token that it was opened with allows (None for signed-in people
        # and nobody): found out while connecting.
        self.user: User | None = None
        self.credential: Credential | None = None
        self.next_look: asyncio.TimerHandle | None = None
        self.asking: asyncio.Future[bool] | None = None
        self.stands_until = time.monotonic() + STANDS_FOR_S
        # When what is being taken had come (see `core.instants`).
        self.received = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Run for as long as the client is there."""
        # Not the inherited one: that waits for a client and the channel layer at once, anew for
        # each message, and hops to a thread shared by all sockets before each, to close database
        # connections that these consumers do not have.
        self.scope, self.base_send = scope, send
        # Where the server has it: sends a text at once, past all that stands between.
        self.write: Callable[[bytes], None] | None = scope.get("write")
        SOCKETS.enter(self)
        self._bind_names()
        # And where it shows each text as soon as that has come, before it waits its turn.
        if (heed := scope.get("heed")) is not None:
            heed(self.note)
        try:
            async with asyncio.TaskGroup() as self.tasks:
                try:
                    await self._run(receive)
                finally:
                    self.closed = True
                    self.let_go_of_all()
        finally:
            SOCKETS.leave(self)
            if self.room is not None:
                await self.room.leave(self)

    def _bind_names(self) -> None:
        """Whatever is logged on account of this socket says which it is, and of which match. It
        runs in a task of its own, where all else begins; who tells it something has another."""
        named = self.scope.get("url_route", {}).get("kwargs", {})
        about = {"match": named["match_id"]} if "match_id" in named else {}
        bind_contextvars(socket=self.name, **about)
        self.context = copy_context()

    async def _run(self, receive: Callable[[], Awaitable[dict[str, Any]]]) -> None:
        kind = ""
        while kind != "websocket.disconnect":
            message = await receive()
            kind = message["type"]
            if RECEIVED not in message:
                self.note(message)
            async with self.turn:
                self.received = message[RECEIVED]
                try:
                    await self.dispatch(message)
                finally:
                    self.let_go(message)
                await self._pass_waiting()

    def note(self, message: dict[str, Any]) -> None:
        """See a message of the client's at the moment at which it has come: called by the server,
        where it does such a thing, while others may still be before it."""
        message[RECEIVED] = reading()

    def let_go(self, message: dict[str, Any]) -> None:
        """A message is dealt with."""

    def let_go_of_all(self) -> None:
        """No message will be any more."""

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Take a message of the client's, or of the server about it."""
        if not self.closed or message["type"] == "websocket.disconnect":
            await getattr(self, message["type"].replace(".", "_"))(message)

    def hear(self, heard: Heard) -> None:
        """Take a frame of one of this socket's groups."""
        if self.closed or (
            not self.waiting and not self.turn.locked() and self._passes_at_once(heard)
        ):
            return
        if not self.waiting and not self.turn.locked():
            self.tasks.create_task(self._take_turn(), context=self.context)
        if len(self.waiting) <= UNREAD_FRAMES_AT_MOST:  # with as many it is let go
            self.waiting.append(heard)

    async def _take_turn(self) -> None:
        async with self.turn:
            await self._pass_waiting()

    async def _pass_waiting(self) -> None:
        while self.waiting and not self.closed:
            heard = self.waiting.popleft()
            await getattr(self, heard.kind.replace(".", "_"))(heard)

    def _passes_at_once(self, heard: Heard) -> bool:
        """Send a frame where nothing has to be waited for; whether that was so."""
        if (
            self.write is None
            or heard.kind != MATCH_FRAME
            or self._is_expired
            or (self.is_private and time.monotonic() >= self.stands_until)
        ):
            return False
        if self._is_news(heard.version):
            if self._is_too_much(len(heard.data)):
                return False
            self._count(heard)
            self.write(heard.data)
        return True

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Take one frame: check its size, its rate and its form, and hand it on."""
        if await self._has_expired() or not await self._within_limits(text_data, bytes_data):
            return
        if not await self._still_stands():
            return
        try:
            frame = incoming(text_data or "")
        except Refusal as refusal:
            await self._refuse_frame(refusal.code, refusal.sentence)
            return
        if not isinstance(frame, Ping) or frame.received is None:
            self._confirm_receipt(self.sent)
        if isinstance(frame, Sync | ChatHistory) and not await self._affords(DEAR - 1):
            return
        try:
            await self.take(frame)
        except AWAY as error:
            log.warning("socket.away", error=type(error).__name__)
            await self.send_frame(
                frames.error_frame(
                    "service.away", "The server cannot do this right now. Please try again."
                )
            )

    async def connect(self) -> None:
        """Let somebody in, when their turn has come.

        A socket is accepted first: those that wait their turn need not fear the time limit on
        handshakes. Not so one with a token, which is answered by the handshake itself.
        """
        visitor: Visitor = self.scope["visitor"]
        if not visitor.token:
            await self.accept()
        gone = self.scope.get("gone", lambda: False)
        try:
            if is_awaited():
                raise OperationalError("This process does not know yet what time it is.")
            with DOOR.arrival(self.rank_of(visitor), gone, self._announce_wait) as arrival:
                await self.arrive(visitor, arrival)
        except GoneError:
            HANDSHAKES_REFUSED.inc("gone")
            self.closed = True
        except FullError:
            HANDSHAKES_REFUSED.inc("busy")
            log.warning("socket.busy")
            await self._turn_away("service.busy", "Too many are arriving. Please come back soon.")
        except AWAY as error:
            HANDSHAKES_REFUSED.inc("away")
            log.warning("socket.away", error=type(error).__name__)
            await self._turn_away("service.away", "The server cannot do this right now.")

    async def arrive(self, visitor: Visitor, arrival: Arrival) -> None:
        """Find out who it is, and tell them how things stand."""
        raise NotImplementedError

    def rank_of(self, visitor: Visitor) -> Rank:
        """Who goes first while nobody is known."""
        return Rank.NAMED if visitor.is_named else Rank.WATCHING

    async def take(self, frame: Incoming) -> None:
        """Act on a frame."""
        raise NotImplementedError

    async def send_frame(self, frame: dict[str, Any]) -> None:
        """Send a frame to this client."""
        await self.pass_on(Heard(MATCH_FRAME, encode(frame)))

    async def pass_on(self, heard: Heard) -> None:
        """Send an encoded frame, unless something newer was sent; a reader that has not taken in
        far too many is let go."""
        if self.closed or await self._has_expired():
            return
        if self.is_private and not await self._still_stands():
            return
        if not self._is_news(heard.version):
            return
        if self._is_too_much(len(heard.data)):
            await self.end(4408, "reader.slow", "Too much was unread. Please come back for a sync.")
            return
        self._count(heard)
        if self.write is not None:
            self.write(heard.data)
        else:
            await self.send(text_data=heard.data.decode())

    def _is_news(self, version: int | None) -> bool:
        """Whether a frame tells of what this reader has not been sent: it may come by two ways."""
        return version is None or version > self.version

    def _is_too_much(self, size: int) -> bool:
        return (
            self.sent + 1 - self.confirmed > UNREAD_FRAMES_AT_MOST
            or self.unread_bytes + size > UNREAD_BYTES_AT_MOST
            or self._unsent_bytes() > UNSENT_BYTES_AT_MOST
        )

    def _count(self, heard: Heard) -> None:
        self.sent += 1
        self.unread_bytes += len(heard.data)
        self.version = heard.version or self.version

    async def end(self, close_code: int, code: str, sentence: str, **more: Any) -> None:
        """Say why, and close."""
        if self.closed:
            return
        self.closed = True
        CLOSED.inc(code)
        frame = {"type": "closing", "code": code, "sentence": sentence, **more}
        await self.send(text_data=frames.encoded(frame))
        await self.close(close_code)

    async def join(self, *groups: str) -> None:
        """Get the frames of these groups from now on."""
        self.room = self.room or rooms.here()
        await self.room.join(self, *groups)

    async def websocket_disconnect(self, message: dict[str, Any]) -> None:
        self.closed = True
        if self.next_look is not None:
            self.next_look.cancel()
        try:
            await self.disconnect(message["code"])
        except AWAY as error:
            log.warning("socket.away", error=type(error).__name__)

    async def match_frame(self, heard: Heard) -> None:
        """A frame for a group of this socket."""
        await self.pass_on(heard)

    async def user_changed(self, _heard: Heard | None = None) -> None:
        """The user signed out or lost the account: this socket's rights are void."""
        await self.end(4401, "account.changed", "Your sign-in has changed. Please connect again.")

    async def user_silenced(self, heard: Heard) -> None:
        """Whether the user may write has changed: their pages show it. Programs are told when they
        write: the reason is between the moderators and the person."""
        if self.credential is None:
            await self.pass_on(heard)

    async def _mark_seen(self) -> None:
        if self.user is not None:
            await presence.seen(self.user.pk)

    async def let_in(self, found: Found | None, visitor: Visitor) -> bool:
        """Remember who it is. False, and the socket is closed, where the token is no good."""
        if found is None:
            HANDSHAKES_REFUSED.inc("token")
            self.closed = True
            await self.close(4401)
            return False
        self.user, self.credential = found
        self.scope["user"] = self.user or AnonymousUser()
        if visitor.token:
            await self.accept()
        if not await self._has_room():
            return False
        if self.user is not None:
            self._look_later()
        return True

    async def _has_room(self) -> bool:
        """Whether its owner may have one socket more; it is closed otherwise."""
        belongs = self.scope.get(BELONGS)
        if belongs is None or belongs(None if self.user is None else self.user.pk):
            return True
        close_code, frame = crowded_frame()
        del frame["type"]
        await self.end(close_code, **frame)
        return False

    def _look_later(self) -> None:
        # Not all that were opened at once ask at once.
        pause = STANDS_EVERY_S * random.uniform(0.8, 1.2)  # noqa: S311
        self.next_look = asyncio.get_running_loop().call_later(pause, self._look)

    def _look(self) -> None:
        if not self.closed:
            self.asking = asyncio.ensure_future(self._ask_whether_it_stands())
            self._look_later()

    async def _announce_wait(self) -> None:
        if self.scope["visitor"].token and self.user is None:
            return  # still in its handshake
        await self.send_frame({"type": "waiting"})

    async def _turn_away(self, code: str, sentence: str) -> None:
        if self.scope["visitor"].token and self.user is None:
            await self.accept()
        await self.end(4503, code, sentence, retry_after=COME_BACK_S)

    def require_scope(self, needed: Scope) -> None:
        """Raises Forbidden ``scope.missing`` where the token that this socket was opened with does
        not allow it."""
        missing = None if self.credential is None else self.credential.missing(needed)
        if missing is not None:
            raise Forbidden("scope.missing", f"This token lacks the scope {missing.value!r}.")

    @property
    def _is_expired(self) -> bool:
        until = None if self.credential is None else self.credential.expires_at
        return until is not None and until <= now_utc()

    async def _has_expired(self) -> bool:
        """Whether the socket's token has; the socket is closed then."""
        if not self._is_expired:
            return False
        await self.end(4401, "token.refused", "This token is no longer good.")
        return True

    @property
    def is_private(self) -> bool:
        """Whether what is sent is meant for this user alone: then the sign-in is asked for even if
        the client says nothing."""
        return False

    async def _still_stands(self) -> bool:
        """Whether the sign-in that the socket was opened with does; it is closed otherwise."""
        return time.monotonic() < self.stands_until or await self._ask_whether_it_stands()

    async def _ask_whether_it_stands(self) -> bool:
        self.stands_until = time.monotonic() + STANDS_FOR_S
        stands = stands_of_socket(self.scope)
        try:
            if stands is None or await in_read_thread(stands):
                return True
        except AWAY as error:
            log.warning("socket.away", error=type(error).__name__)
            return True
        await self.user_changed()
        return False

    def _unsent_bytes(self) -> int:
        unsent: int = self.scope["unsent"]() if "unsent" in self.scope else 0
        return unsent

    def _confirm_receipt(self, received: int) -> None:
        self.confirmed = max(self.confirmed, min(received, self.sent))
        self.unread_bytes = 0

    async def _within_limits(self, text: str | None, data: bytes | None) -> bool:
        size = len((text or "").encode()) if data is None else len(data)
        most: int = settings.GAUNTLET_MESSAGE_MAX_BYTES
        if size > most:
            await self.end(4413, "frame.too-large", f"A frame has at most {most // 1024} KiB.")
            return False
        if not await self._affords(1):
            return False
        if data is not None:
            await self._refuse_frame("frame.binary", "Frames are text.")
            return False
        return True

    async def _affords(self, price: int) -> bool:
        """Whether so much may be asked of the server now; says why not."""
        wait = self.bucket.take(price)
        if wait:
            if self.patience.take():
                await self.end(4429, "rate.flood", "Far too many frames.")
            else:
                REFUSALS.inc("socket", "rate.frames")
                await self.send_frame(
                    frames.error_frame(
                        "rate.frames",
                        "Too many frames. Please wait.",
                        retry_after=ceil(wait * 100) / 100,
                    )
                )
            return False
        return True

    async def _refuse_frame(self, code: str, sentence: str) -> None:
        self.bad_frames += 1
        REFUSALS.inc("socket", code)
        if self.bad_frames > BAD_FRAMES_AT_MOST:
            await self.end(4400, code, "Too many frames that could not be understood.")
        else:
            await self.send_frame(frames.error_frame(code, sentence))
