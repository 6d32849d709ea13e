//! Every table is quick, conforms to the schema, and has counts that depend on nothing but its name.

use closefit::Pool;
use serde_json::Value;

use super::*;

/// Sees nothing.
struct Unseen;

impl Observer for Unseen {
    fn begin(&self, _table: &str, _steps: u64) {}
    fn advance(&self) {}
}

/// Quick tables that take most of the time of all. Full runs make them, and those after a change of the
/// experiments.
const SLOW: [&str; 4] = ["lin-table-1", "methods", "redon-optimisations", "zachmann-depth"];

/// Returns the document of the quick tables.
fn all(threads: usize) -> Value {
    assert!(SLOW.iter().all(|name| find(name).is_ok()));
    let is_asked = |name| closefit_testing::is_full_run() || !SLOW.contains(&name);
    let asked = || EXPERIMENTS.iter().filter(|experiment| is_asked(experiment.name));
    let run = || asked().map(|experiment| experiment.run(Effort::Quick, &Unseen)).collect();
    let tables: Vec<Table> = Pool::of(threads).install(run).expect("threads");
    serde_json::from_str(&json(&tables)).expect("JSON")
}

fn list(value: &mut Value) -> &mut Vec<Value> {
    value.as_array_mut().expect("a list")
}

#[test]
fn tables_conform_to_the_schema_and_do_not_depend_on_threads() {
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema/reproduce.schema.json");
    let schema: Value =
        serde_json::from_str(&std::fs::read_to_string(schema).expect("a file")).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let [mut document, mut other] = [1, 2].map(all);
    let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    for table in list(&mut document["tables"]) {
        let columns = table["columns"].as_object().expect("headings").clone();
        for row in list(&mut table["rows"]) {
            let counts = row["counts"].as_object().expect("counts");
            assert!(counts.keys().all(|key| columns.contains_key(key)), "{row}");
        }
    }
    for table in list(&mut document["tables"]).iter_mut().chain(list(&mut other["tables"])) {
        assert!(table["this_machine"].take().is_object());
    }
    assert_eq!(document, other);
}

#[test]
fn a_table_is_read_by_people_too() {
    let experiment = find("zachmann-build").expect("a name of the list");
    let table = experiment.run(Effort::Quick, &Unseen);
    let text = table.text();
    for part in
        ["zachmann-build: ", "MIPS R4400", "Setting", "our choice: ", "Claims", "Z0  ", "This machine: "]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 110 && line == line.trim_end()), "{text}");
    let svg = table.svg().expect("a plot");
    assert!(svg.starts_with("<svg") && svg.contains("hyperboloid") && svg.contains("polyline"));
}

#[test]
fn an_unknown_table_is_refused_with_the_nearest() {
    let refused = |name: &str| find(name).map(|_| ()).expect_err("no such table").to_string();
    let expected = "unknown table 'zachman-depht': did you mean 'zachmann-depth'? See reproduce --list";
    assert_eq!(refused("zachman-depht"), expected);
    for (wrong, meant) in [
        ("lin-obb", "lin-obb-test"),
        ("obb", "lin-obb-test"),
        ("sanna-k-dops", "sanna-k"),
        ("redon-opt", "redon-optimisations"),
        ("zachman-simple", "zachmann-simple"),
        ("method", "methods"),
    ] {
        assert!(refused(wrong).contains(&format!("did you mean '{meant}'?")), "{}", refused(wrong));
    }
    for wrong in ["nonsense", "", "-", "x\ny"] {
        assert_eq!(refused(wrong), format!("unknown table '{wrong}': see reproduce --list"));
    }
    assert!(EXPERIMENTS.iter().all(|experiment| find(experiment.name).is_ok()));
}
