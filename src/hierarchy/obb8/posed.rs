//! A posed tree: cheap enough to make anew for every query.

use glam::{DMat3, DVec3};

use super::Obb8;
use super::box_box::SKEW_LIMIT;
use crate::bounds::aabb::Aabb;
use crate::executor::Executor;
use crate::hierarchy::world_box;
use crate::math::Triangle;
use crate::math::error_bounds::PLACED;
use crate::math::pose::{LARGEST, Pose, SMALLEST};

/// A tree at a pose.
#[derive(Clone, Copy, Debug)]
pub struct Posed<'a> {
    /// The tree.
    pub tree: &'a Obb8,
    /// The executor of its searches.
    pub executor: Executor,
    /// World from part.
    pub pose: Pose,
    /// Linear part of world from normal coordinates.
    pub linear: DMat3,
    /// Translation of world from normal coordinates: the world position of the normal origin.
    pub origin: DVec3,
    /// Approximate world length of a normal length of 1.
    pub scale: f64,
    /// Deviation of the linear part from a similarity: the largest row sum of `|L^T L / scale^2 - I|`.
    pub skew: f64,
    /// Bound of the distance between a posed vertex and its image by `linear` and `origin`.
    pub error: f64,
}

impl<'a> Posed<'a> {
    /// Poses a tree.
    ///
    /// # Panics
    /// If the tree has a linear part of its own that is not the pose's.
    pub fn new(tree: &'a Obb8, pose: &Pose) -> Self {
        let linear = pose.linear();
        assert!(tree.linear.is_none_or(|own| own == linear), "a tree of another linear part");
        // The map that remains after the boxes' own linear part.
        let part = if tree.linear.is_some() { DMat3::IDENTITY } else { linear };
        let shift = pose.shift();
        let (scale, skew) = scale_and_skew(&part);
        let (reach, unit) = (gain(&linear) * tree.largest_coordinate, gain(&part) * tree.unit);
        let error = PLACED * (reach + unit + shift.abs().max_element()) + 8.0 * SMALLEST;
        Self {
            tree,
            executor: Executor::default(),
            pose: *pose,
            linear: part * tree.unit,
            origin: part * tree.center + shift,
            scale: scale * tree.unit,
            skew,
            error,
        }
    }

    /// Returns the same tree, searched by another executor.
    pub fn by(self, executor: Executor) -> Self {
        Self { executor, ..self }
    }

    /// True when no posed coordinate can exceed 2^200, as the contract requires; false for NaN and infinity.
    pub fn is_admissible(&self) -> bool {
        let row =
            |m: &[f64; 4]| (m[0].abs() + m[1].abs() + m[2].abs()) * self.tree.largest_coordinate + m[3].abs();
        // Summed so that a NaN remains NaN.
        self.pose.rows.iter().map(row).sum::<f64>() < LARGEST
    }

    /// Returns world from the frame of the tree's boxes: the pose, or its translation if the boxes include
    /// its linear part.
    pub fn tree_pose(&self) -> Pose {
        match self.tree.linear {
            Some(_) => Pose::translation(self.pose.rows.map(|m| m[3])),
            None => self.pose,
        }
    }

    /// Returns a world-aligned box around all posed vertices, derived from the root box alone.
    pub fn bounds(&self) -> Aabb {
        let whole = self.obb(&self.tree.blocks[0], 0);
        world_box::around(
            &whole,
            &self.tree_pose(),
            world_box::margin(&self.pose, self.tree.largest_coordinate),
        )
    }

    /// True when the boxes can be compared in f32: the pose is nearly a similarity.
    pub fn is_rigid(&self) -> bool {
        self.skew < SKEW_LIMIT
    }

    /// Returns the posed corners of a triangle, given by its place in the tree's order.
    #[inline]
    pub fn triangle(&self, place: u32) -> Triangle {
        self.tree.corners[place as usize].map(|v| self.pose.apply(self.tree.vertices[v as usize]))
    }
}

/// True when a linear part is near enough to a similarity for a tree without a linear part of its own.
pub fn is_similarity(linear: &DMat3) -> bool {
    scale_and_skew(linear).1 < SKEW_LIMIT
}

/// Returns the approximate factor by which lengths grow, and [`Posed::skew`].
fn scale_and_skew(linear: &DMat3) -> (f64, f64) {
    let square = linear.transpose() * *linear;
    let scale_squared = (square.x_axis.x + square.y_axis.y + square.z_axis.z) / 3.0;
    let off = square * scale_squared.recip() - DMat3::IDENTITY;
    let row_sum = |v: DVec3| v.abs().element_sum();
    // A maximum would lose a NaN; the sum of all rows is as good a bound.
    (scale_squared.sqrt(), row_sum(off.x_axis) + row_sum(off.y_axis) + row_sum(off.z_axis))
}

/// Returns the largest coordinate to which coordinates of at most 1 are mapped.
fn gain(linear: &DMat3) -> f64 {
    let sums = linear.x_axis.abs() + linear.y_axis.abs() + linear.z_axis.abs();
    sums.max_element()
}
