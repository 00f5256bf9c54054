// The tests' own arithmetic, held to what defines a group.

import assert from "node:assert/strict";
import { test } from "node:test";

import * as reference from "./reference.js";

for (const name of ["bls12_377", "edwardsBls12", "bandersnatch", "bn254"]) {
  test(`the reference's ${name} is a group of its order`, () => {
    const curve = reference[name];
    const [a, b, c] = curve.points(3, reference.generator(7));
    assert.deepEqual(curve.add(curve.add(a, b), c), curve.add(a, curve.add(b, c)));
    assert.deepEqual(curve.add(a, curve.zero), a);
    assert.deepEqual(curve.times(curve.order, a), curve.zero);
    assert.deepEqual(curve.times(5n, a), curve.add(a, curve.add(curve.add(a, a), curve.add(a, a))));
    assert.notDeepEqual(curve.times(curve.order - 1n, a), curve.zero);
  });
}
