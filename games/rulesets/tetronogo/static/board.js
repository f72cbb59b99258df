// @ts-check
/* The board of Tetronogo. See static/js/boards/README.md for what every board module offers.

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
  seatBadge,
  turn,
  uncheck,
  UNIT,
} from "../../../../static/js/boards/kit.js";
import { Placing, PLACING_KEYS, whyIdle } from "../../../../static/js/boards/placing.js";

const SIZE = 12;
const COLUMNS = [..."ABCDEFGHIJKL"];
const ROWS = Array.from({ length: SIZE }, (_, row) => String(row + 1));
/** @type {Tetronogo.Letter[]} */
const LETTERS = ["O", "I", "S", "Z", "L", "J", "T"];

/** @typedef {Live.View<Tetronogo.Game>} View */

/**
 * A bout as it is drawn: in play, or with its groups once it has been scored.
 * @typedef {Tetronogo.Bout | (Tetronogo.Game & {groups: null, points?: undefined})} Shown
 */

/** @typedef {{seat: Seat, text: string, cells: Boards.Cell[]}} Piece */

/**
 * The same drawings as in the rules; only for cards and lists. Where a piece may go is worked out
 * from the shapes that the view brings along.
 * @type {Record<Tetronogo.Letter, string[]>}
 */
const DRAWN = {
  O: ["##", "##"],
  I: ["####"],
  S: [".##", "##."],
  Z: ["##.", ".##"],
  L: ["..#", "###"],
  J: ["#..", "###"],
  T: [".#.", "###"],
};

export const keys = PLACING_KEYS;

export const waiting = {
  pick: "picking a tetromino in secret",
  starter: "choosing who starts",
  place: "placing a tetromino",
};

export const examples = { pick: "pick T", starter: "first", place: "D4 90" };

/**
 * The points over all finished bouts, by seat.
 * @param {View} view
 */
export function scores(view) {
  return view.game?.totals ?? null;
}

/**
 * Where the match stands, in a few words.
 * @param {View} view
 */
export function caption(view) {
  const { game } = view;
  if (game === null) return "The advantage is drawn by lot.";
  if (game.phase === "over") {
    return `${game.bouts.length} ${game.bouts.length === 1 ? "bout" : "bouts"} played`;
  }
  const bout = `Bout ${game.bout} of ${game.most_bouts}`;
  if (game.phase === "pick") return `${bout}: both pick in secret`;
  const pieces = given(game.pieces).join(" against ");
  return `${bout}: ${pieces}${game.phase === "starter" ? ", the starter is chosen" : ""}`;
}

/**
 * What the log shows beside an event: the score of a bout.
 * @param {Live.LogEvent} event
 */
export function tags(event) {
  const score = event.kind === "bout" ? event.data.points : null;
  if (!Array.isArray(score)) return [];
  return [
    {
      text: `${score[0]} : ${score[1]}`,
      title: `Points of the bout: ${score[0]} to ${score[1]}`,
      kind: "score",
    },
  ];
}

/**
 * What the reader can plan now, or null.
 * @param {View} view
 * @param {Seat} you
 */
export function plans(view, you) {
  const { game } = view;
  const picks = view.decisions.some(({ seat, kind, sealed }) => {
    return seat === you && kind === "pick" && typeof sealed !== "string";
  });
  if (picks) return { kind: "pick", view };
  return view.phase === "on" && game?.phase === "place" ? { kind: "place", view } : null;
}

/**
 * What the reader can answer before it is asked: the pick of the next bout, if there may be one. Of
 * their own picks all but those that were used fit, whatever this bout comes to.
 * @param {View} view
 * @param {Seat} you
 */
export function premoves(view, you) {
  const { game } = view;
  if (view.phase !== "on" || game === null || game.bout >= game.most_bouts) return null;
  if (game.phase !== "starter" && game.phase !== "place") return null;
  return { kind: "pick", id: `${game.bout + 1}.pick.${you}`, view };
}

/**
 * Who scores which groups: those of a bout that has ended, or as they stand after a placement.
 * @param {Live.LogEvent} event
 * @param {View} view
 * @param {string[]} names
 * @returns {Boards.Scored | null}
 */
export function scored(event, view, names) {
  const { game } = view;
  if (game === null) return null;
  const number = Number(event.data.bout);
  if (event.kind === "bout") {
    const bout = game.bouts.find((each) => each.bout === number);
    if (bout === undefined) return null;
    const title = `Bout ${number}: ${points(bout.points, names)}`;
    return { seat: bout.winner, title, marks: groupMarks(bout.groups, names, true) };
  }
  if (event.kind !== "place" || game.phase !== "place" || game.bout !== number) return null;
  const title = `If bout ${number} ended now: ${points(given(game.standing), names)}`;
  return { seat: null, title, marks: groupMarks(groupsOf(game), names, false) };
}

/**
 * @param {Tetronogo.Group[]} groups
 * @param {string[]} names
 * @param {boolean} final
 * @returns {Boards.Mark[]}
 */
function groupMarks(groups, names, final) {
  /**
   * @param {Seat | null} seat
   * @returns {Boards.Mark[]}
   */
  const marksOf = (seat) => {
    const theirs = groups.filter(({ taker }) => taker === seat);
    if (theirs.length === 0) return [];
    const sizes = theirs.map(({ squares }) => squares.length).sort((a, b) => b - a);
    const shown = sizes.length > 8 ? [...sizes.slice(0, 8), "…"] : sizes;
    const sum = sizes.reduce((all, one) => all + one, 0);
    const count = theirs.length === 1 ? "1 group" : `${theirs.length} groups`;
    const at = theirs.map(
      ({ squares }) => `[data-square="${squareName(...middle(squares.map(square)))}"]`,
    );
    if (seat === null) {
      return [
        {
          sign: "0",
          seat,
          words: `nobody's, with as many edges of each: ${count} (${shown.join(" + ")})`,
        },
      ];
    }
    const words = `${names[seat]}, who has more edges around ${count}: ${shown.join(" + ")}`;
    return [{ sign: `+${sum}`, seat, words, at: final ? at : [] }];
  };
  return [0, 1, null].flatMap(marksOf);
}

/**
 * What decided the match, where the reason alone does not say it; or an empty string.
 * @param {Live.WonView<Tetronogo.Game>} view
 * @param {string[]} names
 */
export function because(view, names) {
  if (view.result.reason !== "tie-break") return "";
  const winner = names[view.result.winner];
  const won = view.game.bouts.findLast((bout) => bout.winner !== null);
  if (won === undefined) return `No bout was won, so the advantage decides: ${winner} had it.`;
  return `With equal totals, the latest bout that was won decides: ${winner} won bout ${won.bout}.`;
}

/**
 * A still picture of the position, for replays; after a placement with the groups as they stand.
 * @param {View} view
 * @param {{names?: string[], events?: Live.LogEvent[]}} [more]
 */
export function render(view, { names = ["First player", "Second player"], events = [] } = {}) {
  const board = newBoard("", true);
  const { game } = view;
  const bout = game === null ? null : boutShown(game);
  drawBout(board, bout, names);
  if (bout !== null && !bout.groups && events.some(({ kind }) => kind === "place")) {
    board.draw(
      "marks",
      groupsOf(bout).map((group) => drawGroup(board, group, true)),
    );
  }
  board.svg.setAttribute("aria-label", `${caption(view)}. ${inWords(bout, names)}`);
  return board.svg;
}

/**
 * The tetrominoes that each player has yet to use, for replays; the one in play is marked.
 * @param {View} view
 * @param {string[]} names
 */
export function hands(view, names) {
  const { game } = view;
  if (game === null) return null;
  return h(
    "div",
    { class: "still-hands" },
    [0, 1].map((seat) => {
      const now = game.phase === "over" ? null : (game.pieces?.[seat] ?? null);
      const left = game.unused[seat];
      return h(
        "section",
        { class: "still-hand", "aria-label": `${names[seat]}'s tetrominoes` },
        h(
          "h3",
          { class: "still-hand__title" },
          seatBadge(seat),
          names[seat],
          now === null ? ` ${left.length} left` : ` ${now} in play, ${left.length} left`,
        ),
        h("p", { class: "visually-hidden" }, left.join(", ")),
        h(
          "div",
          { class: "still-hand__pieces", "aria-hidden": "true" },
          LETTERS.map((letter) => {
            const kind = letter === now ? "now" : left.includes(letter) ? "left" : "gone";
            return h(
              "span",
              { class: `still-piece still-piece--${kind}` },
              letterArt(letter, seat),
            );
          }),
        ),
      );
    }),
  );
}

/**
 * The bout that a position is about: the one in play, or the last one once it has been scored.
 * @param {Tetronogo.Game} game
 * @returns {Shown | null}
 */
function boutShown(game) {
  const between = game.phase === "pick" || game.phase === "over";
  return between ? (game.bouts.at(-1) ?? null) : { ...game, groups: null };
}

// -- geometry ---------------------------------------------------------------------------------

/**
 * @param {string} name
 * @returns {Boards.Cell}
 */
function square(name) {
  return [name.charCodeAt(0) - 65, Number(name.slice(1)) - 1];
}

/**
 * @param {number} column
 * @param {number} row
 */
function squareName(column, row) {
  return `${COLUMNS[column]}${row + 1}`;
}

/**
 * @param {string} label
 * @param {boolean} still
 */
function newBoard(label, still) {
  return new Board({ label, columns: COLUMNS, rows: ROWS, name: squareName, still });
}

/**
 * @param {string[]} rows
 * @param {number} column
 * @param {number} row
 */
function isEmpty(rows, column, row) {
  return rows[row]?.[column] === ".";
}

/**
 * The squares of each placed piece, in order of play.
 * @param {Tetronogo.Placed} bout
 */
function piecesOf(bout) {
  const pieces = bout.placed.map(([seat, text]) => ({
    seat,
    text,
    cells: /** @type {Boards.Cell[]} */ ([]),
  }));
  bout.board.forEach((line, row) =>
    [...line].forEach((mark, column) => {
      if (mark !== ".") pieces[parseInt(mark, 36)].cells.push([column, row]);
    }),
  );
  return pieces;
}

/**
 * The groups of empty squares with both seats' edges and who would take them.
 * @param {Tetronogo.Placed} bout
 */
export function groupsOf(bout) {
  /** @type {Map<string, Seat>} */
  const owner = new Map();
  for (const { seat, cells } of piecesOf(bout)) {
    for (const [column, row] of cells) owner.set(squareName(column, row), seat);
  }
  const seen = new Set();
  /** @type {Tetronogo.Group[]} */
  const groups = [];
  for (let row = 0; row < SIZE; row += 1) {
    for (let column = 0; column < SIZE; column += 1) {
      const start = squareName(column, row);
      if (owner.has(start) || seen.has(start)) continue;
      /** @type {Tetronogo.Group} */
      const group = { squares: [], edges: [0, 0], taker: null };
      /** @type {Boards.Cell[]} */
      const queue = [[column, row]];
      seen.add(start);
      while (queue.length > 0) {
        const [x, y] = given(queue.pop());
        group.squares.push(squareName(x, y));
        for (const [nx, ny] of [
          [x + 1, y],
          [x - 1, y],
          [x, y + 1],
          [x, y - 1],
        ]) {
          if (nx < 0 || ny < 0 || nx >= SIZE || ny >= SIZE) continue;
          const name = squareName(nx, ny);
          const seat = owner.get(name);
          if (seat !== undefined) group.edges[seat] += 1;
          else if (!seen.has(name)) {
            seen.add(name);
            queue.push([nx, ny]);
          }
        }
      }
      const [first, second] = group.edges;
      if (first !== second) group.taker = first > second ? 0 : 1;
      groups.push(group);
    }
  }
  return groups;
}

/**
 * Whether a shape with its box's corner there lies on empty squares of the board only.
 * @param {string[]} rows
 * @param {Boards.Cell[]} shape
 * @param {number} column
 * @param {number} row
 */
export function fits(rows, shape, column, row) {
  return shape.every(([dx, dy]) => isEmpty(rows, column + dx, row + dy));
}

/**
 * Every corner where a shape fits, row by row.
 * @param {string[]} rows
 * @param {Boards.Cell[]} shape
 */
export function placesOf(rows, shape) {
  /** @type {Boards.Cell[]} */
  const found = [];
  for (let row = 0; row < SIZE; row += 1) {
    for (let column = 0; column < SIZE; column += 1) {
      if (fits(rows, shape, column, row)) found.push([column, row]);
    }
  }
  return found;
}

/**
 * A shape's squares with its corner there.
 * @param {Boards.Cell[]} shape
 * @param {Boards.Cell} corner
 */
function moved(shape, [column, row]) {
  return shape.map(([dx, dy]) => /** @type {Boards.Cell} */ ([column + dx, row + dy]));
}

// -- drawing ----------------------------------------------------------------------------------

/**
 * @param {Board} board
 * @param {Shown | null} bout
 * @param {string[]} names
 */
function drawBout(board, bout, names) {
  board.draw(
    "floor",
    s("rect", {
      class: "board__ground",
      x: board.corner(0, 0)[0],
      y: board.corner(0, 0)[1],
      width: SIZE * UNIT,
      height: SIZE * UNIT,
    }),
  );
  if (bout === null) {
    board.draw("pieces");
    board.draw("marks");
    return;
  }
  const pieces = piecesOf(bout);
  board.draw(
    "pieces",
    pieces.map((piece, index) =>
      drawPiece(board, piece, index === pieces.length - 1 && !bout.groups, names),
    ),
  );
  board.draw(
    "marks",
    (bout.groups ?? []).map((group) => drawGroup(board, group, true)),
  );
}

/**
 * @param {Board} board
 * @param {Piece} piece
 * @param {boolean} isLast
 * @param {string[]} names
 */
function drawPiece(board, { seat, text, cells }, isLast, names) {
  const d = outline(cells, board.corner(0, 0));
  return s(
    "g",
    { class: `piece piece--${seat}${isLast ? " piece--last" : ""}` },
    s("title", {}, `${names[seat]}: ${text}`),
    s("path", { class: "piece__body", d, fill: board.seatFill(seat) }),
    s("path", { class: "piece__edge", d }),
  );
}

/**
 * @param {Board} board
 * @param {Tetronogo.Group} group
 * @param {boolean} counted
 */
function drawGroup(board, { squares, taker }, counted) {
  const cells = squares.map(square);
  const kind = taker === null ? "nobody" : `seat-${taker}`;
  const d = outline(cells, board.corner(0, 0), { inset: 3.5, round: 3 });
  const [x, y] = board.corner(...middle(cells));
  return s(
    "g",
    { class: `group group--${kind}` },
    s("path", { class: "group__ground", d }),
    counted || squares.length > 1
      ? s(
          "text",
          { class: "group__points", x: x + UNIT / 2, y: y + UNIT / 2 + 5, "text-anchor": "middle" },
          taker === null ? "–" : String(squares.length),
        )
      : null,
  );
}

/**
 * The cell of a group that is nearest to its centre.
 * @param {Boards.Cell[]} cells
 */
function middle(cells) {
  const mean = [0, 1].map(
    (axis) => cells.reduce((sum, cell) => sum + cell[axis], 0) / cells.length,
  );
  /** @param {Boards.Cell} cell */
  const distance = (cell) => (cell[0] - mean[0]) ** 2 + (cell[1] - mean[1]) ** 2;
  return cells.reduce((best, cell) => (distance(cell) < distance(best) ? cell : best));
}

/**
 * @param {Tetronogo.Letter} letter
 * @param {Seat | null} [seat]
 */
function letterArt(letter, seat = null) {
  return cellsArt(
    DRAWN[letter].flatMap((line, row) =>
      [...line].flatMap((mark, column) =>
        mark === "#" ? [/** @type {Boards.Cell} */ ([column, row])] : [],
      ),
    ),
    seat,
    2,
  );
}

/**
 * A piece by itself, in a picture four squares wide.
 * @param {Boards.Cell[]} cells
 * @param {Seat | null} seat
 * @param {number} [rows] how many squares high the picture is
 */
function cellsArt(cells, seat, rows = 4) {
  const width = UNIT * (1 + Math.max(...cells.map(([column]) => column)));
  const height = UNIT * (1 + Math.max(...cells.map(([, row]) => row)));
  return s(
    "svg",
    {
      class: `tetromino${seat === null ? "" : ` tetromino--${seat}`}`,
      viewBox: `${width / 2 - 2 * UNIT} ${(height - rows * UNIT) / 2} ${4 * UNIT} ${rows * UNIT}`,
      "aria-hidden": "true",
      focusable: "false",
    },
    cells.map(([column, row]) =>
      s("rect", {
        x: column * UNIT + 1,
        y: row * UNIT + 1,
        width: UNIT - 2,
        height: UNIT - 2,
        rx: 3,
      }),
    ),
  );
}

/**
 * @param {Shown | null} bout
 * @param {string[]} names
 */
function inWords(bout, names) {
  if (bout === null) return "The board is empty.";
  const counts = [0, 1].map((seat) => bout.placed.filter(([by]) => by === seat).length);
  const placed = `${names[0]} has placed ${counts[0]} and ${names[1]} ${counts[1]}.`;
  return bout.points ? `${placed} ${points(bout.points, names)}.` : placed;
}

/**
 * @param {number[]} scored
 * @param {string[]} names
 */
function points([first, second], names) {
  return `${names[0]} ${first}, ${names[1]} ${second}`;
}

// -- playing ----------------------------------------------------------------------------------

/**
 * Put a playable board into `root`.
 * @param {HTMLElement} root
 * @param {Boards.Api} api
 */
export function mount(root, api) {
  return new TetronogoBoard(root, api);
}

class TetronogoBoard {
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
    this.turns = 0; // index into the rotations of the mover's piece
    /** @type {string | null} */
    this.choice = null; // a pick or an order, chosen and not yet confirmed
    /** @type {string | null} */
    this.asked = null; // the decision that the present cards belong to
    /** @type {number | null} */
    this.watched = null; // number of the finished bout that is looked at
    this.showGroups = false;

    this.board = newBoard("Board, A1 to L12", false);
    this.placing = new Placing({ board: this.board, root, api, rules: this.#rules() });
    this.frame = h("div", { class: "board-frame" }, this.board.svg);
    this.strip = h("ol", { class: "bouts", "aria-label": "Bouts" });
    this.facts = h("p", { class: "board-facts" });
    this.cards = h("div", { class: "board-cards", hidden: true });
    this.groups = h("details", { class: "disclosure board-groups keeps-room", hidden: true });
    this.bar = new ConfirmBar({ onConfirm: () => this.#confirm(), onCancel: () => this.#cancel() });
    this.moveTools = this.placing.tools();
    this.inHand = h("button", {
      type: "button",
      class: "button in-hand",
      "data-drags": "",
      on: { click: () => this.placing.nudge(0, 0) },
    });
    this.inHandDrawn = "";
    this.hand = h("div", { class: "keeps-room" }, this.inHand);
    this.placing.dragFrom(this.hand, "button", () => (this.#isPlacing ? () => {} : null));
    this.groupsToggle = h(
      "button",
      {
        type: "button",
        class: "button button--small keeps-room",
        "aria-pressed": "false",
        on: { click: () => this.#toggleGroups() },
      },
      "Show the groups",
    );
    fill(api.dock, this.cards);
    fill(
      root,
      this.frame,
      this.bar.root,
      h("div", { class: "board-tools" }, this.moveTools, this.hand, this.groupsToggle),
      this.facts,
      this.strip,
      this.groups,
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
      this.moveTools.hidden = this.hand.hidden = true;
      this.groupsToggle.hidden = this.strip.hidden = true;
      return;
    }
    this.#drawStrip();
    this.#drawCards();
    this.#draw();
  }

  focus() {
    if (this.cards.hidden || !focusChoice(this.cards)) this.board.focus();
  }

  /**
   * A placement as it is written, or null.
   * @param {string} text
   */
  #read(text) {
    const read = /^([A-L]\d{1,2}) (\d+)$/.exec(text);
    const turns = read === null ? -1 : this.#rotations.indexOf(Number(read[2]));
    return read === null || turns < 0 ? null : { spot: square(read[1]), turns };
  }

  /**
   * What a planned placement looks like.
   * @param {string} text
   * @returns {Boards.Ghost[]}
   */
  ghosts(text) {
    const { you } = this.ctx;
    if (you === null || this.view?.game?.phase !== "place" || this.watched !== null) return [];
    const read = this.#read(text);
    if (read === null) return [];
    const shape = this.#shapes[String(this.#rotations[read.turns])];
    const d = outline(moved(shape, read.spot), this.board.corner(0, 0));
    return [{ svg: this.board.svg, d }];
  }

  /**
   * Show a planned placement, to be confirmed. Whether it is one that can be shown.
   * @param {string} text
   */
  preview(text) {
    const picked = /^pick ([OISZLJT])$/.exec(text);
    if (picked !== null && this.#asks("pick")) {
      if (this.#game.used[this.#you].some((letter) => letter === picked[1])) return false;
      this.#choose(picked[1]);
      return true;
    }
    if (!this.#asks("place")) return false;
    const read = this.#read(text);
    if (read === null) return false;
    this.watched = null;
    this.turns = read.turns;
    this.placing.pin(read.spot);
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

  /** The bout that a pick is for: the next one, where it is made in advance. */
  get #picksFor() {
    return this.#game.bout + (this.#game.phase === "pick" ? 0 : 1);
  }

  get #isPlacing() {
    return this.#asks("place") && this.watched === null;
  }

  get #letter() {
    return given(this.#game.pieces)[this.#you];
  }

  get #shapes() {
    return given(this.#game.shapes[this.#letter]);
  }

  get #rotations() {
    return Object.keys(this.#shapes)
      .map(Number)
      .sort((a, b) => a - b);
  }

  get #degrees() {
    return this.#rotations[this.turns % this.#rotations.length];
  }

  get #shape() {
    return this.#shapes[String(this.#degrees)];
  }

  get #text() {
    return `${squareName(...this.#spot)} ${this.#degrees}`;
  }

  #reset() {
    this.placing.clear();
    this.choice = null;
    this.watched = null;
    this.api.draft("");
  }

  #confirm() {
    if (this.ctx.pending !== null) return;
    if (this.#isPlacing && this.placing.pinned) this.api.submit(this.#text);
    else if (this.#asks("pick") && this.choice) this.api.submit(`pick ${this.choice}`);
    else if (this.#asks("starter") && this.choice) this.api.submit(this.choice);
  }

  #cancel() {
    if (this.view === null || this.ctx.pending !== null) return;
    this.placing.cancel();
  }

  #toggleGroups() {
    this.showGroups = !this.showGroups;
    this.groupsToggle.setAttribute("aria-pressed", String(this.showGroups));
    this.#draw();
  }

  // -- where the piece can be: spots are [column, row] of the corner of its box -----------------

  /** @returns {Boards.PlacingRules<Boards.Cell>} */
  #rules() {
    return {
      active: () => this.#isPlacing,
      idle: () =>
        whyIdle(this.ctx, this.#asks("place") ? "Go back to the bout that is on first." : ""),
      at: ([x, y]) => this.#centred([x, y]),
      corner: (spot) => spot,
      shifted: (_, [column, row]) => this.#clamped(Math.round(column), Math.round(row)),
      nudged: ([column, row], dx, dy) => this.#clamped(column + dx, row + dy),
      home: (from) => this.#clamped(...from),
      next: (spot, by) => this.#next(spot, by),
      turned: (spot, by) => this.#turned(spot, by),
      fits: (spot) => fits(this.#game.board, this.#shape, ...spot),
      words: (spot) => this.#words(spot),
      redraw: () => this.#draw(),
      confirm: () => this.#confirm(),
      cancelled: () => {
        this.choice = null;
        this.api.draft("");
        uncheck(this.cards);
      },
    };
  }

  get #box() {
    return [0, 1].map((axis) => 1 + Math.max(...this.#shape.map((cell) => cell[axis])));
  }

  /**
   * @param {number} column
   * @param {number} row
   * @returns {Boards.Cell}
   */
  #clamped(column, row) {
    const [width, height] = this.#box;
    return [Math.min(Math.max(column, 0), SIZE - width), Math.min(Math.max(row, 0), SIZE - height)];
  }

  /** @param {[number, number]} point */
  #centred([x, y]) {
    const [width, height] = this.#box;
    return this.#clamped(Math.round(x - width / 2), Math.round(y - height / 2));
  }

  /**
   * @param {Boards.Cell | null} spot
   * @param {number} by
   */
  #turned(spot, by) {
    const [width, height] = this.#box;
    this.turns = turn(this.turns, by, this.#rotations.length);
    // About the middle, so that the piece stays under the finger or the pointer.
    return spot === null ? null : this.#centred([spot[0] + width / 2, spot[1] + height / 2]);
  }

  /**
   * @param {Boards.Cell | null} spot
   * @param {number} by
   */
  #next(spot, by) {
    const places = placesOf(this.#game.board, this.#shape);
    if (places.length === 0) return null;
    /** @param {Boards.Cell} spot */
    const order = ([column, row]) => row * SIZE + column;
    if (by > 0) {
      const here = spot === null ? -1 : order(spot);
      return places.find((place) => order(place) > here) ?? places[0];
    }
    const here = spot === null ? SIZE * SIZE : order(spot);
    return places.findLast((place) => order(place) < here) ?? places[places.length - 1];
  }

  /** @param {Boards.Cell | null} spot */
  #words(spot) {
    const piece = `${this.#letter} turned by ${this.#degrees} degrees`;
    if (spot === null) return `${piece}.`;
    const where = `${piece}, at ${squareName(...spot)}`;
    const taken = moved(this.#shape, spot)
      .filter((cell) => !isEmpty(this.#game.board, ...cell))
      .map((cell) => squareName(...cell));
    if (taken.length === 0) return `${where}: fits.`;
    return `${where}: does not fit, ${taken.join(", ")} ${taken.length === 1 ? "is" : "are"} taken.`;
  }

  // -- drawing --------------------------------------------------------------------------------

  #bout() {
    const game = this.#game;
    if (this.watched !== null) return game.bouts[this.watched - 1];
    return boutShown(game);
  }

  #draw() {
    if (!this.view?.game) return;
    const game = this.#game;
    const bout = this.#bout();
    const placing = this.#isPlacing;
    drawBout(this.board, bout, this.ctx.names);
    const live = bout !== null && !bout.groups && game.phase === "place";
    if (live && this.showGroups) {
      this.board.draw(
        "marks",
        groupsOf(bout).map((group) => drawGroup(this.board, group, false)),
      );
    }
    this.groupsToggle.hidden = !live;
    this.moveTools.hidden = this.hand.hidden = !placing;
    if (placing) this.#drawInHand();
    this.#drawSquares(bout, placing);
    this.#drawGhost();
    if (placing) this.api.draft(this.placing.pinned ? this.#text : "");
    this.#drawFacts(bout, live);
    this.#drawBar();
  }

  /**
   * @param {Shown | null} bout
   * @param {boolean} placing
   */
  #drawSquares(bout, placing) {
    const covered = new Set();
    const reachable = new Set();
    if (placing) {
      const shapes = Object.values(this.#shapes);
      for (const shape of shapes) {
        for (const [column, row] of placesOf(this.#game.board, shape)) {
          for (const [dx, dy] of shape) {
            const name = squareName(column + dx, row + dy);
            reachable.add(name);
            if (shape === this.#shape) covered.add(name);
          }
        }
      }
    }
    this.board.accuse(this.ctx.refusal?.squares ?? []);
    /** @type {Map<string, Seat>} */
    const owner = new Map();
    const pieces = bout === null ? [] : piecesOf(bout);
    for (const { seat, cells } of pieces) {
      for (const [column, row] of cells) owner.set(squareName(column, row), seat);
    }
    this.board.classify((name) => {
      if (!placing || owner.has(name)) return "";
      if (covered.has(name)) return "square--legal";
      return reachable.has(name) ? "" : "square--dead";
    });
    /** @type {Map<string, Tetronogo.Group>} */
    const takers = new Map();
    for (const group of bout?.groups ?? []) {
      for (const name of group.squares) takers.set(name, group);
    }
    const { names } = this.ctx;
    this.board.describe((name) => {
      const seat = owner.get(name);
      if (seat !== undefined) return names[seat];
      const group = takers.get(name);
      if (group) {
        const who = group.taker === null ? "nobody" : names[group.taker];
        return `empty, in a group of ${group.squares.length} for ${who}`;
      }
      if (!placing) return "empty";
      return covered.has(name)
        ? "empty, your piece can cover it"
        : "empty, out of reach in this rotation";
    });
    this.board.svg.classList.toggle("board--playing", placing);
  }

  /* The piece as it is turned, to be dragged onto the board. */
  #drawInHand() {
    const drawn = `${this.#letter} ${this.#degrees}`;
    if (drawn === this.inHandDrawn) return;
    this.inHandDrawn = drawn;
    const label = `Your ${this.#letter}: drag it onto the board, or press to bring it there`;
    this.inHand.setAttribute("aria-label", label);
    this.inHand.title = label;
    fill(this.inHand, cellsArt(this.#shape, this.#you));
  }

  #drawGhost() {
    const { spot, pinned } = this.placing;
    if (this.ctx.pending !== null && this.ctx.decision?.kind === "place" && spot !== null) {
      this.#ghost("sending");
    } else if (this.#isPlacing && spot !== null) {
      const legal = fits(this.#game.board, this.#shape, ...spot);
      this.#ghost(legal ? (pinned ? "pinned" : "legal") : "wrong");
    } else {
      this.board.draw("ghost");
    }
  }

  /** @param {string} kind */
  #ghost(kind) {
    const cells = moved(this.#shape, this.#spot);
    const d = outline(cells, this.board.corner(0, 0));
    this.board.draw(
      "ghost",
      s(
        "g",
        { class: `ghost ghost--${kind}` },
        s("path", {
          class: "ghost__body",
          d,
          fill: kind === "wrong" ? this.board.hatch : this.board.seatFill(this.#you),
        }),
        s("path", { class: "ghost__edge", d }),
      ),
    );
  }

  /**
   * @param {Shown | null} bout
   * @param {boolean} live
   */
  #drawFacts(bout, live) {
    const { names } = this.ctx;
    const game = this.#game;
    const lines = [];
    if (live) {
      lines.push(`If the bout ended now: ${points(given(game.standing), names)}.`);
      if (game.left) lines.push(`Placements left: ${points(game.left, names)}.`);
    } else if (bout?.groups) {
      lines.push(`${boutTitle(bout)}: ${points(bout.points, names)}. ${boutEnd(bout, names)}`);
    }
    write(this.facts, lines.join(" "));
    this.groups.hidden = !bout?.groups;
    if (bout?.groups && this.groups.dataset.bout !== String(bout.bout)) {
      this.groups.dataset.bout = String(bout.bout);
      fill(
        this.groups,
        h("summary", {}, `All groups of bout ${bout.bout}`),
        groupList(bout, names),
      );
    }
  }

  #drawBar() {
    const { pending, decision } = this.ctx;
    if (pending !== null) {
      this.bar.sending(`Sending ${pending}…`);
      return;
    }
    if (this.#isPlacing && this.placing.pinned) {
      const where = squareName(...this.#spot);
      this.bar.show({
        words: `${this.#letter} at ${where}, turned by ${this.#degrees}°`,
        verb: "Place",
      });
    } else if (this.#isPlacing && this.placing.put) {
      this.bar.show({ words: this.#words(this.placing.spot), ready: false, verb: "Place" });
    } else if (decision?.kind === "pick" && this.choice) {
      const until = this.ctx.planning
        ? " It can be changed until the bout begins."
        : " Secret until both have picked, and final.";
      this.bar.show({
        words: `${this.choice} for bout ${this.#picksFor}.${this.bar.isTrial ? "" : until}`,
        verb: `Pick ${this.choice}`,
      });
    } else if (decision?.kind === "starter" && this.choice) {
      this.bar.show({
        words: `You go ${this.choice} in bout ${this.#game.bout}.`,
        verb: `Go ${this.choice}`,
      });
    } else {
      this.bar.hide();
    }
  }

  #drawStrip() {
    const game = this.#game;
    const { names } = this.ctx;
    const finished = game.bouts.map((bout) => {
      const shown = this.watched === bout.bout;
      return h(
        "li",
        {},
        h(
          "button",
          {
            type: "button",
            class: "bout",
            "aria-pressed": String(shown),
            "data-winner": bout.winner,
            on: { click: () => this.#watch(shown ? null : bout.bout) },
          },
          h("span", { class: "bout__name" }, `Bout ${bout.bout}`),
          boutScore(bout),
          h(
            "span",
            { class: "bout__note" },
            bout.winner === null ? "drawn" : `${names[bout.winner]} won`,
          ),
        ),
      );
    });
    const playing =
      game.phase === "over"
        ? []
        : [
            h(
              "li",
              {},
              h(
                "button",
                {
                  type: "button",
                  class: "bout bout--now",
                  "aria-pressed": String(this.watched === null),
                  on: { click: () => this.#watch(null) },
                },
                h("span", { class: "bout__name" }, `Bout ${game.bout}`),
                game.pieces
                  ? h(
                      "span",
                      { class: "bout__pieces" },
                      letterArt(game.pieces[0], 0),
                      h(
                        "span",
                        { class: "visually-hidden" },
                        `${game.pieces[0]} against ${game.pieces[1]}`,
                      ),
                      letterArt(game.pieces[1], 1),
                    )
                  : h("span", { class: "bout__pieces" }, "secret picks"),
                h("span", { class: "bout__note" }, "in play"),
              ),
            ),
          ];
    const held = document.activeElement;
    const focused = [...this.strip.querySelectorAll("button")].findIndex((each) => each === held);
    fill(this.strip, finished, playing);
    if (focused >= 0) this.strip.querySelectorAll("button")[focused]?.focus();
    this.strip.hidden = false;
  }

  /** @param {number | null} number */
  #watch(number) {
    this.watched = number;
    this.#drawStrip();
    this.#drawCards();
    this.#draw();
    const bout = this.#bout();
    if (bout) this.api.announce(`${boutTitle(bout)}. ${inWords(bout, this.ctx.names)}`);
  }

  #drawCards() {
    const { decision, pending } = this.ctx;
    const asks = decision !== null && decision.kind !== "place";
    this.cards.hidden = !asks;
    this.bar.below(asks ? this.cards : this.frame, this.frame);
    const stamp = asks ? decision.id : null;
    if (stamp !== this.asked) {
      this.asked = stamp;
      if (asks) {
        fill(this.cards, decision.kind === "pick" ? this.#pickCards() : this.#starterCards());
      } else fill(this.cards);
    }
    for (const input of this.cards.querySelectorAll("input")) {
      input.disabled = pending !== null || input.closest("[data-disabled]") !== null;
    }
  }

  /** @param {string} value */
  #choose(value) {
    this.choice = value;
    this.api.draft(this.#asks("pick") ? `pick ${value}` : value);
    this.#drawBar();
  }

  #pickCards() {
    const game = this.#game;
    const { names } = this.ctx;
    const you = this.#you;
    const theirs = game.used[1 - you];
    const cards = choiceCards({
      legend: `Your tetromino for bout ${this.#picksFor}`,
      choose: (value) => this.#choose(value),
      confirm: () => this.#confirm(),
      options: LETTERS.map((letter) => {
        const bout = game.used[you].indexOf(letter) + 1;
        return {
          value: letter,
          title: letter,
          text: bout > 0 ? `bout ${bout}` : "",
          art: letterArt(letter, you),
          disabled: bout > 0,
        };
      }),
    });
    cards.classList.add("choices--pieces");
    const used = theirs.length === 0 ? "has used none yet" : `has used ${theirs.join(", ")}`;
    return h("div", {}, cards, h("p", { class: "small muted" }, `${names[1 - you]} ${used}.`));
  }

  #starterCards() {
    const game = this.#game;
    const { names } = this.ctx;
    const you = this.#you;
    const pieces = given(game.pieces);
    const other = names[1 - you];
    return choiceCards({
      legend: `Who starts bout ${game.bout}? You have ${pieces[you]}, ${other} has ${pieces[1 - you]}.`,
      choose: (value) => this.#choose(value),
      confirm: () => this.#confirm(),
      options: [
        { value: "first", title: "Go first", text: `You place the first ${pieces[you]}.` },
        { value: "second", title: "Go second", text: `${other} places first.` },
      ],
    });
  }
}

/** @param {{bout: number, pieces: Tetronogo.Letter[] | null}} bout */
function boutTitle(bout) {
  return `Bout ${bout.bout}, ${given(bout.pieces).join(" against ")}`;
}

/**
 * @param {Tetronogo.Bout} bout
 * @param {string[]} names
 */
function boutEnd(bout, names) {
  if (bout.out_of_time !== null) return `${names[bout.out_of_time]} ran out of time.`;
  return `${names[given(bout.stuck)]} had no place left.`;
}

/** @param {Tetronogo.Bout} bout */
function boutScore(bout) {
  return h(
    "span",
    { class: "bout__score" },
    seatBadge(0),
    h("span", {}, String(bout.points[0])),
    h("span", { "aria-hidden": "true" }, ":"),
    h("span", {}, String(bout.points[1])),
    seatBadge(1),
  );
}

/**
 * @param {Tetronogo.Bout} bout
 * @param {string[]} names
 */
function groupList(bout, names) {
  const rows = [...bout.groups]
    .sort((a, b) => b.squares.length - a.squares.length)
    .map((group) =>
      h(
        "tr",
        {},
        h("td", {}, squaresInShort(group.squares)),
        h("td", { class: "is-number" }, String(group.squares.length)),
        h("td", { class: "is-number" }, String(group.edges[0])),
        h("td", { class: "is-number" }, String(group.edges[1])),
        h("td", {}, group.taker === null ? "nobody" : names[group.taker]),
      ),
    );
  const head = ["Squares", "Size", `Edges ${names[0]}`, `Edges ${names[1]}`, "Taken by"];
  return h(
    "div",
    {
      class: "table-wrap",
      tabindex: "0",
      role: "region",
      "aria-label": `Groups of bout ${bout.bout}`,
    },
    h(
      "table",
      { class: "table" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          head.map((words) => h("th", { scope: "col" }, words)),
        ),
      ),
      h("tbody", {}, rows),
    ),
  );
}

/** @param {string[]} squares */
function squaresInShort(squares) {
  return squares.length <= 4
    ? squares.join(" ")
    : `${squares.slice(0, 3).join(" ")} and ${squares.length - 3} more`;
}
