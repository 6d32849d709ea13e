//! Table `zachmann-simple`: the BoxTree compared with the simple algorithm (Figure 10).

use std::time::Instant;

use closefit::internals::bvh::Hierarchy;
use closefit::{Pose, Work};
use closefit_generate::shapes::Shape;
use closefit_geometry::executor::Executor;
use closefit_methods::internals::box_tree::{BoxRule, BoxTree, Prechecks, step_operations};
use closefit_methods::internals::counted::Operations;

use super::{Bodies, Frames};
use crate::papers::{PRECHECK_GAIN, THRESHOLD, TORI_SECONDS, ZACHMANN_SIMPLE};
use crate::picture::Picture;
use crate::table::{Seconds, ours, paper};
use crate::verdict::{Claim, Rule};
use crate::{Effort, Experiment, Row, Run, Setting, Table, either};

pub const EXPERIMENT: Experiment = Experiment {
    name: "zachmann-simple",
    about: "the BoxTree beside the simple algorithm, by size",
    steps: |effort| (SHAPES.len() * sizes(effort).len()) as u64,
    run,
};

const SHAPES: [Shape; 3] = [Shape::Torus, Shape::Sphere, Shape::TetraFlake];

/// The largest solids for which the simple algorithm runs without its first test: it takes minutes
/// beyond.
const MOST_UNCHECKED: u32 = 1_000;

fn sizes(effort: Effort) -> &'static [u32] {
    either(effort, &[36, 100, 400, 1_000], &[20, 36, 64, 100, 200, 400, 700, 1_000, 2_000, 3_000])
}

fn frames(effort: Effort) -> Frames {
    either(effort, Frames { runs: 2, frames: 100, every: 20 }, Frames { runs: 20, frames: 2_000, every: 400 })
}

const WITHOUT_EMPTY: BoxRule = BoxRule { empty: 1.0, ..BoxRule::DEFAULT };
const WITHOUT_THICKNESS: BoxRule = BoxRule { thickness: 0.0, ..BoxRule::DEFAULT };
const UNCHECKED: BoxRule =
    BoxRule { prechecks: Prechecks { polygons: false, edges: true }, ..BoxRule::SIMPLE };

/// The costs of one pair of bodies.
struct Found {
    bodies: Bodies,
    simple: f64,
    /// The simple algorithm without its first test.
    unchecked: Option<f64>,
    /// The BoxTree without and with empty boxes.
    boxes: [f64; 2],
    /// Entries of leaves for each edge, and for each triangle.
    pointers: [f64; 2],
    /// The larger of two ratios: how much deeper, and how much fuller, the tree is without thick cuts.
    unbalanced: f64,
    /// The most expensive step at the poses.
    step: Operations,
}

impl Found {
    fn new(bodies: Bodies) -> Self {
        let unchecked = (bodies.size <= MOST_UNCHECKED).then(|| bodies.mean_operations(&UNCHECKED));
        let tree = BoxTree::build_as(&bodies.mesh, &BoxRule::DEFAULT);
        let shapes = tree.shapes(&bodies.mesh);
        let thin = BoxTree::build_as(&bodies.mesh, &WITHOUT_THICKNESS).shapes(&bodies.mesh);
        let growth = |i: usize| {
            let ratio = |of: fn(&closefit_methods::internals::box_tree::Shape) -> u32| {
                f64::from(of(&thin[i])) / f64::from(of(&shapes[i]).max(1))
            };
            ratio(|shape| shape.depth).max(ratio(|shape| shape.fullest))
        };
        Self {
            simple: bodies.mean_operations(&BoxRule::SIMPLE),
            unchecked,
            boxes: [WITHOUT_EMPTY, BoxRule::DEFAULT].map(|rule| bodies.mean_operations(&rule)),
            pointers: shapes.map(|shape| shape.repetition),
            unbalanced: growth(0).max(growth(1)),
            step: most_of_a_step(&tree, &bodies),
            bodies,
        }
    }

    fn row(&self) -> Row {
        let row = Row::new(self.bodies.name.clone())
            .with("simple", self.simple)
            .with("without_empty", self.boxes[0])
            .with("with_empty", self.boxes[1])
            .with("gain", self.simple / self.boxes[1]);
        let row = match self.unchecked {
            Some(unchecked) => row.with("precheck_gain", unchecked / self.simple),
            None => row,
        };
        row.with("pointers", self.pointers[1])
            .with("thin", self.unbalanced)
            .with("contact_share", self.bodies.contact_share)
    }
}

/// Returns the most multiplications and the most additions of any step from the roots, at all poses.
fn most_of_a_step(tree: &BoxTree, bodies: &Bodies) -> Operations {
    let placed = |pose: &Pose| tree.place(&bodies.mesh, pose, Executor::Scalar);
    let steps = bodies
        .poses
        .iter()
        .flat_map(|[a, b]| step_operations(&placed(a), &placed(b)).expect("poses in a cage are comparable"));
    steps.fold(Operations::NONE, |most, step| Operations {
        multiplications: most.multiplications.max(step.multiplications),
        additions: most.additions.max(step.additions),
        ..Operations::NONE
    })
}

fn run(run: &Run) -> Table {
    let mut table = Table::new(run, EXPERIMENT.name, EXPERIMENT.about, ZACHMANN_SIMPLE);
    let mut digest = blake3::Hasher::new();
    let mut all = Vec::new();
    table.rows = vec![
        Row::of_paper(PRECHECK_GAIN.row).with("precheck_gain", PRECHECK_GAIN.value),
        Row::of_paper(THRESHOLD.row).with("threshold", THRESHOLD.value),
    ];
    for shape in SHAPES {
        for &size in sizes(run.effort) {
            let found = Found::new(Bodies::new(shape, size, frames(run.effort), &mut digest));
            table.keep(run, || found.bodies.motion());
            table.rows.push(found.row());
            if shape == Shape::Torus && size == 1_000 {
                table.this_machine.rows.push(timed(&found.bodies));
            }
            all.push(found);
            run.observer.advance();
        }
    }
    table.columns = vec![
        ("simple", "simple"),
        ("without_empty", "no empty boxes"),
        ("with_empty", "BoxTree"),
        ("gain", "simple/BoxTree"),
        ("precheck_gain", "pre-check gain"),
        ("pointers", "pointers"),
        ("thin", "unbalanced"),
        ("contact_share", "in contact"),
        ("threshold", "threshold"),
    ];
    let crossings = crossings(&all);
    for (name, polygons) in &crossings {
        table.rows.push(Row::new(name.clone()).with("threshold", *polygons));
    }
    table.settings = settings(run.effort);
    table.claims = claims(&all, crossings);
    let tori = || all.iter().filter(|found| found.bodies.shape == Shape::Torus);
    let curve = |name: &str, cost: fn(&Found) -> f64| {
        (name.to_owned(), tori().map(|found| (f64::from(found.bodies.size), cost(found))).collect())
    };
    table.picture = Some(Picture {
        title: EXPERIMENT.about,
        x: "polygons of each torus",
        is_logarithmic: true,
        y: "operations at a frame",
        curves: vec![
            curve("simple algorithm", |found| found.simple),
            curve("BoxTree without empty boxes", |found| found.boxes[0]),
            curve("BoxTree", |found| found.boxes[1]),
        ],
    });
    table.path = Some(digest.finalize().to_hex().to_string());
    table
}

/// Returns the seconds of a question to the shipped tree about two bodies, on average over the poses.
fn timed(bodies: &Bodies) -> Seconds {
    let tree = BoxTree::build_as(&bodies.mesh, &BoxRule::DEFAULT);
    let start = Instant::now();
    for poses in &bodies.poses {
        let [a, b] = poses.each_ref().map(|pose| tree.place(&bodies.mesh, pose, Executor::Simd));
        <BoxTree>::touches(&a, &b, &mut Work::default());
    }
    let seconds = start.elapsed().as_secs_f64() / bodies.poses.len() as f64;
    let of = format!("a frame of {}; the paper: {} s", TORI_SECONDS.row, TORI_SECONDS.value);
    Seconds { of, seconds }
}

fn settings(effort: Effort) -> Vec<Setting> {
    vec![
        paper(
            "two equal bodies in a cage, as in zachmann-depth; 20 times 2000 frames; the figure is of tori",
        ),
        paper(
            "the simple algorithm collects the polygons in the box of the other body, then tests each edge against that box and against the box of each polygon",
        ),
        ours(frames(effort).text()),
        ours("cost is the mean number of operations at a frame, until the first contact"),
        ours(
            "pointers: entries of leaves for each triangle. Unbalanced: how much deeper or fuller the tree is without thick cuts, the larger ratio",
        ),
    ]
}

/// Returns the size at which the BoxTree becomes cheaper than the simple algorithm for good, between the
/// sizes tried; the least or the largest of these if it is always or never.
fn crossing(found: &[&Found]) -> f64 {
    let size = |found: &Found| f64::from(found.bodies.size);
    let wins = |found: &Found| found.boxes[1] < found.simple;
    let Some(last) = found.iter().rposition(|found| !wins(found)) else { return size(found[0]) };
    let Some(next) = found.get(last + 1) else { return size(found[last]) };
    let excess = |found: &Found| libm::log(found.boxes[1] / found.simple);
    let along = excess(found[last]) / (excess(found[last]) - excess(next));
    let [from, to] = [found[last], next].map(|found| libm::log(size(found)));
    libm::exp(from + along * (to - from))
}

/// Returns the crossing for each shape.
fn crossings(all: &[Found]) -> Vec<(String, f64)> {
    let of = |shape: Shape| {
        let of_shape: Vec<&Found> = all.iter().filter(|found| found.bodies.shape == shape).collect();
        (format!("two {}", plural(shape)), crossing(&of_shape))
    };
    SHAPES.into_iter().map(of).collect()
}

fn claims(all: &[Found], crossings: Vec<(String, f64)>) -> Vec<Claim> {
    let name = |found: &Found| found.bodies.name.clone();
    // The first shape is the torus.
    let mut tori = crossings;
    let others = tori.split_off(1);
    let round = |found: &&Found| found.bodies.shape != Shape::TetraFlake && found.bodies.size >= 100;
    let large = || all.iter().filter(|found| found.bodies.size >= 100);
    vec![
        Claim::judged(
            "Z7a",
            "\"The threshold (for tori) is about 100 polygons, below which a simple algorithm out-performs the sophisticated one\"; the introduction says about 200",
            "100 and 200",
            Rule::Within(50.0, 400.0),
            tori,
        ),
        Claim::judged(
            "Z7b",
            "\"Other object types (sphere and tetra-flake) yielded similar results with slightly different thresholds\"",
            "about 100",
            Rule::Within(50.0, 400.0),
            others,
        ),
        Claim::judged(
            "Z8",
            "the speed-up gained by collecting the polygons in the other's box first \"is about a factor of 1.5\"",
            "1.5",
            Rule::Median(1.2, 2.5),
            large().filter_map(|found| Some((name(found), found.unchecked? / found.simple))),
        ),
        pointers(
            "Z9a",
            "\"a BoxTree contains by a factor of 1.2 – 1.6 more pointers to edges/faces than there really are\": spheres and tori",
            &all.iter().filter(round).collect::<Vec<_>>(),
        ),
        pointers(
            "Z9b",
            "the same of flakes, of which the paper says nothing of its own",
            &large().filter(|found| found.bodies.shape == Shape::TetraFlake).collect::<Vec<_>>(),
        ),
        Claim::judged(
            "Z10",
            "a step \"can be performed with at most 72 multiplications and 72 additions\"",
            "72 and 72",
            Rule::AtMost(72.0),
            all.iter().flat_map(|found| {
                let Operations { multiplications, additions, .. } = found.step;
                [("multiplications", multiplications), ("additions", additions)]
                    .map(|(of, count)| (format!("{}, {of}", name(found)), count as f64))
            }),
        ),
        Claim::judged(
            "Z11",
            "objects of high symmetry \"usually have very good cut-planes, but if the splitting routine is not robust, the BoxTree will be not balanced at all\": without thick cuts, trees of spheres and tori are 1.5 times as deep or have 1.5 times as full leaves",
            "no number",
            Rule::Median(1.5, f64::INFINITY),
            all.iter().filter(round).map(|found| (name(found), found.unbalanced)),
        ),
    ]
}

/// Judges the claim about pointers of some bodies.
fn pointers(id: &'static str, text: &'static str, of: &[&Found]) -> Claim {
    let readings = of.iter().flat_map(|found| {
        let kinds = ["edges", "triangles"].into_iter().zip(found.pointers);
        kinds.map(|(kind, pointers)| (format!("{}, {kind}", found.bodies.name), pointers))
    });
    Claim::judged(id, text, "1.2 to 1.6", Rule::Median(1.2, 1.6), readings)
        .though("our penalty counts a crossing as γ = 1, the paper's as 0")
}

fn plural(shape: Shape) -> &'static str {
    match shape {
        Shape::Torus => "tori",
        Shape::Sphere => "spheres",
        _ => "flakes",
    }
}
