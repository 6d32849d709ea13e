// Questions about meshes.
import { load } from "#load";
import * as glue from "./core/closefit_web.js";
await load(glue, new URL("./core/closefit_web_bg.wasm", import.meta.url));
export * from "./core/closefit_web.js";
