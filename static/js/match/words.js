// @ts-check
/* What the page says about a match, as sentences. Pure: views in, words out. */

/* What is known of a ruleset whose board could not be loaded. */
/** @type {Boards.Words} */
export const WITHOUT_BOARD = {
  waiting: {},
  examples: {},
  scores: () => null,
  tags: () => [],
  caption: () => "",
  because: () => "",
};

/**
 * The names of both seats; seats that share a name are told apart by their place.
 * @param {Pick<Live.Header, "seats">} header
 * @returns {string[]}
 */
export function namesOf(header) {
  const [first, second] = header.seats.map(
    (seat, index) => seat.name || ["First player", "Second player"][index],
  );
  return first === second ? [`${first} (1)`, `${second} (2)`] : [first, second];
}

/**
 * An event of the log as a sentence.
 * @param {Live.LogEvent} event
 * @param {string[]} names
 */
export function eventText(event, names) {
  if (event.seat === null || event.seat === undefined || event.kind === "organiser") {
    const why = event.kind === "organiser" ? event.data?.why : "";
    const whose =
      event.kind === "organiser" && event.seat !== null ? ` (${names[event.seat]})` : "";
    const text = sentence(whose ? event.text.replace(/\.$/, whose) : event.text);
    return why ? `${text} Reason: ${why}` : text;
  }
  const text = `${names[event.seat]} ${event.text}`;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** @param {string} text */
function sentence(text) {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

/**
 * An answer that is in and stays as it is.
 * @param {Live.Decision} decision
 */
function isSealed(decision) {
  return typeof decision.sealed === "string" && !decision.changeable;
}

/**
 * One's own decision that can be answered now, or null.
 * @param {Live.View} view
 * @param {Seat | null} you
 */
export function openDecision(view, you) {
  if (you === null || view.phase === "over") return null;
  const mine = view.decisions.find((decision) => decision.seat === you);
  return mine === undefined || isSealed(mine) ? null : mine;
}

/**
 * Whose decision it is, in one sentence. `waiting` has the ruleset's words for its kinds of
 * decision, `dispute` its sentence while a ruling is awaited, `there` who looks at the match, `own` what the number hashes to that this
 * browser has added to the draws. Gives `{state, text}`: `state` is `yours`, `sending`, `theirs`, `paused` or `over`.
 * @param {Live.View} view
 * @param {Seat | null} you
 * @param {string[]} names
 * @param {{waiting?: Record<string, string>, sending?: boolean, dispute?: string, there?: boolean[], own?: string}} [more]
 */
export function turnLine(
  view,
  you,
  names,
  { waiting = {}, sending = false, dispute, there = [false, false], own } = {},
) {
  if (view.phase === "over") return { state: "over", text: "The match is over." };
  if (view.phase === "waiting" && view.waiting) {
    const text = waitingText(view.waiting, you, names, there, view.draws, own);
    return { state: "theirs", text: `${displacedText(view.draws, you, own)}${text}` };
  }
  if (view.phase === "lot") return { state: "theirs", text: "The advantage is drawn by lot." };
  if (view.paused) {
    return { state: "paused", text: "The organiser has paused the match. All clocks stand still." };
  }
  const mine = you === null ? undefined : view.decisions.find(({ seat }) => seat === you);
  const theirs = view.decisions.filter(({ seat }) => seat !== you);
  if (you !== null && mine !== undefined && isSealed(mine)) {
    const text = `Your choice is in: ${mine.sealed}. Waiting for ${names[1 - you]}.`;
    return { state: "theirs", text };
  }
  if (mine !== undefined) {
    if (sending) return { state: "sending", text: "Sending your choice…" };
    if (typeof mine.sealed === "string") {
      return {
        state: "theirs",
        text: `Your choice is in: ${mine.sealed}. You can still change it.`,
      };
    }
    return { state: "yours", text: `Your decision: ${sentence(mine.prompt)}` };
  }
  if (theirs.length > 0) return { state: "theirs", text: theirsText(theirs, names, waiting) };
  if (view.ruling) {
    return {
      state: "paused",
      text: dispute ?? "An organiser has to rule. All clocks stand still.",
    };
  }
  return { state: "theirs", text: "The match goes on in a moment." };
}

/**
 * What a player is told whose browser has added a number (`own`: what it hashes to), where another stands
 * for them now. It may be another browser of theirs; that is just what a server says that cheats.
 * @param {Live.Draws | undefined} draws
 * @param {Seat | null} you
 * @param {string} [own]
 */
function displacedText(draws, you, own) {
  const stands = you === null ? null : draws?.nonces[you].commitment;
  if (!own || !stands || stands === own) return "";
  return "Another browser has added a number for you, not this one: if that was not you, note it down. ";
}

/**
 * What a match's draws follow from, in a line: as the page has it, see `draws_words` there.
 * @param {Live.View} view
 * @param {Seat | null} [you]
 */
export function drawsWords({ draws, waiting }, you = null) {
  if (draws === undefined || waiting !== undefined) return "Draws can be verified";
  if (draws.nonces.some(({ opened }) => opened)) {
    if (you === null || draws.nonces[you].opened) return "Draws can be verified";
    return "Draws can be verified, but your own number is not in them: the server and your opponent together could have chosen";
  }
  return "Draws follow from the server's seed; no player added a number";
}

/**
 * What one or both players are doing.
 * @param {Live.Decision[]} decisions
 * @param {string[]} names
 * @param {Record<string, string>} waiting
 */
function theirsText(decisions, names, waiting) {
  const [first, second] = decisions;
  if (second?.kind === first.kind) return `Both players are ${doing(first, waiting)}.`;
  const said = decisions.map((each) => `${names[each.seat]} is ${doing(each, waiting)}`);
  return `${said.join(", and ")}.`;
}

/**
 * Whom a match waits for whose players need not be there together. Numbers are opened by the browsers
 * that have added them: whoever comes by another one is told so.
 * @param {NonNullable<Live.View["waiting"]>} waiting
 * @param {Seat | null} you
 * @param {string[]} names
 * @param {Live.Draws} [draws]
 * @param {string} [own]
 */
function inTurns(waiting, you, names, draws, own) {
  const { until, ready, opens_until: opens } = waiting;
  const clock = new Date(until).toLocaleString("en-GB", {
    dateStyle: "medium",
    timeStyle: "short",
  });
  const latest = `It begins at ${clock} at the latest; no clock runs before.`;
  const opening = opens !== undefined || ready.every(Boolean);
  const isShut = (/** @type {number} */ seat) => {
    const nonce = draws?.nonces[seat];
    if (waiting.without?.[seat]) return false;
    return opening && Boolean(ready[seat] && nonce?.commitment) && !nonce?.opened;
  };
  const others = [0, 1].filter((seat) => seat !== you);
  const named = (/** @type {number[]} */ seats) => seats.map((seat) => names[seat]).join(" and ");
  const absent = named(others.filter((seat) => !ready[seat]));
  const again = named(others.filter(isShut));
  // As long as nobody has begun to open numbers, another browser may add one instead.
  const how = opens === undefined ? "again" : "again, with the same browser";
  const said = [];
  // This browser's own is on its way.
  const isHere = you !== null && own !== undefined && draws?.nonces[you].commitment === own;
  if (you !== null && opens !== undefined && isShut(you) && !isHere) {
    said.push(
      "Your number is opened by the browser that added it: look in with that, or begin without it.",
    );
  }
  if (absent) said.push(`Waiting for ${absent} to look in.`);
  if (again) said.push(`Waiting for ${again} to look in ${how}.`);
  return [...(said.length > 0 ? said : ["The match begins in a moment."]), latest].join(" ");
}

/**
 * Whom a match waits for before it begins, and what follows if they do not come.
 * @param {NonNullable<Live.View["waiting"]>} waiting
 * @param {Seat | null} you
 * @param {string[]} names
 * @param {boolean[]} there
 * @param {Live.Draws} [draws]
 * @param {string} [own]
 */
function waitingText(waiting, you, names, there, draws, own) {
  if (waiting.gathers_until !== undefined) return inTurns(waiting, you, names, draws, own);
  const { until, ready, opens_until: opens, certain } = waiting;
  if (opens !== undefined) return "Both players are here. The match begins in a moment.";
  const missing = [0, 1]
    .filter((seat) => seat !== you && !there[seat] && !ready[seat])
    .map((seat) => names[seat]);
  const whom =
    missing.length === 0 ? "Both players are here." : `Waiting for ${missing.join(" and ")}.`;
  const clock = new Date(until).toLocaleTimeString("en-GB");
  if (certain) return `${whom} The clocks start when both are here, at ${clock} at the latest.`;
  return `${whom} The clocks start when both are here; if that is not so by ${clock}, the match is void.`;
}

/**
 * @param {Live.Decision} decision
 * @param {Record<string, string>} waiting
 */
function doing(decision, waiting) {
  return waiting[decision.kind] ?? "deciding";
}

/**
 * Whether a match was void by itself: nobody ruled that.
 * @param {Pick<Live.LogItem, "events">[]} log
 */
export function voidedByItself(log) {
  return log.some((item) =>
    item.events.some(({ kind, data }) => kind === "organiser" && data?.by === ""),
  );
}

/**
 * Who won and why, out of a view that is over: as the game has it, to the players themselves in the
 * second person. The log tells who voided it.
 * @param {Pick<Live.View, "result" | "told">} view
 * @param {string[]} names
 * @param {Seat | null} [you]
 * @param {Pick<Live.LogItem, "events">[]} [log]
 */
export function resultText({ result, told }, names, you = null, log = []) {
  if (result === null) return "The match is over.";
  const { winner, scores } = result;
  if (winner === null && voidedByItself(log)) {
    return "The match is void: it never began.";
  }
  if (winner === null) return "The match was voided by the organiser: nobody has won.";
  if (told === undefined) return `${names[winner]} won.`;
  const about = you ?? winner;
  const reader = you === null ? "room" : you === winner ? "winner" : "loser";
  return filledIn(told[reader], {
    winner: names[winner],
    loser: names[1 - winner],
    own: number(scores[about]),
    other: number(scores[1 - about]),
  });
}

/**
 * A number as people read it: thousands apart.
 * @param {number} value
 */
export function number(value) {
  return value.toLocaleString("en-GB");
}

/**
 * A text with its `{words}` put in.
 * @param {string} text
 * @param {Record<string, string | number>} words
 */
function filledIn(text, words) {
  return text.replace(/\{(\w+)\}/g, (_, /** @type {string} */ word) => String(words[word]));
}

/**
 * The reason that the organiser gave for ending the match, or an empty string.
 * @param {Pick<Live.LogItem, "events">[]} log
 */
export function rulingReason(log) {
  for (const item of [...log].reverse()) {
    for (const event of item.events) {
      if (event.kind === "organiser" && event.data?.why) return event.data.why;
    }
  }
  return "";
}

/**
 * A reminder in words, e.g. `Ada has 15 seconds left.` or `You are using your reserve.`
 * @param {Pick<Live.Reminder, "kind" | "seat" | "left">} reminder
 * @param {Seat | null} you
 * @param {string[]} names
 * @param {(ms: number) => string} spoken
 */
export function reminderText(reminder, you, names, spoken) {
  const { kind, seat, left } = reminder;
  const mine = seat === you && you !== null;
  const who = seat === null ? "Both players" : mine ? "You" : names[seat];
  const have = seat === null || mine ? "have" : "has";
  if (kind === "turn") return `${who} ${have} ${spoken(left)} left.`;
  if (kind === "reserve-entered") {
    const is = seat === null || mine ? "are" : "is";
    return `${who} ${is} using the reserve now: ${spoken(left)}.`;
  }
  return `${who} ${have} ${spoken(left)} of reserve left.`;
}
