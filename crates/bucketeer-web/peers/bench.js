// MSMs on the CPU, ours and those of the npm packages `montgomery` and `ffjavascript`, in one process
// of Node on the same points and scalars: `npm run bench:cpu -- [--threads N] [CURVE …]
// [LOG2 …]`. One line of JSON for each size.
//
// Peers take turns, five rounds of them. With one thread the figure is the CPU time of the process,
// which a loaded machine falsifies less than wall time; with more it is wall time. Sums are compared.

import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import os from "node:os";

import { buildBls12381, buildBn128 } from "ffjavascript";

import { Bucketeer } from "../index.js";

const ROUNDS = 5;
const words = process.argv.slice(2);
const option = words.indexOf("--threads");
const threads = option < 0 ? 1 : Number(words.splice(option, 2)[1]);
const logs = words.filter((word) => /^\d+$/.test(word)).map(Number);
const curves = words.filter((word) => !/^\d+$/.test(word));

const FFJAVASCRIPT = { "bls12-381": buildBls12381, bn254: buildBn128 };
const ORDERS = {
  "bls12-381": 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n,
  bn254: 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001n,
};

const reversed = (bytes) => Uint8Array.from(bytes).reverse();
const integer = (bytes) => BigInt(`0x${Buffer.from(reversed(bytes)).toString("hex")}`);

/** Powers of a random element times the generator: in ffjavascript's form and as little-endian bytes. */
async function points({ G1, Fr }, n) {
  const generator = G1.toAffine(G1.g);
  const many = new Uint8Array(n * generator.length);
  for (let i = 0; i < n; i++) many.set(generator, i * generator.length);
  const own = await G1.batchApplyKey(many, Fr.e(3), Fr.random());
  const uncompressed = await G1.batchLEMtoU(own);
  const half = generator.length / 2;
  const bytes = new Uint8Array(own.length);
  for (let at = 0; at < bytes.length; at += half) {
    bytes.set(reversed(uncompressed.subarray(at, at + half)), at);
  }
  return { own, bytes, half };
}

/** Uniform scalars, 32 bytes each. */
function scalars(n, order) {
  const out = new Uint8Array(32 * n);
  for (let i = 0; i < n; i++) {
    const wide = integer(webcrypto.getRandomValues(new Uint8Array(48))) % order;
    out.set(reversed(Buffer.from(wide.toString(16).padStart(64, "0"), "hex")), 32 * i);
  }
  return out;
}

/** The peers: functions that compute the sum's x. */
async function peers(name, n) {
  const curve = await FFJAVASCRIPT[name](threads === 1);
  const { own, bytes, half } = await points(curve, n);
  const factors = scalars(n, ORDERS[name]);
  const ours = await Bucketeer.create({ device: "cpu", worker: threads > 1, threads });
  const resident = await ours.loadBases(name, bytes, { check: false });
  const all = {
    bucketeer: async () => (await ours.msm(name, bytes, factors, { check: false })).x,
    "bucketeer, resident bases": async () => (await resident.msm(factors)).x,
    ffjavascript: async () => {
      const { G1 } = curve;
      return G1.toObject(G1.toAffine(await G1.multiExpAffine(own, factors)))[0];
    },
  };
  if (name === "bls12-381" && threads === 1) {
    const { msm } = await import("montgomery");
    const part = (from, size, i) => from.slice(i * size, (i + 1) * size);
    const pairs = Array.from({ length: n }, (_, i) => [part(bytes, half, 2 * i), part(bytes, half, 2 * i + 1), false]);
    const list = Array.from({ length: n }, (_, i) => part(factors, 32, i));
    all.montgomery = async () => integer(msm(list, pairs).result[0]);
  }
  const end = async () => {
    ours.close();
    await curve.terminate();
  };
  return { all, end };
}

/** Milliseconds of a call, CPU time or wall time. */
async function time(work) {
  const [cpu, wall] = [process.cpuUsage(), performance.now()];
  const x = await work();
  const used = process.cpuUsage(cpu);
  return [threads === 1 ? (used.user + used.system) / 1000 : performance.now() - wall, x];
}

for (const curve of curves.length ? curves : Object.keys(FFJAVASCRIPT)) {
  for (const log of logs.length ? logs : [12, 14, 16]) {
    const { all, end } = await peers(curve, 2 ** log);
    const samples = Object.fromEntries(Object.keys(all).map((name) => [name, []]));
    for (let round = 0; round <= ROUNDS; round++) {
      const sums = new Set();
      for (const [name, work] of Object.entries(all)) {
        const [milliseconds, x] = await time(work);
        // The first round compiles.
        if (round > 0) samples[name].push(Number(milliseconds.toFixed(1)));
        sums.add(x);
      }
      assert.equal(sums.size, 1, "the sums differ");
    }
    await end();
    const median = (times) => times.toSorted((a, b) => a - b)[times.length >> 1];
    const medians = Object.fromEntries(Object.entries(samples).map(([name, times]) => [name, median(times)]));
    const machine = `${os.cpus()[0].model}, Node ${process.version}`;
    console.log(JSON.stringify({ curve, log, threads, time: threads === 1 ? "cpu" : "wall", medians, samples, machine }));
  }
}
process.exit(0);
