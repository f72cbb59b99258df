// What `view.game` has, as view.md beside it says. A test holds it against the views of recorded
// matches.

declare namespace DominoWars {
  interface Cell {
    square: string;
    number: number;
    owner: Seat;
  }

  interface Side {
    hand: string[] | null;
    hand_size: number;
    pile: string[] | null;
    pile_size: number;
    /** The draw pile from the top, null for what its owner does not know. */
    order: (string | null)[] | null;
    deck: string[] | null;
    discards: string[];
    skip: boolean;
    shown: { bottom: string[]; hand: string[]; either: string[] };
  }

  type Skipped = "six" | "hand" | "board";

  interface Game {
    phase: "first" | "deck" | "shuffle" | "mulligan" | "play" | "over";
    ask: "play" | "return" | "top" | "discard" | null;
    turn: Seat | null;
    number: number;
    advantage: Seat;
    favoured: Seat;
    items: Record<"domino-repeat" | "hand-mulligan" | "tie-advantage", number[]>;
    draw_when_stuck: boolean;
    first: Seat | null;
    directions: ("vertical" | "horizontal")[] | null;
    mulligans: number[];
    again: boolean[];
    asked: number;
    scores: number[];
    cells: Cell[];
    sides: Side[];
    legal: Record<string, string[]>;
    choices: string[];
    last: { seat: Seat; move: string; squares: string[]; taken: string[] } | null;
    passed: { seat: Seat; why: Skipped }[];
    late: Seat | null;
  }
}
