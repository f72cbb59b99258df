/** A season's page that keeps itself up to date. Without it, reloading does. */

import { announce, localiseTimes } from "../site.js";

const EVERY = 15_000;
const SPREAD = 5_000;

const region = document.querySelector("[data-season-live]");
let known = null;

async function look() {
  if (!document.hidden && region) {
    try {
      const response = await fetch(region.dataset.state, { cache: "no-store" });
      const { state } = response.ok ? await response.json() : { state: known };
      if (known !== null && state !== known) await renew();
      known = state;
    } catch {
      // Away for a moment: the next look finds out.
    }
  }
  setTimeout(look, EVERY + Math.random() * SPREAD);
}

async function renew() {
  // What is being filled in must not be pulled from under the finger.
  if (region.querySelector("form[data-sent]") || region.contains(document.activeElement)) return;
  const response = await fetch(location.href, { cache: "no-store" });
  if (!response.ok || response.redirected) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const fresh = page.querySelector("[data-season-live]");
  if (!fresh) return;
  region.replaceChildren(...fresh.children);
  localiseTimes(region);
  announce("The page has been brought up to date.");
}

if (region) setTimeout(look, SPREAD * Math.random());
