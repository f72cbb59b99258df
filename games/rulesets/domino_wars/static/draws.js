// @ts-check
/* What is drawn in Domino Wars: a deck for a seat that has not chosen in time, the shuffled pile of each
   seat, and what a mulligan comes to (docs/record.md). */

import { shuffled } from "../../../../static/js/draws/numbers.js";

const HAND = 3;
const DECK = 8;

/** All dominoes, `01 02 … 56`: two different numbers from 0 to 6, the lower one first. */
const ALL = [...Array(7).keys()].flatMap((low) =>
  [...Array(7).keys()].filter((high) => high > low).map((high) => `${low}${high}`),
);

/**
 * A domino with its lower number first, however it is written.
 * @param {string} domino
 */
function named(domino) {
  return [...domino].sort().join("");
}

/** @param {string[]} dominoes */
function ascending(dominoes) {
  return dominoes.map(named).sort();
}

/**
 * The words of what chance gave a seat last of a kind, or null.
 * @param {Draws.Entry[]} standing
 * @param {string} seat
 * @param {string[]} kinds
 */
function lastGiven(standing, seat, kinds) {
  const words = standing
    .filter((entry) => entry.seat === "chance")
    .map((entry) => entry.text.split(" "));
  return words.findLast(([kind, whose]) => kinds.includes(kind) && whose === seat) ?? null;
}

/**
 * The deck of a seat, chosen or drawn, or null.
 * @param {Draws.Entry[]} standing
 * @param {string} seat
 */
function deckOf(standing, seat) {
  const own = standing.findLast((each) => String(each.seat) === seat && /^deck /.test(each.text));
  if (own !== undefined) return ascending(own.text.split(" ").slice(1));
  const drawn = lastGiven(standing, seat, ["deck"]);
  return drawn && ascending(drawn.slice(2));
}

/**
 * The opening hand and the pile of a seat, or null.
 * @param {Draws.Entry[]} standing
 * @param {string} seat
 */
function held(standing, seat) {
  const given = lastGiven(standing, seat, ["pile", "mulligan"]);
  if (given === null) return null;
  const dominoes = given.slice(2).filter((word) => /^\d+$/.test(word));
  return { hand: dominoes.slice(0, HAND), pile: dominoes.slice(HAND) };
}

/**
 * With each domino's lower number first.
 * @type {Draws.Plan["canonical"]}
 */
const canonical = ({ text }) => text.replace(/\d{2,}/g, named);

/** @param {string} seat */
const isSeat = (seat) => seat === "0" || seat === "1";

/** @type {Draws.Rules} */
export const draws = {
  deck([seat]) {
    if (!isSeat(seat)) return null;
    return {
      label: `deck ${seat}`,
      canonical,
      outcome: (below) =>
        ["deck", seat, ...ascending(shuffled(below, ALL).slice(0, DECK))].join(" "),
    };
  },

  pile([seat], { standing }) {
    const deck = deckOf(standing, seat);
    if (!isSeat(seat) || deck === null) return null;
    return {
      label: `pile ${seat}`,
      canonical,
      outcome: (below) => ["pile", seat, ...shuffled(below, deck)].join(" "),
    };
  },

  mulligan([seat], { standing }) {
    const before = held(standing, seat);
    if (!isSeat(seat) || before === null) return null;
    const earlier = standing.filter(
      (each) => each.seat === "chance" && each.text.startsWith(`mulligan ${seat} `),
    );
    return {
      label: `mulligan ${seat} ${earlier.length + 1}`,
      canonical,
      outcome: (below) => {
        const five = shuffled(below, ascending(before.pile));
        const rest = ascending([...five.slice(HAND), ...before.hand]);
        const hand = five.slice(0, HAND);
        return ["mulligan", seat, "hand", ...hand, "pile", ...shuffled(below, rest)].join(" ");
      },
    };
  },
};
