//! The geometry of contacts: shared sets against half-spaces in rational arithmetic, patches against
//! brute force, lengths, areas and normals against formulas. `CLOSEFIT_CASES` sets the number of pairs
//! per category.

use std::collections::HashMap;

use closefit::{CollisionMesh, ContactGeometry, Pool, Pose, contact_geometry};
use closefit_geometry::exact::contact::triangles_meet;
use closefit_geometry::exact::shared_set::shared_set;
use closefit_geometry::math::disjoint_sets::DisjointSets;
use closefit_testing::meshes::{ball, cuboid, mesh, moved, prism};
use closefit_testing::rational::Triangle;
use closefit_testing::rng::Rng;
use closefit_testing::shared::{self, Point, is_nearest, shared};
use closefit_testing::triangles::{CATEGORIES, pair};
use glam::DVec3;

/// Checks that found points are the corners of the exact set, each coordinate the nearest f64, in order.
fn compare_set(a: &Triangle, found: &[DVec3], exact: &[Point]) -> Result<(), String> {
    if found.len() != exact.len() {
        return Err(format!("{} corners, expected {}: {found:?}", found.len(), exact.len()));
    }
    let is_at = |p: &DVec3, q: &Point| p.to_array().iter().zip(q).all(|(x, exact)| is_nearest(*x, exact));
    let Some(start) = exact.iter().enumerate().min_by(|x, y| x.1.cmp(y.1)).map(|(k, _)| k) else {
        return Ok(());
    };
    // The clipped triangle keeps its sense; a segment has none.
    let n = exact.len();
    let at = |k: usize| &exact[(start + k) % n];
    if found.iter().enumerate().all(|(k, p)| is_at(p, at(k))) {
        return Ok(());
    }
    Err(format!("corners {found:?} of {a:?}"))
}

#[test]
fn shared_sets_are_those_of_half_spaces() {
    let cases = closefit_testing::cases(60);
    let (mut of_size, mut failures) = ([0u64; 7], Vec::new());
    for category in CATEGORIES {
        for seed in 0..cases {
            let [a, b] = pair(category, seed);
            let exact = shared(&[a, b]);
            let found: Vec<DVec3> = shared_set(&a, &b).iter().map(|p| p.rounded()).collect();
            of_size[found.len()] += 1;
            let mut checked = compare_set(&a, &found, &exact);
            if triangles_meet(&a, &b) == found.is_empty() {
                checked = Err("meets without a point, or the reverse".to_owned());
            }
            let swapped: Vec<DVec3> = shared_set(&b, &a).iter().map(|p| p.rounded()).collect();
            let is_same = swapped.len() == found.len() && swapped.iter().all(|p| found.contains(p));
            if !is_same {
                checked = Err(format!("swapped: {swapped:?}"));
            }
            if let Err(why) = checked {
                failures.push(format!("{} #{seed}: {why}\n  {:?}", category.0, [a, b]));
            }
        }
    }
    println!("sets with 0 to 6 corners: {of_size:?}");
    let shown = failures.iter().take(5).cloned().collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{} wrong, the first:\n{shown}", failures.len());
    assert!(of_size[..5].iter().all(|&count| count > 0));
}

/// The patches of a contact by brute force.
struct Expected {
    /// The first pair of each patch, its length and its area.
    patches: Vec<(usize, f64, f64)>,
    patch_of: Vec<usize>,
}

fn brute_force(a: &[Triangle], b: &[Triangle], pairs: &[[u32; 2]]) -> Expected {
    let of = |[ta, tb]: [u32; 2]| [a[ta as usize], b[tb as usize]];
    let mut groups = DisjointSets::new(pairs.len());
    for i in 0..pairs.len() {
        for j in 0..i {
            let all = [of(pairs[i]), of(pairs[j])].concat();
            if !shared(&all).is_empty() {
                groups.join(i as u32, j as u32);
            }
        }
    }
    let sets: Vec<Vec<Point>> = pairs.iter().map(|&pair| shared(&of(pair))).collect();
    let mut patches: Vec<(usize, f64, f64)> = Vec::new();
    let mut patch_of = Vec::new();
    for (i, set) in sets.iter().enumerate() {
        let leader = groups.find(i as u32) as usize;
        if leader == i {
            patches.push((i, 0.0, 0.0));
        }
        let patch = patches.iter().position(|patch| patch.0 == leader).expect("the leader comes first");
        patch_of.push(patch);
        let earlier = |is: fn(usize) -> bool| -> Vec<&[Point]> {
            sets[..i].iter().filter(|set| is(set.len())).map(|set| &set[..]).collect()
        };
        match set.len() {
            1 => {}
            2 => patches[patch].1 += shared::uncovered(set, &earlier(|n| n == 2)),
            _ => patches[patch].2 += shared::uncovered_area(set, &earlier(|n| n > 2)),
        }
    }
    Expected { patches, patch_of }
}

fn compare(at: &str, a: &[Triangle], b: &[Triangle]) -> ContactGeometry {
    let [of_a, of_b] = [a, b].map(|soup| CollisionMesh::build(&mesh(soup)));
    let (posed_a, posed_b) =
        (of_a.at(&Pose::IDENTITY).expect("admissible"), of_b.at(&Pose::IDENTITY).expect("admissible"));
    let found = contact_geometry(&posed_a, &posed_b, 4);
    assert_eq!(found.triangles, closefit::contact_triangles(&posed_a, &posed_b), "{at}");
    for (k, &[ta, tb]) in found.triangles.iter().enumerate() {
        let (ta, tb) = (a[ta as usize], b[tb as usize]);
        compare_set(&ta, found.shared(k), &shared(&[ta, tb])).unwrap_or_else(|why| panic!("{at}: {why}"));
    }
    let expected = brute_force(a, b, &found.triangles);
    let patch_of: Vec<usize> = found.patch_of.iter().map(|&patch| patch as usize).collect();
    assert_eq!(patch_of, expected.patch_of, "{at}");
    assert_eq!(found.patches.len(), expected.patches.len(), "{at}");
    for (patch, &(_, length, area)) in found.patches.iter().zip(&expected.patches) {
        assert!((patch.length - length).abs() <= 1e-12 * length, "{at}: {} {length}", patch.length);
        assert!((patch.area - area).abs() <= 1e-12 * area, "{at}: {} {area}", patch.area);
    }
    let swapped = contact_geometry(&posed_b, &posed_a, 4);
    assert_eq!(swapped.patches.len(), found.patches.len(), "{at}: swapped");
    let total = |of: &ContactGeometry| -> [f64; 2] {
        [of.patches.iter().map(|p| p.length).sum(), of.patches.iter().map(|p| p.area).sum()]
    };
    for (x, y) in total(&found).into_iter().zip(total(&swapped)) {
        assert!((x - y).abs() <= 1e-12 * x, "{at}: swapped {x} {y}");
    }
    found
}

/// Soups on a small lattice touch, cross, repeat and lie on themselves in every way.
#[test]
fn patches_of_soups_are_those_of_brute_force() {
    let (mut patches, mut with_area, mut pairs) = (0, 0, 0);
    for seed in 0..closefit_testing::cases(24) {
        let mut rng = Rng::new("contact geometry", seed);
        let flat = seed % 3 == 0;
        let mut soup = |count: usize| -> Vec<Triangle> {
            let mut point = || {
                let p = rng.lattice(2);
                if flat { DVec3::new(p.x, p.y, p.x + 2.0 * p.y) } else { p }
            };
            (0..count).map(|_| [point(), point(), point()]).collect()
        };
        let (a, b) = (soup(6), soup(6));
        let found = compare(&format!("#{seed}"), &a, &b);
        patches += found.patches.len();
        pairs += found.triangles.len();
        with_area += found.patches.iter().filter(|patch| patch.area > 0.0).count();
    }
    println!("{pairs} pairs in {patches} patches, {with_area} with an area");
    assert!(with_area > 0);
}

fn geometry(a: &[Triangle], b: &[Triangle]) -> ContactGeometry {
    let [a, b] = [a, b].map(|soup| CollisionMesh::build(&mesh(soup)));
    let [a, b] = [&a, &b].map(|mesh| mesh.at(&Pose::IDENTITY).expect("admissible"));
    contact_geometry(&a, &b, 4)
}

#[test]
fn boxes_that_stand_on_each_other_share_a_rectangle() {
    let (lower, upper) = (cuboid([0.0; 3], [4.0, 3.0, 1.0]), cuboid([1.0, 1.0, 1.0], [3.0, 5.0, 2.0]));
    let found = compare("boxes", &lower, &upper);
    let [patch] = &found.patches[..] else { panic!("{} patches", found.patches.len()) };
    assert_eq!(patch.bounds, [DVec3::new(1.0, 1.0, 1.0), DVec3::new(3.0, 3.0, 1.0)]);
    assert_eq!((patch.area, patch.normal), (4.0, Some(DVec3::Z)));
    // The walls of both stand on the border.
    assert_eq!((patch.length, patch.closed), (8.0, true));
    // The first point is any; those far from it are corners.
    assert_eq!(patch.points.len(), 4);
    let is_corner = |p: &DVec3| [p.x, p.y].iter().all(|x| [1.0, 3.0].contains(x));
    assert!(patch.points[1..].iter().all(is_corner), "{:?}", patch.points);
    assert_eq!(geometry(&upper, &lower).patches[0].normal, Some(-DVec3::Z));
}

#[test]
fn a_box_in_a_corner_has_the_mean_normal_of_its_faces() {
    let room = [
        cuboid([0.0, 0.0, -1.0], [4.0, 4.0, 0.0]),
        cuboid([-1.0, 0.0, 0.0], [0.0, 4.0, 4.0]),
        cuboid([0.0, -1.0, 0.0], [4.0, 0.0, 4.0]),
    ];
    let found = geometry(&cuboid([0.0; 3], [1.0, 2.0, 3.0]), &room.concat());
    let [patch] = &found.patches[..] else { panic!("{} patches", found.patches.len()) };
    assert!((patch.area - (2.0 + 6.0 + 3.0)).abs() < 1e-14, "{}", patch.area);
    let expected = DVec3::new(-6.0, -3.0, -2.0).normalize();
    assert!(patch.normal.expect("areas").distance(expected) < 1e-15);
}

/// A box between two walls: what it presses on one side cancels what it presses on the other.
#[test]
fn opposite_faces_leave_no_normal() {
    let slot = [
        cuboid([-1.0, 0.0, 0.0], [0.0, 2.0, 2.0]),
        cuboid([1.0, 0.0, 0.0], [2.0, 2.0, 2.0]),
        cuboid([0.0, 0.0, -1.0], [1.0, 2.0, 0.0]),
    ];
    let found = geometry(&cuboid([0.0; 3], [1.0, 2.0, 1.0]), &slot.concat());
    assert_eq!(found.patches.len(), 1);
    assert!(found.patches[0].normal.expect("the floor's").distance(-DVec3::Z) < 1e-15);
    let walls = geometry(&cuboid([0.0; 3], [1.0, 2.0, 1.0]), &slot[..2].concat());
    let normals: Vec<_> = walls.patches.iter().map(|patch| patch.normal).collect();
    assert!(normals.len() == 2 && [DVec3::X, -DVec3::X].iter().all(|x| normals.contains(&Some(*x))));
}

/// Returns a regular polygon.
fn polygon(sides: u32, radius: f64) -> Vec<[f64; 2]> {
    let angle = |k: u32| std::f64::consts::TAU * f64::from(k) / f64::from(sides);
    (0..sides).map(|k| [radius * angle(k).cos(), radius * angle(k).sin()]).collect()
}

#[test]
fn a_bar_through_a_plate_leaves_two_closed_curves() {
    for sides in [3, 4, 17, 64] {
        let bar = prism(&polygon(sides, 1.0), -3.0, 3.0);
        let plate = cuboid([-2.0, -2.0, -0.25], [2.0, 2.0, 0.25]);
        let found = geometry(&bar, &plate);
        assert_eq!(found.patches.len(), 2, "{sides} sides");
        let expected = 2.0 * f64::from(sides) * (std::f64::consts::PI / f64::from(sides)).sin();
        for patch in &found.patches {
            assert!((patch.length - expected).abs() < 1e-13, "{} {expected}", patch.length);
            assert!(patch.closed && patch.area == 0.0 && patch.normal.is_none());
            assert_eq!(patch.points.len(), 4);
        }
    }
}

#[test]
fn a_ball_in_a_plate_leaves_a_circle() {
    let ball = ball(DVec3::new(0.1, 0.2, 0.3), 1.0, 5);
    let found = geometry(&ball, &cuboid([-3.0, -3.0, -3.0], [3.0, 3.0, 0.0]));
    let [patch] = &found.patches[..] else { panic!("{} patches", found.patches.len()) };
    let circle = std::f64::consts::TAU * (1.0f64 - 0.3 * 0.3).sqrt();
    assert!(patch.closed && patch.length < circle && patch.length > 0.99 * circle, "{}", patch.length);
}

#[test]
fn an_open_sheet_leaves_an_open_curve() {
    let sheet = vec![[DVec3::new(-1.0, 0.0, -1.0), DVec3::new(3.0, 0.0, -1.0), DVec3::new(-1.0, 0.0, 3.0)]];
    let found = compare("sheet", &sheet, &cuboid([0.0, -1.0, 0.0], [0.5, 1.0, 0.5]));
    let [patch] = &found.patches[..] else { panic!("{} patches", found.patches.len()) };
    assert_eq!((patch.length, patch.closed), (2.0, true));
    let found = compare("sheet", &sheet, &cuboid([0.0, -1.0, 0.0], [9.0, 1.0, 9.0]));
    let [patch] = &found.patches[..] else { panic!("{} patches", found.patches.len()) };
    assert_eq!((patch.length, patch.closed), (4.0, false));
}

#[test]
fn a_tip_on_a_face_is_a_point() {
    let tip = [[DVec3::new(0.5, 0.25, 1.0), DVec3::new(0.5, 0.0, 2.0), DVec3::new(0.0, 0.5, 2.0)]];
    let found = geometry(&tip, &cuboid([0.0; 3], [1.0; 3]));
    let [patch] = &found.patches[..] else { panic!("{} patches", found.patches.len()) };
    assert_eq!((patch.length, patch.area, patch.closed, patch.normal), (0.0, 0.0, false, None));
    assert_eq!(patch.points, [DVec3::new(0.5, 0.25, 1.0)]);
}

/// The order of triangles changes the order of pairs alone, and the number of threads nothing.
#[test]
fn neither_threads_nor_order_change_a_patch() {
    let (a, b) = (ball(DVec3::ZERO, 1.0, 4), moved(&ball(DVec3::ZERO, 1.0, 4), DVec3::new(0.7, 0.1, 0.3)));
    let found = geometry(&a, &b);
    for threads in [1, 3] {
        assert_eq!(Pool::of(threads).install(|| geometry(&a, &b)).expect("threads"), found);
    }
    let mut reversed = a.clone();
    reversed.reverse();
    let other = geometry(&reversed, &b);
    let count = a.len() as u32;
    let sets: HashMap<[u32; 2], &[DVec3]> =
        found.triangles.iter().enumerate().map(|(k, pair)| (*pair, found.shared(k))).collect();
    assert_eq!(sets.len(), other.triangles.len());
    for (k, [ta, tb]) in other.triangles.iter().enumerate() {
        assert_eq!(sets[&[count - 1 - ta, *tb]], other.shared(k));
    }
}

#[test]
fn a_mirrored_part_keeps_its_outward_normals() {
    let [a, b] = [cuboid([0.0; 3], [1.0; 3]), cuboid([-1.0, 0.0, 1.0], [0.0, 1.0, 2.0])]
        .map(|soup| CollisionMesh::build(&mesh(&soup)));
    let mirror = Pose { rows: [[-1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]] };
    let found =
        contact_geometry(&a.at(&mirror).expect("admissible"), &b.at(&Pose::IDENTITY).expect("admissible"), 4);
    assert_eq!(found.patches[0].normal, Some(DVec3::Z));
    assert_eq!(found.patches[0].area, 1.0);
}

#[test]
fn meshes_apart_have_no_patches() {
    let found = geometry(&cuboid([0.0; 3], [1.0; 3]), &cuboid([2.0; 3], [3.0; 3]));
    assert!(found.triangles.is_empty() && found.patches.is_empty() && found.points.is_empty());
    assert_eq!(found.offsets, [0]);
}
