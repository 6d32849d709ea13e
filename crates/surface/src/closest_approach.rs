//! Closest approach of two moving surfaces: the smallest distance over their motion, by a best-first search
//! over stretches of time and pairs of pieces.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::rc::Rc;

use super::SurfaceError;
use super::contacts::{Near, near, standing};
use super::passage::{MovingSurface, Passage, over};
use super::search::{PiecePair, PosedSurfaces};
use closefit::internals::continuous::fronts::TreePair;
use closefit_geometry::motion::cells::Stretch;
use closefit_geometry::motion::moment::Moment;
use closefit_methods::internals::moving_boxes;

/// A bracket of the smallest distance of two surfaces over their motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestApproach {
    /// A proven lower bound of their distance at all times.
    pub at_least: f64,
    /// The time at which they are as near as `near`.
    pub at: f64,
    /// The nearest place found, and how near. Its [`at_most`](Near::at_most) exceeds `at_least` by no more
    /// than the precision.
    pub near: Near,
}

/// Returns how close two surfaces come, from the first keyframe of either to the last; `None` if one of them
/// has no points. A surface inside another counts as its surface is: at a distance.
///
/// Time and memory grow with the area over which the surfaces are equally close and with the time for which
/// they are, both divided by the precision.
///
/// # Errors
/// [`SurfaceError::NoTime`], [`SurfaceError::OutOfRange`], [`SurfaceError::Precision`].
pub fn closest_approach(
    a: &MovingSurface,
    b: &MovingSurface,
    precision: f64,
) -> Result<Option<ClosestApproach>, SurfaceError> {
    Ok(over(a, b, precision, |passage| Approach::new(&passage).closest())?.flatten())
}

/// A stretch of time: the parts' motion, and their poses in its middle.
struct Time {
    /// The span and the stretch; `None` for the end of the motion, if the pose jumps there.
    place: Option<(usize, Stretch)>,
    middle: f64,
    moment: Moment,
    posed: PosedSurfaces,
}

/// A pair of pieces in a stretch of time.
struct QueuedPair {
    /// A lower bound of the distance, 0 or more.
    at_least: f64,
    time: Rc<Time>,
    pair: PiecePair,
    /// The number of items made before.
    number: u64,
}

impl Ord for QueuedPair {
    /// The least distance comes first; in a tie, as of all that may touch, the item made last.
    fn cmp(&self, other: &Self) -> Ordering {
        other.at_least.total_cmp(&self.at_least).then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for QueuedPair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for QueuedPair {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for QueuedPair {}

/// The search. The item with the least bound is halved, in time or in space, until its bound is as good as
/// the precision asks for, compared with the nearest points found.
struct Approach<'a> {
    passage: &'a Passage<'a>,
    queue: BinaryHeap<QueuedPair>,
    /// The number of items made.
    made: u64,
    /// The nearest place found, its distance and time.
    nearest: Option<(f64, f64, Near)>,
}

impl<'a> Approach<'a> {
    fn new(passage: &'a Passage<'a>) -> Self {
        let mut new = Self { passage, queue: BinaryHeap::new(), made: 0, nearest: None };
        for span in 0..passage.spans.len() {
            new.begin(Some((span, Stretch::WHOLE)), passage.search.whole());
        }
        let [_, to] = passage.range;
        if passage.motion.jumps(passage.range).contains(&to) {
            new.begin(None, passage.search.whole());
        }
        new
    }

    fn closest(mut self) -> Option<ClosestApproach> {
        while let Some(QueuedPair { at_least, time, pair, .. }) = self.queue.pop() {
            let distance = self.look(&time, &pair);
            if let Some((at_most, at, near)) = self.nearest
                && at_most - at_least <= self.passage.precision
            {
                return Some(ClosestApproach { at_least, at, near });
            }
            if !self.refine(&time, &pair, distance) {
                // No nearer place has proven points.
                let near = near(self.passage.search.patches, &pair, &time.moment.poses);
                return Some(ClosestApproach { at_least, at: time.middle, near });
            }
        }
        // Everything else was farther apart, or without points.
        self.nearest.map(|(at_least, at, near)| ClosestApproach { at_least, at, near })
    }

    /// Returns the distance of a point of each piece in the middle of the stretch, if such points are known.
    /// Takes them as the nearest if they are nearer than those found before.
    fn look(&mut self, time: &Time, pair: &PiecePair) -> Option<f64> {
        if pair.iter().any(|piece| piece.patch.is_none()) {
            return None;
        }
        let found = near(self.passage.search.patches, pair, &time.moment.poses);
        if let Some(at_most) = found.at_most
            && self.nearest.is_none_or(|(least, ..)| at_most < least)
        {
            self.nearest = Some((at_most, time.middle, found));
        }
        found.at_most
    }

    /// Replaces an item by its halves in time or in space, whichever lowers its bound more; `distance` is
    /// the distance of two of its points. Returns false if it is as small as required in both.
    fn refine(&mut self, time: &Rc<Time>, pair: &PiecePair, distance: Option<f64>) -> bool {
        let Time { place, moment, posed, .. } = &**time;
        let halves = place.and_then(|(span, stretch)| {
            let cells = &self.passage.spans[span].1;
            (stretch.level < cells.level).then(|| stretch.halves().map(|half| (span, half)))
        });
        let [a, b] = pair;
        let standing = posed.boxes.separation(&a.obb, &b.obb);
        let by_time = standing - moving_boxes::separation(&posed.boxes, &a.obb, &b.obb, moment);
        let by_space =
            distance.map_or_else(|| posed.boxes.size(&a.obb, &b.obb), |distance| distance - standing);
        let waits = halves.is_some() && by_time > by_space;
        let mut parts = Vec::new();
        if !waits && self.passage.search.open(pair, posed.gains, &mut parts) {
            parts.into_iter().for_each(|part| self.add(time, part));
            return true;
        }
        halves.into_iter().flatten().for_each(|half| self.begin(Some(half), *pair));
        halves.is_some()
    }

    /// Adds a stretch of time with a pair.
    fn begin(&mut self, place: Option<(usize, Stretch)>, pair: PiecePair) {
        let (middle, moment) = match place {
            Some((span, stretch)) => {
                let (motion, cells) = &self.passage.spans[span];
                let middle = cells.middle(stretch);
                (middle, motion.moment(middle, cells.half_with_borders(stretch)))
            }
            None => {
                let [_, to] = self.passage.range;
                (to, standing(self.passage.motion.poses(to)))
            }
        };
        let posed = self.passage.search.posed(&moment.poses);
        self.add(&Rc::new(Time { place, middle, moment, posed }), pair);
    }

    /// Adds a pair, unless it is farther apart than the nearest points found.
    fn add(&mut self, time: &Rc<Time>, pair: PiecePair) {
        let [a, b] = &pair;
        let at_least = moving_boxes::separation(&time.posed.boxes, &a.obb, &b.obb, &time.moment).max(0.0);
        if self.nearest.is_none_or(|(least, ..)| at_least <= least) {
            self.made += 1;
            self.queue.push(QueuedPair { at_least, time: Rc::clone(time), pair, number: self.made });
        }
    }
}
