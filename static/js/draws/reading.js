// @ts-check
/* A record out of its text: whether it is one at all, as docs/record.md describes it, or what keeps it
   from being one, in a sentence. Entries are counted from 1, as people do and the replay does. */

/** A document that is no record, or one that cannot be told apart from one. */
export class Unreadable extends Error {}

const WHO = "0, 1, “chance” or “organiser”";

/**
 * @param {unknown} found
 * @returns {found is Record<string, unknown>}
 */
function isObject(found) {
  return typeof found === "object" && found !== null && !Array.isArray(found);
}

/** @param {unknown} found */
const isText = (found) => typeof found === "string";

/** @param {unknown} found */
const isSeat = (found) => found === 0 || found === 1;

/** @param {unknown} found */
const isPlace = (found) => isSeat(found) || found === "chance" || found === "organiser";

/** @param {unknown} found */
const isReading = (found) => typeof found === "number" && found >= 0;

/**
 * @param {unknown} found
 * @param {(each: unknown) => boolean} [is]
 */
const isPair = (found, is = () => true) =>
  Array.isArray(found) && found.length === 2 && found.every((each) => is(each));

/**
 * Refuse a part whose keys do not hold what they must. A key that may be left out may not be null.
 * @param {string} part as people call it
 * @param {unknown} found
 * @param {[key: string, is: (value: unknown) => boolean, words: string, needed?: boolean][]} keys
 */
function mustHold(part, found, keys) {
  if (!isObject(found)) throw new Unreadable(`${part} is not an object.`);
  for (const [key, is, words, needed] of keys) {
    const there = Object.hasOwn(found, key);
    if (!there && needed) throw new Unreadable(`${part} has no “${key}”.`);
    if (there && !is(found[key])) throw new Unreadable(`${part}: “${key}” is not ${words}.`);
  }
  return found;
}

/**
 * @param {unknown} move
 * @param {number} at
 */
function mustBeEntry(move, at) {
  const part = `Entry ${at + 1}`;
  const entry = mustHold(part, move, [
    ["seat", isPlace, WHO, true],
    ["move", isText, "a text"],
    ["timeout", (found) => found === true, "true"],
    ["t", isReading, "a number of seconds"],
    ["by", isText, "a name"],
    ["why", isText, "a text"],
  ]);
  if (Object.hasOwn(entry, "move") === Object.hasOwn(entry, "timeout")) {
    throw new Unreadable(`${part} has either a “move” or a “timeout”.`);
  }
  if (Object.hasOwn(entry, "timeout") && !isSeat(entry.seat)) {
    throw new Unreadable(`${part}: only a player can run out of time.`);
  }
}

/** @param {unknown} draws */
function mustBeDraws(draws) {
  const part = "What the draws were derived from (“draws”)";
  const { nonces } = mustHold(part, draws, [
    ["method", isText, "a text", true],
    ["seed", isText, "a text", true],
    ["commitment", isText, "a text", true],
    ["nonces", (found) => isPair(found), "a list of two", true],
  ]);
  for (const [seat, nonce] of /** @type {unknown[]} */ (nonces).entries()) {
    mustHold(`What seat ${seat} added to the draws`, nonce, [
      ["commitment", isText, "a text"],
      ["nonce", isText, "a text"],
    ]);
  }
}

/** @param {unknown} result */
function mustBeResult(result) {
  mustHold("The result", result, [
    ["winner", (found) => found === null || isSeat(found), "a seat", true],
    ["reason", isText, "a text", true],
    ["scores", (found) => isPair(found, Number.isInteger), "a list of two whole numbers"],
  ]);
}

/**
 * A record out of the bytes of a file: UTF-8 without a byte order mark, as every checker takes it. Throws
 * Unreadable.
 * @param {ArrayBuffer} bytes
 */
export function readBytes(bytes) {
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Unreadable("This is not UTF-8, so it is no match record.");
  }
  return readRecord(text);
}

/**
 * A record out of its text. Throws Unreadable.
 * @param {string} text
 * @returns {Draws.Record}
 */
export function readRecord(text) {
  /** @type {unknown} */
  let found;
  try {
    found = JSON.parse(text);
  } catch {
    throw new Unreadable("This is not JSON, so it is no match record.");
  }
  if (!isObject(found) || found.format !== "deathmatch-record/1") {
    throw new Unreadable("This is not a match record.");
  }
  mustHold("The record", found, [
    ["ruleset", isText, "a text", true],
    ["variant", isText, "a text", true],
    ["seats", (seats) => isPair(seats, isText), "a list of two names", true],
    ["moves", Array.isArray, "a list", true],
    ["options", isObject, "an object"],
    ["advantage", isSeat, "a seat"],
    ["items", Array.isArray, "a list"],
  ]);
  for (const [at, move] of /** @type {unknown[]} */ (found.moves).entries()) mustBeEntry(move, at);
  for (const item of /** @type {unknown[]} */ (found.items ?? [])) {
    mustHold("One of the items", item, [
      ["seat", isSeat, "a seat", true],
      ["item", isText, "a text", true],
    ]);
  }
  if (Object.hasOwn(found, "result")) mustBeResult(found.result);
  if (Object.hasOwn(found, "draws")) mustBeDraws(found.draws);
  return /** @type {Draws.Record} */ (/** @type {unknown} */ (found));
}
