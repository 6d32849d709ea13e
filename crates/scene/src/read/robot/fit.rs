//! Primitives fitted to meshes, as MuJoCo fits them.
//!
//! The primitive is at the mesh's centre of mass, along its principal axes, and has the size of the box
//! with the same moments of inertia. The mesh may be open or wound either way: each of its triangles makes a
//! tetrahedron with a point inside, whose volume counts as positive. This is MuJoCo's rule for a mesh without
//! an `inertia` of its own.

use glam::{DMat3, DVec3};

use super::super::error::Fault;
use super::super::solids::Solid;
use closefit_geometry::math::jacobi::eigenvectors;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;

/// The kinds of primitives that are fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) enum FitKind {
    Sphere,
    Capsule,
    Cylinder,
    Ellipsoid,
    Box,
}

/// Returns a primitive fitted to a mesh that a pose takes to the geom's frame, with its sizes multiplied, and
/// its pose there.
pub(super) fn fitted(kind: FitKind, mesh: &Mesh, pose: &Pose, scale: f64) -> Result<(Solid, Pose), Fault> {
    let vertices: Vec<DVec3> = mesh.vertices().iter().map(|&vertex| pose.apply(vertex)).collect();
    let triangles: Vec<[DVec3; 3]> =
        mesh.triangles().iter().map(|corners| corners.map(|corner| vertices[corner as usize])).collect();
    let (centre, axes, half) =
        inertia(&triangles).ok_or_else(|| Fault::at("mesh", "it has no volume to fit to"))?;
    let half = scale * half;
    let radius = 0.5 * (half.x + half.y);
    let solid = match kind {
        FitKind::Sphere => Solid::Sphere((half.x + half.y + half.z) / 3.0),
        FitKind::Capsule => Solid::Capsule(radius, (half.z - 0.5 * radius).max(0.0)),
        FitKind::Cylinder => Solid::Cylinder(radius, half.z),
        FitKind::Ellipsoid => Solid::Ellipsoid(half),
        FitKind::Box => Solid::Box(half),
    };
    let [x, y, z] = axes.map(|axis| axis.to_array());
    let at = centre.to_array();
    Ok((solid, Pose { rows: std::array::from_fn(|row| [x[row], y[row], z[row], at[row]]) }))
}

/// Returns the centre of mass, the principal axes, right-handed and the shortest first, and half the sizes of
/// the box with the same moments; `None` for a mesh without volume.
fn inertia(triangles: &[[DVec3; 3]]) -> Option<(DVec3, [DVec3; 3], DVec3)> {
    let double_area = |&[a, b, c]: &[DVec3; 3]| (b - a).cross(c - a);
    let middle = |&[a, b, c]: &[DVec3; 3]| (a + b + c) / 3.0;
    let (mut area, mut inside) = (0.0, DVec3::ZERO);
    for triangle in triangles {
        let size = double_area(triangle).length();
        area += size;
        inside += size * middle(triangle);
    }
    let inside = inside / area;
    let (mut volume, mut centre) = (0.0, DVec3::ZERO);
    for triangle in triangles {
        let size = ((middle(triangle) - inside).dot(double_area(triangle)) / 6.0).abs();
        volume += size;
        centre += size * (0.75 * middle(triangle) + 0.25 * inside);
    }
    let centre = centre / volume;
    let (mut volume, mut moments) = (0.0, DMat3::ZERO);
    for triangle in triangles {
        let corners = triangle.map(|corner| corner - centre);
        let size = (middle(&corners).dot(double_area(triangle)) / 6.0).abs();
        volume += size;
        let outer = |a: DVec3, b: DVec3| DMat3::from_cols(a * b.x, a * b.y, a * b.z);
        let sum = corners[0] + corners[1] + corners[2];
        let squares = corners.iter().map(|&corner| outer(corner, corner)).fold(DMat3::ZERO, |a, b| a + b);
        moments += (squares + outer(sum, sum)) * (size / 20.0);
    }
    let trace = moments.x_axis.x + moments.y_axis.y + moments.z_axis.z;
    let tensor = DMat3::from_diagonal(DVec3::splat(trace)) - moments;
    let mut axes = eigenvectors(tensor.to_cols_array_2d()).map(|axis| (axis.dot(tensor * axis), axis));
    axes.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let [(a, x), (b, y), (c, z)] = axes;
    let all = a + b + c;
    let half = DVec3::from_array(
        [a, b, c].map(|moment| 0.5 * (6.0 * (all - 2.0 * moment) / volume).max(0.0).sqrt()),
    );
    let z = if x.cross(y).dot(z) < 0.0 { -z } else { z };
    (half.is_finite() && half.min_element() > 0.0 && centre.is_finite()).then_some((centre, [x, y, z], half))
}

#[cfg(test)]
mod tests {
    use closefit_geometry::memory::MemoryAccount;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A box is fitted to itself, wherever it stands, and whichever way it is wound.
        #[test]
        fn a_box_is_fitted_to_itself(
            sizes in [1.0..2.0, 2.1..3.0, 3.1..4.0], turn in [-1.0..1.0, -1.0..1.0, -1.0..1.0, 0.1..1.0],
            at in [-9.0..9.0, -9.0..9.0, -9.0..9.0], is_turned: bool,
        ) {
            let sizes: [f64; 3] = sizes;
            let mesh = Solid::Box(DVec3::from_array(sizes)).mesh(1.0, &MemoryAccount::new(None)).unwrap();
            let turned: Vec<[u32; 3]> =
                mesh.triangles().iter().map(|&[a, b, c]| if is_turned { [a, c, b] } else { [a, b, c] }).collect();
            let mesh = Mesh::new(mesh.vertices(), &turned).unwrap();
            let pose = Pose::from_trs(turn, [1.0; 3], at).unwrap();
            let (solid, found) = fitted(FitKind::Box, &mesh, &pose, 1.0).unwrap();
            let Solid::Box(half) = solid else { panic!("a box") };
            prop_assert!((half - DVec3::from_array(sizes)).length() < 1e-10, "{half}");
            prop_assert!(found.shift().distance(pose.shift()) < 1e-10);
            let product = found.linear().transpose() * pose.linear();
            let diagonal = DVec3::new(product.x_axis.x, product.y_axis.y, product.z_axis.z);
            prop_assert!((diagonal.abs() - DVec3::ONE).length() < 1e-9 && found.linear().determinant() > 0.0);
        }
    }

    #[test]
    fn a_flat_mesh_has_nothing_to_fit_to() {
        let mesh = Mesh::new(&[DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]]).unwrap();
        let told = fitted(FitKind::Sphere, &mesh, &Pose::IDENTITY, 1.0).unwrap_err().to_string();
        assert_eq!(told, "mesh: it has no volume to fit to");
    }
}
