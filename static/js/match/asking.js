// @ts-check
/* A question that stands in the way until it is answered. */

import { h } from "./dom.js";

let asked = 0;

/**
 * Ask whether to go on; resolves to whether the reader wants to. Nothing else can be done meanwhile,
 * and Escape means no.
 * @param {Element} root
 * @param {{title: string, words: string, verb: string}} question
 * @returns {Promise<boolean>}
 */
export function goesOn(root, { title, words, verb }) {
  const id = `asking-${(asked += 1)}`;
  const dialog = h(
    "dialog",
    { class: "dialog", "aria-labelledby": id },
    h("div", { class: "dialog__head" }, h("h2", { id }, title)),
    h("p", { class: "dialog__body" }, words),
    h(
      "form",
      { method: "dialog", class: "dialog__foot" },
      h("button", { class: "button", value: "no", autofocus: true }, "Not yet"),
      h("button", { class: "button button--danger", value: "yes" }, verb),
    ),
  );
  root.append(dialog);
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    dialog.showModal();
  });
}
