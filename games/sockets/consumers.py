"""Sockets: thin. They find out who is reading, hand submissions to services and pass frames on."""

from __future__ import annotations

import time
from functools import partial
from typing import Any, NamedTuple

import structlog
from django.utils.functional import cached_property

from accounts.connections.sockets import Found, Visitor
from accounts.guests import is_guest
from accounts.models import User
from accounts.roles import explained
from core.api.scopes import Scope, allows
from core.clock import now_ms
from core.instants import RECEIVED, instant_of_reading
from core.metrics import HANDSHAKES_REFUSED, REFUSALS
from core.refusals import Forbidden, Refusal
from core.replica.writers import note_soon
from games import here, presence
from games.audience import (
    COUNT_GROUP,
    HERE_GROUP,
    LATE,
    LOBBY_GROUP,
    READINGS,
    Reading,
    as_seat,
    chat_group_of,
    group_of,
    may_read_room,
    turns_group_of,
    user_group_of,
)
from games.engine.decisions import ROOM, Audience
from games.intake import INTAKE, Ticket
from games.metrics import SYNCS, Laps
from games.models import LIVE_ROOMS, ChatMessage, Match
from games.publishing import frames
from games.publishing.publish import Frame, Heard, publish
from games.publishing.turns import turns_frame
from games.reading.known import Known, commitment_from, known_from
from games.reading.matches import standing_of, versions_of
from games.reading.readers import reader_of
from games.reading.selectors import matches_to_move
from games.services.announcing import sight_lose
from games.services.arrivals import match_attend, nonce_commit, nonce_open, nonce_waive
from games.services.chat import chat_history, chat_post
from games.services.commentary import commentators_of
from games.services.turns import Ack, match_organise, match_submit, match_submit_on_loop
from games.sockets import crowd, rooms
from games.sockets.admission import Arrival, Rank
from games.sockets.executor import in_read_thread, in_turn_thread
from games.sockets.here import tell_soon
from games.sockets.incoming import (
    Chat,
    ChatHistory,
    Incoming,
    Nonce,
    Organise,
    Ping,
    Submit,
    Sync,
)
from games.sockets.limits import chat_wait
from games.sockets.socket import AWAY, Socket

log = structlog.get_logger("gauntlet.sockets")

VERSIONS_KEPT_S = 2.0
# What every submission has in it, however it is written down, and hardly anything else. One that
# hides it is taken all the same, but nobody waits for it.
SUBMISSION = '"submit"'
# Under which a text that has come keeps what `games.intake` has of it.
TICKET = "ticket"
NOBODY = Found(None)


class News(NamedTuple):
    """A `sync` frame for one reader, and whether the match is over or waits for its players."""

    sync: dict[str, Any]
    over: bool
    waits: bool


class MatchSocket(Socket):
    """One reader of one match."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.present = self.waits = self.hidden = False
        # Whether a submission may come of this socket: as far as is known yet.
        self.may_submit = True
        self.tickets: set[Ticket] = set()

    @cached_property
    def match_id(self) -> int:
        return int(self.scope["url_route"]["kwargs"]["match_id"])

    @property
    def commitment(self) -> str:
        """What a player brings towards the draws of a match that waits."""
        return commitment_from(self.scope.get("query_string", b""))

    @property
    def is_private(self) -> bool:
        return getattr(self, "seat", None) is not None

    async def arrive(self, visitor: Visitor, arrival: Arrival) -> None:
        try:
            found, standing = await self._find_out(visitor, arrival)
        except Refusal as refusal:
            HANDSHAKES_REFUSED.inc("nowhere")
            if visitor.token:
                await self.accept()
            await self.end(4404, refusal.code, refusal.sentence)
            return
        if not await self.let_in(found, visitor) or standing is None:
            return
        self.audience, self.organise = standing
        self.seat = as_seat(self.audience)
        #: Where presence counts it: with a token that only reads, nobody is there as a player.
        plays = self.seat is not None and allows(self.credential, Scope.PLAY)
        self.place: Audience = self.seat if plays and self.seat is not None else ROOM
        self.may_submit = self.seat is not None
        self.reads_as = "room" if self.seat is None else "player"
        # Groups first, then the view: a change in between is then told twice rather than never.
        self.room = rooms.here()
        await self.room.watch(self, self.match_id, self.audience)
        if self.user is not None:
            await self.join(user_group_of(self.user.pk))
        takes_part = self.seat is not None or self.organise
        since, known = time.monotonic(), known_from(self.scope.get("query_string", b""))
        async with arrival.place(Rank.PLAYING if takes_part else Rank.WATCHING):
            news = await self._read(since, known)
        not_taken = None
        if news.waits and self.seat is not None and self.commitment:
            # Before anybody knows that they are here, so that the match cannot begin without it.
            not_taken = await self._commit(self.commitment)
            news = await self._read(time.monotonic(), known)
        self.present = True
        await self._mark_seen()
        await self._announce_presence(await self._send_sync(news))
        if not_taken is not None:
            await self.send_frame(frames.refused_frame(None, not_taken))

    async def _find_out(
        self, visitor: Visitor, arrival: Arrival
    ) -> tuple[Found | None, tuple[Reading, bool] | None]:
        if visitor.is_named:
            return await arrival.turn(self.rank_of(visitor), self._standing, visitor)
        # Of those who are nobody in particular the first few ask whether there is such a match.
        views = crowd.here()
        audience = views.knows(self.match_id)
        if audience is None:
            async with arrival.place(self.rank_of(visitor)):
                audience = views.knows(self.match_id)
                if audience is None:
                    standing = await in_read_thread(standing_of, self.match_id, None)
                    audience = standing[0]
                    views.note(self.match_id, audience)
        return NOBODY, (audience, False)

    def _standing(self, visitor: Visitor) -> tuple[Found | None, tuple[Reading, bool] | None]:
        found = visitor.found(guests=True)
        if found is None:
            return None, None
        standing = standing_of(self.match_id, found.user)
        if is_guest(found.user) and as_seat(standing[0]) is None:
            found = NOBODY
        return found, standing

    def note(self, message: dict[str, Any]) -> None:
        if not self.may_submit or SUBMISSION not in (message.get("text") or ""):
            super().note(message)
            return
        ticket = message[TICKET] = INTAKE.take(self.match_id)
        message[RECEIVED] = ticket.reading
        self.tickets.add(ticket)

    def let_go(self, message: dict[str, Any]) -> None:
        if (ticket := message.get(TICKET)) is not None:
            ticket.done()
            self.tickets.discard(ticket)

    def let_go_of_all(self) -> None:
        self.may_submit = False
        for ticket in self.tickets:
            ticket.done()
        self.tickets.clear()

    async def disconnect(self, code: int) -> None:
        if self.present:
            there = await presence.leave(self.match_id, self.place, self.name)
            if self.seat is not None and self.place != ROOM:
                sight_lose(match_id=self.match_id, seat=self.seat)
            await self._announce_presence(there)

    async def take(self, frame: Incoming) -> None:
        try:
            await self._do(frame)
        except Refusal as refusal:
            if isinstance(frame, Ping | Sync):
                raise  # who may not look any more is not told so: the socket ends
            about = None if isinstance(frame, ChatHistory) else frame.id
            if isinstance(frame, Organise):
                refusal = explained(refusal, self.user)
            REFUSALS.inc("socket", refusal.code)
            await self.send_frame(frames.refused_frame(about, refusal))

    async def _do(self, frame: Incoming) -> None:
        match frame:
            case Submit():
                await self.send_frame(frames.ack_frame(await self._submit(frame)))
                self.laps.finish()
            case Ping():
                await self._pong(frame)
            case Sync():
                await self._stand_anew()
                await self._send_sync(await self._read(time.monotonic(), frame.known))
            case Chat():
                await in_read_thread(self._post, frame, instant_of_reading(self.received))
            case ChatHistory():
                await self._send_chat_history(frame)
            case Nonce():
                await self.send_frame(frames.ack_frame(await self._open(frame)))
            case Organise():
                await self.send_frame(frames.ack_frame(await self._organise(frame)))

    async def _submit(self, frame: Submit) -> Ack:
        at = instant_of_reading(self.received)
        self.laps = Laps(at)
        if self.seat is None or self.user is None:
            raise Forbidden("seat.none", "Only the two players can submit.")
        if frame.match != self.match_id:
            raise Refusal("match.wrong", "This socket belongs to another match.")
        self.require_scope(Scope.PLAY)
        note_soon(self.user.pk)
        submission: dict[str, Any] = {
            "match_id": self.match_id,
            "seat": self.seat,
            "acting_user": self.user,
            "client_id": frame.id,
            "text": frame.text,
            "version": frame.version,
            "at": at,
            "clock": now_ms,
            "laps": self.laps,
        }
        ack = await match_submit_on_loop(**submission, database=rooms.here().database)
        if ack is not None:
            return ack
        return await in_turn_thread(match_submit, **submission)

    async def _commit(self, commitment: str) -> Refusal | None:
        """Take what a player who comes adds to the draws of a match that waits; why not, where it
        is not taken."""
        try:
            self.require_scope(Scope.PLAY)
            if self.user is None or self.seat is None:
                raise Forbidden("seat.none", "Only the two players can submit.")
            await in_turn_thread(
                nonce_commit,
                match_id=self.match_id,
                acting_user=self.user,
                seat=self.seat,
                commitment=commitment,
                at=now_ms(),
            )
        except Refusal as refusal:
            REFUSALS.inc("socket", refusal.code)
            return refusal
        return None

    async def _open(self, frame: Nonce) -> Ack:
        at = now_ms()
        if self.seat is None or self.user is None:
            raise Forbidden("seat.none", "Only the two players can submit.")
        if frame.match != self.match_id:
            raise Refusal("match.wrong", "This socket belongs to another match.")
        self.require_scope(Scope.PLAY)
        about: dict[str, Any] = {"match_id": self.match_id, "acting_user": self.user}
        about |= {"seat": self.seat, "at": at}
        if frame.without:
            version = await in_turn_thread(partial(nonce_waive, **about))
        else:
            version = await in_turn_thread(partial(nonce_open, **about, nonce=frame.nonce))
        return Ack(frame.id, self.match_id, version, at)

    async def _organise(self, frame: Organise) -> Ack:
        if self.user is None:
            raise Forbidden("organiser.not-allowed", "Only an organiser may do this.")
        self.require_scope(Scope.ORGANISE)
        note_soon(self.user.pk)
        return await in_turn_thread(
            match_organise,
            match_id=self.match_id,
            acting_user=self.user,
            client_id=frame.id,
            text=frame.text,
            why=frame.why,
            at=instant_of_reading(self.received),
            clock=now_ms,
        )

    async def _attend(self, there: dict[str, Any]) -> None:
        """A match that waits for its players may begin now that one of them is here."""
        if self.waits and self.place != ROOM:
            seats = tuple(there["seats"])
            begun = partial(match_attend, match_id=self.match_id, there=seats, at=now_ms())
            self.waits = not await in_turn_thread(begun)

    async def _stand_anew(self) -> None:
        """Find out what somebody who watches may do now: nobody may do more. Whoever may know less
        now has to come anew."""
        if self.seat is None and self.user is not None:
            audience, self.organise = await in_read_thread(standing_of, self.match_id, self.user)
            if audience == LATE != self.audience:
                raise Forbidden("organiser.not-allowed", "You do not organise this match any more.")

    async def _read(self, since: float, known: Known | None = None) -> News:
        """What is to be told now, of a reading begun after ``since`` (monotonic, s). Spectators
        share it."""
        if self.seat is None:
            view = await crowd.here().view(
                self.match_id, audience=self.audience, since=since, run=in_read_thread
            )
            sync = view.sync(at=now_ms(), organise=self.organise, known=known)
            return News(sync, over=view.over, waits=view.waits)
        reader = await in_read_thread(reader_of, self.match_id, self.user)
        waits = reader.sync["view"]["phase"] == "waiting"
        return News(reader.lacking(known), over=reader.over, waits=waits)

    async def _send_sync(self, news: News) -> dict[str, Any]:
        there = await presence.arrive(self.match_id, self.place, self.name, hidden=self.hidden)
        self.waits = news.waits
        await self.join(
            *[
                chat_group_of(self.match_id, room)
                for room in LIVE_ROOMS
                if may_read_room(room, seat=self.seat, over=news.over)
            ]
        )
        SYNCS.inc()
        await self.send_frame({**news.sync, "presence": there})
        self.version = max(self.version, news.sync["version"])
        await self._attend(there)
        return there

    async def match_version(self, heard: Heard) -> None:
        """What is the newest by now: where that has not come here, everything is sent."""
        if self._is_news(heard.version):
            try:
                await self._send_sync(await self._read(time.monotonic()))
            except AWAY as error:  # a pong will tell
                log.warning("socket.away", error=type(error).__name__)

    async def _pong(self, frame: Ping) -> None:
        if frame.received is not None:
            self._confirm_receipt(frame.received)
        hidden, was_hidden = frame.hidden and self.place != ROOM, self.hidden
        self.hidden = hidden
        there = await presence.arrive(self.match_id, self.place, self.name, hidden=hidden)
        if self.seat is not None and hidden and not was_hidden:
            sight_lose(match_id=self.match_id, seat=self.seat)
        await self._attend(there)
        await self._mark_seen()
        versions = await _versions(self.match_id)
        await self.send_frame(
            {
                "type": "pong",
                "at": frame.at,
                "now": now_ms(),
                "version": versions[READINGS.index(self.audience)],
                "presence": there,
            }
        )

    def _post(self, frame: Chat, at: int) -> None:
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
            at=at,
        )

    async def _send_chat_history(self, frame: ChatHistory) -> None:
        told = await in_read_thread(self._history, frame.room)
        await self.send_frame(
            {"type": "chat.history", "match": self.match_id, "room": frame.room, **told}
        )

    def _history(self, room: str) -> dict[str, Any]:
        match = Match.objects.prefetch_related("players").get(pk=self.match_id)
        told = {"messages": chat_history(match=match, room=room, user=self.user)}
        if room == ChatMessage.Room.COMMENTARY:
            return {**told, "commentators": commentators_of(self.match_id)}
        return told

    async def _announce_presence(self, there: dict[str, Any]) -> None:
        if self.seat is None and not await presence.may_announce(self.match_id):
            return
        frame = {"type": "presence", "match": self.match_id, **there}
        out = [Frame(group_of(self.match_id, audience), frame) for audience in READINGS]
        await in_read_thread(publish, out)


class EmbeddedSocket(MatchSocket):
    """One reader of one match within another site's page. They are nobody, whatever their browser
    sends along: what such a page shows must not be the reader's own."""

    async def connect(self) -> None:
        self.scope = {**self.scope, "visitor": Visitor()}
        await super().connect()


class LobbySocket(Socket):
    """Somebody in the lobby: told of new challenges and matches, and of what concerns them. Every
    page has one; that of the lobby itself says so (`at=lobby`), and is told who is there."""

    is_here = False

    @property
    def is_private(self) -> bool:
        return self.user is not None  # who is told of what concerns them alone

    def rank_of(self, visitor: Visitor) -> Rank:
        return Rank.PASSING

    async def arrive(self, visitor: Visitor, arrival: Arrival) -> None:
        found = await arrival.turn(Rank.PASSING, visitor.found) if visitor.is_named else NOBODY
        if not await self.let_in(found, visitor):
            return
        self.reads_as = "lobby"
        await self.join(LOBBY_GROUP)
        if self.is_at_lobby:
            await self.join(COUNT_GROUP if self.user is None else HERE_GROUP)
        if self.user is not None:
            await self.join(user_group_of(self.user.pk), turns_group_of(self.user.pk))
        if self.user is not None and self.credential is None:
            # A page that comes back was not told meanwhile.
            for frame in await arrival.turn(Rank.PASSING, _meanwhile, self.user):
                await self.send_frame(frame)
        await self._mark_seen()
        await self._mark_here()

    @cached_property
    def is_at_lobby(self) -> bool:
        """Whether it is the lobby's own page that listens, and not just any."""
        return b"at=lobby" in self.scope.get("query_string", b"").split(b"&")

    async def _mark_here(self) -> None:
        if self.is_at_lobby and self.user is not None:
            if await here.arrive(self.user.pk, self.name):
                tell_soon()
            self.is_here = True

    async def disconnect(self, code: int) -> None:
        if self.is_here and self.user is not None and await here.leave(self.user.pk, self.name):
            tell_soon()

    async def take(self, frame: Incoming) -> None:
        if isinstance(frame, Ping):
            if frame.received is not None:
                self._confirm_receipt(frame.received)
            await self._mark_seen()
            await self._mark_here()
            await self.send_frame({"type": "pong", "at": frame.at, "now": now_ms()})
        else:
            await self.send_frame(
                frames.error_frame("frame.unknown-type", "The lobby takes no such frames.")
            )


def _meanwhile(user: User) -> list[dict[str, Any]]:
    return [frames.silenced_frame(user), turns_frame(matches_to_move(user))]


class NowhereSocket(Socket):
    """Somebody who came to an address where there is nothing."""

    async def connect(self) -> None:
        HANDSHAKES_REFUSED.inc("nowhere")
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
        kept = (now, await in_read_thread(versions_of, match_id))
        _kept_versions[match_id] = kept
    return kept[1]
