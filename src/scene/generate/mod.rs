//! Deterministic benchmark scenes.

pub mod write;

use super::Scene;

/// Which scene to make.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// One of [`names`].
    pub name: String,
    /// How large; each scene has its own default and meaning.
    pub size: Option<u32>,
    /// For scenes with a random part.
    pub seed: u64,
    /// Tear the meshes open into triangles without order.
    pub soup: bool,
}

/// Why there is no scene.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GenerateError {
    /// Not one of [`names`].
    #[error("unknown scene '{0}': generate --list names them")]
    UnknownName(String),
}

/// Name and one line about it, of every scene.
pub fn names() -> &'static [(&'static str, &'static str)] {
    &[("gearbox", "a planetary gearbox")]
}

/// Makes a scene.
///
/// # Errors
/// [`GenerateError`].
pub fn generate(request: &Request) -> Result<Scene, GenerateError> {
    Err(GenerateError::UnknownName(request.name.clone()))
}
