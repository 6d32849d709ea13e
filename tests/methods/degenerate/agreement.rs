//! Asks all methods about two bodies, and compares their answers with brute force and their work with the
//! default's.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use closefit::{
    Assembly, Between, BroadPhase, CheckRequest, CheckResult, DVec3, DepthDetail, HullFilter, Mesh, Pose,
    Strategy, TreeKind, Work,
};
use closefit_geometry::parallel;
use closefit_testing::meshes::Soup;
use closefit_testing::methods::{Answers, Case, Cost};
use closefit_testing::motions::{STRAIGHT, key};
use closefit_testing::over_time::{Pair, Path, Truth};

/// The most pairs of triangles that `simple` searches.
pub const QUADRATIC: usize = 1_000_000;

/// The most triangles of bodies that trees of every kind search behind the filters by hulls.
const LARGE: usize = 1_000;

/// The most pairs of triangles that rational arithmetic confirms.
const CONFIRMED: usize = 100;

/// The number of times that a method may exceed the tests of the default without a note.
const TIMES: u64 = 20;

/// A number of tests that takes no time worth a note: a few milliseconds.
const FEW: u64 = 100_000;

/// Kinds that may make more than [`TIMES`] as many tests as the default, and the words of docs/methods.md
/// about them.
pub const NOTES: [(TreeKind, &str); 4] = [
    (closefit_methods::BOX, "| `box` | boxes cut in two, over edges and over triangles | 3.6, 90, 509 |"),
    (
        closefit_methods::SIMPLE,
        "| `simple` | each edge against each triangle, with no tree | grows with the product of the triangles |",
    ),
    (
        closefit_methods::SPHERE,
        "`sphere` takes up to 40 times as long as `obb` for long\nparts or next to much smaller ones",
    ),
    (closefit_methods::OCTREE_MEDIAN, "and `octree-median` up to 25 times next to much smaller ones"),
];

/// Returns all strategies that search so many pairs of triangles.
pub fn strategies(pairs: usize) -> impl Iterator<Item = Strategy> {
    closefit_methods::strategies()
        .filter(move |strategy| pairs <= QUADRATIC || !strategy.tree().is_quadratic())
}

/// True for a kind's best executor: the other one makes the same tests.
pub fn is_best(strategy: Strategy) -> bool {
    strategy.executor() == strategy.tree().executors()[0]
}

/// Returns the number of tests and updates. Each takes about as long with all methods (Gottschalk, Lin and
/// Manocha 1996).
fn tests(work: &Work) -> u64 {
    work.box_tests + work.triangle_tests + work.updates
}

/// Checks that no method makes far more tests than the first one, which is the default, unless the documents
/// say so.
pub fn assert_bounded<'a>(
    what: &str,
    costs: impl IntoIterator<Item = (Strategy, &'a [(&'static str, Work)])>,
) {
    let mut costs = costs.into_iter();
    let (default, least) = costs.next().expect("the default");
    assert_eq!(default, Strategy::default());
    for (strategy, cost) in costs {
        for ((question, usual), (_, work)) in least.iter().zip(cost) {
            let [usual, work] = [usual, work].map(tests);
            let has_note = NOTES.iter().any(|(kind, _)| *kind == strategy.tree());
            assert!(
                has_note || work <= FEW.max(TIMES * usual),
                "{what}, {question}: {strategy} makes {work} tests, the default {usual}"
            );
        }
    }
}

/// Asks trees of every kind by every executor, and all filters by hulls and broad phases, about two bodies.
/// Returns whether they are in contact.
pub fn agreed(what: &str, meshes: [&Mesh; 2], poses: [Pose; 2]) -> bool {
    let case = Case { meshes: meshes.map(Mesh::clone), poses };
    let expected = case.by_brute_force();
    if case.pairs() <= CONFIRMED {
        case.confirm(&expected);
    }
    agree_with(what, &case, &expected);
    !expected.contacts.is_empty()
}

fn agree_with(what: &str, case: &Case, expected: &Answers) {
    let region = case.by_hulls(expected).filter(|_| case.pairs() <= CONFIRMED);
    let asked: Vec<Strategy> = strategies(case.pairs()).collect();
    let ask = |strategy: &Strategy| {
        let asked = catch_unwind(AssertUnwindSafe(|| case.ask(*strategy, expected, region.as_ref())));
        (*strategy, asked.unwrap_or_else(|_| panic!("{what}: {strategy}")))
    };
    let costs: Vec<(Strategy, Cost)> = parallel::map_items(&asked, 1, ask);
    assert_bounded(what, costs.iter().map(|(strategy, cost)| (*strategy, &cost[..])));
    let parts = [0, 1].map(|side| (Arc::new(case.meshes[side].clone()), case.poses[side]));
    let reference = agree_as_parts(what, &parts);
    let found = &reference.pairs[0];
    assert_eq!(found.triangles.as_ref(), Some(&expected.contacts), "{what}");
    assert_eq!(found.distance, expected.nearest.map_or(0.0, |nearest| nearest.distance), "{what}");
}

/// Checks parts with every filter by hulls and every broad phase, and with trees of every kind behind the
/// filters. Returns the result of the default.
pub fn agree_as_parts(what: &str, parts: &[(Arc<Mesh>, Pose)]) -> CheckResult {
    let mut assembly = Assembly::default();
    for (i, (mesh, pose)) in parts.iter().enumerate() {
        assembly.add(&format!("part {i}"), mesh, *pose);
    }
    // Depths do not depend on a tree, and take long.
    let request = CheckRequest::default().clearance(f64::MAX).list_contacts().depth(DepthDetail::None);
    let run = |request: &CheckRequest| assembly.check(request).expect("admissible");
    let reference = run(&request);
    // Filters that prove nothing leave large bodies to the trees, which have searched them already.
    let is_large = parts.iter().any(|(mesh, _)| mesh.triangles().len() > LARGE);
    let is_asked =
        |strategy: &Strategy| if is_large { *strategy == Strategy::default() } else { is_best(*strategy) };
    let behind = |hull| {
        closefit_methods::strategies().filter(is_asked).map(move |trees| request.hull(hull).strategy(trees))
    };
    let by_hulls = HullFilter::ALL.into_iter().skip(1).flat_map(behind);
    let by_broad_phase = BroadPhase::ALL.iter().map(|&broad| request.broad(broad));
    let others: Vec<CheckRequest> = by_broad_phase.chain(by_hulls).collect();
    parallel::for_each(others.len(), 1, &|at| {
        let request = &others[at];
        let found = run(request);
        let CheckRequest { strategy, broad, hull, .. } = request;
        assert!(
            found.pairs == reference.pairs && found.ledger == reference.ledger,
            "{what}: {strategy}, {broad}, hulls {hull}"
        );
    });
    reference
}

/// Moves the second body along a straight line, past or into the first, which rests. Trees of every kind find
/// what the definition of a sweep says.
pub fn agree_in_motion(what: &str, soups: [&Soup; 2], from: DVec3, to: DVec3, precision: f64) {
    let keys = vec![key(0.0, STRAIGHT, from), key(1.0, STRAIGHT, to)];
    let pair = Pair {
        joints: vec![(None, Path::Keys(keys, Between::Linear))],
        soups: soups.map(Soup::clone),
        on: [None, Some(0)],
        range: [0.0, 1.0],
        precision,
    };
    let truth = Truth::new(&pair, 100_000).answer().expect("few distances");
    let asked: Vec<Strategy> = strategies(soups.iter().map(|soup| soup.len()).product()).collect();
    let ask = |strategy: &Strategy| {
        let (answer, work) = pair.answer(*strategy).expect("a precision that f64 can tell");
        assert_eq!(answer, truth, "{what}: {strategy}");
        (*strategy, [("sweep", work)])
    };
    let costs = parallel::map_items(&asked, 1, ask);
    assert_bounded(what, costs.iter().map(|(strategy, cost)| (*strategy, &cost[..])));
}
