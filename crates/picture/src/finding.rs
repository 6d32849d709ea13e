//! Findings as pictures need them.

use closefit_geometry::ids::PartId;
use glam::DVec3;

/// Two parts, and the place of what was found about them.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The parts, the first drawn in orange and the second in blue.
    pub parts: [PartId; 2],
    /// The kind of finding.
    pub kind: Kind,
    /// The ends of the dimension line: of an overlap, the deepest point and the nearest one on the other
    /// surface; of a gap, the two closest points. An overlap without one, such as an overlap of parts that
    /// fill the same space, is shown in the middle of its box.
    pub measure: Option<[DVec3; 2]>,
    /// The lowest and the highest corner of a box around the place.
    pub bounds: [DVec3; 2],
    /// The text at the dimension line, such as `1.65 mm`.
    pub label: String,
}

/// A kind of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The parts share space.
    Overlap,
    /// The parts are apart, by less than is wanted.
    Gap,
    /// The parts touch, or it is not known how they meet. Nothing is marked as shared.
    Meeting,
}
