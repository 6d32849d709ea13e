//! Sweeps whose answers are known, by reasoning or by examining every cell.

use closefit::internals::engine::{distances_over_time, sweep, time_range};
use closefit::scene::Scene;
use closefit::{
    Between, CollisionMesh, Containment, FeaturePair, Keyframe, Mesh, Method, Motion, MovingPairRecord,
    PartId, Pool, Pose, SweepError, SweepRequest, SweepResult, Unobserved, Verdict,
};
use closefit_geometry::motion::pair::{PairMotion, PlacedPart};
use closefit_geometry::motion::{FrameId, Frames, Joint};
use closefit_report::digest::Digests;
use closefit_testing::meshes::{self, Piece, Soup, ball, cuboid, prism};
use glam::DVec3;

const FORWARD: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

fn key(time: f64, rotation: [f64; 4], translation: [f64; 3]) -> Keyframe {
    Keyframe { time, rotation, translation: DVec3::from_array(translation) }
}

/// Returns keyframes along the x axis from times and positions.
fn along_x(stops: &[(f64, f64)]) -> Vec<Keyframe> {
    stops.iter().map(|&(time, x)| key(time, FORWARD, [x, 0.0, 0.0])).collect()
}

fn about_z(angle: f64) -> [f64; 4] {
    [0.0, 0.0, libm::sin(angle / 2.0), libm::cos(angle / 2.0)]
}

fn moving(keys: &[Keyframe], between: Between) -> Joint {
    Joint::Moving(Motion::through(keys, between, [1.0; 3]).unwrap())
}

/// Creates a scene with a part per surface; parts with keyframes move.
fn scene(parts: &[(Soup, &[Keyframe], Between)]) -> Scene {
    let pieces: Vec<Piece> = parts.iter().map(|(soup, ..)| Piece::new("part", soup.clone())).collect();
    let mut scene = meshes::scene(&pieces);
    for (part, (_, keys, between)) in scene.parts.iter_mut().zip(parts) {
        if !keys.is_empty() {
            part.frame = Some(scene.frames.add(None, moving(keys, *between)));
        }
    }
    scene
}

fn request(scene: &Scene, precision: f64) -> SweepRequest {
    request_over(time_range(scene).unwrap(), precision)
}

fn request_over([from, to]: [f64; 2], precision: f64) -> SweepRequest {
    SweepRequest::default().tolerance(1e-9).precision(precision).between(from, to)
}

fn run(scene: &Scene, request: &SweepRequest) -> SweepResult {
    let result = sweep(scene, request, &Unobserved).unwrap();
    let ledger = &result.ledger;
    let excluded: u64 = ledger.excluded.values().sum();
    assert_eq!(ledger.pairs, excluded + ledger.apart + ledger.decided + ledger.undecided);
    let [space_first, roots] =
        ["triangles=elementary,order=space-first", "triangles=roots"].map(|method| method.parse().unwrap());
    let methods = [request.method, space_first, roots, Method::REDON];
    for (strategy, method) in closefit_methods::strategies().flat_map(|s| methods.map(|method| (s, method))) {
        if strategy.check_moving(&method).is_err() {
            continue;
        }
        let other = sweep(scene, &request.strategy(strategy).method(method), &Unobserved).unwrap();
        assert_eq!((&other.pairs, &other.ledger), (&result.pairs, ledger));
    }
    result
}

/// Returns the only listed pair.
fn only(scene: &Scene, request: &SweepRequest) -> MovingPairRecord {
    let mut pairs = run(scene, request).pairs;
    assert_eq!(pairs.len(), 1, "{pairs:?}");
    pairs.remove(0)
}

fn unit_cube() -> Soup {
    cuboid([0.0; 3], [1.0; 3])
}

const NONE: &[Keyframe] = &[];

#[test]
fn boxes_that_approach_meet_when_they_must() {
    let keys = along_x(&[(1.0, 3.0), (5.0, -1.0)]);
    for soups in [[unit_cube(), unit_cube()], [unit_cube(), cuboid([0.0, 0.25, 0.25], [1.0, 0.75, 0.75])]] {
        let [fixed, coming] = soups;
        let scene = scene(&[(fixed, NONE, Between::Screw), (coming, &keys, Between::Screw)]);
        let precision = 1e-4;
        let found = only(&scene, &request(&scene, precision));
        assert_eq!((found.verdict, found.start_contact), (Verdict::Clash, false));
        let contact = found.time_of_impact.unwrap();
        // At speed 1 they touch at 3; in a cell they move by at most half the precision.
        assert!(contact.after < 3.0 && contact.before > 3.0 - precision, "{contact:?}");
        assert!(contact.before - contact.after <= precision / 4.0);
        assert_eq!(contact.touch.normal, DVec3::X);
        assert!((contact.touch.point.x - 1.0).abs() <= precision, "{contact:?}");
        let clearance = found.clearance.unwrap();
        assert_eq!((clearance.at_least, clearance.at), (0.0, contact.before));
        assert_eq!(clearance.at_most, contact.touch.distance);
        assert!(clearance.at_most <= precision / 2.0);
    }
}

#[test]
fn features_are_told() {
    let tip = prism(&[[0.0, 0.0], [2.0, -0.5], [2.0, 0.5]], 0.4, 0.6);
    let spike: Soup = vec![[DVec3::ZERO, DVec3::new(2.0, 0.3, 0.1), DVec3::new(2.0, -0.1, 0.2)]];
    let wall: Soup =
        vec![[DVec3::new(0.0, -9.0, -9.0), DVec3::new(0.0, 9.0, -9.0), DVec3::new(0.0, 0.0, 9.0)]];
    let keys = along_x(&[(0.0, 1.0), (1.0, -1.0)]);
    let one = |first: &Soup, second: &Soup, backwards: bool| {
        let parts = [(first.clone(), NONE, Between::Screw), (second.clone(), &keys[..], Between::Screw)];
        let mut scene = scene(&parts);
        if backwards {
            scene.parts.reverse();
        }
        only(&scene, &request(&scene, 1e-3)).time_of_impact.unwrap()
    };
    let found = one(&wall, &spike, false);
    assert_eq!((found.touch.feature, found.touch.normal), (FeaturePair::FaceVertex, DVec3::X));
    let swapped = one(&wall, &spike, true);
    assert_eq!((swapped.touch.feature, swapped.touch.normal), (FeaturePair::VertexFace, -DVec3::X));
    assert_eq!((found.after, found.before), (swapped.after, swapped.before));
    assert_eq!(found.touch.distance, swapped.touch.distance);
    let [a, b] = swapped.touch.triangles;
    assert_eq!(found.touch.triangles, [b, a]);
    // A vertical edge against a horizontal one.
    let bar: Soup = vec![[DVec3::new(0.0, -9.0, 0.5), DVec3::new(0.0, 9.0, 0.5), DVec3::new(-5.0, 0.0, 0.5)]];
    assert_eq!(one(&bar, &tip, false).touch.feature, FeaturePair::EdgeEdge);
}

#[test]
fn sliding_at_a_constant_gap_is_clearance() {
    // The gap is exactly 2^-10 throughout.
    let gap = 0.0009765625;
    let keys = [(0.0, -3.0), (1.0, 3.0)].map(|(time, x)| key(time, FORWARD, [x, 0.0, 1.0 + gap]));
    let scene = scene(&[(unit_cube(), NONE, Between::Screw), (unit_cube(), &keys, Between::Screw)]);
    let mut request = request(&scene, 1e-4).clearance(0.01);
    let found = only(&scene, &request);
    assert_eq!((found.verdict, found.time_of_impact), (Verdict::Clearance, None));
    let clearance = found.clearance.unwrap();
    assert!(clearance.at_least <= gap && gap <= clearance.at_most + 1e-12);
    assert!(clearance.at_most - clearance.at_least <= request.precision);
    // The first of all cells that are this close: just where one cube comes above the other.
    assert!(clearance.at > 0.3 && clearance.at < 0.35, "{clearance:?}");
    // The pair is not listed if the lower bound exceeds the requested clearance, even below the gap itself.
    request.clearance = clearance.at_least;
    assert_eq!(only(&scene, &request).clearance, Some(clearance));
    request.clearance = clearance.at_least.next_down();
    assert!(run(&scene, &request).pairs.is_empty());
}

#[test]
fn a_spinning_bar_sweeps_its_reach() {
    let bar = cuboid([-2.0, -0.1, 0.0], [2.0, 0.1, 0.2]);
    let quarter = std::f64::consts::FRAC_PI_2;
    let keys: Vec<_> = (0..3).map(|i| key(f64::from(i), about_z(quarter * f64::from(i)), [0.0; 3])).collect();
    let reach = (4.0f64 + 0.01).sqrt();
    for (gap, meets) in [(1e-3, false), (-1e-3, true)] {
        let y = reach + gap;
        let scene = scene(&[
            (cuboid([-0.5, y, 0.0], [0.5, y + 1.0, 0.2]), NONE, Between::Screw),
            (bar.clone(), &keys, Between::Linear),
        ]);
        let request = request(&scene, 1e-4).clearance(0.1);
        let found = only(&scene, &request);
        assert_eq!(found.time_of_impact.is_some(), meets);
        let clearance = found.clearance.unwrap();
        assert!(clearance.at_least <= gap.max(0.0) && gap <= clearance.at_most + 1e-9, "{clearance:?}");
        assert!(clearance.at_most <= gap.max(0.0) + request.precision);
    }
}

#[test]
fn contact_at_the_start_does_not_hide_what_follows() {
    // Touching, away, and back.
    let keys = along_x(&[(0.0, 1.0), (1.0, 2.0), (3.0, 0.0)]);
    let parts = |keys| [(unit_cube(), NONE, Between::Screw), (unit_cube(), keys, Between::Screw)];
    let there_and_back = scene(&parts(&keys[..]));
    let found = only(&there_and_back, &request(&there_and_back, 1e-3));
    assert_eq!((found.verdict, found.start_contact), (Verdict::Clash, true));
    let first = found.time_of_impact.unwrap();
    assert_eq!((first.after, first.before, first.touch.distance), (0.0, 0.0, 0.0));
    let again = found.again.unwrap();
    assert!(again.after < 2.0 && 2.0 < again.before + 1e-3, "{again:?}");
    // Away only: the verdict is the verdict at the start.
    let away = scene(&parts(&keys[..2]));
    let found = only(&away, &request(&away, 1e-3));
    assert_eq!((found.verdict, found.start_contact, found.again), (Verdict::Contact, true, None));
    // From inside: a clash from the start.
    let out = along_x(&[(0.0, 0.5), (1.0, 2.0)]);
    let out = scene(&parts(&out[..]));
    let found = only(&out, &request(&out, 1e-3));
    assert_eq!((found.verdict, found.start_contact, found.again), (Verdict::Clash, true, None));
    // Sliding on each other throughout.
    let on_top = [(0.0, 0.0), (1.0, 0.5)].map(|(time, x)| key(time, FORWARD, [x, 0.0, 1.0]));
    let on_top = scene(&parts(&on_top));
    let found = only(&on_top, &request(&on_top, 1e-3));
    assert_eq!((found.verdict, found.start_contact, found.again), (Verdict::Contact, true, None));
}

#[test]
fn near_but_not_touching_at_the_start_is_no_contact() {
    let keys = along_x(&[(0.0, 1.0001), (1.0, 2.0)]);
    let scene = scene(&[(unit_cube(), NONE, Between::Screw), (unit_cube(), &keys, Between::Screw)]);
    assert!(run(&scene, &request(&scene, 1e-3)).pairs.is_empty(), "they only part");
    let found = only(&scene, &request(&scene, 1e-3).clearance(1e-3));
    assert_eq!((found.verdict, found.start_contact), (Verdict::Clearance, false));
    assert_eq!(found.precision, Some(1e-3 / 8.0), "half of it is the first below the gap");
}

#[test]
fn inside_throughout_is_a_clash_and_an_open_shell_undecided() {
    let keys = along_x(&[(0.0, 0.0), (1.0, 0.5)]);
    let inner = cuboid([-0.1; 3], [0.1; 3]);
    let shell = ball(DVec3::ZERO, 3.0, 2);
    let closed = scene(&[(inner.clone(), &keys, Between::Screw), (shell.clone(), NONE, Between::Screw)]);
    let found = only(&closed, &request(&closed, 1e-3));
    assert_eq!((found.verdict, found.contained), (Verdict::Clash, Containment::AInB));
    assert!(found.clearance.unwrap().at_least > 2.0 && found.time_of_impact.is_none());
    let open = scene(&[(inner, &keys, Between::Screw), (shell[1..].to_vec(), NONE, Between::Screw)]);
    let result = run(&open, &request(&open, 1e-3));
    assert_eq!(result.pairs[0].verdict, Verdict::Undecided);
    assert_eq!((result.ledger.undecided, result.ledger.decided), (1, 0));
    assert!(
        matches!(&result.pairs[0].contained, Containment::Undecidable(why) if why.contains("3 open edges"))
    );
}

#[test]
fn jumps_happen_at_their_keyframe() {
    // Far away, jumps into contact at 2, away at 3.
    let keys = along_x(&[(0.0, 9.0), (2.0, 0.5), (3.0, 9.0)]);
    let parts = |keys| [(unit_cube(), NONE, Between::Step), (unit_cube(), keys, Between::Step)];
    let into = scene(&parts(&keys[..]));
    let found = only(&into, &request(&into, 1e-3));
    let contact = found.time_of_impact.unwrap();
    assert_eq!((contact.after, contact.before, found.verdict), (2.0, 2.0, Verdict::Clash));
    // Contact at the very end.
    let found = only(&into, &request(&into, 1e-3).between(0.0, 2.0));
    assert_eq!(found.time_of_impact.unwrap().before, 2.0);
    assert!(run(&into, &request(&into, 1e-3).between(0.0, 1.999)).pairs.is_empty());
    // Close at the very end, without contact.
    let close = along_x(&[(0.0, 9.0), (2.0, 1.5)]);
    let close = scene(&parts(&close[..]));
    let clearance = only(&close, &request(&close, 1e-3).clearance(1.0)).clearance.unwrap();
    assert_eq!((clearance.at, clearance.at_most), (2.0, 0.5));
    // Out of contact at once, and back.
    let blink = along_x(&[(0.0, 1.0), (1.0, 9.0), (2.0, 1.0), (3.0, 1.0)]);
    let blink = scene(&parts(&blink[..]));
    let found = only(&blink, &request(&blink, 1e-3));
    assert_eq!((found.start_contact, found.again.unwrap().before), (true, 2.0));
    // Into a shell, without contact.
    let keys = along_x(&[(0.0, 9.0), (1.0, 0.0)]);
    let inner = cuboid([-0.1; 3], [0.1; 3]);
    let swallowed = scene(&[(ball(DVec3::ZERO, 3.0, 2), NONE, Between::Step), (inner, &keys, Between::Step)]);
    let found = only(&swallowed, &request(&swallowed, 1e-3));
    assert_eq!((found.verdict, found.contained), (Verdict::Clash, Containment::BInA));
}

#[test]
fn pairs_that_move_together_are_excluded() {
    let keys = along_x(&[(0.0, 9.0), (1.0, 5.0)]);
    let cube = |x: f64| cuboid([x, 0.0, 0.0], [x + 1.0, 1.0, 1.0]);
    let mut scene = scene(&[
        (cube(0.0), &keys, Between::Screw),
        (cube(0.5), NONE, Between::Screw),
        (cube(40.0), NONE, Between::Screw),
        (cube(40.5), NONE, Between::Screw),
    ]);
    // The first part carries the second, through a fixed joint.
    let carried = scene.frames.add(Some(FrameId(0)), Joint::Fixed(Pose::IDENTITY));
    scene.parts[1].frame = Some(carried);
    let result = run(&scene, &request(&scene, 1e-3));
    assert!(result.pairs.is_empty(), "{:?}", result.pairs);
    assert_eq!(result.ledger.excluded, [("no relative motion".to_owned(), 2)].into());
    assert_eq!((result.ledger.pairs, result.ledger.apart), (6, 4));
}

#[test]
fn where_nothing_moves_every_pair_is_excluded() {
    let keys = along_x(&[(0.0, 3.0), (1.0, 0.0)]);
    for keys in [NONE, &keys[..1]] {
        let still = scene(&[(unit_cube(), NONE, Between::Screw), (unit_cube(), keys, Between::Screw)]);
        assert_eq!(time_range(&still), None);
        let at = |from, to| request_over([0.0, 1.0], 1e-3).between(from, to);
        for request in [at(0.0, 0.0), at(2.0, 2.0), at(-1.0, 5.0)] {
            let result = run(&still, &request);
            assert!(result.pairs.is_empty());
            assert_eq!(result.ledger.excluded, [("no relative motion".to_owned(), 1)].into());
            let ledger = &result.ledger;
            assert_eq!((ledger.pairs, ledger.apart + ledger.decided + ledger.undecided), (1, 0));
            assert_eq!(result.counters.trees.count, 0);
            let rows = distances_over_time(&still, [PartId(0), PartId(1)], &request).unwrap();
            let apart = if keys.is_empty() { 0.0 } else { 2.0 };
            assert!(rows.iter().all(|&[_, distance]| distance == apart), "{rows:?}");
            assert_eq!((rows[0][0], rows[rows.len() - 1][0]), (request.from, request.to));
        }
        let error = sweep(&still, &at(1.0, 0.0), &Unobserved).unwrap_err();
        assert!(matches!(error, SweepError::NoTime { .. }));
    }
}

#[test]
fn what_cannot_be_swept_is_refused() {
    let keys = along_x(&[(0.0, 3.0), (1.0, 0.0)]);
    let parts = |keys| [(unit_cube(), NONE, Between::Screw), (unit_cube(), keys, Between::Screw)];
    let good = scene(&parts(&keys[..]));
    let refused = |scene: &Scene, request: &SweepRequest| sweep(scene, request, &Unobserved).unwrap_err();
    let asked = request(&good, 1e-3);
    assert!(matches!(refused(&good, &asked.between(asked.from, 0.0)), SweepError::NoTime { .. }));
    assert!(matches!(refused(&good, &asked.between(asked.from, f64::NAN)), SweepError::NoTime { .. }));
    let SweepError::Precision { asked: 1e-18, smallest } = refused(&good, &asked.precision(1e-18)) else {
        panic!("a precision beyond f64");
    };
    assert!(smallest > 1e-18 && smallest < 1e-9, "{smallest:e}");
    sweep(&good, &asked.precision(smallest), &Unobserved).unwrap();
    // Each is within 2^200, both together are not.
    let far = along_x(&[(0.0, 3.0), (1.0, 1.2e60)]);
    let mut far = scene(&parts(&far[..]));
    let beyond = Joint::Fixed(Pose::translation([1.2e60, 0.0, 0.0]));
    far.parts[1].frame = Some(far.frames.add(Some(FrameId(0)), beyond));
    assert!(matches!(refused(&far, &asked), SweepError::Check(_)));
}

/// Evaluates the definition cell by cell.
fn by_every_cell(scene: &Scene, request: &SweepRequest) -> (Option<[f64; 2]>, Option<(f64, f64)>) {
    let placed_parts = [0, 1].map(|i| {
        let part = &scene.parts[i];
        PlacedPart::of(part.pose, part.frame, scene.meshes[part.mesh.index()].vertices())
    });
    let trees = [0, 1].map(|i| closefit::CollisionMesh::build(&scene.meshes[scene.parts[i].mesh.index()]));
    let motion = PairMotion::new(&scene.frames, placed_parts);
    let unit = request.precision / 2.0;
    let mut best: Option<(u64, f64, f64)> = None;
    let times = motion.times([request.from, request.to]);
    let mut first = None;
    for window in times.windows(2) {
        let cells = motion.span(window[0], window[1]).cells(request.precision).unwrap();
        for index in 0..cells.count() {
            let time = cells.middle(cells.cell(index));
            let poses = placed_parts.map(|placed| placed.pose_at(&scene.frames, time));
            let [a, b] = [trees[0].at(&poses[0]).unwrap(), trees[1].at(&poses[1]).unwrap()];
            let distance = closefit::distance(&a, &b).distance;
            if distance <= unit && first.is_none() {
                first = Some([cells.start(cells.cell(index)), time]);
            }
            let mut steps = 0u64;
            while steps as f64 * unit < distance {
                steps += 1;
            }
            if best.is_none_or(|(least, ..)| steps < least) {
                best = Some((steps, time, distance));
            }
        }
    }
    (first, best.map(|(_, time, distance)| (time, distance)))
}

#[test]
fn answers_are_those_of_every_cell() {
    let mut rng = closefit_testing::rng::Rng::new("sweep", 0);
    let (mut met, mut passed, mut began) = (0_u64, 0, 0);
    let cases = closefit_testing::cases(12);
    for case in 0..cases {
        let mut number = |range: f64| (rng.unit() * 2.0 - 1.0) * range;
        let keys: Vec<Keyframe> = (0..3)
            .map(|i| {
                let rotation = [number(1.0), number(1.0), number(1.0), 1.0];
                key(f64::from(i), rotation, [number(1.2), number(1.2), number(1.2)])
            })
            .collect();
        let mut other = keys.clone();
        for key in &mut other {
            key.translation = DVec3::new(number(1.2), number(1.2), number(1.2));
        }
        other.remove(1);
        let between = if case % 2 == 0 { Between::Screw } else { Between::Linear };
        let octahedron = meshes::octahedron(DVec3::ZERO, 0.4);
        let needle = cuboid([-0.6, -0.05, -0.05], [0.6, 0.05, 0.05]);
        let scene = scene(&[(octahedron, &keys, between), (needle, &other, between)]);
        let request = request(&scene, 0.05).clearance(100.0);
        let found = only(&scene, &request);
        let (first, closest) = by_every_cell(&scene, &request);
        if found.start_contact {
            began += 1;
            continue;
        }
        let contact = found.time_of_impact.map(|contact| [contact.after, contact.before]);
        assert_eq!(contact, first, "case {case}");
        if contact.is_none() {
            let clearance = found.clearance.unwrap();
            assert_eq!(Some((clearance.at, clearance.at_most)), closest, "case {case}");
            passed += 1;
        } else {
            met += 1;
        }
    }
    assert!(40 * met.min(passed) > 3 * cases, "{met} {passed} {began}");
}

#[test]
fn answers_agree_as_they_must() {
    let keys = [key(0.0, FORWARD, [-2.0, 0.3, 0.1]), key(1.0, about_z(2.0), [2.0, 0.1, 0.2])];
    let cube = cuboid([-0.5; 3], [0.5; 3]);
    let build = |keys: &[Keyframe], parent: Option<Joint>| {
        let mut frames = Frames::default();
        let above = parent.map(|joint| frames.add(None, joint));
        let pieces = [Piece::new("a", cube.clone()), Piece::new("b", unit_cube())];
        let mut scene = meshes::scene(&pieces);
        scene.parts[0].frame = Some(frames.add(above, moving(keys, Between::Screw)));
        scene.parts[1].frame = above;
        scene.frames = frames;
        scene
    };
    let scene = build(&keys, None);
    let asked = request(&scene, 1e-3);
    let found = only(&scene, &asked);
    let truth = found.time_of_impact.unwrap();
    // With swapped parts.
    let mut swapped = scene.clone();
    swapped.parts.reverse();
    let other = only(&swapped, &asked).time_of_impact.unwrap();
    assert_eq!((other.after, other.before), (truth.after, truth.before));
    assert_eq!(other.touch.distance, truth.touch.distance);
    assert_eq!(other.touch.normal, -truth.touch.normal);
    // With one more keyframe on the same screw, cells differ but times agree within the precision.
    let Joint::Moving(motion) = moving(&keys, Between::Screw) else { unreachable!() };
    let angle = 2.0 * 0.37;
    let middle = motion.pose(0.37).apply(DVec3::ZERO);
    let split = build(&[keys[0], key(0.37, about_z(angle), middle.to_array()), keys[1]], None);
    let speed = 8.0; // at most, of any point
    let other = only(&split, &asked).time_of_impact.unwrap();
    assert!(other.before >= truth.after - asked.precision && other.after <= truth.before + asked.precision);
    assert!((other.before - truth.before).abs() * speed < 40.0 * asked.precision);
    // Moved by a frame that both share.
    let moved = build(&keys, Some(Joint::Fixed(Pose::translation([5.0, -3.0, 2.0]))));
    let other = only(&moved, &asked).time_of_impact.unwrap();
    assert!((other.before - truth.before).abs() * speed < 40.0 * asked.precision);
    // Backwards there is a contact too, from the other side.
    let back = build(&[Keyframe { time: 0.0, ..keys[1] }, Keyframe { time: 1.0, ..keys[0] }], None);
    let other = only(&back, &asked).time_of_impact.unwrap();
    assert!(1.0 - other.before >= truth.after);
    // With other numbers of threads.
    let all = |threads| {
        let result = Pool::of(threads).install(|| run(&scene, &asked)).expect("threads");
        (result.pairs, result.ledger)
    };
    assert_eq!(all(1), all(3));
}

#[test]
fn the_digest_is_of_the_motion() {
    let keys = along_x(&[(0.0, 3.0), (1.0, 0.0)]);
    let parts = |keys| [(unit_cube(), NONE, Between::Screw), (unit_cube(), keys, Between::Screw)];
    let digest = |scene: &Scene| {
        let SweepRequest { from, to, .. } = request(scene, 1e-2);
        Digests::moving(scene, [from, to]).scene
    };
    let one = digest(&scene(&parts(&keys[..])));
    // The same motion, through a frame that has no effect.
    let mut other = scene(&parts(&keys[..]));
    other.parts[1].frame = Some(other.frames.add(Some(FrameId(0)), Joint::Fixed(Pose::IDENTITY)));
    assert_eq!(digest(&other), one);
    let later = along_x(&[(0.0, 3.0), (2.0, 0.0)]);
    assert_ne!(digest(&scene(&parts(&later[..]))), one);
    let jumps = scene(&[(unit_cube(), NONE, Between::Step), (unit_cube(), &keys, Between::Step)]);
    assert_ne!(digest(&jumps), one);
}

#[test]
fn distances_over_time_pass_through_the_keyframes() {
    let keys = along_x(&[(0.0, 4.0), (1.0, 2.0), (4.0, 3.5)]);
    let scene = scene(&[(unit_cube(), NONE, Between::Screw), (unit_cube(), &keys, Between::Screw)]);
    let rows = distances_over_time(&scene, [PartId(0), PartId(1)], &request(&scene, 1e-4)).unwrap();
    assert!(
        rows.is_sorted_by(|a, b| a[0] < b[0]) && rows.len() > 1000 && rows.len() < 3000,
        "{}",
        rows.len()
    );
    for (time, distance) in [(0.0, 3.0), (1.0, 1.0), (4.0, 2.5)] {
        assert!(rows.contains(&[time, distance]), "{time}");
    }
    for [time, distance] in rows {
        let truth = if time < 1.0 { 3.0 - 2.0 * time } else { 0.5 + 0.5 * time };
        assert!((distance - truth).abs() < 1e-12, "{time} {distance}");
    }
}

#[test]
fn the_librarys_doors_answer_alike() {
    let mesh = |soup: &Soup| {
        let corners: Vec<[u32; 3]> =
            (0..u32::try_from(soup.len()).unwrap()).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        Mesh::new(soup.as_flattened(), &corners).unwrap()
    };
    let shape = CollisionMesh::build(&mesh(&unit_cube()));
    let motion = |stops: &[(f64, f64)]| Motion::through(&along_x(stops), Between::Screw, [1.0; 3]).unwrap();
    let (still, coming) = (motion(&[(0.0, 0.0)]), motion(&[(0.0, 3.0), (2.0, 1.5)]));
    let (a, b) = (shape.along(&still), shape.along(&coming));
    assert_eq!(closefit::time_of_impact(&a, &b, 1e-4), Ok(None));
    let found = closefit::closest_approach(&a, &b, 1e-4).unwrap();
    assert!(found.at_least <= 0.5 && 0.5 <= found.at_most && found.at_most - found.at_least <= 1e-4);
    let found = closefit::time_of_impact_within(&a, &b, 1.0, 1e-4).unwrap().unwrap().first;
    assert!((found.before - 4.0 / 3.0).abs() < 1e-4 && found.touch.distance <= 1.0);
    assert!(closefit::time_of_impact(&a, &a, 1e-4).is_err());
    assert!(closefit::time_of_impact(&a, &b, 0.0).is_err());
}
