//! The convex hull of a mesh at a pose: a filter before the search of trees.
//!
//! The walk over [closest features](crate::hull::closest_features) only proposes a direction. What proves is the gap along
//! it between all vertices of both hulls, less the rounding: that of the gap, and that by which posed vertices are off the
//! places of their normal coordinates.

use glam::{DAffine3, DMat3, DVec3};

use super::apart::Apart;
use super::largest_coordinate;
use super::placement::{FrameMap, Placement, gain, is_similarity};
use super::wide_topology::NormalFrame;
use crate::bounds::aabb::Aabb;
use crate::executor::Executor;
use crate::hull::closest_features::{HullWork, Outcome, Placed, gap};
use crate::hull::polytope::{Feature, Polytope};
use crate::math::error_bounds::{QUOTIENT, SUPPORT};
use crate::math::pose::Pose;
use crate::mesh::Mesh;

/// The convex hull of a mesh, in normal coordinates.
///
/// Closest features are those of the shape as it is posed, so a pose with shear or uneven scale needs a hull of its own.
#[derive(Clone, Debug)]
pub struct MeshHull {
    polytope: Polytope,
    frame: NormalFrame,
    /// The linear part that the normal coordinates include.
    own: Option<DMat3>,
    largest_coordinate: f64,
}

impl MeshHull {
    /// True when poses with this linear part need a hull of their own.
    pub fn is_built_for(linear: &DMat3) -> bool {
        !is_similarity(linear)
    }

    /// Builds the hull for similarities, or for poses with the given linear part. Returns `None` if it cannot be built:
    /// see [`Polytope::of`].
    pub fn of(mesh: &Mesh, own: Option<DMat3>) -> Option<Self> {
        let vertices = mesh.vertices();
        let placed: Vec<DVec3> = vertices.iter().map(|&v| own.map_or(v, |linear| linear * v)).collect();
        let frame = NormalFrame::of(Aabb::of(placed.iter().copied()));
        let polytope = Polytope::of(&placed.iter().map(|&v| frame.enter(v)).collect::<Vec<_>>())?;
        let largest_coordinate = largest_coordinate(vertices);
        Some(Self { polytope, frame, own, largest_coordinate })
    }

    /// Returns the hull at a pose.
    pub fn at(&self, pose: &Pose) -> PosedHull<'_> {
        let placement = Placement::new(&self.frame, self.own.as_ref(), self.largest_coordinate, pose);
        PosedHull { polytope: &self.polytope, placement }
    }

    /// Returns the memory in bytes.
    pub fn bytes(&self) -> usize {
        self.polytope.bytes()
    }
}

/// A hull at a pose.
#[derive(Clone, Copy, Debug)]
pub struct PosedHull<'a> {
    /// The hull in normal coordinates, which are at most 1.
    pub polytope: &'a Polytope,
    /// The place of these coordinates in the world.
    pub placement: Placement,
}

impl PosedHull<'_> {
    /// Returns the world-aligned box of the extreme vertices, which contains all posed vertices of the mesh.
    pub fn bounds(&self, executor: Executor) -> Aabb {
        let Placement { linear, origin, error, .. } = self.placement;
        let slack = SUPPORT * (gain(&linear) + origin.abs().max_element()) + error;
        let axes = linear.transpose();
        let reach = |along: DVec3| self.polytope.reach(along, executor) + slack;
        let [x, y, z] = [axes.x_axis, axes.y_axis, axes.z_axis].map(|along| [reach(along), reach(-along)]);
        Aabb { lo: origin - DVec3::new(x[1], y[1], z[1]), hi: origin + DVec3::new(x[0], y[0], z[0]) }
    }
}

/// Memory from one question about two hulls to the next: always the same two, in the same order. No answer depends on it.
#[derive(Clone, Copy, Debug, Default)]
pub struct HullMemory {
    /// The features at which the last walk ended, where the next one starts.
    features: Option<[Feature; 2]>,
    /// The distance that was proven last.
    apart: Option<Apart>,
}

impl HullMemory {
    /// True only if the distance of two posed meshes is proven to exceed `reach`. Nothing is done as long as the meshes have
    /// not moved by as much as the last proven distance exceeds it.
    pub fn are_farther(
        &mut self,
        hulls @ [a, b]: [&PosedHull; 2],
        reach: f64,
        executor: Executor,
        work: &mut HullWork,
    ) -> bool {
        let Some(a_from_b) = FrameMap::new(&b.placement, &a.placement) else { return false };
        if self.apart.is_some_and(|apart| apart.distance(&a_from_b, &a.placement) > reach) {
            work.kept += 1;
            return true;
        }
        let distance = proven(hulls, a_from_b, &mut self.features, executor, work);
        self.apart = (distance > 0.0).then(|| Apart::new(distance, a_from_b, &a.placement));
        let is_farther = distance > reach;
        work.proven += u64::from(is_farther);
        is_farther
    }
}

/// Returns a proven lower bound of the distance of two posed meshes; minus infinity if nothing is proven.
pub fn separation(hulls @ [a, b]: [&PosedHull; 2], executor: Executor, work: &mut HullWork) -> f64 {
    let a_from_b = FrameMap::new(&b.placement, &a.placement);
    a_from_b.map_or(f64::NEG_INFINITY, |a_from_b| proven(hulls, a_from_b, &mut None, executor, work))
}

/// Returns [`separation`]. The walk starts from the given features, if there are some, and leaves those it ends at.
fn proven(
    hulls @ [a, b]: [&PosedHull; 2],
    a_from_b: FrameMap,
    features: &mut Option<[Feature; 2]>,
    executor: Executor,
    work: &mut HullWork,
) -> f64 {
    let Some(b_from_a) = FrameMap::new(&a.placement, &b.placement) else { return f64::NEG_INFINITY };
    let affine = |map: FrameMap| DAffine3 { matrix3: map.linear, translation: map.shift };
    let placed = Placed::new(hulls.map(|hull| hull.polytope), affine(a_from_b), affine(b_from_a));
    let (found, points) = match placed.walk(*features, work) {
        Outcome::Apart { features, points } => (Some(features), Some(points)),
        Outcome::Meet { features } => (Some(features), None),
        Outcome::Unknown => (None, None),
    };
    *features = found;
    let Some([p, q]) = points else { return f64::NEG_INFINITY };
    let direction = a.placement.linear * ((q - p).normalize() / a.placement.scale);
    gap_along(hulls, direction, executor, work)
}

/// Returns the gap along a world direction of about unit length, less the rounding; minus infinity if there is none.
fn gap_along([a, b]: [&PosedHull; 2], n: DVec3, executor: Executor, work: &mut HullWork) -> f64 {
    let [place_a, place_b] = [&a.placement, &b.placement];
    let along = [place_a, place_b].map(|place| place.linear.transpose() * n);
    let origins = place_b.origin - place_a.origin;
    let gap = gap([a.polytope, b.polytope], along, executor, work) + n.dot(origins);
    let size = gain(&place_a.linear) + gain(&place_b.linear) + origins.abs().max_element();
    let slack = SUPPORT * size + (place_a.error + place_b.error);
    let bound = gap / n.length() * (1.0 - QUOTIENT) - slack;
    // Overflow or NaN proves nothing.
    if gap > 0.0 && bound < f64::INFINITY { bound } else { f64::NEG_INFINITY }
}
