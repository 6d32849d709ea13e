//! narrow
