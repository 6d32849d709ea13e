//! Seams: boundary loops that lie on one straight line, as T-junctions leave them.
//!
//! A triangle with the edge `pq` is adjacent to two with the edges `pm` and `mq`, where `m` lies exactly on
//! `pq`. There is no gap, but three edges have only one triangle each. A polygon without area, run in the
//! opposite direction, closes the loop.

use std::collections::HashMap;

use glam::DVec3;
use num_traits::Zero;

use super::edges::{EdgeUse, Edges, proper};
use crate::ids::to_u32;
use crate::math::disjoint_sets::DisjointSets;
use crate::math::grid::{Grid, cross, sub};
use crate::mesh::Mesh;

/// An edge used by an odd number of triangles, in the direction of the majority.
#[derive(Clone, Copy)]
struct Boundary {
    from: u32,
    to: u32,
    /// The last of these triangles.
    triangle: u32,
}

impl Boundary {
    fn other_end(&self, vertex: u32) -> u32 {
        if self.from == vertex { self.to } else { self.from }
    }
}

/// Returns the polygons that close the seams of a mesh, as corners in order, the lowest first. `edges` are
/// the edges of its triangles.
///
/// A loop is closed if its edges lie exactly on one line and one of them belongs to a triangle with an area.
/// Several loops on a line that share a vertex are separated by the direction of their edges, if the
/// directions balance.
pub(super) fn find(mesh: &Mesh, edges: &Edges) -> Vec<Vec<u32>> {
    let boundary: Vec<Boundary> = edges
        .irregular()
        .filter_map(|uses| {
            let [low, high] = uses[0].edge;
            let (mut forward, mut backward, mut triangle) = (0, 0, 0);
            for proper in proper(uses) {
                *(if proper.forward { &mut forward } else { &mut backward }) += 1;
                triangle = proper.face;
            }
            let (from, to) = if forward > backward { (low, high) } else { (high, low) };
            ((forward + backward) % 2 == 1).then_some(Boundary { from, to, triangle })
        })
        .collect();
    let mut loops: Vec<Vec<u32>> = Vec::new();
    for line in lines(mesh, &boundary) {
        let has_area = |edge: &Boundary| {
            let [a, b, c] = mesh.corners(edge.triangle);
            !on_one_line(a, b, c)
        };
        if line.len() > 2 && line.iter().any(has_area) {
            loops.extend(closing_polygons(&line));
        }
    }
    loops
}

/// Groups the boundary edges that are connected along one line.
fn lines(mesh: &Mesh, boundary: &[Boundary]) -> Vec<Vec<Boundary>> {
    let mut sets = DisjointSets::new(boundary.len());
    let mut ends: Vec<(u32, u32)> =
        (0u32..).zip(boundary).flat_map(|(i, edge)| [(edge.from, i), (edge.to, i)]).collect();
    ends.sort_unstable();
    for around in ends.chunk_by(|x, y| x.0 == y.0) {
        let vertex = around[0].0;
        let at = |v: u32| mesh.vertices()[v as usize];
        // Edges on one line have directions, up to sign, with keys that are equal up to rounding.
        let mut keyed: Vec<(f64, u32, DVec3)> = around
            .iter()
            .map(|&(_, i)| {
                let end = at(boundary[i as usize].other_end(vertex));
                (direction_key(end - at(vertex)), i, end)
            })
            .collect();
        keyed.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        // One edge represents each line; the keys of a line are close together.
        let mut known: Vec<(f64, u32, DVec3)> = Vec::new();
        for (key, i, p) in keyed {
            // A key that is NaN counts as near every other.
            let is_near = |known: f64| key - known <= KEY_ERROR || (key - known).is_nan();
            let near = known.iter().rev().take_while(|other| is_near(other.0));
            match near.copied().find(|&(_, _, q)| on_one_line(at(vertex), p, q)) {
                Some((_, j, _)) => sets.join(i, j),
                None => known.push((key, i, p)),
            }
        }
    }
    let mut grouped: Vec<(u32, u32)> = (0..sets.count()).map(|i| (sets.find(i), i)).collect();
    grouped.sort_unstable();
    let members = |group: &[(u32, u32)]| group.iter().map(|&(_, i)| boundary[i as usize]).collect();
    grouped.chunk_by(|x, y| x.0 == y.0).map(members).collect()
}

/// Upper bound on the difference between the keys of two directions on one line. Each key is at most 1, and a
/// quotient of two sums that take a dozen roundings of positive terms, or of terms below them.
const KEY_ERROR: f64 = 64.0 * f64::EPSILON;

/// Returns a number that opposite directions share and other directions very likely do not: the squared
/// cosine of the angle to a fixed direction.
fn direction_key(d: DVec3) -> f64 {
    // Scaled, so that squares neither over- nor underflow.
    let d = d / d.abs().max_element();
    let along = d.dot(DVec3::new(0.537, 0.671, 0.511));
    along * along / d.length_squared()
}

/// Returns the polygons that close the loops of one line's boundary edges; none if the edges do not form
/// loops.
fn closing_polygons(line: &[Boundary]) -> Vec<Vec<u32>> {
    let mut ends: Vec<(u32, i32)> = line.iter().flat_map(|e| [(e.from, 1), (e.to, -1)]).collect();
    ends.sort_unstable();
    let vertices = || ends.chunk_by(|x, y| x.0 == y.0);
    let is_balanced = vertices().all(|at| at.iter().map(|(_, way)| way).sum::<i32>() == 0);
    if !is_balanced && !vertices().all(|at| at.len() % 2 == 0) {
        return Vec::new();
    }
    // Edges leaving each vertex, the lowest last; in either direction if the directions do not balance.
    let mut leaving: HashMap<u32, Vec<usize>> = HashMap::new();
    for (i, edge) in line.iter().enumerate().rev() {
        leaving.entry(edge.from).or_default().push(i);
        if !is_balanced {
            leaving.entry(edge.to).or_default().push(i);
        }
    }
    let mut used = vec![false; line.len()];
    let mut polygons = Vec::new();
    for first in line {
        // Follow edges as long as there are any; whenever the path returns to a vertex, cut off the loop.
        let mut path = vec![first.from];
        let mut place: HashMap<u32, usize> = HashMap::from([(first.from, 0)]);
        while let Some(&at) = path.last() {
            let onward = leaving
                .get_mut(&at)
                .and_then(|edges| std::iter::from_fn(|| edges.pop()).find(|&edge| !used[edge]));
            let Some(edge) = onward else { break };
            used[edge] = true;
            let next = line[edge].other_end(at);
            if let Some(&start) = place.get(&next) {
                polygons.push(closing_polygon(&path[start..]));
                for vertex in path.drain(start + 1..) {
                    place.remove(&vertex);
                }
            } else {
                place.insert(next, path.len());
                path.push(next);
            }
        }
    }
    polygons
}

/// Returns a loop in the opposite direction, from its lowest corner.
fn closing_polygon(corners: &[u32]) -> Vec<u32> {
    let mut polygon: Vec<u32> = corners.iter().rev().copied().collect();
    let lowest = (0..polygon.len()).min_by_key(|&i| polygon[i]).unwrap_or(0);
    polygon.rotate_left(lowest);
    polygon
}

/// Returns the sides of a closing polygon as edge uses of the face with the given number.
pub(super) fn polygon_uses(face: usize, corners: &[u32]) -> impl Iterator<Item = EdgeUse> + '_ {
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(move |(&from, &to)| EdgeUse::new(to_u32(face), from, to))
}

/// Cuts a closing polygon into a fan of triangles.
pub(super) fn fan(corners: &[u32]) -> impl Iterator<Item = [u32; 3]> + '_ {
    corners[1..].windows(2).map(|pair| [corners[0], pair[0], pair[1]])
}

/// True when three points with any finite coordinates lie exactly on one line.
fn on_one_line(a: DVec3, b: DVec3, c: DVec3) -> bool {
    // Each difference is off by u of itself, so a product of two is off by 3 u and a difference of products
    // by 4 u of the sum of both magnitudes; 8 u cover the higher orders. Products that may have underflowed
    // decide nothing.
    let (u, v) = (b - a, c - a);
    let surely_not = |x: f64, y: f64, z: f64, w: f64| {
        let (p, q) = (x * w, y * z);
        let size = p.abs() + q.abs();
        size > f64::MIN_POSITIVE / f64::EPSILON
            && size.is_finite()
            && (p - q).abs() > 4.0 * f64::EPSILON * size
    };
    if surely_not(u.x, u.y, v.x, v.y) || surely_not(u.y, u.z, v.y, v.z) || surely_not(u.z, u.x, v.z, v.x) {
        return false;
    }
    let grid = Grid::of(&[a, b, c]);
    let [a, b, c] = [a, b, c].map(|p| grid.vector(p));
    cross(&sub(&b, &a), &sub(&c, &a)).iter().all(Zero::is_zero)
}
