//! Fixed-point numbers with 48 fractional bits, and the reference implementation of
//! `shaders/shared/fixed_point.wgsl`, which returns the same bits.

use glam::DVec3;

/// Number of fractional bits.
pub const BITS: u32 = 48;

/// The fixed-point representation of 1.
pub const ONE: f64 = (1u64 << BITS) as f64;

/// A vector of fixed-point numbers.
pub type Fixed3 = [i64; 3];

/// Rounds a vector to the nearest fixed-point numbers. Coordinates must be below 2^14 in size.
pub fn fixed(v: DVec3) -> Fixed3 {
    v.to_array().map(|x| (x * ONE).round_ties_even() as i64)
}

/// Returns `x 2^exponent` rounded to the nearest integer, modulo `2^64`. Ties go away from zero.
pub fn of_double(x: f64, exponent: i32) -> i64 {
    let power = (x.to_bits() >> 52 & 2047) as i32;
    let size = x.to_bits() & ((1 << 52) - 1) | u64::from(power != 0) << 52;
    let by = power + exponent - 1075;
    let rounded = match by {
        64.. => 0,
        0.. => size << by,
        -63.. => ((size >> (-by - 1)) + 1) >> 1,
        _ => 0,
    };
    if x.is_sign_negative() { rounded.wrapping_neg() as i64 } else { rounded as i64 }
}

/// Returns the two words of a number, the low one first.
pub fn words(x: i64) -> [u32; 2] {
    [x as u32, (x >> 32) as u32]
}

/// Splits a number into four limbs of 12 bits, the highest first and signed.
fn limbs(x: i64) -> [i64; 4] {
    [x >> 36, (x >> 24) & 4095, (x >> 12) & 4095, x & 4095]
}

/// Returns the product of a matrix, given by rows, and a vector. Limb products of low weight are left out:
/// see [`PLACED`](crate::gpu::error_bounds::PLACED).
pub fn product(rows: &[Fixed3; 3], v: Fixed3) -> Fixed3 {
    rows.map(|row| {
        let mut columns = [0; 4];
        for (a, b) in row.map(limbs).iter().zip(v.map(limbs)) {
            for (weight, column) in columns.iter_mut().enumerate() {
                *column += (0..=weight).map(|i| a[i] * b[weight - i]).sum::<i64>();
            }
        }
        let [first, second, third, fourth] = columns;
        (first << 24) + (second << 12) + third + (fourth >> 12)
    })
}

/// Returns `x 2^-by` rounded to the nearest integer; `by` must be below 63.
pub fn shifted_down(x: i64, by: u32) -> i64 {
    if by == 0 { x } else { (x + (1 << (by - 1))) >> by }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::error_bounds::PLACED;
    use closefit_geometry::math::testing::Stream;
    use glam::DMat3;

    /// Checks the error bound [`PLACED`] against 128-bit integers.
    #[test]
    fn a_product_is_as_near_as_promised() {
        let (mut stream, mut worst) = (Stream(3), 0.0_f64);
        for _ in 0..200_000 {
            let turn = DMat3::from_quat(
                glam::DQuat::from_xyzw(stream.signed(), stream.signed(), stream.signed(), stream.signed())
                    .normalize(),
            );
            let rows = [0, 1, 2].map(|i| fixed(turn.row(i)));
            let v = fixed(stream.point());
            let found = product(&rows, v);
            for (row, found) in rows.iter().zip(found) {
                let exact: i128 = row.iter().zip(v).map(|(&a, b)| i128::from(a) * i128::from(b)).sum();
                let off = (exact - (i128::from(found) << BITS)) as f64 / ONE;
                worst = worst.max(off.abs());
            }
        }
        // PLACED also covers later roundings, worth two steps.
        assert!((2.0..f64::from(PLACED) / 3.0_f64.sqrt() - 2.0).contains(&worst), "{worst}");
    }
}
