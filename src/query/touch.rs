//! The closest features of two parts at a time, from one pair of triangles: the closest pair, the lowest in a
//! tie; for parts in contact, the lowest pair that touches.

use glam::DVec3;

use super::location;
use super::pair_sweep::PairSweep;
use crate::bvh::posed_model::PosedModel;
use crate::bvh::static_pair::witness;
use crate::narrow::{Nearest, Work};
use closefit_geometry::exact::features::{EDGES, Feature, Floats};
use closefit_geometry::math::Triangle;

/// The closest features of two parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FeaturePair {
    /// An edge of each.
    EdgeEdge,
    /// A vertex of the first part and a face of the second.
    VertexFace,
    /// A face of the first part and a vertex of the second.
    FaceVertex,
}

impl FeaturePair {
    /// Returns the pair in words, as reports and the other languages have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EdgeEdge => "edge/edge",
            Self::VertexFace => "vertex/face",
            Self::FaceVertex => "face/vertex",
        }
    }
}

/// Two parts at their closest points.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Touch {
    /// Their distance; 0 in contact.
    pub distance: f64,
    /// The triangle of the first part, and the triangle of the second.
    pub triangles: [u32; 2],
    /// The closest features of these triangles. Apart: the features whose closest points are closest in f64,
    /// edges first in a tie, then vertices of the first part. In contact: those that separate the two
    /// triangles with the least movement, in a tie faces of the second part first, then of the first, then
    /// edges.
    pub feature: FeaturePair,
    /// The point midway between the closest points; in contact, the lowest point that the triangles share, by
    /// x, then y, then z.
    pub point: DVec3,
    /// The unit vector from the first part to the second: between the closest points or, in contact, along
    /// the least movement. Zero if no direction exists, as for two points that coincide.
    pub normal: DVec3,
}

/// Returns the closest features of the two at a time, if they are within `bound` of each other.
pub fn touch(sweep: &PairSweep, time: f64, bound: f64, work: &mut Work) -> Option<Touch> {
    let moving = sweep.moving_at(time);
    let nearest = moving.nearest(time, bound, work)?;
    Some(work.ask(|| moving.ask_at(time, |pair| of_nearest(pair.bodies(), &nearest))))
}

fn of_nearest([a, b]: [&PosedModel; 2], nearest: &Nearest) -> Touch {
    let &Nearest { distance, triangles: [ta, tb] } = nearest;
    let triangles = [ta, tb];
    let (t, u) = (a.triangle(ta), b.triangle(tb));
    if distance == 0.0 {
        let (feature, normal) = least_movement(&t, &u);
        let point = location::place(a, b, &[triangles], true).point;
        return Touch { distance, triangles, feature, point, normal };
    }
    let (feature, offset) = Floats::of(&t, &u).nearest();
    let [p, q] = witness([a, b], nearest);
    let feature = match feature {
        Feature::Edges(..) => FeaturePair::EdgeEdge,
        Feature::CornerFace(_) => FeaturePair::VertexFace,
        Feature::FaceCorner(_) => FeaturePair::FaceVertex,
    };
    // Points far from the origin may lose their difference to rounding.
    let normal = if p == q { unit(offset) } else { unit(q - p) };
    Touch { distance, triangles, feature, point: 0.5 * p + 0.5 * q, normal }
}

/// Returns the direction along which two triangles in contact overlap least, and its features. The candidates
/// are the separating axes of two triangles.
pub fn least_movement(a: &Triangle, b: &Triangle) -> (FeaturePair, DVec3) {
    let edges = |t: &Triangle| EDGES.map(|[i, j]| t[j] - t[i]);
    let (of_a, of_b) = (edges(a), edges(b));
    let faces = [
        (FeaturePair::VertexFace, of_b[0].cross(of_b[1])),
        (FeaturePair::FaceVertex, of_a[0].cross(of_a[1])),
    ];
    let crossed = of_a.iter().flat_map(|e| of_b.iter().map(move |f| (FeaturePair::EdgeEdge, e.cross(*f))));
    let mut least = (FeaturePair::EdgeEdge, DVec3::ZERO, f64::INFINITY);
    for (feature, axis) in faces.into_iter().chain(crossed) {
        let axis = unit(axis);
        if axis == DVec3::ZERO {
            continue;
        }
        // Measured from a corner, so that no digits are lost far from the origin.
        let reach = |t: &Triangle| {
            t.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[lo, hi], &p| {
                let x = axis.dot(p - a[0]);
                [lo.min(x), hi.max(x)]
            })
        };
        let ([a_lo, a_hi], [b_lo, b_hi]) = (reach(a), reach(b));
        for (overlap, towards) in [(a_hi - b_lo, axis), (b_hi - a_lo, -axis)] {
            if overlap < least.2 {
                least = (feature, towards, overlap);
            }
        }
    }
    (least.0, least.1)
}

/// Returns a vector scaled to length 1, or zero if it has no length.
pub fn unit(v: DVec3) -> DVec3 {
    let v = v / v.abs().max_element(); // the squares neither under- nor overflow
    let length = v.length();
    if length.is_nan() { DVec3::ZERO } else { v / length + DVec3::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn t(points: [[f64; 3]; 3]) -> Triangle {
        points.map(DVec3::from_array)
    }

    #[test]
    fn the_least_movement_parts_two_triangles() {
        let floor = t([[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]]);
        let tip = t([[0.0, 0.0, -1e-6], [1.0, 0.0, 2.0], [0.0, 1.0, 2.0]]);
        assert_eq!(least_movement(&floor, &tip), (FeaturePair::FaceVertex, DVec3::Z));
        assert_eq!(least_movement(&tip, &floor), (FeaturePair::VertexFace, -DVec3::Z));
        let ridge = t([[-1.0, 0.0, 1e-6], [1.0, 0.0, 1e-6], [0.0, 0.0, -5.0]]);
        let across = t([[0.0, -1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 5.0]]);
        assert_eq!(least_movement(&ridge, &across), (FeaturePair::EdgeEdge, DVec3::Z));
        let point = t([[0.0; 3]; 3]);
        assert_eq!(least_movement(&point, &point).1, DVec3::ZERO);
    }

    #[test]
    fn a_direction_of_any_length() {
        assert_eq!(unit(DVec3::X * 1e-300), DVec3::X);
        assert_eq!(unit(DVec3::Y * -1e300), -DVec3::Y);
        assert_eq!(unit(DVec3::ZERO), DVec3::ZERO);
    }
}
