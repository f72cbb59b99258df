/* What a player plans, and that two devices keep it. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { merged, MOST, NOTHING, Plan, simplified } from "../../static/js/match/plan.js";

const MOVE = (text) => ({ kind: "move", text, colour: 0 });
const content = (...candidates) => ({
  ...NOTHING,
  candidates: candidates.map((texts, index) => ({ name: "AB"[index], items: texts.map(MOVE) })),
});
const texts = ({ candidates }) => candidates.map(({ items }) => items.map(({ text }) => text));

/* A server that keeps one plan, and the devices' timers. */
function makeServer() {
  const server = { revision: 0, content: NOTHING, calls: [], down: false, timers: [] };
  server.fetch = (url, { method = "GET", body } = {}) => {
    server.calls.push(method);
    if (server.down) return Promise.reject(new Error("no network"));
    const answer = (status, value) =>
      Promise.resolve({ status, ok: status < 300, json: () => Promise.resolve(value) });
    if (method === "PUT") {
      const sent = JSON.parse(body);
      if (sent.revision !== server.revision) {
        return answer(409, { code: "plan.changed", sentence: "Changed." });
      }
      server.revision += 1;
      server.content = sent.content;
    }
    return answer(200, structuredClone({ revision: server.revision, content: server.content }));
  };
  server.device = () => {
    const said = [];
    const plan = new Plan({
      url: "/plan/",
      csrf: "token",
      changed: () => {},
      told: (words) => said.push(words),
      fetch: server.fetch,
      setTimeout: (call) => server.timers.push(call) - 1,
      clearTimeout: (handle) => (server.timers[handle] = null),
    });
    return { plan, said };
  };
  server.later = async (plan) => {
    const due = server.timers.splice(0);
    for (const call of due) call?.();
    await plan.busy;
  };
  return server;
}

test("what is drawn can be taken back and made again", () => {
  const { plan } = makeServer().device();
  plan.add(MOVE("one"));
  plan.add(MOVE("two"));
  plan.branch();
  plan.add(MOVE("three"));
  assert.deepEqual(texts(plan.content), [["one", "two"], ["three"]]);
  plan.undo();
  plan.undo();
  assert.deepEqual(texts(plan.content), [["one", "two"]]);
  assert.equal(plan.shown.name, "A");
  plan.redo();
  plan.redo();
  assert.deepEqual(texts(plan.content), [["one", "two"], ["three"]]);
  assert.equal(plan.redo(), false);
  plan.undo();
  plan.add(MOVE("other"));
  assert.equal(plan.redo(), false);
});

test("notes are not undone with what is drawn", () => {
  const { plan } = makeServer().device();
  plan.add(MOVE("one"));
  plan.write("think of the corner");
  plan.undo();
  assert.equal(plan.content.note, "think of the corner");
});

test("no more is put in than the server keeps", () => {
  const { plan } = makeServer().device();
  for (let index = 0; index < MOST.items; index += 1) assert.ok(plan.add(MOVE(String(index))));
  assert.equal(plan.add(MOVE("more")), false);
  for (let index = 1; index < MOST.candidates; index += 1) assert.ok(plan.branch());
  assert.equal(plan.branch(), false);
});

test("a candidate is taken away, renamed and compared", () => {
  const { plan } = makeServer().device();
  assert.equal(plan.other, null);
  plan.add(MOVE("one"));
  plan.branch();
  plan.rename("  Corner  ");
  assert.equal(plan.shown.name, "Corner");
  assert.equal(plan.other?.name, "A");
  plan.drop();
  assert.deepEqual(texts(plan.content), [["one"]]);
  assert.equal(plan.other, null);
});

test("a move that was played is planned no more", () => {
  const { plan } = makeServer().device();
  plan.add(MOVE("one"));
  plan.add(MOVE("two"));
  assert.ok(plan.played("one"));
  assert.equal(plan.played("three"), false);
  assert.deepEqual(texts(plan.content), [["two"]]);
});

test("it is kept a moment after the last change, once", async () => {
  const server = makeServer();
  const { plan } = server.device();
  await plan.load();
  plan.add(MOVE("one"));
  plan.add(MOVE("two"));
  await server.later(plan);
  assert.deepEqual(server.calls, ["GET", "PUT"]);
  assert.deepEqual(texts(server.content), [["one", "two"]]);
  assert.ok(plan.isKept);
  await server.later(plan);
  assert.equal(server.calls.length, 2);
});

test("a page that goes away keeps it at once", async () => {
  const server = makeServer();
  const { plan } = server.device();
  await plan.load();
  plan.add(MOVE("one"));
  plan.flush();
  await new Promise(setImmediate);
  assert.deepEqual(texts(server.content), [["one"]]);
});

test("another device's change is fetched when it is told, and one's own is not", async () => {
  const server = makeServer();
  const [one, two] = [server.device().plan, server.device().plan];
  await one.load();
  await two.load();
  one.add(MOVE("one"));
  await server.later(one);
  await one.heard(1);
  assert.deepEqual(server.calls, ["GET", "GET", "PUT"]);
  await two.heard(1);
  assert.deepEqual(texts(two.content), [["one"]]);
});

test("two devices at once lose nothing", async () => {
  const server = makeServer();
  const [one, two] = [server.device().plan, server.device().plan];
  await one.load();
  await two.load();
  one.add(MOVE("mine"));
  two.add(MOVE("theirs"));
  await server.later(two); // of both: whoever comes second is told that there is another plan
  await one.busy;
  assert.deepEqual(texts(server.content), [["mine", "theirs"]]);
  await one.heard(server.revision);
  assert.deepEqual(two.content, one.content);
});

test("without a network it is said, and kept later", async () => {
  const server = makeServer();
  const { plan, said } = server.device();
  await plan.load();
  server.down = true;
  plan.add(MOVE("one"));
  await server.later(plan);
  assert.match(said.at(-1), /no connection/);
  server.down = false;
  await server.later(plan);
  assert.equal(said.at(-1), "");
  assert.deepEqual(texts(server.content), [["one"]]);
});

test("what is unsaved here is done to what was kept there", () => {
  const base = content(["a", "b"]);
  const mine = { ...content(["b", "c"]), note: "mine" };
  const theirs = { ...content(["a", "b", "d"]), shown: 0 };
  const both = merged(base, mine, theirs);
  assert.deepEqual(texts(both), [["b", "d", "c"]]);
  assert.equal(both.note, "mine");
  // Where both have changed the same words, the other device's were kept first.
  const note = merged(base, mine, { ...theirs, note: "theirs" }).note;
  assert.equal(note, "theirs");
});

test("a candidate that one of them took away is gone, unless the other went on with it", () => {
  const base = content(["a"], ["b"]);
  assert.deepEqual(texts(merged(base, content(["a"]), base)), [["a"]]);
  assert.deepEqual(texts(merged(base, content(["a"]), content(["a"], ["b", "c"]))), [
    ["a"],
    ["b", "c"],
  ]);
  assert.deepEqual(texts(merged(base, base, content(["a"]))), [["a"]]);
});

test("two devices' lists of what is wanted become one", () => {
  const base = { ...NOTHING, wanted: ["01", "02", "03"] };
  const list = (mine, theirs) =>
    merged(base, { ...base, wanted: mine }, { ...base, wanted: theirs }).wanted;
  assert.deepEqual(list(["01", "02", "03"], ["03", "01"]), ["03", "01"]);
  assert.deepEqual(list(["03", "02", "01"], ["01", "02", "03"]), ["03", "02", "01"]);
  // One has taken 02 off and put 04 in, the other one 05 in and 01 off.
  assert.deepEqual(list(["03", "01", "04"], ["01", "02", "05", "03"].slice(1)), ["03", "04", "05"]);
});

test("what is wanted is kept, and not undone", async () => {
  const server = makeServer();
  const { plan } = server.device();
  await plan.load();
  plan.want(["07", "12"]);
  plan.add(MOVE("take 07"));
  plan.want(["12", "07"]);
  await server.later(plan);
  assert.deepEqual(server.content.wanted, ["12", "07"]);
  plan.undo();
  assert.deepEqual([plan.content.wanted, plan.shown.items], [["12", "07"], []]);
  plan.want(Array.from({ length: 150 }, (_, number) => String(number)));
  assert.equal(plan.content.wanted.length, MOST.wanted);
  // A server of an earlier release knows no such list.
  delete server.content.wanted;
  const other = server.device();
  await other.plan.load();
  assert.deepEqual(other.plan.content.wanted, []);
});

test("what both have put in is there once", () => {
  const kept = content(["a"]);
  assert.deepEqual(texts(merged(NOTHING, kept, kept)), [["a"]]);
});

test("a line has no more points than are kept", () => {
  const round = Array.from({ length: 500 }, (_, step) => {
    const angle = (step / 250) * Math.PI;
    return [Math.round(5000 + 4000 * Math.cos(angle)), Math.round(5000 + 4000 * Math.sin(angle))];
  });
  const few = simplified(round);
  assert.ok(few.length <= MOST.points && few.length > 8);
  assert.deepEqual([few[0], few.at(-1)], [round[0], round.at(-1)]);
  assert.deepEqual(simplified([[0, 0], [5, 5000], [0, 10_000]]).length, 2); // prettier-ignore
});
