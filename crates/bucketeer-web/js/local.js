// The engine in the calling thread, for callers that are in a worker of their own.

import { Engine } from "./engine.js";
import { closedError } from "./failure.js";

export function inThisThread(threads = 1) {
  if (threads !== 1) throw new RangeError(`threads is ${threads}: without workers there is one`);
  const engine = new Engine();
  let closed = false;
  return {
    async call(method, args, { onProgress, signal } = {}) {
      const check = () => {
        if (closed) throw closedError();
        signal?.throwIfAborted();
      };
      check();
      const control = {
        progress: (value) => onProgress?.(value),
        stopped: () => closed || (signal?.aborted ?? false),
        turn: async () => {},
      };
      try {
        return await engine.call(method, args, control);
      } catch (error) {
        check();
        throw error;
      }
    },
    close() {
      if (!closed) engine.close();
      closed = true;
    },
  };
}
