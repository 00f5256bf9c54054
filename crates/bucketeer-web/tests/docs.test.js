// The snippet of docs/web.md, as it stands there, against double-and-add.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";

import { blank, openBrowser } from "./browser.js";
import { bls12_377, generator } from "./reference.js";

const text = await readFile(new URL("../../../docs/web.md", import.meta.url), "utf8");
const snippets = [...text.matchAll(/^```js.*\n([^]*?)^```$/gm)].map(([, code]) => code);

let browser;
before(async () => {
  // Without WebGPU, so that `auto` is the CPU and no shader is compiled.
  const flags = ["--no-sandbox", "--disable-background-networking", "--disable-component-update"];
  browser = await openBrowser(flags);
});
after(() => browser?.close());

test("docs/web.md: its snippet gives the right sums", async () => {
  assert.equal(snippets.length, 1);
  const random = generator(1);
  const points = bls12_377.points(5, random);
  const scalars = points.map(() => random(bls12_377.order));
  const page = await blank(browser);
  const results = await page.evaluate(
    async ([code, points, scalars]) => {
      const importLine = /^import (.*) from "bucketeer-web";$/m;
      const body = code.replace(importLine, 'const $1 = await import("/index.js");');
      const AsyncFunction = (async () => {}).constructor;
      const steps = [];
      const onProgress = (step) => steps.push(step);
      const names = ["points", "scalars", "onProgress", "signal"];
      const run = new AsyncFunction(...names, `${body}\nreturn { x, y, sum };`);
      const { signal } = new AbortController();
      const { x, y, sum } = await run(points, scalars, onProgress, signal);
      return { once: { x, y }, resident: { x: sum.x, y: sum.y }, progressed: steps.length > 0 };
    },
    [snippets[0], points, scalars],
  );
  const expected = bls12_377.msm(points, scalars);
  assert.deepEqual(results, { once: expected, resident: expected, progressed: true });
});
