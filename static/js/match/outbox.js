// @ts-check
/* What the reader has said and the server has not yet answered.

   An entry is *sending* from the moment it is made until its ack or its refusal arrives, and it is
   kept in the tab's storage, so that a reloaded or restored tab sends it again under the same id
   and learns what became of it. The server counts an id once; sending again is always safe. */

const ID_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

/**
 * A new id of 20 characters out of the alphabet that the protocol allows.
 * @param {(bytes: Uint8Array<ArrayBuffer>) => Uint8Array} [random]
 */
export function newId(random = (bytes) => crypto.getRandomValues(bytes)) {
  const bytes = random(new Uint8Array(20));
  return Array.from(bytes, (byte) => ID_LETTERS[byte % ID_LETTERS.length]).join("");
}

/**
 * The outbox of one match in one tab. `storage` is a Storage or null (private modes may refuse
 * it; then entries live as long as the page).
 *
 * An entry is `{id, type, body, made, tries, sent}`: `type` is `submit`, `organise` or `chat`,
 * `body` the frame's other keys, `made` and `sent` instants of this computer's clock, `sent` null
 * while it has not been handed to the present connection.
 */
export class Outbox {
  /**
   * @param {{storage: Client.KeptStorage | null, key: string, now?: () => number, makeId?: () => string}} options
   */
  constructor({ storage, key, now = () => Date.now(), makeId = () => newId() }) {
    this.storage = storage;
    this.key = key;
    this.now = now;
    this.makeId = makeId;
    this.entries = this.#stored();
  }

  /**
   * Make an entry. It is stored before anything is sent.
   * @param {Client.Posted} type
   * @param {Client.Body} body
   * @param {string} [id] where several tabs may say it and it is to count once
   * @returns {Client.Entry}
   */
  add(type, body, id = this.makeId()) {
    const entry = { id, type, body, made: this.now(), tries: 0, sent: null };
    this.entries.push(entry);
    this.#store();
    return entry;
  }

  /**
   * The frame of an entry, as the protocol has it.
   * @param {Client.Entry} entry
   */
  static frame(entry) {
    return { type: entry.type, id: entry.id, ...entry.body };
  }

  /**
   * The first unanswered entry of a type, or null.
   * @param {Client.Posted} type
   * @returns {Client.Entry | null}
   */
  waiting(type) {
    return this.entries.find((entry) => entry.type === type) ?? null;
  }

  /**
   * Entries to send now: never sent on this connection, or unanswered for `patience` ms.
   * @param {number} [patience]
   */
  due(patience = Infinity) {
    const now = this.now();
    return this.entries.filter((entry) => entry.sent === null || now - entry.sent >= patience);
  }

  /**
   * Note that an entry has been handed to the connection.
   * @param {Client.Entry} entry
   */
  wasSent(entry) {
    entry.sent = this.now();
    entry.tries += 1;
    this.#store();
  }

  /** The connection is gone: everything unanswered must be sent again. */
  connectionLost() {
    for (const entry of this.entries) entry.sent = null;
  }

  /**
   * The entry that an answer is about is done with; gives it back, or null if it is not ours.
   * @param {string | null} id
   * @returns {Client.Entry | null}
   */
  settle(id) {
    const index = this.entries.findIndex((entry) => entry.id === id);
    if (index < 0) return null;
    const [entry] = this.entries.splice(index, 1);
    this.#store();
    return entry;
  }

  /** @returns {Client.Entry[]} */
  #stored() {
    try {
      const entries = /** @type {unknown} */ (JSON.parse(this.storage?.getItem(this.key) ?? "[]"));
      if (!Array.isArray(entries)) return [];
      return entries.filter(isEntry).map((entry) => ({ ...entry, sent: null }));
    } catch {
      return [];
    }
  }

  #store() {
    try {
      if (this.entries.length === 0) this.storage?.removeItem(this.key);
      else this.storage?.setItem(this.key, JSON.stringify(this.entries));
    } catch {
      // Storage is full or forbidden: the entry is still sent from memory.
    }
  }
}

/**
 * @param {unknown} entry
 * @returns {entry is Client.Entry}
 */
function isEntry(entry) {
  return (
    typeof entry === "object" &&
    entry !== null &&
    "id" in entry &&
    "type" in entry &&
    "body" in entry &&
    typeof entry.id === "string" &&
    typeof entry.type === "string" &&
    typeof entry.body === "object" &&
    entry.body !== null
  );
}
