// Takes the pictures in docs/web: `node screenshots.js FOLDER [LARGEST]` sweeps up to 2^LARGEST on
// both devices and compares all engines first.

import { join } from "node:path";

import { openBrowser } from "./tests/browser.js";

const [folder, largest = "13"] = process.argv.slice(2);
const DESKTOP = { width: 1120, height: 900 };
const SHOTS = {
  "page.png": { viewport: DESKTOP, colorScheme: "light" },
  "page-dark.png": { viewport: DESKTOP, colorScheme: "dark" },
  "page-phone.png": { viewport: { width: 390, height: 844 }, colorScheme: "light" },
};

const browser = await openBrowser();
for (const [name, options] of Object.entries(SHOTS)) {
  const page = await browser.page(options);
  await page.goto(`${browser.origin}/page/`);
  await page.getByText("Ready.").waitFor();
  await page.locator("#size").fill(largest);
  await page.selectOption("#curve", "bn254-g1");
  for (const device of ["CPU", "WebGPU"]) {
    await page.getByText(device, { exact: true }).click();
    await page.click("#sweep");
    await page.locator("#status", { hasText: "Done" }).waitFor({ timeout: 300_000 });
  }
  await page.click("#compare");
  await page.locator("#status", { hasText: "Done" }).waitFor({ timeout: 300_000 });
  await page.click("#check");
  await page.locator("#verdict", { hasText: "sum" }).waitFor();
  // The progress bar glides back.
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(folder, name), fullPage: true });
  await page.close();
}
await browser.close();
