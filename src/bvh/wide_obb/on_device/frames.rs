//! Pairs that a device places from the frames of their trees: the kernel `place_pairs`.
//!
//! A tree at a pose is sent once, however many pairs it is in. The kernel multiplies the rotations of two
//! frames, and takes the transpose of the home tree's for its inverse. So it places pairs whose home pose is
//! a similarity but for the rounding of doubles, and the CPU places the others (`placing`).

use bytemuck::{Pod, Zeroable};

use super::columns::Pair;
use super::fixed_point::{BITS, Fixed3, ONE, fixed, of_double, product, words};
use super::placing::{Relation, up};
use crate::bvh::placement::{Placement, ROOM, SKEW_LIMIT, rounding};
use crate::bvh::wide_obb::posed::PosedWideObb;
use crate::gpu::error_bounds::{BY_FRAMES, PLACED};

/// Largest skew of a home pose that a device places pairs by.
const LARGEST_SKEW: f64 = 1.0 / (1u64 << 44) as f64;

/// Largest margin of a pair that a device places. The CPU may have to place it too, and its own margin, which
/// is smaller but for rounding in f32, must stay below 1.
const LARGEST_MARGIN: f64 = 0.5;

/// An upper bound of the length of a vertex in normal coordinates, which are at most 1 in size.
const RADIUS: f64 = 1.7321;

/// A tree at a pose. `shaders/place_pairs.wgsl` declares the same struct.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Frame {
    /// Columns of its rotation, in fixed point.
    pub axes: [[u32; 2]; 9],
    /// World position of its normal origin, as doubles.
    pub origin: [[u32; 2]; 3],
    /// Rows of four doubles.
    pub pose: [[u32; 2]; 12],
    /// Half the reciprocal of the scale's significand, which is from 1/2 to 1, in fixed point.
    pub half_reciprocal: [u32; 2],
    /// The exponent of two that brings an origin into fixed point, in units of the scale's power of two.
    pub exponent: i32,
    /// Not used.
    pub zero: u32,
}

/// The fields of a pair that come from the piece of a tree. `shaders/place_pairs.wgsl` declares the same
/// struct.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PlacedPiece {
    /// Centre of the normal coordinates, as in [`Pair::centers`].
    pub center: [[u32; 2]; 3],
    /// The tree's entry of [`Pair::scalings`].
    pub scaling: i32,
    /// The piece's entry of [`Pair::blocks`].
    pub blocks: u32,
    /// The piece's entry of [`Pair::corners`].
    pub corners: u32,
    /// The piece's entry of [`Pair::vertices`].
    pub vertices: u32,
}

/// A pair before it is placed, home first. `shaders/place_pairs.wgsl` declares the same struct.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Unplaced {
    /// Indices of both frames.
    pub frames: [u32; 2],
    /// Indices of both pieces.
    pub pieces: [u32; 2],
    /// The ratio times 2^exponent, in fixed point.
    pub scaled_ratio: [u32; 2],
    /// The same as [`Pair::exponent`].
    pub exponent: u32,
    /// The same as [`Pair::any`].
    pub any: u32,
    /// The same as [`Pair::ratio`].
    pub ratio: f32,
    /// The same as [`Pair::inverse_ratio`].
    pub inverse_ratio: f32,
    /// The same as [`Pair::margin`].
    pub margin: [f32; 2],
    /// The same as [`Pair::blur`].
    pub blur: f32,
    /// Not used.
    pub zero: u32,
}

/// The power of two `n` and the factor `m` from 1/2 to 1 of a normal number `m 2^n`.
fn parts_of(scale: f64) -> (f64, i32) {
    let n = (scale.to_bits() >> 52) as i32 - 1022;
    (f64::from_bits(scale.to_bits() & ((1 << 52) - 1) | 1022 << 52), n)
}

/// True if balls about both trees are apart.
pub fn are_apart([a, b]: [&PosedWideObb; 2]) -> bool {
    a.is_farther(RADIUS, (b, RADIUS), 0.0)
}

impl Frame {
    /// Returns the frame of a tree at a pose.
    pub fn of(tree: &PosedWideObb) -> Self {
        let placement: &Placement = tree;
        let (m, n) = parts_of(placement.scale);
        let rotation = placement.linear * placement.scale.recip();
        let columns = [rotation.x_axis, rotation.y_axis, rotation.z_axis].map(|axis| fixed(axis).map(words));
        let doubles = |x: f64| words(x.to_bits() as i64);
        let pose: [f64; 12] = placement.pose.rows.as_flattened().try_into().expect("twelve entries");
        Self {
            axes: columns.as_flattened().try_into().expect("nine entries"),
            origin: placement.origin.to_array().map(doubles),
            pose: pose.map(doubles),
            half_reciprocal: words((0.5 / m * ONE).round_ties_even() as i64),
            exponent: BITS as i32 - n,
            zero: 0,
        }
    }

    fn axis(&self, j: usize) -> Fixed3 {
        [0, 1, 2].map(|i| number(self.axes[3 * j + i]))
    }

    fn origin_in(&self, exponent: i32) -> Fixed3 {
        self.origin.map(|words| of_double(f64::from_bits(number(words) as u64), exponent))
    }
}

impl Unplaced {
    /// Returns a pair of trees that are not apart, without its frames and pieces. `None` if the CPU has to
    /// place it.
    pub fn new([home, guest]: [&PosedWideObb; 2], relation: &Relation, any: u32) -> Option<Self> {
        if home.skew > LARGEST_SKEW || !home.scale.is_normal() {
            return None;
        }
        let Relation { ratio, exponent, .. } = *relation;
        let error = (guest.error + home.error) / home.scale * (1.0 + SKEW_LIMIT) + rounding(guest, home);
        let by_frames = f64::from(PLACED + BY_FRAMES) / ONE + 8.0 * home.skew;
        let margin = error * (1.0 + f64::from(ROOM)) + by_frames;
        let scaled = ratio * f64::from(1u32 << exponent);
        (margin < LARGEST_MARGIN).then(|| Self {
            scaled_ratio: words((scaled * ONE).round_ties_even() as i64),
            exponent,
            any,
            ratio: ratio as f32,
            inverse_ratio: ratio.recip() as f32,
            margin: [up(margin), up(margin / ratio)],
            blur: up(margin * ONE),
            ..Self::zeroed()
        })
    }

    /// Returns the pair as the kernel places it, with the same bits: its reference implementation.
    pub fn placed(&self, [home, guest]: [&Frame; 2], pieces: [&PlacedPiece; 2]) -> Pair {
        let rows = [0, 1, 2].map(|i| home.axis(i));
        let turned = [0, 1, 2].map(|j| product(&rows, guest.axis(j)));
        let columns = turned.map(|column| times(column, number(self.scaled_ratio)));
        let [to, from] = [guest, home].map(|frame| frame.origin_in(home.exponent));
        let between = [0, 1, 2].map(|i| to[i].wrapping_sub(from[i]));
        let shift = times(product(&rows, between), number(home.half_reciprocal)).map(|x| x << 1);
        let mut pair = Pair {
            shift: shift.map(words),
            centers: pieces.map(|piece| piece.center),
            poses: [home, guest].map(|frame| frame.pose),
            ratio: self.ratio,
            inverse_ratio: self.inverse_ratio,
            margin: self.margin,
            blur: self.blur,
            exponent: self.exponent,
            scalings: pieces.map(|piece| piece.scaling),
            blocks: pieces.map(|piece| piece.blocks),
            corners: pieces.map(|piece| piece.corners),
            vertices: pieces.map(|piece| piece.vertices),
            any: self.any,
            ..Pair::zeroed()
        };
        for (i, j) in (0..9).map(|k| (k / 3, k % 3)) {
            pair.turn[3 * i + j] = words(columns[j][i]);
            pair.rotation[3 * j + i] = nearest(turned[j][i]);
        }
        pair
    }
}

fn number([lo, hi]: [u32; 2]) -> i64 {
    (u64::from(hi) << 32 | u64::from(lo)) as i64
}

/// Returns the product of a vector and a number of at most 1.
fn times(v: Fixed3, x: i64) -> Fixed3 {
    product(&[[x, 0, 0], [0, x, 0], [0, 0, x]], v)
}

/// Returns a number as the nearest float, and the larger one of two.
fn nearest(x: i64) -> f32 {
    let size = x.unsigned_abs();
    let by = (64 - size.leading_zeros()).max(24) - 24;
    let mantissa = if by == 0 { size } else { (size + (1 << (by - 1))) >> by };
    let float = mantissa as f32 * f32::from_bits((79 + by) << 23);
    if x < 0 { -float } else { float }
}
