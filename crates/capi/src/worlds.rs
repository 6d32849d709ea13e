//! Many copies of one scene, queried together.

use closefit::{AdvanceRequest, Pose, Worlds, WorldsError};

use crate::border::{Refusal, call, cf_status, free, hand_over, object, object_mut, place, places};
use crate::mesh::poses as read_poses;
use crate::pair::length;
use crate::step::{budget, cf_step};
use crate::world::cf_world;

/// Copies of one scene. Bodies are numbered in the order in which they were added to the scene, without those
/// that were removed.
pub struct cf_worlds(Worlds);

/// Points of contact in many worlds, in lists of the library: they stay until the next call with these
/// worlds.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cf_worlds_contacts {
    /// The number of points.
    pub count: usize,
    /// The row of the first point of each world, and at last the number of all rows.
    pub offsets: *const u64,
    /// The two bodies of each point, sorted within a world.
    pub bodies: *const u32,
    /// Three coordinates of each point: at most four for each connected part of a contact.
    pub points: *const f64,
    /// The unit normal from the first body to the second, three numbers each; zero if there is no direction.
    pub normals: *const f64,
    /// The length by which the two triangles at the point overlap along the normal.
    pub depths: *const f64,
}

/// Distances in many worlds, in lists of the library: they stay until the next call with these worlds.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cf_worlds_distances {
    /// The number of pairs.
    pub count: usize,
    /// The row of the first pair of each world, and at last the number of all rows.
    pub offsets: *const u64,
    /// The two bodies of each pair, sorted within a world.
    pub bodies: *const u32,
    /// Their distance; 0 in contact, and only there.
    pub distances: *const f64,
    /// The closest triangle of each; UINT32_MAX in contact.
    pub triangles: *const u32,
    /// A point on each, six numbers for a pair; NaN in contact.
    pub points: *const f64,
}

/// Makes copies of a scene, with its groups and excluded pairs. Later changes of the scene change no copy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_worlds_new(
    scene: *const cf_world,
    count: usize,
    worlds: *mut *mut cf_worlds,
) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let worlds = unsafe { place(worlds, "worlds") }?;
        worlds.write(std::ptr::null_mut());
        // SAFETY: the caller's promises.
        let scene = unsafe { object(scene, "scene") }?;
        if u32::try_from(count).is_err() {
            return Err(Refusal::argument(format!("count: {count} worlds are more than {}", u32::MAX)));
        }
        hand_over(cf_worlds(Worlds::new(&scene.0, count)), worlds);
        Ok(())
    })
}

/// Frees worlds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_worlds_free(worlds: *mut cf_worlds) {
    // SAFETY: the caller's promises.
    unsafe { free(worlds) };
}

/// Finds the points of contact in every world, on all cores. There is a pose for each body of the first
/// world, then for each of the second, and so on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_worlds_find_contacts(
    worlds: *mut cf_worlds,
    poses: *const f64,
    contacts: *mut cf_worlds_contacts,
) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let (worlds, poses) = unsafe { of_all(worlds, poses) }?;
        // SAFETY: the caller's promises.
        let contacts = unsafe { place(contacts, "contacts") }?;
        let found = worlds.contacts(&poses)?;
        contacts.write(cf_worlds_contacts {
            count: found.depths.len(),
            offsets: found.offsets.as_ptr(),
            bodies: found.bodies.as_ptr().cast(),
            points: found.points.as_ptr().cast(),
            normals: found.normals.as_ptr().cast(),
            depths: found.depths.as_ptr(),
        });
        Ok(())
    })
}

/// Finds the pairs of bodies whose distance is at most `limit` in every world, on all cores. Poses are as for
/// cf_worlds_find_contacts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_worlds_find_distances(
    worlds: *mut cf_worlds,
    poses: *const f64,
    limit: f64,
    distances: *mut cf_worlds_distances,
) -> cf_status {
    call(|| {
        let limit = length(limit, "limit")?;
        // SAFETY: the caller's promises.
        let (worlds, poses) = unsafe { of_all(worlds, poses) }?;
        // SAFETY: the caller's promises.
        let distances = unsafe { place(distances, "distances") }?;
        let found = worlds.distances(&poses, limit)?;
        distances.write(cf_worlds_distances {
            count: found.distances.len(),
            offsets: found.offsets.as_ptr(),
            bodies: found.bodies.as_ptr().cast(),
            distances: found.distances.as_ptr(),
            triangles: found.triangles.as_ptr().cast(),
            points: found.points.as_ptr().cast(),
        });
        Ok(())
    })
}

/// Moves all bodies of all worlds from the poses of the last step, at first the scene's, to these, as
/// cf_world_advance does in one world, on all cores. Poses are as for cf_worlds_find_contacts; each
/// world has the budget. `steps` receives a step for each world, to be freed by cf_step_free. If the call
/// fails, no body has moved.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_worlds_advance(
    worlds: *mut cf_worlds,
    poses: *const f64,
    precision: f64,
    budget: u64,
    steps: *mut *mut cf_step,
) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let count = unsafe { object(worlds, "worlds") }?.0.len();
        // SAFETY: the caller's promises.
        let steps = unsafe { places(steps, count, "steps") }?;
        for step in &mut *steps {
            step.write(std::ptr::null_mut());
        }
        // SAFETY: the caller's promises.
        let (worlds, poses) = unsafe { of_all(worlds, poses) }?;
        let request = AdvanceRequest::default().precision(precision).budget(self::budget(budget));
        for (step, found) in steps.iter_mut().zip(worlds.advance(&poses, &request)?) {
            hand_over(cf_step::from(found), step);
        }
        Ok(())
    })
}

/// Returns worlds, and the poses of all of their bodies.
///
/// # Safety
/// The pointers are null, or to worlds that nobody else uses and to 12 numbers for each body.
unsafe fn of_all<'a>(
    worlds: *mut cf_worlds,
    poses: *const f64,
) -> Result<(&'a mut Worlds, Vec<Pose>), Refusal> {
    // SAFETY: the caller's promises.
    let worlds = unsafe { object_mut(worlds, "worlds") }?;
    // SAFETY: the caller's promises.
    let poses = unsafe { read_poses(poses, worlds.0.len() * worlds.0.bodies(), "poses") }?;
    Ok((&mut worlds.0, poses))
}

impl From<WorldsError> for Refusal {
    fn from(error: WorldsError) -> Self {
        match error {
            WorldsError::Step { world, error } => Self::from(error).of(&format!("world {world}")),
            WorldsError::Pose { .. } => Self::pose(error.to_string()),
            _ => Self::argument(error.to_string()),
        }
    }
}
