// @ts-check
/* The way on from a match: the next one that waits for the reader, as it is told, and the rematch that
   one of the two offers. */

import { announce, localiseTimes } from "../site.js";
import { notices } from "../notices.js";
import { pageOf } from "../trusted.js";

/** How many matches besides this one wait, and whether this one does. */
export function followTurns() {
  /** @type {NodeListOf<HTMLElement>} */
  const links = document.querySelectorAll("[data-next-match]");
  if (links.length === 0) return;
  const id = Number(links[0].dataset.nextMatch);
  const show = () => {
    const turns = listener.turns;
    const others = [...turns].filter((match) => match !== id).length;
    for (const link of links) {
      const within = link.closest("[data-part=result]") !== null;
      link.hidden = others === 0 || (!within && turns.has(id));
      const count = link.querySelector("[data-next-count]");
      if (count) count.textContent = String(others);
    }
  };
  const listener = notices();
  listener.addEventListener("turns", show);
  show();
}

/**
 * Show how the rematch stands whenever that changes. Nobody can offer one before the match is over, and
 * whoever asks is refused: what may have been missed by then is asked for once `catchUp`, which this
 * gives, is called.
 * @param {() => boolean} isOver
 */
export function followRematch(isOver) {
  const id = Number(part()?.dataset.rematch);
  if (!part()) return () => undefined;
  let missed = false;
  const catchUp = () => {
    if (missed && isOver()) {
      missed = false;
      void refresh(id);
    }
  };
  const listener = notices();
  listener.addEventListener("frame", ({ detail }) => {
    if (detail.type === "challenge" && detail.rematch === id) void refresh(id);
  });
  listener.addEventListener("back", () => {
    missed = true;
    catchUp();
  });
  return catchUp;
}

const part = () => /** @type {HTMLElement | null} */ (document.querySelector("[data-rematch]"));

/** @param {number} id */
async function refresh(id) {
  let html;
  try {
    const answer = await fetch(`/matches/${id}/rematch/`, { cache: "no-store" });
    if (!answer.ok || answer.redirected) return;
    html = await answer.text();
  } catch {
    return; // the next frame, or coming back, asks again
  }
  const before = part();
  const fresh = pageOf(html).querySelector("[data-rematch]");
  // A form that has been sent must not be pulled from under the finger.
  if (!before || !fresh || before.querySelector("form[data-sent]")) return;
  const within = before.contains(document.activeElement);
  before.replaceWith(fresh);
  const now = part();
  if (!now) return;
  localiseTimes(now);
  if (within) now.querySelector("button")?.focus({ preventScroll: true });
  const words = now.querySelector(".result__offer")?.textContent?.trim();
  if (words) announce(words);
}
