// Which device the caller gets. There is no silent fallback from WebGPU: "webgpu" fails if
// there is none, and "auto" says that it fell back and why.

const KINDS = ["auto", "webgpu", "cpu"];

const LIMITS = [
  "maxBufferSize",
  "maxStorageBufferBindingSize",
  "maxStorageBuffersPerShaderStage",
  "maxComputeWorkgroupStorageSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupsPerDimension",
];

/** A processor of the wasm module, and its description. */
export async function openDevice(Processor, kind) {
  if (!KINDS.includes(kind)) {
    throw new RangeError(`unknown device "${kind}": expected one of ${KINDS.join(", ")}`);
  }
  if (kind === "cpu") return cpu(Processor, { fallback: false });
  try {
    return await webgpu(Processor);
  } catch (error) {
    if (kind === "webgpu") throw error;
    return cpu(Processor, { fallback: true, reason: error.message });
  }
}

function cpu(Processor, rest) {
  const processor = Processor.cpu();
  const { kind, description } = processor;
  return { processor, device: { kind, name: "WebAssembly", description, threads: 1, ...rest } };
}

async function webgpu(Processor) {
  const adapter = await requestAdapter();
  const processor = await Processor.webgpu();
  const { kind, description } = processor;
  const limits = Object.fromEntries(LIMITS.map((name) => [name, adapter.limits[name]]));
  return { processor, device: { kind, name: nameOf(adapter), description, limits, fallback: false } };
}

async function requestAdapter() {
  if (!globalThis.navigator?.gpu) {
    throw unsupported("this browser has no WebGPU, or the page is not from a secure origin");
  }
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) throw unsupported("the browser has WebGPU and offers no adapter");
  return adapter;
}

/** Browsers differ in how much they tell. */
function nameOf({ info }) {
  const { description, device, architecture, vendor } = info ?? {};
  return description || [vendor, device || architecture].filter(Boolean).join(" ") || "WebGPU adapter";
}

function unsupported(reason) {
  const error = new Error(`no device webgpu: ${reason}`);
  error.name = "NotSupportedError";
  return error;
}
