// @ts-check
/* The board of Domino Wars. See static/js/boards/README.md for what every board module offers.

   Long, since what is drawn, where a pointer or the keys are and what they would do are one state;
   and each module more is a request more before somebody can move. */

import { fill, h, icon, s, write } from "../../../../static/js/match/dom.js";
import { SavedMoves } from "../../../../static/js/match/saved.js";
import { DeckBuilder, deckOf, deckTrouble } from "./deck.js";
import { EFFECTS, effectsOf, effectWords, nothing, tile, tiles } from "./tiles.js";
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
  wonSquares,
} from "../../../../static/js/boards/kit.js";
import { Placing, PLACING_KEYS, whyIdle } from "../../../../static/js/boards/placing.js";

const SIZE = 4;
/** @typedef {Live.View<DominoWars.Game>} View */

/**
 * Where a domino can be: its left or upper square.
 * @typedef {{column: number, row: number}} Spot
 */

const COLUMNS = [..."ABCD"];
const ROWS = [..."1234"];

export const keys = PLACING_KEYS;

export const waiting = {
  first: "choosing who plays first",
  deck: "choosing eight dominoes in secret",
  mulligan: "deciding about the opening hand",
  play: "playing a domino",
  return: "choosing a domino to go back into the draw pile",
  top: "choosing a domino for the top of the draw pile",
  discard: "choosing a domino to discard",
};

export const examples = {
  first: "first",
  deck: "deck 01 12 23 34 45 56 06 16",
  mulligan: "keep",
  play: "34 B2:B3",
  return: "return 12",
  top: "top 45",
  discard: "discard 06",
};

/**
 * What the effects with a choice ask.
 * @type {Record<string, {number: number, asks: string}>}
 */
const EFFECT_CHOICES = {
  return: {
    number: 0,
    asks: "Which domino of your discard pile goes to the bottom of your draw pile?",
  },
  top: { number: 2, asks: "Which domino of your draw pile goes on top of it?" },
  discard: {
    number: 4,
    asks: "Which domino of your hand do you discard, to draw another one?",
  },
};

const SKIPPED = {
  six: "because of the 6 played before",
  hand: "with no domino in hand",
  board: "since no domino in hand fits",
};

/**
 * The squares of each seat.
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
  if (game.phase === "first") return "Before the decks";
  if (game.phase === "deck") return "Decks are chosen in secret";
  if (game.phase === "shuffle" || game.phase === "mulligan") return "Opening hands";
  const turns = `${game.number} ${game.number === 1 ? "domino" : "dominoes"} played`;
  return game.phase === "over" ? turns : `Turn ${game.number + 1}`;
}

/**
 * What the log shows beside an event: how many squares changed hands.
 * @param {Live.LogEvent} event
 */
export function tags(event) {
  const taken = event.kind === "play" ? (event.data.taken ?? []) : [];
  if (taken.length > 0) {
    return [
      {
        text: `takes ${taken.length}`,
        title: `Takes ${taken.join(" and ")} from the opponent`,
        kind: "score",
      },
    ];
  }
  return [];
}

/**
 * What the reader can plan now, or null. Where their dominoes fit is told in their turn alone: until
 * then it follows from what lies there.
 * @param {View} view
 * @param {Seat} you
 */
export function plans(view, you) {
  const { game } = view;
  const hand = game?.sides[you].hand ?? null;
  const direction = game?.directions?.[you];
  if (view.phase !== "on" || game === null || game.phase !== "play") return null;
  if (hand === null || direction === undefined) return null;
  const legal = Object.fromEntries(
    hand.map((domino) => [domino, waysOn(game.cells, domino, direction === "vertical")]),
  );
  /** @type {View} */
  const planned = { ...view, game: { ...game, ask: "play", legal } };
  return { kind: "play", view: planned };
}

/**
 * What the reader can answer before it is asked: their deck, while it is chosen who plays first.
 * @param {View} view
 * @param {Seat} _you
 */
export function premoves(view, _you) {
  const isNext = view.phase === "on" && view.game?.phase === "first";
  return isNext ? { kind: "deck", id: "deck", view } : null;
}

/**
 * Where a domino fits: each half covers nothing, or a lower number.
 * @param {DominoWars.Cell[]} cells
 * @param {string} domino
 * @param {boolean} upright
 */
export function waysOn(cells, domino, upright) {
  const shown = new Map(cells.map((cell) => [cell.square, cell.number]));
  const found = [];
  for (let row = 0; row < SIZE - (upright ? 1 : 0); row += 1) {
    for (let column = 0; column < SIZE - (upright ? 0 : 1); column += 1) {
      const names = squaresOf({ column, row }, upright).map((each) => squareName(...each));
      // A double is the same one either way.
      for (const pair of domino[0] === domino[1] ? [names] : [names, [...names].reverse()]) {
        const lies = pair.every((name, half) => (shown.get(name) ?? -1) < Number(domino[half]));
        if (lies) found.push(pair.join(":"));
      }
    }
  }
  return found;
}

/**
 * A play as it is written, or null: the lower number's square comes first.
 * @param {string} text
 */
function read(text) {
  const found = /^([0-6][0-6]) ([A-D][1-4]):([A-D][1-4])$/.exec(text);
  if (found === null) return null;
  const [, domino, one, other] = found;
  const cells = [square(one), square(other)];
  const [first] = [...cells].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const spot = { column: first[0], row: first[1] };
  return { domino, cells, spot, turns: first === cells[0] ? 0 : 1 };
}

/**
 * What a play scored: the squares that came to the player, and whose they were.
 * @param {Live.LogEvent} event
 * @param {View} _view
 * @param {string[]} names
 * @returns {Boards.Scored | null}
 */
export function scored(event, _view, names) {
  if (event.kind !== "play" || event.seat === null) return null;
  const { won = [], taken = [] } = event.data;
  if (won.length === 0) return null;
  const other = names[1 - event.seat];
  const fresh = won.filter((name) => !taken.includes(name));
  /** @param {string[]} squares */
  const at = (squares) => squares.map((name) => `[data-square="${name}"]`);
  /** @type {Boards.Mark[]} */
  const marks = [];
  if (fresh.length > 0) {
    const words = `empty before: ${fresh.join(", ")}`;
    marks.push({ sign: `+${fresh.length}`, words, at: [at(fresh).join()] });
  }
  if (taken.length > 0) {
    const words = `taken from ${other}: ${taken.join(", ")}; ${other} loses as many`;
    marks.push({ sign: `+${taken.length}`, words, at: [at(taken).join()] });
  }
  const count = won.length === 1 ? "1 square" : `${won.length} squares`;
  return { seat: event.seat, title: `${names[event.seat]} won ${count}`, marks };
}

/**
 * What decided the match, where the reason alone does not say it; or an empty string.
 * @param {Live.WonView<DominoWars.Game>} view
 * @param {string[]} names
 */
export function because(view, names) {
  if (view.result.reason !== "tie-break") return "";
  const { winner } = view.result;
  const what = view.game.items["tie-advantage"][winner] > 0 ? "Tie Advantage" : "the advantage";
  return `Both own equally many squares, and ${what} decides for ${names[winner]}.`;
}

/**
 * A still picture of the position, for replays: the board with the squares that these events won,
 * and what each player has.
 * @param {View} view
 * @param {{names?: string[], events?: Live.LogEvent[]}} [more]
 */
export function render(view, { names = ["First player", "Second player"], events = [] } = {}) {
  const board = newBoard("", true);
  const { game } = view;
  board.svg.setAttribute("aria-label", caption(view));
  if (game === null) return board.svg;
  board.draw("pieces", drawCells(board, game));
  board.draw(
    "over",
    events
      .filter(({ kind }) => kind === "play")
      .map(({ data }) =>
        wonSquares(board, (data.won ?? []).map(square), (data.taken ?? []).map(square)),
      ),
  );
  board.svg.setAttribute("aria-label", `${caption(view)}. ${inWords(game, names)}`);
  return h(
    "div",
    { class: "wars wars--still" },
    h("div", { class: "board-frame" }, board.svg),
    h(
      "div",
      { class: "wars__sides" },
      [0, 1].map((seat) => side(game, seat, names, { hand: true })),
    ),
  );
}

// -- geometry ---------------------------------------------------------------------------------

/**
 * @param {number} column
 * @param {number} row
 */
function squareName(column, row) {
  return `${COLUMNS[column]}${row + 1}`;
}

/**
 * @param {string} name
 * @returns {Boards.Cell}
 */
function square(name) {
  return [COLUMNS.indexOf(name[0]), Number(name[1]) - 1];
}

/**
 * @param {string} label
 * @param {boolean} still
 */
function newBoard(label, still) {
  const board = new Board({ label, columns: COLUMNS, rows: ROWS, name: squareName, still });
  board.svg.classList.add("board--wars");
  const [x, y] = board.corner(0, 0);
  board.draw(
    "floor",
    s("rect", { class: "board__ground", x, y, width: SIZE * UNIT, height: SIZE * UNIT }),
  );
  return board;
}

/**
 * Both squares of a spot `{column, row}` for that direction, the left or upper one first.
 * @param {Spot} spot
 * @param {boolean} upright
 * @returns {[Boards.Cell, Boards.Cell]}
 */
function squaresOf({ column, row }, upright) {
  return [[column, row], upright ? [column, row + 1] : [column + 1, row]];
}

// -- drawing ----------------------------------------------------------------------------------

/**
 * @param {Board} board
 * @param {DominoWars.Game} game
 */
function drawCells(board, game) {
  const last = game.last?.squares ?? [];
  return [
    game.cells.map((cell) => drawCell(board, cell)),
    last.length > 0 &&
      s("path", {
        class: "wars-last",
        d: outline(last.map(square), board.corner(0, 0), { inset: 1, round: 6 }),
      }),
  ];
}

/**
 * @param {Board} board
 * @param {DominoWars.Cell} cell
 */
function drawCell(board, { square: name, number, owner }) {
  const [x, y] = board.corner(...square(name));
  return s(
    "g",
    { class: `wars-square wars-square--${owner}` },
    s("rect", {
      class: "wars-square__ground",
      x: x + 1.5,
      y: y + 1.5,
      width: UNIT - 3,
      height: UNIT - 3,
      rx: 5,
      fill: board.seatFill(owner),
    }),
    plate(owner, x + UNIT / 2, y + UNIT / 2),
    s(
      "text",
      {
        class: "wars-square__number",
        x: x + UNIT / 2,
        y: y + UNIT / 2 + 6.2,
        "text-anchor": "middle",
      },
      String(number),
    ),
  );
}

/**
 * The number stands on its owner's sign: a diamond or a ring.
 * @param {Seat} owner
 * @param {number} x
 * @param {number} y
 */
function plate(owner, x, y) {
  if (owner === 1) return s("circle", { class: "wars-plate", cx: x, cy: y, r: 11.5 });
  return s("path", {
    class: "wars-plate",
    d: `M${x} ${y - 15}L${x + 15} ${y}L${x} ${y + 15}L${x - 15} ${y}Z`,
  });
}

/**
 * @param {DominoWars.Game} game
 * @param {string[]} names
 */
function inWords(game, names) {
  if (game.cells.length === 0) return "The board is empty.";
  /** @param {Seat} seat */
  const owned = (seat) =>
    game.cells
      .filter(({ owner }) => owner === seat)
      .map((cell) => `${cell.square} ${cell.number}`)
      .join(", ") || "nothing";
  return `${names[0]}: ${owned(0)}. ${names[1]}: ${owned(1)}.`;
}

/**
 * What a seat has, as far as the reader knows it. `hand` says whether the hand is shown here.
 * @param {DominoWars.Game} game
 * @param {Seat} seat
 * @param {string[]} names
 * @param {{hand: boolean}} more
 */
function side(game, seat, names, { hand }) {
  const has = game.sides[seat];
  const flags = [
    game.directions &&
      h(
        "span",
        { class: "tag", title: "The only direction this player may play in" },
        game.directions[seat] === "vertical" ? "↕ vertical" : "↔ horizontal",
      ),
    has.skip && h("span", { class: "tag tag--danger" }, "Next turn skipped"),
  ];
  return h(
    "section",
    { class: "wars-side", "aria-label": `${names[seat]}'s dominoes` },
    h("h3", { class: "wars-side__head" }, seatBadge(seat), h("span", {}, names[seat]), flags),
    hand &&
      part(
        "Hand",
        has.hand_size,
        tiles(has.hand ?? nothing(has.hand_size), { label: "Hand", small: true }),
        has.hand === null && shownNote("known to be there", has.shown.hand),
      ),
    pilePart(has),
    part(
      "Discard pile",
      has.discards.length,
      tiles(has.discards, { label: "Discard pile", small: true }),
    ),
  );
}

/**
 * @param {string} title
 * @param {number} count
 * @param {...Dom.Child} content
 */
function part(title, count, ...content) {
  return h(
    "div",
    { class: "wars-side__part" },
    h(
      "h4",
      { class: "wars-side__title" },
      title,
      h("span", { class: "wars-side__count" }, ` ${count}`),
    ),
    count > 0 ? content : null,
  );
}

/**
 * @param {string} words
 * @param {string[]} names
 */
function shownNote(words, names) {
  return names.length > 0 && h("p", { class: "wars-side__note" }, `${words}: ${names.join(", ")}`);
}

/**
 * Owners know what is in their pile, but only such places in it as they settled themselves.
 * @param {DominoWars.Side} has
 */
function pilePart(has) {
  if (has.order === null) {
    return part(
      "Draw pile",
      has.pile_size,
      tiles([...nothing(has.pile_size - has.shown.bottom.length), ...has.shown.bottom], {
        label: "Draw pile, from the top",
        small: true,
      }),
      shownNote("in hand or pile", has.shown.either),
    );
  }
  const places = [...has.order];
  const unsettled = [...(has.pile ?? [])];
  for (const name of places) {
    if (name !== null) unsettled.splice(unsettled.indexOf(name), 1);
  }
  return part(
    "Draw pile",
    has.pile_size,
    unsettled.length < places.length && h("p", { class: "wars-side__note" }, "From the top:"),
    unsettled.length < places.length &&
      tiles(places, { label: "Draw pile, from the top", small: true }),
    unsettled.length > 0 &&
      h(
        "p",
        { class: "wars-side__note" },
        unsettled.length === places.length
          ? "In an order you do not know:"
          : "Face down there, in an order you do not know:",
      ),
    unsettled.length > 0 && tiles(unsettled, { label: "In an unknown order", small: true }),
  );
}

// -- playing ----------------------------------------------------------------------------------

/**
 * Put a playable board into `root`.
 * @param {HTMLElement} root
 * @param {Boards.Api} api
 */
export function mount(root, api) {
  return new WarsBoard(root, api);
}

class WarsBoard {
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
    /** @type {string | null} */
    this.domino = null; // the name of the one taken from the hand
    this.turns = 0; // 0: the lower number on the left or above; 1: the other way round
    /** @type {string | null} */
    this.choice = null; // the text of a choice that is not confirmed yet
    /** @type {string | null} */
    this.key = null; // the question that is being asked: a turn asks several under one id
    /** @type {Map<string, string>} */
    this.stamps = new Map();
    /** @type {DeckBuilder | null} */
    this.builder = null;

    this.board = newBoard("Board, A1 to D4", false);
    this.placing = new Placing({ board: this.board, root, api, rules: this.#rules() });
    this.notice = h("div", { class: "wars-notice", role: "status", hidden: true });
    this.cards = h("div", { class: "board-cards", hidden: true });
    this.sheet = h("div", { class: "wars-sheet", role: "group", hidden: true });
    this.frame = h("div", { class: "board-frame wars__board" }, this.board.svg, this.sheet);
    this.hand = h("fieldset", { class: "wars-hand", "data-grows": "", hidden: true });
    this.placing.dragFrom(this.hand);
    this.others = h("div", { class: "wars__side wars__side--others", "data-grows": "" });
    this.own = h("div", { class: "wars__side wars__side--own", "data-grows": "" });
    this.facts = h("p", { class: "board-facts" });
    this.moveTools = this.placing.tools();
    this.bar = new ConfirmBar({ onConfirm: () => this.#confirm(), onCancel: () => this.#cancel() });
    this.table = h(
      "div",
      { class: "wars" },
      h(
        "div",
        { class: "wars__main" },
        this.frame,
        this.hand,
        this.bar.root,
        h("div", { class: "board-tools" }, this.moveTools),
        h("div", { class: "wars__facts", "data-grows": "" }, this.facts, this.notice),
      ),
      h("div", { class: "wars__sides" }, this.others, this.own, legend()),
    );
    fill(root, this.cards, this.table);
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
    this.view = view;
    this.ctx = ctx;
    const key = ctx.decision === null ? null : `${ctx.decision.id}/${ctx.decision.kind}`;
    if (key !== this.key) this.#reset(key);
    if (view.game === null) {
      write(this.facts, "Who has the advantage is drawn by lot.");
      this.moveTools.hidden = true;
      return;
    }
    this.#drawNotice();
    this.#drawCards();
    this.#drawSheet();
    this.#drawHand();
    this.#drawSides();
    this.#draw();
  }

  focus() {
    const takes = this.#asks("play") && this.domino === null;
    const [place] = [this.sheet, this.cards, ...(takes ? [this.hand] : [])].filter(
      ({ hidden }) => !hidden,
    );
    if (place !== undefined && focusChoice(place, "input, .deck__card")) return;
    if (!this.table.hidden) this.board.focus();
  }

  /**
   * What a planned play looks like.
   * @param {string} text
   * @returns {Boards.Ghost[]}
   */
  ghosts(text) {
    const planned = read(text);
    if (planned === null || this.view?.game?.phase !== "play") return [];
    const words = planned.cells.map(([column, row], half) => {
      const [x, y] = this.board.corner(column + 0.5, row + 0.5);
      /** @type {[number, number]} */
      const at = [x, y];
      return { text: planned.domino[half], at };
    });
    const d = outline(planned.cells, this.board.corner(0, 0), { inset: 1, round: 6 });
    return [{ svg: this.board.svg, d, words }];
  }

  /**
   * Show a planned play, a deck or another choice, to be confirmed. Whether it is one that can be
   * shown.
   * @param {string} text
   */
  preview(text) {
    const deck = this.#asks("deck") ? deckOf(text) : null;
    if (deck !== null && this.builder) {
      if (deckTrouble(deck, this.builder.repeats) !== "") return false;
      this.builder.lay(deck);
      return true;
    }
    if (this.#asks("first", "mulligan", "return", "top", "discard")) return this.#offer(text);
    const planned = read(text);
    if (planned === null || !this.#asks("play")) return false;
    if (!(planned.domino in this.#game.legal)) {
      this.api.refuse(`You do not have ${planned.domino} in your hand.`);
      return true;
    }
    this.domino = planned.domino;
    this.turns = planned.turns;
    this.#drawHand();
    this.placing.pin(planned.spot);
    return true;
  }

  /**
   * Choose among what is asked, where it stands on the page.
   * @param {string} text
   */
  #offer(text) {
    const value = CSS.escape(text.split(" ").at(-1) ?? "");
    const input = [this.cards, this.sheet]
      .map((place) => place.querySelector(`input[value="${value}"]`))
      .find((each) => each !== null);
    if (!(input instanceof HTMLInputElement) || input.disabled) return false;
    input.checked = true;
    this.#choose(text);
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

  /** @param {...string} kinds */
  #asks(...kinds) {
    const { decision, pending, paused } = this.ctx;
    return decision !== null && kinds.includes(decision.kind) && pending === null && !paused;
  }

  get #playing() {
    return this.#asks("play") && this.domino !== null;
  }

  get #upright() {
    return this.#game.directions?.[this.#you] === "vertical";
  }

  /** The two numbers of the domino in board order. */
  get #numbers() {
    const numbers = [...given(this.domino)].map(Number);
    return this.turns === 0 ? numbers : numbers.reverse();
  }

  /** @param {string | null} key */
  #reset(key) {
    this.key = key;
    this.placing.clear();
    this.domino = null;
    this.turns = 0;
    this.choice = null;
    this.api.draft("");
  }

  get #text() {
    const squares = squaresOf(this.#spot, this.#upright).map(([column, row]) =>
      squareName(column, row),
    );
    return `${this.domino} ${(this.turns === 0 ? squares : squares.reverse()).join(":")}`;
  }

  #confirm() {
    if (this.ctx.pending !== null) return;
    if (this.#playing && this.placing.pinned) this.api.submit(this.#text);
    else if (this.#asks("first", "deck", "mulligan", "return", "top", "discard") && this.choice) {
      this.api.submit(this.choice);
    }
  }

  #cancel() {
    if (this.view === null || this.ctx.pending !== null) return;
    this.placing.cancel();
  }

  #cancelled() {
    this.choice = this.#asks("deck") ? this.choice : null;
    this.domino = null;
    this.api.draft(this.choice ?? "");
    uncheck(this.cards, this.root);
    if (this.view?.game) this.#drawBar();
  }

  /** @param {string | null} text */
  #choose(text) {
    this.choice = text;
    this.api.draft(text ?? "");
    this.#drawBar();
  }

  /** @param {string} domino */
  #take(domino) {
    this.domino = domino;
    this.placing.show(this.placing.spot);
    const count = this.#game.legal[domino].length;
    this.api.announce(
      `${domino}. ${effectWords(domino)}. It fits in ${count} ${count === 1 ? "way" : "ways"}.`,
    );
  }

  // -- where the domino can be: spots are {column, row} of its left or upper square ----------------

  /** @returns {Boards.PlacingRules<Spot>} */
  #rules() {
    return {
      active: () => this.#playing,
      idle: () =>
        whyIdle(
          this.ctx,
          this.#asks("play") ? "Take a domino from your hand first." : "",
          "domino",
        ),
      at: (point) => this.#under(point),
      corner: ({ column, row }) => [column, row],
      shifted: (_, [column, row]) => this.#clamped(Math.round(column), Math.round(row)),
      nudged: ({ column, row }, dx, dy) => this.#clamped(column + dx, row + dy),
      home: ([column, row]) => this.#home(column, row),
      next: (spot, by) => this.#next(spot, by),
      turned: (spot, by) => {
        this.turns = turn(this.turns, by, 2);
        return spot;
      },
      fits: (spot) => this.#fits(spot, this.turns),
      words: (spot) => this.#words(spot),
      tapped: (spot) => {
        // A tap on the domino swaps its ends, where that fits too.
        if (this.#fits(spot, 1 - this.turns)) this.placing.rotate(1);
      },
      redraw: () => this.#draw(),
      confirm: () => this.#confirm(),
      cancelled: () => this.#cancelled(),
    };
  }

  /**
   * @param {number} column
   * @param {number} row
   * @returns {Spot}
   */
  #clamped(column, row) {
    const [right, below] = this.#upright ? [SIZE - 1, SIZE - 2] : [SIZE - 2, SIZE - 1];
    return { column: Math.min(Math.max(column, 0), right), row: Math.min(Math.max(row, 0), below) };
  }

  /**
   * @param {Spot} spot
   * @param {number} turns
   */
  #fits(spot, turns) {
    const squares = squaresOf(spot, this.#upright).map(([column, row]) => squareName(column, row));
    const name = (turns === 0 ? squares : squares.reverse()).join(":");
    return this.#game.legal[given(this.domino)]?.includes(name) ?? false;
  }

  /**
   * The spot under a pointer. Where the domino fits there only with its ends swapped, it turns; where
   * it does not fit at all, it lies the other way across the square that is pointed at, if it fits so.
   * @param {[number, number]} point
   */
  #under([x, y]) {
    const [column, row] = [Math.floor(x), Math.floor(y)];
    const near = this.#upright
      ? this.#clamped(column, Math.round(y - 1))
      : this.#clamped(Math.round(x - 1), row);
    const both = this.#upright
      ? [this.#clamped(column, row - 1), this.#clamped(column, row)]
      : [this.#clamped(column - 1, row), this.#clamped(column, row)];
    const spot = [near, ...both].find((each) => this.#fitsSomehow(each)) ?? near;
    return this.#turnedToFit(spot);
  }

  /** @param {Spot} spot */
  #fitsSomehow(spot) {
    return this.#fits(spot, 0) || this.#fits(spot, 1);
  }

  /** @param {Spot} spot */
  #turnedToFit(spot) {
    if (!this.#fits(spot, this.turns) && this.#fits(spot, 1 - this.turns)) {
      this.turns = 1 - this.turns;
    }
    return spot;
  }

  /**
   * @param {number} column
   * @param {number} row
   */
  #home(column, row) {
    const here = this.#turnedToFit(this.#clamped(column, row));
    return this.#fits(here, this.turns) ? here : this.#next(null, 1);
  }

  /**
   * @param {Spot | null} spot
   * @param {number} by
   */
  #next(spot, by) {
    /** @param {Spot} spot */
    const order = ({ column, row }) => row * SIZE + column;
    const found = this.#game.legal[given(this.domino)].map((pair) => {
      const [first, second] = pair.split(":").map((name) => {
        const [column, row] = square(name);
        return { column, row };
      });
      return order(first) < order(second) ? { ...first, turns: 0 } : { ...second, turns: 1 };
    });
    if (found.length === 0) return null;
    /** @param {Spot & {turns: number}} each */
    const place = (each) => 2 * order(each) + each.turns;
    found.sort((a, b) => place(a) - place(b));
    const here = spot === null ? (by > 0 ? -1 : Infinity) : place({ ...spot, turns: this.turns });
    const next =
      by > 0
        ? (found.find((each) => place(each) > here) ?? found[0])
        : (found.findLast((each) => place(each) < here) ?? found[found.length - 1]);
    this.turns = next.turns;
    return { column: next.column, row: next.row };
  }

  /**
   * What lies under the domino: `{name, laid, before}`, `before` null where the square is empty.
   * @param {Spot} spot
   */
  #covered(spot) {
    const numbers = this.#numbers;
    return squaresOf(spot, this.#upright).map(([column, row], index) => {
      const name = squareName(column, row);
      return {
        name,
        laid: numbers[index],
        before: this.#game.cells.find((cell) => cell.square === name) ?? null,
      };
    });
  }

  /** @param {Spot | null} spot */
  #words(spot) {
    if (spot === null) return `${this.#numbers.join(this.#upright ? " above " : " left of ")}.`;
    const covered = this.#covered(spot);
    const where = covered.map(({ name, laid }) => `${laid} on ${name}`).join(", ");
    if (!this.#fits(spot, this.turns)) {
      const why = covered
        .flatMap(({ name, laid, before }) =>
          before !== null && before.number >= laid
            ? [`${name} shows ${before.number}, not less than ${laid}`]
            : [],
        )
        .join("; ");
      return `${where}: it cannot lie there. ${why}.`;
    }
    return `${where}. ${this.#gain(covered)}`;
  }

  /**
   * How many squares both have afterwards, and what changes hands.
   * @param {{name: string, before: DominoWars.Cell | null}[]} covered
   */
  #gain(covered) {
    const { names } = this.ctx;
    const you = this.#you;
    const taken = covered.filter(({ before }) => before !== null && before.owner !== you);
    const fresh = covered.filter(({ before }) => before === null);
    const [mine, theirs] = [this.#game.scores[you], this.#game.scores[1 - you]];
    const lost =
      taken.length > 0
        ? `, ${names[1 - you]} ${theirs} → ${theirs - taken.length} (${taken.map(({ name }) => name).join(" and ")})`
        : "";
    const gained = taken.length + fresh.length;
    return `You ${mine}${gained > 0 ? ` → ${mine + gained}` : ", as before"}${lost}.`;
  }

  // -- drawing --------------------------------------------------------------------------------

  /**
   * Whether something has to be drawn anew: it is left alone while nothing in it has changed.
   * @param {string} name
   * @param {...unknown} content
   */
  #changed(name, ...content) {
    const stamp = JSON.stringify(content);
    if (this.stamps.get(name) === stamp) return false;
    this.stamps.set(name, stamp);
    return true;
  }

  #drawNotice() {
    const { names } = this.ctx;
    const { passed, phase } = this.#game;
    const shown = phase === "play" && this.view?.phase !== "over" ? passed : [];
    this.notice.hidden = shown.length === 0;
    if (!this.#changed("notice", shown, names)) return;
    fill(
      this.notice,
      shown.map(({ seat, why }) =>
        h(
          "p",
          {},
          seatBadge(seat),
          h("strong", {}, ` ${names[seat]}'s turn was skipped`),
          `, ${SKIPPED[why]}.`,
        ),
      ),
    );
  }

  #drawCards() {
    const { decision, pending } = this.ctx;
    const asks = decision !== null && ["first", "deck", "mulligan"].includes(decision.kind);
    const kind = asks ? decision.kind : null;
    const sealed = this.#sealedDeck();
    this.table.hidden = kind === "deck" || sealed !== null; // a deck takes the board's place
    this.cards.hidden = kind === null && sealed === null;
    if (this.#changed("cards", asks ? decision.id : null, sealed)) {
      this.builder = null;
      if (kind === "first") fill(this.cards, this.#orderCards());
      else if (kind === "deck") fill(this.cards, this.#deckBuilder());
      else if (kind === "mulligan") fill(this.cards, this.#mulliganCards());
      else if (sealed !== null) {
        fill(
          this.cards,
          h(
            "section",
            { class: "deck" },
            h("h2", { class: "deck__title" }, "Your deck is in"),
            tiles(sealed, { label: "Your deck" }),
          ),
        );
      } else fill(this.cards);
      if (this.table.hidden) this.root.prepend(this.cards);
      else this.api.dock.prepend(this.cards);
    }
    this.builder?.disable(!this.#asks("deck"));
    for (const input of this.cards.querySelectorAll("input")) {
      if (input.type === "radio") input.disabled = pending !== null;
    }
  }

  /* The own deck that waits for the opponent's, or null. */
  #sealedDeck() {
    const mine = this.view?.decisions.find(
      ({ seat, kind }) => seat === this.ctx.you && kind === "deck",
    );
    return typeof mine?.sealed === "string" ? deckOf(mine.sealed) : null;
  }

  #orderCards() {
    const other = this.ctx.names[1 - this.#you];
    return choiceCards({
      legend: "Who plays first? The choice is yours.",
      choose: (value) => this.#choose(value),
      confirm: () => this.#confirm(),
      options: [
        { value: "first", title: "Play first", text: "You play vertically only, and begin." },
        {
          value: "second",
          title: "Play second",
          text: `You play horizontally only; ${other} begins.`,
        },
      ],
    });
  }

  #deckBuilder() {
    const hasAccount = document.documentElement.hasAttribute("data-signed-in");
    const { isTrial } = this.bar;
    const builder = new DeckBuilder({
      repeats: this.#game.items["domino-repeat"][this.#you],
      changed: () => this.#choose(builder.text),
      saved: hasAccount && !isTrial ? new SavedMoves(given(this.ctx.header).ruleset) : null,
      secret: !isTrial,
      announce: (text) => this.api.announce(text),
      refuse: (text) => this.api.refuse(text),
    });
    this.builder = builder;
    this.choice = builder.text;
    return builder.root;
  }

  #mulliganCards() {
    const you = this.#you;
    const left = this.#game.mulligans[you];
    return [
      h("p", { class: "wars-side__note" }, "Your opening hand:"),
      tiles(given(this.#game.sides[you].hand), { label: "Your opening hand" }),
      choiceCards({
        legend: `Keep it? You may take another hand ${left === 1 ? "once more" : `${left} more times`}.`,
        choose: (value) => this.#choose(value),
        confirm: () => this.#confirm(),
        options: [
          { value: "keep", title: "Keep this hand", text: "The match goes on with these three." },
          {
            value: "mulligan",
            title: "Take another hand",
            text: "These go back; you get three of the other five.",
          },
        ],
      }),
    ];
  }

  /* An effect's choice, over the board it is about. */
  #drawSheet() {
    const { decision, pending } = this.ctx;
    const open = decision !== null && ["return", "top", "discard"].includes(decision.kind);
    this.sheet.hidden = !open;
    this.frame.classList.toggle("wars__board--asked", open);
    if (this.#changed("sheet", open ? [this.key, this.#game.choices] : null)) {
      fill(this.sheet, open ? this.#sheetContent(decision.kind) : []);
    }
    for (const input of this.sheet.querySelectorAll("input")) input.disabled = pending !== null;
  }

  /** @param {string} kind */
  #sheetContent(kind) {
    const { number, asks } = EFFECT_CHOICES[kind];
    const played = given(this.#game.last).move.slice(0, 2);
    const steps = effectsOf(played).map((effect) =>
      h(
        "li",
        { "aria-current": effect.number === number ? "step" : null },
        h("b", {}, String(effect.number)),
        ` ${effect.short}`,
      ),
    );
    const look = h(
      "button",
      {
        type: "button",
        class: "button button--small button--icon",
        "aria-label": "Look at the board",
        title: "Look at the board",
        "aria-pressed": "false",
        on: {
          click: () => {
            const away = this.sheet.classList.toggle("wars-sheet--away");
            look.setAttribute("aria-pressed", String(away));
          },
        },
      },
      icon("eye") ?? "👁",
    );
    this.sheet.classList.remove("wars-sheet--away");
    this.sheet.setAttribute("aria-label", `Effect of the ${number}`);
    return [
      h(
        "div",
        { class: "wars-sheet__head" },
        h("ol", { class: "wars-steps", "aria-label": `Effects of ${played}` }, steps),
        look,
      ),
      h(
        "div",
        { class: "wars-sheet__body" },
        choiceCards({
          legend: asks,
          choose: (value) => this.#choose(`${kind} ${value}`),
          confirm: () => this.#confirm(),
          options: this.#game.choices.map((name) => ({
            value: name,
            title: name,
            art: tile(name),
            text: effectsOf(name)
              .map(({ short }) => short)
              .join(", "),
          })),
        }),
      ),
    ];
  }

  #drawHand() {
    const { you, paused } = this.ctx;
    const hand = you === null ? null : this.#game.sides[you].hand;
    this.hand.hidden = hand === null || this.#game.phase !== "play" || this.view?.phase === "over";
    // Its room is there before the decks are chosen.
    if (you !== null) this.hand.classList.add("keeps-room");
    if (hand === null || this.hand.hidden) return;
    const asked = this.ctx.decision?.kind === "play";
    const ways = Object.fromEntries(
      hand.map((name) => [name, asked ? this.#game.legal[name].length : null]),
    );
    if (this.#changed("hand", hand, ways, asked)) {
      fill(
        this.hand,
        h(
          "legend",
          { class: "hand__legend" },
          hand.length === 0
            ? "Your hand is empty"
            : asked
              ? "Your hand: take a domino"
              : "Your hand",
        ),
        h(
          "div",
          { class: "wars-hand__dominoes" },
          hand.map((name) => this.#handCard(name, ways[name])),
        ),
      );
    }
    const open = this.#asks("play") && !paused;
    let taken = false;
    for (const input of this.hand.querySelectorAll("input")) {
      input.disabled = !open || ways[input.value] === 0;
      // Of two alike dominoes one is as good as the other.
      input.checked =
        !taken &&
        input.value === this.domino &&
        (input.checked || !this.hand.querySelector(`input[value="${this.domino}"]:checked`));
      taken ||= input.checked;
    }
  }

  /**
   * @param {string} name
   * @param {number | null} ways
   */
  #handCard(name, ways) {
    const fit =
      ways === null
        ? null
        : ways === 0
          ? "fits nowhere"
          : `fits ${ways} ${ways === 1 ? "way" : "ways"}`;
    return h(
      "label",
      {
        class: `wars-hand__domino${ways === 0 ? " wars-hand__domino--stuck" : ""}`,
        title: effectWords(name),
      },
      h("input", {
        type: "radio",
        name: `${this.board.id}-hand`,
        value: name,
        "aria-label": `${name[0]} and ${name[1]}. ${effectWords(name)}${fit === null ? "" : `; ${fit}`}`,
        on: { change: () => this.#take(name) },
      }),
      tile(name),
      h(
        "span",
        { class: "wars-hand__words", "aria-hidden": "true" },
        effectsOf(name).map(({ short }) => h("span", {}, short)),
      ),
      fit && h("span", { class: "wars-hand__fit", "aria-hidden": "true" }, fit),
    );
  }

  #drawSides() {
    const { names, you } = this.ctx;
    const game = this.#game;
    const over = this.view?.phase === "over";
    if (!this.#changed("sides", game.sides, game.directions, names, you, over)) return;
    const top = you === null ? 0 : 1 - you;
    fill(this.others, side(game, top, names, { hand: true }));
    fill(
      this.own,
      side(game, 1 - top, names, { hand: you === null || over || game.phase !== "play" }),
    );
  }

  #draw() {
    if (!this.view?.game) return;
    const game = this.#game;
    const { names, refusal } = this.ctx;
    const playing = this.#playing;
    this.board.draw("pieces", drawCells(this.board, game));
    const open = new Set(
      playing ? game.legal[given(this.domino)].flatMap((pair) => pair.split(":")) : [],
    );
    this.board.draw(
      "marks",
      [...open].map((name) => this.#openMark(name)),
    );
    this.board.accuse(this.ctx.decision?.kind === "play" ? (refusal?.squares ?? []) : []);
    this.board.classify((name) => (open.has(name) ? "square--legal" : ""));
    const filled = new Map(game.cells.map((cell) => [cell.square, cell]));
    this.board.describe((name) => {
      const cell = filled.get(name);
      const what = cell === undefined ? "empty" : `${cell.number}, ${names[cell.owner]}'s`;
      return open.has(name) ? `${what}, your domino fits here` : what;
    });
    this.board.svg.classList.toggle("board--playing", playing);
    this.moveTools.hidden = !playing;
    this.#drawGhost(playing);
    this.#drawFacts();
    this.#drawBar();
    if (this.#asks("play")) this.api.draft(playing && this.placing.pinned ? this.#text : "");
  }

  /**
   * A filled square hides its ground, so that the domino can lie there is shown around it.
   * @param {string} name
   */
  #openMark(name) {
    const [x, y] = this.board.corner(...square(name));
    return s("rect", {
      class: "wars-open",
      x: x + 0.6,
      y: y + 0.6,
      width: UNIT - 1.2,
      height: UNIT - 1.2,
      rx: 5,
    });
  }

  /** @param {boolean} playing */
  #drawGhost(playing) {
    const { spot, pinned } = this.placing;
    const { you, pending } = this.ctx;
    const sending = pending !== null && this.ctx.decision?.kind === "play";
    if (spot === null || this.domino === null || !(playing || sending)) {
      this.board.draw("ghost");
      return;
    }
    const fits = this.#fits(spot, this.turns);
    const kind = sending ? "sending" : !fits ? "wrong" : pinned ? "pinned" : "legal";
    const d = outline(squaresOf(spot, this.#upright), this.board.corner(0, 0), {
      inset: 1,
      round: 6,
    });
    this.board.draw(
      "ghost",
      s(
        "g",
        { class: `ghost ghost--${kind}` },
        this.#covered(spot).map(({ name, laid, before }) => [
          s(
            "g",
            { class: "ghost__body" },
            drawCell(this.board, { square: name, number: laid, owner: given(you) }),
          ),
          before && this.#before(before),
        ]),
        fits ? null : s("path", { class: "ghost__hatch", d, fill: this.board.hatch }),
        s("path", { class: "ghost__edge", d }),
      ),
    );
  }

  /**
   * The number that the domino covers, struck out, in the colours of its owner.
   * @param {DominoWars.Cell} cell
   */
  #before({ square: name, number, owner }) {
    const [x, y] = this.board.corner(...square(name));
    const [cx, cy] = [x + UNIT - 8, y + 8];
    return s(
      "g",
      { class: `wars-before wars-before--${owner}` },
      s("circle", { cx, cy, r: 6.4 }),
      s("text", { x: cx, y: cy + 3.2, "text-anchor": "middle" }, String(number)),
      s("path", { d: `M${cx - 4} ${cy + 4}L${cx + 4} ${cy - 4}` }),
    );
  }

  #drawFacts() {
    const game = this.#game;
    const { names } = this.ctx;
    const lines = [];
    if (game.phase === "deck") lines.push("Both players choose their decks in secret.");
    if (game.last !== null) {
      const { seat, move, taken } = game.last;
      const took = taken.length > 0 ? `, taking ${taken.join(" and ")}` : "";
      lines.push(`Last: ${names[seat]} played ${move}${took} (${effectWords(move.slice(0, 2))}).`);
    }
    if (this.#asks("play") && this.domino === null) {
      lines.push(
        `You play ${this.#upright ? "vertically" : "horizontally"}, on empty squares and lower numbers.`,
      );
    }
    write(this.facts, lines.join(" "));
  }

  #drawBar() {
    const { pending, decision } = this.ctx;
    const asked = decision?.kind;
    this.bar.below(
      ["first", "deck", "mulligan"].includes(asked ?? "") ? this.cards : this.hand,
      this.hand,
    );
    if (pending !== null) {
      this.bar.sending(`Sending ${pending}…`);
    } else if (this.#playing && this.placing.pinned) {
      this.bar.show({ words: this.#words(this.placing.spot), verb: "Play it" });
    } else if (
      this.choice &&
      asked !== undefined &&
      this.#asks("first", "deck", "mulligan", "return", "top", "discard")
    ) {
      this.bar.show(choiceWords(asked, this.choice));
    } else {
      this.bar.hide();
    }
  }
}

/**
 * A choice in words, and what the button says.
 * @param {string} kind
 * @param {string} choice
 */
function choiceWords(kind, choice) {
  const name = choice.split(" ").at(-1);
  switch (kind) {
    case "first":
      return { words: `You play ${choice}.`, verb: `Play ${choice}` };
    case "deck":
      return { words: `Your deck: ${choice.slice(5)}.`, verb: "Choose this deck" };
    case "mulligan":
      return choice === "keep"
        ? { words: "You keep this hand.", verb: "Keep it" }
        : { words: "You take another hand.", verb: "Take another" };
    case "return":
      return {
        words: `${name} goes to the bottom of your draw pile.`,
        verb: `Return ${name}`,
      };
    case "top":
      return { words: `${name} goes on top of your draw pile.`, verb: `Put ${name} on top` };
    default:
      return { words: `You discard ${name} and draw another one.`, verb: `Discard ${name}` };
  }
}

/** What the numbers do, to look up. */
function legend() {
  return h(
    "details",
    { class: "disclosure wars-legend" },
    h("summary", {}, "What the numbers do"),
    h(
      "div",
      { class: "disclosure__body" },
      h(
        "dl",
        {},
        EFFECTS.map(({ text }, number) => [h("dt", {}, String(number)), h("dd", {}, text)]),
      ),
      h("p", {}, "The lower half takes effect first. At the end of a turn you draw one."),
    ),
  );
}
