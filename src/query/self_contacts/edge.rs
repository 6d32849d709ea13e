//! Triangles around an edge.
//!
//! Each lies in a half plane that the line of the edge bounds. Two in different half planes share only the
//! edge. A triangle without an area, which lies on the line, shares only the edge with one that has an area.

use std::cmp::Ordering::{self, Equal, Greater, Less};

use glam::DVec3;

use super::add_if_more;
use crate::bvh::posed_model::PosedModel;
use closefit_geometry::math::predicates::{orient2d, orient3d, projection_of};

/// Adds the pairs of triangles at an edge.
pub fn add_contacts(body: &PosedModel, edge: [u32; 2], triangles: &[u32], found: &mut Vec<[u32; 2]>) {
    let at = |corner: u32| body.pose.apply(body.mesh.vertices()[corner as usize]);
    let third = |triangle: u32| {
        let corners = body.mesh.triangles()[triangle as usize];
        at(corners.into_iter().find(|corner| !edge.contains(corner)).unwrap_or(edge[0]))
    };
    let line = edge.map(at);
    let all = triangles.iter().map(|&triangle| (triangle, third(triangle)));
    let (mut wide, flat): (Vec<_>, Vec<_>) =
        all.partition(|(_, p)| projection_of(line[0], line[1], *p).is_some());
    if let Some(&(_, zero)) = wide.first() {
        wide.sort_by(|(_, p), (_, q)| order(line, zero, *p, *q));
    }
    let same = |(_, p): &(u32, DVec3), (_, q): &(u32, DVec3)| order(line, *p, *p, *q).is_eq();
    for level in wide.chunk_by(same).chain([&flat[..]]) {
        for (k, (first, _)) in level.iter().enumerate() {
            level[k + 1..].iter().for_each(|(second, _)| add_if_more(body, [*first, *second], found));
        }
    }
}

/// Compares the angles of two points around a line from a third point on, from 0 to a full turn. None is on
/// the line.
fn order(line: [DVec3; 2], zero: DVec3, p: DVec3, q: DVec3) -> Ordering {
    let [a, b] = line;
    let quarter = |p: DVec3| match orient3d(a, b, zero, p) {
        Greater => 1,
        Less => 3,
        Equal => {
            let seen = projection_of(a, b, zero).expect("it is not on the line");
            let turn = |p: DVec3| orient2d(seen.of(a), seen.of(b), seen.of(p));
            if turn(p) == turn(zero) { 0 } else { 2 }
        }
    };
    quarter(p).cmp(&quarter(q)).then_with(|| orient3d(a, b, q, p))
}
