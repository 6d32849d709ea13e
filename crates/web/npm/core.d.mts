export * from "./core/closefit_web.js";
