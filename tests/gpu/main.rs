//! Tests of the compute path, on the adapter named by `CLOSEFIT_ADAPTER`, or else the best. Without an
//! adapter, the tests that need one show as ignored, with the reason.

mod boxes;
mod candidate_pairs;
mod command_line;
mod distances;
mod doubles;
mod failed_runs;
mod failures;
mod fixed_point;
mod fronts;
mod kernels;
mod layout;
mod margins;
mod memory;
mod moving_boxes;
mod moving_features;
mod moving_triangles;
mod near_boxes;
mod near_triangles;
mod perturbed;
mod reports;
mod residence;
mod scenes;
mod sorting;
mod stretches;
mod triangles;

use std::process::ExitCode;

use closefit::internals::broad::on_device as broad;
use closefit::internals::gpu::{Choice, Device};
use closefit::internals::hierarchy::obb8::on_device::Limits;
use libtest_mimic::{Arguments, Failed, Trial};

/// A test that needs a device.
type OnDevice = fn(Device);

fn main() -> ExitCode {
    if let Ok(failed_run) = std::env::var(failed_runs::FAILED_RUN) {
        return failed_runs::closefit(&failed_run);
    }
    #[cfg(unix)]
    closefit_testing::command::let_children_be_interrupted();
    let mut arguments = Arguments::from_args();
    // All tests share one device, so they run one at a time.
    arguments.test_threads = Some(1);
    let Ok(wanted): Result<Choice, _> = adapter().parse();
    let failure = std::env::var(failures::FAILURE);
    let binding = if failure.as_deref() == Ok(failures::NARROW) { 1 << 20 } else { u64::MAX };
    let device = Device::open_with_binding(&wanted, binding);
    if let (Ok(failure), Ok(device)) = (failure, &device) {
        failures::play(&failure, *device);
        return ExitCode::SUCCESS;
    }
    match &device {
        Ok(device) => {
            println!("adapter: {}", device.name());
            perturbed::begin(*device);
            if has_little_room() {
                give_little_room(*device);
            }
        }
        Err(error) => println!("no adapter: {error}"),
    }
    let on_device: [(&str, OnDevice); 58] = [
        ("candidate_pairs::pairs_are_those_of_brute_force", candidate_pairs::pairs_are_those_of_brute_force),
        (
            "candidate_pairs::sweeps_are_as_long_as_they_must_be",
            candidate_pairs::sweeps_are_as_long_as_they_must_be,
        ),
        ("candidate_pairs::many_boxes_in_many_pages", candidate_pairs::many_boxes_in_many_pages),
        ("candidate_pairs::long_sweeps_and_many_pairs", candidate_pairs::long_sweeps_and_many_pairs),
        ("candidate_pairs::frames_ask_the_device", candidate_pairs::frames_ask_the_device),
        ("fixed_point::integers_are_those_of_the_twin", fixed_point::integers_are_those_of_the_twin),
        ("doubles::sums_and_products_are_those_of_the_cpu", doubles::sums_and_products_are_those_of_the_cpu),
        ("doubles::posed_triangles_are_told_as_by_the_cpu", doubles::posed_triangles_are_told_as_by_the_cpu),
        ("triangles::what_is_proven_of_triangles_is_so", triangles::what_is_proven_of_triangles_is_so),
        ("boxes::what_is_excluded_of_boxes_is_apart", boxes::what_is_excluded_of_boxes_is_apart),
        ("near_boxes::bounds_of_boxes_hold", near_boxes::bounds_of_boxes_hold),
        ("near_triangles::bounds_of_triangles_hold", near_triangles::bounds_of_triangles_hold),
        ("margins::without_a_margin_distances_go_wrong", margins::without_a_margin_distances_go_wrong),
        ("command_line::the_report_is_that_of_the_cpu", command_line::the_report_is_that_of_the_cpu),
        (
            "command_line::candidate_pairs_are_found_on_the_device",
            command_line::candidate_pairs_are_found_on_the_device,
        ),
        ("command_line::auto_takes_no_software_adapter", command_line::auto_takes_no_software_adapter),
        (
            "command_line::an_interrupted_run_leaves_nothing_behind",
            command_line::an_interrupted_run_leaves_nothing_behind,
        ),
        (
            "moving_boxes::what_is_excluded_of_moving_boxes_stays_apart",
            moving_boxes::what_is_excluded_of_moving_boxes_stays_apart,
        ),
        (
            "moving_triangles::what_is_excluded_of_moving_triangles_stays_apart",
            moving_triangles::what_is_excluded_of_moving_triangles_stays_apart,
        ),
        (
            "moving_features::what_is_excluded_of_features_stays_apart",
            moving_features::what_is_excluded_of_features_stays_apart,
        ),
        (
            "margins::without_a_margin_moving_features_go_wrong",
            margins::without_a_margin_moving_features_go_wrong,
        ),
        ("stretches::what_is_proven_of_stretches_is_so", stretches::what_is_proven_of_stretches_is_so),
        ("stretches::little_room_changes_nothing", stretches::little_room_changes_nothing),
        ("fronts::halves_get_all_items", fronts::halves_get_all_items),
        ("fronts::records_are_kept", fronts::records_are_kept),
        ("stretches::fronts_prove_what_is_so", stretches::fronts_prove_what_is_so),
        ("stretches::without_all_items_proofs_go_wrong", stretches::without_all_items_proofs_go_wrong),
        ("stretches::proofs_by_features_are_counted", stretches::proofs_by_features_are_counted),
        (
            "margins::without_a_margin_moving_triangles_go_wrong",
            margins::without_a_margin_moving_triangles_go_wrong,
        ),
        (
            "command_line::the_report_of_a_sweep_is_that_of_the_cpu",
            command_line::the_report_of_a_sweep_is_that_of_the_cpu,
        ),
        (
            "command_line::a_sweep_of_many_parts_is_that_of_the_cpu",
            command_line::a_sweep_of_many_parts_is_that_of_the_cpu,
        ),
        (
            "command_line::a_sweep_by_intervals_is_that_of_the_cpu",
            command_line::a_sweep_by_intervals_is_that_of_the_cpu,
        ),
        ("margins::without_a_margin_moving_boxes_go_wrong", margins::without_a_margin_moving_boxes_go_wrong),
        ("margins::without_a_margin_triangles_go_wrong", margins::without_a_margin_triangles_go_wrong),
        ("margins::without_a_margin_boxes_go_wrong", margins::without_a_margin_boxes_go_wrong),
        ("distances::few_rounds_and_tests_suffice", distances::few_rounds_and_tests_suffice),
        ("distances::distances_are_those_of_the_cpu", distances::distances_are_those_of_the_cpu),
        ("distances::little_room_changes_nothing", distances::little_room_changes_nothing),
        ("memory::idle_buffers_make_room", memory::idle_buffers_make_room),
        ("memory::working_memory_is_limited", memory::working_memory_is_limited),
        ("margins::without_a_margin_doubles_go_wrong", margins::without_a_margin_doubles_go_wrong),
        ("perturbed::operations_round_as_they_should", perturbed::tests::operations_round_as_they_should),
        ("reports::reports_are_those_of_the_cpu", reports::reports_are_those_of_the_cpu),
        ("reports::rounding_changes_no_report", reports::rounding_changes_no_report),
        ("sorting::records_are_sorted_as_on_the_cpu", sorting::records_are_sorted_as_on_the_cpu),
        ("sorting::sorted_results_change_nothing", sorting::sorted_results_change_nothing),
        ("sorting::faults_are_found", sorting::faults_are_found),
        ("residence::a_second_batch_sends_only_poses", residence::a_second_batch_sends_only_poses),
        ("residence::trees_make_room_for_others", residence::trees_make_room_for_others),
        ("residence::a_session_keeps_its_trees", residence::a_session_keeps_its_trees),
        ("failures::the_cpu_goes_on_without_a_device", failures::the_cpu_goes_on_without_a_device),
        ("failed_runs::the_report_is_that_of_the_cpu", failed_runs::the_report_is_that_of_the_cpu),
        ("failed_runs::an_interrupted_run_leaves_nothing", failed_runs::an_interrupted_run_leaves_nothing),
        ("scenes::contacts_are_those_of_the_cpu", scenes::contacts_are_those_of_the_cpu),
        ("scenes::few_triangle_pairs_stay_unsure", scenes::few_triangle_pairs_stay_unsure),
        ("scenes::refusals_are_counted_by_reason", scenes::refusals_are_counted_by_reason),
        ("scenes::little_room_changes_nothing", scenes::little_room_changes_nothing),
        ("scenes::contacts_beyond_a_limit_are_dropped", scenes::contacts_beyond_a_limit_are_dropped),
    ];
    let mut trials = vec![
        Trial::test("layout::structs_are_the_same", plain(layout::structs_are_the_same)),
        Trial::test("layout::sweeps_compare_integers", plain(layout::sweeps_compare_integers)),
        Trial::test("margins::every_margin_has_a_test", plain(margins::every_margin_has_a_test)),
        Trial::test(
            "command_line::without_an_adapter_the_backend_is_refused",
            plain(command_line::without_an_adapter_the_backend_is_refused),
        ),
    ];
    for (name, test) in on_device {
        let trial = match &device {
            Ok(device) => {
                let device = *device;
                Trial::test(name, plain(move || test(device)))
            }
            Err(error) => Trial::test(format!("{name} ({error})"), || Ok(())).with_ignored_flag(true),
        };
        trials.push(trial);
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Returns the name or number of the adapter to test: by default the best one.
fn adapter() -> String {
    std::env::var("CLOSEFIT_ADAPTER").unwrap_or_else(|_| "0".to_owned())
}

/// Limits with `CLOSEFIT_DEVICE_ROOM=little`: a stack of 64 items, room for 64 items of fronts, arenas of 1
/// MiB, and all results sorted on the device.
fn little() -> Limits {
    Limits { stack: 64, arena: 1 << 20, fronts: 64, sort_from: 0, ..Limits::default() }
}

/// Returns the limits of device memory for tests: those of the library, or little room.
fn limits() -> Limits {
    if has_little_room() { little() } else { Limits::default() }
}

/// Gives a device little room for all work that does not say otherwise. It also finds the candidate pairs of
/// few boxes.
fn give_little_room(device: Device) {
    device.set_limits(little());
    device.set_limits(broad::Limits { from: 2, page: 150, pairs: 1000 });
}

/// Returns true if the device has little room.
fn has_little_room() -> bool {
    std::env::var("CLOSEFIT_DEVICE_ROOM").is_ok_and(|room| room == "little")
}

/// Returns the scenes of a test and their sizes: the smaller ones with little room, where a round opens few
/// boxes.
fn scenes<T: Copy>(usual: &[T], smaller: &[T]) -> Vec<T> {
    if has_little_room() { smaller.to_vec() } else { usual.to_vec() }
}

/// Returns the seeds with which a test reaches `CLOSEFIT_INPUTS` inputs, if each gives `each`, or else
/// `default` seeds.
fn seeds(each: u64, default: u64) -> std::ops::Range<u64> {
    match std::env::var("CLOSEFIT_INPUTS") {
        Ok(text) => 0..text.parse::<u64>().expect("CLOSEFIT_INPUTS is a whole number").div_ceil(each),
        Err(_) => 0..default,
    }
}

/// Wraps a test that fails by panicking.
fn plain(test: impl FnOnce() + Send + 'static) -> impl FnOnce() -> Result<(), Failed> + Send + 'static {
    move || {
        test();
        Ok(())
    }
}
