/* What the reader has said and the server has not answered. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { newId, Outbox } from "../../static/js/match/outbox.js";
import { makeWorld } from "./world.js";

test("ids are new and in the protocol's alphabet", () => {
  const ids = Array.from({ length: 200 }, () => newId());
  assert.equal(new Set(ids).size, 200);
  for (const id of ids) assert.match(id, /^[a-z0-9]{20}$/);
});

test("an entry outlives the page until it is answered", () => {
  const world = makeWorld();
  const { storage } = world;
  const make = () => new Outbox({ storage, key: "k", now: () => world.now });
  const first = make();
  const entry = first.add("submit", { match: 7, text: "D4 90", version: 3 });
  first.wasSent(entry);
  const second = make();
  assert.deepEqual(
    second.due().map((each) => Outbox.frame(each)),
    [{ type: "submit", id: entry.id, match: 7, text: "D4 90", version: 3 }],
  );
  assert.equal(second.settle(entry.id)?.id, entry.id);
  assert.equal(second.settle(entry.id), null);
  assert.equal(make().entries.length, 0);
  assert.deepEqual([...world.store.keys()], []);
});

for (const stored of ["", "not json", "{}", "[1, null, {}]", '[{"id": 5}]']) {
  test(`a broken store is an empty outbox: ${stored}`, () => {
    const { store, storage } = makeWorld();
    store.set("k", stored);
    assert.deepEqual(new Outbox({ storage, key: "k" }).entries, []);
  });
}

test("a forbidden store keeps nobody from playing", () => {
  const refuse = () => {
    throw new Error("forbidden");
  };
  const storage = { getItem: refuse, setItem: refuse, removeItem: refuse };
  const box = new Outbox({ storage, key: "k" });
  box.add("submit", { text: "first" });
  assert.equal(box.due().length, 1);
});

test("what several tabs may say has the same id in all of them", () => {
  const box = new Outbox({ storage: null, key: "k" });
  assert.equal(box.add("submit", { text: "pick T" }, "premove-2-pick-0").id, "premove-2-pick-0");
});
