// @ts-check
/* The boards of Peg Domain. See static/js/boards/README.md for what every board module offers.

   Long, since what is drawn, where a pointer or the keys are and what they would do are one state;
   and each module more is a request more before somebody can move. */

import { csrfToken } from "../../../../static/js/site.js";
import { spoken } from "../../../../static/js/match/clock.js";
import { elementOf, fill, h, s, write } from "../../../../static/js/match/dom.js";
import {
  Board,
  choiceCards,
  ConfirmBar,
  focusChoice,
  given,
  NOTHING_ASKED,
  outline,
  seatBadge,
  turn,
  UNIT,
  wonSquares,
} from "../../../../static/js/boards/kit.js";
import { loupe } from "../../../../static/js/boards/loupe.js";
import { Placing, PLACING_KEYS, whyIdle } from "../../../../static/js/boards/placing.js";

/** @typedef {Live.View<PegDomain.Game>} View */

/** @typedef {{text: string, picture: string}} Reading one way to read a painted picture */

/** @typedef {{code?: string, sentence?: string, squares?: string[]}} Misread */

const COLUMNS = [..."ABCDEFGHIJKL"];
const ROWS = Array.from({ length: 16 }, (_, row) => String(row + 1));
const SIDE = 9;
/** @type {Record<string, string>} */
const WAYS = { "0,-1": "U", "1,0": "R", "0,1": "D", "-1,0": "L" };
/** @type {PegDomain.Colour[]} */
const COLOURS = ["red", "blue"];

/** @typedef {import("./looks.js").Look} Look */

/** @typedef {import("./looks.js").Looks} Looks */

/** @type {Look[]} */
const LOOKS = ["theirs", "own", "lost"];
const KEPT = "gauntlet.peg-domain.looks"; // on the device

/** @type {Boards.Module["keys"]} */
export const keys = [
  [["Enter"], "on a peg of your pallet begins a cut-out there."],
  [["←", "↑", "↓", "→"], "draw it on from square to square, up to the second peg."],
  [["Backspace"], "takes the last square off again."],
  [["←", "↑", "↓", "→"], "on the domain move the cut-out, or walk over the squares."],
  ...PLACING_KEYS.slice(1),
];

export const waiting = {
  right: "choosing a right",
  inspection: "looking at the pallets",
  order: "choosing who goes first",
  colour: "choosing a colour",
  turn: "cutting and placing",
  removal: "naming a square to remove",
};

export const examples = {
  right: "take order",
  inspection: "ready",
  order: "first",
  colour: "red",
  turn: "C7 RRD > E5 90",
  removal: "remove F9",
};

/**
 * The squares of the domain that each seat owns, once there are sides.
 * @param {View} view
 */
export function scores(view) {
  return view.game?.domain ? view.game.scores : null;
}

/**
 * Where the match stands, in a few words.
 * @param {View} view
 */
export function caption(view) {
  const { game } = view;
  if (game === null) return "The advantage is drawn by lot.";
  switch (game.phase) {
    case "right":
      return "Order or colour: the pallets are hidden";
    case "inspection":
      return "Both pallets are open for inspection";
    case "order":
      return "The order is chosen";
    case "colour":
      return "Colours are chosen";
    case "over":
      return `${Math.max(game.turn, 0)} ${game.turn === 1 ? "round" : "rounds"} played`;
    default:
      return `Round ${game.turn}`;
  }
}

/**
 * What the log shows beside an event: how many squares a placement covered.
 * @param {Live.LogEvent} event
 */
export function tags(event) {
  if (event.kind !== "place") return [];
  const count = event.data.covered?.length ?? 0;
  return [{ text: String(count), title: `Covers ${count} squares`, kind: "score" }];
}

/**
 * What the reader can plan now, or null.
 * @param {View} view
 * @param {Seat} you
 */
export function plans(view, you) {
  const { game } = view;
  if (view.phase !== "on" || game?.phase !== "play" || game.finished[you] !== null) return null;
  return { kind: "turn", view };
}

/**
 * What a placement scored: the squares of the domain that came to the player, and whose they were.
 * @param {Live.LogEvent} event
 * @param {View} _view
 * @param {string[]} names
 * @returns {Boards.Scored | null}
 */
export function scored(event, _view, names) {
  if (event.kind !== "place" || event.seat === null) return null;
  const { won, taken = [], covered = [], scores: after } = event.data;
  if (won === undefined) return null; // told by an older version
  const name = names[event.seat];
  const other = names[1 - event.seat];
  /** @param {string[]} squares */
  const from = (squares) => [squares.map((each) => `.trio__domain [data-square="${each}"]`).join()];
  const fresh = won.filter((each) => !taken.includes(each));
  const kept = covered.length - won.length;
  /** @type {Boards.Mark[]} */
  const marks = [];
  if (taken.length > 0) {
    const words = `taken from ${other}: ${taken.join(" ")}`;
    marks.push({ sign: `+${taken.length}`, words, at: from(taken) });
  }
  if (fresh.length > 0) {
    const words = `nobody's before: ${fresh.join(" ")}`;
    marks.push({ sign: `+${fresh.length}`, words, at: from(fresh) });
  }
  if (kept > 0) marks.push({ sign: "0", words: `for ${kept} of ${name}'s own, covered again` });
  const stands = after === undefined ? "" : `, now ${after[0]} to ${after[1]}`;
  const count = won.length === 1 ? "1 square" : `${won.length} squares`;
  return { seat: event.seat, title: `${name} won ${count}${stands}`, marks };
}

/**
 * What decided the match, where the reason alone does not say it; or an empty string.
 * @param {Live.WonView<PegDomain.Game>} view
 * @param {string[]} names
 */
export function because(view, names) {
  if (view.result.reason !== "tie-break") return "";
  const { used } = view.game;
  const winner = names[view.result.winner];
  if (used[0] !== used[1]) {
    return `With the domain shared evenly, more squares of the pallet used decide: ${used[0]} to ${used[1]}.`;
  }
  return `Domain and used squares are level, so the advantage decides: ${winner} had it.`;
}

/**
 * A still picture of the position, for replays, with the squares that these events won.
 * @param {View} view
 * @param {{names?: string[], events?: Live.LogEvent[]}} [more]
 */
export function render(view, { names = ["First player", "Second player"], events = [] } = {}) {
  const { game } = view;
  const boards = newBoards(true);
  drawPosition(boards, game, names);
  boards.domain.draw(
    "over",
    events
      .filter(({ kind }) => kind === "place")
      .map(({ data }) =>
        wonSquares(boards.domain, (data.won ?? []).map(at), (data.taken ?? []).map(at)),
      ),
  );
  /**
   * @param {string} kind
   * @param {Dom.Child} title
   * @param {Board} board
   */
  const part = (kind, title, { svg }) => {
    svg.removeAttribute("role"); // the whole is one picture
    return h("div", { class: kind }, h("p", { class: "trio__title" }, title), svg);
  };
  /** @param {number} colour */
  const pallet = (colour) => {
    const seat = seatOf(game, colour);
    const title = [seat === null ? null : seatBadge(seat), palletTitle(game, colour, names)];
    return part("trio__pallet", title, boards.pallets[colour]);
  };
  return h(
    "div",
    {
      class: "trio trio--still",
      role: "img",
      "aria-label": `${caption(view)}. ${inWords(game, names)}`,
      "data-red-seat": seatOf(game, 0),
    },
    pallet(0),
    part("trio__domain", "Domain", boards.domain),
    pallet(1),
  );
}

// -- geometry ---------------------------------------------------------------------------------

/**
 * @param {number} column
 * @param {number} row
 */
function nameOf(column, row) {
  return `${COLUMNS[column]}${row + 1}`;
}

/**
 * @param {string} name
 * @returns {Boards.Cell}
 */
function at(name) {
  return [name.charCodeAt(0) - 65, Number(name.slice(1)) - 1];
}

/**
 * @param {Boards.Cell} a
 * @param {Boards.Cell} b
 */
function same(a, b) {
  return a[0] === b[0] && a[1] === b[1];
}

/**
 * @param {Boards.Cell} a
 * @param {Boards.Cell} b
 */
function beside(a, b) {
  return Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]) === 1;
}

/**
 * Where the squares of a cut-out land: the first one on `target`, turned clockwise about it.
 * @param {Boards.Cell[]} squares
 * @param {Boards.Cell} target
 * @param {number} turns
 * @returns {Boards.Cell[]}
 */
export function landing(squares, target, turns) {
  const [x, y] = squares[0];
  return squares.map(([column, row]) => {
    let across = column - x;
    let down = row - y;
    for (let each = 0; each < turns; each += 1) [across, down] = [-down, across];
    return [target[0] + across, target[1] + down];
  });
}

/**
 * Whether squares hang together by their sides.
 * @param {Boards.Cell[]} squares
 */
export function connected(squares) {
  const left = squares.slice(1);
  const reached = squares.slice(0, 1);
  for (const here of reached) {
    for (let index = left.length - 1; index >= 0; index -= 1) {
      if (beside(here, left[index])) reached.push(...left.splice(index, 1));
    }
  }
  return reached.length === squares.length;
}

/**
 * The text of a cut-out: a path where each square is beside the last one, else all squares.
 * @param {Boards.Cell[]} squares
 * @param {boolean} isShape
 */
export function cutText(squares, isShape) {
  if (isShape) return squares.map((square) => nameOf(...square)).join(" ");
  const ways = squares
    .slice(1)
    .map(
      ([column, row], index) => WAYS[`${column - squares[index][0]},${row - squares[index][1]}`],
    );
  return `${nameOf(...squares[0])} ${ways.join("")}`;
}

/**
 * A placement as it is written, or null.
 * @param {string} text
 */
export function readPlacement(text) {
  const found = /^(.+) > ([A-I][1-9]) (\d+)(?: minus ([A-I][1-9]))?$/.exec(text);
  if (found === null) return null;
  const [, drawn, target, degrees, minus] = found;
  const [first, ...rest] = drawn.split(" ");
  const cut = [at(first)];
  const isShape = !/^[URDL]+$/.test(rest[0] ?? "");
  if (isShape) cut.push(...rest.map(at));
  else {
    for (const way of rest[0]) {
      const [step] = given(Object.entries(WAYS).find(([, letter]) => letter === way));
      const [dx, dy] = step.split(",").map(Number);
      const [column, row] = cut[cut.length - 1];
      cut.push([column + dx, row + dy]);
    }
  }
  return { cut, isShape, spot: at(target), turns: Number(degrees) / 90, minus: minus ?? null };
}

/**
 * The squares that are no further than `reach` away, in either direction, row by row.
 * @param {Boards.Cell} square
 * @param {number} reach
 */
function around([column, row], reach) {
  const steps = Array.from({ length: 2 * reach + 1 }, (_, step) => step - reach);
  return steps.flatMap((dx) =>
    steps.map((dy) => /** @type {Boards.Cell} */ ([column + dx, row + dy])),
  );
}

/**
 * A column or a row of the domain, the nearest one to a number.
 * @param {number} value
 */
function within(value) {
  return Math.min(Math.max(Math.round(value), 0), SIDE - 1);
}

// -- drawing ----------------------------------------------------------------------------------

/** @param {boolean} still */
function newBoards(still) {
  /** @param {string} label */
  const pallet = (label) => new Board({ label, columns: COLUMNS, rows: ROWS, name: nameOf, still });
  return {
    pallets: [pallet("Red pallet, A1 to L16"), pallet("Blue pallet, A1 to L16")],
    domain: new Board({
      label: "Domain, A1 to I9",
      columns: COLUMNS.slice(0, SIDE),
      rows: ROWS.slice(0, SIDE),
      name: nameOf,
      still,
    }),
  };
}

/**
 * @param {PegDomain.Game | null} game
 * @param {number} colour
 */
function seatOf(game, colour) {
  return game?.pallets?.[colour].seat ?? null;
}

/**
 * @param {PegDomain.Game | null} game
 * @param {number} colour
 * @param {string[]} names
 */
function palletTitle(game, colour, names) {
  const seat = seatOf(game, colour);
  const name = colour === 0 ? "Red pallet" : "Blue pallet";
  return seat === null ? name : `${name}, ${names[seat]}`;
}

/**
 * @param {{pallets: Board[], domain: Board}} boards
 * @param {PegDomain.Game | null} game
 * @param {string[]} names
 */
function drawPosition({ pallets, domain }, game, names) {
  pallets.forEach((board, colour) =>
    drawPallet(board, game?.pallets?.[colour] ?? null, game?.last ?? null),
  );
  drawDomain(domain, game, names);
}

/** @param {Board} board */
function ground(board) {
  const [x, y] = board.corner(0, 0);
  const width = board.columns.length * UNIT;
  return s("rect", { class: "board__ground", x, y, width, height: board.rows.length * UNIT });
}

/**
 * @param {Board} board
 * @param {Boards.Cell} square
 * @param {Dom.Attributes} attributes
 */
function box(board, [column, row], attributes) {
  const [x, y] = board.corner(column, row);
  return s("rect", { x, y, width: UNIT, height: UNIT, ...attributes });
}

/**
 * @param {Board} board
 * @param {Boards.Cell} square
 * @param {string} [kind]
 */
function stud(board, [column, row], kind = "") {
  const [x, y] = board.corner(column, row);
  const [cx, cy] = [x + UNIT / 2, y + UNIT / 2];
  return s(
    "g",
    { class: `stud ${kind}`.trim() },
    s("circle", { class: "stud__head", cx, cy, r: UNIT * 0.34 }),
    s("path", { class: "stud__cross", d: `M${cx - 6} ${cy - 6}l12 12m0 -12l-12 12` }),
  );
}

/**
 * @param {Board} board
 * @param {PegDomain.Pallet | null} pallet
 * @param {PegDomain.Turn | null} last
 */
function drawPallet(board, pallet, last) {
  if (pallet === null) {
    board.draw("floor", ground(board));
    board.draw("pieces");
    board.draw("marks");
    return;
  }
  const floor = [ground(board)];
  /** @type {SVGElement[]} */
  const pieces = [];
  pallet.rows.forEach((line, row) =>
    [...line].forEach((mark, column) => {
      /** @type {Boards.Cell} */
      const square = [column, row];
      if ("-x#".includes(mark)) floor.push(box(board, square, { class: "hole" }));
      if (mark === "o") pieces.push(stud(board, square));
      if (mark === "x") {
        const [x, y] = board.corner(column, row);
        pieces.push(
          s("circle", { class: "stud--used", cx: x + UNIT / 2, cy: y + UNIT / 2, r: UNIT * 0.24 }),
        );
      }
      if (mark === "#") {
        const [x, y] = board.corner(column, row);
        pieces.push(s("path", { class: "removed", d: `M${x + 9} ${y + 9}l22 22m0 -22l-22 22` }));
      }
    }),
  );
  board.draw("floor", floor);
  board.draw("pieces", pieces);
  const cut = last !== null && last.seat === pallet.seat ? last.cut : [];
  board.draw(
    "marks",
    cut.map((name) => box(board, at(name), { class: "latest" })),
  );
}

/**
 * @param {Board} board
 * @param {PegDomain.Game | null} game
 * @param {string[]} names
 */
function drawDomain(board, game, names) {
  const shown = game?.domain ?? null;
  const floor = [ground(board)];
  (shown?.rows ?? []).forEach((line, row) =>
    [...line].forEach((mark, column) => {
      if (mark === ".") return;
      floor.push(box(board, [column, row], { class: "land", fill: board.seatFill(Number(mark)) }));
    }),
  );
  board.draw("floor", floor);
  board.draw(
    "pieces",
    (shown?.pegs ?? []).map((name) => stud(board, at(name))),
  );
  const covered = game?.last?.covered ?? [];
  const d =
    covered.length > 0
      ? outline(covered.map(at), board.corner(0, 0), { inset: 2, round: 2 })
      : null;
  board.draw("marks", d === null ? [] : s("path", { class: "latest", d }));
  if (!board.still) {
    board.describe((name, column, row) => {
      const mark = shown?.rows[row][column] ?? ".";
      const whose = mark === "." ? "nobody's" : `${names[Number(mark)]}'s`;
      return shown?.pegs.includes(name) ? `${whose}, with a peg` : whose;
    });
  }
}

/**
 * @param {PegDomain.Game | null} game
 * @param {string[]} names
 */
function inWords(game, names) {
  if (!game?.domain) return "The domain has no sides yet.";
  return `${names[0]} owns ${game.scores[0]} squares and ${names[1]} ${game.scores[1]}.`;
}

/** @type {Record<string, string>} */
const TOLD = { ".": "there", o: "a peg", "-": "used", x: "used, had a peg", "#": "removed" };

// -- playing ----------------------------------------------------------------------------------

/**
 * Put playable boards into `root`.
 * @param {HTMLElement} root
 * @param {Boards.Api} api
 */
export function mount(root, api) {
  return new PegDomainBoard(root, api);
}

class PegDomainBoard {
  /** @type {HTMLInputElement} */
  file;
  /** @type {HTMLElement} */
  readings;

  /**
   * @param {HTMLElement} root
   * @param {Boards.Api} api
   */
  constructor(root, api) {
    this.root = root;
    this.api = api;
    /** @type {View | null} */
    this.view = null;
    this.ctx = NOTHING_ASKED;
    /** @type {Boards.Cell[]} */
    this.cut = []; // squares of the own pallet, the anchor first
    this.isShape = false; // given by its squares, not as a path
    this.turns = 0;
    /** @type {string | null} */
    this.minus = null; // the square whose peg Peg Subtraction takes
    this.takesMinus = false; // the next tap on the domain names it
    this.rapid = false; // a removal of three by three
    /** @type {string | null} */
    this.choice = null; // anything else that is chosen and not yet confirmed: its text
    /** @type {string | null} */
    this.asked = null;
    this.drawing = false;
    /** @type {Promise<Looks> | null} */
    this.loading = null;
    /** @type {Misread | null} */
    this.misread = null; // why a painted picture could not be read, like a refusal

    this.boards = newBoards(false);
    this.placing = new Placing({ board: this.boards.domain, root, api, rules: this.#rules() });
    this.cards = h("div", { class: "board-cards", hidden: true });
    this.bar = new ConfirmBar({
      onConfirm: () => this.#confirm(),
      onCancel: () => this.placing.cancel(),
    });
    this.facts = h("p", { class: "board-facts" });
    this.titles = [0, 1].map(() => h("h3", { class: "trio__title" }));
    this.counts = [0, 1].map(() => h("p", { class: "trio__count", "data-grows": "" }));
    this.panels = this.boards.pallets.map((board, colour) =>
      h(
        "section",
        { class: "trio__pallet", "data-colour": COLOURS[colour], "data-grows": "" },
        this.titles[colour],
        board.svg,
        this.counts[colour],
      ),
    );
    this.hint = h("p", { class: "trio__count", "data-grows": "" });
    this.moveTools = this.placing.tools();
    this.trio = h(
      "div",
      { class: "trio" },
      this.panels[0],
      h(
        "section",
        { class: "trio__domain", "data-grows": "" },
        h("h3", { class: "trio__title" }, "Domain"),
        this.boards.domain.svg,
        this.hint,
        h("div", { class: "board-tools" }, this.moveTools),
      ),
      this.panels[1],
    );
    this.shown = new Set(looksKept()); // which looks
    /** @type {Looks | null} */
    this.looks = null;
    this.lookButtons = LOOKS.map((look) =>
      h("button", { type: "button", class: "button", on: { click: () => this.#look(look) } }),
    );
    this.lookTools = h(
      "div",
      { class: "board-tools keeps-room", role: "group", "aria-label": "Shown on the boards" },
      this.lookButtons,
    );
    this.legend = h("div", { class: "looks", "data-grows": "" });
    this.tools = h("div", { class: "board-tools", role: "group", "aria-label": "Your turn" });
    this.below = h("div");
    this.button = this.#buttons();
    this.paint = this.#paintPanel();
    fill(api.dock, this.cards);
    fill(
      root,
      this.trio,
      this.below,
      this.bar.root,
      h("div", { class: "looks-place" }, this.lookTools, this.legend),
      this.facts,
      this.paint,
    );
    this.boards.pallets.forEach((board, colour) => this.#listen(board, colour));
    this.listening = new AbortController();
    this.boards.domain.svg.addEventListener(
      "click",
      (event) => this.#tapDomain(event),
      this.listening,
    );
  }

  destroy() {
    this.placing.destroy();
    this.listening.abort();
    this.root.replaceChildren();
    this.api.dock.replaceChildren();
  }

  /**
   * @param {View} view
   * @param {Boards.Context} ctx
   */
  update(view, ctx) {
    const before = this.ctx;
    this.view = view;
    this.ctx = ctx;
    if ((ctx.decision?.id ?? null) !== (before?.decision?.id ?? null)) this.#reset();
    // What was chosen is said; a decision that goes on may be answered anew.
    else if ((before?.pending ?? null) !== null && ctx.pending === null && ctx.refusal === null) {
      this.choice = null;
    }
    this.#drawCards();
    this.#draw();
  }

  /** Take the keyboard's focus to where it is needed. */
  focus() {
    if (!this.cards.hidden && focusChoice(this.cards)) return;
    if (this.#isPlacing) this.boards.domain.focus();
    else if (this.#asks("removal")) this.boards.pallets[1 - given(this.#own)].focus();
    else if (this.view?.game?.pallets) this.boards.pallets[this.#own ?? 0].focus();
  }

  /**
   * What should be asked before `text` is submitted, however it was put; or an empty string.
   * @param {string} text
   */
  caution(text) {
    const rapid = /^\s*remove\s+3x3\s+([a-l])\s*([0-9]+)\s*\.?\s*$/i.exec(text);
    if (rapid === null || this.#own === null) return "";
    const centre = `${rapid[1].toUpperCase()}${rapid[2]}`;
    if (!ROWS.includes(rapid[2]) || this.#taken(centre).length > 0) return "";
    return `Rapid Removal around ${centre} takes nothing: each square there is gone already, carries a peg or is beside one. It is used up all the same.`;
  }

  /**
   * What a planned turn looks like: the cut-out on the pallet, and where it would lie.
   * @param {string} text
   * @returns {Boards.Ghost[]}
   */
  ghosts(text) {
    const planned = readPlacement(text);
    if (planned === null || this.#own === null || this.view?.game?.phase !== "play") return [];
    const { cut, spot, turns } = planned;
    const { domain, pallets } = this.boards;
    const squares = landing(cut, spot, turns);
    return [
      { svg: domain.svg, d: outline(squares, domain.corner(0, 0)) },
      { svg: pallets[this.#own].svg, d: outline(cut, domain.corner(0, 0)) },
    ];
  }

  /**
   * Show a planned turn, to be confirmed. Whether it is one that can be shown.
   * @param {string} text
   */
  preview(text) {
    const removed = /^remove ([A-L]\d+)$/.exec(text);
    if (this.#asks("removal") && (removed !== null || text === "no removal")) {
      if (removed === null || this.#game.removable?.includes(removed[1])) this.#choose(text);
      else this.api.refuse(`${removed[1]} cannot be removed.`);
      return true;
    }
    if (!this.#asks("turn")) return false;
    const planned = readPlacement(text);
    if (planned === null) {
      if (text !== "finish") return false;
      this.#choose(text);
      return true;
    }
    this.#reset();
    this.cut = planned.cut;
    this.isShape = planned.isShape;
    this.turns = planned.turns;
    this.minus = planned.minus;
    const there = this.cut.every((square) => [".", "o"].includes(this.#mark(square)));
    if (!there || !this.#isCut) {
      this.#reset();
      this.#draw();
      this.api.refuse(`${text}: that cannot be cut out of your pallet any more.`);
      return true;
    }
    this.placing.pin(planned.spot);
    return true;
  }

  // -- what is being decided ------------------------------------------------------------------

  get #game() {
    return given(this.view?.game);
  }

  get #you() {
    return given(this.ctx.you);
  }

  get #spot() {
    return given(this.placing.spot);
  }

  /** @param {string} kind */
  #asks(kind) {
    const { decision, pending, paused } = this.ctx;
    return decision?.kind === kind && pending === null && !paused;
  }

  /** Which of the two pallets is the reader's own: 0 for red. */
  get #own() {
    const { you } = this.ctx;
    const colours = this.view?.game?.colours;
    return you === null || !colours ? null : COLOURS.indexOf(colours[you]);
  }

  get #pallet() {
    return given(this.#game.pallets)[given(this.#own)];
  }

  /**
   * @param {Boards.Cell} square
   * @param {PegDomain.Pallet} [pallet]
   */
  #mark([column, row], pallet = this.#pallet) {
    return pallet.rows[row]?.[column] ?? "";
  }

  /** The square of the cut-out that was named last. */
  get #end() {
    return this.cut[this.cut.length - 1];
  }

  /** Where pegs stand on the domain. */
  get #pegs() {
    return given(this.#game.domain).pegs;
  }

  get #pegsCut() {
    return this.cut.filter((square) => this.#mark(square) === "o").length;
  }

  get #isCut() {
    if (this.cut.length < 2 || this.#pegsCut !== 2) return false;
    return this.isShape ? connected(this.cut) : this.#mark(this.#end) === "o";
  }

  get #isPlacing() {
    return this.#asks("turn") && this.#isCut && !this.takesMinus && this.choice === null;
  }

  /** @param {string} item */
  #held(item) {
    const { you } = this.ctx;
    if (you === null || this.#game.turn > this.#game.items_until) return 0;
    return this.#game.items[you][item]?.[0] ?? 0;
  }

  get #text() {
    const minus = this.minus === null ? "" : ` minus ${this.minus}`;
    const target = nameOf(...this.#spot);
    return `${cutText(this.cut, this.isShape)} > ${target} ${this.turns * 90}${minus}`;
  }

  #reset() {
    this.cut = [];
    this.turns = 0;
    this.minus = this.choice = null;
    this.takesMinus = this.rapid = this.drawing = false;
    this.placing.clear();
    this.misread = null;
    fill(this.readings);
    this.api.draft("");
  }

  #confirm() {
    if (this.ctx.pending !== null || this.ctx.decision === null) return;
    if (this.choice !== null) this.api.submit(this.choice);
    else if (this.#isPlacing && this.placing.pinned) this.api.submit(this.#text);
  }

  /** @param {string} text */
  #choose(text) {
    this.choice = text;
    this.placing.clear();
    this.api.draft(text);
    this.#draw();
  }

  // -- cutting --------------------------------------------------------------------------------

  /** @param {Boards.Cell} square */
  #begin(square) {
    if (this.#mark(square) !== "o") {
      this.api.refuse(`${nameOf(...square)}: a cut-out begins on a peg.`);
      return false;
    }
    this.choice = null;
    this.cut = [square];
    this.placing.clear();
    this.api.announce(`Cutting from ${nameOf(...square)}.`);
    this.#draw();
    return true;
  }

  /**
   * Go on to a square, or back where it was passed already.
   * @param {Boards.Cell} square
   */
  #extend(square) {
    const passed = this.cut.findIndex((each) => same(each, square));
    if (passed >= 0) {
      if (passed === this.cut.length - 1) return false;
      this.cut.length = passed + 1;
    } else {
      const mark = this.#mark(square);
      if (!beside(this.#end, square) || !".o".includes(mark) || mark === "") return false;
      if (this.#pegsCut > 1) return false;
      this.cut.push(square);
    }
    this.#cutChanged(square);
    return true;
  }

  /** @param {Boards.Cell} square */
  #isInCut(square) {
    return this.cut.some((each) => same(each, square));
  }

  /* The cut-out as it is turned, to go with a pointer, as large as on the domain. */
  #cutArt() {
    const squares = landing(this.cut, [0, 0], this.turns);
    const columns = squares.map(([column]) => column);
    const rows = squares.map(([, row]) => row);
    const [left, top] = [Math.min(...columns), Math.min(...rows)];
    const wide = Math.max(...columns) - left + 1;
    const high = Math.max(...rows) - top + 1;
    const { domain } = this.boards;
    const d = outline(squares, [0, 0]);
    return s(
      "svg",
      {
        class: "cutting",
        width: wide * domain.squareSize,
        viewBox: `${left * UNIT} ${top * UNIT} ${wide * UNIT} ${high * UNIT}`,
      },
      s("path", { class: "cutting__body", d, fill: domain.seatFill(this.#you) }),
    );
  }

  /** @param {Boards.Cell} square */
  #toggle(square) {
    const index = this.cut.findIndex((each) => same(each, square));
    if (index >= 0) this.cut.splice(index, 1);
    else if (".o".includes(this.#mark(square)) && this.#mark(square) !== "") this.cut.push(square);
    else return;
    // The first one named is a peg, also where the peg that began it has been taken out again.
    const peg = this.cut.findIndex((each) => this.#mark(each) === "o");
    if (peg > 0) this.cut.unshift(...this.cut.splice(peg, 1));
    this.#cutChanged(square);
  }

  /** @param {Boards.Cell} square */
  #cutChanged(square) {
    this.choice = this.misread = null;
    this.boards.pallets[given(this.#own)].stand(...square);
    if (this.#isCut) {
      this.api.announce(
        `${cutText(this.cut, this.isShape)}: ${this.cut.length} squares. Place it on the domain.`,
      );
      this.placing.show(this.placing.spot ?? [4, 4], { put: false });
    } else {
      this.placing.clear();
    }
    this.#draw();
  }

  #undo() {
    this.choice = null;
    this.cut.pop();
    this.placing.clear();
    this.#draw();
  }

  /**
   * @param {Board} board
   * @param {number} colour
   */
  #listen(board, colour) {
    const { svg } = board;
    /**
     * @param {{clientX: number, clientY: number}} event
     * @returns {Boards.Cell | null}
     */
    const square = (event) => {
      const [x, y] = board.under(event).map(Math.floor);
      return x >= 0 && y >= 0 && x < COLUMNS.length && y < ROWS.length ? [x, y] : null;
    };
    const cuts = () => this.#asks("turn") && this.#own === colour;
    /** @type {{here: Boards.Cell, x: number, y: number} | null} */
    let from = null;
    // On its pallet a pointer draws, from the squares of a whole cut-out as well. It takes that along
    // as it was where it leaves the pallet: so this listens first.
    const pick = (/** @type {Element} */ card) => {
      const name = card.getAttribute("data-square") ?? "";
      if (!cuts() || !this.#isPlacing || !this.#isInCut(at(name))) return null;
      const whole = [...this.cut];
      return () => {
        this.cut = whole;
        this.drawing = false;
        from = null;
        this.#draw();
      };
    };
    this.placing.dragFrom(svg, "[data-square]", pick, () => this.#cutArt());
    svg.addEventListener(
      "touchstart",
      (event) => {
        const here = square(event.touches[0]);
        if (!cuts() || here === null) return;
        // A finger on a peg draws from there, and one on a whole cut-out may pull it off the pallet.
        const draws = !this.isShape && this.#mark(here) === "o";
        if (draws || (this.#isPlacing && this.#isInCut(here))) event.preventDefault();
      },
      { passive: false },
    );
    svg.addEventListener("pointerdown", (event) => {
      const here = square(event);
      if (!cuts() || here === null || event.button !== 0) return;
      from = { here, x: event.clientX, y: event.clientY };
      if (this.isShape) return;
      const goesOn = this.cut.length > 0 && (this.#isInCut(here) || beside(this.#end, here));
      if (goesOn && !this.#isCut) this.#extend(here);
      else if (this.#mark(here) === "o") this.#begin(here);
      else if (goesOn) this.#extend(here);
      this.drawing = this.cut.length > 0;
      if (this.drawing) svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener("pointermove", (event) => {
      if (!this.drawing || !cuts()) return;
      const here = square(event);
      if (here === null) return;
      // A quick hand skips squares: walk there one by one, across first.
      for (let steps = 0; steps < 24; steps += 1) {
        const last = this.cut.at(-1);
        if (last === undefined || same(last, here)) break;
        const across = Math.sign(here[0] - last[0]);
        const down = Math.sign(here[1] - last[1]);
        const moved =
          (across !== 0 && this.#extend([last[0] + across, last[1]])) ||
          (down !== 0 && this.#extend([last[0], last[1] + down]));
        if (!moved) break;
      }
    });
    const end = () => {
      this.drawing = false;
    };
    svg.addEventListener("pointercancel", end);
    svg.addEventListener("pointerup", (event) => {
      end();
      const here = square(event);
      const tapped =
        from === null || Math.hypot(event.clientX - from.x, event.clientY - from.y) < 12;
      from = null;
      if (here !== null && tapped) this.#tapPallet(colour, here);
    });
    loupe(svg, {
      wanted: () =>
        cuts() || this.#legalOn(colour).size > 0 || (this.rapid && this.#own !== colour),
      size: () => board.squareSize,
    });
    board.onArrow = (dx, dy) => {
      if (!cuts() || this.isShape || this.cut.length === 0 || this.#isCut) return false;
      const [column, row] = this.#end;
      if (!this.#extend([column + dx, row + dy])) {
        this.api.refuse("There is no way on there.");
      } else if (this.#isCut) {
        this.boards.domain.stand(...this.#spot, { focus: true });
      }
      return true;
    };
    board.onKey = (event) => {
      if (event.key === "Backspace" && cuts() && this.cut.length > 0) {
        this.#undo();
        return true;
      }
      if (event.key !== "Enter" && event.key !== " ") return false;
      const here = elementOf(event)?.getAttribute("data-square") ?? null;
      if (here === null) return false;
      if (!cuts() || this.isShape) return this.#tapPallet(colour, at(here));
      if (this.#isCut) return false;
      this.#begin(at(here));
      return true;
    };
  }

  /**
   * A tap on a square of either pallet. Whether it meant anything.
   * @param {number} colour
   * @param {Boards.Cell} square
   */
  #tapPallet(colour, square) {
    const name = nameOf(...square);
    if (this.#asks("turn") && this.#own === colour && this.isShape) {
      if (this.cut.length === 0) this.#begin(square);
      else this.#toggle(square);
      return true;
    }
    if (this.#asks("removal") && this.#own !== colour) {
      if (this.rapid) this.#choose(`remove 3x3 ${name}`);
      else if (this.#game.removable?.includes(name)) this.#choose(`remove ${name}`);
      else this.api.refuse(`${name} cannot be removed.`);
      return true;
    }
    if (this.#asks("inspection") && this.#extraSquares(colour).includes(name)) {
      this.#choose(`extra peg ${COLOURS[colour]} ${name}`);
      return true;
    }
    return false;
  }

  /** @param {MouseEvent} event */
  #tapDomain(event) {
    if (!this.takesMinus || !this.#asks("turn")) return;
    const [column, row] = this.boards.domain.under(event).map(Math.floor);
    const name = column >= 0 && row >= 0 ? nameOf(column, row) : "";
    if (!this.#pegs.includes(name)) return;
    this.minus = name;
    this.takesMinus = false;
    this.api.announce(`The peg on ${name} goes before the cut-out is placed.`);
    this.#draw();
  }

  /** @param {number} colour */
  #extraSquares(colour) {
    const { you } = this.ctx;
    return you === null ? [] : (this.view?.game?.extra_squares[you]?.[colour] ?? []);
  }

  // -- placing: a spot is the square of the domain under the first peg --------------------------

  /** @returns {Boards.PlacingRules<Boards.Cell>} */
  #rules() {
    /**
     * @param {[number, number]} point
     * @returns {Boards.Cell}
     */
    const clamp = ([column, row]) => [within(column), within(row)];
    return {
      active: () => this.#isPlacing,
      idle: () => whyIdle(this.ctx, this.#wantedFirst),
      at: ([x, y]) => clamp([Math.floor(x), Math.floor(y)]),
      corner: (spot) => spot,
      shifted: (_, to) => clamp(to),
      nudged: ([column, row], dx, dy) => clamp([column + dx, row + dy]),
      home: (from) => from ?? [4, 4],
      next: (spot, by) => this.#next(spot, by),
      turned: (spot, by) => {
        this.turns = turn(this.turns, by, 4);
        return spot;
      },
      fits: (spot) => this.#trouble(spot) === "",
      words: (spot) => this.#words(spot),
      redraw: () => this.#draw(),
      confirm: () => this.#confirm(),
      cancelled: () => this.#reset(),
    };
  }

  /** @param {Boards.Cell} spot */
  #lands(spot) {
    return landing(this.cut, spot, this.turns);
  }

  /** @param {Boards.Cell} square */
  #inside([column, row]) {
    return column >= 0 && row >= 0 && column < SIDE && row < SIDE;
  }

  /** @param {Boards.Cell} square */
  #blocked([column, row]) {
    const name = nameOf(column, row);
    return name !== this.minus && this.#pegs.includes(name);
  }

  /**
   * Why the cut-out may not lie there, or nothing.
   * @param {Boards.Cell} spot
   */
  #trouble(spot) {
    const squares = this.#lands(spot);
    const outside = squares.filter((square) => !this.#inside(square)).length;
    if (outside > 0) return `${outside} of its squares would lie outside the domain`;
    const on = squares.filter((square) => this.#blocked(square)).map((square) => nameOf(...square));
    return on.length > 0 ? `there is a peg on ${on.join(", ")}` : "";
  }

  /**
   * What the score would become: both seats', and how many squares change hands.
   * @param {Boards.Cell} spot
   */
  #after(spot) {
    const you = this.#you;
    const domain = given(this.#game.domain);
    const after = [...this.#game.scores];
    let taken = 0;
    for (const [column, row] of this.#lands(spot)) {
      const mark = domain.rows[row][column];
      if (mark === String(you)) continue;
      if (mark !== ".") after[Number(mark)] -= 1;
      after[you] += 1;
      taken += 1;
    }
    return { after, taken };
  }

  /**
   * @param {Boards.Cell | null} spot
   * @param {number} by
   */
  #next(spot, by) {
    /** @param {Boards.Cell} spot */
    const order = ([column, row]) => row * SIDE + column;
    /** @type {Boards.Cell[]} */
    const cells = Array.from({ length: SIDE * SIDE }, (_, index) => [
      index % SIDE,
      Math.floor(index / SIDE),
    ]);
    const fit = cells.filter((each) => this.#trouble(each) === "");
    if (fit.length === 0) return null;
    if (by > 0) return fit.find((each) => spot === null || order(each) > order(spot)) ?? fit[0];
    return (
      fit.findLast((each) => spot === null || order(each) < order(spot)) ?? fit[fit.length - 1]
    );
  }

  /** @param {Boards.Cell | null} spot */
  #words(spot) {
    const what = `${cutText(this.cut, this.isShape)}, turned by ${this.turns * 90}°`;
    if (spot === null) return `${what}.`;
    // What it comes to stands first: on a phone there may be no room for all.
    const where = `First peg on ${nameOf(...spot)}`;
    const trouble = this.#trouble(spot);
    if (trouble !== "") return `${where}: cannot lie there, ${trouble}. ${what}.`;
    const { after, taken } = this.#after(spot);
    return `${where}: takes ${taken}, then ${points(after, this.ctx.names)}. ${what}.`;
  }

  // -- drawing --------------------------------------------------------------------------------

  #buttons() {
    /**
     * @param {string} words
     * @param {() => void} act
     * @param {string} key
     */
    const button = (words, act, key) =>
      h("button", { type: "button", class: "button", "data-act": key, on: { click: act } }, words);
    const made = {
      undo: button("Back one square", () => this.#undo(), "undo"),
      clear: button("Start anew", () => this.placing.cancel(), "clear"),
      shape: button("Any shape", () => this.#toggleShape(), "shape"),
      minus: button("Peg Subtraction", () => this.#toggleMinus(), "minus"),
      finish: button("Finish…", () => this.#choose("finish"), "finish"),
      rapid: button("Rapid Removal (3×3)", () => this.#toggleRapid(), "rapid"),
      keep: button("No removal", () => this.#choose("no removal"), "keep"),
      ready: button("Ready", () => this.#choose("ready"), "ready"),
    };
    fill(this.tools, Object.values(made));
    return made;
  }

  // -- answers as pictures --------------------------------------------------------------------

  #paintPanel() {
    const match = this.root.closest("[data-match]")?.getAttribute("data-match");
    const page = `/matches/${match}`;
    this.file = h("input", {
      type: "file",
      class: "input",
      accept: "image/png,image/jpeg",
      id: "paint-file",
      on: { change: () => void this.#sendPicture(`${page}/paint/`) },
    });
    this.readings = h("div", { class: "readings", "aria-live": "polite" });
    return h(
      "details",
      { class: "disclosure", hidden: true },
      h("summary", {}, "Answer with a picture"),
      h(
        "div",
        { class: "disclosure__body painting" },
        h(
          "p",
          { class: "small" },
          "Download the position, paint the squares of your cut-out on the pallet and those it covers on the domain, and bring the picture back. Nothing is submitted before you confirm it.",
        ),
        h(
          "p",
          { class: "button-row" },
          h(
            "a",
            { class: "button", href: `${page}/paint.png`, download: true },
            "Download the position",
          ),
        ),
        h("label", { for: "paint-file" }, "Your picture, PNG or JPEG, up to 5 MB"),
        this.file,
        this.readings,
      ),
    );
  }

  /** @param {string} address */
  async #sendPicture(address) {
    const [file] = this.file.files ?? [];
    if (file === undefined || !this.#asks("turn")) return;
    const asked = this.ctx.decision?.id;
    const body = new FormData();
    body.append("picture", file);
    this.misread = null;
    fill(this.readings, h("p", {}, "Reading the picture…"));
    /** @type {Misread & {readings?: Reading[]}} */
    let answer;
    try {
      const response = await fetch(address, {
        method: "POST",
        body,
        headers: { "X-CSRFToken": csrfToken() },
      });
      answer = /** @type {Misread & {readings?: Reading[]}} */ (await response.json());
    } catch {
      answer = { sentence: "The picture could not be sent, or is too large." };
    }
    this.file.value = "";
    if (this.ctx.decision?.id !== asked) {
      fill(this.readings);
      return;
    }
    this.misread = answer.readings ? null : answer;
    this.#accuse();
    if (!answer.readings) {
      fill(
        this.readings,
        h("p", { class: "field-error" }, answer.sentence ?? "The picture could not be read."),
      );
      return;
    }
    const count = answer.readings.length;
    fill(
      this.readings,
      h(
        "p",
        {},
        count === 1
          ? "This is what the picture says:"
          : `The picture can be read in ${count} ways:`,
      ),
      answer.readings.map((reading) => this.#reading(reading)),
    );
  }

  /**
   * One way to read a picture; whoever has Peg Subtraction may add it, which no picture shows.
   * @param {Reading} reading
   */
  #reading({ text, picture }) {
    const pegs = this.#pegs;
    const may = this.#held("peg-subtraction") > 0 && pegs.length > 0 && !text.includes(" minus ");
    const select = may
      ? h(
          "select",
          { class: "input" },
          h("option", { value: "" }, "keep it"),
          pegs.map((name) => h("option", { value: name }, `take the peg on ${name}`)),
        )
      : null;
    const whole = () => (select?.value ? `${text} minus ${select.value}` : text);
    const code = h("code", {}, text);
    select?.addEventListener("change", () => write(code, whole()));
    return h(
      "figure",
      { class: "reading" },
      h("img", { src: picture, alt: `The placement ${text}` }),
      h(
        "figcaption",
        {},
        code,
        may ? h("label", { class: "reading__minus small" }, "Peg Subtraction: ", select) : null,
        h(
          "button",
          { type: "button", class: "button", on: { click: () => this.#choose(whole()) } },
          "Take this one",
        ),
      ),
    );
  }

  #toggleShape() {
    this.isShape = !this.isShape;
    this.cut = this.cut.slice(0, 1);
    this.placing.clear();
    this.#draw();
  }

  #toggleMinus() {
    this.takesMinus = !this.takesMinus && this.minus === null;
    this.minus = null;
    this.placing.clear();
    this.#draw();
  }

  #toggleRapid() {
    this.rapid = !this.rapid;
    this.choice = null;
    this.#draw();
  }

  #drawTools() {
    const turnNow = this.#asks("turn");
    const removal = this.#asks("removal");
    const { button } = this;
    button.undo.hidden = button.clear.hidden = !turnNow || this.cut.length === 0;
    button.shape.hidden = !turnNow || this.#game.variant !== "gauntlet";
    button.shape.setAttribute("aria-pressed", String(this.isShape));
    button.minus.hidden =
      !turnNow || this.#held("peg-subtraction") === 0 || this.#pegs.length === 0;
    button.minus.setAttribute("aria-pressed", String(this.takesMinus || this.minus !== null));
    button.finish.hidden = !turnNow;
    button.rapid.hidden = !removal || this.#held("rapid-removal") === 0;
    button.rapid.setAttribute("aria-pressed", String(this.rapid));
    button.keep.hidden = !removal;
    button.ready.hidden = !this.#asks("inspection") || !this.#mayBeReady();
    this.tools.hidden = Object.values(button).every((each) => each.hidden);
    this.moveTools.hidden = !this.#isPlacing;
    // Below the pallet that they are about: on a telephone anything else is a screen away.
    // Between turns their room is kept there.
    const own = this.#own;
    /** @type {HTMLElement} */
    let place = this.below;
    if (own !== null && removal) place = this.panels[1 - own];
    else if (own !== null && !this.#asks("inspection")) place = this.panels[own];
    this.tools.classList.toggle("keeps-room", place !== this.below);
    if (this.tools.parentElement !== place) place.append(this.tools);
    this.below.hidden = place !== this.below || this.tools.hidden;
    this.paint.hidden = !turnNow;
  }

  #mayBeReady() {
    const you = this.#you;
    const game = this.#game;
    if (!game.early_ready) return false;
    const waits = (game.items[you]["additional-peg"]?.[0] ?? 0) > 0;
    return !waits || (game.extra[you] ?? []).some((named) => named.length > 0);
  }

  #draw() {
    if (this.view === null) return;
    const { game } = this.view;
    const { names, you } = this.ctx;
    drawPosition(this.boards, game, names);
    // Before the pallets are revealed they lie there face down: what is below stays where it is.
    this.trio.hidden = game === null;
    this.trio.inert = !game?.pallets;
    this.trio.dataset.own = this.#own === null ? "" : COLOURS[this.#own];
    this.trio.dataset.asks = this.ctx.decision?.kind ?? "";
    this.trio.dataset.redSeat = String(seatOf(game, 0) ?? "");
    this.#drawTools();
    if (game?.pallets) this.#drawPallets();
    else this.titles.forEach((title, colour) => write(title, palletTitle(game, colour, names)));
    this.#accuse();
    this.#drawGhost();
    this.boards.domain.svg.classList.toggle("board--playing", this.#isPlacing || this.takesMinus);
    if (this.#isPlacing) this.api.draft(this.placing.pinned ? this.#text : "");
    this.#drawHint();
    this.#drawFacts(you);
    this.#drawBar();
    this.#drawLooks();
  }

  // -- what is shown besides: reaches, and the pegs that are out of play -------------------------

  /** @param {Look} look */
  #look(look) {
    const on = !this.shown.has(look);
    if (on) this.shown.add(look);
    else this.shown.delete(look);
    keepLooks([...this.shown]);
    this.#draw();
    void this.#loadLooks()?.then((looks) => {
      if (on && this.shown.has(look)) this.api.announce(looks.words(look));
    });
  }

  #loadLooks() {
    if (this.shown.size === 0) return null;
    this.loading ??= import("./looks.js").then((module) => {
      this.looks = new module.Looks(this.boards, this.legend);
      this.#draw();
      return this.looks;
    });
    this.loading.catch(() => {
      this.loading = null;
      this.api.refuse("This could not be loaded. Try again.");
    });
    return this.loading;
  }

  #drawLooks() {
    const { you, names } = this.ctx;
    const game = this.view?.game ?? null;
    const open = game !== null && game.phase === "play" && this.view?.phase === "on";
    this.lookTools.hidden = !open;
    const of = [names[you === null ? 1 : 1 - you], you === null ? names[0] : ""];
    LOOKS.forEach((look, index) => {
      const button = this.lookButtons[index];
      button.setAttribute("aria-pressed", String(this.shown.has(look)));
      const own = of[1] === "" ? "Your reach" : `${of[1]}'s reach`;
      write(button, { theirs: `${of[0]}'s reach`, own, lost: "Pegs out of play" }[look]);
    });
    this.legend.hidden = !open || this.shown.size === 0;
    if (open && this.shown.size > 0 && this.looks === null) void this.#loadLooks();
    if (open) this.looks?.draw(game, { names, you, shown: this.shown });
  }

  #drawPallets() {
    const game = this.#game;
    this.boards.pallets.forEach((board, colour) => {
      const pallet = given(game.pallets)[colour];
      const legal = this.#legalOn(colour);
      board.classify((name) => (legal.has(name) ? "square--legal" : ""));
      board.describe(
        (name, column, row) =>
          `${TOLD[pallet.rows[row][column]]}${legal.has(name) ? ", can be chosen" : ""}`,
      );
      board.svg.classList.toggle("board--playing", legal.size > 0);
      fill(
        this.titles[colour],
        pallet.seat === null ? null : seatBadge(pallet.seat),
        ` ${palletTitle(game, colour, this.ctx.names)}`,
      );
      const removed = game.variant === "final" ? `, ${pallet.removed} removed` : "";
      write(this.counts[colour], `${pallet.pegs} pegs and ${pallet.left} squares left${removed}`);
      board.draw("ghost", this.#markOn(board, colour));
    });
  }

  /**
   * The squares of a pallet that can be chosen now.
   * @param {number} colour
   */
  #legalOn(colour) {
    if (this.#asks("removal") && this.#own !== colour && !this.rapid) {
      return new Set(this.#game.removable ?? []);
    }
    if (this.#asks("inspection")) return new Set(this.#extraSquares(colour));
    if (!this.#asks("turn") || this.#own !== colour || this.isShape || this.#isCut) {
      return new Set();
    }
    if (this.cut.length === 0) return new Set();
    const [column, row] = this.#end;
    const steps = Object.keys(WAYS).map((step) => step.split(",").map(Number));
    return new Set(
      steps
        .map(([dx, dy]) => /** @type {Boards.Cell} */ ([column + dx, row + dy]))
        .filter(
          (square) =>
            [".", "o"].includes(this.#mark(square)) && !this.cut.some((each) => same(each, square)),
        )
        .map((square) => nameOf(...square)),
    );
  }

  /**
   * What is being cut or named on a pallet.
   * @param {Board} board
   * @param {number} colour
   * @returns {Dom.Child}
   */
  #markOn(board, colour) {
    const cuts = this.cut.length > 0 && this.ctx.decision?.kind === "turn";
    if (cuts && this.#own === colour) return this.#cutOn(board);
    return [...this.#removalOn(board, colour), ...this.#extraOn(board, colour)];
  }

  /** What was chosen, and is or is not on its way yet. */
  get #said() {
    return this.ctx.pending ?? this.choice ?? this.ctx.decision?.sealed ?? "";
  }

  /** @param {Board} board */
  #cutOn(board) {
    const whole = connected(this.cut);
    const middles = this.cut.map((square) =>
      board
        .corner(...square)
        .map((value) => value + UNIT / 2)
        .join(" "),
    );
    return s(
      "g",
      { class: `cutting${this.#isCut ? " cutting--whole" : ""}` },
      whole
        ? s("path", {
            class: "cutting__body",
            d: outline(this.cut, board.corner(0, 0)),
            fill: board.seatFill(this.#you),
          })
        : this.cut.map((square) =>
            box(board, square, { class: "cutting__body", fill: board.seatFill(this.#you) }),
          ),
      this.isShape ? null : s("path", { class: "cutting__way", d: `M${middles.join("L")}` }),
      this.cut.filter((square) => this.#mark(square) === "o").map((square) => stud(board, square)),
    );
  }

  /**
   * @param {Board} board
   * @param {number} colour
   */
  #removalOn(board, colour) {
    const removal = /^remove (3x3 )?([A-L][0-9]+)$/.exec(this.#said);
    if (!removal || this.ctx.decision?.kind !== "removal" || this.#own === colour) return [];
    const pallet = given(this.#game.pallets)[colour];
    return around(at(removal[2]), removal[1] ? 1 : 0)
      .filter(([column, row]) => column in COLUMNS && row in ROWS)
      .map((square) => {
        // What stays, with a peg or beside one, is only framed.
        const goes = this.#isClear(square, pallet);
        return box(board, square, { class: "aimed", fill: goes ? board.hatch : "none" });
      });
  }

  /**
   * @param {Board} board
   * @param {number} colour
   */
  #extraOn(board, colour) {
    const game = this.#game;
    const { you } = this.ctx;
    const chosen = new RegExp(`^extra peg ${COLOURS[colour]} ([A-L][0-9]+)$`).exec(this.#said);
    const extra =
      you !== null && game.phase === "inspection" ? (game.extra[you]?.[colour] ?? []) : [];
    const names = new Set(chosen ? [...extra, chosen[1]] : extra);
    return [...names].map((name) => stud(board, at(name), "stud--extra"));
  }

  /**
   * The squares that a Rapid Removal there would take, as things stand.
   * @param {string} centre
   */
  #taken(centre) {
    const pallet = given(this.#game.pallets)[1 - given(this.#own)];
    return around(at(centre), 1).filter((square) => this.#isClear(square, pallet));
  }

  /**
   * Whether a square is still there and neither carries a peg nor touches one.
   * @param {Boards.Cell} square
   * @param {PegDomain.Pallet} pallet
   */
  #isClear(square, pallet) {
    return (
      this.#mark(square, pallet) === "." &&
      around(square, 1).every((each) => this.#mark(each, pallet) !== "o")
    );
  }

  /* The area of a refusal's code says on which board its squares are. */
  #accuse() {
    const { you } = this.ctx;
    const { code = "", sentence = "", squares = [] } = this.misread ?? this.ctx.refusal ?? {};
    const [area] = code.split(".");
    const onPallet =
      code === "place.off-domain" || ["cut", "picture"].includes(area) ? this.#own : null;
    const theirs = area === "remove" && this.#own !== null ? 1 - this.#own : null;
    this.boards.pallets.forEach((board, colour) => {
      const extra = area === "extra" && sentence.includes(` ${COLOURS[colour]} `);
      const mine = you !== null && (colour === onPallet || colour === theirs || extra);
      board.accuse(mine ? squares : []);
    });
    const here = (area === "place" && code !== "place.off-domain") || area === "minus";
    this.boards.domain.accuse(here ? squares : []);
  }

  #drawGhost() {
    const { domain } = this.boards;
    const { spot, pinned } = this.placing;
    const sending = this.ctx.pending !== null && this.ctx.decision?.kind === "turn";
    /** @type {Dom.Child[]} */
    const marks = [];
    if (this.minus !== null) {
      marks.push(box(domain, at(this.minus), { class: "aimed", fill: domain.hatch }));
    }
    if (spot !== null && (this.#isPlacing || (sending && this.cut.length > 1))) {
      const fits = this.#trouble(spot) === "";
      const kind = sending ? "sending" : fits ? (pinned ? "pinned" : "legal") : "wrong";
      const squares = this.#lands(spot);
      const d = outline(squares, domain.corner(0, 0));
      const pegs = squares.filter((_, index) => this.#mark(this.cut[index]) === "o");
      const bad = squares.filter((square) => !this.#inside(square) || this.#blocked(square));
      marks.push(
        s(
          "g",
          { class: `ghost ghost--${kind}` },
          s("path", { class: "ghost__body", d, fill: domain.seatFill(this.#you) }),
          bad.map((square) => box(domain, square, { class: "ghost__bad", fill: domain.hatch })),
          pegs.map((square) => stud(domain, square)),
          s("path", { class: "ghost__edge", d }),
        ),
      );
    }
    domain.draw("ghost", marks);
  }

  /* What the turn wants before there is something to place; empty where that is nothing. */
  get #wantedFirst() {
    if (this.takesMinus) return "Choose the peg on the domain that is to go.";
    if (!this.#asks("turn") || this.#isCut) return "";
    if (this.cut.length === 0) return "Draw on your pallet, from a peg to another one.";
    return this.isShape ? "Add squares until there are two pegs." : "Go on to a second peg.";
  }

  #drawHint() {
    write(this.hint, this.#wantedFirst || (this.#isPlacing ? this.#words(this.placing.spot) : ""));
  }

  /** @param {Seat | null} you */
  #drawFacts(you) {
    const game = this.view?.game ?? null;
    const { names, decision } = this.ctx;
    if (game === null) {
      write(this.facts, "Who has the advantage is drawn by lot.");
      return;
    }
    const lines = [];
    if (game.domain) {
      lines.push(`${points(game.scores, names)}.`);
      game.finished.forEach((how, seat) => {
        if (how !== null) {
          lines.push(
            `${names[seat]} is finished${how === "stuck" ? ": no two pegs are connected" : ""}.`,
          );
        }
      });
    }
    if (game.pallets === null) lines.push("The pallets are revealed once a right is taken.");
    if (
      game.phase === "inspection" &&
      you !== null &&
      this.#extraSquares(0).length + this.#extraSquares(1).length > 0
    ) {
      lines.push(
        "Name a square for your Additional Peg on either pallet or on both; the one on the pallet that becomes yours counts.",
      );
    }
    if (decision?.kind === "removal") {
      const window = spoken(decision.clock.turn_ms);
      lines.push(
        `Open for at least ${window} of the turn, and then until your opponent has moved; until then you can change it.`,
      );
      if (typeof decision.sealed === "string") lines.push(`As it stands: ${decision.sealed}.`);
    }
    for (const seat of [0, 1]) {
      const held = Object.entries(game.items[seat]).filter(([, [left]]) => left > 0);
      if (held.length > 0 && game.phase !== "over") {
        const until = game.domain ? ` (until round ${game.items_until})` : "";
        lines.push(
          `${names[seat]} has ${held.map(([item]) => itemName(item)).join(" and ")}${until}.`,
        );
      }
    }
    write(this.facts, lines.join(" "));
  }

  #drawBar() {
    const { pending, decision } = this.ctx;
    if (pending !== null) {
      this.bar.sending(`Sending ${pending}…`);
      return;
    }
    if (decision === null || this.ctx.paused) {
      this.bar.hide();
    } else if (this.choice !== null) {
      const [words, verb] = told(this.choice);
      const caution = this.caution(this.choice);
      this.bar.show(caution === "" ? { words, verb } : { words: caution, verb: "Use it up" });
    } else if (this.#isPlacing && this.placing.put) {
      const { spot, pinned } = this.placing;
      this.bar.show({ words: this.#words(spot), ready: pinned, verb: "Place" });
    } else {
      this.bar.hide();
    }
  }

  #drawCards() {
    const { decision, pending } = this.ctx;
    const asks = decision !== null && ["right", "order", "colour"].includes(decision.kind);
    this.cards.hidden = !asks;
    this.bar.below(asks ? this.cards : this.trio, this.trio);
    const stamp = asks ? decision.id : null;
    if (stamp !== this.asked) {
      this.asked = stamp;
      fill(this.cards, asks ? this.#cardsFor(decision.kind) : null);
    }
    for (const input of this.cards.querySelectorAll("input")) input.disabled = pending !== null;
  }

  /** @param {string} kind */
  #cardsFor(kind) {
    const { names, you } = this.ctx;
    const other = names[1 - given(you)];
    /** @type {Record<string, {legend: string, options: Boards.Choice[]}>} */
    const questions = {
      right: {
        legend: "Which right do you take? The pallets are still hidden.",
        options: [
          {
            value: "take order",
            title: "Order",
            text: `You say who goes first; ${other} chooses a colour.`,
          },
          {
            value: "take colour",
            title: "Colour",
            text: `You choose your colour, and with it your pallet; ${other} says who goes first.`,
          },
        ],
      },
      order: {
        legend: "Who goes first?",
        options: [
          { value: "first", title: "Go first", text: "You take the first turn." },
          { value: "second", title: "Go second", text: `${other} takes the first turn.` },
        ],
      },
      colour: {
        legend: "Which colour do you play?",
        options: [
          { value: "red", title: "Red", text: "The red pallet, and columns A to D of the domain." },
          {
            value: "blue",
            title: "Blue",
            text: "The blue pallet, and columns F to I of the domain.",
          },
        ],
      },
    };
    return choiceCards({
      ...questions[kind],
      choose: (value) => this.#choose(value),
      confirm: () => this.#confirm(),
    });
  }
}

/**
 * Which looks were on the last time here.
 * @returns {Look[]}
 */
function looksKept() {
  try {
    const said = (localStorage.getItem(KEPT) ?? "").split(" ");
    return LOOKS.filter((look) => said.includes(look));
  } catch {
    return []; // storage can be forbidden altogether
  }
}

/** @param {Look[]} looks */
function keepLooks(looks) {
  try {
    localStorage.setItem(KEPT, looks.join(" "));
  } catch {
    // They are off again with the next page.
  }
}

/**
 * @param {number[]} counts
 * @param {string[]} names
 */
function points(counts, names) {
  return `${names[0]} ${counts[0]}, ${names[1]} ${counts[1]}`;
}

/** @param {string} item */
function itemName(item) {
  return item.replace(
    /(^|-)([a-z])/g,
    (_, /** @type {string} */ before, /** @type {string} */ letter) =>
      `${before && " "}${letter.toUpperCase()}`,
  );
}

/**
 * A choice in words, and what the button says.
 * @param {string} choice
 * @returns {[string, string]}
 */
function told(choice) {
  const secret = "It stays secret until the turn is over, and you can change it until then.";
  /** @type {Record<string, [string, string]>} */
  const words = {
    finish: ["Finish: you place no more cut-outs in this match.", "Finish"],
    ready: ["You have seen enough of the pallets.", "Ready"],
    "no removal": [`Remove nothing this turn. ${secret}`, "Remove nothing"],
    "take order": ["You take the right to say who goes first.", "Take order"],
    "take colour": ["You take the right to choose your colour.", "Take colour"],
    first: ["You take the first turn.", "Go first"],
    second: ["Your opponent takes the first turn.", "Go second"],
    red: ["You play red, on the left.", "Play red"],
    blue: ["You play blue, on the right.", "Play blue"],
  };
  if (choice in words) return words[choice];
  if (choice.includes(">")) return [`As painted: ${choice}.`, "Place"];
  if (choice.startsWith("extra")) {
    return [
      `Additional Peg: ${choice.slice(10)}. It stays secret until colours are settled.`,
      "Name it",
    ];
  }
  if (choice.startsWith("remove 3x3")) {
    return [
      `Rapid Removal around ${choice.slice(11)}: squares with a peg or beside one stay. ${secret}`,
      "Remove",
    ];
  }
  return [`${choice[0].toUpperCase()}${choice.slice(1)}. ${secret}`, "Remove"];
}
