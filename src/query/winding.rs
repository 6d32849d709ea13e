//! The exact winding number of a posed body's closed components around a point.
//!
//! A ray leaves the point along a coordinate axis; each triangle that it crosses counts +1 or -1. Ties
//! (a ray through an edge or a corner) are decided as if the point were moved across the ray by
//! (e, e^2) for an infinitesimal e, so every crossing is counted once.

use std::cmp::Ordering::{Equal, Greater, Less};
use std::ops::ControlFlow;

use glam::DVec3;

use crate::bvh::posed_model::PosedModel;
use crate::narrow::{Work, count};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::predicates::{self, Projection, Sign};
use closefit_geometry::math::rational_point::RationalPoint;

/// The start of a ray: a point known exactly, with an f64 approximation for culling.
pub trait Origin {
    /// Returns a point in f64 near the exact one.
    fn approximate(&self) -> DVec3;
    /// Returns a bound of the error of each coordinate of [`Origin::approximate`].
    fn error(&self) -> f64;
    /// Returns the exact side of the point with respect to the directed line `a b` in a projection.
    fn turn(&self, projection: Projection, a: DVec3, b: DVec3) -> Sign;
    /// Returns the exact side of the point with respect to the plane of a triangle, as
    /// [`predicates::orient3d`].
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

/// True when a point that is not on the body's closed components lies inside them, in the body's solid.
pub fn inside(body: &PosedModel, origin: &impl Origin) -> bool {
    winding_number(body, origin).is_some_and(|winding| winding != 0)
}

/// Returns the winding number, or `None` if the point is found to lie on a triangle. Triangles of open
/// components do not count.
pub fn winding_number(body: &PosedModel, origin: &impl Origin) -> Option<i64> {
    let oriented = |triangle, corners| body.is_closed(triangle).then(|| body.turned_out(triangle, corners));
    let seams = body.seam_triangles();
    winding_of(body, oriented, |ray| in_box(seams, ray), origin)
}

/// Returns the triangles whose boxes meet a box.
pub fn in_box(triangles: &[Triangle], bounds: &Aabb) -> Vec<Triangle> {
    count(Work::triangles(triangles.len() as u64));
    triangles.iter().filter(|t| Aabb::of(**t).meets(bounds)).copied().collect()
}

/// Returns how often a closed surface winds around a point in the body's box, or `None` if the point is found
/// to lie on the surface. It consists of the body's triangles for which `oriented` returns the corners,
/// counterclockwise as seen from outside, and of more triangles in the body's box: `more` returns those whose
/// boxes meet a box.
pub fn winding_of(
    body: &PosedModel,
    oriented: impl Fn(u32, Triangle) -> Option<Triangle>,
    more: impl FnOnce(&Aabb) -> Vec<Triangle>,
    origin: &impl Origin,
) -> Option<i64> {
    let ray = Ray::out_of(body.bounds(), origin);
    let (mut winding, mut exact_tests) = (0, 0);
    let flow = body.in_box(&ray.bounds, &mut |triangle, t| {
        if let Some(oriented) = oriented(triangle, *t)
            && Aabb::of(*t).meets(&ray.bounds)
        {
            exact_tests += 1;
            match ray.crossing(origin, &oriented) {
                Some(crossed) => winding += crossed,
                None => return ControlFlow::Break(()),
            }
        }
        ControlFlow::Continue(())
    });
    count(Work { exact_tests, ..Work::NONE });
    if flow.is_break() {
        return None;
    }
    more(&ray.bounds).iter().try_fold(winding, |sum, t| Some(sum + ray.crossing(origin, t)?))
}

/// Returns how often a few triangles, counterclockwise as seen from outside, wind around a point in their
/// box, or `None` if the point is found to lie on one of them.
pub fn winding_of_few(
    mut triangles: impl Iterator<Item = Triangle>,
    bounds: &Aabb,
    origin: &impl Origin,
) -> Option<i64> {
    let ray = Ray::out_of(bounds, origin);
    let mut exact_tests = 0;
    let winding = triangles.try_fold(0, |sum, t| {
        if !Aabb::of(t).meets(&ray.bounds) {
            return Some(sum);
        }
        exact_tests += 1;
        Some(sum + ray.crossing(origin, &t)?)
    });
    count(Work { exact_tests, ..Work::NONE });
    winding
}

/// A ray along an axis.
struct Ray {
    /// The projection along the axis.
    projection: Projection,
    /// Greater if the ray goes up along the axis, less if it goes down.
    ahead: Sign,
    /// A box that contains the ray as far as the end of the surface's box.
    bounds: Aabb,
}

impl Ray {
    /// Returns the shortest way from a point out of a box: it crosses the fewest triangles.
    fn out_of(&Aabb { lo, hi }: &Aabb, origin: &impl Origin) -> Self {
        let (p, error) = (origin.approximate(), origin.error());
        let (up, down) = (hi - p, p - lo);
        let axis = up.min(down).min_position();
        let ahead = if up[axis] <= down[axis] { Greater } else { Less };
        let mut bounds = Aabb { lo: p - error, hi: p + error };
        match ahead {
            Greater => bounds.hi[axis] = bounds.hi[axis].max(hi[axis]),
            _ => bounds.lo[axis] = bounds.lo[axis].min(lo[axis]),
        }
        Self { projection: Projection::ALL[axis], ahead, bounds }
    }

    /// Returns +1 or -1 if the ray crosses the triangle out of or into its back side, 0 if it misses, and
    /// `None` if its origin is on the triangle.
    fn crossing(&self, origin: &impl Origin, t: &Triangle) -> Option<i64> {
        let Self { projection, ahead, .. } = *self;
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
        // The triangle is above the point if the point lies behind its face and the face is an upper one, or
        // in front of its face and the face is a lower one.
        match origin.side(t) {
            Equal => None,
            side if (side == orientation) == (ahead == Less) => {
                Some(if orientation == ahead { 1 } else { -1 })
            }
            _ => Some(0),
        }
    }
}
