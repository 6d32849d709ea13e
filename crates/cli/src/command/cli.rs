//! The command line: its commands, and how arguments are parsed.

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use super::overwriting;
use super::short::{self, Form};
use crate::flags::audit::AuditFlags;
use crate::flags::batch::BatchFlags;
use crate::flags::bench::BenchFlags;
use crate::flags::check::CheckFlags;
#[cfg(feature = "gpu")]
use crate::flags::devices::DevicesFlags;
use crate::flags::files::{DiffFlags, GenerateFlags, MergeFlags, ReportFlags, ReproduceFlags, WaiveFlags};
use crate::flags::help::{EXAMPLES, OUTPUT};
use crate::flags::joint_box::JointBoxFlags;
use crate::flags::pages::{CompletionsFlags, ManFlags};
use crate::flags::scenes::{InspectFlags, VerifyFlags};
use crate::flags::slack::SlackFlags;
use crate::flags::sweep::SweepFlags;
use crate::flags::values::threads;
use crate::settings::fail_on::FailOn;
use crate::settings::written::WrittenFile;
use crate::terminal::Colours;

/// Exact clash and clearance checking of triangle-mesh assemblies.
#[derive(Debug, Parser)]
#[command(name = "closefit", version, arg_required_else_help = false, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// Colour the verdicts: auto (on a terminal, unless NO_COLOR is set), always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_default_value = true,
        hide_possible_values = true, help_heading = OUTPUT)]
    pub color: ColorArg,
    /// The arguments of the program, without its name.
    #[arg(skip)]
    pub arguments: Vec<OsString>,
}

impl Cli {
    /// Parses arguments, the name of the program first.
    pub fn of(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let arguments: Vec<OsString> = arguments.into_iter().collect();
        let is_short = arguments.len() < 2 || arguments.iter().any(|argument| argument == "-h");
        let mut command = short::shaped(Self::command(), if is_short { Form::Short } else { Form::Whole });
        let matches = command.try_get_matches_from_mut(&arguments)?;
        let mut cli = Self::from_arg_matches(&matches)?;
        if let Some((name, matches)) = matches.subcommand()
            && let Some(command) = command.find_subcommand(name)
        {
            cli.command.writes(overwriting::written(command, matches)?);
        }
        if let (Command::Check(flags), Some((_, matches))) = (&mut cli.command, matches.subcommand()) {
            flags.refuse_conflicts(matches)?;
            if flags.baseline.is_some() && matches.value_source("fail_on") != Some(ValueSource::CommandLine) {
                flags.last.run.fail_on = FailOn::Worse;
            }
        }
        cli.arguments = arguments.into_iter().skip(1).collect();
        Ok(cli)
    }
}

/// The choice of colours.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ColorArg {
    Auto,
    Always,
    Never,
}

impl From<ColorArg> for Colours {
    fn from(color: ColorArg) -> Self {
        match color {
            ColorArg::Auto => Self::Auto,
            ColorArg::Always => Self::Always,
            ColorArg::Never => Self::Never,
        }
    }
}

/// The commands, in the order in which people need them.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the parts of a scene and the defects of its meshes
    Inspect(InspectFlags),
    /// Find clashes, contacts and small clearances between parts at rest
    Check(CheckFlags),
    /// Find times of contact and smallest clearances between moving parts
    Sweep(SweepFlags),
    /// Compare two reports: new, worse and resolved pairs
    Diff(DiffFlags),
    /// Show the findings of a finished run: a page, pictures, BCF issues, a model
    Report(ReportFlags),
    /// Accept findings as long as they get no worse
    Waive(WaiveFlags),
    /// Find how far a part can move before it hits another
    Slack(SlackFlags),
    /// Find which parts of a robot can meet, over all values of its joints
    JointBox(JointBoxFlags),
    /// Compare the collision geometry of a robot with its visual geometry, and check its SRDF
    Audit(AuditFlags),
    /// Check many scenes in one process
    Batch(BatchFlags),
    /// Merge the shards of one run
    Merge(MergeFlags),
    /// Verify the claims of a certificate again
    Verify(VerifyFlags),
    /// List the GPUs of this machine, and when a run uses one
    #[cfg(feature = "gpu")]
    Devices(DevicesFlags),
    /// Write a benchmark scene
    Generate(GenerateFlags),
    /// Benchmark all algorithms on a scene
    Bench(BenchFlags),
    /// Run the experiments of five papers on collision detection again
    Reproduce(ReproduceFlags),
    /// Print a script that completes commands and flags in a shell
    Completions(CompletionsFlags),
    /// Print the manual page, or write one for each command
    Man(ManFlags),
    /// Print the licences of all that the program contains
    Licenses,
}

impl Command {
    /// Notes the files that the command writes, if it reads a scene.
    fn writes(&mut self, files: Vec<WrittenFile>) {
        match self {
            Self::Inspect(flags) => flags.input.written = files,
            Self::Check(flags) => flags.scene_run.input.written = files,
            Self::Sweep(flags) => flags.scene_run.input.written = files,
            Self::Report(flags) => flags.written = files,
            Self::Slack(flags) => flags.input.written = files,
            Self::JointBox(flags) => flags.input.written = files,
            Self::Bench(flags) => flags.input.written = files,
            _ => {}
        }
    }
}

/// Returns the short help of the program.
pub fn summary() -> String {
    short::shaped(Cli::command(), Form::Short).render_help().to_string()
}

/// Returns the cause and the hint of a usage error, without the synopsis that follows them.
pub fn usage_in_one_line(rendered: &str) -> String {
    let lines = rendered.lines().map(str::trim);
    let telling = lines.take_while(|l| !l.starts_with("Usage:") && !l.starts_with("For more information"));
    // How to pass a flag as a file is no help to anybody.
    let telling = telling.filter(|l| !l.is_empty() && !l.starts_with("tip: to pass"));
    let joined = telling.collect::<Vec<_>>().join(" ");
    joined.strip_prefix("error: ").unwrap_or(&joined).replace(" tip: ", "; ")
}

/// Refuses a number of threads in the environment that `--threads` refuses too: every command would start as
/// many.
pub fn check_environment() -> Result<(), String> {
    const VARIABLE: &str = "RAYON_NUM_THREADS";
    let said = std::env::var(VARIABLE).unwrap_or_default();
    match said.parse::<usize>() {
        // For 0, and for what is no number, the thread pool takes its default.
        Ok(1..) => {
            threads(&said).map(drop).map_err(|why| format!("invalid value '{said}' for {VARIABLE}: {why}"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    /// Returns the words of a command line, up to a comment, a pipe or a redirection.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
        for c in line.chars().chain([' ']) {
            match (quote, c) {
                (Some(open), c) if c == open => quote = None,
                (None, '\'' | '"') => quote = Some(c),
                (None, ' ') if word.is_empty() => {}
                (None, ' ') => words.push(std::mem::take(&mut word)),
                (None, '#' | '|' | '>' | '&' | ';') if word.is_empty() => break,
                _ => word.push(c),
            }
        }
        words
    }

    /// Returns the command lines in the blocks of a page that call the program.
    fn command_lines(page: &str) -> Vec<String> {
        let blocks = page.split("```").skip(1).step_by(2);
        let of_shell = blocks.filter(|block| block.starts_with("sh\n") || block.starts_with("text\n$ "));
        let lines = of_shell
            .flat_map(|block| block.replace("\\\n", " ").lines().map(str::to_owned).collect::<Vec<_>>());
        lines
            .filter_map(|line| line.trim_start_matches("$ ").strip_prefix("closefit ").map(str::to_owned))
            .collect()
    }

    #[test]
    fn the_commands_of_pages_have_flags_that_there_are() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let pages = std::fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
        let mut count = 0;
        for path in
            pages.filter(|path| path.extension().is_some_and(|e| e == "md")).chain([root.join("README.md")])
        {
            for line in command_lines(&std::fs::read_to_string(&path).unwrap()) {
                // Other lines call the program of a shell's variable, or leave something out.
                if line.contains(['$', '…']) || line.contains("...") {
                    continue;
                }
                let arguments =
                    std::iter::once("closefit".to_owned()).chain(words(&line)).map(OsString::from);
                if let Err(error) = Cli::of(arguments) {
                    let why = usage_in_one_line(&error.to_string());
                    assert!(
                        error.kind() == clap::error::ErrorKind::DisplayHelp,
                        "{}: {line}: {why}",
                        path.display()
                    );
                }
                count += 1;
            }
        }
        assert!(count > 60, "{count} commands");
    }

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
