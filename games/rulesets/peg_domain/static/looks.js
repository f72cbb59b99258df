// @ts-check
/* What a reader may have drawn over the boards: how far each player still reaches, and which pegs are
   out of play. Loaded once somebody wants it, and from their own view alone. */

import { fill, h, s } from "../../../../static/js/match/dom.js";
import { given, UNIT } from "../../../../static/js/boards/kit.js";
import { reachOf } from "./reach.js";

/** @typedef {"theirs" | "own" | "lost"} Look `theirs` and `own`: the seats 1 and 0 for whoever watches */

/** @typedef {import("../../../../static/js/boards/kit.js").Board} Board */

/** @typedef {import("./reach.js").Reach} Reach */

/** @typedef {"theirs" | "own" | "apart" | "roomless"} Sign */

export class Looks {
  /** @type {Map<string, Reach>} */
  known = new Map(); // by what a reach hangs on
  /** @type {Map<Look, string>} */
  said = new Map();

  /**
   * @param {{pallets: Board[], domain: Board}} boards
   * @param {HTMLElement} legend
   */
  constructor(boards, legend) {
    this.boards = boards;
    this.legend = legend;
  }

  /**
   * What a look that is on tells, in words.
   * @param {Look} look
   */
  words(look) {
    return this.said.get(look) ?? "";
  }

  /**
   * Draw over boards that have just been drawn, and say what it means and how many there are.
   * @param {PegDomain.Game} game
   * @param {{names: string[], you: Seat | null, shown: Set<Look>}} reader
   */
  draw(game, { names, you, shown }) {
    const own = you ?? 0;
    /** @type {[Dom.Child, string][]} */
    const lines = [];
    this.said.clear();
    for (const look of /** @type {const} */ (["theirs", "own"])) {
      if (!shown.has(look)) continue;
      const seat = look === "own" ? own : 1 - own;
      const words = this.#drawReach(game, seat, look, names[seat]);
      this.said.set(look, words);
      lines.push([[signArt(look)], words]);
    }
    if (shown.has("lost")) {
      const told = [own, 1 - own].map((seat) => this.#drawLost(game, seat, names[seat]));
      this.said.set("lost", told.join(" "));
      lines.push([[signArt("apart"), signArt("roomless")], told.join(" ")]);
    }
    if (lines.length > 0 && game.variant === "final") {
      lines.push([null, "All that as the boards are now, before whatever is removed next."]);
    }
    fill(
      this.legend,
      lines.map(([signs, words]) => h("p", {}, signs, ` ${words}`)),
    );
  }

  /**
   * @param {PegDomain.Game} game
   * @param {Seat} seat
   * @param {"theirs" | "own"} look
   * @param {string} name
   */
  #drawReach(game, seat, look, name) {
    if (game.finished[seat] !== null) return `${name} is finished and places no more.`;
    const { covered, joined } = this.#reach(game, seat);
    const { domain } = this.boards;
    const pallet = this.boards.pallets[colourOf(game, seat)];
    mark(domain, covered, `${name} can cover it`, (x, y) => cornerOf(look, x, y));
    mark(pallet, joined, "can be joined", (x, y) =>
      s("circle", {
        class: "look look--joined",
        cx: x + UNIT / 2,
        cy: y + UNIT / 2,
        r: UNIT * 0.44,
      }),
    );
    const pegs = given(game.pallets)[colourOf(game, seat)].pegs;
    const item = hasSubtraction(game, seat) ? ", with Peg Subtraction where it helps" : "";
    return `${name} can still cover ${covered.size} of the 81 squares of the domain, each by some cut-out, and join ${joined.size} of ${pegs} pegs (ringed)${item}.`;
  }

  /**
   * @param {PegDomain.Game} game
   * @param {Seat} seat
   * @param {string} name
   */
  #drawLost(game, seat, name) {
    if (game.finished[seat] !== null) return `${name} is finished and joins no more.`;
    const { apart, roomless } = this.#reach(game, seat);
    const mayBeFreed = hasSubtraction(game, 0) || hasSubtraction(game, 1);
    const ever = mayBeFreed ? "as things are" : "any more";
    const pallet = this.boards.pallets[colourOf(game, seat)];
    for (const [names, sign, words] of /** @type {const} */ ([
      [apart, "apart", "cannot be joined any more, no other peg can be reached"],
      [roomless, "roomless", `cannot be joined ${ever}, no cut-out with it fits on the domain`],
    ])) {
      mark(pallet, names, words, (x, y) => frameOf(sign, x, y));
    }
    const count = apart.size + roomless.size;
    if (count === 0) return `Each peg of ${name}'s pallet can still be joined with another.`;
    const parts = [
      apart.size > 0 ? `${list(apart)} (crossed: no other peg can be reached)` : "",
      roomless.size > 0 ? `${list(roomless)} (framed: no cut-out with it fits on the domain)` : "",
    ];
    const whole = parts.filter((part) => part !== "").join("; ");
    const pegs = count === 1 ? "1 peg" : `${count} pegs`;
    return `${name} has ${pegs} that cannot be joined ${ever}: ${whole}.`;
  }

  /**
   * @param {PegDomain.Game} game
   * @param {Seat} seat
   */
  #reach(game, seat) {
    const { rows } = given(game.pallets)[colourOf(game, seat)];
    const { pegs } = given(game.domain);
    const rules = { byPath: game.variant !== "gauntlet", minus: hasSubtraction(game, seat) };
    const key = JSON.stringify([rows, pegs, rules]);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const reach = reachOf(rows, pegs, rules);
    if (this.known.size > 3) this.known.clear(); // those of earlier positions
    this.known.set(key, reach);
    return reach;
  }
}

/**
 * @param {PegDomain.Game} game
 * @param {Seat} seat
 */
function colourOf(game, seat) {
  return given(game.colours)[seat] === "red" ? 0 : 1;
}

/**
 * Whether a seat can still use Peg Subtraction in its next turn, which may be the one that is on.
 * @param {PegDomain.Game} game
 * @param {Seat} seat
 */
function hasSubtraction(game, seat) {
  const round = game.turn + (game.to_move === seat ? 0 : 1);
  return (game.items[seat]["peg-subtraction"]?.[0] ?? 0) > 0 && round <= game.items_until;
}

/**
 * Mark squares of a board, for the eyes and for screen readers.
 * @param {Board} board
 * @param {Set<string>} names
 * @param {string} words
 * @param {(x: number, y: number) => SVGElement} art
 */
function mark(board, names, words, art) {
  for (const { element, name, column, row } of board.cells.values()) {
    if (!names.has(name)) continue;
    element.setAttribute("aria-label", `${element.getAttribute("aria-label")}, ${words}`);
    board.layers.pieces.append(art(...board.corner(column, row)));
  }
}

/**
 * Where a cut-out can come to lie: a corner for each player, full for one and hollow for the other.
 * @param {"theirs" | "own"} look
 * @param {number} x
 * @param {number} y
 */
function cornerOf(look, x, y) {
  const [near, far] = [UNIT * 0.06, UNIT * 0.32];
  const d =
    look === "theirs"
      ? `M${x + near} ${y + near}h${far}l${-far} ${far}z`
      : `M${x + UNIT - near} ${y + UNIT - near}h${-far}l${far} ${-far}z`;
  return s("path", { class: `look look--${look}`, d });
}

/**
 * A peg that is out of play: framed, and crossed where no other one can be reached.
 * @param {"apart" | "roomless"} sign
 * @param {number} x
 * @param {number} y
 */
function frameOf(sign, x, y) {
  const [near, side] = [UNIT * 0.06, UNIT * 0.88];
  const frame = `M${x + near} ${y + near}h${side}v${side}h${-side}z`;
  const cross = `m0 0l${side} ${side}m0 ${-side}l${-side} ${side}`;
  return s("path", { class: `look look--${sign}`, d: frame + (sign === "apart" ? cross : "") });
}

/**
 * A sign for the legend.
 * @param {Sign} sign
 */
function signArt(sign) {
  const art = sign === "theirs" || sign === "own" ? cornerOf(sign, 0, 0) : frameOf(sign, 0, 0);
  const frame = s("rect", { class: "looks__square", width: UNIT, height: UNIT });
  const size = { viewBox: `0 0 ${UNIT} ${UNIT}`, "aria-hidden": "true", focusable: "false" };
  return s("svg", { class: "looks__sign", ...size }, frame, art);
}

/** @param {Set<string>} names */
function list(names) {
  return [...names].join(", ");
}
