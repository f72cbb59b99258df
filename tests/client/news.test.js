/* What a reader is told when something has changed. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { arrivalText, isSame, newsOf } from "../../static/js/match/news.js";

const NAMES = ["Ada", "Ben"];
const RULESET = { waiting: {}, tags: ({ kind }) => (kind === "score" ? [{}] : []) };

function stateOf(view = {}, more = {}) {
  const whole = { phase: "on", paused: false, decisions: [], result: null, ...view };
  return {
    you: 0,
    view: whole,
    log: [],
    presence: { seats: [true, true], spectators: 0 },
    ...more,
  };
}

const MINE = { id: "d", seat: 0, kind: "place", prompt: "Place a piece" };
const moved = (kind) => [{ n: 1, events: [{ kind, seat: 1, text: "placed T", data: {} }] }];

const TOLD = {
  room: "{winner} won by {own} to {other} points.",
  winner: "You won by {own} to {other} points.",
  loser: "You lost by {own} to {other} points.",
};

for (const [name, before, after, items, sentences, sound, ended] of [
  ["a move", {}, {}, moved("place"), ["Ben placed T."], "move", false],
  ["a score", {}, {}, moved("score"), ["Ben placed T."], "score", false],
  [
    "it is the reader's turn",
    {},
    { decisions: [MINE] },
    [],
    ["Your decision: Place a piece."],
    "yours",
    false,
  ],
  ["still the reader's turn", { decisions: [MINE] }, { decisions: [MINE] }, [], [], null, false],
  ["paused, nothing is asked", {}, { decisions: [MINE], paused: true }, [], [], null, false],
  [
    "won",
    {},
    { phase: "over", result: { winner: 0, reason: "points", scores: [5, 2] }, told: TOLD },
    [],
    ["You won by 5 to 2 points."],
    "won",
    true,
  ],
  [
    "lost",
    {},
    { phase: "over", result: { winner: 1, reason: "points", scores: [2, 5] }, told: TOLD },
    [],
    ["You lost by 2 to 5 points."],
    "over",
    true,
  ],
]) {
  test(`news: ${name}`, () => {
    const news = newsOf(stateOf(before), stateOf(after), items, NAMES, RULESET);
    assert.deepEqual(news, { sentences, sound, ended });
  });
}

test("a player is told that the opponent left or came, and nobody else is", () => {
  const here = stateOf();
  const away = stateOf({}, { presence: { seats: [true, false], spectators: 0 } });
  assert.equal(arrivalText(here, away, NAMES), "Ben has left the match's page.");
  assert.equal(arrivalText(away, here, NAMES), "Ben is here.");
  assert.equal(arrivalText(here, here, NAMES), "");
  assert.equal(arrivalText({ ...here, you: null }, { ...away, you: null }, NAMES), "");
});

const CLOCK = { turn_ms: 60_000, reserve: true, interval_ms: 0, reading_ms: 0, running: true };
const SHOWN = stateOf(
  { decisions: [{ ...MINE, clock: CLOCK }], reserve_ms: [5, 5] },
  { version: 4, at: 1, header: { seats: [{ name: "Ada" }, { name: "Ben" }] } },
);
const asked = (decision, clock = {}) => ({
  view: { ...SHOWN.view, decisions: [{ ...MINE, ...decision, clock: { ...CLOCK, ...clock } }] },
});

for (const [name, change, same] of [
  ["the same once more", {}, true],
  ["later", { at: 2, ...asked({}, { reading_ms: 700 }) }, true],
  ["somebody came", { presence: { seats: [true, false], spectators: 3 } }, true],
  ["a turn", { version: 5 }, false],
  ["signed out", { you: null }, false],
  ["another name", { header: { seats: [{ name: "Eve" }, { name: "Ben" }] } }, false],
  ["more time", asked({}, { turn_ms: 90_000 }), false],
  ["a choice that is in", asked({ sealed: "first" }), false],
  ["less reserve", { view: { ...SHOWN.view, reserve_ms: [5, 4] } }, false],
  ["paused", { view: { ...SHOWN.view, paused: true } }, false],
  ["something happened", { log: moved("place") }, false],
]) {
  test(`whether there is something to draw: ${name}`, () => {
    assert.equal(isSame(SHOWN, { ...SHOWN, ...change }), same);
  });
}
