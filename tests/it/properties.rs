//! Properties of every scene: swapping parts, exact motions, scaling by powers of two, other parts, threads
//! and input order change nothing beyond their own effect. Failing scenes shrink themselves.
//!
//! `CLOSEFIT_CASES` sets the number of scenes per property.

use closefit::internals::engine::check;
use closefit::{CheckRequest, CheckResult, Containment, Depth, PairRecord, Pool, Unobserved};
use closefit_testing::meshes::{Piece, Soup, cuboid, octahedron, reversed, scene, square_ring};
use glam::DVec3;
use proptest::prelude::*;
use proptest::sample::subsequence;

/// The shape of a part, on a lattice so coarse that coincidences are common.
#[derive(Clone, Debug)]
enum Shape {
    Box([f64; 3], [f64; 3]),
    Hollow([f64; 3], [f64; 3]),
    Open([f64; 3], [f64; 3]),
    Octahedron([f64; 3], f64),
    Ring([f64; 3], f64),
    Soup(Vec<[[f64; 3]; 3]>),
}

impl Shape {
    fn soup(&self) -> Soup {
        let add = |a: &[f64; 3], b: &[f64; 3]| std::array::from_fn::<_, 3, _>(|i| a[i] + b[i]);
        match self {
            Self::Box(lo, size) => cuboid(*lo, add(lo, size)),
            Self::Hollow(lo, size) => {
                let (quarter, rest) = (size.map(|x| x / 4.0), size.map(|x| x * 0.75));
                let cavity = reversed(&cuboid(add(lo, &quarter), add(lo, &rest)));
                [cuboid(*lo, add(lo, size)), cavity].concat()
            }
            Self::Open(lo, size) => cuboid(*lo, add(lo, size)).split_off(2),
            Self::Octahedron(centre, radius) => octahedron(DVec3::from_array(*centre), *radius),
            Self::Ring(centre, width) => {
                let ring = square_ring(*width, width * 2.0, -1.0, 1.0);
                closefit_testing::meshes::moved(&ring, DVec3::from_array(*centre))
            }
            Self::Soup(triangles) => triangles.iter().map(|t| t.map(DVec3::from_array)).collect(),
        }
    }
}

fn point() -> impl Strategy<Value = [f64; 3]> {
    prop::array::uniform3((-8..=8).prop_map(|n| f64::from(n) / 2.0))
}

fn size() -> impl Strategy<Value = [f64; 3]> {
    prop::array::uniform3((1..=8).prop_map(|n| f64::from(n) / 2.0))
}

fn shape() -> impl Strategy<Value = Shape> {
    let length = || (1..=6).prop_map(|n| f64::from(n) / 2.0);
    prop_oneof![
        3 => (point(), size()).prop_map(|(lo, size)| Shape::Box(lo, size)),
        1 => (point(), size()).prop_map(|(lo, size)| Shape::Hollow(lo, size)),
        1 => (point(), size()).prop_map(|(lo, size)| Shape::Open(lo, size)),
        2 => (point(), length()).prop_map(|(centre, radius)| Shape::Octahedron(centre, radius)),
        1 => (point(), length()).prop_map(|(centre, width)| Shape::Ring(centre, width)),
        2 => prop::collection::vec(prop::array::uniform3(point()), 1..5).prop_map(Shape::Soup),
    ]
}

/// Parts of one or two shapes.
fn part() -> impl Strategy<Value = Soup> {
    prop::collection::vec(shape(), 1..=2).prop_map(|shapes| shapes.iter().flat_map(Shape::soup).collect())
}

fn pieces(soups: &[Soup]) -> Vec<Piece> {
    (0..).zip(soups).map(|(i, soup)| Piece::new(&format!("part {i}"), soup.clone())).collect()
}

fn run(soups: &[Soup], request: &CheckRequest) -> CheckResult {
    check(&scene(&pieces(soups)), request, &Unobserved).expect("admissible")
}

/// Returns a request that lists every pair.
fn all(tolerance: f64) -> CheckRequest {
    CheckRequest::default().clearance(1e6).tolerance(tolerance).list_contacts()
}

fn tolerance() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(0.25), Just(1.0), Just(1e-6)]
}

fn settings() -> ProptestConfig {
    let cases = u32::try_from(closefit_testing::cases(24)).expect("small");
    ProptestConfig { cases, ..ProptestConfig::default() }
}

/// Returns the fields that do not depend on position, with the parts in the given order.
fn answer(record: &PairRecord, swapped: bool) -> (String, f64, u64, Vec<[u32; 2]>, String, bool, bool) {
    let mut triangles = record.triangles.clone().expect("listed");
    if swapped {
        triangles.iter_mut().for_each(|t| t.reverse());
        triangles.sort_unstable();
    }
    let contained = match (&record.contained, swapped) {
        (Containment::AInB, true) => "BInA".to_owned(),
        (Containment::BInA, true) => "AInB".to_owned(),
        (Containment::Undecidable(_), _) => "Undecidable".to_owned(),
        (other, _) => format!("{other:?}"),
    };
    let verdict = format!("{:?}", record.verdict);
    (verdict, record.distance, record.contacts, triangles, contained, record.duplicate, record.crossing)
}

/// True when certified brackets of one depth have a point in common.
fn agree(a: &Option<Depth>, b: &Option<Depth>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.at_least <= b.at_most && b.at_least <= a.at_most,
        _ => a == b,
    }
}

/// True when both parts of a pair lie inside each other; the order then decides which is named.
fn mutual(soups: &[Soup]) -> bool {
    use closefit_testing::solid::contains;
    contains(&soups[0], &soups[1]) && contains(&soups[1], &soups[0])
}

/// Applies one of the 48 symmetries of the cube: a permutation of the axes and signs.
fn turn(which: usize, p: DVec3) -> DVec3 {
    const AXES: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
    let axes = AXES[which % 6];
    DVec3::from_array(std::array::from_fn(
        |i| if ((which / 6) >> i) & 1 == 1 { -p[axes[i]] } else { p[axes[i]] },
    ))
}

proptest! {
    #![proptest_config(settings())]

    #[test]
    fn swapping_the_parts_changes_nothing(a in part(), b in part(), tolerance in tolerance()) {
        let request = all(tolerance);
        let (there, back) = (run(&[a.clone(), b.clone()], &request), run(&[b.clone(), a.clone()], &request));
        prop_assume!(there.pairs[0].contacts > 0 || !mutual(&[a, b]));
        prop_assert_eq!(answer(&there.pairs[0], false), answer(&back.pairs[0], true));
        let (p, q) = (&there.pairs[0].depth, &back.pairs[0].depth);
        prop_assert_eq!(p, q);
    }

    #[test]
    fn exact_motions_change_nothing(
        a in part(), b in part(), tolerance in tolerance(),
        which in 0usize..48, by in prop::array::uniform3(-1_000_000i32..1_000_000),
    ) {
        let request = all(tolerance);
        let by = DVec3::from_array(by.map(f64::from));
        let moved = [&a, &b].map(|s| s.iter().map(|t| t.map(|p| turn(which, p) + by)).collect::<Soup>());
        let (here, there) = (run(&[a, b], &request), run(&moved, &request));
        prop_assert_eq!(answer(&here.pairs[0], false), answer(&there.pairs[0], false));
        let (p, q) = (&here.pairs[0].depth, &there.pairs[0].depth);
        prop_assert!(agree(p, q), "{:?} and {:?}", p, q);
    }

    #[test]
    fn powers_of_two_scale_every_length(a in part(), b in part(), tolerance in tolerance(), exponent in -60i64..60) {
        let factor = closefit_testing::rng::power_of_two(exponent);
        let scaled = [&a, &b].map(|s| s.iter().map(|t| t.map(|p| p * factor)).collect::<Soup>());
        let request = all(tolerance);
        let large = request.clearance(request.clearance * factor).tolerance(tolerance * factor);
        let (mut here, there) = (run(&[a, b], &request), run(&scaled, &large));
        let record = &mut here.pairs[0];
        record.distance *= factor;
        prop_assert_eq!(answer(record, false), answer(&there.pairs[0], false));
        if let Some(Depth { at_least, at_most }) = &mut record.depth {
            *at_least *= factor;
            *at_most *= factor;
        }
        prop_assert_eq!(&record.depth, &there.pairs[0].depth);
        prop_assert_eq!(record.points.map(|p| p.map(|x| x * factor)), there.pairs[0].points);
    }

    #[test]
    fn other_parts_change_no_pair(
        soups in prop::collection::vec(part(), 2..5), tolerance in tolerance(),
        keep in subsequence(vec![0usize, 1, 2, 3], 2..=4),
    ) {
        let request = CheckRequest::default().clearance(0.75).tolerance(tolerance).list_contacts();
        let everything = run(&soups, &request);
        let keep: Vec<usize> = keep.into_iter().filter(|&i| i < soups.len()).collect();
        let few = run(&keep.iter().map(|&i| soups[i].clone()).collect::<Vec<_>>(), &request);
        let old = |record: &PairRecord| record.ids.map(|id| keep[id.index()]);
        for record in &few.pairs {
            let same = everything.pairs.iter().find(|r| r.ids.map(|id| id.index()) == old(record));
            let mut renamed = record.clone();
            renamed.ids = same.expect("listed among more parts").ids;
            prop_assert_eq!(Some(&renamed), same);
        }
        let kept = everything.pairs.iter().filter(|r| r.ids.iter().all(|id| keep.contains(&id.index())));
        prop_assert_eq!(kept.count(), few.pairs.len());
    }

    #[test]
    fn threads_change_nothing(soups in prop::collection::vec(part(), 2..7), tolerance in tolerance()) {
        let request = CheckRequest::default().clearance(1.0).tolerance(tolerance).list_contacts();
        let with = |threads: usize| {
            Pool::of(threads).install(|| run(&soups, &request)).expect("threads")
        };
        let one = with(1);
        for threads in [2, 3, 8] {
            let many = with(threads);
            prop_assert_eq!(&one.pairs, &many.pairs);
            prop_assert_eq!(&one.ledger, &many.ledger);
        }
    }

    #[test]
    fn outcomes_follow_their_parts(
        (soups, order) in prop::collection::vec(part(), 3..6).prop_flat_map(|soups| {
            let order = Just((0..soups.len()).collect::<Vec<_>>()).prop_shuffle();
            (Just(soups), order)
        }),
        tolerance in tolerance(),
    ) {
        let request = all(tolerance);
        let (given, shuffled) = (run(&soups, &request), run(&order.iter().map(|&i| soups[i].clone()).collect::<Vec<_>>(), &request));
        prop_assert_eq!(given.pairs.len(), shuffled.pairs.len());
        for record in &shuffled.pairs {
            let [i, j] = record.ids.map(|id| order[id.index()]);
            let ids = [i.min(j), i.max(j)];
            let same = given.pairs.iter().find(|r| r.ids.map(|id| id.index()) == ids).expect("listed");
            if record.contacts > 0 || !mutual(&[soups[i].clone(), soups[j].clone()]) {
                prop_assert_eq!(answer(record, i > j), answer(same, false));
            }
            prop_assert!(agree(&record.depth, &same.depth), "{:?} and {:?}", record.depth, same.depth);
        }
        let books = |r: &CheckResult| (r.ledger.apart, r.ledger.decided, r.ledger.undecided);
        prop_assert_eq!(books(&given), books(&shuffled));
    }
}
