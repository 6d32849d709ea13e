//! Eight boxes at once.

use super::MovingSingle;
use crate::hierarchy::box_box::PARALLEL;
use crate::hierarchy::box_box::simd::{Relative, cross, dot, load, relative, sizes, splat};
use crate::hierarchy::wide_tree::Block;
use crate::lanes::{Simd, SimdBase, SimdFloat, SimdMask, f32x8, mask32x8};
use crate::narrow::over_time::method::Axes;

/// Bit i is set unless box i of the block stays apart from the single one, along one of these axes.
#[inline(always)]
pub fn meeting<S: Simd>(simd: S, one: &MovingSingle, block: &Block, tried: Axes) -> u32 {
    let Relative { columns: c, along_one: ta, along_block: tb } = relative(simd, &one.single, block);
    let (ha, hb) = (splat(simd, &one.single.half), load(simd, &block.half));
    let (way, turn) = (splat(simd, &one.way), splat(simd, &one.turn));
    let turns = [turn[0].abs(), turn[1].abs(), turn[2].abs()];
    let sag = f32x8::splat(simd, one.sag);
    let parallel = f32x8::splat(simd, PARALLEL);
    let r = [sizes(&c[0], parallel), sizes(&c[1], parallel), sizes(&c[2], parallel)];
    // Lanes without a box.
    let mut apart: mask32x8<S> = hb[0].simd_lt(f32x8::splat(simd, 0.0));
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        let moved = ha[i2].mul_add(turns[i1], ha[i1].mul_add(turns[i2], way[i].abs()));
        let radius = hb[2].mul_add(r[2][i], hb[1].mul_add(r[1][i], hb[0].mul_add(r[0][i], ha[i])));
        apart |= ta[i].abs().simd_gt(radius + (moved + sag));
        let lever = cross(&c[i], &turn);
        let turned = ha[2].mul_add(lever[2].abs(), ha[1].mul_add(lever[1].abs(), ha[0] * lever[0].abs()));
        let moved = dot(&c[i], &way).abs() + turned;
        let radius = ha[2].mul_add(r[i][2], ha[1].mul_add(r[i][1], ha[0].mul_add(r[i][0], hb[i])));
        apart |= tb[i].abs().simd_gt(radius + (moved + sag));
    }
    let faces = apart.to_bitmask() as u32;
    if faces == 0xff || tried == Axes::Faces {
        return !faces & 0xff;
    }
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let distance = ta[i2].mul_sub(c[j][i1], ta[i1] * c[j][i2]).abs();
            let from_one = ha[i1].mul_add(r[j][i2], ha[i2] * r[j][i1]);
            let radius = hb[j1].mul_add(r[j2][i], hb[j2].mul_add(r[j1][i], from_one));
            let across = way[i2].mul_sub(c[j][i1], way[i1] * c[j][i2]).abs();
            let twist = c[j][i2].mul_add(turn[i2], c[j][i1] * turn[i1]).abs();
            let lever = ha[i2].mul_add(r[j][i2], ha[i1] * r[j][i1]);
            let moved = lever.mul_add(turns[i], ha[i].mul_add(twist, across));
            apart |= distance.simd_gt(radius + (moved + sag));
        }
    }
    !(apart.to_bitmask() as u32) & 0xff
}
