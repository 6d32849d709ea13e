//! The shapes of a page: every mesh once, as bytes.

use std::collections::BTreeMap;

use closefit_geometry::ids::PartId;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::scene::Scene;
use glam::DVec3;

use crate::edges::edges;

/// The shapes of a scene's parts as bytes: of each the points, in `f32` about its middle, then the corners of
/// its triangles and the ends of its edges, each list filled up to four bytes.
#[derive(Default)]
pub struct Geometry {
    /// Points, triangles and edges of each shape.
    pub counts: Vec<[usize; 3]>,
    /// The bytes of all shapes.
    pub bytes: Vec<u8>,
    /// The shape of each part that has one.
    shapes: Vec<Option<Shape>>,
}

/// A shape, and how it becomes the mesh that it stands for.
#[derive(Clone, Copy)]
pub struct Shape {
    /// Its place among the shapes.
    pub number: usize,
    /// The middle of the mesh.
    pub middle: DVec3,
    /// The factor by which its points are multiplied.
    pub scale: DVec3,
}

/// The drawing of a part.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Drawn {
    /// Its mesh.
    Whole,
    /// The box of its mesh.
    Box,
    /// Nothing.
    Nothing,
}

impl Geometry {
    /// Returns the shapes of a scene, with each part drawn as `drawn` says.
    pub fn of(scene: &Scene, drawn: impl Fn(PartId) -> Drawn) -> Self {
        let mut geometry = Self::default();
        let mut of_mesh: BTreeMap<u32, Shape> = BTreeMap::new();
        let mut of_box = None;
        for id in 0..scene.parts.len() as u32 {
            let mesh = scene.mesh(PartId(id));
            let shape = match drawn(PartId(id)) {
                Drawn::Nothing => None,
                Drawn::Whole => {
                    let number = scene.parts[id as usize].mesh.0;
                    Some(*of_mesh.entry(number).or_insert_with(|| geometry.add(mesh)))
                }
                Drawn::Box => {
                    let cube = *of_box.get_or_insert_with(|| geometry.add(&cube()));
                    let bounds = mesh.posed_bounds(&Pose::IDENTITY);
                    let [middle, scale] = [bounds.lo + bounds.hi, bounds.hi - bounds.lo].map(|sum| 0.5 * sum);
                    Some(Shape { middle, scale, ..cube })
                }
            };
            geometry.shapes.push(shape);
        }
        geometry
    }

    /// Returns the shape of a part, if it has one.
    pub fn shape(&self, part: PartId) -> Option<Shape> {
        self.shapes[part.index()]
    }

    /// Adds numbers after all shapes.
    pub fn add_numbers(&mut self, numbers: &[f32]) {
        self.bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }

    fn add(&mut self, mesh: &Mesh) -> Shape {
        let bounds = mesh.posed_bounds(&Pose::IDENTITY);
        let middle = 0.5 * bounds.lo + 0.5 * bounds.hi;
        let edges = edges(mesh);
        let points = mesh.vertices().iter().flat_map(|&point| (point - middle).as_vec3().to_array());
        self.bytes.extend(points.flat_map(f32::to_le_bytes));
        let count = mesh.vertices().len();
        self.indices(count, mesh.triangles().as_flattened());
        self.indices(count, edges.as_flattened());
        self.counts.push([count, mesh.triangles().len(), edges.len()]);
        Shape { number: self.counts.len() - 1, middle, scale: DVec3::ONE }
    }

    /// Adds indices of points: two bytes each if that is enough for all points.
    fn indices(&mut self, points: usize, indices: &[u32]) {
        if points > 1 << 16 {
            self.bytes.extend(indices.iter().flat_map(|index| index.to_le_bytes()));
        } else {
            self.bytes.extend(indices.iter().flat_map(|&index| (index as u16).to_le_bytes()));
        }
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

/// Returns the cube from -1 to 1.
fn cube() -> Mesh {
    let corner = |i: u32| [0, 1, 2].map(|axis| f64::from(i >> axis & 1) * 2.0 - 1.0);
    let corners: Vec<[f64; 3]> = (0..8).map(corner).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh::new(&corners, &triangles).expect("a cube")
}
