// Whole checks, and questions about meshes.
import { load } from "#load";
import * as glue from "./whole/closefit_web.js";
await load(glue, new URL("./whole/closefit_web_bg.wasm", import.meta.url));
export * from "./whole/closefit_web.js";

export const check = (files, settings = {}, observer = () => {}) => glue.Run.read(files, settings, observer).check(observer);
