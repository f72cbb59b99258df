// @ts-check
/* What can be learned: beside each lesson, how much of it has been taken on this device. */

import { write } from "../match/dom.js";
import { takenOf } from "./taken.js";

for (const line of document.querySelectorAll("[data-taken]")) {
  if (!(line instanceof HTMLElement)) continue;
  const taken = takenOf(line.dataset.taken ?? "");
  if (taken === null) continue;
  const { length } = taken.steps;
  write(line, length < taken.of ? `${length} of ${taken.of} steps taken` : "Taken");
  line.hidden = false;
}
