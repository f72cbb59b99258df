// @ts-check
/* What people say of the positions of a match. It is asked for again whenever the page is looked at. */

import { csrfToken } from "../site.js";
import { AGAIN, whyNot } from "../match/answers.js";
import { chatLine } from "../match/chat.js";
import { fill, find, h, icon, write } from "../match/dom.js";
import { phrasesOfPage, whyFolded } from "../match/phrases.js";
import { addressOf, eyesOf } from "./address.js";

/** @typedef {import("./address.js").Place} Place */

const ELSEWHERE = { target: "_blank", rel: "noopener" };

export class Comments {
  /**
   * @param {HTMLElement} root
   * @param {{url: string, you: Seat | null, go: (place: Place) => void}} tools
   */
  constructor(root, tools) {
    this.root = root;
    this.tools = tools;
    /** @type {Place} */
    this.place = { at: 0, line: "" };
    /** @type {Api.StudyComment[]} */
    this.comments = [];
    this.ready = new Set(phrasesOfPage().map(({ text }) => text));
    this.blocked = new Set((root.dataset.blocked ?? "").split(",").filter(Boolean));
    this.lines = h("ol", { class: "study__said" });
    this.note = h("p", { class: "study__note", role: "alert", hidden: true });
    this.input = h("input", {
      class: "input",
      type: "text",
      maxlength: "500",
      autocomplete: "off",
      "aria-label": "What to say of this position",
    });
    this.label = h("span", {});
    this.signIn = h("a", {}, "Sign in");
    const { silenced } = root.dataset;
    fill(
      find(root, ".panel__body"),
      this.lines,
      "writes" in root.dataset
        ? silenced
          ? h("p", { class: "small muted" }, silenced)
          : h(
              "form",
              { class: "study__say", on: { submit: (event) => void this.#say(event) } },
              this.input,
              h("button", { class: "button button--small" }, this.label),
            )
        : h("p", { class: "small muted" }, this.signIn, " to comment."),
      this.note,
    );
    find(root, ".panel__head").append(
      h(
        "button",
        {
          type: "button",
          class: "button button--quiet button--small",
          on: { click: () => void this.load() },
        },
        icon("rotate"),
        "Reload",
      ),
    );
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") void this.load();
    });
    this.show(this.place);
    void this.load();
  }

  /** Ask for what has been said by now. */
  async load() {
    try {
      const answer = await fetch(this.tools.url, { headers: { Accept: "application/json" } });
      if (!answer.ok) return;
      const told = /** @type {unknown} */ (await answer.json());
      this.comments = /** @type {Api.StudyComments} */ (told).comments;
      this.#draw();
    } catch {
      // What is there stays.
    }
  }

  /**
   * Of which position is spoken now.
   * @param {Place} place
   */
  show(place) {
    this.place = place;
    write(
      this.label,
      place.line === "" ? `Say it of move ${place.at}` : "Say it of this variation",
    );
    const { pathname, search } = new URL(addressOf(location.href, place, eyesOf(location.href)));
    this.signIn.href = `/accounts/login/?next=${encodeURIComponent(pathname + search)}`;
    this.#mark();
  }

  #mark() {
    const { at, line: variation } = this.place;
    for (const line of /** @type {Iterable<HTMLElement>} */ (this.lines.children)) {
      const current = line.dataset.step === String(at) && line.dataset.line === variation;
      if (current) line.setAttribute("aria-current", "step");
      else line.removeAttribute("aria-current");
    }
  }

  #draw() {
    const inOrder = this.comments.toSorted((a, b) => a.step - b.step || a.id - b.id);
    fill(
      this.lines,
      inOrder.map((said) =>
        h(
          "li",
          { "data-step": said.step, "data-line": said.line },
          h(
            "button",
            {
              type: "button",
              class: "study__of",
              on: { click: () => this.tools.go({ at: said.step, line: said.line }) },
            },
            said.line === "" ? `Move ${said.step}` : `Variation from move ${said.step}`,
          ),
          chatLine(
            /** @type {Live.Message} */ (said),
            this.#more(said),
            whyFolded(
              said,
              {
                username: this.root.dataset.username ?? "",
                plays: this.tools.you !== null,
                blocked: this.blocked,
                muted: false,
                phrasesOnly: "phrasesOnly" in this.root.dataset,
              },
              this.ready,
            ),
          ),
        ),
      ),
    );
    if (inOrder.length === 0) {
      this.lines.append(h("li", { class: "muted small" }, "Nothing has been said yet."));
    }
    this.#mark();
  }

  /** @param {Api.StudyComment} said */
  #more({ id, name, username }) {
    const { report, remove } = this.root.dataset;
    const own = username === this.root.dataset.username;
    const links = [
      report && !own ? h("a", { href: `${report}${id}/`, ...ELSEWHERE }, "Report") : null,
      remove ? h("a", { href: `${remove}${id}/remove/`, ...ELSEWHERE }, "Take away") : null,
    ].filter((link) => link !== null);
    if (links.length === 0) return null;
    return h(
      "details",
      { class: "chat__more" },
      h("summary", { "aria-label": `More about this comment of ${name}` }, "⋯"),
      h("span", { class: "chat__actions" }, ...links),
    );
  }

  /** @param {Event} event */
  async #say(event) {
    event.preventDefault();
    const text = this.input.value.trim();
    if (text === "") return;
    let why = AGAIN;
    try {
      const answer = await fetch(this.tools.url, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          Accept: "application/json",
          "X-CSRFToken": csrfToken(),
        },
        body: JSON.stringify({
          id: crypto.randomUUID?.() ?? `said-${Date.now()}`,
          step: this.place.at,
          line: this.place.line,
          text,
        }),
      });
      why = answer.ok ? "" : await whyNot(answer);
    } catch {
      // The words stay in the field.
    }
    write(this.note, why);
    this.note.hidden = why === "";
    if (why !== "") return;
    this.input.value = "";
    await this.load();
  }
}
