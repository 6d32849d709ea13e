//! Verdicts on two meshes at rest: clash, containment and depth.

use closefit::{CheckRequest, Containment, Depth as Bracket, DepthDetail, PairRecord};
use closefit_report::document::{Inside, Word};
use numpy::PyArray2;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::collision_mesh::CollisionMesh;
use crate::error::Refusal;
use crate::pair::{posed, two_points};
use crate::poses::pose;
use crate::work;

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

impl From<&PairRecord> for Depth {
    fn from(record: &PairRecord) -> Self {
        let is_apart = record.contacts == 0 && record.contained == Containment::None;
        let zero = Bracket { at_least: 0.0, at_most: 0.0 };
        let bracket = record.depth.or(is_apart.then_some(zero));
        let unknown = match &record.contained {
            Containment::Undecidable(why) => Some(why),
            _ => record.depth_unknown.as_ref(),
        };
        Self {
            at_least: bracket.map(|bracket| bracket.at_least),
            at_most: bracket.map(|bracket| bracket.at_most),
            point: record.location.map(|location| location.point.to_array()),
            unknown: unknown.cloned(),
        }
    }
}

/// Everything that a check reports on two meshes.
#[pyclass(frozen, module = "closefit")]
pub struct PairVerdict(pub PairRecord);

#[pymethods]
impl PairVerdict {
    /// The verdict: 'clash', 'undecided', 'contact', 'clearance' or 'clear'.
    #[getter]
    fn verdict(&self) -> &'static str {
        self.0.verdict.word()
    }

    /// Containment without contact: 'a in b' or 'b in a' (one component is enough); None if neither
    /// contains the other; Undecidable if a shell that might contain the other mesh is open.
    #[getter]
    fn contained(&self) -> Option<Contained> {
        Some(match &self.0.contained {
            Containment::None => return None,
            Containment::AInB => Contained::Known(Inside::AInB.word()),
            Containment::BInA => Contained::Known(Inside::BInA.word()),
            Containment::Undecidable(reason) => Contained::Not(Undecidable { reason: reason.clone() }),
        })
    }

    /// Smallest distance of the surfaces: 0 in contact. None for a clear pair: all that is known is that it
    /// exceeds the clearance and the tolerance.
    #[getter]
    fn distance(&self) -> Option<f64> {
        Some(self.0.distance).filter(|distance| distance.is_finite())
    }

    /// A point on each surface at that distance: an array of shape (2, 3); None in contact, and for a clear
    /// pair.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        self.0.points.map(|points| two_points(py, points)).transpose()
    }

    /// Depth of their overlap.
    #[getter]
    fn depth(&self) -> Depth {
        (&self.0).into()
    }

    /// Number of pairs of triangles in contact.
    #[getter]
    fn contacts(&self) -> u64 {
        self.0.contacts
    }

    /// True if they fill the same space although no surface point is deep.
    #[getter]
    fn duplicate(&self) -> bool {
        self.0.duplicate
    }

    /// True if open surfaces pass through each other.
    #[getter]
    fn crossing(&self) -> bool {
        self.0.crossing
    }

    fn __repr__(&self) -> String {
        let mut shown = format!("PairVerdict(verdict='{}'", self.verdict());
        match self.contained() {
            None => {}
            Some(Contained::Known(inside)) => shown += &format!(", contained='{inside}'"),
            Some(Contained::Not(why)) => shown += &format!(", contained={}", why.__repr__()),
        }
        if let Some(distance) = self.distance() {
            shown += &format!(", distance={distance:?}");
        }
        if let Some(Bracket { at_least, at_most }) = self.0.depth {
            shown += &format!(", depth=Depth(at_least={at_least:?}, at_most={at_most:?})");
        }
        if self.0.contacts > 0 {
            shown += &format!(", contacts={}", self.0.contacts);
        }
        for (name, is_so) in [("duplicate", self.0.duplicate), ("crossing", self.0.crossing)] {
            if is_so {
                shown += &format!(", {name}=True");
            }
        }
        shown + ")"
    }
}

/// The containment of a pair in which one mesh contains the other, or might.
#[derive(IntoPyObject)]
pub enum Contained {
    /// The two, in words.
    Known(&'static str),
    /// It cannot be known.
    Not(Undecidable),
}

/// Decide everything that a check reports on two meshes.
///
/// Parameters
/// ----------
/// a, b : CollisionMesh
///     The meshes.
/// pose_a, pose_b : array_like of shape (3, 4) or (4, 4)
///     Where they are.
/// clearance : float
///     Pairs that come this close are not clear.
/// tolerance : float
///     Overlap up to this depth is contact, not clash.
///
/// Returns
/// -------
/// PairVerdict
#[pyfunction]
#[pyo3(signature = (a, pose_a, b, pose_b, *, clearance = 0.0, tolerance = 0.0))]
pub fn verdict(
    py: Python<'_>,
    a: &Bound<'_, CollisionMesh>,
    pose_a: &Bound<'_, PyAny>,
    b: &Bound<'_, CollisionMesh>,
    pose_b: &Bound<'_, PyAny>,
    clearance: f64,
    tolerance: f64,
) -> PyResult<PairVerdict> {
    let request = request(clearance, tolerance)?;
    decided(py, [a, b], [pose_a, pose_b], request).map(PairVerdict)
}

/// Makes the question of a verdict.
pub fn request(clearance: f64, tolerance: f64) -> Result<CheckRequest, Refusal> {
    for (key, length) in [("clearance", clearance), ("tolerance", tolerance)] {
        if !(length >= 0.0 && length.is_finite()) {
            return Err(Refusal::of(key, format!("{length} is no length")));
        }
    }
    Ok(CheckRequest::default().clearance(clearance).tolerance(tolerance))
}

/// Return how deep two solids overlap: the largest distance from a point of one's surface inside the other's
/// solid to that solid's surface.
///
/// Parameters
/// ----------
/// a, b : CollisionMesh
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
    a: &Bound<'_, CollisionMesh>,
    pose_a: &Bound<'_, PyAny>,
    b: &Bound<'_, CollisionMesh>,
    pose_b: &Bound<'_, PyAny>,
    tolerance: f64,
) -> PyResult<Depth> {
    let request = request(0.0, tolerance)?;
    Ok((&decided(py, [a, b], [pose_a, pose_b], request)?).into())
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
/// a, b : CollisionMesh
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
    a: &Bound<'_, CollisionMesh>,
    pose_a: &Bound<'_, PyAny>,
    b: &Bound<'_, CollisionMesh>,
    pose_b: &Bound<'_, PyAny>,
) -> PyResult<Contains> {
    let request = CheckRequest::default().depth(DepthDetail::None);
    Ok(match decided(py, [a, b], [pose_a, pose_b], request)?.contained {
        Containment::Undecidable(reason) => Contains::Not(Undecidable { reason }),
        contained => Contains::Known(contained == Containment::BInA),
    })
}

/// Decides a pair.
fn decided(
    py: Python<'_>,
    meshes: [&Bound<'_, CollisionMesh>; 2],
    poses: [&Bound<'_, PyAny>; 2],
    request: CheckRequest,
) -> PyResult<PairRecord> {
    let poses = [pose(poses[0], "pose_a")?, pose(poses[1], "pose_b")?];
    let meshes = meshes.map(|mesh| mesh.get().clone());
    let decided = work::long(py, 0, move |_| {
        let [a, b] = posed(&meshes, &poses)?;
        Ok::<_, Refusal>(closefit::verdict(&a, &b, &request))
    });
    Ok(decided??)
}
