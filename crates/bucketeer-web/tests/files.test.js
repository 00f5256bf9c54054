// Bases from snarkjs' files, by range: in memory, as Blobs and over HTTP.

import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { Bucketeer } from "../index.js";
import { openFile } from "../js/files.js";
import { invert, readInteger } from "../js/layout.js";
import { locate } from "../js/snarkjs.js";
import { bn254, generator, littleEndian } from "./reference.js";

const ZKEY = new URL("../../bucketeer-groth16/examples/data/multiplier.zkey", import.meta.url);
const bytes = await readFile(ZKEY);
const R = 2n ** 256n;

let cpu;
before(async () => {
  cpu = await Bucketeer.create({ device: "cpu", worker: false });
});

/** The points of a section as the file has them, out of Montgomery form by a product. */
async function pointsOf(section) {
  const { start, count, bytes: length } = await locate(await openFile(bytes), section);
  const inverse = invert(R, bn254.p);
  const coordinate = (at) => (readInteger(bytes.subarray(at, at + 32)) * inverse) % bn254.p;
  const size = length / count;
  return Array.from({ length: count }, (_, i) => ({
    x: coordinate(start + i * size),
    y: coordinate(start + i * size + 32),
  })).map((point) => (point.x === 0n && point.y === 0n ? bn254.zero : point));
}

test("bases of a .zkey have the sum of its points, from memory, a Blob and an address", async () => {
  for (const section of ["a", "h", "ic", "c", "alpha-g1", "delta-g1"]) {
    const points = await pointsOf(section);
    const scalars = points.map((_, i) => BigInt(3 * i + 5));
    const expected = bn254.msm(points, scalars);
    const inputs = [
      bytes,
      bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
      ZKEY,
      await openAsBlob(fileURLToPath(ZKEY)),
    ];
    for (const input of inputs) {
      const bases = await cpu.loadFile(input, { section });
      assert.equal(bases.curve, "bn254-g1");
      const { x, y } = await bases.msm(scalars);
      assert.deepEqual({ x, y }, expected, section);
      bases.free();
    }
  }
});

test("points of G2, and the first few of a section", async () => {
  const whole = await cpu.loadFile(bytes, { section: "b2" });
  assert.equal(whole.curve, "bn254-g2");
  const { count } = await locate(await openFile(bytes), "b2");
  const zeros = Array(count).fill(0n);
  const first = await cpu.loadFile(bytes, { section: "b2", n: 2 });
  const sums = [await whole.msm([4n, 9n, ...zeros.slice(2)]), await first.msm([4n, 9n])];
  assert.deepEqual([sums[0].x, sums[0].y], [sums[1].x, sums[1].y]);
  await assert.rejects(cpu.loadFile(bytes, { section: "b2", n: count + 1 }), /has \d+ points/);
});

/** A server of some bytes with ranges, which counts what it sends. */
async function serving(content, { ranges = true, tag = () => ({ etag: '"one"' }) } = {}) {
  const sent = { bytes: 0 };
  const server = createServer((request, response) => {
    const found = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    const [from, to] =
      ranges && found
        ? [Number(found[1]), Math.min(Number(found[2]), content.length - 1)]
        : [0, content.length - 1];
    const part = content.subarray(from, to + 1);
    sent.bytes += part.length;
    const range = ranges ? { "content-range": `bytes ${from}-${to}/${content.length}` } : {};
    response.writeHead(ranges ? 206 : 200, { ...range, ...tag(), "content-length": part.length });
    response.end(part);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/key.zkey`, sent, server };
}

test("an address is read by range: headers and one section, not the file", async () => {
  // The same file with a large section that nobody requests.
  const more = Buffer.alloc(12 + 3_000_000);
  more.writeUInt32LE(99, 0);
  more.writeBigUInt64LE(3_000_000n, 4);
  const large = Buffer.concat([bytes, more]);
  large.writeUInt32LE(large.readUInt32LE(8) + 1, 8);
  const { url, sent, server } = await serving(large);
  try {
    const bases = await cpu.loadFile(url, { section: "a" });
    const points = await pointsOf("a");
    const { x, y } = await bases.msm(points.map(() => 7n));
    assert.deepEqual(
      { x, y },
      bn254.msm(
        points,
        points.map(() => 7n),
      ),
    );
    assert.ok(sent.bytes < 100_000, `${sent.bytes} bytes were sent`);
  } finally {
    server.close();
  }
});

test("servers without ranges, and files that change, are errors", async () => {
  const plain = await serving(bytes, { ranges: false });
  let tags = 0;
  const changing = await serving(bytes, { tag: () => ({ etag: `"${tags++}"` }) });
  // A server without tags, and a file that was replaced by one of the same length.
  const date = () => new Date(1e12 + 1000 * tags++).toUTCString();
  const replaced = await serving(bytes, { tag: () => ({ "last-modified": date() }) });
  try {
    await assert.rejects(cpu.loadFile(plain.url, { section: "a" }), {
      name: "BucketeerError",
      message: /does not send ranges/,
    });
    for (const { url } of [changing, replaced]) {
      await assert.rejects(cpu.loadFile(url, { section: "a" }), /changed while it was read/);
    }
  } finally {
    for (const { server } of [plain, changing, replaced]) server.close();
  }
});

test("bad files say what is wrong", async () => {
  const changed = (change) => {
    const copy = Buffer.from(bytes);
    change(copy);
    return copy;
  };
  const load = (file, section = "a") => cpu.loadFile(file, { section });
  await assert.rejects(load(bytes, "z"), /section "z" is not in the file: expected one of a, b1, /);
  await assert.rejects(cpu.loadFile(bytes), /section is missing: expected one of a, b1, /);
  for (const name of ["a:3", "a:"])
    await assert.rejects(load(bytes, name), /is not one for each power/);
  await assert.rejects(
    load(changed((b) => b.writeUInt32LE(2, 4))),
    /version 2 of .zkey, expected 1/,
  );
  await assert.rejects(
    load(Buffer.concat([bytes, Buffer.alloc(3)])),
    /trailing bytes: 3 after the last of \d+ sections/,
  );
  // The prime of the scalars is behind that of the coordinates: 4 + 32 bytes.
  await assert.rejects(load(changed((b) => (b[60 + 36] ^= 1))), /scalars are not those of bn254/);
  await assert.rejects(load(changed((b) => b.write("r1cs"))), /neither a .zkey nor a .ptau/);
  await assert.rejects(load(bytes.subarray(0, 200)), /truncated/);
  await assert.rejects(load(bytes.subarray(0, 2)), /truncated/);
  await assert.rejects(load(changed((b) => b.writeUInt32LE(3, 24))), /protocol 3, expected/);
  await assert.rejects(
    load(changed((b) => (b[60] ^= 1))),
    /neither that of bn254 nor of bls12-381/,
  );
  await assert.rejects(load(12), TypeError);
  const { start } = await locate(await openFile(bytes), "h");
  await assert.rejects(
    load(
      changed((b) => (b[start] ^= 1)),
      "h",
    ),
    /base 0 is not on the curve/,
  );
});

/** A .ptau: its header and one section of G1, by default the powers of tau of 2^9. */
function ptau(points, { kind = 2, power = 9 } = {}) {
  const section = (kind, content) => {
    const head = Buffer.alloc(12);
    head.writeUInt32LE(kind, 0);
    head.writeBigUInt64LE(BigInt(content.length), 4);
    return Buffer.concat([head, content]);
  };
  const u32 = (...values) => Buffer.from(new Uint32Array(values).buffer);
  const header = Buffer.concat([u32(32), littleEndian([bn254.p], 32), u32(power, power)]);
  const montgomery = points.flatMap(({ x, y }) => [(x * R) % bn254.p, (y * R) % bn254.p]);
  const sections = [section(1, header), section(kind, Buffer.from(littleEndian(montgomery, 32)))];
  return Buffer.concat([Buffer.from("ptau"), u32(1, sections.length), ...sections]);
}

test("powers of tau are read share by share for several workers", async () => {
  const pair = bn254.points(2, generator(31));
  const points = Array.from({ length: 1023 }, (_, i) => pair[i % 2]);
  const scalars = points.map((_, i) => BigInt(i + 1));
  const sums = [0, 1].map((parity) =>
    scalars.reduce((sum, k, i) => (i % 2 === parity ? sum + k : sum), 0n),
  );
  const several = await Bucketeer.create({ device: "cpu", threads: 2 });
  try {
    for (const bucketeer of [several, cpu]) {
      const bases = await bucketeer.loadFile(new Blob([ptau(points)]), { section: "tau-g1" });
      const { x, y } = await bases.msm(scalars);
      assert.deepEqual({ x, y }, bn254.msm(pair, sums));
    }
    await assert.rejects(
      several.loadFile(ptau(points.slice(1)), { section: "tau-g1" }),
      /has 65408 bytes, expected 1023·64/,
    );
    await assert.rejects(
      several.loadFile(ptau(points), { section: "lagrange-g1" }),
      /no section "lagrange-g1"/,
    );
  } finally {
    several.close();
  }
});

test("the power of a Lagrange basis is a decimal number", async () => {
  const points = bn254.points(3, generator(33));
  const file = ptau(points, { kind: 12, power: 1 });
  const { x, y } = await (await cpu.loadFile(file, { section: "lagrange-g1:1" })).msm([2n, 3n]);
  assert.deepEqual({ x, y }, bn254.msm(points.slice(1), [2n, 3n]));
  for (const power of ["", "0x1", "1:1", " 1", "1e0", "-0"]) {
    const load = cpu.loadFile(file, { section: `lagrange-g1:${power}` });
    await assert.rejects(
      load,
      { name: "BucketeerError", message: /is no power of a section/ },
      power,
    );
  }
  await assert.rejects(cpu.loadFile(file, { section: "lagrange-g1:2" }), /the last one has 2\^1/);
});

test("an aborted load of a file ends what is being fetched", async () => {
  const controller = new AbortController();
  let requests = 0;
  const slow = await serving(bytes, { tag: () => (++requests > 1 && controller.abort(), {}) });
  try {
    const load = cpu.loadFile(slow.url, { section: "a", signal: controller.signal });
    await assert.rejects(load, { name: "AbortError" });
    assert.equal(requests, 2);
  } finally {
    slow.server.close();
  }
});
