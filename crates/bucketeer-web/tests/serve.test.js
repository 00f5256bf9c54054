// The server of the page, by requests that it must refuse.

import assert from "node:assert/strict";
import { chmod, rm, symlink, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { serve } from "../serve.js";

/** The status of a path, which is sent as it is. */
function status(server, path) {
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname: "127.0.0.1", port: server.address().port, path },
      (response) => {
        response
          .resume()
          .once("end", () => resolve(response.statusCode))
          .once("error", reject);
      },
    );
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

test("links that lead out of the folder are not followed", async () => {
  const link = (name) => fileURLToPath(new URL(`../page/${name}`, import.meta.url));
  const targets = { "out.html": "../../../CHANGELOG.md", out: "../../..", "in.html": "index.html" };
  for (const [name, target] of Object.entries(targets)) await symlink(target, link(name));
  const server = await serve();
  try {
    assert.equal(await status(server, "/page/out.html"), 404);
    assert.equal(await status(server, "/page/out/CHANGELOG.md"), 404);
    assert.equal(await status(server, "/page/in.html"), 200);
    assert.equal(await status(server, "/tests/../.gitignore"), 404);
  } finally {
    server.close();
    server.closeAllConnections();
    for (const name of Object.keys(targets)) await rm(link(name));
  }
});

test("only this machine is served", async () => {
  const server = await serve();
  assert.equal(server.address().address, "127.0.0.1");
  server.close();
});
