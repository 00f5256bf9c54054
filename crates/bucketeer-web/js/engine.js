// The wasm modules behind named calls with plain arguments and results, so that they can be in this
// thread or in a worker without anybody noticing. One run begins after the other: a GPU is not
// faster with two.
//
// A CPU computes with the module of the curve, which is fetched when it is first needed. A GPU and
// the conformance table are in the full module.

import { factsOf } from "./curves.js";
import { openDevice } from "./device.js";
import { named } from "./failure.js";
import { memoryBytes, moduleNamed } from "./modules.js";
import { requireVectors } from "./source.js";
import { cpuFactor, gpuFactor } from "./speed.js";

/** Calls that do not wait for runs. */
const IMMEDIATE = new Set(["choose", "total"]);

export class Engine {
  #gpu = null;
  #cpus = new Map();
  #residents = new Map();
  #lastHandle = 0;
  #queue = Promise.resolve();
  #failed = null;

  /**
   * Calls a method; `control` is { progress(value), stopped(), turn() }: `turn` lets a message in that
   * says to stop before it begins.
   */
  call(method, args, control) {
    if (IMMEDIATE.has(method)) return this.#carryOut(method, args, control);
    const run = this.#queue.then(async () => {
      await control.turn();
      if (control.stopped()) throw named("AbortError", "cancelled");
      return this.#carryOut(method, args, control);
    });
    this.#queue = run.catch(() => {});
    return run;
  }

  async #carryOut(method, args, control) {
    if (this.#failed) throw this.#failed;
    try {
      return await this[method](...args, control);
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      // A trap leaves the module in no state to go on, and says nothing by itself.
      const text = `the wasm module failed, make a new Bucketeer: ${error.message}`;
      this.#failed = Object.assign(named("WorkerError", text), { cause: error });
      throw this.#failed;
    }
  }

  /** Frees everything, other than what a trap left in use. */
  close() {
    if (this.#failed) return;
    for (const resident of this.#residents.values()) resident.free();
    this.#residents.clear();
    for (const processor of [this.#gpu, ...this.#cpus.values()]) processor?.free();
    this.#cpus.clear();
    this.#gpu = null;
  }

  async open(kind) {
    requireVectors();
    const { device, gpu } = await openDevice(() => moduleNamed("full"), kind);
    this.#gpu = gpu ?? null;
    return { device };
  }

  /** The processor for a curve, the GPU or this thread in the curve's module, and its module. */
  async #processor(curve) {
    if (this.#gpu) return [this.#gpu, await moduleNamed("full")];
    const { module } = factsOf(curve);
    return [await this.#cpu(module), await moduleNamed(module)];
  }

  async #cpu(name) {
    const { Processor } = await moduleNamed(name);
    if (!this.#cpus.has(name)) this.#cpus.set(name, Processor.cpu());
    return this.#cpus.get(name);
  }

  load(curve, bytes, form, { check, anyPoint, verify }, control) {
    const seed = check ? crypto.getRandomValues(new Uint8Array(32)) : undefined;
    return this.#keep(curve, (processor, { Loading }) => {
      return processor.load(
        curve,
        bytes,
        form,
        new Loading(anyPoint, verify, seed),
        listener(control),
      );
    });
  }

  /** Of `n` bases, loads `count` from `first` on. */
  generate(curve, n, seed, first = 0, count = n) {
    return this.#keep(curve, (processor) => processor.generate(curve, n, seed, first, count));
  }

  async #keep(curve, load) {
    const [processor, module] = await this.#processor(curve);
    const start = performance.now();
    const resident = await load(processor, module);
    const handle = ++this.#lastHandle;
    this.#residents.set(handle, resident);
    return { handle, plan: resident.plan, milliseconds: performance.now() - start };
  }

  /** With `share` the sum is one that `total` takes. */
  msm(handle, scalars, form, share, control) {
    return this.#run(this.#resident(handle).msm(scalars, form, share, listener(control)));
  }

  msmOf(handle, distribution, seed, share, control) {
    return this.#run(this.#resident(handle).msmOf(distribution, seed, share, listener(control)));
  }

  async #run(work) {
    const outcome = await work;
    const { plan, stages, timings: times, milliseconds } = outcome;
    const timings = Object.fromEntries(stages.map((stage, i) => [stage, times[i]]));
    return { ...taken(outcome), figures: { timings, milliseconds, plan } };
  }

  /** The sums of `count` vectors of scalars, which follow each other. */
  async msmBatch(handle, scalars, count, form, share, control) {
    const start = performance.now();
    const resident = this.#resident(handle);
    const outcomes = await resident.msmBatch(scalars, count, form, share, listener(control));
    return { sums: outcomes.map(taken), figures: { milliseconds: performance.now() - start } };
  }

  /** For each list of the sums of shares their total. */
  async total(curve, lists) {
    const start = performance.now();
    const { totalOf } = await moduleNamed(factsOf(curve).module);
    const sums = lists.map((shares) => {
      const bytes = new Uint8Array(shares.reduce((length, share) => length + share.length, 0));
      shares.reduce((at, share) => (bytes.set(share, at), at + share.length), 0);
      return taken(
        totalOf(
          curve,
          bytes,
          Uint32Array.from(shares, ({ length }) => length),
        ),
      );
    });
    return { sums, milliseconds: performance.now() - start };
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

/** The sum of an outcome, which is freed. */
function taken(outcome) {
  const { x, y, share } = outcome;
  outcome.free();
  return share ? { share } : { x, y };
}
