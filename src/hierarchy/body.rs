//! A part ready for queries: a mesh with its tree and topology, where it stands.

use std::sync::OnceLock;

use glam::{DMat3, DVec3};

use super::obb2::Obb2;
use super::obb2::point_bound::{PartFrame, PointBound};
use super::obb8::Obb8;
use super::obb8::posed::Posed;
use super::tree::Tree;
use super::world_box;
use crate::backend::Backend;
use crate::bounds::aabb::Aabb;
use crate::math::pose::Pose;
use crate::math::{Triangle, predicates};
use crate::mesh::Mesh;
use crate::mesh::topology::{SeamTriangle, Topology, Winding};

/// What a mesh needs once, however many parts share it.
#[derive(Clone, Debug)]
pub struct Model {
    /// The boxes.
    pub tree: Tree,
    /// The components.
    pub topology: Topology,
}

impl Model {
    /// Builds both, for poses that are similarities or nearly so; others take more time.
    pub fn of(mesh: &Mesh, backend: Backend, winding: Winding) -> Self {
        Self { tree: Tree::build(mesh, backend), topology: Topology::of(mesh, winding) }
    }

    /// Builds both, for poses with a given linear part.
    pub fn of_shaped(mesh: &Mesh, linear: DMat3, winding: Winding) -> Self {
        Self { tree: Tree::Wide(Obb8::build_for(mesh, linear)), topology: Topology::of(mesh, winding) }
    }
}

/// One posed part, and what is found out about it once, however many pairs it is in.
///
/// Whoever asks of a single body reaches its tree through [`Body::walk`] and [`Body::near_point`] alone, and
/// takes from them only what does not depend on the order or the boxes of a tree.
#[derive(Clone, Debug)]
pub struct Body<'a> {
    /// Its shape.
    pub mesh: &'a Mesh,
    /// The shape's tree and topology.
    pub model: &'a Model,
    /// World from part.
    pub pose: Pose,
    /// Exact box of the posed vertices.
    pub bounds: Aabb,
    /// About how much the pose magnifies; steers a traversal, decides nothing.
    pub scale: f64,
    /// A point inside for each closed component that has one, and how deep it certainly lies under the closed
    /// components; for whoever asks first to fill in.
    pub inner_points: OnceLock<Vec<(DVec3, f64)>>,
    /// The user says that its open components are surfaces, not solids with something missing.
    pub is_declared_surface: bool,
    component_boxes: OnceLock<Vec<(u32, Aabb)>>,
    seam_triangles: OnceLock<Vec<Triangle>>,
    has_solid: bool,
    /// The tree where it stands.
    pub tree: Standing<'a>,
    /// How far a box computed in the world may be off, per coordinate.
    margin: f64,
}

/// A tree, and what its traversals need of a pose.
#[derive(Clone, Debug)]
pub enum Standing<'a> {
    /// RAPID's.
    Binary(&'a Obb2, PartFrame),
    /// The wide one.
    Wide(Posed<'a>),
}

impl<'a> Body<'a> {
    /// A mesh at a pose, with the exact box of its posed vertices, which must be admissible: 2^200 at most.
    pub fn new(mesh: &'a Mesh, model: &'a Model, pose: Pose, bounds: Aabb) -> Self {
        let margin = world_box::margin(&pose, model.tree.reach());
        let column = DVec3::new(pose.rows[0][0], pose.rows[1][0], pose.rows[2][0]);
        Self {
            mesh,
            model,
            pose,
            bounds,
            scale: column.length(),
            inner_points: OnceLock::new(),
            is_declared_surface: false,
            component_boxes: OnceLock::new(),
            seam_triangles: OnceLock::new(),
            has_solid: model.topology.components.iter().any(|c| c.closed),
            tree: match &model.tree {
                Tree::Binary(tree) => Standing::Binary(tree, PartFrame::of(&pose, margin)),
                Tree::Wide(tree) => Standing::Wide(Posed::new(tree, &pose)),
            },
            margin,
        }
    }

    /// The same body, declared a surface or not.
    pub fn declared_surface(mut self, is_surface: bool) -> Self {
        self.is_declared_surface = is_surface;
        self
    }

    /// The posed corners of a triangle.
    pub fn triangle(&self, triangle: u32) -> Triangle {
        self.mesh.corners(triangle).map(|v| self.pose.apply(v))
    }

    /// The posed corners of a triangle, counterclockwise as seen from the side that its shell takes for out.
    pub fn oriented(&self, triangle: u32) -> Triangle {
        let [a, b, c] = self.triangle(triangle);
        if self.model.topology.is_turned(triangle) { [a, c, b] } else { [a, b, c] }
    }

    /// The posed triangles that close the seams of closed components, oriented; those without area left out.
    /// Exactly flat in the mesh's frame, they fill the cracks that the rounding of the pose opens.
    pub fn seam_triangles(&self) -> &[Triangle] {
        self.seam_triangles.get_or_init(|| {
            let posed =
                |seam: &SeamTriangle| seam.corners.map(|v| self.pose.apply(self.mesh.vertices()[v as usize]));
            let seams = self.model.topology.seam_triangles.iter().map(posed);
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
        self.model.topology.is_closed(triangle)
    }

    /// True when some component is closed, so that the part has a solid.
    pub fn has_solid(&self) -> bool {
        self.has_solid
    }

    /// The first triangle and the posed box of every component, in their order.
    pub fn component_boxes(&self) -> &[(u32, Aabb)] {
        self.component_boxes.get_or_init(|| {
            let topology = &self.model.topology;
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
        match &self.tree {
            Standing::Binary(tree, _) => {
                let mut stack = vec![0u32];
                while let Some(index) = stack.pop() {
                    let node = &tree.nodes[index as usize];
                    if !enter(&world_box::around(&node.obb, &self.pose, self.margin)) {
                        continue;
                    }
                    if node.is_leaf() {
                        tree.leaf(node).iter().for_each(|&t| visit(t));
                    } else {
                        stack.extend([node.first + 1, node.first]);
                    }
                }
            }
            Standing::Wide(tree) => {
                let pose = tree.tree_pose();
                tree.walk(|obb| enter(&world_box::around(obb, &pose, self.margin)), visit);
            }
        }
    }

    /// Calls `visit` with the triangles of every leaf that is not proven farther from a point than the bound,
    /// near ones first, about; `visit` returns the bound from there on, which does not grow.
    pub fn near_point(&self, p: DVec3, mut bound: f64, mut visit: impl FnMut(u32) -> f64) {
        let (tree, frame) = match &self.tree {
            Standing::Binary(tree, frame) => (tree, frame),
            Standing::Wide(tree) => return tree.near_point(p, bound, visit),
        };
        let from = PointBound::new(frame, p);
        let mut stack = vec![(0u32, f64::NEG_INFINITY)];
        while let Some((index, separation)) = stack.pop() {
            if separation > bound {
                continue;
            }
            let node = &tree.nodes[index as usize];
            if node.is_leaf() {
                tree.leaf(node).iter().for_each(|&t| bound = visit(t));
            } else {
                let mut children = [node.first, node.first + 1]
                    .map(|child| (child, from.separation(&tree.nodes[child as usize].obb)));
                if children[0].1 < children[1].1 {
                    children.swap(0, 1);
                }
                stack.extend(children);
            }
        }
    }
}
