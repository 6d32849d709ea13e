//! Integers in the order of coordinates.

use glam::DVec3;

use crate::broad::columns::{InflatedBox, raised};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::parallel;

/// Number of boxes sampled to find the middle of all.
const SAMPLE: usize = 1024;

/// Coordinates are scaled so that the largest is about `2^LARGEST`: f32 holds it, and is finest near the
/// origin.
const LARGEST: f64 = 100.0;

/// A map of coordinates to f32 that keeps their order: each step of it does, and rounds to nearest. So the
/// images of the ends of boxes overlap if the ends themselves do. A box in the middle of many is the origin,
/// because f32 is finest there.
pub(super) struct Order {
    origin: DVec3,
    scale: f64,
}

impl Order {
    pub fn of(boxes: &[Aabb]) -> Self {
        let sample: Vec<DVec3> =
            boxes.iter().step_by(boxes.len().div_ceil(SAMPLE).max(1)).map(|b| b.lo).collect();
        let middle = |axis: usize| {
            let mut ends: Vec<f64> = sample.iter().map(|lo| lo[axis]).filter(|x| x.is_finite()).collect();
            ends.sort_unstable_by(f64::total_cmp);
            ends.get(ends.len() / 2).copied().unwrap_or(0.0)
        };
        let origin = DVec3::new(middle(0), middle(1), middle(2));
        let farthest = |b: &Aabb| {
            let ends = (b.lo - origin).abs().max((b.hi - origin).abs()).to_array();
            ends.into_iter().filter(|x| x.is_finite()).fold(0.0, f64::max)
        };
        let farthest =
            parallel::reduce(boxes.len(), parallel::TINY, |at| farthest(&boxes[at]), f64::max).unwrap_or(0.0);
        // Beyond 2^200 there are no parts; what is smaller than 2^-800 may be rounded to 0.
        let exponent = LARGEST - libm::log2(farthest.max(f64::MIN_POSITIVE)).ceil().clamp(-800.0, 1000.0);
        Self { origin, scale: libm::exp2(exponent) }
    }

    /// Returns the image of a box with its upper ends raised by `reach`. What is not a number excludes
    /// nothing.
    pub fn outer(&self, b: &Aabb, reach: f64) -> InflatedBox {
        let images = |ends: DVec3| ((ends - self.origin) * self.scale).to_array().map(|x| x as f32);
        InflatedBox {
            lo: images(b.lo).map(|x| x.max(f32::NEG_INFINITY)),
            hi: images(raised(b.hi, reach)).map(|x| x.min(f32::INFINITY)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{apart, cases};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn boxes_that_are_near_have_images_that_overlap(
            boxes in prop_oneof![cases::boxes(40).boxed(), cases::sizes(40).boxed()],
            reach in cases::reaches(),
            scale in -150..150i32,
            steps in -2..3i64,
        ) {
            let scale = 2f64.powi(scale);
            let mut boxes: Vec<Aabb> =
                boxes.iter().map(|b| Aabb { lo: b.lo * scale, hi: b.hi * scale }).collect();
            let reach = reach * scale;
            // Gaps along an axis of the reach, or a little more or less.
            for i in 1..boxes.len() {
                let near = f64::from_bits((boxes[i - 1].hi.x + reach).to_bits().saturating_add_signed(steps));
                if near.is_finite() {
                    boxes[i].hi.x += near - boxes[i].lo.x;
                    boxes[i].lo.x = near;
                }
            }
            let order = Order::of(&boxes);
            let outers: Vec<InflatedBox> = boxes.iter().map(|b| order.outer(b, reach)).collect();
            for (a, outer_a) in boxes.iter().zip(&outers) {
                for (b, outer_b) in boxes.iter().zip(&outers) {
                    prop_assert!(outer_a.overlaps(outer_b) || apart(a, b, reach), "{a:?} {b:?} {reach:e}");
                }
            }
        }
    }

    #[test]
    fn far_away_and_at_any_size_few_boxes_overlap_more_than_they_should() {
        for (far, size) in [(0.0, 1.0), (1e9, 1.0), (0.0, 2f64.powi(-150)), (0.0, 2f64.powi(150))] {
            let boxes: Vec<Aabb> = cases::even(500)
                .iter()
                .map(|b| Aabb { lo: (b.lo + far) * size, hi: (b.hi + far) * size })
                .collect();
            let order = Order::of(&boxes);
            let outers: Vec<InflatedBox> = boxes.iter().map(|b| order.outer(b, 0.0)).collect();
            for i in 0..boxes.len() {
                for j in 0..i {
                    assert_eq!(outers[i].overlaps(&outers[j]), !apart(&boxes[i], &boxes[j], 0.0));
                }
            }
        }
    }

    #[test]
    fn not_a_number_excludes_nothing() {
        let nan = Aabb { lo: DVec3::NAN, hi: DVec3::NAN };
        let boxes = [nan, Aabb { lo: DVec3::ZERO, hi: DVec3::ONE }];
        let order = Order::of(&boxes);
        assert!(order.outer(&boxes[0], 0.0).overlaps(&order.outer(&boxes[1], 0.0)));
    }
}
