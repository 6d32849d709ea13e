//! Scenes from files: [`read`] has a reader for each format, and [`keys`] the names of parts that last from
//! run to run.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod keys;
pub mod read;
pub mod shell;
pub mod similar_names;
