// @ts-check
/* The connection to one running match: the live protocol, version 1, from the browser's side.

   Frames are hints, the server is the truth. The client keeps a copy of its audience's view with
   its version, applies the steps that fit, and asks for everything whenever something does not
   fit: a gap, a pong that is ahead, an ack without its step, a tab that was asleep.

   `MatchClient` is told everything it needs from outside (socket, fetch, timers, clock, chance),
   so that tests can stand in for all of it.

   Long, since a connection is one state, and each frame may touch any part of it. */

import { ServerTime } from "./clock.js";
import { Outbox } from "./outbox.js";

export const PING_EVERY = 10_000;
const SILENCE = 8_000; // a pong that takes longer than this means that the line is dead
const SILENCE_AWAKE = 3_000; // … and less is waited where the tab has just been looked at again
const ARRIVAL = 20_000; // … and more where many arrive at once: the server sees to players first
const ANSWER = 6_000; // a submission unanswered for this long is sent again
const CROWD = 2_000; // spectators come back within so long of each other
// … and ask for what a resync is about within a second, and so much more for each of them:
const RESYNC = 1_000;
const RESYNC_EACH = 10;
const RESYNC_AT_MOST = 10_000;
const STEP_AFTER_ACK = 1_500;
const POLL_EVERY = 2_000;
const POLL_SLOWLY = 15_000;
const FAILURES_BEFORE_POLLING = 2;

/**
 * What HTTP says of a submission: an ack, or a problem document.
 * @typedef {Partial<Api.Ack & Api.Problem> & {detail?: string}} Answer
 */

/**
 * @typedef {object} Meaning
 * @property {string} words for the reader
 * @property {boolean} again whether coming back makes sense
 * @property {number} [wait] the least delay before that, in ms
 */

const OFFLINE = "offline"; // in place of a close code: the browser has no network

/**
 * What a close code means for the reader, and whether coming back makes sense.
 * @type {Record<string, Meaning>}
 */
const CLOSED = {
  [OFFLINE]: { words: "You are offline.", again: true, wait: 0 },
  1012: { words: "The server is restarting.", again: true, wait: 500 },
  4012: { words: "The server is restarting.", again: true, wait: 500 },
  4400: { words: "The server could not understand this page.", again: true, wait: 5_000 },
  4401: { words: "Your sign-in has changed.", again: true, wait: 1_000 },
  4403: {
    words: "You are no longer allowed to follow this match here. Reload the page.",
    again: false,
  },
  4404: { words: "There is no such match.", again: false },
  4408: { words: "This connection was too slow to keep up.", again: true, wait: 500 },
  4413: { words: "This page sent more than the server takes.", again: true, wait: 5_000 },
  4429: { words: "Too much came from here at once.", again: true, wait: 10_000 },
  4503: { words: "The server is busy.", again: true, wait: 5_000 },
};

/**
 * The meaning of a close code: `{words, again, wait}`; `wait` is the least delay in ms.
 * @param {number | string} code
 */
export function closing(code) {
  return CLOSED[code] ?? { words: "The connection was lost.", again: true, wait: 0 };
}

/**
 * Delay in ms before the given attempt (0 is the first) to come back: doubling from half a second
 * to 15 s, of which a random half is taken off, so that thousands do not return at once.
 * @param {number} attempt
 * @param {() => number} [random]
 * @param {number} [least]
 */
export function backoff(attempt, random = Math.random, least = 0) {
  const full = Math.min(15_000, 500 * 2 ** attempt);
  return least + full * (0.5 + random() / 2);
}

/**
 * What to do with a step for somebody who is at `version` and whose log ends with item `last`:
 * `apply` it, `ignore` it as known, or `sync` because something in between was missed.
 * @param {Pick<Live.Step, "version" | "events">} step
 * @param {number | null} version
 * @param {number} last
 * @returns {"apply" | "ignore" | "sync"}
 */
export function fitOf(step, version, last) {
  if (version === null) return "ignore";
  if (step.version <= version) return "ignore";
  if (step.version !== version + 1) return "sync";
  const first = step.events.find((item) => typeof item.n === "number");
  return first === undefined || first.n === last + 1 ? "apply" : "sync";
}

/**
 * What the items of `log` tell a reader who knew `before`. Items that were secret and are revealed
 * later, as all are at the end, are not news then: they stand between what was known.
 * @param {Live.LogItem[]} before
 * @param {Live.LogItem[]} log
 */
export function unseen(before, log) {
  const last = before.at(-1);
  if (last === undefined) return log;
  const known = new Set(before.map(identity));
  return log.filter((item) => item.at >= last.at && !known.has(identity(item)));
}

/**
 * An item's number is its place in one audience's log, which is another one after the end.
 * @param {Live.LogItem} item
 */
function identity({ at, actor, events }) {
  return JSON.stringify([at, actor, events], inOrder);
}

/**
 * What was stored has its keys in another order than what was sent at once.
 * @param {string} _key
 * @param {unknown} value
 */
function inOrder(_key, value) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

const Target = /** @type {new () => Telling<Client.Events>} */ (EventTarget);

/**
 * `state` is what is known of the match: `{version, at, you, header, view, log, presence}`,
 * `presence` null before it is known. It is replaced and never changed, so that whoever keeps one
 * can compare it with the next.
 *
 * Events: `state` (the match as this reader sees it has changed; detail
 * `{cause, before, after, items}`: cause `sync` or `step`, the states before (null for the first)
 * and after, and what is new in the log), `presence` (detail `{before, after}`, states as well),
 * `status` (the connection), `outbox`, `settled` (an entry was answered; detail `{entry, ack}` or
 * `{entry, refused}`), `reminder`, `chat`, `chat.history`, `chat.removed`, `commentators`,
 * `predictions`, `trouble` (a sentence for the reader), `time` (the server's clock was measured).
 */
export class MatchClient extends Target {
  /** @param {Client.Options} options */
  constructor({
    match,
    socketUrl,
    stateUrl,
    submitUrl,
    readyUrl = "",
    username = null,
    csrf = "",
    storage = null,
    WebSocket = globalThis.WebSocket,
    fetch = globalThis.fetch.bind(globalThis),
    now = () => Date.now(),
    random = Math.random,
    setTimeout = globalThis.setTimeout.bind(globalThis),
    clearTimeout = globalThis.clearTimeout.bind(globalThis),
    makeId,
  }) {
    super();
    this.match = match;
    this.socketUrl = socketUrl;
    this.stateUrl = stateUrl;
    this.submitUrl = submitUrl;
    this.readyUrl = readyUrl;
    this.username = username;
    this.csrf = csrf;
    this.WebSocket = WebSocket;
    this.fetch = fetch;
    this.now = now;
    this.random = random;
    this.setTimeout = setTimeout;
    this.clearTimeout = clearTimeout;
    this.outbox = new Outbox({ storage, key: `gauntlet:outbox:${match}`, now, makeId });
    this.time = new ServerTime();
    /** @type {Client.State | null} */
    this.state = null;
    /** @type {Client.Status} */
    this.status = { kind: "connecting", words: "Connecting…", retryAt: null };
    /** @type {Client.Socket | null} */
    this.socket = null;
    this.attempt = 0;
    /** @type {Map<string, number>} */
    this.timers = new Map();
    /** @type {number | null} */
    this.pingSent = null;
    this.hidden = false; // nobody looks at the page
    this.received = 0; // frames on this connection
    /** @type {string | null} */
    this.etag = null;
    this.stopped = false;
    /** @type {string[] | null} */
    this.early = null; // what was said before the page was ready to be told
    this.polling = false;
    this.spell = 0; // of asking: what an earlier one has asked for says nothing about this one
    /** @type {{text: string, version: number} | null} */
    this.acked = null; // {text, version}: on disk, but not yet in the state that is shown
    this.arrived = false; // this connection has brought a `sync`
    this.comeBack = 0; // the server asked to be left alone for so long (ms)
    this.holdUntil = 0; // the server asked for less: nothing is resent before this instant
    /** @type {Live.Known | null} */
    this.known = null; // the latest state whose log need not be told anew
    /** @type {Client.OwnNonce | null} */
    this.nonce = null; // what this page adds to the draws, while the match waits
    /** @type {Pick<Live.Sync, "view" | "you"> | null} */
    this.came = null; // what the page came with
  }

  /**
   * Connect while the page is still being made: what the server says is kept for `start`, which is
   * then to be called with the same state.
   * @param {Live.Sync | null} [sync]
   */
  open(sync = null) {
    this.early = [];
    this.came = sync;
    this.known = sync && knownOf(sync);
    this.#connect();
  }

  /**
   * Begin, if possible with the state that the page came with.
   * @param {Live.Sync | null} [sync]
   */
  start(sync = null) {
    if (sync !== null) this.#sync(sync);
    this.#connect();
    const { early } = this;
    this.early = null;
    for (const data of early ?? []) this.#received(data);
  }

  /** Close the connection for good. */
  stop() {
    this.stopped = true;
    for (const name of [...this.timers.keys()]) this.#cancel(name);
    this.#drop();
  }

  /** The server's time now, as well as it is known. */
  serverNow() {
    return this.time.at(this.now());
  }

  /** The text of a submission that is on its way, or whose effect is yet to be shown; or null. */
  get pending() {
    return this.outbox.waiting("submit")?.body.text ?? this.acked?.text ?? null;
  }

  /**
   * Submit a move or `concede`. Null, and nothing is sent, while another one is pending.
   * @param {string} text
   * @param {string} [id] under which the reader's other tabs may submit the same
   */
  submit(text, id) {
    if (this.state === null || this.pending !== null) return null;
    const { version } = this.state;
    return this.#post("submit", { match: this.match, text, version }, id);
  }

  /**
   * An organiser's act with its reason.
   * @param {string} text
   * @param {string} why
   */
  organise(text, why) {
    return this.#post("organise", { text, why });
  }

  /**
   * Say something in a room.
   * @param {Live.Room} room
   * @param {string} text
   */
  chat(room, text) {
    return this.#post("chat", { room, text });
  }

  /**
   * Ask for what was said in a room.
   * @param {Live.Room | undefined} room
   */
  chatHistory(room) {
    this.#send({ type: "chat.history", room });
  }

  /** The tab is looked at again, or the network is back: find out what was missed, now. */
  wake() {
    this.hidden = false;
    if (this.stopped) return;
    if (this.#open()) {
      // A line that died while the tab slept still looks open: the pong will tell.
      const { socket } = this;
      this.pingSent = null;
      this.#askForSync();
      this.#ping();
      this.#after("silence", SILENCE_AWAKE, () => this.#gone(socket, 1006));
    } else if (this.socket === null) {
      this.attempt = 0;
      this.#connect();
    }
    if (this.polling) void this.#poll();
  }

  /** Nobody looks at the page any more: whose turn it is hears of it elsewhere. */
  hide() {
    this.hidden = true;
    if (this.stopped || !this.#open()) return;
    this.pingSent = null;
    this.#ping();
  }

  /** The browser says that there is no network: what hangs on it is gone, without waiting for it. */
  offline() {
    if (this.stopped) return;
    if (this.socket !== null) this.#gone(this.socket, OFFLINE);
    else this.#away(closing(OFFLINE).words, { told: true });
  }

  // -- the socket ---------------------------------------------------------------------------

  #connect() {
    this.#cancel("connect");
    if (this.stopped || this.socket !== null) return;
    if (!["polling", "lost"].includes(this.status.kind)) this.#status("connecting", "Connecting…");
    let socket;
    try {
      socket = new this.WebSocket(this.#address());
    } catch {
      this.#lost(1006);
      return;
    }
    this.socket = socket;
    this.received = 0;
    this.arrived = false;
    this.#after("open", SILENCE, () => this.#gone(socket, 1006));
    socket.onopen = () => {
      if (this.socket !== socket) return;
      this.#awaitArrival();
      this.#ping();
    };
    socket.onmessage = (message) => {
      if (this.socket === socket) this.#received(String(message.data));
    };
    socket.onclose = (event) => this.#gone(socket, event.code);
    socket.onerror = () => {};
  }

  /** Where the socket is, with what this page has already. */
  #address() {
    const query = new URLSearchParams();
    if (this.known !== null) {
      const { you, version, log } = this.known;
      query.set("you", String(you ?? ""));
      query.set("version", String(version));
      query.set("log", String(log));
    }
    const commitment = this.#committing();
    if (commitment !== null) query.set("commitment", commitment);
    return query.size > 0 ? `${this.socketUrl}?${query}` : this.socketUrl;
  }

  /* What this page commits to as it comes, if it does. */
  #committing() {
    this.#mindOwn();
    return this.nonce?.mayCommit ? this.nonce.commitment : null;
  }

  /* Once another device of the reader's has committed in place of this one, this one does not do so
     again by itself: the two would go on for ever. Nor does it where none is taken any more. */
  #mindOwn() {
    const { nonce } = this;
    const { view, you } = this.state ?? this.came ?? {};
    if (nonce === null || you === null || you === undefined || !view?.draws) return;
    const stands = view.draws.nonces[you]?.commitment ?? null;
    if (stands === nonce.commitment) {
      nonce.taken = true;
      return;
    }
    const isClosed = view.waiting?.opens_until !== undefined || view.waiting?.without?.[you];
    if ((nonce.taken && stands !== null) || isClosed) nonce.mayCommit = false;
  }

  /** Open, but not let in yet: a page that gave up and came again would only make it worse. */
  #awaitArrival() {
    const { socket } = this;
    this.#after("open", ARRIVAL, () => this.#gone(socket, 1006));
    if (this.pingSent !== null) this.#after("silence", ARRIVAL, () => this.#gone(socket, 1006));
  }

  #open() {
    return this.socket?.readyState === 1;
  }

  /**
   * @param {Client.Socket | null} socket
   * @param {number | string} code
   */
  #gone(socket, code) {
    if (this.socket !== socket) return;
    this.#drop();
    this.#lost(code);
  }

  #drop() {
    const { socket } = this;
    this.socket = null;
    this.pingSent = null;
    this.#cancel("open");
    this.#cancel("ping");
    this.#cancel("silence");
    this.#cancel("resend");
    this.outbox.connectionLost();
    if (this.early !== null) this.early = [];
    if (socket === null) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  /** @param {number | string} code */
  #lost(code) {
    if (this.stopped) return;
    const { words, again, wait = 0 } = closing(code);
    if (!again) {
      this.stopped = true;
      this.#cancel("poll");
      this.#status("closed", words);
      return;
    }
    const least = Math.max(wait, this.comeBack);
    this.comeBack = 0;
    // A crowd of spectators that lost its server leaves the first seconds to those who play.
    const crowd = this.state !== null && this.state.you === null ? this.random() * CROWD : 0;
    const delay = backoff(this.attempt, this.random, least) + crowd;
    this.attempt += 1;
    this.#after("connect", delay, () => this.#connect());
    if (this.attempt >= FAILURES_BEFORE_POLLING) this.#startPolling();
    if (!this.polling || this.status.kind !== "polling" || code === OFFLINE) {
      this.#away(words, { told: code in CLOSED, retryAt: this.now() + delay });
    }
  }

  /**
   * One sentence for as long as the connection is away, whatever is tried and fails meanwhile: the
   * first one, unless somebody has more to say than that.
   * @param {string} words
   * @param {{told?: boolean, retryAt?: number | null}} [more]
   */
  #away(words, { told = false, retryAt = null } = {}) {
    const steady = this.status.kind === "lost" && !told;
    this.#status("lost", steady ? this.status.words : words, retryAt);
  }

  #ping() {
    if (!this.#open() || this.pingSent !== null) return;
    this.pingSent = this.now();
    const { socket } = this;
    // The count tells the server how far this reader has got, so that it need not guess.
    const hidden = this.hidden && { hidden: true };
    this.#send({ type: "ping", at: this.pingSent, received: this.received, ...hidden });
    const patience = this.arrived ? SILENCE : ARRIVAL;
    this.#after("silence", patience, () => this.#gone(socket, 1006));
  }

  /** @param {object} frame */
  #send(frame) {
    if (this.socket?.readyState !== 1) return false;
    this.socket.send(JSON.stringify(frame));
    return true;
  }

  // -- what arrives -------------------------------------------------------------------------

  /** @param {string} data */
  #received(data) {
    if (this.early !== null) {
      this.early.push(data);
      return;
    }
    this.received += 1;
    /** @type {Live.Frame} */
    let frame;
    try {
      frame = /** @type {Live.Frame} */ (JSON.parse(data));
    } catch {
      return;
    }
    if (isForThePage(frame)) {
      this.#tell(frame.type, frame);
      return;
    }
    switch (frame.type) {
      case "sync":
        this.#connected();
        this.#sync(frame);
        this.#flush();
        break;
      case "step":
        this.#step(frame);
        break;
      case "ack":
        this.#acked(frame);
        break;
      case "refused":
        this.#refused(frame);
        break;
      case "pong":
        this.#pong(frame);
        break;
      case "presence":
        this.#present(frame);
        break;
      case "chat":
        this.#heard(frame);
        this.#tell("chat", frame);
        break;
      case "chat.history":
        for (const message of frame.messages) this.#heard({ room: frame.room, message });
        this.#tell("chat.history", frame);
        break;
      case "error":
        this.#troubled(frame);
        break;
      case "waiting":
        this.#awaitArrival();
        break;
      case "closing":
        this.comeBack = (frame.retry_after ?? 0) * 1000;
        break;
      default:
        // A newer server may say more than this page knows.
        break;
    }
  }

  #connected() {
    this.attempt = 0;
    this.arrived = true;
    this.#cancel("open");
    this.#stopPolling();
    this.#status("live", "Connected");
  }

  /** @param {Live.Sync} frame */
  #sync(frame) {
    this.time.guess(frame.at, this.now());
    // Each audience counts its own versions: after signing in or out the old ones mean nothing.
    const same = this.state?.you === frame.you ? this.state : null;
    if (same !== null && frame.version < same.version) return;
    const { version, at, you, header, view, presence, after: kept = 0 } = frame;
    if (kept > (same?.log.length ?? 0)) {
      // It goes on from a log that is not here.
      this.known = null;
      this.#catchUp();
      return;
    }
    const log = [...(same?.log.slice(0, kept) ?? []), ...frame.log];
    const before = this.state;
    const after = this.#become({
      version,
      at,
      you,
      header,
      view,
      log,
      presence: presence ?? before?.presence ?? null,
    });
    this.known = knownOf(after);
    this.#cancel("catch-up");
    this.#arrived();
    this.#openNonce();
    this.#tell("state", { cause: "sync", before, after, items: newsFor(before, after) });
  }

  /** @param {Client.State} state */
  #become(state) {
    this.state = Object.freeze(state);
    this.#mindOwn();
    return this.state;
  }

  /* Once both players are there, whoever has committed to a number tells it; until it is there,
     each time anew. That the server has said until when numbers are awaited is its word that nobody
     commits any more: what it shows at that moment is noted before the number is out. */
  #openNonce() {
    const { state, nonce } = this;
    if (state === null || nonce === null) return;
    const { phase, waiting, draws } = state.view;
    if (phase !== "waiting") {
      this.nonce = null;
      return;
    }
    const own = state.you === null ? undefined : draws?.nonces[state.you];
    if (waiting?.opens_until === undefined || own?.commitment !== nonce.commitment) return;
    if (state.you !== null && waiting.without?.[state.you]) return;
    if (draws === undefined || own.opened || !nonce.mayOpen(draws)) return;
    const told = { type: "nonce", id: "nonce", match: this.match, nonce: nonce.nonce };
    // Where that fails the next poll finds that it is not there yet.
    if (!this.#send(told) && this.polling) {
      void this.postReady({ nonce: nonce.nonce }).catch(() => {});
    }
  }

  /** @param {{nonce: string} | {without: true}} body */
  postReady(body) {
    return this.#postJson(this.readyUrl, body);
  }

  /**
   * @param {string} address
   * @param {object} body
   */
  #postJson(address, body) {
    return this.fetch(address, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json",
        "X-CSRFToken": this.csrf,
      },
      credentials: "same-origin",
      body: JSON.stringify(body),
    });
  }

  /** @param {Live.Step} frame */
  #step(frame) {
    if (this.state === null) return;
    const fit = fitOf(frame, this.state.version, lastNumber(this.state.log));
    if (fit === "sync") this.#askForSync();
    if (fit !== "apply") return;
    const { version, at, events, resync } = frame;
    const before = this.state;
    const { draws = before.view.draws } = frame.view; // once a match has begun they are not repeated
    const view = draws === undefined ? frame.view : { ...frame.view, draws };
    const log = [...before.log, ...events];
    const after = this.#become({ ...before, version, at, view, log });
    // What was said before reads differently now: a take-back, or the end, which reveals all. What
    // follows builds on that until it has been told anew.
    if (!resync && this.known?.version === before.version) this.known = knownOf(after);
    this.#arrived();
    this.#openNonce();
    this.#tell("state", { cause: "step", before, after, items: events });
    // A room full of spectators does not ask all at once: the fuller, the longer it takes.
    if (resync && this.state.you !== null) this.#catchUp();
    else if (resync) {
      const crowd = RESYNC_EACH * (this.state.presence?.spectators ?? 0);
      const within = Math.min(RESYNC_AT_MOST, RESYNC + crowd);
      this.#after("catch-up", this.random() * within, () => this.#catchUp());
    }
  }

  /**
   * One's own line, come back from the server, answers the entry that it was sent with.
   * @param {Pick<Live.Said, "room" | "message">} said
   */
  #heard({ room, message }) {
    if (this.state === null || message.username === null) return;
    const entry = this.outbox.entries.find(
      ({ type, sent, body }) =>
        type === "chat" && sent !== null && body.room === room && body.text.trim() === message.text,
    );
    if (entry !== undefined && message.username === this.username) {
      this.#settled(entry.id, { ack: message });
    }
  }

  /** @param {Pick<Live.Ack, "id" | "version">} frame */
  #acked(frame) {
    const entry = this.outbox.waiting("submit");
    if (this.state !== null && frame.version > this.state.version) {
      // Until the step is here the page shows a decision that is made already.
      if (entry?.id === frame.id) this.acked = { text: entry.body.text, version: frame.version };
      this.#after("step", STEP_AFTER_ACK, () => this.#catchUp());
    }
    this.#settled(frame.id, { ack: frame });
  }

  #arrived() {
    if (this.acked !== null && this.acked.version > (this.state?.version ?? 0)) return;
    this.acked = null;
    this.#cancel("step");
  }

  /** @param {Omit<Live.Refused, "type">} frame */
  #refused(frame) {
    if (this.nonce !== null && frame.code === "draws.changes") this.nonce.mayCommit = false;
    // Another device of the same player came first: the match has a number of theirs.
    if (frame.code.startsWith("draws.")) return;
    if (!this.#settled(frame.id, { refused: frame })) this.#tell("trouble", frame);
    // What was refused as out of date was seen on an out-of-date board.
    if (frame.code.startsWith("version.")) this.#catchUp();
  }

  /** @param {Live.Pong} frame */
  #pong(frame) {
    this.#cancel("silence");
    if (this.pingSent !== null) this.time.measure(this.pingSent, this.now(), frame.now);
    this.pingSent = null;
    this.#after("ping", PING_EVERY, () => this.#ping());
    if (this.state !== null && frame.version > this.state.version) this.#askForSync();
    if (frame.presence) this.#present(frame.presence);
    this.#tell("time", {});
  }

  /** @param {Live.Attendance} there */
  #present({ seats, spectators }) {
    if (this.state === null) return;
    const before = this.state;
    const presence = { seats, spectators };
    if (JSON.stringify(before.presence) === JSON.stringify(presence)) return;
    this.#tell("presence", { before, after: this.#become({ ...before, presence }) });
  }

  /** @param {Live.Trouble} frame */
  #troubled(frame) {
    if (frame.retry_after) this.holdUntil = this.now() + frame.retry_after * 1000;
    this.#tell("trouble", frame);
  }

  #catchUp() {
    if (!this.#askForSync() && this.polling) void this.#poll();
  }

  /** Ask for everything, but for what is known of the log. */
  #askForSync() {
    return this.#send(this.known === null ? { type: "sync" } : { type: "sync", known: this.known });
  }

  // -- what is sent -------------------------------------------------------------------------

  /**
   * @param {Client.Posted} type
   * @param {Client.Body} body
   * @param {string} [id]
   */
  #post(type, body, id) {
    const entry = this.outbox.add(type, body, id);
    this.#tell("outbox", {});
    this.#flush();
    return entry;
  }

  #flush() {
    const wait = this.holdUntil - this.now();
    if (wait > 0) {
      this.#after("resend", wait, () => this.#flush());
      return;
    }
    for (const entry of this.outbox.due(ANSWER)) {
      if (this.#open()) {
        // A line that was said already is not said again; the history shows that it was.
        if (entry.type === "chat" && entry.tries > 0) this.chatHistory(entry.body.room);
        this.outbox.wasSent(entry);
        this.#send(Outbox.frame(entry));
      } else if (this.polling && entry.type === "submit") {
        this.outbox.wasSent(entry);
        void this.#submitOverHttp(entry);
      }
    }
    if (this.outbox.entries.length > 0) this.#after("resend", ANSWER, () => this.#flush());
  }

  /**
   * @param {string | null} id
   * @param {Omit<Client.Settled, "entry">} answer
   */
  #settled(id, answer) {
    const entry = this.outbox.settle(id);
    if (entry === null) return false;
    this.#tell("settled", { entry, ...answer });
    this.#tell("outbox", {});
    return true;
  }

  // -- without a socket ---------------------------------------------------------------------

  #startPolling() {
    if (this.polling) return;
    this.polling = true;
    this.spell += 1;
    void this.#poll();
  }

  #stopPolling() {
    this.polling = false;
    this.#cancel("poll");
  }

  async #poll() {
    this.#cancel("poll");
    let delay = POLL_EVERY;
    const { spell } = this;
    const ended = () => !this.polling || spell !== this.spell;
    try {
      /** @type {Record<string, string>} */
      const headers = { Accept: "application/json" };
      if (this.etag !== null) headers["If-None-Match"] = this.etag;
      const sent = this.now();
      // Who asks so is there: the other waits for them, and is told.
      const commitment = this.#committing();
      const added = commitment === null ? "" : `&commitment=${commitment}`;
      const response = await this.fetch(`${this.stateUrl}?here=true${added}`, {
        headers,
        cache: "no-store",
        credentials: "same-origin",
      });
      if (ended()) return;
      if (response.status === 200) {
        const frame = /** @type {Live.Sync} */ (await response.json());
        if (ended()) return;
        this.etag = response.headers.get("ETag");
        this.time.measure(sent, this.now(), frame.at);
        this.#sync(frame);
      }
      if (response.ok || response.status === 304) {
        this.#status("polling", "Live connections are blocked here; asking every 2 seconds.");
        this.#flush();
      } else {
        delay = retryAfter(response) ?? POLL_SLOWLY;
        const words = `The server answers ${response.status}.`;
        this.#away(words, { told: true, retryAt: this.now() + delay });
      }
    } catch {
      if (ended()) return;
      this.#away("The server cannot be reached.", { retryAt: this.now() + delay });
    }
    if (!ended()) this.#after("poll", delay, () => void this.#poll());
  }

  /** @param {Client.Entry} entry */
  async #submitOverHttp(entry) {
    const { id, body } = entry;
    try {
      const { text, version } = body;
      const response = await this.#postJson(this.submitUrl, { id, text, version });
      const answer = /** @type {Answer} */ (await response.json().catch(() => ({})));
      if (response.ok) {
        this.#acked({ ...answer, id, version: answer.version ?? this.state?.version ?? 0 });
        void this.#poll();
      } else if (response.status === 429 || response.status >= 500) {
        this.holdUntil = this.now() + (retryAfter(response) ?? ANSWER);
      } else {
        const code = answer.code ?? `http.${response.status}`;
        const sentence = answer.sentence ?? answer.detail ?? "The server refused this.";
        this.#refused({ id, code, sentence, squares: answer.squares ?? [] });
      }
    } catch {
      // No answer: it stays in the outbox and is sent again.
      entry.sent = null;
    }
  }

  // -- odds and ends ------------------------------------------------------------------------

  /**
   * @param {Client.Status["kind"]} kind
   * @param {string} words
   * @param {number | null} [retryAt]
   */
  #status(kind, words, retryAt = null) {
    if (kind === this.status.kind && words === this.status.words && retryAt === null) return;
    this.status = { kind, words, retryAt };
    this.#tell("status", this.status);
  }

  /**
   * @template {keyof Client.Events} Name
   * @param {Name} type
   * @param {Client.Events[Name]} detail
   */
  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  /**
   * @param {string} name
   * @param {number} ms
   * @param {() => void} callback
   */
  #after(name, ms, callback) {
    this.#cancel(name);
    const handle = this.setTimeout(() => {
      this.timers.delete(name);
      callback();
    }, ms);
    this.timers.set(name, handle);
  }

  /** @param {string} name */
  #cancel(name) {
    const handle = this.timers.get(name);
    if (handle === undefined) return;
    this.clearTimeout(handle);
    this.timers.delete(name);
  }
}

/**
 * A reader whom the page tells for the first time, or anew as somebody else, is told no news; and
 * once a match is over, nothing that is revealed afterwards is.
 * @param {Client.State | null} before
 * @param {Client.State} after
 */
function newsFor(before, after) {
  if (before === null || before.you !== after.you || before.view.phase === "over") return [];
  return unseen(before.log, after.log);
}

/**
 * What a state has, as the server is told.
 * @param {Pick<Live.Sync | Client.State, "you" | "version" | "log">} state
 * @returns {Live.Known}
 */
function knownOf({ you, version, log }) {
  return { you, version, log: log.length };
}

/**
 * Frames that change nothing of what is known of the match: the page makes something of them.
 * @typedef {Live.Reminder | Live.Planned | Live.Removed | Live.Commentators | Live.Predictions} Passed
 */

/**
 * @param {Live.Frame} frame
 * @returns {frame is Passed}
 */
function isForThePage(frame) {
  return ["reminder", "plan", "chat.removed", "commentators", "predictions"].includes(frame.type);
}

/** @param {Live.LogItem[]} log */
function lastNumber(log) {
  return log.length === 0 ? 0 : log[log.length - 1].n;
}

/** @param {Response} response */
function retryAfter(response) {
  const seconds = Number(response.headers.get("Retry-After"));
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : null;
}
