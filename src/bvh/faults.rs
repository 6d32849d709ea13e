//! Faults that tests put into trees that have been built, to see whether they are noticed.

/// A fault of one part of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A box or another volume is smaller by a millionth of its size.
    SmallerByAMillionth,
    /// A box or another volume has a tenth of its size.
    SmallerByNineTenths,
    /// A plane bounds the other side.
    Flipped,
    /// A child or a leaf's item is left out.
    Dropped,
    /// A leaf has another leaf's item in the place of its own.
    Replaced,
}

impl Fault {
    /// All faults.
    pub const ALL: [Self; 5] =
        [Self::SmallerByAMillionth, Self::SmallerByNineTenths, Self::Flipped, Self::Dropped, Self::Replaced];

    /// Returns the share of its size that a volume keeps, if it shrinks.
    pub fn kept(self) -> Option<f32> {
        match self {
            Self::SmallerByAMillionth => Some(1.0 - 1e-6),
            Self::SmallerByNineTenths => Some(0.1),
            _ => None,
        }
    }
}

/// Picks parts of a tree by the digits of a number.
#[derive(Clone, Copy, Debug)]
pub struct Place(pub u64);

impl Place {
    /// Returns a number below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        let digit = self.0 % count as u64;
        self.0 /= count as u64;
        digit as usize
    }

    /// Returns a lane that is not empty, and its block: not the root's.
    pub fn lane(&mut self, children: &[[u32; closefit_geometry::lanes::LANES]]) -> (usize, usize) {
        let block = 1 + self.below(children.len() - 1);
        let none = super::wide_topology::Child::None.code();
        let used: Vec<usize> =
            (0..closefit_geometry::lanes::LANES).filter(|&i| children[block][i] != none).collect();
        (block, used[self.below(used.len())])
    }
}
