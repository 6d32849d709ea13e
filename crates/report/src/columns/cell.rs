//! The cells of a table.

use std::borrow::Cow;

use crate::document::ContainedRow;
use crate::document::word::Word;

/// The kind of all cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Text,
    /// Numbers.
    Number,
    /// Counts and indices.
    Count,
    /// True or false.
    Truth,
}

/// The value of a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'a> {
    /// An unknown value.
    Empty,
    /// Text of this crate or from a file.
    Text(Cow<'a, str>),
    /// A number.
    Number(f64),
    /// A count, or an index.
    Count(u64),
    /// True or false.
    Truth(bool),
}

impl<'a> Cell<'a> {
    /// Text of this crate.
    pub(super) fn word(text: &'static str) -> Self {
        Self::Text(text.into())
    }

    /// Text, if any is known.
    pub(crate) fn known(text: Option<&'a str>) -> Self {
        text.map_or(Self::Empty, |text| Self::Text(text.into()))
    }

    /// A number, if it is known.
    pub(crate) fn optional(x: Option<f64>) -> Self {
        x.map_or(Self::Empty, Self::Number)
    }

    /// The containment of one part in the other.
    pub(super) fn contained(row: Option<&ContainedRow>) -> Self {
        match row {
            None => Self::Empty,
            Some(ContainedRow::Known(inside)) => Self::word(inside.word()),
            Some(ContainedRow::Unknown { undecidable }) => {
                Self::Text(format!("undecidable: {undecidable}").into())
            }
        }
    }
}
