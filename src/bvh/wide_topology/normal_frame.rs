//! Coordinates about the middle of a box, in units of about its size, where floats are most precise.

use glam::DVec3;

use closefit_geometry::bounds::aabb::Aabb;

/// Smallest unit, for points or nearly so: posed coordinates below 2^-200 are zero.
const SMALLEST_UNIT: f64 = f64::from_bits((1023 - 200) << 52);

/// Largest power of two in f64.
const LARGEST_UNIT: f64 = f64::from_bits(2046 << 52);

/// The coordinates `(v - center) / unit`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormalFrame {
    /// The middle of the box.
    pub center: DVec3,
    /// A power of two.
    pub unit: f64,
}

impl NormalFrame {
    /// Returns the frame in which the box lies within -1 to 1.
    pub fn of(bounds: Aabb) -> Self {
        let center = 0.5 * bounds.lo + 0.5 * bounds.hi;
        let size = (bounds.hi - center).max(center - bounds.lo).max_element();
        Self { center, unit: power_of_two_from(size).clamp(SMALLEST_UNIT, LARGEST_UNIT) }
    }

    /// Converts a point into the frame, with one rounding.
    #[inline]
    pub fn enter(&self, v: DVec3) -> DVec3 {
        (v - self.center) * (1.0 / self.unit)
    }
}

/// Returns the smallest power of two that is at least `size`: infinite beyond the largest, the smallest unit
/// for 0.
fn power_of_two_from(size: f64) -> f64 {
    let below = f64::from_bits(size.to_bits() & (2047 << 52));
    if below == size { size } else { (2.0 * below).max(f64::MIN_POSITIVE) }
}
