// @ts-check
/** Only the rules of the chosen game are in sight, and only they are sent. Without this all are. Who
 * is muted meanwhile is told so at the message. */

import { followSilence } from "./silence.js";

/** @type {HTMLFormElement | null} */
const found = document.querySelector("form:has([data-rules-of-games])");

/** @param {HTMLFormElement} form */
function showRules(form) {
  const chosen = form.elements.namedItem("game");
  const game = chosen !== null && "value" in chosen ? String(chosen.value).split("/")[0] : "";
  let shown = 0;
  /** @type {NodeListOf<HTMLFieldSetElement>} */
  const parts = form.querySelectorAll("[data-rules-of]");
  for (const rules of parts) {
    const own = rules.dataset.rulesOf === game;
    rules.hidden = !own;
    rules.disabled = !own;
    if (own) shown += 1;
  }
  form.querySelector("[data-rules-of-games]")?.toggleAttribute("hidden", shown === 0);
}

/**
 * A muted person challenges without words.
 * @param {HTMLFormElement} form
 */
function showSilence(form) {
  const message = /** @type {HTMLInputElement} */ (form.elements.namedItem("message"));
  const [described] = (message.getAttribute("aria-describedby") ?? "").split(" ");
  const help = document.getElementById(described);
  if (help === null) return;
  const usual = message.dataset.help ?? help.textContent;
  followSilence(message, (why) => {
    message.disabled = why !== "";
    if (help.textContent !== (why || usual)) help.textContent = why || usual;
  });
}

if (found !== null) {
  const show = () => showRules(found);
  showSilence(found);
  found.addEventListener("change", show);
  // Going back in the history restores what was chosen without a change.
  addEventListener("pageshow", show);
  show();
}
