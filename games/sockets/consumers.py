"""Sockets: thin. They find out who is reading, hand submissions to services and pass frames on."""

from __future__ import annotations

import asyncio
import random
import time
from functools import partial
from math import ceil
from typing import Any

import structlog
from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import InterfaceError, OperationalError
from django.utils import timezone
from redis.exceptions import RedisError

from accounts.connections.sockets import Found, Visitor
from accounts.connections.validity import stands_of_socket
from accounts.models import User
from core.api.scopes import Credential, Scope
from core.clock import now_ms
from core.refusals import Forbidden, Refusal
from games import presence
from games.audience import (
    AUDIENCES,
    LOBBY_GROUP,
    chat_group_of,
    group_of,
    may_read_room,
    user_group_of,
)
from games.engine.decisions import ROOM, Audience
from games.models import ChatMessage, Match
from games.publishing import frames
from games.publishing.publish import Frame, publish
from games.reading.matches import Reader, reader_of, standing_of, versions_of
from games.services.arrivals import match_attend
from games.services.chat import chat_history, chat_post
from games.services.turns import Ack, match_organise, match_submit
from games.sockets.admission import DOOR, Arrival, FullError, GoneError, Rank
from games.sockets.executor import in_turn_thread
from games.sockets.incoming import (
    Chat,
    ChatHistory,
    Incoming,
    Organise,
    Ping,
    Submit,
    Sync,
    incoming,
)
from games.sockets.limits import Bucket, chat_wait

log = structlog.get_logger("gauntlet.sockets")

# The database or the broker does not answer. It is nobody's mistake and passes.
AWAY = (OperationalError, InterfaceError, RedisError)

BAD_FRAMES_AT_MOST = 20
UNREAD_FRAMES_AT_MOST = 500
UNREAD_BYTES_AT_MOST = 8 * 1024 * 1024
UNSENT_BYTES_AT_MOST = 1024 * 1024  # in this process; the system's own buffers come on top
# A whole match or a whole room's history is worth several ordinary frames.
DEAR = 4
VERSIONS_KEPT_S = 2.0
# How often a socket asks whether its sign-in still stands, beside being told: when something comes
# or goes, and where nothing does.
STANDS_EVERY_S = 15.0
STANDS_IN_SILENCE_EVERY_S = 20.0
# What those are told who find no room, or no database; clients add some chance of their own.
COME_BACK_S = 5
NOBODY = Found(None)


class Socket(AsyncWebsocketConsumer):
    """What both kinds of socket share: limits, slow readers, closing with a reason."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.bucket = Bucket(size=40, per_second=20)
        self.bad_frames = 0
        # Frames over the limit that are answered before the socket is closed.
        self.patience = Bucket(size=200, per_second=2)
        self.sent = 0
        self.unread_bytes = 0
        self.confirmed = 0
        self.joined: set[str] = set()
        self.closed = False
        # Who it is, and what the token that it was opened with allows (None for signed-in people
        # and nobody): found out while connecting.
        self.user: User | None = None
        self.credential: Credential | None = None
        self.silence: asyncio.TimerHandle | None = None
        self.asking: asyncio.Future[bool] | None = None
        # Not all that were opened at once ask at once.
        self.asks_next = time.monotonic() + STANDS_EVERY_S * random.uniform(0.7, 1.3)  # noqa: S311

    async def dispatch(self, message: dict[str, Any]) -> None:
        # Not the inherited one: that hops to a thread shared by all sockets before each message,
        # to close database connections that these consumers do not have.
        if self.closed and message["type"] != "websocket.disconnect":
            return
        await getattr(self, message["type"].replace(".", "_"))(message)

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
            with DOOR.arrival(self.rank_of(visitor), gone, self._announce_wait) as arrival:
                await self.arrive(visitor, arrival)
        except GoneError:
            self.closed = True
        except FullError:
            log.warning("socket.busy")
            await self._turn_away("service.busy", "Too many are arriving. Please come back soon.")
        except AWAY as error:
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
        await self.pass_on(frames.encoded(frame))

    async def pass_on(self, text: str) -> None:
        """Send an encoded frame; a reader that has not taken in far too many is let go."""
        if self.closed or await self._has_expired():
            return
        if self.is_private and not await self._still_stands():
            return
        self.sent += 1
        self.unread_bytes += len(text)
        if (
            self.sent - self.confirmed > UNREAD_FRAMES_AT_MOST
            or self.unread_bytes > UNREAD_BYTES_AT_MOST
            or self._unsent_bytes() > UNSENT_BYTES_AT_MOST
        ):
            await self.end(4408, "reader.slow", "Too much was unread. Please come back for a sync.")
        elif "write" in self.scope:
            self.scope["write"](text.encode())
        else:
            await self.send(text_data=text)

    async def end(self, close_code: int, code: str, sentence: str, **more: Any) -> None:
        """Say why, and close."""
        if self.closed:
            return
        self.closed = True
        frame = {"type": "closing", "code": code, "sentence": sentence, **more}
        await self.send(text_data=frames.encoded(frame))
        await self.close(close_code)

    async def join(self, *groups: str) -> None:
        """Get the frames of these groups from now on."""
        for group in groups:
            if group not in self.joined:
                self.joined.add(group)
                await self.channel_layer.group_add(group, self.channel_name)

    async def websocket_disconnect(self, message: dict[str, Any]) -> None:
        self.closed = True
        if self.silence is not None:
            self.silence.cancel()
        try:
            for group in self.joined:
                await self.channel_layer.group_discard(group, self.channel_name)
            await self.disconnect(message["code"])
        except AWAY as error:
            log.warning("socket.away", error=type(error).__name__)
        raise StopConsumer

    async def match_frame(self, message: dict[str, Any]) -> None:
        """A frame for a group of this socket."""
        await self.pass_on(message["text"])

    async def user_changed(self, _message: dict[str, Any]) -> None:
        """The user signed out or lost the account: this socket's rights are void."""
        await self.end(4401, "account.changed", "Your sign-in has changed. Please connect again.")

    async def user_silenced(self, message: dict[str, Any]) -> None:
        """Whether the user may write has changed: their pages show it. Programs are told when they
        write: the reason is between the moderators and the person."""
        if self.credential is None:
            await self.pass_on(message["text"])

    async def _mark_seen(self) -> None:
        if self.user is not None:
            await presence.seen(self.user.pk)

    async def let_in(self, found: Found | None, visitor: Visitor) -> bool:
        """Remember who it is. False, and the socket is closed, where the token is no good."""
        if found is None:
            self.closed = True
            await self.close(4401)
            return False
        self.user, self.credential = found
        self.scope["user"] = self.user or AnonymousUser()
        if visitor.token:
            await self.accept()
        if self.user is not None:
            self._ask_in_silence()
        return True

    def _ask_in_silence(self) -> None:
        loop = asyncio.get_running_loop()
        self.silence = loop.call_later(STANDS_IN_SILENCE_EVERY_S, self._check_in_silence)

    def _check_in_silence(self) -> None:
        if not self.closed:
            self.asking = asyncio.ensure_future(self._still_stands())
            self._ask_in_silence()

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

    async def _has_expired(self) -> bool:
        """Whether the socket's token has; the socket is closed then."""
        until = None if self.credential is None else self.credential.expires_at
        if until is None or until > timezone.now():
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
        if time.monotonic() < self.asks_next:
            return True
        self.asks_next = time.monotonic() + STANDS_EVERY_S
        stands = stands_of_socket(self.scope)
        try:
            if stands is None or await in_turn_thread(stands):
                return True
        except AWAY as error:
            log.warning("socket.away", error=type(error).__name__)
            return True
        await self.user_changed({})
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
        if self.bad_frames > BAD_FRAMES_AT_MOST:
            await self.end(4400, code, "Too many frames that could not be understood.")
        else:
            await self.send_frame(frames.error_frame(code, sentence))


class MatchSocket(Socket):
    """One reader of one match."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.present = self.waits = False

    @property
    def is_private(self) -> bool:
        return getattr(self, "audience", ROOM) != ROOM

    async def arrive(self, visitor: Visitor, arrival: Arrival) -> None:
        self.match_id = int(self.scope["url_route"]["kwargs"]["match_id"])
        try:
            found, standing = await arrival.turn(self.rank_of(visitor), self._standing, visitor)
        except Refusal as refusal:
            if visitor.token:
                await self.accept()
            await self.end(4404, refusal.code, refusal.sentence)
            return
        if not await self.let_in(found, visitor) or standing is None:
            return
        self.audience, self.organise = standing
        self.seat = self.audience if self.audience in (0, 1) else None
        # Groups first, then the view: a change in between is then told twice rather than never.
        await self.join(group_of(self.match_id, self.audience))
        if self.user is not None:
            await self.join(user_group_of(self.user.pk))
        takes_part = self.seat is not None or self.organise
        reader = await arrival.turn(
            Rank.PLAYING if takes_part else Rank.WATCHING, reader_of, self.match_id, self.user
        )
        self.present = True
        await self._mark_seen()
        await self._announce_presence(await self._send_sync(reader))

    def _standing(self, visitor: Visitor) -> tuple[Found | None, tuple[Audience, bool] | None]:
        found = visitor.found()
        return found, None if found is None else standing_of(self.match_id, found.user)

    async def disconnect(self, code: int) -> None:
        if self.present:
            there = await presence.leave(self.match_id, self.audience, self.channel_name)
            await self._announce_presence(there)

    async def take(self, frame: Incoming) -> None:
        try:
            await self._do(frame)
        except Refusal as refusal:
            if isinstance(frame, Ping | Sync):
                raise  # who may not look any more is not told so: the socket ends
            about = None if isinstance(frame, ChatHistory) else frame.id
            await self.send_frame(frames.refused_frame(about, refusal))

    async def _do(self, frame: Incoming) -> None:
        match frame:
            case Submit():
                await self.send_frame(frames.ack_frame(await self._submit(frame)))
            case Ping():
                await self._pong(frame)
            case Sync():
                await self._send_sync(await in_turn_thread(reader_of, self.match_id, self.user))
            case Chat():
                await in_turn_thread(self._post, frame)
            case ChatHistory():
                await self._send_chat_history(frame)
            case Organise():
                await self.send_frame(frames.ack_frame(await self._organise(frame)))

    async def _submit(self, frame: Submit) -> Ack:
        at = now_ms()
        if self.seat is None or self.user is None:
            raise Forbidden("seat.none", "Only the two players can submit.")
        if frame.match != self.match_id:
            raise Refusal("match.wrong", "This socket belongs to another match.")
        self.require_scope(Scope.PLAY)
        return await in_turn_thread(
            match_submit,
            match_id=self.match_id,
            seat=self.seat,
            acting_user=self.user,
            client_id=frame.id,
            text=frame.text,
            version=frame.version,
            at=at,
        )

    async def _organise(self, frame: Organise) -> Ack:
        if self.user is None:
            raise Forbidden("organiser.not-allowed", "Only an organiser may do this.")
        self.require_scope(Scope.ORGANISE)
        return await in_turn_thread(
            match_organise,
            match_id=self.match_id,
            acting_user=self.user,
            client_id=frame.id,
            text=frame.text,
            why=frame.why,
            at=now_ms(),
        )

    async def _attend(self, there: dict[str, Any]) -> None:
        """A match that waits for its players may begin now that one of them is here."""
        if self.waits and self.seat is not None:
            seats = tuple(there["seats"])
            begun = partial(match_attend, match_id=self.match_id, there=seats, at=now_ms())
            self.waits = not await in_turn_thread(begun)

    async def _send_sync(self, reader: Reader) -> dict[str, Any]:
        there = await presence.arrive(self.match_id, self.audience, self.channel_name)
        self.waits = reader.sync["view"]["phase"] == "waiting"
        over = reader.over
        await self.join(
            *[
                chat_group_of(self.match_id, room)
                for room in ChatMessage.Room.values
                if may_read_room(room, seat=self.seat, over=over)
            ]
        )
        await self.send_frame({**reader.sync, "presence": there})
        await self._attend(there)
        return there

    async def _pong(self, frame: Ping) -> None:
        if frame.received is not None:
            self._confirm_receipt(frame.received)
        there = await presence.arrive(self.match_id, self.audience, self.channel_name)
        await self._attend(there)
        await self._mark_seen()
        versions = await _versions(self.match_id)
        await self.send_frame(
            {
                "type": "pong",
                "at": frame.at,
                "now": now_ms(),
                "version": versions[AUDIENCES.index(self.audience)],
                "presence": there,
            }
        )

    def _post(self, frame: Chat) -> None:
        if self.user is None:
            raise Forbidden("chat.not-your-room", "Please sign in to write.")
        self.require_scope(Scope.PLAY)
        wait = chat_wait(self.user.pk)
        if wait:
            raise Refusal("rate.chat", f"Too many messages. Please wait {wait} s.")
        match = Match.objects.prefetch_related("players").get(pk=self.match_id)
        chat_post(
            acting_user=self.user,
            match=match,
            room=frame.room,
            client_id=frame.id,
            text=frame.text,
            at=now_ms(),
        )

    async def _send_chat_history(self, frame: ChatHistory) -> None:
        messages = await in_turn_thread(self._history, frame.room)
        await self.send_frame(
            {
                "type": "chat.history",
                "match": self.match_id,
                "room": frame.room,
                "messages": messages,
            }
        )

    def _history(self, room: str) -> list[dict[str, Any]]:
        match = Match.objects.prefetch_related("players").get(pk=self.match_id)
        return chat_history(match=match, room=room, user=self.user)

    async def _announce_presence(self, there: dict[str, Any]) -> None:
        if self.seat is None and not await presence.may_announce(self.match_id):
            return
        text = frames.encoded({"type": "presence", "match": self.match_id, **there})
        out = [Frame(group_of(self.match_id, audience), text) for audience in AUDIENCES]
        await in_turn_thread(publish, out)


class LobbySocket(Socket):
    """Somebody in the lobby: told of new challenges and matches, and of what concerns them."""

    @property
    def is_private(self) -> bool:
        return self.user is not None  # who is told of what concerns them alone

    def rank_of(self, visitor: Visitor) -> Rank:
        return Rank.PASSING

    async def arrive(self, visitor: Visitor, arrival: Arrival) -> None:
        found = await arrival.turn(Rank.PASSING, visitor.found) if visitor.is_named else NOBODY
        if not await self.let_in(found, visitor):
            return
        await self.join(LOBBY_GROUP)
        if self.user is not None:
            await self.join(user_group_of(self.user.pk))
        if self.user is not None and self.credential is None:
            # A page that comes back was not told meanwhile.
            await self.send_frame(
                await arrival.turn(Rank.PASSING, frames.silenced_frame, self.user)
            )
        await self._mark_seen()

    async def take(self, frame: Incoming) -> None:
        if isinstance(frame, Ping):
            if frame.received is not None:
                self._confirm_receipt(frame.received)
            await self._mark_seen()
            await self.send_frame({"type": "pong", "at": frame.at, "now": now_ms()})
        else:
            await self.send_frame(
                frames.error_frame("frame.unknown-type", "The lobby takes no such frames.")
            )


class NowhereSocket(Socket):
    """Somebody who came to an address where there is nothing."""

    async def connect(self) -> None:
        await self.accept()
        await self.end(4404, "address.unknown", "There is nothing at this address.")


_kept_versions: dict[int, tuple[float, tuple[int, ...]]] = {}


async def _versions(match_id: int) -> tuple[int, ...]:
    """The versions of a match, at most two seconds old: every reader asks every ten seconds."""
    now = time.monotonic()
    kept = _kept_versions.get(match_id)
    if kept is None or now - kept[0] > VERSIONS_KEPT_S:
        if len(_kept_versions) > 10_000:
            _kept_versions.clear()
        kept = (now, await in_turn_thread(versions_of, match_id))
        _kept_versions[match_id] = kept
    return kept[1]
