/* What those have who watch a match. */

import assert from "node:assert/strict";
import { test } from "node:test";

// They look at the page when they are loaded: it is an empty one here.
globalThis.document = {
  documentElement: { dataset: {}, classList: { contains: () => true } },
  getElementById: () => null,
  querySelector: () => null,
};
const { closesAt, noteOf, shares } = await import("../../static/js/match/stands.js");
const { standsAt } = await import("../../static/js/match/commentary.js");

const line = (at) => ({ n: 1, at, actor: 0, taken_back: false, events: [] });
const log = (count) => Array.from({ length: count }, (_, index) => line(1000 + index));

for (const [name, phase, lines, now, open] of [
  ["while it waits", "waiting", 0, 0, true],
  ["before anything has happened, however late", "on", 0, 1e9, true],
  ["five lines, however late", "on", 5, 1e9, true],
  ["six lines at once", "on", 6, 120_999, true],
  ["six lines and two minutes", "on", 6, 121_000, false],
  ["over", "over", 0, 0, false],
]) {
  test(`predictions: ${name}`, () => {
    assert.equal(now < closesAt({ view: { phase }, log: log(lines) }), open);
  });
}

test("percentages are whole and make a hundred", () => {
  assert.equal(shares([0, 0]), null);
  assert.deepEqual(shares([1, 2]), [33, 67]);
  assert.deepEqual(shares([3, 0]), [100, 0]);
});

const told = (more = {}) => ({
  match: 1,
  open: true,
  counts: [2, 1],
  may: true,
  yours: null,
  right: null,
  ...more,
});
const on = { phase: "on", result: null };
const over = (winner) => ({ phase: "over", result: { winner, reason: "points", scores: [] } });

for (const [name, state, note] of [
  ["to be made", {}, "Choose one. You can change it until play is under way."],
  ["made", { told: told({ yours: 1 }) }, "You say Ben. You can change it until play is under way."],
  ["by nobody", { signedIn: false }, "Sign in to predict."],
  [
    "by a referee",
    { told: told({ may: false }) },
    "Whoever may rule on a match does not predict it.",
  ],
  ["closed", { open: false, told: told({ yours: 0 }) }, "Predictions are closed. You said Ada."],
  ["right", { view: over(0), told: told({ yours: 0 }) }, "2 of 3 were right. You were right."],
  ["wrong", { view: over(0), told: told({ yours: 1 }) }, "2 of 3 were right. You were wrong."],
  ["of others", { view: over(1) }, "1 of 3 were right."],
  [
    "void",
    { view: over(null), told: told({ yours: 0 }) },
    "The match is void: predictions count for nobody.",
  ],
  ["none", { view: over(0), told: told({ counts: [0, 0] }) }, "Nobody made a prediction."],
]) {
  test(`what is said of a prediction: ${name}`, () => {
    const now = { open: true, signedIn: true, told: told(), view: on, names: ["Ada", "Ben"] };
    assert.equal(noteOf({ ...now, ...state }), note);
  });
}

test("a comment stands from its step until the next one", () => {
  const comments = [{ step: 2 }, { step: 2 }, { step: 5 }];
  assert.deepEqual(
    [0, 2, 4, 5, 9].map((step) => standsAt(comments, step)),
    [-1, 1, 1, 2, 2],
  );
});
