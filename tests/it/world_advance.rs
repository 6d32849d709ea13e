//! Steps of a `World` against queries of every pair alone, frame by frame.

use std::collections::BTreeSet;

use closefit::{
    AdvanceError, AdvanceRequest, Between, BodyBounds, BodyId, BroadPhase, CollisionMesh, ContactChange,
    ContactEvent, DVec3, HullFilter, Keyframe, Motion, MotionError, Pool, Pose, PoseError, Step,
    TimeOfImpact, TimesOfImpact, World, WorldError, intersects, time_of_impact,
};
use closefit_testing::meshes::{cuboid, mesh, octahedron};
use closefit_testing::rng::Rng;

const PRECISION: f64 = 1e-4;

fn request() -> AdvanceRequest {
    AdvanceRequest::default().precision(PRECISION)
}

/// A body as the test moves it: a rotation of any length and a place.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Placed {
    rotation: [f64; 4],
    place: DVec3,
}

impl Placed {
    fn random(rng: &mut Rng) -> Self {
        Self { rotation: rng.quaternion(), place: rng.point() * 3.0 }
    }

    /// Returns where it may be next: nearby, anywhere, only turned, only shifted, or still there.
    fn next(self, rng: &mut Rng) -> Self {
        let turned = rng.quaternion();
        let nearby = std::array::from_fn(|k| self.rotation[k] + 0.2 * turned[k]);
        match rng.index(6) {
            0 => self,
            1 => Self { rotation: nearby, ..self },
            2 => Self { place: self.place + rng.point(), ..self },
            3 => Self::random(rng),
            _ => Self { rotation: nearby, place: self.place + rng.point() * 0.5 },
        }
    }

    fn pose(&self) -> Pose {
        Pose::from_trs(self.rotation, [1.0; 3], self.place.to_array()).expect("a rotation")
    }

    fn key(&self, time: f64) -> Keyframe {
        Keyframe { time, rotation: self.rotation, translation: self.place }
    }
}

/// Returns the motion between two placements: by their poses, and by their keyframes.
fn motions(from: &Placed, to: &Placed) -> [Motion; 2] {
    let keys = if from == to { vec![from.key(0.0)] } else { vec![from.key(0.0), to.key(1.0)] };
    let by_keys = Motion::through(&keys, Between::Screw, [1.0; 3]).expect("keyframes");
    let by_poses = Motion::screw(&from.pose(), &to.pose()).expect("rigid");
    [if from == to { by_keys.clone() } else { by_poses }, by_keys]
}

/// Returns all times of an answer. Keyframes and poses differ by rounding, and so do places of contact.
fn brackets(times: &TimesOfImpact) -> [Option<[f64; 2]>; 3] {
    let bracket = |time: TimeOfImpact| [time.after, time.before];
    [Some(bracket(times.first)), times.again.map(bracket), times.parted.map(|parted| [parted; 2])]
}

fn shapes() -> Vec<CollisionMesh> {
    let bar = cuboid([-1.5, -0.1, -0.1], [1.5, 0.1, 0.1]);
    let all = [octahedron(DVec3::ZERO, 1.0), cuboid([-0.5; 3], [0.5; 3]), bar];
    all.iter().map(|triangles| CollisionMesh::build(&mesh(triangles))).collect()
}

/// A world, and what the test knows of its bodies. Every third body is fixed.
struct Scene {
    shapes: Vec<CollisionMesh>,
    placed: Vec<Placed>,
    ids: Vec<BodyId>,
}

impl Scene {
    fn new(count: usize, rng: &mut Rng) -> Self {
        let placed = (0..count).map(|_| Placed::random(rng)).collect();
        Self { shapes: shapes(), placed, ids: Vec::new() }
    }

    fn shape(&self, body: usize) -> &CollisionMesh {
        &self.shapes[body % self.shapes.len()]
    }

    fn is_fixed(body: usize) -> bool {
        body % 3 == 2
    }

    fn fill(&mut self, mut world: World) -> World {
        self.ids = (0..self.placed.len())
            .map(|body| {
                let add = if Self::is_fixed(body) { World::add_fixed } else { World::add };
                add(&mut world, self.shape(body), &self.placed[body].pose()).expect("admissible")
            })
            .collect();
        world
    }

    /// Moves every body but most of the fixed ones, and returns their next poses.
    fn step(&mut self, rng: &mut Rng) -> (Vec<Placed>, Vec<(BodyId, Pose)>) {
        let before = self.placed.clone();
        for (body, placed) in self.placed.iter_mut().enumerate() {
            if !Self::is_fixed(body) || rng.index(4) == 0 {
                *placed = placed.next(rng);
            }
        }
        (before, self.ids.iter().copied().zip(self.placed.iter().map(Placed::pose)).collect())
    }

    /// Returns the events of a step by querying each pair separately, with the precision of the pair's event.
    fn expected(&self, before: &[Placed], step: &Step) -> Vec<([BodyId; 2], ContactChange, TimesOfImpact)> {
        let (count, mut found) = (self.placed.len(), Vec::new());
        for (a, b) in (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b))) {
            if Self::is_fixed(a) && Self::is_fixed(b) {
                continue;
            }
            let (bodies, pair) = ([self.ids[a], self.ids[b]], [a, b]);
            let touch = |placed: &[Placed]| {
                let [one, other] = pair.map(|i| self.shape(i).at(&placed[i].pose()).expect("admissible"));
                intersects(&one, &other)
            };
            let moved = pair.map(|i| motions(&before[i], &self.placed[i]));
            let event = step.events.iter().find(|event| event.bodies == bodies);
            let precision = event.map_or(PRECISION, |event| event.precision);
            let asked = |by: usize| {
                let [one, other] = [0, 1].map(|side| self.shape(pair[side]).along(&moved[side][by]));
                time_of_impact(&one, &other, precision).expect("admissible")
            };
            let is_still = pair.iter().all(|&i| before[i] == self.placed[i]);
            let change = match [touch(before), touch(&self.placed)] {
                _ if is_still => continue,
                [true, true] => continue,
                [false, true] => ContactChange::Began,
                [true, false] => ContactChange::Ended,
                [false, false] => ContactChange::Brief,
            };
            let later = |times: &TimesOfImpact| !times.at_start || times.again.is_some();
            let times = asked(0);
            assert_eq!(times.as_ref().map(brackets), asked(1).as_ref().map(brackets));
            let times = times.filter(|times| change != ContactChange::Brief || later(times));
            found.extend(times.map(|times| (bodies, change, times)));
        }
        found.sort_by(|a, b| {
            let key = |times: &TimesOfImpact| [times.first.after, times.first.before];
            key(&a.2).partial_cmp(&key(&b.2)).expect("no NaN").then(a.0.cmp(&b.0))
        });
        found
    }
}

/// `CLOSEFIT_CASES=10000` asks ten thousand frames.
#[test]
fn steps_have_the_times_of_contact_of_every_pair_alone() {
    let mut seen = BTreeSet::new();
    let mut rng = Rng::new("steps of a world", 1);
    let (frames, mut done, mut events) = (closefit_testing::cases(60), 0, 0);
    while done < frames {
        let mut scene = Scene::new(9, &mut rng);
        let mut world = scene.fill(World::default());
        let mut touching: BTreeSet<[BodyId; 2]> = world.intersecting().into_iter().collect();
        for _ in 0..20 {
            let (before, next) = scene.step(&mut rng);
            let step = world.advance(&next, &request()).expect("admissible");
            let found: Vec<_> =
                step.events.iter().map(|event| (event.bodies, event.change, event.times)).collect();
            assert_eq!(found, scene.expected(&before, &step), "frame {done}");
            for ContactEvent { bodies, change, .. } in step.events {
                seen.insert(format!("{change:?}"));
                match change {
                    ContactChange::Began => assert!(touching.insert(bodies)),
                    ContactChange::Ended => assert!(touching.remove(&bodies)),
                    ContactChange::Brief => assert!(!touching.contains(&bodies)),
                }
                events += 1;
            }
            assert!(touching.iter().copied().eq(world.intersecting()), "frame {done}");
            done += 1;
        }
    }
    println!("{events} events in {done} frames");
    assert!(seen.len() == 3 && events > frames, "{seen:?} {events}");
}

/// Neither the search for near pairs nor the number of threads changes a step, nor what a budget leaves open.
#[test]
fn steps_do_not_depend_on_methods_or_threads() {
    let mut rng = Rng::new("methods of a world", 1);
    let mut scene = Scene::new(24, &mut rng);
    let spheres = World::default().with_sphere_levels(&[1, 8]).expect("they rise");
    let every = BroadPhase::ALL.iter().map(|&method| World::with_broad_phase(method));
    let bounds = BodyBounds::ALL.map(|bounds| World::default().with_bounds(bounds));
    let hulls = World::default().with_hulls(HullFilter::ClosestFeatures);
    let mut worlds: Vec<World> = every.chain(bounds).chain([spheres, hulls]).collect();
    worlds = worlds.into_iter().map(|world| scene.fill(world)).collect();
    // The work counts, so these have one method and differ in their threads.
    let mut limited: Vec<World> = [1, 2, 3].map(|_| scene.fill(World::default())).into();
    let (mut open, mut events) = (0, 0);
    for frame in 0..12 {
        let (_, next) = scene.step(&mut rng);
        let steps: Vec<Step> =
            worlds.iter_mut().map(|world| world.advance(&next, &request()).expect("admissible")).collect();
        for step in &steps {
            assert_eq!(step, &steps[0], "frame {frame}");
        }
        let budget = request().budget(rng.index(40_000) as u64);
        let advance = |(world, threads): (&mut World, usize)| {
            let step = || world.advance(&next, &budget).expect("admissible");
            Pool::of(threads).install(step).expect("threads")
        };
        let cut: Vec<Step> = limited.iter_mut().zip(1..).map(advance).collect();
        let [first, ..] = &cut[..] else { unreachable!() };
        assert!(cut.iter().all(|step| step == first), "frame {frame}");
        assert!(first.open.is_sorted());
        let answered = steps[0].events.iter().filter(|event| !first.open.contains(&event.bodies));
        assert!(answered.eq(&first.events), "frame {frame}");
        (open, events) = (open + first.open.len(), events + first.events.len());
    }
    assert!(open > 50 && events > 50, "{open} {events}");
}

#[test]
fn a_spent_budget_leaves_all_pairs_open_by_name() {
    let mut scene = Scene::new(24, &mut Rng::new("spent", 1));
    let mut world = scene.fill(World::default());
    let next: Vec<(BodyId, Pose)> = scene.ids.iter().map(|&id| (id, Pose::IDENTITY)).collect();
    let step = world.advance(&next, &request().budget(0)).expect("admissible");
    assert_eq!(step.events, []);
    // All bodies are at one place, so all pairs are near, except pairs of two fixed bodies.
    assert_eq!(step.open.len(), 24 * 23 / 2 - 8 * 7 / 2);
    assert_eq!(world.pose(scene.ids[0]), Ok(&Pose::IDENTITY));
}

/// Matrices of f32 are not exact rotations. Contact at both ends is decided at exactly these matrices.
#[test]
fn rough_matrices_keep_their_exact_contacts() {
    let shape = CollisionMesh::build(&mesh(&cuboid([-0.5; 3], [0.5; 3])));
    let mut rng = Rng::new("rough", 1);
    let (mut began, mut ended) = (0, 0);
    for _ in 0..40 {
        let mut world = World::default();
        let ids = [(); 2].map(|()| world.add(&shape, &Pose::IDENTITY).expect("admissible"));
        for _ in 0..4 {
            // Corners on faces, and off by what f32 rounds.
            let rough = |rng: &mut Rng| {
                let pose = Pose::from_trs(rng.quaternion(), [1.0; 3], [0.0; 3]).expect("a rotation");
                let mut pose = Pose { rows: pose.rows.map(|row| row.map(|x| f64::from(x as f32))) };
                let [x, y, z] = pose.rows.map(|row| 0.5 * (row[0].abs() + row[1].abs() + row[2].abs()));
                let side = [x, y, z][rng.index(3)];
                pose.rows[0][3] = 0.5 + side + 1e-9 * rng.unit();
                pose
            };
            let next = [(ids[0], Pose::IDENTITY), (ids[1], rough(&mut rng))];
            let before = world.intersecting();
            let step = world.advance(&next, &AdvanceRequest::default().precision(1e-8)).expect("admissible");
            let after = world.intersecting();
            let has = |change| step.events.iter().any(|event| event.change == change);
            assert_eq!(has(ContactChange::Began), before.is_empty() && !after.is_empty());
            assert_eq!(has(ContactChange::Ended), !before.is_empty() && after.is_empty());
            began += usize::from(has(ContactChange::Began));
            ended += usize::from(has(ContactChange::Ended));
        }
    }
    assert!(began > 10 && ended > 10, "{began} {ended}");
}

/// A gap at the start that f64 cannot tell from a contact hides no contact later in the step. Without one,
/// bodies that slide or part make no event.
#[test]
fn gaps_too_small_to_tell_hide_no_contact() {
    let shape = CollisionMesh::build(&mesh(&cuboid([-0.5; 3], [0.5; 3])));
    let (quarter, straight) = ([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0]], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    for exponent in 44..=52 {
        let beside = 1.0 + libm::ldexp(1.0, -exponent);
        for ([[a, b, c], [d, e, f]], [x, y], is_pressed) in [
            (quarter, [beside, 0.0], true),
            (straight, [beside, 0.3], false),
            (straight, [1.25, 0.0], false),
            (straight, [beside, 0.0], false),
        ] {
            let mut world = World::default();
            let from = Pose::translation([beside, 0.0, 0.0]);
            world.add_fixed(&shape, &Pose::IDENTITY).expect("admissible");
            let body = world.add(&shape, &from).expect("admissible");
            assert!(world.intersecting().is_empty());
            let next = Pose { rows: [[a, b, c, x], [d, e, f, y], [0.0, 0.0, 1.0, 0.0]] };
            let step = world.advance(&[(body, next)], &request()).expect("admissible");
            assert!(world.intersecting().is_empty());
            let changes: Vec<_> = step.events.iter().map(|event| event.change).collect();
            let expected = if is_pressed { vec![ContactChange::Brief] } else { Vec::new() };
            assert_eq!(changes, expected, "2^-{exponent} to {x} {y}");
        }
    }
}

#[test]
fn refused_steps_move_nothing() {
    let mut scene = Scene::new(3, &mut Rng::new("refused", 1));
    let mut world = scene.fill(World::default());
    let [a, b, c] = scene.ids[..] else { unreachable!() };
    world.remove(c).expect("it is there");
    let still = Pose::translation([1e3, 0.0, 0.0]);
    let scaled = |x: f64| Pose::from_trs([0.0, 0.0, 0.0, 1.0], [x; 3], [0.0; 3]).expect("a rotation");
    let mut refused = |next: &[(BodyId, Pose)], precision: f64| {
        let step = world.advance(next, &AdvanceRequest::default().precision(precision));
        assert_eq!(world.pose(a), Ok(&scene.placed[0].pose()));
        step.expect_err("refused")
    };
    let not_rigid = AdvanceError::Motion { body: 1, error: MotionError::NotRigid { index: 1 } };
    assert_eq!(refused(&[(a, still), (b, scaled(2.0))], 1e-6), not_rigid);
    assert_eq!(refused(&[(a, still), (c, still)], 1e-6), WorldError::NoSuchBody { index: 2 }.into());
    assert_eq!(refused(&[(a, still), (b, still), (a, still)], 1e-6), AdvanceError::Twice { body: 0 });
    let beyond = Pose::translation([2f64.powi(201), 0.0, 0.0]);
    assert_eq!(
        refused(&[(a, still), (b, beyond)], 1e-6),
        AdvanceError::Pose { body: 1, error: PoseError::OutOfRange }
    );
    for precision in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(refused(&[(a, still)], precision), AdvanceError::Precision { .. }));
    }
    let at_b = scene.placed[1].pose();
    assert!(matches!(refused(&[(a, at_b)], 1e-30), AdvanceError::TooFine { bodies: [0, 1], .. }));
}

/// The tree of one body is fitted to other vertices; the other bodies of its mesh keep their shape.
#[test]
fn a_refitted_body_has_the_answers_of_a_new_one() {
    let soup = octahedron(DVec3::ZERO, 1.0);
    let shape = CollisionMesh::build(&mesh(&soup));
    let mut rng = Rng::new("refit", 1);
    for _ in 0..20 {
        let poses = [0, 1, 2].map(|_| Placed { place: rng.point(), ..Placed::random(&mut rng) }.pose());
        let mut world = World::default();
        let ids = poses.map(|pose| world.add(&shape, &pose).expect("admissible"));
        world.contacts();
        let bend = |v: &DVec3| *v + DVec3::Z * 0.5 * v.x * v.x;
        let bent: Vec<DVec3> = shape.mesh().vertices().iter().map(bend).collect();
        world.refit(ids[1], &bent).expect("as many");
        let other = CollisionMesh::new(&bent, shape.mesh().triangles()).expect("valid");
        let mut expected = World::default();
        for (pose, shape) in poses.iter().zip([&shape, &other, &shape]) {
            expected.add(shape, pose).expect("admissible");
        }
        assert_eq!(world.contacts(), expected.contacts());
        assert_eq!(world.pairs_within(0.5), expected.pairs_within(0.5));
    }
    let mut world = World::default();
    let id = world.add(&shape, &Pose::IDENTITY).expect("admissible");
    assert!(matches!(world.refit(id, &[DVec3::ZERO]), Err(WorldError::Refit(_))));
}
