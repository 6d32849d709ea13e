//! Two bodies with trees of one kind, and the queries on both.

use glam::DVec3;

use super::Hierarchy;
use super::posed_model::{PosedBounds, PosedModel, PosedTree};
use crate::narrow::{self, Nearest, Work, count};
use closefit_geometry::math::pose::Pose;

/// A question about a body that has been moved. Its second argument returns the contacts that the pair then
/// has.
pub type AskMoved<'a> = dyn FnMut(&PosedModel<'_>, &mut dyn FnMut() -> Vec<[u32; 2]>) + 'a;

/// Two bodies whose trees are of one kind, which queries do not know.
pub trait StaticPair: Sync {
    /// Returns both bodies.
    fn bodies(&self) -> [&PosedModel<'_>; 2];

    /// Returns all pairs of triangles in contact, sorted. If there are more than `most`, returns some of
    /// them, more than `most`.
    fn contacts_up_to(&self, most: usize, work: &mut Work) -> Vec<[u32; 2]>;

    /// Returns all pairs of triangles in contact, sorted.
    fn contacts(&self, work: &mut Work) -> Vec<[u32; 2]> {
        self.contacts_up_to(usize::MAX, work)
    }

    /// True when [`StaticPair::contacts`] is not empty; stops at the first contact.
    fn touches(&self, work: &mut Work) -> bool;

    /// Returns the closest pair of triangles, if its distance is at most `bound`. The bodies must not be in
    /// contact.
    fn nearest(&self, bound: f64, work: &mut Work) -> Option<Nearest>;

    /// Returns two triangles no farther apart than `bound`, if there are any: not always the closest.
    fn within(&self, bound: f64, work: &mut Work) -> Option<[u32; 2]>;

    /// Calls `ask` with one of the two bodies (0 or 1) moved by a step, and with a function that returns the
    /// contacts that the pair then has, whose search it counts.
    fn with_moved(&self, side: usize, step: DVec3, ask: &mut AskMoved);

    /// Calls `ask` with the pair as it is once one of the two bodies (0 or 1) has been moved by a step.
    fn with_step(&self, side: usize, step: DVec3, ask: &mut dyn FnMut(&dyn StaticPair));

    /// Calls `ask` with one of the two bodies (0 or 1) in its mesh's own coordinates.
    fn unposed(&self, side: usize, ask: &mut dyn FnMut(&PosedModel<'_>));
}

impl dyn StaticPair + '_ {
    /// Returns what the pair answers once one of the two bodies (0 or 1) has been moved by a step.
    pub fn ask_after<R>(&self, side: usize, step: DVec3, ask: impl FnOnce(&dyn StaticPair) -> R) -> R {
        answer(ask, |ask| self.with_step(side, step, ask))
    }
}

impl<'a, T: Hierarchy> StaticPair for [&PosedModel<'a, PosedTree<'a, T>>; 2] {
    fn bodies(&self) -> [&PosedModel<'_>; 2] {
        let [a, b] = *self;
        [a, b]
    }

    fn contacts_up_to(&self, most: usize, work: &mut Work) -> Vec<[u32; 2]> {
        T::contacts(&self[0].tree.0, &self[1].tree.0, most, work)
    }

    fn touches(&self, work: &mut Work) -> bool {
        T::touches(&self[0].tree.0, &self[1].tree.0, work)
    }

    fn nearest(&self, bound: f64, work: &mut Work) -> Option<Nearest> {
        T::nearest(&self[0].tree.0, &self[1].tree.0, bound, work)
    }

    fn within(&self, bound: f64, work: &mut Work) -> Option<[u32; 2]> {
        T::within(&self[0].tree.0, &self[1].tree.0, bound, work)
    }

    fn with_moved(&self, side: usize, step: DVec3, ask: &mut AskMoved) {
        let moved = self[side].moved(step);
        ask(&moved, &mut || {
            let [a, b] = if side == 0 { [&moved, self[1]] } else { [self[0], &moved] };
            let mut work = Work::NONE;
            let contacts = T::contacts(&a.tree.0, &b.tree.0, usize::MAX, &mut work);
            count(work);
            contacts
        });
    }

    fn with_step(&self, side: usize, step: DVec3, ask: &mut dyn FnMut(&dyn StaticPair)) {
        let moved = self[side].moved(step);
        ask(&if side == 0 { [&moved, self[1]] } else { [self[0], &moved] });
    }

    fn unposed(&self, side: usize, ask: &mut dyn FnMut(&PosedModel<'_>)) {
        let bounds = self[side].mesh.posed_bounds(&Pose::IDENTITY);
        ask(&self[side].at(Pose::IDENTITY, PosedBounds::Exact(bounds)));
    }
}

/// Returns the answer of a pair that `with_pair` hands, once, to the function that it is given.
pub(super) fn answer<R>(
    ask: impl FnOnce(&dyn StaticPair) -> R,
    with_pair: impl FnOnce(&mut dyn FnMut(&dyn StaticPair)),
) -> R {
    let (mut ask, mut answer) = (Some(ask), None);
    with_pair(&mut |pair| answer = ask.take().map(|ask| ask(pair)));
    answer.expect("a pair is asked once")
}

/// Returns a point on each of the closest triangles. Counts one test.
pub fn witness([a, b]: [&PosedModel; 2], nearest: &Nearest) -> [DVec3; 2] {
    narrow::witness(&a.triangle(nearest.triangles[0]), &b.triangle(nearest.triangles[1]))
}
