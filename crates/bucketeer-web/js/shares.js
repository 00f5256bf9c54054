// Several workers as one engine, on the CPU. Each has a module and memory of its own, so no page
// needs special headers for it.
//
// 1. Bases are cut into shares of equal length, one for a worker, and stay there.
// 2. An MSM runs on all shares at once, each with its range of the scalars.
// 3. The first worker adds the sums, as an MSM with scalars of one.
//
// Few bases are not cut: to reduce buckets takes each worker as long as it would take one.

import { inWorker } from "./remote.js";

/** Fewest bases of a share. */
const LEAST = 256;
/** The other size of a scalar that every curve takes. */
const USUAL_SCALAR = 32;

export function inWorkers(threads) {
  const first = inWorker();
  const others = [];
  const residents = new Map();
  let last = 0;

  /** The worker of a share; it is started for the first one it gets. */
  const worker = async (index) => {
    if (index === 0) return first;
    others[index] ??= opened(inWorker());
    return others[index].ready;
  };

  const cut = (n) => {
    const count = Math.max(1, Math.min(threads, Math.floor(n / LEAST)));
    const each = Math.ceil(n / count);
    const share = (index) => ({ index, first: index * each, count: Math.min(each, n - index * each) });
    return Array.from({ length: count }, (_, index) => share(index));
  };

  /** Calls `load` for every share and keeps what the workers loaded. */
  const keep = async (curve, n, load) => {
    const start = performance.now();
    const shares = cut(n);
    const one = async (share) => {
      const port = await worker(share.index);
      return { ...share, port, ...(await load(port, share, shares.length)) };
    };
    const results = await Promise.allSettled(shares.map(one));
    const failed = results.find(({ status }) => status === "rejected");
    const loaded = results.flatMap(({ value }) => value ?? []);
    if (failed) {
      for (const { port, handle } of loaded) port.call("free", [handle]).catch(() => {});
      throw failed.reason;
    }
    const handle = ++last;
    residents.set(handle, { curve, n, shares: loaded });
    return { handle, plan: planOf(loaded), milliseconds: performance.now() - start };
  };

  const resident = (handle) => {
    const found = residents.get(handle);
    if (!found) throw new Error("the bases have been freed");
    return found;
  };

  /** A run on every share, with the arguments that `args(share)` gives. */
  const run = async (handle, method, args, { onProgress, signal } = {}) => {
    const { curve, shares } = resident(handle);
    if (shares.length === 1) {
      const [{ port, handle }] = shares;
      return port.call(method, [handle, ...args(shares[0])], { onProgress, signal });
    }
    signal?.throwIfAborted();
    const start = performance.now();
    const stop = new AbortController();
    const abort = () => stop.abort(signal.reason);
    signal?.addEventListener("abort", abort, { once: true });
    const report = united(shares.length, onProgress);
    const one = async (share, index) => {
      const options = { onProgress: report(index), signal: stop.signal };
      try {
        return await share.port.call(method, [share.handle, ...args(share)], options);
      } catch (error) {
        // The others' work is of no use; the first error is the one that counts.
        stop.abort(error);
        throw error;
      }
    };
    try {
      const outcomes = await Promise.all(shares.map(one));
      const { x, y } = await sum(curve, outcomes);
      const slowest = outcomes.reduce((a, b) => (a.figures.milliseconds > b.figures.milliseconds ? a : b)).figures;
      return { x, y, figures: { ...slowest, milliseconds: performance.now() - start } };
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  };

  /** The sum of points of the curve. */
  const sum = async (curve, points) => {
    const half = curve.componentBytes * curve.components;
    const bases = new Uint8Array(points.length * 2 * half);
    const ones = new Uint8Array(points.length * USUAL_SCALAR);
    points.forEach(({ x, y }, i) => {
      ones[i * USUAL_SCALAR] = 1;
      // All zeros are infinity.
      if (x) bases.set(x, 2 * i * half), bases.set(y, (2 * i + 1) * half);
    });
    const { handle } = await first.call("load", [curve.name, bases, false, true]);
    try {
      return await first.call("msm", [handle, ones]);
    } finally {
      first.call("free", [handle]).catch(() => {});
    }
  };

  const methods = {
    async open([kind]) {
      const result = await first.call("open", [kind]);
      if (result.device.kind !== "cpu") return result;
      const description = result.device.description.replace("1 thread,", `${threads} thread${threads === 1 ? "" : "s"},`);
      return { ...result, device: { ...result.device, description, threads } };
    },

    async load([name, bytes, check, anyPoint]) {
      const curve = await first.call("facts", [name]);
      const size = 2 * curve.componentBytes * curve.components;
      // The library says what is wrong with a length, and where a bad point is.
      const whole = () => keep(curve, 1, (port) => port.call("load", [name, bytes, check, anyPoint]));
      const n = bytes.length / size;
      if (!Number.isInteger(n) || cut(n).length === 1) return whole();
      const load = (port, { first, count }) => {
        const part = bytes.slice(first * size, (first + count) * size);
        return port.call("load", [name, part, check, anyPoint], { transfer: [part.buffer] });
      };
      return keep(curve, n, load).catch((error) => (error.name === "WorkerError" ? Promise.reject(error) : whole()));
    },

    async generate([name, n, seed]) {
      const curve = await first.call("facts", [name]);
      return keep(curve, n, (port, { first, count }) => port.call("generate", [name, n, seed, first, count]));
    },

    msm([handle, scalars], options) {
      const { curve, n, shares } = resident(handle);
      if (shares.length === 1) return run(handle, "msm", () => [scalars], options);
      const size = scalarSize(scalars.length, n, curve);
      return run(handle, "msm", ({ first, count }) => [scalars.slice(first * size, (first + count) * size)], options);
    },

    msmOf([handle, ...drawn], options) {
      return run(handle, "msmOf", () => drawn, options);
    },

    expected([handle, ...drawn]) {
      const [{ port, handle: own }] = resident(handle).shares;
      return port.call("expected", [own, ...drawn]);
    },

    async free([handle]) {
      const { shares } = resident(handle);
      residents.delete(handle);
      await Promise.all(shares.map(({ port, handle }) => port.call("free", [handle])));
    },
  };

  return {
    async call(method, args, options) {
      return Object.hasOwn(methods, method) ? methods[method](args, options) : first.call(method, args, options);
    },
    close() {
      first.close();
      for (const { port } of others.filter(Boolean)) port.close();
    },
  };
}

/** A worker, and the promise of it with its device open. */
function opened(port) {
  const ready = port.call("open", ["cpu"]).then(() => port);
  // Whoever waits for it gets the error.
  ready.catch(() => {});
  return { port, ready };
}

/** Bytes of a scalar, if there is one for every base; the errors are the library's. */
function scalarSize(length, n, { scalarBytes }) {
  const size = [USUAL_SCALAR, scalarBytes].find((size) => n * size === length);
  if (size) return size;
  const scalars = length / scalarBytes;
  const text = Number.isInteger(scalars)
      ? `${n} bases but ${scalars} scalars: every scalar needs a base${scalars < n ? ", and every base a scalar" : ""}`
      : `the scalars have ${length} bytes, which is not a multiple of the ${scalarBytes} of a scalar`;
  throw Object.assign(new Error(text), { name: "BucketeerError" });
}

function planOf(shares) {
  const [{ plan }] = shares;
  return shares.length === 1 ? plan : `shares       ${shares.length}, one for a worker; the first:\n${plan}`;
}

/** One listener for the progress of several runs: it is called once all have begun. */
function united(count, onProgress) {
  const marks = new Map();
  const total = (key) => [...marks.values()].reduce((sum, mark) => sum + mark[key], 0);
  return (index) => (mark) => {
    marks.set(index, mark);
    if (marks.size === count) onProgress?.({ done: total("done"), total: total("total") });
  };
}
