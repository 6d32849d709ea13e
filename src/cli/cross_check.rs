//! `--cross-check`: compares kinds of trees and, if they disagree, writes a scene that shows it.

use std::fmt::Write as _;

use serde_json::json;

use super::args::CheckArgs;
use super::progress::Progress;
use super::{decide, terminal, with_file};
use crate::assembly::Assembly;
use crate::engine::Disagreement;
use crate::hierarchy::kind::TreeKind;
use crate::mesh::Mesh;
use crate::query::CheckRequest;
use crate::report::CrossCheckRecord;
use crate::report::files::{NewFile, ready};
use crate::scene::Scene;
use crate::text::printable;

/// The directory, below that of `--out`, of the scene that shows a disagreement.
const DIRECTORY: &str = "disagreement";

/// The trees disagree, and the user has been told.
pub(super) struct Disagreed;

/// Compares the run's tree with other kinds for every near pair.
pub(super) fn run(
    assembly: &Assembly,
    request: &CheckRequest,
    kinds: &[TreeKind],
    args: &CheckArgs,
) -> anyhow::Result<Result<CrossCheckRecord, Disagreed>> {
    let scene = assembly.scene();
    let progress = Progress::new(args.input.quiet);
    let checked = assembly.cross_check(request, kinds, &progress);
    drop(progress);
    let checked = checked.map_err(|error| with_file(error, scene, &args.input))?;
    let Some(disagreement) = &checked.disagreement else {
        return Ok(Ok(CrossCheckRecord::new(&checked)));
    };
    let mut line = format!("{}: {}", decide::files_line(&args.input.scenes), in_words(scene, disagreement));
    if let Some(out) = &args.run.out {
        let dir = out.join(DIRECTORY);
        terminal::write_files(&dir, files(scene, disagreement))?;
        let _ = write!(line, "; see {}", dir.join(SCENE).display());
    }
    terminal::say(&format!("disagreement: {}", printable(&line)));
    Ok(Err(Disagreed))
}

fn in_words(scene: &Scene, disagreement: &Disagreement) -> String {
    let Disagreement { parts, strategies: [own, other], found, .. } = disagreement;
    let [a, b] = parts.map(|part| &scene.parts[part.index()].name);
    format!("'{a}' and '{b}': {own} finds {}, {other} finds {}", found[0], found[1])
}

const SCENE: &str = "scene.json";

/// Returns a manifest and two meshes.
fn files(scene: &Scene, disagreement: &Disagreement) -> Vec<NewFile<'static>> {
    let Disagreement { parts, meshes, poses, .. } = disagreement;
    let mesh_files = ["a.obj", "b.obj"];
    let parts = [0, 1].map(|side| {
        json!({
            "name": &*scene.parts[parts[side].index()].name,
            "mesh": mesh_files[side],
            "pose": { "matrix": poses[side].rows.as_flattened() },
        })
    });
    let mut manifest = json!({ "parts": parts });
    if let Some(unit) = scene.unit {
        manifest["unit"] = json!(unit);
    }
    let text = format!("{manifest:#}\n");
    let meshes = meshes.iter().zip(mesh_files).map(|(mesh, name)| ready(name, obj(mesh).into_bytes()));
    std::iter::once(ready(SCENE, text.into_bytes())).chain(meshes).collect()
}

/// Returns a mesh as OBJ, with every coordinate to the last bit.
fn obj(mesh: &Mesh) -> String {
    let mut text = String::new();
    for v in mesh.vertices() {
        let _ = writeln!(text, "v {:?} {:?} {:?}", v.x, v.y, v.z);
    }
    for triangle in mesh.triangles() {
        let [a, b, c] = triangle.map(|v| v + 1);
        let _ = writeln!(text, "f {a} {b} {c}");
    }
    text
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::hierarchy::strategy::Strategy;
    use crate::ids::{MeshId, PartId};
    use crate::math::pose::Pose;
    use crate::report::files::write;
    use crate::scene::Part;
    use crate::scene::read::{ReadOptions, read};

    #[test]
    fn the_scene_of_a_disagreement_reads_back_to_the_bit() {
        let mesh = |x: f64| {
            let corners = [DVec3::new(x, 0.1, -1e-300), DVec3::new(1.0 / 3.0, x, 2e17), DVec3::X * 0.7];
            Mesh::new(&corners, &[[0, 1, 2], [2, 1, 0]]).expect("valid")
        };
        let pose = |angle: f64| Pose::from_trs([angle, 0.2, 0.3, 0.9], [1.0, 2.0, 0.5], [angle, 1e9, 0.1]);
        let disagreement = Disagreement {
            parts: [PartId(1), PartId(0)],
            strategies: [Strategy::default(); 2],
            found: ["1 contact".to_owned(), "2 contacts".to_owned()],
            meshes: [mesh(0.1), mesh(-7.3)],
            poses: [0.3, -0.4].map(|angle| pose(angle).expect("a rotation")),
        };
        let part = |name| Part::new(name, MeshId(0), Pose::IDENTITY);
        let scene = Scene { parts: vec![part("pin"), part("hub")], ..Scene::default() };
        assert_eq!(
            in_words(&scene, &disagreement),
            "'hub' and 'pin': obb simd finds 1 contact, obb simd finds 2 contacts"
        );
        let dir = tempfile::tempdir().expect("a directory");
        write(dir.path(), files(&scene, &disagreement)).expect("written");
        let back = read(&[dir.path().join(SCENE)], &ReadOptions::default()).expect("a scene");
        for side in 0..2 {
            let part = &back.parts[side];
            assert_eq!(*part.name, *["hub", "pin"][side]);
            assert_eq!(part.pose, disagreement.poses[side]);
            assert_eq!(*back.meshes[part.mesh.index()], disagreement.meshes[side]);
        }
    }
}
