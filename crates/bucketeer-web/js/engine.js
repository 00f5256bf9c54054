// The wasm module behind named calls with plain arguments and results, so that it can be in this
// thread or in a worker without anybody noticing. One call runs after the other: a GPU is not
// faster with two.

import init, * as wasm from "../pkg/bucketeer_web.js";
import { openDevice } from "./device.js";
import { moduleSource } from "./source.js";

export class Engine {
  #device;
  #residents = new Map();
  #lastHandle = 0;
  #queue = Promise.resolve();

  /** Calls a method; `control` is { progress(value), stopped() }. */
  call(method, args, control) {
    const run = this.#queue.then(() => this[method](...args, control)).catch(rethrow);
    this.#queue = run.catch(() => {});
    return run;
  }

  async open(kind) {
    await init({ module_or_path: await moduleSource() });
    const { processor, device } = await openDevice(wasm.Processor, kind);
    this.#device = processor;
    return { device, curves: wasm.curveNames(), distributions: wasm.distributionNames() };
  }

  facts(name) {
    const facts = wasm.curveFacts(name);
    const { alias, componentBytes, components, scalarBytes, edwards, modulus, order } = facts;
    const plain = { name: facts.name, alias, componentBytes, components, scalarBytes, edwards };
    facts.free();
    return { ...plain, modulus: BigInt(modulus), order: BigInt(order) };
  }

  load(curve, bytes, check, anyPoint) {
    const seed = crypto.getRandomValues(new Uint8Array(32));
    return this.#keep(() => this.#device.load(curve, bytes, check, anyPoint, seed));
  }

  /** Of `n` bases, loads `count` from `first` on. */
  generate(curve, n, seed, first = 0, count = n) {
    return this.#keep(() => this.#device.generate(curve, n, seed, first, count));
  }

  async #keep(load) {
    const start = performance.now();
    const resident = await load();
    const handle = ++this.#lastHandle;
    this.#residents.set(handle, resident);
    return { handle, plan: resident.plan, milliseconds: performance.now() - start };
  }

  msm(handle, scalars, control) {
    return this.#run((listener) => this.#resident(handle).msm(scalars, listener), control);
  }

  msmOf(handle, distribution, seed, control) {
    const resident = this.#resident(handle);
    return this.#run((listener) => resident.msmOf(distribution, seed, listener), control);
  }

  async #run(work, { progress, stopped }) {
    const listener = (done, total) => {
      progress({ done, total });
      return stopped();
    };
    const outcome = await work(listener);
    const { x, y, plan, stages, timings: times, milliseconds } = outcome;
    outcome.free();
    const timings = Object.fromEntries(stages.map((stage, i) => [stage, times[i]]));
    return { x, y, figures: { timings, milliseconds, plan } };
  }

  expected(handle, distribution, seed) {
    const outcome = this.#resident(handle).expected(distribution, seed);
    const { x, y } = outcome;
    outcome.free();
    return { x, y };
  }

  free(handle) {
    this.#residents.get(handle)?.free();
    this.#residents.delete(handle);
  }

  async conformance(curve, quick, { progress }) {
    const row = (curve, group, passed, failed) => progress({ curve, group, passed, failed });
    const [passed, failed] = await this.#device.conformance(curve, quick, row);
    return { passed, failed };
  }

  #resident(handle) {
    const resident = this.#residents.get(handle);
    if (!resident) throw new Error("the bases have been freed");
    return resident;
  }
}

/** A trap leaves the module in no state to go on, and says nothing by itself. */
function rethrow(error) {
  if (!(error instanceof WebAssembly.RuntimeError)) throw error;
  throw new Error(`the wasm module failed, make a new Bucketeer: ${error.message}`, { cause: error });
}
