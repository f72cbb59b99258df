// @ts-check
/* What is drawn in Domain: the pool that is played with (docs/record.md). */

import { chosen } from "../../../../static/js/draws/numbers.js";

/** The pools that are built in, by name and version. */
const BUILT_IN = ["classic@1"];

/** Those of them that a pool is drawn among by the method of records; that list never changes. */
const DRAWN_AMONG = ["classic@1"];

/**
 * The pool that the options of a record hold, as entries have it; empty where they hold none.
 * @param {Draws.Record} record
 */
function agreedIn(record) {
  const pool = /** @type {{name: string, version: string} | undefined} */ (record.options?.pool);
  return pool ? `${pool.name}@${pool.version}` : "";
}

/** @type {Draws.Rules} */
export const draws = {
  pool(_, { record }) {
    const agreed = agreedIn(record);
    return {
      label: "pool",
      // Names are what they are: capitals, full stops and all.
      form: /^pool \S(?:.*\S)?$/,
      suppliable: true,
      agreed: agreed !== "",
      impossible(said) {
        const name = said.slice("pool ".length);
        if (agreed) return name === agreed ? "" : `the pool agreed on is ${agreed}.`;
        return BUILT_IN.includes(name) ? "" : "there is no built-in pool of that name and version.";
      },
      outcome: (below) => `pool ${chosen(below, DRAWN_AMONG)}`,
    };
  },
};

/**
 * The pool comes before anything else; then both look it over, and who has the advantage says who
 * picks first.
 * @type {Draws.Awaits}
 */
export const awaits = ({ standing, advantage }) => {
  if (!standing.some(({ seat, text }) => seat === "chance" && text.startsWith("pool "))) {
    return { due: ["pool"], open: [] };
  }
  const acts = standing.filter(({ seat }) => seat === 0 || seat === 1);
  const looking = /** @type {const} */ ([0, 1]).filter(
    (seat) => !acts.some((each) => each.seat === seat),
  );
  if (looking.length > 0) return { due: [], open: looking };
  return { due: [], open: acts.length === 2 ? [advantage] : null };
};
