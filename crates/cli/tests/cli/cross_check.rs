//! `--cross-check`: what users see when trees agree, and when they name trees that do not exist.

use std::fs;
use std::path::Path;

use closefit::Strategy;
use closefit_testing::command::*;
use serde_json::{Value, json};

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).expect("written")).expect("JSON")
}

#[test]
fn every_method_agrees_and_the_report_stays_the_same() {
    let dir = tempfile::tempdir().unwrap();
    run(&["generate", "gearbox", "--size", "12", "--out", shown(dir.path())]);
    let scene = dir.path().join("gearbox.glb");
    let out = |name: &str| dir.path().join(name);
    let check = |more: &[&str]| {
        let arguments =
            [&["check", shown(&scene), "--clearance", "1mm", "--fail-on", "never"], more].concat();
        run(&arguments)
    };
    check(&["--out", shown(&out("alone"))]);
    let all = check(&["--out", shown(&out("all")), "--cross-check", "all"]);
    let two = check(&["--out", shown(&out("two")), "--cross-check", "kdop18,sphere", "--tree", "rapid"]);
    for name in ["all", "two"] {
        assert_eq!(
            fs::read(out("alone").join("report.json")).unwrap(),
            fs::read(out(name).join("report.json")).unwrap()
        );
        assert!(!out(name).join("disagreement").exists());
    }
    assert!(read(&out("alone").join("run.json"))["cross_check"].is_null());
    let of_all = &read(&out("all").join("run.json"))["cross_check"];
    let strategies = of_all["strategies"].as_array().unwrap();
    // All but the one that compares each edge with each triangle.
    let is_compared = |strategy: &Strategy| !strategy.tree().is_quadratic();
    assert_eq!(strategies.len(), closefit_methods::strategies().filter(is_compared).count());
    let pairs = strategies[0]["agreed"].as_u64().unwrap();
    assert!(pairs > 0 && of_all["disagreed"] == 0);
    assert_eq!(strategies[0], json!({ "tree": "obb", "backend": "simd", "agreed": pairs }));
    assert!(strategies.iter().all(|strategy| strategy["agreed"] == pairs));
    let record = read(&out("two").join("run.json"));
    let named: Vec<String> = record["cross_check"]["strategies"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| format!("{} {}", s["tree"].as_str().unwrap(), s["backend"].as_str().unwrap()))
        .collect();
    assert_eq!(named, ["rapid scalar", "sphere simd", "sphere scalar", "kdop18 simd", "kdop18 scalar"]);
    let seconds = record["seconds"].as_object().unwrap();
    let sum: f64 =
        seconds.iter().filter(|(name, _)| *name != "total").map(|(_, s)| s.as_f64().unwrap()).sum();
    assert!((sum - seconds["total"].as_f64().unwrap()).abs() < 1e-6 * sum.max(1.0));
    let line =
        |methods: usize| format!("\ncross-check: {methods} methods agree on {pairs} candidate pairs\n");
    for (output, methods) in [(all, strategies.len()), (two, 5)] {
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(&line(methods)), "{text}");
    }
}

#[test]
fn the_agreement_is_a_line_of_its_own_on_a_narrow_terminal() {
    let dir = tempfile::tempdir().unwrap();
    run(&["generate", "gearbox", "--size", "12", "--out", shown(dir.path())]);
    let scene = dir.path().join("gearbox.glb");
    for width in ["60", "120", "200"] {
        let check = ["check", shown(&scene), "--cross-check", "sphere"];
        let output = closefit(&check).env("COLUMNS", width).output().unwrap();
        let table = text(&output.stdout);
        let is_whole = |line: &str| line.starts_with("cross-check: ") && line.contains(" methods agree on ");
        assert!(table.lines().any(is_whole), "{table}");
    }
}
