// What the scripts of a match hand each other: the client's state and events, and what a board and
// the page around it expect of each other (static/js/boards/README.md).

/** An EventTarget whose events are known: by name what each has as its `detail`. */
type Telling<Details> = Omit<EventTarget, "addEventListener"> & {
  addEventListener<Name extends keyof Details>(
    name: Name,
    listener: (event: CustomEvent<Details[Name]>) => void,
  ): void;
};

declare namespace Client {
  // Named here, since the names of modules in comments would be taken for imports when static files
  // are collected.
  type MatchClient = import("../static/js/match/client.js").MatchClient;
  type Stands = import("../static/js/match/stands.js").Stands;
  type Planning = import("../static/js/match/planning.js").Planning;
  type SavedMoves = import("../static/js/match/saved.js").SavedMoves;

  /** What is known of a match. Replaced and never changed. */
  interface State<Game = never> {
    readonly version: number;
    readonly at: number;
    readonly you: Seat | null;
    readonly header: Live.Header;
    readonly view: Live.View<Game>;
    readonly log: Live.LogItem[];
    readonly presence: Live.Attendance | null;
  }

  /** The other keys of a frame that waits for its answer. */
  interface Body {
    match?: number;
    text: string;
    version?: number;
    why?: string;
    room?: Live.Room;
  }

  type Posted = "submit" | "organise" | "chat";

  interface Entry {
    id: string;
    type: Posted;
    body: Body;
    /** An instant of this computer's clock, as is `sent`. */
    made: number;
    tries: number;
    /** Null while it has not been handed to the present connection. */
    sent: number | null;
  }

  interface Status {
    kind: "connecting" | "live" | "polling" | "lost" | "closed";
    words: string;
    retryAt: number | null;
  }

  interface Refusal {
    code: string;
    sentence: string;
    squares: string[];
  }

  interface Change {
    cause: "sync" | "step";
    /** Null for the first. */
    before: State | null;
    after: State;
    /** What is new in the log. */
    items: Live.LogItem[];
  }

  interface Settled {
    entry: Entry;
    ack?: { version: number } | Live.Message;
    refused?: Refusal & { id: string | null };
  }

  interface Events {
    state: Change;
    presence: { before: State; after: State };
    status: Status;
    outbox: object;
    settled: Settled;
    reminder: Live.Reminder;
    chat: Live.Said;
    "chat.history": Live.History;
    "chat.removed": Live.Removed;
    plan: Live.Planned;
    commentators: Live.Commentators;
    predictions: Live.Predictions;
    trouble: { code: string; sentence: string };
    time: object;
  }

  type Sound = "move" | "yours" | "score" | "low" | "reserve" | "refused" | "chat" | "won" | "over";

  /** What is felt of a match on a device that vibrates. */
  type Pulse = "yours" | "pinned" | "refused" | "reminder";

  type KeptStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

  /** As much of a WebSocket as the client uses. */
  type Socket = Pick<
    WebSocket,
    "readyState" | "send" | "close" | "onopen" | "onmessage" | "onclose" | "onerror"
  >;

  /** What a player adds to a match's draws, and what that hashes to; `taken`: the server has shown that
      it stands for them. */
  interface Nonce {
    nonce: string;
    commitment: string;
    taken: boolean;
  }

  /** That, whether the page commits to it as it comes, and what is asked before it is opened: whether
      what is shown is what was shown before. */
  interface OwnNonce extends Nonce {
    mayCommit: boolean;
    mayOpen: (shown: Draws.Shown) => boolean;
  }

  interface Options {
    match: number;
    socketUrl: string;
    stateUrl: string;
    submitUrl: string;
    readyUrl?: string;
    username?: string | null;
    csrf?: string;
    storage?: KeptStorage | null;
    WebSocket?: new (url: string) => Socket;
    fetch?: (url: string, options?: RequestInit) => Promise<Response>;
    now?: () => number;
    random?: () => number;
    setTimeout?: (callback: () => void, ms: number) => number;
    clearTimeout?: (handle: number) => void;
    makeId?: () => string;
  }

  /** One seat's clock at an instant, see `seatClock`. */
  interface SeatClock {
    state: "idle" | "running" | "low" | "reserve" | "out" | "paused";
    turn: number | null;
    reserve: number;
    kept: number;
    total: number | null;
    share: number;
    usesReserve: boolean;
  }
}

declare namespace Boards {
  type Grid = import("../static/js/boards/kit.js").Board;

  interface Tag {
    text: string;
    title: string;
    kind: string;
  }

  /** One reason why something scored. */
  interface Mark {
    /** What rises, and stands in the legend: a letter, or points. */
    sign: string;
    /** What it means, and what it is worth. */
    words: string;
    /** Whose it is, where the marks are not all of one seat. */
    seat?: Seat | null;
    /** Selectors below a playable board: from the middle of what each means the sign rises. */
    at?: string[];
  }

  /** What scored and why, out of what the reader of a view may know. */
  interface Scored {
    seat: Seat | null;
    title: string;
    marks: Mark[];
  }

  interface Context {
    you: Seat | null;
    header: Live.Header | null;
    names: string[];
    decision: Live.Decision | null;
    paused: boolean;
    pending: string | null;
    refusal: Client.Refusal | null;
    /** Whether the decision is one that the reader plans for: see `plans`. */
    planning?: boolean;
    /** What the reader wants, as their plan has it; missing for whoever keeps none. */
    wanted?: readonly string[];
  }

  /** What a planned move looks like on one of the drawings, in that drawing's units. */
  interface Ghost {
    svg: SVGSVGElement;
    /** The outline of it. */
    d: string;
    /** How far that is from where it lies. */
    moved?: [number, number];
    /** What stands on it, in the middle of `at`. */
    words?: { text: string; at: [number, number] }[];
  }

  interface Api {
    submit(text: string): unknown;
    announce(text: string): unknown;
    refuse(text: string): void;
    draft(text: string): void;
    /** Keep another list of what the reader wants, with their plan. */
    want?(names: string[]): void;
    dock: HTMLElement;
  }

  interface Board<Game> {
    update(view: Live.View<Game>, context: Context): void;
    focus(): void;
    destroy(): void;
    caution?(text: string): string;
    ghosts?(text: string): Ghost[];
    preview?(text: string): boolean;
  }

  /** What the module of a ruleset's board exports but for the board itself. */
  interface Words<Game = never> {
    waiting: Record<string, string>;
    examples: Record<string, string>;
    scores(view: Live.View<Game>): number[] | null;
    tags(event: Live.LogEvent): Tag[];
    caption(view: Live.View<Game>): string;
    because(view: Live.WonView<Game>, names: string[]): string;
    dispute?(view: Live.BegunView<Game>, names: string[]): string;
    plans?(view: Live.View<Game>, you: Seat): { kind: string; view: Live.View<Game> } | null;
    premoves?(view: Live.View<Game>, you: Seat): Coming<Game> | null;
    scored?(event: Live.LogEvent, view: Live.View<Game>, names: string[]): Scored | null;
  }

  /** A decision that has not opened yet, and the view to answer it with before. */
  interface Coming<Game = never> {
    kind: string;
    /** What its id will be. */
    id: string;
    view: Live.View<Game>;
  }

  interface Module<Game = never> extends Words<Game> {
    mount(root: HTMLElement, api: Api): Board<Game>;
    render(
      view: Live.View<Game>,
      options?: { names?: string[]; events?: Live.LogEvent[] },
    ): Element;
    hands?(view: Live.View<Game>, names: string[]): Element | null;
    keys: [string[], string][];
  }

  /** Column and row. */
  type Cell = [number, number];

  /** What a ruleset says of the piece that is placed; see `Placing`. */
  interface PlacingRules<Spot> {
    active(): boolean;
    idle(): string;
    also?: string;
    at(point: [number, number]): Spot | null;
    corner(spot: Spot): Cell;
    shifted(spot: Spot, corner: [number, number]): Spot | null;
    nudged(spot: Spot, dx: number, dy: number): Spot;
    home(from: Cell): Spot | null;
    next(spot: Spot | null, by: number): Spot | null;
    turned(spot: Spot | null, by: number): Spot | null;
    fits(spot: Spot): boolean;
    words(spot: Spot | null): string;
    tapped?(spot: Spot, point: [number, number]): void;
    key?(event: KeyboardEvent): boolean;
    redraw(): void;
    confirm(): void;
    cancelled(): void;
  }

  /** One answer out of a few, see `choiceCards`. */
  interface Choice {
    value: string;
    title: string;
    text?: string;
    art?: Element | null;
    disabled?: boolean;
  }
}

declare namespace Replays {
  interface Step {
    n: number;
    actor: Live.Actor | null;
    text: string;
    /** What the decision's clock showed, in seconds. */
    t: number | null;
    timeout: boolean;
    taken_back: boolean;
    events: Live.LogEvent[];
    view: Live.View<never>;
    /** The number of the picture of the board after it. */
    still: number | null;
  }

  /** The numbers of two moves; both are shown. */
  interface Stretch {
    from: number;
    to: number;
  }

  interface Data {
    header: Live.Header;
    you: Seat | null;
    steps: Step[];
  }
}

/** The private layer of a player over a match's boards, as the server keeps it. */
declare namespace Plans {
  /** Ten-thousandths of a drawing's width and height. */
  type Point = [number, number];
  type Sign = "ring" | "cross" | "dot" | "question";

  interface Move {
    kind: "move";
    text: string;
    colour: number;
  }

  interface Arrow {
    kind: "arrow";
    /** Which of the page's drawings. */
    board: number;
    from: Point;
    to: Point;
    colour: number;
  }

  interface Mark {
    kind: "mark";
    board: number;
    at: Point;
    sign: Sign;
    colour: number;
  }

  interface Path {
    kind: "cut" | "line";
    board: number;
    points: Point[];
    colour: number;
  }

  interface Note {
    kind: "note";
    board: number;
    at: Point;
    text: string;
  }

  type Drawn = Arrow | Mark | Path | Note;
  type Item = Move | Drawn;

  interface Candidate {
    readonly name: string;
    readonly items: readonly Item[];
  }

  /** A move to be submitted when its decision opens: the one of this id, or else the next one. */
  interface Premove {
    readonly text: string;
    readonly decision?: string;
  }

  /** Replaced and never changed. */
  interface Content {
    readonly version: 1;
    readonly candidates: readonly Candidate[];
    readonly shown: number;
    readonly note: string;
    readonly premove: Premove | null;
    /** What the player would have out of what is drafted, the first one first, in the ruleset's words. */
    readonly wanted: readonly string[];
  }

  interface Kept {
    revision: number;
    content: Content;
  }

  interface Options {
    url: string;
    csrf: string;
    /** Called after every change, by whomever. */
    changed: () => void;
    /** Called with what has to be said about keeping it. */
    told?: (words: string) => void;
    fetch?: (url: string, options?: RequestInit) => Promise<Response>;
    setTimeout?: (callback: () => void, ms: number) => unknown;
    clearTimeout?: (handle: unknown) => void;
  }

  type Tool = "move" | "arrow" | "mark" | "cut" | "note" | "erase";
}
