//! Boxes as a camera sees them: the samples that their contents may cover.

use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::math::pose::{Pose, SMALLEST};
use glam::DVec3;

use crate::camera::Camera;
use crate::raster::Area;
use crate::view::Plane;

/// A camera, and perhaps a cutting plane, in the frame of a posed part.
pub struct Lens {
    /// The axes of the camera to the right, upwards and towards the viewer, in that frame.
    axes: [Axis; 3],
    /// The normal of the plane, from the plane on.
    front: Option<Axis>,
    /// A bound of the rounding errors of a coordinate along an axis, in whatever order it is computed.
    slack: f64,
    scale: f64,
    size: [usize; 2],
}

/// A coordinate of points: `along . point + first`.
struct Axis {
    along: DVec3,
    first: f64,
}

impl Lens {
    /// Returns a camera before boxes in the frame of a pose, whose coordinates are at most `reach`. What lies
    /// in front of the plane is not seen.
    pub fn of(camera: &Camera, plane: Option<&Plane>, pose: &Pose, reach: DVec3) -> Self {
        let linear = pose.linear();
        let axis = |axis: DVec3, from: DVec3| Axis {
            along: linear.transpose() * axis,
            first: axis.dot(pose.shift() - from),
        };
        // A coordinate is a sum of products that are together no larger than this, and none of them is
        // rounded more than 16 times: here, or where points are posed and seen one by one.
        let origin = plane.map_or(DVec3::ZERO, |plane| plane.point.abs()) + camera.centre().abs();
        let moved =
            linear.x_axis.abs() * reach.x + linear.y_axis.abs() * reach.y + linear.z_axis.abs() * reach.z;
        let largest = (moved + pose.shift().abs() + origin).element_sum();
        Self {
            axes: camera.axes().map(|along| axis(along, camera.centre())),
            front: plane.map(|plane| axis(plane.normal, plane.point)),
            // Poses flush the smallest numbers to zero.
            slack: 64.0 * f64::EPSILON * largest + 4.0 * SMALLEST,
            scale: camera.scale(),
            size: camera.size(),
        }
    }

    /// Returns an area that contains everything visible of a box's contents; `None` if nothing is visible.
    pub fn area(&self, bounds: &Aabb) -> Option<Area> {
        let (middle, half) = (0.5 * (bounds.lo + bounds.hi), 0.5 * (bounds.hi - bounds.lo));
        let range = |Axis { along, first }: &Axis| {
            let (middle, reach) = (along.dot(middle) + first, along.abs().dot(half) + self.slack);
            [middle - reach, middle + reach]
        };
        if self.front.as_ref().is_some_and(|front| range(front)[0] > 0.0) {
            return None;
        }
        let [right, up, toward] = &self.axes;
        let [[left, right], [low, high]] = [range(right), range(up)];
        let columns = samples([left, right].map(|x| self.scale * x), self.size[0])?;
        let rows = samples([-self.scale * high, -self.scale * low], self.size[1])?;
        Some(Area { columns, rows, nearest: range(toward)[1] })
    }
}

/// Returns the samples, out of `count`, between two distances from their middle, and one more on either side
/// because corners are rounded to steps; `None` if there are none. NaN leaves out none.
fn samples([lo, hi]: [f64; 2], count: usize) -> Option<std::ops::Range<usize>> {
    let most = count as f64;
    let [lo, hi] = [lo + 0.5 * most - 1.0, hi + 0.5 * most + 1.0];
    if hi < 0.0 || lo > most {
        return None;
    }
    let first = if lo > 0.0 { lo as usize } else { 0 };
    let end = if hi < most { hi as usize + 1 } else { count };
    Some(first.min(count)..end.min(count))
}
