//! Eight boxes at once; operations as in [`scalar`](super::scalar).

use super::{Mover, MovingSingle, SUBDIVISION, WIDER};
use crate::hierarchy::box_box::PARALLEL;
use crate::hierarchy::box_box::simd::{Relative, Three, along, cross, dot, load, relative, sizes, splat};
use crate::hierarchy::wide_tree::Block;
use crate::lanes::{Simd, SimdBase, SimdFloat, SimdMask, f32x8, mask32x8};
use crate::narrow::over_time::method::Axes;

/// Of these lanes, those whose box does not stay apart from the single one, along one of these axes.
#[inline(always)]
pub fn meeting<S: Simd>(
    simd: S,
    one: &MovingSingle,
    (block, lanes): (&Block, u32),
    mover: Mover,
    tried: Axes,
) -> u32 {
    let at = relative(simd, &one.single, block);
    let parallel = f32x8::splat(simd, PARALLEL);
    let c = &at.columns;
    let r = [sizes(&c[0], parallel), sizes(&c[1], parallel), sizes(&c[2], parallel)];
    let boxes = Boxes { lanes, one: splat(simd, &one.single.half), block: load(simd, &block.half), at, r };
    let (way, turn) = (splat(simd, &one.way), splat(simd, &one.turn));
    let sag = f32x8::splat(simd, one.sag);
    match mover {
        Mover::One => {
            let turns = [turn[0].abs(), turn[1].abs(), turn[2].abs()];
            not_apart(&boxes, &OneMoves { boxes: &boxes, way, turn, turns }, sag, tried)
        }
        Mover::Block => {
            let along = along(&boxes.at.columns, &turn);
            let way = carried(&way, &turn, &boxes.at.along_one);
            let more = sum(&turn) * (sum(&boxes.at.along_one) + sum(&boxes.block)) * WIDER;
            not_apart(&boxes, &BlockMoves { boxes: &boxes, way, turn, along }, sag + more, tried)
        }
    }
}

/// Bit i is set where the path is long for the size of both boxes, so that halving the stretch may tell more; it
/// proves nothing.
#[inline(always)]
pub fn subdivide<S: Simd>(simd: S, one: &MovingSingle, block: &Block, mover: Mover) -> u32 {
    let (way, turn, half) = (splat(simd, &one.way), splat(simd, &one.turn), load(simd, &block.half));
    let path = match mover {
        Mover::One => sum(&way) + sum(&turn) * one.size(),
        Mover::Block => {
            let (center, from) = (load(simd, &block.center), splat(simd, &one.single.center));
            let t = [center[0] - from[0], center[1] - from[1], center[2] - from[2]];
            let [x, y, z] = &one.single.axes;
            let ta = along(&[splat(simd, x), splat(simd, y), splat(simd, z)], &t);
            sum(&carried(&way, &turn, &ta)) + sum(&turn) * sum(&half)
        }
    };
    let long = path.simd_gt((sum(&half) + one.size()) * SUBDIVISION);
    (long & half[0].simd_ge(f32x8::splat(simd, 0.0))).to_bitmask() as u32
}

/// The sum of the sizes of the coordinates.
#[inline(always)]
fn sum<S: Simd>(v: &Three<S>) -> f32x8<S> {
    (v[0].abs() + v[1].abs()) + v[2].abs()
}

/// The field at another place.
#[inline(always)]
fn carried<S: Simd>(way: &Three<S>, turn: &Three<S>, to: &Three<S>) -> Three<S> {
    let more = cross(turn, to);
    [way[0] + more[0], way[1] + more[1], way[2] + more[2]]
}

/// Where boxes are, and how large.
struct Boxes<S: Simd> {
    lanes: u32,
    at: Relative<S>,
    one: Three<S>,
    block: Three<S>,
    /// Sizes of the scalar products of axes, at most.
    r: [Three<S>; 3],
}

/// How far points of a box go along an axis, at most; vectors are along the single box's axes.
trait Ways<S: Simd> {
    /// Along axis i of the single box.
    fn along_one(&self, i: usize) -> f32x8<S>;
    /// Along axis j of the block's.
    fn along_block(&self, j: usize) -> f32x8<S>;
    /// Along the product of both.
    fn along_edges(&self, i: usize, j: usize) -> f32x8<S>;
}

#[inline(always)]
fn not_apart<S: Simd>(boxes: &Boxes<S>, ways: &impl Ways<S>, sag: f32x8<S>, tried: Axes) -> u32 {
    let Boxes { lanes, at, one: ha, block: hb, r } = boxes;
    let Relative { columns: c, along_one: ta, along_block: tb } = at;
    // Lanes without a box.
    let mut apart: mask32x8<S> = hb[0].simd_lt(0.0);
    for i in 0..3 {
        let radius = hb[2].mul_add(r[2][i], hb[1].mul_add(r[1][i], hb[0].mul_add(r[0][i], ha[i])));
        apart |= ta[i].abs().simd_gt(radius + (ways.along_one(i) + sag));
        let radius = ha[2].mul_add(r[i][2], ha[1].mul_add(r[i][1], ha[0].mul_add(r[i][0], hb[i])));
        apart |= tb[i].abs().simd_gt(radius + (ways.along_block(i) + sag));
    }
    let left = lanes & !(apart.to_bitmask() as u32);
    if left == 0 || tried == Axes::Faces {
        return left;
    }
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let distance = ta[i2].mul_sub(c[j][i1], ta[i1] * c[j][i2]).abs();
            let from_one = ha[i1].mul_add(r[j][i2], ha[i2] * r[j][i1]);
            let radius = hb[j1].mul_add(r[j2][i], hb[j2].mul_add(r[j1][i], from_one));
            apart |= distance.simd_gt(radius + (ways.along_edges(i, j) + sag));
        }
    }
    lanes & !(apart.to_bitmask() as u32)
}

/// `|way . n|` for n the product of axis i of the single box and an axis of the block's.
#[inline(always)]
fn across<S: Simd>(way: &Three<S>, i: usize, axis: &Three<S>) -> f32x8<S> {
    let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
    way[i2].mul_sub(axis[i1], way[i1] * axis[i2]).abs()
}

struct OneMoves<'a, S: Simd> {
    boxes: &'a Boxes<S>,
    way: Three<S>,
    turn: Three<S>,
    turns: Three<S>,
}

impl<S: Simd> Ways<S> for OneMoves<'_, S> {
    #[inline(always)]
    fn along_one(&self, i: usize) -> f32x8<S> {
        let (i1, i2, h) = ((i + 1) % 3, (i + 2) % 3, &self.boxes.one);
        // The axis crossed with the turn has components along the other two only.
        h[i2].mul_add(self.turns[i1], h[i1].mul_add(self.turns[i2], self.way[i].abs()))
    }

    #[inline(always)]
    fn along_block(&self, j: usize) -> f32x8<S> {
        let (axis, h) = (&self.boxes.at.columns[j], &self.boxes.one);
        let lever = cross(axis, &self.turn);
        let turned = h[2].mul_add(lever[2].abs(), h[1].mul_add(lever[1].abs(), h[0] * lever[0].abs()));
        dot(axis, &self.way).abs() + turned
    }

    #[inline(always)]
    fn along_edges(&self, i: usize, j: usize) -> f32x8<S> {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        let (axis, r, h) = (&self.boxes.at.columns[j], &self.boxes.r[j], &self.boxes.one);
        // (x_i x y_j) x w = y_j w_i - x_i (y_j . w)
        let twist = axis[i2].mul_add(self.turn[i2], axis[i1] * self.turn[i1]).abs();
        let lever = h[i2].mul_add(r[i2], h[i1] * r[i1]);
        lever.mul_add(self.turns[i], h[i].mul_add(twist, across(&self.way, i, axis)))
    }
}

struct BlockMoves<'a, S: Simd> {
    boxes: &'a Boxes<S>,
    /// At the centre of the block's box.
    way: Three<S>,
    turn: Three<S>,
    /// The turn along the axes of the block's box.
    along: Three<S>,
}

impl<S: Simd> Ways<S> for BlockMoves<'_, S> {
    #[inline(always)]
    fn along_one(&self, i: usize) -> f32x8<S> {
        let (c, h) = (&self.boxes.at.columns, &self.boxes.block);
        let lever =
            [across(&self.turn, i, &c[0]), across(&self.turn, i, &c[1]), across(&self.turn, i, &c[2])];
        h[2].mul_add(lever[2], h[1].mul_add(lever[1], h[0].mul_add(lever[0], self.way[i].abs())))
    }

    #[inline(always)]
    fn along_block(&self, j: usize) -> f32x8<S> {
        let (j1, j2, h) = ((j + 1) % 3, (j + 2) % 3, &self.boxes.block);
        let way = dot(&self.boxes.at.columns[j], &self.way).abs();
        h[j2].mul_add(self.along[j1].abs(), h[j1].mul_add(self.along[j2].abs(), way))
    }

    #[inline(always)]
    fn along_edges(&self, i: usize, j: usize) -> f32x8<S> {
        let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
        let Boxes { at, block: h, r, .. } = self.boxes;
        let axis = &at.columns[j];
        let twist = (self.turn[i] - axis[i] * self.along[j]).abs();
        let lever = h[j2].mul_add(r[j2][i], h[j1] * r[j1][i]);
        lever.mul_add(self.along[j].abs(), h[j].mul_add(twist, across(&self.way, i, axis)))
    }
}
