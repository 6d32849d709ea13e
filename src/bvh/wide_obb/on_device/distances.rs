//! The search for distances: the device finds the leaf pairs that may hold the closest triangles, and the CPU
//! compares these exactly. Groups of lanes search many pairs; rounds finish what groups leave, and search few
//! pairs.

use super::Placed;
use super::columns::{NO_PAIR, Pair};
use super::groups::Left;
use super::near_columns::NearRecord;
use super::near_groups::NearGroups;
use super::near_queue::{DEEPEST, NearWorkspace};
use super::parts::{Batch, Part, batch, depth, pairs_of, swapped_lanes};
use super::residence::Residence;
use crate::bvh::wide_obb::posed::PosedWideObb;
use crate::bvh::wide_obb::search::{Leaf, PosedPair, nearest};
use crate::gpu::error_bounds::FAR;
use crate::gpu::{DeviceError, Tally};
use crate::narrow::{Nearest, Work};
use closefit_geometry::ids::to_u32;
use closefit_geometry::parallel;

/// The closest triangles of two trees, and their places in the trees.
type Closest = (Nearest, [u32; 2]);

/// The closest triangles of several pairs, in order, and the work of finding them.
pub(super) type ClosestOfAll = (Vec<Option<Closest>>, Work);

/// Upper bound of a limit in home units: far beyond any two trees that the device searches.
const FARTHEST: f32 = 1e6;

/// A leaf pair that may hold the closest triangles, with a lower bound of their distance in home units.
#[derive(Clone, Copy)]
struct Near {
    at_least: f32,
    leaves: [Leaf; 2],
    lanes: u32,
}

/// Survivors of one pair of trees.
#[derive(Clone, Default)]
struct Survivors {
    near: Vec<Near>,
    /// Upper bound of the distance, in home units.
    limit: f32,
    prune_at: usize,
}

impl Survivors {
    fn add(&mut self, near: Near) {
        self.near.push(near);
        if self.near.len() > self.prune_at {
            self.prune();
            self.prune_at = 1024.max(2 * self.near.len());
        }
    }

    fn prune(&mut self) {
        self.near.retain(|near| near.at_least <= self.limit);
    }
}

impl Residence {
    /// Returns the closest triangles of each placed pair of trees, if their distance is at most `limit` of
    /// the pair. The trees must not be in contact. Returns `None` if the trees are too deep for the device.
    pub(super) fn find_nearest(
        &self,
        placed: &[Placed],
        limit: impl Fn(&Placed) -> f64 + Sync,
    ) -> Result<Option<ClosestOfAll>, DeviceError> {
        if placed.is_empty() {
            return Ok(Some((Vec::new(), Work::default())));
        }
        let depth = depth(placed);
        if depth > DEEPEST {
            return Ok(None);
        }
        let begin = |p: &Placed| Survivors {
            limit: in_home(limit(p), p.trees[p.relation.home]),
            ..Survivors::default()
        };
        let mut all: Vec<Survivors> = placed.iter().map(begin).collect();
        let before = self.device.tally();
        let mut rounds = None;
        for ([home, guest], parts) in self.parts(placed) {
            let arenas = [self.arenas.buffer(home), self.arenas.buffer(guest)];
            let are_many = parts.len() >= self.groups_from();
            let groups = if are_many { NearGroups::new(self.device, &self.limits, depth)? } else { None };
            let most = match &groups {
                Some(groups) => groups.most_questions(),
                None => self.rounds(&mut rounds, depth)?.roots(),
            };
            for parts in parts.chunks(most) {
                let Some(groups) = &groups else {
                    let rounds = self.rounds(&mut rounds, depth)?;
                    let mut queries = Queries::of(parts, placed, &mut all);
                    queries.search_in_rounds(rounds, batch(parts, placed), arenas)?;
                    continue;
                };
                let left = Queries::of(parts, placed, &mut all).search_by_groups(groups, arenas)?;
                if !left.is_empty() {
                    let rounds = self.rounds(&mut rounds, depth)?;
                    for (batch, parts) in left.batches(parts, placed, rounds.roots()) {
                        Queries::of(&parts, placed, &mut all).search_in_rounds(rounds, batch, arenas)?;
                    }
                }
            }
        }
        let after = self.device.tally();
        let mut work = Work {
            box_tests: after.box_tests - before.box_tests,
            triangle_tests: after.triangle_tests - before.triangle_tests,
            ..Work::default()
        };
        let closest = |at: usize, survivors| closest_of(&placed[at], survivors, limit(&placed[at]));
        let answers: Vec<(Option<Closest>, u64, Work)> = parallel::map_owned(all, parallel::SMALL, closest);
        let survivors = answers.iter().map(|(_, survivors, _)| survivors).sum();
        self.device.add_to_tally(Tally { survivors, ..Tally::default() });
        answers.iter().for_each(|(.., one)| work += *one);
        Ok(Some((answers.into_iter().map(|(found, ..)| found).collect(), work)))
    }

    /// Returns the queue for rounds, made at the first call.
    fn rounds<'m>(
        &self,
        made: &'m mut Option<NearWorkspace>,
        depth: u32,
    ) -> Result<&'m NearWorkspace, DeviceError> {
        if made.is_none() {
            *made = Some(NearWorkspace::new(self.device, &self.limits, depth)?);
        }
        Ok(made.as_ref().expect("it was made"))
    }
}

/// The searches of some parts. The parts of a placed pair share a query.
struct Queries<'s, 'p, 'a, 'q> {
    parts: &'s [Part],
    placed: &'p [Placed<'a, 'q>],
    /// The placed pair of each query, ascending.
    of_query: Vec<usize>,
    all: &'s mut [Survivors],
}

impl<'s, 'p, 'a, 'q> Queries<'s, 'p, 'a, 'q> {
    fn of(parts: &'s [Part], placed: &'p [Placed<'a, 'q>], all: &'s mut [Survivors]) -> Self {
        let mut of_query: Vec<usize> = parts.iter().map(|part| part.placed).collect();
        of_query.sort_unstable();
        of_query.dedup();
        Self { parts, placed, of_query, all }
    }

    fn limits(&self) -> Vec<f32> {
        self.of_query.iter().map(|&index| self.all[index].limit).collect()
    }

    /// Sets the query of each pair: the pairs of the parts.
    fn number(&self, pairs: &mut [Pair]) {
        for (pair, part) in pairs.iter_mut().zip(self.parts) {
            pair.query = to_u32(self.of_query.binary_search(&part.placed).expect("it is there"));
        }
    }

    fn search_in_rounds(
        &mut self,
        rounds: &NearWorkspace,
        mut batch: Batch,
        arenas: [&wgpu::Buffer; 2],
    ) -> Result<(), DeviceError> {
        self.number(&mut batch.pairs);
        rounds.run(&batch, &mut self.limits(), arenas, |records, limits| self.take_up(records, limits))
    }

    /// Returns what groups have left.
    fn search_by_groups(
        &mut self,
        groups: &NearGroups,
        arenas: [&wgpu::Buffer; 2],
    ) -> Result<Left, DeviceError> {
        let mut pairs = pairs_of(self.parts, self.placed).pairs;
        self.number(&mut pairs);
        let (parts, placed) = (self.parts, self.placed);
        groups.run((parts, placed, &pairs), &mut self.limits(), arenas, |records, limits| {
            self.take_up(records, limits);
        })
    }

    /// Takes up the limits of all queries, and records.
    fn take_up(&mut self, records: &[NearRecord], limits: &[f32]) {
        for (&index, &limit) in self.of_query.iter().zip(limits) {
            self.all[index].limit = limit;
        }
        for record in records.iter().filter(|record| record.pair != NO_PAIR) {
            let part = &self.parts[record.pair() as usize];
            self.all[part.placed].add(near(record, part, &self.placed[part.placed]));
        }
    }
}

/// Returns an upper bound of a distance in home units, with room for rounding and for distances that round to
/// it.
fn in_home(distance: f64, home: &PosedWideObb) -> f32 {
    let units = distance / home.scale * (1.0 + f64::from(FAR));
    (units.min(f64::from(FARTHEST)) as f32).next_up().max(f32::MIN_POSITIVE)
}

fn near(record: &NearRecord, part: &Part, placed: &Placed) -> Near {
    let (leaves, is_swapped) = part.in_order(placed, record.leaves());
    let lanes = if is_swapped { swapped_lanes(record.lanes()) } else { record.lanes() };
    Near { at_least: f32::from_bits(record.at_least), leaves, lanes }
}

/// Returns the exactly closest triangles of a pair's survivors, if their distance is at most `limit`, with
/// the number of triangle pairs among the survivors.
fn closest_of(placed: &Placed, mut survivors: Survivors, limit: f64) -> (Option<Closest>, u64, Work) {
    survivors.prune();
    survivors.near.sort_unstable_by(|a, b| a.at_least.total_cmp(&b.at_least));
    let count = survivors.near.iter().map(|near| u64::from(near.lanes.count_ones())).sum();
    let pair = PosedPair::new(placed.trees[0], placed.trees[1]);
    let leaves = survivors.near.iter().map(|near| (near.leaves, near.lanes));
    let mut work = Work::default();
    (nearest::closest_among(&pair, limit, leaves, &mut work), count, work)
}
