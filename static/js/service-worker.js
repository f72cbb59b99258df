// @ts-check
/* What stands between the site and a network that is away. A page that cannot be had is answered with
   the one that says so; everything else goes as it always went. Nothing of anybody's is kept here:
   pages and answers come from the server or not at all.

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
