//! Answers over a motion are consistent: with the parts swapped, time reversed, a span split in two, the
//! frame moved or scaled, for every strategy and any number of threads. Also difficult cases.
//!
//! `CLOSEFIT_CASES` sets the number of motions per property.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, TAU};

use closefit::Strategy as Trees;
use closefit::internals::engine::{sweep, time_range};
use closefit::scene::Scene;
use closefit::{Between, DVec3, Keyframe, Motion, Pool, Pose, SweepRequest, Unobserved, Work};
use closefit_generate::{Request, generate};
use closefit_report::{SweepReport, csv, json};
use closefit_testing::cases;
use closefit_testing::meshes::{Piece, Soup, cuboid, octahedron};
use closefit_testing::motions::{STRAIGHT, direction, key, meshes, path, size};
use closefit_testing::over_time::{Answer, Pair, Path, Truth};
use closefit_testing::rng::Rng;

fn answer(pair: &Pair) -> (Answer, Work) {
    pair.answer(Trees::default()).expect("a precision that f64 has")
}

/// Returns pairs whose precision is possible, with their answers.
fn answered(purpose: &str) -> impl Iterator<Item = (u64, Pair, Answer)> + '_ {
    (0..cases(60)).filter_map(move |case| {
        let pair = meshes(&mut Rng::new(purpose, case));
        let (answer, _) = pair.answer(Trees::default()).ok()?;
        Some((case, pair, answer))
    })
}

/// Checks that two answers to one question, on other cells or with other rounding, agree.
fn agree(what: &str, precision: f64, one: &Answer, other: &Answer) {
    let [a, b] = [one, other].map(|answer| answer.clearance);
    let slack = precision * (1.0 + 1e-6);
    // In contact, the upper end is only for the first contact.
    let (least, most) = (a.at_least.max(b.at_least), a.at_most.min(b.at_most));
    assert!(least <= most + slack, "{what}: {one:?} {other:?}");
    if one.first.is_none() && other.first.is_none() {
        assert!(least <= most * (1.0 + 1e-9) + 1e-9 * slack, "{what}: {one:?} {other:?}");
    } else if one.first.is_none() || other.first.is_none() {
        // Only one is within half the precision, by no more than the movement in a cell.
        assert!(a.at_most.max(b.at_most) <= 1.5 * slack, "{what}: {one:?} {other:?}");
    }
}

/// Checks that a contact comes no later than the other's, where both examine each cell in some way.
fn as_early(what: &str, pair: &Pair, one: &Answer, other: &Answer) {
    if let (Some([_, before]), Some([after, _])) = (one.first, other.first) {
        // The other proves them apart for as long, so the distance exceeds contact by more than rounding.
        let truth = Truth::new(pair, 0);
        let near = truth.distance(before.min(after));
        assert!(before >= after || near <= 1.5 * pair.precision, "{what}: {one:?} {other:?}");
    }
}

#[test]
fn swapped_parts_are_as_near_at_the_same_times() {
    for (case, pair, one) in answered("swapped") {
        assert_eq!(answer(&pair.swapped()).0, one, "{case}: {pair:?}");
    }
}

#[test]
fn powers_of_two_scale_answers_to_the_bit() {
    for (case, pair, one) in answered("scaled") {
        let by = Rng::new("factor", case).power_of_two(-60, 60);
        let mut other = answer(&pair.scaled(by)).0;
        other.clearance.at_least /= by;
        other.clearance.at_most /= by;
        assert_eq!(other, one, "{case}: {by:e} {pair:?}");
    }
}

#[test]
fn the_frame_of_the_world_matters_to_nobody() {
    for (case, pair, one) in answered("frames") {
        let r = &mut Rng::new("the world's frame", case);
        // A quarter turn permutes coordinates and rounds none.
        let quarter = Pose { rows: [[0.0, -1.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [1.0, 0.0, 0.0, 0.0]] };
        let under = |frame| pair.in_frame(frame).answer(Trees::default()).map(|(answer, _)| answer);
        if let Ok(turned) = under(Path::Fixed(quarter)) {
            assert_eq!(turned, one, "{case}: {pair:?}");
        }
        let moved =
            Pose::from_trs(r.quaternion(), [1.0; 3], (r.point() * 8.0).to_array()).expect("a rotation");
        if let Ok(other) = under(Path::Fixed(moved)) {
            agree(&format!("{case}: {pair:?}"), pair.precision, &one, &other);
            as_early(&format!("{case}"), &pair, &one, &other);
        }
        // A motion that carries both parts is invisible between them.
        if let Ok(other) = under(path(r, 2.0)) {
            agree(&format!("{case}: {pair:?}"), pair.precision, &one, &other);
        }
    }
}

#[test]
fn exact_translations_leave_the_cells_alone() {
    for case in 0..cases(60) {
        let r = &mut Rng::new("translated", case);
        let keys = [0.0, 1.0].map(|t| key(t, STRAIGHT, r.lattice(64) / 16.0));
        let soups =
            [0, 1].map(|_| -> Soup { (0..6).map(|_| [0; 3].map(|_| r.lattice(16) / 16.0)).collect() });
        let joints =
            vec![(None, Path::Fixed(Pose::IDENTITY)), (Some(0), Path::Keys(keys.to_vec(), Between::Linear))];
        let pair = Pair { joints, soups, on: [Some(0), Some(1)], range: [0.0, 1.0], precision: 1.0 / 64.0 };
        let mut moved = pair.clone();
        moved.joints[0].1 = Path::Fixed(Pose::translation((r.lattice(8) * 32.0).to_array()));
        assert_eq!(answer(&moved).0, answer(&pair).0, "{case}: {pair:?}");
    }
}

/// Returns the same motion in reverse.
fn reversed(pair: &Pair) -> Pair {
    let mut back = pair.clone();
    back.range = [-pair.range[1], -pair.range[0]];
    for (_, path) in &mut back.joints {
        match path {
            Path::Fixed(_) => {}
            Path::Keys(keys, _) => {
                keys.reverse();
                keys.iter_mut().for_each(|key| key.time = -key.time);
            }
            Path::Hinge { times, angles, .. } => {
                times.reverse();
                angles.reverse();
                times.iter_mut().for_each(|time| *time = -*time);
            }
        }
    }
    back
}

#[test]
fn time_runs_both_ways() {
    for (case, pair, one) in answered("reversed") {
        if pair.joints.iter().any(|(_, path)| matches!(path, Path::Keys(_, Between::Step))) {
            continue; // A jump holds its new pose: reversed it is another motion.
        }
        let other = answer(&reversed(&pair)).0;
        let what = format!("{case}: {pair:?}");
        agree(&what, pair.precision, &one, &other);
        if let (Some([after, _]), Some([_, before])) = (one.first, other.first) {
            // The last contact is not before the first.
            let rate = 1e-9;
            assert!(-before >= after - rate, "{what} {one:?} {other:?}");
        }
    }
}

/// Spherical interpolation along the shorter way.
fn slerp(p: [f64; 4], q: [f64; 4], s: f64) -> [f64; 4] {
    let length = |q: [f64; 4]| q.iter().map(|x| x * x).sum::<f64>().sqrt();
    let [p, q] = [p, q].map(|q| q.map(|x| x / length(q)));
    let dot: f64 = (0..4).map(|i| p[i] * q[i]).sum();
    let angle = dot.abs().min(1.0).acos();
    let sign = if dot < 0.0 { -1.0 } else { 1.0 };
    if angle < 1e-9 {
        return p;
    }
    std::array::from_fn(|i| {
        (((1.0 - s) * angle).sin() * p[i] + sign * (s * angle).sin() * q[i]) / angle.sin()
    })
}

#[test]
fn a_span_may_be_split() {
    for (case, pair, one) in answered("split") {
        let mut split = pair.clone();
        let share = 0.5 + 0.45 * Rng::new("share", case).unit();
        for (_, path) in &mut split.joints {
            let Path::Keys(keys, between) = path else { continue };
            let motion = Motion::through(keys, *between, [1.0; 3]).expect("a motion");
            let [first, second] = [keys[0], keys[1]];
            let time = first.time + (second.time - first.time) * share;
            let rotation = match between {
                Between::Step => first.rotation,
                _ => slerp(first.rotation, second.rotation, share),
            };
            let translation = motion.pose(time).apply(DVec3::ZERO);
            keys.insert(1, Keyframe { time, rotation, translation });
        }
        let Ok((other, _)) = split.answer(Trees::default()) else { continue };
        let what = format!("{case}: {pair:?}");
        agree(&what, pair.precision, &one, &other);
        as_early(&what, &pair, &one, &other);
        as_early(&what, &pair, &other, &one);
    }
}

#[test]
fn a_screw_is_the_same_at_all_times() {
    for case in 0..cases(60) {
        let r = &mut Rng::new("screws", case);
        let keys = [0.0, 1.0].map(|t| key(t, r.quaternion(), r.point() * 3.0));
        let motion = Motion::through(&keys, Between::Screw, [1.0; 3]).expect("a motion");
        // The effect of a time step on a point does not depend on when it starts: p -> pose(s) pose(0)^-1 p,
        // twice.
        let start = motion.pose(0.0);
        let p = r.point();
        let step = |at: f64, p: DVec3| motion.pose(at).apply(inverse(&start, p));
        let s = 0.25 + 0.25 * r.unit();
        assert!((step(s, step(s, p)) - step(2.0 * s, p)).length() < 1e-12, "{case}");
    }
}

fn inverse(pose: &Pose, p: DVec3) -> DVec3 {
    let d = p - DVec3::from_array(pose.rows.map(|row| row[3]));
    DVec3::from_array(std::array::from_fn(|j| (0..3).map(|i| pose.rows[i][j] * d.to_array()[i]).sum()))
}

/// Returns the files of a sweep.
fn written(scene: &Scene, request: &SweepRequest, threads: usize) -> (String, String) {
    let result = Pool::of(threads).install(|| sweep(scene, request, &Unobserved)).expect("threads");
    let result = result.expect("admissible");
    let report = SweepReport::new(scene, result);
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (text(json::document(&report)), text(csv::pairs(&report)))
}

/// Returns parts on a common tree of joints.
fn crowd(r: &mut Rng) -> Scene {
    let mut pairs: Vec<Pair> = (0..4).map(|_| meshes(r)).collect();
    let pieces: Vec<Piece> = pairs
        .iter()
        .flat_map(|pair| pair.soups.iter().map(|soup| Piece::new("part", soup.clone())))
        .collect();
    let mut scene = closefit_testing::meshes::scene(&pieces);
    for (index, pair) in pairs.iter_mut().enumerate() {
        let before = scene.frames.append(pair.frames());
        for side in 0..2 {
            let frame = pair.on[side].map(|joint| u32::try_from(joint).expect("few") + before);
            scene.parts[2 * index + side].frame = frame.map(closefit_geometry::motion::FrameId);
        }
    }
    scene
}

#[test]
fn reports_are_the_same_bytes_by_all_strategies_and_threads() {
    let crowds = cases(3).min(200);
    let mut scenes: Vec<Scene> = (0..crowds).map(|case| crowd(&mut Rng::new("crowd", case))).collect();
    let is_full = closefit_testing::is_full_run();
    // Trees of round volumes take long over many triangles; `tests/methods` asks them about few of every
    // generated scene.
    let generated: &[(&str, u32)] = if is_full { &[("screw", 5_000), ("bouncing-tori", 300)] } else { &[] };
    for &(name, size) in generated {
        let request = Request { name: name.to_owned(), size: Some(size), seed: 1, soup: false };
        scenes.push(generate(&request).expect("a small scene"));
    }
    let mut listed = 0;
    for (index, scene) in scenes.iter().enumerate() {
        let Some([from, to]) = time_range(scene) else { continue };
        let precision =
            1e-3 * closefit::internals::engine::diagonal_at(scene, from).expect("of ordinary size");
        let request = |strategy| {
            SweepRequest::default()
                .clearance(100.0 * precision)
                .tolerance(1e-6)
                .precision(precision)
                .strategy(strategy)
                .between(from, to)
        };
        let reference = written(scene, &request(Trees::default()), 1);
        listed += reference.1.lines().count() - 1;
        for (turn, strategy) in closefit_methods::strategies().enumerate() {
            let threads: &[usize] = if is_full { &[1, 2] } else { &[[1, 2][turn % 2]] };
            for &threads in threads {
                assert!(
                    written(scene, &request(strategy), threads) == reference,
                    "{index}: {strategy} on {threads}"
                );
            }
        }
    }
    assert!(3 * listed as u64 > 10 * crowds, "{listed}");
}

fn about_z(angle: f64) -> [f64; 4] {
    [0.0, 0.0, (0.5 * angle).sin(), (0.5 * angle).cos()]
}

/// Creates a part at rest and one that moves through keyframes.
fn passing(soups: [Soup; 2], keys: &[Keyframe], precision: f64) -> Pair {
    let range = [keys[0].time, keys[keys.len() - 1].time];
    Pair {
        joints: vec![(None, Path::Keys(keys.to_vec(), Between::Screw))],
        soups,
        on: [None, Some(0)],
        range,
        precision,
    }
}

fn cube() -> Soup {
    cuboid([0.0; 3], [1.0; 3])
}

/// Checks all strategies against the definition.
fn checked(pair: &Pair) -> Answer {
    let (simd, _) = pair.answer(Trees::default()).expect("a precision");
    for strategy in closefit_methods::strategies() {
        assert_eq!(pair.answer(strategy).expect("a precision").0, simd, "{strategy}: {pair:?}");
    }
    let truth = Truth::new(pair, 1_000_000);
    assert_eq!(truth.answer(), Ok(simd.clone()), "{pair:?}");
    truth.meant(&simd, 64).unwrap_or_else(|why| panic!("{why} {pair:?}"));
    simd
}

#[test]
fn touching_for_a_millionth_of_the_span() {
    // The tip of a turning needle touches a point for a millionth of the span: a sagitta of 1e-13 on a radius
    // of 1.
    let needle: Soup = vec![[DVec3::ZERO, DVec3::X, DVec3::new(0.5, 0.0, 1e-3)]];
    let wall = |x: f64| -> Soup {
        vec![[DVec3::new(x, -1.0, -1.0), DVec3::new(x, 1.0, -1.0), DVec3::new(x, 0.0, 2.0)]]
    };
    let keys = [key(0.0, about_z(-0.4), DVec3::ZERO), key(1.0, about_z(0.5), DVec3::ZERO)];
    let found =
        checked(&passing([wall(1.0 - 1e-13), needle.clone()], &keys, 1e-9)).first.expect("they touch");
    assert!((found[1] - 0.4 / 0.9).abs() < 1e-4, "{found:?}");
    assert_eq!(checked(&passing([wall(1.0 + 1e-6), needle], &keys, 1e-7)).first, None);
    // Across the motion: a plate that moves 10^6 times its thickness.
    let keys =
        [key(0.0, STRAIGHT, DVec3::new(0.1, 0.1, -0.4)), key(1.0, STRAIGHT, DVec3::new(0.1, 0.1, 0.6))];
    let plate = || cuboid([0.0; 3], [1.0, 1.0, 1e-6]);
    let [after, before] = checked(&passing([plate(), plate()], &keys, 1e-7)).first.expect("they touch");
    assert!(after <= 0.4 && before > 0.4 - 1e-5, "{after} {before}");
}

#[test]
fn contact_at_the_start_and_again() {
    let at = |time, x| key(time, STRAIGHT, DVec3::new(x, 0.0, 0.0));
    let pair = passing([cube(), cube()], &[at(0.0, 1.0), at(1.0, 1.3), at(2.0, 0.9)], 1e-3);
    let found = checked(&pair);
    let again = found.again.expect("they come back");
    assert!(found.start_contact && again[0] <= 1.75 && 1.75 <= again[1] + 1e-2, "{found:?}");
    // Apart for less than a part of the span, so never seen to separate.
    let blink = [at(0.0, 0.99), at(0.5, 1.0001), at(1.0, 0.99)];
    checked(&passing([cube(), cube()], &blink, 1e-3));
    // Turning away and around to the other side.
    let times = vec![0.0, 1.0];
    let bar = cuboid([0.0, -0.1, -0.1], [2.0, 0.1, 0.1]);
    let post = cuboid([1.0, 0.1, -1.0], [1.2, 0.3, 1.0]);
    let hinge = Path::Hinge { axis: -DVec3::Z, times, angles: vec![0.0, TAU] };
    let pair = Pair {
        joints: vec![(None, hinge)],
        soups: [post, bar],
        on: [None, Some(0)],
        range: [0.0, 1.0],
        precision: 1e-3,
    };
    let found = checked(&pair);
    assert!(found.start_contact && found.again.is_some_and(|[after, _]| after > 0.8), "{found:?}");
}

#[test]
fn sliding_at_a_constant_gap_costs_the_same_at_every_precision() {
    let gap = 1.0 / 64.0;
    let keys = [-3.0, 3.0].map(|x| key(0.5 + x / 6.0, STRAIGHT, DVec3::new(x, 0.1, 1.0 + gap)));
    let turning = Path::Hinge { axis: DVec3::Z, times: vec![0.0, 1.0], angles: vec![0.0, FRAC_PI_2] };
    let straight = passing([cube(), cube()], &keys, 1e-3);
    let disc = cuboid([-1.0, -1.0, gap], [1.0, 1.0, 1.0]);
    let table = cuboid([-2.0, -2.0, -1.0], [2.0, 2.0, 0.0]);
    let spinning = Pair {
        joints: vec![(None, turning)],
        soups: [table, disc],
        on: [None, Some(0)],
        range: [0.0, 1.0],
        precision: 1e-3,
    };
    for (what, pair) in [("straight", straight), ("spinning", spinning)] {
        for strategy in closefit_methods::strategies() {
            let work = |precision: f64| {
                let pair = Pair { precision, ..pair.clone() };
                let (answer, work) = pair.answer(strategy).expect("a precision");
                let found = answer.clearance;
                assert!(found.at_least <= gap && gap <= found.at_most + 1e-12 && answer.first.is_none());
                println!("sliding {what}, {strategy}, {precision:e}: {work:?}");
                (work.box_tests + work.triangle_tests) as f64
            };
            let (coarse, fine) = (work(1e-4), work(1e-7));
            // The acceleration bound separates a turning part from what it passes, over stretches as long as
            // the root of the remaining gap.
            let more = if what == "straight" { 4.0 } else { 1000f64.sqrt() };
            assert!(fine < more * coarse, "{what} {strategy}: {coarse} {fine}");
        }
    }
}

#[test]
fn no_motion_at_all() {
    let keys = [0.0, 1.0].map(|t| key(t, STRAIGHT, DVec3::new(1.5, 0.0, 0.0)));
    let found = checked(&passing([cube(), cube()], &keys, 1e-3));
    assert_eq!((found.first, found.clearance.at_most), (None, 0.5));
    let inside = [0.0, 1.0].map(|t| key(t, STRAIGHT, DVec3::new(0.5, 0.0, 0.0)));
    let found = checked(&passing([cube(), cube()], &inside, 1e-3));
    assert_eq!((found.start_contact, found.again), (true, None));
}

#[test]
fn parallel_faces_face_to_face() {
    for (turn, gap) in [(0.0, 0.0), (FRAC_PI_2, 0.0), (0.3, 0.0), (0.0, 1e-5)] {
        let keys = [3.0, 1.0 + gap].map(|z| key(3.0 - z, about_z(turn), DVec3::new(0.0, 0.0, z)));
        let found = checked(&passing([cube(), cube()], &keys, 1e-5));
        assert_eq!(found.first.is_some(), gap == 0.0, "{found:?}");
    }
    // A face onto an edge, turning until flat.
    let keys = [key(0.0, [0.0, FRAC_1_SQRT_2 * 0.5, 0.0, 1.0], DVec3::Z * 2.0), key(1.0, STRAIGHT, DVec3::Z)];
    checked(&passing([cube(), cube()], &keys, 1e-4));
}

#[test]
fn jumps_into_contact() {
    let at = |time, x| key(time, STRAIGHT, DVec3::new(x, 0.0, 0.0));
    let step = |keys: &[Keyframe]| {
        let mut pair = passing([cube(), cube()], keys, 1e-3);
        pair.joints[0].1 = Path::Keys(keys.to_vec(), Between::Step);
        checked(&pair)
    };
    assert_eq!(step(&[at(0.0, 5.0), at(1.0, 0.5), at(2.0, 5.0)]).first, Some([1.0; 2]));
    assert_eq!(step(&[at(0.0, 5.0), at(1.0, 1.0)]).first, Some([1.0; 2]));
    assert_eq!(step(&[at(0.0, 5.0), at(1.0, 1.25)]).clearance.at, 1.0);
    assert_eq!(step(&[at(0.0, 0.5), at(1.0, 5.0), at(2.0, 0.5), at(3.0, 5.0)]).again, Some([2.0; 2]));
}

#[test]
fn many_turns() {
    // A blade turned 40 times meets a post that rises into its way during the last turn.
    let blade = cuboid([0.0, -0.01, -0.01], [1.0, 0.01, 0.01]);
    let post = octahedron(DVec3::ZERO, 0.2);
    let hinge = Path::Hinge { axis: DVec3::Z, times: vec![0.0, 1.0], angles: vec![0.0, 40.0 * TAU] };
    for (height, meets) in [(-0.15, true), (-0.2, false)] {
        let rise = [
            key(0.0, STRAIGHT, DVec3::new(-0.7, 0.0, -2.0)),
            key(1.0, STRAIGHT, DVec3::new(-0.7, 0.0, height)),
        ];
        let joints = vec![(None, hinge.clone()), (None, Path::Keys(rise.to_vec(), Between::Linear))];
        let pair = Pair {
            joints,
            soups: [blade.clone(), post.clone()],
            on: [Some(0), Some(1)],
            range: [0.0, 1.0],
            precision: 1e-3,
        };
        assert_eq!(checked(&pair).first.is_some(), meets, "{height}");
    }
    let r = &mut Rng::new("turns", 0);
    for _ in 0..cases(6).min(100) {
        let axis = direction(r);
        let angles = vec![r.unit(), size(r, 0.5, 2.5)];
        let hinge = Path::Hinge { axis: axis / axis.length(), times: vec![0.0, 1.0], angles };
        let soups = [octahedron(r.point() * 1.5, 0.3), cuboid([0.2, -0.1, -0.1], [1.0, 0.1, 0.1])];
        checked(&Pair {
            joints: vec![(None, hinge)],
            soups,
            on: [None, Some(0)],
            range: [0.0, 1.0],
            precision: 0.02,
        });
    }
}

/// The screw between two poses has exactly these at its ends, and between them it is the screw through their
/// quaternions. Poses may scale and mirror, and be rotations of f32; shears and changes of scale are refused.
#[test]
fn screws_between_poses_are_screws_through_keyframes() {
    let mut r = Rng::new("screws", 1);
    let largest = |a: &Pose, b: &Pose| {
        a.rows.iter().flatten().zip(b.rows.iter().flatten()).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
    };
    for _ in 0..300 {
        let uneven = [1.5, 0.25, 3.0].map(|s| if r.coin() { s } else { 1.0 });
        let scale = [uneven[0] * if r.coin() { -1.0 } else { 1.0 }, uneven[1], uneven[2]];
        let keys = [0.0, 1.0].map(|time| key(time, r.quaternion(), r.point()));
        let posed =
            |k: &Keyframe| Pose::from_trs(k.rotation, scale, k.translation.to_array()).expect("a turn");
        let rounded = |pose: Pose| Pose { rows: pose.rows.map(|row| row.map(|x| f64::from(x as f32))) };
        let is_rough = r.coin();
        let [from, to] = keys.each_ref().map(|k| if is_rough { rounded(posed(k)) } else { posed(k) });
        let expected = Motion::through(&keys, Between::Screw, scale).expect("keyframes");
        let screw = Motion::screw(&from, &to).expect("rigid");
        assert_eq!([-1.0, 0.0, 1.0, 2.0].map(|time| screw.pose(time)), [from, from, to, to]);
        // Of two nearly opposite orientations, rounding may choose the way.
        let half_turn = (0..4).map(|k| keys[0].rotation[k] * keys[1].rotation[k]).sum::<f64>().abs() < 1e-3;
        for time in [0.1, 0.5, 0.9].into_iter().filter(|_| !half_turn) {
            let off = largest(&screw.pose(time), &expected.pose(time));
            assert!(off < if is_rough { 1e-4 } else { 1e-11 }, "{off}");
        }
        assert_eq!(screw.jumps().count(), usize::from(is_rough));
        let mut sheared = to;
        sheared.rows[0][1] += 0.1;
        for (next, name) in [(sheared, "sheared"), (to * Pose::scaling([1.01; 3]), "scaled")] {
            let refused = Motion::screw(&from, &next).expect_err(name).to_string();
            assert_eq!(
                refused,
                "keyframe 1: the pose is sheared, or its scale differs from the first pose's"
            );
        }
    }
    let flat = Motion::screw(&Pose::scaling([1.0, 1.0, 0.0]), &Pose::IDENTITY);
    assert!(flat.is_err(), "a scale of 0 turns nothing");
    assert!(!Motion::screw(&Pose::IDENTITY, &Pose::IDENTITY).expect("rigid").moves());
}
