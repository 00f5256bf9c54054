// The harness's function, on buffers and on bigints, against double-and-add.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { blank, openBrowser, without } from "./browser.js";
import { bls12_377, edwardsBls12, generator, littleEndian } from "./reference.js";

let browser;
let page;
before(async () => {
  browser = await openBrowser();
  page = await without(await blank(browser), "webgpu");
});
after(() => browser?.close());

/** Calls a module's compute_msm with bytes and with bigints. */
function both(module, points, scalars, size) {
  const bases = littleEndian(points.flatMap(({ x, y }) => [x, y]), size);
  return page.evaluate(
    async ([module, points, scalars, bases, integers]) => {
      const { compute_msm } = await import(module);
      const extended = points.map(({ x, y }) => ({ x, y, t: 0n, z: 1n }));
      return [
        await compute_msm(Uint8Array.from(bases), Uint8Array.from(integers)),
        await compute_msm(extended, scalars),
      ];
    },
    [module, points, scalars, [...bases], [...littleEndian(scalars, 32)]],
  );
}

test("compute_msm on Edwards BLS12, scalars up to 2^253, points of the whole curve", async () => {
  const random = generator(11);
  const points = [...edwardsBls12.points(5, random), ...edwardsBls12.wholeCurve(3)];
  const scalars = points.map(() => random(1n << 253n));
  scalars[1] = (1n << 253n) - 1n;
  const sum = edwardsBls12.msm(points, scalars);
  for (const { x, y } of await both("/zprize/edwards-bls12.js", points, scalars, 32)) {
    assert.deepEqual({ x, y }, sum);
  }
});

test("compute_msm on BLS12-377", async () => {
  const random = generator(12);
  const points = bls12_377.points(8, random);
  const scalars = points.map(() => random(bls12_377.order));
  const sum = bls12_377.msm(points, scalars);
  for (const { x, y, device } of await both("/zprize/bls12-377.js", points, scalars, 48)) {
    assert.deepEqual({ x, y }, sum);
    assert.deepEqual([device.kind, device.fallback], ["cpu", true]);
  }
});

test("compute_msm at infinity is (0, 0)", async () => {
  const [point] = bls12_377.points(1, generator(13));
  const [fromBytes, fromNumbers] = await both("/zprize/bls12-377.js", [point], [0n], 48);
  assert.deepEqual([fromBytes.x, fromBytes.y, fromNumbers.x, fromNumbers.y], [0n, 0n, 0n, 0n]);
});
