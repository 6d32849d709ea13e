//! Parts that pass all the way through each other: then the depth in a solid reaches its thickness, which no
//! depth in it exceeds, and a single pose shows both bounds. From then on only the depth in the other solid
//! matters. If that is no thicker, or as deep as it is thick, too, the search ends.
//!
//! Over a whole sweep with all its intervals, a quick look ([`probe`]) takes the place of the depths of the
//! first poses.

use super::node::spread;
use super::pose::{self, AtPose};
use super::probe::probe;
use super::{Pressed, Search};
use crate::bvh::static_pair::StaticPair;
use crate::query::depth::exact::spot::{Rounded, Spot};
use crate::query::depth::{Deepest, DepthQuestion, RATIO, nearest_closed, thickness};
use crate::query::stage_work::StageWork;

/// Number of poses, spread over the time, at which a depth as large as the thickness is looked for.
const LOOKS: u32 = 4;

/// Ratio of a depth to the largest bound that changes nothing, from which on it may be as large as a
/// thickness: parts that rest on each other are no deeper.
const DEEP: f64 = 16.0;

/// The share of a depth by which its point is moved inwards.
const INWARDS: f64 = 1.0 / 16.0;

/// The growth of a depth by that step from which on the solid is thicker there.
const THICKER: f64 = 1.0 + 1.0 / 32.0;

impl Search<'_, '_> {
    /// Returns a bracket of the largest depth in a stretch of time, if at some pose that is nearly as large
    /// as the thickness of the thicker solid. These questions leave no trace in the search.
    pub fn saturated(&mut self, stretch: [f64; 2], work: &mut StageWork) -> Option<Pressed> {
        if self.sweep.has_incomplete_solid() {
            return None;
        }
        for time in spread(stretch, LOOKS) {
            let looked = self.sweep.ask_at(time, |pair| {
                let floor = DEEP * self.floor;
                let found = match self.looks_quickly {
                    true => probe(pair, work).filter(|found| found.at_least > floor)?,
                    false => self.depth_at(pair, (floor, false), work)?,
                };
                self.is_deep = true;
                let Some(thickness) = work.depth.ask(|| thickness_if_close(pair, &found)) else {
                    return Some(None);
                };
                let enough = thickness / RATIO;
                let found = if found.at_least > enough { Some(found) } else { None };
                // The depth is known to a hundredth only: it may be deeper.
                let found = found.or_else(|| self.depth_at(pair, (enough, true), work));
                Some(found.map(|AtPose { at_least, .. }| [at_least, thickness]))
            });
            if let Some([at_least, thickness]) = looked? {
                return Some(Pressed { at_least, at_most: thickness.max(at_least), at: time });
            }
        }
        None
    }

    /// Notes the thickness of each solid in which no depth exceeds the largest one by more than the bracket
    /// may be wide, if a pose is deeper than all before. A few poses that were looked at may all miss that.
    pub fn note_thickness(&mut self, pair: &dyn StaticPair, known: &pose::Known, work: &mut StageWork) {
        let found = known.depth.as_ref().filter(|_| self.has_looked && known.unknown.is_none());
        let Some(found) = found.filter(|found| found.at_least > self.deepest.at_least.max(DEEP * self.floor))
        else {
            return;
        };
        let is_reached = |thickness: &f64| found.at_least > thickness / RATIO;
        work.depth.ask(|| {
            let Some(on) = side_if_close(pair, found) else { return };
            let thickness = |side: usize| Some(thickness_of(pair, 1 - side)).filter(is_reached);
            self.reached[on] = self.reached[on].or_else(|| thickness(on));
            if self.reached[on].is_some() {
                self.reached[1 - on] = self.reached[1 - on].or_else(|| thickness(1 - on));
            }
        });
    }

    /// Returns the largest depth that is possible, once both solids are known to be no thicker.
    pub fn thickness_reached(&self) -> Option<f64> {
        let [first, second] = self.reached;
        Some(first?.max(second?))
    }

    /// Returns the depth at a pose; `None` if it is unknown, or no more than the tolerance.
    fn depth_at(
        &self,
        pair: &dyn StaticPair,
        (tolerance, only_verdict): (f64, bool),
        work: &mut StageWork,
    ) -> Option<AtPose> {
        let question = DepthQuestion { tolerance, only_verdict, measured: [true; 2] };
        let pose::Known { depth, unknown } = pose::at_pose(pair, question, self.tolerance, work);
        depth.filter(|found| unknown.is_none() && found.at_least > tolerance)
    }
}

/// Returns the thickness of the thicker solid, if the depth of a pose may be nearly as large: that is known
/// to a hundredth.
fn thickness_if_close(pair: &dyn StaticPair, found: &AtPose) -> Option<f64> {
    let on = side_if_close(pair, found)?;
    let close = RATIO * RATIO * found.at_least;
    let around = Some(thickness_of(pair, 1 - on)).filter(|&thickness| thickness <= close)?;
    let other = Some(thickness_of(pair, on)).filter(|&thickness| thickness <= close)?;
    Some(around.max(other))
}

/// Returns the part (0 or 1) with the deepest point of a pose, if the other's solid may be hardly thicker
/// than that is deep: a bit farther inwards it would be deeper.
fn side_if_close(pair: &dyn StaticPair, found: &AtPose) -> Option<usize> {
    let (Deepest { point, on }, (_, out)) = (found.deepest?, found.way?);
    let inwards = Rounded::corner(point - out * INWARDS);
    let is_close = nearest_closed(pair.bodies()[1 - on], &inwards, None).1 <= THICKER * found.at_least;
    is_close.then_some(on)
}

/// Returns an upper bound of the depth of any point of a pose's parts.
pub(super) fn thickest(pair: &dyn StaticPair) -> f64 {
    thickness_of(pair, 0).max(thickness_of(pair, 1))
}

/// Returns an upper bound of the thickness of the solid of a posed body (0 or 1), found once for a mesh.
fn thickness_of(pair: &dyn StaticPair, side: usize) -> f64 {
    let body = pair.bodies()[side];
    let own = *body.thickness.get_or_init(|| {
        let mut found = 0.0;
        pair.unposed(side, &mut |body| found = thickness(body));
        found
    });
    // No direction is stretched by more than the root of the largest sum of a row of this symmetric matrix.
    let linear = body.pose.linear();
    let squares = linear.transpose() * linear;
    let sums = [squares.x_axis, squares.y_axis, squares.z_axis].map(|row| row.abs().element_sum());
    let stretch = sums.into_iter().fold(0.0, f64::max).sqrt() * (1.0 + 16.0 * f64::EPSILON);
    (own * stretch + 2.0 * body.rounding()).next_up()
}
