//! Pairs of triangles of one part that share more than their common vertices and edges.
//!
//! All triangles at a vertex meet there, so boxes exclude none of their pairs. Where many meet at a vertex,
//! [directions](star) from it do, and where many meet at an edge, their [order around it](edge). Boxes of the
//! part's tree exclude other pairs; between triangles at such vertices, boxes of a [tree](tree) in which
//! those with a common vertex are together.

mod edge;
mod star;
mod tree;

use std::ops::ControlFlow;

use crate::bvh::posed_model::PosedModel;
use crate::narrow::{Work, count};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::exact::shared_set::shares_more;
use closefit_geometry::ids::to_u32;
use closefit_geometry::math::Triangle;
use closefit_geometry::parallel;
use tree::{Item, Tree};

/// The number of triangles that a thread takes at a time.
const RUN: usize = 256;

/// The most triangles at a vertex whose directions from it are not compared.
const CROWDED: u32 = 32;

/// Returns the pairs, the lower triangle first, sorted.
pub fn self_contacts(body: &PosedModel) -> Vec<[u32; 2]> {
    let crowds = Crowds::of(body);
    let mut found = parallel::gather(body.len() as usize, RUN, |run, found| {
        for number in run.start..run.end {
            add_contacts(body, &crowds, to_u32(number), found);
        }
    });
    found.extend(parallel::gather(crowds.vertices.len(), 1, |run, found| {
        for &vertex in &crowds.vertices[run] {
            star::add_contacts(body, &crowds, vertex, found);
        }
    }));
    add_contacts_between(body, &crowds, &mut found);
    found.sort_unstable();
    // Triangles that share several vertices are compared at several.
    found.dedup();
    found
}

/// The vertices where many triangles meet.
struct Crowds {
    /// The number of corners at each vertex.
    corners: Vec<u32>,
    vertices: Vec<u32>,
}

impl Crowds {
    fn of(body: &PosedModel) -> Self {
        let mut corners = vec![0; body.mesh.vertices().len()];
        body.mesh.triangles().as_flattened().iter().for_each(|&vertex| corners[vertex as usize] += 1);
        let vertices = (0..).zip(&corners).filter(|(_, corners)| **corners > CROWDED);
        Self { vertices: vertices.map(|(vertex, _)| vertex).collect(), corners }
    }

    fn has(&self, vertex: u32) -> bool {
        self.corners[vertex as usize] > CROWDED
    }

    /// True if a triangle has such a corner.
    fn touch(&self, corners: [u32; 3]) -> bool {
        !self.vertices.is_empty() && corners.into_iter().any(|vertex| self.has(vertex))
    }
}

/// Adds a pair of triangles if it shares more than its common vertices and edges.
fn add_if_more(body: &PosedModel, [a, b]: [u32; 2], found: &mut Vec<[u32; 2]>) {
    count(Work::exact(1));
    if shares_more(&body.triangle(a), &body.triangle(b)) {
        found.push([a.min(b), a.max(b)]);
    }
}

/// Adds the pairs of a triangle without a crowded vertex: with triangles of higher numbers, and with all that
/// have one.
fn add_contacts(body: &PosedModel, crowds: &Crowds, number: u32, found: &mut Vec<[u32; 2]>) {
    let corners = |triangle: u32| body.mesh.triangles()[triangle as usize];
    if crowds.touch(corners(number)) {
        return;
    }
    let triangle = body.triangle(number);
    let bounds = Aabb::of(triangle);
    let mut exact_tests = 0;
    let mut visit = |other: u32, posed: &Triangle| {
        let is_asked = other > number || (other < number && crowds.touch(corners(other)));
        if is_asked && Aabb::of(*posed).meets(&bounds) {
            exact_tests += 1;
            if shares_more(&triangle, posed) {
                found.push([number.min(other), number.max(other)]);
            }
        }
        ControlFlow::Continue(())
    };
    let _ = match is_askew(&triangle, &bounds) {
        true => body.near_face(&triangle, &mut visit),
        false => body.in_box(&bounds, &mut visit),
    };
    count(Work::exact(exact_tests));
}

/// True if the sides of a triangle's box are so much larger than the triangle that a box in its plane meets
/// fewer others.
fn is_askew([a, b, c]: &Triangle, bounds: &Aabb) -> bool {
    let size = bounds.hi - bounds.lo;
    let sides = size.x * size.y + size.y * size.z + size.z * size.x;
    8.0 * (b - a).cross(c - a).length() < sides
}

/// Adds the pairs of triangles that each have a crowded vertex, but none in common.
fn add_contacts_between(body: &PosedModel, crowds: &Crowds, found: &mut Vec<[u32; 2]>) {
    if crowds.vertices.is_empty() {
        return;
    }
    let items = (0..).zip(body.mesh.triangles()).filter(|(_, corners)| crowds.touch(**corners));
    let items = items.map(|(triangle, corners)| {
        let crowded = corners.iter().copied().filter(|&vertex| crowds.has(vertex));
        let [a, b, c] = body.triangle(triangle);
        Item::new(triangle, crowded, |vertex| crowds.corners[vertex as usize], [a, b, c, c])
    });
    let tree = Tree::new(items.collect(), 0.0);
    tree.pairs(&mut |pair| {
        let [a, b] = pair.map(|triangle| body.mesh.triangles()[triangle as usize]);
        if !a.iter().any(|vertex| crowds.has(*vertex) && b.contains(vertex)) {
            add_if_more(body, pair, found);
        }
    });
}
