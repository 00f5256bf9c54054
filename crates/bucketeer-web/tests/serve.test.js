// The server of the page, by requests that it must refuse.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmod, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const at = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** The status of a path, which is sent as it is. */
function status(origin, path) {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin);
    const sent = request({ hostname, port, path }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode)).once("error", reject);
    });
    sent.once("error", reject).end();
  });
}

// One request for such a file used to end the server.
test("a file that cannot be read is refused, and the server goes on", async () => {
  const secret = at("page/unreadable.html");
  await writeFile(secret, "secret");
  await chmod(secret, 0);
  // Root reads everything.
  const other = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const server = spawn(process.execPath, [at("serve.js"), "0"], { ...other, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const line = await new Promise((resolve, reject) => {
      server.stdout.once("data", (data) => resolve(String(data)));
      server.once("exit", () => reject(new Error("the server ended")));
    });
    const { origin } = new URL(line.trim());
    assert.equal(await status(origin, "/page/unreadable.html"), 403);
    assert.equal(await status(origin, "/page/"), 200);
    assert.equal(await status(origin, "/page"), 404);
    assert.equal(await status(origin, "/page/none.html"), 404);
    assert.equal(await status(origin, "/../../README.md"), 404);
    assert.equal(await status(origin, "/%2e%2e/%2e%2e/README.md"), 404);
    assert.equal(await status(origin, "/page/%00"), 404);
    assert.equal(await status(origin, "/%"), 400);
    assert.equal(await status(origin, "/page/index.html"), 200);
    assert.equal(server.exitCode, null);
  } finally {
    server.kill();
    await rm(secret);
  }
});
