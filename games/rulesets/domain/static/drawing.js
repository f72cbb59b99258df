// @ts-check
/* What a position of Domain is made of, and how it is drawn: for the board and for looking closely. */

import { h, s } from "../../../../static/js/match/dom.js";
import { given } from "../../../../static/js/boards/kit.js";
import { ringPath } from "./pixels.js";

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
 * Fills that differ in more than colour: stripes and dots for the seats, crosses for void zones,
 * lines for purple borders.
 * @param {string} id
 */
export function patterns(id) {
  /**
   * @param {string} name
   * @param {number} size
   * @param {...Dom.Child} marks
   */
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
      12,
      s("rect", { class: "seat-ground-0", width: 12, height: 12 }),
      s("path", {
        class: "seat-mark-0",
        d: "M-3 3L3 -3M-3 15L15 -3M9 15L15 9",
        "stroke-width": 2.5,
      }),
    ),
    pattern(
      "seat-1",
      12,
      s("rect", { class: "seat-ground-1", width: 12, height: 12 }),
      s("circle", { class: "seat-mark-1", cx: 6, cy: 6, r: 2.2 }),
    ),
    pattern(
      "void",
      12,
      s("rect", { class: "domain-void", width: 12, height: 12 }),
      s("path", { class: "domain-void__mark", d: "M0 0L12 12M12 0L0 12" }),
    ),
    pattern(
      "border",
      6,
      s("rect", { class: "domain-purple", width: 6, height: 6 }),
      s("path", { class: "domain-purple__mark", d: "M0 3H6" }),
    ),
    pattern("none", 8, s("rect", { class: "domain-nobody", width: 8, height: 8 })),
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
