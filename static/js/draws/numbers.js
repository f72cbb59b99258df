// @ts-check
/* The numbers that draws are made of, as docs/record.md describes them: commitments, and whole numbers
   out of a seed, two nonces and a label. In plain JavaScript, since browsers have `crypto.subtle` over
   HTTPS alone, and a record is checked wherever it is read. */

import { hmac } from "../../vendor/@noble/hashes@2.4.0/hmac.js";
import { sha256 } from "../../vendor/@noble/hashes@2.4.0/sha2.js";
import {
  bytesToHex,
  concatBytes,
  hexToBytes,
  utf8ToBytes,
} from "../../vendor/@noble/hashes@2.4.0/utils.js";

export const METHOD = "hmac-sha256/1";

const WHOLE = /^[0-9a-f]{64}$/;
const NOTHING = "0".repeat(64); // the nonce of whoever gave none
const RANGE = 2 ** 32;

/**
 * Whether a text is 32 bytes, as 64 lower-case hexadecimal digits.
 * @param {unknown} text
 * @returns {text is string}
 */
export function isWhole(text) {
  return typeof text === "string" && WHOLE.test(text);
}

/**
 * @param {string} purpose
 * @param {string} hex
 */
function hashed(purpose, hex) {
  return bytesToHex(sha256(concatBytes(utf8ToBytes(`${purpose}\0`), hexToBytes(hex))));
}

/**
 * What a seed hashes to.
 * @param {string} seed
 */
export function seedCommitment(seed) {
  return hashed("gauntlet draws/1 seed", seed);
}

/**
 * What a nonce hashes to, of that seat alone.
 * @param {number} seat
 * @param {string} nonce
 */
export function nonceCommitment(seat, nonce) {
  return hashed(`gauntlet draws/1 nonce ${seat}`, nonce);
}

/**
 * The numbers of four bytes that belong to a label, without end.
 * @param {string} seed
 * @param {string[]} nonces by seat; empty where none was given
 * @param {string} label
 * @returns {Generator<number, never>}
 */
export function* wordsOf(seed, nonces, label) {
  const key = hexToBytes(seed);
  const given = nonces.map((nonce) => hexToBytes(nonce || NOTHING));
  const head = concatBytes(...given, utf8ToBytes(`${label}\0`));
  for (let block = 0; ; block += 1) {
    const number = new Uint8Array(4);
    new DataView(number.buffer).setUint32(0, block);
    const bytes = new DataView(hmac(sha256, key, concatBytes(head, number)).buffer);
    for (let at = 0; at < bytes.byteLength; at += 4) yield bytes.getUint32(at);
  }
}

/**
 * A source of whole numbers below what it is asked for.
 * @param {Iterator<number, never>} words
 * @returns {Draws.Below}
 */
export function belowOf(words) {
  return (bound) => {
    const most = RANGE - (RANGE % bound);
    let word = words.next().value;
    while (word >= most) word = words.next().value;
    return word % bound;
  };
}

/**
 * One of a list.
 * @template T
 * @param {Draws.Below} below
 * @param {readonly T[]} items
 */
export function chosen(below, items) {
  return items[below(items.length)];
}

/**
 * A list in another order: from its end, each is swapped with one of those up to itself.
 * @template T
 * @param {Draws.Below} below
 * @param {readonly T[]} items
 */
export function shuffled(below, items) {
  const list = [...items];
  for (let at = list.length - 1; at > 0; at -= 1) {
    const other = below(at + 1);
    [list[at], list[other]] = [list[other], list[at]];
  }
  return list;
}
