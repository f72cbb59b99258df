// @ts-check
/* Opens the numbers that this browser has added to what is drawn, from whichever page of the site: of
   matches at an hour a turn or more, which wait for that and whose players need not come back to the
   match's own page for it. What a page asks itself before it opens one is asked here, too. */

import { freezeDraws, notedOf } from "./nonce.js";

/**
 * Open what this browser may open of `matches`, which wait for its reader.
 * @param {Iterable<number>} matches
 * @param {{fetch: typeof globalThis.fetch, storage: Client.KeptStorage | null, csrf: string}} by
 */
export async function openNumbers(matches, by) {
  for (const match of matches) {
    const noted = notedOf(match, by.storage);
    const isOpen = noted?.opened?.[noted.seat] === true;
    if (!noted?.taken || isOpen) continue;
    try {
      await open(noted, by);
    } catch {
      // The match's own page does it, or the next one.
    }
  }
}

/**
 * @param {Draws.Noted} noted
 * @param {Parameters<typeof openNumbers>[1]} by
 */
async function open(noted, { fetch, storage, csrf }) {
  const address = `/api/v1/matches/${noted.match}/`;
  const look = async (query = "") => {
    const answer = await fetch(address + query, { headers: { Accept: "application/json" } });
    if (!answer.ok) return {};
    const found = /** @type {unknown} */ (await answer.json());
    return /** @type {Partial<Live.Sync>} */ (found);
  };
  let found = await look();
  if (!isToOpen(found, noted)) return;
  // Numbers are opened from when somebody is there who can: and that is here.
  if (found.view?.waiting?.opens_until === undefined) found = await look("?here=true");
  const { waiting, draws } = found.view ?? {};
  if (!isToOpen(found, noted) || waiting?.opens_until === undefined || !draws) return;
  if (!freezeDraws(noted.match, draws, storage)) return;
  await fetch(`${address}ready/`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json",
      "X-CSRFToken": csrf,
    },
    credentials: "same-origin",
    body: JSON.stringify({ nonce: noted.nonce }),
  });
}

/**
 * Whether a match waits for just the number that was noted. One that waits for the other player to come
 * is left to that: being looked at here is not for it to begin.
 * @param {Partial<Live.Sync>} found
 * @param {Draws.Noted} noted
 */
function isToOpen({ you, view }, { seat, own }) {
  const { waiting, draws } = view ?? {};
  if (you !== seat || waiting?.gathers_until === undefined) return false;
  if (waiting.without?.[seat]) return false;
  if (waiting.opens_until === undefined && !waiting.ready.every(Boolean)) return false;
  const given = draws?.nonces[seat];
  return own !== undefined && given?.commitment === own && !given.opened;
}
