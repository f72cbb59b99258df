// @ts-check
/* Which steps of lessons have been taken. It is kept on this device, and nowhere where that is
   forbidden: then it is known until the page is left. */

/** @typedef {{steps: number[], of: number}} Taken */

/** @param {string} game the ruleset and its variant, parted by a slash */
const keyOf = (game) => `gauntlet.lesson:${game}`;

/**
 * The numbers of the steps that have been taken, and how many there were; null where none have.
 * @param {string} game
 * @returns {Taken | null}
 */
export function takenOf(game) {
  try {
    const kept = /** @type {unknown} */ (JSON.parse(localStorage.getItem(keyOf(game)) ?? "null"));
    const { steps, of } = /** @type {Partial<Taken>} */ (kept ?? {});
    if (!Array.isArray(steps) || typeof of !== "number") return null;
    const taken = new Set(
      steps.filter((step) => Number.isInteger(step) && step >= 1 && step <= of),
    );
    return taken.size > 0 ? { steps: [...taken], of } : null;
  } catch {
    return null; // storage can be forbidden altogether, and hold what others have written
  }
}

/**
 * @param {string} game
 * @param {Taken} taken
 */
export function keepTaken(game, taken) {
  try {
    localStorage.setItem(keyOf(game), JSON.stringify(taken));
  } catch {
    // The page still knows.
  }
}
