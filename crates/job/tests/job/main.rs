//! Tests of whole jobs as a program without a command line makes them.

mod damaged;
mod errors;
mod intervals;
mod rows;
mod texts;
