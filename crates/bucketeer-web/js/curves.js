// The curves by name, without a wasm module. Names of other projects are those the library knows.

import { CURVES } from "../pkg/curves.js";
import { failure } from "./failure.js";

const BN254 = /^(bn128|bn256|altbn128)/;
const canonical = (name) => name.toLowerCase().replace(/[-_]/g, "").replace(BN254, "bn254");

/** The full names of all curves. */
export const curveNames = () => CURVES.map(({ name }) => name);

/** Sizes, modulus and order of the curve with this name or alias, and the module that has it. */
export function factsOf(name) {
  const wanted = canonical(String(name));
  const found = CURVES.find(({ name, alias }) =>
    [name, alias].some((own) => own && canonical(own) === wanted),
  );
  if (!found) {
    const names = CURVES.map(({ name, alias }) => alias ?? name).join(", ");
    throw failure(`unknown curve "${name}": expected one of ${names}`);
  }
  return { ...found, modulus: BigInt(found.modulus), order: BigInt(found.order) };
}
