// Runs the projects that `test` has installed: `node run.js FOLDER PROJECT …`.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { openBrowser } from "../tests/browser.js";

const [folder, ...projects] = process.argv.slice(2);
const PAGES = { script: "script/", vite: "vite/dist/", webpack: "webpack/dist/" };
const EXPECTED = /^right on cpu, 2 threads, SIMD128/;

async function inNode() {
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, "node/index.js")], {
    timeout: 120_000,
  });
  return stdout.trim();
}

async function onPage(browser, path) {
  const page = await browser.page();
  await page.goto(`${browser.origin}/${path}`);
  await page.waitForFunction(() => document.body.textContent.trim(), null, { timeout: 120_000 });
  return page.evaluate(() => document.body.textContent.trim());
}

const browser = projects.some((project) => PAGES[project])
  ? await openBrowser(undefined, folder)
  : null;
try {
  for (const project of projects) {
    const text = project === "node" ? await inNode() : await onPage(browser, PAGES[project]);
    console.log(`${project}: ${text}`);
    assert.match(text, EXPECTED, project);
  }
} finally {
  await browser?.close();
}
