//! A cross-check that fails, as the program runs it.

use std::path::Path;

use glam::DVec3;
use serde_json::json;

use super::{Cli, run};
use crate::cross_check::{DIRECTORY, SCENE, obj, told};
use crate::outcome::Outcome;
use crate::terminal;
use closefit::Unobserved;
use closefit::internals::engine::marked::{FAULTY, MARK};
use closefit_geometry::mesh::Mesh;
use closefit_job::{CheckOptions, Job, JobError, Project};
use closefit_scene::read::{ReadOptions, read};

/// Returns a sheet with bumps whose first vertex is given.
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
    let outcome = run(cli).expect("no error");
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
