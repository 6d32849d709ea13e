//! Proves that two parts that turn about one axis stay apart, from their profiles.
//!
//! The *profile* of a triangle is where its points lie in the half plane of radius and height about the axis
//! ([`coaxial`](closefit_geometry::motion::coaxial)). In a ring, all triangles that follow each other around
//! the axis have the same profile. So a tree over profiles has few boxes near the other part's, where a tree
//! over triangles has many, and the proof takes about the square root of their number. It holds for any turn,
//! and over a full turn no proof that takes two triangles at a time could say more.

pub mod polygon;
#[cfg(test)]
mod tests;
mod tree;

use glam::{DVec2, DVec3};

use closefit_geometry::math::Triangle;
use closefit_geometry::motion::coaxial::Coaxial;
pub use tree::{PosedProfile, ProfileTree};

/// An axis, with its direction of length 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// A point on the axis.
    pub point: DVec3,
    /// Its direction.
    pub direction: DVec3,
}

/// A point's place about an axis.
#[derive(Clone, Copy)]
struct Place {
    /// The vector from the axis.
    out: DVec3,
    radius: f64,
    height: f64,
}

impl Axis {
    fn place(&self, p: DVec3) -> Place {
        let from = p - self.point;
        let height = self.direction.dot(from);
        let out = from - self.direction * height;
        Place { out, radius: out.length(), height }
    }

    /// Returns points whose convex hull contains a triangle's profile.
    ///
    /// The radius is a convex function on the triangle. So it is nowhere more than the linear interpolation
    /// of the corners' radii, and nowhere less than the coordinate along any one direction perpendicular to
    /// the axis, which is linear. The corners' radii and their coordinates along one direction, at their
    /// heights, thus enclose the profile.
    pub fn profile(&self, triangle: &Triangle) -> Vec<DVec2> {
        let places = triangle.map(|p| self.place(p));
        let enclosed = |direction: DVec3| {
            let radii = places.iter().map(|place| DVec2::new(place.radius, place.height));
            let along = places.iter().map(|place| DVec2::new(direction.dot(place.out), place.height));
            let mut points: Vec<DVec2> = radii.chain(along).collect();
            polygon::hull(&mut points);
            points
        };
        let polygons = [0, 1, 2].map(|edge| enclosed(toward(&places, edge)));
        let smaller = |p: &Vec<DVec2>, q: &Vec<DVec2>| polygon::extent(p).total_cmp(&polygon::extent(q));
        polygons.into_iter().min_by(smaller).expect("three")
    }
}

/// Returns the direction from the axis to the point of an edge that is nearest to it. For the edges of a
/// facet along and across a surface of revolution, one of these directions is the facet's own.
fn toward(places: &[Place; 3], edge: usize) -> DVec3 {
    let (p, q) = (places[edge].out, places[(edge + 1) % 3].out);
    let edge = q - p;
    let share = -p.dot(edge) / edge.length_squared();
    (p + edge * if share > 0.0 { share.min(1.0) } else { 0.0 }).normalize_or_zero()
}

impl From<&Coaxial> for Axis {
    fn from(Coaxial { point, direction, .. }: &Coaxial) -> Self {
        Self { point: *point, direction: *direction }
    }
}
