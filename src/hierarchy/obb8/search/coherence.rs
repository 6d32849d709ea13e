//! What a pair remembers from query to query, where its parts move little in between (Lin et al. 1997,
//! section 2: temporal coherence).
//!
//! Nothing here changes an answer. Remembered triangles are tested anew, and what they show holds by itself:
//! a contact is a contact, a distance bounds the smallest one. That parts are still apart follows from how
//! far they were, and from how far no point of the one can have moved, as seen from the other.

use glam::{DMat3, DVec3};

use super::{Leaf, Pair, contacts, nearest, relative};
use crate::hierarchy::obb8::posed::Posed;
use crate::narrow::{Nearest, Work};

/// Leaves in contact that are remembered.
const WITNESSES: usize = 8;

/// Steps, each as long as the last one, for which a search looks ahead.
const LOOK_AHEAD: f64 = 16.0;

/// Steps for which it must tell to be worth its search.
const WORTHWHILE: f64 = 3.0;

/// Most queries without looking ahead, after it did not pay.
const LONGEST_PATIENCE: u32 = 64;

/// What is known of where two trees were before: always the same two, in the same order.
#[derive(Clone, Debug, Default)]
pub struct Coherence {
    /// Leaves that were in contact, the latest last.
    witnesses: Vec<[Leaf; 2]>,
    /// The closest triangles of the last search, by their places.
    closest: Option<[u32; 2]>,
    apart: Option<Apart>,
    /// Where the second was in the last query, seen from the first.
    last: Option<Seen>,
    /// Queries left without looking ahead.
    skip: u32,
    /// How many it was the last time that looking ahead did not pay.
    patience: u32,
    /// Effort of the last search for a contact.
    usual_cost: f64,
}

/// The second tree's frame in normal coordinates of the first.
#[derive(Clone, Copy, Debug)]
struct Seen {
    linear: DMat3,
    shift: DVec3,
}

/// The distance was at least `by`, in normal units of the first tree, when the second one was `at`.
#[derive(Clone, Copy, Debug)]
struct Apart {
    at: Seen,
    by: f64,
}

impl Coherence {
    /// True when some triangles are in contact: what [`contacts::touches`] says.
    pub fn touches(&mut self, a: &Posed, b: &Posed, scratch: &mut nearest::Scratch, work: &mut Work) -> bool {
        let pair = Pair::new(a, b);
        if let Some(at) =
            self.witnesses.iter().rposition(|&leaves| contacts::leaves_touch(&pair, leaves, work))
        {
            let latest = self.witnesses.remove(at);
            self.witnesses.push(latest);
            self.last = None;
            return true;
        }
        if pair.frames.is_none() {
            return contacts::touches(a, b, &mut scratch.contacts, work);
        }
        let now = Seen::of(a, b);
        if self.apart.is_some_and(|apart| apart.at.farthest_move(&now) + uncertainty(a, b) < apart.by) {
            return false;
        }
        let step = self.last.replace(now).map_or(0.0, |last| last.farthest_move(&now));
        let world_step = step * a.scale;
        if self.skip > 0 {
            self.skip -= 1;
        } else if world_step > 0.0 && world_step.is_finite() {
            // Far enough ahead that the next queries need no search.
            let mut cost = Work::default();
            let (ahead, too_near) = (LOOK_AHEAD * world_step, WORTHWHILE * world_step);
            let found = nearest::at_least(&pair, ahead, too_near, scratch, &mut cost);
            *work += cost;
            let saved = found.map_or(0.0, |by| by / world_step * self.usual_cost);
            self.patience =
                if saved > effort(&cost) { 0 } else { (2 * self.patience).clamp(1, LONGEST_PATIENCE) };
            self.skip = self.patience;
            if let Some(by) = found {
                self.apart = Some(Apart { at: now, by: by / (a.scale * (1.0 + a.skew)) - uncertainty(a, b) });
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

    fn remember(&mut self, found: Option<[Leaf; 2]>) {
        if let Some(leaves) = found {
            if self.witnesses.len() == WITNESSES {
                self.witnesses.remove(0);
            }
            self.witnesses.push(leaves);
        }
    }

    /// The closest triangles: what [`nearest::nearest`] says, its search bounded by the last answer's. Which
    /// triangles are in contact, where the distance is 0, depends on what is remembered.
    pub fn nearest(
        &mut self,
        a: &Posed,
        b: &Posed,
        bound: f64,
        scratch: &mut nearest::Scratch,
        work: &mut Work,
    ) -> Option<Nearest> {
        let pair = Pair::new(a, b);
        let (found, places) = nearest::search(&pair, bound, self.closest, scratch, work)?;
        self.closest = Some(places);
        Some(found)
    }

    /// Where in their trees the triangles are that [`Coherence::nearest`] found last.
    pub fn closest(&self) -> Option<[u32; 2]> {
        self.closest
    }
}

impl Seen {
    fn of(a: &Posed, b: &Posed) -> Self {
        let inverse = a.linear.inverse();
        Self { linear: inverse * b.linear, shift: inverse * (b.origin - a.origin) }
    }

    /// No vertex of the second tree has moved farther than this, its normal coordinates being at most 1.
    fn farthest_move(&self, to: &Self) -> f64 {
        let turned = to.linear - self.linear;
        let columns = turned.x_axis.length() + turned.y_axis.length() + turned.z_axis.length();
        ((to.shift - self.shift).length() + columns) * (1.0 + 16.0 * f64::EPSILON)
    }
}

/// What a search costs, about, in tests of a box: a pair of triangles takes as long as twelve.
fn effort(work: &Work) -> f64 {
    (work.box_tests + 12 * work.triangle_tests) as f64
}

/// How far, in normal units of the first tree, distances may be from what the frames say.
fn uncertainty(a: &Posed, b: &Posed) -> f64 {
    relative::rounding(b, a) + (a.error + b.error) / (a.scale * (1.0 - a.skew))
}
