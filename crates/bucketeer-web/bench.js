// Times MSMs in a headless Chromium on its software adapter, as JSON:
// `npm run bench:webgpu [CURVE …] [SIZE …]`.
//
// The first run of a curve includes the compilation of its shaders, as in a tab that was just
// opened.

import { blank, openBrowser } from "./tests/browser.js";

const words = process.argv.slice(2);
const sizes = words.filter((word) => /^\d+$/.test(word)).map(Number);
const curves = words.filter((word) => !/^\d+$/.test(word));

const browser = await openBrowser();
for (const curve of curves.length ? curves : ["ed-on-bls12-377", "bls12-377"]) {
  const page = await blank(browser);
  for (const n of sizes.length ? sizes : [2 ** 16]) {
    const times = await page.evaluate(
      async ([curve, n]) => {
        const { Bucketeer } = await import("/index.js");
        const start = performance.now();
        globalThis.gpu ??= await Bucketeer.create({ device: "webgpu" });
        const bases = await gpu.generate(curve, n, { seed: 1 });
        const loaded = performance.now();
        const { timings } = await bases.msmOf({ seed: 1 });
        const first = performance.now();
        await bases.msmOf({ seed: 2 });
        const end = performance.now();
        bases.free();
        const device = gpu.device.name;
        return {
          device,
          loading: loaded - start,
          first: first - loaded,
          second: end - first,
          timings,
        };
      },
      [curve, n],
    );
    console.log(JSON.stringify({ curve, n, ...times }));
  }
  await page.close();
}
await browser.close();
