// The engine in a worker.
//
// A run on the CPU keeps its worker from reading messages, so the signal to stop it is in shared
// memory. Pages have that only if they are cross-origin isolated. Elsewhere an aborted call rejects
// at once, and the run goes on to its end in the worker.

import { named } from "./failure.js";
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
    if (!call) return;
    if (progress) return call.onProgress?.(progress);
    pending.delete(id);
    if (error) call.reject(named(error.name, error.message));
    else call.resolve(result);
  };
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
        worker.post({ id, method, args, flag }, transfer);
      });
    },
    close() {
      fail(new Error("this Bucketeer has been closed"));
    },
  };
}
