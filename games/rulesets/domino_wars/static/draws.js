// @ts-check
/* What is drawn in Domino Wars: a deck for a seat that has not chosen in time, the shuffled pile of each
   seat, and what a mulligan comes to (docs/record.md). */

import { shuffled } from "../../../../static/js/draws/numbers.js";

const HAND = 3;
const DECK = 8;

/** All dominoes, `01 02 … 56`: two different numbers from 0 to 6, the lower one first. */
const ALL = [...Array(7).keys()].flatMap((low) =>
  [...Array(7).keys()].filter((high) => high > low).map((high) => `${low}${high}`),
);

/**
 * A domino with its lower number first, however it is written.
 * @param {string} domino
 */
function named(domino) {
  return [...domino].sort().join("");
}

/** @param {string[]} dominoes */
function ascending(dominoes) {
  return dominoes.map(named).sort();
}

/**
 * The words of what chance gave a seat last of a kind, or null.
 * @param {Draws.Entry[]} standing
 * @param {string} seat
 * @param {string[]} kinds
 */
function lastGiven(standing, seat, kinds) {
  const words = standing
    .filter((entry) => entry.seat === "chance")
    .map((entry) => entry.text.split(" "));
  return words.findLast(([kind, whose]) => kinds.includes(kind) && whose === seat) ?? null;
}

/**
 * The deck of a seat, chosen or drawn, or null.
 * @param {Draws.Entry[]} standing
 * @param {string} seat
 */
function deckOf(standing, seat) {
  const own = standing.findLast((each) => String(each.seat) === seat && /^deck /.test(each.text));
  if (own !== undefined) return ascending(own.text.split(" ").slice(1));
  const drawn = lastGiven(standing, seat, ["deck"]);
  return drawn && ascending(drawn.slice(2));
}

/**
 * The opening hand and the pile of a seat, or null.
 * @param {Draws.Entry[]} standing
 * @param {string} seat
 */
function held(standing, seat) {
  const given = lastGiven(standing, seat, ["pile", "mulligan"]);
  if (given === null) return null;
  const dominoes = given.slice(2).filter((word) => /^\d+$/.test(word));
  return { hand: dominoes.slice(0, HAND), pile: dominoes.slice(HAND) };
}

const DOMINO = "(?:0[1-6]|1[2-6]|2[3-6]|3[4-6]|4[56]|56)";
const EIGHT = new RegExp(`^(?:deck|pile) [01](?: ${DOMINO}){8}$`);
const BOTH = new RegExp(`^mulligan [01] hand(?: ${DOMINO}){3} pile(?: ${DOMINO}){5}$`);

/** @param {string} seat */
const isSeat = (seat) => seat === "0" || seat === "1";

/** @type {Draws.Rules} */
export const draws = {
  deck([seat]) {
    if (!isSeat(seat)) return null;
    return {
      label: `deck ${seat}`,
      form: EIGHT,
      outcome: (below) =>
        ["deck", seat, ...ascending(shuffled(below, ALL).slice(0, DECK))].join(" "),
    };
  },

  pile([seat], { standing }) {
    const deck = deckOf(standing, seat);
    if (!isSeat(seat) || deck === null) return null;
    return {
      label: `pile ${seat}`,
      form: EIGHT,
      outcome: (below) => ["pile", seat, ...shuffled(below, deck)].join(" "),
    };
  },

  mulligan([seat], { standing }) {
    const before = held(standing, seat);
    if (!isSeat(seat) || before === null) return null;
    const earlier = standing.filter(
      (each) => each.seat === "chance" && each.text.startsWith(`mulligan ${seat} `),
    );
    return {
      label: `mulligan ${seat} ${earlier.length + 1}`,
      form: BOTH,
      outcome: (below) => {
        const five = shuffled(below, ascending(before.pile));
        const rest = ascending([...five.slice(HAND), ...before.hand]);
        const hand = five.slice(0, HAND);
        return ["mulligan", seat, "hand", ...hand, "pile", ...shuffled(below, rest)].join(" ");
      },
    };
  },
};

const SEATS = /** @type {const} */ ([0, 1]);

/**
 * How many uses of an item each seat has.
 * @param {Draws.Record} record
 * @param {string} item
 */
function usesOf({ items = [] }, item) {
  return SEATS.map(
    (seat) => items.filter((each) => each.seat === seat && each.item === item).length,
  );
}

/** @typedef {"first" | "decks" | "piles" | "mulligans" | "again" | "play"} Phase */

/** The set-up of a match, entry by entry: what is to be drawn, and who is asked. */
class SetUp {
  /** @param {Draws.Asked} asked */
  constructor({ record, advantage }) {
    const ties = usesOf(record, "tie-advantage");
    const holder = ties[0] > 0 ? 0 : 1;
    /** @type {Phase} */
    this.phase = "first";
    this.due = [false, false]; // a draw for that seat
    this.asked = [false, false];
    this.asked[ties[0] > 0 === ties[1] > 0 ? advantage : holder] = true;
    this.left = usesOf(record, "hand-mulligan").map((uses) => 2 * uses);
  }

  /**
   * @param {Phase} phase
   * @param {boolean[]} asked
   * @param {boolean[]} due
   */
  #now(phase, asked, due) {
    this.phase = phase;
    this.asked = asked;
    this.due = due;
  }

  #round() {
    const asked = this.left.map((uses) => uses > 0);
    this.#now(asked.includes(true) ? "mulligans" : "play", asked, [false, false]);
  }

  /** @param {Draws.Entry} entry */
  follow({ seat, text, isSubmission }) {
    if (seat === "organiser" || this.phase === "play") return;
    if (seat === "chance") {
      this.due[Number(text.split(" ")[1])] = false;
    } else {
      this.asked[seat] = false;
      if (this.phase === "decks" && !isSubmission) this.due[seat] = true;
      if (this.phase === "mulligans") {
        const again = isSubmission && text === "mulligan";
        this.due[seat] = again;
        this.left[seat] = again ? this.left[seat] - 1 : 0;
      }
    }
    if (this.asked.includes(true)) return;
    if (this.phase === "mulligans" && this.due.includes(true)) this.phase = "again";
    else if (!this.due.includes(true)) this.#go();
  }

  #go() {
    if (this.phase === "first") this.#now("decks", [true, true], [false, false]);
    else if (this.phase === "decks") this.#now("piles", [false, false], [true, true]);
    else this.#round();
  }

  /** @returns {Draws.Awaited} */
  get awaited() {
    if (this.phase === "play") return { due: [], open: null };
    const kind = { first: "", decks: "deck", piles: "pile", mulligans: "", again: "mulligan" }[
      this.phase
    ];
    const due = kind ? SEATS.filter((seat) => this.due[seat]).map((seat) => `${kind} ${seat}`) : [];
    return { due, open: SEATS.filter((seat) => this.asked[seat]) };
  }
}

/**
 * A deck comes when its seat has not chosen in time, the piles when both decks are there, a mulligan
 * when all who are asked have answered.
 * @type {Draws.Awaits}
 */
export const awaits = (asked) => {
  const setUp = new SetUp(asked);
  for (const entry of asked.standing) {
    setUp.follow(entry);
    if (setUp.phase === "play") break;
  }
  return setUp.awaited;
};
