// @ts-check
/* The replay of a finished match: every position, out of the data in the page. The address always
   names the move that is shown (`?move=12`), so that it can be copied and shared. A page that was made
   without the result (`?result=hidden`) has the steps so far alone; the others are asked for here, and
   shown as far as the reader has come.

   Long, since this is where the parts of the page meet, which know nothing of each other. */

import { rememberHere, toast } from "../site.js";
import { seatBadge } from "../boards/kit.js";
import { drawLegend, lastScored } from "../boards/scoring.js";
import { elementOf, embedded, fill, find, h, icon, motion, Room, write } from "./dom.js";
import { tagOf } from "./log.js";
import { eventText, namesOf, number, resultText } from "./words.js";

const PER_MOVE = 1200; // ms while playing by itself
const REAL = 0.2; // of the time that a decision took, where it is played as in the match
const LEAST = 350; // ms of a move then
const MOST = 10_000;
const AGAIN = 2; // a clip's last move stays so many times as long, before it begins again
const SPEEDS = ["0.5", "1", "2", "4", "real"];

/**
 * How long a move stays before the next one, in ms: by speed, or as long as what comes took, five times
 * as fast and no longer than ten seconds.
 * @param {string} speed one of `SPEEDS`
 * @param {number | null} seconds what the next decision took
 */
export function pauseOf(speed, seconds) {
  if (speed !== "real") return PER_MOVE / Number(speed);
  return Math.min(Math.max((seconds ?? 0) * 1000 * REAL, LEAST), MOST);
}

/**
 * The move that an address asks for: `?move=12` or `#move=12`; the last one where it is beyond.
 * @param {string} address
 * @param {number} last
 */
export function moveOf(address, last) {
  const url = new URL(address);
  const asked = url.searchParams.get("move") ?? new URLSearchParams(url.hash.slice(1)).get("move");
  const move = Number.parseInt(asked ?? "", 10);
  if (Number.isNaN(move)) return null;
  return Math.min(Math.max(move, 0), last);
}

/**
 * The address of a move of this replay.
 * @param {string} address
 * @param {number} move
 */
export function addressOf(address, move) {
  const url = new URL(address);
  url.hash = "";
  url.searchParams.set("move", String(move));
  return url.href;
}

/**
 * The stretch that has been marked, once both of its ends are.
 * @param {Partial<Replays.Stretch>} marks
 * @returns {Replays.Stretch | null}
 */
export function stretchOf({ from, to }) {
  return from === undefined || to === undefined || to <= from ? null : { from, to };
}

/**
 * The address of a stretch of this replay.
 * @param {string} address
 * @param {Replays.Stretch} clip
 */
export function clipAddress(address, { from, to }) {
  const url = new URL(address);
  url.hash = "";
  url.searchParams.delete("move");
  url.searchParams.set("from", String(from));
  url.searchParams.set("to", String(to));
  return url.href;
}

/**
 * The link to a stretch, and the address and the name of its moving picture, which shows what the
 * room saw then: the address is empty where it saw less than two positions.
 * @param {string} address
 * @param {Pick<Replays.Step, "still">[]} steps
 * @param {Replays.Stretch} clip
 * @param {string} match
 */
export function clipOf(address, steps, clip, match) {
  const seen = steps.slice(clip.from, clip.to + 1).flatMap(({ still }) => still ?? []);
  const [first, last] = [Math.min(...seen), Math.max(...seen)];
  return {
    link: clipAddress(address, clip),
    picture: last > first ? `/matches/${match}/board/${first}-${last}.gif` : "",
    name: `match-${match}-moves-${clip.from}-${clip.to}`,
  };
}

export class Replay {
  /** @type {HTMLButtonElement} */
  first;
  /** @type {HTMLButtonElement} */
  back;
  /** @type {HTMLButtonElement} */
  play;
  /** @type {HTMLButtonElement} */
  forward;
  /** @type {HTMLButtonElement} */
  end;
  /** @type {HTMLInputElement} */
  slider;
  /** @type {HTMLOutputElement} */
  count;
  /** @type {HTMLLIElement[]} */
  lines;
  /** @type {HTMLElement[]} */
  scores;
  /** @type {HTMLElement[]} */
  sides;
  /** @type {HTMLElement} */
  where;
  /** @type {HTMLSelectElement} */
  speed;
  /** @type {HTMLButtonElement} */
  linesButton;
  /** @type {HTMLElement | undefined} */
  markWords;
  /** @type {HTMLElement | undefined} */
  markActs;

  /**
   * `hidden` keeps the result, and what is beyond the moves that have been shown, until the last one;
   * `clip` is the stretch that is shown, nothing before or after it.
   * @param {HTMLElement} root
   * @param {Replays.Data} data
   * @param {Pick<Boards.Module, "render" | "scores" | "caption" | "tags" | "scored" | "hands">} ruleset
   * @param {{hidden?: boolean, clip?: Replays.Stretch | null}} [more]
   */
  constructor(root, data, ruleset, { hidden = false, clip = null } = {}) {
    this.root = root;
    this.steps = data.steps;
    this.names = namesOf(data.header);
    this.ruleset = ruleset;
    this.you = data.you;
    this.at = -1;
    this.hidden = hidden;
    this.clip = clip;
    /** @type {Partial<Replays.Stretch>} */
    this.marks = {}; // what is to become a clip
    this.seen = 0; // the furthest move that has been shown
    /** @type {import("./commentary.js").Commentary | null} */
    this.commentary = null;
    this.showsLines = kept("replay-lines", "on") === "on";
    /** @type {ReturnType<typeof setTimeout> | null} */
    this.timer = null;
    /** @type {Map<number, Element>} */
    this.pictures = new Map();
    /** @param {string} name */
    const part = (name) => find(root, `[data-part="${name}"]`);
    this.parts = {
      result: part("result"),
      players: part("players"),
      board: part("board"),
      caption: part("caption"),
      controls: part("controls"),
      moves: part("moves"),
      scored: part("scored"),
      hands: part("hands"),
      tools: part("tools"),
      picture: /** @type {HTMLElement | null} */ (root.querySelector('[data-part="picture"]')),
      marks: /** @type {HTMLElement | null} */ (root.querySelector('[data-part="marks"]')),
    };
    this.#buildControls();
    this.#buildTools();
    this.#buildMarks();
    this.#buildMoves();
    this.#buildPlayers();
    if (!hidden && this.stop === this.last) this.#tellResult();
    // A replay that plays by itself moves nothing about.
    const { players, board, caption, hands } = this.parts;
    new Room().keep(players, board, caption, hands);
    for (const link of root.querySelectorAll("[data-result]")) {
      link.addEventListener("click", (event) => this.#wish(event, link));
    }
    document.addEventListener("keydown", (event) => this.#key(event));
    addEventListener("popstate", () =>
      this.go(moveOf(location.href, this.last) ?? 0, { record: false }),
    );
    addEventListener("hashchange", () =>
      this.go(moveOf(location.href, this.last) ?? 0, { record: false }),
    );
  }

  get last() {
    return this.steps.length - 1;
  }

  /* Between which moves it goes back and on: all of them, or those of the clip. */
  get begin() {
    return this.clip?.from ?? 0;
  }

  get stop() {
    return this.clip?.to ?? this.last;
  }

  /**
   * Show a move; the address follows unless it was the address that asked.
   * @param {number} move
   * @param {{record?: boolean}} [more]
   */
  go(move, { record = true } = {}) {
    const to = Math.min(Math.max(move, this.begin), this.stop);
    if (to === this.at) return;
    this.at = to;
    this.seen = Math.max(this.seen, to);
    if (this.hidden && to === this.last) this.reveal();
    const step = this.steps[to];
    fill(this.parts.board, this.#picture(to));
    write(this.parts.caption, this.#caption(step));
    this.#drawScored(step);
    this.#drawHands(step);
    this.#drawLink(step);
    this.#drawControls();
    this.#drawMoves();
    this.#drawPlayers(step);
    this.commentary?.show(to, this.hidden ? this.seen : this.last);
    if (record) history.replaceState(null, "", addressOf(location.href, to));
  }

  /** Play on by itself, or stop. */
  toggle() {
    if (this.timer !== null) {
      this.#halt();
      return;
    }
    if (this.at === this.stop) this.go(this.begin);
    // What begins again and again is not to be read out each time.
    if (this.clip !== null) this.parts.caption.setAttribute("aria-live", "off");
    this.#playOn();
    this.#drawControls();
  }

  #playOn() {
    const again = this.clip !== null && this.at === this.stop;
    const { t = null } = this.steps[again ? this.begin : this.at + 1] ?? {};
    this.timer = setTimeout(
      () => {
        // The address of a clip stays what it is.
        this.go(again ? this.begin : this.at + 1, { record: this.clip === null });
        if (this.clip === null && this.at === this.last) this.#halt();
        else this.#playOn();
      },
      (again ? AGAIN : 1) * pauseOf(this.speed.value, t),
    );
  }

  /** Tell how the match ended, and all that was kept until then. */
  reveal() {
    if (!this.hidden) return;
    this.hidden = false;
    this.root.querySelector('[data-result="shown"]')?.remove();
    this.seen = this.last;
    this.#tellResult();
    this.#drawMoves();
    this.commentary?.show(this.at, this.last);
    this.#drawControls();
  }

  #tellResult() {
    const { view } = this.steps[this.last];
    const text = view.result === null ? "" : resultText(view, this.names, this.you, this.steps);
    write(this.parts.result, text);
    this.parts.result.hidden = view.result === null;
  }

  /**
   * The reader's wish to know the result or not: here at once, and of the replays to come.
   * @param {Event} event
   * @param {Element} link
   */
  #wish(event, link) {
    const wish = link.getAttribute("data-result") ?? "shown";
    rememberHere("results", wish);
    if (wish !== "shown" || !this.hidden) return;
    event.preventDefault();
    this.reveal();
    this.#drawPlayers(this.steps[this.at]);
    this.parts.result.tabIndex = -1;
    this.parts.result.focus();
  }

  /**
   * Why this step scored, as the legend of it.
   * @param {Replays.Step} step
   */
  #drawScored(step) {
    const { scored } = this.parts;
    const found = lastScored([step], (event) =>
      this.ruleset.scored?.(event, step.view, this.names),
    );
    if (found !== null) drawLegend(scored, found);
    else fill(scored, h("p", { class: "scored__title muted" }, "Nothing scored with this move."));
  }

  /** @param {Replays.Step} step */
  #drawHands(step) {
    const hands = this.ruleset.hands?.(step.view, this.names) ?? null;
    this.parts.hands.hidden = hands === null;
    fill(this.parts.hands, hands);
  }

  #halt() {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.parts.caption.setAttribute("aria-live", "polite");
    this.#drawControls();
  }

  /**
   * Pictures of the position as the room saw it then; of what it was not told there are none.
   * @param {Replays.Step} step
   */
  #drawLink(step) {
    const part = this.parts.picture;
    if (!part) return;
    const { still } = step;
    part.hidden = still === null;
    if (still === null) return;
    for (const link of part.querySelectorAll("a")) {
      link.href = link.pathname.replace(/[0-9]+(?=\.(png|svg)$)/, String(still));
    }
  }

  /**
   * Drawn when first looked at, and kept.
   * @param {number} move
   */
  #picture(move) {
    if (!this.pictures.has(move)) {
      const { view, events } = this.steps[move];
      const shown = this.showsLines ? events : [];
      this.pictures.set(move, this.ruleset.render(view, { names: this.names, events: shown }));
    }
    return this.pictures.get(move);
  }

  /** @param {Replays.Step} step */
  #caption(step) {
    const said = step.events.map((event) => eventText(event, this.names)).join(" ");
    const where = step.n === 0 ? "The beginning." : `Move ${step.n}${this.#ofAll}.`;
    const undone = step.taken_back ? " It was taken back later." : "";
    return `${where} ${said || (step.n === 0 ? "" : this.#bare(step))}${undone}`.trim();
  }

  /* How many moves there are gives away how near the end is. */
  get #ofAll() {
    return this.hidden ? "" : ` of ${this.last}`;
  }

  /**
   * A secret choice says nothing in the log until it is revealed: then the text itself stands.
   * @param {Replays.Step} step
   */
  #bare(step) {
    const who = typeof step.actor === "number" ? `${this.names[step.actor]}: ` : "";
    return `${who}${step.timeout ? "time ran out" : step.text}.`;
  }

  // -- controls -------------------------------------------------------------------------------

  #buildControls() {
    /**
     * @param {string} label
     * @param {string} sign
     * @param {() => void} act
     */
    const button = (label, sign, act) =>
      h(
        "button",
        {
          type: "button",
          class: "button button--icon",
          "aria-label": label,
          title: label,
          on: { click: act },
        },
        icon(sign),
      );
    this.first = button("First move (Home)", "first", () => this.go(this.begin));
    this.back = button("Back (←)", "chevron-left", () => this.go(this.at - 1));
    this.play = button("Play (Space)", "play", () => this.toggle());
    this.forward = button("Forward (→)", "chevron-right", () => this.go(this.at + 1));
    this.end = button("Last move (End)", "last", () => this.go(this.stop));
    this.speed = h(
      "select",
      {
        class: "input replay__speed",
        "aria-label": "Speed",
        title: "Speed (− and +)",
        on: { change: () => this.#changeSpeed() },
      },
      SPEEDS.map((speed) =>
        h("option", { value: speed }, speed === "real" ? "Real time" : `${speed}×`),
      ),
    );
    const speed = kept("replay-speed", "1");
    this.speed.value = SPEEDS.includes(speed) ? speed : "1";
    this.slider = h("input", {
      type: "range",
      class: "replay__slider",
      min: String(this.begin),
      max: String(this.stop),
      step: "1",
      value: String(this.begin),
      "aria-label": "Move",
      on: { input: () => this.go(Number(this.slider.value)) },
    });
    this.count = h("output", { class: "replay__count numbers" });
    fill(
      this.parts.controls,
      h(
        "div",
        { class: "replay__buttons", role: "group", "aria-label": "Replay" },
        this.first,
        this.back,
        this.play,
        this.forward,
        this.end,
      ),
      this.speed,
      this.slider,
      this.count,
    );
  }

  #buildTools() {
    const copy = h(
      "button",
      { type: "button", class: "button button--small", on: { click: () => void this.#copy() } },
      icon("link"),
      "Copy link",
    );
    this.linesButton = h(
      "button",
      {
        type: "button",
        class: "button button--small",
        "aria-pressed": String(this.showsLines),
        on: { click: () => this.#toggleLines() },
      },
      "Show what scored",
    );
    const share = h(
      "button",
      { type: "button", class: "button button--small", on: { click: () => void this.#share() } },
      icon("send"),
      "Share…",
    );
    share.hidden = this.#isPractice;
    fill(this.parts.tools, copy, share, this.linesButton);
  }

  /* Practice is for one's own eyes: whoever else had the link would find nothing. */
  get #isPractice() {
    return "practice" in this.root.dataset;
  }

  /* What there is to share of this moment, and the clip. Rarely wanted, so it is loaded then. */
  async #share() {
    const { openSharing } = await import("../share-dialog.js");
    const { match } = this.root.dataset;
    const clip = this.clip ?? stretchOf(this.marks);
    const whole = new URL(location.href);
    for (const name of ["from", "to"]) whole.searchParams.delete(name);
    const { still } = this.steps[this.at];
    openSharing({
      title: document.title,
      link: addressOf(whole.href, this.at),
      of: this.at === 0 ? "the beginning" : `move ${this.at}`,
      // The pictures have numbers of their own: of what the room was told, not of the moves.
      name: `match-${match}-move-${this.at}`,
      picture: still === null ? "" : `/matches/${match}/board/${still}`,
      // It tells how the match ended.
      card: this.hidden ? "" : `/matches/${match}/share.png`,
      clip:
        clip === null ? null : { ...clip, ...clipOf(whole.href, this.steps, clip, match ?? "") },
      clips: true,
    });
  }

  // -- clips ------------------------------------------------------------------------------------

  #buildMarks() {
    const { marks } = this.parts;
    if (marks === null) return;
    /**
     * @param {"from" | "to"} end
     * @param {string} words
     */
    const button = (end, words) =>
      h(
        "button",
        { type: "button", class: "button button--small", on: { click: () => this.#mark(end) } },
        words,
      );
    this.markWords = h("p", { class: "small muted", role: "status" });
    this.markActs = h("span", { class: "button-row" });
    fill(
      marks,
      h(
        "div",
        { class: "button-row", role: "group", "aria-label": "Clip" },
        button("from", "Clip starts here"),
        button("to", "Clip ends here"),
        this.markActs,
      ),
      this.markWords,
    );
    this.#drawMarks();
  }

  /**
   * Have a clip start or end with the move that is shown.
   * @param {"from" | "to"} end
   */
  #mark(end) {
    const marks = { ...this.marks, [end]: this.at };
    if (marks.from !== undefined && marks.to !== undefined && marks.to <= marks.from) {
      if (end === "to") {
        toast("A clip ends after the move with which it begins.", { seconds: 6 });
        return;
      }
      delete marks.to;
    }
    this.marks = marks;
    this.#drawMarks();
  }

  #drawMarks() {
    if (!this.markWords || !this.markActs) return;
    const { from, to } = this.marks;
    const clip = stretchOf(this.marks);
    if (clip !== null) {
      write(this.markWords, `The clip goes from move ${from} to move ${to}.`);
      fill(
        this.markActs,
        h(
          "a",
          { class: "button button--small", href: clipAddress(location.href, clip) },
          icon("play"),
          "Watch the clip",
        ),
        h(
          "button",
          {
            type: "button",
            class: "button button--small button--primary",
            hidden: this.#isPractice,
            on: { click: () => void this.#share() },
          },
          icon("send"),
          "Share the clip…",
        ),
      );
      return;
    }
    fill(this.markActs);
    write(
      this.markWords,
      from !== undefined
        ? `The clip starts with move ${from}. Go to its last move.`
        : to !== undefined
          ? `The clip ends with move ${to}. Go to its first move.`
          : "A clip is a few moves to show to others.",
    );
  }

  #toggleLines() {
    this.showsLines = !this.showsLines;
    keep("replay-lines", this.showsLines ? "on" : "off");
    this.linesButton.setAttribute("aria-pressed", String(this.showsLines));
    this.pictures.clear();
    fill(this.parts.board, this.#picture(this.at));
  }

  #changeSpeed() {
    keep("replay-speed", this.speed.value);
    if (this.timer === null) return;
    clearTimeout(this.timer);
    this.#playOn();
  }

  /** @param {number} by */
  #shiftSpeed(by) {
    const to = SPEEDS.indexOf(this.speed.value) + by;
    if (!(to in SPEEDS)) return;
    this.speed.value = SPEEDS[to];
    this.#changeSpeed();
    toast(`Speed: ${this.speed.selectedOptions[0].text}`, { seconds: 2 });
  }

  #drawControls() {
    this.first.disabled = this.back.disabled = this.at <= this.begin;
    this.forward.disabled = this.end.disabled = this.at >= this.stop;
    if (this.clip === null) {
      this.slider.max = String(this.hidden ? Math.max(this.seen, 1) : this.last);
    }
    this.slider.value = String(this.at);
    this.slider.setAttribute("aria-valuetext", `Move ${this.at}${this.#ofAll}`);
    write(this.count, this.hidden ? String(this.at) : `${this.at} / ${this.last}`);
    const playing = this.timer !== null;
    fill(this.play, icon(playing ? "pause" : "play"));
    this.play.setAttribute("aria-label", playing ? "Pause (Space)" : "Play (Space)");
  }

  async #copy() {
    const address = addressOf(location.href, this.at);
    try {
      await navigator.clipboard.writeText(address);
      toast(`The link to move ${this.at} is copied.`, { kind: "success" });
    } catch {
      toast(address, { seconds: 30 });
    }
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    const target = elementOf(event);
    if (target?.closest("input, textarea, select, dialog")) return;
    if (event.key === " " && target?.closest("button, a, summary")) return;
    /** @type {Record<string, (() => void) | undefined>} */
    const acts = {
      Home: () => this.go(this.begin),
      End: () => this.go(this.stop),
      ArrowLeft: () => this.go(this.at - 1),
      ArrowRight: () => this.go(this.at + 1),
      " ": () => this.toggle(),
      "-": () => this.#shiftSpeed(-1),
      "+": () => this.#shiftSpeed(1),
      "[": this.parts.marks ? () => this.#mark("from") : undefined,
      "]": this.parts.marks ? () => this.#mark("to") : undefined,
    };
    const act = acts[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  }

  // -- moves and players ------------------------------------------------------------------------

  #buildMoves() {
    this.lines = this.steps.map((step) => {
      const link = h(
        "a",
        {
          class: "log__text",
          href: addressOf(location.href, step.n),
          on: {
            click: (event) => {
              if (event.ctrlKey || event.metaKey || event.shiftKey) return;
              event.preventDefault();
              this.go(step.n);
            },
          },
        },
        step.events.map((event) => eventText(event, this.names)).join(" ") ||
          (step.n === 0 ? "The beginning" : this.#bare(step)),
      );
      const time =
        typeof step.t === "number"
          ? h(
              "span",
              { class: "muted small numbers", title: "Seconds on the clock" },
              `${step.t.toFixed(1)} s`,
            )
          : null;
      return h(
        "li",
        {
          class: `log__item${step.taken_back ? " log__item--undone" : ""}`,
          "data-seat": typeof step.actor === "number" ? step.actor : null,
        },
        h("span", { class: "log__number", "aria-hidden": "true" }, String(step.n)),
        link,
        h(
          "span",
          { class: "log__tags" },
          step.events.flatMap((event) => this.ruleset.tags(event)).map(tagOf),
          time,
        ),
      );
    });
    fill(this.parts.moves, this.lines);
  }

  #drawMoves() {
    this.lines.forEach((line, index) => {
      if (index === this.at) line.setAttribute("aria-current", "step");
      else line.removeAttribute("aria-current");
      line.hidden = (this.hidden && index > this.seen) || index < this.begin || index > this.stop;
    });
    const { moves } = this.parts;
    const line = this.lines[this.at];
    const top = line.offsetTop - moves.offsetTop;
    if (top < moves.scrollTop || top + line.offsetHeight > moves.scrollTop + moves.clientHeight) {
      moves.scrollTop = top - moves.clientHeight / 2;
    }
  }

  #buildPlayers() {
    this.scores = [0, 1].map(() => h("span", { class: "versus__score" }));
    this.sides = [0, 1].map((seat) =>
      h(
        "div",
        { class: "versus__side" },
        h("p", { class: "versus__name" }, seatBadge(seat), " ", this.names[seat]),
        this.scores[seat],
      ),
    );
    this.where = h("span", { class: "versus__between" }, "v");
    fill(
      this.parts.players,
      h("div", { class: "versus" }, this.sides[0], this.where, this.sides[1]),
    );
  }

  /** @param {Replays.Step} step */
  #drawPlayers(step) {
    const scores = this.ruleset.scores(step.view) ?? [0, 0];
    scores.forEach((score, seat) => write(this.scores[seat], number(score)));
    const { result } = step.view;
    this.sides.forEach((side, seat) => {
      if (result === null || result.winner === null) delete side.dataset.result;
      else side.dataset.result = result.winner === seat ? "won" : "lost";
    });
    write(this.where, this.ruleset.caption(step.view));
  }
}

/**
 * What this device keeps under a name.
 * @param {string} name
 * @param {string} otherwise
 */
function kept(name, otherwise) {
  try {
    return globalThis.localStorage.getItem(name) ?? otherwise;
  } catch {
    return otherwise; // a browser may forbid it
  }
}

/**
 * @param {string} name
 * @param {string} value
 */
function keep(name, value) {
  try {
    globalThis.localStorage.setItem(name, value);
  } catch {
    // It holds for this page, then.
  }
}

/**
 * All steps of the replay. A page that keeps the result to itself does not have them.
 * @param {HTMLElement} page
 * @returns {Promise<Pick<Replays.Data, "header" | "steps">>}
 */
async function dataOf(page) {
  const { steps } = page.dataset;
  if (steps === undefined) return /** @type {Replays.Data} */ (embedded("replay-data"));
  const answer = await fetch(steps, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(`The steps were not given: ${answer.status}`);
  const told = /** @type {unknown} */ (await answer.json());
  return /** @type {Replays.Data} */ (told);
}

/**
 * What commentators said. Few matches have any, and each is whole without.
 * @param {HTMLElement} page
 * @returns {Promise<Api.Comment[]>}
 */
async function commentsOf(page) {
  const { commentary } = page.dataset;
  if (commentary === undefined) return [];
  try {
    const answer = await fetch(commentary, {
      headers: { Accept: "application/json" },
    });
    if (!answer.ok) return [];
    const told = /** @type {unknown} */ (await answer.json());
    return /** @type {Api.Commentary} */ (told).comments;
  } catch {
    return [];
  }
}

/** @param {HTMLElement} page */
async function start(page) {
  const { you, hidden, from, to } = page.dataset;
  const [told, ruleset, comments] = await Promise.all([
    dataOf(page),
    /** @type {Promise<Boards.Module>} */ (import(String(page.dataset.board))),
    commentsOf(page),
  ]);
  const data = { ...told, you: you === undefined ? null : Number(you) };
  const clip = from === undefined ? null : { from: Number(from), to: Number(to) };
  const replay = new Replay(page, data, ruleset, { hidden: hidden !== undefined, clip });
  if (comments.length > 0) {
    const { Commentary } = await import("./commentary.js");
    const place = find(page, '[data-part="commentary"]');
    replay.commentary = new Commentary(place, comments, (step) => replay.go(step));
  }
  const asked = moveOf(location.href, replay.last);
  replay.go(asked ?? replay.begin, { record: false });
  if (clip !== null && asked === null && motion() === "on") replay.toggle();
}

const root = document.getElementById("replay");
if (root !== null) {
  void start(root).finally(() => {
    root.dataset.ready = "";
  });
}
