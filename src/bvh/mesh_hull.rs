//! The convex hull of a mesh at a pose: a filter before the search of trees.
//!
//! The walk over [closest features](closefit_geometry::hull::closest_features) only proposes a direction.
//! The proof is the gap along it between all vertices of both hulls, less two errors: the rounding of the
//! gap, and the distance of posed vertices from the places of their normal coordinates.

use std::sync::OnceLock;

use glam::{DAffine3, DMat3, DVec3};

use super::apart::Apart;
use super::largest_coordinate;
use super::placement::{FrameMap, Placement, gain, is_similarity};
use super::wide_topology::NormalFrame;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::executor::Executor;
use closefit_geometry::hull::closest_features::{HullWork, Outcome, Placed, gap};
use closefit_geometry::hull::polytope::{Feature, Polytope};
use closefit_geometry::hull::red_features::RedFeatures;
use closefit_geometry::math::error_bounds::{QUOTIENT, SUPPORT};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;

/// The most pairs of triangles at two red features that are settled.
const MOST_SETTLED: usize = 64;

/// The convex hull of a mesh, in normal coordinates.
///
/// Closest features depend on the shape as it is posed, so a pose with shear or uneven scale needs a hull
/// of its own.
#[derive(Clone, Debug)]
pub struct MeshHull {
    polytope: Polytope,
    frame: NormalFrame,
    /// The linear part that the normal coordinates include.
    own: Option<DMat3>,
    largest_coordinate: f64,
    /// The red features, found on first use.
    red: OnceLock<Option<RedFeatures>>,
}

impl MeshHull {
    /// True when poses with this linear part need a hull of their own.
    pub fn is_built_for(linear: &DMat3) -> bool {
        !is_similarity(linear)
    }

    /// Builds the hull for similarities, or for poses with the given linear part. Returns `None` if it cannot
    /// be built: see [`Polytope::of`].
    pub fn of(mesh: &Mesh, own: Option<DMat3>) -> Option<Self> {
        let mapped = mesh.moved(|v| own.map_or(v, |linear| linear * v));
        let frame = NormalFrame::of(Aabb::of(mapped.vertices().iter().copied()));
        let polytope = Polytope::of(mapped.moved(|v| frame.enter(v)).vertices())?;
        let largest_coordinate = largest_coordinate(mesh.vertices());
        Some(Self { polytope, frame, own, largest_coordinate, red: OnceLock::new() })
    }

    /// Returns the red features of the hull, with the triangles of the mesh that it was built of.
    pub fn red(&self, mesh: &Mesh) -> Option<&RedFeatures> {
        let enter = |v: DVec3| self.frame.enter(self.own.map_or(v, |linear| linear * v));
        let find = || RedFeatures::of(mesh.moved(enter));
        self.red.get_or_init(find).as_ref()
    }

    /// Returns the hull at a pose.
    pub fn at(&self, pose: &Pose) -> PosedHull<'_> {
        let placement = Placement::new(&self.frame, self.own.as_ref(), self.largest_coordinate, pose);
        PosedHull { polytope: &self.polytope, placement }
    }

    /// Returns the hull in normal coordinates.
    pub fn polytope(&self) -> &Polytope {
        &self.polytope
    }

    /// Returns the memory in bytes.
    pub fn bytes(&self) -> usize {
        self.polytope.bytes() + self.red.get().and_then(Option::as_ref).map_or(0, RedFeatures::bytes)
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

/// Memory from one question about two hulls to the next: always the same two, in the same order. No answer
/// depends on it.
#[derive(Clone, Copy, Debug, Default)]
pub struct HullMemory {
    /// The features at which the last walk ended, where the next one starts.
    features: Option<[Feature; 2]>,
    /// The distance that was proven last.
    apart: Option<Apart>,
}

impl HullMemory {
    /// Returns the features at which the last walk ended.
    pub fn features(&self) -> Option<[Feature; 2]> {
        self.features
    }

    /// True only if the distance of two posed meshes is proven to exceed `reach`. Nothing is done as long as
    /// the meshes have not moved by as much as the last proven distance exceeds it.
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

/// The outcome of one walk.
#[derive(Clone, Copy, Debug)]
pub struct Separation {
    /// A proven lower bound of the distance of two posed meshes; minus infinity if nothing is proven.
    pub at_least: f64,
    /// The features at which the walk ended.
    pub features: Option<[Feature; 2]>,
}

impl Separation {
    /// Walks from the extreme vertices of two hulls.
    pub fn of(hulls @ [a, b]: [&PosedHull; 2], executor: Executor, work: &mut HullWork) -> Self {
        let mut features = None;
        let a_from_b = FrameMap::new(&b.placement, &a.placement);
        let at_least = a_from_b
            .map_or(f64::NEG_INFINITY, |a_from_b| proven(hulls, a_from_b, &mut features, executor, work));
        Self { at_least, features }
    }
}

/// Returns pairs of triangles at two features if both are red, to be settled before a search: see
/// [`RedFeatures::triangles`].
pub fn red_pairs<'a>(
    hulls: [(&Polytope, &'a RedFeatures); 2],
    features: [Feature; 2],
    work: &mut HullWork,
) -> impl Iterator<Item = [u32; 2]> + use<'a> {
    let [a, b] = [0, 1].map(|side| hulls[side].1.triangles(hulls[side].0, features[side]));
    match [a, b].iter().filter(|triangles| !triangles.is_empty()).count() {
        2 => work.red_red += 1,
        1 => work.red_green += 1,
        _ => work.green_green += 1,
    }
    let pairs = a.iter().flat_map(|&t| b.iter().map(move |&u| [t, u])).take(MOST_SETTLED);
    work.settled += (a.len() * b.len()).min(MOST_SETTLED) as u64;
    pairs
}

/// Returns [`red_pairs`] of the hulls of two meshes; none where a mesh has no red features.
pub fn red_pairs_of<'a>(
    hulls: [&'a MeshHull; 2],
    meshes: [&Mesh; 2],
    features: [Feature; 2],
    work: &mut HullWork,
) -> impl Iterator<Item = [u32; 2]> + use<'a> {
    let red = |side: usize| Some((hulls[side].polytope(), hulls[side].red(meshes[side])?));
    let both = red(0).zip(red(1));
    both.map(|(a, b)| red_pairs([a, b], features, work)).into_iter().flatten()
}

/// Returns [`Separation::at_least`]. The walk starts from the given features, if there are some, and leaves
/// those it ends at.
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

/// Returns the gap along a world direction of about unit length, less the rounding; minus infinity if there
/// is none.
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
