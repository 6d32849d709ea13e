//! One moving oriented box against the eight of a block, over a whole stretch of time, as in Redon et al.
//! 2002: the coordinates of both boxes' centres and axes are intervals, by the paper's inclusion functions
//! (section 3.2, equations 2, 5 and 6), and both sides of its inequality 7 are computed with intervals
//! (section 4.1.2).
//!
//! *In*: two boxes of trees, and the screws that carry each from the start of the span. *Out*: the lanes that
//! no axis keeps apart. In a lane that is left out, the meshes' points in the two boxes are farther than the
//! limit from each other throughout the stretch.
//!
//! Where equation 7 multiplies axes with axes, it is reduced as for boxes at rest (Gottschalk et al. 1996):
//! the length of `e_i x f_j` along an axis is the length of another axis along another, and along the
//! difference T of the centres it is `(e_k . T) (e_l . f_j) - (e_l . T) (e_k . f_j)`.
//!
//! **Why a lane that is left out is apart.** Let two points of the meshes be within the limit at a time t of
//! the stretch. Carried back to the start, each lies in its box, up to the error of its placement, so at t
//! the boxes, widened by the errors, are within the limit. Then [`box_box`]'s argument holds for the
//! discrete test of the two boxes at t: with its widening of both boxes and its addition to the products of
//! axes, no axis separates them. Each interval contains the number of that discrete test at t, so no
//! interval test separates them either. The screws' own error, with the error of all roundings to f64, is
//! part of [`PairScrews::slack`]; it is added to the limit as the placements' errors are.
//!
//! [`box_box`]: crate::bvh::wide_obb::box_box

mod ends;
mod kernel;
#[cfg(test)]
mod tests;

use glam::{DMat3, DVec3};

use crate::bvh::moving::MovingTrees;
use crate::bvh::wide_obb::WideObb;
use crate::bvh::wide_obb::posed::PosedWideObb;
use closefit_geometry::math::error_bounds::F32_EXTENT;
use closefit_geometry::motion::moment::Moment;
use closefit_geometry::motion::screws::{PairScrews, Screw, ScrewOver};

pub use ends::Number;
pub use kernel::meeting;

/// The motions of two trees during a span.
#[derive(Clone, Debug)]
pub struct NaturalMotion {
    screws: PairScrews,
    /// The part of each tree: 0 for the pair's first.
    parts: [usize; 2],
    starts: [Start; 2],
    /// Bound of the distances between posed vertices and their images by `starts`, of both trees.
    error: f64,
}

/// The world from normal coordinates of a tree, at the start of a span.
#[derive(Clone, Copy, Debug)]
struct Start {
    /// A rotation, perhaps with a reflection.
    turn: DMat3,
    scale: f64,
    origin: DVec3,
}

/// Two trees, with the screws that carry each, over a stretch of time.
#[derive(Clone, Debug)]
pub struct NaturalPair {
    sides: [Carried; 2],
    /// The limit, with all that is added to radii.
    added: f64,
}

/// A tree and the screws that carry it, root first.
#[derive(Clone, Debug)]
struct Carried {
    start: Start,
    screws: Vec<(Screw, ScrewOver)>,
}

impl Start {
    fn of(posed: &PosedWideObb) -> Self {
        let linear = posed.linear * posed.scale.recip();
        Self { turn: linear, scale: posed.scale, origin: posed.origin }
    }
}

impl NaturalMotion {
    /// Returns the motions of the trees of a search. `None` for a pose with shear or uneven scale, or a
    /// motion that is no screw.
    pub fn of(trees: &MovingTrees<WideObb>) -> Option<Self> {
        let screws = trees.motion.screws()?;
        let parts = [trees.seen_from, 1 - trees.seen_from];
        let posed = [0, 1].map(|side| PosedWideObb::new(trees.trees[side], &screws.poses[parts[side]]));
        let error = posed[0].error + posed[1].error;
        let are_rigid = posed.iter().all(|posed| posed.is_rigid());
        are_rigid.then(|| Self { screws, parts, starts: posed.each_ref().map(Start::of), error })
    }

    /// Returns the trees over a moment, for a limit of their distance.
    pub fn over(&self, moment: &Moment, limit: f64) -> NaturalPair {
        let carried = |side: usize| Carried {
            start: self.starts[side],
            screws: self
                .screws
                .over(self.parts[side], moment.time, moment.half)
                .map(|(screw, over)| (*screw, over))
                .collect(),
        };
        let added = limit + self.screws.slack + self.error;
        NaturalPair { sides: [carried(0), carried(1)], added: added * (1.0 + F32_EXTENT) + f64::MIN_POSITIVE }
    }
}
