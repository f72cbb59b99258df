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

  /** What is pushed: see accounts/announcing/push.py. */
  interface Told {
    subject: string;
    words: string;
    url: string;
    tag: string;
  }

  interface PushData {
    json(): unknown;
  }

  interface PushEvent extends ExtendableEvent {
    readonly data: PushData | null;
  }

  interface ClickEvent extends ExtendableEvent {
    readonly notification: Notification;
  }

  interface SubscriptionChangeEvent extends ExtendableEvent {
    readonly oldSubscription: PushSubscription | null;
    readonly newSubscription: PushSubscription | null;
  }

  interface Page {
    readonly url: string;
    readonly visibilityState: DocumentVisibilityState;
    focus(): Promise<unknown>;
  }

  interface Clients {
    claim(): Promise<void>;
    matchAll(wanted: { type: "window"; includeUncontrolled: boolean }): Promise<Page[]>;
    openWindow(url: string): Promise<unknown>;
  }

  interface Registration {
    navigationPreload?: { enable(): Promise<void> };
    readonly pushManager: PushManager;
    getNotifications(filter: { tag?: string }): Promise<{ close(): void }[]>;
    showNotification(
      title: string,
      options: NotificationOptions & { renotify: boolean },
    ): Promise<void>;
  }

  interface Events {
    install: ExtendableEvent;
    activate: ExtendableEvent;
    fetch: FetchEvent;
    push: PushEvent;
    notificationclick: ClickEvent;
    pushsubscriptionchange: SubscriptionChangeEvent;
  }

  interface Scope {
    /** What is to be kept: addresses, the name of this release, and which of them is the page. And
        the picture that stands beside an announcement. */
    readonly kept: { files: string[]; release: string; offline: string; icon: string };
    readonly clients: Clients;
    readonly registration: Registration;
    skipWaiting(): Promise<void>;
    addEventListener<Kind extends keyof Events>(
      kind: Kind,
      listener: (event: Events[Kind]) => void,
    ): void;
  }
}
