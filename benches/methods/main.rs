//! Every kind of tree on every scene and question, as a table in Markdown: `cargo bench --bench methods`.
//!
//! A row gives the tests and updates that a question took over all pairs of a scene, the time of the fastest
//! of some rounds on one thread, in which the kinds take turns, and that time beside the best kind's. Then,
//! per kind, the cost formula of Sanna and Milani (2004, section 2), T = N_v C_v + N_p C_p + N_u C_u, fitted
//! to the kind's own rows: the nanoseconds of a box test, a triangle test and an update, and by how much the
//! formula misses a row on average. Last, the ways to build RAPID's tree, and those to build octrees. `cargo
//! bench --bench methods -- octrees` prints only these: they are counts, for which
//! `CARGO_PROFILE_BENCH_OPT_LEVEL=1` will do.

#![allow(clippy::disallowed_methods)]

mod cases;
mod costs;
mod octrees;
mod recipes;

use std::fmt;
use std::time::{Duration, Instant};

use closefit::internals::bvh::Hierarchy;
use closefit::{Executor, Pose, TreeKind, Work};
use closefit_methods::kind::{self, WithTrees};

use cases::{Case, Pair};
use costs::{error, fit};

const ROUNDS: usize = 5;

/// A question about each pair.
#[derive(Clone, Copy, PartialEq)]
enum Question {
    YesNo,
    Contacts,
    Distance,
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::YesNo => "yes/no",
            Self::Contacts => "contacts",
            Self::Distance => "distance",
        })
    }
}

/// The cost of a question about all pairs of a case, for one kind.
#[derive(Clone, Copy)]
struct Row {
    work: Work,
    seconds: f64,
}

/// The trees of one kind for a case.
struct Built<'a> {
    kind: TreeKind,
    seconds: f64,
    bytes: usize,
    /// Asks a question once about each pair.
    ask: Box<dyn Fn(Question) -> Work + 'a>,
}

/// Builds the trees of a case.
struct Build<'a> {
    kind: TreeKind,
    case: &'a Case,
    apart: &'a [bool],
}

impl<'a> WithTrees for Build<'a> {
    type Output = Built<'a>;

    fn run<T: Hierarchy>(self) -> Built<'a> {
        let Self { kind, case, apart } = self;
        let mut is_used = vec![false; case.scene.meshes.len()];
        case.pairs.iter().flatten().for_each(|&(mesh, _)| is_used[mesh] = true);
        let start = Instant::now();
        let trees: Vec<Option<T>> = (case.scene.meshes.iter().zip(&is_used))
            .map(|(mesh, used)| used.then(|| T::build(mesh)))
            .collect();
        let seconds = start.elapsed().as_secs_f64();
        let bytes = trees.iter().flatten().map(Hierarchy::bytes).sum();
        let ask = move |question| {
            let place = |(mesh, pose): &(usize, Pose)| {
                let tree = trees[*mesh].as_ref().expect("it is in a pair");
                tree.place(&case.scene.meshes[*mesh], pose, T::EXECUTORS[0])
            };
            let mut work = Work::NONE;
            for ([a, b], &apart) in case.pairs.iter().zip(apart) {
                let (a, b) = (place(a), place(b));
                match question {
                    Question::YesNo => {
                        T::touches(&a, &b, &mut work);
                    }
                    Question::Contacts => {
                        T::contacts(&a, &b, usize::MAX, &mut work);
                    }
                    Question::Distance if apart => {
                        T::nearest(&a, &b, f64::INFINITY, &mut work);
                    }
                    Question::Distance => (),
                }
            }
            work
        };
        Built { kind, seconds, bytes, ask: Box::new(ask) }
    }
}

/// Asks all kinds a question, round after round; a kind that has taken two seconds is not asked again.
fn measure(kinds: &[Built], question: Question) -> Vec<Row> {
    let mut rows = vec![Row { work: Work::NONE, seconds: f64::INFINITY }; kinds.len()];
    let mut taken = vec![Duration::ZERO; kinds.len()];
    for _ in 0..ROUNDS {
        for ((built, row), taken) in kinds.iter().zip(&mut rows).zip(&mut taken) {
            if *taken < Duration::from_secs(2) {
                let start = Instant::now();
                row.work = (built.ask)(question);
                let time = start.elapsed();
                row.seconds = row.seconds.min(time.as_secs_f64());
                *taken += time;
            }
        }
    }
    rows
}

/// Tells which pairs are apart.
struct Apart<'a>(&'a Case);

impl WithTrees for Apart<'_> {
    type Output = Vec<bool>;

    fn run<T: Hierarchy>(self) -> Vec<bool> {
        let Case { scene, pairs, .. } = self.0;
        let trees: Vec<T> = scene.meshes.iter().map(|mesh| T::build(mesh)).collect();
        let apart = |pair: &Pair| {
            let [a, b] = pair
                .each_ref()
                .map(|(mesh, pose)| trees[*mesh].place(&scene.meshes[*mesh], pose, Executor::Scalar));
            !T::touches(&a, &b, &mut Work::default())
        };
        pairs.iter().map(apart).collect()
    }
}

fn main() {
    let cases = Case::all();
    if std::env::args().any(|argument| argument == "octrees") {
        octrees::print(&cases);
        return;
    }
    println!(
        "| scene | question | tree | box tests | triangle tests | updates | ms | beside the best | build, ms | kB |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    // Pairs of all triangles of these meshes would take hours.
    let kinds: Vec<TreeKind> =
        closefit_methods::ALL.iter().copied().filter(|kind| !kind.is_quadratic()).collect();
    let mut rows_of: Vec<Vec<Row>> = vec![Vec::new(); kinds.len()];
    for case in &cases {
        let apart = kind::run(TreeKind::default(), Apart(case));
        let built: Vec<Built> =
            kinds.iter().map(|&kind| kind::run(kind, Build { kind, case, apart: &apart })).collect();
        let is_distance_asked = apart.contains(&true);
        for question in [Question::YesNo, Question::Contacts, Question::Distance] {
            if question == Question::Distance && !is_distance_asked {
                continue;
            }
            let rows = measure(&built, question);
            let best = rows.iter().map(|row| row.seconds).fold(f64::INFINITY, f64::min);
            for ((built, row), of_kind) in built.iter().zip(rows).zip(&mut rows_of) {
                of_kind.push(row);
                let Work { box_tests, triangle_tests, updates, .. } = row.work;
                println!(
                    "| {} | {question} | {} | {box_tests} | {triangle_tests} | {updates} | {:.3} | {:.2} | {:.1} | {} |",
                    case.name,
                    built.kind,
                    1e3 * row.seconds,
                    row.seconds / best,
                    1e3 * built.seconds,
                    built.bytes / 1000,
                );
            }
        }
    }
    println!("\n| tree | C_v, ns | C_p, ns | C_u, ns | mean error of T |");
    println!("|---|---|---|---|---|");
    for (kind, rows) in kinds.iter().zip(&rows_of) {
        let costs = fit(rows);
        let [box_test, triangle_test, update] = costs;
        let error = 100.0 * error(rows, costs);
        println!("| {kind} | {box_test:.2} | {triangle_test:.1} | {update:.2} | {error:.0} % |");
    }
    recipes::print(&cases);
    octrees::print(&cases);
}
