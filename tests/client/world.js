/* Stand-ins for what a match client lives among: sockets, timers, a clock, storage, HTTP. Nothing in
   such a world happens unless the test says so. */

import { MatchClient } from "../../static/js/match/client.js";

export function makeWorld() {
  const world = {
    now: 1_000_000,
    sockets: [],
    timers: new Map(),
    requests: [],
    answers: { GET: [], POST: [] }, // what HTTP says next; no answer is no network
    events: [],
    store: new Map(),
  };
  let handles = 0;
  let ids = 0;

  class Socket {
    constructor(url) {
      Object.assign(this, { url, readyState: 0, sent: [] });
      world.sockets.push(this);
    }
    send(text) {
      this.sent.push(JSON.parse(text));
    }
    close() {
      this.readyState = 3;
    }
    opens() {
      this.readyState = 1;
      this.onopen();
    }
    says(frame) {
      this.onmessage({ data: typeof frame === "string" ? frame : JSON.stringify(frame) });
    }
    drops(code = 1006) {
      this.readyState = 3;
      this.onclose({ code });
    }
    types() {
      return this.sent.map(({ type }) => type);
    }
  }

  world.storage = {
    getItem: (key) => world.store.get(key) ?? null,
    setItem: (key, value) => world.store.set(key, value),
    removeItem: (key) => world.store.delete(key),
  };
  world.client = (more = {}) => {
    const client = new MatchClient({
      match: 7,
      socketUrl: "ws://here/",
      stateUrl: "/state/",
      submitUrl: "/submissions/",
      username: "ada",
      storage: world.storage,
      WebSocket: Socket,
      now: () => world.now,
      random: () => 0.5,
      setTimeout: (callback, ms) => {
        world.timers.set((handles += 1), { at: world.now + ms, callback });
        return handles;
      },
      clearTimeout: (handle) => world.timers.delete(handle),
      makeId: () => `id-${(ids += 1)}`,
      fetch: (url, options = {}) => {
        const method = options.method ?? "GET";
        world.requests.push({ url, method, body: options.body ?? null });
        const answer = world.answers[method].shift();
        if (answer === undefined) return Promise.reject(new TypeError("no network"));
        return Promise.resolve(
          new Response(answer.body ? JSON.stringify(answer.body) : null, {
            status: answer.status,
            headers: answer.headers ?? {},
          }),
        );
      },
      ...more,
    });
    for (const type of ["state", "status", "settled", "trouble", "presence", "chat"]) {
      client.addEventListener(type, ({ detail }) => world.events.push({ type, detail }));
    }
    return client;
  };
  /* Let time pass: timers that come due run in order, each at its own moment. */
  world.pass = async (ms) => {
    const end = world.now + ms;
    for (;;) {
      const due = [...world.timers].filter(([, timer]) => timer.at <= end);
      if (due.length === 0) break;
      due.sort(([, a], [, b]) => a.at - b.at);
      const [handle, timer] = due[0];
      world.timers.delete(handle);
      world.now = Math.max(world.now, timer.at);
      timer.callback();
      await world.settle();
    }
    world.now = end;
    await world.settle();
  };
  world.settle = async () => {
    // Reading an answer's body takes more than microtasks.
    for (let turn = 0; turn < 3; turn += 1) await new Promise((done) => setTimeout(done));
  };
  world.sync = (version, more = {}) => ({
    type: "sync",
    match: 7,
    version,
    at: world.now,
    you: 0,
    header: {
      seats: [
        { name: "Ada", username: "ada" },
        { name: "Ben", username: "ben" },
      ],
    },
    view: { phase: "on", paused: false, decisions: [], reserve_ms: [0, 0], result: null },
    log: [],
    presence: { seats: [true, true], spectators: 0 },
    ...more,
  });
  world.step = (version, numbers = [], more = {}) => ({
    type: "step",
    match: 7,
    version,
    at: world.now,
    view: { phase: "on", paused: false, decisions: [], reserve_ms: [0, 0], result: null },
    events: numbers.map((n) => ({ n, at: world.now, actor: 1, taken_back: false, events: [] })),
    resync: false,
    ...more,
  });
  world.statuses = () =>
    world.events.filter(({ type }) => type === "status").map(({ detail }) => detail.kind);
  /** A client whose connection is up and in sync; `socket()` is its present one. */
  world.connected = () => {
    const one = world.client();
    const socket = () => world.sockets.at(-1);
    one.start();
    socket().opens();
    socket().says(world.sync(4));
    const sent = (type) => socket().sent.filter((frame) => frame.type === type);
    return { one, socket, sent };
  };
  return world;
}
