/* Choosing eight dominoes: all 21 with what they do, a tray, and the decks that a player keeps. */

import { fill, h, icon, write } from "../../../../static/js/match/dom.js";
import { DOMINOES, effectsOf, effectWords, tile } from "./tiles.js";

export const DECK = 8;

/** The text of a deck, in ascending order. */
export function deckText(dominoes) {
  return `deck ${[...dominoes].sort().join(" ")}`;
}

/** The dominoes of a deck's text, or null where it is none. */
export function deckOf(text) {
  const words = text.trim().split(/\s+/);
  const dominoes = words.slice(1).map((word) => [...word].sort().join(""));
  const fits = words[0].toLowerCase() === "deck" && dominoes.length === DECK;
  return fits && dominoes.every((domino) => DOMINOES.includes(domino)) ? dominoes.sort() : null;
}

/** What keeps a choice from being a deck, in a sentence; or an empty string. */
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

export class DeckBuilder {
  /**
   * `repeats`: how many dominoes may be there twice. `changed(deck)` is called after every change,
   * `confirm()` when Enter is pressed in the tray. `saved` keeps decks (see match/saved.js).
   */
  constructor({ repeats, changed, confirm, saved, announce, refuse }) {
    Object.assign(this, { repeats, changed, confirm, saved, announce, refuse });
    this.dominoes = recalled();
    this.kept = [];
    this.disabled = false;
    this.#build();
    this.#draw();
    this.#load();
  }

  /** The chosen dominoes as a move, or null while they are no deck. */
  get text() {
    return deckTrouble(this.dominoes, this.repeats) === "" ? deckText(this.dominoes) : null;
  }

  disable(disabled) {
    if (disabled === this.disabled) return;
    this.disabled = disabled;
    this.#draw();
  }

  // -- choosing -------------------------------------------------------------------------------

  #count(name) {
    return this.dominoes.filter((other) => other === name).length;
  }

  get #doubled() {
    return DOMINOES.filter((name) => this.#count(name) > 1).length;
  }

  #add(name) {
    if (this.dominoes.length >= DECK) {
      this.refuse("The deck is full; take one out first.");
      return;
    }
    this.#set([...this.dominoes, name]);
    this.announce(`${name} is in the deck, ${this.dominoes.length} of ${DECK}.`);
  }

  #remove(name) {
    const at = this.dominoes.indexOf(name);
    this.#set(this.dominoes.filter((_, index) => index !== at));
    this.announce(`${name} is out, ${this.dominoes.length} of ${DECK}.`);
  }

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
          if (!this.save.disabled) this.#save();
        },
      },
    });
    this.save = h(
      "button",
      { type: "button", class: "button button--small", on: { click: () => this.#save() } },
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
        "High numbers hold the board, and have the worse effects: the lower half takes effect first. Only you see what you choose.",
      ),
      this.tray,
      h("div", { class: "deck__tools" }, this.random, this.clear),
      this.shelf,
      this.grid,
      h("div", { class: "deck__save" }, this.name, this.save),
      this.trouble,
    );
  }

  #card(name) {
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
      h("span", { class: "deck__times", "aria-hidden": "true" }),
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
    return { name, toggle, twice, root: h("div", { class: "deck__cell" }, toggle, twice) };
  }

  #removeAll(name) {
    this.#set(this.dominoes.filter((other) => other !== name));
    this.announce(`${name} is out, ${this.dominoes.length} of ${DECK}.`);
  }

  #draw() {
    const full = this.dominoes.length >= DECK;
    for (const { name, toggle, twice } of this.cards) {
      const count = this.#count(name);
      toggle.setAttribute("aria-pressed", String(count > 0));
      toggle.setAttribute("aria-label", `${name[0]} and ${name[1]}. ${effectWords(name)}`);
      toggle.disabled = this.disabled || (full && count === 0);
      write(toggle.querySelector(".deck__times"), count > 1 ? "×2" : "");
      if (twice === null) continue;
      twice.hidden = count === 0;
      twice.setAttribute("aria-pressed", String(count > 1));
      twice.disabled = this.disabled || (count === 1 && (full || this.#doubled >= this.repeats));
    }
    const held = [...this.tray.children].indexOf(document.activeElement);
    const slots = [...this.dominoes, ...Array(Math.max(0, DECK - this.dominoes.length)).fill(null)];
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
    if (held >= 0)
      [...this.tray.querySelectorAll("button")]
        .at(Math.min(held, this.dominoes.length - 1))
        ?.focus();
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

  /* Arrow keys go from domino to domino as they lie. */
  #walk(event) {
    const from = event.target.closest(".deck__card");
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: "up", ArrowDown: "down" }[event.key];
    if (from === null || step === undefined) return;
    event.preventDefault();
    const open = this.cards.map(({ toggle }) => toggle).filter((each) => !each.disabled);
    if (typeof step === "number") {
      open[(open.indexOf(from) + step + open.length) % open.length].focus();
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
    try {
      this.kept = await this.saved.list();
      this.#drawShelf();
    } catch {
      // Favourites are a comfort; the deck can be chosen without them.
    }
  }

  async #save() {
    const { text } = this;
    if (text === null) return;
    await this.#try(async () => {
      const made = await this.saved.save(this.name.value, text);
      this.kept = [...this.kept.filter(({ id }) => id !== made.id), made].sort((a, b) =>
        a.name.localeCompare(b.name),
      );
      this.name.value = "";
      return `“${made.name}” is saved.`;
    });
  }

  async #forget(deck) {
    await this.#try(async () => {
      await this.saved.remove(deck.id);
      this.kept = this.kept.filter(({ id }) => id !== deck.id);
      return `“${deck.name}” is deleted.`;
    });
  }

  async #try(deed) {
    try {
      write(this.trouble, await deed());
    } catch (error) {
      write(this.trouble, error.message);
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
              on: { click: () => this.#set(dominoes) },
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
              on: { click: () => this.#forget(deck) },
            },
            icon("close"),
          ),
        );
      }),
    );
  }
}

/* What was chosen so far outlives a reload of the page, in this tab only. */
function recalled() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(`deck:${location.pathname}`) ?? "[]");
    return kept.filter((name) => DOMINOES.includes(name)).slice(0, DECK);
  } catch {
    return [];
  }
}

function recall(dominoes) {
  try {
    sessionStorage.setItem(`deck:${location.pathname}`, JSON.stringify(dominoes));
  } catch {
    // Without storage a reload begins anew.
  }
}
