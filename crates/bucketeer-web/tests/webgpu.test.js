// MSMs on WebGPU: a software adapter, on which compiling the shaders takes most of the time.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";

import { blank, openBrowser } from "./browser.js";
import { edwardsBls12, generator, littleEndian } from "./reference.js";

const expected = JSON.parse(await readFile(new URL("expected.json", import.meta.url)));

let browser;
let page;
before(async () => {
  browser = await openBrowser();
  page = await blank(browser);
  await page.evaluate(async () => {
    const { Bucketeer } = await import("/index.js");
    globalThis.gpu = await Bucketeer.create({ device: "webgpu" });
  });
});
after(() => browser?.close());

test("the adapter is described", async () => {
  const device = await page.evaluate(() => gpu.device);
  assert.deepEqual([device.kind, device.fallback], ["webgpu", false]);
  assert.match(device.name, /swiftshader/i);
  assert.ok(device.limits.maxStorageBufferBindingSize >= 2 ** 27);
});

test("WebGPU yields arkworks' sums, over resident bases", async () => {
  const { n, seed } = expected;
  const sums = await page.evaluate(
    async ([n, seed]) => {
      const bases = await gpu.generate("bn254", n, { seed });
      return [await bases.msmOf({ seed }), await bases.msmOf({ distribution: "skewed", seed })];
    },
    [n, seed],
  );
  const integers = (kind) => expected[kind]["bn254-g1"].map(BigInt);
  assert.deepEqual(sums.map(({ x, y }) => [x, y]), [integers("uniform"), integers("skewed")]);
  assert.ok(sums.every(({ device }) => device.kind === "webgpu"));
  assert.ok(sums[0].timings.compile > 0 && sums[1].timings.compile < sums[0].timings.compile);
  assert.ok(sums[1].timings.accumulate > 0);
});

test("compute_msm on WebGPU, Edwards BLS12", async () => {
  const random = generator(21);
  const points = [...edwardsBls12.points(5, random), ...edwardsBls12.wholeCurve(2)];
  const scalars = points.map(() => random(1n << 253n));
  const bases = littleEndian(points.flatMap(({ x, y }) => [x, y]), 32);
  const { x, y, device } = await page.evaluate(
    async ([bases, scalars]) => {
      const { compute_msm } = await import("/zprize/edwards-bls12.js");
      return compute_msm(Uint8Array.from(bases), Uint8Array.from(scalars));
    },
    [[...bases], [...littleEndian(scalars, 32)]],
  );
  assert.deepEqual({ x, y }, edwardsBls12.msm(points, scalars));
  assert.equal(device.kind, "webgpu");
});
