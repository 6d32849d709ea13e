//! The readers on files made here, without the rest of the engine.

#![allow(clippy::disallowed_methods)]

mod missing;
mod packages;
mod polygons;
mod texts;
