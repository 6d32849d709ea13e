//! Octrees find what brute force finds, cells are cut as the paper says, sorted lists overlap where boxes do,
//! both executors do the same work, and every mesh gets a valid tree.

use glam::{DMat3, DVec3};

use super::cells::{Cells, Median, Part, Uniform, Vertex};
use super::faces::{Faces, Shared, Trimmed};
use super::kept_lists::KeptLists;
use super::sorted_ends::{Orders, overlaps};
use super::{Octree, Refittable, sweep_and_prune};
use crate::volumes::Kdops;
use closefit::Work;
use closefit::internals::bvh::Hierarchy;
use closefit::internals::bvh::testing::{self, degenerate, generated, meshes_of_all_scenes, soup};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::executor::Executor;
use closefit_geometry::lanes::LANES;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::math::testing::Stream;
use closefit_geometry::mesh::Mesh;

#[test]
fn octrees_find_what_brute_force_finds() {
    testing::finds_what_brute_force_finds::<Octree<Uniform>>(11);
}

#[test]
fn median_octrees_find_what_brute_force_finds() {
    testing::finds_what_brute_force_finds::<Octree<Median>>(12);
}

#[test]
fn queries_see_every_triangle_of_a_region() {
    testing::sees_every_triangle_of_a_region::<Octree<Uniform>>(13);
    testing::sees_every_triangle_of_a_region::<Octree<Median>>(14);
}

#[test]
fn degenerate_meshes_meet_themselves() {
    testing::meets_itself::<Octree<Uniform>>();
    testing::meets_itself::<Octree<Median>>();
}

#[test]
fn two_triangles_meet_a_hundred_thousand() {
    testing::two_meet_a_hundred_thousand::<Octree<Uniform>>();
    testing::two_meet_a_hundred_thousand::<Octree<Median>>();
}

/// Returns a mesh whose triangles have one vertex in common, the lowest.
fn fan(count: u32) -> Mesh {
    let rim = |i: u32| {
        let turn = f64::from(i) * std::f64::consts::TAU / f64::from(count);
        DVec3::new(turn.cos(), turn.sin(), 0.1 * (7.0 * turn).sin())
    };
    let vertices: Vec<DVec3> = [DVec3::ZERO].into_iter().chain((0..count).map(rim)).collect();
    let triangles: Vec<[u32; 3]> = (0..count).map(|i| [0, 1 + i, 1 + (i + 1) % count]).collect();
    Mesh::new(&vertices, &triangles).expect("valid")
}

/// Boxes along the axes around slices of a disc overlap near its middle, so two such fans take as long as any
/// two meshes whose boxes all meet. At the rim a fan is searched as quickly as any mesh.
fn cuts_a_fan<C: Cells, F: Faces>(mesh: &Mesh) {
    let spot = DVec3::new(0.7, 0.7, 0.0);
    let few = soup(&[[spot - DVec3::Z, spot + DVec3::Z, spot + DVec3::new(1e-3, 0.0, 1.0)]]);
    let [many, one] = [mesh, &few].map(Octree::<C, F>::build);
    assert_eq!(many.validate(mesh), Ok(()));
    let a = many.place(mesh, &Pose::IDENTITY, Executor::Simd);
    let b = one.place(&few, &Pose::IDENTITY, Executor::Simd);
    let mut work = Work::NONE;
    assert!(!sweep_and_prune::contacts(&a, &b, usize::MAX, None, &mut work).is_empty());
    assert!(work.triangle_tests < 5_000 && work.box_tests < 20_000, "{work:?}");
}

#[test]
fn a_vertex_of_a_hundred_thousand_triangles_is_cut_by_their_order() {
    cuts_a_fan::<Uniform, Shared>(&fan(100_000));
    cuts_a_fan::<Median, Shared>(&fan(100_000));
}

#[test]
fn trimmed_triangles_of_one_vertex_are_cut_by_place() {
    cuts_a_fan::<Uniform, Trimmed>(&fan(10_000));
    cuts_a_fan::<Median, Trimmed>(&fan(10_000));
}

fn is_valid<C: Cells, F: Faces>() {
    let sheared = DMat3::from_cols_array(&[1.0, 0.0, 0.0, 0.5, 2.0, 0.0, 0.0, 0.1, 0.0]);
    for (name, mesh) in degenerate() {
        assert_eq!(Octree::<C, F>::build(&mesh).validate(&mesh), Ok(()), "{name}");
        assert_eq!(Octree::<C, F>::build_for(&mesh, sheared).validate(&mesh), Ok(()), "{name}, sheared flat");
    }
    for (name, mesh) in meshes_of_all_scenes(4, false) {
        assert_eq!(Octree::<C, F>::build(&mesh).validate(&mesh), Ok(()), "{name}");
    }
}

#[test]
fn every_mesh_gets_a_valid_tree() {
    is_valid::<Uniform, Shared>();
    is_valid::<Median, Shared>();
    is_valid::<Uniform, Trimmed>();
    is_valid::<Median, Trimmed>();
}

/// Returns the vertices of a random cell, some of them equal.
fn cell(stream: &mut Stream) -> Vec<Vertex> {
    let round = stream.pick(&[1.0, 4.0, 1e9]);
    let count = 9 + stream.below(90) as u32;
    (0..count).map(|index| Vertex { at: (stream.point() * round).round() / round, index }).collect()
}

/// Cuts a cell, and returns its parts with their vertices.
fn parts<C: Cells>(vertices: &mut [Vertex], along: [u32; 3]) -> Vec<(Part, &[Vertex])> {
    let parts = C::cut(vertices, &Aabb { lo: DVec3::splat(-2.0), hi: DVec3::splat(2.0) }, along);
    assert_eq!(parts.iter().map(|part| part.count).sum::<usize>(), vertices.len());
    let mut rest = &*vertices;
    parts
        .into_iter()
        .map(|part| (part, rest.split_off(..part.count).expect("as many as there are")))
        .collect()
}

#[test]
fn equal_parts_meet_at_evenly_spaced_planes() {
    let mut stream = Stream(15);
    for _ in 0..1_000 {
        let mut vertices = cell(&mut stream);
        let Aabb { lo, hi } = Aabb::of(vertices.iter().map(|vertex| vertex.at));
        let along = stream.pick(&[[2, 2, 2], [3, 2, 2], [1, 4, 5]]);
        let [nx, ny, nz] = along.map(|n| n as usize);
        let parts = parts::<Uniform>(&mut vertices, along);
        assert_eq!(parts.len(), nx * ny * nz);
        for (number, (Part { region, .. }, vertices)) in parts.into_iter().enumerate() {
            let place = [number % nx, number / nx % ny, number / nx / ny];
            for axis in 0..3 {
                let plane = |k: usize| {
                    let share = k as f64 / f64::from(along[axis]);
                    if share == 0.5 {
                        0.5 * lo[axis] + 0.5 * hi[axis]
                    } else {
                        lo[axis] * (1.0 - share) + hi[axis] * share
                    }
                };
                let (first, last) = (place[axis] == 0, place[axis] + 1 == along[axis] as usize);
                let sides = [
                    if first { -2.0 } else { plane(place[axis]) },
                    if last { 2.0 } else { plane(place[axis] + 1) },
                ];
                assert_eq!([region.lo[axis], region.hi[axis]], sides);
                assert!(vertices.iter().all(|v| v.at[axis] > sides[0] && v.at[axis] <= sides[1]));
            }
        }
    }
}

#[test]
fn medians_halve_the_vertices_in_turn() {
    let mut stream = Stream(16);
    for _ in 0..1_000 {
        let mut vertices = cell(&mut stream);
        let parts: Vec<&[Vertex]> =
            parts::<Median>(&mut vertices, [2; 3]).into_iter().map(|(_, part)| part).collect();
        // Parts 0 to 3 are the lower half in x; 0 and 1 its lower half in y; 0 that one's lower half in z.
        for (width, axis) in [(4, 0), (2, 1), (1, 2)] {
            for pair in parts.chunks(2 * width) {
                let [lower, upper] = [&pair[..width], &pair[width..]].map(<[_]>::concat);
                assert!(lower.len() == upper.len() || lower.len() == upper.len() + 1);
                let key = |vertex: &Vertex| (vertex.at[axis], vertex.index);
                assert!(lower.iter().all(|p| upper.iter().all(|q| key(p) < key(q))));
            }
        }
    }
}

/// Thirds, fifths and so on differ by at most one vertex, and vertices are in the regions of their parts.
#[test]
fn quantiles_share_the_vertices_out_evenly() {
    let mut stream = Stream(21);
    for _ in 0..1_000 {
        let mut vertices = cell(&mut stream);
        let axis = stream.below(3) as usize;
        let count = 1 + stream.below(12) as u32;
        let mut along = [1; 3];
        along[axis] = count;
        let all = vertices.len();
        let parts = parts::<Median>(&mut vertices, along);
        assert_eq!(parts.len(), all.min(count as usize));
        for (Part { region, count: own }, vertices) in &parts {
            assert!(
                (all / count as usize..=all.div_ceil(count as usize)).contains(own) || all < count as usize
            );
            assert!(vertices.iter().all(|v| region.lo.cmple(v.at).all() && v.at.cmple(region.hi).all()));
        }
        for pair in parts.windows(2) {
            assert_eq!(pair[0].0.region.hi[axis], pair[1].0.region.lo[axis]);
        }
    }
}

/// Returns a block of boxes, many of which touch.
fn block(stream: &mut Stream) -> Kdops<3> {
    let mut block = Kdops::default();
    for axis in 0..3 {
        for lane in 0..LANES {
            let at = stream.below(9) as f32 - 4.0;
            (block.lo[axis][lane], block.hi[axis][lane]) = (at, at + stream.below(4) as f32);
        }
    }
    block
}

#[test]
fn sorted_lists_overlap_where_boxes_do() {
    let mut stream = Stream(17);
    for _ in 0..5_000 {
        let boxes = [block(&mut stream), block(&mut stream)];
        let used = [stream.below(256) as u32, stream.below(256) as u32];
        let found = overlaps([&boxes[0], &boxes[1]], used, &mut Orders::default());
        let is_used = |side: usize, lane: usize| used[side] >> lane & 1 == 1;
        for a in 0..LANES {
            for b in 0..LANES {
                let meet = (0..3).all(|axis| {
                    boxes[0].lo[axis][a] <= boxes[1].hi[axis][b]
                        && boxes[1].lo[axis][b] <= boxes[0].hi[axis][a]
                });
                let expected = meet && is_used(0, a) && is_used(1, b);
                assert_eq!(found.with[a] >> b & 1 == 1, expected, "{boxes:?} {a} {b}");
            }
        }
    }
}

/// An insertion sort exchanges neighbours once for each pair of ends that are out of order.
#[test]
fn exchanges_are_the_pairs_out_of_order() {
    let mut boxes = [Kdops::<3>::default(), Kdops::default()];
    for axis in 0..3 {
        // Ends in the order in which the lists begin: 0 1, 4 5 of the first block and 2 3 of the second.
        boxes[0].lo[axis][..2].copy_from_slice(&[0.0, 4.0]);
        boxes[0].hi[axis][..2].copy_from_slice(&[1.0, 5.0]);
        (boxes[1].lo[axis][0], boxes[1].hi[axis][0]) = (2.0, 3.0);
    }
    let found = overlaps([&boxes[0], &boxes[1]], [0b11, 0b1], &mut Orders::default());
    assert_eq!((found.exchanges, found.with), ([4; 3], [0; LANES]));
}

/// The overlaps are the same from whatever order sorting begins, and the order that it leaves needs no
/// exchange.
#[test]
fn kept_orders_overlap_as_fresh_ones_do() {
    let mut stream = Stream(20);
    let mut kept = Orders::default();
    for _ in 0..5_000 {
        let boxes = [block(&mut stream), block(&mut stream)];
        let used = [stream.below(256) as u32, stream.below(256) as u32];
        let boxes = [&boxes[0], &boxes[1]];
        let fresh = overlaps(boxes, used, &mut Orders::default());
        assert_eq!(overlaps(boxes, used, &mut kept).with, fresh.with);
        let again = overlaps(boxes, used, &mut kept);
        assert_eq!((again.with, again.exchanges), (fresh.with, [0; 3]));
    }
}

/// The paper's reason to keep lists: a thousand frames of a torus that turns through another.
#[test]
fn kept_lists_save_exchanges() {
    let mesh = generated("tori", 400);
    let tree = Octree::<Uniform>::build(&mesh);
    let still = tree.place(&mesh, &Pose::IDENTITY, Executor::Simd);
    let (mut lists, mut sorted, mut kept) = (KeptLists::default(), Work::NONE, Work::NONE);
    let mut most = 0;
    for frame in 0..1_000 {
        let turn = 0.5e-3 * f64::from(frame);
        let pose = Pose::from_trs([turn.sin(), 0.0, 0.0, turn.cos()], [1.0; 3], [0.3 + 0.2 * turn, 0.1, 0.0]);
        let moving = tree.place(&mesh, &pose.expect("a rotation"), Executor::Simd);
        let fresh = sweep_and_prune::contacts(&still, &moving, usize::MAX, None, &mut sorted);
        let found = sweep_and_prune::contacts(&still, &moving, usize::MAX, Some(&mut lists), &mut kept);
        assert_eq!(found, fresh);
        most = most.max(lists.counts().alive);
    }
    assert_eq!((kept.box_tests, kept.overlaps), (sorted.box_tests, sorted.overlaps));
    for axis in 0..3 {
        assert!(5 * kept.exchanges[axis] < sorted.exchanges[axis], "{kept:?} of {sorted:?}");
    }
    // What is not used is given back.
    let away = tree.place(&mesh, &Pose::translation([9.0, 0.0, 0.0]), Executor::Simd);
    assert!(sweep_and_prune::contacts(&still, &away, usize::MAX, Some(&mut lists), &mut kept).is_empty());
    let counts = lists.counts();
    assert!(most > 1 && counts.alive <= 1, "{most}, then {counts:?}");
    assert!(
        counts.made > most as u64 && counts.given_back == counts.made - counts.alive as u64,
        "{counts:?}"
    );
    assert!(counts.bytes > size_of::<Orders>() * most, "{counts:?}");
}

/// Returns the work of a search for the contacts of a torus and its turned copy.
fn work<C: Cells>(executor: Executor) -> (Vec<[u32; 2]>, Work) {
    let mesh = generated("tori", 2_000);
    let tree = Octree::<C>::build(&mesh);
    let turned = Pose::from_trs([0.3, -0.5, 0.2, 0.9], [1.0; 3], [0.4, 0.1, 0.2]).expect("a rotation");
    let [a, b] = [Pose::IDENTITY, turned].map(|pose| tree.place(&mesh, &pose, executor));
    let mut work = Work::NONE;
    (sweep_and_prune::contacts(&a, &b, usize::MAX, None, &mut work), work)
}

#[test]
fn executors_do_the_same_work_and_kinds_do_not() {
    let [lanes, scalar] = [Executor::Simd, Executor::Scalar].map(work::<Uniform>);
    assert_eq!(lanes.0, scalar.0);
    let tests = |work: Work| (work.box_tests, work.updates, work.exchanges, work.overlaps);
    assert_eq!(tests(lanes.1), tests(scalar.1));
    let median = work::<Median>(Executor::Simd);
    assert_eq!(lanes.0, median.0);
    assert_ne!(tests(lanes.1), tests(median.1));
    for work in [lanes.1, median.1] {
        assert!(
            work.updates > 0
                && work.exchanges.iter().all(|&along| along > work.overlaps)
                && work.overlaps > 0,
            "{work:?}"
        );
    }
}

/// Nothing is sorted without overlap: only boxes that meet the box around the other block enter the lists.
#[test]
fn meshes_apart_sort_nothing() {
    let mesh = soup(&(0..300).map(|i| [DVec3::X * f64::from(i), DVec3::Y, DVec3::Z]).collect::<Vec<_>>());
    let tree = Octree::<Uniform>::build(&mesh);
    let [a, b] = [0.0, 2.0].map(|z| tree.place(&mesh, &Pose::translation([0.0, 0.0, z]), Executor::Simd));
    let mut work = Work::NONE;
    assert_eq!(sweep_and_prune::touching(&a, &b, &mut work), None);
    assert_eq!((work.exchanges, work.overlaps), ([0; 3], 0));
}

/// Returns the mesh deformed in some way: bent, stretched, flattened to a plane, a line or a point, or moved
/// far away.
fn deformed(mesh: &Mesh, stream: &mut Stream) -> Mesh {
    let scale = DVec3::from_array([(); 3].map(|()| stream.pick(&[1.0, 1.0, -2.0, 0.1, 0.0, 1e-9])));
    let far = stream.pick(&[0.0, 0.0, 1e9]);
    let size = stream.pick(&[1.0, 1.0, 2.0_f64.powi(-150), 2.0_f64.powi(150)]);
    let bend = stream.point() * stream.pick(&[0.0, 0.5, 3.0]);
    mesh.moved(|v| (v * scale + bend * (v.x * v.y + v.z * v.z) + far) * size)
}

fn is_refitted<C: Cells>(seed: u64) {
    let mut stream = Stream(seed);
    for _ in 0..300 {
        let mesh = testing::shapes(&mut stream);
        let other = testing::shapes(&mut stream);
        let mut tree = Octree::<C>::build(&mesh);
        for _ in 0..3 {
            let mesh = deformed(&mesh, &mut stream);
            tree.refit(&mesh);
            assert_eq!(tree.validate(&mesh), Ok(()));
            let pose = testing::pose(&mut stream);
            if Octree::<C>::is_built_for(&pose.linear()) {
                continue;
            }
            let (contacts, nearest) = testing::brute(&[mesh.clone(), other.clone()], &[pose, Pose::IDENTITY]);
            let executor = stream.pick(&Executor::ALL);
            let a = tree.place(&mesh, &pose, executor);
            let of_other = Octree::<C>::build(&other);
            let b = of_other.place(&other, &Pose::IDENTITY, executor);
            let mut work = Work::NONE;
            assert_eq!(Octree::<C>::contacts(&a, &b, usize::MAX, &mut work), contacts);
            if contacts.is_empty() {
                assert_eq!(Octree::<C>::nearest(&a, &b, f64::INFINITY, &mut work), nearest);
            }
        }
    }
}

#[test]
fn refitted_octrees_find_what_brute_force_finds() {
    is_refitted::<Uniform>(18);
    is_refitted::<Median>(19);
}
