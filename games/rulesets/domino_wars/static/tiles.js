// @ts-check
/* The dominoes of Domino Wars: how they look, and what their numbers do. */

import { h, s } from "../../../../static/js/match/dom.js";

const HIGHEST = 6;

/** All 21 by name, the lower number first. */
export const DOMINOES = Array.from({ length: HIGHEST }, (_, low) =>
  Array.from({ length: HIGHEST - low }, (_, more) => `${low}${low + 1 + more}`),
).flat();

/** What each number does: in two words, and in a sentence to the player. */
export const EFFECTS = [
  {
    short: "return one",
    text: "Put a domino of your discard pile at the bottom of your draw pile.",
  },
  { short: "draw one", text: "Draw a domino." },
  { short: "one on top", text: "Put a domino of your draw pile on top of it." },
  { short: "no effect", text: "Nothing happens." },
  { short: "swap one", text: "Discard a domino of your hand, then draw one." },
  { short: "no draw", text: "You do not draw at the end of this turn." },
  { short: "skip a turn", text: "Your next turn is skipped." },
];

/**
 * The effects of a domino in order, as `{number, short, text}`.
 * @param {string} name
 */
export function effectsOf(name) {
  return [...name].map((digit) => ({ number: Number(digit), ...EFFECTS[Number(digit)] }));
}

/**
 * What a domino does, in a few words.
 * @param {string} name
 */
export function effectWords(name) {
  return effectsOf(name)
    .map(({ number, short }) => `${number}: ${short}`)
    .join(", ");
}

/**
 * So many dominoes that nobody knows, or places for them.
 * @param {number} count
 * @returns {null[]}
 */
export function nothing(count) {
  return Array.from({ length: Math.max(0, count) }, () => null);
}

const SIGNS = [
  "M0-5V1M-3-2L0 1L3-2M-5 4H5", // down onto a floor
  "M0-4V4M-4 0H4", // one more
  "M0 5V-1M-3 2L0-1L3 2M-5-4H5", // up to a ceiling
  "M-1.2 0H1.2", // nothing
  "M-5-2H4M1.5-4.5L4-2L1.5 .5M5 3H-4M-1.5 .5L-4 3L-1.5 5.5", // to and fro
  "M0-4V4M-4 0H4M-5 5L5-5", // no more, struck out
  "M-5-4L-.5 0L-5 4ZM-.5-4L4 0L-.5 4ZM5-4V4", // over to the next
];

/**
 * The sign of a number's effect, about a point.
 * @param {number} number
 * @param {number} x
 * @param {number} y
 */
function effectSign(number, x, y) {
  return s("path", { class: "tile__sign", d: SIGNS[number], transform: `translate(${x} ${y})` });
}

/**
 * A domino by itself. `name` null shows its back.
 * @param {string | null} name
 * @param {{signs?: boolean}} [more]
 */
export function tile(name, { signs = true } = {}) {
  const tall = signs ? 54 : 44;
  /** @param {...Dom.Child} children */
  const svg = (...children) =>
    s(
      "svg",
      {
        class: `tile${name === null ? " tile--back" : ""}`,
        viewBox: `0 0 88 ${tall}`,
        "aria-hidden": "true",
        focusable: "false",
      },
      s("rect", { class: "tile__body", x: 1, y: 1, width: 86, height: tall - 2, rx: 8 }),
      children,
    );
  if (name === null) {
    const middle = tall / 2;
    return svg(
      s("rect", { class: "tile__inlay", x: 7, y: 7, width: 74, height: tall - 14, rx: 4 }),
      s("path", {
        class: "tile__star",
        d: `M44 ${middle - 10}L47 ${middle - 3}L54 ${middle}L47 ${middle + 3}L44 ${middle + 10}L41 ${middle + 3}L34 ${middle}L41 ${middle - 3}Z`,
      }),
    );
  }
  return svg(
    s("path", { class: "tile__split", d: `M44 6V${tall - 6}` }),
    [...name].map((digit, half) => [
      s(
        "text",
        { class: "tile__number", x: 22.5 + half * 43, y: signs ? 28 : 31, "text-anchor": "middle" },
        digit,
      ),
      signs && effectSign(Number(digit), 22.5 + half * 43, 42),
    ]),
    s("circle", { class: "tile__pin", cx: 44, cy: tall / 2, r: 2.6 }),
  );
}

/**
 * A row of dominoes with a text for those who do not see them; names may be null for backs.
 * @param {(string | null)[]} names
 * @param {{label?: string, small?: boolean}} [more]
 */
export function tiles(names, { label, small = false } = {}) {
  return h(
    "ul",
    { class: `tiles${small ? " tiles--small" : ""}`, role: "list", "aria-label": label ?? null },
    names.map((name) =>
      h(
        "li",
        { title: name === null ? null : effectWords(name) },
        tile(name, { signs: !small }),
        h(
          "span",
          { class: "visually-hidden" },
          name === null ? "face down" : `${name[0]} and ${name[1]}`,
        ),
      ),
    ),
  );
}
