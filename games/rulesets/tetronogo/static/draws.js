// @ts-check
/* What is drawn in Tetronogo: a tetromino for a seat that has not picked in time (docs/record.md). */

import { chosen } from "../../../../static/js/draws/numbers.js";

const LETTERS = [..."OISZLJT"];

/**
 * What a seat has picked so far, by itself or by chance.
 * @param {Draws.Entry[]} standing
 * @param {number} seat
 */
function picked(standing, seat) {
  return standing.flatMap((entry) => {
    const [kind, ...words] = entry.text.split(" ");
    if (kind !== "pick") return [];
    if (entry.seat === seat) return words[0].toUpperCase();
    return entry.seat === "chance" && words[0] === String(seat) ? words[1].toUpperCase() : [];
  });
}

/** @type {Draws.Rules} */
export const draws = {
  pick([whose], { standing }) {
    if (whose !== "0" && whose !== "1") return null;
    const used = picked(standing, Number(whose));
    const left = LETTERS.filter((letter) => !used.includes(letter));
    return {
      label: `pick ${whose} ${used.length + 1}`,
      form: /^pick [01] [OISZLJT]$/,
      outcome: (below) => `pick ${whose} ${chosen(below, left)}`,
    };
  },
};

const SEATS = /** @type {const} */ ([0, 1]);
const BOUTS = 4;
const LOT = /^lot [01]$/;

/**
 * How a bout may stand: of whom a pick is awaited or to be drawn, who is to choose the starter, who is
 * to place.
 * @typedef {{bout: number, asked: Seat[], due: Seat[], mover: Seat | null}} Standing
 */

/**
 * As the next bout begins; nothing where there is none any more.
 * @param {number} bout
 * @returns {Standing[]}
 */
function begun(bout) {
  return bout > BOUTS ? [] : [{ bout, asked: [0, 1], due: [], mover: null }];
}

/** @type {Standing} */
const OVER = { bout: BOUTS + 1, asked: [], due: [], mover: null };

/**
 * @param {Seat[]} seats
 * @param {Seat} seat
 */
const without = (seats, seat) => seats.filter((each) => each !== seat);

/**
 * How a bout that waits for a pick may stand after an entry of a player.
 * @param {Standing} now
 * @param {Seat} seat
 * @param {Draws.Entry} entry
 * @returns {Standing[]}
 */
function picking(now, seat, { text, isSubmission }) {
  const { asked, due } = now;
  if (!asked.includes(seat) || (isSubmission && !/^pick\b/.test(text))) return [];
  return [{ ...now, asked: without(asked, seat), due: isSubmission ? due : [...due, seat] }];
}

/**
 * How a bout may stand after an entry of a player once both picks are there. Where a tetromino is placed,
 * that may have ended the bout: what can still be placed is not looked at.
 * @param {Standing} now
 * @param {Seat} seat
 * @param {Draws.Entry} entry
 * @param {Seat} advantage
 * @returns {Standing[]}
 */
function playing(now, seat, { text, isSubmission }, advantage) {
  const { bout, mover } = now;
  const other = seat === 0 ? 1 : 0;
  const isOrder = ["first", "second"].includes(text);
  if (mover === null) {
    const isChooser = bout > 1 || seat === advantage;
    return isChooser && isOrder === isSubmission
      ? [{ ...now, mover: text === "second" ? other : seat }]
      : [];
  }
  if (seat !== mover || isOrder || /^pick\b/.test(text)) return [];
  const goesOn = isSubmission ? [{ ...now, mover: /** @type {Seat} */ (other) }] : [];
  return [...goesOn, ...begun(bout + 1), OVER];
}

/**
 * How it may stand after an entry: in no way where that cannot come then.
 * @param {Standing} now
 * @param {Draws.Entry} entry
 * @param {Seat} advantage
 * @returns {Standing[]}
 */
function next(now, entry, advantage) {
  const { seat, text } = entry;
  if (seat === "organiser" || LOT.test(text)) return [now];
  if (seat === "chance") {
    const dealt = text.startsWith("pick 1") ? 1 : 0;
    return now.due.includes(dealt) ? [{ ...now, due: without(now.due, dealt) }] : [];
  }
  if (text === "concede") return [OVER];
  if (now === OVER) return [];
  if (now.asked.length > 0 || now.due.length > 0) return picking(now, seat, entry);
  return playing(now, seat, entry, advantage);
}

/**
 * A pick is drawn when its seat has not picked in time; everybody picks before anything else of a bout.
 * @type {Draws.Awaits}
 */
export const awaits = ({ standing, advantage }) => {
  let may = begun(1);
  for (const entry of standing) may = may.flatMap((each) => next(each, entry, advantage));
  const due = SEATS.filter((seat) => may.some((each) => each.due.includes(seat)));
  const open = SEATS.filter((seat) =>
    may.some(({ bout, asked, due: owed, mover }) => {
      if (asked.length > 0 || owed.length > 0) return asked.includes(seat);
      if (bout > BOUTS) return false;
      return mover === null ? bout > 1 || seat === advantage : seat === mover;
    }),
  );
  return { due: due.map((seat) => `pick ${seat}`), open, impossible: may.length === 0 };
};
