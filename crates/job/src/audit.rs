//! The differences between the collision geometry and the visual geometry of a robot's links.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::disabled_links::{LinkEncounters, runs_of_links};
use crate::error::{JobError, files_line, with_file};
use crate::joints::robot_of;
use crate::read::read;
use closefit::{Assembly, CollisionMesh, Observer, PosedMesh, Stage, Winding, protrusion};
use closefit_geometry::ids::{MeshId, PartId};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::parallel;
use closefit_geometry::scene::{Robot, Scene};
use closefit_geometry::text::printable;
use closefit_report::AuditReport;
use closefit_report::document::{AuditSettings, AuditedLink, OutsideRow};
use closefit_scene::read::ReadOptions;

/// The precision of lengths if nobody says one, per diagonal of the robot.
const PRECISION: f64 = 1e-4;

/// The questions of an audit.
#[derive(Clone, Debug)]
pub struct AuditRequest {
    /// The width at which a bracket of a length is narrow enough, in scene units.
    pub precision: Option<f64>,
    /// The treatment of the winding of meshes.
    pub winding: Winding,
    /// The SRDF whose lines are to be proven.
    pub srdf: Option<PathBuf>,
    /// Ranges of joints, as [`joint_ranges`](crate::joint_ranges) takes them.
    pub joints: Vec<String>,
    /// The largest number of configurations that are examined for each pair.
    pub configurations: usize,
}

/// An audit, with notes for the user.
#[derive(Clone, Debug)]
pub struct Audit {
    /// The document.
    pub report: AuditReport,
    /// Notes on what was left out of the files.
    pub notes: Vec<String>,
}

/// Compares the visual and the collision geometry of each link of a robot, both as they are in its frame.
///
/// `options` says how the robot is read; whether meshes or hulls are taken affects its collision geometry
/// alone.
///
/// # Errors
/// [`JobError`], also for a robot without one of the two geometries.
pub fn audit(
    path: &PathBuf,
    options: &ReadOptions,
    asked: &AuditRequest,
    observer: &dyn Observer,
) -> Result<Audit, JobError> {
    let paths = std::slice::from_ref(path);
    let visual = ReadOptions { collision_geometry: false, hulls: false, ..options.clone() };
    let collision = ReadOptions { collision_geometry: true, ..options.clone() };
    let refused = |why: String| JobError::Joint { files: files_line(paths), why };
    let seen = read(paths, &visual, observer)?.scene;
    let of_seen = robot_of(&seen).map_err(refused)?;
    let hit = read(paths, &collision, observer)?.scene;
    let robots = [of_seen, robot_of(&hit).map_err(refused)?];
    let assembly = Assembly::from(seen.clone());
    let diagonal = assembly.diagonal(None).map_err(|error| with_file(error, &seen, paths))?;
    let precision = asked.precision.unwrap_or(PRECISION * diagonal).max(f64::MIN_POSITIVE);
    let srdf = asked.srdf.as_ref().map(|srdf| {
        let links = LinkEncounters {
            scene: &hit,
            robot: robots[1],
            paths,
            options,
            winding: asked.winding,
            joints: &asked.joints,
            configurations: asked.configurations,
        };
        links.audited(srdf, observer)
    });
    let srdf = srdf.transpose()?;
    let sides = [(&seen, robots[0]), (&hit, robots[1])];
    let sides = sides.map(|(scene, robot)| Geometry::of(scene, robot, asked.winding));
    let [seen_links, hit_links] = [Links::of(&sides[0]), Links::of(&sides[1])];
    let mut names = seen_links.names.clone();
    names.extend(hit_links.names.iter().filter(|name| !seen_links.parts.contains_key(*name)).cloned());
    observer.begin(Stage::Inspecting, names.len() as u64);
    let compare = |name: &String| {
        let found = audited((&sides, [&seen_links, &hit_links]), name, precision, observer);
        observer.advance();
        found.map_err(refused)?.ok_or(JobError::Interrupted)
    };
    let links = parallel::map_items(&names, 1, compare).into_iter().collect::<Result<_, JobError>>()?;
    let mut notes = seen.notes.clone();
    notes.extend(hit.notes.iter().filter(|note| !seen.notes.contains(note)).cloned());
    let report = AuditReport {
        closefit_audit: AuditReport::FORMAT,
        robot: robots[1].file.to_string(),
        unit: hit.unit,
        settings: AuditSettings { precision, hulls: options.hulls, as_is: asked.winding == Winding::AsFound },
        links,
        srdf,
    };
    Ok(Audit { report, notes })
}

/// One geometry of a robot: its meshes, ready for questions.
struct Geometry<'a> {
    scene: &'a Scene,
    robot: &'a Robot,
    meshes: HashMap<MeshId, CollisionMesh>,
    /// The pose of each part of the robot in the frame of its link.
    local: HashMap<PartId, Pose>,
}

impl<'a> Geometry<'a> {
    fn of(scene: &'a Scene, robot: &'a Robot, winding: Winding) -> Self {
        let mut meshes = HashMap::new();
        for part in &robot.parts {
            let mesh = scene.parts[part.part.index()].mesh;
            let build = || CollisionMesh::build_with(&scene.meshes[mesh.index()], winding);
            meshes.entry(mesh).or_insert_with(build);
        }
        let local = robot.parts.iter().map(|part| (part.part, part.local)).collect();
        Self { scene, robot, meshes, local }
    }

    /// Returns some parts in the frame of their link.
    fn posed(&self, parts: &[PartId]) -> Result<Vec<PosedMesh<'_>>, String> {
        let of_part = |id: &PartId| {
            let part = &self.scene.parts[id.index()];
            let posed = self.meshes[&part.mesh].at(&self.local[id]);
            posed.map_err(|error| format!("the part '{}': {error}", printable(&part.name)))
        };
        parts.iter().map(of_part).collect()
    }

    /// Returns by how much the true surfaces of some parts may lie outside their meshes.
    fn chord(&self, parts: &[PartId]) -> f64 {
        parts.iter().map(|id| self.scene.parts[id.index()].chord).fold(0.0, f64::max)
    }

    fn has_open(&self, parts: &[PartId]) -> bool {
        parts.iter().any(|id| !self.meshes[&self.scene.parts[id.index()].mesh].is_closed())
    }
}

/// The parts of each link.
struct Links {
    /// The names of the links, in the order of their parts.
    names: Vec<String>,
    parts: HashMap<String, Vec<PartId>>,
}

impl Links {
    fn of(geometry: &Geometry) -> Self {
        let (mut names, mut parts) = (Vec::new(), HashMap::<String, Vec<PartId>>::new());
        for (link, run) in runs_of_links(geometry.scene, geometry.robot) {
            let Some(link) = link else { continue };
            let of_link = parts.entry(link.to_owned()).or_insert_with(|| {
                names.push(link.to_owned());
                Vec::new()
            });
            of_link.extend(run.map(PartId));
        }
        Self { names, parts }
    }

    fn parts(&self, link: &str) -> &[PartId] {
        self.parts.get(link).map_or(&[], |parts| parts)
    }
}

/// Compares the two geometries of a link; `None` if the observer stops it.
fn audited(
    (sides, links): (&[Geometry; 2], [&Links; 2]),
    name: &str,
    precision: f64,
    observer: &dyn Observer,
) -> Result<Option<AuditedLink>, String> {
    let parts = links.map(|links| links.parts(name));
    let mut link = AuditedLink {
        link: name.to_owned(),
        visual: parts[0].len(),
        collision: parts[1].len(),
        protrusion: None,
        gap: None,
        partly_read: sides.iter().any(|side| side.robot.partly_read.iter().any(|partly| partly == name)),
        open_visual: sides[0].has_open(parts[0]),
        open_collision: sides[1].has_open(parts[1]),
    };
    if parts.iter().any(|parts| parts.is_empty()) {
        return Ok(Some(link));
    }
    let posed = [sides[0].posed(parts[0])?, sides[1].posed(parts[1])?];
    let chords = [sides[0].chord(parts[0]), sides[1].chord(parts[1])];
    let outside = |of: usize| {
        let [surfaces, bodies] = [of, 1 - of].map(|side| posed[side].iter().collect::<Vec<_>>());
        let found = protrusion(&surfaces, &bodies, precision, observer)?;
        // The witness may lie inside the true surface by its own chord, and the other true surface outside
        // its mesh; no true surface lies farther out than its mesh by more than its chord.
        let both = chords[0] + chords[1];
        let at_least =
            if both > 0.0 { (found.at_least - both.next_up()).next_down() } else { found.at_least };
        let at_least = at_least.max(0.0);
        let part = parts[of][found.surface];
        let point = found.point.filter(|_| at_least > 0.0);
        Some(OutsideRow {
            at_least,
            at_most: if chords[of] > 0.0 { (found.at_most + chords[of]).next_up() } else { found.at_most },
            point: point.map(|point| point.to_array()),
            part: point.map(|_| sides[of].scene.parts[part.index()].name.to_string()),
            ended_early: found.ended_early,
        })
    };
    (link.protrusion, link.gap) = (outside(0), outside(1));
    Ok(Some(link).filter(|link| link.protrusion.is_some() && link.gap.is_some()))
}
