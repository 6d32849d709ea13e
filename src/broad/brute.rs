//! Brute-force broad phase: tests every pair. The oracle for the other broad phases.

use super::{apart, pair};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::PartId;

/// Returns all pairs of boxes (positions are part ids) that are not apart by more than `reach`, sorted.
pub fn near_pairs(boxes: &[Aabb], reach: f64) -> Vec<(PartId, PartId)> {
    let all = (0..boxes.len()).flat_map(|i| (i + 1..boxes.len()).map(move |j| (i, j)));
    all.filter(|&(i, j)| !apart(&boxes[i], &boxes[j], reach)).map(|(i, j)| pair(i, j)).collect()
}
