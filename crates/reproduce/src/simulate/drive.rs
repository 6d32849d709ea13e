//! A body that is driven from frame to frame past another, static one, and never through it
//! (Redon, Kheddar and Coquillart 2002, section 7).
//!
//! The paper couples its search to a solver with constraints. Ours: the body moves along a screw until it
//! is a small gap away, loses the speed with which it approaches there, and goes on for the rest of the
//! frame, a few times.

use closefit::{Between, CollisionMesh, DVec3, Keyframe, Method, Motion, Work, distance};
use glam::{DMat3, DQuat};

use super::rigid::Rigid;
use super::rotation::{product, turned};
use crate::passage::{Asked, Body};

/// Number of contacts in a frame after which the body waits for the next one.
const CONTACTS: u32 = 4;

/// The world of a driven body.
pub struct Drive<'a> {
    pub still: &'a Body,
    pub moving: &'a Body,
    /// Trees of both, for distances.
    pub trees: [CollisionMesh; 2],
    /// The distance at which the body is stopped.
    pub gap: f64,
    /// The share of its speed of approach with which the body is thrown back.
    pub restitution: f64,
    pub method: Method,
}

/// A motion with a parameter from 0 to 1, and how far it was made.
#[derive(Clone, Debug)]
pub struct Piece {
    pub motion: Motion,
    /// The parameter up to which it was made.
    pub until: f64,
    /// The distance at which it would have ended.
    pub near: f64,
}

/// The events of a frame.
#[derive(Default)]
pub struct Frame {
    /// The motions one after the other.
    pub pieces: Vec<Piece>,
    /// Number of contacts.
    pub contacts: u32,
    pub work: Work,
}

impl Drive<'_> {
    /// Moves the body for a frame.
    pub fn advance(&self, body: &mut Rigid, time: f64) -> Frame {
        let (mut frame, mut left) = (Frame::default(), time);
        for _ in 0..CONTACTS {
            let motion = motion(body, left);
            let poses = [closefit::Pose::IDENTITY, body.pose()];
            let [still, moving] =
                [0, 1].map(|i| self.trees[i].at(&poses[i]).expect("poses of ordinary size"));
            // Nearer than the gap already: half of what is left may be used.
            let near = (0.5 * distance(&still, &moving).distance).min(self.gap);
            let asked = Asked::before_contact(near, self.method);
            // Wedged in so narrowly that numbers end: it waits.
            let Ok(found) = self.still.met_by(self.moving, &motion, asked, &mut frame.work) else { break };
            let Some(found) = found else {
                settle(body, &motion, 1.0);
                frame.pieces.push(Piece { motion, until: 1.0, near });
                break;
            };
            let until = found.first.after;
            settle(body, &motion, until);
            frame.pieces.push(Piece { motion, until, near });
            frame.contacts += 1;
            left *= 1.0 - until;
            self.respond(body, found.first.touch.point, found.first.touch.normal, time);
        }
        frame
    }

    /// Takes the speed of approach from the body, and a little more, so that the gap grows again.
    fn respond(&self, body: &mut Rigid, point: DVec3, normal: DVec3, time: f64) {
        let speed = body.velocity_at(point).dot(normal);
        let wanted = (-self.restitution * speed).max(self.gap / time);
        if speed < wanted {
            let impulse = (wanted - speed) * body.impulse_for_speed(point, normal);
            body.push(point, normal, impulse);
        }
    }
}

/// Gives a body the velocities that take it to a place and a turn within a time, but for speeds above limits,
/// of its middle and of its turn.
pub fn follow(body: &mut Rigid, (place, turn): (DVec3, DVec3), time: f64, [speed, spin]: [f64; 2]) {
    let limited = |v: DVec3, most: f64| v * (most / v.length().max(most));
    body.velocity = limited((place - body.place) / time, speed);
    let back = DQuat::from_xyzw(-body.turn.x, -body.turn.y, -body.turn.z, body.turn.w);
    let rest = product(turned(turn), back);
    let half = DVec3::new(rest.x, rest.y, rest.z) * rest.w.signum();
    body.spin = limited(half * (2.0 / time), spin);
}

/// Returns the motion of a body for a time, along a screw, with a parameter from 0 to 1.
fn motion(body: &Rigid, time: f64) -> Motion {
    let key = |time: f64, body: &Rigid| Keyframe { time, rotation: body.rotation(), translation: body.place };
    Motion::through(&[key(0.0, body), key(1.0, &body.after(time))], Between::Screw, [1.0; 3])
        .expect("two keyframes with rotations")
}

/// Puts a body at the place where a motion is.
fn settle(body: &mut Rigid, motion: &Motion, parameter: f64) {
    let pose = motion.pose(parameter);
    let column = |i: usize| DVec3::new(pose.rows[0][i], pose.rows[1][i], pose.rows[2][i]);
    body.place = pose.shift();
    body.turn = DQuat::from_mat3(&DMat3::from_cols(column(0), column(1), column(2)));
    let length = (body.turn.x * body.turn.x + body.turn.y * body.turn.y)
        + (body.turn.z * body.turn.z + body.turn.w * body.turn.w);
    body.turn *= 1.0 / length.sqrt();
}
