// @ts-check
/* What a player's browser adds to the draws of a match: a number that it chooses by chance before
   anybody knows any other. The server is told at first only what it hashes to; docs/record.md,
   "Draws", says how. */

const SIZE = 32;

/**
 * The number of this browser for a match, the same for all of its pages and after a reload, and what
 * it hashes to.
 * @param {number} match
 * @param {Seat} seat
 * @param {Client.KeptStorage | null} storage
 * @returns {Promise<Client.Nonce>}
 */
export async function nonceFor(match, seat, storage) {
  const key = keyOf(match, seat);
  let nonce = read(storage, key);
  if (!/^[0-9a-f]{64}$/.test(nonce)) {
    nonce = hex(crypto.getRandomValues(new Uint8Array(SIZE)));
    keep(storage, key, nonce);
  }
  const purpose = new TextEncoder().encode(`gauntlet draws/1 nonce ${seat}\0`);
  return { nonce, commitment: hex(await sha256(new Uint8Array([...purpose, ...bytes(nonce)]))) };
}

/**
 * A match that has begun has its number, or does without.
 * @param {number} match
 * @param {Seat} seat
 * @param {Client.KeptStorage | null} storage
 */
export function forgetNonce(match, seat, storage) {
  try {
    storage?.removeItem(keyOf(match, seat));
  } catch {
    // It was never kept.
  }
}

/**
 * @param {number} match
 * @param {Seat} seat
 */
function keyOf(match, seat) {
  return `gauntlet:nonce:${match}:${seat}`;
}

/**
 * @param {Client.KeptStorage | null} storage
 * @param {string} key
 */
function read(storage, key) {
  try {
    return storage?.getItem(key) ?? "";
  } catch {
    return "";
  }
}

/**
 * @param {Client.KeptStorage | null} storage
 * @param {string} key
 * @param {string} nonce
 */
function keep(storage, key, nonce) {
  try {
    storage?.setItem(key, nonce);
  } catch {
    // This page alone has it then.
  }
}

/** @param {Uint8Array<ArrayBuffer>} data */
async function sha256(data) {
  // There is none of the browser's own on a site without HTTPS.
  if (globalThis.crypto.subtle) {
    return new Uint8Array(await globalThis.crypto.subtle.digest("SHA-256", data));
  }
  const { sha256: ours } = await import("../../vendor/@noble/hashes@2.4.0/sha2.js");
  return ours(data);
}

/** @param {Uint8Array} data */
function hex(data) {
  return [...data].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {string} text */
function bytes(text) {
  return (text.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
}
