// @ts-check
/* What was found about the draws of a record, in words: for the replay and for the page that takes
   files. It judges here, in the reader's own browser; the server is asked for nothing but the record. */

import { fill, h, write } from "../match/dom.js";
import { countsOf, Unreadable, verify } from "./verify.js";

const STATES = {
  verified: "follows from the seed and the nonces",
  supplied: "supplied, not drawn",
  unverifiable: "nobody can verify it",
  wrong: "WRONG",
};

/**
 * @param {number} count
 * @param {string} noun
 */
const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** @typedef {(string | {code: string})[]} Line words, and what stands in a record */

/**
 * @param {Draws.Outcome} outcome
 * @returns {Line}
 */
function wrongly({ at, label, said, wanted }) {
  const says = [`Entry ${at + 1} says `, { code: said }];
  if (!wanted) return [...says, "; nothing of the kind follows from them."];
  return [...says, ", where the seed and the nonces give ", { code: wanted }, ` (${label}).`];
}

/**
 * What it all comes to: the kind of alert, a title and sentences.
 * @param {Draws.Verdict} verdict
 * @returns {{kind: string, title: string, lines: Line[]}}
 */
export function summaryOf(verdict) {
  const { derived, faults, outcomes } = verdict;
  const counts = countsOf(verdict);
  if (faults.length > 0) {
    const all = [...faults, "Nothing that was drawn in this match can be believed."];
    const title = "Wrong: these numbers do not fit";
    return { kind: "danger", title, lines: all.map((line) => [line]) };
  }
  if (counts.wrong > 0) {
    const wrong = outcomes.filter(({ state }) => state === "wrong");
    const [first] = wrong;
    return {
      kind: "danger",
      title: `Wrong: ${counted(counts.wrong, "draw")} came out otherwise, the first at entry ${first.at + 1}`,
      lines: wrong.map(wrongly),
    };
  }
  const suppliers = [...new Set(outcomes.flatMap(({ by }) => by || []))].join(", ");
  const supplied = counts.supplied
    ? [
        [
          `${counted(counts.supplied, "outcome")} supplied by an organiser (${suppliers}), not drawn.`,
        ],
      ]
    : [];
  if (derived === null && counts.unverifiable > 0) {
    const why =
      "The record holds no seed: the match was played by hand or elsewhere, or here before draws could be verified.";
    return { kind: "warning", title: "Nobody can verify these draws", lines: [[why], ...supplied] };
  }
  if (counts.verified === 0) {
    return { kind: "info", title: "Nothing was drawn in this match", lines: supplied };
  }
  if (derived?.nonces.every(({ nonce }) => !nonce)) {
    const draws =
      counts.verified === 1 ? "The one draw follows" : `All ${counts.verified} draws follow`;
    const alone = "Whoever chose the seed could have tried many before they committed to one.";
    return {
      kind: "info",
      title: `${draws} from the server's seed; no player added a number`,
      lines: [[alone], ...supplied],
    };
  }
  return {
    kind: "success",
    title:
      counts.verified === 1
        ? "The one draw follows from the seed and the nonces"
        : `All ${counts.verified} draws follow from the seed and the nonces`,
    lines: supplied,
  };
}

/**
 * What each seat has added, in a sentence.
 * @param {Draws.Nonce} nonce
 */
export function addedBy({ commitment, nonce }) {
  if (nonce) return "added a nonce of their own, committed to before anything was known.";
  if (commitment) {
    return "had committed to a nonce and did not open it in time; zeros stand for it.";
  }
  return "added nothing; zeros stand for it.";
}

/**
 * Whether a commitment that a reader has noted down is the one of the record, in a sentence; empty
 * where there is none yet.
 * @param {string} noted
 * @param {string} commitment
 */
export function comparison(noted, commitment) {
  const written = noted.replace(/\s+/g, "").toLowerCase();
  if (!written) return "";
  if (written === commitment) return "It is the same: this seed was chosen before the match began.";
  if (written.length !== commitment.length) {
    return `A commitment has ${commitment.length} digits; this one has ${written.length}.`;
  }
  return "WRONG: it is another one. The seed was not the one that was committed to when you saw it.";
}

/**
 * What a browser noted as the match began, compared with its record; null where it noted nothing.
 * @param {Draws.Noted | null} noted
 * @param {Draws.Stated | null} derived
 * @param {string[]} seats
 * @returns {Draws.Recalled | null}
 */
export function recalled(noted, derived, seats) {
  if (!noted?.seed) return null;
  const wrong = [];
  const same = [];
  if (derived?.commitment === noted.seed) {
    same.push("Your browser had noted the same commitment before the match began.");
  } else {
    const told = derived ? "the record has another one" : "the record has none";
    wrong.push(
      `WRONG: before the match began your browser had noted the commitment ${noted.seed}, and ${told}.`,
    );
  }
  const whose = (/** @type {number} */ seat) =>
    seat === noted.seat ? "your own nonce" : `the nonce of ${seats[seat] ?? `seat ${seat}`}`;
  for (const [seat, before] of noted.nonces.entries()) {
    if (before === null || derived === null) continue;
    if (derived.nonces[seat]?.commitment === before) {
      same.push(`It had noted the same of ${whose(seat)}.`);
    } else {
      wrong.push(
        `WRONG: of ${whose(seat)} your browser had noted ${before}, and the record has another one.`,
      );
    }
  }
  for (const [seat, { nonce }] of (derived?.nonces ?? []).entries()) {
    if (nonce === noted.nonce) continue;
    if (!nonce && noted.opened?.[seat]) {
      wrong.push(
        `WRONG: your browser was shown that ${whose(seat)} was opened, and the record has none.`,
      );
    } else if (seat === noted.seat && noted.nonce) {
      same.push(
        "The nonce that this browser chose is not in the record: it came too late, or another device of yours came after it.",
      );
    }
  }
  return { wrong, same };
}

/** @param {Draws.Recalled | null} found */
function remembered(found) {
  if (found === null) return null;
  const { wrong, same } = found;
  if (wrong.length === 0) return h("p", { class: "small", data: { noted: "" } }, same.join(" "));
  return h(
    "div",
    { class: "alert alert--danger", role: "alert", data: { noted: "" } },
    h(
      "div",
      { class: "alert__body" },
      h("p", { class: "alert__title" }, "Wrong: your browser was shown something else"),
      ...[...wrong, ...same].map((line) => h("p", { class: "draws__said" }, line)),
    ),
  );
}

/** @param {string} commitment */
function compared(commitment) {
  const said = h("p", { class: "small", role: "status" });
  const field = h("input", {
    class: "input input--mono",
    id: "draws-noted",
    autocomplete: "off",
    spellcheck: "false",
    maxlength: "200",
    on: {
      input: () => {
        const words = comparison(field.value, commitment);
        said.classList.toggle("draws__wrong", words.startsWith("WRONG"));
        write(said, words);
      },
    },
  });
  return h(
    "div",
    { class: "field" },
    h("label", { class: "field__label", for: "draws-noted" }, "The commitment that you noted down"),
    field,
    said,
  );
}

/**
 * @param {Draws.Stated} derived
 * @param {string[]} seats
 */
function origin({ seed, commitment, nonces }, seats) {
  return [
    h(
      "dl",
      { class: "draws__facts" },
      h("dt", {}, "Commitment"),
      h("dd", {}, h("code", {}, commitment)),
      h("dt", {}, "Seed"),
      h("dd", {}, h("code", {}, seed)),
      ...nonces.flatMap((nonce, seat) => [
        h("dt", {}, h("bdi", {}, seats[seat] ?? ""), ` (seat ${seat})`),
        h("dd", {}, addedBy(nonce), nonce.nonce ? h("code", {}, nonce.nonce) : null),
      ]),
    ),
    h(
      "p",
      { class: "small muted" },
      "The match page showed the commitment from before the first decision. Whoever noted it down can see here whether it is still the same one.",
    ),
    compared(commitment),
  ];
}

/**
 * @param {Draws.Outcome[]} outcomes
 * @param {(at: number) => string | null} linked the address of an entry, if it has one
 */
function listed(outcomes, linked) {
  if (outcomes.length === 0) return null;
  const rows = outcomes.map((outcome) => {
    const address = linked(outcome.at);
    const number = String(outcome.at + 1);
    const state = outcome.by ? `supplied by ${outcome.by}, not drawn` : STATES[outcome.state];
    return h(
      "li",
      { class: "draws__item", data: { state: outcome.state } },
      h("span", { class: "draws__entry" }, address ? h("a", { href: address }, number) : number),
      h("span", { class: "draws__said" }, h("code", {}, outcome.said)),
      h(
        "span",
        { class: "draws__state small" },
        outcome.label ? `${outcome.label}: ${state}` : state,
      ),
    );
  });
  return h("ol", { class: "draws__list", "aria-label": "What was drawn, by entry" }, ...rows);
}

/** @param {Line[number]} part */
const shown = (part) => (typeof part === "string" ? part : h("code", {}, part.code));

/**
 * Show what is to be said of a record.
 * @param {Element} root
 * @param {Draws.Record} record
 * @param {Draws.Rules} rules
 * @param {(at: number) => string | null} [linked]
 * @param {Draws.Noted | null} [noted] what this browser noted of the match
 */
export function show(root, record, rules, linked = () => null, noted = null) {
  const verdict = verify(record, rules);
  const { kind, title, lines } = summaryOf(verdict);
  fill(
    root,
    h(
      "div",
      { class: `alert alert--${kind} draws__sum`, role: "status" },
      h(
        "div",
        { class: "alert__body" },
        h("p", { class: "alert__title" }, title),
        ...lines.map((line) => h("p", {}, ...line.map(shown))),
      ),
    ),
    remembered(recalled(noted, verdict.derived, record.seats)),
    ...(verdict.derived ? origin(verdict.derived, record.seats) : []),
    listed(verdict.outcomes, linked),
  );
}

/**
 * Say what keeps a record from being looked at.
 * @param {Element} root
 * @param {unknown} error
 */
export function showFailure(root, error) {
  const words =
    error instanceof Unreadable ? error.message : "The record could not be read. Please try again.";
  fill(root, h("p", { class: "alert alert--danger", role: "alert" }, words));
}
