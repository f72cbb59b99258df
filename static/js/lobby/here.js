// @ts-check
/* Who is in the lobby, kept up to date by what its socket says. */

import { notices } from "../notices.js";
import { pageOf } from "../trusted.js";

/** @param {HTMLElement} panel */
export function followHere(panel) {
  const me = panel.dataset.username ?? "";
  const blocked = new Set((panel.dataset.blocked ?? "").split(",").filter(Boolean));
  const people = panel.querySelector("[data-here-people]");
  const count = panel.querySelector("[data-here-count]");

  /** What is in the list for this reader alone. */
  function settle() {
    for (const one of panel.querySelectorAll("[data-here-list] [data-username]")) {
      const name = one.getAttribute("data-username") ?? "";
      one.toggleAttribute("hidden", blocked.has(name));
      one.toggleAttribute("data-own", name === me);
      if (name === me) one.querySelector(".here__challenge")?.remove();
    }
  }

  /** @param {Live.HereNews} news */
  function show({ count: number, list }) {
    if (count) count.textContent = String(number);
    if (!people || list === undefined) return;
    const fresh = pageOf(list).body.firstElementChild;
    if (!fresh) return;
    const at = document.activeElement;
    const focused = people.contains(at) ? (at?.getAttribute("href") ?? "") : "";
    people.replaceChildren(fresh);
    settle();
    if (!focused) return;
    /** @type {HTMLElement | null} */
    const again = people.querySelector(`a[href="${CSS.escape(focused)}"]`);
    again?.focus();
  }

  /**
   * Who sits in a match is not asked anew for each: matches are told of in any case.
   * @param {Live.News} news
   */
  function mark(news) {
    if (news.type !== "match.started" && news.type !== "match.ended") return;
    for (const { username } of news.seats) {
      if (!username) continue;
      const one = panel.querySelector(`[data-here-list] [data-username="${CSS.escape(username)}"]`);
      one?.toggleAttribute("data-playing", news.type === "match.started");
    }
  }

  settle();
  const listener = notices();
  listener.addEventListener("here", ({ detail }) => show(detail));
  listener.addEventListener("frame", ({ detail }) => mark(detail));
}
