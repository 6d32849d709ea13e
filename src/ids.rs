//! Index newtypes, and the only place where indices are cast.

/// Position of a unique mesh in [`crate::scene::Scene::meshes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MeshId(pub u32);

/// Position of a part in [`crate::scene::Scene::parts`]: the scene's own order, stable between runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartId(pub u32);

/// A body of a [`crate::world::World`], which gives it once and never again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub(crate) u32);

impl MeshId {
    /// As an index into a slice.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl BodyId {
    /// How many bodies were added before it.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl PartId {
    /// As an index into a slice.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A count or position as `u32`; the readers have already refused anything larger.
///
/// # Panics
/// When `n` does not fit, which the limits of [`crate::scene::Mesh::new`] exclude.
pub fn to_u32(n: usize) -> u32 {
    u32::try_from(n).expect("counts are limited to u32 when meshes and scenes are built")
}
