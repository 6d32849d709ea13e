//! Exact signs of determinants of posed coordinates.
//!
//! [`robust`] evaluates Shewchuk's adaptive expansions. Within the contract's coordinate limits (0, or 2^-200
//! to 2^200 in magnitude) no product under- or overflows, so every sign is exact.

use glam::DVec3;
use robust::{Coord, Coord3D};

/// Sign of an exact determinant.
pub type Sign = std::cmp::Ordering;

/// A projection onto one of the three coordinate planes, named by the axis that is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Projection {
    /// Drops x: (y, z).
    X,
    /// Drops y: (z, x).
    Y,
    /// Drops z: (x, y).
    Z,
}

impl Projection {
    /// All three projections.
    pub const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];

    /// Returns the two remaining coordinates, in cyclic order so that orientation is preserved.
    pub fn of(self, p: DVec3) -> [f64; 2] {
        match self {
            Self::X => [p.y, p.z],
            Self::Y => [p.z, p.x],
            Self::Z => [p.x, p.y],
        }
    }
}

fn sign(x: f64) -> Sign {
    x.total_cmp(&0.0)
}

/// Returns the sign of twice the signed area of `a, b, c`: greater when they turn counterclockwise.
pub fn orient2d(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> Sign {
    let coord = |p: [f64; 2]| Coord { x: p[0], y: p[1] };
    sign(robust::orient2d(coord(a), coord(b), coord(c)) + 0.0)
}

/// Returns the sign of `((b - a) x (c - a)) . (d - a)`: greater when `d` lies on the side that the normal of
/// `a, b, c` points to.
pub fn orient3d(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Sign {
    let coord = |p: DVec3| Coord3D { x: p.x, y: p.y, z: p.z };
    // The determinant of `robust` is positive when d lies below the plane.
    sign(-robust::orient3d(coord(a), coord(b), coord(c), coord(d)) + 0.0)
}

/// True when the three points lie on one line (or coincide).
pub fn collinear(a: DVec3, b: DVec3, c: DVec3) -> bool {
    projection_of(a, b, c).is_none()
}

/// Returns the ends of collinear points. Along a line, lexicographic order is the order on the line.
pub fn extremes(points: &[DVec3]) -> [DVec3; 2] {
    let before = |p: &DVec3, q: &DVec3| p.to_array() < q.to_array();
    points.iter().fold([points[0]; 2], |[low, high], p| {
        [if before(p, &low) { *p } else { low }, if before(&high, p) { *p } else { high }]
    })
}

/// Returns a projection in which the triangle has an area; `None` if its points are collinear.
pub fn projection_of(a: DVec3, b: DVec3, c: DVec3) -> Option<Projection> {
    Projection::ALL.into_iter().find(|p| orient2d(p.of(a), p.of(b), p.of(c)).is_ne())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_follow_the_right_hand() {
        let (o, x, y, z) = (DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z);
        assert_eq!(orient3d(o, x, y, z), Sign::Greater);
        assert_eq!(orient3d(o, y, x, z), Sign::Less);
        assert_eq!(orient3d(o, x, y, x + y), Sign::Equal);
        assert_eq!(orient2d([0.0, 0.0], [1.0, 0.0], [0.0, 1.0]), Sign::Greater);
        assert!(collinear(o, x, x * 3.0));
        assert!(!collinear(o, x, y));
    }
}
