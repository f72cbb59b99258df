// @ts-check
/* A pool of shapes by clicking: rings of whole pixels about a reference point, on a sheet of the size
   of a domain. What is wrong with a pool, and how many pixels a shape covers, the server says.

   Long, since it is one sheet: its tools, its list and its rings all change the shape that is drawn. */

import { fill, h, s } from "../../../../static/js/match/dom.js";

/** @typedef {[number, number]} Point */
/** @typedef {{id: string, outline: Point[], holes?: Point[][], voids?: Point[][], inner?: Point[], start?: boolean}} Shape */
/** @typedef {{name: string, version: string, size?: [number, number], shapes: Shape[]}} Pool */
/** @typedef {"points" | "rectangle" | "circle" | "freehand"} Tool */

const AT_MOST = 100; // shapes
const ZOOMS = [1, 2, 4, 8];
const CIRCLE = 40; // vertices
const NEAR = 9; // pixels of the screen within which a pointer means a vertex
const LOOSE = 1.5; // pixels by which a line drawn by hand may lie beside its polygon

/** @type {Record<string, Point | undefined>} */
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** @type {[Tool, string, string][]} */
const TOOLS = [
  ["points", "Points", "Click to set a corner; drag one to move it."],
  ["rectangle", "Rectangle", "Drag from corner to corner."],
  ["circle", "Circle", "Drag from the middle to the edge."],
  ["freehand", "Freehand", "Draw the outline in one go; it is made a polygon."],
];

/**
 * @param {HTMLElement} root
 * @param {Supplied.Api} api
 * @returns {Supplied.Editor}
 */
export function mount(root, api) {
  return new Editor(root, api);
}

/** @implements {Supplied.Editor} */
class Editor {
  /** @type {SVGSVGElement} */
  sheet;
  /** @type {HTMLElement} */
  where;
  /** @type {HTMLElement} */
  list;
  /** @type {HTMLSelectElement} */
  ringField;
  /** @type {Record<"name" | "version", HTMLInputElement>} */
  names;
  /** @type {HTMLElement[]} */
  tools;

  /**
   * @param {HTMLElement} root
   * @param {Supplied.Api} api
   */
  constructor(root, api) {
    this.api = api;
    /** @type {Pool} */
    this.pool = empty();
    this.chosen = 0;
    /** Which ring of the shape is drawn: "outline", "inner", or "holes 0", "voids 1".  */
    this.ring = "outline";
    /** @type {Tool} */
    this.tool = "points";
    /** Which vertex of the ring is taken, or -1. */
    this.taken = -1;
    /** @type {Point} */
    this.cursor = [0, 0];
    /** @type {Point | null} where a rectangle or circle began */
    this.from = null;
    /** @type {Point[]} what is being drawn by hand */
    this.line = [];
    this.zoom = 1;
    /** @type {Map<string, string>} */
    this.notes = new Map();
    this.faulty = false;
    this.#build(root);
  }

  // -- what the page says --------------------------------------------------------------------------

  /** @param {string} text */
  take(text) {
    if (!text.trim()) {
      this.pool = empty();
    } else {
      const found = poolOf(text);
      this.faulty = found === null;
      if (found === null) {
        this.draw();
        return;
      }
      this.pool = found;
    }
    this.chosen = Math.min(this.chosen, Math.max(0, this.pool.shapes.length - 1));
    if (this.rings().every(([name]) => name !== this.ring)) this.ring = "outline";
    this.taken = -1;
    this.draw();
  }

  /** @param {Supplied.Report} found */
  report({ parts }) {
    this.notes = new Map(parts.map((part) => [part.name, part.note]));
    this.drawList();
    this.drawWhere();
  }

  // -- what there is -------------------------------------------------------------------------------

  get size() {
    return this.pool.size ?? [480, 360];
  }

  /** @returns {Shape | undefined} */
  get shape() {
    return this.pool.shapes[this.chosen];
  }

  /** The rings of the chosen shape by their names. @returns {[string, string][]} */
  rings() {
    const shape = this.shape;
    if (shape === undefined) return [];
    return [
      ["outline", "Outline"],
      ...(shape.holes ?? []).map(
        (_, n) => /** @type {[string, string]} */ ([`holes ${n}`, `Hole ${n + 1}`]),
      ),
      ...(shape.voids ?? []).map(
        (_, n) => /** @type {[string, string]} */ ([`voids ${n}`, `Void zone ${n + 1}`]),
      ),
      ...(shape.inner
        ? [/** @type {[string, string]} */ (["inner", "Inner line of the border"])]
        : []),
    ];
  }

  /** The vertices of the ring that is drawn. */
  get points() {
    const shape = this.shape;
    return shape === undefined ? [] : (ringOf(shape, this.ring) ?? []);
  }

  /** @param {Point[]} points */
  setPoints(points) {
    const shape = this.shape ?? this.#added({ id: this.#free(), outline: [] });
    setRing(shape, this.ring, points);
  }

  /** Everything is as it is to be: write it down and draw it. */
  changed() {
    this.api.change(textOf(this.pool));
    this.faulty = false;
    this.draw();
  }

  #free() {
    const known = new Set(this.pool.shapes.map(({ id }) => id));
    for (let n = 1; n < AT_MOST; n += 1) {
      const id = String(n).padStart(2, "0");
      if (!known.has(id)) return id;
    }
    return "99";
  }

  /** @param {Shape} shape */
  #added(shape) {
    if (this.pool.shapes.length === 0) shape.start = true;
    this.pool.shapes.push(shape);
    this.chosen = this.pool.shapes.length - 1;
    this.ring = "outline";
    this.taken = -1;
    return shape;
  }

  /** @param {Shape} shape */
  add(shape) {
    if (this.pool.shapes.length >= AT_MOST) {
      this.api.refuse(`A pool has at most ${AT_MOST} shapes.`);
      return;
    }
    this.#added(shape);
    this.changed();
  }

  // -- what is done to a shape ---------------------------------------------------------------------

  /** @param {(point: Point) => Point} move */
  map(move) {
    const shape = this.shape;
    if (shape === undefined) return;
    for (const [name] of this.rings()) {
      setRing(shape, name, (ringOf(shape, name) ?? []).map(move));
    }
    this.changed();
  }

  /** @param {number} degrees */
  turn(degrees) {
    const angle = (degrees * Math.PI) / 180;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    this.map(([x, y]) => [Math.round(x * cos - y * sin), Math.round(x * sin + y * cos)]);
  }

  /** The reference point is the middle of the outline. */
  centre() {
    const shape = this.shape;
    if (shape === undefined || shape.outline.length === 0) return;
    const [x, y] = middle(shape.outline);
    this.map(([px, py]) => [px - x, py - y]);
  }

  duplicate() {
    const shape = this.shape;
    if (shape === undefined) return;
    const copy = /** @type {Shape} */ (structuredClone(shape));
    delete copy.start;
    copy.id = this.#free();
    this.add(copy);
  }

  remove() {
    if (this.shape === undefined) return;
    const [gone] = this.pool.shapes.splice(this.chosen, 1);
    if (gone.start && this.pool.shapes.length > 0) this.pool.shapes[0].start = true;
    this.chosen = Math.max(0, this.chosen - 1);
    this.ring = "outline";
    this.changed();
  }

  start() {
    for (const shape of this.pool.shapes) delete shape.start;
    if (this.shape !== undefined) this.shape.start = true;
    this.changed();
  }

  /** @param {"holes" | "voids" | "inner"} kind */
  addRing(kind) {
    const shape = this.shape;
    if (shape === undefined) return;
    if (kind === "inner") {
      shape.inner ??= [];
      this.ring = "inner";
    } else {
      const rings = (shape[kind] ??= []);
      rings.push([]);
      this.ring = `${kind} ${rings.length - 1}`;
    }
    this.taken = -1;
    this.draw();
    this.api.announce("Now draw its ring.");
  }

  removeRing() {
    const shape = this.shape;
    if (shape === undefined) return;
    const [kind, number] = this.ring.split(" ");
    if (kind === "outline") shape.outline = [];
    else if (kind === "inner") delete shape.inner;
    else if (kind === "holes") shape.holes?.splice(Number(number), 1);
    else shape.voids?.splice(Number(number), 1);
    this.ring = "outline";
    this.taken = -1;
    this.changed();
  }

  // -- drawing by pointer and by keys --------------------------------------------------------------

  /**
   * A point is named: by a click, or by Enter at the cursor.
   * @param {Point} point
   */
  press(point) {
    if (this.tool === "points") {
      const points = [...this.points];
      const at = this.taken < 0 ? points.length : this.taken + 1;
      points.splice(at, 0, point);
      this.taken = at;
      this.setPoints(points);
      this.changed();
    } else if (this.from === null) {
      this.from = point;
      this.draw();
    } else {
      this.close(point);
    }
  }

  /** @param {Point} to */
  close(to) {
    const from = this.from;
    this.from = null;
    if (from === null) return;
    const ring = this.tool === "circle" ? circle(from, to) : rectangle(from, to);
    if (ring === null) {
      this.draw();
      return;
    }
    this.setPoints(ring);
    this.taken = -1;
    this.changed();
  }

  /** The line that was drawn by hand becomes the ring. */
  closeLine() {
    const ring = simplified(this.line);
    this.line = [];
    if (ring.length < 3) {
      this.draw();
      return;
    }
    this.setPoints(ring);
    this.taken = -1;
    this.changed();
  }

  deletePoint() {
    const points = [...this.points];
    if (points.length === 0) return;
    const at = this.taken < 0 ? points.length - 1 : this.taken;
    points.splice(at, 1);
    this.taken = Math.min(at, points.length) - 1;
    this.setPoints(points);
    this.changed();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey) return;
    const step = STEPS[event.key];
    const by = event.shiftKey ? 1 : event.altKey ? 50 : 10;
    if (step !== undefined) {
      this.#moveCursor(step, by);
    } else if (event.key === "Enter" || event.key === " ") {
      if (this.tool === "freehand") this.api.refuse("By keyboard, draw with Points.");
      else this.press([...this.cursor]);
    } else if (event.key === "Delete" || event.key === "Backspace") {
      this.deletePoint();
    } else if (event.key.toLowerCase() === "n" && this.points.length > 0) {
      this.taken = (this.taken + 1) % this.points.length;
      this.cursor = [...this.points[this.taken]];
      this.draw();
      this.#sayPlace(`Corner ${this.taken + 1} of ${this.points.length}`);
    } else if (event.key.toLowerCase() === "m" && this.taken >= 0) {
      const points = [...this.points];
      points[this.taken] = [...this.cursor];
      this.setPoints(points);
      this.changed();
    } else if (event.key === "Escape" && (this.from !== null || this.taken >= 0)) {
      this.from = null;
      this.taken = -1;
      this.draw();
    } else {
      return;
    }
    event.preventDefault();
  }

  /**
   * @param {Point} step
   * @param {number} by
   */
  #moveCursor([dx, dy], by) {
    const [width, height] = this.size;
    this.cursor = [
      Math.max(-width, Math.min(width, this.cursor[0] + dx * by)),
      Math.max(-height, Math.min(height, this.cursor[1] + dy * by)),
    ];
    this.draw();
    this.#sayPlace("");
  }

  /** @param {string} what */
  #sayPlace(what) {
    const place = `${this.cursor[0]}, ${this.cursor[1]}`;
    this.api.announce(what ? `${what}: ${place}` : place);
  }

  /**
   * @param {PointerEvent} event
   * @returns {Point}
   */
  #under({ clientX, clientY }) {
    const box = this.sheet.getBoundingClientRect();
    const view = this.sheet.viewBox.baseVal;
    const scale = view.width / box.width;
    return [
      Math.round(view.x + (clientX - box.left) * scale),
      Math.round(view.y + (clientY - box.top) * scale),
    ];
  }

  /** @param {Point} point */
  #nearest([x, y]) {
    const box = this.sheet.getBoundingClientRect();
    const within = NEAR * (this.sheet.viewBox.baseVal.width / box.width);
    let [best, at] = [within, -1];
    this.points.forEach(([px, py], n) => {
      const away = Math.hypot(px - x, py - y);
      if (away <= best) [best, at] = [away, n];
    });
    return at;
  }

  #listen() {
    let dragging = false;
    this.sheet.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      this.sheet.focus({ preventScroll: true });
      this.sheet.setPointerCapture(event.pointerId);
      const point = this.#under(event);
      this.cursor = point;
      dragging = true;
      if (this.tool === "freehand") {
        this.line = [point];
      } else if (this.tool === "points") {
        const near = this.#nearest(point);
        if (near >= 0) {
          this.taken = near;
          this.draw();
        } else {
          this.press(point);
        }
      } else if (this.from === null) {
        this.from = point;
      }
    });
    this.sheet.addEventListener("pointermove", (event) => {
      if (!dragging) return;
      const point = this.#under(event);
      this.cursor = point;
      if (this.tool === "freehand") {
        this.line.push(point);
      } else if (this.tool === "points" && this.taken >= 0) {
        const points = [...this.points];
        points[this.taken] = point;
        this.setPoints(points);
      }
      this.drawSheet();
    });
    const end = () => {
      if (!dragging) return;
      dragging = false;
      if (this.tool === "freehand") this.closeLine();
      else if (this.tool === "points") this.changed();
      else if (this.from !== null && distance(this.from, this.cursor) > 2) this.close(this.cursor);
    };
    this.sheet.addEventListener("pointerup", end);
    this.sheet.addEventListener("pointercancel", end);
    this.sheet.addEventListener("keydown", (event) => this.key(event));
  }

  // -- the elements --------------------------------------------------------------------------------

  /** @param {HTMLElement} root */
  #build(root) {
    this.sheet = s("svg", {
      class: "sheet",
      role: "application",
      tabindex: "0",
      "aria-label": "Sheet",
      "aria-describedby": "sheet-keys",
    });
    this.where = h("p", { class: "small muted sheet__where", "aria-hidden": "true" });
    this.list = h("ul", { class: "shapes", "aria-label": "Shapes of the pool" });
    this.ringField = h("select", {
      class: "input",
      id: "sheet-ring",
      on: {
        change: () => {
          this.ring = this.ringField.value;
          this.taken = -1;
          this.draw();
        },
      },
    });
    this.names = { name: this.#nameField("name"), version: this.#nameField("version") };
    const tools = TOOLS.map(([tool, label, title]) =>
      this.#button(
        label,
        () => {
          this.tool = tool;
          this.from = null;
          this.draw();
          this.api.announce(title);
        },
        { title, "aria-pressed": "false", data: { tool } },
      ),
    );
    this.tools = tools;
    const file = h("input", {
      class: "input",
      id: "sheet-svg",
      type: "file",
      accept: ".svg,image/svg+xml",
      on: { change: () => void this.#import(file) },
    });
    fill(
      root,
      h(
        "div",
        { class: "pool-editor" },
        h(
          "div",
          { class: "pool-editor__draw" },
          h("div", { class: "button-row", role: "group", "aria-label": "Tools" }, ...tools),
          this.sheet,
          this.where,
          h(
            "div",
            { class: "button-row" },
            this.#button("Zoom in", () => this.#zoom(1)),
            this.#button("Zoom out", () => this.#zoom(-1)),
            this.#button("Delete corner", () => this.deletePoint()),
            this.#button("Centre", () => this.centre()),
          ),
          h(
            "p",
            { class: "small muted", id: "sheet-keys" },
            "With the keyboard: arrow keys move the cursor by 10 pixels, with Shift by 1, with Alt by 50; Enter sets a corner, N takes the next one, M moves it to the cursor, Delete takes it away.",
          ),
        ),
        h(
          "div",
          { class: "pool-editor__side" },
          h(
            "div",
            { class: "button-row" },
            this.#button("New shape", () => this.add({ id: this.#free(), outline: [] }), {
              class: "button button--small button--primary",
            }),
            this.#button("Duplicate", () => this.duplicate()),
            this.#button("Turn by 90°", () => this.turn(90)),
            this.#button("Turn by 15°", () => this.turn(15)),
            this.#button("Mirror", () => this.map(([x, y]) => [-x, y])),
            this.#button("Make it Start", () => this.start()),
            this.#button("Delete shape", () => this.remove()),
          ),
          h(
            "div",
            { class: "field" },
            h("label", { for: "sheet-ring" }, "What is drawn"),
            this.ringField,
          ),
          h(
            "div",
            { class: "button-row" },
            this.#button("Add a hole", () => this.addRing("holes")),
            this.#button("Add a void zone", () => this.addRing("voids")),
            this.#button("Add a purple border", () => this.addRing("inner")),
            this.#button("Clear this ring", () => this.removeRing()),
          ),
          this.list,
          h(
            "div",
            { class: "field" },
            h("label", { for: "sheet-svg" }, "Add shapes from an SVG file"),
            file,
            h(
              "p",
              { class: "field__help" },
              "Paths, polygons, rectangles, circles and ellipses; one unit is one pixel.",
            ),
          ),
          h(
            "div",
            { class: "grid grid--small" },
            h(
              "div",
              { class: "field" },
              h("label", { for: "pool-name" }, "Name of the pool"),
              this.names.name,
            ),
            h(
              "div",
              { class: "field" },
              h("label", { for: "pool-version" }, "Version"),
              this.names.version,
            ),
          ),
        ),
      ),
    );
    this.#listen();
    this.draw();
  }

  /**
   * @param {string} label
   * @param {() => void} click
   * @param {Dom.Attributes} [more]
   */
  #button(label, click, more = {}) {
    return h(
      "button",
      { class: "button button--small", type: "button", on: { click }, ...more },
      label,
    );
  }

  /** @param {"name" | "version"} key */
  #nameField(key) {
    const input = h("input", {
      class: "input",
      id: `pool-${key}`,
      maxlength: "80",
      on: {
        change: () => {
          this.pool[key] = input.value;
          this.changed();
        },
      },
    });
    return input;
  }

  /** @param {number} by */
  #zoom(by) {
    const at = ZOOMS.indexOf(this.zoom) + by;
    this.zoom = ZOOMS[Math.max(0, Math.min(ZOOMS.length - 1, at))];
    this.draw();
    this.api.announce(`${this.zoom} times as large`);
  }

  /** @param {HTMLInputElement} file */
  async #import(file) {
    const [chosen] = file.files ?? [];
    if (chosen === undefined) return;
    const found = await this.api.outlines(chosen);
    // The same file may be chosen again.
    Object.assign(file, { value: "" });
    if (found === null) return;
    const room = AT_MOST - this.pool.shapes.length;
    for (const { outline, holes } of found.slice(0, room)) {
      const [x, y] = middle(outline);
      /** @param {Point[]} ring @returns {Point[]} */
      const about = (ring) => ring.map(([px, py]) => [px - x, py - y]);
      const shape = this.#added({ id: this.#free(), outline: about(outline) });
      if (holes.length > 0) shape.holes = holes.map(about);
    }
    this.changed();
    const count = Math.min(found.length, room);
    this.api.announce(count === 1 ? "One shape added." : `${count} shapes added.`);
  }

  draw() {
    for (const tool of this.tools) {
      tool.setAttribute("aria-pressed", String(tool.dataset.tool === this.tool));
    }
    const rings = this.rings();
    fill(
      this.ringField,
      ...rings.map(([value, label]) =>
        h("option", { value, selected: value === this.ring }, label),
      ),
    );
    for (const key of /** @type {const} */ (["name", "version"])) {
      if (document.activeElement !== this.names[key]) this.names[key].value = this.pool[key] ?? "";
    }
    this.drawSheet();
    this.drawList();
  }

  drawSheet() {
    const [width, height] = this.size;
    const [w, t] = [width / this.zoom, height / this.zoom];
    const [cx, cy] = this.zoom === 1 ? [0, 0] : this.cursor;
    this.sheet.setAttribute("viewBox", `${cx - w / 2} ${cy - t / 2} ${w} ${t}`);
    const unit = 1 / this.zoom;
    const step = this.zoom >= 4 ? 10 : 20;
    const lines = [];
    for (let x = -Math.floor(width / step) * step; x <= width; x += step) {
      lines.push(`M${x} ${-height}V${height}`);
    }
    for (let y = -Math.floor(height / step) * step; y <= height; y += step) {
      lines.push(`M${-width} ${y}H${width}`);
    }
    const shape = this.shape;
    const points = this.points;
    const preview =
      this.from === null
        ? this.line
        : ((this.tool === "circle" ? circle : rectangle)(this.from, this.cursor) ?? []);
    const [x, y] = this.cursor;
    fill(
      this.sheet,
      s("title", {}, this.#titleOf(shape)),
      s("path", { class: "sheet__grid", d: lines.join(""), "stroke-width": unit * 0.6 }),
      s("path", {
        class: "sheet__axes",
        d: `M${-width} 0H${width}M0 ${-height}V${height}`,
        "stroke-width": unit,
      }),
      shape && drawn(shape, unit),
      points.length > 0 &&
        s("path", { class: "sheet__ring", d: pathOf([points]), "stroke-width": 2 * unit }),
      preview.length > 1 &&
        s("path", { class: "sheet__preview", d: pathOf([preview]), "stroke-width": 2 * unit }),
      ...points.map(([px, py], n) =>
        s("circle", {
          class: n === this.taken ? "sheet__corner sheet__corner--taken" : "sheet__corner",
          cx: px,
          cy: py,
          r: (n === this.taken ? 6 : 4) * unit,
          "stroke-width": unit,
        }),
      ),
      s("path", {
        class: "sheet__cursor",
        d: `M${x - 8 * unit} ${y}h${16 * unit}M${x} ${y - 8 * unit}v${16 * unit}`,
        "stroke-width": 1.5 * unit,
      }),
    );
    this.drawWhere();
  }

  drawWhere() {
    const shape = this.shape;
    const [x, y] = this.cursor;
    const count = this.points.length;
    const note = shape === undefined ? "" : this.notes.get(shape.id);
    this.where.textContent = this.faulty
      ? "The text below is no pool that can be drawn. What is drawn here takes its place once you change it."
      : `${x}, ${y}${shape ? ` · shape ${shape.id}, ${count} corners` : ""}${note ? ` · ${note} of a domain` : ""}`;
  }

  /** @param {Shape | undefined} shape */
  #titleOf(shape) {
    return shape === undefined ? "No shape yet" : `Shape ${shape.id}`;
  }

  drawList() {
    const held = document.activeElement?.getAttribute("data-shape");
    fill(
      this.list,
      ...this.pool.shapes.map((shape, n) => {
        const note = this.notes.get(shape.id);
        return h(
          "li",
          {},
          h(
            "button",
            {
              class: "shapes__one",
              type: "button",
              "aria-pressed": String(n === this.chosen),
              data: { shape: shape.id },
              on: {
                click: () => {
                  this.chosen = n;
                  this.ring = "outline";
                  this.taken = -1;
                  this.draw();
                },
              },
            },
            thumbnail(shape),
            h("span", { class: "shapes__id" }, shape.start ? `${shape.id} Start` : shape.id),
            h("span", { class: "shapes__note small muted" }, note ?? ""),
          ),
        );
      }),
    );
    if (held) {
      for (const button of this.list.querySelectorAll("button")) {
        if (button.dataset.shape === held) button.focus({ preventScroll: true });
      }
    }
  }
}

// -- pools and rings --------------------------------------------------------------------------------

/** @returns {Pool} */
function empty() {
  return { name: "my-pool", version: "1", size: [480, 360], shapes: [] };
}

/**
 * What can be drawn of a text; null where it is no pool. Whether it is sound the server says.
 * @param {string} text
 * @returns {Pool | null}
 */
function poolOf(text) {
  /** @type {Partial<Pool> | null} */
  let data;
  try {
    data = /** @type {Partial<Pool> | null} */ (JSON.parse(text));
  } catch {
    return null;
  }
  if (typeof data !== "object" || data === null || !Array.isArray(data.shapes)) return null;
  const whole = data.shapes.every(
    (/** @type {Partial<Shape> | null} */ each) =>
      typeof each?.id === "string" &&
      [each.outline, ...listed(each.holes), ...listed(each.voids), each.inner ?? []].every(isRing),
  );
  return whole ? /** @type {Pool} */ (data) : null;
}

/**
 * @param {unknown} rings
 * @returns {unknown[]}
 */
function listed(rings) {
  return Array.isArray(rings) ? rings : [];
}

/** @param {unknown} ring */
function isRing(ring) {
  return (
    Array.isArray(ring) &&
    ring.every(
      (/** @type {unknown} */ point) =>
        Array.isArray(point) && point.length === 2 && point.every((each) => Number.isFinite(each)),
    )
  );
}

/**
 * A shape on each line, as one would write it. Rings without a corner yet are left out of it.
 * @param {Pool} pool
 */
function textOf({ shapes, ...rest }) {
  const lines = shapes.map((shape) => {
    const { holes, voids, inner, ...kept } = shape;
    /** @param {Point[]} ring */
    const begun = (ring) => ring.length > 0;
    return `    ${JSON.stringify({
      ...kept,
      ...(holes?.some(begun) && { holes: holes.filter(begun) }),
      ...(voids?.some(begun) && { voids: voids.filter(begun) }),
      ...(inner && begun(inner) && { inner }),
    })}`;
  });
  const head = Object.entries(rest).map(
    ([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)},\n`,
  );
  return `{\n${head.join("")}  "shapes": [\n${lines.join(",\n")}\n  ]\n}\n`;
}

/**
 * @param {Shape} shape
 * @param {string} name
 * @returns {Point[] | undefined}
 */
function ringOf(shape, name) {
  const [kind, number] = name.split(" ");
  if (kind === "holes") return shape.holes?.[Number(number)];
  if (kind === "voids") return shape.voids?.[Number(number)];
  return kind === "inner" ? shape.inner : shape.outline;
}

/**
 * @param {Shape} shape
 * @param {string} name
 * @param {Point[]} ring
 */
function setRing(shape, name, ring) {
  const [kind, number] = name.split(" ");
  if (kind === "holes" && shape.holes) shape.holes[Number(number)] = ring;
  else if (kind === "voids" && shape.voids) shape.voids[Number(number)] = ring;
  else if (kind === "inner") shape.inner = ring;
  else if (kind === "outline") shape.outline = ring;
}

/** @param {Point[][]} rings */
function pathOf(rings) {
  return rings
    .filter((ring) => ring.length > 0)
    .map((ring) => `M${ring.map(([x, y]) => `${x} ${y}`).join("L")}Z`)
    .join("");
}

/**
 * @param {Shape} shape
 * @param {number} unit
 */
function drawn(shape, unit) {
  return s(
    "g",
    {},
    s("path", {
      class: "sheet__shape",
      d: pathOf([shape.outline, ...(shape.holes ?? [])]),
      "fill-rule": "evenodd",
      "stroke-width": unit,
    }),
    shape.inner &&
      s("path", { class: "sheet__inner", d: pathOf([shape.inner]), "stroke-width": 2 * unit }),
    s("path", { class: "sheet__void", d: pathOf(shape.voids ?? []), "stroke-width": unit }),
  );
}

/** @param {Shape} shape */
function thumbnail(shape) {
  const [left, top, right, bottom] = boxOf(shape.outline);
  const side = Math.max(40, right - left, bottom - top) + 8;
  const [x, y] = [(left + right - side) / 2, (top + bottom - side) / 2];
  return s(
    "svg",
    { class: "shapes__picture", viewBox: `${x} ${y} ${side} ${side}`, "aria-hidden": "true" },
    drawn(shape, side / 50),
  );
}

/** @param {Point[]} ring @returns {[number, number, number, number]} */
function boxOf(ring) {
  if (ring.length === 0) return [0, 0, 0, 0];
  const [xs, ys] = [ring.map(([x]) => x), ring.map(([, y]) => y)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/** @param {Point[]} ring @returns {Point} */
function middle(ring) {
  const [left, top, right, bottom] = boxOf(ring);
  return [Math.round((left + right) / 2), Math.round((top + bottom) / 2)];
}

/** @param {Point} a @param {Point} b */
function distance(a, b) {
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}

/** @param {Point} from @param {Point} to @returns {Point[] | null} */
function rectangle([ax, ay], [bx, by]) {
  if (ax === bx || ay === by) return null;
  const [left, right] = [Math.min(ax, bx), Math.max(ax, bx)];
  const [top, bottom] = [Math.min(ay, by), Math.max(ay, by)];
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
}

/** @param {Point} from @param {Point} to @returns {Point[] | null} */
function circle(from, to) {
  const radius = distance(from, to);
  if (radius < 3) return null;
  /** @type {Point[]} */
  const ring = [];
  for (let n = 0; n < CIRCLE; n += 1) {
    const angle = (2 * Math.PI * n) / CIRCLE;
    /** @type {Point} */
    const point = [
      Math.round(from[0] + radius * Math.cos(angle)),
      Math.round(from[1] + radius * Math.sin(angle)),
    ];
    const last = ring.at(-1);
    if (last === undefined || distance(last, point) > 0) ring.push(point);
  }
  return ring;
}

/**
 * A line with what is straight left out (Ramer, Douglas and Peucker).
 * @param {Point[]} line
 * @returns {Point[]}
 */
function simplified(line) {
  if (line.length < 3) return line;
  const [first, last] = [line[0], line[line.length - 1]];
  let [best, at] = [LOOSE, -1];
  for (let n = 1; n < line.length - 1; n += 1) {
    const away = beside(line[n], first, last);
    if (away > best) [best, at] = [away, n];
  }
  if (at < 0) return distance(first, last) < 1 ? [first] : [first, last];
  return [...simplified(line.slice(0, at + 1)).slice(0, -1), ...simplified(line.slice(at))];
}

/** @param {Point} point @param {Point} a @param {Point} b */
function beside(point, a, b) {
  const length = distance(a, b);
  if (length === 0) return distance(point, a);
  return Math.abs((b[0] - a[0]) * (a[1] - point[1]) - (a[0] - point[0]) * (b[1] - a[1])) / length;
}
