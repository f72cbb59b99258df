// @ts-check
/* The page that takes a record as a file and verifies its draws. The file never leaves the device. */

import { embedded, find } from "../match/dom.js";
import { readBytes, Unreadable } from "./reading.js";
import { show, showFailure } from "./report.js";

const LARGEST = 16 * 1024 * 1024; // as the checker has it

/**
 * @param {string} ruleset
 * @returns {Promise<Draws.Module>}
 */
async function moduleOf(ruleset) {
  const known = /** @type {Record<string, string>} */ (embedded("draws-of") ?? {});
  if (!Object.hasOwn(known, ruleset)) {
    throw new Unreadable("This site does not know the game of this record.");
  }
  const address = known[ruleset];
  return address ? /** @type {Draws.Module} */ (await import(address)) : { draws: {} };
}

/**
 * @param {Element} root
 * @param {File} file
 */
async function look(root, file) {
  try {
    if (file.size > LARGEST) throw new Unreadable("This file is too large for a match record.");
    const record = readBytes(await file.arrayBuffer());
    show(root, record, await moduleOf(record.ruleset), { seen: "file" });
  } catch (error) {
    showFailure(root, error);
  }
}

const field = /** @type {HTMLInputElement} */ (find(document, "#draws-file"));
const found = find(document, '[data-part="draws"]');
const ground = find(document, '[data-part="ground"]');

field.addEventListener("click", () => {
  field.value = ""; // the same file once more is a change then, too
});
field.addEventListener("change", () => {
  const file = field.files?.[0];
  if (file) void look(found, file);
});
ground.addEventListener("dragover", (event) => {
  event.preventDefault();
  ground.dataset.over = "";
});
ground.addEventListener("dragleave", () => {
  delete ground.dataset.over;
});
ground.addEventListener("drop", (event) => {
  event.preventDefault();
  delete ground.dataset.over;
  const file = event.dataTransfer?.files[0];
  if (file) void look(found, file);
});
