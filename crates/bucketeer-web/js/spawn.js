// A worker, in browsers and in Node, and the news of its end: an engine that waits for a worker
// that is gone would wait forever.

const node = (name) => globalThis.process?.getBuiltinModule?.(`node:${name}`);

const UNREAD = "a message of it could not be read";

/** Whether there are workers at all. */
export const hasWorkers = () => Boolean(globalThis.Worker ?? node("worker_threads"));

/** As many threads as the machine has. */
export function processors() {
  return globalThis.navigator?.hardwareConcurrency ?? node("os")?.availableParallelism() ?? 1;
}

/** Starts `worker.js`. `onEnd` gets the reason if the worker ends by itself. */
export function spawn(onMessage, onEnd) {
  return globalThis.Worker ? inBrowser(onMessage, onEnd) : inNode(onMessage, onEnd);
}

function inBrowser(onMessage, onEnd) {
  // Bundlers look for this expression, with options that are constant.
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  const watch = new AbortController();
  worker.onerror = (event) => {
    event.preventDefault();
    onEnd(event.message ?? "its script could not be loaded");
  };
  worker.onmessageerror = () => onEnd(UNREAD);
  worker.onmessage = ({ data }) => {
    if (data.locked) watchLock(data.locked, watch.signal, onEnd);
    else onMessage(data);
  };
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    busy() {},
    end() {
      watch.abort();
      worker.terminate();
    },
  };
}

/** The worker holds the lock as long as it lives. No event tells of a worker that was ended. */
function watchLock(name, signal, onEnd) {
  navigator.locks.request(name, { signal }, () => onEnd("it was ended")).catch(() => {});
}

function inNode(onMessage, onEnd) {
  const { Worker: NodeWorker } = node("worker_threads");
  const here = import.meta.url;
  // Options of the program, such as --input-type, are not meant for its workers.
  const worker = new NodeWorker(new URL("./worker.js", here), { execArgv: [] });
  let ended = false;
  worker.on("message", onMessage);
  worker.on("messageerror", () => onEnd(UNREAD));
  worker.on("error", (error) => onEnd(error.message));
  worker.on("exit", (code) => ended || onEnd(`it ended with code ${code}`));
  worker.unref();
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    // An idle worker does not keep the program from its end.
    busy: (busy) => (busy ? worker.ref() : worker.unref()),
    end() {
      ended = true;
      worker.terminate();
    },
  };
}
