//! `closefit bench`: what every method takes for the same answers about a scene.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;

use crate::bars::bars;
use crate::errors::of_flag;
use crate::outcome::Outcome;
use crate::pair_commands::{self, in_pool};
use crate::progress::Progress;
use crate::settings::input::Input;
use crate::settings::length::FlagLength;
use crate::settings::pairs::PairChoice;
use crate::{machine, terminal};
use closefit::internals::engine::Clock;
use closefit::{Observer, Stage};
use closefit_job::{BenchOptions, BenchQuestion, Job, JobError, RowSource};
use closefit_report::document::Word;
use closefit_report::files::{NewFile, ready};
use closefit_report::{BenchReport, json, table};
use closefit_scene::read::Motions;

/// A comparison of all methods.
#[derive(Clone, Debug)]
pub struct BenchPlan {
    pub input: Input,
    pub pairs: PairChoice,
    pub clearance: FlagLength,
    /// The time at which moving parts are taken, in seconds.
    pub at: Option<f64>,
    /// The file with the poses of the second of two parts.
    pub poses: Option<PathBuf>,
    /// The number of rounds.
    pub rounds: u32,
    /// The seconds after which a method is stopped.
    pub limit: u32,
    pub out: Option<PathBuf>,
    pub threads: u16,
}

/// Compares all methods.
pub fn run(plan: &BenchPlan) -> anyhow::Result<Outcome> {
    in_pool(plan.out.as_deref(), Some(plan.threads), |clock| run_in_pool(plan, clock))
}

fn run_in_pool(plan: &BenchPlan, clock: Clock) -> anyhow::Result<Outcome> {
    let input = &plan.input;
    let progress = Progress::new(input.quiet);
    let job = job(plan, &progress)?;
    let scene = job.scene();
    progress.name_parts(Arc::clone(job.assembly()));
    let clearance = plan.clearance.in_unit(scene)?;
    let open = || RowSource::poses(plan.poses.as_deref().expect("a list of poses"), scene);
    let question = question(plan, &job, clearance, &open)?;
    let limit = Duration::from_secs(plan.limit.into());
    let options = BenchOptions { rounds: plan.rounds, limit, processor: machine::processor() };
    let report = match job.bench(&question, &options, &progress) {
        Err(error @ JobError::MethodsDiffer { .. }) => {
            drop(progress);
            terminal::say(&format!("error: {error}"));
            return Ok(Outcome::Disagreement);
        }
        report => report?,
    };
    if plan.out.is_some() {
        progress.begin(Stage::Writing, 0);
        let file: NewFile = ("bench.json".to_owned(), Box::new(|file| json::write(file, &report)));
        terminal::write_output(vec![file, ready("bench.svg".to_owned(), picture(&report).into_bytes())])?;
    }
    drop(progress);
    input.print_document(&report, || in_words(&report, &input.scenes, clock))?;
    let slow = report.this_machine.slow_pair.as_ref().and_then(table::slow_note);
    input.say_notes(scene, slow.as_slice());
    Ok(Outcome::Pass)
}

/// Reads the scene, as it stands at the time `--at` if there is one.
fn job(plan: &BenchPlan, progress: &Progress) -> anyhow::Result<Job> {
    let job = plan.input.job(&plan.pairs, Motions::Required, progress)?;
    match plan.at {
        None => Ok(job),
        Some(at) if plan.input.has_times(job.scene()) => Ok(job.at(at)),
        Some(_) => Err(of_flag(anyhow!("nothing in the scene moves"), "--at")),
    }
}

/// Returns the question: at poses if there is a list, over the motion if something moves, else at rest.
fn question<'a>(
    plan: &BenchPlan,
    job: &Job,
    clearance: f64,
    open: &'a dyn Fn() -> Result<RowSource, JobError>,
) -> anyhow::Result<BenchQuestion<'a>> {
    let input = &plan.input;
    let is_at_rest = plan.at.is_some() || job.assembly().time_range().is_none();
    if plan.poses.is_none() && !is_at_rest {
        let request = job.sweep_request(None, None)?.clearance(clearance);
        return Ok(BenchQuestion::Motion(request.winding(input.winding).memory(input.memory())));
    }
    let request = job.check_request()?.clearance(clearance);
    let request = request.winding(input.winding).memory(input.memory());
    Ok(match plan.poses {
        Some(_) => BenchQuestion::Poses(request, open),
        None => BenchQuestion::Rest(request),
    })
}

/// Returns the text for stdout.
fn in_words(report: &BenchReport, scenes: &[PathBuf], clock: Clock) -> String {
    let methods = table::bench_methods(report, Some(pair_commands::width()));
    let (header, best) = (table::bench_header(report), table::bench_best(report));
    pair_commands::summary(scenes, [&header, &methods, &best], clock)
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
