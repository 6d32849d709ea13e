//! Broad phase: finds the candidate pairs, which are all pairs of parts whose posed boxes are not [`apart`].
//!
//! [`method`] lists the ways to do so, and [`frames`] asks them all in the same way. [`sweep_and_prune`] is
//! the fastest for a single frame, [`grid`] for boxes that all move, [`recursive_grid`] for few among many
//! that stand still; [`sorted_lists`] are kept from frame to frame, and [`brute`] is the oracle of all. They
//! decide by the same exact predicate and return the same pairs, sorted, the lower id first. [`moving`] also
//! says which pairs have begun and ended.

pub mod brute;
#[cfg(test)]
mod cases;
mod columns;
pub mod counts;
mod fixed;
pub mod frames;
pub mod grid;
pub mod method;
pub mod moving;
#[cfg(feature = "gpu")]
pub mod on_device;
pub mod recursive_grid;
pub mod sorted_lists;
pub mod sweep_and_prune;

use closefit_geometry::bounds::aabb::{Aabb, exceeds};
use closefit_geometry::ids::{PartId, to_u32};

/// True when the boxes are separated by more than `reach` (0 or more) along some coordinate axis, in exact
/// arithmetic on the stored numbers.
pub fn apart(a: &Aabb, b: &Aabb, reach: f64) -> bool {
    (0..3).any(|axis| exceeds(b.lo[axis], a.hi[axis], reach) || exceeds(a.lo[axis], b.hi[axis], reach))
}

/// Sorted pairs of boxes, the lower id first.
pub type Pairs = Vec<(PartId, PartId)>;

/// Returns the sorted pairs that are not among the sorted `others`.
fn without(pairs: &Pairs, others: &Pairs) -> Pairs {
    let mut others = others.iter().peekable();
    let is_other = |p: &&(PartId, PartId)| {
        while others.next_if(|o| o < p).is_some() {}
        others.peek() != Some(p)
    };
    pairs.iter().filter(is_other).copied().collect()
}

fn pair(i: usize, j: usize) -> (PartId, PartId) {
    (PartId(to_u32(i.min(j))), PartId(to_u32(i.max(j))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use num_rational::BigRational;
    use proptest::prelude::*;

    fn exact(x: f64) -> BigRational {
        BigRational::from_float(x).expect("finite")
    }

    fn any_size() -> impl Strategy<Value = f64> {
        prop_oneof![
            -1.0..1.0f64,
            -1e17..1e17f64,
            -1e-9..1e-9f64,
            (-3..4i32).prop_map(f64::from),
            Just(1e60),
            Just(1e-60)
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn exceeds_is_exact(x in any_size(), y in any_size(), steps in -2..3i64) {
            // Rounding could mislead for a reach at or next to the rounded difference.
            let near = f64::from_bits((x - y).abs().to_bits().saturating_add_signed(steps));
            for reach in [near, 0.0, 1e-6] {
                prop_assert_eq!(exceeds(x, y, reach), exact(x) - exact(y) > exact(reach));
            }
        }
    }

    #[test]
    fn a_gap_equal_to_the_reach_is_not_apart() {
        let cube = |x: f64| Aabb { lo: DVec3::new(x, 0.0, 0.0), hi: DVec3::new(x + 1.0, 1.0, 1.0) };
        assert!(!apart(&cube(0.0), &cube(1.5), 0.5));
        assert!(!apart(&cube(1.5), &cube(0.0), 0.5));
        assert!(apart(&cube(0.0), &cube(1.5), 0.5f64.next_down()));
        assert!(apart(&cube(0.0), &cube(1.5f64.next_up()), 0.5));
        assert!(!apart(&cube(0.0), &cube(1.0), 0.0), "touching");
    }
}
