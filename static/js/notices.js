// @ts-check
/**
 * What concerns the reader, on every page: challenges made to them, matches of theirs that have
 * begun, and that they may not write any more. One socket of the lobby per page; pages that list things listen to it as well.
 *
 * Notices are hints: the badge is drawn by the server, and a reader who was away reloads the truth.
 */

import { announce, leaveFor, soundMuted, toast } from "./site.js";

const PING_EVERY = 20_000;
const LONGEST_WAIT = 30_000;
const STEADY = 10_000; // a socket that was open for so long was not merely turned away
const KINDS = new Set(["challenge", "match.started", "match.ended", "ruling"]);

/**
 * Something that concerns the reader.
 * @typedef {object} Notice
 * @property {"match" | "ruling" | "ruled" | "challenged" | "withdrawn" | "declined"} kind
 * @property {number} id of the match or the challenge
 * @property {string} url
 * @property {string} text a sentence; empty where there is nothing to say
 * @property {string} link what the link to `url` says; empty where there is to be none
 */

/** @typedef {{frame: Live.News, silenced: Live.Silenced, here: Live.HereNews, back: null}} Heard */

const Target = /** @type {new () => Telling<Heard>} */ (EventTarget);

/**
 * Delay in ms before attempt number `attempt` (0 is the first) to connect again.
 * @param {number} attempt
 * @param {() => number} [random]
 */
export function waitBefore(attempt, random = Math.random) {
  return Math.min(LONGEST_WAIT, 1_000 * 2 ** attempt) * (0.5 + random() / 2);
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
      text: frame.begun ? `${match} has begun.` : `${match} begins when you are both there.`,
      link: "Go to the match",
    };
  }
  if (frame.type === "ruling") {
    const [one, two] = (frame.seats ?? []).map((seat) => seat.name);
    return {
      kind: frame.waits ? "ruling" : "ruled",
      id: frame.match,
      url: frame.url,
      text: frame.waits ? `${one} and ${two} wait for your ruling in ${frame.game}.` : "",
      link: "Go to the match",
    };
  }
  if (frame.type === "challenge" && frame.to === me) {
    const open = frame.status === "open";
    return {
      kind: open ? "challenged" : "withdrawn",
      id: frame.challenge,
      url: frame.url,
      text: open
        ? `${frame.name} challenges you to ${frame.game}. ${frame.terms ?? ""}`.trim()
        : "",
      link: "See the challenge",
    };
  }
  if (frame.type === "challenge" && frame.from === me && frame.status === "declined") {
    return {
      kind: "declined",
      id: frame.challenge,
      url: frame.url,
      text: `Your challenge was declined.`,
      link: "",
    };
  }
  return null;
}

/**
 * The ids in the badge after a notice.
 * @param {number[]} waiting
 * @param {Pick<Notice, "kind" | "id">} notice
 */
export function waitingAfter(waiting, notice) {
  const ids = new Set(waiting);
  if (notice.kind === "challenged") ids.add(notice.id);
  if (notice.kind === "withdrawn") ids.delete(notice.id);
  return [...ids];
}

class Notices extends Target {
  /** @param {HTMLElement | null} badge */
  constructor(badge) {
    super();
    this.badge = badge;
    this.me = badge?.dataset.username ?? "";
    this.waiting = (badge?.dataset.waiting ?? "").split(",").filter(Boolean).map(Number);
    /** @type {Set<string>} */
    this.told = new Set();
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
    /** @type {Live.News | Live.Silenced | Live.HereNews} */
    let frame;
    try {
      frame = /** @type {Live.News | Live.Silenced | Live.HereNews} */ (JSON.parse(text));
    } catch {
      return;
    }
    if (frame.type === "silenced") {
      this.dispatchEvent(new CustomEvent("silenced", { detail: frame }));
      return;
    }
    if (frame.type === "here") {
      this.dispatchEvent(new CustomEvent("here", { detail: frame }));
      return;
    }
    if (!KINDS.has(frame.type)) return;
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
    this.waiting = waitingAfter(this.waiting, notice);
    this.#showBadge();
    this.#tell(notice);
  }

  #showBadge() {
    if (!this.badge) return;
    this.badge.hidden = this.waiting.length === 0;
    const count = this.badge.querySelector("[data-notices-count]");
    if (count) count.textContent = String(this.waiting.length);
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
    if (["ruling", "declined"].includes(notice.kind) && location.pathname === notice.url) return;
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
    const seconds = notice.kind === "match" || notice.kind === "ruling" ? 600 : 20;
    const box = toast(notice.text, {
      kind: notice.kind === "declined" ? "info" : "success",
      seconds,
    });
    if (notice.link) {
      const link = document.createElement("a");
      link.className = "button button--small";
      link.href = notice.url;
      link.textContent = notice.link;
      box.querySelector(".toast__close")?.before(link);
    }
    if (notice.kind !== "declined") chime();
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

// Kept by the document: this module may be there twice, loaded by the page under one address and
// imported under another.
const KEY = Symbol.for("gauntlet.notices");

/** The page's one listener; connects once the page's scripts have run. Events: `frame` (of the lists)
 *, `silenced` and `here` (detail: the frame), `back`. */
export function notices() {
  const kept = /** @type {{[KEY]?: Notices}} */ (/** @type {object} */ (document));
  if (kept[KEY] === undefined) {
    const made = new Notices(document.querySelector("[data-notices]"));
    kept[KEY] = made;
    // A browser opens one socket after the other: first the one that the page itself is about.
    onceRead(() => made.connect());
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
