// The devices that the page has opened, each with the bases it used last: the same bases are not
// made twice.

import { Bucketeer } from "../index.js";

const opened = new Map();

/** The device of this kind, opened once. One that failed to open may be tried again. */
export function open(kind) {
  if (!opened.has(kind)) {
    const device = Bucketeer.create({ device: kind }).then((bucketeer) => ({
      bucketeer,
      key: null,
      bases: null,
    }));
    device.catch(() => opened.delete(kind));
    opened.set(kind, device);
  }
  return opened.get(kind);
}

/** `n` bases of a curve on a device. */
export async function basesOn(device, curve, n, seed) {
  const key = `${curve} ${n} ${seed}`;
  if (device.key !== key) {
    device.bases?.free();
    device.key = null;
    device.bases = await device.bucketeer.generate(curve, n, { seed });
    device.key = key;
  }
  return device.bases;
}
