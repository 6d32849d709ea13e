//! The closest pair of triangles of two meshes.

use closefit_geometry::math::{Triangle, ascending_coordinates};

/// The closest pair of triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Their distance, correctly rounded; 0 in contact.
    pub distance: f64,
    /// Triangle of the first mesh, triangle of the second: of equally close pairs the first by [`Place`].
    pub triangles: [u32; 2],
}

/// The place of a pair of triangles: which of two equally close pairs comes first.
///
/// Pairs are ordered by the positions of their corners, in ascending order within each triangle, the triangle
/// with the lower corners first; then by the indices of the triangles. So the first pair does not depend on
/// the order of triangles, of their corners, or of the two parts, unless triangles coincide.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Place {
    corners: [[[f64; 3]; 3]; 2],
    triangles: [u32; 2],
}

impl Place {
    /// Returns the place of two triangles at their poses.
    pub fn of(triangles: [u32; 2], corners: [&Triangle; 2]) -> Self {
        let mut corners = corners.map(ascending_coordinates);
        if corners[1] < corners[0] {
            corners.swap(0, 1);
        }
        Self { corners, triangles }
    }
}

/// The closest of the pairs offered so far.
#[derive(Clone, Copy, Debug)]
pub struct Closest {
    bound: f64,
    best: Option<(Nearest, [Triangle; 2])>,
}

impl Closest {
    /// Nothing yet: only distances of at most `bound` count.
    #[inline]
    pub fn within(bound: f64) -> Self {
        Self { bound, best: None }
    }

    /// Returns the largest distance at which another pair may still be closest.
    #[inline]
    pub fn reach(&self) -> f64 {
        self.best.map_or(self.bound, |(best, _)| best.distance)
    }

    /// Returns the smallest distance at which a pair certainly is not closest; `None` if nothing is known
    /// yet.
    pub fn enough(&self, triangles: [u32; 2], corners: [&Triangle; 2]) -> Option<f64> {
        let (best, _) = self.best?;
        Some(if self.is_first(triangles, corners) { best.distance.next_up() } else { best.distance })
    }

    /// Takes a pair if it is closer than the best, or as close and first by [`Place`]. Returns true if it is.
    pub fn offer(&mut self, found: Nearest, corners: [&Triangle; 2]) -> bool {
        let reach = self.reach();
        let is_closer = found.distance < reach
            || found.distance == reach && (self.best.is_none() || self.is_first(found.triangles, corners));
        if is_closer {
            self.best = Some((found, corners.map(|t| *t)));
        }
        is_closer
    }

    /// Returns the closest pair.
    #[inline]
    pub fn nearest(&self) -> Option<Nearest> {
        self.best.map(|(best, _)| best)
    }

    /// True when a pair comes before the best one by its place.
    pub fn is_first(&self, triangles: [u32; 2], corners: [&Triangle; 2]) -> bool {
        self.best.is_none_or(|(best, others)| {
            Place::of(triangles, corners) < Place::of(best.triangles, others.each_ref())
        })
    }
}

/// Factor, 1 + 2^-39, by which a lower bound must exceed the best distance before it excludes a pair of
/// triangles. It keeps distances that round to the same f64 as candidates.
pub const SLACK: f64 = 1.0 + 1.0 / (1u64 << 39) as f64;
