// Files that are read by range: bytes in memory, a Blob or File, or an address whose server sends
// ranges. `{ length, read(start, end) }`, as `bytes.js` has it.

import { plainBytes } from "./bytes.js";
import { failure } from "./failure.js";

const node = (name) => globalThis.process?.getBuiltinModule?.(`node:${name}`);

/** Opens what callers hand over as a file. `signal()` gives the signal that ends a fetch. */
export async function openFile(input, signal = () => undefined) {
  signal()?.throwIfAborted();
  if (input instanceof ArrayBuffer) return inMemory(new Uint8Array(input));
  if (input instanceof Uint8Array) return inMemory(plainBytes(input));
  if (typeof Blob === "function" && input instanceof Blob) return ofBlob(input);
  if (typeof input === "string" || input instanceof URL) {
    const url = new URL(input, globalThis.location?.href);
    // Node's `fetch` does not read files.
    return url.protocol === "file:" && node("fs")
      ? ofBlob(await node("fs").openAsBlob(url))
      : ofAddress(url, signal);
  }
  const what = input === null ? "null" : (input?.constructor?.name ?? typeof input);
  throw new TypeError(
    `the file is ${what}: expected a Blob, an address, an ArrayBuffer or a Uint8Array`,
  );
}

function inMemory(bytes) {
  return { length: bytes.length, read: async (start, end) => bytes.slice(start, end) };
}

function ofBlob(blob) {
  return {
    length: blob.size,
    async read(start, end) {
      return new Uint8Array(await blob.slice(start, end).arrayBuffer());
    },
  };
}

/**
 * Ranges of an answer of HTTP. Every answer must be of the same file: its length and the first one's
 * tag tell, or the date of the file where there is no tag. Scripts see the tag of another origin only
 * if its server exposes it.
 */
async function ofAddress(url, signal) {
  let length = null;
  let tag;
  const read = async (start, end) => {
    if (length !== null && (start >= end || start >= length)) return new Uint8Array(0);
    const headers = { range: `bytes=${start}-${end - 1}` };
    const response = await fetch(url, { headers, signal: signal() });
    const found = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers.get("content-range") ?? "");
    if (response.status !== 206 || !found || Number(found[1]) !== start) {
      // The rest may be gigabytes and is not needed.
      await response.body?.cancel();
      const why = response.ok
        ? "its server does not send ranges; download it as a Blob"
        : `status ${response.status}`;
      throw failure(`${url.href}: ${why}`);
    }
    const own = response.headers.get("etag") ?? response.headers.get("last-modified");
    const total = Number(found[3]);
    if (length !== null && (total !== length || own !== tag)) {
      await response.body?.cancel();
      throw failure(`${url.href} changed while it was read`);
    }
    [length, tag] = [total, own];
    return new Uint8Array(await response.arrayBuffer());
  };
  await read(0, 1);
  return { length, read };
}
