//! The functions that C calls, called from here: answers are those of the library, and whatever is wrong with
//! what a caller gives is refused in one line, with nothing written.

use std::ffi::CStr;
use std::ptr::{null, null_mut};

use closefit::{CollisionMesh, DVec3, Pose};
use closefit_capi::border::{cf_last_error, cf_status, cf_version};
use closefit_capi::contact::{cf_contact_geometry, cf_patch, cf_self_contacts, cf_shared};
use closefit_capi::mesh::{
    cf_mesh, cf_mesh_clone, cf_mesh_free, cf_mesh_is_closed, cf_mesh_new, cf_mesh_triangles,
};
use closefit_capi::motion::{
    cf_approach, cf_between, cf_closest_approach, cf_motion, cf_motion_free, cf_motion_new,
    cf_time_of_impact, cf_times,
};
use closefit_capi::pair::{
    cf_closest, cf_contact_triangles, cf_distance, cf_distance_many, cf_distance_up_to, cf_intersects,
    cf_intersects_many, cf_intersects_within,
};
use closefit_capi::record::{
    cf_containment, cf_depth, cf_overlap, cf_overlap_volume, cf_record, cf_verdict, cf_verdict_kind,
    cf_verdict_many, cf_volume,
};
use closefit_capi::step::{cf_change, cf_step, cf_step_events, cf_step_free, cf_step_open, cf_world_advance};
use closefit_capi::world::{
    cf_body_contact, cf_near, cf_world, cf_world_add, cf_world_contacts, cf_world_exclude, cf_world_free,
    cf_world_include, cf_world_intersecting, cf_world_new, cf_world_new_with, cf_world_options,
    cf_world_pairs_within, cf_world_refit, cf_world_remove, cf_world_set_groups, cf_world_set_pose,
    cf_world_set_poses, cf_world_work,
};
use closefit_capi::worlds::{
    cf_worlds, cf_worlds_advance, cf_worlds_find_contacts, cf_worlds_find_distances, cf_worlds_free,
    cf_worlds_new,
};

/// A cube of size 2 around the origin.
const CORNERS: [f64; 24] = [
    -1., -1., -1., 1., -1., -1., -1., 1., -1., 1., 1., -1., -1., -1., 1., 1., -1., 1., -1., 1., 1., 1., 1.,
    1.,
];
const FACES: [u32; 36] = [
    0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7,
    5,
];
const HERE: [f64; 12] = at(1.0, 0.0, 0.0);

/// Returns the pose of a scale, a shift along x and one along z.
const fn at(scale: f64, x: f64, z: f64) -> [f64; 12] {
    [scale, 0.0, 0.0, x, 0.0, scale, 0.0, 0.0, 0.0, 0.0, scale, z]
}

fn last_error() -> String {
    // SAFETY: it points at a text that ends, and no call fails meanwhile.
    unsafe { CStr::from_ptr(cf_last_error()) }.to_str().expect("UTF-8").to_owned()
}

/// Returns the result that a call writes.
#[track_caller]
fn answered<T>(call: impl FnOnce(*mut T) -> cf_status) -> T {
    let mut answer = std::mem::MaybeUninit::uninit();
    let status = call(answer.as_mut_ptr());
    assert_eq!(status, cf_status::CF_OK, "{}", last_error());
    // SAFETY: it is written where the call succeeds.
    unsafe { answer.assume_init() }
}

#[track_caller]
fn refused(status: cf_status, expected: cf_status, message: &str) {
    assert_eq!((status, last_error().as_str()), (expected, message));
}

/// Builds a cube, without its last triangles.
fn cube(missing: usize) -> *mut cf_mesh {
    let count = FACES.len() / 3 - missing;
    // SAFETY: the arrays are as long as said.
    answered(|mesh| unsafe { cf_mesh_new(CORNERS.as_ptr(), 8, FACES.as_ptr(), count, mesh) })
}

#[test]
fn answers_are_those_of_the_library() {
    let corners: Vec<DVec3> = CORNERS.chunks(3).map(DVec3::from_slice).collect();
    let faces: Vec<[u32; 3]> = FACES.chunks(3).map(|t| [t[0], t[1], t[2]]).collect();
    let same = CollisionMesh::new(&corners, &faces).expect("valid");
    let cube = cube(0);
    let poses: Vec<[f64; 12]> =
        (0..40_u8).map(|i| at(1.0, 0.1 * f64::from(i), 0.07 * f64::from(i))).collect();
    let (mut touching, count) = ([true; 40], poses.len());
    // SAFETY: objects are alive, and arrays as long as said.
    unsafe {
        let all = poses.as_ptr().cast::<f64>();
        let status = cf_intersects_many(cube, HERE.as_ptr(), 1, cube, all, count, touching.as_mut_ptr());
        assert_eq!(status, cf_status::CF_OK);
        let mut nearest = Vec::with_capacity(count);
        assert_eq!(cf_distance_many(cube, all, count, cube, HERE.as_ptr(), 1, nearest.as_mut_ptr()), status);
        nearest.set_len(count);
        for (i, pose) in poses.iter().enumerate() {
            let rows = [0, 4, 8].map(|row| [pose[row], pose[row + 1], pose[row + 2], pose[row + 3]]);
            let (a, b) = (same.at(&Pose::IDENTITY).expect("fits"), same.at(&Pose { rows }).expect("fits"));
            assert_eq!(touching[i], closefit::intersects(&a, &b));
            assert_eq!(touching[i], answered(|t| cf_intersects(cube, HERE.as_ptr(), cube, pose.as_ptr(), t)));
            let distance: cf_closest = answered(|d| cf_distance(cube, HERE.as_ptr(), cube, pose.as_ptr(), d));
            assert_eq!(distance.distance, closefit::distance(&a, &b).distance);
            assert_eq!(nearest[i].distance, distance.distance);
            let near =
                answered(|near| cf_intersects_within(cube, HERE.as_ptr(), cube, pose.as_ptr(), 0.5, near));
            assert_eq!(near, distance.distance <= 0.5);
            let (mut is_near, mut up_to) = (false, distance);
            let status = cf_distance_up_to(
                cube,
                HERE.as_ptr(),
                cube,
                pose.as_ptr(),
                0.5,
                &raw mut is_near,
                &raw mut up_to,
            );
            assert_eq!((status, is_near), (cf_status::CF_OK, near));
            assert_eq!(up_to.distance.to_bits(), if near { distance.distance } else { f64::NAN }.to_bits());
            let expected = closefit::contact_triangles(&a, &b);
            for room in [0, 1, expected.len() + 5] {
                let mut pairs = vec![[7_u32; 2]; room];
                let to = pairs.as_mut_ptr().cast();
                let found =
                    answered(|n| cf_contact_triangles(cube, HERE.as_ptr(), cube, pose.as_ptr(), to, room, n));
                assert_eq!(found, expected.len());
                let written = room.min(found);
                assert_eq!(pairs[..written], expected[..written]);
                assert!(pairs[written..].iter().all(|pair| *pair == [7; 2]));
            }
        }
        assert!(touching.contains(&true) && touching.contains(&false));
        cf_mesh_free(cube);
    }
}

#[test]
fn verdicts_know_solids() {
    let (closed, open) = (cube(0), cube(1));
    let ask = |a: *const cf_mesh, pose: [f64; 12]| -> cf_record {
        // SAFETY: objects are alive, and poses have 12 numbers.
        answered(|record| unsafe { cf_verdict(a, HERE.as_ptr(), closed, pose.as_ptr(), 0.25, 1e-6, record) })
    };
    let inside = ask(closed, at(0.25, 0.0, 0.0));
    assert_eq!((inside.verdict, inside.containment), (cf_verdict_kind::CF_CLASH, cf_containment::CF_B_IN_A));
    let overlap = ask(closed, at(1.0, 1.5, 0.0));
    assert_eq!(overlap.verdict, cf_verdict_kind::CF_CLASH);
    assert!(overlap.depth_at_least <= 0.5 && 0.5 <= overlap.depth_at_most && overlap.distance == 0.0);
    let depth = |pose: [f64; 12]| -> cf_overlap {
        // SAFETY: objects are alive, and poses have 12 numbers.
        answered(|depth| unsafe { cf_depth(closed, HERE.as_ptr(), closed, pose.as_ptr(), 1e-6, depth) })
    };
    let deep = depth(at(1.0, 1.5, 0.0));
    assert_eq!([deep.at_least, deep.at_most], [overlap.depth_at_least, overlap.depth_at_most]);
    let apart = depth(at(1.0, 9.0, 0.0));
    assert!(apart.at_most == 0.0 && apart.at[0].is_nan() && apart.reason[0] == 0);
    assert_eq!(ask(closed, at(1.0, 2.0, 0.0)).verdict, cf_verdict_kind::CF_CONTACT);
    let near = ask(closed, at(1.0, 2.125, 0.0));
    assert_eq!((near.verdict, near.distance), (cf_verdict_kind::CF_CLEARANCE, 0.125));
    assert!(near.depth_at_most.is_nan() && near.at[0].is_nan() && near.reason[0] == 0);
    let clear = ask(closed, at(1.0, 9.0, 0.0));
    assert!(clear.verdict == cf_verdict_kind::CF_CLEAR && clear.distance.is_nan());
    let unknown = ask(open, at(0.25, 0.0, 0.0));
    let wanted = (cf_verdict_kind::CF_UNDECIDED, cf_containment::CF_UNDECIDABLE);
    assert_eq!((unknown.verdict, unknown.containment), wanted);
    // SAFETY: the text ends in a zero.
    let reason = unsafe { CStr::from_ptr(unknown.reason.as_ptr()) }.to_str().expect("UTF-8");
    assert_eq!(reason, "a shell of a that encloses b is not closed: 3 open edges");
    // SAFETY: objects are alive, and freed once.
    unsafe {
        assert_eq!([closed, open].map(|tree| answered(|is| cf_mesh_is_closed(tree, is))), [true, false]);
        assert_eq!(answered(|n| cf_mesh_triangles(open, n)), 11);
        cf_mesh_free(closed);
        cf_mesh_free(open);
    }
}

#[test]
fn motions_meet_when_they_must() {
    let cube = cube(0);
    let make = |times: &[f64], translations: &[f64], between: cf_between| -> *mut cf_motion {
        let turns = [0.0, 0.0, 0.0, 1.0].repeat(times.len());
        let (t, r, p) = (times.as_ptr(), turns.as_ptr(), translations.as_ptr());
        // SAFETY: the arrays have as many numbers as there are keyframes.
        answered(|motion| unsafe { cf_motion_new(t, r, p, times.len(), between as u32, motion) })
    };
    let still = make(&[0.0], &[0.0; 3], cf_between::CF_SCREW);
    let coming = make(&[0.0, 4.0], &[6.0, 0.0, 0.0, 2.0, 0.0, 0.0], cf_between::CF_LINEAR);
    let past = make(&[0.0, 4.0], &[6.0, 0.0, 2.5, -6.0, 0.0, 2.5], cf_between::CF_LINEAR);
    // SAFETY: objects are alive, and freed once.
    unsafe {
        let met: cf_times = answered(|met| cf_time_of_impact(cube, still, cube, coming, 1e-6, met));
        assert!(met.meets && !met.at_start && !met.again && met.next.after.is_nan());
        assert!(met.first.after < 4.0 && 4.0 < met.first.before + 1e-6, "{met:?}");
        assert!(met.first.normal[0] > 0.999);
        let missed: cf_times = answered(|met| cf_time_of_impact(cube, still, cube, past, 1e-6, met));
        assert!(!missed.meets && missed.first.before.is_nan());
        let near: cf_approach = answered(|near| cf_closest_approach(cube, still, cube, past, 1e-6, near));
        assert!(near.at_least <= 0.5 && 0.5 <= near.at_most, "{near:?}");
        assert!(near.at_most - near.at_least <= 1e-6 + f64::EPSILON, "{near:?}");
        let mut none: *mut cf_motion = null_mut();
        let (t, p) = ([1.0, 1.0], [0.0; 8]);
        let status = cf_motion_new(
            t.as_ptr(),
            [0., 0., 0., 1., 0., 0., 0., 1.].as_ptr(),
            p.as_ptr(),
            2,
            0,
            &raw mut none,
        );
        let message = "keyframe 1: the time 1 does not come after the one before it";
        refused(status, cf_status::CF_INVALID_MOTION, message);
        assert!(none.is_null());
        let status = cf_motion_new(t.as_ptr(), p.as_ptr(), p.as_ptr(), 1, 9, &raw mut none);
        refused(status, cf_status::CF_INVALID_ARGUMENT, "between: 9 is no cf_between");
        for motion in [still, coming, past] {
            cf_motion_free(motion);
        }
        cf_mesh_free(cube);
    }
}

#[test]
fn a_world_keeps_what_it_needs() {
    let cube = cube(0);
    // SAFETY: objects are alive, freed once, and arrays as long as said.
    unsafe {
        let other = answered(|clone| cf_mesh_clone(cube, clone));
        cf_mesh_free(cube);
        let world: *mut cf_world = answered(|world| cf_world_new(world));
        let add = |x: f64, fixed| {
            answered(|body| cf_world_add(world, other, at(1.0, x, 0.0).as_ptr(), fixed, body))
        };
        assert_eq!([add(0.0, true), add(1.0, true), add(5.0, false), add(9.0, false)], [0, 1, 2, 3]);
        cf_mesh_free(other);
        let touching = || {
            let mut pairs = [[9_u32; 2]; 4];
            let count = answered(|n| cf_world_intersecting(world, pairs.as_mut_ptr().cast(), 4, n));
            pairs[..count].to_vec()
        };
        assert!(touching().is_empty());
        let poses = [at(1.0, 2.5, 0.0), at(1.0, 4.5, 0.0)].concat();
        assert_eq!(cf_world_set_poses(world, [2, 3].as_ptr(), poses.as_ptr(), 2), cf_status::CF_OK);
        assert_eq!(touching(), [[1, 2], [2, 3]]);
        let mut near = Vec::<cf_near>::with_capacity(9);
        let count = answered(|n| cf_world_pairs_within(world, 0.5, near.as_mut_ptr(), 9, n));
        near.set_len(count);
        let found: Vec<_> = near.iter().map(|near| (near.bodies, near.closest.distance)).collect();
        assert_eq!(found, [([0, 2], 0.5), ([1, 2], 0.0), ([2, 3], 0.0)]);
        assert_eq!(cf_world_exclude(world, 3, 2), cf_status::CF_OK);
        assert_eq!(touching(), [[1, 2]]);
        assert_eq!(cf_world_remove(world, 1), cf_status::CF_OK);
        assert!(touching().is_empty());
        let gone = "there is no body 1 in the world";
        refused(cf_world_remove(world, 1), cf_status::CF_NO_SUCH_BODY, gone);
        refused(cf_world_set_pose(world, 1, HERE.as_ptr()), cf_status::CF_NO_SUCH_BODY, gone);
        refused(cf_world_exclude(world, 0, 1), cf_status::CF_NO_SUCH_BODY, gone);
        cf_world_free(world);
    }
}

#[test]
fn options_of_a_world_change_no_answer_and_are_checked() {
    let cube = cube(0);
    // SAFETY: objects are alive, freed once, and arrays and texts as long as said.
    unsafe {
        let usual = || cf_world_options {
            broad: null(),
            bounds: null(),
            hull: null(),
            sphere_counts: null(),
            sphere_levels: 0,
            grid_threshold: 0,
            grid_cells: 0,
        };
        let chosen = cf_world_options {
            broad: c"recursive-grid".as_ptr(),
            bounds: c"tight".as_ptr(),
            hull: c"closest-features".as_ptr(),
            sphere_counts: [1, 4].as_ptr(),
            sphere_levels: 2,
            grid_threshold: 1,
            grid_cells: 8,
        };
        for options in [usual(), chosen] {
            let world: *mut cf_world = answered(|world| cf_world_new_with(&raw const options, world));
            for x in [0.0, 0.5, 5.0] {
                answered(|body| cf_world_add(world, cube, at(1.0, x, 0.0).as_ptr(), x == 0.0, body));
            }
            let mut pairs = [[9_u32; 2]; 3];
            let count = answered(|n| cf_world_intersecting(world, pairs.as_mut_ptr().cast(), 3, n));
            assert_eq!(pairs[..count], [[0, 1]]);
            cf_world_free(world);
        }
        for (options, why) in [
            (cf_world_options { broad: c"tree".as_ptr(), ..usual() }, "broad: unknown broad phase 'tree'"),
            (
                cf_world_options { bounds: c"loose".as_ptr(), ..usual() },
                "bounds: unknown kind of box 'loose'",
            ),
            (cf_world_options { hull: c"on".as_ptr(), ..usual() }, "hull: unknown hull filter 'on'"),
            (
                cf_world_options { grid_cells: 9, ..usual() },
                "grid: cannot cut cells of more than 8 boxes into 9",
            ),
            (
                cf_world_options { sphere_counts: [2].as_ptr(), sphere_levels: 1, ..usual() },
                "sphere_counts: ",
            ),
        ] {
            let mut world = null_mut();
            assert_eq!(cf_world_new_with(&raw const options, &raw mut world), cf_status::CF_INVALID_ARGUMENT);
            let said = CStr::from_ptr(cf_last_error()).to_str().expect("ASCII");
            assert!(said.starts_with(why) && world.is_null(), "{said}");
        }
        let mut world = std::ptr::dangling_mut();
        let status = cf_world_new_with(null(), &raw mut world);
        refused(status, cf_status::CF_INVALID_ARGUMENT, "options is a null pointer");
        assert!(world.is_null());
        cf_mesh_free(cube);
    }
}

#[test]
fn a_step_misses_no_contact_between_its_poses() {
    let mesh = cube(0);
    // SAFETY: objects are alive, freed once, and arrays as long as said.
    unsafe {
        let world: *mut cf_world = answered(|world| cf_world_new(world));
        let add = |x: f64| answered(|body| cf_world_add(world, mesh, at(1.0, x, 0.0).as_ptr(), false, body));
        assert_eq!([add(0.0), add(5.0)], [0, 1]);
        let advance = |x: f64, budget: u64| {
            let step: *mut cf_step = answered(|step| {
                cf_world_advance(world, [1].as_ptr(), at(1.0, x, 0.0).as_ptr(), 1, 1e-6, budget, step)
            });
            let mut events = Vec::with_capacity(2);
            let count = answered(|n| cf_step_events(step, events.as_mut_ptr(), 2, n));
            events.set_len(count);
            let mut open = [[9_u32; 2]; 1];
            let count = answered(|n| cf_step_open(step, open.as_mut_ptr().cast(), 1, n));
            cf_step_free(step);
            (events, open[..count].to_vec())
        };
        let (events, open) = advance(-5.0, u64::MAX);
        assert_eq!((events[0].bodies, events[0].change, open), ([0, 1], cf_change::CF_BRIEF, vec![]));
        let first = events[0].times.first;
        assert!(first.after < 0.3 && 0.3 < first.before + 1e-6, "{first:?}");
        assert_eq!(advance(5.0, 0).1, [[0, 1]]);
        assert_eq!(advance(0.5, u64::MAX).0[0].change, cf_change::CF_BEGAN);

        let mut contacts = Vec::<cf_body_contact>::with_capacity(200);
        let count = answered(|n| cf_world_contacts(world, contacts.as_mut_ptr(), 200, n));
        contacts.set_len(count);
        assert!(count > 10 && contacts.iter().all(|found| found.bodies == [0, 1]));
        let touching = || answered(|n| cf_world_intersecting(world, null_mut(), 0, n));
        assert_eq!(cf_world_set_groups(world, 1, 1, 0), cf_status::CF_OK);
        assert_eq!(touching(), 0);
        assert_eq!(cf_world_set_groups(world, 1, 1, 1), cf_status::CF_OK);
        assert_eq!(cf_world_exclude(world, 0, 1), cf_status::CF_OK);
        assert_eq!((touching(), cf_world_include(world, 0, 1), touching()), (0, cf_status::CF_OK, 1));
        let flat = [[0.0; 3]; 8];
        assert_eq!(cf_world_refit(world, 1, flat.as_ptr().cast(), 8), cf_status::CF_OK);
        assert_eq!(touching(), 0);
        let work = answered(|work| cf_world_work(world, work));
        assert!(work.placed == 5 && work.triangle_tests > 10, "{work:?}");

        let mut step = std::ptr::dangling_mut();
        let refused_step = |precision: f64, body: u32, step: &mut *mut cf_step| {
            cf_world_advance(world, [body].as_ptr(), HERE.as_ptr(), 1, precision, 0, step)
        };
        let why = "the precision is 0, and must be a finite number above 0";
        refused(refused_step(0.0, 0, &mut step), cf_status::CF_INVALID_ARGUMENT, why);
        assert!(step.is_null());
        let gone = "there is no body 7 in the world";
        refused(refused_step(1e-6, 7, &mut step), cf_status::CF_NO_SUCH_BODY, gone);
        cf_world_free(world);
        cf_mesh_free(mesh);
    }
}

#[test]
fn many_worlds_give_lists_of_the_library() {
    let mesh = cube(0);
    // SAFETY: objects are alive, freed once, and arrays as long as said.
    unsafe {
        let scene: *mut cf_world = answered(|world| cf_world_new(world));
        for _ in 0..2 {
            answered(|body| cf_world_add(scene, mesh, HERE.as_ptr(), false, body));
        }
        let mut worlds = null_mut();
        let status = cf_worlds_new(scene, 1 << 32, &raw mut worlds);
        let why = "count: 4294967296 worlds are more than 4294967295";
        refused(status, cf_status::CF_INVALID_ARGUMENT, why);
        let worlds: *mut cf_worlds = answered(|worlds| cf_worlds_new(scene, 3, worlds));
        cf_world_free(scene);
        cf_mesh_free(mesh);
        // Apart by 1, pressed together by 1/4, and far apart.
        let poses = [3.0, 1.75, 9.0].map(|x| [HERE, at(1.0, x, 0.0)].concat()).concat();
        let found = answered(|found| cf_worlds_find_contacts(worlds, poses.as_ptr(), found));
        assert_eq!(std::slice::from_raw_parts(found.offsets, 4), [0, 0, 4, 4]);
        assert_eq!(std::slice::from_raw_parts(found.bodies, 8), [0, 1].repeat(4));
        assert_eq!(std::slice::from_raw_parts(found.normals, 3), [1.0, 0.0, 0.0]);
        assert_eq!(std::slice::from_raw_parts(found.depths, found.count), [0.25; 4]);
        let found = answered(|found| cf_worlds_find_distances(worlds, poses.as_ptr(), 2.0, found));
        assert_eq!(std::slice::from_raw_parts(found.offsets, 4), [0, 1, 2, 2]);
        assert_eq!(std::slice::from_raw_parts(found.distances, found.count), [1.0, 0.0]);

        let mut steps = [null_mut(); 3];
        let advance = |precision: f64, steps: *mut *mut cf_step| {
            cf_worlds_advance(worlds, poses.as_ptr(), precision, u64::MAX, steps)
        };
        let why = "world 0: the precision is 0, and must be a finite number above 0";
        refused(advance(0.0, steps.as_mut_ptr()), cf_status::CF_INVALID_ARGUMENT, why);
        assert!(steps.iter().all(|step| step.is_null()));
        let mut steps = [std::ptr::dangling_mut(); 3];
        let status = cf_worlds_advance(worlds, null(), 1e-6, u64::MAX, steps.as_mut_ptr());
        refused(status, cf_status::CF_INVALID_ARGUMENT, "poses is a null pointer");
        assert!(steps.iter().all(|step| step.is_null()));
        assert_eq!(advance(1e-6, steps.as_mut_ptr()), cf_status::CF_OK);
        let ended = steps.map(|step| {
            let mut events = Vec::with_capacity(1);
            let count = answered(|n| cf_step_events(step, events.as_mut_ptr(), 1, n));
            events.set_len(count);
            cf_step_free(step);
            events.first().map(|event| event.change)
        });
        // Equal cubes at one place are in contact at first.
        assert_eq!(ended, [Some(cf_change::CF_ENDED), None, Some(cf_change::CF_ENDED)]);
        cf_worlds_free(worlds);
    }
}

#[test]
fn what_cannot_be_is_refused_in_one_line() {
    use cf_status::{CF_INVALID_ARGUMENT, CF_INVALID_MESH, CF_INVALID_POSE};
    let cube = cube(0);
    let mut mesh: *mut cf_mesh = null_mut();
    let mut touch = true;
    let mut broken = HERE;
    broken[5] = f64::NAN;
    // SAFETY: what is not null is alive, and as long as said.
    unsafe {
        let status = cf_mesh_new(CORNERS.as_ptr(), 7, FACES.as_ptr(), 12, &raw mut mesh);
        refused(status, CF_INVALID_MESH, "triangle 2 uses vertex 7, but there are 7 vertices");
        assert!(mesh.is_null());
        let status = cf_mesh_new(null(), 7, FACES.as_ptr(), 12, &raw mut mesh);
        refused(status, CF_INVALID_ARGUMENT, "vertices is a null pointer");
        let status = cf_mesh_new(CORNERS.as_ptr(), 8, FACES.as_ptr(), 12, null_mut());
        refused(status, CF_INVALID_ARGUMENT, "mesh is a null pointer");
        let status = cf_mesh_new(CORNERS.as_ptr(), usize::MAX, FACES.as_ptr(), 12, &raw mut mesh);
        let huge = format!("vertices: {} items are more than memory can hold", usize::MAX);
        refused(status, CF_INVALID_ARGUMENT, &huge);
        let status = cf_mesh_new(null(), 0, null(), 0, &raw mut mesh);
        refused(status, CF_INVALID_MESH, "it has no triangles");

        let status = cf_intersects(cube, HERE.as_ptr(), null(), HERE.as_ptr(), &raw mut touch);
        refused(status, CF_INVALID_ARGUMENT, "b is a null pointer");
        let status = cf_intersects(cube, null(), cube, HERE.as_ptr(), &raw mut touch);
        refused(status, CF_INVALID_ARGUMENT, "pose_a is a null pointer");
        let status = cf_intersects(cube, HERE.as_ptr().byte_add(4), cube, HERE.as_ptr(), &raw mut touch);
        refused(status, CF_INVALID_ARGUMENT, "pose_a is misaligned");
        let status = cf_intersects(cube, HERE.as_ptr(), cube, broken.as_ptr(), &raw mut touch);
        refused(status, CF_INVALID_POSE, "pose_b: the pose has the entry NaN, which is not a finite number");
        let status = cf_intersects_within(cube, HERE.as_ptr(), cube, HERE.as_ptr(), -1.0, &raw mut touch);
        refused(status, CF_INVALID_ARGUMENT, "limit: -1 is not a length");

        let poses = [HERE, broken].concat();
        let mut touches = [true; 2];
        let status =
            cf_intersects_many(cube, HERE.as_ptr(), 1, cube, poses.as_ptr(), 2, touches.as_mut_ptr());
        let message = "row 1 of b: the pose has the entry NaN, which is not a finite number";
        refused(status, CF_INVALID_POSE, message);
        let status =
            cf_intersects_many(cube, poses.as_ptr(), 2, cube, poses.as_ptr(), 3, touches.as_mut_ptr());
        refused(
            status,
            CF_INVALID_ARGUMENT,
            "2 poses of a and 3 of b are not rows: as many of both, or one of either",
        );
        let (here, none) = (HERE.as_ptr(), null_mut());
        let status = cf_verdict_many(cube, here, 1, cube, here, 1, 0.0, 0.0, none);
        refused(status, CF_INVALID_ARGUMENT, "records is a null pointer");
        let status = cf_intersects_many(cube, null(), 0, cube, HERE.as_ptr(), 1, null_mut());
        assert_eq!(status, cf_status::CF_OK, "nothing was asked");
        cf_mesh_free(cube);
        cf_mesh_free(null_mut());
    }
    // SAFETY: it points at a text that ends.
    let version = unsafe { CStr::from_ptr(cf_version()) };
    assert_eq!(version.to_str(), Ok(env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_volume_of_an_overlap_is_a_bracket() {
    let (mesh, beside) = (cube(0), at(1.0, 1.0, 0.0));
    let found: cf_volume = answered(|volume| {
        // SAFETY: objects are alive.
        unsafe { cf_overlap_volume(mesh, HERE.as_ptr(), mesh, beside.as_ptr(), volume) }
    });
    assert!(found.at_least <= 4.0 && 4.0 <= found.at_most && found.at_most - found.at_least < 1e-14);
    assert_eq!((found.centroid, found.reason[0]), ([0.5, 0.0, 0.0], 0));
    // SAFETY: the mesh is freed once.
    unsafe { cf_mesh_free(mesh) };
}

#[test]
fn what_two_cubes_share_is_that_of_the_library() {
    let (mesh, above) = (cube(0), at(1.0, 1.0, 2.0));
    let (mut sets, mut patches) = (vec![], vec![]);
    let mut counts = [0; 2];
    for room in [0, 64] {
        sets.reserve(room);
        patches.reserve(room);
        let [count, patch_count] = &mut counts;
        // SAFETY: objects are alive, and there is room for so many.
        let status = unsafe {
            let (sets, patches) = (sets.as_mut_ptr(), patches.as_mut_ptr());
            let at = (HERE.as_ptr(), above.as_ptr());
            cf_contact_geometry(mesh, at.0, mesh, at.1, sets, room, count, patches, room, patch_count)
        };
        assert_eq!(status, cf_status::CF_OK, "{}", last_error());
    }
    assert!(counts[0] <= 64 && counts[1] == 1, "{counts:?}");
    // SAFETY: so many are written.
    unsafe {
        sets.set_len(counts[0]);
        patches.set_len(counts[1]);
    }
    let patch: cf_patch = patches[0];
    assert_eq!((patch.area, patch.normal, patch.is_closed, patch.count), (2.0, [0.0, 0.0, 1.0], true, 4));
    assert_eq!(patch.bounds, [[0.0, -1.0, 1.0], [1.0, 1.0, 1.0]]);
    let sets: Vec<cf_shared> = sets;
    assert!(sets.iter().all(|set| set.patch == 0 && (1..=6).contains(&set.count)));
    assert!(sets.iter().all(|set| set.corners[set.count as usize - 1][0].is_finite()));
    assert!(sets.iter().all(|set| set.count == 6 || set.corners[set.count as usize][0].is_nan()));

    let count = answered(|count| {
        // SAFETY: objects are alive, and there is room for nothing.
        unsafe { cf_self_contacts(mesh, HERE.as_ptr(), null_mut(), 0, count) }
    });
    assert_eq!(count, 0_usize);
    // SAFETY: the mesh is freed once.
    unsafe { cf_mesh_free(mesh) };
}
