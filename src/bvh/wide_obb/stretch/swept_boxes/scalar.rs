//! The reading copy: one pair of boxes at a time.

use super::{DIRECTED, MovingSide, MovingSingle, WIDER};
use crate::bvh::wide_obb::box_box::PARALLEL;
use crate::bvh::wide_obb::box_box::scalar::{cross, direction, dot, sum_of_sizes, toward};
use crate::bvh::wide_obb::{Block, is_opened};
use crate::continuous::FLAT;
use crate::continuous::method::Axes;
use closefit_geometry::lanes::LANES;

/// A box, a block's boxes, and the side that moves.
pub struct Test<'a> {
    /// The single box.
    pub one: &'a MovingSingle,
    /// The block with the other eight.
    pub block: &'a Block,
    /// The side that moves.
    pub side: MovingSide,
}

/// The box of one lane; vectors are along the single box's axes.
struct Lane {
    hb: [f32; 3],
    /// Offset from the single box's centre to the block's.
    ta: [f32; 3],
    /// The block's axes.
    c: [[f32; 3]; 3],
    /// The field at the centre of the moving box.
    way: [f32; 3],
    deviation: f32,
    is_leaf: bool,
}

impl Test<'_> {
    /// Returns two masks of the given lanes: boxes that no tried axis keeps apart from the single one, and
    /// boxes that move far along the axis that separates them best.
    pub fn meeting(&self, lanes: u32, tried: Axes) -> [u32; 2] {
        let asked = (0..LANES).filter(|lane| lanes >> lane & 1 == 1);
        asked.fold([0; 2], |[left, longer], lane| {
            match self.lane(lane).and_then(|at| self.meets(&at, tried)) {
                Some(long) => [left | 1 << lane, longer | u32::from(long) << lane],
                None => [left, longer],
            }
        })
    }

    /// Returns `None` for a lane without a box.
    fn lane(&self, lane: usize) -> Option<Lane> {
        let MovingSingle { single, way, turn, deviation, .. } = self.one;
        let hb = self.block.half.map(|column| column[lane]);
        let t = [0, 1, 2].map(|k| self.block.center[k][lane] - single.center[k]);
        let along = |v: [f32; 3]| single.axes.map(|axis| dot(axis, v));
        let (ta, [first, second]) =
            (along(t), self.block.axes.map(|axis| along(axis.map(|column| column[lane]))));
        let (way, deviation) = match self.side {
            MovingSide::One => (*way, *deviation),
            MovingSide::Block => {
                let more = cross(*turn, ta);
                (
                    [0, 1, 2].map(|k| way[k] + more[k]),
                    deviation + sum_of_sizes(*turn) * (sum_of_sizes(ta) + sum_of_sizes(hb)) * WIDER,
                )
            }
        };
        let (c, is_leaf) = ([first, second, cross(first, second)], !is_opened(self.block.child[lane]));
        (hb[0] >= 0.0).then_some(Lane { hb, ta, c, way, deviation, is_leaf })
    }

    /// Returns `None` for boxes that stay apart, otherwise whether they move far.
    fn meets(&self, lane: &Lane, tried: Axes) -> Option<bool> {
        let &Lane { hb, ta, c, way, deviation, .. } = lane;
        let (side, ha, turn) = (self.side, self.one.single.half, self.one.turn);
        let r = c.map(|column| column.map(|x| x.abs() + PARALLEL));
        let along = c.map(|axis| dot(axis, turn));
        let across = |v: [f32; 3], i: usize, axis: [f32; 3]| {
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            v[i2].mul_add(axis[i1], -(v[i1] * axis[i2])).abs()
        };
        let faces_of_one = |i: usize| {
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            let moved = match side {
                // The axis crossed with the turn has components along the other two axes only.
                MovingSide::One => {
                    ha[i2].mul_add(turn[i1].abs(), ha[i1].mul_add(turn[i2].abs(), way[i].abs()))
                }
                MovingSide::Block => {
                    let lever = c.map(|axis| across(turn, i, axis));
                    hb[2].mul_add(lever[2], hb[1].mul_add(lever[1], hb[0].mul_add(lever[0], way[i].abs())))
                }
            };
            let radius = hb[2].mul_add(r[2][i], hb[1].mul_add(r[1][i], hb[0].mul_add(r[0][i], ha[i])));
            [ta[i].abs(), radius, moved, ha[i]]
        };
        let faces_of_block = |j: usize| {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let middle = dot(c[j], way).abs();
            let moved = match side {
                MovingSide::One => {
                    let lever = cross(c[j], turn).map(f32::abs);
                    middle + ha[2].mul_add(lever[2], ha[1].mul_add(lever[1], ha[0] * lever[0]))
                }
                MovingSide::Block => hb[j2].mul_add(along[j1].abs(), hb[j1].mul_add(along[j2].abs(), middle)),
            };
            let radius = ha[2].mul_add(r[j][2], ha[1].mul_add(r[j][1], ha[0].mul_add(r[j][0], hb[j])));
            [dot(ta, c[j]).abs(), radius, moved, radius - hb[j]]
        };
        let edges = |i: usize, j: usize| {
            let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
            let distance = across(ta, i, c[j]);
            let from_one = ha[i1].mul_add(r[j][i2], ha[i2] * r[j][i1]);
            let radius = hb[j1].mul_add(r[j2][i], hb[j2].mul_add(r[j1][i], from_one));
            // (x_i x y_j) x w = y_j w_i - x_i (y_j . w)
            let (half, twist, lever, by) = match side {
                MovingSide::One => {
                    let twist = c[j][i2].mul_add(turn[i2], c[j][i1] * turn[i1]);
                    (ha[i], twist, ha[i2].mul_add(r[j][i2], ha[i1] * r[j][i1]), turn[i])
                }
                MovingSide::Block => {
                    let twist = turn[i] - c[j][i] * along[j];
                    (hb[j], twist, hb[j2].mul_add(r[j2][i], hb[j1] * r[j1][i]), along[j])
                }
            };
            let moved = lever.mul_add(by.abs(), half.mul_add(twist.abs(), across(way, i, c[j])));
            [distance, radius, moved, 0.0]
        };
        let apart = |[distance, radius, moved, _]: [f32; 4]| distance > radius + (moved + deviation);
        let faces = [0, 1, 2].map(|i| [faces_of_one(i), faces_of_block(i)]);
        let is_far = self.one.is_far();
        let between = is_far.then(|| self.along_gaps(lane, &faces));
        if faces.iter().flatten().chain(&between).any(|&axis| apart(axis))
            || (tried == Axes::All && (0..9).any(|k| apart(edges(k / 3, k % 3))))
        {
            return None;
        }
        let mut best = [f32::NEG_INFINITY, 0.0, 0.0, 0.0];
        for &[distance, radius, moved, of_one] in faces.iter().flatten().chain(&between) {
            if distance - radius > best[0] {
                best = [distance - radius, radius, moved, of_one];
            }
        }
        let farthest = dot(ta, ta).sqrt() + (sum_of_sizes(ha) + sum_of_sizes(hb));
        let enough = is_far && farthest < self.one.enough;
        Some(enough || self.is_long(lane, best))
    }

    /// True if the boxes move far, along the axis that separates them best, for the radius there, and for the
    /// size, of the boxes that would be opened.
    fn is_long(&self, lane: &Lane, [_, radius, moved, of_one]: [f32; 4]) -> bool {
        let extent_one = sum_of_sizes(self.one.single.half).mul_add(FLAT, of_one);
        let extent_block = sum_of_sizes(lane.hb).mul_add(FLAT, radius - of_one);
        let extent = match (self.one.is_leaf, lane.is_leaf) {
            (false, false) => extent_one + extent_block,
            (false, true) => extent_one,
            (true, false) => extent_block,
            (true, true) => 2.0 * extent_one.min(extent_block),
        };
        moved + self.one.by_acceleration > extent * self.one.k.value()
    }

    /// Returns the distance, the radius, the movement and the single box's share of the radius along the
    /// direction of the gaps.
    fn along_gaps(&self, lane: &Lane, faces: &[[[f32; 4]; 2]; 3]) -> [f32; 4] {
        let (&Lane { hb, ta, c, way, .. }, ha) = (lane, self.one.single.half);
        let gaps = |k: usize| faces.map(|axes| (axes[k][0] - axes[k][1]).max(0.0));
        let (of_one, of_block) = (gaps(0), gaps(1));
        let signed = [toward(of_one, ta), toward(of_block, c.map(|axis| dot(axis, ta)))];
        let n = direction(&c, signed, dot(of_one, of_one) >= dot(of_block, of_block));
        let lever = cross(n, self.one.turn);
        let (lever, h) = match self.side {
            MovingSide::One => (lever, ha),
            MovingSide::Block => (c.map(|axis| dot(axis, lever)), hb),
        };
        let turned = h[2].mul_add(lever[2].abs(), h[1].mul_add(lever[1].abs(), h[0] * lever[0].abs()));
        let moved = dot(n, way).abs() + turned;
        let of_one = dot(ha, n.map(f32::abs));
        let of_block = dot(hb, c.map(|axis| dot(axis, n).abs() + 2.0 * PARALLEL));
        [dot(n, ta) - sum_of_sizes(ta) * DIRECTED, of_one + of_block, moved, of_one]
    }
}
