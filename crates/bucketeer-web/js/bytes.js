// Bytes in memory, or in a file that is read piece by piece: `{ length, read(start, end) }`.

/** The same bytes, of which `slice` makes a copy: that of Node's Buffers, also Uint8Arrays, does not. */
export function plainBytes(bytes) {
  if (bytes.constructor === Uint8Array) return bytes;
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A copy of the bytes from `start` to `end`. */
export async function partOf(source, start, end) {
  return source instanceof Uint8Array ? source.slice(start, end) : source.read(start, end);
}

/** All bytes, without a copy of those that are in memory. */
export async function wholeOf(source) {
  return source instanceof Uint8Array ? source : source.read(0, source.length);
}

/** How many of these scalars of `size` bytes, a multiple of 4, are not zero. */
export function countNonZero(bytes, size) {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const words = new Uint32Array(aligned.buffer, aligned.byteOffset, Math.floor(bytes.length / 4));
  const each = size / 4;
  let count = 0;
  for (let first = 0; first < words.length; first += each) {
    for (let at = first; at < first + each; at++) {
      if (words[at] !== 0) {
        count++;
        break;
      }
    }
  }
  return count;
}
