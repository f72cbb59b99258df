// @ts-check
/** Buttons that copy an address or a text, or hand an address to whatever the device shares with. */

import { announce, toast } from "./site.js";

/**
 * Have those below `scope` do so. A share button is shown where the device can share; one that is
 * marked to be there in any case copies where it cannot.
 * @param {ParentNode} [scope]
 */
export function enhanceSharing(scope = document) {
  /** @type {NodeListOf<HTMLButtonElement>} */
  const copiers = scope.querySelectorAll("button[data-copy]:not([data-ready])");
  for (const button of copiers) {
    button.dataset.ready = "";
    button.addEventListener("click", () => void copy(button.dataset.copy ?? "", button));
  }
  /** @type {NodeListOf<HTMLButtonElement>} */
  const texts = scope.querySelectorAll("button[data-copies]:not([data-ready])");
  for (const button of texts) {
    button.dataset.ready = "";
    button.addEventListener("click", () => void copyText(button.dataset.copies ?? ""));
  }
  const can = typeof navigator.share === "function";
  /** @type {NodeListOf<HTMLButtonElement>} */
  const sharers = scope.querySelectorAll("button[data-share]:not([data-ready])");
  for (const button of sharers) {
    button.dataset.ready = "";
    if (can) button.hidden = false;
    button.addEventListener("click", () => void share(button, can));
  }
}

/**
 * @param {HTMLButtonElement} button
 * @param {boolean} can
 */
async function share(button, can) {
  const url = new URL(button.dataset.shareUrl ?? "", location.href).href;
  if (!can) {
    await copy(url, button);
    return;
  }
  try {
    await navigator.share({ title: button.dataset.shareTitle ?? document.title, url });
  } catch {
    // Put away without having chosen anything: nothing to say.
  }
}

/**
 * @param {string} text
 * @param {HTMLButtonElement} button
 */
async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Not allowed here: the reader can still take it by hand.
    toast(text, { seconds: 30 });
    return;
  }
  const said = button.dataset.copied ?? "The link is copied.";
  toast(said, { kind: "success" });
  announce(said, { about: button.dataset.copy ?? text });
}

/**
 * Copy what stands in a field; where that is not allowed it is selected, to be taken by hand.
 * @param {string} id
 */
async function copyText(id) {
  const field = document.getElementById(id);
  if (!(field instanceof HTMLTextAreaElement)) return;
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    return;
  }
  toast("The text is copied.", { kind: "success" });
  announce("The text is copied.", { about: id });
}
