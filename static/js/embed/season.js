// @ts-check
/* A season within another site's page, kept up to date. Nobody is signed in here: nothing of the
   reader's goes along with what is asked. */

import { localiseTimes } from "../site.js";
import { pageOf } from "../trusted.js";

const EVERY = 30_000;
const SPREAD = 10_000;

async function look() {
  try {
    if (!document.hidden) await renew();
  } catch {
    // Away for a moment: the next look finds out.
  }
  setTimeout(() => void look(), EVERY + Math.random() * SPREAD);
}

async function renew() {
  const response = await fetch(location.href, { cache: "no-cache", credentials: "omit" });
  if (response.status === 404) {
    location.reload(); // not for everybody any more: the page that says so asks no more
    return;
  }
  if (!response.ok) return;
  const page = pageOf(await response.text());
  /** @type {NodeListOf<HTMLElement>} */
  const [old] = document.querySelectorAll("[data-embed-live]");
  /** @type {HTMLElement | null} */
  const fresh = page.querySelector("[data-embed-live]");
  if (fresh === null || fresh.dataset.shows === old.dataset.shows) return;
  if (old.contains(document.activeElement)) return; // not from under the finger
  old.replaceWith(fresh);
  localiseTimes(fresh);
}

localiseTimes();
setTimeout(() => void look(), EVERY + Math.random() * SPREAD);
