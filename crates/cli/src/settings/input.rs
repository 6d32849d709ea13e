//! The scene of a run: its files, how they are read, and how much is said about it.

use std::path::PathBuf;

use anyhow::anyhow;
use serde::Serialize;

use super::pairs::PairChoice;
use super::written::{Watched, WrittenFile};
use crate::errors::of_flag;
use crate::terminal;
use closefit::Observer;
use closefit_geometry::mesh::topology::Winding;
use closefit_geometry::scene::Scene;
use closefit_job::{Job, ReadScene, read_from};
use closefit_report::{Reading, json};
use closefit_scene::read::{Motions, ReadOptions};

/// The scene of a run, and the form in which its report is printed.
#[derive(Clone, Debug)]
pub struct Input {
    /// The files; the files of the other side stand last.
    pub scenes: Vec<PathBuf>,
    /// The way in which files are read; a command adds the SRDF and whether motions are needed.
    pub reading: ReadOptions,
    /// The treatment of the winding of meshes.
    pub winding: Winding,
    /// The files that the run writes.
    pub written: Vec<WrittenFile>,
    /// True to print the report alone, as JSON.
    pub json: bool,
    /// True to print no table, notes or progress.
    pub quiet: bool,
}

/// The time of a flag, with its text for errors.
#[derive(Clone, Debug)]
pub struct AtTime {
    pub time: f64,
    pub text: String,
}

impl Input {
    /// Returns the limit of memory in bytes, if any is known.
    pub fn memory(&self) -> Option<u64> {
        self.reading.memory
    }

    /// Reads the scene.
    pub fn scene(
        &self,
        motions: Motions,
        srdf: Option<&PathBuf>,
        observer: &dyn Observer,
    ) -> anyhow::Result<ReadScene> {
        let options = ReadOptions { srdf: srdf.cloned(), motions, ..self.reading.clone() };
        let disk = Watched::of(&self.written);
        let read = read_from(&disk, &self.scenes, &options, observer)?;
        disk.refuse()?;
        Ok(read)
    }

    /// Reads the scene, with the rules about its pairs.
    pub fn job(&self, pairs: &PairChoice, motions: Motions, observer: &dyn Observer) -> anyhow::Result<Job> {
        let rules = pairs.read_rules()?;
        pairs.applied(rules, self.scene(motions, pairs.srdf.as_ref(), observer)?)
    }

    /// Reads the scene as it stands, or as it is at a time, with the rules about its pairs. Its motions must
    /// be valid only if there is a time.
    pub fn job_at_rest(
        &self,
        pairs: &PairChoice,
        at: Option<&AtTime>,
        observer: &dyn Observer,
    ) -> anyhow::Result<Job> {
        let motions = if at.is_some() { Motions::Required } else { Motions::Noted };
        let job = self.job(pairs, motions, observer)?;
        let Some(AtTime { time, text }) = at else { return Ok(job) };
        match self.has_times(job.scene()) {
            true => Ok(job.at(*time)),
            false => Err(of_flag(anyhow!("nothing in the scene moves"), format!("--at {text}"))),
        }
    }

    /// True if the scene moves, or its trajectory holds still.
    pub fn has_times(&self, scene: &Scene) -> bool {
        scene.time_range().is_some() || self.reading.trajectory.is_some()
    }

    /// Returns the record of the files and of how they are read.
    pub fn record(&self) -> Reading {
        Reading::of(&self.scenes, &self.reading)
    }

    /// Prints a document as JSON with `--json`, or else in words.
    pub fn print_document(
        &self,
        document: &impl Serialize,
        in_words: impl FnOnce() -> String,
    ) -> anyhow::Result<()> {
        match (self.json, self.quiet) {
            (true, _) => terminal::print_by(|stdout| json::write(stdout, document)),
            (false, true) => Ok(()),
            (false, false) => terminal::print(in_words().as_bytes()),
        }
    }

    /// Prints the notes, the last output of a command.
    pub fn say_notes(&self, scene: &Scene, others: &[String]) {
        if !self.quiet {
            terminal::print_notes(scene.notes.iter().chain(others));
        }
    }
}
