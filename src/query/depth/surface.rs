//! One part's surface against the other's solid: which triangles touch, which lie inside.

use std::cell::Cell;

use glam::DVec3;

use super::super::partners::Partners;
use super::spot::Spot;
use crate::bounds::aabb::Aabb;
use crate::hierarchy::body::Body;
use crate::math::disjoint_sets::DisjointSets;
use crate::settle::winding::inside;

/// One surface against the other's solid.
pub struct Direction<'a> {
    /// Whose points are measured.
    pub surface: &'a Body<'a>,
    /// In which they lie.
    pub solid: &'a Body<'a>,
    /// Surface triangles that meet the solid's closed components, with those they meet.
    pub touching: Partners,
}

impl<'a> Direction<'a> {
    /// `None` when the other part has no solid.
    pub fn of(
        surface: &'a Body<'a>,
        solid: &'a Body<'a>,
        contacts: impl Iterator<Item = [u32; 2]>,
    ) -> Option<Self> {
        if !solid.has_solid() {
            return None;
        }
        let touching = Partners::of(contacts.filter(|pair| solid.is_closed(pair[1])));
        Some(Self { surface, solid, touching })
    }

    /// Triangles inside the solid that do not meet its surface. Those that share a corner lie on the same side.
    pub fn inside(&self) -> Vec<u32> {
        let mesh = self.surface.mesh;
        let mut groups = DisjointSets::new(mesh.vertices().len());
        let untouched: Vec<u32> =
            (0..self.surface.len()).filter(|&t| self.touching.of_triangle(t).next().is_none()).collect();
        for &t in &untouched {
            let [x, y, z] = mesh.triangles()[t as usize];
            groups.join(x, y);
            groups.join(x, z);
        }
        // What lies inside lies in the solid's box.
        let mut fits = vec![true; mesh.vertices().len()];
        let mut group_of = |t: u32| groups.find(mesh.triangles()[t as usize][0]) as usize;
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
                    && *winds[group].get_or_insert_with(|| inside(self.solid, &self.surface.triangle(t)[0]))
            })
            .collect()
    }

    /// A bound of the depth of a convex piece inside the solid, whatever triangles lie around it: if the piece,
    /// moved out along a direction, is outside as a whole, then the surface lies between.
    pub fn passed_within<P: Spot>(&self, corners: &[P], step: DVec3) -> Option<f64> {
        let moved: Vec<P> = corners.iter().map(|corner| corner.moved(step)).collect();
        // From where the corner may truly be to where it is said to be moved: f64 rounds that as well.
        let far = |(from, to): (&P, &P)| from.step_to(to);
        let reach = corners.iter().zip(&moved).map(far).fold(0.0, f64::max);
        // A fan of triangles; of a segment, the segment.
        let fan: Vec<[P; 3]> = match &moved[..] {
            [p, q] => vec![[p.clone(), q.clone(), q.clone()]],
            _ => moved[1..]
                .windows(2)
                .map(|pair| [moved[0].clone(), pair[0].clone(), pair[1].clone()])
                .collect(),
        };
        let error = moved.iter().fold(0.0, |e: f64, spot| e.max(spot.error()));
        let mut bounds = Aabb::of(moved.iter().map(P::rounded));
        bounds.lo -= error;
        bounds.hi += error;
        let meets = Cell::new(false);
        self.solid.walk(
            |node| !meets.get() && node.meets(&bounds),
            |triangle| {
                let t = self.solid.triangle(triangle);
                let near = Aabb::of(t).meets(&bounds) && self.solid.is_closed(triangle);
                meets.set(meets.get() || (near && !fan.iter().all(|piece| P::misses(piece, &t))));
            },
        );
        (!meets.get() && !moved[0].is_inside(self.solid)).then_some(reach)
    }
}

/// The closed triangle nearest to a spot (but for rounding), and a lower bound of the distance to all of
/// them. The body has a solid; `hint` is a closed triangle that may be near.
pub fn nearest_closed(solid: &Body, spot: &impl Spot, hint: Option<u32>) -> (u32, f64) {
    let (p, error) = (spot.rounded(), spot.error());
    let mut best = (u32::MAX, f64::INFINITY);
    let mut at_least = f64::INFINITY;
    let mut offer = |t: u32| {
        if let Some(enclosure) = spot.enclose_within(&solid.triangle(t), best.1) {
            at_least = at_least.min(enclosure.at_least);
            if enclosure.at_most < best.1 {
                best = (t, enclosure.at_most);
            }
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
                .map(|child| (child, solid.separation_from(&solid.node(child).obb, p) - error));
            if children[0].1 < children[1].1 {
                children.swap(0, 1);
            }
            stack.extend(children);
        }
    }
    // What was skipped is farther than the best found, which is no nearer than its own lower bound.
    (best.0, at_least)
}
