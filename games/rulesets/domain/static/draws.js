// @ts-check
/* What is drawn in Domain: the pool that is played with (docs/record.md). */

import { chosen } from "../../../../static/js/draws/numbers.js";

/** The pools that are built in, by name and version, sorted. */
const BUILT_IN = ["classic@1"];

/** @type {Draws.Rules} */
export const draws = {
  pool(_, { record }) {
    const agreed = /** @type {{name: string, version: string} | undefined} */ (
      record.options?.pool
    );
    return {
      label: "pool",
      // Names are what they are: capitals, full stops and all.
      canonical: ({ written }) => written.replace(/^pool\s+/i, "pool "),
      outcome: (below) =>
        agreed ? `pool ${agreed.name}@${agreed.version}` : `pool ${chosen(below, BUILT_IN)}`,
    };
  },
};
