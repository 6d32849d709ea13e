//! Patches, and where they are kept.

use super::polygon::Polygon;
use crate::ids::to_u32;

/// What is known of where a patch lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The solid's surface may pass through it.
    Mixed,
    /// It certainly lies inside.
    Inside,
    /// It was cut off along the solid's surface: all inside or all outside, but for its rim.
    Cell,
}

/// A convex piece of a surface triangle.
#[derive(Clone, Copy, Debug)]
pub struct Patch {
    pub polygon: Polygon,
    pub triangle: u32,
    pub class: Class,
    /// A triangle of the solid that is near.
    pub near: Option<u32>,
    /// Where the triangles are listed that may pass through it: from, to.
    pub cutters: [u32; 2],
    /// How often it has been divided.
    pub level: u8,
    /// Moving it out has been tried.
    pub is_moved: bool,
    /// The closed triangle with the best bound has been looked up.
    pub is_looked_up: bool,
}

/// An arena of patches, and of the lists of triangles that may pass through them.
#[derive(Default)]
pub struct Patches {
    patches: Vec<Patch>,
    free: Vec<u32>,
    cutters: Vec<u32>,
    made: usize,
}

impl Patches {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.patches.clear();
        self.free.clear();
        self.cutters.clear();
        self.made = 0;
    }

    /// How many there have been.
    pub fn made(&self) -> usize {
        self.made
    }

    /// Keeps a patch, and says where.
    pub fn keep(&mut self, patch: Patch) -> u32 {
        self.made += 1;
        if let Some(place) = self.free.pop() {
            self.patches[place as usize] = patch;
            place
        } else {
            self.patches.push(patch);
            to_u32(self.patches.len() - 1)
        }
    }

    /// Takes a patch from its place.
    pub fn take(&mut self, place: u32) -> Patch {
        self.free.push(place);
        self.patches[place as usize]
    }

    /// The patch at a place.
    pub fn peek(&self, place: u32) -> &Patch {
        &self.patches[place as usize]
    }

    /// A list.
    pub fn cutters(&self, [from, to]: [u32; 2]) -> &[u32] {
        &self.cutters[from as usize..to as usize]
    }

    /// Keeps a list, and says where.
    pub fn list(&mut self, cutters: impl Iterator<Item = u32>) -> [u32; 2] {
        let from = self.cutters.len();
        self.cutters.extend(cutters);
        [to_u32(from), to_u32(self.cutters.len())]
    }

    /// Lists those of some cutters that pass a test.
    pub fn filter(&mut self, [from, to]: [u32; 2], test: impl Fn(u32) -> bool) -> [u32; 2] {
        let start = self.cutters.len();
        for k in from..to {
            let cutter = self.cutters[k as usize];
            if test(cutter) {
                self.cutters.push(cutter);
            }
        }
        [to_u32(start), to_u32(self.cutters.len())]
    }
}
