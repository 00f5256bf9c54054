// A headless Chromium on this package's page, for the tests.

import { chromium } from "playwright-core";

import { serve } from "../serve.js";

/** Software WebGPU, to test the GPU path on any machine. Nothing is fetched in the background. */
const FLAGS = [
  "--no-sandbox",
  "--enable-unsafe-webgpu",
  "--use-webgpu-adapter=swiftshader",
  "--disable-background-networking",
  "--disable-component-update",
];

const EXECUTABLE = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Opens a browser and a server; `page(options)` gives a page of its own, `close()` ends both. */
export async function openBrowser(flags = FLAGS, root) {
  const server = await serve(0, root);
  const browser = await chromium.launch({ executablePath: EXECUTABLE, args: flags });
  const origin = `http://localhost:${server.address().port}`;
  return {
    origin,
    async page(options) {
      const page = await browser.newPage(options);
      page.setDefaultTimeout(60_000);
      page.on("pageerror", (error) => console.error(`the page: ${error.stack}`));
      return page;
    },
    async close() {
      await browser.close();
      server.close();
    },
  };
}

const HIDE = {
  webgpu: "undefined",
  adapter: "{ requestAdapter: async () => null }",
};

/** Has a page's workers find no WebGPU at all, or no adapter. */
export async function without(page, what) {
  const gpu = `{ value: ${HIDE[what]}, configurable: true }`;
  const hide = `Object.defineProperty(Object.getPrototypeOf(navigator), "gpu", ${gpu});`;
  await page.route("**/js/worker.js", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: hide + (await response.text()) });
  });
  return page;
}

/** Headers that isolate a page from other origins. */
const ISOLATION = {
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-opener-policy": "same-origin",
};

/** An empty document of the server's, in which modules of the package can be imported. */
export async function blank(browser, options, isolated = true) {
  const page = await browser.page(options);
  await page.route("**/blank", (route) =>
    route.fulfill({
      body: "<!doctype html><title>tests</title>",
      contentType: "text/html",
      headers: isolated ? ISOLATION : {},
    }),
  );
  await page.goto(`${browser.origin}/blank`);
  return page;
}
