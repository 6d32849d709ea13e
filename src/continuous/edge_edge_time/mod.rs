//! Two edges over a stretch of time: do they stay farther apart than a limit?
//!
//! *In*: an edge that stands and one that moves as seen from it, in centred form ([`Moved`](super::root::Moved)):
//! places, half paths, and what they may be off. *Out*: true only if the distance exceeds the limit all the time.
//!
//! Two proofs. Redon et al. 2002, equation 9: with `u` the edge that stands, `c` and `d` the ends of the other
//! as seen from its start, `f = u . (d x c)` over `|u x (d - c)|` is the distance of the lines. Both are
//! polynomials of one time, so `|f| >= |f0| - |f1| - |f2|`, exact but for what the ends are off; a box of
//! intervals per vertex would take every one of its twelve coordinates at a time of its own. And
//! for edges that are parallel, degenerate, or whose lines meet beyond them: the gap along the line of the points
//! that are closest in the middle, which stays a direction while they move.

pub mod scalar;
pub mod simd;
