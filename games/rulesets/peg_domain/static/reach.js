// @ts-check
/* What can still be done with a pallet on the domain as both lie there now: which pegs a cut-out can
   still join, which squares of the domain it can cover. Exact, from what every view shows; loaded
   once somebody asks for it. */

const COLUMNS = 12;
const ROWS = 16;
const SIDE = 9;
const SQUARES = SIDE * SIDE;
const KNOT = SQUARES; // see `onPaths`

/* What of the pallet is above a square of the domain. */
const NOTHING = 0;
const SQUARE = 1;
const PEG = 2;

/**
 * What is left to a player.
 *
 * - `covered`: the squares of the domain that some cut-out of theirs could cover in one placement;
 * - `joined`: the pegs of their pallet that are on a cut-out which can be placed somewhere;
 * - `apart`: those from which no other peg can be reached over squares that are left, whatever the
 *   domain looks like. Pallets only lose squares, so nobody joins them any more;
 * - `roomless`: those from which another one can be reached, but no cut-out with them fits on the
 *   domain. Pegs there only get more, so nobody joins these any more either, unless Peg Subtraction
 *   makes room in a later turn.
 *
 * @typedef {{covered: Set<string>, joined: Set<string>, apart: Set<string>, roomless: Set<string>}} Reach
 */

/**
 * What a pallet can still reach. The rules: a cut-out has exactly two pegs and hangs together; by path
 * (`byPath`) it goes from the one to the other without passing a square twice, else it may have any
 * shape; it is turned by quarters, lies within the domain, and covers no peg there. `minus`: Peg
 * Subtraction may take any one peg off the domain before that.
 *
 * Each way to lay the whole pallet over the domain (four turns, each shift) is looked at by itself: a
 * cut-out that is laid so consists of squares above free squares of the domain, and any that do will do.
 *
 * @param {string[]} rows the pallet, as the view has it
 * @param {string[]} pegs the squares of the domain with a peg
 * @param {{byPath: boolean, minus: boolean}} rules
 * @returns {Reach}
 */
export function reachOf(rows, pegs, { byPath, minus }) {
  const all = rows.flatMap((line, row) =>
    [...line].flatMap((mark, column) => (mark === "o" ? [nameOf(column, row)] : [])),
  );
  const standing = new Set(pegs.map(squareOf));
  /** @type {Set<number>} */
  const covered = new Set();
  /** @type {Set<string>} */
  const joined = new Set();
  /** @type {number[]} */
  const above = new Array(SQUARES).fill(NOTHING);
  /** @type {string[]} */
  const names = new Array(SQUARES).fill("");

  /** @param {number[]} part squares of the domain below what hangs together */
  const note = (part) => {
    const under = part.filter((square) => above[square] === PEG);
    if (under.length < 2) return;
    // The first peg on the way from one to any other is joined with it.
    for (const square of under) joined.add(names[square]);
    if (part.every((square) => covered.has(square))) return;
    for (const square of byPath ? onPaths(above, under) : part) covered.add(square);
  };

  for (const place of PLACES) {
    /** @type {[number, number][]} */
    const blocked = [];
    for (let square = 0; square < SQUARES; square += 1) {
      const [column, row] = place(square % SIDE, Math.floor(square / SIDE));
      const mark = rows[row]?.[column];
      const kind = mark === "o" ? PEG : mark === "." ? SQUARE : NOTHING;
      names[square] = kind === PEG ? nameOf(column, row) : "";
      above[square] = standing.has(square) ? NOTHING : kind;
      if (minus && kind !== NOTHING && above[square] === NOTHING) blocked.push([square, kind]);
    }
    const seen = new Set();
    for (let square = 0; square < SQUARES; square += 1) {
      if (above[square] !== NOTHING && !seen.has(square)) note(partOf(above, square, seen));
    }
    for (const [square, kind] of blocked) {
      above[square] = kind;
      note(partOf(above, square));
      above[square] = NOTHING;
    }
  }
  const apart = new Set(all.filter((name) => !hasAnother(rows, name)));
  const roomless = new Set(all.filter((name) => !joined.has(name) && !apart.has(name)));
  const lands = [...covered].map((each) => nameOf(each % SIDE, Math.floor(each / SIDE)));
  return { covered: new Set(lands), joined, apart, roomless };
}

/**
 * Every way in which a pallet can lie over the domain: which square of it is above one of the domain.
 * @type {((x: number, y: number) => [number, number])[]}
 */
const PLACES = [0, 1, 2, 3].flatMap((turns) => {
  const corners = [0, COLUMNS - 1].flatMap((x) => [0, ROWS - 1].map((y) => spun(x, y, turns)));
  const [left, top] = [0, 1].map((axis) => Math.min(...corners.map((each) => each[axis])));
  const [right, bottom] = [0, 1].map((axis) => Math.max(...corners.map((each) => each[axis])));
  /** @type {((x: number, y: number) => [number, number])[]} */
  const found = [];
  for (let dx = -right; dx < SIDE - left; dx += 1) {
    for (let dy = -bottom; dy < SIDE - top; dy += 1) {
      found.push((x, y) => spun(x - dx, y - dy, 4 - turns));
    }
  }
  return found;
});

/** Of each square of the domain those beside it. */
const BESIDE = Array.from({ length: SQUARES }, (_, square) => {
  const column = square % SIDE;
  return [
    ...(column > 0 ? [square - 1] : []),
    ...(column < SIDE - 1 ? [square + 1] : []),
    ...(square >= SIDE ? [square - SIDE] : []),
    ...(square < SQUARES - SIDE ? [square + SIDE] : []),
  ];
});

/**
 * What hangs together with a square.
 * @param {number[]} above
 * @param {number} first
 * @param {Set<unknown>} [seen]
 */
function partOf(above, first, seen = new Set()) {
  const found = [first];
  seen.add(first);
  for (const square of found) {
    for (const next of BESIDE[square]) {
      if (above[next] === NOTHING || seen.has(next)) continue;
      seen.add(next);
      found.push(next);
    }
  }
  return found;
}

/**
 * The squares that are on a path from one of these pegs to another without a third one. Every peg is.
 * Another square is where two ways lead from it to different pegs that have nothing else in common:
 * that is, were all pegs tied to one knot, where it is with the knot in one block of what hangs
 * together (Menger; blocks after Hopcroft and Tarjan). A way that passes a peg may as well end there,
 * so what lies beyond it does no harm; from peg to peg there is no way.
 * @param {number[]} above
 * @param {number[]} pegs
 */
function onPaths(above, pegs) {
  /** @param {number} at */
  const ways = (at) => {
    if (at === KNOT) return pegs;
    const wanted = above[at] === PEG ? [SQUARE] : [SQUARE, PEG];
    const found = BESIDE[at].filter((each) => wanted.includes(above[each]));
    return above[at] === PEG ? [KNOT, ...found] : found;
  };
  const found = new Set(pegs);
  /** @type {Map<number, number>} */
  const depths = new Map();
  /** @type {number[]} */
  const stack = [];
  /**
   * How far up a way leads from a square and from what is below it, but for the way that led there.
   * @param {number} at
   * @param {number} from
   * @param {number} depth
   */
  const highest = (at, from, depth) => {
    depths.set(at, depth);
    stack.push(at);
    let most = depth;
    for (const next of ways(at)) {
      if (next === from) continue;
      const known = depths.get(next);
      if (known !== undefined) {
        most = Math.min(most, known);
        continue;
      }
      const size = stack.length;
      const reached = highest(next, at, depth + 1);
      most = Math.min(most, reached);
      if (reached < depth) continue;
      const block = stack.splice(size);
      if (at === KNOT) for (const each of block) found.add(each);
    }
    return most;
  };
  highest(KNOT, -1, 0);
  return found;
}

/**
 * Whether another peg can be reached from one over squares that are left.
 * @param {string[]} rows
 * @param {string} peg
 */
function hasAnother(rows, peg) {
  const found = [peg];
  const seen = new Set(found);
  for (const name of found) {
    const [x, y] = [name.charCodeAt(0) - 65, Number(name.slice(1)) - 1];
    for (const [column, row] of [
      [x - 1, y],
      [x + 1, y],
      [x, y - 1],
      [x, y + 1],
    ]) {
      const mark = rows[row]?.[column];
      const next = nameOf(column, row);
      if ((mark !== "." && mark !== "o") || seen.has(next)) continue;
      if (mark === "o") return true;
      seen.add(next);
      found.push(next);
    }
  }
  return false;
}

/**
 * @param {number} column
 * @param {number} row
 */
function nameOf(column, row) {
  return `${String.fromCharCode(65 + column)}${row + 1}`;
}

/** @param {string} name */
function squareOf(name) {
  return (Number(name.slice(1)) - 1) * SIDE + name.charCodeAt(0) - 65;
}

/**
 * Where a square is once all is turned by quarters about the corner, clockwise.
 * @param {number} x
 * @param {number} y
 * @param {number} turns
 * @returns {[number, number]}
 */
function spun(x, y, turns) {
  if (turns % 4 === 0) return [x, y];
  return spun(-y, x, turns - 1);
}
