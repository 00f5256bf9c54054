// The engine in a worker.
//
// A run on the CPU keeps its worker from reading messages, so the signal to stop it is in shared
// memory. That exists only in cross-origin isolated pages. Elsewhere an aborted call rejects at
// once, and the run goes on to its end in the worker.

export function inWorker() {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  const pending = new Map();
  let last = 0;
  let closed = null;

  const fail = (error) => {
    closed = error;
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
    worker.terminate();
  };
  worker.onerror = (event) => {
    event.preventDefault();
    fail(new Error(`the worker failed: ${event.message ?? "its script could not be loaded"}`));
  };
  worker.onmessage = ({ data: { id, progress, result, error } }) => {
    const call = pending.get(id);
    if (!call) return;
    if (progress) return call.onProgress?.(progress);
    pending.delete(id);
    if (error) call.reject(Object.assign(new Error(error.message), { name: error.name }));
    else call.resolve(result);
  };

  return {
    call(method, args, { onProgress, signal } = {}) {
      if (closed) return Promise.reject(closed);
      if (signal?.aborted) return Promise.reject(signal.reason);
      const id = ++last;
      const flag = globalThis.crossOriginIsolated ? new Int32Array(new SharedArrayBuffer(4)) : null;
      return new Promise((resolve, reject) => {
        const abort = () => {
          pending.delete(id);
          if (flag) Atomics.store(flag, 0, 1);
          worker.postMessage({ cancel: id });
          reject(signal.reason);
        };
        const settle = (done) => (value) => {
          signal?.removeEventListener("abort", abort);
          done(value);
        };
        signal?.addEventListener("abort", abort, { once: true });
        pending.set(id, { resolve: settle(resolve), reject: settle(reject), onProgress });
        worker.postMessage({ id, method, args, flag });
      });
    },
    close() {
      fail(new Error("this Bucketeer has been closed"));
    },
  };
}
