// The engine's end of `remote.js`.

import { Engine } from "./engine.js";

const port = globalThis.postMessage
  ? globalThis
  : process.getBuiltinModule("node:worker_threads").parentPort;
const engine = new Engine();
const cancelled = new Set();

// `spawn.js` learns from this lock when the worker is gone.
const lock = `bucketeer-${Math.random().toString(36).slice(2)}`;
globalThis.WorkerGlobalScope &&
  navigator.locks
    ?.request(lock, () => {
      port.postMessage({ locked: lock });
      return new Promise(() => {});
    })
    .catch(() => {});

port.onmessage = async ({ data: { id, method, args, flag, cancel } }) => {
  if (cancel) return void cancelled.add(cancel);
  const control = {
    progress: (progress) => port.postMessage({ id, progress }),
    stopped: () => cancelled.has(id) || (flag !== null && Atomics.load(flag, 0) === 1),
  };
  try {
    port.postMessage({ id, result: await engine.call(method, args, control) });
  } catch ({ name, message }) {
    port.postMessage({ id, error: { name, message } });
  } finally {
    cancelled.delete(id);
  }
};
