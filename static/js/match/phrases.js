// @ts-check
/* Ready-made words for the chat of the players, and which lines a reader has folded away. */

import { h, write } from "./dom.js";

/** @typedef {"before" | "during" | "after"} Phase */
/** @typedef {{text: string, before: boolean, during: boolean, after: boolean}} Phrase */

/** The phrases of the page; none where it has none. */
export function phrasesOfPage() {
  const said = document.getElementById("chat-phrases")?.textContent;
  return said ? /** @type {Phrase[]} */ (JSON.parse(said)) : [];
}

/**
 * A row of buttons, each of which says something.
 * @param {Phrase[]} phrases
 * @param {(text: string) => void} say
 */
export function phraseBar(phrases, say) {
  const buttons = phrases.map((phrase) => ({
    phrase,
    button: h(
      "button",
      { type: "button", class: "chat__phrase", on: { click: () => say(phrase.text) } },
      phrase.text,
    ),
  }));
  const bar = h(
    "div",
    { class: "chat__phrases", role: "group", "aria-label": "Say with one tap" },
    ...buttons.map(({ button }) => button),
  );
  return {
    bar,
    /** @param {{phase: Phase, shown: boolean, silenced: boolean}} state */
    update({ phase, shown, silenced }) {
      bar.hidden = !shown || buttons.length === 0;
      for (const { phrase, button } of buttons) {
        button.hidden = !phrase[phase];
        button.disabled = silenced;
      }
    },
  };
}

/**
 * Why a line is folded away for its reader; empty: it is not.
 * @param {{username: string | null, text: string}} message
 * @param {object} reader
 * @param {string} reader.username
 * @param {boolean} reader.plays
 * @param {Set<string>} reader.blocked
 * @param {boolean} reader.muted
 * @param {boolean} reader.phrasesOnly
 * @param {Set<string>} phrases
 */
export function whyFolded({ username, text }, reader, phrases) {
  if (username !== null && username === reader.username) return "";
  if (username !== null && reader.blocked.has(username)) return "blocked";
  if (!reader.plays) return "";
  if (reader.muted) return "chat muted";
  return reader.phrasesOnly && !phrases.has(text) ? "not a phrase" : "";
}

/**
 * A switch for having one match's chat muted, on this device.
 * @param {string} match
 * @param {() => void} changed
 */
export function muteSwitch(match, changed) {
  const key = `gauntlet.chat-muted.${match}`;
  let muted = false;
  try {
    muted = localStorage.getItem(key) === "1";
  } catch {
    // Without a memory it holds for as long as the page is open.
  }
  const button = h("button", {
    type: "button",
    class: "button button--quiet button--small chat__mute",
    on: {
      click: () => {
        muted = !muted;
        try {
          if (muted) localStorage.setItem(key, "1");
          else localStorage.removeItem(key);
        } catch {
          // As above.
        }
        show();
        changed();
      },
    },
  });
  function show() {
    write(button, muted ? "Unmute chat" : "Mute chat");
  }
  show();
  return { button, isMuted: () => muted };
}
