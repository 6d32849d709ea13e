//! Writes the glue between JavaScript and a module: `closefit-web-bindgen MODULE OUT`. The program of
//! wasm-bindgen does the same, but takes minutes to compile, since it also fetches browsers and serves tests.

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, out] = &arguments[..] else { panic!("usage: closefit-web-bindgen MODULE OUT") };
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    let written =
        bindgen.input_path(module).web(true).and_then(|bindgen| bindgen.typescript(true).generate(out));
    written.unwrap_or_else(|error| panic!("{module}: {error:#}"));
}
