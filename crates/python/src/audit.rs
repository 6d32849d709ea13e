//! The collision geometry of a robot against its visual geometry.

use std::path::PathBuf;

use closefit::{Unit, Winding};
use closefit_job::{AuditRequest, audit as audited};
use closefit_report::json;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::Refusal;
use crate::jobs::precision;
use crate::progress::run;
use crate::scene::Scene;

/// The settings of the question.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Own {
    precision: Option<String>,
    srdf: Option<PathBuf>,
    /// Joints with their ranges, as of `joint_box`.
    ranges: Vec<String>,
    configurations: usize,
}

/// Return the differences between the two geometries of each link, as the program writes them.
#[pyfunction]
pub fn audit<'py>(
    py: Python<'py>,
    scene: &Bound<'py, Scene>,
    settings: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    let own: Own = settings.extract()?;
    let refused = |why: &str| Refusal::of("scene", why);
    let files = scene.get().files().ok_or_else(|| refused("it was not read from files"))?;
    let [robot] = &files.paths[..] else {
        return Err(refused("it has more files than its robot's").into());
    };
    let (robot, options) = (robot.clone(), files.options()?);
    // All robots are in metres.
    let in_metres = |text| precision(text, Some(Unit::M));
    let asked = AuditRequest {
        precision: own.precision.as_deref().map(in_metres).transpose()?,
        winding: Winding::default(),
        srdf: own.srdf,
        joints: own.ranges,
        configurations: own.configurations,
    };
    let document = run(py, settings.extract()?, move |observer| {
        Ok(json::document(&audited(&robot, &options, &asked, observer)?.report))
    })?;
    Ok(PyBytes::new(py, &document))
}
