//! The form in lanes: all eight boxes of the block at once.

use super::{FAR, PARALLEL, SHORT, Single, TURNED};
use crate::bvh::wide_obb::Block;
use closefit_geometry::lanes::{Select, Simd, SimdBase, SimdFloat, SimdMask, Vector, f32x8, mask32x8};

/// A vector of space per lane. Its products below are fused.
pub(crate) type Three<S> = Vector<f32x8<S>>;

/// Loads columns of a block.
#[inline(always)]
pub(crate) fn load<S: Simd>(simd: S, columns: &[[f32; 8]; 3]) -> Three<S> {
    let [x, y, z] = columns;
    Vector([f32x8::load_array_ref(simd, x), f32x8::load_array_ref(simd, y), f32x8::load_array_ref(simd, z)])
}

/// Puts the same vector in every lane.
#[inline(always)]
pub(crate) fn splat<S: Simd>(simd: S, v: &[f32; 3]) -> Three<S> {
    Vector([f32x8::splat(simd, v[0]), f32x8::splat(simd, v[1]), f32x8::splat(simd, v[2])])
}

/// Returns the scalar products.
#[inline(always)]
pub(crate) fn dot<S: Simd>(a: &Three<S>, b: &Three<S>) -> f32x8<S> {
    a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]))
}

/// Returns the sums of the absolute coordinates.
#[inline(always)]
pub(crate) fn sum_of_sizes<S: Simd>(v: &Three<S>) -> f32x8<S> {
    v[0].abs() + v[1].abs() + v[2].abs()
}

/// Returns the cross products.
#[inline(always)]
pub(crate) fn cross<S: Simd>(a: &Three<S>, b: &Three<S>) -> Three<S> {
    Vector([
        a[1].mul_sub(b[2], a[2] * b[1]),
        a[2].mul_sub(b[0], a[0] * b[2]),
        a[0].mul_sub(b[1], a[1] * b[0]),
    ])
}

/// Returns coordinates along axes.
#[inline(always)]
pub(crate) fn along<S: Simd>(axes: &[Three<S>; 3], v: &Three<S>) -> Three<S> {
    Vector([dot(&axes[0], v), dot(&axes[1], v), dot(&axes[2], v)])
}

/// Returns the absolute coordinates, plus `more`.
#[inline(always)]
pub(crate) fn sizes<S: Simd>(v: &Three<S>, more: f32x8<S>) -> Three<S> {
    Vector([v[0].abs() + more, v[1].abs() + more, v[2].abs() + more])
}

/// Scalar products of the axes, and the offset of the centres along both.
pub(crate) struct Relative<S: Simd> {
    /// `columns[j][i]`: axis j of the block's boxes along axis i of the single one.
    pub columns: [Three<S>; 3],
    /// Offset from the single box's centre to the block's, along the single box's axes.
    pub along_one: Three<S>,
    /// The same offset along the axes of the block's boxes.
    pub along_block: Three<S>,
}

/// Expresses the block's boxes in the axes of the single one.
#[inline(always)]
pub(crate) fn relative<S: Simd>(simd: S, one: &Single, block: &Block) -> Relative<S> {
    let center = load(simd, &block.center);
    let from = splat(simd, &one.center);
    let t = center - from;
    let axes = [splat(simd, &one.axes[0]), splat(simd, &one.axes[1]), splat(simd, &one.axes[2])];
    let along_one = along(&axes, &t);
    let first = along(&axes, &load(simd, &block.axes[0]));
    let second = along(&axes, &load(simd, &block.axes[1]));
    let third = cross(&first, &second);
    let along_block = Vector([dot(&along_one, &first), dot(&along_one, &second), dot(&along_one, &third)]);
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

/// Returns the squared distances between the single box's centre and the block's; infinite for lanes without
/// a box.
#[inline(always)]
pub fn between_centers<S: Simd>(simd: S, one: &Single, block: &Block) -> f32x8<S> {
    let (center, from) = (load(simd, &block.center), splat(simd, &one.center));
    let t = center - from;
    let used = f32x8::load_array_ref(simd, &block.half[0]).simd_ge(f32x8::splat(simd, 0.0));
    used.select(dot(&t, &t), f32x8::splat(simd, f32::INFINITY))
}

/// Returns proven lower bounds of the squared distances between a ball around a point and the block's boxes;
/// infinite for lanes without a box.
#[inline(always)]
pub fn point_distances<S: Simd>(simd: S, center: &[f32; 3], radius: f32, block: &Block) -> f32x8<S> {
    let (middle, from) = (load(simd, &block.center), splat(simd, center));
    let t = middle - from;
    let (first, second) = (load(simd, &block.axes[0]), load(simd, &block.axes[1]));
    let along = along(&[first, second, cross(&first, &second)], &t);
    let half = load(simd, &block.half);
    let slack = sum_of_sizes(&along).mul_add(f32x8::splat(simd, FAR), f32x8::splat(simd, radius));
    let zero = f32x8::splat(simd, 0.0);
    let mut squared = zero;
    for k in 0..3 {
        // In this order a NaN gives 0.
        let gap = (along[k].abs() - half[k] - slack).max_precise(zero);
        squared = gap.mul_add(gap, squared);
    }
    half[0].simd_ge(zero).select(squared * f32x8::splat(simd, 1.0 - FAR), f32x8::splat(simd, f32::INFINITY))
}

/// Returns proven lower bounds of the squared distances between the single box and the block's; infinite for
/// lanes without a box. Each is the larger of the bounds along the axes of either box. Unless all of these
/// exceed `limit`, the direction of the gaps may raise it.
#[inline(always)]
pub fn distances<S: Simd>(simd: S, one: &Single, block: &Block, limit: f32) -> f32x8<S> {
    let at = relative(simd, one, block);
    let Relative { columns: c, along_one: ta, along_block: tb } = &at;
    let ha = splat(simd, &one.half);
    let hb = load(simd, &block.half);
    let zero = f32x8::splat(simd, 0.0);
    let slack = (ta[0].abs() + ta[1].abs() + ta[2].abs()) * f32x8::splat(simd, FAR);
    let parallel = f32x8::splat(simd, PARALLEL);
    let r = [sizes(&c[0], parallel), sizes(&c[1], parallel), sizes(&c[2], parallel)];
    let (mut gaps_one, mut gaps_block) = (Vector([zero; 3]), Vector([zero; 3]));
    let (mut from_one, mut from_block) = (zero, zero);
    for i in 0..3 {
        let radius = hb[2].mul_add(r[2][i], hb[1].mul_add(r[1][i], hb[0].mul_add(r[0][i], ha[i])));
        // In this order a NaN gives 0.
        gaps_one[i] = (ta[i].abs() - radius - slack).max_precise(zero);
        from_one = gaps_one[i].mul_add(gaps_one[i], from_one);
        let radius = ha[2].mul_add(r[i][2], ha[1].mul_add(r[i][1], ha[0].mul_add(r[i][0], hb[i])));
        gaps_block[i] = (tb[i].abs() - radius - slack).max_precise(zero);
        from_block = gaps_block[i].mul_add(gaps_block[i], from_block);
    }
    let used = hb[0].simd_ge(zero);
    let bound = from_one.max(from_block) * f32x8::splat(simd, 1.0 - FAR);
    let bound = used.select(bound, f32x8::splat(simd, f32::INFINITY));
    if bound.simd_gt(limit).to_bitmask() as u32 == 0xff {
        return bound;
    }
    let n = direction(&at, [&gaps_one, &gaps_block], from_one.simd_ge(from_block));
    let m = sizes(&along(c, &n), parallel + parallel);
    let radius = dot(&hb, &m) + dot(&ha, &sizes(&n, zero));
    let gap = (dot(&n, ta).abs() - radius - slack).max_precise(zero);
    used.select(bound.max(gap * gap * f32x8::splat(simd, 1.0 - TURNED)), bound)
}

/// Returns the direction of the gaps, no longer than 1, along the single box's axes. The gaps are those along
/// its axes in the lanes `by_one`, and those along the block's in the others.
#[inline(always)]
pub(crate) fn direction<S: Simd>(
    at: &Relative<S>,
    [gaps_one, gaps_block]: [&Three<S>; 2],
    by_one: mask32x8<S>,
) -> Three<S> {
    let Relative { columns: c, along_one: ta, along_block: tb } = at;
    let (d, e) = (toward(gaps_one, ta), toward(gaps_block, tb));
    let mut n = d;
    for i in 0..3 {
        let across = e[2].mul_add(c[2][i], e[1].mul_add(c[1][i], e[0] * c[0][i]));
        n[i] = by_one.select(d[i], across);
    }
    let simd = n[0].simd;
    let scale = f32x8::splat(simd, 1.0) / dot(&n, &n).max(f32x8::splat(simd, SHORT)).sqrt();
    n * scale
}

/// Gives the gaps along axes the signs of the offset between the centres.
#[inline(always)]
fn toward<S: Simd>(gaps: &Three<S>, t: &Three<S>) -> Three<S> {
    Vector([gaps[0].copysign(t[0]), gaps[1].copysign(t[1]), gaps[2].copysign(t[2])])
}
