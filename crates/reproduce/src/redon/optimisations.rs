//! Table `redon-optimisations`: the tests and optimisations of the search through time, each with and without
//! (sections 4 to 6).

use std::time::Instant;

use closefit::method::{Axes, Discrete, K, Order, Subdivision};
use closefit::{DVec3, Mesh, Method, Work};
use closefit_generate::shapes::Shape;
use closefit_geometry::executor::Executor;
use closefit_geometry::parallel;
use closefit_methods::internals::binary_obb::{BinaryObb, Fit, Hits, Recipe, Split};

use super::interval::{TestCosts, test_costs};
use super::scenes::car_and_door;
use super::tracks::{HANDS, STARTS, Track, Way, passage, straight_and_turning, tracks};
use crate::fit::exponent;
use crate::papers::{COHERENCE_GAIN, CONTINUOUS_TEST, REDON_OPTIMISATIONS, SUBDIVISION_CONSTANT};
use crate::table::{Seconds, ours, paper};
use crate::verdict::{Claim, Rule, TimedClaim};
use crate::{Effort, Experiment, Row, Run, Setting, Table, either};

pub const EXPERIMENT: Experiment = Experiment {
    name: "redon-optimisations",
    about: "each optimisation of the search through time, with and without it",
    steps: |_| 11,
    run,
};

/// The paper's method as the others are compared with it: without discrete tests.
const BASE: Method = Method { discrete: Discrete::Off, ..Method::REDON };

/// The methods that each change one thing.
const METHODS: [(&str, Method); 6] = [
    ("base", BASE),
    ("discrete tests", Method { discrete: Discrete::Ends, ..BASE }),
    ("partial tests", Method { axes: Axes::Faces, ..BASE }),
    ("no direction", Method { near_first: false, ..BASE }),
    ("no collision time", Method { collision_time: false, ..BASE }),
    ("time first", Method { order: Order::TimeFirst, ..BASE }),
];

/// The two tests of boxes, of [`METHODS`], that are compared where a body goes straight and where it turns.
const TESTS: [(&str, Method); 2] = [METHODS[0], METHODS[2]];

/// The methods of a whole passage: with the current collision time and the nearest first, with the time
/// alone, with neither, and with neither where boxes are opened to the leaves before time is halved.
const PASSAGES: [(&str, Method); 4] = [
    ("base", BASE),
    ("no direction", Method { near_first: false, ..BASE }),
    ("neither", NEITHER),
    ("neither, opened first", Method { subdivision: Subdivision::Never, ..NEITHER }),
];

const NEITHER: Method = Method { near_first: false, collision_time: false, ..BASE };

/// The work of whole passages by one of [`PASSAGES`], for bodies of several sizes.
type Passages = Vec<(u32, Work)>;

/// A track, and the work in coherent motion from each of [`STARTS`].
type Tabled = (&'static str, [Work; STARTS.len()]);

/// The constants of the subdivision test that are tried, the least first.
const CONSTANTS: [f32; 6] = [0.05, 0.1, 0.2, 0.3, 0.5, 1.0];

/// Steps of fast motion.
const FAST: u32 = 4;

/// The work on a track.
struct Found {
    name: &'static str,
    /// The work in fast motion, by each of [`METHODS`].
    fast: Vec<Work>,
    /// The tests of boxes up to contacts, without and with discrete tests first, in coherent motion and in
    /// fast motion.
    first: [[Work; 2]; 2],
    /// Hits of boxes in fast motion, with each of [`CONSTANTS`].
    constants: Vec<Hits>,
}

impl Found {
    fn new(track: &Track, coherent: &Way) -> Self {
        let fast = track.way(FAST);
        let [coherent_ends, fast_ends] = [coherent, &fast].map(|way| track.ends(way));
        let constant = |&k: &f32| {
            let k = K::new(k).expect("from 0 to 1");
            track.hits(&fast, &fast_ends, Method { k, ..BASE })
        };
        let first = |way: &Way, ends: &[f64]| {
            let of = |method: usize| track.hits(way, ends, METHODS[method].1).work;
            <[Work; 2]>::from(parallel::both(|| of(0), || of(1)))
        };
        Self {
            name: track.name,
            first: [first(coherent, &coherent_ends), first(&fast, &fast_ends)],
            fast: parallel::map_items(&METHODS, 1, |(_, method)| track.work(&fast, *method).0),
            constants: parallel::map_items(&CONSTANTS, 1, constant),
        }
    }

    fn rows(&self, costs: TestCosts) -> Vec<Row> {
        let mut rows = Vec::new();
        for ((name, _), work) in METHODS.iter().zip(&self.fast) {
            rows.push(row_of(format!("{}, fast, {name}", self.name), work, costs));
        }
        for (motion, works) in ["coherent", "fast"].into_iter().zip(&self.first) {
            for (work, with) in works.iter().zip(["boxes alone", "boxes alone, discrete tests"]) {
                rows.push(row_of(format!("{}, {motion}, {with}", self.name), work, costs));
            }
        }
        for (k, Hits { tests, hits, false_hits, .. }) in CONSTANTS.iter().zip(&self.constants) {
            let row = Row::new(format!("{}, fast, k = {k}", self.name));
            rows.push(row.with("box_tests", *tests).with("hits", *hits).with("false_hits", *false_hits));
        }
        rows
    }

    /// Returns the share of the false hits with the largest constant that are gone with the paper's.
    fn culled(&self) -> f64 {
        let false_hits = |i: usize| self.constants[i].false_hits as f64;
        let paper = CONSTANTS.iter().position(|&k| f64::from(k) == f64::from(K::PAPER.value()));
        1.0 - false_hits(paper.expect("one of them")) / false_hits(CONSTANTS.len() - 1)
    }
}

fn row_of(name: String, work: &Work, costs: TestCosts) -> Row {
    Row::new(name)
        .with("box_tests", work.box_tests)
        .with("discrete_tests", work.discrete_tests)
        .with("triangle_tests", work.triangle_tests)
        .with("box_operations", box_operations(work, costs))
}

/// Returns the operations of all tests of boxes.
fn box_operations(work: &Work, costs: TestCosts) -> f64 {
    work.box_tests as f64 * costs.continuous + work.discrete_tests as f64 * costs.discrete
}

/// The surfaces of all boxes of a tree, added, for each way to split.
fn surfaces(mesh: &Mesh) -> [f64; 3] {
    [Split::Mean, Split::MinMax, Split::LargerChild].map(|split| {
        let recipe = Recipe { fit: Fit::Triangles, split, leaf: 1, ..Recipe::DEFAULT };
        let surface = |half: DVec3| 8.0 * (half.x * half.y + half.y * half.z + half.z * half.x);
        BinaryObb::build_as(mesh, &recipe).nodes.iter().map(|node| surface(node.obb.half)).sum()
    })
}

/// Returns the work of whole passages of a bunny through another one, by each of [`PASSAGES`].
fn passages(effort: Effort) -> Vec<Passages> {
    let works = |(_, method): &(&str, Method)| {
        let sizes: &[u32] = match method.subdivision {
            Subdivision::Never => either(effort, &[30, 90], &[60, 180, 360]),
            _ => either(effort, &[30, 90], &[100, 300, 1_000]),
        };
        parallel::map_items(sizes, 1, |&size| {
            let track = passage(size);
            (size, track.work(&track.way(1), *method).0)
        })
    };
    parallel::map_items(&PASSAGES, 1, works)
}

/// Returns the exponent of box tests over size.
fn growth(passages: &[(u32, Work)]) -> f64 {
    let point = |(size, work): &(u32, Work)| (f64::from(*size), work.box_tests as f64);
    exponent(&passages.iter().map(point).collect::<Vec<_>>())
}

fn run(run: &Run) -> Table {
    let mut table = Table::new(run, EXPERIMENT.name, EXPERIMENT.about, REDON_OPTIMISATIONS);
    let tests = test_costs(run.either(5_000, 200_000));
    let costs = tests[0].1;
    table.rows = printed();
    for (name, TestCosts { discrete, continuous }) in &tests {
        table.rows.push(Row::new(*name).with("discrete", *discrete).with("continuous", *continuous));
    }
    run.observer.advance();
    let (mut all, mut tables) = (Vec::new(), Vec::new());
    let tracks = tracks(run.effort);
    for (track, hand) in tracks.iter().zip(HANDS) {
        let pressed = track.pressed(hand, run.either(8, 40));
        all.push(Found::new(track, &pressed));
        run.observer.advance();
        tables.push((track.name, track.tabled(&pressed, Method { discrete: Discrete::Ends, ..BASE })));
        run.observer.advance();
    }
    all.iter().for_each(|found| table.rows.extend(found.rows(costs)));
    let turns = straight_and_turning(run.effort).map(|track| {
        let way = track.way(FAST);
        let works = TESTS.map(|(name, method)| {
            let work = track.work(&way, method).0;
            table.rows.push(row_of(format!("{}, {name}", track.name), &work, costs));
            work
        });
        run.observer.advance();
        works
    });
    for (name, works) in &tables {
        for (work, start) in works.iter().zip(STARTS) {
            table.rows.push(row_of(format!("{name}, coherent, {start}"), work, costs));
        }
    }
    let passages = passages(run.effort);
    for ((name, _), works) in PASSAGES.iter().zip(&passages) {
        let row = |(size, work): &(u32, Work)| {
            Row::new(format!("passage of {size}, {name}"))
                .with("box_tests", work.box_tests)
                .with("triangle_tests", work.triangle_tests)
        };
        table.rows.extend(works.iter().map(row));
    }
    run.observer.advance();
    let trees = trees(run.effort);
    for (name, surfaces) in &trees {
        for (split, surface) in ["mean", "min-max", "larger child"].iter().zip(surfaces) {
            table.rows.push(Row::new(format!("{name}, split by {split}")).with("surface", *surface));
        }
    }
    table.columns = vec![
        ("discrete", "discrete test"),
        ("continuous", "continuous"),
        ("box_tests", "box tests"),
        ("discrete_tests", "discrete"),
        ("triangle_tests", "triangle tests"),
        ("box_operations", "operations"),
        ("hits", "hits"),
        ("false_hits", "false hits"),
        ("surface", "surface"),
        ("gain", "gain"),
        ("k", "k"),
    ];
    table.settings = settings();
    table.claims = claims(&tests, &all, &turns, &tables, &passages, &trees);
    let (claim, seconds) = lanes(&tracks[0]);
    table.this_machine.rows.extend(seconds);
    table.this_machine.claims = vec![claim];
    run.observer.advance();
    table
}

fn printed() -> Vec<Row> {
    vec![
        Row::of_paper(CONTINUOUS_TEST.row).with("gain", CONTINUOUS_TEST.value),
        Row::of_paper(COHERENCE_GAIN.row).with("gain", 1.0 + COHERENCE_GAIN.value),
        Row::of_paper(SUBDIVISION_CONSTANT.row).with("k", SUBDIVISION_CONSTANT.value),
    ]
}

/// Returns the summed surfaces of trees of several bodies.
fn trees(effort: Effort) -> [(&'static str, [f64; 3]); 3] {
    let [car, door] = car_and_door(either(effort, 2_000, 45_000));
    let torus = Shape::Torus.mesh(either(effort, 500, 5_000));
    [("car", surfaces(&car)), ("door", surfaces(&door)), ("torus", surfaces(&torus))]
}

/// Number of times that a track is timed. The fastest counts.
const ROUNDS: u32 = 9;

/// Times the first track with boxes one by one and in lanes.
fn lanes(track: &Track) -> (TimedClaim, [Seconds; 2]) {
    let seconds = [Executor::Scalar, Executor::Simd].map(|executor| {
        let (track, way) = (track.wide(executor), track.way(FAST));
        let seconds = (0..ROUNDS).map(|_| {
            let start = Instant::now();
            track.work(&way, BASE);
            start.elapsed().as_secs_f64()
        });
        seconds.fold(f64::INFINITY, f64::min)
    });
    let claim = TimedClaim::new(
        "R9",
        "SIMD \"allows a factor 2-3 speedup\" of the discrete test of two boxes, by Lin et al. whom the paper quotes, and the continuous one \"should probably benefit\" too: seconds of a whole search through time in plain code beside those in lanes",
        "2 to 3, of the discrete test",
        [(track.name.to_owned(), seconds[0] / seconds[1])],
    );
    let row = |name: &str, seconds| Seconds { of: format!("{}, {name}", track.name), seconds };
    (claim, [row("plain code", seconds[0]), row("lanes", seconds[1])])
}

fn settings() -> Vec<Setting> {
    vec![
        paper("trees of oriented boxes, searched pair by pair over intervals of time, the nearest first"),
        ours(
            "two wrinkled balls, a car above a floor, and its door, as in redon-applications. Fast motion is their way in 4 steps, until the first contact. In coherent motion a hand presses one against the other, and leads it on by at most a hundredth of its size in a frame; it is stopped 0.001 before it meets",
        ),
        ours(
            "trees are binary, split midway, with a triangle in each leaf: sweep --tree rapid:split=min-max,leaf=1. Base: --method redon,discrete=off. Each other row changes one thing; opened first: subdivision=never",
        ),
        ours(
            "operations: box tests and discrete tests, with the mean operations of tests of near boxes one by one. The continuous test is the discrete one with intervals in place of numbers; to find the intervals of a pose is not counted",
        ),
        ours(
            "boxes alone: the tests of boxes over all pairs of leaves up to each contact, without the search at the start, the triangles and the cells by which a search decides. Hits: boxes that no axis keeps apart over a stretch of time that is not halved; false ones overlap at none of 17 times in it. Tables: boxes over each piece of coherent motion, from the pairs at which the search of the last one ended; raised, the pair that two were opened from takes their place where both are apart",
        ),
    ]
}

type Surfaces = (&'static str, [f64; 3]);

fn claims(
    tests: &[(&'static str, TestCosts); 3],
    all: &[Found],
    turns: &[[Work; 2]; 2],
    tables: &[Tabled],
    passages: &[Passages],
    trees: &[Surfaces; 3],
) -> Vec<Claim> {
    [
        claims_of_tests(tests, all, turns),
        claims_of_searches(all, (tables, tests[0].1), passages),
        claims_of_trees(trees),
    ]
    .concat()
}

/// Returns the claims about tests of two boxes.
fn claims_of_tests(
    tests: &[(&'static str, TestCosts); 3],
    all: &[Found],
    turns: &[[Work; 2]; 2],
) -> Vec<Claim> {
    let costs = tests[0].1;
    let gain = |[base, discrete]: &[Work; 2]| box_operations(base, costs) / box_operations(discrete, costs);
    // Six axes of fifteen, at most: a test that fails on these asks no other.
    let partial = |[base, faces]: &[Work; 2]| faces.box_tests as f64 / base.box_tests as f64;
    vec![
        Claim::judged(
            "R1",
            "the continuous test of two boxes \"is approximately five times slower\" than the discrete one: operations of that beside those of this",
            "5",
            Rule::Median(3.0, 8.0),
            tests.iter().map(|(name, costs)| ((*name).to_owned(), costs.continuous / costs.discrete)),
        ),
        Claim::judged(
            "R2a",
            "discrete tests first result \"in a significant speedup in high coherency situations\": operations of box tests without them beside those with them",
            "no number",
            Rule::AtLeast(1.2),
            all.iter().map(|found| (format!("{}, coherent", found.name), gain(&found.first[0]))),
        )
        .though("our bodies and our hand: the paper gives neither motions nor numbers"),
        Claim::judged(
            "R2b",
            "\"However, it is unuseful in general configurations\"",
            "no number",
            Rule::AtMost(1.05),
            all.iter().map(|found| (format!("{}, fast", found.name), gain(&found.first[1]))),
        )
        .though("our scenes: a floor of twelve triangles has boxes that overlap nearly everything"),
        Claim::judged(
            "R3a",
            "without the nine axes of edges there is \"a moderate speedup\": where a body goes straight, box tests grow by less than a test becomes cheaper, six axes of fifteen",
            "no number",
            Rule::Below(2.5),
            [("straight".to_owned(), partial(&turns[0]))],
        )
        .that_cannot_fail("where a body goes straight, the axes of edges have next to nothing to exclude"),
        Claim::judged(
            "R3b",
            "\"these nine axes are often useful to separate rotating objects\": box tests without them grow more where a body turns than where it goes straight",
            "no number",
            Rule::AtLeast(1.0),
            [("turning beside straight".to_owned(), partial(&turns[1]) / partial(&turns[0]))],
        )
        .though("our motions: one bunny that turns beside another, and one that passes it"),
    ]
}

/// Returns the claims about what a search remembers and leaves out.
fn claims_of_searches(
    all: &[Found],
    (tables, costs): (&[Tabled], TestCosts),
    passages: &[Passages],
) -> Vec<Claim> {
    let gains = |start: usize| {
        tables.iter().map(move |(name, works)| {
            let [without, with] = [0, start].map(|start| box_operations(&works[start], costs));
            ((*name).to_owned(), without / with)
        })
    };
    vec![
        Claim::judged(
            "R4a",
            "coherence tables \"result in a low speedup (15%)\", \"because of the use of the preliminary discrete test\": operations of box tests without them beside those with them",
            "1.15",
            Rule::Within(1.05, 1.3),
            gains(2),
        )
        .though("our table: where both pairs that one was opened into are apart, that one is tested next. The paper does not say what leaves a table"),
        Claim::judged(
            "R4b",
            "this \"roughly corresponds to the theoretical limit given by Gottschalk\": the gain of a table that has the pairs at which a search of the frame before from the roots ended",
            "1.15",
            Rule::Median(1.05, 1.3),
            gains(3),
        )
        .though("our motion: where bodies are pressed against each other, the pairs at which a search ends change from frame to frame"),
        Claim::judged(
            "R5a",
            "the current collision time and directional traversal \"help avoid a quadratic growth\": the exponent of box tests over a whole passage with both of them is below the range of R5b",
            "below 2",
            Rule::Below(1.6),
            [("both".to_owned(), growth(&passages[0]))],
        ),
        Claim::judged(
            "R5b",
            "that growth \"would happen if one object passed completely through the other\": the exponent with neither of them, where boxes are opened to the leaves before time is halved",
            "2",
            Rule::Within(1.6, 2.4),
            [("neither".to_owned(), growth(&passages[3]))],
        ),
        Claim::judged(
            "R5c",
            "the same with the paper's subdivision test",
            "2",
            Rule::Within(1.6, 2.4),
            [("neither".to_owned(), growth(&passages[2]))],
        )
        .though("the subdivision test halves time before boxes are opened, so a box meets those that it passes for a short while, and not all"),
        Claim::judged(
            "R6",
            "\"most false hit results can be culled when k = 0.2\": of the boxes that are said to overlap over a stretch of time and overlap at none of 17 times in it, with k = 1, those gone at 0.2",
            "most",
            Rule::Median(0.5, f64::INFINITY),
            all.iter().map(|found| (found.name.to_owned(), found.culled())),
        ),
        Claim::judged(
            "R7",
            "tables of sines \"gave no significant result\"",
            "0",
            Rule::NotComparable(
                "closefit finds one pose a stretch of time, not one for each pair of boxes: there are no sines to look up",
            ),
            [],
        ),
    ]
}

/// Returns the claims about hierarchies, and about the time that they take.
fn claims_of_trees(trees: &[Surfaces; 3]) -> Vec<Claim> {
    let beside_mean =
        |split: usize| trees.iter().map(move |(name, all)| ((*name).to_owned(), all[split] / all[0]));
    vec![
        Claim::judged(
            "R8",
            "\"roughly half of the total time is spent during overlap tests between OBBs\"",
            "0.5",
            Rule::NotComparable("a share of the time of a whole simulator, with its solver"),
            [],
        ),
        Claim::judged(
            "R10a",
            "\"the tightest hierarchies were usually obtained with the min-max method\", which the paper does not define: summed surface of boxes split midway between least and greatest, beside those split at the mean",
            "usually",
            Rule::Median(f64::NEG_INFINITY, 1.0),
            beside_mean(1),
        ),
        Claim::judged(
            "R10b",
            "the same of boxes split where the larger child is smallest, the other reading of the method's name",
            "usually",
            Rule::Median(f64::NEG_INFINITY, 1.0),
            beside_mean(2),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paper's quadratic growth is there if boxes are opened to the leaves before time is halved.
    #[test]
    fn halving_time_first_spares_a_passage_quadratic_growth() {
        let all = passages(Effort::Quick);
        let [halved, opened] = [2, 3].map(|method: usize| growth(&all[method]));
        assert!(halved < 1.5 && (1.6..2.4).contains(&opened), "{halved} {opened}");
    }

    /// Bodies are pressed against each other in most pieces of a coherent way, and every method says so.
    #[test]
    fn hands_press_bodies_against_each_other() {
        for (track, hand) in tracks(Effort::Quick).iter().zip(HANDS) {
            let pressed = track.pressed(hand, 15);
            let contacts = METHODS.map(|(_, method)| track.work(&pressed, method).1);
            assert!(contacts[0] >= 8 && contacts.iter().all(|&found| found == contacts[0]), "{contacts:?}");
            let wide = track.wide(Executor::default()).work(&pressed, Method::FASTEST).1;
            assert_eq!(wide, contacts[0], "{}", track.name);
        }
    }

    /// Every method meets in the same step, and the tracks are what their names say.
    #[test]
    fn tracks_have_contacts_where_they_should() {
        for track in tracks(Effort::Quick) {
            for (name, method) in METHODS {
                assert_eq!(track.work(&track.way(1), method).1, 1, "{} {name}", track.name);
                assert_eq!(track.work(&track.way(100), method).1, 1, "{} {name}", track.name);
            }
        }
        for track in straight_and_turning(Effort::Quick) {
            assert_eq!(track.work(&track.way(1), BASE).1, 0, "{}", track.name);
        }
    }
}
