// @ts-check
/* What those have who practise: a hint, and their last move back. The server finds a hint by a bot
   that is busy with others as well, so it is asked for until it is there. */

import { announce } from "../site.js";
import { AGAIN, whyNot } from "./answers.js";
import { h, icon, write } from "./dom.js";

const ASK_AGAIN = 400; // ms; each time after twice as long
const ASK_AT_LEAST_EVERY = 5_000; // ms
const PATIENCE = 30_000; // ms

/**
 * @typedef {object} Tools
 * @property {string} url of the match in the API
 * @property {string} csrf
 * @property {(text: string, words: string) => void} use brings a move to the board, to be confirmed
 *   there
 * @property {() => boolean} sends whether a move of the reader's is on its way
 * @property {(text: string) => void} refuse says why something cannot be done
 */

export class Practice {
  /**
   * @param {HTMLElement} root
   * @param {HTMLElement | null} row
   * @param {Tools} tools
   */
  constructor(root, row, tools) {
    this.tools = tools;
    this.busy = false;
    this.version = 0; // of what is shown
    this.over = false;
    /** @type {string | null} */
    this.asked = null; // the decision that is open to the reader
    this.wake = () => {}; // ends a pause
    this.moved = false; // whether there is anything to take back
    this.hint = h(
      "button",
      { type: "button", class: "button practice__act", on: { click: () => void this.#advise() } },
      icon("star"),
      h("span", { class: "practice__word" }, "Hint"),
    );
    this.back = h(
      "button",
      { type: "button", class: "button practice__act", on: { click: () => void this.#takeBack() } },
      icon("rotate"),
      h("span", { class: "practice__word" }, "Take back"),
    );
    this.words = h("p", { class: "practice__words small", "aria-live": "polite" });
    // Beside what opens the plan, which is in sight wherever the page stands.
    (row ?? root).append(this.hint, this.back);
    root.append(this.words);
  }

  /** @param {Client.State} state */
  update({ version, view, you, log }) {
    this.over = view.phase === "over";
    const open = view.decisions.find((each) => each.seat === you && !each.sealed);
    const asked = open === undefined || view.paused ? null : open.id;
    if (asked !== this.asked) this.wake();
    this.asked = asked;
    this.moved = log.some((item) => item.actor === you && !item.taken_back);
    if (version !== this.version) write(this.words, ""); // what was said was about what was before
    this.version = version;
    this.#draw();
  }

  #draw() {
    this.hint.hidden = this.back.hidden = this.over;
    this.hint.disabled = this.busy || this.asked === null;
    this.back.disabled = this.busy || this.over || !this.moved;
  }

  /**
   * Wait for so long, or until something else is asked.
   * @param {number} ms
   * @returns {Promise<void>}
   */
  #pause(ms) {
    return new Promise((resolve) => {
      this.wake = resolve;
      setTimeout(resolve, ms);
    });
  }

  async #advise() {
    const about = this.asked;
    const isOver = () => this.asked !== about || this.tools.sends();
    await this.#while("The strong bot thinks…", async () => {
      const until = Date.now() + PATIENCE;
      for (
        let wait = ASK_AGAIN;
        Date.now() < until;
        wait = Math.min(2 * wait, ASK_AT_LEAST_EVERY)
      ) {
        const answer = await fetch(`${this.tools.url}advice/`, {
          headers: { Accept: "application/json" },
        });
        // Whoever has moved meanwhile wants no hint any more, nor to hear why there is none.
        if (isOver()) return "";
        if (!answer.ok) return whyNot(answer);
        const told = /** @type {unknown} */ (await answer.json());
        if (isOver()) return "";
        const { text, version } = /** @type {Api.Advice} */ (told);
        if (text !== null && version === this.version) {
          const words = `A strong bot would play: ${text}`;
          write(this.words, words);
          this.tools.use(text, `${words}.`);
          return "";
        }
        await this.#pause(wait);
        if (isOver()) return "";
      }
      return "The bot is busy with others. Please ask again.";
    });
  }

  async #takeBack() {
    await this.#while("", async () => {
      const answer = await fetch(`${this.tools.url}take-back/`, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          Accept: "application/json",
          "X-CSRFToken": this.tools.csrf,
        },
        body: JSON.stringify({ id: crypto.randomUUID?.() ?? `back-${Date.now()}` }),
      });
      if (!answer.ok) return whyNot(answer);
      announce("Your move is taken back.");
      return "";
    });
  }

  /**
   * Have nothing else asked meanwhile, and say what went wrong.
   * @param {string} words
   * @param {() => Promise<string>} ask why it could not be done, or an empty text
   */
  async #while(words, ask) {
    if (this.busy) return;
    this.busy = true;
    this.#draw();
    write(this.words, words);
    let why = AGAIN;
    try {
      why = await ask();
    } catch {
      // The network is away: it is said as such elsewhere, too.
    }
    this.busy = false;
    this.#draw();
    if (this.words.textContent === words) write(this.words, "");
    if (why !== "") this.tools.refuse(why);
  }
}
