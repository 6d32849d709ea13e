//! Tests of whole jobs as a program without a command line makes them.

mod crashes;
mod damaged;
mod errors;
mod intervals;
mod rows;
mod texts;
