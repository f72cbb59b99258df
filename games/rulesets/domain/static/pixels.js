// @ts-check
/* Which pixels a turned shape covers, by the rules' own arithmetic: whole numbers of 1/256 pixel,
   edges half open, even-odd. Pure. The referee's count is the server's; this one is for previews,
   and tests hold the two together. Below that: what a position is made of, and how it is drawn, for
   the board and for what is beside it.

   Long, since each module more is a request more before somebody can move. */

import { h, s } from "../../../../static/js/match/dom.js";
import { given, pattern, seatPatterns } from "../../../../static/js/boards/kit.js";

const SUB = 256;
const HALF = SUB / 2;

/**
 * A vertex in whole pixels, turned clockwise about (0, 0), in whole 1/256 pixels.
 * @param {Domain.Point} vertex
 * @param {number} degrees
 * @returns {Domain.Point}
 */
export function turned([x, y], degrees) {
  const angle = (degrees * Math.PI) / 180;
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  return [Math.floor(SUB * (x * cos - y * sin) + 0.5), Math.floor(SUB * (x * sin + y * cos) + 0.5)];
}

/**
 * By row: the columns from which on an edge of the turned rings counts.
 * @param {Domain.Ring[]} rings
 * @param {number} degrees
 */
function crossings(rings, degrees) {
  /** @type {Map<number, number[]>} */
  const rows = new Map();
  for (const ring of rings) {
    const corners = ring.map((vertex) => turned(vertex, degrees));
    corners.forEach((two, index) => {
      let [x1, y1] = corners[(index || corners.length) - 1];
      let [x2, y2] = two;
      if (y1 > y2) [x1, y1, x2, y2] = [x2, y2, x1, y1];
      const last = Math.ceil((y2 - HALF) / SUB);
      for (let row = Math.ceil((y1 - HALF) / SUB); row < last; row += 1) {
        const reach = ceilDiv((x2 - x1) * (row * SUB + HALF - y1), y2 - y1);
        const column = Math.ceil((x1 + reach - HALF) / SUB);
        const columns = rows.get(row);
        if (columns === undefined) rows.set(row, [column]);
        else columns.push(column);
      }
    });
  }
  return rows;
}

/**
 * Exact for whole numbers below 2^53, which a quotient rounded by the processor alone is not.
 * @param {number} a
 * @param {number} b
 */
function ceilDiv(a, b) {
  const rest = a % b;
  return (a - rest) / b + (rest > 0 ? 1 : 0);
}

/**
 * The rows of one set of rings as a picture, window [left, top, width, height].
 * @param {Domain.Ring[]} rings
 * @param {number} degrees
 * @param {number[]} window
 */
function inside(rings, degrees, [left, top, width, height]) {
  const grid = new Uint8Array(width * height);
  for (const [row, columns] of crossings(rings, degrees)) {
    if (row < top || row >= top + height) continue;
    columns.sort((a, b) => a - b);
    for (let pair = 0; pair + 1 < columns.length; pair += 2) {
      const start = Math.min(Math.max(columns[pair] - left, 0), width);
      const end = Math.min(Math.max(columns[pair + 1] - left, 0), width);
      grid.fill(1, (row - top) * width + start, (row - top) * width + end);
    }
  }
  return grid;
}

const KEPT = 600; // rasters; a turn rarely needs more than its own shape at many angles
/**
 * The pixels that a turned shape covers, in a window about its reference point; a byte a pixel.
 * @typedef {{left: number, top: number, width: number, height: number, cells: Uint8Array}} Raster
 */

/** @type {Map<string, Raster>} */
const rasters = new Map();

export const VOID = 2;
export const PURPLE = 4;

/**
 * A shape at an angle: `{left, top, width, height, cells}`, a byte a pixel: 0, or 1 for covered, with
 * VOID and PURPLE added. The window is that of the whole shape, about the reference point.
 * @param {Domain.Shape} shape
 * @param {number} degrees
 * @returns {Raster}
 */
export function raster(shape, degrees) {
  const name = `${degrees}|${shape.id}|${JSON.stringify(shape.outline)}`;
  const known = rasters.get(name);
  if (known !== undefined) return known;
  const corners = [shape.outline, ...shape.holes].flat().map((vertex) => turned(vertex, degrees));
  const xs = corners.map(([x]) => Math.floor(x / SUB));
  const ys = corners.map(([, y]) => Math.floor(y / SUB));
  const left = Math.min(...xs);
  const top = Math.min(...ys);
  const width = Math.max(...xs) - left + 1;
  const height = Math.max(...ys) - top + 1;
  const window = [left, top, width, height];
  // Even-odd over the outline and the holes together.
  const cells = inside([shape.outline, ...shape.holes], degrees, window);
  const voids = shape.voids.map((ring) => inside([ring], degrees, window));
  const inner = shape.inner ? inside([shape.inner], degrees, window) : null;
  for (let at = 0; at < cells.length; at += 1) {
    if (cells[at] === 0) continue;
    if (voids.some((zone) => zone[at])) cells[at] |= VOID;
    if (inner !== null && !inner[at]) cells[at] |= PURPLE;
  }
  const made = { left, top, width, height, cells };
  if (rasters.size >= KEPT) {
    const [oldest] = rasters.keys();
    rasters.delete(oldest);
  }
  rasters.set(name, made);
  return made;
}

/**
 * Call `each(x, y, cell)` for every pixel that a lying shape covers, outside the domain as well.
 * @param {Domain.Shape} shape
 * @param {Domain.Place} place
 * @param {(x: number, y: number, cell: number) => void} each
 */
export function eachPixel(shape, { x, y, angle }, each) {
  const { left, top, width, height, cells } = raster(shape, angle);
  for (let row = 0, at = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1, at += 1) {
      if (cells[at] !== 0) each(x + left + column, y + top + row, cells[at]);
    }
  }
}

export const NOBODY = 2;

/** Both domains as they are painted: `{red, blue}` of a byte a pixel, 0, 1 or NOBODY, and the counts
 *  by seat. `laid` are `{seat, shape, domain, x, y, angle}` from below to above. */
export class Paint {
  /**
   * @param {Pick<Domain.Pool, "size" | "shapes">} pool
   * @param {Seat} red
   */
  constructor({ size: [width, height], shapes }, red) {
    this.width = width;
    this.height = height;
    this.shapes = new Map(shapes.map((shape) => [shape.id, shape]));
    this.fields = {
      red: new Uint8Array(width * height).fill(red),
      blue: new Uint8Array(width * height).fill(1 - red),
    };
    this.counts = [width * height, width * height, 0];
  }

  /** @param {Domain.Laid} laid */
  #shape({ shape }) {
    return /** @type {Domain.Shape} */ (this.shapes.get(shape));
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  #contains(x, y) {
    return x >= 0 && y >= 0 && x < this.width && y < this.height;
  }

  /**
   * Lay a shape on top.
   * @param {Domain.Laid} laid
   */
  lay(laid) {
    const field = this.fields[laid.domain];
    eachPixel(this.#shape(laid), laid, (x, y, cell) => {
      if (!this.#contains(x, y)) return;
      const at = y * this.width + x;
      const owner = cell > 1 ? NOBODY : laid.seat;
      this.counts[field[at]] -= 1;
      this.counts[owner] += 1;
      field[at] = owner;
    });
    return this;
  }

  /**
   * The counts by seat if this shape were laid on top.
   * @param {Domain.Laid} laid
   */
  preview(laid) {
    const field = this.fields[laid.domain];
    const counts = [...this.counts];
    eachPixel(this.#shape(laid), laid, (x, y, cell) => {
      if (!this.#contains(x, y)) return;
      counts[field[y * this.width + x]] -= 1;
      counts[cell > 1 ? NOBODY : laid.seat] += 1;
    });
    return counts.slice(0, 2);
  }
}

/**
 * @param {Domain.Shape[]} shapes
 * @param {Domain.Place} place
 */
function shapeIn(shapes, { shape }) {
  return /** @type {Domain.Shape} */ (shapes.find(({ id }) => id === shape));
}

/**
 * What the zones of lying shapes forbid on a domain, a byte a pixel: VOID where a void zone may not be
 * covered, PURPLE on a purple border and right beside one.
 * @param {Pick<Domain.Pool, "size" | "shapes">} pool
 * @param {Domain.Place[]} laid
 * @param {Domain.Colour} domain
 */
export function zonesOf({ size: [width, height], shapes }, laid, domain) {
  const zones = new Uint8Array(width * height);
  for (const each of laid) {
    const shape = shapeIn(shapes, each);
    if (each.domain !== domain || (shape.voids.length === 0 && !shape.inner)) continue;
    eachPixel(shape, each, (x, y, cell) => {
      if (cell & VOID && x >= 0 && y >= 0 && x < width && y < height) zones[y * width + x] |= VOID;
      if (!(cell & PURPLE)) return;
      for (const [nx, ny] of [
        [x, y],
        [x + 1, y],
        [x - 1, y],
        [x, y + 1],
        [x, y - 1],
      ]) {
        if (nx >= 0 && ny >= 0 && nx < width && ny < height) zones[ny * width + nx] |= PURPLE;
      }
    });
  }
  return zones;
}

/** @typedef {"outside" | "frame" | "void" | "border"} Fault */

/** @type {Fault[]} */
const FAULTS = ["outside", "frame", "void", "border"];

/**
 * What is wrong with a placement, only for matches in which the server says so, too:
 * `{words, pixels: [[x, y]]}`, or null where it is valid.
 * @param {Pick<Domain.Pool, "size" | "shapes">} pool
 * @param {Domain.Place[]} laid
 * @param {Domain.Place} placed
 */
export function faultOf({ size: [width, height], shapes }, laid, placed) {
  /** @type {Record<Fault, Domain.Point[]>} */
  const bad = { outside: [], frame: [], void: [], border: [] };
  const zones = zonesOf({ size: [width, height], shapes }, laid, placed.domain);
  eachPixel(shapeIn(shapes, placed), placed, (x, y) => {
    if (x < 0 || y < 0 || x >= width || y >= height) {
      bad.outside.push([x, y]);
      return;
    }
    if (x === 0 || y === 0 || x === width - 1 || y === height - 1) bad.frame.push([x, y]);
    const zone = zones[y * width + x];
    if (zone & VOID) bad.void.push([x, y]);
    if (zone & PURPLE) bad.border.push([x, y]);
  });
  const said = {
    outside: `sticks out of the ${placed.domain} domain`,
    frame: "touches the purple frame",
    void: "covers a void zone",
    border: "touches a purple border",
  };
  const kinds = FAULTS.filter((kind) => bad[kind].length > 0);
  if (kinds.length === 0) return null;
  return {
    words: kinds.map((kind) => said[kind]).join(" and "),
    pixels: kinds.flatMap((kind) => bad[kind]),
  };
}

/**
 * The covered pixels as path data, one rectangle a run, about the reference point.
 * @param {Domain.Shape} shape
 * @param {number} degrees
 */
export function pixelPath(shape, degrees) {
  const { left, top, width, height, cells } = raster(shape, degrees);
  let d = "";
  for (let row = 0; row < height; row += 1) {
    let start = -1;
    for (let column = 0; column <= width; column += 1) {
      const covered = column < width && cells[row * width + column] !== 0;
      if (covered && start < 0) start = column;
      else if (!covered && start >= 0) {
        d += `M${left + start} ${top + row}h${column - start}v1h${start - column}z`;
        start = -1;
      }
    }
  }
  return d;
}

/**
 * Rings turned, as path data in pixels.
 * @param {Domain.Ring[]} rings
 * @param {number} degrees
 */
export function ringPath(rings, degrees) {
  return rings
    .map(
      (ring) =>
        `M${ring
          .map((vertex) =>
            turned(vertex, degrees)
              .map((part) => part / SUB)
              .join(" "),
          )
          .join("L")}Z`,
    )
    .join("");
}

/** @type {Domain.Colour[]} */
export const COLOURS = ["red", "blue"];
export const TITLES = { red: "Red", blue: "Blue" };
export const FRAME = 8; // pixels of purple drawn around a domain; its width means nothing
let drawings = 0;

/** A name for what is defined in one drawing, as no other one has it. */
export function nextId() {
  drawings += 1;
  return `domain-${drawings}`;
}

// -- the position -----------------------------------------------------------------------------

/**
 * @param {Domain.Game} game
 * @param {Domain.Colour} colour
 */
export function ownerOf(game, colour) {
  return colour === "red" ? game.red : 1 - game.red;
}

/**
 * @param {Domain.Game} game
 * @param {Domain.Colour | null} [colour]
 */
export function lying(game, colour = null) {
  return game.turns.filter(
    /** @returns {turn is Domain.Placement} */
    (turn) => turn.kind === "place" && !turn.struck && (colour === null || turn.domain === colour),
  );
}

/**
 * @param {Domain.DrawnGame} game
 * @param {string} id
 */
export function shapeOf(game, id) {
  return given(game.pool.shapes.find((shape) => shape.id === id));
}

/** @param {Domain.Game} game */
export function isDrafting(game) {
  return ["inspect", "first", "draft"].includes(game.phase);
}

/**
 * By shape: the seat that has taken it.
 * @param {Domain.Game} game
 */
export function ownersOf(game) {
  /** @type {Map<string, Seat>} */
  const owners = new Map();
  for (const [seat, id] of game.taken) if (id !== null) owners.set(id, seat);
  return owners;
}

/** @param {number} value */
export function number(value) {
  return value.toLocaleString("en-GB");
}

// -- drawing ----------------------------------------------------------------------------------

/**
 * The seats' fills, crosses for void zones, lines for purple borders.
 * @param {string} id
 */
export function patterns(id) {
  return seatPatterns(
    id,
    pattern(
      `${id}-void`,
      12,
      s("rect", { class: "domain-void", width: 12, height: 12 }),
      s("path", { class: "domain-void__mark", d: "M0 0L12 12M12 0L0 12" }),
    ),
    pattern(
      `${id}-border`,
      6,
      s("rect", { class: "domain-purple", width: 6, height: 6 }),
      s("path", { class: "domain-purple__mark", d: "M0 3H6" }),
    ),
    pattern(`${id}-none`, 8, s("rect", { class: "domain-nobody", width: 8, height: 8 })),
  );
}

/**
 * @param {Domain.DrawnGame} game
 * @param {Domain.Colour} colour
 * @param {string} id
 */
export function ground(game, colour, id) {
  const [width, height] = game.pool.size;
  const owner = ownerOf(game, colour);
  return s(
    "g",
    {},
    s("rect", {
      class: "domain__frame",
      x: -FRAME,
      y: -FRAME,
      width: width + 2 * FRAME,
      height: height + 2 * FRAME,
      fill: `url(#${id}-border)`,
    }),
    s("rect", { class: `domain__ground domain__ground--${owner}`, width, height }),
    s("rect", { class: "domain__pattern", width, height, fill: `url(#${id}-seat-${owner})` }),
  );
}

/**
 * The body of a shape about (0, 0); `fillOf` gives the fill of what is its owner's.
 * @param {Domain.Shape} shape
 * @param {number} degrees
 * @param {string} id
 * @param {string} fillOf
 */
export function shapeBody(shape, degrees, id, fillOf) {
  const solid = ringPath([shape.outline, ...shape.holes], degrees);
  const even = { "fill-rule": "evenodd" };
  return [
    shape.inner ? s("path", { d: solid, fill: `url(#${id}-border)`, ...even }) : null,
    // The holes are cut out of what is inside of the border, too.
    s("path", {
      d: shape.inner ? ringPath([shape.inner, ...shape.holes], degrees) : solid,
      fill: fillOf,
      ...even,
    }),
    shape.voids.map((ring) =>
      s("path", {
        class: "domain-void__edge",
        d: ringPath([ring], degrees),
        fill: `url(#${id}-void)`,
      }),
    ),
    s("path", { class: "shape__edge", d: solid }),
  ];
}

/**
 * @param {Domain.DrawnGame} game
 * @param {Domain.Placement} turn
 * @param {string} id
 * @param {string[]} names
 */
function drawLying(game, turn, id, names) {
  const latest = game.turns.at(-1) === turn;
  const shape = shapeOf(game, turn.shape);
  return s(
    "g",
    {
      class: `shape shape--${turn.seat}${latest ? " shape--last" : ""}`,
      transform: `translate(${turn.x} ${turn.y})`,
    },
    s("title", {}, `${turn.shape}, ${names[turn.seat]}: ${turn.x},${turn.y} ${turn.angle}°`),
    shapeBody(shape, turn.angle, id, `url(#${id}-seat-${turn.seat})`),
    s("circle", { class: "shape__label-ground", r: 11 }),
    s("text", { class: "shape__label", "text-anchor": "middle", y: 4.5 }, turn.shape),
  );
}

/**
 * From below to above, and then the lines of all that may lie under another one: where shapes
 * overlap both can be read, and covered zones, which bind as well.
 * @param {Domain.DrawnGame} game
 * @param {Domain.Colour} colour
 * @param {string} id
 * @param {string[]} names
 */
export function drawAllLying(game, colour, id, names) {
  const there = lying(game, colour);
  return [
    there.map((turn) => drawLying(game, turn, id, names)),
    there.slice(0, -1).map((turn) => {
      const { outline, holes, voids, inner } = shapeOf(game, turn.shape);
      const d = ringPath([outline, ...holes, ...voids, ...(inner ? [inner] : [])], turn.angle);
      return s("path", { class: "shape__below", transform: `translate(${turn.x} ${turn.y})`, d });
    }),
  ];
}

/**
 * A shape as a small picture, for cards and trays. All shapes of a pool have the same scale.
 * @param {Domain.DrawnGame} game
 * @param {Domain.Shape} shape
 * @param {Seat | null} [seat]
 */
export function shapeArt(game, shape, seat = null) {
  const id = nextId();
  const reach =
    Math.max(...game.pool.shapes.flatMap(({ outline }) => outline.flat().map(Math.abs))) + 4;
  return s(
    "svg",
    {
      class: "shape-art",
      viewBox: `${-reach} ${-reach} ${2 * reach} ${2 * reach}`,
      "aria-hidden": "true",
      focusable: "false",
    },
    patterns(id),
    s(
      "g",
      { class: `shape shape--${seat ?? "free"}` },
      shapeBody(shape, 0, id, seat === null ? `url(#${id}-none)` : `url(#${id}-seat-${seat})`),
    ),
  );
}

/** @param {Domain.Shape} shape */
export function traits(shape) {
  const found = [`${number(shape.area)} px`];
  if (shape.start) found.push("Start");
  if (shape.voids.length > 0) found.push("void zone");
  if (shape.inner) found.push("purple border");
  return found;
}

/**
 * @param {string} label
 * @param {Dom.Child} sign
 * @param {(event: MouseEvent) => void} act
 */
export function iconButton(label, sign, act) {
  return h(
    "button",
    {
      type: "button",
      class: "button button--icon",
      "aria-label": label,
      title: label,
      on: { click: act },
    },
    sign,
  );
}

/**
 * Four buttons that move something by a pixel, or by ten.
 * @param {(dx: number, dy: number, far: boolean) => void} move
 */
export function moveButtons(move) {
  /** @type {[string, string, number, number][]} */
  const ways = [
    ["Left", "←", -1, 0],
    ["Up", "↑", 0, -1],
    ["Down", "↓", 0, 1],
    ["Right", "→", 1, 0],
  ];
  return ways.map(([label, sign, dx, dy]) => {
    const words = h("span", { "aria-hidden": "true" }, sign);
    const button = iconButton(`${label} (Shift: 10 pixels)`, words, (event) =>
      move(dx, dy, event.shiftKey),
    );
    button.dataset.moves = "";
    return button;
  });
}

/**
 * The line from a shape to the nearest of what it may not cover.
 * @param {Domain.Gap} gap
 */
export function gapLine({ from, to }) {
  const d = `M${from.join(" ")}L${to.join(" ")}`;
  return s(
    "g",
    { class: "domain-gap", "aria-hidden": "true" },
    s("path", { class: "measure measure--below", d }),
    s("path", { class: "measure", d }),
  );
}
