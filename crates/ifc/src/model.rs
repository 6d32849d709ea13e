//! The contents of a file, once it is read.

use std::sync::Arc;

/// The products of a file that have a shape. Lengths are in metres, z is up.
#[derive(Clone, Debug, Default)]
pub struct Building {
    /// Products, and the spatial elements and assemblies that they are in.
    pub nodes: Vec<Node>,
    /// Products with all of their shape, in the order of the file, and those with something lost.
    pub products: Vec<Product>,
    /// Products without a shape although they should have one, and those that the kernel would draw wrong.
    pub missing: Vec<Flawed>,
    /// Notes on what was left out or is not exact.
    pub notes: Vec<String>,
}

/// A product, a storey, a building and so on, by name.
#[derive(Clone, Debug)]
pub struct Node {
    /// The name, else the type and the number.
    pub name: Arc<str>,
    /// The node that it is in, an index of [`Building::nodes`].
    pub parent: Option<usize>,
    /// True for a storey.
    pub is_storey: bool,
}

/// One product.
#[derive(Clone, Debug)]
pub struct Product {
    /// The number of its record.
    pub id: u32,
    /// Its node, an index of [`Building::nodes`].
    pub node: usize,
    /// The type, such as `IfcWall`.
    pub kind: Arc<str>,
    /// The GlobalId.
    pub guid: Option<String>,
    /// Its tags, such as `material:Brick`.
    pub tags: Vec<String>,
    /// Its shape.
    pub shape: Shape,
    /// The part of it that the kernel lost, if any.
    pub flaw: Option<String>,
}

/// A shape, relative to a frame near it.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    /// The first three rows of the matrix that takes the frame to the world.
    pub pose: [[f64; 4]; 3],
    /// Vertices in the frame.
    pub vertices: Vec<[f64; 3]>,
    /// Triangles, by their vertices.
    pub triangles: Vec<[u32; 3]>,
}

/// A product that has a flaw.
#[derive(Clone, Debug)]
pub struct Flawed {
    /// The number of its record.
    pub id: u32,
    /// The name.
    pub name: Arc<str>,
    /// The reason.
    pub why: String,
}
