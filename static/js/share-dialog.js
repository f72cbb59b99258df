// @ts-check
/* What there is to share of a moment of a match, in one dialog: its link, pictures of it, a clip. Loaded
   when it is first wanted. */

import { fill, h, icon, write } from "./match/dom.js";

/**
 * @typedef {object} Offered
 * @property {string} title what is shared, for whatever the device shares with
 * @property {string} link
 * @property {string} of what the link leads to, as in "Link to move 12"
 * @property {string} picture the address of the board's picture without its ending; empty: there is none
 * @property {string} [name] that of the picture when it is kept, without its ending
 * @property {string} card the address of the picture that goes with links; empty: it would tell too much
 * @property {({from: number, to: number, link: string, picture: string, name: string}) | null} [clip]
 * @property {boolean} [clips] whether clips can be made on this page
 */

/** @type {HTMLDialogElement | null} */
let dialog = null;
// What has come of it: below a dialog no toast can be seen.
const said = h("p", { class: "small", role: "status" });

/** @param {Offered} offered */
export function openSharing(offered) {
  if (dialog === null) {
    dialog = h("dialog", { class: "dialog", "aria-labelledby": "share-title" });
    document.body.append(dialog);
  }
  fill(
    dialog,
    h("div", { class: "dialog__head" }, h("h2", { id: "share-title" }, "Share")),
    h(
      "div",
      { class: "dialog__body stack" },
      part(
        `Link to ${offered.of}`,
        ...linkTo(offered.link, `Link to ${offered.of}`, offered.title),
      ),
      offered.clip ? clipPart(offered.clip, offered.title) : null,
      offered.picture ? picturePart(offered) : null,
      offered.card
        ? part(
            "Card with names and score",
            buttons(
              download(offered.card, "PNG", "card"),
              shareFile(offered.card, offered.title, "card"),
            ),
          )
        : null,
      offered.clips && !offered.clip
        ? h(
            "p",
            { class: "small muted" },
            "To share a few moves as a clip, choose below the board where it starts and ends.",
          )
        : null,
      said,
    ),
    h(
      "form",
      { method: "dialog", class: "dialog__foot" },
      h("button", { class: "button", autofocus: true }, "Close"),
    ),
  );
  write(said, "");
  dialog.showModal();
}

/** @param {Offered} offered */
function picturePart({ picture, name = fileOf(picture), of, title }) {
  return part(
    `Picture of ${of}`,
    buttons(
      download(`${picture}.png`, "PNG", "picture", `${name}.png`),
      download(`${picture}.svg`, "SVG", "picture", `${name}.svg`),
      shareFile(`${picture}.png`, title, "picture", `${name}.png`),
    ),
  );
}

/**
 * @param {NonNullable<Offered["clip"]>} clip
 * @param {string} title
 */
function clipPart({ from, to, link, picture, name }, title) {
  const words = `Clip of moves ${from} to ${to}`;
  return part(
    words,
    ...linkTo(link, words, title),
    picture
      ? buttons(
          download(picture, "Moving picture (GIF)", "clip", `${name}.gif`),
          shareFile(picture, title, "moving picture", `${name}.gif`),
        )
      : null,
    h(
      "p",
      { class: "small muted" },
      picture
        ? "The moving picture of a long clip leaves some positions out."
        : "There is no moving picture of it: fewer than two of its positions were seen by everybody.",
    ),
  );
}

/**
 * @param {string} title
 * @param {...Dom.Child} children
 */
function part(title, ...children) {
  return h("section", { class: "stack" }, h("h3", {}, title), ...children);
}

/** @param {...Dom.Child} children */
function buttons(...children) {
  return h("p", { class: "button-row" }, ...children);
}

/**
 * The address, to be taken by hand, and buttons that copy it or hand it on.
 * @param {string} link
 * @param {string} label
 * @param {string} title
 */
function linkTo(link, label, title) {
  const field = h("input", {
    class: "input input--mono",
    type: "text",
    readonly: true,
    value: link,
    "aria-label": label,
  });
  field.addEventListener("focus", () => field.select());
  return [
    field,
    buttons(
      button("copy", "Copy", label, () => void copy(link)),
      can() ? button("send", "Share…", label, () => void share({ title, url: link })) : null,
    ),
  ];
}

/**
 * The words on a button, and for those who hear it alone what it is about.
 * @param {string} words
 * @param {string} about
 */
function named(words, about) {
  return h("span", {}, words, " ", h("span", { class: "visually-hidden" }, about));
}

/**
 * @param {string} sign
 * @param {string} words
 * @param {string} label
 * @param {() => void} act
 */
function button(sign, words, label, act) {
  return h(
    "button",
    { type: "button", class: "button", on: { click: act } },
    icon(sign),
    named(words, label),
  );
}

/**
 * What a file is called when it is kept.
 * @param {string} address
 */
const fileOf = (address) => address.replace(/^\//, "").replaceAll("/", "-");

/**
 * @param {string} address
 * @param {string} words
 * @param {string} label
 * @param {string} [name]
 */
function download(address, words, label, name = fileOf(address)) {
  return h(
    "a",
    { class: "button", href: address, download: name },
    icon("download"),
    named(words, label),
  );
}

/**
 * Hand a picture itself on, where the device takes pictures.
 * @param {string} address
 * @param {string} title
 * @param {string} label
 * @param {string} [name]
 */
function shareFile(address, title, label, name = fileOf(address)) {
  const kind = address.endsWith(".gif") ? "image/gif" : "image/png";
  const probe = new File([], name, { type: kind });
  if (!can() || !navigator.canShare?.({ files: [probe] })) return null;
  return button("send", "Share…", label, () => void handOn());
  async function handOn() {
    try {
      const answer = await fetch(address);
      if (!answer.ok) throw new Error(String(answer.status));
      const file = new File([await answer.blob()], name, { type: kind });
      await share({ title, files: [file] });
    } catch {
      write(said, "The picture could not be loaded.");
    }
  }
}

const can = () => typeof navigator.share === "function";

/** @param {ShareData} what */
async function share(what) {
  try {
    await navigator.share(what);
  } catch {
    // Put away without having chosen anything: nothing to say.
  }
}

/** @param {string} link */
async function copy(link) {
  try {
    await navigator.clipboard.writeText(link);
  } catch {
    write(said, "The link could not be copied: take it from the field.");
    return;
  }
  write(said, "The link is copied.");
}
