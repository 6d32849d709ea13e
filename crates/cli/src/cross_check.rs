//! `--cross-check`: writes, if trees disagree, a scene that shows it.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;

use crate::terminal;
use closefit::internals::engine::Disagreement;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::scene::Scene;
use closefit_geometry::text::printable;
use closefit_geometry::units::Unit;
use closefit_job::Disagreed;
use closefit_report::files::{NewFile, ready};

/// The directory, below `--out`, of the scene that shows a disagreement.
pub const DIRECTORY: &str = "disagreement";

/// Writes the scene of a disagreement, if there is a place for it, and returns the line for the user.
pub fn told(scene: &Scene, disagreed: &Disagreed, out: Option<&Path>) -> anyhow::Result<String> {
    let mut line = disagreed.to_string();
    if let Some(out) = out {
        let dir = out.join(DIRECTORY);
        terminal::write_files(&dir, files(scene.unit, disagreed))?;
        let _ = write!(line, "; see {}", printable(&dir.join(SCENE).display().to_string()));
    }
    Ok(line)
}

/// The name of the scene file there.
pub const SCENE: &str = "scene.json";

/// Returns a manifest and two meshes.
fn files(unit: Option<Unit>, Disagreed { names, found, .. }: &Disagreed) -> Vec<NewFile<'static>> {
    let Disagreement { meshes, poses, .. } = found;
    let mesh_files = ["a.obj", "b.obj"];
    let parts = [0, 1].map(|side| {
        json!({
            "name": names[side],
            "mesh": mesh_files[side],
            "pose": { "matrix": poses[side].rows.as_flattened() },
        })
    });
    let mut manifest = json!({ "parts": parts });
    if let Some(unit) = unit {
        manifest["unit"] = json!(unit);
    }
    let text = format!("{manifest:#}\n");
    let meshes = meshes.iter().zip(mesh_files).map(|(mesh, name)| ready(name, obj(mesh).into_bytes()));
    std::iter::once(ready(SCENE, text.into_bytes())).chain(meshes).collect()
}

/// Returns a mesh as OBJ, with every coordinate to the last bit.
pub fn obj(mesh: &Mesh) -> String {
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
    use closefit::Strategy;
    use closefit_geometry::ids::PartId;
    use closefit_geometry::math::pose::Pose;
    use closefit_report::files::{Writing, write};
    use closefit_scene::read::{ReadOptions, read};

    #[test]
    fn the_scene_of_a_disagreement_reads_back_to_the_bit() {
        let mesh = |x: f64| {
            let corners = [DVec3::new(x, 0.1, -1e-300), DVec3::new(1.0 / 3.0, x, 2e17), DVec3::X * 0.7];
            Mesh::new(&corners, &[[0, 1, 2], [2, 1, 0]]).expect("valid")
        };
        let pose = |angle: f64| Pose::from_trs([angle, 0.2, 0.3, 0.9], [1.0, 2.0, 0.5], [angle, 1e9, 0.1]);
        let disagreement = Disagreement {
            parts: [PartId(1), PartId(0)],
            strategies: (Some(Strategy::default()), Strategy::default()),
            found: ["1 contact".to_owned(), "2 contacts".to_owned()],
            meshes: [mesh(0.1), mesh(-7.3)],
            poses: [0.3, -0.4].map(|angle| pose(angle).expect("a rotation")),
        };
        let names = ["hub", "pin"].map(str::to_owned);
        let disagreed = Disagreed { files: "a.glb".to_owned(), names, found: disagreement.clone() };
        assert_eq!(
            disagreed.to_string(),
            "disagreement: a.glb: 'hub' and 'pin': obb simd finds 1 contact, obb simd finds 2 contacts"
        );
        let dir = tempfile::tempdir().expect("a directory");
        write(dir.path(), files(None, &disagreed), &Writing::new()).expect("written");
        let back = read(&[dir.path().join(SCENE)], &ReadOptions::default()).expect("a scene");
        for side in 0..2 {
            let part = &back.parts[side];
            assert_eq!(*part.name, *["hub", "pin"][side]);
            assert_eq!(part.pose, disagreement.poses[side]);
            assert_eq!(*back.meshes[part.mesh.index()], disagreement.meshes[side]);
        }
    }
}
