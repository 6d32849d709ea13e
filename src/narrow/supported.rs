//! The closest triangles of two meshes of few vertices, proven by the vertices alone.
//!
//! Let n be the vector between the closest points of the hulls of all vertices, as f64 finds it. All heights
//! are measured along n. Suppose that the gap between the two meshes along n is |n| within an error e; all
//! vertices within e of its ends are level. Let S be the differences of the level vertices of a triangle of
//! each mesh, m the height of the lowest vertex that is not level, and D a bound of how far any difference of
//! vertices is from n.
//!
//! - Let the hull of S be at least r from n. If lower vertices have the share s in a difference of two points
//!   of the triangles, it is s m beyond the plane and (1 - s) r - s D aside from n. One or the other is at
//!   least d = m r / (m + r + D). The distance of these triangles is then at least the root of |n|^2 + d^2,
//!   up to e. If d is large enough, it exceeds the distance of the meshes even once both are rounded.
//! - Otherwise, let the hull of S be at most r from n. Its point p that is closest to the origin has |p - n|
//!   <= 2 r + 4 sqrt(|n| e), since the squared distance from the origin grows in a convex set by the squared
//!   distance from the closest point. If the lower vertices are lower than the turn from n to p can lift
//!   them, p is closest for the triangles, too. So all pairs of triangles with the same level vertices are
//!   equally close, exactly, and only the first of them is measured.
//!
//! Both hold without convexity. Meshes that face each other with many vertices are left to the search of
//! trees.

use glam::DVec3;

use super::{Closest, Nearest, Work};
use closefit_geometry::exact::distance::distance_apart;
use closefit_geometry::hull::gjk;
use closefit_geometry::math::error_bounds::HULLS_APART;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::math::{Triangle, ascending_coordinates};

/// Largest number of vertices of a mesh: a set of them is the bits of a number.
pub const MOST_VERTICES: usize = 64;

/// Largest number of sets of level vertices of a mesh's triangles, and of pairs of such sets that are
/// measured: with more, a search of trees is faster.
const MOST_SETS: usize = 16;

/// A mesh of few vertices at a pose.
#[derive(Clone, Copy, Debug)]
pub struct FewVertices<'a> {
    /// Its vertices, in its own frame: at most [`MOST_VERTICES`].
    pub vertices: &'a [DVec3],
    /// The corners of its triangles, as indices of vertices.
    pub corners: &'a [[u32; 3]],
    /// The indices of these triangles in the mesh.
    pub triangles: &'a [u32],
    /// Its pose.
    pub pose: Pose,
}

/// Returns the closest pair of triangles, if it is proven, or `Some(None)` if all are proven farther apart
/// than `bound`. Otherwise, also where the meshes meet, returns `None`.
pub fn nearest(meshes: [FewVertices; 2], bound: f64, work: &mut Work) -> Option<Option<Nearest>> {
    let mut room = [[DVec3::ZERO; MOST_VERTICES]; 2];
    let [room_a, room_b] = &mut room;
    let origin = meshes[0].pose.apply(meshes[0].vertices[0]);
    let mut reach = 0f64;
    let mut posed = |mesh: &FewVertices, room: &mut [DVec3; MOST_VERTICES]| {
        for (place, vertex) in room.iter_mut().zip(mesh.vertices) {
            *place = mesh.pose.apply(*vertex) - origin;
            reach = reach.max(place.abs().max_element());
        }
    };
    posed(&meshes[0], room_a);
    posed(&meshes[1], room_b);
    let sides = [&room_a[..meshes[0].vertices.len()], &room_b[..meshes[1].vertices.len()]];
    let hulls = Hulls::of(sides, reach)?;
    if hulls.gap > bound {
        return Some(None);
    }
    let mut closest = Closest::within(bound);
    let mut pairs = Few::<_, MOST_SETS>::default();
    hulls.closest_sets(meshes.map(|mesh| mesh.corners), &mut pairs)?;
    for &sets in pairs.items() {
        let [(ta, a), (tb, b)] = [0, 1].map(|side| first_with(&meshes[side], sets[side], hulls.level[side]));
        *work += Work::exact(1);
        closest.offer(Nearest { distance: distance_apart(&a, &b), triangles: [ta, tb] }, [&a, &b]);
    }
    Some(closest.nearest())
}

/// Returns the first triangle, by its corners and then by its index, with some level vertices, and its posed
/// corners.
fn first_with(mesh: &FewVertices, set: u64, level: u64) -> (u32, Triangle) {
    let mut first: Option<([[f64; 3]; 3], u32, Triangle)> = None;
    for (corners, &triangle) in mesh.corners.iter().zip(mesh.triangles) {
        if set_of(corners) & level == set {
            let posed = corners.map(|v| mesh.pose.apply(mesh.vertices[v as usize]));
            let place = ascending_coordinates(&posed);
            if first.is_none_or(|(before, index, _)| (place, triangle) < (before, index)) {
                first = Some((place, triangle, posed));
            }
        }
    }
    let (_, triangle, posed) = first.expect("each set belongs to a triangle");
    (triangle, posed)
}

/// Items, up to a number.
pub(super) struct Few<T, const MOST: usize> {
    items: [T; MOST],
    count: usize,
}

impl<T: Copy + Default, const MOST: usize> Default for Few<T, MOST> {
    fn default() -> Self {
        Self { items: [T::default(); MOST], count: 0 }
    }
}

impl<T, const MOST: usize> Few<T, MOST> {
    pub fn items(&self) -> &[T] {
        &self.items[..self.count]
    }

    /// Adds an item, if there is room.
    pub fn push(&mut self, item: T) -> Option<()> {
        *self.items.get_mut(self.count)? = item;
        self.count += 1;
        Some(())
    }
}

/// Returns a set of vertices as the bits of a number.
pub(super) fn set_of(vertices: &[u32]) -> u64 {
    vertices.iter().fold(0, |set, vertex| set | 1 << vertex)
}

/// Calls `visit` with each vertex of a set.
fn each(mut set: u64, mut visit: impl FnMut(usize)) {
    while set != 0 {
        visit(set.trailing_zeros() as usize);
        set &= set - 1;
    }
}

/// The hulls of two sets of vertices that are apart, and what the gap between them shows.
struct Hulls<'a> {
    sides: [&'a [DVec3]; 2],
    /// The vector n between the closest points, and its length.
    offset: DVec3,
    length: f64,
    /// A lower bound of the distance of the hulls.
    gap: f64,
    /// The error e: 4 times this, by [`HULLS_APART`].
    error: f64,
    /// The sets of level vertices.
    level: [u64; 2],
    /// A lower bound of m; infinity if all vertices are level.
    margin: f64,
    /// An upper bound of D.
    spread: f64,
}

impl<'a> Hulls<'a> {
    fn of(sides: [&'a [DVec3]; 2], reach: f64) -> Option<Self> {
        let simplex = gjk::closest(sides[0], sides[1])?;
        let mut ends = [DVec3::ZERO; 2];
        for corner in simplex.corners() {
            for (side, end) in ends.iter_mut().enumerate() {
                *end += sides[side][corner.points[side] as usize] * corner.share;
            }
        }
        let offset = ends[1] - ends[0];
        let (length, error) = (offset.length(), HULLS_APART * reach);
        let (gap, level, margin, spread) = (-error, [0; 2], f64::INFINITY, 0.0);
        let mut hulls = Self { sides, offset, length, gap, error, level, margin, spread };
        let way = offset / length;
        hulls.gap += hulls.measure(0, -way, ends[0]) + hulls.measure(1, way, ends[1]);
        // Where the error is not small compared with the distance, nothing is proven.
        (length > 64.0 * error && hulls.gap > length - 4.0 * error).then_some(hulls)
    }

    /// Adds one side's level vertices, margin and spread, and returns its least height. Heights are measured
    /// away from the other side.
    fn measure(&mut self, side: usize, out: DVec3, end: DVec3) -> f64 {
        let points = self.sides[side];
        let mut heights = [0.0; MOST_VERTICES];
        let (mut least, mut farthest) = (f64::INFINITY, 0f64);
        for (height, point) in heights.iter_mut().zip(points) {
            *height = out.dot(*point);
            least = least.min(*height);
            farthest = farthest.max((*point - end).length_squared());
        }
        for (vertex, height) in heights[..points.len()].iter().enumerate() {
            let above = height - least;
            if above <= 4.0 * self.error {
                self.level[side] |= 1 << vertex;
            } else {
                self.margin = self.margin.min(above - self.error);
            }
        }
        self.spread += farthest.sqrt() + self.error;
        least
    }

    /// Collects the pairs of sets of level vertices whose triangles may be the closest. Returns `None` if
    /// there are too many, or nothing is proven.
    fn closest_sets(&self, corners: [&[[u32; 3]]; 2], pairs: &mut Few<[u64; 2], MOST_SETS>) -> Option<()> {
        // Faces that face each other, or an edge: most of their triangles are nearly as close.
        let [a, b] = self.level.map(u64::count_ones);
        let are_many = a.min(b) > 1 && a.max(b) > 2;
        // Triangles without level vertices must be farther apart, even once distances are rounded.
        let is_sharp = self.margin > 32.0 * self.error + self.length / (1u64 << 36) as f64;
        if are_many || !is_sharp {
            return None;
        }
        let mut sets: [Few<u64, MOST_SETS>; 2] = Default::default();
        for (side, sets) in sets.iter_mut().enumerate() {
            for triangle in corners[side] {
                let set = set_of(triangle) & self.level[side];
                if set != 0 && !sets.items().contains(&set) {
                    sets.push(set)?;
                }
            }
        }
        let mut least = f64::INFINITY;
        for &a in sets[0].items() {
            for &b in sets[1].items() {
                let [at_least, at_most] = self.aside([a, b]);
                if self.is_farther(at_least) {
                    continue;
                }
                if !self.is_closest(at_most) {
                    return None;
                }
                pairs.push([a, b])?;
                least = least.min(at_most);
            }
        }
        // Where the closest points lie on no triangle, other pairs may be closer than these.
        (least * least <= 16.0 * self.length * self.error + self.least_square()).then_some(())
    }

    /// Returns the square of a length aside from n that matters once distances are rounded.
    fn least_square(&self) -> f64 {
        self.length * self.length / (1u64 << 37) as f64
    }

    /// True if triangles whose level vertices are at least this far aside are farther apart, even once
    /// distances are rounded.
    fn is_farther(&self, aside: f64) -> bool {
        let Self { length, error, margin, spread, .. } = *self;
        let farther = if margin < f64::INFINITY { margin * aside / (margin + aside + spread) } else { aside };
        farther * farther > 64.0 * length * error + 2.0 * self.least_square()
    }

    /// True if level vertices at most this far aside hold the closest points of their triangles.
    fn is_closest(&self, aside: f64) -> bool {
        let Self { length, error, margin, spread, .. } = *self;
        let turned = 2.0 * aside + 8.0 * (length * error).sqrt();
        margin > 16.0 * error + (spread + turned) * turned / length
    }

    /// Returns a lower and an upper bound of how far from n the hull of the differences of some level
    /// vertices is.
    fn aside(&self, sets: [u64; 2]) -> [f64; 2] {
        // A triangle has three.
        let (mut differences, mut count) = ([DVec3::ZERO; 9], 0);
        each(sets[1], |b| {
            each(sets[0], |a| {
                differences[count] = self.sides[1][b] - self.sides[0][a] - self.offset;
                count += 1;
            });
        });
        let differences = &differences[..count];
        let Some(simplex) = gjk::closest(&[DVec3::ZERO], differences) else { return [0.0, f64::INFINITY] };
        let way: DVec3 = simplex
            .corners()
            .iter()
            .map(|corner| differences[corner.points[1] as usize] * corner.share)
            .sum();
        let heights = differences.iter().map(|difference| difference.dot(way));
        // Level vertices may be 5 errors beyond the plane through n, so a bound in space is one in the plane.
        let least = heights.fold(f64::INFINITY, f64::min) / way.length() - 16.0 * self.error;
        [if least > 0.0 { least } else { 0.0 }, way.length() + 16.0 * self.error]
    }
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;
    use closefit_geometry::exact::distance::distance;
    use closefit_geometry::mesh::Mesh;

    /// Compares what is proven of two meshes, within several bounds, with the closest of all pairs of
    /// triangles. Returns if the meshes are apart, and if anything is proven without a bound.
    pub fn compared(
        case: u32,
        meshes: &[Mesh; 2],
        poses: [Pose; 2],
        within: impl Fn([FewVertices; 2], f64) -> Option<Option<Nearest>>,
    ) -> [bool; 2] {
        let indices = [0, 1].map(|side| (0..meshes[side].triangles().len() as u32).collect::<Vec<_>>());
        let few = [0, 1].map(|side| FewVertices {
            vertices: meshes[side].vertices(),
            corners: meshes[side].triangles(),
            triangles: &indices[side],
            pose: poses[side],
        });
        let posed = [0, 1].map(|side: usize| -> Vec<Triangle> {
            let corners = indices[side].iter().map(|&t| meshes[side].corners(t));
            corners.map(|corners| corners.map(|v| poses[side].apply(v))).collect()
        });
        let mut closest = Closest::within(f64::INFINITY);
        for (i, a) in (0..).zip(&posed[0]) {
            for (j, b) in (0..).zip(&posed[1]) {
                closest.offer(Nearest { distance: distance(a, b), triangles: [i, j] }, [a, b]);
            }
        }
        let expected = closest.nearest().expect("meshes have triangles");
        let found = within(few, f64::INFINITY);
        assert!(found.is_none_or(|found| found == Some(expected)), "{case}: {found:?}, not {expected:?}");
        for closer in [expected.distance * 0.99, expected.distance.next_down()] {
            assert!(within(few, closer).is_none_or(|found| found.is_none()), "{case}");
        }
        assert!(within(few, expected.distance).is_none_or(|found| found == Some(expected)), "{case}");
        [expected.distance > 0.0, found.is_some()]
    }
}

#[cfg(test)]
mod tests {
    use super::testing::compared;
    use super::*;
    use closefit_geometry::math::testing::{Stream, cases, pose_of};
    use closefit_geometry::mesh::Mesh;
    use glam::DMat3;

    /// Returns a mesh of few vertices: a box, a prism of some sides, a roof, or some triangles. Some of
    /// these share corners or are degenerate.
    fn mesh(random: &mut Stream) -> Mesh {
        let size = random.point() + DVec3::splat(1.5);
        let (points, triangles): (Vec<DVec3>, Vec<[u32; 3]>) = match random.below(4) {
            0 | 1 => {
                let sides = if random.below(2) == 0 { 4 } else { 3 + random.below(9) as u32 };
                let ring = |z: f64| {
                    (0..sides).map(move |k| {
                        let (sin, cos) =
                            libm::sincos(f64::from(k) / f64::from(sides) * std::f64::consts::TAU);
                        DVec3::new(cos, sin, z) * size
                    })
                };
                let around = (0..sides).flat_map(|k| {
                    let next = (k + 1) % sides;
                    [[k, next, k + sides], [next, next + sides, k + sides]]
                });
                let caps = (1..sides - 1).flat_map(|k| [[0, k + 1, k], [sides, sides + k, sides + k + 1]]);
                (ring(-1.0).chain(ring(1.0)).collect(), around.chain(caps).collect())
            }
            2 => {
                let points = (0..8)
                    .map(|k| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2)) * size);
                let faces =
                    [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
                (points.collect(), faces.iter().flat_map(|&[p, q, r, s]| [[p, q, r], [p, r, s]]).collect())
            }
            _ => {
                let points = (0..3 + random.below(6)).map(|_| {
                    if random.below(4) == 0 {
                        DVec3::from_array([0; 3].map(|_| random.below(3) as f64))
                    } else {
                        random.point() * size
                    }
                });
                let points: Vec<DVec3> = points.collect();
                let count = points.len() as u64;
                let triangles = (0..1 + random.below(8)).map(|_| [0; 3].map(|_| random.below(count) as u32));
                (points, triangles.collect())
            }
        };
        Mesh::new(&points, &triangles).expect("a valid mesh")
    }

    #[test]
    fn what_is_proven_is_the_closest_of_all_pairs() {
        let mut random = Stream(11);
        let (mut apart, mut proven) = (0u32, 0u32);
        for case in 0..cases(3000) {
            let meshes = [mesh(&mut random), mesh(&mut random)];
            let unit = libm::ldexp(1.0, random.pick(&[0, 0, 0, -40, 60]));
            // Turned by little or nothing, faces and edges are parallel, or nearly so.
            let turn = |random: &mut Stream| match random.below(3) {
                0 => DMat3::IDENTITY,
                1 => {
                    let skew = random.point().normalize();
                    let axis = random.pick(&[DVec3::X, DVec3::Y, DVec3::Z, skew]);
                    DMat3::from_axis_angle(axis, libm::ldexp(random.signed(), -(random.below(60) as i32)))
                }
                _ => random.f32_rotations(1),
            };
            let far = if random.below(4) == 0 { random.point() * 1e6 } else { DVec3::ZERO };
            let way = if random.below(2) == 0 { random.pick(&[DVec3::X, DVec3::Z]) } else { DVec3::ONE };
            let (near, by) = (random.point() * 0.2, random.point() * random.pick(&[1.0, 2.0, 10.0]));
            let away = (near + way * 3.0) * by;
            let poses = [DVec3::ZERO, away].map(|at| pose_of(&(turn(&mut random) * unit), (at + far) * unit));
            let [is_apart, is_proven] =
                compared(case, &meshes, poses, |meshes, bound| nearest(meshes, bound, &mut Work::default()));
            apart += u32::from(is_apart);
            proven += u32::from(is_proven);
        }
        assert!(2 * proven > apart, "only {proven} of {apart} are proven");
        eprintln!("{proven} of {apart} are proven");
    }

    /// Returns the answer for two meshes at the identity.
    fn of(a: (&[DVec3], &[[u32; 3]]), b: (&[DVec3], &[[u32; 3]])) -> Option<Nearest> {
        let pose = pose_of(&DMat3::IDENTITY, DVec3::ZERO);
        let few =
            [a, b].map(|(vertices, corners)| FewVertices { vertices, corners, triangles: &[0, 1], pose });
        nearest(few, f64::INFINITY, &mut Work::default()).flatten()
    }

    /// A triangle that ends in a point.
    fn spike(at: DVec3) -> [DVec3; 3] {
        [at, at + DVec3::new(0.1, 0.0, 1.0), at + DVec3::new(0.0, 0.1, 1.0)]
    }

    #[test]
    fn pairs_that_are_nearly_as_close_are_measured() {
        // A ridge, and a triangle that shares its end.
        let ridge =
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 1.0, -1.0], [-1.0, 0.5, -1.0], [-1.0, -0.5, -1.0]];
        let (ridge, corners) = (ridge.map(DVec3::from_array), [[0, 1, 2], [0, 3, 4]]);
        let above = |x: f64| of((&ridge, &corners), (&spike(DVec3::new(x, 0.0, 1.0)), &[[0, 1, 2]]));
        assert_eq!(above(0.25), Some(Nearest { distance: 1.0, triangles: [0, 0] }));
        // Rounded, the second is as close, and comes first by its corners.
        assert_eq!(above(1e-9), Some(Nearest { distance: 1.0, triangles: [1, 0] }));
        assert_eq!(above(1e-3), Some(Nearest { distance: 1.0, triangles: [0, 0] }));
    }

    #[test]
    fn a_corner_above_the_seam_of_a_face() {
        let face =
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]].map(DVec3::from_array);
        let above = |x: f64| {
            let spike = spike(DVec3::new(x, 0.5, 1.0));
            of((&face, &[[0, 1, 2], [0, 2, 3]]), (&spike, &[[0, 1, 2]])).map(|found| found.triangles)
        };
        assert_eq!([0.25, 0.5, 0.75].map(above), [Some([1, 0]), Some([1, 0]), Some([0, 0])]);
    }

    #[test]
    fn faces_of_many_corners_prove_nothing() {
        let ring = |z: f64| -> Vec<DVec3> {
            let corner = |k: i32| libm::sincos(f64::from(k) / 20.0 * std::f64::consts::TAU);
            (0..20).map(|k| DVec3::new(corner(k).1, corner(k).0, z)).collect()
        };
        let fan: Vec<[u32; 3]> = (1..19).map(|k| [0, k, k + 1]).collect();
        let sides = [ring(0.0), ring(2.0)];
        let hulls = Hulls::of([&sides[0], &sides[1]], 4.0).expect("they are apart");
        assert_eq!(hulls.level, [(1 << 20) - 1; 2]);
        assert_eq!(hulls.closest_sets([&fan, &fan], &mut Few::default()), None);
    }
}
