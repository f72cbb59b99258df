// @ts-check
/* What scored, and why: a legend that stays to be read, and the marks that rise from the piece to it.
   Knows no ruleset: a board's `scored` says what there is to tell, out of what its reader sees. */

import { fill, h, motion } from "../match/dom.js";
import { seatBadge } from "./kit.js";

const RISES_MS = 1900;
const STANDS_MS = 1400;
const AT_ONCE = 12; // marks in the air: more would be a cloud
const APART_MS = 140; // between one and the next
const ABOVE = 46; // pixels that a mark rises before it goes to the legend

/**
 * The legend of what scored last; an empty one where nothing has.
 * @param {HTMLElement} root
 * @param {Boards.Scored | null} scored
 */
export function drawLegend(root, scored) {
  if (scored === null) {
    fill(root, h("p", { class: "scored__title muted" }, "Nothing has scored yet."));
    return;
  }
  fill(
    root,
    h(
      "p",
      { class: "scored__title" },
      scored.seat === null ? null : seatBadge(scored.seat),
      scored.title,
    ),
    h("ul", { class: "scored__marks" }, scored.marks.map(legendLine)),
  );
}

/** @param {Boards.Mark} mark */
function legendLine({ sign, words, seat = null }) {
  return h(
    "li",
    { class: "scored__mark" },
    h("span", { class: "scored__sign", "data-seat": seat }, sign),
    h("span", {}, words),
  );
}

/**
 * Have the marks rise from where they were scored on `board` and settle in the legend. Where less is
 * to move they only stand there for a moment, or there are none: the legend says it all.
 * @param {HTMLElement} board
 * @param {HTMLElement} legend
 * @param {Boards.Scored} scored
 */
export function rise(board, legend, scored) {
  const way = motion();
  if (way === "off") return;
  const signs = [...legend.querySelectorAll(".scored__sign")];
  const risers = scored.marks.flatMap(({ sign, at = [] }, index) =>
    at.map((selector) => ({ sign, from: middleOf(board, selector), to: signs[index] })),
  );
  risers.slice(0, AT_ONCE).forEach(({ sign, from, to }, index) => {
    if (from === null) return;
    const riser = h("span", { class: "riser", "aria-hidden": "true" }, sign);
    riser.style.left = `${from[0]}px`;
    riser.style.top = `${from[1]}px`;
    document.body.append(riser);
    const flight =
      way === "reduced"
        ? riser.animate([{ opacity: 1 }, { opacity: 1 }], { duration: STANDS_MS })
        : riser.animate(course(from, to), {
            duration: RISES_MS,
            delay: index * APART_MS,
            easing: "ease-in-out",
            fill: "backwards",
          });
    const land = () => riser.remove();
    flight.finished.then(land, land);
  });
}

/**
 * Out of the piece, a moment above it, and on to the legend, or away where that is not in sight.
 * @param {[number, number]} from
 * @param {Element | undefined} to
 * @returns {Keyframe[]}
 */
function course([x, y], to) {
  const { left = 0, top = 0, width = 0, height = 0 } = to?.getBoundingClientRect() ?? {};
  const seen = width > 0 && top >= 0 && top + height <= innerHeight;
  const [dx, dy] = seen ? [left + width / 2 - x, top + height / 2 - y] : [0, -2 * ABOVE];
  /**
   * @param {number} across
   * @param {number} down
   * @param {number} scale
   */
  const at = (across, down, scale) =>
    `translate(-50%, -50%) translate(${across}px, ${down}px) scale(${scale})`;
  return [
    { transform: at(0, 0, 0.4), opacity: 0 },
    { transform: at(0, -ABOVE, 1.5), opacity: 1, offset: 0.3 },
    { transform: at(0, -ABOVE, 1.5), opacity: 1, offset: 0.6 },
    { transform: at(dx, dy, 0.7), opacity: seen ? 0.9 : 0 },
  ];
}

/**
 * The middle of all that a selector means on a board, on the screen; null where that is nothing.
 * @param {HTMLElement} board
 * @param {string} selector
 * @returns {[number, number] | null}
 */
function middleOf(board, selector) {
  const boxes = [...board.querySelectorAll(selector)]
    .map((each) => each.getBoundingClientRect())
    .filter(({ width }) => width > 0);
  if (boxes.length === 0) return null;
  const sides = boxes.flatMap(({ left, right }) => [left, right]);
  const heights = boxes.flatMap(({ top, bottom }) => [top, bottom]);
  return [
    (Math.min(...sides) + Math.max(...sides)) / 2,
    (Math.min(...heights) + Math.max(...heights)) / 2,
  ];
}

/**
 * What scored last of what a log holds: its latest event that a ruleset has something to say about.
 * @param {Pick<Live.LogItem, "events" | "taken_back">[]} items
 * @param {(event: Live.LogEvent) => Boards.Scored | null | undefined} scoredBy
 */
export function lastScored(items, scoredBy) {
  for (const item of items.toReversed()) {
    if (item.taken_back) continue;
    for (const event of item.events.toReversed()) {
      const scored = scoredBy(event) ?? null;
      if (scored !== null) return scored;
    }
  }
  return null;
}
