//! Triangles around a vertex.
//!
//! Triangles are convex: two that share a vertex and any other point share a segment from the vertex on,
//! and directions from the vertex: their arcs on a sphere around it meet. Boxes around arcs exclude the other
//! pairs. The arcs of all triangles at an edge meet in its direction, so where there are many, they are left
//! to the [edge](super::edge).

use glam::DVec3;

use super::tree::{Item, Tree};
use super::{Crowds, add_if_more, edge};
use crate::bvh::posed_model::PosedModel;
use closefit_geometry::math::error_bounds::DIRECTION;

/// The most triangles at an edge that are not sorted around it.
const CROWDED: usize = 8;

/// Corners of a tetrahedron around the unit ball.
const EVERYWHERE: [DVec3; 4] = [
    DVec3::splat(2.0),
    DVec3::new(2.0, -2.0, -2.0),
    DVec3::new(-2.0, 2.0, -2.0),
    DVec3::new(-2.0, -2.0, 2.0),
];

/// Adds the pairs of triangles at a vertex. Those at an edge between two crowded vertices come with the lower
/// one.
pub fn add_contacts(body: &PosedModel, crowds: &Crowds, vertex: u32, found: &mut Vec<[u32; 2]>) {
    let mut triangles = body.incidence().at(vertex).to_vec();
    triangles.dedup();
    let others = |triangle: u32| {
        let corners = body.mesh.triangles()[triangle as usize];
        corners.into_iter().filter(move |&corner| corner != vertex)
    };
    let mut ends: Vec<[u32; 2]> =
        triangles.iter().flat_map(|&triangle| others(triangle).map(move |end| [end, triangle])).collect();
    ends.sort_unstable();
    ends.dedup();
    let edges: Vec<&[[u32; 2]]> =
        ends.chunk_by(|a, b| a[0] == b[0]).filter(|edge| edge.len() > CROWDED).collect();
    for edge in &edges {
        let end = edge[0][0];
        if vertex < end || !crowds.has(end) {
            let around: Vec<u32> = edge.iter().map(|&[_, triangle]| triangle).collect();
            edge::add_contacts(body, [vertex, end], &around, found);
        }
    }
    let count_at = |end: u32| {
        let place = edges.binary_search_by_key(&end, |edge| edge[0][0]);
        place.map_or(0, |place| closefit_geometry::ids::to_u32(edges[place].len()))
    };
    let at = |corner: u32| body.pose.apply(body.mesh.vertices()[corner as usize]);
    let from = at(vertex);
    let items = triangles.iter().map(|&triangle| {
        let mut ends = others(triangle).map(|corner| at(corner) - from);
        let [first, second] = [ends.next(), ends.next()].map(Option::unwrap_or_default);
        Item::new(triangle, others(triangle).filter(|&end| count_at(end) > 0), count_at, arc(first, second))
    });
    let tree = Tree::new(items.collect(), 2.0 * DIRECTION);
    tree.pairs(&mut |pair| {
        let is_left =
            others(pair[0]).any(|end| count_at(end) > 0 && others(pair[1]).any(|other| other == end));
        if !is_left {
            add_if_more(body, pair, found);
        }
    });
}

/// Returns points around all directions between two, to within [`DIRECTION`]: both, the one in the
/// middle, and where the tangents there meet.
fn arc(first: DVec3, second: DVec3) -> [DVec3; 4] {
    let [a, b] = [first, second].map(|end| end / end.length());
    let sum = a + b;
    let middle = sum / sum.length();
    let tangents = |end: DVec3| (end + middle) / (1.0 + end.dot(middle));
    // NaN is everywhere, too.
    if sum.length_squared() > 1.0 / 16.0 { [a, tangents(a), tangents(b), b] } else { EVERYWHERE }
}
