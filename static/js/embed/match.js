// @ts-check
/* A match within another site's page, for whoever watches: clocks, score, the board, and how it
   ends. It is the connection of the match page with far less around it, and nobody is signed in:
   nothing of the reader's goes along with what is asked. */

import { MatchClient } from "../match/client.js";
import { embedded, fill, find, write } from "../match/dom.js";
import { Players } from "../match/players.js";
import { namesOf, resultText, turnLine, WITHOUT_BOARD } from "../match/words.js";

class EmbeddedMatch {
  /** @type {Boards.Module | null} */
  module = null; // draws a board that takes no moves
  drawn = -1; // the version that the board shows

  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    /** @param {string} name */
    const part = (name) => find(root, `[data-part="${name}"]`);
    this.parts = {
      players: part("players"),
      turn: part("turn"),
      connection: part("connection"),
      board: part("board"),
      replay: part("replay"),
    };
    const { match, socket = "", state = "" } = root.dataset;
    const url = new URL(socket, location.href);
    url.protocol = url.protocol.replace("http", "ws");
    this.client = new MatchClient({
      match: Number(match),
      socketUrl: url.href,
      stateUrl: state,
      submitUrl: "",
      fetch: (address, options) => fetch(address, { ...options, credentials: "omit" }),
    });
    this.players = new Players(this.parts.players, { now: () => this.client.serverNow() });
  }

  async start() {
    const came = /** @type {Live.Sync | null} */ (embedded("match-sync"));
    this.client.addEventListener("state", ({ detail }) => this.#draw(detail.after));
    this.client.addEventListener("presence", ({ detail }) => this.#draw(detail.after));
    this.client.addEventListener("time", () => this.players.tick());
    this.client.addEventListener("status", () => this.#drawConnection());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.client.wake();
      else this.client.hide();
    });
    addEventListener("online", () => this.client.wake());
    addEventListener("offline", () => this.client.offline());
    this.client.open(came);
    try {
      this.module = /** @type {Boards.Module} */ (await import(this.root.dataset.board ?? ""));
    } catch (error) {
      console.error(error); // the picture that the page came with stays
    }
    this.client.start(came);
  }

  /** @returns {Boards.Words} */
  get ruleset() {
    return this.module ?? WITHOUT_BOARD;
  }

  /** @param {Client.State} state */
  #draw(state) {
    const { view, header, presence, log } = state;
    const names = namesOf(header);
    this.root.dataset.phase = view.phase;
    this.players.update(state, names, this.ruleset.scores(view));
    const dispute = view.ruling
      ? this.ruleset.dispute?.(/** @type {Live.BegunView<never>} */ (view), names)
      : undefined;
    const waiting = this.ruleset.waiting;
    const told = turnLine(view, null, names, { waiting, there: presence?.seats, dispute });
    const over = view.phase === "over";
    this.parts.turn.dataset.state = told.state;
    write(this.parts.turn, over ? resultText(view, names, null, log) : told.text);
    this.parts.replay.hidden = !over;
    this.parts.board.hidden = view.phase === "waiting";
    if (this.module === null || view.game === null || this.drawn === state.version) return;
    this.drawn = state.version;
    fill(this.parts.board, this.module.render(/** @type {Live.View<never>} */ (view), { names }));
  }

  #drawConnection() {
    const { kind, words } = this.client.status;
    this.root.dataset.connection = kind;
    this.parts.connection.hidden = kind === "live" || kind === "connecting";
    write(this.parts.connection, words);
  }
}

const root = document.getElementById("match");
if (root !== null) void new EmbeddedMatch(root).start();
