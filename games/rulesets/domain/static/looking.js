// @ts-check
/* Looking closely: any shape of the pool, large, turned, and tried on a domain. Loaded only once
   somebody does. It knows what the reader's view holds and nothing else, and submits nothing.

   Long, since the dialog, what is in hand and where it is tried are one state. */

import { elementOf, fill, h, icon, s, write } from "../../../../static/js/match/dom.js";
import { ARROWS } from "../../../../static/js/boards/kit.js";
import {
  COLOURS,
  drawAllLying,
  faultOf,
  FRAME,
  gapLine,
  ground,
  iconButton,
  lying,
  moveButtons,
  nextId,
  number,
  ownersOf,
  Paint,
  patterns,
  pixelPath,
  ringPath,
  shapeBody,
  shapeOf,
  traits,
} from "./pixels.js";
import { gapOf, gapWords, sizeOf } from "./measure.js";
import { Ruler } from "./ruler.js";

const ZOOMS = [1, 2, 4, 8];
const PRECISE = 2; // from this one of them on, single pixels are drawn
const STILL = 12; // points of the screen within which a hand has not moved
const SPEAK_AFTER = 500; // milliseconds, when something is moved

/** @typedef {{domain: Domain.Colour | null, x: number, y: number, angle: number}} Spot */

/**
 * What a hand on the glass is doing.
 * @typedef {{pointer: number, x: number, y: number, moved: boolean, grip: Domain.Point | null, middle: Domain.Point}} Hand
 */

export class Looking {
  /** @type {Spot} */
  spot = { domain: null, x: 0, y: 0, angle: 0 };
  shape = "";
  zoom = 0;
  /** @type {Domain.Point} */
  middle = [0, 0]; // of what is seen while it is magnified
  /** @type {Hand | null} */
  hand = null;
  /** @type {Ruler | null} */
  ruler = null;
  /** @type {Domain.Placement[]} */
  laid = [];
  /** @type {Paint | null} */
  paint = null;
  id = nextId();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  speaking;
  stamp = "";
  /** @type {HTMLDialogElement} */
  dialog;
  /** @type {HTMLElement} */
  turn;
  /** @type {HTMLSelectElement} */
  select;
  /** @type {HTMLButtonElement[]} */
  grounds;
  /** @type {SVGSVGElement} */
  svg;
  /** @type {Record<"ground" | "shapes" | "ghost", SVGGElement>} */
  layers;
  /** @type {HTMLElement} */
  verdict;
  /** @type {HTMLElement} */
  spoken;
  /** @type {{name: "x" | "y" | "angle", input: HTMLInputElement, label: HTMLElement}[]} */
  entries;
  /** @type {HTMLElement} */
  moves;
  /** @type {HTMLButtonElement} */
  out;
  /** @type {HTMLElement} */
  times;
  /** @type {HTMLButtonElement} */
  in;
  /** @type {HTMLButtonElement} */
  measure;

  /**
   * @param {Element} host where the dialog goes
   * @param {() => Domain.Seen} seen what the board shows
   */
  constructor(host, seen) {
    this.seen = seen;
    this.#build();
    host.append(this.dialog);
  }

  /**
   * Open it with a shape.
   * @param {string} shape
   * @param {Domain.Place | null} place where it lies at first, if it lies anywhere
   */
  open(shape, place = null) {
    const { game } = this.seen();
    const [width, height] = game.pool.size;
    if (this.spot.x === 0) this.spot = { ...this.spot, x: width >> 1, y: height >> 1 };
    if (place !== null) {
      const { domain, x, y, angle } = place;
      this.spot = { domain, x, y, angle };
    }
    this.shape = shape;
    this.zoom = 0;
    this.#choices();
    this.update();
    if (!this.dialog.open) this.dialog.showModal();
    this.#draw();
    this.svg.focus();
  }

  /** The board shows something else now. */
  update() {
    const { game, asked } = this.seen();
    const laid = lying(game).filter((turn) => turn.shape !== this.shape);
    const stamp = JSON.stringify([this.shape, laid]);
    if (stamp !== this.stamp) {
      this.stamp = stamp;
      this.laid = laid;
      this.paint = null;
    }
    write(this.turn, asked ? "It is your turn: close this to play." : "");
    if (this.dialog.open) this.#draw();
  }

  close() {
    this.dialog.close();
  }

  destroy() {
    clearTimeout(this.speaking);
    this.dialog.remove();
  }

  // -- what it is made of -------------------------------------------------------------------------

  #build() {
    const title = nextId();
    /**
     * @param {string} words
     * @param {string} hint
     * @param {() => void} act
     */
    const button = (words, hint, act) =>
      h("button", { type: "button", class: "button", title: hint, on: { click: act } }, words);
    this.turn = h("p", { class: "looking__turn", role: "status" });
    this.select = h("select", {
      class: "input looking__shape",
      "aria-label": "Shape",
      on: { change: () => this.#take(this.select.value) },
    });
    this.grounds = [null, ...COLOURS].map((domain) => {
      const words = domain === null ? "By itself" : `On ${domain}`;
      return button(words, `${words} (D)`, () => this.#lay(domain));
    });
    this.svg = s("svg", { class: "domain__svg looking__svg", role: "application", tabindex: "0" });
    this.layers = { ground: s("g"), shapes: s("g"), ghost: s("g") };
    this.svg.append(patterns(this.id), ...Object.values(this.layers));
    this.#pointers();
    this.verdict = h("p", { class: "board-facts looking__verdict" });
    this.spoken = h("p", { class: "visually-hidden", role: "status" });
    /** @type {("x" | "y" | "angle")[]} */
    const names = ["x", "y", "angle"];
    const labels = { x: "Pixels from the left", y: "Pixels from the top", angle: "Degrees" };
    this.entries = names.map((name) => {
      /** @type {HTMLInputElement} */
      const input = h("input", {
        class: "input domain-number",
        "aria-label": labels[name],
        type: "number",
        inputmode: "numeric",
        min: "0",
        step: "1",
        on: { change: () => this.#typed(name, input) },
      });
      const label = h("label", { class: "domain-entry" }, name === "angle" ? "°" : name, input);
      return { name, input, label };
    });
    this.out = iconButton("Smaller (-)", "−", () => this.#magnify(-1));
    this.in = iconButton("Larger (+)", "+", () => this.#magnify(1));
    this.times = h("span", { class: "domain-lens__words" });
    this.measure = button("Ruler", "Measure between two points (U)", () => this.#toggleRuler());
    this.measure.setAttribute("aria-pressed", "false");
    const group = { class: "board-tools", role: "group" };
    this.moves = h(
      "div",
      { ...group, "aria-label": "Move the shape" },
      this.entries[0].label,
      this.entries[1].label,
      moveButtons((dx, dy, far) => this.#nudge(dx, dy, far)),
    );
    this.dialog = h(
      "dialog",
      {
        class: "dialog looking",
        "aria-labelledby": title,
        on: {
          keydown: (event) => this.#key(event),
          cancel: (event) => {
            if (this.ruler === null) return;
            event.preventDefault();
            this.ruler.end();
          },
          close: () => {
            clearTimeout(this.speaking);
            this.ruler?.end();
          },
        },
      },
      h(
        "div",
        { class: "dialog__head" },
        h("h2", { id: title }, "Look closely"),
        button("Close", "Close (Esc)", () => this.close()),
      ),
      h(
        "div",
        { class: "dialog__body looking__body" },
        this.turn,
        h(
          "div",
          { class: "board-tools" },
          h(
            "div",
            { ...group, "aria-label": "Which shape" },
            iconButton("Previous shape (P)", icon("chevron-left") ?? "‹", () => this.#next(-1)),
            this.select,
            iconButton("Next shape (N)", icon("chevron-right") ?? "›", () => this.#next(1)),
          ),
          h("div", { ...group, "aria-label": "Where it lies" }, this.grounds),
        ),
        this.svg,
        this.verdict,
        this.spoken,
        h(
          "div",
          { class: "board-tools" },
          h(
            "div",
            { ...group, "aria-label": "Turn the shape" },
            this.entries[2].label,
            iconButton("Turn left by 15° (Shift R)", "↺", () => this.#turn(-15)),
            iconButton("Turn left by 1° (,)", "⟲", () => this.#turn(-1)),
            iconButton("Turn right by 1° (.)", "⟳", () => this.#turn(1)),
            iconButton("Turn right by 15° (R)", "↻", () => this.#turn(15)),
          ),
          this.moves,
          h(
            "div",
            { ...group, "aria-label": "Magnify and measure" },
            this.out,
            this.times,
            this.in,
            this.measure,
          ),
        ),
      ),
    );
  }

  #choices() {
    const { game, names } = this.seen();
    const owners = ownersOf(game);
    fill(
      this.select,
      game.pool.shapes.map(({ id }) => {
        const owner = owners.get(id);
        return h("option", { value: id }, owner === undefined ? id : `${id}, ${names[owner]}`);
      }),
    );
  }

  // -- what is done to it ---------------------------------------------------------------------------

  /** @param {string} shape */
  #take(shape) {
    this.shape = shape;
    this.update();
    this.#speak();
  }

  /** @param {number} by */
  #next(by) {
    const { shapes } = this.seen().game.pool;
    const at = shapes.findIndex(({ id }) => id === this.shape);
    this.#take(shapes[(at + by + shapes.length) % shapes.length].id);
  }

  /** @param {Domain.Colour | null} domain */
  #lay(domain) {
    this.ruler?.end();
    this.zoom = 0;
    this.#change({ domain });
  }

  /** @param {Partial<Spot>} change */
  #change(change) {
    const [width, height] = this.seen().game.pool.size;
    const { domain, x, y, angle } = { ...this.spot, ...change };
    this.spot = {
      domain,
      x: Math.min(Math.max(Math.round(x), 0), width),
      y: Math.min(Math.max(Math.round(y), 0), height),
      angle: ((Math.round(angle) % 360) + 360) % 360,
    };
    if (this.hand === null) this.middle = [this.spot.x, this.spot.y];
    this.#draw();
    this.#speak();
  }

  /**
   * @param {number} dx
   * @param {number} dy
   * @param {boolean} far
   */
  #nudge(dx, dy, far) {
    if (this.ruler?.move(dx, dy, far)) return;
    if (this.spot.domain === null) return;
    const step = far ? 10 : 1;
    this.#change({ x: this.spot.x + dx * step, y: this.spot.y + dy * step });
  }

  /** @param {number} by */
  #turn(by) {
    this.#change({ angle: this.spot.angle + by });
  }

  /**
   * @param {"x" | "y" | "angle"} name
   * @param {HTMLInputElement} input
   */
  #typed(name, input) {
    const value = Number(input.value);
    if (input.value === "" || !Number.isInteger(value)) this.#draw();
    else this.#change({ [name]: value });
  }

  /** @param {number} by */
  #magnify(by) {
    const zoom = Math.min(Math.max(this.zoom + by, 0), ZOOMS.length - 1);
    if (zoom === this.zoom) return;
    this.zoom = zoom;
    this.middle = this.spot.domain === null ? [0, 0] : [this.spot.x, this.spot.y];
    this.#draw();
    write(this.spoken, `Magnified ${ZOOMS[zoom]} times.`);
  }

  #toggleRuler() {
    if (this.ruler !== null) {
      this.ruler.end();
      return;
    }
    const { game } = this.seen();
    const [width, height] = game.pool.size;
    const reach = Math.ceil(this.#reach);
    const alone = this.spot.domain === null;
    this.ruler = new Ruler({
      sheets: [{ svg: this.svg, name: this.spot.domain ?? `shape ${this.shape}` }],
      box: alone ? [-reach, -reach, reach, reach] : [0, 0, width, height],
      say: (words) => write(this.spoken, words),
      ended: () => {
        this.ruler = null;
        this.measure.setAttribute("aria-pressed", "false");
      },
    });
    this.measure.setAttribute("aria-pressed", "true");
    this.svg.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const at = elementOf(event);
    if (event.altKey || event.ctrlKey || event.metaKey || at?.closest("input, select")) return;
    if (this.ruler?.key(event, at?.closest("button") ?? null) || this.#act(event)) {
      event.preventDefault();
    }
  }

  /** @param {KeyboardEvent} event */
  #act({ key, shiftKey }) {
    const arrow = ARROWS[key];
    if (arrow) {
      this.#nudge(...arrow, shiftKey);
      return true;
    }
    switch (key.toLowerCase()) {
      case "r":
        this.#turn(shiftKey ? -15 : 15);
        return true;
      case ".":
        this.#turn(1);
        return true;
      case ",":
        this.#turn(-1);
        return true;
      case "n":
        this.#next(1);
        return true;
      case "p":
        this.#next(-1);
        return true;
      case "d": {
        const all = [null, ...COLOURS];
        this.#lay(all[(all.indexOf(this.spot.domain) + 1) % all.length]);
        return true;
      }
      case "u":
        this.#toggleRuler();
        return true;
      case "+":
      case "=":
        this.#magnify(1);
        return true;
      case "-":
        this.#magnify(-1);
        return true;
      default:
        return false;
    }
  }

  #pointers() {
    const { svg } = this;
    /** @param {PointerEvent} event */
    const under = ({ clientX, clientY }) => {
      const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(
        svg.getScreenCTM()?.inverse(),
      );
      return /** @type {Domain.Point} */ ([x, y]);
    };
    svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || this.hand !== null || this.spot.domain === null) return;
      svg.setPointerCapture(event.pointerId);
      const { clientX: x, clientY: y, pointerId: pointer } = event;
      const [px, py] = under(event);
      const held = elementOf(event)?.closest(".domain-ghost");
      this.hand = {
        pointer,
        x,
        y,
        moved: false,
        grip: held ? [px - this.spot.x, py - this.spot.y] : null,
        middle: this.middle,
      };
    });
    svg.addEventListener("pointermove", (event) => {
      const { hand } = this;
      if (hand?.pointer !== event.pointerId) return;
      const [dx, dy] = [event.clientX - hand.x, event.clientY - hand.y];
      hand.moved ||= Math.hypot(dx, dy) >= STILL;
      if (!hand.moved) return;
      if (hand.grip !== null) {
        const [px, py] = under(event);
        this.#change({ x: px - hand.grip[0], y: py - hand.grip[1] });
      } else if (this.zoom > 0) {
        const unit = svg.viewBox.baseVal.width / Math.max(1, svg.clientWidth);
        this.middle = [hand.middle[0] - dx * unit, hand.middle[1] - dy * unit];
        this.#draw();
      }
    });
    /** @param {PointerEvent} event */
    const end = (event) => {
      const { hand } = this;
      if (hand?.pointer !== event.pointerId) return;
      this.hand = null;
      // While somebody measures, a tap is the ruler's.
      if (event.type !== "pointerup" || hand.moved || this.ruler !== null) return;
      const [x, y] = under(event);
      this.#change({ x: Math.floor(x), y: Math.floor(y) });
    };
    svg.addEventListener("pointerup", end);
    svg.addEventListener("pointercancel", end);
  }

  // -- what is seen ---------------------------------------------------------------------------------

  get #shape() {
    return shapeOf(this.seen().game, this.shape);
  }

  /** How far from its reference point the shape reaches, however it is turned. */
  get #reach() {
    const { outline } = this.#shape;
    return Math.max(...outline.map(([x, y]) => Math.hypot(x, y))) + 6;
  }

  /** @returns {Domain.Place | null} */
  get #place() {
    const { domain, x, y, angle } = this.spot;
    return domain === null ? null : { shape: this.shape, domain, x, y, angle };
  }

  #draw() {
    const { game, names, you } = this.seen();
    const place = this.#place;
    const shape = this.#shape;
    const { angle } = this.spot;
    const seat = ownersOf(game).get(this.shape) ?? you;
    const body = seat === null ? `url(#${this.id}-none)` : `url(#${this.id}-seat-${seat})`;
    this.select.value = this.shape;
    [null, ...COLOURS].forEach((domain, index) => {
      this.grounds[index].setAttribute("aria-pressed", String(domain === this.spot.domain));
    });
    this.moves.hidden = place === null && this.ruler === null;
    for (const { name, input } of this.entries) {
      if (document.activeElement !== input || input.value === "") {
        input.value = String(this.spot[name]);
      }
    }
    write(this.times, `${ZOOMS[this.zoom]}×`);
    this.out.disabled = this.zoom === 0;
    this.in.disabled = this.zoom === ZOOMS.length - 1;
    this.#window();
    fill(this.layers.ground, place === null ? null : ground(game, place.domain, this.id));
    fill(
      this.layers.shapes,
      place === null ? null : drawAllLying(game, place.domain, this.id, names),
    );
    const fault = this.#fault;
    const gap = place === null ? null : gapOf(game.pool, this.laid, place);
    fill(
      this.layers.ghost,
      s(
        "g",
        {
          class: `ghost ghost--${fault === null ? "legal" : "wrong"} domain-ghost`,
          transform: place === null ? null : `translate(${place.x} ${place.y})`,
        },
        shapeBody(shape, angle, this.id, body),
        this.zoom < PRECISE
          ? null
          : s("path", { class: "ghost__pixels", d: pixelPath(shape, angle) }),
        s("path", {
          class: "ghost__edge",
          d: ringPath([shape.outline, ...shape.holes], angle),
          "vector-effect": "non-scaling-stroke",
        }),
      ),
      fault === null
        ? null
        : s("path", {
            class: "domain-fault",
            d: fault.pixels.map(([x, y]) => `M${x} ${y}h1v1h-1z`).join(""),
          }),
      gap === null ? null : gapLine(gap),
    );
    this.ruler?.draw();
    const words = this.#words(gap);
    write(this.verdict, words);
    this.svg.setAttribute(
      "aria-label",
      place === null
        ? `Shape ${this.shape}. R turns it, N takes the next shape, D lays it on a domain.`
        : `Shape ${this.shape} on the ${place.domain} domain. Arrow keys move it, R turns it, D changes the domain.`,
    );
  }

  /** What a strict match would refuse; in others nobody is told. */
  get #fault() {
    const { game } = this.seen();
    const place = this.#place;
    return place === null || game.refereeing !== "strict"
      ? null
      : faultOf(game.pool, this.laid, place);
  }

  /** @param {Domain.Gap | null} gap */
  #words(gap) {
    const { game, names, you } = this.seen();
    const place = this.#place;
    const shape = this.#shape;
    const what = `${this.shape}: ${traits(shape).join(", ")}`;
    if (place === null) {
      const [width, height] = sizeOf(shape, this.spot.angle);
      return `${what}. ${width} px wide and ${height} px high, turned by ${this.spot.angle}°.`;
    }
    const seat = ownersOf(game).get(this.shape) ?? you ?? 0;
    this.paint ??= this.laid.reduce((all, turn) => all.lay(turn), new Paint(game.pool, game.red));
    const [first, second] = this.paint.preview({ ...place, seat });
    const counts = `${names[0]} ${number(first)}, ${names[1]} ${number(second)}`;
    const fault = this.#fault;
    const near = gap === null ? "" : ` ${gapWords(gap)}.`;
    if (fault !== null) return `It would not stand: it ${fault.words}.`;
    if (game.refereeing === "strict") return `It would stand.${near} ${counts}.`;
    return `Nobody checks placements in this match: judge by eye.${near} ${counts}.`;
  }

  #speak() {
    clearTimeout(this.speaking);
    this.speaking = setTimeout(() => {
      const place = this.#place;
      const where =
        place === null
          ? ""
          : `${this.shape} on ${place.domain} at ${place.x},${place.y}, turned by ${place.angle}°. `;
      write(this.spoken, `${where}${this.verdict.textContent ?? ""}`);
    }, SPEAK_AFTER);
  }

  #window() {
    const { game } = this.seen();
    const place = this.#place;
    const [width, height] = game.pool.size;
    const scale = ZOOMS[this.zoom];
    const reach = this.#reach;
    // By itself it has the room of a domain as well: nothing moves from one to the other.
    const whole =
      place === null
        ? [(-reach * width) / height, -reach, (2 * reach * width) / height, 2 * reach]
        : [-FRAME, -FRAME, width + 2 * FRAME, height + 2 * FRAME];
    const [left, top, wide, high] = whole;
    const [w, t] = [wide / scale, high / scale];
    const [x, y] = this.zoom === 0 ? [left + wide / 2, top + high / 2] : this.middle;
    const from = Math.min(Math.max(x - w / 2, left), left + wide - w);
    const down = Math.min(Math.max(y - t / 2, top), top + high - t);
    this.svg.setAttribute("viewBox", `${from} ${down} ${w} ${t}`);
    this.svg.classList.toggle("domain__svg--zoomed", this.zoom > 0);
  }
}
