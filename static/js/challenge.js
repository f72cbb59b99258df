// @ts-check
/** The page of a challenge, or of a hosted match, says how it stands now, whatever happens to it meanwhile and however
 * the reader comes back to the page. Without this script, loading the page again does. */

import { announce, leaveFor, localiseTimes } from "./site.js";
import { notices } from "./notices.js";
import { enhanceSharing } from "./sharing.js";
import { pageOf } from "./trusted.js";

const LONGEST = 2 ** 31 - 1; // what a timer takes

const standing = () => /** @type {HTMLElement} */ (document.querySelector("[data-live=standing]"));
const about = standing().dataset;
const id = Number(about.challenge ?? about.hosted);
const kind = about.challenge === undefined ? "hosted" : "challenge";
const title = () => standing().querySelector(".alert__title")?.textContent ?? "";

async function refresh() {
  let html;
  try {
    const answer = await fetch(location.href, {
      headers: { "X-Fragment": "live" },
      cache: "no-store",
    });
    if (!answer.ok) return;
    html = await answer.text();
  } catch {
    return; // coming back asks again
  }
  const fresh = pageOf(html);
  const match = fresh.querySelector("[data-match]");
  if (match !== null && document.querySelector("[data-waits-for-match]") !== null) {
    leaveFor(match.getAttribute("href") ?? "");
    return;
  }
  const before = title();
  /** @type {NodeListOf<HTMLElement>} */
  const parts = document.querySelectorAll("[data-live]");
  for (const part of parts) {
    const now = fresh.querySelector(`[data-live=${part.dataset.live}]`);
    // A form that has been sent must not be pulled from under the finger.
    if (now === null || part.querySelector("form[data-sent]") !== null) continue;
    // Nor what is selected in a part that is the same.
    if (part.dataset.live !== "link" || part.childElementCount !== now.childElementCount) {
      part.replaceWith(now);
    }
  }
  localiseTimes();
  enhanceSharing();
  if (title() !== before && title() !== "") announce(`${title()}.`);
}

enhanceSharing();
const listener = notices();
listener.addEventListener("frame", ({ detail }) => {
  if (detail.type !== kind) return;
  if ((detail.type === "hosted" ? detail.hosted : detail.challenge) === id) void refresh();
});
listener.addEventListener("back", () => void refresh());
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) void refresh();
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) void refresh();
});
const left = new Date(standing().dataset.until ?? "").getTime() - Date.now();
if (left > 0 && left < LONGEST) setTimeout(() => void refresh(), left + 1_000);
