// @ts-check
/* A player's private list of shapes to pick, the first one first. Loaded only once somebody opens it;
   the page keeps it with the player's plan. */

import { fill, h, icon, write } from "../../../../static/js/match/dom.js";
import { nextId, ownersOf, shapeArt, shapeOf, traits } from "./pixels.js";

export class Wanted {
  stamp = "";

  /**
   * @param {Element} host where the dialog goes
   * @param {() => Domain.Seen} seen what the board shows
   * @param {object} acts
   * @param {(shapes: string[]) => void} acts.want keep another list
   * @param {(shape: string) => void} acts.look look closely at a shape
   */
  constructor(host, seen, { want, look }) {
    this.seen = seen;
    this.want = want;
    this.look = look;
    const title = nextId();
    this.turn = h("p", { class: "looking__turn", role: "status" });
    this.said = h("p", { class: "visually-hidden", role: "status" });
    this.list = h("ol", { class: "plan__list wanted" });
    this.none = h("p", { class: "muted" }, "There is nothing on it yet.");
    this.more = h("div", { class: "shape-tray", role: "group", "aria-label": "Add a shape" });
    this.close = h(
      "button",
      {
        type: "button",
        class: "button",
        title: "Close (Esc)",
        on: { click: () => this.dialog.close() },
      },
      "Close",
    );
    this.dialog = h(
      "dialog",
      { class: "dialog looking", "aria-labelledby": title },
      h("div", { class: "dialog__head" }, h("h2", { id: title }, "Your pick list"), this.close),
      h(
        "div",
        { class: "dialog__body looking__body" },
        this.turn,
        h(
          "p",
          { class: "small muted" },
          "Nobody else sees it. When you are to take a shape, the first of them that is free is offered to you.",
        ),
        this.none,
        this.list,
        h("h3", {}, "Add a shape"),
        this.more,
        this.said,
      ),
    );
    host.append(this.dialog);
  }

  open() {
    this.update();
    this.dialog.showModal();
  }

  destroy() {
    this.dialog.remove();
  }

  /** The board shows something else now, or another device has changed the list. */
  update() {
    const { game, names, asked, wanted, you } = this.seen();
    write(this.turn, asked ? "It is your turn: close this to play." : "");
    const shapes = (wanted ?? []).filter((id) => game.pool.shapes.some((shape) => shape.id === id));
    const owners = ownersOf(game);
    const stamp = JSON.stringify([shapes, [...owners], names]);
    if (stamp === this.stamp) return;
    this.stamp = stamp;
    const held = this.#held;
    this.none.hidden = shapes.length > 0;
    this.list.hidden = shapes.length === 0;
    fill(
      this.list,
      shapes.map((id, at) => {
        const owner = owners.get(id) ?? null;
        const shape = shapeOf(game, id);
        const about =
          owner === null
            ? traits(shape).join(", ")
            : owner === you
              ? "You have taken it."
              : `${names[owner]} has taken it.`;
        return h(
          "li",
          { "data-shape": id },
          shapeArt(game, shape, owner),
          h(
            "span",
            { class: "plan__words" },
            `${at + 1}. `,
            h(owner === null ? "b" : "s", { class: "wanted__name" }, id),
            h("span", { class: "small muted" }, ` ${about}`),
          ),
          h(
            "span",
            { class: "board-tools" },
            this.#button(
              `up ${id}`,
              `Move ${id} up`,
              "↑",
              () => this.#move(shapes, at, -1),
              at === 0,
            ),
            this.#button(
              `down ${id}`,
              `Move ${id} down`,
              "↓",
              () => this.#move(shapes, at, 1),
              at === shapes.length - 1,
            ),
            this.#button(`look ${id}`, `Look closely at ${id}`, icon("eye") ?? "?", () => {
              this.dialog.close();
              this.look(id);
            }),
            this.#button(`off ${id}`, `Take ${id} off the list`, icon("close") ?? "×", () => {
              this.#keep(
                shapes.filter((each) => each !== id),
                `${id} is off your list.`,
              );
            }),
          ),
        );
      }),
    );
    const rest = game.free.filter((id) => !shapes.includes(id));
    fill(
      this.more,
      rest.length === 0 ? h("p", { class: "muted" }, "There are no others to be had.") : null,
      rest.map((id) => {
        const shape = shapeOf(game, id);
        return h(
          "button",
          {
            type: "button",
            class: "shape-pick",
            "data-act": `add ${id}`,
            "aria-label": `Add ${id}, ${traits(shape).join(", ")}`,
            on: {
              click: () =>
                this.#keep([...shapes, id], `${id} is ${shapes.length + 1}. of your list.`),
            },
          },
          shapeArt(game, shape),
          h("span", {}, id),
        );
      }),
    );
    if (held !== null) this.#focusAgain(held);
  }

  /* Which of the buttons has the focus: what it does, to which shape, and its number among its like. */
  get #held() {
    const button = this.dialog.querySelector("button:focus[data-act]");
    const [act, id] = button?.getAttribute("data-act")?.split(" ") ?? [];
    return button === null ? null : { act, id, at: this.#alike(act).indexOf(button) };
  }

  /** @param {string} act */
  #alike(act) {
    return [...this.dialog.querySelectorAll(`[data-act^="${act} "]`)];
  }

  /**
   * Have the focus where it was: with the same shape, or at the same place in the row.
   * @param {{act: string, id: string, at: number}} held
   */
  #focusAgain({ act, id, at }) {
    const of = (/** @type {string} */ each) =>
      this.dialog.querySelector(`[data-act="${each} ${id}"]:not(:disabled)`);
    const other = act === "up" ? "down" : act === "down" ? "up" : act;
    const row = this.#alike(act);
    const again = of(act) ?? of(other) ?? row[Math.min(at, row.length - 1)] ?? this.close;
    if (again instanceof HTMLElement) again.focus();
  }

  /**
   * @param {string} act
   * @param {string} label
   * @param {Dom.Child} sign
   * @param {() => void} does
   * @param {boolean} [disabled]
   */
  #button(act, label, sign, does, disabled = false) {
    return h(
      "button",
      {
        type: "button",
        class: "button button--icon",
        "data-act": act,
        "aria-label": label,
        title: label,
        disabled,
        on: { click: does },
      },
      sign,
    );
  }

  /**
   * @param {string[]} shapes
   * @param {number} at
   * @param {number} by
   */
  #move(shapes, at, by) {
    const moved = shapes.filter((_, index) => index !== at);
    moved.splice(at + by, 0, shapes[at]);
    this.#keep(moved, `${shapes[at]} is ${at + by + 1}. of your list.`);
  }

  /**
   * @param {string[]} shapes
   * @param {string} words
   */
  #keep(shapes, words) {
    this.want(shapes);
    write(this.said, words);
  }
}
