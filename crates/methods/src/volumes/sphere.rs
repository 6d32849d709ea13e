//! Spheres (Sanna and Milani 2004, section 4). A rotation moves only their centres.

use glam::DVec3;

use super::volume::Volume;
use closefit::internals::bvh::placement::{FrameMap, ROOM};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::bounds::smallest_ball::smallest_ball;
use closefit_geometry::lanes::{LANES, Simd, SimdBase, SimdFloat, f32x8};
use closefit_geometry::math::error_bounds::{F32_ROUNDINGS, UNIT};

/// A ball that contains a part of a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sphere {
    center: [f32; 3],
    radius: f32,
}

/// Eight balls.
#[derive(Clone, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct Spheres {
    center: [[f32; LANES]; 3],
    radius: [f32; LANES],
}

/// A map of balls: centres by an affine map, radii by the largest factor by which it lengthens.
#[derive(Debug)]
pub struct SphereMap {
    rows: [[f32; 3]; 3],
    shift: [f32; 3],
    gain: f32,
    /// Added to a radius for the error of its centre.
    error: f32,
}

/// A box that is compared with balls.
#[derive(Debug)]
pub struct Region {
    center: [f32; 3],
    axes: [[f32; 3]; 3],
    half: [f32; 3],
}

/// Factor of a squared distance that covers the rounding of three differences, their squares and sums, and
/// the skew of axes.
const NEARER: f32 = 1.0 - 4.0 * ROOM;

/// Factor of a sum of radii that covers its rounding and the roundings of a gap.
const WIDER: f32 = 1.0 + ROOM;

/// Returns an upper bound of a nonnegative number as an f32.
fn up(x: f64) -> f32 {
    (x as f32).next_up()
}

impl Volume for Sphere {
    const NAME: &'static str = "sphere";

    type Columns = Spheres;
    type Map = SphereMap;
    type Region = Region;

    fn around(points: impl Iterator<Item = DVec3> + Clone) -> Self {
        let center = smallest_ball(points.clone()).as_vec3();
        let from = center.as_dvec3();
        // The difference, the squares and their root are off by less than 8 units, and points by one.
        let radius = points.map(|p| p.distance(from)).fold(0.0, f64::max) * (1.0 + 16.0 * UNIT);
        Self { center: center.to_array(), radius: up(radius + 8.0 * UNIT) }
    }

    fn contains(&self, p: DVec3) -> bool {
        p.distance(self.from()) * (1.0 + 8.0 * UNIT) <= f64::from(self.radius)
    }

    fn bounds(&self) -> Aabb {
        let (center, radius) = (self.from(), DVec3::splat(self.radius.into()));
        Aabb { lo: center - radius, hi: center + radius }
    }

    fn size(&self) -> f32 {
        self.radius
    }

    #[cfg(any(test, feature = "testing"))]
    fn shrunk(self, _direction: usize, kept: f32) -> Self {
        Self { radius: self.radius * kept, ..self }
    }

    #[cfg(any(test, feature = "testing"))]
    fn flipped(self, _direction: usize) -> Option<Self> {
        None
    }

    fn of_lane(columns: &Spheres, lane: usize) -> Self {
        Self { center: columns.center.each_ref().map(|column| column[lane]), radius: columns.radius[lane] }
    }

    fn put(&self, columns: &mut Spheres, lane: usize) {
        for (column, x) in columns.center.iter_mut().zip(self.center) {
            column[lane] = x;
        }
        columns.radius[lane] = self.radius;
    }

    fn map(frames: &FrameMap) -> SphereMap {
        let rows = frames.linear.transpose();
        let rows = [rows.x_axis, rows.y_axis, rows.z_axis];
        let largest_row = rows.iter().map(|row| row.abs().element_sum()).fold(0.0, f64::max);
        // Coordinates are at most 1, so a row sum and the shift bound all that is rounded; sqrt(3) < 2.
        let error = frames.margin + 2.0 * F32_ROUNDINGS * (largest_row + frames.shift.abs().max_element());
        SphereMap {
            rows: rows.map(|row| row.as_vec3().to_array()),
            shift: frames.shift.as_vec3().to_array(),
            // The largest factor exceeds the ratio by less than the skew.
            gain: up(frames.ratio * (1.0 + f64::from(ROOM))),
            error: up(error),
        }
    }

    fn reshapes(_: &SphereMap) -> bool {
        false
    }

    fn mapped(&self, map: &SphereMap) -> Self {
        let [x, y, z] = self.center;
        let mut center = map.shift;
        for (c, [a, b, d]) in center.iter_mut().zip(map.rows) {
            *c += a * x + b * y + d * z;
        }
        Self { center, radius: (self.radius * map.gain + map.error) * WIDER }
    }

    fn squared_gap(&self, other: &Self) -> f32 {
        let ([x, y, z], [a, b, c]) = (self.center, other.center);
        let [x, y, z] = [x - a, y - b, z - c];
        let apart = ((x * x + y * y + z * z) * NEARER).sqrt();
        let gap = (apart - (self.radius + other.radius) * WIDER).max(0.0);
        gap * gap * NEARER
    }

    fn of_ball(center: DVec3, radius: f32) -> Self {
        let rounding = F32_ROUNDINGS * center.abs().max_element();
        Self { center: center.as_vec3().to_array(), radius: up(f64::from(radius) + rounding) }
    }

    fn region(center: DVec3, axes: &[DVec3; 3], half: DVec3) -> Region {
        // The difference of centres and its product with an axis.
        let rounding = 2.0 * F32_ROUNDINGS * (1.0 + center.abs().max_element());
        Region {
            center: center.as_vec3().to_array(),
            axes: axes.map(|axis| axis.as_vec3().to_array()),
            half: half.to_array().map(|half| up(half + rounding)),
        }
    }

    fn squared_gap_to_region(&self, region: &Region) -> f32 {
        let [x, y, z] = std::array::from_fn(|k| self.center[k] - region.center[k]);
        let mut squared = 0.0;
        for ([a, b, c], half) in region.axes.iter().zip(region.half) {
            let beyond = ((a * x + b * y + c * z).abs() - half).max(0.0);
            squared += beyond * beyond;
        }
        let gap = ((squared * NEARER).sqrt() - self.radius * WIDER).max(0.0);
        gap * gap * NEARER
    }

    #[inline(always)]
    fn mapped_in_lanes<S: Simd>(simd: S, columns: &Spheres, map: &SphereMap) -> Spheres {
        let [x, y, z] = load(simd, &columns.center);
        let mut mapped = Spheres::default();
        for k in 0..3 {
            let [a, b, c] = map.rows[k];
            mapped.center[k] = (x * a + y * b + z * c + map.shift[k]).to_array();
        }
        let radius = f32x8::load_array_ref(simd, &columns.radius);
        mapped.radius = ((radius * map.gain + map.error) * WIDER).to_array();
        mapped
    }

    #[inline(always)]
    fn squared_gaps_in_lanes<S: Simd>(simd: S, one: &Self, columns: &Spheres) -> [f32; LANES] {
        let [a, b, c] = load(simd, &columns.center);
        let [x, y, z] = one.center;
        let [x, y, z] = [f32x8::splat(simd, x) - a, f32x8::splat(simd, y) - b, f32x8::splat(simd, z) - c];
        let apart = ((x * x + y * y + z * z) * NEARER).sqrt();
        let radius = f32x8::load_array_ref(simd, &columns.radius) + one.radius;
        let gap = (apart - radius * WIDER).max(0.0);
        (gap * gap * NEARER).to_array()
    }

    #[inline(always)]
    fn squared_gaps_to_region_in_lanes<S: Simd>(simd: S, region: &Region, columns: &Spheres) -> [f32; LANES] {
        let [x, y, z] = load(simd, &columns.center);
        let [x, y, z] = [x - region.center[0], y - region.center[1], z - region.center[2]];
        let mut squared = f32x8::splat(simd, 0.0);
        for k in 0..3 {
            let [a, b, c] = region.axes[k];
            let beyond = ((x * a + y * b + z * c).abs() - region.half[k]).max(0.0);
            squared += beyond * beyond;
        }
        let radius = f32x8::load_array_ref(simd, &columns.radius);
        let gap = ((squared * NEARER).sqrt() - radius * WIDER).max(0.0);
        (gap * gap * NEARER).to_array()
    }
}

impl Sphere {
    fn from(&self) -> DVec3 {
        DVec3::from_array(self.center.map(f64::from))
    }
}

#[inline(always)]
fn load<S: Simd>(simd: S, columns: &[[f32; LANES]; 3]) -> [f32x8<S>; 3] {
    let [x, y, z] = columns;
    [f32x8::load_array_ref(simd, x), f32x8::load_array_ref(simd, y), f32x8::load_array_ref(simd, z)]
}
