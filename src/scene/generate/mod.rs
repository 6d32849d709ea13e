//! Deterministic benchmark scenes.
