// @ts-check
/* What the lobby's page has besides its lists: who is there, and waiting to be paired. */

import { followHere } from "./here.js";
import { followSeek } from "./seek.js";

/** @type {HTMLElement | null} */
const here = document.querySelector("[data-here]");
if (here) followHere(here);

/** @type {HTMLElement | null} */
const seek = document.querySelector("[data-seek]");
if (seek) followSeek(seek);
