// @ts-check
/* Waiting to be paired: how long it has been, and where to go. The socket says so first (see
   notices.js); asking the server shows that the reader is still here, and does without a socket. */

import { csrfToken, leaveFor } from "../site.js";

const ASK_EVERY = 5_000;

/**
 * @param {number} ms
 * @returns {string} as "1:05"
 */
export function waitText(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** @param {HTMLElement} panel */
export function followSeek(panel) {
  const clock = panel.querySelector("[data-seek-clock]");
  const state = panel.dataset.state ?? "";
  let since = performance.now() - Number(panel.dataset.waited ?? 0);
  let leaving = false;

  function tick() {
    if (clock) clock.textContent = waitText(performance.now() - since);
  }

  async function ask() {
    let found;
    try {
      const response = await fetch(state, { cache: "no-store" });
      if (!response.ok) return;
      found = /** @type {{waiting: number | null, match: string | null}} */ (await response.json());
    } catch {
      return; // the next time
    }
    if (leaving) return;
    if (found.match !== null) {
      leaving = true;
      leaveFor(found.match);
    } else if (found.waiting === null) {
      leaving = true;
      location.reload(); // cancelled in another tab
    } else {
      since = performance.now() - found.waiting;
    }
  }

  tick();
  setInterval(tick, 1_000);
  setInterval(() => void ask(), ASK_EVERY);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) void ask();
  });
  addEventListener("pageshow", ({ persisted }) => persisted && void ask());
  // Whoever only loads it again, or has it open twice, goes on waiting.
  addEventListener("pagehide", () => {
    const cancel = panel.querySelector("form[data-seek-cancel]");
    if (!(cancel instanceof HTMLFormElement)) return;
    const form = new FormData();
    form.set("csrfmiddlewaretoken", csrfToken());
    form.set("leaving", "1");
    navigator.sendBeacon(cancel.action, form);
  });
}
