//! The boxes of the wide tree, from the bottom up, proven to contain what is below them.
//!
//! Vertices come in the order of the leaves, so those below a box are a range, but for the ones that
//! triangles further to the front share: those are listed, and the lists are as short as the rim of a patch.

use std::ops::Range;

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::frame::Frame;
use super::lane_jacobi;
use super::lane_vector::LaneVector;
use super::leaf_frames::{LeafCorners, leaf_frames};
use super::spread::Spread;
use super::wide_tree::{Block, Child};
use crate::bounds::aabb::Aabb;
use crate::lanes::*;
use crate::math::error_bounds::{F32_CENTER, F32_EXTENT, F32_PROJECTION, F32_SKEW, F32_SKEW_GAIN};

/// Subtrees with more blocks than this are fitted in parallel.
const PARALLEL: usize = 256;

/// All blocks, of which `children` names the children, depth first. `vertices_before` counts the vertices of
/// the triangles before each.
pub(super) fn blocks(
    children: Vec<[u32; LANES]>,
    frame: &Frame,
    corners: &[[u32; 3]],
    vertices: &[DVec3],
    vertices_before: &[u32],
) -> Vec<Block> {
    let mut points: [Vec<f64>; 3] = std::array::from_fn(|_| Vec::with_capacity(vertices.len()));
    for &v in vertices {
        for (column, x) in points.iter_mut().zip(frame.enter(v).to_array()) {
            column.push(x);
        }
    }
    let mut blocks: Vec<Block> = children.into_iter().map(|child| Block { child, ..Block::EMPTY }).collect();
    Fitter { corners, points, vertices_before }.fit(&mut blocks, 0, &mut Vec::new());
    blocks
}

/// The mesh in the order of the leaves.
struct Fitter<'a> {
    corners: &'a [[u32; 3]],
    /// Normal coordinates of the vertices, in columns.
    points: [Vec<f64>; 3],
    vertices_before: &'a [u32],
}

/// What is below a box.
struct Below {
    bounds: Aabb,
    spread: Spread,
    /// The vertices that come up here first.
    own: Range<u32>,
    /// Where, in a list of vertices, the others are.
    shared: Range<usize>,
}

impl Below {
    const NOTHING: Self = Self { bounds: Aabb::EMPTY, spread: Spread::NONE, own: 0..0, shared: 0..0 };
}

impl Fitter<'_> {
    /// Fits the boxes of a subtree, which is `blocks`, the first of them number `first` of the tree. Leaves
    /// at the end of `shared` the vertices that it shares with triangles to the front.
    fn fit(&self, blocks: &mut [Block], first: usize, shared: &mut Vec<u32>) -> Below {
        let (block, rest) = blocks.split_first_mut().expect("a subtree has a block");
        let start = shared.len();
        let mut lanes = [const { Below::NOTHING }; LANES];
        if rest.len() > PARALLEL {
            let parts: Vec<_> = subtrees(&block.child, rest, first + 1).collect();
            let fit = |(lane, blocks, first): (usize, &mut [Block], usize)| {
                let mut shared = Vec::new();
                (lane, self.fit(blocks, first, &mut shared), shared)
            };
            for (lane, below, list) in parts.into_par_iter().map(fit).collect::<Vec<_>>() {
                lanes[lane] = below;
                lanes[lane].shared = shared.len()..shared.len() + list.len();
                shared.extend(list);
            }
        } else {
            for (lane, blocks, first) in subtrees(&block.child, rest, first + 1) {
                lanes[lane] = self.fit(blocks, first, shared);
            }
        }
        let own = in_lanes!(simd => self.fit_block(simd, block, &mut lanes, shared));
        // Of the lists of the lanes, what belongs to none of them.
        let mut end = start;
        for i in start..shared.len() {
            if shared[i] < own.start {
                shared[end] = shared[i];
                end += 1;
            }
        }
        shared.truncate(end);
        let bounds = lanes.iter().fold(Aabb::EMPTY, |all, lane| all.union(lane.bounds));
        Below {
            bounds,
            spread: Spread::of_all(lanes.iter().map(|lane| &lane.spread)),
            own,
            shared: start..end,
        }
    }

    /// Fits the boxes of one block, leaves and others, and returns all its own vertices.
    #[inline(always)]
    fn fit_block<S: Simd>(
        &self,
        simd: S,
        block: &mut Block,
        lanes: &mut [Below; LANES],
        shared: &mut Vec<u32>,
    ) -> Range<u32> {
        let axes = self.rough_axes(simd, block, lanes, shared);
        let axes = orthonormal(simd, &axes);
        let used = |lane: &usize| block.child[*lane] != Child::None.code();
        let count = (0..LANES).filter(used).count();
        let bounds = lanes.iter().fold(Aabb::EMPTY, |all, lane| all.union(lane.bounds));
        let origin = (0.5 * (bounds.lo + bounds.hi)).as_vec3();
        block.origin = origin.to_array();
        let origin = origin.as_dvec3();
        for (lane, below) in lanes[..count].iter().enumerate() {
            let relative = Aabb { lo: below.bounds.lo - origin, hi: below.bounds.hi - origin };
            let span = relative.lo.abs().max(relative.hi.abs()).max_element();
            let two = axes.map(|axis| Vec3::from_array(axis.map(|x| x[lane])));
            let mut best = ([Vec3::X, Vec3::Y], relative);
            if is_frame(two) {
                let bounds = self.extent(simd, below, shared, origin, &three(two));
                if area(&bounds) < area(&relative) {
                    best = (two, bounds);
                }
            }
            let fitted = Fitted::new(best.0, &best.1, span);
            for k in 0..3 {
                block.center[k][lane] = fitted.center[k];
                block.axes[0][k][lane] = fitted.axes[0][k];
                block.axes[1][k][lane] = fitted.axes[1][k];
                block.half[k][lane] = fitted.half[k];
            }
        }
        lanes[0].own.start..lanes[count - 1].own.end
    }

    /// Looks at the leaves, and returns two axes per lane that are worth a try.
    #[inline(always)]
    fn rough_axes<S: Simd>(
        &self,
        simd: S,
        block: &Block,
        lanes: &mut [Below; LANES],
        shared: &mut Vec<u32>,
    ) -> [[[f32; LANES]; 3]; 2] {
        let mut leaves: LeafCorners = [[[0.0; LANES]; 3]; 6];
        let mut seconds = [0.0; LANES];
        let mut size = 0.0;
        for (lane, code) in block.child.into_iter().enumerate() {
            let Child::Leaf { first, count } = Child::of(code) else { continue };
            let triangles = &self.corners[first as usize..(first + count) as usize];
            let [a, b] = [triangles[0], triangles[triangles.len() - 1]];
            let six = [a[0], a[1], a[2], b[0], b[1], b[2]];
            let points = six.map(|v| self.point(v));
            let bounds = Aabb::of(points);
            size = (bounds.hi - bounds.lo).max_element().max(size);
            for (slot, p) in leaves.iter_mut().zip(points) {
                let p = (p - points[0]).as_vec3();
                for k in 0..3 {
                    slot[k][lane] = p[k];
                }
            }
            seconds[lane] = (count - 1) as f32;
            let before = |triangle: u32| self.vertices_before[triangle as usize];
            let own = before(first)..before(first + count);
            let start = shared.len();
            for (i, v) in six.into_iter().enumerate() {
                if v < own.start && !six[..i].contains(&v) {
                    shared.push(v);
                }
            }
            lanes[lane] = Below { bounds, spread: Spread::NONE, own, shared: start..shared.len() };
            lanes[lane].spread.mean = points[0];
        }
        let mut axes = [[[0.0; LANES]; 3]; 2];
        if size > 0.0 {
            // In units of their size: a square of an area is no small number.
            let unit = 2.0 / f64::from_bits(size.to_bits() & (2047 << 52)).max(f64::from_bits(923 << 52));
            for x in leaves.as_flattened_mut().as_flattened_mut() {
                *x *= unit as f32;
            }
            let frames = leaf_frames(simd, &leaves, &seconds);
            axes = frames.axes;
            for (lane, code) in block.child.into_iter().enumerate() {
                if let Child::Leaf { .. } = Child::of(code) {
                    let scale = 1.0 / unit;
                    let spread = &mut lanes[lane].spread;
                    spread.weight = f64::from(frames.weight[lane]) * scale * scale;
                    spread.mean += DVec3::from_array(frames.mean.map(|x| f64::from(x[lane]) * scale));
                    let square = scale * scale * scale * scale;
                    spread.second = frames.second.map(|x| f64::from(x[lane]) * square);
                }
            }
        }
        let mut shapes = [[0.0; LANES]; 6];
        let inner = block.child.map(|code| matches!(Child::of(code), Child::Block(_)));
        for lane in (0..LANES).filter(|&lane| inner[lane]) {
            for (shapes, x) in shapes.iter_mut().zip(lanes[lane].spread.shape()) {
                shapes[lane] = x;
            }
        }
        if inner.contains(&true) {
            let frames = lane_jacobi::eigenvectors(simd, &shapes);
            for lane in (0..LANES).filter(|&lane| inner[lane]) {
                for (axis, frame) in axes.iter_mut().zip(&frames) {
                    for (x, new) in axis.iter_mut().zip(frame) {
                        x[lane] = new[lane];
                    }
                }
            }
        }
        axes
    }

    #[inline(always)]
    fn point(&self, v: u32) -> DVec3 {
        DVec3::new(self.points[0][v as usize], self.points[1][v as usize], self.points[2][v as usize])
    }

    #[inline(always)]
    fn gather<S: Simd>(&self, simd: S, [a, b, c, d]: [usize; 4]) -> LaneVector<f64x4<S>> {
        let [xs, ys, zs] = &self.points;
        LaneVector([
            f64x4::load_array(simd, [xs[a], xs[b], xs[c], xs[d]]),
            f64x4::load_array(simd, [ys[a], ys[b], ys[c], ys[d]]),
            f64x4::load_array(simd, [zs[a], zs[b], zs[c], zs[d]]),
        ])
    }

    /// Bounds, along the axes, of all points below, relative to the origin.
    #[inline(always)]
    fn extent<S: Simd>(
        &self,
        simd: S,
        below: &Below,
        shared: &[u32],
        origin: DVec3,
        axes: &[DVec3; 3],
    ) -> Aabb {
        let origin = splat(simd, origin);
        let axes = [splat(simd, axes[0]), splat(simd, axes[1]), splat(simd, axes[2])];
        let mut lo = [f64x4::splat(simd, f64::INFINITY); 3];
        let mut hi = [f64x4::splat(simd, f64::NEG_INFINITY); 3];
        let [xs, ys, zs] = &self.points;
        let (start, end) = (below.own.start as usize, below.own.end as usize);
        let whole = start + (end - start) / 4 * 4;
        let columns = xs[start..whole].chunks_exact(4).zip(ys[start..whole].chunks_exact(4));
        for ((x, y), z) in columns.zip(zs[start..whole].chunks_exact(4)) {
            let p = LaneVector([
                f64x4::from_slice(simd, x),
                f64x4::from_slice(simd, y),
                f64x4::from_slice(simd, z),
            ]);
            widen(&mut lo, &mut hi, &axes, p.minus(origin));
        }
        if whole < end {
            let last = end - 1;
            let four = [whole, (whole + 1).min(last), (whole + 2).min(last), last];
            widen(&mut lo, &mut hi, &axes, self.gather(simd, four).minus(origin));
        }
        for chunk in shared[below.shared.clone()].chunks(4) {
            let at = |i: usize| chunk[i.min(chunk.len() - 1)] as usize;
            let four = [at(0), at(1), at(2), at(3)];
            widen(&mut lo, &mut hi, &axes, self.gather(simd, four).minus(origin));
        }
        Aabb {
            lo: DVec3::new(lo[0].reduce_min(), lo[1].reduce_min(), lo[2].reduce_min()),
            hi: DVec3::new(hi[0].reduce_max(), hi[1].reduce_max(), hi[2].reduce_max()),
        }
    }
}

#[inline(always)]
fn splat<S: Simd>(simd: S, p: DVec3) -> LaneVector<f64x4<S>> {
    LaneVector([f64x4::splat(simd, p.x), f64x4::splat(simd, p.y), f64x4::splat(simd, p.z)])
}

/// The subtrees among a block's children: lane, blocks, and the number of the first, where the blocks after
/// the parent start with number `first`.
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
fn widen<S: Simd>(
    lo: &mut [f64x4<S>; 3],
    hi: &mut [f64x4<S>; 3],
    axes: &[LaneVector<f64x4<S>>; 3],
    p: LaneVector<f64x4<S>>,
) {
    for k in 0..3 {
        let x = axes[k].dot(p);
        lo[k] = lo[k].min(x);
        hi[k] = hi[k].max(x);
    }
}

/// Axes made orthonormal in f64, and rounded again; not numbers where that is impossible.
#[inline(always)]
fn orthonormal<S: Simd>(simd: S, axes: &[[[f32; LANES]; 3]; 2]) -> [[[f32; LANES]; 3]; 2] {
    let mut halves = [[[f64x4::splat(simd, 0.0); 2]; 3]; 2];
    for (axis, rough) in halves.iter_mut().zip(axes) {
        for (half, rough) in axis.iter_mut().zip(rough) {
            let (low, high) = f32x8::load_array(simd, *rough).widen();
            *half = [low, high];
        }
    }
    let [a, b] = halves;
    let mut exact = halves;
    for half in 0..2 {
        let a = LaneVector([a[0][half], a[1][half], a[2][half]]);
        let b = LaneVector([b[0][half], b[1][half], b[2][half]]);
        let one = f64x4::splat(simd, 1.0);
        let a = a.scale(one / a.dot(a).sqrt());
        let b = b.minus(a.scale(a.dot(b)));
        let b = b.scale(one / b.dot(b).sqrt());
        for (axis, new) in exact.iter_mut().zip([a, b]) {
            for (x, new) in axis.iter_mut().zip(new.0) {
                x[half] = new;
            }
        }
    }
    let mut rounded = [[[0.0; LANES]; 3]; 2];
    for (axis, exact) in rounded.iter_mut().zip(exact) {
        for (out, [low, high]) in axis.iter_mut().zip(exact) {
            *out = low.narrow(high).to_array();
        }
    }
    rounded
}

/// True when the axes are orthonormal as far as f32 can tell; NaN is not.
#[inline(always)]
pub(super) fn is_frame([a, b]: [Vec3; 2]) -> bool {
    let [a, b] = [a, b].map(Vec3::as_dvec3);
    let off = (a.dot(a) - 1.0).abs().max((b.dot(b) - 1.0).abs()).max(a.dot(b).abs());
    off <= F32_SKEW && !a.is_nan() && !b.is_nan()
}

/// All three axes.
#[inline(always)]
pub(super) fn three([a, b]: [Vec3; 2]) -> [DVec3; 3] {
    let [a, b] = [a, b].map(Vec3::as_dvec3);
    [a, b, a.cross(b)]
}

/// Half of the surface area.
#[inline(always)]
fn area(bounds: &Aabb) -> f64 {
    let size = bounds.hi - bounds.lo;
    size.x * size.y + size.y * size.z + size.z * size.x
}

/// A box as it stands in a block.
struct Fitted {
    center: Vec3,
    axes: [Vec3; 2],
    half: Vec3,
}

impl Fitted {
    /// Around points relative to a block's origin, whose coordinates are at most `span` in magnitude, and
    /// whose projections on the axes (see [`is_frame`]) have these bounds.
    ///
    /// Why it contains them is told at [`crate::bounds::obb::Obb::around`]; here the projection of the
    /// rounded centre takes the place of the centre.
    #[inline(always)]
    fn new(two: [Vec3; 2], bounds: &Aabb, span: f64) -> Self {
        let axes = three(two);
        let middle = 0.5 * (bounds.lo + bounds.hi);
        let center = (axes[0] * middle.x + axes[1] * middle.y + axes[2] * middle.z).as_vec3();
        let at = center.as_dvec3();
        let at = DVec3::new(axes[0].dot(at), axes[1].dot(at), axes[2].dot(at));
        let size = f64::from(center.abs().max_element());
        let half = (bounds.hi - at).max(at - bounds.lo) + F32_PROJECTION * (span + size);
        let half = half + ((F32_SKEW_GAIN + F32_EXTENT) * half.element_sum() + F32_CENTER * size);
        Self { center, axes: two, half: Vec3::new(up(half.x), up(half.y), up(half.z)) }
    }
}

/// The smallest f32 that is at least `x`, which is not negative.
#[inline(always)]
fn up(x: f64) -> f32 {
    let near = x as f32;
    f32::from_bits(near.to_bits() + u32::from(f64::from(near) < x))
}
