// Bundles the script and the style of the page into ../assets, the same bytes every time.

import { build } from "esbuild";
import { copyFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

await build({
  entryPoints: [here("src/report.ts"), here("src/report.css")],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "ascii",
  legalComments: "none",
  entryNames: "[name]",
  outdir: here("../assets"),
  logLevel: "warning",
});
await copyFile(here("node_modules/three/LICENSE"), here("../assets/LICENSE-three"));
