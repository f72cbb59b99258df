// @ts-check
/* What a player has planned, and that it is kept: candidates with what is drawn on the boards, undo and
   redo, and a server that keeps it between devices. Knows neither the page nor any board. */

/** As many as the server keeps. */
export const MOST = {
  candidates: 4,
  items: 80,
  note: 2000,
  points: 60,
  name: 40,
  text: 120,
  wanted: 100,
};

const SAVE_AFTER = 1_000; // milliseconds in which more may change
const AGAIN_AFTER = 10_000; // and until it is tried again
const NAMES = "ABCD";

/** @type {Plans.Content} */
export const NOTHING = {
  version: 1,
  candidates: [],
  shown: 0,
  note: "",
  premove: null,
  wanted: [],
};

/**
 * Whether two values hold the same.
 * @param {unknown} one
 * @param {unknown} other
 */
function isSame(one, other) {
  return one === other || stamp(one) === stamp(other);
}

/** @param {unknown} value */
function stamp(value) {
  return JSON.stringify(value, (_, /** @type {unknown} */ held) => {
    if (held === null || typeof held !== "object" || Array.isArray(held)) return held;
    const entries = /** @type {[string, unknown][]} */ (Object.entries(held));
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/**
 * What is in `of` and not in `without`, each as often as it is there more often.
 * @param {readonly Plans.Item[]} of
 * @param {readonly Plans.Item[]} without
 */
function less(of, without) {
  const gone = without.map(stamp);
  return of.filter((item) => {
    const at = gone.indexOf(stamp(item));
    if (at >= 0) gone.splice(at, 1);
    return at < 0;
  });
}

/**
 * Two devices went on from `base`: what the other one has kept meanwhile holds, and what was put in
 * or taken away here and is not kept yet is done to it as well.
 * @param {Plans.Content} base
 * @param {Plans.Content} mine
 * @param {Plans.Content} theirs
 * @returns {Plans.Content}
 */
export function merged(base, mine, theirs) {
  /**
   * @template T
   * @param {T} before
   * @param {T} here
   * @param {T} there
   */
  const newer = (before, here, there) => (isSame(before, there) ? here : there);
  const count = Math.max(mine.candidates.length, theirs.candidates.length);
  const candidates = Array.from({ length: count }, (_, index) => {
    const [before, here, there] = [base, mine, theirs].map(({ candidates: all }) => all.at(index));
    // Taken away by one of them, and untouched by the other one.
    if (here === undefined) {
      return before === undefined || !isSame(before, there) ? there : undefined;
    }
    if (there === undefined) {
      return before === undefined || !isSame(before, here) ? here : undefined;
    }
    const old = before ?? { name: there.name, items: [] };
    const items = [...less(there.items, less(old.items, here.items))];
    const added = less(less(here.items, old.items), less(there.items, old.items));
    return {
      name: newer(old.name, here.name, there.name),
      items: [...items, ...added].slice(0, MOST.items),
    };
  }).filter((each) => each !== undefined);
  const shown = newer(base.shown, mine.shown, theirs.shown);
  // In the order of whoever has changed it; what only one of them has put in comes last.
  const wanted = isSame(base.wanted, mine.wanted)
    ? theirs.wanted
    : [
        ...mine.wanted.filter(
          (each) => theirs.wanted.includes(each) || !base.wanted.includes(each),
        ),
        ...theirs.wanted.filter((each) => ![...mine.wanted, ...base.wanted].includes(each)),
      ].slice(0, MOST.wanted);
  return {
    version: 1,
    candidates,
    shown: Math.max(0, Math.min(shown, candidates.length - 1)),
    note: newer(base.note, mine.note, theirs.note),
    premove: newer(base.premove, mine.premove, theirs.premove),
    wanted,
  };
}

/**
 * A line through these points with fewer of them: none is further from it than `off`.
 * @param {Plans.Point[]} points
 * @param {number} [off]
 * @returns {Plans.Point[]}
 */
export function simplified(points, off = 60) {
  const thinned = thin(points, off);
  return thinned.length <= MOST.points ? thinned : simplified(points, off * 1.5);
}

/**
 * After Ramer, Douglas and Peucker.
 * @param {Plans.Point[]} points
 * @param {number} off
 * @returns {Plans.Point[]}
 */
function thin(points, off) {
  const last = points.at(-1);
  if (points.length < 3 || last === undefined) return points;
  const [first] = points;
  let furthest = 0;
  let most = 0;
  for (let index = 1; index < points.length - 1; index += 1) {
    const distance = distanceTo(points[index], first, last);
    if (distance > most) [furthest, most] = [index, distance];
  }
  if (most <= off) return [first, last];
  const before = thin(points.slice(0, furthest + 1), off);
  return [...before.slice(0, -1), ...thin(points.slice(furthest), off)];
}

/**
 * How far a point is from the line between two others.
 * @param {Plans.Point} point
 * @param {Plans.Point} from
 * @param {Plans.Point} to
 */
export function distanceTo([x, y], [ax, ay], [bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : ((x - ax) * dx + (y - ay) * dy) / length;
  const at = Math.max(0, Math.min(1, along));
  return Math.hypot(x - ax - at * dx, y - ay - at * dy);
}

export class Plan {
  /** @param {Plans.Options} options */
  constructor({ url, csrf, changed, told = () => {}, ...tools }) {
    this.url = url;
    this.csrf = csrf;
    this.changed = changed;
    this.told = told;
    this.fetch = tools.fetch ?? ((...call) => fetch(...call));
    this.setTimeout = tools.setTimeout ?? ((call, ms) => setTimeout(call, ms));
    this.clearTimeout =
      tools.clearTimeout ?? ((handle) => clearTimeout(/** @type {number} */ (handle)));
    this.content = NOTHING;
    this.kept = NOTHING; // as the server has it, for all that is known
    this.revision = -1; // of that; below 0 before it has been asked
    /** @type {Plans.Content[]} */
    this.past = [];
    /** @type {Plans.Content[]} */
    this.future = [];
    /** @type {unknown} */
    this.timer = null;
    /** @type {Promise<void> | null} */
    this.busy = null;
    this.again = false; // something has changed while it was busy
    this.sending = false;
    this.trouble = "";
  }

  // -- what is planned ------------------------------------------------------------------------

  /** The candidate that is shown; there is always one to draw on. */
  get shown() {
    return this.content.candidates.at(this.content.shown) ?? { name: "A", items: [] };
  }

  /** The candidate that the shown one is compared with, if there is any. */
  get other() {
    const { candidates, shown } = this.content;
    return candidates.length < 2 ? null : (candidates[(shown + 1) % candidates.length] ?? null);
  }

  /**
   * The letter by which what belongs to a candidate is told from what belongs to another.
   * @param {Plans.Candidate} candidate
   */
  signOf(candidate) {
    return "ABCD"[Math.max(this.content.candidates.indexOf(candidate), 0)];
  }

  get isKept() {
    return isSame(this.content, this.kept);
  }

  /**
   * Put something into the candidate that is shown. Whether there was room for it.
   * @param {Plans.Item} item
   */
  add(item) {
    const { name, items } = this.shown;
    if (items.length >= MOST.items) return false;
    this.#replace({ name, items: [...items, item] });
    return true;
  }

  /**
   * Take something out of it.
   * @param {number} index
   */
  remove(index) {
    const { name, items } = this.shown;
    if (!(index in items)) return false;
    this.#replace({ name, items: items.filter((_, each) => each !== index) });
    return true;
  }

  /** Take everything out of it. */
  clear() {
    const { name, items } = this.shown;
    if (items.length > 0) this.#replace({ name, items: [] });
    return items.length > 0;
  }

  /**
   * A move was played: it is no plan any more.
   * @param {string} text
   */
  played(text) {
    const at = this.shown.items.findIndex((item) => item.kind === "move" && item.text === text);
    return this.remove(at);
  }

  /** Begin another candidate, and show it. Whether there was room for one. */
  branch() {
    const all = this.#all;
    if (all.length >= MOST.candidates) return false;
    const name = [...NAMES].find((each) => !all.some((one) => one.name === each)) ?? "New";
    this.#become({ candidates: [...all, { name, items: [] }], shown: all.length });
    return true;
  }

  /** Take the candidate that is shown away. */
  drop() {
    const { shown } = this.content;
    const candidates = this.#all.filter((_, index) => index !== shown);
    this.#become({ candidates, shown: Math.max(0, Math.min(shown, candidates.length - 1)) });
  }

  /**
   * Call the candidate that is shown something else.
   * @param {string} wanted
   */
  rename(wanted) {
    const name = wanted.trim().slice(0, MOST.name);
    if (name !== "" && name !== this.shown.name) this.#replace({ ...this.shown, name });
  }

  /**
   * Show another candidate. It is no change to be undone.
   * @param {number} index
   */
  show(index) {
    if (index === this.content.shown || !(index in this.content.candidates)) return;
    this.content = { ...this.content, shown: index };
    this.#touched();
  }

  /**
   * Write the notes anew. What is typed there is undone by the field itself.
   * @param {string} text
   */
  write(text) {
    this.content = { ...this.content, note: text.slice(0, MOST.note) };
    this.#touched();
  }

  /**
   * Keep another list of what is wanted, the first one first. It is no change to be undone.
   * @param {readonly string[]} names
   */
  want(names) {
    this.content = { ...this.content, wanted: names.slice(0, MOST.wanted) };
    this.#touched();
  }

  /**
   * Answer a decision before it opens, or (null) do so no longer. It is kept at once, and is no change
   * to be undone.
   * @param {Plans.Premove | null} premove
   */
  answer(premove) {
    if (isSame(premove, this.content.premove)) return;
    this.content = { ...this.content, premove };
    this.#touched(0);
  }

  /** Take back the last change. Whether there was any. */
  undo() {
    return this.#travel(this.past, this.future);
  }

  /** Make the change again that was taken back last. Whether there was any. */
  redo() {
    return this.#travel(this.future, this.past);
  }

  get #all() {
    const { candidates } = this.content;
    return candidates.length > 0 ? candidates : [this.shown];
  }

  /** @param {Plans.Candidate} candidate */
  #replace(candidate) {
    const { shown } = this.content;
    this.#become({
      candidates: this.#all.map((each, index) => (index === shown ? candidate : each)),
    });
  }

  /** @param {Partial<Plans.Content>} change */
  #become(change) {
    this.past.push(this.content);
    if (this.past.length > 100) this.past.shift();
    this.future = [];
    this.content = { ...this.content, ...change };
    this.#touched();
  }

  /**
   * @param {Plans.Content[]} from
   * @param {Plans.Content[]} to
   */
  #travel(from, to) {
    const there = from.pop();
    if (there === undefined) return false;
    to.push(this.content);
    // Notes are typed, and stay as they are; so does what is wanted, and what is to be sent.
    const { note, wanted, premove } = this.content;
    this.content = { ...there, note, wanted, premove };
    this.#touched();
    return true;
  }

  // -- that it is kept ------------------------------------------------------------------------

  /** Ask the server what it has. */
  load() {
    return this.#alone(() => this.#fetched());
  }

  /**
   * The server has said that there is a revision: by another device, if it is not known here.
   * @param {number} revision
   */
  heard(revision) {
    // One's own comes back as well, and may do so before its answer.
    const news = () => revision > this.revision;
    return this.#alone(() => (news() ? this.#fetched() : Promise.resolve()));
  }

  /** Keep it now, with a page that may be going away. */
  flush() {
    this.#stop();
    if (this.isKept || this.revision < 0) return;
    void this.#put({ keepalive: true }).catch(() => undefined);
  }

  /** @param {number} [ms] */
  #touched(ms = SAVE_AFTER) {
    this.#later(ms);
    this.changed();
  }

  /** @param {number} ms */
  #later(ms) {
    this.#stop();
    this.timer = this.setTimeout(() => {
      this.timer = null;
      void this.#alone(() => this.#save());
    }, ms);
  }

  #stop() {
    if (this.timer !== null) this.clearTimeout(this.timer);
    this.timer = null;
  }

  /**
   * One thing after the other, as they come.
   * @param {() => Promise<void>} act
   */
  #alone(act) {
    const turn = (this.busy ?? Promise.resolve()).then(act).catch(() => {
      this.#say("Your plan cannot be kept: there is no connection.");
      this.#later(AGAIN_AFTER);
    });
    this.busy = turn;
    return turn;
  }

  async #save() {
    if (this.revision < 0) await this.#fetched();
    // Whoever changes it on two devices at once is overtaken now and then.
    for (let tries = 0; tries < 4 && !this.isKept; tries += 1) {
      const response = await this.#put();
      if (response.status === 409) await this.#fetched();
      else if (!response.ok) {
        await this.#refused(response);
        return;
      }
    }
  }

  /** @param {RequestInit} [more] */
  async #put(more = {}) {
    const { content } = this;
    // A page that goes does not wait for what is on its way.
    const revision = this.revision + (this.sending ? 1 : 0);
    this.sending = true;
    const response = await this.fetch(this.url, {
      method: "PUT",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json",
        "X-CSRFToken": this.csrf,
      },
      credentials: "same-origin",
      body: JSON.stringify({ revision, content }),
      ...more,
    }).finally(() => (this.sending = false));
    if (response.ok) {
      const answer = /** @type {{revision: number}} */ (await response.json());
      this.revision = answer.revision;
      this.kept = content;
      this.#say("");
    }
    return response;
  }

  async #fetched() {
    const response = await this.fetch(this.url, {
      headers: { Accept: "application/json" },
      credentials: "same-origin",
    });
    if (!response.ok) {
      await this.#refused(response);
      return;
    }
    const { revision, ...kept } = /** @type {Plans.Kept} */ (await response.json());
    const content = { ...NOTHING, ...kept.content };
    if (revision < this.revision) return;
    const before = this.content;
    this.content = merged(this.kept, before, content);
    this.kept = content;
    this.revision = revision;
    this.#say("");
    if (!this.isKept) this.#later(SAVE_AFTER);
    if (!isSame(before, this.content)) {
      // What is undone after that would take away what the other device has done.
      this.past = [];
      this.future = [];
      this.changed();
    }
  }

  /** @param {Response} response */
  async #refused(response) {
    const answer = /** @type {{sentence?: string}} */ (await response.json().catch(() => ({})));
    this.#say(`Your plan cannot be kept: ${answer.sentence ?? "the server refuses it"}`);
    if (response.status === 429 || response.status >= 500) this.#later(AGAIN_AFTER);
  }

  /** @param {string} words */
  #say(words) {
    if (words === this.trouble) return;
    this.trouble = words;
    this.told(words);
  }
}
