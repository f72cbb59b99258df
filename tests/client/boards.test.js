/* What boards reckon without a page. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { outline, turn } from "../../static/js/boards/kit.js";
import { whyIdle } from "../../static/js/boards/placing.js";
import { linesMet, scored, whyNot } from "../../games/rulesets/domino_black_white/static/board.js";
import { distanceWords, gapOf, gapWords } from "../../games/rulesets/domain/static/measure.js";
import { faultOf, raster } from "../../games/rulesets/domain/static/pixels.js";
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

/* prettier-ignore */
const SQUARE = [[0, 0], [10, 0], [10, 10], [0, 10]];
const plain = { holes: [], voids: [], inner: null, start: false, area: 100 };
const POOL = {
  size: [60, 50],
  shapes: [
    { id: "01", outline: SQUARE, ...plain },
    { id: "02", outline: SQUARE, ...plain, voids: [[[3, 3], [6, 3], [6, 6], [3, 6]]] }, // prettier-ignore
    { id: "03", outline: SQUARE, ...plain, inner: [[2, 2], [8, 2], [8, 8], [2, 8]] }, // prettier-ignore
    { id: "04", outline: [[-9, -2], [8, -6], [11, 5], [-3, 7]], ...plain, holes: [[[-1, -1], [3, -1], [3, 3], [-1, 3]]] }, // prettier-ignore
  ],
};
const at = (shape, x, y, angle = 0, domain = "red") => ({ shape, domain, x, y, angle });
const near = (placed, laid = []) => {
  const { pixels, edge, shape } = gapOf(POOL, laid, placed);
  return [pixels, edge, shape];
};

test("a gap is the free pixels up to the frame, the void zones and the borders", () => {
  // Pixels 5 to 14 of a row: 4 of them are free before the outermost one, which touches the frame.
  assert.deepEqual(near(at("01", 5, 20)), [4, "frame", null]);
  assert.deepEqual(near(at("01", 1, 20)), [0, "frame", null]);
  assert.deepEqual(near(at("01", 0, 20)), [0, "frame", null]);
  assert.deepEqual(near(at("01", 25, 37)), [2, "frame", null]);
  // A void zone of pixels 23 to 25; one on the other domain binds nobody here.
  assert.deepEqual(near(at("01", 28, 18), [at("02", 20, 20)]), [2, "void", "02"]);
  assert.deepEqual(near(at("01", 28, 18), [at("02", 20, 20, 0, "blue")])[1], "frame");
  assert.deepEqual(near(at("01", 22, 20), [at("02", 20, 20)]), [0, "void", "02"]);
  // A border of pixels 20 to 29, and 30 right beside it.
  assert.deepEqual(near(at("01", 34, 18), [at("03", 20, 20)]), [3, "border", "03"]);
  assert.deepEqual(near(at("01", 31, 18), [at("03", 20, 20)]), [0, "border", "03"]);
  // Across a corner: 3 and 4 free pixels (and no corner is beside one that is purple).
  const corner = gapOf(POOL, [at("02", 20, 20)], at("01", 29, 30));
  assert.deepEqual([corner.pixels, corner.from, corner.to], [5, [29, 30], [26, 26]]);
  assert.equal(gapWords(corner), "5 px to the void zone of 02");
  // Nothing is rounded up: 0 is at the edge or over it.
  assert.equal(gapWords({ ...corner, pixels: Math.hypot(2, 3) }), "3.6 px to the void zone of 02");
});

/* Pixels that a shape covers, one by one. */
function covered({ shape, x, y, angle }) {
  const found = POOL.shapes.find(({ id }) => id === shape);
  const { left, top, width, cells } = raster(found, angle);
  return [...cells].flatMap((cell, index) =>
    cell ? [[x + left + (index % width), y + top + Math.floor(index / width)]] : [],
  );
}

test("a gap is what one finds by trying every pixel, and a placement with one stands", () => {
  const laid = [at("02", 12, 9, 30), at("03", 38, 24, 77), at("02", 20, 30, 200)];
  const single = { id: "09", outline: [[0, 0], [1, 0], [1, 1], [0, 1]], ...plain }; // prettier-ignore
  const pool = { ...POOL, shapes: [...POOL.shapes, single] };
  const forbidden = [];
  for (let y = 0; y < 50; y += 1) {
    for (let x = 0; x < 60; x += 1) {
      if (faultOf(pool, laid, at("09", x, y)) !== null) forbidden.push([x, y]);
    }
  }
  const seen = new Set();
  for (let number = 0; number < 300; number += 1) {
    const placed = at(number % 2 ? "04" : "01", (number * 7) % 61, (number * 13) % 51, number * 3);
    placed.angle %= 360;
    const { pixels, edge } = gapOf(pool, laid, placed);
    const all = covered(placed).flatMap(([x, y]) =>
      forbidden.map(([fx, fy]) =>
        Math.hypot(Math.max(Math.abs(fx - x) - 1, 0), Math.max(Math.abs(fy - y) - 1, 0)),
      ),
    );
    const stands = faultOf(pool, laid, placed) === null;
    if (stands) assert.equal(pixels, Math.min(...all), JSON.stringify(placed));
    else assert.equal(pixels, 0, JSON.stringify(placed));
    if (stands && pixels > 0) seen.add(edge);
  }
  assert.deepEqual([...seen].sort(), ["border", "frame", "void"]);
});

test("a ruler reads how far across, down and straight", () => {
  assert.equal(distanceWords([10, 20], [13, 16]), "3 px across, 4 px down, 5 px straight");
  assert.equal(distanceWords([0, 0], [1, 1]), "1 px across, 1 px down, 1.4 px straight");
});

test("Domino Black & White says why a domino can lie nowhere there", () => {
  const laid = ["DZ", "EZ", "DY", "EY"];
  const halves = laid.map((square, index) => ({ square, domino: Math.floor(index / 2), seat: 0 }));
  const game = { cells: halves, met: ["", ""] };
  /* prettier-ignore */
  for (const [column, row, upright, why] of [
    [3, 8, false, "DZ and EZ are occupied."],
    [4, 7, false, "EY is occupied."],
    [3, 4, false, "nothing is under it."],
    [0, 0, false, "BS or CR must hold part of a domino first."],
    [7, 0, false, "HS or GR must hold part of a domino first."],
    [5, 7, true, "no way leads there from above."],
  ]) {
    assert.equal(whyNot(game, { column, row, upright }), why);
  }
});
