// @ts-check
/* The private layer over the boards: what a player draws and places while the other one thinks. Knows
   boards only by their drawings and by what README.md there says.

   Long, since a pointer, the keys and the buttons all do the same few things to the same layer. */

import { fill, find, h, icon, s, write } from "./dom.js";
import { distanceTo, MOST, Plan, simplified } from "./plan.js";

const DRAWINGS = "svg:is(.board, [data-board])";
const WHOLE = 10_000; // a drawing's width and height in what is kept
const STILL = 8; // points of the screen within which a hand has not moved
const NEAR = 350; // of WHOLE: as near as that to its begin an area is closed

/** @type {[Plans.Tool, string, string, string][]} tool, key, name, and how it is used */
const TOOLS = [
  ["move", "V", "Move", "Place as in your turn: what you confirm is added to the plan."],
  ["arrow", "A", "Arrow", "Drag from one place to another, or choose both, one after the other."],
  ["mark", "M", "Mark", "Choose a place. The same mark once more takes it away."],
  ["cut", "C", "Cut-out", "Draw around it, or choose its corners and close it."],
  ["note", "T", "Note", "Write it, and choose the place that it is about."],
  ["erase", "X", "Erase", "Choose what is to go."],
];

/** @type {[Plans.Sign, string, string][]} */
const SIGNS = [
  ["ring", "○", "Ring"],
  ["cross", "×", "Cross"],
  ["dot", "●", "Dot"],
  ["question", "?", "Question mark"],
];

/* Each of them has strokes of its own, too. */
const COLOURS = ["Green, solid", "Violet, dashed", "Amber, dotted", "Grey, dashes and dots"];
const SHORT = ["green", "violet", "amber", "grey"];

/** @type {Boards.Module["keys"]} */
export const PLANNING_KEYS = [
  [
    ["V", "A", "M", "C", "T", "X"],
    "while you plan, on the board: move, arrow, mark, cut-out, note, erase.",
  ],
  [["1", "2", "3", "4"], "while you plan choose the colour."],
  [["Enter"], "while you draw does it at the square with the focus; Esc takes back what is begun."],
  [["Z", "Y"], "while you plan take back the last change, and make it again."],
];

/**
 * What a hand is drawing.
 * @typedef {{board: number, pointer: number, x: number, y: number, moved: boolean, points: Plans.Point[]}} Stroke
 */

/** @typedef {{board: number, points: Plans.Point[]}} Begun */

/** @typedef {{view: Live.View<never>, ctx: Boards.Context}} Asked */

const LEAST_PX = 14; // of what is written on a board
const AHEAD = "premove-"; // before a decision's id: that of what is submitted as soon as it opens
const TRIES = 3; // of sending what the page had seen an older position for

export class Planning {
  on = false;
  hidden = false; // what is planned is not shown on the boards
  comparing = false;
  /** @type {Plans.Tool} */
  tool = "move";
  /** @type {Plans.Sign} */
  sign = "ring";
  colour = 0;
  /** @type {Stroke | null} */
  stroke = null;
  /** @type {Begun | null} */
  begun = null; // an arrow's begin, corners of an area, or where a note goes
  /** @type {Begun} */
  cursor = { board: 0, points: [[WHOLE / 2, WHOLE / 2]] }; // for the keys, where there are no squares
  /** @type {Asked | null} */
  real = null; // what the reader is asked in earnest
  /** @type {{kind: string, view: Live.View<never>} | null} */
  planned = null; // and what may be planned for
  /** @type {readonly string[]} */
  wanted = []; // as the board was told
  /** @type {Boards.Coming | null} */
  coming = null; // what is asked next, where it can be answered before it opens
  isAhead = false; // the board is asked that
  wasOn = false; // before it was
  /** @type {Map<string, number>} */
  tried = new Map(); // how often what is answered in advance was sent, by its id
  staged = ""; // what lies on the board to be confirmed
  round = 0; // how many moves were planned: each is a question of its own to the board
  /** @type {Boards.Words | null} */
  ruleset = null;
  /** @type {Boards.Board<never> | null} */
  board = null;
  heldList = "";
  /** @type {HTMLButtonElement} */
  toggle;
  /** @type {HTMLButtonElement} */
  eye;
  /** @type {HTMLButtonElement} */
  useFirst;
  /** @type {HTMLButtonElement} */
  ahead;
  /** @type {HTMLElement} */
  held;
  /** @type {HTMLButtonElement} */
  notHeld;
  /** @type {HTMLElement} */
  heldInFull;
  /** @type {HTMLElement} */
  row;
  /** @type {HTMLButtonElement} */
  undo;
  /** @type {HTMLButtonElement} */
  redo;
  /** @type {HTMLButtonElement} */
  closeArea;
  /** @type {HTMLInputElement} */
  noteText;
  /** @type {HTMLElement} */
  hint;
  /** @type {HTMLElement} */
  signGroup;
  /** @type {HTMLElement} */
  bar;
  /** @type {HTMLElement} */
  candidates;
  /** @type {HTMLButtonElement} */
  more;
  /** @type {HTMLButtonElement} */
  compare;
  /** @type {HTMLElement} */
  legend;
  /** @type {HTMLInputElement} */
  name;
  /** @type {HTMLButtonElement} */
  drop;
  /** @type {HTMLButtonElement} */
  clear;
  /** @type {HTMLElement} */
  list;
  /** @type {HTMLTextAreaElement} */
  note;
  /** @type {HTMLElement} */
  keptWords;
  /** @type {HTMLElement} */
  panel;
  /** @type {HTMLElement} */
  sticky;
  /** @type {HTMLButtonElement[]} */
  tools;
  /** @type {HTMLButtonElement[]} */
  colours;
  /** @type {HTMLButtonElement[]} */
  signs;

  /**
   * @param {HTMLElement} slot
   * @param {object} page
   * @param {HTMLElement} page.board
   * @param {string} page.url
   * @param {string} page.csrf
   * @param {(text: string) => unknown} page.announce
   * @param {(text: string) => void} page.refuse
   * @param {() => void} page.redraw have the board drawn anew
   * @param {(text: string, id: string) => boolean} page.send submit a move; whether it is on its way
   * @param {() => number} page.undone how often an organiser has taken something back
   * @param {(text: string, words: string) => void} page.ask ask whether a move is to be submitted
   *   as it is written, and what is said of it
   */
  constructor(slot, page) {
    this.slot = slot;
    this.page = page;
    this.plan = new Plan({
      url: page.url,
      csrf: page.csrf,
      changed: () => this.#changed(),
      told: (words) => {
        this.#drawKept();
        if (words !== "") page.announce(words);
      },
    });
    this.#build();
    this.#listen();
  }

  /**
   * There is a board now.
   * @param {Boards.Words} ruleset
   * @param {Boards.Board<never>} board
   */
  begin(ruleset, board) {
    this.ruleset = ruleset;
    this.board = board;
    this.#keepFoot();
  }

  /* What else sticks to the lower edge stands above the bar, whatever is in it just now; and what gets
     the focus is brought above all of that (match.css). */
  #keepFoot() {
    const column = /** @type {HTMLElement} */ (this.slot.parentElement);
    const above = ":scope > .board-dock, .confirm-place > .confirm";
    const observer = new ResizeObserver(() => {
      const heights = [...column.querySelectorAll(above)]
        .filter((each) => each.checkVisibility({ visibilityProperty: true }))
        .map((each) => each.getBoundingClientRect().height);
      const bar = this.sticky.offsetHeight;
      column.style.setProperty("--foot", `${bar}px`);
      const foot = heights.reduce((sum, height) => sum + height, bar);
      column.style.setProperty("--stuck", `${foot}px`);
    });
    for (const each of [this.sticky, ...column.querySelectorAll(".board-dock, .confirm")]) {
      observer.observe(each);
    }
  }

  // -- what the board is asked ------------------------------------------------------------------

  /**
   * What to ask the board: what is asked in earnest, or what it would be asked then.
   * @param {Live.View<never>} view
   * @param {Boards.Context} ctx
   * @returns {Asked}
   */
  asked(view, ctx) {
    const played = this.#canPlay;
    this.wanted = this.plan.content.wanted;
    this.real = { view, ctx: { ...ctx, wanted: this.wanted } };
    this.#lookAhead(this.real);
    if (!this.on) return this.real;
    if (this.#canPlay && !played) {
      this.page.announce("You can play now. Press Back to playing to leave the plan.");
    }
    if (this.planned === null && this.tool === "move" && !this.isAhead) this.tool = "arrow";
    const asked = { ...this.real.ctx, planning: true, paused: false, pending: null, refusal: null };
    const question = this.isAhead ? this.coming : this.planned;
    if (question === null) return { view, ctx: { ...asked, decision: null } };
    const { kind, view: shown } = question;
    return { view: shown, ctx: { ...asked, decision: this.#decision(kind, ctx.you ?? 0) } };
  }

  /**
   * What can be planned for, and answered before it opens.
   * @param {Asked} asked
   */
  #lookAhead({ view, ctx: { you } }) {
    if (you === null) return;
    this.planned = this.ruleset?.plans?.(view, you) ?? null;
    const before = this.coming?.id;
    const coming = this.ruleset?.premoves?.(view, you) ?? null;
    this.coming = coming !== null && this.#isDeclared(coming.kind) ? coming : null;
    if (this.isAhead && this.coming?.id !== before) this.#backFromAhead();
  }

  /**
   * @param {string} kind
   * @param {Seat} seat
   * @returns {Live.Decision}
   */
  #decision(kind, seat) {
    const clock = { turn_ms: 0, reserve: false, interval_ms: 0, reading_ms: 0, running: false };
    return { id: `plan.${this.round}.${kind}`, seat, kind, prompt: "", clock };
  }

  /**
   * Take a move that was confirmed on the board, where it is one of the plan.
   * @param {string} text
   */
  takes(text) {
    if (!this.on) return false;
    if (this.isAhead && this.coming !== null) {
      this.plan.answer({ text, decision: this.coming.id });
      this.#backFromAhead();
      this.page.redraw();
      this.page.announce(this.#heldWords);
      if (this.slot.contains(document.activeElement)) return true;
      this.notHeld.focus({ preventScroll: true });
      return true;
    }
    if (this.#add({ kind: "move", text, colour: this.colour })) {
      this.round += 1;
      this.page.redraw();
    }
    return true;
  }

  /** Whether something is asked in earnest that can be answered now. */
  get #canPlay() {
    const ctx = this.real?.ctx;
    return ctx !== undefined && ctx.decision !== null && !ctx.paused && ctx.pending === null;
  }

  /** @param {boolean} on */
  #turn(on) {
    this.on = on;
    this.hidden = this.isAhead = false;
    this.#letGo();
    if (on && this.planned !== null) this.tool = "move";
    this.page.redraw();
    this.page.announce(
      on ? "Planning. Nothing is played, and nobody else sees it." : "Back to playing.",
    );
  }

  /**
   * Bring a move to the board, to be confirmed there.
   * @param {string} text
   * @param {string} [words] what is said of one that no board can show
   */
  use(text, words = `You planned ${text}.`) {
    if (!this.#canPlay) {
      this.page.refuse("It is not your turn to play it.");
      return;
    }
    this.on = false;
    this.#letGo();
    this.page.redraw();
    if (this.board?.preview?.(text)) {
      this.board.focus();
      bringBack(this.page.board);
    } else this.page.ask(text, words);
  }

  /**
   * What lies on the board to be confirmed: the plan does not draw it once more.
   * @param {string} text
   */
  stage(text) {
    if (this.staged === text) return;
    this.staged = text;
    this.#drawLayers();
  }

  /* What is wanted the board draws; everything else the layer. */
  #changed() {
    if (this.plan.content.wanted === this.wanted) this.draw();
    else this.page.redraw();
  }

  // -- what is answered in advance --------------------------------------------------------------

  /**
   * Whether decisions of a kind can be answered before they open.
   * @param {string} kind
   */
  #isDeclared(kind) {
    return this.real?.ctx.header?.premoves.includes(kind) ?? false;
  }

  /** What the reader is asked, sealed or not, that was or can be answered in advance. */
  get #own() {
    const { view, ctx } = this.real ?? {};
    return view?.decisions.find(({ seat, kind }) => seat === ctx?.you && this.#isDeclared(kind));
  }

  /* Ask the board what the reader will be asked, or what it was asked before that. */
  #goAhead() {
    if (this.isAhead) this.#backFromAhead();
    else if (this.coming !== null) {
      this.wasOn = this.on;
      this.isAhead = this.on = true;
      this.tool = "move";
      this.round += 1;
      this.#letGo();
      this.#mark();
      this.page.announce(
        "Answer in advance. It is sent as soon as you are asked, if a page of this match is open.",
      );
    }
    this.page.redraw();
    if (!this.isAhead) return;
    this.board?.focus();
    bringBack(this.page.board);
  }

  #backFromAhead() {
    this.on = this.wasOn;
    this.isAhead = false;
    this.round += 1;
    this.#mark();
  }

  #forgetAhead() {
    const { premove } = this.plan.content;
    this.plan.answer(null);
    this.page.announce(`${premove?.text ?? "It"} is not sent.`);
    this.toggle.focus({ preventScroll: true });
  }

  /** Whether what is held is for something that is asked, or asked next. */
  get #isComing() {
    const { premove } = this.plan.content;
    const id = premove?.decision;
    return id === undefined || [this.coming?.id, this.#own?.id].includes(id);
  }

  get #heldWords() {
    const { premove } = this.plan.content;
    if (premove === null) return "";
    if (!this.#isComing) return `Not sent, since it was about another question: ${premove.text}.`;
    return `While this match is open, sent as soon as you are asked: ${premove.text}.`;
  }

  /* Submit what was answered in advance once that is asked. Each of the reader's pages does so, under
     one id, and it counts once. */
  #sendAhead() {
    const { premove } = this.plan.content;
    const own = this.#own;
    if (premove === null || own === undefined || this.plan.revision < 0) return;
    if ((premove.decision ?? own.id) !== own.id) return;
    if (typeof own.sealed === "string") {
      this.plan.answer(null); // another page has sent it, or it was answered by hand
      return;
    }
    // What is asked again after a take-back has the id that it had, and is answered anew.
    const undone = this.page.undone();
    const again = undone > 0 ? `-${undone}` : "";
    const name = `${AHEAD}${own.id}`.replace(/[^A-Za-z0-9_-]/g, "-");
    const id = `${name.slice(0, 64 - again.length)}${again}`;
    const tries = this.tried.get(id) ?? 0;
    if (!this.#canPlay || this.real?.ctx.decision?.id !== own.id || tries >= TRIES) return;
    this.tried.set(id, tries + 1);
    if (!this.page.send(premove.text, id)) this.tried.set(id, tries);
    else this.page.announce(`Sending what you answered in advance: ${premove.text}.`);
  }

  /**
   * A submission was answered: whether it was one in advance, and is sent again or is over.
   * @param {string} id
   * @param {string | null} refused the code of the refusal
   */
  answered(id, refused) {
    if (!id.startsWith(AHEAD)) return null;
    // What was seen on an older board may stand on the new one, which is on its way.
    if (refused?.startsWith("version.") && (this.tried.get(id) ?? 0) < TRIES) return "again";
    this.tried.set(id, TRIES);
    this.plan.answer(null);
    return "over";
  }

  // -- the layer --------------------------------------------------------------------------------

  /** @returns {SVGSVGElement[]} */
  get #drawings() {
    return [...this.page.board.querySelectorAll(DRAWINGS)].filter(
      (each) => each instanceof SVGSVGElement,
    );
  }

  /** Draw everything anew. */
  draw() {
    this.#drawLayers();
    this.#drawControls();
    queueMicrotask(() => this.#sendAhead()); // which has everything drawn anew
  }

  #mark() {
    const { board } = this.page;
    if (this.on) board.dataset.planning = this.isAhead ? "ahead" : "";
    else delete board.dataset.planning;
  }

  #drawLayers() {
    const svgs = this.#drawings;
    const { shown, other } = this.plan;
    const second = this.comparing ? other : null;
    const signed = second !== null;
    const layers = svgs.map((svg) => layerOf(svg));
    /** @type {SVGElement[][]} */
    const drawn = svgs.map(() => []);
    if (!this.hidden || this.on) {
      if (second) {
        this.#drawItems(svgs, drawn, second, "plan-item--second", this.plan.signOf(second));
      }
      this.#drawItems(svgs, drawn, shown, "", signed ? this.plan.signOf(shown) : "");
      this.#drawBegun(svgs, drawn);
    }
    svgs.forEach((svg, index) => {
      fill(layers[index], drawn[index]);
      svg.classList.toggle("plan-drawn", this.#draws);
      if (this.#draws && !svg.querySelector("[data-square]")) svg.setAttribute("tabindex", "0");
    });
    this.#mark();
    this.page.board.toggleAttribute("data-drawing", this.#draws);
  }

  /** Whether pointers and keys on a drawing are for the layer. */
  get #draws() {
    return this.on && this.tool !== "move";
  }

  /**
   * @param {SVGSVGElement[]} svgs
   * @param {SVGElement[][]} drawn
   * @param {Plans.Candidate} candidate
   * @param {string} kind
   * @param {string} name
   */
  #drawItems(svgs, drawn, { items }, kind, name) {
    let moves = 0;
    for (const item of items) {
      if (item.kind === "move") {
        moves += 1;
        const sign = name === "" ? String(moves) : `${name}${moves}`;
        const isStaged = !this.on && item.text === this.staged;
        for (const ghost of (isStaged ? null : this.board?.ghosts?.(item.text)) ?? []) {
          const index = svgs.indexOf(ghost.svg);
          if (index >= 0) drawn[index].push(ghostOf(ghost, item, kind, sign));
        }
        continue;
      }
      const svg = svgs.at(item.board);
      if (svg !== undefined && item.board >= 0) {
        drawn[item.board].push(pictureOf(svg, item, kind, name));
      }
    }
  }

  /**
   * What is being drawn just now.
   * @param {SVGSVGElement[]} svgs
   * @param {SVGElement[][]} drawn
   */
  #drawBegun(svgs, drawn) {
    if (!this.#draws) return;
    const { stroke, begun, colour } = this;
    const [from] = stroke?.points ?? [];
    const to = stroke?.points.at(-1);
    /** @type {Plans.Drawn | null} */
    let item = null;
    if (stroke?.moved && from && to) {
      const { board, points } = stroke;
      if (this.tool === "arrow") item = { kind: "arrow", board, from, to, colour };
      if (this.tool === "cut") item = { kind: "line", board, points, colour };
    } else if (begun !== null) {
      const { board, points } = begun;
      if (points.length > 1) item = { kind: "line", board, points, colour };
      else item = { kind: "mark", board, at: points[0], sign: "dot", colour };
    }
    if (item !== null) {
      drawn[item.board].push(pictureOf(svgs[item.board], item, "plan-item--begun"));
    }
    const at = svgs.findIndex((svg) => svg === document.activeElement);
    if (at >= 0) drawn[at].push(crossOf(svgs[at], this.#cursorOn(at)));
  }

  // -- what is drawn ----------------------------------------------------------------------------

  /** @param {Plans.Item} item */
  #add(item) {
    if (!this.plan.add(item)) {
      this.page.refuse(`A candidate holds no more than ${MOST.items} things.`);
      return false;
    }
    this.page.announce(`Added: ${this.#words(item)}.`);
    return true;
  }

  /**
   * A place was chosen, by whatever means.
   * @param {number} board
   * @param {Plans.Point} at
   */
  #chosen(board, at) {
    const { colour, sign } = this;
    switch (this.tool) {
      case "arrow":
        this.#arrowTo(board, at);
        break;
      case "mark": {
        /** @type {Plans.Mark} */
        const mark = { kind: "mark", board, at, sign, colour };
        const same = this.plan.shown.items.findIndex(
          (item) => item.kind === "mark" && item.board === board && isAt(item.at, at),
        );
        const before = this.plan.shown.items.at(same);
        if (same < 0 || before?.kind !== "mark") this.#add(mark);
        else if (before.sign === sign && before.colour === colour) this.#remove(same);
        else this.#add(mark);
        break;
      }
      case "cut":
        this.#cornerAt(board, at);
        break;
      case "note":
        this.begun = { board, points: [at] };
        if (this.noteText.value.trim() !== "") this.#putNote();
        else {
          this.draw();
          this.noteText.focus();
          this.page.announce(`Write a note about ${this.#where(board, at)}.`);
        }
        break;
      case "erase":
        this.#eraseAt(board, at);
        break;
      default:
        break;
    }
  }

  /**
   * @param {number} board
   * @param {Plans.Point} at
   */
  #arrowTo(board, at) {
    const { begun, colour } = this;
    const from = begun?.board === board ? begun.points[0] : null;
    this.begun = null;
    if (from === null) {
      this.begun = { board, points: [at] };
      this.page.announce(`Arrow from ${this.#where(board, at)}. Choose where it leads.`);
      this.draw();
    } else if (isAt(from, at)) this.draw();
    else this.#add({ kind: "arrow", board, from, to: at, colour });
  }

  /**
   * @param {number} board
   * @param {Plans.Point} at
   */
  #cornerAt(board, at) {
    const points = this.begun?.board === board ? this.begun.points : [];
    const [first] = points;
    const last = points.at(-1);
    const closes = first && Math.hypot(first[0] - at[0], first[1] - at[1]) < NEAR;
    if (points.length > 2 && (closes || (last && isAt(last, at)))) {
      this.#close();
      return;
    }
    if (points.length >= MOST.points || (last && isAt(last, at))) return;
    this.begun = { board, points: [...points, at] };
    const words = points.length > 1 ? " Choose the first corner again to close it." : "";
    this.page.announce(`Corner ${points.length + 1}: ${this.#where(board, at)}.${words}`);
    this.draw();
  }

  #close() {
    const { begun, colour } = this;
    if (begun === null || begun.points.length < 3) {
      this.page.refuse("An area has three corners at least.");
      return;
    }
    this.begun = null;
    this.#add({ kind: "cut", ...begun, colour });
  }

  #putNote() {
    const text = this.noteText.value.trim().slice(0, MOST.text);
    const { begun } = this;
    if (begun === null || text === "") return;
    this.begun = null;
    this.noteText.value = "";
    const { board, points } = begun;
    this.#add({ kind: "note", board, at: points[0], text });
    if (document.activeElement === this.noteText) this.#focusOn(board);
  }

  /** @param {number} board */
  #focusOn(board) {
    const svg = this.#drawings.at(board);
    const square = svg?.querySelector('[data-square][tabindex="0"]');
    if (square instanceof SVGElement) square.focus({ preventScroll: true });
    else svg?.focus({ preventScroll: true });
  }

  /**
   * @param {number} board
   * @param {Plans.Point} at
   */
  #eraseAt(board, at) {
    const svg = this.#drawings[board];
    const reach = (sizeOf(svg) * 1.2 * WHOLE) / extentOf(svg)[2];
    const index = this.plan.shown.items.findLastIndex((item) => {
      if (item.kind !== "move") return item.board === board && distance(item, at) <= reach;
      const ghosts = this.board?.ghosts?.(item.text) ?? [];
      return ghosts.some((ghost) => ghost.svg === svg && lies(ghost, pointIn(svg, at)));
    });
    if (index < 0) this.page.refuse("There is nothing of your plan there.");
    else this.#remove(index);
  }

  /** @param {number} index */
  #remove(index) {
    const words = this.#words(this.plan.shown.items[index]);
    if (this.plan.remove(index)) this.page.announce(`Taken out: ${words}.`);
  }

  /** @param {boolean} back */
  #travel(back) {
    this.begun = null;
    const done = back ? this.plan.undo() : this.plan.redo();
    const words = back ? "Change taken back." : "Change made again.";
    this.page.announce(done ? words : `There is nothing to ${back ? "undo" : "redo"}.`);
    this.draw();
  }

  #letGo() {
    this.stroke = this.begun = null;
  }

  // -- pointers and keys ------------------------------------------------------------------------

  #listen() {
    const { board } = this.page;
    const first = { capture: true };
    board.addEventListener("pointerdown", (event) => this.#down(event), first);
    board.addEventListener("pointermove", (event) => this.#move(event), first);
    board.addEventListener("pointerup", (event) => this.#up(event), first);
    board.addEventListener("pointercancel", () => this.#letGo(), first);
    for (const type of ["click", "touchstart", "touchmove", "wheel"]) {
      board.addEventListener(
        type,
        (event) => {
          if (this.#under(event) >= 0) event.stopPropagation();
        },
        { capture: true, passive: true },
      );
    }
    board.addEventListener("keydown", (event) => this.#key(event), first);
    for (const type of ["focusin", "focusout"]) {
      board.addEventListener(type, () => {
        if (this.#draws) this.#drawLayers();
      });
    }
    addEventListener("pagehide", () => this.plan.flush());
    addEventListener("online", () => void this.plan.load());
  }

  /**
   * Which drawing an event is on while the layer takes it, or -1.
   * @param {Event} event
   */
  #under({ target }) {
    if (!this.#draws || !(target instanceof Element)) return -1;
    const svg = target.closest(DRAWINGS);
    return this.#drawings.findIndex((each) => each === svg);
  }

  /** @param {PointerEvent} event */
  #down(event) {
    const board = this.#under(event);
    if (board < 0) return;
    event.stopPropagation();
    if (!event.isPrimary || event.button !== 0) return;
    const svg = this.#drawings[board];
    svg.setPointerCapture(event.pointerId);
    const { clientX: x, clientY: y, pointerId: pointer } = event;
    const points = [pointOf(svg, event)];
    this.stroke = { board, pointer, x, y, moved: false, points };
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const { stroke } = this;
    if (this.#under(event) >= 0) event.stopPropagation();
    if (stroke === null || event.pointerId !== stroke.pointer) return;
    const off = Math.hypot(event.clientX - stroke.x, event.clientY - stroke.y);
    stroke.moved ||= off > STILL;
    if (!stroke.moved) return;
    stroke.points.push(pointOf(this.#drawings[stroke.board], event));
    this.#drawLayers();
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const { stroke } = this;
    if (this.#under(event) >= 0) event.stopPropagation();
    if (stroke === null || event.pointerId !== stroke.pointer) return;
    this.stroke = null;
    const { board, points, moved } = stroke;
    const svg = this.#drawings[board];
    const [from] = points;
    const to = pointOf(svg, event);
    if (moved && this.tool === "arrow") {
      this.begun = { board, points: [snapped(svg, from)] };
      this.#arrowTo(board, snapped(svg, to));
    } else if (moved && this.tool === "cut") {
      const area = simplified(points);
      this.begun = { board, points: area };
      if (area.length > 2) this.#close();
      else this.#letGo();
    } else {
      this.#chosen(board, this.tool === "erase" ? to : snapped(svg, to));
    }
    this.draw();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { target } = event;
    const svg = target instanceof Element ? target.closest(DRAWINGS) : null;
    const board = this.#drawings.findIndex((each) => each === svg);
    if (!this.on || board < 0) return;
    if (this.#shortcut(event) || (this.#draws && this.#drawKey(event, board))) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  /** @param {KeyboardEvent} event */
  #shortcut({ key, ctrlKey, metaKey, altKey, shiftKey }) {
    const letter = key.toLowerCase();
    if (altKey) return false;
    if (letter === "z") this.#travel(!shiftKey);
    else if (letter === "y") this.#travel(false);
    else if (ctrlKey || metaKey) return false;
    else {
      const tool = TOOLS.find(([, sign]) => sign.toLowerCase() === letter)?.[0];
      if (tool !== undefined) this.#take(tool);
      else if (/^[1-4]$/.test(key)) this.#paint(Number(key) - 1);
      else return false;
    }
    return true;
  }

  /**
   * A key on a drawing while the layer takes it. Whether the board is not to have it.
   * @param {KeyboardEvent} event
   * @param {number} board
   */
  #drawKey({ key, shiftKey, target }, board) {
    const svg = this.#drawings[board];
    const square = target instanceof Element ? target.closest("[data-square]") : null;
    const step = STEPS[key];
    if (step !== undefined && square === null) {
      const far = shiftKey ? 1_000 : 200;
      const [x, y] = this.#cursorOn(board);
      this.cursor = { board, points: [[within(x + step[0] * far), within(y + step[1] * far)]] };
      this.#drawLayers();
      this.page.announce(this.#where(board, this.cursor.points[0]));
      return true;
    }
    if (key === "Enter" || key === " ") {
      const at = square instanceof SVGGraphicsElement ? middleOf(svg, square) : null;
      this.#chosen(board, at ?? this.#cursorOn(board));
      return true;
    }
    if (key === "Escape") {
      if (this.begun !== null) this.page.announce("What was begun is taken back.");
      this.#letGo();
      this.draw();
      return true;
    }
    return key.length === 1 || key === "Backspace";
  }

  /**
   * @param {number} board
   * @returns {Plans.Point}
   */
  #cursorOn(board) {
    return this.cursor.board === board ? this.cursor.points[0] : [WHOLE / 2, WHOLE / 2];
  }

  // -- in words ---------------------------------------------------------------------------------

  /** @param {Plans.Item} item */
  #words(item) {
    const colour = "colour" in item ? `, ${SHORT[item.colour]}` : "";
    switch (item.kind) {
      case "move":
        return `${item.text}${colour}`;
      case "arrow":
        return `Arrow from ${this.#where(item.board, item.from)} to ${this.#where(item.board, item.to, false)}${colour}`;
      case "mark": {
        const name = SIGNS.find(([sign]) => sign === item.sign)?.[2] ?? "Mark";
        return `${name} on ${this.#where(item.board, item.at)}${colour}`;
      }
      case "note":
        return `Note on ${this.#where(item.board, item.at)}: ${item.text}`;
      default: {
        const name = item.kind === "cut" ? "Cut-out" : "Line";
        return `${name} about ${this.#where(item.board, centreOf(item.points))}${colour}`;
      }
    }
  }

  /**
   * A place in words: its square, or how far from the left and the top it is.
   * @param {number} board
   * @param {Plans.Point} at
   * @param {boolean} [whole] with the drawing that it is on, where there are several
   */
  #where(board, at, whole = true) {
    const drawings = this.#drawings;
    const svg = drawings.at(board);
    if (svg === undefined) return "a board that is not there";
    const square = squareAt(svg, pointIn(svg, at))?.getAttribute("data-square");
    const place = square ?? pointIn(svg, at).map(Math.round).join(",");
    const label = (svg.getAttribute("aria-label") ?? "").split(/[,.]/)[0];
    return whole && drawings.length > 1 ? `${place}, ${label}` : place;
  }

  // -- what it is done with ---------------------------------------------------------------------

  #build() {
    /**
     * @param {string} name
     * @param {() => void} act
     * @param {Dom.Attributes} [more]
     * @param {...Dom.Child} content
     */
    const button = (name, act, more = {}, ...content) =>
      h(
        "button",
        { type: "button", class: "plan-button", title: name, ...more, on: { click: act } },
        ...(content.length > 0 ? content : [name]),
      );
    this.toggle = button(
      "Plan",
      () => this.#turn(!this.on),
      { class: "button plan__toggle", "aria-pressed": "false", title: null },
      icon("board"),
      h("span", {}, "Plan"),
    );
    this.eye = button(
      "Show the plan on the boards",
      () => this.#look(),
      {
        class: "button button--icon plan__eye",
        "aria-label": "Show the plan on the boards",
        "aria-pressed": "true",
      },
      icon("eye"),
    );
    this.useFirst = h(
      "button",
      { type: "button", class: "button plan__use", on: { click: () => this.#playFirst() } },
      icon("play"),
      h("span", { class: "plan__use-words" }, ""),
    );
    this.ahead = button(
      "Answer in advance",
      () => this.#goAhead(),
      { class: "button plan__ahead", "aria-pressed": "false", title: null },
      icon("clock"),
      h("span", {}, "Answer in advance"),
    );
    this.notHeld = button(
      "Do not send it",
      () => this.#forgetAhead(),
      { "aria-label": "Do not send it" },
      icon("close"),
    );
    this.held = h("div", { class: "plan__held" }, h("p", {}), this.notHeld);
    this.row = h(
      "div",
      { class: "plan__row", hidden: true },
      this.toggle,
      this.eye,
      document.querySelector(".match__next > a"), // in sight here, wherever the page stands
      this.useFirst,
      this.ahead,
      this.held,
    );

    this.tools = TOOLS.map(([tool, key, name, words]) =>
      button(`${words} (${key})`, () => this.#take(tool), { "data-tool": tool }, name),
    );
    this.colours = COLOURS.map((name, colour) =>
      button(
        `${name} (${colour + 1})`,
        () => this.#paint(colour),
        { "aria-label": name, "data-colour": String(colour) },
        s(
          "svg",
          { class: "plan-swatch", viewBox: "0 0 28 12", "aria-hidden": "true", focusable: "false" },
          s("path", { class: `plan-stroke plan-stroke--${colour}`, d: "M2 6H26" }),
        ),
      ),
    );
    this.signs = SIGNS.map(([sign, picture, name]) =>
      button(
        name,
        () => {
          this.sign = sign;
          this.draw();
        },
        { "aria-label": name, "data-sign": sign },
        h("span", { "aria-hidden": "true" }, picture),
      ),
    );
    this.undo = button(
      "Undo (Z)",
      () => this.#travel(true),
      { "aria-label": "Undo" },
      icon("undo"),
    );
    this.redo = button(
      "Redo (Y)",
      () => this.#travel(false),
      { "aria-label": "Redo", "data-redo": "" },
      icon("undo"),
    );
    this.closeArea = button("Close the area", () => this.#close());
    this.noteText = h("input", {
      class: "input plan__note",
      type: "text",
      maxlength: MOST.text,
      "aria-label": "Note on the board",
      placeholder: "Write it, then choose its place",
      on: {
        keydown: (event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          if (this.begun === null) this.page.refuse("Choose the place that it is about.");
          else this.#putNote();
        },
      },
    });
    this.hint = h("p", { class: "plan__hint" });
    /**
     * @param {string} label
     * @param {...Dom.Child} content
     */
    const group = (label, ...content) =>
      h("div", { class: "plan__group", role: "group", "aria-label": label }, ...content);
    this.signGroup = group("Sign of a mark", this.signs);
    this.bar = h(
      "div",
      { class: "plan__bar", role: "toolbar", "aria-label": "Planning", hidden: true },
      group("Tool", this.tools),
      group("Colour", this.colours),
      group("Changes", this.undo, this.redo),
      h(
        "div",
        { class: "plan__group plan__more" },
        this.signGroup,
        this.closeArea,
        this.noteText,
        this.hint,
      ),
    );

    this.candidates = h("div", {
      class: "plan__group",
      role: "group",
      "aria-label": "Candidates",
    });
    this.more = button(
      "Another candidate",
      () => this.#branch(),
      { "aria-label": "Another candidate" },
      icon("plus"),
      "Candidate",
    );
    this.compare = button(
      "Compare",
      () => {
        this.comparing = !this.comparing;
        this.draw();
        this.page.announce(
          this.comparing ? this.#legend : `Only ${this.plan.shown.name} is shown.`,
        );
      },
      { "aria-pressed": "false" },
    );
    this.legend = h("p", { class: "plan__legend" });
    this.name = h("input", {
      class: "input plan__name",
      type: "text",
      maxlength: MOST.name,
      on: { change: () => this.plan.rename(this.name.value) },
    });
    this.drop = button("Delete the candidate", () => {
      this.page.announce(`${this.plan.shown.name} is deleted.`);
      this.plan.drop();
    });
    this.clear = button("Clear it", () => {
      const { name } = this.plan.shown;
      if (this.plan.clear()) this.page.announce(`${name} is empty now. Undo brings it back.`);
    });
    this.list = h("ol", { class: "plan__list" });
    this.heldInFull = h("p", { class: "plan__words plan__held-words" });
    this.note = h("textarea", {
      class: "input",
      rows: "3",
      maxlength: MOST.note,
      on: { input: () => this.plan.write(this.note.value) },
    });
    this.keptWords = h("p", { class: "small muted plan__kept" });
    this.panel = h(
      "section",
      { class: "plan__panel", "aria-label": "Your plan", hidden: true },
      h("div", { class: "plan__heads" }, this.candidates, this.more, this.compare),
      this.legend,
      this.list,
      this.heldInFull,
      h(
        "div",
        { class: "plan__heads" },
        h("label", { class: "plan__field" }, h("span", {}, "Name"), this.name),
        this.drop,
        this.clear,
      ),
      h("label", { class: "plan__field" }, h("span", {}, "Notes"), this.note),
      this.keptWords,
    );
    this.sticky = h("div", { class: "plan__sticky" }, this.row, this.bar);
    fill(this.slot, this.sticky, this.panel);
  }

  #look() {
    this.hidden = !this.hidden;
    this.draw();
    this.page.announce(this.hidden ? "The plan is hidden." : "The plan is shown.");
  }

  /** @param {Plans.Tool} tool */
  #take(tool) {
    if (tool === "move" && this.planned === null) {
      this.page.refuse("There is nothing to place just now.");
      return;
    }
    // What was being placed is put away: the arrow keys are for the other tool then.
    if (this.tool === "move" && tool !== "move") this.round += 1;
    this.tool = tool;
    this.#letGo();
    this.page.redraw();
    const [, , name, words] = TOOLS.find(([each]) => each === tool) ?? TOOLS[0];
    this.page.announce(`${name}. ${words}`);
  }

  /** @param {number} colour */
  #paint(colour) {
    this.colour = colour;
    this.draw();
    this.page.announce(COLOURS[colour]);
  }

  #branch() {
    if (!this.plan.branch()) this.page.refuse(`There are ${MOST.candidates} candidates at most.`);
    else this.page.announce(`Candidate ${this.plan.shown.name}.`);
  }

  get #firstMove() {
    return this.plan.shown.items.find((item) => item.kind === "move") ?? null;
  }

  #playFirst() {
    const move = this.#firstMove;
    if (move?.kind === "move") this.use(move.text);
  }

  #drawControls() {
    const { on, plan } = this;
    const plays = this.#canPlay;
    this.row.hidden = this.real === null;
    this.toggle.setAttribute("aria-pressed", String(on));
    this.toggle.classList.toggle("button--primary", on && plays);
    write(find(this.toggle, "span"), on && plays ? "Back to playing" : "Plan");
    this.eye.setAttribute("aria-pressed", String(!this.hidden));
    this.eye.disabled = on;
    const move = this.#firstMove;
    const text = move?.kind === "move" ? move.text : "";
    this.#drawAhead(plays && text !== "" && !this.isAhead);
    this.useFirst.classList.toggle("plan__use--none", text === "" || !plays);
    write(find(this.useFirst, ".plan__use-words"), `Use ${plan.shown.name}: ${text}`);
    this.bar.hidden = this.panel.hidden = !on || this.isAhead;
    this.slot.toggleAttribute("data-on", on);
    if (!on) return;
    for (const each of this.tools) press(each, each.dataset.tool === this.tool);
    for (const each of this.colours) press(each, each.dataset.colour === String(this.colour));
    for (const each of this.signs) press(each, each.dataset.sign === this.sign);
    this.tools[0].setAttribute("aria-disabled", String(this.planned === null));
    this.signGroup.hidden = this.tool !== "mark";
    this.noteText.hidden = this.tool !== "note";
    this.closeArea.hidden = this.tool !== "cut";
    this.hint.hidden = this.tool === "note"; // the field says it
    this.closeArea.setAttribute("aria-disabled", String((this.begun?.points.length ?? 0) < 3));
    write(this.hint, TOOLS.find(([tool]) => tool === this.tool)?.[3] ?? "");
    this.undo.setAttribute("aria-disabled", String(plan.past.length === 0));
    this.redo.setAttribute("aria-disabled", String(plan.future.length === 0));
    this.#drawPanel();
  }

  /**
   * A planned move to use, what is answered in advance, and what can be, share one place.
   * @param {boolean} isUsed
   */
  #drawAhead(isUsed) {
    const held = this.#heldWords;
    this.held.hidden = held === "" || isUsed;
    this.heldInFull.hidden = held === "";
    this.ahead.hidden = held !== "" || this.coming === null || isUsed;
    this.useFirst.hidden = !this.held.hidden || !this.ahead.hidden;
    this.ahead.setAttribute("aria-pressed", String(this.isAhead));
    const { premove } = this.plan.content;
    write(
      find(this.held, "p"),
      premove !== null && this.#isComing ? `Sent when asked: ${premove.text}.` : held,
    );
    write(this.heldInFull, held);
  }

  #drawPanel() {
    const { plan } = this;
    const { candidates, shown } = plan.content;
    const names = candidates.length > 0 ? candidates.map(({ name }) => name) : [plan.shown.name];
    const { activeElement } = document;
    const held = [...this.candidates.children].findIndex((each) => each === activeElement);
    fill(
      this.candidates,
      names.map((name, index) =>
        h(
          "button",
          {
            type: "button",
            class: "plan-button",
            "aria-label": `Candidate ${name}`,
            "aria-pressed": String(index === shown),
            on: {
              click: () => {
                plan.show(index);
                this.page.announce(`Candidate ${name} is shown.`);
              },
            },
          },
          name,
        ),
      ),
    );
    const again = this.candidates.children.item(held);
    if (held >= 0 && again instanceof HTMLElement) again.focus();
    this.comparing &&= plan.other !== null;
    press(this.compare, this.comparing);
    this.compare.setAttribute("aria-disabled", String(plan.other === null));
    write(this.legend, this.comparing ? this.#legend : "");
    if (activeElement !== this.name) this.name.value = plan.shown.name;
    if (this.note.value !== plan.content.note) this.note.value = plan.content.note;
    this.#drawList();
    this.#drawKept();
  }

  get #legend() {
    const { shown, other } = this.plan;
    if (other === null) return "";
    const named = (/** @type {Plans.Candidate} */ candidate) => {
      const sign = this.plan.signOf(candidate);
      return sign === candidate.name ? sign : `${sign} (${candidate.name})`;
    };
    return `Drawn firmly: ${named(shown)}. Dashed and faint: ${named(other)}.`;
  }

  #drawList() {
    const { items } = this.plan.shown;
    const plays = this.#canPlay;
    const stamp = JSON.stringify([items, plays]);
    if (stamp === this.heldList) return;
    this.heldList = stamp;
    const buttons = () => [...this.list.querySelectorAll("button")];
    const held = buttons().findIndex((each) => each === document.activeElement);
    fill(
      this.list,
      items.map((item, index) => this.#listed(item, index, plays)),
    );
    if (held >= 0) (buttons().at(Math.min(held, buttons().length - 1)) ?? this.toggle)?.focus();
    this.list.hidden = items.length === 0;
  }

  /**
   * @param {Plans.Item} item
   * @param {number} index
   * @param {boolean} plays
   */
  #listed(item, index, plays) {
    const words = this.#words(item);
    const use =
      item.kind === "move"
        ? h(
            "button",
            {
              type: "button",
              class: "plan-button",
              "aria-disabled": String(!plays),
              "aria-label": `Use ${item.text}`,
              on: { click: () => this.use(item.text) },
            },
            "Use",
          )
        : null;
    const remove = h(
      "button",
      {
        type: "button",
        class: "plan-button",
        "aria-label": `Delete ${words}`,
        on: { click: () => this.#remove(index) },
      },
      icon("close"),
    );
    return h("li", {}, h("span", { class: "plan__words" }, words), use, remove);
  }

  #drawKept() {
    const said = this.plan.trouble || "Nobody else sees this. It is kept between your devices.";
    write(this.keptWords, said);
  }
}

/** @type {Record<string, [number, number] | undefined>} */
const STEPS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/**
 * @param {HTMLElement} button
 * @param {boolean} pressed
 */
function press(button, pressed) {
  button.setAttribute("aria-pressed", String(pressed));
}

// -- geometry -----------------------------------------------------------------------------------

/**
 * The whole of a drawing in its own units: left, top, width, height. A board that magnifies its
 * drawing says it beside the part that is in view.
 * @param {SVGSVGElement} svg
 */
function extentOf(svg) {
  const whole = (svg.dataset.board ?? "").split(" ").map(Number);
  if (whole.length === 4) return whole;
  const { x, y, width, height } = svg.viewBox.baseVal;
  return [x, y, width, height];
}

/** @param {number} value */
function within(value) {
  return Math.max(0, Math.min(WHOLE, Math.round(value)));
}

/**
 * What is kept of a place in a drawing's own units.
 * @param {SVGSVGElement} svg
 * @param {[number, number]} place
 * @returns {Plans.Point}
 */
function kept(svg, [x, y]) {
  const [left, top, width, height] = extentOf(svg);
  return [within(((x - left) / width) * WHOLE), within(((y - top) / height) * WHOLE)];
}

/**
 * A place that was kept, in a drawing's own units.
 * @param {SVGSVGElement} svg
 * @param {Plans.Point} point
 * @returns {[number, number]}
 */
function pointIn(svg, [x, y]) {
  const [left, top, width, height] = extentOf(svg);
  return [left + (x / WHOLE) * width, top + (y / WHOLE) * height];
}

/**
 * Where a pointer is.
 * @param {SVGSVGElement} svg
 * @param {PointerEvent} event
 */
function pointOf(svg, { clientX, clientY }) {
  const matrix = svg.getScreenCTM()?.inverse();
  const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(matrix);
  return kept(svg, [x, y]);
}

/**
 * @param {SVGSVGElement} svg
 * @param {[number, number]} place
 */
function squareAt(svg, [x, y]) {
  /** @type {NodeListOf<SVGGraphicsElement>} */
  const squares = svg.querySelectorAll("[data-square]");
  return [...squares].find((each) => {
    const box = each.getBBox();
    return x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;
  });
}

/**
 * @param {SVGSVGElement} svg
 * @param {SVGGraphicsElement} square
 */
function middleOf(svg, square) {
  const { x, y, width, height } = square.getBBox();
  return kept(svg, [x + width / 2, y + height / 2]);
}

/**
 * The middle of the square there, or the place itself where there is none.
 * @param {SVGSVGElement} svg
 * @param {Plans.Point} point
 */
function snapped(svg, point) {
  const square = squareAt(svg, pointIn(svg, point));
  return square === undefined ? point : middleOf(svg, square);
}

/**
 * How large a mark is, in a drawing's own units.
 * @param {SVGSVGElement} svg
 */
function sizeOf(svg) {
  /** @type {SVGGraphicsElement | null} */
  const square = svg.querySelector("[data-square]");
  const size = square === null ? extentOf(svg)[2] / 32 : square.getBBox().width * 0.38;
  // What is written is read on a phone, too, whatever the drawing has been brought down to.
  const scale = svg.getScreenCTM()?.a ?? 1;
  return Math.max(size, LEAST_PX / scale);
}

/**
 * @param {Plans.Point} one
 * @param {Plans.Point} other
 */
function isAt(one, other) {
  return Math.hypot(one[0] - other[0], one[1] - other[1]) < 20;
}

/** @param {Plans.Point[]} points */
function centreOf(points) {
  const sum = points.reduce(([x, y], [dx, dy]) => [x + dx, y + dy], [0, 0]);
  return /** @type {Plans.Point} */ (sum.map((each) => Math.round(each / points.length)));
}

/**
 * How far something that is drawn is from a place; 0 within an area.
 * @param {Plans.Drawn} item
 * @param {Plans.Point} at
 */
function distance(item, at) {
  switch (item.kind) {
    case "arrow":
      return distanceTo(at, item.from, item.to);
    case "mark":
    case "note":
      return Math.hypot(item.at[0] - at[0], item.at[1] - at[1]);
    default: {
      const { points, kind } = item;
      const ends = points.map((_, index) => points[(index + 1) % points.length]);
      const sides = points.map((each, index) => distanceTo(at, each, ends[index]));
      if (kind === "line") sides.pop();
      return kind === "cut" && surrounds(points, at) ? 0 : Math.min(...sides);
    }
  }
}

/**
 * Whether a place lies within an area.
 * @param {Plans.Point[]} points
 * @param {Plans.Point} at
 */
function surrounds(points, [x, y]) {
  let inside = false;
  points.forEach(([ax, ay], index) => {
    const [bx, by] = points[(index + 1) % points.length];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  });
  return inside;
}

/**
 * Whether a planned move covers a place of its drawing.
 * @param {Boards.Ghost} ghost
 * @param {[number, number]} place
 */
function lies({ d, moved = [0, 0] }, [x, y]) {
  return s("path", { d }).isPointInFill(new DOMPoint(x - moved[0], y - moved[1]));
}

// -- pictures -----------------------------------------------------------------------------------

/**
 * The layer of a drawing, above everything else in it.
 * @param {SVGSVGElement} svg
 */
function layerOf(svg) {
  const there = svg.querySelector(":scope > .plan-layer");
  const layer = there ?? s("g", { class: "plan-layer", "aria-hidden": "true" });
  if (svg.lastElementChild !== layer) svg.append(layer);
  return layer;
}

/**
 * A stroke in one of the colours, on a ground that it can be seen on.
 * @param {string} d
 * @param {number} colour
 * @param {Dom.Attributes} [more]
 */
function strokeOf(d, colour, more = {}) {
  const line = { d, "vector-effect": "non-scaling-stroke", ...more };
  return [
    s("path", { class: "plan-halo", ...line }),
    s("path", { class: `plan-stroke plan-stroke--${colour}`, ...line }),
  ];
}

/**
 * A sign on a ground of its own.
 * @param {string} text
 * @param {[number, number]} at
 * @param {number} size
 */
function badge(text, [x, y], size) {
  return [
    s("circle", { class: "plan-badge", cx: x, cy: y, r: size * 0.6 }),
    s(
      "text",
      {
        class: "plan-words",
        x,
        y: y + size * 0.26,
        "font-size": text.length > 1 ? size * 0.6 : size * 0.75,
        "text-anchor": "middle",
      },
      text,
    ),
  ];
}

/**
 * What is to be seen next is on the board: bring it back into sight from wherever the page stands.
 * @param {HTMLElement} board
 */
function bringBack(board) {
  const { top } = board.getBoundingClientRect();
  if (top < 0 || top > innerHeight / 2) board.scrollIntoView({ block: "start" });
}

/**
 * @param {Boards.Ghost} ghost
 * @param {Plans.Move} move
 * @param {string} kind
 * @param {string} sign
 */
function ghostOf({ svg, d, moved, words = [] }, { colour }, kind, sign) {
  const size = sizeOf(svg);
  const transform = moved ? `translate(${moved[0]} ${moved[1]})` : null;
  const [, x = "0", y = "0"] = /^M(-?[\d.]+) (-?[\d.]+)/.exec(d) ?? [];
  const [dx, dy] = moved ?? [0, 0];
  return s(
    "g",
    { class: `plan-item plan-item--move ${kind}` },
    s("path", { class: `plan-body plan-body--${colour}`, d, transform, "fill-rule": "evenodd" }),
    strokeOf(d, colour, { transform }),
    // Where two candidates lie on one another only one of them can be read.
    (kind === "" ? words : []).map(({ text, at: [left, top] }) =>
      s(
        "text",
        {
          class: "plan-words",
          x: left,
          y: top + size * 0.35,
          "font-size": size,
          "text-anchor": "middle",
        },
        text,
      ),
    ),
    badge(sign, [Number(x) + dx + (kind === "" ? 0 : 1.3 * size), Number(y) + dy], size),
  );
}

/**
 * @param {SVGSVGElement} svg
 * @param {Plans.Drawn} item
 * @param {string} kind
 * @param {string} [sign]
 */
function pictureOf(svg, item, kind, sign = "") {
  const size = sizeOf(svg);
  const [parts, at] = drawnOf(svg, item, size);
  return s(
    "g",
    { class: `plan-item plan-item--${item.kind} ${kind}` },
    parts,
    sign === "" ? null : badge(sign, at, size),
  );
}

/**
 * What something looks like, and where a sign beside it stands.
 * @param {SVGSVGElement} svg
 * @param {Plans.Drawn} item
 * @param {number} size
 * @returns {[Dom.Child, [number, number]]}
 */
function drawnOf(svg, item, size) {
  switch (item.kind) {
    case "arrow": {
      const [from, to] = [pointIn(svg, item.from), pointIn(svg, item.to)];
      const along = Math.atan2(to[1] - from[1], to[0] - from[0]);
      const wing = (/** @type {number} */ by) =>
        `${to[0] - size * Math.cos(along + by)} ${to[1] - size * Math.sin(along + by)}`;
      const head = `M${wing(0.5)}L${to.join(" ")}L${wing(-0.5)}`;
      const line = strokeOf(`M${from.join(" ")}L${to.join(" ")}`, item.colour);
      return [[line, strokeOf(head, item.colour, { "data-head": "" })], from];
    }
    case "mark": {
      const [x, y] = pointIn(svg, item.at);
      return [markOf(item, [x, y], size), [x + size, y - size]];
    }
    case "note": {
      const [x, y] = pointIn(svg, item.at);
      const [left, , width] = extentOf(svg);
      // What stands at the right edge is written to the left.
      const late = x > left + width * 0.6;
      return [noteOf(item.text, [x, y], size, late), [x, y]];
    }
    default: {
      const points = item.points.map((each) => pointIn(svg, each));
      const closed = item.kind === "cut";
      const d = `M${points.map((each) => each.join(" ")).join("L")}${closed ? "Z" : ""}`;
      const body = closed ? s("path", { class: `plan-body plan-body--${item.colour}`, d }) : null;
      return [[body, strokeOf(d, item.colour)], points[0]];
    }
  }
}

/**
 * @param {Plans.Mark} item
 * @param {[number, number]} at
 * @param {number} size
 */
function markOf({ sign, colour }, [x, y], size) {
  const r = size * 0.8;
  if (sign === "cross") {
    return strokeOf(
      `M${x - r} ${y - r}L${x + r} ${y + r}M${x + r} ${y - r}L${x - r} ${y + r}`,
      colour,
    );
  }
  if (sign === "question") {
    const text = { x, y: y + size * 0.62, "font-size": size * 1.8, "text-anchor": "middle" };
    return s("text", { class: `plan-sign plan-sign--${colour}`, ...text }, "?");
  }
  const ring = (/** @type {number} */ of) =>
    `M${x - of} ${y}a${of} ${of} 0 1 0 ${2 * of} 0a${of} ${of} 0 1 0 ${-2 * of} 0Z`;
  if (sign === "ring") return strokeOf(ring(size), colour);
  return s("path", { class: `plan-dot plan-dot--${colour}`, d: ring(size * 0.5) });
}

/**
 * @param {string} text
 * @param {[number, number]} at
 * @param {number} size
 * @param {boolean} late
 */
function noteOf(text, [x, y], size, late) {
  const shown = text.length > 24 ? `${text.slice(0, 23)}…` : text;
  return [
    s("circle", { class: "plan-badge", cx: x, cy: y, r: size * 0.3 }),
    s(
      "text",
      {
        class: "plan-words plan-words--note",
        x: x + (late ? -size : size) * 0.5,
        y: y + size * 0.3,
        "font-size": size * 0.85,
        "text-anchor": late ? "end" : "start",
      },
      s("title", {}, text),
      shown,
    ),
  ];
}

/**
 * Where the keys are on a drawing without squares.
 * @param {SVGSVGElement} svg
 * @param {Plans.Point} at
 */
function crossOf(svg, at) {
  const [x, y] = pointIn(svg, at);
  const r = sizeOf(svg) * 1.2;
  const d = `M${x - r} ${y}H${x + r}M${x} ${y - r}V${y + r}`;
  return s("g", { class: "plan-cursor" }, strokeOf(d, 3));
}
