// @ts-check
/** Lists of challenges and matches that keep themselves up to date. Without it, reloading does. */

import { announce, localiseTimes } from "./site.js";
import { notices } from "./notices.js";

// Everybody hears of the same thing at once: they need not all ask at once.
const SPREAD = 800;
const AT_MOST_EVERY = 2_500;

/** @type {HTMLElement | null} */
const region = document.querySelector("[data-live-lists]");
/** @type {ReturnType<typeof setTimeout> | null} */
let timer = null;
let last = 0;
let stale = false;
// What the server calls the lists that are shown; empty: as they came with the page.
let tag = "";

/** Have the lists fetched soon; several wishes are one. A tab out of sight waits until it is seen. */
function refreshSoon() {
  if (document.hidden) {
    stale = true;
    return;
  }
  if (timer !== null) return;
  const wait = Math.max(0, last + AT_MOST_EVERY - Date.now()) + Math.random() * SPREAD;
  timer = setTimeout(() => void refresh(), wait);
}

async function refresh() {
  timer = null;
  last = Date.now();
  // A form that is being used must not be pulled from under the finger.
  if (region === null || region.querySelector("form[data-sent]")) return;
  let html;
  try {
    const response = await fetch(location.href, {
      headers: { "X-Fragment": "live", ...(tag && { "If-None-Match": tag }) },
      cache: "no-store",
    });
    if (response.status === 304) return;
    if (!response.ok || response.redirected) return;
    html = await response.text();
    tag = response.headers.get("ETag") ?? "";
  } catch {
    return; // the next frame, or coming back, asks again
  }
  const fresh = new DOMParser().parseFromString(html, "text/html").body;
  const before = cards(region);
  const focused = addressOf(document.activeElement);
  region.replaceChildren(...fresh.childNodes);
  localiseTimes(region);
  if (focused) findByAddress(focused)?.focus();
  const after = cards(region);
  const added = [...after].filter((card) => !before.has(card)).length;
  if (added > 0) announce(`${added} new in the lists.`);
}

/** @param {ParentNode} scope */
function cards(scope) {
  return new Set(
    [...scope.querySelectorAll(".card__link")].map((link) => link.getAttribute("href")),
  );
}

/**
 * What the reader is at, so that it can be found again in new lists.
 * @param {Element | null} element
 */
function addressOf(element) {
  if (!(element instanceof HTMLElement) || !region?.contains(element)) return "";
  return element.getAttribute("href") ?? element.closest("form")?.getAttribute("action") ?? "";
}

/**
 * @param {string} address
 * @returns {HTMLElement | null}
 */
function findByAddress(address) {
  const name = CSS.escape(address);
  return region?.querySelector(`a[href="${name}"], form[action="${name}"] button`) ?? null;
}

if (region) {
  const listener = notices();
  listener.addEventListener("frame", refreshSoon);
  listener.addEventListener("back", refreshSoon);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && stale) {
      stale = false;
      refreshSoon();
    }
  });
  // Going back shows the page as it was left.
  addEventListener("pageshow", ({ persisted }) => persisted && refreshSoon());
  // A notice may be lost on the way: look again now and then.
  setInterval(refreshSoon, 60_000);
}
