//! Bounds for whole surfaces: the first part is moved, and what then touches nothing and lies outside is no deeper
//! than it has been moved. It does not matter whose points those are: either way the surface of one part passes
//! over the points of the other that were inside.

use glam::DVec3;

use super::Ordered;
use super::exact::seam_contacts;
use super::queue::Item;
use super::search::Search;
use super::unqueue::keep_outside;
use crate::bounds::aabb::Aabb;
use crate::hierarchy::body::Body;
use crate::math::pose::SMALLEST;
use crate::query::winding;

/// Both parts, the first displaced.
struct Displaced<'a> {
    first: &'a Body<'a>,
    second: &'a Body<'a>,
    /// No point of it has moved farther.
    reach: f64,
    /// Triangles of either part that then meet the other's closed ones or seams, sorted.
    met: [Vec<u32>; 2],
}

/// With so few contacts patches are soon looked at one by one.
const CROWD: usize = 8;

/// So many triangles are worth the trouble.
const WORTHWHILE: usize = 16;

impl Search<'_> {
    /// True where the limit has grown since it was tried last, and mating faces of a mesh may be resolved at once.
    pub fn displacing_is_due(&self, top: &Item) -> bool {
        self.limit() > 1.05 * self.displaced_at
            && (!self.is_clash() || !matches!(top, Item::Surface))
            && self.contacts.iter().any(|contacts| contacts.len() > CROWD)
            && self.parts.iter().any(|part| part.body.has_solid() && !part.is_convex())
    }

    /// Tries to move one part out of the other, for all of a surface or as much of it as comes free.
    pub fn displace(&mut self) {
        self.displaced_at = self.limit();
        let opened = self.queue.iter().all(|q| !matches!(q.item, Item::Surface));
        for way in self.ways() {
            if self.resolved == [true; 2] || (opened && self.queue.len() < WORTHWHILE) {
                break;
            }
            let step = way * (0.999 * self.limit());
            if self.promises(step) {
                self.try_step(step);
            }
        }
    }

    /// True when most of a few triangles that touch come free.
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
            let reach = reach(self.parts[0].body, moved, step);
            if reach <= self.limit() {
                let contacts = contacts().into_iter().map(|pair| [pair[first], pair[1 - first]]).collect();
                self.leave_displaced(&Displaced::new(moved, self.parts[1].body, contacts, reach));
            }
        });
    }

    /// Leaves aside what is free of the other part.
    fn leave_displaced(&mut self, displaced: &Displaced) {
        for side in [0, 1] {
            if self.resolved[side as usize] {
                continue;
            }
            if displaced.met[side as usize].is_empty() && displaced.is_outside(side) {
                self.resolved[side as usize] = true;
                self.leave(displaced.reach);
            } else {
                self.free(side, displaced);
            }
        }
    }

    /// Takes from the queue what comes free.
    fn free(&mut self, side: u8, displaced: &Displaced) {
        let met = &displaced.met[side as usize];
        let mut triangles = self.queued(side);
        triangles.retain(|t| met.binary_search(t).is_err());
        let [surface, solid] = displaced.sides(side);
        keep_outside(surface.mesh, &mut triangles, |t| is_outside(surface.triangle(t)[0], solid));
        self.unqueue(side, &triangles, displaced.reach);
    }
}

/// No point of a body that is moved by a step moves farther.
fn reach(body: &Body, moved: &Body, step: DVec3) -> f64 {
    step.length() * (1.0 + 4.0 * f64::EPSILON) + body.rounding() + moved.rounding() + 4.0 * SMALLEST
}

impl<'a> Displaced<'a> {
    /// The first part where it has been moved, the second, and their contacts then.
    fn new(first: &'a Body<'a>, second: &'a Body<'a>, contacts: Vec<[u32; 2]>, reach: f64) -> Self {
        let mut displaced = Self { first, second, reach, met: Default::default() };
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

    /// Surface and solid of a side as they are then.
    fn sides(&self, side: u8) -> [&Body<'a>; 2] {
        if side == 0 { [self.first, self.second] } else { [self.second, self.first] }
    }

    /// True when every component of a surface that meets nothing lies outside.
    fn is_outside(&self, side: u8) -> bool {
        let [surface, solid] = self.sides(side);
        let components = surface.component_boxes();
        components.iter().all(|&(triangle, _)| is_outside(surface.triangle(triangle)[0], solid))
    }
}

fn is_outside(p: DVec3, solid: &Body) -> bool {
    !solid.bounds.strictly_contains(&Aabb { lo: p, hi: p }) || !winding::inside(solid, &p)
}
