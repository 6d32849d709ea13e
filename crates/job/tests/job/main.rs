//! Tests of whole jobs as a program without a command line makes them.

mod damaged;
mod errors;
mod rows;
mod texts;
