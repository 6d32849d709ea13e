//! The separating-axis test of two moving oriented boxes, one pair at a time, in f64.

use std::cell::Cell;

use glam::DVec3;

use closefit_geometry::bounds::obb::Obb;
use closefit_geometry::bounds::separating_axes::{Parallelepiped, PosedBoxes};
use closefit_geometry::math::error_bounds::AXIS;
use closefit_geometry::motion::moment::Moment;

/// True only if the distance between the contents of the boxes exceeds `bound` throughout the moment. Along a
/// direction fixed to the first part, the second's points move no farther than their velocity times the half
/// width, plus the moment's [deviation](Moment::deviation).
pub fn separated(boxes: &PosedBoxes, a: &Obb, b: &Obb, moment: &Moment, bound: f64) -> bool {
    boxes.separated_on_the_way(a, b, bound, moment.deviation(1), |b| way(b, moment))
}

/// The same by the normals of the faces of both boxes alone, which are the first six directions of all.
pub fn separated_by_faces(boxes: &PosedBoxes, a: &Obb, b: &Obb, moment: &Moment, bound: f64) -> bool {
    let asked = Cell::new(0);
    let separation = boxes.separation_on_the_way(a, b, moment.deviation(1), |b| {
        let (way, asked) = (way(b, moment), &asked);
        move |n| {
            asked.set(asked.get() + 1);
            if asked.get() > 6 { f64::INFINITY } else { way(n) }
        }
    });
    separation > bound
}

/// Returns a lower bound of the distance between the contents of the boxes throughout the moment; 0 or less
/// when the test does not [separate](separated) them.
pub fn separation(boxes: &PosedBoxes, a: &Obb, b: &Obb, moment: &Moment) -> f64 {
    boxes.separation_on_the_way(a, b, moment.deviation(1), |b| way(b, moment))
}

/// Returns a function that bounds how far the contents of the second box move along a direction, apart from
/// the deviation.
#[inline]
fn way(b: &Parallelepiped, moment: &Moment) -> impl Fn(DVec3) -> f64 + use<> {
    let (half, duration) = (b.half, moment.half);
    let middle = moment.velocity + moment.angular.cross(b.center);
    let edges = b.directions.map(|direction| moment.angular.cross(direction));
    move |n: DVec3| {
        let turning =
            half.x * n.dot(edges[0]).abs() + half.y * n.dot(edges[1]).abs() + half.z * n.dot(edges[2]).abs();
        duration * (n.dot(middle).abs() + turning) / n.length() * (1.0 + AXIS)
    }
}
