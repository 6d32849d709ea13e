//! Whether the lines of an SRDF that disable collisions, because two links never meet, are right.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::error::{JobError, files_line, with_file};
use crate::joint_box::joint_ranges;
use closefit::internals::engine::PRECISION;
use closefit::{Assembly, JointBoxRequest, Observer, Winding};
use closefit_geometry::scene::{Excluded, Robot, Scene};
use closefit_geometry::text::printable;
use closefit_report::JointBoxReport;
use closefit_report::document::{AuditedSrdf, EncounterRow, EncounterWord, NeverLine, NeverWord};
use closefit_scene::read::{DisabledLinks, ReadOptions, srdf_lines};

/// The reason of lines that are audited.
const NEVER: &str = "Never";

/// Returns the runs of consecutive parts of each link, or of no link of the robot. A part belongs to the link
/// that its name begins with, as in `link/mesh`.
pub fn runs_of_links<'a>(scene: &'a Scene, robot: &Robot) -> Vec<(Option<&'a str>, Range<u32>)> {
    let mut is_own = vec![false; scene.parts.len()];
    robot.parts.iter().for_each(|part| is_own[part.part.index()] = true);
    let mut runs: Vec<(Option<&str>, Range<u32>)> = Vec::new();
    for ((id, part), is_own) in (0..).zip(&scene.parts).zip(is_own) {
        let link = is_own.then(|| part.name.rsplit_once('/').map_or(&*part.name, |(link, _)| link));
        match runs.last_mut() {
            Some((last, run)) if *last == link => run.end = id + 1,
            _ => runs.push((link, id..id + 1)),
        }
    }
    runs
}

/// The collision geometry of a robot, over all configurations.
pub struct LinkEncounters<'a> {
    pub scene: &'a Scene,
    pub robot: &'a Robot,
    pub paths: &'a [PathBuf],
    pub options: &'a ReadOptions,
    pub winding: Winding,
    /// Ranges of joints, as [`joint_ranges`] takes them.
    pub joints: &'a [String],
    /// The largest number of configurations that are examined for each pair.
    pub configurations: usize,
}

impl LinkEncounters<'_> {
    /// Decides the lines of an SRDF with the reason `Never`.
    ///
    /// # Errors
    /// [`JobError`].
    pub fn audited(&self, srdf: &Path, observer: &dyn Observer) -> Result<AuditedSrdf, JobError> {
        let lines = srdf_lines(srdf, self.options)?;
        let never: Vec<&DisabledLinks> = lines.iter().filter(|line| line.reason == NEVER).collect();
        let runs = runs_of_links(self.scene, self.robot);
        let is_asked = |a: Option<&str>, b: Option<&str>| {
            let are = |line: &&DisabledLinks| {
                let [p, q] = [0, 1].map(|k| Some(&line.links[k][..]));
                a != b && ([p, q] == [a, b] || [q, p] == [a, b])
            };
            never.iter().any(are)
        };
        let mut excluded = Excluded::default();
        let groups: Vec<_> = runs.iter().map(|(_, run)| excluded.group(run.clone())).collect();
        for (i, (a, _)) in runs.iter().enumerate() {
            for (j, (b, _)) in runs.iter().enumerate().take(i + 1) {
                if !is_asked(*a, *b) {
                    excluded.exclude_groups(groups[i], groups[j], "not asked");
                }
            }
        }
        let assembly = Assembly::from(Scene { excluded, rules: None, ..self.scene.clone() });
        let refused = |error| with_file(error, self.scene, self.paths);
        let of_ranges = |why| JobError::Joint { files: files_line(self.paths), why };
        let request = assembly.check_request().map_err(refused)?.memory(self.options.memory);
        let request = request.winding(self.winding);
        let precision = PRECISION * assembly.diagonal(None).map_err(refused)?;
        let ranges = joint_ranges(self.robot, self.joints).map_err(of_ranges)?;
        let question = JointBoxRequest { ranges, precision, most: self.configurations };
        let found = assembly.encounters(self.robot, &request, &question, observer).map_err(refused)?;
        let found = JointBoxReport::new((self.scene, self.robot), &request, &question, &found).pairs;
        let found: HashMap<[u32; 2], EncounterRow> = found.into_iter().map(|row| (row.ids, row)).collect();
        let mut parts_of: HashMap<&str, Vec<u32>> = HashMap::new();
        for (link, run) in runs {
            parts_of.entry(link.unwrap_or_default()).or_default().extend(run);
        }
        let never = never.into_iter().map(|line| self.line(line, &parts_of, &found)).collect();
        let file = srdf.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(AuditedSrdf { file, lines: lines.len(), never })
    }

    /// Decides a line from what was found of the parts of its links.
    fn line(
        &self,
        DisabledLinks { links, .. }: &DisabledLinks,
        parts_of: &HashMap<&str, Vec<u32>>,
        found: &HashMap<[u32; 2], EncounterRow>,
    ) -> NeverLine {
        let mut line = NeverLine {
            links: links.clone(),
            found: NeverWord::Proven,
            parts: None,
            at: None,
            distance: None,
            why: None,
        };
        if let Some(why) = self.unknown(links) {
            return NeverLine { found: NeverWord::Open, why: Some(why), ..line };
        }
        let none = Vec::new();
        let [of_a, of_b] = [0, 1].map(|k| parts_of.get(&links[k][..]).unwrap_or(&none));
        for (&a, &b) in of_a.iter().flat_map(|a| of_b.iter().map(move |b| (a, b))) {
            // All pairs of two links in a line are in the scope.
            let one = of_row(&found[&[a.min(b), a.max(b)]]);
            // The nearest pair stands for those that are proven, and a false one for all.
            let least = |line: &NeverLine| line.distance.as_ref().map_or(f64::INFINITY, |row| row.at_least);
            if one.found < line.found || one.found == line.found && least(&one) < least(&line) {
                line = NeverLine { links: links.clone(), ..one };
            }
            if line.found == NeverWord::False {
                break;
            }
        }
        line
    }

    /// Returns the reason why nothing is known of two links, if there is one.
    fn unknown(&self, links: &[String; 2]) -> Option<String> {
        if links[0] == links[1] {
            return Some("it names one link twice".to_owned());
        }
        let is_link = |name: &String| {
            let mut names = self.robot.link_names.iter().flatten();
            let is_of_parts = || runs_of_links(self.scene, self.robot).iter().any(|run| run.0 == Some(name));
            names.any(|known| **known == **name) || is_of_parts()
        };
        if let Some(link) = links.iter().find(|link| !is_link(link)) {
            return Some(format!("the robot has no link '{}'", printable(link)));
        }
        let partly = links.iter().find(|link| self.robot.partly_read.contains(link))?;
        Some(format!("some shapes of '{}' were not read", printable(partly)))
    }
}

/// Returns what the encounter of two parts says about a line.
fn of_row(row: &EncounterRow) -> NeverLine {
    let found = match row.encounter {
        EncounterWord::Always | EncounterWord::Sometimes => NeverWord::False,
        EncounterWord::Unknown => NeverWord::Open,
        EncounterWord::Never => NeverWord::Proven,
    };
    // The other joints have no effect on the two.
    let between = |(joint, _): &(&String, &f64)| row.joints.contains(joint);
    let near = row.near.iter().flatten().filter(between).map(|(joint, &value)| (joint.clone(), value));
    NeverLine {
        links: [String::new(), String::new()],
        found,
        parts: (found != NeverWord::Proven).then(|| [row.a.clone(), row.b.clone()]),
        at: (found == NeverWord::False).then(|| near.collect()),
        distance: row.distance.clone(),
        why: row.unknown.clone(),
    }
}
