// Numbers to bytes and back, without a browser.

import assert from "node:assert/strict";
import { test } from "node:test";

import { inputBytes, invert, outputPoint, readInteger } from "../js/layout.js";

const G1 = { componentBytes: 48, components: 1, scalarBytes: 32, edwards: false, modulus: 101n };
const G2 = { componentBytes: 32, components: 2, scalarBytes: 32, edwards: false, modulus: 101n };
const EDWARDS = {
  componentBytes: 32,
  components: 1,
  scalarBytes: 32,
  edwards: true,
  modulus: 101n,
};

test("a point is x then y, little-endian", () => {
  const bytes = inputBytes([{ x: 0x0102n, y: 1n << 383n }], G1, "base");
  assert.equal(bytes.length, 96);
  assert.deepEqual([...bytes.subarray(0, 3)], [2, 1, 0]);
  assert.equal(bytes[95], 0x80);
  assert.equal(bytes.filter((byte) => byte !== 0).length, 3);
});

test("components of an extension come one after the other", () => {
  const bytes = inputBytes([{ x: [1n, 2n], y: [3n, 4n] }], G2, "base");
  assert.deepEqual([0, 32, 64, 96].map((at) => bytes[at]), [1, 2, 3, 4]);
  assert.deepEqual(outputPoint({ x: bytes.subarray(0, 64), y: bytes.subarray(64) }, G2), {
    x: [1n, 2n],
    y: [3n, 4n],
    infinity: false,
  });
});

test("infinity is zeros, and on an Edwards curve refused", () => {
  assert.ok(inputBytes([null], G1, "base").every((byte) => byte === 0));
  assert.throws(
    () => inputBytes([null], EDWARDS, "base"),
    /base 0: an Edwards curve has no infinity/,
  );
  assert.deepEqual(outputPoint({}, G1), { x: null, y: null, infinity: true });
});

test("integers survive the round trip", () => {
  for (const value of [0n, 1n, (1n << 64n) - 1n, 1n << 64n, (1n << 256n) - 1n]) {
    assert.equal(readInteger(inputBytes([value], G1, "scalar")), value);
  }
});

test("bytes are taken as they are", () => {
  const bytes = new Uint8Array(5);
  assert.equal(inputBytes(bytes, G1, "scalar"), bytes);
  assert.equal(inputBytes(bytes.buffer, G1, "scalar").byteLength, 5);
});

test("extended coordinates become affine", () => {
  const bytes = inputBytes(
    [
      { x: 10n, y: 20n, t: 3n, z: 5n },
      { x: 7n, y: 8n, t: 1n, z: 1n },
    ],
    EDWARDS,
    "base",
  );
  assert.deepEqual(
    [0, 32, 64, 96].map((at) => bytes[at]),
    [2, 4, 7, 8],
  );
  assert.throws(
    () => inputBytes([{ x: 1n, y: 1n, z: 101n }], EDWARDS, "base"),
    /base 0: z is zero/,
  );
});

test("an inverse times its number is one", () => {
  for (let value = 1n; value < 101n; value++) {
    assert.equal((value * invert(value, 101n)) % 101n, 1n);
  }
  assert.equal(invert(0n, 101n), null);
});

test("what cannot be a number is refused with its place", () => {
  const cases = [
    [[1n, 2], "scalar", "scalar 1 is Number, not a bigint"],
    [[-1n], "scalar", "scalar 0 is negative"],
    [[0n, 1n << 256n], "scalar", "scalar 1 is not below 2^256"],
    [
      new Uint32Array(8),
      "scalar",
      "the scalars are Uint32Array: expected a Uint8Array or an array of bigints",
    ],
    [[{ x: 1n }], "base", "base 0: y is undefined, not a bigint"],
    [[{ x: [1n, 2n], y: 1n }], "base", "base 0: x has 2 components, expected 1"],
    [
      "points",
      "base",
      "the bases are String: expected a Uint8Array or an array of { x, y } with bigints",
    ],
  ];
  for (const [input, what, message] of cases) {
    assert.throws(() => inputBytes(input, G1, what), { message });
  }
});
