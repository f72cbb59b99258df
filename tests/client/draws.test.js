/* The numbers of draws, against what docs/record-vectors.json publishes; and what a page says of a
   record. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import {
  belowOf,
  chosen,
  isWhole,
  nonceCommitment,
  seedCommitment,
  shuffled,
  wordsOf,
} from "../../static/js/draws/numbers.js";
import {
  addedBy,
  comparison,
  recalled,
  summaryOf,
  unvouched,
} from "../../static/js/draws/report.js";
import { readBytes, readRecord } from "../../static/js/draws/reading.js";
import { countsOf, faultsOf, tidy, verify } from "../../static/js/draws/verify.js";
import {
  freezeDraws,
  noteDraws,
  noteTaken,
  nonceFor,
  notedOf,
} from "../../static/js/match/nonce.js";
import { openNumbers } from "../../static/js/match/opening.js";

const published = JSON.parse(
  readFileSync(new URL("../../docs/record-vectors.json", import.meta.url), "utf-8"),
);
const SEED = published.numbers[0].seed;

for (const { seed, commitment, nonces, label, words, below } of published.numbers) {
  const given = nonces.map(({ nonce }) => nonce);
  const added = given.filter(Boolean).length;
  test(`the numbers of “${label}” with ${added} nonces are those that are published`, () => {
    assert.equal(seedCommitment(seed), commitment);
    for (const [seat, nonce] of nonces.entries()) {
      if (nonce.nonce) assert.equal(nonceCommitment(seat, nonce.nonce), nonce.commitment);
    }
    const source = wordsOf(seed, given, label);
    assert.deepEqual(
      words.map(() => source.next().value.toString(16).padStart(8, "0")),
      words,
    );
    for (const [bound, numbers] of Object.entries(below)) {
      const number = belowOf(wordsOf(seed, given, label));
      assert.deepEqual(
        numbers.map(() => number(Number(bound))),
        numbers,
      );
    }
  });
}

test("a list is shuffled from its end, and stays as it was", () => {
  const list = ["a", "b", "c", "d"];
  assert.deepEqual(
    shuffled(() => 0, list),
    ["b", "c", "d", "a"],
  );
  assert.deepEqual(
    shuffled((bound) => bound - 1, list),
    list,
  );
  assert.equal(
    chosen((bound) => bound - 1, list),
    "d",
  );
  assert.deepEqual(list, ["a", "b", "c", "d"]);
});

test("32 bytes are 64 digits in lower case", () => {
  assert.ok(isWhole(SEED));
  for (const text of ["", SEED.slice(1), `${SEED}0`, SEED.toUpperCase(), `${SEED}\n`, 3, null]) {
    assert.ok(!isWhole(text), String(text));
  }
});

test("a text is tidied as every move is", () => {
  assert.equal(tidy("  PICK..t  "), "pick t");
  assert.equal(tidy("(1 , 1) CZ : DZ"), "(1,1)cz:dz");
});

function recordOf(more = {}) {
  return {
    format: "deathmatch-record/1",
    ruleset: "any",
    variant: "standard",
    seats: ["Ada", "Ben"],
    moves: [{ seat: "chance", move: "lot 0" }],
    ...more,
  };
}

const STATED = {
  method: "hmac-sha256/1",
  seed: SEED,
  commitment: seedCommitment(SEED),
  nonces: [{}, {}],
};
const LOT = belowOf(wordsOf(SEED, ["", ""], "lot"))(2);
const NONCE = "20".repeat(32);
const COMMITTED = { commitment: nonceCommitment(0, NONCE) };
const NEVER_OPENED = { ...STATED, nonces: [COMMITTED, {}] };
const WITH_ONE = { ...STATED, nonces: [{ ...COMMITTED, nonce: NONCE }, {}] };
const LOT_WITH_ONE = belowOf(wordsOf(SEED, [NONCE, ""], "lot"))(2);

for (const [kind, said, record] of [
  [
    "info",
    /one draw follows from the server's seed; no player added a number/,
    { draws: STATED, moves: [{ seat: "chance", move: `lot ${LOT}` }] },
  ],
  [
    "info",
    /no player added a number/,
    { draws: NEVER_OPENED, moves: [{ seat: "chance", move: `lot ${LOT}` }] },
  ],
  [
    "success",
    /one draw follows from the seed and the nonces/,
    { draws: WITH_ONE, moves: [{ seat: "chance", move: `lot ${LOT_WITH_ONE}` }] },
  ],
  [
    "danger",
    /^Wrong: 1 draw .* entry 1$/,
    { draws: STATED, moves: [{ seat: "chance", move: `lot ${1 - LOT}` }] },
  ],
  ["danger", /^Wrong/, { draws: { ...STATED, commitment: SEED } }],
  ["danger", /^Wrong/, { draws: STATED, moves: [{ seat: "chance", move: "dice 6" }] }],
  ["danger", /^Wrong/, { draws: STATED, moves: [{ seat: "chance", move: "constructor 6" }] }],
  ["warning", /Nobody can verify/, {}],
  ["info", /Nothing was drawn/, { draws: STATED, moves: [] }],
  ["info", /Nothing was drawn/, { moves: [] }],
  ["danger", /^Wrong/, { moves: [{ seat: "chance", move: "lot 1", by: "Cleo" }] }],
  ["danger", /^Wrong/, { draws: STATED, moves: [{ seat: "chance", move: `lot  ${LOT}` }] }],
  [
    "danger",
    /^Wrong: entry 1 cannot stand$/,
    { advantage: 0, moves: [{ seat: "organiser", move: "take back" }] },
  ],
  ["danger", /^Wrong: entry 1 cannot stand$/, { moves: [{ seat: 0, move: "first" }] }],
]) {
  test(`${JSON.stringify(record).slice(0, 60)}… is told as ${kind}`, () => {
    const summary = summaryOf(verify(recordOf(record)));
    assert.equal(summary.kind, kind);
    assert.match(summary.title, said);
  });
}

test("who supplied an outcome is told", () => {
  const moves = [
    { seat: "chance", move: `lot ${LOT}` },
    { seat: "chance", move: "pallet", by: "Cleo" },
  ];
  const pallet = { label: "pallet", form: /^pallet$/, suppliable: true, outcome: () => "pallet" };
  const verdict = verify(recordOf({ draws: STATED, moves }), { draws: { pallet: () => pallet } });
  const counts = { verified: 1, supplied: 1, agreed: 0, unverifiable: 0, wrong: 0 };
  assert.deepEqual(countsOf(verdict), counts);
  assert.match(summaryOf(verdict).lines.flat().join(" "), /supplied by an organiser \(Cleo\)/);
});

test("what a draw hangs on is what stands before it", () => {
  const seen = [];
  const rules = {
    die: (words, { standing }) => {
      seen.push(standing.map(({ text }) => text));
      return { label: "die", form: /^die \d$/, outcome: () => "die 1" };
    },
  };
  const said = [
    [0, "a"],
    ["organiser", "pause"],
    [1, "b"],
    ["organiser", "reserve 0 +5"],
    ["organiser", "rule valid"],
    ["chance", "die 1"],
    ["organiser", "take back 0"], // and what the other seat did since, but not what stays
    ["chance", "die 1"],
    [1, "c"],
    ["organiser", "TAKE  BACK"],
    ["chance", "die 1"],
  ];
  const moves = said.map(([seat, move]) => ({ seat, move }));
  verify(recordOf({ draws: STATED, advantage: 0, moves }), { draws: rules });
  assert.deepEqual(seen, [
    ["a", "pause", "b", "reserve 0 +5", "rule valid"],
    ["pause", "reserve 0 +5"],
    ["pause", "reserve 0 +5", "die 1"],
  ]);
});

for (const [wrong, fault] of [
  [{ method: "dice/1" }, /way that this page does not know/],
  [{ seed: "00" }, /seed is not 64/],
  [{ seed: "" }, /seed is not 64/],
  [{ commitment: SEED }, /does not fit the commitment/],
  [{ nonces: [{ commitment: "x" }, {}] }, /commitment of seat 0/],
  [{ nonces: [{}, { nonce: "x" }] }, /nonce of seat 1 is not/],
  [{ nonces: [{}, { nonce: SEED }] }, /nonce of seat 1 does not fit/],
  [{ nonces: [{}, { nonce: SEED, commitment: nonceCommitment(0, SEED) }] }, /of seat 1 does not/],
]) {
  test(`${JSON.stringify(wrong)} contradicts itself`, () => {
    const faults = faultsOf({ ...STATED, ...wrong });
    assert.equal(faults.length, 1);
    assert.match(faults[0], fault);
  });
}

test("what is no record is not read", () => {
  for (const text of ["", "{}", "[]", "null", '{"format": "deathmatch-record/2", "moves": []}']) {
    assert.throws(() => readRecord(text), { name: "Error" });
  }
});

test("a file is UTF-8 without a byte order mark, as the checker has it", () => {
  const text = JSON.stringify(recordOf({ seats: ["Ada", "Łukasz"], draws: STATED }));
  const bytes = (/** @type {number[]} */ ...more) => new Uint8Array(more).buffer;
  const whole = new TextEncoder().encode(text);
  assert.deepEqual(readBytes(whole.buffer), readRecord(text));
  const utf16 = [...`\ufeff${text}`].flatMap((each) => {
    const code = each.charCodeAt(0);
    return [code & 255, code >> 8];
  });
  for (const [file, said] of [
    [bytes(0xef, 0xbb, 0xbf, ...whole), /not JSON/],
    [bytes(...utf16), /not UTF-8/],
    [bytes(...whole.slice(0, -1), 0xff, 0x7d), /not UTF-8/],
    [bytes(), /not JSON/],
  ]) {
    assert.throws(() => readBytes(file), { message: said });
  }
});

test("whose nonce was not opened is the first thing that is said", () => {
  const given = { nonce: SEED, commitment: nonceCommitment(1, SEED) };
  const shut = { commitment: nonceCommitment(0, "00".repeat(32)) };
  const draws = { ...STATED, nonces: [shut, given] };
  const { derived } = verify(recordOf({ draws, moves: [] }));
  const outcomes = [{ at: 0, state: "verified", said: "lot 0" }];
  const verdict = { ...verify(recordOf({ draws, moves: [] })), derived, outcomes };
  const { kind, title, lines } = summaryOf(verdict, { seats: ["Ada", "Ben"] });
  assert.equal(kind, "info");
  assert.match(title, /follows from the seed and the nonces; one nonce was not opened$/);
  assert.match(lines.flat().join(), /^Ada had committed .* zeros stand for it.* between them/);
  // With both opened, or none ever committed to, nobody could choose.
  for (const nonces of [
    [{}, given],
    [{ ...given, commitment: nonceCommitment(0, SEED) }, given],
  ]) {
    const open = { ...verdict, derived: { ...derived, nonces } };
    assert.equal(summaryOf(open, { seats: ["Ada", "Ben"] }).kind, "success");
  }
});

test("what is damaged is said, and entries are counted from 1", () => {
  const entry = (more) => ({ moves: [{ seat: 0, move: "first" }, more] });
  const draws = (more) => ({ draws: { ...STATED, ...more } });
  for (const [more, said] of [
    [entry(null), /^Entry 2 is not an object/],
    [entry({ seat: "CHANCE", move: "lot 1" }), /^Entry 2: “seat” is not 0, 1, “chance”/],
    [entry({ seat: 0 }), /^Entry 2 has either/],
    [entry({ seat: 0, move: "x", by: null }), /^Entry 2: “by” is not a name/],
    [entry({ seat: "chance", timeout: true }), /^Entry 2: only a player/],
    [{ draws: {} }, /“draws”.* has no “method”/],
    [{ draws: [] }, /“draws”.* is not an object/],
    [{ draws: null }, /“draws”.* is not an object/],
    [draws({ nonces: [{}] }), /“nonces” is not a list of two/],
    [draws({ nonces: [{}, { nonce: null }] }), /seat 1 .*“nonce” is not a text/],
    [draws({ seed: 7 }), /“seed” is not a text/],
  ]) {
    assert.throws(() => readRecord(JSON.stringify(recordOf(more))), { message: said });
  }
});

test("the verdict at the top is the worst there is", () => {
  const verdict = verify(
    recordOf({ draws: STATED, moves: [{ seat: "chance", move: `lot ${LOT}` }] }),
  );
  const found = { wrong: ["WRONG: so."], same: ["The same."], doubts: [] };
  for (const beside of [
    { found },
    { compared: "WRONG: it is another one." },
    { found, seen: "imported" },
  ]) {
    const summary = summaryOf(verdict, beside);
    assert.equal(summary.kind, "danger");
    assert.match(summary.title, /^Wrong/);
    assert.match(summary.lines.flat().join(), /^WRONG/);
    assert.doesNotMatch(JSON.stringify(summary), /follows from/);
  }
  // Right, but for what the server alone could have done.
  const sound = summaryOf(verdict, { found: { wrong: [], same: [], doubts: [] } });
  assert.equal(sound.kind, "info");
  assert.match(sound.title, /no player added a number$/);
});

test("nobody here saw when the commitment of a foreign record was made", () => {
  const verdict = verify(
    recordOf({ draws: STATED, moves: [{ seat: "chance", move: `lot ${LOT}` }] }),
  );
  assert.doesNotMatch(JSON.stringify(summaryOf(verdict, { seen: "here" })), /commitment was made/);
  for (const [seen, said] of [
    ["imported", /was imported: nobody here saw when/],
    ["file", /does not tell when the commitment was made/],
  ]) {
    const summary = summaryOf(verdict, { seen });
    assert.equal(summary.kind, "info");
    assert.match(summary.lines.flat().join(), said);
    const given = { nonce: SEED, commitment: SEED };
    assert.doesNotMatch(addedBy(given, seen), /before anything was known/);
    const compared = comparison(STATED.commitment, STATED.commitment);
    assert.doesNotMatch(summaryOf(verdict, { seen, compared }).lines.flat().join(), said);
  }
});

test("what was agreed on was not drawn", () => {
  const pool = { label: "pool", form: /^pool/, agreed: true, outcome: () => "pool a@1" };
  const moves = [{ seat: "chance", move: "pool a@1" }];
  const verdict = verify(recordOf({ draws: STATED, advantage: 0, moves }), {
    draws: { pool: () => pool },
  });
  assert.equal(verdict.outcomes[0].state, "agreed");
  const { kind, title, lines } = summaryOf(verdict);
  assert.deepEqual([kind, title], ["info", "Nothing was drawn in this match"]);
  assert.match(
    lines
      .flat()
      .map((part) => part.code ?? part)
      .join(" "),
    /pool a@1.*not drawn/,
  );
});

test("what each seat added is told, and whether a noted commitment is the same", () => {
  assert.match(addedBy({ nonce: SEED, commitment: SEED }), /^added a nonce/);
  assert.match(addedBy({ commitment: SEED }), /did not open/);
  assert.match(addedBy({}), /^added nothing/);
  assert.equal(comparison("  ", SEED), "");
  assert.match(
    comparison(` ${SEED.toUpperCase().replace(/(.{8})/g, "$1 ")}`, SEED),
    /^It is the same/,
  );
  assert.match(comparison(`${SEED.slice(1)}f`, SEED), /^WRONG/);
  assert.match(comparison(SEED.slice(0, 12), SEED), /has 12/);
});

function memory() {
  const kept = new Map();
  return {
    kept,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, value),
    removeItem: (key) => kept.delete(key),
  };
}

const OTHER = "7f".repeat(32);

test("a nonce is the same for all pages of a browser, and of that seat alone", async () => {
  const storage = memory();
  const first = await nonceFor(7, 1, storage);
  assert.match(first.nonce, /^[0-9a-f]{64}$/);
  assert.equal(first.commitment, nonceCommitment(1, first.nonce));
  assert.deepEqual(await nonceFor(7, 1, storage), first);
  assert.equal(first.taken, false);
  noteTaken(7, storage);
  assert.deepEqual(await nonceFor(7, 1, storage), { ...first, taken: true });
  assert.notEqual((await nonceFor(8, 1, storage)).nonce, first.nonce);
  assert.notEqual((await nonceFor(7, 0, storage)).nonce, first.nonce);
});

test("a browser that keeps nothing commits to nothing", async () => {
  const full = {
    ...memory(),
    setItem: () => {
      throw new DOMException("full", "QuotaExceededError");
    },
  };
  const forgetful = { ...memory(), setItem: () => {} };
  const closed = {
    getItem: () => {
      throw new DOMException("no", "SecurityError");
    },
    setItem: () => {},
    removeItem: () => {},
  };
  for (const storage of [null, full, forgetful, closed]) {
    assert.equal(await nonceFor(7, 1, storage), null);
  }
});

test("what was shown first is what is noted", async () => {
  const storage = memory();
  const shown = (seed, one, two, opened = [false, false]) => ({
    commitment: seed,
    nonces: [one, two].map((each, seat) => ({ commitment: each, opened: opened[seat] })),
  });
  noteDraws(7, shown(SEED, null, null), storage);
  assert.equal(notedOf(7, storage), null); // nobody's who plays
  const { nonce, commitment } = await nonceFor(7, 0, storage);
  noteDraws(7, shown(SEED, commitment, null), storage);
  noteDraws(7, shown(OTHER, OTHER, SEED), storage);
  noteDraws(7, shown(OTHER, null, OTHER), storage);
  const noted = {
    match: 7,
    seat: 0,
    nonce,
    own: commitment,
    seed: SEED,
    nonces: [commitment, SEED],
  };
  assert.deepEqual(notedOf(7, storage), { ...noted, opened: [false, false] });
  noteDraws(7, shown(SEED, commitment, SEED, [true, false]), storage);
  noteDraws(7, shown(SEED, commitment, SEED, [false, true]), storage);
  assert.deepEqual(notedOf(7, storage), { ...noted, opened: [true, true] });
});

test("what is kept has an end, and what is no note is none", async () => {
  const storage = memory();
  for (let match = 1; match <= 120; match += 1) await nonceFor(match, 0, storage);
  assert.equal(notedOf(20, storage), null);
  assert.notEqual(notedOf(21, storage), null);
  assert.equal(storage.kept.size, 1);
  for (const text of ["{", "{}", "null", "[null, 7, {}]"]) {
    storage.setItem([...storage.kept.keys()][0], text);
    assert.equal(notedOf(7, storage), null);
  }
});

test("a browser that has noted what it was shown says whether it still holds", () => {
  const both = [0, 1].map((seat) => ({ nonce: OTHER, commitment: nonceCommitment(seat, OTHER) }));
  const stated = { ...STATED, nonces: both };
  const seen = both.map(({ commitment }) => commitment);
  const noted = { match: 7, seat: 0, nonce: OTHER, seed: STATED.commitment, nonces: seen };
  const found = (change, derived = stated) =>
    recalled({ ...noted, ...change }, derived, ["Ada", "Ben"]);
  assert.equal(recalled(null, stated, []), null);
  assert.equal(found({ seed: "" }), null);
  assert.deepEqual(found({}).wrong, []);
  assert.match(found({}).same[0], /^Your browser had noted the same commitment/);
  assert.equal(found({}).same.length, 3);
  assert.match(found({ seed: OTHER }).wrong.join(), /^WRONG: .*7f, and the record has another/);
  assert.match(found({}, null).wrong.join(), /^WRONG: .* the record has none/);
  assert.match(found({ nonces: [seen[0], OTHER] }).wrong.join(), /^WRONG: of the nonce of Ben/);
  assert.match(found({ nonces: [OTHER, seen[1]] }).wrong.join(), /^WRONG: of your own nonce/);
  const late = found({ nonce: SEED });
  assert.deepEqual(late.wrong, []);
  assert.match(late.doubts.join(), /a number for you that this browser did not choose/);
  assert.deepEqual(found({ nonces: [null, null] }).wrong, []); // none was shown
});

test("a server that drops a nonce after it was opened is found out", () => {
  const both = [0, 1].map((seat) => ({ nonce: OTHER, commitment: nonceCommitment(seat, OTHER) }));
  const seen = both.map(({ commitment }) => commitment);
  const noted = { match: 7, seat: 0, nonce: OTHER, seed: STATED.commitment, nonces: seen };
  const without = (seat) =>
    both.map((each, at) => (at === seat ? { commitment: each.commitment } : each));
  const found = (opened, nonces) =>
    recalled({ ...noted, opened }, { ...STATED, nonces }, ["Ada", "Ben"]);
  assert.deepEqual(found([true, true], both).wrong, []);
  assert.match(
    found([true, true], without(0)).wrong.join(),
    /^WRONG: .* your own nonce was opened/,
  );
  assert.match(found([true, true], without(1)).wrong.join(), /^WRONG: .* nonce of Ben was opened/);
  assert.equal(found([true, true], [{}, {}]).wrong.length, 4);
  assert.deepEqual(found([false, true], without(0)).wrong, []); // it came too late
  assert.match(found([false, true], without(0)).doubts.join(), /not in the record/);
  assert.deepEqual(found(undefined, without(0)).wrong, []); // a note of before opening was noted
});

test("a commitment that is made after a nonce was opened is found out", async () => {
  const storage = memory();
  const { nonce, commitment } = await nonceFor(7, 0, storage);
  const shown = (one, two) => ({
    commitment: STATED.commitment,
    nonces: [one, two].map((each) => ({ commitment: each, opened: false })),
  });
  noteDraws(7, shown(null, null), storage);
  assert.ok(freezeDraws(7, shown(commitment, null), storage)); // told that nobody else will
  noteDraws(7, shown(commitment, OTHER), storage);
  const noted = notedOf(7, storage);
  assert.deepEqual(noted.nonces, [commitment, null]);
  assert.ok(!freezeDraws(7, shown(commitment, OTHER), storage)); // never once more
  const own = { nonce, commitment };
  const found = (ben) => recalled(noted, { ...STATED, nonces: [own, ben] }, ["Ada", "Ben"]);
  assert.deepEqual(found({}).wrong, []);
  const late = { nonce: OTHER, commitment: nonceCommitment(1, OTHER) };
  assert.match(found(late).wrong.join(), /^WRONG: as your browser opened .* the nonce of Ben/);
});

test("a nonce is not opened where something else is shown than before", async () => {
  for (const [seed, ben] of [
    [OTHER, OTHER],
    [STATED.commitment, SEED],
    [STATED.commitment, null],
  ]) {
    const storage = memory();
    const { commitment } = await nonceFor(7, 0, storage);
    const shown = (one, two) => ({
      commitment: one,
      nonces: [commitment, two].map((each) => ({ commitment: each, opened: false })),
    });
    noteDraws(7, shown(STATED.commitment, OTHER), storage);
    assert.ok(!freezeDraws(7, shown(seed, ben), storage));
    assert.ok(freezeDraws(7, shown(STATED.commitment, OTHER), storage));
    assert.deepEqual(notedOf(7, storage).nonces, [commitment, OTHER]);
  }
});

test("nothing is said to be as before of a nonce that was dropped", () => {
  const given = { nonce: OTHER, commitment: nonceCommitment(0, OTHER) };
  const noted = { match: 7, seat: 0, nonce: OTHER, seed: STATED.commitment };
  const nonces = [given.commitment, null];
  const stated = { ...STATED, nonces: [{ commitment: given.commitment }, {}] };
  const { wrong, same } = recalled({ ...noted, nonces, opened: [true, false] }, stated, []);
  assert.equal(wrong.length, 1);
  assert.doesNotMatch(same.join(" "), /your own nonce/);
});

const SOUND = verify(
  recordOf({
    draws: { ...STATED, nonces: [{ ...COMMITTED, nonce: NONCE }, {}] },
    moves: [{ seat: "chance", move: `lot ${belowOf(wordsOf(SEED, [NONCE, ""], "lot"))(2)}` }],
  }),
);

test("a number of another's in one's own seat is never as before, and never all well", async () => {
  const other = { nonce: OTHER, commitment: nonceCommitment(0, OTHER) };
  const shown = (own) => ({
    commitment: STATED.commitment,
    nonces: [own, null].map((each) => ({ commitment: each, opened: each !== null })),
  });
  for (const taken of [true, false]) {
    const storage = memory();
    const { nonce, commitment } = await nonceFor(7, 0, storage);
    if (taken) noteTaken(7, storage);
    noteDraws(7, shown(other.commitment), storage); // what the server says as numbers are opened
    const found = (own) =>
      recalled(notedOf(7, storage), { ...STATED, nonces: [own, {}] }, ["Ada", "Ben"]);
    const strange = found(other);
    assert.deepEqual(strange.wrong, []);
    assert.doesNotMatch(strange.same.join(), /your own nonce/);
    assert.match(strange.doubts.join(), /a number for you that this browser did not choose/);
    assert.match(strange.doubts.join(), taken ? /had added one that was taken/ : /choose\. If/);
    const told = summaryOf(SOUND, { found: strange });
    assert.equal(told.kind, taken ? "warning" : "info");
    assert.match(told.lines[0].join(), /this browser did not choose/);
    assert.match(found({ nonce, commitment }).wrong.join(), /of your own nonce/);
    // A commitment that no number has followed is as much another's.
    const shut = found({ commitment: other.commitment });
    assert.match(shut.wrong.join() || shut.doubts.join(), /did not choose|was opened/);
  }
});

test("a number that was taken is in the record, and one that was sent", async () => {
  const storage = memory();
  const { nonce, commitment } = await nonceFor(7, 0, storage);
  const shown = {
    commitment: STATED.commitment,
    nonces: [commitment, null].map((each) => ({ commitment: each, opened: false })),
  };
  const found = (own) =>
    recalled(notedOf(7, storage), { ...STATED, nonces: [own, {}] }, ["Ada", "Ben"]);
  noteTaken(7, storage);
  noteDraws(7, { ...shown, nonces: shown.nonces.map(() => ({ commitment: null })) }, storage);
  assert.match(found({}).wrong.join(), /^WRONG: the server had taken/);
  const shut = found({ commitment });
  assert.deepEqual([shut.wrong, shut.isGrave], [[], false]);
  assert.match(shut.doubts.join(), /it was not opened\..*your own number is not in it/);
  assert.equal(summaryOf(SOUND, { found: shut }).kind, "info");
  assert.ok(freezeDraws(7, shown, storage)); // and then it is sent
  const swallowed = found({ commitment });
  assert.match(swallowed.doubts.join(), /has sent its number/);
  assert.equal(summaryOf(SOUND, { found: swallowed }).kind, "warning");
  const sound = found({ nonce, commitment });
  assert.deepEqual([sound.wrong, sound.doubts], [[], []]);
  assert.equal(summaryOf(SOUND, { found: sound }).kind, "success");
});

test("a player without a number in it is told so, whatever their browser noted", () => {
  const given = { ...COMMITTED, nonce: NONCE };
  const told = (nonces, you) => {
    const found = unvouched({ ...STATED, nonces }, you);
    return found === null ? "success" : summaryOf(SOUND, { found }).kind;
  };
  assert.equal(told([given, {}], 1), "info");
  assert.equal(told([given, { commitment: OTHER }], 1), "info");
  assert.equal(told([given, {}], 0), "success");
  assert.equal(told([given, {}], null), "success");
  assert.equal(told([{}, {}], 1), "success"); // the title says it then
  assert.equal(unvouched(null, 1), null);
  assert.match(
    unvouched({ ...STATED, nonces: [given, {}] }, 1).doubts[0],
    /your own number is not/,
  );
});

/** What a page of the site asks the server for a match in turns, and what it sends. */
async function openedBy({ noted = {}, waiting = {}, draws = {}, phase = "waiting", you = 0 }) {
  const storage = memory();
  const { nonce, commitment } = await nonceFor(7, 0, storage);
  if (noted.taken !== false) noteTaken(7, storage);
  const shown = [
    { commitment: draws.own ?? commitment, opened: draws.opened ?? false },
    { commitment: null, opened: false },
  ];
  const asked = [];
  const fetch = (address, { body } = {}) => {
    asked.push([address, body]);
    const more = address.endsWith("?here=true") ? { opens_until: 9 } : {};
    const view = {
      phase,
      waiting: { until: 9, gathers_until: 5, ready: [true, true], ...waiting, ...more },
      draws: { method: "", commitment: STATED.commitment, nonces: shown },
    };
    if (waiting.gathers_until === null) delete view.waiting.gathers_until;
    return Promise.resolve({ ok: true, json: () => Promise.resolve({ you, view }) });
  };
  await openNumbers([3, 7], { fetch, storage, csrf: "" });
  const sent = asked.filter(([, body]) => body !== undefined);
  assert.deepEqual(
    sent,
    sent.length > 0 ? [["/api/v1/matches/7/ready/", JSON.stringify({ nonce })]] : [],
  );
  return { count: asked.length, sent: sent.length, frozen: notedOf(7, storage).frozen === true };
}

test("any page of the site opens the number that its browser has added", async () => {
  const opens = { opens_until: 9 };
  assert.deepEqual(await openedBy({ waiting: opens }), { count: 2, sent: 1, frozen: true });
  // Both have been there, and nobody yet who could open one: being here is that.
  assert.deepEqual(await openedBy({}), { count: 3, sent: 1, frozen: true });
  // Half of the time is over, and the other has not come.
  const alone = { ...opens, ready: [true, false] };
  assert.equal((await openedBy({ waiting: alone })).sent, 1);
  for (const not of [
    { waiting: { ready: [true, false] } }, // the other is to come
    { waiting: { gathers_until: null, ...opens } }, // at a live pace they are at its page
    { waiting: opens, draws: { own: OTHER } }, // another browser's
    { waiting: opens, draws: { opened: true } },
    { waiting: { ...opens, without: [true, false] } },
    { waiting: opens, you: 1 },
    { waiting: opens, you: null },
  ]) {
    assert.deepEqual(await openedBy(not), { count: 1, sent: 0, frozen: false });
  }
  // What was never taken asks nobody.
  assert.equal((await openedBy({ noted: { taken: false }, waiting: opens })).count, 0);
});
