//! Table `redon-applications`: bodies that a user drives against others, with contact and response
//! (section 7).

use std::f64::consts::TAU;
use std::time::Instant;

use closefit::{CollisionMesh, DVec3, Mesh, Method, Pose, Work, intersects};
use closefit_geometry::executor::Executor;

use super::scenes::{bunny, car_and_door, floor, landscape_and_torus};
use crate::meshes::centred;
use crate::papers::{REDON_APPLICATIONS, of_application};
use crate::passage::Body;
use crate::simulate::add_poses;
use crate::simulate::drive::{Drive, Frame, Piece, follow};
use crate::simulate::rigid::Rigid;
use crate::simulate::rotation::turned;
use crate::table::{Seconds, ours, paper};
use crate::verdict::{Claim, Rule, TimedClaim};
use crate::{Effort, Experiment, Motion, Row, Run, Setting, Table, either};

pub const EXPERIMENT: Experiment = Experiment {
    name: "redon-applications",
    about: "bodies driven against others: no interpenetration, and the work of a frame",
    steps: |_| NAMES.len() as u64,
    run,
};

/// The time of a frame, in seconds.
const FRAME: f64 = 1.0 / 30.0;

/// Poses between two frames at which contacts are looked for.
const BETWEEN: u32 = 10;

/// The applications, in the order of the paper.
const NAMES: [&str; 4] = ["bunnies", "car on a floor", "door in a car", "removal"];

fn frames(effort: Effort) -> u32 {
    either(effort, 30, 300)
}

/// The mover of a body.
enum Hand {
    /// The body follows a place and a turn that depend on the time: a first-order world.
    Follows(fn(f64) -> (DVec3, DVec3)),
    /// The body falls and is thrown back: a second-order world.
    Falls,
}

/// A body and what it is driven against.
struct Application {
    name: &'static str,
    still: Mesh,
    moving: Mesh,
    start: Rigid,
    hand: Hand,
    gap: f64,
}

impl Application {
    fn new(name: &'static str, effort: Effort) -> Self {
        let car = || car_and_door(either(effort, 2_000, 45_000));
        let bunnies = either(effort, 500, 3_000);
        let (still, moving, hand) = match name {
            "bunnies" => (bunny(bunnies), bunny(bunnies), Hand::Follows(around_and_at)),
            "car on a floor" => (floor(), centred(&car()[0]).0, Hand::Falls),
            "door in a car" => {
                let [body, door] = car();
                // Both are moved, so that the door's middle is the origin when it is shut.
                let (door, middle) = centred(&door);
                (crate::meshes::mapped(&body, |v| v - middle), door, Hand::Follows(shut))
            }
            _ => {
                let [landscape, torus] = landscape_and_torus(either(effort, 12_000, 20_000));
                (landscape, torus, Hand::Follows(drawn_off))
            }
        };
        let mut start = Rigid::of(&moving);
        match hand {
            Hand::Follows(path) => {
                let (place, turn) = path(0.0);
                (start.place, start.turn) = (place, turned(turn));
            }
            Hand::Falls => {
                start.place = DVec3::Z * 2.0;
                start.turn = turned(DVec3::new(0.9, 0.4, 0.0));
                start.spin = DVec3::new(0.5, 1.0, 0.3);
            }
        }
        Self { name, still, moving, start, hand, gap: 1e-3 }
    }
}

/// Circles around the origin, nearer and nearer, and into what is there.
fn around_and_at(time: f64) -> (DVec3, DVec3) {
    let (angle, away) = (1.2 * time, 1.8 + 0.4 * libm::cos(3.0 * time));
    (
        DVec3::new(libm::cos(angle), libm::sin(angle), 0.2 * libm::sin(time)) * away,
        DVec3::new(0.3, 1.0, 0.5) * time,
    )
}

/// Comes to the shut place of a door with a hand that trembles by more than the gap.
fn shut(time: f64) -> (DVec3, DVec3) {
    let tremble = |speed: f64| 0.012 * libm::sin(speed * time);
    let away = (0.2 - 0.3 * time).max(0.0);
    (DVec3::new(tremble(3.1), tremble(4.3), away), DVec3::new(0.3, 0.2, 0.0) * away + DVec3::Z * tremble(2.3))
}

/// Draws a ring off what is at the origin, by a hand that goes round.
fn drawn_off(time: f64) -> (DVec3, DVec3) {
    let angle = TAU * 0.3 * time;
    (
        DVec3::new(0.6 * libm::sin(angle), 0.6 * (1.0 - libm::cos(angle)), 1.3 + 0.25 * time),
        DVec3::X * (0.2 * libm::sin(angle)),
    )
}

/// Returns the motion of a bunny of about so many triangles, which a hand leads around another one and into
/// it.
pub fn by_hand(triangles: u32, frames: u32) -> Motion {
    let (place, turn) = around_and_at(0.0);
    let [still, moving] = [bunny(triangles), bunny(triangles)];
    let mut start = Rigid::of(&moving);
    (start.place, start.turn) = (place, turned(turn));
    let application =
        Application { name: "hand", still, moving, start, hand: Hand::Follows(around_and_at), gap: 1e-3 };
    let poses = driven(&application, frames, Executor::default(), &mut blake3::Hasher::new()).poses;
    let frames = poses.iter().map(|pose| [Pose::IDENTITY, *pose]);
    Motion::pair("hand", [&application.still, &application.moving], frames)
}

/// The outcome of an application.
struct Driven {
    name: &'static str,
    triangles: [u64; 2],
    contacts: u64,
    /// Frames with a contact.
    touched: u64,
    work: Work,
    /// Poses at which the exact test ran, and the poses in contact among them.
    asked: [u64; 2],
    /// Seconds of each frame.
    seconds: Vec<f64>,
    /// The pose of the moving body after each frame.
    poses: Vec<Pose>,
}

fn driven(application: &Application, frames: u32, executor: Executor, digest: &mut blake3::Hasher) -> Driven {
    let Application { name, still, moving, start, hand, gap } = application;
    let trees = [CollisionMesh::build(still), CollisionMesh::build(moving)];
    let bodies = [still, moving].map(|mesh| Body::new(mesh.clone(), executor));
    let restitution = if matches!(hand, Hand::Falls) { 0.5 } else { 0.0 };
    let drive = Drive {
        still: &bodies[0],
        moving: &bodies[1],
        trees: trees.clone(),
        gap: *gap,
        restitution,
        method: Method::FASTEST,
    };
    let mut driven = Driven {
        name,
        triangles: [still, moving].map(|mesh| mesh.triangles().len() as u64),
        contacts: 0,
        touched: 0,
        work: Work::NONE,
        asked: [0; 2],
        seconds: Vec::new(),
        poses: Vec::new(),
    };
    let mut body = *start;
    for i in 0..frames {
        match hand {
            Hand::Follows(path) => follow(&mut body, path(f64::from(i + 1) * FRAME), FRAME, [3.0; 2]),
            Hand::Falls => body.velocity -= DVec3::Z * (9.8 * FRAME),
        }
        let begun = Instant::now();
        let frame = drive.advance(&mut body, FRAME);
        driven.seconds.push(begun.elapsed().as_secs_f64());
        driven.add(&frame, &trees);
        driven.poses.push(body.pose());
    }
    add_poses(digest, &driven.poses);
    driven
}

impl Driven {
    /// Adds a frame, and looks for contacts between it and the last one.
    fn add(&mut self, frame: &Frame, [still, moving]: &[CollisionMesh; 2]) {
        self.contacts += u64::from(frame.contacts);
        self.touched += u64::from(frame.contacts > 0);
        self.work += frame.work;
        let still = still.at(&Pose::IDENTITY).expect("a pose of ordinary size");
        for Piece { motion, until, .. } in &frame.pieces {
            for k in 1..=BETWEEN {
                let pose = motion.pose(until * f64::from(k) / f64::from(BETWEEN));
                let moved = moving.at(&pose).expect("a pose of ordinary size");
                self.asked[0] += 1;
                self.asked[1] += u64::from(intersects(&still, &moved));
            }
        }
    }

    fn row(&self) -> Row {
        Row::new(self.name)
            .with("still", self.triangles[0])
            .with("moving", self.triangles[1])
            .with("contacts", self.contacts)
            .with("touched", self.touched)
            .with("box_tests", self.work.box_tests)
            .with("triangle_tests", self.work.triangle_tests)
            .with("asked", self.asked[0])
            .with("penetrating", self.asked[1])
    }

    /// Returns the share of frames that took less than a frame's time.
    fn in_time(&self) -> f64 {
        let in_time = self.seconds.iter().filter(|&&seconds| seconds < FRAME).count();
        in_time as f64 / self.seconds.len() as f64
    }
}

fn run(run: &Run) -> Table {
    let mut table = Table::new(run, EXPERIMENT.name, EXPERIMENT.about, REDON_APPLICATIONS);
    let mut digest = blake3::Hasher::new();
    let mut all = Vec::new();
    for name in NAMES {
        let application = Application::new(name, run.effort);
        let driven = driven(&application, frames(run.effort), Executor::default(), &mut digest);
        table.keep(run, || {
            let frames = driven.poses.iter().map(|pose| [Pose::IDENTITY, *pose]);
            Motion::pair(name, [&application.still, &application.moving], frames)
        });
        let row = |row: Row, column, key| match of_application(name, column) {
            Some(value) => row.with(key, value as u64),
            None => row,
        };
        let printed = row(Row::of_paper(name), "still", "still");
        let printed = row(printed, "moving", "moving");
        table.rows.extend((!printed.counts.is_empty()).then_some(printed));
        table.rows.push(driven.row());
        let mean = driven.seconds.iter().sum::<f64>() / driven.seconds.len() as f64;
        table.this_machine.rows.push(Seconds { of: format!("a frame, {name}"), seconds: mean });
        all.push(driven);
        run.observer.advance();
    }
    table.columns = vec![
        ("still", "triangles"),
        ("moving", "that move"),
        ("contacts", "contacts"),
        ("touched", "frames with"),
        ("box_tests", "box tests"),
        ("triangle_tests", "triangle tests"),
        ("asked", "poses asked"),
        ("penetrating", "in contact"),
    ];
    table.settings = settings(run.effort);
    table.claims = vec![Claim::judged(
        "R11",
        "\"No interpenetration ever occurs\": poses at which surfaces meet",
        "0",
        Rule::AtMost(0.0),
        all.iter().map(|driven| (driven.name.to_owned(), driven.asked[1] as f64)),
    )];
    table.this_machine.claims = vec![TimedClaim::new(
        "R12",
        "\"interactive simulations with models up to tens of thousands of triangles\": share of frames whose search and response take less than 33 ms",
        "no number",
        all.iter().map(|driven| (driven.name.to_owned(), driven.in_time())),
    )];
    table.path = Some(digest.finalize().to_hex().to_string());
    table
}

fn settings(effort: Effort) -> Vec<Setting> {
    vec![
        paper(
            "two bunnies of a few thousand triangles; a car of about 29 000 that bounces on a large cubic floor; a door of about 16 000 that a user puts into that car; an engine of a door that is removed, 20 000 together",
        ),
        paper("bodies move along screws from frame to frame, and stop at the first contact"),
        ours(
            "bunnies are wrinkled balls; car and door are those of the scene car-door; what is removed is a wrinkled torus around a stalagmite",
        ),
        ours(format!(
            "{} frames of 1/30 s. A hand that we have written down leads a body: it follows with at most 3 units a second, and loses what speed it has towards a contact. The car falls with 9.8 units a second squared, and is thrown back with half its speed",
            frames(effort)
        )),
        ours(
            "a body stops 0.001 away from the other, and in a frame four times at most; a rigid body of mass 1 with the inertia of its box",
        ),
        ours(
            "the search is the default; the exact test is asked at ten poses of each piece of motion between frames",
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every application has contacts, none goes through, and counts are the same with both executors.
    #[test]
    fn driven_bodies_touch_and_never_meet() {
        for name in NAMES {
            let application = Application::new(name, Effort::Quick);
            let [scalar, lanes] = [Executor::Scalar, Executor::Simd].map(|executor| {
                let mut digest = blake3::Hasher::new();
                let driven = driven(&application, 30, executor, &mut digest);
                assert!(driven.contacts > 0 && driven.asked[1] == 0, "{name}: {}", driven.contacts);
                (driven.row().counts, digest.finalize())
            });
            assert_eq!(scalar, lanes, "{name}");
        }
    }

    /// Bodies would go through each other without the search: the check sees that.
    #[test]
    fn hands_lead_bodies_into_each_other() {
        for name in ["bunnies", "door in a car", "removal"] {
            let Application { still, moving, hand: Hand::Follows(path), .. } =
                Application::new(name, Effort::Quick)
            else {
                panic!("{name} is led by a hand");
            };
            let trees = [CollisionMesh::build(&still), CollisionMesh::build(&moving)];
            let meets = |i: u32| {
                let (place, turn) = path(f64::from(i) * FRAME);
                let mut body = Rigid::of(&moving);
                (body.place, body.turn) = (place, turned(turn));
                let placed = [Pose::IDENTITY, body.pose()];
                let [a, b] = [0, 1].map(|k| trees[k].at(&placed[k]).expect("ordinary poses"));
                intersects(&a, &b)
            };
            assert!(!meets(0), "{name}: apart at first");
            assert!((1..200).any(meets), "{name}: and led into the other");
        }
    }
}
