//! Counts what a single step of the traversal takes.

use super::lines::Lines;
use super::posed::{Pass, PosedBoxTree, PosedPair};
use crate::counted::{Counted, Operations, counted};
use closefit_geometry::executor::Scalar;

/// Returns the operations of each step that can follow upon the roots of two trees: one of the boxes is cut
/// across an axis, and both parts are tested. `None` where f32 cannot tell boxes apart.
pub fn step_operations(a: &PosedBoxTree, b: &PosedBoxTree) -> Option<Vec<Operations>> {
    let pair = PosedPair::new(a, b);
    let frames = pair.frames.as_ref()?.lines(0.0)?.map(|frame| frame.to_numbers::<Counted<f32>>());
    let boxes = pair.trees(Pass::EdgesFirst).map(|tree| tree.whole().1);
    let state = Lines::new(Scalar, boxes, &frames);
    let step = |side: usize, axis: usize| {
        let middle = 0.5 * (boxes[side].lo[axis] + boxes[side].hi[axis]);
        let parts = || state.cut(Scalar, &frames, (side, axis, middle)).map(|part| part.meet(Scalar));
        counted(parts).1
    };
    Some((0..6).map(|i| step(i / 3, i % 3)).collect())
}
