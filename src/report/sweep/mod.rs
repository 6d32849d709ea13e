//! What a sweep leaves behind: its rows of the report, the same as CSV, and the table for people.

mod csv;
mod rows;
mod table;

pub use csv::{pairs as csv_pairs, trace};
pub use rows::SweepReport;
pub use table::{header, pairs as table_pairs};
