// @ts-check
/* Choosing eight dominoes: all 21 with what they do, a tray, and the decks that a player keeps. */

import { elementOf, fill, h, icon, write } from "../../../../static/js/match/dom.js";
import { DOMINOES, effectsOf, effectWords, nothing, tile } from "./tiles.js";

export const DECK = 8;

/** @type {Record<string, number | "up" | "down" | undefined>} */
const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: "up", ArrowDown: "down" };

/**
 * The text of a deck, in ascending order.
 * @param {Iterable<string>} dominoes
 */
export function deckText(dominoes) {
  return `deck ${[...dominoes].sort().join(" ")}`;
}

/**
 * The dominoes of a deck's text, or null where it is none.
 * @param {string} text
 */
export function deckOf(text) {
  const words = text.trim().split(/\s+/);
  const dominoes = words.slice(1).map((word) => [...word].sort().join(""));
  const fits = words[0].toLowerCase() === "deck" && dominoes.length === DECK;
  return fits && dominoes.every((domino) => DOMINOES.includes(domino)) ? dominoes.sort() : null;
}

/**
 * What keeps a choice from being a deck, in a sentence; or an empty string.
 * @param {string[]} dominoes
 * @param {number} repeats
 */
export function deckTrouble(dominoes, repeats) {
  const twice = DOMINOES.filter((name) => dominoes.filter((other) => other === name).length > 1);
  if (twice.length > repeats) {
    if (repeats === 0) return `${twice[0]} is there twice; each domino can be there once.`;
    return `${twice.join(" and ")} are there twice; only ${repeats === 1 ? "one domino" : `${repeats} dominoes`} can be.`;
  }
  const left = DECK - dominoes.length;
  if (left > 0) return `${left} more to choose.`;
  return left < 0 ? `${-left} too many.` : "";
}

/**
 * One domino to choose from.
 * @typedef {object} Card
 * @property {string} name
 * @property {HTMLButtonElement} toggle
 * @property {HTMLElement} times how often it is in the deck
 * @property {HTMLButtonElement | null} twice
 * @property {HTMLElement} root
 */

export class DeckBuilder {
  /** @type {HTMLElement} */
  status;
  /** @type {HTMLElement} */
  tray;
  /** @type {Card[]} */
  cards;
  /** @type {HTMLButtonElement} */
  random;
  /** @type {HTMLButtonElement} */
  clear;
  /** @type {HTMLElement} */
  shelf;
  /** @type {HTMLInputElement} */
  name;
  /** @type {HTMLButtonElement} */
  save;
  /** @type {HTMLElement} */
  trouble;
  /** @type {HTMLElement} */
  root;

  /**
   * @param {object} parts
   * @param {number} parts.repeats how many dominoes may be there twice
   * @param {() => void} parts.changed called after every change
   * @param {Client.SavedMoves | null} parts.saved keeps decks, for whoever has an account
   * @param {boolean} parts.secret whether nobody else sees what is chosen
   * @param {(text: string) => void} parts.announce
   * @param {(text: string) => void} parts.refuse
   */
  constructor({ repeats, changed, saved, secret, announce, refuse }) {
    this.repeats = repeats;
    this.changed = changed;
    this.saved = saved;
    this.secret = secret;
    this.announce = announce;
    this.refuse = refuse;
    this.dominoes = recalled();
    /** @type {Api.SavedMove[]} */
    this.kept = [];
    this.disabled = false;
    this.#build();
    this.#draw();
    void this.#load();
  }

  /** The chosen dominoes as a move, or null while they are no deck. */
  get text() {
    return deckTrouble(this.dominoes, this.repeats) === "" ? deckText(this.dominoes) : null;
  }

  /** @param {boolean} disabled */
  disable(disabled) {
    if (disabled === this.disabled) return;
    this.disabled = disabled;
    this.#draw();
  }

  /**
   * Put these in the place of what was chosen.
   * @param {string[]} dominoes
   */
  lay(dominoes) {
    this.#set(dominoes);
  }

  // -- choosing -------------------------------------------------------------------------------

  /** @param {string} name */
  #count(name) {
    return this.dominoes.filter((other) => other === name).length;
  }

  get #doubled() {
    return DOMINOES.filter((name) => this.#count(name) > 1).length;
  }

  /** @param {string} name */
  #add(name) {
    if (this.dominoes.length >= DECK) {
      this.refuse("The deck is full; take one out first.");
      return;
    }
    this.#set([...this.dominoes, name]);
    this.announce(`${name} is in the deck, ${this.dominoes.length} of ${DECK}.`);
  }

  /** @param {string} name */
  #remove(name) {
    const at = this.dominoes.indexOf(name);
    this.#set(this.dominoes.filter((_, index) => index !== at));
    this.announce(`${name} is out, ${this.dominoes.length} of ${DECK}.`);
  }

  /** @param {string[]} dominoes */
  #set(dominoes) {
    if (this.disabled) return;
    this.dominoes = [...dominoes].sort();
    recall(this.dominoes);
    this.#draw();
    this.changed();
  }

  #fillUp() {
    const rest = DOMINOES.filter((name) => this.#count(name) === 0);
    const chosen = [...this.dominoes];
    while (chosen.length < DECK) {
      chosen.push(...rest.splice(Math.floor(Math.random() * rest.length), 1));
    }
    this.#set(chosen);
    this.announce("Filled up at random.");
  }

  // -- drawing --------------------------------------------------------------------------------

  #build() {
    this.status = h("p", { class: "deck__status", role: "status" });
    this.tray = h("div", { class: "deck__tray", role: "group", "aria-label": "Your deck" });
    this.cards = DOMINOES.map((name) => this.#card(name));
    this.grid = h(
      "div",
      {
        class: "deck__grid",
        role: "group",
        "aria-label": "All dominoes",
        on: { keydown: (event) => this.#walk(event) },
      },
      this.cards.map(({ root }) => root),
    );
    /**
     * @param {string} words
     * @param {() => void} act
     */
    const button = (words, act) =>
      h("button", { type: "button", class: "button button--small", on: { click: act } }, words);
    this.random = button("Fill up at random", () => this.#fillUp());
    this.clear = button("Start again", () => this.#set([]));
    this.shelf = h("div", {
      class: "deck__shelf",
      role: "group",
      "aria-label": "Decks you have saved",
    });
    this.name = h("input", {
      class: "input",
      type: "text",
      maxlength: "40",
      autocomplete: "off",
      "aria-label": "Name for this deck",
      placeholder: "Name for this deck",
      on: {
        input: () => this.#drawSave(),
        keydown: (event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          if (!this.save.disabled) void this.#save();
        },
      },
    });
    this.save = h(
      "button",
      { type: "button", class: "button button--small", on: { click: () => void this.#save() } },
      icon("star"),
      "Save",
    );
    this.trouble = h("p", { class: "deck__trouble", role: "status" });
    this.root = h(
      "section",
      { class: "deck", "aria-labelledby": "deck-title" },
      h(
        "div",
        { class: "deck__head" },
        h("h2", { class: "deck__title", id: "deck-title" }, "Choose your eight dominoes"),
        this.status,
      ),
      h(
        "p",
        { class: "deck__hint" },
        "High numbers hold the board, and have the worse effects: the lower half takes effect first.",
        this.secret ? " Only you see what you choose." : "",
      ),
      this.tray,
      h("div", { class: "deck__tools" }, this.random, this.clear),
      this.shelf,
      this.grid,
      this.saved === null ? null : h("div", { class: "deck__save" }, this.name, this.save),
      this.trouble,
    );
  }

  /** @param {string} name */
  #card(name) {
    const times = h("span", { class: "deck__times", "aria-hidden": "true" });
    const toggle = h(
      "button",
      {
        type: "button",
        class: "deck__card",
        "aria-pressed": "false",
        "data-domino": name,
        on: { click: () => (this.#count(name) > 0 ? this.#removeAll(name) : this.#add(name)) },
      },
      tile(name),
      h(
        "span",
        { class: "deck__effects" },
        effectsOf(name).map(({ number, short }) =>
          h("span", {}, h("b", {}, String(number)), ` ${short}`),
        ),
      ),
      times,
    );
    const twice =
      this.repeats > 0
        ? h(
            "button",
            {
              type: "button",
              class: "button button--small deck__twice",
              "aria-pressed": "false",
              "aria-label": `${name} twice`,
              hidden: true,
              on: { click: () => (this.#count(name) > 1 ? this.#remove(name) : this.#add(name)) },
            },
            "Twice",
          )
        : null;
    return { name, toggle, times, twice, root: h("div", { class: "deck__cell" }, toggle, twice) };
  }

  /** @param {string} name */
  #removeAll(name) {
    this.#set(this.dominoes.filter((other) => other !== name));
    this.announce(`${name} is out, ${this.dominoes.length} of ${DECK}.`);
  }

  #draw() {
    const full = this.dominoes.length >= DECK;
    for (const { name, toggle, times, twice } of this.cards) {
      const count = this.#count(name);
      toggle.setAttribute("aria-pressed", String(count > 0));
      toggle.setAttribute("aria-label", `${name[0]} and ${name[1]}. ${effectWords(name)}`);
      toggle.disabled = this.disabled || (full && count === 0);
      write(times, count > 1 ? "×2" : "");
      if (twice === null) continue;
      twice.hidden = count === 0;
      twice.setAttribute("aria-pressed", String(count > 1));
      twice.disabled = this.disabled || (count === 1 && (full || this.#doubled >= this.repeats));
    }
    const held = [...this.tray.children].findIndex((each) => each === document.activeElement);
    const slots = [...this.dominoes, ...nothing(DECK - this.dominoes.length)];
    fill(
      this.tray,
      slots.map((name) =>
        name === null
          ? h("span", { class: "deck__slot" })
          : h(
              "button",
              {
                type: "button",
                class: "deck__slot",
                "aria-label": `Take ${name} out`,
                title: `Take ${name} out`,
                disabled: this.disabled,
                on: { click: () => this.#remove(name) },
              },
              tile(name, { signs: false }),
            ),
      ),
    );
    // The slot that had the focus is gone; the keyboard goes on from where it was.
    if (held >= 0) {
      [...this.tray.querySelectorAll("button")]
        .at(Math.min(held, this.dominoes.length - 1))
        ?.focus();
    }
    const trouble = deckTrouble(this.dominoes, this.repeats);
    write(this.status, trouble || "The deck is complete.");
    this.status.dataset.state = trouble ? "open" : "ready";
    this.random.disabled = this.disabled || full;
    this.clear.disabled = this.disabled || this.dominoes.length === 0;
    this.#drawSave();
    this.#drawShelf();
  }

  #drawSave() {
    this.name.disabled = this.disabled;
    this.save.disabled = this.disabled || this.text === null || this.name.value.trim() === "";
  }

  /**
   * Arrow keys go from domino to domino as they lie.
   * @param {KeyboardEvent} event
   */
  #walk(event) {
    const from = elementOf(event)?.closest(".deck__card") ?? null;
    const step = STEPS[event.key];
    if (from === null || step === undefined) return;
    event.preventDefault();
    const open = this.cards.map(({ toggle }) => toggle).filter((each) => !each.disabled);
    if (typeof step === "number") {
      open[(open.findIndex((each) => each === from) + step + open.length) % open.length].focus();
      return;
    }
    const here = from.getBoundingClientRect();
    const beyond = open
      .map((each) => ({ each, box: each.getBoundingClientRect() }))
      .filter(({ box }) => (step === "up" ? box.bottom <= here.top : box.top >= here.bottom))
      .sort(
        (a, b) =>
          Math.abs(a.box.top - here.top) +
          Math.abs(a.box.left - here.left) -
          Math.abs(b.box.top - here.top) -
          Math.abs(b.box.left - here.left),
      );
    beyond[0]?.each.focus();
  }

  // -- the decks that are kept ------------------------------------------------------------------

  async #load() {
    if (this.saved === null) return;
    try {
      this.kept = await this.saved.list();
      this.#drawShelf();
    } catch {
      // Favourites are a comfort; the deck can be chosen without them.
    }
  }

  async #save() {
    const { text, saved } = this;
    if (text === null || saved === null) return;
    await this.#try(async () => {
      const made = await saved.save(this.name.value, text);
      this.kept = [...this.kept.filter(({ id }) => id !== made.id), made].sort((a, b) =>
        a.name.localeCompare(b.name),
      );
      this.name.value = "";
      return `“${made.name}” is saved.`;
    });
  }

  /** @param {Api.SavedMove} deck */
  async #forget(deck) {
    await this.#try(async () => {
      await this.saved?.remove(deck.id);
      this.kept = this.kept.filter(({ id }) => id !== deck.id);
      return `“${deck.name}” is deleted.`;
    });
  }

  /** @param {() => Promise<string>} action */
  async #try(action) {
    try {
      write(this.trouble, await action());
    } catch (error) {
      write(this.trouble, error instanceof Error ? error.message : String(error));
    }
    this.#draw();
  }

  #drawShelf() {
    this.shelf.hidden = this.kept.length === 0;
    fill(
      this.shelf,
      this.kept.map((deck) => {
        const dominoes = deckOf(deck.text);
        const trouble = dominoes === null ? "It is no deck." : deckTrouble(dominoes, this.repeats);
        return h(
          "span",
          { class: "deck__kept" },
          h(
            "button",
            {
              type: "button",
              class: "button button--small",
              title: trouble || deck.text.replace("deck ", ""),
              disabled: this.disabled || trouble !== "",
              on: { click: () => this.#set(dominoes ?? []) },
            },
            icon("star"),
            deck.name,
          ),
          h(
            "button",
            {
              type: "button",
              class: "button button--small button--icon deck__forget",
              "aria-label": `Delete “${deck.name}”`,
              title: `Delete “${deck.name}”`,
              on: { click: () => void this.#forget(deck) },
            },
            icon("close"),
          ),
        );
      }),
    );
  }
}

/**
 * What was chosen so far outlives a reload of the page, in this tab only.
 * @returns {string[]}
 */
function recalled() {
  try {
    const kept = /** @type {string[]} */ (
      JSON.parse(sessionStorage.getItem(`deck:${location.pathname}`) ?? "[]")
    );
    return kept.filter((name) => DOMINOES.includes(name)).slice(0, DECK);
  } catch {
    return [];
  }
}

/** @param {string[]} dominoes */
function recall(dominoes) {
  try {
    sessionStorage.setItem(`deck:${location.pathname}`, JSON.stringify(dominoes));
  } catch {
    // Without storage a reload begins anew.
  }
}
