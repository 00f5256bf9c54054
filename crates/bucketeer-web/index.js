// The public API. Work is done in a worker by default, so that the page stays responsive; what is
// here turns numbers into bytes, bytes into numbers, and promises into messages.

import { DISTRIBUTIONS } from "./pkg/curves.js";
import { curveNames, factsOf } from "./js/curves.js";
import { openFile } from "./js/files.js";
import { batchBytes, inputBytes, inputForm, outputPoint } from "./js/layout.js";
import { openPort } from "./js/open.js";
import { locate } from "./js/snarkjs.js";

export class Bucketeer {
  #port;
  #device;

  constructor(port, device) {
    this.#port = port;
    this.#device = device;
  }

  /** What the MSMs run on, and whether that is a fallback. With `auto` results say it of each. */
  get device() {
    return this.#device;
  }

  static async create({ device = "auto", worker = true, threads } = {}) {
    const { port, device: opened } = await openPort(device, worker, threads);
    return new Bucketeer(port, opened);
  }

  /** The names of the curves. */
  curves() {
    return curveNames();
  }

  /** The kinds of scalars that `msmOf` draws. */
  distributions() {
    return [...DISTRIBUTIONS];
  }

  /** Sizes of a curve's points and scalars, its modulus and order. */
  async curve(name) {
    return factsOf(name);
  }

  /** Loads bases, ready for any number of MSMs. `form` says how bytes are integers. */
  async loadBases(curve, bases, { form, ...options } = {}) {
    const facts = factsOf(curve);
    const bytes = inputBytes(bases, facts, "base");
    return this.#load(facts, bytes, inputForm(bases, form), options);
  }

  /**
   * Loads the points of one section of a .zkey or .ptau of snarkjs, all of them or the first `n`.
   * The file is read by range: a Blob or File, an address, or bytes.
   */
  async loadFile(file, { section, n, ...options } = {}) {
    let { signal } = options;
    const opened = await openFile(file, () => signal);
    const { curve, start, count, bytes } = await locate(opened, section);
    if (n !== undefined && !(Number.isInteger(n) && n >= 0 && n <= count)) {
      throw new RangeError(`n is ${n}: section "${section}" has ${count} points`);
    }
    const length = n === undefined ? bytes : (bytes / Math.max(count, 1)) * n;
    const read = async (from, to) => {
      const part = await opened.read(start + from, start + to);
      if (part.length !== to - from) throw new Error("the file became shorter while it was read");
      return part;
    };
    try {
      return await this.#load(factsOf(curve), { length, read }, "montgomery", options);
    } finally {
      // The other device may read the file later.
      signal = undefined;
    }
  }

  async #load(facts, source, form, options) {
    const { check = true, anyPoint = false, verify = false, onProgress, signal } = options;
    const trust = { check: check && !anyPoint, anyPoint, verify };
    const args = [facts.name, source, form, trust];
    const loaded = await this.#port.call("load", args, { onProgress, signal });
    return new Bases(this.#port, this.device, facts, loaded);
  }

  /** Makes `n` bases with known logarithms from a seed, for benchmarks and tests. */
  async generate(curve, n, { seed = 0 } = {}) {
    const facts = factsOf(curve);
    if (!Number.isInteger(n) || n < 0)
      throw new RangeError(`n is ${n}: expected a number of bases`);
    const loaded = await this.#port.call("generate", [facts.name, n, BigInt(seed)]);
    return new Bases(this.#port, this.device, facts, loaded);
  }

  /** One MSM over bases that are not kept. */
  async msm(curve, bases, scalars, options = {}) {
    // The progress is that of the run.
    const loaded = await this.loadBases(curve, bases, { ...options, onProgress: undefined });
    try {
      return await loaded.msm(scalars, options);
    } finally {
      loaded.free();
    }
  }

  /** Runs the conformance table; `onRow` gets every row group as it is done. */
  async conformance({ curve, quick = true, onRow } = {}) {
    const name = curve && factsOf(curve).name;
    return this.#port.call("conformance", [name, quick], { onProgress: onRow });
  }

  /** Bytes of WebAssembly memory of all workers. It is used again, and returned by `close`. */
  memory() {
    return this.#port.call("memory", []);
  }

  /** Ends the workers and frees everything. */
  close() {
    this.#port.close();
  }
}

/** Bases on a device. */
class Bases {
  #port;
  #facts;
  #handle;

  constructor(port, device, facts, loaded) {
    const { handle, plan, milliseconds } = loaded;
    this.#port = port;
    this.#facts = facts;
    this.#handle = handle;
    /** The curve's full name. */
    this.curve = facts.name;
    /** The device they are on; with `auto` the first one. */
    this.device = loaded.device ?? device;
    /** The plan for one MSM, in words. */
    this.plan = plan;
    /** Time it took to make and load them. */
    this.milliseconds = milliseconds;
  }

  /** The sum for these scalars. */
  async msm(scalars, { scalarForm, ...options } = {}) {
    const bytes = inputBytes(scalars, this.#facts, "scalar");
    const args = [this.#handle, bytes, inputForm(scalars, scalarForm)];
    const outcome = await this.#port.call("msm", args, options);
    return this.#result(outcome);
  }

  /** The sums for several vectors of scalars, in one run. */
  async msmBatch(vectors, { scalarForm, signal } = {}) {
    if (vectors.length === 0) return { sums: [], milliseconds: 0, device: this.device };
    const { bytes, form } = batchBytes(vectors, this.#facts, scalarForm);
    const args = [this.#handle, bytes, vectors.length, form];
    const {
      sums,
      figures,
      device = this.device,
      choice,
    } = await this.#port.call("msmBatch", args, { signal });
    const points = sums.map((sum) => outputPoint(sum, this.#facts));
    return { sums: points, ...figures, device, ...(choice && { choice }) };
  }

  /** The sum for scalars drawn from a seed. */
  async msmOf({ distribution = "uniform", seed = 0, ...options } = {}) {
    const drawn = [this.#handle, distribution, BigInt(seed)];
    return this.#result(await this.#port.call("msmOf", drawn, options));
  }

  #result({ x, y, figures, device = this.device, choice }) {
    return { ...outputPoint({ x, y }, this.#facts), ...figures, device, ...(choice && { choice }) };
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
