// The wasm modules of this thread, each fetched and compiled when it is first needed.

import { MODULES } from "../pkg/modules.js";
import { moduleSource } from "./source.js";

const loaded = new Map();
const memories = new Set();

/** The module with this name. One that could not be fetched may be tried again. */
export function moduleNamed(name) {
  if (!loaded.has(name)) {
    const module = load(MODULES[name]);
    module.catch(() => loaded.delete(name));
    loaded.set(name, module);
  }
  return loaded.get(name);
}

async function load({ init, wasm, url }) {
  const { memory } = await init({ module_or_path: await moduleSource(url()) });
  memories.add(memory);
  return wasm;
}

/** Bytes of the memory of all modules. It grows with what is loaded and is never returned. */
export function memoryBytes() {
  return [...memories].reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
}
