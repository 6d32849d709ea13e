//! Bounds on how far the points of two bodies may be from their poses: the movement in a stretch of a motion,
//! or in a box of joint values, as seen from the world and from each other.

use glam::DVec3;

use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::math::error_bounds::MOVED;
use closefit_geometry::math::pose::SMALLEST;
use closefit_geometry::motion::moment::Moment;

/// A bound of the displacements of a body's points: point `p` moves by at most the vector `shift + turn x p`,
/// or its opposite, and by `rest` in any direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    shift: DVec3,
    turn: DVec3,
    rest: f64,
}

impl Reach {
    /// The bound of points that move by so much in any direction.
    pub fn within(rest: f64) -> Self {
        Self { shift: DVec3::ZERO, turn: DVec3::ZERO, rest }
    }

    /// The bound of the points of one of two parts (0 the first, 1 the second), as seen from the other, in a
    /// moment.
    pub fn of(moment: &Moment, side: usize) -> Self {
        let half = moment.half * (1.0 + MOVED) * if side == 0 { -1.0 } else { 1.0 };
        Self {
            shift: moment.velocity * half,
            turn: moment.angular * half,
            rest: moment.deviation(side) + SMALLEST,
        }
    }

    /// Returns the vector along which a point moves, and how far it may move in any direction in addition.
    pub fn at(&self, p: DVec3) -> (DVec3, f64) {
        (self.shift + self.turn.cross(p), self.rest)
    }

    /// Returns the largest displacement of any point of a box along each axis.
    pub fn along_axes(&self, bounds: &Aabb) -> DVec3 {
        let farthest = bounds.corners().into_iter().map(|p| self.at(p).0.abs());
        farthest.fold(DVec3::ZERO, DVec3::max) + self.rest
    }
}

/// A bound of the displacements of a body's points as seen from another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Relative {
    /// A reach in the other body's own frame.
    Framed(Reach),
    /// The length of their path relative to any point of the other body, at most.
    Path(f64),
}

impl Relative {
    /// Returns a bound of the distance by which point `p` comes nearer to any point of the other body.
    pub fn moved(&self, p: DVec3) -> f64 {
        match self {
            Self::Framed(reach) => {
                let (along, rest) = reach.at(p);
                along.length() + rest
            }
            Self::Path(length) => *length,
        }
    }
}

/// A bound of the displacements of two bodies' points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leeway {
    /// Each body's, as seen from the world; `None` where both may be turned together in any way.
    pub in_world: Option<[Reach; 2]>,
    /// Each body's, as seen from the other.
    pub relative: [Relative; 2],
}

impl Leeway {
    /// Returns a bound of the distance that any point of two boxes moves, in the world or as seen from the
    /// other body.
    pub fn most(&self, boxes: [&Aabb; 2]) -> f64 {
        let of = |side: usize| {
            let in_world = self.in_world.map_or(0.0, |reach| reach[side].along_axes(boxes[side]).length());
            // A point of a box between its corners moves no farther than the farthest of these.
            let corners = boxes[side].corners().map(|corner| self.relative[side].moved(corner));
            corners.into_iter().fold(in_world, f64::max)
        };
        of(0).max(of(1))
    }
}

/// Returns a box widened by an amount on either side of each axis.
pub fn widened(bounds: &Aabb, by: DVec3) -> Aabb {
    Aabb { lo: bounds.lo - by, hi: bounds.hi + by }
}
