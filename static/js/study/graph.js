// @ts-check
/* How a match stood, move by move: a graph that can be pressed, and gone through by the keyboard, and
   the same as a table. */

import { seatBadge } from "../boards/kit.js";
import { fill, h, s, write } from "../match/dom.js";

const WIDE = 320;
const HIGH = 120;

/**
 * A share in words.
 * @param {number} share from 0 to 1
 */
export function percent(share) {
  return `${Math.round(share * 100)} %`;
}

/**
 * What is left of the whole for the other seat: the two as they are read come to 100 %.
 * @param {number} share from 0 to 1
 */
export function remainder(share) {
  return `${100 - Math.round(share * 100)} %`;
}

/**
 * A share with its range in words: without one where it is certain.
 * @param {Api.Worth} worth
 */
export function withRange({ share, low, high, tries }) {
  if (tries === 0) return percent(share);
  return `${percent(share)} (${Math.round(low * 100)} to ${percent(high)})`;
}

/**
 * The weighed position that stands at a step: the last one by then; -1 where there is none, or it may be
 * one that is still to come, since they are weighed in their order.
 * @param {{positions: Pick<Api.Weighed, "at">[], positions_total: number}} study
 * @param {number} step
 */
export function weighedAt({ positions, positions_total }, step) {
  const found = positions.findLastIndex(({ at }) => at <= step);
  const isLast = found === positions.length - 1;
  if (isLast && positions.length < positions_total && positions[found]?.at !== step) return -1;
  return found;
}

export class Graph {
  /**
   * `go` shows a step.
   * @param {HTMLElement} root
   * @param {{names: string[], last: number, go: (step: number) => void}} tools
   */
  constructor(root, { names, last, go }) {
    this.root = root;
    this.names = names;
    this.last = Math.max(last, 1);
    this.go = go;
    /** @type {Pick<Api.Study, "positions" | "positions_total">} */
    this.study = { positions: [], positions_total: 0 };
    this.at = 0;
    this.within = false;
    this.band = s("path", { class: "graph__band" });
    this.path = s("path", { class: "graph__line" });
    this.here = s("line", { class: "graph__here", y1: 0, y2: HIGH });
    this.dot = s("circle", { class: "graph__dot", r: 4 });
    this.svg = s(
      "svg",
      {
        class: "graph",
        viewBox: `0 0 ${WIDE} ${HIGH}`,
        preserveAspectRatio: "none",
        "aria-hidden": "true",
      },
      s("rect", { class: "graph__ground", width: WIDE, height: HIGH }),
      s("line", { class: "graph__even", x1: 0, x2: WIDE, y1: HIGH / 2, y2: HIGH / 2 }),
      this.band,
      this.path,
      this.here,
      this.dot,
    );
    this.field = h(
      "div",
      {
        class: "graph__field",
        role: "slider",
        tabindex: "0",
        "aria-label": `What ${names[0]} could expect, by move`,
        "aria-valuemin": "0",
        "aria-valuemax": String(last),
        on: { pointerdown: (event) => this.#press(event), keydown: (event) => this.#key(event) },
      },
      this.svg,
    );
    this.words = h("p", { class: "graph__words" });
    this.progress = h("p", { class: "small muted", role: "status" });
    this.rows = h("tbody");
    fill(
      root,
      h(
        "div",
        { class: "graph__scale", "aria-hidden": "true" },
        h("span", {}, seatBadge(0), ` ${names[0]} wins`),
        h("span", {}, "even"),
        h("span", {}, seatBadge(1), ` ${names[1]} wins`),
      ),
      this.field,
      this.words,
      this.progress,
      h(
        "p",
        { class: "small muted" },
        "The strong bot answers here, from how it truly stood. Then quick bots play on for both, again ",
        `and again: what ${names[0]} gets of that, from lost (0 %) to won (100 %). The band is where it `,
        "lies 95 times of 100.",
      ),
      h(
        "details",
        { class: "disclosure graph__table" },
        h("summary", {}, "As a table"),
        h(
          "div",
          { class: "table-scroll", tabindex: "0", role: "region", "aria-label": "How it stood" },
          h(
            "table",
            { class: "table" },
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                h("th", { scope: "col" }, "Move"),
                h("th", { scope: "col" }, names[0]),
                h("th", { scope: "col" }, names[1]),
              ),
            ),
            this.rows,
          ),
        ),
      ),
    );
  }

  /**
   * @param {Api.Study} study
   * @param {string} left how long it takes from here on, in a sentence
   */
  update(study, left) {
    const { positions, answers, state, positions_total, answers_total } = study;
    this.study = study;
    const points = positions.map(({ at, share, low, high }) => ({
      x: this.#x(at),
      y: this.#y(share),
      low: this.#y(low),
      high: this.#y(high),
    }));
    const drawn = points.map(({ x, y }) => `${x} ${y}`).join(" L");
    this.path.setAttribute("d", points.length > 0 ? `M${drawn}` : "");
    const up = points.map(({ x, high }) => `${x} ${high}`);
    const down = points.toReversed().map(({ x, low }) => `${x} ${low}`);
    this.band.setAttribute("d", points.length > 0 ? `M${[...up, ...down].join(" L")} Z` : "");
    const far =
      state === "done"
        ? `Done: ${positions_total} positions and ${answers_total} moves.`
        : positions.length < positions_total
          ? `${positions.length} of ${positions_total} positions are weighed; then come ${answers_total} moves.`
          : `All positions are weighed, and ${answers.length} of ${answers_total} moves.`;
    const goesOn =
      state === "delayed"
        ? "Then something went wrong. Those who keep this site see it, and it is tried again later."
        : `${left} You may leave the page: it goes on.`.trim();
    write(this.progress, state === "done" ? far : `${far} ${goesOn}`);
    fill(
      this.rows,
      positions.map((each) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, String(each.at)),
          h("td", { class: "numbers" }, withRange(each)),
          h("td", { class: "numbers" }, remainder(each.share)),
        ),
      ),
    );
    this.show(this.at, { within: this.within });
  }

  /**
   * Mark a step, and say how it stood; `within` a variation from it, how it stood where that begins.
   * @param {number} step
   * @param {{within: boolean}} where
   */
  show(step, { within }) {
    this.at = step;
    this.within = within;
    const found = this.study.positions[weighedAt(this.study, step)];
    const x = this.#x(step);
    this.here.setAttribute("x1", String(x));
    this.here.setAttribute("x2", String(x));
    this.dot.toggleAttribute("hidden", found === undefined);
    if (found !== undefined) {
      this.dot.setAttribute("cx", String(x));
      this.dot.setAttribute("cy", String(this.#y(found.share)));
    }
    const how =
      found === undefined
        ? `Move ${step}: not known yet.`
        : `Move ${step}: ${this.names[0]} ${withRange(found)}, ${this.names[1]} ${remainder(found.share)}.`;
    const said = within ? `Where the variation begins: ${how}` : how;
    write(this.words, said);
    this.field.setAttribute("aria-valuenow", String(step));
    this.field.setAttribute("aria-valuetext", said);
  }

  /** @param {number} step */
  #x(step) {
    return Math.round((step / this.last) * WIDE * 10) / 10;
  }

  /** @param {number} share */
  #y(share) {
    return Math.round((1 - share) * HIGH * 10) / 10;
  }

  /** @param {PointerEvent} event */
  #press(event) {
    const { left, width } = this.svg.getBoundingClientRect();
    this.go(Math.round(((event.clientX - left) / width) * this.last));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    /** @type {Record<string, number | undefined>} */
    const to = {
      ArrowLeft: this.at - 1,
      ArrowDown: this.at - 1,
      ArrowRight: this.at + 1,
      ArrowUp: this.at + 1,
      PageUp: this.at + 10,
      PageDown: this.at - 10,
      Home: 0,
      End: this.last,
    };
    const step = to[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.go(step);
  }
}
