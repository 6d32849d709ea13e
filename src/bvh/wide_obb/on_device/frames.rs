//! Pairs that a device places from the frames of their trees: the kernel `place_pairs`.
//!
//! A tree at a pose is sent once, however many pairs it is in. The kernel multiplies the linear parts of two
//! poses, and takes the transpose of the home tree's for a multiple of its inverse. So it places pairs whose
//! home pose is a similarity but for the rounding of doubles, and the CPU places the others (`placing`).

use bytemuck::{Pod, Zeroable};

use super::columns::Pair;
use super::fixed_point::{BITS, Fixed3, ONE, of_double, product, words};
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
    /// Rows of four doubles.
    pub pose: [[u32; 2]; 12],
    /// World position of its normal origin, as doubles.
    pub origin: [[u32; 2]; 3],
    /// A quarter of the reciprocal of the square of the scale's significand, which is from 1/2 to 1, in fixed
    /// point.
    pub quarter: [u32; 2],
    /// The exponent of two that brings directions from the mesh's own frame into fixed point, over the power
    /// of two of the scale.
    pub of_directions: i32,
    /// The same for places in the world.
    pub of_places: i32,
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
    /// A quarter of the reciprocal of the product of both scales' significands, in fixed point.
    pub quarter: [u32; 2],
    /// The same times the ratio and 2^exponent.
    pub quarter_scaled: [u32; 2],
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
        let (_, unit) = parts_of(tree.tree.unit);
        let doubles = |x: f64| words(x.to_bits() as i64);
        let pose: [f64; 12] = placement.pose.rows.as_flattened().try_into().expect("twelve entries");
        Self {
            pose: pose.map(doubles),
            origin: placement.origin.to_array().map(doubles),
            quarter: share(0.25 / (m * m)),
            of_directions: BITS as i32 + unit - 1 - n,
            of_places: BITS as i32 - n,
        }
    }

    fn axis(&self, j: usize) -> Fixed3 {
        [0, 4, 8].map(|row| of_double(f64::from_bits(number(self.pose[row + j]) as u64), self.of_directions))
    }

    fn origin_in(&self, exponent: i32) -> Fixed3 {
        self.origin.map(|words| of_double(f64::from_bits(number(words) as u64), exponent))
    }
}

impl Unplaced {
    /// Returns a pair of trees that are not apart, without its frames and pieces. `None` if the CPU has to
    /// place it.
    pub fn new([home, guest]: [&PosedWideObb; 2], relation: &Relation, any: u32) -> Option<Self> {
        let is_as_posed = |tree: &PosedWideObb| tree.linear == tree.pose.linear() * tree.tree.unit;
        if home.skew > LARGEST_SKEW || !home.scale.is_normal() || ![home, guest].into_iter().all(is_as_posed)
        {
            return None;
        }
        let Relation { ratio, exponent, .. } = *relation;
        let error = (guest.error + home.error) / home.scale * (1.0 + SKEW_LIMIT) + rounding(guest, home);
        let by_frames = f64::from(PLACED + BY_FRAMES) / ONE + 8.0 * home.skew;
        let margin = error * (1.0 + f64::from(ROOM)) + by_frames;
        let quarter = 0.25 / (parts_of(home.scale).0 * parts_of(guest.scale).0);
        (margin < LARGEST_MARGIN).then(|| Self {
            quarter: share(quarter),
            quarter_scaled: share(quarter * ratio * f64::from(1u32 << exponent)),
            exponent,
            any,
            ratio: ratio as f32,
            inverse_ratio: ratio.recip() as f32,
            margin: [up(margin), up(margin / ratio)],
            ..Self::zeroed()
        })
    }

    /// Returns the pair as the kernel places it, with the same bits: its reference implementation.
    pub fn placed(&self, [home, guest]: [&Frame; 2], pieces: [&PlacedPiece; 2]) -> Pair {
        let rows = [0, 1, 2].map(|i| home.axis(i));
        let both = [0, 1, 2].map(|j| product(&rows, guest.axis(j)));
        let turned = both.map(|column| four_times(column, self.quarter));
        let columns = both.map(|column| four_times(column, self.quarter_scaled));
        let [to, from] = [guest, home].map(|frame| frame.origin_in(home.of_places));
        let between = [0, 1, 2].map(|i| to[i].wrapping_sub(from[i]));
        let shift = four_times(product(&rows, between), home.quarter);
        let mut pair = Pair {
            shift: shift.map(words),
            centers: pieces.map(|piece| piece.center),
            poses: [home, guest].map(|frame| frame.pose),
            ratio: self.ratio,
            inverse_ratio: self.inverse_ratio,
            margin: self.margin,
            blur: self.margin[0] * ONE as f32,
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

/// Returns a number of at most 1 in fixed point.
fn share(x: f64) -> [u32; 2] {
    words((x * ONE).round_ties_even() as i64)
}

/// Returns four times the product of a vector and a number of at most 1.
fn four_times(v: Fixed3, by: [u32; 2]) -> Fixed3 {
    let x = number(by);
    product(&[[x, 0, 0], [0, x, 0], [0, 0, x]], v).map(|x| x << 2)
}

/// Returns a number as the nearest float, and the larger one of two.
fn nearest(x: i64) -> f32 {
    let size = x.unsigned_abs();
    let by = (64 - size.leading_zeros()).max(24) - 24;
    let mantissa = if by == 0 { size } else { (size + (1 << (by - 1))) >> by };
    let float = mantissa as f32 * f32::from_bits((79 + by) << 23);
    if x < 0 { -float } else { float }
}
