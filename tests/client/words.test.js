/* What the page says, as sentences. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { spoken } from "../../static/js/match/clock.js";
import {
  drawsWords,
  eventText,
  namesOf,
  reminderText,
  resultText,
  turnLine,
} from "../../static/js/match/words.js";

const NAMES = ["Ada", "Ben"];

function decisionOf(seat, more = {}) {
  return { id: `d${seat}`, seat, kind: "place", prompt: "Place a piece", ...more };
}

function viewOf(more) {
  return { phase: "on", paused: false, decisions: [], result: null, ...more };
}

for (const [view, you, state, text] of [
  [{ phase: "lot" }, 0, "theirs", "The advantage is drawn by lot."],
  [{ decisions: [decisionOf(0)] }, 0, "yours", "Your decision: Place a piece."],
  [{ decisions: [decisionOf(0)] }, 1, "theirs", "Ada is placing."],
  [{ decisions: [decisionOf(0), decisionOf(1)] }, null, "theirs", "Both players are placing."],
  [
    { decisions: [decisionOf(0), decisionOf(1, { kind: "removal" })] },
    null,
    "theirs",
    "Ada is placing, and Ben is deciding.",
  ],
  [
    { decisions: [decisionOf(0, { sealed: "pick T" }), decisionOf(1)] },
    0,
    "theirs",
    "Your choice is in: pick T. Waiting for Ben.",
  ],
  [
    { decisions: [decisionOf(0)], paused: true },
    0,
    "paused",
    "The organiser has paused the match. All clocks stand still.",
  ],
  [{ phase: "over" }, 0, "over", "The match is over."],
]) {
  test(`whose decision it is: ${text}`, () => {
    const said = turnLine(viewOf(view), you, NAMES, { waiting: { place: "placing" } });
    assert.deepEqual(said, { state, text });
  });
}

test("the page never tells that the opponent's secret choice is in", () => {
  // A sealed answer is no part of what others get; what they do get reads the same either way.
  const view = viewOf({ decisions: [decisionOf(0, { sealed: null }), decisionOf(1)] });
  const lines = [0, null].map((you) => turnLine(view, you, NAMES).text);
  assert.deepEqual(lines, ["Your decision: Place a piece.", "Both players are deciding."]);
});

/* As the view of a match that is over has it: who reads what. */
const TOLD = {
  room: "{winner} won by {own} to {other} points.",
  winner: "You beat {loser} by {own} to {other} points.",
  loser: "You lost to {winner} by {own} to {other} points.",
};

for (const [winner, you, told, text] of [
  [1, null, TOLD, "Ben won by 7 to 5 points."],
  [1, 1, TOLD, "You beat Ada by 7 to 5 points."],
  [1, 0, TOLD, "You lost to Ben by 5 to 7 points."],
  [0, null, undefined, "Ada won."],
  [null, null, undefined, "The match was voided by the organiser: nobody has won."],
]) {
  test(`who won and why: ${text}`, () => {
    const result = { winner, reason: "any", scores: [5, 7] };
    assert.equal(resultText({ result, told }, NAMES, you), text);
  });
}

test("a match that is not over has no result in words", () => {
  assert.equal(resultText({ result: null }, NAMES), "The match is over.");
});

test("events read as sentences", () => {
  const said = [
    { kind: "place", seat: 0, text: "placed T", data: {} },
    { kind: "end", seat: null, text: "bout 1 is drawn", data: {} },
    {
      kind: "organiser",
      seat: 1,
      text: "The organiser added 60 s of reserve.",
      data: { why: "Fire alarm" },
    },
  ].map((event) => eventText(event, NAMES));
  assert.deepEqual(said, [
    "Ada placed T.",
    "Bout 1 is drawn.",
    "The organiser added 60 s of reserve (Ben). Reason: Fire alarm",
  ]);
});

test("two players of one name are told apart", () => {
  const header = { seats: [{ name: "Sam" }, { name: "Sam" }] };
  assert.deepEqual(namesOf(header), ["Sam (1)", "Sam (2)"]);
});

test("reminders in words", () => {
  const said = [
    ["turn", 0, 0],
    ["turn", 1, 0],
    ["turn", null, 0],
    ["reserve-entered", 0, 0],
    ["reserve-entered", 1, null],
    ["reserve", 1, 0],
  ].map(([kind, seat, you]) => reminderText({ kind, seat, left: 15_000 }, you, NAMES, spoken));
  assert.deepEqual(said, [
    "You have 15 seconds left.",
    "Ben has 15 seconds left.",
    "Both players have 15 seconds left.",
    "You are using the reserve now: 15 seconds.",
    "Ben is using the reserve now: 15 seconds.",
    "Ben has 15 seconds of reserve left.",
  ]);
});

test("what a match waits for, and until when", () => {
  const until = new Date(2033, 4, 18, 12, 0, 20).getTime();
  const waiting = { until, ready: [false, false] };
  const said = (more) =>
    turnLine(viewOf({ phase: "waiting", waiting: { ...waiting, ...more } }), 0, NAMES).text;
  assert.match(said({}), /Waiting for Ben\..*by 12:00:20, the match is void/);
  assert.equal(
    said({ certain: true }),
    "Waiting for Ben. The clocks start when both are here, at 12:00:20 at the latest.",
  );
});

test("whom a match waits for whose players need not be there together", () => {
  const until = new Date(2033, 4, 18, 12, 0, 20).getTime();
  const latest = " It begins at 18 May 2033, 12:00 at the latest; no clock runs before.";
  const none = { commitment: null, opened: false };
  const late = { commitment: "aa", opened: false };
  const given = { commitment: "aa", opened: true };
  const said = (ready, nonces, you, more = {}, of = {}) => {
    const waiting = { until, ready, certain: true, gathers_until: until - 1, ...more };
    const view = viewOf({ phase: "waiting", waiting, draws: { nonces } });
    const { text } = turnLine(view, you, NAMES, of);
    assert.ok(text.endsWith(latest), text);
    return text.slice(0, -latest.length);
  };
  const opens = { opens_until: until };
  const soon = "The match begins in a moment.";
  const own =
    "Your number is opened by the browser that added it: look in with that, or begin without it.";
  assert.equal(said([true, false], [late, none], 0), "Waiting for Ben to look in.");
  assert.equal(said([false, false], [none, none], null), "Waiting for Ada and Ben to look in.");
  assert.equal(said([false, true], [none, late], 0), soon); // they have come just now
  const again = "Waiting for Ada to look in again, with the same browser.";
  assert.equal(said([true, true], [late, given], 1, opens), again);
  // Nobody is there who could open one, so another browser of hers may add one instead.
  assert.equal(said([true, true], [late, none], 1), "Waiting for Ada to look in again.");
  assert.equal(said([true, true], [late, given], 0, opens), own);
  assert.equal(said([true, true], [given, none], 0, opens), soon);
  // This browser has it, and opens it.
  assert.equal(said([true, true], [late, given], 0, opens, { own: "aa" }), soon);
  // Both have one to open: each hears of both.
  assert.equal(said([true, true], [late, late], 1, opens), `${own} ${again}`);
  assert.equal(
    said([true, true], [late, late], null, opens),
    "Waiting for Ada and Ben to look in again, with the same browser.",
  );
  // Half of the time is over, and only one has come.
  assert.equal(said([true, false], [given, none], 0, opens), "Waiting for Ben to look in.");
  assert.equal(said([true, false], [late, none], 0, opens), `${own} Waiting for Ben to look in.`);
  assert.equal(said([true, false], [late, none], 1, opens), again);
  assert.equal(
    said([true, false], [late, none], null, opens),
    `Waiting for Ben to look in. ${again}`,
  );
  // Who begins without theirs is not waited for.
  const without = { ...opens, without: [true, false] };
  for (const you of [0, 1, null]) {
    assert.equal(said([true, true], [late, given], you, without), soon);
    assert.equal(said([true, true], [late, late], you, { without: [true, true] }), soon);
  }
  assert.equal(said([true, false], [late, none], 0, without), "Waiting for Ben to look in.");
});

test("what draws follow from, once nobody can add to it any more", () => {
  const none = { commitment: null, opened: false };
  const late = { commitment: "aa", opened: false };
  const given = { commitment: "aa", opened: true };
  const said = (nonces, more = {}) => drawsWords(viewOf({ draws: { nonces }, ...more }));
  for (const nonces of [
    [none, none],
    [late, none],
    [late, late],
  ]) {
    assert.equal(said(nonces), "Draws follow from the server's seed; no player added a number");
    assert.equal(said(nonces, { waiting: {} }), "Draws can be verified");
  }
  const own = (nonces, you) => drawsWords(viewOf({ draws: { nonces } }), you);
  const missing = /^Draws can be verified, but your own number is not in them: the server and/;
  for (const nonces of [
    [none, given],
    [late, given],
  ]) {
    assert.equal(said(nonces), "Draws can be verified");
    assert.equal(own(nonces, 1), "Draws can be verified");
    assert.match(own(nonces, 0), missing);
  }
});

test("a player is told loudly whose number another has taken the place of", () => {
  const nonces = [{ commitment: "aa", opened: false }, { commitment: null }];
  const loud = /^Another browser has added a number for you, not this one: if that was not you/;
  for (const more of [{}, { gathers_until: 7 }, { gathers_until: 7, opens_until: 9 }]) {
    const waiting = { until: 9, ready: [true, false], ...more };
    const said = (you, own) =>
      turnLine(viewOf({ phase: "waiting", waiting, draws: { nonces } }), you, NAMES, { own }).text;
    assert.match(said(0, "bb"), loud);
    for (const [you, own] of [
      [0, "aa"],
      [0, undefined],
      [1, "bb"],
      [null, "bb"],
    ]) {
      assert.doesNotMatch(said(you, own), /Another browser/);
    }
  }
});
