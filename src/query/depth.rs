//! How deep two parts overlap: the largest distance from a point of one's surface that lies inside the
//! other's solid to that solid's surface, as a certified bracket.
//!
//! One best-first search over patches of both surfaces. The distance to one triangle is convex, so over a
//! patch it is largest at a corner: the smallest such maximum over the solid's triangles bounds a patch from
//! above, and the distance of any of its points that lies inside bounds the depth from below. Surface
//! triangles that meet the solid's surface are cut into exact cells ([`super::clip`]) when their bound
//! matters, so a patch never passes through the surface; the others lie inside or outside as a whole.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use super::clip::Section;
use crate::bounds::aabb::Aabb;
use crate::hierarchy::body::Body;
use crate::math::Triangle;
use crate::math::rational_point::RationalPoint;
use crate::settle::distance::{distance_of_point, enclose_point};
use crate::settle::winding::{Origin, winding_number};

/// The bracket, and a deepest point found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// Some point lies at least this deep.
    pub at_least: f64,
    /// No point lies deeper.
    pub at_most: f64,
    /// A point that lies `at_least` deep, if any lies inside.
    pub deepest: Option<DVec3>,
    /// False when the search gave up with the tolerance still inside the bracket.
    pub decided: bool,
}

/// The search gives up after this many patches: a bound on its time that no ordinary pair comes near.
const MOST_PATCHES: usize = 1 << 17;

/// The bracket is good enough when it is this narrow, unless the tolerance lies inside.
const RATIO: f64 = 1.01;

/// The depth of two parts with the given contacts (sorted triangle pairs), at least one of them with a solid.
pub fn depth(a: &Body, b: &Body, contacts: &[[u32; 2]], tolerance: f64) -> Found {
    let swapped = || contacts.iter().map(|&[ta, tb]| [tb, ta]);
    let directions = [Direction::of(a, b, contacts.iter().copied()), Direction::of(b, a, swapped())];
    let mut search = Search::new(directions.into_iter().flatten().collect());
    search.start();
    search.run(tolerance)
}

/// One surface against the other's solid.
struct Direction<'a> {
    surface: &'a Body<'a>,
    solid: &'a Body<'a>,
    /// Surface triangles that meet the solid's closed components, with those they meet; sorted.
    touching: Vec<[u32; 2]>,
}

impl<'a> Direction<'a> {
    fn of(
        surface: &'a Body<'a>,
        solid: &'a Body<'a>,
        contacts: impl Iterator<Item = [u32; 2]>,
    ) -> Option<Self> {
        if !solid.has_solid() {
            return None;
        }
        let mut touching: Vec<_> = contacts.filter(|pair| solid.is_closed(pair[1])).collect();
        touching.sort_unstable();
        Some(Self { surface, solid, touching })
    }

    fn met_by(&self, triangle: u32) -> impl Iterator<Item = u32> {
        let start = self.touching.partition_point(|pair| pair[0] < triangle);
        self.touching[start..].iter().take_while(move |pair| pair[0] == triangle).map(|pair| pair[1])
    }

    fn is_touching(&self, triangle: u32) -> bool {
        self.met_by(triangle).next().is_some()
    }

    /// Triangles inside the solid that do not meet its surface. Those that share a corner lie on the same side.
    fn inside(&self) -> Vec<u32> {
        let mesh = self.surface.mesh;
        let mut groups = Groups::new(mesh.vertices().len());
        let untouched: Vec<u32> = (0..self.surface.len()).filter(|&t| !self.is_touching(t)).collect();
        for &t in &untouched {
            let [x, y, z] = mesh.triangles()[t as usize];
            groups.join(x, y);
            groups.join(x, z);
        }
        // What lies inside lies in the solid's box.
        let mut fits = vec![true; mesh.vertices().len()];
        let mut group_of = |t: u32| groups.root(mesh.triangles()[t as usize][0]) as usize;
        for &t in &untouched {
            let bounds = Aabb::of(self.surface.triangle(t));
            fits[group_of(t)] &= self.solid.bounds.strictly_contains(&bounds);
        }
        let mut winds: Vec<Option<bool>> = vec![None; fits.len()];
        untouched
            .into_iter()
            .filter(|&t| {
                let group = group_of(t);
                fits[group]
                    && *winds[group].get_or_insert_with(|| self.is_inside(&self.surface.triangle(t)[0]))
            })
            .collect()
    }

    /// For points that are not on the solid's surface.
    fn is_inside(&self, point: &impl Origin) -> bool {
        winding_number(self.solid, point, |t| self.solid.is_closed(t)).is_some_and(|winding| winding != 0)
    }
}

/// The closed triangle nearest to a point (but for rounding), and a lower bound of the distance to all of
/// them. The body has a solid; `hint` is a closed triangle that may be near.
pub fn nearest_closed(solid: &Body, p: DVec3, hint: Option<u32>) -> (u32, f64) {
    let mut best = (u32::MAX, f64::INFINITY);
    let mut at_least = f64::INFINITY;
    let mut offer = |t: u32| {
        let enclosure = enclose_point(p, &solid.triangle(t));
        at_least = at_least.min(enclosure.at_least);
        if enclosure.at_most < best.1 {
            best = (t, enclosure.at_most);
        }
        best.1
    };
    let mut bound = hint.map_or(f64::INFINITY, &mut offer);
    let mut stack = vec![(0u32, 0.0)];
    while let Some((index, separation)) = stack.pop() {
        if separation > bound {
            continue;
        }
        let node = solid.node(index);
        if node.is_leaf() {
            for &t in solid.leaf(node).iter().filter(|&&t| solid.is_closed(t)) {
                bound = offer(t);
            }
        } else {
            let mut children = [node.first, node.first + 1]
                .map(|child| (child, solid.separation_from(&solid.node(child).obb, p)));
            if children[0].1 < children[1].1 {
                children.swap(0, 1);
            }
            stack.extend(children);
        }
    }
    // A box that was skipped is farther than the best found, which is no nearer than the bound.
    (best.0, at_least)
}

/// Union-find over vertices.
struct Groups(Vec<u32>);

impl Groups {
    fn new(count: usize) -> Self {
        Self((0..crate::ids::to_u32(count)).collect())
    }

    fn root(&mut self, mut x: u32) -> u32 {
        while self.0[x as usize] != x {
            let up = self.0[self.0[x as usize] as usize];
            self.0[x as usize] = up;
            x = up;
        }
        x
    }

    fn join(&mut self, x: u32, y: u32) {
        let (x, y) = (self.root(x), self.root(y));
        self.0[x.max(y) as usize] = x.min(y);
    }
}

/// A convex piece of a surface triangle.
struct Patch {
    direction: usize,
    /// The surface triangle that it is, uncut, if it meets the solid's surface.
    uncut: Option<u32>,
    corners: Vec<DVec3>,
    /// How far the corners may be off the exact piece.
    drift: f64,
    /// The solid's triangle that gives the upper bound.
    nearest: u32,
    /// No point of it lies deeper.
    at_most: f64,
    /// Age, to break ties.
    serial: usize,
}

impl Ord for Patch {
    fn cmp(&self, other: &Self) -> Ordering {
        self.at_most.total_cmp(&other.at_most).then(other.serial.cmp(&self.serial))
    }
}

impl PartialOrd for Patch {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Patch {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Patch {}

struct Search<'a> {
    directions: Vec<Direction<'a>>,
    heap: BinaryHeap<Patch>,
    serial: usize,
    at_least: f64,
    deepest: Option<DVec3>,
    /// Largest bound of patches that rounding leaves nothing to gain from.
    settled_at_most: f64,
}

impl<'a> Search<'a> {
    fn new(directions: Vec<Direction<'a>>) -> Self {
        Self {
            directions,
            heap: BinaryHeap::new(),
            serial: 0,
            at_least: 0.0,
            deepest: None,
            settled_at_most: 0.0,
        }
    }

    fn start(&mut self) {
        for direction in 0..self.directions.len() {
            let d = &self.directions[direction];
            let inside = d.inside();
            let mut touching: Vec<u32> = d.touching.iter().map(|pair| pair[0]).collect();
            touching.dedup();
            let mut hint = None;
            for t in inside {
                hint = self.offer(direction, None, self.corners(direction, t), 0.0, hint).or(hint);
            }
            for t in touching {
                let first = self.directions[direction].met_by(t).next();
                self.offer(direction, Some(t), self.corners(direction, t), 0.0, first);
            }
        }
    }

    fn corners(&self, direction: usize, triangle: u32) -> Vec<DVec3> {
        self.directions[direction].surface.triangle(triangle).to_vec()
    }

    /// Bounds a patch and queues it if it may hold the deepest point; returns a triangle near it.
    fn offer(
        &mut self,
        direction: usize,
        uncut: Option<u32>,
        corners: Vec<DVec3>,
        drift: f64,
        hint: Option<u32>,
    ) -> Option<u32> {
        let d = &self.directions[direction];
        let farthest = |t: u32| {
            let t = d.solid.triangle(t);
            corners.iter().map(|&c| enclose_point(c, &t).at_most).fold(0.0, f64::max)
        };
        let mut best = hint.map(|t| (t, farthest(t)));
        if best.is_none_or(|(_, at_most)| at_most + drift > self.at_least) {
            let centre = corners.iter().copied().sum::<DVec3>() / corners.len() as f64;
            for &p in std::iter::once(&centre).chain(&corners) {
                let (t, distance) = nearest_closed(d.solid, p, best.map(|b| b.0));
                let at_most = farthest(t);
                if best.is_none_or(|b| at_most < b.1) {
                    best = Some((t, at_most));
                }
                if uncut.is_none() && distance - drift > self.at_least {
                    self.at_least = distance - drift;
                    self.deepest = Some(p);
                }
            }
        }
        let (nearest, at_most) = best?;
        let at_most = at_most + drift;
        if at_most > self.at_least {
            let serial = self.serial;
            self.serial += 1;
            self.heap.push(Patch { direction, uncut, corners, drift, nearest, at_most, serial });
        }
        Some(nearest)
    }

    fn run(mut self, tolerance: f64) -> Found {
        while let Some(at_most) = self.heap.peek().map(|p| p.at_most.max(self.settled_at_most)) {
            let straddles = self.at_least <= tolerance && tolerance < at_most;
            let narrow = if straddles {
                at_most - self.at_least < tolerance / f64::from(1 << 30)
            } else {
                at_most <= RATIO * self.at_least
            };
            if at_most <= tolerance || narrow || self.serial > MOST_PATCHES {
                let decided = !straddles || narrow;
                return Found { at_least: self.at_least, at_most, deepest: self.deepest, decided };
            }
            let Some(patch) = self.heap.pop() else { break };
            match patch.uncut {
                Some(triangle) => self.cut(patch.direction, triangle),
                None => self.halve(patch),
            }
        }
        let at_most = self.settled_at_most.max(self.at_least);
        Found { at_least: self.at_least, at_most, deepest: self.deepest, decided: true }
    }

    /// Replaces a triangle that meets the solid's surface by its cells inside.
    fn cut(&mut self, direction: usize, triangle: u32) {
        let d = &self.directions[direction];
        let t = d.surface.triangle(triangle);
        let cutters: Vec<(u32, Triangle)> = d.met_by(triangle).map(|c| (c, d.solid.triangle(c))).collect();
        let shapes: Vec<Triangle> = cutters.iter().map(|c| c.1).collect();
        let Some(section) = Section::of(&t, &shapes) else {
            return self.cut_needle(direction, &t, &shapes);
        };
        let inside: Vec<(Vec<DVec3>, RationalPoint)> = section
            .cells(&shapes)
            .into_iter()
            .map(|cell| (cell.corners(), section.interior_point(&cell)))
            .filter(|(_, point)| d.is_inside(point))
            .collect();
        for (corners, point) in inside {
            self.offer_cell(direction, corners, &point);
        }
    }

    /// The same for a triangle that is a segment.
    fn cut_needle(&mut self, direction: usize, t: &Triangle, cutters: &[Triangle]) {
        let d = &self.directions[direction];
        let pieces: Vec<_> = super::needle::pieces(t, cutters)
            .into_iter()
            .filter(|piece| d.is_inside(&piece.middle))
            .collect();
        for piece in pieces {
            self.offer_cell(direction, piece.ends.to_vec(), &piece.middle);
        }
    }

    /// Queues a piece that certainly lies inside. That alone makes the depth positive, however small.
    fn offer_cell(&mut self, direction: usize, corners: Vec<DVec3>, inner: &RationalPoint) {
        let reach = corners.iter().fold(0.0f64, |r, c| r.max(c.abs().max_element()));
        let drift = 2.0 * f64::EPSILON * reach;
        let nearest = self.offer(direction, None, corners, drift, None);
        if self.at_least <= 0.0
            && let Some(nearest) = nearest
        {
            let d = &self.directions[direction];
            let bound = distance_of_point(inner, &d.solid.triangle(nearest));
            let mut distance = bound;
            let p = inner.rounded();
            let reach = DVec3::splat(bound + inner.error());
            let around = Aabb { lo: p - reach, hi: p + reach };
            d.solid.walk(
                |bounds| bounds.meets(&around),
                |triangle| {
                    if d.solid.is_closed(triangle) {
                        distance = distance.min(distance_of_point(inner, &d.solid.triangle(triangle)));
                    }
                },
            );
            if distance > 0.0 {
                self.at_least = distance.next_down();
                self.deepest = Some(p);
            }
        }
    }

    /// Cuts a patch along a projected edge of its nearest triangle, or across its longest edge.
    fn halve(&mut self, patch: Patch) {
        let Patch { direction, corners, drift, nearest, at_most, .. } = patch;
        // What rounding alone may account for cannot be narrowed further.
        if drift > 0.002 * at_most {
            self.settled_at_most = self.settled_at_most.max(at_most);
            return;
        }
        let t = self.directions[direction].solid.triangle(nearest);
        let Some(halves) = along_projected_edge(&corners, &t).or_else(|| across_longest_edge(&corners))
        else {
            self.settled_at_most = self.settled_at_most.max(at_most);
            return;
        };
        let reach = corners.iter().fold(0.0f64, |r, c| r.max(c.abs().max_element()));
        for half in halves {
            self.offer(direction, None, half, drift + 4.0 * f64::EPSILON * reach, Some(nearest));
        }
    }
}

/// The corners on both sides of a plane given by signed heights, those on it on both.
fn split(corners: &[DVec3], heights: &[f64]) -> [Vec<DVec3>; 2] {
    let mut halves = [Vec::new(), Vec::new()];
    for (k, (&p, &h)) in corners.iter().zip(heights).enumerate() {
        let next = (k + 1) % corners.len();
        if h >= 0.0 {
            halves[0].push(p);
        }
        if h <= 0.0 {
            halves[1].push(p);
        }
        if h * heights[next] < 0.0 && (k < next || corners.len() > 2) {
            let crossing = p + (corners[next] - p) * (h / (h - heights[next]));
            halves.iter_mut().for_each(|half| half.push(crossing));
        }
    }
    halves
}

/// Below the triangle and beside it, where that leaves at least a thousandth of the patch on both sides.
fn along_projected_edge(corners: &[DVec3], t: &Triangle) -> Option<[Vec<DVec3>; 2]> {
    let normal = (t[1] - t[0]).cross(t[2] - t[0]);
    let cut = (0..3)
        .map(|k| {
            let inward = normal.cross(t[(k + 1) % 3] - t[k]);
            let heights: Vec<f64> = corners.iter().map(|&c| inward.dot(c - t[k])).collect();
            let (lo, hi) = heights.iter().fold((0.0f64, 0.0f64), |(lo, hi), &h| (lo.min(h), hi.max(h)));
            (heights, (-lo).min(hi) / (hi - lo))
        })
        .filter(|cut| cut.1 > 1e-3)
        .max_by(|x, y| x.1.total_cmp(&y.1))?;
    Some(split(corners, &cut.0))
}

fn across_longest_edge(corners: &[DVec3]) -> Option<[Vec<DVec3>; 2]> {
    let count = corners.len();
    let (k, length) = (0..count)
        .map(|k| (k, corners[k].distance_squared(corners[(k + 1) % count])))
        .max_by(|x, y| x.1.total_cmp(&y.1))?;
    let (p, q) = (corners[k], corners[(k + 1) % count]);
    let (along, middle) = (q - p, (p + q) * 0.5);
    let heights: Vec<f64> = corners.iter().map(|&c| along.dot(c - middle)).collect();
    let halves = split(corners, &heights);
    (length > 0.0 && halves.iter().all(|half| half.len() >= 2 && half.len() <= count + 1)).then_some(halves)
}
