// @ts-check
/**
 * The grid of free hours: hours are painted by sliding over them, and arrow keys go from one to the
 * next. Without this every hour is a checkbox of its own.
 */

const DAYS = 7;

/** @type {HTMLElement | null} */
const grid = document.querySelector("[data-free-hours]");
/** @type {HTMLInputElement[]} */
const boxes = grid ? [...grid.querySelectorAll("input")] : [];

/**
 * Have the tabulator key stop at one hour of all.
 * @param {HTMLInputElement} chosen
 */
function stopAt(chosen) {
  for (const box of boxes) box.tabIndex = box === chosen ? 0 : -1;
}

/** @param {KeyboardEvent} event */
function move(event) {
  const at = boxes.indexOf(/** @type {HTMLInputElement} */ (event.target));
  const day = at % DAYS;
  const to = {
    ArrowLeft: day > 0 ? at - 1 : at,
    ArrowRight: day < DAYS - 1 ? at + 1 : at,
    ArrowUp: at - DAYS,
    ArrowDown: at + DAYS,
    Home: at - day,
    End: at - day + DAYS - 1,
  }[event.key];
  if (at < 0 || to === undefined) return;
  event.preventDefault();
  boxes[to]?.focus();
}

/** What the finger paints, while it is down: marked, or not. @type {boolean | null} */
let painting = null;

/** @param {Element | null} element */
function boxIn(element) {
  const cell = element?.closest("label");
  return cell && grid?.contains(cell) ? cell.querySelector("input") : null;
}

/** @param {PointerEvent} event */
function begin(event) {
  const box = boxIn(/** @type {Element} */ (event.target));
  if (!box || event.button !== 0) return;
  event.preventDefault();
  painting = !box.checked;
  box.checked = painting;
  stopAt(box);
  box.focus({ preventScroll: true });
}

/** @param {PointerEvent} event */
function paint(event) {
  if (painting === null) return;
  const box = boxIn(document.elementFromPoint(event.clientX, event.clientY));
  if (box) box.checked = painting;
}

function end() {
  painting = null;
}

/** Where no zone was chosen yet: this device's. @type {NodeListOf<HTMLSelectElement>} */
const undecided = document.querySelectorAll("select[data-device]");
const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
for (const zones of undecided) {
  if ([...zones.options].some((option) => option.value === here)) zones.value = here;
}

if (grid && boxes[0]) {
  grid.dataset.paints = "";
  stopAt(boxes[0]);
  grid.addEventListener("keydown", move);
  grid.addEventListener("focusin", (event) => {
    const box = boxIn(/** @type {Element} */ (event.target));
    if (box) stopAt(box);
  });
  grid.addEventListener("pointerdown", begin);
  document.addEventListener("pointermove", paint);
  document.addEventListener("pointerup", end);
  document.addEventListener("pointercancel", end);
  // The finger has marked it already; what the space bar clicks has no place on the screen.
  grid.addEventListener("click", (event) => {
    if (event.detail > 0 && boxIn(/** @type {Element} */ (event.target))) event.preventDefault();
  });
}
