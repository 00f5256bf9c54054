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

// Whose message it was is not known: this ends the worker, and `spawn.js` reports it.
port.onmessageerror = () => {
  throw new Error("a message to it could not be read");
};

/** Resolves when the messages that have arrived are read: one may say to stop what would begin now. */
const turn = globalThis.setImmediate ? () => new Promise((resolve) => setImmediate(resolve)) : messageTurn();

function messageTurn() {
  // Unlike timers, messages are not slowed down, and they come in the order they were sent.
  const { port1, port2 } = new MessageChannel();
  const waiting = [];
  port1.onmessage = () => waiting.shift()();
  return () => {
    return new Promise((resolve) => {
      waiting.push(resolve);
      port2.postMessage(null);
    });
  };
}

port.onmessage = async ({ data: { id, method, args, flag, cancel } }) => {
  if (cancel) return void cancelled.add(cancel);
  const control = {
    progress: (progress) => port.postMessage({ id, progress }),
    turn,
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
