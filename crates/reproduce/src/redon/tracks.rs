//! The motions of `redon-optimisations`: bodies on their way to contact, past each other, and pressed against
//! each other.

use closefit::internals::bvh::Hierarchy;
use closefit::internals::bvh::wide_obb::WideObb;
use closefit::{Between, CollisionMesh, DVec3, Keyframe, Mesh, Method, Motion, Work};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::executor::Executor;
use closefit_methods::internals::binary_obb::{BinaryObb, Hits, Table};

use super::scenes::{bunny, car_and_door, floor};
use crate::meshes::{centred, mapped};
use crate::passage::{Asked, Body};
use crate::simulate::drive::{Drive, Piece, follow};
use crate::simulate::rigid::Rigid;
use crate::simulate::rotation::turned;
use crate::{Effort, either};

/// A body on its way past another one.
pub struct Track<T = BinaryObb> {
    pub name: &'static str,
    pub bodies: [Body<T>; 2],
    /// The place and the turn, from one parameter to another.
    from: (DVec3, DVec3),
    to: (DVec3, DVec3),
}

/// The motions of a body, one after the other, as questions to the search.
pub struct Way {
    /// The motions, with parameters from 0 to 1, and the distance at which each ends.
    steps: Vec<(Motion, f64)>,
    /// The precision, or the precision of a simulator that stops bodies before they meet.
    precision: Option<f64>,
    /// True if the way ends at the first contact.
    ends: bool,
}

impl Way {
    fn asked(&self, near: f64, method: Method) -> Asked {
        let asked = Asked::before_contact(near, method);
        self.precision.map_or(asked, |precision| Asked { precision, ..asked })
    }
}

/// The pairs of boxes from which the search of a motion begins: the roots; a table of the pairs at which the
/// search of the motion before ended; the same, raised where two pairs are apart; and the pairs at which a
/// search of the motion before from the roots ended.
pub const STARTS: [&str; 4] = ["no table", "table", "table, raised", "table of a search from the roots"];

impl Track {
    fn new(name: &'static str, meshes: [Mesh; 2], from: (DVec3, DVec3), to: (DVec3, DVec3)) -> Self {
        Self { name, bodies: meshes.map(Body::binary), from, to }
    }

    /// Returns the same track with eight boxes to a block.
    pub fn wide(&self, executor: Executor) -> Track<WideObb> {
        let bodies = self.bodies.each_ref().map(|body| Body::new(body.mesh.clone(), executor));
        Track { name: self.name, bodies, from: self.from, to: self.to }
    }
}

impl<T: Hierarchy> Track<T> {
    fn key(&self, time: f64, s: f64) -> Keyframe {
        let between = |a: DVec3, b: DVec3| a + (b - a) * s;
        let turn = turned(between(self.from.1, self.to.1));
        let rotation = [turn.x, turn.y, turn.z, turn.w];
        Keyframe { time, rotation, translation: between(self.from.0, self.to.0) }
    }

    /// Returns the way in a number of equal steps, until the first contact.
    pub fn way(&self, steps: u32) -> Way {
        let step = |i: u32| {
            let s = |i: u32| f64::from(i) / f64::from(steps);
            let keys = [self.key(0.0, s(i)), self.key(1.0, s(i + 1))];
            (Motion::through(&keys, Between::Screw, [1.0; 3]).expect("two keyframes"), 0.0)
        };
        Way { steps: (0..steps).map(step).collect(), precision: Some(1e-4), ends: true }
    }

    /// Returns the work on a way, and the number of steps with a contact.
    pub fn work(&self, way: &Way, method: Method) -> (Work, u64) {
        let (mut work, mut contacts) = (Work::NONE, 0);
        for (motion, near) in &way.steps {
            let [still, moving] = &self.bodies;
            let asked = way.asked(*near, method);
            let found = still.met_by(moving, motion, asked, &mut work).expect("far coarser than numbers");
            contacts += u64::from(found.is_some());
            if way.ends && found.is_some() {
                break;
            }
        }
        (work, contacts)
    }
}

/// The time of a frame, in seconds.
const FRAME: f64 = 1.0 / 30.0;

/// The gap at which a pressed body is stopped.
const GAP: f64 = 1e-3;

/// Frames after which a body that is led to another one must have reached it.
const PATIENCE: u32 = 1_000;

impl Track {
    /// Returns the parameter up to which each step of a way is searched: the first contact, or the end.
    pub fn ends(&self, way: &Way) -> Vec<f64> {
        let Track { bodies: [still, moving], .. } = self.wide(Executor::default());
        let mut ends = Vec::new();
        for (motion, near) in &way.steps {
            let asked = way.asked(*near, Method::FASTEST);
            let found = still.met_by(&moving, motion, asked, &mut Work::default()).expect("coarse");
            ends.push(found.map_or(1.0, |found| found.first.before));
            if way.ends && found.is_some() {
                break;
            }
        }
        ends
    }

    /// Returns the hits of boxes in each step of a way, up to where it [ends](Self::ends).
    pub fn hits(&self, way: &Way, ends: &[f64], method: Method) -> Hits {
        let [still, moving] = &self.bodies;
        let mut all = Hits::default();
        for ((motion, _), end) in way.steps.iter().zip(ends) {
            all += still.searched(moving, motion, method, |search| search.hits(0.5 * end, 0.5 * end));
        }
        all
    }

    /// Returns the work of tests of boxes over the motions of a way, without halving time, by each of
    /// [`STARTS`].
    pub fn tabled(&self, way: &Way, method: Method) -> [Work; STARTS.len()] {
        let [still, moving] = &self.bodies;
        let mut works = [Work::NONE; STARTS.len()];
        let [mut kept, mut raised, mut before] = [(); 3].map(|()| Table::default());
        for (motion, near) in &way.steps {
            still.searched(moving, motion, method, |search| {
                let from = |table: &mut Table, work: &mut Work| table.search(search, 0.5, 0.5, *near, work);
                from(&mut before, &mut works[3]);
                before = Table::default();
                from(&mut before, &mut works[0]);
                from(&mut kept, &mut works[1]);
                from(&mut raised, &mut works[2]);
                raised.raise();
            });
        }
        works
    }

    /// Returns the way of the second body, which a hand leads against the first one, by at most a hundredth
    /// of its size in a frame, from the first contact on.
    pub fn pressed(&self, hand: fn(f64) -> (DVec3, DVec3), frames: u32) -> Way {
        let Track { bodies: [still, moving], .. } = self.wide(Executor::default());
        let trees = [&still, &moving].map(|body| CollisionMesh::build(&body.mesh));
        let drive = Drive {
            still: &still,
            moving: &moving,
            trees,
            gap: GAP,
            restitution: 0.0,
            method: Method::FASTEST,
        };
        let Aabb { lo, hi } = Aabb::of(moving.mesh.vertices().iter().copied());
        let size = (hi - lo).length();
        let slow = [0.01 * size / FRAME, 0.02 / FRAME];
        let mut body = Rigid::of(&moving.mesh);
        (body.place, body.turn) = (self.from.0, turned(self.from.1));
        let arrives = (0..PATIENCE).any(|_| {
            follow(&mut body, hand(0.0), FRAME, [10.0 * slow[0], slow[1]]);
            drive.advance(&mut body, FRAME).contacts > 0
        });
        assert!(arrives, "{}: the hand leads it into the other body", self.name);
        let mut steps = Vec::new();
        for i in 0..frames {
            follow(&mut body, hand(f64::from(i + 1) * FRAME), FRAME, slow);
            let frame = drive.advance(&mut body, FRAME);
            steps.extend(frame.pieces.into_iter().map(|Piece { motion, near, .. }| (motion, near)));
        }
        Way { steps, precision: None, ends: false }
    }
}

/// The hands that press the body of each of [`tracks`] against the other one: around a bunny, along a floor,
/// and along the rim of a frame, next to its place in it.
pub const HANDS: [fn(f64) -> (DVec3, DVec3); 3] = [
    |time| {
        let angle = 0.3 * time;
        let place = DVec3::new(libm::cos(angle), libm::sin(angle), 0.3 * libm::sin(2.0 * angle));
        (place * 1.3, DVec3::new(0.1, 0.3, 0.2) * time)
    },
    |time| (DVec3::new(0.3 * time, 0.1 * time, -1.0), DVec3::new(0.9, 0.4, 0.1 * time)),
    |time| {
        let along = DVec3::new(0.02 * libm::sin(2.0 * time), 0.02 * libm::sin(3.0 * time), 0.0);
        (DVec3::new(0.05, 0.05, -0.05) + along, DVec3::ZERO)
    },
];

/// The tracks: bunnies, a car that falls on a floor, and a door that shuts.
pub fn tracks(effort: Effort) -> [Track; 3] {
    let size = either(effort, 300, 3_000);
    let [car, door] = car_and_door(either(effort, 1_000, 45_000));
    let (door, shut) = centred(&door);
    let ready = mapped(&car, |v| v - shut);
    [
        Track::new(
            "bunnies",
            [bunny(size), bunny(size)],
            (DVec3::new(3.0, 0.3, 0.2), DVec3::ZERO),
            (DVec3::new(-3.0, 0.3, 0.2), DVec3::new(0.5, 1.0, 0.3)),
        ),
        Track::new(
            "car on a floor",
            [floor(), centred(&car).0],
            (DVec3::Z * 3.0, DVec3::new(0.9, 0.4, 0.0)),
            (-DVec3::Z, DVec3::new(1.2, 0.1, 0.3)),
        ),
        Track::new(
            "door in a car",
            [ready, door],
            (DVec3::Z * 0.8, DVec3::new(0.3, 0.2, 0.0)),
            (-DVec3::Z * 0.4, DVec3::ZERO),
        ),
    ]
}

/// A bunny that goes past another without a turn, and a bunny that turns next to another.
pub fn straight_and_turning(effort: Effort) -> [Track; 2] {
    let size = either(effort, 300, 3_000);
    let beside = DVec3::new(0.2, 1.95, 0.0);
    [
        Track::new(
            "straight",
            [bunny(size), bunny(size)],
            (beside - DVec3::X * 1.5, DVec3::ZERO),
            (beside + DVec3::X * 1.5, DVec3::ZERO),
        ),
        Track::new(
            "turning",
            [bunny(size), bunny(size)],
            (beside, DVec3::ZERO),
            (beside, DVec3::new(1.0, 0.5, 2.0)),
        ),
    ]
}

/// Returns the way of a bunny of a size through another one.
pub fn passage(size: u32) -> Track {
    Track::new(
        "passage",
        [bunny(size), bunny(size)],
        (DVec3::new(3.0, 0.3, 0.2), DVec3::ZERO),
        (DVec3::new(-3.0, 0.3, 0.2), DVec3::new(0.5, 1.0, 0.3)),
    )
}
