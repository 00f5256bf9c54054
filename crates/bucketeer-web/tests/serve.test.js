// The server of the page, by requests that it must refuse.

import assert from "node:assert/strict";
import { chmod, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { serve } from "../serve.js";

/** The status of a path, which is sent as it is. */
function status(server, path) {
  return new Promise((resolve, reject) => {
    const sent = request({ hostname: "127.0.0.1", port: server.address().port, path }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode)).once("error", reject);
    });
    sent.once("error", reject).end();
  });
}

/** What `work` yields as a user who cannot read everything, as root can. */
async function unprivileged(work) {
  if (process.getuid?.() !== 0) return work();
  process.seteuid(65534);
  try {
    return await work();
  } finally {
    process.seteuid(0);
  }
}

// One request for such a file used to end the server.
test("a file that cannot be read is refused, and the server goes on", async () => {
  const secret = fileURLToPath(new URL("../page/unreadable.html", import.meta.url));
  await writeFile(secret, "secret");
  await chmod(secret, 0);
  const server = await serve();
  try {
    assert.equal(await unprivileged(() => status(server, "/page/unreadable.html")), 403);
    assert.equal(await status(server, "/page/"), 200);
    assert.equal(await status(server, "/page"), 404);
    assert.equal(await status(server, "/page/none.html"), 404);
    assert.equal(await status(server, "/../../CHANGELOG.md"), 404);
    assert.equal(await status(server, "/%2e%2e/%2e%2e/CHANGELOG.md"), 404);
    assert.equal(await status(server, "/page/%00"), 404);
    assert.equal(await status(server, "/%"), 400);
    assert.equal(await status(server, "/page/index.html"), 200);
  } finally {
    server.close();
    server.closeAllConnections();
    await rm(secret);
  }
});
