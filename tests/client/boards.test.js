/* What boards reckon without a page. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { outline, turn } from "../../static/js/boards/kit.js";
import { whyIdle } from "../../static/js/boards/placing.js";
import { linesMet, scored } from "../../games/rulesets/domino_black_white/static/board.js";
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

/* Two dominoes of a column of three and one that completes it: 5, 0 and 5 on DX, DY and DZ. */
function wellOf(hidden) {
  const laid = [
    ["DZ", 5, 0],
    ["EZ", 1, 0],
    ["DY", 0, 1],
    ["EY", 2, 1],
    ["DX", 5, 2],
    ["EX", 4, 2],
  ];
  const cells = laid.map(([square, number, domino]) => ({
    square,
    domino,
    number: hidden.includes(square) ? null : number,
  }));
  const halves = [{ square: "DX" }, { square: "EX" }];
  const data = { domino: 2, met: "V", points: 1, halves };
  return { game: { cells }, event: { kind: "place", seat: 1, data } };
}

test("the lines of a placement are named with their numbers", () => {
  const { game, event } = wellOf([]);
  assert.deepEqual(
    linesMet(game, event).map(({ letters, words }) => [letters, words]),
    [[["V"], "DX DY DZ, 5 + 0 + 5 = 10"]],
  );
  const told = scored(event, { game }, ["Ada", "Ben"]);
  assert.equal(told.title, "Ben scored 1 point on DX:EX");
  assert.deepEqual(
    told.marks.map(({ sign, words }) => [sign, words]),
    [["V", "a vertical line, 1 point: DX DY DZ, 5 + 0 + 5 = 10"]],
  );
});

for (const square of ["DX", "DY", "DZ"]) {
  test(`a line with a number that the reader does not know is not named: ${square}`, () => {
    const { game, event } = wellOf([square]);
    assert.deepEqual(linesMet(game, event), []);
    const told = scored(event, { game }, ["Ada", "Ben"]);
    assert.deepEqual(
      told.marks.map(({ words }) => words),
      ["a vertical line, 1 point"],
    );
  });
}

test("a placement later than the one that scored makes no lines of it", () => {
  const { game, event } = wellOf([]);
  const later = game.cells.map((cell) => (cell.square === "DZ" ? { ...cell, domino: 3 } : cell));
  assert.deepEqual(linesMet({ cells: later }, event), []);
});
