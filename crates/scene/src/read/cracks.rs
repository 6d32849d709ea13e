//! Cracks in meshes that a kernel has rounded: a corner of several faces that is not quite the same in each.

use std::collections::HashMap;

use closefit_geometry::mesh::topology::{Topology, Winding};
use closefit_geometry::mesh::{Mesh, MeshError};
use glam::DVec3;

/// Returns a mesh with its cracks closed, or the mesh itself if no more of it becomes a solid.
///
/// The kernel computes in f64 and rounds to f32. It computes a corner again for each face that it cuts. The
/// roundings of nearly equal numbers are the same or neighbours, and differ by at most one step of f32 at the
/// largest coordinate: the width of a crack.
///
/// # Errors
/// [`MeshError`] if nothing of the mesh would be left.
pub(super) fn closed(mesh: Mesh) -> Result<Mesh, MeshError> {
    let of_solids = in_solids(&mesh);
    if of_solids == mesh.triangles().len() {
        return Ok(mesh);
    }
    let largest = mesh.vertices().iter().map(|v| v.abs().max_element()).fold(0.0, f64::max);
    let step = largest * f64::from(f32::EPSILON);
    let first = first_within(mesh.vertices(), step);
    let triangles: Vec<[u32; 3]> = (mesh.triangles().iter())
        .map(|corners| corners.map(|corner| first[corner as usize]))
        .filter(|[a, b, c]| a != b && b != c && c != a)
        .collect();
    if triangles.is_empty() {
        return Ok(mesh);
    }
    let welded = Mesh::new(mesh.vertices(), &triangles)?;
    Ok(if in_solids(&welded) > of_solids { welded } else { mesh })
}

/// Returns the number of triangles that bound solids.
fn in_solids(mesh: &Mesh) -> usize {
    let topology = Topology::of(mesh, Winding::Repaired);
    topology.components.iter().filter(|one| one.closed).map(|one| one.triangles as usize).sum()
}

/// Returns for each point the first point within a step of it along every axis that is in place of others
/// itself.
fn first_within(points: &[DVec3], step: f64) -> Vec<u32> {
    let cell_of = |point: DVec3| (point / (2.0 * step)).floor().to_array();
    let key = |cell: [f64; 3]| cell.map(|x| (x + 0.0).to_bits());
    let mut kept: HashMap<[u64; 3], Vec<u32>> = HashMap::new();
    (0..)
        .zip(points)
        .map(|(number, &point)| {
            let cell = cell_of(point);
            let around = (0..27).map(|k| [k % 3, k / 3 % 3, k / 9].map(|k| f64::from(k) - 1.0));
            let near = around.filter_map(|by| kept.get(&key(std::array::from_fn(|k| cell[k] + by[k]))));
            let is_within = |&other: &u32| (points[other as usize] - point).abs().max_element() <= step;
            let found = near.flatten().copied().filter(is_within).min();
            found.unwrap_or_else(|| {
                kept.entry(key(cell)).or_default().push(number);
                number
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tetrahedron whose corner at the origin is another in one of its faces.
    fn cracked(by: f64) -> Mesh {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::splat(by)];
        Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [4, 3, 2], [1, 2, 3]]).expect("a mesh")
    }

    #[test]
    fn cracks_of_one_step_close_and_wider_ones_stay() {
        let step = f64::from(f32::EPSILON);
        for (by, is_closed) in [(1e-300, true), (-step, true), (step, true), (1.001 * step, false)] {
            let mesh = cracked(by);
            assert_eq!(in_solids(&mesh), 0);
            let found = closed(mesh.clone()).expect("a mesh");
            assert_eq!(in_solids(&found), if is_closed { 4 } else { 0 }, "{by}");
            assert_eq!(found == mesh, !is_closed);
        }
    }

    #[test]
    fn whole_meshes_and_hopeless_ones_stay_as_they_are() {
        let whole = cracked(0.0);
        assert_eq!(closed(whole.clone()), Ok(whole));
        // Without a face, and with a triangle of one step.
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X * f64::from(f32::EPSILON)];
        let open = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3]]).expect("a mesh");
        assert_eq!(closed(open.clone()), Ok(open));
    }

    #[test]
    fn points_on_both_sides_of_a_cell_are_found() {
        let step = 0.5;
        let points = [0.0, -0.25, 0.5, 0.75, 1.25, 100.0].map(DVec3::splat);
        assert_eq!(first_within(&points, step), [0, 0, 0, 3, 3, 5]);
    }
}
