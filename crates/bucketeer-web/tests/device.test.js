// Which device one gets, and that a fallback is announced.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { blank, openBrowser, without } from "./browser.js";

let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser?.close());

for (const [what, text] of [
  ["webgpu", /no device webgpu: this browser has no WebGPU/],
  ["adapter", /no device webgpu: the browser has WebGPU and offers no adapter/],
]) {
  test(`without ${what}, auto falls back and says so, webgpu is an exception`, async () => {
    const page = await without(await blank(browser), what);
    const { device, result, refused } = await page.evaluate(async () => {
      const { Bucketeer } = await import("/index.js");
      const auto = await Bucketeer.create();
      const bases = await auto.generate("bn254", 3);
      const refused = await Bucketeer.create({ device: "webgpu" }).catch(({ name, message }) => ({
        name,
        message,
      }));
      return { device: auto.device, result: (await bases.msmOf()).device, refused };
    });
    assert.deepEqual([device.kind, device.fallback], ["cpu", true]);
    assert.match(device.reason, text);
    assert.deepEqual(result, device);
    assert.equal(refused.name, "NotSupportedError");
    assert.match(refused.message, text);
  });
}

test("a requested CPU is not a fallback", async () => {
  const page = await blank(browser);
  const device = await page.evaluate(async () => {
    const { Bucketeer } = await import("/index.js");
    return (await Bucketeer.create({ device: "cpu" })).device;
  });
  assert.deepEqual([device.kind, device.fallback, device.reason], ["cpu", false, undefined]);
});

test("the page shows the fallback", async () => {
  const page = await without(await browser.page(), "webgpu");
  await page.goto(`${browser.origin}/page/`);
  await page.getByText("Ready.").waitFor();
  assert.match(
    await page.locator("#fallback").innerText(),
    /WebGPU is not used: .*this browser has no WebGPU/,
  );
});
