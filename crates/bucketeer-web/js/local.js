// The engine in the calling thread, for callers that are in a worker of their own.

import { Engine } from "./engine.js";

export function inThisThread(threads = 1) {
  if (threads !== 1) throw new RangeError(`threads is ${threads}: without workers there is one`);
  const engine = new Engine();
  return {
    async call(method, args, { onProgress, signal } = {}) {
      signal?.throwIfAborted();
      const control = {
        progress: (value) => onProgress?.(value),
        stopped: () => signal?.aborted ?? false,
      };
      try {
        return await engine.call(method, args, control);
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      }
    },
    close() {},
  };
}
