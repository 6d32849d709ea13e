//! Does one part lie inside another's solid without touching it?

use super::Containment;
use crate::bounds::aabb::Aabb;
use crate::hierarchy::body::Body;
use crate::settle::winding;

/// Containment of two bodies that are not in contact. A component of one that does not touch the other's
/// surface is inside or outside as a whole, so one of its corners tells.
pub fn containment(a: &Body, b: &Body) -> Containment {
    let [in_a, in_b] = [holds(a, b), holds(b, a)];
    match (in_a, in_b) {
        (Holds::Yes, _) => Containment::BInA,
        (_, Holds::Yes) => Containment::AInB,
        (Holds::Unknown { open_edges }, _) => undecidable("a", "b", open_edges),
        (_, Holds::Unknown { open_edges }) => undecidable("b", "a", open_edges),
        (Holds::No, Holds::No) => Containment::None,
    }
}

fn undecidable(outer: &str, inner: &str, open_edges: u32) -> Containment {
    let edges = if open_edges == 1 { "1 open edge".to_owned() } else { format!("{open_edges} open edges") };
    Containment::Undecidable(format!("a shell of {outer} that encloses {inner} is not closed: {edges}"))
}

enum Holds {
    Yes,
    No,
    /// An open component's box strictly contains that of a component of the other.
    Unknown {
        open_edges: u32,
    },
}

/// Whether a component of `inner` lies in the solid of `outer`.
fn holds(outer: &Body, inner: &Body) -> Holds {
    // Whatever lies inside has its box inside the outer body's box.
    if !(outer.bounds.lo.cmplt(inner.bounds.hi).all() && inner.bounds.lo.cmplt(outer.bounds.hi).all()) {
        return Holds::No;
    }
    let parts: Vec<(u32, Aabb)> = component_boxes(inner)
        .into_iter()
        .filter(|(_, bounds)| outer.bounds.strictly_contains(bounds))
        .collect();
    if parts.is_empty() {
        return Holds::No;
    }
    let inside = |triangle: u32| winding::inside(outer, &inner.triangle(triangle)[0]);
    if outer.has_solid() && parts.iter().any(|&(triangle, _)| inside(triangle)) {
        return Holds::Yes;
    }
    let components = &outer.model.topology.components;
    let open = component_boxes(outer).into_iter().zip(components).filter(|(_, component)| !component.closed);
    let enclosing =
        open.filter(|((_, shell), _)| parts.iter().any(|(_, bounds)| shell.strictly_contains(bounds)));
    let open_edges: Vec<u32> = enclosing.map(|(_, component)| component.open_edges).collect();
    if open_edges.is_empty() { Holds::No } else { Holds::Unknown { open_edges: open_edges.iter().sum() } }
}

/// The first triangle and the posed box of every component, in their order.
fn component_boxes(body: &Body) -> Vec<(u32, Aabb)> {
    let topology = &body.model.topology;
    if topology.components.len() == 1 {
        return vec![(0, body.bounds)];
    }
    let mut boxes = vec![(u32::MAX, Aabb::EMPTY); topology.components.len()];
    for (triangle, &component) in (0u32..).zip(&topology.component_of) {
        let (first, bounds) = &mut boxes[component as usize];
        *first = (*first).min(triangle);
        *bounds = bounds.union(Aabb::of(body.triangle(triangle)));
    }
    boxes
}
