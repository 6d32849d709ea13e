// Loads a module in Node.
import { readFileSync } from "node:fs";
export const load = (glue, url) => glue.initSync({ module: readFileSync(url) });
