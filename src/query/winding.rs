//! How often a posed body's closed components wind around a point, exactly.
//!
//! A ray leaves the point along a coordinate axis; each triangle that it crosses counts +1 or -1. Ties
//! (a ray through an edge or a corner) are decided as if the point were moved across the ray by
//! (e, e^2) for an infinitely small e, so every crossing is counted once.

use std::cmp::Ordering::{Equal, Greater};

use glam::DVec3;

use crate::hierarchy::body::Body;
use crate::math::Triangle;
use crate::math::predicates::{self, Projection, Sign};
use crate::math::rational_point::RationalPoint;

/// Where a ray starts: a point known exactly, with an f64 approximation for culling.
pub trait Origin {
    /// Near the point.
    fn approximate(&self) -> DVec3;
    /// How far each coordinate of [`Origin::approximate`] may be off.
    fn error(&self) -> f64;
    /// Exact side of the point with respect to the directed line `a b` in a projection.
    fn turn(&self, projection: Projection, a: DVec3, b: DVec3) -> Sign;
    /// Exact side of the point with respect to the plane of a triangle, as [`predicates::orient3d`].
    fn side(&self, t: &Triangle) -> Sign;
}

impl Origin for DVec3 {
    fn approximate(&self) -> DVec3 {
        *self
    }
    fn error(&self) -> f64 {
        0.0
    }
    fn turn(&self, projection: Projection, a: DVec3, b: DVec3) -> Sign {
        predicates::orient2d(projection.of(a), projection.of(b), projection.of(*self))
    }
    fn side(&self, t: &Triangle) -> Sign {
        predicates::orient3d(t[0], t[1], t[2], *self)
    }
}

impl Origin for RationalPoint {
    fn approximate(&self) -> DVec3 {
        self.rounded()
    }
    fn error(&self) -> f64 {
        self.error()
    }
    fn turn(&self, projection: Projection, a: DVec3, b: DVec3) -> Sign {
        self.turn(projection, a, b)
    }
    fn side(&self, t: &Triangle) -> Sign {
        self.side(t)
    }
}

/// True when a point that is not on the body's closed components lies inside them: in its solid.
pub fn inside(body: &Body, origin: &impl Origin) -> bool {
    winding_number(body, origin).is_some_and(|winding| winding != 0)
}

/// The winding number, or `None` when the point is found to lie on a triangle. Triangles of open
/// components do not count.
pub fn winding_number(body: &Body, origin: &impl Origin) -> Option<i64> {
    // The shortest way out of the body's box crosses the least.
    let size = body.bounds.hi - body.bounds.lo;
    let projection = match size.min_position() {
        0 => Projection::X,
        1 => Projection::Y,
        _ => Projection::Z,
    };
    let axis = projection as usize;
    let (p, error) = (origin.approximate(), origin.error());
    let may_cross =
        |lo: DVec3, hi: DVec3| (0..3).all(|k| p[k] <= hi[k] + error && (k == axis || lo[k] - error <= p[k]));
    let may_cross_triangle = |t: &Triangle| may_cross(t[0].min(t[1]).min(t[2]), t[0].max(t[1]).max(t[2]));
    let mut winding = Some(0);
    body.walk(
        |bounds| may_cross(bounds.lo, bounds.hi),
        |triangle| {
            let Some(sum) = winding else { return };
            if !body.is_closed(triangle) {
                return;
            }
            let t = body.oriented(triangle);
            if may_cross_triangle(&t) {
                winding = crossing(origin, projection, &t).map(|crossed| sum + crossed);
            }
        },
    );
    let seams = body.seam_triangles().iter().filter(|t| may_cross_triangle(t));
    seams.fold(winding, |sum, t| Some(sum? + crossing(origin, projection, t)?))
}

/// +1 or -1 where the ray crosses the triangle out of or into its back side, 0 where it misses; `None` where
/// the point is on it.
fn crossing(origin: &impl Origin, projection: Projection, t: &Triangle) -> Option<i64> {
    let turn = |a: DVec3, b: DVec3| {
        origin.turn(projection, a, b).then_with(|| {
            let ([ax, ay], [bx, by]) = (projection.of(a), projection.of(b));
            ay.total_cmp(&by).then(bx.total_cmp(&ax))
        })
    };
    let orientation = turn(t[0], t[1]);
    if orientation == Equal || turn(t[1], t[2]) != orientation || turn(t[2], t[0]) != orientation {
        return Some(0);
    }
    match origin.side(t) {
        Equal => None,
        // The triangle lies ahead of the point when the point is behind an outward face or before an inward one.
        side if side == orientation.reverse() => Some(if orientation == Greater { 1 } else { -1 }),
        _ => Some(0),
    }
}
