// @ts-check
/** Only what the chosen game has is in sight, and only that is sent: its rules, its times; a username
 * is asked for where a player is challenged by name. Without this all are. Who is muted meanwhile is
 * told so at the message. */

import { followSilence } from "./silence.js";

/** @type {HTMLFormElement | null} */
const found = document.querySelector("form:has([data-rules-of-games])");

/**
 * What is chosen among radios.
 * @param {HTMLFormElement} form
 * @param {string} name
 */
function chosenOf(form, name) {
  const field = form.elements.namedItem(name);
  return field !== null && "value" in field ? String(field.value) : "";
}

/** @param {HTMLFormElement} form */
function showOwn(form) {
  const game = chosenOf(form, "game").split("/")[0];
  /** @type {NodeListOf<HTMLFieldSetElement>} */
  const parts = form.querySelectorAll("[data-rules-of]");
  for (const rules of parts) {
    const own = rules.dataset.rulesOf === game;
    rules.hidden = !own;
    rules.disabled = !own;
  }
  const rules = [...parts].some((part) => !part.hidden);
  form.querySelector("[data-rules-of-games]")?.toggleAttribute("hidden", !rules);
  /** @type {NodeListOf<HTMLElement>} */
  const times = form.querySelectorAll("[data-time-of]");
  for (const time of times) {
    const own = (time.dataset.timeOf ?? "").split(" ").includes(game);
    time.hidden = !own;
    for (const input of time.querySelectorAll("input")) input.disabled = !own;
  }
}

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
    showOwn(found);
    showOpponent(found);
  };
  showSilence(found);
  found.addEventListener("change", show);
  // Going back in the history restores what was chosen without a change.
  addEventListener("pageshow", show);
  show();
}
