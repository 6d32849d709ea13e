//! Measurements of the tests of boxes over time (Redon et al. 2002, sections 4.1.2 and 6) that no search
//! needs: false hits, and the gain of coherence tables.

use std::ops::AddAssign;

use super::stretch::StretchSearch;
use closefit::Work;
use closefit_geometry::motion::moment::Moment;

/// The number of times in a stretch at which boxes that met over the stretch are looked at again. The first
/// and the last of these times are the ends of the stretch.
const TIMES: u32 = 17;

/// Number of halvings after which time is not halved any more.
const DEEPEST: u32 = 12;

/// The tests of boxes in a search that finds all pairs of leaves that meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    /// Number of tests.
    pub tests: u64,
    /// Number of pairs of boxes that were said to overlap: no axis kept them apart, and time was not halved.
    pub hits: u64,
    /// Number of those that overlap at none of 17 times of their stretch.
    pub false_hits: u64,
    /// The work of the tests, discrete ones among them.
    pub work: Work,
}

impl AddAssign for Hits {
    fn add_assign(&mut self, other: Self) {
        self.tests += other.tests;
        self.hits += other.hits;
        self.false_hits += other.false_hits;
        self.work += other.work;
    }
}

impl StretchSearch<'_> {
    fn moment(&self, time: f64, half: f64) -> Moment {
        let moment = self.trees.motion.moment(time, half);
        if self.trees.seen_from == 0 { moment } else { moment.flipped() }
    }

    /// Counts the hits over a stretch of time.
    pub fn hits(&self, time: f64, half: f64) -> Hits {
        let mut hits = Hits::default();
        self.add_hits((time, half, 0), vec![[0, 0]], &mut hits);
        hits
    }

    fn add_hits(&self, (time, half, level): (f64, f64, u32), mut pairs: Vec<[u32; 2]>, hits: &mut Hits) {
        let moment = self.moment(time, half);
        let over = self.over(&moment, 0.0);
        let at = |i: u32| {
            self.boxes(&self.moment(time + half * (f64::from(2 * i) / f64::from(TIMES - 1) - 1.0), 0.0))
        };
        let times: Vec<_> = (0..TIMES).map(at).collect();
        let (mut work, mut halved) = (Work::NONE, Vec::new());
        while let Some(pair) = pairs.pop() {
            hits.tests += 1;
            if self.are_apart(&over, pair, &mut work) {
                continue;
            }
            if level < DEEPEST && self.is_long(&over, pair) {
                halved.push(pair);
                continue;
            }
            let [a, b] = self.nodes(pair).map(|node| &node.obb);
            hits.hits += 1;
            hits.false_hits += u64::from(times.iter().all(|at| at.separated_by_more_than(a, b, 0.0)));
            pairs.extend(self.opened(&moment, pair).into_iter().flatten());
        }
        hits.work += work;
        if !halved.is_empty() {
            let quarter = 0.5 * half;
            self.add_hits((time - quarter, quarter, level + 1), halved.clone(), hits);
            self.add_hits((time + quarter, quarter, level + 1), halved, hits);
        }
    }
}

/// The pairs of boxes at which the search of a frame ended, from which the next frame begins.
#[derive(Clone, Debug)]
pub struct Table {
    /// All pairs that were met, with the place of the pair that each was opened from; the roots first.
    met: Vec<([u32; 2], usize)>,
    /// The places of those at which the search ended, in the order of the search, and if they were apart.
    ends: Vec<(usize, bool)>,
}

impl Default for Table {
    fn default() -> Self {
        Self { met: vec![([0, 0], 0)], ends: vec![(0, false)] }
    }
}

impl Table {
    /// Tests boxes over a stretch of time from the pairs at which the last search ended, and remembers where
    /// this one ends: at pairs that are apart, at two leaves, and at pairs for which time is to be halved.
    pub fn search(&mut self, search: &StretchSearch, time: f64, half: f64, limit: f64, work: &mut Work) {
        let moment = search.moment(time, half);
        let over = search.over(&moment, limit);
        let mut stack: Vec<usize> = self.ends.drain(..).rev().map(|(place, _)| place).collect();
        while let Some(place) = stack.pop() {
            let (pair, _) = self.met[place];
            let apart = search.are_apart(&over, pair, work);
            let opened =
                if apart || search.is_long(&over, pair) { None } else { search.opened(&moment, pair) };
            let Some([first, second]) = opened else {
                self.ends.push((place, apart));
                continue;
            };
            stack.extend([self.met.len() + 1, self.met.len()]);
            self.met.extend([(first, place), (second, place)]);
        }
    }

    /// Lets the pair that two were opened from take their place where both are apart.
    pub fn raise(&mut self) {
        let ends = std::mem::take(&mut self.ends);
        let mut rest = &ends[..];
        while let Some(&(place, apart)) = rest.first() {
            let above = self.met[place].1;
            let both = apart
                && place != 0
                && rest.get(1).is_some_and(|&(next, apart)| apart && self.met[next].1 == above);
            self.ends.push(if both { (above, false) } else { (place, apart) });
            rest = &rest[1 + usize::from(both)..];
        }
    }
}
