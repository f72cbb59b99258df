// @ts-check
/** The page of how one is told: whether this device takes announcements, and switching that. */

import { csrfToken, toast } from "./site.js";

/** @typedef {"unknown" | "install" | "blocked" | "on" | "off"} State */

/** @type {Record<State, string>} */
const WORDS = {
  unknown: "This browser cannot show announcements while no page of ours is open.",
  install:
    "On an iPhone or iPad, add Gauntlet to the home screen first (Share, then Add to Home Screen), and open it from there.",
  blocked:
    "Your browser keeps this site from showing notifications. Allow them in its settings for this site, which most browsers have beside the address, and load this page again.",
  on: "This device shows what you are told, also while no page of ours is open.",
  off: "This device shows nothing while no page of ours is open. Your browser asks you once you switch it on.",
};

/**
 * How things stand with a browser.
 * @param {object} found
 * @param {boolean} found.can whether it can be pushed to at all
 * @param {boolean} found.apple whether it is one that can once it is installed
 * @param {NotificationPermission} found.permission
 * @param {boolean} found.known whether the server sends to it
 * @param {boolean} found.subscribed whether it has an address to be sent to
 * @returns {State}
 */
export function stateOf({ can, apple, permission, known, subscribed }) {
  if (!can) return apple ? "install" : "unknown";
  if (permission === "denied") return "blocked";
  return known && subscribed && permission === "granted" ? "on" : "off";
}

/**
 * The site's public key, as a browser wants it.
 * @param {string} text base64url
 */
export function keyBytes(text) {
  const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(bytes, (each) => each.charCodeAt(0));
}

/** Whether this is an iPad, which calls itself a Mac: those have no screen to touch. */
function isPad() {
  return navigator.userAgent.includes("Macintosh") && navigator.maxTouchPoints > 1;
}

class Device {
  /** @param {HTMLElement} section */
  constructor(section) {
    this.section = section;
    this.on = /** @type {HTMLButtonElement} */ (section.querySelector("[data-push-on]"));
    this.off = /** @type {HTMLButtonElement} */ (section.querySelector("[data-push-off]"));
    const here = section.querySelector("[data-push-here]");
    /** @type {HTMLFormElement | null} */
    this.remove = here?.querySelector("form[data-push-remove]") ?? null;
    this.can =
      "serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis;
    this.on.addEventListener("click", () => void this.switchOn());
    this.off.addEventListener("click", () => this.remove?.requestSubmit());
    // It goes out whatever becomes of the page: the browser has been asked by then.
    this.remove?.addEventListener("submit", () => void this.#unsubscribe());
  }

  async show() {
    const subscription = this.can ? await this.#subscription() : null;
    const state = stateOf({
      can: this.can,
      apple: /iPhone|iPad/.test(navigator.userAgent) || isPad(),
      permission: this.can ? Notification.permission : "default",
      known: this.remove !== null,
      subscribed: subscription !== null,
    });
    const words = this.section.querySelector("[data-push-state]");
    if (words) words.textContent = WORDS[state];
    this.on.hidden = state !== "off";
    this.off.hidden = state !== "on";
    this.section.dataset.push = state;
    // Its address may be another by now.
    if (state === "on" && subscription !== null) await this.#tell(subscription);
  }

  async switchOn() {
    this.on.disabled = true;
    try {
      if ((await Notification.requestPermission()) === "granted") {
        const refused = await this.#tell(await this.#subscribe());
        if (!refused) {
          location.reload();
          return;
        }
        toast(refused, { kind: "danger" });
      }
    } catch {
      toast("This could not be switched on. Please try again later.", { kind: "danger" });
    }
    this.on.disabled = false;
    await this.show();
  }

  async #subscription() {
    const registration = await navigator.serviceWorker.getRegistration();
    return (await registration?.pushManager.getSubscription()) ?? null;
  }

  async #subscribe() {
    // Where there is none, to wait until it is ready would be to wait for ever.
    if (!(await navigator.serviceWorker.getRegistration())) throw new Error("no service worker");
    const { pushManager } = await navigator.serviceWorker.ready;
    const options = {
      userVisibleOnly: true,
      applicationServerKey: keyBytes(this.section.dataset.key ?? ""),
    };
    try {
      return await pushManager.subscribe(options);
    } catch (error) {
      // The site had another key when this browser was switched on.
      const before = await pushManager.getSubscription();
      if (before === null) throw error;
      await before.unsubscribe();
      return pushManager.subscribe(options);
    }
  }

  async #unsubscribe() {
    await (await this.#subscription())?.unsubscribe();
  }

  /**
   * Tell the server where this browser is sent to. What it refuses that with; empty where it does not.
   * @param {PushSubscription} subscription
   */
  async #tell(subscription) {
    const { endpoint = "", keys = {} } = subscription.toJSON();
    const answer = await fetch(this.section.dataset.address ?? "", {
      method: "POST",
      headers: { Accept: "application/json", "X-CSRFToken": csrfToken() },
      body: new URLSearchParams({
        endpoint,
        p256dh: keys["p256dh"] ?? "",
        auth: keys["auth"] ?? "",
      }),
      credentials: "same-origin",
    });
    if (answer.ok) return "";
    const said = /** @type {{sentence?: string}} */ (await answer.json());
    return said.sentence ?? "This could not be switched on.";
  }
}

if (typeof document !== "undefined") {
  /** @type {HTMLElement | null} */
  const section = document.querySelector("[data-push]");
  if (section) new Device(section).show().catch(() => {}); // the state stays as it was loaded
}
