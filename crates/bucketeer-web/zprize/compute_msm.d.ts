import type { DeviceInfo } from "../index.js";

/** A point of the harness; `t` and `z` of extended coordinates may be there. */
export interface BigIntPoint {
  x: bigint;
  y: bigint;
  t?: bigint;
  z?: bigint;
}

/**
 * `Σ kᵢ·Pᵢ` in the shape of the ZPrize WebGPU harness. Bytes are little-endian and not in
 * Montgomery form: x then y for each base, 32 bytes for each scalar. Infinity is (0, 0).
 */
export function compute_msm(
  baseAffinePoints: Uint8Array | ArrayBuffer | BigIntPoint[],
  scalars: Uint8Array | ArrayBuffer | bigint[],
): Promise<{ x: bigint; y: bigint; device: DeviceInfo }>;
