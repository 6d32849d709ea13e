//! Memory of a pair from query to query while its parts move little (Lin et al. 1997, section 2:
//! temporal coherence).
//!
//! Nothing here changes an answer. Remembered triangles are tested again, and what they show holds by itself:
//! a contact is a contact, and a distance bounds the smallest one. That parts are still apart follows from
//! their last known distance and a bound of how far any point has moved since, as seen from the other part.

use std::ops::ControlFlow::{Break, Continue};

use super::tables::Tables;
use super::{Leaf, PosedPair, contacts, nearest};
use crate::bvh::apart::Apart;
use crate::bvh::placement::FrameMap;
use crate::bvh::wide_obb::posed::PosedWideObb;
use crate::narrow::{Nearest, Work};

/// Number of remembered leaf pairs in contact.
const WITNESSES: usize = 8;

/// Number of steps, each as long as the last one, for which a search looks ahead.
const LOOK_AHEAD: f64 = 16.0;

/// Number of steps that looking ahead must prove to be worth its search.
const WORTHWHILE: f64 = 3.0;

/// Largest number of queries without looking ahead, after it did not pay.
const LONGEST_PATIENCE: u32 = 64;

/// Knowledge from earlier queries about two trees: always the same two, in the same order.
#[derive(Clone, Debug, Default)]
pub struct Coherence {
    /// Leaf pairs that were in contact, the latest last.
    witnesses: Vec<[Leaf; 2]>,
    /// The closest triangles of the last search, by their places in the trees.
    closest: Option<[u32; 2]>,
    apart: Option<Apart>,
    /// Frame of the second tree in the last query.
    last: Option<FrameMap>,
    /// Number of further queries without looking ahead.
    skip: u32,
    /// Value of `skip` when looking ahead last failed to pay.
    patience: u32,
    /// Cost of the last search for a contact.
    usual_cost: f64,
    /// The places at which the last search for contacts ended, if the next one is to start there instead of
    /// looking ahead.
    tables: Option<Tables>,
}

impl Coherence {
    /// Creates an empty memory that keeps [`Tables`] instead of looking ahead.
    pub fn with_tables() -> Self {
        Self { tables: Some(Tables::default()), ..Self::default() }
    }

    /// Forgets everything but that it keeps tables.
    pub fn forget(&mut self) {
        *self = if self.tables.is_some() { Self::with_tables() } else { Self::default() };
    }

    /// Returns the memory of tables in bytes; 0 without.
    pub fn table_bytes(&self) -> usize {
        self.tables.as_ref().map_or(0, Tables::bytes)
    }

    /// Returns all contacts, sorted; the same answer as [`contacts::contacts`].
    pub fn contacts(
        &mut self,
        a: &PosedWideObb,
        b: &PosedWideObb,
        scratch: &mut nearest::Scratch,
        work: &mut Work,
    ) -> Vec<[u32; 2]> {
        let Some(tables) = &mut self.tables else {
            return if self.touches(a, b, scratch, work) {
                contacts::contacts_in_parallel(a, b, usize::MAX, &mut scratch.contacts, work)
            } else {
                Vec::new()
            };
        };
        let (pair, mut found) = (PosedPair::new(a, b), Vec::new());
        let all = tables.search::<()>(&pair, work, |_, places| {
            found.push(pair.triangles(places));
            Continue(())
        });
        assert!(all.is_continue());
        found.sort_unstable();
        found
    }

    /// True when some triangles are in contact; the same answer as [`contacts::touches`].
    pub fn touches(
        &mut self,
        a: &PosedWideObb,
        b: &PosedWideObb,
        scratch: &mut nearest::Scratch,
        work: &mut Work,
    ) -> bool {
        let pair = PosedPair::new(a, b);
        if self.still_touches(&pair, work) {
            return true;
        }
        if let Some(tables) = &mut self.tables {
            let found = tables.search(&pair, work, |leaves, _| Break(leaves)).break_value();
            self.remember(found);
            return found.is_some();
        }
        let (Some(_), Some(now)) = (&pair.frames, FrameMap::new(b, a)) else {
            return contacts::touches(a, b, &mut scratch.contacts, work);
        };
        if self.apart.is_some_and(|apart| apart.distance(&now, a) > 0.0) {
            return false;
        }
        let step = self.last.replace(now).map_or(0.0, |last| last.farthest_move(&now));
        let world_step = step * a.scale;
        if self.skip > 0 {
            self.skip -= 1;
        } else if world_step > 0.0 && world_step.is_finite() {
            // Looks far enough ahead that the next queries need no search.
            let mut cost = Work::default();
            let (ahead, too_near) = (LOOK_AHEAD * world_step, WORTHWHILE * world_step);
            let found = nearest::at_least(&pair, ahead, too_near, scratch, &mut cost);
            *work += cost;
            let saved = found.map_or(0.0, |by| by / world_step * self.usual_cost);
            self.patience =
                if saved > effort(&cost) { 0 } else { (2 * self.patience).clamp(1, LONGEST_PATIENCE) };
            self.skip = self.patience;
            if let Some(by) = found {
                self.apart = Some(Apart::new(by, now, a));
                return false;
            }
        }
        let mut cost = Work::default();
        let found = contacts::first(&pair, &mut scratch.contacts, &mut cost);
        *work += cost;
        self.usual_cost = effort(&cost);
        self.remember(found);
        found.is_some()
    }

    /// True when leaves that were in contact at an earlier query still are.
    pub(in crate::bvh::wide_obb) fn still_touches(&mut self, pair: &PosedPair, work: &mut Work) -> bool {
        let touching = |&leaves: &[Leaf; 2]| contacts::leaves_touch(pair, leaves, work);
        let Some(at) = self.witnesses.iter().rposition(touching) else { return false };
        let latest = self.witnesses.remove(at);
        self.witnesses.push(latest);
        self.last = None;
        true
    }

    fn remember(&mut self, found: Option<[Leaf; 2]>) {
        if let Some(leaves) = found {
            if self.witnesses.len() == WITNESSES {
                self.witnesses.remove(0);
            }
            self.witnesses.push(leaves);
        }
    }

    /// Returns the closest triangles: the same answer as [`nearest::nearest`], but the last answer bounds the
    /// search. In contact, where the distance is 0, the pair of triangles depends on what is remembered.
    pub fn nearest(
        &mut self,
        a: &PosedWideObb,
        b: &PosedWideObb,
        bound: f64,
        scratch: &mut nearest::Scratch,
        work: &mut Work,
    ) -> Option<Nearest> {
        let pair = PosedPair::new(a, b);
        let (found, places) = nearest::search(&pair, bound, self.closest, scratch, work)?;
        self.closest = Some(places);
        Some(found)
    }

    /// Returns the places in the trees of the triangles that [`Coherence::nearest`] found last.
    pub fn closest(&self) -> Option<[u32; 2]> {
        self.closest
    }
}

/// Returns the approximate cost of a search in box tests: a pair of triangles takes as long as twelve.
fn effort(work: &Work) -> f64 {
    (work.box_tests + 12 * work.triangle_tests) as f64
}
