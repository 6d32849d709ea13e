//! Components, solids and whole-mesh answers by brute force, implemented independently for the tests.

use std::collections::BTreeMap;

use glam::DVec3;
use num_traits::Signed;

use crate::rational::{self, Triangle};

type Key = [u64; 3];

fn key(p: DVec3) -> Key {
    (p + DVec3::ZERO).to_array().map(f64::to_bits)
}

/// Triangles that are connected across shared edges.
#[derive(Clone, Debug)]
pub struct Shell {
    /// Indices of the triangles.
    pub members: Vec<usize>,
    /// True when every directed edge has its reverse, and the triangles are not mere opposite pairs.
    pub closed: bool,
}

/// Returns the shells of a mesh, ordered by lowest triangle.
pub fn shells(soup: &[Triangle]) -> Vec<Shell> {
    let mut by_edge: BTreeMap<[Key; 2], Vec<usize>> = BTreeMap::new();
    for (i, t) in soup.iter().enumerate() {
        for [from, to] in edges(t) {
            by_edge.entry([from.min(to), from.max(to)]).or_default().push(i);
        }
    }
    let mut shell_of = vec![None; soup.len()];
    let mut shells = Vec::new();
    for first in 0..soup.len() {
        if shell_of[first].is_some() {
            continue;
        }
        let mut members = vec![first];
        shell_of[first] = Some(shells.len());
        let mut next = 0;
        while next < members.len() {
            for [from, to] in edges(&soup[members[next]]) {
                for &other in &by_edge[&[from.min(to), from.max(to)]] {
                    if shell_of[other].is_none() {
                        shell_of[other] = Some(shells.len());
                        members.push(other);
                    }
                }
            }
            next += 1;
        }
        members.sort_unstable();
        let closed = is_closed(&members.iter().map(|&i| soup[i]).collect::<Vec<_>>());
        shells.push(Shell { members, closed });
    }
    shells
}

/// Returns the mesh with the shells turned that can be oriented, in the winding that three quarters of their
/// area had. Without such a majority a shell ends with a positive volume, unless its box meets another's.
pub fn repaired(soup: &[Triangle]) -> Vec<Triangle> {
    let mut out = soup.to_vec();
    let all = shells(soup);
    let boxes: Vec<[DVec3; 2]> =
        all.iter().map(|shell| bounds(shell.members.iter().map(|&i| soup[i]))).collect();
    for (own, shell) in all.iter().enumerate() {
        let proper = |&i: &usize| {
            let [a, b, c] = soup[i].map(key);
            a != b && b != c && c != a
        };
        let members: Vec<usize> = shell.members.iter().copied().filter(proper).collect();
        let found: Vec<Triangle> = members.iter().map(|&i| soup[i]).collect();
        if members.is_empty() || balances(&found) {
            continue;
        }
        let mut turns = vec![None; members.len()];
        if !turn_from(0, &found, &mut turns) {
            continue;
        }
        let area = |turned: bool| -> f64 {
            let those = found.iter().zip(&turns).filter(|(_, turn)| **turn == Some(turned));
            those.map(|([a, b, c], _)| (*b - *a).cross(*c - *a).length()).sum()
        };
        let (kept, turned) = (area(false), area(true));
        let others = boxes.iter().enumerate().filter(|(other, _)| *other != own);
        let is_alone = others.into_iter().all(|(_, other)| !boxes_meet(&boxes[own], other));
        let is_negative = || {
            let oriented: Vec<Triangle> =
                found.iter().zip(&turns).map(|(t, turn)| turned_if(*turn == Some(true), t)).collect();
            rational::six_volumes(&oriented).is_negative()
        };
        let other_way = match (kept >= 3.0 * turned, turned >= 3.0 * kept) {
            (true, _) => false,
            (_, true) => true,
            _ if is_alone => is_negative(),
            _ => continue,
        };
        for (&i, turn) in members.iter().zip(&turns) {
            out[i] = turned_if((*turn == Some(true)) != other_way, &soup[i]);
        }
    }
    out
}

fn turned_if(turn: bool, &[a, b, c]: &Triangle) -> Triangle {
    if turn { [a, c, b] } else { [a, b, c] }
}

fn bounds(triangles: impl Iterator<Item = Triangle>) -> [DVec3; 2] {
    triangles.flatten().fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[lo, hi], p| [lo.min(p), hi.max(p)])
}

fn boxes_meet([a_lo, a_hi]: &[DVec3; 2], [b_lo, b_hi]: &[DVec3; 2]) -> bool {
    a_lo.cmple(*b_hi).all() && b_lo.cmple(*a_hi).all()
}

/// True when every directed edge occurs as often as its reverse.
fn balances(soup: &[Triangle]) -> bool {
    let mut balance: BTreeMap<[Key; 2], i64> = BTreeMap::new();
    for [from, to] in soup.iter().flat_map(edges) {
        *balance.entry([from, to]).or_default() += 1;
        *balance.entry([to, from]).or_default() -= 1;
    }
    balance.values().all(|n| *n == 0)
}

/// Decides for the triangles from `next` whether they are turned, so that every edge balances: by trying both
/// ways, as found first. Returns false if that is impossible. Triangles are taken so that each shares an edge
/// with one decided, which keeps the search short.
fn turn_from(decided: usize, soup: &[Triangle], turns: &mut [Option<bool>]) -> bool {
    let undirected = |[from, to]: [Key; 2]| [from.min(to), from.max(to)];
    let mut sums: BTreeMap<[Key; 2], [i64; 2]> = BTreeMap::new();
    for (t, turn) in soup.iter().zip(&*turns) {
        for edge in edges(&turned_if(*turn == Some(true), t)) {
            let sum = sums.entry(undirected(edge)).or_default();
            match turn {
                Some(_) => sum[0] += if edge[0] < edge[1] { 1 } else { -1 },
                None => sum[1] += 1,
            }
        }
    }
    if sums.values().any(|[sum, left]| sum.abs() > *left) {
        return false;
    }
    if decided == soup.len() {
        return true;
    }
    // The triangle with the edge that is most constrained.
    let urgency = |t: &Triangle| {
        edges(t)
            .map(|edge| {
                let [sum, left] = sums[&undirected(edge)];
                sum.abs() - left
            })
            .into_iter()
            .max()
    };
    let open = (0..soup.len()).filter(|&i| turns[i].is_none());
    let Some(next) = open.max_by_key(|&i| (urgency(&soup[i]), std::cmp::Reverse(i))) else { return true };
    for turn in [false, true] {
        turns[next] = Some(turn);
        if turn_from(decided + 1, soup, turns) {
            return true;
        }
    }
    turns[next] = None;
    false
}

fn edges(t: &Triangle) -> [[Key; 2]; 3] {
    let [a, b, c] = t.map(key);
    [[a, b], [b, c], [c, a]]
}

fn is_closed(soup: &[Triangle]) -> bool {
    let mut balance: BTreeMap<[Key; 2], i64> = BTreeMap::new();
    let mut facing: BTreeMap<[Key; 3], i64> = BTreeMap::new();
    for t in soup {
        for [from, to] in edges(t) {
            *balance.entry([from, to]).or_default() += 1;
            *balance.entry([to, from]).or_default() -= 1;
        }
        let corners = t.map(key);
        let mut sorted = corners;
        sorted.sort_unstable();
        if sorted[0] == sorted[1] || sorted[1] == sorted[2] {
            continue; // its own opposite
        }
        let turn = (0..3).any(|k| sorted == [corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]]);
        *facing.entry(sorted).or_default() += if turn { 1 } else { -1 };
    }
    balance.values().all(|n| *n == 0) && facing.values().any(|n| *n != 0)
}

/// Returns the triangles of all closed shells.
pub fn closed_triangles(soup: &[Triangle]) -> Vec<Triangle> {
    let closed = shells(soup).into_iter().filter(|s| s.closed);
    closed.flat_map(|s| s.members).map(|i| soup[i]).collect()
}

/// True when a point lies inside the solid of a mesh; `None` on the surface of a closed shell.
pub fn inside(point: DVec3, soup: &[Triangle]) -> Option<bool> {
    rational::winding(point, &closed_triangles(soup)).map(|n| n != 0)
}

/// True when some shell of `inner` lies in the solid of `outer`, for meshes that do not touch.
pub fn contains(outer: &[Triangle], inner: &[Triangle]) -> bool {
    shells(inner).iter().any(|s| inside(inner[s.members[0]][0], outer) == Some(true))
}

/// Returns the largest gap of two boxes along an axis, a lower bound of the distance of their contents.
fn box_gap(a: &Triangle, b: &Triangle) -> f64 {
    let lo = |t: &Triangle| t[0].min(t[1]).min(t[2]);
    let hi = |t: &Triangle| t[0].max(t[1]).max(t[2]);
    // Allows for one rounding to nearest.
    (lo(b) - hi(a)).max(lo(a) - hi(b)).max_element() * (1.0 - f64::EPSILON)
}

/// Returns all pairs of triangles that touch, sorted.
pub fn contacts(a: &[Triangle], b: &[Triangle]) -> Vec<[u32; 2]> {
    let mut found = Vec::new();
    for (i, s) in (0u32..).zip(a) {
        for (j, t) in (0u32..).zip(b) {
            if box_gap(s, t) <= 0.0 && rational::triangles_meet(s, t) {
                found.push([i, j]);
            }
        }
    }
    found
}

/// Returns the smallest distance of two surfaces, correctly rounded.
pub fn distance(a: &[Triangle], b: &[Triangle]) -> f64 {
    let mut best = f64::INFINITY;
    for s in a {
        for t in b {
            if box_gap(s, t) < best {
                best = best.min(rational::distance(s, t));
            }
        }
    }
    best
}

/// Returns the distance of a point from a surface, correctly rounded.
pub fn distance_of_point(point: DVec3, surface: &[Triangle]) -> f64 {
    distance(&[[point; 3]], surface)
}
