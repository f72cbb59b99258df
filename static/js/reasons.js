// @ts-check
/* Ready-made reasons to tap: each fills the field, where it can be changed. Without scripts a field
   offers them in a list of its own (`games.forms.ReasonInput`). */

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
              // A touch is not for typing: the keyboard would cover what is to be tapped next.
              if (!matchMedia("(pointer: coarse)").matches) field.focus();
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
