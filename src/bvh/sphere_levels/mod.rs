//! Spheres around a mesh at several levels of detail, which bound a moving body in CDFast (Sanna and Milani
//! 2004, sections 3 and 4). The first level is one sphere. Each sphere of a level contains a cluster of
//! triangles, and spheres of the next level contain the parts into which this cluster is split.
//!
//! The paper leaves open how to find the spheres; see `clusters`.

mod clusters;
mod posed;
#[cfg(test)]
mod tests;

use std::ops::Range;

use glam::DVec3;

pub use posed::PosedSpheres;

use super::largest_coordinate;
use super::placement::Placement;
use super::wide_topology::NormalFrame;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::bounds::smallest_ball::smallest_ball;
use closefit_geometry::ids::to_u32;
use closefit_geometry::math::error_bounds::{SHORTEST, UNIT};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::parallel;

/// Largest number of levels.
const LEVELS: usize = 16;

/// The spheres of a mesh, in normal coordinates, level by level.
#[derive(Clone, Debug, PartialEq)]
pub struct SphereLevels {
    frame: NormalFrame,
    largest_coordinate: f64,
    /// All spheres, the first level in front.
    spheres: Vec<Sphere>,
    /// The first sphere of the next level that is part of a sphere, by sphere, and the number of all spheres
    /// at the end.
    first_part: Vec<u32>,
    counts: SphereCounts,
}

/// A sphere with all that is in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// The centre.
    pub center: DVec3,
    /// The radius.
    pub radius: f64,
}

/// Numbers of spheres, level by level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SphereCounts(Box<[usize]>);

/// The numbers of spheres do not rise from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("numbers of spheres must rise from 1, in at most {LEVELS} levels: found {0:?}")]
pub struct SphereCountsError(Box<[usize]>);

impl SphereCounts {
    /// Checks the numbers of spheres of the levels.
    ///
    /// # Errors
    /// [`SphereCountsError`] unless the first is 1 and the others rise.
    pub fn new(counts: &[usize]) -> Result<Self, SphereCountsError> {
        let rise = counts.first() == Some(&1) && counts.windows(2).all(|pair| pair[0] < pair[1]);
        let is_valid = rise && counts.len() <= LEVELS;
        if is_valid { Ok(Self(counts.into())) } else { Err(SphereCountsError(counts.into())) }
    }
}

impl SphereLevels {
    /// Finds the spheres around triangles, given by the indices of their corners. A level has as many spheres
    /// as `counts` says, or fewer if the triangles do not have so many different centroids.
    pub fn of(vertices: &[DVec3], corners: &[[u32; 3]], counts: &SphereCounts) -> Self {
        let frame = NormalFrame::of(Aabb::of(vertices.iter().copied()));
        let place = |triangle: u32| corners[triangle as usize].map(|v| frame.enter(vertices[v as usize]));
        let around = |cluster: &Vec<u32>| Sphere::around(cluster.iter().flat_map(|&t| place(t)));
        let all: Vec<u32> = (0..to_u32(corners.len())).collect();
        let centroids: Vec<DVec3> = all.iter().map(|&t| place(t).into_iter().sum::<DVec3>() / 3.0).collect();
        let mut level = vec![all];
        let mut spheres: Vec<Sphere> = level.iter().map(around).collect();
        let mut first_part = vec![1];
        for &count in counts.0.iter().skip(1) {
            let parts = clusters::split(&centroids, &level, count);
            if parts.iter().all(|parts| parts.len() == 1) {
                break;
            }
            let mut first = to_u32(spheres.len());
            first_part.extend(parts.iter().map(|parts| {
                first += to_u32(parts.len());
                first
            }));
            level = parts.into_iter().flatten().collect();
            spheres.extend(parallel::map_items(&level, 1, around));
        }
        first_part.resize(spheres.len() + 1, to_u32(spheres.len()));
        let largest_coordinate = largest_coordinate(vertices);
        Self { frame, largest_coordinate, spheres, first_part, counts: counts.clone() }
    }

    /// Returns the spheres at a pose of any kind.
    pub fn at(&self, pose: &Pose) -> PosedSpheres<'_> {
        PosedSpheres::new(self, Placement::new(&self.frame, None, self.largest_coordinate, pose))
    }

    /// Returns the numbers of spheres that were requested.
    pub fn counts(&self) -> &SphereCounts {
        &self.counts
    }

    /// Returns the spheres of the next level that are parts of a sphere; none if it is of the last one.
    pub fn parts(&self, sphere: usize) -> Range<usize> {
        self.first_part[sphere] as usize..self.first_part[sphere + 1] as usize
    }

    /// Returns the memory in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.spheres) + size_of_val(&*self.first_part) + size_of_val(&*self.counts.0)
    }

    /// Checks that every sphere but the first is part of one other, and that every triangle lies in one
    /// sphere of each level, each a part of the one before.
    ///
    /// # Errors
    /// The first fault found.
    pub fn validate(&self, vertices: &[DVec3], corners: &[[u32; 3]]) -> Result<(), String> {
        let (parts, len) = (&self.first_part, self.spheres.len());
        let is_ordered = parts.is_sorted() && (0..).zip(&parts[..len]).all(|(i, &first)| first > i);
        if parts.len() != len + 1 || parts[0] != 1 || parts[len] as usize != len || !is_ordered {
            return Err("the spheres are not a tree, level by level".to_owned());
        }
        for (triangle, corners) in corners.iter().enumerate() {
            let places = corners.map(|v| self.frame.enter(vertices[v as usize]));
            if !self.is_inside(0, &places) {
                return Err(format!(
                    "triangle {triangle} lies in no spheres from the first level to the last"
                ));
            }
        }
        Ok(())
    }

    /// True when points lie in a sphere, and in one part of it at each level.
    fn is_inside(&self, sphere: usize, points: &[DVec3]) -> bool {
        let mut parts = self.parts(sphere);
        points.iter().all(|&p| self.spheres[sphere].contains(p))
            && (parts.is_empty() || parts.any(|part| self.is_inside(part, points)))
    }
}

impl Sphere {
    /// Returns a small sphere that is proven to contain some points.
    fn around(points: impl Iterator<Item = DVec3> + Clone) -> Self {
        let center = smallest_ball(points.clone());
        // Differences, squares and their root are off by less than 4 units, unless squares are lost.
        let farthest = points.map(|p| p.distance(center)).fold(SHORTEST.sqrt(), f64::max);
        Self { center, radius: farthest * (1.0 + 16.0 * UNIT) }
    }

    /// True when a point is proven to lie inside.
    fn contains(&self, p: DVec3) -> bool {
        p.distance(self.center).max(SHORTEST.sqrt()) * (1.0 + 8.0 * UNIT) <= self.radius
    }
}
