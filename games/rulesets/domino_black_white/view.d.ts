// What `view.game` has, as view.md beside it says. A test holds it against the views of recorded
// matches.

declare namespace DominoBlackWhite {
  /** The lower number and the higher one. */
  type Domino = [number, number];
  type Colour = "black" | "white";

  interface Half {
    square: string;
    colour: Colour;
    /** Null where it is hidden from this audience. */
    number: number | null;
    hidden: boolean;
  }

  interface Cell extends Half {
    partner: string;
    domino: number;
    seat: Seat;
  }

  interface Game {
    phase: "order" | "place" | "over";
    to_move: Seat | null;
    advantage: Seat;
    first: Seat | null;
    late: Seat | null;
    scores: number[];
    cells: Cell[];
    met: string[];
    left: number[];
    hands: (Domino[] | null)[];
    legal: [string, string][];
  }
}
