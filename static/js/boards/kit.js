/* What boards are made of: a grid of squares in SVG that can be walked by arrow keys, outlines of
   pieces, the two seats' patterns, and the bar that confirms a choice. Knows no ruleset. */

import { fill, h, icon, s, write } from "../match/dom.js";

export const UNIT = 40; // units of the drawing along one square
const MARGIN = 18; // room for the letters and numbers along two sides

let drawings = 0;

/**
 * A board drawn to scale, with layers from below to above: `floor`, `squares`, `marks`, `pieces`,
 * `over`, `ghost`, `focus`. Squares that exist are grid cells with one of them in the tab order; arrow
 * keys move between them.
 *
 * `name(column, row)` gives a square's name, or null where the board has no square. `columns` and
 * `rows` are the labels along the sides. A still board is one picture without any of that.
 */
export class Board {
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
    this.layers = {};
    this.svg.append(seatPatterns(this.id), this.#labels());
    for (const layer of ["floor", "squares", "marks", "pieces", "over", "ghost", "focus"]) {
      this.layers[layer] = s("g", { class: `board__${layer}` });
      this.svg.append(this.layers[layer]);
      if (layer !== "squares" && !still) this.layers[layer].setAttribute("aria-hidden", "true");
    }
    this.cells = new Map();
    this.#squares();
    this.at = null;
    this.onArrow = null; // (dx, dy) => handled
    this.onKey = null; // (event) => handled
    if (!still) this.#walkable();
  }

  /** The fill of a seat's pieces in this drawing. */
  seatFill(seat) {
    return `url(#${this.id}-seat-${seat})`;
  }

  /** The fill of what is not allowed. */
  get hatch() {
    return `url(#${this.id}-hatch)`;
  }

  /** The left upper corner of a square in drawing units. */
  corner(column, row) {
    return [MARGIN + column * UNIT, MARGIN + row * UNIT];
  }

  /** Column and row under a pointer, as fractions: 2.5 is the middle of the third. */
  under(event) {
    const box = this.svg.getBoundingClientRect();
    const view = this.svg.viewBox.baseVal;
    const scale = view.width / box.width;
    return [
      ((event.clientX - box.left) * scale - MARGIN) / UNIT,
      ((event.clientY - box.top) * scale - MARGIN) / UNIT,
    ];
  }

  /** Redraw a layer. */
  draw(layer, ...children) {
    fill(this.layers[layer], ...children);
  }

  /** What a screen reader says of a square, after its name. */
  describe(describe) {
    for (const { element, name, column, row } of this.cells.values()) {
      const words = `${name}, ${describe(name, column, row)}`;
      if (element.getAttribute("aria-label") !== words) element.setAttribute("aria-label", words);
    }
  }

  /** Replace the words of one square. */
  say(column, row, words) {
    const cell = this.cells.get(key(column, row));
    cell?.element.setAttribute("aria-label", `${cell.name}, ${words}`);
  }

  /** Set the kind of every square for the style sheet, e.g. `legal` or `legal last`. */
  classify(kind) {
    for (const { element, name, column, row } of this.cells.values()) {
      element.firstChild.setAttribute("class", `square ${kind(name, column, row)}`.trim());
    }
  }

  /** Mark the squares that a refusal is about, above everything that lies on them. */
  accuse(names) {
    const accused = [...this.cells.values()].filter(({ name }) => names.includes(name));
    const rings = accused.map(({ column, row }) => {
      const [x, y] = this.corner(column, row);
      return s("rect", { class: "square--wrong", x, y, width: UNIT, height: UNIT });
    });
    this.draw("over", rings);
  }

  /** Make a square the one in the tab order, and focus it if the board has the focus. */
  stand(column, row, { focus = this.svg.contains(document.activeElement) } = {}) {
    if (this.still) return;
    const cell = this.cells.get(key(column, row));
    if (cell === undefined) return;
    const before = this.at && this.cells.get(key(...this.at));
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
        const square = s("rect", { class: "square", x, y, width: UNIT, height: UNIT });
        if (this.still) {
          line.append(square);
          return;
        }
        const element = s(
          "g",
          { role: "gridcell", tabindex: "-1", "aria-label": name, "data-square": name },
          square,
        );
        this.cells.set(key(column, row), { element, name, column, row });
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
    this.svg.addEventListener("focusin", ({ target }) => {
      const box = target.matches("[role=gridcell]:focus-visible") ? target.firstChild : null;
      const at = box && ["x", "y", "width", "height"].map((name) => [name, box.getAttribute(name)]);
      this.draw("focus", at && s("rect", { class: "board__focus", ...Object.fromEntries(at) }));
    });
    this.svg.addEventListener("focusout", () => this.draw("focus"));
  }

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

const ARROWS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

function key(column, row) {
  return column * 64 + row;
}

/* Two fills that differ in more than colour: stripes for seat 0, dots for seat 1. */
function seatPatterns(id) {
  const pattern = (name, size, ...marks) =>
    s(
      "pattern",
      { id: `${id}-${name}`, width: size, height: size, patternUnits: "userSpaceOnUse" },
      marks,
    );
  return s(
    "defs",
    {},
    pattern(
      "seat-0",
      10,
      s("rect", { class: "seat-ground-0", width: 10, height: 10 }),
      s("path", {
        class: "seat-mark-0",
        d: "M-2 2L2 -2M-2 12L12 -2M8 12L12 8",
        "stroke-width": 2.5,
      }),
    ),
    pattern(
      "seat-1",
      10,
      s("rect", { class: "seat-ground-1", width: 10, height: 10 }),
      s("circle", { class: "seat-mark-1", cx: 5, cy: 5, r: 1.9 }),
    ),
    pattern(
      "hatch",
      8,
      s("path", { class: "hatch", d: "M-2 6L6 -2M2 10L10 2", "stroke-width": 2 }),
    ),
  );
}

/**
 * The outline of a connected shape as a path: `cells` are `[column, row]`, `inset` is how far it
 * stays away from the squares' borders, `round` the radius of its corners.
 */
export function outline(cells, [left, top], { inset = 2, round = 6 } = {}) {
  const edges = new Map();
  const has = new Set(cells.map(([column, row]) => key(column + 1, row + 1)));
  for (const [column, row] of cells) {
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

/* One closed walk along the border, clockwise, as corners with the directions in and out. */
function loop(edges) {
  const [start] = edges.keys();
  let at = start;
  let before = null;
  const corners = [];
  let first = null;
  do {
    const starts = edges.get(at);
    // Where two squares touch by a corner only, turn right: the shape's own side.
    const index =
      before === null
        ? 0
        : Math.max(
            0,
            starts.findIndex((d) => turnsRight(before, d)),
          );
    const [direction] = starts.splice(index, 1);
    if (starts.length === 0) edges.delete(at);
    const [x, y] = at.split(",").map(Number);
    if (before === null) first = { x, y, out: direction };
    else if (before[0] !== direction[0]) corners.push({ x, y, into: before, out: direction });
    before = direction;
    at = `${x + direction[0]},${y + direction[1]}`;
  } while (at !== start);
  if (before[0] !== first.out[0]) corners.push({ ...first, into: before });
  return corners;
}

function turnsRight([dx, dy], [ex, ey]) {
  return dx * ey - dy * ex > 0;
}

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

/** The sign of a seat, for where there is no room for a pattern: a diamond and a ring. */
export function seatSign(seat, x, y, size) {
  if (seat === 0) {
    const d = `M${x} ${y - size}L${x + size} ${y}L${x} ${y + size}L${x - size} ${y}Z`;
    return s("path", { class: "seat-sign seat-sign--0", d });
  }
  return s("circle", { class: "seat-sign seat-sign--1", cx: x, cy: y, r: size * 0.85 });
}

/** A seat's sign as a small picture of its own, for lists and headings. */
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
 */
export function isForBoard({ target, key, altKey, ctrlKey, metaKey }, ...parts) {
  if (altKey || ctrlKey || metaKey) return false;
  if (target === document.body || target.matches("main")) return true;
  if (target.matches("[role=log], .log")) return !key.startsWith("Arrow");
  return parts.some((part) => part.contains(target));
}

/**
 * The bar under a board: what is about to be done, and the buttons to do it or not. Its place is kept
 * for it while nothing is chosen, so that nothing moves when something is. On a small screen it
 * sticks to the lower edge while there is a choice, and to the upper one where the piece lies below.
 */
export class ConfirmBar {
  constructor({ onConfirm, onCancel }) {
    this.words = h("p", { class: "confirm__words" });
    this.extra = h("div", { class: "confirm__extra" });
    this.confirm = h(
      "button",
      { type: "button", class: "button button--primary", on: { click: onConfirm } },
      icon("check"),
      h("span", {}, "Confirm"),
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

  /** Show it. `ready` says whether the choice is complete; `why` what is missing. */
  show({ words, ready = true, verb = "Confirm", extra = [] }) {
    this.bar.hidden = false;
    delete this.bar.dataset.state;
    write(this.words, words);
    // The same controls are left where they are: moving them would take the focus away.
    const same =
      extra.length === this.extra.children.length &&
      extra.every((control, index) => control === this.extra.children[index]);
    if (!same) fill(this.extra, ...extra);
    this.extra.hidden = extra.length === 0;
    write(this.confirm.lastChild, verb);
    this.confirm.disabled = !ready;
    this.cancel.disabled = false;
    this.#keepClear();
  }

  /* Where the bar sticks to the lower edge it lies over the board. It goes to the upper one rather
     than cover the piece, and the board stays where it is: there may be a finger on it. */
  #keepClear() {
    if (this.bar.hidden) return;
    const piece = this.root.closest(".match__board")?.querySelector(".ghost");
    const { top, bottom } = piece?.getBoundingClientRect() ?? { top: 0, bottom: 0 };
    const bar = this.bar.offsetHeight;
    if (bottom > innerHeight - bar) {
      this.root.dataset.edge = "upper";
      this.bar.style.inlineSize = `${this.root.offsetWidth}px`;
    } else if (top < bar) this.#atItsPlace();
  }

  #atItsPlace() {
    delete this.root.dataset.edge;
    this.bar.style.inlineSize = "";
  }

  /** Show that the choice is on its way and cannot be changed for now. */
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

  /** Stand right below what the choice is made with. While that is in the dock, the room below
      `otherwise` stays empty: nothing moves when the dock goes. */
  below(element, otherwise) {
    const docked = element.closest(".board-dock") !== null;
    const beside = docked ? otherwise : element;
    if (beside.nextElementSibling !== this.root) beside.after(this.root);
    if (docked && element.nextElementSibling !== this.bar) element.after(this.bar);
    if (!docked && this.bar.parentElement !== this.root) this.root.append(this.bar);
  }
}

/** A round of equal steps in either direction: `turn(3, 1, 4)` is 0. */
export function turn(value, by, count) {
  return (((value + by) % count) + count) % count;
}

const QUARTER = 90; // degrees
const STILL = 15; // and how far two fingers that tap may turn

/**
 * Two fingers on `element`: a tap of both calls `rotate(1)`; a twist calls `rotate(±1)` for each
 * quarter of a turn, halfway to it, and takes it back when the fingers go back. Returns whether a
 * given pointer event belongs to such a gesture, and so is not for placing.
 */
export function twoFingers(element, rotate) {
  const fingers = new Map();
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

/** Calls `rotate(±1)` for the wheel over `element` while `wanted()`; one step per notch. */
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

/** Take back what was chosen by radio buttons in these parts of a board. */
export function uncheck(...parts) {
  for (const part of parts) {
    for (const input of part.querySelectorAll("input[type=radio]")) input.checked = false;
  }
}

/**
 * A question with a few answers, as cards to choose one of. `options` are `{value, title, text,
 * art, disabled}`; `choose` is called with the value, `confirm` when Enter is pressed on one.
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
