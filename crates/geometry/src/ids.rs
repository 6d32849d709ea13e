//! Newtypes of indices, and the only place where indices are cast.

/// Position of a unique mesh in [`crate::scene::Scene::meshes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MeshId(pub u32);

/// Position of a part in [`crate::scene::Scene::parts`]: the scene's own order, stable between runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PartId(pub u32);

/// Identifier of a body in a `World`; never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub u32);

impl MeshId {
    /// Returns an index into a slice.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl BodyId {
    /// Returns the number of bodies that were added before this one.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl PartId {
    /// Returns an index into a slice.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Converts a count or position to `u32`. The readers have already refused anything larger.
///
/// # Panics
/// If `n` does not fit, which the limits of [`crate::mesh::Mesh::new`] exclude.
pub fn to_u32(n: usize) -> u32 {
    u32::try_from(n).expect("counts are limited to u32 when meshes and scenes are built")
}
