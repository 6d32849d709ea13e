//! The region in which two posed meshes can be in contact: a convex body that is proven to contain the
//! intersection of their hulls (Ponamgi, Manocha and Lin 1995, section 4.4).
//!
//! A contact is a convex combination of the posed vertices of either mesh. So for any split of a direction `d
//! = u + v` it reaches no farther along `d` than the vertices of the first mesh along `u` plus the vertices
//! of the second along `v`. [`Intersection::split`] proposes splits; `u = d` and `v = d` are the extents of
//! the meshes themselves. What is within `reach` of the other mesh lies farther out by at most `reach |v|` in
//! the first mesh, and `reach |u|` in the second.
//!
//! The vertices of the hulls prove it at the poses as they are, sheared or mirrored, less the rounding
//! (`error_bounds::SUPPORT`, and the error of posed vertices).

mod few;

use glam::{DAffine3, DVec3};

use super::mesh_hull::PosedHull;
use super::placement::{FrameMap, gain};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::executor::Executor;
use closefit_geometry::hull::contact_region::{Intersection, RegionWork};
use closefit_geometry::math::Triangle;
use closefit_geometry::math::directions::{directions, vector};
use closefit_geometry::math::error_bounds::{QUOTIENT, SUPPORT, UNIT};
pub use few::Few;

/// The directions of the region's planes: the axes, and the diagonals of a cube and of its faces.
pub const DIRECTIONS: [[i8; 3]; 13] = directions();

/// A split of a direction, and how far all points of both meshes reach along it at most.
#[derive(Clone, Copy, Debug)]
struct Split {
    /// Bound of `d . (x - origin)`.
    most: f64,
    /// Bounds of the lengths of `u` and `v`.
    lengths: [f64; 2],
}

/// The proven region of two posed meshes.
#[derive(Clone, Debug)]
pub struct ContactRegion {
    origin: DVec3,
    /// `splits[d][sign]`: the best split found, `u = d` (the extent of a), and `v = d` (the extent of b).
    splits: [[[Split; 3]; 2]; DIRECTIONS.len()],
}

impl ContactRegion {
    /// Finds the region of two posed meshes. Returns `None` if their sizes or places are too unlike for the
    /// frame of one to be seen from the other's, or if bounds overflow.
    pub fn of([a, b]: [&PosedHull; 2], executor: Executor, work: &mut RegionWork) -> Option<Self> {
        work.tried += 1;
        let map = FrameMap::new(&a.placement, &b.placement)?;
        let b_from_a = DAffine3 { matrix3: map.linear, translation: map.shift };
        let intersection = Intersection::new([a.polytope, b.polytope], b_from_a);
        let linear = a.placement.linear;
        let back = linear.inverse().transpose();
        let splits = DIRECTIONS.map(|direction| {
            let direction = vector(direction);
            [direction, -direction].map(|d| {
                let seen = linear.transpose() * d;
                let length = seen.length();
                let u = back * (intersection.split(seen / length, work) * length);
                [[u, d - u], [d, DVec3::ZERO], [DVec3::ZERO, d]].map(|of| bounded([a, b], of, executor))
            })
        });
        let is_finite = splits.iter().flatten().flatten().all(|split| split.most.is_finite());
        is_finite.then(|| {
            work.found += 1;
            Self { origin: a.placement.origin, splits }
        })
    }

    /// Returns a body that contains every point of a mesh (0 or 1) within `reach` of the other mesh.
    /// `reach` is finite.
    pub fn clip(&self, side: usize, reach: f64) -> Clip {
        let most = |splits: &[Split; 3]| {
            let out = |split: &Split| {
                let away = split.lengths[1 - side] * reach;
                (split.most + away + QUOTIENT * (split.most.abs() + away)).next_up()
            };
            splits.iter().map(out).fold(f64::INFINITY, f64::min)
        };
        Clip { origin: self.origin, most: self.splits.each_ref().map(|of| of.each_ref().map(most)) }
    }
}

/// Proves how far the points of both meshes reach along `u + v`.
///
/// Directions take 3 roundings to be mapped, vertices 3 to be projected; `v` is rounded once if it is a
/// difference. See [`SUPPORT`], whose unit is that of the longer direction here.
fn bounded([a, b]: [&PosedHull; 2], [u, v]: [DVec3; 2], executor: Executor) -> Split {
    let [place_a, place_b] = [&a.placement, &b.placement];
    let farthest =
        |hull: &PosedHull, n: DVec3| hull.polytope.reach(hull.placement.linear.transpose() * n, executor);
    let between = place_b.origin - place_a.origin;
    let lengths = [u, v].map(|n| n.length() * (1.0 + QUOTIENT));
    let size = gain(&place_a.linear) + gain(&place_b.linear) + between.abs().max_element();
    let slack = SUPPORT * (lengths[0] + lengths[1]) * size
        + (lengths[0] * place_a.error + lengths[1] * place_b.error);
    Split { most: farthest(a, u) + farthest(b, v) + v.dot(between) + slack * (1.0 + QUOTIENT), lengths }
}

/// A convex body between planes.
#[derive(Clone, Debug)]
pub struct Clip {
    /// A point near the body.
    pub origin: DVec3,
    /// Bounds of `d . (x - origin)` for each of [`DIRECTIONS`] and its opposite.
    pub most: [[f64; 2]; DIRECTIONS.len()],
}

impl Clip {
    /// Returns a box that contains the body.
    pub fn bounds(&self) -> Aabb {
        let axes = |end: usize| DVec3::new(self.most[0][end], self.most[1][end], self.most[2][end]);
        let outwards = |p: DVec3| DVec3::from_array(p.to_array().map(f64::next_up));
        Aabb { lo: -outwards(axes(1) - self.origin), hi: outwards(axes(0) + self.origin) }
    }

    /// True if the body is certainly empty.
    pub fn is_empty(&self) -> bool {
        self.most.iter().any(|[most, opposite]| most + opposite < 0.0)
    }

    /// True only if a triangle lies outside of the body.
    pub fn excludes(&self, corners: &Triangle) -> bool {
        let from = corners.map(|p| p - self.origin);
        // The difference from the origin takes one rounding, and a sum two.
        let slack = 4.0 * UNIT * from.iter().map(|p| p.abs().element_sum()).fold(0.0, f64::max);
        DIRECTIONS.iter().zip(&self.most).any(|(direction, [most, opposite])| {
            let d = vector(*direction);
            let [p, q, r] = from.map(|p| d.dot(p));
            p.min(q).min(r) - slack > *most || -p.max(q).max(r) - slack > *opposite
        })
    }
}
