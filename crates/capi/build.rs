//! Gives the shared library its name for the loader, which says with which versions programs go.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let of_target = |what: &str| env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    if of_target("FAMILY") == "unix" && of_target("VENDOR") != "apple" {
        let [major, minor] = ["MAJOR", "MINOR"].map(|part| {
            env::var(format!("CARGO_PKG_VERSION_{part}")).expect("cargo says the version of a package")
        });
        // Before 1.0, each minor version may break what programs expect.
        let version = if major == "0" { format!("{major}.{minor}") } else { major };
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libclosefit.so.{version}");
    }
}
