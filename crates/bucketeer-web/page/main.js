// The page: reads the settings, has MSMs computed in a worker, shows the results.

import { bars } from "./bars.js";
import { compare } from "./compare.js";
import { basesOn, open } from "./devices.js";
import { bytes, coordinate, count, digits, power, time } from "./format.js";
import { Plot } from "./plot.js";
import { asFile, linkOf, resultOf, shared } from "./share.js";
import { showComparison } from "./table.js";

const SEED = 1;
const SWEEP_FROM = 8;

/** What kinds of scalars are, for people. */
const KINDS = {
  uniform: "Uniform",
  zero: "All zero",
  one: "All one",
  "minus-one": "All r − 1",
  equal: "All equal",
  "few-bits": "Five bits",
  top: "Top bits only",
  skewed: "Witness: 0, 1, 64 bits",
  "mostly-zero": "Nine of ten zero",
};

const $ = (id) => document.getElementById(id);
const plot = new Plot($("plot"));
let last = null;
let comparison = null;
let stopping = null;

function settings() {
  const device = document.querySelector("input[name=device]:checked").value;
  return {
    curve: $("curve").value,
    distribution: $("distribution").value,
    log: Number($("size").value),
    device,
  };
}

function say(text, bad = false) {
  $("status").textContent = text;
  $("status").classList.toggle("bad", bad);
}

/** Runs something that can be stopped, with the controls out of reach. */
async function busy(work) {
  stopping = new AbortController();
  const idle = [...document.querySelectorAll("#run, #sweep, #compare, #check, select, input")];
  idle.forEach((control) => (control.disabled = true));
  $("stop").hidden = false;
  try {
    await work(stopping.signal);
  } catch (error) {
    say(stopping.signal.aborted ? "Stopped." : error.message, !stopping.signal.aborted);
  } finally {
    idle.forEach((control) => (control.disabled = false));
    $("stop").hidden = true;
    $("progress").value = 0;
  }
}

/** One MSM on the device chosen, and its check from the logarithms. */
async function compute({ curve, distribution, log, device: kind }, signal) {
  const n = 2 ** log;
  say("Opening the device…");
  const device = await open(kind);
  if (kind !== "auto") show(device.bucketeer.device);
  say(`Making ${digits(n)} bases…`);
  const bases = await basesOn(device, curve, n, SEED);
  signal.throwIfAborted();
  say(`Computing on ${digits(n)} bases…`);
  const onProgress = ({ done, total }) => ($("progress").value = done / total);
  const drawn = { distribution, seed: SEED };
  const result = await bases.msmOf({ ...drawn, onProgress, signal });
  const expected = await bases.expected(drawn);
  if (!same(result, expected)) {
    throw new Error("wrong result: the logarithms of the bases give another sum");
  }
  return result;
}

const same = (a, b) => String([a.x, a.y]) === String([b.x, b.y]);

function showResult(result, { curve, distribution, log }) {
  last = { result, curve, distribution, log };
  $("no-result").hidden = true;
  $("result").hidden = false;
  // Shaders are compiled once for a curve; that is shown and not counted.
  const { compile } = result.timings;
  const milliseconds = result.milliseconds - compile;
  const compiled = compile >= 1 ? `, after ${time(compile)} of compiling` : "";
  $("time").textContent = time(milliseconds);
  $("of-what").textContent = `${curve}, ${power(log)} bases${compiled}`;
  $("throughput").textContent = count((1000 * 2 ** log) / milliseconds);
  $("x").textContent = result.infinity ? "infinity" : coordinate(result.x);
  $("y").textContent = result.infinity ? "infinity" : coordinate(result.y);
  $("verdict").textContent = "";
  $("plan").textContent = result.plan;
  $("bars").replaceChildren(...bars(result.timings));
  const kind = result.device.kind === "webgpu" ? "WebGPU" : "CPU";
  show(result.device);
  if (result.choice) $("device-description").textContent += `; ${result.choice.reason}`;
  plot.add(`${curve}, ${KINDS[distribution] ?? distribution}, ${kind}`, log, milliseconds);
}

function show({ kind, name, description, limits = {}, fallback, reason, threads }) {
  const isolated = globalThis.crossOriginIsolated
    ? "isolated, so runs can be stopped at once"
    : "not isolated";
  const workers = `${threads} worker${threads === 1 ? "" : "s"}`;
  $("threads").textContent = threads ? `${workers}; the page is ${isolated}` : "";
  $("device-name").textContent = kind === "webgpu" ? name : "CPU, as WebAssembly";
  $("device-description").textContent = description;
  $("fallback").hidden = !fallback;
  $("fallback").textContent = fallback ? `WebGPU is not used: ${reason}` : "";
  const rows = Object.entries(limits).flatMap(([limit, value]) => {
    const [term, figure] = [document.createElement("dt"), document.createElement("dd")];
    term.textContent = words(limit);
    figure.textContent = limit.endsWith("Size") ? bytes(value) : digits(value);
    return [term, figure];
  });
  $("limits").replaceChildren(...rows);
}

/** `maxBufferSize` → `buffer size`. */
function words(name) {
  return name.replace(/^max/, "").replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim();
}

$("run").onclick = () =>
  busy(async (signal) => {
    const chosen = settings();
    showResult(await compute(chosen, signal), chosen);
    say("Done. The sum agrees with the logarithms of the bases.");
  });

$("sweep").onclick = () =>
  busy(async (signal) => {
    const chosen = settings();
    for (let log = SWEEP_FROM; log <= chosen.log; log++) {
      const size = { ...chosen, log };
      showResult(await compute(size, signal), size);
    }
    const sizes = `${power(SWEEP_FROM)} to ${power(chosen.log)}`;
    say(`Done: ${sizes}. All sums agree with the logarithms of the bases.`);
  });

$("check").onclick = () =>
  busy(async (signal) => {
    const { result, curve, distribution, log } = last;
    say("Computing the same on the CPU engine…");
    const bases = await basesOn(await open("cpu"), curve, 2 ** log, SEED);
    const onProgress = ({ done, total }) => ($("progress").value = done / total);
    const other = await bases.msmOf({ distribution, seed: SEED, onProgress, signal });
    const agree = same(result, other);
    $("verdict").textContent = agree
      ? `✓ the same sum in ${time(other.milliseconds)}`
      : "✗ another sum";
    $("verdict").classList.toggle("bad", !agree);
    say("");
  });

$("compare").onclick = () =>
  busy(async (signal) => {
    const { curve, log } = settings();
    const rows = [];
    const onRow = (row) => {
      rows.push(row);
      showRows({ curve, log, rows });
    };
    $("sharing").hidden = true;
    await compare({ curve, log, signal, say, onRow });
    comparison = shared({ curve, log, rows });
    $("sharing").hidden = false;
    $("shared").textContent = "";
    say("Done. All sums agree.");
  });

function showRows(result) {
  $("no-comparison").hidden = true;
  $("comparison").hidden = false;
  showComparison($("comparison"), result);
}

$("link").onclick = async () => {
  const link = linkOf(comparison);
  history.replaceState(null, "", link);
  const copied = await navigator.clipboard.writeText(link).then(() => true, () => false);
  $("shared").textContent = copied ? "Copied." : "The link is in the address bar.";
};

$("json").onclick = () =>
  asFile(comparison, `bucketeer-${comparison.curve}-${comparison.log}.json`);

const given = resultOf(location.hash);
if (given) showRows(given);

$("stop").onclick = () => stopping?.abort();

$("size").oninput = () => {
  const log = Number($("size").value);
  $("size-text").textContent = `${power(log)} = ${digits(2 ** log)}`;
};

for (const radio of document.querySelectorAll("input[name=device]")) {
  radio.onchange = () =>
    open(radio.value).then(
      ({ bucketeer }) => show(bucketeer.device),
      (error) => say(error.message, true),
    );
}

function options(select, names, label) {
  select.replaceChildren(...names.map((name) => new Option(label(name), name)));
  select.disabled = false;
}

$("size").oninput();
try {
  const { bucketeer } = await open("auto");
  show(bucketeer.device);
  options($("curve"), bucketeer.curves(), (name) => name);
  options($("distribution"), bucketeer.distributions(), (name) => KINDS[name] ?? name);
  $("run").disabled = $("sweep").disabled = $("compare").disabled = false;
  say("Ready.");
} catch (error) {
  say(error.message, true);
}
