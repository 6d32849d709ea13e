//! The closest pair of triangles of two meshes.

/// The closest pair of triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Their distance, correctly rounded; 0 in contact.
    pub distance: f64,
    /// Triangle of the first mesh, triangle of the second: the lowest among equals.
    pub triangles: [u32; 2],
}

impl Nearest {
    /// True when this pair is closer than the other, or as close with lower triangles.
    pub fn is_before(&self, other: &Self) -> bool {
        self.distance.total_cmp(&other.distance).then(self.triangles.cmp(&other.triangles)).is_lt()
    }
}

/// Factor, 1 + 2^-39, by which a lower bound must exceed the best distance before it excludes a pair of
/// triangles. It keeps distances that round to the same f64 as candidates.
pub const SLACK: f64 = 1.0 + 1.0 / (1u64 << 39) as f64;
