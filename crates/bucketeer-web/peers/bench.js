// MSMs on the CPU, ours and those of the npm packages `montgomery` and `ffjavascript`, in one process
// of Node on the same points and scalars: `npm run bench -- [--threads N] [--output FILE]
// [--native TOOL] [CURVE …] [LOG2 …]`. One line of JSON for each size.
//
// Points are made by ffjavascript, and loaded in its own form. montgomery takes integers, and has one
// thread. Peers take turns, five rounds of them. With one thread our portable arithmetic, which fields
// without vectors have, runs beside them. TOOL is the command-line tool, compiled for this machine:
// its portable arithmetic runs in every round, on points of its own, and is timed by its own clock.
// With one thread the figure is the CPU time of the process, which a loaded machine falsifies less than
// wall time; with more it is wall time. Sums are compared.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { webcrypto } from "node:crypto";
import { appendFile } from "node:fs/promises";
import os from "node:os";
import { promisify } from "node:util";

import { buildBls12381, buildBn128 } from "ffjavascript";

import { Bucketeer } from "../index.js";
import { factsOf } from "../js/curves.js";
import { readInteger } from "../js/layout.js";
import { moduleNamed } from "../js/modules.js";

const ROUNDS = 5;
const words = process.argv.slice(2);
const option = (name) =>
  words.includes(name) ? words.splice(words.indexOf(name), 2)[1] : undefined;
const threads = Number(option("--threads") ?? 1);
const output = option("--output");
const native = option("--native");
const logs = words.filter((word) => /^\d+$/.test(word)).map(Number);
const curves = words.filter((word) => !/^\d+$/.test(word));

/** How ffjavascript builds a curve, and its group. */
const FFJAVASCRIPT = {
  "bls12-381": [buildBls12381, "G1"],
  bn254: [buildBn128, "G1"],
  "bls12-381-g2": [buildBls12381, "G2"],
  "bn254-g2": [buildBn128, "G2"],
};

const reversed = (bytes) => Uint8Array.from(bytes).reverse();
const integer = (bytes) => BigInt(`0x${Buffer.from(reversed(bytes)).toString("hex")}`);

/** Powers of a random element times the generator, in ffjavascript's form. */
async function pointsOf({ Fr }, group, n) {
  const generator = group.toAffine(group.g);
  const many = new Uint8Array(n * generator.length);
  for (let i = 0; i < n; i++) many.set(generator, i * generator.length);
  return group.batchApplyKey(many, Fr.e(3), Fr.random());
}

/** The same points of G1 as little-endian integers, a coordinate each. */
async function coordinatesOf(group, own, half) {
  const uncompressed = await group.batchLEMtoU(own);
  const coordinate = (_, i) => reversed(uncompressed.subarray(i * half, (i + 1) * half));
  return Array.from({ length: own.length / half }, coordinate);
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

/** A function that computes on resident bases without vectors. */
async function portableBases(name, points) {
  const { module, componentBytes, components } = factsOf(name);
  const { Processor, Loading } = await moduleNamed(module);
  const options = new Loading(false, false, undefined);
  const bases = await Processor.cpu()
    .portable()
    .load(name, points, "montgomery", options, undefined);
  return async (factors) => {
    const outcome = await bases.msm(factors, "little-endian", false, undefined);
    const { x } = outcome;
    outcome.free();
    const parts = Array.from({ length: components }, (_, i) => {
      return readInteger(x.subarray(i * componentBytes, (i + 1) * componentBytes));
    });
    return components === 1 ? parts[0] : parts;
  };
}

/** Milliseconds of a run of the command-line tool with portable arithmetic, bases resident. */
async function nativeTime(curve, log) {
  const args = ["bench", "--curve", curve, "-n", `2^${log}`, "--repeat", "1", "--json"];
  const how = ["--device", "cpu", "--threads", String(threads), "--portable"];
  const { stdout } = await promisify(execFile)(native, [...args, ...how]);
  return 1000 * JSON.parse(stdout).results[0].samples[0];
}

/** The peers: functions that compute the sum's x. */
async function peers(name, n) {
  const [build, groupName] = FFJAVASCRIPT[name];
  const curve = await build(threads === 1);
  const group = curve[groupName];
  const own = await pointsOf(curve, group, n);
  const ours = await Bucketeer.create({ device: "cpu", worker: threads > 1, threads });
  const factors = scalars(n, (await ours.curve(name)).order);
  const load = { check: false, form: "montgomery" };
  const resident = await ours.loadBases(name, own, load);
  const all = {
    bucketeer: async () => (await ours.msm(name, own, factors, load)).x,
    "bucketeer, resident bases": async () => (await resident.msm(factors)).x,
    ffjavascript: async () =>
      group.toObject(group.toAffine(await group.multiExpAffine(own, factors)))[0],
  };
  if (threads === 1) {
    const portable = await portableBases(name, own);
    all["bucketeer, portable"] = () => portable(factors);
  }
  if (name === "bls12-381") {
    const { msm } = await import("montgomery");
    const coordinates = await coordinatesOf(group, own, own.length / n / 2);
    const pairs = Array.from({ length: n }, (_, i) => [
      coordinates[2 * i],
      coordinates[2 * i + 1],
      false,
    ]);
    const list = Array.from({ length: n }, (_, i) => factors.slice(32 * i, 32 * (i + 1)));
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
        sums.add(String(x));
      }
      if (native && round > 0) {
        const times = (samples["bucketeer, native and portable"] ??= []);
        times.push(Number((await nativeTime(curve, log)).toFixed(1)));
      }
      assert.equal(sums.size, 1, "the sums differ");
    }
    await end();
    const median = (times) => times.toSorted((a, b) => a - b)[times.length >> 1];
    const medians = Object.fromEntries(
      Object.entries(samples).map(([name, times]) => [name, median(times)]),
    );
    const machine = `${os.cpus()[0].model}, Node ${process.version}`;
    const line = JSON.stringify({
      curve,
      log,
      threads,
      time: threads === 1 ? "cpu" : "wall",
      medians,
      samples,
      machine,
    });
    console.log(line);
    if (output) await appendFile(output, `${line}\n`);
  }
}
process.exit(0);
