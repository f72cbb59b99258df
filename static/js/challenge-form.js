/** Only the rules of the chosen game are in sight, and only they are sent. Without this all are. */

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

if (form) {
  form.addEventListener("change", showRules);
  // Going back in the history restores what was chosen without a change.
  addEventListener("pageshow", showRules);
  showRules();
}
