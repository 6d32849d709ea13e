//! `triangles_meet`, `distance` and `witness` against exact rational arithmetic, category by category.
//!
//! `CLOSEFIT_CASES` sets the number of pairs per category; 10 000 is the full run.

use closefit_geometry::exact::contact::triangles_meet;
use closefit_geometry::exact::distance::{
    distance, distance_by_integers, distance_without_integers, enclose, witness, witness_by_integers,
    witness_without_integers,
};
use closefit_testing::rational::{self, Triangle};
use closefit_testing::rng::{Rng, power_of_two};
use closefit_testing::triangles::{CATEGORIES, Pair, pair};
use glam::DVec3;
use num_traits::Zero;

/// Runs `check` on every pair of every category; `check` returns true if the pair touches. Prints the counts,
/// and panics with the first pairs that fail.
fn for_all(cases: u64, check: impl Fn(&Pair, u64) -> Result<bool, String>) {
    let mut failures = Vec::new();
    for category in CATEGORIES {
        let (mut touching, mut wrong) = (0, 0);
        for seed in 0..cases {
            let pair = pair(category, seed);
            match check(&pair, seed) {
                Ok(touches) => touching += u64::from(touches),
                Err(why) => {
                    wrong += 1;
                    failures.push(format!(
                        "{} #{seed}: {why}\n  {:?}",
                        category.0,
                        pair.map(|t| t.map(|p| p.to_array()))
                    ));
                }
            }
        }
        println!("{:<34} {cases:>6} pairs {touching:>6} touch {wrong:>4} wrong", category.0);
    }
    let shown = failures.iter().take(10).cloned().collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{} wrong, the first:\n{shown}", failures.len());
}

fn agree<T: PartialEq + std::fmt::Debug>(what: &str, got: T, expected: T) -> Result<(), String> {
    if got == expected { Ok(()) } else { Err(format!("{what}: {got:?}, expected {expected:?}")) }
}

#[test]
fn oracles_agree_with_each_other() {
    for_all(closefit_testing::cases(20).min(1000), |[a, b], _| {
        let squared = rational::distance_squared(a, b);
        agree("linear programme", rational::triangles_meet(a, b), squared.is_zero())?;
        let root = rational::rounded_sqrt(&squared);
        agree("root", rational::is_correctly_rounded_sqrt(root, &squared), true)?;
        if root > rational::smallest_distance() {
            agree("next root", rational::is_correctly_rounded_sqrt(root.next_up(), &squared), false)?;
            agree("previous root", rational::is_correctly_rounded_sqrt(root.next_down(), &squared), false)?;
        }
        Ok(squared.is_zero())
    });
}

#[test]
fn contact_and_distance_are_exact() {
    for_all(closefit_testing::cases(300), |[a, b], _| {
        let squared = rational::distance_squared(a, b);
        agree("meet", triangles_meet(a, b), squared.is_zero())?;
        let found = distance(a, b);
        let exact = rational::is_correctly_rounded_sqrt(found, &squared);
        agree(
            "distance",
            (found, exact),
            (if exact { found } else { rational::rounded_sqrt(&squared) }, true),
        )?;
        Ok(squared.is_zero())
    });
}

/// Only pairs whose distance is far below their size need more than 106 bits; almost none of the others may
/// need integers.
#[test]
fn integers_settle_next_to_nothing() {
    const CLOSE_TO_TOUCHING: [&str; 14] = [
        "near miss: corner and face",
        "near miss: edge and edge",
        "near miss: one ulp off a touch",
        "parallel planes, tiny gap",
        "slivers that touch",
        "scaled by 1e9",
        "scaled by 1e-9",
        "far away",
        "huge and tiny",
        "edges almost parallel",
        "touching, posed alike",
        "touching, posed apart",
        "any exponent",
        "any exponent, common corner",
    ];
    let (mut ordinary, mut by_integers) = (0u32, 0u32);
    for category in CATEGORIES {
        let (mut apart, mut left) = (0u32, 0u32);
        for seed in 0..closefit_testing::cases(1000) {
            let [a, b] = pair(category, seed);
            if triangles_meet(&a, &b) {
                continue;
            }
            apart += 1;
            match distance_without_integers(&a, &b) {
                Some(found) => assert_eq!(found, distance_by_integers(&a, &b), "{} #{seed}", category.0),
                None => left += 1,
            }
        }
        println!("{:<34} {apart:>6} apart {left:>6} by integers", category.0);
        if !CLOSE_TO_TOUCHING.contains(&category.0) {
            ordinary += apart;
            by_integers += left;
        }
    }
    assert!(by_integers * 100 < ordinary, "{by_integers} of {ordinary}");
}

/// Returns the bits of two points, so that 0 and -0 differ.
fn bits(points: [DVec3; 2]) -> [[u64; 3]; 2] {
    points.map(|point| point.to_array().map(f64::to_bits))
}

/// Returns true if the closest points are proven, after comparing them with the integers', in both orders
/// and with other orders of corners.
fn is_witness_proven(a: &Triangle, b: &Triangle, seed: u64) -> Result<bool, String> {
    let expected = bits(witness_by_integers(a, b));
    let proven = witness_without_integers(a, b);
    agree("proven", proven.map_or(expected, bits), expected)?;
    agree("witness", bits(witness(a, b)), expected)?;
    let mut rng = Rng::new("permutation", seed);
    let [p, q] = [a, b].map(|t| permuted(t, &mut rng));
    let [on_b, on_a] = witness(&q, &p);
    agree("witness, swapped and permuted", bits([on_a, on_b]), expected)?;
    let [on_b, on_a] = witness_by_integers(&q, &p);
    agree("by integers, swapped and permuted", bits([on_a, on_b]), expected)?;
    Ok(proven.is_some())
}

#[test]
fn proven_witness_points_are_those_of_the_integers() {
    /// The shares, in percent, that are proven at least; categories with several closest points, and with
    /// coordinates that are 0 or next to it, need integers.
    const PROVEN: [(&str, u32); 6] = [
        ("general", 99),
        ("close", 99),
        ("slivers", 80),
        ("far away", 90),
        ("point and triangle", 75),
        ("f32 coordinates", 90),
    ];
    for category in CATEGORIES {
        let (mut apart, mut proven) = (0u32, 0u32);
        for seed in 0..closefit_testing::cases(300) {
            let [a, b] = pair(category, seed);
            if !triangles_meet(&a, &b) {
                apart += 1;
                let found = is_witness_proven(&a, &b, seed);
                let found = found.unwrap_or_else(|why| panic!("{} #{seed}: {why}: {a:?} {b:?}", category.0));
                proven += u32::from(found);
            }
        }
        println!("{:<34} {apart:>6} apart {proven:>6} proven", category.0);
        if let Some((_, least)) = PROVEN.iter().find(|(name, _)| *name == category.0) {
            assert!(proven * 100 >= apart * least, "{}: {proven} of {apart}", category.0);
        }
    }
}

/// Returns the corners of a box: of size 1 to 2, turned or along the axes, near or far from the origin.
fn placed_box(rng: &mut Rng, far: DVec3) -> [DVec3; 8] {
    let half = DVec3::new(rng.unit(), rng.unit(), rng.unit()).abs() + 0.5;
    let axes = if rng.index(4) == 0 {
        [DVec3::X, DVec3::Y, DVec3::Z]
    } else {
        let x = rng.point().normalize();
        let y = x.cross(rng.point()).normalize();
        [x, y, x.cross(y)]
    };
    let centre = far + rng.point() * 4.0;
    std::array::from_fn(|corner| {
        let side = |k: usize| if corner >> k & 1 == 0 { -half[k] } else { half[k] };
        centre + axes[0] * side(0) + axes[1] * side(1) + axes[2] * side(2)
    })
}

/// Returns the twelve triangles of a box's surface.
fn surface(corners: &[DVec3; 8]) -> impl Iterator<Item = Triangle> {
    let faces = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
    faces.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).map(|t| t.map(|k| corners[k]))
}

/// The closest triangles of two boxes, which share edges and corners with others that are as close.
#[test]
fn witness_points_of_boxes_are_those_of_the_integers() {
    let (mut apart, mut proven) = (0u64, 0u64);
    for seed in 0..closefit_testing::cases(1000) {
        let mut rng = Rng::new("boxes", seed);
        let far = if rng.coin() { DVec3::ZERO } else { rng.point() * power_of_two(rng.int(0, 40)) };
        let [a, b] = [0, 1].map(|_| placed_box(&mut rng, far));
        let pairs = surface(&a).flat_map(|t| surface(&b).map(move |u| [t, u]));
        let nearest = pairs
            .map(|[t, u]| (enclose(&t, &u).at_most, [t, u]))
            .min_by(|(x, _), (y, _)| x.total_cmp(y))
            .expect("two surfaces");
        let [t, u] = nearest.1;
        if !triangles_meet(&t, &u) {
            apart += 1;
            let found = is_witness_proven(&t, &u, seed);
            proven += u64::from(found.unwrap_or_else(|why| panic!("boxes #{seed}: {why}: {t:?} {u:?}")));
        }
    }
    println!("{apart} pairs of boxes apart, {proven} proven");
    assert!(proven * 10 > apart * 8, "{proven} of {apart}");
}

#[test]
fn order_of_triangles_and_corners_does_not_matter() {
    for_all(closefit_testing::cases(100), |[a, b], seed| {
        let (meet, gap) = (triangles_meet(a, b), distance(a, b));
        agree("meet, swapped", triangles_meet(b, a), meet)?;
        agree("distance, swapped", distance(b, a), gap)?;
        let mut rng = Rng::new("permutation", seed);
        let [p, q] = [a, b].map(|t| permuted(t, &mut rng));
        agree("meet, permuted", triangles_meet(&p, &q), meet)?;
        agree("distance, permuted", distance(&p, &q), gap)?;
        Ok(meet)
    });
}

fn permuted(t: &Triangle, rng: &mut Rng) -> Triangle {
    let mut t = *t;
    t.swap(0, rng.index(3));
    t.swap(1, 1 + rng.index(2));
    t
}

#[test]
fn powers_of_two_scale_exactly() {
    for_all(closefit_testing::cases(100), |[a, b], seed| {
        let meet = triangles_meet(a, b);
        let factor = power_of_two(Rng::new("power", seed).int(-150, 150));
        let [p, q] = [a, b].map(|t| t.map(|p| p * factor));
        if ![p, q].as_flattened().iter().all(|p| p.to_array().into_iter().all(is_admissible)) {
            return Ok(meet);
        }
        agree("meet, scaled", triangles_meet(&p, &q), meet)?;
        let expected = distance(a, b) * factor;
        if expected == 0.0 || expected.min(distance(a, b)) > rational::smallest_distance() {
            agree("distance, scaled", distance(&p, &q), expected)?;
        }
        Ok(meet)
    });
}

fn is_admissible(x: f64) -> bool {
    x == 0.0 || (power_of_two(-200)..=power_of_two(200)).contains(&x.abs())
}

#[test]
fn witness_points_lie_on_the_triangles_at_the_distance() {
    for_all(closefit_testing::cases(100), |[a, b], _| {
        let gap = distance(a, b);
        if gap == 0.0 {
            return Ok(true);
        }
        let points = witness(a, b);
        for (point, t) in points.iter().zip([a, b]) {
            let off = rational::distance(&[*point; 3], t);
            if off > 1e-12 * magnitude(t) {
                return Err(format!("{point} is {off} away from its triangle"));
            }
        }
        let apart = (points[0] - points[1]).length();
        // The points are rounded to f64, so their distance is no more accurate than their coordinates.
        let rounding = f64::EPSILON * 4.0 * (magnitude(a) + magnitude(b));
        if (apart - gap).abs() > 1e-12 * gap + rounding {
            return Err(format!("the witnesses are {apart} apart, the distance is {gap}"));
        }
        Ok(false)
    });
}

fn magnitude(t: &Triangle) -> f64 {
    t.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max)
}

/// Touches whose answer is known without an oracle.
#[test]
fn known_touches() {
    let t = |c: [[f64; 3]; 3]| c.map(DVec3::from_array);
    let floor = t([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]]);
    let cases = [
        ("corner on corner", t([[4.0, 0.0, 0.0], [5.0, 0.0, 1.0], [5.0, 1.0, 1.0]]), 0.0),
        ("corner in face", t([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [2.0, 1.0, 1.0]]), 0.0),
        ("corner above face", t([[1.0, 1.0, 0.25], [1.0, 1.0, 1.0], [2.0, 1.0, 1.0]]), 0.25),
        ("through the face", t([[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [9.0, 9.0, 1.0]]), 0.0),
        (
            "coplanar beyond the slanted edge",
            t([[4.0, 4.0, 0.0], [5.0, 4.0, 0.0], [4.0, 5.0, 0.0]]),
            8f64.sqrt(),
        ),
        ("point above a corner", t([[-3.0, 0.0, 4.0]; 3]), 5.0),
        ("segment through an edge", t([[2.0, 0.0, -1.0], [2.0, 0.0, 1.0], [2.0, 0.0, 0.0]]), 0.0),
    ];
    for (what, other, expected) in cases {
        assert_eq!(triangles_meet(&floor, &other), expected == 0.0, "{what}");
        assert_eq!(distance(&floor, &other), expected, "{what}");
        assert_eq!(rational::triangles_meet(&floor, &other), expected == 0.0, "{what}");
        assert_eq!(rational::distance(&floor, &other), expected, "{what}");
    }
}
