// The wasm modules behind named calls with plain arguments and results, so that they can be in this
// thread or in a worker without anybody noticing. One run begins after the other: a GPU is not
// faster with two.
//
// A CPU computes with the module of the curve, which is fetched when it is first needed. A GPU and
// the conformance table are in the full module.

import { factsOf } from "./curves.js";
import { openDevice } from "./device.js";
import { memoryBytes, moduleNamed } from "./modules.js";
import { requireVectors } from "./source.js";
import { cpuFactor, gpuFactor } from "./speed.js";

/** Calls that do not wait for runs. */
const IMMEDIATE = new Set(["choose"]);
const LITTLE = "little-endian";
/** Bytes of a scalar that every curve takes. */
const USUAL_SCALAR = 32;

export class Engine {
  #gpu = null;
  #cpus = new Map();
  #residents = new Map();
  #lastHandle = 0;
  #queue = Promise.resolve();

  /** Calls a method; `control` is { progress(value), stopped() }. */
  call(method, args, control) {
    const begin = IMMEDIATE.has(method) ? Promise.resolve() : this.#queue;
    const run = begin.then(() => this[method](...args, control)).catch(rethrow);
    if (!IMMEDIATE.has(method)) this.#queue = run.catch(() => {});
    return run;
  }

  async open(kind) {
    requireVectors();
    const { device, gpu } = await openDevice(() => moduleNamed("full"), kind);
    this.#gpu = gpu ?? null;
    return { device };
  }

  /** The processor for a curve: the GPU, or this thread in the curve's module. */
  async #processor(curve) {
    return this.#gpu ?? this.#cpu(factsOf(curve).module);
  }

  async #cpu(name) {
    const { Processor } = await moduleNamed(name);
    if (!this.#cpus.has(name)) this.#cpus.set(name, Processor.cpu());
    return this.#cpus.get(name);
  }

  load(curve, bytes, form, check, anyPoint) {
    const seed = crypto.getRandomValues(new Uint8Array(32));
    return this.#keep(curve, (processor) =>
      processor.load(curve, bytes, form, check, anyPoint, seed),
    );
  }

  /** Of `n` bases, loads `count` from `first` on. */
  generate(curve, n, seed, first = 0, count = n) {
    return this.#keep(curve, (processor) => processor.generate(curve, n, seed, first, count));
  }

  async #keep(curve, load) {
    const processor = await this.#processor(curve);
    const start = performance.now();
    const resident = await load(processor);
    const handle = ++this.#lastHandle;
    this.#residents.set(handle, resident);
    return { handle, plan: resident.plan, milliseconds: performance.now() - start };
  }

  msm(handle, scalars, form, control) {
    return this.#run((listener) => this.#resident(handle).msm(scalars, form, listener), control);
  }

  msmOf(handle, distribution, seed, control) {
    const resident = this.#resident(handle);
    return this.#run((listener) => resident.msmOf(distribution, seed, listener), control);
  }

  async #run(work, control) {
    const outcome = await work(listener(control));
    const { x, y, plan, stages, timings: times, milliseconds } = outcome;
    outcome.free();
    const timings = Object.fromEntries(stages.map((stage, i) => [stage, times[i]]));
    return { x, y, figures: { timings, milliseconds, plan } };
  }

  /** The sums of `count` vectors of scalars, which follow each other. */
  async msmBatch(handle, scalars, count, form, control) {
    const start = performance.now();
    const outcomes = await this.#resident(handle).msmBatch(scalars, count, form, listener(control));
    return { sums: outcomes.map(taken), figures: { milliseconds: performance.now() - start } };
  }

  /** The sums of lists of points, as MSMs with scalars of one. */
  async sums(curve, lists) {
    const { pointBytes } = factsOf(curve);
    const processor = await this.#processor(curve);
    const total = async (points) => {
      const bases = new Uint8Array(points.length * pointBytes);
      const ones = new Uint8Array(points.length * USUAL_SCALAR);
      points.forEach(({ x, y }, i) => {
        ones[i * USUAL_SCALAR] = 1;
        // All zeros are infinity.
        if (x) bases.set(x, i * pointBytes), bases.set(y, i * pointBytes + pointBytes / 2);
      });
      const resident = await processor.load(curve, bases, LITTLE, false, true, new Uint8Array(32));
      const sum = taken(await resident.msm(ones, LITTLE, undefined));
      resident.free();
      return sum;
    };
    const sums = [];
    for (const points of lists) sums.push(await total(points));
    return sums;
  }

  expected(handle, distribution, seed) {
    return taken(this.#resident(handle).expected(distribution, seed));
  }

  free(handle) {
    this.#residents.get(handle)?.free();
    this.#residents.delete(handle);
  }

  memory() {
    return memoryBytes();
  }

  async conformance(curve, quick, { progress }) {
    const row = (curve, group, passed, failed) => progress({ curve, group, passed, failed });
    const processor = this.#gpu ?? (await this.#cpu("full"));
    const [passed, failed] = await processor.conformance(curve, quick, row);
    return { passed, failed };
  }

  /** How fast the CPU and the GPU are, beside the rates of their plans. */
  async measure() {
    const [{ Work }, cpu] = [await moduleNamed("full"), await this.#cpu("full")];
    // If no second device can be opened, the rates are used as they are until a run was measured.
    const gpu = await gpuFactor(this.#gpu.productNanoseconds).catch(() => ({
      factor: 1,
      overhead: 0,
    }));
    return {
      cpu: await cpuFactor(cpu, (bases) => new Work(cpu, bases, 1, 1, 0)),
      webgpu: gpu.factor,
      overhead: gpu.overhead,
    };
  }

  /** The place of the device that is predicted to end first, and the nanoseconds of both. */
  async choose(curve, works) {
    const [{ Work, chooseDevice }, cpu] = [await moduleNamed("full"), await this.#cpu("full")];
    const both = works.map(({ kind, bases, batch, factor, extra }) => {
      return new Work(kind === "cpu" ? cpu : this.#gpu, bases, batch, factor, extra);
    });
    const [chosen, ...nanoseconds] = chooseDevice(curve, ...both);
    return { chosen, nanoseconds };
  }

  #resident(handle) {
    const resident = this.#residents.get(handle);
    if (!resident) throw new Error("the bases have been freed");
    return resident;
  }
}

/** A function for the library's progress, which says whether to stop. */
function listener({ progress, stopped }) {
  return (done, total) => {
    progress({ done, total });
    return stopped();
  };
}

/** The point of an outcome, which is freed. */
function taken(outcome) {
  const { x, y } = outcome;
  outcome.free();
  return { x, y };
}

/** After a trap the module cannot be used again, and the trap has no message of its own. */
function rethrow(error) {
  if (!(error instanceof WebAssembly.RuntimeError)) throw error;
  throw new Error(`the wasm module failed, make a new Bucketeer: ${error.message}`, {
    cause: error,
  });
}
