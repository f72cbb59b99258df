// @ts-check
/* What a player's browser adds to the draws of a match: a number that it chooses by chance before
   anybody knows any other. The server is told at first only what it hashes to; docs/record.md,
   "Draws", says how. It notes, too, what it was shown before the match began, for the replay to compare
   with the record. */

const SIZE = 32;
const KEY = "gauntlet:draws";
const AT_MOST = 100; // matches; what was noted of older ones goes

/**
 * The number of this browser for a match, the same for all of its pages and after a reload, what it
 * hashes to, and whether the server has taken that. Null where the browser keeps nothing: it is read
 * back before anybody is told of it, for what is lost with the page would be waited for in vain.
 * @param {number} match
 * @param {Seat} seat
 * @param {Client.KeptStorage | null} storage
 * @returns {Promise<Client.Nonce | null>}
 */
export async function nonceFor(match, seat, storage) {
  const before = await keptFor(match, seat, storage);
  if (before !== null) return before;
  const nonce = hex(crypto.getRandomValues(new Uint8Array(SIZE)));
  const own = await commitmentTo(nonce, seat);
  const among = await keptFor(match, seat, storage);
  if (among !== null) return among; // another page's
  keep({ match, seat, nonce, own, seed: "", nonces: [null, null] }, storage);
  return keptFor(match, seat, storage);
}

/**
 * @param {number} match
 * @param {Seat} seat
 * @param {Client.KeptStorage | null} storage
 * @returns {Promise<Client.Nonce | null>}
 */
async function keptFor(match, seat, storage) {
  const found = notedOf(match, storage);
  if (found?.seat !== seat || !isWhole(found.nonce)) return null;
  const { nonce, taken = false } = found;
  return { nonce, taken, commitment: await commitmentTo(nonce, seat) };
}

/**
 * Note that the server has taken the number of this browser: it shows what that hashes to. Whatever it
 * shows for this seat later on is then another's.
 * @param {number} match
 * @param {Client.KeptStorage | null} storage
 */
export function noteTaken(match, storage) {
  const found = notedOf(match, storage);
  if (found !== null && !found.taken) keep({ ...found, taken: true }, storage);
}

/**
 * What a number of that seat hashes to.
 * @param {string} nonce
 * @param {Seat} seat
 */
async function commitmentTo(nonce, seat) {
  const purpose = new TextEncoder().encode(`gauntlet draws/1 nonce ${seat}\0`);
  return hex(await sha256(new Uint8Array([...purpose, ...bytes(nonce)])));
}

/**
 * Note what the page is shown before a match begins, and whose nonces were opened as it does. What was
 * shown first stays: the replay compares it with the record.
 * @param {number} match
 * @param {Draws.Shown} shown
 * @param {Client.KeptStorage | null} storage
 */
export function noteDraws(match, { commitment, nonces }, storage) {
  const found = notedOf(match, storage);
  if (found === null) return;
  const isFrozen = found.frozen === true;
  const seed = found.seed || commitment;
  const both = nonces.map((each, seat) =>
    isFrozen ? found.nonces[seat] : (found.nonces[seat] ?? each.commitment),
  );
  const before = found.opened ?? [];
  const opened = nonces.map((each, seat) => before[seat] === true || each.opened);
  const isKnown = (/** @type {number} */ seat) =>
    both[seat] === found.nonces[seat] && opened[seat] === before[seat];
  if (seed === found.seed && isKnown(0) && isKnown(1)) return;
  keep({ ...found, seed, nonces: both, opened }, storage);
}

/**
 * Whether this browser may open its number: everything that it is shown is as it was shown before. Then
 * that is noted for good, "no commitment" included. The server has given its word that nobody commits any
 * more; if the record has another commitment all the same, it was made when this number was known.
 * @param {number} match
 * @param {Draws.Shown} shown
 * @param {Client.KeptStorage | null} storage
 */
export function freezeDraws(match, shown, storage) {
  noteDraws(match, shown, storage);
  const found = notedOf(match, storage);
  if (found === null) return true; // nothing is kept here: no replay will compare it
  const isSame = shown.nonces.every(({ commitment }, seat) => commitment === found.nonces[seat]);
  if (shown.commitment !== found.seed || !isSame) return false;
  if (!found.frozen) keep({ ...found, frozen: true }, storage);
  return true;
}

/**
 * What this browser has noted of a match in which its reader played, if anything.
 * @param {number} match
 * @param {Client.KeptStorage | null} storage
 */
export function notedOf(match, storage) {
  return all(storage).find((each) => each.match === match) ?? null;
}

/** What the browser keeps beyond this page, if it keeps anything. */
export function keptStorage() {
  try {
    return globalThis.localStorage;
  } catch {
    return null;
  }
}

/**
 * @param {Client.KeptStorage | null} storage
 * @returns {Draws.Noted[]}
 */
function all(storage) {
  try {
    const found = /** @type {unknown} */ (JSON.parse(storage?.getItem(KEY) ?? "[]"));
    return Array.isArray(found) ? found.filter(isNote) : [];
  } catch {
    return [];
  }
}

/**
 * Whether that was written here.
 * @param {unknown} found
 * @returns {found is Draws.Noted}
 */
function isNote(found) {
  const { match, nonces } = /** @type {Partial<Draws.Noted>} */ (found ?? {});
  return typeof match === "number" && Array.isArray(nonces);
}

/**
 * @param {Draws.Noted} note
 * @param {Client.KeptStorage | null} storage
 */
function keep(note, storage) {
  const others = all(storage).filter(({ match }) => match !== note.match);
  try {
    storage?.setItem(KEY, JSON.stringify([...others, note].slice(-AT_MOST)));
  } catch {
    // Whoever has to know reads it back.
  }
}

/** @param {unknown} text */
function isWhole(text) {
  return typeof text === "string" && /^[0-9a-f]{64}$/.test(text);
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
