//! Many pairs of triangles that are equally close: parallel faces, cut finely.
//!
//! All pairs of triangles that face each other are then candidates for the closest, and their number is not
//! bounded by that of the triangles. So a search that has gathered many decides them, keeps the first of the
//! closest alone, and goes on. What comes later is compared with it along a few directions: a
//! gap along any direction is a lower bound, so nothing need be flat, nor any plane be recognised. Directions
//! are those of earlier candidates, and one that decides little is dropped. What no direction decides is
//! proven pair by pair.
//!
//! Once directions have decided a share of the triangles' number of pairs, all triangles are looked at, and
//! what is seen of them is joined up the trees. From then on, pairs of boxes are skipped whose contents are
//! proven no closer than the closest pair, and come later in order than it; the others are opened in that
//! order.

use super::{PosedPair, Slots, place};
use crate::bvh::wide_obb::{Block, Child};
use crate::narrow::{Closest, Nearest, Place, SLACK, Work};
use closefit_geometry::exact::along::Along;
use closefit_geometry::exact::distance;
use closefit_geometry::ids::to_u32;
use closefit_geometry::lanes::LANES;
use closefit_geometry::math::ascending_coordinates;
use closefit_geometry::math::double_double::DoubleDouble;

use super::nearest::Candidate;

/// Largest number of directions.
const DIRECTIONS: usize = 8;

/// A direction stays if it decides one of so many pairs.
const WORTHWHILE: u64 = 16;

/// The boxes of both trees are looked at once a direction has decided one pair for so many triangles.
const TRIANGLES_A_PAIR: usize = 4;

/// Longest wait for another direction after one that decided little, in rounds.
const LONGEST_WAIT: u32 = 64;

/// The closest of all pairs decided so far, and what helps to decide others.
#[derive(Clone, Debug)]
pub(super) struct Plateau {
    bound: f64,
    closest: Closest,
    /// Places in the trees of the closest pair.
    winner: Option<[u32; 2]>,
    /// The closest pair in the order of [`Order`].
    first: [u32; 2],
    directions: Vec<Direction>,
    order: Option<[Order; 2]>,
    /// Pairs of the present round that no direction decided, and the last of them.
    undecided: (usize, Option<[u32; 2]>),
    /// Rounds until another direction is tried, and the number of rounds to wait after the next that fails.
    wait: [u32; 2],
}

/// The facts about two boxes.
enum Boxes {
    /// Nothing.
    Unknown,
    /// No pair below them is closer than the closest, or as close and first.
    Excluded,
    /// No pair is closer, but some may be first. The lower the number, of 55 bits, the sooner.
    NoCloser(u64),
}

impl Plateau {
    /// Nothing yet: only distances of at most `bound` count.
    pub fn within(bound: f64) -> Box<Self> {
        Box::new(Self {
            bound,
            closest: Closest::within(bound),
            winner: None,
            first: [0; 2],
            directions: Vec::new(),
            order: None,
            undecided: (0, None),
            wait: [0, 1],
        })
    }

    /// Returns the closest pair, and its places in the trees.
    pub fn closest(&self) -> Option<(Nearest, [u32; 2])> {
        self.closest.nearest().zip(self.winner)
    }

    /// Decides all candidates, and forgets them.
    pub fn settle(&mut self, pair: &PosedPair, candidates: &mut Vec<Candidate>, work: &mut Work) {
        self.undecided = (0, None);
        // The one that looks closest rules out most of the others, and so does the first, if it is as close.
        let looks_closest = candidates.iter().min_by(|x, y| x.at_most.total_cmp(&y.at_most));
        let Some(&looks_closest) = looks_closest else { return };
        self.decide(pair, &looks_closest, work);
        if self.directions.is_empty() && self.wait[0] == 0 {
            self.look_along(pair, looks_closest.places, candidates);
        }
        let mut first = (place_of(pair, &looks_closest), looks_closest);
        for candidate in &*candidates {
            let place = place_of(pair, candidate);
            if place < first.0 {
                first = (place, *candidate);
            }
        }
        self.decide(pair, &first.1, work);
        for candidate in &*candidates {
            self.decide(pair, candidate, work);
        }
        self.choose_directions(pair, candidates);
        candidates.clear();
    }

    fn decide(&mut self, pair: &PosedPair, candidate: &Candidate, work: &mut Work) {
        let Candidate { at_least, places: places @ [ta, tb], .. } = *candidate;
        if at_least > self.closest.reach() * SLACK
            || self.winner == Some(places)
            || self.is_seen(pair, places)
        {
            return;
        }
        self.undecided = (self.undecided.0 + 1, Some(places));
        let (triangles, corners) = (pair.triangles(places), [pair.a.triangle(ta), pair.b.triangle(tb)]);
        let corners = corners.each_ref();
        let enough = self.closest.enough(triangles, corners).unwrap_or(self.bound.next_up());
        if distance::is_at_least(corners[0], corners[1], enough) {
            return;
        }
        work.exact_tests += 1;
        let distance = distance::distance_apart(corners[0], corners[1]);
        if self.closest.offer(Nearest { distance, triangles }, corners) {
            self.winner = Some(places);
            self.look_at_winner();
        }
    }

    /// True if a direction proves that a pair is not closer than the closest, nor as close and first.
    fn is_seen(&mut self, pair: &PosedPair, places: [u32; 2]) -> bool {
        let mut is_later = None;
        for direction in &mut self.directions {
            direction.asked += 1;
            let [end, begin] = direction.of(pair, places);
            let is_later = || {
                *is_later.get_or_insert_with(|| {
                    let [ta, tb] = places.map(|t| t as usize);
                    match &self.order {
                        Some([a, b]) if sorted([a.triangles[ta], b.triangles[tb]]) != self.first => {
                            sorted([a.triangles[ta], b.triangles[tb]]) > self.first
                        }
                        _ => {
                            let corners = [pair.a.triangle(places[0]), pair.b.triangle(places[1])];
                            !self.closest.is_first(pair.triangles(places), corners.each_ref())
                        }
                    }
                })
            };
            if direction.sees(end, begin, self.winner.is_some(), is_later) {
                direction.decided += 1;
                return true;
            }
        }
        false
    }

    /// True if no pair below two boxes is closer than the closest, or as close and first.
    #[inline(never)]
    pub fn excludes(&self, slots: Slots) -> bool {
        matches!(self.sees(slots), Boxes::Excluded)
    }

    /// Returns the lanes of those of eight pairs of boxes that may be closer than the closest, or as close
    /// and first. For each of them, a bound of its squared distance and a number that is the higher, the
    /// sooner it is to be opened among equals: what is no closer comes before all others, in its order.
    #[inline(never)]
    pub fn ordered(
        &self,
        mut lanes: u32,
        bounds: &[f32; LANES],
        to: impl Fn(u32) -> Slots,
    ) -> (u32, [(f32, Option<u32>); LANES]) {
        let (mut left, mut ordered) = (lanes, bounds.map(|bound| (bound, None)));
        while lanes != 0 {
            let lane = lanes.trailing_zeros();
            lanes &= lanes - 1;
            match self.sees(to(lane)) {
                Boxes::Excluded => left &= !(1 << lane),
                // Bounds below all normal numbers, which bound anything.
                Boxes::NoCloser(order) => {
                    let squared = f32::from_bits((order >> 32) as u32);
                    ordered[lane as usize] = (squared, Some(!(order as u32)));
                }
                Boxes::Unknown => {}
            }
        }
        (left, ordered)
    }

    /// Returns what the directions tell of two boxes.
    #[inline]
    fn sees(&self, slots: Slots) -> Boxes {
        let Some(order) = &self.order else { return Boxes::Unknown };
        let [(ia, la), (ib, lb)] = slots.map(place);
        let first = sorted([order[0].boxes[ia][la], order[1].boxes[ib][lb]]);
        let is_later = self.winner.is_some() && first > self.first;
        let mut no_closer = false;
        for direction in &self.directions {
            let Some([ends, begins]) = &direction.ends else { continue };
            let (end, begin) = (ends.boxes[ia][la], begins.boxes[ib][lb]);
            if direction.sees(end, begin, self.winner.is_some(), || {
                no_closer = true;
                is_later
            }) {
                return Boxes::Excluded;
            }
        }
        let order = || (u64::from(first[0]) << 32 | u64::from(first[1])) >> 9;
        if no_closer { Boxes::NoCloser(order()) } else { Boxes::Unknown }
    }

    /// Learns how the closest pair compares with others.
    fn look_at_winner(&mut self) {
        let reach = self.closest.reach();
        self.directions.iter_mut().for_each(|direction| direction.look_for(reach));
        if let (Some([a, b]), Some([ta, tb])) = (&self.order, self.winner) {
            self.first = sorted([a.triangles[ta as usize], b.triangles[tb as usize]]);
        }
    }

    /// Drops directions that decide little, looks at all boxes along those that decide much, and adds one for
    /// what none decided.
    fn choose_directions(&mut self, pair: &PosedPair, candidates: &[Candidate]) {
        let before = self.directions.len();
        self.directions.retain(|of| of.asked < 4096 || of.decided * WORTHWHILE > of.asked);
        if self.directions.len() < before {
            self.wait = [self.wait[1], LONGEST_WAIT.min(2 * self.wait[1])];
        }
        let triangles = pair.a.corners.len() + pair.b.corners.len();
        for direction in &mut self.directions {
            if direction.ends.is_none() && direction.decided > (triangles / TRIANGLES_A_PAIR) as u64 {
                direction.look_at_all(pair);
                self.order.get_or_insert_with(|| orders(pair));
            }
        }
        self.look_at_winner();
        if let (undecided, Some(places)) = self.undecided
            && undecided > candidates.len() / 2
        {
            self.wait[0] = self.wait[0].saturating_sub(1);
            if self.wait[0] == 0 && self.directions.len() < DIRECTIONS {
                self.look_along(pair, places, candidates);
            }
        }
    }

    /// Adds the direction between two triangles.
    fn look_along(&mut self, pair: &PosedPair, [ta, tb]: [u32; 2], candidates: &[Candidate]) {
        let faces = candidates.iter().flat_map(|candidate| {
            let [ta, tb] = candidate.places;
            [pair.a.triangle(ta), pair.b.triangle(tb)]
        });
        let corners = [pair.a.triangle(ta), pair.b.triangle(tb)];
        let bounds = pair.a.bounds().union(pair.b.bounds());
        if let Some(along) = Along::between(corners.each_ref(), faces, &bounds)
            && !self.directions.iter().any(|known| known.along.is_level_with(&along))
        {
            let needed = [DoubleDouble::ZERO; 2];
            let mut direction = Direction { along, needed, asked: 0, decided: 0, ends: None };
            direction.look_for(self.closest.reach());
            self.directions.push(direction);
        }
    }
}

/// Returns the place of a candidate.
fn place_of(pair: &PosedPair, &Candidate { places, .. }: &Candidate) -> Place {
    let corners = [pair.a.triangle(places[0]), pair.b.triangle(places[1])];
    Place::of(pair.triangles(places), corners.each_ref())
}

/// A direction in which triangles are looked at.
#[derive(Clone, Debug)]
struct Direction {
    along: Along,
    /// The square that a gap needs for the rounded distance to be at least the smallest so far, and to exceed
    /// it.
    needed: [DoubleDouble; 2],
    /// Number of pairs that were asked, and of those decided.
    asked: u64,
    decided: u64,
    /// The ends of the first tree's triangles along the direction, and the beginnings of the second's.
    ends: Option<[Seen<DoubleDouble>; 2]>,
}

impl Direction {
    fn look_for(&mut self, reach: f64) {
        self.needed = [reach, reach.next_up()].map(|bound| self.along.needed(bound));
    }

    /// Returns where a triangle ends and another begins.
    fn of(&self, pair: &PosedPair, [ta, tb]: [u32; 2]) -> [DoubleDouble; 2] {
        match &self.ends {
            Some([ends, begins]) => [ends.triangles[ta as usize], begins.triangles[tb as usize]],
            None => [self.along.end(&pair.a.triangle(ta)), self.along.begin(&pair.b.triangle(tb))],
        }
    }

    /// True if the gap is so wide that nothing counts, or if what counts comes later than the closest pair.
    #[inline]
    fn sees(
        &self,
        end: DoubleDouble,
        begin: DoubleDouble,
        has_winner: bool,
        is_later: impl FnOnce() -> bool,
    ) -> bool {
        let [as_close, farther] = self.needed;
        self.along.sees(end, begin, as_close)
            && (self.along.sees(end, begin, farther) || (has_winner && is_later()))
    }

    fn look_at_all(&mut self, pair: &PosedPair) {
        let along = &self.along;
        let places = |of: &[[u32; 3]]| 0..to_u32(of.len());
        let ends = places(pair.a.corners).map(|t| along.end(&pair.a.triangle(t))).collect();
        let begins = places(pair.b.corners).map(|t| along.begin(&pair.b.triangle(t))).collect();
        let [never, ever] = [f64::NEG_INFINITY, f64::INFINITY].map(DoubleDouble::from);
        let last = |x, y| if y > x { y } else { x };
        let first = |x, y| if y < x { y } else { x };
        self.ends = Some([
            Seen::below(pair.a.blocks, ends, never, last),
            Seen::below(pair.b.blocks, begins, ever, first),
        ]);
    }
}

/// A value for each triangle of a tree, joined for those below each box.
#[derive(Clone, Debug)]
struct Seen<T> {
    /// Values of triangles, by their places in the tree.
    triangles: Vec<T>,
    /// Joined values of boxes, by block and lane.
    boxes: Vec<[T; LANES]>,
}

impl<T: Copy> Seen<T> {
    fn below(blocks: &[Block], triangles: Vec<T>, nothing: T, join: impl Fn(T, T) -> T) -> Self {
        let mut boxes = vec![[nothing; LANES]; blocks.len()];
        // Children come after their parents.
        for (block, codes) in blocks.iter().map(|block| &block.child).enumerate().rev() {
            for (lane, &code) in codes.iter().enumerate() {
                boxes[block][lane] = match Child::of(code) {
                    Child::None => nothing,
                    Child::Leaf { first, count } => {
                        let own = &triangles[first as usize..(first + count) as usize];
                        own.iter().copied().fold(nothing, &join)
                    }
                    Child::Block(child) => boxes[child as usize].iter().copied().fold(nothing, &join),
                };
            }
        }
        Self { triangles, boxes }
    }
}

/// The ranks of triangles among those of both trees, by their corners in ascending order, spread over all
/// numbers: equal for equal corners. Of two pairs of triangles that differ in their [`sorted`] ranks, the
/// lower is first by place.
type Order = Seen<u32>;

/// Returns two ranks, the lower first.
fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    if b < a { [b, a] } else { [a, b] }
}

fn orders(pair: &PosedPair) -> [Order; 2] {
    let trees = [pair.a, pair.b];
    let of = |(side, place): (usize, u32)| ascending_coordinates(&trees[side].triangle(place));
    let mut all = Vec::with_capacity(pair.a.corners.len() + pair.b.corners.len());
    for (side, tree) in trees.into_iter().enumerate() {
        let places = 0..to_u32(tree.corners.len());
        all.extend(places.map(|place| (of((side, place))[0], (side, place))));
    }
    all.sort_unstable_by(|x, y| {
        let order = x.0.partial_cmp(&y.0).expect("posed coordinates are numbers");
        order.then_with(|| of(x.1).partial_cmp(&of(y.1)).expect("posed coordinates are numbers"))
    });
    let spread = to_u32(all.len()).leading_zeros();
    let mut ranks = trees.map(|tree| vec![0; tree.corners.len()]);
    let mut rank = 0;
    for (i, &(lowest, at @ (side, place))) in all.iter().enumerate() {
        rank += u32::from(i > 0 && (lowest != all[i - 1].0 || of(at) != of(all[i - 1].1)));
        ranks[side][place as usize] = rank << spread;
    }
    let [a, b] = ranks;
    [(pair.a, a), (pair.b, b)].map(|(tree, ranks)| Seen::below(tree.blocks, ranks, u32::MAX, u32::min))
}
