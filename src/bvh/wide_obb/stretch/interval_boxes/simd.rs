//! The form in lanes: eight boxes at once, with the operations of [`scalar`](super::scalar).

use super::{IntervalFrame, Terms};
use crate::bvh::wide_obb::Block;
use crate::bvh::wide_obb::box_box::Single;
use crate::bvh::wide_obb::box_box::simd::{Relative, Three, cross, dot, load, relative, splat, sum_of_sizes};
use crate::continuous::method::Axes;
use closefit_geometry::lanes::{Simd, SimdBase, SimdFloat, SimdMask, Vector, f32x8, mask32x8};

/// Returns the given lanes whose box no tried axis keeps farther than a limit from the single one throughout.
#[inline(always)]
pub fn meeting<S: Simd>(
    simd: S,
    one: &Single,
    (block, lanes): (&Block, u32),
    (over, limit): (&IntervalFrame, f32),
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
    let pairs = BoxPairs { ha, hb, c, c_path, r, ta, ta_path, tb };
    // Lanes without a box.
    let mut apart: mask32x8<S> = hb[0].simd_lt(f32x8::splat(simd, 0.0));
    for i in 0..3 {
        let radius = hb[2].mul_add(r[2][i], hb[1].mul_add(r[1][i], hb[0].mul_add(r[0][i], ha[i])));
        apart |= (ta[i].abs() - ta_path[i].abs()).simd_gt(radius + terms.own_face);
    }
    apart |= pairs.separated_along_block(&terms);
    let left = lanes & !(apart.to_bitmask() as u32);
    if left == 0 || tried == Axes::Faces {
        return left;
    }
    apart |= pairs.separated_by_edges(over, &terms);
    lanes & !(apart.to_bitmask() as u32)
}

/// A box and eight others in its axes. Names are as in the reading copy.
struct BoxPairs<S: Simd> {
    ha: Three<S>,
    hb: Three<S>,
    c: [Three<S>; 3],
    c_path: [Three<S>; 3],
    r: [Three<S>; 3],
    ta: Three<S>,
    ta_path: Three<S>,
    tb: Three<S>,
}

impl<S: Simd> BoxPairs<S> {
    #[inline(always)]
    fn simd(&self) -> S {
        self.ta[0].simd
    }

    /// Returns the radius along an axis of the block's boxes.
    #[inline(always)]
    fn radius_along_block(&self, j: usize) -> f32x8<S> {
        let Self { ha, hb, r, .. } = self;
        ha[2].mul_add(r[j][2], ha[1].mul_add(r[j][1], ha[0].mul_add(r[j][0], hb[j])))
    }

    /// Returns the radius along an edge axis, with terms that all of them add.
    #[inline(always)]
    fn radius_by_edges(&self, i: usize, j: usize, added: f32x8<S>) -> f32x8<S> {
        let Self { ha, hb, r, .. } = self;
        let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        let from_one = ha[i1].mul_add(r[j][i2], ha[i2].mul_add(r[j][i1], added));
        hb[j1].mul_add(r[j2][i], hb[j2].mul_add(r[j1][i], from_one))
    }

    #[inline(always)]
    fn distance_by_edges(&self, i: usize, j: usize) -> f32x8<S> {
        let (i1, i2, ta, c) = ((i + 1) % 3, (i + 2) % 3, &self.ta, &self.c);
        ta[i2].mul_sub(c[j][i1], ta[i1] * c[j][i2]).abs()
    }

    #[inline(always)]
    fn separated_along_block(&self, terms: &Terms) -> mask32x8<S> {
        let shift = splat(self.simd(), &terms.shift);
        let mut apart = none(self.simd());
        for j in 0..3 {
            let path = dot(&shift, &self.c[j]).abs();
            apart |= (self.tb[j].abs() - path).simd_gt(self.radius_along_block(j) + terms.face);
        }
        apart
    }

    #[inline(always)]
    fn separated_by_edges(&self, over: &IntervalFrame, terms: &Terms) -> mask32x8<S> {
        let (simd, Self { hb, c, c_path, ta, ta_path, .. }) = (self.simd(), self);
        let per_path = f32x8::splat(simd, over.per_path);
        let per_distance = f32x8::splat(simd, over.per_distance);
        let half = hb[0] + hb[1] + hb[2];
        let of_size = f32x8::splat(simd, over.per_size).mul_add(half, f32x8::splat(simd, terms.edge));
        let edge = sum_of_sizes(ta_path).mul_add(per_path, sum_of_sizes(ta).mul_add(per_distance, of_size));
        let mut apart = none(simd);
        for i in 0..3 {
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            for j in 0..3 {
                let by_turn = ta[i2].mul_sub(c_path[j][i1], ta[i1] * c_path[j][i2]);
                let path = ta_path[i2].mul_sub(c[j][i1], ta_path[i1].mul_sub(c[j][i2], by_turn)).abs();
                apart |= (self.distance_by_edges(i, j) - path).simd_gt(self.radius_by_edges(i, j, edge));
            }
        }
        apart
    }
}

/// Returns no lanes.
#[inline(always)]
fn none<S: Simd>(simd: S) -> mask32x8<S> {
    let zero = f32x8::splat(simd, 0.0);
    zero.simd_lt(zero)
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
    let long = f32x8::splat(simd, path).simd_gt((dot(&hb, &along) + extent) * over.k.value());
    (long & hb[0].simd_ge(f32x8::splat(simd, 0.0))).to_bitmask() as u32
}
