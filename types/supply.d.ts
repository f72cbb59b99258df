// What the page on which organisers prepare something and a ruleset's own editor of it hand each other
// (static/js/boards/README.md).

declare namespace Supplied {
  /** A part of what is prepared, as the server understood it. */
  interface Part {
    name: string;
    note: string;
    data: unknown;
  }

  /** What the text is worth, by the server's own check. */
  interface Report {
    faults: string[];
    remarks: string[];
    parts: Part[];
  }

  /** A shape out of a drawing, in whole pixels. */
  interface Outline {
    name: string;
    outline: [number, number][];
    holes: [number, number][][];
  }

  interface Editor {
    /** The text was changed by hand, or came with the page. */
    take(text: string): void;
    /** The server has looked at the text. */
    report(found: Report): void;
  }

  interface Api {
    /** Which of the ruleset's supplies it is. */
    key: string;
    /** The text is now this one: it is checked in a moment. */
    change(text: string): void;
    /** The shapes of an SVG file; null where there are none, which has been said. */
    outlines(file: File): Promise<Outline[] | null>;
    /** Have a screen reader say something. */
    announce(text: string): void;
    /** Say why something cannot be done, to be seen and read aloud. */
    refuse(text: string): void;
  }

  interface Module {
    mount(root: HTMLElement, api: Api): Editor;
  }
}
