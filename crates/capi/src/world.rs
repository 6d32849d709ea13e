//! Many bodies that move from frame to frame.

use std::ffi::c_char;

use closefit::{BodyBounds, BodyGroups, BodyId, BroadPhase, GridRule, HullFilter, World, WorldWork};

use crate::border::{
    Refusal, call, cf_status, free, hand_over, list, named, object, object_mut, place, places, rows,
    write_first,
};
use crate::mesh::{cf_mesh, pose as read_pose, poses as read_poses};
use crate::pair::{cf_closest, length};

/// Bodies, each a mesh at a pose, that move from frame to frame. Each frame reuses what earlier frames
/// learned about a pair, which changes no answer.
pub struct cf_world(pub(crate) World);

/// Two bodies with their distance; the one added first in front.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct cf_near {
    /// The two bodies.
    pub bodies: [u32; 2],
    /// Their distance.
    pub closest: cf_closest,
}

/// Two triangles in contact, and their bodies; the one added first in front.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct cf_body_contact {
    /// The two bodies.
    pub bodies: [u32; 2],
    /// A triangle of each.
    pub triangles: [u32; 2],
}

/// The work of a world so far.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct cf_work {
    /// The number of bodies that were added or moved.
    pub placed: u64,
    /// The number of bodies whose box changed by more than rounding.
    pub updates: u64,
    /// The number of candidate pairs, once for each question.
    pub asked: u64,
    /// The number of tests of boxes around bodies, in the search for candidate pairs.
    pub body_tests: u64,
    /// The number of tests of boxes inside bodies.
    pub box_tests: u64,
    /// The number of tests of triangles.
    pub triangle_tests: u64,
    /// The number of those that exact arithmetic decided.
    pub exact_tests: u64,
}

impl From<WorldWork> for cf_work {
    fn from(work: WorldWork) -> Self {
        let tests = work.tests();
        Self {
            placed: work.placed,
            updates: work.updates,
            asked: work.asked,
            body_tests: work.broad.box_tests,
            box_tests: tests.box_tests,
            triangle_tests: tests.triangle_tests,
            exact_tests: tests.exact_tests,
        }
    }
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

/// The options of a world. A null pointer or a zero stands for the default. No answer depends on them, only
/// the time.
#[repr(C)]
pub struct cf_world_options {
    /// The broad phase, which finds candidate pairs: "recursive-grid" (the default),
    /// "sweep-and-prune", "grid", "lists" or "brute".
    pub broad: *const c_char,
    /// The boxes around bodies: "oriented" (the default), "cube" or "tight".
    pub bounds: *const c_char,
    /// The filter by convex hulls: "off" (the default), "closest-features" or "contact-region".
    pub hull: *const c_char,
    /// The numbers of spheres around each moving body, level by level: 1 and then more. None by default.
    pub sphere_counts: *const usize,
    /// The number of levels of spheres.
    pub sphere_levels: usize,
    /// The number of boxes up to which a cell of the recursive grid is not cut: 8 by default.
    pub grid_threshold: usize,
    /// The number of cells along an axis into which a cell is cut: 4 by default.
    pub grid_cells: u32,
}

/// Creates an empty world with options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_world_new_with(
    options: *const cf_world_options,
    world: *mut *mut cf_world,
) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let made = unsafe { place(world, "world") }?;
        made.write(std::ptr::null_mut());
        // SAFETY: the caller's promises.
        let options = unsafe { object(options, "options") }?;
        // SAFETY: the caller's promises.
        let (broad, bounds, hull, counts) = unsafe {
            (
                named(options.broad, "broad", BroadPhase::RecursiveGrid)?,
                named(options.bounds, "bounds", BodyBounds::default())?,
                named(options.hull, "hull", HullFilter::default())?,
                list(options.sphere_counts, options.sphere_levels, "sphere_counts")?,
            )
        };
        let usual = GridRule::default();
        let rule = GridRule::new(
            if options.grid_threshold == 0 { usual.threshold() } else { options.grid_threshold },
            if options.grid_cells == 0 { usual.cells() } else { options.grid_cells },
        );
        let rule = rule.map_err(|error| Refusal::argument(format!("grid: {error}")))?;
        let mut world =
            World::with_broad_phase(broad).with_bounds(bounds).with_hulls(hull).with_grid_rule(rule);
        if !counts.is_empty() {
            let with = world.with_sphere_levels(counts);
            world = with.map_err(|error| Refusal::argument(format!("sphere_counts: {error}")))?;
        }
        hand_over(cf_world(world), made);
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

/// Fits a body to a mesh that has changed its shape: three coordinates for each vertex of the mesh that it
/// was added with, in their order there once equal positions are one. Other bodies with that mesh keep their
/// shape.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_world_refit(
    world: *mut cf_world,
    body: u32,
    vertices: *const f64,
    vertex_count: usize,
) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let (world, vertices) =
            unsafe { (object_mut(world, "world")?, rows::<f64, 3>(vertices, vertex_count, "vertices")?) };
        Ok(world.0.refit(BodyId(body), vertices)?)
    })
}

/// Puts a body into groups, and chooses the groups that it meets: a bit for each. Two bodies meet if each is
/// in a group that the other meets; at first every body meets every other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_world_set_groups(
    world: *mut cf_world,
    body: u32,
    memberships: u32,
    filter: u32,
) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let world = unsafe { object_mut(world, "world") }?;
        Ok(world.0.set_groups(BodyId(body), BodyGroups { memberships, filter })?)
    })
}

/// Undoes cf_world_exclude.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_world_include(world: *mut cf_world, a: u32, b: u32) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let world = unsafe { object_mut(world, "world") }?;
        Ok(world.0.include(BodyId(a), BodyId(b))?)
    })
}

/// Finds the work of a world so far.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_world_work(world: *const cf_world, work: *mut cf_work) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let (world, work) = unsafe { (object(world, "world")?, place(work, "work")?) };
        work.write(world.0.work().into());
        Ok(())
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

/// Finds all pairs of triangles in contact, sorted by their bodies, then by their triangles. There is room
/// for `room` of them at `contacts`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_world_contacts(
    world: *mut cf_world,
    contacts: *mut cf_body_contact,
    room: usize,
    count: *mut usize,
) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let (world, count) = unsafe { (object_mut(world, "world")?, place(count, "count")?) };
        // SAFETY: the caller's promises.
        let contacts = unsafe { places(contacts, room, "contacts") }?;
        let found = world.0.contacts();
        count.write(found.iter().map(|pair| pair.triangles.len()).sum());
        let all = found.iter().flat_map(|pair| {
            let bodies = pair.bodies.map(|body| body.0);
            pair.triangles.iter().map(move |&triangles| cf_body_contact { bodies, triangles })
        });
        write_first(all, contacts);
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
