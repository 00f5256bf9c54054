// The function that the ZPrize WebGPU harness calls: bases and scalars in, { x, y } out.

import { Bucketeer } from "../index.js";

let opened = null;

/** The device is opened once for all calls; a fallback is announced once. */
function open() {
  opened ??= Bucketeer.create().then((bucketeer) => {
    const { fallback, reason, description } = bucketeer.device;
    if (fallback) console.warn(`Bucketeer runs on ${description}: ${reason}`);
    return bucketeer;
  });
  return opened;
}

/** The harness's function for a curve. Infinity, if there is one, is (0, 0), as in the input. */
export function computeMsmOn(curve, options) {
  return async (baseAffinePoints, scalars) => {
    const own = open();
    try {
      const { x, y, device } = await (await own).msm(curve, baseAffinePoints, scalars, options);
      return { x: x ?? 0n, y: y ?? 0n, device };
    } catch (error) {
      // What failed for good would fail all later calls; they open a device again.
      const dead = await own.then(() => isFatal(error), () => true);
      if (dead && opened === own) {
        opened = null;
        own.then((bucketeer) => bucketeer.close(), () => {});
      }
      throw error;
    }
  };
}

/** Whether a worker or the device is gone, rather than an input wrong. */
const isFatal = ({ name, message }) => name === "WorkerError" || message.startsWith("the device failed");
