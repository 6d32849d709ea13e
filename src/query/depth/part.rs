//! One of the two parts, both as a surface whose points are measured, and as the solid against which the
//! other's points are measured.
//!
//! A part with few triangles is posed once, and queries test all of them in lanes; otherwise queries walk the
//! tree. Either way, an answer depends on points and triangles alone.

use std::ops::ControlFlow;

use glam::DVec3;

use super::polygon::Plane;
use crate::bvh::posed_model::PosedModel;
use crate::narrow::point_triangle::Faces4;
use crate::narrow::{Work, count};
use crate::query::winding;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::exact::contact::triangles_meet;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::error_bounds::{LENGTH, WAY_OUT};

/// The largest number of triangles that counts as few.
const FEW: u32 = 64;

/// Buffers of a part.
#[derive(Default)]
pub struct PartMemory {
    /// All posed vertices, if the part has few triangles.
    vertices: Vec<DVec3>,
    /// The closed triangles in lanes, with their numbers, if the part has few; filled at the first query.
    pub(super) faces: Vec<(Faces4, [u32; 4])>,
    /// Planes with all of the solid behind them, up to the error. The sides of its box come first.
    pub(super) planes: Vec<Plane>,
}

/// One part of the pair.
pub struct Part<'a> {
    /// The placed mesh with its tree.
    pub body: &'a PosedModel<'a>,
    /// The largest error of heights above planes and of distances from triangles.
    pub error: f64,
    few: bool,
    /// True when the solid is the intersection of the half-spaces behind all planes, up to the error.
    convex: bool,
    /// True when all closed triangles lie in the sides of the body's box, and there are no seams.
    pub(super) boxed: bool,
    /// The first plane in which a closed triangle lies: 0, or the first after the sides of the box if none
    /// lies in those.
    pub(super) first_plane: usize,
    pub(super) memory: PartMemory,
}

impl<'a> Part<'a> {
    /// The part for a body. `span` is the largest extent of both parts together.
    pub fn new(body: &'a PosedModel<'a>, span: f64, mut memory: PartMemory) -> Self {
        let Aabb { lo, hi } = *body.bounds();
        memory.vertices.clear();
        memory.faces.clear();
        memory.planes.clear();
        let few = body.len() <= FEW;
        if few {
            memory.vertices.extend(body.mesh.vertices().iter().map(|&v| body.pose.apply(v)));
        }
        for axis in DVec3::AXES {
            memory.planes.push(Plane { origin: hi, normal: axis });
            memory.planes.push(Plane { origin: lo, normal: -axis });
        }
        let error = LENGTH.max(WAY_OUT) * span + body.seam_width();
        let mut part = Self { body, error, few, convex: false, boxed: false, first_plane: 0, memory };
        if few && body.has_solid() {
            part.convex = part.find_planes();
        }
        part
    }

    /// Returns the buffers.
    pub fn into_memory(self) -> PartMemory {
        self.memory
    }

    /// Returns the posed corners of a triangle or of a seam; seams are numbered after the triangles.
    #[inline]
    pub fn triangle(&self, triangle: u32) -> Triangle {
        match triangle.checked_sub(self.body.len()) {
            Some(seam) => self.body.seam_triangles()[seam as usize],
            None if self.few => {
                let [a, b, c] = self.body.mesh.triangles()[triangle as usize];
                let posed = |v: u32| self.memory.vertices[v as usize];
                [posed(a), posed(b), posed(c)]
            }
            None => self.body.triangle(triangle),
        }
    }

    /// Returns a posed vertex.
    pub fn vertex(&self, vertex: u32) -> DVec3 {
        match self.memory.vertices.get(vertex as usize) {
            Some(p) => *p,
            None => self.body.pose.apply(self.body.mesh.vertices()[vertex as usize]),
        }
    }

    /// Returns the posed vertices, or an empty slice if the part has more than a few triangles.
    pub fn vertices(&self) -> &[DVec3] {
        &self.memory.vertices
    }

    /// True if the solid is known to be the intersection of the half-spaces behind its planes, up to the
    /// error.
    pub fn is_convex(&self) -> bool {
        self.convex
    }

    /// True if the solid's surface lies in the sides of its box, so that none of it passes through a polygon
    /// clipped to them, beyond the polygon's drift.
    pub fn is_boxed(&self) -> bool {
        self.boxed
    }

    /// True if the part has few triangles.
    pub fn is_few(&self) -> bool {
        self.few
    }

    /// Returns the planes with all of the solid behind them, up to the error.
    pub fn planes(&self) -> &[Plane] {
        &self.memory.planes
    }

    /// Returns the planes in which all closed triangles lie if the solid is convex.
    pub fn planes_of_faces(&self) -> &[Plane] {
        &self.memory.planes[self.first_plane..]
    }

    /// True when a point inside the box, of a part with few triangles, lies inside the solid. Exact.
    pub fn winds_around(&self, p: DVec3) -> bool {
        let closed = (0..self.body.len()).filter(|&t| self.body.is_closed(t));
        let oriented = closed.map(|t| self.body.turned_out(t, self.triangle(t)));
        let seams = self.body.seam_triangles().iter().copied();
        winding::winding_of_few(oriented.chain(seams), self.body.bounds(), &p).is_some_and(|n| n != 0)
    }

    /// True when a point lies inside the solid. Exact.
    pub fn holds(&self, p: DVec3) -> bool {
        // A point well in front of a plane that has the solid behind it needs no ray.
        self.body.bounds().strictly_contains(&Aabb { lo: p, hi: p })
            && !(self.few && self.way_out(p) < -2.0 * self.error)
            && winding::inside(self.body, &p)
    }

    /// True when a fan of triangles around the first corner meets a closed triangle or a seam. Exact.
    pub fn meets(&self, corners: &[DVec3]) -> bool {
        let bounds = Aabb::of(corners.iter().copied());
        let last = corners.len() - 1;
        let fan = |k: usize| -> Triangle { [corners[0], corners[k.min(last)], corners[(k + 1).min(last)]] };
        let mut exact_tests = 0;
        let mut visit = |triangle, t: &Triangle| {
            if self.body.is_closed(triangle) && Aabb::of(*t).meets(&bounds) {
                exact_tests += 1;
                if (1..last.max(2)).any(|k| triangles_meet(&fan(k), t)) {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        };
        // An oriented box costs more to make than it saves among few triangles.
        let misses = match self.few {
            true => self.body.in_box(&bounds, &mut visit),
            false => self.body.near_face(corners, &mut visit),
        };
        let seams = self.body.seam_triangles();
        let meets_seam = |t: &Triangle| {
            Aabb::of(*t).meets(&bounds) && (1..last.max(2)).any(|k| triangles_meet(&fan(k), t))
        };
        let found = misses.is_break() || seams.iter().any(meets_seam);
        let seams = seams.len() as u64;
        count(Work { triangle_tests: seams, exact_tests: exact_tests + seams, ..Work::NONE });
        found
    }
}
