//! Rows of poses against checks of the same parts at the same poses, each by itself.

use closefit::internals::engine::check;
use closefit::{
    CheckRequest, DVec3, DepthDetail, FourPoses, KeptModels, Pose, PosedPair, PreparedScene, RowScratch,
    Unobserved, Verdict,
};
use closefit_testing::cases;
use closefit_testing::meshes::{Piece, Soup, ball, cuboid, moved, octahedron, scene};
use closefit_testing::rng::Rng;

use super::open_motion::{peg, shell};

/// The pairs of a check at some poses, without their places.
fn checked(pieces: &[Piece], poses: &[Pose], request: &CheckRequest) -> Vec<PosedPair> {
    let at = |(piece, &pose): (&Piece, &Pose)| Piece { pose, ..piece.clone() };
    let pieces: Vec<Piece> = pieces.iter().zip(poses).map(at).collect();
    let found = check(&scene(&pieces), request, &Unobserved).expect("in range");
    found.pairs.into_iter().map(PosedPair::from).collect()
}

/// The poses of each part in up to four rows.
fn in_rows(rows: &[Vec<Pose>]) -> Vec<FourPoses> {
    let of_part = |part: usize| {
        let mut poses = FourPoses::splat(&rows[0][part]);
        rows.iter().enumerate().for_each(|(lane, row)| poses.set(lane, &row[part]));
        poses
    };
    (0..rows[0].len()).map(of_part).collect()
}

/// A pose that turns and, seldom, scales, mirrors or stretches.
fn turned(r: &mut Rng, at: DVec3) -> Pose {
    let scale = [[1.0; 3], [1.0; 3], [1.0; 3], [0.5; 3], [-1.0; 3], [1.0, 0.3, 1.0]][r.index(6)];
    Pose::from_trs(r.quaternion(), scale, at.to_array()).expect("a rotation")
}

/// A spike from tip to tip along x, through whose tips the smallest ball around it goes.
fn spike(r: &mut Rng) -> Soup {
    let thin = 0.05 + 0.4 * r.unit().abs();
    let thinner = |p: DVec3| p * DVec3::new(1.0, thin, thin);
    octahedron(DVec3::ZERO, 1.0).into_iter().map(|t| t.map(thinner)).collect()
}

#[test]
fn rows_have_the_pairs_of_checks() {
    let mut r = Rng::new("rows", 1);
    let (mut listed, mut held, mut clear) = (0, 0, 0);
    let wanted = cases(150);
    for case in 0..wanted {
        let (mut pieces, mut holes) = (Vec::new(), vec![DVec3::ZERO]);
        for part in 0..2 + r.index(4) {
            let soup = match r.index(6) {
                0 => ball(DVec3::ZERO, 0.4, 1),
                1 => spike(&mut r),
                2 => moved(&cuboid([-0.6, -0.1, -0.2], [0.6, 0.1, 0.2]), r.point()),
                3 => peg(&mut r),
                _ => {
                    let (soup, hole) = shell(&mut r);
                    holes.push(hole);
                    soup
                }
            };
            let is_surface = r.index(4) == 0;
            pieces.push(Piece { is_surface, ..Piece::new(&format!("part {part}"), soup) });
        }
        let far = [0.0, 0.0, 1e5][r.index(3)];
        let place = |r: &mut Rng| {
            // Into a hole, next to it, or anywhere near.
            let hole = holes[r.index(holes.len())];
            let at = [hole * (1.2 * r.unit()), hole * 1.1, r.point(), r.point() * 3.0][r.index(4)];
            let at = at + r.point() * 0.2 + DVec3::splat(far);
            turned(r, at)
        };
        pieces.iter_mut().for_each(|piece| piece.pose = place(&mut r));
        let mut moves: Vec<bool> = pieces.iter().map(|_| r.index(4) > 0).collect();
        moves[0] |= moves.iter().all(|moves| !moves);
        let depth = [DepthDetail::Full, DepthDetail::Verdict, DepthDetail::None][r.index(3)];
        let clearance = [0.0, 0.0, 0.3][r.index(3)];
        let request = CheckRequest::default().tolerance(1e-6).clearance(clearance).depth(depth);
        let scene = scene(&pieces);
        let kept = KeptModels::default();
        let prepare = || PreparedScene::with_models(&scene, &moves, &request, &Unobserved, &kept);
        let (prepared, again) = (prepare().expect("in range"), prepare().expect("in range"));
        let (check, of_kept) = (prepared.checks(), again.checks());
        let (mut scratch, mut other) = (RowScratch::default(), RowScratch::default());
        let mut row = || {
            let pose = |(piece, moves): (&Piece, &bool)| if *moves { place(&mut r) } else { piece.pose };
            pieces.iter().zip(&moves).map(pose).collect()
        };
        let rows: [Vec<Pose>; 4] = [(); 4].map(|()| row());
        let four = in_rows(&rows);
        check.place(&four, 4, &mut scratch);
        of_kept.place(&four, 1 + case % 4, &mut other);
        for (row, poses) in rows.iter().enumerate() {
            let expected = checked(&pieces, poses, &request);
            let found = check.at((row, &four), false, &mut scratch).expect("in range");
            assert_eq!(found, expected, "case {case}, row {row}: {pieces:?} {poses:?}");
            if row <= case % 4 {
                let found = of_kept.at((row, &four), false, &mut other).expect("in range");
                assert_eq!(found, expected, "case {case}, row {row}");
            }
            let first = check.at((row, &four), true, &mut scratch).expect("in range");
            let clash = expected.iter().position(|pair| pair.verdict <= Verdict::Meets);
            assert_eq!(
                first,
                expected[..clash.map_or(expected.len(), |at| at + 1)],
                "case {case}, row {row}"
            );
            listed += expected.len();
            held +=
                expected.iter().filter(|pair| pair.distance > 0.0 && pair.verdict < Verdict::Contact).count();
            clear += pieces.len() * (pieces.len() - 1) / 2 - expected.len();
        }
    }
    println!("{listed} listed, {held} of them held or in doubt, {clear} clear");
    assert!(listed > 3 * wanted && held > wanted / 4 && clear > wanted, "{listed}, {held}, {clear}");
}

/// Two spikes tip to tip, or with a tip before the middle of a face: a ball or a box that is too small by a
/// billionth of a part leaves out a pair that is listed.
#[test]
fn a_pair_is_left_out_only_beyond_its_reach() {
    let mut r = Rng::new("rows at their reach", 1);
    let mut listed = 0;
    let wanted = cases(500);
    for case in 0..wanted {
        let cube = cuboid([-1.0; 3], [1.0; 3]);
        let soups = [spike(&mut r), if r.coin() { spike(&mut r) } else { cube }];
        let pieces = [0, 1].map(|side| Piece::new("spike", soups[side].clone()));
        let world =
            Pose::from_trs(r.quaternion(), [1.0; 3], (r.point() * 10.0).to_array()).expect("a rotation");
        let gap = [1e-3, 0.1, 1.0][r.index(3)];
        let beside = Pose::translation([2.0 + gap, 0.0, 0.0]);
        let about_x = |r: &mut Rng| Pose::from_quaternion([r.unit(), 0.0, 0.0, 1.0]).expect("a rotation");
        let poses = [world * about_x(&mut r), world * beside * about_x(&mut r)];
        let far = CheckRequest::default().tolerance(1e-9).clearance(10.0).depth(DepthDetail::None);
        let distance = checked(&pieces, &poses, &far)[0].distance;
        assert!((distance - gap).abs() < 1e-9, "case {case}: {distance} {gap}");
        for (clearance, is_listed) in [
            (distance, true),
            (distance * (1.0 + 1e-9), true),
            (distance.next_down(), false),
            (distance * (1.0 - 1e-9), false),
        ] {
            let request = far.clearance(clearance);
            // A part that stands does so where the scene has it.
            let at = |side: usize| Piece { pose: poses[side], ..pieces[side].clone() };
            let scene = scene(&[at(0), at(1)]);
            let prepared = PreparedScene::new(&scene, &[true, r.coin()], &request, &Unobserved);
            let checks = prepared.as_ref().expect("in range").checks();
            let (four, mut scratch) = (poses.map(|pose| FourPoses::splat(&pose)), RowScratch::default());
            checks.place(&four, 1, &mut scratch);
            let found = checks.at((0, &four), false, &mut scratch).expect("in range");
            assert_eq!(!found.is_empty(), is_listed, "case {case}: {clearance:e} {distance:e} {found:?}");
            listed += u32::from(is_listed);
        }
    }
    assert_eq!(listed as usize, 2 * wanted);
}
