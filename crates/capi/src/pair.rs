//! Questions about two meshes at rest: contact and distance, at one pose of each or at many.

use closefit::{
    Distance, PoseBatch, PoseBatchError, PosedMesh, Unobserved, contact_triangles, distance, distance_up_to,
    intersects, intersects_within,
};

use crate::border::{Refusal, call, cf_status, object, place, places, write_first};
use crate::mesh::{cf_mesh, posed, poses};

/// The distance of two surfaces.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct cf_closest {
    /// The smallest distance of any two points, correctly rounded: 0 in contact, and only there.
    pub distance: f64,
    /// The closest triangle of a, and of b; UINT32_MAX in contact, for which cf_contact_triangles gives the
    /// triangles.
    pub triangles: [u32; 2],
    /// A point on each, at that distance; NaN in contact.
    pub points: [[f64; 3]; 2],
}

impl From<Distance> for cf_closest {
    fn from(Distance { distance, closest }: Distance) -> Self {
        let (triangles, points) = match closest {
            Some(closest) => (closest.triangles, closest.points.map(|point| point.to_array())),
            None => ([u32::MAX; 2], [[f64::NAN; 3]; 2]),
        };
        Self { distance, triangles, points }
    }
}

/// Finds if any triangle of a shares a point with one of b. Exact. One solid inside another, without
/// contact of their surfaces, does not count: see cf_verdict.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_intersects(
    a: *const cf_mesh,
    pose_a: *const f64,
    b: *const cf_mesh,
    pose_b: *const f64,
    answer: *mut bool,
) -> cf_status {
    // SAFETY: the caller's promises.
    unsafe { ask((a, pose_a), (b, pose_b), (answer, "answer"), |a, b| Ok(intersects(a, b))) }
}

/// Finds if the distance of two surfaces is at most `limit`, sooner than the distance itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_intersects_within(
    a: *const cf_mesh,
    pose_a: *const f64,
    b: *const cf_mesh,
    pose_b: *const f64,
    limit: f64,
    answer: *mut bool,
) -> cf_status {
    // SAFETY: the caller's promises.
    unsafe {
        ask((a, pose_a), (b, pose_b), (answer, "answer"), |a, b| {
            Ok(intersects_within(a, b, length(limit, "limit")?))
        })
    }
}

/// Finds the distance of two surfaces.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_distance(
    a: *const cf_mesh,
    pose_a: *const f64,
    b: *const cf_mesh,
    pose_b: *const f64,
    answer: *mut cf_closest,
) -> cf_status {
    // SAFETY: the caller's promises.
    unsafe { ask((a, pose_a), (b, pose_b), (answer, "answer"), |a, b| Ok(distance(a, b).into())) }
}

/// Finds if the distance of two surfaces is at most `limit`, and then the distance: sooner than cf_distance
/// where it is not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_distance_up_to(
    a: *const cf_mesh,
    pose_a: *const f64,
    b: *const cf_mesh,
    pose_b: *const f64,
    limit: f64,
    is_within: *mut bool,
    answer: *mut cf_closest,
) -> cf_status {
    call(|| {
        let limit = length(limit, "limit")?;
        // SAFETY: the caller's promises.
        let (a, b) = unsafe { (posed(a, pose_a, "a")?, posed(b, pose_b, "b")?) };
        // SAFETY: the caller's promises.
        let (is_within, answer) = unsafe { (place(is_within, "is_within")?, place(answer, "answer")?) };
        let found = distance_up_to(&a, &b, limit);
        is_within.write(found.is_some());
        answer.write(found.unwrap_or(Distance { distance: f64::NAN, closest: None }).into());
        Ok(())
    })
}

/// Finds all pairs of triangles in contact, sorted: two indices for each, of a triangle of a and one of b,
/// in the order of cf_mesh_new. There is room for `room` pairs at `pairs`. Exact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_contact_triangles(
    a: *const cf_mesh,
    pose_a: *const f64,
    b: *const cf_mesh,
    pose_b: *const f64,
    pairs: *mut u32,
    room: usize,
    count: *mut usize,
) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let (a, b) = unsafe { (posed(a, pose_a, "a")?, posed(b, pose_b, "b")?) };
        // SAFETY: the caller's promises; an array of two has the alignment of its entries and no gaps.
        let (pairs, count) =
            unsafe { (places(pairs.cast::<[u32; 2]>(), room, "pairs")?, place(count, "count")?) };
        let found = contact_triangles(&a, &b);
        count.write(found.len());
        write_first(found, pairs);
        Ok(())
    })
}

/// Answers cf_intersects at many poses, on all cores. Each mesh has as many poses as there are answers, 12
/// numbers each, or a single one for all of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_intersects_many(
    a: *const cf_mesh,
    poses_a: *const f64,
    count_a: usize,
    b: *const cf_mesh,
    poses_b: *const f64,
    count_b: usize,
    answers: *mut bool,
) -> cf_status {
    // SAFETY: the caller's promises.
    unsafe {
        ask_many([(a, poses_a, count_a), (b, poses_b, count_b)], (answers, "answers"), |batch| {
            batch.intersects(&Unobserved)
        })
    }
}

/// Answers cf_distance at many poses, as cf_intersects_many does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_distance_many(
    a: *const cf_mesh,
    poses_a: *const f64,
    count_a: usize,
    b: *const cf_mesh,
    poses_b: *const f64,
    count_b: usize,
    answers: *mut cf_closest,
) -> cf_status {
    let sides = [(a, poses_a, count_a), (b, poses_b, count_b)];
    // SAFETY: the caller's promises.
    unsafe { ask_many(sides, (answers, "answers"), |batch| batch.distance(&Unobserved)) }
}

/// Refuses a length that is negative, or no number.
pub(crate) fn length(length: f64, name: &str) -> Result<f64, Refusal> {
    if length >= 0.0 {
        Ok(length)
    } else {
        Err(Refusal::argument(format!("{name}: {length} is not a length")))
    }
}

/// Asks a question about two meshes, each at a pose. Error messages call the answer by `name`.
///
/// # Safety
/// The pointers are null, or to meshes, 12 numbers, and the place of the answer.
pub(crate) unsafe fn ask<T>(
    (a, pose_a): (*const cf_mesh, *const f64),
    (b, pose_b): (*const cf_mesh, *const f64),
    (answer, name): (*mut T, &str),
    question: impl for<'m> FnOnce(&PosedMesh<'m>, &PosedMesh<'m>) -> Result<T, Refusal>,
) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let (a, b) = unsafe { (posed(a, pose_a, "a")?, posed(b, pose_b, "b")?) };
        // SAFETY: the caller's promises.
        let answer = unsafe { place(answer, name) }?;
        answer.write(question(&a, &b)?);
        Ok(())
    })
}

/// Asks a question about two meshes at many poses. Error messages call the answers by `name`. Nothing is
/// written unless all poses are admissible.
///
/// # Safety
/// The pointers are null, or to meshes, 12 numbers for each pose, and the places of the answers.
pub(crate) unsafe fn ask_many<T, U: From<T>>(
    [(a, poses_a, count_a), (b, poses_b, count_b)]: [(*const cf_mesh, *const f64, usize); 2],
    (answers, name): (*mut U, &str),
    question: impl FnOnce(&PoseBatch) -> Result<Vec<T>, PoseBatchError>,
) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let (a, poses_a) = unsafe { (object(a, "a")?, poses(poses_a, count_a, "poses_a")?) };
        // SAFETY: the caller's promises.
        let (b, poses_b) = unsafe { (object(b, "b")?, poses(poses_b, count_b, "poses_b")?) };
        let batch = PoseBatch::new((&a.0, &poses_a), (&b.0, &poses_b))?;
        // SAFETY: the caller's promises.
        let answers = unsafe { places(answers, batch.len(), name) }?;
        write_first(question(&batch)?.into_iter().map(U::from), answers);
        Ok(())
    })
}
