// The page, used as a visitor would.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";

import { openBrowser, without } from "./browser.js";

const expected = JSON.parse(await readFile(new URL("expected.json", import.meta.url)));

let browser;
let page;
before(async () => {
  browser = await openBrowser();
  page = await browser.page();
  await page.goto(`${browser.origin}/page/`);
  await page.getByText("Ready.").waitFor();
  await page.getByText("CPU", { exact: true }).click();
});
after(() => browser?.close());

const size = (log) => page.locator("#size").fill(String(log));
const status = (text) => page.locator("#status", { hasText: text }).waitFor();

test("a run shows arkworks' sum, its stages and its throughput", async () => {
  await page.selectOption("#curve", "bls12-381-g1");
  await size(8);
  assert.match(await page.locator("#size-text").innerText(), /2⁸ = 256/);
  await page.click("#run");
  await status("Done.");
  const shown = [await page.locator("#x").innerText(), await page.locator("#y").innerText()];
  assert.deepEqual(shown, expected.uniform["bls12-381-g1"]);
  assert.match(await page.locator("#time").innerText(), /^[\d.]+ (ms|s)$/);
  assert.match(await page.locator("#throughput").innerText(), /^[\d.]+( k| M)?$/);
  const stages = await page
    .locator("#bars .bar")
    .evaluateAll((bars) => bars.map((bar) => bar.dataset.stage));
  assert.deepEqual(stages.slice(-5), ["decompose", "group", "accumulate", "reduce", "combine"]);
  assert.match(await page.locator("#plan").textContent(), /^bases +256 in 1 chunk/);
});

test("the check runs the CPU engine and says that it agrees", async () => {
  await page.click("#check");
  await page.locator("#verdict", { hasText: "the same sum" }).waitFor();
});

test("the check notices another sum", async () => {
  const wrong = await browser.page();
  // The second sum of a worker is the check's; its lowest bit is flipped.
  await wrong.route("**/js/worker.js", async (route) => {
    const response = await route.fetch();
    const flip = "if (data.result?.figures && sums++ === 1) data.result.x[0] ^= 1;";
    const post = `let sums = 0; const send = postMessage; globalThis.postMessage = (data) => { ${flip} send(data); };`;
    await route.fulfill({ response, body: post + (await response.text()) });
  });
  await wrong.goto(`${browser.origin}/page/`);
  await wrong.getByText("Ready.").waitFor();
  await wrong.getByText("CPU", { exact: true }).click();
  await wrong.locator("#size").fill("8");
  await wrong.click("#run");
  await wrong.locator("#status", { hasText: "Done." }).waitFor();
  await wrong.click("#check");
  await wrong.locator("#verdict.bad", { hasText: "another sum" }).waitFor();
  await wrong.close();
});

test("other scalars and an Edwards curve", async () => {
  await page.selectOption("#curve", "ed-on-bls12-377");
  await page.selectOption("#distribution", "skewed");
  await page.click("#run");
  await status("Done.");
  const shown = [await page.locator("#x").innerText(), await page.locator("#y").innerText()];
  assert.deepEqual(shown, expected.skewed["ed-on-bls12-377"]);
});

test("all-zero scalars give infinity", async () => {
  await page.selectOption("#curve", "pallas");
  await page.selectOption("#distribution", "zero");
  await page.click("#run");
  await status("Done.");
  assert.equal(await page.locator("#x").innerText(), "infinity");
});

test("a sweep draws one point for each size", async () => {
  await page.selectOption("#curve", "bn254-g1");
  await page.selectOption("#distribution", "uniform");
  await size(11);
  await page.click("#sweep");
  await status("Done: 2⁸ to 2¹¹");
  const titles = await page
    .locator("#plot circle title")
    .evaluateAll((all) => all.map((title) => title.textContent));
  const own = titles.filter((title) => title.startsWith("bn254-g1, Uniform, CPU"));
  assert.deepEqual(
    own.map((title) => title.match(/2[⁰¹²³⁴⁵⁶⁷⁸⁹]+/)[0]),
    ["2⁸", "2⁹", "2¹⁰", "2¹¹"],
  );
});

test("engines are compared, those that are missing say so, and a link shows the same", async () => {
  const lone = await without(await browser.page(), "webgpu");
  await lone.route("**/peers/**", (route) => route.fulfill({ status: 404 }));
  await lone.goto(`${browser.origin}/page/`);
  await lone.getByText("Ready.").waitFor();
  await lone.selectOption("#curve", "bn254-g1");
  await lone.locator("#size").fill("8");
  await lone.click("#compare");
  await lone.locator("#status", { hasText: "Done." }).waitFor();
  const rows = (of) =>
    of.locator("#comparison tr").evaluateAll((rows) => rows.map((row) => row.textContent));
  const shown = await rows(lone);
  assert.match(shown[0], /^CPUcpu, \d+ threads?, SIMD128.*[\d.]+ (ms|µs|s)$/);
  assert.match(shown[1], /^WebGPUno device webgpu: .*not run$/);
  assert.match(shown[2], /^ffjavascriptit is not installed: .*not run$/);
  await lone.click("#link");
  const link = lone.url();
  assert.match(link, /#result=[\w-]+$/);
  const other = await browser.page();
  await other.goto(link);
  await other.locator("#comparison tr").first().waitFor();
  assert.deepEqual(await rows(other), shown);
  await other.goto(`${browser.origin}/page/?2#result=bm9uc2Vuc2U`);
  await other.getByText("Ready.").waitFor();
  assert.equal(await other.locator("#comparison").isVisible(), false);
  await other.close();
  await lone.close();
});

test("ffjavascript computes the same sums as the CPU, on the curves that it has", async () => {
  const lone = await without(await browser.page(), "webgpu");
  await lone.goto(`${browser.origin}/page/`);
  await lone.getByText("Ready.").waitFor();
  // Sums that differ are an error.
  for (const [curve, theirs] of [
    ["bn254-g1", /^ffjavascript\d+ threads?, bn128.*[\d.]+ (ms|µs|s)/],
    ["bls12-381-g2", /^ffjavascript\d+ threads?, bls12381.*[\d.]+ (ms|µs|s)/],
    ["pallas", /^ffjavascriptit has no pallas.*not run$/],
  ]) {
    await lone.selectOption("#curve", curve);
    await lone.locator("#size").fill("8");
    await lone.click("#compare");
    const rows = lone.locator("#comparison tr");
    await rows.filter({ hasText: theirs }).waitFor();
    await lone.locator("#status", { hasText: "Done." }).waitFor();
    assert.match(await rows.first().textContent(), /^CPUcpu, .*[\d.]+ (ms|µs|s)/);
  }
  await lone.close();
});

test("a run can be stopped, and the page stays usable", async () => {
  await page.selectOption("#curve", "bls12-377-g1");
  await size(16);
  // Clicked in the page, as soon as it computes: a click from here may come after the sum.
  await page.evaluate(() => {
    const [status, stop] = ["status", "stop"].map((id) => document.getElementById(id));
    const clicking = new MutationObserver(() => {
      if (!status.textContent.startsWith("Computing on")) return;
      clicking.disconnect();
      stop.click();
    });
    clicking.observe(status, { childList: true });
  });
  await page.click("#run");
  await status("Stopped.");
  await size(8);
  await page.click("#run");
  await status("Done.");
});
