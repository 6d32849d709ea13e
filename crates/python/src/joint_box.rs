//! Which parts of a robot can meet, over all configurations of its joints.

use std::sync::Arc;

use closefit::JointBoxRequest;
use closefit::internals::engine::PRECISION;
use closefit_geometry::scene::joint_box::JointBox;
use closefit_job::{ReadScene, collision_geometry, joint_ranges, robot_of, whole_ranges};
use closefit_report::exports::write_srdf;
use closefit_report::{JointBoxReport, json};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::Refusal;
use crate::jobs::{Common, length};
use crate::progress::run;
use crate::scene::Scene;
use crate::work;

/// The settings of the question.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Own {
    /// Joints with their ranges: `NAME=limits`, `NAME=A:B` or `NAME=V`.
    ranges: Vec<String>,
    precision: Option<String>,
    configurations: usize,
}

/// The findings about all pairs, from which `closefit.JointBox` is made.
#[pyclass(frozen, module = "closefit")]
pub struct EncounterFindings {
    report: Arc<JointBoxReport>,
    read: Arc<ReadScene>,
    ranges: JointBox,
}

#[pymethods]
impl EncounterFindings {
    /// Return the document, as the program writes it.
    fn json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &work::brief(py, || json::document(&*self.report))?))
    }

    /// Return an SRDF with the links that never meet, or always.
    fn srdf<'py>(&self, py: Python<'py>, name: &str, visual_geometry: bool) -> PyResult<Bound<'py, PyBytes>> {
        let refused = |why: String| Refusal::of("joints", why);
        let robot = robot_of(&self.read.scene).map_err(refused)?;
        if !visual_geometry {
            let why = |why: String| format!("{why}: visual_geometry=True accepts them");
            collision_geometry(robot).map_err(|error| Refusal::of("collision_geometry", why(error)))?;
        }
        whole_ranges(robot, &self.ranges).map_err(refused)?;
        let mut srdf = Vec::new();
        write_srdf(&self.report, &self.read.scene, name, &mut srdf)?;
        Ok(PyBytes::new(py, &srdf))
    }
}

/// Decide which parts of a robot can meet, over all configurations of its joints.
#[pyfunction]
pub fn joint_box(
    py: Python<'_>,
    scene: &Bound<'_, Scene>,
    settings: &Bound<'_, PyAny>,
) -> PyResult<EncounterFindings> {
    let (common, own): (Common, Own) = (settings.extract()?, settings.extract()?);
    let read = Arc::clone(scene.get().read());
    run(py, settings.extract()?, move |observer| {
        let job = common.job(&read)?;
        let refused = |why: String| Refusal::of("joints", why);
        let robot = robot_of(job.scene()).map_err(refused)?;
        let ranges = joint_ranges(robot, &own.ranges).map_err(refused)?;
        let precision = match &own.precision {
            Some(precision) => length(&job, "precision", precision)?,
            None => PRECISION * job.diagonal(None)?,
        };
        let asked = JointBoxRequest { ranges, precision, most: own.configurations };
        let report = job.joint_box(&common.check_request(&job)?, &asked, observer)?;
        Ok(EncounterFindings { report: Arc::new(report), read, ranges: asked.ranges })
    })
}
