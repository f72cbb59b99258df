// Written by `manage.py api_schema` from the API's own description: change that, not this file.

declare namespace Api {
  /** The submission is on disk. */
  interface Ack {
    type: string;
    id: string;
    match: number;
    version: number;
    at: number;
  }

  /** What the strong bot would play in the caller's place. */
  interface Advice {
    /** The id of the decision. */
    decision: string;
    /** To submit with: the caller's version. */
    version: number;
    /** In notation; null while it thinks: ask again in a moment. */
    text: string | null;
  }

  /** Something said beside a match. */
  interface ChatMessage {
    id: number;
    /** In ms since 1970. */
    at: number;
    name: string;
    username: string;
    seat: number | null;
    text: string;
  }

  /** Something that a commentator said. */
  interface Comment {
    id: number;
    /** In ms since 1970. */
    at: number;
    name: string;
    username: string;
    seat: number | null;
    text: string;
    /** The step of the replay during which it was said; null before the end. */
    step: number | null;
  }

  /** The commentary on a match: the latest comments, oldest first. */
  interface Commentary {
    commentators: Commentator[];
    comments: Comment[];
  }

  /** Who comments on a match. */
  interface Commentator {
    /** What pages show; not unique. */
    name: string;
    username: string;
  }

  /** Something that is wrong with a field. */
  interface Fault {
    /** Stable. */
    code: string;
    /** One sentence to show to people. */
    sentence: string;
  }

  /** One line of a log, with what the reader may know of it (`docs/protocol.md`). */
  interface LogItem {
    /** The number in this reader's log, from 1. */
    n: number;
    /** In ms since 1970. */
    at: number;
    /** A seat (0 or 1), or `chance`, `organiser`, `service`. */
    actor: unknown;
    taken_back: boolean;
    events: Record<string, unknown>[];
  }

  /** A plan, and how often it has been changed. */
  interface Plan {
    /** How often it has been changed; 0 where nothing is kept. Saving names the one that the new plan was made of. */
    revision: number;
    /** Candidates with what is drawn and noted, as docs/api.md describes it. */
    content: Record<string, unknown>;
  }

  /** How many think that who will win a match. */
  interface Predictions {
    match: number;
    /** Whether predictions are taken: until the sixth line of the log that spectators read, and two minutes after the first at least. */
    open: boolean;
    /** By seat. */
    counts: number[];
    /** Whether the caller may predict here while it is open: nobody who plays or may organise the match does. */
    may: boolean;
    /** The seat that the caller named. */
    yours: number | null;
    /** How many were right, once somebody has won. */
    right: number | null;
  }

  /** Why a request was refused. */
  interface Problem {
    /** The code in words: always the same for a code. */
    title: string;
    /** The HTTP status. */
    status: number;
    /** Stable; `area.reason`, the same as on the sockets. */
    code: string;
    /** One sentence to show to people. */
    sentence: string;
    /** The squares of the board that the sentence is about, where it is about some. */
    squares?: string[];
    /** What is wrong with which part of the request, by its path, such as `contestants.3.seed` (rows count from 0), or `non_field_errors` for the whole. */
    fields?: Record<string, Fault[]>;
    /** The scope that the token lacks. */
    scope?: string;
    /** Seconds to wait. */
    retry_after?: number;
  }

  /** A move and the name it is kept under. */
  interface SavedMove {
    id: number;
    name: string;
    /** A move in the ruleset's notation. */
    text: string;
  }

  /** A match as its reader may see it: the frame that sockets call `sync`. */
  interface ViewedMatch {
    /** `sync` */
    type: string;
    match: number;
    /** The reader's version: to submit with. */
    version: number;
    /** The server's clock, in ms since 1970. */
    at: number;
    /** Your seat; null for a spectator. */
    you: number | null;
    /** What never changes: seats, options, items. */
    header: Record<string, unknown>;
    /** Phase, decisions, clocks, the board, the result. */
    view: Record<string, unknown>;
    log: LogItem[];
    /** With `here`: who looks at it now, as the socket tells it. */
    presence?: Record<string, unknown>;
  }
}
