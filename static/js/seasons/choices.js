// @ts-check
/**
 * Offers only what fits what was chosen before it: the games of as many matches as there are, and
 * the items that can be used in the match that they are for. The server refuses everything else.
 */

/** @type {HTMLInputElement | null} */
const most = document.querySelector("input[name=best_of]");
/** @type {NodeListOf<HTMLSelectElement>} */
const games = document.querySelectorAll("select[data-match]");

function offerGames() {
  const number = Number(most?.value);
  for (const game of games) {
    const beyond = number > 0 && Number(game.dataset.match) > number;
    const field = /** @type {HTMLElement | null} */ (game.closest(".field"));
    if (field) field.hidden = beyond;
    game.disabled = beyond;
  }
}
if (most !== null && games.length > 0) {
  most.addEventListener("input", offerGames);
  offerGames();
}

/** @type {HTMLSelectElement | null} */
const item = document.querySelector("select[data-fits]");

/**
 * What was chosen in a list that the form may not have.
 * @param {string} name
 */
function chosen(name) {
  const list = item?.form?.elements.namedItem(name);
  return list instanceof HTMLSelectElement ? list.value : "";
}

function offerItems() {
  if (item === null) return;
  /** @type {Record<string, Record<string, string[]>>} */
  const fits = JSON.parse(item.dataset.fits ?? "{}");
  const legs = fits[chosen("death_match")];
  const which = chosen("leg_number");
  const fitting = legs && (which ? (legs[which] ?? []) : Object.values(legs).flat());
  for (const option of item.options) {
    option.disabled = option.hidden =
      fitting !== undefined && option.value !== "" && !fitting.includes(option.value);
  }
  if (item.selectedOptions[0]?.disabled) {
    item.value = [...item.options].find((each) => !each.disabled)?.value ?? "";
  }
}
if (item !== null) {
  item.form?.addEventListener("change", offerItems);
  offerItems();
}
