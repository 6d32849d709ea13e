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
use closefit_geometry::exact::distance::distance_apart;
use closefit_geometry::math::Triangle;

/// Largest number of vertices of a mesh, and of triangles of both meshes with level vertices: room for blocks
/// with a step, which is cleared for each pair.
const MOST_VERTICES: usize = 32;
const MOST_LEVEL: usize = 32;

/// The posed vertices of two meshes.
type Posed<'a> = [&'a [DVec3]; 2];

/// Returns the closest pair of triangles, if it is proven, or `Some(None)` if all are proven farther apart
/// than `bound`. Otherwise, also where the boxes meet, returns `None`.
pub fn nearest(meshes: &[FewVertices; 2], bound: f64, work: &mut Work) -> Option<Option<Nearest>> {
    if meshes.iter().any(|mesh| mesh.vertices.len() > MOST_VERTICES) {
        return None;
    }
    let mut room = [[DVec3::ZERO; MOST_VERTICES]; 2];
    for (mesh, room) in meshes.iter().zip(&mut room) {
        for (place, vertex) in room.iter_mut().zip(mesh.vertices) {
            *place = mesh.pose.apply(*vertex);
        }
    }
    let posed = [0, 1].map(|side| &room[side][..meshes[side].vertices.len()]);
    *work += Work::boxes(1);
    let gap = Gap::of(posed)?;
    if gap.square.sqrt() * (1.0 - 8.0 * f64::EPSILON) > bound {
        return Some(None);
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
            let corners = pair.map(|of| of.corners.map(|vertex| posed[of.side as usize][vertex as usize]));
            *work += Work::exact(1);
            let [a, b] = &corners;
            let triangles = pair.map(|of| of.triangle);
            closest.offer(Nearest { distance: distance_apart(a, b), triangles }, [a, b]);
            if aside == 0.0 && gap.meet_once_closed(pair) {
                return Some(closest.nearest());
            }
        }
    }
    None
}

/// A triangle with level vertices.
#[derive(Clone, Copy, Default)]
struct LevelTriangle {
    /// The ranks of its corners, ascending: in the order of triangles by their corners.
    rank: u32,
    /// Its index in its mesh.
    triangle: u32,
    /// Its mesh, 0 or 1.
    side: u32,
    corners: [u32; 3],
    /// The corners that are level; the first such in place of the others.
    level: [u32; 3],
}

/// The gap between the boxes around two meshes.
struct Gap<'a> {
    posed: Posed<'a>,
    /// True for an axis along which the boxes are apart.
    is_open: [bool; 3],
    /// The square of |g|.
    square: f64,
    /// The sets of level vertices.
    level: [u64; 2],
    /// The length m; infinity if all vertices are level.
    margin: f64,
    /// An upper bound of D.
    spread: f64,
}

impl<'a> Gap<'a> {
    /// Returns the gap, if it proves anything.
    fn of(posed: Posed<'a>) -> Option<Self> {
        let [a, b] = posed.map(|points| Aabb::of(points.iter().copied()));
        let extents = (a.hi - a.lo) + (b.hi - b.lo);
        let level = posed.map(|points| u64::MAX >> (64 - points.len()));
        let spread = 2.0 * (extents.x + extents.y + extents.z);
        let mut gap = Self { posed, is_open: [false; 3], square: 0.0, level, margin: f64::INFINITY, spread };
        for axis in 0..3 {
            let faces = if a.hi[axis] < b.lo[axis] {
                [a.hi[axis], b.lo[axis]]
            } else if b.hi[axis] < a.lo[axis] {
                [a.lo[axis], b.hi[axis]]
            } else {
                continue;
            };
            let mut least = f64::INFINITY;
            for (side, face) in faces.into_iter().enumerate() {
                for (vertex, point) in posed[side].iter().enumerate() {
                    let behind = (point[axis] - face).abs();
                    if behind > 0.0 {
                        gap.level[side] &= !(1 << vertex);
                        least = least.min(behind);
                    }
                }
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
        let mut point = self.posed[side][vertex as usize];
        for axis in 0..3 {
            if self.is_open[axis] {
                point[axis] = 0.0;
            }
        }
        point
    }

    /// Returns the level corners of a triangle as they are once the gaps are closed.
    fn closed_corners(&self, of: &LevelTriangle) -> Triangle {
        of.level.map(|vertex| self.closed(of.side as usize, vertex))
    }

    /// True unless boxes around all level vertices are apart once the gaps are closed.
    fn may_meet_once_closed(&self) -> bool {
        let around = |side: usize| {
            let vertices = (0..self.posed[side].len() as u32).filter(|v| self.level[side] >> v & 1 == 1);
            Aabb::of(vertices.map(|vertex| self.closed(side, vertex)))
        };
        around(0).meets(&around(1))
    }

    /// Returns the triangles with level vertices of both meshes, in the order of their places; `None` if
    /// there are too many.
    fn level_triangles(&self, meshes: &[FewVertices; 2]) -> Option<Few<LevelTriangle, MOST_LEVEL>> {
        let mut level = Few::<LevelTriangle, MOST_LEVEL>::default();
        let ranks = ranks(self.posed);
        for (side, mesh) in meshes.iter().enumerate() {
            for (&corners, &triangle) in mesh.corners.iter().zip(mesh.triangles) {
                let set = set_of(&corners) & self.level[side];
                if set == 0 {
                    continue;
                }
                let one = set.trailing_zeros();
                let level_corners = corners.map(|vertex| if set >> vertex & 1 == 1 { vertex } else { one });
                let mut of_corners = corners.map(|vertex| ranks[side][vertex as usize]);
                of_corners.sort_unstable();
                let rank = of_corners.into_iter().fold(0, |rank, next| rank << 8 | u32::from(next));
                level.push(LevelTriangle {
                    rank,
                    triangle,
                    side: side as u32,
                    corners,
                    level: level_corners,
                })?;
            }
        }
        // Numbers are sorted faster than triangles are moved. A rank has 24 bits, and a place among them 5.
        let mut order = [0u64; MOST_LEVEL];
        let order = &mut order[..level.items().len()];
        for (place, (key, of)) in order.iter_mut().zip(level.items()).enumerate() {
            *key = (u64::from(of.rank) << 32 | u64::from(of.triangle)) << 5 | place as u64;
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

/// Returns the ranks of the vertices of both meshes in the order of their coordinates. Vertices at the same
/// place have the same rank.
fn ranks(posed: Posed) -> [[u8; MOST_VERTICES]; 2] {
    let mut order = [(0u8, 0u8); 2 * MOST_VERTICES];
    let all = (0..2u8).flat_map(|side| (0..posed[usize::from(side)].len() as u8).map(move |v| (side, v)));
    let count = posed[0].len() + posed[1].len();
    order.iter_mut().zip(all).for_each(|(place, vertex)| *place = vertex);
    let order = &mut order[..count];
    let at = |(side, vertex): (u8, u8)| posed[usize::from(side)][usize::from(vertex)].to_array();
    order.sort_unstable_by(|&p, &q| at(p).partial_cmp(&at(q)).expect("posed coordinates are numbers"));
    let mut ranks = [[0; MOST_VERTICES]; 2];
    let mut rank = 0;
    for (place, &(side, vertex)) in order.iter().enumerate() {
        if place > 0 && at(order[place - 1]) != at(order[place]) {
            rank += 1;
        }
        ranks[usize::from(side)][usize::from(vertex)] = rank;
    }
    ranks
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
