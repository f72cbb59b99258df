/* Whether a match's desk offers to give a reason that was left for later, and lets one be left: as
   the service decides it (`games.engine.acts.lacks_a_reason`, `games.engine.views.clocks_run`). */

import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document = { querySelectorAll: () => [], querySelector: () => null };
const { clocksRun, waitsForReason } = await import("../../static/js/match/organiser.js");

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

for (const [clocks, run] of [
  [[], false],
  [[true], true],
  [[false], false],
  [[false, true], true],
]) {
  test(`a reason may wait with the clocks ${clocks.join(", ") || "of nobody"}: ${run}`, () => {
    assert.equal(clocksRun({ decisions: clocks.map((running) => ({ clock: { running } })) }), run);
  });
}

test("no reason waits before there is a view", () => assert.equal(clocksRun(null), false));
