/* What `static/js/draws` reads and says: match records, as far as their draws go (docs/record.md). */

declare namespace Draws {
  /** Gives a whole number from 0 to below what it is given. */
  type Below = (bound: number) => number;

  interface Nonce {
    commitment?: string;
    nonce?: string;
  }

  /** What a record states all its draws are derived from. */
  interface Stated {
    method: string;
    seed: string;
    commitment: string;
    nonces: Nonce[];
  }

  /** What a match's view says of it from the beginning: what the seed and the nonces hash to. */
  interface Shown {
    commitment: string;
    nonces: { commitment: string | null; opened: boolean }[];
  }

  /** What the browser of a player has noted of a match: its own nonce, what it was shown before the
      beginning that the seed (empty: nothing yet) and the nonces of both hash to, and of whom it was
      shown that their nonce was opened. `frozen`: it has opened its own nonce, on the word that there is
      no other commitment; what it had noted of them by then changes no more, none included. `own`: what
      its own nonce hashes to, and `taken`: it was shown that the server has taken that. */
  interface Noted {
    match: number;
    seat: number;
    nonce: string;
    seed: string;
    nonces: (string | null)[];
    opened?: boolean[];
    frozen?: boolean;
    own?: string;
    taken?: boolean;
  }

  /** Where a record comes from, and so who saw its commitment: the match was played here, it was
      imported, or it is a file. */
  type Seen = "here" | "imported" | "file";

  /** What comes of comparing that with a record, in sentences. `doubts`: what need not be wrong, and may
      be what a server does that cheats; `isGrave`: hardly anything else explains them. */
  interface Recalled {
    wrong: string[];
    same: string[];
    doubts: string[];
    isGrave: boolean;
  }

  interface Move {
    seat: 0 | 1 | "chance" | "organiser";
    move?: string;
    timeout?: true;
    by?: string;
  }

  interface Record {
    format: string;
    ruleset: string;
    variant: string;
    seats: string[];
    moves: Move[];
    advantage?: 0 | 1;
    items?: { seat: 0 | 1; item: string }[];
    options?: { [name: string]: unknown };
    draws?: Stated;
  }

  /** An entry of a record: its number from 0, and its text as it is written and as all spellings of
      it have it. */
  interface Entry {
    at: number;
    seat: Move["seat"];
    written: string;
    text: string;
    by: string;
    isSubmission: boolean;
  }

  /** What a draw may hang on: the record, and the entries before it that no take-back has undone. */
  interface Before {
    record: Record;
    standing: Entry[];
  }

  /** One draw: what it is called among all of its match, how its outcomes are written (`form`), and
      its text from the numbers of that. `suppliable`: an organiser may hand it in. `agreed`: nothing is
      drawn, as the record's options say what comes of it. `impossible`: why a text that has the form is
      no outcome whoever it is of, empty where it may be one. */
  interface Plan {
    label: string;
    form: RegExp;
    outcome: (below: Below) => string;
    suppliable?: boolean;
    agreed?: boolean;
    impossible?: (said: string) => string;
  }

  /** By the first word of what was drawn: the draw that its other words (in lower case) are of; null
      for what cannot be drawn. What a ruleset's `draws.js` exports as `draws`. */
  interface Rules {
    [kind: string]: (words: string[], before: Before) => Plan | null;
  }

  /** What is awaited at some point of a match as far as draws go: the beginnings of the texts of all
      draws that are `due` (null: nobody can tell), and whose decisions are `open` (null: nobody can
      tell). `impossible`: the entries that led there cannot all stand. */
  interface Awaited {
    due: string[] | null;
    open: (0 | 1)[] | null;
    impossible?: boolean;
  }

  interface Asked extends Before {
    advantage: 0 | 1;
  }

  type Awaits = (asked: Asked) => Awaited;

  /** A ruleset's `draws.js`. */
  interface Module {
    draws: Rules;
    awaits?: Awaits;
  }

  /** An outcome of chance: its entry's number, the label of its draw, what is written there, what the
      numbers give (empty where nobody can tell), who supplied it, what that comes to, and, where it is
      wrong whatever the numbers give, why. */
  interface Outcome {
    at: number;
    label: string;
    said: string;
    wanted: string;
    by: string;
    why: string;
    state: "verified" | "supplied" | "agreed" | "unverifiable" | "wrong";
  }

  /** `stopped`: the first entry that cannot stand as far as draws go, and why; nothing after it was
      looked at. */
  interface Verdict {
    derived: Stated | null;
    faults: string[];
    outcomes: Outcome[];
    stopped: { at: number; words: string } | null;
    isAdvantageAgreed: boolean;
  }
}
