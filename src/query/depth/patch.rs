//! Patches, and the arena that stores them.

use super::planes::WayOut;
use super::polygon::Polygon;
use closefit_geometry::ids::to_u32;

/// The known position of a patch relative to the solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The solid's surface may pass through the patch.
    Mixed,
    /// The patch certainly lies inside.
    Inside,
    /// The patch was cut off along the solid's surface: all inside or all outside, except for its rim.
    Cell,
}

/// A convex piece of a surface triangle.
#[derive(Clone, Copy, Debug)]
pub struct Patch {
    pub polygon: Polygon,
    pub triangle: u32,
    pub class: Class,
    /// The way out of the solid for the whole polygon.
    pub way: WayOut,
    /// A triangle of the solid that is near.
    pub near: Option<u32>,
    /// The range, start to end, in the arena's list of triangles that may pass through the patch.
    pub cutters: [u32; 2],
    /// The number of divisions that led to the patch.
    pub level: u8,
    /// True once moving it out has been tried.
    pub is_moved: bool,
    /// True once the closed triangle with the best bound has been looked up.
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
    /// Removes everything.
    pub fn clear(&mut self) {
        self.patches.clear();
        self.free.clear();
        self.cutters.clear();
        self.made = 0;
    }

    /// Returns the number of patches stored since the last [`Patches::clear`].
    pub fn made(&self) -> usize {
        self.made
    }

    /// Stores a patch. Returns its place.
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

    /// Removes a patch from its place and returns it.
    pub fn take(&mut self, place: u32) -> Patch {
        self.free.push(place);
        self.patches[place as usize]
    }

    /// Returns the patch at a place.
    pub fn peek(&self, place: u32) -> &Patch {
        &self.patches[place as usize]
    }

    /// Returns the triangles in a range of the list.
    pub fn cutters(&self, [from, to]: [u32; 2]) -> &[u32] {
        &self.cutters[from as usize..to as usize]
    }

    /// Stores a list of triangles. Returns its range.
    pub fn list(&mut self, cutters: impl Iterator<Item = u32>) -> [u32; 2] {
        let from = self.cutters.len();
        self.cutters.extend(cutters);
        [to_u32(from), to_u32(self.cutters.len())]
    }

    /// Stores those triangles of a range that pass a test. Returns the new range.
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
