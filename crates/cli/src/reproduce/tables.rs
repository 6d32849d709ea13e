//! Runs experiments, and prints and writes their tables.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::ReproducePlan;
use crate::outcome::Outcome;
use crate::terminal;
use closefit::Pool;
use closefit_report::files::{NewFile, ready};
use closefit_reproduce::{EXPERIMENTS, Effort, Experiment, Observer, Table, find, json};

/// Runs the experiments that the arguments name.
pub fn run(plan: &ReproducePlan) -> anyhow::Result<Outcome> {
    if plan.list {
        let width = EXPERIMENTS.iter().map(|experiment| experiment.name.len()).max().unwrap_or(0);
        let line = |Experiment { name, about, .. }: &Experiment| format!("{name:width$}  {about}\n");
        let list: String = EXPERIMENTS.iter().map(line).collect();
        terminal::print(list.as_bytes())?;
        return Ok(Outcome::Pass);
    }
    let asked = experiments(&plan.tables)?;
    if let Some(dir) = &plan.out {
        terminal::claim_output(dir)?;
    }
    let effort = if plan.quick { Effort::Quick } else { Effort::Full };
    Pool::of(plan.threads.map_or(0, usize::from)).install(|| tables(plan, &asked, effort))??;
    Ok(Outcome::Pass)
}

/// Runs experiments, and writes and prints each table as soon as it is complete; as JSON, prints them all at
/// the end.
fn tables(plan: &ReproducePlan, asked: &[&Experiment], effort: Effort) -> anyhow::Result<()> {
    let bar = Bar::new(plan.quiet);
    let mut tables: Vec<Table> = Vec::new();
    for experiment in asked {
        let table = match &plan.poses {
            None => experiment.run(effort, &bar),
            Some(dir) => {
                let table = experiment.run_with_motions(effort, &bar);
                write_motions(&dir.join(experiment.name), &table)?;
                table
            }
        };
        if plan.out.is_some() {
            terminal::write_output_and_go_on(files(&table))?;
        }
        if !plan.json {
            let between = if tables.is_empty() { "" } else { "\n\n" };
            bar.bar.suspend(|| terminal::print(format!("{between}{}", table.text()).as_bytes()))?;
        }
        tables.push(table);
    }
    drop(bar);
    if plan.json {
        terminal::print(json(&tables).as_bytes())?;
    }
    Ok(())
}

/// Writes each motion of a table to a folder of its own.
fn write_motions(dir: &Path, table: &Table) -> anyhow::Result<()> {
    for motion in &table.motions {
        let files = motion.files(table.table);
        let files = files.into_iter().map(|(name, text)| ready(name, text.into_bytes())).collect();
        terminal::write_between(&dir.join(motion.folder()), files)?;
    }
    Ok(())
}

/// Returns the experiments with these names, each once, or all.
fn experiments(names: &[String]) -> anyhow::Result<Vec<&'static Experiment>> {
    if names.is_empty() {
        return Ok(EXPERIMENTS.iter().collect());
    }
    let mut asked: Vec<&Experiment> = Vec::new();
    for name in names {
        let experiment = find(name)?;
        if !asked.iter().any(|other| other.name == experiment.name) {
            asked.push(experiment);
        }
    }
    Ok(asked)
}

/// Returns the files of a table. Files of a quick run have names of their own, so that they
/// replace none of a full run.
fn files(table: &Table) -> Vec<NewFile<'static>> {
    let quick = if table.effort == Effort::Quick { "-quick" } else { "" };
    let file = |ending: &str| format!("{}{quick}.{ending}", table.table);
    let json = json(std::slice::from_ref(table));
    let svg = table.svg().map(|svg| ready(file("svg"), svg.into_bytes()));
    let texts = [ready(file("json"), json.into_bytes()), ready(file("txt"), table.text().into_bytes())];
    texts.into_iter().chain(svg).collect()
}

/// The interval between two lines about one table if stderr is not a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// A bar on a terminal, otherwise a line for each table, and more of them while it takes long.
struct Bar {
    bar: ProgressBar,
    says_lines: bool,
    /// The time of the last line.
    said: Mutex<Instant>,
}

impl Bar {
    fn new(quiet: bool) -> Self {
        let is_shown = !quiet && io::stderr().is_terminal();
        let bar = if is_shown { ProgressBar::no_length() } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {wide_bar} {pos}/{len}") {
            bar.set_style(style);
        }
        Self { bar, says_lines: !quiet && !is_shown, said: Mutex::new(Instant::now()) }
    }
}

impl Bar {
    fn said(&self) -> MutexGuard<'_, Instant> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Bar {
    fn begin(&self, table: &str, steps: u64) {
        if self.says_lines {
            terminal::say(&format!("progress: {table}"));
        }
        *self.said() = Instant::now();
        self.bar.reset();
        self.bar.set_length(steps);
        self.bar.set_message(table.to_owned());
    }

    fn advance(&self) {
        self.bar.inc(1);
        let mut said = self.said();
        if self.says_lines && said.elapsed() >= LINE_INTERVAL {
            *said = Instant::now();
            let (table, done) = (self.bar.message(), self.bar.position());
            let steps = self.bar.length().unwrap_or(done);
            terminal::say(&format!("progress: {table}, {done} of {steps} steps"));
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
