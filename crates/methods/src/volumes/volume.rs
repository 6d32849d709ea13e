//! The interface of a kind of bounding volume: fitting, mapping into another frame, and comparing.

use std::fmt::Debug;

use glam::DVec3;

use closefit::internals::bvh::placement::FrameMap;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::executor::{Lanes, Scalar};
use closefit_geometry::lanes::{LANES, Simd};

/// A kind of bounding volume.
///
/// Coordinates are normal: the coordinates of a mesh lie within -1 to 1. Kernels return squared gaps: lower
/// bounds of the squared distance of what two volumes contain, 0 where they may meet, and a NaN or 0 where
/// numbers overflow. They never fuse operations, so lanes and reading copies return the same bits on every
/// machine.
pub trait Volume: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// Name of the tree as typed and printed.
    const NAME: &'static str;

    /// Eight volumes, by coordinate. Lanes without a volume hold zeros.
    type Columns: Clone + Debug + Default + PartialEq + Send + Sync;
    /// The map of one tree's volumes into the frame of another, with room for all rounding.
    type Map: Debug + Send + Sync;
    /// A turned box, prepared for comparison with volumes.
    type Region: Debug;

    /// Returns the volume around some points. It contains them with room for the rounding of their
    /// coordinates.
    fn around(points: impl Iterator<Item = DVec3> + Clone) -> Self;

    /// True if the volume certainly contains a point.
    fn contains(&self, p: DVec3) -> bool;

    /// Returns a box around the volume.
    fn bounds(&self) -> Aabb;

    /// Returns the approximate size: the largest extent.
    fn size(&self) -> f32;

    /// Returns the volume with a share of its size, along one direction if it has several.
    #[cfg(any(test, feature = "testing"))]
    fn shrunk(self, direction: usize, kept: f32) -> Self;

    /// Returns the volume with one of its planes turned to the other side of the origin, if it has planes.
    #[cfg(any(test, feature = "testing"))]
    fn flipped(self, direction: usize) -> Option<Self>;

    /// Returns the volume of a lane.
    fn of_lane(columns: &Self::Columns, lane: usize) -> Self;

    /// Puts the volume into a lane.
    fn put(&self, columns: &mut Self::Columns, lane: usize);

    /// Prepares a map.
    fn map(frames: &FrameMap) -> Self::Map;

    /// True if volumes must be refitted under the map; false if they only move, or exchange their extents.
    fn reshapes(map: &Self::Map) -> bool;

    /// Returns the volume around the image of this one.
    fn mapped(&self, map: &Self::Map) -> Self;

    /// Returns the squared gap between two volumes.
    fn squared_gap(&self, other: &Self) -> f32;

    /// Returns the volume around a ball.
    fn of_ball(center: DVec3, radius: f32) -> Self;

    /// Prepares a box around a centre, with unit axes (perpendicular within the skew of poses) and half
    /// extents that include all rounding up to here.
    fn region(center: DVec3, axes: &[DVec3; 3], half: DVec3) -> Self::Region;

    /// Returns the squared gap between the volume and a turned box.
    fn squared_gap_to_region(&self, region: &Self::Region) -> f32;

    /// Does [`Volume::mapped`] for eight.
    fn mapped_in_lanes<S: Simd>(simd: S, columns: &Self::Columns, map: &Self::Map) -> Self::Columns;

    /// Does [`Volume::squared_gap`] for eight.
    fn squared_gaps_in_lanes<S: Simd>(simd: S, one: &Self, columns: &Self::Columns) -> [f32; LANES];

    /// Does [`Volume::squared_gap_to_region`] for eight.
    fn squared_gaps_to_region_in_lanes<S: Simd>(
        simd: S,
        region: &Self::Region,
        columns: &Self::Columns,
    ) -> [f32; LANES];
}

/// The kernels on eight volumes, with a form for every executor.
pub(crate) trait VolumeKernels: Copy {
    /// Does [`Volume::mapped`] for eight.
    fn mapped<V: Volume>(self, columns: &V::Columns, map: &V::Map) -> V::Columns;

    /// Does [`Volume::squared_gap`] for one and eight.
    fn squared_gaps<V: Volume>(self, one: &V, columns: &V::Columns) -> [f32; LANES];

    /// Does [`Volume::squared_gap_to_region`] for eight.
    fn squared_gaps_to_region<V: Volume>(self, region: &V::Region, columns: &V::Columns) -> [f32; LANES];
}

impl<S: Simd> VolumeKernels for Lanes<S> {
    #[inline(always)]
    fn mapped<V: Volume>(self, columns: &V::Columns, map: &V::Map) -> V::Columns {
        V::mapped_in_lanes(self.0, columns, map)
    }

    #[inline(always)]
    fn squared_gaps<V: Volume>(self, one: &V, columns: &V::Columns) -> [f32; LANES] {
        V::squared_gaps_in_lanes(self.0, one, columns)
    }

    #[inline(always)]
    fn squared_gaps_to_region<V: Volume>(self, region: &V::Region, columns: &V::Columns) -> [f32; LANES] {
        V::squared_gaps_to_region_in_lanes(self.0, region, columns)
    }
}

impl VolumeKernels for Scalar {
    fn mapped<V: Volume>(self, columns: &V::Columns, map: &V::Map) -> V::Columns {
        let mut mapped = V::Columns::default();
        for lane in 0..LANES {
            V::of_lane(columns, lane).mapped(map).put(&mut mapped, lane);
        }
        mapped
    }

    fn squared_gaps<V: Volume>(self, one: &V, columns: &V::Columns) -> [f32; LANES] {
        std::array::from_fn(|lane| one.squared_gap(&V::of_lane(columns, lane)))
    }

    fn squared_gaps_to_region<V: Volume>(self, region: &V::Region, columns: &V::Columns) -> [f32; LANES] {
        std::array::from_fn(|lane| V::of_lane(columns, lane).squared_gap_to_region(region))
    }
}
