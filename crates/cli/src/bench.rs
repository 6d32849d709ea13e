//! `closefit bench`: what every method takes for the same answers about a scene.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;
use clap::Args;

use super::args::{Input, PairArgs, threads};
use super::bars::bars;
use super::help::{BENCH, OUTPUT};
use super::progress::Progress;
use super::project::ProjectAsked;
use super::{
    FlagLength, Outcome, decide, machine, of_flag, print_document, read_scene, refusal, say_notes, terminal,
    time,
};
use closefit::internals::engine::{Clock, Observer, Stage};
use closefit_job::{BenchOptions, BenchQuestion, Job, JobError, RowSource};
use closefit_report::document::Word;
use closefit_report::files::{NewFile, ready};
use closefit_report::{BenchReport, json, table};
use closefit_scene::read::Motions;

#[derive(Debug, Args)]
#[command(after_help = BENCH)]
pub struct BenchArgs {
    /// Parts this close are listed
    #[arg(long, value_name = "LEN", default_value = "0", allow_hyphen_values = true)]
    clearance: String,
    /// Ask about moving parts where they are at this time, in seconds, instead of over their motion
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    at: Option<String>,
    /// Ask about two meshes at the poses of this CSV, as of check
    #[arg(long, value_name = "FILE", conflicts_with = "at")]
    poses: Option<PathBuf>,
    /// Number of rounds, in which the methods take turns: the one with the least CPU time counts
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Stop a method that takes longer, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    #[command(flatten)]
    pairs: PairArgs,
    #[command(flatten)]
    input: Input,
    /// Write bench.json and bench.svg to this directory
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    out: Option<PathBuf>,
    /// Number of threads, 1 to 1024
    #[arg(long, value_name = "N", default_value = "1", value_parser = threads, allow_hyphen_values = true)]
    threads: u16,
}

pub fn run(args: &BenchArgs) -> anyhow::Result<Outcome> {
    decide::in_pool(args.out.as_deref(), Some(args.threads), &args.input, |clock| run_in_pool(args, clock))
}

fn run_in_pool(args: &BenchArgs, clock: Clock) -> anyhow::Result<Outcome> {
    let input = &args.input;
    let clearance = FlagLength::of("--clearance", &args.clearance, input)?;
    let progress = Progress::new(input.quiet);
    let job = job(args, &progress)?;
    let scene = job.scene();
    progress.name_parts(Arc::clone(job.assembly()));
    let clearance = clearance.in_unit(scene, input)?;
    let open = || RowSource::poses(args.poses.as_deref().expect("a list of poses"), scene);
    let question = question(args, &job, clearance, &open)?;
    let limit = Duration::from_secs(args.limit.into());
    let options = BenchOptions { rounds: args.rounds, limit, processor: machine::processor() };
    let report = match job.bench(&question, &options, &progress) {
        Err(error @ JobError::MethodsDiffer { .. }) => {
            drop(progress);
            terminal::say(&format!("error: {error}"));
            return Ok(Outcome::Disagreement);
        }
        report => report.map_err(refusal)?,
    };
    if args.out.is_some() {
        progress.begin(Stage::Writing, 0);
        let file: NewFile = ("bench.json".to_owned(), Box::new(|file| json::write(file, &report)));
        terminal::write_output(vec![file, ready("bench.svg".to_owned(), picture(&report).into_bytes())])?;
    }
    drop(progress);
    print_document(input, &report, || in_words(&report, args, clock))?;
    say_notes(input, scene, &[]);
    Ok(Outcome::Pass)
}

/// Reads the scene, as it stands at the time `--at` if there is one.
fn job(args: &BenchArgs, progress: &Progress) -> anyhow::Result<Job> {
    let input = &args.input;
    let at = args.at.as_ref().map(|text| time("--at", text, input)).transpose()?;
    let project = ProjectAsked::of(&args.pairs)?;
    let scene = read_scene(input, Motions::Required, args.pairs.srdf.as_ref(), progress)?;
    let job = project.of_scene(scene)?;
    match (at, job.scene().time_range()) {
        (Some(at), Some(_)) => Ok(job.at(at)),
        (Some(_), None) => Err(of_flag(anyhow!("nothing in the scene moves"), "--at", input)),
        (None, _) => Ok(job),
    }
}

/// Returns the question: at poses if there is a list, over the motion if something moves, else at rest.
fn question<'a>(
    args: &BenchArgs,
    job: &Job,
    clearance: f64,
    open: &'a dyn Fn() -> Result<RowSource, JobError>,
) -> anyhow::Result<BenchQuestion<'a>> {
    let input = &args.input;
    let is_at_rest = args.at.is_some() || job.assembly().time_range().is_none();
    if args.poses.is_none() && !is_at_rest {
        let request = job.sweep_request(None, None).map_err(refusal)?.clearance(clearance);
        return Ok(BenchQuestion::Motion(request.winding(input.winding()).memory(input.memory())));
    }
    let request = job.check_request().map_err(refusal)?.clearance(clearance);
    let request = request.winding(input.winding()).memory(input.memory());
    Ok(match args.poses {
        Some(_) => BenchQuestion::Poses(request, open),
        None => BenchQuestion::Rest(request),
    })
}

/// Returns the text for stdout.
fn in_words(report: &BenchReport, args: &BenchArgs, clock: Clock) -> String {
    let methods = table::bench_methods(report, Some(decide::width()));
    let (header, best) = (table::bench_header(report), table::bench_best(report));
    decide::summary(&args.input.scenes, [&header, &methods, &best], clock)
}

/// Returns the CPU seconds of all methods as bars.
fn picture(report: &BenchReport) -> String {
    let methods = report.methods.iter().zip(&report.this_machine.seconds).map(|(method, seconds)| {
        let name = format!("{} {}", method.choice.word(), method.name);
        (name, seconds.as_ref().map(|seconds| seconds.cpu).ok_or("stopped"))
    });
    let title = format!("The same answers by each method ({})", report.this_machine.processor);
    bars(&title, "s of CPU time", &methods.collect::<Vec<_>>())
}
