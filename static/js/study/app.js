// @ts-check
/* The study of a finished match: every position with what bots make of it, and what could have happened
   from there, tried on the board. The address always names what is shown.

   Long, since this is where the parts of the page meet, which know nothing of each other. */

import { announce, toast } from "../site.js";
import { seatBadge } from "../boards/kit.js";
import { whyNot, AGAIN } from "../match/answers.js";
import { elementOf, embedded, fill, find, h, icon, scrolling, write } from "../match/dom.js";
import { eventText, namesOf, number, resultText } from "../match/words.js";
import { addressOf, eyesOf, placeOf, shorter, stepsOf } from "./address.js";
import { Comments } from "./comments.js";
import { Graph, weighedAt } from "./graph.js";
import { answersOf, mistakesOf, swingsOf } from "./judged.js";

const ASK_EVERY = 3_000; // ms, while bots are at it
const HURRY = 250; // ms between two steps
const KEPT = 60; // positions that are remembered

/** @typedef {import("./address.js").Eyes} Eyes */
/** @typedef {import("./address.js").Place} Place */
/** @typedef {{at: number, line: string, views: Record<Eyes, Live.View<never>>, events: Record<Eyes, Live.LogEvent[]>}} Told */

class StudyPage {
  /** @type {HTMLButtonElement[]} */
  back;
  /** @type {HTMLButtonElement[]} */
  on;
  /** @type {HTMLInputElement} */
  slider;
  /** @type {HTMLOutputElement} */
  count;

  /**
   * @param {HTMLElement} root
   * @param {Boards.Module} ruleset
   */
  constructor(root, ruleset) {
    const data = /** @type {Replays.Data} */ (embedded("replay-data"));
    this.root = root;
    this.ruleset = ruleset;
    this.header = data.header;
    this.names = namesOf(data.header);
    this.steps = data.steps;
    this.study = /** @type {Api.Study} */ (embedded("study-data"));
    const { you } = root.dataset;
    this.you = you === undefined ? null : /** @type {Seat} */ (Number(you));
    this.api = root.dataset.api ?? "";
    /** @type {Eyes} */
    this.eyes = eyesOf(location.href);
    /** @type {Place} */
    this.place = { at: -1, line: "" };
    /** @type {Place} Where one is on the way to: the next step is from there. */
    this.aim = this.place;
    /** @type {Told | null} */
    this.told = null;
    /** @type {Seat | null} */
    this.seat = null; // whose answer is tried
    /** @type {Boards.Board<never> | null} */
    this.board = null;
    /** @type {{done: number, at: number} | undefined} */
    this.begun = undefined; // how much there was when the page began to look
    this.asked = 0; // which of the answers on their way is waited for
    this.lastAsked = 0;
    this.pending = "";
    this.quiet = false; // the page, and not the reader, has the board do something
    /** @type {{judged: Api.Judgement, which: "played" | "best"} | null} */
    this.drawn = null;
    /** @type {Map<string, Told>} */
    this.known = new Map();
    /** @type {HTMLElement | null} */
    this.from = null; // what was pressed, below, that brought one to the board
    this.wayBack = h(
      "button",
      {
        type: "button",
        class: "button study__back",
        hidden: true,
        on: { click: () => this.#goBack() },
      },
      icon("undo"),
      "Back to the list",
    );
    /** @param {string} name */
    const part = (name) => find(root, `[data-part="${name}"]`);
    this.parts = {
      eyes: part("eyes"),
      board: part("board"),
      dock: part("dock"),
      caption: part("caption"),
      line: part("line"),
      hands: part("hands"),
      answers: part("answers"),
      typed: /** @type {HTMLFormElement} */ (part("typed")),
      note: part("note"),
      tools: part("tools"),
      graph: part("graph"),
      swings: part("swings"),
      mistakes: part("mistakes"),
      moves: part("moves"),
      controls: part("controls"),
    };
    this.input = /** @type {HTMLInputElement} */ (find(this.parts.typed, "input"));
    this.lines = [...this.parts.moves.children];
    const told = /** @type {string[][]} */ (embedded("study-logs"));
    /** @type {Record<Eyes, string[]>} What the list of moves says, by whose eyes. */
    this.logs = {
      all: this.lines.map((line) => find(line, "a").textContent ?? ""),
      0: told[0],
      1: told[1],
    };
    this.graph = isWorkedOn(this.study) || this.study.state === "done" ? this.#makeGraph() : null;
    this.#buildEyes();
    this.#drawEyes();
    this.#buildControls();
    this.#buildTools();
    this.#listen();
    const said = /** @type {HTMLElement | null} */ (root.querySelector('[data-part="comments"]'));
    this.comments =
      said === null
        ? null
        : new Comments(said, {
            url: `${this.api}comments/`,
            you: this.you,
            go: (place) => void this.#visit(place),
          });
    this.#drawStudy();
    if (isWorkedOn(this.study)) this.#askAgain();
  }

  get last() {
    return this.steps.length - 1;
  }

  /* Before the advantage is drawn there is no position. */
  get first() {
    return Math.max(
      this.steps.findIndex(({ view }) => view.game !== null),
      0,
    );
  }

  /** @returns {Graph} */
  #makeGraph() {
    return new Graph(this.parts.graph, {
      names: this.names,
      last: this.last,
      go: (step) => void this.go({ at: step, line: "" }),
    });
  }

  #listen() {
    addEventListener("popstate", () => {
      const eyes = eyesOf(location.href);
      if (eyes !== this.eyes) this.#see(eyes);
      void this.go(placeOf(location.href, this.last), "keep");
    });
    document.addEventListener("keydown", (event) => this.#key(event));
    this.parts.typed.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = this.input.value.trim();
      if (text !== "") void this.#try(text);
    });
    this.parts.moves.addEventListener("click", (event) => {
      const link = elementOf(event)?.closest("a");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      void this.#visit(placeOf(link.href, this.last));
    });
    this.parts.moves.addEventListener("keydown", (event) => {
      const line = elementOf(event)?.closest("li");
      if (!line || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
      const next = event.key === "ArrowUp" ? line.previousElementSibling : line.nextElementSibling;
      event.preventDefault();
      if (next !== null) find(next, "a").focus();
    });
  }

  // -- where one is -----------------------------------------------------------------------------

  /**
   * Show a position, or where a line leads to. Of the moves only the last one stays in the browser's
   * history; each step of a line is one to go back from.
   * @param {Place} place
   * @param {"replace" | "push" | "keep"} record
   */
  async go({ at, line }, record = "replace") {
    const to = { at: Math.min(Math.max(at, this.first), this.last), line };
    if (to.at === this.aim.at && to.line === this.aim.line) return;
    this.aim = to;
    this.#drawControls();
    const told = await this.#ask(to);
    if (told !== null) this.#arrive(told, record);
    else if (this.aim === to) {
      this.aim = this.place;
      this.#drawControls();
    }
  }

  /**
   * Show a position that was chosen somewhere else on the page.
   * @param {Place} place
   */
  async #visit(place) {
    const from = document.activeElement;
    await this.go(place);
    if (!this.#bringBoard()) return;
    this.from = from instanceof HTMLElement && this.root.contains(from) ? from : null;
    this.#drawWayBack();
  }

  /**
   * Go back within a line, or out of it; on a phone the buttons for it stand below the board.
   * @param {string} line
   */
  async #return(line) {
    await this.go({ at: this.place.at, line }, "push");
    this.#bringBoard();
  }

  /* Whoever was brought to the board from a list below it may want the next one of that. */
  #drawWayBack() {
    this.wayBack.hidden = this.from?.isConnected !== true;
  }

  #goBack() {
    const { from } = this;
    this.from = null;
    this.#drawWayBack();
    from?.scrollIntoView({ block: "center", behavior: scrolling() });
    from?.focus({ preventScroll: true });
  }

  /**
   * @param {Told} told
   * @param {"replace" | "push" | "keep"} record
   */
  #arrive(told, record) {
    this.place = this.aim = { at: told.at, line: told.line };
    this.told = told;
    this.drawn = null;
    this.#say("");
    this.input.value = "";
    const address = this.#address;
    if (record === "push") history.pushState(null, "", address);
    else if (record === "replace") history.replaceState(null, "", address);
    this.#draw();
  }

  /**
   * A position as the server tells it; null where it does not, or something else is wanted by now.
   * @param {Place} place
   * @param {{seat: Seat, text: string}} [more]
   * @returns {Promise<Told | null>}
   */
  async #ask({ at, line }, more) {
    const mine = ++this.asked;
    const key = `${at} ${line}`;
    const known = more === undefined ? this.known.get(key) : undefined;
    if (known !== undefined) return known;
    const query = new URLSearchParams({ at: String(at) });
    if (line !== "") query.set("line", line);
    if (more !== undefined) {
      query.set("seat", String(more.seat));
      query.set("text", more.text);
    }
    // Whoever goes from step to step wants the one they stop at.
    const soon = this.lastAsked + HURRY > performance.now();
    this.lastAsked = performance.now();
    if (soon && more === undefined) {
      await new Promise((done) => setTimeout(done, HURRY));
      if (mine !== this.asked) return null;
    }
    let why = AGAIN;
    try {
      const answer = await fetch(`${this.api}position/?${query}`, {
        headers: { Accept: "application/json" },
      });
      if (answer.ok) {
        const body = /** @type {unknown} */ (await answer.json());
        const told = /** @type {Told} */ (body);
        if (this.known.size >= KEPT) this.known.clear();
        this.known.set(`${told.at} ${told.line}`, told);
        return mine === this.asked ? told : null;
      }
      why = await whyNot(answer);
    } catch {
      // The network is away.
    }
    if (mine === this.asked) this.#say(why);
    return null;
  }

  /**
   * Go on with the line by an answer of whoever is asked.
   * @param {string} text
   */
  async #try(text) {
    const { seat } = this;
    if (seat === null || this.pending !== "") return;
    this.pending = text;
    const told = await this.#ask(this.place, { seat, text });
    this.pending = "";
    if (told !== null) this.#arrive(told, "push");
    else this.#drawBoard(); // what was refused can be changed; what was typed stays
  }

  // -- what is drawn ----------------------------------------------------------------------------

  #draw() {
    const { at } = this.place;
    this.#drawBoard();
    this.#drawCaption();
    this.#drawLine();
    this.#drawControls();
    this.#drawMoves();
    this.graph?.show(at, { within: this.place.line !== "" });
    this.comments?.show(this.place);
    const replay = /** @type {HTMLAnchorElement} */ (find(this.root, '[data-part="replay"]'));
    replay.search = `?move=${at}`;
  }

  /** The seats that are asked something here, and have not answered. */
  get #open() {
    const { told } = this;
    if (told === null) return [];
    return /** @type {Seat[]} */ ([0, 1]).filter((seat) => this.#decision(seat) !== null);
  }

  /** @param {Seat} seat */
  #decision(seat) {
    const view = this.told?.views[/** @type {Eyes} */ (String(seat))];
    const found = view?.decisions.find((each) => each.seat === seat) ?? null;
    return found === null || found.sealed ? null : found;
  }

  /* The answers that were given in the position that is shown, and may be seen; none in a line. */
  get #judged() {
    if (this.place.line !== "") return [];
    const { positions, answers } = this.study;
    const position = positions[weighedAt(this.study, this.place.at)];
    if (position === undefined) return [];
    return answers.filter(({ at, seat }) => at === position.at && this.#sees(seat));
  }

  /**
   * Whether what a seat decides is for the eyes with which one looks.
   * @param {number} seat
   */
  #sees(seat) {
    return this.eyes === "all" || this.eyes === String(seat);
  }

  #drawBoard() {
    const { told } = this;
    if (told === null) return;
    const open = this.#open.filter((seat) => this.#sees(seat));
    const wanted = this.seat !== null && open.includes(this.seat) ? this.seat : (open[0] ?? null);
    this.seat = wanted;
    if (wanted === null) this.#drawStill(told);
    else this.#drawPlayable(told, wanted);
    this.#drawHands(told);
    this.#drawAnswers();
    this.parts.typed.hidden = wanted === null;
    if (wanted !== null) {
      write(find(this.parts.typed, "label"), `Or type a move to try for ${this.names[wanted]}`);
    }
    const kind = wanted === null ? "" : (this.#decision(wanted)?.kind ?? "");
    this.input.placeholder = this.ruleset.examples[kind] ?? "";
  }

  /** @param {Told} told */
  #drawStill(told) {
    this.board?.destroy();
    this.board = null;
    const { eyes, names } = this;
    const events = told.events[eyes];
    fill(this.parts.board, this.ruleset.render(told.views[eyes], { names, events }));
  }

  /**
   * @param {Told} told
   * @param {Seat} seat
   */
  #drawPlayable(told, seat) {
    const { ruleset, header, names } = this;
    this.quiet = true;
    this.board?.destroy();
    /** @type {Boards.Api} */
    const api = {
      submit: (text) => void this.#try(text),
      announce: (text) => (this.quiet ? undefined : announce(text, { about: "board" })),
      refuse: (text) => {
        if (!this.quiet) this.#say(text);
      },
      draft: (text) => {
        if (!this.quiet && document.activeElement !== this.input) this.input.value = text;
      },
      dock: this.parts.dock,
    };
    this.board = ruleset.mount(fill(this.parts.board), api);
    const own = told.views[/** @type {Eyes} */ (String(seat))];
    this.board.update(this.eyes === "all" ? openly(told.views.all, own) : own, {
      you: seat,
      header,
      names,
      decision: this.#decision(seat),
      paused: false,
      pending: null,
      refusal: null,
    });
    const { drawn } = this;
    if (drawn?.judged.seat === seat) this.board.preview?.(drawn.judged[drawn.which]);
    this.quiet = false;
  }

  /** @param {Told} told */
  #drawHands(told) {
    const hands = this.ruleset.hands?.(told.views[this.eyes], this.names) ?? null;
    this.parts.hands.hidden = hands === null;
    fill(this.parts.hands, hands);
  }

  #drawAnswers() {
    const { answers } = this.parts;
    const judged = this.#judged;
    const open = this.place.line === "" ? [] : this.#open.filter((seat) => this.#sees(seat));
    const elsewhere = this.#open.filter((seat) => !this.#sees(seat));
    const rulings = this.told?.views.all.rulings;
    answers.hidden =
      judged.length + elsewhere.length === 0 && open.length < 2 && rulings === undefined;
    fill(
      answers,
      h(
        "div",
        { class: "panel__body" },
        answersOf(judged, this.names, {
          shown: (each) =>
            this.drawn !== null && this.drawn.judged.move === each.move && this.seat === each.seat
              ? this.drawn.which
              : "",
          show: (each, which) => this.#show(each, which),
        }),
        elsewhere.map((seat) => this.#theirs(seat)),
        rulings === undefined ? null : this.#ruling(rulings),
        open.length < 2
          ? null
          : h(
              "p",
              { class: "button-row" },
              open.map((seat) =>
                h(
                  "button",
                  {
                    type: "button",
                    class: "button button--small",
                    "aria-pressed": String(seat === this.seat),
                    on: {
                      click: () => {
                        this.seat = seat;
                        this.drawn = null;
                        this.#drawBoard();
                        this.#drawCaption();
                      },
                    },
                  },
                  seatBadge(seat),
                  `Choose for ${this.names[seat]}`,
                ),
              ),
            ),
      ),
    );
  }

  /**
   * With a player's eyes one tries nothing for the other.
   * @param {Seat} seat
   */
  #theirs(seat) {
    const eyes = /** @type {Eyes} */ (String(seat));
    const name = this.names[seat];
    return h(
      "p",
      { class: "study__theirs" },
      `Here ${name} decides. `,
      h(
        "button",
        { type: "button", class: "button button--small", on: { click: () => this.#look(eyes) } },
        `See what ${name} saw`,
      ),
    );
  }

  /**
   * Where a match waits for an organiser, whoever tries something rules as they like.
   * @param {Record<"valid" | "invalid", {title: string, means: string}>} rulings
   */
  #ruling(rulings) {
    const { at, line } = this.place;
    return h(
      "div",
      {},
      h("p", {}, "Here an organiser rules on a move. Go on as if the ruling were:"),
      h(
        "p",
        { class: "button-row" },
        Object.entries(rulings).map(([way, { title, means }]) =>
          h(
            "button",
            {
              type: "button",
              class: "button button--small",
              title: means,
              on: {
                click: () => {
                  const step = `organiser rule ${way}`;
                  void this.go({ at, line: line === "" ? step : `${line}~${step}` }, "push");
                },
              },
            },
            title,
          ),
        ),
      ),
    );
  }

  /**
   * Have the board show one of two answers, as its seat sees it.
   * @param {Api.Judgement} judged
   * @param {"played" | "best"} which
   */
  #show(judged, which) {
    const seat = /** @type {Seat} */ (judged.seat);
    if (!this.#open.includes(seat)) return;
    const isShown = this.drawn?.judged.move === judged.move && this.drawn.which === which;
    this.seat = seat;
    this.drawn = isShown ? null : { judged, which };
    this.#drawBoard();
    this.#drawCaption();
    if (!isShown) {
      this.#bringBoard();
    }
    const shown = `[data-move="${judged.move}"] [data-shows="${which}"]`;
    /** @type {HTMLElement | null} */ (this.parts.answers.querySelector(shown))?.focus({
      preventScroll: true,
    });
  }

  /* Where the board is out of sight, as below it on a phone, what it shows would be missed. Returns
     whether it was. */
  #bringBoard() {
    const drawing = this.parts.board.querySelector("svg") ?? this.parts.board;
    const { top, bottom } = drawing.getBoundingClientRect();
    const seen = Math.min(bottom, innerHeight) - Math.max(top, 0);
    if (seen >= (bottom - top) * 0.75) return false;
    this.parts.eyes.scrollIntoView({ block: "start", behavior: scrolling() });
    return true;
  }

  #drawCaption() {
    const { told, place } = this;
    if (told === null) return;
    const said = told.events[this.eyes].map((event) => eventText(event, this.names)).join(" ");
    const step = this.steps[place.at];
    const undone = step.taken_back ? " It was taken back later." : "";
    const where =
      place.line !== ""
        ? "What could have happened."
        : place.at === 0
          ? "The beginning."
          : `Move ${place.at} of ${this.last}.`;
    const view = told.views[this.eyes];
    const now = view.result === null ? this.ruleset.caption(view) : resultText(view, this.names);
    const scores = this.ruleset.scores(view);
    const stands =
      scores === null
        ? ""
        : `${this.names.map((name, seat) => `${name} ${number(scores[seat])}`).join(", ")}.`;
    const words = [`${where} ${said}${undone}`, stands, now, this.#onBoard].map((each) =>
      each.trim(),
    );
    write(this.parts.caption, words.filter(Boolean).join(" ").replace(/\s+/gu, " "));
  }

  /* What the board shows besides the position. */
  get #onBoard() {
    if (this.drawn === null) return "";
    const { judged, which } = this.drawn;
    return which === "best"
      ? "The board shows what the strong bot would have played."
      : `The board shows what ${this.names[judged.seat]} played.`;
  }

  #drawLine() {
    const { line } = this.parts;
    const steps = stepsOf(this.place.line);
    const hadFocus = line.contains(document.activeElement);
    line.hidden = steps.length === 0;
    fill(
      line,
      h("p", { class: "study__variation" }, `From move ${this.place.at}: `, steps.map(stepWords)),
      h(
        "p",
        { class: "button-row" },
        h(
          "button",
          {
            type: "button",
            class: "button button--small",
            on: {
              click: () => void this.#return(shorter(this.place.line)),
            },
          },
          icon("undo"),
          "Take the last move back",
        ),
        h(
          "button",
          {
            type: "button",
            class: "button button--small",
            on: { click: () => void this.#return("") },
          },
          icon("close"),
          "Leave the variation",
        ),
      ),
    );
    // Whoever goes back by the keyboard stays where they were, or comes to what is tried next.
    if (hadFocus) (line.hidden ? this.slider : find(line, "button")).focus({ preventScroll: true });
  }

  #drawMoves() {
    const { moves } = this.parts;
    this.lines.forEach((line, index) => {
      if (index + 1 === this.place.at) line.setAttribute("aria-current", "step");
      else line.removeAttribute("aria-current");
      // One stop for the keyboard in all; from there it goes up and down.
      find(line, "a").tabIndex = index === Math.max(this.place.at - 1, 0) ? 0 : -1;
    });
    const line = /** @type {HTMLElement | undefined} */ (this.lines[this.place.at - 1]);
    if (line === undefined) {
      moves.scrollTop = 0;
      return;
    }
    const top = line.offsetTop - moves.offsetTop;
    if (top < moves.scrollTop || top + line.offsetHeight > moves.scrollTop + moves.clientHeight) {
      moves.scrollTop = top - moves.clientHeight / 2;
    }
  }

  // -- what bots have found out -----------------------------------------------------------------

  #drawStudy() {
    this.root.dataset.study = String(this.study.state);
    this.graph?.update(this.study, this.#howLong);
    const { swings, mistakes } = this.parts;
    swings.hidden = mistakes.hidden = this.graph === null;
    const go = (/** @type {number} */ step) => void this.#visit({ at: step, line: "" });
    fill(find(swings, ".panel__body"), swingsOf(this.study, this.names, this.steps, go));
    fill(find(mistakes, ".panel__body"), mistakesOf(this.study, this.names, go));
  }

  /* How long it takes from here on, as far as the last pieces tell; empty before enough of them. */
  get #howLong() {
    const { done, total } = this.study;
    this.begun ??= { done, at: performance.now() };
    const made = done - this.begun.done;
    if (made < 4) return "";
    const minutes = ((performance.now() - this.begun.at) / made / 60_000) * (total - done);
    return minutes < 1
      ? "Less than a minute is left."
      : `About ${Math.ceil(minutes)} minutes are left.`;
  }

  #askAgain() {
    setTimeout(() => void this.#load(), ASK_EVERY);
  }

  async #load() {
    try {
      const answer = await fetch(this.api, { headers: { Accept: "application/json" } });
      if (answer.ok && document.visibilityState === "visible") {
        const before = this.#judged.length;
        const told = /** @type {unknown} */ (await answer.json());
        this.study = /** @type {Api.Study} */ (told);
        this.#drawStudy();
        // What the reader is trying on the board stays.
        if (this.#judged.length !== before && this.input.value === "") this.#drawBoard();
      }
    } catch {
      // It is asked again.
    }
    if (isWorkedOn(this.study)) this.#askAgain();
  }

  // -- controls -----------------------------------------------------------------------------------

  #buildEyes() {
    /** @type {[Eyes, string][]} */
    const choices = [
      ["all", "Everything"],
      ["0", `What ${this.names[0]} saw`],
      ["1", `What ${this.names[1]} saw`],
    ];
    fill(
      this.parts.eyes,
      h(
        "fieldset",
        { class: "segmented" },
        h("legend", { class: "visually-hidden" }, "Whose eyes"),
        choices.map(([eyes, words]) =>
          h(
            "label",
            { class: "segmented__option" },
            h("input", {
              type: "radio",
              name: "eyes",
              value: eyes,
              checked: eyes === this.eyes,
              on: { change: () => this.#look(eyes) },
            }),
            h("span", {}, words),
          ),
        ),
      ),
    );
  }

  /** @param {Eyes} eyes */
  #look(eyes) {
    this.#see(eyes);
    history.replaceState(null, "", this.#address);
  }

  /** @param {Eyes} eyes */
  #see(eyes) {
    this.eyes = eyes;
    this.drawn = null;
    this.#drawEyes();
    this.#drawBoard();
    this.#drawCaption();
  }

  #drawEyes() {
    const { eyes } = this;
    for (const input of this.parts.eyes.querySelectorAll("input")) {
      input.checked = input.value === eyes;
    }
    this.lines.forEach((line, index) => write(find(line, "a"), this.logs[eyes][index]));
  }

  #buildControls() {
    /**
     * @param {string} label
     * @param {string} sign
     * @param {() => number} to
     */
    const button = (label, sign, to) =>
      h(
        "button",
        {
          type: "button",
          class: "button button--icon",
          "aria-label": label,
          title: label,
          on: { click: () => void this.go({ at: to(), line: "" }) },
        },
        icon(sign),
      );
    this.back = [
      button("First move (Home)", "first", () => this.first),
      button("Back (←)", "chevron-left", () => this.#before),
    ];
    this.on = [
      button("Forward (→)", "chevron-right", () => this.aim.at + 1),
      button("Last move (End)", "last", () => this.last),
    ];
    this.slider = h("input", {
      type: "range",
      class: "replay__slider",
      min: String(this.first),
      max: String(this.last),
      step: "1",
      value: String(this.first),
      "aria-label": "Move",
      on: { input: () => void this.go({ at: Number(this.slider.value), line: "" }) },
    });
    this.count = h("output", { class: "replay__count numbers" });
    fill(
      this.parts.controls,
      h(
        "div",
        { class: "replay__buttons", role: "group", "aria-label": "Moves" },
        this.back,
        this.on,
        this.wayBack,
      ),
      this.slider,
      this.count,
    );
  }

  /* From a line one goes back to where it began. */
  get #before() {
    return this.aim.line === "" ? this.aim.at - 1 : this.aim.at;
  }

  #drawControls() {
    const { at, line } = this.aim;
    for (const each of this.back) each.disabled = at <= this.first && line === "";
    for (const each of this.on) each.disabled = at === this.last;
    this.slider.value = String(at);
    write(this.count, `${at} / ${this.last}`);
  }

  #buildTools() {
    fill(
      this.parts.tools,
      h(
        "button",
        {
          type: "button",
          class: "button button--small",
          on: { click: () => void this.#copy() },
        },
        icon("link"),
        "Copy link",
      ),
    );
  }

  get #address() {
    return addressOf(location.href, this.place, this.eyes);
  }

  async #copy() {
    const address = this.#address;
    const what = this.place.line === "" ? `move ${this.place.at}` : "this variation";
    const alone = this.header.practice ? " Practice is yours alone: it opens for nobody else." : "";
    try {
      await navigator.clipboard.writeText(address);
      toast(`The link to ${what} is copied.${alone}`, { kind: "success" });
    } catch {
      toast(address, { seconds: 30 });
    }
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    const target = elementOf(event);
    if (target?.closest("input, textarea, select, dialog, [role=slider]")) return;
    if (target !== null && this.parts.board.contains(target)) return; // it has keys of its own
    /** @type {Record<string, number | undefined>} */
    const to = {
      Home: this.first,
      End: this.last,
      ArrowLeft: this.#before,
      ArrowRight: this.aim.at + 1,
    };
    const at = to[event.key];
    if (at === undefined) return;
    event.preventDefault();
    void this.go({ at, line: "" });
  }

  /** @param {string} why */
  #say(why) {
    write(this.parts.note, why);
    this.parts.note.hidden = why === "";
    // Nowhere to try anything: it is said all the same.
    if (why !== "" && this.parts.typed.hidden) toast(why, { kind: "danger" });
  }
}

/** @param {Api.Study} study */
function isWorkedOn({ state }) {
  return state === "working" || state === "delayed";
}

/**
 * A position with nothing hidden, and with what only whoever decides is told, such as which moves are
 * legal.
 * @param {Live.View<never>} all
 * @param {Live.View<never>} own
 * @returns {Live.View<never>}
 */
function openly(all, own) {
  const [shown, told] = [all, own].map(
    ({ game }) => /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (game)),
  );
  const more = Object.entries(told).filter(([key]) => isEmpty(shown[key]));
  const view = /** @type {unknown} */ ({ ...all, game: { ...shown, ...Object.fromEntries(more) } });
  return /** @type {Live.View<never>} */ (view);
}

/** @param {unknown} value */
function isEmpty(value) {
  return typeof value === "object" && Object.keys(value ?? {}).length === 0;
}

/** @param {{actor: string, text: string}} step */
function stepWords({ actor, text }) {
  const seat =
    actor === "0" || actor === "1" ? seatBadge(/** @type {Seat} */ (Number(actor))) : null;
  return h(
    "span",
    { class: "study__step" },
    seat,
    h("code", {}, seat === null ? `${actor} ${text}` : text),
  );
}

/** @param {HTMLElement} root */
async function start(root) {
  const ruleset = /** @type {Boards.Module} */ (await import(String(root.dataset.board)));
  const page = new StudyPage(root, ruleset);
  const asked = placeOf(location.href, page.last);
  const named = new URL(location.href).searchParams.get("at");
  // An address that names a position beyond the end says where one is from now on.
  await page.go(asked, named === null || named === String(asked.at) ? "keep" : "replace");
  // A line that leads nowhere is told, and its position shown.
  if (page.place.at < 0) await page.go({ at: asked.at, line: "" }, "keep");
}

const root = document.getElementById("study");
if (root !== null) {
  void start(root).finally(() => {
    root.dataset.ready = "";
  });
}
