//! Octrees of every recipe, with shared and with trimmed triangles, are valid and find what brute force
//! finds.

use std::ops::ControlFlow;

use glam::DVec3;

use super::build::partition;
use super::faces::Faces;
use super::kept_lists::KeptLists;
use super::trim::piece;
use super::{Cells, Median, Octree, Recipe, RecipeError, Shared, Trimmed, Uniform, sweep_and_prune};
use closefit::Work;
use closefit::internals::bvh::Hierarchy;
use closefit::internals::bvh::posed_model::Standing;
use closefit::internals::bvh::testing::{self, brute, degenerate, generated, shapes, soup};
use closefit::internals::bvh::wide_topology::{Child, NormalFrame, Partition};
use closefit::internals::narrow::Nearest;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::exact::{contact, distance};
use closefit_geometry::executor::Executor;
use closefit_geometry::hull::features::Features;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::math::testing::Stream;
use closefit_geometry::mesh::Mesh;

fn recipe(parts: &[[u32; 3]], threshold: usize, levels: u32) -> Recipe {
    Recipe { parts: parts.to_vec(), threshold, levels, ..Recipe::default() }
}

/// The recipes of the paper's table, and others with other thresholds and numbers of parts.
fn recipes() -> [Recipe; 13] {
    [
        Recipe::default(),
        recipe(&[[2; 3]], 8, 0),
        recipe(&[[2; 3]], 8, 1),
        recipe(&[[3, 2, 2], [2; 3]], 8, 2),
        recipe(&[[3, 2, 2], [2; 3]], 1, 64),
        recipe(&[[2; 3]], 50, 64),
        recipe(&[[1, 5, 1], [7, 2, 6], [1, 1, 2]], 3, 64),
        recipe(&[[1; 3]], 1, 64),
        Recipe { subsets: true, ..Recipe::default() },
        Recipe { sorts_faces: true, ..Recipe::default() },
        Recipe { sorts_faces: true, ..recipe(&[[2; 3]], 8, 1) },
        Recipe { sorts_faces: true, subsets: true, ..recipe(&[[3, 2, 2], [2; 3]], 8, 2) },
        Recipe { subsets: true, ..recipe(&[[3, 2, 2], [2; 3]], 2, 2) },
    ]
}

fn built<C: Cells, F: Faces>(mesh: &Mesh, recipe: &Recipe) -> Octree<C, F> {
    let tree = Octree::build_as(mesh, recipe).expect("a valid recipe");
    assert_eq!(tree.validate(mesh), Ok(()), "{recipe:?}");
    tree
}

#[test]
fn the_default_recipe_makes_the_tree_of_the_kind() {
    for mesh in [generated("tori", 2_000), generated("pipes", 1_000)] {
        assert_eq!(built(&mesh, &Recipe::default()), Octree::<Uniform>::build(&mesh));
        assert_eq!(built(&mesh, &Recipe::default()), Octree::<Median>::build(&mesh));
    }
}

/// Each triangle on the hull is in a box without any off it, and each connected part has boxes of its own.
#[test]
fn subsets_have_trees_of_their_own() {
    let mesh = generated("tori-chain", 2);
    let features = Features::of(&mesh).expect("ordinary coordinates");
    let frame = NormalFrame::of(Aabb::of(mesh.vertices().iter().copied()));
    let mixed = |subsets: bool| {
        let recipe = Recipe { subsets, ..recipe(&[[2; 3]], 30, 2) };
        let contents = partition::<Uniform, Shared>(&mesh, &frame, &recipe);
        let Partition { children, triangles } = &contents.partition;
        let mut all = triangles.clone();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..mesh.triangles().len() as u32));
        let leaves = children.iter().flatten().filter_map(|&code| match Child::of(code) {
            Child::Leaf { first, count } => Some(&triangles[first as usize..(first + count) as usize]),
            _ => None,
        });
        let of = |t: &u32| features.subset_of[*t as usize];
        leaves.filter(|leaf| leaf.iter().any(|t| of(t) != of(&leaf[0]))).count()
    };
    assert!(features.subsets.len() > 1 && mixed(false) > 0);
    assert_eq!(mixed(true), 0);
}

#[test]
fn recipes_that_cut_nothing_or_too_much_are_refused() {
    let error = |parts: &[[u32; 3]]| recipe(parts, 8, 64).validate().unwrap_err().to_string();
    assert_eq!(recipe(&[], 8, 64).validate(), Err(RecipeError::NoParts));
    let refused =
        "level 2 of an octree has 3-0-2 parts: use 1 or more along each axis and at most 4096 in all";
    assert_eq!(error(&[[2; 3], [3, 0, 2]]), refused);
    assert!(error(&[[16, 16, 17]]).starts_with("level 1 of an octree has 16-16-17 parts"));
    assert!(error(&[[u32::MAX; 3]]).starts_with("level 1"));
    assert_eq!(recipe(&[[16; 3]], 0, u32::MAX).validate(), Ok(()));
    let refused = recipe(&[[0, 1, 1]], 8, 64);
    let mesh = soup(&[[DVec3::X, DVec3::Y, DVec3::Z]]);
    assert_eq!(Octree::<Uniform, Trimmed>::build_as(&mesh, &refused).err(), refused.validate().err());
}

/// Returns shapes of any size, anywhere.
fn shape(stream: &mut Stream) -> Mesh {
    let size = stream.pick(&[1.0, 1.0, 2.0_f64.powi(-150), 2.0_f64.powi(150)]);
    let far = stream.point() * stream.pick(&[0.0, 0.0, 1e9]);
    shapes(stream).moved(|v| (v + far) * size)
}

/// True when a triangle has a point in a box.
fn enters(t: &Triangle, Aabb { lo, hi }: &Aabb) -> bool {
    let corner = |k: usize| DVec3::from_array([0, 1, 2].map(|axis| [lo[axis], hi[axis]][k >> axis & 1]));
    let sides = [[0, 1, 2, 3], [4, 5, 6, 7], [0, 1, 4, 5], [2, 3, 6, 7], [0, 2, 4, 6], [1, 3, 5, 7]];
    let meets = |[p, q, r, s]: [usize; 4]| {
        [[p, q, r], [q, r, s]].iter().any(|side| contact::triangles_meet(t, &side.map(corner)))
    };
    lo.cmple(t[0]).all() && t[0].cmple(*hi).all() || sides.into_iter().any(meets)
}

/// Compares all questions about two trees with brute force.
fn finds<C: Cells, F: Faces>(seed: u64) {
    let mut stream = Stream(seed);
    let [mut touching, mut apart] = [0; 2];
    for round in 0..60 {
        let meshes = match round % 3 {
            0 => [(); 2].map(|()| shape(&mut stream)),
            _ => [(); 2].map(|()| shapes(&mut stream)),
        };
        let mut poses = [(); 2].map(|()| testing::pose(&mut stream));
        if round % 2 == 0 {
            poses[1] = poses[0];
        }
        let (contacts, nearest) = brute(&meshes, &poses);
        touching += u32::from(!contacts.is_empty());
        apart += u32::from(contacts.is_empty());
        for recipe in recipes() {
            let trees = meshes.each_ref().map(|mesh| built::<C, F>(mesh, &recipe));
            let executor = stream.pick(&Executor::ALL);
            let [a, b] = [0, 1].map(|side| trees[side].place(&meshes[side], &poses[side], executor));
            let mut work = Work::NONE;
            assert_eq!(Octree::<C, F>::contacts(&a, &b, usize::MAX, &mut work), contacts, "{recipe:?}");
            assert_eq!(Octree::<C, F>::touches(&a, &b, &mut work), !contacts.is_empty());
            let some = Octree::<C, F>::contacts(&a, &b, 3, &mut work);
            assert!(some == contacts || some.len() > 3 && some.is_sorted_by(|x, y| x < y));
            assert!(some.iter().all(|found| contacts.contains(found)));
            let within = Octree::<C, F>::within(&a, &b, f64::MAX, &mut work);
            assert!(within.is_some_and(|found| contacts.is_empty() || contacts.contains(&found)));
            if contacts.is_empty() {
                assert_eq!(Octree::<C, F>::nearest(&a, &b, f64::MAX, &mut work), nearest, "{recipe:?}");
            }
            sees::<C, F>(&trees[0], &meshes[0], &poses[0], &mut stream);
        }
    }
    assert!(touching > 3 && apart > 15, "{touching} touching, {apart} apart");
}

/// Points and regions see every triangle that is there, once.
fn sees<C: Cells, F: Faces>(tree: &Octree<C, F>, mesh: &Mesh, pose: &Pose, stream: &mut Stream) {
    let posed = tree.place(mesh, pose, stream.pick(&Executor::ALL));
    let corners = |t: u32| mesh.corners(t).map(|v| pose.apply(v));
    let all = || 0..mesh.triangles().len() as u32;
    let size = Aabb::of(all().flat_map(corners)).diagonal();
    let middle = corners(0)[0] + stream.point() * size * stream.pick(&[0.0, 0.1, 0.5]);
    let half = (stream.point() * size * stream.pick(&[0.0, 0.1, 1.0])).abs();
    let region = Aabb { lo: middle - half, hi: middle + half };
    let (mut walked, mut boxed, mut work) = (Vec::new(), Vec::new(), Work::NONE);
    posed.walk(&mut |node| node.meets(&region), &mut |t| walked.push(t), &mut work);
    let flow = posed.in_box(
        &region,
        &mut |t, seen| {
            assert_eq!(*seen, corners(t));
            boxed.push(t);
            ControlFlow::Continue(())
        },
        &mut work,
    );
    assert!(flow.is_continue());
    for found in [&mut walked, &mut boxed] {
        found.sort_unstable();
        assert!(found.is_sorted_by(|x, y| x < y), "each once");
        assert!(all().filter(|&t| enters(&corners(t), &region)).all(|t| found.binary_search(&t).is_ok()));
    }
    let (mut nearest, mut seen) = (f64::INFINITY, Vec::new());
    let mut visit = |t: u32, _: &Triangle| {
        seen.push(t);
        nearest = nearest.min(distance::distance(&corners(t), &[middle; 3]));
        nearest
    };
    posed.near_point(middle, f64::INFINITY, &mut visit, &mut work);
    let least = all().map(|t| distance::distance(&corners(t), &[middle; 3])).fold(f64::INFINITY, f64::min);
    assert_eq!(nearest, least);
    seen.sort_unstable();
    assert!(seen.is_sorted_by(|x, y| x < y), "each once");
}

#[test]
fn shared_triangles_are_found_by_every_recipe() {
    finds::<Uniform, Shared>(41);
    finds::<Median, Shared>(42);
}

#[test]
fn trimmed_triangles_are_found_by_every_recipe() {
    finds::<Uniform, Trimmed>(43);
    finds::<Median, Trimmed>(44);
}

fn meets_itself_turned<C: Cells, F: Faces>(
    name: &str,
    mesh: &Mesh,
    turn: Pose,
    (contacts, nearest): &(Vec<[u32; 2]>, Option<Nearest>),
) {
    for recipe in recipes() {
        let tree = built::<C, F>(mesh, &recipe);
        assert!(tree.pieces() <= 8 * mesh.triangles().len());
        let [a, b] = [Pose::IDENTITY, turn].map(|pose| tree.place(mesh, &pose, Executor::Simd));
        let mut work = Work::NONE;
        assert_eq!(Octree::<C, F>::contacts(&a, &b, usize::MAX, &mut work), *contacts, "{name} {recipe:?}");
        if contacts.is_empty() {
            assert_eq!(Octree::<C, F>::nearest(&a, &b, f64::MAX, &mut work), *nearest, "{name} {recipe:?}");
        }
    }
}

#[test]
fn degenerate_meshes_meet_themselves_by_every_recipe() {
    let turn = Pose::from_trs([0.1, 0.2, 0.3, 0.9], [1.0; 3], [0.0; 3]).expect("a rotation");
    for (name, mesh) in degenerate().into_iter().filter(|(_, mesh)| mesh.triangles().len() <= 350) {
        let expected = brute(&[mesh.clone(), mesh.clone()], &[Pose::IDENTITY, turn]);
        meets_itself_turned::<Uniform, Shared>(name, &mesh, turn, &expected);
        meets_itself_turned::<Median, Shared>(name, &mesh, turn, &expected);
        meets_itself_turned::<Uniform, Trimmed>(name, &mesh, turn, &expected);
        meets_itself_turned::<Median, Trimmed>(name, &mesh, turn, &expected);
    }
}

/// Twelve parts become two blocks of six, the upper and the lower ones in z.
#[test]
fn more_parts_than_lanes_are_shared_out_among_blocks() {
    let at = |i: u32| DVec3::new(f64::from(i % 3), f64::from(i / 3 % 2), f64::from(i / 6));
    let mesh = soup(&(0..12).map(|i| [at(i); 3]).collect::<Vec<_>>());
    let frame = NormalFrame::of(Aabb::of(mesh.vertices().iter().copied()));
    let found = partition::<Uniform, Shared>(&mesh, &frame, &recipe(&[[3, 2, 2]], 1, 64)).partition;
    let blocks = |of: usize| found.children[of].map(Child::of);
    let leaf = |first| Child::Leaf { first, count: 1 };
    assert_eq!(blocks(1)[..3], [Child::Block(2), Child::Block(3), Child::None]);
    for (block, first) in [(2, 0), (3, 6)] {
        assert_eq!(blocks(block)[..6], [0, 1, 2, 3, 4, 5].map(|i| leaf(first + i)));
        assert_eq!(blocks(block)[6..], [Child::None; 2]);
    }
    assert_eq!(found.triangles, (0..12).collect::<Vec<u32>>());
}

/// Returns small triangles on a floor of 20 times 20, and one over all of it.
fn floor_and_roof() -> Mesh {
    let at = |i: u32| DVec3::new(f64::from(i % 20), f64::from(i / 20), 0.0);
    let small = (0..400).map(|i| [at(i), at(i) + 0.5 * DVec3::X, at(i) + 0.5 * DVec3::Y]);
    let roof = [DVec3::new(-1.0, -1.0, -0.1), DVec3::new(41.0, -1.0, 0.3), DVec3::new(-1.0, 41.0, 0.3)];
    soup(&small.chain([roof]).collect::<Vec<_>>())
}

#[test]
fn a_triangle_over_all_cells_is_trimmed_to_each() {
    let mesh = floor_and_roof();
    let high = soup(&[[DVec3::new(3.0, 3.0, 0.05), DVec3::new(3.1, 3.0, 0.05), DVec3::new(3.0, 3.1, 0.05)]]);
    fn work<F: Faces>(mesh: &Mesh, high: &Mesh) -> Work {
        let mut work = Work::NONE;
        let trees = [mesh, high].map(|mesh| built::<Uniform, F>(mesh, &Recipe::default()));
        let [a, b] = [(&trees[0], mesh), (&trees[1], high)]
            .map(|(tree, mesh)| tree.place(mesh, &Pose::IDENTITY, Executor::Simd));
        assert!(Octree::<Uniform, F>::contacts(&a, &b, usize::MAX, &mut work).is_empty());
        work
    }
    let (shared, trimmed) = (work::<Shared>(&mesh, &high), work::<Trimmed>(&mesh, &high));
    // The box of the roof contains the small triangle above; its pieces do not.
    assert!(shared.triangle_tests > 0 && trimmed.triangle_tests == 0, "{shared:?} {trimmed:?}");
    let pieces = built::<Uniform, Trimmed>(&mesh, &Recipe::default()).pieces() - 400;
    assert!((50..1_000).contains(&pieces), "{pieces}");
}

#[test]
fn long_triangles_take_bounded_room() {
    let mut stream = Stream(45);
    let long: Vec<Triangle> = (0..500).map(|_| [stream.point(), stream.point(), stream.point()]).collect();
    let mesh = soup(&long);
    for recipe in recipes() {
        let tree = built::<Uniform, Trimmed>(&mesh, &recipe);
        assert!(tree.pieces() <= 8 * 500, "{recipe:?}");
        assert!(built::<Median, Trimmed>(&mesh, &recipe).pieces() <= 8 * 500, "{recipe:?}");
        assert_eq!(built::<Median, Shared>(&mesh, &recipe).pieces(), 500);
    }
    assert!(built::<Uniform, Trimmed>(&mesh, &Recipe::default()).pieces() > 500);
}

/// The part of a triangle in a region is in its box, and the box in the region, up to rounding.
#[test]
fn pieces_are_inside_their_boxes() {
    let mut stream = Stream(46);
    let mut inside = 0;
    for _ in 0..3_000 {
        let round = stream.pick(&[2.0, 8.0, 1e12]);
        let size = stream.pick(&[1.0, 1e-3, 1e-9]);
        let mut point = |at: DVec3| (at + stream.point() * size).clamp(-DVec3::ONE, DVec3::ONE);
        let at = point(DVec3::ZERO) * 0.5;
        let corners = [(); 3].map(|()| (point(at) * round).round() / round);
        let [p, q] = [(); 2].map(|()| (point(at) * round).round() / round);
        let region = Aabb { lo: p.min(q), hi: p.max(q) };
        let found = piece(&corners, &region);
        if let Some(Aabb { lo, hi }) = found {
            assert!((region.lo - 1e-13).cmple(lo).all() && hi.cmple(region.hi + 1e-13).all());
        }
        for _ in 0..50 {
            let [u, v] = [(); 2].map(|()| 0.5 * (1.0 + stream.signed()));
            let [u, v] = if u + v > 1.0 { [1.0 - u, 1.0 - v] } else { [u, v] };
            let point = corners[0] + (corners[1] - corners[0]) * u + (corners[2] - corners[0]) * v;
            if (region.lo + 1e-15).cmple(point).all() && point.cmple(region.hi - 1e-15).all() {
                let Aabb { lo, hi } = found.expect("a point in it");
                assert!(lo.cmple(point).all() && point.cmple(hi).all(), "{corners:?} {region:?} {point}");
                inside += 1;
            }
        }
    }
    assert!(inside > 3_000, "{inside}");
}

/// Lists kept over many frames are sorted as fresh ones are: the ends of boxes differ, so their order is
/// the only one without exchanges.
#[test]
fn lists_kept_over_twelve_children_are_sorted_as_fresh_ones() {
    let mesh = generated("tori", 400);
    let tree = built::<Uniform, Shared>(&mesh, &recipe(&[[3, 2, 2], [2; 3]], 8, 64));
    let still = tree.place(&mesh, &Pose::IDENTITY, Executor::Simd);
    let (mut lists, mut kept, mut sorted) = (KeptLists::default(), Work::NONE, Work::NONE);
    for frame in 0..200 {
        let turn = 2e-3 * f64::from(frame);
        let pose = Pose::from_trs([turn.sin(), 0.0, 0.0, turn.cos()], [1.0; 3], [0.3 + 0.2 * turn, 0.1, 0.0]);
        let moving = tree.place(&mesh, &pose.expect("a rotation"), Executor::Simd);
        let mut new = KeptLists::default();
        let fresh = sweep_and_prune::contacts(&still, &moving, usize::MAX, Some(&mut new), &mut sorted);
        let found = sweep_and_prune::contacts(&still, &moving, usize::MAX, Some(&mut lists), &mut kept);
        assert_eq!(found, fresh);
        assert_eq!(lists.counts().alive, new.counts().alive);
        let [mut again, mut anew] = [Work::NONE; 2];
        let of = |lists: &mut KeptLists, work: &mut Work| {
            sweep_and_prune::contacts(&still, &moving, usize::MAX, Some(lists), work)
        };
        assert_eq!(of(&mut lists, &mut again), of(&mut new, &mut anew));
        assert_eq!((again.exchanges, again.overlaps), ([0; 3], anew.overlaps));
    }
    let [kept, sorted] = [kept, sorted].map(|work| work.exchanges.iter().sum::<u64>());
    assert!(3 * kept < sorted, "{kept} of {sorted}");
    assert!(lists.counts().given_back > 0, "{:?}", lists.counts());
}
