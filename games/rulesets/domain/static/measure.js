// @ts-check
/* How far a shape lies from what it may not cover, and how far two points are apart. Pure; loaded only
   once somebody measures. What is forbidden `pixels.js` says, as it does where placements are judged. */

import { eachPixel, PURPLE, raster, VOID, zonesOf } from "./pixels.js";

/** @typedef {Pick<Domain.Pool, "size" | "shapes">} Pool */

/**
 * What one lying shape forbids on a domain: where (a byte a pixel, those with `bit`), the pixels along
 * the rim of that as x, y, x, y, …, and the box around them: left, top, right, bottom.
 * @typedef {{shape: string, edge: Domain.Edge, grid: Uint8Array, bit: number, rim: number[], box: number[]}} Zone
 */

/** @type {WeakMap<Domain.Place[], Partial<Record<Domain.Colour, Zone[]>>>} */
const known = new WeakMap();

/**
 * The zones of all that lies on a domain, worked out once for each list of what lies.
 * @param {Pool} pool
 * @param {Domain.Place[]} laid
 * @param {Domain.Colour} domain
 */
function zonesAt(pool, laid, domain) {
  const both = known.get(laid) ?? {};
  known.set(laid, both);
  both[domain] ??= laid
    .filter((each) => each.domain === domain)
    .flatMap((each) => {
      const { voids, inner } = shapeIn(pool, each.shape);
      if (voids.length === 0 && !inner) return [];
      const grid = zonesOf(pool, [each], domain);
      return [
        zoneOf(pool, grid, VOID, "void", each.shape),
        zoneOf(pool, grid, PURPLE, "border", each.shape),
      ].filter(({ rim }) => rim.length > 0);
    });
  return both[domain];
}

/**
 * @param {Pool} pool
 * @param {string} shape
 */
function shapeIn({ shapes }, shape) {
  return /** @type {Domain.Shape} */ (shapes.find(({ id }) => id === shape));
}

/**
 * @param {Pool} pool
 * @param {Uint8Array} grid
 * @param {number} bit
 * @param {Domain.Edge} edge
 * @param {string} shape
 * @returns {Zone}
 */
function zoneOf({ size: [width, height] }, grid, bit, edge, shape) {
  /** @type {number[]} */
  const rim = [];
  const box = [width, height, -1, -1];
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 1) {
      if (!(grid[at] & bit)) continue;
      const atSide = x === 0 || y === 0 || x === width - 1 || y === height - 1;
      const around = grid[at - 1] & grid[at + 1] & grid[at - width] & grid[at + width];
      if (!atSide && around & bit) continue;
      rim.push(x, y);
      box[0] = Math.min(box[0], x);
      box[1] = Math.min(box[1], y);
      box[2] = Math.max(box[2], x);
      box[3] = Math.max(box[3], y);
    }
  }
  return { shape, edge, grid, bit, rim, box };
}

/**
 * Where a shortest line between two pixels' squares begins and ends along one axis.
 * @param {number} one
 * @param {number} other
 */
function ends(one, other) {
  if (other > one) return [one + 1, other];
  return other < one ? [one, other + 1] : [one + 0.5, one + 0.5];
}

/**
 * @param {number} pixels
 * @param {Domain.Edge} edge
 * @param {string | null} shape
 * @param {Domain.Point} one
 * @param {Domain.Point} other
 * @returns {Domain.Gap}
 */
function gapBetween(pixels, edge, shape, one, other) {
  const [x1, x2] = ends(one[0], other[0]);
  const [y1, y2] = ends(one[1], other[1]);
  return { pixels, edge, shape, from: [x1, y1], to: [x2, y2] };
}

/**
 * How far a placed shape is from the nearest pixel that it may not cover.
 *
 * Forbidden are the outermost ring of pixels of the domain and all beyond it, the void zones of shapes
 * that lie there, and their purple borders with every pixel beside, above or below one. The gap between
 * two pixels is that between their squares, `hypot(max(|dx| - 1, 0), max(|dy| - 1, 0))`: a gap of 3
 * straight to the right is three free pixels, and by as many the shape can still be moved there. 0 is
 * right beside what is forbidden, or over it. Of what is equally near the frame comes first, and then
 * what was placed first.
 *
 * @param {Pool} pool
 * @param {Domain.Place[]} laid what lies there already, on both domains; not to be changed afterwards
 * @param {Domain.Place} placed
 * @returns {Domain.Gap | null} null where it covers nothing
 */
export function gapOf(pool, laid, placed) {
  const [width] = pool.size;
  const shape = shapeIn(pool, placed.shape);
  const zones = zonesAt(pool, laid, placed.domain);
  const rim = rimOf(shape, placed);
  let best = frameGap(pool, rim);
  if (best === null || best.pixels === 0) return best;
  /** @type {Domain.Gap | null} */
  let over = null;
  eachPixel(shape, placed, (x, y) => {
    const zone = over ? undefined : zones.find(({ grid, bit }) => grid[y * width + x] & bit);
    if (zone !== undefined) over = gapBetween(0, zone.edge, zone.shape, [x, y], [x, y]);
  });
  if (over !== null) return over;
  for (const zone of zones) {
    const [left, top, right, bottom] = zone.box;
    for (const [x, y] of rim) {
      if (reach(Math.max(left - x, x - right), Math.max(top - y, y - bottom)) >= best.pixels) {
        continue;
      }
      for (let at = 0; at < zone.rim.length; at += 2) {
        const pixels = reach(Math.abs(zone.rim[at] - x), Math.abs(zone.rim[at + 1] - y));
        if (pixels >= best.pixels) continue;
        best = gapBetween(pixels, zone.edge, zone.shape, [x, y], [zone.rim[at], zone.rim[at + 1]]);
      }
    }
  }
  return best;
}

/**
 * How far two squares of a pixel are apart that lie so far across and down from each other.
 * @param {number} across
 * @param {number} down
 */
function reach(across, down) {
  return Math.hypot(Math.max(across - 1, 0), Math.max(down - 1, 0));
}

/**
 * The pixels along a placed shape's edges, those of its holes as well.
 * @param {Domain.Shape} shape
 * @param {Domain.Place} placed
 */
function rimOf(shape, placed) {
  const { left, top, width, cells } = raster(shape, placed.angle);
  /** @type {Domain.Point[]} */
  const rim = [];
  eachPixel(shape, placed, (x, y) => {
    const column = x - placed.x - left;
    const at = (y - placed.y - top) * width + column;
    const inner = column > 0 && column < width - 1 && cells[at - 1] && cells[at + 1];
    if (!inner || !cells[at - width] || !cells[at + width]) rim.push([x, y]);
  });
  return rim;
}

/**
 * How many pixels wide and high a turned shape is.
 * @param {Domain.Shape} shape
 * @param {number} angle
 */
export function sizeOf(shape, angle) {
  const rim = rimOf(shape, { shape: shape.id, domain: "red", x: 0, y: 0, angle });
  /** @param {number[]} places */
  const long = (places) => Math.max(...places) - Math.min(...places) + 1;
  return [long(rim.map(([x]) => x)), long(rim.map(([, y]) => y))];
}

/**
 * How far it is to the frame: the outermost pixels of the domain touch it.
 * @param {Pool} pool
 * @param {Domain.Point[]} rim
 * @returns {Domain.Gap | null}
 */
function frameGap({ size: [width, height] }, rim) {
  /** @type {Domain.Gap | null} */
  let best = null;
  for (const [x, y] of rim) {
    /** @type {[number, Domain.Point][]} */
    const sides = [
      [x - 1, [0, y]],
      [y - 1, [x, 0]],
      [width - 2 - x, [width - 1, y]],
      [height - 2 - y, [x, height - 1]],
    ];
    for (const [pixels, there] of sides) {
      if (best !== null && Math.max(pixels, 0) >= best.pixels) continue;
      best = gapBetween(Math.max(pixels, 0), "frame", null, [x, y], pixels < 0 ? [x, y] : there);
    }
  }
  return best;
}

/**
 * Pixels as they are read: no more than there are, to a tenth.
 * @param {number} pixels
 */
function written(pixels) {
  return `${Math.floor(pixels * 10 + 1e-6) / 10} px`;
}

/**
 * A gap in words.
 * @param {Domain.Gap} gap
 */
export function gapWords({ pixels, edge, shape }) {
  const of = edge === "frame" ? "frame" : edge === "void" ? "void zone" : "purple border";
  return `${written(pixels)} to the ${of}${shape === null ? "" : ` of ${shape}`}`;
}

/**
 * How far two corners of pixels are apart, in words.
 * @param {Domain.Point} one
 * @param {Domain.Point} other
 */
export function distanceWords([x1, y1], [x2, y2]) {
  const [across, down] = [Math.abs(x2 - x1), Math.abs(y2 - y1)];
  return `${across} px across, ${down} px down, ${written(Math.hypot(across, down))} straight`;
}
