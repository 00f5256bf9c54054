// Several workers as one engine, on the CPU. Each has a module and memory of its own, so no page
// needs special headers for it.
//
// 1. Bases are cut into shares of equal length, one for a worker, and stay there.
// 2. An MSM runs on all shares at once, each with its range of the scalars.
// 3. The first worker adds the sums. They come as bytes of the library's own: a sum of a share may be
//    a point that coordinates on the curve's own model cannot express, though the total is not.
//
// Few bases are not cut: to reduce buckets takes each worker as long as it would take one. Of a
// batch over few bases every worker takes some MSMs, on bases that it is given for that.

import { partOf, wholeOf } from "./bytes.js";
import { factsOf } from "./curves.js";
import { closedError, failure } from "./failure.js";
import { inWorker } from "./remote.js";

/** Fewest bases of a share. */
const LEAST = 256;
/** The other size of a scalar that every curve takes. */
const USUAL_SCALAR = 32;

/** The number of shares of `n` bases. */
export function sharesOf(n, threads) {
  return Math.max(1, Math.min(threads, Math.floor(n / LEAST)));
}

export function inWorkers(threads) {
  const first = inWorker();
  const others = [];
  const residents = new Map();
  let last = 0;
  let closed = false;

  /** The worker of a share; it is started for the first one it gets. */
  const worker = async (index) => {
    if (closed) throw closedError();
    if (index === 0) return first;
    others[index] ??= opened(inWorker());
    return others[index].ready;
  };

  const cut = (n) => {
    const count = sharesOf(n, threads);
    const each = Math.ceil(n / count);
    const share = (index) => ({
      index,
      first: index * each,
      count: Math.min(each, n - index * each),
    });
    return Array.from({ length: count }, (_, index) => share(index));
  };

  /** Calls `load` for every share and keeps what the workers loaded. */
  const keep = async (curve, n, load, { onProgress, signal } = {}) => {
    signal?.throwIfAborted();
    const start = performance.now();
    const shares = cut(n);
    const report = united(shares.length, onProgress);
    const one = async (share) => {
      const port = await worker(share.index);
      const options = { onProgress: report(share.index), signal };
      return { ...share, port, ...(await load(port, share, options)) };
    };
    const results = await Promise.allSettled(shares.map(one));
    const failed = results.find(({ status }) => status === "rejected");
    const loaded = results.flatMap(({ value }) => value ?? []);
    if (failed) {
      freeAll(loaded).catch(() => {});
      throw failed.reason;
    }
    const handle = ++last;
    const again = shares.length === 1 && threads > 1 ? (port) => load(port, shares[0], {}) : null;
    residents.set(handle, { curve, n, shares: loaded, again, copies: [] });
    return { handle, plan: planOf(loaded), milliseconds: performance.now() - start };
  };

  const resident = (handle) => {
    const found = residents.get(handle);
    if (!found) throw new Error("the bases have been freed");
    return found;
  };

  /** Calls `one` for every part at once. The first error stops the others. */
  const together = async (parts, one, signal) => {
    signal?.throwIfAborted();
    const stop = new AbortController();
    const abort = () => stop.abort(signal.reason);
    signal?.addEventListener("abort", abort, { once: true });
    const guarded = async (part, index) => {
      try {
        return await one(part, index, stop.signal);
      } catch (error) {
        // The work of the others cannot be used; the first error is the one that counts.
        stop.abort(error);
        throw error;
      }
    };
    try {
      return await Promise.all(parts.map(guarded));
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  };

  /** A run on every share, with the arguments that `args(share)` gives. */
  const run = async (handle, method, args, { onProgress, signal } = {}) => {
    const { curve, shares } = resident(handle);
    if (shares.length === 1) {
      const [{ port, handle }] = shares;
      return port.call(method, [handle, ...args(shares[0]), false], { onProgress, signal });
    }
    const report = united(shares.length, onProgress);
    const one = (share, index, signal) => {
      const options = { onProgress: report(index), signal };
      return share.port.call(method, [share.handle, ...args(share), true], options);
    };
    const outcomes = await together(shares, one, signal);
    const { sums, milliseconds } = await totals(curve, [outcomes]);
    const slowest = slowestOf(outcomes);
    return {
      ...sums[0],
      figures: { ...slowest, milliseconds: slowest.milliseconds + milliseconds },
    };
  };

  const totals = (curve, lists) => {
    return first.call("total", [curve.name, lists.map((list) => list.map(({ share }) => share))]);
  };

  /** The same bases on as many workers as there are, or as there are MSMs. */
  const copiesOf = (found, count) => {
    const [own] = found.shares;
    const copy = async (index) => {
      const port = await worker(index);
      return { port, ...(await found.again(port)) };
    };
    const workers = Array.from({ length: Math.min(threads, count) }, (_, index) => index);
    return Promise.all(
      workers.map((index) => {
        if (index === 0) return own;
        found.copies[index] ??= copy(index).catch((error) => {
          delete found.copies[index];
          throw error;
        });
        return found.copies[index];
      }),
    );
  };

  const methods = {
    async open([kind]) {
      const result = await first.call("open", [kind]);
      if (result.device.kind !== "cpu") return result;
      const description = result.device.description.replace(
        "1 thread,",
        `${threads} thread${threads === 1 ? "" : "s"},`,
      );
      return { ...result, device: { ...result.device, description, threads } };
    },

    async load([name, source, form, trust], options) {
      const curve = factsOf(name);
      const n = source.length / curve.pointBytes;
      // The library says what is wrong with a length, and where a bad point is.
      const whole = async () => {
        const bytes = await wholeOf(source);
        // Other workers may get the same bases later, when the caller may have changed its own.
        const own = n < 2 * LEAST ? bytes.slice() : bytes;
        let { check } = trust;
        const load = async (port, _, options) => {
          const loaded = await port.call("load", [name, own, form, { ...trust, check }], options);
          check = false;
          return loaded;
        };
        const loaded = await keep(curve, 1, load, options);
        residents.get(loaded.handle).n = n;
        return loaded;
      };
      if (!Number.isInteger(n) || cut(n).length === 1) return whole();
      const load = async (port, { first, count }, options) => {
        const [from, to] = [first, first + count].map((index) => index * curve.pointBytes);
        const part = await partOf(source, from, to);
        return port.call("load", [name, part, form, trust], {
          ...options,
          transfer: [part.buffer],
        });
      };
      const failed = (error) => (error.name === "BucketeerError" ? whole() : Promise.reject(error));
      return keep(curve, n, load, options).catch(failed);
    },

    async generate([name, n, seed]) {
      const load = (port, { first, count }, { signal }) => {
        return port.call("generate", [name, n, seed, first, count], { signal });
      };
      return keep(factsOf(name), n, load);
    },

    msm([handle, scalars, form], options) {
      const { curve, n, shares } = resident(handle);
      if (shares.length === 1) return run(handle, "msm", () => [scalars, form], options);
      const size = scalarSize(scalars.length, n, curve);
      const part = ({ first, count }) => scalars.slice(first * size, (first + count) * size);
      return run(handle, "msm", (share) => [part(share), form], options);
    },

    async msmBatch([handle, scalars, count, form], { signal } = {}) {
      const found = resident(handle);
      const { curve, n, shares } = found;
      const each = scalars.length / count;
      if (shares.length === 1) {
        const copies = await copiesOf(found, count);
        const some = Math.ceil(count / copies.length);
        const one = async ({ port, handle }, index, signal) => {
          const own = Math.max(0, Math.min(some, count - index * some));
          if (own === 0) return { sums: [], figures: { milliseconds: 0 } };
          const part = scalars.slice(index * some * each, (index * some + own) * each);
          const options = { signal, transfer: [part.buffer] };
          return port.call("msmBatch", [handle, part, own, form, false], options);
        };
        const outcomes = await together(copies, one, signal);
        const sums = outcomes.flatMap(({ sums }) => sums);
        return { sums, figures: slowestOf(outcomes) };
      }
      const size = scalarSize(each, n, curve);
      const one = ({ port, handle, first, count: own }, _, signal) => {
        const part = new Uint8Array(count * own * size);
        for (let index = 0; index < count; index++) {
          const from = index * each + first * size;
          part.set(scalars.subarray(from, from + own * size), index * own * size);
        }
        return port.call("msmBatch", [handle, part, count, form, true], {
          signal,
          transfer: [part.buffer],
        });
      };
      const outcomes = await together(shares, one, signal);
      const lists = Array.from({ length: count }, (_, index) =>
        outcomes.map(({ sums }) => sums[index]),
      );
      const { sums, milliseconds } = await totals(curve, lists);
      return { sums, figures: { milliseconds: slowestOf(outcomes).milliseconds + milliseconds } };
    },

    msmOf([handle, ...drawn], options) {
      return run(handle, "msmOf", () => drawn, options);
    },

    expected([handle, ...drawn]) {
      const [{ port, handle: own }] = resident(handle).shares;
      return port.call("expected", [own, ...drawn]);
    },

    async memory() {
      const ports = [first, ...others.filter(Boolean).map(({ port }) => port)];
      const bytes = await Promise.all(ports.map((port) => port.call("memory", [])));
      return bytes.reduce((sum, own) => sum + own, 0);
    },

    async free([handle]) {
      const { shares, copies } = resident(handle);
      residents.delete(handle);
      await freeAll([...shares, ...(await Promise.all(copies.filter(Boolean)))]);
    },
  };

  return {
    /** The worker that the first share is in. */
    first,
    async call(method, args, options) {
      return Object.hasOwn(methods, method)
        ? methods[method](args, options)
        : first.call(method, args, options);
    },
    close() {
      closed = true;
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

function freeAll(loaded) {
  return Promise.all(loaded.map(({ port, handle }) => port.call("free", [handle])));
}

/** Bytes of a scalar, if there is one for every base; the errors are the library's. */
function scalarSize(length, n, { scalarBytes }) {
  const size = [USUAL_SCALAR, scalarBytes].find((size) => n * size === length);
  if (size) return size;
  const scalars = length / scalarBytes;
  const also = scalars < n ? ", and every base a scalar" : "";
  const text = Number.isInteger(scalars)
    ? `${n} bases but ${scalars} scalars: every scalar needs a base${also}`
    : `the scalars have ${length} bytes, which is not a multiple of the ${scalarBytes} of a scalar`;
  throw failure(text);
}

/** The figures of the longest run. Every one is the time of the run alone, not of the runs before it. */
function slowestOf(outcomes) {
  const all = outcomes.map(({ figures }) => figures);
  return all.reduce((a, b) => (a.milliseconds > b.milliseconds ? a : b));
}

function planOf(shares) {
  const [{ plan }] = shares;
  return shares.length === 1
    ? plan
    : `shares       ${shares.length}, one for a worker; the first:\n${plan}`;
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
