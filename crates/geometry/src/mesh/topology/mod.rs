//! Components of a mesh: finds those that bound a solid, once winding and seams are repaired.

pub mod edges;
pub mod open_shells;
mod orientation;
mod seams;
#[cfg(test)]
mod tests;
mod volume;

use std::cmp::Ordering;

use glam::DVec3;

use super::Mesh;
use crate::bounds::aabb::Aabb;
use crate::ids::to_u32;
use crate::math::disjoint_sets::DisjointSets;
use crate::math::double_double::power_of_two_below;
use edges::{CornerSet, EdgeUse, Edges, corner_sets, proper};
use orientation::{Orientation, orient};
use volume::volume_signs;

/// The winding in which triangles are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Winding {
    /// Components that can be oriented are oriented, and seams are closed.
    #[default]
    Repaired,
    /// Triangles are taken as given in the file.
    AsFound,
}

/// A set of triangles that are connected across shared edges (welded by exact position).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Component {
    /// Number of triangles.
    pub triangles: u32,
    /// True when the component bounds a solid: every directed edge occurs as often as its reverse, and the
    /// triangles do not merely cancel in opposite pairs.
    pub closed: bool,
    /// True when triangles were turned to give the component a consistent winding.
    pub turned: bool,
    /// Number of undirected edges whose two directions do not occur equally often.
    pub open_edges: u32,
}

impl Component {
    /// True for an open component that might hold something if it were whole: one triangle winds by less than
    /// 1/2 around any point off it.
    pub fn may_hold(&self) -> bool {
        !self.closed && self.triangles > 1
    }
}

/// A triangle of zero area, in the mesh's frame, that closes part of a seam of a closed component.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SeamTriangle {
    /// Vertex indices, in the winding of the component.
    pub corners: [u32; 3],
}

/// Repairs made to a mesh, and what is doubtful about it all the same.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Repairs {
    /// Number of components turned to a consistent winding.
    pub shells: u32,
    /// Number of boundary loops on one line that were closed.
    pub seams: u32,
    /// Number of components that would be closed if they had a consistent winding, but have none.
    pub without_winding: u32,
    /// An edge of the first of these at which no winding agrees, by its ends in the mesh's frame.
    pub disagrees_at: Option<[DVec3; 2]>,
    /// Number of components that would be closed, but whose outward side is unknown.
    pub without_outside: u32,
    /// True when an outermost closed component is inside out.
    pub is_inside_out: bool,
}

/// The components of a mesh, in the order of their lowest triangle.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Topology {
    /// Index of the component of each triangle.
    pub component_of: Vec<u32>,
    /// All components.
    pub components: Vec<Component>,
    /// Triangles that close the seams of closed components.
    pub seam_triangles: Vec<SeamTriangle>,
    /// The repairs, and what could not be repaired.
    repairs: Repairs,
    /// True for each triangle taken in the opposite winding to the file's; empty if there are none.
    turned: Vec<bool>,
}

impl Topology {
    /// Finds the components of a mesh.
    pub fn of(mesh: &Mesh, winding: Winding) -> Self {
        let triangles = mesh.triangles().len();
        let mut edges = Edges::of(mesh);
        let mut seams = Vec::new();
        if winding == Winding::Repaired {
            seams = seams::find(mesh, &edges);
            if !seams.is_empty() {
                let polygons = seams.iter().enumerate();
                edges =
                    edges.with(polygons.flat_map(|(i, corners)| seams::polygon_uses(triangles + i, corners)));
            }
        }
        let mut topology = Self::connected(triangles + seams.len(), &edges);
        topology.repairs.seams = to_u32(seams.len());
        if winding == Winding::Repaired {
            topology.wind(mesh, &edges);
        }
        topology.count_open_edges(&edges);
        topology.find_closed(mesh, &edges, &seams);
        topology.keep_seams(triangles, &seams);
        topology.repairs.shells = to_u32(topology.components.iter().filter(|c| c.turned).count());
        topology.repairs.is_inside_out = topology.is_inside_out(mesh);
        topology
    }

    /// Returns the memory of the components and the per-triangle lists, in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.component_of.as_slice())
            + size_of_val(self.components.as_slice())
            + size_of_val(self.seam_triangles.as_slice())
            + size_of_val(self.turned.as_slice())
    }

    /// True when all that is listed here of triangles, vertices and components is there in a mesh.
    pub fn fits(&self, mesh: &Mesh) -> bool {
        let (vertices, triangles) = (mesh.vertices().len(), mesh.triangles().len());
        let is_below = |count: usize| move |&index: &u32| (index as usize) < count;
        self.component_of.len() == triangles
            && self.component_of.iter().all(is_below(self.components.len()))
            && self.seam_triangles.iter().flat_map(|seam| &seam.corners).all(is_below(vertices))
            && (self.turned.is_empty() || self.turned.len() == triangles)
    }

    /// True when the triangle belongs to a component that bounds a solid.
    pub fn is_closed(&self, triangle: u32) -> bool {
        self.components[self.component_of[triangle as usize] as usize].closed
    }

    /// True when the triangle is taken in the opposite winding to the file's.
    #[inline]
    pub fn is_turned(&self, triangle: u32) -> bool {
        is_turned(&self.turned, triangle)
    }

    /// Returns what was repaired, or could not be.
    pub fn repairs(&self) -> Repairs {
        self.repairs
    }

    /// Gives a consistent winding to the components that are closed but for it: every edge has an even number
    /// of faces, and at some edge they do not run along it equally often in both directions.
    ///
    /// A component keeps the winding that three quarters of its area have. Where neither winding has so much,
    /// its volume gets positive, unless the component meets another: then it is unknown what is solid there,
    /// and the component stays as it was found.
    fn wind(&mut self, mesh: &Mesh, edges: &Edges) {
        let mut may_close = vec![true; self.components.len()];
        let mut is_unbalanced = vec![false; self.components.len()];
        for uses in edges.irregular() {
            let component = self.component_of[uses[0].face as usize] as usize;
            let (mut faces, mut forward) = (0, 0);
            for face in proper(uses) {
                faces += 1;
                forward += i32::from(face.forward);
            }
            may_close[component] &= faces % 2 == 0;
            is_unbalanced[component] |= 2 * forward != faces;
        }
        let mut wanted: Vec<bool> = may_close.iter().zip(&is_unbalanced).map(|(c, u)| *c && *u).collect();
        if !wanted.contains(&true) {
            return;
        }
        let Orientation { turned, components } = orient(edges, &self.component_of, &wanted, areas(mesh));
        let is_open = self.without_sides(mesh, &components);
        for (component, found) in components.iter().enumerate() {
            if let Some(edge) = found.disagrees_at {
                self.repairs.without_winding += 1;
                let ends = edge.map(|v| mesh.vertices()[v as usize]);
                self.repairs.disagrees_at.get_or_insert(ends);
            } else if is_open[component] {
                self.repairs.without_outside += 1;
            }
            wanted[component] &= found.disagrees_at.is_none() && !is_open[component];
            self.components[component].turned = wanted[component];
        }
        let by_volume: Vec<bool> =
            wanted.iter().zip(&components).map(|(w, c)| *w && c.is_ambiguous).collect();
        let volumes = volume_signs(mesh, &self.component_of, &turned, &by_volume);
        self.turned = turned;
        for (turned, &component) in self.turned.iter_mut().zip(&self.component_of) {
            let component = component as usize;
            *turned = wanted[component] && *turned != (volumes[component] == Ordering::Less);
        }
    }

    /// Returns true for each component with an ambiguous winding whose outward side is unknown: it consists
    /// of several groups of patches, or its box meets the box of another component.
    fn without_sides(&self, mesh: &Mesh, found: &[orientation::Found]) -> Vec<bool> {
        let mut is_open = vec![false; found.len()];
        if !found.iter().any(|found| found.is_ambiguous) {
            return is_open;
        }
        let mut boxes = vec![Aabb::EMPTY; found.len()];
        for (triangle, &component) in (0..to_u32(mesh.triangles().len())).zip(&self.component_of) {
            let bounds = &mut boxes[component as usize];
            *bounds = bounds.union(Aabb::of(mesh.corners(triangle)));
        }
        let meets = meeting(&boxes);
        for (component, found) in found.iter().enumerate().filter(|(_, found)| found.is_ambiguous) {
            is_open[component] = found.groups > 1 || meets[component];
        }
        is_open
    }

    /// True when a closed component that no other contains is inside out: one of those that reach farthest
    /// along some axis.
    fn is_inside_out(&self, mesh: &Mesh) -> bool {
        let mut farthest = [[(f64::NEG_INFINITY, 0); 2]; 3];
        let mut reached = Aabb::EMPTY;
        for (triangle, &component) in (0..).zip(&self.component_of) {
            let corners = mesh.corners(triangle);
            let bounds = Aabb::of(corners);
            let reaches_farther = bounds.lo.cmplt(reached.lo).any() || bounds.hi.cmpgt(reached.hi).any();
            if !reaches_farther || !self.components[component as usize].closed {
                continue;
            }
            reached = reached.union(bounds);
            for p in corners {
                for (axis, ends) in farthest.iter_mut().enumerate() {
                    for (end, reach) in ends.iter_mut().zip([p[axis], -p[axis]]) {
                        if reach > end.0 {
                            *end = (reach, component);
                        }
                    }
                }
            }
        }
        let mut wanted = vec![false; self.components.len()];
        let is_found = |end: &&(f64, u32)| end.0 > f64::NEG_INFINITY;
        farthest.as_flattened().iter().filter(is_found).for_each(|&(_, c)| wanted[c as usize] = true);
        volume_signs(mesh, &self.component_of, &self.turned, &wanted).contains(&Ordering::Less)
    }

    /// Groups faces into components, numbered by their lowest members. None is marked as closed yet.
    fn connected(faces: usize, edges: &Edges) -> Self {
        let mut sets = DisjointSets::new(faces);
        for [one, other] in edges.neighbours() {
            sets.join(one, other);
        }
        let mut topology = Self { component_of: Vec::with_capacity(faces), ..Self::default() };
        for face in 0..sets.count() {
            // A face before it in its set has its component already.
            let before = sets.before(face);
            let component = if before == face {
                let new = Component { triangles: 0, closed: false, turned: false, open_edges: 0 };
                topology.components.push(new);
                to_u32(topology.components.len() - 1)
            } else {
                topology.component_of[before as usize]
            };
            topology.component_of.push(component);
            topology.components[component as usize].triangles += 1;
        }
        topology
    }

    fn count_open_edges(&mut self, edges: &Edges) {
        if self.turned.is_empty() {
            edges.irregular().for_each(|uses| self.count_if_open(uses));
        } else {
            edges.all().for_each(|uses| self.count_if_open(uses));
        }
    }

    fn count_if_open(&mut self, uses: &[EdgeUse]) {
        let forward = uses.iter().filter(|u| u.forward != self.is_turned(u.face)).count();
        if 2 * forward != uses.len() {
            self.component_of_face(uses[0].face).open_edges += 1;
        }
    }

    /// Marks the closed components, and cancels the turning of components that are open all the same.
    fn find_closed(&mut self, mesh: &Mesh, edges: &Edges, seams: &[Vec<u32>]) {
        // Opposite pairs share all their edges, so if every edge has two triangles, the pair is the whole
        // component.
        let mut may_cancel: Vec<bool> = self.components.iter().map(|c| c.triangles <= 2).collect();
        for uses in edges.irregular() {
            may_cancel[self.component_of[uses[0].face as usize] as usize] = true;
        }
        for &component in &self.component_of[mesh.triangles().len()..] {
            may_cancel[component as usize] = true;
        }
        for (component, may_cancel) in self.components.iter_mut().zip(&may_cancel) {
            component.closed = !may_cancel;
        }
        let triangles = to_u32(mesh.triangles().len());
        let unsure = (0..triangles).filter(|&t| may_cancel[self.component_of[t as usize] as usize]);
        let mut sets = corner_sets(mesh, unsure);
        if !seams.is_empty() {
            let fans = (triangles..).zip(seams).flat_map(|(face, corners)| {
                seams::fan(corners).map(move |corners| CornerSet::new(face, corners))
            });
            sets.extend(fans);
            sets.sort_unstable();
        }
        // Triangles on the same three corners share edges, so a group lies in one component.
        for group in sets.chunk_by(CornerSet::same_corners) {
            let even = group.iter().filter(|t| t.even != self.is_turned(t.triangle)).count();
            if !group[0].repeats_a_corner() && 2 * even != group.len() {
                self.component_of_face(group[0].triangle).closed = true;
            }
        }
        for component in &mut self.components {
            component.closed &= component.open_edges == 0;
            component.turned &= component.closed;
        }
    }

    /// Keeps the seam triangles of closed components and drops the other seam data. Afterwards, faces are
    /// triangles only.
    fn keep_seams(&mut self, triangles: usize, seams: &[Vec<u32>]) {
        for (corners, face) in seams.iter().zip(to_u32(triangles)..) {
            if self.is_closed(face) {
                let is_turned = self.is_turned(face);
                let proper = seams::fan(corners).filter(|&corners| !edges::repeats_a_corner(corners));
                self.seam_triangles.extend(proper.map(|[a, b, c]| SeamTriangle {
                    corners: if is_turned { [a, c, b] } else { [a, b, c] },
                }));
            }
        }
        self.turned.truncate(triangles);
        for (turned, &component) in self.turned.iter_mut().zip(&self.component_of) {
            *turned &= self.components[component as usize].turned;
        }
        if !self.turned.contains(&true) {
            self.turned = Vec::new();
        }
        // Every component has a triangle, because a seam is joined to the triangles next to it.
        for component in self.component_of.drain(triangles..) {
            self.components[component as usize].triangles -= 1;
        }
    }

    fn component_of_face(&mut self, face: u32) -> &mut Component {
        &mut self.components[self.component_of[face as usize] as usize]
    }
}

/// True when the triangle is marked in a list that may be empty.
#[inline]
fn is_turned(turned: &[bool], triangle: u32) -> bool {
    turned.get(triangle as usize).is_some_and(|&turned| turned)
}

/// Returns a function that returns areas of faces in f64, scaled by a power of two so that none overflows.
/// Faces that are not triangles of the mesh close its seams and have none.
fn areas(mesh: &Mesh) -> impl Fn(u32) -> f64 {
    let largest = mesh.vertices().iter().fold(0.0, |most: f64, p| most.max(p.abs().max_element()));
    let scale = power_of_two_below(largest).max(f64::MIN_POSITIVE);
    move |face| match mesh.triangles().get(face as usize) {
        Some(_) => {
            let [a, b, c] = mesh.corners(face).map(|p| p / scale);
            (b - a).cross(c - a).length()
        }
        None => 0.0,
    }
}

/// Returns true for each box that meets another one; those without content meet none.
fn meeting(boxes: &[Aabb]) -> Vec<bool> {
    let mut meets = vec![false; boxes.len()];
    let mut by_start: Vec<usize> = (0..boxes.len()).collect();
    by_start.sort_unstable_by(|&x, &y| boxes[x].lo.x.total_cmp(&boxes[y].lo.x));
    for (place, &one) in by_start.iter().enumerate() {
        for &other in by_start[place + 1..].iter().take_while(|&&other| boxes[other].lo.x <= boxes[one].hi.x)
        {
            if boxes[one].meets(&boxes[other]) {
                meets[one] = true;
                meets[other] = true;
            }
        }
    }
    meets
}
