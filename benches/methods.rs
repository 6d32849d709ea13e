//! Every kind of tree on every scene and question, as a table in Markdown: `cargo bench --bench methods`.
//!
//! A row gives the tests and updates that a question took over all pairs of a scene, the time of the fastest of some
//! rounds on one thread, in which the kinds take turns, and that time beside the best kind's. Then, per kind, the cost
//! formula of Sanna and Milani (2004, section 2), T = N_v C_v + N_p C_p + N_u C_u, fitted to the kind's own rows: the
//! nanoseconds of a box test, a triangle test and an update, and by how much the formula misses a row on average.

use std::fmt;
use std::time::{Duration, Instant};

use closefit::Pose;
use closefit::internals::executor::Executor;
use closefit::internals::hierarchy::Hierarchy;
use closefit::internals::hierarchy::kind::{TreeKind, WithTrees};
use closefit::internals::narrow::Work;
use closefit::scene::Scene;
use closefit::scene::generate::{Request, generate};
use glam::{DMat3, DVec3};

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

/// Two meshes of a scene at their poses.
type Pair = [(usize, Pose); 2];

/// A scene, and the pairs of its parts that are asked about.
struct Case {
    name: &'static str,
    scene: Scene,
    pairs: Vec<Pair>,
}

fn generated(name: &str, size: Option<u32>) -> Scene {
    generate(&Request { name: name.to_owned(), size, seed: 0, soup: false }).expect("a scene of the list")
}

impl Case {
    /// The pairs of parts whose boxes meet, grown by a tenth of the smaller one.
    fn near(name: &'static str, scene: &str, size: Option<u32>) -> Self {
        let scene = generated(scene, size);
        let parts: Vec<_> = (scene.parts.iter())
            .map(|part| {
                let mesh = part.mesh.index();
                ((mesh, part.pose), scene.meshes[mesh].posed_bounds(&part.pose))
            })
            .collect();
        let mut pairs = Vec::new();
        for (i, (a, bounds_a)) in parts.iter().enumerate() {
            for (b, bounds_b) in &parts[i + 1..] {
                let reach = 0.1 * bounds_a.diagonal().min(bounds_b.diagonal());
                let gap =
                    (0..3).map(|k| bounds_a.lo[k].max(bounds_b.lo[k]) - bounds_a.hi[k].min(bounds_b.hi[k]));
                if gap.fold(f64::NEG_INFINITY, f64::max) <= reach {
                    pairs.push([*a, *b]);
                }
            }
        }
        Self { name, scene, pairs }
    }

    /// The first two parts, the second turned and shifted in several ways around where it stands.
    fn turned(name: &'static str, scene: &str, size: Option<u32>, turns: fn(u32) -> DMat3) -> Self {
        let scene = generated(scene, size);
        let [a, b] = [0, 1].map(|i| (scene.parts[i].mesh.index(), scene.parts[i].pose));
        let reach = scene.meshes[b.0].posed_bounds(&b.1).diagonal() / 4.0;
        let pair = |k: u32| {
            let t = f64::from(k);
            let shift = DVec3::new((t * 1.7).sin(), (t * 2.3).sin(), (t * 3.1).sin()) * reach;
            [a, (b.0, placed(&b.1, turns(k), shift))]
        };
        Self { name, scene, pairs: (0..16).map(pair).collect() }
    }
}

/// Returns a pose turned and then shifted.
fn placed(pose: &Pose, turn: DMat3, shift: DVec3) -> Pose {
    let mut rows = pose.rows;
    for (i, row) in rows.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            *entry = (0..3).map(|k| turn.row(i)[k] * pose.rows[k][j]).sum();
        }
        row[3] += shift[i];
    }
    Pose { rows }
}

fn any_turn(k: u32) -> DMat3 {
    let t = f64::from(k);
    DMat3::from_euler(glam::EulerRot::XYZ, 0.7 * t, 1.3 * t, 2.1 * t)
}

/// Returns one of the turns that carry coordinate axes to each other.
fn right_angle(k: u32) -> DMat3 {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let [x, y] = [axes[k as usize % 3], axes[(k as usize + 1 + k as usize / 3 % 2) % 3]];
    let y = if k % 4 < 2 { y } else { -y };
    DMat3::from_cols(x, y, x.cross(y))
}

fn no_turn(_: u32) -> DMat3 {
    DMat3::IDENTITY
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

/// Solves the normal equations of a least-squares fit of relative errors, without negative costs: a cost that comes out
/// negative is left out.
fn fit(rows: &[Row]) -> [f64; 3] {
    let mut kept = [true; 3];
    loop {
        let mut m = [[0.0; 4]; 3];
        for Row { work, seconds } in rows {
            let n = [work.box_tests, work.triangle_tests, work.updates].map(|n| n as f64 * 1e-9 / seconds);
            for i in 0..3 {
                for j in 0..3 {
                    m[i][j] += n[i] * n[j];
                }
                m[i][3] += n[i];
            }
        }
        for i in 0..3 {
            kept[i] &= m[i][i] > 0.0;
            if !kept[i] {
                m[i] = [0.0; 4];
                m.iter_mut().for_each(|row| row[i] = 0.0);
                m[i][i] = 1.0;
            }
        }
        let [a, b, c] = [0, 1, 2].map(|j| DVec3::new(m[0][j], m[1][j], m[2][j]));
        let costs = DMat3::from_cols(a, b, c).inverse() * DVec3::new(m[0][3], m[1][3], m[2][3]);
        let costs = costs.to_array();
        match (0..3).filter(|&i| costs[i] < 0.0).min_by(|&i, &j| costs[i].total_cmp(&costs[j])) {
            Some(least) => kept[least] = false,
            None => return costs,
        }
    }
}

/// Returns the mean of the relative errors of the cost formula.
fn error(rows: &[Row], costs: [f64; 3]) -> f64 {
    let off = |Row { work, seconds }: &Row| {
        let n = [work.box_tests, work.triangle_tests, work.updates];
        let predicted: f64 = n.iter().zip(costs).map(|(&n, cost)| n as f64 * cost * 1e-9).sum();
        (predicted / seconds - 1.0).abs()
    };
    rows.iter().map(off).sum::<f64>() / rows.len() as f64
}

fn main() {
    let cases = [
        Case::turned("tori 10k, turned", "tori", Some(10_000), any_turn),
        Case::turned("tori 10k, shifted", "tori", Some(10_000), no_turn),
        Case::turned("wrinkled, turned", "wrinkled-torus", None, any_turn),
        Case::turned("pipes, turned", "pipes", Some(20_000), any_turn),
        Case::turned("pipes, right angles", "pipes", Some(20_000), right_angle),
        Case::near("bolt in nut", "bolt-nut", None),
        Case::near("nested", "nested", Some(10_000)),
        Case::near("boxes", "boxes", Some(1_000)),
        Case::near("gearbox", "gearbox", None),
    ];
    println!(
        "| scene | question | tree | box tests | triangle tests | updates | ms | beside the best | build, ms | kB |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    // Pairs of all triangles of these meshes would take hours.
    let kinds: Vec<TreeKind> = TreeKind::ALL.iter().copied().filter(|kind| !kind.is_quadratic()).collect();
    let mut rows_of: Vec<Vec<Row>> = vec![Vec::new(); kinds.len()];
    for case in &cases {
        let apart = TreeKind::default().run(Apart(case));
        let built: Vec<Built> =
            kinds.iter().map(|&kind| kind.run(Build { kind, case, apart: &apart })).collect();
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
}
