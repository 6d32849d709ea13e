//! Pairs of triangles of one part that share more than their common vertices and edges.

use std::ops::ControlFlow;

use crate::bvh::posed_model::PosedModel;
use crate::narrow::{Work, count};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::exact::shared_set::shares_more;
use closefit_geometry::ids::to_u32;
use closefit_geometry::parallel;

/// The number of triangles that a thread takes at a time.
const RUN: usize = 256;

/// Returns the pairs, the lower triangle first, sorted.
pub fn self_contacts(body: &PosedModel) -> Vec<[u32; 2]> {
    let mut found = parallel::gather(body.len() as usize, RUN, |run, found| {
        for number in run.start..run.end {
            add_contacts(body, to_u32(number), found);
        }
    });
    found.sort_unstable();
    found
}

/// Adds the pairs of a triangle with triangles of higher numbers.
fn add_contacts(body: &PosedModel, number: u32, found: &mut Vec<[u32; 2]>) {
    let triangle = body.triangle(number);
    let bounds = Aabb::of(triangle);
    let mut exact_tests = 0;
    let _ = body.in_box(&bounds, &mut |other, corners| {
        if other > number && Aabb::of(*corners).meets(&bounds) {
            exact_tests += 1;
            if shares_more(&triangle, corners) {
                found.push([number, other]);
            }
        }
        ControlFlow::Continue(())
    });
    count(Work::exact(exact_tests));
}
