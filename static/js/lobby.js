// @ts-check
/**
 * Lists of challenges and matches that keep themselves up to date. Without it, reloading does.
 *
 * That a match begins or ends, and that a challenge is open to anybody, is told to everybody with its
 * card, and that a challenge is gone needs none: such a page changes what it shows by itself. Where
 * that does not do (it concerns the reader, a list has a filter, or much has gone from one that was
 * full) it asks for its lists anew.
 */

import { announce, csrfToken, localiseTimes, rememberHere } from "./site.js";
import { notices } from "./notices.js";
import { pageOf } from "./trusted.js";

// Everybody hears of the same thing at once: they need not all ask at once.
const SPREAD = 800;
const AT_MOST_EVERY = 2_500;
const GATHER = 300; // what is told within so long of each other is done at once

/** @type {HTMLElement | null} */
const region = document.querySelector("[data-live-lists]");
/** @type {ReturnType<typeof setTimeout> | null} */
let timer = null;
let last = 0;
let stale = false;
// What the server calls the lists that are shown; empty: as they came with the page.
let tag = "";
// How often the lists were changed by what was told.
let changes = 0;

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
  const changesBefore = changes;
  let html, called;
  try {
    const response = await fetch(location.href, {
      headers: { "X-Fragment": "live", ...(tag && { "If-None-Match": tag }) },
      cache: "no-store",
    });
    if (response.status === 304) return;
    if (!response.ok || response.redirected) return;
    html = await response.text();
    called = response.headers.get("ETag") ?? "";
  } catch {
    return; // the next frame, or coming back, asks again
  }
  if (changes !== changesBefore) {
    refreshSoon(); // what has come is older than what is shown
    return;
  }
  tag = called;
  const fresh = pageOf(html).body;
  const before = cards(region);
  const focused = addressOf(document.activeElement);
  region.replaceChildren(...fresh.childNodes);
  featuredTag = "";
  localiseTimes(region);
  showTimeLeft();
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

// -- what is told with all that is needed -----------------------------------------------------------

/** @type {Live.News[]} */
let told = [];

/** @param {Live.News} frame */
function hear(frame) {
  if (frame.type === "match.featured") {
    void refreshFeatured();
    return;
  }
  // What is shown first ends: another is.
  if (frame.type === "match.ended" && featuredMatch() === frame.match) void refreshFeatured();
  // Of the reader's own matches other lists have none.
  if (frame.type === "turn" && !region?.hasAttribute("data-lists-own")) return;
  if (document.hidden || !isForAll(frame)) {
    refreshSoon();
    return;
  }
  if (told.length === 0) setTimeout(changeLists, GATHER);
  told.push(frame);
}

/**
 * Whether the lists of this page can be changed by what a frame tells, which concerns nobody here.
 * @param {Live.News} frame
 */
function isForAll(frame) {
  const me = reader();
  if (!region?.querySelector("[data-list]")) return false;
  if (frame.type === "match.ended" && untold()) return false;
  // Of challenges a list of matches has none.
  const isElsewhere = frame.type === "challenge" && !region.querySelector("[data-list=offers]");
  if (location.search !== "" && !isElsewhere) return false;
  switch (frame.type) {
    case "match.started":
    case "match.ended":
      return frame.card !== undefined && !frame.seats.some(({ username }) => me && username === me);
    case "challenge":
      if (me && [frame.from, frame.to].includes(me)) return false;
      return frame.status !== "open" || offerOf(frame) !== undefined;
    default:
      return false;
  }
}

/** Whether the list of what is over keeps to itself how it ended, which the cards that are told do not. */
function untold() {
  return Boolean(region?.querySelector("[data-list=over][data-untold]"));
}

/** Who looks at this page; empty: nobody with an account. */
function reader() {
  return document.querySelector("[data-notices]")?.getAttribute("data-username") ?? "";
}

/**
 * The card of a challenge that this reader may accept.
 * @param {Live.ChallengeNews} frame
 */
function offerOf(frame) {
  return reader() ? frame.card : frame.visitor_card;
}

function changeLists() {
  const frames = told;
  told = [];
  tag = ""; // what is shown from here on is nothing that the server has a name for
  changes += 1;
  const focused = addressOf(document.activeElement);
  const done = frames.map(changeBy);
  // What was replaced by its new self.
  if (focused && addressOf(document.activeElement) !== focused) findByAddress(focused)?.focus();
  const added = done.reduce((sum, each) => sum + each.added, 0);
  if (added > 0) announce(`${added} new in the lists.`);
  if (!done.every(({ whole }) => whole)) refreshSoon();
}

/**
 * How many cards a frame has added to those that are read first, and whether the page could do by
 * itself what it asks for.
 * @param {Live.News} frame
 * @returns {{added: number, whole: boolean}}
 */
function changeBy(frame) {
  switch (frame.type) {
    case "match.started":
      return put("live", frame.url, frame.card ?? "");
    case "match.ended": {
      const whole = drop("live", frame.url);
      const done = put("over", "", frame.card ?? "");
      if (done.added > 0) countOne();
      return { added: 0, whole: whole && done.whole };
    }
    case "challenge":
      return frame.status === "open"
        ? put("offers", frame.url, offerOf(frame) ?? "")
        : { added: 0, whole: drop("offers", frame.url) };
    default:
      return { added: 0, whole: true };
  }
}

/**
 * Show a card as the first of a list, or in place of the one with the same link. `whole` is false
 * where the page cannot do that by itself.
 * @param {string} name
 * @param {string} address empty: what the card itself leads to
 * @param {string} html
 */
function put(name, address, html) {
  const list = region?.querySelector(`[data-list="${name}"]`);
  if (!list) {
    // A page without results has no place for any; one without matches never has.
    const wants = name === "over" && Boolean(region?.querySelector('[data-list="live"]'));
    return { added: 0, whole: !wants };
  }
  const card = pageOf(html).body.firstElementChild;
  const grid = gridOf(list);
  if (!card || !grid) return { added: 0, whole: false };
  localiseTimes(card);
  for (const field of card.querySelectorAll("input[name=csrfmiddlewaretoken]")) {
    field.setAttribute("value", csrfToken());
  }
  const known = cardIn(list, address || (linkOf(card) ?? ""));
  if (known) {
    if (!known.querySelector("form[data-sent]")) known.replaceWith(card);
    return { added: 0, whole: true };
  }
  grid.prepend(card);
  keepInBounds(list, grid);
  return { added: 1, whole: true };
}

/**
 * Take a card away. False where there may be so many that are not here that it is time to ask.
 * @param {string} name
 * @param {string} address
 */
function drop(name, address) {
  const list = region?.querySelector(`[data-list="${name}"]`);
  const card = list && cardIn(list, address);
  const grid = card?.parentElement;
  if (!list || !card || !grid || card.querySelector("form[data-sent]")) return true;
  const most = atMost(list);
  // The server gives no more than that: there may be others.
  if (grid.children.length >= most) list.toggleAttribute("data-was-full", true);
  card.remove();
  keepInBounds(list, grid);
  return !list.hasAttribute("data-was-full") || grid.children.length > most / 2;
}

/**
 * Where a list has its cards; made, in place of the word that there are none, where it has none.
 * @param {Element} list
 */
function gridOf(list) {
  const found = list.querySelector(".grid");
  const none = list.querySelector("[data-none]");
  if (found || !none) return found;
  const grid = document.createElement("div");
  grid.className = "grid";
  none.before(grid);
  return grid;
}

/**
 * Show as many cards as a list may have, and that there are none where it has none. A few more are
 * kept out of sight, for when others go.
 * @param {Element} list
 * @param {Element} grid
 */
function keepInBounds(list, grid) {
  const most = atMost(list);
  while (grid.children.length > 2 * most) grid.lastElementChild?.remove();
  [...grid.children].forEach((card, number) => card.toggleAttribute("hidden", number >= most));
  const is = grid.children.length > 0;
  list.querySelector("[data-none]")?.toggleAttribute("hidden", is);
  if (!is) grid.remove();
}

/** @param {Element} list */
function atMost(list) {
  return Number(list.getAttribute("data-at-most"));
}

/** One more of those that are counted beside the list of what is over. */
function countOne() {
  const total = region?.querySelector("[data-total]");
  if (!(total instanceof HTMLElement)) return;
  const count = Number(total.dataset.total) + 1;
  total.dataset.total = String(count);
  total.textContent = `${count} match${count === 1 ? "" : "es"}`;
}

/**
 * @param {ParentNode} list
 * @param {string} address
 */
function cardIn(list, address) {
  return list.querySelector(`.card__link[href="${CSS.escape(address)}"]`)?.closest(".card") ?? null;
}

/** @param {ParentNode} card */
function linkOf(card) {
  return card.querySelector(".card__link")?.getAttribute("href");
}

// -- the featured match -----------------------------------------------------------------------------

const FEATURED_EVERY = 10_000;
let featuredTag = "";
let featuredAsked = 0;

/** @returns {HTMLElement | null} */
const featuredPart = () => region?.querySelector("[data-featured]") ?? null;

function featuredMatch() {
  const card = featuredPart()?.querySelector("[data-featured-match]");
  return Number(card?.getAttribute("data-featured-match") ?? 0);
}

/** What has happened in it, or another one. A tab out of sight does without. */
async function refreshFeatured() {
  const part = featuredPart();
  if (part === null || document.hidden) return;
  featuredAsked += 1;
  const asked = featuredAsked;
  const before = part.childElementCount;
  let html;
  try {
    const response = await fetch(location.pathname, {
      headers: { "X-Fragment": "featured", ...(featuredTag && { "If-None-Match": featuredTag }) },
      cache: "no-store",
    });
    if (!response.ok || response.redirected || asked !== featuredAsked) return;
    featuredTag = response.headers.get("ETag") ?? "";
    html = await response.text();
  } catch {
    return; // the next time
  }
  const now = featuredPart();
  if (now === null) return;
  const fresh = pageOf(html).body;
  await drawn(fresh);
  const focused = now.contains(document.activeElement);
  now.replaceChildren(...fresh.childNodes);
  localiseTimes(now);
  if (focused) /** @type {HTMLElement | null} */ (now.querySelector(".card__link"))?.focus();
  if (before === 0 && now.childElementCount > 0) announce("A match is featured.");
}

/**
 * Have a board there before it is shown: the card is not to be empty meanwhile.
 * @param {ParentNode} scope
 */
async function drawn(scope) {
  const address = scope.querySelector("img")?.getAttribute("src");
  if (!address) return;
  const image = new Image();
  image.src = address;
  await image.decode().catch(() => null);
}

// -- clocks -----------------------------------------------------------------------------------------

/** What is left on the reader's clocks, as far as it is less than a day: the rest is a date. */
function showTimeLeft() {
  /** @type {NodeListOf<HTMLElement>} */
  const clocks = document.querySelectorAll("[data-left-until]");
  for (const clock of clocks) {
    const left = Math.floor((Date.parse(clock.dataset.leftUntil ?? "") - Date.now()) / 1000);
    if (Number.isNaN(left) || left >= 86_400) continue;
    const text = leftText(Math.max(0, left));
    if (clock.textContent !== text) clock.textContent = text;
  }
}

/** @param {number} seconds */
function leftText(seconds) {
  const [h, min, s] = [seconds / 3600, (seconds % 3600) / 60, seconds % 60].map(Math.floor);
  if (h > 0) return `${h} h ${min} min left`;
  return min > 0 ? `${min} min ${s} s left` : `${s} s left`;
}

/**
 * Whether results are to be told: on this device, from now on.
 * @param {MouseEvent} event
 */
function wish(event) {
  const link = event.target instanceof Element ? event.target.closest("a[data-result]") : null;
  if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) {
    return;
  }
  event.preventDefault();
  rememberHere("results", link.dataset.result ?? "shown");
  const address = new URL(link.href);
  address.searchParams.delete("result"); // the device says so
  location.assign(address);
}

if (region) {
  showTimeLeft();
  region.addEventListener("click", wish);
  setInterval(showTimeLeft, 1_000);
  const listener = notices();
  listener.addEventListener("frame", ({ detail }) => hear(detail));
  listener.addEventListener("back", refreshSoon);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && stale) {
      stale = false;
      refreshSoon();
    }
    void refreshFeatured();
  });
  // Going back shows the page as it was left.
  addEventListener("pageshow", ({ persisted }) => persisted && refreshSoon());
  // A notice may be lost on the way: look again now and then.
  setInterval(refreshSoon, 60_000);
  if (featuredPart()) setInterval(() => void refreshFeatured(), FEATURED_EVERY);
}
