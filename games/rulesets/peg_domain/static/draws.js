// @ts-check
/* What is drawn in Peg Domain: the pallets (docs/record.md). */

import { shuffled } from "../../../../static/js/draws/numbers.js";

const COLUMNS = [..."ABCDEFGHIJKL"];
const ROWS = 16;
const PEGS = 36;
const LEAST_REMOVABLE = 12;

/** All squares, row by row: `A1 B1 … L16`. */
const SQUARES = [...Array(ROWS).keys()].flatMap((row) =>
  COLUMNS.map((column) => `${column}${row + 1}`),
);

/**
 * How many squares neither hold a peg nor touch one by a side or a corner.
 * @param {Set<number>} pegs as places in `SQUARES`
 */
function removable(pegs) {
  const width = COLUMNS.length;
  return SQUARES.filter((_, at) => {
    for (let down = -1; down <= 1; down += 1) {
      for (let right = -1; right <= 1; right += 1) {
        const column = (at % width) + right;
        if (column >= 0 && column < width && pegs.has(at + down * width + right)) return false;
      }
    }
    return true;
  }).length;
}

/**
 * The squares with a peg, as places in `SQUARES`, in ascending order.
 * @param {Draws.Below} below
 */
function drawnPegs(below) {
  return shuffled(below, [...SQUARES.keys()])
    .slice(0, PEGS)
    .sort((one, other) => one - other);
}

/** @type {Draws.Rules} */
export const draws = {
  pallet([which], { record }) {
    if (!["red", "blue", "both"].includes(which)) return null;
    return {
      label: `pallet ${which}`,
      outcome: (below) => {
        let drawn = drawnPegs(below);
        if (record.variant === "final") {
          while (removable(new Set(drawn)) < LEAST_REMOVABLE) drawn = drawnPegs(below);
        }
        return ["pallet", which, ...drawn.map((at) => SQUARES[at])].join(" ");
      },
    };
  },
};
