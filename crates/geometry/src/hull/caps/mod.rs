//! Caps: the parts of a hull that the mesh does not cover, and that close its concavities (Ponamgi, Manocha
//! and Lin 1995, 4.4).
//!
//! Each hull face is triangulated, with the outline of its hull features and the edges of concavities on it
//! as constraints. The parts that no hull feature covers are caps. This replaces the paper's subtraction of
//! polygons, and its search of all pairs of vertices, which takes cubic time.
//!
//! Caps tell outside from cavity. They are no filter: a body may reach into a cavity through its wall,
//! without touching the cap.

mod on_face;
mod triangulation;

use crate::hull::features::Features;
use crate::parallel;
use on_face::OnFaces;

/// A connected part of a hull face that the mesh does not cover.
#[derive(Clone, Debug, PartialEq)]
pub struct Cap {
    /// The hull face.
    pub face: u32,
    /// The concavity subsets that it closes, ascending. There are several if, for instance, one pipe stands
    /// in another, and none over an opening whose rim has hull features only.
    pub subsets: Vec<u32>,
    /// Its triangles, counterclockwise from outside, by vertices of the mesh.
    pub triangles: Vec<[u32; 3]>,
    /// The area, in f64.
    pub area: f64,
    /// False if mesh edges on the face cross each other. The whole face is then one cap.
    pub is_exact: bool,
}

/// The caps of a mesh, and the hull faces by how far the mesh covers them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Caps {
    /// The caps, sorted by face.
    pub caps: Vec<Cap>,
    /// The number of faces covered whole: red, as Lin and others call them (1997, 4.1.4).
    pub red: usize,
    /// The number of faces that no hull feature covers: green.
    pub green: usize,
    /// The number of faces covered in part, which also count as green in the paper.
    pub mixed: usize,
}

impl Caps {
    /// Finds the caps.
    pub fn of(features: &Features) -> Self {
        let on_faces = OnFaces::of(features);
        let faces = features.on_hull.faces.len();
        let found = parallel::map(faces, 1, |face| on_faces.caps(crate::ids::to_u32(face)));
        let mut all = Self::default();
        for (face, caps) in (0..).zip(found) {
            let is_area = features.on_hull.faces.get(face).len() > 2;
            match (caps.is_empty(), on_faces.is_covered(face)) {
                (true, _) => all.red += usize::from(is_area),
                (false, true) => all.mixed += 1,
                (false, false) => all.green += 1,
            }
            all.caps.extend(caps);
        }
        all
    }
}
