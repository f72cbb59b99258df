// @ts-check
/**
 * What every page shares: theme, sound preference, times in the reader's zone, menus, toasts and
 * announcements. Every page works without it. State lives in the document, not in this module, so
 * it may be imported (by a page's own module) and loaded (by the base page) at the same time.
 */

import { workerAddress } from "./trusted.js";

const root = document.documentElement;

/* --- Preferences --------------------------------------------------------------------------- */

/** The theme being shown, the device's choice included: "light" or "dark". */
export function shownTheme() {
  const wanted = root.dataset.theme;
  if (wanted === "light" || wanted === "dark") return wanted;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/**
 * Show a theme ("auto", "light", "dark") and remember it. Fires `gauntlet:theme` on document.
 * @param {string} theme
 */
export function setTheme(theme) {
  root.dataset.theme = theme;
  labelThemeToggle();
  remember("theme", theme);
  document.dispatchEvent(new CustomEvent("gauntlet:theme", { detail: { theme: shownTheme() } }));
}

export function soundMuted() {
  return root.dataset.sound === "muted";
}

/**
 * Mute or unmute and remember it. Fires `gauntlet:sound` on document.
 * @param {boolean} muted
 */
export function setSoundMuted(muted) {
  root.dataset.sound = muted ? "muted" : "on";
  remember("sound", root.dataset.sound);
  document.dispatchEvent(new CustomEvent("gauntlet:sound", { detail: { muted } }));
}

/** The token that Django wants with a POST; empty when the page was given none. */
export function csrfToken() {
  const match = document.cookie.match(/(?:^|;\s*)(?:__Host-)?csrftoken=([^;]+)/);
  return match ? decodeURIComponent(match[1]) : "";
}

/**
 * @param {string} name
 * @param {string} value
 */
function remember(name, value) {
  if (!root.hasAttribute("data-signed-in")) {
    rememberHere(name, value);
    return;
  }
  fetch(root.dataset.preferences ?? "", {
    method: "POST",
    headers: { Accept: "application/json", "X-CSRFToken": csrfToken() },
    body: new URLSearchParams({ [name]: value }),
    credentials: "same-origin",
  })
    .then((response) => {
      if (!response.ok) throw new Error(String(response.status));
    })
    .catch(() =>
      toast("Your choice holds for this page but could not be saved.", { kind: "danger" }),
    );
}

/**
 * Keep a choice for this device, signed in or not, in a cookie that the server reads, too.
 * @param {string} name
 * @param {string} value
 */
export function rememberHere(name, value) {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${name}=${value}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
}

function labelThemeToggle() {
  const other = shownTheme() === "dark" ? "light" : "dark";
  for (const toggle of document.querySelectorAll("[data-theme-toggle]")) {
    toggle.setAttribute("aria-label", `Switch to the ${other} theme`);
    toggle.setAttribute("title", `Switch to the ${other} theme`);
  }
}

/* --- Times --------------------------------------------------------------------------------- */

/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** @param {number} seconds */
function relative(seconds) {
  const format = new Intl.RelativeTimeFormat("en-GB", { numeric: "auto" });
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return format.format(Math.trunc(seconds / size), unit);
  }
  return seconds < 0 ? "just now" : "in less than a minute";
}

/**
 * Rewrite every <time datetime data-style> below `scope` for the reader.
 * @param {ParentNode} [scope]
 */
export function localiseTimes(scope = document) {
  const timeZone = root.dataset.timeZone || undefined;
  /** @type {NodeListOf<HTMLTimeElement>} */
  const times = scope.querySelectorAll("time[datetime][data-style]");
  for (const element of times) {
    const when = new Date(element.dateTime);
    if (Number.isNaN(when.getTime())) continue;
    const moment = new Intl.DateTimeFormat("en-GB", {
      dateStyle: element.dataset.style === "weekday" ? "full" : "long",
      ...(element.dataset.style === "date" ? {} : { timeStyle: "short" }),
      timeZone,
    }).format(when);
    if (element.dataset.style === "relative") {
      element.textContent = relative((when.getTime() - Date.now()) / 1000);
      element.title = moment;
    } else {
      element.textContent = moment;
    }
  }
}

/* Told only where the server does not know it, and times in what it sends are to be in that zone. */
function tellZone() {
  const { deviceZone } = root.dataset;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (deviceZone === undefined || !zone || zone === deviceZone) return;
  const address = root.dataset.preferences ?? "";
  void import("./zone.js").then(({ tell }) => tell(zone, address, csrfToken()));
}

/* --- Saying things ------------------------------------------------------------------------- */

const SAID_MS = 15_000;

/**
 * Have a screen reader say something, after what it was told before.
 * @param {string} text
 * @param {{now?: boolean, about?: string}} options `now` interrupts what is being read: for one's
 *   own decisions. `about` takes the place of what was said about the same thing and may still wait
 *   to be read: where a cursor is.
 * @returns {() => void} takes it away where it is so no more; that itself is not read
 */
export function announce(text, { now = false, about = "" } = {}) {
  const region = document.getElementById(now ? "announcer-now" : "announcer");
  if (!region) return () => {};
  for (const before of [...region.children]) {
    const same = about !== "" && before.getAttribute("data-about") === about;
    if (now || same) before.remove();
  }
  // The same text twice would not be read again: a new node is.
  const line = document.createElement("p");
  line.dataset.about = about;
  line.textContent = text;
  region.append(line);
  // Who comes by here later is not to read how things stood.
  setTimeout(() => line.remove(), SAID_MS);
  return () => line.remove();
}

/**
 * Go to another page, but once: whoever is told twice to go there must not begin to load it anew.
 * @param {string} address
 */
export function leaveFor(address) {
  const { href } = new URL(address, location.href);
  if (root.dataset.leavesFor === href) return;
  root.dataset.leavesFor = href;
  location.assign(href);
}

/**
 * Show a short note in the corner; it goes by itself unless it is about something that failed.
 * @param {string} text
 * @param {{kind?: "info"|"success"|"danger", seconds?: number}} options
 * @returns {HTMLElement} the toast, for the caller to remove earlier
 */
export function toast(text, { kind = "info", seconds = kind === "danger" ? 12 : 6 } = {}) {
  const box = document.createElement("div");
  box.className = `toast toast--${kind}`;
  const words = document.createElement("span");
  words.className = "grow";
  words.textContent = text;
  const close = document.createElement("button");
  close.type = "button";
  close.className = "toast__close";
  close.setAttribute("aria-label", "Dismiss");
  close.textContent = "×";
  close.addEventListener("click", () => box.remove());
  box.append(words, close);
  document.getElementById("toasts")?.append(box);
  let timer = setTimeout(() => box.remove(), seconds * 1000);
  // Nobody should lose a note while reading it.
  box.addEventListener("pointerenter", () => clearTimeout(timer));
  box.addEventListener("pointerleave", () => {
    timer = setTimeout(() => box.remove(), 2000);
  });
  return box;
}

/* --- Enhancing the page -------------------------------------------------------------------- */

/** What the site says to everybody stays closed in this browser. */
function enhanceAnnouncements() {
  /** @type {NodeListOf<HTMLElement>} */
  const shown = document.querySelectorAll("[data-announcement]");
  for (const one of shown) {
    one.querySelector("[data-close-announcement]")?.addEventListener("click", () => {
      const kept = document.cookie.match(/(?:^|;\s*)announcements_closed=([0-9-]+)/)?.[1];
      const closed = [one.dataset.announcement, ...(kept?.split("-") ?? [])];
      rememberHere("announcements_closed", closed.slice(0, 20).join("-"));
      one.remove();
      document.getElementById("main")?.focus({ preventScroll: true });
    });
  }
}

function enhanceMenus() {
  /** @type {NodeListOf<HTMLDetailsElement>} */
  const menus = document.querySelectorAll("details[data-menu]");
  document.addEventListener("click", ({ target }) => {
    const at = target instanceof Node ? target : null;
    for (const menu of menus) if (!menu.contains(at)) menu.open = false;
  });
  for (const menu of menus) {
    menu.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && menu.open) {
        menu.open = false;
        menu.querySelector("summary")?.focus();
      }
    });
    menu.addEventListener("focusout", (event) => {
      const { relatedTarget } = event;
      if (relatedTarget instanceof Node && !menu.contains(relatedTarget)) menu.open = false;
    });
  }
}

function enhanceForms() {
  // A second click on a slow connection must not send a form twice.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.matches("form[data-once]")) return;
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "1";
  });
  addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[data-sent]")) {
      form.removeAttribute("data-sent");
    }
  });
}

/** Who comes back to the page may leave it again for where they went. */
function forgetLeaving() {
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) delete root.dataset.leavesFor;
  });
}

function enhanceThemeToggles() {
  labelThemeToggle();
  /** @type {NodeListOf<HTMLElement>} */
  const toggles = document.querySelectorAll("[data-theme-toggle]");
  for (const toggle of toggles) {
    toggle.setAttribute("role", "button");
    toggle.addEventListener("click", (event) => {
      event.preventDefault();
      setTheme(shownTheme() === "dark" ? "light" : "dark");
    });
    toggle.addEventListener("keydown", (event) => {
      if (event.key === " ") {
        event.preventDefault();
        toggle.click();
      }
    });
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", labelThemeToggle);
}

/** Rows of links that are moved sideways on a phone begin where the reader is. */
function showWhereOneIs() {
  for (const row of document.querySelectorAll("[data-scrolls]")) {
    const current = row.querySelector("[aria-current]");
    if (!(current instanceof HTMLElement)) continue;
    const before = current.getBoundingClientRect().left - row.getBoundingClientRect().left;
    row.scrollLeft += before - (row.clientWidth - current.offsetWidth) / 2;
  }
}

/* Refused where storage is; the site works without. The page comes first: it may be a match's. */
function keepPageForNoNetwork() {
  if (!("serviceWorker" in navigator)) return;
  const register = () => {
    navigator.serviceWorker
      .register(workerAddress(), { updateViaCache: "all" })
      .catch(() => undefined);
  };
  if (document.readyState === "complete") register();
  else addEventListener("load", register);
}

/* Where the browser can keep the site as an application it says so, and then there is a button. */
function enhanceInstalling() {
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    const offer = /** @type {Event & {prompt(): Promise<unknown>}} */ (event);
    for (const place of document.querySelectorAll("[data-install]")) {
      const button = place.querySelector("button");
      place.toggleAttribute("hidden", button === null);
      button?.addEventListener("click", () => {
        place.toggleAttribute("hidden", true);
        void offer.prompt();
      });
    }
  });
}

if (!root.classList.contains("js")) {
  root.classList.replace("no-js", "js");
  localiseTimes();
  setInterval(() => localiseTimes(), 60_000);
  tellZone();
  enhanceMenus();
  enhanceAnnouncements();
  enhanceForms();
  forgetLeaving();
  enhanceThemeToggles();
  showWhereOneIs();
  keepPageForNoNetwork();
  enhanceInstalling();
  const mistake = document.querySelector(
    "[data-refused], [data-focus-first] [aria-invalid='true']",
  );
  if (mistake instanceof HTMLElement) mistake.focus();
}
