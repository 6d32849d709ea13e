//! Checks everything that the kernels assume of a tree: of one that was kept from an earlier run, and in
//! tests.

use std::ops::Range;

use glam::{DVec3, Vec3};

use super::build::fit::three;
use super::slender::NarrowBox;
use super::{Block, Child, NOTHING, WideObb};
use crate::bvh::wide_topology::{MOST_DEPTH, vertices_before};
use closefit_geometry::ids::to_u32;
use closefit_geometry::lanes::LANES;
use closefit_geometry::math::error_bounds::{
    F32_CENTER, F32_EXTENT, F32_PROJECTION, F32_SKEW, F32_SKEW_GAIN,
};
use closefit_geometry::mesh::Mesh;
use closefit_geometry::parallel;

/// Subtrees with more blocks than this are checked in parallel.
const PARALLEL: usize = 256;

impl WideObb {
    /// Checks that every triangle is in exactly one leaf, with its own corners; that blocks are in
    /// depth-first order, and triangles in the order of the leaves; and that every box provably contains
    /// every vertex below it, with the room that the kernels need.
    ///
    /// # Errors
    /// The first fault found.
    pub fn validate(&self, mesh: &Mesh) -> Result<(), String> {
        self.validate_triangles(mesh)?;
        let points: Vec<DVec3> = self.vertices.iter().map(|&v| self.normal(v)).collect();
        if self.unit.to_bits() << 12 != 0 || !points.iter().all(|v| v.abs().max_element() <= 1.0) {
            return Err(format!("the unit {} is no power of two, or too small", self.unit));
        }
        let Some(root) = self.blocks.first() else { return Err("it has no block".to_owned()) };
        if root.child[1..].iter().any(|&code| code != Child::None.code()) {
            return Err("the root has more than one box".to_owned());
        }
        let before = vertices_before(&self.corners);
        let order = Order { blocks: &self.blocks, corners: &self.corners, points: &points, before: &before };
        let below = order.block(0..self.blocks.len(), 1)?;
        if below.triangles != (0..to_u32(self.triangles.len())) {
            return Err(format!("the leaves have the triangles {:?}", below.triangles));
        }
        if below.depth != self.depth {
            return Err(format!("the depth is {}, not {}", below.depth, self.depth));
        }
        Ok(())
    }

    fn validate_triangles(&self, mesh: &Mesh) -> Result<(), String> {
        if self.triangles.len() != mesh.triangles().len() || self.corners.len() != self.triangles.len() {
            return Err("the number of triangles is not the mesh's".to_owned());
        }
        let mut seen = vec![false; self.triangles.len()];
        let mut next = 0;
        for (&triangle, corners) in self.triangles.iter().zip(&self.corners) {
            if !claim(&mut seen, triangle) {
                return Err(format!("triangle {triangle} is not the mesh's, or listed twice"));
            }
            for (&v, p) in corners.iter().zip(mesh.corners(triangle)) {
                if self.vertices.get(v as usize) != Some(&p) {
                    return Err(format!("triangle {triangle} has other corners than the mesh's"));
                }
                if v > next {
                    return Err(format!("vertex {v} is out of order"));
                }
                next = next.max(v + 1);
            }
        }
        if next as usize == self.vertices.len() { Ok(()) } else { Err("some vertices are unused".to_owned()) }
    }
}

/// True the first time for every valid index.
fn claim(claimed: &mut [bool], index: u32) -> bool {
    claimed.get_mut(index as usize).is_some_and(|claimed| !std::mem::replace(claimed, true))
}

/// A tree whose triangles and vertices are in the order of its leaves.
struct Order<'a> {
    blocks: &'a [Block],
    corners: &'a [[u32; 3]],
    /// Normal coordinates of the vertices.
    points: &'a [DVec3],
    /// The number of vertices of the triangles before each.
    before: &'a [u32],
}

/// The contents of a box, or of all boxes of a block.
struct Below {
    triangles: Range<u32>,
    /// Vertices of these triangles that earlier ones have too, some of them repeatedly.
    shared: Vec<u32>,
    /// Number of blocks on the way to the deepest leaf.
    depth: u32,
}

impl Order<'_> {
    /// Checks a subtree, whose first block is `level` blocks deep.
    fn block(&self, blocks: Range<usize>, level: u32) -> Result<Below, String> {
        let (index, block) = (blocks.start, &self.blocks[blocks.start]);
        if level > MOST_DEPTH {
            return Err(format!("block {index} is too deep"));
        }
        let lane = |(lane, inside): (usize, Range<usize>)| {
            self.lane(index, lane, inside, level).map_err(|why| format!("lane {lane} of block {index} {why}"))
        };
        let lanes = subtrees(block, &blocks).map_err(|why| format!("block {index} {why}"))?;
        let all: Vec<Below> = if blocks.len() > PARALLEL {
            parallel::map_owned(lanes, 1, |_, one| lane(one)).into_iter().collect::<Result<_, _>>()?
        } else {
            lanes.into_iter().map(lane).collect::<Result<_, _>>()?
        };
        let Some((first, rest)) = all.split_first() else { return Err(format!("block {index} is empty")) };
        let mut triangles = first.triangles.clone();
        for below in rest {
            if below.triangles.start != triangles.end {
                return Err(format!("the triangles of block {index} are not in order"));
            }
            triangles.end = below.triangles.end;
        }
        let own = self.before[triangles.start as usize];
        let shared = all.iter().flat_map(|below| &below.shared).copied().filter(|&v| v < own).collect();
        Ok(Below { triangles, shared, depth: all.iter().map(|below| below.depth).max().unwrap_or(level) })
    }

    /// Checks the box of a lane and what it contains, for which there are some blocks.
    fn lane(&self, index: usize, lane: usize, inside: Range<usize>, level: u32) -> Result<Below, String> {
        let block = &self.blocks[index];
        let below = match Child::of(block.child[lane]) {
            Child::Leaf { first, count } => {
                let triangles = first..first + count;
                let corners = self.corners.get(first as usize..triangles.end as usize);
                let corners = corners.ok_or("has triangles that the mesh lacks")?.as_flattened();
                let own = self.before[first as usize];
                let shared = corners.iter().copied().filter(|&v| v < own).collect();
                Below { triangles, shared, depth: level }
            }
            _ => self.block(inside, level + 1)?,
        };
        let Range { start, end } = below.triangles;
        let own = self.before[start as usize]..self.before[end as usize];
        let own = &self.points[own.start as usize..own.end as usize];
        let shared = below.shared.iter().map(|&v| self.points[v as usize]);
        if holds(block, lane, own.iter().copied().chain(shared)) {
            Ok(below)
        } else {
            Err("does not hold what is below it".to_owned())
        }
    }
}

/// Returns the lanes of a block that have a box, each with the blocks below it: together those after the
/// block. The lanes after them are empty.
fn subtrees(block: &Block, blocks: &Range<usize>) -> Result<Vec<(usize, Range<usize>)>, &'static str> {
    let used = block.child.iter().take_while(|&&code| code != Child::None.code()).count();
    if (used..LANES).any(|lane| {
        block.child[lane] != Child::None.code() || lane_of(block, lane) != lane_of(&Block::EMPTY, lane)
    }) {
        return Err("has a lane that is not used and yet has a box");
    }
    let mut end = blocks.end;
    let mut lanes = Vec::with_capacity(used);
    for lane in (0..used).rev() {
        let inside = match Child::of(block.child[lane]) {
            Child::Block(child) if child as usize > blocks.start && (child as usize) < end => {
                child as usize..end
            }
            Child::Block(_) => return Err("has children that are not in order"),
            _ => end..end,
        };
        end = inside.start;
        lanes.push((lane, inside));
    }
    lanes.reverse();
    if end == blocks.start + 1 { Ok(lanes) } else { Err("has blocks after it that hang loose") }
}

fn lane_of(block: &Block, lane: usize) -> [Vec3; 4] {
    let [a, b] = &block.axes;
    [&block.center, a, b, &block.half].map(|m| Vec3::new(m[0][lane], m[1][lane], m[2][lane]))
}

/// True only if the box has room for all points and for the kernels' rounding.
fn holds(block: &Block, lane: usize, points: impl Iterator<Item = DVec3>) -> bool {
    let [center, a, b, half] = lane_of(block, lane);
    let origin = Vec3::from_array(block.origin);
    let is_finite = center.is_finite() && half.is_finite() && origin.is_finite();
    if !(is_finite && half.cmpge(Vec3::ZERO).all() && is_frame([a, b])) {
        return false;
    }
    let [a, b, c] = three([a, b]);
    let (origin, middle) = (origin.as_dvec3(), center.as_dvec3());
    let middle = DVec3::new(a.dot(middle), b.dot(middle), c.dot(middle));
    let size = f64::from(center.abs().max_element());
    let (mut needed, mut span) = (DVec3::ZERO, DVec3::ZERO);
    for p in points {
        let d = p - origin;
        needed = needed.max((DVec3::new(a.dot(d), b.dot(d), c.dot(d)) - middle).abs());
        span = span.max(d.abs());
    }
    // As in the builder, but with half of the gain: the other half covers the roundings of its sum.
    let needed = needed + F32_PROJECTION * (span.max_element() + size);
    let sum = needed.element_sum();
    let needed = needed + 0.75 * F32_SKEW_GAIN * sum;
    let for_f32 = needed + F32_EXTENT * sum + F32_CENTER * size;
    half != Vec3::splat(NOTHING)
        && for_f32.cmple(half.as_dvec3()).all()
        && needed.cmple(NarrowBox::of(block, lane).half).all()
}

/// True when the axes are orthonormal up to the rounding of f32; false for NaN.
fn is_frame([a, b]: [Vec3; 2]) -> bool {
    let [a, b] = [a, b].map(Vec3::as_dvec3);
    let off = (a.dot(a) - 1.0).abs().max((b.dot(b) - 1.0).abs()).max(a.dot(b).abs());
    off <= F32_SKEW && !a.is_nan() && !b.is_nan()
}
