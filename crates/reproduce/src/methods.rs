//! Table `methods`: every kind of tree on seven scenes and three questions, with the choice of `auto`
//! compared with the best one. It is closefit's own, not a paper's.

use std::time::Instant;

use closefit::internals::bvh::Hierarchy;
use closefit::{Mesh, Pose, TreeKind, Work};
use closefit_generate::{Request, generate};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_methods::kind::{self, WithTrees};
use closefit_methods::{ALL, SIMPLE};

use crate::papers::OURS;
use crate::table::{Seconds, ours};
use crate::verdict::{Claim, Rule, TimedClaim};
use crate::{Experiment, Row, Run, Table};

pub const EXPERIMENT: Experiment = Experiment {
    name: "methods",
    about: "every kind of tree on seven scenes and three questions, and the choice of auto",
    steps: |_| (SCENES.len() * kinds().count()) as u64,
    run,
};

/// Names of scenes with their sizes, for a quick run and for a full one.
const SCENES: [(&str, [u32; 2]); 7] = [
    ("tori", [400, 10_000]),
    ("wrinkled-torus", [2_000, 4_000]),
    ("pipes", [1_000, 20_000]),
    ("bolt-nut", [5_000, 10_000]),
    ("nested", [200, 4_000]),
    ("boxes", [40, 400]),
    ("gearbox", [12, 24]),
];

/// The kind that `--tree auto` takes.
const AUTO: TreeKind = TreeKind::OBB;

/// Number of rounds of a quick run and of a full one. The fastest round counts.
const ROUNDS: [u32; 2] = [1, 2];

/// The kinds that are compared: all but the simple algorithm, which takes minutes where trees take seconds.
fn kinds() -> impl Iterator<Item = TreeKind> {
    ALL.iter().copied().filter(|&kind| kind != SIMPLE)
}

/// Two placed meshes.
type Pair = [(usize, Pose); 2];

/// The pairs of a scene whose boxes are near each other.
struct Case {
    name: &'static str,
    meshes: Vec<Mesh>,
    pairs: Vec<Pair>,
}

impl Case {
    fn new(name: &'static str, size: u32) -> Self {
        let request = Request { name: name.to_owned(), size: Some(size), seed: 0, soup: false };
        let scene = generate(&request).expect("a scene of the list");
        let placed: Vec<(usize, Pose, Aabb)> = scene
            .parts
            .iter()
            .map(|part| {
                let mesh = part.mesh.index();
                let bounds = Aabb::of(scene.meshes[mesh].vertices().iter().map(|&v| part.pose.apply(v)));
                (mesh, part.pose, bounds)
            })
            .collect();
        let mut pairs = Vec::new();
        for (i, (mesh, pose, bounds)) in placed.iter().enumerate() {
            let near = placed[i + 1..].iter().filter(|(_, _, other)| bounds.meets(other));
            pairs.extend(near.map(|(other, at, _)| [(*mesh, *pose), (*other, *at)]));
        }
        Self { name, meshes: scene.meshes.iter().map(|mesh| Mesh::clone(mesh)).collect(), pairs }
    }
}

/// The questions, in the order of the rows.
const QUESTIONS: [&str; 3] = ["yes/no", "contacts", "distance"];

/// The cost of the questions about a case, for one kind.
struct Cost {
    kind: TreeKind,
    /// The work of each question, and what it found: pairs in contact, contacts, and the sum of distances.
    work: [Work; 3],
    found: [f64; 3],
    seconds: [f64; 3],
    bytes: usize,
    build: f64,
}

struct Ask<'a> {
    kind: TreeKind,
    case: &'a Case,
    rounds: u32,
}

impl WithTrees for Ask<'_> {
    type Output = Cost;

    fn run<T: Hierarchy>(self) -> Cost {
        let Self { kind, case, rounds } = self;
        let start = Instant::now();
        let trees: Vec<T> = case.meshes.iter().map(T::build).collect();
        let build = start.elapsed().as_secs_f64();
        let bytes = trees.iter().map(T::bytes).sum();
        let ask = |question: usize| {
            let (mut work, mut found) = (Work::default(), 0.0);
            for pair in &case.pairs {
                let [a, b] = pair
                    .each_ref()
                    .map(|(mesh, pose)| trees[*mesh].place(&case.meshes[*mesh], pose, T::EXECUTORS[0]));
                // The distance is measured only for pairs that are apart.
                if question == 2 && T::touches(&a, &b, &mut Work::default()) {
                    continue;
                }
                found += match question {
                    0 => f64::from(u8::from(T::touches(&a, &b, &mut work))),
                    1 => T::contacts(&a, &b, usize::MAX, &mut work).len() as f64,
                    _ => T::nearest(&a, &b, f64::INFINITY, &mut work).expect("no limit").distance,
                };
            }
            (work, found)
        };
        let mut seconds = [f64::INFINITY; 3];
        let asked = [0, 1, 2].map(|question| {
            let once = |_| {
                let start = Instant::now();
                let asked = ask(question);
                seconds[question] = seconds[question].min(start.elapsed().as_secs_f64());
                asked
            };
            (0..rounds).map(once).last().expect("at least one round")
        });
        let (work, found) = (asked.map(|asked| asked.0), asked.map(|asked| asked.1));
        Cost { kind, work, found, seconds, bytes, build }
    }
}

fn run(run: &Run) -> Table {
    let mut table = Table::new(run, EXPERIMENT.name, EXPERIMENT.about, OURS);
    let [mut differing, mut regrets] = [Vec::new(), Vec::new()];
    let rounds = run.either(ROUNDS[0], ROUNDS[1]);
    for (name, [quick, full]) in SCENES {
        let case = Case::new(name, run.either(quick, full));
        let mut costs = Vec::new();
        for kind in kinds() {
            costs.push(kind::run(kind, Ask { kind, case: &case, rounds }));
            run.observer.advance();
        }
        for cost in &costs {
            table.rows.extend(rows(&case, cost));
            let of = format!("building, {name}, {}", cost.kind);
            table.this_machine.rows.push(Seconds { of, seconds: cost.build });
        }
        let other = costs.iter().filter(|cost| cost.found != costs[0].found).count();
        differing.push((name.to_owned(), other as f64));
        for (i, question) in QUESTIONS.iter().enumerate() {
            let fastest = costs.iter().min_by(|a, b| a.seconds[i].total_cmp(&b.seconds[i])).expect("some");
            let auto = costs.iter().find(|cost| cost.kind == AUTO).expect("one of them");
            let of = format!("{name}, {question}, fastest is {}", fastest.kind);
            table.this_machine.rows.push(Seconds { of: of.clone(), seconds: fastest.seconds[i] });
            regrets.push((of, auto.seconds[i] / fastest.seconds[i]));
        }
    }
    table.columns = vec![
        ("pairs", "pairs"),
        ("found", "found"),
        ("box_tests", "box tests"),
        ("triangle_tests", "triangle tests"),
        ("updates", "updates"),
        ("exchanges", "exchanges"),
        ("bytes", "bytes"),
    ];
    table.settings = vec![
        ours(format!(
            "generated scenes {}; all pairs of parts whose boxes meet",
            run.either("of a quick run", "of a full run")
        )),
        ours(
            "found: pairs in contact, contacts of triangles, and the sum of the distances of pairs that are apart. Trees eight wide count all lanes",
        ),
        ours(format!(
            "seconds are the fastest of {rounds} rounds on one thread; auto takes {AUTO} for every pair"
        )),
    ];
    table.claims = vec![Claim::judged(
        "M1",
        "every kind of tree finds the same: kinds that find something else than the first",
        "not in a paper",
        Rule::AtMost(0.0),
        differing,
    )];
    table.this_machine.claims = vec![TimedClaim::new(
        "M2",
        "auto chooses well: its seconds beside those of the fastest kind",
        "not in a paper",
        regrets,
    )];
    table
}

fn rows(case: &Case, cost: &Cost) -> Vec<Row> {
    let row = |i: usize| {
        let Work { box_tests, triangle_tests, updates, exchanges, .. } = cost.work[i];
        Row::new(format!("{}, {}, {}", case.name, QUESTIONS[i], cost.kind))
            .with("pairs", case.pairs.len() as u64)
            .with("found", cost.found[i])
            .with("box_tests", box_tests)
            .with("triangle_tests", triangle_tests)
            .with("updates", updates)
            .with("exchanges", exchanges.iter().sum::<u64>())
            .with("bytes", cost.bytes as u64)
    };
    (0..QUESTIONS.len()).map(row).collect()
}
