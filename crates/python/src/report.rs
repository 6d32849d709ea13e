//! Reports: their documents as JSON, and what has changed between two.

use std::sync::Arc;

use closefit::scene::Scene;
use closefit_job::Finished;
use closefit_report::diff::{Diff, Review};
use closefit_report::document::Report;
use closefit_report::{Certificate, Document, json};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyCapsule, PyDict};
use serde::Serialize;

use crate::columns::{self, Batches};
use crate::error::Refusal;
use crate::{shown, work};

/// The findings of a check or a sweep: `closefit.Report` is made of them.
#[pyclass(frozen, module = "closefit")]
pub struct Findings {
    document: Arc<Document>,
    /// The scene that it is about, unless it was read.
    scene: Option<Arc<Scene>>,
    certificate: Option<Certificate>,
    #[pyo3(get)]
    notes: Vec<String>,
}

impl Findings {
    /// Returns what a job has found in its scene.
    pub fn new<R>(found: Finished<R>, document: fn(R) -> Document, scene: &Scene) -> Self {
        let notes = found.notes.into_iter().chain(found.repairs).collect();
        let (document, scene) = (Arc::new(document(found.report)), Some(Arc::new(scene.clone())));
        Self { document, scene, certificate: found.certificate, notes }
    }
}

#[pymethods]
impl Findings {
    /// Read the document of a check or a sweep.
    #[staticmethod]
    fn read(py: Python<'_>, document: PyBackedBytes) -> PyResult<Self> {
        let document = work::long(py, 0, move |_| Document::read(&document))?;
        let document = document.map_err(|error| Refusal::of("report", error))?;
        if let Document::Inspect(_) = document {
            return Err(Refusal::of("report", "it is of inspect, which lists no pairs").into());
        }
        Ok(Self { document: Arc::new(document), scene: None, certificate: None, notes: Vec::new() })
    }

    /// Return the document, as the program writes it.
    fn json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.written(py, json::document)
    }

    /// Return one value of the document by its key, as JSON.
    fn value<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyBytes>> {
        let key = key.to_owned();
        self.written(py, move |document| match document {
            Document::Check(report) => value(report, &key),
            Document::Sweep(report) => value(report, &key),
            _ => Vec::new(),
        })
    }

    /// Return the certificate, as the program writes it, if there were claims.
    fn certificate<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let text =
            self.certificate.as_ref().map(|certificate| work::brief(py, || json::document(certificate)));
        Ok(text.transpose()?.map(|text| PyBytes::new(py, &text)))
    }

    /// Return what has changed since an older report, as the program writes it.
    fn diff<'py>(&self, py: Python<'py>, old: &Bound<'py, Self>) -> PyResult<Bound<'py, PyBytes>> {
        let (old, new) = (Arc::clone(&old.get().document), Arc::clone(&self.document));
        let compared = work::long(py, 0, move |_| {
            Diff::of(&old, &new, &Review::default()).map(|diff| json::document(&diff))
        });
        Ok(PyBytes::new(py, &compared?.map_err(|error| Refusal::of("old", error))?))
    }

    /// Return a PNG file of a finding by its key, or of the whole scene.
    fn picture<'py>(
        &self,
        py: Python<'py>,
        key: Option<String>,
        size: [u32; 2],
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (document, scene) = (Arc::clone(&self.document), self.scene()?);
        let drawn = work::long(py, 0, move |_| shown::picture(&document, &scene, key.as_deref(), size))?;
        Ok(PyBytes::new(py, &drawn?))
    }

    /// Return the page, as the program writes it.
    fn page<'py>(&self, py: Python<'py>, limit: usize) -> PyResult<Bound<'py, PyBytes>> {
        let (document, scene) = (Arc::clone(&self.document), self.scene()?);
        let certificate = self.certificate.clone();
        let page = work::long(py, 0, move |_| shown::page(&document, &scene, certificate.as_ref(), limit))?;
        Ok(PyBytes::new(py, &page))
    }

    /// Return the columns of the pairs by their names.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns::of(py, &self.document)
    }

    /// Return the pairs as a stream of Arrow's record batches.
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A consumer casts what it wants otherwise: the protocol allows that.
        let _ = requested_schema;
        Batches::new(Arc::clone(&self.document)).into_capsule(py)
    }

    /// Command that it comes from: 'check' or 'sweep'.
    #[getter]
    fn command(&self) -> &'static str {
        if matches!(&*self.document, Document::Check(_)) { "check" } else { "sweep" }
    }

    fn __len__(&self) -> usize {
        match &*self.document {
            Document::Check(report) => report.pairs.len(),
            Document::Sweep(report) => report.pairs.len(),
            _ => 0,
        }
    }
}

impl Findings {
    /// Returns the scene, which only a report of this process has.
    fn scene(&self) -> Result<Arc<Scene>, Refusal> {
        let missing = || Refusal::of("report", "it was read, and has no scene to draw: check or sweep again");
        self.scene.clone().ok_or_else(missing)
    }

    /// Returns what is written of the document.
    fn written<'py>(
        &self,
        py: Python<'py>,
        write: impl FnOnce(&Document) -> Vec<u8> + Send + 'static,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let document = Arc::clone(&self.document);
        let text = work::long(py, 0, move |_| write(&document))?;
        Ok(PyBytes::new(py, &text))
    }
}

/// Writes one value of a report by its key; nothing for another key.
fn value<S: Serialize, P: Serialize>(report: &Report<S, P>, key: &str) -> Vec<u8> {
    match key {
        "scene" => json::document(&report.scene),
        "parts" => json::document(&report.parts),
        "settings" => json::document(&report.settings),
        "ledger" => json::document(&report.ledger),
        "rules" => json::document(&report.rules),
        "groups" => json::document(&report.groups),
        "trace" => json::document(&report.trace),
        _ => Vec::new(),
    }
}
