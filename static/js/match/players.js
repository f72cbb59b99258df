// @ts-check
/* The two players with their clocks, scores and presence. */

import { seatBadge } from "../boards/kit.js";
import { clockFace, seatClock, shown, spoken, untilChange } from "./clock.js";
import { fill, h, icon, write } from "./dom.js";
import { number } from "./words.js";

const REMINDED = 8_000; // how long a reminder stays, where its decision does
const MEASURED = 500; // the server's time may be measured anew by so much: nobody was given any then

export class Players {
  /**
   * `root` gets one card a seat; `now()` is the server's time.
   * @param {Element} root
   * @param {{now: () => number}} tools
   */
  constructor(root, { now }) {
    this.now = now;
    this.cards = [0, 1].map((seat) => new PlayerCard(seat));
    /** @type {Client.State | null} */
    this.state = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    fill(
      root,
      this.cards.map((card) => card.root),
    );
  }

  /**
   * Show a state of the match; the clocks run on by themselves from then on.
   * @param {Client.State} state
   * @param {string[]} names
   * @param {number[] | null} scores
   */
  update(state, names, scores) {
    this.state = state;
    this.cards.forEach((card, seat) => card.update(state, names[seat], scores?.[seat] ?? null));
    this.tick();
  }

  /** Draw the clocks, and again when one of them has to show something else. */
  tick() {
    clearTimeout(this.timer);
    if (this.state === null) return;
    const { view, at } = this.state;
    const now = this.now();
    const waits = this.cards.map((card, seat) => card.tick(seatClock(view, seat, at, now)));
    const next = Math.min(...waits);
    if (Number.isFinite(next)) this.timer = setTimeout(() => this.tick(), next);
  }

  /**
   * Show with whom time is running out, and have it told by `tell(reminder)` where there is still
   * anybody with whom it is. What `tell` returns takes that back, once it is so no more.
   * @param {Live.Reminder} reminder
   * @param {(reminder: Live.Reminder) => () => void} tell
   */
  remind(reminder, tell) {
    const { seat } = reminder;
    const told = this.cards.filter(
      (card) => card.asked !== null && (seat === null || seat === card.seat),
    );
    if (told.length === 0) return;
    const takeBack = tell({ ...reminder, seat: told.length > 1 ? null : told[0].seat });
    for (const card of told) card.remind(reminder, takeBack);
  }
}

/**
 * What the reader was reminded of.
 * @typedef {object} Reminded
 * @property {string | null} asked what the clock was about then
 * @property {Live.Reminder["kind"]} kind
 * @property {number} from more time than that is not what it was about any more, in ms
 * @property {() => void} takeBack
 */

class PlayerCard {
  /** @param {Seat} seat */
  constructor(seat) {
    this.seat = seat;
    this.name = h("h2", { class: "clock__name" });
    this.tags = h("span", { class: "player__tags" });
    this.here = h("span", { class: "presence__words" });
    this.presence = h("span", { class: "presence" }, this.here);
    this.time = h("p", { class: "clock__time keeps-room", role: "timer" });
    this.reserve = h("p", { class: "clock__reserve" });
    this.reserveWords = "";
    this.bar = h("progress", {
      class: "clock__bar keeps-room",
      max: "1",
      value: "0",
      "aria-hidden": "true",
    });
    this.score = h("p", { class: "player__score keeps-room" });
    this.winner = h("span", { class: "tag tag--success", hidden: true }, icon("trophy"), "Winner");
    this.reminder = h("p", { class: "player__reminder", hidden: true });
    /** @type {Client.SeatClock | null} */
    this.clock = null; // as it was drawn last
    this.over = false;
    this.waits = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.reminderTimer = undefined;
    /** @type {string | null} */
    this.asked = null; // what the clock is about: the decision that is open, and not paused
    /** @type {Reminded | null} */
    this.reminded = null;
    this.root = h(
      "section",
      { class: "clock player", data: { seat: String(seat), state: "idle" } },
      h("div", { class: "clock__head" }, seatBadge(seat), this.name, this.tags),
      this.time,
      h("div", { class: "player__line" }, this.winner, this.presence, this.reserve, this.reminder),
      this.bar,
      this.score,
    );
  }

  /**
   * @param {Client.State} state
   * @param {string} name
   * @param {number | null} score
   */
  update({ view, you, presence, header }, name, score) {
    const { username } = header.seats[this.seat];
    write(this.name, name);
    if (username) this.name.title = `@${username}`;
    this.root.toggleAttribute("data-you", you === this.seat);
    const tags = [];
    if (you === this.seat) tags.push(h("span", { class: "tag tag--accent" }, "You"));
    if (view.advantage === this.seat) {
      const words = { class: "tag player__advantage", title: "Has the advantage" };
      tags.push(h("span", words, "Advantage"));
    }
    fill(this.tags, tags);
    // In the place of what is over with the match, so that the card stays as large as it is.
    const won = view.result !== null && view.result.winner === this.seat;
    this.winner.hidden = !won;
    const bot = header.practice && you !== this.seat; // which is always there
    const here = bot || presence?.seats[this.seat] ? "here" : "away";
    this.presence.dataset.state = presence === null ? "unknown" : here;
    write(this.here, bot ? "bot" : presence === null ? "…" : here);
    this.presence.hidden = view.phase === "over";
    this.score.hidden = score === null;
    if (score !== null) {
      fill(
        this.score,
        h("strong", {}, number(score)),
        h("span", { class: "clock__word" }, ` ${score === 1 ? "point" : "points"}`),
      );
    }
    const decision = view.decisions.find((open) => open.seat === this.seat);
    // A choice that is in is known to be by its own player alone: to all others time runs on.
    const made = typeof decision?.sealed === "string";
    this.asked =
      decision === undefined || made || view.paused ? null : `${decision.id}/${decision.kind}`;
    if (this.reminded !== null && this.asked !== this.reminded.asked) this.#forget();
    this.root.dataset.active = String(view.decisions.some((open) => open.seat === this.seat));
    this.over = view.phase === "over";
    this.waits = view.phase === "waiting";
  }

  /**
   * Show a clock; gives how long it stays right in ms (Infinity while it stands still).
   * @param {Client.SeatClock} clock
   */
  tick(clock) {
    this.clock = clock;
    if (this.reminded !== null && timeLeft(clock, this.reminded.kind) > this.reminded.from) {
      this.#forget();
    }
    const face = shown(clock);
    this.root.dataset.state = clock.state;
    this.time.hidden = face === null;
    this.bar.hidden = face === null;
    if (face !== null) {
      const written = clock.state === "out" ? "0:00" : clockFace(face);
      write(this.time, written);
      this.time.toggleAttribute("data-long", written.length > 5);
      const words = clock.state === "reserve" ? "of reserve left" : "left";
      const label =
        clock.state === "paused" ? `paused at ${spoken(face)}` : `${spoken(face)} ${words}`;
      this.time.setAttribute("aria-label", label);
      this.bar.value = clock.state === "reserve" ? 0 : clock.share;
    }
    this.#drawReserve(this.#reserveWords(clock));
    const moves = ["running", "low", "reserve"].includes(clock.state);
    return moves ? untilChange(face ?? 0) : Infinity;
  }

  /**
   * The words between asterisks are seen where there is room for them, and always read.
   * @param {Client.SeatClock} clock
   */
  #reserveWords(clock) {
    if (this.over || this.waits) return "";
    if (clock.state === "reserve") {
      if (clock.kept === clock.reserve) return "*using the *reserve";
      return `*using the *reserve · ${clockFace(clock.kept)}* of it left after this*`;
    }
    if (clock.state === "out") return "time is over";
    if (clock.turn !== null && !clock.usesReserve) return "*no reserve now*";
    return `+ ${clockFace(Math.ceil(clock.reserve / 1000) * 1000)}* reserve*`;
  }

  /** @param {string} words */
  #drawReserve(words) {
    if (this.reserveWords === words) return;
    this.reserveWords = words;
    const parts = words.split("*");
    fill(
      this.reserve,
      parts.map((part, n) => (n % 2 === 1 ? h("span", { class: "clock__word" }, part) : part)),
    );
    this.reserve.title = parts.join(""); // on a narrow card it may be cut off
  }

  /**
   * Over the line that it says more about, so that nothing has to move for it.
   * @param {Pick<Live.Reminder, "kind" | "left">} reminder
   * @param {() => void} takeBack
   */
  remind({ kind, left }, takeBack) {
    this.#forget();
    const from = Math.max(left, this.clock === null ? 0 : timeLeft(this.clock, kind)) + MEASURED;
    this.reminded = { asked: this.asked, kind, from, takeBack };
    const of = kind === "turn" ? "left" : kind === "reserve" ? "of reserve left" : "of reserve";
    fill(this.reminder, icon("clock"), `${spoken(left)} ${of}`);
    this.reminder.hidden = false;
    this.reminderTimer = setTimeout(() => this.#forget(), REMINDED);
    this.#flash();
  }

  #forget() {
    clearTimeout(this.reminderTimer);
    this.reminded?.takeBack();
    this.reminded = null;
    this.reminder.hidden = true;
    fill(this.reminder);
    this.root.classList.remove("player--flash");
  }

  #flash() {
    this.root.classList.remove("player--flash");
    void this.root.offsetWidth; // starts the animation anew
    this.root.classList.add("player--flash");
  }
}

/**
 * What a reminder of a kind is about: the turn time that is left, or with it what is left of the
 * reserve.
 * @param {Pick<Client.SeatClock, "turn" | "total">} clock
 * @param {Live.Reminder["kind"]} kind
 */
function timeLeft({ turn, total }, kind) {
  return (kind === "turn" ? turn : total) ?? 0;
}
