//! The contract's answers about two moving parts, found by halving time with plain speed bounds. Slow, and
//! uses nothing of the engine except what defines the answers (poses, cells, distances of triangles).

use std::cell::Cell;

use closefit::internals::bvh::Hierarchy;
use closefit::internals::bvh::moving::Shape;
use closefit::internals::bvh::posed_model::Model;
use closefit::internals::query::clearance::clearance;
use closefit::internals::query::intervals::intervals;
use closefit::internals::query::pair_sweep::{PairSweep, SweepSearch};
use closefit::internals::query::time_of_impact::contacts;
use closefit::{
    Between, Clearance, Executor, Intervals, Keyframe, Mesh, Method, Motion, Pose, Strategy, TimeOfImpact,
    Work,
};
use closefit_geometry::exact;
use closefit_geometry::motion::pair::{PairMotion, PlacedPart};
use closefit_geometry::motion::{FrameId, Frames, Joint};
use closefit_methods::kind::{self, WithTrees};
use glam::DVec3;

use crate::meshes::Soup;
use crate::rational::Triangle;

/// The motion of a joint.
#[derive(Clone, Debug)]
pub enum Path {
    /// No motion.
    Fixed(Pose),
    /// Motion through keyframes.
    Keys(Vec<Keyframe>, Between),
    /// Rotation about an axis of length 1, to angles at times.
    Hinge {
        /// The axis, through the origin.
        axis: DVec3,
        /// The times, ascending.
        times: Vec<f64>,
        /// The angles at the times, in radians.
        angles: Vec<f64>,
    },
}

/// Bounds over a stretch of time without keyframes.
struct Pace {
    /// Speed of the origin.
    speed: f64,
    /// Angular rate, in radians per second.
    rate: f64,
    /// Distance of the origin from the parent's.
    reach: f64,
}

impl Path {
    fn joint(&self) -> Joint {
        Joint::Moving(match self {
            Self::Fixed(pose) => return Joint::Fixed(*pose),
            Self::Keys(keys, between) => Motion::through(keys, *between, [1.0; 3]).expect("a motion"),
            Self::Hinge { axis, times, angles } => Motion::about(*axis, times, angles).expect("a motion"),
        })
    }

    fn times(&self) -> Vec<f64> {
        match self {
            Self::Fixed(_) => Vec::new(),
            Self::Keys(keys, _) => keys.iter().map(|key| key.time).collect(),
            Self::Hinge { times, .. } => times.clone(),
        }
    }

    fn pace(&self, time: f64) -> Pace {
        let times = self.times();
        let after = times.partition_point(|&t| t <= time);
        let outside = after == 0 || after == times.len();
        match self {
            Self::Fixed(pose) => Pace { speed: 0.0, rate: 0.0, reach: origin(pose).length() },
            Self::Keys(keys, between) => {
                if outside || *between == Between::Step {
                    let reach = keys[after.max(1) - 1].translation.length();
                    return Pace { speed: 0.0, rate: 0.0, reach };
                }
                let [from, to] = [&keys[after - 1], &keys[after]];
                let angle = angle_between(from.rotation, to.rotation);
                let chord = (to.translation - from.translation).length();
                // An arc over a chord is at most as long as the whole chord bent.
                let bent = if angle > 1e-6 { 0.5 * angle / (0.5 * angle).sin() } else { 1.0 + 1e-9 };
                let length = if *between == Between::Screw { chord * bent } else { chord };
                let takes = to.time - from.time;
                Pace { speed: length / takes, rate: angle / takes, reach: from.translation.length() + length }
            }
            Self::Hinge { angles, .. } => {
                let rate = if outside {
                    0.0
                } else {
                    (angles[after] - angles[after - 1]).abs() / (times[after] - times[after - 1])
                };
                Pace { speed: 0.0, rate, reach: 0.0 }
            }
        }
    }
}

fn origin(pose: &Pose) -> DVec3 {
    DVec3::from_array(pose.rows.map(|row| row[3]))
}

/// Returns the angle of the shortest turn between two orientations.
fn angle_between(p: [f64; 4], q: [f64; 4]) -> f64 {
    let length = |q: [f64; 4]| q.iter().map(|x| x * x).sum::<f64>().sqrt();
    let [p, q] = [p, q].map(|q| q.map(|x| x / length(q)));
    let chord = |sign: f64| length(std::array::from_fn(|i| p[i] - sign * q[i]));
    4.0 * (0.5 * chord(1.0).min(chord(-1.0))).asin()
}

/// Two surfaces and the joints that carry them. Each joint has its parent; parents come first.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The joints.
    pub joints: Vec<(Option<usize>, Path)>,
    /// The surfaces, each in the frame of its joint.
    pub soups: [Soup; 2],
    /// The joint that carries each surface.
    pub on: [Option<usize>; 2],
    /// The times from which and to which they move.
    pub range: [f64; 2],
    /// The precision of the answers, a length.
    pub precision: f64,
}

/// The answers about a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// True if the parts are in contact at the start.
    pub start_contact: bool,
    /// The bracket `[after, before]` of the first contact.
    pub first: Option<[f64; 2]>,
    /// The bracket of the first contact after the parts came apart, if they began in contact.
    pub again: Option<[f64; 2]>,
    /// The smallest distance.
    pub clearance: Clearance,
}

/// Error of a search for the truth that takes too long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GaveUp;

fn id(joint: usize) -> FrameId {
    FrameId(u32::try_from(joint).expect("few"))
}

/// A pair to be answered with some kind of tree.
struct Asked<'a> {
    pair: &'a Pair,
    executor: Executor,
    method: Method,
}

impl WithTrees for Asked<'_> {
    type Output = Result<(Answer, Work), f64>;

    fn run<T: Hierarchy>(self) -> Self::Output {
        self.pair.answer_with::<T>(self.executor, self.method)
    }
}

/// A pair whose intervals are computed with some kind of tree, within a clearance.
struct IntervalsAsked<'a> {
    pair: &'a Pair,
    executor: Executor,
    clearance: f64,
}

impl WithTrees for IntervalsAsked<'_> {
    type Output = Result<(Intervals, Work), f64>;

    fn run<T: Hierarchy>(self) -> Self::Output {
        let Self { pair, executor, clearance } = self;
        pair.with_sweep::<T, _>(executor, |sweep, searched| {
            let found = intervals(&sweep, [clearance, 0.0], searched).expect("few intervals");
            (found, searched.work.continuous.tests)
        })
    }
}

impl Pair {
    /// Returns the engine's intervals of contact and within a clearance, or the smallest possible precision.
    pub fn intervals(&self, strategy: Strategy, clearance: f64) -> Result<Intervals, f64> {
        self.intervals_and_work(strategy, clearance).map(|(intervals, _)| intervals)
    }

    /// Returns the same, and the amount of work of the search over time.
    pub fn intervals_and_work(&self, strategy: Strategy, clearance: f64) -> Result<(Intervals, Work), f64> {
        kind::run(strategy.tree(), IntervalsAsked { pair: self, executor: strategy.executor(), clearance })
    }

    /// Returns the frames of the joints.
    pub fn frames(&self) -> Frames {
        let mut frames = Frames::default();
        for (parent, path) in &self.joints {
            frames.add(parent.map(id), path.joint());
        }
        frames
    }

    /// Returns the meshes of the surfaces.
    pub fn meshes(&self) -> [Mesh; 2] {
        self.soups.each_ref().map(|soup| {
            let corners = u32::try_from(3 * soup.len()).expect("small");
            let triangles: Vec<_> = (0..corners).step_by(3).map(|i| [i, i + 1, i + 2]).collect();
            Mesh::new(soup.as_flattened(), &triangles).expect("a mesh")
        })
    }

    fn placed_parts(&self, meshes: &[Mesh; 2]) -> [PlacedPart; 2] {
        [0, 1].map(|side| PlacedPart::of(Pose::IDENTITY, self.on[side].map(id), meshes[side].vertices()))
    }

    /// Returns the engine's answer and its amount of work, or the smallest possible precision.
    pub fn answer(&self, strategy: Strategy) -> Result<(Answer, Work), f64> {
        self.answer_by(strategy, Method::default())
    }

    /// Returns the same, by a method of the search over time.
    pub fn answer_by(&self, strategy: Strategy, method: Method) -> Result<(Answer, Work), f64> {
        kind::run(strategy.tree(), Asked { pair: self, executor: strategy.executor(), method })
    }

    fn answer_with<T: Hierarchy>(&self, executor: Executor, method: Method) -> Result<(Answer, Work), f64> {
        let times = |found: TimeOfImpact| [found.after, found.before];
        self.with_sweep::<T, _>(executor, |sweep, searched| {
            let sweep = sweep.by(method);
            let answer = match contacts(&sweep, searched) {
                Some(found) => Answer {
                    start_contact: found.at_start,
                    first: Some(times(found.first)),
                    again: found.again.map(times),
                    clearance: Clearance::in_contact(&found.first),
                },
                None => Answer {
                    start_contact: false,
                    first: None,
                    again: None,
                    clearance: clearance(&sweep, f64::INFINITY, searched).expect("of any size"),
                },
            };
            (answer, searched.work.total().tests)
        })
    }

    fn with_sweep<T: Hierarchy, R>(
        &self,
        executor: Executor,
        ask: impl FnOnce(PairSweep, &mut SweepSearch) -> R,
    ) -> Result<R, f64> {
        let (frames, meshes) = (self.frames(), self.meshes());
        let motion = PairMotion::new(&frames, self.placed_parts(&meshes));
        let models = meshes.each_ref().map(|mesh| Model::<T>::of(mesh, executor, Default::default()));
        let shapes = [0, 1].map(|side| Shape { mesh: &meshes[side], model: &models[side] });
        let sweep = PairSweep::new(&shapes, &motion, self.range, self.precision)?;
        let mut searched = sweep.searched();
        Ok(ask(sweep, &mut searched))
    }

    /// Returns the pair with its parts in the other order.
    pub fn swapped(&self) -> Self {
        let mut pair = self.clone();
        pair.soups.reverse();
        pair.on.reverse();
        pair
    }

    /// Returns the pair with all lengths multiplied by a factor.
    pub fn scaled(&self, by: f64) -> Self {
        let mut pair = self.clone();
        pair.precision *= by;
        for corner in pair.soups.iter_mut().flatten().flatten() {
            *corner *= by;
        }
        for (_, path) in &mut pair.joints {
            match path {
                Path::Fixed(pose) => pose.rows.iter_mut().for_each(|row| row[3] *= by),
                Path::Keys(keys, _) => keys.iter_mut().for_each(|key| key.translation *= by),
                Path::Hinge { .. } => {}
            }
        }
        pair
    }

    /// Returns the pair with one more joint above all others.
    pub fn in_frame(&self, frame: Path) -> Self {
        let mut pair = self.clone();
        for (parent, _) in &mut pair.joints {
            *parent = Some(parent.map_or(0, |parent| parent + 1));
        }
        pair.joints.insert(0, (None, frame));
        pair.on = pair.on.map(|on| Some(on.map_or(0, |joint| joint + 1)));
        pair
    }

    /// Returns the joints of one part, root first.
    fn chain(&self, side: usize) -> Vec<usize> {
        let mut chain: Vec<usize> =
            std::iter::successors(self.on[side], |&joint| self.joints[joint].0).collect();
        chain.reverse();
        chain
    }

    /// Returns bounds at a time: of the rate at which distances change, and of all lengths.
    fn speed_and_extent(&self, time: f64) -> (f64, f64) {
        let chains = [self.chain(0), self.chain(1)];
        let common = chains[0].iter().zip(&chains[1]).take_while(|(a, b)| a == b).count();
        let (mut speed, mut extent) = (0.0, 0.0);
        for (soup, chain) in self.soups.iter().zip(&chains) {
            let mut reach = soup.as_flattened().iter().map(|v| v.length()).fold(0.0, f64::max);
            for (depth, &joint) in chain.iter().enumerate().rev() {
                let pace = self.joints[joint].1.pace(time);
                if depth >= common {
                    speed += pace.speed + pace.rate * reach;
                }
                reach += pace.reach;
            }
            extent += reach;
        }
        (speed, extent)
    }
}

/// A span and its cells.
#[derive(Clone, Copy, Debug)]
struct Span {
    from: f64,
    to: f64,
    level: u32,
    /// Upper bound on the rate at which distances change.
    speed: f64,
    /// Upper bound on rounding.
    slack: f64,
}

impl Span {
    fn at(&self, numerator: u64, power: u32) -> f64 {
        self.from + (self.to - self.from) * (numerator as f64 / (1u64 << power) as f64)
    }

    fn start(&self, cell: u64) -> f64 {
        self.at(cell, self.level)
    }

    fn middle(&self, cell: u64) -> f64 {
        self.at(2 * cell + 1, self.level + 1)
    }

    /// Returns the largest distance from the middle of a part of the span to the middles of its cells.
    fn off(&self, level: u32) -> f64 {
        0.5 * (self.to - self.from) / (1u64 << level) as f64
    }
}

/// The definition of a pair's answers.
pub struct Truth<'a> {
    pair: &'a Pair,
    frames: Frames,
    unit: f64,
    spans: Vec<Span>,
    jumps: Vec<f64>,
    /// Number of distances that may still be computed.
    left: Cell<u64>,
}

impl<'a> Truth<'a> {
    /// Computes the spans of a pair.
    ///
    /// # Panics
    /// If the precision is too small, or if parts move farther within a cell than they may.
    pub fn new(pair: &'a Pair, budget: u64) -> Self {
        let (frames, meshes) = (pair.frames(), pair.meshes());
        let motion = PairMotion::new(&frames, pair.placed_parts(&meshes));
        let [from, to] = pair.range;
        let mut times = vec![from, to];
        let mut jumps = Vec::new();
        for side in 0..2 {
            for joint in pair.chain(side) {
                let path = &pair.joints[joint].1;
                times.extend(path.times().into_iter().filter(|&t| from < t && t < to));
                if matches!(path, Path::Keys(_, Between::Step)) {
                    jumps.extend(path.times().into_iter().skip(1).filter(|&t| from < t && t <= to));
                }
            }
        }
        times.sort_by(f64::total_cmp);
        times.dedup();
        let unit = 0.5 * pair.precision;
        let spans = times.windows(2).map(|w| {
            let (speed, extent) = pair.speed_and_extent(0.5 * w[0] + 0.5 * w[1]);
            let level = motion.span(w[0], w[1]).cells(pair.precision).expect("fine enough").level;
            // Fine enough by this bound too, and not needlessly fine.
            let path = speed * (w[1] - w[0]) * (1.0 + 1e-9);
            let slack = 1e-12 * extent;
            assert!(
                level == 0 || path / ((1u64 << level) as f64) > 0.4 * (unit - slack),
                "needless: {pair:?}"
            );
            Span { from: w[0], to: w[1], level, speed: speed * (1.0 + 1e-9), slack }
        });
        Self { pair, unit, spans: spans.collect(), jumps, frames, left: Cell::new(budget) }
    }

    /// Returns the posed triangles of a part.
    fn posed(&self, side: usize, time: f64) -> Vec<Triangle> {
        let pose = self.pair.on[side].map_or(Pose::IDENTITY, |joint| self.frames.pose(id(joint), time));
        self.pair.soups[side].iter().map(|t| t.map(|v| pose.apply(v))).collect()
    }

    /// Returns the distance of the parts at a time.
    pub fn distance(&self, time: f64) -> f64 {
        let [a, b] = [self.posed(0, time), self.posed(1, time)];
        let ball = |t: &Triangle| {
            let middle = (t[0] + t[1] + t[2]) / 3.0;
            (middle, t.iter().map(|v| (*v - middle).length()).fold(0.0, f64::max))
        };
        let balls: Vec<_> = b.iter().map(ball).collect();
        let mut best = f64::INFINITY;
        for t in &a {
            let (middle, radius) = ball(t);
            for (u, (other, reach)) in b.iter().zip(&balls) {
                let room = (middle - *other).length();
                if room * (1.0 - 1e-12) - (radius + reach) * (1.0 + 1e-12) <= best {
                    best = exact::distance::distance(t, u).min(best);
                }
            }
        }
        best
    }

    fn counted(&self, time: f64) -> Result<f64, GaveUp> {
        self.left.set(self.left.get().checked_sub(1).ok_or(GaveUp)?);
        Ok(self.distance(time))
    }

    /// Finds the first cell, from a given one on and within a part of a span, at whose middle the distance is
    /// at most `limit`.
    fn first(
        &self,
        span: &Span,
        (level, index): (u32, u64),
        from: u64,
        limit: f64,
    ) -> Result<Option<u64>, GaveUp> {
        let finer = span.level - level;
        if (index + 1) << finer <= from {
            return Ok(None);
        }
        let distance = self.counted(span.at(2 * index + 1, level + 1))?;
        if finer == 0 {
            return Ok((distance <= limit).then_some(index));
        }
        if distance > limit + span.speed * span.off(level) + span.slack {
            return Ok(None);
        }
        match self.first(span, (level + 1, 2 * index), from, limit)? {
            None => self.first(span, (level + 1, 2 * index + 1), from, limit),
            found => Ok(found),
        }
    }

    /// Finds the smallest distance at middles of cells, if it is below `best`.
    fn least(
        &self,
        span: &Span,
        (level, index): (u32, u64),
        distance: f64,
        best: &mut f64,
    ) -> Result<(), GaveUp> {
        if level == span.level {
            *best = best.min(distance);
            return Ok(());
        }
        if distance - span.speed * span.off(level) - span.slack > *best {
            return Ok(());
        }
        // The middle of a part is the boundary of two cells.
        *best = best.min(distance + span.speed * span.off(span.level) + span.slack);
        let mut halves = Vec::with_capacity(2);
        for half in [2 * index, 2 * index + 1] {
            halves.push((self.counted(span.at(2 * half + 1, level + 2))?, half));
        }
        halves.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (distance, half) in halves {
            self.least(span, (level + 1, half), distance, best)?;
        }
        Ok(())
    }

    fn search(&self, from: (usize, u64)) -> Result<Option<[f64; 2]>, GaveUp> {
        for (index, span) in self.spans.iter().enumerate().skip(from.0) {
            let start = if index == from.0 { from.1 } else { 0 };
            if start == 0 && self.jumps.contains(&span.from) && self.distance(span.from) <= self.unit {
                return Ok(Some([span.from; 2]));
            }
            if let Some(cell) = self.first(span, (0, 0), start, self.unit)? {
                return Ok(Some([span.start(cell), span.middle(cell)]));
            }
        }
        let end = self.pair.range[1];
        let near = self.jumps.contains(&end) && self.distance(end) <= self.unit;
        Ok(near.then_some([end; 2]))
    }

    fn parted(&self) -> Option<(usize, u64)> {
        for (index, span) in self.spans.iter().enumerate() {
            let level = span.level.min(8);
            for part in u64::from(index == 0)..1 << level {
                if self.distance(span.at(part, level)) > self.unit {
                    return Some((index, part << (span.level - level)));
                }
            }
        }
        None
    }

    /// Returns the stretches in which the surfaces are within a limit, as brackets of coming near and of
    /// parting, by examining every cell.
    ///
    /// # Errors
    /// If there are more than `most` cells.
    pub fn runs_within(&self, limit: f64, most: u64) -> Result<Vec<[[f64; 2]; 2]>, GaveUp> {
        if self.spans.iter().map(|span| 1u64 << span.level).sum::<u64>() > most {
            return Err(GaveUp);
        }
        let is_near = |time: f64| self.distance(time) <= limit;
        let mut places: Vec<(bool, [[f64; 2]; 2])> = Vec::new();
        for (index, span) in self.spans.iter().enumerate() {
            if index == 0 || self.jumps.contains(&span.from) {
                places.push((is_near(span.from), [[span.from; 2]; 2]));
            }
            for cell in 0..1u64 << span.level {
                let [start, middle] = [span.start(cell), span.middle(cell)];
                let last = cell + 1 == 1 << span.level;
                let end = if last { span.to } else { span.start(cell + 1) };
                places.push((is_near(middle), [[start, middle], [middle, end]]));
            }
        }
        let end = self.pair.range[1];
        let counts = self.jumps.contains(&end) || places.last().is_some_and(|(is_near, _)| *is_near);
        places.push((counts && is_near(end), [[end; 2]; 2]));
        let runs = places.chunk_by(|(a, _), (b, _)| a == b).filter(|run| run[0].0);
        Ok(runs.map(|run| [run[0].1[0], run[run.len() - 1].1[1]]).collect())
    }

    /// Returns the answer that the contract defines.
    ///
    /// # Errors
    /// If that takes too many distances.
    pub fn answer(&self) -> Result<Answer, GaveUp> {
        let start = self.pair.range[0];
        let start_contact = self.distance(start) <= self.unit;
        let first = if start_contact { Some([start; 2]) } else { self.search((0, 0))? };
        let again = match self.parted() {
            Some(place) if start_contact => self.search(place)?,
            _ => None,
        };
        if let Some([_, before]) = first {
            let clearance = Clearance { at_least: 0.0, at_most: self.distance(before), at: before };
            return Ok(Answer { start_contact, first, again, clearance });
        }
        let mut best = f64::INFINITY;
        for span in &self.spans {
            let distance = self.counted(span.at(1, 1))?;
            self.least(span, (0, 0), distance, &mut best)?;
        }
        let end = self.pair.range[1];
        if self.jumps.contains(&end) {
            best = best.min(self.distance(end));
        }
        let mut steps = (best / self.unit).floor();
        while steps * self.unit < best {
            steps += 1.0;
        }
        let mut at = None;
        for span in &self.spans {
            if at.is_none() {
                at = self.first(span, (0, 0), 0, steps * self.unit)?.map(|cell| span.middle(cell));
            }
        }
        let at = at.unwrap_or(end);
        let at_least = (steps - 2.0).max(0.0) * self.unit;
        let clearance = Clearance { at_least, at_most: self.distance(at), at };
        Ok(Answer { start_contact, first, again, clearance })
    }

    /// Checks the meaning of an answer, independently of the cells, at many times of the motion.
    ///
    /// # Errors
    /// The first violation.
    pub fn meant(&self, answer: &Answer, samples: u32) -> Result<(), String> {
        let [from, to] = self.pair.range;
        let Clearance { at_least, at_most, at } = answer.clearance;
        if self.distance(at) != at_most {
            return Err(format!("at {at} the distance is {}, not {at_most}", self.distance(at)));
        }
        if at_most - at_least > self.pair.precision * (1.0 + 1e-12) {
            return Err(format!("wider than the precision: {at_least} {at_most}"));
        }
        let until = answer.first.map_or(to, |[after, before]| {
            assert!(after <= before && before <= to);
            after
        });
        if answer.first.is_some() && at_most > self.unit {
            return Err(format!("reported at a distance of {at_most}"));
        }
        if !answer.start_contact {
            let even = (0..=samples).map(|i| from + (until - from) * (f64::from(i) / f64::from(samples)));
            let late = (1..48).map(|i| until - (until - from) / f64::from(2u32).powi(i));
            let near = (0..40).map(|i| at + (at - from) * f64::from(2u32).powi(-i));
            let before = (0..40).map(|i| at - (at - from) * f64::from(2u32).powi(-i));
            // At a jump the new pose holds, and that pose was found.
            let jumped = answer.first.is_some_and(|[after, before]| after == before);
            let within = |t: &f64| (from..=until).contains(t) && !(jumped && *t == until);
            for time in even.chain(late).chain(near).chain(before).filter(within) {
                let distance = self.distance(time);
                if distance == 0.0 || distance < at_least {
                    return Err(format!("missed: at {time} the distance is {distance}, before {until}"));
                }
            }
        }
        for found in [answer.first, answer.again].into_iter().flatten() {
            self.narrow(found)?;
        }
        Ok(())
    }

    /// Checks that nothing moves farther in a bracket than half the precision.
    fn narrow(&self, [after, before]: [f64; 2]) -> Result<(), String> {
        let corners = |time: f64| [0, 1].map(|side| self.posed(side, time));
        let (start, end) = (corners(after), corners(before));
        for (i, p) in start[0].as_flattened().iter().enumerate() {
            for (j, q) in start[1].as_flattened().iter().enumerate() {
                let then = (end[0].as_flattened()[i] - end[1].as_flattened()[j]).length();
                if ((*p - *q).length() - then).abs() > self.unit {
                    return Err(format!("wide bracket: {after} {before}"));
                }
            }
        }
        Ok(())
    }
}
