//! The form in lanes: eight boxes at once, with the operations of [`scalar`](super::scalar).

use super::{IntervalFrame, SUBDIVISION, Terms};
use crate::continuous::method::Axes;
use crate::hierarchy::obb8::Block;
use crate::hierarchy::obb8::box_box::Single;
use crate::hierarchy::obb8::box_box::simd::{Relative, cross, dot, load, relative, splat, sum_of_sizes};
use crate::lanes::{Simd, SimdBase, SimdFloat, SimdMask, Vector, f32x8, mask32x8};

/// Returns the given lanes whose box no tried axis keeps farther than `limit` from the single one throughout.
#[inline(always)]
pub fn meeting<S: Simd>(
    simd: S,
    one: &Single,
    (block, lanes): (&Block, u32),
    over: &IntervalFrame,
    limit: f32,
    tried: Axes,
) -> u32 {
    let terms = Terms::new(one, &block.origin, over, limit);
    let Relative { columns: c, along_one: ta, along_block: tb } = relative(simd, one, block);
    let (turn, shift) = (splat(simd, &terms.turn), splat(simd, &terms.shift));
    let carried = cross(&ta, &turn);
    let ta_path = carried - shift;
    let c_path = [cross(&c[0], &turn), cross(&c[1], &turn), cross(&c[2], &turn)];
    let (ha, hb) = (splat(simd, &one.half), load(simd, &block.half));
    let mut r = c;
    for j in 0..3 {
        for i in 0..3 {
            r[j][i] = c[j][i].abs() + (c_path[j][i].abs() + over.parallel);
        }
    }
    // Lanes without a box.
    let mut apart: mask32x8<S> = hb[0].simd_lt(f32x8::splat(simd, 0.0));
    for i in 0..3 {
        let radius = hb[2].mul_add(r[2][i], hb[1].mul_add(r[1][i], hb[0].mul_add(r[0][i], ha[i])));
        apart |= (ta[i].abs() - ta_path[i].abs()).simd_gt(radius + terms.own_face);
        let radius = ha[2].mul_add(r[i][2], ha[1].mul_add(r[i][1], ha[0].mul_add(r[i][0], hb[i])));
        let tb_path = dot(&shift, &c[i]);
        apart |= (tb[i].abs() - tb_path.abs()).simd_gt(radius + terms.face);
    }
    let left = lanes & !(apart.to_bitmask() as u32);
    if left == 0 || tried == Axes::Faces {
        return left;
    }
    let per_path = f32x8::splat(simd, over.per_path);
    let per_distance = f32x8::splat(simd, over.per_distance);
    let half = hb[0] + hb[1] + hb[2];
    let of_size = f32x8::splat(simd, over.per_size).mul_add(half, f32x8::splat(simd, terms.edge));
    let edge = sum_of_sizes(&ta_path).mul_add(per_path, sum_of_sizes(&ta).mul_add(per_distance, of_size));
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let distance = ta[i2].mul_sub(c[j][i1], ta[i1] * c[j][i2]).abs();
            let by_turn = ta[i2].mul_sub(c_path[j][i1], ta[i1] * c_path[j][i2]);
            let path = ta_path[i2].mul_sub(c[j][i1], ta_path[i1].mul_sub(c[j][i2], by_turn)).abs();
            let from_one = ha[i1].mul_add(r[j][i2], ha[i2].mul_add(r[j][i1], edge));
            let radius = hb[j1].mul_add(r[j2][i], hb[j2].mul_add(r[j1][i], from_one));
            apart |= (distance - path).simd_gt(radius);
        }
    }
    lanes & !(apart.to_bitmask() as u32)
}

/// Returns a mask in which bit i is set where the path is long for both boxes, so that halving the stretch
/// may tell more (the subdivision test; it proves nothing).
#[inline(always)]
pub fn subdivide<S: Simd>(simd: S, one: &Single, block: &Block, over: &IntervalFrame) -> u32 {
    let terms = Terms::new(one, &block.origin, over, 0.0);
    let [path, extent, flat] = terms.own(one, over);
    let Relative { columns: c, .. } = relative(simd, one, block);
    let shift = splat(simd, &terms.shift);
    let along = Vector([
        dot(&shift, &c[0]).abs() + flat,
        dot(&shift, &c[1]).abs() + flat,
        dot(&shift, &c[2]).abs() + flat,
    ]);
    let hb = load(simd, &block.half);
    let long = f32x8::splat(simd, path).simd_gt((dot(&hb, &along) + extent) * SUBDIVISION);
    (long & hb[0].simd_ge(f32x8::splat(simd, 0.0))).to_bitmask() as u32
}
