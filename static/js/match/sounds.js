// @ts-check
/* Short sounds, made on the spot: nothing is downloaded, and a muted page makes none. */

import { soundMuted } from "../site.js";

/**
 * Each sound is a list of notes: [start in s, frequency in Hz, length in s, loudness 0 to 1].
 * @type {Record<Client.Sound, [number, number, number, number][]>}
 */
const SOUNDS = {
  move: [
    [0, 220, 0.07, 0.5],
    [0.015, 110, 0.09, 0.5],
  ],
  yours: [
    [0, 523, 0.12, 0.4],
    [0.12, 784, 0.22, 0.4],
  ],
  score: [
    [0, 659, 0.1, 0.35],
    [0.09, 880, 0.1, 0.35],
    [0.18, 1319, 0.24, 0.3],
  ],
  low: [
    [0, 880, 0.07, 0.35],
    [0.14, 880, 0.07, 0.35],
  ],
  reserve: [
    [0, 440, 0.16, 0.45],
    [0.2, 330, 0.3, 0.45],
  ],
  refused: [[0, 165, 0.18, 0.5]],
  chat: [[0, 1175, 0.06, 0.15]],
  won: [
    [0, 523, 0.16, 0.35],
    [0.15, 659, 0.16, 0.35],
    [0.3, 784, 0.16, 0.35],
    [0.45, 1047, 0.5, 0.35],
  ],
  over: [
    [0, 392, 0.25, 0.35],
    [0.25, 330, 0.25, 0.35],
    [0.5, 262, 0.5, 0.35],
  ],
};

/** @type {AudioContext | null} */
let context = null;

/** Browsers allow sound only after the reader has done something: call this from a gesture. */
export function allowSound() {
  const Context = globalThis.AudioContext;
  if (Context === undefined || soundMuted()) return;
  context ??= new Context();
  if (context.state === "suspended") context.resume().catch(() => {});
}

/**
 * Play a sound by name, unless the reader has muted the site or nothing may sound yet.
 * @param {Client.Sound} name
 */
export function play(name) {
  if (soundMuted() || context === null || context.state !== "running") return;
  const begin = context.currentTime + 0.01;
  for (const [start, frequency, length, loudness] of SOUNDS[name]) {
    const tone = context.createOscillator();
    const volume = context.createGain();
    tone.type = "triangle";
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.0001, begin + start);
    volume.gain.exponentialRampToValueAtTime(loudness * 0.4, begin + start + 0.012);
    volume.gain.exponentialRampToValueAtTime(0.0001, begin + start + length);
    tone.connect(volume).connect(context.destination);
    tone.start(begin + start);
    tone.stop(begin + start + length + 0.02);
  }
}
