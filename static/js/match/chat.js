// @ts-check
/* The chat rooms of a match: the players', which everybody reads, and the spectators', which players
   cannot read before the match is over. So it is with the commentary, which has a place of its own
   (`stands.js`). */

import { followSilence } from "../silence.js";
import { csrfToken, toast } from "../site.js";
import { fill, h, icon, timeOfDay, write } from "./dom.js";
import { muteSwitch, phraseBar, phrasesOfPage, whyFolded } from "./phrases.js";

/** @type {Record<Live.Room, string>} */
const ROOMS = { players: "Players", spectators: "Spectators", commentary: "Commentary" };

/** @type {Live.Room[]} */
const WITH_TABS = ["players", "spectators"];

// A match is not left for this.
const ELSEWHERE = { target: "_blank", rel: "noopener" };

/**
 * As much of a `MatchClient` as a chat needs.
 * @typedef {Pick<Client.MatchClient, "addEventListener" | "chat" | "chatHistory" | "username">} ChatClient
 */

/**
 * @typedef {object} RoomParts
 * @property {HTMLButtonElement} tab
 * @property {HTMLElement} badge
 * @property {HTMLElement} lines
 * @property {HTMLFormElement} form
 * @property {HTMLInputElement} input
 * @property {HTMLElement} note
 * @property {HTMLElement} panel
 * @property {number} unread
 * @property {Map<number, HTMLElement>} seen the line of each message
 * @property {Map<number, Live.Message>} said what each of them says
 * @property {ReturnType<typeof phraseBar> | null} phrases
 */

export class Chat {
  /**
   * @param {HTMLElement} root
   * @param {{client: ChatClient, signedIn: boolean, sound: (name: Client.Sound) => void}} tools
   */
  constructor(root, { client, signedIn, sound }) {
    this.root = root;
    this.client = client;
    this.signedIn = signedIn;
    this.sound = sound;
    /** @type {Seat | null} */
    this.you = null;
    this.over = false;
    this.begun = true;
    this.phrases = phrasesOfPage();
    this.ready = new Set(this.phrases.map(({ text }) => text));
    this.blocked = new Set((root.dataset.blocked ?? "").split(",").filter(Boolean));
    this.phrasesOnly = root.hasAttribute("data-phrases-only");
    this.mute = muteSwitch(root.dataset.match ?? "", () => this.#foldAll());
    this.silenced = ""; // why the reader may not write now, in a sentence
    /** @type {Map<Live.Room, RoomParts>} */
    this.rooms = new Map();
    /** @type {Live.Room | null} */
    this.open = null;
    this.tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "Chat rooms" });
    this.panels = h("div", { class: "chat-panels" });
    fill(root, h("div", { class: "chat__head" }, this.tabs, this.mute.button), this.panels);
    this.commentators = new Set(); // their usernames
    for (const room of WITH_TABS) {
      const { tab, panel } = this.#make(room);
      this.tabs.append(tab);
      this.panels.append(panel);
    }
    client.addEventListener("chat", ({ detail }) => this.#heard(detail));
    client.addEventListener("chat.history", ({ detail }) => this.#history(detail));
    client.addEventListener("chat.removed", ({ detail }) =>
      this.#removed(detail.room, detail.message.id),
    );
    client.addEventListener("settled", ({ detail }) => this.#refused(detail.refused));
    client.addEventListener("trouble", ({ detail }) => this.#refused(detail));
    client.addEventListener("status", ({ detail }) => {
      if (detail.kind === "live") this.#askAll();
    });
    if (signedIn) followSilence(root, (why) => this.#silence(why));
  }

  /**
   * Have the commentary in a place of its own: no tab leads there.
   * @param {HTMLElement} place
   */
  addCommentary(place) {
    const { panel } = this.#make("commentary");
    panel.hidden = false;
    panel.removeAttribute("role");
    panel.removeAttribute("aria-labelledby");
    place.append(panel);
    this.update(this);
    this.client.chatHistory("commentary");
  }

  /**
   * Who writes the commentary.
   * @param {Iterable<string>} usernames
   */
  setCommentators(usernames) {
    this.commentators = new Set(usernames);
    this.update(this);
  }

  /**
   * Muted, and not told of it yet.
   * @param {{code: string, sentence: string} | undefined} refused
   */
  #refused(refused) {
    if (refused?.code === "chat.muted") this.#silence(refused.sentence);
  }

  /** @param {string} why */
  #silence(why) {
    this.silenced = why;
    if (this.open !== null) this.update(this);
  }

  /**
   * Who is reading, and whether the match is over: that decides which rooms there are.
   * @param {{you: Seat | null, over: boolean, begun?: boolean}} who
   */
  update({ you, over, begun = true }) {
    const changed = this.you !== you || this.over !== over;
    const plays = (this.you === null) !== (you === null);
    this.you = you;
    this.over = over;
    this.begun = begun;
    this.mute.button.hidden = you === null;
    if (plays) this.#foldAll();
    for (const [room, parts] of this.rooms) {
      parts.tab.hidden = !this.#mayRead(room);
      parts.form.hidden = !this.#mayWrite(room);
      for (const control of parts.form.querySelectorAll("input, button")) {
        control.toggleAttribute("disabled", this.silenced !== "");
      }
      parts.phrases?.update({
        phase: over ? "after" : begun ? "during" : "before",
        shown: this.#mayWrite(room),
        silenced: this.silenced !== "",
      });
      write(parts.note, this.#note(room));
      parts.note.hidden = parts.note.textContent === "";
    }
    if (this.open === null || !this.#mayRead(this.open)) {
      this.#show(you === null && !over ? "spectators" : "players");
    }
    if (changed) this.#askAll();
  }

  /** @param {Live.Room} room */
  #mayRead(room) {
    return room === "players" || this.you === null || this.over;
  }

  /** @param {Live.Room} room */
  #mayWrite(room) {
    if (!this.signedIn) return false;
    if (room === "commentary") return this.commentators.has(this.client.username ?? "");
    if (room === "players") return this.you !== null || this.over;
    return this.you === null || this.over;
  }

  /** @param {Live.Room} room */
  #note(room) {
    if (this.#mayWrite(room)) {
      if (this.silenced !== "") return this.silenced;
      if (room !== "players" && !this.over) {
        return "The players cannot read this before the end.";
      }
      return "";
    }
    if (room === "commentary") return "";
    if (!this.signedIn) return "Sign in to write.";
    return "Only the two players write here before the end.";
  }

  #askAll() {
    for (const room of this.rooms.keys()) {
      if (this.#mayRead(room)) this.client.chatHistory(room);
    }
  }

  /** @param {Live.Room} room */
  #make(room) {
    const badge = h("span", { class: "badge", hidden: true });
    const tab = h(
      "button",
      {
        type: "button",
        class: "tabs__tab",
        role: "tab",
        id: `chat-tab-${room}`,
        "aria-controls": `chat-${room}`,
        on: { click: () => this.#show(room), keydown: (event) => this.#tabKey(event, room) },
      },
      ROOMS[room],
      badge,
    );
    const lines = h("div", {
      class: "chat__log",
      role: "log",
      "aria-live": "off", // until the history is there
      tabindex: "0",
      "aria-label": room === "commentary" ? "Commentary" : `Chat of the ${room}`,
    });
    const input = h("input", {
      class: "input",
      maxlength: "500",
      autocomplete: "off",
      "aria-label": room === "commentary" ? "Comment on the match" : `Message to the ${room}`,
      "aria-describedby": `chat-note-${room}`,
      placeholder: "Say something",
    });
    const note = h("p", { class: "log__note", id: `chat-note-${room}`, hidden: true });
    const form = h(
      "form",
      { class: "chat__form", on: { submit: (event) => this.#say(event, room) } },
      input,
      h("button", { class: "button button--icon", "aria-label": "Send" }, icon("send") ?? "➤"),
    );
    const phrases =
      room === "players" ? phraseBar(this.phrases, (text) => this.client.chat(room, text)) : null;
    const panel = h(
      "div",
      {
        class: "chat",
        role: "tabpanel",
        id: `chat-${room}`,
        "aria-labelledby": `chat-tab-${room}`,
        hidden: true,
      },
      lines,
      note,
      phrases?.bar ?? null,
      form,
    );
    /** @type {RoomParts} */
    const parts = {
      tab,
      badge,
      lines,
      form,
      input,
      note,
      panel,
      unread: 0,
      seen: new Map(),
      said: new Map(),
      phrases,
    };
    this.rooms.set(room, parts);
    return parts;
  }

  /** @param {Live.Room} room */
  #show(room) {
    this.open = room;
    for (const [name, parts] of this.rooms) {
      const selected = name === room;
      parts.tab.setAttribute("aria-selected", String(selected));
      parts.tab.tabIndex = selected ? 0 : -1;
      if (WITH_TABS.includes(name)) parts.panel.hidden = !selected;
      if (selected) {
        parts.unread = 0;
        if (parts.seen.size > 0) parts.lines.scrollTop = parts.lines.scrollHeight;
      }
      this.#badge(parts);
    }
  }

  /**
   * @param {KeyboardEvent} event
   * @param {Live.Room} room
   */
  #tabKey(event, room) {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const readable = WITH_TABS.filter((name) => this.#mayRead(name));
    const step = event.key === "ArrowRight" ? 1 : readable.length - 1;
    const next = readable[(readable.indexOf(room) + step) % readable.length];
    this.#show(next);
    this.rooms.get(next)?.tab.focus();
    event.preventDefault();
  }

  /** @param {RoomParts} parts */
  #badge(parts) {
    parts.badge.hidden = parts.unread === 0;
    write(parts.badge, parts.unread > 99 ? "99+" : String(parts.unread));
  }

  /**
   * @param {Event} event
   * @param {Live.Room} room
   */
  #say(event, room) {
    event.preventDefault();
    const input = this.rooms.get(room)?.input;
    const text = input?.value.trim() ?? "";
    if (input === undefined || text === "") return;
    this.client.chat(room, text);
    input.value = "";
  }

  /** @param {Live.Said} said */
  #heard({ room, message }) {
    const parts = this.rooms.get(room);
    if (parts === undefined || parts.seen.has(message.id)) return;
    this.#add(parts, message);
    const own = message.username !== null && message.username === this.client.username;
    if (own || this.#folded(message) !== "") return;
    this.sound("chat");
    if (this.open !== room) {
      parts.unread += 1;
      this.#badge(parts);
    }
  }

  /**
   * Lines stand in the order in which they were said, whenever the page has heard of them.
   * @param {RoomParts} parts
   * @param {Live.Message} message
   */
  #add(parts, message) {
    const atEnd = parts.lines.scrollHeight - parts.lines.scrollTop - parts.lines.clientHeight < 40;
    const line = this.#line(message);
    parts.said.set(message.id, message);
    if (parts.seen.size === 0) fill(parts.lines);
    const later = [...parts.seen].filter(([id]) => id > message.id).sort(([a], [b]) => a - b);
    parts.seen.set(message.id, line);
    if (later.length > 0) later[0][1].before(line);
    else parts.lines.append(line);
    if (atEnd) parts.lines.scrollTop = parts.lines.scrollHeight;
  }

  /**
   * What can be done about a message: reported, and by moderators taken away.
   * @param {Live.Message} message
   */
  #more({ id, name, username }) {
    const { report, remove } = this.root.dataset;
    const own = username !== null && username === this.client.username;
    const links = [
      report && !own ? h("a", { href: `${report}${id}/`, ...ELSEWHERE }, "Report") : null,
      this.signedIn && username && !own ? this.#blockButton(username, name) : null,
      remove ? h("a", { href: `${remove}${id}/remove/`, ...ELSEWHERE }, "Take away") : null,
    ].filter((link) => link !== null);
    if (links.length === 0) return null;
    return h(
      "details",
      { class: "chat__more" },
      h("summary", { "aria-label": `More about this message of ${name}` }, "⋯"),
      h("span", { class: "chat__actions" }, ...links),
    );
  }

  /** @param {Live.History} told */
  #history({ room, messages }) {
    const parts = this.rooms.get(room);
    if (parts === undefined) return;
    // What is there stays there: a screen reader would read new lines aloud, known as they are.
    for (const message of messages) {
      const line = parts.seen.get(message.id);
      if (line === undefined) this.#add(parts, message);
      else if (line.dataset.kind === "system") this.#putBack(parts, message);
    }
    const told = new Set(messages.map(({ id }) => id));
    const [oldest] = told;
    for (const id of parts.seen.keys()) {
      if (id >= oldest && !told.has(id)) this.#removed(room, id);
    }
    if (parts.lines.childElementCount === 0) {
      parts.lines.append(
        h("p", { class: "chat__line", "data-kind": "system" }, "Nothing has been said yet."),
      );
    }
    if (parts.lines.getAttribute("aria-live") !== "off") return;
    parts.lines.scrollTop = parts.lines.scrollHeight;
    // From now on what comes is news.
    setTimeout(() => parts.lines.removeAttribute("aria-live"), 1_000);
  }

  /**
   * @param {RoomParts} parts
   * @param {Live.Message} message
   */
  #putBack(parts, message) {
    const line = this.#line(message);
    parts.said.set(message.id, message);
    parts.seen.get(message.id)?.replaceWith(line);
    parts.seen.set(message.id, line);
  }

  /** @param {Live.Message} message */
  #line(message) {
    return chatLine(message, this.#more(message), this.#folded(message));
  }

  /**
   * Why a line is folded away for this reader; empty: it is not.
   * @param {Live.Message} message
   */
  #folded(message) {
    const reader = {
      username: this.client.username ?? "",
      plays: this.you !== null,
      blocked: this.blocked,
      muted: this.mute.isMuted(),
      phrasesOnly: this.phrasesOnly,
    };
    return whyFolded(message, reader, this.ready);
  }

  /** Show all lines as the reader wants them now. */
  #foldAll() {
    for (const parts of this.rooms.values()) {
      for (const [id, message] of parts.said) {
        const before = parts.seen.get(id);
        if (before === undefined || before.dataset.kind === "system") continue;
        if ((before.dataset.folded ?? "") === this.#folded(message)) continue;
        const line = this.#line(message);
        before.replaceWith(line);
        parts.seen.set(id, line);
      }
    }
  }

  /**
   * @param {string} username
   * @param {string} name
   */
  #blockButton(username, name) {
    const is = this.blocked.has(username);
    return h(
      "button",
      {
        type: "button",
        class: "chat__block",
        on: { click: () => void this.#block(username, name, !is) },
      },
      is ? "Unblock" : "Block",
      h("span", { class: "visually-hidden" }, ` ${name}`),
    );
  }

  /**
   * Block somebody, or unblock them: their lines are folded away, or are not any more, once the
   * server knows.
   * @param {string} username
   * @param {string} name
   * @param {boolean} block
   */
  async #block(username, name, block) {
    const address = `/accounts/${block ? "block" : "unblock"}/${encodeURIComponent(username)}/`;
    let done;
    try {
      const response = await fetch(address, {
        method: "POST",
        headers: { "X-CSRFToken": csrfToken(), Accept: "application/json" },
      });
      done = response.ok;
    } catch {
      done = false;
    }
    if (!done) {
      toast("That did not work. Please try again.", { kind: "danger" });
      return;
    }
    if (block) this.blocked.add(username);
    else this.blocked.delete(username);
    for (const parts of this.rooms.values()) {
      for (const [id, message] of parts.said) {
        const before = parts.seen.get(id);
        if (message.username !== username || before?.dataset.kind === "system") continue;
        const line = this.#line(message);
        before?.replaceWith(line);
        parts.seen.set(id, line);
      }
    }
    toast(block ? `${name} is blocked. They are not told.` : `${name} is not blocked any more.`);
    this.rooms.get(this.open ?? "players")?.lines.focus();
  }

  /**
   * @param {Live.Room} room
   * @param {number} id the message's
   */
  #removed(room, id) {
    const line = this.rooms.get(room)?.seen.get(id);
    if (line === undefined || line.dataset.kind === "system") return;
    line.dataset.kind = "system";
    fill(line, "A moderator took this message away.");
  }
}

/**
 * @param {Live.Message} message
 * @param {Element | null} more
 * @param {string} folded why it is folded away for its reader; empty: it is not
 */
export function chatLine({ at, name, username, seat, text }, more, folded) {
  return h(
    "div",
    { class: "chat__line", "data-seat": seat, "data-folded": folded || null },
    h("bdi", { class: "chat__who", title: username ? `@${username}` : null }, `${name}:`),
    folded
      ? h(
          "details",
          { class: "chat__folded" },
          h("summary", {}, `hidden: ${folded}`),
          h("span", { class: "chat__text" }, text),
        )
      : h("span", { class: "chat__text" }, text),
    h(
      "time",
      { class: "chat__time", datetime: new Date(at).toISOString() },
      timeOfDay(at, { hour: "2-digit", minute: "2-digit" }),
    ),
    more,
  );
}
