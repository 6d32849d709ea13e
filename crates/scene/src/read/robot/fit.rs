//! Primitives fitted to meshes, as MuJoCo fits them.
//!
//! The primitive is at the mesh's centre of mass, along its principal axes, and has the size of the box
//! with the same moments of inertia. The mesh may be open or wound either way: each of its triangles makes a
//! tetrahedron with a point inside, whose volume counts as positive. This is MuJoCo's rule for a mesh without
//! an `inertia` of its own. Coordinates of the file are rounded to f32, as MuJoCo keeps them: where moments
//! of inertia are equal but for rounding, this rounding decides about the axes.

use glam::{DMat3, DVec3};

use super::super::error::Fault;
use super::super::solids::Solid;
use closefit_geometry::math::jacobi::rotate;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;

/// The share of a tensor's largest entry up to which MuJoCo 4 takes a product of inertia, or the difference
/// of two moments, for rounding: its vertices are f32, whose rounding is up to 2^-24 of a coordinate, 6e-8.
const NEGLIGIBLE: f64 = 1e-7;

/// Number of turns that suffice to find principal axes. Each leaves at most 2/3 of the sum of the squared
/// products of inertia, and 3 (2/3)^83 is below the square of [`NEGLIGIBLE`].
const MOST_TURNS: usize = 83;

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
    let vertices: Vec<DVec3> =
        mesh.vertices().iter().map(|&vertex| pose.apply(vertex.as_vec3().as_dvec3())).collect();
    if !vertices.iter().all(|vertex| vertex.is_finite()) {
        return Err(Fault::at("mesh", "a coordinate is beyond f32, and so nothing is fitted to it"));
    }
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
    let (axes, [a, b, c]) = principal(tensor);
    let all = a + b + c;
    let half = DVec3::from_array(
        [a, b, c].map(|moment| 0.5 * (6.0 * (all - 2.0 * moment) / volume).max(0.0).sqrt()),
    );
    (half.is_finite() && half.min_element() > 0.0 && centre.is_finite()).then_some((centre, axes, half))
}

/// Returns the principal axes of an inertia tensor, right-handed, with their moments, the largest first.
///
/// They start along the file's axes and are turned only while a product of inertia matters, and they change
/// places only if their moments differ by more than [`NEGLIGIBLE`]. A body with two or three equal moments
/// has no principal axes of its own, so any other start or end gives another primitive than MuJoCo.
fn principal(tensor: DMat3) -> ([DVec3; 3], [f64; 3]) {
    let mut m = tensor.to_cols_array_2d();
    let slack = NEGLIGIBLE * m.as_flattened().iter().fold(0.0, |most: f64, entry| most.max(entry.abs()));
    let mut axes = DVec3::AXES;
    for _ in 0..MOST_TURNS {
        let [xy, xz, yz] = [m[0][1], m[0][2], m[1][2]].map(f64::abs);
        let (p, q, most) = match () {
            () if xy > xz && xy > yz => (0, 1, xy),
            () if xz > yz => (0, 2, xz),
            () => (1, 2, yz),
        };
        if most <= slack {
            break;
        }
        rotate(&mut m, &mut axes, p, q);
    }
    let mut moments = [m[0][0], m[1][1], m[2][2]];
    for i in [0, 1, 0] {
        if moments[i] + slack < moments[i + 1] {
            moments.swap(i, i + 1);
            (axes[i], axes[i + 1]) = (axes[i + 1], -axes[i]);
        }
    }
    (axes, moments)
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
            sizes in [1.0..2.0f32, 2.1..3.0, 3.1..4.0], turn in [-1.0..1.0, -1.0..1.0, -1.0..1.0, 0.1..1.0],
            at in [-9.0..9.0, -9.0..9.0, -9.0..9.0], is_turned: bool,
        ) {
            let sizes = sizes.map(f64::from);
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

    proptest! {
        /// A box with equal sides has no axes of its own, and keeps its file's.
        #[test]
        fn a_box_with_equal_sides_is_fitted_along_the_axes_of_its_file(
            side in 0.1..2.0, length in 0.1..4.0, long in 0..3usize, is_cube: bool,
            at in [-9.0..9.0, -9.0..9.0, -9.0..9.0],
        ) {
            let mut sizes = [side; 3];
            sizes[long] = if is_cube { side } else { length };
            let (half, at) = (DVec3::from_array(sizes), DVec3::from_array(at));
            let mesh = Solid::Box(half).mesh(1.0, &MemoryAccount::new(None)).unwrap();
            let vertices: Vec<DVec3> = mesh.vertices().iter().map(|&vertex| vertex + at).collect();
            let mesh = Mesh::new(&vertices, mesh.triangles()).unwrap();
            let (solid, found) = fitted(FitKind::Box, &mesh, &Pose::IDENTITY, 1.0).unwrap();
            let Solid::Box(found_half) = solid else { panic!("a box") };
            let reach = (0..3).map(|axis| found.linear().col(axis).abs() * found_half[axis]).sum::<DVec3>();
            prop_assert!(reach.distance(half) < 1e-5, "{reach} {half}");
        }
    }

    #[test]
    fn a_coordinate_that_mujoco_cannot_keep_is_refused() {
        let mesh = Mesh::new(&[DVec3::ZERO, 1e39 * DVec3::X, DVec3::Y], &[[0, 1, 2]]).unwrap();
        let told = fitted(FitKind::Box, &mesh, &Pose::IDENTITY, 1.0).unwrap_err().to_string();
        assert_eq!(told, "mesh: a coordinate is beyond f32, and so nothing is fitted to it");
    }

    #[test]
    fn a_flat_mesh_has_nothing_to_fit_to() {
        let mesh = Mesh::new(&[DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]]).unwrap();
        let told = fitted(FitKind::Sphere, &mesh, &Pose::IDENTITY, 1.0).unwrap_err().to_string();
        assert_eq!(told, "mesh: it has no volume to fit to");
    }
}
