//! Many pairs of triangles that are equally close: parallel faces, cut finely.
//!
//! All pairs of triangles that face each other are then candidates for the closest, and their number is not
//! bounded by the number of triangles. So a search that has gathered many decides them, keeps the first of
//! the closest alone, and goes on. Where many of them are about equally far apart along one direction, all
//! triangles that end, or begin, at the same heights along it are drawn on a map, whose cells decide their
//! pairs together; pairs of boxes that contain no others are not opened from then on. Nothing need be flat,
//! nor is any plane recognised: a gap along any direction is a lower bound. What no direction decides is
//! proven pair by pair.

mod cells;
mod ranks;

use super::{PosedPair, Slots, place};
use crate::bvh::wide_obb::Child;
use crate::bvh::wide_obb::posed::PosedWideObb;
use crate::narrow::{Closest, Nearest, Place, SLACK, Work};
use cells::{Map, Wanted, sorted};
use closefit_geometry::exact::along::Along;
use closefit_geometry::exact::distance;
use closefit_geometry::ids::to_u32;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::double_double::DoubleDouble;
use closefit_geometry::math::error_bounds::UNIT;
use ranks::Ranks;

use super::nearest::Candidate;

/// Largest number of directions.
const DIRECTIONS: usize = 16;

/// Longest wait for another direction after one that decided little, in rounds.
const LONGEST_WAIT: u32 = 64;

/// Largest difference of the heights of a tree's triangles on one map, as a share of the distance. It decides
/// how many are drawn, and nothing else.
const LEVEL: f64 = 1.0 / (1 << 20) as f64;

/// The closest of all pairs decided so far, and what need not be looked at any more.
#[derive(Clone, Debug)]
pub(super) struct Plateau {
    bound: f64,
    closest: Closest,
    /// Places in the trees of the closest pair.
    winner: Option<[u32; 2]>,
    /// The triangles and boxes on each of the maps that were searched.
    done: Vec<[Drawn; 2]>,
    /// Rounds until another direction is tried, and the number of rounds to wait after the next that fails.
    wait: [u32; 2],
}

impl Plateau {
    /// Nothing yet: only distances of at most `bound` count.
    pub fn within(bound: f64) -> Box<Self> {
        Box::new(Self {
            bound,
            closest: Closest::within(bound),
            winner: None,
            done: Vec::new(),
            wait: [0, 1],
        })
    }

    /// Returns the closest pair, and its places in the trees.
    pub fn closest(&self) -> Option<(Nearest, [u32; 2])> {
        self.closest.nearest().zip(self.winner)
    }

    /// Decides all candidates, and forgets them. If there are `many`, looks for directions that decide
    /// others, too.
    pub fn settle(
        &mut self,
        pair: &PosedPair,
        many: usize,
        candidates: &mut Vec<Candidate>,
        work: &mut Work,
    ) {
        candidates.retain(|candidate| !self.is_done(candidate.places));
        while let Some(closest) = looks_closest(candidates) {
            self.decide(pair, &closest, work);
            if candidates.len() < many || !self.look_along(pair, closest.places, candidates, work) {
                break;
            }
            candidates.retain(|candidate| !self.is_done(candidate.places));
        }
        // The first in order rules out most of those that are as close.
        let placed = candidates.iter().map(|candidate| (place_of(pair, candidate), candidate));
        let first = placed.min_by(|(x, _), (y, _)| x.partial_cmp(y).expect("posed coordinates are numbers"));
        if let Some((_, first)) = first {
            self.decide(pair, first, work);
        }
        for candidate in &*candidates {
            self.decide(pair, candidate, work);
        }
        candidates.clear();
    }

    /// Looks for a direction that decides many pairs, near two triangles that are close.
    pub fn look_near(&mut self, pair: &PosedPair, places: [u32; 2], work: &mut Work) {
        if !self.is_done(places) {
            self.look_along(pair, places, &[], work);
        }
    }

    fn decide(&mut self, pair: &PosedPair, candidate: &Candidate, work: &mut Work) {
        let Candidate { at_least, places, .. } = *candidate;
        if at_least <= self.closest.reach() * SLACK && self.winner != Some(places) {
            self.decide_exactly(pair, places, work);
        }
    }

    /// Returns true if the pair is the closest so far.
    fn decide_exactly(&mut self, pair: &PosedPair, places: [u32; 2], work: &mut Work) -> bool {
        let (triangles, corners) = (pair.triangles(places), corners(pair, places));
        let corners = corners.each_ref();
        let enough = self.closest.enough(triangles, corners).unwrap_or(self.bound.next_up());
        if distance::is_at_least(corners[0], corners[1], enough) {
            return false;
        }
        work.exact_tests += 1;
        let distance = distance::distance_apart(corners[0], corners[1]);
        let is_closest = self.closest.offer(Nearest { distance, triangles }, corners);
        if is_closest {
            self.winner = Some(places);
        }
        is_closest
    }

    /// True if a pair of triangles is on one of the maps that were searched.
    fn is_done(&self, [ta, tb]: [u32; 2]) -> bool {
        self.done.iter().any(|[a, b]| a.triangles[ta as usize] && b.triangles[tb as usize])
    }

    /// True if all pairs of triangles below two boxes are on a map that was searched.
    pub fn excludes(&self, slots: Slots) -> bool {
        let [(ia, la), (ib, lb)] = slots.map(place);
        self.done.iter().any(|[a, b]| a.boxes[ia] >> la & b.boxes[ib] >> lb & 1 == 1)
    }

    /// Searches the map along the direction between two triangles, unless few candidates are on it. Returns
    /// true if it has.
    fn look_along(
        &mut self,
        pair: &PosedPair,
        places: [u32; 2],
        candidates: &[Candidate],
        work: &mut Work,
    ) -> bool {
        self.wait[0] = self.wait[0].saturating_sub(1);
        if self.wait[0] > 0 || self.done.len() == DIRECTIONS {
            return false;
        }
        let found = self.level_with(pair, places, candidates);
        let reach = self.closest.reach();
        let map = found.as_ref().map(|(along, levels, on_map)| Map::new(along, pair, on_map, *levels, reach));
        let (Some((.., on_map)), Some(mut map)) = (&found, map.filter(Map::is_split)) else {
            self.wait = [self.wait[1], LONGEST_WAIT.min(2 * self.wait[1])];
            return false;
        };
        if !map.is_beyond() {
            self.search(pair, &mut map, work);
        }
        self.done.push([0, 1].map(|side| Drawn::of([pair.a, pair.b][side], &on_map[side])));
        true
    }

    /// Decides the pairs on a map.
    fn search(&mut self, pair: &PosedPair, map: &mut Map, work: &mut Work) {
        let ranks = Ranks::new(pair, map.items_mut());
        map.drop_copies(ranks.count(), [pair.a, pair.b].map(|of| &*of.tree.triangles));
        let wanted = |plateau: &Self| {
            let rank = |[a, b]: [u32; 2]| sorted([ranks.of(pair, 0, a), ranks.of(pair, 1, b)]);
            Wanted { reach: plateau.closest.reach(), first: plateau.winner.map(rank) }
        };
        map.look_for(wanted(self));
        map.search(&mut |places| {
            work.triangle_tests += 1;
            let is_new = self.winner != Some(places) && self.decide_exactly(pair, places, work);
            is_new.then(|| wanted(self))
        });
    }

    /// Returns a direction, the heights along it at which the first of two triangles ends and the second
    /// begins, and the triangles of both trees that end or begin near there. `None` unless they make up half
    /// of the candidates, and so many pairs that they are worth it.
    fn level_with(
        &self,
        pair: &PosedPair,
        places: [u32; 2],
        candidates: &[Candidate],
    ) -> Option<(Along, [DoubleDouble; 2], [Vec<u32>; 2])> {
        let bounds = pair.a.bounds().union(pair.b.bounds());
        let both = corners(pair, places);
        let trees = [pair.a, pair.b];
        let on_map = |along: &Along| {
            let room =
                LEVEL * along.scaled(self.closest.reach()) * along.length() + 64.0 * UNIT * along.reach();
            [0, 1].map(|side| {
                let level = rough_end(along, side, &both[side]);
                let is_level =
                    |&t: &u32| (rough_end(along, side, &trees[side].triangle(t)) - level).abs() <= room;
                (0..to_u32(trees[side].corners.len())).filter(is_level).collect::<Vec<u32>>()
            })
        };
        let faces = candidates.iter().flat_map(|candidate| corners(pair, candidate.places));
        let first = Along::between(both.each_ref(), faces, &bounds)?;
        let drawn = on_map(&first);
        // The mean of all faces there: rounding tilts a sliver, but hardly their mean.
        let faces = (0..2).flat_map(|side| drawn[side].iter().map(move |&t| trees[side].triangle(t)));
        let along = Along::between(both.each_ref(), faces, &bounds)?;
        let drawn = on_map(&along);
        let is_on = |candidate: &&Candidate| {
            (0..2).all(|side| drawn[side].binary_search(&candidate.places[side]).is_ok())
        };
        let pairs = drawn[0].len() as u64 * drawn[1].len() as u64;
        let all = (pair.a.corners.len() + pair.b.corners.len()) as u64;
        if 2 * candidates.iter().filter(is_on).count() < candidates.len() || pairs < all {
            return None;
        }
        let [end, begin] = [0, 1].map(|side| along.heights(&both[side]));
        let highest = |of: [DoubleDouble; 3]| of.into_iter().fold(of[0], |x, y| if y > x { y } else { x });
        Some((along, [highest(end), -highest(begin.map(|h| -h))], drawn))
    }
}

fn looks_closest(candidates: &[Candidate]) -> Option<Candidate> {
    candidates.iter().min_by(|x, y| x.at_most.total_cmp(&y.at_most)).copied()
}

fn corners(pair: &PosedPair, [ta, tb]: [u32; 2]) -> [Triangle; 2] {
    [pair.a.triangle(ta), pair.b.triangle(tb)]
}

/// Returns the place of a candidate.
fn place_of(pair: &PosedPair, &Candidate { places, .. }: &Candidate) -> Place {
    Place::of(pair.triangles(places), corners(pair, places).each_ref())
}

/// Returns where a triangle of the first tree ends, or one of the second begins, as f64 finds it.
fn rough_end(along: &Along, side: usize, t: &Triangle) -> f64 {
    let [p, q, r] = t.map(|p| along.roughly(p));
    if side == 0 { p.max(q).max(r) } else { p.min(q).min(r) }
}

/// The triangles and boxes of a tree that are on a map.
#[derive(Clone, Debug)]
struct Drawn {
    /// True for triangles on it, by their places in the tree.
    triangles: Vec<bool>,
    /// A bit for each box of each block, set if all triangles below it are on the map.
    boxes: Vec<u8>,
}

impl Drawn {
    fn of(tree: &PosedWideObb, places: &[u32]) -> Self {
        let mut triangles = vec![false; tree.corners.len()];
        places.iter().for_each(|&t| triangles[t as usize] = true);
        let mut boxes = vec![0; tree.blocks.len()];
        // Children come after their parents.
        for (block, codes) in tree.blocks.iter().map(|block| &block.child).enumerate().rev() {
            for (lane, &code) in codes.iter().enumerate() {
                let is_whole = match Child::of(code) {
                    Child::None => true,
                    Child::Leaf { first, count } => {
                        triangles[first as usize..(first + count) as usize].iter().all(|drawn| *drawn)
                    }
                    Child::Block(child) => boxes[child as usize] == u8::MAX,
                };
                boxes[block] |= u8::from(is_whole) << lane;
            }
        }
        Self { triangles, boxes }
    }
}
