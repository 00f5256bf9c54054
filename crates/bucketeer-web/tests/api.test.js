// The API in a browser, against the reference and against arkworks.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";

import { blank, openBrowser } from "./browser.js";
import { bls12_377, bn254, edwardsBls12, generator, littleEndian } from "./reference.js";

const expected = JSON.parse(await readFile(new URL("expected.json", import.meta.url)));

let browser;
let page;
before(async () => {
  browser = await openBrowser();
  page = await blank(browser);
  await page.evaluate(async () => {
    const { Bucketeer } = await import("/index.js");
    globalThis.Bucketeer = Bucketeer;
    globalThis.cpu = await Bucketeer.create({ device: "cpu" });
  });
});
after(() => browser?.close());

const bytesOf = (points, size) =>
  littleEndian(
    points.flatMap((p) => (p ? [p.x, p.y] : [0n, 0n])),
    size,
  );

/** An MSM in the page over bytes; numbers come back as they are. */
function msm(curve, bases, scalars, options = {}) {
  return page.evaluate(
    ([curve, bases, scalars, options]) =>
      cpu.msm(curve, Uint8Array.from(bases), Uint8Array.from(scalars), options),
    [curve, [...bases], [...scalars], options],
  );
}

/** The text of the exception that an MSM ends with. */
async function failure(...args) {
  const error = await msm(...args).then(
    () => assert.fail("no exception"),
    (error) => error,
  );
  return error.message;
}

for (const [name, curve, size] of [
  ["bls12-377", bls12_377, 48],
  ["bn254", bn254, 32],
  ["ed-on-bls12-377", edwardsBls12, 32],
]) {
  test(`${name}: an MSM over bytes equals double-and-add`, async () => {
    const random = generator(1);
    const points = curve.points(7, random);
    points[3] = points[2];
    points[4] = curve.zero;
    const scalars = points.map(() => random(curve.order));
    scalars[5] = 0n;
    const { x, y, infinity, device } = await msm(
      name,
      bytesOf(points, size),
      littleEndian(scalars, 32),
    );
    assert.deepEqual({ x, y }, curve.msm(points, scalars));
    assert.equal(infinity, false);
    assert.equal(device.kind, "cpu");
  });
}

test("integers above the order are taken as they are", async () => {
  const random = generator(2);
  const points = bls12_377.points(3, random);
  const scalars = points.map(() => random(1n << 256n) | (1n << 255n));
  const { x, y } = await msm("bls12-377", bytesOf(points, 48), littleEndian(scalars, 32));
  assert.deepEqual({ x, y }, bls12_377.msm(points, scalars));
});

test("points outside the subgroup are refused, or summed if told to", async () => {
  const random = generator(3);
  const points = [...bls12_377.points(1, random), ...bls12_377.wholeCurve(2)];
  const scalars = points.map(() => random(1n << 253n));
  const [bases, integers] = [bytesOf(points, 48), littleEndian(scalars, 32)];
  assert.match(
    await failure("bls12-377", bases, integers),
    /base 1 is not in the prime-order subgroup/,
  );
  const { x, y } = await msm("bls12-377", bases, integers, { anyPoint: true });
  assert.deepEqual({ x, y }, bls12_377.msm(points, scalars));
});

test("a bad point among thousands is found", async () => {
  const [good] = bls12_377.points(1, generator(4));
  const [bad] = bls12_377.wholeCurve(1);
  const points = Array(2000).fill(good);
  points[1234] = bad;
  const bases = bytesOf(points, 48);
  assert.match(
    await failure("bls12-377", bases, new Uint8Array(64_000)),
    /base 1234 is not in the prime-order subgroup/,
  );
});

test("bigints are accepted, G2 as pairs, and infinity comes back", async () => {
  const [point] = bn254.points(1, generator(5));
  const order = bn254.order;
  const outcome = await page.evaluate(
    async ([point, order]) => {
      const opposite = { x: point.x, y: (await cpu.curve("bn254")).modulus - point.y };
      const zero = await cpu.msm("bn254", [point, opposite, null], [3n, 3n, 5n]);
      const minus = await cpu.msm("bn254", [point], [order - 1n]);
      const g2 = await cpu.generate("bn254-g2", 5);
      const sum = await g2.msmOf();
      const again = await cpu.msm("bn254-g2", [{ x: sum.x, y: sum.y }, null], [1n, 7n]);
      return { zero, minus, sum, again };
    },
    [point, order],
  );
  assert.deepEqual([outcome.zero.infinity, outcome.zero.x], [true, null]);
  assert.deepEqual([outcome.minus.x, outcome.minus.y], [point.x, bn254.p - point.y]);
  assert.equal(outcome.sum.x.length, 2);
  assert.deepEqual([outcome.again.x, outcome.again.y], [outcome.sum.x, outcome.sum.y]);
});

test("every curve yields arkworks' sums", async () => {
  const { n, seed } = expected;
  const curves = await page.evaluate(() => cpu.curves());
  assert.deepEqual(curves.toSorted(), Object.keys(expected.uniform).toSorted());
  const big = (coordinate) =>
    Array.isArray(coordinate) ? coordinate.map(BigInt) : BigInt(coordinate);
  for (const distribution of ["uniform", "skewed"]) {
    for (const curve of curves) {
      const sum = await page.evaluate(
        async ([curve, n, seed, distribution]) => {
          const bases = await cpu.generate(curve, n, { seed });
          const sum = await bases.msmOf({ distribution, seed });
          bases.free();
          return [sum.x, sum.y];
        },
        [curve, n, seed, distribution],
      );
      assert.deepEqual(sum, expected[distribution][curve].map(big), `${curve}, ${distribution}`);
    }
  }
});

test("resident bases serve many MSMs, until they are freed", async () => {
  const random = generator(6);
  const points = bls12_377.points(4, random);
  const batch = [0, 1].map(() => points.map(() => random(bls12_377.order)));
  const { sums, freed, plan } = await page.evaluate(
    async ([points, batch]) => {
      const bases = await cpu.loadBases("bls12-377", points);
      const sums = [];
      for (const scalars of batch) sums.push(await bases.msm(scalars));
      bases.free();
      const freed = await bases.msm(batch[0]).catch((error) => error.message);
      return { sums, freed, plan: bases.plan };
    },
    [points, batch],
  );
  batch.forEach((scalars, i) => {
    assert.deepEqual({ x: sums[i].x, y: sums[i].y }, bls12_377.msm(points, scalars));
  });
  assert.equal(freed, "the bases have been freed");
  assert.match(plan, /^bases +4 in 1 chunk/);
  assert.ok(
    Object.values(sums[0].timings).every((time) => time >= 0 && time <= sums[0].milliseconds),
  );
  assert.ok(sums[0].timings.accumulate > 0);
});

test("exceptions name what is wrong and where", async () => {
  const [point] = bls12_377.points(1, generator(7));
  const one = littleEndian([1n], 32);
  const off = bytesOf([point, { x: point.x, y: point.y + 1n }], 48);
  const large = bytesOf([{ x: point.x, y: bls12_377.p }], 48);
  const cases = [
    [["bls12-377", off, new Uint8Array(64)], /base 1 is not on the curve/],
    [["bls12-377", large, one], /base 0: y is not below the modulus/],
    [
      ["bls12-377", new Uint8Array(95), one],
      /the bases have 95 bytes, which is not a multiple of the 96 of a point/,
    ],
    [
      ["bls12-377", bytesOf([point], 48), new Uint8Array(96)],
      /1 bases but 3 scalars: every scalar needs a base/,
    ],
    [
      ["bls12-377", bytesOf([point], 48), new Uint8Array(33)],
      /the scalars have 33 bytes, which is not a multiple of the 32/,
    ],
    [
      ["curve25519", new Uint8Array(0), new Uint8Array(0)],
      /unknown curve "curve25519": expected one of bls12-377, /,
    ],
  ];
  for (const [args, text] of cases) assert.match(await failure(...args), text);
  const unknown = page.evaluate(() => Bucketeer.create({ device: "abacus" }));
  await assert.rejects(unknown, /unknown device "abacus": expected one of auto, webgpu, cpu/);
});

test("a run reports its progress and can be stopped", async () => {
  const outcome = await page.evaluate(async () => {
    const bases = await cpu.generate("bls12-377", 1 << 13);
    const marks = [];
    const full = await bases.msmOf({ onProgress: (mark) => marks.push(mark) });
    const controller = new AbortController();
    const start = performance.now();
    const stopped = await bases
      .msmOf({ signal: controller.signal, onProgress: () => controller.abort() })
      .catch((error) => error.name);
    // The next call begins when the worker is free: soon, if the run did stop.
    await bases.expected();
    const waited = performance.now() - start;
    const late = await bases.msmOf({ signal: controller.signal }).catch((error) => error.name);
    const again = await bases.msmOf();
    bases.free();
    return { marks, stopped, late, waited, full: full.milliseconds, same: again.x === full.x };
  });
  const { marks, stopped, late, waited, full, same } = outcome;
  assert.ok(marks.length > 10, `${marks.length} reports`);
  assert.ok(
    marks.every(({ done, total }, i) => done <= total && (i === 0 || done >= marks[i - 1].done)),
  );
  assert.equal(marks.at(-1).done, marks.at(-1).total);
  assert.deepEqual([stopped, late, same], ["AbortError", "AbortError", true]);
  assert.ok(waited < 0.7 * full, `stopped after ${waited} ms of ${full} ms`);
});

test("works in the calling thread too", async () => {
  const [same, stopped] = await page.evaluate(async () => {
    const local = await Bucketeer.create({ device: "cpu", worker: false });
    const [here, there] = [await local.generate("pallas", 100), await cpu.generate("pallas", 100)];
    const same = (await here.msmOf()).x === (await there.msmOf()).x;
    const controller = new AbortController();
    const options = { signal: controller.signal, onProgress: () => controller.abort() };
    return [same, await here.msmOf(options).catch((error) => error.name)];
  });
  assert.deepEqual([same, stopped], [true, "AbortError"]);
});

test("a closed Bucketeer says so", async () => {
  const text = await page.evaluate(async () => {
    const closed = await Bucketeer.create({ device: "cpu" });
    closed.close();
    return closed.generate("pallas", 1).catch((error) => error.message);
  });
  assert.equal(text, "this Bucketeer has been closed");
});
