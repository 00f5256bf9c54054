// MSMs on WebGPU: a software adapter, on which compiling the shaders takes most of the time.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";

import { blank, openBrowser } from "./browser.js";
import { bn254, edwardsBls12, generator, littleEndian } from "./reference.js";

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

/** The other choice compiles shaders for another page. */
const KINDS = process.env.BUCKETEER_TESTS === "all" ? ["cpu", "webgpu"] : ["cpu"];

/** Has `speed.js` find that the CPU takes a billion times as long as predicted. */
async function slowCpu(route) {
  const response = await route.fetch();
  const text = await response.text();
  const factor = "saneFactor((1e6 * least) / predicted, MOST_CPU)";
  assert.ok(text.includes(factor));
  await route.fulfill({ response, body: text.replace(factor, "1e9") });
}

test("a batch runs on the GPU as one, over points and scalars in any form", async () => {
  const random = generator(22);
  const points = bn254.points(3, random);
  const vectors = [0, 1, 2].map(() => points.map(() => random(bn254.order)));
  const montgomery = (values, modulus) =>
    littleEndian(
      values.map((value) => (value << 256n) % modulus),
      32,
    );
  const bytes = montgomery(
    points.flatMap(({ x, y }) => [x, y]),
    bn254.p,
  );
  const scalars = vectors.map((vector) => [...montgomery(vector, bn254.order)]);
  const batch = await page.evaluate(
    async ([bytes, scalars]) => {
      const bases = await gpu.loadBases("bn254", Uint8Array.from(bytes), { form: "montgomery" });
      const inputs = scalars.map((vector) => Uint8Array.from(vector));
      return bases.msmBatch(inputs, { scalarForm: "montgomery" });
    },
    [[...bytes], scalars],
  );
  assert.equal(batch.device.kind, "webgpu");
  assert.deepEqual(
    batch.sums.map(({ x, y }) => ({ x, y })),
    vectors.map((vector) => bn254.msm(points, vector)),
  );
});

test("auto takes the device that is predicted to be faster, and says so", async () => {
  const { seed } = expected;
  for (const kind of KINDS) {
    const own = await blank(browser);
    // A CPU that was measured to be slow leaves everything to the GPU.
    if (kind === "webgpu") await own.route("**/js/speed.js", slowCpu);
    const outcome = await own.evaluate(
      async ([seed]) => {
        const { Bucketeer } = await import("/index.js");
        const auto = await Bucketeer.create();
        const bases = await auto.generate("bn254", 300, { seed });
        const [sum, known] = [await bases.msmOf({ seed }), await bases.expected({ seed })];
        auto.close();
        return {
          opened: auto.device,
          loaded: bases.device.kind,
          same: sum.x === known.x && sum.y === known.y,
          sum,
        };
      },
      [seed],
    );
    await own.close();
    assert.equal(outcome.opened.kind, "webgpu");
    assert.equal(outcome.same, true);
    const { device, choice } = outcome.sum;
    assert.deepEqual([outcome.loaded, device.kind, choice.device], [kind, kind, kind]);
    assert.ok(choice.predicted.cpu > 0 && choice.predicted.webgpu > 0);
    assert.match(choice.reason, /^predicted: cpu [\d.]+ ms.*, webgpu [\d.]+ ms/);
  }
});

test("an Edwards curve on WebGPU, points of the whole curve", async () => {
  const random = generator(21);
  const points = [...edwardsBls12.points(5, random), ...edwardsBls12.wholeCurve(2)];
  const scalars = points.map(() => random(1n << 253n));
  const bases = littleEndian(points.flatMap(({ x, y }) => [x, y]), 32);
  const { x, y, device } = await page.evaluate(
    ([bases, scalars]) =>
      gpu.msm("ed-on-bls12-377", Uint8Array.from(bases), Uint8Array.from(scalars), {
        anyPoint: true,
      }),
    [[...bases], [...littleEndian(scalars, 32)]],
  );
  assert.deepEqual({ x, y }, edwardsBls12.msm(points, scalars));
  assert.equal(device.kind, "webgpu");
});
