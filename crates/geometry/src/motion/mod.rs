//! Motions: keyframed joints, chains of joints, and the motion of two parts as seen from each other.
//!
//! Between two keyframes everything moves by the primitive of Redon et al. 2002, section 3.1, with constant
//! velocities: `p(s) = o + s d + Rot(u, s angle) (p0 - o)`. A [`joint`] turns ([`turn`]) and travels
//! ([`travel`]) in its parent's frame; an [`axis`] is all that a joint of one value needs. [`frames`]
//! composes joints from root to leaf. [`pair`] relates two parts after removing the motion that both have in
//! common. [`inclusion`] encloses a vertex over a stretch of time, and [`screws`] has the paper's own form of
//! that. [`coaxial`] finds an axis about which both parts turn, and [`course`] the axes along which they only
//! move one way. [`cells`] is the time line on which the contract defines answers.

pub mod axis;
mod ball;
pub mod cells;
pub mod coaxial;
pub mod course;
pub mod frames;
pub mod inclusion;
pub mod joint;
pub mod moment;
pub mod pair;
pub mod screws;
pub mod span;
pub mod swept;
pub mod travel;
pub mod turn;

pub use axis::JointAxis;
pub use frames::{Frame, FrameId, Frames};
pub use joint::{Between, Joint, Keyframe, LATEST, Motion, MotionError};

/// A text that is not a time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}': a time is a number of seconds, within 2^200")]
pub struct NotATime(String);

/// Parses a time in seconds.
///
/// # Errors
/// [`NotATime`] for what is no number, or beyond [`LATEST`].
pub fn parse_time(text: &str) -> Result<f64, NotATime> {
    let time = text.parse().ok().filter(|time: &f64| time.abs() <= LATEST);
    time.ok_or_else(|| NotATime(text.to_owned()))
}
