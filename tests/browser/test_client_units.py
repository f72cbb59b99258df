"""The client's modules one by one, in a real browser: clocks, outbox, connection, words, replay.

Socket, timers, storage and HTTP are stand-ins (client_fakes.js), so that every drop and delay
happens exactly when a test says so.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from games.engine.reasons import COMMON
from games.rulesets import REGISTRY

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.support.fixtures import Pages

pytestmark = pytest.mark.browser

FAKES = (Path(__file__).parent / "client_fakes.js").read_text().rstrip().removesuffix(";")
LOADS = """
const [clock, client, outbox, words, replay, kit, tetronogo, domino] = await Promise.all(
  ["match/clock", "match/client", "match/outbox", "match/words", "match/replay", "boards/kit",
   "../rulesets/tetronogo/static/board", "../rulesets/domino_black_white/static/board",
  ].map((name) => import(`/static/js/${name}.js`)));
"""


CASES: dict[str, list[tuple[str, Callable[[Page], None]]]] = {}


def case(section: str, *each: tuple[Any, ...]) -> Callable[[Callable[..., None]], None]:
    """Register a case, or one with each of these arguments after the page. A browser takes two
    seconds to start and a case a few milliseconds: all cases of a section share one."""

    def register(function: Callable[..., None]) -> None:
        for arguments in each or ((),):
            name = " ".join([function.__name__, *map(str, arguments)])

            def check(page: Page, arguments: tuple[Any, ...] = arguments) -> None:
                function(page, *arguments)

            CASES.setdefault(section, []).append((name, check))

    return register


@pytest.mark.parametrize("section", ["clocks", "outbox", "connection", "words", "boards"])
def test_modules(section: str, new_page: Pages, subtests: pytest.Subtests) -> None:
    page = new_page()
    page.goto("/accounts/login/")
    assert CASES[section]
    for name, check in CASES[section]:
        with subtests.test(name):
            check(page)
    assert new_page.errors == []


def run(page: Page, code: str, argument: Any = None) -> Any:
    """Run statements that return something, with all modules and a fresh world at hand."""
    return page.evaluate(
        f"async (given) => {{ {LOADS} const world = ({FAKES})(); {code} }}", argument
    )


# -- clocks --------------------------------------------------------------------------------------


def a_view(**clock: Any) -> dict[str, Any]:
    shown = {
        "turn_ms": 60_000, "reserve": True, "interval_ms": 0, "reading_ms": 0, "running": True,
    }  # fmt: skip
    return {
        "phase": "on",
        "paused": False,
        "decisions": [{"id": "1", "seat": 0, "kind": "place", "clock": {**shown, **clock}}],
        "reserve_ms": [120_000, 90_000],
    }


@case(
    "clocks",
    ({}, 0, "running", 60_000, 120_000),
    ({}, 44_999, "running", 15_001, 120_000),
    ({}, 45_000, "low", 15_000, 120_000),
    ({}, 60_000, "low", 0, 120_000),
    ({}, 60_001, "reserve", 0, 119_999),
    ({"reading_ms": 50_000}, 20_000, "reserve", 0, 110_000),
    ({}, 180_000, "reserve", 0, 0),
    ({}, 180_001, "out", 0, 0),
    ({"reserve": False}, 60_000, "low", 0, 120_000),
    ({"reserve": False}, 60_001, "out", 0, 120_000),
    # What is left is the time until it is over, also where the reserve is charged in intervals.
    ({"interval_ms": 10_000}, 60_001, "reserve", 0, 119_999),
    ({"interval_ms": 10_000}, 70_001, "reserve", 0, 109_999),
    ({"interval_ms": 10_000}, 179_000, "reserve", 0, 1_000),
    ({"interval_ms": 10_000}, 500_000, "out", 0, 0),
    # What stands still does not move, whatever time passes.
    ({"reading_ms": 10_000, "running": False}, 99_000, "paused", 50_000, 120_000),
    # A clock that is ahead of the server's never adds time.
    ({"reading_ms": 10_000}, -5_000, "running", 50_000, 120_000),
    # A decision that lingers is never late: it lasts until the other seat's answer is in.
    ({"lingers": True, "reserve": False}, 40_000, "running", 20_000, 120_000),
    ({"lingers": True, "reserve": False}, 99_000, "idle", None, 120_000),
    # Where a whole turn is short, only its last quarter is low.
    ({"turn_ms": 8_000}, 5_999, "running", 2_001, 120_000),
    ({"turn_ms": 8_000}, 6_000, "low", 2_000, 120_000),
)
def a_seats_clock(
    page: Page, clock: dict[str, Any], passed: int, state: str, turn: int | None, reserve: int
) -> None:
    view = a_view(**clock)
    shown = run(
        page,
        "return clock.seatClock(given.view, 0, 5000, 5000 + given.passed)",
        {"view": view, "passed": passed},
    )
    assert (shown["state"], shown["turn"], shown["reserve"]) == (state, turn, reserve)


@case("clocks")
def an_interval_is_charged_as_soon_as_it_is_begun(page: Page) -> None:
    """And a full one only once; never more than there is."""
    view = a_view(interval_ms=10_000)
    kept = run(
        page,
        "return given.passed.map((ms) => clock.seatClock(given.view, 0, 0, ms).kept)",
        {"view": view, "passed": [0, 60_000, 60_001, 70_000, 70_001, 175_000, 500_000]},
    )
    assert kept == [120_000, 120_000, 110_000, 110_000, 100_000, 0, 0]


@case("clocks")
def a_seat_with_nothing_to_decide_shows_its_reserve(page: Page) -> None:
    shown = run(page, "return clock.seatClock(given, 1, 0, 99999)", a_view())
    assert shown["state"] == "idle"
    assert shown["turn"] is None
    assert shown["reserve"] == 90_000


@case("clocks")
def a_paused_match_holds_every_clock(page: Page) -> None:
    view = {**a_view(running=False, reading_ms=5000), "paused": True}
    states = run(page, "return [0, 1].map((s) => clock.seatClock(given, s, 0, 9e9).state)", view)
    assert states == ["paused", "paused"]


@case("clocks")
def clock_faces(page: Page) -> None:
    faces = {
        0: "0:00",
        1: "0.1",
        9_850: "9.9",
        9_901: "0:10",
        10_000: "0:10",
        10_001: "0:11",
        65_000: "1:05",
        3_599_001: "1:00:00",
        3_723_000: "1:02:03",
        100_000_000: "27:46:40",
        172_800_000: "2 d 0 h",
        259_200_000 + 1: "3 d 1 h",
    }
    shown = run(page, "return given.map(clock.clockFace)", list(faces))
    assert dict(zip(faces, shown, strict=True)) == faces
    spoken = run(page, "return [500, 1000, 65000, 7260000, 90000000].map(clock.spoken)")
    assert spoken == [
        "0 seconds", "1 second", "1 minute 5 seconds", "2 hours 1 minute", "1 day 1 hour",
    ]  # fmt: skip


@case("clocks")
def a_clock_is_drawn_again_when_its_face_changes(page: Page) -> None:
    """Whatever is left, the face right before the next drawing is still right, and the one at it
    is new."""
    wrong = run(
        page,
        """
        const wrong = [];
        for (let left = 1; left < 130000; left += 37) {
          const wait = clock.untilChange(left);
          if (wait > 1010 || wait < 1) wrong.push([left, wait]);
          const then = left - wait + 6;
          if (wait < 1000 && then > 0 && clock.clockFace(left) !== clock.clockFace(then)) {
            wrong.push([left, wait, clock.clockFace(left), clock.clockFace(then)]);
          }
        }
        return wrong.slice(0, 5);
        """,
    )
    assert wrong == []


@case("clocks")
def the_servers_time_is_the_quickest_pings(page: Page) -> None:
    offsets = run(
        page,
        """
        const time = new clock.ServerTime();
        time.guess(5000, 1000);
        const found = [time.offset];
        time.measure(1000, 1400, 5100);   // 3900, give or take 200
        found.push(time.offset);
        time.measure(2000, 2020, 6030);   // 4020, give or take 10
        found.push(time.offset);
        time.measure(3000, 3900, 7300);   // a slow one says less
        found.push(time.offset);
        time.guess(0, 0);                 // and a guess nothing any more
        found.push(time.offset);
        time.measure(90000, 90020, 20010); // this computer's clock was set
        found.push(time.offset, time.at(90020));
        return found;
        """,
    )
    assert offsets == [4000, 3900, 4020, 4020, 4020, -70000, 20020]


# -- outbox --------------------------------------------------------------------------------------


@case("outbox")
def ids_are_new_and_in_the_protocols_alphabet(page: Page) -> None:
    ids = run(page, "return Array.from({length: 200}, () => outbox.newId())")
    assert len(set(ids)) == 200
    assert all(len(each) == 20 for each in ids)
    assert all(set(each) <= set("abcdefghijklmnopqrstuvwxyz0123456789") for each in ids)


@case("outbox")
def an_entry_outlives_the_page_until_it_is_answered(page: Page) -> None:
    found = run(
        page,
        """
        const {storage} = world;
        const make = () => new outbox.Outbox({storage, key: "k", now: () => world.now});
        const first = make();
        const entry = first.add("submit", {match: 7, text: "D4 90", version: 3});
        first.wasSent(entry);
        const second = make();
        const again = second.due();
        const frames = again.map((each) => outbox.Outbox.frame(each));
        const settled = second.settle(entry.id);
        return {frames, same: settled.id === entry.id, twice: second.settle(entry.id),
                left: make().entries.length, stored: [...world.store.keys()]};
        """,
    )
    assert len(found["frames"]) == 1
    frame = found["frames"][0]
    assert frame | {"id": ""} == {
        "type": "submit", "id": "", "match": 7, "text": "D4 90", "version": 3,
    }  # fmt: skip
    assert found["same"] is True
    assert found["twice"] is None
    assert found["left"] == 0
    assert found["stored"] == []


@case("outbox", ("",), ("not json",), ("{}",), ("[1, null, {}]",), ('[{"id": 5}]',))
def a_broken_store_is_an_empty_outbox(page: Page, stored: str) -> None:
    assert (
        run(
            page,
            """world.store.set("k", given);
            return new outbox.Outbox({storage: world.storage, key: "k"}).entries""",
            stored,
        )
        == []
    )


@case("outbox")
def a_forbidden_store_keeps_nobody_from_playing(page: Page) -> None:
    sent = run(
        page,
        """
        const refuse = () => { throw new Error("forbidden") };
        const storage = {getItem: refuse, setItem: refuse, removeItem: refuse};
        const box = new outbox.Outbox({storage, key: "k"});
        box.add("submit", {text: "first"});
        return box.due().length;
        """,
    )
    assert sent == 1


# -- the connection ------------------------------------------------------------------------------

CONNECTED = """
const one = world.client(client.MatchClient);
one.start();
const socket = () => world.sockets.at(-1);
socket().opens();
socket().says(world.sync(4));
"""


@case("connection")
def backoff_grows_to_a_limit_and_is_jittered(page: Page) -> None:
    delays = run(
        page,
        """return [0, 1, 2, 3, 10].map((attempt) =>
             [client.backoff(attempt, () => 0), client.backoff(attempt, () => 0.999)])""",
    )
    for (low, high), full in zip(delays, [500, 1000, 2000, 4000, 15000], strict=True):
        assert low == full / 2
        assert full * 0.99 < high <= full
    assert run(page, "return client.backoff(0, () => 0, 500)") == 750


@case("connection")
def steps_that_fit_are_applied_and_gaps_are_asked_about(page: Page) -> None:
    found = run(
        page,
        CONNECTED
        + """
        const asked = () => socket().types().filter((type) => type === "sync").length;
        const at = () => [one.state.version, one.state.log.length, asked()];
        const seen = [at()];
        socket().says(world.step(5, [1]));
        seen.push(at());
        socket().says(world.step(5, [1]));          // told twice
        seen.push(at());
        socket().says(world.step(7, [3]));          // 6 was missed
        seen.push(at());
        socket().says(world.sync(7, {log: [1, 2, 3].map((n) => ({n, events: []}))}));
        seen.push(at());
        socket().says(world.step(8, [5]));          // the log has a hole
        seen.push(at());
        socket().says(world.sync(6));               // older than what is known
        seen.push(at());
        return seen;
        """,
    )
    assert found == [[4, 0, 0], [5, 1, 0], [5, 1, 0], [5, 1, 1], [7, 3, 1], [7, 3, 2], [7, 3, 2]]


@case("connection")
def a_state_is_replaced_and_never_changed(page: Page) -> None:
    """Whoever keeps one can tell what has changed, whatever frame has changed it."""
    found = run(
        page,
        CONNECTED
        + """
        const kept = [];
        const tells = [];
        const keep = () => kept.push([one.state, JSON.stringify(one.state)]);
        for (const type of ["state", "presence"]) {
          one.addEventListener(type, ({detail: {before, after}}) => {
            const [last] = kept.at(-1);
            tells.push([type, before === last, after === one.state, after !== before]);
          });
        }
        keep();
        const over = {...one.state.view, phase: "over", result: {winner: 0}};
        for (const frame of [
          world.step(5, [1]),
          {type: "presence", match: 7, seats: [true, false], spectators: 2},
          {type: "pong", at: 0, now: 1, version: 5, presence: {seats: [true, true], spectators: 2}},
          world.sync(6, {log: [{n: 1, at: 1, actor: 1, events: []}]}),
          world.step(7, [2], {view: over, resync: true}),
          world.sync(1, {you: null}),
        ]) {
          socket().says(frame);
          keep();
        }
        return {
          changed: kept.filter(([state, text]) => JSON.stringify(state) !== text).length,
          different: new Set(kept.map(([state]) => state)).size,
          frozen: kept.every(([state]) => Object.isFrozen(state)),
          tells,
        };
        """,
    )
    assert found["changed"] == 0
    assert found["different"] == 7
    assert found["frozen"] is True
    kinds = ["state", "presence", "presence", "state", "state", "state"]
    assert found["tells"] == [[kind, True, True, True] for kind in kinds]


@case("connection")
def what_was_missed_is_news_and_what_is_revealed_is_not(page: Page) -> None:
    found = run(
        page,
        """
        const item = (n, at, text) => ({n, at, actor: 1, taken_back: false, events: [{text}]});
        const known = [item(1, 10, "a"), item(2, 20, "b")];
        const told = (log) => client.unseen(known, log).map(({events}) => events[0].text);
        return [
          told(known),
          told([...known, item(3, 30, "c")]),
          // A secret of old: the numbers of what follows are other ones now.
          told([item(1, 10, "a"), item(2, 15, "secret"), item(3, 20, "b"), item(4, 30, "c")]),
          told([{...known[0], taken_back: true}, known[1], item(3, 30, "take back")]),
          client.unseen([], [item(1, 5, "first")]).length,
          // As it was stored, with its keys in another order than as it was sent.
          client.unseen(
            [{...known[0], events: [{text: "d", data: {corner: "A1", by: {a: 1, b: [2]}}}]}],
            [{...known[0], events: [{data: {by: {b: [2], a: 1}, corner: "A1"}, text: "d"}]}],
          ).length,
        ];
        """,
    )
    assert found == [[], ["c"], ["c"], ["take back"], 1, 0]


@case("connection")
def a_step_that_asks_for_it_is_followed_by_a_sync(page: Page) -> None:
    types = run(
        page,
        CONNECTED
        + """socket().says(world.step(5, [1], {resync: true}));
        return [one.state.version, socket().types()]""",
    )
    assert types == [5, ["ping", "sync"]]
    # Spectators ask at a moment of their own, so that a full room does not ask all at once.
    types = run(
        page,
        CONNECTED
        + """socket().says(world.sync(2, {you: null}));
        socket().says(world.step(3, [1], {resync: true}));
        const at_once = socket().types();
        await world.pass(600);
        return [at_once, socket().types()]""",
    )
    assert types == [["ping"], ["ping", "sync"]]


@case("connection")
def a_submission_is_sending_until_its_ack(page: Page) -> None:
    found = run(
        page,
        CONNECTED
        + """
        const entry = one.submit("D4 90");
        const second = one.submit("E5 0");
        const waiting = one.outbox.waiting("submit")?.body.text;
        const sent = socket().sent.filter(({type}) => type === "submit");
        socket().says({type: "ack", id: entry.id, match: 7, version: 5, at: world.now});
        return {sent, second, waiting, after: one.outbox.waiting("submit"),
                settled: world.events.filter(({type}) => type === "settled").length};
        """,
    )
    assert found["sent"] == [
        {"type": "submit", "id": "id-1", "match": 7, "text": "D4 90", "version": 4}
    ]
    assert found["second"] is None  # one at a time
    assert found["waiting"] == "D4 90"
    assert found["after"] is None
    assert found["settled"] == 1


@case("connection")
def what_was_not_acked_is_sent_again_under_its_id_after_a_drop(page: Page) -> None:
    found = run(
        page,
        CONNECTED
        + """
        const entry = one.submit("D4 90");
        socket().drops(1006);
        const still = one.outbox.waiting("submit")?.id;
        await world.pass(2000);
        socket().opens();
        const before = socket().types();
        socket().says(world.sync(5));
        const again = socket().sent.filter(({type}) => type === "submit");
        socket().says({type: "ack", id: entry.id, match: 7, version: 5, at: world.now});
        socket().drops(1006);
        await world.pass(2000);
        socket().opens();
        socket().says(world.sync(5));
        return {sockets: world.sockets.length, still, before, again,
                last: socket().sent.filter(({type}) => type === "submit").length};
        """,
    )
    assert found["sockets"] == 3
    assert found["still"] == "id-1"
    assert found["before"] == ["ping"]
    # The version is the one that the player looked at, not the newer one: the server must judge.
    assert found["again"] == [
        {"type": "submit", "id": "id-1", "match": 7, "text": "D4 90", "version": 4}
    ]
    assert found["last"] == 0


@case("connection")
def a_new_page_sends_what_the_old_one_could_not(page: Page) -> None:
    again = run(
        page,
        CONNECTED
        + """
        socket().drops(1006);
        one.submit("D4 90");
        one.stop();
        const two = world.client(client.MatchClient);
        two.start();
        socket().opens();
        socket().says(world.sync(4));
        return socket().sent.filter(({type}) => type === "submit");
        """,
    )
    assert [frame["id"] for frame in again] == ["id-1"]


@case("connection")
def an_unanswered_submission_is_sent_again_on_the_same_socket(page: Page) -> None:
    count = run(
        page,
        CONNECTED
        + """
        one.submit("D4 90");
        socket().says({type: "pong", at: 0, now: world.now, version: 4});
        await world.pass(6500);
        const submits = socket().sent.filter(({type}) => type === "submit");
        return [world.sockets.length, submits.map(({id}) => id)];
        """,
    )
    assert count == [1, ["id-1", "id-1"]]


@case("connection")
def a_refusal_ends_the_sending_and_is_told(page: Page) -> None:
    found = run(
        page,
        CONNECTED
        + """
        const entry = one.submit("D4 90");
        socket().says({type: "refused", id: entry.id, code: "place.overlap", sentence: "No.",
                       squares: ["D4"]});
        const {detail} = world.events.find(({type}) => type === "settled");
        return {waiting: one.outbox.waiting("submit"), detail, types: socket().types()};
        """,
    )
    assert found["waiting"] is None
    assert found["detail"]["refused"]["squares"] == ["D4"]
    assert found["types"] == ["ping", "submit"]


@case("connection")
def a_stale_submission_makes_the_page_catch_up(page: Page) -> None:
    types = run(
        page,
        CONNECTED
        + """
        const entry = one.submit("D4 90");
        socket().says({type: "refused", id: entry.id, code: "version.stale", sentence: "No.",
                       squares: []});
        return socket().types();
        """,
    )
    assert types == ["ping", "submit", "sync"]


@case("connection")
def an_ack_without_its_step_is_followed_up(page: Page) -> None:
    found = run(
        page,
        CONNECTED
        + """
        const entry = one.submit("D4 90");
        socket().says({type: "ack", id: entry.id, match: 7, version: 5, at: world.now});
        await world.pass(1400);
        const early = socket().types().includes("sync");
        await world.pass(200);
        return [early, socket().types().filter((type) => type === "sync").length];
        """,
    )
    assert found == [False, 1]


@case("connection")
def pings_measure_time_find_gaps_and_notice_dead_lines(page: Page) -> None:
    found = run(
        page,
        CONNECTED
        + """
        world.now += 40;
        socket().says({type: "pong", at: 0, now: 9_000_020, version: 4,
                       presence: {seats: [true, false], spectators: 3}});
        const known = [one.serverNow(), one.state.presence.spectators];
        await world.pass(10_000);
        const pings = socket().sent.filter(({type}) => type === "ping");
        socket().says({type: "pong", at: 0, now: one.serverNow(), version: 6});
        const asked = socket().types().includes("sync");
        await world.pass(10_000);
        const dead = socket();
        await world.pass(8_000);       // no pong any more
        await world.pass(1_000);
        return {known, pings, asked, closed: dead.readyState === 3, sockets: world.sockets.length};
        """,
    )
    assert found["known"] == [9_000_040, 3]
    assert [ping["received"] for ping in found["pings"]] == [0, 2]
    assert found["asked"] is True
    assert found["closed"] is True
    assert found["sockets"] == 2


@case("connection")
def a_tab_that_is_looked_at_again_asks_what_it_missed(page: Page) -> None:
    found = run(
        page,
        CONNECTED
        + """
        socket().says({type: "pong", at: 0, now: world.now, version: 4});
        one.wake();
        const types = socket().types();
        await world.pass(3_100);        // nobody is there any more
        const gone = world.sockets[0].readyState === 3;
        one.wake();                     // and no waiting for the next try
        return {types, gone, sockets: world.sockets.length};
        """,
    )
    assert found["types"] == ["ping", "sync", "ping"]
    assert found["gone"] is True
    assert found["sockets"] == 2


@case("connection", (4403,), (4404,))
def some_closings_are_for_good(page: Page, code: int) -> None:
    found = run(
        page,
        CONNECTED
        + """socket().drops(given); await world.pass(120_000);
        return [world.sockets.length, one.status.kind, one.status.words.length > 10]""",
        code,
    )
    assert found == [1, "closed", True]


@case("connection", (1001,), (1006,), (1012,), (4012,), (4401,), (4408,), (4429,))
def after_others_the_client_comes_back(page: Page, code: int) -> None:
    found = run(
        page,
        CONNECTED
        + """socket().drops(given);
        const lost = one.status;
        await world.pass(11_000);
        return [lost.kind, lost.retryAt > 0, world.sockets.length > 1]""",
        code,
    )
    assert found == ["lost", True, True]


@case("connection")
def an_unknown_frame_and_a_broken_one_are_passed_over(page: Page) -> None:
    version = run(
        page,
        CONNECTED
        + """socket().says("{"); socket().says({type: "fireworks"});
        socket().says(world.step(5)); return one.state.version""",
    )
    assert version == 5


@case("connection")
def a_rate_limit_is_kept(page: Page) -> None:
    found = run(
        page,
        CONNECTED
        + """
        const submits = () => socket().sent.filter(({type}) => type === "submit").length;
        socket().says({type: "error", code: "rate.frames", sentence: "Wait.", retry_after: 3});
        one.submit("D4 90");
        const at_once = submits();
        await world.pass(2_900);
        const early = submits();
        await world.pass(200);
        return [at_once, early, submits()];
        """,
    )
    assert found == [0, 0, 1]


@case("connection")
def where_sockets_are_blocked_the_page_asks_and_submits_over_http(page: Page) -> None:
    found = run(
        page,
        """
        const one = world.client(client.MatchClient);
        one.start(world.sync(4));
        const {GET, POST} = world.answers;
        GET.push({status: 200, body: world.sync(5), headers: {ETag: '"5"'}});
        world.sockets.at(-1).drops(1006);
        await world.pass(700);
        world.sockets.at(-1).drops(1006);
        await world.settle();
        const polled = [one.state.version, one.status.kind, world.requests.map(({url}) => url)];
        POST.push({status: 503, body: {}});
        POST.push({status: 201, body: {id: "id-1", version: 6, at: world.now}});
        GET.push({status: 304}, {status: 304}, {status: 304}, {status: 304});
        world.requests.length = 0;
        one.submit("D4 90");
        await world.settle();
        const kept = one.outbox.waiting("submit")?.id;
        await world.pass(6_100);
        const posts = world.requests.filter(({method}) => method === "POST");
        return {polled, kept, after: one.outbox.waiting("submit"),
                posts: posts.map(({body}) => JSON.parse(body))};
        """,
    )
    assert found["polled"] == [5, "polling", ["/state/?here=true"]]
    assert found["kept"] == "id-1"
    assert found["after"] is None
    assert found["posts"] == [{"id": "id-1", "text": "D4 90", "version": 5}] * 2


@case("connection")
def a_refusal_over_http_is_told(page: Page) -> None:
    found = run(
        page,
        """
        const one = world.client(client.MatchClient);
        one.start(world.sync(4));
        const problem = {code: "place.overlap", sentence: "No.", squares: ["D4"]};
        world.answers.GET.push({status: 200, body: world.sync(4)});
        world.answers.POST.push({status: 409, body: problem});
        world.sockets.at(-1).drops(1006);
        await world.pass(700);
        world.sockets.at(-1).drops(1006);
        await world.settle();
        one.submit("D4 90");
        await world.settle();
        return world.events.find(({type}) => type === "settled").detail.refused;
        """,
    )
    assert found == {"id": "id-1", "code": "place.overlap", "sentence": "No.", "squares": ["D4"]}


@case("connection")
def a_socket_that_comes_back_ends_the_asking(page: Page) -> None:
    found = run(
        page,
        """
        const one = world.client(client.MatchClient);
        one.start(world.sync(4));
        world.sockets.at(-1).drops(1006);
        await world.pass(700);
        world.sockets.at(-1).drops(1006);
        await world.pass(1_500);
        world.sockets.at(-1).opens();
        world.sockets.at(-1).says(world.sync(4));
        world.requests.length = 0;
        await world.pass(5_000);
        return [one.status.kind, world.requests.length];
        """,
    )
    assert found == ["live", 0]


@case("connection")
def signing_in_elsewhere_starts_a_new_count(page: Page) -> None:
    """Seat and room count their versions apart: a lower one is not an older one then."""
    found = run(
        page,
        CONNECTED
        + """socket().says(world.sync(2, {you: null}));
        return [one.state.version, one.state.you]""",
    )
    assert found == [2, None]


@case("connection")
def a_chat_line_is_answered_by_itself_or_by_the_history(page: Page) -> None:
    found = run(
        page,
        CONNECTED
        + """
        const line = (text) => ({id: text, at: 0, name: "Ada", username: "ada", seat: 0, text});
        one.chat("players", "hello ");
        const room = "players";
        const bens = {...line("hello"), username: "ben"};
        socket().says({type: "chat", match: 7, room, message: bens});
        const others = one.outbox.entries.length;
        socket().says({type: "chat", match: 7, room, message: line("hello")});
        const own = one.outbox.entries.length;
        one.chat("players", "again");
        const messages = [line("hello"), line("again")];
        socket().says({type: "chat.history", match: 7, room, messages});
        return [others, own, one.outbox.entries.length];
        """,
    )
    assert found == [1, 0, 0]


# -- words ---------------------------------------------------------------------------------------


def a_decision(seat: int, **more: Any) -> dict[str, Any]:
    return {"id": f"d{seat}", "seat": seat, "kind": "place", "prompt": "Place a piece", **more}


@case(
    "words",
    ({"phase": "lot"}, 0, "theirs", "The advantage is drawn by lot."),
    ({"decisions": [a_decision(0)]}, 0, "yours", "Your decision: Place a piece."),
    ({"decisions": [a_decision(0)]}, 1, "theirs", "Ada is placing."),
    (
        {"decisions": [a_decision(0), a_decision(1)]},
        None,
        "theirs",
        "Both players are placing.",
    ),
    (
        {"decisions": [a_decision(0, sealed="pick T"), a_decision(1)]},
        0,
        "theirs",
        "Your choice is in: pick T. Waiting for Ben.",
    ),
    (
        {"decisions": [a_decision(0)], "paused": True},
        0,
        "paused",
        "The organiser has paused the match. All clocks stand still.",
    ),
    ({"phase": "over"}, 0, "over", "The match is over."),
)
def whose_decision_it_is(
    page: Page, view: dict[str, Any], you: int | None, state: str, text: str
) -> None:
    whole = {"phase": "on", "paused": False, "decisions": [], "result": None, **view}
    said = run(
        page,
        """const ruleset = {waiting: {place: "placing"}};
        return words.turnLine(given.view, given.you, ["Ada", "Ben"], ruleset)""",
        {"view": whole, "you": you},
    )
    assert said == {"state": state, "text": text}


@case("words")
def the_page_never_tells_that_the_opponents_secret_choice_is_in(page: Page) -> None:
    """A sealed answer is no part of what others get; what they do get reads the same either way."""
    lines = run(
        page,
        """const view = {phase: "on", paused: false, result: null, decisions: given};
        return [0, null].map((you) => words.turnLine(view, you, ["Ada", "Ben"], {}).text)""",
        [a_decision(0, sealed=None), a_decision(1)],
    )
    assert lines == ["Your decision: Place a piece.", "Both players are deciding."]


@case(
    "words",
    ({"winner": 1, "reason": "points", "scores": [5, 7]}, "Ben won by 7 to 5 points."),
    ({"winner": 0, "reason": "timeout", "scores": [0, 0]}, "Ada won: Ben ran out of time."),
    ({"winner": 0, "reason": "concession", "scores": [0, 0]}, "Ada won: Ben conceded."),
    ({"winner": 0, "reason": "total", "scores": [9, 8]}, "Ada won by total points, 9 to 8."),
    ({"winner": 0, "reason": "something-new", "scores": [9, 8]}, "Ada won."),
    (
        {"winner": None, "reason": "ruling", "scores": [0, 0]},
        "The match was voided by the organiser: nobody has won.",
    ),
)
def who_won_and_why(page: Page, result: dict[str, Any], text: str) -> None:
    view: dict[str, Any] = {"result": result}
    for reason in (*COMMON, *(each for ruleset in REGISTRY for each in ruleset.reasons)):
        if reason.id == result["reason"]:
            view["told"] = {"room": reason.room}
    assert run(page, 'return words.resultText(given, ["Ada", "Ben"])', view) == text


@case("words")
def events_read_as_sentences(page: Page) -> None:
    said = run(
        page,
        'return given.map((event) => words.eventText(event, ["Ada", "Ben"]))',
        [
            {"kind": "place", "seat": 0, "text": "placed T", "data": {}},
            {"kind": "end", "seat": None, "text": "bout 1 is drawn", "data": {}},
            {
                "kind": "organiser",
                "seat": 1,
                "text": "The organiser added 60 s of reserve.",
                "data": {"why": "Fire alarm"},
            },
        ],
    )
    assert said == [
        "Ada placed T.",
        "Bout 1 is drawn.",
        "The organiser added 60 s of reserve (Ben). Reason: Fire alarm",
    ]


@case("words")
def two_players_of_one_name_are_told_apart(page: Page) -> None:
    header = {"seats": [{"name": "Sam"}, {"name": "Sam"}]}
    assert run(page, "return words.namesOf(given)", header) == ["Sam (1)", "Sam (2)"]


@case("words")
def reminders_in_words(page: Page) -> None:
    said = run(
        page,
        """return given.map(([kind, seat, you]) =>
          words.reminderText({kind, seat, left: 15000}, you, ["Ada", "Ben"], clock.spoken))""",
        [
            ["turn", 0, 0],
            ["turn", 1, 0],
            ["turn", None, 0],
            ["reserve-entered", 0, 0],
            ["reserve-entered", 1, None],
            ["reserve", 1, 0],
        ],
    )
    assert said == [
        "You have 15 seconds left.",
        "Ben has 15 seconds left.",
        "Both players have 15 seconds left.",
        "You are using the reserve now: 15 seconds.",
        "Ben is using the reserve now: 15 seconds.",
        "Ben has 15 seconds of reserve left.",
    ]


# -- boards --------------------------------------------------------------------------------------


@case("boards")
def outlines_close_and_go_round_every_shape(page: Page) -> None:
    paths = run(
        page,
        """return [[[0, 0]], [[0, 0], [1, 0], [2, 0], [2, 1]],
          // A ring has an inner border as well; squares that touch by a corner have two outer ones.
          [[0,0],[1,0],[2,0],[0,1],[2,1],[0,2],[1,2],[2,2]], [[0, 0], [1, 1]]]
          .map((cells) => kit.outline(cells, [0, 0]))""",
    )
    assert [path.count("Z") for path in paths] == [1, 1, 2, 2]
    assert [path.count("Q") for path in paths] == [4, 6, 8, 8]


@case("boards")
def tetronogos_groups_are_counted_as_the_rules_do(page: Page) -> None:
    """A column of I pieces cuts off column A: 12 squares, whose edges are all seat 0's."""
    rows = [".0.........."] * 4 + [".1.........."] * 4 + [".2.........."] * 4
    bout = {
        "placed": [[0, "B1 90"], [0, "B5 90"], [0, "B9 90"]],
        "board": rows,
    }
    groups = run(page, "return tetronogo.groupsOf(given)", bout)
    assert sorted((len(g["squares"]), g["edges"], g["taker"]) for g in groups) == [
        (12, [12, 0], 0),
        (120, [12, 0], 0),
    ]


@case("boards")
def the_move_of_a_replays_address(page: Page) -> None:
    found = run(
        page,
        """return ["", "?move=3", "#move=4", "?move=99", "?move=-2", "?move=x"]
          .map((end) => replay.moveOf("http://here/replay/" + end, 10))""",
    )
    assert found == [None, 3, 4, 10, 0, None]
    address = run(page, 'return replay.addressOf("http://here/replay/?move=3#move=9", 5)')
    assert address == "http://here/replay/?move=5"
