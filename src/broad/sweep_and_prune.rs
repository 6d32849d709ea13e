//! Sweep and prune along one axis (Lin et al. 1997, section 3): boxes enter in the order of their lower
//! ends and meet only those whose upper end has not been passed.

use glam::DVec3;

use super::{apart, exceeds, pair};
use crate::bounds::aabb::Aabb;
use crate::ids::PartId;

/// All pairs of boxes (positions are part ids) that are not apart by more than `reach`, sorted.
pub fn near_pairs(boxes: &[Aabb], reach: f64) -> Vec<(PartId, PartId)> {
    let axis = axis_of_largest_spread(boxes);
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    order.sort_by(|&i, &j| boxes[i].lo[axis].total_cmp(&boxes[j].lo[axis]));
    let mut pairs = Vec::new();
    let mut active: Vec<usize> = Vec::new();
    for j in order {
        // Lower ends only grow, so what is passed once stays passed.
        active.retain(|&i| !exceeds(boxes[j].lo[axis], boxes[i].hi[axis], reach));
        pairs.extend(active.iter().filter(|&&i| !apart(&boxes[i], &boxes[j], reach)).map(|&i| pair(i, j)));
        active.push(j);
    }
    pairs.sort_unstable();
    pairs
}

/// The axis along which the centres vary most; any answer is right, this one prunes best.
fn axis_of_largest_spread(boxes: &[Aabb]) -> usize {
    let centers = || boxes.iter().map(|b| 0.5 * b.lo + 0.5 * b.hi);
    let mean = centers().sum::<DVec3>() / boxes.len().max(1) as f64;
    let variance = centers().fold(DVec3::ZERO, |sum, c| sum + (c - mean) * (c - mean));
    (0..3).max_by(|&i, &j| variance[i].total_cmp(&variance[j])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broad::brute;
    use proptest::prelude::*;

    fn boxes(count: usize) -> impl Strategy<Value = Vec<Aabb>> {
        // Grid values make equal, touching, flat and identical boxes; the others hardly ever touch.
        let grid = (-4..5i32).prop_map(f64::from);
        let coordinate = prop_oneof![grid.boxed(), (-4.0..4.0f64).boxed()];
        let one = (prop::array::uniform3(coordinate.clone()), prop::array::uniform3(coordinate))
            .prop_map(|(a, b)| Aabb::of([DVec3::from_array(a), DVec3::from_array(b)]));
        let shrunk = (one, prop_oneof![Just(1.0), Just(0.25), Just(0.0)], prop::array::uniform3(-4..5i32))
            .prop_map(|(b, size, at)| {
                let at = DVec3::new(f64::from(at[0]), f64::from(at[1]), f64::from(at[2]));
                Aabb { lo: b.lo * size + at, hi: b.hi * size + at }
            });
        let scale = prop_oneof![4 => Just(1.0), 1 => Just(1e-60), 1 => Just(1e60)];
        let far = prop_oneof![3 => Just(0.0), 1 => Just(1e15)];
        (prop::collection::vec(shrunk, 0..count), scale, far).prop_map(|(boxes, scale, far)| {
            let place = |p: DVec3| (p + DVec3::new(far, 0.0, -far)) * scale;
            boxes.iter().map(|b| Aabb { lo: place(b.lo), hi: place(b.hi) }).collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn finds_what_brute_force_finds(boxes in boxes(200), reach in prop_oneof![Just(0.0), Just(0.5), Just(1.0), 0.0..2.0f64, Just(f64::INFINITY)]) {
            prop_assert_eq!(near_pairs(&boxes, reach), brute::near_pairs(&boxes, reach));
        }
    }

    #[test]
    fn ten_thousand_bodies() {
        // Fractional parts of multiples of irrationals: spread evenly, without a generator.
        let spread = |i: usize| {
            let x = |k: f64| (i as f64 * k).fract() * 100.0;
            DVec3::new(x(2f64.sqrt()), x(3f64.sqrt()), x(5f64.sqrt()))
        };
        let boxes: Vec<Aabb> =
            (0..10_000).map(spread).map(|p| Aabb { lo: p, hi: p + DVec3::new(1.0, 2.0, 3.0) }).collect();
        let pairs = near_pairs(&boxes, 0.25);
        assert!(pairs.len() > 1000);
        assert_eq!(pairs, brute::near_pairs(&boxes, 0.25));
    }

    #[test]
    fn nothing_and_one_have_no_pairs() {
        assert!(near_pairs(&[], 1.0).is_empty());
        assert!(near_pairs(&[Aabb::EMPTY], 1.0).is_empty());
    }
}
