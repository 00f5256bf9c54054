// The engine in a worker.
//
// A run on the CPU keeps its worker from reading messages, so the signal to stop it is in shared
// memory. Pages have that only if they are cross-origin isolated. Elsewhere an aborted call rejects
// at once, and the run goes on to its end in the worker.

import { closedError, named } from "./failure.js";
import { spawn } from "./spawn.js";

const sharedMemory = () =>
  globalThis.crossOriginIsolated ?? typeof SharedArrayBuffer === "function";

export function inWorker() {
  const pending = new Map();
  let last = 0;
  let closed = null;

  const fail = (error) => {
    if (closed) return;
    closed = error;
    worker.end();
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
  };
  const receive = ({ id, progress, result, error }) => {
    const call = pending.get(id);
    // The call was aborted: nobody else has the handle of the bases it loaded.
    if (!call) return void (result?.handle && free(result.handle));
    if (progress) return call.onProgress?.(progress);
    pending.delete(id);
    if (error) call.reject(named(error.name, error.message));
    else call.resolve(result);
  };
  const free = (handle) => worker.post({ id: ++last, method: "free", args: [handle], flag: null });
  const worker = spawn(receive, (reason) =>
    fail(named("WorkerError", `a worker failed: ${reason}`)),
  );

  return {
    /** Calls a method of the engine; buffers in `transfer` are moved to the worker. */
    call(method, args, { onProgress, signal, transfer = [] } = {}) {
      if (closed) return Promise.reject(closed);
      if (signal?.aborted) return Promise.reject(signal.reason);
      const id = ++last;
      const flag = sharedMemory() ? new Int32Array(new SharedArrayBuffer(4)) : null;
      const parts = args.map((arg) => (partOfBuffer(arg) ? arg.slice() : arg));
      const copies = parts.filter((part, i) => part !== args[i]);
      const moved = [...transfer, ...copies.map(({ buffer }) => buffer)];
      return new Promise((resolve, reject) => {
        const abort = () => {
          pending.get(id)?.reject(signal.reason);
          pending.delete(id);
          if (flag) Atomics.store(flag, 0, 1);
          worker.post({ cancel: id });
        };
        const settle = (done) => (value) => {
          signal?.removeEventListener("abort", abort);
          done(value);
          worker.busy(pending.size > 1 || (pending.size === 1 && !pending.has(id)));
        };
        signal?.addEventListener("abort", abort, { once: true });
        pending.set(id, { resolve: settle(resolve), reject: settle(reject), onProgress });
        worker.busy(true);
        try {
          worker.post({ id, method, args: parts, flag }, moved);
        } catch (error) {
          // What cannot be sent was not received, and will not be answered.
          const { reject } = pending.get(id);
          pending.delete(id);
          reject(error);
        }
      });
    },
    close() {
      fail(closedError());
    },
  };
}

/** Whether it is a part of a larger buffer, all of which a message would copy. */
function partOfBuffer(arg) {
  return arg instanceof Uint8Array && arg.length < arg.buffer.byteLength;
}
