//! What is not known about the depth of a pair that touches: how deep something lies in an open part.

use crate::bounds::aabb::Aabb;
use crate::hierarchy::body::Body;

/// Says which of two touching parts is open where the other may lie in it, and by how many edges: `a is open: 26
/// edges`. `None` if neither is.
///
/// A component counts when it is open, its box overlaps the other part's box by more than the tolerance along
/// every axis, and its part is not declared a surface.
pub fn open_where_they_overlap(a: &Body, b: &Body, tolerance: f64) -> Option<String> {
    let reasons = [("a", a, b), ("b", b, a)].map(|(name, part, other)| {
        openness(part, &other.bounds, tolerance).map(|openness| format!("{name} is open: {openness}"))
    });
    let reasons: Vec<String> = reasons.into_iter().flatten().collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

fn openness(part: &Body, other: &Aabb, tolerance: f64) -> Option<String> {
    if part.is_declared_surface || !part.bounds.overlaps_by_more(other, tolerance) {
        return None;
    }
    let components = part.topology.components.iter();
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
    // Every edge balances and yet nothing is enclosed: its triangles lie back to back.
    let twice = open.contains(&0).then(|| "a shell is covered twice, back to back".to_owned());
    Some([edges, twice].into_iter().flatten().collect::<Vec<_>>().join(", "))
}
