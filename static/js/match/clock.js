// @ts-check
/* Clocks as arithmetic over what the server said and the time that has passed since. Nothing here
   reads a clock or touches the page. All times are milliseconds on the server's clock. The numbers
   are for show: whether a submission was in time is the server's to say. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Turn time is called low from here on, or from its last quarter where that is shorter. */
const LOW = 15 * SECOND;

/**
 * One seat's clock at instant `now`, out of a match view that was made at instant `at`.
 *
 * `state` is `idle` (nothing to decide), `running`, `low` (little turn time left), `reserve`
 * (turn time is used up), `out`, or `paused`. `turn` and `reserve` are the time left of
 * either, `turn` null while there is nothing to decide; `total` is that of both where the decision
 * may use the reserve; `kept` is the reserve that an answer now would leave: where the reserve is
 * charged in intervals it is less than the time that is left of it; `share` is the part of the turn time that is left, 0 to 1.
 * @param {Pick<Live.View, "reserve_ms" | "decisions" | "paused" | "phase">} view
 * @param {Seat} seat
 * @param {number} at
 * @param {number} now
 * @returns {Client.SeatClock}
 */
export function seatClock(view, seat, at, now) {
  const reserve = view.reserve_ms[seat];
  const decision = view.decisions.find((open) => open.seat === seat);
  if (decision === undefined) {
    const state = view.paused && view.phase !== "over" ? "paused" : "idle";
    return { state, turn: null, reserve, kept: reserve, total: null, share: 0, usesReserve: false };
  }
  const clock = decision.clock;
  const reading = clock.reading_ms + (clock.running ? Math.max(0, now - at) : 0);
  const over = Math.max(0, reading - clock.turn_ms);
  if (clock.lingers && over > 0) {
    // From here on it lasts as long as the other seat's decision: there is no telling how long.
    const state = view.paused ? "paused" : "idle";
    return { state, turn: null, reserve, kept: reserve, total: null, share: 0, usesReserve: false };
  }
  const turn = Math.max(0, clock.turn_ms - reading);
  const left = clock.reserve ? Math.max(0, reserve - over) : reserve;
  return {
    state: stateOf(clock, view.paused, turn, over, reserve),
    turn,
    reserve: left,
    kept: reserve - (clock.reserve ? spent(over, clock.interval_ms, reserve) : 0),
    total: turn + (clock.reserve ? left : 0),
    share: clock.turn_ms === 0 ? 0 : turn / clock.turn_ms,
    usesReserve: clock.reserve,
  };
}

/**
 * @param {number} over
 * @param {number} interval
 * @param {number} reserve
 */
function spent(over, interval, reserve) {
  const charged = interval > 0 ? Math.ceil(over / interval) * interval : over;
  return Math.min(charged, reserve);
}

/**
 * @param {Live.Clock} clock
 * @param {boolean} paused
 * @param {number} turn
 * @param {number} over
 * @param {number} reserve
 * @returns {Client.SeatClock["state"]}
 */
function stateOf(clock, paused, turn, over, reserve) {
  if (paused || !clock.running) return "paused";
  if (turn > Math.min(LOW, clock.turn_ms / 4)) return "running";
  if (turn > 0) return "low";
  if (over === 0) return "low";
  return clock.reserve && over <= reserve ? "reserve" : "out";
}

/**
 * The time that a clock's face shows: the turn's, then the reserve's, then nothing.
 * @param {Client.SeatClock} clock
 * @returns {number | null}
 */
export function shown(clock) {
  if (clock.turn === null) return null;
  if (clock.turn > 0) return clock.turn;
  return clock.usesReserve ? clock.reserve : 0;
}

/**
 * A span as a clock shows it: `2 d 4 h`, `1:02:03`, `1:05`, and tenths in the last ten seconds.
 * Rounded up, so that a clock shows zero only when nothing is left.
 * @param {number} ms
 */
export function clockFace(ms) {
  if (ms >= 2 * DAY) {
    const hours = Math.ceil(ms / HOUR);
    return `${Math.floor(hours / 24)} d ${hours % 24} h`;
  }
  if (ms > 0 && ms < 10 * SECOND) {
    const tenths = Math.ceil(ms / 100);
    if (tenths < 100) return `${Math.floor(tenths / 10)}.${tenths % 10}`;
  }
  const seconds = Math.ceil(ms / SECOND);
  /** @param {number} number */
  const two = (number) => String(number).padStart(2, "0");
  if (seconds >= 3600) {
    return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  }
  return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
}

/**
 * A span in words, for being read aloud: `2 minutes 5 seconds`, `3 days 4 hours`.
 * @param {number} ms
 */
export function spoken(ms) {
  const spans = /** @type {[number, string][]} */ ([
    [Math.floor(ms / DAY), "day"],
    [Math.floor(ms / HOUR) % 24, "hour"],
    [Math.floor(ms / MINUTE) % 60, "minute"],
    [Math.floor(ms / SECOND) % 60, "second"],
  ]);
  const parts = spans.filter(([count]) => count > 0);
  if (parts.length === 0) return "0 seconds";
  return parts
    .slice(0, 2)
    .map(([count, unit]) => `${count} ${unit}${count === 1 ? "" : "s"}`)
    .join(" ");
}

/**
 * How long until a clock that shows `ms` has to be drawn again.
 * @param {number} ms
 */
export function untilChange(ms) {
  if (ms <= 0) return SECOND;
  const step = ms <= 10 * SECOND ? 100 : SECOND;
  return Math.min(SECOND, ms % step === 0 ? step : ms % step) + 5;
}

/**
 * @typedef {object} Sample
 * @property {number} offset how far the server's clock is ahead, in ms
 * @property {number} doubt how wrong that can be, in ms
 */

/**
 * What is known of the difference between the server's clock and this one, from pings.
 *
 * A ping that took long says little, so the quickest of the last few counts. One that contradicts
 * the estimate by more than either can be wrong means that this computer's clock was set (or that
 * it slept): what was known before is dropped.
 */
export class ServerTime {
  static #KEPT = 8;

  constructor() {
    this.offset = 0;
    this.known = false;
    /** @type {Sample[]} */
    this.samples = [];
  }

  /**
   * A first guess from a frame that the server made at `serverAt` and that arrived at `at`.
   * @param {number} serverAt
   * @param {number} at
   */
  guess(serverAt, at) {
    if (!this.known) this.offset = serverAt - at;
  }

  /**
   * A ping sent at `sent` and answered at `received` (here) by the server at `serverAt`.
   * @param {number} sent
   * @param {number} received
   * @param {number} serverAt
   */
  measure(sent, received, serverAt) {
    const sample = { offset: serverAt - (sent + received) / 2, doubt: (received - sent) / 2 };
    if (sample.doubt < 0) return;
    const best = this.#best();
    if (best && Math.abs(best.offset - sample.offset) > best.doubt + sample.doubt + 50) {
      this.samples = [];
    }
    this.samples.push(sample);
    if (this.samples.length > ServerTime.#KEPT) this.samples.shift();
    this.offset = (this.#best() ?? sample).offset;
    this.known = true;
  }

  /**
   * The server's time when this computer's clock shows `at`.
   * @param {number} at
   */
  at(at) {
    return at + this.offset;
  }

  #best() {
    /** @type {Sample | null} */
    let best = null;
    for (const sample of this.samples) {
      if (best === null || sample.doubt <= best.doubt) best = sample;
    }
    return best;
  }
}
