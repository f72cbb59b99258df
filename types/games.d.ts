// What each ruleset shows of its state, `view.game` (docs/views.md). A test holds it against the
// views of recorded matches.

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

declare namespace Domain {
  type Colour = "red" | "blue";
  /** Whole pixels, about the reference point where it is a shape's. */
  type Point = [number, number];
  type Ring = Point[];

  interface Shape {
    id: string;
    outline: Ring;
    holes: Ring[];
    voids: Ring[];
    inner: Ring | null;
    start: boolean;
    area: number;
  }

  interface Pool {
    name: string;
    version: string;
    /** Width and height. */
    size: [number, number];
    built_in: boolean;
    shapes: Shape[];
  }

  /** Where a shape lies, turned clockwise by whole degrees. */
  interface Place {
    shape: string;
    domain: Colour;
    x: number;
    y: number;
    angle: number;
  }

  interface Laid extends Place {
    seat: Seat;
  }

  interface Placement extends Laid {
    kind: "place";
    struck: boolean;
  }

  interface Discard {
    kind: "discard";
    seat: Seat;
    shape: string;
    struck: boolean;
  }

  interface Game {
    phase: "pool" | "inspect" | "first" | "draft" | "place" | "final" | "over";
    to_move: Seat | null;
    advantage: Seat;
    red: Seat;
    refereeing: "strict" | "challenge";
    review: "engine" | "organiser";
    early_ready: boolean;
    challenge_cost_ms: number;
    pool: Pool | null;
    offered: object | null;
    ready: boolean[];
    taken: [Seat, string | null][];
    misses: number[];
    wrong: number[];
    hands: string[][];
    free: string[];
    turns: (Placement | Discard)[];
    challenged: boolean;
    can_challenge: boolean;
    under_review: boolean;
    scores: number[];
    outcome: Live.Result | null;
  }

  /** A game whose pool has been drawn. */
  interface DrawnGame extends Game {
    pool: Pool;
  }
}
