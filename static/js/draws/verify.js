// @ts-check
/* Whether what chance gave in a record follows from the seed and the nonces that it states. Written from
   docs/record.md alone, so that two programs which know nothing of each other must agree. It follows
   take-backs and what is to be drawn when, and does not referee: whether a move can be made is the
   business of `manage.py record check`. What is drawn in a game, out of what and when, stands in that
   game's folder. */

import { belowOf, isWhole, METHOD, nonceCommitment, seedCommitment, wordsOf } from "./numbers.js";

const STAYS = /^(?:pause|resume|reason|reserve [01] [+-]\d+|extend [01] \d+)$/;
const TAKES_BACK = /^take back(?: ([01]))?$/;
const ENDS = /^(?:winner [01]|void)$/;
const LOT = /^lot [01]$/;
const NAME = /[\p{L}\p{N}\p{P}\p{S}]/u; // there is something to read

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
  for (const [seat, given] of nonces.entries()) {
    for (const each of /** @type {const} */ (["commitment", "nonce"])) {
      if (given[each] && !isWhole(given[each])) {
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
  lot: () => ({ label: "lot", form: LOT, outcome: (below) => `lot ${below(2)}` }),
};

/**
 * The place in a list of the submission that an act takes back, -1 where there is none; null where it
 * takes nothing back.
 * @param {Draws.Entry[]} standing
 * @param {Draws.Entry} entry
 */
function takenBack(standing, entry) {
  const back = entry.seat === "organiser" ? TAKES_BACK.exec(entry.text) : null;
  if (back === null) return null;
  const seat = back[1] === undefined ? null : Number(back[1]);
  return standing.findLastIndex(
    (each) => each.isSubmission && (seat === null || each.seat === seat),
  );
}

/**
 * The entries that stand after one more.
 * @param {Draws.Entry[]} standing
 * @param {Draws.Entry} entry
 */
function after(standing, entry) {
  const undone = takenBack(standing, entry);
  if (undone === null) return [...standing, entry];
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
function entryOf({ seat, move, timeout, by }, at) {
  const written = move ?? "";
  const isSubmission = (seat === 0 || seat === 1) && timeout !== true;
  return { at, seat, written, text: tidy(written), by: by ?? "", isSubmission };
}

/** @param {Draws.Entry} entry */
const concedes = ({ isSubmission, text }) => isSubmission && text === "concede";

/** @param {Draws.Entry} entry */
const ends = (entry) => concedes(entry) || (entry.seat === "organiser" && ENDS.test(entry.text));

/**
 * What is awaited next: draws, and whose entries may come before they are made.
 * @param {Draws.Record} record
 * @param {Draws.Entry[]} standing
 * @param {Draws.Module} module
 * @returns {Draws.Awaited}
 */
function awaitedIn(record, standing, { awaits }) {
  const lot = record.advantage ?? standing.find(({ text }) => LOT.test(text))?.text.at(-1);
  if (lot === undefined) return { due: ["lot"], open: [] };
  const advantage = Number(lot) === 1 ? 1 : 0;
  return awaits ? awaits({ record, standing, advantage }) : { due: null, open: null };
}

/**
 * Why an entry cannot stand as far as draws go, in words that follow its number; empty where it can.
 * @param {Draws.Entry} entry
 * @param {Draws.Entry[]} standing
 * @param {Draws.Awaited} awaited
 */
function against(entry, standing, { due, open }) {
  if (takenBack(standing, entry) === -1) return "takes a submission back, and there is none.";
  if (entry.seat === "chance") {
    const isDue = due?.some((each) => `${entry.text} `.startsWith(`${each} `)) ?? true;
    return isDue ? "" : "is a draw, and nothing of the kind is to be drawn here.";
  }
  const [missing] = due ?? [];
  if (missing === "lot") return "comes before the lot was drawn.";
  if (entry.seat === "organiser" || open === null || concedes(entry)) return "";
  if (open.includes(entry.seat)) return "";
  if (missing === undefined) return `is one of seat ${entry.seat}, and it is the other one's turn.`;
  return `comes before “${missing}” was drawn.`;
}

/**
 * What there is to say of every outcome of chance of a record, in order, up to the first entry that
 * cannot stand. `module` is what its ruleset says of draws; empty where it draws nothing of its own.
 * @param {Draws.Record} record
 * @param {Draws.Module} [module]
 * @returns {Draws.Verdict}
 */
export function verify(record, module = { draws: {} }) {
  const stated = record.draws ?? null;
  const faults = stated === null ? [] : faultsOf(stated);
  const known = { ...module.draws, ...EVERYWHERE };
  /** @type {((label: string) => Draws.Below) | null} */
  let numbers = null;
  if (stated !== null && faults.length === 0) {
    const nonces = stated.nonces.map(({ nonce }) => nonce ?? "");
    numbers = (label) => belowOf(wordsOf(stated.seed, nonces, label));
  }
  /** @type {Draws.Entry[]} */
  let standing = [];
  let awaited = awaitedIn(record, standing, module);
  let over = false;
  /** @type {Draws.Outcome[]} */
  const outcomes = [];
  /** @type {Draws.Verdict["stopped"]} */
  let stopped = null;
  for (const [at, move] of record.moves.entries()) {
    const entry = entryOf(move, at);
    const words = over ? "comes after the end." : against(entry, standing, awaited);
    if (words) {
      stopped = { at, words };
      break;
    }
    if (entry.seat === "chance") outcomes.push(told(entry, { record, standing, known, numbers }));
    standing = after(standing, entry);
    over = ends(entry);
    awaited = awaitedIn(record, standing, module);
    if (awaited.impossible) {
      stopped = { at, words: "cannot come here: something that had to be drawn is missing." };
      break;
    }
  }
  const isAdvantageAgreed = record.advantage !== undefined;
  return { derived: stated, faults, outcomes, stopped, isAdvantageAgreed };
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
  const { at, by, written: said } = entry;
  const outcome = { at, label: plan?.label ?? "", said, wanted: "", by, why: "" };
  /** @param {string} why */
  const wrong = (why) => ({ ...outcome, why, state: /** @type {const} */ ("wrong") });
  if (plan === null) return wrong("nothing of the kind is drawn.");
  if (!plan.form.test(said)) return wrong("an outcome is not written like that.");
  if (by && !plan.suppliable) return wrong("no organiser can supply this: it is drawn.");
  if (by && !NAME.test(by)) return wrong("what was supplied has the name of who supplied it.");
  const impossible = plan.impossible?.(said) ?? "";
  if (impossible) return wrong(impossible);
  if (by) return { ...outcome, state: "supplied" };
  if (plan.agreed) return { ...outcome, state: "agreed" };
  if (record.draws === undefined) return { ...outcome, state: "unverifiable" };
  // A seed that contradicts itself is no reason to believe anything.
  if (numbers === null) return { ...outcome, state: "wrong" };
  const wanted = plan.outcome(numbers(plan.label));
  return { ...outcome, wanted, state: said === wanted ? "verified" : "wrong" };
}

/**
 * How many outcomes are in each state.
 * @param {Draws.Verdict} verdict
 */
export function countsOf({ outcomes }) {
  const counts = { verified: 0, supplied: 0, agreed: 0, unverifiable: 0, wrong: 0 };
  for (const { state } of outcomes) counts[state] += 1;
  return counts;
}
