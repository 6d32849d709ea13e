//! The boxes of a scene's parts where they stand.

use glam::DVec3;

use super::CheckError;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::to_u32;
use closefit_geometry::math::pose::{LARGEST, Pose};
use closefit_geometry::parallel;
use closefit_geometry::scene::{Part, Scene};

/// The parts of a scene, posed: found out once for the default tolerance and the pairs alike.
#[derive(Clone, Debug)]
pub struct PosedBoxes {
    /// The time of the poses, or `None` for the poses of the scene as it is.
    pub(super) time: Option<f64>,
    /// The exact box of every part.
    pub(super) boxes: Vec<Aabb>,
}

impl PosedBoxes {
    /// Poses every part as the scene gives it, or at a time.
    ///
    /// # Errors
    /// [`CheckError::OutOfRange`].
    pub fn new(scene: &Scene, time: Option<f64>) -> Result<Self, CheckError> {
        let boxes = parallel::map(scene.parts.len(), parallel::SMALL, |index| {
            let part = &scene.parts[index];
            let moved = |time| part.frame.map(|frame| scene.frames.pose(frame, time));
            let pose = time.and_then(moved).unwrap_or(part.pose);
            exact_box(index, part, scene.meshes[part.mesh.index()].vertices(), &pose)
        });
        Ok(Self { time, boxes: boxes.into_iter().collect::<Result<_, _>>()? })
    }

    /// Returns the time of the poses, or `None` for the poses of the scene as it is.
    pub fn time(&self) -> Option<f64> {
        self.time
    }

    /// Returns the exact box of every part.
    pub fn boxes(&self) -> &[Aabb] {
        &self.boxes
    }

    /// Returns the diagonal of the box of all parts.
    pub fn diagonal(&self) -> f64 {
        if self.boxes.is_empty() {
            return 0.0;
        }
        self.boxes.iter().copied().fold(Aabb::EMPTY, Aabb::union).diagonal()
    }
}

/// Returns the box of posed vertices.
pub(super) fn exact_box(
    index: usize,
    part: &Part,
    vertices: &[DVec3],
    pose: &Pose,
) -> Result<Aabb, CheckError> {
    let mut bounds = Aabb::EMPTY;
    for &vertex in vertices {
        let p = pose.apply(vertex);
        admissible(index, part, p)?;
        bounds = bounds.with(p);
    }
    Ok(bounds)
}

/// Refuses coordinates beyond 2^200.
pub(super) fn admissible(index: usize, part: &Part, p: DVec3) -> Result<(), CheckError> {
    // A NaN is out of range too.
    match p.to_array().into_iter().find(|x| x.is_nan() || x.abs() > LARGEST) {
        Some(value) => {
            Err(CheckError::OutOfRange { part: to_u32(index), name: part.name.to_string(), value })
        }
        None => Ok(()),
    }
}
