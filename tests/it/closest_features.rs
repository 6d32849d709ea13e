//! The walk over closest features, against the distance by all pairs of features, and how many steps it
//! takes.
//!
//! `CLOSEFIT_CASES` sets the number of pairs of each kind.

use closefit::HullWork;
use closefit_geometry::hull::closest_features::{Outcome, Placed};
use closefit_geometry::hull::polytope::Polytope;
use closefit_testing::convex::{distance, meet, sphere};
use closefit_testing::rng::Rng;
use glam::{DAffine3, DQuat, DVec3};

/// Largest error of a distance, per unit of the size and the distance of the polytopes.
const NEAR: f64 = 1.0 / (1u64 << 40) as f64;

/// The same for needles and plates, a billion times as long as thick, whose planes may err by the root of a
/// rounding.
const NEAR_NEEDLES: f64 = 1.0 / (1u64 << 26) as f64;

/// Points from which a polytope is made.
fn points(rng: &mut Rng, kind: u64) -> Vec<DVec3> {
    let most = if rng.coin() { 12 } else { 60 };
    let count = 1 + rng.index(most);
    let needle = [DVec3::new(1.0, 1e-9, 1e-9), DVec3::new(1.0, 1.0, 1e-9), DVec3::new(1.0, 0.0, 1.0)];
    (0..count)
        .map(|_| match kind {
            0 => rng.point(),
            1 => rng.lattice(1 + i64::from(count > 20)),
            2 => rng.point() * needle[count % 3],
            3 => rng.point().normalize_or(DVec3::X),
            _ => rng.lattice(2) * DVec3::new(1.0, 1.0, if count.is_multiple_of(2) { 0.0 } else { 1.0 }),
        })
        .collect()
}

fn rotation(rng: &mut Rng) -> DQuat {
    DQuat::from_array(rng.quaternion()).normalize()
}

/// Walks between two polytopes, the second given in the world; `frame` places the frame in which it is held.
/// Returns `None` if rounding leaves it no polytope there.
fn walk(a: &Polytope, b: &[DVec3], frame: DAffine3, work: &mut HullWork) -> Option<Outcome> {
    let back = frame.inverse();
    let held: Vec<DVec3> = b.iter().map(|&p| back.transform_point3(p)).collect();
    let b = Polytope::of(&held)?;
    Some(Placed::new([a, &b], frame, back).walk(None, work))
}

/// Returns how much farther `b` reaches along a unit direction than `a`: what a proof is made of.
fn gap(a: &[DVec3], b: &[DVec3], n: DVec3) -> f64 {
    let least = b.iter().map(|p| n.dot(*p)).fold(f64::INFINITY, f64::min);
    least - a.iter().map(|p| n.dot(*p)).fold(f64::NEG_INFINITY, f64::max)
}

/// Checks a walk between two polytopes, and returns its outcome. One that proposes a direction along which
/// the gap is not the distance is as good as none.
fn check(a: &[DVec3], b: &[DVec3], frame: DAffine3, near: f64, work: &mut HullWork) -> Outcome {
    let Some([hull_a, hull_b]) = Polytope::of(a).zip(Polytope::of(b)).map(|(a, b)| [a, b]) else {
        return Outcome::Unknown;
    };
    let Some(outcome) = walk(&hull_a, b, frame, work) else { return Outcome::Unknown };
    let size = |points: &[DVec3]| points.iter().map(|p| p.abs().max_element()).fold(1.0, f64::max);
    let near = near * (size(a) + size(b));
    match outcome {
        Outcome::Apart { points: [p, q], .. } => {
            let found = p.distance(q);
            if gap(a, b, (q - p) / found) < found - near {
                return Outcome::Unknown;
            }
            let truth = if meet(&hull_a, &hull_b) { 0.0 } else { distance(&hull_a, &hull_b) };
            assert!((found - truth).abs() <= near, "{outcome:?} {found} is not {truth}:\n{a:?}\n{b:?}");
        }
        Outcome::Meet { .. } => {
            let truth = if meet(&hull_a, &hull_b) { 0.0 } else { distance(&hull_a, &hull_b) };
            assert!(truth <= near, "they are {truth} apart:\n{a:?}\n{b:?}");
        }
        Outcome::Unknown => {}
    }
    outcome
}

#[test]
fn distances_are_those_of_all_pairs_of_features() {
    let (mut apart, mut meeting, mut unknown) = (0, 0, [0; 2]);
    let cases = closefit_testing::cases(150);
    for case in 0..cases {
        for kinds in 0..25 {
            let mut rng = Rng::new("closest features", 25 * case + kinds);
            let a = points(&mut rng, kinds % 5);
            let turn = if kinds % 2 == 0 { rotation(&mut rng) } else { DQuat::IDENTITY };
            let step = [rng.lattice(2) * 0.5, rng.lattice(3), rng.point() * 3.0, DVec3::ZERO][rng.index(4)];
            let b: Vec<DVec3> = points(&mut rng, kinds / 5).iter().map(|&p| turn * p + step).collect();
            let frame = DAffine3::from_rotation_translation(turn, step);
            let mut work = HullWork::default();
            let frame = if rng.coin() { frame } else { DAffine3::IDENTITY };
            let near = if kinds % 5 == 2 || kinds / 5 == 2 { NEAR_NEEDLES } else { NEAR };
            match check(&a, &b, frame, near, &mut work) {
                Outcome::Apart { .. } => apart += 1,
                Outcome::Meet { .. } => meeting += 1,
                Outcome::Unknown => unknown[usize::from(near == NEAR_NEEDLES)] += 1,
            }
        }
    }
    println!("{apart} apart, {meeting} meeting, {unknown:?} unknown, without and with needles");
    assert!(
        2 * apart > 15 * cases && 2 * meeting > 5 * cases,
        "{apart} apart, {meeting} meeting: both kinds are wanted"
    );
    assert!(unknown.iter().all(|&unknown| 200 * unknown < apart + meeting), "{unknown:?} unknown");
}

/// The same polytope at the same place, a cube on a cube, a vertex over a vertex: ties everywhere.
#[test]
fn coincidences_end() {
    let cube: Vec<DVec3> =
        (0..8u32).map(|i| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into())).collect();
    let shapes = [
        cube,
        sphere(2),
        vec![DVec3::ZERO],
        vec![DVec3::ZERO, DVec3::X],
        vec![DVec3::ZERO, DVec3::X, DVec3::Y],
    ];
    let half = DVec3::splat(0.5);
    for a in &shapes {
        for b in &shapes {
            for step in [
                DVec3::ZERO,
                DVec3::X,
                DVec3::Z * 2.0,
                half,
                DVec3::X * 2.0 + half,
                DVec3::NEG_ONE,
                DVec3::splat(3.0),
            ] {
                let b: Vec<DVec3> = b.iter().map(|&p| p + step).collect();
                let outcome = check(a, &b, DAffine3::from_translation(step), NEAR, &mut HullWork::default());
                assert_ne!(outcome, Outcome::Unknown, "{a:?} {b:?}");
            }
        }
    }
}

/// A path of small steps around a body, near and far in turn, turning on the way.
fn path(frames: u32, step: f64) -> impl Iterator<Item = DAffine3> {
    (0..frames).map(move |frame| {
        let t = f64::from(frame) * step;
        let at = DVec3::new(t.cos(), t.sin() * 0.8, t.sin() * 0.6) * (2.5 + 0.3 * (3.0 * t).sin());
        let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -1.0).normalize(), 0.7 * t);
        DAffine3::from_rotation_translation(turn, at)
    })
}

#[test]
fn remembered_starts_change_no_answer() {
    let mut rng = Rng::new("tracks", 0);
    for round in 0..20 {
        let [a, b] = [(); 2].map(|()| {
            let points: Vec<DVec3> = if round % 2 == 0 { sphere(3) } else { points(&mut rng, 0) };
            Polytope::of(&points).expect("admissible")
        });
        let (mut features, mut work) = (None, HullWork::default());
        for frame in path(400, 0.01) {
            let placed = Placed::new([&a, &b], frame, frame.inverse());
            let [cold, warm] = [None, features].map(|start| placed.walk(start, &mut work));
            let length = |outcome| match outcome {
                Outcome::Apart { points: [p, q], .. } => p.distance(q),
                _ => 0.0,
            };
            assert!((length(cold) - length(warm)).abs() < NEAR, "{cold:?} {warm:?}");
            features = match warm {
                Outcome::Apart { features, .. } => Some(features),
                _ => None,
            };
        }
        assert_eq!((work.stalled, work.capped), (0, 0));
    }
}

/// From remembered features, the number of steps hardly grows with the number of faces (Lin et al. 1997:
/// "expected constant"); from scratch, it does.
#[test]
fn steps_hardly_grow() {
    println!("{:>8} {:>10} {:>10} {:>10} {:>10}", "faces", "0.01 %", "0.1 %", "1 %", "cold");
    let (mut first, mut last) = ([0.0; 4], [0.0; 4]);
    for level in 0..6u32 {
        let polytope = Polytope::of(&sphere(level)).expect("admissible");
        let mean = |step: f64, remembers: bool| {
            let (mut features, mut work) = (None, HullWork::default());
            for frame in path(2000, step / 2.5) {
                let placed = Placed::new([&polytope, &polytope], frame, frame.inverse());
                let outcome = placed.walk(features.filter(|_| remembers), &mut work);
                let Outcome::Apart { features: found, .. } = outcome else { panic!("{outcome:?}") };
                features = Some(found);
            }
            work.steps as f64 / work.walks as f64
        };
        // The percentages are of the size of a polytope, 2.
        last = [mean(0.0002, true), mean(0.002, true), mean(0.02, true), mean(0.02, false)];
        println!(
            "{:>8} {:>10.3} {:>10.3} {:>10.3} {:>10.3}",
            8 << (2 * level),
            last[0],
            last[1],
            last[2],
            last[3]
        );
        assert!(last[1] <= 3.0, "{} steps", last[1]);
        if level == 0 {
            first = last;
        }
    }
    let exponent = |k: usize| (last[k] / first[k]).ln() / 1024f64.ln();
    println!("growth: {:?}", [0, 1, 2, 3].map(exponent));
    assert!(exponent(1) < 0.2);
}
