// @ts-check
/** A season's page that keeps itself up to date. Without it, reloading does. */

import { announce, localiseTimes } from "../site.js";
import { pageOf } from "../trusted.js";

const EVERY = 15_000;
const SPREAD = 5_000;

/** @type {HTMLElement | null} */
const region = document.querySelector("[data-season-live]");
/**
 * What the page shows. It may be older than itself, so it says so.
 * @type {string | null}
 */
let known = region?.dataset.shows ?? null;

async function look() {
  if (!document.hidden && region) {
    try {
      const response = await fetch(region.dataset.state ?? "", { cache: "no-store" });
      /** @type {{state: string | null}} */
      const { state } = response.ok ? await response.json() : { state: known };
      // What could not be brought up to date just now is tried again at the next look.
      if (known === null) known = state;
      else if (state !== known) known = (await renew(region)) ?? known;
    } catch {
      // Away for a moment: the next look finds out.
    }
  }
  setTimeout(() => void look(), EVERY + Math.random() * SPREAD);
}

/**
 * Bring the page up to date; what it shows then, or null where that was not to be done now.
 * @param {HTMLElement} old
 * @returns {Promise<string | null>}
 */
async function renew(old) {
  if (isBeingFilledIn(old)) return null;
  const response = await fetch(location.href, { cache: "no-store" });
  if (!response.ok || response.redirected) return null;
  const page = pageOf(await response.text());
  /** @type {HTMLElement | null} */
  const fresh = page.querySelector("[data-season-live]");
  // Somebody may have begun to fill something in meanwhile.
  if (!fresh || isBeingFilledIn(old)) return null;
  const had = old.contains(document.activeElement) ? document.activeElement : null;
  const opened = [...old.querySelectorAll("details[open] > summary")].map((each) => mark(each));
  old.replaceChildren(...fresh.children);
  for (const each of old.querySelectorAll("summary")) {
    if (opened.includes(mark(each))) each.parentElement?.setAttribute("open", "");
  }
  if (had) focusLike(old, had);
  localiseTimes(old);
  announce("The page has been brought up to date.");
  return fresh.dataset.shows ?? null;
}

/**
 * Whether something is being filled in, which must not be pulled from under the finger. What is only
 * looked at, a link or what unfolds, may have the focus all the same.
 * @param {HTMLElement} old
 */
function isBeingFilledIn(old) {
  const active = document.activeElement;
  return (
    old.querySelector("form[data-sent], form[data-filled]") !== null ||
    (old.contains(active) && active !== null && active.matches("input, select, textarea"))
  );
}

/**
 * What an element is known by on a page that has been made anew.
 * @param {Element} element
 */
function mark(element) {
  const { id, tagName, textContent } = element;
  return id || `${tagName} ${element.getAttribute("href") ?? ""} ${textContent.trim()}`;
}

/**
 * Whoever was at something stays there, or, where it is gone, at the part that is new.
 * @param {HTMLElement} old
 * @param {Element} had
 */
function focusLike(old, had) {
  const again = [...old.querySelectorAll(had.tagName)].find((each) => mark(each) === mark(had));
  if (!again) old.tabIndex = -1;
  const next = again instanceof HTMLElement ? again : old;
  next.focus({ preventScroll: true });
}

if (region) setTimeout(() => void look(), SPREAD * Math.random());
