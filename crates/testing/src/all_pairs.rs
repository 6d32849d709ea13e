//! Bodies for tests of the library's interface, and the truth about two of them by testing all pairs of
//! triangles.

use closefit::{Mesh, Pose};
use closefit_geometry::exact::contact::triangles_meet;
use closefit_geometry::exact::distance as settled;
use glam::DVec3;

use crate::meshes::{ball, cuboid, mesh, square_ring};
use crate::rational::Triangle;
use crate::rng::Rng;

/// Returns a ball, a ring, a box, and a triangle without area.
pub fn shapes() -> Vec<Mesh> {
    let soups = [
        ball(DVec3::ZERO, 0.5, 2),
        square_ring(0.4, 0.7, -0.1, 0.1),
        cuboid([-0.5; 3], [0.5, 0.25, 0.5]),
        vec![[DVec3::new(-0.5, 0.0, 0.0), DVec3::new(0.5, 0.0, 0.0), DVec3::ZERO]],
    ];
    soups.iter().map(|soup| mesh(soup)).collect()
}

/// Returns a pose: mostly rigid, sometimes on a lattice, mirrored, scaled or sheared.
pub fn pose(rng: &mut Rng) -> Pose {
    let at = rng.point() * 1.5;
    match rng.index(6) {
        0 => Pose::translation((rng.lattice(2) * 0.5).to_array()),
        1 => Pose::from_trs(rng.quaternion(), [-1.5; 3], at.to_array()).expect("a direction"),
        2 => Pose::from_trs(rng.quaternion(), [1.0, 0.5, 1.25], at.to_array()).expect("a direction"),
        _ => Pose::from_trs(rng.quaternion(), [1.0; 3], at.to_array()).expect("a direction"),
    }
}

/// The result of testing all pairs of triangles: those in contact or, if there are none, the smallest
/// distance and the closest pair.
#[derive(Clone, Debug, PartialEq)]
pub enum Truth {
    /// All pairs of triangles in contact, sorted.
    Contact(Vec<[u32; 2]>),
    /// The smallest distance, and of the pairs of triangles at that distance the first by the places of their
    /// corners.
    Apart(f64, [u32; 2]),
}

/// Tests all pairs of triangles.
pub fn truth([mesh_a, mesh_b]: [&Mesh; 2], [pose_a, pose_b]: [&Pose; 2]) -> Truth {
    let posed = |mesh: &Mesh, pose: &Pose| -> Vec<_> {
        let count = u32::try_from(mesh.triangles().len()).expect("small");
        (0..count).map(|t| mesh.corners(t).map(|v| pose.apply(v))).collect()
    };
    let (mut contacts, mut closest) = (Vec::new(), (f64::INFINITY, Place::default(), [0; 2]));
    let of_b = posed(mesh_b, pose_b);
    for (i, s) in (0..).zip(&posed(mesh_a, pose_a)) {
        for (j, t) in (0..).zip(&of_b) {
            if triangles_meet(s, t) {
                contacts.push([i, j]);
            } else if contacts.is_empty() && settled::enclose(s, t).at_least <= closest.0 {
                let found = (settled::distance_apart(s, t), place(s, t), [i, j]);
                if found < closest {
                    closest = found;
                }
            }
        }
    }
    if contacts.is_empty() { Truth::Apart(closest.0, closest.2) } else { Truth::Contact(contacts) }
}

type Place = [[[f64; 3]; 3]; 2];

/// Returns the corners of two triangles in ascending order, the lower triangle first.
fn place(s: &Triangle, t: &Triangle) -> Place {
    let ascending = |t: &Triangle| {
        let mut corners = t.map(|p| p.to_array());
        corners.sort_by(|p, q| p.partial_cmp(q).expect("numbers"));
        corners
    };
    let [s, t] = [ascending(s), ascending(t)];
    if t < s { [t, s] } else { [s, t] }
}
