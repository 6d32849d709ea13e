//! Meshes for queries, and their poses.

use closefit::{CollisionMesh, Pose, PosedMesh};

use crate::border::{Refusal, call, cf_status, free, hand_over, object, place, rows};

/// A mesh with its hierarchy of boxes and its topology, built once and asked at any number of poses. Vertices
/// at equal positions are one.
pub struct cf_mesh(pub(crate) CollisionMesh);

/// Creates a mesh from three coordinates of each vertex, and three indices of vertices for each triangle,
/// counted from 0. Both arrays are copied. Its hierarchy is built on all cores; its topology, which verdicts
/// and motions need, is found when it is first needed.
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
        hand_over(cf_mesh(CollisionMesh::new(vertices, triangles)?), mesh);
        Ok(())
    })
}

/// Makes another owner of a mesh, which lives until the last of its owners is freed. Nothing is built again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_mesh_clone(mesh: *const cf_mesh, clone: *mut *mut cf_mesh) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let clone = unsafe { place(clone, "clone") }?;
        clone.write(std::ptr::null_mut());
        // SAFETY: the caller's promises.
        let mesh = unsafe { object(mesh, "mesh") }?;
        hand_over(cf_mesh(mesh.0.clone()), clone);
        Ok(())
    })
}

/// Frees a mesh.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_mesh_free(mesh: *mut cf_mesh) {
    // SAFETY: the caller's promises.
    unsafe { free(mesh) };
}

/// Finds the number of triangles of a mesh.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_mesh_triangles(mesh: *const cf_mesh, triangles: *mut usize) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let (mesh, triangles) = unsafe { (object(mesh, "mesh")?, place(triangles, "triangles")?) };
        triangles.write(mesh.0.triangles());
        Ok(())
    })
}

/// Finds if every component of the mesh is closed, so that all of it bounds a solid. How deep something
/// lies in a mesh that is open cannot be known.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_mesh_is_closed(mesh: *const cf_mesh, is_closed: *mut bool) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let (mesh, is_closed) = unsafe { (object(mesh, "mesh")?, place(is_closed, "is_closed")?) };
        is_closed.write(mesh.0.is_closed());
        Ok(())
    })
}

/// Reads a pose.
///
/// # Safety
/// The pointer is null, or to 12 numbers.
pub(crate) unsafe fn pose(numbers: *const f64, name: &str) -> Result<Pose, Refusal> {
    // SAFETY: the caller's promises.
    let numbers = unsafe { object(numbers.cast::<[f64; 12]>(), name) }?;
    Ok(Pose::from(*numbers))
}

/// Reads poses.
///
/// # Safety
/// The pointer is null, or to 12 numbers for each pose.
pub(crate) unsafe fn poses(numbers: *const f64, count: usize, name: &str) -> Result<Vec<Pose>, Refusal> {
    // SAFETY: the caller's promises.
    let numbers = unsafe { rows::<f64, 12>(numbers, count, name) }?;
    Ok(numbers.iter().map(|&numbers| Pose::from(numbers)).collect())
}

/// Returns a mesh of the caller at a pose.
///
/// # Safety
/// The pointers are null, or to a mesh and to 12 numbers.
pub(crate) unsafe fn posed<'a>(
    mesh: *const cf_mesh,
    numbers: *const f64,
    name: &str,
) -> Result<PosedMesh<'a>, Refusal> {
    // SAFETY: the caller's promises.
    let (mesh, pose) = unsafe { (object(mesh, name)?, pose(numbers, &format!("pose_{name}"))?) };
    mesh.0.at(&pose).map_err(|error| Refusal::from(error).of(&format!("pose_{name}")))
}
