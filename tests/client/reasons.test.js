/* Whether a match's desk offers to give a reason that was left for later: as the service decides it
   (`games.engine.acts.lacks_a_reason`). */

import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document = { querySelectorAll: () => [], querySelector: () => null };
const { waitsForReason } = await import("../../static/js/match/organiser.js");

const NONE = "No reason given yet";

function done(act, why, actor = "organiser") {
  return { actor, events: [{ data: { act, why } }] };
}

for (const [log, waits] of [
  [[], false],
  [[done("pause", "A break.")], false],
  [[done("pause", NONE)], true],
  [[done("pause", NONE), done("resume", "Back.")], true],
  [[done("pause", NONE), done("reason", "A break.")], false],
  [[done("pause", NONE), done("reason", "A break."), done("extend 0 5", NONE)], true],
  [[done("pause", NONE), done("extend 0 5", NONE), done("reason", "Both.")], false],
  [[done("pause", NONE, 0)], false],
]) {
  const said = log.map(({ actor, events: [{ data }] }) => `${actor} ${data.act}: ${data.why}`);
  test(`what waits for a reason: ${said.join(", ") || "nothing"}`, () => {
    assert.equal(waitsForReason(log, NONE), waits);
  });
}
