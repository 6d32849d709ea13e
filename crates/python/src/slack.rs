//! The room of parts.

use std::sync::Arc;

use closefit::{Axes, DVec3, PartId};
use closefit_geometry::ids::to_u32;
use closefit_job::parts_listed;
use closefit_report::json;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::Refusal;
use crate::jobs::{Common, precision};
use crate::progress::run;
use crate::scene::Scene;

/// The settings of the question.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Own {
    precision: Option<String>,
    axes: String,
    about: Option<[f64; 3]>,
}

/// Return how far parts can move alone, as the program writes it; of all parts if none is named.
#[pyfunction]
pub fn slack<'py>(
    py: Python<'py>,
    scene: &Bound<'py, Scene>,
    parts: Vec<String>,
    settings: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (common, own): (Common, Own) = (settings.extract()?, settings.extract()?);
    let axes = axes(&own.axes)?;
    let about = own.about.map(|point| match point.iter().all(|x| x.is_finite()) {
        true => Ok(DVec3::from_array(point)),
        false => Err(Refusal::of("about", format!("{point:?} is not finite"))),
    });
    let about = about.transpose()?;
    let read = Arc::clone(scene.get().read());
    let document = run(py, settings.extract()?, move |observer| {
        let job = common.job(&read)?;
        let parts = match &parts[..] {
            [] => (0..to_u32(job.scene().parts.len())).map(PartId).collect(),
            names => parts_listed(job.scene(), names).map_err(|why| Refusal::of("parts", why))?,
        };
        let (clearance, tolerance) = common.lengths(&job)?;
        let mut request = job.slack_request()?.clearance(clearance).axes(axes).about(about);
        request.tolerance = tolerance.unwrap_or(request.tolerance);
        if let Some(given) = &own.precision {
            request.precision = precision(given, job.scene().unit)?;
        }
        Ok(json::document(&job.slack(&parts, &request, observer)?))
    })?;
    Ok(PyBytes::new(py, &document))
}

/// Returns axes by their name.
fn axes(name: &str) -> Result<Axes, Refusal> {
    match name {
        "scene" => Ok(Axes::Scene),
        "part" => Ok(Axes::Part),
        other => Err(Refusal::of("axes", format!("'{other}' is neither 'scene' nor 'part'"))),
    }
}
