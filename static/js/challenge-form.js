// @ts-check
/** Only what the chosen game has is in sight, and a username is asked for where a player is challenged
 * by name. Without this all are. Who is muted meanwhile is told so at the message. */

import { chosenOf, showOfGame } from "./of-game.js";
import { followSilence } from "./silence.js";

/** @type {HTMLFormElement | null} */
const found = document.querySelector("form:has([data-names-opponent])");

/**
 * The place of the name stays where it is, so that nothing moves.
 * @param {HTMLFormElement} form
 */
function showOpponent(form) {
  const named = chosenOf(form, "open_to") === "player";
  const part = form.querySelector("[data-names-opponent]");
  part?.toggleAttribute("data-unasked", !named);
  const name = part?.querySelector("input");
  if (name) name.disabled = !named;
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
  const show = () => {
    showOfGame(found);
    showOpponent(found);
  };
  showSilence(found);
  found.addEventListener("change", show);
  // Going back in the history restores what was chosen without a change.
  addEventListener("pageshow", show);
  show();
}
