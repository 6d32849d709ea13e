//! The paths that compute. No answer depends on which is taken.

use std::fmt;
use std::str::FromStr;

/// A path from meshes to answers: the same bits, in another time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Backend {
    /// The reference, one box and one triangle at a time.
    Scalar,
    /// Several boxes or triangles in one step.
    #[default]
    Simd,
}

/// No backend is called so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown backend '{0}': use scalar or simd")]
pub struct UnknownBackend(String);

impl Backend {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Scalar, Self::Simd];

    /// As typed and printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Simd => "simd",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Backend {
    type Err = UnknownBackend;

    fn from_str(text: &str) -> Result<Self, UnknownBackend> {
        let named = Self::ALL.into_iter().find(|backend| backend.name() == text);
        named.ok_or_else(|| UnknownBackend(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for backend in Backend::ALL {
            assert_eq!(backend.to_string().parse(), Ok(backend));
        }
        assert_eq!("Simd".parse::<Backend>(), Err(UnknownBackend("Simd".to_owned())));
    }
}
