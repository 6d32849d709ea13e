//! Open shells that might hold something if they were whole.
//!
//! An open shell winds around a point a number of times that is no integer: 1/2 next to a flat sheet,
//! nearly 1 in a box that lacks a triangle. If the shell were completed, the number would most likely be
//! one of the two integers next to it. A shell counts if the number is at least 1/2 in magnitude, so
//! terrain and sheets do not.

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::ops::ControlFlow;

use glam::DVec3;

use super::open_margin::ROUNDED;
use super::winding::{in_box, winding_number, winding_of};
use crate::bvh::lids::solid_angle;
use crate::bvh::posed_model::PosedModel;
use crate::narrow::{Work, count};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::math::Triangle;

/// Boundaries with fewer edges are summed edge by edge.
const FEW: usize = 32;

/// The shares of distances up to which lids are taken together, one after the other until a winding number is
/// known to be less than 1/2 or more.
const SHARES: [f64; 3] = [0.5, 0.125, 0.03125];

/// The number of triangles, about, among which the deepest vertex is sought before a smaller box is searched.
const SAMPLE: u32 = 32;

/// An open component that might hold something if it were whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpenShell {
    /// Index of the component.
    pub component: u32,
    /// Lowest and highest winding number that the completed component might have there.
    completed: [i64; 2],
}

impl OpenShell {
    /// A component without a consistent winding: of what it might be only its box is known.
    fn unoriented(component: u32) -> Self {
        Self { component, completed: [-1, 1] }
    }

    /// Returns the shell if its winding number says that it might hold the point.
    fn wound(component: u32, winding: f64) -> Option<Self> {
        let completed = [winding.floor() as i64, winding.ceil() as i64];
        (winding.abs() >= 0.5).then_some(Self { component, completed })
    }
}

/// True if the completed shells might cancel a winding number of the closed components.
pub fn might_cancel<'a>(winding: i64, shells: impl IntoIterator<Item = &'a OpenShell>) -> bool {
    let [lowest, highest] = shells
        .into_iter()
        .fold([0, 0], |[lowest, highest], shell| [lowest + shell.completed[0], highest + shell.completed[1]]);
    // Two neighbouring integers each make all integers between the sums.
    (lowest..=highest).contains(&-winding)
}

/// Returns the open components of `outer` that might hold a component of `inner`, in order, each with the
/// latter's index. The bodies must not be in contact.
///
/// The boxes of the two components overlap by more than the tolerance along every axis, and the shell counts
/// at the vertex of the inner component that is deepest in the shell's box (the lowest one of several).
pub fn around_components(outer: &PosedModel, inner: &PosedModel, tolerance: f64) -> Vec<(u32, OpenShell)> {
    let mut found = Vec::new();
    for Candidates { component, bounds, others } in candidates(outer, inner, tolerance) {
        for (other, deepest) in others {
            let shell = match deepest {
                Some(p) => shell_around(outer, component, &bounds, p),
                None => Some(OpenShell::unoriented(component)),
            };
            found.extend(shell.map(|shell| (other, shell)));
        }
    }
    found
}

/// Returns the open components of `outer` alone that [`around_components`] finds, each once.
pub fn around_any(outer: &PosedModel, inner: &PosedModel, tolerance: f64) -> Vec<u32> {
    let might_hold = |Candidates { component, bounds, others }: &Candidates| {
        others.iter().any(|(_, deepest)| {
            deepest.is_none_or(|p| {
                let is_wound = is_wound(outer, *component, p);
                is_wound.unwrap_or_else(|| summed_around(outer, *component, bounds, p).is_some())
            })
        })
    };
    candidates(outer, inner, tolerance).filter(might_hold).map(|shell| shell.component).collect()
}

/// An open component, with the components of another body that it might hold.
struct Candidates {
    component: u32,
    bounds: Aabb,
    /// Each with the vertex that is deepest in the box; `None` if the open component has no consistent
    /// winding.
    others: Vec<(u32, Option<DVec3>)>,
}

/// Returns the open components of `outer`, each with the components of `inner` whose boxes overlap its box.
fn candidates(outer: &PosedModel, inner: &PosedModel, tolerance: f64) -> impl Iterator<Item = Candidates> {
    let open = open_components(outer, move |bounds| inner.overlaps_by_more(bounds, tolerance));
    let near = LazyCell::new(|| NearComponents::of(inner));
    open.map(move |(component, bounds)| {
        let overlapping = near.overlapping(&bounds, tolerance);
        let others = if outer.open_shells().boundary(component).is_none() {
            overlapping.into_iter().map(|other| (other, None)).collect()
        } else {
            let place = |vertex: u32| inner.pose.apply(inner.mesh.vertices()[vertex as usize]);
            let deepest = deepest_vertices(inner, &overlapping, &bounds).into_iter();
            deepest.map(|(other, vertex)| (other, Some(place(vertex)))).collect()
        };
        Candidates { component, bounds, others }
    })
}

/// The components of a body, for questions about which of them are near.
struct NearComponents<'b, 'a> {
    body: &'b PosedModel<'a>,
    /// A box around each of many components, in the order of their lowest x; none for few.
    sorted: Vec<(u32, Aabb)>,
    /// The largest extent along x.
    widest: f64,
}

impl<'b, 'a> NearComponents<'b, 'a> {
    /// Fewer components are asked one by one.
    const MANY: usize = 32;

    fn of(body: &'b PosedModel<'a>) -> Self {
        let components = body.topology.components.len();
        let mut sorted: Vec<(u32, Aabb)> = Vec::new();
        if components >= Self::MANY {
            sorted.extend((0..).zip(body.boxes_around_components()));
            sorted.sort_by(|(_, a), (_, b)| a.lo.x.total_cmp(&b.lo.x));
        }
        let widest = sorted.iter().map(|(_, bounds)| bounds.hi.x - bounds.lo.x).fold(0.0, f64::max);
        Self { body, sorted, widest: widest.next_up() }
    }

    /// Returns the components whose boxes overlap another box by more than the tolerance along every axis, in
    /// order.
    fn overlapping(&self, bounds: &Aabb, tolerance: f64) -> Vec<u32> {
        let overlaps = |other: &u32| {
            count(Work::boxes(1));
            self.body.component_overlaps_by_more(*other, bounds, tolerance)
        };
        if self.sorted.is_empty() {
            return (0..)
                .zip(&self.body.topology.components)
                .map(|(other, _)| other)
                .filter(overlaps)
                .collect();
        }
        // A box that ends before this one begins has its lowest x at least its extent below.
        let first = (bounds.lo.x - self.widest).next_down();
        let start = self.sorted.partition_point(|(_, around)| around.lo.x < first);
        let near = self.sorted[start..].iter().take_while(|(_, around)| around.lo.x <= bounds.hi.x);
        let meets = near.filter(|(_, around)| around.meets(bounds));
        let mut found: Vec<u32> = meets.map(|(other, _)| *other).filter(overlaps).collect();
        found.sort_unstable();
        found
    }
}

/// Returns the open components of `outer` that might cancel its solid at a point of another body, whose box
/// is given: a reason to doubt that the point lies inside. None if the closed components alone say that it
/// does not.
pub fn doubts(outer: &PosedModel, point: DVec3, other: &Aabb, tolerance: f64) -> Vec<OpenShell> {
    let open = open_components(outer, |bounds| bounds.overlaps_by_more(other, tolerance));
    let holds = |bounds: &Aabb| bounds.strictly_contains(&Aabb::of([point]));
    let shells: Vec<OpenShell> = open
        .filter(|(_, bounds)| holds(bounds))
        .filter_map(|(component, bounds)| shell_around(outer, component, &bounds, point))
        .collect();
    if shells.is_empty() {
        return shells;
    }
    match winding_number(outer, &point) {
        Some(winding) if winding != 0 && might_cancel(winding, &shells) => shells,
        _ => Vec::new(),
    }
}

/// Returns a text on the number of open edges of components, such as `26 open edges`.
pub fn open_edges(body: &PosedModel, components: impl IntoIterator<Item = u32>) -> String {
    let edges = |component: u32| body.topology.components[component as usize].open_edges;
    match components.into_iter().map(|component| u64::from(edges(component))).sum() {
        0 => "its triangles cancel in opposite pairs".to_owned(),
        1 => "1 open edge".to_owned(),
        edges => format!("{edges} open edges"),
    }
}

/// Returns each open component of a body with its box, if the box passes `overlaps`; none if the body is
/// declared a surface.
fn open_components(body: &PosedModel, overlaps: impl Fn(&Aabb) -> bool) -> impl Iterator<Item = (u32, Aabb)> {
    let is_asked = body.has_incomplete_solid() && overlaps(body.bounds());
    let boxes = if is_asked { body.component_boxes() } else { &[] };
    count(Work::boxes(boxes.len() as u64));
    let components = (0..).zip(boxes.iter().zip(&body.topology.components));
    components
        .filter(|(_, (_, component))| component.may_hold())
        .map(|(index, ((_, bounds), _))| (index, *bounds))
        .filter(move |(_, bounds)| overlaps(bounds))
}

/// Returns the vertex that is deepest in a box, for each of some components of a body that has one there:
/// farthest from the nearest side; of several the lowest. The components are in order.
pub fn deepest_vertices(body: &PosedModel, components: &[u32], bounds: &Aabb) -> BTreeMap<u32, u32> {
    if components.is_empty() {
        return BTreeMap::new();
    }
    let mut deepest: BTreeMap<u32, (f64, u32)> = BTreeMap::new();
    let offer = |deepest: &mut BTreeMap<u32, (f64, u32)>, triangle: u32, corners: &Triangle| {
        let component = body.topology.component_of[triangle as usize];
        if components.binary_search(&component).is_err() {
            return;
        }
        for (vertex, p) in body.mesh.triangles()[triangle as usize].into_iter().zip(corners) {
            let depth = (p - bounds.lo).min(bounds.hi - p).min_element();
            if depth >= 0.0 {
                let known = deepest.entry(component).or_insert((depth, vertex));
                if depth > known.0 || (depth == known.0 && vertex < known.1) {
                    *known = (depth, vertex);
                }
            }
        }
    };
    for triangle in (0..body.len()).step_by((body.len() / SAMPLE + 1) as usize) {
        offer(&mut deepest, triangle, &body.triangle(triangle));
    }
    // The least depth that is known of a component.
    let least_of = |deepest: &BTreeMap<u32, (f64, u32)>| {
        let depth = |component| deepest.get(component).map_or(0.0, |&(depth, _)| depth);
        components.iter().map(depth).fold(f64::INFINITY, f64::min)
    };
    let mut least = least_of(&deepest);
    let mut is_searched = false;
    while !is_searched {
        let mut seen = 0;
        let flow = body.in_box(&deeper_than(bounds, least), &mut |triangle, corners| {
            offer(&mut deepest, triangle, corners);
            seen += 1;
            // The deepest of a few more leave a smaller box to search.
            if seen % SAMPLE == 0 && least_of(&deepest) > least {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        least = least_of(&deepest);
        is_searched = flow.is_continue();
    }
    deepest.into_iter().map(|(component, (_, vertex))| (component, vertex)).collect()
}

/// Returns a box around all points whose rounded distances from the sides of a box are at least this.
fn deeper_than(bounds: &Aabb, depth: f64) -> Aabb {
    let step = DVec3::splat(depth.next_down());
    Aabb { lo: (bounds.lo + step).map(f64::next_down), hi: (bounds.hi - step).map(f64::next_up) }
}

/// Returns an open component if it might hold a point in its box.
fn shell_around(body: &PosedModel, component: u32, bounds: &Aabb, p: DVec3) -> Option<OpenShell> {
    if is_wound(body, component, p) == Some(false) {
        return None;
    }
    summed_around(body, component, bounds, p)
}

/// Returns an open component if it might hold a point in its box, by the sum over all edges of its boundary.
fn summed_around(body: &PosedModel, component: u32, bounds: &Aabb, p: DVec3) -> Option<OpenShell> {
    match winding_of_open(body, component, bounds, p) {
        Some(winding) => OpenShell::wound(component, winding),
        None => Some(OpenShell::unoriented(component)),
    }
}

/// Returns whether an open component winds by 1/2 or more around a point in its box; `None` if it has few
/// edges, no consistent winding, or a winding number near 1/2, or if a lid passes through the point.
fn is_wound(body: &PosedModel, component: u32, p: DVec3) -> Option<bool> {
    if body.open_shells().boundary(component)?.len() < FEW {
        return None;
    }
    let lids = body.lids(component)?;
    let winding = winding_of(body, oriented(body, component), |ray| lids.in_box(ray), &p)?;
    SHARES.into_iter().find_map(|share| {
        let seen = lids.solid_angle(p, share)?;
        let from_half = (winding as f64 - seen.angle / (4.0 * PI)).abs() - 0.5;
        (from_half.abs() > seen.error / (4.0 * PI) + ROUNDED).then_some(from_half > 0.0)
    })
}

/// Returns a function that returns the corners of an open component's triangles in its consistent winding.
fn oriented(body: &PosedModel, component: u32) -> impl Fn(u32, Triangle) -> Option<Triangle> {
    let shells = body.open_shells();
    move |triangle, [a, b, c]| {
        let is_member = body.topology.component_of[triangle as usize] == component;
        let corners = if shells.is_turned(triangle) { [a, c, b] } else { [a, b, c] };
        (is_member && !shells.is_repeated(triangle)).then_some(corners)
    }
}

/// Returns how often an open component winds around a point in its box: its solid angle over 4 pi, in f64,
/// with the sign of its consistent winding. `None` if it has none, or if the point lies on it.
///
/// A fan of triangles between the component's boundary and an apex makes a closed surface, whose winding
/// number is an integer: found exactly, in about logarithmic time. The fan's own solid angles are subtracted.
/// The apex is a corner of the component's box: the one whose edges to the boundary pass the point at the
/// widest angles, since rounding decides the solid angle next to an edge; another one if the point lies on
/// the fan.
pub fn winding_of_open(body: &PosedModel, component: u32, bounds: &Aabb, p: DVec3) -> Option<f64> {
    let shells = body.open_shells();
    let vertex = |v: u32| body.pose.apply(body.mesh.vertices()[v as usize]);
    let boundary: Vec<[DVec3; 2]> = shells.boundary(component)?.iter().map(|ends| ends.map(vertex)).collect();
    apexes(bounds, &boundary, p).into_iter().find_map(|apex| {
        let fan: Vec<Triangle> = boundary.iter().map(|&[from, to]| [apex, to, from]).collect();
        let winding = winding_of(body, oriented(body, component), |ray| in_box(&fan, ray), &p)?;
        let angles = fan.iter().try_fold(0.0, |sum, t| Some(sum + solid_angle(t, p)?.angle))?;
        Some(winding as f64 - angles / (4.0 * PI))
    })
}

/// Returns the corners of a box, best first: those from which no point of the boundary lies nearly opposite,
/// as seen from a point.
fn apexes(bounds: &Aabb, boundary: &[[DVec3; 2]], p: DVec3) -> [DVec3; 8] {
    let mut corners = bounds.corners().map(|apex| {
        let away = (apex - p).normalize_or_zero();
        let cosines = boundary.iter().map(|&[from, _]| away.dot((from - p).normalize_or_zero()));
        (cosines.fold(1.0, f64::min), apex)
    });
    corners.sort_by(|(x, _), (y, _)| y.total_cmp(x));
    corners.map(|(_, apex)| apex)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision_mesh::CollisionMesh;
    use closefit_geometry::math::pose::Pose;
    use closefit_geometry::math::testing::Stream;
    use closefit_geometry::mesh::Mesh;

    /// Components that are found near by their order along x are those that one question each finds.
    #[test]
    fn near_components_are_those_that_overlap() {
        let (mut stream, mut overlaps) = (Stream(5), 0);
        for count in [31, 32, 200] {
            let corners: Vec<DVec3> = (0..count)
                .flat_map(|_| [4.0 * stream.point(); 3].map(|p| p + 0.5 * stream.point()))
                .collect();
            let triangles: Vec<[u32; 3]> = (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            let tree = CollisionMesh::build(&Mesh::new(&corners, &triangles).expect("valid"));
            for _ in 0..50 {
                let q = [(); 4].map(|()| stream.signed());
                let pose = Pose::from_trs(q, [1.0; 3], stream.point().to_array()).expect("a pose");
                let posed = tree.at(&pose).expect("rigid");
                let body: &PosedModel = posed.body();
                let near = NearComponents::of(body);
                for tolerance in [0.0, 0.05] {
                    let bounds = Aabb::of([3.0 * stream.point(), 3.0 * stream.point()]);
                    let is_near = |other: &u32| body.component_overlaps_by_more(*other, &bounds, tolerance);
                    let expected: Vec<u32> = (0..count).filter(is_near).collect();
                    assert_eq!(near.overlapping(&bounds, tolerance), expected);
                    overlaps += expected.len();
                }
            }
        }
        assert!(overlaps > 500, "{overlaps}");
    }
}
