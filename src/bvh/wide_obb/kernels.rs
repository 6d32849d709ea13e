//! The kernels that searches of these trees call, with a form for every executor.

use super::Block;
use super::box_box::{self, Single};
use super::stretch::interval_boxes::{self, IntervalFrame};
use super::stretch::natural_boxes::{self, NaturalPair, Number};
use super::stretch::swept_boxes::{self, MovingSide, MovingSingle};
use crate::continuous::kernels::MovingKernels;
use crate::continuous::method::Axes;
use closefit_geometry::executor::{Lanes, Scalar};
use closefit_geometry::lanes::{LANES, Simd, SimdBase, SimdMask, f64x4};

/// Tests one box against the eight of a block; its supertraits test leaves.
pub(crate) trait Kernels: MovingKernels {
    /// Numbers of f64: one, or one in each lane.
    type Number: Number;

    /// Returns a mask in which bit i is set unless box i of the block is apart from the single one.
    fn meeting(self, one: &Single, block: &Block) -> u32;

    /// Returns proven lower bounds of the squared distances between a ball around a point and the boxes;
    /// infinite for lanes without a box.
    fn point_distances(self, center: &[f32; 3], radius: f32, block: &Block) -> [f32; LANES];

    /// Returns the squared distances of the centres; infinite for lanes without a box.
    fn between_centers(self, one: &Single, block: &Block) -> [f32; LANES];

    /// Returns proven lower bounds of the squared distances, times `unit`, and the lanes for which that is at
    /// most `farthest`. Bounds that exceed `limit` need not be any tighter.
    fn near(self, one: &Single, block: &Block, limit: f32, unit: f32, farthest: f32) -> (u32, [f32; LANES]);

    /// Returns two masks of the given lanes: boxes that do not stay apart from the single one, and boxes that
    /// move far for their sizes.
    fn swept(self, one: &MovingSingle, block: &Block, side: MovingSide, lanes: u32, axes: Axes) -> [u32; 2];

    /// Returns the given lanes whose boxes do not stay apart from the single one, by intervals.
    fn interval(self, one: &Single, block: &Block, over: &(IntervalFrame, f32), tried: (u32, Axes)) -> u32;

    /// Returns the given lanes of a block of one tree (0 the first) whose boxes do not stay apart
    /// from a box of the other, by intervals of coordinates.
    #[inline(always)]
    fn natural(
        self,
        over: &NaturalPair,
        block: (usize, &Block, u32),
        other: (&Block, usize),
        tried: Axes,
    ) -> u32 {
        natural_boxes::meeting(self.zero(), over, block, other, tried)
    }

    /// Returns the number 0, in as many lanes as the executor has of f64.
    fn zero(self) -> Self::Number;

    /// Returns a mask of the boxes that move far for their sizes.
    fn subdivided(self, one: &Single, block: &Block, over: &IntervalFrame) -> u32;
}

impl<S: Simd> Kernels for Lanes<S> {
    type Number = f64x4<S>;

    #[inline(always)]
    fn meeting(self, one: &Single, block: &Block) -> u32 {
        box_box::simd::meeting(self.0, one, block)
    }

    #[inline(always)]
    fn point_distances(self, center: &[f32; 3], radius: f32, block: &Block) -> [f32; LANES] {
        box_box::simd::point_distances(self.0, center, radius, block).to_array()
    }

    #[inline(always)]
    fn between_centers(self, one: &Single, block: &Block) -> [f32; LANES] {
        box_box::simd::between_centers(self.0, one, block).to_array()
    }

    #[inline(always)]
    fn near(self, one: &Single, block: &Block, limit: f32, unit: f32, farthest: f32) -> (u32, [f32; LANES]) {
        let squared = box_box::simd::distances(self.0, one, block, limit) * unit;
        (squared.simd_le(farthest).to_bitmask() as u32, squared.to_array())
    }

    #[inline(always)]
    fn swept(self, one: &MovingSingle, block: &Block, side: MovingSide, lanes: u32, axes: Axes) -> [u32; 2] {
        swept_boxes::simd::Test::new(self.0, one, block, side).meeting(lanes, axes)
    }

    #[inline(always)]
    fn interval(
        self,
        one: &Single,
        block: &Block,
        (over, limit): &(IntervalFrame, f32),
        (lanes, axes): (u32, Axes),
    ) -> u32 {
        interval_boxes::simd::meeting(self.0, one, (block, lanes), (over, *limit), axes)
    }

    #[inline(always)]
    fn zero(self) -> f64x4<S> {
        f64x4::splat(self.0, 0.0)
    }

    #[inline(always)]
    fn subdivided(self, one: &Single, block: &Block, over: &IntervalFrame) -> u32 {
        interval_boxes::simd::subdivide(self.0, one, block, over)
    }
}

impl Kernels for Scalar {
    type Number = f64;

    fn meeting(self, one: &Single, block: &Block) -> u32 {
        box_box::scalar::meeting(one, block)
    }

    fn point_distances(self, center: &[f32; 3], radius: f32, block: &Block) -> [f32; LANES] {
        box_box::scalar::point_distances(center, radius, block)
    }

    fn between_centers(self, one: &Single, block: &Block) -> [f32; LANES] {
        box_box::scalar::between_centers(one, block)
    }

    fn near(self, one: &Single, block: &Block, limit: f32, unit: f32, farthest: f32) -> (u32, [f32; LANES]) {
        let squared = box_box::scalar::distances(one, block, limit).map(|squared| squared * unit);
        (lanes_within(&squared, farthest), squared)
    }

    fn swept(self, one: &MovingSingle, block: &Block, side: MovingSide, lanes: u32, axes: Axes) -> [u32; 2] {
        swept_boxes::scalar::Test { one, block, side }.meeting(lanes, axes)
    }

    fn interval(
        self,
        one: &Single,
        block: &Block,
        (over, limit): &(IntervalFrame, f32),
        (lanes, axes): (u32, Axes),
    ) -> u32 {
        interval_boxes::scalar::meeting(one, (block, lanes), (over, *limit), axes)
    }

    fn zero(self) -> f64 {
        0.0
    }

    fn subdivided(self, one: &Single, block: &Block, over: &IntervalFrame) -> u32 {
        interval_boxes::scalar::subdivide(one, block, over)
    }
}

/// Returns a mask in which bit i is set where number i is at most `farthest`.
pub(crate) fn lanes_within(squared: &[f32; LANES], farthest: f32) -> u32 {
    (0..LANES).filter(|&lane| squared[lane] <= farthest).map(|lane| 1 << lane).sum()
}
