/* What the page of a puzzle is told (`games/puzzles/reading.py`). */

declare namespace Puzzles {
  /** A position with a question. */
  interface Data {
    puzzle: number;
    you: Seat;
    question: string;
    header: Live.Header;
    view: Live.View;
    scores: number[];
  }

  /** A position that follows from an answer, and what led to it. */
  interface Step {
    seat: Seat | null;
    text: string;
    events: Live.LogEvent[];
    view: Live.View;
    scores: number[];
  }

  /** What the rules say of an answer, and what it has done. */
  interface Verdict {
    text: string;
    right: boolean;
    words: string;
    steps: Step[];
    counted: boolean;
    puzzle: { rating: number; attempts: number; solved: number };
    you: { rating: number; change: number; answered: number; solved: number; streak: number };
  }
}
