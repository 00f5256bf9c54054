// Alternating runs of two provers on the same files; see ../bench.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join } from "node:path";
import { root, snarkjs } from "./snarkjs.js";

const [tool, folder, curve, power, repeat] = process.argv.slice(2);
const file = (name) => join(folder, name);
const [zkey, wtns, vk] = ["circuit.zkey", "witness.wtns", "vk.json"].map(file);
const outputs = (prover) => [file(`${prover}-proof.json`), file(`${prover}-public.json`)];

const provers = {
    bucketeer() {
        const args = ["prove", zkey, wtns, ...outputs("bucketeer"), "--device", "cpu", "--json"];
        return JSON.parse(execFileSync(tool, args, { encoding: "utf8" })).stages;
    },
    snarkjs() {
        snarkjs("groth16", "prove", zkey, wtns, ...outputs("snarkjs"));
        return {};
    },
};

snarkjs("zkey", "export", "verificationkey", zkey, vk);
const samples = { bucketeer: [], snarkjs: [] };
let stages = {};
for (let round = 0; round < Number(repeat); round++) {
    for (const [name, prove] of Object.entries(provers)) {
        const start = performance.now();
        const found = prove();
        samples[name].push((performance.now() - start) / 1000);
        if (name === "bucketeer") stages = found;
        const [proof, pub] = outputs(name);
        snarkjs("groth16", "verify", vk, pub, proof);
    }
}
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const medians = { bucketeer: median(samples.bucketeer), snarkjs: median(samples.snarkjs) };
const ratio = medians.snarkjs / medians.bucketeer;
const version = JSON.parse(readFileSync(join(root, "node_modules/snarkjs/package.json"))).version;
console.log(JSON.stringify({
    curve,
    domain: 2 ** Number(power),
    cores: availableParallelism(),
    processor: cpus()[0]?.model,
    snarkjs: version,
    seconds: samples,
    medians,
    ratio,
    stages,
}));
const seconds = (value) => `${value.toFixed(3)} s`;
process.stderr.write(`${curve} 2^${power}: bucketeer ${seconds(medians.bucketeer)}, ` +
    `snarkjs ${version} ${seconds(medians.snarkjs)}, ratio ${ratio.toFixed(1)}\n`);
