//! Tests of the program on a compute device: the adapter named by `CLOSEFIT_ADAPTER`, or else the best.
//! Without an adapter, the tests that need one show as ignored, with the reason.

mod command_line;
mod failed_runs;

use std::process::ExitCode;

use closefit_testing::on_device::*;
use libtest_mimic::Trial;

fn main() -> ExitCode {
    if let Ok(failed_run) = std::env::var(failed_runs::FAILED_RUN) {
        return failed_runs::closefit(&failed_run);
    }
    #[cfg(unix)]
    closefit_testing::command::let_children_be_interrupted();
    let on_device: Vec<OnDevice> = vec![
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
        ("command_line::rows_are_those_of_the_cpu", command_line::rows_are_those_of_the_cpu),
        ("command_line::devices_are_listed", command_line::devices_are_listed),
        ("failed_runs::the_report_is_that_of_the_cpu", failed_runs::the_report_is_that_of_the_cpu),
        ("failed_runs::an_interrupted_run_leaves_nothing", failed_runs::an_interrupted_run_leaves_nothing),
    ];
    // It takes the longest, and the library's tests have frames that a device finds as well.
    let (asked, mut without) =
        but_those_of_full_runs(on_device, |name| name.contains("a_sweep_of_many_parts"));
    without.push(Trial::test(
        "command_line::without_an_adapter_none_is_listed",
        plain(command_line::without_an_adapter_none_is_listed),
    ));
    without.push(Trial::test(
        "command_line::without_an_adapter_the_backend_is_refused",
        plain(command_line::without_an_adapter_the_backend_is_refused),
    ));
    run_tests(&open(u64::MAX), without, &asked)
}
