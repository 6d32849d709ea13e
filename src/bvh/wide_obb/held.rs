//! The default tree as library users hold it: it contains its triangles, and needs no mesh.

use std::sync::Arc;

use glam::DVec3;

use super::WideObb;
use super::posed::PosedWideObb;
use super::search::PosedPair;
use super::search::coherence::Coherence;
use super::search::nearest::with_scratch;
use crate::bvh::Hierarchy;
use crate::bvh::held::{Held, Refitted};
use crate::bvh::wide_topology::NormalFrame;
use crate::narrow::{Nearest, Work};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;

/// The tree, and where the mesh has its vertices.
#[derive(Clone, Debug)]
pub struct WithoutMesh {
    boxes: WideObb,
    /// The index in the mesh of each vertex of the boxes.
    places: Arc<[u32]>,
}

impl WithoutMesh {
    /// Returns the tree of boxes, whose clones share it.
    pub fn boxes(&self) -> &WideObb {
        &self.boxes
    }

    /// Returns the mesh that the tree was built for or, since then, fitted to.
    pub fn mesh(&self) -> Mesh {
        let Self { boxes, places } = self;
        let mut vertices = vec![DVec3::ZERO; places.len()];
        for (&v, &position) in places.iter().zip(&boxes.vertices) {
            vertices[v as usize] = position;
        }
        let mut triangles = vec![[0; 3]; boxes.triangles.len()];
        for (&triangle, corners) in boxes.triangles.iter().zip(&boxes.corners) {
            triangles[triangle as usize] = corners.map(|place| places[place as usize]);
        }
        Mesh::new(&vertices, &triangles).expect("it is as valid as the mesh of the tree")
    }
}

impl Held for WithoutMesh {
    type Posed<'a> = PosedWideObb<'a>;
    type Memory = Coherence;

    fn build(mesh: &Mesh) -> Self {
        let boxes = WideObb::build(mesh);
        let mut places = vec![0; boxes.vertices.len()];
        for (corners, &triangle) in boxes.corners.iter().zip(&boxes.triangles) {
            for (&place, v) in corners.iter().zip(mesh.triangles()[triangle as usize]) {
                places[place as usize] = v;
            }
        }
        Self { boxes, places: places.into() }
    }

    fn triangles(&self) -> usize {
        self.boxes.triangles.len()
    }

    fn vertices(&self) -> &[DVec3] {
        &self.boxes.vertices
    }

    fn corners(&self) -> &[[u32; 3]] {
        &self.boxes.corners
    }

    fn triangle(posed: &PosedWideObb, place: u32) -> Triangle {
        posed.triangle(place)
    }

    fn frame(&self) -> NormalFrame {
        NormalFrame { center: self.boxes.center, unit: self.boxes.unit }
    }

    fn largest_coordinate(&self) -> f64 {
        self.boxes.largest_coordinate
    }

    fn bytes(&self) -> usize {
        self.boxes.stats().bytes + size_of_val(&*self.places)
    }

    fn at(&self, pose: &Pose) -> PosedWideObb<'_> {
        PosedWideObb::new(&self.boxes, pose)
    }

    fn bounds(posed: &PosedWideObb) -> Aabb {
        posed.bounds()
    }

    fn contacts(a: &PosedWideObb, b: &PosedWideObb, work: &mut Work) -> Vec<[u32; 2]> {
        WideObb::contacts(a, b, usize::MAX, work)
    }

    fn touches(a: &PosedWideObb, b: &PosedWideObb, work: &mut Work) -> bool {
        WideObb::touches(a, b, work)
    }

    fn within(a: &PosedWideObb, b: &PosedWideObb, bound: f64, work: &mut Work) -> bool {
        WideObb::within(a, b, bound, work).is_some()
    }

    fn still_touches(memory: &mut Coherence, a: &PosedWideObb, b: &PosedWideObb, work: &mut Work) -> bool {
        memory.still_touches(&PosedPair::new(a, b), work)
    }

    fn forget(memory: &mut Coherence) {
        memory.forget();
    }

    fn touches_again(memory: &mut Coherence, a: &PosedWideObb, b: &PosedWideObb, work: &mut Work) -> bool {
        with_scratch(|scratch| memory.touches(a, b, scratch, work))
    }

    fn contacts_again(
        memory: &mut Coherence,
        a: &PosedWideObb,
        b: &PosedWideObb,
        work: &mut Work,
    ) -> Vec<[u32; 2]> {
        with_scratch(|scratch| memory.contacts(a, b, scratch, work))
    }

    fn nearest_again(
        memory: &mut Coherence,
        a: &PosedWideObb,
        b: &PosedWideObb,
        bound: f64,
        work: &mut Work,
    ) -> Option<Nearest> {
        with_scratch(|scratch| memory.nearest(a, b, bound, scratch, work))
    }

    fn found(memory: &Coherence, a: &PosedWideObb, b: &PosedWideObb) -> Option<[Triangle; 2]> {
        memory.closest().map(|[place_a, place_b]| [a.triangle(place_a), b.triangle(place_b)])
    }
}

impl Refitted for WithoutMesh {
    fn refitted(&self, vertices: &[DVec3]) -> Self {
        let moved = self.places.iter().map(|&v| vertices[v as usize] + DVec3::ZERO).collect();
        Self { boxes: self.boxes.refitted(moved), places: self.places.clone() }
    }
}
