// @ts-check
/* Bringing a piece to its place: by mouse, by touch, by keyboard or by buttons, always as a preview
   first. What the piece is and where it fits is for the ruleset's board to say. */

import { elementOf, h, icon } from "../match/dom.js";
import { isForBoard, twoFingers, wheelTurns } from "./kit.js";
import { loupe } from "./loupe.js";

/**
 * The keys of every board whose pieces are placed like this, for its `keys`.
 * @type {Boards.Module["keys"]}
 */
export const PLACING_KEYS = [
  [["←", "↑", "↓", "→"], "on the board move your piece, or walk over the squares."],
  [["R"], "turns it; with Shift it turns back."],
  [["N", "P"], "go to the next and the previous place where it fits."],
  [["Enter"], "puts it down, and once more confirms."],
  [["Esc"], "takes it back."],
];

/**
 * Why there is nothing to be placed now, from a board's `ctx` (see README.md). `first` is what its
 * decision wants before that, if anything; `piece` what is placed on that board.
 * @param {{decision: Live.Decision | null, pending: string | null, paused: boolean}} now
 * @param {string} [first]
 * @param {string} [piece]
 */
export function whyIdle({ decision, pending, paused }, first = "", piece = "piece") {
  if (pending !== null) return "Your choice is on its way.";
  if (paused) return "The match is paused.";
  return (decision !== null && first) || `There is no ${piece} of yours to place just now.`;
}

/**
 * Where a piece was taken, from its corner, and whether it has been moved since.
 * @typedef {{dx: number, dy: number, moved: boolean}} Drag
 */

/**
 * The preview of one piece. A *spot* is whatever the board calls a place. The piece follows a mouse
 * until it is *put* down; where it fits it is *pinned* then, and waits for a confirmation.
 *
 * `rules` has
 * - `active()`: whether there is a piece to be placed now; `idle()`: why there is none, in words;
 * - `at([x, y])`: the spot that a pointer there means, or null;
 * - `corner(spot)`: column and row of its first square, for the keyboard's focus and for dragging;
 * - `shifted(spot, [column, row])`: the spot like this one with its corner about there;
 * - `nudged(spot, dx, dy)`: the spot one step further, or the same one at the edge;
 * - `home(from)`: where a piece appears for the keyboard, `from` being the square with the focus;
 * - `next(spot, by)`: the next spot that fits, in reading order, or null where there is none;
 * - `turned(spot, by)`: turn the piece and give the spot where it is then (spot may be null);
 * - `fits(spot)`, `words(spot)`: whether it may lie there, and that in words;
 * - `tapped(spot, [x, y])`: a pinned piece was tapped there (optional);
 * - `key(event)`: another key of the board's help while there is a piece, `also` those keys' letters
 *   (optional);
 * - `redraw()`, `confirm()`, `cancelled()`.
 *
 * @template Spot
 */
export class Placing {
  /**
   * @param {object} parts
   * @param {Boards.Grid} parts.board
   * @param {HTMLElement} parts.root
   * @param {Boards.Api} parts.api
   * @param {Boards.PlacingRules<Spot>} parts.rules
   */
  constructor({ board, root, api, rules }) {
    this.board = board;
    this.root = root;
    this.api = api;
    this.rules = rules;
    /** @type {Spot | null} */
    this.spot = null;
    this.put = false;
    /** @type {HTMLButtonElement | null} */
    this.putButton = null;
    /** @type {Drag | null} */
    this.drag = null;
    /** @type {{x: number, y: number} | null} */
    this.pressed = null;
    this.listening = new AbortController();
    this.#listenToPointers();
    loupe(board.svg, { wanted: () => rules.active(), size: () => board.squareSize });
    this.board.onArrow = (dx, dy) => this.nudge(dx, dy);
    document.addEventListener("keydown", (event) => this.#key(event), this.listening);
  }

  destroy() {
    this.listening.abort();
  }

  /** Whether the piece lies where it may lie, to be confirmed. */
  get pinned() {
    return this.put && this.spot !== null && this.rules.fits(this.spot);
  }

  /** Take the preview away without a word. */
  clear() {
    this.spot = null;
    this.put = false;
    if (this.putButton) this.putButton.hidden = false;
  }

  /**
   * Show the piece on a spot; it stays put or not as it was unless told otherwise.
   * @param {Spot | null} spot
   * @param {{put?: boolean}} [more]
   */
  show(spot, { put = this.put } = {}) {
    this.spot = spot;
    this.put = put;
    if (this.putButton) this.putButton.hidden = put;
    this.rules.redraw();
    if (spot === null) return;
    this.board.say(...this.rules.corner(spot), this.rules.words(spot));
    this.board.stand(...this.rules.corner(spot));
  }

  /**
   * Put the piece down, to be confirmed.
   * @param {Spot | null} spot
   */
  pin(spot) {
    if (spot === null) return;
    this.show(spot, { put: true });
    const words = this.rules.words(spot);
    if (this.pinned) this.api.announce(`${words} Press Enter to confirm, Escape to cancel.`);
    else this.api.refuse(words);
  }

  /**
   * Turn the piece, wherever it is.
   * @param {number} by
   */
  rotate(by) {
    if (!this.rules.active()) return;
    const spot = this.rules.turned(this.spot, by);
    this.show(spot);
    this.api.announce(this.rules.words(spot));
  }

  /**
   * Move the piece by a step, or bring it to the board. Whether there is a piece to move.
   * @param {number} dx
   * @param {number} dy
   */
  nudge(dx, dy) {
    if (!this.rules.active()) return false;
    const spot =
      this.spot === null ? this.rules.home(this.board.at) : this.rules.nudged(this.spot, dx, dy);
    this.show(spot);
    return true;
  }

  /**
   * Go to the next or the last spot before where the piece fits.
   * @param {number} by
   */
  jump(by) {
    const spot = this.rules.next(this.spot, by);
    if (spot === null) {
      this.api.refuse("It fits nowhere like this. Press R to turn it.");
      return;
    }
    this.show(spot);
    this.api.announce(this.rules.words(spot));
  }

  /** Take the preview back to where it came from. */
  cancel() {
    if (this.spot !== null) this.api.announce("Preview taken away.");
    this.clear();
    this.rules.cancelled();
    this.rules.redraw();
  }

  /** Buttons for turning and moving, for thumbs and for switches. */
  tools() {
    /**
     * @param {string} label
     * @param {Dom.Child} sign
     * @param {() => void} act
     */
    const button = (label, sign, act) =>
      h(
        "button",
        {
          type: "button",
          class: "button button--icon",
          "aria-label": label,
          title: label,
          on: { click: act },
        },
        sign,
      );
    this.putButton = h(
      "button",
      {
        type: "button",
        class: "button keeps-room",
        on: { click: () => this.pin(this.spot ?? this.rules.home(this.board.at)) },
      },
      "Put it here",
    );
    /**
     * @param {string} label
     * @param {string} sign
     * @param {number} dx
     * @param {number} dy
     */
    const arrow = (label, sign, dx, dy) =>
      button(label, h("span", { "aria-hidden": "true" }, sign), () => this.nudge(dx, dy));
    return h(
      "div",
      {
        class: "board-tools__move keeps-room",
        role: "group",
        "aria-label": "Move and turn the piece",
      },
      button("Turn left (Shift R)", icon("rotate-back") ?? "⟲", () => this.rotate(-1)),
      button("Turn right (R)", icon("rotate") ?? "⟳", () => this.rotate(1)),
      arrow("Move left", "←", -1, 0),
      arrow("Move up", "↑", 0, -1),
      arrow("Move down", "↓", 0, 1),
      arrow("Move right", "→", 1, 0),
      this.putButton,
    );
  }

  // -- from the hand ------------------------------------------------------------------------------

  /**
   * Let what lies in a hand be dragged onto the board, where it is put down as a preview like any
   * other. A mouse may pull it anywhere; a finger across the hand scrolls that, and up or down takes
   * the piece along. `pick` gives what a card does to be taken, or null where it cannot be; by
   * default it chooses the radio button in it. Where what is dragged lies on a drawing of its own, `art`
   * draws it, and it is pulled once the pointer leaves that drawing: on it, pointers are the board's.
   * @param {HTMLElement | SVGSVGElement} hand
   * @param {string} [cards] which elements of it are cards
   * @param {(card: Element) => (() => void) | null} [pick]
   * @param {(() => SVGSVGElement) | null} [art]
   */
  dragFrom(hand, cards = "label", pick = chooses, art = null) {
    hand.classList.add("drags-out");
    /** @type {{id: number, x: number, y: number, card: Element, take: () => void} | null} */
    let held = null;
    /** @type {HTMLElement | null} */
    let carried = null;
    const drop = () => {
      held = null;
      carried?.remove();
      carried = null;
    };
    const { signal } = this.listening;
    /**
     * @template {keyof HTMLElementEventMap} Type
     * @param {Type} type
     * @param {(event: HTMLElementEventMap[Type]) => void} act
     * @param {AddEventListenerOptions} [more]
     */
    const on = (type, act, more) =>
      hand.addEventListener(type, /** @type {EventListener} */ (act), { signal, ...more });
    on("pointerdown", (event) => {
      const card = elementOf(event)?.closest(cards) ?? null;
      if (event.button !== 0 || !event.isPrimary || card === null) return;
      const take = pick(card);
      if (take === null) return;
      held = { id: event.pointerId, x: event.clientX, y: event.clientY, card, take };
      if (art !== null) hand.setPointerCapture(event.pointerId);
    });
    on("pointermove", (event) => {
      if (held === null || event.pointerId !== held.id) return;
      if (carried === null) {
        if (art === null ? !pulls(event, held) : isOver(event, hand)) return;
        held.take();
        if (!this.rules.active()) {
          drop();
          return;
        }
        hand.setPointerCapture(event.pointerId);
        carried = likeness(art?.() ?? held.card.querySelector("svg"));
        document.body.append(carried);
      }
      this.#carry(event, carried);
    });
    on("pointerup", (event) => {
      if (held === null || event.pointerId !== held.id) return;
      const far = carried !== null;
      drop();
      if (!far) return;
      // Nothing may be asked any more of what was taken a moment ago.
      const spot = this.rules.active() ? this.#spotUnder(event) : null;
      if (spot !== null) this.pin(spot);
      else this.#letGo();
    });
    const away = () => {
      if (carried !== null) this.#letGo();
      drop();
    };
    on("pointercancel", away);
    signal.addEventListener("abort", drop);
    // A finger that pulls a piece out of the hand does not scroll the page with it.
    on("touchmove", (event) => carried !== null && event.preventDefault(), { passive: false });
    on("dragstart", (event) => event.preventDefault());
  }

  /**
   * @param {PointerEvent} event
   * @param {HTMLElement} carried
   */
  #carry(event, carried) {
    const { x, y } = tip(event);
    carried.style.transform = `translate(${x}px, ${y}px) translate(-50%, -50%)`;
    const spot = this.#spotUnder(event);
    carried.hidden = spot !== null;
    if (spot === null) {
      if (this.spot !== null) this.#letGo();
    } else if (this.spot === null || this.put || !this.#same(spot, this.spot)) {
      this.show(spot, { put: false });
    }
  }

  /**
   * The spot that a pointer with a piece from the hand means, or null where it is not on the board.
   * @param {PointerEvent} event
   */
  #spotUnder(event) {
    const { x, y } = tip(event);
    const { left, right, top, bottom } = this.board.svg.getBoundingClientRect();
    if (x < left || x > right || y < top || y > bottom) return null;
    return this.rules.at(this.board.under({ clientX: x, clientY: y }));
  }

  /** The piece is off the board again, and still the one that was taken. */
  #letGo() {
    this.clear();
    this.rules.redraw();
  }

  // -- pointers -------------------------------------------------------------------------------

  #listenToPointers() {
    const { svg } = this.board;
    const { rules } = this;
    const gesture = twoFingers(svg, (by) => this.rotate(by));
    wheelTurns(
      svg,
      () => rules.active(),
      (by) => this.rotate(by),
    );
    // A finger on the piece moves the piece, and two fingers turn it; one finger anywhere else
    // scrolls the page as everywhere.
    svg.addEventListener(
      "touchstart",
      (/** @type {TouchEvent} */ event) => {
        const onPiece = isOnPiece(event);
        if (rules.active() && (onPiece || event.touches.length > 1)) event.preventDefault();
      },
      { passive: false },
    );
    svg.addEventListener("pointerdown", (event) => {
      if (!rules.active() || event.button !== 0) return;
      this.pressed = { x: event.clientX, y: event.clientY };
      if (this.spot === null || !isOnPiece(event)) return;
      const [x, y] = this.board.under(event);
      const [column, row] = rules.corner(this.spot);
      this.drag = { dx: x - column, dy: y - row, moved: false };
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener("pointermove", (event) => {
      if (!rules.active() || gesture()) return;
      if (this.drag !== null && this.spot !== null) this.#dragTo(event, this.drag, this.spot);
      else if (event.pointerType === "mouse" && !this.put) this.#hover(event);
    });
    svg.addEventListener("pointerup", (event) => {
      const { pressed, drag } = this;
      this.pressed = this.drag = null;
      if (!rules.active() || gesture() || pressed === null || drag?.moved) return;
      if (Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > 12) return;
      const at = this.board.under(event);
      const { spot } = this;
      if (drag !== null && spot !== null && this.pinned && rules.tapped) rules.tapped(spot, at);
      else this.pin(rules.at(at));
    });
    svg.addEventListener("pointercancel", () => {
      this.pressed = this.drag = null;
    });
    svg.addEventListener("pointerleave", (event) => {
      if (event.pointerType !== "mouse" || this.put || this.drag !== null) return;
      if (this.spot === null || !rules.active()) return;
      this.clear();
      rules.redraw();
    });
  }

  /**
   * @param {PointerEvent} event
   * @param {Drag} drag
   * @param {Spot} spot
   */
  #dragTo(event, drag, spot) {
    const [x, y] = this.board.under(event);
    const to = this.rules.shifted(spot, [x - drag.dx, y - drag.dy]);
    if (to === null || this.#same(to, spot)) return;
    drag.moved = true;
    this.show(to, { put: true });
  }

  /** @param {PointerEvent} event */
  #hover(event) {
    const to = this.rules.at(this.board.under(event));
    if (to === null || (this.spot !== null && this.#same(to, this.spot))) return;
    this.show(to);
  }

  /**
   * @param {Spot} one
   * @param {Spot} other
   */
  #same(one, other) {
    const [a, b] = [this.rules.corner(one), this.rules.corner(other)];
    return a[0] === b[0] && a[1] === b[1];
  }

  // -- keys -----------------------------------------------------------------------------------

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.defaultPrevented || !isForBoard(event, this.root, this.api.dock)) return;
    const target = elementOf(event);
    if (target?.closest("input:not([type=radio]), textarea, select, dialog")) return;
    if (this.#act(event, target?.closest("button, a, summary, input") ?? null)) {
      event.preventDefault();
    }
  }

  /**
   * @param {KeyboardEvent} event
   * @param {Element | null} control
   */
  #act(event, control) {
    const { rules } = this;
    if (event.key === "Escape") {
      this.cancel();
      return true;
    }
    if (!rules.active()) return this.#idle(event, control);
    switch (event.key) {
      case "r":
      case "R":
        this.rotate(event.shiftKey ? -1 : 1);
        return true;
      case "n":
      case "N":
        this.jump(1);
        return true;
      case "p":
      case "P":
        this.jump(-1);
        return true;
      case "Enter":
        if (control !== null && !isRadio(control)) return false;
        if (this.pinned) rules.confirm();
        else this.#bring();
        return true;
      case " ":
        if (control !== null) return false;
        this.#bring();
        return true;
      default:
        return rules.key?.(event) ?? false;
    }
  }

  /**
   * There is nothing to place: the keys of the help say why, those that are held down once.
   * @param {KeyboardEvent} event
   * @param {Element | null} control
   */
  #idle({ key, repeat }, control) {
    const letter = key.length === 1 && `npr${this.rules.also ?? ""}`.includes(key.toLowerCase());
    const enter = key === "Enter" && (control === null || isRadio(control));
    if (!letter && !enter) return false;
    if (!repeat) this.api.refuse(this.rules.idle());
    return true;
  }

  /* Enter or space: put down what is shown, or bring the piece to the board and the focus with it. */
  #bring() {
    if (this.spot !== null) {
      this.pin(this.spot);
      return;
    }
    const spot = this.rules.home(this.board.at);
    if (spot === null) return;
    this.show(spot);
    this.board.stand(...this.rules.corner(spot), { focus: true });
  }
}

const PULL = 8; // pixels that a pointer goes before it drags
const LIFT = 44; // pixels that a piece is above a finger, to be seen

/**
 * Where the piece is that a pointer carries.
 * @param {PointerEvent} event
 */
function tip({ pointerType, clientX, clientY }) {
  return { x: clientX, y: pointerType === "touch" ? clientY - LIFT : clientY };
}

/**
 * Whether a pointer has gone far enough to drag: a finger no further across than up or down.
 * @param {PointerEvent} event
 * @param {{x: number, y: number}} from
 */
function pulls({ pointerType, clientX, clientY }, { x, y }) {
  const [across, down] = [Math.abs(clientX - x), Math.abs(clientY - y)];
  return pointerType === "touch" ? down > PULL && down > across : Math.hypot(across, down) > PULL;
}

/**
 * @param {PointerEvent} event
 * @param {Element} element
 */
function isOver({ clientX, clientY }, element) {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return clientX >= left && clientX <= right && clientY >= top && clientY <= bottom;
}

/**
 * How a card of a hand is taken: its radio button is chosen, unless it cannot be.
 * @param {Element} card
 */
function chooses(card) {
  const input = card.querySelector("input");
  if (input === null || input.disabled) return null;
  return () => {
    if (input.checked) return;
    input.checked = true;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  };
}

/**
 * A picture to go with the pointer: the one on a card, or one made for that, as wide as it says.
 * @param {SVGSVGElement | null} art
 */
function likeness(art) {
  const width = art?.getBoundingClientRect().width || (art?.width.baseVal.value ?? 80);
  const carried = h("div", { class: "carried", "aria-hidden": "true" }, art?.cloneNode(true));
  carried.style.inlineSize = `${width}px`;
  return carried;
}

/** @param {Event} event */
function isOnPiece(event) {
  return (elementOf(event)?.closest(".ghost") ?? null) !== null;
}

/** @param {Element} control */
function isRadio(control) {
  return control instanceof HTMLInputElement && control.type === "radio";
}
