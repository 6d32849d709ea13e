//! The geometry of the contact of two meshes, and the contacts of a mesh with itself.

use closefit::{ContactGeometry, ContactPatch, DVec3, contact_geometry, self_contacts};

use crate::border::{call, cf_status, place, places, write_first};
use crate::mesh::{cf_mesh, posed};

/// The points that two triangles in contact share: one, a segment, or a convex polygon of at most six
/// corners, each coordinate the number nearest to the exact one.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct cf_shared {
    /// A triangle of a, and one of b.
    pub triangles: [u32; 2],
    /// The place of its patch in the list of patches.
    pub patch: u32,
    /// The number of corners.
    pub count: u32,
    /// The corners; NaN beyond their number.
    pub corners: [[f64; 3]; 6],
}

/// A connected part of a contact: shared sets that are linked by exact points.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct cf_patch {
    /// The lowest and the highest corner of a box around it.
    pub bounds: [[f64; 3]; 2],
    /// The length of all segments; what several pairs of triangles share counts once.
    pub length: f64,
    /// The area of all polygons; what several pairs of triangles share counts once.
    pub area: f64,
    /// The unit normal from a to b, of the faces of a that share an area; NaN without such.
    pub normal: [f64; 3],
    /// True if it has curves, and they have no end.
    pub is_closed: bool,
    /// The number of points for a solver.
    pub count: u32,
    /// Points far from each other; NaN beyond their number.
    pub points: [[f64; 3]; 4],
}

/// Returns the first points, and NaN in the places without one.
fn first<const N: usize>(points: &[DVec3]) -> [[f64; 3]; N] {
    std::array::from_fn(|k| points.get(k).map_or([f64::NAN; 3], |p| p.to_array()))
}

impl From<&ContactPatch> for cf_patch {
    fn from(patch: &ContactPatch) -> Self {
        Self {
            bounds: patch.bounds.map(|corner| corner.to_array()),
            length: patch.length,
            area: patch.area,
            normal: patch.normal.map_or([f64::NAN; 3], |normal| normal.to_array()),
            is_closed: patch.closed,
            count: patch.points.len() as u32,
            points: first(&patch.points),
        }
    }
}

fn shared(found: &ContactGeometry, pair: usize) -> cf_shared {
    let corners = found.shared(pair);
    cf_shared {
        triangles: found.triangles[pair],
        patch: found.patch_of[pair],
        count: corners.len() as u32,
        corners: first(corners),
    }
}

/// Finds what all pairs of triangles in contact share, sorted by their triangles, and the patches that this
/// forms, in the order of their first pairs. There is room for `room` sets at `sets`, and for `patch_room`
/// patches at `patches`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_contact_geometry(
    a: *const cf_mesh,
    pose_a: *const f64,
    b: *const cf_mesh,
    pose_b: *const f64,
    sets: *mut cf_shared,
    room: usize,
    count: *mut usize,
    patches: *mut cf_patch,
    patch_room: usize,
    patch_count: *mut usize,
) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let (a, b) = unsafe { (posed(a, pose_a, "a")?, posed(b, pose_b, "b")?) };
        // SAFETY: the caller's promises.
        let (sets, count) = unsafe { (places(sets, room, "sets")?, place(count, "count")?) };
        // SAFETY: the caller's promises.
        let (patches, patch_count) =
            unsafe { (places(patches, patch_room, "patches")?, place(patch_count, "patch_count")?) };
        let found = contact_geometry(&a, &b, 4);
        count.write(found.triangles.len());
        patch_count.write(found.patches.len());
        write_first((0..found.triangles.len()).map(|pair| shared(&found, pair)), sets);
        write_first(found.patches.iter().map(cf_patch::from), patches);
        Ok(())
    })
}

/// Finds all pairs of triangles of one mesh that share more than the vertices and edges that they have in
/// common, sorted: two indices for each, the lower first. There is room for `room` pairs at `pairs`. Exact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_self_contacts(
    a: *const cf_mesh,
    pose_a: *const f64,
    pairs: *mut u32,
    room: usize,
    count: *mut usize,
) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let a = unsafe { posed(a, pose_a, "a") }?;
        // SAFETY: the caller's promises; an array of two has the alignment of its entries and no gaps.
        let (pairs, count) =
            unsafe { (places(pairs.cast::<[u32; 2]>(), room, "pairs")?, place(count, "count")?) };
        let found = self_contacts(&a);
        count.write(found.len());
        write_first(found, pairs);
        Ok(())
    })
}
