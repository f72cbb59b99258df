// @ts-check
/** A season's page that keeps itself up to date. Without it, reloading does. */

import { announce, localiseTimes } from "../site.js";

const EVERY = 15_000;
const SPREAD = 5_000;

/** @type {HTMLElement | null} */
const region = document.querySelector("[data-season-live]");
/**
 * What the page shows. It may be older than itself, so it says so.
 * @type {unknown}
 */
let known = region?.dataset.shows ?? null;

async function look() {
  if (!document.hidden && region) {
    try {
      const response = await fetch(region.dataset.state ?? "", { cache: "no-store" });
      /** @type {{state: unknown}} */
      const { state } = response.ok ? await response.json() : { state: known };
      if (known !== null && state !== known) await renew(region);
      known = state;
    } catch {
      // Away for a moment: the next look finds out.
    }
  }
  setTimeout(() => void look(), EVERY + Math.random() * SPREAD);
}

/** @param {HTMLElement} old */
async function renew(old) {
  // What is being filled in must not be pulled from under the finger.
  if (
    old.querySelector("form[data-sent], form[data-filled]") ||
    old.contains(document.activeElement)
  ) {
    return;
  }
  const response = await fetch(location.href, { cache: "no-store" });
  if (!response.ok || response.redirected) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const fresh = page.querySelector("[data-season-live]");
  if (!fresh) return;
  old.replaceChildren(...fresh.children);
  localiseTimes(old);
  announce("The page has been brought up to date.");
}

if (region) setTimeout(() => void look(), SPREAD * Math.random());
