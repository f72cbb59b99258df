// @ts-check
/* What a reader is told when something has changed: states in, sentences and sounds out. Pure, so
   that every kind of news can be tried without a page. */

import { eventText, openDecision, resultText, turnLine } from "./words.js";

/**
 * What the reader is asked in a state, or null: one decision may ask several things, one after the
 * other.
 * @param {Pick<Client.State, "view" | "you">} state
 */
export function questionOf({ view, you }) {
  const decision = openDecision(view, you);
  return decision === null ? null : `${decision.id}/${decision.kind}`;
}

/**
 * What can be answered now: nothing while the match is paused.
 * @param {Client.State} state
 */
function openQuestion(state) {
  return state.view.paused ? null : questionOf(state);
}

/**
 * What has happened between two states of the match, `items` being what is new in the log. Gives
 * `{sentences, sound, ended}`: what to read aloud, what to let sound (null for nothing), and
 * whether the match has just come to its end, or to another one than before.
 * @param {Client.State} before
 * @param {Client.State} after
 * @param {Live.LogItem[]} items
 * @param {string[]} names
 * @param {Pick<Boards.Words, "waiting" | "tags">} ruleset
 */
export function newsOf(before, after, items, names, ruleset) {
  const { view, you } = after;
  const events = items.flatMap((item) => item.events);
  const sentences = events.map((event) => eventText(event, names));
  const question = openQuestion(after);
  const asked = question !== null && question !== openQuestion(before);
  const ended = view.phase === "over" && endOf(before) !== endOf(after);
  if (asked) sentences.push(turnLine(view, you, names, { waiting: ruleset.waiting }).text);
  if (ended) sentences.push(resultText(view, names, you, after.log));
  /** @type {Client.Sound | null} */
  let sound = null;
  if (ended) sound = view.result?.winner === you && you !== null ? "won" : "over";
  else if (asked) sound = "yours";
  else if (events.some((event) => ruleset.tags(event).length > 0)) sound = "score";
  else if (events.length > 0) sound = "move";
  return { sentences, sound, ended };
}

/**
 * Whether a state shows what the one before it showed: but for its clocks, which have run on, and for
 * who is there.
 * @param {Client.State} before
 * @param {Client.State} after
 */
export function isSame(before, after) {
  return (
    before.version === after.version &&
    before.you === after.you &&
    shownBy(before) === shownBy(after)
  );
}

/** @param {Client.State} state */
function shownBy({ header, view, log }) {
  const decisions = view.decisions.map((decision) => ({
    ...decision,
    clock: { ...decision.clock, reading_ms: 0 },
  }));
  return JSON.stringify([header, { ...view, decisions }, log]);
}

/** @param {Client.State} state */
function endOf({ view }) {
  return view.phase === "over" ? JSON.stringify(view.result) : null;
}

/**
 * That the opponent has left or come back, for a player; an empty string where neither is so.
 * @param {Client.State} before
 * @param {Client.State} after
 * @param {string[]} names
 */
export function arrivalText(before, after, names) {
  const { you, view } = after;
  if (you === null || view.phase === "over") return "";
  const [was, is] = [before, after].map(({ presence }) => presence?.seats[1 - you]);
  if (was === undefined || was === is) return "";
  return is ? `${names[1 - you]} is here.` : `${names[1 - you]} has left the match's page.`;
}
