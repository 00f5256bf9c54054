// Several workers in a browser, on pages that are cross-origin isolated and on others.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { blank, openBrowser } from "./browser.js";

let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser?.close());

for (const isolated of [true, false]) {
  test(`shares add up to the whole on a page ${isolated ? "with" : "without"} isolation`, async () => {
    const page = await blank(browser, {}, isolated);
    const outcome = await page.evaluate(async () => {
      const { Bucketeer } = await import("/index.js");
      const cpu = await Bucketeer.create({ device: "cpu", threads: 3 });
      const bases = await cpu.generate("bls12-381", 2000, { seed: 1 });
      const [sum, expected] = [await bases.msmOf({ seed: 2 }), await bases.expected({ seed: 2 })];
      const controller = new AbortController();
      const stopped = bases.msmOf({
        signal: controller.signal,
        onProgress: () => controller.abort(),
      });
      const name = await stopped.catch((error) => error.name);
      const again = await bases.msmOf({ seed: 2 });
      cpu.close();
      const same = sum.x === expected.x && again.x === sum.x;
      return { isolated: crossOriginIsolated, same, name, device: cpu.device, plan: bases.plan };
    });
    assert.equal(outcome.isolated, isolated);
    assert.equal(outcome.same, true);
    assert.equal(outcome.name, "AbortError");
    assert.equal(outcome.device.threads, 3);
    assert.match(outcome.plan, /^shares +3, one for a worker/);
  });
}

test("a worker that is gone is an error, not a hang", async () => {
  const page = await blank(browser);
  const error = await page.evaluate(async () => {
    const workers = [];
    const { Worker } = globalThis;
    globalThis.Worker = class extends Worker {
      constructor(...args) {
        super(...args);
        workers.push(this);
      }
    };
    const { Bucketeer } = await import("/index.js");
    const cpu = await Bucketeer.create({ device: "cpu", threads: 2 });
    const bases = await cpu.generate("bls12-381", 1 << 13);
    const run = bases.msmOf({ onProgress: () => workers.at(-1).terminate() });
    return run.catch(({ name, message }) => ({ name, message }));
  });
  assert.deepEqual(error, { name: "WorkerError", message: "a worker failed: it was ended" });
});

test("on a page without shared memory, runs that wait are cancelled before they begin", async () => {
  const page = await blank(browser, {}, false);
  const outcome = await page.evaluate(async () => {
    const begun = [];
    const { Worker } = globalThis;
    globalThis.Worker = class extends Worker {
      constructor(...args) {
        super(...args);
        this.addEventListener("message", ({ data }) => data.progress && begun.push(data.id));
      }
    };
    const { Bucketeer } = await import("/index.js");
    const cpu = await Bucketeer.create({ device: "cpu", threads: 1 });
    const bases = await cpu.generate("bn254", 4000, { seed: 1 });
    await bases.msmOf();
    begun.length = 0;
    // The first may have begun when it is cancelled; the others wait for it.
    const controller = new AbortController();
    const { signal } = controller;
    const runs = [1, 2, 3].map(() => bases.msmOf({ signal }).catch(({ name }) => name));
    const last = bases.msmOf({ seed: 2 });
    controller.abort();
    const names = await Promise.all(runs);
    const [sum, expected] = [await last, await bases.expected({ seed: 2 })];
    cpu.close();
    // Calls are numbered, and the last one is not cancelled.
    const final = Math.max(...begun);
    const late = begun.filter((id) => final - 3 < id && id < final).length;
    return { names, late, same: sum.x === expected.x, shared: crossOriginIsolated };
  });
  const names = Array(3).fill("AbortError");
  assert.deepEqual(outcome, { names, late: 0, same: true, shared: false });
});

test("a message that a worker cannot read is an error, not a hang", async () => {
  const page = await blank(browser);
  await page.route("**/js/worker.js", async (route) => {
    const response = await route.fetch();
    const lost = 'addEventListener("message", ({ data }) => data.method === "expected" && dispatchEvent(new MessageEvent("messageerror")));';
    await route.fulfill({ response, body: (await response.text()) + lost });
  });
  const error = await page.evaluate(async () => {
    const { Bucketeer } = await import("/index.js");
    const cpu = await Bucketeer.create({ device: "cpu", threads: 1 });
    const bases = await cpu.generate("bn254", 3000);
    const calls = [bases.msmOf(), bases.expected(), bases.msmOf()];
    const ends = await Promise.allSettled(calls);
    return ends.at(-1).reason && { name: ends.at(-1).reason.name, message: ends.at(-1).reason.message };
  });
  assert.equal(error.name, "WorkerError");
  assert.match(error.message, /a message to it could not be read/);
});
