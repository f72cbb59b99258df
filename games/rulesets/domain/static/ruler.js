// @ts-check
/* A ruler over a domain: from one corner of a pixel to another, by pointer or keys. Loaded only once
   somebody takes it. It changes nothing and knows no match. */

import { fill, s } from "../../../../static/js/match/dom.js";
import { ARROWS } from "../../../../static/js/boards/kit.js";
import { distanceWords } from "./measure.js";

const STILL = 12; // points of the screen within which a hand has not moved

/** @typedef {{svg: SVGSVGElement, name: string}} Sheet */

export class Ruler {
  /** @type {Domain.Point[]} */
  points = [];

  /**
   * @param {object} page
   * @param {Sheet[]} page.sheets the drawings that it can lie on, one at a time
   * @param {[number, number, number, number]} page.box as far as it reaches: left, top, right, bottom
   * @param {(words: string) => unknown} page.say
   * @param {() => void} page.ended called once it is put away
   */
  constructor({ sheets, box, say, ended }) {
    this.sheets = sheets;
    /** @type {Sheet} */
    this.sheet = sheets[0];
    this.box = box;
    this.say = say;
    this.ended = ended;
    /** @type {Domain.Point} */
    this.cursor = [Math.round((box[0] + box[2]) / 2), Math.round((box[1] + box[3]) / 2)];
    this.layer = s("g", { class: "ruler", "aria-hidden": "true" });
    this.listening = new AbortController();
    for (const sheet of sheets) this.#listen(sheet);
    this.draw();
    say("Ruler. Choose two points: by a tap, or with the arrow keys and Enter.");
  }

  /** Put it away. */
  end() {
    this.listening.abort();
    this.layer.remove();
    this.say("The ruler is put away.");
    this.ended();
  }

  /**
   * A key that was pressed beside it. Whether it was for the ruler.
   * @param {KeyboardEvent} event
   * @param {Element | null} control what else Enter would press
   */
  key({ key, shiftKey }, control) {
    const arrow = ARROWS[key];
    if (arrow) this.move(...arrow, shiftKey);
    else if (key === "Enter" && control === null) this.#put(this.cursor);
    else if (key === "Escape") this.end();
    else return false;
    return true;
  }

  /**
   * Move the point that was chosen last, or where the next one will be.
   * @param {number} dx
   * @param {number} dy
   * @param {boolean} far
   */
  move(dx, dy, far) {
    const step = far ? 10 : 1;
    this.cursor = this.#within(this.cursor[0] + dx * step, this.cursor[1] + dy * step);
    if (this.points.length === 2) this.points = [this.points[0], this.cursor];
    this.draw();
    this.say(this.#words());
    return true;
  }

  /** @param {Domain.Point} point */
  #put(point) {
    this.cursor = point;
    this.points = this.points.length === 1 ? [this.points[0], point] : [point];
    this.draw();
    this.say(this.#words());
  }

  /**
   * @param {number} x
   * @param {number} y
   * @returns {Domain.Point}
   */
  #within(x, y) {
    const [left, top, right, bottom] = this.box;
    return [
      Math.min(Math.max(Math.round(x), left), right),
      Math.min(Math.max(Math.round(y), top), bottom),
    ];
  }

  /** @param {Sheet} sheet */
  #listen(sheet) {
    const { svg } = sheet;
    const { signal } = this.listening;
    /** @type {PointerEvent | null} */
    let down = null;
    /** @param {PointerEvent} event */
    const under = ({ clientX, clientY }) => {
      const matrix = svg.getScreenCTM()?.inverse();
      const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(matrix);
      return this.#within(x, y);
    };
    svg.addEventListener(
      "pointerdown",
      (event) => {
        if (event.isPrimary && event.button === 0) down = event;
      },
      { signal },
    );
    svg.addEventListener(
      "pointermove",
      (event) => {
        if (event.buttons > 0 || this.sheet !== sheet || this.points.length !== 1) return;
        this.cursor = under(event);
        this.draw();
      },
      { signal },
    );
    svg.addEventListener(
      "pointerup",
      (event) => {
        const from = down;
        down = null;
        if (from === null || from.pointerId !== event.pointerId) return;
        // What was dragged moves a shape or the window, and measures nothing.
        if (Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) >= STILL) return;
        if (this.sheet !== sheet) this.points = [];
        this.sheet = sheet;
        this.#put(under(event));
      },
      { signal },
    );
  }

  #words() {
    const [from] = this.points;
    const at = `${this.cursor.join(",")} on ${this.sheet.name}`;
    return from === undefined ? at : `${at}: ${distanceWords(from, this.cursor)}.`;
  }

  /** Draw it anew, where the window on the domain has changed as well. */
  draw() {
    const { svg } = this.sheet;
    const { x: left, y: top, width, height } = svg.viewBox.baseVal;
    const unit = width / Math.max(1, svg.clientWidth || 480); // pixels a point of the screen
    const [from] = this.points;
    const to = this.cursor;
    const [x1, y1] = from ?? to;
    const [x2, y2] = to;
    const ends = from === undefined ? [to] : [from, to];
    const text =
      from === undefined
        ? `${to.join(",")}: choose two points`
        : `${distanceWords(from, to).replaceAll(",", " ·")}`;
    // A letter is about 0.56 of its height wide.
    const size = 12 * unit;
    const wide = (text.length * 0.56 + 1) * size;
    const x = Math.min(Math.max((x1 + x2) / 2 - wide / 2, left), left + width - wide);
    const below = Math.max(y1, y2) + 0.8 * size;
    const y =
      below + 1.6 * size < top + height ? below : Math.max(Math.min(y1, y2) - 2.4 * size, top);
    const steps = `M${x1} ${y1}H${x2}V${y2}`;
    const crosses = ends
      .map(([a, b]) => `M${a - 7 * unit} ${b}h${14 * unit}M${a} ${b - 7 * unit}v${14 * unit}`)
      .join("");
    const d = `M${x1} ${y1}L${x2} ${y2}${crosses}`;
    fill(
      this.layer,
      s("path", { class: "measure measure--below", d }),
      s("path", { class: "measure", d: steps, "stroke-dasharray": "4 3" }),
      s("path", { class: "measure", d }),
      s("rect", { class: "ruler__ground", x, y, width: wide, height: 1.6 * size, rx: 3 * unit }),
      s(
        "text",
        {
          class: "ruler__words",
          x: x + wide / 2,
          y: y + 1.15 * size,
          "font-size": size,
          "text-anchor": "middle",
        },
        text,
      ),
    );
    if (this.layer.parentNode !== svg) svg.append(this.layer);
  }
}
