//! Containment: does one part lie inside another's solid without touching it?

use super::open_shells::{OpenShell, around_any, around_components, might_cancel, open_edges};
use super::{Containment, winding};
use crate::bvh::posed_model::PosedModel;
use crate::narrow::{Work, count};
use closefit_geometry::ids::to_u32;

/// Returns the containment of two bodies that are not in contact. A component that does not touch the other's
/// surface is inside or outside as a whole, so one of its corners decides. Open shells count if their boxes
/// overlap the other's by more than the tolerance.
pub fn containment(a: &PosedModel, b: &PosedModel, tolerance: f64) -> Containment {
    let [in_a, in_b] = [holds(a, b, tolerance), holds(b, a, tolerance)];
    match (in_a, in_b) {
        (Holds::Yes, _) => Containment::BInA,
        (_, Holds::Yes) => Containment::AInB,
        (Holds::Unknown(shells), _) => shells.undecidable(a, ["a", "b"]),
        (_, Holds::Unknown(shells)) => shells.undecidable(b, ["b", "a"]),
        (Holds::No, Holds::No) => Containment::None,
    }
}

/// Returns the containment of two bodies if an open component of one of them (0 or 1) is not proven to hold
/// nothing of the other.
pub fn may_enclose(bodies: [&PosedModel; 2], outer: usize, component: u32) -> Containment {
    let [shell, inner] = [["a", "b"][outer], ["b", "a"][outer]];
    let edges = open_edges(bodies[outer], [component]);
    Containment::Undecidable(format!("a shell of {shell} that may enclose {inner} is not closed: {edges}"))
}

enum Holds {
    Yes,
    No,
    Unknown(Shells),
}

/// Open shells of the outer body that leave a containment open.
struct Shells {
    /// Their components, ascending, each once.
    components: Vec<u32>,
    /// True if the closed components hold the other body, and the shells might cancel them.
    might_cancel: bool,
}

impl Shells {
    fn undecidable(self, body: &PosedModel, [outer, inner]: [&str; 2]) -> Containment {
        let edges = open_edges(body, self.components);
        let shell = if self.might_cancel {
            format!("a shell of {outer} that might be a cavity around {inner}")
        } else {
            format!("a shell of {outer} that encloses {inner}")
        };
        Containment::Undecidable(format!("{shell} is not closed: {edges}"))
    }
}

/// Decides whether a component of `inner` lies in the solid of `outer`.
fn holds(outer: &PosedModel, inner: &PosedModel, tolerance: f64) -> Holds {
    count(Work::boxes(1));
    let may_be_open = outer.may_hold(inner);
    let may_surround = outer.has_solid() && outer.may_surround(inner);
    if !(may_be_open || may_surround) || !outer.may_overlap(inner) {
        return Holds::No;
    }
    let windings = if may_surround { windings(outer, inner) } else { Vec::new() };
    if !windings.is_empty() && !outer.has_incomplete_solid() {
        return Holds::Yes;
    }
    if windings.is_empty() {
        let components = if may_be_open { around_any(outer, inner, tolerance) } else { Vec::new() };
        let shells = Shells { components, might_cancel: false };
        return if shells.components.is_empty() { Holds::No } else { Holds::Unknown(shells) };
    }
    let shells = if may_be_open { around_components(outer, inner, tolerance) } else { Vec::new() };
    let around = |component: u32| shells.iter().filter(move |(inner, _)| *inner == component);
    let is_sure = |&(component, winding): &(u32, i64)| {
        !might_cancel(winding, around(component).map(|(_, shell)| shell))
    };
    if windings.iter().any(is_sure) {
        return Holds::Yes;
    }
    let mut components: Vec<u32> = shells.iter().map(|(_, OpenShell { component, .. })| *component).collect();
    components.sort_unstable();
    components.dedup();
    Holds::Unknown(Shells { components, might_cancel: true })
}

/// Returns the components of `inner` around which the closed components of `outer` wind, and how often. If
/// none of these can be cancelled, the first suffices.
fn windings(outer: &PosedModel, inner: &PosedModel) -> Vec<(u32, i64)> {
    // Anything inside has its box inside the outer body's box.
    let components = inner.topology.components.len();
    count(Work::boxes(components as u64));
    let components = 0..to_u32(components);
    let fitting = components.filter(|&component| outer.may_surround_component(inner, component));
    let wound = fitting.filter_map(|component| {
        let winding = winding::winding_number(outer, &inner.triangle(inner.lowest_triangle(component))[0])?;
        (winding != 0 && outer.surrounds(inner, component)).then_some((component, winding))
    });
    wound.take(if outer.has_incomplete_solid() { usize::MAX } else { 1 }).collect()
}
