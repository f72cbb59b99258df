// @ts-check
/* What those have who watch a match, and its players once it is over: who is thought to win, and
   what commentators say. Whose a prediction is the server tells nobody. */

import { announce, csrfToken, toast } from "../site.js";
import { AGAIN, whyNot } from "./answers.js";
import { fill, h, write } from "./dom.js";

/* When predictions close, as `games.services.predictions` has it: the server decides. */
const LINES = 6;
const LEAST = 120_000;

/**
 * When predictions close or have closed, as far as whoever watches can tell; Infinity: nobody knows.
 * @param {Pick<Client.State, "view" | "log">} state
 */
export function closesAt({ view, log }) {
  if (view.phase === "over") return -Infinity;
  if (view.phase === "waiting" || log.length < LINES) return Infinity;
  return log[0].at + LEAST;
}

/**
 * Whole percentages of two counts; none of nothing.
 * @param {number[]} counts
 * @returns {[number, number] | null}
 */
export function shares([one, other]) {
  if (one + other === 0) return null;
  const share = Math.round((100 * one) / (one + other));
  return [share, 100 - share];
}

/**
 * What a reader is told beneath the two names.
 * @param {object} now
 * @param {boolean} now.open
 * @param {boolean} now.signedIn
 * @param {Api.Predictions} now.told
 * @param {Live.View} now.view
 * @param {string[]} now.names
 */
export function noteOf({ open, signedIn, told, view, names }) {
  const { counts, may, yours } = told;
  if (view.phase === "over") {
    const winner = view.result?.winner ?? null;
    const all = counts[0] + counts[1];
    if (all === 0) return "Nobody made a prediction.";
    if (winner === null) return "The match is void: predictions count for nobody.";
    const right = `${counts[winner]} of ${all} ${all === 1 ? "was" : "were"} right.`;
    if (yours === null) return right;
    return `${right} ${yours === winner ? "You were right." : "You were wrong."}`;
  }
  if (!open) {
    const own = yours === null ? "" : ` You said ${names[yours]}.`;
    return `Predictions are closed.${own}`;
  }
  if (!signedIn) return "Sign in to predict.";
  if (!may) return "Whoever may rule on a match does not predict it.";
  const own = yours === null ? "Choose one." : `You say ${names[yours]}.`;
  return `${own} You can change it until play is under way.`;
}

/**
 * @typedef {object} Tools
 * @property {Client.MatchClient} client
 * @property {import("./chat.js").Chat} chat
 * @property {boolean} signedIn
 * @property {string} url of the match in the API
 */

export class Stands {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  closing;

  /**
   * @param {HTMLElement} root
   * @param {Tools} tools
   */
  constructor(root, { client, chat, signedIn, url }) {
    this.client = client;
    this.predictions = new Predictions({ signedIn, url: `${url}predictions/` });
    this.commentary = new Commentary({ chat, url: `${url}commentary/` });
    fill(root, this.predictions.root, this.commentary.root);
    client.addEventListener("predictions", ({ detail }) => this.predictions.count(detail.counts));
    client.addEventListener("commentators", ({ detail }) =>
      this.commentary.name(detail.commentators),
    );
    client.addEventListener("chat.history", ({ detail }) => {
      if (detail.commentators) this.commentary.name(detail.commentators);
      if (detail.room === "commentary") this.commentary.said(detail.messages.length);
    });
    client.addEventListener("chat", ({ detail }) => {
      if (detail.room === "commentary") this.commentary.said(1);
    });
    client.addEventListener("status", ({ detail }) => {
      if (detail.kind === "live") void this.predictions.load();
    });
    if (["live", "polling"].includes(client.status.kind)) void this.predictions.load();
    chat.addCommentary(this.commentary.place);
  }

  /**
   * @param {Client.State} state
   * @param {string[]} names
   */
  update(state, names) {
    const left = closesAt(state) - this.client.serverNow();
    this.predictions.update(state, names, left > 0);
    clearTimeout(this.closing);
    // Nothing else may happen then.
    if (left > 0 && left < Infinity) {
      this.closing = setTimeout(() => this.update(state, names), left);
    }
    this.commentary.update(state.header.organise && state.view.phase !== "over");
  }
}

class Predictions {
  /** @param {{signedIn: boolean, url: string}} options */
  constructor({ signedIn, url }) {
    this.signedIn = signedIn;
    this.url = url;
    /** @type {Api.Predictions | null} */
    this.told = null;
    /** @type {Live.View | null} */
    this.view = null;
    this.names = ["", ""];
    this.open = false;
    this.sides = [0, 1].map((seat) => {
      const name = h("bdi", { class: "prediction__name" });
      const share = h("span", { class: "prediction__share numbers" });
      const button = h(
        "button",
        {
          type: "button",
          class: "prediction",
          "data-seat": seat,
          disabled: true,
          on: { click: () => void this.#predict(seat) },
        },
        name,
        share,
      );
      return { button, name, share };
    });
    this.bar = h("div", { class: "predictions__bar", "aria-hidden": "true" });
    this.note = h("p", { class: "predictions__note small muted", "aria-live": "polite" });
    this.title = h("h2", { class: "panel__title", id: "predictions-title" }, "Who will win?");
    this.root = h(
      "section",
      { class: "panel predictions", "aria-labelledby": "predictions-title" },
      h("div", { class: "panel__head" }, this.title),
      h(
        "div",
        { class: "panel__body" },
        h(
          "div",
          { class: "predictions__sides" },
          this.sides.map(({ button }) => button),
        ),
        this.bar,
        this.note,
      ),
    );
  }

  async load() {
    try {
      const answer = await fetch(this.url, { headers: { Accept: "application/json" } });
      if (answer.ok) this.#tell(await predictionsIn(answer));
    } catch {
      // It is asked again when the connection is back.
    }
  }

  /** @param {number[]} counts */
  count(counts) {
    if (this.told !== null) this.#tell({ ...this.told, counts });
  }

  /**
   * @param {Client.State} state
   * @param {string[]} names
   * @param {boolean} open
   */
  update({ view }, names, open) {
    this.view = view;
    this.names = names;
    this.open = open;
    this.#draw();
  }

  /** @param {number} seat */
  async #predict(seat) {
    if (this.told === null || this.told.yours === seat) return;
    try {
      const answer = await fetch(this.url, {
        method: "PUT",
        headers: {
          "Content-Type": "application/json",
          Accept: "application/json",
          "X-CSRFToken": csrfToken(),
        },
        body: JSON.stringify({ seat }),
      });
      if (!answer.ok) throw new Error(await whyNot(answer));
      this.#tell(await predictionsIn(answer));
    } catch (error) {
      toast(error instanceof TypeError ? AGAIN : String(error).replace("Error: ", ""), {
        kind: "danger",
      });
      void this.load();
    }
  }

  /** @param {Api.Predictions} predictions */
  #tell(predictions) {
    this.told = predictions;
    this.#draw();
  }

  #draw() {
    const { told: now, view, names, open, signedIn } = this;
    if (view === null) return;
    write(this.title, open ? "Who will win?" : "Predictions");
    const winner = view.result?.winner ?? null;
    const parts = now === null ? null : shares(now.counts);
    this.sides.forEach(({ button, name, share }, seat) => {
      write(name, names[seat]);
      const count = now?.counts[seat] ?? 0;
      write(share, parts === null ? "–" : `${parts[seat]} % · ${count}`);
      button.disabled = !(open && now?.may);
      button.setAttribute("aria-pressed", String(now?.yours === seat));
      button.toggleAttribute("data-won", winner === seat);
    });
    this.bar.hidden = parts === null;
    this.bar.style.setProperty("--share", `${parts?.[0] ?? 50}%`);
    if (now !== null) write(this.note, noteOf({ open, signedIn, told: now, view, names }));
  }
}

class Commentary {
  /** @param {{chat: import("./chat.js").Chat, url: string}} options */
  constructor({ chat, url }) {
    this.chat = chat;
    this.url = url;
    /** @type {Live.Commentator[]} */
    this.commentators = [];
    this.comments = 0;
    this.names = false; // whether the reader names commentators
    this.title = h("h2", { class: "panel__title", id: "commentary-title" });
    this.place = h("div", { class: "commentary__lines" });
    this.list = h("ul", { class: "commentary__named" });
    this.input = h("input", {
      class: "input",
      id: "commentator-name",
      maxlength: "20",
      autocomplete: "off",
      autocapitalize: "none",
      spellcheck: "false",
      required: true,
      "aria-describedby": "commentator-why",
    });
    this.why = h("p", { class: "field__errors", id: "commentator-why", role: "alert" });
    this.desk = h(
      "details",
      { class: "disclosure commentary__desk", hidden: true },
      h("summary", {}, "Name commentators"),
      h(
        "div",
        { class: "disclosure__body stack" },
        this.list,
        h(
          "form",
          { class: "commentary__form", on: { submit: (event) => void this.#name(event) } },
          h("label", { for: "commentator-name" }, "Username"),
          this.input,
          h("button", { class: "button" }, "Name"),
        ),
        this.why,
      ),
    );
    this.root = h(
      "section",
      { class: "panel commentary", "aria-labelledby": "commentary-title", hidden: true },
      h("div", { class: "panel__head" }, this.title),
      this.place,
    );
    this.#draw();
  }

  /** @param {boolean} names whether the reader may name commentators now */
  update(names) {
    if (this.names === names) return;
    this.names = names;
    this.#draw();
  }

  /** Have the reader name commentators. */
  ask() {
    if (this.desk.hidden) return;
    this.desk.open = true;
    this.input.focus();
  }

  /** @param {number} count how many comments there are, or one more */
  said(count) {
    if (count === 0 || this.comments > 0) return;
    this.comments = count;
    this.#draw();
  }

  /** @param {Live.Commentator[]} commentators */
  name(commentators) {
    this.commentators = commentators;
    this.chat.setCommentators(commentators.map(({ username }) => username));
    this.#draw();
  }

  #draw() {
    const { commentators, names } = this;
    const by =
      commentators.length > 0 ? ` by ${commentators.map(({ name }) => name).join(", ")}` : "";
    write(this.title, `Commentary${by}`);
    this.place.hidden = commentators.length === 0 && this.comments === 0;
    this.root.hidden = this.place.hidden && !names;
    this.desk.hidden = !names;
    if (names && !this.desk.isConnected) this.root.append(this.desk);
    fill(
      this.list,
      commentators.map(({ name, username }) =>
        h(
          "li",
          {},
          h("span", {}, h("bdi", {}, name), ` (@${username})`),
          h(
            "button",
            {
              type: "button",
              class: "button button--small",
              on: { click: () => void this.#dismiss(username, name) },
            },
            "Dismiss",
            h("span", { class: "visually-hidden" }, ` ${name}`),
          ),
        ),
      ),
    );
    this.list.hidden = commentators.length === 0;
  }

  /** @param {Event} event */
  async #name(event) {
    event.preventDefault();
    write(this.why, "");
    const username = this.input.value.trim().replace(/^@/, "");
    if (username === "") return;
    const why = await this.#send("POST", this.url, { username });
    write(this.why, why);
    this.input.setAttribute("aria-invalid", String(why !== ""));
    if (why !== "") return;
    this.input.value = "";
    announce("Named.");
  }

  /**
   * @param {string} username
   * @param {string} name
   */
  async #dismiss(username, name) {
    const why = await this.#send("DELETE", `${this.url}${encodeURIComponent(username)}/`);
    write(this.why, why);
    if (why !== "") return;
    announce(`${name} is dismissed.`);
    this.input.focus();
  }

  /**
   * Why it could not be done; empty: it was, and everybody is told who comments now.
   * @param {string} method
   * @param {string} url
   * @param {object} [body]
   */
  async #send(method, url, body) {
    try {
      const answer = await fetch(url, {
        method,
        headers: {
          "Content-Type": "application/json",
          Accept: "application/json",
          "X-CSRFToken": csrfToken(),
        },
        body: body && JSON.stringify(body),
      });
      return answer.ok ? "" : await whyNot(answer);
    } catch {
      return AGAIN;
    }
  }
}

/**
 * @param {Response} answer
 * @returns {Promise<Api.Predictions>}
 */
async function predictionsIn(answer) {
  const document = /** @type {unknown} */ (await answer.json());
  return /** @type {Api.Predictions} */ (document);
}
