/* What a service worker has, as far as ours uses it. The library that describes all of it cannot be
   read beside the one of pages. */

declare namespace Worker {
  interface ExtendableEvent extends Event {
    waitUntil(work: Promise<unknown>): void;
  }

  interface FetchEvent extends ExtendableEvent {
    readonly request: Request;
    readonly preloadResponse: Promise<Response | undefined>;
    respondWith(answer: Promise<Response>): void;
  }

  interface Events {
    install: ExtendableEvent;
    activate: ExtendableEvent;
    fetch: FetchEvent;
  }

  interface Scope {
    /** What is to be kept: addresses, the name of this release, and which of them is the page. */
    readonly kept: { files: string[]; release: string; offline: string };
    readonly clients: { claim(): Promise<void> };
    readonly registration: { navigationPreload?: { enable(): Promise<void> } };
    skipWaiting(): Promise<void>;
    addEventListener<Kind extends keyof Events>(
      kind: Kind,
      listener: (event: Events[Kind]) => void,
    ): void;
  }
}
