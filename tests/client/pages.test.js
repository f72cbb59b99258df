/* Pure parts of modules that look at the page when they are loaded: it is an empty one here. */

import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document = {
  documentElement: { dataset: {}, classList: { contains: () => true } },
  getElementById: () => null,
  querySelector: () => null,
};
const { addressOf, clipOf, moveOf, pauseOf } = await import("../../static/js/match/replay.js");
const { noticeOf, titled, turnsText, waitBefore, waitingAfter } =
  await import("../../static/js/notices.js");

for (const [end, move] of [
  ["", null],
  ["?move=3", 3],
  ["#move=4", 4],
  ["?move=99", 10],
  ["?move=-2", 0],
  ["?move=x", null],
]) {
  test(`the move of a replay's address: ${end}`, () => {
    assert.equal(moveOf(`http://here/replay/${end}`, 10), move);
  });
}

test("the address of a move names that move alone", () => {
  assert.equal(addressOf("http://here/replay/?move=3#move=9", 5), "http://here/replay/?move=5");
});

test("a clip of any length has a moving picture of what everybody saw", () => {
  const steps = [0, null, 1, 2, ...Array.from({ length: 90 }, (_, index) => 3 + index)];
  const picture = (from, to) =>
    clipOf(
      "http://here/replay/",
      steps.map((still) => ({ still })),
      { from, to },
      "7",
    ).picture;
  assert.equal(picture(0, 3), "/matches/7/board/0-2.gif");
  assert.equal(picture(1, 93), "/matches/7/board/1-92.gif");
  assert.equal(picture(0, 1), "");
});

test("a notice is for whom it concerns", () => {
  const frame = { type: "challenge", challenge: 3, status: "open", from: "ben", to: "ada" };
  const named = { ...frame, name: "Ben", game: "Domain", url: "/c/3/", terms: "" };
  assert.equal(noticeOf(named, "ada")?.text, "Ben challenges you to Domain.");
  assert.equal(noticeOf(named, "cleo"), null);
  assert.equal(noticeOf(named, ""), null);
});

test("a rematch is called one", () => {
  const frame = { type: "challenge", challenge: 3, status: "open", from: "ben", to: "ada" };
  const again = { ...frame, name: "Ben", game: "Domain", url: "/c/3/", terms: "", rematch: 9 };
  assert.equal(noticeOf(again, "ada")?.text, "Ben offers you a rematch of Domain.");
  assert.equal(noticeOf(again, "ada")?.rematch, 9);
});

test("how many matches wait, in words and in the title", () => {
  assert.deepEqual([0, 1, 2].map(turnsText), [
    "No match waits for your move",
    "1 match waits for your move",
    "2 matches wait for your move",
  ]);
  assert.equal(titled("Rules", 2), "(2) Rules");
  assert.equal(titled("(2) Rules", 3), "(3) Rules");
  assert.equal(titled("(3) Rules", 0), "Rules");
});

test("what the reader is to answer waits until it is answered, withdrawn or over", () => {
  const challenge = (status, to = "ada") => ({ type: "challenge", challenge: 4, status, to });
  assert.deepEqual(waitingAfter(["3"], challenge("open"), "ada"), ["3", "4"]);
  assert.deepEqual(waitingAfter(["3"], challenge("open", "ben"), "ada"), ["3"]);
  assert.deepEqual(waitingAfter(["3", "4"], challenge("cancelled"), "ada"), ["3"]);
  const hosted = (status, accepted) => ({
    type: "hosted",
    hosted: 4,
    status,
    seats: [
      { username: "ada", accepted },
      { username: "ben", accepted: false },
    ],
  });
  assert.deepEqual(waitingAfter(["4"], hosted("open", false), "ada"), ["4", "h4"]);
  assert.deepEqual(waitingAfter(["4", "h4"], hosted("open", true), "ada"), ["4"]);
  assert.deepEqual(waitingAfter(["4", "h4"], hosted("cancelled", false), "ada"), ["4"]);
  assert.deepEqual(waitingAfter(["4"], hosted("open", false), "olga"), ["4"]);
});

test("the lobby is come back to later and later, up to half a minute", () => {
  const waits = [0, 1, 10].map((attempt) => [
    waitBefore(attempt, () => 0),
    waitBefore(attempt, () => 1),
  ]);
  assert.deepEqual(waits, [
    [500, 1_000],
    [1_000, 2_000],
    [15_000, 30_000],
  ]);
});

for (const [speed, seconds, ms] of [
  ["1", 90, 1200],
  ["0.5", null, 2400],
  ["4", 3, 300],
  ["real", 10, 2000],
  ["real", 0.1, 350],
  ["real", null, 350],
  ["real", 3600, 10_000],
]) {
  test(`how long a move stays at speed ${speed} before one of ${seconds} s`, () => {
    assert.equal(pauseOf(speed, seconds), ms);
  });
}
