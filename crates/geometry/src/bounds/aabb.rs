//! Axis-aligned bounding boxes. They are exact, because comparisons, minima and maxima of f64 do not round.

use glam::DVec3;

/// A closed axis-aligned box from `lo` to `hi`; empty when `lo > hi` on any axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Lowest corner.
    pub lo: DVec3,
    /// Highest corner.
    pub hi: DVec3,
}

impl Aabb {
    /// The empty box, which contains no point.
    pub const EMPTY: Self = Self { lo: DVec3::INFINITY, hi: DVec3::NEG_INFINITY };

    /// Returns the smallest box around the points.
    pub fn of(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, Self::with)
    }

    /// Returns the smallest box around this box and a point.
    pub fn with(self, p: DVec3) -> Self {
        Self { lo: self.lo.min(p), hi: self.hi.max(p) }
    }

    /// Returns the smallest box around both boxes.
    pub fn union(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// True when the closed boxes share a point.
    pub fn meets(&self, other: &Self) -> bool {
        self.lo.cmple(other.hi).all() && other.lo.cmple(self.hi).all()
    }

    /// True when `other` lies in the interior of this box.
    pub fn strictly_contains(&self, other: &Self) -> bool {
        self.lo.cmplt(other.lo).all() && other.hi.cmplt(self.hi).all()
    }

    /// True when the boxes overlap by more than `reach` (0 or more) along every coordinate axis, in exact
    /// arithmetic on the stored numbers.
    pub fn overlaps_by_more(&self, other: &Self, reach: f64) -> bool {
        let (lo, hi) = (self.lo.max(other.lo), self.hi.min(other.hi));
        (0..3).all(|axis| exceeds(hi[axis], lo[axis], reach))
    }

    /// Returns the largest gap along any axis, rounded to nearest; 0 or less where the boxes meet.
    pub fn axis_gap(&self, other: &Self) -> f64 {
        (other.lo - self.hi).max(self.lo - other.hi).max_element()
    }

    /// Returns the eight corners: bit 0 of their number chooses between `lo` and `hi` along x, bit 1 along y,
    /// bit 2 along z.
    pub fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|corner| {
            let end = |axis: usize| if corner >> axis & 1 == 0 { self.lo[axis] } else { self.hi[axis] };
            DVec3::new(end(0), end(1), end(2))
        })
    }

    /// Returns the length of the diagonal.
    pub fn diagonal(&self) -> f64 {
        (self.hi - self.lo).length()
    }
}

/// True when `x - y > reach`, exactly. Rounding is monotone and `reach` is an f64, so a rounded difference
/// above or below `reach` decides; when the two are equal, the rounding error decides.
pub fn exceeds(x: f64, y: f64, reach: f64) -> bool {
    let difference = x - y;
    difference > reach || (difference == reach && difference_tail(x, y, difference) > 0.0)
}

/// Returns the rounding error of `difference`, the rounded `x - y`. Exact barring overflow (Knuth's two-sum).
pub fn difference_tail(x: f64, y: f64, difference: f64) -> f64 {
    let y_virtual = x - difference;
    let x_virtual = difference + y_virtual;
    (x - x_virtual) + (y_virtual - y)
}
