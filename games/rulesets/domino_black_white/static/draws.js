// @ts-check
/* Domino Black & White draws nothing but the lot (docs/record.md). */

/** @type {Draws.Rules} */
export const draws = {};

/** @type {Draws.Awaits} */
export const awaits = ({ standing, advantage }) => {
  const hasChosen = standing.some(({ seat }) => seat === 0 || seat === 1);
  return { due: [], open: hasChosen ? null : [advantage] };
};
