//! Scenes as files.

use crate::scene::Scene;

/// As one GLB.
pub fn glb(_scene: &Scene) -> Vec<u8> {
    Vec::new()
}

/// As a manifest and its meshes: file names and contents.
pub fn manifest(_scene: &Scene) -> Vec<(String, Vec<u8>)> {
    Vec::new()
}
