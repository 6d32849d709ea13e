// The module that CLOSEFIT_MODULE names, and the program that CLOSEFIT_PROGRAM names, for tests.

import { readFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const folder = resolve(process.env.CLOSEFIT_MODULE);
const program = resolve(process.env.CLOSEFIT_PROGRAM);

export const closefit = await import(pathToFileURL(`${folder}/closefit_web.js`));
closefit.initSync({ module: readFileSync(`${folder}/closefit_web_bg.wasm`) });

/** Runs the program in a folder. Returns its status, and the line of its error. */
export function run(cwd, ...args) {
  const { status, stderr, error } = spawnSync(program, args, { cwd, encoding: "utf8", timeout: 120_000 });
  if (error) throw error;
  return { status, line: stderr.trim().replace(/^error: /, "") };
}

/** Runs the module on files of a folder, which `paths` names. */
export function check(cwd, paths, settings = {}, told = () => {}) {
  const files = paths.map((path) => ({ path, bytes: new Uint8Array(readFileSync(resolve(cwd, path))) }));
  return closefit.Run.read(files, settings, told).check(told);
}
