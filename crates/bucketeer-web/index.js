// The public API. Work is done in a worker by default, so that the page stays responsive; what is
// here turns numbers into bytes, bytes into numbers, and promises into messages.

import { inputBytes, outputPoint } from "./js/layout.js";
import { inThisThread } from "./js/local.js";
import { inWorkers } from "./js/shares.js";
import { hasWorkers, processors } from "./js/spawn.js";

/** Most threads that a Bucketeer starts. */
const MOST_THREADS = 256;

export class Bucketeer {
  #port;
  #opened;
  #facts = new Map();

  constructor(port, opened) {
    this.#port = port;
    this.#opened = opened;
  }

  /** What the MSMs run on, and whether that is a fallback. */
  get device() {
    return this.#opened.device;
  }

  static async create({ device = "auto", worker = true, threads } = {}) {
    const port = worker && hasWorkers() ? inWorkers(threadsOf(threads)) : inThisThread(threads);
    try {
      return new Bucketeer(port, await port.call("open", [device]));
    } catch (error) {
      port.close();
      throw error;
    }
  }

  /** The names of the curves. */
  curves() {
    return [...this.#opened.curves];
  }

  /** The kinds of scalars that `msmOf` draws. */
  distributions() {
    return [...this.#opened.distributions];
  }

  /** Sizes of a curve's points and scalars, its modulus and order. */
  async curve(name) {
    if (!this.#facts.has(name)) this.#facts.set(name, await this.#port.call("facts", [name]));
    return this.#facts.get(name);
  }

  /** Loads bases, ready for any number of MSMs. */
  async loadBases(curve, bases, { check = true, anyPoint = false } = {}) {
    const facts = await this.curve(curve);
    const bytes = inputBytes(bases, facts, "base");
    const loaded = await this.#port.call("load", [facts.name, bytes, check && !anyPoint, anyPoint]);
    return new Bases(this.#port, this.device, facts, loaded);
  }

  /** Makes `n` bases with known logarithms from a seed, for benchmarks and tests. */
  async generate(curve, n, { seed = 0 } = {}) {
    const facts = await this.curve(curve);
    const loaded = await this.#port.call("generate", [facts.name, n, BigInt(seed)]);
    return new Bases(this.#port, this.device, facts, loaded);
  }

  /** One MSM over bases that are not kept. */
  async msm(curve, bases, scalars, options = {}) {
    const loaded = await this.loadBases(curve, bases, options);
    try {
      return await loaded.msm(scalars, options);
    } finally {
      loaded.free();
    }
  }

  /** Runs the conformance table; `onRow` gets every row group as it is done. */
  async conformance({ curve, quick = true, onRow } = {}) {
    const name = curve && (await this.curve(curve)).name;
    return this.#port.call("conformance", [name, quick], { onProgress: onRow });
  }

  /** Ends the workers and frees everything. */
  close() {
    this.#port.close();
  }
}

/** The threads to use: those that are asked for, or one for every processor. */
function threadsOf(threads = Math.min(processors(), MOST_THREADS)) {
  if (Number.isInteger(threads) && threads >= 1 && threads <= MOST_THREADS) return threads;
  throw new RangeError(`threads is ${threads}: expected an integer from 1 to ${MOST_THREADS}`);
}

/** Bases on a device. */
class Bases {
  #port;
  #facts;
  #handle;

  constructor(port, device, facts, { handle, plan, milliseconds }) {
    this.#port = port;
    this.#facts = facts;
    this.#handle = handle;
    /** The device they are on. */
    this.device = device;
    /** The plan for one MSM, in words. */
    this.plan = plan;
    /** Time it took to make and load them. */
    this.milliseconds = milliseconds;
  }

  /** The sum for these scalars. */
  async msm(scalars, options = {}) {
    return this.#run("msm", [inputBytes(scalars, this.#facts, "scalar")], options);
  }

  /** The sum for scalars drawn from a seed. */
  async msmOf({ distribution = "uniform", seed = 0, ...options } = {}) {
    return this.#run("msmOf", [distribution, BigInt(seed)], options);
  }

  async #run(method, args, options) {
    const outcome = await this.#port.call(method, [this.#handle, ...args], options);
    return { ...outputPoint(outcome, this.#facts), ...outcome.figures, device: this.device };
  }

  /** What `msmOf` must yield on generated bases: one inner product, one scalar multiplication. */
  async expected({ distribution = "uniform", seed = 0 } = {}) {
    const drawn = [this.#handle, distribution, BigInt(seed)];
    return outputPoint(await this.#port.call("expected", drawn), this.#facts);
  }

  /** Frees the bases. */
  free() {
    this.#port.call("free", [this.#handle]).catch(() => {});
  }
}
