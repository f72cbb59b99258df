// @ts-check
/* Moves that a player keeps for themselves, by ruleset: nobody else ever sees them. */

import { csrfToken } from "../site.js";

export class SavedMoves {
  /**
   * @param {string} ruleset
   * @param {{fetch?: typeof fetch}} [tools]
   */
  constructor(ruleset, { fetch: send = (...call) => fetch(...call) } = {}) {
    this.address = `/api/v1/saved/${ruleset}/`;
    this.send = send;
  }

  /**
   * What is kept, by name: a list of `{id, name, text}`.
   * @returns {Promise<Api.SavedMove[]>}
   */
  list() {
    return this.#ask(this.address);
  }

  /**
   * Keep a move under a name, in place of what had that name. Gives it as it is kept now.
   * @param {string} name
   * @param {string} text
   * @returns {Promise<Api.SavedMove>}
   */
  save(name, text) {
    return this.#ask(this.address, { method: "POST", body: JSON.stringify({ name, text }) });
  }

  /**
   * Forget one.
   * @param {number} id
   * @returns {Promise<null>}
   */
  remove(id) {
    return this.#ask(`${this.address}${id}/`, { method: "DELETE" });
  }

  /**
   * Fails with an Error whose message is a sentence for the player.
   * @template Answer
   * @param {string} address
   * @param {RequestInit} [options]
   * @returns {Promise<Answer>}
   */
  async #ask(address, options = {}) {
    let answer;
    try {
      answer = await this.send(address, {
        ...options,
        credentials: "same-origin",
        headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken() },
      });
    } catch {
      throw new Error("The server could not be reached.");
    }
    if (answer.status === 204) return /** @type {Answer} */ (null);
    const body = /** @type {unknown} */ (await answer.json().catch(() => null));
    if (answer.ok) return /** @type {Answer} */ (body);
    const problem = /** @type {Partial<Api.Problem> | null} */ (body);
    throw new Error(problem?.sentence ?? "That did not work.");
  }
}
