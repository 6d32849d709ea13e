//! Intervals of contact of a four-bar linkage, known by construction, and the limit of their number.

use std::fmt::Write;
use std::fs;
use std::sync::Arc;

use closefit::scene::{Part, Scene};
use closefit::{Between, DVec3, Keyframe, Mesh, Motion, Pose, SweepRequest, Unobserved};
use closefit_geometry::ids::MeshId;
use closefit_geometry::motion::Joint;
use closefit_job::{Job, Project, ReadScene, SweepOptions, read};
use closefit_report::SweepReport;
use closefit_scene::read::ReadOptions;

const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n\
    f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";

/// A crank-rocker: a crank of 1 about the origin, a coupler of 3.5, a rocker of 3 about (4, 0). A spike on
/// the coupler has its tip at (1.75, 2) in the frame of the coupler, whose x axis goes from crank to rocker.
mod four_bar {
    use closefit::DVec3;

    const CRANK: f64 = 1.0;
    const COUPLER: f64 = 3.5;
    const ROCKER: f64 = 3.0;
    const GROUND: DVec3 = DVec3::new(4.0, 0.0, 0.0);
    pub const TIP: [f64; 2] = [1.75, 2.0];

    /// Returns the origin of the coupler, and the angle of its x axis, at an angle of the crank in degrees.
    pub fn coupler(crank: f64) -> (DVec3, f64) {
        let (sin, cos) = crank.to_radians().sin_cos();
        let origin = DVec3::new(CRANK * cos, CRANK * sin, 0.0);
        // The triangle of the coupler, the rocker, and what is between crank and rocker's pivot.
        let across = GROUND - origin;
        let d = across.length();
        let corner = ((COUPLER * COUPLER + d * d - ROCKER * ROCKER) / (2.0 * COUPLER * d)).acos();
        (origin, across.y.atan2(across.x) + corner)
    }

    /// Returns a point of the coupler in the plane.
    pub fn point([x, y]: [f64; 2], crank: f64) -> DVec3 {
        let (origin, angle) = coupler(crank);
        let (sin, cos) = angle.sin_cos();
        origin + DVec3::new(cos * x - sin * y, sin * x + cos * y, 0.0)
    }
}

/// The block's face is the chord of the tip's path between these angles of the crank, in degrees, so that the
/// tip is in the block exactly between them. They are keyframes, at which the poses are those of the linkage.
const MEETS: [f64; 2] = [60.0, 120.0];

/// The vertices of the spike beside its tip.
const ROOT: [[f64; 2]; 3] = [[0.0, 0.0], [0.05, 0.0], [0.0, 0.05]];

#[test]
fn a_four_bar_linkage_meets_a_block_where_its_tip_crosses_the_face() {
    let [from, to] = MEETS.map(|crank| four_bar::point(four_bar::TIP, crank));
    let along = (to - from).normalize();
    // Outwards of the path: into the block.
    let into = DVec3::new(-along.y, along.x, 0.0);
    let middle = four_bar::point(four_bar::TIP, 0.5 * (MEETS[0] + MEETS[1]));
    let into = if (middle - from).dot(into) > 0.0 { into } else { -into };
    for degrees in (0..360).map(f64::from) {
        let depth = |point| (four_bar::point(point, degrees) - from).dot(into);
        assert!(ROOT.iter().all(|&root| depth(root) < -0.1) && depth(four_bar::TIP) < 1.0, "{degrees}");
        let is_met = depth(four_bar::TIP) > 0.0;
        let edge = MEETS.contains(&degrees);
        assert!(edge || is_met == (MEETS[0] < degrees && degrees < MEETS[1]), "{degrees}");
    }

    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("cube.obj"), CUBE).unwrap();
    let [x, y] = four_bar::TIP;
    let spike =
        format!("v 0 0 -0.05\nv 0.05 0 0\nv 0 0.05 0\nv {x} {y} 0\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    fs::write(folder.path().join("spike.obj"), spike).unwrap();
    // From the face 1 inwards, 10 to each side along it, and 1 up and down.
    let corner = from - along * 10.0 - DVec3::Z;
    let (a, b) = (along * 20.0, into);
    let matrix = [a.x, b.x, 0.0, corner.x, a.y, b.y, 0.0, corner.y, 0.0, 0.0, 2.0, corner.z];
    let mut keyframes = String::new();
    for degrees in 0..=360 {
        let (origin, angle) = four_bar::coupler(f64::from(degrees));
        let (sin, cos) = (0.5 * angle).sin_cos();
        let comma = if degrees == 0 { "" } else { ",\n" };
        write!(
            keyframes,
            "{comma}{{\"time\": {degrees}, \"rotation\": [0, 0, {sin}, {cos}], \"translation\": [{}, {}, 0]}}",
            origin.x, origin.y
        )
        .unwrap();
    }
    let text = format!(
        "{{\"unit\": \"mm\", \"parts\": [{{\"name\": \"block\", \"mesh\": \"cube.obj\", \"pose\": {{\"matrix\": {matrix:?}}}}},\n\
         {{\"name\": \"coupler\", \"mesh\": \"spike.obj\", \"motion\": {{\"keyframes\": [{keyframes}]}}}}]}}"
    );
    let path = folder.path().join("linkage.json");
    fs::write(&path, text).unwrap();
    let job =
        Job::new(read(&[path], &ReadOptions::default(), &Unobserved).unwrap(), Project::default()).unwrap();

    for precision in [1e-2, 1e-4, 1e-6] {
        let request = job.sweep_request(None, None).unwrap().precision(precision);
        let report = intervals(&job, request).unwrap();
        let found = report.pairs[0].intervals.as_ref().unwrap();
        assert_eq!((found.contact.len(), found.undecided.len()), (1, 0), "{found:?}");
        let [enter, leave] = [found.contact[0].interval.enter, found.contact[0].interval.leave];
        // The tip crosses the face at more than 0.007 a degree, so it is within half the precision of it for
        // less than this outside.
        let early = precision / 0.014;
        let cell = early;
        assert!(enter[0] <= MEETS[0] && MEETS[1] <= leave[1], "{enter:?} {leave:?}");
        assert!(MEETS[0] - early <= enter[0] + cell && enter[1] <= MEETS[0] + cell, "{enter:?}");
        assert!(leave[1] - cell <= MEETS[1] + early && MEETS[1] - cell <= leave[0], "{leave:?}");
    }
}

/// Sweeps a job with intervals. The error is its text.
fn intervals(job: &Job, request: SweepRequest) -> Result<SweepReport, String> {
    let swept = job.sweep(&request.with_intervals(), &SweepOptions::default(), &Unobserved);
    swept.map(|found| found.report).map_err(|error| error.to_string())
}

/// A part that jumps onto another and off again, so many times.
fn jumping(times: u32) -> Job {
    let triangle = Arc::new(Mesh::new(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]).unwrap());
    let key = |number: u32| Keyframe {
        time: f64::from(number),
        rotation: [0.0, 0.0, 0.0, 1.0],
        translation: DVec3::Z * f64::from((number + 1) % 2),
    };
    let keyframes: Vec<Keyframe> = (0..=2 * times).map(key).collect();
    let motion = Motion::through(&keyframes, Between::Step, [1.0; 3]).unwrap();
    let mut scene = Scene { meshes: vec![triangle], ..Scene::default() };
    scene.parts = ["plate", "hammer"].map(|name| Part::new(name, MeshId(0), Pose::IDENTITY)).into();
    scene.parts[1].frame = Some(scene.frames.add(None, Joint::Moving(motion)));
    Job::new(ReadScene::from(scene), Project::default()).unwrap()
}

#[test]
fn more_intervals_than_the_limit_are_an_error_that_names_the_pair() {
    let swept = |times: u32| {
        let job = jumping(times);
        intervals(&job, job.sweep_request(None, None).unwrap())
    };
    let some = swept(100).unwrap();
    assert_eq!(some.pairs[0].intervals.as_ref().unwrap().contact.len(), 100);
    let why = "'plate' and 'hammer' come near each other in more than 65536 intervals: a larger precision joins them";
    assert_eq!(swept((1 << 16) + 1).unwrap_err(), why);
}
