//! hierarchy
