//! One of the two parts, as the search asks about it: as a surface whose points are measured, and as the solid
//! against which the other's are.
//!
//! Few triangles are posed once and asked in lanes, all of them; the tree of many is walked. Either way an
//! answer depends on points and triangles alone.

use std::ops::ControlFlow;

use glam::DVec3;

use super::polygon::Plane;
use crate::bounds::aabb::Aabb;
use crate::exact::contact::triangles_meet;
use crate::hierarchy::body::Body;
use crate::math::Triangle;
use crate::math::error_bounds::{LENGTH, WAY_OUT};
use crate::narrow::point_triangle::Faces4;
use crate::query::winding;

/// Up to so many triangles are few.
const FEW: u32 = 64;

/// Buffers of a part.
#[derive(Default)]
pub struct PartMemory {
    /// Of few triangles: all vertices, posed.
    vertices: Vec<DVec3>,
    /// And the closed ones, in lanes, with their numbers; made when they are first asked for.
    pub(super) faces: Vec<(Faces4, [u32; 4])>,
    /// Planes that have all of the solid behind them, up to the error: first the sides of its box.
    pub(super) planes: Vec<Plane>,
}

/// A part.
pub struct Part<'a> {
    /// Where it stands.
    pub body: &'a Body<'a>,
    /// How far off heights above planes, and distances from triangles, may be.
    pub error: f64,
    few: bool,
    /// The solid is what is behind all planes, up to the error.
    convex: bool,
    pub(super) memory: PartMemory,
}

impl<'a> Part<'a> {
    /// A body, and the largest extent of both parts together.
    pub fn new(body: &'a Body<'a>, span: f64, mut memory: PartMemory) -> Self {
        let Aabb { lo, hi } = body.bounds;
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
        let mut part =
            Self { body, error: LENGTH.max(WAY_OUT) * span + body.seam_width(), few, convex: false, memory };
        if few && body.has_solid() {
            part.convex = part.find_planes();
        }
        part
    }

    /// The buffers back.
    pub fn into_memory(self) -> PartMemory {
        self.memory
    }

    /// The posed corners of a triangle or, numbered after these, of a seam.
    pub fn triangle(&self, triangle: u32) -> Triangle {
        match triangle.checked_sub(self.body.len()) {
            Some(seam) => self.body.seam_triangles()[seam as usize],
            None if self.few => {
                self.body.mesh.triangles()[triangle as usize].map(|v| self.memory.vertices[v as usize])
            }
            None => self.body.triangle(triangle),
        }
    }

    /// A posed vertex.
    pub fn vertex(&self, vertex: u32) -> DVec3 {
        match self.memory.vertices.get(vertex as usize) {
            Some(p) => *p,
            None => self.body.pose.apply(self.body.mesh.vertices()[vertex as usize]),
        }
    }

    /// The posed vertices, where there are few triangles.
    pub fn vertices(&self) -> &[DVec3] {
        &self.memory.vertices
    }

    /// True if the solid is known to be what is behind all planes, up to the error.
    pub fn is_convex(&self) -> bool {
        self.convex
    }

    /// True if there are few triangles.
    pub fn is_few(&self) -> bool {
        self.few
    }

    /// Planes that have all of the solid behind them, up to the error.
    pub fn planes(&self) -> &[Plane] {
        &self.memory.planes
    }

    /// True when a point lies inside the solid. Exact.
    pub fn holds(&self, p: DVec3) -> bool {
        self.body.bounds.strictly_contains(&Aabb { lo: p, hi: p }) && winding::inside(self.body, &p)
    }

    /// True when a fan of triangles around the first corner meets a closed triangle or a seam. Exact.
    pub fn meets(&self, corners: &[DVec3]) -> bool {
        let bounds = Aabb::of(corners.iter().copied());
        let last = corners.len() - 1;
        let fan = |k: usize| -> Triangle { [corners[0], corners[k.min(last)], corners[(k + 1).min(last)]] };
        let misses = self.body.in_box(&bounds, &mut |triangle, t| {
            if self.body.is_closed(triangle)
                && Aabb::of(*t).meets(&bounds)
                && (1..last.max(2)).any(|k| triangles_meet(&fan(k), t))
            {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        let meets_seam = |t: &Triangle| {
            Aabb::of(*t).meets(&bounds) && (1..last.max(2)).any(|k| triangles_meet(&fan(k), t))
        };
        misses.is_break() || self.body.seam_triangles().iter().any(meets_seam)
    }
}
