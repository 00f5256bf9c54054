// One MSM on everything there is: the CPU engine, WebGPU, and ffjavascript, the library under
// snarkjs, all on the same points and scalars. Every engine has a warm-up and three runs, of which
// the fastest counts; sums are compared.

import { open } from "./devices.js";

const RUNS = 3;
/** Where `npm start` installs it. */
const PEER = "../peers/node_modules/ffjavascript/build/browser.esm.js";
/** The curves that it has, by our names: how to build them, and the group. */
const PEER_CURVES = {
  "bn254-g1": ["buildBn128", "G1"],
  "bn254-g2": ["buildBn128", "G2"],
  "bls12-381-g1": ["buildBls12381", "G1"],
  "bls12-381-g2": ["buildBls12381", "G2"],
};

/**
 * Runs all engines; `onRow` gets `{ engine, detail, milliseconds }` of each, or its `failure`, and
 * `say` what is going on.
 */
export async function compare({ curve, log, signal, say, onRow }) {
  const n = 2 ** log;
  say("Making points and scalars…");
  const input = await inputOf(curve, n).catch((error) => ({ failure: error.message }));
  const sums = new Set();
  const row = async (engine, work) => {
    signal.throwIfAborted();
    say(`Computing on ${engine}…`);
    try {
      const { detail, x, milliseconds } = await work();
      sums.add(String(x));
      onRow({ engine, detail, milliseconds });
    } catch (error) {
      signal.throwIfAborted();
      onRow({ engine, detail: "", failure: error.message });
    }
  };
  try {
    await row("CPU", () => ours("cpu", curve, n, input, signal));
    await row("WebGPU", () => ours("webgpu", curve, n, input, signal));
    await row("ffjavascript", () => theirs(input));
  } finally {
    await input.engine?.terminate();
  }
  if (sums.size > 1) throw new Error("the sums differ");
}

async function ours(kind, curve, n, input, signal) {
  const { bucketeer } = await open(kind);
  // Curves that the peer does not have get points of ours.
  const made = input.failure !== undefined;
  const bases = made
    ? await bucketeer.generate(curve, n, { seed: 1 })
    : await bucketeer.loadBases(curve, input.points, { check: false, form: "montgomery" });
  try {
    const run = () =>
      made ? bases.msmOf({ seed: 1, signal }) : bases.msm(input.scalars, { signal });
    return { detail: bucketeer.device.description, ...(await fastest(run)) };
  } finally {
    bases.free();
  }
}

async function theirs({ failure, engine, group, points, scalars, threads }) {
  if (failure !== undefined) throw new Error(failure);
  const run = async () => {
    const sum = group.toObject(group.toAffine(await group.multiExpAffine(points, scalars)));
    return { x: sum[0] };
  };
  return {
    detail: `${threads} thread${threads === 1 ? "" : "s"}, ${engine.name}`,
    ...(await fastest(run)),
  };
}

async function fastest(run) {
  await run();
  let best = { milliseconds: Infinity };
  for (let i = 0; i < RUNS; i++) {
    const start = performance.now();
    const { x } = await run();
    const milliseconds = performance.now() - start;
    if (milliseconds < best.milliseconds) best = { x, milliseconds };
  }
  return best;
}

/** Points in the peer's own form, powers of a random element times the generator, and scalars. */
async function inputOf(curve, n) {
  const [build, name] = PEER_CURVES[curve] ?? [];
  if (!build) throw new Error(`it has no ${curve}`);
  const library = await import(PEER).catch(() => {
    throw new Error("it is not installed: npm --prefix peers install");
  });
  const engine = await library[build]();
  const group = engine[name];
  const generator = group.toAffine(group.g);
  const many = new Uint8Array(n * generator.length);
  for (let i = 0; i < n; i++) many.set(generator, i * generator.length);
  const points = await group.batchApplyKey(many, engine.Fr.e(3), engine.Fr.random());
  return { engine, group, points, scalars: randomScalars(n), threads: engine.tm.concurrency };
}

/** Scalars below 2^253, which is below the order of these curves. */
function randomScalars(n) {
  const scalars = new Uint8Array(32 * n);
  const most = 65536;
  for (let at = 0; at < scalars.length; at += most) {
    crypto.getRandomValues(scalars.subarray(at, at + most));
  }
  for (let at = 31; at < scalars.length; at += 32) scalars[at] &= 31;
  return scalars;
}
