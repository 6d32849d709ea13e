//! `triangles_meet`, `distance` and `witness` against exact rational arithmetic, category by category.
//!
//! `CLOSEFIT_CASES` sets the number of pairs per category; 10 000 is the full run.

use closefit_geometry::exact::contact::triangles_meet;
use closefit_geometry::exact::distance::{
    distance, distance_by_integers, distance_without_integers, witness,
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
