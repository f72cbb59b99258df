// @ts-check
/**
 * The page of an episode: names are tapped in order of finish, and what will be recorded is shown at
 * once. Without this script each tap is a round trip, and the page says the same.
 */

import "./live.js";
import "./times.js";

/** What changes what would be recorded. */
const SHOWN = new Set(["immune", "others_safe", "ec", "dmo", "pasted"]);

/** @typedef {{groups: string[][], safe: string[]}} Finish */

/** @param {HTMLFormElement} form @param {string} name */
function field(form, name) {
  return /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
}

/** @param {HTMLFormElement} form @returns {HTMLElement[]} */
function rowsOf(form) {
  return [...form.querySelectorAll("[data-contestant]")].filter(
    (each) => each instanceof HTMLElement,
  );
}

/** @param {HTMLFormElement} form @returns {string[][]} */
function named(form) {
  const parts = field(form, "order").value.split(",");
  return parts.map((part) => part.split("=").filter(Boolean)).filter((group) => group.length);
}

/**
 * What is named once somebody is tapped.
 * @param {string[][]} groups
 * @param {string} who
 * @param {boolean} together
 */
export function tapped(groups, who, together) {
  if (groups.some((group) => group.includes(who))) {
    return groups
      .map((group) => group.filter((each) => each !== who))
      .filter((group) => group.length);
  }
  const last = groups.at(-1);
  return together && last ? [...groups.slice(0, -1), [...last, who]] : [...groups, [who]];
}

/**
 * Who shares which place, the best first: whoever is safe comes before the last.
 * @param {string[][]} groups
 * @param {string[]} safe
 * @returns {[number, string[]][]}
 */
export function places(groups, safe) {
  /** @type {[number, string[]][]} */
  const found = [];
  let place = 1;
  for (const group of [...groups.slice(0, -1), safe, ...groups.slice(-1)]) {
    if (group.length) found.push([place, group]);
    place += group.length;
  }
  return found;
}

/**
 * Who comes last of those who are not immune: one of them is the EC.
 * @param {[number, string[]][]} finish
 * @param {string[]} immune
 * @returns {string[]}
 */
export function lastOf(finish, immune) {
  const exposed = finish.map(([, group]) => group.filter((pk) => !immune.includes(pk)));
  return exposed.filter((group) => group.length).at(-1) ?? [];
}

/** @param {HTMLElement} row */
function isImmune(row) {
  const box = /** @type {HTMLInputElement | null} */ (row.querySelector("[name=immune]"));
  return box?.checked ?? false;
}

/**
 * Offer to say whom the EC meets, once it is clear who that is; who it will be, if it is said.
 * @param {HTMLFormElement} form
 * @param {Map<string, HTMLElement>} rows
 * @param {string | undefined} ec
 */
function offerDmo(form, rows, ec) {
  form.querySelector("[data-meets]")?.toggleAttribute("hidden", ec === undefined);
  /** @type {NodeListOf<HTMLInputElement>} */
  const radios = form.querySelectorAll("[name=dmo]");
  /** @type {string | undefined} */
  let dmo;
  for (const radio of radios) {
    const row = rows.get(radio.value);
    if (!row) continue;
    const may = ec !== undefined && radio.value !== ec && !isImmune(row);
    radio.closest("label")?.toggleAttribute("hidden", !may);
    if (!may) radio.checked = false;
    if (radio.checked) dmo = radio.value;
  }
  const [notYet] = radios;
  if (notYet && dmo === undefined) notYet.checked = true;
  return dmo;
}

/**
 * How many have no place yet.
 * @param {[number, string[]][]} finish
 * @param {number} people
 */
export function missingOf(finish, people) {
  return people - finish.reduce((sum, [, group]) => sum + group.length, 0);
}

/**
 * Show at each name the place that it is tapped for.
 * @param {Map<string, HTMLElement>} rows
 * @param {Set<string>} all
 * @param {[number, string[]][]} finish
 */
function markPlaces(rows, all, finish) {
  const numbers = new Map(finish.flatMap(([place, group]) => group.map((pk) => [pk, place])));
  for (const [pk, row] of rows) {
    row.querySelector("[name=tap]")?.setAttribute("aria-pressed", String(all.has(pk)));
    const place = row.querySelector("[data-place]");
    if (place) place.textContent = all.has(pk) ? String(numbers.get(pk)) : "";
  }
}

/**
 * Who of the `last` is the EC; ask where there are several.
 * @param {Map<string, HTMLElement>} rows
 * @param {string[]} last
 */
function askEc(rows, last) {
  let [ec] = last.length === 1 ? last : [];
  for (const [pk, row] of rows) {
    const ties = last.length > 1 && last.includes(pk);
    row.querySelector("[data-ec]")?.toggleAttribute("hidden", !ties);
    const radio = /** @type {HTMLInputElement | null} */ (row.querySelector("[name=ec]"));
    if (radio && !ties) radio.checked = false;
    if (radio?.checked) ec = pk;
  }
  return ec;
}

/**
 * Say at the button that records it who will be the EC, and the DMO.
 * @param {HTMLFormElement} form
 * @param {string | undefined} ec
 * @param {string | undefined} dmo
 */
function sayWho(form, ec, dmo) {
  const says = form.querySelector("[data-says]");
  if (!says) return;
  const also = dmo === undefined ? "" : `, ${dmo} the DMO`;
  says.textContent = ec === undefined ? "" : `: ${ec} is the EC${also}`;
}

/** @param {HTMLFormElement} form */
function show(form) {
  const rows = new Map(rowsOf(form).map((row) => [row.dataset.contestant ?? "", row]));
  // A list that is written takes the place of what was tapped.
  const written = field(form, "pasted").value.trim() !== "";
  const groups = written ? [] : named(form);
  const all = new Set(groups.flat());
  const others = groups.length > 0 && field(form, "others_safe").checked;
  const finish = places(groups, others ? [...rows.keys()].filter((pk) => !all.has(pk)) : []);
  const missing = missingOf(finish, rows.size);
  const immune = [...rows].filter(([, row]) => isImmune(row)).map(([pk]) => pk);
  markPlaces(rows, all, finish);
  // As long as somebody has no place, nobody comes last.
  const ec = askEc(rows, missing ? [] : lastOf(finish, immune));
  const dmo = offerDmo(form, rows, ec);
  sayWho(form, rows.get(ec ?? "")?.dataset.name, rows.get(dmo ?? "")?.dataset.name);
  form.querySelector("[data-clear]")?.toggleAttribute("hidden", !written && !groups.length);
  const look = form.querySelector("[data-look]");
  if (!finish.length) {
    const words = written ? "Show what comes of the list to see it here." : "Nobody is named yet.";
    look?.replaceChildren(paragraph(words));
    return;
  }
  const list = document.createElement("ol");
  list.className = "finish__places";
  for (const [place, group] of finish) {
    const number = document.createElement("span");
    number.className = "numbers";
    number.textContent = String(place);
    const names = document.createElement("span");
    names.textContent = group
      .map((pk) => said(rows.get(pk), pk === ec ? "EC" : pk === dmo ? "DMO" : ""))
      .join(", ");
    const item = document.createElement("li");
    item.append(number, " ", names);
    list.append(item);
  }
  look?.replaceChildren(list, ...(missing ? [paragraph(`Not named yet: ${missing}.`)] : []));
}

/** @param {HTMLElement | undefined} row @param {string} part */
function said(row, part) {
  if (!row) return "";
  const name = row.dataset.name ?? "";
  if (isImmune(row)) return `${name} (immune${row.dataset.token === undefined ? "" : " by token"})`;
  return part ? `${name} (${part})` : name;
}

/** @param {string} words */
function paragraph(words) {
  const made = document.createElement("p");
  made.className = "muted small";
  made.textContent = words;
  return made;
}

document.addEventListener("click", (event) => {
  const button =
    event.target instanceof Element ? event.target.closest("[data-finish] [name=tap]") : null;
  if (!(button instanceof HTMLButtonElement) || !button.form) return;
  event.preventDefault();
  const form = button.form;
  const groups = tapped(named(form), button.value, field(form, "together").checked);
  field(form, "order").value = groups.map((group) => group.join("=")).join(",");
  // What is tapped takes the place of what was written.
  field(form, "pasted").value = "";
  form.dataset.filled = "1";
  show(form);
});

document.addEventListener("click", (event) => {
  const button =
    event.target instanceof Element
      ? event.target.closest("[data-finish] [data-clear] button")
      : null;
  if (!(button instanceof HTMLButtonElement) || !button.form) return;
  event.preventDefault();
  const form = button.form;
  field(form, "order").value = "";
  field(form, "pasted").value = "";
  form.dataset.filled = "1";
  show(form);
  /** @type {HTMLElement | null} */ (form.querySelector("[name=tap]"))?.focus();
});

/**
 * What is being filled in, in whatever control, is kept from a page that brings itself up to date.
 * @param {Event} event
 */
function filledIn(event) {
  const control = event.target instanceof Element ? event.target : null;
  const form = control?.closest("form");
  if (!control || !form) return;
  form.dataset.filled = "1";
  const name = control.getAttribute("name") ?? "";
  if (form.matches("[data-finish]") && SHOWN.has(name)) show(form);
}

document.addEventListener("input", filledIn);
document.addEventListener("change", filledIn);
