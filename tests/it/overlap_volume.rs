//! Overlap volumes against tetrahedra that are cut by planes in rational arithmetic, and against formulas.
//! `CLOSEFIT_CASES` sets the number of pairs.

use closefit::{CollisionMesh, OverlapVolume, Pool, Pose, VolumeUnknown, overlap_volume};
use closefit_testing::meshes::{Soup, ball, cuboid, mesh, moved, octahedron, reversed};
use closefit_testing::rational::{Triangle, rational};
use closefit_testing::rng::{Rng, power_of_two};
use glam::DVec3;
use num_rational::BigRational;

type Point = [BigRational; 3];

fn minus(p: &Point, q: &Point) -> Point {
    std::array::from_fn(|k| &p[k] - &q[k])
}

/// Six times the signed volume of a tetrahedron.
fn volume([a, b, c, d]: [&Point; 4]) -> BigRational {
    let [u, v, w] = [b, c, d].map(|p| minus(p, a));
    let minor = |i: usize, j: usize| &u[i] * &v[j] - &u[j] * &v[i];
    minor(1, 2) * &w[0] + minor(2, 0) * &w[1] + minor(0, 1) * &w[2]
}

/// The tetrahedra between a triangle of a star-shaped solid and its centre.
fn star(soup: &[Triangle], centre: DVec3) -> Vec<[Point; 4]> {
    let exact = |p: DVec3| p.to_array().map(rational);
    soup.iter().map(|[a, b, c]| [centre, *a, *b, *c].map(exact)).collect()
}

/// Adds the parts of a tetrahedron that lie where the signed volume with a face is not negative.
fn cut(tetrahedron: [Point; 4], face: [&Point; 3], kept: &mut Vec<[Point; 4]>) {
    let zero = rational(0.0);
    let mut corners: Vec<(BigRational, Point)> =
        tetrahedron.into_iter().map(|p| (volume([face[0], face[1], face[2], &p]), p)).collect();
    corners.sort_by(|p, q| q.0.cmp(&p.0));
    let inner = corners.iter().filter(|p| p.0 >= zero).count();
    let at = |k: usize| corners[k].1.clone();
    let between = |i: usize, j: usize| -> Point {
        let share = &corners[i].0 / (&corners[i].0 - &corners[j].0);
        std::array::from_fn(|k| &corners[i].1[k] + (&corners[j].1[k] - &corners[i].1[k]) * &share)
    };
    let mut prism = |low: [Point; 3], high: [Point; 3]| {
        let ([a, b, c], [d, e, f]) = (low, high);
        kept.push([a.clone(), b.clone(), c.clone(), d.clone()]);
        kept.push([b.clone(), c.clone(), d.clone(), e.clone()]);
        kept.push([c, d, e, f]);
    };
    match inner {
        0 => (),
        1 => kept.push([at(0), between(0, 1), between(0, 2), between(0, 3)]),
        2 => prism([at(0), between(0, 2), between(0, 3)], [at(1), between(1, 2), between(1, 3)]),
        3 => prism([at(0), at(1), at(2)], [between(0, 3), between(1, 3), between(2, 3)]),
        _ => kept.push([at(0), at(1), at(2), at(3)]),
    }
}

/// Returns the volume that two tetrahedra share, and its moments along the axes.
fn shared([a, b]: [&[Point; 4]; 2]) -> [BigRational; 4] {
    let mut pieces = vec![b.clone()];
    for k in 0..4 {
        let [p, q, r, other] = [k, (k + 1) % 4, (k + 2) % 4, (k + 3) % 4].map(|k| &a[k]);
        let face = if volume([p, q, r, other]) >= rational(0.0) { [p, q, r] } else { [p, r, q] };
        let mut kept = Vec::new();
        pieces.into_iter().for_each(|piece| cut(piece, face, &mut kept));
        pieces = kept;
    }
    let mut sums = [0.0; 4].map(rational);
    for piece in pieces {
        let six = volume(piece.each_ref());
        let volume = if six < rational(0.0) { -six } else { six } / rational(6.0);
        for k in 0..3 {
            let middle: BigRational = piece.iter().map(|p| &p[k]).sum::<BigRational>() / rational(4.0);
            sums[k + 1] += middle * &volume;
        }
        sums[0] += volume;
    }
    sums
}

/// Returns the volume that two star-shaped solids share, and its moments.
fn exact([a, b]: [&[[Point; 4]]; 2]) -> [BigRational; 4] {
    let zero = rational(0.0);
    let has_volume = |t: &&[Point; 4]| volume(t.each_ref()) != zero;
    let mut sums = [0.0; 4].map(rational);
    for s in a.iter().filter(has_volume) {
        for t in b.iter().filter(has_volume) {
            let is_beside = (0..3).any(|k| {
                let end = |t: &[Point; 4]| t.iter().map(|p| p[k].clone()).max().expect("corners");
                let begin = |t: &[Point; 4]| t.iter().map(|p| p[k].clone()).min().expect("corners");
                end(s) <= begin(t) || end(t) <= begin(s)
            });
            if !is_beside {
                sums.iter_mut().zip(shared([s, t])).for_each(|(sum, more)| *sum += more);
            }
        }
    }
    sums
}

/// Returns the volume of a star-shaped solid, roughly.
fn enclosed(soup: &[Triangle], centre: DVec3) -> f64 {
    soup.iter().map(|t| t.map(|p| p - centre)).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
}

fn found([a, b]: [&[Triangle]; 2]) -> Result<OverlapVolume, VolumeUnknown> {
    let [a, b] = [a, b].map(|soup| CollisionMesh::build(&mesh(soup)));
    overlap_volume(&a.at(&Pose::IDENTITY).expect("admissible"), &b.at(&Pose::IDENTITY).expect("admissible"))
}

/// A star-shaped solid: an octahedron, or that refined, with its corners moved along their rays.
fn star_shaped(rng: &mut Rng, centre: DVec3, size: f64) -> Soup {
    let level = rng.index(2) as u32;
    let soup = ball(DVec3::ZERO, 1.0, level);
    let mut corners: Vec<(DVec3, f64)> = Vec::new();
    let mut place = |p: DVec3| {
        let known = corners.iter().find(|(q, _)| *q == p).map(|(_, r)| *r);
        let radius = known.unwrap_or_else(|| {
            let radius = size * if rng.index(4) == 0 { 1.0 } else { 0.65 + 0.35 * rng.unit() };
            corners.push((p, radius));
            radius
        });
        centre + p * radius
    };
    soup.iter().map(|t| t.map(&mut place)).collect()
}

/// Random pairs: near each other, one in another, with corners on common planes, far from the origin, small
/// next to large.
fn stars(seed: u64) -> [(Soup, DVec3); 2] {
    let mut rng = Rng::new("overlap volumes", seed);
    let far = [DVec3::ZERO, DVec3::new(1e6, -3e5, 7e6), DVec3::splat(1e-9)][rng.index(3)];
    let size = [1.0, 1.0, 0.01, if far.x > 1.0 { 0.1 } else { 1e-5 }][rng.index(4)];
    let step = match rng.index(3) {
        0 => rng.lattice(2) * 0.5,
        1 => DVec3::ZERO,
        _ => rng.point(),
    };
    [(far, 1.0), (far + step, size)].map(|(centre, size)| (star_shaped(&mut rng, centre, size), centre))
}

/// Checks a bracket and a centroid.
fn compare(found: &OverlapVolume, exact: &[BigRational; 4], smaller: f64) -> Result<f64, String> {
    let (low, high) = (rational(found.at_least), rational(found.at_most));
    if exact[0] < low || exact[0] > high {
        return Err(format!("{found:?} does not hold {:?}", exact[0]));
    }
    let width = found.at_most - found.at_least;
    if width > 1e-6 * found.at_most && width > 1e-12 * smaller {
        return Err(format!("{found:?} is too wide"));
    }
    let Some(centroid) = found.centroid else { return Ok(0.0) };
    for k in 0..3 {
        let off = rational(centroid[k]) - &exact[k + 1] / &exact[0];
        let most = rational(1e-12 * (centroid[k].abs() + 1e-3));
        if width < 1e-9 * found.at_most && (off > most || off < -most) {
            return Err(format!("centroid {centroid} is off along {k}"));
        }
    }
    Ok(width / found.at_most)
}

#[test]
fn brackets_hold_the_volume_that_tetrahedra_share() {
    let (mut shared, mut widest) = (0, 0.0f64);
    for seed in 0..closefit_testing::cases(24) {
        let [(a, at_a), (b, at_b)] = stars(seed);
        let of = [star(&a, at_a), star(&b, at_b)];
        let expected = exact([&of[0], &of[1]]);
        let smaller = enclosed(&a, at_a).min(enclosed(&b, at_b));
        let volume = found([&a, &b]).expect("solids");
        assert_eq!(found([&b, &a]), Ok(volume), "#{seed}, swapped");
        match compare(&volume, &expected, smaller) {
            Ok(width) => widest = widest.max(width),
            Err(why) => panic!("#{seed}: {why}"),
        }
        shared += usize::from(volume.centroid.is_some());
    }
    println!("{shared} pairs share a volume; the widest bracket is {widest:e} of it");
    assert!(shared > 0);
}

/// Boxes on a lattice have faces in common planes, edges on edges and corners on corners.
#[test]
fn boxes_share_the_product_of_their_overlaps() {
    for seed in 0..closefit_testing::cases(200) {
        let mut rng = Rng::new("boxes", seed);
        let boxes = [(); 2].map(|()| {
            let (lo, size) = (rng.lattice(2), rng.lattice(1) + DVec3::splat(2.0));
            (lo, lo + size)
        });
        let [a, b] = boxes.map(|(lo, hi)| cuboid(lo.to_array(), hi.to_array()));
        let [(lo, hi), (low, high)] = boxes;
        let overlap = (hi.min(high) - lo.max(low)).max(DVec3::ZERO).element_product();
        let OverlapVolume { at_least, at_most, .. } = found([&a, &b]).expect("solids");
        assert!(at_least <= overlap && overlap <= at_most, "#{seed}: {overlap} {at_least} {at_most}");
        assert!(at_most - at_least <= 1e-15 * overlap.max(1.0), "#{seed}: {at_least} {at_most}");
    }
}

fn width(volume: OverlapVolume) -> f64 {
    (volume.at_most - volume.at_least) / volume.at_most
}

#[test]
fn a_part_shares_all_of_itself_at_any_pose() {
    let soup = ball(DVec3::new(0.3, 0.2, 0.1), 1.0, 3);
    let solid = CollisionMesh::build(&mesh(&soup));
    let pose =
        Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7).expect("an axis") * Pose::translation([1e3, 2e3, 3e3]);
    let at = solid.at(&pose).expect("admissible");
    let volume = overlap_volume(&at, &at).expect("a solid");
    let of = |t: &Triangle| t[0].dot(t[1].cross(t[2])) / 6.0;
    let expected: f64 = soup.iter().map(of).sum();
    assert!((volume.at_most / expected - 1.0).abs() < 1e-11, "{volume:?} {expected}");
    assert!(width(volume) < 1e-13, "{volume:?}");
    for threads in [1, 3] {
        let again = Pool::of(threads).install(|| overlap_volume(&at, &at));
        assert_eq!(again.expect("threads"), Ok(volume));
    }
}

/// Two spheres of radius 1 at a distance of 1 share 5 pi / 12.
#[test]
fn spheres_share_a_lens() {
    let (a, b) = (ball(DVec3::ZERO, 1.0, 5), ball(DVec3::new(0.6, 0.0, 0.8), 1.0, 5));
    let volume = found([&a, &b]).expect("solids");
    let lens = 5.0 * std::f64::consts::PI / 12.0;
    assert!(volume.at_most < lens && volume.at_least > 0.995 * lens, "{volume:?} {lens}");
    assert!(width(volume) < 1e-14);
}

#[test]
fn a_cavity_is_no_part_of_the_solid() {
    let outer = cuboid([0.0; 3], [4.0; 3]);
    let hollow = [outer.clone(), reversed(&cuboid([1.0; 3], [3.0; 3]))].concat();
    let within = cuboid([1.5; 3], [2.5; 3]);
    let across = cuboid([0.5, 1.5, 1.5], [2.5, 2.5, 2.5]);
    let empty = found([&hollow, &within]).expect("solids");
    assert!(empty.at_least == 0.0 && empty.at_most < 1e-20 && empty.centroid.is_none(), "{empty:?}");
    let half = found([&hollow, &across]).expect("solids");
    assert!(half.at_least <= 0.5 && 0.5 <= half.at_most && width(half) < 1e-14, "{half:?}");
    assert_eq!(half.centroid, Some(DVec3::new(0.75, 2.0, 2.0)));
    // A part that is inside out is as solid.
    let turned = CollisionMesh::build(&mesh(&within));
    let mirrored = turned.at(&Pose::scaling([-1.0, 1.0, 1.0])).expect("admissible");
    let block = CollisionMesh::build(&mesh(&cuboid([-2.0, 0.0, 0.0], [0.0, 4.0, 4.0])));
    let both = overlap_volume(&mirrored, &block.at(&Pose::IDENTITY).expect("admissible")).expect("solids");
    assert!(both.at_least <= 0.5 && 0.5 <= both.at_most && width(both) < 1e-14, "{both:?}");
}

/// Boxes as small as posed coordinates can be.
#[test]
fn a_tiny_overlap_is_in_its_bracket() {
    for exponent in [-150, -190, -200] {
        let unit = power_of_two(exponent);
        let [a, b] = [cuboid([0.0; 3], [2.0 * unit; 3]), cuboid([unit; 3], [3.0 * unit; 3])];
        let volume = found([&a, &b]).expect("solids");
        let expected = rational(unit) * rational(unit) * rational(unit);
        let (low, high) = (rational(volume.at_least), rational(volume.at_most));
        assert!(low <= expected && expected <= high, "2^{exponent}: {volume:?}");
        assert!(width(volume) < 1e-14, "2^{exponent}: {volume:?}");
    }
}

#[test]
fn what_is_no_solid_has_no_volume() {
    let solid = cuboid([0.0; 3], [1.0; 3]);
    let sheet = &solid[..2];
    assert_eq!(found([&solid, sheet]), Err(VolumeUnknown::NoSolid(1)));
    // A block with a second one that lacks a face, near the other part and far from it.
    let lid = [&solid[..], &moved(&solid, DVec3::X * 3.0)[2..]].concat();
    let (near, far) = (cuboid([0.5; 3], [3.5; 3]), cuboid([0.5; 3], [1.5; 3]));
    let Err(unknown) = found([&lid, &near]) else { panic!("open") };
    assert_eq!(unknown.to_string(), "the first mesh is open: 4 open edges");
    let volume = found([&lid, &far]).expect("the other is elsewhere");
    assert!(volume.at_least <= 0.125 && 0.125 <= volume.at_most);
    // Blocks that overlap, near the other part and far from it; blocks that share a face.
    let twice = [&solid[..], &moved(&solid, DVec3::splat(0.5))].concat();
    assert_eq!(found([&near, &twice]), Err(VolumeUnknown::Crosses(1)));
    let beside = cuboid([0.0; 3], [0.25; 3]);
    assert!(found([&beside, &twice]).is_ok_and(|volume| volume.at_least > 0.0156));
    let row = [&solid[..], &moved(&solid, DVec3::X)].concat();
    let two = found([&row, &cuboid([-1.0; 3], [3.0; 3])]).expect("a solid");
    assert!(two.at_least <= 2.0 && 2.0 <= two.at_most && width(two) < 1e-14, "{two:?}");
    let apart = found([&solid, &octahedron(DVec3::splat(4.0), 1.0)]);
    assert_eq!(apart, Ok(OverlapVolume { at_least: 0.0, at_most: 0.0, centroid: None }));
}
