// Loads a module in a web page.
export const load = (glue, url) => glue.default({ module_or_path: url });
