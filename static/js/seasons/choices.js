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

/**
 * Leave in a list what fits, and nothing else chosen.
 * @param {Element | RadioNodeList | null | undefined} list
 * @param {string[] | undefined} fitting undefined: everything does
 */
function offer(list, fitting) {
  if (!(list instanceof HTMLSelectElement)) return;
  for (const option of list.options) {
    option.disabled = option.hidden =
      fitting !== undefined && option.value !== "" && !fitting.includes(option.value);
  }
  if (list.selectedOptions[0]?.disabled) {
    list.value = [...list.options].find((each) => !each.disabled)?.value ?? "";
  }
}

function offerItems() {
  if (item === null) return;
  const named = (/** @type {string} */ name) => item.form?.elements.namedItem(name);
  /** @type {Record<string, Record<string, string[]>>} */
  const fits = JSON.parse(item.dataset.fits ?? "{}");
  const legs = fits[chosen("death_match")];
  offer(named("leg_number"), legs && Object.keys(legs));
  const which = chosen("leg_number");
  offer(item, legs && (which ? (legs[which] ?? []) : Object.values(legs).flat()));
  const receiver = named("receiver");
  if (!(receiver instanceof HTMLSelectElement)) return;
  /** @type {Record<string, number[]>} */
  const plays = JSON.parse(receiver.dataset.plays ?? "{}");
  offer(receiver, plays[chosen("death_match")]?.map(String));
}
if (item !== null) {
  item.form?.addEventListener("change", offerItems);
  offerItems();
}
