// Where the wasm module comes from, and whether the engine can run it.

/** A function that uses SIMD128: what WebAssembly.validate says of it holds for our module. */
const PROBE = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
];

/** The module's address, or its bytes in Node, whose `fetch` does not read files. */
export async function moduleSource() {
  if (!WebAssembly.validate(Uint8Array.from(PROBE))) {
    const text = "this engine has no vectors (SIMD128) in WebAssembly, which browsers have since 2023";
    throw Object.assign(new Error(text), { name: "NotSupportedError" });
  }
  const url = new URL("../pkg/bucketeer_web_bg.wasm", import.meta.url);
  if (url.protocol !== "file:") return url;
  return process.getBuiltinModule("node:fs/promises").readFile(url);
}
