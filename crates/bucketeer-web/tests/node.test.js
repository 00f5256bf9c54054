// The package in Node: one thread and several give the same sums, and a worker's end is noticed.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";

import { Bucketeer } from "../index.js";
import { bn254, generator, littleEndian } from "./reference.js";

let single;
let several;
before(async () => {
  single = await Bucketeer.create({ device: "cpu", worker: false });
  several = await Bucketeer.create({ device: "cpu", threads: 3 });
});
after(() => several.close());

test("the device says its threads and arithmetic", async () => {
  assert.equal(single.device.threads, 1);
  assert.match(single.device.description, /^cpu, 1 thread, SIMD128/);
  assert.equal(several.device.threads, 3);
  assert.match(several.device.description, /^cpu, 3 threads, SIMD128/);
  for (const threads of [0, 1.5, 257, "2"]) {
    await assert.rejects(
      Bucketeer.create({ device: "cpu", threads }),
      /expected an integer from 1 to 256/,
    );
  }
  await assert.rejects(
    Bucketeer.create({ worker: false, threads: 2 }),
    /without workers there is one/,
  );
});

for (const curve of ["bls12-381", "bn254", "ed-on-bls12-377", "bn254-g2", "bw6-761"]) {
  test(`${curve}: shares add up to the whole`, async () => {
    const n = curve === "bw6-761" ? 600 : 1000;
    const bases = await several.generate(curve, n, { seed: 1 });
    assert.match(bases.plan, /^shares +[23], one for a worker/);
    for (const distribution of ["uniform", "skewed"]) {
      const { x, y, milliseconds, timings } = await bases.msmOf({ distribution, seed: 2 });
      const expected = await bases.expected({ distribution, seed: 2 });
      assert.deepEqual([x, y], [expected.x, expected.y]);
      assert.ok(Object.values(timings).every((time) => time >= 0 && time <= milliseconds));
    }
    bases.free();
    await assert.rejects(bases.msmOf(), /the bases have been freed/);
  });
}

test("bytes are cut into shares, and infinity comes back", async () => {
  const random = generator(1);
  const [p, q] = bn254.points(2, random);
  const n = 1001;
  const points = Array.from({ length: n }, (_, i) => (i % 2 ? p : q));
  const scalars = points.map((_, i) => BigInt(i));
  const { x, y } = await several.msm("bn254", points, scalars);
  const sums = [q, p].map((_, parity) =>
    scalars.reduce((sum, k, i) => (i % 2 === parity ? sum + k : sum), 0n),
  );
  assert.deepEqual({ x, y }, bn254.msm([q, p], sums));
  const opposite = points.map(({ x, y }, i) => (i % 4 < 2 ? { x, y } : { x, y: bn254.p - y }));
  const zero = await several.msm("bn254", opposite.slice(0, 1000), Array(1000).fill(3n));
  assert.deepEqual([zero.infinity, zero.x], [true, null]);
});

test("errors are those of one thread", async () => {
  const [point] = bn254.points(1, generator(2));
  const points = Array(2000).fill(point);
  points[1500] = { x: point.x, y: point.y + 1n };
  const ones = new Uint8Array(32 * 2000);
  await assert.rejects(several.msm("bn254", points, ones), /base 1500 is not on the curve/);
  points[1500] = point;
  for (const [length, text] of [
    [64_032, /2000 bases but 2001 scalars: every scalar needs a base$/],
    [32, /2000 bases but 1 scalars: every scalar needs a base, and every base a scalar/],
    [33, /the scalars have 33 bytes, which is not a multiple of the 32 of a scalar/],
  ]) {
    const messages = [];
    for (const bucketeer of [single, several]) {
      const error = await bucketeer
        .msm("bn254", points, new Uint8Array(length))
        .catch((error) => error);
      assert.match(error.message, text);
      messages.push([error.name, error.message]);
    }
    assert.deepEqual(messages[0], messages[1]);
  }
  const bytes = new Uint8Array(65);
  await assert.rejects(
    several.loadBases("bn254", bytes),
    /65 bytes, which is not a multiple of the 64 of a point/,
  );
});

test("a run on several threads reports its progress and can be stopped", async () => {
  const bases = await several.generate("bls12-377", 1 << 13);
  const marks = [];
  await bases.msmOf({ onProgress: (mark) => marks.push(mark) });
  assert.ok(marks.length > 10, `${marks.length} reports`);
  assert.ok(
    marks.every(({ done, total }, i) => done <= total && (i === 0 || done >= marks[i - 1].done)),
  );
  assert.equal(marks.at(-1).done, marks.at(-1).total);
  const controller = new AbortController();
  const stopped = bases.msmOf({ signal: controller.signal, onProgress: () => controller.abort() });
  await assert.rejects(stopped, { name: "AbortError" });
  const { x } = await bases.msmOf();
  assert.equal(x, (await bases.expected()).x);
  bases.free();
});

test("a worker that ends by itself is an error, in calls that wait for it and in later ones", async () => {
  const workers = [];
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (...args) {
    if (!workers.includes(this)) workers.push(this);
    return post.apply(this, args);
  };
  try {
    const doomed = await Bucketeer.create({ device: "cpu", threads: 2 });
    const bases = await doomed.generate("bls12-381", 1 << 14);
    const runs = Array.from({ length: 4 }, () => bases.msmOf());
    workers.at(-1).terminate();
    const ended = { name: "WorkerError", message: /a worker failed: it ended with code 1/ };
    await Promise.all(runs.map((run) => assert.rejects(run, ended)));
    await assert.rejects(bases.msmOf(), { name: "WorkerError" });
    doomed.close();
  } finally {
    Worker.prototype.postMessage = post;
  }
});

test("a program ends without closing what is idle", async () => {
  const program = `
    import { Bucketeer } from ${JSON.stringify(new URL("../index.js", import.meta.url).href)};
    const bucketeer = await Bucketeer.create({ device: "cpu", threads: 2 });
    const bases = await bucketeer.generate("bn254", 600);
    console.log((await bases.msmOf()).infinity);`;
  const run = promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
    timeout: 60_000,
  });
  assert.equal((await run).stdout, "false\n");
});
