// @ts-check
/* A lesson: one step after the other on the ruleset's own board. Each answer is judged by the server,
   which keeps nothing of it. */

import { announce, toast } from "../site.js";
import { whyNot } from "../match/answers.js";
import { goesOn } from "../match/asking.js";
import { embedded, fill, find, h, scrolling, write } from "../match/dom.js";
import { openDecision } from "../match/words.js";
import { keepTaken, takenOf } from "./taken.js";

/**
 * @typedef {{number: number, title: string, words: string, hint: string, solution: string,
 *   view: Live.View<never>}} LessonStep
 * @typedef {{header: Live.Header, you: Seat, steps: LessonStep[]}} Lesson
 * @typedef {{reached: boolean, sentence: string, text: string, events: Live.LogEvent[],
 *   view: Live.View<never>}} Judged
 */

class LessonPage {
  at = 0; // the step that is being taken, from 0
  /** @type {Set<number>} */
  taken; // the numbers of those that have been
  drafted = ""; // what the board previews
  typed = false; // what stands in the field was typed
  /** @type {string | null} */
  pending = null; // what is being judged
  /** @type {Judged | null} */
  judged = null; // what has come of it
  /** @type {Client.Refusal | null} */
  refusal = null;
  /** @type {HTMLElement | undefined} */
  refused; // what the board will not do, as it is said
  /** @type {Boards.Board<never> | null} */
  board = null;
  /** @type {Partial<Boards.Module<never>>} */
  ruleset = {};

  /**
   * @param {HTMLElement} root
   * @param {Lesson} lesson
   */
  constructor(root, lesson) {
    this.root = root;
    this.lesson = lesson;
    this.names = lesson.header.seats.map(({ name }) => name);
    this.game = `${lesson.header.ruleset}/${lesson.header.variant}`;
    this.taken = new Set(takenOf(this.game)?.steps);
    /** @param {string} name */
    const part = (name) => find(root, `[data-part="${name}"]`);
    this.parts = {
      steps: part("steps"),
      title: part("title"),
      words: part("words"),
      hint: /** @type {HTMLButtonElement} */ (part("hint")),
      show: /** @type {HTMLButtonElement} */ (part("show")),
      hinted: part("hinted"),
      board: part("board"),
      told: part("told"),
      verdict: part("verdict"),
      sentence: part("sentence"),
      on: /** @type {HTMLButtonElement} */ (part("on")),
      note: part("note"),
      end: part("end"),
      notation: /** @type {HTMLFormElement} */ (part("notation")),
      dock: part("dock"),
      keys: part("keys"),
    };
    this.input = /** @type {HTMLInputElement} */ (find(this.parts.notation, "input"));
  }

  async start() {
    const { parts } = this;
    parts.hint.addEventListener("click", () => this.#hint());
    parts.show.addEventListener("click", () => this.#show());
    parts.on.addEventListener("click", () => this.#goOn());
    this.input.addEventListener("input", () => {
      this.typed = this.input.value !== "";
      this.#note("");
    });
    parts.notation.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = this.input.value.trim();
      if (text !== "") void this.#submitTyped(text);
    });
    const asked = Number(/^#step-(\d+)$/.exec(location.hash)?.[1] ?? 1);
    this.at = Math.min(Math.max(asked, 1), this.lesson.steps.length) - 1;
    try {
      const ruleset = /** @type {Boards.Module} */ (await import(this.root.dataset.board ?? ""));
      this.ruleset = ruleset;
      this.#mount();
      this.#drawKeys(ruleset.keys);
    } catch (error) {
      // Typed answers still work.
      console.error(error);
      this.#note("The board could not be loaded. You can still type your moves.");
    }
    this.#draw();
  }

  get step() {
    return this.lesson.steps[this.at];
  }

  /* A board of its own for each step: nothing of the last one is left on it. */
  #mount() {
    this.board?.destroy();
    this.board =
      this.ruleset.mount?.(fill(this.parts.board), {
        submit: (text) => {
          void this.#submit(text);
          return null;
        },
        announce: (text) => announce(text, { about: "board" }),
        refuse: (text) => this.#warn(text),
        draft: (text) => this.#draft(text),
        dock: this.parts.dock,
      }) ?? null;
  }

  // -- what the learner does --------------------------------------------------------------------

  #hint() {
    const { hinted } = this.parts;
    hinted.hidden = false;
    write(hinted, this.step.hint);
  }

  /* It is confirmed by the learner, or typed where no board can show it. */
  #show() {
    const { solution } = this.step;
    this.#note("");
    if (this.board?.preview?.(solution)) {
      this.parts.board.scrollIntoView({ block: "nearest", behavior: scrolling() });
      announce(`This is one way: ${solution}. Confirm it below the board.`);
      return;
    }
    this.input.value = solution;
    this.typed = true;
    this.input.focus();
    announce(`This is one way: ${solution}. Submit it.`);
  }

  /** @param {string} text */
  #draft(text) {
    if (text === this.drafted) return;
    this.drafted = text;
    if (text !== "") this.#forgive();
    if (!this.typed) this.input.value = text;
  }

  /**
   * What the board will not do, said once: where it is confirmed, or else in a corner.
   * @param {string} text
   */
  #warn(text) {
    this.refused?.remove();
    const bars = [...this.root.querySelectorAll(".confirm")];
    if (bars.some((bar) => bar.checkVisibility() && bar.textContent.includes(text))) {
      announce(text, { about: "board" });
    } else this.refused = toast(text, { kind: "danger", seconds: 6 });
  }

  /* What was refused is not to be read beside what is tried next. */
  #forgive() {
    this.refused?.remove();
    this.refusal = null;
    this.#note("");
  }

  /** @param {string} text */
  async #submitTyped(text) {
    const words = this.board?.caution?.(text) ?? "";
    const question = { title: "Submit this?", words, verb: "Submit it" };
    if (words !== "" && !(await goesOn(this.root, question))) return;
    await this.#submit(text);
  }

  /** @param {string} text */
  async #submit(text) {
    if (this.pending !== null || this.judged !== null) return;
    this.#forgive();
    this.pending = text;
    this.#draw();
    const { number } = this.step;
    try {
      const query = new URLSearchParams({ text }).toString();
      const answer = await fetch(`${this.root.dataset.answers}${number}/?${query}`, {
        headers: { Accept: "application/json" },
      });
      this.pending = null;
      if (answer.ok) {
        const told = /** @type {unknown} */ (await answer.json());
        this.#told(/** @type {Judged} */ (told));
        return;
      }
      this.#refuse(await refusalOf(answer));
    } catch {
      this.pending = null;
      this.#refuse({ code: "", sentence: "The site cannot be reached just now.", squares: [] });
    }
  }

  /** @param {Client.Refusal} refusal */
  #refuse(refusal) {
    this.refusal = refusal;
    this.#draw();
    this.#note(refusal.sentence);
    this.parts.note.scrollIntoView({ block: "nearest", behavior: scrolling() });
  }

  /** @param {Judged} judged */
  #told(judged) {
    this.judged = judged;
    this.typed = false;
    if (judged.reached) {
      this.taken.add(this.step.number);
      keepTaken(this.game, { steps: [...this.taken], of: this.lesson.steps.length });
    }
    const where = this.board?.ghosts?.(judged.text)[0]?.svg;
    this.#draw();
    this.parts.on.focus({ preventScroll: true });
    if (where !== undefined) this.#uncover(where);
  }

  /**
   * Bring what an answer lies on out from below the panel that says what has come of it.
   * @param {SVGSVGElement} drawing
   */
  #uncover(drawing) {
    const { told } = this.parts;
    if (getComputedStyle(told).position !== "fixed") return;
    const hidden = drawing.getBoundingClientRect().bottom - told.getBoundingClientRect().top;
    if (hidden > 0) scrollBy({ top: hidden + 8, behavior: scrolling() });
  }

  #goOn() {
    const done = this.judged?.reached ?? false;
    if (done && this.at + 1 === this.lesson.steps.length) {
      this.parts.end.hidden = false;
      this.parts.told.hidden = true;
      this.parts.end.focus({ preventScroll: true });
      this.parts.end.scrollIntoView({ block: "nearest", behavior: scrolling() });
      return;
    }
    this.#goTo(done ? this.at + 1 : this.at);
  }

  /** @param {number} at */
  #goTo(at) {
    if (this.pending !== null) return; // what is being judged belongs to this step
    const same = at === this.at;
    this.at = at;
    this.judged = null;
    this.drafted = "";
    this.typed = false;
    this.input.value = "";
    this.#forgive();
    if (!same) {
      history.replaceState(null, "", `#step-${at + 1}`);
      this.parts.hinted.hidden = true;
    }
    this.#mount();
    this.#draw();
    if (same) {
      this.parts.board.scrollIntoView({ block: "nearest", behavior: scrolling() });
      this.board?.focus();
    } else {
      scrollTo({ top: 0, behavior: "instant" });
      this.parts.title.focus({ preventScroll: true });
    }
  }

  // -- drawing ----------------------------------------------------------------------------------

  #draw() {
    const { parts, step, judged, lesson } = this;
    this.root.dataset.phase = "on";
    write(parts.title, step.title);
    write(parts.words, step.words);
    this.#drawSteps();
    const open = judged === null && this.pending === null;
    for (const each of [parts.hint, parts.show]) each.disabled = !open;
    this.input.disabled = !open;
    find(parts.notation, "button").toggleAttribute("disabled", !open);
    parts.notation.hidden = judged !== null;
    const view = judged?.view ?? step.view;
    const decision = judged === null ? openDecision(view, lesson.you) : null;
    this.input.placeholder = this.ruleset.examples?.[decision?.kind ?? ""] ?? "";
    this.board?.update(view, {
      you: lesson.you,
      header: lesson.header,
      names: this.names,
      decision,
      paused: false,
      pending: this.pending,
      refusal: this.refusal,
    });
    this.#drawTold();
  }

  #drawTold() {
    const { told, verdict, sentence, on, end } = this.parts;
    const { judged } = this;
    end.hidden = true;
    told.hidden = judged === null;
    if (judged === null) return;
    const last = this.at + 1 === this.lesson.steps.length;
    told.classList.toggle("alert--success", judged.reached);
    told.classList.toggle("alert--warning", !judged.reached);
    write(verdict, judged.reached ? "Well done." : "Not quite.");
    write(sentence, judged.sentence);
    write(on, !judged.reached ? "Try again" : last ? "Finish" : "Next step");
  }

  #drawSteps() {
    const { steps } = this.lesson;
    const buttons = steps.map(({ title, number }, at) =>
      h(
        "button",
        {
          type: "button",
          class: "lesson__step",
          data: { done: String(this.taken.has(number)) },
          "aria-current": at === this.at ? "step" : null,
          "aria-label": `Step ${number} of ${steps.length}: ${title}${this.taken.has(number) ? ", taken" : ""}`,
          on: { click: () => this.#goTo(at) },
        },
        String(at + 1),
      ),
    );
    fill(this.parts.steps, ...buttons);
  }

  /** @param {string} text */
  #note(text) {
    const { note } = this.parts;
    write(find(note, ".alert__body"), text);
    note.hidden = text === "";
    this.input.setAttribute("aria-invalid", String(text !== ""));
  }

  /** @param {Boards.Module["keys"]} keys */
  #drawKeys(keys) {
    const lines = keys.map(([names, words]) =>
      h(
        "li",
        {},
        names.map((name) => [h("kbd", {}, name), " "]),
        words,
      ),
    );
    fill(find(this.parts.keys, "ul"), ...lines);
    this.parts.keys.hidden = false;
  }
}

/**
 * Why an answer was refused, with the squares that it is about.
 * @param {Response} answer
 * @returns {Promise<Client.Refusal>}
 */
async function refusalOf(answer) {
  const again = answer.clone();
  const sentence = await whyNot(answer);
  const told = /** @type {unknown} */ (await again.json().catch(() => ({})));
  const { code = "", squares = [] } = /** @type {Partial<Client.Refusal>} */ (told);
  return { code, sentence, squares };
}

const root = document.getElementById("lesson");
const lesson = /** @type {Lesson | null} */ (embedded("lesson-data"));
if (root !== null && lesson !== null) void new LessonPage(root, lesson).start();
