// @ts-check
/* What was done, step by step, so that it can be undone and done again. */

const AT_MOST = 200;

/** Texts in the order in which they came to be, and at which of them one is. */
export class History {
  /** @param {string} first */
  constructor(first) {
    /** @type {string[]} */
    this.steps = [first];
    this.at = 0;
  }

  /** Whether there is anything to undo. */
  get back() {
    return this.at > 0;
  }

  /** Whether there is anything to do again. */
  get forward() {
    return this.at < this.steps.length - 1;
  }

  /**
   * Something was done: what had been undone is gone.
   * @param {string} text
   */
  add(text) {
    if (text === this.steps[this.at]) return;
    this.steps = [...this.steps.slice(0, this.at + 1), text].slice(-AT_MOST);
    this.at = this.steps.length - 1;
  }

  /** One step back; null where there is none. */
  undo() {
    if (!this.back) return null;
    this.at -= 1;
    return this.steps[this.at];
  }

  /** One step on; null where there is none. */
  redo() {
    if (!this.forward) return null;
    this.at += 1;
    return this.steps[this.at];
  }
}
