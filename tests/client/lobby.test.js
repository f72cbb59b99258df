/* Pure parts of the lobby's scripts and of the chat's phrases. */

import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document = {
  documentElement: { dataset: {}, classList: { contains: () => true } },
  getElementById: () => null,
  querySelector: () => null,
};
const { waitText } = await import("../../static/js/lobby/seek.js");
const { whyFolded } = await import("../../static/js/match/phrases.js");

for (const [ms, text] of [
  [-5, "0:00"],
  [999, "0:00"],
  [12_400, "0:12"],
  [65_000, "1:05"],
  [3_600_000, "60:00"],
]) {
  test(`how long somebody has waited: ${ms} ms`, () => assert.equal(waitText(ms), text));
}

const PHRASES = new Set(["Good luck!"]);
const READER = {
  username: "ada",
  plays: true,
  blocked: new Set(),
  muted: false,
  phrasesOnly: false,
};
const said = { username: "ben", text: "Boo" };

test("what somebody blocked says is folded away, for players and spectators", () => {
  const blocked = new Set(["ben"]);
  assert.equal(whyFolded(said, READER, PHRASES), "");
  assert.equal(whyFolded(said, { ...READER, blocked }, PHRASES), "blocked");
  assert.equal(whyFolded(said, { ...READER, blocked, plays: false }, PHRASES), "blocked");
});

test("a muted chat is the player's own wish, and one's own words stay", () => {
  assert.equal(whyFolded(said, { ...READER, muted: true }, PHRASES), "chat muted");
  assert.equal(whyFolded(said, { ...READER, muted: true, plays: false }, PHRASES), "");
  assert.equal(whyFolded({ ...said, username: "ada" }, { ...READER, muted: true }, PHRASES), "");
});

test("with phrases only, all other words of an opponent are folded away", () => {
  const reader = { ...READER, phrasesOnly: true };
  assert.equal(whyFolded(said, reader, PHRASES), "not a phrase");
  assert.equal(whyFolded({ ...said, text: "Good luck!" }, reader, PHRASES), "");
});
