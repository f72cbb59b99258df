/* What passkeys are asked for and what is told of them, without a browser. */

import assert from "node:assert/strict";
import { test } from "node:test";

const { bytesOf, textOf, toMake, toShow, told, wordsFor } =
  await import("../../static/js/account/passkeys.js");

test("bytes survive as text, whatever their number", () => {
  for (let size = 0; size < 40; size += 1) {
    const bytes = Uint8Array.from({ length: size }, (_each, index) => (index * 67 + 251) % 256);
    const text = textOf(bytes.buffer);
    assert.match(text, /^[\w-]*$/);
    assert.deepEqual(bytesOf(text), bytes);
  }
});

const ASKED = {
  publicKey: {
    challenge: "AQID",
    user: { id: "BAU", name: "ada" },
    excludeCredentials: [{ id: "Bgc", type: "public-key" }],
    authenticatorSelection: { userVerification: "preferred" },
  },
};

test("a key that is to sign in alone must know its owner, and stay on the device", () => {
  const alone = toMake(ASKED, true);
  assert.equal(alone.authenticatorSelection.residentKey, "required");
  assert.equal(alone.authenticatorSelection.userVerification, "required");
  const beside = toMake(ASKED, false);
  assert.equal(beside.authenticatorSelection.residentKey, "discouraged");
  assert.equal(beside.authenticatorSelection.userVerification, "preferred");
  assert.deepEqual(alone.challenge, bytesOf("AQID"));
  assert.deepEqual(alone.user.id, bytesOf("BAU"));
  assert.deepEqual(alone.excludeCredentials[0].id, bytesOf("Bgc"));
});

test("whoever signs in by a key alone names none", () => {
  assert.deepEqual(toShow({ publicKey: { challenge: "AQID" } }).allowCredentials, []);
});

test("only what a browser gave is told", () => {
  const given = {
    type: "public-key",
    id: "AQID",
    rawId: bytesOf("AQID").buffer,
    response: { clientDataJSON: bytesOf("e30").buffer, userHandle: null },
    getClientExtensionResults: () => ({}),
  };
  assert.deepEqual(told(given).response, { clientDataJSON: "e30" });
});

test("each way to fail has words of its own", () => {
  const names = ["InvalidStateError", "NotAllowedError", "SecurityError", "UnknownError"];
  const words = names.map((name) => wordsFor(new DOMException("", name)));
  assert.equal(new Set(words).size, names.length);
  assert.equal(wordsFor(new Error("status 429")), words[3]);
});
