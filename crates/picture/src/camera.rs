//! Orthographic cameras: from points of the scene to samples of a picture.

use std::ops::Range;

use glam::DVec3;

use crate::nearest::Line;
use crate::raster::Area;
use crate::view::Plane;

/// The number of steps between two samples along an axis: samples lie on a grid, corners of triangles
/// anywhere on a finer one.
pub const STEPS: i64 = 256;

/// The largest coordinate of a corner, in steps: what is farther away is drawn as if it were there. Therefore
/// a few hundred times the difference of two coordinates fits into an i64.
const FARTHEST: f64 = 1e15;

/// A camera without perspective.
#[derive(Clone, Copy, Debug)]
pub struct Camera {
    right: DVec3,
    up: DVec3,
    /// The unit direction towards the viewer.
    toward: DVec3,
    /// The unit direction to the light.
    light: DVec3,
    centre: DVec3,
    /// Samples per unit of the scene.
    scale: f64,
    /// The number of samples along x and y.
    size: [usize; 2],
    /// Half of them.
    half: [f64; 2],
}

/// A corner of a triangle in the picture.
#[derive(Clone, Copy, Debug)]
pub struct Corner {
    /// Steps to the right.
    pub x: i64,
    /// Steps downwards.
    pub y: i64,
    /// The distance towards the viewer from the middle of the picture, in the unit of the scene.
    pub depth: f64,
}

impl Camera {
    /// Creates a camera that looks along a direction at a point, with a picture of a height in the unit of
    /// the scene. Both directions are perpendicular and of length 1.
    pub fn new([direction, up]: [DVec3; 2], centre: DVec3, height: f64, size: [usize; 2]) -> Self {
        let (scale, right, toward) = (size[1] as f64 / height, direction.cross(up), -direction);
        let light = (toward + 0.55 * up - 0.35 * right).normalize();
        Self { right, up, toward, light, centre, scale, size, half: size.map(|samples| 0.5 * samples as f64) }
    }

    /// Returns the number of samples along x and y.
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// Returns the unit directions to the right, upwards and towards the viewer.
    pub fn axes(&self) -> [DVec3; 3] {
        [self.right, self.up, self.toward]
    }

    /// Returns the point in the middle of the picture.
    pub fn centre(&self) -> DVec3 {
        self.centre
    }

    /// Returns the number of samples per unit of the scene.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Returns the height of the picture, in the unit of the scene.
    pub fn height(&self) -> f64 {
        self.size[1] as f64 / self.scale
    }

    /// Returns the direction to the light, above the viewer's left shoulder.
    pub fn light(&self) -> DVec3 {
        self.light
    }

    /// Returns where a point lies in the picture, in samples to the right and downwards.
    pub fn place(&self, p: DVec3) -> [f64; 2] {
        let p = p - self.centre;
        [self.half[0] + self.scale * p.dot(self.right), self.half[1] - self.scale * p.dot(self.up)]
    }

    /// Returns the point at a place in the picture, at the depth of its middle.
    pub fn point(&self, place: [f64; 2]) -> DVec3 {
        let [x, y] = [0, 1].map(|k| (place[k] - 0.5 * self.size[k] as f64) / self.scale);
        self.centre + self.right * x - self.up * y
    }

    /// Returns the corner at a point.
    pub fn corner(&self, p: DVec3) -> Corner {
        // Rounding to steps once per vertex leaves no gap between triangles with a common edge.
        let steps = |samples: f64| rounded((samples * STEPS as f64).clamp(-FARTHEST, FARTHEST));
        let [x, y] = self.place(p);
        Corner { x: steps(x), y: steps(y), depth: (p - self.centre).dot(self.toward) }
    }

    /// Returns the area of the picture in which what lies between some points appears.
    pub fn area(&self, points: &[DVec3]) -> Area {
        let corners: Vec<Corner> = points.iter().map(|&point| self.corner(point)).collect();
        Area::of(&corners, self.size)
    }

    /// Returns the depth of a plane at each sample. The plane must face the viewer.
    pub fn depth_of(&self, plane: &Plane) -> Sloped {
        let facing = plane.normal.dot(self.toward);
        let along = |axis: DVec3| -plane.normal.dot(axis) / facing;
        let [x, y] = self.size.map(|samples| 0.5 * samples as f64 - 0.5);
        let [dx, dy] = [along(self.right) / self.scale, -along(self.up) / self.scale];
        let middle = plane.normal.dot(plane.point - self.centre) / facing;
        Sloped { first: middle - x * dx - y * dy, dx, dy }
    }
}

/// Returns the nearest integer. A conversion that truncates is one instruction, `round` is a call.
fn rounded(x: f64) -> i64 {
    (x + f64::copysign(0.5, x)) as i64
}

/// A depth that grows evenly over the picture.
#[derive(Clone, Copy, Debug)]
pub struct Sloped {
    first: f64,
    dx: f64,
    dy: f64,
}

impl Sloped {
    /// The depth of a plane that is nowhere: everything lies behind it.
    pub const NOWHERE: Self = Self { first: f64::INFINITY, dx: 0.0, dy: 0.0 };

    /// Returns a depth that is `first` at the first sample, and grows by `by` to the right and downwards.
    #[cfg(test)]
    pub fn of(first: f64, [dx, dy]: [f64; 2]) -> Self {
        Self { first, dx, dy }
    }

    /// Returns the least and the largest depth over some columns and rows, at least one of each.
    ///
    /// Depths grow or fall along rows and columns, whatever is rounded, unless they overflow.
    pub fn range(self, columns: &Range<usize>, rows: &Range<usize>) -> [f64; 2] {
        let at = |row: usize, column: usize| self.depths_from(row, column)(0);
        let ends = [columns.start, columns.end - 1]
            .map(|column| [rows.start, rows.end - 1].map(|row| at(row, column)));
        let ends = ends.as_flattened();
        let is_nowhere = ends.iter().all(|&depth| depth == f64::INFINITY);
        if !is_nowhere && !ends.iter().all(|depth| depth.is_finite()) {
            return [f64::NEG_INFINITY, f64::INFINITY];
        }
        [
            ends.iter().copied().fold(f64::INFINITY, f64::min),
            ends.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        ]
    }

    /// Returns the depths in a row from a column on.
    pub fn line(self, row: usize, column: usize) -> Line {
        Line { first: self.first + row as f64 * self.dy, from: column as f64, growth: self.dx }
    }

    /// Returns the depth at samples of a row from a column on.
    pub fn depths_from(self, row: usize, column: usize) -> impl Fn(i32) -> f64 {
        let first = self.first + row as f64 * self.dy;
        move |sample| first + f64::from(column as i32 + sample) * self.dx
    }
}
