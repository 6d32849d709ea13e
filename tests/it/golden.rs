//! The reports of fixed scenes are the same bytes on every machine: `golden.txt` has their digests.

use std::fmt::Write;

use closefit::Assembly;
use closefit_generate::names;
use closefit_report::{CheckReport, SweepReport, json};
use closefit_scene::read::{ReadOptions, read};
use closefit_testing::small_scenes::small_scene;

fn digest(report: &[u8]) -> blake3::Hash {
    blake3::hash(report)
}

fn assemblies() -> Vec<(String, Assembly)> {
    let generated = names().iter().map(|(name, _)| {
        let scene = small_scene(name, 7, false);
        ((*name).to_owned(), Assembly::from(scene))
    });
    let gearbox = read(&["examples/gearbox.glb"], &ReadOptions::default()).expect("the example");
    generated.chain([("examples/gearbox.glb".to_owned(), Assembly::from(gearbox))]).collect()
}

#[test]
fn reports_have_the_digests_of_record() {
    let mut found = String::new();
    for (name, assembly) in assemblies() {
        let request = assembly.check_request().unwrap();
        let request = request.clearance(1e4 * request.tolerance).list_contacts();
        let result = assembly.check(&request).unwrap();
        let report = json::document(&CheckReport::new(assembly.scene(), result));
        writeln!(found, "check {name} {}", digest(&report)).unwrap();
        let Some([from, to]) = assembly.time_range() else { continue };
        let request = assembly.sweep_request(from, to).unwrap();
        let request = request.precision(100.0 * request.precision).clearance(1e4 * request.tolerance);
        let result = assembly.sweep(&request).unwrap();
        let report = json::document(&SweepReport::new(assembly.scene(), result));
        writeln!(found, "sweep {name} {}", digest(&report)).unwrap();
    }
    assert_eq!(
        found,
        include_str!("../golden.txt"),
        "if an answer was meant to change, this is the new record"
    );
}
