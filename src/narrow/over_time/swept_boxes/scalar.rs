//! The reading copy: one pair of boxes at a time.

use super::MovingSingle;
use crate::hierarchy::box_box::PARALLEL;
use crate::hierarchy::box_box::scalar::{cross, dot};
use crate::hierarchy::wide_tree::Block;
use crate::lanes::LANES;
use crate::narrow::over_time::method::Axes;

/// Bit i is set unless box i of the block stays apart from the single one, along one of these axes.
pub fn meeting(one: &MovingSingle, block: &Block, tried: Axes) -> u32 {
    (0..LANES).filter(|&lane| !apart(one, block, lane, tried)).map(|lane| 1 << lane).sum()
}

fn apart(one: &MovingSingle, block: &Block, lane: usize, tried: Axes) -> bool {
    let MovingSingle { single, way, turn, sag } = one;
    let (ha, hb) = (single.half, block.half.map(|column| column[lane]));
    let along = |v: [f32; 3]| single.axes.map(|axis| dot(axis, v));
    let ta = along([0, 1, 2].map(|k| block.center[k][lane] - single.center[k]));
    let [first, second] = block.axes.map(|axis| along(axis.map(|column| column[lane])));
    // Axes of the block's box along those of the single one.
    let c = [first, second, cross(first, second)];
    let r = c.map(|column| column.map(|x| x.abs() + PARALLEL));
    let faces_of_one = |i: usize| {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        // The axis crossed with the turn has components along the other two only.
        let moved = ha[i2].mul_add(turn[i1].abs(), ha[i1].mul_add(turn[i2].abs(), way[i].abs()));
        let radius = hb[2].mul_add(r[2][i], hb[1].mul_add(r[1][i], hb[0].mul_add(r[0][i], ha[i])));
        ta[i].abs() > radius + (moved + sag)
    };
    let faces_of_block = |j: usize| {
        let lever = cross(c[j], *turn);
        let turned = ha[2].mul_add(lever[2].abs(), ha[1].mul_add(lever[1].abs(), ha[0] * lever[0].abs()));
        let moved = dot(c[j], *way).abs() + turned;
        let radius = ha[2].mul_add(r[j][2], ha[1].mul_add(r[j][1], ha[0].mul_add(r[j][0], hb[j])));
        dot(ta, c[j]).abs() > radius + (moved + sag)
    };
    let edges = |i: usize, j: usize| {
        let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        let distance = ta[i2].mul_add(c[j][i1], -(ta[i1] * c[j][i2])).abs();
        let from_one = ha[i1].mul_add(r[j][i2], ha[i2] * r[j][i1]);
        let radius = hb[j1].mul_add(r[j2][i], hb[j2].mul_add(r[j1][i], from_one));
        // (x_i x y_j) x w = y_j w_i - x_i (y_j . w)
        let across = way[i2].mul_add(c[j][i1], -(way[i1] * c[j][i2])).abs();
        let twist = c[j][i2].mul_add(turn[i2], c[j][i1] * turn[i1]).abs();
        let lever = ha[i2].mul_add(r[j][i2], ha[i1] * r[j][i1]);
        let moved = lever.mul_add(turn[i].abs(), ha[i].mul_add(twist, across));
        distance > radius + (moved + sag)
    };
    hb[0] < 0.0 // a lane without a box
        || (0..3).any(faces_of_one)
        || (0..3).any(faces_of_block)
        || (tried == Axes::All && (0..9).any(|k| edges(k / 3, k % 3)))
}
