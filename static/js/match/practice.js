// @ts-check
/* What those have who practise: a hint, and their last move back. The server finds a hint by a bot
   that is busy with others as well, so it is asked for until it is there. */

import { announce } from "../site.js";
import { AGAIN, whyNot } from "./answers.js";
import { h, icon, write } from "./dom.js";

const ASK_EVERY = 400; // ms
const PATIENCE = 30_000; // ms

/**
 * @typedef {object} Tools
 * @property {string} url of the match in the API
 * @property {string} csrf
 * @property {(text: string, words: string) => void} use brings a move to the board, to be confirmed
 *   there
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
    const over = view.phase === "over";
    this.hint.hidden = this.back.hidden = over;
    const asked = view.decisions.some((each) => each.seat === you && !each.sealed);
    this.hint.disabled = this.busy || !asked;
    const moved = log.some((item) => item.actor === you && !item.taken_back);
    this.back.disabled = this.busy || over || !moved;
    if (version !== this.version) write(this.words, ""); // what was said was about what was before
    this.version = version;
  }

  async #advise() {
    await this.#while("The strong bot thinks…", async () => {
      const until = Date.now() + PATIENCE;
      while (Date.now() < until) {
        const answer = await fetch(`${this.tools.url}advice/`, {
          headers: { Accept: "application/json" },
        });
        if (!answer.ok) return whyNot(answer);
        const told = /** @type {unknown} */ (await answer.json());
        const { text } = /** @type {Api.Advice} */ (told);
        if (text !== null) {
          const words = `A strong bot would play: ${text}`;
          write(this.words, words);
          this.tools.use(text, `${words}.`);
          return "";
        }
        await new Promise((resolve) => setTimeout(resolve, ASK_EVERY));
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
    this.busy = this.hint.disabled = this.back.disabled = true;
    write(this.words, words);
    let why = AGAIN;
    try {
      why = await ask();
    } catch {
      // The network is away: it is said as such elsewhere, too.
    }
    this.busy = this.hint.disabled = this.back.disabled = false;
    if (why === "") return;
    write(this.words, "");
    this.tools.refuse(why);
  }
}
