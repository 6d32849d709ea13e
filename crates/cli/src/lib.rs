//! The command line, a thin layer over the library, which is the package `closefit-engine`.
//!
//! Exit status: 0 if no pair is at or above `--fail-on`, 1 if some pair is, 2 on wrong usage or bad input
//! (exactly one line on stderr), 3 if trees disagree, 130, 143 or 129 if interrupted by Ctrl-C, SIGTERM or
//! SIGHUP.

mod audit;
mod bars;
mod batch;
mod bench;
mod certificate;
mod check;
mod check_results;
mod check_rows;
mod command;
mod cross_check;
#[cfg(feature = "gpu")]
mod devices;
mod diff;
mod errors;
mod files;
mod flags;
mod generate;
mod inspect;
mod joint_box;
mod joints;
mod machine;
mod merge_rows;
mod outcome;
mod pair_commands;
mod pair_results;
mod progress;
mod report;
mod reproduce;
mod row_lines;
mod settings;
mod slack;
mod sweep;
mod terminal;
mod verify;
mod waive;

use std::ffi::OsString;
use std::io::{self, Write};
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;

use clap::error::ErrorKind;

use closefit_geometry::text::printable;
use command::{Cli, check_environment, summary, usage_in_one_line};
use errors::in_one_line;
use outcome::{Outcome, USAGE_OR_INPUT};

/// Runs the program with the arguments of the process, and returns its exit status.
pub fn run() -> ExitCode {
    if let Ok(program) = std::env::current_exe() {
        is_started_by(vec![program.into()]);
    }
    run_with(std::env::args_os()).into()
}

/// The argument with which the program starts itself as the kernel of IFC files.
#[cfg(feature = "ifc")]
const IFC_KERNEL: &str = "ifc-kernel";

/// Sets the command that starts this program, as which it runs the kernel of IFC files in another process.
#[cfg_attr(not(feature = "ifc"), expect(unused_variables, reason = "nothing else starts it again"))]
pub fn is_started_by(command: Vec<OsString>) {
    #[cfg(feature = "ifc")]
    closefit_scene::read::kernel_program(command.into_iter().chain([IFC_KERNEL.into()]).collect());
}

/// Runs the program with arguments, its own name first, and returns its exit status. The process is then that
/// of the program: it takes the signals, and says panics in one line.
pub fn run_with(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    #[cfg(feature = "ifc")]
    if arguments.get(1).is_some_and(|argument| argument == IFC_KERNEL) {
        return closefit_scene::read::run_kernel(&arguments[2..]);
    }
    terminal::leave_cleanly_on_signals();
    terminal::report_panics_in_one_line();
    let cli = match Cli::of(arguments) {
        Ok(cli) => cli,
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            return match error.print().and_then(|()| io::stdout().flush()) {
                // A reader that has seen enough may close the pipe.
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                    refuse(&format!("standard output: {error}"))
                }
                _ => Outcome::Pass.status(),
            };
        }
        // The summary helps people, and the line and the status keep a script from taking it for a result.
        Err(error) if error.kind() == ErrorKind::MissingSubcommand => {
            let _ = terminal::print(summary().as_bytes());
            return refuse("no command is given");
        }
        Err(error) => return refuse(&usage_in_one_line(&error.render().to_string())),
    };
    if let Err(why) = check_environment() {
        return refuse(&why);
    }
    // Nothing that a panic has left halfway is looked at again.
    let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| command::run(cli)));
    terminal::leave_output();
    match outcome {
        Ok(Ok(outcome)) => outcome.status(),
        Ok(Err(error)) => refuse(&in_one_line(&error)),
        // The panic hook has already said what happened.
        Err(_) => USAGE_OR_INPUT,
    }
}

fn refuse(message: &str) -> u8 {
    terminal::say(&format!("error: {}", printable(message)));
    USAGE_OR_INPUT
}
