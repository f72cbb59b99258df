/* Beginning without a number that this browser does not have: to whom it is offered, and how it is said. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { beginWithout, hasLostNumber } from "../../static/js/match/without.js";
import { makeWorld } from "./world.js";

test("who has lost a number may begin without it, and nobody else", () => {
  const late = { commitment: "aa", opened: false };
  const waiting = { until: 9, ready: [true, true], gathers_until: 5 };
  const opens = { ...waiting, opens_until: 9 };
  const offered = (more = {}, { you = 0, own = "bb", may = true, given = late, ...of } = {}) =>
    hasLostNumber(
      {
        phase: "waiting",
        waiting: { ...opens, ...more },
        draws: { nonces: [given, late] },
        ...of,
      },
      you,
      own,
      may,
    );
  assert.ok(offered());
  assert.ok(offered({}, { own: undefined }));
  assert.ok(offered({ opens_until: undefined }, { may: false })); // another device's stays
  assert.ok(offered({ without: [false, true] }));
  assert.ok(!offered({ opens_until: undefined })); // this browser commits in its place
  assert.ok(!offered({}, { own: "aa" })); // it opens it by itself
  assert.ok(!offered({}, { given: { commitment: "aa", opened: true } }));
  assert.ok(!offered({}, { given: { commitment: null, opened: false } }));
  assert.ok(!offered({ without: [true, false] }));
  assert.ok(!offered({ gathers_until: undefined })); // a matter of seconds
  assert.ok(!offered({}, { you: null }));
  assert.ok(!offered({}, { phase: "on" }));
});

test("to begin without is asked of the server, and why not is told", async () => {
  const world = makeWorld();
  const one = world.client({ readyUrl: "/ready/" });
  const { POST } = world.answers;
  POST.push({ status: 200, body: { begun: true } });
  assert.equal(await beginWithout(one), "");
  const [{ url, body }] = world.requests.filter(({ method }) => method === "POST");
  assert.deepEqual([url, JSON.parse(body)], ["/ready/", { without: true }]);
  POST.push({ status: 409, body: { code: "draws.opened", sentence: "It is known." } });
  assert.equal(await beginWithout(one), "It is known.");
  POST.push({ status: 502 });
  assert.equal(await beginWithout(one), "The server refused this.");
  assert.match(await beginWithout(one), /cannot be reached/);
});
