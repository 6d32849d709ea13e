//! Errors of jobs: one line, with file, part and key.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use closefit::{CheckError, DVec3, Mesh, Observer, Pose, Stage, SweepError, Unobserved};
use closefit_geometry::ids::MeshId;
use closefit_geometry::scene::{Part, Scene};
use closefit_job::{CheckOptions, Job, JobError, NothingAsked, Project, SweepOptions, read, read_rules};
use closefit_scene::read::ReadOptions;

fn part(name: &str, x: f64) -> Part {
    Part { file: "parts.glb".into(), ..Part::new(name, MeshId(0), Pose::translation([x, 0.0, 0.0])) }
}

fn job(parts: Vec<Part>) -> Job {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let mesh = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).expect("valid");
    let scene = Scene { meshes: vec![Arc::new(mesh)], parts, ..Scene::default() };
    Job::new(scene.into(), Project::default()).expect("no rules")
}

fn check(job: &Job, observer: &dyn Observer) -> JobError {
    let request = closefit::CheckRequest::default();
    job.check(&request, &CheckOptions::default(), observer).map(drop).expect_err("it is refused")
}

fn of(error: &JobError) -> (Option<&str>, Option<&str>, Option<String>) {
    (error.file(), error.part(), error.key())
}

#[test]
fn errors_name_file_part_and_key() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let shown = |path: &std::path::Path| path.to_str().unwrap().to_owned();

    let manifest = put("s.json", r#"{"unit": "mm", "parts": [{"name": "pin", "mesh": "pin.obj"}]}"#);
    put("pin.obj", "v 0 0 0\nv x 0 0\n");
    let error = read(std::slice::from_ref(&manifest), &ReadOptions::default(), &Unobserved).unwrap_err();
    assert_eq!(error.file(), Some(&shown(&manifest)[..]));
    assert!(error.part().unwrap().starts_with("'pin'"), "{error}");
    assert_eq!(error.key().unwrap(), "line 2", "{error}");

    let rules = put("r.toml", "closefit-rules = 1\n[[rule]]\nid = \"x\"\n");
    let error = read_rules(&rules).unwrap_err();
    assert_eq!(of(&error), (Some(&shown(&rules)[..]), None, Some("2:1".to_owned())), "{error}");
    let error = read_rules(std::path::Path::new("nowhere.toml")).unwrap_err();
    assert_eq!(of(&error), (Some("nowhere.toml"), None, None));

    let error = check(&job(vec![part("near", 0.0), part("far", 1e70)]), &Unobserved);
    assert_eq!(of(&error), (Some("parts.glb"), Some("far"), None), "{error}");
    assert!(matches!(error, JobError::Check { error: CheckError::OutOfRange { .. }, .. }));
    assert!(error.to_string().starts_with("parts.glb: part 1 'far': "), "{error}");

    let error = check(&job(vec![part("near", 0.0), part("two\nlines", 1e70)]), &Unobserved);
    assert!(error.to_string().contains(r"two\nlines"), "{error}");

    let still = job(vec![part("a", 0.0), part("b", 5.0)]);
    let request = still.sweep_request(Some(0.0), None).unwrap();
    let error = still.sweep(&request, &SweepOptions::default(), &Unobserved).err().unwrap();
    assert!(matches!(error, JobError::Nothing { why: NothingAsked::NothingMoves, .. }), "{error}");
    let allowed = SweepOptions { allow_empty: true, ..SweepOptions::default() };
    assert!(still.sweep(&request, &allowed, &Unobserved).is_ok());
    let error = check(&job(vec![part("a", 0.0)]), &Unobserved);
    assert_eq!(error.to_string(), "nothing would be checked: the scene has one part");
    let error = JobError::Sweep { files: "a.glb".into(), error: SweepError::NoTime { from: 1.0, to: 0.0 } };
    assert_eq!(of(&error), (Some("a.glb"), None, Some("from, to".to_owned())));
}

/// An observer that stops a job after so many calls.
struct Stop(AtomicU64);

impl Observer for Stop {
    fn begin(&self, _: Stage, _: u64) {}

    fn cancelled(&self) -> bool {
        self.0.fetch_sub(1, Ordering::Relaxed) == 0
    }
}

#[test]
fn an_observer_stops_a_job() {
    let many = job((0..50).map(|i| part("p", 0.5 * f64::from(i))).collect());
    assert!(matches!(check(&many, &Stop(AtomicU64::new(0))), JobError::Interrupted));
}
