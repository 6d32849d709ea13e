//! Continuous collision detection: the search through time, and the kernels that prove two moving triangles apart.
//!
//! [`fronts`] finds the first cell of time within a limit, for any kind of tree: it halves time over the pairs of
//! boxes and triangles that it could not tell apart, by a [`method`]. [`lowest`](mod@lowest) finds the smallest
//! distance. [`moving_triangles`] and [`elementary`] tests exclude triangles, [`moving_boxes`] boxes in f64. What moves
//! in between the middles of cells only proves that cells need not be looked at.

pub mod edge_edge_time;
pub mod elementary;
pub mod fronts;
pub(crate) mod kernels;
pub mod lowest;
pub mod method;
pub mod moving_boxes;
pub mod moving_triangles;
pub mod root;
pub mod vertex_face_time;

/// Boxes that move by more than this share of their extents are not opened before time is halved: the constant of
/// the subdivision test of Redon et al. 2002, section 4.1.2. The inequality printed there adds one box's extent to
/// the path and holds that against the other's: boxes of one size would never be opened.
pub(crate) const SUBDIVISION: f32 = 0.2;

/// No extent counts for less than this share of the boxes' sizes: what is flat, and moves across itself, would
/// never be opened.
pub(crate) const FLAT: f32 = 0.05;
