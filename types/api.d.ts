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

  /** An answer beside the strong bot's, both judged by what the seat could know then. `lost` is by how much the bot's is better, from -1 to 1. */
  interface Judgement {
    /** The step of the replay that it led to. */
    move: number;
    /** The step in whose position it was asked for. */
    at: number;
    seat: number;
    played: string;
    /** What the strong bot answers. */
    best: string;
    played_worth: Worth;
    best_worth: Worth;
    lost: Worth;
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

  /** A position of a finished match, or where a line leads to from it. */
  interface StudiedPosition {
    at: number;
    /** The line, with what chance brought. */
    line: string;
    /** As seat 0 (`0`) and seat 1 (`1`) could see it then, and everything (`all`). */
    views: Record<string, unknown>;
    /** What happened last, to the same eyes. */
    events: Record<string, unknown>;
  }

  /** What has been found out so far. */
  interface Study {
    /** `none`: nobody has asked; `old`: it was done in an earlier way, and can be asked for anew; `delayed`: it failed, and is tried again later; `never`: no bot plays this game. */
    state: unknown;
    /** How many positions and answers are done. */
    done: number;
    /** Of how many; 0 before anybody has asked. */
    total: number;
    /** Positions are weighed first, in order. */
    positions_total: number;
    answers_total: number;
    positions: Weighed[];
    answers: Judgement[];
    swings: Swing[];
    /** The moves with which most was missed, the worst first; those with which it is certain that anything was, or else the few with which most may have been. */
    mistakes: number[];
  }

  /** Something said of a position. */
  interface StudyComment {
    id: number;
    /** In ms since 1970. */
    at: number;
    name: string;
    username: string;
    seat: number | null;
    text: string;
    /** The step of the replay. */
    step: number;
    /** The variation from there that it is of; mostly empty. */
    line: string;
  }

  /** What is said of a match's positions: the latest comments, oldest first. */
  interface StudyComments {
    comments: StudyComment[];
  }

  /** A change of the graph; the biggest come first. Shares are of seat 0. */
  interface Swing {
    /** The step after which it stood otherwise. */
    move: number;
    /** The step of the position before. */
    at: number;
    before: number;
    after: number;
    /** Whether it is all but certain that it changed. Where one is, no other is told. */
    sure: boolean;
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

  /** What seat 0 can expect of a position, as it truly was, hidden things included. */
  interface Weighed {
    share: number;
    /** The lower end of the 95 % interval. */
    low: number;
    /** The upper end of it. */
    high: number;
    /** Ways in which it went on; 0: it is certain. */
    tries: number;
    /** The step of the replay. */
    at: number;
  }

  /** What a seat can expect, from 0 (lost) to 1 (won). */
  interface Worth {
    share: number;
    /** The lower end of the 95 % interval. */
    low: number;
    /** The upper end of it. */
    high: number;
    /** Ways in which it went on; 0: it is certain. */
    tries: number;
  }
}
