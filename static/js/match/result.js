// @ts-check
/* How a match ended. The page brings the card along with its links; this fills in the words. */

import { enhanceSharing } from "../sharing.js";
import { fill, find, h, write } from "./dom.js";
import { followRematch, followTurns } from "./next.js";
import { number, resultText, rulingReason, voidedByItself } from "./words.js";

export class ResultCard {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.title = find(root, ".result__title");
    this.why = find(root, ".result__why");
    this.scores = find(root, ".result__scores");
    /** @type {string | null} */
    this.drawn = null;
    // What the match is part of, named at the top of the page, is where its players go on.
    const around = /** @type {NodeListOf<HTMLAnchorElement>} */ (
      document.querySelectorAll(".match__banner a[data-part-of]")
    );
    find(root, ".result__next").prepend(
      ...[...around].map(({ href, textContent }) =>
        h("a", { class: "button button--small", href }, textContent),
      ),
    );
    enhanceSharing(root);
    followTurns();
    this.catchUp = followRematch(() => !root.hidden);
    find(root, ".result__away").addEventListener("click", () => this.#putAway());
    root.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#putAway();
    });
  }

  /**
   * Show the result of a state, and nothing while there is none.
   * @param {Client.State} state
   * @param {string[]} names
   * @param {Pick<Boards.Words, "because">} ruleset
   */
  draw({ view, log, you }, names, ruleset) {
    const { root } = this;
    root.hidden = view.phase !== "over";
    this.catchUp();
    const stamp = JSON.stringify([view.result, log.length, names]);
    const { result } = view;
    if (root.hidden || result === null || stamp === this.drawn) return;
    this.drawn = stamp;
    const scored = view.scored !== false;
    const ruled = result.reason === "ruling" ? rulingReason(log) : "";
    const by = voidedByItself(log) ? "The reason" : "The organiser's reason";
    const reader = names.map((name, seat) => (seat === you ? "you" : name));
    let why = "";
    if (ruled) why = `${by}: ${ruled}`;
    else if (result.winner !== null) {
      why = ruleset.because(/** @type {Live.WonView<never>} */ (view), reader);
    }
    write(this.title, resultText(view, names, you, log));
    write(this.why, why);
    this.why.hidden = why === "";
    fill(
      this.scores,
      h(
        "div",
        { class: "versus" },
        side(0, result, names, scored),
        between(scored),
        side(1, result, names, scored),
      ),
    );
    if (you !== null && result.winner !== null) {
      root.dataset.outcome = result.winner === you ? "won" : "lost";
    }
  }

  /** The match has ended before the reader's eyes: over everything, wherever the page stands. */
  tell() {
    this.root.classList.add("match__result--told");
  }

  #putAway() {
    const within = this.root.contains(document.activeElement);
    this.root.classList.remove("match__result--told");
    if (within) this.root.querySelector("a")?.focus({ preventScroll: true });
  }
}

/**
 * @param {Seat} seat
 * @param {Live.Result} result
 * @param {string[]} names
 * @param {boolean} scored whether the scores tell anything
 */
function side(seat, { winner, scores }, names, scored) {
  const outcome = winner === null ? null : winner === seat ? "won" : "lost";
  return h(
    "div",
    { class: "versus__side", "data-result": outcome },
    h("p", { class: "versus__name" }, names[seat]),
    scored ? h("p", { class: "versus__score" }, number(scores[seat])) : null,
  );
}

/** @param {boolean} scored */
function between(scored) {
  return h("span", { class: "versus__between" }, scored ? "to" : "vs");
}
