//! Tests of whole jobs as a program without a command line makes them.

#![allow(clippy::disallowed_methods)]

mod bench;
mod caches;
mod crashes;
mod damaged;
mod errors;
mod intervals;
mod kept_rows;
mod rows;
mod texts;
