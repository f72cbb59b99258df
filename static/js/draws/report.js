// @ts-check
/* What was found about the draws of a record, in words: for the replay and for the page that takes
   files. It judges here, in the reader's own browser; the server is asked for nothing but the record. */

import { fill, h, write } from "../match/dom.js";
import { Unreadable } from "./reading.js";
import { countsOf, verify } from "./verify.js";

const STATES = {
  verified: "follows from the seed and the nonces",
  supplied: "supplied, not drawn",
  agreed: "agreed on, not drawn",
  unverifiable: "nobody can verify it",
  wrong: "WRONG",
};

const ORIGINS = {
  here: "",
  imported:
    "This record was imported: nobody here saw when the commitment was made, so whoever wrote the record could have chosen its seed to suit.",
  file: "A file does not tell when the commitment was made. Compare it with the one that you noted down as the match began.",
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
function wrongly({ at, label, said, wanted, why }) {
  const says = [`Entry ${at + 1} says `, { code: said }];
  if (why) return [...says, `; ${why}`];
  if (!wanted) return [...says, "; nothing can be said to follow from them."];
  return [...says, ", where the seed and the nonces give ", { code: wanted }, ` (${label}).`];
}

/** @typedef {{kind: string, title: string, lines: Line[]}} Summary the kind of alert, a title, sentences */

/**
 * What is wrong with a record itself, or null.
 * @param {Draws.Verdict} verdict
 * @returns {Summary | null}
 */
function faultIn({ faults, outcomes, stopped }) {
  const kind = "danger";
  if (faults.length > 0) {
    const all = [...faults, "Nothing that was drawn in this match can be believed."];
    return { kind, title: "Wrong: these numbers do not fit", lines: all.map((line) => [line]) };
  }
  const wrong = outcomes.filter(({ state }) => state === "wrong");
  const lines = wrong.map(wrongly);
  if (stopped) {
    const { at, words } = stopped;
    lines.push([`Entry ${at + 1} ${words} What comes after it was not looked at.`]);
  }
  if (wrong.length > 0) {
    const [first] = wrong;
    const count = counted(wrong.length, "draw");
    const title = `Wrong: ${count} came out otherwise, the first at entry ${first.at + 1}`;
    return { kind, title, lines };
  }
  return stopped && { kind, title: `Wrong: entry ${stopped.at + 1} cannot stand`, lines };
}

/**
 * What there is to say of a seat whose nonce was not opened: a server that told its player what was to come
 * left them the choice.
 * @param {string} name
 */
const withheld = (name) =>
  `${name} had committed to a nonce that was not opened, so zeros stand for it. If the server had told them what each of the two would lead to, they could have chosen between them.`;

/**
 * What there is to say of a record in which nothing is wrong.
 * @param {Draws.Verdict} verdict
 * @param {string[]} seats
 * @returns {Summary}
 */
function soundly(verdict, seats) {
  const { derived, outcomes, isAdvantageAgreed } = verdict;
  const counts = countsOf(verdict);
  const suppliers = [...new Set(outcomes.flatMap(({ by }) => by || []))].join(", ");
  /** @type {Line[]} */
  const lines = [];
  if (counts.supplied > 0) {
    const count = counted(counts.supplied, "outcome");
    lines.push([`${count} supplied by an organiser (${suppliers}), not drawn.`]);
  }
  for (const { said } of outcomes.filter(({ state }) => state === "agreed")) {
    lines.push([{ code: said }, " was agreed on before the match, not drawn."]);
  }
  if (isAdvantageAgreed) {
    lines.push(["Who has the advantage was agreed on before the match, not drawn."]);
  }
  if (derived === null && counts.unverifiable > 0) {
    const why =
      "The record holds no seed: the match was played by hand or elsewhere, or here before draws could be verified.";
    return { kind: "warning", title: "Nobody can verify these draws", lines: [[why], ...lines] };
  }
  if (counts.verified === 0) {
    return { kind: "info", title: "Nothing was drawn in this match", lines };
  }
  if (derived?.nonces.every(({ nonce }) => !nonce)) {
    const draws =
      counts.verified === 1 ? "The one draw follows" : `All ${counts.verified} draws follow`;
    const alone = "Whoever chose the seed could have tried many before they committed to one.";
    return {
      kind: "info",
      title: `${draws} from the server's seed; no player added a number`,
      lines: [[alone], ...lines],
    };
  }
  const title =
    counts.verified === 1
      ? "The one draw follows from the seed and the nonces"
      : `All ${counts.verified} draws follow from the seed and the nonces`;
  const shut = (derived?.nonces ?? []).flatMap(({ commitment, nonce }, seat) =>
    commitment && !nonce ? [seats[seat] ?? `Seat ${seat}`] : [],
  );
  if (shut.length > 0) {
    const kept = shut.map((name) => [withheld(name)]);
    return {
      kind: "info",
      title: `${title}; one nonce was not opened`,
      lines: [...kept, ...lines],
    };
  }
  return { kind: "success", title, lines };
}

/**
 * What it all comes to, in one verdict: the worst that is to be said. `found` is what came of comparing
 * the record with what this browser noted, `compared` with what its reader did (see `comparison`).
 * @param {Draws.Verdict} verdict
 * @param {{found?: Draws.Recalled | null, seen?: Draws.Seen, compared?: string, seats?: string[]}} [beside]
 * @returns {Summary}
 */
export function summaryOf(
  verdict,
  { found = null, seen = "here", compared = "", seats = [] } = {},
) {
  const fault = faultIn(verdict);
  const others = [];
  const title = {
    noted: "Wrong: this is not the commitment that you noted down",
    shown: "Wrong: your browser was shown something else",
  };
  if (found !== null && found.wrong.length > 0) {
    others.push({ title: title.shown, lines: found.wrong.map((line) => [line]) });
  }
  if (compared.startsWith("WRONG")) others.push({ title: title.noted, lines: [[compared]] });
  const [first] = [...(fault ? [fault] : []), ...others];
  if (first) {
    const lines = [...(fault?.lines ?? []), ...others.flatMap((each) => each.lines)];
    return { kind: "danger", title: first.title, lines };
  }
  const sound = doubted(soundly(verdict, seats), found);
  if (countsOf(verdict).verified === 0 || !ORIGINS[seen] || compared.startsWith(SAME)) return sound;
  const kind = sound.kind === "success" ? "info" : sound.kind;
  return { ...sound, kind, lines: [[ORIGINS[seen]], ...sound.lines] };
}

/**
 * The same, with what this browser cannot vouch for: then all is not well, whatever follows from what.
 * @param {Summary} sound
 * @param {Draws.Recalled | null} found
 * @returns {Summary}
 */
function doubted(sound, found) {
  if (found === null || found.doubts.length === 0) return sound;
  const kind = found.isGrave ? "warning" : sound.kind === "success" ? "info" : sound.kind;
  return { ...sound, kind, lines: [...found.doubts.map((line) => [line]), ...sound.lines] };
}

/**
 * What each seat has added, in a sentence.
 * @param {Draws.Nonce} nonce
 * @param {Draws.Seen} [seen]
 */
export function addedBy({ commitment, nonce }, seen = "here") {
  const says = seen === "here" ? "" : "by this record, ";
  if (nonce) {
    if (says) return `${says}added a nonce of their own.`;
    return "added a nonce of their own, committed to before anything was known.";
  }
  if (commitment) {
    return `${says}had committed to a nonce and did not open it; zeros stand for it.`;
  }
  return `${says}added nothing; zeros stand for it.`;
}

const SAME = "It is the same";

/**
 * Whether a commitment that a reader has noted down is the one of the record, in a sentence; empty
 * where there is none yet.
 * @param {string} noted
 * @param {string} commitment
 */
export function comparison(noted, commitment) {
  const written = noted.replace(/\s+/g, "").toLowerCase();
  if (!written) return "";
  if (written === commitment) return `${SAME}: this seed was chosen before you noted it down.`;
  if (written.length !== commitment.length) {
    return `A commitment has ${commitment.length} digits; this one has ${written.length}.`;
  }
  return "WRONG: it is another one. The seed was not the one that was committed to when you saw it.";
}

/**
 * What is to be said against the commitment of a record to a nonce, in a sentence; empty where it is what
 * a browser had noted `before`, or where that had noted nothing.
 * @param {Draws.Noted} noted
 * @param {string | null} before
 * @param {Draws.Nonce} given
 * @param {string} whose
 */
function exchanged({ frozen }, before, { commitment = "" }, whose) {
  if (before === null) {
    if (!frozen || !commitment) return "";
    return `WRONG: as your browser opened your nonce it was told that nobody has committed to ${whose}, and the record has a commitment. It may have been made when yours was known.`;
  }
  if (commitment === before) return "";
  const told = commitment ? "the record has another one" : "the record has none";
  return `WRONG: of ${whose} your browser had noted ${before}, and ${told}.`;
}

/**
 * What the nonce of a seat is called.
 * @param {number} seat
 * @param {Draws.Noted} noted
 * @param {string[]} seats
 */
function nonceOf(seat, noted, seats) {
  return seat === noted.seat ? "your own nonce" : `the nonce of ${seats[seat] ?? `seat ${seat}`}`;
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
  /** @type {Draws.Recalled} */
  const found = { wrong: [], same: [], doubts: [], isGrave: false };
  if (derived?.commitment === noted.seed) {
    found.same.push("Your browser had noted the same commitment before the match began.");
  } else {
    const told = derived ? "the record has another one" : "the record has none";
    found.wrong.push(
      `WRONG: before the match began your browser had noted the commitment ${noted.seed}, and ${told}.`,
    );
  }
  for (const [seat, given] of (derived?.nonces ?? []).entries()) {
    compare(found, noted, seat, given, nonceOf(seat, noted, seats));
  }
  return found;
}

/**
 * Add to what was `found` what there is to say of the nonce of a seat.
 * @param {Draws.Recalled} found
 * @param {Draws.Noted} noted
 * @param {number} seat
 * @param {Draws.Nonce} given
 * @param {string} whose
 */
function compare(found, noted, seat, given, whose) {
  const before = noted.nonces[seat];
  const isOwn = seat === noted.seat;
  const isDropped = !given.nonce && noted.opened?.[seat] === true;
  const against = exchanged(noted, before, given, whose);
  const doubt = isOwn && noted.nonce ? missed(noted, given) : { text: "", isGrave: false };
  if (against) found.wrong.push(against);
  else if (isOwn && noted.taken && !given.commitment) {
    found.wrong.push(
      "WRONG: the server had taken the number of your browser, and the record has none.",
    );
  } else if (before !== null && !isDropped && !doubt.text) {
    found.same.push(`It had noted the same commitment to ${whose}.`);
  }
  if (isDropped) {
    found.wrong.push(
      `WRONG: your browser was shown that ${whose} was opened, and the record has none.`,
    );
  } else if (doubt.text && !against) {
    found.doubts.push(doubt.text);
    found.isGrave = doubt.isGrave;
  }
}

const CHOSEN =
  "somebody else chose it: the server, with whoever it is in league with, could then have chosen what was drawn.";
const WITHOUT =
  "The server and your opponent together could have chosen what was drawn: your own number is not in it.";

/**
 * What is to be said of the nonce of one's own seat in a record where it is not the one that this browser
 * chose, in a sentence (empty where it is); `isGrave` where little but a server that cheats explains it.
 * All of it may be honest, and all of it can be what a server says that cheats.
 * @param {Draws.Noted} noted
 * @param {Draws.Nonce} given
 */
function missed({ nonce, own, taken = false, frozen = false }, { nonce: stated, commitment }) {
  if (stated === nonce) return { text: "", isGrave: false };
  const before = taken ? ", though it had added one that was taken" : "";
  if (!stated && commitment && own && commitment !== own) {
    const text = `The record has a commitment for you to a number that this browser did not choose${before}, and that was not opened. If you did not come by another browser, somebody else made it. ${WITHOUT}`;
    return { text, isGrave: taken };
  }
  if (stated) {
    const text = `The record has a number for you that this browser did not choose${before}. If you did not come by another browser, ${CHOSEN}`;
    return { text, isGrave: taken };
  }
  if (frozen) {
    const text =
      "Your browser has sent its number in time, as far as it knows, and the record has none. If the connection was not at fault, the server dropped it, and could with your opponent have chosen what was drawn.";
    return { text, isGrave: true };
  }
  const text = `The nonce that this browser chose is not in the record: it was not opened. ${WITHOUT}`;
  return { text, isGrave: false };
}

/**
 * What is to be said to a player whose own number is not in a record, and whose browser has noted nothing
 * of the match; null where there is nothing to say.
 * @param {Draws.Stated | null} derived
 * @param {number | null} you
 * @returns {Draws.Recalled | null}
 */
export function unvouched(derived, you) {
  const nonces = derived?.nonces ?? [];
  if (you === null || nonces[you]?.nonce || !nonces.some(({ nonce }) => nonce)) return null;
  return { wrong: [], same: [], doubts: [WITHOUT], isGrave: false };
}

/** @param {Draws.Recalled | null} found */
function remembered(found) {
  if (found === null || found.same.length === 0) return null;
  return h("p", { class: "small", data: { noted: "" } }, found.same.join(" "));
}

/**
 * @param {string} commitment
 * @param {(words: string) => void} told hears what comes of it
 */
function comparing(commitment, told) {
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
        told(words);
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

const SHOWN = {
  here: "The match page showed the commitment from before the first decision. Whoever noted it down can see here whether it is still the same one.",
  imported:
    "Whoever noted the commitment down where the match was played can see here whether it is the same one.",
  file: "Where a match is played, its page shows the commitment from before the first decision. Whoever noted it down can see here whether it is the same one.",
};

/**
 * @param {Draws.Stated} derived
 * @param {string[]} seats
 * @param {Draws.Seen} seen
 * @param {(words: string) => void} told
 */
function origin({ seed, commitment, nonces }, seats, seen, told) {
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
        h("dd", {}, addedBy(nonce, seen), nonce.nonce ? h("code", {}, nonce.nonce) : null),
      ]),
    ),
    h("p", { class: "small muted" }, SHOWN[seen]),
    comparing(commitment, told),
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
    const state =
      outcome.state === "supplied" ? `supplied by ${outcome.by}, not drawn` : STATES[outcome.state];
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
 * Show what is to be said of a record. `linked` gives the address of an entry, if it has one, `noted` is
 * what this browser noted of the match, `you` the seat of the reader if they played, `seen` whether it was
 * played here.
 * @param {Element} root
 * @param {Draws.Record} record
 * @param {Draws.Module} module
 * @param {{linked?: (at: number) => string | null, noted?: Draws.Noted | null, you?: number | null, seen: Draws.Seen}} beside
 */
export function show(root, record, module, beside) {
  const { linked = () => null, noted = null, you = null, seen } = beside;
  const verdict = verify(record, module);
  const { derived } = verdict;
  const found = recalled(noted, derived, record.seats) ?? unvouched(derived, you);
  const sum = h("div", { role: "status" });
  const summed = (compared = "") => {
    const { kind, title, lines } = summaryOf(verdict, {
      found,
      seen,
      compared,
      seats: record.seats,
    });
    sum.className = `alert alert--${kind} draws__sum`;
    fill(
      sum,
      h(
        "div",
        { class: "alert__body" },
        h("p", { class: "alert__title" }, title),
        ...lines.map((line) => h("p", { class: "draws__said" }, ...line.map(shown))),
      ),
    );
  };
  summed();
  fill(
    root,
    sum,
    remembered(found),
    ...(verdict.derived ? origin(verdict.derived, record.seats, seen, summed) : []),
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
