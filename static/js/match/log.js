// @ts-check
/* The log of a match: what happened, one line an event. */

import { fill, h, timeOfDay } from "./dom.js";
import { eventText } from "./words.js";

export class LogList {
  /**
   * `root` is an ordered list; `tagsOf(event)` are the ruleset's marks beside an event.
   * @param {Element} root
   */
  constructor(root) {
    this.root = root;
    this.names = ["", ""];
    /** @type {(event: Live.LogEvent) => Boards.Tag[]} */
    this.tagsOf = () => [];
  }

  /**
   * Show a whole log, wherever in it one is.
   * @param {Live.LogItem[]} log
   */
  replace(log) {
    fill(
      this.root,
      log.map((item) => this.#lines(item)),
    );
    if (log.length === 0) {
      fill(this.root, h("li", { class: "log__note" }, "Nothing has happened yet."));
    }
  }

  /**
   * Add what is new; stays where the reader is unless that was the end.
   * @param {Live.LogItem[]} items
   */
  append(items) {
    const atEnd = this.root.scrollHeight - this.root.scrollTop - this.root.clientHeight < 40;
    this.root.querySelector(".log__note:only-child")?.remove();
    this.root.append(...items.flatMap((item) => this.#lines(item)));
    if (atEnd) this.toEnd();
  }

  /** @param {Live.LogItem} item */
  #lines(item) {
    return item.events.map((event, index) =>
      logLine(item, event, index === 0, this.names, this.tagsOf(event)),
    );
  }

  /** Go to the end, once all of the page is drawn: it has to be laid out for that. */
  toEnd() {
    this.root.scrollTop = this.root.scrollHeight;
  }
}

/**
 * One line of a log. `numbered` shows the item's number: only its first line does.
 * @param {Live.LogItem} item
 * @param {Live.LogEvent} event
 * @param {boolean} numbered
 * @param {string[]} names
 * @param {Boards.Tag[]} tags
 */
export function logLine(item, event, numbered, names, tags) {
  const at = item.at ? timeOfDay(item.at) : null;
  return h(
    "li",
    {
      class: `log__item${item.taken_back ? " log__item--undone" : ""}`,
      "data-seat": event.kind === "organiser" ? null : event.seat,
      "data-kind": event.kind,
      title: at,
    },
    h("span", { class: "log__number", "aria-hidden": "true" }, numbered ? String(item.n) : ""),
    h(
      "span",
      { class: "log__text" },
      eventText(event, names),
      item.taken_back ? h("span", { class: "visually-hidden" }, " (taken back)") : null,
    ),
    h("span", { class: "log__tags" }, tags.map(tagOf)),
  );
}

/**
 * A mark beside an event.
 * @param {Boards.Tag} tag
 */
export function tagOf({ text, title, kind }) {
  return h(
    "span",
    { class: `tag${kind === "letter" ? " tag--letter tag--accent" : ""}`, title },
    text,
  );
}
