//! Eight boxes at once.

use super::{FAR, PARALLEL, Single};
use crate::hierarchy::wide_tree::Block;
use crate::lanes::{Select, Simd, SimdBase, SimdFloat, SimdMask, f32x8, mask32x8};

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

/// Scalar products of the axes, by the single box's axis and then by the block's; and the centres'
/// difference along both.
struct Relative<S: Simd> {
    /// `columns[j][i]`: axis j of the block's boxes, along axis i of the single one.
    columns: [Three<S>; 3],
    along_one: Three<S>,
    along_block: Three<S>,
}

#[inline(always)]
fn relative<S: Simd>(simd: S, one: &Single, block: &Block) -> Relative<S> {
    let center = load(simd, &block.center);
    let from = splat(simd, &one.center);
    let t = [center[0] - from[0], center[1] - from[1], center[2] - from[2]];
    let axes = [splat(simd, &one.axes[0]), splat(simd, &one.axes[1]), splat(simd, &one.axes[2])];
    let along_one = along(&axes, &t);
    let first = along(&axes, &load(simd, &block.axes[0]));
    let second = along(&axes, &load(simd, &block.axes[1]));
    let third = cross(&first, &second);
    let along_block = [dot(&along_one, &first), dot(&along_one, &second), dot(&along_one, &third)];
    Relative { columns: [first, second, third], along_one, along_block }
}

/// Bit i is set unless box i of the block is apart from the single one.
#[inline(always)]
pub fn meeting<S: Simd>(simd: S, one: &Single, block: &Block) -> u32 {
    let Relative { columns: c, along_one: ta, along_block: tb } = relative(simd, one, block);
    let ha = splat(simd, &one.half);
    let hb = load(simd, &block.half);
    let parallel = f32x8::splat(simd, PARALLEL);
    let r = [sizes(&c[0], parallel), sizes(&c[1], parallel), sizes(&c[2], parallel)];
    // Lanes without a box.
    let mut apart: mask32x8<S> = hb[0].simd_lt(f32x8::splat(simd, 0.0));
    for i in 0..3 {
        let radius = hb[2].mul_add(r[2][i], hb[1].mul_add(r[1][i], hb[0].mul_add(r[0][i], ha[i])));
        apart |= ta[i].abs().simd_gt(radius);
        let radius = ha[2].mul_add(r[i][2], ha[1].mul_add(r[i][1], ha[0].mul_add(r[i][0], hb[i])));
        apart |= tb[i].abs().simd_gt(radius);
    }
    let faces = apart.to_bitmask() as u32;
    if faces == 0xff {
        return 0;
    }
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let distance = ta[i2].mul_sub(c[j][i1], ta[i1] * c[j][i2]).abs();
            let from_one = ha[i1].mul_add(r[j][i2], ha[i2] * r[j][i1]);
            let radius = hb[j1].mul_add(r[j2][i], hb[j2].mul_add(r[j1][i], from_one));
            apart |= distance.simd_gt(radius);
        }
    }
    !(apart.to_bitmask() as u32) & 0xff
}

/// Squared distances of the single box's centre from those of the block's, also of lanes without a box: no bounds,
/// but a hint which boxes overlap most.
#[inline(always)]
pub fn between_centers<S: Simd>(simd: S, one: &Single, block: &Block) -> f32x8<S> {
    let (center, from) = (load(simd, &block.center), splat(simd, &one.center));
    let t = [center[0] - from[0], center[1] - from[1], center[2] - from[2]];
    dot(&t, &t)
}

/// Proven lower bounds of the squared distances between the single box and the block's: the larger of
/// those seen along the axes of either. Lanes without a box are at infinity.
#[inline(always)]
pub fn distances<S: Simd>(simd: S, one: &Single, block: &Block) -> f32x8<S> {
    let Relative { columns: c, along_one: ta, along_block: tb } = relative(simd, one, block);
    let ha = splat(simd, &one.half);
    let hb = load(simd, &block.half);
    let zero = f32x8::splat(simd, 0.0);
    let slack = (ta[0].abs() + ta[1].abs() + ta[2].abs()) * f32x8::splat(simd, FAR);
    let parallel = f32x8::splat(simd, PARALLEL);
    let r = [sizes(&c[0], parallel), sizes(&c[1], parallel), sizes(&c[2], parallel)];
    let (mut from_one, mut from_block) = (zero, zero);
    for i in 0..3 {
        let radius = hb[2].mul_add(r[2][i], hb[1].mul_add(r[1][i], hb[0].mul_add(r[0][i], ha[i])));
        // In this order a NaN gives zero.
        let gap = (ta[i].abs() - radius - slack).max_precise(zero);
        from_one = gap.mul_add(gap, from_one);
        let radius = ha[2].mul_add(r[i][2], ha[1].mul_add(r[i][1], ha[0].mul_add(r[i][0], hb[i])));
        let gap = (tb[i].abs() - radius - slack).max_precise(zero);
        from_block = gap.mul_add(gap, from_block);
    }
    let bound = from_one.max(from_block) * f32x8::splat(simd, 1.0 - FAR);
    let used = hb[0].simd_ge(zero);
    used.select(bound, f32x8::splat(simd, f32::INFINITY))
}
