//! The form in lanes: eight boxes at once, with the operations of [`scalar`](super::scalar).

use super::{DIRECTED, MovingSide, MovingSingle, WIDER};
use crate::bvh::wide_obb::Block;
use crate::bvh::wide_obb::box_box::PARALLEL;
use crate::bvh::wide_obb::box_box::simd::{
    Relative, Three, along, cross, direction, dot, load, relative, sizes, splat, sum_of_sizes,
};
use crate::bvh::wide_topology::LEAF_BIT;
use crate::continuous::FLAT;
use crate::continuous::method::{Axes, K};
use closefit_geometry::lanes::{Select, Simd, SimdBase, SimdFloat, SimdMask, Vector, f32x8, mask32x8, u32x8};

/// A box and a block's boxes at the middle of a stretch, and the motion of one side.
pub struct Test<S: Simd> {
    side: MovingSide,
    at: Relative<S>,
    one: Three<S>,
    block: Three<S>,
    /// Upper bounds of the absolute scalar products of axes.
    r: [Three<S>; 3],
    /// The field at the centre of the moving boxes, along the single box's axes.
    way: Three<S>,
    turn: Three<S>,
    deviation: f32x8<S>,
    by_acceleration: f32,
    enough: f32,
    k: K,
    one_is_leaf: bool,
    is_far: bool,
    /// The block's boxes that have boxes inside.
    opened: mask32x8<S>,
}

impl<S: Simd> Test<S> {
    /// Prepares a box and the boxes of a block; `side` says which side moves.
    #[inline(always)]
    pub fn new(simd: S, one: &MovingSingle, block: &Block, side: MovingSide) -> Self {
        let at = relative(simd, &one.single, block);
        let (half, boxes) = (splat(simd, &one.single.half), load(simd, &block.half));
        let (way, turn, deviation) =
            (splat(simd, &one.way), splat(simd, &one.turn), f32x8::splat(simd, one.deviation));
        let (way, deviation) = match side {
            MovingSide::One => (way, deviation),
            MovingSide::Block => {
                let more = cross(&turn, &at.along_one);
                let way = way + more;
                (
                    way,
                    deviation
                        + sum_of_sizes(&turn) * (sum_of_sizes(&at.along_one) + sum_of_sizes(&boxes)) * WIDER,
                )
            }
        };
        let (c, parallel) = (&at.columns, f32x8::splat(simd, PARALLEL));
        let r = [sizes(&c[0], parallel), sizes(&c[1], parallel), sizes(&c[2], parallel)];
        Self {
            side,
            at,
            one: half,
            block: boxes,
            r,
            way,
            turn,
            deviation,
            by_acceleration: one.by_acceleration,
            enough: one.enough,
            k: one.k,
            one_is_leaf: one.is_leaf,
            is_far: one.is_far(),
            opened: u32x8::from_slice(simd, &block.child).simd_lt(LEAF_BIT),
        }
    }

    /// Returns two masks of the given lanes: boxes that no tried axis keeps apart from the single one, and
    /// boxes that move far along the axis that separates them best, so that halving the stretch may tell
    /// more.
    #[inline(always)]
    pub fn meeting(&self, lanes: u32, tried: Axes) -> [u32; 2] {
        match self.side {
            MovingSide::One => self.not_apart(lanes, tried, &OneMoves::new(self)),
            MovingSide::Block => self.not_apart(lanes, tried, &BlockMoves::new(self)),
        }
    }

    #[inline(always)]
    fn not_apart(&self, lanes: u32, tried: Axes, ways: &impl Ways<S>) -> [u32; 2] {
        let Self { at, one: ha, block: hb, r, deviation, .. } = self;
        let Relative { columns: c, along_one: ta, along_block: tb } = at;
        let mut best = Best::new(deviation.simd);
        let (zero, mut enough) = (f32x8::splat(deviation.simd, 0.0), 0);
        let (mut gaps_one, mut gaps_block) = (Vector([zero; 3]), Vector([zero; 3]));
        // Lanes without a box.
        let mut apart: mask32x8<S> = hb[0].simd_lt(0.0);
        for i in 0..3 {
            let radius = hb[2].mul_add(r[2][i], hb[1].mul_add(r[1][i], hb[0].mul_add(r[0][i], ha[i])));
            let moved = ways.along_one(i);
            apart |= ta[i].abs().simd_gt(radius + (moved + *deviation));
            let gap = ta[i].abs() - radius;
            best.offer(gap, [radius, ha[i], moved]);
            gaps_one[i] = gap.max(zero);
            let radius = ha[2].mul_add(r[i][2], ha[1].mul_add(r[i][1], ha[0].mul_add(r[i][0], hb[i])));
            let moved = ways.along_block(i);
            apart |= tb[i].abs().simd_gt(radius + (moved + *deviation));
            let gap = tb[i].abs() - radius;
            best.offer(gap, [radius, radius - hb[i], moved]);
            gaps_block[i] = gap.max(zero);
        }
        if self.is_far && lanes & !(apart.to_bitmask() as u32) != 0 {
            let by_one = dot(&gaps_one, &gaps_one).simd_ge(dot(&gaps_block, &gaps_block));
            let n = direction(at, [&gaps_one, &gaps_block], by_one);
            let of_one = dot(ha, &sizes(&n, zero));
            let parallel = f32x8::splat(deviation.simd, 2.0 * PARALLEL);
            let across = Vector([dot(&c[0], &n), dot(&c[1], &n), dot(&c[2], &n)]);
            let radius = of_one + dot(hb, &sizes(&across, parallel));
            let moved = ways.along(&n);
            let distance = dot(&n, ta) - sum_of_sizes(ta) * DIRECTED;
            apart |= distance.simd_gt(radius + (moved + *deviation));
            best.offer(distance - radius, [radius, of_one, moved]);
            let farthest = dot(ta, ta).sqrt() + (sum_of_sizes(ha) + sum_of_sizes(hb));
            enough = farthest.simd_lt(self.enough).to_bitmask() as u32;
        }
        let left = lanes & !(apart.to_bitmask() as u32);
        let long = enough | self.long(&best);
        if left == 0 || tried == Axes::Faces {
            return [left, left & long];
        }
        for i in 0..3 {
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            for j in 0..3 {
                let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
                let distance = ta[i2].mul_sub(c[j][i1], ta[i1] * c[j][i2]).abs();
                let from_one = ha[i1].mul_add(r[j][i2], ha[i2] * r[j][i1]);
                let radius = hb[j1].mul_add(r[j2][i], hb[j2].mul_add(r[j1][i], from_one));
                apart |= distance.simd_gt(radius + (ways.along_edges(i, j) + *deviation));
            }
        }
        let left = lanes & !(apart.to_bitmask() as u32);
        [left, left & long]
    }
}

impl<S: Simd> Test<S> {
    /// Returns the lanes in which half the path along the best axis is long for the radius there, and for the
    /// size, of the boxes that would be opened.
    #[inline(always)]
    fn long(&self, best: &Best<S>) -> u32 {
        let flat = f32x8::splat(best.gap.simd, FLAT);
        let extent_one = sum_of_sizes(&self.one).mul_add(flat, best.of_one);
        let extent_block = sum_of_sizes(&self.block).mul_add(flat, best.radius - best.of_one);
        let extent = if self.one_is_leaf {
            self.opened.select(extent_block, extent_one.min(extent_block) * 2.0)
        } else {
            self.opened.select(extent_one + extent_block, extent_one)
        };
        (best.moved + self.by_acceleration).simd_gt(extent * self.k.value()).to_bitmask() as u32
    }
}

/// The axis, of those tried, that separates best at the middle.
struct Best<S: Simd> {
    gap: f32x8<S>,
    /// The sum of both radii, and the radius of the single box.
    radius: f32x8<S>,
    of_one: f32x8<S>,
    moved: f32x8<S>,
}

impl<S: Simd> Best<S> {
    #[inline(always)]
    fn new(simd: S) -> Self {
        let zero = f32x8::splat(simd, 0.0);
        Self { gap: f32x8::splat(simd, f32::NEG_INFINITY), radius: zero, of_one: zero, moved: zero }
    }

    #[inline(always)]
    fn offer(&mut self, gap: f32x8<S>, [radius, of_one, moved]: [f32x8<S>; 3]) {
        let better = gap.simd_gt(self.gap);
        self.gap = better.select(gap, self.gap);
        self.radius = better.select(radius, self.radius);
        self.of_one = better.select(of_one, self.of_one);
        self.moved = better.select(moved, self.moved);
    }
}
/// Bounds of how far points of a box move along an axis; vectors are along the single box's axes.
trait Ways<S: Simd> {
    /// Along axis i of the single box.
    fn along_one(&self, i: usize) -> f32x8<S>;
    /// Along axis j of the block's boxes.
    fn along_block(&self, j: usize) -> f32x8<S>;
    /// Along any unit axis.
    fn along(&self, axis: &Three<S>) -> f32x8<S>;
    /// Along the product of both axes.
    fn along_edges(&self, i: usize, j: usize) -> f32x8<S>;
}

/// Returns `|way . n|`, where n is the product of axis i of the single box and an axis of the block's.
#[inline(always)]
fn across<S: Simd>(way: &Three<S>, i: usize, axis: &Three<S>) -> f32x8<S> {
    let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
    way[i2].mul_sub(axis[i1], way[i1] * axis[i2]).abs()
}

struct OneMoves<'a, S: Simd> {
    test: &'a Test<S>,
    turns: Three<S>,
}

impl<'a, S: Simd> OneMoves<'a, S> {
    #[inline(always)]
    fn new(test: &'a Test<S>) -> Self {
        let Vector([x, y, z]) = test.turn;
        Self { test, turns: Vector([x.abs(), y.abs(), z.abs()]) }
    }
}

impl<S: Simd> Ways<S> for OneMoves<'_, S> {
    #[inline(always)]
    fn along_one(&self, i: usize) -> f32x8<S> {
        let (i1, i2, h) = ((i + 1) % 3, (i + 2) % 3, &self.test.one);
        // The axis crossed with the turn has components along the other two axes only.
        h[i2].mul_add(self.turns[i1], h[i1].mul_add(self.turns[i2], self.test.way[i].abs()))
    }

    #[inline(always)]
    fn along_block(&self, j: usize) -> f32x8<S> {
        self.along(&self.test.at.columns[j])
    }

    #[inline(always)]
    fn along(&self, axis: &Three<S>) -> f32x8<S> {
        let h = &self.test.one;
        let lever = cross(axis, &self.test.turn);
        let turned = h[2].mul_add(lever[2].abs(), h[1].mul_add(lever[1].abs(), h[0] * lever[0].abs()));
        dot(axis, &self.test.way).abs() + turned
    }

    #[inline(always)]
    fn along_edges(&self, i: usize, j: usize) -> f32x8<S> {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        let (axis, r, h) = (&self.test.at.columns[j], &self.test.r[j], &self.test.one);
        // (x_i x y_j) x w = y_j w_i - x_i (y_j . w)
        let twist = axis[i2].mul_add(self.test.turn[i2], axis[i1] * self.test.turn[i1]).abs();
        let lever = h[i2].mul_add(r[i2], h[i1] * r[i1]);
        lever.mul_add(self.turns[i], h[i].mul_add(twist, across(&self.test.way, i, axis)))
    }
}

struct BlockMoves<'a, S: Simd> {
    test: &'a Test<S>,
    /// The turn along the axes of the block's boxes.
    along: Three<S>,
}

impl<'a, S: Simd> BlockMoves<'a, S> {
    #[inline(always)]
    fn new(test: &'a Test<S>) -> Self {
        Self { test, along: along(&test.at.columns, &test.turn) }
    }
}

impl<S: Simd> Ways<S> for BlockMoves<'_, S> {
    #[inline(always)]
    fn along_one(&self, i: usize) -> f32x8<S> {
        let (c, h) = (&self.test.at.columns, &self.test.block);
        let lever = [
            across(&self.test.turn, i, &c[0]),
            across(&self.test.turn, i, &c[1]),
            across(&self.test.turn, i, &c[2]),
        ];
        h[2].mul_add(lever[2], h[1].mul_add(lever[1], h[0].mul_add(lever[0], self.test.way[i].abs())))
    }

    #[inline(always)]
    fn along_block(&self, j: usize) -> f32x8<S> {
        let (j1, j2, h) = ((j + 1) % 3, (j + 2) % 3, &self.test.block);
        let way = dot(&self.test.at.columns[j], &self.test.way).abs();
        h[j2].mul_add(self.along[j1].abs(), h[j1].mul_add(self.along[j2].abs(), way))
    }

    #[inline(always)]
    fn along(&self, axis: &Three<S>) -> f32x8<S> {
        let (c, h) = (&self.test.at.columns, &self.test.block);
        let turned = cross(axis, &self.test.turn);
        let lever = [dot(&c[0], &turned), dot(&c[1], &turned), dot(&c[2], &turned)];
        let turned = h[2].mul_add(lever[2].abs(), h[1].mul_add(lever[1].abs(), h[0] * lever[0].abs()));
        dot(axis, &self.test.way).abs() + turned
    }

    #[inline(always)]
    fn along_edges(&self, i: usize, j: usize) -> f32x8<S> {
        let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
        let (axis, r, h) = (&self.test.at.columns[j], &self.test.r, &self.test.block);
        let twist = (self.test.turn[i] - axis[i] * self.along[j]).abs();
        let lever = h[j2].mul_add(r[j2][i], h[j1] * r[j1][i]);
        lever.mul_add(self.along[j].abs(), h[j].mul_add(twist, across(&self.test.way, i, axis)))
    }
}
