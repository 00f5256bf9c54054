// How fast this machine's devices are, beside those that the cost model's rates are of. Some
// milliseconds, when a device is opened; runs correct it afterwards (`routes.js`).

/** What the CPU is measured with: enough bases for buckets, few enough for a millisecond or two. */
const CURVE = "bn254-g1";
const BASES = 256;
/** Milliseconds of all CPU runs together. The engine's faster code comes in meanwhile. */
const CPU_BUDGET = 8;

/**
 * Integer products that a shader takes for one of 32 by 32 bits: 2·20² of limbs of 13 bits over
 * 2·8².
 */
const LIMB_PRODUCTS = 6.25;
/** Milliseconds of work from which the GPU's throughput is told from the time of a submission. */
const GPU_LEAST = 2;
const INVOCATIONS = 64;
const ROUNDS = 256;
const CHAINS = 4;
const MOST_GROUPS = 32768;

/** Most and least that a device is slower than its rates: what lies beyond was not measured well. */
const MOST_CPU = 64;
/** The rates are those of an H200, and a software adapter is thousands of times slower. */
const MOST_GPU = 16384;
const LEAST = 1 / 64;

/** A factor that predictions can be multiplied by; 1 where a coarse clock saw no time go by. */
export function saneFactor(factor, most) {
  return factor > 0 ? Math.min(Math.max(factor, LEAST), most) : 1;
}

const SHADER = `
@group(0) @binding(0) var<storage, read_write> sums: array<u32>;
@compute @workgroup_size(${INVOCATIONS})
fn main(@builtin(global_invocation_id) id: vec3u) {
  var a = vec4u(id.x, id.x + 1u, id.x + 2u, id.x + 3u);
  for (var i = 0u; i < ${ROUNDS}u; i++) { a = a * a + vec4u(i); }
  sums[id.x % arrayLength(&sums)] = a.x ^ a.y ^ a.z ^ a.w;
}`;

/** Time of CPU runs over the predicted one. `work(bases)` is the cost model's view of one. */
export async function cpuFactor(processor, work) {
  const resident = await processor.generate(CURVE, BASES, 1n, 0, BASES);
  let least = Infinity;
  const start = performance.now();
  while (least === Infinity || performance.now() - start < CPU_BUDGET) {
    const before = performance.now();
    (await resident.msmOf("uniform", 1n, false, undefined)).free();
    least = Math.min(least, performance.now() - before);
  }
  resident.free();
  const one = work(BASES);
  const predicted = one.nanoseconds(CURVE);
  one.free();
  return saneFactor((1e6 * least) / predicted, MOST_CPU);
}

/**
 * Time of a GPU's products over that of the rates, whose product takes `product` nanoseconds, and
 * the milliseconds of an empty submission.
 */
export async function gpuFactor(product) {
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: "high-performance" });
  const device = await adapter.requestDevice();
  try {
    const run = await submission(device);
    await run(1);
    const overhead = Math.min(await run(1), await run(1));
    let groups = 1;
    let time = overhead;
    while (time - overhead < GPU_LEAST && groups < MOST_GROUPS) {
      groups = Math.min(MOST_GROUPS, 8 * groups);
      time = await run(groups);
    }
    const products = groups * INVOCATIONS * ROUNDS * CHAINS;
    const each = (1e6 * Math.max(time - overhead, 0)) / products;
    return { factor: saneFactor((LIMB_PRODUCTS * each) / product, MOST_GPU), overhead };
  } finally {
    device.destroy();
  }
}

/** A function that runs some workgroups and returns the milliseconds it took. */
async function submission(device) {
  const module = device.createShaderModule({ code: SHADER });
  const pipeline = await device.createComputePipelineAsync({
    layout: "auto",
    compute: { module, entryPoint: "main" },
  });
  const buffer = device.createBuffer({ size: 4 * 1024, usage: GPUBufferUsage.STORAGE });
  const entries = [{ binding: 0, resource: { buffer } }];
  const bindings = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
  return async (groups) => {
    const start = performance.now();
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bindings);
    pass.dispatchWorkgroups(groups);
    pass.end();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    return performance.now() - start;
  };
}
