// @ts-check
/** The desk's page of invitation links: each can be copied, or handed to what the device shares with. */

import { enhanceSharing } from "../sharing.js";

enhanceSharing();
