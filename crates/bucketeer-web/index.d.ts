/** What MSMs run on. */
export interface DeviceInfo {
  kind: "webgpu" | "cpu";
  /** The adapter's name as far as the browser tells it, or `WebAssembly`. */
  name: string;
  /** The device in the library's words. */
  description: string;
  /** Threads that an MSM uses; CPU only. */
  threads?: number;
  /** Limits of the adapter; WebGPU only. */
  limits?: Record<string, number>;
  /** Whether `auto` took the CPU because WebGPU could not be used. */
  fallback: boolean;
  /** Why it did. */
  reason?: string;
}

/** A coordinate: over a quadratic extension (G2) its two components. */
export type Coordinate = bigint | [bigint, bigint];

/** An affine point, or extended coordinates of one; `null` is infinity on a Weierstrass curve. */
export type Point = { x: Coordinate; y: Coordinate; t?: bigint; z?: bigint } | null;

/**
 * How the bytes of a component are an integer. `montgomery`: little-endian, times a power of two,
 * as ffjavascript and snarkjs have points.
 */
export type Form = "little-endian" | "big-endian" | "montgomery";

/** Integers as bytes, in a form that the call names; or numbers one by one. */
export type BasesInput = Uint8Array | ArrayBuffer | Point[];
export type ScalarsInput = Uint8Array | ArrayBuffer | bigint[];

/** A file that is read by range: what it holds in memory is one section at most. */
export type FileInput = Blob | URL | string | ArrayBuffer | Uint8Array;

export interface CheckOptions {
  /** Whether points are checked to lie in the prime-order subgroup. Default true. */
  check?: boolean;
  /** Right for every point of the curve, in the subgroup or not; slower. Default false. */
  anyPoint?: boolean;
  /** Every run verifies its sums by a second computation, which doubles its time. Default false. */
  verify?: boolean;
  /** Called as points are read, checked and converted, each a third of loading them. */
  onProgress?: (progress: { done: number; total: number }) => void;
  /** Stops the load; the promise is rejected with the signal's reason. */
  signal?: AbortSignal;
}

export interface LoadOptions extends CheckOptions {
  /** How bytes are coordinates. Default `little-endian`. */
  form?: Form;
}

export interface FileOptions extends CheckOptions {
  /**
   * The points to load. Of a .zkey: a, b1, b2, c, h, ic, alpha-g1, beta-g1, beta-g2, gamma-g2,
   * delta-g1, delta-g2; of PLONK and FFLONK tau-g1. Of a .ptau: tau-g1, tau-g2, alpha-tau-g1,
   * beta-tau-g1, beta-g2, lagrange-g1, lagrange-g2, lagrange-alpha-g1, lagrange-beta-g1;
   * `lagrange-g1:10` is the basis of 2^10.
   */
  section: string;
  /** How many of them, from the first. Default all. */
  n?: number;
}

export interface ScalarOptions {
  /** How bytes are scalars. Default `little-endian`. */
  scalarForm?: Form;
}

export interface RunOptions {
  /** Called about a hundred times during a run. */
  onProgress?: (progress: { done: number; total: number }) => void;
  /** Stops the run; the promise is rejected with the signal's reason. */
  signal?: AbortSignal;
}

export interface DrawOptions {
  /** One of `distributions()`. Default `uniform`. */
  distribution?: string;
  seed?: number | bigint;
}

export interface Sum {
  /** `null` at infinity. */
  x: Coordinate | null;
  y: Coordinate | null;
  infinity: boolean;
}

/** How a device was chosen, where there are two. Times are milliseconds. */
export interface Choice {
  device: "webgpu" | "cpu";
  /** The time that each was predicted to take. */
  predicted: Record<"webgpu" | "cpu", number>;
  /** What each was charged for getting ready: bases to load, shaders to compile. */
  setup: Record<"webgpu" | "cpu", number>;
  /** The same in words. */
  reason: string;
}

export interface BatchResult {
  /** One for each vector of scalars. */
  sums: Sum[];
  /** Milliseconds in all, without the wait for earlier calls. */
  milliseconds: number;
  device: DeviceInfo;
  choice?: Choice;
}

export interface Result extends Sum {
  /** Milliseconds of each stage. */
  timings: Record<
    "compile" | "load" | "decompose" | "group" | "accumulate" | "reduce" | "combine",
    number
  >;
  /** Milliseconds in all, without the wait for earlier calls; of several workers the slowest counts. */
  milliseconds: number;
  /** The plan carried out, in words. */
  plan: string;
  /** What it was computed on. */
  device: DeviceInfo;
  /** Why, where `auto` had two devices. */
  choice?: Choice;
}

export interface CurveInfo {
  name: string;
  alias?: string;
  /** The wasm module that a CPU computes with. */
  module: string;
  /** Bytes of a point. */
  pointBytes: number;
  /** Bytes of one component of a coordinate. */
  componentBytes: number;
  /** Components of a coordinate: 1, or 2 over a quadratic extension. */
  components: 1 | 2;
  /** Bytes of a scalar; 32 are accepted by every curve. */
  scalarBytes: number;
  /** Whether the neutral element is the point (0, 1). */
  edwards: boolean;
  modulus: bigint;
  order: bigint;
}

/** Bases on a device, ready for any number of MSMs. */
export interface Bases {
  /** The curve's full name. */
  readonly curve: string;
  /** With `auto` the device that they were loaded onto first. */
  readonly device: DeviceInfo;
  /** The plan for one MSM, in words. */
  readonly plan: string;
  /** Milliseconds it took to make and load them. */
  readonly milliseconds: number;
  msm(scalars: ScalarsInput, options?: RunOptions & ScalarOptions): Promise<Result>;
  /** The sums for several vectors of scalars, one for every base each, in one run. */
  msmBatch(
    vectors: ScalarsInput[],
    options?: ScalarOptions & { signal?: AbortSignal },
  ): Promise<BatchResult>;
  /** The sum for scalars drawn from a seed. */
  msmOf(options?: DrawOptions & RunOptions): Promise<Result>;
  /** What `msmOf` must yield on generated bases, computed from their logarithms. */
  expected(options?: DrawOptions): Promise<Sum>;
  free(): void;
}

/** A row group of the conformance table on one curve. */
export interface Row {
  curve: string;
  group: string;
  passed: number;
  failed: string[];
}

export class Bucketeer {
  private constructor();
  /**
   * Opens a device. `webgpu` fails where there is none; `auto` (default) takes the CPU then and
   * says so in `device.fallback` and `device.reason`. Where there is one, `auto` uses both: every
   * call goes to the device that is predicted to end first, and its result has `device` and
   * `choice`. Work is done in workers unless `worker` is false. On the CPU each has a share of the
   * bases: as many as there are processors, or `threads`, from 1 to 256.
   *
   * An error named `WorkerError` says that a worker or its module is gone: make a new Bucketeer.
   */
  static create(options?: {
    device?: "auto" | "webgpu" | "cpu";
    worker?: boolean;
    threads?: number;
  }): Promise<Bucketeer>;
  readonly device: DeviceInfo;
  curves(): string[];
  distributions(): string[];
  curve(name: string): Promise<CurveInfo>;
  loadBases(curve: string, bases: BasesInput, options?: LoadOptions): Promise<Bases>;
  /** Loads a section of a .zkey or .ptau of snarkjs; the server of an address must send ranges. */
  loadFile(file: FileInput, options: FileOptions): Promise<Bases>;
  /** Makes `n` bases with known logarithms from a seed. */
  generate(curve: string, n: number, options?: { seed?: number | bigint }): Promise<Bases>;
  /** One MSM over bases that are not kept. The progress is that of the run. */
  msm(
    curve: string,
    bases: BasesInput,
    scalars: ScalarsInput,
    options?: LoadOptions & ScalarOptions & RunOptions,
  ): Promise<Result>;
  /** Runs the conformance table on this device. */
  conformance(options?: { curve?: string; quick?: boolean; onRow?: (row: Row) => void }): Promise<{
    passed: number;
    failed: number;
  }>;
  /** Bytes of WebAssembly memory of all workers. It is used again, and returned by `close`. */
  memory(): Promise<number>;
  /** Ends the workers and frees everything. */
  close(): void;
}
