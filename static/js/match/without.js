// @ts-check
/* A way on for whose number is in a browser that they cannot come by any more, while a match at an hour a
   turn or more waits for it: a button, and what it asks first. */

import { goesOn } from "./asking.js";
import { h } from "./dom.js";

const QUESTION = {
  title: "Begin without your number?",
  words:
    "This browser does not have the number that was added for you to what is drawn. If you begin without it, a stated constant stands for it: that cannot be taken back, and the log says so. Once nothing of your opponent’s is awaited, the match begins at once.",
  verb: "Begin without my number",
};

/**
 * Whether a match waits for a number of the reader's that this browser (`own`: what its own hashes to) does
 * not have, as far as anybody here knows: they may begin without it.
 * @param {Live.View} view
 * @param {Seat | null} you
 * @param {string | undefined} own
 * @param {boolean} mayCommit whether this browser may still commit to its own in its place
 */
export function hasLostNumber({ phase, waiting, draws }, you, own, mayCommit) {
  if (you === null || phase !== "waiting" || waiting?.gathers_until === undefined) return false;
  const stands = draws?.nonces[you];
  if (!stands?.commitment || stands.opened || stands.commitment === own) return false;
  if (waiting.without?.[you]) return false;
  return waiting.opens_until !== undefined || !mayCommit;
}

/**
 * Begin without the number that stands for the reader's seat. Resolves to why not, in a sentence, or to
 * an empty text.
 * @param {Pick<Client.MatchClient, "postReady">} client
 */
export async function beginWithout(client) {
  try {
    const answer = await client.postReady({ without: true });
    if (answer.ok) return "";
    const told = /** @type {{sentence?: string}} */ (await answer.json().catch(() => ({})));
    return told.sentence ?? "The server refused this.";
  } catch {
    return "The server cannot be reached.";
  }
}

export class Without {
  /**
   * @param {HTMLElement} root
   * @param {HTMLElement} line after which it stands
   * @param {Client.MatchClient} client
   */
  constructor(root, line, client) {
    this.root = root;
    this.client = client;
    const button = h(
      "button",
      { type: "button", class: "button button--small", on: { click: () => void this.#ask() } },
      QUESTION.verb,
    );
    this.row = h("p", { class: "button-row", data: { part: "without" }, hidden: true }, button);
    line.after(this.row);
  }

  /**
   * @param {Pick<Client.State, "view" | "you">} state
   * @param {string | undefined} own what this browser's own number hashes to
   */
  update({ view, you }, own) {
    this.row.hidden = !hasLostNumber(view, you, own, this.client.nonce?.mayCommit ?? false);
  }

  async #ask() {
    if (!(await goesOn(this.root, QUESTION))) return;
    const why = await beginWithout(this.client);
    if (!why) return;
    const { toast } = await import("../site.js"); // which every page has
    toast(why, { kind: "danger" });
  }
}
