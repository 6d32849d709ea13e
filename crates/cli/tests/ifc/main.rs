//! Buildings in IFC: what the program reads of them, what it refuses, and that no file does it harm. The
//! files are written here, so places and volumes are known.

#![allow(clippy::disallowed_methods)]

mod archives;
mod hostile;
mod models;
mod reading;
mod refused;
