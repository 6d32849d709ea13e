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

/// The directory, below that of `--out`, of the scene that shows a disagreement.
const DIRECTORY: &str = "disagreement";

/// Writes the scene of a disagreement, if there is a place for it, and returns the line that tells the user.
pub fn told(scene: &Scene, disagreed: &Disagreed, out: Option<&Path>) -> anyhow::Result<String> {
    let mut line = disagreed.to_string();
    if let Some(out) = out {
        let dir = out.join(DIRECTORY);
        terminal::write_files(&dir, files(scene.unit, disagreed))?;
        let _ = write!(line, "; see {}", printable(&dir.join(SCENE).display().to_string()));
    }
    Ok(line)
}

const SCENE: &str = "scene.json";

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
    use std::path::Path;

    use glam::DVec3;

    use super::*;
    use crate::command::{self, Cli};
    use crate::outcome::Outcome;
    use closefit::Unobserved;
    use closefit::internals::engine::marked::{FAULTY, MARK};
    use closefit::internals::hierarchy::strategy::Strategy;
    use closefit_geometry::ids::PartId;
    use closefit_geometry::math::pose::Pose;
    use closefit_job::{CheckOptions, Job, JobError, Project};
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

    /// Returns a sheet with bumps, of which the first vertex is given.
    fn sheet(first: DVec3) -> Mesh {
        const N: u32 = 9;
        let at = |i: u32| f64::from(i) / f64::from(N - 1) - 0.5;
        let bump = |i: u32| DVec3::new(at(i % N), at(i / N), 0.01 * f64::from(i * 7 % 5));
        let vertices: Vec<DVec3> = std::iter::once(first).chain((1..N * N).map(bump)).collect();
        let cells = (0..N * N).filter(|i| i % N < N - 1 && i / N < N - 1);
        let triangles = cells.flat_map(|i| [[i, i + 1, i + N], [i + 1, i + N + 1, i + N]]);
        Mesh::new(&vertices, &triangles.collect::<Vec<_>>()).expect("valid")
    }

    /// Runs a check as the program does, but for the signals.
    fn checked(scene: &Path, more: &[&str]) -> Outcome {
        let scene = scene.to_str().expect("UTF-8");
        let arguments = [&["closefit", "check", scene, "--quiet", "--fail-on", "never"], more].concat();
        let cli = Cli::of(arguments.into_iter().map(Into::into)).expect("valid");
        let outcome = command::run(cli).expect("no error");
        terminal::leave_output();
        outcome
    }

    /// Trees of one kind over the first mesh lack a child, so they disagree with all others, over the reduced
    /// meshes too.
    #[test]
    fn a_faulty_tree_ends_the_run_with_status_3_and_a_scene_that_shows_it() {
        let dir = tempfile::tempdir().expect("a directory");
        let at = |name: &str| dir.path().join(name);
        let meshes = [("first.obj", sheet(MARK)), ("second.obj", sheet(DVec3::new(-0.5, -0.5, 0.25)))];
        for (name, mesh) in &meshes {
            std::fs::write(at(name), obj(mesh)).expect("written");
        }
        let turned = json!({ "rotation": [0.0, 0.0, 0.6, 0.8], "translation": [0.01, 0.02, 0.0] });
        let manifest = json!({ "parts": [
            { "name": "pin", "mesh": "first.obj" },
            { "name": "hub", "mesh": "second.obj", "pose": turned },
        ] });
        std::fs::write(at("scene.json"), manifest.to_string()).expect("written");
        let faulty = FAULTY;
        let kind = closefit_methods::parse(faulty).expect("a kind");
        let [out, again] = ["out", "again"].map(at);
        let shown = |path: &Path| path.to_str().expect("UTF-8").to_owned();

        let [scene, sound] = ["scene.json", "sound"].map(at);
        let outcome = checked(&scene, &["--cross-check", "sphere,box", "--out", &shown(&sound)]);
        assert_eq!(outcome, Outcome::Pass);
        assert!(sound.join("report.json").exists() && !sound.join(DIRECTORY).exists());

        let outcome = checked(&scene, &["--cross-check", faulty, "--out", &shown(&out)]);
        assert_eq!(outcome, Outcome::Disagreement);
        assert_eq!(Outcome::Disagreement.status(), 3);
        assert!(!out.join("report.json").exists(), "no report");
        let written = out.join(DIRECTORY).join(SCENE);
        let reduced = read(std::slice::from_ref(&written), &ReadOptions::default()).expect("a scene");
        let sizes = reduced.parts.iter().map(|part| reduced.meshes[part.mesh.index()].triangles().len());
        assert_eq!(reduced.parts.iter().map(|part| &*part.name).collect::<Vec<_>>(), ["pin", "hub"]);
        assert!(sizes.sum::<usize>() < 20, "few of the {} triangles", 2 * meshes[0].1.triangles().len());

        // The scene alone shows the disagreement, and the line says what it is.
        let outcome = checked(&written, &["--cross-check", faulty, "--out", &shown(&again)]);
        assert_eq!(outcome, Outcome::Disagreement);
        assert_eq!(checked(&written, &["--cross-check", "sphere,box"]), Outcome::Pass);
        let read = closefit_job::read(std::slice::from_ref(&written), &ReadOptions::default(), &Unobserved);
        let job = Job::new(read.expect("a scene"), Project::default()).expect("no rules");
        let options = CheckOptions { cross_check: vec![kind], ..CheckOptions::default() };
        let request = job.check_request().expect("admissible");
        let Err(JobError::Disagreement(disagreed)) = job.check(&request, &options, &Unobserved) else {
            panic!("they disagree")
        };
        let line = told(job.scene(), &disagreed, Some(&again)).expect("written");
        let start = format!("disagreement: {}: 'pin' and 'hub': obb simd finds ", written.display());
        let end = format!("; see {}", again.join(DIRECTORY).join(SCENE).display());
        assert!(line.starts_with(&start) && line.ends_with(&end) && !line.contains('\n'), "{line}");
        assert!(line.contains(&format!(", {faulty} simd finds ")), "{line}");
    }
}
