//! A proof that open shells hold nothing, for two bodies that move a little.
//!
//! While a point moves relative to a shell without crossing it, its winding number changes only with the
//! shell's [boundary](super::boundary_angle). So a winding number well below 1/2 proves a whole
//! neighbourhood. A body that keeps away from all [holes](super::hole) of a shell needs no more than one
//! vertex.

use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::ops::ControlFlow;

use glam::DVec3;

use super::boundary_angle::{distance_to_edge, gradient_of_edge};
use super::hole::Hole;
use super::leeway::{Leeway, Reach, Relative, widened};
use super::open_shells::winding_of_open;
use crate::bvh::posed_model::PosedModel;
use crate::narrow::{Work, count};
use closefit_geometry::bounds::aabb::Aabb;

/// A winding number that comes as near as this to 1/2 is not proven below it. Rounding moves the solid angle
/// of a triangle by less than 32 units of 2^-53 per radian by which the point misses being opposite to
/// another along an edge, which is at least 2^-10 for the fan's apex unless a boundary has vertices
/// everywhere: fewer than 2^16 triangles are off by less than 2^-21 in all.
pub(super) const ROUNDED: f64 = 1.0 / (1 << 20) as f64;

/// Returns the first open component of two bodies, with the number of its body, that is not proven to hold
/// nothing; `None` if it is proven of all that, wherever the points of the bodies are within their leeway and
/// the bodies apart, [`containment`](super::containment::containment) finds no open shell around anything.
pub fn unproven(bodies: [&PosedModel; 2], tolerance: f64, leeway: &Leeway) -> Option<(usize, u32)> {
    [0, 1].into_iter().filter(|&outer| bodies[outer].has_incomplete_solid()).find_map(|outer| {
        let [shells, inner] = [bodies[outer], bodies[1 - outer]];
        let moved = Moved {
            in_world: leeway.in_world.map(|reach| [reach[outer], reach[1 - outer]]),
            relative: leeway.relative[1 - outer],
        };
        let is_open = |component: &u32| !moved.stays_out(shells, *component, inner, tolerance);
        open_components(shells).find(is_open).map(|component| (outer, component))
    })
}

/// True if the boxes of an open component of a body and of the other one might overlap by more than the
/// tolerance. No vertex is posed.
pub fn boxes_may_overlap(bodies: [&PosedModel; 2], tolerance: f64, leeway: &Leeway) -> bool {
    let Some(in_world) = &leeway.in_world else { return true };
    [0, 1].into_iter().any(|outer| {
        let around = |side: usize, bounds: &Aabb| {
            let posed = Aabb::of(bounds.corners().map(|corner| bodies[side].pose.apply(corner)));
            widened(&posed, in_world[side].along_axes(&posed))
        };
        if !bodies[outer].has_incomplete_solid() {
            return false;
        }
        let [open, inner] = [outer, 1 - outer].map(|side| bodies[side].open_boxes());
        let other = around(1 - outer, &inner.whole);
        let overlaps = |bounds: &Aabb| around(outer, bounds).overlaps_by_more(&other, tolerance);
        count(Work::boxes(1));
        !open.components.is_empty() && overlaps(&open.all) && open.components.iter().any(overlaps)
    })
}

/// Returns the open components that might hold something.
fn open_components(body: &PosedModel) -> impl Iterator<Item = u32> {
    let components = (0..).zip(&body.topology.components);
    components.filter(|(_, component)| component.may_hold()).map(|(index, _)| index)
}

/// A component's boundary where it stands.
struct Shell<'a> {
    body: &'a PosedModel<'a>,
    component: u32,
    bounds: Aabb,
    boundary: Vec<[DVec3; 2]>,
}

/// A bound of how far the points of a body with shells, and of another, may be from where they stand.
struct Moved {
    in_world: Option<[Reach; 2]>,
    /// The movement of the other part, as seen from the shells.
    relative: Relative,
}

impl Moved {
    /// True if a component of `outer` is proven to hold no component of `inner`.
    fn stays_out(&self, outer: &PosedModel, component: u32, inner: &PosedModel, tolerance: f64) -> bool {
        let bounds = outer.component_boxes()[component as usize].1;
        let Some(in_world) = &self.in_world else {
            return Shell::of(outer, component, bounds).is_some_and(|shell| {
                let all = vec![true; inner.topology.components.len()];
                self.passes_holes(&shell, inner, &all).unwrap_or_else(|| self.is_far(&shell, inner))
            });
        };
        let reach = in_world[0].along_axes(&bounds);
        let widest = widened(&bounds, reach);
        let overlaps = |other: &Aabb| {
            count(Work::boxes(1));
            widest.overlaps_by_more(&widened(other, in_world[1].along_axes(other)), tolerance)
        };
        if !overlaps(inner.bounds()) {
            return true;
        }
        let overlapping: Vec<bool> =
            inner.component_boxes().iter().map(|(_, bounds)| overlaps(bounds)).collect();
        if !overlapping.contains(&true) {
            return true;
        }
        let Some(shell) = Shell::of(outer, component, bounds) else { return false };
        if let Some(is_outside) = self.passes_holes(&shell, inner, &overlapping) {
            return is_outside;
        }
        // No vertex gets deeper into the box, or less deep, by more.
        let change = (reach + in_world[1].along_axes(inner.bounds())).max_element();
        let deep = DeepVertices { inner, bounds, change, overlapping: &overlapping };
        let deepest = deep.deepest();
        deepest.values().all(|&(_, vertex)| self.is_outside(&shell, inner, vertex))
            && deep.near(&deepest).into_iter().all(|vertex| self.is_outside(&shell, inner, vertex))
    }

    /// Returns whether all of some components of `inner` are outside of the shell, if all of `inner` stays so
    /// far from its holes that none can come in or out: one vertex then decides for a whole component.
    fn passes_holes(&self, shell: &Shell, inner: &PosedModel, components: &[bool]) -> Option<bool> {
        let corners = inner.bounds().corners().map(|corner| self.relative.moved(corner));
        let moved = corners.into_iter().fold(0.0, f64::max);
        let holes = shell.holes();
        if holes.iter().any(|hole| hole.is_within(inner, hole.radius_of_influence(holes.len()) + moved)) {
            return None;
        }
        let first = inner.component_boxes().iter().map(|&(triangle, _)| inner.triangle(triangle)[0]);
        let mut asked = first.zip(components).filter(|(_, is_asked)| **is_asked);
        let is_outside = |p: DVec3| shell.winding(p).is_some_and(|winding| winding.abs() < 0.5);
        Some(asked.all(|(p, _)| is_outside(p)))
    }

    /// True if no vertex of `inner` that is in the shell's box, however both are turned together, is held by
    /// the shell.
    fn is_far(&self, shell: &Shell, inner: &PosedModel) -> bool {
        let middle = 0.5 * shell.bounds.lo + 0.5 * shell.bounds.hi;
        // In every direction the shell is within half its box's diagonal of the middle, so its box is a part
        // of a cube whose corners are farther by the root of three.
        let farthest = 0.87 * shell.bounds.diagonal();
        (0..).zip(inner.mesh.vertices()).all(|(vertex, &place)| {
            let p = inner.pose.apply(place);
            p.distance(middle) > farthest + self.relative.moved(p) || self.is_outside(shell, inner, vertex)
        })
    }

    fn is_outside(&self, shell: &Shell, inner: &PosedModel, vertex: u32) -> bool {
        let p = inner.pose.apply(inner.mesh.vertices()[vertex as usize]);
        shell.stays_outside(p, &self.relative)
    }
}

impl<'a> Shell<'a> {
    /// Returns an open component where it stands; `None` if it has no consistent winding.
    fn of(body: &'a PosedModel<'a>, component: u32, bounds: Aabb) -> Option<Self> {
        let vertex = |v: u32| body.pose.apply(body.mesh.vertices()[v as usize]);
        let edges = body.open_shells().boundary(component)?;
        let boundary = edges.iter().map(|ends| ends.map(vertex)).collect();
        Some(Self { body, component, bounds, boundary })
    }

    /// True if a point that moves, but not through the shell, is proven to stay outside of it.
    fn stays_outside(&self, p: DVec3, relative: &Relative) -> bool {
        let Some(change) = self.change(p, relative) else { return false };
        let limit = 0.5 - ROUNDED - change / (4.0 * PI);
        limit > 0.0 && self.winding(p).is_some_and(|winding| winding.abs() < limit)
    }

    fn winding(&self, p: DVec3) -> Option<f64> {
        winding_of_open(self.body, self.component, &self.bounds, p)
    }

    fn holes(&self) -> Vec<Hole> {
        let vertex = |v: u32| self.body.pose.apply(self.body.mesh.vertices()[v as usize]);
        let holes = self.body.holes().of_component(self.component).expect("it has a consistent winding");
        holes.iter().map(|edges| Hole::of(edges.iter().map(|ends| ends.map(vertex)))).collect()
    }

    /// Returns a bound of the change of a moving point's solid angle; `None` if it may reach the boundary.
    fn change(&self, p: DVec3, relative: &Relative) -> Option<f64> {
        let moved = relative.moved(p);
        let (mut gradient, mut slope, mut bend) = (DVec3::ZERO, 0.0, 0.0);
        for &[from, to] in &self.boundary {
            let (edge, length) = ([from - p, to - p], from.distance(to));
            let near = distance_to_edge(edge) - moved;
            if near <= 0.0 {
                return None;
            }
            gradient += gradient_of_edge(edge);
            slope += (length / (near * near)).min(PI / near);
            bend += (length / (near * near * near)).min(2.0 / (near * near));
        }
        Some(match relative {
            Relative::Framed(reach) => {
                let (along, rest) = reach.at(p);
                gradient.dot(along).abs() + gradient.length() * rest + moved * moved * bend
            }
            Relative::Path(length) => length * slope,
        })
    }
}

/// The vertices of a body that may be deepest in a component's box once both have moved.
struct DeepVertices<'a> {
    inner: &'a PosedModel<'a>,
    bounds: Aabb,
    /// Upper bound of the change of a vertex's depth.
    change: f64,
    /// The components of the body whose boxes may overlap the box.
    overlapping: &'a [bool],
}

impl DeepVertices<'_> {
    /// Returns the depth and the vertex that is deepest now, for each component that may have a vertex in the
    /// box.
    fn deepest(&self) -> BTreeMap<u32, (f64, u32)> {
        let mut deepest: BTreeMap<u32, (f64, u32)> = BTreeMap::new();
        self.each(|component, vertex, depth| {
            let known = deepest.entry(component).or_insert((depth, vertex));
            if depth > known.0 {
                *known = (depth, vertex);
            }
        });
        deepest
    }

    /// Returns the vertices besides these that may become deepest, in order.
    fn near(&self, deepest: &BTreeMap<u32, (f64, u32)>) -> Vec<u32> {
        let mut near = Vec::new();
        self.each(|component, vertex, depth| {
            let (most, known) = deepest[&component];
            if vertex != known && depth >= most - 2.0 * self.change {
                near.push(vertex);
            }
        });
        near.sort_unstable();
        near.dedup();
        near
    }

    /// Calls `each` with the component, the index and the depth of every vertex that may be in the box; with
    /// some of them more than once.
    fn each(&self, mut each: impl FnMut(u32, u32, f64)) {
        let Self { inner, bounds, change, .. } = self;
        let flow = inner.in_box(&widened(bounds, DVec3::splat(*change)), &mut |triangle, corners| {
            let component = inner.topology.component_of[triangle as usize];
            if self.overlapping[component as usize] {
                for (vertex, p) in inner.mesh.triangles()[triangle as usize].into_iter().zip(corners) {
                    let depth = (p - bounds.lo).min(bounds.hi - p).min_element();
                    if depth >= -change {
                        each(component, vertex, depth);
                    }
                }
            }
            ControlFlow::Continue(())
        });
        assert!(flow.is_continue());
    }
}
