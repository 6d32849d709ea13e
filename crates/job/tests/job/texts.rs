//! Texts that people and programs write: bytes are read as what they say, or refused on one line.

use std::fs;
use std::path::Path;

use closefit_job::{Job, Project, ReadScene, read};
use closefit_project::RulesFile;
use closefit_report::diff::{Diff, Review};
use closefit_report::groups::{GroupSettings, Grouping, NamedGroups};
use closefit_report::{Certificate, Document, csv, json, table};
use closefit_scene::read::ReadOptions;

/// A robot of three links, each of which has the mesh `MESH`.
const ROBOT: &str = "<robot name='r'>\
    <link name='base'><visual><geometry><mesh filename='mesh.obj'/></geometry></visual></link>\
    <link name='arm'><visual><geometry><mesh filename='mesh.obj'/></geometry></visual></link>\
    <link name='hand'><visual><geometry><mesh filename='mesh.obj'/></geometry></visual></link>\
    <joint name='j' type='fixed'><parent link='base'/><child link='arm'/></joint>\
    <joint name='k' type='fixed'><parent link='arm'/><child link='hand'/></joint></robot>";
const MESH: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

/// A kind of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A rules file in TOML.
    Toml,
    /// A rules file in JSON.
    Json,
    /// The disabled pairs of a robot.
    Srdf,
    /// A review: the statuses that people have given to findings.
    Review,
    /// Groups of a user's own.
    Groups,
    /// The report of a check, a sweep or an inspection.
    Report,
    /// A certificate.
    Certificate,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 7] =
        [Self::Toml, Self::Json, Self::Srdf, Self::Review, Self::Groups, Self::Report, Self::Certificate];

    /// Reads bytes as a text of this kind, for a scene, in a folder for files, and does with it what the
    /// program does. Returns the refusal, if it is refused.
    pub fn read(self, bytes: &[u8], scene: &ReadScene, folder: &Path) -> Option<String> {
        match self {
            Self::Toml => rules("r.toml", bytes, scene),
            Self::Json => rules("r.json", bytes, scene),
            Self::Srdf => srdf(bytes, folder),
            Self::Review => Review::read(bytes).err().map(|error| error.to_string()),
            Self::Groups => NamedGroups::read(bytes).err().map(|error| error.to_string()),
            Self::Report => report(bytes),
            Self::Certificate => certificate(bytes),
        }
    }
}

fn rules(name: &str, bytes: &[u8], scene: &ReadScene) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    let rules = match RulesFile::read(Path::new(name), text) {
        Ok(rules) => Some(rules),
        Err(error) => return Some(error.to_string()),
    };
    Job::new(scene.clone(), Project { sides: None, rules }).err().map(|error| error.to_string())
}

fn srdf(bytes: &[u8], folder: &Path) -> Option<String> {
    let [robot, srdf] = ["robot.urdf", "robot.srdf"].map(|name| folder.join(name));
    if !robot.exists() {
        fs::write(folder.join("mesh.obj"), MESH).expect("a folder for files");
        fs::write(&robot, ROBOT).expect("a folder for files");
    }
    fs::write(&srdf, bytes).expect("a folder for files");
    let options = ReadOptions { srdf: Some(srdf), ..ReadOptions::default() };
    read(&[robot], &options, &closefit::Unobserved).err().map(|error| error.to_string())
}

/// Reads a report and asks all of it: what can be read can be compared, grouped, printed and written.
fn report(bytes: &[u8]) -> Option<String> {
    let read = match Document::read(bytes) {
        Ok(read) => read,
        Err(error) => return Some(error.to_string()),
    };
    match &read {
        Document::Check(report) => {
            let grouping = Grouping { settings: GroupSettings::default(), named: NamedGroups::default() };
            let grouped = report.clone().with_groups(&grouping);
            table::check_pairs(&grouped, &table::View::default(), Some(80));
            csv::check(&grouped);
            json::document(&grouped);
        }
        Document::Sweep(report) => {
            table::sweep_pairs(report, &table::View::default(), Some(80));
            json::document(report);
        }
        Document::Inspect(report) => {
            table::inspection(report, Some(80));
            return None;
        }
        _ => panic!("a kind of document of which nothing is asked"),
    }
    Diff::of(&read, &read, &Review::default()).err().map(|error| error.to_string())
}

fn certificate(bytes: &[u8]) -> Option<String> {
    match Certificate::read(bytes) {
        Ok(read) => {
            table::claims(&read);
            None
        }
        Err(error) => Some(error.to_string()),
    }
}
