/* The form of an item offers what fits the match it is for: its matches, its items and its players. */

import assert from "node:assert/strict";
import { test } from "node:test";

class Select {
  constructor(values, data = {}) {
    this.options = values.map((value) => ({ value, disabled: false, hidden: false }));
    this.value = values[0];
    this.dataset = data;
  }
  get selectedOptions() {
    return this.options.filter(({ value }) => value === this.value);
  }
  get offered() {
    return this.options.filter(({ disabled }) => !disabled).map(({ value }) => value);
  }
}

const fits = { 7: { 1: ["saw@wars"], 3: ["peg@pegs"] }, 8: { 1: ["saw@wars"], 2: ["saw@wars"] } };
const fields = {
  item: new Select(["saw@wars", "peg@pegs", "nogo@x"], { fits: JSON.stringify(fits) }),
  receiver: new Select(["11", "12", "13"], { plays: JSON.stringify({ 7: [12, 13], 8: [11, 13] }) }),
  death_match: new Select(["", "7", "8"]),
  leg_number: new Select(["", "1", "2", "3"]),
};
let changed = () => undefined;
fields.item.form = {
  elements: { namedItem: (name) => fields[name] ?? null },
  addEventListener: (_type, listener) => (changed = listener),
};
globalThis.HTMLSelectElement = Select;
globalThis.document = {
  querySelectorAll: () => [],
  querySelector: (selector) => (selector === "select[data-fits]" ? fields.item : null),
};
await import("../../static/js/seasons/choices.js");

function choose(values) {
  for (const [name, value] of Object.entries(values)) fields[name].value = value;
  changed();
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.offered]));
}

test("for any match everything is offered, to everybody", () => {
  const { item, receiver, leg_number: legs } = choose({ death_match: "" });
  assert.deepEqual([item.length, receiver.length, legs.length], [3, 3, 4]);
});

test("for a death match what fits one of its matches, and those who play in it", () => {
  const offered = choose({ death_match: "7", receiver: "11", item: "nogo@x" });
  assert.deepEqual(offered.item, ["saw@wars", "peg@pegs"]);
  assert.deepEqual(offered.receiver, ["12", "13"]);
  assert.deepEqual(offered.leg_number, ["", "1", "3"]);
  assert.equal(fields.receiver.value, "12");
  assert.equal(fields.item.value, "saw@wars");
});

test("for one match of it what fits there; of a match that no item fits nothing stays chosen", () => {
  assert.deepEqual(choose({ death_match: "7", leg_number: "3" }).item, ["peg@pegs"]);
  choose({ death_match: "8", leg_number: "2" });
  assert.deepEqual(choose({ death_match: "7" }).item, ["saw@wars", "peg@pegs"]);
  assert.equal(fields.leg_number.value, "");
});
