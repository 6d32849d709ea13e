//! `check --depth`: the detail of depths.

use closefit_testing::command::*;
use serde_json::{Value, json};

fn check(detail: &str) -> Value {
    let output = run(&[
        "check",
        "examples/gearbox.glb",
        "--depth",
        detail,
        "--fail-on",
        "clash",
        "--clearance",
        "0.1mm",
        "--json",
    ]);
    assert_eq!(output.status.code(), Some(1), "{detail}: what may clash fails as a clash does");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn pairs(report: &Value) -> &[Value] {
    report["pairs"].as_array().unwrap()
}

/// Checks that two reports have the same pairs and verdicts, and brackets that overlap on one side of the
/// tolerance.
#[test]
fn for_verdicts_brackets_may_be_wider() {
    let [full, verdict] = ["full", "verdict"].map(check);
    assert_eq!(
        [&full["settings"]["depth"], &verdict["settings"]["depth"]],
        [&Value::Null, &json!("verdict")]
    );
    assert_eq!(pairs(&full).len(), pairs(&verdict).len());
    let tolerance = full["settings"]["tolerance"].as_f64().unwrap();
    for (narrow, wide) in pairs(&full).iter().zip(pairs(&verdict)) {
        for key in ["ids", "verdict", "distance", "contacts", "contained", "duplicate", "crossing"] {
            assert_eq!(narrow[key], wide[key], "{key} of {}", narrow["ids"]);
        }
        let bounds = |pair: &Value| ["at_least", "at_most"].map(|end| pair["depth"][end].as_f64());
        if let ([Some(narrow_least), Some(narrow_most)], [Some(least), Some(most)]) =
            (bounds(narrow), bounds(wide))
        {
            assert!(least <= narrow_most && narrow_least <= most, "{narrow} {wide}");
            assert!(least > tolerance || most <= tolerance, "{wide}");
        }
    }
}

/// Clashes and contacts both become `meets` without depths; every other verdict is unchanged.
#[test]
fn without_depths_what_touches_meets() {
    let [full, none] = ["full", "none"].map(check);
    assert_eq!(none["settings"]["depth"], "none");
    assert_eq!(pairs(&full).len(), pairs(&none).len());
    for (asked, not_asked) in pairs(&full).iter().zip(pairs(&none)) {
        let touches = asked["contacts"].as_u64() > Some(0);
        assert_eq!(not_asked["verdict"], if touches { json!("meets") } else { asked["verdict"].clone() });
        assert_eq!(not_asked["depth"], Value::Null);
        assert_eq!(not_asked["contacts"], asked["contacts"]);
    }
    assert!(pairs(&none).iter().any(|pair| pair["verdict"] == "meets"));
    let table = run(&["check", "examples/gearbox.glb", "--depth", "none", "--fail-on", "never"]);
    assert!(text(&table.stdout).contains(": 0 clash, 39 meets, 0 undecided"), "{}", text(&table.stdout));
}
