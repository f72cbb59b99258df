// @ts-check
/* A puzzle: the board of its game, on which one answer is given, and what the rules say of it. The
   server judges; this page knows neither the solution nor any game. */

import { announce, csrfToken, toast } from "../site.js";
import { embedded, fill, find, h, icon, write } from "../match/dom.js";
import { eventText, namesOf } from "../match/words.js";

const AGAIN = "The server could not be reached. Please try again.";

class PuzzlePage {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    /** @param {string} name */
    const part = (name) => find(root, `[data-part="${name}"]`);
    this.parts = {
      board: part("board"),
      dock: part("dock"),
      turn: part("turn"),
      verdict: part("verdict"),
      players: part("players"),
      rating: part("rating"),
      ways: part("ways"),
      note: part("note"),
      notation: /** @type {HTMLFormElement} */ (part("notation")),
    };
    this.dialog = /** @type {HTMLDialogElement} */ (part("dialog"));
    const data = /** @type {Puzzles.Data} */ (embedded("puzzle-data"));
    this.data = data;
    this.names = namesOf(data.header);
    this.answered = root.dataset.answered !== undefined;
    /** @type {Boards.Board<never> | null} */
    this.board = null;
    /** @type {Boards.Module | null} */
    this.ruleset = null;
    /** @type {string | null} */
    this.pending = null;
    /** @type {Client.Refusal | null} */
    this.refusal = null;
    /** @type {Puzzles.Verdict | null} */
    this.verdict = null;
    /** @type {HTMLElement | undefined} */
    this.refused = undefined; // what the board will not do, as it is said
    this.drafted = ""; // what the board previews
    this.unseen = ""; // what was typed last that the board cannot show
    this.wasShown = false; // the solution, not an answer
    this.at = 0; // which position is shown: 0 is the question
  }

  async start() {
    this.#buildWays();
    this.#buildNotation();
    const ruleset = /** @type {Boards.Module} */ (await import(this.root.dataset.board ?? ""));
    this.ruleset = ruleset;
    this.board = ruleset.mount(fill(this.parts.board), {
      submit: (text) => this.#submit(text),
      announce: (text) => announce(text, { about: "board" }),
      refuse: (text) => {
        this.refused?.remove();
        this.refused = toast(text, { kind: "danger", seconds: 6 });
      },
      draft: (text) => this.#draft(text),
      dock: this.parts.dock,
    });
    this.#draw();
    this.root.dataset.ready = "";
  }

  /* What is typed is shown on the board, to be confirmed there. A first answer counts, so what no
     board can show is sent only when it is asked for once more. */
  #buildNotation() {
    const form = this.parts.notation;
    const input = /** @type {HTMLInputElement} */ (find(form, "input"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = input.value.trim();
      if (text === "" || this.pending !== null || this.verdict !== null) return;
      if ([text, spelled(text)].some((each) => this.board?.preview?.(each))) return;
      if (text === this.unseen) {
        this.#submit(text);
        return;
      }
      this.unseen = text;
      this.#note("The board cannot show this. Press the button once more to answer with it.");
    });
  }

  #buildWays() {
    const show = h(
      "button",
      { type: "button", class: "button button--small", on: { click: () => void this.#show() } },
      icon("eye"),
      "Show the solution",
    );
    this.parts.ways.append(show);
    this.dialog.addEventListener("close", () => {
      if (this.dialog.returnValue === "yes") void this.#ask({ show: "yes" }, null);
      this.dialog.returnValue = "";
    });
  }

  #show() {
    // Once somebody has answered it costs nothing.
    if (this.answered) return this.#ask({ show: "yes" }, null);
    this.dialog.showModal();
    return Promise.resolve();
  }

  /**
   * What was refused is not to be read beside what is tried next.
   * @param {string} text
   */
  #draft(text) {
    if (text === this.drafted) return;
    this.drafted = text;
    if (text === "") return;
    this.refused?.remove();
    this.#note("");
  }

  /** @param {string} text */
  #submit(text) {
    if (this.pending !== null || this.verdict !== null) return null;
    void this.#ask({ text }, text);
    return { text };
  }

  /**
   * @param {Record<string, string>} body
   * @param {string | null} text what is on its way from the board
   */
  async #ask(body, text) {
    this.pending = text;
    this.refusal = null;
    this.#note("");
    this.#draw();
    /** @type {Response | null} */
    const response = await fetch(this.root.dataset.answer ?? "", {
      method: "POST",
      headers: { Accept: "application/json", "X-CSRFToken": csrfToken() },
      body: new URLSearchParams(body),
      credentials: "same-origin",
    }).catch(() => null);
    this.pending = null;
    const told = await response?.json().catch(() => null);
    if (!response?.ok || told === null) {
      const refusal = /** @type {Client.Refusal | null} */ (told ?? null);
      this.refusal = refusal?.sentence ? refusal : null;
      this.#note(refusal?.sentence ?? AGAIN);
      this.#draw();
      return;
    }
    this.verdict = /** @type {Puzzles.Verdict} */ (told);
    this.wasShown = body.show !== undefined;
    this.answered = true;
    this.at = 1;
    this.#draw();
    const { board, verdict } = this.parts;
    if (board.getBoundingClientRect().top < 0) board.scrollIntoView({ behavior: "instant" });
    verdict.focus({ preventScroll: true });
    announce(`${this.#title()} ${this.verdict.words}`);
  }

  // -- drawing ----------------------------------------------------------------------------------

  #draw() {
    const { data, verdict } = this;
    const step = verdict === null || this.at === 0 ? null : verdict.steps[this.at - 1];
    const view = step?.view ?? data.view;
    const [decision] = data.view.decisions;
    this.board?.update(/** @type {Live.View<never>} */ (view), {
      you: data.you,
      header: data.header,
      names: this.names,
      decision: verdict === null ? decision : null,
      paused: false,
      pending: this.pending,
      refusal: this.refusal,
    });
    this.#drawScores(step?.scores ?? data.scores);
    this.#drawVerdict();
    const turn = this.parts.turn;
    turn.hidden = verdict !== null;
    turn.dataset.state = this.pending === null ? "yours" : "sending";
    write(turn, this.pending === null ? this.#yourTurn() : "Judging…");
    this.parts.notation.hidden =
      this.parts.ways.hidden =
      find(this.root, ".puzzle__next").hidden =
        verdict !== null;
    this.root.toggleAttribute("data-plays", verdict === null);
  }

  #yourTurn() {
    return `It is your turn: you play for the ${["first", "second"][this.data.you]} player.`;
  }

  /** @param {number[]} scores */
  #drawScores(scores) {
    const places = this.parts.players.querySelectorAll(".puzzle__score");
    places.forEach((place, seat) => write(place, scores[seat].toLocaleString("en")));
  }

  #title() {
    if (this.wasShown) return "The solution.";
    return this.verdict?.right ? "Right!" : "Not right.";
  }

  #drawVerdict() {
    const { verdict } = this;
    const place = this.parts.verdict;
    place.hidden = verdict === null;
    if (verdict === null) return;
    place.toggleAttribute("data-right", verdict.right);
    write(this.parts.rating, String(verdict.puzzle.rating));
    const next = /** @type {HTMLAnchorElement} */ (find(this.root, "a[href*='/puzzles/next/']"));
    const again = !this.wasShown && !verdict.right;
    fill(
      place,
      h("h2", { id: "verdict-title", class: "puzzle__title" }, this.#title()),
      // The answer itself is on the board, and said of the first position.
      h("p", {}, verdict.words),
      h("p", { class: "muted small" }, this.#counted(verdict)),
      this.#stepper(verdict),
      h(
        "p",
        { class: "button-row" },
        h(
          "a",
          { class: "button button--primary", href: next.href },
          icon("forward"),
          "Next puzzle",
        ),
        again ? this.#button("Try again", "rotate", () => this.#tryAgain()) : null,
        again ? this.#button("Show the solution", "eye", () => void this.#show()) : null,
      ),
    );
  }

  /** @param {Puzzles.Verdict} verdict */
  #counted({ counted, you, puzzle }) {
    const tried = `${puzzle.solved} of ${puzzle.attempts} solved it at the first try.`;
    if (!counted) return `Only a first answer counts. ${tried}`;
    const sign = you.change < 0 ? "−" : "+";
    const streak = you.streak > 1 ? ` ${you.streak} daily puzzles in a row.` : "";
    return `Your puzzle rating: ${you.rating} (${sign}${Math.abs(you.change)}).${streak} ${tried}`;
  }

  /** @param {Puzzles.Verdict} verdict */
  #stepper({ steps }) {
    const back = this.#step("Back", "chevron-left", () => this.#go(this.at - 1));
    const forward = this.#step("Forward", "chevron-right", () => this.#go(this.at + 1));
    back.disabled = this.at === 0;
    forward.disabled = this.at === steps.length;
    return h(
      "div",
      { class: "puzzle__steps", role: "group", "aria-label": "Positions" },
      back,
      h("p", { class: "puzzle__step small", "aria-live": "polite" }, this.#where(steps)),
      forward,
    );
  }

  /**
   * @param {string} label
   * @param {string} sign
   * @param {() => void} act
   */
  #step(label, sign, act) {
    return h(
      "button",
      {
        type: "button",
        class: "button button--icon",
        "aria-label": label,
        title: label,
        on: { click: act },
      },
      icon(sign),
    );
  }

  /** @param {Puzzles.Step[]} steps */
  #where(steps) {
    if (this.at === 0) return "The question.";
    const step = steps[this.at - 1];
    const said = step.events.map((event) => eventText(event, this.names)).join(" ");
    return `${this.at} of ${steps.length}: ${said || step.text}`;
  }

  /** @param {number} at */
  #go(at) {
    const forward = at > this.at;
    this.at = at;
    this.#draw();
    const [back, on] = this.parts.verdict.querySelectorAll(".puzzle__steps button");
    /** @type {HTMLButtonElement[]} */
    const [wanted, other] = /** @type {any} */ (forward ? [on, back] : [back, on]);
    (wanted.disabled ? other : wanted).focus({ preventScroll: true });
  }

  #tryAgain() {
    this.verdict = null;
    this.wasShown = false;
    this.at = 0;
    this.#draw();
    this.board?.focus();
  }

  /**
   * @param {string} words
   * @param {string} sign
   * @param {() => void} act
   */
  #button(words, sign, act) {
    return h(
      "button",
      { type: "button", class: "button", on: { click: act } },
      icon(sign),
      h("span", {}, words),
    );
  }

  /** @param {string} text */
  #note(text) {
    const { note } = this.parts;
    write(find(note, ".alert__body"), text);
    note.hidden = text === "";
  }
}

/**
 * A move as boards read it: squares and ways in capitals, words in small letters.
 * @param {string} text
 */
function spelled(text) {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[a-z]+/gi, (word) =>
      word.length < 3 || /^[udlr]+$/i.test(word) ? word.toUpperCase() : word.toLowerCase(),
    );
}

const root = document.getElementById("puzzle");
if (root !== null) void new PuzzlePage(root).start();
