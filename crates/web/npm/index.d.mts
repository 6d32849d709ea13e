import type { InputFile, Observer, Outcome, Settings } from "./whole/closefit_web.js";
export * from "./whole/closefit_web.js";

/** Reads files, and decides all pairs of parts. Throws an Error with the line that the program would print. */
export function check(files: InputFile[], settings?: Settings, observer?: Observer): Outcome;
