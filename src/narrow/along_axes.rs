//! The closest triangles of two meshes of few vertices, where the boxes around both along the axes are as
//! close as the meshes: such as blocks that nobody turned.
//!
//! Let g be the vector between the two boxes; along an axis on which they overlap, it is 0. No two points of
//! the meshes are closer than |g|. A vertex is level if it lies in the faces of its mesh's box that look at
//! the other box across a gap. If hulls of level vertices of two triangles share a point once the gaps are
//! closed, the triangles are |g| apart, exactly. All others are farther apart, as follows.
//!
//! Heights are measured along g. A vertex that is not level is lower than the level ones by m / |g| or more:
//! m is the smallest product of a gap with the way of a vertex from the face there. So is a triangle without
//! level vertices. Let the hulls of the level vertices of two triangles be at least r from each other once
//! the gaps are closed, and D be a bound of how far any difference of vertices is from g. Then the triangles
//! are at least the root of |g|^2 + d^2 apart, with d = M r / (M + r + D) and M = m / |g|, as in
//! [`super::supported`].

use glam::DVec3;

use super::supported::{Few, FewVertices, set_of};
use super::{Closest, Nearest, Work};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::exact::contact::triangles_meet;
use closefit_geometry::exact::distance::{distance_apart, distance_of_points};
use closefit_geometry::math::Triangle;

/// Number of vertices of a block, and largest number of a mesh, such as blocks with a step: room for so
/// many is cleared for each pair.
const OF_BLOCK: usize = 8;
const MOST_VERTICES: usize = 32;

/// Largest number of triangles of both meshes with level vertices.
const MOST_LEVEL: usize = 32;

/// Returns the closest pair of triangles, if it is proven, or `Some(None)` if all are proven farther apart
/// than `bound`. Otherwise, also where the boxes meet, returns `None`.
pub fn nearest(meshes: &[FewVertices; 2], bound: f64, work: &mut Work) -> Option<Option<Nearest>> {
    let most = meshes[0].vertices.len().max(meshes[1].vertices.len());
    if most <= OF_BLOCK {
        nearest_of::<OF_BLOCK>(meshes, bound, work)
    } else if most <= MOST_VERTICES {
        nearest_of::<MOST_VERTICES>(meshes, bound, work)
    } else {
        None
    }
}

/// Returns [`nearest`] of meshes of at most `MOST` vertices each.
fn nearest_of<const MOST: usize>(
    meshes: &[FewVertices; 2],
    bound: f64,
    work: &mut Work,
) -> Option<Option<Nearest>> {
    let posed = [Posed::<MOST>::of(&meshes[0]), Posed::of(&meshes[1])];
    *work += Work::boxes(1);
    let gap = Gap::of(&posed)?;
    if gap.square.sqrt() * (1.0 - 8.0 * f64::EPSILON) > bound {
        return Some(None);
    }
    // The first triangles of both meshes are the first pair.
    let first = [gap.first_level_triangle(&meshes[0], 0)?, gap.first_level_triangle(&meshes[1], 1)?];
    let [a, b] = first.each_ref().map(|of| Aabb::of(gap.closed_corners(of)));
    if aside([&a, &b]) == 0.0
        && gap.meet_once_closed(first.each_ref())
        && let Some(distance) = distance_of_points(gap.faces[0], gap.faces[1])
    {
        *work += Work::exact(1);
        let triangles = first.map(|of| of.triangle);
        return Some((distance <= bound).then_some(Nearest { distance, triangles }));
    }
    let level = gap.level_triangles(meshes)?;
    let mut closed = [Aabb::EMPTY; MOST_LEVEL];
    for (around, of) in closed.iter_mut().zip(level.items()) {
        *around = Aabb::of(gap.closed_corners(of));
    }
    let mut closest = Closest::within(bound);
    // Pairs in the order of their places, so that the first pair at distance |g| is the answer, unless
    // rounding makes an earlier one as close.
    for (at, first) in level.items().iter().enumerate() {
        let (own, others) = (&closed[at], &closed[at + 1..]);
        let others = level.items()[at + 1..].iter().zip(others);
        for (second, other) in others.filter(|(second, _)| second.side != first.side) {
            let aside = aside([own, other]);
            if gap.is_farther(aside) {
                continue;
            }
            let pair = if first.side == 0 { [first, second] } else { [second, first] };
            let corners = pair.map(|of| of.corners.map(|vertex| posed[of.side as usize].at(vertex as usize)));
            *work += Work::exact(1);
            let [a, b] = &corners;
            let triangles = pair.map(|of| of.triangle);
            let meet = aside == 0.0 && gap.meet_once_closed(pair);
            let known = if meet { distance_of_points(gap.faces[0], gap.faces[1]) } else { None };
            let distance = known.unwrap_or_else(|| distance_apart(a, b));
            closest.offer(Nearest { distance, triangles }, [a, b]);
            if meet {
                return Some(closest.nearest());
            }
        }
    }
    None
}

/// The posed vertices of a mesh, axis by axis. The first stands in the places that are left over.
struct Posed<const MOST: usize> {
    along: [[f64; MOST]; 3],
    count: usize,
}

impl<const MOST: usize> Posed<MOST> {
    fn of(mesh: &FewVertices) -> Self {
        let first = mesh.vertices.first().map_or(DVec3::ZERO, |vertex| mesh.pose.apply(*vertex));
        let mut along = first.to_array().map(|x| [x; MOST]);
        for (place, vertex) in mesh.vertices.iter().enumerate().take(MOST).skip(1) {
            let posed = mesh.pose.apply(*vertex);
            for (axis, along) in along.iter_mut().enumerate() {
                along[place] = posed[axis];
            }
        }
        Self { along, count: mesh.vertices.len() }
    }

    fn at(&self, vertex: usize) -> DVec3 {
        DVec3::from_array(self.along.each_ref().map(|along| along[vertex]))
    }

    /// Returns the lowest and the highest coordinate along an axis.
    fn ends(&self, axis: usize) -> [f64; 2] {
        let [mut low, mut high] = [self.along[axis][0]; 2];
        for &x in &self.along[axis] {
            low = if x < low { x } else { low };
            high = if x > high { x } else { high };
        }
        [low, high]
    }

    /// Returns the place of each vertex in the order of their coordinates, among all vertices of some meshes.
    /// Vertices at the same place have the same.
    fn ranks(&self, among: &[Self]) -> [u32; MOST] {
        let mut ranks = [0; MOST];
        for axis in 0..3 {
            let mut lower = [0u64; MOST];
            for other in among.iter().flat_map(|mesh| &mesh.along[axis]) {
                for (lower, own) in lower.iter_mut().zip(&self.along[axis]) {
                    *lower += u64::from(other < own);
                }
            }
            for (rank, lower) in ranks.iter_mut().zip(lower) {
                *rank = *rank << AXIS_BITS | lower as u32;
            }
        }
        ranks
    }
}

/// The bits of the number of vertices that are lower along an axis, of two meshes, and of a rank along all
/// three.
const AXIS_BITS: u32 = (2 * MOST_VERTICES).ilog2();
const RANK_BITS: u32 = 3 * AXIS_BITS;

/// A triangle with level vertices.
#[derive(Clone, Copy, Default)]
struct LevelTriangle {
    /// The ranks of its corners, ascending: in the order of triangles by their corners.
    rank: u64,
    /// Its index in its mesh.
    triangle: u32,
    /// Its mesh, 0 or 1.
    side: u32,
    corners: [u32; 3],
    /// The corners that are level; the first such in place of the others.
    level: [u32; 3],
}

/// The gap between the boxes around two meshes.
struct Gap<'a, const MOST: usize> {
    posed: &'a [Posed<MOST>; 2],
    /// True for an axis along which the boxes are apart.
    is_open: [bool; 3],
    /// The faces that look at each other, along axes with a gap; 0 along others.
    faces: [DVec3; 2],
    /// The square of |g|.
    square: f64,
    /// The sets of level vertices.
    level: [u64; 2],
    /// The length m; infinity if all vertices are level.
    margin: f64,
    /// An upper bound of D.
    spread: f64,
}

impl<'a, const MOST: usize> Gap<'a, MOST> {
    /// Returns the gap, if it proves anything.
    fn of(posed: &'a [Posed<MOST>; 2]) -> Option<Self> {
        let ends: [[[f64; 2]; 2]; 3] = [0, 1, 2].map(|axis| posed.each_ref().map(|of| of.ends(axis)));
        let extents = ends.map(|[a, b]| (a[1] - a[0]) + (b[1] - b[0]));
        let spread = 2.0 * (extents[0] + extents[1] + extents[2]);
        let mut gap = Self {
            posed,
            is_open: [false; 3],
            faces: [DVec3::ZERO; 2],
            square: 0.0,
            level: posed.each_ref().map(|of| u64::MAX >> (64 - of.count)),
            margin: f64::INFINITY,
            spread,
        };
        for (axis, [a, b]) in ends.into_iter().enumerate() {
            let faces = if a[1] < b[0] {
                [a[1], b[0]]
            } else if b[1] < a[0] {
                [a[0], b[1]]
            } else {
                continue;
            };
            let mut least = f64::INFINITY;
            for (side, face) in faces.into_iter().enumerate() {
                let mut level = 0;
                for (vertex, x) in posed[side].along[axis].iter().enumerate() {
                    let behind = (x - face).abs();
                    let is_behind = behind > 0.0;
                    level |= u64::from(!is_behind) << vertex;
                    least = if is_behind && behind < least { behind } else { least };
                }
                gap.level[side] &= level;
                gap.faces[side][axis] = face;
            }
            let width = (faces[1] - faces[0]).abs();
            gap.is_open[axis] = true;
            gap.square += width * width;
            gap.margin = gap.margin.min(width * least);
        }
        let is_level = gap.is_open != [false; 3] && gap.level[0] != 0 && gap.level[1] != 0;
        // Triangles without level vertices must be farther apart, even once distances are rounded.
        let is_sharp = gap.margin > gap.square / (1u64 << 48) as f64;
        (is_level && is_sharp && gap.may_meet_once_closed()).then_some(gap)
    }

    /// Returns a vertex as it is once the gaps are closed.
    fn closed(&self, side: usize, vertex: u32) -> DVec3 {
        let along = |axis: usize| {
            if self.is_open[axis] { 0.0 } else { self.posed[side].along[axis][vertex as usize] }
        };
        DVec3::new(along(0), along(1), along(2))
    }

    /// Returns the level corners of a triangle as they are once the gaps are closed.
    fn closed_corners(&self, of: &LevelTriangle) -> Triangle {
        of.level.map(|vertex| self.closed(of.side as usize, vertex))
    }

    /// True unless boxes around all level vertices are apart once the gaps are closed.
    fn may_meet_once_closed(&self) -> bool {
        let around = |side: usize| {
            let vertices = (0..self.posed[side].count as u32).filter(|v| self.level[side] >> v & 1 == 1);
            Aabb::of(vertices.map(|vertex| self.closed(side, vertex)))
        };
        self.is_open == [true; 3] || around(0).meets(&around(1))
    }

    /// Returns a triangle, by its place in its mesh, if it has level vertices.
    fn level_triangle(
        &self,
        mesh: &FewVertices,
        side: usize,
        place: usize,
        ranks: &[u32; MOST],
    ) -> Option<LevelTriangle> {
        let corners = mesh.corners[place];
        let set = set_of(&corners) & self.level[side];
        if set == 0 {
            return None;
        }
        let one = set.trailing_zeros();
        let level = corners.map(|vertex| if set >> vertex & 1 == 1 { vertex } else { one });
        let [p, q, r] = corners.map(|vertex| u64::from(ranks[vertex as usize]));
        let (low, high) = (p.min(q), p.max(q));
        let ascending = [low.min(r), low.max(high.min(r)), high.max(r)];
        let rank = ascending.into_iter().fold(0, |rank, next| rank << RANK_BITS | next);
        Some(LevelTriangle { rank, triangle: mesh.triangles[place], side: side as u32, corners, level })
    }

    /// Returns the first triangle of a mesh that has level vertices.
    fn first_level_triangle(&self, mesh: &FewVertices, side: usize) -> Option<LevelTriangle> {
        let ranks = self.posed[side].ranks(&self.posed[side..=side]);
        let level =
            (0..mesh.corners.len()).filter_map(|place| self.level_triangle(mesh, side, place, &ranks));
        level.reduce(
            |first, next| {
                if (next.rank, next.triangle) < (first.rank, first.triangle) { next } else { first }
            },
        )
    }

    /// Returns the triangles with level vertices of both meshes, in the order of their places; `None` if
    /// there are too many.
    fn level_triangles(&self, meshes: &[FewVertices; 2]) -> Option<Few<LevelTriangle, MOST_LEVEL>> {
        let mut level = Few::<LevelTriangle, MOST_LEVEL>::default();
        for (side, mesh) in meshes.iter().enumerate() {
            let ranks = self.posed[side].ranks(self.posed);
            for place in 0..mesh.corners.len() {
                if let Some(of) = self.level_triangle(mesh, side, place, &ranks) {
                    level.push(of)?;
                }
            }
        }
        // Numbers are sorted faster than triangles are moved.
        let mut order = [0u128; MOST_LEVEL];
        let order = &mut order[..level.items().len()];
        for (place, (key, of)) in order.iter_mut().zip(level.items()).enumerate() {
            *key = (u128::from(of.rank) << 32 | u128::from(of.triangle)) << 5 | place as u128;
        }
        order.sort_unstable();
        let mut sorted = Few::default();
        order.iter().try_for_each(|key| sorted.push(level.items()[*key as usize % MOST_LEVEL]))?;
        Some(sorted)
    }

    /// True if triangles whose level vertices are at least this far aside are farther apart than |g|, even
    /// once distances are rounded. The factor of 2 is for the roundings here.
    fn is_farther(&self, aside: f64) -> bool {
        let lower = self.margin / self.square.sqrt();
        let farther =
            if lower < f64::INFINITY { lower * aside / (lower + aside + self.spread) } else { aside };
        farther * farther > self.square / (1u64 << 46) as f64
    }

    /// True if hulls of the level vertices of two triangles share a point once the gaps are closed. Boxes
    /// around them do.
    fn meet_once_closed(&self, [a, b]: [&LevelTriangle; 2]) -> bool {
        let gaps = self.is_open.into_iter().filter(|is_open| *is_open).count();
        // On a line, boxes say all.
        gaps > 1 || triangles_meet(&self.closed_corners(a), &self.closed_corners(b))
    }
}

/// Returns a lower bound of how far the level vertices of two triangles are from each other once the gaps are
/// closed, by the boxes around them: 0 if these meet.
fn aside([a, b]: [&Aabb; 2]) -> f64 {
    (b.lo - a.hi).max(a.lo - b.hi).max_element().max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::supported::testing::compared;
    use closefit_geometry::math::pose::Pose;
    use closefit_geometry::math::testing::{Stream, cases, pose_of};
    use closefit_geometry::mesh::Mesh;
    use glam::DMat3;

    /// Returns a block of 12 triangles with some diagonals, or some triangles between points of a grid.
    fn mesh(random: &mut Stream) -> Mesh {
        let mut of_grid = || DVec3::from_array([0; 3].map(|_| 1.0 + random.below(4) as f64));
        let size = of_grid();
        if of_grid().x > 1.0 {
            let points: Vec<DVec3> = (0..8)
                .map(|k| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2)) * size)
                .collect();
            let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
            let triangles = faces.iter().flat_map(|&[p, q, r, s]| {
                if random.below(2) == 0 { [[p, q, r], [p, r, s]] } else { [[p, q, s], [q, r, s]] }
            });
            return Mesh::new(&points, &triangles.collect::<Vec<_>>()).expect("a block");
        }
        let points: Vec<DVec3> = (0..4 + random.below(5))
            .map(|_| DVec3::from_array([0; 3].map(|_| random.below(4) as f64)))
            .collect();
        let count = points.len() as u64;
        let triangles: Vec<[u32; 3]> =
            (0..1 + random.below(8)).map(|_| [0; 3].map(|_| random.below(count) as u32)).collect();
        Mesh::new(&points, &triangles).expect("a valid mesh")
    }

    #[test]
    fn what_is_proven_is_the_closest_of_all_pairs() {
        let mut random = Stream(17);
        let (mut apart, mut proven) = (0u32, 0u32);
        for case in 0..cases(3000) {
            let meshes = [mesh(&mut random), mesh(&mut random)];
            let unit = libm::ldexp(1.0, random.pick(&[0, 0, 0, -40, 60]));
            let far = if random.below(4) == 0 { random.point() * 1e6 } else { DVec3::ZERO };
            // On the grid, many pairs are equally close; just off it, nearly so.
            let off = if random.below(2) == 0 {
                random.point() * random.pick(&[1e-12, 1e-6, 1.0])
            } else {
                DVec3::ZERO
            };
            let by = DVec3::from_array([0; 3].map(|_| random.below(15) as f64 - 7.0)) + off;
            let sheared = DMat3::from_cols(DVec3::X, DVec3::Y, DVec3::new(random.signed(), 0.0, 1.0));
            let linear = random.pick(&[DMat3::IDENTITY, DMat3::IDENTITY, sheared]) * unit;
            let poses: [Pose; 2] = [DVec3::ZERO, by].map(|at| pose_of(&linear, (at + far) * unit));
            let [is_apart, is_proven] =
                compared(case, &meshes, poses, |meshes, bound| nearest(&meshes, bound, &mut Work::default()));
            apart += u32::from(is_apart);
            proven += u32::from(is_proven);
        }
        assert!(2 * proven > apart, "only {proven} of {apart} are proven");
        eprintln!("{proven} of {apart} are proven");
    }

    /// Returns the answer for two meshes at the identity.
    fn of(a: (&[DVec3], &[[u32; 3]]), b: (&[DVec3], &[[u32; 3]])) -> Option<Nearest> {
        let few = [a, b].map(|(vertices, corners)| FewVertices {
            vertices,
            corners,
            triangles: &[0, 1, 2],
            pose: Pose::IDENTITY,
        });
        nearest(&few, f64::INFINITY, &mut Work::default()).flatten()
    }

    #[test]
    fn a_pair_that_rounding_makes_as_close_comes_first_by_its_place() {
        let face = |z: f64, at: f64| {
            [[at, at, z], [at + 1.0, at, z], [at, at + 1.0, z], [at + 1.0, at + 1.0, z]]
                .map(DVec3::from_array)
        };
        let halves = [[0, 1, 2], [1, 3, 2]];
        // The upper face lies beyond the diagonal of the lower one.
        let beyond = |way: f64| {
            let (lower, upper) = (face(0.0, 0.0), face(1.0, 0.5 + way));
            of((&lower, &halves), (&upper, &halves)).map(|found| (found.distance, found.triangles))
        };
        assert_eq!(beyond(0.0), Some((1.0, [0, 0])));
        assert_eq!(beyond(1e-9), Some((1.0, [0, 0])));
        assert_eq!(beyond(1e-3), Some((1.0, [1, 0])));
    }

    #[test]
    fn boxes_that_meet_or_are_closer_than_their_meshes_prove_nothing() {
        let tip = |x: f64| [[x, 0.0, 0.0], [x + 1.0, 1.0, 0.0], [x + 1.0, 0.0, 1.0]].map(DVec3::from_array);
        let beside = |x: f64| of((&tip(0.0), &[[0, 1, 2]]), (&tip(x), &[[0, 1, 2]]));
        assert_eq!(beside(0.5), None);
        assert_eq!(beside(2.0), None);
    }
}
