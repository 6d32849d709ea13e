//! Continuous collision detection: the search through time, and the kernels that prove two moving triangles
//! apart.
//!
//! [`fronts`] finds the first cell of time within a limit, for any kind of tree: it halves time for the pairs
//! of boxes and triangles not yet proven apart, by a [`method`]. [`lowest`](mod@lowest) finds the smallest
//! distance. [`known_apart`] holds time that was proven free beforehand. [`moving_triangles`] and
//! [`feature_times`] tests exclude triangles, and [`roots`] solves the latter for their first root. Movement
//! between the middles of cells serves only to prove that cells can be skipped.

pub mod edge_edge_time;
pub mod feature_times;
pub mod fronts;
pub mod kernels;
pub mod known_apart;
pub mod lowest;
pub mod method;
pub mod moving_triangles;
pub mod profile;
pub mod root;
pub mod roots;
pub mod vertex_face_time;

/// Smallest extent that counts, as a fraction of the boxes' sizes. Without it, flat boxes that move across
/// their plane would never be opened.
pub(crate) const FLAT: f32 = 0.05;
