//! The readers on files made here, without the rest of the engine.

mod missing;
mod packages;
mod polygons;
mod texts;
