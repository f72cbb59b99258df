/* What the service worker makes of what is pushed to it, and how the page of devices tells how things
   stand. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import vm from "node:vm";

globalThis.document = {
  documentElement: { dataset: {}, classList: { contains: () => true } },
  getElementById: () => null,
  querySelector: () => null,
};
const { keyBytes, stateOf } = await import("../../static/js/push.js");

const SCRIPT = await readFile(
  new URL("../../static/js/service-worker.js", import.meta.url),
  "utf8",
);
const ORIGIN = "https://gauntlet.example";
const TOLD = {
  subject: "It is your turn",
  words: "Ada plays Domain.",
  url: `${ORIGIN}/matches/3/?a=b#board`,
  tag: "topic",
  kind: "match.turn",
};

/** A worker with these pages open: what it listens to, and what it has done. */
function workerWith(
  pages = [],
  userAgent = "Mozilla/5.0 (X11) AppleWebKit/537.36 Chrome/150.0 Safari/537.36",
) {
  const done = { shown: [], opened: [], focused: [], sent: [], closed: 0 };
  const listeners = {};
  const open = pages.map(([path, visibilityState = "visible"]) => ({
    url: `${ORIGIN}${path}`,
    visibilityState,
    focus: () => Promise.resolve(done.focused.push(path)),
  }));
  const context = vm.createContext({
    URL,
    URLSearchParams,
    navigator: { userAgent },
    location: new URL(`${ORIGIN}/service-worker.js`),
    kept: { files: [], release: "one", offline: "/offline/", icon: "/icon.png" },
    addEventListener: (kind, listener) => Object.assign(listeners, { [kind]: listener }),
    clients: {
      matchAll: () => Promise.resolve(open),
      openWindow: (url) => Promise.resolve(done.opened.push(url)),
    },
    registration: {
      showNotification: (title, options) => Promise.resolve(done.shown.push({ title, ...options })),
      getNotifications: ({ tag }) =>
        Promise.resolve(
          done.shown
            .filter((each) => each.tag === tag)
            .map(() => ({ close: () => (done.closed += 1) })),
        ),
      pushManager: { subscribe: () => Promise.resolve(subscription("/new")) },
    },
    fetch: (url, options) => Promise.resolve(done.sent.push([url, options])),
  });
  vm.runInContext(SCRIPT, context);
  const fire = async (kind, more) => {
    let work;
    listeners[kind]({ waitUntil: (promise) => (work = promise), ...more });
    await work;
  };
  return { done, fire };
}

function subscription(path, keys = { p256dh: "p", auth: "a" }) {
  return { options: {}, toJSON: () => ({ endpoint: `https://push.example${path}`, keys }) };
}

const pushed = (told) => ({ data: { json: () => structuredClone(told) } });

test("what is told is shown", async () => {
  const { done, fire } = workerWith();
  await fire("push", pushed(TOLD));
  const [shown] = done.shown.map((each) => JSON.parse(JSON.stringify(each)));
  assert.deepEqual(shown, {
    title: "It is your turn",
    body: "Ada plays Domain.",
    tag: "topic",
    renotify: true,
    silent: false,
    icon: "/icon.png",
    data: { url: "/matches/3/?a=b#board" },
  });
});

for (const [name, pages, count] of [
  ["the page is in view", [["/lobby/"], ["/matches/3/"]], 0],
  ["the page is in view, at another address of its", [["/matches/3/?x=1"]], 0],
  ["the page is open and nobody looks", [["/matches/3/", "hidden"]], 1],
  ["another page is in view", [["/matches/33/"]], 1],
]) {
  test(`an announcement while ${name}`, async () => {
    const { done, fire } = workerWith(pages);
    await fire("push", pushed(TOLD));
    assert.equal(done.shown.length, count);
  });
}

test("Safari is shown what is in view, quietly and for no time", async () => {
  const safari = "Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 Version/19.0 Safari/605.1.15";
  const { done, fire } = workerWith([["/matches/3/"]], safari);
  await fire("push", pushed(TOLD));
  assert.deepEqual([done.shown[0].silent, done.shown[0].renotify, done.closed], [true, false, 1]);
});

for (const [name, data] of [
  ["nothing", { data: null }],
  ["no JSON", { data: { json: () => JSON.parse("<") } }],
  ["no address", pushed({ ...TOLD, url: "elsewhere" })],
]) {
  test(`what cannot be read leads to the list: ${name}`, async () => {
    const { done, fire } = workerWith();
    await fire("push", data);
    assert.equal(done.shown[0].data.url, "/accounts/announcements/");
  });
}

test("what is pushed leads nowhere but to this site", async () => {
  const { done, fire } = workerWith();
  await fire("push", pushed({ ...TOLD, url: "https://evil.example/matches/3/" }));
  assert.equal(done.shown[0].data.url, "/matches/3/");
});

test("whoever chooses it comes to the page that is open, or to a new one", async () => {
  for (const [pages, focused, opened] of [
    [[["/matches/3/", "hidden"]], ["/matches/3/"], []],
    [[["/lobby/"]], [], [`${ORIGIN}/matches/3/`]],
  ]) {
    const { done, fire } = workerWith(pages);
    const close = () => (done.closed += 1);
    await fire("notificationclick", { notification: { close, data: { url: "/matches/3/" } } });
    assert.deepEqual([done.focused, done.opened, done.closed], [focused, opened, 1]);
  }
});

test("a new address is told by the old one", async () => {
  for (const now of [null, subscription("/new")]) {
    const { done, fire } = workerWith();
    const before = subscription("/old", { p256dh: "q", auth: "b" });
    await fire("pushsubscriptionchange", { oldSubscription: before, newSubscription: now });
    const [[url, { body, credentials }]] = done.sent;
    assert.equal(url, "/accounts/settings/devices/renew/");
    assert.equal(credentials, "omit");
    assert.deepEqual(Object.fromEntries(body), {
      before: "https://push.example/old",
      secret: "b",
      endpoint: "https://push.example/new",
      p256dh: "p",
      auth: "a",
    });
  }
  const { done, fire } = workerWith();
  await fire("pushsubscriptionchange", { oldSubscription: null, newSubscription: null });
  assert.deepEqual(done.sent, []);
});

const ON = { can: true, apple: false, permission: "granted", known: true, subscribed: true };

for (const [state, more] of [
  ["on", {}],
  ["off", { known: false }],
  ["off", { subscribed: false }],
  ["off", { permission: "default" }],
  ["blocked", { permission: "denied" }],
  ["unknown", { can: false }],
  ["install", { can: false, apple: true }],
]) {
  test(`how things stand with a device: ${JSON.stringify(more)}`, () =>
    assert.equal(stateOf({ ...ON, ...more }), state));
}

test("the key of the site is read as browsers want it", () => {
  assert.deepEqual([...keyBytes("-_8B")], [251, 255, 1]);
});
