//! Bounds for whole surfaces. The first part is moved; whatever then touches nothing and lies outside is no
//! deeper than the length of the move. This holds for the points of both parts: either way, the surface of
//! one part passes over the points of the other that were inside.

use glam::DVec3;

use super::Ordered;
use super::back_off::pays;
use super::discard::keep_outside;
use super::exact::seam_contacts;
use super::queue::PointSet;
use super::search::DepthSearch;
use crate::bvh::posed_model::PosedModel;
use crate::query::winding;
use closefit_geometry::ids::to_u32;
use closefit_geometry::math::pose::SMALLEST;

/// Both parts, with the first displaced.
struct Displaced<'a> {
    first: &'a PosedModel<'a>,
    second: &'a PosedModel<'a>,
    /// The largest distance that a point of the first part has moved.
    moved_by: f64,
    /// Triangles of each part that then meet closed triangles or seams of the other, sorted.
    met: [Vec<u32>; 2],
}

/// Displacing is not tried with this few contacts: patches are then soon examined one by one.
const CROWD: usize = 8;

/// The fewest queued items for which another displacement is worth its cost.
const WORTHWHILE: usize = 16;

impl DepthSearch<'_> {
    /// True when another attempt is due, and mating faces of a mesh may be resolved together.
    pub fn translation_is_due(&self, top: &PointSet) -> bool {
        self.displacing.is_due(self.limit())
            && (!self.is_clash() || self.displaced_at.is_none_or(|at| self.has_earned(at)))
            && (!self.is_clash() || !matches!(top, PointSet::Surface))
            && self.contacts.iter().any(|contacts| contacts.len() > CROWD)
            && self.parts.iter().any(|part| part.body.has_solid() && !part.is_convex())
    }

    /// True when enough single patches have been examined since an attempt that did not pay. The next costs
    /// about as much as a patch for every four contacts.
    fn has_earned(&self, at: usize) -> bool {
        let contacts = self.contacts[0].len() + self.contacts[1].len();
        4 * (self.asked_singly - at) >= contacts
    }

    /// Tries to move one part out of the other, and discards the surface or those triangles that come free.
    pub fn displace(&mut self) {
        let before = (self.queue.len(), self.resolved);
        let opened = self.queue.iter().all(|q| !matches!(q.item, PointSet::Surface));
        for way in self.exit_directions() {
            if self.resolved == [true; 2] || (opened && self.queue.len() < WORTHWHILE) {
                break;
            }
            let step = way * (0.999 * self.limit());
            if self.promises(step) {
                self.try_step(step);
            }
        }
        let (queued, resolved) = before;
        let has_paid = self.resolved != resolved || pays(queued - self.queue.len(), queued);
        let has_paid = has_paid || !self.is_clash();
        self.displaced_at = (!has_paid).then_some(self.asked_singly);
        self.displacing.tried(self.limit(), has_paid);
    }

    /// True when at least half of a sample of touching triangles come free.
    fn promises(&self, step: DVec3) -> bool {
        let [mut free, mut asked] = [0, 0];
        for (side, step) in [(0, step), (1, -step)] {
            let contacts = &self.contacts[side];
            let mut last = u32::MAX;
            for pair in contacts.iter().step_by(contacts.len() / 4 + 1) {
                if pair[0] != last {
                    last = pair[0];
                    asked += 1;
                    let moved = self.parts[side].triangle(last).map(|p| p + step);
                    free += u32::from(!self.parts[1 - side].meets(&moved));
                }
            }
        }
        2 * free >= asked
    }

    fn try_step(&mut self, step: DVec3) {
        let Ordered { pair, first } = self.pair;
        pair.with_moved(first, step, &mut |moved, contacts| {
            let moved_by = largest_step(self.parts[0].body, moved, step);
            if moved_by <= self.limit() {
                let contacts = contacts().into_iter().map(|pair| [pair[first], pair[1 - first]]).collect();
                self.discard_displaced(&Displaced::new(moved, self.parts[1].body, contacts, moved_by));
            }
        });
    }

    /// Discards everything that is free of the other part.
    fn discard_displaced(&mut self, displaced: &Displaced) {
        for side in [0, 1] {
            if self.resolved[side as usize] {
                continue;
            }
            if displaced.met[side as usize].is_empty() && displaced.is_outside(side) {
                self.resolved[side as usize] = true;
                self.discard(displaced.moved_by);
            } else {
                self.free(side, displaced);
            }
        }
    }

    /// Removes from the queue the triangles that come free.
    fn free(&mut self, side: u8, displaced: &Displaced) {
        let met = &displaced.met[side as usize];
        let mut triangles = self.queued(side);
        triangles.retain(|t| met.binary_search(t).is_err());
        let [surface, solid] = displaced.sides(side);
        keep_outside(surface.mesh, &mut triangles, |t| is_outside(surface.triangle(t)[0], solid));
        self.discard_queued(side, &triangles, displaced.moved_by);
    }
}

/// Returns the largest distance that a point of a body moves in a step, with rounding.
fn largest_step(body: &PosedModel, moved: &PosedModel, step: DVec3) -> f64 {
    step.length() * (1.0 + 4.0 * f64::EPSILON) + body.rounding() + moved.rounding() + 4.0 * SMALLEST
}

impl<'a> Displaced<'a> {
    /// The displaced first part, the second, and their contacts after the move.
    fn new(
        first: &'a PosedModel<'a>,
        second: &'a PosedModel<'a>,
        contacts: Vec<[u32; 2]>,
        moved_by: f64,
    ) -> Self {
        let mut displaced = Self { first, second, moved_by, met: Default::default() };
        for side in [0, 1] {
            let [surface, solid] = displaced.sides(side);
            let (s, t) = (side as usize, 1 - side as usize);
            let met = contacts.iter().filter(|pair| solid.is_closed(pair[t])).map(|pair| pair[s]);
            let at_seams = seam_contacts(surface, solid).into_iter().map(|pair| pair[0]);
            let mut met: Vec<u32> = met.chain(at_seams).collect();
            met.sort_unstable();
            met.dedup();
            displaced.met[s] = met;
        }
        displaced
    }

    /// Returns the surface and the solid of a side after the move.
    fn sides(&self, side: u8) -> [&PosedModel<'a>; 2] {
        if side == 0 { [self.first, self.second] } else { [self.second, self.first] }
    }

    /// True when every component of a surface lies outside. The surface must meet nothing.
    fn is_outside(&self, side: u8) -> bool {
        let [surface, solid] = self.sides(side);
        let mut lowest = (0..to_u32(surface.topology.components.len())).map(|c| surface.lowest_triangle(c));
        lowest.all(|triangle| is_outside(surface.triangle(triangle)[0], solid))
    }
}

fn is_outside(p: DVec3, solid: &PosedModel) -> bool {
    !solid.may_contain(p) || !winding::inside(solid, &p)
}
