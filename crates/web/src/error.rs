//! Errors: one line, thrown as an Error.

use std::fmt::Display;

use wasm_bindgen::JsValue;

/// The line that says what cannot be used, and why.
#[derive(Debug)]
pub struct Refusal(String);

impl Refusal {
    /// Returns an error that names the argument, the setting or the file that it concerns.
    pub fn of(what: impl Display, why: impl Display) -> Self {
        Self(format!("{what}: {why}"))
    }
}

#[cfg(feature = "check")]
impl From<closefit_job::JobError> for Refusal {
    fn from(error: closefit_job::JobError) -> Self {
        Self(error.to_string())
    }
}

impl From<Refusal> for JsValue {
    fn from(Refusal(line): Refusal) -> Self {
        js_sys::Error::new(&line).into()
    }
}
