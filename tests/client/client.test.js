/* The connection to a match. Every drop and every delay happens exactly when a test says so. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { backoff, unseen } from "../../static/js/match/client.js";
import { makeWorld } from "./world.js";

test("backing off grows to a limit and is jittered", () => {
  for (const [attempt, full] of [
    [0, 500],
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [10, 15_000],
  ]) {
    assert.equal(
      backoff(attempt, () => 0),
      full / 2,
    );
    const longest = backoff(attempt, () => 0.999);
    assert.ok(longest > full * 0.99 && longest <= full);
  }
  assert.equal(
    backoff(0, () => 0, 500),
    750,
  );
});

test("steps that fit are applied and gaps are asked about", () => {
  const world = makeWorld();
  const { one, socket, sent } = world.connected();
  const seen = [];
  const hear = (frame) => {
    if (frame) socket().says(frame);
    seen.push([one.state.version, one.state.log.length, sent("sync").length]);
  };
  hear(null);
  hear(world.step(5, [1]));
  hear(world.step(5, [1])); // told twice
  hear(world.step(7, [3])); // 6 was missed
  hear(world.sync(7, { log: [1, 2, 3].map((n) => ({ n, events: [] })) }));
  hear(world.step(8, [5])); // the log has a hole
  hear(world.sync(6)); // older than what is known
  assert.deepEqual(seen, [
    [4, 0, 0],
    [5, 1, 0],
    [5, 1, 0],
    [5, 1, 1],
    [7, 3, 1],
    [7, 3, 2],
    [7, 3, 2],
  ]);
});

test("what draws are derived from is kept where it is not told anew", () => {
  const world = makeWorld();
  const { one, socket } = world.connected();
  const drawsOf = (commitment) => ({ commitment, nonces: [] });
  const seen = [];
  const hear = (frame) => {
    socket().says(frame);
    seen.push(one.state.view.draws?.commitment);
  };
  const { view } = one.state;
  hear(world.step(5, [1]));
  hear(world.step(6, [2], { view: { ...view, draws: drawsOf("first") } }));
  hear(world.step(7, [3], { view: { ...view, draws: drawsOf("second") } }));
  hear(world.step(8, [4], { view }));
  assert.deepEqual(seen, [undefined, "first", "second", "second"]);
});

test("a state is replaced and never changed, whatever frame has changed it", () => {
  const world = makeWorld();
  const { one, socket } = world.connected();
  const kept = [];
  const tells = [];
  const keep = () => kept.push([one.state, JSON.stringify(one.state)]);
  for (const type of ["state", "presence"]) {
    one.addEventListener(type, ({ detail: { before, after } }) => {
      const [last] = kept.at(-1);
      tells.push([type, before === last, after === one.state, after !== before]);
    });
  }
  keep();
  const over = { ...one.state.view, phase: "over", result: { winner: 0 } };
  const there = { seats: [true, true], spectators: 2 };
  for (const frame of [
    world.step(5, [1]),
    { type: "presence", match: 7, seats: [true, false], spectators: 2 },
    { type: "pong", at: 0, now: 1, version: 5, presence: there },
    world.sync(6, { log: [{ n: 1, at: 1, actor: 1, events: [] }] }),
    world.step(7, [2], { view: over, resync: true }),
    world.sync(1, { you: null }),
  ]) {
    socket().says(frame);
    keep();
  }
  for (const [state, text] of kept) {
    assert.equal(JSON.stringify(state), text);
    assert.ok(Object.isFrozen(state));
  }
  assert.equal(new Set(kept.map(([state]) => state)).size, 7);
  const kinds = ["state", "presence", "presence", "state", "state", "state"];
  assert.deepEqual(
    tells,
    kinds.map((kind) => [kind, true, true, true]),
  );
});

test("what is said while the page is being made is kept for it", () => {
  const world = makeWorld();
  const one = world.client();
  one.open();
  const [socket] = world.sockets;
  socket.opens();
  socket.says(world.sync(4));
  socket.says(world.step(5, [1]));
  assert.deepEqual([one.state, world.events], [null, []]);
  one.start(world.sync(3));
  assert.equal(world.sockets.length, 1);
  assert.deepEqual([one.state.version, one.status.kind, one.received], [5, "live", 2]);
  socket.says(world.step(6, [2]));
  assert.equal(one.state.version, 6);
});

test("what a connection has said that is gone again by then is not", async () => {
  const world = makeWorld();
  const one = world.client();
  one.open();
  world.sockets[0].opens();
  world.sockets[0].says(world.sync(4));
  world.sockets[0].drops(1006);
  one.start(world.sync(3));
  assert.deepEqual([one.state.version, one.status.kind], [3, "lost"]);
  await world.pass(2_000);
  world.sockets[1].opens();
  world.sockets[1].says(world.sync(5));
  assert.deepEqual([one.state.version, one.status.kind], [5, "live"]);
});

test("what was missed is news and what is revealed is not", () => {
  const item = (n, at, text) => ({ n, at, actor: 1, taken_back: false, events: [{ text }] });
  const known = [item(1, 10, "a"), item(2, 20, "b")];
  const told = (log) => unseen(known, log).map(({ events }) => events[0].text);
  assert.deepEqual(told(known), []);
  assert.deepEqual(told([...known, item(3, 30, "c")]), ["c"]);
  // A secret of old: the numbers of what follows are other ones now.
  const revealed = [item(1, 10, "a"), item(2, 15, "secret"), item(3, 20, "b"), item(4, 30, "c")];
  assert.deepEqual(told(revealed), ["c"]);
  const undone = [{ ...known[0], taken_back: true }, known[1], item(3, 30, "take back")];
  assert.deepEqual(told(undone), ["take back"]);
  assert.equal(unseen([], [item(1, 5, "first")]).length, 1);
  // As it was stored, with its keys in another order than as it was sent.
  const stored = {
    ...known[0],
    events: [{ text: "d", data: { corner: "A1", by: { a: 1, b: [2] } } }],
  };
  const sent = {
    ...known[0],
    events: [{ data: { by: { b: [2], a: 1 }, corner: "A1" }, text: "d" }],
  };
  assert.equal(unseen([stored], [sent]).length, 0);
});

test("a step that asks for it is followed by a sync", () => {
  const world = makeWorld();
  const { one, socket } = world.connected();
  socket().says(world.step(5, [1], { resync: true }));
  assert.equal(one.state.version, 5);
  assert.deepEqual(socket().types(), ["ping", "sync"]);
});

test("spectators ask at a moment of their own, so that a full room does not ask all at once", async () => {
  const world = makeWorld();
  const { socket } = world.connected();
  socket().says(world.sync(2, { you: null }));
  socket().says(world.step(3, [1], { resync: true }));
  assert.deepEqual(socket().types(), ["ping"]);
  await world.pass(600);
  assert.deepEqual(socket().types(), ["ping", "sync"]);
});

test("the fuller the room, the longer spectators take to ask after an end", async () => {
  for (const [spectators, within] of [
    [0, 1_000],
    [300, 4_000],
    [100_000, 10_000],
  ]) {
    const world = makeWorld();
    const { socket, sent } = world.connected();
    const presence = { seats: [true, true], spectators };
    socket().says(world.sync(2, { you: null, presence }));
    socket().says(world.step(3, [1], { resync: true }));
    await world.pass(within / 2 - 10); // chance says half of it
    assert.equal(sent("sync").length, 0);
    await world.pass(20);
    assert.equal(sent("sync").length, 1);
  }
});

// -- from a version on --------------------------------------------------------------------------

const item = (n, more = {}) => ({ n, at: n, actor: 1, taken_back: false, events: [], ...more });
const numbers = ({ state }) => state.log.map(({ n }) => n);

test("whoever comes back says what they have, and goes on from there", () => {
  const world = makeWorld();
  const { one, socket } = world.connected();
  assert.equal(socket().url, "ws://here/");
  socket().says(world.step(5, [1, 2]));
  socket().drops();
  one.wake();
  assert.equal(socket().url, "ws://here/?you=0&version=5&log=2");
  socket().opens();
  socket().says(
    world.sync(8, { after: 2, log: [3, 4].map((n) => item(n, { at: world.now + n })) }),
  );
  assert.deepEqual([one.state.version, numbers(one)], [8, [1, 2, 3, 4]]);
  assert.equal(one.state.after, undefined);
  const [news] = world.events.filter(({ type }) => type === "state").slice(-1);
  assert.deepEqual(
    news.detail.items.map(({ n }) => n),
    [3, 4],
  );
});

test("a spectator is nobody in particular, and a page knows what it came with", () => {
  const world = makeWorld();
  const one = world.client();
  const came = world.sync(4, { you: null, log: [item(1)] });
  one.open(came);
  assert.equal(world.sockets[0].url, "ws://here/?you=&version=4&log=1");
  world.sockets[0].opens();
  world.sockets[0].says(world.sync(6, { you: null, after: 1, log: [item(2)] }));
  one.start(came);
  assert.deepEqual([one.state.version, numbers(one)], [6, [1, 2]]);
});

test("a gap is asked about with what is there", () => {
  const world = makeWorld();
  const { one, socket, sent } = world.connected();
  socket().says(world.step(5, [1]));
  socket().says(world.step(7, [3]));
  assert.deepEqual(sent("sync"), [{ type: "sync", known: { you: 0, version: 5, log: 1 } }]);
  socket().says(world.sync(7, { after: 1, log: [item(2), item(3)] }));
  assert.deepEqual(numbers(one), [1, 2, 3]);
});

test("what is to be told anew is not built upon, nor is what follows it", () => {
  const world = makeWorld();
  const { one, socket, sent } = world.connected();
  const before = { you: 0, version: 5, log: 1 };
  socket().says(world.step(5, [1]));
  socket().says(world.step(6, [2], { resync: true }));
  socket().says(world.step(7, [3]));
  one.wake();
  assert.deepEqual(
    sent("sync").map(({ known }) => known),
    [before, before],
  );
  const taken = [item(1, { taken_back: true }), item(2), item(3)];
  socket().says(world.sync(7, { log: taken }));
  assert.deepEqual(one.state.log, taken);
  socket().says(world.step(8, [4]));
  one.wake();
  assert.deepEqual(sent("sync").at(-1).known, { you: 0, version: 8, log: 4 });
});

test("what the server builds on something that is not here is asked for whole", () => {
  const world = makeWorld();
  const { one, socket, sent } = world.connected();
  socket().says(world.sync(9, { after: 3, log: [item(4)] }));
  assert.equal(one.state.version, 4);
  socket().says(world.sync(9, { you: 1, after: 1, log: [item(2)] }));
  assert.deepEqual(sent("sync"), [{ type: "sync" }, { type: "sync" }]);
  socket().says(world.sync(9, { log: [item(1)] }));
  assert.deepEqual(numbers(one), [1]);
});

const SUBMITTED = { type: "submit", id: "id-1", match: 7, text: "D4 90", version: 4 };

test("a submission is sending until its ack", () => {
  const world = makeWorld();
  const { one, socket, sent } = world.connected();
  const entry = one.submit("D4 90");
  assert.equal(one.submit("E5 0"), null); // one at a time
  assert.equal(one.outbox.waiting("submit")?.body.text, "D4 90");
  assert.deepEqual(sent("submit"), [SUBMITTED]);
  socket().says({ type: "ack", id: entry.id, match: 7, version: 5, at: world.now });
  assert.equal(one.outbox.waiting("submit"), null);
  assert.equal(one.pending, "D4 90"); // until the step is here, too
  assert.equal(world.events.filter(({ type }) => type === "settled").length, 1);
  socket().says(world.step(5, [1]));
  assert.equal(one.pending, null);
});

test("what was not acked is sent again under its id after a drop", async () => {
  const world = makeWorld();
  const { one, socket, sent } = world.connected();
  const entry = one.submit("D4 90");
  socket().drops(1006);
  assert.equal(one.outbox.waiting("submit")?.id, "id-1");
  await world.pass(2_000);
  socket().opens();
  assert.deepEqual(socket().types(), ["ping"]);
  socket().says(world.sync(5));
  // The version is the one that the player looked at, not the newer one: the server must judge.
  assert.deepEqual(sent("submit"), [SUBMITTED]);
  socket().says({ type: "ack", id: entry.id, match: 7, version: 5, at: world.now });
  socket().drops(1006);
  await world.pass(2_000);
  socket().opens();
  socket().says(world.sync(5));
  assert.equal(world.sockets.length, 3);
  assert.deepEqual(sent("submit"), []);
});

test("a new page sends what the old one could not", () => {
  const world = makeWorld();
  const { one, socket, sent } = world.connected();
  socket().drops(1006);
  one.submit("D4 90");
  one.stop();
  const two = world.client();
  two.start();
  socket().opens();
  socket().says(world.sync(4));
  assert.deepEqual(
    sent("submit").map(({ id }) => id),
    ["id-1"],
  );
});

test("an unanswered submission is sent again on the same socket", async () => {
  const world = makeWorld();
  const { one, socket, sent } = world.connected();
  one.submit("D4 90");
  socket().says({ type: "pong", at: 0, now: world.now, version: 4 });
  await world.pass(6_500);
  assert.equal(world.sockets.length, 1);
  assert.deepEqual(
    sent("submit").map(({ id }) => id),
    ["id-1", "id-1"],
  );
});

function refusal(id, code, squares = []) {
  return { type: "refused", id, code, sentence: "No.", squares };
}

test("a refusal ends the sending and is told", () => {
  const world = makeWorld();
  const { one, socket } = world.connected();
  const entry = one.submit("D4 90");
  socket().says(refusal(entry.id, "place.overlap", ["D4"]));
  const { detail } = world.events.find(({ type }) => type === "settled");
  assert.equal(one.outbox.waiting("submit"), null);
  assert.deepEqual(detail.refused.squares, ["D4"]);
  assert.deepEqual(socket().types(), ["ping", "submit"]);
});

test("a stale submission makes the page catch up", () => {
  const { one, socket } = makeWorld().connected();
  const entry = one.submit("D4 90");
  socket().says(refusal(entry.id, "version.stale"));
  assert.deepEqual(socket().types(), ["ping", "submit", "sync"]);
});

test("an ack without its step is followed up", async () => {
  const world = makeWorld();
  const { one, socket, sent } = world.connected();
  const entry = one.submit("D4 90");
  socket().says({ type: "ack", id: entry.id, match: 7, version: 5, at: world.now });
  await world.pass(1_400);
  assert.equal(sent("sync").length, 0);
  await world.pass(200);
  assert.equal(sent("sync").length, 1);
});

test("pings measure time, find gaps and notice dead lines", async () => {
  const world = makeWorld();
  const { one, socket, sent } = world.connected();
  world.now += 40;
  const presence = { seats: [true, false], spectators: 3 };
  socket().says({ type: "pong", at: 0, now: 9_000_020, version: 4, presence });
  assert.equal(one.serverNow(), 9_000_040);
  assert.equal(one.state.presence.spectators, 3);
  await world.pass(10_000);
  assert.deepEqual(
    sent("ping").map(({ received }) => received),
    [0, 2],
  );
  socket().says({ type: "pong", at: 0, now: one.serverNow(), version: 6 });
  assert.equal(sent("sync").length, 1);
  await world.pass(10_000);
  const dead = socket();
  await world.pass(8_000); // no pong any more
  await world.pass(1_000);
  assert.equal(dead.readyState, 3);
  assert.equal(world.sockets.length, 2);
});

test("a tab that is looked at again asks what it missed", async () => {
  const world = makeWorld();
  const { one, socket } = world.connected();
  socket().says({ type: "pong", at: 0, now: world.now, version: 4 });
  one.wake();
  assert.deepEqual(socket().types(), ["ping", "sync", "ping"]);
  await world.pass(3_100); // nobody is there any more
  assert.equal(world.sockets[0].readyState, 3);
  one.wake(); // and no waiting for the next try
  assert.equal(world.sockets.length, 2);
});

for (const code of [4403, 4404]) {
  test(`some closings are for good: ${code}`, async () => {
    const world = makeWorld();
    const { one, socket } = world.connected();
    socket().drops(code);
    await world.pass(120_000);
    assert.equal(world.sockets.length, 1);
    assert.equal(one.status.kind, "closed");
    assert.ok(one.status.words.length > 10);
  });
}

for (const code of [1001, 1006, 1012, 4012, 4401, 4408, 4429]) {
  test(`after others the client comes back: ${code}`, async () => {
    const world = makeWorld();
    const { one, socket } = world.connected();
    socket().drops(code);
    const lost = one.status;
    await world.pass(11_000);
    assert.equal(lost.kind, "lost");
    assert.ok(lost.retryAt > 0);
    assert.ok(world.sockets.length > 1);
  });
}

test("an unknown frame and a broken one are passed over", () => {
  const world = makeWorld();
  const { one, socket } = world.connected();
  socket().says("{");
  socket().says({ type: "fireworks" });
  socket().says(world.step(5));
  assert.equal(one.state.version, 5);
});

test("a rate limit is kept", async () => {
  const world = makeWorld();
  const { one, socket, sent } = world.connected();
  socket().says({ type: "error", code: "rate.frames", sentence: "Wait.", retry_after: 3 });
  one.submit("D4 90");
  assert.equal(sent("submit").length, 0);
  await world.pass(2_900);
  assert.equal(sent("submit").length, 0);
  await world.pass(200);
  assert.equal(sent("submit").length, 1);
});

/* A client whose sockets are refused twice, so that it goes on over HTTP. */
async function blocked(world) {
  const one = world.client();
  one.start(world.sync(4));
  world.sockets.at(-1).drops(1006);
  await world.pass(700);
  world.sockets.at(-1).drops(1006);
  await world.settle();
  return one;
}

test("where sockets are blocked the page asks and submits over HTTP", async () => {
  const world = makeWorld();
  const { GET, POST } = world.answers;
  GET.push({ status: 200, body: world.sync(5), headers: { ETag: '"5"' } });
  const one = await blocked(world);
  assert.equal(one.state.version, 5);
  assert.equal(one.status.kind, "polling");
  assert.deepEqual(
    world.requests.map(({ url }) => url),
    ["/state/?here=true"],
  );
  POST.push({ status: 503, body: {} });
  POST.push({ status: 201, body: { id: "id-1", version: 6, at: world.now } });
  GET.push({ status: 304 }, { status: 304 }, { status: 304 }, { status: 304 });
  world.requests.length = 0;
  one.submit("D4 90");
  await world.settle();
  assert.equal(one.outbox.waiting("submit")?.id, "id-1");
  await world.pass(6_100);
  assert.equal(one.outbox.waiting("submit"), null);
  const posted = { id: "id-1", text: "D4 90", version: 5 };
  assert.deepEqual(
    world.requests.filter(({ method }) => method === "POST").map(({ body }) => JSON.parse(body)),
    [posted, posted],
  );
});

test("a refusal over HTTP is told", async () => {
  const world = makeWorld();
  const problem = { code: "place.overlap", sentence: "No.", squares: ["D4"] };
  world.answers.GET.push({ status: 200, body: world.sync(4) });
  world.answers.POST.push({ status: 409, body: problem });
  const one = await blocked(world);
  one.submit("D4 90");
  await world.settle();
  const { detail } = world.events.find(({ type }) => type === "settled");
  assert.deepEqual(detail.refused, { id: "id-1", ...problem });
});

test("a socket that comes back ends the asking", async () => {
  const world = makeWorld();
  const one = await blocked(world);
  await world.pass(1_500);
  world.sockets.at(-1).opens();
  world.sockets.at(-1).says(world.sync(4));
  world.requests.length = 0;
  await world.pass(5_000);
  assert.equal(one.status.kind, "live");
  assert.equal(world.requests.length, 0);
});

test("signing in elsewhere starts a new count", () => {
  // Seat and room count their versions apart: a lower one is not an older one then.
  const world = makeWorld();
  const { one, socket } = world.connected();
  socket().says(world.sync(2, { you: null }));
  assert.deepEqual([one.state.version, one.state.you], [2, null]);
});

test("a chat line is answered by itself or by the history", () => {
  const { one, socket } = makeWorld().connected();
  const room = "players";
  const line = (text) => ({ id: text, at: 0, name: "Ada", username: "ada", seat: 0, text });
  const left = () => one.outbox.entries.length;
  one.chat(room, "hello ");
  socket().says({ type: "chat", match: 7, room, message: { ...line("hello"), username: "ben" } });
  assert.equal(left(), 1);
  socket().says({ type: "chat", match: 7, room, message: line("hello") });
  assert.equal(left(), 0);
  one.chat(room, "again");
  const messages = [line("hello"), line("again")];
  socket().says({ type: "chat.history", match: 7, room, messages });
  assert.equal(left(), 0);
});

const OWN = "11".repeat(32);
const OTHERS = "22".repeat(32);

/* The view of a match that waits, with what stands for the reader's own seat. */
function waits(world, stands, more = {}) {
  const { view } = world.sync(1);
  const waiting = { until: 9, ready: [true, false], gathers_until: 5, ...more };
  const nonces = [stands, null].map((commitment) => ({ commitment, opened: false }));
  return { ...view, phase: "waiting", waiting, draws: { method: "", commitment: "", nonces } };
}

/* A client that has a number; what it says of it in the address of each socket, and as it asks. */
function withNumber(world, { taken = false, came } = {}) {
  const one = world.client({ readyUrl: "/ready/" });
  one.nonce = { nonce: "33", commitment: OWN, taken, mayCommit: true, mayOpen: () => true };
  const frame = world.sync(4, { view: waits(world, null), ...came });
  one.open(frame);
  one.start(frame);
  const said = () => new URL(world.sockets.at(-1).url).searchParams.get("commitment");
  return { one, said };
}

for (const [name, taken, stands, more, brings] of [
  ["the first one", false, null, {}, true],
  ["one that was lost on the way", true, null, {}, true],
  ["its own once more", true, OWN, {}, true],
  ["its own while numbers are opened", true, OWN, { opens_until: 9 }, true],
  ["one in place of another browser's", false, OTHERS, {}, true],
  ["none in place of what has taken its place", true, OTHERS, {}, false],
  ["none once numbers are opened", false, OTHERS, { opens_until: 9 }, false],
  ["none where they begin without", false, OTHERS, { without: [true, false] }, false],
]) {
  test(`a page that comes commits to ${name}`, () => {
    const world = makeWorld();
    const { said } = withNumber(world, { taken, came: { view: waits(world, stands, more) } });
    assert.equal(said(), brings ? OWN : null);
  });
}

test("a page whose number another has taken the place of does not commit again by itself", async () => {
  const world = makeWorld();
  const { one, said } = withNumber(world);
  assert.equal(said(), OWN);
  const socket = world.sockets.at(-1);
  socket.opens();
  socket.says(world.sync(5, { view: waits(world, OWN) }));
  socket.says(world.step(6, [], { view: waits(world, OTHERS) }));
  socket.drops(1006);
  await world.pass(700);
  assert.equal(world.sockets.length, 2);
  assert.equal(said(), null);
  world.sockets.at(-1).drops(1006);
  world.answers.GET.push({ status: 304 });
  await world.settle();
  assert.deepEqual(
    world.requests.map(({ url }) => url),
    ["/state/?here=true"],
  );
  one.stop();
});

test("a page that has changed it too often does not try again", async () => {
  const world = makeWorld();
  const { said } = withNumber(world, { came: { view: waits(world, OTHERS) } });
  const socket = world.sockets.at(-1);
  socket.opens();
  socket.says(world.sync(4, { view: waits(world, OTHERS) }));
  socket.says({ type: "refused", id: null, code: "draws.changes", sentence: "No.", squares: [] });
  socket.drops(1006);
  await world.pass(700);
  assert.equal(said(), null);
});

test("nothing is opened of a seat that begins without", () => {
  const world = makeWorld();
  withNumber(world, { taken: true });
  const socket = world.sockets.at(-1);
  socket.opens();
  const view = (more) => waits(world, OWN, { opens_until: 9, ...more });
  socket.says(world.sync(5, { view: view({ without: [true, false] }) }));
  assert.ok(!socket.types().includes("nonce"));
  socket.says(world.sync(6, { view: view({ without: [false, true] }) }));
  assert.ok(socket.types().includes("nonce"));
});
