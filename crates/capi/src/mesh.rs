//! Meshes: triangles over vertices.

use closefit::Mesh;

use crate::border::{call, cf_status, free, hand_over, place, rows};

/// A mesh: triangles over vertices. Vertices at equal positions are one.
pub struct cf_mesh(pub(crate) Mesh);

/// Creates a mesh from three coordinates of each vertex, and three indices of vertices for each triangle,
/// counted from 0. Both arrays are copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_mesh_new(
    vertices: *const f64,
    vertex_count: usize,
    triangles: *const u32,
    triangle_count: usize,
    mesh: *mut *mut cf_mesh,
) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let mesh = unsafe { place(mesh, "mesh") }?;
        mesh.write(std::ptr::null_mut());
        // SAFETY: the caller's promises.
        let (vertices, triangles) = unsafe {
            let vertices = rows::<f64, 3>(vertices, vertex_count, "vertices")?;
            (vertices, rows::<u32, 3>(triangles, triangle_count, "triangles")?)
        };
        hand_over(cf_mesh(Mesh::new(vertices, triangles)?), mesh);
        Ok(())
    })
}

/// Frees a mesh.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_mesh_free(mesh: *mut cf_mesh) {
    // SAFETY: the caller's promises.
    unsafe { free(mesh) };
}
