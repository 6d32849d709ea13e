//! The recursive grid of CDFast (Sanna and Milani 2004, section 3), over boxes that stand still. A query
//! tests only the boxes in the cells that it meets, so its cost does not depend on how many others there are.
//!
//! A cell with more than a [threshold](GridRule::threshold) of boxes is cut into a grid of smaller cells,
//! each of which lists the boxes that meet it. Where the paper is silent or would not end, these are our
//! choices:
//! - The grid of a cell spans the boxes in it, as the paper's first one does: a box far away costs one level.
//!   It is not cut along an axis along which they take up most of it, as a bundle of cables does along the
//!   cables.
//! - A box that would meet more than [`SPREAD`] of the smaller cells stays in the list of the larger one. In
//!   the paper it would be in the list of every small cell that it meets: nine walls in one plane would need
//!   16^10 references.
//! - A cell is not cut if one of its children would have all its boxes, nor below level [`LEVELS`].
//!
//! Boxes come and go one at a time. Those outside of the first cell wait in a list that every query tests.
//! When these tests, and removals, which leave cells behind, have cost as much as building takes, everything
//! is built again. So a change costs a constant time on average, a few times what its box takes in a build.

mod counts;
mod cut;
mod lists;
mod query;

use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::to_u32;
use counts::CellKind;
pub use counts::{Kinds, Shape, Visits};
use cut::Cut;
use lists::{List, Lists};

/// The rule by which the cells of a recursive grid are cut (Sanna and Milani 2004, section 3). No answer
/// depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridRule {
    threshold: usize,
    cells: u32,
}

/// The rule would cut cells without end, or into too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "cannot cut cells of more than {threshold} boxes into {cells} along an axis: use 1 or more, and 2 to 8"
)]
pub struct GridRuleError {
    threshold: usize,
    cells: u32,
}

impl GridRule {
    /// Returns the rule that cuts cells with more than `threshold` boxes (T in the paper, where the user sets
    /// it) into `cells` along each axis (n in the paper).
    ///
    /// # Errors
    /// [`GridRuleError`] unless the threshold is 1 or more, and the cells are 2 to 8.
    pub fn new(threshold: usize, cells: u32) -> Result<Self, GridRuleError> {
        let is_valid = threshold >= 1 && (2..=8).contains(&cells);
        if is_valid { Ok(Self { threshold, cells }) } else { Err(GridRuleError { threshold, cells }) }
    }

    /// Returns the largest number of boxes in a cell that need not be cut.
    pub const fn threshold(self) -> usize {
        self.threshold
    }

    /// Returns the number of cells along an axis that is cut.
    pub const fn cells(self) -> u32 {
        self.cells
    }
}

impl Default for GridRule {
    /// Returns a rule that is good for scenes of all sizes.
    fn default() -> Self {
        Self { threshold: 8, cells: 4 }
    }
}

/// Largest number of cuts above a cell.
pub const LEVELS: u8 = 10;
/// Largest number of cells of a grid that a box in them may meet, as estimated when the cell is cut.
pub const SPREAD: f64 = 16.0;
/// Cost of building per box, in tests of boxes.
const BUILD: u64 = 128;

/// Boxes that stand still, by id.
#[derive(Default)]
pub struct RecursiveGrid {
    rule: GridRule,
    /// The boxes by id; empty ones are not there.
    boxes: Vec<Aabb>,
    /// Number of boxes.
    len: usize,
    /// Ids whose boxes have changed since the cells were up to date, with the boxes until then.
    changed: Vec<(u32, Aabb)>,
    /// The box of the first cell, and the ids of boxes that reach out of it.
    region: Option<Aabb>,
    outside: Vec<u32>,
    /// The first cell, then the children of every cut cell, side by side.
    cells: Vec<Cell>,
    /// The cuts of all cells that are cut.
    cuts: Vec<Cut>,
    lists: Lists,
    /// Tests of boxes that a rebuild would have saved.
    debt: u64,
}

#[derive(Clone, Copy)]
struct Cell {
    /// The boxes that meet a leaf, or that a cut cell keeps.
    list: List,
    /// The cut, or [`LEAF`].
    cut: u32,
    level: u8,
    kind: CellKind,
}

/// The number of a cut that a leaf does not have.
const LEAF: u32 = u32::MAX;

impl Cell {
    fn at(level: u8) -> Self {
        Self { list: List::default(), cut: LEAF, level, kind: CellKind::Empty }
    }

    fn is_leaf(&self) -> bool {
        self.cut == LEAF
    }

    /// True when a query that meets the cell learns something from its list.
    fn decides(&self) -> bool {
        self.is_leaf() || self.kind != CellKind::Empty
    }
}

impl RecursiveGrid {
    /// Builds the grid of some boxes, whose positions are their ids.
    pub fn of(boxes: &[Aabb]) -> Self {
        Self::by(GridRule::default(), boxes)
    }

    /// Builds the grid of some boxes by a rule.
    pub fn by(rule: GridRule, boxes: &[Aabb]) -> Self {
        let mut grid = Self { rule, boxes: boxes.to_vec(), len: boxes.len(), ..Self::default() };
        grid.build();
        grid
    }

    /// Rebuilds the grid by another rule.
    pub fn set_rule(&mut self, rule: GridRule) {
        self.rule = rule;
        self.build();
    }

    /// Returns the rule by which cells are cut.
    pub fn rule(&self) -> GridRule {
        self.rule
    }

    /// Returns the number of boxes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True when there are no boxes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Sets the box of an id, or removes it. The cells follow at the next [`settle`](Self::settle).
    pub fn set(&mut self, id: u32, b: Option<Aabb>) {
        let index = id as usize;
        if index >= self.boxes.len() {
            self.boxes.resize(index + 1, Aabb::EMPTY);
        }
        let before = std::mem::replace(&mut self.boxes[index], b.unwrap_or(Aabb::EMPTY));
        self.len = self.len + usize::from(b.is_some()) - usize::from(is_there(&before));
        self.changed.push((id, before));
    }

    /// Brings the cells up to date. Takes no time if nothing has changed.
    pub fn settle(&mut self) {
        if 2 * self.changed.len() > self.len || self.debt > BUILD * self.len as u64 {
            return self.build();
        }
        let mut changed = std::mem::take(&mut self.changed);
        // The first of an id's changes has the box that the lists know.
        changed.sort_by_key(|change| change.0);
        changed.dedup_by_key(|change| change.0);
        // Lists with boxes that are no longer there must not be cut, so all removals come first.
        for (id, before) in changed.iter().filter(|(_, before)| is_there(before)) {
            self.remove(*id, before);
            self.debt += BUILD;
        }
        for (id, _) in changed {
            if is_there(&self.boxes[id as usize]) {
                self.insert(id);
            }
        }
    }

    /// Returns the size of the structure.
    pub fn shape(&self) -> Shape {
        let mut shape = Shape { references: self.outside.len() as u64, ..Shape::default() };
        for cell in &self.cells {
            shape.levels = shape.levels.max(u64::from(cell.level) + 1);
            shape.references += cell.list.len() as u64;
            if cell.decides() {
                shape.cells.count(cell.kind);
            }
            if cell.is_leaf() {
                shape.largest_leaf = shape.largest_leaf.max(cell.list.len() as u64);
            }
        }
        shape
    }

    /// Returns the memory of boxes, cells and lists, in bytes.
    pub fn bytes(&self) -> usize {
        self.boxes.capacity() * size_of::<Aabb>()
            + self.changed.capacity() * size_of::<(u32, Aabb)>()
            + self.cells.capacity() * size_of::<Cell>()
            + self.cuts.capacity() * size_of::<Cut>()
            + self.outside.capacity() * size_of::<u32>()
            + self.lists.bytes()
    }

    /// Builds the cells from nothing.
    fn build(&mut self) {
        self.changed = Vec::new();
        self.outside.clear();
        self.cells.clear();
        self.cuts.clear();
        self.lists.clear();
        self.debt = 0;
        let there = || (0..).zip(&self.boxes).filter(|(_, b)| is_there(b));
        self.region = there().map(|(_, b)| *b).reduce(Aabb::union);
        let Some(region) = self.region else { return };
        let ids: Vec<u32> = there().map(|(id, _)| id).collect();
        self.cells.push(Cell::at(0));
        ids.into_iter().for_each(|id| self.list(0, id, &region));
        self.cut_all(0, &region);
    }

    /// Adds a box to the lists of the cells that it meets.
    fn insert(&mut self, id: u32) {
        let b = self.boxes[id as usize];
        let Some(region) = self.region.filter(|region| contains(&b, region)) else {
            return self.outside.push(id);
        };
        for (cell, region) in self.holders(&b, region) {
            let is_full = self.cells[cell].list.is_full();
            self.list(cell, id, &region);
            // Whenever the list has become twice as long, a cut is tried.
            if is_full && self.cells[cell].is_leaf() {
                self.cut_all(cell, &region);
            }
        }
    }

    /// Removes a box from the lists that it is in.
    fn remove(&mut self, id: u32, b: &Aabb) {
        let Some(region) = self.region.filter(|region| contains(b, region)) else {
            let at = self.outside.iter().position(|&other| other == id).expect(LISTED);
            self.outside.swap_remove(at);
            return;
        };
        for (index, region) in self.holders(b, region) {
            let cell = &mut self.cells[index];
            assert!(self.lists.remove(&mut cell.list, id), "{LISTED}");
            let ids = self.lists.ids(cell.list);
            // The other boxes are as they were, or in no list.
            let is_full = || ids.iter().any(|&id| contains(&region, &self.boxes[id as usize]));
            cell.kind = match cell.kind {
                _ if ids.is_empty() => CellKind::Empty,
                CellKind::Full if !is_full() => CellKind::Partial,
                kind => kind,
            };
        }
    }

    /// Returns the cells whose lists are to have a box, with their regions.
    fn holders(&self, b: &Aabb, region: Aabb) -> Vec<(usize, Aabb)> {
        let (mut open, mut holders) = (vec![(0, region)], Vec::new());
        while let Some((index, region)) = open.pop() {
            let cell = &self.cells[index];
            match self.cuts.get(cell.cut as usize) {
                Some(cut) if cut.spread(b) <= SPREAD => {
                    let children = cut.span(b).children();
                    open.extend(children.map(|number| (cut.first + number, cut.region(number, &region))));
                }
                _ => holders.push((index, region)),
            }
        }
        holders
    }

    /// Adds an id to the list of a cell.
    fn list(&mut self, cell: usize, id: u32, region: &Aabb) {
        let cell = &mut self.cells[cell];
        self.lists.push(&mut cell.list, id);
        let is_inside = cell.kind == CellKind::Full || contains(region, &self.boxes[id as usize]);
        cell.kind = if is_inside { CellKind::Full } else { CellKind::Partial };
    }

    /// Cuts a leaf, and its children, as long as that is of use.
    fn cut_all(&mut self, leaf: usize, region: &Aabb) {
        let mut open = vec![(leaf, *region)];
        while let Some((leaf, region)) = open.pop() {
            if self.cut(leaf, &region) {
                let cut = self.cuts[self.cells[leaf].cut as usize];
                open.extend((0..cut.children()).map(|k| (cut.first + k, cut.region(k, &region))));
            }
        }
    }

    /// Cuts a leaf if it has too many boxes and a cut parts them. Returns true if it did.
    fn cut(&mut self, leaf: usize, region: &Aabb) -> bool {
        let Cell { list, level, .. } = self.cells[leaf];
        if list.len() <= self.rule.threshold || level == LEVELS {
            return false;
        }
        let Some(mut cut) = self.parting(list, region) else { return false };
        cut.first = self.cells.len();
        let ids = self.lists.take(&mut self.cells[leaf].list);
        self.cells[leaf] = Cell { cut: to_u32(self.cuts.len()), ..Cell::at(level) };
        self.cells.resize(cut.first + cut.children(), Cell::at(level + 1));
        self.cuts.push(cut);
        for id in ids {
            let b = self.boxes[id as usize];
            if cut.spread(&b) > SPREAD {
                self.list(leaf, id, region);
                continue;
            }
            for number in cut.span(&b).children() {
                self.list(cut.first + number, id, &cut.region(number, region));
            }
        }
        true
    }

    /// Returns a cut that parts the boxes of a list, if there is one.
    fn parting(&self, list: List, region: &Aabb) -> Option<Cut> {
        let boxes = || self.lists.ids(list).iter().map(|&id| &self.boxes[id as usize]);
        // Large boxes do not say where the others are, unless all are large.
        let GridRule { threshold, cells } = self.rule;
        let even = Cut::dividing(region, cells);
        let mut fitted: Vec<&Aabb> = boxes().filter(|b| even.spread(b) <= SPREAD).collect();
        if fitted.len() <= threshold {
            fitted = boxes().collect();
        }
        let content = fitted.iter().fold(Aabb::EMPTY, |content, b| {
            content.union(Aabb { lo: b.lo.max(region.lo), hi: b.hi.min(region.hi) })
        });
        let cut = Cut::parting(&content, cells, &fitted)?;
        let (mut descending, mut in_child) = (0, vec![0; cut.children()]);
        for b in boxes().filter(|b| cut.spread(b) <= SPREAD) {
            descending += 1;
            cut.span(b).children().for_each(|number| in_child[number] += 1);
        }
        (descending > threshold && in_child.iter().all(|&count| count < descending)).then_some(cut)
    }
}

const LISTED: &str = "a box is in the lists of the cells that it meets";

/// True when there is a box.
fn is_there(b: &Aabb) -> bool {
    b.lo.x <= b.hi.x
}

/// True when the closed box `b` lies inside the closed box `outer`.
fn contains(b: &Aabb, outer: &Aabb) -> bool {
    outer.lo.cmple(b.lo).all() && b.hi.cmple(outer.hi).all()
}

#[cfg(test)]
mod tests;
