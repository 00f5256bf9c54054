// Writes two files for `build`: `node modules.js full CURVE …`. pkg/modules.js names the wasm
// modules that were built; their addresses are written out, as bundlers want to see them.
// pkg/curves.js has the facts of all curves, so that no module is fetched to learn them.

import { readFile, writeFile } from "node:fs/promises";

const names = process.argv.slice(2);
const folder = new URL("pkg/", import.meta.url);
const glue = (name) => import(new URL(`${name}.js`, folder));
const bytes = (name) => readFile(new URL(`${name}_bg.wasm`, folder));

const full = await glue("full");
await full.default({ module_or_path: await bytes("full") });

/** The curves of a module: those it has facts of. */
async function curvesOf(name) {
  const module = await glue(name);
  if (name !== "full") await module.default({ module_or_path: await bytes(name) });
  return full.curveNames().filter((curve) => {
    try {
      module.curveFacts(curve).free();
      return true;
    } catch {
      return false;
    }
  });
}

const owner = new Map();
for (const name of names) for (const curve of await curvesOf(name)) owner.set(curve, name);

const curves = full.curveNames().map((curve) => {
  const { name, alias, componentBytes, components, scalarBytes, edwards, modulus, order } =
    full.curveFacts(curve);
  const sizes = {
    componentBytes,
    components,
    scalarBytes,
    pointBytes: 2 * componentBytes * components,
  };
  return { name, alias, module: owner.get(name), ...sizes, edwards, modulus, order };
});
const cpu = full.Processor.cpu().description;
const camel = (name) => name.replaceAll("-", "_");

const head = "// Written by modules.js of the package's sources.";

const modules = names.map((name) => {
  const [own, url] = [camel(name), `new URL("./${name}_bg.wasm", import.meta.url)`];
  return `  "${name}": { init: init_${own}, wasm: ${own}, url: () => ${url} },`;
});
const imports = names.map(
  (name) => `import init_${camel(name)}, * as ${camel(name)} from "./${name}.js";`,
);
const write = (name, lines) => writeFile(new URL(name, folder), `${[head, ...lines].join("\n")}\n`);
await write("modules.js", [...imports, "export const MODULES = {", ...modules, "};"]);
await write("curves.js", [
  `export const CURVES = ${JSON.stringify(curves, null, 1)};`,
  `export const DISTRIBUTIONS = ${JSON.stringify(full.distributionNames())};`,
  `export const CPU = ${JSON.stringify(cpu)};`,
]);
