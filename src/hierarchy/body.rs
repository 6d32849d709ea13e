//! A part ready for queries: a mesh with its tree and topology, where it stands.

use std::fmt::Debug;
use std::sync::OnceLock;

use glam::{DMat3, DVec3};

use super::Hierarchy;
use crate::bounds::aabb::Aabb;
use crate::executor::Executor;
use crate::math::pose::Pose;
use crate::math::{Triangle, predicates};
use crate::mesh::Mesh;
use crate::mesh::topology::{SeamTriangle, Topology, Winding};

/// What a mesh needs once, however many parts share it.
#[derive(Clone, Debug)]
pub struct Model<T> {
    /// The boxes.
    pub tree: T,
    /// What executes searches of the tree.
    pub executor: Executor,
    /// The components.
    pub topology: Topology,
}

impl<T: Hierarchy> Model<T> {
    /// Builds tree and topology, for poses that are similarities or nearly so; others take more time.
    pub fn of(mesh: &Mesh, executor: Executor, winding: Winding) -> Self {
        Self { tree: T::build(mesh), executor, topology: Topology::of(mesh, winding) }
    }

    /// Builds both, for poses with a given linear part.
    pub fn of_shaped(mesh: &Mesh, linear: DMat3, executor: Executor, winding: Winding) -> Self {
        Self { tree: T::build_for(mesh, linear), executor, topology: Topology::of(mesh, winding) }
    }
}

/// One posed part, and what is found out about it once, however many pairs it is in.
///
/// Queries see a `Body` without the kind of its tree, so that they are compiled once and not for every kind. They reach
/// the tree through [`Body::walk`] and [`Body::near_point`] alone, and take from them only what does not depend on the
/// order or the boxes of a tree. Questions about two bodies go through [`Pair`](super::pair::Pair).
#[derive(Clone, Debug)]
pub struct Body<'a, T: ?Sized = dyn Standing + 'a> {
    /// Its shape.
    pub mesh: &'a Mesh,
    /// The shape's topology.
    pub topology: &'a Topology,
    /// World from part.
    pub pose: Pose,
    /// Exact box of the posed vertices.
    pub bounds: Aabb,
    /// A point inside for each closed component that has one, and how deep it certainly lies under the closed
    /// components; for whoever asks first to fill in.
    pub inner_points: OnceLock<Vec<(DVec3, f64)>>,
    /// The user says that its open components are surfaces, not solids with something missing.
    pub is_declared_surface: bool,
    component_boxes: OnceLock<Vec<(u32, Aabb)>>,
    seam_triangles: OnceLock<Vec<Triangle>>,
    has_solid: bool,
    /// The tree where it stands.
    pub tree: T,
}

/// A tree where it stands, asked about the one body.
pub trait Standing: Debug + Send + Sync {
    /// See [`Hierarchy::walk`].
    fn walk(&self, enter: &mut dyn FnMut(&Aabb) -> bool, visit: &mut dyn FnMut(u32));

    /// See [`Hierarchy::near_point`].
    fn near_point(&self, p: DVec3, bound: f64, visit: &mut dyn FnMut(u32) -> f64);
}

/// A tree of a certain kind where it stands.
#[derive(Clone, Debug)]
pub struct At<'a, T: Hierarchy + 'a>(pub T::Placed<'a>);

impl<T: Hierarchy> Standing for At<'_, T> {
    fn walk(&self, enter: &mut dyn FnMut(&Aabb) -> bool, visit: &mut dyn FnMut(u32)) {
        T::walk(&self.0, enter, visit);
    }

    fn near_point(&self, p: DVec3, bound: f64, visit: &mut dyn FnMut(u32) -> f64) {
        T::near_point(&self.0, p, bound, visit);
    }
}

impl<'a, T: Hierarchy> Body<'a, At<'a, T>> {
    /// A mesh at a pose, with the exact box of its posed vertices, which must be admissible: 2^200 at most.
    pub fn new(mesh: &'a Mesh, model: &'a Model<T>, pose: Pose, bounds: Aabb) -> Self {
        Self {
            mesh,
            topology: &model.topology,
            pose,
            bounds,
            inner_points: OnceLock::new(),
            is_declared_surface: false,
            component_boxes: OnceLock::new(),
            seam_triangles: OnceLock::new(),
            has_solid: model.topology.components.iter().any(|c| c.closed),
            tree: At(model.tree.place(mesh, &pose, model.executor)),
        }
    }

    /// The same body, declared a surface or not.
    pub fn declared_surface(mut self, is_surface: bool) -> Self {
        self.is_declared_surface = is_surface;
        self
    }
}

impl<T: Standing + ?Sized> Body<'_, T> {
    /// The posed corners of a triangle.
    pub fn triangle(&self, triangle: u32) -> Triangle {
        self.mesh.corners(triangle).map(|v| self.pose.apply(v))
    }

    /// The posed corners of a triangle, counterclockwise as seen from the side that its shell takes for out.
    pub fn oriented(&self, triangle: u32) -> Triangle {
        let [a, b, c] = self.triangle(triangle);
        if self.topology.is_turned(triangle) { [a, c, b] } else { [a, b, c] }
    }

    /// The posed triangles that close the seams of closed components, oriented; those without area left out.
    /// Exactly flat in the mesh's frame, they fill the cracks that the rounding of the pose opens.
    pub fn seam_triangles(&self) -> &[Triangle] {
        self.seam_triangles.get_or_init(|| {
            let posed =
                |seam: &SeamTriangle| seam.corners.map(|v| self.pose.apply(self.mesh.vertices()[v as usize]));
            let seams = self.topology.seam_triangles.iter().map(posed);
            seams.filter(|&[a, b, c]| !predicates::collinear(a, b, c)).collect()
        })
    }

    /// How many triangles.
    pub fn len(&self) -> u32 {
        crate::ids::to_u32(self.mesh.triangles().len())
    }

    /// Never: a mesh has triangles.
    pub fn is_empty(&self) -> bool {
        self.mesh.triangles().is_empty()
    }

    /// True when the triangle belongs to a closed component.
    pub fn is_closed(&self, triangle: u32) -> bool {
        self.topology.is_closed(triangle)
    }

    /// True when some component is closed, so that the part has a solid.
    pub fn has_solid(&self) -> bool {
        self.has_solid
    }

    /// The first triangle and the posed box of every component, in their order.
    pub fn component_boxes(&self) -> &[(u32, Aabb)] {
        self.component_boxes.get_or_init(|| {
            let topology = self.topology;
            if topology.components.len() == 1 {
                return vec![(0, self.bounds)];
            }
            let mut boxes = vec![(u32::MAX, Aabb::EMPTY); topology.components.len()];
            for (triangle, &component) in (0u32..).zip(&topology.component_of) {
                let (first, bounds) = &mut boxes[component as usize];
                *first = (*first).min(triangle);
                *bounds = bounds.union(Aabb::of(self.triangle(triangle)));
            }
            boxes
        })
    }

    /// Calls `visit` with the triangles of every leaf whose world box, and those of all its ancestors,
    /// passes `enter`.
    pub fn walk(&self, mut enter: impl FnMut(&Aabb) -> bool, mut visit: impl FnMut(u32)) {
        self.tree.walk(&mut enter, &mut visit);
    }

    /// Calls `visit` with the triangles of every leaf that is not proven farther from a point than the bound,
    /// near ones first, about; `visit` returns the bound from there on, which does not grow.
    pub fn near_point(&self, p: DVec3, bound: f64, mut visit: impl FnMut(u32) -> f64) {
        self.tree.near_point(p, bound, &mut visit);
    }
}
