//! Regression tests of depths that the search once got wrong, or never finished.

use closefit::internals::engine::check;
use closefit::{CheckRequest, Depth, PairRecord, Pose, Unobserved, Verdict};
use closefit_testing::meshes::{Piece, Soup, ball, cuboid, octahedron, reversed, scene};
use closefit_testing::rng::{Rng, power_of_two};
use glam::DVec3;

fn decide(pieces: &[Piece], tolerance: f64) -> PairRecord {
    let request = CheckRequest::default().tolerance(tolerance);
    let result = check(&scene(pieces), &request, &Unobserved).expect("admissible");
    result.pairs.into_iter().next().expect("listed")
}

/// A closed slab whose top and bottom are meshed `n` by `n`.
fn slab(n: u32, size: f64, bottom: f64, top: f64) -> Soup {
    let step = |i: u32| size * f64::from(i) / f64::from(n);
    let face = |z: f64| -> Soup {
        let cells = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        let at = |i, j| DVec3::new(step(i), step(j), z);
        let quad = |(i, j)| [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        cells.map(quad).flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect()
    };
    let mut soup = [face(top), reversed(&face(bottom))].concat();
    for i in 0..n {
        let (s, t) = (step(i), step(i + 1));
        for [p, q] in
            [[[s, 0.0], [t, 0.0]], [[size, s], [size, t]], [[t, size], [s, size]], [[0.0, t], [0.0, s]]]
        {
            let at = |p: [f64; 2], z| DVec3::new(p[0], p[1], z);
            let [a, b, c, d] = [at(p, bottom), at(q, bottom), at(q, top), at(p, top)];
            soup.extend([[a, b, c], [a, c, d]]);
        }
    }
    soup
}

fn turned(soup: Soup, quaternion: [f64; 4]) -> Piece {
    let pose = Pose::from_trs(quaternion, [1.0; 3], [0.3, 0.2, 0.1]).expect("not of length 0");
    Piece { pose, ..Piece::new("turned", soup) }
}

/// Finely meshed faces that mate up to the rounding of their pose. Slivers of cells lie along projected
/// edges, where rounding alone decides the side.
#[test]
fn mating_faces_of_a_turned_pose_touch() {
    let turn = Rng::new("r", 1).quaternion();
    let pieces = [turned(slab(32, 1.0, 0.0, 0.1), turn), turned(slab(32, 1.01, 0.1, 0.2), turn)];
    let found = decide(&pieces, 1e-6);
    assert_eq!(found.verdict, Verdict::Contact, "{:?}", found.depth);
}

/// Brackets contain the depth of a shell that touches nothing, however little it changes them: within the
/// tolerance, and by less than a hundredth.
#[test]
fn enclosed_shells_count_in_every_bracket() {
    let large = Piece::new("large", cuboid([-5.0, -5.0, 0.0], [5.0, 5.0, 10.0]));
    let of_shells = |touching: f64, enclosed: f64, tolerance: f64| {
        let shells = [
            slab(4, 1.0, 10.0 - touching, 11.0),
            cuboid([2.0, 2.0, 10.0 - enclosed], [3.0, 3.0, 9.5]),
            cuboid([2.0, -3.0, -1.0], [3.0, -2.0, 0.2]),
        ];
        let found = decide(&[large.clone(), Piece::new("shells", shells.concat())], tolerance);
        (found.verdict, found.depth.expect("solids"))
    };
    let (verdict, depth) = of_shells(0.2, 1.2, 1.5);
    assert_eq!((verdict, depth.at_least), (Verdict::Contact, 0.0));
    assert!((1.2..=1.5).contains(&(depth.at_most * (1.0 + 1e-12))), "{depth:?}");
    let (verdict, depth) = of_shells(1.0, 1.005, 1e-3);
    assert_eq!(verdict, Verdict::Clash);
    assert!(depth.at_least <= 1.005 && 1.005 <= depth.at_most * (1.0 + 1e-12), "{depth:?}");
}

/// Faces that overlap by rounding only. The bracket is as narrow as anywhere else.
#[test]
fn an_overlap_by_rounding_gets_a_narrow_bracket() {
    for seed in 0..6 {
        let turn = Rng::new("overlap", seed).quaternion();
        let pieces = [turned(slab(2, 1.0, 0.0, 0.1), turn), turned(slab(2, 1.01, 0.1, 0.2), turn)];
        let Some(Depth { at_least, at_most }) = decide(&pieces, 0.0).depth else { panic!("solids") };
        assert!(at_most <= 1.01 * at_least && at_most < 1e-15, "#{seed}: {at_least} {at_most}");
    }
}

/// Scaling by powers of two changes no bit of a mantissa, until products of lengths leave f64's range.
#[test]
fn tiny_and_huge_scenes_have_the_depth_of_the_ordinary_one() {
    let soups = [ball(DVec3::new(0.1, 0.2, -0.3), 1.0, 1), octahedron(DVec3::new(0.7, -0.2, 0.1), 0.9)];
    let at = |scale: f64| {
        let pose = Pose::from_trs([0.1, 0.2, 0.3, 0.9], [scale; 3], [0.0; 3]).expect("not of length 0");
        let pieces = soups.clone().map(|soup| Piece { pose, ..Piece::new("scaled", soup) });
        let record = decide(&pieces, 0.0);
        let Some(Depth { at_least, at_most }) = record.depth else { panic!("solids") };
        let bounds = record.location.expect("a place").bounds;
        ([at_least / scale, at_most / scale], bounds.map(|p| p / scale))
    };
    let ordinary = at(1.0);
    for exponent in [-190, -140, -100, 100, 190] {
        assert_eq!(at(power_of_two(exponent)), ordinary, "2^{exponent}");
    }
}

/// Depths that f64 cannot resolve at the parts' position: edges reach far less deep into a box than the last
/// place of their coordinates, over a face and past an edge. The search once halved patches along these for
/// minutes.
#[test]
fn slivers_thinner_than_f64_get_a_narrow_bracket() {
    let tetrahedron = |corners: [[f64; 3]; 4]| -> Soup {
        let [a, b, c, d] = corners.map(DVec3::from_array);
        vec![[a, c, b], [a, b, d], [a, d, c], [b, c, d]]
    };
    let depth = |soup: Soup| {
        let below = Piece::new("box", cuboid([-2.0, -1.0, -2.0], [0.0, 1.0, 0.0]));
        let found = decide(&[below, Piece::new("sliver", soup)], 0.0);
        let Some(Depth { at_least, at_most }) = found.depth else { panic!("solids") };
        assert!(at_least > 0.0 && at_most <= 1.01 * at_least, "{:?}", found.depth);
        [at_least, at_most]
    };
    for (expected, corners) in [
        (1e-20, [[-0.5, 0.1, -1e-20], [0.6, 0.2, -0.0], [-0.46, 0.74, 1.21], [-0.80, -0.85, 1.11]]),
        (
            1e-20,
            [
                [-0.5, 0.1, -1e-20],
                [0.6, 0.2, -0.0],
                [-0.4558243709392378, 0.7385327391973888, 1.208277675507525],
                [-0.7963601645237781, -0.8507141303144461, 1.1085871879135667],
            ],
        ),
        (
            1e-17,
            [
                [-2.5, 0.03674074509895886, -1e-17],
                [2.5, 0.4993379749438338, -1e-17],
                [-0.28054335617394144, -0.922440854159744, 1.1871488520711544],
                [-0.23059340699481323, 0.9492518784568409, 1.272607221039581],
            ],
        ),
    ] {
        let [at_least, at_most] = depth(tetrahedron(corners));
        assert!(at_least <= expected && expected <= at_most, "{expected}: {at_least} {at_most}");
    }
    for span in [1.0, power_of_two(-13), power_of_two(-40)] {
        let less = span.next_down().next_down();
        let [_, at_most] =
            depth(tetrahedron([[span, 0.1, -span], [-span, 0.2, less], [0.1, -0.3, 2.0], [1.5, 0.4, 2.0]]));
        assert!(at_most < span * 1e-15, "{span}: {at_most}");
    }
}

/// Two tori, one shifted by a two-thousandth of its size, share a shallow layer all around, with half of
/// their triangles in it. The work of each must not grow with their number: proofs for all of them at once,
/// tried again and again, took two and three times as much per triangle at sixteen and sixty-four times the
/// triangles.
#[test]
fn large_shallow_clashes_take_work_in_proportion() {
    use closefit_generate::{Request, generate};
    const SHIFT: f64 = 0.00135;
    let work_of_each = |size: u32| {
        let request = Request { name: "tori".to_owned(), size: Some(size), seed: 0, soup: false };
        let mut tori = generate(&request).expect("a known scene");
        tori.parts[1].pose = Pose::translation([SHIFT, 0.0, 0.0]);
        let result = check(&tori, &CheckRequest::default().tolerance(1e-5), &Unobserved).expect("admissible");
        let Some(Depth { at_least, at_most }) = result.pairs[0].depth else { panic!("solids") };
        // No point is deeper than the shift, and faces along it are as deep but for their slant.
        assert!(at_least <= SHIFT * 1.000001 && at_most >= 0.99 * SHIFT, "{size}: {at_least} {at_most}");
        assert!(at_most <= 1.01 * at_least, "{size}: {at_least} {at_most}");
        let tests = result.counters.work.depth.tests;
        println!("{size} triangles: {tests:?}");
        (tests.box_tests + tests.triangle_tests) as f64 / f64::from(size)
    };
    let [few, many] = [4_096, 65_536].map(work_of_each);
    assert!(many <= 1.5 * few, "{few} tests a triangle, but {many} in a larger mesh");
}
