// @ts-check
/** The form for a hosted match: only what the chosen game has is in sight, and usernames are suggested
 * as they are typed. Without this all are there. */

import { showOfGame } from "./of-game.js";
import { followSilence } from "./silence.js";

const WAIT = 200; // ms without a key before names are asked for
const AT_LEAST = 2;

const form = /** @type {HTMLFormElement} */ (document.querySelector("form[data-hosting]"));

/** @type {AbortController | null} */
let asking = null;

/** @param {string} typed */
async function suggest(typed) {
  const list = document.getElementById("people");
  const text = typed.trim().replace(/^@/u, "");
  if (list === null || text.length < AT_LEAST) return;
  asking?.abort();
  asking = new AbortController();
  const query = new URLSearchParams({ search: text, limit: "8", fields: "username,name" });
  let found;
  try {
    const answer = await fetch(`${form.dataset.people}?${query}`, { signal: asking.signal });
    if (!answer.ok) return;
    found = /** @type {{results: {username: string, name: string}[]}} */ (await answer.json());
  } catch {
    return; // the next key asks again
  }
  list.replaceChildren(
    ...found.results.map((person) => {
      const option = document.createElement("option");
      option.value = person.username;
      option.label = person.name;
      return option;
    }),
  );
}

/** @type {NodeListOf<HTMLInputElement>} */
const people = form.querySelectorAll("[data-person]");
for (const input of people) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => void suggest(input.value), WAIT);
  });
}

const message = /** @type {HTMLInputElement} */ (form.elements.namedItem("message"));
followSilence(message, (why) => {
  message.disabled = why !== "";
});
const show = () => showOfGame(form);
form.addEventListener("change", show);
// Going back in the history restores what was chosen without a change.
addEventListener("pageshow", show);
show();
