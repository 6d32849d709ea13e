//! The program `closefit`, run in this process.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Run the program with arguments, its name first, and return its exit status.
#[pyfunction]
pub fn run_program(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| closefit_cli::run_with(arguments))
}
