// Elements as static/js/match/dom.js makes them.

declare namespace Dom {
  type Listeners = {
    [Name in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Name]) => unknown;
  };

  interface Attributes {
    on?: Listeners;
    data?: Record<string, string>;
    style?: Record<string, string>;
    /** An attribute; null, undefined and false leave it out, true is the empty one. */
    [name: string]: unknown;
  }

  type Child = Node | string | false | null | undefined | Child[];
}

interface Document {
  addEventListener(
    type: "gauntlet:theme" | "gauntlet:sound",
    listener: (event: CustomEvent) => void,
  ): void;
}
