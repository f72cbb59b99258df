"""A match's page whose socket is the test's, and which notes what it tells its reader.

What it shows comes out of the recorded matches in tests/playthroughs, which the rules replay here.
"""

from __future__ import annotations

import json
import re
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from games.engine import records
from games.engine.decisions import ROOM, Audience, seen_by
from games.engine.live import Live, announced
from games.engine.play import CONCEDE, opened
from games.engine.table import AnyRuleset, Entry, Header, Table
from games.engine.views import match_view
from games.rulesets import REGISTRY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.sync_api import Page, Route, WebSocketRoute

    from tests.browser.players import Game
    from tests.support.fixtures import Pages

NOTES = (Path(__file__).parent / "stage.js").read_text()
PLAYTHROUGHS = Path(__file__).parents[1] / "playthroughs"


class Position(NamedTuple):
    """A moment of a recorded match as one audience sees it, and what has just happened."""

    view: dict[str, Any]
    items: list[dict[str, Any]]

    def asks(self, seat: int, kind: str | None = None) -> bool:
        """Whether a seat has something (or something of a kind) to decide now."""
        return any(
            each["seat"] == seat and each.get("sealed") is None and kind in (None, each["kind"])
            for each in self.view["decisions"]
        )


def _recorded(name: str) -> tuple[records.Record, AnyRuleset, Header]:
    record = records.read((PLAYTHROUGHS / f"{name}.dmr.json").read_bytes())
    return record, *records.header_of(REGISTRY, record)


def course(name: str, seat: int | None = 0) -> list[Position]:
    """A recorded match of tests/playthroughs, entry by entry, as a seat (None: the room) saw it."""
    return whole(name, seat)[1:]


def whole(name: str, seat: int | None = 0) -> list[Position]:
    """The same from the very beginning: first what is asked before anything has happened."""
    record, ruleset, header = _recorded(name)
    audience = _audience(seat)
    found = [_position(ruleset, opened(ruleset, header), audience, [])]
    number = 0
    entries = [records.entry_of(each) for each in record.moves]
    for reckoned in records.replay(ruleset, header, entries):
        items = _items(reckoned, audience, number + 1)
        number += len(items)
        found.append(_position(ruleset, reckoned.table, audience, items))
    return found


def conceded(name: str, number: int, by: int, seat: int | None = 0) -> Position:
    """The end of the same match when a seat concedes after ``number`` entries."""
    record, ruleset, header = _recorded(name)
    audience = _audience(seat)
    entries = [records.entry_of(each) for each in record.moves[:number]]
    concession = Entry(actor=1 if by else 0, text=CONCEDE)
    *_, reckoned = records.replay(ruleset, header, [*entries, concession])
    return _position(ruleset, reckoned.table, audience, _items(reckoned, audience, number + 1))


def _audience(seat: int | None) -> Audience:
    return ROOM if seat is None else 1 if seat else 0


def _items(reckoned: records.Reckoned, audience: Audience, number: int) -> list[dict[str, Any]]:
    seen = seen_by(reckoned.events, audience)
    if not seen:
        return []
    item = {"n": number, "at": 1_000 * number, "actor": reckoned.entry.actor}
    return [{**item, "taken_back": False, "events": msgspec.to_builtins(seen)}]


def _position(
    ruleset: AnyRuleset, table: Table, audience: Audience, items: list[dict[str, Any]]
) -> Position:
    view = match_view(ruleset, Live(table), audience, at=0)
    for decision in view["decisions"]:
        decision["clock"]["running"] = True
    return Position(msgspec.to_builtins(view), items)


def waiting(name: str, seat: int = 0) -> Position:
    """The same match before its first entry, while it waits for its players."""
    _, ruleset, header = _recorded(name)
    live = announced(ruleset, header, until=4_000_000_000_000)
    return Position(msgspec.to_builtins(match_view(ruleset, live, 1 if seat else 0, at=0)), [])


# A quarter of how long a page waits for the answer whether the server is still there, in
# milliseconds (match/client.js): it comes between two such steps, wherever the page asks.
STEP = 2_000


class Stage:
    """The page of a match as one of its readers has it, with a server that says what the test says.

    It is loaded as if the match stood at the last one of ``positions``. With `clock`, time stands
    still and passes by `pass_time` alone. An `idle` reader has not touched anything yet.
    """

    def __init__(
        self, new_page: Pages, game: Game, name: str | None, positions: Sequence[Position],
        *, clock: bool = True, idle: bool = False, **options: Any,
    ) -> None:  # fmt: skip
        self.page: Page = new_page(**options)
        self.sent: list[dict[str, Any]] = []
        self.sockets: list[WebSocketRoute] = []
        self.reachable = True
        self.state: dict[str, Any] = {}
        self.marks = 0
        self.messages: list[dict[str, Any]] = []
        if name is not None:
            cookie = {"name": game.cookie, "value": game.sessions[name], "url": game.base_url}
            self.page.context.add_cookies([cookie])  # type: ignore[list-item]
        self.page.add_init_script(NOTES)
        self.page.route_web_socket("**/ws/v1/lobby/", lambda _: None)
        self.page.route_web_socket(re.compile(r"/ws/v1/matches/\d+/"), self._connected)
        self.page.route(f"**{game.address}", lambda route: self._load(route, positions))
        self.page.route("**/api/v1/matches/*/?here=true", self._asked)
        # The site's own match goes on, and its players are not told of predictions.
        self.page.route("**/api/v1/matches/*/predictions/", self._predicted)
        if clock:
            self.page.clock.install()
        self.page.goto(game.address)
        self.page.locator("#match[data-connection=live][data-phase]").wait_for()
        if not idle:
            self.page.keyboard.press("Shift")  # sounds are allowed once the reader does something
        self.settle()
        self.forget()

    def _asked(self, route: Route) -> None:
        if self.reachable:
            route.continue_()
        else:
            route.abort()

    def _predicted(self, route: Route) -> None:
        told = {"match": self.state["match"], "open": False, "counts": [3, 1], "may": False,
                "yours": None, "right": None}  # fmt: skip
        route.fulfill(json=told)

    def _load(self, route: Route, positions: Sequence[Position]) -> None:
        """Hand out the page with the match at another moment."""
        response = route.fetch()
        found = re.search(r'(<script id="match-sync"[^>]*>)(.*?)(</script>)', response.text(), re.S)
        assert found is not None
        self.state = json.loads(found[2])
        self.state["view"] = positions[-1].view
        self.state["log"] = [item for position in positions for item in position.items]
        self.first = deepcopy(self.state)
        self.state["presence"] = {"seats": [True, True], "spectators": 0}
        start, end = found.span(2)
        data = json.dumps(self.first).replace("<", "\\u003c")
        route.fulfill(
            response=response, body=response.text()[:start] + data + response.text()[end:]
        )

    # -- the server ------------------------------------------------------------------------------

    def _connected(self, socket: WebSocketRoute) -> None:
        if not self.reachable:
            socket.close(code=1011)
            return
        self.sockets.append(socket)
        socket.on_message(lambda text: self._received(socket, json.loads(text)))
        socket.send(json.dumps({**self.state, "type": "sync"}))

    def _received(self, socket: WebSocketRoute, frame: dict[str, Any]) -> None:
        self.sent.append(frame)
        if frame["type"] == "ping":
            # Both have one clock, however much of the page's time passes at once.
            pong = {"type": "pong", "at": frame["at"], "now": frame["at"]}
            socket.send(json.dumps({**pong, "version": self.state.get("version", 0)}))
        elif frame["type"] == "chat.history" and frame["room"] == "players":
            told = {**frame, "match": self.state["match"], "messages": self.messages}
            socket.send(json.dumps(told))
        elif frame["type"] == "sync":
            socket.send(json.dumps({**self.state, "type": "sync"}))

    def say(self, frame: dict[str, Any]) -> None:
        """Send a frame."""
        self.sockets[-1].send(json.dumps({"match": self.state["match"], **frame}))

    def sync(self, **changes: Any) -> None:
        """Send everything anew, with these keys of the view changed."""
        self._change(changes)
        self.say({**self.state, "type": "sync"})

    def step(
        self, *sentences: str, seat: int | None = 1, resync: bool = False, **changes: Any
    ) -> None:
        """Send a step: what happened in words, and these keys of the view changed."""
        self._change(changes)
        events: list[dict[str, Any]] = [
            {"kind": "test", "seat": seat, "text": text, "data": {}} for text in sentences
        ]
        items: list[dict[str, Any]] = []
        if events:
            item = {"at": self.state["at"], "actor": "service" if seat is None else seat}
            items = [{**item, "taken_back": False, "events": events}]
        self._happened(items, resync=resync)

    def catch_up(self, positions: Sequence[Position]) -> None:
        """Send everything anew, as it stands after several positions that were not played."""
        items = [item for position in positions for item in position.items]
        number = len(self.state["log"])
        self.state["log"] += [{**item, "n": number + n} for n, item in enumerate(items, 1)]
        self.sync(**positions[-1].view)

    def play(self, position: Position) -> None:
        """Send the next position of a recorded match as a step."""
        self._change(position.view)
        items = [{**item, "at": self.state["at"]} for item in position.items]
        self._happened(items, resync=position.view["phase"] == "over")

    def _happened(self, items: list[dict[str, Any]], *, resync: bool) -> None:
        items = [{**item, "n": len(self.state["log"]) + 1} for item in items]
        self.state["log"] = [*self.state["log"], *items]
        keys = ("version", "at", "view")
        self.say(
            {"type": "step", "events": items, "resync": resync, **{k: self.state[k] for k in keys}}
        )

    def _change(self, changes: dict[str, Any]) -> None:
        self.state["version"] += 1
        self.state["at"] = self.page.evaluate("Date.now()")
        self.state["view"] = {**self.state["view"], **changes}

    def back_to(self, **changes: Any) -> None:
        """Begin anew from the first view with these changes, and forget how it came to that."""
        self.state["view"] = deepcopy(self.first["view"])
        self.state["log"] = deepcopy(self.first["log"])
        self.state["presence"] = {"seats": [True, True], "spectators": 0}
        self.sync(**changes)
        self.settle()
        self.forget()

    @staticmethod
    def decision(seat: int, kind: str = "test", **more: Any) -> dict[str, Any]:
        """An open decision."""
        clock = {
            "turn_ms": 60_000, "reserve": True, "interval_ms": 0, "reading_ms": 0, "running": True,
        }  # fmt: skip
        return {
            "id": f"test.{kind}.{seat}", "seat": seat, "kind": kind, "prompt": "Do something",
            "clock": clock, **more,
        }  # fmt: skip

    # -- the reader ------------------------------------------------------------------------------

    def settle(self) -> None:
        """Wait until the page has read and drawn everything that was said so far."""
        self.marks += 1
        self.say({"type": "test.mark", "mark": self.marks})
        self.page.wait_for_function("mark => seen.mark >= mark", arg=self.marks)

    def pass_time(self, ms: int) -> None:
        """Let time pass on the page. It asks now and then whether the server is still there, and
        gives the connection up where no answer comes in time: so it hears something in between."""
        while ms > STEP:
            self.page.clock.run_for(STEP)
            self.settle()
            ms -= STEP
        self.page.clock.run_for(ms)

    def forget(self) -> None:
        """Forget what was noted."""
        self.page.evaluate("() => { seen.said = []; seen.sounds = []; }")

    @property
    def said(self) -> list[str]:
        """What was read aloud."""
        return [each["text"] for each in self.page.evaluate("seen.said")]

    @property
    def urgent(self) -> list[str]:
        """What was read aloud at once, interrupting everything else."""
        return [each["text"] for each in self.page.evaluate("seen.said") if each["now"]]

    @property
    def sounds(self) -> list[int]:
        """The frequencies of all notes."""
        return list(self.page.evaluate("seen.sounds"))
