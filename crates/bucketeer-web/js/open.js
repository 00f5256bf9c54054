// Opens a device: the port through which all calls go, and its description.

import { wholeOf } from "./bytes.js";
import { inThisThread } from "./local.js";
import { inRoutes } from "./routes.js";
import { inWorkers } from "./shares.js";
import { hasWorkers, processors } from "./spawn.js";

/** Most threads that a Bucketeer starts. */
const MOST_THREADS = 256;

export async function openPort(kind, worker, threads) {
  const remote = worker && hasWorkers();
  const count = remote ? threadsOf(threads) : 1;
  const start = () => (remote ? inWorkers(count) : alone(inThisThread(threads)));
  const pool = start();
  try {
    const { device } = await pool.call("open", [kind]);
    if (device.kind === "cpu") return { port: pool, device };
    // Of a pool, the GPU needs one worker.
    const gpu = pool.first ? alone(pool.first) : pool;
    if (kind !== "auto") return { port: gpu, device };
    const port = inRoutes(gpu, start, count, device);
    await port.call("open", []);
    return { port, device };
  } catch (error) {
    pool.close();
    throw error;
  }
}

/** The threads to use: the requested number, or one for every processor. */
function threadsOf(threads = Math.min(processors(), MOST_THREADS)) {
  if (Number.isInteger(threads) && threads >= 1 && threads <= MOST_THREADS) return threads;
  throw new RangeError(`threads is ${threads}: expected an integer from 1 to ${MOST_THREADS}`);
}

const RUNS = new Set(["msm", "msmBatch", "msmOf"]);

/** The port of an engine that has all bases: it wants bytes for files, and its sums are no shares. */
function alone(port) {
  return {
    ...port,
    async call(method, args, options) {
      if (RUNS.has(method)) return port.call(method, [...args, false], options);
      if (method !== "load") return port.call(method, args, options);
      const [name, source, ...rest] = args;
      return port.call(method, [name, await wholeOf(source), ...rest], options);
    },
  };
}
