/* The organiser's desk beside a match: where an address leads, whose decision is extended, and what
   becomes of something that is refused. Elements are as much of elements as the desk needs. */

import assert from "node:assert/strict";
import { test } from "node:test";

class Part {
  constructor(tag) {
    Object.assign(this, { tag, nodes: [], attributes: {}, heard: {}, value: "", told: 0 });
    Object.assign(this, { open: false, hidden: false, parentElement: null });
  }
  setAttribute(name, value) {
    this.attributes[name] = value;
    if (name === "hidden") this.hidden = true;
    if (name === "value") this.value = value;
  }
  addEventListener(type, listener) {
    this.heard[type] = listener;
  }
  append(...nodes) {
    for (const node of nodes) if (node instanceof Part) node.parentElement = this;
    this.nodes.push(...nodes);
  }
  replaceChildren(...nodes) {
    for (const node of this.nodes) if (node instanceof Part) node.parentElement = null;
    this.nodes = [];
    this.append(...nodes);
  }
  after() {}
  get every() {
    return this.nodes.flatMap((node) => (node instanceof Part ? [node, ...node.every] : []));
  }
  querySelector(tag) {
    return this.every.find((each) => each.tag === tag) ?? null;
  }
  get text() {
    return this.nodes.map((node) => (node instanceof Part ? node.text : node)).join("");
  }
  showModal() {
    this.open = true;
  }
  close() {
    this.open = false;
  }
  scrollIntoView() {
    this.told += 1;
  }
}

globalThis.document = {
  querySelectorAll: () => [],
  querySelector: () => null,
  createElement: (tag) => new Part(tag),
};
const { GIVE_REASON, OrganiserDesk, RULE_HERE, seatsDeciding } =
  await import("../../static/js/match/organiser.js");

const NONE = "No reason given yet";
const LEFT_OUT = [{ actor: "organiser", events: [{ data: { act: "pause", why: NONE } }] }];

const decision = (seat, running) => ({ seat, clock: { running } });
const view = (...decisions) => ({ phase: "on", paused: false, decisions });

function deskOf({ hash = "", log = [], shown = view(decision(0, false), decision(1, true)) } = {}) {
  const section = new Part("section");
  const root = new Part("div");
  section.append(root);
  const sent = [];
  const act = (text, why) => {
    sent.push({ text, why });
    return { id: `entry ${sent.length}` };
  };
  const desk = new OrganiserDesk(root, { act, ready: { none: NONE, by: {} }, hash });
  const update = (what, said) => desk.update(what, ["Ada", "Ben"], said);
  update(shown, log);
  const offers = () => root.every.filter(({ tag }) => tag === "button").map(({ text }) => text);
  const ask = (title) => root.every.find(({ text }) => text === title).heard.click();
  const form = () => desk.dialog.querySelector("form");
  const submit = () => form().heard.submit({ preventDefault: () => undefined });
  return { desk, section, sent, update, offers, ask, form, submit, dialog: desk.dialog };
}

for (const [decisions, seats] of [
  [[], []],
  [[decision(0, true)], [0]],
  [[decision(1, true)], [1]],
  [
    [decision(0, false), decision(1, true)],
    [1, 0],
  ],
  [
    [decision(0, true), decision(1, true)],
    [0, 1],
  ],
]) {
  const said = decisions.map(({ seat, clock }) => `${seat}${clock.running ? " runs" : ""}`);
  test(`whose decision can be extended: ${said.join(", ") || "nobody's"}`, () => {
    assert.deepEqual(seatsDeciding(view(...decisions)), seats);
  });
}

test("only those who decide are offered, and first whose clock runs", () => {
  const { ask, form } = deskOf();
  ask("Extend decision");
  const options = form().every.filter(({ tag }) => tag === "option");
  assert.deepEqual(
    options.map(({ text, attributes }) => [attributes.value, text]),
    [
      ["1", "Ben"],
      ["0", "Ada"],
    ],
  );
});

test("no decision is offered to be extended while nobody has one, and then it is", () => {
  const { offers, update } = deskOf({ shown: view() });
  assert.ok(offers().includes("Pause"));
  assert.ok(!offers().includes("Extend decision"));
  update(view(decision(1, true)), []);
  assert.ok(offers().includes("Extend decision"));
});

test("what is refused is asked for again as it was filled in, with why", () => {
  const { ask, desk, dialog, form, submit, sent } = deskOf();
  ask("Extend decision");
  const filled = form();
  filled.querySelector("select").value = "1";
  filled.querySelector("textarea").value = "A slow line.";
  submit();
  assert.equal(sent[0].text, "extend 1 60");
  assert.ok(!dialog.open);
  assert.ok(!desk.answered("another", "Not this one."));
  assert.ok(!dialog.open);
  assert.ok(desk.answered("entry 1", "Nothing runs."));
  assert.ok(dialog.open);
  assert.equal(form(), filled);
  assert.equal(filled.querySelector("textarea").value, "A slow line.");
  const shown = filled.every.find(({ attributes }) => attributes.role === "alert");
  assert.ok(!shown.hidden);
  assert.equal(shown.text, "Nothing runs.");
});

test("what is done, or refused once something else is asked, leaves the dialog alone", () => {
  const { ask, desk, dialog, form, submit } = deskOf();
  for (const [id, refused] of [
    ["entry 1", undefined],
    ["entry 2", "Nothing runs."],
  ]) {
    ask("Extend decision");
    form().querySelector("select").value = "1";
    form().querySelector("textarea").value = "A slow line.";
    submit();
    if (refused) {
      ask("Void match");
      dialog.close();
    }
    assert.ok(!desk.answered(id, refused));
    assert.ok(!dialog.open);
  }
});

test("an address that says so asks for the reason, once", () => {
  const { desk, dialog, section, update } = deskOf({ hash: GIVE_REASON, log: LEFT_OUT });
  assert.equal(section.told, 1);
  assert.ok(dialog.open);
  assert.ok(dialog.querySelector("h2").text === "Give the reason");
  desk.dialog.close();
  update({ ...view(), paused: true }, LEFT_OUT);
  assert.equal(section.told, 1);
  assert.ok(!dialog.open);
});

for (const [hash, log, brought] of [
  [RULE_HERE, LEFT_OUT, 1],
  [GIVE_REASON, [], 1],
  ["", LEFT_OUT, 0],
  ["#stands", LEFT_OUT, 0],
]) {
  test(`an address that ends in ${hash || "nothing"} asks for nothing by itself`, () => {
    const { dialog, section } = deskOf({ hash, log });
    assert.equal(section.told, brought);
    assert.ok(!dialog.open);
  });
}
