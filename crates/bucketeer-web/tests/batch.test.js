// Batches, forms of bytes, and memory, on one thread and on several.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Bucketeer } from "../index.js";
import { bls12_377, bn254, edwardsBls12, generator, littleEndian } from "./reference.js";

let single;
let several;
before(async () => {
  single = await Bucketeer.create({ device: "cpu", worker: false });
  several = await Bucketeer.create({ device: "cpu", threads: 3 });
});
after(() => several.close());

const reversed = (bytes, size) => {
  const copy = Uint8Array.from(bytes);
  for (let at = 0; at < copy.length; at += size) copy.subarray(at, at + size).reverse();
  return copy;
};
const plain = ({ x, y }) => ({ x, y });

// 40 bases stay in one worker, which leaves whole MSMs to the others; 600 are cut.
for (const [n, count] of [
  [40, 1],
  [40, 7],
  [40, 2],
  [600, 3],
]) {
  test(`${count} MSMs over ${n} bases are those one by one`, async () => {
    const random = generator(n + count);
    const pair = bn254.points(2, random);
    const points = Array.from({ length: n }, (_, i) => pair[i % 2]);
    const vectors = Array.from({ length: count }, (_, k) =>
      points.map(() => (k === 1 ? 0n : random(bn254.order))),
    );
    const sums = vectors.map((scalars) => {
      const both = [0, 1].map((parity) =>
        scalars.reduce((sum, k, i) => (i % 2 === parity ? sum + k : sum), 0n),
      );
      return bn254.msm(pair, both) ?? { x: null, y: null };
    });
    for (const bucketeer of [single, several]) {
      const bases = await bucketeer.loadBases("bn254", points);
      for (const input of [vectors, vectors.map((scalars) => littleEndian(scalars, 32))]) {
        const batch = await bases.msmBatch(input);
        assert.deepEqual(batch.sums.map(plain), sums);
        assert.equal(batch.device.kind, "cpu");
      }
      bases.free();
    }
  });
}

test("batches of nothing, and vectors that do not fit", async () => {
  for (const bucketeer of [single, several]) {
    for (const n of [3, 600]) {
      const bases = await bucketeer.generate("bn254", n);
      assert.deepEqual((await bases.msmBatch([])).sums, []);
      const [right, wrong] = [new Uint8Array(32 * n), new Uint8Array(32 * (n + 1))];
      await assert.rejects(
        bases.msmBatch([right, wrong]),
        /vector 1 of the batch is of \d+ bytes, the first one of/,
      );
      await assert.rejects(
        bases.msmBatch([wrong, wrong]),
        new RegExp(`${n} bases but ${n + 1} scalars`),
      );
      const stopped = bases.msmBatch([right], { signal: AbortSignal.abort() });
      await assert.rejects(stopped, { name: "AbortError" });
      bases.free();
    }
  }
});

for (const [name, curve, size] of [
  ["bn254", bn254, 32],
  ["bls12-377", bls12_377, 48],
  ["ed-on-bls12-377", edwardsBls12, 32],
]) {
  test(`${name}: bytes in every form are the same points and scalars`, async () => {
    const random = generator(size);
    const points = curve.points(5, random);
    const scalars = points.map(() => random(curve.order));
    const coordinates = points.flatMap(({ x, y }) => [x, y]);
    const montgomery = (values, modulus, size) =>
      values.map((value) => (value << BigInt(8 * size)) % modulus);
    const bases = {
      "little-endian": littleEndian(coordinates, size),
      "big-endian": reversed(littleEndian(coordinates, size), size),
      montgomery: littleEndian(montgomery(coordinates, curve.p, size), size),
    };
    const factors = {
      "little-endian": littleEndian(scalars, 32),
      "big-endian": reversed(littleEndian(scalars, 32), 32),
      montgomery: littleEndian(montgomery(scalars, curve.order, 32), 32),
    };
    const expected = curve.msm(points, scalars);
    for (const form of Object.keys(bases)) {
      for (const scalarForm of Object.keys(factors)) {
        const sum = await single.msm(name, bases[form], factors[scalarForm], { form, scalarForm });
        assert.deepEqual(plain(sum), expected, `${form}, ${scalarForm}`);
      }
    }
    // Numbers have no form.
    const numbers = await single.msm(name, points, scalars, {
      form: "montgomery",
      scalarForm: "big-endian",
    });
    assert.deepEqual(plain(numbers), expected);
    const unknown = single.msm(name, bases.montgomery, factors["little-endian"], { form: "mont" });
    await assert.rejects(unknown, /unknown form "mont": expected one of little-endian, /);
    const wrong = single.msm(name, bases["big-endian"], factors["little-endian"]);
    await assert.rejects(wrong, /base 0|is not/);
  });
}

test("memory is at its level after a hundred loads and runs", async () => {
  const points = bn254.points(2, generator(5));
  // As few as are cut into shares.
  for (const [bucketeer, n, rounds] of [
    [single, 64, 100],
    [several, 512, 100],
  ]) {
    const bytes = littleEndian(
      Array.from({ length: n }, (_, i) => points[i % 2]).flatMap(({ x, y }) => [x, y]),
      32,
    );
    const bases = await bucketeer.generate("bn254", n);
    const round = async () => {
      await bases.msmOf({ seed: 1 });
      const own = await bucketeer.loadBases("bn254", bytes, { check: false });
      await own.msmBatch([bytes.subarray(0, 32 * n), bytes.subarray(32 * n)]);
      own.free();
    };
    for (let i = 0; i < 5; i++) await round();
    const level = await bucketeer.memory();
    assert.ok(level > 0);
    for (let i = 0; i < rounds; i++) await round();
    assert.equal(await bucketeer.memory(), level);
    bases.free();
  }
});

test("runs that are stopped leave the engine usable, many at a time", async () => {
  const bases = await several.generate("bn254", 1000);
  const expected = (await bases.expected({ seed: 3 })).x;
  const runs = Array.from({ length: 12 }, (_, i) => {
    const controller = new AbortController();
    const stop = i % 2 === 0;
    const onProgress = () => stop && controller.abort();
    return bases.msmOf({ seed: 3, signal: controller.signal, onProgress }).then(
      ({ x }) => x,
      (error) => error.name,
    );
  });
  const outcomes = await Promise.all(runs);
  outcomes.forEach((outcome, i) => assert.equal(outcome, i % 2 === 0 ? "AbortError" : expected));
  assert.equal((await bases.msmOf({ seed: 3 })).x, expected);
  bases.free();
});
