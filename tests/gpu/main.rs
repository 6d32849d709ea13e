//! Tests of the compute path, on the adapter named by `CLOSEFIT_ADAPTER`, or else the best. Without an
//! adapter, the tests that need one show as ignored, with the reason.

#![allow(clippy::disallowed_methods)]

mod boxes;
mod candidate_pairs;
mod distances;
mod doubles;
mod failures;
mod fixed_point;
mod groups;
mod kernels;
mod layout;
mod many_poses;
mod margins;
mod memory;
mod moving_boxes;
mod moving_triangles;
mod near_boxes;
mod near_triangles;
mod octets;
mod perturbed;
mod placing;
mod pose_batches;
mod reports;
mod residence;
mod rows;
mod scenes;
mod sorting;
mod stretches;
mod triangles;

use std::process::ExitCode;

use closefit_testing::on_device::*;
use libtest_mimic::Trial;

fn main() -> ExitCode {
    let failure = std::env::var(failures::FAILURE);
    let device = open(if failure.as_deref() == Ok(failures::NARROW) { 1 << 20 } else { u64::MAX });
    if let (Ok(failure), Ok(device)) = (failure, &device) {
        failures::play(&failure, *device);
        return ExitCode::SUCCESS;
    }
    if let Ok(device) = &device {
        perturbed::begin(*device);
        if has_little_room() {
            give_little_room(*device);
        }
    }
    let on_device: Vec<OnDevice> = vec![
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
        (
            "moving_boxes::what_is_excluded_of_moving_boxes_stays_apart",
            moving_boxes::what_is_excluded_of_moving_boxes_stays_apart,
        ),
        (
            "moving_triangles::what_is_excluded_of_moving_triangles_stays_apart",
            moving_triangles::what_is_excluded_of_moving_triangles_stays_apart,
        ),
        ("stretches::what_is_proven_of_stretches_is_so", stretches::what_is_proven_of_stretches_is_so),
        ("stretches::little_room_changes_nothing", stretches::little_room_changes_nothing),
        ("stretches::halves_are_proven_as_they_are", stretches::halves_are_proven_as_they_are),
        ("stretches::what_is_left_goes_on", stretches::what_is_left_goes_on),
        ("stretches::faults_are_found", stretches::faults_are_found),
        (
            "margins::without_a_margin_moving_triangles_go_wrong",
            margins::without_a_margin_moving_triangles_go_wrong,
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
        ("groups::answers_are_those_of_the_cpu", groups::answers_are_those_of_the_cpu),
        ("groups::what_is_left_goes_on", groups::what_is_left_goes_on),
        ("groups::distances_are_those_of_the_cpu", groups::distances_are_those_of_the_cpu),
        ("groups::distances_left_go_on", groups::distances_left_go_on),
        ("groups::faults_are_found", groups::faults_are_found),
        ("octets::random_pairs_are_those_of_the_cpu", octets::random_pairs_are_those_of_the_cpu),
        ("octets::few_questions_are_answered", octets::few_questions_are_answered),
        ("octets::what_is_left_goes_on", octets::what_is_left_goes_on),
        ("octets::faults_are_found", octets::faults_are_found),
        ("many_poses::of_tori", many_poses::of_tori),
        ("many_poses::of_nested", many_poses::of_nested),
        ("many_poses::of_bolt_nut", many_poses::of_bolt_nut),
        ("many_poses::of_boxes", many_poses::of_boxes),
        ("many_poses::rows_of_a_robot", many_poses::rows_of_a_robot),
        ("placing::pairs_are_those_of_the_twin", placing::pairs_are_those_of_the_twin),
        ("residence::a_second_batch_sends_only_poses", residence::a_second_batch_sends_only_poses),
        ("residence::trees_make_room_for_others", residence::trees_make_room_for_others),
        ("residence::a_session_keeps_its_trees", residence::a_session_keeps_its_trees),
        ("pose_batches::rows_are_those_of_the_cpu", pose_batches::rows_are_those_of_the_cpu),
        ("pose_batches::an_observer_stops_rows", pose_batches::an_observer_stops_rows),
        ("rows::rows_are_those_of_the_cpu", rows::rows_are_those_of_the_cpu),
        ("rows::many_rows_are_those_of_the_cpu", rows::many_rows_are_those_of_the_cpu),
        ("rows::contacts_beyond_a_limit_are_no_list", rows::contacts_beyond_a_limit_are_no_list),
        ("failures::the_cpu_goes_on_without_a_device", failures::the_cpu_goes_on_without_a_device),
        ("scenes::contacts_are_those_of_the_cpu", scenes::contacts_are_those_of_the_cpu),
        ("scenes::few_triangle_pairs_stay_unsure", scenes::few_triangle_pairs_stay_unsure),
        ("scenes::refusals_are_counted_by_reason", scenes::refusals_are_counted_by_reason),
        ("scenes::little_room_changes_nothing", scenes::little_room_changes_nothing),
        ("scenes::contacts_beyond_a_limit_are_dropped", scenes::contacts_beyond_a_limit_are_dropped),
    ];
    let mut without = vec![
        Trial::test("layout::structs_are_the_same", plain(layout::structs_are_the_same)),
        Trial::test("layout::sweeps_compare_integers", plain(layout::sweeps_compare_integers)),
        Trial::test(
            "placing::a_pair_is_placed_as_precisely_as_promised",
            plain(placing::a_pair_is_placed_as_precisely_as_promised),
        ),
        Trial::test("margins::every_margin_has_a_test", plain(margins::every_margin_has_a_test)),
    ];
    let (asked, left_out) = but_those_of_full_runs(on_device, is_of_full_runs);
    without.extend(left_out);
    run_tests(&device, without, &asked)
}

/// True for the tests that only a full run of CI asks: they compile many rewritten shaders, or do the same
/// work again with little room, which takes minutes.
fn is_of_full_runs(name: &str) -> bool {
    let others = [
        "reports::rounding_changes_no_report",
        "groups::faults_are_found",
        "octets::faults_are_found",
        "sorting::faults_are_found",
        "stretches::faults_are_found",
    ];
    let repeats = name.ends_with("::little_room_changes_nothing");
    repeats || name.starts_with("margins::without") || others.contains(&name)
}

/// Returns the scenes of a test and their sizes: the smaller ones with little room, where a round opens few
/// boxes.
fn scenes<T: Copy>(usual: &[T], smaller: &[T]) -> Vec<T> {
    if has_little_room() { smaller.to_vec() } else { usual.to_vec() }
}

/// Returns the number of inputs that `CLOSEFIT_INPUTS` asks of a test.
fn inputs() -> Option<usize> {
    let text = std::env::var("CLOSEFIT_INPUTS").ok()?;
    Some(text.parse().expect("CLOSEFIT_INPUTS is a whole number"))
}

/// Returns the seeds with which a test reaches `CLOSEFIT_INPUTS` inputs, if each gives `each`, or else
/// `default` seeds in a full run and half of them in others.
fn seeds(each: u64, default: u64) -> std::ops::Range<u64> {
    match inputs() {
        Some(inputs) => 0..(inputs as u64).div_ceil(each),
        None if closefit_testing::on_device::is_full_run() => 0..default,
        None => 0..default.div_ceil(2),
    }
}
