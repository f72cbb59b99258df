// @ts-check
/* The match page: puts the connection, the board and everything around it together.

   Long, since this is where the parts of the page meet, which know nothing of each other. */

import { enhanceSharing } from "../sharing.js";
import { announce, csrfToken, setSoundMuted, soundMuted, toast } from "../site.js";
import { drawLegend, lastScored, rise } from "../boards/scoring.js";
import { goesOn } from "./asking.js";
import { Chat } from "./chat.js";
import { MatchClient } from "./client.js";
import { spoken } from "./clock.js";
import { embedded, fill, find, h, holdView, icon, keepEnd, Room, write } from "./dom.js";
import { canPulse, pulse, pulsesOff, setPulsesOff } from "./haptics.js";
import { LogList } from "./log.js";
import { menu } from "./menu.js";
import { arrivalText, isSame, newsOf, questionOf } from "./news.js";
import { Players } from "./players.js";
import { ResultCard } from "./result.js";
import { allowSound, play } from "./sounds.js";
import {
  drawsWords,
  namesOf,
  openDecision,
  reminderText,
  turnLine,
  WITHOUT_BOARD,
} from "./words.js";

/* Somebody who loads the page anew has not left: so long one may be away without a word. */
const AWAY_AFTER = 5_000;

/* How long, at most, a page goes without a connection for what it could add to the draws. */
const NONCE_WITHIN = 2_000;

/* Where a board is looked at, and what is below that. Its bar and its dock stick to the screen. */
const BOARD = "svg:is(.board, [data-board])";
const BELOW = [
  ".match__board :is(svg, button, label):not(.confirm *)",
  ".match__pictures",
  ".notation",
  ".match__side > *",
].join();
const A_STRIP = 90; // pixels of a board on which nobody would put anything

/* Whether the log is beside the board and not below it. */
const BESIDE = matchMedia("(min-width: 52rem)");

/* What on a board grows and shrinks with what is being done. */
const GROWS = ".confirm-place, .board-facts, .board-tools, [data-grows]";

class MatchPage {
  names = ["", ""];
  /** @type {HTMLInputElement | null} */
  input = null; // for typed notation
  /** @type {string | undefined} */
  ownCommitment; // of the number that this browser adds to the draws
  knowsOwn = false; // whether it has found out whether it has one
  typed = false; // what stands there was typed and is not the board's draft
  drafted = ""; // what the board previews
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  presenceTimer;
  /** @type {HTMLElement | undefined} */
  refused;
  /** @type {string | null} */
  typedEntry = null; // the id of what was typed and sent
  blink = false;
  /** @type {HTMLButtonElement} */
  soundButton;
  /** @type {HTMLButtonElement} */
  pulseButton;
  /** @type {HTMLButtonElement} */
  concedeButton;
  /** @type {HTMLDialogElement} */
  concede;

  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    const { dataset } = root;
    /** @param {string} name */
    const part = (name) => find(root, `[data-part="${name}"]`);
    this.parts = {
      turn: part("turn"),
      connection: part("connection"),
      players: part("players"),
      board: part("board"),
      dock: part("dock"),
      log: part("log"),
      chat: part("chat"),
      result: part("result"),
      tools: part("tools"),
      watching: part("watching"),
      note: part("note"),
      keys: part("keys"),
      draws: part("draws"),
      scored: part("scored"),
      notation: /** @type {HTMLFormElement | null} */ (
        root.querySelector('[data-part="notation"]')
      ),
      desk: root.querySelector('[data-part="desk"]'),
      stands: part("stands"),
    };
    this.title = document.title;
    this.signedIn = dataset.username !== "";
    /** @type {Boards.Board<never> | null} */
    this.board = null;
    /** @type {Boards.Words} */
    this.ruleset = WITHOUT_BOARD;
    /** @type {Client.Refusal | null} */
    this.refusal = null;
    /** @type {Client.State | null} */
    this.told = null; // the last state in which the reader was told whether the opponent is there
    this.room = new Room();
    this.roomIsOld = false; // it is that of an earlier part of the match
    this.main = /** @type {HTMLElement} */ (this.parts.dock.parentElement); // the board and what belongs to it
    this.column = new Room();
    /** @type {boolean | "closed" | null} */
    this.connected = null; // whether the reader was told last that there is a connection
    this.atBoard = false; // whether the reader was last busy with the board
    this.scrolled = mayBeScrolled(); // whether they may be anywhere but at the begin of the page

    /** @type {HTMLInputElement | null} */
    const token = root.querySelector("[name=csrfmiddlewaretoken]");
    this.client = new MatchClient({
      match: Number(dataset.match),
      socketUrl: socketAddress(dataset.socket ?? ""),
      stateUrl: dataset.state ?? "",
      submitUrl: dataset.submissions ?? "",
      readyUrl: dataset.ready ?? "",
      username: dataset.username || null,
      csrf: token?.value ?? csrfToken(),
      storage: tabStorage(),
    });
    this.players = new Players(this.parts.players, { now: () => this.client.serverNow() });
    this.log = new LogList(this.parts.log);
    this.result = new ResultCard(this.parts.result);
    this.chat = new Chat(this.parts.chat, {
      client: this.client,
      signedIn: this.signedIn,
      sound: play,
    });
    /** @type {Client.Planning | null} */
    this.planning = null;
    /** @type {(shown: Draws.Shown) => void} */
    this.noteDraws = () => {};
    /** @type {() => void} */
    this.noteTaken = () => {};
    /** @type {Client.Stands | null} */
    this.stands = null;
    this.standsAsked = false;
    /** @type {Promise<void> | null} */
    this.standsComing = null;
    /** @type {import("./organiser.js").OrganiserDesk | null} */
    this.desk = null;
    /** @type {import("./practice.js").Practice | null} */
    this.practice = null;
    /** @type {import("./without.js").Without | null} */
    this.without = null;
  }

  async start() {
    this.#listen();
    const came = /** @type {Live.Sync | null} */ (embedded("match-sync"));
    this.client.hidden = document.visibilityState !== "visible";
    // Adding to the draws is worth a moment, and not worth staying away.
    await Promise.race([this.#bringNonce(came), later(NONCE_WITHIN)]);
    this.client.open(came); // the server has to see to it meanwhile
    this.#buildNotation();
    this.#buildTools();
    find(this.parts.note, "button").addEventListener("click", () => this.#note(""));
    menu(
      /** @type {HTMLButtonElement} */ (find(this.root, '[data-part="menu"]')),
      find(this.root, ".match__head"),
    );
    const planned = this.#loadPlanning();
    const seated = this.#loadDesk();
    void this.#loadPractice(planned);
    try {
      const ruleset = /** @type {Boards.Module} */ (await import(this.root.dataset.board ?? ""));
      this.ruleset = ruleset;
      this.log.tagsOf = (event) => this.ruleset.tags(event);
      /** @type {Boards.Api} */
      const api = {
        submit: (text) => this.planning?.takes(text) || this.#submit(text),
        announce: (text) => announce(text, { about: "board" }),
        refuse: (text) => this.#refuse(text),
        draft: (text) => {
          if (text !== "" && text !== this.drafted) this.refused?.remove();
          this.drafted = text;
          this.#draft(this.planning?.on ? "" : text);
          this.planning?.stage(text);
        },
        want: (names) => this.planning?.plan.want(names),
        dock: this.parts.dock, // for cards: in sight while they are shown, and nothing is below
      };
      this.board = ruleset.mount(fill(this.parts.board), api);
      const alsoKeys = await planned;
      await seated;
      this.planning?.begin(ruleset, this.board);
      this.#drawKeys([...ruleset.keys, ...alsoKeys]);
      const around = [find(this.root, ".match__head"), this.parts.players, this.parts.turn];
      /** @type {NodeListOf<HTMLElement>} */
      const grows = this.parts.board.querySelectorAll(GROWS);
      this.room.keep(...around, this.parts.board, ...grows);
      // Beside other columns an empty end of this one is not seen, but a shorter page is.
      if (BESIDE.matches) this.column.keep(this.main);
    } catch (error) {
      // Typed notation and the log still work.
      console.error(error);
      this.#showPicture();
      this.#note("The board could not be loaded. You can still type your moves.");
    }
    this.client.start(came);
  }

  /**
   * Before a match begins its players may add to what is drawn: the page says what as it comes.
   * @param {Live.Sync | null} came
   */
  async #bringNonce(came) {
    const { view, you = null } = came ?? {};
    if (you === null || !view?.draws || view.phase !== "waiting") return;
    try {
      const { freezeDraws, keptStorage, nonceFor, noteDraws, noteTaken } =
        await import("./nonce.js");
      const { match } = this.client;
      const storage = keptStorage();
      const nonce = await nonceFor(match, you, storage);
      if (nonce === null) return; // it begins without, and does not wait for it
      this.noteDraws = (shown) => noteDraws(match, shown, storage);
      this.noteTaken = () => noteTaken(match, storage);
      const mayOpen = (/** @type {Draws.Shown} */ shown) => freezeDraws(match, shown, storage);
      this.ownCommitment = nonce.commitment;
      this.#noteShown({ view, you });
      this.client.nonce = { ...nonce, mayCommit: true, mayOpen }; // where the page has gone without: for when it connects anew
    } catch (error) {
      console.error(error); // the match begins without
    } finally {
      this.knowsOwn = true;
      if (this.state !== null) this.#drawWithout(this.state);
    }
  }

  /**
   * What each has committed to holds from when numbers are opened: until then a player who comes by
   * another device may commit anew.
   * @param {Pick<Client.State, "view" | "you">} state
   */
  #noteShown({ view: { draws, waiting }, you }) {
    if (draws === undefined) return;
    const own = you === null ? null : draws.nonces[you].commitment;
    if (own !== null && own === this.ownCommitment) this.noteTaken();
    const open = waiting !== undefined && waiting.opens_until === undefined;
    const { commitment, nonces } = draws;
    const none = { commitment: null, opened: false };
    this.noteDraws({ commitment, nonces: open ? nonces.map(() => none) : nonces });
  }

  // -- what the client tells --------------------------------------------------------------------

  #listen() {
    /**
     * @template {keyof Client.Events} Name
     * @param {Name} type
     * @param {(detail: Client.Events[Name]) => void} listener
     */
    const on = (type, listener) =>
      this.client.addEventListener(type, ({ detail }) => this.#steadily(() => listener(detail)));
    this.client.addEventListener("state", ({ detail }) => {
      const { cause, before, after } = detail;
      // What the connection brings first is what the page came with.
      const known = cause === "sync" && before !== null && isSame(before, after);
      if (known) this.#holding(() => this.#drawPresence());
      else this.#steadily(() => this.#changed(detail));
    });
    this.client.addEventListener("status", ({ detail: { kind } }) => {
      this.#drawConnection();
      if (kind === "live" || kind === "polling") void this.planning?.plan.load();
    });
    on("outbox", () => {
      this.#draw();
      this.#drawConnection();
    });
    on("settled", (detail) => this.#settled(detail));
    this.client.addEventListener("presence", () => this.#holding(() => this.#drawPresence()));
    this.client.addEventListener("time", () => {
      this.players.tick();
      if (this.state !== null) this.stands?.update(this.state, this.names);
    });
    on("reminder", (detail) => this.#remind(detail));
    on("commentators", ({ commentators }) => this.#drawWay(commentators));
    on("plan", ({ revision }) => void this.planning?.plan.heard(revision));
    on("trouble", ({ sentence }) => toast(sentence, { kind: "danger" }));

    const wake = () => {
      if (document.visibilityState !== "visible") {
        this.client.hide();
        return;
      }
      this.client.wake();
      this.players.tick();
      this.#drawTitle();
    };
    document.addEventListener("visibilitychange", wake);
    addEventListener("pageshow", (event) => event.persisted && wake());
    addEventListener("online", wake);
    addEventListener("offline", () => this.client.offline());
    addEventListener("pagehide", () => this.#drawTitle());
    for (const gesture of ["pointerdown", "keydown"]) {
      document.addEventListener(gesture, allowSound, { passive: true });
    }
    for (const arrival of ["focusin", "pointerdown"]) {
      document.addEventListener(arrival, ({ target }) => {
        this.atBoard = target instanceof Node && this.parts.board.contains(target);
      });
    }
    addEventListener("scroll", () => (this.scrolled = true), { passive: true, once: true });
    const scrolled = () => {
      this.#keepEnd();
      if (this.#makeRoom()) this.#draw();
    };
    addEventListener("scrollend", scrolled, { passive: true });
    this.root.querySelector('[data-part="draws-line"] a')?.addEventListener("click", () => {
      /** @type {HTMLDetailsElement} */ (this.parts.draws).open = true;
    });
    document.addEventListener("gauntlet:sound", () => this.#drawSound());
    setInterval(() => this.#drawTitle(), 1000);
  }

  /**
   * Change the page. Where the board is to be seen it stays, and so does the begin of the page; who
   * has gone on to what is below stays there.
   * @param {() => void} change
   */
  #steadily(change) {
    this.#keepEnd();
    this.#holding(change);
  }

  /**
   * The same of what lets the board, and what belongs to it, be as long as they are.
   * @param {() => void} change
   */
  #holding(change) {
    const release = this.#isBelow() ? holdView(this.root.querySelectorAll(BELOW)) : null;
    change();
    release?.();
  }

  #isBelow() {
    if (!this.scrolled) return false; // what would have to be laid out to find out where things are
    const seen = this.#boards.some((each) => inSight(each) > A_STRIP);
    return this.main.getBoundingClientRect().top < 0 && !seen;
  }

  get #boards() {
    const drawn = [...this.parts.board.querySelectorAll(BOARD)];
    const boards = drawn.filter((each) => each.checkVisibility());
    return boards.length > 0 ? boards : [this.parts.board]; // what is chosen from
  }

  /* What the reader looked at may have been longer than what has come in its place. */
  #bringBack() {
    if (scrollY === 0) return; // an event tells of it only later
    const [board] = this.#boards;
    const { height } = board.getBoundingClientRect();
    if (inSight(board) < Math.min(height, innerHeight) / 2) {
      this.parts.board.scrollIntoView({ behavior: "instant" });
    }
  }

  #keepEnd() {
    if (!BESIDE.matches && this.root.dataset.phase !== undefined) keepEnd(this.main);
  }

  /** The match as this reader sees it, or null before it is known. */
  get state() {
    return this.client.state;
  }

  /* Whoever reads on below finds it changed on the way back. Whether there was anything to change. */
  #makeRoom() {
    if (!this.roomIsOld || this.#isBelow()) return false;
    this.room.reset();
    this.roomIsOld = false;
    return true;
  }

  /** @param {Client.Change} change */
  #changed({ cause, before, after, items }) {
    this.names = namesOf(after.header);
    this.log.names = this.names;
    this.#noteShown(after);
    if (cause === "sync") this.log.replace(after.log);
    else this.log.append(items);
    // A refusal stays to be read for as long as the question is the same.
    if (before !== null && questionOf(before) !== questionOf(after)) {
      this.refusal = null;
      this.#note("");
      if (this.typed) this.#type("");
    }
    // Another part of a match needs other room. The end does not: the board is there to be looked at.
    /** @param {Client.State} state */
    const part = ({ view }) => /** @type {{phase?: string} | null} */ (view.game)?.phase;
    const over = after.view.phase === "over";
    if (before !== null && part(before) !== part(after) && !over) this.roomIsOld = true;
    const made = !over && this.#makeRoom();
    this.#draw();
    if (made) this.#bringBack();
    this.#drawScored(cause === "sync" ? after.log : items, cause);
    if (cause === "sync") this.log.toEnd();
    if (before === null) this.told = after;
    else {
      const asked = openDecision(after.view, after.you);
      if (asked !== null && questionOf(before) !== questionOf(after)) pulse("yours");
      this.#sayNews(newsOf(before, after, items, this.names, this.ruleset));
      this.#sayPresenceSoon();
    }
  }

  /**
   * What scored last stays to be read; what has just scored rises from the board as well.
   * @param {Live.LogItem[]} items
   * @param {Client.Change["cause"]} cause
   */
  #drawScored(items, cause) {
    const { scored: legend, board } = this.parts;
    const { state } = this;
    if (state === null) return;
    const scored = lastScored(items, (event) =>
      this.ruleset.scored?.(event, /** @type {Live.View<never>} */ (state.view), this.names),
    );
    if (scored === null && cause === "step") return;
    drawLegend(legend, scored);
    if (scored !== null && cause === "step") rise(board, legend, scored);
  }

  /**
   * Have read aloud and heard what others did, and that it is the reader's turn or the end.
   * @param {ReturnType<typeof newsOf>} news
   */
  #sayNews({ sentences, sound, ended }) {
    if (sentences.length > 0) announce(sentences.join(" "));
    if (sound !== null) play(sound);
    if (ended) this.result.tell();
  }

  #sayPresenceSoon() {
    if (this.presenceTimer !== undefined) return;
    this.presenceTimer = setTimeout(() => {
      this.presenceTimer = undefined;
      const { told, state } = this;
      this.told = state;
      const text = told && state ? arrivalText(told, state, this.names) : "";
      if (text !== "") announce(text);
    }, AWAY_AFTER);
  }

  /** @param {Client.Settled} settled */
  #settled({ entry, refused }) {
    const ahead = this.planning?.answered(entry.id, refused?.code ?? null) ?? null;
    if (ahead === "again") return;
    const asksAgain = this.desk?.answered(entry.id, refused?.sentence) ?? false;
    if (refused === undefined) {
      if (entry.type === "submit") this.planning?.plan.played(entry.body.text);
      return;
    }
    play("refused");
    pulse("refused");
    const { code, sentence, squares = [] } = refused;
    if (entry.type !== "submit") {
      if (!asksAgain) toast(sentence, { kind: "danger" });
      return;
    }
    // Given back, to be put right.
    if (entry.id === this.typedEntry) this.#type(entry.body.text);
    this.refusal = { code, sentence, squares };
    this.#note(
      ahead === null
        ? `${entry.body.text}: ${sentence}`
        : `What you answered in advance is refused. ${entry.body.text}: ${sentence} Answer by hand.`,
    );
    this.#draw();
  }

  /** @param {Live.Reminder} reminder */
  #remind(reminder) {
    if (this.state === null) return;
    const { you } = this.state;
    // One that comes after its decision has been made is about nothing any more.
    this.players.remind(reminder, (about) => {
      const mine = you !== null && (about.seat === you || about.seat === null);
      if (mine) {
        play(about.kind === "turn" ? "low" : "reserve");
        pulse("reminder");
      }
      return announce(reminderText(about, you, this.names, spoken), { now: mine });
    });
  }

  /**
   * What the board will not do, to be seen as well as heard: the corner for notes is read aloud.
   * @param {string} text
   */
  #refuse(text) {
    pulse("refused");
    this.refused?.remove();
    this.refused = toast(text, { kind: "danger", seconds: 6 });
  }

  // -- what the reader does ---------------------------------------------------------------------

  /** @param {string} text */
  #submit(text) {
    this.refusal = null;
    this.typed = false;
    this.#note("");
    const entry = this.client.submit(text);
    if (entry !== null) announce("Sending.");
    return entry;
  }

  #buildNotation() {
    const form = this.parts.notation;
    if (form === null) return;
    const input = form.querySelector("input");
    if (input === null) return;
    this.input = input;
    input.addEventListener("input", () => this.#type(input.value));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = input.value.trim();
      if (text === "") return;
      if (/^concede\.?$/i.test(text)) {
        this.concede.showModal();
        return;
      }
      void this.#submitTyped(text);
    });
  }

  /**
   * What the board would say before it is confirmed there has to be said of a typed move, too.
   * @param {string} text
   */
  async #submitTyped(text) {
    const words = this.board?.caution?.(text) ?? "";
    const question = { title: "Submit this?", words, verb: "Submit it" };
    if (words !== "" && !(await goesOn(this.root, question))) return;
    this.typedEntry = this.#submit(text)?.id ?? null;
  }

  /**
   * What the reader types, or gets back: it is theirs until they send it or take it away.
   * @param {string} text
   */
  #type(text) {
    if (this.input === null) return;
    if (this.input.value !== text) this.input.value = text;
    this.typed = text !== "";
    this.#note("");
  }

  /**
   * The board shows its preview as text, too, unless the reader has typed something. What it shows
   * has a button of its own to be confirmed with.
   * @param {string} text
   */
  #draft(text) {
    if (!this.input || this.typed || this.input.value === text) return;
    this.input.value = text;
  }

  /**
   * The private layer: only whoever plays has a place for it, and a match can be played without.
   * @returns {Promise<Boards.Module["keys"]>}
   */
  async #loadPlanning() {
    /** @type {HTMLElement | null} */
    const slot = this.root.querySelector('[data-part="plan"]');
    if (slot === null) return [];
    const found = await import("./planning.js").catch(() => null);
    if (found === null) return [];
    this.planning = new found.Planning(slot, {
      board: this.parts.board,
      url: `${this.root.dataset.state}plan/`,
      csrf: this.client.csrf,
      announce: (text) => announce(text, { about: "plan" }),
      refuse: (text) => this.#refuse(text),
      redraw: () => this.#draw(),
      send: (text, id) => this.client.submit(text, id) !== null,
      undone: () => this.state?.log.filter(isTakeBack).length ?? 0,
      ask: (text, words) => void this.#askPlanned(text, words),
    });
    return found.PLANNING_KEYS;
  }

  /* The organiser's desk: a match can be watched without. */
  async #loadDesk() {
    const { desk } = this.parts;
    if (desk === null) return;
    const found = await import("./organiser.js").catch(() => null);
    if (found === null) return;
    const act = (/** @type {string} */ text, /** @type {string} */ why) =>
      this.client.organise(text, why);
    const { hash } = location;
    this.desk = new found.OrganiserDesk(desk, { act, ready: found.readyReasons(), hash });
  }

  /* What those who watch have, and players once it is over: loaded once its place is in sight. */
  #awaitStands() {
    const { you, view } = /** @type {Client.State} */ (this.state);
    if (this.standsAsked || (you !== null && view.phase !== "over")) return;
    this.standsAsked = true;
    const { stands } = this.parts;
    const naming = this.root.querySelector('[data-part="naming"]');
    naming?.addEventListener("click", () => {
      void this.#loadStands().then(() => this.stands?.commentary.ask());
    });
    // Whoever has played is told of it below all else: nothing is to move then.
    if (you !== null) find(this.root, ".match__side").append(stands);
    stands.dataset.watches = "";
    new IntersectionObserver((entries, observer) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      void this.#loadStands();
    }).observe(stands);
  }

  /**
   * The way to the commentary, at the top of the page.
   * @param {Live.Commentator[]} commentators
   */
  #drawWay(commentators) {
    const way = this.root.querySelector('[data-part="commented"]');
    if (!way) return;
    way.toggleAttribute("hidden", commentators.length === 0);
    const names = commentators.map(({ name }) => name).join(", ");
    write(find(way, "span"), `Commentary by ${names}`);
  }

  /** @param {Promise<unknown>} planned */
  async #loadPractice(planned) {
    /** @type {HTMLElement | null} */
    const slot = this.root.querySelector('[data-part="practice"]');
    if (slot === null) return;
    const { Practice } = await import("./practice.js");
    await planned;
    this.practice = new Practice(slot, this.root.querySelector(".plan__row"), {
      url: this.root.dataset.state ?? "",
      csrf: this.client.csrf,
      use: (text, words) => this.planning?.use(text, words),
      sends: () => this.#pending !== null,
      refuse: (text) => this.#refuse(text),
    });
    if (this.state !== null) this.practice.update(this.state);
  }

  #loadStands() {
    this.standsComing ??= this.#makeStands();
    return this.standsComing;
  }

  /* A match can be watched without. */
  async #makeStands() {
    const found = await import("./stands.js").catch(() => null);
    if (found === null || this.state === null) return;
    this.stands = new found.Stands(this.parts.stands, {
      client: this.client,
      chat: this.chat,
      signedIn: this.signedIn,
      url: this.root.dataset.state ?? "",
    });
    const { state } = this;
    this.#holding(() => this.stands?.update(state, this.names));
  }

  /**
   * What no board can show is asked before it is submitted.
   * @param {string} text
   * @param {string} about
   */
  async #askPlanned(text, about) {
    const words = [about, this.board?.caution?.(text) ?? ""].join(" ").trim();
    if (!(await goesOn(this.root, { title: "Submit this?", words, verb: "Submit it" }))) return;
    this.typedEntry = this.#submit(text)?.id ?? null;
  }

  async #share() {
    const { openSharing } = await import("../share-dialog.js");
    const here = location.pathname;
    openSharing({
      title: document.title,
      link: new URL(here, location.href).href,
      of: "this match",
      picture: `${here}board`,
      card: `${here}share.png`,
    });
  }

  #buildTools() {
    const { tools } = this.parts;
    this.soundButton = h("button", {
      type: "button",
      class: "button button--small",
      on: {
        click: () => {
          setSoundMuted(!soundMuted());
          allowSound();
          setTimeout(() => play("chat"), 60);
        },
      },
    });
    this.pulseButton = h(
      "button",
      {
        type: "button",
        class: "button button--small",
        hidden: !canPulse(),
        on: {
          click: () => {
            setPulsesOff(!pulsesOff());
            this.#drawPulses();
            pulse("yours");
          },
        },
      },
      icon("vibrate"),
      h("span", { class: "match__tool-words" }, "Vibration"),
    );
    this.concedeButton = h(
      "button",
      {
        type: "button",
        class: "button button--small",
        hidden: true,
        on: { click: () => this.concede.showModal() },
      },
      icon("flag"),
      h("span", {}, "Concede"),
    );
    this.concede = h(
      "dialog",
      { class: "dialog", "aria-labelledby": "concede-title" },
      h("div", { class: "dialog__head" }, h("h2", { id: "concede-title" }, "Concede the match?")),
      h(
        "p",
        { class: "dialog__body" },
        "The match ends at once and your opponent wins it. This cannot be taken back.",
      ),
      h(
        "form",
        { method: "dialog", class: "dialog__foot" },
        h("button", { class: "button", value: "no", autofocus: true }, "Play on"),
        h("button", { class: "button button--danger", value: "yes" }, "Concede"),
      ),
    );
    this.concede.addEventListener("close", () => {
      if (this.concede.returnValue === "yes") this.#submit("concede");
      this.concede.returnValue = "";
    });
    const share = h(
      "button",
      { type: "button", class: "button button--small", on: { click: () => void this.#share() } },
      icon("send"),
      h("span", { class: "match__tool-words" }, "Share…"),
    );
    share.hidden = "practice" in this.root.dataset; // it is for one's own eyes
    tools.append(share, this.soundButton, this.pulseButton, this.concedeButton);
    this.root.append(this.concede);
    this.#drawSound();
    this.#drawPulses();
  }

  // -- drawing ----------------------------------------------------------------------------------

  #draw() {
    if (this.state === null) return;
    const { view, you } = this.state;
    this.root.dataset.phase = view.phase;
    // Whoever has played here keeps the room for it after the end, too: nothing is to jump then.
    if (you !== null && view.phase !== "over") this.root.dataset.plays = "";
    this.#drawTurn(this.state);
    this.#drawPlayers();
    this.#drawBoard(this.state);
    this.#drawNotation(this.state);
    this.result.draw(this.state, this.names, this.ruleset);
    this.concedeButton.hidden = you === null || ["waiting", "over"].includes(view.phase);
    this.concedeButton.classList.toggle("keeps-room", "plays" in this.root.dataset);
    this.chat.update({ you, over: view.phase === "over", begun: view.phase !== "waiting" });
    this.desk?.update(view, this.names, this.state.log);
    this.practice?.update(this.state);
    if (this.stands === null) this.#awaitStands();
    else this.stands.update(this.state, this.names);
    this.#drawDraws(this.state);
    this.#drawWithout(this.state);
    this.#drawTitle();
  }

  /** @param {Client.State} state */
  #drawWithout(state) {
    if (this.without !== null) this.without.update(state, this.ownCommitment);
    else if (this.knowsOwn && state.view.waiting?.gathers_until) void this.#loadWithout();
  }

  async #loadWithout() {
    const { Without } = await import("./without.js");
    this.without ??= new Without(this.root, this.parts.turn, this.client);
    if (this.state !== null) this.without.update(this.state, this.ownCommitment);
  }

  /* As the page says it: see `draws_told` of the pages. */
  /** @param {Client.State} state */
  #drawDraws({ view, you }) {
    const { draws: box } = this.parts;
    box.hidden = view.draws === undefined;
    if (view.draws === undefined) return;
    const late = view.waiting ? "" : " (not opened: a constant stands for it)";
    const told = [
      ["Commitment to the seed", view.draws.commitment],
      ...view.draws.nonces.map(({ commitment, opened }, seat) => [
        `Commitment to the nonce of ${this.names[seat]}`,
        commitment === null ? "no nonce" : `${commitment}${opened ? "" : late}`,
      ]),
    ];
    const text = told.map(([whose, hash]) => `${whose}: ${hash}`).join("\n");
    const copy = /** @type {HTMLButtonElement} */ (find(box, "[data-copy]"));
    const line = this.root.querySelector('[data-part="draws-line"]');
    line?.removeAttribute("hidden");
    for (const words of [find(box, "summary"), line?.querySelector("a")]) {
      if (words) write(words, drawsWords(view, you));
    }
    if (copy.dataset.copy === text) return;
    copy.dataset.copy = text;
    enhanceSharing(box);
    const rows = told.map(([whose, hash]) => [
      h("dt", {}, whose),
      h("dd", { class: "mono" }, hash),
    ]);
    fill(find(box, "dl"), ...rows.flat());
  }

  get #pending() {
    return this.client.pending;
  }

  /** @param {Client.State} state */
  #drawTurn({ view, you, presence }) {
    const { state, text } = turnLine(view, you, this.names, {
      waiting: this.ruleset.waiting,
      sending: this.#pending !== null,
      there: presence?.seats,
      own: this.ownCommitment,
      dispute: view.ruling
        ? this.ruleset.dispute?.(/** @type {Live.BegunView<never>} */ (view), this.names)
        : undefined,
    });
    const line = this.parts.turn;
    line.dataset.state = state;
    write(find(line, ".turn-line__words"), text);
    line.toggleAttribute("data-long", text.length > 60);
    line.title = text;
    const caption = view.phase === "waiting" ? "" : this.ruleset.caption(view);
    write(find(line, ".turn-line__caption"), caption);
  }

  /* That somebody has come or gone, and how the clocks stand. */
  #drawPresence() {
    this.#drawPlayers();
    this.#sayPresenceSoon();
    if (this.state?.view.phase !== "waiting") return;
    this.#drawTurn(this.state);
    this.#drawWithout(this.state);
  }

  #drawPlayers() {
    if (this.state === null) return;
    const { view, you, presence, header } = this.state;
    this.players.update(this.state, this.names, this.ruleset.scores(view));
    if (header.practice) return; // nobody can come to watch
    const spectators = presence?.spectators ?? 0;
    const others = spectators === 1 ? "1 spectator" : `${spectators} spectators`;
    write(this.parts.watching, you === null ? ` · you are watching · ${others}` : ` · ${others}`);
  }

  /** @param {Client.State} state */
  #drawBoard({ view, you, header }) {
    if (this.board === null) return;
    // Nothing is shown, nor drawn, before both are there.
    this.parts.board.hidden = view.phase === "waiting";
    if (this.parts.board.hidden) return;
    const earnest = {
      you,
      header,
      names: this.names,
      decision: openDecision(view, you),
      paused: view.paused,
      pending: this.#pending,
      refusal: this.refusal,
    };
    const asked = this.planning?.asked(view, earnest) ?? { view, ctx: earnest };
    this.board.update(asked.view, asked.ctx);
    this.planning?.draw();
    // A control that had the focus and is gone leaves nobody anywhere: the board takes it back.
    if (this.atBoard && document.activeElement === document.body) this.board.focus();
  }

  /** @param {Client.State} state */
  #drawNotation({ view, you }) {
    const form = this.parts.notation;
    const { input } = this;
    if (form === null || input === null) return;
    form.hidden = you === null || view.phase === "waiting" || !("plays" in this.root.dataset);
    const decision = openDecision(view, you);
    const open = decision !== null && !view.paused && this.#pending === null;
    input.disabled = !open;
    form.querySelector("button")?.toggleAttribute("disabled", !open);
    input.placeholder = this.ruleset.examples[decision?.kind ?? ""] ?? "";
    if (!open && !this.typed) input.value = this.#pending ?? "";
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

  /** @param {string} text */
  #note(text) {
    const { note } = this.parts;
    write(find(note, ".alert__body"), text);
    note.hidden = text === "";
    this.input?.setAttribute("aria-invalid", String(text !== ""));
  }

  #drawConnection() {
    const { kind, words } = this.client.status;
    const box = this.parts.connection;
    box.dataset.state = kind;
    box.hidden = kind === "live" || kind === "connecting";
    const again = kind === "lost" ? " Trying again by itself." : "";
    const kept =
      this.#pending !== null && kind !== "live" ? " Your move is kept and will be sent." : "";
    write(find(box, ".alert__body"), `${words}${again}${kept}`);
    this.#sayConnection();
    find(box, "button").hidden = kind !== "lost";
    if (!box.dataset.wired) {
      box.dataset.wired = "yes";
      find(box, "button").addEventListener("click", () => this.client.wake());
    }
    this.root.dataset.connection = kind;
  }

  /* Read aloud once when the connection goes, and once when it is back. */
  #sayConnection() {
    const { kind, words } = this.client.status;
    if (kind === "connecting") return;
    const up = kind === "live" || kind === "polling";
    const before = this.connected;
    this.connected = kind === "closed" ? kind : up;
    if (before === this.connected || (before === null && up)) return;
    announce(up ? "Connected again." : words, { now: !up });
  }

  #drawSound() {
    const muted = soundMuted();
    const words = muted ? "Sound is off" : "Sound is on";
    fill(
      this.soundButton,
      icon(muted ? "mute" : "sound"),
      h("span", { class: "match__tool-words" }, "Sound"),
    );
    this.soundButton.setAttribute("aria-pressed", String(!muted));
    this.soundButton.setAttribute("aria-label", "Sound");
    this.soundButton.title = words;
  }

  #drawPulses() {
    const off = pulsesOff();
    this.pulseButton.setAttribute("aria-pressed", String(!off));
    this.pulseButton.title = off ? "Vibration is off" : "Vibration is on";
  }

  /* In place of a board that is not there. */
  #showPicture() {
    const src = this.root.querySelector('[data-part="drawn"]')?.getAttribute("href");
    const alt = "The board as everybody sees it";
    fill(this.parts.board, h("img", { class: "board-picture", src, alt }));
  }

  /* The title says when it is the reader's turn, and blinks while nobody looks at the page. */
  #drawTitle() {
    if (this.state === null) return;
    const { view, you } = this.state;
    const mine = openDecision(view, you) !== null && !view.paused && this.#pending === null;
    const reduced = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.blink = document.hidden && !reduced ? !this.blink : true;
    const wanted = mine && this.blink ? `▶ Your decision · ${this.title}` : this.title;
    if (document.title !== wanted) document.title = wanted;
  }
}

/** @param {Live.LogItem} item */
function isTakeBack({ events }) {
  return events.some(
    ({ kind, data }) => kind === "take-back" || (kind === "organiser" && data.act === "take back"),
  );
}

/** @param {string} path */
function socketAddress(path) {
  const url = new URL(path, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  return url.href;
}

/**
 * How much of it is to be seen, in px of its height; 0 and less: nothing.
 * @param {Element} element
 */
function inSight(element) {
  const { top, bottom } = element.getBoundingClientRect();
  return Math.min(bottom, innerHeight) - Math.max(top, 0);
}

/* A page that is loaded anew is brought to where it was, and one with a part of it in its address to
   that part: at a moment that nobody is told of. */
function mayBeScrolled() {
  const [opened] = /** @type {PerformanceNavigationTiming[]} */ (
    performance.getEntriesByType("navigation")
  );
  return opened?.type !== "navigate" || location.hash !== "";
}

/** @param {number} ms */
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/* Storage can be forbidden altogether; the match is played without it then. */
function tabStorage() {
  try {
    return globalThis.sessionStorage;
  } catch {
    return null;
  }
}

const root = document.getElementById("match");
if (root !== null) void new MatchPage(root).start();
