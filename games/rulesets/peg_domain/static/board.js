/* The boards of Peg Domain. See static/js/boards/README.md for what every board module offers. */

import { csrfToken } from "../../../../static/js/site.js";
import { spoken } from "../../../../static/js/match/clock.js";
import { fill, h, s, write } from "../../../../static/js/match/dom.js";
import {
  Board,
  choiceCards,
  ConfirmBar,
  outline,
  seatBadge,
  turn,
  UNIT,
} from "../../../../static/js/boards/kit.js";
import { Placing, PLACING_KEYS, whyIdle } from "../../../../static/js/boards/placing.js";

const COLUMNS = [..."ABCDEFGHIJKL"];
const ROWS = Array.from({ length: 16 }, (_, row) => String(row + 1));
const SIDE = 9;
const WAYS = { "0,-1": "U", "1,0": "R", "0,1": "D", "-1,0": "L" };
const COLOURS = ["red", "blue"];

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

/** The squares of the domain that each seat owns, once there are sides. */
export function scores(view) {
  return view.game?.domain ? view.game.scores : null;
}

/** Where the match stands, in a few words. */
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

/** What the log shows beside an event: how many squares a placement covered. */
export function tags(event) {
  if (event.kind !== "place") return [];
  const count = event.data.covered.length;
  return [{ text: String(count), title: `Covers ${count} squares`, kind: "score" }];
}

/** What decided the match, where the reason alone does not say it; or an empty string. */
export function because(view, names) {
  if (view.result.reason !== "tie-break") return "";
  const { used } = view.game;
  const winner = names[view.result.winner];
  if (used[0] !== used[1]) {
    return `With the domain shared evenly, more squares of the pallet used decide: ${used[0]} to ${used[1]}.`;
  }
  return `Domain and used squares are level, so the advantage decides: ${winner} had it.`;
}

/** A still picture of the position, for replays. */
export function render(view, { names = ["First player", "Second player"] } = {}) {
  const { game } = view;
  const boards = newBoards(true);
  drawPosition(boards, game, names);
  const part = (kind, title, { svg }) => {
    svg.removeAttribute("role"); // the whole is one picture
    return h("div", { class: kind }, h("p", { class: "trio__title" }, title), svg);
  };
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

function nameOf(column, row) {
  return `${COLUMNS[column]}${row + 1}`;
}

function at(name) {
  return [name.charCodeAt(0) - 65, Number(name.slice(1)) - 1];
}

function same(a, b) {
  return a[0] === b[0] && a[1] === b[1];
}

function beside(a, b) {
  return Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]) === 1;
}

/** Where the squares of a cut-out land: the first one on `target`, turned clockwise about it. */
export function landing(squares, target, turns) {
  const [x, y] = squares[0];
  return squares.map(([column, row]) => {
    let across = column - x;
    let down = row - y;
    for (let each = 0; each < turns; each += 1) [across, down] = [-down, across];
    return [target[0] + across, target[1] + down];
  });
}

/** Whether squares hang together by their sides. */
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

/** The text of a cut-out: a path where each square is beside the last one, else all squares. */
export function cutText(squares, isShape) {
  if (isShape) return squares.map((square) => nameOf(...square)).join(" ");
  const ways = squares
    .slice(1)
    .map(
      ([column, row], index) => WAYS[`${column - squares[index][0]},${row - squares[index][1]}`],
    );
  return `${nameOf(...squares[0])} ${ways.join("")}`;
}

// -- drawing ----------------------------------------------------------------------------------

function newBoards(still) {
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

function seatOf(game, colour) {
  return game?.pallets?.[colour].seat ?? null;
}

function palletTitle(game, colour, names) {
  const seat = seatOf(game, colour);
  const name = colour === 0 ? "Red pallet" : "Blue pallet";
  return seat === null ? name : `${name}, ${names[seat]}`;
}

function drawPosition({ pallets, domain }, game, names) {
  pallets.forEach((board, colour) =>
    drawPallet(board, game?.pallets?.[colour] ?? null, game?.last ?? null),
  );
  drawDomain(domain, game, names);
}

function ground(board) {
  const [x, y] = board.corner(0, 0);
  const width = board.columns.length * UNIT;
  return s("rect", { class: "board__ground", x, y, width, height: board.rows.length * UNIT });
}

function box(board, [column, row], attributes) {
  const [x, y] = board.corner(column, row);
  return s("rect", { x, y, width: UNIT, height: UNIT, ...attributes });
}

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

function drawPallet(board, pallet, last) {
  if (pallet === null) {
    board.draw("floor", ground(board));
    board.draw("pieces");
    board.draw("marks");
    return;
  }
  const floor = [ground(board)];
  const pieces = [];
  pallet.rows.forEach((line, row) =>
    [...line].forEach((mark, column) => {
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

function drawDomain(board, game, names) {
  const shown = game?.domain ?? null;
  const floor = [ground(board)];
  (shown?.rows ?? []).forEach((line, row) =>
    [...line].forEach((mark, column) => {
      if (mark === ".") return;
      floor.push(box(board, [column, row], { class: "land", fill: board.seatFill(mark) }));
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
      const whose = mark === "." ? "nobody's" : `${names[mark]}'s`;
      return shown?.pegs.includes(name) ? `${whose}, with a peg` : whose;
    });
  }
}

function inWords(game, names) {
  if (!game?.domain) return "The domain has no sides yet.";
  return `${names[0]} owns ${game.scores[0]} squares and ${names[1]} ${game.scores[1]}.`;
}

const TOLD = { ".": "there", o: "a peg", "-": "used", x: "used, had a peg", "#": "removed" };

// -- playing ----------------------------------------------------------------------------------

/** Put playable boards into `root`. */
export function mount(root, api) {
  return new PegDomainBoard(root, api);
}

class PegDomainBoard {
  constructor(root, api) {
    this.root = root;
    this.api = api;
    this.view = null;
    this.ctx = null;
    this.cut = []; // squares of the own pallet, the anchor first
    this.isShape = false; // given by its squares, not as a path
    this.turns = 0;
    this.minus = null; // the square whose peg Peg Subtraction takes
    this.takesMinus = false; // the next tap on the domain names it
    this.rapid = false; // a removal of three by three
    this.choice = null; // anything else that is chosen and not yet confirmed: its text
    this.asked = null;
    this.drawing = false;
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
    this.tools = h("div", { class: "board-tools", role: "group", "aria-label": "Your turn" });
    this.below = h("div");
    this.button = this.#buttons();
    this.paint = this.#paintPanel();
    fill(api.dock, this.cards);
    fill(root, this.trio, this.below, this.bar.root, this.facts, this.paint);
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

  update(view, ctx) {
    const before = this.ctx;
    this.view = view;
    this.ctx = ctx;
    if ((ctx.decision?.id ?? null) !== (before?.decision?.id ?? null)) this.#reset();
    // What was chosen is said; a decision that goes on may be answered anew.
    else if ((before?.pending ?? null) !== null && ctx.pending === null && ctx.refusal === null)
      this.choice = null;
    this.#drawCards();
    this.#draw();
  }

  /** Take the keyboard's focus to where it is needed. */
  focus() {
    const card = this.cards.hidden ? null : this.cards.querySelector("input:not(:disabled)");
    if (card !== null) card.focus({ preventScroll: true });
    else if (this.#isPlacing) this.boards.domain.focus();
    else if (this.#asks("removal")) this.boards.pallets[1 - this.#own].focus();
    else if (this.#game?.pallets) this.boards.pallets[this.#own ?? 0].focus();
  }

  /** What should be asked before `text` is submitted, however it was put; or an empty string. */
  caution(text) {
    const rapid = /^\s*remove\s+3x3\s+([a-l])\s*([0-9]+)\s*\.?\s*$/i.exec(text);
    if (rapid === null || this.#own === null) return "";
    const centre = `${rapid[1].toUpperCase()}${rapid[2]}`;
    if (!ROWS.includes(rapid[2]) || this.#taken(centre).length > 0) return "";
    return `Rapid Removal around ${centre} takes nothing: each square there is gone already, carries a peg or is beside one. It is used up all the same.`;
  }

  // -- what is being decided ------------------------------------------------------------------

  get #game() {
    return this.view?.game ?? null;
  }

  #asks(kind) {
    const { decision, pending, paused } = this.ctx ?? {};
    return decision?.kind === kind && pending === null && !paused;
  }

  /** Which of the two pallets is the reader's own: 0 for red. */
  get #own() {
    const { you } = this.ctx;
    return you === null || !this.#game?.colours ? null : COLOURS.indexOf(this.#game.colours[you]);
  }

  get #pallet() {
    return this.#game.pallets[this.#own];
  }

  #mark([column, row], pallet = this.#pallet) {
    return pallet.rows[row]?.[column] ?? "";
  }

  get #pegsCut() {
    return this.cut.filter((square) => this.#mark(square) === "o").length;
  }

  get #isCut() {
    if (this.cut.length < 2 || this.#pegsCut !== 2) return false;
    return this.isShape ? connected(this.cut) : this.#mark(this.cut.at(-1)) === "o";
  }

  get #isPlacing() {
    return this.#asks("turn") && this.#isCut && !this.takesMinus && this.choice === null;
  }

  #held(item) {
    const { you } = this.ctx;
    if (you === null || this.#game.turn > this.#game.items_until) return 0;
    return this.#game.items[you][item]?.[0] ?? 0;
  }

  get #text() {
    const minus = this.minus === null ? "" : ` minus ${this.minus}`;
    const target = nameOf(...this.placing.spot);
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

  #choose(text) {
    this.choice = text;
    this.placing.clear();
    this.api.draft(text);
    this.#draw();
  }

  // -- cutting --------------------------------------------------------------------------------

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

  /* Go on to a square, or back where it was passed already. */
  #extend(square) {
    const passed = this.cut.findIndex((each) => same(each, square));
    if (passed >= 0) {
      if (passed === this.cut.length - 1) return false;
      this.cut.length = passed + 1;
    } else {
      const mark = this.#mark(square);
      const last = this.cut.at(-1);
      if (!beside(last, square) || !".o".includes(mark) || mark === "") return false;
      if (this.#pegsCut > 1) return false;
      this.cut.push(square);
    }
    this.#cutChanged(square);
    return true;
  }

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

  #cutChanged(square) {
    this.choice = this.misread = null;
    this.boards.pallets[this.#own].stand(...square);
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

  #listen(board, colour) {
    const { svg } = board;
    const square = (event) => {
      const [x, y] = board.under(event).map(Math.floor);
      return x >= 0 && y >= 0 && x < COLUMNS.length && y < ROWS.length ? [x, y] : null;
    };
    const cuts = () => this.#asks("turn") && this.#own === colour;
    let from = null;
    svg.addEventListener(
      "touchstart",
      (event) => {
        const here = square(event.touches[0]);
        if (cuts() && !this.isShape && here !== null && this.#mark(here) === "o")
          event.preventDefault();
      },
      { passive: false },
    );
    svg.addEventListener("pointerdown", (event) => {
      const here = square(event);
      if (!cuts() || here === null || event.button !== 0) return;
      from = { here, x: event.clientX, y: event.clientY };
      if (this.isShape) return;
      const goesOn =
        this.cut.length > 0 &&
        (this.cut.some((each) => same(each, here)) || beside(this.cut.at(-1), here));
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
    board.onArrow = (dx, dy) => {
      if (!cuts() || this.isShape || this.cut.length === 0 || this.#isCut) return false;
      const [column, row] = this.cut.at(-1);
      if (!this.#extend([column + dx, row + dy])) {
        this.api.refuse("There is no way on there.");
      } else if (this.#isCut) {
        this.boards.domain.stand(...this.placing.spot, { focus: true });
      }
      return true;
    };
    board.onKey = (event) => {
      if (event.key === "Backspace" && cuts() && this.cut.length > 0) {
        this.#undo();
        return true;
      }
      if (event.key !== "Enter" && event.key !== " ") return false;
      const here = event.target.dataset.square;
      if (here === undefined) return false;
      if (!cuts() || this.isShape) return this.#tapPallet(colour, at(here));
      if (this.#isCut) return false;
      this.#begin(at(here));
      return true;
    };
  }

  /* A tap on a square of either pallet. Whether it meant anything. */
  #tapPallet(colour, square) {
    const name = nameOf(...square);
    if (this.#asks("turn") && this.#own === colour && this.isShape) {
      if (this.cut.length === 0) this.#begin(square);
      else this.#toggle(square);
      return true;
    }
    if (this.#asks("removal") && this.#own !== colour) {
      if (this.rapid) this.#choose(`remove 3x3 ${name}`);
      else if (this.#game.removable.includes(name)) this.#choose(`remove ${name}`);
      else this.api.refuse(`${name} cannot be removed.`);
      return true;
    }
    if (this.#asks("inspection") && this.#extraSquares(colour).includes(name)) {
      this.#choose(`extra peg ${COLOURS[colour]} ${name}`);
      return true;
    }
    return false;
  }

  #tapDomain(event) {
    if (!this.takesMinus || !this.#asks("turn")) return;
    const [column, row] = this.boards.domain.under(event).map(Math.floor);
    const name = column >= 0 && row >= 0 ? nameOf(column, row) : "";
    if (!this.#game.domain.pegs.includes(name)) return;
    this.minus = name;
    this.takesMinus = false;
    this.api.announce(`The peg on ${name} goes before the cut-out is placed.`);
    this.#draw();
  }

  #extraSquares(colour) {
    const { you } = this.ctx;
    return you === null ? [] : (this.#game?.extra_squares[you]?.[colour] ?? []);
  }

  // -- placing: a spot is the square of the domain under the first peg --------------------------

  #rules() {
    const clamp = ([column, row]) =>
      [column, row].map((value) => Math.min(Math.max(Math.round(value), 0), SIDE - 1));
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

  #lands(spot) {
    return landing(this.cut, spot, this.turns);
  }

  #inside([column, row]) {
    return column >= 0 && row >= 0 && column < SIDE && row < SIDE;
  }

  #blocked([column, row]) {
    const name = nameOf(column, row);
    return name !== this.minus && this.#game.domain.pegs.includes(name);
  }

  /** Why the cut-out may not lie there, or nothing. */
  #trouble(spot) {
    const squares = this.#lands(spot);
    const outside = squares.filter((square) => !this.#inside(square)).length;
    if (outside > 0) return `${outside} of its squares would lie outside the domain`;
    const on = squares.filter((square) => this.#blocked(square)).map((square) => nameOf(...square));
    return on.length > 0 ? `there is a peg on ${on.join(", ")}` : "";
  }

  /** What the score would become: both seats', and how many squares change hands. */
  #after(spot) {
    const { you } = this.ctx;
    const scores = [...this.#game.scores];
    let taken = 0;
    for (const [column, row] of this.#lands(spot)) {
      const mark = this.#game.domain.rows[row][column];
      if (mark === String(you)) continue;
      if (mark !== ".") scores[Number(mark)] -= 1;
      scores[you] += 1;
      taken += 1;
    }
    return { scores, taken };
  }

  #next(spot, by) {
    const order = ([column, row]) => row * SIDE + column;
    const fit = Array.from({ length: SIDE * SIDE }, (_, index) => [
      index % SIDE,
      Math.floor(index / SIDE),
    ]).filter((each) => this.#trouble(each) === "");
    if (fit.length === 0) return null;
    if (by > 0) return fit.find((each) => spot === null || order(each) > order(spot)) ?? fit[0];
    return fit.findLast((each) => spot === null || order(each) < order(spot)) ?? fit.at(-1);
  }

  #words(spot) {
    const what = `${cutText(this.cut, this.isShape)}, turned by ${this.turns * 90}°`;
    if (spot === null) return `${what}.`;
    const where = `${what}, first peg on ${nameOf(...spot)}`;
    const trouble = this.#trouble(spot);
    if (trouble !== "") return `${where}: cannot lie there, ${trouble}.`;
    const { scores, taken } = this.#after(spot);
    return `${where}: takes ${taken}, then ${points(scores, this.ctx.names)}.`;
  }

  // -- drawing --------------------------------------------------------------------------------

  #buttons() {
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
    const page = `/matches/${this.root.closest("[data-match]")?.dataset.match}`;
    this.file = h("input", {
      type: "file",
      class: "input",
      accept: "image/png,image/jpeg",
      id: "paint-file",
      on: { change: () => this.#sendPicture(`${page}/paint/`) },
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

  async #sendPicture(address) {
    const [file] = this.file.files;
    if (file === undefined || !this.#asks("turn")) return;
    const asked = this.ctx.decision.id;
    const body = new FormData();
    body.append("picture", file);
    this.misread = null;
    fill(this.readings, h("p", {}, "Reading the picture…"));
    let answer;
    try {
      const response = await fetch(address, {
        method: "POST",
        body,
        headers: { "X-CSRFToken": csrfToken() },
      });
      answer = await response.json();
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

  /* One way to read a picture; whoever has Peg Subtraction may add it, which no picture shows. */
  #reading({ text, picture }) {
    const pegs = this.#game.domain.pegs;
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
      !turnNow || this.#held("peg-subtraction") === 0 || this.#game.domain.pegs.length === 0;
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
    const idle =
      this.#own === null || this.#asks("inspection") ? this.below : this.panels[this.#own];
    const place = removal ? this.panels[1 - this.#own] : turnNow ? this.panels[this.#own] : idle;
    this.tools.classList.toggle("keeps-room", place !== this.below);
    if (this.tools.parentElement !== place) place.append(this.tools);
    this.below.hidden = place !== this.below || this.tools.hidden;
    this.paint.hidden = !turnNow;
  }

  #mayBeReady() {
    const { you } = this.ctx;
    const game = this.#game;
    if (!game.early_ready) return false;
    const waits = (game.items[you]["additional-peg"]?.[0] ?? 0) > 0;
    return !waits || (game.extra[you] ?? []).some((named) => named.length > 0);
  }

  #draw() {
    if (this.ctx === null) return;
    const game = this.#game;
    const { names, you } = this.ctx;
    drawPosition(this.boards, game, names);
    // Before the pallets are revealed they lie there face down: what is below stays where it is.
    this.trio.hidden = game === null;
    this.trio.inert = !game?.pallets;
    this.trio.dataset.own = this.#own === null ? "" : COLOURS[this.#own];
    this.trio.dataset.asks = this.ctx.decision?.kind ?? "";
    this.trio.dataset.redSeat = seatOf(game, 0) ?? "";
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
  }

  #drawPallets() {
    const game = this.#game;
    this.boards.pallets.forEach((board, colour) => {
      const pallet = game.pallets[colour];
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

  /** The squares of a pallet that can be chosen now. */
  #legalOn(colour) {
    if (this.#asks("removal") && this.#own !== colour && !this.rapid)
      return new Set(this.#game.removable);
    if (this.#asks("inspection")) return new Set(this.#extraSquares(colour));
    if (!this.#asks("turn") || this.#own !== colour || this.isShape || this.#isCut)
      return new Set();
    const last = this.cut.at(-1);
    if (last === undefined) return new Set();
    return new Set(
      Object.keys(WAYS)
        .map((step) => step.split(",").map(Number))
        .map(([dx, dy]) => [last[0] + dx, last[1] + dy])
        .filter(
          (square) =>
            [".", "o"].includes(this.#mark(square)) && !this.cut.some((each) => same(each, square)),
        )
        .map((square) => nameOf(...square)),
    );
  }

  /* What is being cut or named on a pallet. */
  #markOn(board, colour) {
    const game = this.#game;
    const { you, decision, pending } = this.ctx;
    if (this.#own === colour && this.cut.length > 0 && decision?.kind === "turn") {
      const whole = connected(this.cut);
      const points = this.cut.map((square) =>
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
              fill: board.seatFill(you),
            })
          : this.cut.map((square) =>
              box(board, square, { class: "cutting__body", fill: board.seatFill(you) }),
            ),
        this.isShape ? null : s("path", { class: "cutting__way", d: `M${points.join("L")}` }),
        this.cut
          .filter((square) => this.#mark(square) === "o")
          .map((square) => stud(board, square)),
      );
    }
    const named = [];
    const text = pending ?? this.choice ?? decision?.sealed ?? "";
    const removal = /^remove (3x3 )?([A-L][0-9]+)$/.exec(text);
    if (removal && decision?.kind === "removal" && this.#own !== colour) {
      const [column, row] = at(removal[2]);
      const reach = removal[1] ? 1 : 0;
      for (let dx = -reach; dx <= reach; dx += 1) {
        for (let dy = -reach; dy <= reach; dy += 1) {
          const square = [column + dx, row + dy];
          if (board.name(...square) && square[0] in COLUMNS && square[1] in ROWS) {
            // What stays, with a peg or beside one, is only framed.
            const goes = this.#isClear(square, game.pallets[colour]);
            named.push(box(board, square, { class: "aimed", fill: goes ? board.hatch : "none" }));
          }
        }
      }
    }
    const chosen = new RegExp(`^extra peg ${COLOURS[colour]} ([A-L][0-9]+)$`).exec(text);
    const extra =
      you !== null && game.phase === "inspection" ? (game.extra[you]?.[colour] ?? []) : [];
    for (const name of new Set(chosen ? [...extra, chosen[1]] : extra))
      named.push(stud(board, at(name), "stud--extra"));
    return named;
  }

  /* The squares that a Rapid Removal there would take, as things stand. */
  #taken(centre) {
    const pallet = this.#game.pallets[1 - this.#own];
    const [column, row] = at(centre);
    const area = [-1, 0, 1].flatMap((dx) => [-1, 0, 1].map((dy) => [column + dx, row + dy]));
    return area.filter((square) => this.#isClear(square, pallet));
  }

  /* Whether a square is still there and neither carries a peg nor touches one. */
  #isClear([column, row], pallet) {
    const near = [-1, 0, 1].flatMap((dx) => [-1, 0, 1].map((dy) => [column + dx, row + dy]));
    return (
      this.#mark([column, row], pallet) === "." &&
      near.every((square) => this.#mark(square, pallet) !== "o")
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
    const marks = [];
    if (this.minus !== null)
      marks.push(box(domain, at(this.minus), { class: "aimed", fill: domain.hatch }));
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
          s("path", { class: "ghost__body", d, fill: domain.seatFill(this.ctx.you) }),
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

  #drawFacts(you) {
    const game = this.#game;
    const { names, decision } = this.ctx;
    if (game === null) {
      write(this.facts, "Who has the advantage is drawn by lot.");
      return;
    }
    const lines = [];
    if (game.domain) {
      lines.push(`${points(game.scores, names)}.`);
      game.finished.forEach((how, seat) => {
        if (how !== null)
          lines.push(
            `${names[seat]} is finished${how === "stuck" ? ": no two pegs are connected" : ""}.`,
          );
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
    const asks = ["right", "order", "colour"].includes(decision?.kind);
    this.cards.hidden = !asks;
    this.bar.below(asks ? this.cards : this.trio, this.trio);
    const stamp = asks ? decision.id : null;
    if (stamp !== this.asked) {
      this.asked = stamp;
      fill(this.cards, asks ? this.#cardsFor(decision.kind) : null);
    }
    for (const input of this.cards.querySelectorAll("input")) input.disabled = pending !== null;
  }

  #cardsFor(kind) {
    const { names, you } = this.ctx;
    const other = names[1 - you];
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

function points(scores, names) {
  return `${names[0]} ${scores[0]}, ${names[1]} ${scores[1]}`;
}

function itemName(item) {
  return item.replace(
    /(^|-)([a-z])/g,
    (_, before, letter) => `${before && " "}${letter.toUpperCase()}`,
  );
}

/* A choice in words, and what the button says. */
function told(choice) {
  const secret = "It stays secret until the turn is over, and you can change it until then.";
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
  if (choice.startsWith("extra"))
    return [
      `Additional Peg: ${choice.slice(10)}. It stays secret until colours are settled.`,
      "Name it",
    ];
  if (choice.startsWith("remove 3x3")) {
    return [
      `Rapid Removal around ${choice.slice(11)}: squares with a peg or beside one stay. ${secret}`,
      "Remove",
    ];
  }
  return [`${choice[0].toUpperCase()}${choice.slice(1)}. ${secret}`, "Remove"];
}
