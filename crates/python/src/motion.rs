//! Questions about two meshes along motions.

use closefit::{ApproachError, Between, DVec3, Keyframe, MotionError, MovingMesh, TimesOfImpact};
use pyo3::prelude::*;

use crate::arrays::{numbers, vectors};
use crate::collision_mesh::CollisionMesh;
use crate::error::{Refusal, finite_time};
use crate::poses::pose;
use crate::work;

/// A motion of a body: through keyframes, at rest before the first and after the last.
#[pyclass(frozen, module = "closefit")]
pub struct Motion(closefit::Motion);

#[pymethods]
impl Motion {
    /// Make a motion through keyframes.
    ///
    /// Parameters
    /// ----------
    /// times : array_like of shape (n,)
    ///     Times in seconds, each later than the one before. With a single one, nothing moves.
    /// rotations : array_like of shape (n, 4)
    ///     Quaternions x, y, z, w of any length.
    /// translations : array_like of shape (n, 3)
    ///     Shifts, applied after the rotations.
    /// between : {'screw', 'linear', 'step'}
    ///     The way from one keyframe to the next: turn and shift about one axis at constant rates; a straight
    ///     line with a turn at constant rate; or a jump.
    ///
    /// Returns
    /// -------
    /// Motion
    #[staticmethod]
    #[pyo3(signature = (times, rotations, translations, *, between = "screw"))]
    fn through(
        times: &Bound<'_, PyAny>,
        rotations: &Bound<'_, PyAny>,
        translations: &Bound<'_, PyAny>,
        between: &str,
    ) -> PyResult<Self> {
        let between: Between = between.parse().map_err(|error| Refusal::of("between", error))?;
        let (times, rotations) = (numbers(times, "times")?, vectors::<4>(rotations, "rotations")?);
        let translations = vectors::<3>(translations, "translations")?;
        let n = times.entries().len();
        for (key, rows) in [("rotations", &rotations), ("translations", &translations)] {
            let found = rows.shape()[0];
            if found != n {
                return Err(Refusal::of(key, format!("{found} rows for {n} times")).into());
            }
        }
        let (turns, shifts) = (rotations.entries().as_chunks().0, translations.entries().as_chunks().0);
        let all = times.entries().iter().zip(turns.iter().zip(shifts));
        let keyframe =
            |(&time, (&rotation, &shift))| Keyframe { time, rotation, translation: DVec3::from_array(shift) };
        let keyframes: Vec<Keyframe> = all.map(keyframe).collect();
        let motion = closefit::Motion::through(&keyframes, between, [1.0; 3]);
        let refused = |error: MotionError| {
            let key = match error {
                MotionError::Rotation { .. } => "rotations",
                MotionError::Translation { .. } => "translations",
                _ => "times",
            };
            Refusal::of(key, error)
        };
        Ok(Self(motion.map_err(refused)?))
    }

    /// Make the screw from one pose at time 0 to another at time 1: what a body of a `World` does in a step.
    ///
    /// Parameters
    /// ----------
    /// start, end : array_like of shape (3, 4) or (4, 4)
    ///     The poses. They may mirror and scale, both by the same factors.
    ///
    /// Returns
    /// -------
    /// Motion
    #[staticmethod]
    fn screw(start: &Bound<'_, PyAny>, end: &Bound<'_, PyAny>) -> PyResult<Self> {
        let motion = closefit::Motion::screw(&pose(start, "start")?, &pose(end, "end")?);
        Ok(Self(motion.map_err(|error| Refusal::of("start, end", error))?))
    }

    /// Return the pose at a time, as a matrix of shape (3, 4).
    fn pose<'py>(&self, py: Python<'py>, time: f64) -> PyResult<Bound<'py, numpy::PyArray2<f64>>> {
        use numpy::PyArrayMethods;
        let rows = self.0.pose(finite_time(time)?).rows;
        numpy::PyArray1::from_slice(py, rows.as_flattened()).reshape([3, 4])
    }

    /// Keyframe times.
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> Bound<'py, numpy::PyArray1<f64>> {
        numpy::PyArray1::from_slice(py, self.0.times())
    }
}

/// The first time at which two moving meshes come within half the precision.
#[pyclass(frozen, get_all, module = "closefit")]
pub struct TimeOfImpact {
    /// They are apart until then.
    after: f64,
    /// They are near at this time.
    before: f64,
    /// The point of contact at ``before``.
    point: [f64; 3],
    /// Unit vector from a to b.
    normal: [f64; 3],
    /// A triangle of a and one of b.
    triangles: (u32, u32),
    /// The closest features: 'edge/edge', 'vertex/face' or 'face/vertex'.
    feature: &'static str,
    /// True when they are near from the start.
    start_contact: bool,
    /// The first contact after they have parted, if they are near from the start.
    again: Option<Py<TimeOfImpact>>,
}

#[pymethods]
impl TimeOfImpact {
    fn __repr__(&self) -> String {
        let Self { after, before, feature, .. } = self;
        format!("TimeOfImpact(after={after:?}, before={before:?}, feature={feature:?})")
    }
}

impl TimeOfImpact {
    fn new(found: &closefit::TimeOfImpact, start_contact: bool, again: Option<Py<Self>>) -> Self {
        let touch = &found.touch;
        Self {
            after: found.after,
            before: found.before,
            point: touch.point.to_array(),
            normal: touch.normal.to_array(),
            triangles: touch.triangles.into(),
            feature: touch.feature.name(),
            start_contact,
            again,
        }
    }

    /// The first contact, with the next one if that is at the start.
    pub fn of(py: Python<'_>, found: &TimesOfImpact) -> PyResult<Self> {
        let again = found.again.map(|again| Py::new(py, Self::new(&again, false, None))).transpose()?;
        Ok(Self::new(&found.first, found.at_start, again))
    }
}

/// Return when two moving meshes first come within half the precision of each other.
///
/// No contact is missed, however brief it is and however thin the meshes are.
///
/// Parameters
/// ----------
/// a, b : CollisionMesh
///     The meshes.
/// motion_a, motion_b : Motion
///     Where they are at each time.
/// precision : float
///     A length: contact counts within half of it.
///
/// Returns
/// -------
/// TimeOfImpact or None
///     None if they never meet between the first keyframe and the last.
#[pyfunction]
#[pyo3(signature = (a, motion_a, b, motion_b, *, precision))]
pub fn time_of_impact(
    py: Python<'_>,
    a: &Bound<'_, CollisionMesh>,
    motion_a: &Bound<'_, Motion>,
    b: &Bound<'_, CollisionMesh>,
    motion_b: &Bound<'_, Motion>,
    precision: f64,
) -> PyResult<Option<TimeOfImpact>> {
    let found = over(py, [a, b], [motion_a, motion_b], precision, closefit::time_of_impact)?;
    found.map(|found| TimeOfImpact::of(py, &found)).transpose()
}

/// The smallest distance of two moving meshes: a bracket.
#[pyclass(frozen, get_all, module = "closefit")]
pub struct Clearance {
    /// Lower bound of the distance at all times.
    at_least: f64,
    /// The distance at ``at``.
    at_most: f64,
    /// A time at which the distance is ``at_most``.
    at: f64,
}

#[pymethods]
impl Clearance {
    fn __repr__(&self) -> String {
        format!("Clearance(at_least={:?}, at_most={:?}, at={:?})", self.at_least, self.at_most, self.at)
    }
}

/// Return the smallest distance of two moving meshes, and when it is.
///
/// Parameters
/// ----------
/// a, b : CollisionMesh
///     The meshes.
/// motion_a, motion_b : Motion
///     Where they are at each time.
/// precision : float
///     The bracket is no wider than this.
///
/// Returns
/// -------
/// Clearance
#[pyfunction]
#[pyo3(signature = (a, motion_a, b, motion_b, *, precision))]
pub fn closest_approach(
    py: Python<'_>,
    a: &Bound<'_, CollisionMesh>,
    motion_a: &Bound<'_, Motion>,
    b: &Bound<'_, CollisionMesh>,
    motion_b: &Bound<'_, Motion>,
    precision: f64,
) -> PyResult<Clearance> {
    let found = over(py, [a, b], [motion_a, motion_b], precision, closefit::closest_approach)?;
    Ok(Clearance { at_least: found.at_least, at_most: found.at_most, at: found.at })
}

/// Answers a question about two meshes along motions.
fn over<T: Send + 'static>(
    py: Python<'_>,
    meshes: [&Bound<'_, CollisionMesh>; 2],
    motions: [&Bound<'_, Motion>; 2],
    precision: f64,
    question: impl FnOnce(&MovingMesh, &MovingMesh, f64) -> Result<T, ApproachError> + Send + 'static,
) -> PyResult<T> {
    if !(precision > 0.0 && precision.is_finite()) {
        return Err(Refusal::of("precision", format!("{precision} is no length above 0")).into());
    }
    let ([a, b], [p, q]) =
        (meshes.map(|mesh| mesh.get().clone()), motions.map(|motion| motion.get().0.clone()));
    let asked = work::long(py, 0, move |_| question(&a.shape().along(&p), &b.shape().along(&q), precision))?;
    let key = |error: &ApproachError| match error {
        ApproachError::Precision { .. } => "precision",
        _ => "motion_a, motion_b",
    };
    Ok(asked.map_err(|error| Refusal::of(key(&error), error))?)
}
