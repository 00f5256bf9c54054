// `bucketeer prove` between circom and snarkjs: proofs that `snarkjs groth16 verify` accepts, on
// both curves, and files that it must refuse.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import * as lib from "snarkjs";
import { bucketeer, compile, snarkjs } from "./snarkjs.js";

const INPUT = { start: "7", step: ["11", "1234567890123456789"] };

for (const { prime, curve, name } of [
    { prime: "bn128", curve: "bn128", name: "bn254" },
    { prime: "bls12381", curve: "bls12-381", name: "bls12-381" },
]) {
    describe(`proofs on ${name}`, () => {
        const folder = mkdtempSync(join(tmpdir(), "bucketeer-groth16-"));
        const path = (file) => join(folder, file);
        const [zkey, wtns, vk] = ["circuit.zkey", "witness.wtns", "vk.json"].map(path);
        const [proof, pub] = ["proof.json", "public.json"].map(path);

        before(async () => {
            const { r1cs, wasm } = compile("chain", prime, folder);
            const field = await lib.curves.getCurveFromName(curve);
            await lib.powersOfTau.newAccumulator(field, 8, path("0.ptau"));
            await lib.powersOfTau.contribute(path("0.ptau"), path("1.ptau"), "test", "entropy 1");
            await lib.powersOfTau.preparePhase2(path("1.ptau"), path("2.ptau"));
            await lib.zKey.newZKey(r1cs, path("2.ptau"), path("0.zkey"));
            await lib.zKey.contribute(path("0.zkey"), zkey, "test", "entropy 2");
            writeFileSync(vk, JSON.stringify(await lib.zKey.exportVerificationKey(zkey)));
            await lib.wtns.calculate(INPUT, wasm, wtns);
            await field.terminate();
        });
        after(() => rmSync(folder, { recursive: true }));

        it("is accepted by snarkjs groth16 verify", () => {
            const { status, stdout, stderr } = bucketeer("prove", zkey, wtns, proof, pub, "--json");
            assert.equal(status, 0, stderr);
            const answer = JSON.parse(stdout);
            assert.deepEqual([answer.curve, answer.verified, answer.public], [name, true, 3]);
            assert.match(snarkjs("groth16", "verify", vk, pub, proof), /OK!/);
            // snarkjs' own proof of the witness has the same form and public signals.
            const [ownProof, ownPublic] = ["own-proof.json", "own-public.json"].map(path);
            snarkjs("groth16", "prove", zkey, wtns, ownProof, ownPublic);
            const text = (file) => readFileSync(file, "utf8").trimEnd();
            assert.equal(text(pub), text(ownPublic));
            const shape = (file) => text(file).replace(/"\d{9,}"/g, '"#"');
            assert.equal(shape(proof), shape(ownProof));
        });

        it("is refused for other public signals", () => {
            const signals = JSON.parse(readFileSync(pub, "utf8"));
            signals[1] = "12";
            writeFileSync(path("other.json"), JSON.stringify(signals));
            assert.throws(() => snarkjs("groth16", "verify", vk, path("other.json"), proof));
        });

        /** A changed copy of a file must be refused, with this message and without output. */
        function refuses(file, change, message) {
            const bytes = readFileSync(file);
            const bad = path("bad");
            writeFileSync(bad, change(bytes) ?? bytes);
            const files = file === zkey ? [bad, wtns] : [zkey, bad];
            const [badProof, badPublic] = ["bad-proof.json", "bad-public.json"].map(path);
            const { status, stdout, stderr } = bucketeer("prove", ...files, badProof, badPublic);
            assert.deepEqual([status, stdout], [2, ""], stderr);
            assert.match(stderr, message);
            assert.ok(!existsSync(badProof) && !existsSync(badPublic));
            rmSync(bad);
            assert.deepEqual(readdirSync(folder).filter((name) => name.startsWith(".")), []);
        }

        it("is not made of a witness that does not satisfy the circuit", () => {
            const message = /bad: the witness does not satisfy the circuit/;
            refuses(wtns, (bytes) => { bytes[bytes.length - 40] ^= 1; }, message);
        });

        it("is not made of bad files", () => {
            refuses(zkey, (bytes) => bytes.subarray(0, bytes.length / 2), /bad: truncated/);
            refuses(wtns, (bytes) => bytes.subarray(0, bytes.length - 1), /bad: truncated/);
            refuses(zkey, () => Buffer.alloc(0), /bad: the file is empty/);
            refuses(zkey, () => readFileSync(wtns), /bad: not a .zkey file/);
            refuses(wtns, () => readFileSync(zkey), /bad: not a .wtns file/);
            // The last bytes of the file are hashes of contributions; points of B are before them.
            const point = /bad: section "\w+": point \d+: (not on the curve|. is not below)/;
            refuses(zkey, (bytes) => { bytes[bytes.length - 4096] ^= 1; }, point);
        });
    });
}
