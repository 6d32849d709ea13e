//! `closefit reproduce`: tables as text, JSON and files, and refusals.

use std::fs;

use closefit_testing::command::*;
use serde_json::Value;

/// The two quickest tables.
const QUICK: [&str; 2] = ["lin-obb-test", "zachmann-build"];

fn validator() -> jsonschema::Validator {
    let schema = fs::read_to_string(root().join("schema/reproduce.schema.json")).unwrap();
    jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap()
}

#[test]
fn tables_are_listed_and_asked_by_name() {
    let list = run(&["reproduce", "--list"]);
    assert_eq!(list.status.code(), Some(0));
    let names: Vec<&str> = text(&list.stdout).lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(QUICK.iter().all(|name| names.contains(name)), "{names:?}");
    let output = run(&["reproduce", "zachmann-build", "--quick"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "progress: zachmann-build\n");
    let table = text(&output.stdout);
    for part in ["MIPS R4400 at 200 MHz", "plane tests", "  Z0  ", "This machine: "] {
        assert!(table.contains(part), "{part}: {table}");
    }
}

/// Two runs, in another order, on other numbers of threads, and the files.
#[test]
fn documents_conform_and_counts_repeat() {
    let folder = tempfile::tempdir().unwrap();
    let document = |arguments: &[&str]| -> Value {
        let all = [&["reproduce", "--quick", "--json", "--quiet"], arguments].concat();
        let output = run(&all);
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
        let mut document = serde_json::from_slice(&output.stdout).unwrap();
        let errors: Vec<String> = validator().iter_errors(&document).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
        let tables: &mut Vec<Value> = document["tables"].as_array_mut().unwrap();
        tables.iter_mut().for_each(|table| drop(table["this_machine"].take()));
        tables.sort_by_key(|table| table["table"].to_string());
        document
    };
    let [first, second] = QUICK;
    let out = shown(folder.path());
    let one = document(&[first, second, "--threads", "1", "--out", out]);
    assert_eq!(one, document(&[second, first, second, "--threads", "2"]));
    let written: Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("zachmann-build.json")).unwrap())
            .unwrap();
    assert_eq!(written["tables"][0]["rows"], one["tables"][1]["rows"]);
    assert!(fs::read_to_string(folder.path().join("lin-obb-test.txt")).unwrap().contains("L7  "));
    assert!(fs::read_to_string(folder.path().join("zachmann-build.svg")).unwrap().starts_with("<svg"));
    assert!(!folder.path().join("lin-obb-test.svg").exists(), "the paper has no plot of it");
}

#[test]
fn wrong_requests_are_refused_in_one_line() {
    assert_eq!(
        refusal(&["reproduce", "zachman-depht"]),
        "error: unknown table 'zachman-depht': did you mean 'zachmann-depth'? See reproduce --list\n"
    );
    assert_eq!(
        refusal(&["reproduce", "nonsense"]),
        "error: unknown table 'nonsense': see reproduce --list\n"
    );
    assert!(refusal(&["reproduce", "lin-obb-test", "--list"]).contains("cannot be used with"));
    assert!(refusal(&["reproduce", "--threads", "0"]).contains("a number of threads is from 1 to 1024"));
    // Nothing is run before every name is known, and nothing is left behind.
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    assert!(refusal(&["reproduce", "lin-obb-test", "x\ny", "--out", shown(&out)]).contains("'x\\ny'"));
    assert!(!out.exists());
}
