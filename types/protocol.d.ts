// The live protocol (docs/protocol.md) as the site's scripts see it. Instants and spans are in
// milliseconds, instants on the server's clock unless something else is said.

/** 0 or 1; of two names, scores and the like it is the index. */
type Seat = number;

declare namespace Live {
  type Phase = "waiting" | "lot" | "on" | "over";
  type Actor = Seat | "chance" | "organiser" | "service";
  type Room = "players" | "spectators" | "commentary";

  interface Clock {
    turn_ms: number;
    /** Whether the reserve is spent once the turn time is. */
    reserve: boolean;
    /** The reserve is charged in whole intervals of so much; 0: as it is used. */
    interval_ms: number;
    /** What the clock showed at the frame's `at`. */
    reading_ms: number;
    running: boolean;
    lingers?: boolean;
  }

  interface Decision {
    id: string;
    seat: Seat;
    kind: string;
    prompt: string;
    clock: Clock;
    changeable?: boolean;
    /** Only in the reader's own: a choice that is in, and waits for the other seat's. */
    sealed?: string | null;
  }

  interface Result {
    winner: Seat | null;
    reason: string;
    scores: number[];
  }

  /**
   * A match for one audience; `game` is its ruleset's own, null until the lot is drawn. What never
   * looks into it may call it `never`: only a board knows what it is.
   */
  interface View<Game = unknown> {
    phase: Phase;
    paused: boolean;
    advantage: Seat | null;
    /** At most one a seat. */
    decisions: Decision[];
    /** By seat. */
    reserve_ms: number[];
    game: Game | null;
    result: Result | null;
    /** Once it is over: whether its scores tell anything. */
    scored?: boolean;
    /** Once somebody has won: how, for each who reads it, with `{names}` to be put in. */
    told?: { room: string; winner: string; loser: string };
    ruling?: boolean;
    /** Beside `ruling`: what organisers' rulings are called in this game. */
    rulings?: Record<"valid" | "invalid", { title: string; means: string }>;
    /** `opens_until`: both players are there, and the nonces that they have committed to are awaited.
        `certain`: it begins by `until` whoever is there. `gathers_until`: they need not be there together
        and are `ready` once they have been; nonces are committed to until then at most. `without`: which
        seats begin without the nonce that they have committed to. */
    waiting?: {
      until: number;
      ready: boolean[];
      opens_until?: number;
      certain?: boolean;
      gathers_until?: number;
      without?: boolean[];
    };
    /** What draws are derived from, as far as everybody may know; missing where nobody can verify them, and
        in steps of a match that had begun before. */
    draws?: Draws;
  }

  /** What the seed of a match's draws hashes to, and by seat what its players have added. */
  interface Draws {
    method: string;
    commitment: string;
    nonces: { commitment: string | null; opened: boolean }[];
  }

  /** A view in which the game has begun. */
  interface BegunView<Game> extends View<Game> {
    game: Game;
  }

  /** A view in which it is over, and not void. */
  interface WonView<Game> extends BegunView<Game> {
    result: Result & { winner: Seat };
  }

  /** What the log tells beside a sentence; which of it is there follows from the event's kind. */
  interface EventData {
    act?: string;
    by?: string;
    why?: string;
    met?: string;
    points?: number[] | number | null;
    taken?: string[];
    won?: string[];
    covered?: string[];
    gained?: number[];
    scores?: number[];
    shape?: string;
    [key: string]: unknown;
  }

  interface LogEvent {
    kind: string;
    seat: Seat | null;
    /** To be read after the seat's name; a sentence of its own where there is none. */
    text: string;
    data: EventData;
  }

  interface LogItem extends Api.LogItem {
    actor: Actor;
    events: LogEvent[];
  }

  interface Header {
    ruleset: string;
    ruleset_name: string;
    variant: string;
    options: Record<string, unknown>;
    items: { seat: Seat; item: string }[];
    seats: { name: string; username: string | null }[];
    organise: boolean;
    terms: string;
    /** By how many seconds spectators see it late; 0: at once. */
    late_s: number;
    /** The kinds of decisions that can be answered before they open. */
    premoves: string[];
    /** Whether it is against one of the site's own bots. */
    practice: boolean;
  }

  interface Attendance {
    /** By seat. */
    seats: boolean[];
    spectators: number;
  }

  type Message = Api.ChatMessage;

  /** What a client says that it has: as which reader, up to which version, and how much of the log. */
  interface Known {
    you: Seat | null;
    version: number;
    log: number;
  }

  // -- what the server says ----------------------------------------------------------------------

  interface Sync<Game = never> extends Omit<Api.ViewedMatch, "header" | "view" | "presence"> {
    type: "sync";
    header: Header;
    view: View<Game>;
    log: LogItem[];
    /** The log goes on after that many items that the reader has; absent: it is whole. */
    after?: number;
    /** Not over HTTP, unless the reader says that they are here. */
    presence?: Attendance;
  }

  interface Step<Game = never> {
    type: "step";
    match: number;
    version: number;
    at: number;
    view: View<Game>;
    events: LogItem[];
    resync: boolean;
  }

  interface Ack extends Api.Ack {
    type: "ack";
  }

  interface Refused {
    type: "refused";
    id: string | null;
    code: string;
    sentence: string;
    squares: string[];
  }

  interface Reminder {
    type: "reminder";
    match: number;
    at: number;
    /** Null: it concerns both players. */
    seat: Seat | null;
    kind: "turn" | "reserve-entered" | "reserve";
    left: number;
  }

  interface Presence extends Attendance {
    type: "presence";
    match: number;
  }

  interface Said {
    type: "chat";
    match: number;
    room: Room;
    message: Message;
  }

  interface History {
    type: "chat.history";
    match: number;
    room: Room;
    messages: Message[];
    /** Of the commentary alone: who writes it. */
    commentators?: Commentator[];
  }

  type Commentator = Api.Commentator;

  /** Somebody was named to comment, or dismissed: those who do now. */
  interface Commentators {
    type: "commentators";
    match: number;
    commentators: Commentator[];
  }

  /** How many think that each seat wins. */
  interface Predictions {
    type: "predictions";
    match: number;
    counts: number[];
  }

  interface Removed {
    type: "chat.removed";
    match: number;
    room: Room;
    message: Pick<Message, "id">;
  }

  interface Pong {
    type: "pong";
    /** What the ping said. */
    at: number;
    now: number;
    version: number;
    presence?: Attendance | null;
  }

  interface Trouble {
    type: "error";
    code: string;
    sentence: string;
    /** In seconds. */
    retry_after?: number;
  }

  interface Waiting {
    type: "waiting";
  }

  interface Closing {
    type: "closing";
    code: string;
    sentence: string;
    /** In seconds. */
    retry_after?: number;
  }

  /** To the one who keeps it alone: their plan is of this revision now. */
  interface Planned {
    type: "plan";
    match: number;
    revision: number;
  }

  type Frame =
    | Sync
    | Step
    | Ack
    | Refused
    | Reminder
    | Presence
    | Said
    | History
    | Removed
    | Pong
    | Trouble
    | Waiting
    | Planned
    | Commentators
    | Predictions
    | Closing;

  // -- what the lobby says -----------------------------------------------------------------------

  interface LobbySeat {
    name: string;
    username: string | null;
  }

  interface ChallengeNews {
    type: "challenge";
    challenge: number;
    status: "open" | "accepted" | "declined" | "cancelled" | "expired";
    url: string;
    game: string;
    from: string;
    name: string;
    to: string | null;
    rated: boolean;
    terms: string;
    /** The match after which it is offered, where it is a rematch. */
    rematch?: number;
    /** Only to the lobby, while it is open: how lists show it to those with an account, as HTML. */
    card?: string;
    /** The same for those without one. */
    visitor_card?: string;
  }

  /** Told to its host and the two who are invited. */
  interface HostedNews {
    type: "hosted";
    hosted: number;
    status: "open" | "agreed" | "begun" | "declined" | "cancelled" | "expired";
    url: string;
    game: string;
    host: string;
    name: string;
    seats: { name: string; username: string; accepted: boolean }[];
    ended_by: string | null;
    why: string;
  }

  interface MatchStarted {
    type: "match.started";
    match: number;
    url: string;
    game: string;
    seats: LobbySeat[];
    begun: boolean;
    /** While it waits: for both to look in, together or not. */
    in_turns?: true;
    /** Only to the lobby: how lists show it, as HTML. */
    card?: string;
  }

  interface MatchEnded {
    type: "match.ended";
    match: number;
    url: string;
    game: string;
    seats: LobbySeat[];
    winner: Seat | null;
    reason: string;
    /** Only to the lobby: how lists show it, as HTML. */
    card?: string;
  }

  /** That organisers show a match in the best place, or no longer. */
  interface MatchFeatured {
    type: "match.featured";
    match: number;
    url: string;
    game: string;
    seats: LobbySeat[];
    featured: boolean;
  }

  interface AnnouncedNews {
    type: "announced";
    announcement: number;
    subject: string;
    url: string;
    heard: boolean;
  }

  interface RulingNews {
    type: "ruling";
    match: number;
    url: string;
    game: string;
    seats: LobbySeat[];
    waits: boolean;
    /** It is for the queue alone: its reader does not want to be called to it. */
    quiet: boolean;
  }

  interface Silenced {
    type: "silenced";
    /** In a sentence; empty where they may write. */
    why: string;
    /** For how long to come; null: until somebody lifts it. */
    left: number | null;
  }

  /** That a match waits for the reader, or no longer does. */
  interface TurnNews {
    type: "turn";
    match: number;
    waits: boolean;
  }

  /** All matches that wait for the reader. */
  interface Turns {
    type: "turns";
    matches: number[];
  }

  interface HereNews {
    type: "here";
    /** How many are shown as being in the lobby. */
    count: number;
    /** Only to those with an account: who they are, as HTML. */
    list?: string;
  }

  type News =
    | AnnouncedNews
    | ChallengeNews
    | HostedNews
    | MatchStarted
    | MatchEnded
    | MatchFeatured
    | RulingNews
    | TurnNews;
}
