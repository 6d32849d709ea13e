//! broad
