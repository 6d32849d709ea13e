//! Proven bounds of the distance of two triangles, in f64.
//!
//! *In*: corners as [`Pose::apply`](closefit_geometry::math::pose::Pose::apply) computes them. *Out*:
//! [`Bounds`] that contain the exact distance of the corners' convex hulls, and so the number to which
//! [`distance`](closefit_geometry::exact::distance::distance) rounds it. Except for needle-like triangles,
//! they differ by little more than twice [`LENGTH`](closefit_geometry::math::error_bounds::LENGTH) times the
//! size of the box around both. There is also a cheaper proof that the distance exceeds a given one.
//!
//! The distance of disjoint triangles is the distance of two edges, or of a corner and a face. So the best of
//! nine pairs of edges (Lumelsky 1985, "On fast computation of distance between line segments") and of the
//! corner nearest to either plane, if its foot is inside, bounds it from above: whatever the rounding, it is
//! the distance of two points of the triangles. Any direction bounds it from below by the gap between the
//! triangles: first the direction between these points, then, where they are so close that rounding tilts it,
//! the perpendicular to their features.

pub mod scalar;
pub mod simd;

/// The square of the sine of the angle below which edges count as parallel: rounding tilts their cross
/// product by as much as the other perpendicular is off then.
const PARALLEL: f64 = 1e-16;

/// An interval that contains the distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lower bound of the distance; 0 or more.
    pub at_least: f64,
    /// Upper bound of the distance.
    pub at_most: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::testing::{Pairs, block};
    use closefit_geometry::exact::distance::distance;
    use closefit_geometry::lanes::{Level, Simd, dispatch, level};
    use closefit_geometry::math::Triangle;
    use closefit_geometry::math::testing::cases;

    /// Bits of the bounds, and the lanes beyond each of three distances.
    type Found = ([[u64; 2]; 4], [u32; 3]);

    #[inline(always)]
    fn in_lanes<S: Simd>(simd: S, pairs: &[[Triangle; 2]; 4], limits: [f64; 3]) -> Found {
        let [a, b] = block(simd, pairs);
        let bounds = simd::bounds(simd, &a, &b);
        let bits = [0, 1, 2, 3].map(|l| [bounds.at_least[l].to_bits(), bounds.at_most[l].to_bits()]);
        (bits, limits.map(|limit| simd::beyond(simd, &a, &b, limit)))
    }

    fn one_by_one(pairs: &[[Triangle; 2]; 4], limits: [f64; 3]) -> Found {
        let bits = pairs.map(|[a, b]| {
            let bounds = scalar::bounds(&a, &b);
            [bounds.at_least.to_bits(), bounds.at_most.to_bits()]
        });
        let beyond = limits.map(|limit| {
            let lanes = pairs.iter().enumerate();
            lanes.map(|(l, [a, b])| u32::from(scalar::beyond(a, b, limit)) << l).sum()
        });
        (bits, beyond)
    }

    #[test]
    fn lanes_say_what_the_reading_copy_says() {
        let mut stream = Pairs::new(4);
        for _ in 0..cases(60_000) {
            let pairs = [0; 4].map(|_| stream.pair());
            let near = scalar::bounds(&pairs[0][0], &pairs[0][1]);
            let limits = [near.at_least, near.at_most, 0.1];
            let expected = one_by_one(&pairs, limits);
            assert_eq!(dispatch!(level(), simd => in_lanes(simd, &pairs, limits)), expected, "{pairs:?}");
            let baseline = dispatch!(Level::baseline(), simd => in_lanes(simd, &pairs, limits));
            assert_eq!(baseline, expected, "{pairs:?}");
        }
    }

    #[test]
    fn bounds_contain_the_distance() {
        let (mut stream, mut tight) = (Pairs::new(5), 0);
        for _ in 0..60_000 {
            let [a, b] = stream.pair();
            let exact = distance(&a, &b);
            let found = scalar::bounds(&a, &b);
            assert!(found.at_least <= exact && exact <= found.at_most, "{a:?} {b:?}: {exact} {found:?}");
            for limit in [0.0, 1e-9, 0.25, 1.0, 0.5 * exact, exact.next_up(), 2.0 * exact] {
                // A distance that exceeds a number is not rounded to less.
                assert!(
                    !scalar::beyond(&a, &b, limit) || limit <= exact,
                    "{a:?} {b:?}: {exact} past {limit}"
                );
            }
            let size = a.iter().chain(&b).fold(0.0f64, |size, p| size.max((*p - a[0]).abs().max_element()));
            tight += u32::from(found.at_most - found.at_least <= 4e-14 * size);
        }
        assert!(tight > 50_000, "{tight} of 60000 are tight");
    }

    #[test]
    fn spare_lanes_are_at_infinity() {
        let pairs = [0; 4].map(|_| Pairs::new(6).pair());
        dispatch!(level(), simd => {
            let [mut a, mut b] = block(simd, &pairs);
            (a.lanes, b.lanes) = (0b0011, 0b0101);
            assert_eq!(simd::beyond(simd, &a, &b, f64::INFINITY), 0b1110);
            let found = simd::bounds(simd, &a, &b);
            for (lane, spare) in [false, true, true, true].into_iter().enumerate() {
                let infinite = [found.at_least[lane], found.at_most[lane]].map(f64::is_infinite);
                assert_eq!(infinite, [spare; 2]);
            }
        });
    }
}
