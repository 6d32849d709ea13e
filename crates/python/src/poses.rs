//! Poses from matrices of 3 or 4 rows.

use std::fmt::Display;

use closefit::Pose;
use pyo3::prelude::*;

use crate::arrays::{floats, misshapen};
use crate::error::Refusal;

/// Reads one pose: a matrix of shape (3, 4) or (4, 4), world from mesh.
pub fn pose(given: &Bound<'_, PyAny>, key: &str) -> PyResult<Pose> {
    let rows = floats(given, key)?;
    match rows.shape() {
        [3 | 4, 4] => Ok(pose_of(rows.entries(), || key)?),
        shape => Err(misshapen(key, "(3, 4) or (4, 4)", shape)),
    }
}

/// The poses of one side of many questions: one for all, or one for each.
pub struct Poses {
    /// The poses.
    pub all: Vec<Pose>,
    key: &'static str,
    is_one: bool,
}

impl Poses {
    /// Reads poses of shape (n, 3, 4) or (n, 4, 4), or one for all questions.
    pub fn read(given: &Bound<'_, PyAny>, key: &'static str) -> PyResult<Self> {
        let rows = floats(given, key)?;
        let (length, is_one) = match rows.shape() {
            [_, height @ (3 | 4), 4] => (height * 4, false),
            [height @ (3 | 4), 4] => (height * 4, true),
            shape => return Err(misshapen(key, "(n, 3, 4), (n, 4, 4), (3, 4) or (4, 4)", shape)),
        };
        let mut poses = Self { all: Vec::with_capacity(rows.entries().len() / length), key, is_one };
        for (index, entries) in rows.entries().chunks_exact(length).enumerate() {
            poses.all.push(pose_of(entries, || poses.name(index))?);
        }
        Ok(poses)
    }

    /// Returns the name of a pose, for errors, such as `poses_b[17]`.
    pub fn name(&self, index: usize) -> String {
        if self.is_one { self.key.to_owned() } else { format!("{}[{index}]", self.key) }
    }
}

/// Makes a pose of 12 or 16 numbers. `name` is what an error calls it.
pub fn pose_of<N: Display>(entries: &[f64], name: impl FnOnce() -> N) -> Result<Pose, Refusal> {
    let (rows, rest) = entries.split_at(12);
    if !matches!(rest, [] | [0.0, 0.0, 0.0, 1.0]) {
        return Err(Refusal::of(name(), format!("the last row is {rest:?}, not [0, 0, 0, 1]")));
    }
    let rows = rows.as_chunks().0;
    Ok(Pose { rows: [rows[0], rows[1], rows[2]] })
}
