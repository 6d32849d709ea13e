//! Containment: does one part lie inside another's solid without touching it?

use super::{Containment, winding};
use crate::bounds::aabb::Aabb;
use crate::hierarchy::body::Body;
use crate::narrow::{Work, count};

/// Returns the containment of two bodies that are not in contact. A component that does not touch the other's
/// surface is inside or outside as a whole, so one of its corners decides.
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

/// Decides whether a component of `inner` lies in the solid of `outer`.
fn holds(outer: &Body, inner: &Body) -> Holds {
    // Anything inside has its box inside the outer body's box.
    count(Work::boxes(1));
    if !(outer.bounds.lo.cmplt(inner.bounds.hi).all() && inner.bounds.lo.cmplt(outer.bounds.hi).all()) {
        return Holds::No;
    }
    let fits = |(_, bounds): &&(u32, Aabb)| outer.bounds.strictly_contains(bounds);
    let inner_boxes = inner.component_boxes();
    count(Work::boxes(inner_boxes.len() as u64));
    let parts: Vec<&(u32, Aabb)> = inner_boxes.iter().filter(fits).collect();
    if parts.is_empty() {
        return Holds::No;
    }
    let inside = |triangle: u32| winding::inside(outer, &inner.triangle(triangle)[0]);
    if outer.has_solid() && parts.iter().any(|&&(triangle, _)| inside(triangle)) {
        return Holds::Yes;
    }
    let components = &outer.topology.components;
    let open = outer.component_boxes().iter().zip(components).filter(|(_, component)| !component.closed);
    let enclosing = open.filter(|((_, shell), _)| {
        count(Work::boxes(parts.len() as u64));
        parts.iter().any(|(_, bounds)| shell.strictly_contains(bounds))
    });
    let open_edges: Vec<u32> = enclosing.map(|(_, component)| component.open_edges).collect();
    if open_edges.is_empty() { Holds::No } else { Holds::Unknown { open_edges: open_edges.iter().sum() } }
}
