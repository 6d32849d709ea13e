//! What is wrong with each mesh, and what it bounds: components, closed or open.

use glam::DVec3;

use super::Mesh;

/// A set of triangles that connect across shared edges (welded by exact position).
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// How many triangles.
    pub triangles: u32,
    /// Every directed edge occurs as often as its reverse, and the triangles do not merely cancel in
    /// opposite pairs: the component bounds a solid.
    pub closed: bool,
    /// Undirected edges whose two directions do not occur equally often.
    pub open_edges: u32,
}

/// The components of a mesh, in the order of their lowest triangle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Topology {
    /// Component of each triangle.
    pub component_of: Vec<u32>,
    /// All components.
    pub components: Vec<Component>,
}

impl Topology {
    /// Finds the components of a mesh.
    pub fn of(_mesh: &Mesh) -> Self {
        Self::default()
    }
}

/// What `inspect` says of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Health {
    /// Lowest and highest corner, unposed.
    pub bounds: [DVec3; 2],
}
