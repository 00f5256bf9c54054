// The library's own conformance table, in the browser.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { blank, openBrowser } from "./browser.js";

/** One curve of each model and of the two common sizes: more add minutes and run no other code. */
const CURVES = ["bls12-377-g1", "bn254-g1", "ed-on-bls12-377"];

let browser;
let page;
before(async () => {
  browser = await openBrowser();
  page = await blank(browser);
});
after(() => browser?.close());

const ON = [...CURVES.map((curve) => ["cpu", curve]), ["webgpu", "ed-on-bls12-377"]];

for (const [device, curve] of ON) {
  test(`the conformance table on ${device}: ${curve}`, async () => {
    const { rows, summary, kind } = await page.evaluate(
      async ([device, curve]) => {
        const { Bucketeer } = await import("/index.js");
        const bucketeer = await Bucketeer.create({ device });
        const rows = [];
        const summary = await bucketeer.conformance({ curve, onRow: (row) => rows.push(row) });
        bucketeer.close();
        return { rows, summary, kind: bucketeer.device.kind };
      },
      [device, curve],
    );
    assert.equal(kind, device);
    assert.deepEqual(
      rows.flatMap((row) => row.failed),
      [],
    );
    assert.ok(
      rows.length >= 15 && rows.every((row) => row.curve === curve),
      `${rows.length} row groups`,
    );
    assert.ok(summary.passed > 300, `${summary.passed} cases`);
    assert.equal(summary.passed, rows.reduce((sum, row) => sum + row.passed, 0));
  });
}
