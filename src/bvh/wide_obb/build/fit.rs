//! Fits the boxes of the tree from the bottom up, each proven to contain what is below it.
//!
//! Vertices come in the order of the leaves, so those below a box form a range, except the ones shared with
//! earlier triangles. Those are listed, and each list is only as long as the rim of a patch.

use glam::{DVec3, Vec3};

use super::super::array::Array;
use super::super::{Block, Child};
use super::in_plane::turned;
use super::lane_boxes::{self, Corners, LaneBounds, TwoAxes};
use super::lane_jacobi;
use super::leaf_frames::leaf_frames;
use crate::bvh::Tell;
use crate::bvh::spread::Spread;
use crate::bvh::wide_topology::NormalFrame;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::lanes::*;
use closefit_geometry::parallel;

/// Subtrees with more blocks than this are fitted in parallel.
const PARALLEL: usize = 256;

/// Fits all blocks in depth-first order; `children` gives their children. `vertices_before` counts the
/// vertices of the triangles before each triangle. Tells how many triangles have boxes, if there are many.
pub(super) fn blocks(
    children: Vec<[u32; LANES]>,
    frame: &NormalFrame,
    (corners, vertices, vertices_before): (&[[u32; 3]], &[DVec3], &[u32]),
    tell: Tell,
) -> Array<Block> {
    let mut points: [Vec<f64>; 3] = std::array::from_fn(|_| Vec::with_capacity(vertices.len()));
    for &v in vertices {
        for (column, x) in points.iter_mut().zip(frame.enter(v).to_array()) {
            column.push(x);
        }
    }
    let mut blocks = Array::collect(children.into_iter().map(|child| Block { child, ..Block::EMPTY }));
    Fitter { corners, points, vertices_before, tell }.fit(&mut blocks, 0, &mut Vec::new());
    blocks
}

/// The mesh in the order of the leaves.
struct Fitter<'a> {
    corners: &'a [[u32; 3]],
    /// Normal coordinates of the vertices, by coordinate.
    points: [Vec<f64>; 3],
    vertices_before: &'a [u32],
    tell: Tell<'a>,
}

/// The contents of a box.
#[derive(Clone, Copy)]
struct Below {
    bounds: Aabb,
    spread: Spread,
    /// The vertices that occur here first: from the first number up to the second.
    own: [u32; 2],
    /// The places of the remaining vertices in a list of shared ones.
    shared: [usize; 2],
}

impl Below {
    const NOTHING: Self = Self { bounds: Aabb::EMPTY, spread: Spread::NONE, own: [0; 2], shared: [0; 2] };
}

const NOTHING_BELOW: [Below; LANES] = [Below::NOTHING; LANES];

/// The blocks below a block, whose boxes are fitted already.
struct Subtrees<'a> {
    blocks: &'a [Block],
    /// Number of the first of them in the tree.
    first: usize,
}

impl Fitter<'_> {
    /// Fits the boxes of a subtree. `blocks` are its blocks, starting with number `first` of the tree.
    /// Appends to `shared` the vertices that the subtree shares with earlier triangles.
    fn fit(&self, blocks: &mut [Block], first: usize, shared: &mut Vec<u32>) -> Below {
        let (block, rest) = blocks.split_first_mut().expect("a subtree has a block");
        let start = shared.len();
        let mut lanes = NOTHING_BELOW;
        if rest.len() > PARALLEL {
            let parts: Vec<_> = subtrees(&block.child, rest, first + 1).collect();
            let fit = |_, (lane, blocks, first): (usize, &mut [Block], usize)| {
                let mut shared = Vec::new();
                let below = self.fit(blocks, first, &mut shared);
                if blocks.len() <= PARALLEL {
                    (self.tell)(triangles_in(blocks));
                }
                (lane, below, shared)
            };
            for (lane, below, list) in parallel::map_owned(parts, 1, fit) {
                lanes[lane] = below;
                lanes[lane].shared = [shared.len(), shared.len() + list.len()];
                shared.extend(list);
            }
        } else {
            for (lane, blocks, first) in subtrees(&block.child, rest, first + 1) {
                lanes[lane] = self.fit(blocks, first, shared);
            }
        }
        let below = Subtrees { blocks: rest, first: first + 1 };
        let (own, bounds) = in_lanes!(simd => self.fit_block(simd, block, &mut lanes, shared, &below));
        // Keeps only listed vertices that are not the block's own.
        let mut end = start;
        for i in start..shared.len() {
            // Without a branch: one that is not kept is written over by the next.
            let vertex = shared[i];
            shared[end] = vertex;
            end += usize::from(vertex < own[0]);
        }
        shared.truncate(end);
        Below {
            bounds,
            spread: Spread::of_all(lanes.iter().map(|lane| &lane.spread)),
            own,
            shared: [start, end],
        }
    }

    /// Fits the boxes of one block, both leaves and others. Returns all its own vertices and its bounds.
    #[inline(always)]
    fn fit_block<S: Simd>(
        &self,
        simd: S,
        block: &mut Block,
        lanes: &mut [Below; LANES],
        shared: &mut Vec<u32>,
        below: &Subtrees,
    ) -> ([u32; 2], Aabb) {
        let mut corners = [[[0.0; LANES]; 3]; 6];
        self.look_at_leaves(block, lanes, shared, &mut corners);
        let mut bounds = lane_boxes::bounds(simd, &corners);
        let mut axes = leaf_axes(simd, block, lanes, &corners, &bounds);
        inner_axes(simd, block, lanes, below, &mut axes);
        lane_boxes::orthonormal(simd, &mut axes);
        let mut all = Aabb::EMPTY;
        let mut used = 0;
        for (lane, code) in block.child.into_iter().enumerate() {
            let child = Child::of(code);
            if !matches!(child, Child::Leaf { .. }) {
                let Aabb { lo, hi } = lanes[lane].bounds;
                for k in 0..3 {
                    (bounds.lo[k][lane], bounds.hi[k][lane]) = (lo[k], hi[k]);
                }
            }
            used += usize::from(child != Child::None);
        }
        for k in 0..3 {
            all.lo[k] = bounds.lo[k].into_iter().fold(f64::INFINITY, f64::min);
            all.hi[k] = bounds.hi[k].into_iter().fold(f64::NEG_INFINITY, f64::max);
        }
        let origin = (0.5 * (all.lo + all.hi)).as_vec3();
        block.origin = origin.to_array();
        let origin = origin.as_dvec3();
        let mut along = lane_boxes::bounds_along(simd, &corners, origin, &axes);
        for k in 0..3 {
            for lane in 0..LANES {
                bounds.lo[k][lane] -= origin[k];
                bounds.hi[k][lane] -= origin[k];
            }
        }
        for (lane, code) in block.child.into_iter().enumerate() {
            if let Child::Block(_) = Child::of(code) {
                let two = axes.map(|axis| Vec3::from_array(axis.map(|x| x[lane])));
                let Aabb { lo, hi } = self.extent(simd, &lanes[lane], shared, origin, &three(two));
                for k in 0..3 {
                    (along.lo[k][lane], along.hi[k][lane]) = (lo[k], hi[k]);
                }
            }
        }
        lane_boxes::fit(simd, block, &axes, &bounds, &along);
        for lane in used..LANES {
            block.clear(lane);
        }
        ([lanes[0].own[0], lanes[used - 1].own[1]], all)
    }

    /// Finds the vertices of the leaves, and sets their corners.
    #[inline(always)]
    fn look_at_leaves(
        &self,
        block: &Block,
        lanes: &mut [Below; LANES],
        shared: &mut Vec<u32>,
        corners: &mut Corners,
    ) {
        let [xs, ys, zs] = &self.points;
        let (ys, zs) = (&ys[..xs.len()], &zs[..xs.len()]);
        for (lane, code) in block.child.into_iter().enumerate() {
            let Child::Leaf { first, count } = Child::of(code) else { continue };
            let [a, b, c] = self.corners[first as usize];
            let [d, e, f] = self.corners[(first + count - 1) as usize];
            let six = [a, b, c, d, e, f];
            for (slot, v) in corners.iter_mut().zip(six) {
                let v = v as usize;
                (slot[0][lane], slot[1][lane], slot[2][lane]) = (xs[v], ys[v], zs[v]);
            }
            let before = |triangle: u32| self.vertices_before[triangle as usize];
            let own = [before(first), before(first + count)];
            // Without a branch: one that is not listed is written over by the next.
            let (mut listed, mut some) = (0, [0; 6]);
            for (i, v) in six.into_iter().enumerate() {
                some[listed] = v;
                listed += usize::from((v < own[0]) & six[..i].iter().fold(true, |new, &w| new & (w != v)));
            }
            let start = shared.len();
            shared.extend_from_slice(&some[..listed]);
            lanes[lane].own = own;
            lanes[lane].shared = [start, shared.len()];
        }
    }

    #[inline(always)]
    fn gather<S: Simd>(&self, simd: S, [a, b, c, d]: [usize; 4]) -> Vec3x4<S> {
        let [xs, ys, zs] = &self.points;
        Vector([
            f64x4::load_array(simd, [xs[a], xs[b], xs[c], xs[d]]),
            f64x4::load_array(simd, [ys[a], ys[b], ys[c], ys[d]]),
            f64x4::load_array(simd, [zs[a], zs[b], zs[c], zs[d]]),
        ])
    }

    /// Bounds all points below, relative to the origin, along the axes.
    #[inline(always)]
    fn extent<S: Simd>(
        &self,
        simd: S,
        below: &Below,
        shared: &[u32],
        origin: DVec3,
        axes: &[DVec3; 3],
    ) -> Aabb {
        let origin = Vec3x4::splat(simd, origin);
        let [a, b, c] = *axes;
        let axes = [Vec3x4::splat(simd, a), Vec3x4::splat(simd, b), Vec3x4::splat(simd, c)];
        let mut lo = [f64x4::splat(simd, f64::INFINITY); 3];
        let mut hi = [f64x4::splat(simd, f64::NEG_INFINITY); 3];
        let [xs, ys, zs] = &self.points;
        let [start, end] = below.own.map(|v| v as usize);
        let whole = start + (end - start) / 4 * 4;
        let columns = xs[start..whole].chunks_exact(4).zip(ys[start..whole].chunks_exact(4));
        for ((x, y), z) in columns.zip(zs[start..whole].chunks_exact(4)) {
            let p =
                Vector([f64x4::from_slice(simd, x), f64x4::from_slice(simd, y), f64x4::from_slice(simd, z)]);
            widen(&mut lo, &mut hi, &axes, p - origin);
        }
        if whole < end {
            let last = end - 1;
            let four = [whole, (whole + 1).min(last), (whole + 2).min(last), last];
            widen(&mut lo, &mut hi, &axes, self.gather(simd, four) - origin);
        }
        let [first_shared, end_shared] = below.shared;
        for chunk in shared[first_shared..end_shared].chunks(4) {
            let at = |i: usize| chunk[i.min(chunk.len() - 1)] as usize;
            let four = [at(0), at(1), at(2), at(3)];
            widen(&mut lo, &mut hi, &axes, self.gather(simd, four) - origin);
        }
        Aabb {
            lo: DVec3::new(lo[0].reduce_min(), lo[1].reduce_min(), lo[2].reduce_min()),
            hi: DVec3::new(hi[0].reduce_max(), hi[1].reduce_max(), hi[2].reduce_max()),
        }
    }
}

/// Returns the number of triangles in the leaves of some blocks.
fn triangles_in(blocks: &[Block]) -> usize {
    let count = |code: &u32| match Child::of(*code) {
        Child::Leaf { count, .. } => count as usize,
        _ => 0,
    };
    blocks.iter().flat_map(|block| &block.child).map(count).sum()
}

/// Returns candidate axes and the spread for leaf boxes; zeros for other lanes.
#[inline(always)]
fn leaf_axes<S: Simd>(
    simd: S,
    block: &Block,
    lanes: &mut [Below; LANES],
    corners: &Corners,
    bounds: &LaneBounds,
) -> TwoAxes {
    // Largest extents lane by lane: no lane waits for another.
    let mut sizes = [0.0f64; LANES];
    for (lo, hi) in bounds.lo.iter().zip(&bounds.hi) {
        for ((size, lo), hi) in sizes.iter_mut().zip(lo).zip(hi) {
            *size = size.max(hi - lo);
        }
    }
    let size = sizes.into_iter().fold(0.0, f64::max);
    if size <= 0.0 {
        return [[[0.0; LANES]; 3]; 2]; // no leaves, or points
    }
    // Scaled to about unit size: squares of areas are small otherwise.
    let unit = 2.0 / f64::from_bits(size.to_bits() & (2047 << 52)).max(f64::from_bits(923 << 52));
    let relative = lane_boxes::relative(simd, corners, unit);
    let leaf = block.child.map(|code| match Child::of(code) {
        Child::Leaf { count, .. } => count,
        _ => 0,
    });
    let frames = leaf_frames(simd, &relative, &leaf.map(|count| if count == 2 { 1.0 } else { 0.0 }));
    let mut axes = frames.axes;
    let scale = 1.0 / unit;
    for lane in 0..LANES {
        if leaf[lane] > 0 {
            let mean = frames.mean.map(|x| f64::from(x[lane]) * scale);
            let square = scale * scale * scale * scale;
            lanes[lane].spread = Spread {
                weight: f64::from(frames.weight[lane]) * scale * scale,
                mean: DVec3::from_array(corners[0].map(|x| x[lane])) + DVec3::from_array(mean),
                second: frames.second.map(|x| f64::from(x[lane]) * square),
            };
        } else {
            axes.iter_mut().flatten().for_each(|x| x[lane] = 0.0);
        }
    }
    axes
}

/// Fills in the axes for boxes that are not leaves.
#[inline(always)]
fn inner_axes<S: Simd>(simd: S, block: &Block, lanes: &[Below; LANES], below: &Subtrees, axes: &mut TwoAxes) {
    let inner = block.child.map(|code| matches!(Child::of(code), Child::Block(_)));
    if !inner.contains(&true) {
        return;
    }
    let mut shapes = [[0.0; LANES]; 6];
    for lane in (0..LANES).filter(|&lane| inner[lane]) {
        for (shapes, x) in shapes.iter_mut().zip(lanes[lane].spread.shape()) {
            shapes[lane] = x;
        }
    }
    let frames = lane_jacobi::eigenvectors(simd, &shapes);
    for (lane, code) in block.child.into_iter().enumerate() {
        let Child::Block(child) = Child::of(code) else { continue };
        let [[ax, ay, az], [bx, by, bz]] = &frames;
        let start = [Vec3::new(ax[lane], ay[lane], az[lane]), Vec3::new(bx[lane], by[lane], bz[lane])];
        let found = turned(simd, &below.blocks[child as usize - below.first], start);
        for (axis, found) in axes.iter_mut().zip(found) {
            for k in 0..3 {
                axis[k][lane] = found[k];
            }
        }
    }
}

/// Returns the subtrees among a block's children: the lane, the blocks, and the number of the first block.
/// `blocks` are those after the parent, the first of them number `first`.
fn subtrees<'b>(
    codes: &[u32; LANES],
    blocks: &'b mut [Block],
    first: usize,
) -> impl Iterator<Item = (usize, &'b mut [Block], usize)> + use<'b> {
    let starts = codes.map(|code| match Child::of(code) {
        Child::Block(child) => Some(child as usize),
        _ => None,
    });
    let (mut rest, mut at) = (blocks, first);
    (0..LANES).filter_map(move |lane| {
        let start = starts[lane]?;
        let end = starts[lane + 1..].iter().flatten().next().copied().unwrap_or(at + rest.len());
        let (subtree, after) = std::mem::take(&mut rest).split_at_mut(end - start);
        (rest, at) = (after, end);
        Some((lane, subtree, start))
    })
}

#[inline(always)]
fn widen<S: Simd>(lo: &mut [f64x4<S>; 3], hi: &mut [f64x4<S>; 3], axes: &[Vec3x4<S>; 3], p: Vec3x4<S>) {
    for k in 0..3 {
        let x = axes[k].dot(p);
        lo[k] = lo[k].min(x);
        hi[k] = hi[k].max(x);
    }
}

/// Returns all three axes.
#[inline(always)]
pub(in super::super) fn three([a, b]: [Vec3; 2]) -> [DVec3; 3] {
    let [a, b] = [a, b].map(Vec3::as_dvec3);
    [a, b, a.cross(b)]
}
