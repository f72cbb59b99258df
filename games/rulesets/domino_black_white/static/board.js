// @ts-check
/* The board of Domino Black & White. See static/js/boards/README.md for what every board module offers.

   Long, since what is drawn, where a pointer or the keys are and what they would do are one state;
   and each module more is a request more before somebody can move. */

import { fill, h, s, write } from "../../../../static/js/match/dom.js";
import {
  Board,
  choiceCards,
  ConfirmBar,
  focusChoice,
  given,
  NOTHING_ASKED,
  outline,
  scoredLine,
  seatBadge,
  seatSign,
  turn,
  uncheck,
  UNIT,
} from "../../../../static/js/boards/kit.js";
import { Placing, PLACING_KEYS, whyIdle } from "../../../../static/js/boards/placing.js";

const COLUMNS = [..."ABCDEFGHI"];
const ROWS = [..."RSTUVWXYZ"];
const HIGHEST = 5;
const DOMINOES = Array.from({ length: HIGHEST + 1 }, (_, low) =>
  Array.from(
    { length: HIGHEST + 1 - low },
    (_, more) => /** @type {DominoBlackWhite.Domino} */ ([low, low + more]),
  ),
).flat();

/** @typedef {Live.View<DominoBlackWhite.Game>} View */

/**
 * Where a domino can be: its left or upper square, and which way it lies.
 * @typedef {{column: number, row: number, upright: boolean}} Spot
 */

/** @typedef {{seat: Seat, met: string, halves: DominoBlackWhite.Half[]}} Placed */

/** @type {Record<string, string>} */
const LETTERS = {
  H: "a horizontal line",
  V: "a vertical line",
  D: "a diagonal line",
  B: "a line of 0 or 15",
};

/**
 * The letter of a line by the step from square to square: across and down.
 * @type {[string, number, number][]}
 */
const DIRECTIONS = [
  ["H", 1, 0],
  ["V", 0, 1],
  ["D", 1, 1],
  ["D", -1, 1],
];

/** @type {Boards.Module["keys"]} */
export const keys = [
  ...PLACING_KEYS.slice(0, 3),
  [["H"], "switches the half that you hide."],
  ...PLACING_KEYS.slice(3),
];

export const waiting = { order: "choosing who goes first", place: "placing a domino" };

export const examples = { order: "first", place: "(3,4) DZ:DY hide DY" };

/**
 * The points so far, by seat.
 * @param {View} view
 */
export function scores(view) {
  return view.game?.scores ?? null;
}

/**
 * Where the match stands, in a few words.
 * @param {View} view
 */
export function caption(view) {
  const { game } = view;
  if (game === null) return "The advantage is drawn by lot.";
  const placed = game.met.length;
  if (game.phase === "order") return "Before the first domino";
  return `${placed} ${placed === 1 ? "domino" : "dominoes"} placed`;
}

/**
 * What the log shows beside an event: the letters that a placement met.
 * @param {Live.LogEvent} event
 */
export function tags(event) {
  const met = event.kind === "place" ? (event.data.met ?? "") : "";
  return [...met].map((letter) => ({
    text: letter,
    title: `${letter}: ${LETTERS[letter]}`,
    kind: "letter",
  }));
}

/**
 * What the reader can plan now, or null.
 * @param {View} view
 */
export function plans(view) {
  return view.phase === "on" && view.game?.phase === "place" ? { kind: "place", view } : null;
}

/**
 * A placement as it is written, or null: the lower number's square comes first.
 * @param {string} text
 */
function read(text) {
  const found = /^\((\d),(\d)\) ([A-I][R-Z]):([A-I][R-Z]) hide ([A-I][R-Z])$/.exec(text);
  if (found === null) return null;
  const [, low, high, one, other, hidden] = found;
  const [lower, higher] = [square(one), square(other)];
  const upright = lower[0] === higher[0];
  const [first] = [lower, higher].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return {
    domino: /** @type {DominoBlackWhite.Domino} */ ([Number(low), Number(high)]),
    spot: { column: first[0], row: first[1], upright },
    turns: (upright ? 1 : 0) + (first === lower ? 0 : 2),
    hides: hidden === one ? 0 : 1,
    cells: [lower, higher],
  };
}

/**
 * What a placement scored, letter by letter. Of lines, only those are named whose numbers the reader
 * of the view knows: a hidden half stays what it is.
 * @param {Live.LogEvent} event
 * @param {View} view
 * @param {string[]} names
 * @returns {Boards.Scored | null}
 */
export function scored(event, view, names) {
  if (event.kind !== "place" || !event.data.met || event.seat === null) return null;
  const met = [...String(event.data.met)];
  const at = squaresPlaced(event)
    .map((name) => `[data-square="${name}"]`)
    .join();
  const lines = view.game === null ? [] : linesMet(view.game, event);
  const points = met.length === 1 ? "1 point" : `${met.length} points`;
  return {
    seat: event.seat,
    title: `${names[event.seat]} scored ${points} on ${squaresPlaced(event).join(":")}`,
    marks: met.map((letter) => {
      const known = lines
        .filter(({ letters }) => letters.includes(letter))
        .map(({ words }) => words);
      const which = known.length > 0 ? `: ${known.join("; ")}` : "";
      return { sign: letter, words: `${LETTERS[letter]}, 1 point${which}`, at: [at] };
    }),
  };
}

/**
 * The squares of a placement.
 * @param {Live.LogEvent} event
 * @returns {string[]}
 */
function squaresPlaced(event) {
  const halves = /** @type {DominoBlackWhite.Half[]} */ (event.data.halves ?? []);
  return halves.map((half) => half.square);
}

/**
 * The lines that a placement met, of those whose three numbers this view has: the letters, the
 * squares, and the sum in words.
 * @param {DominoBlackWhite.Game} game
 * @param {Live.LogEvent} event
 */
export function linesMet(game, event) {
  const latest = Number(event.data.domino);
  /** @type {Map<string | null, number>} */
  const numbers = new Map();
  for (const cell of game.cells) {
    if (cell.domino <= latest && cell.number !== null) numbers.set(cell.square, cell.number);
  }
  /** @type {Map<string, {letters: string[], cells: Boards.Cell[], words: string}>} */
  const found = new Map();
  for (const [column, row] of squaresPlaced(event).map(square)) {
    for (const [letter, right, down] of DIRECTIONS) {
      for (const begin of [-2, -1, 0]) {
        const cells = [0, 1, 2].map(
          (step) =>
            /** @type {Boards.Cell} */ ([
              column + (begin + step) * right,
              row + (begin + step) * down,
            ]),
        );
        const squares = cells.map((cell) => squareName(...cell));
        const laid = squares.map((name) => numbers.get(name) ?? NaN);
        const sum = laid.reduce((all, one) => all + one, 0);
        if (sum % 5 !== 0) continue; // nor is it where a number is not known
        const letters = sum === 0 || sum === 15 ? [letter, "B"] : [letter];
        const words = `${squares.join(" ")}, ${laid.join(" + ")} = ${sum}`;
        found.set(squares.join(), { letters, cells, words });
      }
    }
  }
  return [...found.values()];
}

/**
 * What decided the match, where the reason alone does not say it; or an empty string.
 * @param {Live.WonView<DominoBlackWhite.Game>} view
 * @param {string[]} names
 */
export function because(view, names) {
  if (view.result.reason !== "tie-break") return "";
  return `With equal points, whoever placed the last domino wins: ${names[view.result.winner]}.`;
}

/**
 * A still picture of the position, for replays, with the lines that these events met.
 * @param {View} view
 * @param {{names?: string[], events?: Live.LogEvent[]}} [more]
 */
export function render(view, { names = ["First player", "Second player"], events = [] } = {}) {
  const board = newBoard("", true);
  drawWell(board);
  const dominoes = view.game === null ? [] : dominoesOf(view.game);
  board.draw(
    "pieces",
    dominoes.map((domino, index) =>
      drawDomino(board, domino, { last: index === dominoes.length - 1, names }),
    ),
  );
  const { game } = view;
  if (game !== null) {
    const lines = events
      .filter(({ kind }) => kind === "place")
      .flatMap((event) => linesMet(game, event));
    board.draw(
      "over",
      lines.map(({ letters, cells }) => scoredLine(board, cells, letters[0])),
    );
  }
  const placed = dominoes.map(
    ({ seat, halves }) => `${names[seat]}: ${halves.map(halfWords).join(", ")}`,
  );
  board.svg.setAttribute("aria-label", `${caption(view)}. ${placed.join(". ")}`);
  return board.svg;
}

/**
 * What each player holds, for replays: all dominoes in order, those that have been placed faint.
 * @param {View} view
 * @param {string[]} names
 */
export function hands(view, names) {
  if (view.game === null) return null;
  const { game } = view;
  return h(
    "div",
    { class: "still-hands" },
    [0, 1].map((seat) => {
      const hand = game.hands[seat];
      if (hand === null) return hiddenHand(names[seat], seat, game.left[seat]);
      const has = new Set(hand.map(String));
      return h(
        "section",
        { class: "still-hand", "aria-label": `${names[seat]}'s dominoes` },
        h(
          "h3",
          { class: "still-hand__title" },
          seatBadge(seat),
          names[seat],
          ` ${hand.length} left`,
        ),
        h(
          "p",
          { class: "visually-hidden" },
          hand.map(([low, high]) => `${low} and ${high}`).join(", "),
        ),
        h(
          "div",
          { class: "hand__dominoes", "aria-hidden": "true" },
          DOMINOES.map((domino) =>
            h(
              "span",
              { class: `hand__domino${has.has(String(domino)) ? "" : " hand__domino--gone"}` },
              dominoArt(domino),
            ),
          ),
        ),
      );
    }),
  );
}

/**
 * How many dominoes somebody has left, of whom no more is known to these eyes.
 * @param {string} name
 * @param {Seat} seat
 * @param {number} left
 */
function hiddenHand(name, seat, left) {
  return h(
    "section",
    { class: "still-hand", "aria-label": `${name}'s dominoes` },
    h("h3", { class: "still-hand__title" }, seatBadge(seat), name, ` ${left} left`),
    h("p", { class: "small muted" }, "Hidden."),
  );
}

// -- geometry ---------------------------------------------------------------------------------

/**
 * @param {number} column
 * @param {number} row
 */
function squareName(column, row) {
  return exists(column, row) ? `${COLUMNS[column]}${ROWS[row]}` : null;
}

/**
 * Seven columns of nine without the two lower corners, and a wing on either side of the top.
 * @param {number} column
 * @param {number} row
 */
function exists(column, row) {
  if (row < 0 || row >= ROWS.length || column < 0 || column >= COLUMNS.length) return false;
  if (row === 0) return true;
  const edge = row === ROWS.length - 1 ? 2 : 1;
  return column >= edge && column < COLUMNS.length - edge;
}

/**
 * @param {string} name
 * @returns {Boards.Cell}
 */
function square(name) {
  return [COLUMNS.indexOf(name[0]), ROWS.indexOf(name[1])];
}

/**
 * @param {string} label
 * @param {boolean} still
 */
function newBoard(label, still) {
  return new Board({ label, columns: COLUMNS, rows: ROWS, name: squareName, still });
}

/**
 * Both squares of a spot `{column, row, upright}`, in board order.
 * @param {Spot} spot
 * @returns {[Boards.Cell, Boards.Cell]}
 */
function squaresOf({ column, row, upright }) {
  return [[column, row], upright ? [column, row + 1] : [column + 1, row]];
}

/** @param {Spot} spot */
function isSpot(spot) {
  return squaresOf(spot).every(([column, row]) => exists(column, row));
}

/**
 * Why no domino can lie there, of a spot where none can.
 * @param {DominoBlackWhite.Game} game
 * @param {Spot} spot
 */
export function whyNot(game, spot) {
  const filled = new Set(
    dominoesOf(game).flatMap(({ halves }) => halves.map((half) => half.square)),
  );
  const squares = squaresOf(spot);
  /** @param {Boards.Cell} cell */
  const isFilled = ([column, row]) => filled.has(squareName(column, row) ?? "");
  const taken = squares.filter(isFilled).map(([column, row]) => squareName(column, row));
  if (taken.length > 0) {
    return `${taken.join(" and ")} ${taken.length > 1 ? "are" : "is"} occupied.`;
  }
  const stands = squares.some(
    ([column, row]) => !exists(column, row + 1) || isFilled([column, row + 1]),
  );
  if (!stands) return "nothing is under it.";
  const columns = squares.map(([column]) => column);
  if (columns.includes(0)) return "BS or CR must hold part of a domino first.";
  if (columns.includes(COLUMNS.length - 1)) return "HS or GR must hold part of a domino first.";
  return "no way leads there from above.";
}

/** @param {Spot} spot */
function spotName(spot) {
  return squaresOf(spot)
    .map(([column, row]) => squareName(column, row))
    .join(":");
}

/**
 * The placed dominoes, in order of play: `{seat, halves}` with the halves in board order.
 * @param {DominoBlackWhite.Game} game
 */
function dominoesOf(game) {
  const dominoes = game.met.map((met) => /** @type {Placed} */ ({ seat: 0, met, halves: [] }));
  for (const cell of game.cells) {
    dominoes[cell.domino].seat = cell.seat;
    dominoes[cell.domino].halves.push(cell);
  }
  return dominoes;
}

/** @param {DominoBlackWhite.Half} half */
function halfWords({ square: name, colour, number, hidden }) {
  if (number === null) return `${name} hidden, ${colour}`;
  return `${name} ${number}${hidden ? ", hidden from others" : ""}`;
}

/**
 * @param {number} number
 * @returns {DominoBlackWhite.Colour}
 */
function colourOf(number) {
  return number % 2 === 1 ? "white" : "black";
}

// -- drawing ----------------------------------------------------------------------------------

/** @param {Board} board */
function drawWell(board) {
  /** @type {Boards.Cell[]} */
  const cells = [];
  ROWS.forEach((_, row) =>
    COLUMNS.forEach((_, column) => {
      if (exists(column, row)) cells.push([column, row]);
    }),
  );
  board.draw(
    "floor",
    s("path", {
      class: "board__ground",
      d: outline(cells, board.corner(0, 0), { inset: 0, round: 0 }),
    }),
    s("path", { class: "board__wall", d: wall(board) }),
  );
}

/**
 * Walls and floor, from the left wing's upper corner round to the right one's; open at the top.
 * @param {Board} board
 */
function wall(board) {
  /**
   * @param {number} column
   * @param {number} row
   */
  const point = (column, row) => board.corner(column, row).join(" ");
  const corners = [
    [0, 0],
    [0, 1],
    [1, 1],
    [1, 8],
    [2, 8],
    [2, 9],
    [7, 9],
    [7, 8],
    [8, 8],
    [8, 1],
    [9, 1],
    [9, 0],
  ];
  return corners
    .map(([column, row], index) => `${index === 0 ? "M" : "L"}${point(column, row)}`)
    .join("");
}

/**
 * @param {Board} board
 * @param {Pick<Placed, "seat" | "halves">} domino
 * @param {{last?: boolean, names?: string[] | null}} [more]
 */
function drawDomino(board, { seat, halves }, { last = false, names = null } = {}) {
  const cells = halves.map((half) => square(half.square));
  const d = outline(cells, board.corner(0, 0), { inset: 1.2, round: 6 });
  const [x, y] = joint(board, cells);
  return s(
    "g",
    { class: `domino${last ? " domino--last" : ""}` },
    names && s("title", {}, `${names[seat]}: ${halves.map(halfWords).join(", ")}`),
    s("path", { class: "domino__tray", d, fill: board.seatFill(seat) }),
    halves.map((half) => drawHalf(board.corner(...square(half.square)), half)),
    s("path", { class: "domino__edge", d }),
    seatSign(seat, x, y, 4.6),
  );
}

/**
 * The middle of the border between the two halves.
 * @param {Board} board
 * @param {Boards.Cell[]} cells
 */
function joint(board, [[column, row], [right, below]]) {
  const [x, y] = board.corner((column + right + 1) / 2, (row + below + 1) / 2);
  return [x, y];
}

/**
 * @param {[number, number]} corner
 * @param {DominoBlackWhite.Half} half
 */
function drawHalf([x, y], { colour, number, hidden }) {
  const middle = [x + UNIT / 2, y + UNIT / 2];
  const inset = 5;
  const size = UNIT - 2 * inset;
  return s(
    "g",
    { class: `half half--${colour}` },
    s("rect", {
      class: "half__face",
      x: x + inset,
      y: y + inset,
      width: size,
      height: size,
      rx: 3,
    }),
    hidden &&
      s("rect", {
        class: "half__veil",
        x: x + inset + 2,
        y: y + inset + 2,
        width: size - 4,
        height: size - 4,
        rx: 2,
      }),
    s(
      "text",
      { class: "half__number", x: middle[0], y: middle[1] + 7, "text-anchor": "middle" },
      number === null ? "?" : String(number),
    ),
    hidden &&
      number !== null && [
        s("circle", { class: "half__badge", cx: x + UNIT - inset - 3, cy: y + inset + 3, r: 6.2 }),
        s(
          "text",
          {
            class: "half__hint",
            x: x + UNIT - inset - 3,
            y: y + inset + 6.4,
            "text-anchor": "middle",
          },
          "?",
        ),
      ],
  );
}

/**
 * A domino by itself, for the hand.
 * @param {DominoBlackWhite.Domino} domino
 */
function dominoArt([low, high]) {
  return s(
    "svg",
    {
      class: "domino-art",
      viewBox: `0 0 ${2 * UNIT} ${UNIT}`,
      "aria-hidden": "true",
      focusable: "false",
    },
    s("rect", {
      class: "domino-art__tray",
      x: 1,
      y: 1,
      width: 2 * UNIT - 2,
      height: UNIT - 2,
      rx: 5,
    }),
    [low, high].map((number, index) =>
      s(
        "g",
        { class: `half half--${colourOf(number)}` },
        s("rect", {
          class: "half__face",
          x: index * UNIT + (index ? 1.5 : 4),
          y: 4,
          width: UNIT - 5.5,
          height: UNIT - 8,
          rx: 3,
        }),
        s(
          "text",
          {
            class: "half__number",
            x: (index + 0.5) * UNIT + (index ? -1 : 1),
            y: UNIT / 2 + 7.5,
            "text-anchor": "middle",
          },
          String(number),
        ),
      ),
    ),
  );
}

// -- playing ----------------------------------------------------------------------------------

/**
 * Put a playable board into `root`.
 * @param {HTMLElement} root
 * @param {Boards.Api} api
 */
export function mount(root, api) {
  return new DominoBoard(root, api);
}

class DominoBoard {
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
    /** @type {DominoBlackWhite.Domino | null} */
    this.domino = null; // [low, high], taken from the hand
    this.turns = 0; // quarter turns of it: 0 is the lower number on the left
    /** @type {number | null} */
    this.hides = null; // 0 to hide the lower number's half, 1 for the other, null not said yet
    /** @type {string | null} */
    this.choice = null; // the order, chosen and not yet confirmed
    /** @type {string | null} */
    this.asked = null;
    this.handDrawn = "";

    this.board = newBoard("Board, AR to GZ", false);
    drawWell(this.board);
    this.placing = new Placing({ board: this.board, root, api, rules: this.#rules() });
    this.cards = h("div", { class: "board-cards", hidden: true });
    this.hand = h("fieldset", { class: "hand", hidden: true });
    this.placing.dragFrom(this.hand);
    const well = h("div", { class: "board-frame" }, this.board.svg);
    this.frame = h("div", { class: "board-and-hand" }, well, this.hand);
    this.facts = h("p", { class: "board-facts" });
    this.moveTools = this.placing.tools();
    this.hideButtons = [0, 1].map((half) =>
      h("button", {
        type: "button",
        class: "button",
        "aria-pressed": "false",
        on: { click: () => this.#hide(half) },
      }),
    );
    this.bar = new ConfirmBar({
      onConfirm: () => this.#confirm(),
      onCancel: () => this.view !== null && this.ctx.pending === null && this.placing.cancel(),
    });
    fill(api.dock, this.cards);
    fill(
      root,
      this.frame,
      this.bar.root,
      h("div", { class: "board-tools" }, this.moveTools),
      this.facts,
    );
  }

  destroy() {
    this.placing.destroy();
    this.root.replaceChildren();
    this.api.dock.replaceChildren();
  }

  /**
   * @param {View} view
   * @param {Boards.Context} ctx
   */
  update(view, ctx) {
    const before = this.ctx.decision?.id ?? null;
    this.view = view;
    this.ctx = ctx;
    if ((ctx.decision?.id ?? null) !== before) this.#reset();
    if (view.game === null) {
      write(this.facts, "Who has the advantage is drawn by lot.");
      this.moveTools.hidden = true;
      return;
    }
    this.#drawCards();
    this.#drawHand();
    this.#draw();
  }

  focus() {
    const chooses = this.#asks("place") && this.domino === null;
    const choices = chooses ? this.hand : this.cards;
    if (choices.hidden || !focusChoice(choices)) this.board.focus();
  }

  /**
   * What a planned placement looks like.
   * @param {string} text
   * @returns {Boards.Ghost[]}
   */
  ghosts(text) {
    const planned = read(text);
    if (planned === null || this.view?.game?.phase !== "place") return [];
    const { domino, cells, hides } = planned;
    const words = cells.map(([column, row], half) => {
      const [x, y] = this.board.corner(column + 0.5, row + 0.5);
      /** @type {[number, number]} */
      const at = [x, y];
      return { text: `${domino[half]}${half === hides ? "?" : ""}`, at };
    });
    const d = outline(cells, this.board.corner(0, 0), { inset: 1.2, round: 6 });
    return [{ svg: this.board.svg, d, words }];
  }

  /**
   * Show a planned placement, to be confirmed. Whether it is one that can be shown.
   * @param {string} text
   */
  preview(text) {
    const planned = read(text);
    if (planned === null || !this.#asks("place")) return false;
    const { domino, spot, turns, hides } = planned;
    if (!this.#mine?.some((each) => String(each) === String(domino))) {
      this.api.refuse(`You do not have ${domino[0]} and ${domino[1]} any more.`);
      return true;
    }
    this.domino = domino;
    this.turns = turns;
    this.hides = hides;
    this.#drawHand();
    this.placing.pin(spot);
    return true;
  }

  // -- what is being decided ------------------------------------------------------------------

  get #game() {
    return given(this.view?.game);
  }

  get #spot() {
    return given(this.placing.spot);
  }

  /** The domino that was taken from the hand. */
  get #taken() {
    return given(this.domino);
  }

  /** @param {string} kind */
  #asks(kind) {
    const { decision, pending, paused } = this.ctx;
    return decision?.kind === kind && pending === null && !paused;
  }

  get #mine() {
    return this.ctx.you === null ? null : this.#game.hands[this.ctx.you];
  }

  get #upright() {
    return this.turns % 2 === 1;
  }

  /** The domino's halves in board order: `{number, half}`, half 0 being the lower number's. */
  get #halves() {
    const [low, high] = this.#taken;
    const halves = [
      { number: low, half: 0 },
      { number: high, half: 1 },
    ];
    return this.turns < 2 ? halves : halves.reverse();
  }

  get #text() {
    const squares = squaresOf(this.#spot).map(([column, row]) => squareName(column, row));
    const [low, high] = this.#taken;
    const [first, second] = this.turns < 2 || low === high ? squares : [...squares].reverse();
    const hidden = squares[this.#halves.findIndex(({ half }) => half === this.hides)];
    return `(${low},${high}) ${first}:${second} hide ${hidden}`;
  }

  get #ready() {
    return this.placing.pinned && this.hides !== null;
  }

  #reset() {
    this.placing.clear();
    this.domino = null;
    this.hides = null;
    this.turns = 0;
    this.choice = null;
    this.api.draft("");
  }

  #confirm() {
    if (this.ctx.pending !== null) return;
    if (this.#asks("order") && this.choice) this.api.submit(this.choice);
    else if (this.#asks("place") && this.#ready) this.api.submit(this.#text);
    else if (this.#asks("place") && this.placing.pinned) {
      this.api.refuse("Choose first which half to hide: press H.");
      this.hideButtons[0].focus();
    }
  }

  /** @param {DominoBlackWhite.Domino} domino */
  #take(domino) {
    this.domino = domino;
    this.hides = null;
    this.placing.show(this.placing.spot);
  }

  /** @param {number} half */
  #hide(half) {
    this.hides = half;
    const at = squaresOf(this.placing.spot ?? { column: 0, row: 0, upright: false });
    const index = this.#halves.findIndex((each) => each.half === half);
    const name = this.placing.spot === null ? "" : ` on ${squareName(...at[index])}`;
    this.api.announce(`The ${this.#taken[half]}${name} will be hidden.`);
    this.#draw();
  }

  // -- where the domino can be: spots are {column, row, upright} of its left or upper square -----

  /** @returns {Boards.PlacingRules<Spot>} */
  #rules() {
    return {
      active: () => this.#asks("place") && this.domino !== null,
      idle: () =>
        whyIdle(
          this.ctx,
          this.#asks("place") ? "Take a domino from your hand first." : "",
          "domino",
        ),
      also: "h",
      at: (point) => this.#nearest(point),
      corner: ({ column, row }) => [column, row],
      shifted: (_, [column, row]) => this.#at(column, row),
      nudged: (spot, dx, dy) => {
        const next = { ...spot, column: spot.column + dx, row: spot.row + dy };
        return isSpot(next) ? next : spot;
      },
      home: ([column, row]) => {
        const here = { column, row, upright: this.#upright };
        return isSpot(here) && this.#fits(here) ? here : this.#next(null, 1);
      },
      next: (spot, by) => this.#next(spot, by),
      turned: (spot, by) => this.#turned(spot, by),
      fits: (spot) => this.#fits(spot),
      words: (spot) => this.#words(spot),
      tapped: (_, [x, y]) => this.#tapped(Math.floor(x), Math.floor(y)),
      redraw: () => this.#draw(),
      confirm: () => this.#confirm(),
      cancelled: () => this.#cancelled(),
      key: (event) => {
        if (event.key !== "h" && event.key !== "H") return false;
        this.#hide(this.hides === 0 ? 1 : 0);
        return true;
      },
    };
  }

  #spots() {
    return this.#game.legal
      .map(([first, second]) => [square(first), square(second)])
      .map(([[column, row], [, below]]) => ({ column, row, upright: below > row }))
      .filter(({ upright }) => upright === this.#upright)
      .sort((a, b) => a.row - b.row || a.column - b.column);
  }

  /** @param {Spot} spot */
  #fits(spot) {
    const name = spotName(spot);
    return this.#game.legal.some((pair) => pair.join(":") === name);
  }

  /**
   * The spot with its left upper square about there, kept on the board; null where none is near.
   * @param {number} column
   * @param {number} row
   */
  #at(column, row) {
    const spot = { column: Math.round(column), row: Math.round(row), upright: this.#upright };
    if (isSpot(spot)) return spot;
    return this.#closest(column, row, 2);
  }

  /**
   * A pointer means the place that fits and is near, since most squares of a well are no place at
   * all; far from any it means what lies under it, to show that it does not fit.
   * @param {[number, number]} point
   */
  #nearest([x, y]) {
    const column = this.#upright ? Math.floor(x) : x - 1;
    const row = this.#upright ? y - 1 : Math.floor(y);
    return this.#closest(column, row, 1.25) ?? this.#at(column, row);
  }

  /**
   * @param {number} column
   * @param {number} row
   * @param {number} within
   */
  #closest(column, row, within) {
    /** @type {Spot | null} */
    let best = null;
    let least = within;
    for (const spot of this.#spots()) {
      const distance = Math.hypot(spot.column - column, spot.row - row);
      if (distance <= least) {
        least = distance;
        best = spot;
      }
    }
    return best;
  }

  /**
   * @param {Spot | null} spot
   * @param {number} by
   */
  #next(spot, by) {
    const spots = this.#spots();
    if (spots.length === 0) return null;
    /** @param {Spot} spot */
    const order = ({ column, row }) => row * COLUMNS.length + column;
    if (by > 0) {
      const here = spot === null ? -1 : order(spot);
      return spots.find((each) => order(each) > here) ?? spots[0];
    }
    const here = spot === null ? Infinity : order(spot);
    return spots.findLast((each) => order(each) < here) ?? spots[spots.length - 1];
  }

  /**
   * @param {Spot | null} spot
   * @param {number} by
   */
  #turned(spot, by) {
    const [low, high] = this.#taken;
    this.turns = turn(this.turns, by, low === high ? 2 : 4);
    if (spot === null) return null;
    const next = { ...spot, upright: this.#upright };
    // It stays where it is if it can lie there, or else goes to the nearest place where it can.
    if (isSpot(next) && this.#fits(next)) return next;
    const near = this.#closest(spot.column, spot.row, 1.5);
    if (near !== null) return near;
    if (isSpot(next)) return next;
    const shifted = {
      ...next,
      column: next.column - (this.#upright ? 0 : 1),
      row: next.row - (this.#upright ? 1 : 0),
    };
    return isSpot(shifted) ? shifted : this.#next(null, 1);
  }

  /**
   * @param {number} column
   * @param {number} row
   */
  #tapped(column, row) {
    const index = squaresOf(this.#spot).findIndex(([x, y]) => x === column && y === row);
    if (index >= 0) this.#hide(this.#halves[index].half);
  }

  #cancelled() {
    this.choice = null;
    this.domino = null;
    this.hides = null;
    this.api.draft("");
    uncheck(this.cards, this.root);
  }

  /** @param {Spot | null} spot */
  #words(spot) {
    const numbers = this.#halves.map(({ number }) => number);
    const between = this.#upright ? "above" : "left of";
    const domino = `${numbers[0]} ${between} ${numbers[1]}`;
    if (spot === null) return `${domino}.`;
    const names = squaresOf(spot).map(([column, row]) => squareName(column, row));
    const where = `${numbers[0]} on ${names[0]}, ${numbers[1]} on ${names[1]}`;
    if (!this.#fits(spot)) return `${where}: ${whyNot(this.#game, spot)}`;
    const hidden = this.hides === null ? "" : ` Hiding the ${this.#taken[this.hides]}.`;
    return `${where}: fits.${hidden}`;
  }

  // -- drawing --------------------------------------------------------------------------------

  #draw() {
    if (!this.view?.game) return;
    const game = this.#game;
    const { names, refusal } = this.ctx;
    const dominoes = dominoesOf(game);
    this.board.draw(
      "pieces",
      dominoes.map((domino, index) =>
        drawDomino(this.board, domino, { last: index === dominoes.length - 1, names }),
      ),
    );
    const playing = this.#asks("place") && this.domino !== null;
    const open = new Set(
      playing
        ? this.#spots().flatMap((spot) => squaresOf(spot).map(([c, r]) => squareName(c, r)))
        : [],
    );
    this.board.accuse(refusal?.squares ?? []);
    const filled = new Map(game.cells.map((cell) => [cell.square, cell]));
    this.board.classify((name) => (open.has(name) ? "square--legal" : ""));
    this.board.describe((name) => {
      const cell = filled.get(name);
      if (cell === undefined) return open.has(name) ? "empty, your domino can lie here" : "empty";
      const what =
        cell.number === null
          ? `hidden, ${cell.colour}`
          : `${cell.number}${cell.hidden ? ", hidden from others" : ""}`;
      return `${what}, half of a domino of ${names[cell.seat]} with ${cell.partner}`;
    });
    this.board.svg.classList.toggle("board--playing", playing);
    this.moveTools.hidden = !playing;
    this.#drawGhost(playing);
    this.#drawFacts();
    this.#drawBar();
    if (this.#asks("place")) this.api.draft(this.#ready ? this.#text : "");
  }

  /** @param {boolean} playing */
  #drawGhost(playing) {
    const { spot, pinned } = this.placing;
    const sending = this.ctx.pending !== null && this.ctx.decision?.kind === "place";
    if (spot === null || this.domino === null || !(playing || sending)) {
      this.board.draw("ghost");
      return;
    }
    const fits = this.#fits(spot);
    const kind = sending ? "sending" : !fits ? "wrong" : pinned ? "pinned" : "legal";
    const cells = squaresOf(spot);
    const halves = this.#halves.map(({ number, half }, index) => ({
      square: given(squareName(...cells[index])),
      colour: colourOf(number),
      number,
      hidden: half === this.hides,
    }));
    const d = outline(cells, this.board.corner(0, 0), { inset: 1.2, round: 6 });
    this.board.draw(
      "ghost",
      s(
        "g",
        { class: `ghost ghost--${kind}` },
        drawDomino(this.board, { seat: given(this.ctx.you), halves }),
        fits ? null : s("path", { class: "ghost__hatch", d, fill: this.board.hatch }),
        s("path", { class: "ghost__edge", d }),
      ),
    );
  }

  #drawFacts() {
    const game = this.#game;
    const { names, you } = this.ctx;
    const lines = [];
    const placed = dominoesOf(game);
    const last = placed.at(-1);
    if (last) {
      const squares = last.halves.map((half) => half.square).join(":");
      lines.push(
        `Last: ${names[last.seat]} on ${squares}, ${last.met ? `met ${[...last.met].join(", ")}` : "no points"}.`,
      );
    }
    if (game.phase === "place") {
      lines.push(`Dominoes left: ${names[0]} ${game.left[0]}, ${names[1]} ${game.left[1]}.`);
      const upright = game.legal.filter(([first, second]) => first[0] === second[0]).length;
      lines.push(`Places on the board: ${game.legal.length - upright} flat, ${upright} upright.`);
      if (you !== null && this.#asks("place") && this.domino === null) {
        lines.unshift("Take a domino from your hand.");
      }
    }
    write(this.facts, lines.join(" "));
  }

  #drawBar() {
    const { pending, decision } = this.ctx;
    if (pending !== null) {
      this.bar.sending(`Sending ${pending}…`);
    } else if (decision?.kind === "order" && this.choice) {
      this.bar.show({ words: `You go ${this.choice}.`, verb: `Go ${this.choice}` });
    } else if (this.#asks("place") && this.placing.put && !this.placing.pinned) {
      this.bar.show({ words: this.#words(this.placing.spot), ready: false, verb: "Place" });
    } else if (this.#asks("place") && this.placing.pinned) {
      this.#drawHideButtons();
      const words = this.#words(this.placing.spot).replace(": fits.", ".");
      this.bar.show({
        words: this.hides === null ? `${words} Which half do you hide?` : words,
        ready: this.#ready,
        verb: "Place",
        extra: this.hideButtons,
      });
    } else {
      this.bar.hide();
    }
  }

  #drawHideButtons() {
    const cells = squaresOf(this.#spot);
    this.hideButtons.forEach((button, half) => {
      const index = this.#halves.findIndex((each) => each.half === half);
      const number = this.#taken[half];
      write(button, `Hide ${number} on ${squareName(...cells[index])}`);
      button.setAttribute("aria-pressed", String(this.hides === half));
    });
  }

  #drawHand() {
    const hand = this.#mine;
    this.hand.hidden = hand === null || this.#game.phase === "order" || this.view?.phase === "over";
    // Its room is there from the first question to after the end.
    if (hand === null || (this.view?.phase === "over" && this.handDrawn === "")) return;
    this.hand.classList.add("keeps-room");
    const stamp = JSON.stringify(hand);
    if (stamp !== this.handDrawn) {
      this.handDrawn = stamp;
      const has = new Set(hand.map(String));
      fill(
        this.hand,
        h("legend", { class: "hand__legend" }, "Your dominoes"),
        h(
          "div",
          { class: "hand__dominoes" },
          DOMINOES.map((domino) => this.#handCard(domino, has.has(String(domino)))),
        ),
      );
    }
    const open = this.#asks("place");
    for (const input of this.hand.querySelectorAll("input")) {
      input.disabled = !open || input.dataset.gone !== undefined;
      input.checked = this.domino !== null && input.value === this.domino.join("");
    }
    this.hand.classList.toggle("hand--idle", !open);
  }

  /**
   * @param {DominoBlackWhite.Domino} domino
   * @param {boolean} there
   */
  #handCard(domino, there) {
    const [low, high] = domino;
    return h(
      "label",
      { class: `hand__domino${there ? "" : " hand__domino--gone"}` },
      h("input", {
        type: "radio",
        name: `${this.board.id}-hand`,
        value: `${low}${high}`,
        "aria-label": there ? `${low} and ${high}` : `${low} and ${high}, placed`,
        data: there ? {} : { gone: "" },
        on: { change: () => this.#take(domino) },
      }),
      dominoArt(domino),
    );
  }

  #drawCards() {
    const { decision, pending, names, you } = this.ctx;
    const asks = decision?.kind === "order";
    this.cards.hidden = !asks;
    this.bar.below(asks ? this.cards : this.frame, this.frame);
    const stamp = asks ? decision.id : null;
    if (stamp !== this.asked) {
      this.asked = stamp;
      const other = names[1 - (you ?? 0)];
      fill(
        this.cards,
        asks &&
          choiceCards({
            legend: "Who goes first? The choice is yours.",
            choose: (value) => {
              this.choice = value;
              this.api.draft(value);
              this.#drawBar();
            },
            confirm: () => this.#confirm(),
            options: [
              { value: "first", title: "Go first", text: "You place the first domino." },
              { value: "second", title: "Go second", text: `${other} places first.` },
            ],
          }),
      );
    }
    for (const input of this.cards.querySelectorAll("input")) input.disabled = pending !== null;
  }
}
