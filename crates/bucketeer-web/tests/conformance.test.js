// The library's own conformance table, in the browser, and one for what is above it: shares of bases in
// workers, on pages with shared memory and without.

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

/** What surrounds the borders of shares, which have at least 256 bases, for three workers. */
const SIZES = [0, 1, 2, 255, 256, 511, 512, 513, 767, 768, 769, 1025];

const MODES = [
  ["three threads with shared memory", { device: "cpu", threads: 3 }, true, SIZES],
  ["three threads without shared memory", { device: "cpu", threads: 3 }, false, SIZES],
  ["one thread in a worker", { device: "cpu", threads: 1 }, true, SIZES],
  ["the calling thread", { device: "cpu", worker: false }, true, SIZES],
  ["WebGPU", { device: "webgpu" }, true, [0, 513]],
];

for (const [mode, options, isolated, sizes] of MODES) {
  test(`MSMs and batches of every size and kind of scalars: ${mode}`, async () => {
    const page = await blank(browser, {}, isolated);
    const { failed, passed, shared } = await page.evaluate(
      async ([options, sizes]) => {
        const { Bucketeer } = await import("/index.js");
        const bucketeer = await Bucketeer.create(options);
        const [failed, same] = [[], (a, b) => a.x === b.x && a.y === b.y && a.infinity === b.infinity];
        let passed = 0;
        const check = (what, sum, expected) => (same(sum, expected) ? passed++ : failed.push(what));
        for (const n of sizes) {
          const bases = await bucketeer.generate("bn254", n, { seed: 3 });
          for (const distribution of bucketeer.distributions()) {
            const sum = await bases.msmOf({ distribution, seed: n });
            check(`${n}, ${distribution}`, sum, await bases.expected({ distribution, seed: n }));
          }
          // Multiples 0, 1, 2 of one sum, by the same scalars.
          const ones = [0n, 1n, 2n].map((k) => Array(n).fill(k));
          const { sums } = await bases.msmBatch(ones);
          const single = await bases.msm(ones[1]);
          const none = { x: null, y: null, infinity: true };
          check(`${n}, a batch, 0`, sums[0], none);
          check(`${n}, a batch, 1`, sums[1], single);
          const twice = single.infinity ? none : await bucketeer.msm("bn254", [single], [2n]);
          check(`${n}, a batch, 2`, sums[2], twice);
          bases.free();
        }
        bucketeer.close();
        return { failed, passed, shared: crossOriginIsolated };
      },
      [options, sizes],
    );
    assert.deepEqual(failed, []);
    assert.ok(passed >= 12 * sizes.length, `${passed} cases`);
    assert.equal(shared, isolated);
    await page.close();
  });
}
