//! Texts that people and programs write: bytes are read as what they say, or refused on one line.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use closefit::{CheckRequest, DVec3, Mesh, Pose};
use closefit_geometry::ids::MeshId;
use closefit_geometry::scene::{Part, Scene};
use closefit_geometry::units::Unit;
use closefit_job::{Job, JobError, Project, ReadScene, RowOptions, RowSource, read};
use closefit_project::{NewWaiver, RulesFile, with_waivers};
use closefit_report::diff::{Diff, FailOnDiff, Review};
use closefit_report::exports::Compares;
use closefit_report::groups::{GroupSettings, Grouping, NamedGroups};
use closefit_report::{Certificate, Document, csv, exports, json, table};
use closefit_scene::read::ReadOptions;

/// A robot of three links, each of which has the mesh `MESH`: an arm that turns, and a hand that slides.
const ROBOT: &str = "<robot name='r'>\
    <link name='base'><visual><geometry><mesh filename='mesh.obj'/></geometry></visual></link>\
    <link name='arm'><visual><geometry><mesh filename='mesh.obj'/></geometry></visual></link>\
    <link name='hand'><visual><geometry><mesh filename='mesh.obj'/></geometry></visual></link>\
    <joint name='j' type='revolute'><parent link='base'/><child link='arm'/><axis xyz='0 0 1'/>\
    <limit lower='-1' upper='1'/></joint>\
    <joint name='k' type='prismatic'><parent link='arm'/><child link='hand'/><origin xyz='2 0 0'/>\
    <axis xyz='1 0 0'/><limit lower='0' upper='1'/></joint></robot>";
/// Claims about the parts of the scene.
pub const CLAIMS: &str = "closefit-rules = 1\nunit = \"mm\"\n\
    [[require]]\nid = \"rest\"\na = { name = \"*\" }\nclearance = 0.1\n\
    [[require]]\nid = \"motion\"\na = { name = \"*\" }\nclearance = 0.1\nover = \"motion\"\n";

/// Claims about the links of the robot.
pub const CLAIMS_OF_JOINTS: &str = "closefit-rules = 1\n[[require]]\nid = \"j\"\na = { name = \"base/*\" }\n\
    b = { name = \"hand/*\" }\nclearance = 0.1\nover = \"motion\"\n";

const MESH: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

/// Returns three tetrahedra, of which two overlap.
pub fn scene() -> ReadScene {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let mesh = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).expect("valid");
    let part = |(name, x): (&str, f64)| Part {
        tags: vec!["layer:M1".to_owned()].into(),
        ..Part::new(name, MeshId(0), Pose::translation([x, 0.0, 0.0]))
    };
    let parts = [("a", 0.0), ("b", 0.5), ("c", 1.501)].map(part).to_vec();
    Scene { unit: Some(Unit::M), meshes: vec![Arc::new(mesh)], parts, ..Scene::default() }.into()
}

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
    /// A rules file in TOML to which waivers are added.
    Waivers,
    /// A table of values of a robot's joints.
    Configurations,
    /// A table of poses of the second of two parts.
    Poses,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 10] = [
        Self::Toml,
        Self::Json,
        Self::Srdf,
        Self::Review,
        Self::Groups,
        Self::Report,
        Self::Certificate,
        Self::Waivers,
        Self::Configurations,
        Self::Poses,
    ];

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
            Self::Certificate => certificate(bytes, scene, folder),
            Self::Waivers => waivers(bytes),
            Self::Configurations => configurations(bytes, folder),
            Self::Poses => poses(bytes, scene, folder),
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
    let srdf = folder.join("robot.srdf");
    fs::write(&srdf, bytes).expect("a folder for files");
    let options = ReadOptions { srdf: Some(srdf), ..ReadOptions::default() };
    read(&[robot(folder)], &options, &closefit::Unobserved).err().map(|error| error.to_string())
}

/// Returns the path of the robot, which is written if it is not there.
fn robot(folder: &Path) -> PathBuf {
    let robot = folder.join("robot.urdf");
    if !robot.exists() {
        fs::write(folder.join("mesh.obj"), MESH).expect("a folder for files");
        fs::write(&robot, ROBOT).expect("a folder for files");
    }
    robot
}

/// Returns the robot as a scene.
pub fn robot_scene(folder: &Path) -> ReadScene {
    read(&[robot(folder)], &ReadOptions::default(), &closefit::Unobserved).expect("sound")
}

fn waivers(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    let new = NewWaiver {
        pair: "8be9bc86b7d73450ab75".to_owned(),
        up_to: "1mm".to_owned(),
        digests: None,
        pinned: false,
        reason: "RFI 89".to_owned(),
    };
    let written = with_waivers(Path::new("r.toml"), text, &[new]);
    written.err().map(|error| error.to_string())
}

fn configurations(bytes: &[u8], folder: &Path) -> Option<String> {
    let path = folder.join("q.csv");
    fs::write(&path, bytes).expect("a folder for files");
    let job = Job::new(robot_scene(folder), Project::default()).expect("no rules");
    let rest = job.scene().robots[0].rest();
    rows(&job, RowSource::configurations(&path, job.scene(), rest))
}

fn poses(bytes: &[u8], scene: &ReadScene, folder: &Path) -> Option<String> {
    let path = folder.join("p.csv");
    fs::write(&path, bytes).expect("a folder for files");
    let mut two = scene.scene.clone();
    two.parts.truncate(2);
    let job = Job::new(two.into(), Project::default()).expect("no rules");
    rows(&job, RowSource::poses(&path, job.scene()))
}

/// Checks a job at rows. Returns the reason why not, or why some rows are wrong.
fn rows(job: &Job, source: Result<RowSource, JobError>) -> Option<String> {
    let check = |mut source: RowSource| {
        let asked = (&CheckRequest::default().tolerance(1e-6), &RowOptions::default());
        job.check_rows(&mut source, asked, &|_, _| false, &closefit::Unobserved, &mut io::sink())
    };
    match source.and_then(check) {
        Err(error) => Some(error.to_string()),
        Ok(summary) => {
            assert!(summary.rows > 0, "something was checked");
            summary.first_refused.map(|(_, why)| why)
        }
    }
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
            table::pairs(&grouped, &table::View::default(), Some(80));
            csv::pairs(&grouped);
            exports::check_junit(&grouped, None, |_| true);
            exports::check_markdown(&grouped, None, None);
            grouped.left_open();
            json::document(&grouped);
        }
        Document::Sweep(report) => {
            table::pairs(report, &table::View::default(), Some(80));
            json::document(report);
        }
        Document::Inspect(report) => {
            table::inspection(report, Some(80));
            return None;
        }
        _ => panic!("a kind of document of which nothing is asked"),
    }
    match Diff::of(&read, &read, &Review::default()) {
        Err(error) => Some(error.to_string()),
        Ok(diff) => {
            table::diff_pairs(&diff, None, 80);
            exports::diff_junit(&diff, None, FailOnDiff::Worse, Compares::Diff);
            exports::diff_markdown(&diff, None, FailOnDiff::Worse, Compares::Diff);
            None
        }
    }
}

/// Reads a certificate and asks its claims again, of the parts of the scene or, if it is of a joint, of a
/// robot.
fn certificate(bytes: &[u8], scene: &ReadScene, folder: &Path) -> Option<String> {
    let read = match Certificate::read(bytes) {
        Ok(read) => read,
        Err(error) => return Some(error.to_string()),
    };
    table::claims(&read);
    table::certified(&read);
    let (scene, rules) = match read.settings.joint {
        None => (scene.clone(), CLAIMS),
        Some(_) => (robot_scene(folder), CLAIMS_OF_JOINTS),
    };
    let rules = RulesFile::read(Path::new("r.toml"), rules).expect("sound");
    let job = Job::new(scene, Project { sides: None, rules: Some(rules) }).expect("sound");
    job.beyond(&read.settings);
    match job.certified(&read.settings, &CheckRequest::default(), &[]) {
        Err(error) => Some(error.to_string()),
        Ok(now) => {
            let now = now.expect("there are claims");
            let is_same = now.changes(&read).is_empty() && json::document(&now) == bytes;
            assert!(!is_same || !now.claims.is_empty(), "something was asked");
            None
        }
    }
}
