//! The depth search in f64 against the rational one, which it calls only if f64 cannot resolve a depth, on
//! small closed meshes, random and degenerate, some inside out or open. `CLOSEFIT_CASES` sets the number of
//! pairs.

use std::f64::consts::TAU;
use std::time::Instant;

use closefit::internals::bvh::Hierarchy;
use closefit::internals::bvh::posed_model::{Model, PosedModel};
use closefit::internals::bvh::static_pair::StaticPair;
use closefit::internals::bvh::wide_obb::WideObb;
use closefit::internals::query::depth::{Deepest, DepthQuestion, Found, depth, exact};
use closefit::{Executor, Mesh, Pose, Winding, Work};
use closefit_methods::internals::binary_obb::BinaryObb;
use closefit_testing::closed;
use closefit_testing::meshes::{Soup, cuboid, mesh, moved, octahedron, prism, reversed};
use closefit_testing::rng::{Rng, power_of_two};
use glam::DVec3;

/// Calls `ask` with two bodies, at least one of which has a solid, and their contacts.
fn search<T: Hierarchy>(
    meshes: [&Mesh; 2],
    executor: Executor,
    mut ask: impl FnMut(&dyn StaticPair, &[[u32; 2]]),
) {
    let models = meshes.map(|mesh| Model::<T>::of(mesh, executor, Winding::Repaired));
    let pose = Pose::IDENTITY;
    let [a, b] = [0, 1].map(|i| PosedModel::new(meshes[i], &models[i], pose, meshes[i].posed_bounds(&pose)));
    if a.has_solid() || b.has_solid() {
        let pair = [&a, &b];
        ask(&pair, &pair.contacts(&mut Work::default()));
    }
}

/// Returns the mesh, sometimes turned inside out or with a triangle missing.
fn spoiled(mut soup: Soup, rng: &mut Rng) -> Soup {
    match rng.index(8) {
        0 => reversed(&soup),
        1 => {
            soup.remove(rng.index(soup.len()));
            soup
        }
        _ => soup,
    }
}

/// Returns the kind of a pair and its meshes, each perhaps spoiled.
fn spoiled_pair(seed: u64, rng: &mut Rng) -> (&'static str, [Mesh; 2]) {
    let closed::Pair { kind, soups } = closed::pair(seed);
    (kind, soups.map(|soup| mesh(&spoiled(soup, rng))))
}

/// Checks that a bracket is as narrow as required and on the right side of the tolerance.
fn assert_settled(found: &Found, tolerance: f64, at: &str) {
    let Found { at_least, at_most, deepest, decided, ended_early } = *found;
    assert!(decided && !ended_early && at_least <= at_most, "{at}: {found:?}");
    assert_eq!(deepest.is_some(), at_least > 0.0, "{at}: {found:?}");
    if at_most <= tolerance {
        assert_eq!(at_least, 0.0, "{at}: {found:?}");
    } else {
        let straddles = at_least <= tolerance;
        let width = if straddles { at_least + tolerance * power_of_two(-30) } else { 1.01 * at_least };
        assert!(at_most <= width.next_up(), "{at}: {found:?} at {tolerance}");
    }
}

#[test]
fn brackets_overlap_those_of_the_rational_search() {
    let mut clashes = 0;
    let cases = closefit_testing::cases(400);
    for seed in 0..cases {
        let mut rng = Rng::new("depth searches", seed);
        let (kind, meshes) = spoiled_pair(seed, &mut rng);
        let size =
            meshes.iter().map(|mesh| mesh.posed_bounds(&Pose::IDENTITY).diagonal()).fold(0.0, f64::max);
        let tolerance = match rng.index(4) {
            0 => 0.0,
            1 => 1e-6 * size,
            2 => size * power_of_two(-rng.int(1, 50)),
            _ => 0.1 * rng.unit().abs() * size,
        };
        let question = DepthQuestion { tolerance, only_verdict: false, measured: [true; 2] };
        let at = format!("#{seed}, {kind}, tolerance {tolerance:e}");
        let mut first = None;
        search::<WideObb>([&meshes[0], &meshes[1]], Executor::Simd, |pair, contacts| {
            let [a, b] = pair.bodies();
            let (found, oracle) =
                (depth(pair, contacts, question), exact::depth(a, b, contacts, question, f64::INFINITY));
            assert_settled(&found, tolerance, &at);
            let is_deep = |found: &Found| found.at_least > tolerance;
            assert_eq!(is_deep(&found), is_deep(&oracle), "{at}: {found:?} {oracle:?}");
            let overlap = found.at_least <= oracle.at_most && oracle.at_least <= found.at_most;
            // For a contact, one search may know only that the depth is within the tolerance.
            assert!(overlap || !is_deep(&found), "{at}: {found:?} {oracle:?}");
            let verdict = depth(pair, contacts, DepthQuestion { only_verdict: true, ..question });
            assert_eq!(is_deep(&verdict), is_deep(&found), "{at}: {verdict:?} {found:?}");
            assert!(
                verdict.at_least <= found.at_most && found.at_least <= verdict.at_most,
                "{at}: {verdict:?}"
            );
            // Both sides together are as deep as the deeper one.
            let solids = [b, a].map(|solid| solid.has_solid());
            let sides =
                [[true, false], [false, true]].into_iter().zip(solids).filter(|(_, has_solid)| *has_solid);
            let alone =
                sides.map(|(measured, _)| depth(pair, contacts, DepthQuestion { measured, ..question }));
            let [low, high] =
                alone.fold([0.0f64; 2], |[low, high], side| [low.max(side.at_least), high.max(side.at_most)]);
            assert!(low <= found.at_most && found.at_least <= high, "{at}: {low} to {high}, {found:?}");
            clashes += u32::from(is_deep(&found));
            first = Some(found);
        });
        let both = [&meshes[0], &meshes[1]];
        search::<WideObb>(both, Executor::Scalar, |pair, contacts| {
            assert_eq!(Some(depth(pair, contacts, question)), first, "{at}: without lanes");
        });
        search::<BinaryObb>(both, Executor::Scalar, |pair, contacts| {
            assert_eq!(Some(depth(pair, contacts, question)), first, "{at}: with the reference's tree");
        });
        search::<WideObb>([&meshes[1], &meshes[0]], Executor::Simd, |pair, contacts| {
            let found = depth(pair, contacts, question);
            let deepest = found.deepest.map(|Deepest { point, on }| Deepest { point, on: 1 - on });
            assert_eq!(Some(Found { deepest, ..found }), first, "{at}: the other way round");
        });
    }
    println!("{cases} pairs, {clashes} of them deeper than the tolerance");
}

/// Makes a convex solid: a box, a prism, a tetrahedron or an octahedron, sometimes flat or a needle.
fn convex(rng: &mut Rng) -> Soup {
    let soup = match rng.index(5) {
        0 | 1 => cuboid([-1.0; 3], [1.0; 3]),
        2 => {
            let count = 3 + rng.index(6);
            let mut angles: Vec<f64> =
                (0..count).map(|k| (k as f64 + rng.unit().abs()) / count as f64).collect();
            angles.sort_by(f64::total_cmp);
            let corner = |turn: f64| [(TAU * turn).cos(), (TAU * turn).sin()];
            prism(&angles.into_iter().map(corner).collect::<Vec<_>>(), -1.0, 1.0)
        }
        3 => octahedron(DVec3::ZERO, 1.0),
        _ => {
            let [a, b, c, d] = [(); 4].map(|()| rng.point());
            vec![[a, b, c], [a, d, b], [a, c, d], [b, d, c]]
        }
    };
    let mut size = || match rng.index(12) {
        0 => 1e-3,
        1 => 1e-9,
        2 => 1e-30,
        _ => rng.unit().abs() + 0.1,
    };
    let size = DVec3::new(size(), size(), size());
    soup.into_iter().map(|t| t.map(|p| p * size)).collect()
}

/// Convex solids, most of which need no search over patches: turned, touching, one in the other, the same
/// twice, flat, tiny, and far from the origin.
#[test]
fn convex_solids_have_the_depth_of_the_rational_search() {
    let mut clashes = 0;
    for seed in 0..closefit_testing::cases(400) {
        let mut rng = Rng::new("convex solids", seed);
        let turn = |rng: &mut Rng, soup: Soup| {
            let pose = Pose::from_trs(rng.quaternion(), [1.0; 3], [0.0; 3]).expect("not of length 0");
            soup.into_iter().map(|t| t.map(|p| pose.apply(p))).collect::<Soup>()
        };
        let mut first = convex(&mut rng);
        let mut second = if rng.index(6) == 0 { first.clone() } else { convex(&mut rng) };
        if rng.coin() {
            first = turn(&mut rng, first);
        }
        if rng.coin() {
            second = turn(&mut rng, second);
        }
        let by = match rng.index(5) {
            0 => DVec3::ZERO,
            // A corner of one is at a corner of the other, or a little deeper.
            1 => first[0][0] - second[rng.index(second.len())][1],
            2 => first[0][0] - second[rng.index(second.len())][1] * 0.999,
            _ => rng.point() * rng.unit(),
        };
        second = moved(&second, by);
        if rng.index(6) == 0 {
            second.iter_mut().flatten().for_each(|p| *p *= 0.3);
        }
        let away = if rng.index(4) == 0 { rng.lattice(1_000_000) } else { DVec3::ZERO };
        let scale = [1.0, 1.0, 1.0, 1e-30, 1e20][rng.index(5)];
        let mut meshes = [first, second].map(|mut soup| {
            soup.iter_mut().flatten().for_each(|p| *p = (*p + away) * scale);
            mesh(&if rng.index(8) == 0 { reversed(&soup) } else { soup })
        });
        let tolerance = scale * [0.0, 1e-6, 1e-6, 1e-3, 0.1][rng.index(5)];
        let question = DepthQuestion { tolerance, only_verdict: false, measured: [true; 2] };
        let at = format!("#{seed}, tolerance {tolerance:e}");
        let mut first = None;
        search::<WideObb>([&meshes[0], &meshes[1]], Executor::Simd, |pair, contacts| {
            let [a, b] = pair.bodies();
            let found = depth(pair, contacts, question);
            let oracle = exact::depth(a, b, contacts, question, f64::INFINITY);
            assert_settled(&found, tolerance, &at);
            let is_deep = |found: &Found| found.at_least > tolerance;
            assert_eq!(is_deep(&found), is_deep(&oracle), "{at}: {found:?} {oracle:?}");
            let overlap = found.at_least <= oracle.at_most && oracle.at_least <= found.at_most;
            assert!(overlap || !is_deep(&found), "{at}: {found:?} {oracle:?}");
            let verdict = depth(pair, contacts, DepthQuestion { only_verdict: true, ..question });
            assert_eq!(is_deep(&verdict), is_deep(&found), "{at}: {verdict:?} {found:?}");
            clashes += u32::from(is_deep(&found));
            first = Some(found);
        });
        meshes.reverse();
        search::<WideObb>([&meshes[0], &meshes[1]], Executor::Scalar, |pair, contacts| {
            let found = depth(pair, contacts, question);
            let deepest = found.deepest.map(|Deepest { point, on }| Deepest { point, on: 1 - on });
            assert_eq!(Some(Found { deepest, ..found }), first, "{at}: the other way round");
        });
    }
    println!("{clashes} pairs are deeper than the tolerance");
}

/// Slivers with an obtuse edge, and faces that meet at an angle of rounding alone: cuts along bisectors and
/// edges of the governing triangle shave ever thinner strips off them. Then a patch whose bound is far
/// smaller than its distance from the nearest triangle, and one as small as the rounding of its corners.
#[test]
fn slivers_do_not_end_early() {
    for seed in [33_012, 36_136, 60_277, 74_631, 75_305, 85_507, 87_555, 99_399, 49_498, 96_228] {
        let (kind, meshes) = spoiled_pair(seed, &mut Rng::new("depth searches", seed));
        search::<WideObb>([&meshes[0], &meshes[1]], Executor::Simd, |pair, contacts| {
            let [a, b] = pair.bodies();
            let question = DepthQuestion { tolerance: 0.0, only_verdict: false, measured: [true; 2] };
            for found in
                [depth(pair, contacts, question), exact::depth(a, b, contacts, question, f64::INFINITY)]
            {
                assert_settled(&found, 0.0, &format!("#{seed}, {kind}"));
            }
        });
    }
}

/// Prints the slowest pairs, how many take long, and those whose search gave up before the bracket was
/// narrow. `CLOSEFIT_CASES=500000` asks a million times.
#[test]
fn how_long_pairs_take() {
    const LONG: f64 = 0.01;
    let cases = closefit_testing::cases(400);
    let (mut times, mut long) = (Vec::new(), 0);
    for seed in 0..cases {
        let mut rng = Rng::new("depth searches", seed);
        let (kind, meshes) = spoiled_pair(seed, &mut rng);
        let size =
            meshes.iter().map(|mesh| mesh.posed_bounds(&Pose::IDENTITY).diagonal()).fold(0.0, f64::max);
        search::<WideObb>([&meshes[0], &meshes[1]], Executor::Simd, |pair, contacts| {
            for tolerance in [0.0, 1e-6 * size] {
                let start = Instant::now();
                let found = depth(
                    pair,
                    contacts,
                    DepthQuestion { tolerance, only_verdict: false, measured: [true; 2] },
                );
                let seconds = start.elapsed().as_secs_f64();
                assert!(found.decided, "#{seed}, {kind}, tolerance {tolerance:e}: {found:?}");
                long += u32::from(seconds > LONG);
                if found.ended_early {
                    println!("#{seed}, {kind}, tolerance {tolerance:e}: ended early, {found:?}");
                }
                times.push((seconds, seed, kind, tolerance));
            }
        });
        if times.len() > 10_000 {
            keep_slowest(&mut times);
        }
    }
    keep_slowest(&mut times);
    println!("{} questions, {long} took over {LONG} s; the slowest:", 2 * cases);
    for (seconds, seed, kind, tolerance) in times {
        println!("{:10.3} ms  #{seed}, {kind}, tolerance {tolerance:e}", 1e3 * seconds);
    }
}

fn keep_slowest<T: Copy>(times: &mut Vec<(f64, u64, T, f64)>) {
    times.sort_unstable_by(|x, y| y.0.total_cmp(&x.0));
    times.truncate(10);
}

/// The way out from a deepest point ends on the other part, as far away as the bracket says, and is the
/// same for the parts in the other order.
#[test]
fn the_way_out_is_as_long_as_the_depth() {
    let mut seen = [0; 2];
    // In the last one, triangles of 1e17 are 1e-7 away.
    for seed in (0..closefit_testing::cases(200)).chain([791]) {
        let closed::Pair { kind, soups } = closed::pair(seed);
        let models = soups.each_ref().map(|soup| closefit::CollisionMesh::build(&mesh(soup)));
        let [a, b] = models.each_ref().map(|model| model.at(&Pose::IDENTITY).expect("in range"));
        let request = closefit::CheckRequest::default().tolerance(1e-9);
        let found = closefit::verdict(&a, &b, &request);
        let (Some(location), Some(depth)) = (found.location, found.depth) else { continue };
        let Some(way) = location.way_out else { continue };
        seen[way.on] += 1;
        let at = format!("{kind} {seed}: {location:?} {depth:?}");
        // A point in f64 on a surface is as near to it as rounding allows.
        let rounding = 1e-9 * location.point.abs().max(way.to.abs()).max_element().max(1.0);
        let length = location.point.distance(way.to);
        assert!(length >= depth.at_least - rounding && length <= depth.at_most + rounding, "{at}");
        let off = |point: closefit::DVec3, model: &closefit::CollisionMesh| {
            let here = mesh(&[[point; 3]]);
            let point = closefit::CollisionMesh::build(&here);
            let [p, q] = [point.at(&Pose::IDENTITY), model.at(&Pose::IDENTITY)];
            closefit::distance(&p.expect("in range"), &q.expect("in range")).distance
        };
        // The deepest point is known to within rounding of its part's size.
        let size = soups[way.on].iter().flatten().map(|p| p.abs().max_element()).fold(1.0, f64::max);
        assert!(off(location.point, &models[way.on]) <= 1e-9 * size, "{at}");
        assert!(off(way.to, &models[1 - way.on]) <= rounding, "{at}");
        let swapped = closefit::verdict(&b, &a, &request).location.expect("they meet either way");
        let back = swapped.way_out.expect("it is found either way");
        assert_eq!((swapped.point, back.to, back.on), (location.point, way.to, 1 - way.on), "{at}");
    }
    assert!(seen.iter().all(|&pairs| pairs > 10), "{seen:?}");
}
