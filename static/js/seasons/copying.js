// @ts-check
/** Texts of a page that are there to be copied: without scripts they are selected by hand. */

import { enhanceSharing } from "../sharing.js";

enhanceSharing();
