//! `closefit licenses` lists what cargo links, and nothing else.

use std::collections::BTreeSet;
use std::process::Command;

use closefit_testing::command::{root, run, text};

/// The systems of a release, and the packages that are built for them, as in `.ci/licenses`.
const TARGETS: [&str; 5] = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-apple-darwin",
    "aarch64-apple-darwin",
    "x86_64-pc-windows-msvc",
];
const PACKAGES: [&str; 3] = ["closefit", "closefit-python", "closefit-capi"];

/// Returns what cargo prints in the workspace.
fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).arg("--locked").args(arguments).current_dir(root()).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

/// Returns `name version` of everything from a registry that is linked into a package for a target.
fn linked(package: &str, target: &str) -> Vec<String> {
    let asked = ["tree", "--package", package, "--target", target, "--all-features"];
    let shape = ["--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"];
    let tree = cargo(&[&asked[..], &shape].concat());
    // Packages of the workspace have their folder in the row.
    let others = tree.lines().filter(|row| !row.is_empty() && !row.contains('/'));
    others
        .map(|row| {
            let mut words = row.split(' ');
            let (name, version) = (words.next().unwrap(), words.next().unwrap());
            format!("{name} {}", version.trim_start_matches('v'))
        })
        .collect()
}

/// Returns the rows of the table, which follows the line that ends in a colon: `name version` and licence.
fn listed(printed: &str) -> Vec<(String, String)> {
    let (_, table) = printed.split_once("systems and features:\n\n").unwrap();
    let rows = table.lines().take_while(|line| !line.is_empty());
    rows.map(|row| {
        let mut columns = row.split("  ").map(str::trim).filter(|column| !column.is_empty());
        (columns.next().unwrap().to_owned(), columns.next().unwrap().to_owned())
    })
    .collect()
}

#[test]
fn every_package_that_is_linked_is_listed() {
    let output = run(&["licenses"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    let listed = listed(text(&output.stdout));
    let names: BTreeSet<String> = listed.iter().map(|(name, _)| name.clone()).collect();
    let systems = PACKAGES.iter().flat_map(|one| TARGETS.iter().flat_map(|target| linked(one, target)));
    let linked: BTreeSet<String> = systems.chain(linked("closefit-web", "wasm32-unknown-unknown")).collect();
    let differing: Vec<&String> = names.symmetric_difference(&linked).collect();
    assert!(differing.is_empty(), "run .ci/licenses: {differing:?}");

    // And with the licence that the package states, in the form without slashes.
    let metadata: serde_json::Value =
        serde_json::from_str(&cargo(&["metadata", "--format-version", "1"])).unwrap();
    let stated: BTreeSet<(String, String)> = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| {
            let field = |name: &str| package[name].as_str().unwrap_or_default();
            (format!("{} {}", field("name"), field("version")), field("license").replace('/', " OR "))
        })
        .collect();
    let other: Vec<_> = listed.iter().filter(|row| !stated.contains(*row)).collect();
    assert!(other.is_empty(), "run .ci/licenses: {other:?}");
}

#[test]
fn every_listed_work_has_a_text() {
    let output = run(&["licenses"]);
    let printed = text(&output.stdout);
    let (list, texts) = printed.split_once("Text 1: ").unwrap();
    for (name, _) in listed(printed) {
        assert!(texts.contains(&format!("\n  {name}\n")), "{name}");
    }
    for work in ["three.js 0.187.0", "The standard library of Rust"] {
        assert!(list.contains(&format!("\n  {work}")) && texts.contains(&format!("\n  {work}")), "{work}");
    }
    assert!(texts.contains("Copyright © 2010-2026 three.js authors") && list.contains("fonts"));
}
