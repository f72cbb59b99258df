// @ts-check
/* The board of Domain. See static/js/boards/README.md for what every board module offers.

   Long, since what is drawn, where a pointer or the keys are and what they would do are one state;
   and each module more is a request more before somebody can move. */

import { elementOf, fill, h, icon, s, scrolling, write } from "../../../../static/js/match/dom.js";
import {
  COLOURS,
  drawAllLying,
  faultOf,
  FRAME,
  gapLine,
  ground,
  iconButton,
  isDrafting,
  lying,
  moveButtons,
  nextId,
  number,
  ownerOf,
  ownersOf,
  Paint,
  patterns,
  pixelPath,
  ringPath,
  shapeArt,
  shapeBody,
  shapeOf,
  TITLES,
  traits,
  turned,
} from "./pixels.js";
import {
  ARROWS,
  choiceCards,
  ConfirmBar,
  focusChoice,
  given,
  isForBoard,
  NOTHING_ASKED,
  seatBadge,
  uncheck,
} from "../../../../static/js/boards/kit.js";
import { loupe } from "../../../../static/js/boards/loupe.js";
import { whyIdle } from "../../../../static/js/boards/placing.js";

/** @typedef {Live.View<Domain.Game>} View */

/** @typedef {ReturnType<typeof faultOf>} Fault */

/**
 * What a hand on the glass is doing.
 * @typedef {{kind: "twist", start: number, angle: number}
 *   | {kind: "turn"}
 *   | {kind: "drag", dx: number, dy: number}
 *   | {kind: "tap", finger: number, x: number, y: number, middle: [number, number], panned: boolean}
 * } Gesture
 */

/** @type {("x" | "y" | "angle")[]} */
const ENTRIES = ["x", "y", "angle"];
const ZOOMS = [1, 2, 4, 8];
const PRECISE = 2; // from this one of them on, single pixels are drawn
/** @type {{name: string, axis: number, sign: number}[]} */
const EDGES = [
  { name: "top", axis: 1, sign: -1 },
  { name: "right", axis: 0, sign: 1 },
  { name: "bottom", axis: 1, sign: 1 },
  { name: "left", axis: 0, sign: -1 },
];
const HANDLE = 26; // how far beyond the shape the handle for turning is

/** @type {Boards.Module["keys"]} */
export const keys = [
  [["N", "P"], "take the next and the previous of your shapes in hand."],
  [["←", "↑", "↓", "→"], "move it by a pixel, with Shift by ten."],
  [[",", "."], "turn it by a degree, left and right."],
  [["R"], "turns it by 15°; with Shift it turns back."],
  [["D"], "takes it to the other domain."],
  [
    ["+", "-"],
    "magnify the domain, and less again; with no shape in hand the arrows move what is seen.",
  ],
  [["E"], "looks closely at an edge of the shape in hand, and then at the next one."],
  [["L"], "looks closely at a shape: turned and tried anywhere, and nothing is played."],
  [["U"], "takes a ruler and puts it away; arrows and Enter choose its points."],
  [["Enter"], "places it."],
  [["Esc"], "takes it back."],
];

export const waiting = {
  inspect: "looking over the shapes",
  first: "choosing who picks first",
  draft: "taking a shape",
  place: "placing a shape",
  final: "deciding whether to challenge the last placement",
};

export const examples = {
  inspect: "ready",
  first: "first",
  draft: "take 07",
  place: "07 > red 120,85 45",
  final: "accept",
};

/**
 * Who decides on the challenge that the match waits for, and what follows from it.
 * @param {Live.BegunView<Domain.Game>} view
 * @param {string[]} names
 */
export function dispute(view, names) {
  const { game } = view;
  const last = given(game.turns.at(-1));
  const mover = given(game.to_move);
  const challenger = names[mover];
  const wrong = game.wrong[mover] > 0 ? costs(game) : "it stays, and this first time costs nothing";
  return `${challenger} challenges ${last.shape}. An organiser decides: if it does not lie validly it is discarded, otherwise ${wrong}. ${challenger} goes on then; all clocks stand still.`;
}

/**
 * What a challenge of a valid placement costs from the second time on.
 * @param {Domain.Game} game
 */
function costs(game) {
  return `it stays, and the challenge costs ${game.challenge_cost_ms / 1000} s of reserve, or what is left of it`;
}

/**
 * The pixels, by seat.
 * @param {View} view
 */
export function scores(view) {
  return view.game?.pool ? view.game.scores : null;
}

/**
 * Where the match stands, in a few words.
 * @param {View} view
 */
export function caption(view) {
  const { game } = view;
  if (game === null || game.pool === null) return "The match is about to begin.";
  const { shapes } = game.pool;
  if (game.under_review) return "The organiser reviews a challenge. All clocks stand still.";
  switch (game.phase) {
    case "inspect":
      return `Inspection of ${shapes.length} shapes`;
    case "first":
      return "Who picks first is chosen";
    case "draft":
      return `Draft: ${game.free.length} of ${shapes.length} shapes left`;
    case "place":
      return `Placement: ${game.turns.length} of ${shapes.length} shapes played`;
    case "final":
      return "All shapes are played";
    default:
      return `${game.turns.length} shapes played`;
  }
}

/**
 * What the log shows beside an event: the shape it is about.
 * @param {Live.LogEvent} event
 */
export function tags(event) {
  const shape = event.data?.shape;
  return shape ? [{ text: shape, title: `Shape ${shape}`, kind: "shape" }] : [];
}

/**
 * What the reader can plan now, or null: which shape to take, and then where to lay one.
 * @param {View} view
 * @param {Seat} you
 */
export function plans(view, you) {
  const { game } = view;
  if (view.phase !== "on" || !game?.pool) return null;
  if (isDrafting(game)) return { kind: "draft", view };
  if (game.phase !== "place" || game.hands[you].length === 0) return null;
  // A placement to be challenged is there in one's own turn alone.
  return { kind: "place", view: { ...view, game: { ...game, can_challenge: false } } };
}

/**
 * A placement as it is written, or null.
 * @param {string} text
 */
function read(text) {
  const found = /^(\S+) > (red|blue) (\d+),(\d+) (\d+)$/.exec(text);
  if (found === null) return null;
  const [, shape, colour, x, y, angle] = found;
  const domain = /** @type {Domain.Colour} */ (colour);
  return { shape, domain, x: Number(x), y: Number(y), angle: Number(angle) };
}

/**
 * What a placement did to the pixels, or a challenge that had one discarded.
 * @param {Live.LogEvent} event
 * @param {View} _view
 * @param {string[]} names
 * @returns {Boards.Scored | null}
 */
export function scored(event, _view, names) {
  const { gained, shape } = event.data;
  const domain = /** @type {Domain.Colour | undefined} */ (event.data.domain);
  if (gained === undefined) return null; // another event, or one told by an older version
  const laid = domain !== undefined;
  const title = laid ? `Shape ${shape} on ${domain}` : `Shape ${shape} is taken off`;
  const order = gained[0] >= gained[1] ? [0, 1] : [1, 0];
  const marks = order.map((seat) => {
    const change = gained[seat];
    const sign = change > 0 ? `+${number(change)}` : change < 0 ? `−${number(-change)}` : "0";
    const why = !laid
      ? "counted again without it"
      : change > 0
        ? "are on top now"
        : change < 0
          ? "are covered now"
          : "as before";
    return {
      sign,
      seat,
      words: `pixels of ${names[seat]} ${why}`,
      at: laid ? [".shape--last"] : [],
    };
  });
  return { seat: laid ? event.seat : null, title, marks };
}

/**
 * What decided the match, where the reason alone does not say it; or an empty string.
 * @param {Live.WonView<Domain.Game>} view
 * @param {string[]} names
 */
export function because(view, names) {
  if (view.result.reason !== "tie-break") return "";
  return `Both have as many pixels, so the advantage decides: ${names[view.result.winner]} had it.`;
}

/**
 * A still picture of the position, for replays; of a placement among these events, with the pixels
 * that were the opponent's before.
 * @param {View} view
 * @param {{names?: string[], events?: Live.LogEvent[]}} [more]
 */
export function render(view, { names = ["First player", "Second player"], events = [] } = {}) {
  const { game } = view;
  if (game === null || game.pool === null) {
    return s("svg", {
      class: "board",
      viewBox: "0 0 640 80",
      role: "img",
      "aria-label": caption(view),
    });
  }
  const drawn = /** @type {Domain.DrawnGame} */ (game);
  if (isDrafting(game)) return drafted(view, drawn, names);
  const [width, height] = game.pool.size;
  const taken = events.some(({ kind }) => kind === "place") ? takenPixels(drawn) : null;
  /** @param {Domain.Colour} colour */
  const one = (colour) => {
    const id = nextId();
    const owner = ownerOf(game, colour);
    const svg = s(
      "svg",
      {
        class: "domain__svg",
        viewBox: `${-FRAME} ${-FRAME} ${width + 2 * FRAME} ${height + 2 * FRAME}`,
      },
      patterns(id),
      ground(drawn, colour, id),
      s("g", {}, drawAllLying(drawn, colour, id, names)),
      taken !== null &&
        taken.domain === colour &&
        s("path", { class: "domain__taken", d: taken.d }),
    );
    const title = h(
      "p",
      { class: "domain__caption" },
      seatBadge(owner),
      `${TITLES[colour]}: ${names[owner]}`,
    );
    return h("div", { class: "domain" }, title, svg);
  };
  return h(
    "div",
    {
      class: "domains domains--still",
      role: "img",
      "aria-label": `${caption(view)}. ${inWords(game, names)}`,
      "data-red-seat": game.red,
    },
    COLOURS.map(one),
  );
}

/**
 * Where the last shape lies on what was the opponent's: the domain, and those pixels as a path of
 * lines, one a run; null where there is no such shape.
 * @param {Domain.DrawnGame} game
 */
function takenPixels(game) {
  const there = lying(game);
  const last = there.at(-1);
  if (last === undefined || last !== game.turns.at(-1)) return null;
  const paint = new Paint(game.pool, game.red);
  for (const turn of there.slice(0, -1)) paint.lay(turn);
  const before = paint.fields[last.domain].slice();
  paint.lay(last);
  const after = paint.fields[last.domain];
  const { width, height } = paint;
  let d = "";
  for (let y = 0; y < height; y += 1) {
    let from = -1;
    for (let x = 0; x <= width; x += 1) {
      const at = y * width + x;
      const won = x < width && after[at] === last.seat && before[at] === 1 - last.seat;
      if (won && from < 0) from = x;
      if (!won && from >= 0) {
        d += `M${from} ${y}h${x - from}v1h${from - x}z`;
        from = -1;
      }
    }
  }
  return { domain: last.domain, d };
}

/**
 * The shapes that each player has left to play, for replays.
 * @param {View} view
 * @param {string[]} names
 */
export function hands(view, names) {
  const { game } = view;
  if (game === null || game.pool === null || isDrafting(game)) return null;
  const drawn = /** @type {Domain.DrawnGame} */ (game);
  return h(
    "div",
    { class: "still-hands" },
    [0, 1].map((seat) => {
      const taken = game.taken.flatMap(([whose, id]) =>
        whose === seat && id !== null ? [id] : [],
      );
      const has = new Set(game.hands[seat]);
      return h(
        "section",
        { class: "still-hand", "aria-label": `${names[seat]}'s shapes` },
        h("h3", { class: "still-hand__title" }, seatBadge(seat), names[seat], ` ${has.size} left`),
        h("p", { class: "visually-hidden" }, [...has].join(", ")),
        h(
          "div",
          { class: "still-hand__shapes", "aria-hidden": "true" },
          taken.map((id) =>
            h(
              "span",
              { class: `still-shape${has.has(id) ? "" : " still-shape--gone"}` },
              shapeArt(drawn, shapeOf(drawn, id), seat),
              h("span", {}, id),
            ),
          ),
        ),
      );
    }),
  );
}

/**
 * Who has taken which shapes, for replays.
 * @param {View} view
 * @param {Domain.DrawnGame} game
 * @param {string[]} names
 */
function drafted(view, game, names) {
  const owners = ownersOf(game);
  const taken = names.map((name, seat) => {
    const ids = game.taken
      .filter(([whose, id]) => whose === seat && id !== null)
      .map(([, id]) => id);
    return `${name} has ${ids.join(", ") || "none"}.`;
  });
  return h(
    "div",
    {
      class: "shape-gallery shape-gallery--still",
      role: "img",
      "aria-label": `${caption(view)}. ${taken.join(" ")}`,
      "data-red-seat": game.red,
    },
    game.pool.shapes.map((shape) =>
      shapeCard("div", game, shape, owners.get(shape.id) ?? null, names),
    ),
  );
}

/**
 * @param {HTMLElement} root
 * @param {Boards.Api} api
 */
export function mount(root, api) {
  return new DomainBoard(root, api);
}

// -- in words, and as cards --------------------------------------------------------------------

/**
 * @param {Domain.Game} game
 * @param {string[]} names
 */
function inWords(game, names) {
  const [first, second] = game.scores;
  const said = [`${names[0]} has ${number(first)} pixels, ${names[1]} ${number(second)}.`];
  for (const colour of COLOURS) {
    const there = lying(game, colour);
    const list = there.map(
      (turn) =>
        `${turn.shape} of ${names[turn.seat]} at ${turn.x},${turn.y} turned by ${turn.angle}°`,
    );
    said.push(
      there.length === 0
        ? `Nothing lies on ${colour}.`
        : `On ${colour}, from below to above: ${list.join("; ")}.`,
    );
  }
  return said.join(" ");
}

/**
 * @param {"div" | "li"} tag
 * @param {Domain.DrawnGame} game
 * @param {Domain.Shape} shape
 * @param {Seat | null} seat
 * @param {string[]} names
 * @param {(() => void) | null} [look] what choosing it does
 */
function shapeCard(tag, game, shape, seat, names, look = null) {
  const card = [
    shapeArt(game, shape, seat),
    h("span", { class: "shape-card__name" }, seat === null ? null : seatBadge(seat), shape.id),
    h(
      "span",
      { class: "shape-card__text" },
      seat === null ? traits(shape).join(", ") : names[seat],
    ),
  ];
  return h(
    tag,
    { class: "shape-card", "data-seat": seat },
    look === null
      ? card
      : h(
          "button",
          { type: "button", class: "shape-card__look", title: "Look closely", on: { click: look } },
          card,
        ),
  );
}

// -- the board --------------------------------------------------------------------------------

class DomainBoard {
  /** @type {Domain.DrawnGame | null} */
  game = null; // the game once its pool has been drawn
  entries = /** @type {Record<"x" | "y" | "angle", HTMLInputElement>} */ ({});
  /** @type {Paint} */
  paint;
  /** @type {HTMLButtonElement} */
  lensOut;
  /** @type {HTMLButtonElement} */
  lensIn;
  /** @type {HTMLElement} */
  lensWords;
  /** @type {HTMLButtonElement} */
  lensEdge;
  /** @type {HTMLButtonElement} */
  first;
  /** @type {HTMLButtonElement} */
  list;
  /** @type {HTMLButtonElement} */
  measure;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  speaking;
  /** @type {typeof import("./measure.js") | null} */
  measuring = null; // once there has been a shape in hand
  measured = false; // whether that was asked for
  /** @type {import("./beside.js").Beside | null} */
  beside = null; // once somebody wanted any of that
  /** @type {Domain.Placement[]} */
  laid = [];

  /**
   * @param {HTMLElement} root
   * @param {Boards.Api} api
   */
  constructor(root, api) {
    this.api = api;
    this.host = root.closest(".match") ?? root; // of dialogs: none of them is part of the board
    this.ctx = NOTHING_ASKED;
    /** @type {View | null} */
    this.view = null;
    /** @type {string | {discard: string} | null} */
    this.choice = null; // a card, "challenge", or {discard: "07"}
    /** @type {Domain.Place | null} */
    this.ghost = null; // {shape, domain, x, y, angle}
    this.zoom = 0; // index of ZOOMS
    /** @type {[number, number] | null} */
    this.middle = null; // what the zoomed window is centred on
    /** @type {[number, number]} */
    this.look = [0, 0]; // how far from the shape in hand that is
    this.edge = -1; // which of its edges was looked at last
    /** @type {Domain.Colour} */
    this.lastDomain = "red"; // which domain was worked on or looked at last
    /** @type {Gesture | null} */
    this.gesture = null;
    /** @type {Map<number, PointerEvent>} */
    this.fingers = new Map();
    /** @type {string | null} */
    this.asked = null;
    this.galleryStamp = "";
    this.listening = new AbortController();

    this.note = h("p", { class: "board-facts", role: "status" });
    this.cards = h("div", { class: "board-cards" });
    fill(api.dock, this.cards);
    this.gallery = h("ul", { class: "shape-gallery" });
    this.fields = { red: this.#field("red"), blue: this.#field("blue") };
    this.domains = h(
      "div",
      { class: "domains" },
      COLOURS.map((colour) => this.fields[colour].figure),
    );
    this.counts = h("p", { class: "board-facts domain-counts" });
    this.tray = h("div", {
      class: "shape-tray",
      "data-grows": "",
      role: "group",
      "aria-label": "Your shapes",
    });
    this.theirs = h("details", { class: "shape-rest" });
    this.tools = this.#tools();
    this.lens = this.#lens();
    this.looks = this.#looks();
    this.acts = h("div", { class: "board-tools" });
    this.bar = new ConfirmBar({ onConfirm: () => this.#confirm(), onCancel: () => this.#cancel() });
    root.append(
      this.domains,
      this.lens,
      this.looks,
      this.counts,
      this.note,
      this.bar.root,
      this.tools,
      this.tray,
      this.acts,
      this.theirs,
      this.gallery,
    );
    document.addEventListener("keydown", (event) => this.#key(event, root), {
      signal: this.listening.signal,
    });
  }

  /** Take the keyboard's focus to where something is to be done. */
  focus() {
    if (this.game === null) return;
    const card = this.cards.hidden ? null : this.cards.querySelector("input");
    if (card !== null) card.focus();
    else if (this.ghost !== null || !focusChoice(this.tray, "button")) {
      this.fields[this.ghost?.domain ?? "red"].svg.focus();
    }
  }

  destroy() {
    this.listening.abort();
    clearTimeout(this.speaking);
    this.beside?.destroy();
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
    this.game = view.game?.pool ? /** @type {Domain.DrawnGame} */ (view.game) : null;
    const asked = ctx.decision?.id ?? null;
    if (asked !== before) this.#reset();
    const hasPool = this.game !== null;
    for (const part of [
      this.cards,
      this.domains,
      this.lens,
      this.looks,
      this.counts,
      this.tools,
      this.tray,
      this.acts,
      this.theirs,
      this.gallery,
    ]) {
      part.hidden = !hasPool;
    }
    this.domains.dataset.redSeat = String(view.game?.red ?? "");
    if (!hasPool) {
      this.bar.hide();
      write(this.note, caption(view));
      return;
    }
    const hand = ctx.you === null ? [] : this.#game.hands[ctx.you];
    if (this.ghost !== null && !hand.includes(this.ghost.shape)) this.ghost = null;
    this.laid = lying(this.#game);
    this.paint = new Paint(this.#game.pool, this.#game.red);
    for (const turn of this.laid) this.paint.lay(turn);
    this.#drawCards();
    this.#drawGallery();
    this.#drawTray(hand);
    this.#drawTheirs();
    for (const colour of COLOURS) this.#drawField(colour);
    this.#draw();
    this.beside?.update();
  }

  /**
   * What should be asked before `text` is submitted, however it was put; or an empty string.
   * @param {string} text
   */
  caution(text) {
    const game = this.game;
    const { you } = this.ctx;
    if (!/^\s*challenge\s*\.?\s*$/i.test(text) || you === null || !game?.wrong[you]) return "";
    return `You have challenged a valid placement before: if this one is valid as well, ${costs(game)}.`;
  }

  /**
   * What a planned placement looks like.
   * @param {string} text
   * @returns {Boards.Ghost[]}
   */
  ghosts(text) {
    const place = read(text);
    const shape = this.game?.pool.shapes.find(({ id }) => id === place?.shape);
    if (place === null || shape === undefined) return [];
    const d = ringPath([shape.outline, ...shape.holes], place.angle);
    const moved = /** @type {[number, number]} */ ([place.x, place.y]);
    return [
      { svg: this.fields[place.domain].svg, d, moved, words: [{ text: shape.id, at: moved }] },
    ];
  }

  /**
   * Show a planned placement or pick, to be confirmed. Whether it is one that can be shown.
   * @param {string} text
   */
  preview(text) {
    const { decision, you } = this.ctx;
    if (this.game === null || you === null) return false;
    const taken = /^take (\S+)$/.exec(text);
    if (taken !== null && decision?.kind === "draft") {
      if (this.game.free.includes(taken[1])) this.#choose(taken[1]);
      else this.api.refuse(`Shape ${taken[1]} has been taken.`);
      return true;
    }
    if (!this.#isPlacing) return false;
    if (text === "challenge") {
      if (this.#game.can_challenge) this.#choose(text);
      else this.api.refuse("There is nothing to challenge.");
      return true;
    }
    const place = read(text);
    if (place === null) return false;
    if (this.game.hands[you].includes(place.shape)) this.#show(place);
    else this.api.refuse(`You do not have shape ${place.shape} any more.`);
    return true;
  }

  // -- what is asked ----------------------------------------------------------------------------

  get #game() {
    return given(this.game);
  }

  get #you() {
    return given(this.ctx.you);
  }

  get #isPlacing() {
    return this.ctx.decision?.kind === "place" && !this.ctx.paused && this.ctx.pending === null;
  }

  get #isStrict() {
    return this.#game.refereeing === "strict";
  }

  #reset() {
    this.choice = null;
    this.ghost = null;
    this.zoom = 0;
    this.middle = null;
    this.#lookAtShape();
    this.api.draft("");
  }

  get #text() {
    const { choice, ghost } = this;
    if (choice === "challenge" || choice === "accept" || choice === "ready") return choice;
    if (typeof choice === "object" && choice !== null) return `discard ${choice.discard}`;
    if (choice !== null) return this.ctx.decision?.kind === "draft" ? `take ${choice}` : choice;
    return ghost === null
      ? ""
      : `${ghost.shape} > ${ghost.domain} ${ghost.x},${ghost.y} ${ghost.angle}`;
  }

  get #fault() {
    if (!this.#isStrict || this.ghost === null) return null;
    return faultOf(this.#game.pool, this.laid, this.ghost);
  }

  #confirm() {
    const { decision, pending } = this.ctx;
    if (pending !== null || decision === null || this.#text === "") return;
    if (this.choice === null && this.#fault !== null) return;
    this.api.submit(this.#text);
  }

  #cancel() {
    if (this.view === null || this.ctx.pending !== null) return;
    if (this.choice === null && this.ghost === null) return;
    if (this.choice !== null) {
      this.choice = null;
      this.api.draft("");
      uncheck(this.cards);
    } else {
      this.ghost = null;
      this.zoom = 0;
      this.#lookAtShape();
    }
    this.api.announce("Preview taken away.");
    this.#drawEverything();
  }

  /** Draw it anew, as it was shown last. */
  redraw() {
    if (this.game !== null && !this.listening.signal.aborted) this.#drawEverything();
  }

  #drawEverything() {
    for (const colour of COLOURS) this.#drawField(colour);
    this.#draw();
  }

  // -- cards: inspection, who is first, the draft, the last placement ----------------------------

  #drawCards() {
    const { decision, pending } = this.ctx;
    const asks = decision !== null && decision.kind !== "place";
    this.cards.hidden = !asks;
    const stamp = asks ? decision.id : null;
    if (stamp !== this.asked) {
      this.asked = stamp;
      fill(this.cards, asks ? this.#cardsFor(decision.kind) : null);
      // Shapes to be taken are where they lie; what else is asked must not move them.
      if (asks && decision.kind === "draft") this.gallery.after(this.cards);
      else this.api.dock.prepend(this.cards);
    }
    const below = isDrafting(this.#game) ? this.gallery : this.note;
    this.bar.below(asks ? this.cards : below, below);
    for (const input of this.cards.querySelectorAll("input")) {
      input.disabled = pending !== null || input.closest("[data-disabled]") !== null;
    }
  }

  /** @param {string} kind */
  #cardsFor(kind) {
    const game = this.#game;
    const { names } = this.ctx;
    const you = this.#you;
    /** @param {string} value */
    const choose = (value) => {
      this.choice = value;
      this.#draw();
    };
    const confirm = () => this.#confirm();
    const other = names[1 - you];
    if (kind === "draft") {
      const missed = game.misses[you];
      const owners = ownersOf(game);
      const cards = choiceCards({
        legend:
          missed > 0
            ? "Take a shape. If you miss another pick, you lose the match."
            : "Take a shape",
        choose,
        confirm,
        options: game.pool.shapes.map((shape) => {
          const owner = owners.get(shape.id) ?? null;
          return {
            value: shape.id,
            title: shape.id,
            text: owner === null ? traits(shape).join(", ") : names[owner],
            art: shapeArt(game, shape, owner),
            disabled: owner !== null,
          };
        }),
      });
      cards.classList.add("choices--shapes");
      return cards;
    }
    if (kind === "first") {
      return choiceCards({
        legend: "Who picks first?",
        choose,
        confirm,
        options: [
          { value: "first", title: "Pick first", text: "You take the first shape." },
          { value: "second", title: "Pick second", text: `${other} takes the first shape.` },
        ],
      });
    }
    if (kind === "final") {
      const last = given(game.turns.at(-1)).shape;
      return choiceCards({
        legend: `${other} has placed the last shape, ${last}.`,
        choose,
        confirm,
        options: [
          { value: "accept", title: "Accept it", text: "The match ends and pixels are counted." },
          {
            value: "challenge",
            title: `Challenge ${last}`,
            text: `Claim that it does not lie validly. ${this.caution("challenge")}`.trim(),
          },
        ],
      });
    }
    if (!game.early_ready) {
      return h(
        "p",
        { class: "small muted" },
        "Look over the shapes. The draft begins when the time is up.",
      );
    }
    return choiceCards({
      legend: "Look over the shapes",
      choose,
      confirm,
      options: [
        {
          value: "ready",
          title: "I am ready",
          text: "The draft begins once both are ready, or when the time is up.",
        },
      ],
    });
  }

  // -- shapes ------------------------------------------------------------------------------------

  #drawGallery() {
    const game = this.#game;
    const { names } = this.ctx;
    const drafting = isDrafting(game);
    // Whoever picks has the shapes on cards already.
    this.gallery.hidden = !drafting || this.ctx.decision?.kind === "draft";
    this.domains.hidden = this.lens.hidden = drafting;
    const owners = ownersOf(game);
    const stamp = JSON.stringify([game.pool.name, game.pool.version, [...owners], names]);
    if (stamp === this.galleryStamp) return;
    this.galleryStamp = stamp;
    fill(
      this.gallery,
      game.pool.shapes.map((shape) =>
        shapeCard(
          "li",
          game,
          shape,
          owners.get(shape.id) ?? null,
          names,
          () => void this.#open("look", shape.id),
        ),
      ),
    );
  }

  /** @param {string[]} hand */
  #drawTray(hand) {
    const game = this.#game;
    const playing = this.ctx.you !== null && ["place", "final"].includes(game.phase);
    this.tray.hidden = !playing;
    const stamp = playing ? `has ${hand.join()}` : "";
    if (this.tray.dataset.stamp === stamp) return;
    this.tray.dataset.stamp = stamp;
    fill(
      this.tray,
      playing &&
        hand.length === 0 &&
        h("p", { class: "board-facts" }, "You have laid all your shapes."),
      playing
        ? hand.map((id) => {
            const shape = shapeOf(game, id);
            const button = h(
              "button",
              {
                type: "button",
                class: "shape-pick",
                "data-shape": id,
                "aria-pressed": "false",
                "aria-label": `Shape ${id}, ${traits(shape).join(", ")}`,
                on: { click: () => this.#pick(id) },
              },
              shapeArt(game, shape, this.ctx.you),
              h("span", {}, id),
            );
            this.#draggable(button, id);
            return button;
          })
        : [],
    );
  }

  #drawTheirs() {
    const game = this.#game;
    const { you, names } = this.ctx;
    const seats = you === null ? [0, 1] : [1 - you];
    const left = seats.filter((seat) => game.hands[seat].length > 0);
    this.theirs.hidden = !["place", "final"].includes(game.phase) || left.length === 0;
    const stamp = JSON.stringify([left, game.hands, names]);
    if (this.theirs.hidden || this.theirs.dataset.stamp === stamp) return;
    this.theirs.dataset.stamp = stamp;
    fill(
      this.theirs,
      h(
        "summary",
        {},
        `Shapes that ${left.map((seat) => names[seat]).join(" and ")} still ${left.length === 1 ? "has" : "have"}`,
      ),
      left.map((seat) =>
        h(
          "ul",
          { class: "shape-gallery", "aria-label": names[seat] },
          game.hands[seat].map((id) =>
            h(
              "li",
              { class: "shape-card", "data-seat": seat },
              shapeArt(game, shapeOf(game, id), seat),
              h("span", { class: "shape-card__name" }, id),
            ),
          ),
        ),
      ),
    );
  }

  /**
   * Take a shape in hand: it appears in the middle of the domain that was last worked on.
   * @param {string} id
   */
  #pick(id) {
    if (!this.#isPlacing) return;
    const [width, height] = this.#game.pool.size;
    const at = this.ghost ?? {
      domain: this.lastDomain,
      x: Math.floor(width / 2),
      y: Math.floor(height / 2),
      angle: 0,
    };
    this.choice = null;
    this.#lookAtShape();
    this.#show({ ...at, shape: id, angle: this.ghost ? at.angle : 0 });
    const { svg } = this.fields[this.lastDomain];
    svg.focus({ preventScroll: true });
    // On a telephone the tray is a screen away from where the shape has appeared.
    const { top, bottom } = svg.getBoundingClientRect();
    if (top < 0 || bottom > innerHeight) {
      svg.scrollIntoView({ block: "center", behavior: scrolling() });
    }
  }

  // -- the preview -------------------------------------------------------------------------------

  /** @param {Domain.Place} ghost */
  #show(ghost) {
    const [width, height] = this.#game.pool.size;
    const angle = ((Math.round(ghost.angle) % 360) + 360) % 360;
    const x = Math.min(Math.max(Math.round(ghost.x), 0), width);
    const y = Math.min(Math.max(Math.round(ghost.y), 0), height);
    const moved = this.ghost === null || this.ghost.domain !== ghost.domain;
    this.ghost = { shape: ghost.shape, domain: ghost.domain, x, y, angle };
    this.#measure();
    this.lastDomain = ghost.domain;
    this.choice = null;
    // A hand on the glass moves the shape below a window that stays.
    if (this.gesture !== null && !moved && this.middle !== null) {
      this.look = [this.middle[0] - x, this.middle[1] - y];
    }
    if (moved && this.zoom > 0) this.#centre();
    if (moved) for (const colour of COLOURS) this.#drawField(colour);
    this.#draw();
    this.#speak();
  }

  /** @param {(ghost: Domain.Place) => Partial<Domain.Place>} change */
  #change(change) {
    if (!this.#isPlacing || this.ghost === null) return false;
    this.#show({ ...this.ghost, ...change(this.ghost) });
    this.#follow();
    return true;
  }

  /* Keep the shape in a zoomed window. */
  #follow() {
    if (this.zoom === 0 || this.ghost === null || this.gesture !== null) return;
    this.#centre();
    this.#window(this.ghost.domain);
  }

  #centre() {
    const { x, y } = given(this.ghost);
    this.middle = [x + this.look[0], y + this.look[1]];
  }

  #lookAtShape() {
    this.look = [0, 0];
    this.edge = -1;
  }

  /* Magnify an edge of the shape in hand: what lies validly is decided there, and a large shape
     would fill the window. Each call goes on to the next one: top, right, bottom, left. */
  #lookAtEdge() {
    if (this.ghost === null) return false;
    const { shape, angle } = this.ghost;
    const corners = shapeOf(this.#game, shape).outline.map((corner) => {
      const [x, y] = turned(corner, angle);
      return /** @type {[number, number]} */ ([x / 256, y / 256]);
    });
    this.edge = (this.edge + 1) % EDGES.length;
    const { name, axis, sign } = EDGES[this.edge];
    this.look = corners.reduce((far, each) => (sign * each[axis] > sign * far[axis] ? each : far));
    if (this.zoom < PRECISE) this.zoom = PRECISE;
    this.#centre();
    this.#drawEverything();
    const at = Math.round(given(this.middle)[axis] * 100) / 100;
    this.api.announce(
      `Its ${name} edge, at ${"xy"[axis]} ${at}, magnified ${ZOOMS[this.zoom]} times.`,
    );
    return true;
  }

  /**
   * Magnify what is in hand, else what was placed last.
   * @param {number} zoom
   */
  #zoomTo(zoom) {
    const [width, height] = this.#game.pool.size;
    const from = this.zoom;
    this.zoom = Math.min(Math.max(zoom, 0), ZOOMS.length - 1);
    const last = lying(this.#game).at(-1);
    if (this.zoom === 0) this.#lookAtShape();
    if (this.ghost !== null) this.#centre();
    else if (from === 0) {
      this.lastDomain = last?.domain ?? this.lastDomain;
      this.middle = last ? [last.x, last.y] : [width / 2, height / 2];
    }
    this.#drawEverything();
    const where = this.zoom > 0 ? ` on ${this.ghost?.domain ?? this.lastDomain}` : "";
    this.api.announce(`Magnified ${ZOOMS[this.zoom]} times${where}.`);
  }

  /**
   * Move the magnified window, by points of the screen from where it was.
   * @param {Domain.Colour} colour
   * @param {[number, number]} from
   * @param {number} dx
   * @param {number} dy
   */
  #pan(colour, [x, y], dx, dy) {
    const { svg } = this.fields[colour];
    const unit = svg.viewBox.baseVal.width / Math.max(1, svg.clientWidth);
    this.middle = [x - dx * unit, y - dy * unit];
    this.#window(colour);
    const { baseVal: view } = svg.viewBox;
    this.middle = [view.x + view.width / 2, view.y + view.height / 2]; // no farther than the edge
    if (this.ghost !== null) {
      this.look = [this.middle[0] - this.ghost.x, this.middle[1] - this.ghost.y];
    }
  }

  /** @param {Domain.Colour} colour */
  #isZoomed(colour) {
    return this.zoom > 0 && (this.ghost?.domain ?? this.lastDomain) === colour;
  }

  #speak() {
    clearTimeout(this.speaking);
    this.speaking = setTimeout(() => {
      if (this.ghost === null) return;
      const gap = this.#gap;
      const near = gap === null || this.#fault !== null ? "" : ` ${this.#gapWords(gap)}.`;
      this.api.announce(`${this.#words()}${near}`);
    }, 500);
  }

  #words() {
    const { ctx } = this;
    const ghost = given(this.ghost);
    const where = `${ghost.shape} on ${ghost.domain} at ${ghost.x},${ghost.y}, turned by ${ghost.angle}°`;
    const fault = this.#fault;
    if (fault !== null) return `${where}: ${fault.words}.`;
    const [first, second] = this.paint.preview({ ...ghost, seat: this.#you });
    return `${where}: ${ctx.names[0]} ${number(first)}, ${ctx.names[1]} ${number(second)}.`;
  }

  // -- the two domains ---------------------------------------------------------------------------

  /** @param {Domain.Colour} colour */
  #field(colour) {
    const id = nextId();
    /** @param {string} name */
    const layer = (name) => s("g", { class: `domain__${name}` });
    const layers = {
      ground: layer("ground"),
      shapes: layer("shapes"),
      faults: layer("faults"),
      ghost: layer("ghost"),
    };
    const svg = s(
      "svg",
      { class: "domain__svg", "data-board": "", tabindex: "-1" },
      patterns(id),
      Object.values(layers),
    );
    const title = h("figcaption", { class: "domain__caption" });
    const figure = h("figure", { class: "domain" }, title, svg);
    this.#pointers(svg, colour);
    return { id, svg, layers, title, figure, colour, stamp: "" };
  }

  /** @param {Domain.Colour} colour */
  #drawField(colour) {
    const field = this.fields[colour];
    const game = this.#game;
    const { names, you } = this.ctx;
    const owner = ownerOf(game, colour);
    fill(
      field.title,
      seatBadge(owner),
      `${TITLES[colour]}, ${owner === you ? "your domain" : `${names[owner]}'s domain`}`,
    );
    const stamp = JSON.stringify([game.pool.name, game.pool.version, game.pool.size, owner]);
    if (field.stamp !== stamp) {
      field.stamp = stamp;
      fill(field.layers.ground, ground(game, colour, field.id));
    }
    const there = lying(game, colour);
    // From near, the pixels themselves: what counts is not the line but which of them are covered.
    const precise = this.zoom >= PRECISE && this.#isZoomed(colour) ? there : [];
    fill(
      field.layers.shapes,
      drawAllLying(game, colour, field.id, names),
      precise.map((turn) =>
        s("path", {
          class: "ghost__pixels",
          transform: `translate(${turn.x} ${turn.y})`,
          d: pixelPath(shapeOf(game, turn.shape), turn.angle),
        }),
      ),
    );
    const label = `${TITLES[colour]} domain of ${names[owner]}, ${there.length} ${there.length === 1 ? "shape" : "shapes"}`;
    const placing = this.#isPlacing;
    const works = placing || this.#ruler !== null;
    field.svg.setAttribute("role", works ? "application" : "img");
    field.svg.setAttribute("tabindex", works ? "0" : "-1");
    field.svg.setAttribute(
      "aria-label",
      this.#ruler !== null
        ? `${label}. Ruler: arrow keys move, Enter chooses a point, Escape puts it away.`
        : placing
          ? `${label}. Arrow keys move the shape, R turns it, D changes the domain, Enter places it.`
          : `${label}. ${inWords(game, names)}`,
    );
    this.#window(colour);
  }

  /** @param {Domain.Colour} colour */
  #window(colour) {
    const { svg } = this.fields[colour];
    const [width, height] = this.#game.pool.size;
    const zoomed = this.#isZoomed(colour);
    const scale = zoomed ? ZOOMS[this.zoom] : 1;
    const wide = (width + 2 * FRAME) / scale;
    const high = (height + 2 * FRAME) / scale;
    const [x, y] = zoomed ? given(this.middle) : [width / 2, height / 2];
    const left = Math.min(Math.max(x - wide / 2, -FRAME), width + FRAME - wide);
    const top = Math.min(Math.max(y - high / 2, -FRAME), height + FRAME - high);
    svg.setAttribute("viewBox", `${left} ${top} ${wide} ${high}`);
    // The whole of it, whatever part is magnified.
    svg.dataset.board = `${-FRAME} ${-FRAME} ${width + 2 * FRAME} ${height + 2 * FRAME}`;
    svg.classList.toggle("domain__svg--zoomed", zoomed);
  }

  /**
   * A point of the screen in pixels of a domain.
   * @param {Domain.Colour} colour
   * @param {{clientX: number, clientY: number}} event
   */
  #under(colour, event) {
    const { svg } = this.fields[colour];
    const box = svg.getBoundingClientRect();
    const view = svg.viewBox.baseVal;
    return [
      view.x + ((event.clientX - box.left) / box.width) * view.width,
      view.y + ((event.clientY - box.top) / box.height) * view.height,
    ];
  }

  /** @param {{clientX: number, clientY: number}} event */
  #domainAt(event) {
    return COLOURS.find((colour) => {
      const box = this.fields[colour].svg.getBoundingClientRect();
      return (
        event.clientX >= box.left &&
        event.clientX <= box.right &&
        event.clientY >= box.top &&
        event.clientY <= box.bottom
      );
    });
  }

  /**
   * @param {SVGSVGElement} svg
   * @param {Domain.Colour} colour
   */
  #pointers(svg, colour) {
    const { signal } = this.listening;
    /**
     * @template {keyof SVGElementEventMap} Name
     * @param {Name} type
     * @param {(event: SVGElementEventMap[Name]) => void} act
     * @param {AddEventListenerOptions} options
     */
    const on = (type, act, options = {}) => svg.addEventListener(type, act, { signal, ...options });
    on(
      "touchstart",
      (event) => {
        const taken = elementOf(event)?.closest(".ghost") || event.touches.length > 1;
        if ((this.#isPlacing && this.ghost !== null && taken) || this.#isZoomed(colour)) {
          event.preventDefault();
        }
      },
      { passive: false },
    );
    on("pointerdown", (event) => {
      const ghost = this.#isPlacing ? this.ghost : null;
      if (event.button !== 0 || (ghost === null && !this.#isZoomed(colour))) return;
      this.fingers.set(event.pointerId, event);
      svg.setPointerCapture(event.pointerId);
      if (ghost !== null && this.fingers.size === 2) {
        this.gesture = { kind: "twist", start: this.#twist(), angle: ghost.angle };
        return;
      }
      const [x, y] = this.#under(colour, event);
      const at = elementOf(event);
      if (ghost !== null && at?.closest(".ghost__handle")) this.gesture = { kind: "turn" };
      else if (ghost !== null && at?.closest(".ghost")) {
        this.gesture = { kind: "drag", dx: x - ghost.x, dy: y - ghost.y };
      } else {
        this.gesture = {
          kind: "tap",
          finger: event.pointerId,
          x: event.clientX,
          y: event.clientY,
          middle: this.middle ?? [x, y],
          panned: false,
        };
      }
    });
    on("pointermove", (event) => {
      if (!this.fingers.has(event.pointerId)) return;
      this.fingers.set(event.pointerId, event);
      if (this.gesture?.kind === "tap" && this.#isZoomed(colour)) {
        const { finger, x, y, middle } = this.gesture;
        if (finger !== event.pointerId) return; // a second one on the glass does not pull as well
        if (Math.hypot(event.clientX - x, event.clientY - y) >= 12) this.gesture.panned = true;
        if (this.gesture.panned) this.#pan(colour, middle, event.clientX - x, event.clientY - y);
        return;
      }
      if (this.gesture === null || !this.#isPlacing || this.ghost === null) return;
      this.#gestured(event, this.gesture, this.ghost);
    });
    /** @param {PointerEvent} event */
    const end = (event) => {
      if (!this.fingers.delete(event.pointerId)) return;
      const { gesture } = this;
      if (this.fingers.size === 0) this.gesture = null;
      const near =
        gesture?.kind === "tap" &&
        !gesture.panned &&
        Math.hypot(event.clientX - gesture.x, event.clientY - gesture.y) < 12;
      if (this.#ruler !== null) return; // a tap is the ruler's
      if (event.type === "pointerup" && near && this.#isPlacing && this.ghost !== null) {
        const [x, y] = this.#under(colour, event);
        this.#show({ ...this.ghost, domain: colour, x: Math.floor(x), y: Math.floor(y) });
      }
    };
    on("pointerup", end);
    on("pointercancel", end);
    // Edges count by single pixels: enlarged as much as the magnifier does at all.
    loupe(
      svg,
      { wanted: () => this.#isPlacing && this.ghost !== null && this.zoom === 0, size: () => 1 },
      { signal },
    );
    on(
      "wheel",
      (event) => {
        if (!this.#isPlacing || this.ghost === null || event.ctrlKey) return;
        event.preventDefault();
        const step = Math.sign(event.deltaY || event.deltaX) * (event.shiftKey ? 15 : 1);
        this.#change(({ angle }) => ({ angle: angle + step }));
      },
      { passive: false },
    );
  }

  /**
   * @param {PointerEvent} event
   * @param {Gesture} gesture
   * @param {Domain.Place} ghost
   */
  #gestured(event, gesture, ghost) {
    if (gesture.kind === "twist") {
      if (this.fingers.size < 2) return;
      const by = this.#twist() - gesture.start;
      this.#show({ ...ghost, angle: gesture.angle + by });
    } else if (gesture.kind === "turn") {
      const [x, y] = this.#under(ghost.domain, event);
      const angle = (Math.atan2(x - ghost.x, ghost.y - y) * 180) / Math.PI;
      this.#show({ ...ghost, angle: event.shiftKey ? Math.round(angle / 15) * 15 : angle });
    } else if (gesture.kind === "drag") {
      const domain = this.#domainAt(event) ?? ghost.domain;
      const [x, y] = this.#under(domain, event);
      this.#show({ ...ghost, domain, x: x - gesture.dx, y: y - gesture.dy });
    }
  }

  #twist() {
    const [a, b] = [...this.fingers.values()];
    return (Math.atan2(b.clientY - a.clientY, b.clientX - a.clientX) * 180) / Math.PI;
  }

  /**
   * A shape can be dragged straight out of the tray.
   * @param {HTMLButtonElement} button
   * @param {string} id
   */
  #draggable(button, id) {
    /** @type {{x: number, y: number, moved: boolean} | null} */
    let from = null;
    button.addEventListener("pointerdown", (event) => {
      if (this.#isPlacing && event.button === 0) {
        from = { x: event.clientX, y: event.clientY, moved: false };
      }
    });
    button.addEventListener("pointermove", (event) => {
      if (from === null || !this.#isPlacing) return;
      if (!from.moved && Math.hypot(event.clientX - from.x, event.clientY - from.y) < 8) return;
      if (!from.moved) {
        from.moved = true;
        button.setPointerCapture(event.pointerId);
      }
      const domain = this.#domainAt(event);
      if (domain === undefined) return;
      const [x, y] = this.#under(domain, event);
      const angle = this.ghost?.shape === id ? this.ghost.angle : 0;
      this.#show({ shape: id, domain, x, y, angle });
    });
    const end = () => {
      from = null;
    };
    button.addEventListener("pointerup", end);
    button.addEventListener("pointercancel", end);
  }

  // -- tools -------------------------------------------------------------------------------------

  #tools() {
    /**
     * @param {"x" | "y" | "angle"} name
     * @param {string} label
     * @param {string} words
     */
    const entry = (name, label, words) => {
      /** @type {HTMLInputElement} */
      const input = h("input", {
        class: "input domain-number",
        "aria-label": words,
        type: "number",
        inputmode: "numeric",
        min: "0",
        step: "1",
        on: { change: () => this.#typed(name, input) },
      });
      this.entries[name] = input;
      return h("label", { class: "domain-entry" }, h("span", {}, label), input);
    };
    return h(
      "div",
      { class: "board-tools domain-tools", role: "group", "aria-label": "Move and turn the shape" },
      entry("x", "x", "Pixels from the left"),
      entry("y", "y", "Pixels from the top"),
      entry("angle", "°", "Degrees"),
      iconButton("Turn left by 1° (,)", "⟲", () => this.#turn(-1)),
      iconButton("Turn right by 1° (.)", "⟳", () => this.#turn(1)),
      iconButton("Turn right by 15° (R)", icon("rotate") ?? "⤵", () => this.#turn(15)),
      moveButtons((dx, dy, far) => this.#nudge(dx, dy, far)),
      h(
        "button",
        {
          type: "button",
          class: "button",
          title: "Other domain (D)",
          on: { click: () => this.#otherDomain() },
        },
        "Other domain",
      ),
    );
  }

  /* Magnifying, for everybody: whether to challenge a placement is a matter of single pixels. */
  #lens() {
    this.lensOut = iconButton("Smaller (-)", "−", () => this.#zoomTo(this.zoom - 1));
    this.lensIn = iconButton("Larger (+)", "+", () => this.#zoomTo(this.zoom + 1));
    this.lensWords = h("span", { class: "domain-lens__words" });
    this.lensEdge = h(
      "button",
      {
        type: "button",
        class: "button",
        title: "Look closely at the next edge of the shape in hand (E)",
        on: { click: () => this.#lookAtEdge() },
      },
      "Its edge",
    );
    return h(
      "div",
      { class: "board-tools domain-lens", role: "group", "aria-label": "Magnify" },
      this.lensOut,
      this.lensWords,
      this.lensIn,
      this.lensEdge,
    );
  }

  /* What anybody may do at any time: it is seen by nobody else, and plays nothing. */
  #looks() {
    /**
     * @param {string} words
     * @param {string} title
     * @param {() => void} act
     */
    const button = (words, title, act) =>
      h("button", { type: "button", class: "button", title, on: { click: act } }, words);
    this.first = button("", "", () => this.#choose(given(this.#firstWanted)));
    this.list = button("", "What you want, for yourself alone", () => void this.#open("list"));
    this.measure = button("Ruler", "Measure (U)", () => void this.#open("measure"));
    return h(
      "div",
      { class: "board-tools domain-looks", role: "group", "aria-label": "Look and measure" },
      this.first,
      button("Look closely", "Turn a shape and try it (L)", () => void this.#open("look")),
      this.list,
      this.measure,
    );
  }

  /** @returns {Domain.Seen} */
  get seen() {
    const { names, you, decision, paused, planning, wanted = null } = this.ctx;
    const { ghost, choice } = this;
    const asked = decision !== null && !paused && !planning;
    const card = typeof choice === "string" ? choice : null;
    return { game: this.#game, names, you, asked, wanted, ghost, choice: card };
  }

  /** The first shape of the reader's list that can still be taken, where one is asked for. */
  get #firstWanted() {
    const { decision, pending, paused, wanted = [] } = this.ctx;
    if (decision?.kind !== "draft" || pending !== null || paused) return null;
    return wanted.find((id) => this.#game.free.includes(id)) ?? null;
  }

  get #ruler() {
    return this.beside?.ruler ?? null;
  }

  /**
   * @param {"look" | "list" | "measure"} what
   * @param {string} [shape]
   */
  async #open(what, shape) {
    try {
      const { Beside } = await import("./beside.js");
      if (this.game === null || this.listening.signal.aborted) return;
      this.beside ??= new Beside(this);
      this.beside[what](shape);
    } catch {
      this.api.refuse("This cannot be loaded just now. Try again.");
    }
  }

  /* Once there is a shape in hand, its distance from what it may not cover is measured. */
  #measure() {
    if (this.measured) return;
    this.measured = true;
    import("./measure.js").then(
      (found) => {
        this.measuring = found;
        this.redraw();
      },
      () => {
        this.measured = false;
      },
    );
  }

  get #gap() {
    const { ghost, measuring } = this;
    if (ghost === null || measuring === null) return null;
    return measuring.gapOf(this.#game.pool, this.laid, ghost);
  }

  /** @param {Domain.Gap} gap */
  #gapWords(gap) {
    return given(this.measuring).gapWords(gap);
  }

  /**
   * @param {"x" | "y" | "angle"} name
   * @param {HTMLInputElement} input
   */
  #typed(name, input) {
    const value = Number(input.value);
    if (input.value === "" || !Number.isInteger(value)) return;
    this.#change(() => ({ [name]: value }));
  }

  /**
   * @param {number} dx
   * @param {number} dy
   * @param {boolean} far
   */
  #nudge(dx, dy, far) {
    if (this.#ruler?.move(dx, dy, far)) return true;
    const step = far ? 10 : 1;
    return this.#change(({ x, y }) => ({ x: x + dx * step, y: y + dy * step }));
  }

  /** @param {number} by */
  #turn(by) {
    return this.#change(({ angle }) => ({ angle: angle + by }));
  }

  #otherDomain() {
    return this.#change(({ domain }) => ({ domain: domain === "red" ? "blue" : "red" }));
  }

  /** @param {number} by */
  #nextShape(by) {
    const hand = this.#game.hands[this.#you];
    if (hand.length === 0) return false;
    const at = hand.indexOf(this.ghost?.shape ?? "");
    this.#pick(hand[(at + by + (at < 0 && by < 0 ? 1 : 0) + hand.length) % hand.length]);
    return true;
  }

  /**
   * @param {KeyboardEvent} event
   * @param {HTMLElement} root
   */
  #key(event, root) {
    if (event.defaultPrevented || this.view === null || !isForBoard(event, root, this.api.dock)) {
      return;
    }
    const target = elementOf(event);
    if (target?.closest("input, textarea, select, dialog")) return;
    const control = target?.closest("button, a, summary") ?? null;
    if (this.#act(event, control)) event.preventDefault();
  }

  /**
   * @param {KeyboardEvent} event
   * @param {Element | null} control
   */
  #act(event, control) {
    if (this.#ruler?.key(event, control)) return true;
    if (event.key === "Escape") {
      this.#cancel();
      return true;
    }
    if (this.game !== null && /^[lu]$/i.test(event.key)) {
      void this.#open(/l/i.test(event.key) ? "look" : "measure");
      return true;
    }
    const arrow = ARROWS[event.key];
    if (!this.lens.hidden && "+=-".includes(event.key)) {
      this.#zoomTo(this.zoom + (event.key === "-" ? -1 : 1));
      return true;
    }
    if (arrow && this.ghost === null && this.zoom > 0 && !elementOf(event)?.matches("body, main")) {
      this.#pan(this.lastDomain, given(this.middle), -40 * arrow[0], -40 * arrow[1]);
      return true;
    }
    if (this.#wantsShape(event, control)) {
      const first = this.#isPlacing ? "Take one of your shapes first: press N." : "";
      if (!event.repeat) this.api.refuse(whyIdle(this.ctx, first, "shape"));
      return true;
    }
    if (!this.#isPlacing) return false;
    if (arrow) return this.#nudge(...arrow, event.shiftKey);
    return this.#actOnShape(event, control);
  }

  /**
   * Whether a key is about a shape in hand where there is none.
   * @param {KeyboardEvent} event
   * @param {Element | null} control
   */
  #wantsShape({ key }, control) {
    if (this.#isPlacing && this.ghost !== null) return false;
    if (key === "Enter") return control === null && this.choice === null;
    return (this.#isPlacing ? /^[red,.]$/i : /^[npred,.]$/i).test(key);
  }

  /**
   * @param {KeyboardEvent} event
   * @param {Element | null} control
   */
  #actOnShape(event, control) {
    switch (event.key) {
      case "r":
        return this.#turn(15);
      case "R":
        return this.#turn(-15);
      case ".":
        return this.#turn(1);
      case ",":
        return this.#turn(-1);
      case "e":
      case "E":
        return this.#lookAtEdge();
      case "d":
      case "D":
        return this.#otherDomain();
      case "n":
      case "N":
        return this.#nextShape(1);
      case "p":
      case "P":
        return this.#nextShape(-1);
      case "Enter":
        if (control !== null) return false;
        this.#confirm();
        return true;
      default:
        return false;
    }
  }

  // -- what changes with the preview -------------------------------------------------------------

  /**
   * @param {Fault} fault
   * @param {Domain.Gap | null} gap
   */
  #drawInHand(fault, gap) {
    const { ctx, ghost } = this;
    const { pending, refusal } = ctx;
    const sending = pending !== null && ctx.decision?.kind === "place" && ghost !== null;
    for (const colour of COLOURS) {
      const { layers, id } = this.fields[colour];
      const here = ghost !== null && ghost.domain === colour && (this.#isPlacing || sending);
      fill(
        layers.ghost,
        here ? this.#drawGhost(id, ghost, fault, sending) : null,
        here && gap !== null && gapLine(gap),
      );
      fill(layers.faults, here && fault ? null : this.#accused(refusal, colour));
    }
  }

  #draw() {
    const { ctx, ghost } = this;
    const game = this.#game;
    const placing = this.#isPlacing;
    const fault = placing ? this.#fault : null;
    const gap = placing ? this.#gap : null;
    this.#drawInHand(fault, gap);
    for (const button of this.tray.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(ghost?.shape === button.dataset.shape));
      button.disabled = !placing;
    }
    this.tools.hidden = (!placing || ghost === null) && this.#ruler === null;
    this.tools.classList.toggle("domain-tools--ruler", this.#ruler !== null);
    const plays = ctx.you !== null && ["place", "final"].includes(game.phase);
    for (const part of [this.tools, this.acts, this.note]) {
      part.classList.toggle("keeps-room", plays);
    }
    this.#drawLens(placing);
    this.#drawEntries();
    this.#drawActs(placing);
    this.#drawLooks();
    this.#drawCounts(placing ? ghost : null, gap);
    this.#drawNote(placing);
    if (placing || this.choice !== null) this.api.draft(this.#text);
    this.#drawBar(fault);
  }

  #drawLooks() {
    const drafting = isDrafting(this.#game);
    const first = this.#firstWanted;
    this.first.hidden = first === null;
    write(this.first, first === null ? "" : `Take ${first}, first of your list`);
    const { wanted } = this.ctx;
    this.list.hidden = !drafting || wanted === undefined || this.api.want === undefined;
    write(this.list, wanted?.length ? `Pick list (${wanted.length})` : "Pick list");
    if (this.domains.hidden) this.#ruler?.end();
    this.measure.hidden = this.domains.hidden;
    this.measure.setAttribute("aria-pressed", String(this.#ruler !== null));
    this.#ruler?.draw();
  }

  /** @param {boolean} placing */
  #drawLens(placing) {
    write(this.lensWords, `${ZOOMS[this.zoom]}×`);
    this.lensOut.disabled = this.zoom === 0;
    this.lensIn.disabled = this.zoom === ZOOMS.length - 1;
    this.lensEdge.hidden = !placing || this.ghost === null;
  }

  #drawEntries() {
    const { ghost } = this;
    if (ghost === null) return;
    for (const name of ENTRIES) {
      const input = this.entries[name];
      if (document.activeElement !== input || input.value === "") {
        input.value = String(ghost[name]);
      }
    }
  }

  /**
   * @param {string} id
   * @param {Domain.Place} ghost
   * @param {Fault} fault
   * @param {boolean} sending
   */
  #drawGhost(id, ghost, fault, sending) {
    const { ctx } = this;
    const game = this.#game;
    const shape = shapeOf(game, ghost.shape);
    const kind = sending ? "sending" : fault ? "wrong" : "legal";
    const reach = Math.max(...shape.outline.map(([x, y]) => Math.hypot(x, y))) + HANDLE;
    const [hx, hy] = turned([0, -1], ghost.angle).map((part) => (part / 256) * reach);
    const { svg } = this.fields[ghost.domain];
    const unit = svg.viewBox.baseVal.width / Math.max(1, svg.clientWidth || 480); // pixels a point of the screen
    const precise = this.zoom >= PRECISE;
    return s(
      "g",
      { class: `ghost ghost--${kind} domain-ghost`, transform: `translate(${ghost.x} ${ghost.y})` },
      shapeBody(shape, ghost.angle, id, `url(#${id}-seat-${ctx.you})`),
      precise ? s("path", { class: "ghost__pixels", d: pixelPath(shape, ghost.angle) }) : null,
      s("path", {
        class: "ghost__edge",
        d: ringPath([shape.outline, ...shape.holes], ghost.angle),
        "vector-effect": "non-scaling-stroke",
      }),
      s("path", {
        class: "ghost__cross",
        d: `M${-6 * unit} 0H${6 * unit}M0 ${-6 * unit}V${6 * unit}`,
        "vector-effect": "non-scaling-stroke",
      }),
      fault
        ? s("path", {
            class: "domain-fault",
            d: fault.pixels.map(([x, y]) => `M${x - ghost.x} ${y - ghost.y}h1v1h-1z`).join(""),
          })
        : null,
      sending
        ? null
        : s("line", {
            class: "ghost__arm",
            x1: 0,
            y1: 0,
            x2: hx,
            y2: hy,
            "vector-effect": "non-scaling-stroke",
          }),
      sending
        ? null
        : s(
            "circle",
            { class: "ghost__handle", cx: hx, cy: hy, r: Math.max(7, 13 * unit) },
            s("title", {}, "Drag to turn"),
          ),
    );
  }

  /**
   * The pixels that a refusal names, on the domain of the move it was about.
   * @param {Client.Refusal | null} refusal
   * @param {Domain.Colour} colour
   */
  #accused(refusal, colour) {
    const pixels = (refusal?.squares ?? []).map((name) => name.split(",").map(Number));
    if (pixels.length === 0 || (this.ghost?.domain ?? colour) !== colour) return null;
    return s("path", {
      class: "domain-fault",
      d: pixels.map(([x, y]) => `M${x} ${y}h1v1h-1z`).join(""),
    });
  }

  /** @param {boolean} placing */
  #drawActs(placing) {
    const game = this.#game;
    const last = game.turns.at(-1);
    const canChallenge = placing && game.can_challenge;
    const shape = this.ghost?.shape ?? null;
    this.acts.hidden = !placing;
    const stamp = JSON.stringify([placing, canChallenge && last?.shape, shape]);
    if (this.acts.dataset.stamp === stamp) return;
    this.acts.dataset.stamp = stamp;
    /**
     * @param {string} words
     * @param {string | {discard: string}} choice
     */
    const act = (words, choice) =>
      h(
        "button",
        {
          type: "button",
          class: "button button--small",
          on: { click: () => this.#choose(choice) },
        },
        words,
      );
    const price = canChallenge ? this.caution("challenge") : "";
    fill(
      this.acts,
      canChallenge ? act(`Challenge ${last?.shape}`, "challenge") : null,
      price === "" ? null : h("p", { class: "small muted" }, price),
      placing && shape !== null ? act(`Discard ${shape}`, { discard: shape }) : null,
    );
  }

  /** @param {string | {discard: string}} choice */
  #choose(choice) {
    this.choice = choice;
    this.#draw();
    this.bar.confirm.focus();
  }

  /**
   * @param {Domain.Place | null} ghost
   * @param {Domain.Gap | null} gap
   */
  #drawCounts(ghost, gap) {
    const { ctx } = this;
    const game = this.#game;
    const drafting = isDrafting(game);
    this.counts.hidden = drafting;
    if (drafting) return;
    const then = ghost === null ? null : this.paint.preview({ ...ghost, seat: this.#you });
    fill(
      this.counts,
      [0, 1].map((seat) => {
        const change = then === null ? 0 : then[seat] - game.scores[seat];
        const sign = change > 0 ? "+" : "−";
        return h(
          "span",
          { class: "domain-count" },
          seatBadge(seat),
          h(
            "span",
            {},
            `${ctx.names[seat]} `,
            h("strong", {}, number(then === null ? game.scores[seat] : then[seat])),
          ),
          change === 0
            ? null
            : h("span", { class: "domain-count__change" }, `${sign}${number(Math.abs(change))}`),
        );
      }),
      ctx.you === null
        ? null
        : h(
            "span",
            { class: "domain-count domain-count--gap" },
            gap === null ? "" : this.#gapWords(gap),
          ),
    );
  }

  /** @param {boolean} placing */
  #drawNote(placing) {
    const { ctx } = this;
    const game = this.#game;
    const { names } = ctx;
    let words = "";
    if (game.under_review) {
      words = dispute(/** @type {Live.BegunView<Domain.Game>} */ (this.view), names);
    } else if (placing && this.ghost === null) {
      words = "Choose one of your shapes, or drag it onto a domain.";
    } else if (game.phase === "draft") {
      const missed = [0, 1].filter((seat) => game.misses[seat] > 0).map((seat) => names[seat]);
      if (missed.length > 0) {
        words = `${missed.join(" and ")} missed a pick; a second one loses the match.`;
      }
    }
    write(this.note, words);
    this.note.hidden = words === "";
  }

  /** @param {Fault} fault */
  #drawBar(fault) {
    const { pending, decision } = this.ctx;
    const { choice, ghost } = this;
    if (pending !== null) {
      this.bar.sending(`Sending ${pending}…`);
    } else if (decision === null || this.ctx.paused) {
      this.bar.hide();
    } else if (choice === "challenge") {
      const price = this.caution("challenge") || "If it does, this first time costs nothing.";
      this.bar.show({
        words: `Claim that ${this.#game.turns.at(-1)?.shape} does not lie validly. ${price}`,
        verb: "Challenge",
      });
    } else if (typeof choice === "object" && choice !== null) {
      this.bar.show({
        words: `Discard ${choice.discard} instead of placing a shape. It is gone then.`,
        verb: "Discard",
      });
    } else if (choice !== null && decision.kind !== "place") {
      this.bar.show(choiceWords(decision.kind, choice));
    } else if (ghost !== null && decision.kind === "place") {
      this.bar.show({ words: this.#words(), ready: fault === null, verb: "Place" });
    } else {
      this.bar.hide();
    }
  }
}

/**
 * An answer that is no placement in words, and what the button says.
 * @param {string} kind
 * @param {string} choice
 */
function choiceWords(kind, choice) {
  switch (kind) {
    case "draft":
      return { words: `Take shape ${choice}.`, verb: `Take ${choice}` };
    case "first":
      return { words: `You pick ${choice}.`, verb: `Pick ${choice}` };
    case "final":
      return { words: "Let the last placement stand.", verb: "Accept" };
    default:
      return { words: "You have seen enough of the shapes.", verb: "Ready" };
  }
}
