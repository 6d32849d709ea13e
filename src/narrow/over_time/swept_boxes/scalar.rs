//! The reading copy: one pair of boxes at a time.

use super::{Mover, MovingSingle, SUBDIVISION, WIDER};
use crate::hierarchy::box_box::PARALLEL;
use crate::hierarchy::box_box::scalar::{cross, dot};
use crate::hierarchy::wide_tree::Block;
use crate::lanes::LANES;
use crate::narrow::over_time::method::Axes;

/// Of these lanes, those whose box does not stay apart from the single one, along one of these axes.
pub fn meeting(one: &MovingSingle, (block, lanes): (&Block, u32), mover: Mover, tried: Axes) -> u32 {
    let meets = |lane: &usize| lanes >> lane & 1 == 1 && !apart(one, block, *lane, mover, tried);
    (0..LANES).filter(meets).map(|lane| 1 << lane).sum()
}

/// Bit i is set where the path is long for the size of both boxes.
pub fn subdivide(one: &MovingSingle, block: &Block, mover: Mover) -> u32 {
    let long = |lane: usize| {
        let half = block.half.map(|column| column[lane]);
        let path = match mover {
            Mover::One => sum(one.way) + sum(one.turn) * one.size(),
            Mover::Block => sum(carried(one, between(one, block, lane))) + sum(one.turn) * sum(half),
        };
        half[0] >= 0.0 && path > (sum(half) + one.size()) * SUBDIVISION
    };
    (0..LANES).filter(|&lane| long(lane)).map(|lane| 1 << lane).sum()
}

/// From the single box's centre to that of a lane, along the single one's axes.
fn between(one: &MovingSingle, block: &Block, lane: usize) -> [f32; 3] {
    let t = [0, 1, 2].map(|k| block.center[k][lane] - one.single.center[k]);
    one.single.axes.map(|axis| dot(axis, t))
}

/// The field at a place relative to the single box's centre.
fn carried(one: &MovingSingle, to: [f32; 3]) -> [f32; 3] {
    let more = cross(one.turn, to);
    [0, 1, 2].map(|k| one.way[k] + more[k])
}

fn sum(v: [f32; 3]) -> f32 {
    (v[0].abs() + v[1].abs()) + v[2].abs()
}

fn apart(one: &MovingSingle, block: &Block, lane: usize, mover: Mover, tried: Axes) -> bool {
    let MovingSingle { single, way, turn, sag } = one;
    let (ha, hb) = (single.half, block.half.map(|column| column[lane]));
    let ta = between(one, block, lane);
    let [first, second] = block.axes.map(|axis| {
        let axis = axis.map(|column| column[lane]);
        single.axes.map(|own| dot(own, axis))
    });
    // Axes of the block's box along those of the single one.
    let c = [first, second, cross(first, second)];
    let r = c.map(|column| column.map(|x| x.abs() + PARALLEL));
    let along = c.map(|axis| dot(axis, *turn));
    let (way, sag) = match mover {
        Mover::One => (*way, *sag),
        Mover::Block => (carried(one, ta), sag + sum(*turn) * (sum(ta) + sum(hb)) * WIDER),
    };
    let across = |v: [f32; 3], i: usize, axis: [f32; 3]| {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        v[i2].mul_add(axis[i1], -(v[i1] * axis[i2])).abs()
    };
    let faces_of_one = |i: usize| {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        let moved = match mover {
            // The axis crossed with the turn has components along the other two only.
            Mover::One => ha[i2].mul_add(turn[i1].abs(), ha[i1].mul_add(turn[i2].abs(), way[i].abs())),
            Mover::Block => {
                let lever = c.map(|axis| across(*turn, i, axis));
                hb[2].mul_add(lever[2], hb[1].mul_add(lever[1], hb[0].mul_add(lever[0], way[i].abs())))
            }
        };
        let radius = hb[2].mul_add(r[2][i], hb[1].mul_add(r[1][i], hb[0].mul_add(r[0][i], ha[i])));
        ta[i].abs() > radius + (moved + sag)
    };
    let faces_of_block = |j: usize| {
        let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
        let middle = dot(c[j], way).abs();
        let moved = match mover {
            Mover::One => {
                let lever = cross(c[j], *turn).map(f32::abs);
                middle + ha[2].mul_add(lever[2], ha[1].mul_add(lever[1], ha[0] * lever[0]))
            }
            Mover::Block => hb[j2].mul_add(along[j1].abs(), hb[j1].mul_add(along[j2].abs(), middle)),
        };
        let radius = ha[2].mul_add(r[j][2], ha[1].mul_add(r[j][1], ha[0].mul_add(r[j][0], hb[j])));
        dot(ta, c[j]).abs() > radius + (moved + sag)
    };
    let edges = |i: usize, j: usize| {
        let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        let distance = across(ta, i, c[j]);
        let from_one = ha[i1].mul_add(r[j][i2], ha[i2] * r[j][i1]);
        let radius = hb[j1].mul_add(r[j2][i], hb[j2].mul_add(r[j1][i], from_one));
        // (x_i x y_j) x w = y_j w_i - x_i (y_j . w)
        let (half, twist, lever, by) = match mover {
            Mover::One => {
                let twist = c[j][i2].mul_add(turn[i2], c[j][i1] * turn[i1]);
                (ha[i], twist, ha[i2].mul_add(r[j][i2], ha[i1] * r[j][i1]), turn[i])
            }
            Mover::Block => {
                let twist = turn[i] - c[j][i] * along[j];
                (hb[j], twist, hb[j2].mul_add(r[j2][i], hb[j1] * r[j1][i]), along[j])
            }
        };
        let moved = lever.mul_add(by.abs(), half.mul_add(twist.abs(), across(way, i, c[j])));
        distance > radius + (moved + sag)
    };
    hb[0] < 0.0 // a lane without a box
        || (0..3).any(faces_of_one)
        || (0..3).any(faces_of_block)
        || (tried == Axes::All && (0..9).any(|k| edges(k / 3, k % 3)))
}
