//! The contact region: it contains the intersection of the hulls and every contact, and it is no larger than
//! it must be.
//!
//! `CLOSEFIT_CASES` sets the number of random pairs.

use std::array;

use closefit::internals::bvh::contact_region::{Clip, ContactRegion, DIRECTIONS};
use closefit::internals::bvh::mesh_hull::MeshHull;
use closefit::{DVec3, Executor, Mesh, Pose};
use closefit_geometry::exact::contact::triangles_meet;
use closefit_geometry::exact::distance::distance;
use closefit_geometry::hull::contact_region::RegionWork;
use closefit_geometry::math::Triangle;
use closefit_testing::meshes::scattered;
use closefit_testing::rational::{Point, integers, rational};
use closefit_testing::rng::{Rng, power_of_two};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};

/// Poses that turn, mirror, scale and shear.
fn pose(rng: &mut Rng) -> Pose {
    let scale = match rng.index(5) {
        0 => [1.0, 2.0, 0.25],
        1 => [-1.0; 3],
        2 => [1.0, -1.0, 0.0],
        _ => [1.0; 3],
    };
    let rotation = if rng.coin() { rng.quaternion() } else { [0.0, 0.0, 0.0, 1.0] };
    let at = rng.lattice(1) + if rng.coin() { DVec3::ZERO } else { rng.point() * 0.5 };
    let mut pose = Pose::from_trs(rotation, scale, at.to_array()).expect("a rotation");
    if rng.index(5) == 0 {
        pose.rows[0][1] += 0.75;
    }
    pose
}

/// Two meshes at poses of any size and place, and their region.
struct Case {
    meshes: [Mesh; 2],
    poses: [Pose; 2],
    region: Option<ContactRegion>,
    /// The size of the pair, and its distance from the origin.
    size: f64,
    away: f64,
}

impl Case {
    fn new(purpose: &str, seed: u64, most: usize) -> Self {
        let mut rng = Rng::new(purpose, seed);
        let meshes = [scattered(&mut rng, most), scattered(&mut rng, most)];
        let (unit, far) = (rng.power_of_two(-150, 130), [0.0, 0.0, 1e3, 1e9][rng.index(4)]);
        let poses = [(); 2].map(|()| {
            let mut pose = pose(&mut rng);
            for row in &mut pose.rows {
                row[3] += far;
                row.iter_mut().for_each(|x| *x *= unit);
            }
            pose
        });
        let hulls = [0, 1].map(|side| {
            let linear = Some(poses[side].linear()).filter(MeshHull::is_built_for);
            MeshHull::of(&meshes[side], linear).expect("admissible")
        });
        let posed = [0, 1].map(|side| hulls[side].at(&poses[side]));
        let found = Executor::ALL.map(|by| {
            let mut work = RegionWork::default();
            (ContactRegion::of([&posed[0], &posed[1]], by, &mut work), work)
        });
        assert_eq!(format!("{:?}", found[0]), format!("{:?}", found[1]), "both executors");
        let [(region, work), _] = found;
        assert_eq!((work.tried, work.found), (1, u64::from(region.is_some())));
        Self { meshes, poses, region, size: unit, away: far * unit }
    }

    fn triangles(&self, side: usize) -> Vec<Triangle> {
        let corners = |triangle| self.meshes[side].corners(triangle).map(|v| self.poses[side].apply(v));
        (0..).take(self.meshes[side].triangles().len()).map(corners).collect()
    }
}

/// A closed half-space `normal . x <= offset` of integers.
type HalfSpace = (Point, BigInt);

fn minus(a: &Point, b: &Point) -> Point {
    array::from_fn(|i| &a[i] - &b[i])
}

fn dot(a: &Point, b: &Point) -> BigInt {
    (0..3).map(|i| &a[i] * &b[i]).sum()
}

fn cross(a: &Point, b: &Point) -> Point {
    array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        &a[j] * &b[k] - &a[k] * &b[j]
    })
}

/// Returns the half-spaces of the hull of some points by trying all planes through three; `None` for flat
/// hulls.
fn half_spaces(points: &[Point]) -> Option<Vec<HalfSpace>> {
    let mut found = Vec::new();
    for (i, p) in points.iter().enumerate() {
        for (j, q) in points.iter().enumerate().skip(i + 1) {
            for r in &points[j + 1..] {
                let normal = cross(&minus(q, p), &minus(r, p));
                let heights: Vec<BigInt> = points.iter().map(|x| dot(&normal, &minus(x, p))).collect();
                let above = heights.iter().any(BigInt::is_positive);
                let below = heights.iter().any(BigInt::is_negative);
                match (above, below, normal.iter().all(BigInt::is_zero)) {
                    (false, true, _) => found.push((normal.clone(), dot(&normal, p))),
                    (true, false, _) => {
                        let normal = normal.map(|x| -x);
                        found.push((normal.clone(), dot(&normal, p)));
                    }
                    (false, false, false) => return None,
                    _ => {}
                }
            }
        }
    }
    (!found.is_empty()).then_some(found)
}

/// Returns the corners of an intersection of half-spaces as integers over a positive denominator.
fn corners(spaces: &[HalfSpace]) -> Vec<(Point, BigInt)> {
    let mut found = Vec::new();
    for (i, (n, a)) in spaces.iter().enumerate() {
        for (j, (m, b)) in spaces.iter().enumerate().skip(i + 1) {
            for (l, c) in &spaces[j + 1..] {
                let [mut x, y, z] = [cross(m, l), cross(l, n), cross(n, m)];
                let mut volume = dot(n, &x);
                if volume.is_zero() {
                    continue;
                }
                x = array::from_fn(|k| &x[k] * a + &y[k] * b + &z[k] * c);
                if volume.is_negative() {
                    volume = -volume;
                    x = x.map(|x| -x);
                }
                if spaces.iter().all(|(normal, offset)| dot(normal, &x) <= offset * &volume) {
                    found.push((x, volume.clone()));
                }
            }
        }
    }
    found
}

/// Returns for each direction of a clip and its opposite how much farther it reaches than the points.
fn room(clip: &Clip, points: &[(Point, BigInt)], exponent: i64) -> Vec<BigRational> {
    let unit = rational(power_of_two(exponent));
    let origin = clip.origin.to_array().map(rational);
    let along = |d: &[i64; 3], end: usize| {
        let sign = if end == 0 { 1 } else { -1 };
        let reach = |(x, volume): &(Point, BigInt)| {
            let at = |k: usize| BigRational::new(x[k].clone(), volume.clone()) * &unit - &origin[k];
            (0..3).map(|k| at(k) * BigInt::from(sign * d[k])).sum::<BigRational>()
        };
        points.iter().map(reach).max().expect("some points")
    };
    let ends = DIRECTIONS
        .iter()
        .zip(&clip.most)
        .flat_map(|(d, most)| [0, 1].map(|end| rational(most[end]) - along(&d.map(i64::from), end)));
    ends.collect()
}

/// The oracle shares no code: half-spaces by brute force and corners by Cramer's rule, in integers. A region
/// that is smaller by 1e-6 of the size of the parts is found to be wrong wherever it was no larger than it
/// must be.
#[test]
fn the_intersection_of_hulls_lies_in_the_region() {
    let (mut asked, mut tight, mut wrong_if_shrunk, mut refused) = (0, 0, 0, 0);
    let cases = closefit_testing::cases(200);
    for case in 0..cases {
        let case = Case::new("half-spaces", case, 3);
        let Some(region) = &case.region else {
            refused += 1;
            continue;
        };
        let points = [0, 1].map(|side| case.triangles(side).concat());
        let count = points[0].len();
        let (both, exponent) = integers(&points.concat());
        let Some(of_a) = half_spaces(&both[..count]) else { continue };
        let Some(of_b) = half_spaces(&both[count..]) else { continue };
        let corners = corners(&[of_a, of_b].concat());
        if corners.is_empty() {
            continue;
        }
        let clip = region.clip(0, 0.0);
        assert!(!clip.is_empty());
        for room in room(&clip, &corners, exponent) {
            assert!(!room.is_negative(), "a corner lies outside by {room}");
            let share = (room / rational(case.size)).to_f64().expect("a number");
            asked += 1;
            // Far away, vertices are rounded by more.
            tight += u64::from(share < 1e-9 + 512.0 * f64::EPSILON * case.away / case.size);
            wrong_if_shrunk += u64::from(share < 1e-6);
        }
    }
    println!(
        "{asked} directions: {tight} tight, {wrong_if_shrunk} wrong if shrunk by 1e-6; {refused} refused"
    );
    assert!(3 * asked > 5 * cases && 10 * tight > 9 * asked && 10 * wrong_if_shrunk > 7 * asked);
}

/// Also at a reach: triangles within it of the other mesh are not dropped.
#[test]
fn every_contact_lies_in_the_region() {
    let (mut contacts, mut near, mut dropped, mut refused) = (0, 0, 0, 0);
    let cases = closefit_testing::cases(500);
    for case in 0..cases {
        let case = Case::new("contacts", case, 10);
        let Some(region) = &case.region else {
            refused += 1;
            continue;
        };
        let triangles = [0, 1].map(|side| case.triangles(side));
        for reach in [0.0, 0.01, 0.3].map(|share| share * case.size) {
            let clips = [0, 1].map(|side| region.clip(side, reach));
            let is_out = [0, 1].map(|side| {
                let of = |t: &Triangle| clips[side].is_empty() || clips[side].excludes(t);
                triangles[side].iter().map(of).collect::<Vec<bool>>()
            });
            dropped += is_out.iter().flatten().filter(|out| **out).count();
            let bounds = clips.each_ref().map(Clip::bounds);
            for (s, out_s) in triangles[0].iter().zip(&is_out[0]) {
                for (t, out_t) in triangles[1].iter().zip(&is_out[1]) {
                    let is_near = if reach == 0.0 { triangles_meet(s, t) } else { distance(s, t) <= reach };
                    if is_near {
                        contacts += u64::from(reach == 0.0);
                        near += u64::from(reach > 0.0);
                        assert!(!out_s && !out_t, "{s:?} and {t:?} at {reach}");
                        let meets =
                            |bounds: &closefit::Aabb, t: &Triangle| bounds.meets(&closefit::Aabb::of(*t));
                        assert!(meets(&bounds[0], s) && meets(&bounds[1], t));
                    }
                }
            }
        }
    }
    println!("{contacts} contacts, {near} near pairs, {dropped} triangles dropped, {refused} refused");
    assert!(3 * contacts > 2 * cases && near > contacts && 3 * dropped as u64 > 2 * cases);
}
