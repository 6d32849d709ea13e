//! The sizes of the parts of a report, as far as its findings show them.

use crate::document::{Finding, PartRow, Report};

/// The parts of a report, with a lower bound of the size of each.
pub(super) struct KnownParts<'r> {
    pub rows: &'r [PartRow],
    /// A length for each part: the diagonal of the box of its mesh, where it has it, is no shorter. 0 if no
    /// finding has a point of its surface.
    pub sizes: Vec<f64>,
}

impl<'r> KnownParts<'r> {
    pub fn of<S, P: Finding>(report: &'r Report<S, P>) -> Self {
        let rows = &report.parts[..];
        let mut sizes = vec![0.0_f64; rows.len()];
        for pair in &report.pairs {
            let ids = pair.sides().ids;
            for (side, point) in pair.surface_points() {
                let part = ids[side] as usize;
                // The place of a part is the middle of its box, from which no point is farther than half the
                // diagonal.
                sizes[part] = sizes[part].max(2.0 * square(rows[part].at, point).sqrt());
            }
        }
        Self { rows, sizes }
    }
}

/// Returns the square of the distance of two points.
pub(super) fn square(p: [f64; 3], q: [f64; 3]) -> f64 {
    (0..3).map(|axis| (p[axis] - q[axis]) * (p[axis] - q[axis])).sum()
}
