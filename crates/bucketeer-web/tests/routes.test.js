// The choice between two devices, with engines that only keep count: which one gets a call, when
// bases move, and that what was measured decides.

import assert from "node:assert/strict";
import { test } from "node:test";

import { countNonZero } from "../js/bytes.js";
import { inRoutes } from "../js/routes.js";

/** Nanoseconds that plans predict: proportional to the bases on a CPU, constant on a GPU. */
const CPU_BASE = 1e4;
const GPU_RUN = 4e6;

/** A port that computes nothing. `times(n)` are the milliseconds of its runs. */
function engine(kind, calls, times, checks = []) {
  let last = 0;
  const figures = (scalars) => ({
    milliseconds: times(countNonZero(scalars, 32)),
    timings: { compile: 0 },
  });
  const methods = {
    open: () => ({ device: { kind } }),
    measure: () => ({ cpu: 1, webgpu: 1, overhead: 0.5 }),
    choose: (_, works) => {
      const plan = ({ kind, bases }) => (kind === "cpu" ? bases * CPU_BASE : GPU_RUN);
      const nanoseconds = works.map((work) => work.batch * plan(work) * work.factor + work.extra);
      return { chosen: nanoseconds[0] <= nanoseconds[1] ? 0 : 1, nanoseconds };
    },
    load: (...[, , , { check }]) => {
      checks.push(check);
      return { handle: ++last, plan: kind, milliseconds: 1 };
    },
    msm: (_, scalars) => ({ x: null, y: null, figures: figures(scalars) }),
    msmBatch: (_, scalars, count) => ({ sums: Array(count).fill({}), figures: figures(scalars) }),
    free: () => undefined,
  };
  return {
    async call(method, args) {
      if (!["choose", "open", "measure"].includes(method)) calls.push(`${kind} ${method}`);
      return methods[method](...args);
    },
    close: () => calls.push(`${kind} close`),
  };
}

async function routes(name, times = {}) {
  const calls = [];
  const checks = [];
  const gpu = engine("webgpu", calls, times.webgpu ?? (() => GPU_RUN / 1e6 + 0.5), checks);
  const cpu = () => engine("cpu", calls, times.cpu ?? ((n) => (n * CPU_BASE) / 1e6), checks);
  const port = inRoutes(gpu, cpu, 1, { kind: "webgpu", name, description: "test" });
  await port.call("open", []);
  return { port, calls, checks };
}

const TRUST = { check: true, anyPoint: false, verify: false };
const load = (port, n, source = new Uint8Array(64 * n)) => {
  return port.call("load", ["bn254", source, "little-endian", TRUST]);
};
const scalars = (n, nonZero = n) => {
  const bytes = new Uint8Array(32 * n);
  for (let i = 0; i < nonZero; i++) bytes[32 * i] = 1;
  return bytes;
};
const msm = async (port, handle, n, nonZero) =>
  port.call("msm", [handle, scalars(n, nonZero), "little-endian"], {});

test("few bases go to the CPU, many to the GPU, and every result says why", async () => {
  const { port, calls } = await routes("sizes");
  const small = await load(port, 100);
  assert.equal(small.device.kind, "cpu");
  const result = await msm(port, small.handle, 100);
  assert.deepEqual([result.device.kind, result.choice.device], ["cpu", "cpu"]);
  assert.match(
    result.choice.reason,
    /^predicted: cpu 1\.00 ms, webgpu 4\.50 ms and \d+\.\d+ ms to get ready$/,
  );
  // A GPU is worth seconds of compiling where a single run of the CPU would take longer.
  const large = await load(port, 1 << 18);
  assert.equal(large.device.kind, "webgpu");
  assert.equal((await msm(port, large.handle, 1 << 18)).device.kind, "webgpu");
  assert.deepEqual(calls, ["cpu load", "cpu msm", "webgpu load", "webgpu msm"]);
});

test("bases that are used often move to the device that is faster for them", async () => {
  const { port, calls } = await routes("moving");
  const n = 1 << 14;
  const { handle } = await load(port, n);
  const kinds = [];
  for (let run = 0; run < 30; run++) kinds.push((await msm(port, handle, n)).device.kind);
  const cpu = kinds.lastIndexOf("cpu") + 1;
  // 160 ms a run against 2 s of compiling: after a dozen runs it would have been paid for.
  assert.ok(cpu >= 10 && cpu <= 14, `${cpu} runs on the CPU`);
  assert.ok(
    kinds.slice(cpu).every((kind) => kind === "webgpu"),
    kinds.join(" "),
  );
  assert.deepEqual(
    calls.filter((call) => call.endsWith("load")),
    ["cpu load", "webgpu load"],
  );
});

test("scalars of zero do not count", async () => {
  const { port } = await routes("zeros");
  const n = 1 << 18;
  const { handle } = await load(port, n);
  assert.equal((await msm(port, handle, n)).device.kind, "webgpu");
  // The CPU would have to load half a million bases for that.
  assert.equal((await msm(port, handle, n, 10)).device.kind, "webgpu");
  // It would take 5 ms to load four thousand, which pays from the second run on.
  const small = await load(port, 4000);
  const kinds = [];
  for (const few of [4000, 10, 10, 10, 4000]) {
    kinds.push((await msm(port, small.handle, 4000, few)).device.kind);
  }
  assert.deepEqual(kinds, ["webgpu", "webgpu", "cpu", "cpu", "webgpu"]);
  assert.equal(countNonZero(scalars(9, 4), 32), 4);
  assert.equal(countNonZero(scalars(9, 4).subarray(32), 32), 3);
  assert.equal(countNonZero(new Uint8Array(97).fill(1).subarray(1), 32), 3);
});

test("a batch is routed as a whole", async () => {
  const { port } = await routes("batch");
  const { handle } = await load(port, 300);
  const batch = (count) =>
    port.call("msmBatch", [handle, scalars(300 * count), count, "little-endian"], {});
  assert.equal((await batch(2)).device.kind, "cpu");
  assert.equal((await batch(2)).sums.length, 2);
});

test("what runs take corrects the predictions", async () => {
  // The GPU takes a hundred times as long as its plan says.
  const { port } = await routes("slow", { webgpu: () => 100 * (GPU_RUN / 1e6) });
  const n = 1 << 14;
  const { handle } = await load(port, n);
  const kinds = [];
  for (let run = 0; run < 40; run++) kinds.push((await msm(port, handle, n)).device.kind);
  assert.ok(kinds.includes("webgpu"), "it was tried");
  assert.deepEqual(kinds.slice(-10), Array(10).fill("cpu"));
});

test("both devices are freed and closed", async () => {
  const { port, calls } = await routes("ends");
  const { handle } = await load(port, 100);
  await port.call("free", [handle]);
  await assert.rejects(msm(port, handle, 100), /the bases have been freed/);
  port.close();
  assert.deepEqual(calls, ["cpu load", "cpu free", "webgpu close", "cpu close"]);
});

test("a file is checked by each device that reads it, bytes once", async () => {
  const n = 1 << 14;
  for (const [name, source, expected] of [
    ["bytes", new Uint8Array(64 * n), [true, false]],
    ["file", { length: 64 * n, read: async (from, to) => new Uint8Array(to - from) }, [true, true]],
  ]) {
    const { port, checks } = await routes(name);
    const { handle } = await load(port, n, source);
    for (let run = 0; run < 30; run++) await msm(port, handle, n);
    assert.deepEqual(checks, expected, name);
  }
});

test("a closed Bucketeer does not start the other device", async () => {
  const { port, calls } = await routes("closed");
  port.close();
  await assert.rejects(load(port, 100), /this Bucketeer has been closed/);
  assert.deepEqual(calls, ["webgpu close"]);
});
