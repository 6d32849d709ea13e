//! The closest of many pairs of triangles that are about equally far apart along one direction.
//!
//! Triangles are seen along the direction, as a map with heights. Let D be a distance within which pairs
//! count, n the unit direction, and g the gap of some pairs along it. If two of their points p and q are at
//! most D apart, `|q - p - D n|^2 <= D^2 - 2 D g + D^2`: the way between them leads aside like D n, within
//! `sqrt(2 D (D - g))`. So triangles of the second tree are moved aside by -D n, and only those count for
//! each other that then lie over the same place. Places are divided into cells. The heights of what lies in a
//! cell bound all distances there: a cell whose gap exceeds D is done, or whose gap is no less, if its pairs
//! come later in order. In the others, triangles that cannot count with any other are dropped, and the cell
//! is cut in two.
//!
//! So fans whose slivers cross each other everywhere are told apart where they are, and what a rounded corner
//! far away does to a sliver's end does not matter.

use super::super::PosedPair;
use closefit_geometry::exact::along::Along;
use closefit_geometry::math::double_double::DoubleDouble;
use closefit_geometry::math::error_bounds::UNIT;

/// Number of pairs of a cell from which on it is cut.
const FEW: usize = 8;

/// Largest number of cuts on the way to a cell.
const DEEPEST: u32 = 72;

/// Largest number of triangles that are sorted into cells, for each triangle on the map. Where many pairs
/// are equally far apart over the same place, cuts tell none of them apart, and the number of cells would
/// double with each cut. The cells that are left then decide all their pairs.
const SORTED: u64 = 1 << 10;

/// Room for the roundings of places on the map, per unit of the largest coordinate: two for each coordinate
/// and three for the way aside; then, at each side of a cell, three roundings of the share of an edge, of up
/// to twice that length, and two of the place.
const ASIDE: f64 = 64.0 * UNIT;

/// Share of the largest height that cutting at the four sides of a cell loses: at each, three roundings of
/// the share of an edge, whose ends differ by up to twice that, and two of the height.
const CUT: f64 = 40.0 * UNIT;

/// A triangle on the map.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    corners: [[f64; 2]; 3],
    /// Upper bounds of the heights of corners towards the other tree, from the level of their own.
    heights: [f64; 3],
    /// Place in its tree.
    pub place: u32,
    /// Rank among the triangles of both trees: see [`super::ranks`].
    pub rank: u64,
}

impl Item {
    /// Returns the largest height.
    fn top(&self) -> f64 {
        let [p, q, r] = self.heights;
        p.max(q).max(r)
    }

    /// Returns an upper bound of the heights within a cell; `None` if the triangle does not reach it.
    fn top_in(&self, cell: &Cell) -> Option<f64> {
        let is_in = |p: &[f64; 2]| (0..2).all(|k| p[k] >= cell.lo[k] && p[k] <= cell.hi[k]);
        if self.corners.iter().all(is_in) {
            return Some(self.top());
        }
        for k in 0..2 {
            let [p, q, r] = self.corners.map(|p| p[k]);
            if p.min(q).min(r) > cell.hi[k] || p.max(q).max(r) < cell.lo[k] {
                return None;
            }
        }
        let mut polygon = Polygon::default();
        for (p, h) in self.corners.iter().zip(self.heights) {
            polygon.push([p[0], p[1], h]);
        }
        for k in 0..2 {
            polygon = polygon.cut(k, cell.lo[k], 1.0).cut(k, cell.hi[k], -1.0);
        }
        let highest = polygon.points().iter().map(|p| p[2]).reduce(f64::max)?;
        let size = self.heights.iter().fold(0.0, |size: f64, h| size.max(h.abs()));
        Some((highest + CUT * size).min(self.top()))
    }
}

/// A polygon with heights: a triangle cut at up to four sides. It is convex up to rounding, so a cut adds two
/// points at most to four, three to six, and four to nine.
#[derive(Clone, Copy, Debug, Default)]
struct Polygon {
    points: [[f64; 3]; 16],
    count: usize,
}

impl Polygon {
    fn points(&self) -> &[[f64; 3]] {
        &self.points[..self.count]
    }

    fn push(&mut self, p: [f64; 3]) {
        self.points[self.count] = p;
        self.count += 1;
    }

    /// Returns the part in which a coordinate times `sign` is not less than the side's.
    fn cut(&self, k: usize, side: f64, sign: f64) -> Self {
        let mut left = Self::default();
        let points = self.points();
        for (i, p) in points.iter().enumerate() {
            let q = &points[(i + 1) % points.len()];
            let [above, next] = [p, q].map(|p| (p[k] - side) * sign);
            if above >= 0.0 {
                left.push(*p);
            }
            if (above >= 0.0) != (next >= 0.0) {
                let share = (above / (above - next)).clamp(0.0, 1.0);
                let mut between = [0, 1, 2].map(|j| p[j] + (q[j] - p[j]) * share);
                between[k] = side;
                left.push(between);
            }
        }
        left
    }
}

/// A rectangle on the map.
#[derive(Clone, Copy, Debug)]
struct Cell {
    lo: [f64; 2],
    hi: [f64; 2],
}

impl Cell {
    fn widened(&self, by: f64) -> Self {
        Self { lo: self.lo.map(|x| x - by), hi: self.hi.map(|x| x + by) }
    }

    /// Returns both halves, cut across the longer side.
    fn halves(&self) -> [Self; 2] {
        let [x, y] = [0, 1].map(|k| self.hi[k] - self.lo[k]);
        let k = usize::from(y > x);
        let middle = self.lo[k] + 0.5 * (self.hi[k] - self.lo[k]);
        let mut halves = [*self; 2];
        (halves[0].hi[k], halves[1].lo[k]) = (middle, middle);
        halves
    }
}

/// Triangles of a tree in a cell, with upper bounds of their heights there.
type Over = Vec<(u32, f64)>;

/// The pairs that count while cells are searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// The largest distance that counts: at most the one for which the map was drawn.
    pub reach: f64,
    /// The ranks of the closest pair so far, if there is one.
    pub first: Option<[u64; 2]>,
}

/// Triangles on a map.
pub(super) struct Map<'a> {
    along: &'a Along,
    items: [Vec<Item>; 2],
    /// The levels that heights of either tree are measured from.
    levels: [DoubleDouble; 2],
    /// The scaled distance by which triangles of the second tree are moved aside.
    moved: f64,
    wanted: Wanted,
    /// Sums of heights up to which pairs do not count, and up to which they are no closer.
    limits: [f64; 2],
    /// The number of triangles that may yet be sorted into cells.
    sorted_left: u64,
}

impl<'a> Map<'a> {
    /// Draws the triangles at these places in the trees, for distances of at most `reach`.
    pub fn new(
        along: &'a Along,
        pair: &PosedPair,
        places: &[Vec<u32>; 2],
        levels: [DoubleDouble; 2],
        reach: f64,
    ) -> Self {
        let moved = along.scaled(reach);
        let wanted = Wanted { reach, first: None };
        let lean = along.lean(moved);
        let item = |side: usize, place: u32| {
            let t = [pair.a, pair.b][side].triangle(place);
            let heights = along.heights(&t).map(|h| (h - levels[side]).high);
            // Room for the roundings of the heights, of a sum of two, and of this product.
            let raised = |h: f64| h + h.abs() * (4.0 * UNIT);
            let corners = t.map(|p| along.aside(p));
            let back = |p: [f64; 2]| [p[0] - lean[0], p[1] - lean[1]];
            match side {
                0 => Item { corners, heights: heights.map(raised), place, rank: 0 },
                _ => {
                    Item { corners: corners.map(back), heights: heights.map(|h| raised(-h)), place, rank: 0 }
                }
            }
        };
        let items = [0, 1].map(|side| places[side].iter().map(|&place| item(side, place)).collect());
        let sorted_left = SORTED * (places[0].len() + places[1].len()) as u64;
        let mut map = Self { along, items, levels, moved, wanted, limits: [0.0; 2], sorted_left };
        map.look_for(wanted);
        map
    }

    /// Returns the triangles, which are to be ranked before the search.
    pub fn items_mut(&mut self) -> &mut [Vec<Item>; 2] {
        &mut self.items
    }

    /// Keeps one of triangles with equal corners, the first by its number in the mesh. The others are as
    /// close and come later, and no cell tells them apart. Ranks are below twice `count`.
    pub fn drop_copies(&mut self, count: usize, numbers: [&[u32]; 2]) {
        for (items, numbers) in self.items.iter_mut().zip(numbers) {
            let number = |item: &Item| numbers[item.place as usize];
            let mut first = vec![u32::MAX; count];
            for item in &*items {
                let first = &mut first[(item.rank / 2) as usize];
                *first = number(item).min(*first);
            }
            items.retain(|item| first[(item.rank / 2) as usize] == number(item));
        }
    }

    /// True if a plane across the direction lies between all triangles of the first tree and all of the
    /// second, so that none meet.
    pub fn is_split(&self) -> bool {
        let room = ASIDE * self.along.reach() * self.along.length();
        (self.levels[1] - self.levels[0]).high > self.top() + room
    }

    /// True if all pairs are proven farther apart than what counts.
    pub fn is_beyond(&self) -> bool {
        self.top() <= self.limits[0]
    }

    /// Returns the largest sum of heights of two triangles.
    fn top(&self) -> f64 {
        self.items.iter().map(|items| items.iter().map(Item::top).fold(f64::NEG_INFINITY, f64::max)).sum()
    }

    /// Changes what counts.
    pub fn look_for(&mut self, wanted: Wanted) {
        self.wanted = wanted;
        let Wanted { reach, .. } = wanted;
        self.limits = [reach.next_up(), reach].map(|bound| -self.along.needed(self.levels, bound));
    }

    /// Calls `decide` with the pairs of triangles, by their places, that may count. It returns what counts
    /// from then on, if that has changed.
    pub fn search(&mut self, decide: &mut impl FnMut([u32; 2]) -> Option<Wanted>) {
        let mut whole = Cell { lo: [f64::INFINITY; 2], hi: [f64::NEG_INFINITY; 2] };
        for &[x, y] in self.items[1].iter().flat_map(|item| &item.corners) {
            whole.lo = [whole.lo[0].min(x), whole.lo[1].min(y)];
            whole.hi = [whole.hi[0].max(x), whole.hi[1].max(y)];
        }
        let over = |items: &[Item]| (0..).zip(items).map(|(i, item)| (i, item.top())).collect::<Over>();
        let lists = [over(&self.items[0]), over(&self.items[1])];
        self.divide(whole, lists, 0, decide);
    }

    /// True unless pairs with such a sum of heights and ranks do not count.
    fn counts(&self, height: f64, ranks: [u64; 2]) -> bool {
        let [far, no_closer] = self.limits;
        height > far && (height > no_closer || self.wanted.first.is_none_or(|first| sorted(ranks) <= first))
    }

    /// Drops triangles that do not count with any of the other tree. Returns the largest sum of heights, and
    /// the lowest ranks; `None` if nothing is left.
    fn thin_out(&self, lists: &mut [Over; 2]) -> Option<(f64, [u64; 2])> {
        let summed = |side: usize, list: &Over| {
            list.iter().fold((f64::NEG_INFINITY, u64::MAX), |(top, rank), &(i, height)| {
                (top.max(height), rank.min(self.items[side][i as usize].rank))
            })
        };
        let mut of = [summed(0, &lists[0]), summed(1, &lists[1])];
        for side in [0, 1, 0] {
            let (top, rank) = of[1 - side];
            lists[side]
                .retain(|&(i, height)| self.counts(height + top, [self.items[side][i as usize].rank, rank]));
            of[side] = summed(side, &lists[side]);
            if lists[side].is_empty() {
                return None;
            }
        }
        Some((of[0].0 + of[1].0, sorted([of[0].1, of[1].1])))
    }

    /// Returns how far the way between two points that count may lead aside from where it is expected, if
    /// the sum of their heights is at most this.
    fn aside(&self, height: f64) -> f64 {
        let reach = self.along.scaled(self.wanted.reach);
        let room = ASIDE * (self.along.reach() + self.moved);
        let less = (height - self.limits[0]).max(0.0) / self.along.length();
        // Heights, and the gap from which `limits` are made, are within 2^8 u^2 of the reach.
        (2.0 * reach * (less + room * 16.0 * UNIT)).sqrt() * (1.0 + 16.0 * UNIT)
            + (self.moved - reach).abs()
            + room
    }

    fn divide(
        &mut self,
        cell: Cell,
        mut lists: [Over; 2],
        depth: u32,
        decide: &mut impl FnMut([u32; 2]) -> Option<Wanted>,
    ) {
        let Some((height, _)) = self.thin_out(&mut lists) else { return };
        let [of_a, of_b] = [0, 1].map(|side| lists[side].len());
        if of_a * of_b <= FEW || depth == DEEPEST || self.sorted_left == 0 {
            return self.decide_all(&lists, decide);
        }
        self.sorted_left = self.sorted_left.saturating_sub((of_a + of_b) as u64);
        let around = [self.aside(height), ASIDE * (self.along.reach() + self.moved)];
        let mut halves: Vec<_> = cell
            .halves()
            .into_iter()
            .filter_map(|half| {
                let mut inside =
                    [0, 1].map(|side| self.inside(side, &lists[side], &half.widened(around[side])));
                self.thin_out(&mut inside).map(|order| (order, half, inside))
            })
            .collect();
        drop(lists);
        // The closer half first, or the one whose pairs come first.
        halves.sort_by(|((h0, r0), ..), ((h1, r1), ..)| h1.total_cmp(h0).then(r0.cmp(r1)));
        for (_, half, inside) in halves {
            self.divide(half, inside, depth + 1, decide);
        }
    }

    fn inside(&self, side: usize, list: &Over, cell: &Cell) -> Over {
        let item = |i: u32| &self.items[side][i as usize];
        list.iter().filter_map(|&(i, height)| item(i).top_in(cell).map(|top| (i, top.min(height)))).collect()
    }

    fn decide_all(&mut self, lists: &[Over; 2], decide: &mut impl FnMut([u32; 2]) -> Option<Wanted>) {
        for &(i, of_a) in &lists[0] {
            for &(j, of_b) in &lists[1] {
                let [a, b] = [self.items[0][i as usize], self.items[1][j as usize]];
                if self.counts(of_a + of_b, [a.rank, b.rank])
                    && let Some(wanted) = decide([a.place, b.place])
                {
                    self.look_for(wanted);
                }
            }
        }
    }
}

/// Returns two ranks, the lower first.
pub(super) fn sorted([a, b]: [u64; 2]) -> [u64; 2] {
    if b < a { [b, a] } else { [a, b] }
}
