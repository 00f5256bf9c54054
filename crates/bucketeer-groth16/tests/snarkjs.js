// Circuits compiled by circom, set up, witnessed and verified by snarkjs.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cli = join(root, "node_modules/snarkjs/build/cli.cjs");
const circom = join(root, "node_modules/circom2/cli.js");
const bucketeerPath = process.env.BUCKETEER ?? join(root, "../../target/debug/bucketeer");

/** Runs snarkjs and returns its output; throws if it fails. */
export function snarkjs(...args) {
    return execFileSync("node", [cli, ...args], { encoding: "utf8" });
}

/** Runs bucketeer and returns exit code and output. */
export function bucketeer(...args) {
    const { status, stdout, stderr } = spawnSync(bucketeerPath, args, { encoding: "utf8" });
    return { status, stdout, stderr };
}

/** Compiles a circuit for a prime of circom's; returns the paths of its files. */
export function compile(name, prime, folder) {
    mkdirSync(folder, { recursive: true });
    const source = join("tests/circuits", `${name}.circom`);
    const args = [circom, source, "--r1cs", "--wasm", "--prime", prime, "-o", folder];
    execFileSync("node", args, { cwd: root, stdio: "pipe" });
    return { r1cs: join(folder, `${name}.r1cs`), wasm: join(folder, `${name}_js/${name}.wasm`) };
}
