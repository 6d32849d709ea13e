//! Reference search: two binary trees, one pair of boxes at a time (Lin et al. 1997, section 4.2).

use std::ops::ControlFlow;

use super::posed::PosedBinaryObb;
use closefit::Work;
use closefit::internals::narrow::{Closest, Nearest, SLACK};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::bounds::separating_axes::PosedBoxes;
use closefit_geometry::exact::{contact, distance};
use closefit_geometry::math::Triangle;

/// Returns all pairs of triangles in contact, sorted; if there are more than `most`, some of them, more than
/// `most`.
pub fn contacts(a: &PosedBinaryObb, b: &PosedBinaryObb, most: usize, work: &mut Work) -> Vec<[u32; 2]> {
    let mut found = Vec::new();
    let _ = visit_contacts(a, b, work, |pair| {
        found.push(pair);
        if found.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    found.sort_unstable();
    found
}

/// True when [`contacts`] is not empty; stops at the first contact.
pub fn touches(a: &PosedBinaryObb, b: &PosedBinaryObb, work: &mut Work) -> bool {
    visit_contacts(a, b, work, |_| ControlFlow::Break(())).is_break()
}

/// Returns two triangles no farther apart than `bound`, if there are any.
pub fn within(a: &PosedBinaryObb, b: &PosedBinaryObb, bound: f64, work: &mut Work) -> Option<[u32; 2]> {
    let touching = visit_contacts(a, b, work, ControlFlow::Break).break_value();
    touching.or_else(|| nearest(a, b, bound, work).map(|nearest| nearest.triangles))
}

/// Calls `visit` with each pair of triangles in contact, in the order of the trees, until it breaks off.
fn visit_contacts<T>(
    a: &PosedBinaryObb,
    b: &PosedBinaryObb,
    work: &mut Work,
    mut visit: impl FnMut([u32; 2]) -> ControlFlow<T>,
) -> ControlFlow<T> {
    let boxes = PosedBoxes::new(&a.pose, a.tree.largest_coordinate, &b.pose, b.tree.largest_coordinate);
    let mut stack = vec![[0u32, 0]];
    while let Some(nodes) = stack.pop() {
        let [na, nb] = [a.node(nodes[0]), b.node(nodes[1])];
        work.box_tests += 1;
        if boxes.separated_by_more_than(&na.obb, &nb.obb, 0.0) {
            continue;
        }
        if let Some(children) = children(a, b, nodes) {
            stack.extend(children);
            continue;
        }
        for &ta in a.tree.leaf(na) {
            let corners_a = a.triangle(ta);
            let bounds_a = Aabb::of(corners_a);
            for &tb in b.tree.leaf(nb) {
                work.triangle_tests += 1;
                let corners_b = b.triangle(tb);
                if !bounds_a.meets(&Aabb::of(corners_b)) {
                    continue;
                }
                work.exact_tests += 1;
                if contact::triangles_meet(&corners_a, &corners_b) {
                    visit([ta, tb])?;
                }
            }
        }
    }
    ControlFlow::Continue(())
}

/// Returns the closest pair of triangles, if its distance is at most `bound`. The trees must not be in
/// contact.
pub fn nearest(a: &PosedBinaryObb, b: &PosedBinaryObb, bound: f64, work: &mut Work) -> Option<Nearest> {
    let mut candidates = candidates(a, b, bound, work);
    candidates.sort_unstable_by(|x, y| x.at_least.total_cmp(&y.at_least).then(x.triangles.cmp(&y.triangles)));
    let mut closest = Closest::within(bound);
    for Candidate { at_least, triangles } in candidates {
        if at_least > closest.reach() * SLACK {
            break;
        }
        work.exact_tests += 1;
        let corners = [&a.triangle(triangles[0]), &b.triangle(triangles[1])];
        let distance = distance::distance_apart(corners[0], corners[1]);
        closest.offer(Nearest { distance, triangles }, corners);
    }
    closest.nearest()
}

/// Two triangles that may be the closest.
struct Candidate {
    at_least: f64,
    triangles: [u32; 2],
}

/// Returns every pair of triangles whose distance is not proven to exceed the distance of another pair, or
/// `bound`.
fn candidates(a: &PosedBinaryObb, b: &PosedBinaryObb, bound: f64, work: &mut Work) -> Vec<Candidate> {
    let boxes = PosedBoxes::new(&a.pose, a.tree.largest_coordinate, &b.pose, b.tree.largest_coordinate);
    let mut found: Vec<Candidate> = Vec::new();
    let mut prune_at = 1024;
    let mut best = bound;
    let mut stack = vec![([0u32, 0], f64::NEG_INFINITY)];
    while let Some((nodes, at_least)) = stack.pop() {
        if at_least > best * SLACK {
            continue;
        }
        let [na, nb] = [a.node(nodes[0]), b.node(nodes[1])];
        if let Some(children) = children(a, b, nodes) {
            work.box_tests += 2;
            let mut bounded =
                children.map(|pair| (pair, boxes.separation(&a.node(pair[0]).obb, &b.node(pair[1]).obb)));
            // The nearer pair is popped first.
            if bounded[0].1 < bounded[1].1 {
                bounded.swap(0, 1);
            }
            stack.extend(bounded);
            continue;
        }
        for &ta in a.tree.leaf(na) {
            let corners_a = a.triangle(ta);
            for &tb in b.tree.leaf(nb) {
                work.triangle_tests += 1;
                let corners_b = b.triangle(tb);
                // The gap is rounded once, by half an EPSILON, far less than the square of the slack allows
                // for.
                if gap(&corners_a, &corners_b) > best * SLACK * SLACK {
                    continue;
                }
                let distance = distance::enclose(&corners_a, &corners_b);
                if distance.at_least > best * SLACK {
                    continue;
                }
                best = best.min(distance.at_most);
                found.push(Candidate { at_least: distance.at_least, triangles: [ta, tb] });
            }
        }
        if found.len() > prune_at {
            found.retain(|c| c.at_least <= best * SLACK);
            prune_at = 1024.max(2 * found.len());
        }
    }
    found.retain(|c| c.at_least <= best * SLACK);
    found
}

/// Returns the largest gap between the triangles' boxes along a coordinate axis.
fn gap(a: &Triangle, b: &Triangle) -> f64 {
    Aabb::of(*a).axis_gap(&Aabb::of(*b))
}

/// Opens the larger of two nodes and pairs its children with the other. Returns `None` for two leaves.
fn children(a: &PosedBinaryObb, b: &PosedBinaryObb, [ia, ib]: [u32; 2]) -> Option<[[u32; 2]; 2]> {
    let (na, nb) = (a.node(ia), b.node(ib));
    if !na.is_leaf() && (nb.is_leaf() || a.size(na) >= b.size(nb)) {
        Some([[na.first + 1, ib], [na.first, ib]])
    } else if !nb.is_leaf() {
        Some([[ia, nb.first + 1], [ia, nb.first]])
    } else {
        None
    }
}
