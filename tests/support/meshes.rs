//! Small meshes.
