//! The triangles of a surface that the search must examine: those that touch the other part's solid, and
//! those inside it.
//!
//! A triangle that does not touch lies entirely on one side, so corners connected by such triangles are
//! inside or outside together. One corner of each group is classified; the surface is then followed from the
//! corners inside to all triangles inside.

use super::back_off::BackOff;
use super::candidates::Candidate;
use super::marks::Marks;
use super::queue::PointSet;
use super::search::DepthSearch;
use crate::bvh::posed_model::PosedModel;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::to_u32;
use closefit_geometry::math::disjoint_sets::DisjointSets;

/// Buffers of this stage.
#[derive(Default)]
pub struct SurfaceMemory {
    /// Triangles that touch, and those found inside.
    triangles: Marks,
    /// Positions of vertices in the list of corners.
    vertices: Marks,
    /// Corners of touching triangles: vertex, and a closed triangle of the solid near it.
    corners: Vec<(u32, Option<u32>)>,
    /// Vertices inside from which the surface has yet to be followed.
    pending: Vec<u32>,
    inside: Vec<u32>,
    /// Corners connected by triangles that do not touch.
    groups: DisjointSets,
    /// The side of the first corner of each group, true for outside, once that is known.
    outside: Vec<Option<bool>>,
    /// Corners inside, with their distance from the triangle near them.
    deep: Vec<(f64, u32, Option<u32>)>,
    /// True for a component that touches.
    touching: Vec<bool>,
}

/// One triangle inside in this many is tried first: next to nothing beside what each of them may cost.
const SPARSE: usize = 64;

const INSIDE: u32 = 1;
const TOUCHING: u32 = 0;

impl DepthSearch<'_> {
    /// Queues the triangles of a surface that touch or lie inside, and tries corners inside.
    pub fn open_surface(&mut self, side: u8) {
        let mut memory = std::mem::take(&mut self.surfaces);
        let body = self.surface(side).body;
        memory.triangles.clear(body.mesh.triangles().len());
        memory.vertices.clear(body.mesh.vertices().len());
        memory.corners.clear();
        self.near[side as usize].clear(body.mesh.vertices().len());
        self.queue_touching(side, &mut memory);
        self.sort_corners(side, &mut memory);
        self.enclosed_components(side, &mut memory);
        follow(body, &mut memory);
        memory.inside.sort_unstable();
        self.try_some(side, &memory.inside);
        for &t in &memory.inside {
            let bound = self.solid(side).way_out_of_box(&Aabb::of(self.surface(side).triangle(t)));
            self.offer(side, PointSet::Triangle(t, true), bound);
        }
        memory.inside.clear();
        self.surfaces = memory;
        self.insetting[side as usize] = Some(BackOff::default());
    }

    /// Tries a corner of some of the triangles inside. With a lower bound near the depth from the start,
    /// whole surfaces may be resolved at once, and what is left one by one is proven sooner.
    fn try_some(&mut self, side: u8, inside: &[u32]) {
        for &t in inside.iter().skip(SPARSE / 2).step_by(SPARSE) {
            let at = self.surface(side).triangle(t)[0];
            let solid = self.solid(side);
            if solid.body.bounds().strictly_contains(&Aabb { lo: at, hi: at })
                && solid.way_out(at) > self.limit()
            {
                self.try_candidate(side, Candidate { at, drift: 0.0, near: None, is_inside: true });
            }
        }
    }

    fn queue_touching(&mut self, side: u8, memory: &mut SurfaceMemory) {
        let mut from = 0;
        let count = self.solid(side).body.len();
        while let Some(&[t, met]) = self.contacts[side as usize].get(from) {
            // A seam is not a closed triangle.
            let near = (met < count).then_some(met);
            from += self.contacts[side as usize][from..].iter().take_while(|pair| pair[0] == t).count();
            let body = self.surface(side).body;
            let bound = self.solid(side).way_out_of_box(&Aabb::of(self.surface(side).triangle(t)));
            memory.triangles.set(t, TOUCHING);
            for v in body.mesh.triangles()[t as usize] {
                if memory.vertices.set(v, to_u32(memory.corners.len())) {
                    memory.corners.push((v, near));
                    near.map(|near| self.near[side as usize].set(v, near));
                }
            }
            self.offer(side, PointSet::Triangle(t, false), bound);
        }
    }

    /// Finds the corners inside. The deepest raise the lower bound, and the surface is followed from all of
    /// them.
    fn sort_corners(&mut self, side: u8, memory: &mut SurfaceMemory) {
        let (surface, solid) = (self.surface(side), self.solid(side));
        let body = surface.body;
        let mesh = body.mesh;
        let incidence = body.incidence();
        let SurfaceMemory { triangles, vertices, corners, pending, groups, outside, deep, .. } = memory;
        groups.reset(corners.len());
        for (i, &(v, _)) in (0u32..).zip(&*corners) {
            for &t in incidence.at(v) {
                if triangles.get(t).is_none() {
                    for j in mesh.triangles()[t as usize].into_iter().filter_map(|v| vertices.get(v)) {
                        groups.join(i, j);
                    }
                }
            }
        }
        // A group with one corner outside the solid's box lies outside.
        let bounds = *solid.body.bounds();
        let position = |v: u32| surface.vertex(v);
        outside.clear();
        outside.resize(corners.len(), None);
        for (i, &(v, _)) in (0u32..).zip(&*corners) {
            let p = position(v);
            if !bounds.strictly_contains(&Aabb { lo: p, hi: p }) {
                outside[groups.find(i) as usize] = Some(true);
            }
        }
        deep.clear();
        for (i, &(v, near)) in (0u32..).zip(&*corners) {
            let p = position(v);
            let is_outside = outside[groups.find(i) as usize].get_or_insert_with(|| !solid.holds(p));
            if !*is_outside {
                pending.push(v);
                deep.push((near.map_or(f64::INFINITY, |t| solid.distance(p, t)), v, near));
            }
        }
        deep.sort_unstable_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
        for &(distance, v, near) in &*deep {
            if distance <= self.limit() {
                break;
            }
            let at = self.surface(side).vertex(v);
            self.try_candidate(side, Candidate { at, drift: 0.0, near, is_inside: true });
        }
    }

    /// Finds components that touch nothing and lie entirely inside. Those whose bound changes nothing are
    /// discarded whole.
    fn enclosed_components(&mut self, side: u8, memory: &mut SurfaceMemory) {
        let body = self.surface(side).body;
        let topology = body.topology;
        let touching = &mut memory.touching;
        touching.clear();
        touching.resize(topology.components.len(), false);
        for pair in &self.contacts[side as usize] {
            touching[topology.component_of[pair[0] as usize] as usize] = true;
        }
        for (&(triangle, bounds), touching) in body.component_boxes().iter().zip(&*touching) {
            let solid = self.solid(side);
            if *touching || !solid.body.bounds().strictly_contains(&bounds) {
                continue;
            }
            let bound = solid.way_out_of_box(&bounds);
            let is_deep = bound > self.limit();
            // A bound below another changes nothing, whichever side the component lies on.
            if (is_deep || bound > self.discarded.max(self.at_least))
                && solid.holds(body.triangle(triangle)[0])
            {
                if is_deep {
                    memory.pending.push(body.mesh.triangles()[triangle as usize][0]);
                } else {
                    self.discard(bound);
                }
            }
        }
    }
}

/// Lists the triangles that do not touch and are connected, through such triangles, to the pending vertices.
fn follow(body: &PosedModel, memory: &mut SurfaceMemory) {
    while let Some(v) = memory.pending.pop() {
        for &t in body.incidence().at(v) {
            if memory.triangles.set(t, INSIDE) {
                memory.inside.push(t);
                memory
                    .pending
                    .extend(body.mesh.triangles()[t as usize].into_iter().filter(|&other| other != v));
            }
        }
    }
}
