// Where a wasm module comes from, and whether the engine can run it.

import { named } from "./failure.js";

/** A function that uses SIMD128: what WebAssembly.validate says of it holds for our modules. */
const PROBE = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15,
  253, 98, 11,
];

/** Throws where the modules cannot run. */
export function requireVectors() {
  if (WebAssembly.validate(Uint8Array.from(PROBE))) return;
  const text =
    "this engine has no vectors (SIMD128) in WebAssembly, which browsers have since 2023";
  throw named("NotSupportedError", text);
}

/** A module's address, or its bytes in Node, whose `fetch` does not read files. */
export async function moduleSource(url) {
  if (url.protocol !== "file:") return url;
  return process.getBuiltinModule("node:fs/promises").readFile(url);
}
