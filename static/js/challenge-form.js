/** Only the rules of the chosen game are in sight, and only they are sent. Without this all are. Who
 * is muted meanwhile is told so at the message. */

import { followSilence } from "./silence.js";

const form = document.querySelector("form:has([data-rules-of-games])");

function showRules() {
  const game = (form.elements.namedItem("game")?.value ?? "").split("/")[0];
  let shown = 0;
  for (const rules of form.querySelectorAll("[data-rules-of]")) {
    const own = rules.dataset.rulesOf === game;
    rules.hidden = !own;
    rules.disabled = !own;
    if (own) shown += 1;
  }
  form.querySelector("[data-rules-of-games]").hidden = shown === 0;
}

/** A muted person challenges without words. */
function showSilence() {
  const message = form.elements.namedItem("message");
  const help = document.getElementById(message.getAttribute("aria-describedby").split(" ")[0]);
  const usual = message.dataset.help ?? help.textContent;
  followSilence(message, (why) => {
    message.disabled = why !== "";
    if (help.textContent !== (why || usual)) help.textContent = why || usual;
  });
}

if (form) {
  showSilence();
  form.addEventListener("change", showRules);
  // Going back in the history restores what was chosen without a change.
  addEventListener("pageshow", showRules);
  showRules();
}
