//! Pages of made scenes.

use closefit::Unobserved;
use closefit_generate::{Request, generate};
use closefit_geometry::ids::MeshId;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::scene::{Part, Scene};
use closefit_html::{Html, Page, html};
use closefit_job::{CheckOptions, Job, Project, ReadScene, SweepOptions, joint_range, read};
use closefit_report::diff::Review;
use closefit_report::{CheckReport, SweepReport};
use closefit_scene::read::ReadOptions;
use closefit_views::Views;

/// A size that no page of a test has.
const ANY: usize = usize::MAX;

/// Checks a scene.
pub fn checked(scene: Scene, clearance: f64) -> (Job, CheckReport) {
    let job =
        Job::new(ReadScene::from(scene), Project::default()).expect("a project that asks for everything");
    let request = job.check_request().expect("parts that can be posed").clearance(clearance);
    let found = job.check(&request, &CheckOptions::default(), &Unobserved).expect("a check");
    (job, found.report)
}

/// Returns the page of a check.
pub fn page(scene: Scene, clearance: f64, limit: usize) -> Html {
    let (job, report) = checked(scene, clearance);
    html(&Views::of(job.scene(), &report), &Page::new(&Review::default(), limit))
}

/// Returns the scene of the example.
pub fn gearbox_scene() -> Scene {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/gearbox.glb");
    read(&[file], &ReadOptions::default(), &Unobserved).expect("the example").scene
}

/// Returns the page of a gearbox with clashes, gaps and contacts.
pub fn gearbox() -> Vec<u8> {
    page(gearbox_scene(), 0.0001, ANY).bytes
}

/// Sweeps a generated scene.
pub fn swept(name: &str, size: u32, clearance: f64) -> (Job, SweepReport) {
    let request = Request { name: name.to_owned(), size: Some(size), seed: 1, soup: false };
    let scene = generate(&request).expect("a scene of that name");
    let job =
        Job::new(ReadScene::from(scene), Project::default()).expect("a project that asks for everything");
    let request = job.sweep_request(None, None).expect("parts that can be posed").clearance(clearance);
    let found = job.sweep(&request, &SweepOptions::default(), &Unobserved).expect("a sweep");
    (job, found.report)
}

/// Returns the page of an arm that meets what stands around it.
pub fn robot() -> Vec<u8> {
    let (job, report) = swept("robot", 8, 0.2);
    html(&Views::of(job.scene(), &report), &Page::new(&Review::default(), ANY)).bytes
}

/// Returns the page of a bar that a joint turns past a post, twice.
pub fn joint() -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let cube = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n\
        f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    let link = |name: &str, xyz: &str, scale: &str| {
        format!(
            "<link name=\"{name}\"><visual><origin xyz=\"{xyz}\"/><geometry><mesh filename=\"cube.obj\" scale=\"{scale}\"/>\
             </geometry></visual></link>"
        )
    };
    let joint = |name: &str, kind: &str, ends: [&str; 2]| {
        format!(
            "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{}\"/><child link=\"{}\"/><axis xyz=\"0 0 1\"/></joint>",
            ends[0], ends[1]
        )
    };
    let links = [
        link("post", "1 -0.1 0", "0.2 0.2 1"),
        link("foot", "-0.1 -0.1 -2", "0.2 0.2 1"),
        link("bar", "-1.5 -0.1 0", "3 0.2 0.2"),
    ];
    let joints = [joint("fixed", "fixed", ["post", "foot"]), joint("turn", "continuous", ["foot", "bar"])];
    let robot = format!("<robot name=\"r\">{}{}</robot>", links.concat(), joints.concat());
    let file = folder.path().join("r.urdf");
    std::fs::write(folder.path().join("cube.obj"), cube).expect("written");
    std::fs::write(&file, robot).expect("written");
    let read = read(&[file], &ReadOptions::default(), &Unobserved).expect("a robot");
    let job = Job::new(read, Project::default()).expect("a project that asks for everything");
    let range = joint_range(&job.scene().robots[0], "turn=45deg:315deg").expect("a joint");
    let values = job.scene().robots[0].rest();
    let job = job.along_joint(range, &values).expect("a sweep");
    let request = job.sweep_request(None, None).expect("parts that can be posed").clearance(0.1);
    let request = request.with_intervals();
    let report = job.sweep(&request, &SweepOptions::default(), &Unobserved).expect("a sweep").report;
    html(&Views::of(job.scene(), &report), &Page::new(&Review::default(), ANY)).bytes
}

/// Returns cubes of size 1 in a row, by name and place.
pub fn cubes(parts: &[(&str, f64)]) -> Scene {
    let corner = |i: u32| [0, 1, 2].map(|axis| f64::from(i >> axis & 1));
    let corners: Vec<[f64; 3]> = (0..8).map(corner).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let mesh = Mesh::new(&corners, &triangles).expect("a cube");
    let part = |&(name, x): &(&str, f64)| Part::new(name, MeshId(0), Pose::translation([x, 0.25 * x, 0.0]));
    Scene { meshes: vec![mesh.into()], parts: parts.iter().map(part).collect(), ..Scene::default() }
}

/// Returns the page of a clash and a gap, which carries no picture of them.
pub fn unpictured() -> Vec<u8> {
    let (job, report) = checked(cubes(&[("a", 0.0), ("b", 0.75), ("c", 1.8)]), 0.1);
    let review = Review::default();
    let page = Page { has_pictures: false, ..Page::new(&review, ANY) };
    html(&Views::of(job.scene(), &report), &page).bytes
}

/// Returns the page of parts that are far from each other.
pub fn apart() -> Vec<u8> {
    page(cubes(&[("a", 0.0), ("b", 10.0)]), 0.0, ANY).bytes
}

/// Names that would do something if they were markup, script, an address or a direction of writing.
pub fn hostile_names() -> [String; 6] {
    let script = "document.documentElement.dataset.ran=''";
    [
        format!("<img src=x onerror=\"{script}\">"),
        format!("</script><script>{script}</script>"),
        "\u{202e}txt.exe\u{2028}\u{2029}\u{0}\u{7}".to_owned(),
        "x".repeat(64 << 10),
        format!("javascript:{script}//\"'><svg onload={script}>"),
        "{{constructor}} ${1} %3Cscript%3E -->]]>".to_owned(),
    ]
}

/// Returns the page of clashing parts with such names, and such a title.
pub fn hostile() -> Vec<u8> {
    let names = hostile_names();
    let parts: Vec<(&str, f64)> =
        names.iter().zip(0..).map(|(name, i)| (&name[..], 0.75 * f64::from(i))).collect();
    let mut scene = cubes(&parts);
    scene.parts[0].model = format!("</title>{}", names[1]).into();
    page(scene, 0.1, ANY).bytes
}

/// Returns a page that is so small that most parts are boxes.
pub fn boxes() -> Vec<u8> {
    let made = with_a_limit(1);
    assert!(made.notes[0].contains("not drawn"));
    made.bytes
}

/// Returns the page of two clashing cubes and three far away, with a limit of its size.
pub fn with_a_limit(limit: usize) -> Html {
    let far = [("a", 0.0), ("b", 0.5), ("c", 10.0), ("d", 20.0), ("e", 30.0)];
    page(cubes(&far), 0.0, limit)
}
