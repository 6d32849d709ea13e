//! The exception for input that closefit refuses.

use std::fmt::Display;

use closefit_job::JobError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{IntoPyDict, PyType};

/// The reason why input was refused: one line, and what is wrong: a file, a part, the name of an argument.
#[derive(Debug)]
pub struct Refusal {
    message: String,
    file: Option<String>,
    part: Option<String>,
    key: Option<String>,
}

impl Refusal {
    /// Makes the refusal of the value of an argument.
    pub fn of(key: impl Display, why: impl Display) -> Self {
        Self { message: format!("{key}: {why}"), file: None, part: None, key: Some(key.to_string()) }
    }

    /// Makes the refusal of what is in a file.
    pub fn in_file(file: &str, why: impl Display) -> Self {
        Self { message: format!("{file}: {why}"), file: Some(file.to_owned()), part: None, key: None }
    }
}

impl From<JobError> for Refusal {
    fn from(error: JobError) -> Self {
        let [file, part] = [error.file(), error.part()].map(|place| place.map(str::to_owned));
        Self { message: error.to_string(), file, part, key: error.key() }
    }
}

impl From<Refusal> for PyErr {
    fn from(refusal: Refusal) -> Self {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        Python::attach(|py| {
            let place = [("file", &refusal.file), ("part", &refusal.part), ("key", &refusal.key)];
            let made = CLASS
                .import(py, "closefit._error", "ClosefitError")
                .and_then(|class| class.call((&refusal.message,), Some(&place.into_py_dict(py)?)));
            made.map_or_else(|error| error, Self::from_value)
        })
    }
}

/// Returns a time if it is finite.
pub fn finite_time(time: f64) -> Result<f64, Refusal> {
    time.is_finite().then_some(time).ok_or_else(|| Refusal::of("time", format!("{time} is no time")))
}

/// Makes the exception for a panic: a defect of closefit, not of the input.
pub fn defect(panic: &(dyn std::any::Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown");
    pyo3::exceptions::PyRuntimeError::new_err(format!("a defect in closefit, please report it: {text}"))
}
