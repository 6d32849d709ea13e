//! The cells of a table.

use std::borrow::Cow;
use std::io::Write;

use crate::document::ContainedRow;
use crate::document::word::Word;
use crate::json::NumberText;
use closefit_geometry::text::inert;

/// The value of a cell.
pub(super) enum Cell<'a> {
    /// An unknown value.
    Empty,
    /// Text that is safe to show.
    Text(Cow<'a, str>),
    /// A number.
    Number(f64),
    /// A count, or an index.
    Count(u64),
}

impl<'a> Cell<'a> {
    /// Text of this crate.
    pub fn word(text: &'static str) -> Self {
        Self::Text(text.into())
    }

    /// True or false.
    pub fn of_bool(value: bool) -> Self {
        Self::word(if value { "true" } else { "false" })
    }

    /// Text from a file.
    pub fn foreign(text: &'a str) -> Self {
        Self::Text(inert(text))
    }

    /// Text from a file, if any is known.
    pub fn known(text: Option<&'a str>) -> Self {
        text.map_or(Self::Empty, Self::foreign)
    }

    /// A number, if it is known.
    pub fn optional(x: Option<f64>) -> Self {
        x.map_or(Self::Empty, Self::Number)
    }

    /// The containment of one part in the other.
    pub fn contained(row: &Option<ContainedRow>) -> Self {
        match row {
            None => Self::Empty,
            Some(ContainedRow::Known(inside)) => Self::word(inside.word()),
            Some(ContainedRow::Unknown { undecidable }) => {
                Self::Text(inert(&format!("undecidable: {undecidable}")).into_owned().into())
            }
        }
    }

    /// Writes the cell as the next field of a row.
    pub fn write(&self, writer: &mut csv::Writer<impl Write>) -> csv::Result<()> {
        match self {
            Self::Empty => writer.write_field(""),
            Self::Text(text) => writer.write_field(text.as_bytes()),
            Self::Number(x) => writer.write_field(NumberText::of(*x).as_bytes()),
            Self::Count(count) => writer.write_field(NumberText::of_count(*count).as_bytes()),
        }
    }
}
