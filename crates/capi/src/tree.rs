//! Trees: meshes that questions can be asked of.

use closefit::{Placed, Pose, Tree};

use crate::border::{Refusal, call, cf_status, free, hand_over, object, place, rows};
use crate::mesh::cf_mesh;

/// A mesh with its tree of boxes and its topology, built once and asked at any number of poses.
pub struct cf_tree(pub(crate) Tree);

/// Builds the tree of a mesh, on all cores. Its topology, which verdicts and motions need, is found when it
/// is first asked for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_tree_new(mesh: *const cf_mesh, tree: *mut *mut cf_tree) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let tree = unsafe { place(tree, "tree") }?;
        tree.write(std::ptr::null_mut());
        // SAFETY: the caller's promises.
        let mesh = unsafe { object(mesh, "mesh") }?;
        hand_over(cf_tree(Tree::build(&mesh.0)), tree);
        Ok(())
    })
}

/// Makes another owner of a tree, which lives until the last of its owners is freed. Nothing is built anew.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_tree_clone(tree: *const cf_tree, clone: *mut *mut cf_tree) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let clone = unsafe { place(clone, "clone") }?;
        clone.write(std::ptr::null_mut());
        // SAFETY: the caller's promises.
        let tree = unsafe { object(tree, "tree") }?;
        hand_over(cf_tree(tree.0.clone()), clone);
        Ok(())
    })
}

/// Frees a tree.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_tree_free(tree: *mut cf_tree) {
    // SAFETY: the caller's promises.
    unsafe { free(tree) };
}

/// Finds the number of triangles of a tree.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_tree_triangles(tree: *const cf_tree, triangles: *mut usize) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let (tree, triangles) = unsafe { (object(tree, "tree")?, place(triangles, "triangles")?) };
        triangles.write(tree.0.triangles());
        Ok(())
    })
}

/// Finds if every component of the mesh is closed, so that all of it bounds a solid. How deep something
/// lies in a mesh that is open cannot be known.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_tree_is_closed(tree: *const cf_tree, is_closed: *mut bool) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let (tree, is_closed) = unsafe { (object(tree, "tree")?, place(is_closed, "is_closed")?) };
        is_closed.write(tree.0.model().is_closed());
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

/// A tree of the caller at a pose.
///
/// # Safety
/// The pointers are null, or to a tree and to 12 numbers.
pub(crate) unsafe fn placed<'a>(
    tree: *const cf_tree,
    numbers: *const f64,
    name: &str,
) -> Result<Placed<'a>, Refusal> {
    // SAFETY: the caller's promises.
    let (tree, pose) = unsafe { (object(tree, name)?, pose(numbers, &format!("pose_{name}"))?) };
    tree.0.at(&pose).map_err(|error| Refusal::from(error).of(&format!("pose_{name}")))
}
