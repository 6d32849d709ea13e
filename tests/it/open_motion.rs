//! Motions into open shells, and out again, against standing checks at dense times, and at dense
//! configurations.

use closefit::internals::engine::{check, encounters, sweep};
use closefit::scene::Scene;
use closefit::scene::joint_box::JointBox;
use closefit::scene::robot::{Robot, RobotJoint, RobotLink, RobotPart};
use closefit::{
    Assembly, Between, CheckRequest, CollisionMesh, Containment, DVec3, Encounter, JointBoxRequest, Motion,
    PairRecord, PartId, PartSlack, Pool, Pose, SweepRequest, SweepResult, Unobserved, Verdict, verdict,
};
use closefit_geometry::motion::{Joint, JointAxis};
use closefit_testing::cases;
use closefit_testing::meshes::{Piece, Soup, ball, cuboid, moved, scene, square_ring};
use closefit_testing::motions::key;
use closefit_testing::rng::Rng;

const TOLERANCE: f64 = 1e-6;

/// Returns a shell of about the size 1 that lacks some triangles, or a part of its side, and the middle of
/// what it lacks.
pub(super) fn shell(r: &mut Rng) -> (Soup, DVec3) {
    let mut soup = match r.index(4) {
        0 => ball(DVec3::ZERO, 0.9, 1),
        1 => square_ring(0.4, 0.9, -0.6, 0.6),
        _ => {
            let half = [0; 3].map(|_| 0.5 + 0.4 * r.unit().abs());
            cuboid(half.map(|x: f64| -x), half)
        }
    };
    let middle = |t: &[DVec3; 3]| (t[0] + t[1] + t[2]) / 3.0;
    let mut missing: Soup = Vec::new();
    if r.coin() {
        // An opening on one side.
        let (way, edge) = (r.point(), 0.1 + 0.8 * r.unit().abs());
        let way = if r.index(4) > 0 { [DVec3::X, DVec3::Y, -DVec3::Z][r.index(3)] } else { way };
        let most = soup.iter().map(|t| middle(t).dot(way)).fold(f64::NEG_INFINITY, f64::max);
        let is_missing = |t: &[DVec3; 3]| middle(t).dot(way) >= edge * most;
        missing.extend(soup.iter().filter(|t| is_missing(t)));
        soup.retain(|t| !is_missing(t));
    } else {
        for _ in 0..1 + r.index(3) {
            missing.push(soup.swap_remove(r.index(soup.len())));
        }
    }
    let hole = missing.iter().map(middle).sum::<DVec3>() / missing.len() as f64;
    if r.index(4) == 0 {
        // A closed component next to it.
        soup.extend(moved(&cuboid([-0.2; 3], [0.2; 3]), r.point() * 2.0));
    }
    (soup, hole)
}

/// Returns a small part, seldom an open one.
pub(super) fn peg(r: &mut Rng) -> Soup {
    let size = [0.03, 0.1, 0.3][r.index(3)] * (0.3 + r.unit().abs());
    let mut soup = match r.index(4) {
        0 => ball(DVec3::ZERO, size, 1),
        1 => cuboid([-size, -0.03, -0.03], [size, 0.03, 0.03]),
        2 => {
            [cuboid([-0.05; 3], [0.05; 3]), moved(&cuboid([-0.05; 3], [0.05; 3]), r.point() * size)].concat()
        }
        _ => cuboid([-size; 3], [size; 3]),
    };
    if r.index(5) == 0 {
        soup.pop();
    }
    soup
}

/// A way from outside a hole to the inside, or only near to it, and sometimes out again.
fn into(r: &mut Rng, hole: DVec3) -> Joint {
    let depth = 1.2 * r.unit().abs();
    let mut places = vec![hole * 2.5 + r.point() * 0.05, hole * depth + r.point() * 0.02];
    if r.coin() {
        places.push(hole * 3.0 + r.point() * 0.05);
    }
    if r.coin() {
        places.reverse();
    }
    let turned = 0.3 * r.unit();
    let rotation = |index: usize| [0.0, 0.0, turned * index as f64, 1.0];
    let keys: Vec<_> =
        places.iter().enumerate().map(|(index, &at)| key(index as f64, rotation(index), at)).collect();
    let between = [Between::Screw, Between::Linear][r.index(2)];
    Joint::Moving(Motion::through(&keys, between, [1.0; 3]).expect("a motion"))
}

fn path(r: &mut Rng, reach: f64) -> Joint {
    let between = [Between::Screw, Between::Linear][r.index(2)];
    let upright = r.coin();
    let mut time = 0.0;
    let keys: Vec<_> = (0..2 + r.index(2))
        .map(|_| {
            let rotation = if upright { [0.0, 0.0, 0.0, 1.0] } else { r.quaternion() };
            time += 0.5 + 0.4 * r.unit();
            key(time, rotation, r.point() * reach)
        })
        .collect();
    Joint::Moving(Motion::through(&keys, between, [1.0; 3]).expect("a motion"))
}

/// A shell and a peg on random paths, in either order; some on a frame that moves both.
fn moving(r: &mut Rng) -> Scene {
    let (open, hole) = shell(r);
    let mut pieces = vec![Piece::new("shell", open), Piece::new("peg", peg(r))];
    let turned = Pose::from_trs(r.quaternion(), [1.0; 3], [0.0; 3]).expect("a direction");
    pieces[0].pose = if r.coin() { turned } else { Pose::IDENTITY };
    let hole = pieces[0].pose.apply(hole);
    let mut scene = scene(&pieces);
    let above = (r.index(4) == 0).then(|| scene.frames.add(None, path(r, 0.5)));
    let stand = scene.frames.add(above, Joint::Fixed(scene.parts[0].pose));
    let shell = if r.index(6) == 0 { scene.frames.add(Some(stand), path(r, 0.3)) } else { stand };
    scene.parts[0].frame = Some(shell);
    let way = if r.index(3) == 0 { path(r, 2.0) } else { into(r, hole) };
    scene.parts[1].frame = Some(scene.frames.add(above, way));
    if r.coin() {
        scene.parts.reverse();
    }
    scene
}

fn request_of(scene: &Scene, precision: f64) -> SweepRequest {
    let [from, to] = closefit::internals::engine::time_range(scene).expect("it moves");
    SweepRequest::default().tolerance(TOLERANCE).precision(precision).between(from, to).with_intervals()
}

/// The containment, and the distance, of the two parts of a scene where they stand.
fn standing(models: &[CollisionMesh; 2], poses: [Pose; 2]) -> (Containment, f64) {
    let [a, b] = [0, 1].map(|side| models[side].at(&poses[side]).expect("in range"));
    let found = verdict(&a, &b, &CheckRequest::default().clearance(f64::INFINITY).tolerance(TOLERANCE));
    (found.contained, found.distance)
}

fn models(scene: &Scene) -> [CollisionMesh; 2] {
    [0, 1].map(|part: usize| CollisionMesh::build(scene.mesh(PartId(part as u32))))
}

/// Boxes in the frames of meshes answer most questions about what shells hold. A check of a scene knows the
/// exact boxes of the posed vertices, and decides every question without them.
#[test]
fn what_open_shells_hold_does_not_depend_on_the_boxes_that_are_known() {
    let mut r = Rng::new("open shells that stand", 1);
    let (mut doubted, mut sure) = (0, 0);
    let wanted = cases(1000);
    for case in 0..wanted {
        let (soup, hole) = shell(&mut r);
        let peg = peg(&mut r);
        let scale = [[1.0; 3], [3.0; 3], [0.01; 3], [1.0, 0.3, 1.0]][r.index(4)];
        let far = [0.0, 1.0, 1e6][r.index(3)];
        let pose = Pose::from_trs(r.quaternion(), scale, (r.point() * far).to_array()).expect("a rotation");
        let at = pose.apply(hole * (2.0 * r.unit()) + r.point() * 0.4);
        let peg_pose = Pose::from_trs(r.quaternion(), [scale[0]; 3], at.to_array()).expect("a rotation");
        let mut pieces = [Piece::new("a", soup), Piece::new("b", peg)];
        (pieces[0].pose, pieces[1].pose) = (pose, peg_pose);
        pieces[1].is_surface = r.coin();
        if r.coin() {
            pieces.swap(0, 1);
        }
        let request = CheckRequest::default().clearance(f64::INFINITY).tolerance(TOLERANCE);
        let scene = scene(&pieces);
        let checked = check(&scene, &request, &Unobserved).expect("in range").pairs.remove(0);
        let models = models(&scene);
        let [a, b] = [0, 1].map(|side| {
            let posed = models[side].at(&pieces[side].pose).expect("in range");
            if pieces[side].is_surface { posed.declared_surface() } else { posed }
        });
        let found = verdict(&a, &b, &request);
        let facts = |record: &PairRecord| (record.verdict, record.distance, record.contained.clone());
        assert_eq!(facts(&found), facts(&checked), "case {case}: {scene:?}");
        match found.contained {
            Containment::Undecidable(_) => doubted += 1,
            Containment::None if found.distance > 0.0 => sure += 1,
            _ => {}
        }
    }
    println!("{doubted} doubted, {sure} sure of {wanted}");
    assert!(doubted * 20 > wanted && sure * 4 > wanted, "{doubted} and {sure} of {wanted}");
}

#[test]
fn no_motion_is_clear_where_a_standing_check_doubts_it() {
    let mut r = Rng::new("open shells in motion", 1);
    let (mut undecided, mut doubted, mut clear, mut decided) = (0, 0, 0, 0);
    let wanted = cases(150);
    for _ in 0..wanted {
        let scene = moving(&mut r);
        let request = request_of(&scene, [1e-4, 1e-2, 0.1][r.index(3)]);
        let SweepResult { pairs, .. } = sweep(&scene, &request, &Unobserved).expect("it can be swept");
        let models = models(&scene);
        let mut is_doubted = false;
        for step in 0..=200 {
            let time = request.from + (request.to - request.from) * f64::from(step) / 200.0;
            let time = time.min(request.to);
            let poses = [0, 1].map(|part: usize| scene.frames.pose(scene.parts[part].frame.unwrap(), time));
            let (contained, distance) = standing(&models, poses);
            if contained == Containment::None || distance <= 0.5 * request.precision {
                continue;
            }
            is_doubted = true;
            let record =
                pairs.first().unwrap_or_else(|| panic!("clear, but {contained:?} at {time}: {scene:?}"));
            assert!(
                record.verdict <= Verdict::Undecided,
                "{record:?}, but {contained:?} at {time}: {scene:?}"
            );
            let intervals = record.intervals.as_ref().expect("they were asked for");
            let near = intervals.contact.iter().map(|found| [found.enter[0], found.leave[1]]);
            let mut listed = near.chain(intervals.undecided.iter().copied());
            assert!(listed.any(|[from, to]| from <= time && time <= to), "{intervals:?} at {time}");
        }
        let verdict = pairs.first().map_or(Verdict::Clear, |record| record.verdict);
        doubted += usize::from(is_doubted);
        undecided += usize::from(verdict == Verdict::Undecided);
        decided += usize::from(verdict == Verdict::Undecided && is_doubted);
        clear += usize::from(verdict >= Verdict::Clearance);
    }
    // Of those undecided, nearly all are so at a time that is sampled.
    assert!(clear * 4 > wanted as usize / 2 && doubted * 10 > wanted as usize, "{clear} and {doubted}");
    assert!(
        undecided * 10 > wanted as usize && undecided * 9 <= decided * 10,
        "{undecided} undecided, {decided} of them rightly"
    );
    println!(
        "{wanted}: {clear} clear, {undecided} undecided, {decided} of these and {doubted} in all doubted"
    );
}

#[test]
fn answers_about_open_shells_are_the_same_by_all_trees_and_threads() {
    let mut r = Rng::new("open shells in motion: strategies", 2);
    for _ in 0..cases(4) {
        let scene = moving(&mut r);
        let request = request_of(&scene, 1e-3);
        let expected = sweep(&scene, &request, &Unobserved).expect("it can be swept").pairs;
        for strategy in closefit_methods::strategies() {
            let found = sweep(&scene, &request.strategy(strategy), &Unobserved).expect("it can be swept");
            assert_eq!(found.pairs, expected, "{strategy:?}");
        }
        for threads in [1, 2, 7] {
            let found = Pool::of(threads).install(|| sweep(&scene, &request, &Unobserved)).expect("a pool");
            assert_eq!(found.expect("it can be swept").pairs, expected);
        }
    }
}

/// Returns the pose of a part somewhere along one of its ways: six shifts, then six turns.
fn along(scene: &Scene, found: &PartSlack, way: usize, at: f64) -> Pose {
    let pose = scene.parts[found.part.index()].pose;
    let axis = found.axes[way % 6 / 2] * [1.0, -1.0][way % 2];
    if way < 6 {
        return Pose::translation((axis * at).to_array()) * pose;
    }
    let about = found.about.to_array();
    let turn = Pose::from_axis_angle((axis * at).to_array(), at).unwrap_or(Pose::IDENTITY);
    Pose::translation(about) * turn * Pose::translation(about.map(|x| -x)) * pose
}

#[test]
fn no_room_reaches_into_an_open_shell_unsaid() {
    let mut r = Rng::new("open shells: slack", 3);
    let (mut doubted, mut sure) = (0, 0);
    let wanted = cases(60);
    for _ in 0..wanted {
        let (open, hole) = shell(&mut r);
        let mut pieces = vec![Piece::new("shell", open), Piece::new("peg", peg(&mut r))];
        let at = if r.coin() { r.point() * 1.5 } else { hole * (1.1 + r.unit().abs()) };
        pieces[1].pose = Pose::translation(at.to_array());
        let scene = scene(&pieces);
        let assembly = Assembly::from(scene.clone());
        let request = assembly.slack_request().expect("in range").precision(1e-3);
        let part = PartId(r.index(2) as u32);
        let found = assembly.slack(&[part], &request, &Unobserved).expect("in range").parts.remove(0);
        let models = models(&scene);
        let tolerance = CheckRequest::default().clearance(f64::INFINITY).tolerance(request.tolerance);
        let is_doubted = found.shifts.iter().chain(&found.turns).enumerate().any(|(way, room)| {
            // Beside a neighbour that it touches, the part is moved a step off it.
            found.at_start.is_empty()
                && (0..=60).any(|step| {
                    let pose = along(&scene, &found, way, room.at_least * f64::from(step) / 60.0);
                    let mut poses = [scene.parts[0].pose, scene.parts[1].pose];
                    poses[part.index()] = pose;
                    let [a, b] = [0, 1].map(|side| models[side].at(&poses[side]).expect("in range"));
                    verdict(&a, &b, &tolerance).contained != Containment::None
                })
        });
        assert!(!is_doubted || !found.undecided.is_empty(), "{found:?} {scene:?}");
        doubted += usize::from(is_doubted);
        sure += usize::from(found.undecided.is_empty());
    }
    assert!(doubted * 8 > wanted as usize && sure * 8 > wanted as usize, "{doubted} and {sure} of {wanted}");
}

/// A shell, or a peg, at the end of an arm of up to two joints, and the other next to it or on the first
/// joint.
fn arm(r: &mut Rng) -> (Scene, Robot, JointBox) {
    let (open, hole) = shell(r);
    let mut scene = scene(&[Piece::new("shell", open), Piece::new("peg", peg(r))]);
    let (mut robot, mut ranges) = (Robot::default(), Vec::new());
    let links = 1 + r.index(2);
    for link in 0..links {
        let axis = if r.coin() { hole.try_normalize().unwrap_or(DVec3::X) } else { r.point().normalize() };
        let axis = if r.index(3) > 0 { JointAxis::Sliding(axis) } else { JointAxis::Turning(axis) };
        robot.joints.push(RobotJoint {
            name: format!("j{link}").into(),
            axis: Some(axis),
            limits: None,
            mimic: None,
        });
        let origin = Pose::translation((r.point() * [0.0, 0.5][r.index(2)]).to_array());
        robot.links.push(RobotLink { parent: link.checked_sub(1), joint: link, origin });
        let (middle, half) = (r.unit(), r.unit().abs());
        ranges.push([middle - half, middle + half]);
    }
    let moves = r.index(2);
    let out = hole * (1.0 + r.unit().abs()) * [-1.0, 1.0][moves];
    let local = Pose::translation(if r.coin() { r.point() * 1.2 } else { out }.to_array());
    robot.parts.push(RobotPart { part: PartId(moves as u32), link: Some(links - 1), local });
    if links == 2 && r.coin() {
        robot.parts.push(RobotPart { part: PartId(1 - moves as u32), link: Some(0), local: Pose::IDENTITY });
        robot.parts.sort_by_key(|place| place.part);
    } else {
        scene.parts[1 - moves].pose = Pose::translation((r.point() * [0.0, 0.5][r.index(2)]).to_array());
    }
    (scene, robot, JointBox { ranges })
}

#[test]
fn parts_that_may_enter_an_open_shell_are_never_never_near() {
    let mut r = Rng::new("open shells: joint boxes", 4);
    let (mut never, mut doubted) = (0, 0);
    let wanted = cases(100);
    for _ in 0..wanted {
        let (scene, robot, ranges) = arm(&mut r);
        let request = CheckRequest::default().tolerance(TOLERANCE);
        let asked = JointBoxRequest { ranges: ranges.clone(), precision: 0.01, most: 2000 };
        let found = encounters(&scene, &robot, &request, &asked, &Unobserved).expect("in range");
        let models = models(&scene);
        let is_doubted = (0..200).any(|_| {
            let values: Vec<f64> = ranges
                .ranges
                .iter()
                .map(|[lower, upper]| lower + (0.5 + 0.5 * r.unit()) * (upper - lower))
                .collect();
            let mut poses: Vec<Pose> = scene.parts.iter().map(|part| part.pose).collect();
            robot.pose_parts(&values, &mut Vec::new(), &mut poses);
            standing(&models, [poses[0], poses[1]]).0 != Containment::None
        });
        let is_never = matches!(found[0].encounter, Encounter::Never(_));
        assert!(!(is_never && is_doubted), "{found:?} {scene:?}");
        never += usize::from(is_never);
        doubted += usize::from(is_doubted);
    }
    assert!(
        never * 8 > wanted as usize && doubted * 8 > wanted as usize,
        "{never} and {doubted} of {wanted}"
    );
}
