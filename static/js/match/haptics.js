// @ts-check
/* Short pulses in the hand, where the device can vibrate: for what the eyes may miss while they are
   on the board. Whether it may is kept on the device, beside the sound. */

const KEPT = "gauntlet.haptics";

/**
 * What is felt, in ms: on, off, on.
 * @type {Record<Client.Pulse, number[]>}
 */
const PULSES = {
  yours: [35, 70, 35],
  pinned: [12],
  refused: [70],
  reminder: [30, 60, 30, 60, 30],
};

/** Whether there is anything here that vibrates, and a hand that holds it. */
export function canPulse() {
  return typeof navigator.vibrate === "function" && matchMedia("(any-pointer: coarse)").matches;
}

/** Whether the reader has switched it off on this device. */
export function pulsesOff() {
  try {
    return localStorage.getItem(KEPT) === "off";
  } catch {
    return false; // storage can be forbidden altogether
  }
}

/**
 * Switch it off, or on again, on this device.
 * @param {boolean} off
 */
export function setPulsesOff(off) {
  try {
    localStorage.setItem(KEPT, off ? "off" : "on");
  } catch {
    // It is on again with the next page.
  }
}

/**
 * Have a pulse felt, unless it is switched off, or the reader wants less motion, or has not touched
 * the page yet: browsers complain of that.
 * @param {Client.Pulse} name
 */
export function pulse(name) {
  if (!canPulse() || pulsesOff()) return;
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  if (navigator.userActivation !== undefined && !navigator.userActivation.hasBeenActive) return;
  navigator.vibrate(PULSES[name]);
}
