// What goes wrong around the engine, in Node: messages that cannot be sent or read, modules that trap,
// calls after the end, and inputs that are views of other memory.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import threads from "node:worker_threads";

import { Bucketeer } from "../index.js";
import { countNonZero, plainBytes } from "../js/bytes.js";
import { computeMsmOn } from "../zprize/compute_msm.js";
import { inWorker } from "../js/remote.js";
import { saneFactor } from "../js/speed.js";
import { bandersnatch, bn254, generator, littleEndian } from "./reference.js";

let several;
before(async () => {
  several = await Bucketeer.create({ device: "cpu", threads: 2 });
});
after(() => several.close());

/** Notes the workers that are started during `work`, which gets the list. */
async function watchingWorkers(work) {
  const started = [];
  const { Worker } = threads;
  threads.Worker = class extends Worker {
    constructor(...args) {
      super(...args);
      started.push(this);
    }
  };
  try {
    return await work(started);
  } finally {
    threads.Worker = Worker;
  }
}

/** As `fs.readFile` gives them, and at an odd place of a larger buffer. */
const asBuffers = (bytes) => [Buffer.from(bytes), Buffer.concat([Buffer.alloc(1), bytes]).subarray(1)];

test("Node's Buffers are summed in shares and stay the caller's", async () => {
  const random = generator(41);
  const pair = bn254.points(2, random);
  const n = 600;
  const points = littleEndian(Array.from({ length: n }, (_, i) => pair[i % 2]).flatMap(({ x, y }) => [x, y]), 32);
  const factors = Array.from({ length: n }, (_, i) => BigInt(i % 7));
  const sums = [0, 1].map((parity) => factors.reduce((sum, k, i) => (i % 2 === parity ? sum + k : sum), 0n));
  const expected = bn254.msm(pair, sums);
  for (const [bases, scalars] of asBuffers(points).map((own, i) => [own, asBuffers(littleEndian(factors, 32))[i]])) {
    for (let round = 0; round < 2; round++) {
      const { x, y } = await several.msm("bn254", bases, scalars);
      assert.deepEqual({ x, y }, expected);
      assert.ok(bases.equals(points), "the caller's bytes");
    }
    const resident = await several.loadBases("bn254", bases);
    const { sums: batch } = await resident.msmBatch([scalars, scalars]);
    assert.deepEqual(batch.map(({ x, y }) => ({ x, y })), [expected, expected]);
    resident.free();
  }
  assert.equal(countNonZero(plainBytes(asBuffers(littleEndian(factors, 32))[1]), 32), factors.filter(Boolean).length);
});

test("bases are the caller's to change once they are loaded", async () => {
  const [point] = bn254.points(1, generator(42));
  const bytes = Buffer.from(littleEndian([point.x, point.y], 32));
  const bases = await several.loadBases("bn254", bytes);
  bytes.fill(0);
  // The second worker gets its copy now.
  const { sums } = await bases.msmBatch([[3n], [5n]]);
  assert.deepEqual(sums.map(({ x, y }) => ({ x, y })), [3n, 5n].map((k) => bn254.times(k, point)));
  bases.free();
});

test("shares whose sums the affine model cannot express have a total", async () => {
  const pair = bandersnatch.pairAtInfinity();
  const n = 512;
  const points = Array.from({ length: n }, (_, i) => pair[i % 2]);
  // Their sum in each of two shares; it has order two.
  const scalars = points.map((_, i) => (i % (n / 2) < 2 ? 1n : 0n));
  const bases = await several.loadBases("bandersnatch", points, { anyPoint: true });
  assert.match(bases.plan, /^shares +2/);
  const neutral = { x: 0n, y: 1n };
  const { x, y } = await bases.msm(scalars);
  assert.deepEqual({ x, y }, neutral);
  const { sums } = await bases.msmBatch([scalars, scalars]);
  assert.deepEqual(sums.map(({ x, y }) => ({ x, y })), [neutral, neutral]);
  // A total at infinity is an error still.
  const half = scalars.map((k, i) => (i < n / 2 ? k : 0n));
  await assert.rejects(bases.msm(half), { name: "BucketeerError" });
  bases.free();
});

test("a message that cannot be sent fails its call alone", async () => {
  const port = inWorker();
  await port.call("open", ["cpu"]);
  await assert.rejects(port.call("memory", [() => 1]), { name: "DataCloneError" });
  assert.equal(typeof (await port.call("memory", [])), "number");
  port.close();
});

test("a message that cannot be read is an error, not a hang", async () => {
  await watchingWorkers(async (workers) => {
    const bucketeer = await Bucketeer.create({ device: "cpu", threads: 1 });
    const call = bucketeer.generate("bn254", 1000);
    workers[0].emit("messageerror", new Error("no such object"));
    await assert.rejects(call, { name: "WorkerError", message: /a message of it could not be read/ });
  });
});

test("a trap is an error of the call, on a thread and in a worker", async () => {
  for (const worker of [false, true]) {
    const bucketeer = await Bucketeer.create({ device: "cpu", worker });
    // More bases than 32-bit addresses reach.
    const call = bucketeer.generate("bn254", 2 ** 28);
    await assert.rejects(call, { name: "WorkerError", message: /the wasm module failed, make a new Bucketeer/ });
    await assert.rejects(bucketeer.generate("bn254", 1), { name: "WorkerError" });
    bucketeer.close();
  }
});

test("a closed Bucketeer starts no workers and computes nothing", async () => {
  const closed = { message: "this Bucketeer has been closed" };
  await watchingWorkers(async (workers) => {
    const bucketeer = await Bucketeer.create({ device: "cpu", threads: 4 });
    const bases = await bucketeer.generate("bn254", 10);
    bucketeer.close();
    const started = workers.length;
    await assert.rejects(bucketeer.generate("bn254", 4000), closed);
    await assert.rejects(bases.msmBatch(Array(4).fill(Array(10).fill(1n))), closed);
    assert.equal(workers.length, started);
  });
  const local = await Bucketeer.create({ device: "cpu", worker: false });
  const bases = await local.generate("bn254", 10);
  local.close();
  await assert.rejects(local.generate("bn254", 10), closed);
  await assert.rejects(bases.msmOf(), closed);
});

test("the time of a run leaves out the runs before it", async () => {
  const bases = await several.generate("bn254", 1 << 13);
  await bases.msmOf();
  const start = performance.now();
  const runs = await Promise.all(Array.from({ length: 8 }, () => bases.msmOf()));
  const all = performance.now() - start;
  for (const { milliseconds } of runs) assert.ok(milliseconds < all / 2, `${milliseconds} of ${all} ms`);
  const zeros = new Uint8Array(32 << 13);
  const batches = await Promise.all([1, 2, 3, 4].map(() => bases.msmBatch([zeros, zeros])));
  for (const { milliseconds } of batches) assert.ok(milliseconds > 0);
  bases.free();
});

test("a factor that a coarse clock measured is one to multiply by", () => {
  for (const nothing of [0, NaN, -1]) assert.equal(saneFactor(nothing, 64), 1);
  assert.equal(saneFactor(Infinity, 64), 64);
  assert.equal(saneFactor(1e-9, 64), 1 / 64);
  assert.equal(saneFactor(3, 64), 3);
});

test("a number of bases is one", async () => {
  for (const n of [-1, 1.5, NaN, "7"]) await assert.rejects(several.generate("bn254", n), RangeError);
  const none = await several.generate("bn254", 0);
  assert.equal((await none.msmOf()).infinity, true);
  none.free();
});

test("verified runs have the sums of others, with random numbers from JavaScript", async () => {
  const local = await Bucketeer.create({ device: "cpu", worker: false });
  const random = generator(43);
  const points = bn254.points(5, random);
  const scalars = points.map(() => random(bn254.order));
  const many = Array.from({ length: 600 }, (_, i) => points[i % 5]);
  const own = crypto.getRandomValues;
  let drawn = 0;
  crypto.getRandomValues = (array) => (drawn++, own.call(crypto, array));
  try {
    const bases = await local.loadBases("bn254", points, { check: false, verify: true });
    const anchors = drawn;
    const { x, y } = await bases.msm(scalars);
    assert.deepEqual({ x, y }, bn254.msm(points, scalars));
    assert.ok(anchors > 0 && drawn > anchors, `${anchors} draws, then ${drawn}`);
  } finally {
    crypto.getRandomValues = own;
    local.close();
  }
  const shares = await several.loadBases("bn254", many, { verify: true });
  const { sums } = await shares.msmBatch([Array(600).fill(1n), Array(600).fill(2n)]);
  const total = (k) => bn254.msm(points, points.map(() => 120n * k));
  assert.deepEqual(sums.map(({ x, y }) => ({ x, y })), [total(1n), total(2n)]);
  shares.free();
});

test("loading reports its progress, and can be stopped", async () => {
  const points = littleEndian(bn254.points(1, generator(44)).flatMap(({ x, y }) => [x, y]), 32);
  const many = Buffer.concat(Array(1000).fill(points));
  const marks = [];
  const bases = await several.loadBases("bn254", many, { onProgress: (mark) => marks.push(mark) });
  assert.ok(marks.length >= 3, `${marks.length} reports`);
  assert.ok(marks.every(({ done, total }, i) => done <= total && (i === 0 || done >= marks[i - 1].done)));
  assert.deepEqual(marks.at(-1), { done: 3000, total: 3000 });
  bases.free();
  const level = await several.memory();
  const scalars = new Uint8Array(32_000);
  const calls = [(options) => several.loadBases("bn254", many, options), (options) => several.msm("bn254", many, scalars, options)];
  for (const call of calls) {
    await assert.rejects(call({ signal: AbortSignal.abort() }), { name: "AbortError" });
    const controller = new AbortController();
    const aborted = call({ signal: controller.signal });
    controller.abort();
    await assert.rejects(aborted, { name: "AbortError" });
  }
  assert.ok((await several.memory()) <= level * 1.5);
});

test("the harness's function opens a device again where the last one is gone", async (t) => {
  t.mock.method(console, "warn", () => {});
  const compute = computeMsmOn("bn254", { check: false });
  const [point] = bn254.points(1, generator(45));
  await watchingWorkers(async (workers) => {
    const own = threads.Worker;
    threads.Worker = class {
      constructor() {
        throw new Error("no worker today");
      }
    };
    await assert.rejects(compute([point], [3n]), /no worker today/);
    threads.Worker = own;
    const expected = bn254.times(3n, point);
    const right = async () => {
      const { x, y } = await compute([point], [3n]);
      assert.deepEqual({ x, y }, expected);
    };
    await right();
    await assert.rejects(compute([{ x: 1n, y: 1n }], [3n]), /base 0 is not on the curve/);
    await right();
    assert.equal(workers.length, 1, "wrong inputs end no worker");
    workers[0].terminate();
    await assert.rejects(compute([point], [3n]), { name: "WorkerError" });
    await right();
    for (const worker of workers) worker.terminate();
  });
});
