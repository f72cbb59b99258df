// @ts-check
/* What commentators said of a match, beside its replay: each comment stands at the step during which
   it was said. */

import { fill, h, Room, write } from "./dom.js";

/**
 * The comment that stands at a step: the latest one that had been said by then; -1 where none had.
 * @param {Pick<Api.Comment, "step">[]} comments in their order
 * @param {number} step
 */
export function standsAt(comments, step) {
  return comments.findLastIndex((comment) => (comment.step ?? 0) <= step);
}

export class Commentary {
  /**
   * `go` shows a step.
   * @param {HTMLElement} root
   * @param {Api.Comment[]} comments
   * @param {(step: number) => void} go
   */
  constructor(root, comments, go) {
    this.comments = comments;
    const names = [...new Set(comments.map(({ name }) => name))];
    this.alone = names.length === 1;
    this.now = h("p", { class: "commentary__now", "aria-live": "polite" });
    this.lines = comments.map((comment) =>
      h(
        "li",
        {},
        h(
          "button",
          {
            type: "button",
            class: "commentary__comment",
            on: { click: () => go(comment.step ?? 0) },
          },
          h("span", { class: "log__number numbers" }, `Move ${comment.step ?? 0}`),
          h("span", {}, this.#text(comment)),
        ),
      ),
    );
    fill(
      root,
      h(
        "div",
        { class: "panel__head" },
        h(
          "h2",
          { class: "panel__title", id: "commentary-title" },
          `Commentary by ${names.join(", ")}`,
        ),
      ),
      h("div", { class: "panel__body" }, this.now),
      h(
        "details",
        { class: "disclosure commentary__desk" },
        h("summary", {}, "All comments"),
        h("ol", { class: "commentary__all" }, this.lines),
      ),
    );
    root.setAttribute("aria-labelledby", "commentary-title");
    root.hidden = false;
    // A replay that plays by itself moves nothing about.
    new Room().keep(this.now);
  }

  /**
   * Show what was said by a step; nothing of what is beyond the furthest that was shown.
   * @param {number} step
   * @param {number} seen
   */
  show(step, seen) {
    const current = standsAt(this.comments, step);
    const comment = this.comments[current];
    write(this.now, comment === undefined ? "Nothing has been said yet." : this.#text(comment));
    this.lines.forEach((line, index) => {
      line.hidden = (this.comments[index].step ?? 0) > seen;
      if (index === current) line.setAttribute("aria-current", "step");
      else line.removeAttribute("aria-current");
    });
  }

  /** @param {Api.Comment} comment */
  #text({ name, text }) {
    return this.alone ? text : `${name}: ${text}`;
  }
}
