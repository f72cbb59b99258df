// @ts-check
/** Of a form about a match only what the chosen game has is in sight, and only that is sent: parts say
 * of which games they are (`data-of`) and of which of its variants (`data-of-variants`), and what is
 * around them goes where none of them is left (`data-of-any`). Without this all are there. */

const PARTS = "[data-of], [data-of-variants]";

/**
 * What is chosen among radios.
 * @param {HTMLFormElement} form
 * @param {string} name
 */
export function chosenOf(form, name) {
  const field = form.elements.namedItem(name);
  return field !== null && "value" in field ? String(field.value) : "";
}

/** @param {HTMLFormElement} form */
export function showOfGame(form) {
  const [game, variant = ""] = chosenOf(form, "game").split("/");
  /** @type {NodeListOf<HTMLElement>} */
  const parts = form.querySelectorAll(PARTS);
  for (const part of parts) {
    const { of = game, ofVariants = variant } = part.dataset;
    show(part, of.split(" ").includes(game) && ofVariants.split(" ").includes(variant));
  }
  /** @type {NodeListOf<HTMLElement>} */
  const groups = form.querySelectorAll("[data-of-any]");
  // From within outwards: what is around a group has nothing left where that has not.
  for (const group of [...groups].reverse()) {
    const left = [...group.querySelectorAll(PARTS)].some((part) => {
      const hidden = part.closest("[hidden]");
      return hidden === null || hidden === group || !group.contains(hidden);
    });
    const own = (group.dataset.of ?? game).split(" ").includes(game);
    group.toggleAttribute("hidden", !(own && left));
  }
}

/**
 * @param {HTMLElement} part
 * @param {boolean} own
 */
function show(part, own) {
  part.hidden = !own;
  if (part instanceof HTMLOptionElement) {
    part.disabled = !own;
    if (!own && part.selected) part.selected = false;
  } else if (part instanceof HTMLFieldSetElement) {
    part.disabled = !own;
  } else {
    for (const input of part.querySelectorAll("input")) input.disabled = !own;
  }
}
