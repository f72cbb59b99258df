// @ts-check
/*
 * The only place where text becomes markup, or the address of a script. Browsers that know Trusted
 * Types are told to let nothing else do so (`require-trusted-types-for`, config/settings/base.py):
 * what is written down here is all that has to be looked at.
 *
 * What is parsed is what this site itself has answered, or sent by its socket. Parsing runs no
 * script, and the site's policy runs none that stands in markup.
 */

const WORKER = "/service-worker.js";

/** @type {{ createHTML(text: string): string, createScriptURL(address: string): string }} */
const PLAIN = {
  createHTML: (text) => text,
  createScriptURL: (address) => {
    if (address !== WORKER) throw new TypeError("no script of this site");
    return address;
  },
};

/** @typedef {{ createPolicy(name: string, rules: typeof PLAIN): typeof PLAIN }} Factory */
const factory = /** @type {{ trustedTypes?: Factory }} */ (/** @type {unknown} */ (globalThis))
  .trustedTypes;

const policy = factory ? factory.createPolicy("gauntlet", PLAIN) : PLAIN;

/**
 * A page, or a part of one, that this site has answered.
 * @param {string} html
 */
export function pageOf(html) {
  return new DOMParser().parseFromString(policy.createHTML(html), "text/html");
}

/** The address of the service worker, for `navigator.serviceWorker.register`. */
export function workerAddress() {
  return policy.createScriptURL(WORKER);
}
