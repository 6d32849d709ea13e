//! Many bodies that move from frame to frame.

use closefit::{BodyId, World};

use crate::border::{
    Refusal, call, cf_status, free, hand_over, list, object, object_mut, place, places, write_first,
};
use crate::mesh::{cf_mesh, pose as read_pose, poses as read_poses};
use crate::pair::{cf_closest, length};

/// Bodies, each a mesh at a pose, that move from frame to frame. Each frame reuses what earlier frames
/// learned about a pair, which changes no answer.
pub struct cf_world(World);

/// Two bodies with their distance; the one added first in front.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct cf_near {
    /// The two bodies.
    pub bodies: [u32; 2],
    /// Their distance.
    pub closest: cf_closest,
}

/// Creates an empty world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_world_new(world: *mut *mut cf_world) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let world = unsafe { place(world, "world") }?;
        world.write(std::ptr::null_mut());
        hand_over(cf_world(World::default()), world);
        Ok(())
    })
}

/// Frees a world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_world_free(world: *mut cf_world) {
    // SAFETY: the caller's promises.
    unsafe { free(world) };
}

/// Adds a body; `body` receives its number, which counts from 0 and is never used again. Fixed bodies are
/// not tested against each other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_world_add(
    world: *mut cf_world,
    mesh: *const cf_mesh,
    pose: *const f64,
    is_fixed: bool,
    body: *mut u32,
) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let (world, mesh) = unsafe { (object_mut(world, "world")?, object(mesh, "mesh")?) };
        // SAFETY: the caller's promises.
        let (pose, body) = unsafe { (read_pose(pose, "pose")?, place(body, "body")?) };
        let (world, mesh) = (&mut world.0, &mesh.0);
        let id = if is_fixed { world.add_fixed(mesh, &pose) } else { world.add(mesh, &pose) }?;
        body.write(id.0);
        Ok(())
    })
}

/// Moves a body.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_world_set_pose(world: *mut cf_world, body: u32, pose: *const f64) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let (world, pose) = unsafe { (object_mut(world, "world")?, read_pose(pose, "pose")?) };
        Ok(world.0.set_pose(BodyId(body), &pose)?)
    })
}

/// Moves many bodies, each to a pose of its own. If one is an error, those before it have moved.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_world_set_poses(
    world: *mut cf_world,
    bodies: *const u32,
    poses: *const f64,
    count: usize,
) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let (world, bodies) = unsafe { (object_mut(world, "world")?, list(bodies, count, "bodies")?) };
        // SAFETY: the caller's promises.
        let poses = unsafe { read_poses(poses, count, "poses") }?;
        for (&body, pose) in bodies.iter().zip(&poses) {
            let refused = |error| Refusal::from(error).of(&format!("body {body}"));
            world.0.set_pose(BodyId(body), pose).map_err(refused)?;
        }
        Ok(())
    })
}

/// Removes a body.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_world_remove(world: *mut cf_world, body: u32) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let world = unsafe { object_mut(world, "world") }?;
        Ok(world.0.remove(BodyId(body))?)
    })
}

/// Excludes a pair of bodies: it is never tested, and never found.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_world_exclude(world: *mut cf_world, a: u32, b: u32) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let world = unsafe { object_mut(world, "world") }?;
        Ok(world.0.exclude(BodyId(a), BodyId(b))?)
    })
}

/// Finds all pairs of bodies in contact, sorted: two numbers for each. There is room for `room` pairs at
/// `pairs`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_world_intersecting(
    world: *mut cf_world,
    pairs: *mut u32,
    room: usize,
    count: *mut usize,
) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let (world, count) = unsafe { (object_mut(world, "world")?, place(count, "count")?) };
        // SAFETY: the caller's promises; an array of two has the alignment of its entries and no gaps.
        let pairs = unsafe { places(pairs.cast::<[u32; 2]>(), room, "pairs") }?;
        let found = world.0.intersecting();
        count.write(found.len());
        write_first(found.into_iter().map(|bodies| bodies.map(|body| body.0)), pairs);
        Ok(())
    })
}

/// Finds all pairs of bodies whose distance is at most `limit`, sorted by their numbers. There is room for
/// `room` of them at `pairs`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_world_pairs_within(
    world: *mut cf_world,
    limit: f64,
    pairs: *mut cf_near,
    room: usize,
    count: *mut usize,
) -> cf_status {
    call(|| {
        let limit = length(limit, "limit")?;
        // SAFETY: the caller's promises.
        let (world, count) = unsafe { (object_mut(world, "world")?, place(count, "count")?) };
        // SAFETY: the caller's promises.
        let pairs = unsafe { places(pairs, room, "pairs") }?;
        let found = world.0.pairs_within(limit);
        count.write(found.len());
        let near = found
            .into_iter()
            .map(|near| cf_near { bodies: near.bodies.map(|body| body.0), closest: near.distance.into() });
        write_first(near, pairs);
        Ok(())
    })
}
