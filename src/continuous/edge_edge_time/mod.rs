//! Proves that two edges stay farther apart than a limit over a stretch of time.
//!
//! *In*: a fixed edge, and an edge that moves as seen from it, in centred form
//! ([`Moved`](super::root::Moved)): positions, half paths, and their deviation bound. *Out*: true only if the
//! distance exceeds the limit throughout.
//!
//! There are two proofs. The first is Redon et al. 2002, equation 9. Let `u` be the fixed edge, and `c` and
//! `d` the ends of the other relative to its start; then `f = u . (d x c)` over `|u x (d - c)|` is the
//! distance between the lines. Both are polynomials of one time, so `|f| >= |f0| - |f1| - |f2|` holds up to
//! the deviation of the ends; with a box of intervals per vertex, each of the twelve coordinates would take
//! its own time. The second is for edges that are parallel or degenerate, or whose lines cross beyond their
//! ends: the gap along the direction between the closest points at the middle, which is kept fixed while they
//! move.

pub mod scalar;
pub mod simd;
