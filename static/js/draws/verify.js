// @ts-check
/* Whether what chance gave in a record follows from the seed and the nonces that it states. Written from
   docs/record.md alone, so that two programs which know nothing of each other must agree. It follows
   take-backs, and does not referee: that an entry can stand at all is the business of `manage.py record
   check`. What is drawn in a game, and out of what, stands in that game's folder. */

import { belowOf, isWhole, METHOD, nonceCommitment, seedCommitment, wordsOf } from "./numbers.js";

const STAYS = /^(?:pause|resume|reason|reserve [01] [+-]\d+|extend [01] \d+)$/;
const TAKES_BACK = /^take back(?: ([01]))?$/;

/** A document that is no record, or one that cannot be told apart from one. */
export class Unreadable extends Error {}

/**
 * A submission's text as all its spellings have it: lower case, one space, none around `>:,()`.
 * @param {string} text
 */
export function tidy(text) {
  return text
    .toLowerCase()
    .replace(/[ .]+/g, " ")
    .replace(/ ?([>:,()]) ?/g, "$1")
    .trim();
}

/**
 * A record out of its text. Throws Unreadable.
 * @param {string} text
 * @returns {Draws.Record}
 */
export function readRecord(text) {
  /** @type {Partial<Draws.Record> | null} */
  let found;
  try {
    found = /** @type {Partial<Draws.Record> | null} */ (JSON.parse(text));
  } catch {
    throw new Unreadable("This is not JSON, so it is no match record.");
  }
  if (found?.format !== "deathmatch-record/1" || !Array.isArray(found.moves)) {
    throw new Unreadable("This is not a match record.");
  }
  return /** @type {Draws.Record} */ (found);
}

/**
 * What is wrong with what a record states its draws are derived from, in sentences.
 * @param {Draws.Stated} stated
 */
export function faultsOf({ method, seed, commitment, nonces }) {
  if (method !== METHOD) return ["The draws were derived in a way that this page does not know."];
  if (!isWhole(seed)) return ["The seed is not 64 hexadecimal digits."];
  const faults = [];
  if (seedCommitment(seed) !== commitment) {
    faults.push("The seed does not fit the commitment: it is not the one that was committed to.");
  }
  if (!Array.isArray(nonces) || nonces.length !== 2) {
    return [...faults, "There are not two nonces."];
  }
  for (const [seat, given] of nonces.entries()) {
    for (const each of ["commitment", "nonce"]) {
      const text = /** @type {Record<string, unknown>} */ (given)[each] ?? "";
      if (text !== "" && !isWhole(text)) {
        return [...faults, `The ${each} of seat ${seat} is not 64 hexadecimal digits.`];
      }
    }
    if (given.nonce && nonceCommitment(seat, given.nonce) !== (given.commitment ?? "")) {
      faults.push(`The nonce of seat ${seat} does not fit what that seat had committed to.`);
    }
  }
  return faults;
}

/**
 * The lot is drawn in every game that it belongs to: who has the advantage.
 * @type {Draws.Rules}
 */
const EVERYWHERE = {
  lot: () => ({ label: "lot", outcome: (below) => `lot ${below(2)}` }),
};

/**
 * The entries that stand after one more.
 * @param {Draws.Entry[]} standing
 * @param {Draws.Entry} entry
 */
function after(standing, entry) {
  const back = entry.seat === "organiser" ? TAKES_BACK.exec(entry.text) : null;
  if (back === null) return [...standing, entry];
  const seat = back[1] === undefined ? null : Number(back[1]);
  const undone = standing.findLastIndex(
    (each) => each.isSubmission && (seat === null || each.seat === seat),
  );
  if (undone < 0) return standing;
  const stays = standing
    .slice(undone + 1)
    .filter((each) => each.seat === "organiser" && STAYS.test(each.text));
  return [...standing.slice(0, undone), ...stays];
}

/**
 * @param {Draws.Move} move
 * @param {number} at
 * @returns {Draws.Entry}
 */
function entryOf(move, at) {
  if (typeof move !== "object" || move === null) {
    throw new Unreadable(`Entry ${at} is not an entry of a match record.`);
  }
  const { seat, move: said } = move;
  const written = typeof said === "string" ? said.trim() : "";
  return {
    at,
    seat,
    written,
    text: tidy(written),
    by: typeof move.by === "string" ? move.by : "",
    isSubmission: (seat === 0 || seat === 1) && move.timeout !== true,
  };
}

/**
 * @param {Draws.Entry} entry
 * @param {Draws.Plan} plan
 * @param {(label: string) => Draws.Below} numbers
 * @returns {Draws.Outcome}
 */
function judged(entry, plan, numbers) {
  const wanted = plan.outcome(numbers(plan.label));
  const canonical = plan.canonical ?? (({ text }) => text);
  const due = canonical({ written: wanted, text: tidy(wanted) });
  return {
    at: entry.at,
    label: plan.label,
    said: entry.written,
    wanted,
    by: "",
    state: canonical(entry) === due ? "verified" : "wrong",
  };
}

/**
 * What there is to say of every outcome of chance of a record, in order. `rules` are those of its
 * ruleset, or empty where that draws nothing of its own.
 * @param {Draws.Record} record
 * @param {Draws.Rules} [rules]
 * @returns {Draws.Verdict}
 */
export function verify(record, rules = {}) {
  const stated = record.draws ?? null;
  const faults = stated === null ? [] : faultsOf(stated);
  const known = { ...rules, ...EVERYWHERE };
  /** @type {((label: string) => Draws.Below) | null} */
  let numbers = null;
  if (stated !== null && faults.length === 0) {
    const nonces = stated.nonces.map(({ nonce }) => nonce ?? "");
    numbers = (label) => belowOf(wordsOf(stated.seed, nonces, label));
  }
  /** @type {Draws.Entry[]} */
  let standing = [];
  /** @type {Draws.Outcome[]} */
  const outcomes = [];
  for (const [at, move] of record.moves.entries()) {
    const entry = entryOf(move, at);
    if (entry.seat === "chance") outcomes.push(told(entry, { record, standing, known, numbers }));
    standing = after(standing, entry);
  }
  return { derived: stated, faults, outcomes };
}

/**
 * @param {Draws.Entry} entry
 * @param {{record: Draws.Record, standing: Draws.Entry[], known: Draws.Rules,
 *   numbers: ((label: string) => Draws.Below) | null}} from
 * @returns {Draws.Outcome}
 */
function told(entry, { record, standing, known, numbers }) {
  const [kind, ...words] = entry.text.split(" ");
  const plan = Object.hasOwn(known, kind) ? known[kind](words, { record, standing }) : null;
  const label = plan?.label ?? "";
  const outcome = { at: entry.at, label, said: entry.written, wanted: "", by: entry.by };
  if (entry.by) return { ...outcome, state: "supplied" };
  if (record.draws === undefined) return { ...outcome, state: "unverifiable" };
  // A seed that contradicts itself is no reason to believe anything.
  if (plan === null || numbers === null) return { ...outcome, state: "wrong" };
  return judged(entry, plan, numbers);
}

/**
 * How many outcomes are in each state.
 * @param {Draws.Verdict} verdict
 */
export function countsOf({ outcomes }) {
  const counts = { verified: 0, supplied: 0, unverifiable: 0, wrong: 0 };
  for (const { state } of outcomes) counts[state] += 1;
  return counts;
}
