//! Solids.
