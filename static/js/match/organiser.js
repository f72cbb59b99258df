// @ts-check
/* The organiser's desk beside a match. Every act is asked for once more, and has a reason: a
   ready-made one is tapped, and one that would cost a player time, for a clock runs, may be given
   later. What an act
   does is the server's business. */

import { chips } from "../reasons.js";
import { fill, h, icon, write } from "./dom.js";

// How the address ends that leads from a season's desk to this one, and to giving a reason here.
export const RULE_HERE = "#organise";
export const GIVE_REASON = "#give-reason";
const ENLARGED = [2, 4, 8]; // pixels of the screen for one of the picture's
/** @type {Record<string, string>} */
const SECONDS = { reserve: "60", extend: "60" };

/**
 * One act as a button and the question behind it.
 * @typedef {object} Act
 * @property {string} title
 * @property {string} sign
 * @property {string} words
 * @property {string[]} [fields] keys of FIELDS
 * @property {boolean} [danger] whether it has to be confirmed as such
 * @property {string} reasons under which name the page has ready-made reasons
 * @property {(values: Record<string, string>) => boolean} [pressing] whether the reason may wait
 *   while a clock runs
 * @property {(values: Record<string, string>) => string} text as the protocol has it
 */

/** @typedef {(now: {view: Live.View, waits: boolean}) => Act | null} ActOf */

export class OrganiserDesk {
  /**
   * `act(text, why)` sends, and gives what was sent; `root` is where the buttons go, and `hash` the
   * end of the address that led here.
   * `ready` has the ready-made reasons by act, and `none` what stands until one is given.
   * @param {Element} root
   * @param {{act: (text: string, why: string) => {id: string}, ready: Ready, hash?: string}} tools
   */
  constructor(root, { act, ready, hash = "" }) {
    this.root = root;
    this.act = act;
    this.ready = ready;
    this.hash = hash;
    /** @type {{id: string, form: HTMLElement, problem: HTMLElement} | null} */
    this.sent = null; // what was asked for last
    this.names = ["", ""];
    /** @type {Live.View | null} */
    this.view = null;
    this.drawn = "";
    this.dialog = h("dialog", { class: "dialog", "aria-labelledby": "act-title" });
    root.after(this.dialog);
  }

  /**
   * @param {Live.View} view
   * @param {string[]} names
   * @param {Live.LogItem[]} log
   */
  update(view, names, log) {
    this.view = view;
    this.names = names;
    const waits = waitsForReason(log, this.ready.none);
    const decides = view.decisions.length > 0;
    const stamp = `${view.phase}/${view.paused}/${view.ruling === true}/${waits}/${decides}`;
    if (stamp === this.drawn) return;
    this.drawn = stamp;
    if (view.phase !== "on") {
      const why = view.phase === "over" ? "The match is over." : "The match has not begun.";
      fill(this.root, h("p", { class: "small muted" }, `${why} There is nothing to rule on here.`));
      return;
    }
    const dispute = view.ruling ? h("div", { class: "desk__dispute", role: "status" }) : null;
    const acts = ACTS.map((actOf) => actOf({ view, waits }));
    fill(
      this.root,
      dispute,
      h(
        "div",
        { class: "desk" },
        acts.map((act) => act && this.#button(act)),
      ),
    );
    if (dispute !== null) void this.#showDispute(dispute);
    this.#goWhereLed(acts);
  }

  /**
   * An address that ends so leads here, below the board, and to the question; once.
   * @param {(Act | null)[]} acts
   */
  #goWhereLed(acts) {
    const { hash } = this;
    this.hash = "";
    if (hash !== RULE_HERE && hash !== GIVE_REASON) return;
    (this.root.parentElement ?? this.root).scrollIntoView({ behavior: "instant" });
    const asked = acts.find((act) => act?.reasons === "reason");
    if (hash === GIVE_REASON && asked) this.#ask(asked);
  }

  /**
   * What became of something that was sent: what is refused is shown in its dialog again, as it
   * was filled in. Whether it was, so that nobody else needs to.
   * @param {string} id
   * @param {string} [refused] why
   */
  answered(id, refused) {
    const { sent } = this;
    if (sent === null || sent.id !== id) return false;
    this.sent = null;
    // Something else is asked already.
    if (refused === undefined || sent.form.parentElement !== this.dialog) return false;
    fill(sent.problem, icon("alert"), h("span", { class: "alert__body" }, refused));
    sent.problem.hidden = false;
    if (!this.dialog.open) this.dialog.showModal();
    return true;
  }

  /**
   * What is to be ruled on, and what the program thinks of it: for organisers alone, so it is not
   * part of any view.
   * @param {Element} box
   */
  async #showDispute(box) {
    try {
      const answer = await fetch(new URL("dispute/", location.href), {
        headers: { Accept: "application/json" },
      });
      if (!answer.ok) throw new Error(String(answer.status));
      const told = /** @type {{words: string, picture: string}} */ (await answer.json());
      const { words, picture } = told;
      fill(
        box,
        h("p", {}, h("strong", {}, "A challenge waits for your ruling.")),
        h("p", {}, words),
        evidence(picture),
        h(
          "button",
          {
            type: "button",
            class: "button button--small",
            on: { click: () => this.#enlarge(picture) },
          },
          "Enlarge the picture",
        ),
      );
    } catch {
      fill(box, h("p", {}, "A challenge waits for your ruling. Its details could not be loaded."));
    }
  }

  /**
   * The desk is narrow, and single pixels may decide: larger than the window, to be moved about.
   * @param {string} picture
   */
  #enlarge(picture) {
    const image = evidence(picture);
    const words = h("span", { class: "evidence__words", role: "status" });
    let zoom = 0;
    /** @param {number} to */
    const show = (to) => {
      zoom = Math.min(Math.max(to, 0), ENLARGED.length - 1);
      image.style.width = `${image.naturalWidth * ENLARGED[zoom]}px`;
      write(words, `${ENLARGED[zoom]}×`);
      smaller.disabled = zoom === 0;
      larger.disabled = zoom === ENLARGED.length - 1;
    };
    /**
     * @param {string} label
     * @param {string} sign
     * @param {number} by
     */
    const button = (label, sign, by) =>
      h(
        "button",
        {
          type: "button",
          class: "button button--icon",
          "aria-label": label,
          title: label,
          on: { click: () => show(zoom + by) },
        },
        sign,
      );
    const smaller = button("Smaller", "−", -1);
    const larger = button("Larger", "+", 1);
    fill(
      this.dialog,
      h(
        "form",
        { method: "dialog" },
        h(
          "div",
          { class: "dialog__head" },
          h("h2", { id: "act-title" }, "The position, with the evidence"),
          h("span", { class: "board-tools" }, smaller, words, larger),
        ),
        h(
          "div",
          {
            class: "dialog__body evidence",
            tabindex: "0",
            role: "region",
            "aria-label": "The enlarged position",
          },
          image,
        ),
        h("div", { class: "dialog__foot" }, h("button", { class: "button" }, "Close")),
      ),
    );
    if (image.complete) show(0);
    else image.addEventListener("load", () => show(zoom));
    this.dialog.classList.add("dialog--evidence");
    this.dialog.addEventListener("close", () => this.dialog.classList.remove("dialog--evidence"), {
      once: true,
    });
    this.dialog.showModal();
  }

  /** @param {Act} act */
  #button(act) {
    const { title, sign } = act;
    return h(
      "button",
      { type: "button", class: "button button--small", on: { click: () => this.#ask(act) } },
      icon(sign),
      title,
    );
  }

  /** @param {Act} act */
  #ask({ title, words, fields = [], danger, reasons, pressing, text }) {
    /** @type {Record<string, HTMLInputElement | HTMLSelectElement>} */
    const inputs = {};
    const form = h("form", { method: "dialog" });
    const problem = h("p", { class: "alert alert--danger", role: "alert", hidden: true });
    const why = h("textarea", {
      class: "input",
      id: "act-why",
      required: true,
      maxlength: "500",
      rows: "3",
      "aria-describedby": "act-why-help",
    });
    const rows = fields.map((field) => {
      const made = FIELDS[field](this);
      const input = made.querySelector("select") ?? made.querySelector("input");
      if (input !== null) inputs[field] = input;
      return made;
    });
    const sure = danger
      ? h(
          "label",
          { class: "check" },
          h("input", { type: "checkbox", required: true }),
          "I am sure. This ends or changes the match for both players.",
        )
      : null;
    fill(
      form,
      h("div", { class: "dialog__head" }, h("h2", { id: "act-title" }, title)),
      h(
        "div",
        { class: "dialog__body stack" },
        problem,
        h("p", {}, words),
        rows,
        h(
          "div",
          { class: "field" },
          h("label", { for: "act-why" }, "Reason"),
          chips(why, this.ready.by[reasons] ?? []),
          why,
          h(
            "p",
            { class: "field__help", id: "act-why-help" },
            "Both players and the room will read it.",
            pressing === undefined ? "" : " While a clock runs you may leave it for later.",
          ),
        ),
        sure,
      ),
      h(
        "div",
        { class: "dialog__foot" },
        h(
          "button",
          { type: "button", class: "button", on: { click: () => this.dialog.close() } },
          "Cancel",
        ),
        h("button", { class: `button button--${danger ? "danger" : "primary"}` }, title),
      ),
    );
    const said = () =>
      Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.value]));
    const demand = () => {
      why.required = !((pressing?.(said()) ?? false) && clocksRun(this.view));
    };
    demand();
    form.addEventListener("input", demand);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const values = said();
      if (why.required && why.value.trim() === "") {
        why.value = "";
        form.reportValidity();
        return;
      }
      const { id } = this.act(text(values), why.value.trim());
      this.sent = { id, form, problem };
      this.dialog.close();
    });
    fill(this.dialog, form);
    this.dialog.showModal();
  }
}

/** @type {Record<string, (desk: OrganiserDesk) => Element>} */
const FIELDS = {
  seat: (desk) => seatChoice(desk.names, [0, 1]),
  decides: (desk) => seatChoice(desk.names, seatsDeciding(desk.view)),
  change: () => seconds("Seconds to add (negative to take away)", SECONDS.reserve, "-86400"),
  more: () => seconds("Seconds to add", SECONDS.extend, "1"),
};

/**
 * @param {string[]} names
 * @param {number[]} seats those that can be chosen, the first of them at the beginning
 */
function seatChoice(names, seats) {
  return h(
    "div",
    { class: "field" },
    h("label", { for: "act-seat" }, "Player"),
    h(
      "select",
      { class: "input", id: "act-seat" },
      seats.map((seat) => h("option", { value: String(seat) }, names[seat])),
    ),
  );
}

/**
 * Who has a decision to make, first those whose clock runs.
 * @param {Live.View | null} view
 */
export function seatsDeciding(view) {
  const decisions = [...(view?.decisions ?? [])];
  decisions.sort((one, other) => Number(other.clock.running) - Number(one.clock.running));
  return decisions.map(({ seat }) => seat);
}

/**
 * @param {string} label
 * @param {string} value
 * @param {string} min
 */
function seconds(label, value, min) {
  return h(
    "div",
    { class: "field" },
    h("label", { for: "act-seconds" }, label),
    h("input", {
      class: "input",
      id: "act-seconds",
      type: "number",
      step: "1",
      min,
      max: "8640000",
      value,
      required: true,
    }),
  );
}

/** @param {string} picture */
const evidence = (picture) =>
  h("img", {
    class: "board-picture",
    alt: "The position, with the evidence marked",
    src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(picture)}`,
  });

/** @param {string} value */
const signed = (value) => (Number(value) < 0 ? String(Number(value)) : `+${Number(value)}`);

/**
 * @typedef {object} Ready
 * @property {string} none what stands as the reason until one is given
 * @property {Record<string, string[]>} by ready-made reasons, by act
 */

/**
 * The ready-made reasons of the page; none on a page that has none.
 * @returns {Ready}
 */
export function readyReasons() {
  const found = document.getElementById("ready-reasons")?.textContent;
  return found ? /** @type {Ready} */ (JSON.parse(found)) : { none: "", by: {} };
}

/**
 * Whether anybody loses time now; while nobody does, every act has its reason at once.
 * @param {Live.View | null} view
 */
export function clocksRun(view) {
  return view !== null && view.decisions.some(({ clock }) => clock.running);
}

/**
 * Whether anything that was done has no reason yet.
 * @param {Live.LogItem[]} log
 * @param {string} none
 */
export function waitsForReason(log, none) {
  let waits = false;
  for (const { actor, events } of log) {
    if (actor !== "organiser") continue;
    for (const { data } of events) {
      waits = (waits || data.why === none) && data.act !== "reason";
    }
  }
  return waits;
}

/** @type {ActOf[]} */
const ACTS = [
  ({ waits }) =>
    waits
      ? {
          title: "Give the reason",
          sign: "chat",
          words: "Say why what was done without a reason was done. It can be said once.",
          reasons: "reason",
          text: () => "reason",
        }
      : null,
  ({ view }) =>
    view.rulings
      ? {
          title: view.rulings.valid.title,
          sign: "check",
          words: view.rulings.valid.means,
          reasons: "rule valid",
          text: () => "rule valid",
        }
      : null,
  ({ view }) =>
    view.rulings
      ? {
          title: view.rulings.invalid.title,
          sign: "close",
          words: view.rulings.invalid.means,
          reasons: "rule invalid",
          text: () => "rule invalid",
        }
      : null,
  ({ view }) =>
    view.paused
      ? {
          title: "Resume",
          sign: "play",
          words: "All clocks run on from where they stood.",
          reasons: "resume",
          text: () => "resume",
        }
      : {
          title: "Pause",
          sign: "pause",
          words: "All clocks of this match stand still until it is resumed.",
          reasons: "pause",
          pressing: () => true,
          text: () => "pause",
        },
  () => ({
    title: "Change reserve",
    sign: "clock",
    words: "Add to or take from a player's reserve.",
    fields: ["seat", "change"],
    reasons: "reserve",
    pressing: ({ change }) => Number(change) > 0,
    text: ({ seat, change }) => `reserve ${seat} ${signed(change)}`,
  }),
  ({ view }) =>
    view.decisions.length > 0
      ? {
          title: "Extend decision",
          sign: "plus",
          words: "Add turn time to the decision that a player is making now.",
          fields: ["decides", "more"],
          reasons: "extend",
          pressing: () => true,
          text: ({ decides, more }) => `extend ${decides} ${Number(more)}`,
        }
      : null,
  () => ({
    title: "Take back",
    sign: "undo",
    words: "Undo the last submission of a player and everything that followed from it.",
    reasons: "take back",
    text: () => "take back",
    danger: true,
  }),
  () => ({
    title: "Declare winner",
    sign: "trophy",
    words: "End the match and say who has won.",
    fields: ["seat"],
    reasons: "winner",
    text: ({ seat }) => `winner ${seat}`,
    danger: true,
  }),
  () => ({
    title: "Void match",
    sign: "close",
    words: "End the match without a winner.",
    reasons: "void",
    text: () => "void",
    danger: true,
  }),
];
