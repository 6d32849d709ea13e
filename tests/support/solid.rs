//! Components, solids and whole-mesh answers by brute force, implemented independently for the tests.

use std::collections::BTreeMap;

use glam::DVec3;
use num_traits::Signed;

use super::rational::{self, Triangle};

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

/// Returns the mesh with the shells turned that can be oriented. Triangle by triangle, one that disagrees
/// with a decided neighbour is turned. A shell that needs no turning stays as it is; any other ends with a
/// positive volume.
pub fn repaired(soup: &[Triangle]) -> Vec<Triangle> {
    let mut out = soup.to_vec();
    for shell in shells(soup) {
        let proper = |&i: &usize| {
            let [a, b, c] = soup[i].map(key);
            a != b && b != c && c != a
        };
        let members: Vec<usize> = shell.members.iter().copied().filter(proper).collect();
        let mut turned = soup.to_vec();
        if orient(&members, &mut turned) && turned != soup {
            let shell: Vec<Triangle> = members.iter().map(|&i| turned[i]).collect();
            let inside_out = rational::six_volumes(&shell).is_negative();
            for i in members {
                let [a, b, c] = turned[i];
                out[i] = if inside_out { [a, c, b] } else { [a, b, c] };
            }
        }
    }
    out
}

/// Turns members until no two run the same way along an edge. Returns false if that is impossible, or if an
/// edge does not have exactly two of them.
fn orient(members: &[usize], soup: &mut [Triangle]) -> bool {
    let shares = |soup: &[Triangle], i: usize, j: usize| {
        let [mine, other] = [edges(&soup[i]), edges(&soup[j])];
        let same = mine.iter().any(|e| other.contains(e));
        let opposite = mine.iter().any(|&[from, to]| other.contains(&[to, from]));
        (same, opposite)
    };
    for &i in members {
        for [from, to] in edges(&soup[i]) {
            let uses = |&&j: &&usize| edges(&soup[j]).iter().any(|e| *e == [from, to] || *e == [to, from]);
            if members.iter().filter(uses).count() != 2 {
                return false;
            }
        }
    }
    let mut decided = vec![members[0]];
    let mut next = 0;
    while next < decided.len() {
        let i = decided[next];
        next += 1;
        for &j in members {
            let (same, opposite) = shares(soup, i, j);
            if i == j || !(same || opposite) {
                continue;
            }
            if !decided.contains(&j) {
                decided.push(j);
                if same {
                    soup[j].swap(1, 2);
                }
            }
            if shares(soup, i, j).0 {
                return false;
            }
        }
    }
    true
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
