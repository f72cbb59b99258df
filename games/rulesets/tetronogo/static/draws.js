// @ts-check
/* What is drawn in Tetronogo: a tetromino for a seat that has not picked in time (docs/record.md). */

import { chosen } from "../../../../static/js/draws/numbers.js";

const LETTERS = [..."OISZLJT"];

/**
 * What a seat has picked so far, by itself or by chance.
 * @param {Draws.Entry[]} standing
 * @param {number} seat
 */
function picked(standing, seat) {
  return standing.flatMap((entry) => {
    const [kind, ...words] = entry.text.split(" ");
    if (kind !== "pick") return [];
    if (entry.seat === seat) return words[0].toUpperCase();
    return entry.seat === "chance" && words[0] === String(seat) ? words[1].toUpperCase() : [];
  });
}

/** @type {Draws.Rules} */
export const draws = {
  pick([whose], { standing }) {
    if (whose !== "0" && whose !== "1") return null;
    const used = picked(standing, Number(whose));
    const left = LETTERS.filter((letter) => !used.includes(letter));
    return {
      label: `pick ${whose} ${used.length + 1}`,
      outcome: (below) => `pick ${whose} ${chosen(below, left)}`,
    };
  },
};
