//! A tree where it stands: made in no time, for every query anew.

use glam::{DMat3, DVec3};

use super::Obb8;
use super::box_box::SKEW_LIMIT;
use crate::bounds::aabb::Aabb;
use crate::executor::Executor;
use crate::hierarchy::world_box;
use crate::math::Triangle;
use crate::math::error_bounds::PLACED;
use crate::math::pose::{LARGEST, Pose, SMALLEST};

/// One posed tree.
#[derive(Clone, Copy, Debug)]
pub struct Posed<'a> {
    /// The tree.
    pub tree: &'a Obb8,
    /// What executes the kernels of its searches.
    pub executor: Executor,
    /// World from part.
    pub pose: Pose,
    /// World from normal coordinates: the linear part.
    pub linear: DMat3,
    /// World from normal coordinates: where the normal origin is.
    pub origin: DVec3,
    /// What length a normal length of 1 has in the world, about.
    pub scale: f64,
    /// How far from a similarity the linear part is: the largest row sum of `|L^T L / scale^2 - I|`.
    pub skew: f64,
    /// How far from its posed place `linear`, `origin` may put a vertex.
    pub error: f64,
}

impl<'a> Posed<'a> {
    /// The tree at a pose.
    ///
    /// # Panics
    /// For a tree whose own linear part is not the pose's.
    pub fn new(tree: &'a Obb8, pose: &Pose) -> Self {
        let linear = pose.linear();
        assert!(tree.linear.is_none_or(|own| own == linear), "a tree of another linear part");
        // What is left to do for those of the boxes' frame.
        let part = if tree.linear.is_some() { DMat3::IDENTITY } else { linear };
        let shift = pose.shift();
        let (scale, skew) = scale_and_skew(&part);
        let (reach, unit) = (gain(&linear) * tree.reach, gain(&part) * tree.unit);
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

    /// The same, its searches run by another executor.
    pub fn by(self, executor: Executor) -> Self {
        Self { executor, ..self }
    }

    /// True when no posed coordinate can exceed 2^200, as the contract asks; never for what is not finite.
    pub fn is_admissible(&self) -> bool {
        let row = |m: &[f64; 4]| (m[0].abs() + m[1].abs() + m[2].abs()) * self.tree.reach + m[3].abs();
        // Summed so that a NaN stays one.
        self.pose.rows.iter().map(row).sum::<f64>() < LARGEST
    }

    /// World from the frame in which the tree's boxes are: the pose, or what of it the tree does not have.
    pub fn tree_pose(&self) -> Pose {
        match self.tree.linear {
            Some(_) => Pose::translation(self.pose.rows.map(|m| m[3])),
            None => self.pose,
        }
    }

    /// A world-aligned box around all posed vertices, found from the box of the whole tree alone.
    pub fn bounds(&self) -> Aabb {
        let whole = self.obb(&self.tree.blocks[0], 0);
        world_box::around(&whole, &self.tree_pose(), world_box::margin(&self.pose, self.tree.reach))
    }

    /// True when its boxes can be compared in f32: the pose is a similarity, nearly.
    pub fn is_rigid(&self) -> bool {
        self.skew < SKEW_LIMIT
    }

    /// The posed corners of a triangle, given by its place in the tree's order.
    #[inline]
    pub fn triangle(&self, place: u32) -> Triangle {
        self.tree.corners[place as usize].map(|v| self.pose.apply(self.tree.vertices[v as usize]))
    }
}

/// True when a linear part is a similarity as nearly as trees need it that have none of their own.
pub fn is_similarity(linear: &DMat3) -> bool {
    scale_and_skew(linear).1 < SKEW_LIMIT
}

/// The length that a length of 1 becomes, about, and [`Posed::skew`].
fn scale_and_skew(linear: &DMat3) -> (f64, f64) {
    let square = linear.transpose() * *linear;
    let scale_squared = (square.x_axis.x + square.y_axis.y + square.z_axis.z) / 3.0;
    let off = square * scale_squared.recip() - DMat3::IDENTITY;
    let row_sum = |v: DVec3| v.abs().element_sum();
    // Of a NaN no maximum may be taken: the sum of all is as good a bound.
    (scale_squared.sqrt(), row_sum(off.x_axis) + row_sum(off.y_axis) + row_sum(off.z_axis))
}

/// The largest coordinate that coordinates of at most 1 become.
fn gain(linear: &DMat3) -> f64 {
    let sums = linear.x_axis.abs() + linear.y_axis.abs() + linear.z_axis.abs();
    sums.max_element()
}
