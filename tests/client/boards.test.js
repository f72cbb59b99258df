/* What boards reckon without a page. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { outline, turn } from "../../static/js/boards/kit.js";
import { whyIdle } from "../../static/js/boards/placing.js";
import { groupsOf } from "../../games/rulesets/tetronogo/static/board.js";

/* prettier-ignore */
const RING = [[0, 0], [1, 0], [2, 0], [0, 1], [2, 1], [0, 2], [1, 2], [2, 2]];

for (const [name, cells, loops, corners] of [
  ["a square", [[0, 0]], 1, 4],
  ["an angle", [[0, 0], [1, 0], [2, 0], [2, 1]], 1, 6], // prettier-ignore
  ["a ring has an inner border as well", RING, 2, 8],
  ["squares that touch by a corner have two borders", [[0, 0], [1, 1]], 2, 8], // prettier-ignore
]) {
  test(`outlines close and go round every shape: ${name}`, () => {
    const path = outline(cells, [0, 0]);
    assert.deepEqual([path.split("Z").length - 1, path.split("Q").length - 1], [loops, corners]);
  });
}

test("Tetronogo's groups are counted as the rules do", () => {
  // A column of I pieces cuts off column A: 12 squares, whose edges are all seat 0's.
  const board = ["0", "1", "2"].flatMap((digit) => Array(4).fill(`.${digit}..........`));
  const placed = ["B1 90", "B5 90", "B9 90"].map((text) => [0, text]);
  const groups = groupsOf({ placed, board });
  assert.deepEqual(
    groups.map(({ squares, edges, taker }) => [squares.length, edges, taker]),
    [
      [12, [12, 0], 0],
      [120, [12, 0], 0],
    ],
  );
});

test("a round of steps goes on in either direction", () => {
  assert.deepEqual([turn(3, 1, 4), turn(0, -1, 4), turn(1, -6, 4)], [0, 3, 3]);
});

test("a board says why nothing can be placed", () => {
  const now = { decision: null, pending: null, paused: false };
  assert.equal(whyIdle({ ...now, pending: "D4 90" }), "Your choice is on its way.");
  assert.equal(whyIdle({ ...now, paused: true }), "The match is paused.");
  assert.equal(whyIdle(now, "Take one first."), "There is no piece of yours to place just now.");
  assert.equal(whyIdle({ ...now, decision: {} }, "Take one first."), "Take one first.");
});
