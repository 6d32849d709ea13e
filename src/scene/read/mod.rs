//! Readers: files to a [`crate::scene::Scene`].
