// The engine's end of `remote.js`.

import { Engine } from "./engine.js";

const engine = new Engine();
const cancelled = new Set();

addEventListener("message", async ({ data: { id, method, args, flag, cancel } }) => {
  if (cancel) return void cancelled.add(cancel);
  const control = {
    progress: (progress) => postMessage({ id, progress }),
    stopped: () => cancelled.has(id) || (flag !== null && Atomics.load(flag, 0) === 1),
  };
  try {
    postMessage({ id, result: await engine.call(method, args, control) });
  } catch ({ name, message }) {
    postMessage({ id, error: { name, message } });
  } finally {
    cancelled.delete(id);
  }
});
