import { computeMsmOn } from "./compute_msm.js";

// The harness's scalars are integers below 2^253, more than the group order: they are taken as they
// are, so that the sum is right wherever on the curve the points lie.
export const compute_msm = computeMsmOn("ed-on-bls12-377", { anyPoint: true });
