//! The unknown part of the depth of a touching pair: the depth inside an open part.

use crate::bvh::posed_model::PosedModel;
use crate::narrow::{Work, count};
use closefit_geometry::bounds::aabb::Aabb;

/// Returns a text that names the open parts of a touching pair and counts their open edges, such as `a is
/// open: 26 edges`. `None` if no open component counts.
///
/// A component counts when it is open, its box overlaps the other part's box by more than the tolerance along
/// every axis, and its part is not declared a surface.
pub fn open_where_they_overlap(a: &PosedModel, b: &PosedModel, tolerance: f64) -> Option<String> {
    let reasons = [("a", a, b), ("b", b, a)].map(|(name, part, other)| {
        openness(part, other.bounds(), tolerance).map(|openness| format!("{name} is open: {openness}"))
    });
    let reasons: Vec<String> = reasons.into_iter().flatten().collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

fn openness(part: &PosedModel, other: &Aabb, tolerance: f64) -> Option<String> {
    if !part.has_incomplete_solid() || !part.bounds().overlaps_by_more(other, tolerance) {
        return None;
    }
    let components = part.topology.components.iter();
    count(Work::boxes(components.len() as u64));
    let open: Vec<u32> = components
        .zip(part.component_boxes())
        .filter(|(component, (_, bounds))| !component.closed && bounds.overlaps_by_more(other, tolerance))
        .map(|(component, _)| component.open_edges)
        .collect();
    if open.is_empty() {
        return None;
    }
    let edges = match open.iter().map(|&edges| u64::from(edges)).sum() {
        0 => None,
        1 => Some("1 edge".to_owned()),
        edges => Some(format!("{edges} edges")),
    };
    // Every edge is balanced and yet nothing is enclosed: the shell's triangles lie back to back.
    let twice = open.contains(&0).then(|| "its triangles cancel in opposite pairs".to_owned());
    Some([edges, twice].into_iter().flatten().collect::<Vec<_>>().join(", "))
}
