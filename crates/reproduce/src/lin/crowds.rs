//! Table `lin-boxes`: sorted lists of boxes of fixed and of dynamic size, by number, complexity, velocity and
//! spin (section 3, Graphs 1 to 6).

use std::time::Instant;

use closefit::kind::Obb;
use closefit::{BodyBounds, BroadPhase, CollisionMesh, Mesh, World, WorldWork};
use closefit_generate::shapes::Shape;

use crate::fit::exponent;
use crate::meshes::centred;
use crate::papers::LIN_CROWDS;
use crate::picture::Picture;
use crate::simulate::add_poses;
use crate::simulate::swarm::{Pace, Swarm};
use crate::table::{Seconds, ours, paper};
use crate::verdict::{Claim, Rule};
use crate::{Effort, Experiment, Motion, Row, Run, Table, either};

pub const EXPERIMENT: Experiment = Experiment {
    name: "lin-boxes",
    about: "sorted lists of fixed and of dynamic boxes, by number, complexity and speed",
    steps: |effort| cases(effort).len() as u64,
    run,
};

/// The share of space that the boxes of all bodies take up.
const SHARE: f64 = 0.05;

/// A simulation of many bodies.
#[derive(Clone, Copy)]
struct Case {
    bodies: u32,
    facets: u32,
    pace: Pace,
}

impl Case {
    fn mesh(self) -> Mesh {
        centred(&Shape::Sphere.mesh(self.facets)).0
    }

    fn swarm(self) -> Swarm {
        Swarm::new(self.bodies, SHARE, self.pace, SEED)
    }
}

/// The seed of all simulations.
const SEED: u64 = 5;

/// Returns the flight of a number of balls of 50 facets.
pub fn crowd(bodies: u32, seed: u64, frames: u32) -> Motion {
    let case = Case { bodies, facets: 50, pace: Pace { step: SLOW, turn: 0.05 } };
    let swarm = Swarm::new(bodies, SHARE, case.pace, SEED + seed);
    Motion::equal("crowd", &case.mesh(), swarm.flight(frames))
}

/// The parameter that is varied.
#[derive(Clone, Copy, PartialEq)]
enum Varied {
    /// The number of bodies, in small steps and in large ones.
    Number {
        is_fast: bool,
    },
    Facets,
    Speed,
    /// Bodies turn about their middles, and do not move.
    Spin,
}

impl Varied {
    fn name(self) -> &'static str {
        match self {
            Self::Number { is_fast: false } => "number",
            Self::Number { is_fast: true } => "number, fast",
            Self::Facets => "facets",
            Self::Speed => "speed",
            Self::Spin => "spin",
        }
    }
}

/// A step of a thousandth of the cube's side for 1000 bodies, and one of half a radius.
const SLOW: f64 = 0.05;
const FAST: f64 = 2.0;

fn cases(effort: Effort) -> Vec<(Varied, Case)> {
    let numbers: &[u32] = either(effort, &[50, 100, 200], &[50, 100, 200, 500, 1_000]);
    let (bodies, facets) = (either(effort, 50, 200), 50);
    let pace = Pace { step: SLOW, turn: 0.05 };
    let fast = Pace { step: FAST, turn: 0.05 };
    let of_number = |is_fast: bool| {
        let pace = if is_fast { fast } else { pace };
        numbers.iter().map(move |&bodies| (Varied::Number { is_fast }, Case { bodies, facets, pace }))
    };
    let of_facets = [20, 50, 100, 200, 500].map(|facets| (Varied::Facets, Case { bodies, facets, pace }));
    let of_speed = [0.01, 0.05, 0.2, 0.5, 1.0, 2.0]
        .map(|step| (Varied::Speed, Case { bodies, facets, pace: Pace { step, ..pace } }));
    let of_spin =
        [0.01, 0.1, 1.0].map(|turn| (Varied::Spin, Case { bodies, facets, pace: Pace { step: 0.0, turn } }));
    of_number(false).chain(of_number(true)).chain(of_facets).chain(of_speed).chain(of_spin).collect()
}

fn frames(effort: Effort) -> u32 {
    either(effort, 20, 200)
}

/// The work of the frames of a case, for a kind of box, without the work of the first frame.
struct Found {
    work: WorldWork,
    first: WorldWork,
    seconds: f64,
}

impl Found {
    fn new(case: Case, bounds: BodyBounds, frames: u32, digest: &mut blake3::Hasher) -> Self {
        let tree = CollisionMesh::build(&case.mesh());
        let mut swarm = case.swarm();
        let mut world = World::<Obb>::with_broad_phase(BroadPhase::Lists).with_bounds(bounds);
        let ids = swarm.join(&mut world, &tree);
        world.intersecting();
        let first = world.work();
        let start = Instant::now();
        for _ in 0..frames {
            swarm.advance_in(&mut world, &ids);
            world.intersecting();
        }
        let seconds = start.elapsed().as_secs_f64() / f64::from(frames);
        add_poses(digest, &swarm.poses().collect::<Vec<_>>());
        Self { work: world.work(), first, seconds }
    }

    fn exchanges(&self) -> u64 {
        self.work.broad.exchanges.iter().sum::<u64>() - self.first.broad.exchanges.iter().sum::<u64>()
    }

    /// Returns the number of bodies moved that got another box.
    fn updates(&self) -> u64 {
        self.work.updates - self.first.updates
    }

    fn asked(&self) -> u64 {
        self.work.asked - self.first.asked
    }
}

/// The kinds of boxes that are compared.
const BOUNDS: [(&str, BodyBounds); 2] = [("fixed", BodyBounds::Cube), ("dynamic", BodyBounds::Tight)];

fn run(run: &Run) -> Table {
    let mut table = Table::new(run, EXPERIMENT.name, EXPERIMENT.about, LIN_CROWDS);
    let frames = frames(run.effort);
    let mut digest = blake3::Hasher::new();
    let mut all = Vec::new();
    for (varied, case) in cases(run.effort) {
        let found = BOUNDS.map(|(_, bounds)| Found::new(case, bounds, frames, &mut digest));
        let Case { bodies, facets, pace } = case;
        table.keep(run, || {
            let name = format!(
                "{}: {bodies} bodies of {facets} facets, step {}, turn {}",
                varied.name(),
                pace.step,
                pace.turn
            );
            Motion::equal(name, &case.mesh(), case.swarm().flight(frames))
        });
        for ((name, _), found) in BOUNDS.iter().zip(&found) {
            let a_frame = |count: u64| count as f64 / f64::from(frames);
            let row = format!("{}, {name} boxes", varied.name());
            table.rows.push(
                Row::new(row.clone())
                    .with("bodies", bodies)
                    .with("facets", facets)
                    .with("step", pace.step)
                    .with("turn", pace.turn)
                    .with("exchanges", a_frame(found.exchanges()))
                    .with("updates", a_frame(found.updates()))
                    .with("candidates", a_frame(found.asked())),
            );
            let of = format!(
                "a frame, {row}: {bodies} bodies of {facets} facets, step {}, turn {}",
                pace.step, pace.turn
            );
            table.this_machine.rows.push(Seconds { of, seconds: found.seconds });
        }
        all.push((varied, case, found));
        run.observer.advance();
    }
    table.columns = vec![
        ("bodies", "bodies"),
        ("facets", "facets"),
        ("step", "step"),
        ("turn", "turn"),
        ("exchanges", "exchanges"),
        ("updates", "updates"),
        ("candidates", "candidates"),
    ];
    table.settings = vec![
        paper(
            "three sorted lists of ends of boxes, kept from frame to frame; boxes are cubes of fixed size around a body in all its turns, or dynamic ones around its vertices",
        ),
        ours(format!(
            "balls of radius 1 and of 50 facets fly straight in a cube of which their boxes fill {SHARE}, and turn back at its walls; {frames} frames"
        )),
        ours(
            "step: the way in a frame, in radii; turn: its angle. A step of 0.05 is about a thousandth of the cube of 1000 bodies",
        ),
        ours(
            "a frame's exchanges of ends in the three lists, boxes that change, and pairs whose boxes meet, which are tested for contact",
        ),
    ];
    table.claims = claims(&all, frames);
    table.picture = Some(picture(&all, frames));
    table.path = Some(digest.finalize().to_hex().to_string());
    table
}

type Of = (Varied, Case, [Found; 2]);

/// Ends of a body's box in three lists, which an insertion sort looks at in each frame.
const ENDS: f64 = 6.0;

/// Returns the exponent of exchanges and of ends looked at, over the number of bodies.
fn growth(all: &[Of], is_fast: bool, bounds: usize, frames: u32) -> f64 {
    let points: Vec<(f64, f64)> = all
        .iter()
        .filter(|(varied, ..)| *varied == Varied::Number { is_fast })
        .map(|(_, case, found)| {
            let bodies = f64::from(case.bodies);
            (bodies, ENDS * bodies + found[bounds].exchanges() as f64 / f64::from(frames))
        })
        .collect();
    exponent(&points)
}

fn claims(all: &[Of], frames: u32) -> Vec<Claim> {
    let growths = |is_fast: bool| {
        [0, 1].map(|bounds| (format!("{} boxes", BOUNDS[bounds].0), growth(all, is_fast, bounds, frames)))
    };
    let spinning = all.iter().filter(|(varied, ..)| *varied == Varied::Spin);
    vec![
        Claim::judged(
            "L12a",
            "lists that are nearly sorted are sorted anew by insertion \"in expected O(N) time\": exponent of exchanges and of ends looked at, six a body, where steps are small",
            "1",
            Rule::AtMost(1.15),
            growths(false),
        ),
        Claim::judged(
            "L12b",
            "the same where bodies move by their diameter in a frame, which the paper does not claim",
            "no number",
            Rule::NotComparable("the paper speaks of relatively small movements alone"),
            growths(true),
        ),
        Claim::judged(
            "L13",
            "a cube of fixed size need not be found anew when its body only turns: cubes that change",
            "0",
            Rule::AtMost(0.0),
            spinning.map(|(_, case, found)| (format!("turn {}", case.pace.turn), found[0].updates() as f64)),
        )
        .that_cannot_fail("a cube around a sphere does not change when the sphere turns"),
    ]
}

fn picture(all: &[Of], frames: u32) -> Picture {
    let curve = |is_fast: bool, bounds: usize| {
        let name = format!("{} boxes{}", BOUNDS[bounds].0, if is_fast { ", fast" } else { "" });
        let of_number = all.iter().filter(|(varied, ..)| *varied == Varied::Number { is_fast });
        let exchanges = |found: &Found| found.exchanges() as f64 / f64::from(frames);
        (
            name,
            of_number.map(|(_, case, found)| (f64::from(case.bodies), exchanges(&found[bounds]))).collect(),
        )
    };
    Picture {
        title: "exchanges in sorted lists of crowds, by the number of bodies",
        x: "bodies",
        is_logarithmic: true,
        y: "exchanges in a frame",
        curves: [(false, 0), (false, 1), (true, 0), (true, 1)]
            .map(|(fast, bounds)| curve(fast, bounds))
            .to_vec(),
    }
}
