// Serves this folder as static files: `node serve.js [port]`, to this machine only. The two headers
// isolate the page from other origins, without which there is no shared memory and a run on the CPU
// cannot be stopped.

import { open, realpath } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

function refuse(response, status, text) {
  response.writeHead(status, { "content-type": "text/plain" }).end(`${text}\n`);
}

async function respond(root, request, response) {
  const { pathname } = new URL(request.url, "http://localhost");
  if (pathname === "/") return void response.writeHead(302, { location: "/page/" }).end();
  const folder = await realpath(root);
  const asked = join(
    folder,
    normalize(decodeURIComponent(pathname)),
    pathname.endsWith("/") ? "index.html" : "",
  );
  // Where links lead is what is served, so that is what must lie in the folder.
  const path = await realpath(asked).catch(() => "");
  const inside = path.startsWith(folder + sep) && !path.slice(folder.length).includes(`${sep}.`);
  if (!inside) return refuse(response, 404, "not found");
  const file = await open(path).catch((error) => error);
  if (file instanceof Error) {
    return file.code === "EACCES"
      ? refuse(response, 403, "not readable")
      : refuse(response, 404, "not found");
  }
  try {
    const found = await file.stat();
    if (!found.isFile()) return refuse(response, 404, "not found");
    response.writeHead(200, {
      "cache-control": "no-cache",
      "content-length": found.size,
      "content-type": TYPES[extname(path)] ?? "application/octet-stream",
      "cross-origin-embedder-policy": "require-corp",
      "cross-origin-opener-policy": "same-origin",
    });
    await pipeline(file.createReadStream({ autoClose: false }), response);
  } finally {
    await file.close();
  }
}

/** A listening server of a folder; port 0 takes a free one. */
export function serve(port = 0, root = HERE) {
  const server = createServer((request, response) => {
    // A response that fails after the headers can only be cut off.
    respond(root, request, response).catch(() =>
      response.headersSent ? response.destroy() : response.writeHead(400).end(),
    );
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const server = await serve(Number(process.argv[2] ?? 8080));
  console.log(`http://localhost:${server.address().port}/page/`);
}
