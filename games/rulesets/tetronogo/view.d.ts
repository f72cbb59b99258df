// What `view.game` has, as view.md beside it says. A test holds it against the views of recorded
// matches.

declare namespace Tetronogo {
  type Letter = "O" | "I" | "S" | "Z" | "L" | "J" | "T";

  interface Group {
    squares: string[];
    edges: number[];
    taker: Seat | null;
  }

  interface Placed {
    placed: [Seat, string][];
    board: string[];
  }

  interface Bout extends Placed {
    bout: number;
    pieces: Letter[];
    starter: Seat;
    points: number[];
    winner: Seat | null;
    stuck: Seat | null;
    out_of_time: Seat | null;
    groups: Group[];
  }

  interface Game extends Placed {
    phase: "pick" | "starter" | "place" | "over";
    size: number;
    bout: number;
    most_bouts: number;
    advantage: Seat;
    totals: number[];
    outcome: Live.Result | null;
    used: Letter[][];
    unused: Letter[][];
    pieces: Letter[] | null;
    chooser: Seat | null;
    starter: Seat | null;
    turn: Seat | null;
    last: { seat: Seat; move: string; piece: Letter; squares: string[] } | null;
    left: number[] | null;
    standing: number[] | null;
    /** By tetromino and degrees: offsets from the corner, column and row. */
    shapes: Partial<Record<Letter, Record<string, [number, number][]>>>;
    bouts: Bout[];
  }
}
