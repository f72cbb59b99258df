/* Clocks as arithmetic. */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  clockFace,
  seatClock,
  ServerTime,
  spoken,
  untilChange,
} from "../../static/js/match/clock.js";

function viewOf(clock = {}, more = {}) {
  const whole = {
    turn_ms: 60_000,
    reserve: true,
    interval_ms: 0,
    reading_ms: 0,
    running: true,
    ...clock,
  };
  return {
    phase: "on",
    paused: false,
    decisions: [{ id: "1", seat: 0, kind: "place", prompt: "", clock: whole }],
    reserve_ms: [120_000, 90_000],
    ...more,
  };
}

for (const [clock, passed, state, turn, reserve] of [
  [{}, 0, "running", 60_000, 120_000],
  [{}, 44_999, "running", 15_001, 120_000],
  [{}, 45_000, "low", 15_000, 120_000],
  [{}, 60_000, "low", 0, 120_000],
  [{}, 60_001, "reserve", 0, 119_999],
  [{ reading_ms: 50_000 }, 20_000, "reserve", 0, 110_000],
  [{}, 180_000, "reserve", 0, 0],
  [{}, 180_001, "out", 0, 0],
  [{ reserve: false }, 60_000, "low", 0, 120_000],
  [{ reserve: false }, 60_001, "out", 0, 120_000],
  // What is left is the time until it is over, also where the reserve is charged in intervals.
  [{ interval_ms: 10_000 }, 60_001, "reserve", 0, 119_999],
  [{ interval_ms: 10_000 }, 70_001, "reserve", 0, 109_999],
  [{ interval_ms: 10_000 }, 179_000, "reserve", 0, 1_000],
  [{ interval_ms: 10_000 }, 500_000, "out", 0, 0],
  // What stands still does not move, whatever time passes.
  [{ reading_ms: 10_000, running: false }, 99_000, "paused", 50_000, 120_000],
  // A clock that is ahead of the server's never adds time.
  [{ reading_ms: 10_000 }, -5_000, "running", 50_000, 120_000],
  // A decision that lingers is never late: it lasts until the other seat's answer is in.
  [{ lingers: true, reserve: false }, 40_000, "running", 20_000, 120_000],
  [{ lingers: true, reserve: false }, 99_000, "idle", null, 120_000],
  // Where a whole turn is short, only its last quarter is low.
  [{ turn_ms: 8_000 }, 5_999, "running", 2_001, 120_000],
  [{ turn_ms: 8_000 }, 6_000, "low", 2_000, 120_000],
]) {
  test(`a seat's clock ${JSON.stringify(clock)} after ${passed} ms`, () => {
    const shown = seatClock(viewOf(clock), 0, 5_000, 5_000 + passed);
    assert.deepEqual([shown.state, shown.turn, shown.reserve], [state, turn, reserve]);
  });
}

test("an interval is charged as soon as it is begun, and a full one only once", () => {
  const view = viewOf({ interval_ms: 10_000 });
  const kept = [0, 60_000, 60_001, 70_000, 70_001, 175_000, 500_000].map(
    (ms) => seatClock(view, 0, 0, ms).kept,
  );
  assert.deepEqual(kept, [120_000, 120_000, 110_000, 110_000, 100_000, 0, 0]);
});

test("a seat with nothing to decide shows its reserve", () => {
  const shown = seatClock(viewOf(), 1, 0, 99_999);
  assert.deepEqual([shown.state, shown.turn, shown.reserve], ["idle", null, 90_000]);
});

test("a paused match holds every clock", () => {
  const view = viewOf({ running: false, reading_ms: 5_000 }, { paused: true });
  const states = [0, 1].map((seat) => seatClock(view, seat, 0, 9e9).state);
  assert.deepEqual(states, ["paused", "paused"]);
});

test("clock faces", () => {
  const faces = [
    [0, "0:00"],
    [1, "0.1"],
    [9_850, "9.9"],
    [9_901, "0:10"],
    [10_000, "0:10"],
    [10_001, "0:11"],
    [65_000, "1:05"],
    [3_599_001, "1:00:00"],
    [3_723_000, "1:02:03"],
    [100_000_000, "27:46:40"],
    [172_800_000, "2 d 0 h"],
    [259_200_001, "3 d 1 h"],
  ];
  assert.deepEqual(
    faces.map(([ms]) => [ms, clockFace(ms)]),
    faces,
  );
  assert.deepEqual([500, 1_000, 65_000, 7_260_000, 90_000_000].map(spoken), [
    "0 seconds",
    "1 second",
    "1 minute 5 seconds",
    "2 hours 1 minute",
    "1 day 1 hour",
  ]);
});

test("the face right before the next drawing is still right, and the one at it is new", () => {
  for (let left = 1; left < 130_000; left += 37) {
    const wait = untilChange(left);
    assert.ok(wait <= 1_010 && wait >= 1, `${left}: ${wait}`);
    const then = left - wait + 6;
    if (wait < 1_000 && then > 0) {
      assert.equal(clockFace(left), clockFace(then), `${left}: ${wait}`);
    }
  }
});

test("the server's time is the quickest ping's", () => {
  const time = new ServerTime();
  const found = [];
  const note = () => found.push(time.offset);
  time.guess(5_000, 1_000);
  note();
  time.measure(1_000, 1_400, 5_100); // 3900, give or take 200
  note();
  time.measure(2_000, 2_020, 6_030); // 4020, give or take 10
  note();
  time.measure(3_000, 3_900, 7_300); // a slow one says less
  note();
  time.guess(0, 0); // and a guess nothing any more
  note();
  time.measure(90_000, 90_020, 20_010); // this computer's clock was set
  note();
  assert.deepEqual(found, [4_000, 3_900, 4_020, 4_020, 4_020, -70_000]);
  assert.equal(time.at(90_020), 20_020);
});
