// @ts-check
/* What boards are made of: a grid of squares in SVG that can be walked by arrow keys, outlines of
   pieces, the two seats' patterns, and the bar that confirms a choice. Knows no ruleset.

   Long, since every board asks for all of it: in parts it would be as many requests more. */

import { elementOf, fill, h, icon, s, write } from "../match/dom.js";
import { pulse } from "../match/haptics.js";

export const UNIT = 40; // units of the drawing along one square
const MARGIN = 18; // room for the letters and numbers along two sides

let drawings = 0;

/** @typedef {"floor" | "squares" | "marks" | "pieces" | "over" | "ghost" | "focus"} Layer */

/** @type {Layer[]} */
const LAYERS = ["floor", "squares", "marks", "pieces", "over", "ghost", "focus"];

/**
 * @typedef {object} Square
 * @property {SVGRectElement} element
 * @property {string} name
 * @property {number} column
 * @property {number} row
 */

/**
 * @typedef {object} Drawing
 * @property {string} label
 * @property {string[]} columns
 * @property {string[]} rows
 * @property {(column: number, row: number) => string | null} name
 * @property {boolean} [still]
 */

/**
 * A board drawn to scale, with layers from below to above: `floor`, `squares`, `marks`, `pieces`,
 * `over`, `ghost`, `focus`. Squares that exist are grid cells with one of them in the tab order; arrow
 * keys move between them.
 *
 * `name(column, row)` gives a square's name, or null where the board has no square. `columns` and
 * `rows` are the labels along the sides. A still board is one picture without any of that.
 */
export class Board {
  /** @param {Drawing} drawing */
  constructor({ label, columns, rows, name, still = false }) {
    this.columns = columns;
    this.rows = rows;
    this.name = name;
    this.still = still;
    this.id = `board-${(drawings += 1)}`;
    const width = MARGIN + columns.length * UNIT + 4;
    const height = MARGIN + rows.length * UNIT + 4;
    this.svg = s("svg", {
      class: "board",
      viewBox: `0 0 ${width} ${height}`,
      role: still ? "img" : "grid",
      "aria-label": label,
    });
    this.layers = /** @type {Record<Layer, SVGGElement>} */ ({});
    this.svg.append(seatPatterns(this.id, hatched(this.id)), this.#labels());
    for (const layer of LAYERS) {
      this.layers[layer] = s("g", { class: `board__${layer}` });
      this.svg.append(this.layers[layer]);
      if (layer !== "squares" && !still) this.layers[layer].setAttribute("aria-hidden", "true");
    }
    /** @type {Map<number, Square>} */
    this.cells = new Map();
    this.#squares();
    /** @type {Boards.Cell} */
    this.at = [0, 0];
    /** @type {((dx: number, dy: number) => boolean) | null} */
    this.onArrow = null; // (dx, dy) => handled
    /** @type {((event: KeyboardEvent) => boolean) | null} */
    this.onKey = null; // (event) => handled
    if (!still) this.#walkable();
  }

  /**
   * The fill of a seat's pieces in this drawing.
   * @param {Seat} seat
   */
  seatFill(seat) {
    return `url(#${this.id}-seat-${seat})`;
  }

  /** The fill of what is not allowed. */
  get hatch() {
    return `url(#${this.id}-hatch)`;
  }

  /**
   * The left upper corner of a square in drawing units.
   * @param {number} column
   * @param {number} row
   * @returns {[number, number]}
   */
  corner(column, row) {
    return [MARGIN + column * UNIT, MARGIN + row * UNIT];
  }

  /**
   * Column and row under a pointer, as fractions: 2.5 is the middle of the third.
   * @param {{clientX: number, clientY: number}} event
   * @returns {[number, number]}
   */
  under(event) {
    const box = this.svg.getBoundingClientRect();
    const view = this.svg.viewBox.baseVal;
    const scale = view.width / box.width;
    return [
      ((event.clientX - box.left) * scale - MARGIN) / UNIT,
      ((event.clientY - box.top) * scale - MARGIN) / UNIT,
    ];
  }

  /** How large a square is on the screen, in CSS pixels. */
  get squareSize() {
    return (this.svg.getScreenCTM()?.a ?? 0) * UNIT;
  }

  /**
   * Redraw a layer.
   * @param {Layer} layer
   * @param {...Dom.Child} children
   */
  draw(layer, ...children) {
    fill(this.layers[layer], ...children);
  }

  /**
   * What a screen reader says of a square, after its name.
   * @param {(name: string, column: number, row: number) => string} describe
   */
  describe(describe) {
    for (const { element, name, column, row } of this.cells.values()) {
      const words = `${name}, ${describe(name, column, row)}`;
      if (element.getAttribute("aria-label") !== words) element.setAttribute("aria-label", words);
    }
  }

  /**
   * Replace the words of one square.
   * @param {number} column
   * @param {number} row
   * @param {string} words
   */
  say(column, row, words) {
    const cell = this.cells.get(key(column, row));
    cell?.element.setAttribute("aria-label", `${cell.name}, ${words}`);
  }

  /**
   * Set the kind of every square for the style sheet, e.g. `legal` or `legal last`.
   * @param {(name: string, column: number, row: number) => string} kind
   */
  classify(kind) {
    for (const { element, name, column, row } of this.cells.values()) {
      element.setAttribute("class", `square ${kind(name, column, row)}`.trim());
    }
  }

  /**
   * Mark the squares that a refusal is about, above everything that lies on them.
   * @param {string[]} names
   */
  accuse(names) {
    const accused = [...this.cells.values()].filter(({ name }) => names.includes(name));
    const rings = accused.map(({ column, row }) => {
      const [x, y] = this.corner(column, row);
      return s("rect", { class: "square--wrong", x, y, width: UNIT, height: UNIT });
    });
    this.draw("over", rings);
  }

  /**
   * Make a square the one in the tab order, and focus it if the board has the focus.
   * @param {number} column
   * @param {number} row
   * @param {{focus?: boolean}} [more]
   */
  stand(column, row, { focus = this.svg.contains(document.activeElement) } = {}) {
    if (this.still) return;
    const cell = this.cells.get(key(column, row));
    if (cell === undefined) return;
    const before = this.cells.get(key(...this.at));
    before?.element.setAttribute("tabindex", "-1");
    this.at = [column, row];
    cell.element.setAttribute("tabindex", "0");
    if (focus) cell.element.focus({ preventScroll: true });
  }

  /** Bring the focus to the square that the reader stands on. */
  focus() {
    this.stand(...this.at, { focus: true });
  }

  #labels() {
    const labels = s("g", { class: "board__labels", "aria-hidden": "true" });
    this.columns.forEach((label, column) => {
      const x = MARGIN + (column + 0.5) * UNIT;
      labels.append(s("text", { x, y: MARGIN - 5, "text-anchor": "middle" }, label));
    });
    this.rows.forEach((label, row) => {
      const y = MARGIN + (row + 0.5) * UNIT + 4;
      labels.append(s("text", { x: MARGIN - 5, y, "text-anchor": "end" }, label));
    });
    return labels;
  }

  #squares() {
    this.rows.forEach((_, row) => {
      const line = s("g", this.still ? {} : { role: "row" });
      this.columns.forEach((_, column) => {
        const name = this.name(column, row);
        if (name === null) return;
        const [x, y] = this.corner(column, row);
        const walked = {
          role: "gridcell",
          tabindex: "-1",
          "aria-label": name,
          "data-square": name,
        };
        const element = s("rect", {
          class: "square",
          x,
          y,
          width: UNIT,
          height: UNIT,
          ...(this.still ? {} : walked),
        });
        if (!this.still) this.cells.set(key(column, row), { element, name, column, row });
        line.append(element);
      });
      this.layers.squares.append(line);
    });
  }

  #walkable() {
    const [first] = this.cells.values();
    this.stand(first.column, first.row, { focus: false });
    this.svg.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const step = ARROWS[event.key];
      const handled = step ? this.#arrow(...step) : this.onKey?.(event);
      if (handled) event.preventDefault();
    });
    // A ring of the square itself would lie under the pieces.
    this.svg.addEventListener("focusin", (event) => {
      const cell = elementOf(event);
      const box = cell?.matches("[role=gridcell]:focus-visible") ? cell : null;
      const [x, y, width, height] = ["x", "y", "width", "height"].map((name) =>
        box?.getAttribute(name),
      );
      this.draw("focus", box && s("rect", { class: "board__focus", x, y, width, height }));
    });
    this.svg.addEventListener("focusout", () => this.draw("focus"));
  }

  /**
   * @param {number} dx
   * @param {number} dy
   */
  #arrow(dx, dy) {
    if (this.onArrow?.(dx, dy)) return true;
    let [column, row] = this.at;
    // Boards may have gaps: go on to the next square in that direction, if there is one.
    do {
      column += dx;
      row += dy;
      if (this.cells.has(key(column, row))) {
        this.stand(column, row);
        return true;
      }
    } while (column in this.columns && row in this.rows);
    return true;
  }
}

/**
 * The step of each arrow key: across and down.
 * @type {Record<string, [number, number] | undefined>}
 */
export const ARROWS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/**
 * @param {number} column
 * @param {number} row
 */
function key(column, row) {
  return column * 64 + row;
}

/**
 * A fill for one drawing: `url(#id)`.
 * @param {string} id
 * @param {number} size
 * @param {...Dom.Child} marks
 */
export function pattern(id, size, ...marks) {
  return s("pattern", { id, width: size, height: size, patternUnits: "userSpaceOnUse" }, marks);
}

/**
 * Two fills that differ in more than colour: stripes for seat 0, dots for seat 1; and what else a
 * drawing fills with.
 * @param {string} id
 * @param {...SVGElement} more
 */
export function seatPatterns(id, ...more) {
  return s(
    "defs",
    {},
    pattern(
      `${id}-seat-0`,
      10,
      s("rect", { class: "seat-ground-0", width: 10, height: 10 }),
      s("path", {
        class: "seat-mark-0",
        d: "M-2 2L2 -2M-2 12L12 -2M8 12L12 8",
        "stroke-width": 2.5,
      }),
    ),
    pattern(
      `${id}-seat-1`,
      10,
      s("rect", { class: "seat-ground-1", width: 10, height: 10 }),
      s("circle", { class: "seat-mark-1", cx: 5, cy: 5, r: 1.9 }),
    ),
    ...more,
  );
}

/** @param {string} id */
function hatched(id) {
  const lines = s("path", { class: "hatch", d: "M-2 6L6 -2M2 10L10 2", "stroke-width": 2 });
  return pattern(`${id}-hatch`, 8, lines);
}

/**
 * A step along a border, to the next corner: across and down.
 * @typedef {[number, number]} Way
 */

/** @typedef {{x: number, y: number, into: Way, out: Way}} Corner */

/**
 * The outline of a connected shape as a path: `cells` are `[column, row]`, `inset` is how far it
 * stays away from the squares' borders, `round` the radius of its corners.
 * @param {Boards.Cell[]} cells
 * @param {[number, number]} corner
 * @param {{inset?: number, round?: number}} [more]
 */
export function outline(cells, [left, top], { inset = 2, round = 6 } = {}) {
  /** @type {Map<string, Way[]>} */
  const edges = new Map();
  const has = new Set(cells.map(([column, row]) => key(column + 1, row + 1)));
  for (const [column, row] of cells) {
    /** @type {[number, number, number, number, number, number][]} */
    const sides = [
      [0, -1, column, row, 1, 0],
      [1, 0, column + 1, row, 0, 1],
      [0, 1, column + 1, row + 1, -1, 0],
      [-1, 0, column, row + 1, 0, -1],
    ];
    for (const [nx, ny, x, y, dx, dy] of sides) {
      if (has.has(key(column + nx + 1, row + ny + 1))) continue;
      const starts = edges.get(`${x},${y}`) ?? [];
      starts.push([dx, dy]);
      edges.set(`${x},${y}`, starts);
    }
  }
  let path = "";
  while (edges.size > 0) {
    path += loopPath(loop(edges), left, top, inset, round);
  }
  return path;
}

/**
 * One closed walk along the border, clockwise, as corners with the directions in and out.
 * @param {Map<string, Way[]>} edges
 */
function loop(edges) {
  const [start] = edges.keys();
  /** @type {{x: number, y: number, out: Way}[]} */
  const walk = [];
  let at = start;
  do {
    const starts = edges.get(at) ?? [];
    const into = walk.at(-1)?.out;
    // Where two squares touch by a corner only, turn right: the shape's own side.
    const right = into === undefined ? 0 : starts.findIndex((each) => turnsRight(into, each));
    const [out] = starts.splice(Math.max(0, right), 1);
    if (starts.length === 0) edges.delete(at);
    const [x, y] = at.split(",").map(Number);
    walk.push({ x, y, out });
    at = `${x + out[0]},${y + out[1]}`;
  } while (at !== start);
  return [...walk.slice(1), walk[0]]
    .map((step, index) => ({ ...step, into: walk[index].out }))
    .filter(({ into, out }) => into[0] !== out[0]);
}

/**
 * @param {Way} before
 * @param {Way} after
 */
function turnsRight([dx, dy], [ex, ey]) {
  return dx * ey - dy * ex > 0;
}

/**
 * @param {Corner[]} corners
 * @param {number} left
 * @param {number} top
 * @param {number} inset
 * @param {number} round
 */
function loopPath(corners, left, top, inset, round) {
  const points = corners.map(({ x, y, into, out }) => {
    const px = left + x * UNIT + inset * (-into[1] - out[1]);
    const py = top + y * UNIT + inset * (into[0] + out[0]);
    return { px, py, into, out };
  });
  const text = points.map(({ px, py, into, out }, index) => {
    const from = `${px - into[0] * round} ${py - into[1] * round}`;
    const to = `${px + out[0] * round} ${py + out[1] * round}`;
    return `${index === 0 ? "M" : "L"}${from}Q${px} ${py} ${to}`;
  });
  return `${text.join("")}Z`;
}

/**
 * Squares that came to somebody with a move, those that were the other one's crossed.
 * @param {Board} board
 * @param {Boards.Cell[]} won
 * @param {Boards.Cell[]} taken
 */
export function wonSquares(board, won, taken) {
  /** @param {Boards.Cell} cell */
  const isTaken = ([column, row]) => taken.some(([x, y]) => x === column && y === row);
  return won.map((cell) => {
    const [x, y] = board.corner(...cell);
    const box = { x: x + 2, y: y + 2, width: UNIT - 4, height: UNIT - 4, rx: 3 };
    return s(
      "g",
      { class: `won${isTaken(cell) ? " won--taken" : ""}` },
      s("rect", { class: "won__box", ...box }),
      isTaken(cell) && s("path", { class: "won__cross", d: `M${x + 6} ${y + 6}l8 8m0 -8l-8 8` }),
    );
  });
}

/**
 * A straight line over squares with its letter at one end.
 * @param {Board} board
 * @param {Boards.Cell[]} cells
 * @param {string} letter
 */
export function scoredLine(board, cells, letter) {
  const [from, to] = [cells[0], cells[cells.length - 1]].map(([column, row]) =>
    board.corner(column + 0.5, row + 0.5),
  );
  const long = Math.hypot(to[0] - from[0], to[1] - from[1]);
  // The letter stands at the beginning of the line, off the number there.
  const [x, y] = [0, 1].map((axis) => from[axis] - ((to[axis] - from[axis]) / long) * UNIT * 0.5);
  const d = `M${from.join(" ")}L${to.join(" ")}`;
  return s(
    "g",
    { class: "scored-line" },
    s("path", { class: "scored-line__band", d }),
    s("circle", { class: "scored-line__ground", cx: x, cy: y, r: 8 }),
    s("text", { class: "scored-line__letter", x, y: y + 4, "text-anchor": "middle" }, letter),
  );
}

/**
 * The sign of a seat, for where there is no room for a pattern: a diamond and a ring.
 * @param {Seat} seat
 * @param {number} x
 * @param {number} y
 * @param {number} size
 */
export function seatSign(seat, x, y, size) {
  if (seat === 0) {
    const d = `M${x} ${y - size}L${x + size} ${y}L${x} ${y + size}L${x - size} ${y}Z`;
    return s("path", { class: "seat-sign seat-sign--0", d });
  }
  return s("circle", { class: "seat-sign seat-sign--1", cx: x, cy: y, r: size * 0.85 });
}

/**
 * A seat's sign as a small picture of its own, for lists and headings.
 * @param {Seat} seat
 */
export function seatBadge(seat) {
  return s(
    "svg",
    { class: "seat-badge", viewBox: "0 0 14 14", "aria-hidden": "true", focusable: "false" },
    seatSign(seat, 7, 7, 6),
  );
}

/**
 * Whether a key that was pressed is for a board: on it or its dock, or where nothing else takes keys
 * of its own. A click on the page's words leaves the focus on the whole of it, or on a log, which
 * the arrows scroll.
 * @param {KeyboardEvent} event
 * @param {...Element} parts
 */
export function isForBoard(event, ...parts) {
  const { target } = event;
  if (event.altKey || event.ctrlKey || event.metaKey) return false;
  if (!(target instanceof Element)) return false;
  if (target === document.body || target.matches("main")) return true;
  if (target.matches("[role=log], .log")) return !event.key.startsWith("Arrow");
  return parts.some((part) => part.contains(target));
}

/**
 * The bar under a board: what is about to be done, and the buttons to do it or not. Its place is kept
 * for it while nothing is chosen, so that nothing moves when something is. On a small screen it
 * sticks to the lower edge while there is a choice, and to the upper one where the piece lies below.
 */
export class ConfirmBar {
  /** @param {{onConfirm: () => void, onCancel: () => void}} acts */
  constructor({ onConfirm, onCancel }) {
    this.words = h("p", { class: "confirm__words" });
    this.extra = h("div", { class: "confirm__extra" });
    this.verb = h("span", {}, "Confirm");
    this.confirm = h(
      "button",
      { type: "button", class: "button button--primary", on: { click: onConfirm } },
      icon("check"),
      this.verb,
    );
    this.cancel = h(
      "button",
      { type: "button", class: "button", on: { click: onCancel } },
      "Cancel",
    );
    this.bar = h(
      "div",
      { class: "confirm", hidden: true, role: "group", "aria-label": "Your choice" },
      this.words,
      this.extra,
      h("div", { class: "confirm__buttons" }, this.cancel, this.confirm),
    );
    this.root = h("div", { class: "confirm-place" }, this.bar);
    for (const event of ["scroll", "resize"]) {
      addEventListener(event, () => this.#keepClear(), { passive: true });
    }
  }

  /**
   * Show it. `ready` says whether the choice is complete; `why` what is missing.
   * @param {{words: string, ready?: boolean, verb?: string, extra?: HTMLElement[]}} choice
   */
  show({ words, ready = true, verb = "Confirm", extra = [] }) {
    if (ready && (this.bar.hidden || this.confirm.disabled)) pulse("pinned");
    this.bar.hidden = false;
    delete this.bar.dataset.state;
    write(this.words, words);
    // The same controls are left where they are: moving them would take the focus away.
    const same =
      extra.length === this.extra.children.length &&
      extra.every((control, index) => control === this.extra.children[index]);
    if (!same) fill(this.extra, ...extra);
    this.extra.hidden = extra.length === 0;
    // What is planned is not done, nor is what is tried in a study.
    const planning = this.root.closest("[data-planning]")?.getAttribute("data-planning");
    const planned = planning === "ahead" ? "Send it when asked" : "Add to the plan";
    write(this.verb, this.isTrial ? "Try it" : typeof planning === "string" ? planned : verb);
    this.confirm.disabled = !ready;
    this.cancel.disabled = false;
    this.#keepClear();
  }

  /** Whether nothing is at stake with what is confirmed: it only shows what could have happened. */
  get isTrial() {
    return this.root.closest("[data-tries]") !== null;
  }

  /* Where the bar sticks to the lower edge it lies over the board. It goes to the upper one rather
     than cover the piece, and the board stays where it is: there may be a finger on it. */
  #keepClear() {
    if (this.bar.hidden) return;
    const piece = this.root.closest(".match__board")?.querySelector(".ghost");
    const { top, bottom } = piece?.getBoundingClientRect() ?? { top: 0, bottom: 0 };
    const bar = this.bar.offsetHeight;
    const foot = parseFloat(getComputedStyle(this.root).bottom) || 0; // what it stands on
    if (bottom > innerHeight - foot - bar) {
      this.root.dataset.edge = "upper";
      this.bar.style.inlineSize = `${this.root.offsetWidth}px`;
    } else if (top < bar) this.#atItsPlace();
  }

  #atItsPlace() {
    delete this.root.dataset.edge;
    this.bar.style.inlineSize = "";
  }

  /**
   * Show that the choice is on its way and cannot be changed for now.
   * @param {string} words
   */
  sending(words) {
    this.bar.hidden = false;
    this.bar.dataset.state = "sending";
    write(this.words, words);
    this.extra.hidden = true;
    this.confirm.disabled = true;
    this.cancel.disabled = true;
  }

  hide() {
    this.bar.hidden = true;
    this.#atItsPlace();
  }

  /**
   * Stand right below what the choice is made with. While that is in the dock, the room below
   * `otherwise` stays empty: nothing moves when the dock goes.
   * @param {Element} element
   * @param {Element} otherwise
   */
  below(element, otherwise) {
    const docked = element.closest(".board-dock") !== null;
    const beside = docked ? otherwise : element;
    if (beside.nextElementSibling !== this.root) beside.after(this.root);
    if (docked && element.nextElementSibling !== this.bar) element.after(this.bar);
    if (!docked && this.bar.parentElement !== this.root) this.root.append(this.bar);
  }
}

/**
 * A round of equal steps in either direction: `turn(3, 1, 4)` is 0.
 * @param {number} value
 * @param {number} by
 * @param {number} count
 */
export function turn(value, by, count) {
  return (((value + by) % count) + count) % count;
}

const QUARTER = 90; // degrees
const STILL = 15; // and how far two fingers that tap may turn

/**
 * Two fingers on `element`: a tap of both calls `rotate(1)`; a twist calls `rotate(±1)` for each
 * quarter of a turn, halfway to it, and takes it back when the fingers go back. Returns whether a
 * given pointer event belongs to such a gesture, and so is not for placing.
 * @param {SVGElement} element
 * @param {(by: number) => void} rotate
 */
export function twoFingers(element, rotate) {
  /** @type {Map<number, {x: number, y: number}>} */
  const fingers = new Map();
  /** @type {{angle: number, sum: number, steps: number, tap: boolean, began: number} | null} */
  let gesture = null; // {angle, sum, steps, tap, began}: how far it was twisted, in all
  const angle = () => {
    const [a, b] = [...fingers.values()];
    return (Math.atan2(b.y - a.y, b.x - a.x) * 180) / Math.PI;
  };
  element.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "touch") return;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (fingers.size === 2) {
      gesture = { angle: angle(), sum: 0, steps: 0, tap: true, began: event.timeStamp };
    }
  });
  element.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (fingers.size !== 2 || gesture === null) return;
    const now = angle();
    gesture.sum += ((now - gesture.angle + 540) % 360) - 180;
    gesture.angle = now;
    if (Math.abs(gesture.sum) > STILL) gesture.tap = false;
    const steps = Math.round(gesture.sum / QUARTER);
    // A hand that trembles halfway does not turn the piece to and fro.
    if (Math.abs(gesture.sum - gesture.steps * QUARTER) < QUARTER / 2 + 5) return;
    for (; gesture.steps !== steps; gesture.steps += Math.sign(steps - gesture.steps)) {
      rotate(Math.sign(steps - gesture.steps));
    }
  });
  /** @param {PointerEvent} event */
  const end = (event) => {
    if (!fingers.delete(event.pointerId)) return;
    if (gesture !== null && gesture.tap && event.type === "pointerup") {
      if (event.timeStamp - gesture.began < 350) rotate(1);
      gesture.tap = false;
    }
    // The gesture is over with the last finger; until then the other one places nothing.
    if (fingers.size === 0) {
      setTimeout(() => {
        gesture = null;
      });
    }
  };
  element.addEventListener("pointerup", end);
  element.addEventListener("pointercancel", end);
  return () => gesture !== null;
}

/**
 * Calls `rotate(±1)` for the wheel over `element` while `wanted()`; one step per notch.
 * @param {SVGElement} element
 * @param {() => boolean} wanted
 * @param {(by: number) => void} rotate
 */
export function wheelTurns(element, wanted, rotate) {
  let last = 0;
  element.addEventListener(
    "wheel",
    (event) => {
      if (event.ctrlKey || event.deltaY === 0 || !wanted()) return;
      event.preventDefault();
      if (event.timeStamp - last < 140) return;
      last = event.timeStamp;
      rotate(Math.sign(event.deltaY));
    },
    { passive: false },
  );
}

/**
 * Take back what was chosen by radio buttons in these parts of a board.
 * @param {...Element} parts
 */
export function uncheck(...parts) {
  for (const part of parts) {
    for (const input of part.querySelectorAll("input")) {
      if (input.type === "radio") input.checked = false;
    }
  }
}

/**
 * Take the keyboard's focus to the first control that can be used there. Whether there is one.
 * @param {Element} part
 * @param {string} selector which controls: inputs or buttons
 */
export function focusChoice(part, selector = "input") {
  /** @type {NodeListOf<HTMLInputElement | HTMLButtonElement>} */
  const controls = part.querySelectorAll(selector);
  const control = [...controls].find(({ disabled }) => !disabled);
  control?.focus({ preventScroll: true });
  return control !== undefined;
}

/**
 * A question with a few answers, as cards to choose one of. `options` are `{value, title, text,
 * art, disabled}`; `choose` is called with the value, `confirm` when Enter is pressed on one.
 * @param {{legend: string, options: Boards.Choice[], choose: (value: string) => void, confirm: () => void}} question
 */
export function choiceCards({ legend, options, choose, confirm }) {
  const group = `choice-${(drawings += 1)}`;
  const cards = options.map(({ value, title, text, art, disabled }) =>
    h(
      "label",
      { class: "choice choice--card", "data-disabled": disabled ? "" : null },
      h("input", {
        type: "radio",
        name: group,
        value,
        disabled,
        on: {
          change: () => choose(value),
          keydown: (event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            confirm();
          },
        },
      }),
      art ?? null,
      h(
        "span",
        { class: "choice__body" },
        h("span", { class: "choice__title" }, title),
        text ? h("span", { class: "choice__text" }, text) : null,
      ),
    ),
  );
  return h(
    "fieldset",
    { class: "choices" },
    h("legend", { class: "choices__legend" }, legend),
    h("div", { class: "choices__cards" }, cards),
  );
}

/**
 * What must be there by now; throws an Error where it is not.
 * @template T
 * @param {T | null | undefined} value
 * @returns {T}
 */
export function given(value) {
  if (value === null || value === undefined) throw new Error("A board was asked too early.");
  return value;
}

/**
 * What a board is told before it is told anything.
 * @type {Boards.Context}
 */
export const NOTHING_ASKED = {
  you: null,
  header: null,
  names: ["", ""],
  decision: null,
  paused: false,
  pending: null,
  refusal: null,
};
