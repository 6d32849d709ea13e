//! Lids on the holes of an open component: triangles that close it, in a tree that bounds their solid angle.
//!
//! A lid cuts a chain of edges in halves, and each half again: three ends make a triangle. Its triangles
//! are as small as the edges near the boundary, and those on far edges are taken together.
//!
//! Seen from a point `o`, a surface has the solid angle `integral n . f(x - o)` with `f(r) = r / |r|^3`, and
//! no derivative of `f` is larger than `2 / |r|^3`. Triangles of the area `A`, in a ball of the radius `R`
//! that is `d` away, have the solid angle `N . f`, with `N` the sum of their normals times areas and `f` at
//! the middle of the ball, to within `2 A R / d^3` (Barill et al. 2018, "Fast winding numbers for soups and
//! clouds", take such a tree).

use std::cmp::Ordering::{Equal, Greater, Less};
use std::ops::Range;

use glam::DVec3;

use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::exact::contact::triangles_meet;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::predicates::orient3d;

/// The most triangles in a leaf.
const LEAF: usize = 4;

/// A bound of what 64 roundings change. Both numbers that make the solid angle of a triangle take fewer than
/// 56, of the product of its corners' distances. A normal takes 4 of the product of two edges, the sum of
/// normals one more for each triangle, and `N . f` fewer than 16.
const ROUNDED: f64 = 64.0 * f64::EPSILON;

/// Triangles that close an open component.
#[derive(Clone, Debug)]
pub struct Lids {
    triangles: Vec<Triangle>,
    /// The root is the first; none without triangles.
    nodes: Vec<Node>,
}

#[derive(Clone, Debug)]
struct Node {
    triangles: Range<usize>,
    halves: Option<[usize; 2]>,
    bounds: Aabb,
    /// A ball around the triangles.
    middle: DVec3,
    radius: f64,
    /// The sum of normals times areas.
    normal: DVec3,
    area: f64,
    /// A bound of the error of that sum.
    error: f64,
}

/// A solid angle that is off by no more than the error.
#[derive(Clone, Copy, Debug)]
pub struct AngleBracket {
    /// The solid angle.
    pub angle: f64,
    /// A bound of its error.
    pub error: f64,
}

impl AngleBracket {
    const ZERO: Self = Self { angle: 0.0, error: 0.0 };

    fn plus(self, other: Self) -> Self {
        let angle = self.angle + other.angle;
        Self { angle, error: self.error + other.error + ROUNDED * angle.abs() }
    }
}

impl Lids {
    /// Closes a component from the edges of its boundary, in the direction of the triangles next to them and
    /// in ascending order. As many edges enter a vertex as leave it.
    pub fn of(boundary: &[[u32; 2]], at: impl Fn(u32) -> DVec3) -> Self {
        let mut triangles = Vec::new();
        for round in rounds(boundary) {
            let places: Vec<DVec3> = round.into_iter().map(&at).collect();
            close(&places, &mut triangles);
        }
        let mut lids = Self { triangles, nodes: Vec::new() };
        if !lids.triangles.is_empty() {
            lids.build(0..lids.triangles.len());
        }
        lids
    }

    /// Adds the node of some triangles, and returns its number.
    fn build(&mut self, range: Range<usize>) -> usize {
        let triangles = &mut self.triangles[range.clone()];
        let node = Node::of(triangles, range.clone());
        let axis = (node.bounds.hi - node.bounds.lo).max_position();
        let number = self.nodes.len();
        self.nodes.push(node);
        if triangles.len() > LEAF {
            let place = |t: &Triangle| t[0][axis] + t[1][axis] + t[2][axis];
            let half = triangles.len() / 2;
            triangles.select_nth_unstable_by(half, |s, t| place(s).total_cmp(&place(t)));
            let middle = range.start + half;
            let halves = [range.start..middle, middle..range.end].map(|half| self.build(half));
            self.nodes[number].halves = Some(halves);
        }
        number
    }

    /// Returns the triangles whose boxes meet a box.
    pub fn in_box(&self, bounds: &Aabb) -> Vec<Triangle> {
        let mut found = Vec::new();
        self.walk(|node| {
            let meets = node.bounds.meets(bounds);
            if meets && node.halves.is_none() {
                let triangles = self.triangles[node.triangles.clone()].iter();
                found.extend(triangles.filter(|t| Aabb::of(**t).meets(bounds)));
            }
            meets
        });
        found
    }

    /// Returns the solid angle of all triangles, seen from a point; positive from behind. Triangles in a ball
    /// are taken together if its radius is at most this share of its distance, 1/2 or less. `None` if the
    /// point is found to lie on a triangle.
    pub fn solid_angle(&self, p: DVec3, share: f64) -> Option<AngleBracket> {
        let mut sum = Some(AngleBracket::ZERO);
        self.walk(|node| {
            if let Some(together) = node.far_angle(p, share) {
                sum = sum.map(|sum| sum.plus(together));
                return false;
            }
            if node.halves.is_none() {
                for t in &self.triangles[node.triangles.clone()] {
                    sum = sum.and_then(|sum| Some(sum.plus(solid_angle(t, p)?)));
                }
            }
            true
        });
        sum
    }

    /// Calls `enter` with nodes; it says whether to go on with their halves.
    fn walk<'a>(&'a self, mut enter: impl FnMut(&'a Node) -> bool) {
        let mut open: Vec<usize> = if self.nodes.is_empty() { Vec::new() } else { vec![0] };
        while let Some(number) = open.pop() {
            let node = &self.nodes[number];
            if enter(node) {
                open.extend(node.halves.into_iter().flatten());
            }
        }
    }
}

impl Node {
    fn of(of: &[Triangle], triangles: Range<usize>) -> Self {
        let bounds = Aabb::of(of.iter().flatten().copied());
        let middle = 0.5 * bounds.lo + 0.5 * bounds.hi;
        let (mut radius, mut normal, mut area, mut edges) = (0.0, DVec3::ZERO, 0.0, 0.0);
        for t in of {
            radius = t.iter().map(|p| p.distance(middle)).fold(radius, f64::max);
            let (u, v) = (t[1] - t[0], t[2] - t[0]);
            let doubled = u.cross(v);
            normal += 0.5 * doubled;
            area += 0.5 * doubled.length();
            edges += u.length() * v.length();
        }
        let error = ROUNDED * edges * of.len() as f64;
        Self { triangles, halves: None, bounds, middle, radius, normal, area: area + error, error }
    }

    /// Returns the solid angle of all triangles together, if their ball is small enough for its distance.
    fn far_angle(&self, p: DVec3, share: f64) -> Option<AngleBracket> {
        let to = self.middle - p;
        let distance = to.length();
        let near = distance - self.radius;
        if self.radius > share * near || near <= 0.0 {
            return None;
        }
        let angle = self.normal.dot(to) / (distance * distance * distance);
        let spread = 2.0 * self.area * self.radius / near;
        let error = (spread + self.error + ROUNDED * self.area) / (near * near) * (1.0 + ROUNDED);
        Some(AngleBracket { angle, error })
    }
}

/// Returns the solid angle under which a triangle is seen from a point, positive from behind (van Oosterom
/// and Strackee 1983); `None` if the point lies on it. The sign is exact, so that it agrees with an exact
/// winding number.
pub fn solid_angle(t: &Triangle, p: DVec3) -> Option<AngleBracket> {
    let [a, b, c] = t.map(|corner| corner - p);
    let [x, y, z] = [a, b, c].map(DVec3::length);
    let volume = a.dot(b.cross(c)).abs();
    let below = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y;
    let angle = 2.0 * libm::atan2(volume, below);
    let error = 2.0 * ROUNDED * (1.0 + x * y * z / volume.max(below.abs()));
    match orient3d(t[0], t[1], t[2], p) {
        Less => Some(AngleBracket { angle, error }),
        Equal => (!triangles_meet(t, &[p; 3])).then_some(AngleBracket::ZERO),
        Greater => Some(AngleBracket { angle: -angle, error }),
    }
}

/// Returns closed rounds along directed edges, in ascending order, that use each once: the vertices of each,
/// in order.
fn rounds(edges: &[[u32; 2]]) -> Vec<Vec<u32>> {
    // The number of edges from a vertex that are used, at the place of the first of them.
    let mut used = vec![0; edges.len()];
    let mut found = Vec::new();
    for (place, &[start, _]) in edges.iter().enumerate() {
        let first = |vertex: u32| edges.partition_point(|edge| edge[0] < vertex);
        if used[first(start)] > place - first(start) {
            continue;
        }
        let (mut round, mut at) = (Vec::new(), start);
        loop {
            let first = first(at);
            match edges.get(first..).and_then(|from| from.get(used[first])) {
                Some(&[from, to]) if from == at => {
                    used[first] += 1;
                    round.push(from);
                    at = to;
                }
                _ => break,
            }
        }
        assert_eq!(at, start, "as many edges enter a vertex as leave it");
        found.push(round);
    }
    found
}

/// Adds the triangles that close a round of places.
fn close(round: &[DVec3], triangles: &mut Vec<Triangle>) {
    let at = |place: usize| round[place % round.len()];
    let mut open = vec![[0, round.len()]];
    while let Some([start, end]) = open.pop() {
        if end - start > 1 {
            let middle = start + (end - start) / 2;
            // Of the whole round, both ends are one vertex.
            if end - start < round.len() {
                triangles.push([at(start), at(end), at(middle)]);
            }
            open.extend([[start, middle], [middle, end]]);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::f64::consts::PI;

    use super::*;
    use closefit_geometry::math::testing::Stream;

    #[test]
    fn rounds_use_every_edge_once() {
        assert_eq!(rounds(&[]), Vec::<Vec<u32>>::new());
        // Two rounds that meet in 2, one apart, and an edge that is there twice.
        let edges = [[0, 2], [1, 2], [2, 1], [2, 3], [3, 0], [7, 8], [7, 8], [8, 7], [8, 9], [9, 7]];
        assert_eq!(rounds(&edges), [vec![0, 2, 1, 2, 3], vec![7, 8, 7, 8, 9]]);
    }

    /// Returns a round of places around the z axis.
    fn ring(stream: &mut Stream, count: u32) -> Vec<DVec3> {
        let at = |k: u32| {
            let (sin, cos) = libm::sincos(2.0 * PI * f64::from(k) / f64::from(count));
            DVec3::new(cos, sin, 0.0)
        };
        (0..count).map(|k| at(k) + stream.point() * 0.2).collect()
    }

    /// Together with the triangles next to a boundary, the lids have every edge as often in both directions.
    #[test]
    fn lids_close_boundaries() {
        let mut stream = Stream(3);
        for count in 3..40 {
            let places = ring(&mut stream, count);
            let boundary: Vec<[u32; 2]> = (0..count).map(|k| [k, (k + 1) % count]).collect();
            let lids = Lids::of(&boundary, |vertex| places[vertex as usize]);
            let number = |p: &DVec3| places.iter().position(|q| p == q).expect("a vertex") as u32;
            let mut excess: BTreeMap<[u32; 2], i32> = BTreeMap::new();
            let mut add = |from: u32, to: u32| {
                let way = if from < to { 1 } else { -1 };
                *excess.entry([from.min(to), from.max(to)]).or_default() += way;
            };
            boundary.iter().for_each(|&[from, to]| add(from, to));
            for t in &lids.triangles {
                let [a, b, c] = t.each_ref().map(number);
                [[a, b], [b, c], [c, a]].into_iter().for_each(|[from, to]| add(from, to));
            }
            assert_eq!(lids.triangles.len() as u32, count - 2);
            assert!(excess.values().all(|excess| *excess == 0), "{count}: {excess:?}");
        }
    }

    /// Integrals over small pieces are the oracle: dipoles, added up.
    #[test]
    fn solid_angles_are_in_their_brackets() {
        let mut stream = Stream(5);
        let mut widest = 0.0_f64;
        for case in 0..200 {
            let count = 3 + case % 60;
            let boundary: Vec<[u32; 2]> = (0..count).map(|k| [k, (k + 1) % count]).collect();
            let unit = stream.pick(&[1.0, 1e-20, 1e20]);
            let places: Vec<DVec3> = ring(&mut stream, count).into_iter().map(|p| p * unit).collect();
            let lids = Lids::of(&boundary, |vertex| places[vertex as usize]);
            let p = stream.point() * stream.pick(&[2.0, 10.0, 1e3]) * unit;
            let of = |t: &Triangle| {
                let [a, b, c] = t.map(|corner| (corner - p).normalize());
                2.0 * a.dot(b.cross(c)).atan2(1.0 + a.dot(b) + b.dot(c) + c.dot(a))
            };
            let expected: f64 = lids.triangles.iter().map(of).sum();
            for share in [0.5, 0.1, 0.01, 0.0] {
                let found = lids.solid_angle(p, share).expect("the point is on no lid");
                let off = (found.angle - expected).abs();
                assert!(off <= found.error + 1e-12, "case {case}, {share}: {found:?} {expected}");
                if share < 0.05 {
                    widest = widest.max(found.error);
                }
            }
        }
        assert!(widest < 0.25, "{widest}");
    }

    #[test]
    fn boxes_find_lids() {
        let places = ring(&mut Stream(9), 50);
        let boundary: Vec<[u32; 2]> = (0..50).map(|k| [k, (k + 1) % 50]).collect();
        let lids = Lids::of(&boundary, |vertex| places[vertex as usize]);
        let mut stream = Stream(11);
        for _ in 0..200 {
            let [p, q] = [stream.point(), stream.point()];
            let bounds = Aabb::of([p, q]);
            let key = |t: &Triangle| t.map(|p| p.to_array().map(f64::to_bits));
            let mut found: Vec<_> = lids.in_box(&bounds).iter().map(key).collect();
            let all = lids.triangles.iter().filter(|t| Aabb::of(**t).meets(&bounds));
            let mut expected: Vec<_> = all.map(key).collect();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected);
        }
    }
}
