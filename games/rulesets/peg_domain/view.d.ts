// What `view.game` has, as view.md beside it says. A test holds it against the views of recorded
// matches.

declare namespace PegDomain {
  type Colour = "red" | "blue";

  interface Pallet {
    colour: Colour;
    seat: Seat | null;
    /** 16 rows of 12 characters: `.` and `o` are there, `-` and `x` cut out, `#` removed. */
    rows: string[];
    pegs: number;
    left: number;
    removed: number;
  }

  interface Turn {
    seat: Seat;
    move: string;
    cut: string[];
    covered: string[];
    minus: string | null;
    removal: string | null;
    gone: string[];
  }

  interface Game {
    phase: "right" | "pallets" | "inspection" | "order" | "colour" | "play" | "over";
    variant: string;
    advantage: Seat;
    early_ready: boolean;
    rights: { order: Seat; colour: Seat } | null;
    ready: boolean[];
    first: Seat | null;
    colours: Colour[] | null;
    pallets: Pallet[] | null;
    domain: { rows: string[]; pegs: string[] } | null;
    scores: number[];
    used: number[];
    turn: number;
    to_move: Seat | null;
    finished: ("finish" | "stuck" | null)[];
    /** By seat and item: how many are left, and how many there were. */
    items: Record<string, [number, number]>[];
    items_until: number;
    /** By seat: what was named on the red and on the blue pallet. */
    extra: (string[][] | null)[];
    extra_squares: (string[][] | null)[];
    removable: string[] | null;
    last: Turn | null;
  }
}
