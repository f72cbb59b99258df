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

/**
 * Which pallets a match has.
 * @param {Draws.Record} record
 */
const palletsOf = ({ variant }) => (variant === "tempo-up" ? ["both"] : ["red", "blue"]);

/** @type {Draws.Rules} */
export const draws = {
  pallet([which], { record }) {
    if (!["red", "blue", "both"].includes(which)) return null;
    return {
      label: `pallet ${which}`,
      form: /^pallet (?:red|blue|both)(?: [A-L]\d+)+$/,
      suppliable: true,
      impossible(said) {
        const squares = said.split(" ").slice(2);
        const isWhole = new Set(squares).size === PEGS && squares.length === PEGS;
        const areThere = squares.every((square) => SQUARES.includes(square));
        return isWhole && areThere ? "" : `a pallet has pegs on ${PEGS} different squares.`;
      },
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

/**
 * The pallets come when who has the advantage has taken the right of order or of colour.
 * @type {Draws.Awaits}
 */
export const awaits = ({ record, standing, advantage }) => {
  if (!standing.some(({ seat }) => seat === 0 || seat === 1)) return { due: [], open: [advantage] };
  const due = palletsOf(record)
    .map((which) => `pallet ${which}`)
    .filter(
      (pallet) =>
        !standing.some(({ seat, text }) => seat === "chance" && text.startsWith(`${pallet} `)),
    );
  return { due, open: due.length > 0 ? [] : null };
};
