//! Table `lin-table-1`: a small lattice of pipes in a large one, and a torus on a landscape, both in free
//! fall with impulses at their contacts (section 5 and Table 1).

use std::time::Instant;

use closefit::{DVec3, Mesh, Pose};
use closefit_generate::shapes::Shape;
use closefit_generate::{Request, generate};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::parallel;

use crate::fit::exponent;
use crate::kinds::{Found, Kind, OTHERS, PRINTED};
use crate::lin::box_test::mean_operations;
use crate::meshes::{centred, mapped};
use crate::papers::{LIN_TABLE_1, of_fall};
use crate::reference::mean_triangle_test;
use crate::simulate::add_poses;
use crate::simulate::impulses::Fall;
use crate::simulate::rigid::Rigid;
use crate::simulate::rotation::turned;
use crate::table::{Seconds, ours, paper};
use crate::verdict::{Claim, Rule};
use crate::{Effort, Experiment, Motion, Row, Run, Setting, Table, either};

pub const EXPERIMENT: Experiment = Experiment {
    name: "lin-table-1",
    about: "bodies in free fall with impulses at contacts: box and triangle tests by kind of tree",
    steps: |effort| 2 * (2 + OTHERS.len() as u64) + sizes(effort).len() as u64,
    run,
};

/// The kinds that search at one step in [`SELDOM`]: at all, they would take nearly all of the time.
const SLOW: [&str; 2] = ["sphere", "box"];

const SELDOM: usize = 20;

/// The kinds whose growth is compared in nested spheres.
const NESTED: [usize; 3] = [2, 3, 1];

fn sizes(effort: Effort) -> &'static [u32] {
    either(effort, &[500, 1_000, 2_000], &[1_000, 4_000, 16_000, 64_000, 256_000])
}

/// One of the paper's two scenarios.
struct Scenario {
    name: &'static str,
    meshes: [Mesh; 2],
    poses: Vec<Pose>,
    /// Number of contacts at each pose.
    contacts: Vec<u64>,
}

fn meshes(scene: &str, size: u32) -> [Mesh; 2] {
    let request = Request { name: scene.to_owned(), size: Some(size), seed: 0, soup: false };
    let scene = generate(&request).expect("a scene of the list");
    [0, 1].map(|i| Mesh::clone(&scene.meshes[scene.parts[i].mesh.index()]))
}

fn extent(mesh: &Mesh) -> DVec3 {
    let bounds = Aabb::of(mesh.vertices().iter().copied());
    bounds.hi - bounds.lo
}

impl Scenario {
    /// Pipes, and a copy 15 times smaller that falls from their surface to their middle.
    fn pipes(effort: Effort) -> Self {
        let [pipes, _] = meshes("pipes", either(effort, 4_000, 143_690));
        let (pipes, _) = centred(&pipes);
        let small = mapped(&pipes, |v| v / 15.0);
        let mut start = Rigid::of(&small);
        start.place = DVec3::new(0.1, 0.2, either(effort, 0.4, 0.5)) * extent(&pipes).z;
        start.turn = turned(DVec3::new(0.7, -0.3, 0.4));
        let gravity = |place: DVec3| -place / place.length().max(1e-9);
        Self::new("Pipes", [pipes, small], start, (gravity, 0.03), either(effort, 100, 4_008))
    }

    /// A landscape, and a torus that falls over one of its stalagmites.
    fn torus(effort: Effort) -> Self {
        // The size of the scene is the size of the torus, and a fifth of the size of the landscape.
        Self::torus_of(either(effort, [2_000; 2], [19_120, 20_000]), either(effort, 100, 1_298))
    }

    fn torus_of([of_landscape, of_torus]: [u32; 2], steps: usize) -> Self {
        let [landscape, _] = meshes("wrinkled-torus", of_landscape);
        let [_, torus] = meshes("wrinkled-torus", of_torus);
        let (torus, _) = centred(&torus);
        let tip =
            landscape.vertices().iter().copied().max_by(|a, b| a.z.total_cmp(&b.z)).expect("it has some");
        let mut start = Rigid::of(&torus);
        start.place = tip + DVec3::new(0.1, 0.05, 0.3);
        start.turn = turned(DVec3::new(0.2, 0.3, 0.0));
        Self::new("Torus", [landscape, torus], start, (|_| -DVec3::Z, 0.05), steps)
    }

    /// Lets a body fall. It leaves contacts at this share of its speed at the start, at least.
    fn new(
        name: &'static str,
        meshes: [Mesh; 2],
        mut start: Rigid,
        (gravity, leaving): (fn(DVec3) -> DVec3, f64),
        steps: usize,
    ) -> Self {
        let diagonal = extent(&meshes[1]).length();
        start.velocity = gravity(start.place) * diagonal;
        start.spin = DVec3::new(0.4, 0.2, 0.3);
        let time = 1.0 / 200.0;
        let leaving = leaving * diagonal;
        let fall = Fall { still: &meshes[0], moving: &meshes[1], start, gravity, time, leaving };
        let (poses, contacts) = fall.poses(steps).into_iter().unzip();
        Self { name, meshes, poses, contacts }
    }

    /// Finds all contacts by a kind of tree, at each step or at one in [`SELDOM`].
    fn ask(&self, (name, build): Kind) -> Asked {
        let trees = build(&self.meshes);
        let every = if SLOW.contains(&name) { SELDOM } else { 1 };
        let steps = self.poses.len().div_ceil(every);
        let start = Instant::now();
        let ask = |step: usize| trees.ask([&Pose::IDENTITY, &self.poses[every * step]]);
        let found = parallel::reduce(steps, 1, ask, Found::plus).unwrap_or_default();
        let seconds = start.elapsed().as_secs_f64();
        let contacts: u64 = self.contacts.iter().step_by(every).sum();
        assert_eq!(found.contacts, contacts, "{name} finds all contacts");
        Asked { found, steps: steps as u64, seconds }
    }

    fn row(&self, name: &str, asked: &Asked) -> Row {
        let Asked { found, steps, .. } = asked;
        Row::new(format!("{}, {name}", self.name))
            .with("still", self.meshes[0].triangles().len() as u64)
            .with("moving", self.meshes[1].triangles().len() as u64)
            .with("steps", *steps)
            .with("contacts", found.contacts)
            .with("box_tests", found.boxes)
            .with("box_lanes", found.work.box_tests)
            .with("triangle_tests", found.work.triangle_tests)
            .with("a_step", asked.boxes_a_step())
            .with("contacts_a_step", found.contacts as f64 / *steps as f64)
    }
}

/// The findings of a kind of tree.
#[derive(Clone, Copy)]
struct Asked {
    found: Found,
    /// Number of steps at which the query ran.
    steps: u64,
    seconds: f64,
}

impl Asked {
    fn boxes_a_step(&self) -> f64 {
        self.found.boxes as f64 / self.steps as f64
    }
}

/// Returns the fall of a torus of about so many triangles on a landscape of five times as many.
pub fn fall(triangles: u32, steps: usize) -> Motion {
    let Scenario { meshes, poses, .. } = Scenario::torus_of([triangles; 2], steps);
    Motion::pair("fall", meshes.each_ref(), poses.iter().map(|pose| [Pose::IDENTITY, *pose]))
}

/// Returns the boxes tested for two spheres of a number of triangles, the inner one a hundredth smaller.
fn nested(size: u32) -> Vec<(&'static str, u64)> {
    let outer = Shape::Sphere.mesh(size);
    let inner = mapped(&outer, |v| v / 1.01);
    let kinds = std::iter::once(PRINTED).chain(NESTED.map(|i| OTHERS[i]));
    let meshes = [outer, inner];
    kinds.map(|(name, build)| (name, build(&meshes).ask([&Pose::IDENTITY; 2]).boxes)).collect()
}

/// The findings in a scenario, of RAPID's tree and of the other kinds.
struct Fallen {
    scenario: Scenario,
    rapid: Asked,
    others: [Asked; OTHERS.len()],
}

fn run(run: &Run) -> Table {
    let mut table = Table::new(run, EXPERIMENT.name, EXPERIMENT.about, LIN_TABLE_1);
    let mut digest = blake3::Hasher::new();
    let mut all = Vec::new();
    for make in [Scenario::pipes, Scenario::torus] {
        let scenario = make(run.effort);
        run.observer.advance();
        add_poses(&mut digest, &scenario.poses);
        table.keep(run, || {
            let frames = scenario.poses.iter().map(|pose| [Pose::IDENTITY, *pose]);
            Motion::pair(scenario.name, scenario.meshes.each_ref(), frames)
        });
        table.rows.push(printed(scenario.name));
        let mut ask = |kind: Kind| {
            let asked = scenario.ask(kind);
            table.rows.push(scenario.row(kind.0, &asked));
            let of = format!("a step of {}, {}, on all threads", scenario.name, kind.0);
            table.this_machine.rows.push(Seconds { of, seconds: asked.seconds / asked.steps as f64 });
            run.observer.advance();
            asked
        };
        let (rapid, others) = (ask(PRINTED), OTHERS.map(&mut ask));
        all.push(Fallen { scenario, rapid, others });
    }
    let spheres: Vec<_> = sizes(run.effort)
        .iter()
        .map(|&size| {
            let found = nested(size);
            run.observer.advance();
            (size, found)
        })
        .collect();
    for (size, found) in &spheres {
        for (name, boxes) in found {
            table.rows.push(Row::new(format!("nested spheres of {size}, {name}")).with("box_tests", *boxes));
        }
    }
    table.columns = vec![
        ("still", "environment"),
        ("moving", "object"),
        ("steps", "steps"),
        ("contacts", "contacts"),
        ("box_tests", "box tests"),
        ("box_lanes", "lanes"),
        ("triangle_tests", "triangle tests"),
        ("a_step", "boxes a step"),
        ("contacts_a_step", "contacts a step"),
        ("seconds", "s"),
    ];
    table.settings = settings(run.effort);
    table.claims = claims(&all, &spheres);
    table.path = Some(digest.finalize().to_hex().to_string());
    table
}

/// Returns the paper's row of a scenario.
fn printed(name: &'static str) -> Row {
    let number = |column: &str| of_fall(name, column);
    let count = |column: &str| number(column) as u64;
    Row::of_paper(name)
        .with("still", count("environment"))
        .with("moving", count("object"))
        .with("steps", count("steps"))
        .with("contacts", count("contacts"))
        .with("box_tests", count("box tests"))
        .with("triangle_tests", count("triangle tests"))
        .with("a_step", number("box tests") / number("steps"))
        .with("contacts_a_step", number("contacts") / number("steps"))
        .with("seconds", number("seconds"))
}

fn settings(effort: Effort) -> Vec<Setting> {
    vec![
        paper(
            "pipes of 143 690 polygons, and a copy 15 times smaller inside; a torus of 20 000 on a landscape of 98 000. The contact polygons are found, and an impulse is applied at each, before the clock advances; 4 008 and 1 298 steps",
        ),
        ours(format!(
            "pipes and landscape are those of the generator, {}",
            either(effort, "in small", "within 1 % of the paper's sizes")
        )),
        ours(
            "in a step a body first moves by 1/200 of its diagonal; its acceleration is 1, towards the middle of the pipes, or down. It is a rigid body of mass 1 with the inertia of its box; contacts give back half of the speed of approach, and at least 0.03 of the first speed for pipes and 0.05 for the torus. The paper does not say what lets bodies part again: of five shares from 0.03 to 1, these give contacts a step nearest to the paper's, so the claims about contacts say nothing about the paper's motion",
        ),
        ours(
            "rapid is the tree as printed, with its boxes counted one by one. Trees eight wide count boxes that are there; lanes also count empty places. All kinds are asked at the same poses, sphere and box at one in 20, because they take far longer",
        ),
        ours(
            "the share of box tests in all operations takes the mean of a test of near boxes (lin-obb-test) and that of two triangles whose boxes overlap (sanna-k)",
        ),
        ours("nested spheres have one tessellation, and a gap of a hundredth of the radius"),
    ]
}

fn claims(all: &[Fallen], spheres: &[(u32, Vec<(&'static str, u64)>)]) -> Vec<Claim> {
    let name = |fallen: &Fallen| fallen.scenario.name.to_owned();
    let boxes = |fallen: &Fallen| fallen.rapid.boxes_a_step();
    let contacts = |Fallen { rapid, .. }: &Fallen| rapid.found.contacts as f64 / rapid.steps as f64;
    let (of_boxes, of_triangles) = (mean_operations(), mean_triangle_test());
    let share = |Fallen { rapid: Asked { found, .. }, .. }: &Fallen| {
        let spent = found.boxes as f64 * of_boxes;
        spent / (spent + found.work.triangle_tests as f64 * of_triangles)
    };
    let kinds = || {
        OTHERS
            .iter()
            .zip(&all[0].others)
            .filter(|((name, _), _)| ["sphere", "kdop6", "octree"].contains(name))
    };
    let lanes = OTHERS.iter().position(|(name, _)| *name == "obb, lanes").expect("one of them");
    let of_width = &all[0].others[lanes];
    let growth = |kind: usize| {
        let points: Vec<(f64, f64)> =
            spheres.iter().map(|(size, found)| (f64::from(*size), found[kind].1 as f64)).collect();
        exponent(&points)
    };
    vec![
        Claim::judged(
            "L1",
            "the average number of box tests a step is nearly twice as large for the torus as for the pipes",
            "1.91",
            Rule::Within(1.5, 2.5),
            [("torus beside pipes".to_owned(), boxes(&all[1]) / boxes(&all[0]))],
        )
        .though("our pipes: the tree as printed tests six times the paper's boxes a step for them"),
        Claim::judged(
            "L2",
            "the torus has fewer contacts a step than the pipes",
            "0.29",
            Rule::NotComparable("how fast bodies part is our choice, made by contacts a step"),
            [("torus beside pipes".to_owned(), contacts(&all[1]) / contacts(&all[0]))],
        ),
        Claim::judged(
            "L3",
            "box tests take most of the time: their share of the operations of box and triangle tests",
            "0.797 and 0.866 of the time",
            Rule::AtLeast(0.7),
            all.iter().map(|fallen| (name(fallen), share(fallen))),
        ),
        Claim::judged(
            "L5",
            "long and thin triangles \"cannot be efficiently approximated by sphere trees, octrees, and trees composed of axis-aligned bounding boxes\": boxes tested in a step on the pipes beside those of oriented boxes in a tree of the same width",
            "no number",
            Rule::AtLeast(3.0),
            kinds().map(|((name, _), asked)| {
                ((*name).to_owned(), asked.boxes_a_step() / of_width.boxes_a_step())
            }),
        ),
        Claim::judged(
            "L6",
            "\"OBBs asymptotically perform much better\" where surfaces are close and parallel: the exponent of boxes tested over triangles, less that of oriented boxes",
            "no number",
            Rule::AtLeast(0.3),
            [(1, "sphere"), (2, "kdop6")].map(|(kind, name)| (name.to_owned(), growth(kind) - growth(0))),
        ),
    ]
}
