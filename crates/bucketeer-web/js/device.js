// Which device the caller gets. There is no silent fallback from WebGPU: "webgpu" fails if
// there is none, and "auto" says that it fell back and why.

import { CPU } from "../pkg/curves.js";
import { named } from "./failure.js";

const KINDS = ["auto", "webgpu", "cpu"];

const LIMITS = [
  "maxBufferSize",
  "maxStorageBufferBindingSize",
  "maxStorageBuffersPerShaderStage",
  "maxComputeWorkgroupStorageSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupsPerDimension",
];

/** The description of a device, and its processor if it is a GPU: `full` gives its module. */
export async function openDevice(full, kind) {
  if (!KINDS.includes(kind)) {
    throw new RangeError(`unknown device "${kind}": expected one of ${KINDS.join(", ")}`);
  }
  if (kind === "cpu") return { device: cpu({ fallback: false }) };
  try {
    return await webgpu(full);
  } catch (error) {
    if (kind === "webgpu") throw error;
    return { device: cpu({ fallback: true, reason: error.message }) };
  }
}

function cpu(rest) {
  return { kind: "cpu", name: "WebAssembly", description: CPU, threads: 1, ...rest };
}

async function webgpu(full) {
  const adapter = await requestAdapter();
  const { Processor } = await full();
  const gpu = await Processor.webgpu();
  const { kind, description } = gpu;
  const limits = Object.fromEntries(LIMITS.map((name) => [name, adapter.limits[name]]));
  return { gpu, device: { kind, name: nameOf(adapter), description, limits, fallback: false } };
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
  return (
    description || [vendor, device || architecture].filter(Boolean).join(" ") || "WebGPU adapter"
  );
}

function unsupported(reason) {
  return named("NotSupportedError", `no device webgpu: ${reason}`);
}
