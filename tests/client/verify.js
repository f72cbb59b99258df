/* What the site's own verifier says of records, a JSON object a line: in comes
   `{"folder": folder of the ruleset, "record": text}`, out goes what it found. */

import { existsSync } from "node:fs";
import { createInterface } from "node:readline";

import { readRecord, Unreadable } from "../../static/js/draws/reading.js";
import { verify } from "../../static/js/draws/verify.js";

const known = new Map();

async function rulesIn(folder) {
  if (!known.has(folder)) {
    const file = `${folder}/static/draws.js`;
    known.set(folder, existsSync(file) ? await import(file) : { draws: {} });
  }
  return known.get(folder);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { folder, record } = JSON.parse(line);
  let said;
  try {
    said = verify(readRecord(record), await rulesIn(folder));
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    said = { unreadable: error.message };
  }
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
