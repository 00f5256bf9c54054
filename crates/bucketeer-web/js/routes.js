// A GPU and the CPU as one engine: every call goes to the one that is predicted to end first.
//
// 1. The times come from the library's plans, of both devices, for the bases whose scalars are not
//    zero (`chooseDevice`). What was measured here corrects them: at first `speed.js`, then every
//    run.
// 2. Bases are loaded onto the device that the first choice falls on. A device that does not have
//    them, or whose shaders are not compiled, would have to be made ready first, and is charged for
//    that. What the other one loses meanwhile is counted against it: bases that are used often
//    enough end up where they run fastest, at most at twice the cost of having known it.
// 3. So bases in memory are kept here too, for the other device to load.

import { countNonZero } from "./bytes.js";
import { factsOf } from "./curves.js";
import { closedError } from "./failure.js";
import { sharesOf } from "./shares.js";

const KINDS = ["cpu", "webgpu"];
const other = (kind) => (kind === "cpu" ? "webgpu" : "cpu");
/** Milliseconds to load a byte of bases, until a load was measured. */
const LOAD_BYTE = 2e-5;
/** Milliseconds to compile the shaders of a curve, until that was measured. */
const COMPILE = 2000;

/** What was measured of this page's devices, by their names. */
const measured = new Map();

/** `gpu` is a port whose device is open; `startCpu` opens the CPU's when it is needed. */
export function inRoutes(gpu, startCpu, threads, gpuDevice) {
  const residents = new Map();
  const compiled = new Set();
  const factors = new Map();
  const loadByte = { cpu: LOAD_BYTE, webgpu: LOAD_BYTE };
  let compile = COMPILE;
  let cpu = null;
  let speed = null;
  let last = 0;
  let closed = false;

  const cpuPort = () => {
    if (closed) throw closedError();
    cpu ??= { port: startCpu() };
    cpu.opened ??= cpu.port.call("open", ["cpu"]);
    return cpu;
  };
  const port = async (kind) => {
    if (kind === "webgpu") return gpu;
    const { port, opened } = cpuPort();
    await opened;
    return port;
  };
  const deviceOf = async (kind) =>
    kind === "webgpu" ? gpuDevice : (await cpuPort().opened).device;

  const factor = (kind, curve) => factors.get(`${kind} ${curve}`) ?? speed[kind];
  const learn = (kind, curve, factor) => {
    if (!(factor > 0 && factor < Infinity)) return;
    const key = `${kind} ${curve}`;
    factors.set(key, factors.has(key) ? (factors.get(key) + factor) / 2 : factor);
  };

  /** Milliseconds until a device could begin with these bases. */
  const setup = ({ curve, n, on }, kind) => {
    const loading = on[kind] ? 0 : n * curve.pointBytes * loadByte[kind];
    return loading + (kind === "webgpu" && !compiled.has(curve.name) ? compile : 0);
  };

  /** The device for `batch` MSMs with `nonZero` scalars that are not zero, and why. */
  const choose = async (resident, nonZero, batch) => {
    const { curve, n, lost } = resident;
    const ready = {};
    const works = KINDS.map((kind) => {
      const shares = kind === "cpu" ? sharesOf(n, threads) : 1;
      // Whole MSMs are divided among the workers where bases are not.
      const workers = kind === "cpu" && shares === 1 ? Math.min(threads, batch) : 1;
      ready[kind] = Math.max(0, setup(resident, kind) - lost[kind]);
      const extra = ready[kind] + (kind === "webgpu" ? speed.overhead : 0);
      const [bases, own] = [Math.ceil(nonZero / shares), Math.ceil(batch / workers)];
      return { kind, bases, batch: own, factor: factor(kind, curve.name), extra: 1e6 * extra };
    });
    const { chosen, nanoseconds } = await gpu.call("choose", [curve.name, works]);
    const kind = KINDS[chosen];
    const predicted = Object.fromEntries(
      KINDS.map((kind, i) => [kind, nanoseconds[i] / 1e6 - ready[kind]]),
    );
    lost[other(kind)] += Math.max(0, predicted[kind] - predicted[other(kind)]);
    const raw = (nanoseconds[chosen] - works[chosen].extra) / works[chosen].factor;
    return {
      kind,
      raw,
      choice: { device: kind, predicted, setup: ready, reason: reasonOf(predicted, ready) },
    };
  };

  /** The handle of the bases on a device, which gets them if it does not have them. */
  const handleOn = (resident, kind, options) => {
    resident.on[kind] ??= load(resident, kind, options).catch((error) => {
      delete resident.on[kind];
      throw error;
    });
    return resident.on[kind];
  };
  const load = async ({ curve, n, load }, kind, options) => {
    const loaded = await load(await port(kind), options);
    if (n > 0) loadByte[kind] = (loadByte[kind] + loaded.milliseconds / (n * curve.pointBytes)) / 2;
    return loaded;
  };

  const keep = async (curve, n, load, options) => {
    const resident = { curve, n, load, on: {}, lost: { cpu: 0, webgpu: 0 } };
    const { kind, choice } = await choose(resident, n, 1);
    const { plan, milliseconds } = await handleOn(resident, kind, options);
    const handle = ++last;
    residents.set(handle, resident);
    return { handle, plan, milliseconds, device: await deviceOf(kind), choice };
  };

  const resident = (handle) => {
    const found = residents.get(handle);
    if (!found) throw new Error("the bases have been freed");
    return found;
  };

  const run = async (handle, method, args, { nonZero, batch = 1 }, options) => {
    const found = resident(handle);
    const { kind, raw, choice } = await choose(found, nonZero ?? found.n, batch);
    const { handle: own } = await handleOn(found, kind);
    const outcome = await (await port(kind)).call(method, [own, ...args], options);
    const { milliseconds, timings } = outcome.figures;
    const compiling = timings?.compile ?? 0;
    if (kind === "webgpu" && !compiled.has(found.curve.name)) {
      compiled.add(found.curve.name);
      // A browser that has the shaders in its cache takes no time for them.
      if (compiling > 0) compile = compiling;
    }
    const extra = kind === "webgpu" ? speed.overhead : 0;
    learn(kind, found.curve.name, (1e6 * (milliseconds - compiling - extra)) / raw);
    return { ...outcome, device: await deviceOf(kind), choice };
  };

  const methods = {
    async open() {
      const key = `${gpuDevice.name}, ${gpuDevice.description}`;
      if (!measured.has(key)) measured.set(key, gpu.call("measure", []));
      measured.get(key).catch(() => measured.delete(key));
      speed = await measured.get(key);
    },

    async load([name, source, form, trust], options) {
      const curve = factsOf(name);
      const inMemory = source instanceof Uint8Array;
      // The caller may change its bytes.
      const own = inMemory ? source.slice() : source;
      let { check } = trust;
      const load = async (port, options) => {
        const loaded = await port.call("load", [name, own, form, { ...trust, check }], options);
        // A file is read again, and may be another one by then.
        if (inMemory) check = false;
        return loaded;
      };
      return keep(curve, Math.floor(own.length / curve.pointBytes), load, options);
    },

    async generate([name, n, seed], options) {
      const load = (port, options) => port.call("generate", [name, n, seed], options);
      return keep(factsOf(name), n, load, options);
    },

    msm([handle, scalars, form], options) {
      const { curve, n } = resident(handle);
      const size = scalars.length === 32 * n ? 32 : curve.scalarBytes;
      return run(handle, "msm", [scalars, form], { nonZero: countNonZero(scalars, size) }, options);
    },

    msmBatch([handle, scalars, count, form], options) {
      const { curve, n } = resident(handle);
      const size = scalars.length === 32 * n * count ? 32 : curve.scalarBytes;
      const nonZero = Math.ceil(countNonZero(scalars, size) / Math.max(count, 1));
      const work = { nonZero, batch: Math.max(count, 1) };
      return run(handle, "msmBatch", [scalars, count, form], work, options);
    },

    msmOf([handle, ...drawn], options) {
      return run(handle, "msmOf", drawn, {}, options);
    },

    async expected([handle, ...drawn]) {
      const { on } = resident(handle);
      const [kind, loaded] = Object.entries(on)[0];
      return (await port(kind)).call("expected", [(await loaded).handle, ...drawn]);
    },

    async memory() {
      return (await gpu.call("memory", [])) + (cpu ? await cpu.port.call("memory", []) : 0);
    },

    async free([handle]) {
      const { on } = resident(handle);
      residents.delete(handle);
      const free = async ([kind, loaded]) =>
        (await port(kind)).call("free", [(await loaded).handle]);
      await Promise.all(Object.entries(on).map(free));
    },
  };

  return {
    async call(method, args, options) {
      return Object.hasOwn(methods, method)
        ? methods[method](args, options)
        : gpu.call(method, args, options);
    },
    close() {
      closed = true;
      gpu.close();
      cpu?.port.close();
    },
  };
}

function reasonOf(predicted, ready) {
  const text = (kind) => {
    const more = ready[kind] >= 0.01 ? ` and ${ready[kind].toFixed(2)} ms to get ready` : "";
    return `${kind} ${predicted[kind].toFixed(2)} ms${more}`;
  };
  return `predicted: ${KINDS.map(text).join(", ")}`;
}
