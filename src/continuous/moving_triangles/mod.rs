//! Proves that two triangles stay apart while they move.
//!
//! *In*: corners as a [`Moment`] poses them. *Out*: true only if the distance exceeds a limit throughout the
//! moment.
//!
//! A direction fixed to the first triangle is a proof if the second's corners stay beyond the limit along it,
//! each moved by its velocity along the direction times the half width, plus the moment's deviation. Only
//! movement *along* the direction counts, so surfaces that slide past each other at a constant distance are
//! proven apart over long times. The directions are: between the centroids, both normals, between the closest
//! points, and perpendicular to the features on which these lie, which rounding does not disturb when
//! triangles are close compared with their size. Where they are much closer than that, several features are
//! equally close up to rounding, and all perpendiculars of two edges are tried. The directions from the
//! closest points on also bound how long from now on the triangles stay apart.

pub mod scalar;
pub mod simd;

use closefit_geometry::motion::moment::Moment;

/// Smallest acceleration bound used, so that nothing is divided by 0.
const STRAIGHT: f64 = 1e-200;

/// The fraction of both triangles' extent beyond which a corner's move in half a stretch is long (both
/// squared). The closest points are not computed then: their directions prove little over so long a time.
const LONG: f64 = 0.05 * 0.05;

/// The fraction of both triangles' extent below which the distance of their nearly closest points is short
/// (both squared). The directions of all pairs of edges are tried then, too.
const SHORT: f64 = 1.0 / (1u64 << 40) as f64;

/// Returns the acceleration bound of the second triangle's points.
fn acceleration_bound(moment: &Moment) -> f64 {
    let acceleration_bound = moment.acceleration_bound[1];
    if acceleration_bound.is_nan() { f64::INFINITY } else { acceleration_bound.max(STRAIGHT) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::testing::{Pairs, block};
    use closefit_geometry::lanes::{Level, Simd, dispatch, level};
    use closefit_geometry::math::Triangle;
    use closefit_geometry::math::pose::Pose;

    #[inline(always)]
    fn in_lanes<S: Simd>(
        simd: S,
        pairs: &[[Triangle; 2]; 4],
        moment: &Moment,
        limit: f64,
    ) -> (u32, [u64; 4]) {
        let [a, b] = block(simd, pairs);
        let moving = simd::PreparedMoment::new(simd, moment, limit);
        let times = simd::free_time(&a, &b, &moving);
        (simd::beyond(&a, &b, &moving), [0, 1, 2, 3].map(|l| times[l].to_bits()))
    }

    #[test]
    fn lanes_say_what_the_reading_copy_says() {
        let mut stream = Pairs::new(8);
        for _ in 0..60_000 {
            let pairs = [0; 4].map(|_| stream.pair());
            // Any numbers will do as a moment.
            let [[velocity, angular, other], _] = stream.pair();
            let half = [0.0, 1e-6, 0.01, 1.0][(other.x.to_bits() % 4) as usize];
            let acceleration_bound = match other.y.to_bits() % 9 {
                0..3 => 0.0,
                3 => f64::INFINITY,
                4 => f64::NAN,
                _ => other.y.abs(),
            };
            let moment = Moment {
                poses: [Pose::IDENTITY; 2],
                time: 0.0,
                half,
                velocity,
                angular,
                acceleration_bound: [acceleration_bound; 2],
                speed: 1.0,
                slack: 1e-14,
            };
            let limit = if other.z.to_bits().is_multiple_of(2) { 0.0 } else { other.z.abs() };
            let expected = (
                (0..4)
                    .map(|l| u32::from(scalar::beyond(&pairs[l][0], &pairs[l][1], limit, &moment)) << l)
                    .sum(),
                pairs.map(|[a, b]| scalar::free_time(&a, &b, limit, &moment).to_bits()),
            );
            assert_eq!(dispatch!(level(), simd => in_lanes(simd, &pairs, &moment, limit)), expected);
            assert_eq!(
                dispatch!(Level::baseline(), simd => in_lanes(simd, &pairs, &moment, limit)),
                expected
            );
            assert!(expected.1.iter().all(|time| (0.0..=half).contains(&f64::from_bits(*time))));
        }
    }
}
