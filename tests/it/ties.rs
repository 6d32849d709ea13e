//! Many pairs of triangles at one distance: random tessellations of parallel faces, against all pairs of
//! triangles in integers. `CLOSEFIT_CASES` sets the number of pairs.

use closefit::internals::bvh::Hierarchy;
use closefit::internals::bvh::wide_obb::WideObb;
use closefit::internals::bvh::wide_obb::search::nearest::{self, Scratch, nearest_apart, within};
use closefit::{CollisionMesh, DVec3, Executor, Mesh, PairMemory, Pose, Work, intersects_within};
use closefit_geometry::exact::contact::triangles_meet;
use closefit_geometry::exact::distance::{distance_by_integers, enclose, witness_by_integers};
use closefit_geometry::math::Triangle;
use closefit_testing::meshes::{Soup, mesh};
use closefit_testing::rng::Rng;

/// Returns the place of a pair, written independently from what the contract says: the positions of the
/// corners, in ascending order within each triangle, the triangle with the lower corners first; then the
/// indices.
fn place(triangles: [u32; 2], corners: [&Triangle; 2]) -> (Vec<[f64; 3]>, Vec<[f64; 3]>, [u32; 2]) {
    let [s, t] = corners.map(|t| {
        let mut points: Vec<[f64; 3]> = t.iter().map(|p| p.to_array()).collect();
        points.sort_by(|p, q| p.partial_cmp(q).unwrap());
        points
    });
    if t < s { (t, s, triangles) } else { (s, t, triangles) }
}

/// Returns the smallest distance, the first pair of triangles at it, their witness points, and the number of
/// pairs at it; `None` in contact.
fn expected(a: &[Triangle], b: &[Triangle]) -> Option<(f64, [u32; 2], [DVec3; 2], usize)> {
    let bounds: Vec<Vec<_>> = a.iter().map(|s| b.iter().map(|t| enclose(s, t)).collect()).collect();
    let at_most = bounds.iter().flatten().map(|of| of.at_most).fold(f64::INFINITY, f64::min);
    let (mut least, mut first, mut ties) = (f64::INFINITY, None, 0);
    for (i, s) in a.iter().enumerate() {
        for (j, t) in b.iter().enumerate() {
            if bounds[i][j].at_least > at_most * (1.0 + 1e-9) {
                continue;
            }
            if triangles_meet(s, t) {
                return None;
            }
            let distance = distance_by_integers(s, t);
            let place = place([i as u32, j as u32], [s, t]);
            if distance < least {
                (least, first, ties) = (distance, Some(place), 1);
            } else if distance == least {
                ties += 1;
                first = first.filter(|first| *first < place).or(Some(place));
            }
        }
    }
    let triangles = first.expect("some pair").2;
    let points = witness_by_integers(&a[triangles[0] as usize], &b[triangles[1] as usize]);
    Some((least, triangles, points, ties))
}

/// Returns a flat region at z = 0, within -64..=64, cut in a random way into triangles with integer corners.
fn cut(rng: &mut Rng) -> Soup {
    let at = |x: f64, y: f64| DVec3::new(x, y, 0.0);
    let round: Vec<DVec3> = {
        let n = rng.int(12, 56);
        let corner = |i: i64| libm::sincos(i as f64 * std::f64::consts::TAU / n as f64);
        (0..n).map(corner).map(|(sin, cos)| at((64.0 * cos).round(), (64.0 * sin).round())).collect()
    };
    let fan = |from: DVec3| {
        let next = round.iter().cycle().skip(1);
        round
            .iter()
            .zip(next)
            .map(move |(p, q)| [from, *p, *q])
            .filter(|t| t[0] != t[1] && t[0] != t[2] && t[1] != t[2])
    };
    match rng.index(4) {
        // A fan about the middle, or about some inner point.
        0 => fan(at(0.0, 0.0)).collect(),
        1 => fan(at(rng.int(-30, 30) as f64, rng.int(-30, 30) as f64)).collect(),
        // A fan from a corner, perhaps the lowest.
        2 => {
            let by_x = |p: &&DVec3, q: &&DVec3| p.x.total_cmp(&q.x);
            let lowest = *round.iter().min_by(by_x).expect("corners");
            fan(if rng.coin() { lowest } else { round[rng.index(round.len())] }).collect()
        }
        _ => {
            let n = rng.int(4, 14);
            let side = |i: i64| (i * 120 / n - 60) as f64;
            let cells = (0..n * n).map(|k| (k / n, k % n));
            let quad = |(i, j): (i64, i64)| {
                let [a, b] = [at(side(i), side(j)), at(side(i + 1), side(j))];
                let [c, d] = [at(side(i + 1), side(j + 1)), at(side(i), side(j + 1))];
                if rng.coin() { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
            };
            cells.flat_map(quad).collect()
        }
    }
}

/// A map of integers to integers that turns, and perhaps scales: faces along and across all axes.
fn turn(rng: &mut Rng) -> [DVec3; 3] {
    let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z];
    match rng.index(5) {
        0 => [x, y, z],
        1 => [y, z, x],
        2 => [z, x, y],
        // Normals that are no axes: (3, 4, 0), and (2, 3, 6).
        3 => [DVec3::new(0.0, 0.0, 5.0), DVec3::new(-4.0, 3.0, 0.0), DVec3::new(3.0, 4.0, 0.0)],
        _ => [DVec3::new(6.0, 2.0, -3.0), DVec3::new(-3.0, 6.0, -2.0), DVec3::new(2.0, 3.0, 6.0)],
    }
}

fn mapped(soup: &[Triangle], [x, y, z]: &[DVec3; 3], by: DVec3) -> Soup {
    soup.iter().map(|t| t.map(|p| *x * p.x + *y * p.y + *z * p.z + by)).collect()
}

/// Returns one to three faces and others, each as far away: over each a face of its own, or the same one,
/// shifted or turned. Some are there twice.
fn plateaus(rng: &mut Rng) -> [Soup; 2] {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    let gap = rng.int(1, 3) as f64;
    for k in 0..rng.int(1, 3) {
        let face = cut(rng);
        let other = match rng.index(4) {
            0 => face.clone(),
            1 => face.iter().map(|t| t.map(|p| p + DVec3::new(5.0, -3.0, 0.0))).collect(),
            2 => face.iter().map(|t| t.map(|p| DVec3::new(-p.y, p.x, 0.0))).collect(),
            _ => cut(rng),
        };
        let to = turn(rng);
        let far = DVec3::new(2000.0 * k as f64, 0.0, 0.0);
        // Faces that are there several times, as some programs write them.
        let [face, other] = [face, other].map(|soup| soup.repeat(1 + rng.index(8) / 6));
        // The same gap along normals of different lengths.
        let above = to[2] * (gap * 35.0 / to[2].length().round());
        a.extend(mapped(&face, &to, far));
        b.extend(mapped(&other, &to, far + above));
    }
    for soup in [&mut a, &mut b] {
        for i in (1..soup.len()).rev() {
            soup.swap(i, rng.index(i + 1));
            soup[i].rotate_left(rng.index(3));
        }
    }
    [a, b]
}

/// Returns a pose for both: none, far from the origin, tiny or huge, or turned, so that corners are rounded.
fn placed(rng: &mut Rng) -> Pose {
    let shift = (rng.point() * 1e3).to_array();
    match rng.index(5) {
        0 => Pose::IDENTITY,
        1 => Pose::translation((rng.lattice(1 << 30)).to_array()),
        2 => Pose::from_trs([0.0, 0.0, 0.0, 1.0], [rng.power_of_two(-100, 100); 3], [0.0; 3]).unwrap(),
        3 => Pose::from_trs([0.0, 0.0, 0.0, 1.0], [0.1; 3], shift).unwrap(),
        _ => Pose::from_trs(rng.quaternion(), [1.0; 3], shift).unwrap(),
    }
}

#[test]
fn the_first_of_many_ties_is_found() {
    let (mut many, mut most) = (0, 0);
    let cases = closefit_testing::cases(60);
    for seed in 0..cases {
        let mut rng = Rng::new("ties", seed);
        let soups = plateaus(&mut rng);
        let pose = placed(&mut rng);
        let meshes: [Mesh; 2] = soups.each_ref().map(|soup| mesh(soup));
        let posed = meshes.each_ref().map(|mesh| -> Soup {
            let corners = |t| mesh.corners(t).map(|v| pose.apply(v));
            (0..mesh.triangles().len() as u32).map(corners).collect()
        });
        let Some((distance, triangles, points, ties)) = expected(&posed[0], &posed[1]) else { continue };
        many += usize::from(ties > 1024);
        most = most.max(ties);
        let trees = meshes.each_ref().map(WideObb::build);
        let (mut scratch, mut works) = (Scratch::default(), Vec::new());
        for executor in Executor::ALL {
            let [a, b] = [0, 1].map(|i| trees[i].place(&meshes[i], &pose, executor));
            let mut work = Work::default();
            let found = nearest_apart(&a, &b, f64::INFINITY, &mut scratch, &mut work).expect("no bound");
            assert_eq!((found.distance, found.triangles), (distance, triangles), "seed {seed}, {executor:?}");
            works.push(work);
            for bound in [distance, distance * 1.5] {
                let found = nearest::nearest(&a, &b, bound, &mut scratch, &mut work).expect("within");
                assert_eq!((found.distance, found.triangles), (distance, triangles), "seed {seed}");
            }
            let less = distance.next_down();
            assert_eq!(nearest::nearest(&a, &b, less, &mut scratch, &mut work), None, "seed {seed}");
            let near = within(&a, &b, distance, &mut scratch, &mut work).expect("as near");
            let [s, t] = [posed[0][near[0] as usize], posed[1][near[1] as usize]];
            assert_eq!(distance_by_integers(&s, &t), distance, "seed {seed}");
            assert_eq!(within(&a, &b, less, &mut scratch, &mut work), None, "seed {seed}");
        }
        let models: [CollisionMesh; 2] = meshes.each_ref().map(CollisionMesh::build);
        let [a, b] = models.each_ref().map(|model| model.at(&pose).unwrap());
        let mut memory = PairMemory::default();
        for found in [closefit::distance(&a, &b), memory.distance(&a, &b), memory.distance(&a, &b)] {
            let closest = found.closest.expect("apart");
            assert_eq!((found.distance, closest.triangles, closest.points), (distance, triangles, points));
        }
        assert!(intersects_within(&a, &b, distance) && !intersects_within(&a, &b, distance.next_down()));
    }
    assert!(many > cases as usize / 4 && most > 2_000, "{many} of {cases} with many ties, at most {most}");
}

/// The work for two faces cut as fans is in proportion to their triangles, not to the pairs of these.
#[test]
fn work_for_ties_is_in_proportion_to_triangles() {
    let fan = |facets: i32, height: f64, normal: usize| -> Mesh {
        let placed = |x: f64, y: f64| {
            let mut p = DVec3::splat(height);
            (p[(normal + 1) % 3], p[(normal + 2) % 3]) = (x, y);
            p
        };
        let corner = |i: i32| {
            let (sin, cos) = libm::sincos(f64::from(i % facets) * std::f64::consts::TAU / f64::from(facets));
            placed(cos, sin)
        };
        mesh(&(0..facets).map(|i| [placed(0.0, 0.0), corner(i), corner(i + 1)]).collect::<Soup>())
    };
    let turned = Pose::from_trs([0.1, -0.2, 0.3, 0.9], [1.0; 3], [0.3, -0.2, 0.7]).unwrap();
    // Faces across each axis, and one whose corners are rounded.
    for (normal, pose) in [(0, Pose::IDENTITY), (1, Pose::IDENTITY), (2, Pose::IDENTITY), (2, turned)] {
        let tests = [1000, 4000].map(|facets| {
            let meshes = [fan(facets, 0.0, normal), fan(facets, 0.0005, normal)];
            let trees = meshes.each_ref().map(WideObb::build);
            let aside = Pose::translation([0.01; 3].map(|x| if pose == Pose::IDENTITY { 0.0 } else { x }));
            let poses = [pose, Pose::compose(&pose, &aside)];
            let [a, b] = [0, 1].map(|i| trees[i].place(&meshes[i], &poses[i], Executor::default()));
            let mut work = Work::default();
            let found = nearest_apart(&a, &b, f64::INFINITY, &mut Scratch::default(), &mut work);
            let distance = found.expect("no bound").distance;
            let tests = [work.triangle_tests + work.box_tests, work.exact_tests];
            let mut proof = Work::default();
            let closer = within(&a, &b, distance * (1.0 - 1e-6), &mut Scratch::default(), &mut proof);
            assert_eq!(closer, None);
            [tests[0], tests[1], proof.triangle_tests + proof.box_tests]
        });
        let [few, many] = tests;
        assert!(many[0] < 8 * few[0] && many[0] < 400_000 && many[1] < 1_000, "{tests:?}");
        assert!(many[2] < 8 * few[2], "a distance that is just larger: {tests:?}");
    }
}

/// Faces whose triangles are there several times take the work of their triangles, not of all pairs of copies
/// in all cells of a map.
#[test]
fn work_for_copies_is_in_proportion_to_triangles() {
    let sheet = |cells: i32, height: f64| -> Soup {
        let at = |x: i32, y: i32| DVec3::new(f64::from(x), f64::from(y), height) / f64::from(cells);
        let quads = (0..cells * cells).map(|k| (k / cells, k % cells));
        let quad = |(x, y)| {
            let [a, b, c, d] = [at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)];
            [[a, b, c], [a, c, d]]
        };
        quads.flat_map(quad).collect()
    };
    let turned = Pose::from_trs([0.1, -0.2, 0.3, 0.9], [1.0; 3], [0.3, -0.2, 0.7]).unwrap();
    for (cells, copies) in [(10, 3), (20, 5), (1, 40)] {
        for pose in [Pose::IDENTITY, turned] {
            let soups = [0.0, 0.01].map(|height| sheet(cells, height).repeat(copies));
            let meshes = soups.each_ref().map(|soup| mesh(soup));
            let [a, b] = meshes.each_ref().map(WideObb::build);
            let [a, b] = [(&a, &meshes[0]), (&b, &meshes[1])]
                .map(|(tree, of)| tree.place(of, &pose, Executor::default()));
            let mut work = Work::default();
            let found = nearest_apart(&a, &b, f64::INFINITY, &mut Scratch::default(), &mut work);
            let [first, second] = found.expect("no bound").triangles.map(|t| t as usize);
            assert!(first < soups[0].len() / copies && second < soups[1].len() / copies, "the first copies");
            let most = soups[0].len() as u64;
            assert!(work.exact_tests < 4 * most, "{cells} {copies}: {work:?}");
            assert!(work.triangle_tests < most + 2_000, "{cells} {copies}: {work:?}");
        }
    }
}
