// @ts-check
/* Ready-made reasons to tap: each fills the field, where it can be changed. Without scripts a field
   offers them in a list of its own (`tournaments.forms.reasons`). */

import { h } from "./match/dom.js";

/**
 * Buttons that write a reason into a field.
 * @param {HTMLInputElement | HTMLTextAreaElement} field
 * @param {string[]} reasons
 * @returns {HTMLElement | null}
 */
export function chips(field, reasons) {
  if (reasons.length === 0) return null;
  return h(
    "div",
    { class: "reasons", role: "group", "aria-label": "Ready-made reasons" },
    reasons.map((reason) =>
      h(
        "button",
        {
          type: "button",
          class: "button button--small",
          on: {
            click: () => {
              field.value = reason;
              field.dispatchEvent(new Event("input", { bubbles: true }));
              field.focus();
            },
          },
        },
        reason,
      ),
    ),
  );
}

for (const field of document.querySelectorAll("input[data-reasons]")) {
  if (!(field instanceof HTMLInputElement) || field.list === null) continue;
  const made = chips(
    field,
    [...field.list.options].map((each) => each.value),
  );
  if (made !== null) field.before(made);
  // The list would open over the buttons that say the same.
  field.removeAttribute("list");
}
