// @ts-check
// The rehearsal's page: what one person sees of the server, and what they do there.

/** @typedef {{ name: string, value: string | number }} Choice */
/** @typedef {{ name: string, description: string, type: number, required?: boolean,
 *   choices?: Choice[], autocomplete?: boolean }} Option */
/** @typedef {{ name: string, description: string, options: Option[] | null }} Command */
/** @typedef {{ type: number, style?: number, label?: string, url?: string, custom_id?: string,
 *   disabled?: boolean, placeholder?: string, components?: Component[],
 *   options?: { label: string, value: string, description?: string }[] }} Component */
/** @typedef {{ title?: string, url?: string, description?: string, color?: number,
 *   author?: { name: string }, footer?: { text: string }, image?: { url: string },
 *   thumbnail?: { url: string }, fields?: { name: string, value: string }[] }} Embed */
/** @typedef {{ id: string, at: number, content: string, embeds: Embed[], components: Component[],
 *   files: string[], edited?: boolean, asked?: string, private?: boolean, fault?: string }} Message */
/** @typedef {{ id: string, name: string, parent: string, archived: boolean, direct: boolean,
 *   messages: Message[] }} Channel */
/** @typedef {{ id: string, what: string, why: string, errors: Record<string, string> }} Fault */
/** @typedef {{ server: { id: string, name: string }, site: string, channels: Channel[],
 *   people: { id: string, name: string }[], commands: Command[], faults: Fault[],
 *   roles: { id: string, name: string, members: string[] }[] }} State */

const YES_OR_NO = 5;
const NUMBER = 4;
const PERSON = 6;
const TYPING_MS = 200;

/** @param {string} selector */
const find = (selector) => {
  const found = document.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`no ${selector}`);
  return found;
};

const person = /** @type {HTMLSelectElement} */ (find("#person"));
const messages = find("#messages");
const composer = /** @type {HTMLFormElement} */ (find("#composer"));
const fields = find("#fields");
const offered = find("#offered");

/** @type {State} */
let state;
let received = "";
let current = "";
/** @type {Command | null} */
let command = null;
/** @type {Set<string>} What would have been refused, and is read. */
const closed = new Set();
// Whether the latest message is to stay in view.
let atEnd = true;

/**
 * An element with what is in it. Text is never read as HTML.
 * @param {string} tag
 * @param {Record<string, string>} given
 * @param {(Node | string)[]} inner
 */
function make(tag, given, ...inner) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) made.setAttribute(name, value);
  made.append(...inner);
  return made;
}

/**
 * @param {string} label
 * @param {() => unknown} does
 * @param {Record<string, string>} given
 */
function button(label, does, given = {}) {
  const made = make("button", { type: "button", ...given }, label);
  made.addEventListener("click", () => void does());
  return made;
}

/**
 * A link, where the address is one that a browser may follow.
 * @param {string} address
 * @param {(Node | string)[]} inner
 */
function link(address, ...inner) {
  if (!/^https?:\/\//.test(address)) return make("span", {}, ...inner);
  return make("a", { href: address, target: "_blank", rel: "noopener" }, ...inner);
}

// -- text as Discord shows it ---------------------------------------------------------------------

const MARKS =
  /\\([^\w\s]|_)|\*\*(.+?)\*\*|\[((?:\\.|[^\]\\])+)\]\((https?:[^)\s]+)\)|<t:(-?\d+)(?::(\w))?>|<(@[!&]?|#)(\d+)>|(https?:\/\/[^\s)]+)|^-# (.*)$/ms;

/**
 * @param {string} text
 * @returns {(Node | string)[]}
 */
function formatted(text) {
  const found = MARKS.exec(text);
  if (!found) return text ? [text] : [];
  const before = text.slice(0, found.index);
  const after = formatted(text.slice(found.index + found[0].length));
  return [...(before ? [before] : []), marked(found), ...after];
}

/** @param {string} text */
function lines(text) {
  return text ? text.split("\n").map((line) => make("p", {}, ...formatted(line))) : [];
}

/** @param {RegExpExecArray} found */
function marked(found) {
  const [, escaped, bold, label, address, at, form, kind, number, bare, small] = found;
  if (escaped) return escaped;
  if (bold) return make("strong", {}, ...formatted(bold));
  if (label && address) return link(address, ...formatted(label));
  if (at) return instant(1000 * Number(at), form ?? "f");
  if (kind && number) return make("span", { class: "mention" }, called(kind, number));
  if (bare) return link(bare, bare);
  return make("span", { class: "quiet" }, ...formatted(small ?? ""));
}

/**
 * Who or what a mention is of.
 * @param {string} kind
 * @param {string} number
 */
function called(kind, number) {
  const among = { "#": state.channels, "@&": state.roles }[kind] ?? state.people;
  const found = among.find((each) => each.id === number);
  return `${kind.charAt(0)}${found?.name ?? number}`;
}

/**
 * @param {number} at
 * @param {string} form
 */
function instant(at, form) {
  const made = make("time", { "data-at": String(at), "data-form": form });
  made.title = new Date(at).toLocaleString();
  made.textContent = moment(at, form);
  return made;
}

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/**
 * @param {number} at
 * @param {string} form
 */
function moment(at, form) {
  if (form !== "R") {
    return new Date(at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  }
  const seconds = Math.round((at - Date.now()) / 1000);
  const far = Math.abs(seconds);
  if (far < 60) return relative.format(seconds, "second");
  if (far < 3600) return relative.format(Math.round(seconds / 60), "minute");
  if (far < 86400) return relative.format(Math.round(seconds / 3600), "hour");
  return relative.format(Math.round(seconds / 86400), "day");
}

// -- messages -------------------------------------------------------------------------------------

/** @param {Message} message */
function shown(message) {
  const at = new Date(message.at).toLocaleTimeString([], { timeStyle: "short" });
  const only = message.private ? " · Only you can see this" : "";
  const made = make(
    "li",
    { class: message.private ? "message private" : "message", "data-id": message.id },
    ...(message.asked ? [make("p", { class: "quiet" }, message.asked)] : []),
    make(
      "p",
      {},
      make("strong", {}, "Gauntlet "),
      make("span", { class: "quiet" }, `APP ${at}${message.edited ? " (edited)" : ""}${only}`),
    ),
  );
  if (message.fault) {
    made.append(make("p", { class: "fault" }, `The application did not respond. ${message.fault}`));
  }
  made.append(...lines(message.content));
  const used = message.embeds.map((each) => each.image?.url ?? "").join(" ");
  made.append(...message.embeds.map((each) => framed(each, message)));
  for (const name of message.files) {
    if (!used.includes(`attachment://${name}`)) made.append(file(message, name));
  }
  for (const row of message.components) {
    made.append(
      make(
        "div",
        { class: "row" },
        ...(row.components ?? []).map((each) => component(each, message)),
      ),
    );
  }
  return made;
}

/**
 * @param {Embed} embed
 * @param {Message} message
 */
function framed(embed, message) {
  const made = make("div", { class: "embed" });
  if (embed.color !== undefined) {
    made.style.borderInlineStartColor = `#${embed.color.toString(16).padStart(6, "0")}`;
  }
  if (embed.author) made.append(make("p", { class: "quiet" }, embed.author.name));
  if (embed.title) {
    const title = formatted(embed.title);
    made.append(
      make("p", { class: "title" }, ...(embed.url ? [link(embed.url, ...title)] : title)),
    );
  }
  made.append(...lines(embed.description ?? ""));
  const inner = (embed.fields ?? []).map((each) =>
    make("div", {}, make("p", { class: "title" }, ...formatted(each.name)), ...lines(each.value)),
  );
  if (inner.length > 0) made.append(make("div", { class: "fields" }, ...inner));
  const picture = embed.image?.url ?? "";
  if (picture.startsWith("attachment://")) {
    made.append(file(message, picture.slice("attachment://".length)));
  }
  if (embed.footer) made.append(make("p", { class: "quiet" }, embed.footer.text));
  return made;
}

/**
 * @param {Message} message
 * @param {string} name
 */
function file(message, name) {
  // Another address after every edit, so that the picture of that time is shown.
  const edit = message.edited ? received.length : 0;
  const address = `/files/${message.id}/${encodeURIComponent(name)}?${edit}`;
  if (name.endsWith(".png")) return make("img", { src: address, alt: "The board" });
  return make("a", { href: address, download: name }, name);
}

/**
 * @param {Component} given
 * @param {Message} message
 */
function component(given, message) {
  const about = { custom_id: given.custom_id ?? "", message: message.id };
  if (given.type === 3) {
    const menu = /** @type {HTMLSelectElement} */ (make("select", { class: "menu" }));
    const empty = given.placeholder ?? "Choose";
    menu.setAttribute("aria-label", empty);
    menu.append(make("option", { value: "" }, empty));
    for (const each of given.options ?? []) {
      const more = each.description ? ` – ${each.description}` : "";
      menu.append(make("option", { value: each.value }, `${each.label}${more}`));
    }
    menu.addEventListener("change", () => {
      if (menu.value) void act({ kind: "choose", ...about, values: [menu.value] });
    });
    return menu;
  }
  if (given.url) return link(given.url, given.label ?? given.url, " ↗");
  const made = button(given.label ?? "", () => act({ kind: "press", ...about }), {
    class: given.style === 1 ? "main" : "",
  });
  if (given.disabled) made.setAttribute("disabled", "");
  return made;
}

// -- the server -----------------------------------------------------------------------------------

function draw() {
  const there = state.channels.find((each) => each.id === current) ?? state.channels[0];
  if (!there) return;
  current = there.id;
  if (person.options.length === 0) {
    for (const each of state.people) person.append(make("option", { value: each.id }, each.name));
    find("#site").setAttribute("href", state.site);
    document.title = `${state.server.name} – Discord, rehearsed`;
  }
  find("#channels").replaceChildren(
    ...state.channels
      .filter((each) => !each.parent)
      .flatMap((each) => [each, ...state.channels.filter((one) => one.parent === each.id)])
      .map(tab),
  );
  const before = there.parent ? "Thread: " : there.direct ? "" : "# ";
  find("#channel").textContent = before + there.name;
  atEnd = messages.scrollHeight - messages.scrollTop - messages.clientHeight < 80;
  const inMenu = document.activeElement?.classList.contains("menu") ?? false;
  if (!inMenu) messages.replaceChildren(...there.messages.map(shown));
  if (atEnd) toEnd();
  find("#numbers").replaceChildren(
    ...numbered("Server", state.server.id, []),
    ...state.channels
      .filter((each) => !each.parent && !each.direct)
      .flatMap((each) => numbered(`#${each.name}`, each.id, [])),
    ...state.roles.flatMap((each) => numbered(`@${each.name}`, each.id, each.members)),
  );
  drawFaults();
}

function drawFaults() {
  const open = state.faults.filter((each) => !closed.has(each.id));
  find("#faults").hidden = open.length === 0;
  find("#faults ul").replaceChildren(...open.toReversed().map(refused));
}

/** Of what was shown as refused nothing is to be seen any more: what comes later is. */
function closeFaults() {
  for (const each of state.faults) closed.add(each.id);
  drawFaults();
}

function toEnd() {
  atEnd = true;
  messages.scrollTop = messages.scrollHeight;
}

/** @param {Channel} channel */
function tab(channel) {
  const mark = channel.archived ? "🗄" : channel.parent ? "↳" : channel.direct ? "✉" : "#";
  const made = button(`${mark} ${channel.name}`, () => turnTo(channel.id));
  if (channel.id === current) made.setAttribute("aria-current", "page");
  return make("li", channel.parent ? { class: "thread" } : {}, made);
}

/** @param {string} channel */
function turnTo(channel) {
  current = channel;
  draw();
  toEnd();
}

/**
 * @param {string} name
 * @param {string} number
 * @param {string[]} members
 */
function numbered(name, number, members) {
  const who = members.length > 0 ? [make("p", {}, members.join(", "))] : [];
  return [make("dt", {}, name), make("dd", {}, make("code", {}, number), ...who)];
}

/** @param {Fault} fault */
function refused(fault) {
  const where = Object.entries(fault.errors).map(([path, wrong]) => `${path} ${wrong}`);
  return make("li", {}, [`${fault.what} – ${fault.why}`, ...where].join("; "));
}

async function refresh() {
  const answer = await fetch(`/state?as=${person.value}`);
  const text = await answer.text();
  if (text === received) return;
  received = text;
  state = JSON.parse(text);
  const first = person.options.length === 0;
  draw();
  if (first) await refresh();
}

/**
 * Do something, and give what the page is answered.
 * @param {Record<string, unknown>} what
 * @returns {Promise<{ choices?: Choice[] }>}
 */
async function act(what) {
  find("#trouble").textContent = "";
  if (what["kind"] !== "typing") closeFaults();
  const answer = await fetch("/act", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ person: person.value, channel: current, ...what }),
  });
  if (!answer.ok) find("#trouble").textContent = await answer.text();
  if (what["kind"] !== "typing") {
    // A menu that is chosen from keeps messages from being drawn; who types goes on typing.
    const chosen = /** @type {HTMLElement | null} */ (document.activeElement);
    if (chosen?.classList.contains("menu")) chosen.blur();
    await refresh();
    toEnd();
  }
  /** @type {{ choices?: Choice[] }} */
  const told = answer.ok ? await answer.json() : {};
  return told;
}

// -- commands -------------------------------------------------------------------------------------

function rest() {
  command = null;
  offered.replaceChildren();
  const say = /** @type {HTMLInputElement} */ (
    make("input", { "aria-label": "Command", placeholder: "Type / for commands" })
  );
  say.addEventListener("input", () => offerCommands(say.value));
  fields.replaceChildren(make("label", {}, say));
  return say;
}

/** @param {string} text */
function offerCommands(text) {
  const [, name = "", space = "", more = ""] = /^\/([\w-]*)(\s?)(.*)$/.exec(text) ?? [];
  const given = state.commands.find((each) => each.name === name);
  if (given && space) {
    begin(given, more);
    return;
  }
  const fitting = state.commands.filter((each) => text && each.name.startsWith(name));
  offered.replaceChildren(
    ...(text.startsWith("/") ? fitting : []).map((each) => {
      const line = button(`/${each.name} `, () => begin(each, ""));
      line.append(make("span", { class: "quiet" }, each.description));
      return make("li", {}, line);
    }),
  );
}

/**
 * @param {Command} given
 * @param {string} first What is typed into its first field.
 */
function begin(given, first) {
  command = given;
  offered.replaceChildren();
  const inputs = (given.options ?? []).map(field);
  fields.replaceChildren(
    make("strong", {}, `/${given.name}`),
    ...inputs.map((input, place) => {
      const option = /** @type {Option} */ (given.options?.[place]);
      const optional = option.required ? "" : " (optional)";
      return make("label", {}, `${option.name}${optional}`, input);
    }),
    make("button", { class: "main" }, "Send"),
    button("Cancel", () => rest().focus()),
  );
  const [top] = inputs;
  if (top instanceof HTMLInputElement && first) {
    top.value = first;
    top.dispatchEvent(new Event("input"));
  }
  (top ?? /** @type {HTMLElement} */ (fields.querySelector("button"))).focus();
}

/** @param {Option} option */
function field(option) {
  /** @type {Choice[] | undefined} */
  let choices = option.choices;
  if (option.type === YES_OR_NO) {
    choices = [
      { name: "Yes", value: "true" },
      { name: "No", value: "false" },
    ];
  }
  if (option.type === PERSON) {
    choices = state.people.map((each) => ({ name: each.name, value: each.id }));
  }
  const given = { name: option.name, title: option.description };
  if (choices) {
    const made = /** @type {HTMLSelectElement} */ (make("select", given));
    made.append(make("option", { value: "" }, "–"));
    for (const each of choices) {
      made.append(make("option", { value: String(each.value) }, each.name));
    }
    made.required = option.required ?? false;
    return made;
  }
  const made = /** @type {HTMLInputElement} */ (make("input", given));
  made.required = option.required ?? false;
  if (option.autocomplete) {
    let timer = 0;
    const ask = () => {
      delete made.dataset["value"];
      clearTimeout(timer);
      timer = setTimeout(() => void offerChoices(made, option), TYPING_MS);
    };
    made.addEventListener("input", ask);
    made.addEventListener("focus", ask);
  }
  return made;
}

/**
 * @param {HTMLInputElement} input
 * @param {Option} option
 */
async function offerChoices(input, option) {
  if (!command || !input.isConnected) return;
  const typed = input.value;
  const options = { ...filled(), [option.name]: typed };
  const told = await act({ kind: "typing", name: command.name, field: option.name, options });
  if (!input.isConnected || input.value !== typed) return;
  offered.replaceChildren(
    ...(told.choices ?? []).map((each) => {
      const pick = () => {
        input.value = each.name;
        input.dataset["value"] = String(each.value);
        offered.replaceChildren();
      };
      return make("li", {}, button(each.name, pick));
    }),
  );
}

/** What is filled in, as Discord sends it. */
function filled() {
  /** @type {Record<string, string | number | boolean>} */
  const found = {};
  for (const option of command?.options ?? []) {
    const input = composer.elements.namedItem(option.name);
    if (!(input instanceof HTMLInputElement || input instanceof HTMLSelectElement)) continue;
    const text = input.dataset["value"] ?? input.value;
    if (text === "") continue;
    if (option.type === YES_OR_NO) found[option.name] = text === "true";
    else if (option.type === NUMBER && /^\d+$/.test(text)) found[option.name] = Number(text);
    else found[option.name] = text;
  }
  return found;
}

composer.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!command) {
    const [line] = offered.querySelectorAll("button");
    if (line) line.click();
    else find("#trouble").textContent = "Only commands are of use here: type /.";
    return;
  }
  const what = { kind: "command", name: command.name, options: filled() };
  rest().focus();
  void act(what);
});

// Pictures have no height before they are there.
messages.addEventListener("load", () => atEnd && toEnd(), true);
person.addEventListener("change", () => void refresh());
find("#faults button").addEventListener("click", () => {
  closeFaults();
  composer.querySelector("input")?.focus();
});
find("#check").addEventListener("click", () => {
  void (async () => {
    find("#checked").textContent = "…";
    const answer = await fetch("/check", { method: "POST" });
    /** @type {string[]} */
    const wrong = await answer.json();
    find("#checked").textContent = wrong.join(" ") || "The site answers as Discord wants.";
    find("#checked").className = wrong.length > 0 ? "fault" : "";
  })();
});

const lost = () => {
  find("#trouble").textContent = "The rehearsal has ended. Start it again, and reload this page.";
};
setInterval(() => {
  refresh().catch(lost);
  for (const each of document.querySelectorAll("time")) {
    each.textContent = moment(Number(each.dataset["at"]), each.dataset["form"] ?? "f");
  }
}, 1000);
rest();
void refresh();
