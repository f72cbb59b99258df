// @ts-check
/**
 * What concerns the reader, on every page: challenges made to them, matches of theirs that have
 * begun, and that they may not write any more. One socket of the lobby per page; pages that list things listen to it as well.
 *
 * Notices are hints: the badge is drawn by the server, and a reader who was away reloads the truth.
 */

import { announce, csrfToken, leaveFor, soundMuted, toast } from "./site.js";

const PING_EVERY = 20_000;
const LONGEST_WAIT = 30_000;
const STEADY = 10_000; // a socket that was open for so long was not merely turned away
const KINDS = new Set([
  "challenge",
  "hosted",
  "announced",
  "match.started",
  "match.ended",
  "match.featured",
  "ruling",
  "turn",
]);

/**
 * Something that concerns the reader.
 * @typedef {object} Notice
 * @property {"announced" | "match" | "ruling" | "ruled" | "challenged" | "withdrawn" | "declined" | "invited" | "hosted"} kind
 * @property {number} id of the match, the challenge, the hosted match or the announcement
 * @property {string} url
 * @property {string} text a sentence; empty where there is nothing to say
 * @property {string} link what the link to `url` says; empty where there is to be none
 * @property {number | undefined} [rematch] the match after which it is offered, where it is a rematch
 */

/** @typedef {{frame: Live.News, silenced: Live.Silenced, here: Live.HereNews, turns: null, back: null}} Heard */

const Target = /** @type {new () => Telling<Heard>} */ (EventTarget);

/**
 * Delay in ms before attempt number `attempt` (0 is the first) to connect again.
 * @param {number} attempt
 * @param {() => number} [random]
 */
export function waitBefore(attempt, random = Math.random) {
  return Math.min(LONGEST_WAIT, 1_000 * 2 ** attempt) * (0.5 + random() / 2);
}

/** @param {Live.MatchStarted} frame */
function beginsText({ begun, in_turns: inTurns }) {
  if (begun) return "has begun.";
  return inTurns
    ? "begins when you have both looked in and your numbers are open."
    : "begins when you are both there.";
}

/**
 * What a frame means for `me` (a username, empty for nobody). Null: nothing to say.
 * @param {Live.News} frame
 * @param {string} me
 * @returns {Notice | null}
 */
export function noticeOf(frame, me) {
  if (!me) return null;
  if (frame.type === "match.started") {
    const other = (frame.seats ?? []).find((seat) => seat.username !== me);
    if (!other || !frame.seats.some((seat) => seat.username === me)) return null;
    const match = `Your match of ${frame.game} against ${other.name}`;
    return {
      kind: "match",
      id: frame.match,
      url: frame.url,
      text: `${match} ${beginsText(frame)}`,
      link: "Go to the match",
    };
  }
  if (frame.type === "ruling") return rulingNotice(frame);
  if (frame.type === "challenge" && frame.to === me) {
    const open = frame.status === "open";
    return {
      kind: open ? "challenged" : "withdrawn",
      id: frame.challenge,
      url: frame.url,
      text: open ? offerText(frame) : "",
      link: "See the challenge",
      rematch: frame.rematch,
    };
  }
  if (frame.type === "challenge" && frame.from === me && frame.status === "declined") {
    return {
      kind: "declined",
      id: frame.challenge,
      url: frame.url,
      text: frame.rematch ? "Your rematch was declined." : "Your challenge was declined.",
      link: "",
      rematch: frame.rematch,
    };
  }
  if (frame.type === "hosted") return hostedNotice(frame, me);
  if (frame.type === "announced") {
    const { announcement, url, subject, heard } = frame;
    const text = heard ? "" : subject; // another frame says it, and stays to be read
    return { kind: "announced", id: announcement, url, text, link: "Read" };
  }
  return null;
}

/**
 * @param {Live.RulingNews} frame
 * @returns {Notice}
 */
function rulingNotice({ match, url, game, seats, waits, quiet }) {
  const [one, two] = (seats ?? []).map((seat) => seat.name);
  return {
    kind: waits ? "ruling" : "ruled",
    id: match,
    url,
    // Who does not want to be called to it finds it in their queue.
    text: waits && !quiet ? `${one} and ${two} wait for your ruling in ${game}.` : "",
    link: "Go to the match",
  };
}

/** @param {Live.ChallengeNews} frame */
function offerText({ name, game, terms, rematch }) {
  const does = rematch ? "offers you a rematch of" : "challenges you to";
  return `${name} ${does} ${game}. ${terms ?? ""}`.trim();
}

/**
 * What becomes of a hosted match, for the three whom it concerns.
 * @param {Live.HostedNews} frame
 * @param {string} me
 * @returns {Notice | null}
 */
function hostedNotice(frame, me) {
  const names = frame.seats.map((seat) => seat.name);
  const mine = frame.seats.find((seat) => seat.username === me);
  const other = frame.seats.find((seat) => seat.username !== me);
  const about = { id: frame.hosted, url: frame.url };
  if (mine !== undefined && frame.status === "open" && !mine.accepted && !other?.accepted) {
    const text = `${frame.name} invites you to ${frame.game} against ${other?.name}.`;
    return { ...about, kind: "invited", text, link: "See the invitation" };
  }
  const ended = frame.status === "declined" || frame.status === "cancelled";
  if (!ended || frame.ended_by === me) return null;
  const what = `The match of ${frame.game} between ${names.join(" and ")}`;
  const text = `${what} was ${frame.status === "declined" ? "declined" : "cancelled"}. ${frame.why}`;
  return { ...about, kind: "hosted", text: text.trim(), link: "" };
}

/**
 * What the badge counts after a frame: challenges by their ids, hosted matches by theirs after an "h".
 * @param {string[]} waiting
 * @param {Live.News} frame
 * @param {string} me
 */
export function waitingAfter(waiting, frame, me) {
  const ids = new Set(waiting);
  /**
   * @param {string} id
   * @param {boolean} waits
   */
  const settle = (id, waits) => (waits ? ids.add(id) : ids.delete(id));
  if (frame.type === "challenge" && frame.to === me) {
    settle(String(frame.challenge), frame.status === "open");
  }
  if (frame.type === "hosted") {
    const mine = frame.seats.find((seat) => seat.username === me);
    settle(`h${frame.hosted}`, frame.status === "open" && mine?.accepted === false);
  }
  return [...ids];
}

/**
 * How many matches wait for the reader, as `games.words.turns_text` has it.
 * @param {number} count
 */
export function turnsText(count) {
  if (count === 0) return "No match waits for your move";
  return count === 1 ? "1 match waits for your move" : `${count} matches wait for your move`;
}

/**
 * What the title of a page nobody looks at says before the rest.
 * @param {string} title
 * @param {number} count
 */
export function titled(title, count) {
  const bare = title.replace(/^\(\d+\) /, "");
  return count === 0 ? bare : `(${count}) ${bare}`;
}

class Notices extends Target {
  /** @param {HTMLElement | null} badge */
  constructor(badge) {
    super();
    this.badge = badge;
    this.me = badge?.dataset.username ?? "";
    this.waiting = (badge?.dataset.waiting ?? "").split(",").filter(Boolean);
    /** @type {Set<string>} */
    this.told = new Set();
    /** @type {HTMLElement | null} */
    this.turnsLink =
      typeof document === "undefined" ? null : document.querySelector("[data-turns]");
    this.turns = new Set(
      (this.turnsLink?.dataset.turns ?? "").split(",").filter(Boolean).map(Number),
    );
    this.attempt = 0;
    this.received = 0;
    this.open = false;
  }

  connect() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.received = 0;
    /** @type {number | null} */
    let opened = null;
    // The lobby's own page is told who is there, and shows that its reader is.
    const at = document.querySelector("[data-here]") ? "?at=lobby" : "";
    const socket = new WebSocket(`${scheme}//${location.host}/ws/v1/lobby/${at}`);
    const ping = setInterval(() => {
      if (socket.readyState === WebSocket.OPEN) {
        socket.send(JSON.stringify({ type: "ping", at: Date.now(), received: this.received }));
      }
    }, PING_EVERY);
    socket.addEventListener("open", () => {
      this.open = true;
      opened = Date.now();
      // What was said while nobody listened is on the server's pages.
      if (this.attempt > 0) this.dispatchEvent(new CustomEvent("back"));
    });
    socket.addEventListener("message", (event) => {
      this.received += 1;
      this.take(String(event.data));
    });
    socket.addEventListener("close", () => {
      this.open = false;
      clearInterval(ping);
      if (opened !== null && Date.now() - opened > STEADY) this.attempt = 0;
      setTimeout(() => this.connect(), waitBefore(this.attempt));
      this.attempt += 1;
    });
  }

  /** @param {string} text */
  take(text) {
    /** @type {Live.News | Live.Silenced | Live.HereNews | Live.Turns} */
    let frame;
    try {
      frame = /** @type {typeof frame} */ (JSON.parse(text));
    } catch {
      return;
    }
    if (frame.type === "silenced") {
      this.dispatchEvent(new CustomEvent("silenced", { detail: frame }));
      return;
    }
    if (frame.type === "turns") {
      this.#showTurns(new Set(frame.matches));
      return;
    }
    if (frame.type === "here") {
      this.dispatchEvent(new CustomEvent("here", { detail: frame }));
      return;
    }
    if (!KINDS.has(frame.type)) return;
    if (frame.type === "turn") {
      const turns = new Set(this.turns);
      if (frame.waits) turns.add(frame.match);
      else turns.delete(frame.match);
      this.#showTurns(turns);
    }
    this.waiting = waitingAfter(this.waiting, frame, this.me);
    this.#showBadge();
    this.dispatchEvent(new CustomEvent("frame", { detail: frame }));
    const notice = noticeOf(frame, this.me);
    if (notice === null) return;
    // The lobby's and one's own group both bring what concerns oneself.
    const key = `${notice.kind} ${notice.id}`;
    if (this.told.has(key)) return;
    this.told.add(key);
    if (notice.kind === "ruling" || notice.kind === "ruled") {
      // The same match may come to wait again.
      this.told.delete(`${notice.kind === "ruling" ? "ruled" : "ruling"} ${notice.id}`);
      this.#showRulings(notice);
      this.#tell(notice);
      return;
    }
    if (notice.kind === "announced") this.#showNews();
    this.#tell(notice);
  }

  #showNews() {
    const link = document.querySelector("[data-news]");
    if (!link) return;
    link.setAttribute("data-new", "");
    const words = link.querySelector("[data-news-words]");
    if (words) words.textContent = ", new ones";
  }

  #showBadge() {
    if (!this.badge) return;
    this.badge.hidden = this.waiting.length === 0;
    const count = this.badge.querySelector("[data-notices-count]");
    if (count) count.textContent = String(this.waiting.length);
  }

  /** @param {Set<number>} turns */
  #showTurns(turns) {
    this.turns = turns;
    const link = this.turnsLink;
    if (link) {
      const count = turns.size;
      link.dataset.turns = [...turns].join(",");
      const badge = link.querySelector("[data-turns-badge]");
      if (badge) {
        badge.toggleAttribute("hidden", count === 0);
        badge.textContent = String(count);
      }
      const words = link.querySelector("[data-turns-words]");
      if (words) words.textContent = turnsText(count);
    }
    this.showTitle();
    this.dispatchEvent(new CustomEvent("turns"));
  }

  /** In the title of a page in the background, how many wait; a match's page says more by itself. */
  showTitle() {
    if (document.getElementById("match")) return;
    const wanted = titled(document.title, document.hidden ? this.turns.size : 0);
    if (document.title !== wanted) document.title = wanted;
  }

  /** @param {Notice} notice */
  #showRulings(notice) {
    /** @type {HTMLElement | null} */
    const link = document.querySelector("[data-rulings]");
    if (!link) return;
    const waiting = new Set((link.dataset.rulings ?? "").split(",").filter(Boolean));
    if (notice.kind === "ruling") waiting.add(String(notice.id));
    else waiting.delete(String(notice.id));
    link.dataset.rulings = [...waiting].join(",");
    link.querySelector("[data-rulings-badge]")?.toggleAttribute("hidden", waiting.size === 0);
    const count = link.querySelector("[data-rulings-count]");
    if (count) count.textContent = String(waiting.size);
  }

  /** @param {Notice} notice */
  #tell(notice) {
    // The page that it is about says so itself.
    if (notice.rematch && document.querySelector(`[data-rematch="${notice.rematch}"]`)) return;
    const onPage = ["announced", "ruling", "declined", "invited", "hosted"].includes(notice.kind);
    if (onPage && location.pathname === notice.url) return;
    if (notice.kind === "match") {
      if (location.pathname === notice.url) return;
      if (document.querySelector("[data-waits-for-match]")) {
        announce(`${notice.text} Going there.`, { now: true });
        leaveFor(notice.url);
        return;
      }
    }
    if (!notice.text) return;
    // The corner for notes is a live region: screen readers read it by themselves.
    const quiet = notice.kind === "declined" || notice.kind === "hosted";
    const seconds = notice.kind === "match" || notice.kind === "ruling" ? 600 : 20;
    const box = toast(notice.text, {
      kind: quiet ? "info" : "success",
      seconds,
    });
    if (notice.link) {
      const link = document.createElement("a");
      link.className = "button button--small";
      link.href = notice.url;
      link.textContent = notice.link;
      box.querySelector(".toast__close")?.before(link);
    }
    if (!quiet) chime();
  }
}

/** Two short notes, unless the reader wants silence or the browser does. */
function chime() {
  if (soundMuted() || typeof AudioContext === "undefined") return;
  const audio = new AudioContext();
  if (audio.state === "suspended") {
    void audio.close();
    return;
  }
  for (const [index, pitch] of [660, 880].entries()) {
    const at = audio.currentTime + index * 0.14;
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0, at);
    volume.gain.linearRampToValueAtTime(0.12, at + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.001, at + 0.35);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + 0.4);
  }
  setTimeout(() => void audio.close(), 1_000);
}

/**
 * Of matches that wait for the reader some may wait for a number that this browser has added to what is
 * drawn there: no page of theirs need be open for it.
 * @param {Set<number>} turns
 */
async function openNoted(turns) {
  try {
    if (turns.size === 0 || localStorage.getItem("gauntlet:draws") === null) return;
  } catch {
    return; // nothing is kept in this browser
  }
  const { openNumbers } = await import("./match/opening.js");
  await openNumbers(turns, { fetch, storage: localStorage, csrf: csrfToken() });
}

// Kept by the document: this module may be there twice, loaded by the page under one address and
// imported under another.
const KEY = Symbol.for("gauntlet.notices");

/** The page's one listener; connects once the page's scripts have run. Events: `frame` (of the lists)
 * and `silenced` and `here` (detail: the frame), `turns` (others wait for the reader now), `back`. */
export function notices() {
  const kept = /** @type {{[KEY]?: Notices}} */ (/** @type {object} */ (document));
  if (kept[KEY] === undefined) {
    const made = new Notices(document.querySelector("[data-notices]"));
    kept[KEY] = made;
    // A browser opens one socket after the other: first the one that the page itself is about.
    onceRead(() => made.connect());
    document.addEventListener("visibilitychange", () => made.showTitle());
    made.addEventListener("turns", () => void openNoted(made.turns));
  }
  return kept[KEY];
}

/**
 * Once the page has been read and its scripts have run.
 * @param {() => void} act
 */
function onceRead(act) {
  if (document.readyState === "complete") {
    act();
    return;
  }
  const listening = new AbortController();
  for (const event of ["DOMContentLoaded", "load"]) {
    addEventListener(
      event,
      () => {
        listening.abort();
        act();
      },
      listening,
    );
  }
}

// Loaded by every page of somebody who is signed in; imported by the pages with lists.
if (typeof document !== "undefined" && document.querySelector("[data-notices]")) notices();
