//! Questions about two meshes at rest.

use closefit::{CheckRequest, Containment, Depth as Bracket, DepthDetail, PairRecord, PoseError};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::error::Refusal;
use crate::poses::pose;
use crate::tree::Tree;
use crate::work;

/// Tell whether the surfaces of two meshes share a point. Exact.
///
/// One solid inside another, without contact of their surfaces, does not count: see :func:`contains`.
///
/// Parameters
/// ----------
/// a, b : Tree
///     The meshes.
/// pose_a, pose_b : array_like of shape (3, 4) or (4, 4)
///     Where they are: matrices that take their own coordinates to the world's.
///
/// Returns
/// -------
/// bool
#[pyfunction]
pub fn intersects(
    py: Python<'_>,
    a: &Bound<'_, Tree>,
    pose_a: &Bound<'_, PyAny>,
    b: &Bound<'_, Tree>,
    pose_b: &Bound<'_, PyAny>,
) -> PyResult<bool> {
    let (a, b) = (a.get().at(pose_a, "pose_a")?, b.get().at(pose_b, "pose_b")?);
    work::brief(py, || closefit::intersects(&a, &b))
}

/// Return all pairs of triangles that share a point. Exact.
///
/// Parameters
/// ----------
/// a, b : Tree
///     The meshes.
/// pose_a, pose_b : array_like of shape (3, 4) or (4, 4)
///     Where they are.
///
/// Returns
/// -------
/// ndarray of uint32, shape (k, 2)
///     A triangle of a and one of b in each row, sorted.
#[pyfunction]
pub fn contacts<'py>(
    py: Python<'py>,
    a: &Bound<'py, Tree>,
    pose_a: &Bound<'py, PyAny>,
    b: &Bound<'py, Tree>,
    pose_b: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<u32>>> {
    let poses = [pose(pose_a, "pose_a")?, pose(pose_b, "pose_b")?];
    let trees = [a.get().clone(), b.get().clone()];
    let [a, b] = placed(&trees, &poses)?;
    // Most pairs do not touch, which is known before another thread has been woken.
    if !work::brief(py, || closefit::intersects(&a, &b))? {
        return pairs(py, &[]);
    }
    let found = work::long(py, 0, move |_| placed(&trees, &poses).map(|[a, b]| closefit::contacts(&a, &b)))??;
    pairs(py, &found)
}

fn placed<'a>(
    trees: &'a [Tree; 2],
    poses: &[closefit::Pose; 2],
) -> Result<[closefit::Placed<'a>; 2], Refusal> {
    let at = |side: usize, key| trees[side].tree().at(&poses[side]).map_err(|error| Refusal::of(key, error));
    Ok([at(0, "pose_a")?, at(1, "pose_b")?])
}

/// Makes an array of pairs of indices.
pub fn pairs<'py>(py: Python<'py>, pairs: &[[u32; 2]]) -> PyResult<Bound<'py, PyArray2<u32>>> {
    PyArray1::from_slice(py, pairs.as_flattened()).reshape([pairs.len(), 2])
}

/// The distance of two surfaces.
#[pyclass(frozen, module = "closefit")]
pub struct Distance(pub closefit::Distance);

#[pymethods]
impl Distance {
    /// Smallest distance of any two points, correctly rounded: 0 in contact, and only there.
    #[getter]
    fn distance(&self) -> f64 {
        self.0.distance
    }

    /// Closest triangles, one of a and one of b; None in contact.
    #[getter]
    fn triangles(&self) -> Option<(u32, u32)> {
        self.0.closest.map(|closest| closest.triangles.into())
    }

    /// A point on each, in world coordinates: an array of shape (2, 3); None in contact.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let points = |closest: closefit::Closest| {
            let entries = closest.points.map(|point| point.to_array());
            PyArray1::from_slice(py, entries.as_flattened()).reshape([2, 3])
        };
        self.0.closest.map(points).transpose()
    }

    fn __repr__(&self) -> String {
        let Self(closefit::Distance { distance, closest }) = self;
        let triangles =
            closest.map_or("None".to_owned(), |c| format!("{:?}", <(u32, u32)>::from(c.triangles)));
        format!("Distance(distance={distance:?}, triangles={triangles})")
    }
}

/// Return the distance of two surfaces, with the closest triangles and points.
///
/// Parameters
/// ----------
/// a, b : Tree
///     The meshes.
/// pose_a, pose_b : array_like of shape (3, 4) or (4, 4)
///     Where they are.
///
/// Returns
/// -------
/// Distance
#[pyfunction]
pub fn distance(
    py: Python<'_>,
    a: &Bound<'_, Tree>,
    pose_a: &Bound<'_, PyAny>,
    b: &Bound<'_, Tree>,
    pose_b: &Bound<'_, PyAny>,
) -> PyResult<Distance> {
    let (a, b) = (a.get().at(pose_a, "pose_a")?, b.get().at(pose_b, "pose_b")?);
    work::brief(py, || Distance(closefit::distance(&a, &b)))
}

/// A bracket of how deep two solids overlap.
#[pyclass(frozen, get_all, module = "closefit")]
pub struct Depth {
    /// Lower bound: some point lies at least this deep. None if the depth is unknown.
    at_least: Option<f64>,
    /// Upper bound: no point lies deeper. None if the depth is unknown.
    at_most: Option<f64>,
    /// Deepest point found, or a shared point of parts that only touch; None if they are apart.
    point: Option<[f64; 3]>,
    /// Reason why the depth is unknown, or only partly known; None if it is known.
    unknown: Option<String>,
}

#[pymethods]
impl Depth {
    fn __repr__(&self) -> String {
        let number = |bound: Option<f64>| bound.map_or("None".to_owned(), |bound| format!("{bound:?}"));
        format!("Depth(at_least={}, at_most={})", number(self.at_least), number(self.at_most))
    }
}

impl From<PairRecord> for Depth {
    fn from(record: PairRecord) -> Self {
        let is_apart = record.contacts == 0 && record.contained == Containment::None;
        let zero = Bracket { at_least: 0.0, at_most: 0.0 };
        let bracket = record.depth.or(is_apart.then_some(zero));
        let unknown = match record.contained {
            Containment::Undecidable(why) => Some(why),
            _ => record.depth_unknown,
        };
        Self {
            at_least: bracket.map(|bracket| bracket.at_least),
            at_most: bracket.map(|bracket| bracket.at_most),
            point: record.location.map(|location| location.point.to_array()),
            unknown,
        }
    }
}

/// Return how deep two solids overlap: the largest distance from a point of one's surface inside the other's
/// solid to that solid's surface.
///
/// Parameters
/// ----------
/// a, b : Tree
///     The meshes.
/// pose_a, pose_b : array_like of shape (3, 4) or (4, 4)
///     Where they are.
/// tolerance : float
///     The bracket is no wider than 1 %, or within the tolerance.
///
/// Returns
/// -------
/// Depth
#[pyfunction]
#[pyo3(signature = (a, pose_a, b, pose_b, *, tolerance = 0.0))]
pub fn depth(
    py: Python<'_>,
    a: &Bound<'_, Tree>,
    pose_a: &Bound<'_, PyAny>,
    b: &Bound<'_, Tree>,
    pose_b: &Bound<'_, PyAny>,
    tolerance: f64,
) -> PyResult<Depth> {
    if !(tolerance >= 0.0 && tolerance.is_finite()) {
        return Err(Refusal::of("tolerance", format!("{tolerance} is no length")).into());
    }
    let request = CheckRequest::default().tolerance(tolerance);
    Ok(verdict(py, [a, b], [pose_a, pose_b], request)?.into())
}

/// The answer that there is none: a shell that might contain the other mesh is open.
///
/// It is neither true nor false, so using it as a condition raises TypeError.
#[pyclass(frozen, get_all, module = "closefit")]
pub struct Undecidable {
    /// The reason.
    reason: String,
}

#[pymethods]
impl Undecidable {
    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err(format!("undecidable, so neither true nor false: {}", self.reason)))
    }

    fn __repr__(&self) -> String {
        format!("Undecidable({:?})", self.reason)
    }
}

/// The answer of `contains`.
#[derive(IntoPyObject)]
pub enum Contains {
    /// It is known.
    Known(bool),
    /// It cannot be.
    Not(Undecidable),
}

/// Tell whether a's solid contains b, or at least one component of b, without contact of their surfaces.
///
/// Parameters
/// ----------
/// a, b : Tree
///     The meshes.
/// pose_a, pose_b : array_like of shape (3, 4) or (4, 4)
///     Where they are.
///
/// Returns
/// -------
/// bool or Undecidable
///     Undecidable if a shell that might contain the other mesh is open.
#[pyfunction]
pub fn contains(
    py: Python<'_>,
    a: &Bound<'_, Tree>,
    pose_a: &Bound<'_, PyAny>,
    b: &Bound<'_, Tree>,
    pose_b: &Bound<'_, PyAny>,
) -> PyResult<Contains> {
    let request = CheckRequest::default().depth(DepthDetail::None);
    Ok(match verdict(py, [a, b], [pose_a, pose_b], request)?.contained {
        Containment::Undecidable(reason) => Contains::Not(Undecidable { reason }),
        contained => Contains::Known(contained == Containment::BInA),
    })
}

/// Decides a pair.
fn verdict(
    py: Python<'_>,
    trees: [&Bound<'_, Tree>; 2],
    poses: [&Bound<'_, PyAny>; 2],
    request: CheckRequest,
) -> PyResult<PairRecord> {
    let poses = [pose(poses[0], "pose_a")?, pose(poses[1], "pose_b")?];
    let [a, b] = trees.map(|tree| tree.get().clone());
    let decided = work::long(py, 0, move |_| {
        let refused = |key| move |error: PoseError| Refusal::of(key, error);
        let models = [a.tree().model(), b.tree().model()];
        let body_a = models[0].at(&poses[0]).map_err(refused("pose_a"))?;
        let body_b = models[1].at(&poses[1]).map_err(refused("pose_b"))?;
        Ok::<_, Refusal>(closefit::verdict(&body_a, &body_b, &request))
    });
    Ok(decided??)
}
