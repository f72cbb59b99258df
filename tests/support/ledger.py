"""A ledger: everything that clients were told, and what of it the database does not bear out.

`Ledger` holds what was told. `Player` plays a match over a real socket, comes back when it is
dropped and sends again what was not answered, as a browser does, and writes down every frame.
`Crowd` has many of them play in a thread of its own, whatever happens to the site meanwhile. The
functions at the end run on the site, and say how the matches really went.
"""

from __future__ import annotations

import asyncio
import json
import random
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from tests.games.desk import Desk, Person
from tests.support.site import Address, Looked, wait_for

Frame = dict[str, Any]

# As a browser does, but sooner: tests are in a hurry.
PING_EVERY_S: Final = 1.0
AGAIN_S: Final = 4.0
LOST_S: Final = 12.0
LONGEST_PAUSE_S: Final = 1.0
# How long after its deadline something that nobody has answered must have run out, once all is
# well: seconds on a quiet machine.
LATE_S: Final = 45.0


@dataclass
class Sent:
    """A submission, and how it was answered: by an ack, or by the code of a refusal."""

    match: int
    seat: int
    client_id: str
    text: str
    acks: list[Frame] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)


@dataclass
class Waited:
    """How long a turn took (s), and when it was sent: to its ack, and to the opponent's frame."""

    at: float
    acked: float | None = None
    seen: float | None = None


class Ledger:
    """What clients were told. Contradictions within that are noted on the way."""

    def __init__(self) -> None:
        self.matches: set[int] = set()
        self.sent: dict[str, Sent] = {}
        # By match, audience and version: what was shown, without its clocks.
        self.shown: dict[tuple[int, str, int], str] = {}
        # By match, audience and number of the item in that audience's log.
        self.log: dict[tuple[int, str, int], str] = {}
        # By match and seat: the instant of a frame, and until when it said that there was time.
        self.deadlines: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self.contradictions: list[str] = []
        self.waits: list[Waited] = []
        self.told: Counter[str] = Counter()

    # -- what is told ----------------------------------------------------------------------------

    @property
    def away(self) -> int:
        """How often clients were told that the site cannot do this now, in answer to a frame or to
        their coming back."""
        return self.told["error service.away"] + self.told["closing service.away"]

    def note(self, match: int, audience: str, frame: Frame) -> None:
        """A frame that has come."""
        kind = frame["type"]
        with_code = kind in {"refused", "error", "closing"}
        self.told[f"{kind} {frame['code']}" if with_code else kind] += 1
        if kind in {"sync", "step"}:
            self._note_view(match, audience, frame)
        elif kind == "ack":
            self.sent[frame["id"]].acks.append(frame)
        elif kind == "refused":
            self.sent[frame["id"]].refusals.append(frame["code"])

    def _note_view(self, match: int, audience: str, frame: Frame) -> None:
        view, version = frame["view"], frame["version"]
        decisions = [
            (each["id"], each["seat"], each["kind"], each.get("sealed"))
            for each in view["decisions"]
        ]
        shown = json.dumps(
            [view["phase"], view["paused"], decisions, view["game"], view["result"]], sort_keys=True
        )
        known = self.shown.setdefault((match, audience, version), shown)
        if known != shown:
            self.contradictions.append(
                f"match {match}: version {version} of {audience} was told as two different things"
            )
        over = view["phase"] == "over"
        # Afterwards everybody reads one log, which is numbered anew.
        told_last = over and frame["type"] == "step"
        items: list[Any] = frame["log"] if frame["type"] == "sync" else frame["events"]
        for item in [] if told_last else items:
            key = (match, "all" if over else audience, item["n"])
            text = json.dumps([item["actor"], item["events"]], sort_keys=True)
            if self.log.setdefault(key, text) != text:
                self.contradictions.append(f"match {match}: item {key} of the log has changed")
        if audience in {"0", "1"}:
            for each in view["decisions"]:
                clock = each["clock"]
                if str(each["seat"]) == audience and clock and clock["running"]:
                    reserve = view["reserve_ms"][each["seat"]] if clock["reserve"] else 0
                    left = clock["turn_ms"] + reserve - clock["reading_ms"]
                    told = self.deadlines.setdefault((match, each["seat"]), [])
                    told.append((frame["at"], frame["at"] + left))

    # -- and what is so --------------------------------------------------------------------------

    def check(self, desk: Desk) -> list[str]:
        """Every way in which the database does not bear out what was told."""
        wrong = list(self.contradictions)
        for match in sorted(self.matches):
            wrong += self._check_match(match, desk.hand.call(f"{__name__}:truth", match=match))
        return wrong

    def _check_match(self, match: int, truth: Any) -> list[str]:
        wrong: list[str] = []
        entries = truth["entries"]
        if [each["seq"] for each in entries] != list(range(1, len(entries) + 1)):
            wrong.append("its entries are not numbered without gaps")
        by_id: dict[tuple[str, str], list[Any]] = {}
        for each in entries:
            if each["client_id"] is not None:
                by_id.setdefault((each["actor"], each["client_id"]), []).append(each)
        for sent in self.sent.values():
            if sent.match == match:
                wrong += _wrong_with(sent, by_id.pop((str(sent.seat), sent.client_id), []))
        wrong += [f"nobody has sent the entry {key}" for key in by_id]
        wrong += self._wrong_with_versions(match, truth)
        wrong += self._wrong_with_log(match, truth)
        for each in entries:
            if each["timeout"]:
                wrong += self._wrong_with_timeout(match, each)
        wrong += truth["record"]
        return [f"match {match}: {each}" for each in wrong]

    def _wrong_with_versions(self, match: int, truth: Any) -> list[str]:
        wrong = []
        for (number, audience, version), shown in self.shown.items():
            if number != match:
                continue
            now = truth["versions"][audience]
            if version > now:
                wrong.append(f"version {version} was told to {audience}, and there are {now}")
            elif version == now and json.loads(shown) != truth["shown"][audience]:
                wrong.append(f"the newest version {version} of {audience} is not what was told")
        return wrong

    def _wrong_with_log(self, match: int, truth: Any) -> list[str]:
        wrong = []
        for (number, audience, n), text in self.log.items():
            if number == match:
                items = truth["logs"][audience]
                if n > len(items) or json.loads(text) != items[n - 1]:
                    wrong.append(f"item {n} of the log of {audience} was told and is not so")
        return wrong

    def _wrong_with_timeout(self, match: int, entry: Any) -> list[str]:
        told = [
            until
            for at, until in self.deadlines.get((match, int(entry["actor"])), [])
            if at < entry["at"]
        ]
        if told and entry["at"] < told[-1]:
            early = told[-1] - entry["at"]
            return [f"entry {entry['seq']} ran out {early} ms before what its player was told"]
        return []


def _wrong_with(sent: Sent, found: Sequence[Any]) -> list[str]:
    what = f"{sent.client_id} of seat {sent.seat}"
    if sent.acks and sent.refusals:
        return [f"{what} was acknowledged, and refused ({sent.refusals})"]
    if sent.refusals:
        return [f"{what} was refused ({sent.refusals}), and is there"] if found else []
    if not sent.acks:
        return [f"{what} was never answered"]
    if len(found) != 1:
        return [f"{what} was acknowledged, and is there {len(found)} times"]
    (entry,) = found
    wrong = []
    if entry["submitted"] != sent.text:
        wrong.append(f"{what} was {sent.text!r}, and {entry['submitted']!r} is there")
    is_so = (sent.match, entry["ack_version"], entry["at"])
    wrong += [
        f"{what} was acknowledged as {ack}, and is there as {entry}"
        for ack in sent.acks
        if (ack["match"], ack["version"], ack["at"]) != is_so
    ]
    return wrong


class Player:
    """One seat of one match. ``answers`` says how the game is played; None where nobody does, and
    time runs out."""

    def __init__(
        self,
        ledger: Ledger,
        web: Address,
        match: int,
        seat: int | None,
        person: Person | None,
        *,
        source: random.Random,
        answers: Callable[..., str] | None,
    ) -> None:
        self.ledger = ledger
        self.web = web
        self.match = match
        self.seat = seat
        self.audience = "room" if seat is None else str(seat)
        self.person = person
        self.source = source
        self.answers = answers
        self.version = 0
        self.view: Any = None
        self.pending: tuple[Sent, int] | None = None
        self.answered_version = 0
        self.waited: dict[str, Waited] = {}
        self.opponent: Player | None = None
        # Which web process has the socket, where a proxy says so.
        self.upstream = ""
        self.socket: ClientConnection | None = None
        self.acked = 0
        self.rests = False
        self.stops = False
        self.is_over = False

    @property
    def is_done(self) -> bool:
        """Whether there is nothing more to wait for."""
        return (self.is_over or self.stops) and self.pending is None

    async def play(self) -> None:
        """Stay until there is nothing more to do, and come back whenever the site drops us."""
        failed = 0
        while not self.is_done:
            try:
                async with connect(
                    f"{self.web.ws_url}/ws/v1/matches/{self.match}/",
                    origin=self.web.base_url,  # type: ignore[arg-type]
                    additional_headers={"Cookie": self.person.cookie} if self.person else {},
                    open_timeout=LOST_S,
                    close_timeout=1,
                    ping_interval=None,
                    max_size=None,
                    compression=None,
                    proxy=None,
                    **self.web.dialling,
                ) as socket:
                    assert socket.response is not None
                    told = socket.response.headers.get("X-Upstream", "")
                    self.upstream = told.rpartition(", ")[2]
                    self.socket = socket
                    await self._stay(socket)
                    failed = 0
            except (OSError, TimeoutError, WebSocketException):
                failed += 1
            longest = min(LONGEST_PAUSE_S, 0.1 * 2**failed)
            await asyncio.sleep(self.source.uniform(longest / 2, longest))

    async def _stay(self, socket: ClientConnection) -> None:
        told = 0  # versions of this socket, which never go back
        heard = pinged = time.monotonic()
        sent = float("-inf")
        move_at: float | None = None
        while not self.is_done:
            now = time.monotonic()
            if now - heard > LOST_S:
                return
            if now - pinged > PING_EVERY_S:
                pinged = now
                await socket.send(json.dumps({"type": "ping", "at": 0}))
            if told and self.pending and now - sent > AGAIN_S:
                sent = now
                await self._send_pending(socket)
            if told and self._may_move():
                if move_at is None:
                    move_at = now + self.source.uniform(0.02, 0.2)
                elif now >= move_at:
                    move_at, sent = None, now
                    self._choose()
                    await self._send_pending(socket)
            try:
                async with asyncio.timeout(0.1 if move_at is None else 0.02):
                    frame: Frame = json.loads(await socket.recv())
            except TimeoutError:
                continue
            heard = time.monotonic()
            told = self._rises(told, frame)
            if frame["type"] == "error":
                sent = now - AGAIN_S + 0.5  # what is pending is sent again soon
            if self._takes(frame):
                await socket.send(json.dumps({"type": "sync"}))

    def _rises(self, told: int, frame: Frame) -> int:
        """The version that a socket has brought, which never goes back."""
        if frame["type"] not in {"sync", "step"}:
            return told
        version: int = frame["version"]
        if version < told:
            self.ledger.contradictions.append(
                f"match {self.match}: {self.audience} was told {version} after {told}"
            )
        return version

    def _takes(self, frame: Frame) -> bool:
        """Take a frame in; whether everything has to be asked for anew."""
        self.ledger.note(self.match, self.audience, frame)
        kind = frame["type"]
        if kind in {"sync", "step"}:
            missed = kind == "step" and frame["version"] > self.version + 1
            self.version, self.view = frame["version"], frame["view"]
            self.is_over = self.view["phase"] == "over"
            self._note_seen()
            return bool(missed or frame.get("resync"))
        if kind in {"ack", "refused"} and self.pending and self.pending[0].client_id == frame["id"]:
            waited = self.waited.get(frame["id"])
            if waited is not None and kind == "ack":
                self.acked += 1
                waited.acked = waited.acked or time.monotonic() - waited.at
            self.pending = None
            return bool(kind == "refused")
        return bool(kind == "pong" and frame["version"] > self.version)

    def _note_seen(self) -> None:
        """A turn of the opponent's has come, if one was under way."""
        if self.opponent is not None:
            for waited in self.opponent.waited.values():
                if waited.seen is None:
                    waited.seen = time.monotonic() - waited.at

    def _may_move(self) -> bool:
        return (
            self.answers is not None
            and not self.stops
            and not self.rests
            and self.pending is None
            and self.version > self.answered_version
            and self._decision() is not None
        )

    def _decision(self) -> Any:
        mine = [
            each
            for each in self.view["decisions"]
            if each["seat"] == self.seat and each.get("sealed") is None
        ]
        return mine[0] if mine else None

    def _choose(self) -> None:
        assert self.answers is not None
        assert self.seat is not None
        game = json.dumps(self.view["game"]).encode()
        text = self.answers(self._decision()["kind"], self.seat, game, self.source.random)
        sent = Sent(self.match, self.seat, uuid.uuid4().hex, text)
        self.ledger.sent[sent.client_id] = sent
        self.pending = (sent, self.version)
        self.answered_version = self.version
        self.waited = {sent.client_id: Waited(time.monotonic())}
        self.ledger.waits += self.waited.values()

    async def _send_pending(self, socket: ClientConnection) -> None:
        assert self.pending is not None
        sent, version = self.pending
        frame = {"id": sent.client_id, "match": self.match, "text": sent.text, "version": version}
        await socket.send(json.dumps({"type": "submit", **frame}))


class Crowd:
    """Matches that are played, matches whose players let time run out, and some who watch; in a
    thread, from `begin` to `end`. They come by ``webs`` in turn: the site's own, or several."""

    def __init__(self, site: Looked, *, seed: int = 1, webs: Sequence[Address] = ()) -> None:
        # Only now: what is played needs the rules, and nothing of the site.
        from games.rulesets.domino_black_white.benchmark import answer

        self.site = site
        self.webs = webs or [site]
        self.desk = Desk(site)
        self.answer = answer
        self.source = random.Random(seed)
        self.ledger = Ledger()
        self.players: list[Player] = []
        self.played = 0  # how many matches were begun last that are
        self.clocks: list[int] = []
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self._run, name="crowd", daemon=True)
        self.failed: list[BaseException] = []
        self.tasks: set[asyncio.Task[None]] = set()
        self.people: list[Person] = []

    def __enter__(self) -> Crowd:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for player in self.players:
            player.stops, player.pending = True, None
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(30)

    def begin(self, *, played: int, clocks: Sequence[float] = (), watched: int = 1) -> None:
        """Begin so many matches that are played, and one for each of ``clocks`` in which nobody
        answers for as many seconds; each of the former is watched by so many."""
        while len(self.people) < 2:
            self.people.append(self.desk.person())
        self.played = played or self.played
        for _ in range(played):
            match = self.desk.match(*self.people, ruleset="domino-black-white")
            seats = [self._seat(match, seat, self.answer) for seat in (0, 1)]
            seats[0].opponent, seats[1].opponent = seats[1], seats[0]
            self.watch(match, watched)
        for seconds in clocks:
            match = self.desk.match(*self.people, pick_time=seconds)
            self.clocks.append(match)
            for seat in (0, 1):
                self._seat(match, seat, None)

    def watch(self, match: int, number: int = 1) -> list[Player]:
        """Have so many more watch a match."""
        return [self._seat(match, None, None) for _ in range(number)]

    def _seat(self, match: int, seat: int | None, answers: Callable[..., str] | None) -> Player:
        self.ledger.matches.add(match)
        person = None if seat is None else self.people[seat]
        source = random.Random(self.source.random())
        web = self.webs[len(self.players) % len(self.webs)]
        player = Player(self.ledger, web, match, seat, person, source=source, answers=answers)
        self.players.append(player)
        self._start(player.play())
        return player

    def _start(self, coroutine: Coroutine[Any, Any, None]) -> None:
        def done(task: asyncio.Future[None]) -> None:
            if not task.cancelled() and task.exception() is not None:
                self.failed.append(task.exception())  # type: ignore[arg-type]  # there is one

        def start() -> None:
            self.tasks.add(task := self.loop.create_task(coroutine))
            task.add_done_callback(done)

        self.loop.call_soon_threadsafe(start)

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()
        left = asyncio.all_tasks(self.loop)
        for task in left:
            task.cancel()
        self.loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        self.loop.close()

    # -- for whoever has things happen to them ---------------------------------------------------

    @property
    def turns(self) -> int:
        """How many submissions were acknowledged."""
        return sum(bool(sent.acks) for sent in tuple(self.ledger.sent.values()))

    def _waits_of(self, match: int) -> int:
        return sum(p.acked for p in self.players if p.match == match)

    def goes_on(self, *, turns: int = 3, timeout: float = 60.0) -> None:
        """Return once each match that is played has had so many more turns, or has ended. As many
        others begin where all had ended before, for nothing would be seen to go on."""
        if self.played and all(player.is_over for player in self.players if player.answers):
            self.begin(played=self.played)
        before = {
            p.match: self._waits_of(p.match) for p in self.players if p.answers and not p.is_over
        }

        def all_moved() -> bool:
            self.raise_failure()
            over = {p.match for p in self.players if p.is_over}
            return all(m in over or self._waits_of(m) >= n + turns for m, n in before.items())

        wait_for(all_moved, timeout=timeout, what="the matches to go on")

    def rest(self, match: int, *, rests: bool) -> None:
        """Have whoever plays a match make no move meanwhile, and stay."""
        for player in self.players:
            if player.match == match:
                player.rests = rests

    def rest_all(self, *, rests: bool) -> None:
        """The same for all of them."""
        for player in self.players:
            player.rests = rests

    def drop(self) -> None:
        """Have every connection break at once; everybody comes back."""

        def abort() -> None:
            for player in self.players:
                if player.socket is not None:
                    player.socket.transport.abort()

        self.loop.call_soon_threadsafe(abort)

    def pending(self) -> list[str]:
        """The ids of what was sent, or is about to be, and has not been answered."""
        return [each[0].client_id for each in (p.pending for p in self.players) if each]

    def play_out(self, timeout: float = 180.0) -> None:
        """Return once each match that is played has ended, and everybody has seen it."""

        def all_over() -> bool:
            self.raise_failure()
            played = {p.match for p in self.players if p.answers}
            return all(p.is_done for p in self.players if p.match in played)

        wait_for(all_over, timeout=timeout, what="the matches to end")

    def raise_failure(self) -> None:
        """Raise what a player has failed at: a mistake of the player's own."""
        if self.failed:
            raise self.failed[0]

    def clocks_ran_out(self, timeout: float = LATE_S) -> None:
        """Return once time has run out wherever nobody has answered."""
        late = (
            "SELECT count(*) FROM games_match m WHERE m.id = ANY(%s) AND NOT EXISTS"
            " (SELECT 1 FROM games_matchentry e WHERE e.match_id = m.id AND e.timeout)"
        )
        wait_for(
            lambda: self.site.sql(late, self.clocks) == [(0,)],
            timeout=timeout,
            what="what nobody answers to run out",
        )

    def end(self, timeout: float = 60.0) -> list[str]:
        """Have everybody end what they have begun, and return what is wrong."""
        for player in self.players:
            player.stops = True
        wait_for(
            lambda: all(player.is_done for player in self.players) or self.failed,
            timeout=timeout,
            what="the last answers",
        )
        self.raise_failure()
        return self.ledger.check(self.desk)


# -- on the site ---------------------------------------------------------------------------------


def truth(*, match: int) -> dict[str, Any]:
    """How a match really went: its entries, its versions, what its audiences are shown and what
    their logs say, and what is wrong with its record."""
    import msgspec

    from games import store
    from games.audience import AUDIENCES
    from games.engine.decisions import ALL
    from games.engine.views import match_view
    from games.models import Match, MatchEntry
    from games.publishing.frames import log_of

    row = Match.objects.prefetch_related("players").get(pk=match)
    held = store.held_of(row)
    entries = MatchEntry.objects.filter(match=match).order_by("seq")

    names = [str(audience) for audience in AUDIENCES]
    shows, logs = {}, {}
    for name, audience in zip(names, AUDIENCES, strict=True):
        view = msgspec.to_builtins(match_view(held.ruleset, held.live, audience, at=0))
        decisions = [[d["id"], d["seat"], d["kind"], d.get("sealed")] for d in view["decisions"]]
        shows[name] = [view["phase"], view["paused"], decisions, view["game"], view["result"]]
        logs[name] = _log(log_of(row, audience, up_to=held.seq))
    logs["all"] = _log(log_of(row, ALL, up_to=held.seq))
    return {
        "entries": list(
            entries.values(
                "seq", "actor", "text", "timeout", "client_id", "submitted", "ack_version", "at"
            )
        ),
        "versions": dict(zip(names, held.readers.versions, strict=True)),
        "shown": json.loads(json.dumps(shows)),
        "logs": json.loads(json.dumps(logs)),
        "record": _wrong_with_record(row),
    }


def _log(items: Any) -> list[Any]:
    return [[item["actor"], item["events"]] for item in items]


def _wrong_with_record(row: Any) -> list[str]:
    """What the record of a match, replayed, has otherwise than its row."""
    from games import store
    from games.engine import records
    from games.engine.course import MatchCourse
    from games.reading.records import record_bytes
    from games.rulesets import REGISTRY

    held = store.held_of(row)
    wrong = []
    replayed = MatchCourse(*store.header_of(row), store.entries_of(row.pk)).table
    if replayed != held.live.table:
        wrong.append("its entries, replayed, do not lead to its row")
    if row.is_over:
        verdict = records.check(REGISTRY, record_bytes(row))
        if not verdict["ok"] or (verdict["winner"], verdict["reason"]) != (row.winner, row.reason):
            wrong.append(f"the checker says {verdict} of its record")
    return wrong
