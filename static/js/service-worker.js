// @ts-check
/* What stands between the site and a network that is away. A page that cannot be had is answered with
   the one that says so; everything else goes as it always went. Nothing of anybody's is kept here:
   pages and answers come from the server or not at all. And it shows what one is told while no page
   is open.

   The script at the site's root names what is to be kept, and loads this. */

const worker = /** @type {Worker.Scope} */ (/** @type {unknown} */ (globalThis));
const { files, release, offline } = worker.kept;

worker.addEventListener("install", (event) => {
  // Past the browser's own cache: what is kept is of one release.
  const fresh = files.map((file) => new Request(file, { cache: "reload" }));
  event.waitUntil(caches.open(release).then((kept) => kept.addAll(fresh)));
  void worker.skipWaiting();
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(Promise.all([forgetOthers(), askAhead()]).then(() => worker.clients.claim()));
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { pathname, origin } = new URL(request.url);
  if (request.mode === "navigate" && request.method === "GET") {
    event.respondWith(page(event));
  } else if (origin === location.origin && files.includes(pathname)) {
    event.respondWith(part(request));
  }
});

/**
 * A page from the server, or the one for when it cannot be reached. What it answers is never ours to
 * judge: an error is an answer.
 * @param {Worker.FetchEvent} event
 */
async function page(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch (error) {
    const kept = await caches.match(offline);
    if (kept === undefined) throw error;
    return kept;
  }
}

/**
 * What the page without a network is drawn with: the server's, and where that is away, the one kept.
 * @param {Request} request
 */
async function part(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.match(request.url);
    if (kept === undefined) throw error;
    return kept;
  }
}

async function forgetOthers() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== release).map((name) => caches.delete(name)));
}

/* The request for a page goes out while the worker is still being started. */
async function askAhead() {
  await worker.registration.navigationPreload?.enable();
}

/* --- Announcements ------------------------------------------------------------------------- */

const LIST = "/accounts/announcements/";
/** Of what cannot be read: the list has it. */
const UNREADABLE = {
  subject: "Gauntlet",
  words: "You have been told something.",
  tag: "told",
  url: LIST,
};
const RENEW = "/accounts/settings/devices/renew/";

worker.addEventListener("push", (event) => {
  event.waitUntil(show(toldOf(event.data)));
});

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { url } = /** @type {{url: string}} */ (event.notification.data);
  event.waitUntil(lead(url));
});

worker.addEventListener("pushsubscriptionchange", (event) => {
  event.waitUntil(renew(event));
});

/**
 * What the server tells; the page that it leads to is always one of this site.
 * @param {Worker.PushData | null} data
 */
function toldOf(data) {
  try {
    if (!data) return UNREADABLE;
    const { subject, words, url, tag } = /** @type {Worker.Told} */ (data.json());
    const { pathname, search, hash } = new URL(url);
    return { subject: String(subject), words, tag, url: `${pathname}${search}${hash}` };
  } catch {
    return UNREADABLE;
  }
}

/**
 * Nothing is shown to whoever looks at that very page: it says so itself. Safari takes the permission
 * away from sites that show nothing a few times: there it goes as soon as it has come.
 * @param {Worker.Told} told
 */
async function show({ subject, words, url, tag }) {
  const { registration } = worker;
  const pages = await pagesAt(url);
  const isInView = pages.some(({ visibilityState }) => visibilityState === "visible");
  if (isInView && !isSafari(navigator.userAgent)) return;
  await registration.showNotification(subject, {
    body: words,
    tag,
    // The newer one takes the place of the older, and is noticed all the same.
    renotify: !isInView,
    silent: isInView,
    icon: worker.kept.icon,
    data: { url },
  });
  if (!isInView) return;
  for (const shown of await registration.getNotifications({ tag })) shown.close();
}

/**
 * Whether a browser is Safari, or another one on an iPhone or iPad, which is the same inside.
 * @param {string} agent
 */
function isSafari(agent) {
  return agent.includes("AppleWebKit") && !/Chrom(e|ium)\//.test(agent);
}

/**
 * The open pages at an address, whatever follows its path.
 * @param {string} url
 */
async function pagesAt(url) {
  const { pathname } = new URL(url, location.origin);
  const open = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  return open.filter((each) => new URL(each.url).pathname === pathname);
}

/**
 * To the page that is open at an address, or to a new one.
 * @param {string} url
 */
async function lead(url) {
  const [there] = await pagesAt(url);
  await (there?.focus() ?? worker.clients.openWindow(new URL(url, location.origin).href));
}

/**
 * The browser's push service has given it another address. Where the browser does not say which it
 * had, the page of one's devices tells the server.
 * @param {Worker.SubscriptionChangeEvent} event
 */
async function renew({ oldSubscription: before, newSubscription }) {
  if (!before) return;
  const { pushManager } = worker.registration;
  const now = newSubscription ?? (await pushManager.subscribe(before.options));
  const [was, is] = [before.toJSON(), now.toJSON()];
  await fetch(RENEW, {
    method: "POST",
    body: new URLSearchParams({
      before: was.endpoint ?? "",
      secret: was.keys?.["auth"] ?? "",
      endpoint: is.endpoint ?? "",
      p256dh: is.keys?.["p256dh"] ?? "",
      auth: is.keys?.["auth"] ?? "",
    }),
    credentials: "omit",
  });
}
