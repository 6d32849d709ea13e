//! The reading copy: one pair of boxes at a time.

use super::{MovingSide, MovingSingle, WIDER};
use crate::continuous::method::Axes;
use crate::continuous::{FLAT, SUBDIVISION};
use crate::hierarchy::obb8::Block;
use crate::hierarchy::obb8::box_box::PARALLEL;
use crate::hierarchy::obb8::box_box::scalar::{cross, dot, sum_of_sizes};
use crate::lanes::LANES;

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
        let MovingSingle { single, way, turn, deviation } = self.one;
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
        (hb[0] >= 0.0).then(|| Lane { hb, ta, c: [first, second, cross(first, second)], way, deviation })
    }

    /// Returns `None` for boxes that stay apart, otherwise whether they move far.
    fn meets(&self, &Lane { hb, ta, c, way, deviation }: &Lane, tried: Axes) -> Option<bool> {
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
            [ta[i].abs(), radius, moved]
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
            [dot(ta, c[j]).abs(), radius, moved]
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
            [distance, radius, moved]
        };
        let apart = |[distance, radius, moved]: [f32; 3]| distance > radius + (moved + deviation);
        let faces = [0, 1, 2].map(|i| [faces_of_one(i), faces_of_block(i)]);
        if faces.iter().flatten().any(|&axis| apart(axis))
            || (tried == Axes::All && (0..9).any(|k| apart(edges(k / 3, k % 3))))
        {
            return None;
        }
        let mut best = [f32::NEG_INFINITY, 0.0, 0.0];
        for &[distance, radius, moved] in faces.iter().flatten() {
            if distance - radius > best[0] {
                best = [distance - radius, radius, moved];
            }
        }
        let [_, radius, moved] = best;
        Some(moved > (radius + (sum_of_sizes(ha) + sum_of_sizes(hb)) * FLAT) * SUBDIVISION)
    }
}
