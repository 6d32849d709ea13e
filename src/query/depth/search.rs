//! The best-first search in f64, largest bound first.

use std::collections::BinaryHeap;

use glam::DVec3;
use hashbrown::HashSet;

use super::back_off::BackOff;
use super::exact::seam_contacts;
use super::marks::Marks;
use super::memory::Memory;
use super::part::Part;
use super::patch::{Patch, Patches};
use super::queue::{PointSet, Queued};
use super::surface::SurfaceMemory;
use super::{Deepest, DepthQuestion, Found, NARROW, Ordered};
use closefit_geometry::bounds::aabb::Aabb;

/// Depths below this many times the rounding are left to the exact search.
const BLURRED: f64 = 4096.0;

/// Limits of the search: it gives up after this many patches plus this many per triangle of both parts, or
/// when a patch has been divided this often. No ordinary pair comes near.
const MOST_PATCHES: usize = 20_000;
const MOST_PATCHES_PER_TRIANGLE: usize = 4;
const MOST_LEVELS: u8 = 64;

/// The result of a search in f64.
pub enum Outcome {
    /// The bracket.
    Found(Found),
    /// F64 cannot tell; no point lies deeper than `at_most`.
    Blurred {
        /// The upper bound so far.
        at_most: f64,
    },
}

/// A search in progress. Side 0 measures the surface of the first part against the solid of the second, side
/// 1 the reverse.
pub struct DepthSearch<'a> {
    pub pair: Ordered<'a>,
    /// The first part and the second.
    pub parts: [Part<'a>; 2],
    /// Surface triangles of each side with the closed triangles or seams that they meet, sorted.
    pub contacts: [Vec<[u32; 2]>; 2],
    /// The question, with the tolerance raised to what f64 can resolve.
    pub question: DepthQuestion,
    /// The tolerance as requested.
    asked: f64,
    pub queue: BinaryHeap<Queued>,
    serial: u32,
    pub patches: Patches,
    pub surfaces: SurfaceMemory,
    /// Vertices behind the other part's planes, with their depths below them; a buffer.
    pub corners: Vec<(f64, u32)>,
    pub at_least: f64,
    pub deepest: Option<Deepest>,
    /// The direction in which to move the first part so that the deepest point comes out.
    pub direction_of_deepest: Option<DVec3>,
    /// The largest upper bound of all discarded items.
    pub discarded: f64,
    /// Corners, by side, that have been tried.
    pub seen: HashSet<(u8, u32)>,
    /// A triangle near a vertex of each surface, in the other's solid.
    pub near: [Marks; 2],
    /// The last direction that moved a patch out, by side.
    pub way: [Option<DVec3>; 2],
    /// True once the whole surface of a side has been discarded, or if it is not measured.
    pub resolved: [bool; 2],
    /// The attempts to displace a part.
    pub displacing: BackOff,
    /// The attempts to inset the surface of a side; `None` until it is opened.
    pub insetting: [Option<BackOff>; 2],
    /// The number of queries about single patches so far.
    pub asked_singly: usize,
    /// That number at the last attempt to inset the surface of a side.
    pub inset_at: [usize; 2],
    /// That number at the last attempt to displace a part, if that did not pay.
    pub displaced_at: Option<usize>,
    /// Moves of patches: those tried, and those that proved a bound.
    pub moves: [usize; 2],
    /// The bound of a patch that could not be refined.
    pub blurred: Option<f64>,
}

impl<'a> DepthSearch<'a> {
    /// A search that borrows buffers until [`DepthSearch::give_back`].
    pub fn new(
        pair: Ordered<'a>,
        parts: [Part<'a>; 2],
        contacts: &[[u32; 2]],
        question: DepthQuestion,
        memory: &mut Memory,
    ) -> Self {
        let both = parts[0].body.bounds().union(*parts[1].body.bounds());
        let mut lists = std::mem::take(&mut memory.contacts);
        for (side, list) in lists.iter_mut().enumerate() {
            list.clear();
            let [surface, solid] = [parts[side].body, parts[1 - side].body];
            if solid.has_solid() {
                let by_surface = contacts.iter().map(|pair| [pair[side], pair[1 - side]]);
                list.extend(by_surface.filter(|pair| solid.is_closed(pair[1])));
                if side == 1 || !solid.seam_triangles().is_empty() {
                    list.extend(seam_contacts(surface, solid));
                    list.sort_unstable_by_key(|&[s, t]| u64::from(s) << 32 | u64::from(t));
                }
            }
        }
        // Points are rounded to f64, and moved.
        let last_place = both.lo.abs().max(both.hi.abs()).max_element() * f64::EPSILON;
        let rounding = parts[0].error.max(parts[1].error).max(8.0 * last_place);
        memory.queue.clear();
        memory.patches.clear();
        memory.seen.clear();
        Self {
            pair,
            parts,
            contacts: lists,
            question: DepthQuestion { tolerance: question.tolerance.max(BLURRED * rounding), ..question },
            asked: question.tolerance,
            queue: std::mem::take(&mut memory.queue),
            serial: 0,
            patches: std::mem::take(&mut memory.patches),
            surfaces: std::mem::take(&mut memory.surfaces),
            corners: std::mem::take(&mut memory.corners),
            at_least: 0.0,
            deepest: None,
            direction_of_deepest: None,
            discarded: 0.0,
            seen: std::mem::take(&mut memory.seen),
            near: std::mem::take(&mut memory.near),
            way: [None; 2],
            resolved: question.measured.map(|is_measured| !is_measured),
            displacing: BackOff::default(),
            insetting: [None, None],
            asked_singly: 0,
            inset_at: [0; 2],
            displaced_at: None,
            moves: [0; 2],
            blurred: None,
        }
    }

    /// Returns the buffers.
    pub fn give_back(self, memory: &mut Memory) {
        memory.parts = self.parts.map(Part::into_memory);
        memory.contacts = self.contacts;
        memory.queue = self.queue;
        memory.patches = self.patches;
        memory.surfaces = self.surfaces;
        memory.corners = self.corners;
        memory.seen = self.seen;
        memory.near = self.near;
    }

    /// Searches until the bracket is narrow enough.
    pub fn run(&mut self) -> Outcome {
        self.begin();
        let triangles: usize = self.parts.iter().map(|part| part.body.mesh.triangles().len()).sum();
        let most_patches = MOST_PATCHES + MOST_PATCHES_PER_TRIANGLE * triangles;
        while let Some(top) = self.queue.pop() {
            let at_most = top.at_most.max(self.discarded).max(self.at_least);
            if top.at_most <= self.limit() || self.is_narrow(at_most) {
                return self.found(at_most);
            }
            if self.patches.made() > most_patches {
                return Outcome::Blurred { at_most };
            }
            if self.translation_is_due(&top.item) {
                self.queue.push(top);
                self.displace();
            } else if self.inset_is_due(&top.item) {
                self.queue.push(top);
                self.inset_queued();
            } else {
                self.look_at(top);
            }
            if let Some(bound) = self.blurred {
                return Outcome::Blurred { at_most: at_most.max(bound) };
            }
        }
        self.found(self.discarded.max(self.at_least))
    }

    /// Queues both surfaces as single items.
    fn begin(&mut self) {
        let common = self.common();
        let is_open = |side: u8| self.solid(side).body.has_solid() && !self.resolved[side as usize];
        let sides = [0, 1].map(|side| (side, is_open(side)));
        for (side, is_open) in sides {
            if is_open && self.solid(side).way_out_of_box(&common) > self.limit() {
                self.try_corners(side);
            }
        }
        for (side, is_open) in sides {
            if is_open {
                let at_most = self.solid(side).way_out_of_box(&common);
                self.offer(side, PointSet::Surface, at_most);
            }
        }
    }

    fn look_at(&mut self, top: Queued) {
        let Queued { at_most, side, item, .. } = top;
        let is_resolved = self.resolved[side as usize];
        match item {
            PointSet::Patch(place) => {
                let mut patch = self.patches.take(place);
                if is_resolved {
                    return;
                }
                if patch.level > MOST_LEVELS {
                    self.blurred = Some(at_most);
                    return;
                }
                self.refine(side, &mut patch, at_most);
            }
            _ if is_resolved => {}
            PointSet::Surface => self.open_surface(side),
            PointSet::Triangle(t, inside) => self.open(side, t, inside, at_most),
        }
    }

    /// True for a bracket that straddles the tolerance and is narrow enough.
    fn is_narrow(&self, at_most: f64) -> bool {
        self.at_least > 0.0 && self.at_least <= self.asked && at_most - self.at_least < self.asked * NARROW
    }

    fn found(&self, at_most: f64) -> Outcome {
        // F64 cannot tell a depth above the requested tolerance that is within rounding.
        if self.at_least == 0.0 && self.question.tolerance > self.asked && at_most > self.asked {
            return Outcome::Blurred { at_most };
        }
        Outcome::Found(Found {
            at_least: self.at_least,
            at_most,
            deepest: self.deepest,
            decided: true,
            ended_early: false,
        })
    }

    /// Returns the part whose points a side measures.
    pub fn surface(&self, side: u8) -> &Part<'a> {
        &self.parts[side as usize]
    }

    /// Returns the part whose solid contains them.
    pub fn solid(&self, side: u8) -> &Part<'a> {
        &self.parts[1 - side as usize]
    }

    /// Returns the same part, mutable because some queries fill its buffers at first use.
    pub fn solid_mut(&mut self, side: u8) -> &mut Part<'a> {
        &mut self.parts[1 - side as usize]
    }

    /// Returns a box that contains all points of one surface inside the other's solid.
    pub fn common(&self) -> Aabb {
        let [s, t] = self.parts.each_ref().map(|part| *part.body.bounds());
        Aabb { lo: s.lo.max(t.lo), hi: s.hi.min(t.hi) }
    }

    /// Returns the contacts of a surface triangle, sorted.
    pub fn met_by(&self, side: u8, triangle: u32) -> &[[u32; 2]] {
        let contacts = &self.contacts[side as usize];
        let start = contacts.partition_point(|pair| pair[0] < triangle);
        let count = contacts[start..].iter().take_while(|pair| pair[0] == triangle).count();
        &contacts[start..start + count]
    }

    /// Returns the largest bound that changes nothing.
    pub fn limit(&self) -> f64 {
        self.question.limit(self.at_least)
    }

    /// True once a point deeper than the tolerance has been found.
    pub fn is_clash(&self) -> bool {
        self.at_least > self.question.tolerance
    }

    /// Queues an item, or discards it if its bound changes nothing.
    pub fn offer(&mut self, side: u8, item: PointSet, at_most: f64) {
        if at_most <= self.limit() {
            self.discard(at_most);
        } else {
            let serial = self.serial;
            self.serial += 1;
            self.queue.push(Queued { at_most, serial, side, item });
        }
    }

    /// Queues a patch, or discards it. The patch is made only if queued.
    pub fn offer_patch(&mut self, side: u8, at_most: f64, patch: impl FnOnce() -> Patch) {
        if at_most <= self.limit() {
            self.discard(at_most);
        } else {
            let place = self.patches.keep(patch());
            self.offer(side, PointSet::Patch(place), at_most);
        }
    }

    /// Discards something with this bound.
    pub fn discard(&mut self, at_most: f64) {
        self.discarded = self.discarded.max(at_most);
    }

    /// Returns the largest bound in the queue.
    pub fn next_bound(&self) -> f64 {
        self.queue.peek().map_or(0.0, |queued| queued.at_most)
    }
}
