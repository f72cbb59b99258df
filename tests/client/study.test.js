/* Studies: their addresses, lines, and what the graph says. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { addressOf, eyesOf, placeOf, shorter, stepsOf } from "../../static/js/study/address.js";
import { percent, remainder, weighedAt, withRange } from "../../static/js/study/graph.js";
import { missed } from "../../static/js/study/judged.js";

const HERE = "https://gauntlet.example/matches/7/study/";

test("an address names a position, and a line from there", () => {
  assert.deepEqual(placeOf(HERE, 20), { at: 0, line: "" });
  assert.deepEqual(placeOf(`${HERE}?at=12`, 20), { at: 12, line: "" });
  assert.deepEqual(placeOf(`${HERE}?at=99`, 20), { at: 20, line: "" });
  assert.deepEqual(placeOf(`${HERE}?at=-3`, 20), { at: 0, line: "" });
  const place = { at: 3, line: "0 (3,4) DZ:DY hide DY~chance lot 1" };
  assert.deepEqual(placeOf(addressOf(`${HERE}?at=5&line=x#y`, place), 20), place);
  assert.equal(addressOf(`${HERE}?at=5&line=x`, { at: 6, line: "" }), `${HERE}?at=6`);
});

test("an address names whose eyes one looks with", () => {
  assert.equal(eyesOf(`${HERE}?at=1`), "all");
  assert.equal(eyesOf(`${HERE}?at=1&eyes=2`), "all");
  for (const eyes of ["0", "1", "all"]) {
    assert.equal(eyesOf(addressOf(HERE, { at: 1, line: "" }, eyes)), eyes);
  }
});

test("a line is made of steps, and is shortened by an answer and its chance", () => {
  assert.deepEqual(stepsOf(""), []);
  assert.deepEqual(stepsOf("0 pick T~chance shape 1"), [
    { actor: "0", text: "pick T" },
    { actor: "chance", text: "shape 1" },
  ]);
  assert.equal(shorter("0 pick T~1 pick I~chance shape 1"), "0 pick T");
  assert.equal(shorter("0 pick T"), "");
  assert.equal(shorter("chance shape 1"), "");
});

test("a share is told with its range, unless it is certain", () => {
  assert.equal(percent(0.426), "43 %");
  assert.equal(percent(0.125), "13 %");
  assert.equal(remainder(0.125), "87 %"); // the two as they are read make a hundred
  assert.equal(withRange({ share: 0.5, low: 0.41, high: 0.6, tries: 9 }), "50 % (41 to 60 %)");
  assert.equal(withRange({ share: 1, low: 1, high: 1, tries: 0 }), "100 %");
});

test("of what is not weighed yet nothing is said", () => {
  const positions = [{ at: 0 }, { at: 2 }, { at: 5 }];
  const done = { positions, positions_total: 3 };
  const working = { positions, positions_total: 9 };
  assert.deepEqual(
    [0, 1, 4, 5, 8].map((step) => weighedAt(done, step)),
    [0, 0, 1, 2, 2],
  );
  assert.deepEqual(
    [0, 1, 4, 5, 8].map((step) => weighedAt(working, step)),
    [0, 0, 1, 2, -1],
  );
  assert.equal(weighedAt({ positions: [], positions_total: 0 }, 3), -1);
});

test("what was missed is told as surely as it is known", () => {
  const judged = (low, share, high) => ({ played: "a", best: "b", lost: { low, share, high } });
  assert.equal(missed({ played: "a", best: "a" }), "The strong bot plays the same.");
  assert.equal(missed(judged(0.1, 0.2, 0.3)), "That missed 20 % of a win (10 to 30 %).");
  assert.match(missed(judged(-0.1, 0.2, 0.3)), /not certain/);
  assert.match(missed(judged(-0.3, -0.2, -0.1)), /better than the bot's/);
});
