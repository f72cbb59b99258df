// @ts-check
/* The panel of a replay that verifies the match's draws. What that takes is fetched once it is opened. */

import { find } from "../match/dom.js";

/**
 * Fill the panel. False where that did not work: it is tried again when it is opened again.
 * @param {HTMLDetailsElement} panel
 */
async function verified(panel) {
  const body = find(panel, '[data-part="draws"]');
  const { show, showFailure } = await import("./report.js");
  try {
    const { readBytes } = await import("./reading.js");
    const { keptStorage, notedOf } = await import("../match/nonce.js");
    const answer = await fetch(panel.dataset.record ?? "");
    if (!answer.ok) throw new Error(String(answer.status));
    const record = readBytes(await answer.arrayBuffer());
    const module = /** @type {Draws.Module} */ (
      panel.dataset.rules ? await import(panel.dataset.rules) : { draws: {} }
    );
    const noted = notedOf(Number(panel.dataset.match), keptStorage());
    const seen = "imported" in panel.dataset ? "imported" : "here";
    const you = panel.dataset.you === undefined ? null : Number(panel.dataset.you);
    show(body, record, module, { linked: (at) => `?move=${at + 1}`, noted, you, seen });
    return true;
  } catch (error) {
    showFailure(body, error);
    return false;
  }
}

for (const panel of document.querySelectorAll("details[data-record]")) {
  if (panel instanceof HTMLDetailsElement) {
    let begun = false;
    const begin = async () => {
      if (!panel.open || begun) return;
      begun = true;
      begun = await verified(panel);
    };
    panel.addEventListener("toggle", () => void begin());
    // A link leads to it, or the browser has kept it open.
    if (location.hash === `#${panel.id}`) panel.open = true;
    void begin();
  }
}
