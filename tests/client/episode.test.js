/* Tapping the order of finish on the page of an episode: what is named, who shares which place, and
   who will be the EC (as `tournaments.formats.elimination.rules` says); and what is being filled in
   is kept. */

import assert from "node:assert/strict";
import { test } from "node:test";

const heard = new Map();
class Element {
  constructor(name, form) {
    Object.assign(this, { name, form, dataset: {} });
  }
  closest() {
    return this.form;
  }
  getAttribute() {
    return this.name;
  }
  matches() {
    return true;
  }
}
globalThis.Element = Element;
globalThis.document = {
  addEventListener: (name, listener) => heard.set(name, [...(heard.get(name) ?? []), listener]),
  querySelectorAll: () => [],
  querySelector: () => null,
  documentElement: { classList: { contains: () => true } },
};
const { lastOf, missingOf, places, tapped } = await import("../../static/js/seasons/episode.js");

test("names are tapped one after another, together, and taken back", () => {
  assert.deepEqual(tapped([["1"]], "2", false), [["1"], ["2"]]);
  assert.deepEqual(tapped([["1"]], "2", true), [["1", "2"]]);
  assert.deepEqual(tapped([["1", "2"], ["3"]], "3", false), [["1", "2"]]);
});

test("whoever has no place is missing", () => {
  assert.equal(missingOf(places([["1"], ["2", "3"]], []), 8), 5);
  assert.equal(missingOf(places([["1"]], ["2", "3"]), 3), 0);
  assert.equal(missingOf(places([], []), 3), 3);
});

for (const [named, safe, immune, last] of [
  [[["1"]], ["2", "3"], [], ["1"]],
  [[["3"], ["2"], ["1"]], [], ["1"], ["2"]],
  [[["3"], ["2", "4"], ["1"]], [], ["1"], ["2", "4"]],
  [[["3"], ["2", "4"], ["1"]], [], ["1", "2"], ["4"]],
  [[["1"]], ["2", "3"], ["1"], ["2", "3"]],
  [[["1"]], [], ["1"], []],
]) {
  test(`the last of ${JSON.stringify(named)} without ${immune} of which are immune`, () => {
    assert.deepEqual(lastOf(places(named, safe), immune), last);
  });
}

for (const kind of ["input", "change"]) {
  for (const name of ["pasted", "notes", "game", "when"]) {
    test(`what is filled in is kept: ${kind} of ${name}`, () => {
      const form = {
        dataset: {},
        matches: () => true,
        querySelector: () => null,
        querySelectorAll: () => [],
        elements: { namedItem: () => ({ value: "", checked: false }) },
      };
      for (const listener of heard.get(kind) ?? []) listener({ target: new Element(name, form) });
      assert.equal(form.dataset.filled, "1");
    });
  }
}
