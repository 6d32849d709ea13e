//! Relative placement of two posed trees for the device.

use super::columns::Pair;
use super::fixed_point::{BITS, ONE, fixed, of_double, words};
use super::frames::PlacedPiece;
use crate::bvh::wide_obb::WideObb;
use crate::bvh::wide_obb::posed::PosedWideObb;
use crate::bvh::wide_obb::search::Relative;
use crate::gpu::Refused;
use crate::gpu::error_bounds::PLACED;

/// Limit of the exponent of two between the scales of two trees. Pairs beyond it stay on the CPU, since the
/// guest's boxes would be too coarse in home units.
const LARGEST_EXPONENT: u32 = 20;

/// Largest distance between the origins, in home units. Pairs beyond it stay on the CPU, which sees at once
/// that the trees are apart.
const FARTHEST: f64 = 8.0;

/// A reason why a pair of trees stays on the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A pose has shear or uneven scale.
    Sheared,
    /// The trees' sizes are more than `2^20` apart.
    SizesDiffer,
    /// The trees are so far apart that the CPU sees it at once.
    FarApart,
    /// Positions are uncertain by more than the trees' size, so that the device could decide nothing.
    Imprecise,
    /// A box of a tree is not finite in f32.
    NotFinite,
}

impl Refusal {
    /// Returns the count of one pair, by this reason.
    pub fn counted(self) -> Refused {
        let mut refused = Refused::default();
        *match self {
            Self::Sheared => &mut refused.sheared,
            Self::SizesDiffer => &mut refused.sizes_differ,
            Self::FarApart => &mut refused.far_apart,
            Self::Imprecise => &mut refused.imprecise,
            Self::NotFinite => &mut refused.not_finite,
        } = 1;
        refused
    }
}

/// Returns the exponent of two that brings a tree's vertices into the fixed point of its normal coordinates.
fn scaling(tree: &WideObb) -> i32 {
    let unit = (tree.unit.to_bits() >> 52) as i32 - 1023;
    BITS as i32 - unit
}

/// Returns the largest n with `ratio <= 2^-n`; `None` if the ratio exceeds 1 or is below
/// `2^-LARGEST_EXPONENT`.
fn exponent_above(ratio: f64) -> Option<u32> {
    let (power, is_between) = ((ratio.to_bits() >> 52) as i32 - 1023, ratio.to_bits() << 12 != 0);
    let is_near = (f64::from(1u32 << LARGEST_EXPONENT).recip()..=1.0).contains(&ratio);
    is_near.then(|| (-power) as u32 - u32::from(is_between))
}

/// The facts about two posed trees that are known before one is placed in the coordinates of the other.
#[derive(Clone, Copy, Debug)]
pub struct Relation {
    /// Index of the home tree, 0 or 1.
    pub home: usize,
    /// Home units per guest unit.
    pub ratio: f64,
    /// The exponent of the scaling of [`Pair::turn`].
    pub exponent: u32,
}

/// Rounds up.
pub fn up(x: f64) -> f32 {
    (x as f32).next_up()
}

/// Returns the relation of two trees.
///
/// # Errors
/// The reason why the pair stays on the CPU.
pub fn relate(trees: [&PosedWideObb; 2]) -> Result<Relation, Refusal> {
    let home_side = usize::from(trees[1].scale > trees[0].scale);
    let (home, guest) = (trees[home_side], trees[1 - home_side]);
    let has_shape = home.tree.linear.is_some() || guest.tree.linear.is_some();
    // A pose that is replaced by the similarity next to it makes corners uncertain by more, and so the margin
    // and the blur larger, which every pair has of its own.
    if has_shape || !(home.is_rigid() && guest.is_rigid()) {
        return Err(Refusal::Sheared);
    }
    let ratio = guest.scale / home.scale;
    let exponent = exponent_above(ratio).ok_or(Refusal::SizesDiffer)?;
    Ok(Relation { home: home_side, ratio, exponent })
}

/// Returns what a pair has of a tree, whichever piece.
pub fn piece_of(tree: &WideObb) -> PlacedPiece {
    let scaling = scaling(tree);
    let center = tree.center.to_array().map(|x| words(of_double(x, scaling)));
    PlacedPiece { center, scaling, ..bytemuck::Zeroable::zeroed() }
}

/// Returns the pair without the offsets of its pieces.
///
/// # Errors
/// The reason why the pair stays on the CPU.
pub fn place(
    [home, guest]: [&PosedWideObb; 2],
    &Relation { ratio, exponent, .. }: &Relation,
) -> Result<Pair, Refusal> {
    let seen = Relative::new(guest, home).ok_or(Refusal::FarApart)?;
    if seen.shift.abs().max_element() >= FARTHEST {
        return Err(Refusal::FarApart);
    }
    let turn = seen.linear * f64::from(1u32 << exponent);
    let placed = f64::from(PLACED) / ONE;
    let margin = f64::from(seen.margin) + placed;
    let rotation = (seen.linear * ratio.recip()).to_cols_array().map(|x| x as f32);
    let pieces = [home, guest].map(|of| piece_of(of.tree));
    let pair = Pair {
        turn: [0, 1, 2]
            .map(|i| fixed(turn.row(i)).map(words))
            .as_flattened()
            .try_into()
            .expect("nine entries"),
        shift: fixed(seen.shift).map(words),
        centers: pieces.map(|piece| piece.center),
        poses: [home, guest].map(|of| {
            let entries: [f64; 12] = of.pose.rows.as_flattened().try_into().expect("twelve entries");
            entries.map(|x| words(x.to_bits() as i64))
        }),
        rotation,
        ratio: ratio as f32,
        inverse_ratio: ratio.recip() as f32,
        margin: [up(margin), up(margin / ratio)],
        blur: up(margin * ONE),
        exponent,
        scalings: pieces.map(|piece| piece.scaling),
        ..bytemuck::Zeroable::zeroed()
    };
    if pair.margin[0] < 1.0 { Ok(pair) } else { Err(Refusal::Imprecise) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_those_of_the_next_power_of_two() {
        for n in 0..=LARGEST_EXPONENT {
            let power = f64::from(1u32 << n).recip();
            assert_eq!(exponent_above(power), Some(n));
            assert_eq!(exponent_above(power.next_down()), Some(n).filter(|n| *n < LARGEST_EXPONENT));
            assert_eq!(exponent_above(0.75 * power), Some(n).filter(|n| *n < LARGEST_EXPONENT));
        }
        for ratio in [0.0, f64::MIN_POSITIVE, 1.0f64.next_up(), f64::INFINITY, f64::NAN] {
            assert_eq!(exponent_above(ratio), None);
        }
    }
}
