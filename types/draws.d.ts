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
      shown that their nonce was opened. */
  interface Noted {
    match: number;
    seat: number;
    nonce: string;
    seed: string;
    nonces: (string | null)[];
    opened?: boolean[];
  }

  /** What comes of comparing that with a record, in sentences. */
  interface Recalled {
    wrong: string[];
    same: string[];
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

  /** One draw: what it is called among all of its match, and its text from the numbers of that.
      `canonical`: a text as all its spellings have it, where that is not `text`. */
  interface Plan {
    label: string;
    outcome: (below: Below) => string;
    canonical?: (spelt: Pick<Entry, "written" | "text">) => string;
  }

  /** By the first word of what was drawn: the draw that its other words (in lower case) are of; null
      for what cannot be drawn. What a ruleset's `draws.js` exports as `draws`. */
  interface Rules {
    [kind: string]: (words: string[], before: Before) => Plan | null;
  }

  interface Module {
    draws: Rules;
  }

  /** An outcome of chance: its entry's number, the label of its draw, what is written there, what the
      numbers give (empty where nobody can tell), who supplied it, and what that comes to. */
  interface Outcome {
    at: number;
    label: string;
    said: string;
    wanted: string;
    by: string;
    state: "verified" | "supplied" | "unverifiable" | "wrong";
  }

  interface Verdict {
    derived: Stated | null;
    faults: string[];
    outcomes: Outcome[];
  }
}
