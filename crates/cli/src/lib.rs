//! The command line, a thin layer over the library.
//!
//! Exit status: 0 if no pair is at or above `--fail-on`, 1 if some pair is, 2 on wrong usage or bad input
//! (exactly one line on stderr), 3 if trees disagree, 130, 143 or 129 if interrupted by Ctrl-C, SIGTERM or
//! SIGHUP.

mod args;
mod bars;
mod batch;
mod bcf_args;
mod bench;
mod certificate;
mod check;
mod check_results;
mod check_rows;
mod cross_check;
mod decide;
mod diff;
mod exports;
mod generate;
mod grouping;
mod heat_map;
mod help;
mod html_args;
mod inspect;
mod joint_box;
mod kept_args;
mod machine;
mod merge;
mod merge_rows;
mod progress;
mod project;
mod question_args;
mod report;
mod reproduce;
mod row_args;
mod row_lines;
mod scene_exports;
mod slack;
mod sweep;
mod table_args;
mod terminal;
mod verify;
mod waive;

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::anyhow;
use clap::error::ErrorKind;
use serde::Serialize;

use args::{Cli, Command, Input};
use closefit::Observer;
use closefit_geometry::motion::LATEST;
use closefit_geometry::scene::Scene;
use closefit_geometry::text::printable;
use closefit_geometry::units::{Length, UnitError};
use closefit_job::{JobError, ReadScene, files_line, read};
use closefit_report::json;
use closefit_scene::read::{Motions, ReadOptions, package_path};

/// The result of a command that ran to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// No pair at or above `--fail-on`.
    Pass,
    /// Some pair at or above `--fail-on`.
    Fail,
    /// Trees disagree under `--cross-check`.
    Disagreement,
}

impl Outcome {
    /// Returns the worse of two outcomes of decided pairs.
    fn worse(self, other: Self) -> Self {
        if self == Self::Pass { other } else { self }
    }

    fn status(self) -> u8 {
        match self {
            Self::Pass => SUCCESS,
            Self::Fail => FAILURE,
            Self::Disagreement => DISAGREEMENT,
        }
    }
}

const SUCCESS: u8 = 0;
const FAILURE: u8 = 1;
const USAGE_OR_INPUT: u8 = 2;
const DISAGREEMENT: u8 = 3;

/// Runs the program with the arguments of the process, and returns its exit status.
pub fn run() -> ExitCode {
    run_with(std::env::args_os()).into()
}

/// Runs the program with arguments, its own name first, and returns its exit status. The process is then that
/// of the program: it takes the signals, and says panics in one line.
pub fn run_with(arguments: impl IntoIterator<Item = OsString>) -> u8 {
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
                _ => SUCCESS,
            };
        }
        Err(error) => return refuse(&usage_in_one_line(&error.render().to_string())),
    };
    if let Err(why) = check_environment() {
        return refuse(&why);
    }
    // Nothing that a panic has left halfway is looked at again.
    let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| match &cli.command {
        Command::Check(args) => check::run(args),
        Command::Batch(args) => batch::run(args),
        Command::Sweep(args) => sweep::run(args),
        Command::Merge(args) => merge::run(args),
        Command::Slack(args) => slack::run(args),
        Command::JointBox(args) => joint_box::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Inspect(args) => inspect::run(args),
        Command::Waive(args) => waive::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Generate(args) => generate::run(args),
        Command::Diff(args) => diff::run(args),
        Command::Report(args) => report::run(args),
        Command::Reproduce(args) => reproduce::run(args),
    }));
    terminal::leave_output();
    match outcome {
        Ok(Ok(outcome)) => outcome.status(),
        Ok(Err(error)) => refuse(&in_one_line(&error)),
        // The panic hook has already said what happened.
        Err(_) => USAGE_OR_INPUT,
    }
}

/// Refuses a number of threads in the environment that `--threads` refuses too: every command would start as
/// many.
fn check_environment() -> Result<(), String> {
    const VARIABLE: &str = "RAYON_NUM_THREADS";
    let said = std::env::var(VARIABLE).unwrap_or_default();
    match said.parse::<usize>() {
        // For 0, and for what is no number, the thread pool takes its default.
        Ok(1..) => args::threads(&said)
            .map(drop)
            .map_err(|why| format!("invalid value '{said}' for {VARIABLE}: {why}")),
        _ => Ok(()),
    }
}

fn refuse(message: &str) -> u8 {
    terminal::say(&format!("error: {}", printable(message)));
    USAGE_OR_INPUT
}

/// Joins an error and its causes, without causes that the text already ends with.
fn in_one_line(error: &anyhow::Error) -> String {
    // As it is printed, since errors of the library are that already and a cause may not be.
    error.chain().map(|cause| printable(&cause.to_string())).fold(String::new(), |text, cause| {
        match text.as_str() {
            "" => cause,
            told if told.ends_with(&cause) => text,
            _ => format!("{text}: {cause}"),
        }
    })
}

/// Returns the cause and the hint of a usage error, without the synopsis that follows them.
fn usage_in_one_line(rendered: &str) -> String {
    let lines = rendered.lines().map(str::trim);
    let telling = lines.take_while(|l| !l.starts_with("Usage:") && !l.starts_with("For more information"));
    // How to pass a flag as a file is no help to anybody.
    let telling = telling.filter(|l| !l.is_empty() && !l.starts_with("tip: to pass"));
    let joined = telling.collect::<Vec<_>>().join(" ");
    joined.strip_prefix("error: ").unwrap_or(&joined).replace(" tip: ", "; ")
}

/// Reads the scene of a command.
fn read_scene(
    input: &Input,
    motions: Motions,
    srdf: Option<&PathBuf>,
    observer: &dyn Observer,
) -> anyhow::Result<ReadScene> {
    let options = ReadOptions { srdf: srdf.cloned(), motions, ..read_options(input) };
    Ok(read(&input.scenes, &options, observer)?)
}

/// Returns the user's options for reading files.
fn read_options(input: &Input) -> ReadOptions {
    ReadOptions {
        unit: input.reading.unit,
        models: input.models.clone(),
        trajectory: input.trajectory.clone(),
        collision_geometry: input.reading.collision_geometry,
        allow_outside: input.reading.allow_outside,
        packages: input.reading.packages.clone(),
        package_path: package_path(),
        allow_missing: input.reading.allow_missing,
        memory: input.memory(),
        ..ReadOptions::default()
    }
}

/// Prints a document as JSON if that is asked for, or else what it says in words.
fn print_document(
    input: &Input,
    document: &impl Serialize,
    in_words: impl FnOnce() -> String,
) -> anyhow::Result<()> {
    match (input.json, input.quiet) {
        (true, _) => terminal::print_by(|stdout| json::write(stdout, document)),
        (false, true) => Ok(()),
        (false, false) => terminal::print(in_words().as_bytes()),
    }
}

/// Prints the notes, the last output of a command.
fn say_notes(input: &Input, scene: &Scene, others: &[String]) {
    if !input.quiet {
        terminal::print_notes(scene.notes.iter().chain(others));
    }
}

/// Returns the error of a job; of one that would find nothing, with the flag that accepts it.
fn refusal(error: JobError) -> anyhow::Error {
    match error {
        JobError::Nothing { .. } => accepted_by_flag(&error.to_string()),
        error => error.into(),
    }
}

fn accepted_by_flag(why: &str) -> anyhow::Error {
    anyhow!("{why} (--allow-empty accepts that)")
}

/// Adds the flag and the scene's files to an error that concerns both.
fn of_flag(error: impl Into<anyhow::Error>, flag: impl fmt::Display, input: &Input) -> anyhow::Error {
    error.into().context(flag.to_string()).context(files_line(&input.scenes))
}

/// Parses the time of a flag, in seconds.
fn time(flag: &str, text: &str, input: &Input) -> anyhow::Result<f64> {
    let time = text.parse().ok().filter(|time: &f64| time.abs() <= LATEST);
    let refusal = || anyhow!("'{text}': a time is a number of seconds, within 2^200");
    time.ok_or_else(|| of_flag(refusal(), flag, input))
}

/// The length of a flag, before the scene's unit is known.
struct FlagLength {
    flag: &'static str,
    length: Length,
}

impl FlagLength {
    fn of(flag: &'static str, text: &str, input: &Input) -> anyhow::Result<Self> {
        let length = text.parse().map_err(|error: UnitError| of_flag(error, flag, input))?;
        Ok(Self { flag, length })
    }

    fn of_optional(flag: &'static str, text: Option<&String>, input: &Input) -> anyhow::Result<Option<Self>> {
        text.map(|text| Self::of(flag, text, input)).transpose()
    }

    fn in_unit(&self, scene: &Scene, input: &Input) -> anyhow::Result<f64> {
        self.length.in_unit(scene.unit).map_err(|error| of_flag(error, self.flag, input))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[test]
    fn usage_errors_fold_to_one_line() {
        for (arguments, expected) in [
            (&["check"][..], "the following required arguments were not provided: <SCENE>..."),
            (
                &["check", "a.stl", "--clearnce", "1"],
                "unexpected argument '--clearnce' found; a similar argument exists: '--clearance'",
            ),
            (
                &["check", "a.stl", "--precision", "0"],
                "unexpected argument '--precision' found; a similar argument exists: '--origin'",
            ),
            (
                &["check", "a.stl", "--threads", "0"],
                "invalid value '0' for '--threads <N>': a number of threads is from 1 to 1024",
            ),
        ] {
            let arguments = std::iter::once("closefit").chain(arguments.iter().copied());
            let error = Cli::try_parse_from(arguments).unwrap_err();
            assert_eq!(usage_in_one_line(&error.render().to_string()), expected);
        }
    }
}
