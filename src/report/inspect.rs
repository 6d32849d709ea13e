//! What `inspect` says: a row per unique mesh, since instances share what is wrong with it.

use rayon::prelude::*;
use serde::Serialize;

use super::display::{Scale, counted};
use super::json;
use super::layout::{self, Cell, Column, Row, Table, type_cell};
use super::rows::{FORMAT, MeshSettings, PartRow, part_rows};
use super::table::scene_line;
use super::triangle_count;
use crate::bounds::aabb::Aabb;
use crate::mesh::health::Health;
use crate::mesh::topology::Winding;
use crate::motion::Motion;
use crate::scene::digest::Digests;
use crate::scene::keys::PartKeys;
use crate::scene::{Scene, Up};
use crate::text::folded;
use crate::units::Unit;

/// The document of `inspect --json`, and the source of its table.
#[derive(Debug, Serialize)]
pub struct Inspection<'a> {
    closefit: u32,
    command: &'static str,
    #[serde(flatten)]
    settings: MeshSettings,
    scene: SceneRow,
    #[serde(skip_serializing_if = "Option::is_none")]
    motion: Option<MotionRow>,
    parts: Vec<PosedRow<'a>>,
    meshes: Vec<MeshRow>,
}

#[derive(Debug, Serialize)]
struct SceneRow {
    unit: Option<Unit>,
    up: Option<Up>,
    triangles: u64,
    #[serde(rename = "box")]
    bounds: [[f64; 3]; 2],
    default_tolerance: f64,
}

/// What moves; absent where nothing does.
#[derive(Debug, Serialize)]
struct MotionRow {
    from: f64,
    to: f64,
    joints: usize,
    /// Different times.
    keyframes: usize,
    parts: Vec<usize>,
}

#[derive(Debug, Serialize)]
struct PosedRow<'a> {
    #[serde(flatten)]
    part: PartRow<'a>,
    mesh: u32,
    #[serde(rename = "box")]
    bounds: [[f64; 3]; 2],
}

/// One unique mesh, in its own frame: lengths before any scale of a pose.
#[derive(Debug, Serialize)]
struct MeshRow {
    id: usize,
    parts: Vec<usize>,
    triangles: u32,
    vertices: u32,
    #[serde(rename = "box")]
    bounds: [[f64; 3]; 2],
    closed: bool,
    components: ComponentsRow,
    turned_components: u32,
    seams: u32,
    open_edges: u32,
    non_manifold_edges: u32,
    inconsistent_edges: u32,
    degenerate_triangles: u32,
    duplicate_triangles: u32,
    volume: f64,
    area: f64,
}

#[derive(Debug, Serialize)]
struct ComponentsRow {
    closed: u32,
    open: u32,
}

fn corners(bounds: &Aabb) -> [[f64; 3]; 2] {
    [bounds.lo.to_array(), bounds.hi.to_array()]
}

impl<'a> Inspection<'a> {
    /// Examines every mesh of a scene whose poses the engine has accepted.
    pub fn new(scene: &'a Scene, default_tolerance: f64, winding: Winding) -> Self {
        let healths: Vec<_> = scene.meshes.par_iter().map(|mesh| Health::of(mesh, winding)).collect();
        let mut users = vec![Vec::new(); scene.meshes.len()];
        for (id, part) in scene.parts.iter().enumerate() {
            users[part.mesh.index()].push(id);
        }
        let boxes: Vec<_> = scene
            .parts
            .par_iter()
            .map(|part| scene.meshes[part.mesh.index()].posed_bounds(&part.pose))
            .collect();
        let all = boxes.iter().fold(Aabb::EMPTY, |sum, b| sum.union(*b));
        let rows = part_rows(scene, &PartKeys::of(scene), &Digests::standing(scene));
        let parts = rows.into_iter().zip(&scene.parts).zip(&boxes);
        Self {
            closefit: FORMAT,
            command: "inspect",
            settings: MeshSettings::new(winding),
            scene: SceneRow {
                unit: scene.unit,
                up: scene.up,
                triangles: triangle_count(scene),
                bounds: corners(&all),
                default_tolerance,
            },
            motion: MotionRow::of(scene),
            parts: parts
                .map(|((row, part), bounds)| PosedRow {
                    part: row,
                    mesh: part.mesh.0,
                    bounds: corners(bounds),
                })
                .collect(),
            meshes: healths
                .iter()
                .zip(users)
                .enumerate()
                .map(|(id, (health, parts))| MeshRow::new(id, parts, health))
                .collect(),
        }
    }

    /// The table for people, on lines of `width` characters if that is known and can be: scene, meshes and
    /// what is wrong with them, and what that adds up to.
    pub fn table(&self, scene: &Scene, width: Option<usize>) -> String {
        let scale = Scale::of(scene.unit);
        let size = |[lo, hi]: [[f64; 3]; 2]| [0, 1, 2].map(|k| scale.short(hi[k] - lo[k])).join(" x ");
        let tolerance = scale.length(self.scene.default_tolerance);
        let folded = |line: String| folded(&line, width.unwrap_or(usize::MAX));
        let (line, title) = (scene_line(scene), scale.title("size"));
        let mut text =
            folded(format!("{line}; {title} {}; default tolerance {tolerance}", size(self.scene.bounds)));
        text += "\n\n";
        if let Some(motion) = &self.motion {
            text += &motion.line(scene);
        }
        let rows = self.meshes.iter().map(|mesh| {
            // Meshes may be in units of their own: the size is that of the first part, as it stands.
            let first = mesh.parts.first();
            let name = first.map_or(Cell::Text("no part".to_owned()), |&part| Cell::Part(part));
            let kind = first.map_or_else(Cell::default, |&part| type_cell(&scene.parts[part]));
            let size = first.map_or_else(String::new, |&part| size(self.parts[part].bounds));
            let number = |n: usize| Cell::Text(n.to_string());
            let cells = vec![
                number(mesh.id),
                name,
                number(mesh.parts.len()),
                number(mesh.triangles as usize),
                mesh.surface().into(),
                kind,
                size.into(),
            ];
            Row { lines: vec![cells], note: mesh.faults() }
        });
        let columns = [
            ("mesh", Column::RIGHT),
            ("first part", Column::PART),
            ("parts", Column::RIGHT),
            ("triangles", Column::RIGHT),
            ("shells", Column::LEFT),
            ("type", Column::OPTIONAL),
            (&scale.title("size"), Column::OPTIONAL),
        ];
        let (titles, columns): (Vec<&str>, Vec<Column>) = columns.into_iter().unzip();
        let titles = vec![titles.into_iter().map(str::to_owned).collect()];
        text += &layout::render(scene, vec![Table { columns, titles, rows: rows.collect() }], width);
        let sum = |of: fn(&MeshRow) -> u32| self.meshes.iter().map(|m| u64::from(of(m))).sum::<u64>();
        let closed = self.meshes.iter().filter(|m| m.closed).count();
        text.push('\n');
        text += &folded(format!(
            "{}: {closed} closed, {} not; {} open edges, {} non-manifold, {} inconsistent; \
             {} degenerate triangles, {} duplicate",
            counted(self.meshes.len() as u64, "mesh", "meshes"),
            self.meshes.len() - closed,
            sum(|m| m.open_edges),
            sum(|m| m.non_manifold_edges),
            sum(|m| m.inconsistent_edges),
            sum(|m| m.degenerate_triangles),
            sum(|m| m.duplicate_triangles),
        ));
        text + "\n"
    }
}

impl MotionRow {
    fn of(scene: &Scene) -> Option<Self> {
        let [from, to] = scene.time_range()?;
        let mut times: Vec<f64> = scene.frames.motions().flat_map(Motion::times).copied().collect();
        times.sort_unstable_by(f64::total_cmp);
        times.dedup();
        let parts = scene.parts.iter().enumerate();
        Some(Self {
            from,
            to,
            joints: scene.frames.motions().count(),
            keyframes: times.len(),
            parts: parts.filter(|(_, part)| part.frame.is_some()).map(|(id, _)| id).collect(),
        })
    }

    fn line(&self, scene: &Scene) -> String {
        let number = |time: f64| json::number(time);
        format!(
            "moves from {} to {} s: {} of {}, by {} with {}\n\n",
            number(self.from),
            number(self.to),
            self.parts.len(),
            counted(scene.parts.len() as u64, "part", "parts"),
            counted(self.joints as u64, "motion", "motions"),
            counted(self.keyframes as u64, "keyframe", "keyframes"),
        )
    }
}

impl MeshRow {
    fn new(id: usize, parts: Vec<usize>, health: &Health) -> Self {
        Self {
            id,
            parts,
            triangles: health.triangles,
            vertices: health.vertices,
            bounds: health.bounds.map(|p| p.to_array()),
            closed: health.closed(),
            components: ComponentsRow { closed: health.closed_components, open: health.open_components },
            turned_components: health.turned_components,
            seams: health.seams,
            open_edges: health.open_edges,
            non_manifold_edges: health.non_manifold_edges,
            inconsistent_edges: health.inconsistent_edges,
            degenerate_triangles: health.degenerate_triangles,
            duplicate_triangles: health.duplicate_triangles,
            volume: health.volume,
            area: health.area,
        }
    }

    fn surface(&self) -> String {
        match (self.components.closed, self.components.open) {
            (closed, 0) => format!("{closed} closed"),
            (0, open) => format!("{open} open"),
            (closed, open) => format!("{closed} closed, {open} open"),
        }
    }

    /// What was repaired and what is wrong with it, if anything.
    fn faults(&self) -> Option<String> {
        let counts = [
            (self.turned_components, "shells turned"),
            (self.seams, "seams closed"),
            (self.open_edges, "open edges"),
            (self.non_manifold_edges, "non-manifold edges"),
            (self.inconsistent_edges, "inconsistent edges"),
            (self.degenerate_triangles, "degenerate triangles"),
            (self.duplicate_triangles, "duplicate triangles"),
        ];
        let faults: Vec<_> =
            counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{what} {n}")).collect();
        (!faults.is_empty()).then(|| faults.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::super::testing;
    use super::*;
    use crate::motion::Joint;

    #[test]
    fn the_document_has_parts_and_meshes() {
        let (scene, _) = testing::run();
        let inspection = Inspection::new(&scene, 1e-6, Winding::Repaired);
        let value: serde_json::Value = serde_json::from_slice(&json::document(&inspection)).unwrap();
        assert_eq!((&value["closefit"], &value["command"]), (&2.into(), &"inspect".into()));
        assert_eq!(value["scene"]["unit"], "mm");
        assert_eq!(value["parts"][2]["name"], "bolt");
        assert_eq!(value["parts"][2]["box"], serde_json::json!([[0, 0, 0], [1, 1, 0]]));
        let mesh = &value["meshes"][0];
        assert_eq!(mesh["parts"], serde_json::json!([0, 1, 2, 3]));
        assert_eq!((&mesh["open_edges"], &mesh["area"]), (&3.into(), &serde_json::json!(0.5)));
        assert_eq!(mesh["components"], serde_json::json!({"closed": 0, "open": 1}));
    }

    #[test]
    fn motions_are_summed_up() {
        let (mut scene, _) = testing::run();
        assert!(!Inspection::new(&scene, 1e-6, Winding::Repaired).table(&scene, None).contains("moves"));
        for (part, time) in [(1, 2.5), (3, 4.0)] {
            let motion = Motion::along(DVec3::X, &[0.5, time], &[0.0, 1.0]).unwrap();
            scene.parts[part].frame = Some(scene.frames.add(None, Joint::Moving(motion)));
        }
        let inspection = Inspection::new(&scene, 1e-6, Winding::Repaired);
        let text = inspection.table(&scene, None);
        let line = "moves from 0.5 to 4 s: 2 of 4 parts, by 2 motions with 3 keyframes\n";
        assert!(text.contains(line), "{text}");
        let value: serde_json::Value = serde_json::from_slice(&json::document(&inspection)).unwrap();
        assert_eq!(value["motion"]["parts"], serde_json::json!([1, 3]));
    }

    #[test]
    fn the_table_counts_what_is_wrong() {
        let (scene, _) = testing::run();
        let text = Inspection::new(&scene, 1e-6, Winding::Repaired).table(&scene, None);
        assert!(text.contains("bolt #0") && text.contains("\n   open edges 3\n"), "{text}");
        assert!(text.contains("1 mesh: 0 closed, 1 not; 3 open edges"), "{text}");
    }
}
