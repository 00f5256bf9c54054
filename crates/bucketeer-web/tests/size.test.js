// What a page downloads to compute on a CPU, compressed as servers send it.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

/** Bytes of the module of one curve; docs/web.md promises no more. */
const MOST = 400_000;

test("the module of bn254-g1 is at most 400 kB", async () => {
  const bytes = await readFile(new URL("../pkg/bn254-g1_bg.wasm", import.meta.url));
  const { length } = gzipSync(bytes, { level: 9 });
  assert.ok(length <= MOST, `${length} bytes`);
});
