// Serves this folder as static files: `node serve.js [port]`. The two headers isolate the page from other
// origins, without which there is no shared memory and a run on the CPU cannot be stopped.

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = fileURLToPath(new URL(".", import.meta.url));
const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

async function respond(request, response) {
  const { pathname } = new URL(request.url, "http://localhost");
  if (pathname === "/") return void response.writeHead(302, { location: "/page/" }).end();
  const file = join(ROOT, normalize(decodeURIComponent(pathname)), pathname.endsWith("/") ? "index.html" : "");
  const found = file.startsWith(ROOT) && !file.includes(`${sep}.`) && (await stat(file).catch(() => null));
  if (!found?.isFile()) return void response.writeHead(404, { "content-type": "text/plain" }).end("not found\n");
  response.writeHead(200, {
    "cache-control": "no-cache",
    "content-length": found.size,
    "content-type": TYPES[extname(file)] ?? "application/octet-stream",
    "cross-origin-embedder-policy": "require-corp",
    "cross-origin-opener-policy": "same-origin",
  });
  createReadStream(file).pipe(response);
}

/** A listening server; port 0 takes a free one. */
export function serve(port = 0) {
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.writeHead(400).end());
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
