// snarkjs' `.zkey` and `.ptau` files: where their points are. Only headers are read here. The names
// of the sections are those of the command-line tool.
//
// A file is four letters, a version, the number of sections, and the sections: a type, a length and
// bytes. Points are in Montgomery form.

import { CURVES } from "../pkg/curves.js";
import { failure } from "./failure.js";

/** Bytes that are read at once on the way through the headers. */
const WINDOW = 4096;
/** More sections than any file of snarkjs has. */
const MOST_SECTIONS = 100;
/** The same for powers. */
const MOST_POWERS = 40;

/** The points of a section: `{ curve, start, count, bytes }`, in a file that `files.js` opened. */
export async function locate(file, name) {
  const cursor = new Cursor(file);
  const letters = String.fromCharCode(...(await cursor.take(0, 4)));
  if (letters !== "zkey" && letters !== "ptau") {
    throw failure("the file is neither a .zkey nor a .ptau of snarkjs");
  }
  const version = await cursor.u32(4);
  if (version !== 1) throw failure(`version ${version} of .${letters}, expected 1`);
  const sections = await readSections(cursor);
  const { modulus, order, found } = await (letters === "zkey" ? zkey : ptau)(cursor, sections);
  const base = curveOf(modulus, order);
  const [, own, power] = /^([^:]*)(?::([^]*))?$/.exec(String(name));
  const wanted = found.find((section) => section.name === own);
  if (!wanted) {
    const names = found.map(({ name }) => name).join(", ");
    const what = name === undefined ? "is missing" : `"${name}" is not in the file`;
    throw failure(`section ${what}: expected one of ${names}`);
  }
  const size = (group) => CURVES.find(({ name }) => name === `${base}-${group}`).pointBytes;
  const sizes = { g1: size("g1"), g2: size("g2") };
  return {
    curve: `${base}-${wanted.group}`,
    ...place(wanted, section(sections, wanted.kind, own), sizes, power),
  };
}

/** Little-endian integers at places of a file; what lies close together is read once. */
class Cursor {
  #file;
  #start = 0;
  #window = new Uint8Array(0);

  constructor(file) {
    this.#file = file;
  }

  get length() {
    return this.#file.length;
  }

  async take(at, count) {
    if (at + count > this.length) throw failure(`the file is truncated: ${this.length} bytes`);
    if (at < this.#start || at + count > this.#start + this.#window.length) {
      this.#window = await this.#file.read(at, Math.min(this.length, at + Math.max(count, WINDOW)));
      this.#start = at;
    }
    const bytes = this.#window.subarray(at - this.#start, at - this.#start + count);
    if (bytes.length !== count) throw failure("the file became shorter while it was read");
    return bytes;
  }

  async integer(at, count) {
    return (await this.take(at, count)).reduceRight(
      (value, byte) => (value << 8n) | BigInt(byte),
      0n,
    );
  }

  async u32(at) {
    return Number(await this.integer(at, 4));
  }

  /** An integer after its number of bytes, and where it ends. */
  async prime(at) {
    const width = await this.u32(at);
    if (width % 8 !== 0 || width > 128) throw failure(`a prime of ${width} bytes in the header`);
    return { value: await this.integer(at + 4, width), end: at + 4 + width };
  }
}

async function readSections(cursor) {
  const count = await cursor.u32(8);
  if (count > MOST_SECTIONS) throw failure(`${count} sections`);
  const sections = [];
  let at = 12;
  for (let index = 0; index < count; index++) {
    const [kind, length] = [await cursor.u32(at), Number(await cursor.integer(at + 4, 8))];
    const start = at + 12;
    if (start + length > cursor.length) {
      throw failure(`the file is truncated: section ${kind} ends at ${start + length}`);
    }
    sections.push({ kind, start, length });
    at = start + length;
  }
  const left = cursor.length - at;
  if (left > 0) throw failure(`trailing bytes: ${left} after the last of ${count} sections`);
  return sections;
}

function section(sections, kind, name) {
  const [found, ...more] = sections.filter((one) => one.kind === kind);
  if (!found) throw failure(`the file has no section "${name}"`);
  if (more.length > 0) throw failure(`the file has section "${name}" twice`);
  return found;
}

const whole = (name, kind, group, count) => ({ name, kind, group, count });

async function ptau(cursor, sections) {
  const { start } = section(sections, 1, "header");
  const { value: modulus, end } = await cursor.prime(start);
  const power = await cursor.u32(end);
  if (power > MOST_POWERS) throw failure(`a power of ${power} in the header`);
  const n = 2 ** power;
  const lagrange = (name, kind, group) => ({ name, kind, group, power });
  const found = [
    whole("tau-g1", 2, "g1", 2 * n - 1),
    whole("tau-g2", 3, "g2", n),
    whole("alpha-tau-g1", 4, "g1", n),
    whole("beta-tau-g1", 5, "g1", n),
    whole("beta-g2", 6, "g2", 1),
    lagrange("lagrange-g1", 12, "g1"),
    lagrange("lagrange-g2", 13, "g2"),
    lagrange("lagrange-alpha-g1", 14, "g1"),
    lagrange("lagrange-beta-g1", 15, "g1"),
  ];
  return { modulus, found };
}

async function zkey(cursor, sections) {
  const protocol = await cursor.u32(section(sections, 1, "protocol").start);
  const header = section(sections, 2, "header").start;
  const { value: modulus, end } = await cursor.prime(header);
  const { value: order, end: counts } = await cursor.prime(end);
  const [variables, publics, domain] = [
    await cursor.u32(counts),
    await cursor.u32(counts + 4),
    await cursor.u32(counts + 8),
  ];
  if (protocol === 2) return { modulus, order, found: [whole("tau-g1", 14, "g1", domain + 6)] };
  if (protocol === 10)
    return { modulus, order, found: [whole("tau-g1", 16, "g1", 9 * domain + 18)] };
  if (protocol !== 1)
    throw failure(`protocol ${protocol}, expected 1 (Groth16), 2 (PLONK) or 10 (FFLONK)`);
  if (publics >= variables)
    throw failure(`${publics} public of ${variables} variables in the header`);
  // One point after so many of both groups.
  const single = (name, group, g1, g2) => ({
    name,
    kind: 2,
    group,
    after: { bytes: counts + 12 - header, g1, g2 },
  });
  const found = [
    whole("a", 5, "g1", variables),
    whole("b1", 6, "g1", variables),
    whole("b2", 7, "g2", variables),
    whole("c", 8, "g1", variables - publics - 1),
    whole("h", 9, "g1", domain),
    whole("ic", 3, "g1", publics + 1),
    single("alpha-g1", "g1", 0, 0),
    single("beta-g1", "g1", 1, 0),
    single("beta-g2", "g2", 2, 0),
    single("gamma-g2", "g2", 2, 1),
    single("delta-g1", "g1", 2, 2),
    single("delta-g2", "g2", 3, 2),
  ];
  return { modulus, order, found };
}

/** Where the points of a section are, and how many; `power` selects one of the Lagrange bases. */
function place(wanted, { kind, start, length }, sizes, power) {
  const { name, group, count, after, power: largest } = wanted;
  const size = sizes[group];
  if (power !== undefined && largest === undefined) {
    throw failure(`section "${name}" is not one for each power`);
  }
  if (after) {
    const at = after.bytes + after.g1 * sizes.g1 + after.g2 * sizes.g2;
    if (at + size > length) throw failure(`the file is truncated: no "${name}" in the header`);
    return { start: start + at, count: 1, bytes: size };
  }
  if (largest === undefined) {
    if (count * size !== length) {
      throw failure(`section "${name}" has ${length} bytes, expected ${count}·${size}`);
    }
    return { start, count, bytes: length };
  }
  // Those of tau in G1 may have one power more than the others.
  const last = [largest, ...(kind === 12 ? [largest + 1] : [])].find(
    (last) => (2 ** (last + 1) - 1) * size === length,
  );
  if (last === undefined) throw failure(`${length} bytes in section "${name}"`);
  if (power !== undefined && !/^\d+$/.test(power)) {
    throw failure(`"${power}" is no power of a section: expected 0, 1 …`);
  }
  const own = power === undefined ? largest : Number(power);
  if (own > last) {
    throw failure(`no basis of 2^${power} points in section "${name}": the last one has 2^${last}`);
  }
  return { start: start + (2 ** own - 1) * size, count: 2 ** own, bytes: 2 ** own * size };
}

/** The pairing whose base field has this modulus; its order must be that of the file, which a .ptau
 * does not have. */
function curveOf(modulus, order) {
  const facts = (base) => CURVES.find(({ name }) => name === `${base}-g1`);
  const found = ["bn254", "bls12-381"].find((base) => BigInt(facts(base).modulus) === modulus);
  if (!found) throw failure("the file's field is neither that of bn254 nor of bls12-381");
  if (order !== undefined && BigInt(facts(found).order) !== order) {
    throw failure(`the file's scalars are not those of ${found}`);
  }
  return found;
}
