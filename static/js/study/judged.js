// @ts-check
/* What the strong bot would have played, beside what was: both judged by what the seat could know. */

import { h } from "../match/dom.js";
import { seatBadge } from "../boards/kit.js";
import { percent, withRange } from "./graph.js";

/**
 * What was missed with a move, in a sentence.
 * @param {Api.Judgement} judged
 */
export function missed({ played, best, lost }) {
  if (played === best) return "The strong bot plays the same.";
  const range = `${Math.round(Math.max(lost.low, 0) * 100)} to ${percent(lost.high)}`;
  if (lost.low > 0) return `That missed ${percent(lost.share)} (${range}).`;
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
    const { seat, played, best, played_worth, best_worth } = judged;
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
          "aria-pressed": String(shown(judged) === which),
          on: { click: () => show(judged, which) },
        },
        words,
      );
    return h(
      "div",
      { class: "judged", "data-seat": seat },
      h("h3", { class: "judged__title" }, seatBadge(seat), " ", `${names[seat]}'s choice here`),
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
 * The moves with which most was missed, as links to where they were chosen.
 * @param {Api.Study} study
 * @param {string[]} names
 * @param {(step: number) => void} go
 */
export function swingsOf({ swings, answers, state }, names, go) {
  const found = swings.flatMap((move) => answers.find((each) => each.move === move) ?? []);
  const words =
    "By what each could know then, in hidden things too: by the same guesses for both moves. The " +
    "graph knows everything, so it may stand otherwise.";
  if (found.length === 0) {
    return [
      h(
        "p",
        {},
        state === "done"
          ? "Nobody surely missed anything."
          : "None so far. Moves are looked at once all positions are.",
      ),
    ];
  }
  return [
    h("p", { class: "small muted" }, words),
    h(
      "ol",
      { class: "swings" },
      found.map((judged) =>
        h(
          "li",
          {},
          h(
            "button",
            { type: "button", class: "swings__swing", on: { click: () => go(judged.at) } },
            h("span", { class: "log__number numbers" }, `Move ${judged.move}`),
            h(
              "span",
              {},
              `${names[judged.seat]} missed ${percent(judged.lost.share)} `,
              h(
                "span",
                { class: "muted" },
                `(${Math.round(judged.lost.low * 100)} to ${percent(judged.lost.high)})`,
              ),
            ),
          ),
        ),
      ),
    ),
  ];
}
