//! The errors of reading a file.

/// A reason why a file is not read, in one line without the name of the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// A place in the file, such as a line or a record, and what is wrong there.
    #[error("{at}: {why}")]
    At {
        /// The place.
        at: String,
        /// The reason.
        why: String,
    },
    /// A fault of the file as a whole.
    #[error("{0}")]
    File(String),
}

impl Refused {
    pub(crate) fn at(at: impl Into<String>, why: impl Into<String>) -> Self {
        Self::At { at: at.into(), why: why.into() }
    }

    pub(crate) fn file(why: impl Into<String>) -> Self {
        Self::File(why.into())
    }
}
