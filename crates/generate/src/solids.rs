//! A small kit for closed solids: stacks of rings, patches, and flat faces with holes.
//!
//! Pieces join where their corners coincide exactly ([`Mesh::new`] welds them), so every piece rounds its
//! corners to f32 in the same way.

use std::f64::consts::TAU;

use glam::{DVec2, DVec3};

use super::outline::{Outline, Region, polar};
use closefit_geometry::ids::to_u32;
use closefit_geometry::mesh::Mesh;

/// A surface under construction, which is closed once all its pieces are added.
#[derive(Default)]
pub(super) struct Solid {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

/// Corners around an axis, counterclockwise seen from its tip. A single corner is an apex.
pub(super) type Ring = Vec<u32>;

/// The direction in which a flat face points.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Facing {
    Up,
    Down,
}

impl Solid {
    /// Adds a corner, rounded to f32.
    pub(super) fn point(&mut self, p: DVec3) -> u32 {
        self.vertices.push(p.as_vec3().as_dvec3());
        to_u32(self.vertices.len() - 1)
    }

    /// Adds a triangle, counterclockwise seen from outside.
    pub(super) fn triangle(&mut self, corners: [DVec3; 3]) {
        let corners = corners.map(|corner| self.point(corner));
        self.triangles.push(corners);
    }

    /// Adds the corners of a ring.
    pub(super) fn ring(&mut self, points: impl IntoIterator<Item = DVec3>) -> Ring {
        points.into_iter().map(|p| self.point(p)).collect()
    }

    /// Returns the corners of a ring as they are after rounding.
    pub(super) fn corners(&self, ring: &Ring) -> Vec<DVec3> {
        ring.iter().map(|&corner| self.vertices[corner as usize]).collect()
    }

    /// Adds the outline as a ring at height `z`.
    pub(super) fn level(&mut self, outline: &Outline, z: f64) -> Ring {
        self.ring(outline.iter().map(|p| p.extend(z)))
    }

    /// Adds a band from each ring to the next, which has as many corners or is an apex. Bands face outwards
    /// if the rings go up on the outside, or down in a hole.
    pub(super) fn skin(&mut self, rings: &[Ring]) {
        for pair in rings.windows(2) {
            self.band(&pair[0], &pair[1]);
        }
    }

    /// Adds one band of a [`Solid::skin`].
    pub(super) fn band(&mut self, lower: &Ring, upper: &Ring) {
        let n = lower.len().max(upper.len());
        let (l, u) = (|i: usize| lower[i % lower.len()], |i: usize| upper[i % upper.len()]);
        for i in 0..n {
            let j = (i + 1) % n;
            if lower.len() > 1 {
                self.triangles.push([l(i), l(j), u(j)]);
            }
            if upper.len() > 1 {
                self.triangles.push([l(i), u(j), u(i)]);
            }
        }
    }

    /// Adds a grid of `nu` by `nv` quadrilaterals that faces along d/du x d/dv.
    pub(super) fn patch(&mut self, nu: u32, nv: u32, at: impl Fn(u32, u32) -> DVec3) {
        let first = to_u32(self.vertices.len());
        for u in 0..=nu {
            for v in 0..=nv {
                self.point(at(u, v));
            }
        }
        let index = |u: u32, v: u32| first + u * (nv + 1) + v;
        for u in 0..nu {
            for v in 0..nv {
                let [a, b, c, d] = [index(u, v), index(u + 1, v), index(u + 1, v + 1), index(u, v + 1)];
                self.triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
    }

    /// Adds a flat face at height `z`.
    pub(super) fn face(&mut self, region: &Region, z: f64, facing: Facing) {
        let (points, triangles) = region.triangulate();
        let first = to_u32(self.vertices.len());
        for p in points {
            self.point(p.extend(z));
        }
        self.triangles.extend(triangles.into_iter().map(|[a, b, c]| match facing {
            Facing::Up => [a, b, c].map(|v| v + first),
            Facing::Down => [a, c, b].map(|v| v + first),
        }));
    }

    /// Adds the outside of an outline from `lo` to `hi`; with `lo` above `hi`, the wall of a hole.
    pub(super) fn wall(&mut self, outline: &Outline, lo: f64, hi: f64) {
        let rings = [self.level(outline, lo), self.level(outline, hi)];
        self.skin(&rings);
    }

    /// Builds a region extruded from `lo` to `hi`.
    pub(super) fn prism(region: &Region, lo: f64, hi: f64) -> Self {
        let mut solid = Self::default();
        solid.face(region, lo, Facing::Down);
        solid.wall(&region.outer, lo, hi);
        for hole in &region.holes {
            solid.wall(hole, hi, lo);
        }
        solid.face(region, hi, Facing::Up);
        solid
    }

    /// Builds a profile of (radius, height) turned about the z axis, from its lowest point on the axis
    /// outwards, up and back to the axis. Radius 0 is an apex.
    pub(super) fn turned(profile: &[DVec2], facets: u32) -> Self {
        let mut solid = Self::default();
        let rings: Vec<Ring> = profile
            .iter()
            .map(|p| {
                let corners = if p.x == 0.0 { 1 } else { facets };
                let angle = |i: u32| TAU * f64::from(i) / f64::from(corners);
                solid.ring((0..corners).map(|i| polar(p.x, angle(i)).extend(p.y)))
            })
            .collect();
        solid.skin(&rings);
        solid
    }

    /// Builds a torus about the z axis of `around` by `across` quadrilaterals. `tube(u, v)` is the radius of
    /// the tube at the longitude `u` and the angle `v` across it, both periodic in 2 pi.
    pub(super) fn torus(radius: f64, around: u32, across: u32, tube: impl Fn(f64, f64) -> f64) -> Self {
        let mut solid = Self::default();
        let turn = |i: u32, n: u32| TAU * f64::from(i) / f64::from(n);
        let longitudes: Vec<DVec2> = (0..around).map(|i| polar(1.0, turn(i, around))).collect();
        let mut rings: Vec<Ring> = Vec::new();
        for j in 0..across {
            let v = turn(j, across);
            let (sin, cos) = (libm::sin(v), libm::cos(v));
            let ring = solid.ring(longitudes.iter().zip(0..).map(|(direction, i)| {
                let tube = tube(turn(i, around), v);
                (*direction * (radius + tube * cos)).extend(tube * sin)
            }));
            rings.push(ring);
        }
        rings.push(rings[0].clone());
        solid.skin(&rings);
        solid
    }

    /// Returns the finished mesh.
    pub(super) fn into_mesh(self) -> Mesh {
        Mesh::new(&self.vertices, &self.triangles)
            .expect("solids are finite, indexed by their own corners and limited in size by the request")
    }
}
