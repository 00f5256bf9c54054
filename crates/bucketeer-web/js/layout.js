// Points and scalars as bytes: numbers become little-endian integers, not in Montgomery form. No
// browser is needed here.

import { plainBytes } from "./bytes.js";

const WORD = 64n;
const EXPECTED = {
  base: "a Uint8Array or an array of { x, y } with bigints",
  scalar: "a Uint8Array or an array of bigints",
};

/** Bases or scalars as the caller has them, as bytes. */
export function inputBytes(input, facts, what) {
  if (input instanceof Uint8Array) return plainBytes(input);
  if (input instanceof ArrayBuffer) return new Uint8Array(input);
  if (!Array.isArray(input)) {
    throw new TypeError(`the ${what}s are ${describe(input)}: expected ${EXPECTED[what]}`);
  }
  return what === "base" ? pointBytes(input, facts) : scalarBytes(input, facts);
}

const FORMS = ["little-endian", "big-endian", "montgomery"];

/** How bytes are integers: as the caller says, little-endian by default, which our own are. */
export function inputForm(input, form = FORMS[0]) {
  if (!FORMS.includes(form)) {
    throw new RangeError(`unknown form "${form}": expected one of ${FORMS.join(", ")}`);
  }
  return Array.isArray(input) ? FORMS[0] : form;
}

/** Vectors of scalars one after the other, all of the same length and kind. */
export function batchBytes(vectors, facts, form) {
  const parts = vectors.map((scalars) => inputBytes(scalars, facts, "scalar"));
  const each = parts[0].length;
  const forms = vectors.map((scalars) => inputForm(scalars, form));
  const bytes = new Uint8Array(each * parts.length);
  parts.forEach((part, index) => {
    if (part.length !== each || forms[index] !== forms[0]) {
      const what = part.length === each ? "of another form" : `of ${part.length} bytes`;
      throw new RangeError(
        `vector ${index} of the batch is ${what}, the first one of ${each} bytes, ${forms[0]}`,
      );
    }
    bytes.set(part, index * each);
  });
  return { bytes, form: forms[0] };
}

/** Arrays of 32-bit words are refused because programs disagree on the order of the words. */
function describe(input) {
  return input === null ? "null" : (input?.constructor?.name ?? typeof input);
}

function scalarBytes(scalars, { scalarBytes: size }) {
  const bytes = new Uint8Array(scalars.length * size);
  const view = new DataView(bytes.buffer);
  scalars.forEach((scalar, i) => writeInteger(view, i * size, size, scalar, `scalar ${i}`));
  return bytes;
}

function pointBytes(points, facts) {
  const { componentBytes, components } = facts;
  const half = componentBytes * components;
  const bytes = new Uint8Array(points.length * 2 * half);
  const view = new DataView(bytes.buffer);
  points.forEach((point, index) => {
    const what = `base ${index}`;
    if (point === null) {
      if (facts.edwards) {
        throw new RangeError(
          `${what}: an Edwards curve has no infinity, its neutral element is (0, 1)`,
        );
      }
      return;
    }
    const { x, y } = affine(point, facts, what);
    for (const [name, coordinate, at] of [["x", x, 0], ["y", y, half]]) {
      const parts = Array.isArray(coordinate) ? coordinate : [coordinate];
      if (parts.length !== components) {
        throw new TypeError(
          `${what}: ${name} has ${parts.length} components, expected ${components}`,
        );
      }
      parts.forEach((part, i) => {
        const offset = index * 2 * half + at + i * componentBytes;
        writeInteger(view, offset, componentBytes, part, `${what}: ${name}`);
      });
    }
  });
  return bytes;
}

/** Points may come in extended coordinates, (x : y : t : z) with the affine point (x/z, y/z). */
function affine(point, { modulus }, what) {
  const { x, y, z } = point ?? {};
  if (z === undefined || z === 1n) return { x, y };
  if (typeof z !== "bigint") throw new TypeError(`${what}: z is ${describe(z)}, not a bigint`);
  const inverse = invert(z, modulus);
  if (inverse === null) throw new RangeError(`${what}: z is zero`);
  return { x: (x * inverse) % modulus, y: (y * inverse) % modulus };
}

/** The inverse modulo a prime by Euclid's algorithm; null of zero. */
export function invert(value, modulus) {
  let [a, b] = [((value % modulus) + modulus) % modulus, modulus];
  let [u, v] = [1n, 0n];
  while (a !== 0n) {
    const quotient = b / a;
    [a, b] = [b - quotient * a, a];
    [u, v] = [v - quotient * u, u];
  }
  return b === 1n ? ((v % modulus) + modulus) % modulus : null;
}

/** Writes an integer of `size` bytes, whole 64-bit words. */
export function writeInteger(view, offset, size, value, what) {
  if (typeof value !== "bigint") throw new TypeError(`${what} is ${describe(value)}, not a bigint`);
  if (value < 0n) throw new RangeError(`${what} is negative`);
  let rest = value;
  for (let at = 0; at < size; at += 8) {
    view.setBigUint64(offset + at, BigInt.asUintN(64, rest), true);
    rest >>= WORD;
  }
  if (rest !== 0n) throw new RangeError(`${what} is not below 2^${8 * size}`);
}

/** The integer with these little-endian bytes, whole 64-bit words. */
export function readInteger(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let value = 0n;
  for (let at = bytes.byteLength - 8; at >= 0; at -= 8) {
    value = (value << WORD) | view.getBigUint64(at, true);
  }
  return value;
}

/** The point of an outcome. */
export function outputPoint({ x, y }, { componentBytes, components }) {
  if (!x) return { x: null, y: null, infinity: true };
  const coordinate = (bytes) => {
    const parts = Array.from({ length: components }, (_, i) =>
      readInteger(bytes.subarray(i * componentBytes, (i + 1) * componentBytes)),
    );
    return components === 1 ? parts[0] : parts;
  };
  return { x: coordinate(x), y: coordinate(y), infinity: false };
}
