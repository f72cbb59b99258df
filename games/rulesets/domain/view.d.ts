// What `view.game` has, as view.md beside it says. A test holds it against the views of recorded
// matches.

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

  /** What a shape may not cover: pixels at a domain's frame, of a void zone, or at a purple border. */
  type Edge = "frame" | "void" | "border";

  /** How far a shape is from the nearest of that; `static/measure.js` says how it is measured. */
  interface Gap {
    pixels: number;
    edge: Edge;
    /** Whose zone or border it is; null for the frame. */
    shape: string | null;
    /** The ends of the shortest line between the two. */
    from: Point;
    to: Point;
  }

  /** What the board shows, for what is looked at beside it. */
  interface Seen {
    game: DrawnGame;
    names: string[];
    you: Seat | null;
    /** Whether the reader has something to decide. */
    asked: boolean;
    /** Shapes that the reader wants, the first one first; null for whoever does not play. */
    wanted: readonly string[] | null;
    /** What is in hand, and the card that is chosen. */
    ghost: Place | null;
    choice: string | null;
  }

  /** The board, to what is beside it. */
  interface Beneath {
    readonly seen: Seen;
    readonly api: Boards.Api;
    /** Where dialogs go. */
    readonly host: Element;
    readonly domains: HTMLElement;
    readonly fields: Record<Colour, { svg: SVGSVGElement }>;
    /** Which domain was worked on or looked at last. */
    readonly lastDomain: Colour;
    redraw(): void;
  }
}
