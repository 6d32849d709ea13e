// Makes closefit.html of the page and a module: node build.mjs MODULE_FOLDER OUT. The folder has closefit_web.js and
// closefit_web_bg.wasm, as wasm-bindgen writes them for the web.

import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const [folder, out] = process.argv.slice(2);
if (!out) throw new Error("usage: node build.mjs MODULE_FOLDER OUT");

/** Returns the text that a script or a style becomes. */
async function bundled(entry, options = {}) {
  const { outputFiles } = await build({
    entryPoints: [here(entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    charset: "ascii",
    legalComments: "none",
    logLevel: "warning",
    ...options,
  });
  return outputFiles[0].text.trimEnd();
}

const digest = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const packed = (bytes) => gzipSync(bytes, { level: 9 }).toString("base64");
const [reportScript, reportStyle] = await Promise.all(
  ["js", "css"].map((name) => readFile(here(`../../html/assets/report.${name}`), "utf8")),
);
const module = await readFile(resolve(folder, "closefit_web_bg.wasm"));
// The pages that it writes would show nothing.
for (const text of [reportScript, reportStyle]) {
  if (!module.includes(text)) throw new Error("the module was built from another crates/html/assets");
}

const worker = await bundled("src/worker.ts", {
  alias: { closefit_web: resolve(folder, "closefit_web.js") },
  // The module comes from the page: its address is not used.
  define: { "import.meta.url": '""' },
});
const script = await bundled("src/closefit.ts", { define: { WORKER: JSON.stringify(worker) } });
const style = await bundled("src/closefit.css");
if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style)) throw new Error("a text ends its element");

// A page inside this one has the policy of both: what runs in pages of reports may run here.
const policy = [
  "default-src 'none'",
  "connect-src 'none'",
  `script-src 'wasm-unsafe-eval' ${digest(script)} ${digest(reportScript)}`,
  `style-src ${digest(style)} ${digest(reportStyle)}`,
  "worker-src blob:",
  "img-src data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const data = [
  ["example", packed(await readFile(here("../../../examples/gearbox.glb")))],
  ["licences", packed(await readFile(here("../../cli/assets/licenses.txt")))],
  ["module", packed(module)],
].map(([id, text]) => `<script type="text/plain" id="${id}">${text}</script>\n`);

// The script is before the data, so that the page is seen before all of it has been read.
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="Checks 3D models for clashes and clearances. Nothing leaves your machine.">
<title>closefit</title>
<style>${style}</style>
</head>
<body>
<noscript><p>The check is a script, which this browser does not run.</p></noscript>
<script>${script}</script>
${data.join("")}</body>
</html>
`;
await writeFile(out, page);
