// @ts-check
/* What the strong bot would have played, beside what was: both judged by what the seat could know. */

import { h } from "../match/dom.js";
import { seatBadge } from "../boards/kit.js";
import { percent, remainder, withRange } from "./graph.js";

const LEAST = 0.15; // of a win, that may have been missed, to be worth a word

/**
 * How much of a win may have been missed: no less than nothing.
 * @param {Api.Judgement["lost"]} lost
 */
function range({ low, high }) {
  return `${Math.round(Math.max(low, 0) * 100)} to ${percent(high)}`;
}

/**
 * What was missed with a move, in a sentence.
 * @param {Api.Judgement} judged
 */
export function missed({ played, best, lost }) {
  if (played === best) return "The strong bot plays the same.";
  if (lost.low > 0) return `That missed ${percent(lost.share)} of a win (${range(lost)}).`;
  if (lost.high < 0) return "That was better than the bot's, by the same guesses.";
  return "Which of the two is better is not certain.";
}

/**
 * The answers that were given in a position.
 * @param {Api.Judgement[]} answers
 * @param {string[]} names
 * @param {{shown: (judged: Api.Judgement) => string, show: (judged: Api.Judgement, which: "played" | "best") => void}} tools
 *   which text of it the board shows, and how to have it show one
 */
export function answersOf(answers, names, { shown, show }) {
  return answers.map((judged) => {
    const { move, seat, played, best, played_worth, best_worth } = judged;
    /**
     * @param {"played" | "best"} which
     * @param {string} words
     */
    const button = (which, words) =>
      h(
        "button",
        {
          type: "button",
          class: "button button--small",
          "data-shows": which,
          "aria-pressed": String(shown(judged) === which),
          on: { click: () => show(judged, which) },
        },
        words,
      );
    return h(
      "div",
      { class: "judged", "data-seat": seat, "data-move": move },
      h(
        "h3",
        { class: "judged__title" },
        seatBadge(seat),
        " ",
        `Move ${move}: ${names[seat]}'s choice`,
      ),
      h(
        "dl",
        { class: "judged__moves" },
        h("dt", {}, "Played"),
        h(
          "dd",
          {},
          h("code", {}, played),
          " ",
          h("span", { class: "muted" }, withRange(played_worth)),
        ),
        h("dt", {}, "Strong bot"),
        h("dd", {}, h("code", {}, best), " ", h("span", { class: "muted" }, withRange(best_worth))),
      ),
      h("p", { class: "judged__missed" }, missed(judged)),
      h(
        "p",
        { class: "button-row" },
        button("best", "Show the bot's move"),
        played === best ? null : button("played", "Show what was played"),
      ),
    );
  });
}

/**
 * Where the graph changed most, as links to the position before.
 * @param {Api.Study} study
 * @param {string[]} names
 * @param {Replays.Step[]} steps
 * @param {(step: number) => void} go
 */
export function swingsOf({ swings, answers, positions, positions_total }, names, steps, go) {
  if (swings.length === 0) {
    const isWhole = positions.length === positions_total;
    return [
      h("p", {}, isWhole ? "It never changed much from one position to the next." : "None so far."),
    ];
  }
  const sure = swings.every((each) => each.sure);
  const said = swings.map(({ move, at, before, after }) => {
    const seat = /** @type {Seat} */ (after > before ? 0 : 1);
    /** @param {number} share */
    const of = (share) => (seat === 0 ? percent(share) : remainder(share));
    return row(move, () => go(at), [
      seatBadge(seat),
      ` ${names[seat]} from ${of(before)} to ${of(after)}. `,
      h("span", { class: "muted" }, why(steps[move], answers, names)),
    ]);
  });
  return [
    sure ? null : h("p", { class: "small muted" }, "None is certain; these may be changes."),
    h("ol", { class: "swings" }, said),
  ];
}

/**
 * What brought a change of the graph about, as far as it is known.
 * @param {Replays.Step} step
 * @param {Api.Judgement[]} answers
 * @param {string[]} names
 */
function why({ n, actor, timeout, text }, answers, names) {
  if (actor === "chance") return "By chance.";
  if (actor !== 0 && actor !== 1) return "";
  if (text === "concede") return `${names[actor]} conceded.`;
  if (timeout) return `${names[actor]}'s time ran out.`;
  const judged = answers.find(({ move }) => move === n);
  if (judged === undefined) return "";
  if (judged.lost.low > 0) return `${names[actor]} missed something.`;
  if (judged.lost.share >= LEAST) return `${names[actor]} may have missed something.`;
  return `By what ${names[actor]} could know, nothing was surely missed.`;
}

/**
 * @param {number} move
 * @param {() => void} click
 * @param {(Node | string)[]} words
 */
function row(move, click, words) {
  return h(
    "li",
    {},
    h(
      "button",
      { type: "button", class: "swings__swing", on: { click } },
      h("span", { class: "log__number numbers" }, `Move ${move}`),
      h("span", {}, words),
    ),
  );
}

/**
 * The moves with which most was missed, as links to where they were chosen.
 * @param {Api.Study} study
 * @param {string[]} names
 * @param {(step: number) => void} go
 */
export function mistakesOf({ mistakes, answers, answers_total, state }, names, go) {
  const found = mistakes.flatMap((move) => answers.find((each) => each.move === move) ?? []);
  const words =
    "By what each could know then, with the same guesses at what was hidden for their move and the " +
    "strong bot's.";
  const sure = found.every(({ lost }) => lost.low > 0);
  if (found.length === 0) {
    return [
      h(
        "p",
        {},
        state === "done"
          ? "Nobody missed much, as far as can be told."
          : answers.length === 0
            ? "None so far. Moves are judged once all positions are weighed."
            : `None so far, in ${answers.length} of ${answers_total} moves.`,
      ),
    ];
  }
  return [
    h("p", { class: "small muted" }, sure ? words : `None is certain; these may be. ${words}`),
    h(
      "ol",
      { class: "swings" },
      found.map((judged) =>
        row(judged.move, () => go(judged.at), [
          seatBadge(/** @type {Seat} */ (judged.seat)),
          ` ${names[judged.seat]} missed ${percent(judged.lost.share)} of a win `,
          h("span", { class: "muted" }, `(${range(judged.lost)})`),
        ]),
      ),
    ),
  ];
}
