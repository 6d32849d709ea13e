//! closefit for web pages and Node: questions about meshes and, with the feature `check`, checks of files in
//! memory.

#[cfg(feature = "check")]
mod check;
mod error;
mod motion;
mod tree;

use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console, js_name = error)]
    fn console_error(text: &str);
}

/// Tells the console why the module ends, if it panics.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| console_error(&panic.to_string())));
}
