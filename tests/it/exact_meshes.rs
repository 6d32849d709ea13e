//! Whole small meshes: contact sets, distances, containment and depth of `engine::check` against brute force
//! in rational arithmetic. `CLOSEFIT_CASES` sets the number of scenes per kind.

use closefit::internals::engine::check;
use closefit::{CheckRequest, Containment, Depth, PairRecord, Pose, Unobserved, Verdict};
use closefit_testing::meshes::{
    Piece, Soup, ball, cuboid, moved, octahedron, prism, reversed, scene, square_ring,
};
use closefit_testing::rational::Triangle;
use closefit_testing::rng::Rng;
use closefit_testing::solid;
use glam::DVec3;

/// Returns a request that lists everything.
fn all(tolerance: f64) -> CheckRequest {
    CheckRequest::default().clearance(1e9).tolerance(tolerance).list_contacts()
}

/// Tolerances: 0, which takes rational arithmetic; one that f64 resolves easily; and one larger than some
/// overlaps.
const TOLERANCES: [f64; 3] = [0.0, 1e-6, 0.04];

/// Compares every pair of a scene. Returns the number of pairs in contact.
fn compare(name: &str, seed: u64, pieces: &[Piece], tolerance: f64) -> usize {
    let result = check(&scene(pieces), &all(tolerance), &Unobserved).expect("admissible");
    let posed: Vec<Soup> = pieces.iter().map(Piece::posed).collect();
    let mut touching = 0;
    for j in 0..pieces.len() {
        for i in 0..j {
            let at = format!("{name} #{seed}, parts {i} and {j}, tolerance {tolerance}");
            let found = result
                .pairs
                .iter()
                .find(|r| r.ids.map(|id| id.index()) == [i, j])
                .unwrap_or_else(|| panic!("{at}: not listed"));
            touching += usize::from(compare_pair(&at, &posed[i], &posed[j], found, tolerance));
        }
    }
    touching
}

fn compare_pair(at: &str, a: &[Triangle], b: &[Triangle], found: &PairRecord, tolerance: f64) -> bool {
    let contacts = solid::contacts(a, b);
    assert_eq!(found.triangles.as_deref(), Some(&contacts[..]), "{at}: contact set");
    assert_eq!(found.contacts, contacts.len() as u64, "{at}: number of contacts");
    if contacts.is_empty() {
        let distance = solid::distance(a, b);
        assert_eq!(found.distance, distance, "{at}: distance");
        let [p, q] = found.points.expect("witness points");
        assert!(
            ((p - q).length() - distance).abs() <= 1e-12 * (distance + p.length()),
            "{at}: witnesses {p} {q}"
        );
        let expected = match (solid::contains(b, a), solid::contains(a, b)) {
            (false, false) => Containment::None,
            (true, _) => Containment::AInB,
            (false, true) => Containment::BInA,
        };
        assert_eq!(found.contained, expected, "{at}: containment");
        let verdict = match expected {
            Containment::None if distance <= tolerance => Verdict::Contact,
            Containment::None => Verdict::Clearance,
            _ => Verdict::Clash,
        };
        assert_eq!(found.verdict, verdict, "{at}: verdict");
    } else {
        assert_eq!(found.distance, 0.0, "{at}: distance in contact");
        assert_eq!(found.contained, Containment::None, "{at}: containment in contact");
    }
    compare_depth(at, a, b, found, tolerance);
    !contacts.is_empty()
}

/// Checks that no corner, and no middle of an edge or triangle, is deeper than `at_most`, and that the
/// reported point lies on one surface and at least `at_least` deep in the other solid.
fn compare_depth(at: &str, a: &[Triangle], b: &[Triangle], found: &PairRecord, tolerance: f64) {
    let Some(Depth { at_least, at_most }) = found.depth else {
        let solids = !(solid::closed_triangles(a).is_empty() && solid::closed_triangles(b).is_empty());
        let asked = found.contacts > 0 || found.contained != Containment::None;
        assert!(!(solids && asked), "{at}: no depth: {:?}", found.depth);
        return;
    };
    assert!(at_least <= at_most, "{at}: {at_least} > {at_most}");
    let sampled = deepest_sample(a, b).max(deepest_sample(b, a));
    assert!(sampled <= at_most, "{at}: a point lies {sampled} deep, at_most is {at_most}");
    if at_least > 0.0 {
        assert_eq!(found.verdict, Verdict::Clash, "{at}: depth of at least {at_least}");
        assert!(at_least > tolerance && at_most <= (1.01 * at_least).next_up(), "{at}: {at_least} {at_most}");
    } else {
        assert!(at_most <= tolerance, "{at}: {at_most}");
    }
    let scale = a.iter().chain(b).flatten().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    // The point is rounded to f64, so it may be off the surface, and less deep, by that much.
    let rounding = 1e-12 * scale;
    if at_least <= rounding {
        return;
    }
    let point = found.location.expect("a place").point;
    let shown = [(a, b), (b, a)].into_iter().any(|(surface, other)| {
        let shell = solid::closed_triangles(other);
        !shell.is_empty()
            && solid::distance_of_point(point, surface) <= rounding
            && solid::distance_of_point(point, &shell) >= at_least - rounding
            && solid::inside(point, other) == Some(true)
    });
    assert!(shown, "{at}: {point} is not {at_least} deep");
}

fn deepest_sample(surface: &[Triangle], other: &[Triangle]) -> f64 {
    let shell = solid::closed_triangles(other);
    if shell.is_empty() {
        return 0.0;
    }
    let samples = surface.iter().flat_map(|[p, q, r]| [*p, (p + q) / 2.0, (p + q + r) / 3.0]);
    // A sample is rounded and may leave its triangle by an ulp or two, and so may its depth.
    samples
        .filter(|&s| solid::inside(s, other) == Some(true))
        .map(|s| solid::distance_of_point(s, &shell) - 4.0 * f64::EPSILON * s.abs().max_element())
        .fold(0.0, f64::max)
}

/// Runs one kind of scene over all seeds.
fn run(name: &str, make: impl Fn(&mut Rng) -> Vec<Piece>) {
    let scenes = closefit_testing::cases(1);
    let mut touching = 0;
    for seed in 0..scenes {
        let pieces = make(&mut Rng::new(name, seed));
        touching += TOLERANCES.map(|tolerance| compare(name, seed, &pieces, tolerance))[0];
    }
    println!("{name:<28} {scenes} scenes, {touching} pairs touch");
}

fn pieces(soups: impl IntoIterator<Item = Soup>) -> Vec<Piece> {
    (0..).zip(soups).map(|(i, soup)| Piece::new(&format!("part {i}"), soup)).collect()
}

fn posed(soup: Soup, rotation: [f64; 4], by: DVec3) -> Piece {
    let pose = Pose::from_trs(rotation, [1.0; 3], by.to_array()).expect("not of length 0");
    Piece { pose, ..Piece::new("posed", soup) }
}

fn lattice_box(rng: &mut Rng, reach: i64) -> ([f64; 3], [f64; 3]) {
    let lo = rng.lattice(reach);
    let size: [f64; 3] = std::array::from_fn(|_| rng.int(1, reach) as f64);
    (lo.to_array(), (lo + DVec3::from_array(size)).to_array())
}

/// Checks the oracles themselves where the answer is obvious.
#[test]
fn oracles_know_inside_from_outside() {
    let at = |x, y, z| DVec3::new(x, y, z);
    let mut hollow = cuboid([0.0; 3], [10.0; 3]);
    hollow.extend(reversed(&cuboid([2.0; 3], [8.0; 3])));
    let ring = square_ring(5.0, 6.0, -1.0, 1.0);
    for (soup, point, expected) in [
        (&hollow, at(1.0, 1.0, 1.0), Some(true)),
        (&hollow, at(5.0, 5.0, 5.0), Some(false)),
        (&hollow, at(-1.0, 5.0, 5.0), Some(false)),
        (&hollow, at(2.0, 5.0, 5.0), None),
        (&hollow, at(10.0, 10.0, 10.0), None),
        (&hollow, at(10.0, 10.0, 3.5), None),
        (&ring, at(0.0, 0.0, 0.0), Some(false)),
        (&ring, at(5.5, -5.5, 0.0), Some(true)),
    ] {
        assert_eq!(solid::inside(point, soup), expected, "{point}");
        assert_eq!(solid::inside(point, &reversed(soup)), expected, "{point}, reversed");
    }
    let shells = solid::shells(&hollow);
    assert_eq!(shells.iter().map(|s| (s.members.len(), s.closed)).collect::<Vec<_>>(), [(12, true); 2]);
    let doubled = [&hollow[..1], &reversed(&hollow[..1])].concat();
    assert!(!solid::shells(&doubled)[0].closed, "a doubled triangle bounds nothing");
}

#[test]
fn random_soups() {
    run("random soups", |rng| {
        pieces(
            (0..3)
                .map(|_| (0..10).map(|_| std::array::from_fn(|_| rng.point())).collect())
                .collect::<Vec<_>>(),
        )
    });
}

#[test]
fn lattice_soups_with_degenerate_triangles() {
    run("lattice soups", |rng| {
        let mut soup = || (0..8).map(|_| std::array::from_fn(|_| rng.lattice(2))).collect();
        pieces([soup(), soup(), soup()])
    });
}

#[test]
fn boxes_on_a_lattice() {
    run("lattice boxes", |rng| {
        let boxes: Vec<_> = (0..5).map(|_| lattice_box(rng, 3)).collect();
        pieces(boxes.into_iter().map(|(lo, hi)| cuboid(lo, hi)))
    });
}

/// Boxes whose interiors share a point clash; others touch or are apart, whatever their corners.
#[test]
fn lattice_boxes_clash_when_their_interiors_meet() {
    for seed in 0..closefit_testing::cases(100) {
        let mut rng = Rng::new("interiors", seed);
        let [(lo_a, hi_a), (lo_b, hi_b)] = [lattice_box(&mut rng, 4), lattice_box(&mut rng, 4)];
        let overlap: [f64; 3] = std::array::from_fn(|i| hi_a[i].min(hi_b[i]) - lo_a[i].max(lo_b[i]));
        let expected = if overlap.iter().all(|&x| x > 0.0) {
            Verdict::Clash
        } else if overlap.iter().all(|&x| x >= 0.0) {
            Verdict::Contact
        } else {
            Verdict::Clearance
        };
        let pieces = pieces([cuboid(lo_a, hi_a), cuboid(lo_b, hi_b)]);
        let result = check(&scene(&pieces), &all(0.0), &Unobserved).expect("admissible");
        assert_eq!(result.pairs[0].verdict, expected, "#{seed}: {lo_a:?} {hi_a:?} and {lo_b:?} {hi_b:?}");
    }
}

#[test]
fn rotated_boxes_pushed_together() {
    run("rotated boxes", |rng| {
        // One face of the second box lies on a face of the first, up to the rounding of the pose.
        let turn = rng.quaternion();
        let by = rng.point();
        let pose = Pose::from_trs(turn, [1.0; 3], by.to_array()).expect("not of length 0");
        let beside = pose.apply(DVec3::new(2.0, rng.unit(), rng.unit()));
        let tip = rng.quaternion();
        vec![
            posed(cuboid([-1.0; 3], [1.0; 3]), turn, by),
            posed(cuboid([-1.0; 3], [1.0; 3]), turn, beside),
            posed(octahedron(DVec3::ZERO, 0.75), tip, by + rng.point()),
        ]
    });
}

#[test]
fn prisms_turned_by_quarters() {
    run("prisms", |rng| {
        let polygon = [[2.0, 0.0], [4.0, 2.0], [2.0, 4.0], [0.0, 4.0], [0.0, 0.0]];
        let h = std::f64::consts::FRAC_1_SQRT_2;
        let turns = [[0.0, 0.0, 0.0, 1.0], [h, 0.0, 0.0, h], [0.0, h, 0.0, h], [0.0, 0.0, 1.0, 0.0]];
        let mut part = || posed(prism(&polygon, 0.0, 2.0), turns[rng.index(4)], rng.lattice(3));
        vec![part(), part(), part()]
    });
}

#[test]
fn balls_nested_and_overlapping() {
    run("balls", |rng| {
        let mut some = |radius: f64| ball(rng.point() * 0.4, radius, 1);
        pieces([some(0.2), some(0.5), some(1.0)])
    });
}

#[test]
fn cavities_and_holes() {
    run("cavities", |rng| {
        let mut hollow = cuboid([-4.0; 3], [4.0; 3]);
        hollow.extend(reversed(&cuboid([-2.0; 3], [2.0; 3])));
        let mut small = || {
            let at = rng.lattice(4);
            moved(&cuboid([-0.5; 3], [0.5; 3]), at)
        };
        let (first, second) = (small(), small());
        pieces([hollow, first, second, square_ring(5.0, 6.0, -1.0, 1.0)])
    });
}

#[test]
fn overlapping_shells_in_one_part() {
    run("overlapping shells", |rng| {
        let mut cluster = || {
            let boxes = [lattice_box(rng, 3), lattice_box(rng, 3)];
            boxes.into_iter().flat_map(|(lo, hi)| cuboid(lo, hi)).collect()
        };
        let (a, b) = (cluster(), cluster());
        pieces([a, b])
    });
}
