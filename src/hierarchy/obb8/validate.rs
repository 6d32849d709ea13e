//! Checks everything that the kernels assume of a tree.

use glam::{DVec3, Vec3};

use super::build::fit::three;
use super::{Block, Child, LEAF, NOTHING, Obb8};
use closefit_geometry::lanes::LANES;
use closefit_geometry::math::error_bounds::{
    F32_CENTER, F32_EXTENT, F32_PROJECTION, F32_SKEW, F32_SKEW_GAIN,
};
use closefit_geometry::mesh::Mesh;

impl Obb8 {
    /// Checks that every triangle is in exactly one leaf, with its own corners; that children come after
    /// parents; and that every box provably contains every vertex below it, with the room that the kernels
    /// need.
    ///
    /// # Errors
    /// The first fault found.
    pub fn validate(&self, mesh: &Mesh) -> Result<(), String> {
        self.validate_triangles(mesh)?;
        let normal: Vec<DVec3> = self.vertices.iter().map(|&v| self.normal(v)).collect();
        if self.unit.to_bits() << 12 != 0 || !normal.iter().all(|v| v.abs().max_element() <= 1.0) {
            return Err(format!("the unit {} is no power of two, or too small", self.unit));
        }
        // For each block, the triangles below it; `None` until its parent is reached.
        let mut below = vec![None; self.blocks.len()];
        let mut met = vec![false; self.triangles.len()];
        for (index, block) in self.blocks.iter().enumerate().rev() {
            let mut all = Vec::new();
            for lane in 0..LANES {
                let at = format!("lane {lane} of block {index}");
                let triangles = match Child::of(block.child[lane]) {
                    Child::None => {
                        if lane_of(block, lane) != lane_of(&Block::EMPTY, lane) {
                            return Err(format!("{at} is not used and yet has a box"));
                        }
                        continue;
                    }
                    Child::Block(child) if child as usize <= index => {
                        return Err(format!("{at} comes after its child"));
                    }
                    Child::Block(child) => below
                        .get_mut(child as usize)
                        .and_then(Option::take)
                        .ok_or(format!("the block of {at} is missing or has two parents"))?,
                    Child::Leaf { first, count } => {
                        let triangles: Vec<u32> = (first..first + count).collect();
                        for &triangle in &triangles {
                            if count > LEAF || !claim(&mut met, triangle) {
                                return Err(format!("{at} has no triangles of its own"));
                            }
                        }
                        triangles
                    }
                };
                let corners = triangles.iter().flat_map(|&t| self.corners[t as usize]);
                if !holds(block, lane, corners.map(|v| normal[v as usize])) {
                    return Err(format!("{at} does not hold what is below it"));
                }
                all.extend(triangles);
            }
            below[index] = Some(all);
        }
        let root = &self.blocks[0];
        match met.iter().position(|met| !met) {
            Some(triangle) => Err(format!("triangle {triangle} is in no leaf")),
            None if below[1..].iter().any(Option::is_some) => Err("some blocks hang loose".to_owned()),
            None if root.child[1..].iter().any(|&code| code != Child::None.code()) => {
                Err("the root has more than one box".to_owned())
            }
            None => Ok(()),
        }
    }

    fn validate_triangles(&self, mesh: &Mesh) -> Result<(), String> {
        if self.triangles.len() != mesh.triangles().len() || self.corners.len() != self.triangles.len() {
            return Err("the number of triangles is not the mesh's".to_owned());
        }
        let mut seen = vec![false; self.triangles.len()];
        let mut next = 0;
        for (&triangle, corners) in self.triangles.iter().zip(&self.corners) {
            if !claim(&mut seen, triangle) {
                return Err(format!("triangle {triangle} is not the mesh's, or listed twice"));
            }
            for (&v, p) in corners.iter().zip(mesh.corners(triangle)) {
                if self.vertices.get(v as usize) != Some(&p) {
                    return Err(format!("triangle {triangle} has other corners than the mesh's"));
                }
                if v > next {
                    return Err(format!("vertex {v} is out of order"));
                }
                next = next.max(v + 1);
            }
        }
        if next as usize == self.vertices.len() { Ok(()) } else { Err("some vertices are unused".to_owned()) }
    }
}

/// True the first time for every valid index.
fn claim(claimed: &mut [bool], index: u32) -> bool {
    claimed.get_mut(index as usize).is_some_and(|claimed| !std::mem::replace(claimed, true))
}

fn lane_of(block: &Block, lane: usize) -> [Vec3; 4] {
    let [a, b] = &block.axes;
    [&block.center, a, b, &block.half].map(|m| Vec3::new(m[0][lane], m[1][lane], m[2][lane]))
}

/// True only if the box has room for all points and for the kernels' rounding.
fn holds(block: &Block, lane: usize, points: impl Iterator<Item = DVec3>) -> bool {
    let [center, a, b, half] = lane_of(block, lane);
    if !(center.is_finite() && half.is_finite() && half.cmpge(Vec3::ZERO).all() && is_frame([a, b])) {
        return false;
    }
    let axes = three([a, b]);
    let size = f64::from(center.abs().max_element());
    let (mut needed, mut span) = (DVec3::ZERO, 0.0);
    for p in points {
        let d = p - Vec3::from_array(block.origin).as_dvec3();
        needed = needed.max(DVec3::from_array(axes.map(|a| a.dot(d) - a.dot(center.as_dvec3()))).abs());
        span = d.abs().max_element().max(span);
    }
    // As in the builder, but with half of the gain: the other half covers the roundings of its sum.
    let needed = needed + F32_PROJECTION * (span + size);
    let needed = needed + (0.75 * F32_SKEW_GAIN + F32_EXTENT) * needed.element_sum() + F32_CENTER * size;
    half != Vec3::splat(NOTHING) && needed.cmple(half.as_dvec3()).all()
}

/// True when the axes are orthonormal up to the rounding of f32; false for NaN.
fn is_frame([a, b]: [Vec3; 2]) -> bool {
    let [a, b] = [a, b].map(Vec3::as_dvec3);
    let off = (a.dot(a) - 1.0).abs().max((b.dot(b) - 1.0).abs()).max(a.dot(b).abs());
    off <= F32_SKEW && !a.is_nan() && !b.is_nan()
}
