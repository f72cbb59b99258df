// @ts-check
/** Where an organiser prepares something, the ruleset's own editor stands above the text: what is drawn
 * in one is written in the other, and the server says at once what is wrong with it. Without this, or
 * for a ruleset that has no editor, the text is all there is. */

import { announce, csrfToken } from "./site.js";
import { fill, find, h } from "./match/dom.js";
import { History } from "./boards/history.js";

const WAIT = 400; // ms without a change before the text is checked

const root = find(document, "[data-supply]");
const field = /** @type {HTMLTextAreaElement} */ (find(document, "[name=text]"));
const told = find(root, "[data-told]");
const stage = find(root, "[data-editor]");
const history = new History(field.value);

/** @type {Supplied.Editor | null} */
let editor = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let asked = 0;
let refused = false; // what is told is why something could not be done

/**
 * @param {string} address
 * @param {FormData} body
 * @returns {Promise<Partial<Supplied.Report> & {outlines?: Supplied.Outline[], sentence?: string}>}
 */
async function ask(address, body) {
  let answer;
  try {
    answer = await fetch(address, {
      method: "POST",
      headers: { "X-CSRFToken": csrfToken() },
      body,
    });
  } catch {
    return { sentence: "The site cannot be reached just now. What you have drawn is still here." };
  }
  try {
    /** @type {Partial<Supplied.Report>} */
    const said = await answer.json();
    return said;
  } catch {
    return { sentence: "The site did not understand this. What you have drawn is still here." };
  }
}

/**
 * @param {string} title
 * @param {string[]} sentences
 * @param {string} kind
 */
function tell(title, sentences, kind) {
  told.className = `supply__told alert${kind && ` alert--${kind}`}`;
  fill(
    told,
    h(
      "div",
      { class: "alert__body" },
      h("p", { class: "alert__title" }, title),
      sentences.length > 0 && h("ul", {}, ...sentences.map((each) => h("li", {}, each))),
    ),
  );
}

async function check() {
  const number = (asked += 1);
  const text = field.value;
  if (!text.trim()) {
    tell("Nothing is drawn yet", [], "");
    return;
  }
  const body = new FormData();
  body.set("text", text);
  const found = await ask(root.dataset.check ?? "", body);
  if (number !== asked) return; // it has been changed since
  if (refused) {
    if (Array.isArray(found.faults)) editor?.report(/** @type {Supplied.Report} */ (found));
    return;
  }
  if (!Array.isArray(found.faults)) {
    tell("This could not be checked", [String(found.sentence)], "warning");
    return;
  }
  const report = /** @type {Supplied.Report} */ (found);
  if (report.faults.length > 0) {
    const count = report.faults.length;
    tell(count === 1 ? "One thing is wrong" : `${count} things are wrong`, report.faults, "danger");
  } else {
    tell("This is sound", report.remarks, "success");
  }
  editor?.report(report);
}

function later() {
  refused = false;
  clearTimeout(timer);
  timer = setTimeout(() => void check(), WAIT);
}

/** @param {string} text */
function write(text) {
  field.value = text;
  later();
  showHistory();
}

function showHistory() {
  find(root, "[data-undo]").toggleAttribute("disabled", !history.back);
  find(root, "[data-redo]").toggleAttribute("disabled", !history.forward);
}

/** @param {string | null} text */
function step(text) {
  if (text === null) return;
  write(text);
  editor?.take(text);
}

/** @type {Supplied.Api} */
const api = {
  key: root.dataset.key ?? "",
  change(text) {
    history.add(text);
    write(text);
  },
  async outlines(file) {
    const body = new FormData();
    body.set("drawing", file);
    const found = await ask(root.dataset.outlines ?? "", body);
    if (Array.isArray(found.outlines)) return found.outlines;
    this.refuse(String(found.sentence));
    return null;
  },
  announce: (text) => announce(text, { now: true }),
  refuse(text) {
    // A check of what was changed before is not to take its place, however late it comes.
    refused = true;
    // A live region: screen readers read it by themselves.
    tell("This cannot be done", [text], "warning");
  },
};

async function begin() {
  /** @type {Supplied.Module} */
  const module = await import(root.dataset.module ?? "");
  editor = module.mount(stage, api);
  editor.take(field.value);
  root.hidden = false;
  field.addEventListener("input", () => {
    history.add(field.value);
    editor?.take(field.value);
    later();
    showHistory();
  });
  find(root, "[data-undo]").addEventListener("click", () => step(history.undo()));
  find(root, "[data-redo]").addEventListener("click", () => step(history.redo()));
  root.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    step(key === "y" || event.shiftKey ? history.redo() : history.undo());
  });
  /** @type {NodeListOf<HTMLButtonElement>} */
  const starts = root.querySelectorAll("[data-begin]");
  for (const button of starts) {
    button.addEventListener("click", () => {
      void fetch(button.dataset.begin ?? "")
        .then((answer) => (answer.ok ? answer.text() : Promise.reject(new Error("away"))))
        .then((text) => {
          api.change(text);
          editor?.take(text);
        })
        .catch(() => api.refuse("The site cannot be reached just now."));
    });
  }
  showHistory();
  void check();
}

void begin();
