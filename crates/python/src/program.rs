//! The program `closefit`, run in this process, and what it starts in others.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Run the program with arguments, its name first, and return its exit status.
#[pyfunction]
pub fn run_program(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    can_start_again(py);
    py.detach(|| closefit_cli::run_with(arguments))
}

/// Lets the program start itself, and the readers in Python, in other processes, by the interpreter that runs
/// here. Programs that embed Python may have none.
pub fn can_start_again(py: Python<'_>) {
    let interpreter = || py.import("sys")?.getattr("executable")?.extract::<Option<OsString>>();
    if let Ok(Some(interpreter)) = interpreter()
        && !interpreter.is_empty()
    {
        let readers = vec![interpreter.clone(), "-m".into(), "closefit._readers".into()];
        closefit_scene::read::python_readers(readers);
        closefit_cli::is_started_by(vec![interpreter, "-m".into(), "closefit".into()]);
    }
}
