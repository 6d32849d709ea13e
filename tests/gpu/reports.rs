//! Reports of all generated scenes, checked and swept on the device and on the CPU in this process: the same
//! bytes.

use std::process::Command;

use closefit::{Assembly, Device, Strategy};
use closefit_generate::names;
use closefit_report::{CheckReport, SweepReport, json};
use closefit_testing::small_scenes::small_scene;

use crate::perturbed::{ROUNDING, Rounding};

/// Returns the reports of a check and, if parts move, of a sweep.
fn reports(assembly: &Assembly, strategy: Strategy) -> Vec<Vec<u8>> {
    let request = assembly.check_request().expect("of ordinary size").strategy(strategy);
    let request = request.clearance(1e4 * request.tolerance).list_contacts();
    let result = assembly.check(&request).expect("admissible");
    let mut reports = vec![json::document(&CheckReport::new(assembly.scene(), result))];
    if let Some([from, to]) = assembly.time_range() {
        let request = assembly.sweep_request(from, to).expect("of ordinary size").strategy(strategy);
        let request = request.precision(1e3 * request.precision).clearance(1e4 * request.precision);
        let result = assembly.sweep(&request).expect("admissible");
        reports.push(json::document(&SweepReport::new(assembly.scene(), result)));
    }
    reports
}

pub fn reports_are_those_of_the_cpu(device: Device) {
    let on_device = Strategy::default().on(device).expect("the default tree has kernels");
    let before = device.tally();
    device.time_kernels(true);
    for (name, _) in names() {
        let mut scene = small_scene(name, 3, false);
        // With little room a round opens few boxes, so more of these parts would take minutes.
        if closefit_testing::on_device::has_little_room() && ["gearbox", "robot"].contains(name) {
            scene.parts.truncate(2);
        }
        let assembly = Assembly::from(scene);
        assert!(reports(&assembly, on_device) == reports(&assembly, Strategy::default()), "{name}");
    }
    device.time_kernels(false);
    let after = device.tally();
    assert_eq!(device.failure(), None);
    let [pairs, distances, stretches] =
        [after.pairs - before.pairs, after.distances - before.distances, after.stretches - before.stretches];
    let boxes = after.broad_boxes - before.broad_boxes;
    println!("reports: {pairs} pairs, {distances} distances, {stretches} stretches");
    let seconds = device.kernel_seconds();
    println!("seconds: {seconds:?}");
    let of_searches = ["box_box", "box_distance", "swept_boxes"];
    assert!(seconds.is_empty() || of_searches.iter().all(|kernel| seconds[kernel] > 0.0));
    let least = if closefit_testing::on_device::has_little_room() { 50 } else { 1000 };
    assert!(pairs > least && distances > 20 && stretches > least);
    assert_eq!(
        boxes > 0,
        closefit_testing::on_device::has_little_room(),
        "the scenes are too small for other candidate pairs"
    );
}

/// Does the same with other rounding, in a process of its own: a process compiles each kernel once.
pub fn rounding_changes_no_report(_: Device) {
    for rounding in Rounding::tested() {
        let this = std::env::current_exe().expect("this program");
        let output = Command::new(this)
            .args(["--exact", "reports::reports_are_those_of_the_cpu"])
            .env(ROUNDING, format!("{rounding:?}"))
            .output()
            .expect("it runs");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{rounding:?}: {said}");
        assert!(said.contains(&format!("rounding: {rounding:?}")), "{said}");
    }
}
