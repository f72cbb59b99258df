// @ts-check
/** Why the reader may not write now: the page came with it, and learns of it when it changes. */

import { notices } from "./notices.js";
import { announce } from "./site.js";

const LONGEST = 2 ** 31 - 1; // what a timer takes
const LATER = 1_000; // that it is over to the server, too

/**
 * Have `show(why)` called with the reason that `element` came with, and again whenever it changes: a
 * sentence, or an empty string where the reader may write.
 * @param {HTMLElement} element
 * @param {(why: string) => void} show
 */
export function followSilence(element, show) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /**
   * @param {string} why
   * @param {number | null} left
   */
  const change = (why, left) => {
    clearTimeout(timer);
    if (why !== "" && left !== null && left < LONGEST) {
      timer = setTimeout(() => tell("", null), left + LATER);
    }
    show(why);
  };
  /**
   * @param {string} why
   * @param {number | null} left
   */
  const tell = (why, left) => {
    if (why !== said) announce(why || "You may write again.");
    said = why;
    change(why, left);
  };
  const { silenced = "", silencedFor } = element.dataset;
  let said = silenced;
  change(silenced, silencedFor === undefined ? null : Number(silencedFor));
  notices().addEventListener("silenced", ({ detail: { why, left } }) => tell(why, left));
}
