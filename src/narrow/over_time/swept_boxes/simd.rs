//! Eight boxes at once.

use super::MovingSingle;
use crate::hierarchy::box_box::PARALLEL;
use crate::hierarchy::wide_tree::Block;
use crate::lanes::{Simd, SimdBase, SimdFloat, SimdMask, f32x8, mask32x8};
use crate::narrow::over_time::method::Axes;

type Three<S> = [f32x8<S>; 3];

#[inline(always)]
fn load<S: Simd>(simd: S, columns: &[[f32; 8]; 3]) -> Three<S> {
    let [x, y, z] = columns;
    [f32x8::load_array_ref(simd, x), f32x8::load_array_ref(simd, y), f32x8::load_array_ref(simd, z)]
}

#[inline(always)]
fn splat<S: Simd>(simd: S, v: &[f32; 3]) -> Three<S> {
    [f32x8::splat(simd, v[0]), f32x8::splat(simd, v[1]), f32x8::splat(simd, v[2])]
}

#[inline(always)]
fn dot<S: Simd>(a: &Three<S>, b: &Three<S>) -> f32x8<S> {
    a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]))
}

#[inline(always)]
fn cross<S: Simd>(a: &Three<S>, b: &Three<S>) -> Three<S> {
    [a[1].mul_sub(b[2], a[2] * b[1]), a[2].mul_sub(b[0], a[0] * b[2]), a[0].mul_sub(b[1], a[1] * b[0])]
}

#[inline(always)]
fn along<S: Simd>(axes: &[Three<S>; 3], v: &Three<S>) -> Three<S> {
    [dot(&axes[0], v), dot(&axes[1], v), dot(&axes[2], v)]
}

#[inline(always)]
fn sizes<S: Simd>(v: &Three<S>, more: f32x8<S>) -> Three<S> {
    [v[0].abs() + more, v[1].abs() + more, v[2].abs() + more]
}

/// Bit i is set unless box i of the block stays apart from the single one, along one of these axes.
#[inline(always)]
pub fn meeting<S: Simd>(simd: S, one: &MovingSingle, block: &Block, tried: Axes) -> u32 {
    let center = load(simd, &block.center);
    let from = splat(simd, &one.single.center);
    let t = [center[0] - from[0], center[1] - from[1], center[2] - from[2]];
    let axes = &one.single.axes;
    let axes = [splat(simd, &axes[0]), splat(simd, &axes[1]), splat(simd, &axes[2])];
    let ta = along(&axes, &t);
    let first = along(&axes, &load(simd, &block.axes[0]));
    let second = along(&axes, &load(simd, &block.axes[1]));
    let third = cross(&first, &second);
    let c = [first, second, third];
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
        apart |= dot(&ta, &c[i]).abs().simd_gt(radius + (moved + sag));
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
