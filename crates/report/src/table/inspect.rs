//! The table of `inspect`: each unique mesh and its defects.

use super::display::{Scale, counted};
use super::features::features;
use super::fit::folded;
use super::layout::{Cell, ColumnOf, Table, Treatment, type_cell};
use super::robots::robots;
use super::scene_line;
use crate::document::{Inspection, MeshRow, MotionRow};
use crate::json::number;

/// Returns the table for people, on lines of `width` characters if that is known and possible: the scene, the
/// meshes and their defects, the totals, the joints of robots, and features if they are known.
pub fn inspection(document: &Inspection, width: Option<usize>) -> String {
    let Inspection { scene, parts, meshes, .. } = document;
    let scale = Scale::of(scene.unit);
    let size = |[lo, hi]: [[f64; 3]; 2]| [0, 1, 2].map(|k| scale.short(hi[k] - lo[k])).join(" x ");
    let tolerance = scale.length(scene.default_tolerance);
    let folded = |line: String| folded(&line, width.unwrap_or(usize::MAX));
    let (line, title) = (scene_line(scene.unit, scene.up, parts.len(), scene.triangles), scale.title("size"));
    let mut text = folded(format!("{line}; {title} {}; default tolerance {tolerance}", size(scene.bounds)));
    text += "\n\n";
    if let Some(motion) = &document.motion {
        text += &motion_line(motion, parts.len());
    }
    let first = |mesh: &MeshRow| mesh.parts.first().map(|&part| &parts[part]);
    let columns: [ColumnOf<MeshRow>; 7] = [
        ("mesh", Treatment::RIGHT, &|mesh| mesh.id.to_string().into()),
        ("first part", Treatment::PART, &first_part),
        ("parts", Treatment::RIGHT, &|mesh| mesh.parts.len().to_string().into()),
        ("triangles", Treatment::RIGHT, &|mesh| mesh.triangles.to_string().into()),
        ("shells", Treatment::LEFT, &|mesh| shells(mesh).into()),
        ("type", Treatment::OPTIONAL, &|mesh| {
            first(mesh).map_or_else(Cell::default, |row| type_cell(&row.part))
        }),
        // Meshes may be in units of their own: the size is the first part's at its pose.
        (&title, Treatment::FIRST_TO_GO, &|mesh| {
            first(mesh).map_or_else(Cell::default, |row| size(row.bounds).into())
        }),
    ];
    text += &Table::of(&columns, meshes, faults).render(parts, width);
    let sum = |of: fn(&MeshRow) -> u32| meshes.iter().map(|m| u64::from(of(m))).sum::<u64>();
    let closed = meshes.iter().filter(|m| m.closed).count();
    text.push('\n');
    text += &folded(format!(
        "{}: {closed} closed, {} not; {} open edges, {} non-manifold, {} inconsistent; \
         {} degenerate triangles, {} duplicate",
        counted(meshes.len() as u64, "mesh", "meshes"),
        meshes.len() - closed,
        sum(|m| m.open_edges),
        sum(|m| m.non_manifold_edges),
        sum(|m| m.inconsistent_edges),
        sum(|m| m.degenerate_triangles),
        sum(|m| m.duplicate_triangles),
    ));
    text + "\n" + &robots(&document.robots, scene.unit, width) + &features(document, width)
}

/// Returns the cell of a mesh's first part.
pub(super) fn first_part(mesh: &MeshRow) -> Cell {
    mesh.parts.first().map_or(Cell::Text("no part".to_owned()), |&part| Cell::Part(part))
}

/// Returns one line on the motion.
fn motion_line(motion: &MotionRow, parts: usize) -> String {
    format!(
        "moves from {} to {} s: {} of {}, by {} with {}\n\n",
        number(motion.from),
        number(motion.to),
        motion.parts.len(),
        counted(parts as u64, "part", "parts"),
        counted(motion.joints as u64, "motion", "motions"),
        counted(motion.keyframes as u64, "keyframe", "keyframes"),
    )
}

/// Returns the numbers of closed and open components of a mesh.
fn shells(mesh: &MeshRow) -> String {
    match (mesh.components.closed, mesh.components.open) {
        (closed, 0) => format!("{closed} closed"),
        (0, open) => format!("{open} open"),
        (closed, open) => format!("{closed} closed, {open} open"),
    }
}

/// Returns a text with the repairs and defects of a mesh, if any.
fn faults(mesh: &MeshRow) -> Option<String> {
    let counts = [
        (mesh.turned_components, "shells turned"),
        (mesh.seams, "seams closed"),
        (mesh.open_edges, "open edges"),
        (mesh.non_manifold_edges, "non-manifold edges"),
        (mesh.inconsistent_edges, "inconsistent edges"),
        (mesh.degenerate_triangles, "degenerate triangles"),
        (mesh.duplicate_triangles, "duplicate triangles"),
    ];
    let in_itself = (mesh.self_contacts.unwrap_or(0), "pairs of triangles that touch or cross");
    let counts = counts.map(|(n, what)| (u64::from(n), what)).into_iter().chain([in_itself]);
    let faults = counts.filter(|(n, _)| *n > 0).map(|(n, what)| format!("{what} {n}"));
    let double = is_double_sided(mesh).then(|| "its triangles cancel in opposite pairs".to_owned());
    let faults: Vec<_> = double.into_iter().chain(faults).collect();
    (!faults.is_empty()).then(|| faults.join(", "))
}

/// True for shells whose every triangle is there twice, once each way round: they enclose nothing, and no
/// edge is open.
fn is_double_sided(mesh: &MeshRow) -> bool {
    let all_open = mesh.components.closed == 0 && mesh.components.open > 0 && mesh.open_edges == 0;
    all_open && u64::from(mesh.triangles) == 2 * u64::from(mesh.duplicate_triangles)
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::testing;
    use closefit::internals::engine::PosedBoxes;
    use closefit_geometry::mesh::topology::Winding;
    use closefit_geometry::motion::{Joint, Motion};
    use closefit_geometry::scene::Scene;

    fn table(scene: &Scene) -> String {
        inspection(&Inspection::new(scene, &PosedBoxes::new(scene, None).unwrap(), Winding::Repaired), None)
    }

    #[test]
    fn motions_are_summed_up() {
        let (mut scene, _) = testing::run();
        assert!(!table(&scene).contains("moves"));
        for (part, time) in [(1, 2.5), (3, 4.0)] {
            let motion = Motion::along(DVec3::X, &[0.5, time], &[0.0, 1.0]).unwrap();
            scene.parts[part].frame = Some(scene.frames.add(None, Joint::Moving(motion)));
        }
        let text = table(&scene);
        let line = "moves from 0.5 to 4 s: 2 of 4 parts, by 2 motions with 3 keyframes\n";
        assert!(text.contains(line), "{text}");
        let motion = Inspection::new(&scene, &PosedBoxes::new(&scene, None).unwrap(), Winding::Repaired)
            .motion
            .expect("two move");
        assert_eq!(motion.parts, [1, 3]);
    }

    #[test]
    fn the_table_counts_what_is_wrong() {
        let (scene, _) = testing::run();
        let text = table(&scene);
        assert!(text.contains("bolt #0") && text.contains("\n   open edges 3\n"), "{text}");
        assert!(text.contains("1 mesh: 0 closed, 1 not; 3 open edges"), "{text}");
    }
}
